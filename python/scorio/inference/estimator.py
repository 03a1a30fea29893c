"""Estimators of a metric of one model: the base class, the average score, and U-statistics of blocks of k trials."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arithmetic.double_double import ZERO, Ratio, Table, Triple, from_fraction, from_ratio, get, sub, total
from ..errors import InvalidInput
from ..metrics import hypergeometric
from ..metrics.metric import Metric, exact_credits, exact_value, lost_values, metric_weights, steepest, values
from ..outcomes.counts import Counts
from ..outcomes.states import Array, States, joint_states
from . import mean, rate_mixture, variance
from .degrees_of_freedom import df_of_interval, has_normal_interval, sum_of_squares
from .variance import THETA, Parts


class Estimator:
    """A metric of one model, from M questions with k trials or more; every question has a value u in 0..1.

    theta is the mean of u, the metric on the scale 0..1. Questions with equal outcomes share a state, and so their u.
    """

    m: Metric
    counts: Counts
    parts: Parts
    _joint: tuple[Any, States] | None = None

    def mu(self) -> Triple:
        """The metric, in units of w."""
        raise NotImplementedError

    def exact(self) -> Fraction:
        """The metric in units of w, exactly, for differences in which rounded values would cancel."""
        raise NotImplementedError

    def difference(self, other: Any) -> Triple:
        """The difference D of both metrics on the scale 0..1; 0 only if they are equal."""
        raise NotImplementedError

    def values(self) -> tuple[Table, Array]:
        """The value u of each distinct state, and the state of each question."""
        raise NotImplementedError

    def squares(self, other: Any, D: Triple) -> Triple:
        """Sum over questions of the squares of u - v - D, v the value u of the other model."""
        raise NotImplementedError

    def cubes(self, other: Any, D: Triple) -> tuple[Triple, Triple]:
        """Sums over questions of the powers 3 and 6 of u - v - D, v the value u of the other model."""
        (u, _), (v, _), s = self.values(), other.values(), self.joint_states(other)
        return variance.joint_cubes(s.n, s.c, s.mult, u, v, D)

    def joint_states(self, other: Any) -> States:
        """Pairs of states of both models, and how many questions have each; cached for the latest other model."""
        if self._joint is None or self._joint[0] is not other:
            (u, which), (v, other_which) = self.values(), other.values()
            self._joint = other, joint_states(which, other_which, max(len(u), len(v)))
        return self._joint[1]

    def own_cubes(self) -> tuple[Triple, Triple]:
        """Sums over questions of the powers 3 and 6 of u - theta."""
        u, which = self.values()
        mult, zeros, theta = np.bincount(which), np.zeros((1, 3)), get(self.parts.x, THETA)
        none = np.zeros(mult.size, np.int64)
        return variance.joint_cubes(np.arange(mult.size), none, mult, u, zeros, theta)

    @cached_property
    def squared_variances(self) -> Triple:
        """The sum of the squared trial-to-trial variances of the questions."""
        raise NotImplementedError

    @cached_property
    def ends(self) -> tuple[Array, Array, int] | None:
        """The lowest and highest trial of each question, and the span, as mean.scale() has them; None: binary."""
        if self.m.name not in ("mean", "max_at_k") or self.counts.C == 1:
            return None
        U, span = mean.scale(self.m.w)[:2]
        start, category, _ = self.counts.cells
        u = np.array(U, np.int64 if span < 2**63 else object)[category]
        low, high = (ends.reduceat(u, start[:-1]) for ends in (np.minimum, np.maximum))
        return low, high, span

    def joint_range(self, other: Estimator) -> Fraction:
        """The largest difference between two trials of a question, of this model or the other, as it counts."""
        if self.ends is None or other.ends is None:
            return Fraction(1)
        (low, high, span), (other_low, other_high, _) = self.ends, other.ends
        largest = np.maximum(high, other_high) - np.minimum(low, other_low)
        return Fraction(*mean.as_range(int(largest.max()), span))

    def trials(self) -> Array:
        """The number of trials of each question."""
        return self.counts.trials

    def interval_freedom(self) -> Triple:
        """Degrees of freedom of an interval of fixed questions; ZERO: the normal distribution."""
        return df_of_interval(self.parts.x, self.squared_variances)


class Mean(Estimator):
    """Estimator of the average score."""

    def __init__(self, m: Metric, counts: Counts, use_mixture: bool) -> None:
        self.m, self.counts = m, counts
        self.scale = mean.scale(m.w)
        self.average = mean.average(counts, self.scale.U, self.scale.span)
        self.parts = mean.parts(self.average, use_mixture)

    def mu(self) -> Triple:
        """The average in units of w, rounded once."""
        return from_ratio(*mean.point(self.average, self.scale))

    def exact(self) -> Fraction:
        """The average in units of w, exactly."""
        return Fraction(*mean.point(self.average, self.scale))

    def difference(self, other: Mean) -> Triple:
        """The difference of the averages on the scale 0..1, rounded once."""
        return from_fraction(mean.difference(self.average, other.average))

    @cached_property
    def _values(self) -> tuple[list[Ratio], Table, Array]:
        return mean.values(self.counts, self.scale.U, self.scale.span)

    def values(self) -> tuple[Table, Array]:
        """The distinct scores of questions, each rounded once, and which of them each question has."""
        return self._values[1:]

    def squares(self, other: Mean, D: Triple) -> Triple:
        """The sum of the squares, rounded once."""
        u, v, s = self._values[0], other._values[0], self.joint_states(other)
        return from_fraction(mean.squared_deviations(u, v, s, mean.difference(self.average, other.average)))

    @cached_property
    def squared_variances(self) -> Triple:
        """The sum of the squared trial-to-trial variances, from the scores of each question."""
        return mean.squared_variances(self.counts, self.scale.U, self.scale.span, self.parts)

    def interval_freedom(self) -> Triple:
        """Degrees of freedom of an interval; no scores are read if a bound shows that they are at least NORMAL."""
        n = self.average.groups[0].n  # the fewest trials
        if n > 1 and has_normal_interval(self.parts.x, 0.25 / (n - 1)):  # v = m_2 / (n - 1), and m_2 <= 1/4
            return ZERO
        return super().interval_freedom()


# --- U-statistics of order k of binary outcomes, and their variances --------------------------------

Mask = npt.NDArray[np.bool_]
MOST_STEPS = 10**8  # of the variances of a model, some seconds


def unidentified(n: Array, k: int, use_mixture: bool) -> Mask:
    """Mark the states whose trials do not identify their variance."""
    return (n == 1) if use_mixture else (n == 1) | (n == k)


def unknown_of(m: Metric, n: Array, use_mixture: bool) -> Mask:
    """Mark states of unknown variance; of flips all with n < 2k: the jackknife is worse than squared deviations."""
    return n < 2 * m.k if m.flips else unidentified(n, m.k, use_mixture)


def variances(m: Metric, s: States, unknown: Mask, use_mixture: bool) -> Table:
    """The variance of each state's trials by two disjoint blocks, the mixture, or the jackknife; 0 where unknown."""
    if m.name == "pass_at_k":  # 1 minus Pass^k of the failures, which has the same variance
        m, s = m._replace(name="pass_hat_k", r=m.k), States(s.n, s.n - s.c, s.mult)
    if s.n[0] >= 2 * m.k:  # n is sorted
        return _measured(m, s.n, s.c)
    v = np.zeros((s.n.size, 3))
    two_blocks = s.n >= 2 * m.k
    if two_blocks.any():
        v[two_blocks] = _measured(m, s.n[two_blocks], s.c[two_blocks])
    short = ~two_blocks & ~unknown
    if short.any():
        if use_mixture:
            v[short] = rate_mixture.variances(m, s, short)
        else:
            v[short] = _jackknife(m, s.n[short], s.c[short])
    return v


def _measured(m: Metric, n: Array, c: Array) -> Table:
    """The variance of each state, measured by two disjoint blocks of k trials."""
    out = np.empty((n.size, 3))
    if m.name == "pass_hat_k":
        hypergeometric.power_variance(n, c, m.k, out)
    elif m.flips:
        hypergeometric.flip_variance(n, c, out)
    else:
        hypergeometric.credit_variance(n, c, m.k, metric_weights(m), out)
    return out


def _jackknife(m: Metric, n: Array, c: Array) -> Table:
    """The jackknife variance of each state; 0 without a success or without a failure."""
    out, mixed = np.zeros((n.size, 3)), (c > 0) & (c < n)
    n, c = n[mixed], c[mixed]
    variances_of_mixed = np.empty((n.size, 3))
    variance.jackknife(n, c, values(m, n - 1, c), values(m, n - 1, c - 1), variances_of_mixed)
    out[mixed] = variances_of_mixed
    return out


def parts_of(m: Metric, n: Array, mult: Array, u: Table, rest: Table, v: Table, use_mixture: bool) -> Parts:
    """The variance components of a table of states in rising n, from u, 1 - u and the variance of the trials."""
    unknown, M, x = unknown_of(m, n, use_mixture), int(mult.sum()), np.empty((variance.ROWS, 3))
    variance.fill(u, rest, v, unknown, mult, M, x)
    if m.flips:
        variance.raise_to_flip_bound(n, mult, u, x)
    min_trials = int(n[0])
    step = hypergeometric.step(min_trials, steepest(m, min_trials), m.k, metric_weights(m))
    variance.fill_trials(min_trials, step, m.k, x)
    single, some_single, short = bool(unknown.all()), bool(unknown.any()), min_trials < 2 * m.k
    return Parts(M, m.k, x, single, some_single, short, use_mixture)


def work(m: Metric, s: States, use_mixture: bool) -> int:
    """The steps of the variances of all states, as spec/families/intervals.md counts them."""
    closed, k, steps = m.flips or m.name in ("pass_at_k", "pass_hat_k", "max_at_k"), m.k, 0
    for n, S in zip(*(x.tolist() for x in np.unique(s.n, return_counts=True)), strict=True):
        steps += S * min(k, isqrt(n << 12)) if closed else k * min(k * S, n) if n >= 2 * k else k * S
        if n < 2 * k and use_mixture:
            J = rate_mixture.grid_size(n)
            steps += (n + 1) * (J if closed else J + k) + J**3 // 10
    return steps


def check_work(m: Metric, s: States, use_mixture: bool) -> None:
    """Refuse variances of more than MOST_STEPS steps."""
    if (steps := work(m, s, use_mixture)) > MOST_STEPS:
        what = f"the variance of {m.name} with k = {m.k} takes {steps} steps, more than the 10^8 allowed"
        raise InvalidInput("range", "k", f"{what}: choose a smaller k, or Pass@k or Pass^k of up to half of the trials")


def parts_of_states(m: Metric, s: States, use_mixture: bool) -> tuple[Parts, Table, Table]:
    """The variance components of binary outcomes, and u and v of each state."""
    check_work(m, s, use_mixture)
    u, rest = values(m, s.n, s.c), lost_values(m, s.n, s.c)
    v = variances(m, s, unknown_of(m, s.n, use_mixture), use_mixture)
    return parts_of(m, s.n, s.mult, u, rest, v, use_mixture), u, v


def known_variances(m: Metric, s: States, p: Parts, u: Table, v: Table) -> Table:
    """The variance of each state; squared deviations where the trials do not identify it."""
    if p.some_single:
        v = v.copy()
        variance.fill_unknown(u, unknown_of(m, s.n, p.use_mixture), get(p.x, THETA), p.M, v)
    return v


class Blocks(Estimator):
    """Estimator from a table of u by state, and the state of each question."""

    u: Table

    @cached_property
    def which(self) -> Array:
        """The state of each question."""
        raise NotImplementedError

    def mu(self) -> Triple:
        """The metric theta; of outcomes 0 and 1 units of w and the scale 0..1 are the same."""
        return get(self.parts.x, THETA)

    def exact_difference(self, other: Any) -> Triple:
        """The difference of two models' metrics, from exact values."""
        raise NotImplementedError

    def difference(self, other: Any) -> Triple:
        """The difference of two models' metrics, from exact values where rounded ones would cancel."""
        x, y = get(self.parts.x, THETA), get(other.parts.x, THETA)
        D: Triple = sub(x, y)
        return self.exact_difference(other) if variance.cancelled(D, x, y) else D

    def values(self) -> tuple[Table, Array]:
        """The value u of each distinct state, and the state of each question."""
        return self.u, self.which

    def squares(self, other: Any, D: Triple) -> Triple:
        """Sum over questions of the squares of u - v - D, from the joint states of both models."""
        s = self.joint_states(other)
        return variance.joint_squares(s.n, s.c, s.mult, self.u, other.u, D)


class Credit(Blocks):
    """Estimator of a metric of blocks of k binary trials, such as Pass@k."""

    def __init__(self, m: Metric, counts: Counts, use_mixture: bool) -> None:
        self.m, self.counts = m, counts
        self.parts, self.u, self._v = parts_of_states(m, counts.states(), use_mixture and not m.flips)

    @cached_property
    def squared_variances(self) -> Triple:
        """The sum of the squared trial-to-trial variances."""
        s = self.counts.states()
        return sum_of_squares(known_variances(self.m, s, self.parts, self.u, self._v), s.mult)

    @cached_property
    def which(self) -> Array:
        """The state of each question."""
        return self.counts.state_indices()

    def exact(self) -> Fraction:
        """The metric as an exact fraction, from the states."""
        A = exact_credits(self.m)
        states = zip(*(x.tolist() for x in self.counts.states()), strict=True)
        terms = [(mult * exact_value(self.m, n, c, A)).as_integer_ratio() for n, c, mult in states]
        return Fraction(*total(terms)) / self.parts.M

    def exact_difference(self, other: Credit) -> Triple:
        """The difference of two models' metrics, exact but for one rounding, from the states whose shares differ."""
        A = exact_credits(self.m)
        excess: Counter[tuple[int, int]] = Counter()
        M, other_M = self.parts.M, other.parts.M
        for estimator, weight in ((self, other_M), (other, -M)):
            for n, c, mult in zip(*(x.tolist() for x in estimator.counts.states()), strict=True):
                excess[n, c] += weight * mult
        terms = [(mult * exact_value(self.m, n, c, A)).as_integer_ratio() for (n, c), mult in excess.items() if mult]
        num, den = total(terms) if terms else (0, 1)
        return from_ratio(num, den * M * other_M)
