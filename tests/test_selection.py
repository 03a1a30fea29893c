"""The first score of a leaderboard of five or more models is the highest of them, and so too high."""

from __future__ import annotations

import numpy as np
import pytest

import scorio


def models(L: int, rates=None, seed: int = 0, N: int = 4):
    """Evaluation of L models on 100 questions, equally good unless there are rates."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.6, 0.5, 100)[:, None] if rates is None else None
    return scorio.read(
        {f"m{i}": (rng.random((100, N)) < (p if rates is None else rates[i])).astype(int) for i in range(L)}
    )


def test_the_first_of_five_or_more_is_said_to_be_selected() -> None:
    x = models(6).leaderboard()
    text = " ".join(str(x).split())
    assert "The first score is the highest of 6: if these models were equally good, it would be too high by" in text
    assert f"{x.table[0].shrunken:.3f}".removeprefix("0") in text
    d = x.to_dict()
    assert d["selection_bias"] == x.selection_bias > 0.0
    assert [row["shrunken"] for row in d["rows"]] == [row.shrunken for row in x.table]
    four = models(4).leaderboard()
    assert "is the highest of" not in str(four)
    assert four.selection_bias is None
    assert "shrunken" not in four.to_dict()["rows"][0]


@pytest.mark.slow
def test_the_bias_of_equal_models_is_that_of_the_first_score() -> None:
    for L, questions in ((5, "fixed"), (20, "fixed"), (20, "sampled")):
        runs = []
        for seed in range(20):
            x = models(L, rates=[0.5] * L, seed=seed, N=2).leaderboard(questions=questions, k=1)
            runs.append((x.table[0].average.mu - 0.5, x.selection_bias, abs(x.table[0].shrunken - 0.5)))
        too_high, bias, left = np.mean(runs, axis=0)
        assert bias == pytest.approx(too_high, abs=0.012)
        assert left < 0.7 * too_high


def test_scores_that_are_far_apart_are_hardly_shrunken() -> None:
    x = models(5, rates=[0.9, 0.7, 0.5, 0.3, 0.1]).leaderboard()
    assert max(abs(row.shrunken - row.average.mu) for row in x.table) < 0.005
    equal = scorio.read({f"m{i}": [[0, 1], [1, 0], [1, 1]] for i in range(5)}).leaderboard()
    assert {row.shrunken for row in equal.table} == {row.average.mu for row in equal.table}


def test_the_report_has_a_column_of_shrunken_scores_and_bounds_have_none() -> None:
    assert "shrunken" in models(5).report(replicates=20).to_html()
    assert "shrunken" not in models(4).report(replicates=20).to_html()
    missing = scorio.read({f"m{i}": [[0, 1], [1, None], [1, 1]] for i in range(5)}, missing="bounds")
    assert missing.leaderboard().selection_bias is None
