"""Distinct rewards (levels) of graded outcomes, and each question's trials at or below them, for Max@k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic import double_double
from ..arithmetic.double_double import Triple
from ..arithmetic.rational import Ratio, from_ratio, over_common_denominator
from ..outcomes.counts import Counts
from ..outcomes.states import States, joint_states, states_of
from . import hypergeometric

CANCELLED = 2.0**-40  # a sum below this share of the largest |reward| is computed again in exact fractions


class Levels(NamedTuple):
    """The distinct rewards, increasing; and for each but the last, the trials and categories at or below it."""

    rewards: list[float]
    below: list[npt.NDArray[Any]]  # number of trials of each question
    sizes: list[int]  # number of categories at or below each of these rewards


def read(counts: Counts, w: Sequence[float]) -> Levels:
    """The levels of w, with each question's trials at or below them, in a type that is wide enough for the numbers."""
    rewards, C = sorted(set(w)), counts.C
    max_trials = int(counts.trials[0]) if counts.uniform else int(counts.trials.max())
    # len(w): the caller may add one trial of each category, as a prior
    dtype: Any = np.promote_types(counts._narrow.dtype, np.min_scalar_type(max_trials + len(w)))
    if dtype.kind == "f":  # NumPy promotes int64 and uint64 to floats
        dtype = np.int64
    narrow, N = counts._narrow, max_trials if counts.uniform else counts.trials
    below, sizes = [], []
    for r in rewards[:-1]:
        included = [x <= r for x in w[: C + 1]]
        total = np.full(counts.M, N if included[0] else 0, dtype)
        for j in range(1, C + 1):
            if included[j] != included[0]:
                total = total - narrow[:, j - 1] if included[0] else total + narrow[:, j - 1]
        below.append(total)
        sizes.append(sum(x <= r for x in w))
    return Levels(rewards, below, sizes)


def states(counts: Counts, below: Sequence[npt.NDArray[Any]]) -> list[States]:
    """Distinct (trials, trials at or below the level) for each level, and the number of questions with each."""
    if not counts.uniform:
        return [states_of(counts.trials, b.astype(np.int64)) for b in below]
    n = int(counts.trials[0])
    return [States(np.full(s.n.size, n), s.c, s.mult) for s in (joint_states(b, b, n + 1) for b in below)]


def gaps(rewards: Sequence[float]) -> list[Triple]:
    """The difference between each reward and the one before."""
    return [double_double.sub(double_double.ext(high), double_double.ext(low)) for low, high in pairwise(rewards)]


def sum_over_gaps(rewards: Sequence[float], means: Sequence[Triple], exact: Callable[[list[int]], Ratio]) -> Triple:
    """The sum r_1 + sum_l (r_{l+1} - r_l) means[l]; computed by exact(rewards as integers) if its terms cancel."""
    total: Triple = double_double.ext(rewards[0])
    for gap, mean in zip(gaps(rewards), means, strict=True):
        total = double_double.add(total, double_double.mul(gap, mean))
    if rewards[0] < 0.0 and abs(double_double.value(total)) < CANCELLED * max(map(abs, rewards)):
        W, D = over_common_denominator(rewards)
        num, den = exact(W)
        total = from_ratio(num, den * D)
    return total


def max_at_k(counts: Counts, levels: Levels, k: int) -> Triple:
    """Max@k: the mean over questions of the expected highest reward of k trials."""
    by_level, means = states(counts, levels.below), []
    for s in by_level:
        out = np.empty((s.n.size, 3))
        hypergeometric.pass_at_k(s.n, s.n - s.c, k, out)
        means.append(double_double.mean(out, s.mult, counts.M))
    return sum_over_gaps(levels.rewards, means, lambda W: hypergeometric.exact_max(W, by_level, k, 0))
