"""How long a metric takes beside NumPy's sum of the same matrix: `pytest bench`. Nothing timed is asserted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scorio import eval

SIZES = {"30x80": (30, 80), "20000x64": (20_000, 64)}


def matrix(M: int, N: int, C: int = 1) -> np.ndarray:
    """An integer recipe: no random generator, the same matrix everywhere."""
    i, j = np.arange(M, dtype=np.int64)[:, None], np.arange(N, dtype=np.int64)[None, :]
    h = ((i + 1) * 48271 + (j + 1) * 16807 + (i + 1) * (j + 1) * 39373) % 2147483647 * 48271 % 2147483647
    return (h % (C + 1)).astype(np.int8)


METRICS: dict[str, Callable[[np.ndarray], Any]] = {
    "numpy sum": lambda R: R.sum(axis=1),
    "bayes": eval.bayes,
    "mean_ci": lambda R: eval.mean_ci(R, questions="fixed"),
    "pass_at_k": lambda R: eval.pass_at_k(R, 8),
    "pass_at_k_ci": lambda R: eval.pass_at_k_ci(R, 8),
    "maj_at_k_ci": lambda R: eval.maj_at_k_ci(R, 8),
    "auc_at_k_ci": lambda R: eval.auc_at_k_ci(R, 8),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("metric", METRICS)
def test_binary(benchmark: Any, metric: str, size: str) -> None:
    """One metric, warm."""
    benchmark.group = size
    benchmark(METRICS[metric], matrix(*SIZES[size]))


@pytest.mark.parametrize("metric", ["bayes", "max_at_k", "max_at_k_ci"])
def test_five_categories(benchmark: Any, metric: str) -> None:
    """Graded outcomes."""
    w = [0.0, 0.25, 0.5, 0.75, 1.0]
    f = {
        "bayes": lambda R: eval.bayes(R, w),
        "max_at_k": lambda R: eval.max_at_k(R, 8, w),
        "max_at_k_ci": lambda R: eval.max_at_k_ci(R, 8, w),
    }[metric]
    benchmark.group = "20000x64, 5 categories"
    benchmark(f, matrix(20_000, 64, 4))
