"""Checks that need counts: enough trials, and where the questions were drawn from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import integer
from ..errors import InvalidInput, shown
from .counts import Counts


def population(pool: Any, clusters: Any, sampled: bool, counts: Counts) -> tuple[int | None, Any]:
    """Where the questions were drawn from: (pool, clusters), at most one of them, both None for fixed questions."""
    for name, x in (("pool", pool), ("clusters", clusters)):
        if x is not None and not sampled:
            raise InvalidInput("conflict", name, f'{name} says how questions were drawn: it needs questions="sampled"')
    if pool is not None and clusters is not None:
        raise InvalidInput("conflict", "pool", "pool and clusters cannot be given together")
    if pool is not None:
        pool = integer(pool, "pool", 1)
        if pool < (M := int(np.count_nonzero(counts.trials))):
            raise InvalidInput("range", "pool", f"pool = {shown(pool)} is below the {M} questions drawn from it")
    if clusters is not None:
        clusters = _labels(clusters, counts.M)
    return pool, clusters


def _labels(clusters: Any, M: int) -> Any:
    """Which cluster each question is of, numbered from 0 as they come."""
    try:
        labels = None if isinstance(clusters, (str, bytes, dict, set)) else list(clusters)
    except TypeError:
        labels = None
    if labels is None:
        raise InvalidInput("type", "clusters", f"clusters must be a sequence of labels, not {shown(clusters)}")
    if len(labels) != M:
        raise InvalidInput("length", "clusters", f"clusters has {len(labels)} labels for {M} questions")
    for i, x in enumerate(labels):
        if isinstance(x, (bool, np.bool_)) or not isinstance(x, (str, int, np.integer)):
            raise InvalidInput("type", "clusters", f"clusters[{i}] = {shown(x)} is neither text nor an integer")
    codes: dict[str | int, int] = {}
    return np.array([codes.setdefault(x, len(codes)) for x in labels])


def trials_at_least(counts: Counts, k: int) -> None:
    """Drawing k trials without replacement needs k of them, in every question."""
    if k > counts.fewest:
        i = int(counts.trials.argmin())
        raise InvalidInput("range", "k", f"k = {k} is above the {counts.fewest} trials of question {i}")


def no_empty(counts: Counts) -> Counts:
    """Every question has a trial."""
    if counts.fewest == 0:
        i = counts.empty[0]
        raise InvalidInput("no_trials", "R", f"question {i} has no trial: leave it out with counts.select(...)")
    return counts
