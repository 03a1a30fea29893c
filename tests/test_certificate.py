"""Certificates of the order of two models: their numbers, and sentences in comparisons, leaderboards and reports."""

from __future__ import annotations

import random
from fractions import Fraction
from io import BytesIO
from itertools import combinations, product
from typing import Any

import pytest

import scorio
from scorio.analysis.pairs import certificate
from scorio.commands.compare import Comparison

A, B = [[1, 1, 1, 1], [1, 1, 1, None], [1, 1, 0]], [[1, 1, 0, 0], [1, 0, 1, 0], [1, None, 0, 0]]


def comparison_of(a: Any, b: Any, missing: str | int = "drop", **more: Any) -> Comparison:
    return scorio.read({"a": a, "b": b}, missing=missing, **more).compare()


@pytest.mark.parametrize(
    ("a", "b", "missing", "sentence"),
    [
        ([[1]] * 8, [[0]] * 8, "raise", "The lead of a over b survives any 3 wrong answer keys."),
        ([[0]] * 8, [[1]] * 8, "raise", "The lead of b over a survives any 3 wrong answer keys."),
        (
            [[1, 0]] * 9,
            [[0, 0]] * 9,
            "raise",
            "survives any 2 wrong answer keys (any 4 of yes-or-no questions).",
        ),
        (
            [[1, 0]] * 3,
            [[0, 0]] * 3,
            "raise",
            "One wrong answer key could end the lead of a over b; of yes-or-no questions it takes 2.",
        ),
        ([[1], [0]], [[0], [0]], "raise", "One wrong answer key could end the lead of a over b."),
        ([[1, None]] * 4, [[0, 0]] * 4, "drop", "The 4 missing outcomes cannot end that lead, whatever they are."),
        ([[1, None]] * 4, [[0, 1]] * 4, "drop", "The lead could be lost if the 4 missing outcomes went against a."),
        (
            [[1, None]] * 4,
            [[0, 1]] * 3 + [[1, 1]],
            "drop",
            "if 3 of the 4 missing outcomes went against a and the other",
        ),
    ],
)
def test_a_sentence_states_what_could_end_the_lead(a: Any, b: Any, missing: str, sentence: str) -> None:
    text = str(comparison_of(a, b, missing)).replace("\n", " ")
    assert sentence in text, text


def test_short_questions_of_a_log_lack_trials() -> None:
    """Check that trials that a question lacks are missing outcomes, unless they are counted as a category."""
    result = comparison_of(A, B).certificate
    assert result is not None
    assert (result.missing, result.missing_needed) == (3, None)
    table = {"question": [1, 1, 1, 2, 1, 1, 2, 2], "model": list("aaaabbbb"), "outcome": [1, 1, 1, 1, 0, 1, 1, 0]}
    rows = "model,question,outcome\n" + "".join(f"{m},{q},{x}\n" for q, m, x in zip(*table.values(), strict=True))
    short = scorio.read(BytesIO(rows.encode()), missing="drop").compare().certificate
    filled = scorio.read(BytesIO(rows.encode()), missing=0).compare().certificate
    assert short is not None
    assert filled is not None
    assert short.missing == 2  # question 2 of a has one trial, question 1 three
    assert filled.missing == 0


def test_equal_averages_have_no_sentence_and_different_scales_no_certificate() -> None:
    """Check that equal averages have no sentence on a lead, and benchmarks on different scales no certificate."""
    assert "lead" not in str(comparison_of([[1, 0]], [[0, 1]], "raise"))
    one = scorio.read({"x": {"a": A[:2], "b": B[:2]}}, missing="drop")
    other = scorio.read({"y": {"a": [[3.0, 4.0]] * 2, "b": [[7.0, 5.0]] * 2}}, w="levels", scale=(0, 10))
    assert (one + other).compare().certificate is None


def random_outcomes(rng: random.Random, M: int) -> list[list[int | None]]:
    return [[1, *(rng.choice((0, 1, 1, None)) for _ in range(2))] for _ in range(M)]


def mean(rows: list[list[Any]]) -> list[Fraction]:
    return [Fraction(sum(known), len(known)) for known in ([x for x in row if x is not None] for row in rows)]


def macro(parts: list[Any]) -> Fraction:
    return sum(sum(x - y for x, y in zip(mean(a), mean(b), strict=True)) / len(a) for a, b in parts) / len(parts)


def least(lead: Fraction, gains: list[Fraction]) -> int:
    """Smallest number of gains that end the lead, by trying all sets of them."""
    sets = ((n, chosen) for n in range(len(gains) + 1) for chosen in combinations(gains, n))
    return next(n for n, chosen in sets if lead - sum(chosen) <= 0)


def test_certificates_agree_with_trying_everything() -> None:
    """Check equally weighted benchmarks against all inversions, new scores and completions of small examples."""
    rng, n_reversible = random.Random(29), 0
    for _ in range(40):
        parts = [(random_outcomes(rng, M), random_outcomes(rng, M)) for M in rng.choices((1, 2, 3), k=2)]
        e = scorio.read({f"x{i}": {"a": a, "b": b} for i, (a, b) in enumerate(parts)}, missing="drop")
        x, mu = certificate(e, "a", "b"), macro(parts)
        assert x is not None
        assert x.mu == float(mu)
        if mu == 0:
            assert (x.inverted_needed, x.rescored_needed, x.missing_needed) == (0, 0, 0)
            continue
        parts = [(b, a) if mu < 0 else (a, b) for a, b in parts]
        weight = [Fraction(1, len(a) * 2) for a, _ in parts for _ in a]
        gaps = [(x - y) for a, b in parts for x, y in zip(mean(a), mean(b), strict=True)]
        assert x.inverted_needed == least(abs(mu), [2 * g * w for g, w in zip(gaps, weight, strict=True)])
        assert x.rescored_needed == least(abs(mu), [(g + 1) * w for g, w in zip(gaps, weight, strict=True)])
        # the row and place of each missing outcome, and the outcome that is best for the lead
        holes = [(row, i, 1 - side) for pair in parts for side, R in enumerate(pair) for row in R for i in (1, 2)
                 if row[i] is None]  # fmt: skip
        if len(holes) > 6:
            continue
        reversals = []
        for scores in product((0, 1), repeat=len(holes)):
            for (row, i, _), score in zip(holes, scores, strict=True):
                row[i] = score
            if macro(parts) <= 0:
                reversals.append(sum(y != best for (_, _, best), y in zip(holes, scores, strict=True)))
        assert (x.missing, x.missing_needed) == (len(holes), min(reversals, default=None))
        n_reversible += bool(reversals)
    assert n_reversible > 3


def test_leaderboards_with_bounds_and_reports_have_certificates() -> None:
    data = {"x": {"a": A, "b": B, "c": B}, "y": {"a": A[:1], "b": B[:1], "c": B[:1]}}
    e = scorio.read(data, missing="bounds")
    board = e.leaderboard()
    sentence = "One wrong answer key could end the lead of a over b. The 3 missing outcomes cannot end that lead"
    assert board.certificate == e.compare("a", "b").certificate
    assert board.to_dict()["sentences"][0].startswith(sentence)
    assert scorio.read(data, missing="drop").leaderboard().certificate is None
    assert scorio.read(data, missing="drop").report().certificate == board.certificate
