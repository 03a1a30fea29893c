"""Estimators of a metric of one model, for intervals and comparisons: the base class, and the average score."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..arithmetic.double_double import ZERO, Table, Triple, get
from ..arithmetic.rational import Ratio, from_fraction, from_ratio
from ..metrics.metric import Metric
from ..outcomes.counts import Counts
from ..outcomes.states import Array, States, joint_states
from . import mean, variance
from .degrees_of_freedom import df_of_interval, has_normal_interval
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
        x: tuple[Triple, Triple] = variance.joint_cubes(s.n, s.c, s.mult, u, v, D)
        return x

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
        x: tuple[Triple, Triple] = variance.joint_cubes(np.arange(mult.size), none, mult, u, zeros, theta)
        return x

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
        n: Array = self.counts.trials
        return n

    def interval_freedom(self) -> Triple:
        """Degrees of freedom of an interval of fixed questions; ZERO: the normal distribution."""
        x: Triple = df_of_interval(self.parts.x, self.squared_variances)
        return x


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
