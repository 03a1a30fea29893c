"""Distinct rewards of graded outcomes, and each question's trials at or below them, for Max@k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic import double_double
from ..arithmetic.double_double import Triple
from ..arithmetic.rational import Ratio, from_ratio, whole
from ..outcomes.counts import Counts
from ..outcomes.states import States, joint_states, states_of
from . import hypergeometric

CANCELLED = 2.0**-40  # a sum below this share of its terms is computed again in exact fractions


class Levels(NamedTuple):
    """Distinct rewards, increasing, and for all but the last the trials at or below it."""

    rewards: list[float]
    below: list[npt.NDArray[Any]]  # number of trials of each question
    sizes: list[int]  # number of categories at or below each of these rewards


def read(counts: Counts, w: Sequence[float]) -> Levels:
    """The levels of w and the trials at or below them, in the narrowest type that holds these."""
    rewards, C = sorted(set(w)), counts.C
    most = int(counts.trials[0]) if counts.uniform else int(counts.trials.max())
    kind: Any = np.promote_types(counts._narrow.dtype, np.min_scalar_type(most + len(w)))
    if kind.kind == "f":  # NumPy promotes int64 and uint64 to floats
        kind = np.int64
    narrow, N = counts._narrow, most if counts.uniform else counts.trials
    below, sizes = [], []
    for r in rewards[:-1]:
        inside = [x <= r for x in w[: C + 1]]
        total = np.full(counts.M, N if inside[0] else 0, kind)
        for j in range(1, C + 1):
            if inside[j] != inside[0]:
                total = total - narrow[:, j - 1] if inside[0] else total + narrow[:, j - 1]
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


def above_lowest(rewards: Sequence[float], means: Sequence[Triple], exact: Callable[[list[int]], Ratio]) -> Triple:
    """The sum r_1 + sum_l (r_{l+1} - r_l) means[l], redone exactly where its terms cancel."""
    total: Triple = double_double.ext(rewards[0])
    for gap, mean in zip(gaps(rewards), means, strict=True):
        total = double_double.add(total, double_double.mul(gap, mean))
    if rewards[0] < 0.0 and abs(double_double.value(total)) < CANCELLED * max(map(abs, rewards)):
        W, D = whole(rewards)
        num, den = exact(W)
        total = from_ratio(num, den * D)
    return total


def best(counts: Counts, levels: Levels, k: int) -> Triple:
    """Max@k: the mean over questions of the expected highest reward of k trials."""
    at, means = states(counts, levels.below), []
    for s in at:
        out = np.empty((s.n.size, 3))
        hypergeometric.pass_at_k(s.n, s.n - s.c, k, out)
        means.append(double_double.mean(out, s.mult, counts.M))
    return above_lowest(levels.rewards, means, lambda W: hypergeometric.exact_max(W, at, k, 0))
