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
from . import mean, third_moment, variance
from .degrees_of_freedom import df_of_interval, has_normal_interval
from .third_moment import ThirdMoment
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

    def distribution(self) -> tuple[Table, Array]:
        """The value u of each distinct state, and how many questions have it."""
        raise NotImplementedError

    def power_sums(self, other: Any, D: Triple) -> tuple[Triple, Triple]:
        """Sums over questions of the powers 2 and 4 of u - v - D, v the value u of the other model."""
        raise NotImplementedError

    def odd_power_sums(self, other: Any, D: Triple) -> tuple[Triple, Triple, Triple]:
        """Sums over questions of the powers 3 and 6 of u - v - D, and the range of u - v, at least 1."""
        (u, _), (v, _), s = self.values(), other.values(), self.joint_states(other)
        x: tuple[Triple, Triple, Triple] = third_moment.joint_odd_power_sums(s.n, s.c, s.mult, u, v, D)
        return x

    def joint_states(self, other: Any) -> States:
        """Pairs of states of both models, and how many questions have each; cached for the latest other model."""
        if self._joint is None or self._joint[0] is not other:
            (u, which), (v, other_which) = self.values(), other.values()
            self._joint = other, joint_states(which, other_which, max(len(u), len(v)))
        return self._joint[1]

    def own_power_sums(self) -> tuple[Triple, Triple]:
        """Sums over questions of the powers 2 and 4 of u - theta."""
        x: tuple[Triple, Triple] = variance.joint_power_sums(*self._own_states())
        return x

    def own_odd_power_sums(self) -> tuple[Triple, Triple]:
        """Sums over questions of the powers 3 and 6 of u - theta."""
        third, sixth, _ = third_moment.joint_odd_power_sums(*self._own_states())
        return third, sixth

    def _own_states(self) -> tuple[Any, ...]:
        (u, mult), zeros = self.distribution(), np.zeros((1, 3))
        return np.arange(mult.size), np.zeros(mult.size, np.int64), mult, u, zeros, get(self.parts.x, THETA)

    def trials_error(self) -> Triple:
        """The variance of the summed estimates of the questions' trial-to-trial variances."""
        raise NotImplementedError

    def third_moment_of_trials(self) -> ThirdMoment:
        """The sum over questions of the third central moments of u over their trials."""
        raise NotImplementedError

    def interval_freedom(self) -> Triple:
        """Degrees of freedom of an interval of fixed questions; ZERO: the normal distribution."""
        x: Triple = df_of_interval(self.parts.x, self.trials_error())
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

    def distribution(self) -> tuple[Table, Array]:
        """The distinct scores of questions, each rounded once, and how many questions have each."""
        return mean.distribution(self.counts, self.scale.U, self.scale.span)

    def own_power_sums(self) -> tuple[Triple, Triple]:
        """Sums of the powers 2 and 4 of u - theta; in one pass over the states if outcomes are 0 and 1."""
        if self.counts.C != 1 or len(self.scale.U) != 2:
            return super().own_power_sums()
        low, high = (from_ratio(x, self.scale.span) for x in self.scale.U)
        theta = get(self.parts.x, THETA)
        x: tuple[Triple, Triple] = variance.power_sums_of_scores(*self.counts.states(), low, high, theta)
        return x

    def power_sums(self, other: Mean, D: Triple) -> tuple[Triple, Triple]:
        """The power sums over joint states; the sum of the squares is rounded once."""
        (exact_u, u, _), (exact_v, v, _), s = self._values, other._values, self.joint_states(other)
        x = mean.squared_deviations(exact_u, exact_v, s, mean.difference(self.average, other.average))
        _, fourth = variance.joint_power_sums(s.n, s.c, s.mult, u, v, D)
        return from_fraction(x), fourth

    @cached_property
    def _trials(self) -> mean.Trials:
        return mean.trials(self.counts, self.scale.U, self.scale.span, self.parts)

    @cached_property
    def _trials_error(self) -> Triple:
        return mean.trials_error(self._trials, self.parts)

    def trials_error(self) -> Triple:
        """Variance of the summed trial-to-trial variances, from the scores of each question."""
        return self._trials_error

    @cached_property
    def _third_moment(self) -> ThirdMoment:
        return mean.third_moment(self._trials)

    def third_moment_of_trials(self) -> ThirdMoment:
        """The third moment over the trials, from the scores of each question."""
        return self._third_moment

    def interval_freedom(self) -> Triple:
        """Degrees of freedom of an interval; no scores are read if a bound shows that they are at least NORMAL."""
        n = self.average.groups[0].n  # the fewest trials
        # v = m_2 / (n - 1) has a variance of at most m_4 / (n - 1)^3, and m_4 <= m_2
        if n > 1 and has_normal_interval(self.parts.x, 1.0 / (n - 1) ** 2):
            return ZERO
        return super().interval_freedom()
