"""Max@k, the best of k trials, from the number of trials of each question below each level of reward."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..arithmetic.double_double import ZERO, Table, Triple, add, div, get, mul, put, root
from ..arithmetic.rational import from_fraction, from_ratio, over_common_denominator
from ..metrics import hypergeometric, rewards
from ..metrics.metric import Metric
from ..metrics.rewards import Levels, Stretches
from ..outcomes.counts import Counts
from ..outcomes.states import Array, States, distinct, distinct_rows, states_of
from . import u_statistic, variance
from .degrees_of_freedom import sum_of_squares
from .variance import RANGE, TRIALS


class MaxAtK(u_statistic.Blocks):
    """Estimator of Max@k: u = sum_l gap_l (1 - Z_l), Z_l = C(b_l, k) / C(n, k), b_l trials below level l.

    The gaps between levels are shares of the range of rewards.
    """

    def __init__(self, m: Metric, counts: Counts, use_mixture: bool) -> None:
        self.m, self.counts = m, counts
        self.levels = rewards.read(counts, m.w)  # below: the trials under each reward but the lowest, the levels
        self._steps = steps = _steps(counts, self.levels)
        n, mult, self.which = steps.n, steps.mult, steps.which
        self.u, rest, v = (np.zeros((n.size, 3)) for _ in range(3))
        if len(self.levels.rewards) > 1:
            _fill_tables(m, steps, self.levels.rewards, self.u, rest, v)
        else:
            rest[:, 0] = 1.0
        self.parts = u_statistic.parts_of(m, n, mult, self.u, rest, v, use_mixture)
        put(self.parts.x, RANGE, from_fraction(self.joint_range(self)))
        self._states, self._v = States(n, np.zeros_like(n), mult), v
        if self.parts.short and len(self.levels.rewards) > 1:
            put(self.parts.x, TRIALS, self._bound())

    def _pass_at_k_of_levels(self) -> Iterator[tuple[Metric, States, tuple[variance.Parts, Table, Table]]]:
        """For each level, Pass@k of rewards at or above it: the metric, the states, (variance components, u, v)."""
        metric = self.m._replace(name="pass_at_k")
        for b in self.levels.each_below():
            s = states_of(self.counts.trials, self.counts.trials - b.astype(np.int64))
            yield metric, s, u_statistic.parts_of_states(metric, s, self.parts.use_mixture)

    def _bound(self) -> Triple:
        """Upper bound (sum_l gap_l sqrt(S_l))^2 of the sum of the variances over trials, S_l this sum for level l."""
        total = ZERO
        for gap, (_, _, (p, _, _)) in zip(_gaps(self.levels.rewards), self._pass_at_k_of_levels(), strict=True):
            total = add(total, mul(gap, root(get(p.x, TRIALS))))
        x: Triple = mul(total, total)
        return x

    @cached_property
    def squared_variances(self) -> Triple:
        """The sum of the squared variances; where their sum is a bound, from the level at which it is largest."""
        if not self.parts.short:
            known = u_statistic.known_variances(self.m, self._states, self.parts, self.u, self._v)
            y: Triple = sum_of_squares(known, self._steps.mult)
            return y
        largest, S = ZERO, get(self.parts.x, TRIALS)
        for metric, s, (p, u, v) in self._pass_at_k_of_levels():
            if (T := get(p.x, TRIALS))[0] > 0.0:
                squares = sum_of_squares(u_statistic.known_variances(metric, s, p, u, v), s.mult)
                largest = variance.larger(largest, div(squares, mul(T, T)))
        x: Triple = mul(largest, mul(S, S))
        return x

    def mu(self) -> Triple:
        """Max@k, as eval.max_at_k returns it."""
        return rewards.max_at_k(self.counts, self.levels, self.m.k)

    def exact(self) -> Fraction:
        """Max@k as an exact fraction, from the trials below each level; needs two different rewards."""
        W, unit = over_common_denominator(self.levels.rewards)
        x, d = rewards.exact_max_at_k(self.counts, self.levels, self.m.k, W)
        return Fraction(x, d * unit)

    def exact_difference(self, other: MaxAtK) -> Triple:
        """The difference of two models' Max@k from exact fractions."""
        W, _ = over_common_denominator(self.levels.rewards)
        (x, d), (y, e) = (rewards.exact_max_at_k(z.counts, z.levels, self.m.k, W) for z in (self, other))
        return from_ratio(x * e - y * d, d * e * (W[-1] - W[0]))

    def exact_steps(self) -> Iterator[tuple[int, int, list[tuple[Fraction, int]]]]:
        """For each distinct row: n, how many questions have it, and its (gap, b) from the lowest reward up."""
        W, _ = over_common_denominator(self.levels.rewards)
        s, span = self._steps, max(W[-1] - W[0], 1)
        by_row: list[list[tuple[Fraction, int]]] = [[] for _ in range(s.n.size)]
        for row, low, high, b in zip(*(x.tolist() for x in (s.row, s.low, s.high, s.below)), strict=True):
            by_row[row].append((Fraction(W[high] - W[low], span), b))
        return zip(s.n.tolist(), s.mult.tolist(), by_row, strict=True)


class Steps(NamedTuple):
    """Distinct rows (n, b_1, b_2, ...) of questions; and for each row the gaps between rewards, and b there."""

    n: Array  # the trials of each distinct row, increasing
    mult: Array  # how many questions have the row
    which: Array  # the distinct row of each question
    row: Array  # the distinct row of each gap
    low: Array  # the indices of the rewards at the ends of the gap
    high: Array
    below: Array  # the trials under the gap


def _steps(counts: Counts, levels: Levels | Stretches) -> Steps:
    """The distinct rows of questions; of many rewards each question has a row of its own, with joined gaps."""
    if isinstance(levels, Stretches):
        order = np.argsort(counts.trials, kind="stable")
        which = np.empty_like(order)
        which[order] = np.arange(order.size)
        at = np.argsort(which[levels.question], kind="stable")
        row, low, high, below = (x[at] for x in (which[levels.question], levels.low, levels.high, levels.below))
        return Steps(counts.trials[order], np.ones_like(order), which, row, low, high, below)
    (n, *b), mult, which = distinct_rows([counts.trials, *(x.astype(np.int64) for x in levels.below)])
    row, low = np.repeat(np.arange(n.size), len(b)), np.tile(np.arange(len(b)), n.size)
    below = np.stack(b, axis=1).reshape(-1) if b else n[:0]
    return Steps(n, mult, which, row, low, low + 1, below)


def _gaps(r: list[float]) -> list[Triple]:
    """The gaps between rewards as shares of their range."""
    gaps_of_levels = rewards.gaps(r)
    if not gaps_of_levels:
        return []
    full = rewards.gaps([r[0], r[-1]])[0]
    return [div(gap, full) for gap in gaps_of_levels]


def _fill_tables(m: Metric, x: Steps, r: list[float], u: Table, rest: Table, v: Table) -> None:
    """Fill u, 1 - u and, where every question has 2k trials or more, the trial-to-trial variance of each row."""
    s, at = distinct(x.n[x.row], x.below)
    u_statistic.check_work(m, s, False)
    P, Z, D = (np.zeros((s.n.size, 3)) for _ in range(3))  # the tables of variance.fill_rows()
    hypergeometric.pass_at_k(s.n, s.n - s.c, m.k, P)
    if x.n[0] >= 2 * m.k:
        hypergeometric.fill_two_samples(s.n, s.c, m.k, Z, D)
    else:
        hypergeometric.pass_hat_k(s.n, s.c, m.k, Z)
    variance.fill_rows(x.row, at, x.low, x.high, np.array(r), P, Z, D, u, rest, v)
