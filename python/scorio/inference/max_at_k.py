"""Max@k, the best of k trials, from the number of trials of each question below each level of reward."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..arithmetic.double_double import ZERO, Table, Triple, add, div, get, mul, put, root
from ..arithmetic.rational import from_ratio, over_common_denominator
from ..metrics import hypergeometric, rewards
from ..metrics.metric import Metric
from ..outcomes.counts import Counts
from ..outcomes.states import Array, States, distinct, distinct_rows, states_of
from . import u_statistic, variance
from .estimator import Mean
from .third_moment import ThirdMoment, bound_of_moment
from .variance import TRIALS


class MaxAtK(u_statistic.Blocks):
    """Estimator of Max@k: u = sum_l gap_l (1 - Z_l), Z_l = C(b_l, k) / C(n, k), b_l trials below level l.

    The gaps between levels are shares of the range of rewards.
    """

    def __init__(self, m: Metric, counts: Counts, use_mixture: bool) -> None:
        self.m, self.counts = m, counts
        self.levels = rewards.read(counts, m.w)  # below: the trials under each reward but the lowest, the levels
        # rows: n, then b_l of each level, of the distinct rows (n, b_1, b_2, ...) of questions
        self.rows, self.mult, self._which = distinct_rows(
            [counts.trials, *(b.astype(np.int64) for b in self.levels.below)]
        )
        n, *b = self.rows
        mult = self.mult
        self.u, rest, v = (np.zeros((n.size, 3)) for _ in range(3))
        self.gaps = np.array(_gaps(self.levels.rewards)).reshape(-1, 3)
        if b:
            _fill_tables(m, n, b, self.gaps, self.u, rest, v)
        else:
            rest[:, 0] = 1.0
        self.parts = u_statistic.parts_of(m, n, mult, self.u, rest, v, use_mixture)
        self._states, self._v = States(n, np.zeros_like(n), mult), v
        if self.parts.short and b:
            put(self.parts.x, TRIALS, self._bound())

    def _pass_at_k_of_levels(self) -> Iterator[tuple[Metric, States, tuple[variance.Parts, Table, Table]]]:
        """For each level, Pass@k of rewards at or above it: the metric, the states, (variance components, u, v)."""
        metric = self.m._replace(name="pass_at_k")
        for b in self.levels.below:
            s = states_of(self.counts.trials, self.counts.trials - b.astype(np.int64))
            yield metric, s, u_statistic.parts_of_states(metric, s, self.parts.use_mixture)

    def _bound(self) -> Triple:
        """Upper bound (sum_l gap_l sqrt(S_l))^2 of the sum of the variances over trials, S_l this sum for level l."""
        total = ZERO
        for gap, (_, _, (p, _, _)) in zip(self.gaps.tolist(), self._pass_at_k_of_levels(), strict=True):
            total = add(total, mul(tuple(gap), root(get(p.x, TRIALS))))
        x: Triple = mul(total, total)
        return x

    @cached_property
    def _as_mean(self) -> Mean | None:
        return Mean(self.m, self.counts, self.parts.use_mixture) if self.m.k == 1 and not self.parts.short else None

    @cached_property
    def _errors(self) -> u_statistic.Errors:
        return u_statistic.errors(self.m, self._states, self.parts, self.u, self._v)

    @cached_property
    def _trials_error(self) -> Triple:
        if self._as_mean:
            return self._as_mean.trials_error()
        if not self.parts.short:
            return u_statistic.error_of_states(self._errors, self.mult, self.parts)
        largest, S = ZERO, get(self.parts.x, TRIALS)
        for metric, s, (p, u, v) in self._pass_at_k_of_levels():
            if (T := get(p.x, TRIALS))[0] > 0.0:
                E = u_statistic.error_of_states(u_statistic.errors(metric, s, p, u, v), s.mult, p)
                largest = variance.larger(largest, div(E, mul(T, T)))
        x: Triple = mul(largest, mul(S, S))
        return x

    def trials_error(self) -> Triple:
        """Variance of the summed variances; if the sum is a bound, from the level of the largest relative variance."""
        return self._trials_error

    def third_moment_of_trials(self) -> ThirdMoment:
        """A bound of the third moment over the trials; for k = 1 and two trials or more the moment of the mean."""
        if self._as_mean:
            return self._as_mean.third_moment_of_trials()
        if not self.parts.short:
            return u_statistic.third_moment(self.m, self._states, self._errors)
        bound = bound_of_moment(get(self.parts.x, TRIALS), ZERO, int(self._states.n[0]), self.m.k)
        return ThirdMoment(bound=bound)

    @property
    def which(self) -> Array:
        """The index of each question's distinct row."""
        return self._which

    def mu(self) -> Triple:
        """Max@k, as eval.max_at_k returns it."""
        return rewards.max_at_k(self.counts, self.levels, self.m.k)

    def exact(self) -> Fraction:
        """Max@k as an exact fraction, from the trials below each level; needs two different rewards."""
        W, unit = over_common_denominator(self.levels.rewards)
        x, d = hypergeometric.exact_max(W, rewards.states(self.counts, self.levels.below), self.m.k, 0)
        return Fraction(x, d * unit)

    def exact_difference(self, other: MaxAtK) -> Triple:
        """The difference of two models' Max@k from exact fractions; 0 at once if both have the same states."""
        a, b = (rewards.states(x.counts, x.levels.below) for x in (self, other))
        same = all(np.array_equal(x, y) for s, t in zip(a, b, strict=True) for x, y in zip(s, t, strict=True))
        if same:
            return ZERO
        W, _ = over_common_denominator(self.levels.rewards)
        (x, d), (y, e) = (hypergeometric.exact_max(W, s, self.m.k, 0) for s in (a, b))
        return from_ratio(x * e - y * d, d * e * (W[-1] - W[0]))


def _gaps(r: list[float]) -> list[Triple]:
    """The gaps between rewards as shares of their range."""
    gaps_of_levels = rewards.gaps(r)
    if not gaps_of_levels:
        return []
    full = rewards.gaps([r[0], r[-1]])[0]
    return [div(gap, full) for gap in gaps_of_levels]


def _fill_tables(m: Metric, n: Array, b: list[Array], gaps: Table, u: Table, rest: Table, v: Table) -> None:
    """Fill u, 1 - u and, where every question has 2k trials or more, the trial-to-trial variance of each row."""
    s, index = distinct(np.tile(n, len(b)), np.concatenate(b))
    at = np.ascontiguousarray(index.reshape(len(b), n.size).T)
    P, Z, D = (np.zeros((s.n.size, 3)) for _ in range(3))  # the tables of variance.fill_rows()
    hypergeometric.pass_at_k(s.n, s.n - s.c, m.k, P)
    if n[0] >= 2 * m.k:
        hypergeometric.fill_two_samples(s.n, s.c, m.k, Z, D)
    else:
        hypergeometric.pass_hat_k(s.n, s.c, m.k, Z)
    variance.fill_rows(at, P, Z, D, gaps, u, rest, v)
