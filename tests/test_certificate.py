"""What the order of two models survives, as logs and pages say it; the numbers are in spec/."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

import scorio
from scorio.analysis.compare import Comparison

A, B = [[1, 1, 1, 1], [1, 1, 1, None], [1, 1, 0]], [[1, 1, 0, 0], [1, 0, 1, 0], [1, None, 0, 0]]


def compared(a: Any, b: Any, missing: str | int = "drop", **more: Any) -> Comparison:
    return scorio.read({"a": a, "b": b}, missing=missing, **more).compare()


@pytest.mark.parametrize(
    ("a", "b", "missing", "said"),
    [
        ([[1]] * 8, [[0]] * 8, "raise", "The lead of a over b survives any 3 wrong answer keys."),
        ([[0]] * 8, [[1]] * 8, "raise", "The lead of b over a survives any 3 wrong answer keys."),
        ([[1, 0]] * 9, [[0, 0]] * 9, "raise", "survives any 2 wrong answer keys, and any 4 if answers are yes or no."),
        ([[1, 0]] * 3, [[0, 0]] * 3, "raise", "One wrong answer key could end the lead of a over b; it takes 2 if"),
        ([[1], [0]], [[0], [0]], "raise", "One wrong answer key could end the lead of a over b."),
        ([[1, None]] * 4, [[0, 0]] * 4, "drop", "It survives 4 missing outcomes, whatever they are."),
        ([[1, None]] * 4, [[0, 1]] * 4, "drop", "Of 4 missing outcomes, 4 going against it, with all others for it,"),
    ],
)
def test_sentences(a: Any, b: Any, missing: str, said: str) -> None:
    text = str(compared(a, b, missing)).replace("\n", " ")
    assert said in text, text


def test_short_questions_of_a_log_lack_trials() -> None:
    """A log has outcomes missing where a question has fewer trials; what was counted as a category is not missing."""
    found = compared(A, B).certificate
    assert found is not None
    assert (found.missing, found.missing_needed) == (2, None)
    table = {"question": [1, 1, 1, 2, 1, 1, 2, 2], "model": list("aaaabbbb"), "outcome": [1, 1, 1, 1, 0, 1, 1, 0]}
    rows = "model,question,outcome\n" + "".join(f"{m},{q},{x}\n" for q, m, x in zip(*table.values(), strict=True))
    short = scorio.read(BytesIO(rows.encode()), missing="drop").compare().certificate
    filled = scorio.read(BytesIO(rows.encode()), missing=0).compare().certificate
    assert short is not None
    assert filled is not None
    assert short.missing == 2  # question 2 of a has one trial, question 1 three
    assert filled.missing == 0


def test_none_where_there_is_no_order() -> None:
    """Equal averages have no lead; several benchmarks no certificate."""
    assert "lead" not in str(compared([[1, 0]], [[0, 1]], "raise"))
    e = scorio.read({"x": {"a": A[:2], "b": B[:2]}, "y": {"a": A[:2], "b": B[:2]}}, missing="drop")
    assert e.compare().certificate is None
