"""Trials that are one answer repeated, as at temperature 0 or from a cache, are reported; independent ones rarely."""

from __future__ import annotations

import numpy as np
import pytest

import scorio
from scorio import Counts
from scorio.analysis.runs import FALSE_ALARMS, WITHIN, varying_questions

NOTE = "are probably one answer repeated (temperature 0, a cache): they differ on 0 of 120 questions."


@pytest.fixture
def cached():
    """Evaluation of two models with the same outcome in all four trials of a question."""
    right = np.random.default_rng(0).random((2, 60, 1)) < 0.6
    return scorio.read({m: np.repeat(x, 4, 1).astype(int) for m, x in zip("ab", right, strict=True)})


def test_results_on_these_questions_say_that_trials_are_one_answer_repeated(cached) -> None:
    for result in (cached.leaderboard(), cached.compare(), cached.plan(), cached.metrics(), cached.changes("a", "b"),
                   cached.gate("a", "b", margin=0.02)):  # fmt: skip
        text = " ".join(str(result).split())
        assert f"The trials of {' and '.join(result.about.models)} {NOTE}" in text
        assert "(95% intervals covered in 9% to 21%), those on similar ones (--questions sampled) are not." in text
    assert any(NOTE in note for note in cached.leaderboard().to_dict()["notes"])


def test_results_on_similar_questions_do_not(cached) -> None:
    assert NOTE not in " ".join(str(cached.leaderboard(questions="sampled")).split())


def test_the_benchmark_is_named_and_other_models_are_not() -> None:
    rng = np.random.default_rng(1)
    fresh, same = rng.integers(0, 2, (60, 4)), np.repeat(rng.integers(0, 2, (60, 1)), 4, 1)
    e = scorio.read({"x": {"a": fresh, "b": same}, "y": {"a": fresh, "b": fresh}})
    assert dict(e.leaderboard().about.gaps.repeated) == {"b in x": (0, 60)}


def test_few_questions_that_vary_are_too_few_where_trials_can_show_it() -> None:
    def found(varying: int, M: int) -> bool:
        successes = [2] * varying + [4] * ((M - varying) // 2) + [0] * (M - varying - (M - varying) // 2)
        return varying_questions(Counts.from_successes(successes, [4] * M), None) is not None

    assert [found(x, 100) for x in (0, 5, 9, 20)] == [True, True, False, False]
    assert not found(0, 10)  # ten questions of which none varies prove nothing
    assert varying_questions(Counts([[0, 4]] * 100), None) is None  # all are solved
    assert varying_questions(Counts([[1, 0], [0, 1]] * 100), None) is None  # single trials


def test_scores_count_by_their_variance_on_the_scale() -> None:
    grades = Counts([[0, 4, 0], [0, 0, 4]] * 30)
    assert varying_questions(grades, (0.0, 0.5, 1.0)) is None  # a quarter of the variance of 0 and 1
    assert varying_questions(grades, (0.0, 0.0, 1.0)) == (0, 60)


@pytest.mark.parametrize("n", [2, 4])
def test_independent_trials_are_rarely_reported(n) -> None:
    """Check the rate of false alarms where the share WITHIN of the variance is within questions."""
    rng, runs = np.random.default_rng(n), 3000
    size = 1.0 / (1.0 - WITHIN) - 1.0
    alarms = 0
    for successes in rng.binomial(n, rng.beta(size / 2, size / 2, (runs, 100))):
        alarms += varying_questions(Counts.from_successes(successes, np.full(100, n)), None) is not None
    assert alarms / runs <= FALSE_ALARMS + 0.005
