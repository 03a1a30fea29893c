"""Distinct rewards (levels) of graded outcomes, and each question's trials at or below them, for Max@k."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic import double_double
from ..arithmetic.double_double import Ratio, Triple, from_ratio, over_common_denominator, total
from ..outcomes.counts import Counts
from ..outcomes.states import MAX_DENSE, Array, States, distinct_rows, joint_states, states_of
from . import hypergeometric

CANCELLED = 2.0**-40  # a sum below this share of the largest |reward| is computed again in exact fractions


class Levels(NamedTuple):
    """The distinct rewards, increasing; and for each but the last, the trials and categories at or below it."""

    rewards: list[float]
    below: list[npt.NDArray[Any]]  # number of trials of each question
    sizes: list[int]  # number of categories at or below each of these rewards

    def each_below(self) -> Iterator[npt.NDArray[Any]]:
        """For each reward but the last, the number of trials of each question at or below it."""
        return iter(self.below)


class Stretches(NamedTuple):
    """The distinct rewards, increasing, of which each question has few; and between which it has no other.

    A stretch belongs to a question: `below` of its trials are at or below each of the rewards low..high-1. Stretches
    are ordered by question, then by reward, and cover all rewards but the last.
    """

    rewards: list[float]
    question: Array
    n: Array  # the trials of the question
    low: Array
    high: Array
    below: Array
    sizes: list[int]  # number of categories at or below each reward

    def each_below(self) -> Iterator[npt.NDArray[Any]]:
        """For each reward but the last, the number of trials of each question at or below it."""
        order = np.argsort(self.low, kind="stable")
        ends = np.searchsorted(self.low[order], np.arange(len(self.rewards)))
        below = np.zeros(int(self.question[-1]) + 1, np.int64)
        for start, stop in pairwise(ends.tolist()):
            below[self.question[order[start:stop]]] = self.below[order[start:stop]]
            yield below.copy()

    def gaps_by_state(self, W: Sequence[int]) -> tuple[Array, Array, list[int]]:
        """Distinct (trials, trials at or below), increasing, and the sums of the gaps with each; W: the rewards."""
        w = _integers(W)
        sums = [(n, b, sum((w[self.high[at]] - w[self.low[at]]).tolist())) for n, b, at in self.by_state()]
        return np.array([n for n, _, _ in sums]), np.array([b for _, b, _ in sums]), [gap for _, _, gap in sums]

    def by_state(self) -> Iterator[tuple[int, int, Array]]:
        """Each pair (trials, trials at or below), increasing, and the indices of its stretches."""
        (n, below), mult, index = distinct_rows([self.n, self.below])
        order = np.argsort(index, kind="stable")
        return zip(n.tolist(), below.tolist(), np.split(order, np.cumsum(mult)[:-1]), strict=True)


def read(counts: Counts, w: Sequence[float]) -> Levels | Stretches:
    """The levels of w, with each question's trials at or below them, in a type that is wide enough for the numbers."""
    rewards, C = sorted(set(w)), counts.C
    if len(rewards) == 1:
        return Levels(rewards, [], [])
    if C > MAX_DENSE:
        return _stretches(counts, w, rewards)
    max_trials = int(counts.trials[0]) if counts.uniform else int(counts.trials.max())
    # len(w): the caller may add one trial of each category, as a prior
    dtype: Any = np.promote_types(counts._narrow.dtype, np.min_scalar_type(max_trials + len(w)))
    if dtype.kind == "f":  # NumPy promotes int64 and uint64 to floats
        dtype = np.int64
    narrow, N = counts._narrow, max_trials if counts.uniform else counts.trials
    below, sizes = [], []
    for r in rewards[:-1]:
        included = [x <= r for x in w[: C + 1]]
        at_or_below = np.full(counts.M, N if included[0] else 0, dtype)
        for j in range(1, C + 1):
            if included[j] != included[0]:
                n_j = narrow[:, j - 1]
                at_or_below = at_or_below - n_j if included[0] else at_or_below + n_j
        below.append(at_or_below)
        sizes.append(sum(x <= r for x in w))
    return Levels(rewards, below, sizes)


def _stretches(counts: Counts, w: Sequence[float], rewards: list[float]) -> Stretches:
    """The stretches of the rewards w."""
    level = np.searchsorted(np.array(rewards), np.array(w))  # of each category
    cells, M, last = counts.cells, counts.M, len(rewards) - 1
    question, low = cells.question, level[cells.category]
    order = np.lexsort((low, question))  # rewards need not increase with the category
    low, times = low[order], cells.times[order]
    sums = np.cumsum(times)  # may wrap around; differences do not
    below = sums - np.repeat(sums[cells.start[:-1]] - times[cells.start[:-1]], np.diff(cells.start))
    # each question begins with a stretch from the lowest reward of all
    first = cells.start[:-1]
    question = np.insert(question, first, np.arange(M))
    low, below = (np.insert(x, first, 0) for x in (low, below))
    high = np.append(low[1:], last)
    high[np.append(question[1:] != question[:-1], True)] = last
    keep = low < high
    sizes = np.cumsum(np.bincount(level)).tolist()
    question, low, high, below = question[keep], low[keep], high[keep], below[keep]
    return Stretches(rewards, question, counts.trials[question], low, high, below, sizes)


def _integers(W: Sequence[int]) -> npt.NDArray[Any]:
    """An array of Python's integers."""
    out = np.empty(len(W), object)
    out[:] = W
    return out


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
    x: Triple = double_double.ext(rewards[0])
    for gap, mean in zip(gaps(rewards), means, strict=True):
        x = double_double.add(x, double_double.mul(gap, mean))
    return unless_cancelled(x, rewards, exact)


def unless_cancelled(x: Triple, rewards: Sequence[float], exact: Callable[[list[int]], Ratio]) -> Triple:
    """A sum of the lowest reward and positive terms; computed by exact(rewards as integers) if these cancel."""
    if rewards[0] < 0.0 and abs(double_double.value(x)) < CANCELLED * max(map(abs, rewards)):
        W, D = over_common_denominator(rewards)
        num, den = exact(W)
        x = from_ratio(num, den * D)
    return x


def exact_max_at_k(counts: Counts, levels: Levels | Stretches, k: int, W: list[int]) -> Ratio:
    """Max@k as a fraction, from the rewards as integers."""
    if isinstance(levels, Levels):
        return hypergeometric.exact_max(W, states(counts, levels.below), k, 0)
    n, below, gap_sums = levels.gaps_by_state(W)
    by_state = zip(n.tolist(), below.tolist(), gap_sums, strict=True)
    num, den = total([(gap * (comb(n, k) - comb(b, k)), comb(n, k)) for n, b, gap in by_state])
    return num + W[0] * counts.M * den, den * counts.M


def exact_dirichlet_max(levels: Stretches, prior: int, k: int, M: int, W: list[int]) -> Ratio:
    """The posterior mean of Max@k as a fraction; prior: the number of categories; W: the rewards as integers."""
    gaps = np.diff(_integers(W))
    terms = [(W[0] * M, 1)]
    for n, below, at in levels.by_state():
        T, ends = n + prior, np.zeros(len(W), np.int64)
        np.add.at(ends, levels.low[at], 1)
        np.add.at(ends, levels.high[at], -1)
        mult = np.cumsum(ends)
        (occurring,) = np.nonzero(mult)
        whole = comb(T + k - 1, k)
        each = zip(occurring.tolist(), (gaps[occurring] * mult[occurring]).tolist(), strict=True)
        terms.append((sum(x * (whole - comb(levels.sizes[l] + below + k - 1, k)) for l, x in each), whole))
    num, den = total(terms)
    return num, den * M


def max_at_k(counts: Counts, levels: Levels | Stretches, k: int) -> Triple:
    """Max@k: the mean over questions of the expected highest reward of k trials."""
    if isinstance(levels, Stretches):
        return _max_of_stretches(counts, levels, k)
    by_level, means = states(counts, levels.below), []
    for s in by_level:
        out = np.empty((s.n.size, 3))
        hypergeometric.pass_at_k(s.n, s.n - s.c, k, out)
        means.append(double_double.mean(out, s.mult, counts.M))
    return sum_over_gaps(levels.rewards, means, lambda W: hypergeometric.exact_max(W, by_level, k, 0))


def _max_of_stretches(counts: Counts, levels: Stretches, k: int) -> Triple:
    """Max@k from the exact sums of the gaps of each state."""
    W, D = over_common_denominator(levels.rewards)
    n, below, gap_sums = levels.gaps_by_state(W)
    out, sum_of_gaps = np.empty((n.size, 3)), double_double.ZERO
    hypergeometric.pass_at_k(n, n - below, k, out)
    for gap, p in zip(gap_sums, out.tolist(), strict=True):
        sum_of_gaps = double_double.add(sum_of_gaps, double_double.mul(from_ratio(gap, D), tuple(p)))
    mean = double_double.div(sum_of_gaps, double_double.ext(float(counts.M)))
    mu = double_double.add(double_double.ext(levels.rewards[0]), mean)
    return unless_cancelled(mu, levels.rewards, lambda W: exact_max_at_k(counts, levels, k, W))
