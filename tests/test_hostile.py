"""Bounds of error rates and coverage at the worst known settings ("cells"), and the search for worse ones."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from scorio import sinf

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module bench/hostile.py; bench/ is on the path only in a test: its coverage.py hides the package coverage."""
    monkeypatch.setenv("SCORIO_JIT", "0")
    monkeypatch.syspath_prepend(str(BENCH))
    import hostile

    return hostile


def test_a_rule_that_errs_is_above_its_bound(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check a gate that passes with up to one failing question of 125: its error rate is the binomial probability."""

    def by_average(candidate: Any, baseline: Any, **options: Any) -> Any:
        lost = baseline.table[:, 1].sum() - candidate.table[:, 1].sum()
        return SimpleNamespace(verdict="pass" if lost <= 4 else "fail")  # 4 trials: a question

    monkeypatch.setattr(sinf, "gate", by_average)
    (x,) = (x for x in bench.STATEMENTS if x.name == "gate, sampled, whole questions fail")
    worst, *_ = bench.known(x, 1, 10)
    assert worst.error == pytest.approx(binom.cdf(1, 125, 0.02), abs=1e-9)
    assert (worst.runs, worst.error > x.bound, "exact" in worst.row()) == (0, True, True)


def test_the_search_moves_to_a_worse_cell(bench: ModuleType) -> None:
    """Check that the search moves from random cells near to the worst one, and that shares still add up to 1."""

    def measure(cell: dict[str, Any], rng: np.random.Generator, B: int) -> tuple[float, int]:
        return float(np.exp(-((cell["M"] - 40) ** 2) / 2000 - (cell["kinds"][0].share - 0.3) ** 2)), 0

    space = {"kinds": ("any",), "M": tuple(range(1, 101))}
    x = bench.Statement("a hill", 0.05, 0.07, measure, space, ())
    worst = bench.search(x, 0.5, 3, 100)
    assert worst.error > 0.9
    assert sum(kind.share for kind in worst.cell["kinds"]) == pytest.approx(1)


def test_means_of_distributions_agree_with_sampled_rates(bench: ModuleType) -> None:
    """Check that Pass@k of a distribution is the mean over rates sampled from it and over fixed quantiles."""
    from hostile_cells import Kind, fixed_rates, mean_pass_at_k, sampled_rates
    from wrong_estimates import vote

    kinds = (Kind(0.7, 0.1, 3.0), Kind(0.2, 0.9), Kind(0.1, 0.0))
    sampled, _ = sampled_rates(np.random.default_rng(1), kinds, (200_000,))
    quantiles, which = fixed_rates(kinds, 1000)
    for k in (1, 4):
        for p in (sampled, quantiles):
            assert np.mean(1 - (1 - p) ** k) == pytest.approx(mean_pass_at_k(kinds, k), abs=0.003)
    assert np.bincount(which).tolist() == [700, 200, 100]
    assert vote((0.6, 0.4, 0.0), 3) == pytest.approx(0.6**3 + 3 * 0.6**2 * 0.4)


def test_runs_with_the_same_rows_are_evaluated_once(bench: ModuleType) -> None:
    """Check that runs with the same rows are evaluated once, in any order, and that shares count every run."""
    from hostile_cells import share_of

    evaluated = []

    def is_error(rows: np.ndarray) -> bool:
        evaluated.append(rows.tolist())
        return bool(rows[0, 0] == 0)

    runs = np.array([[[0, 2], [1, 2]], [[1, 2], [0, 2]], [[1, 2], [1, 2]]])
    assert share_of(runs, is_error) == pytest.approx(2 / 3)
    assert evaluated == [[[0, 2], [1, 2]], [[1, 2], [1, 2]]]
