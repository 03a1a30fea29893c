"""One model's counts under a metric: what an interval needs of it, and a comparison of two. The average, exactly."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..arithmetic.double_double import Table, Triple, get
from ..arithmetic.rational import Ratio, from_ratio
from ..metrics.metric import Metric
from ..outcomes.counts import Counts
from ..outcomes.states import Array, joint_states
from . import mean, variance
from .variance import THETA, Parts


class Side:
    """Counts under a metric, every question with k trials or more. M questions of value u, on the scale 0..1."""

    m: Metric
    counts: Counts
    parts: Parts

    def mu(self) -> Triple:
        """The metric, in units of w."""
        raise NotImplementedError

    def exact(self) -> Fraction:
        """The same, where doubles would cancel."""
        raise NotImplementedError

    def above(self, other: Any) -> Triple:
        """D = theta - the other's; 0 only if it is."""
        raise NotImplementedError

    def values(self) -> tuple[Table, Array]:
        """u of the distinct states of questions, and which of them each question is in."""
        raise NotImplementedError

    def spread(self, other: Any, D: Triple) -> tuple[Triple, Triple, Triple]:
        """Sums over questions of the powers 2, 4 and 3 of u - the other's u - D."""
        raise NotImplementedError

    def own_spread(self) -> tuple[Triple, Triple, Triple]:
        """The same of u - theta."""
        (u, which), none = self.values(), np.zeros((1, 3))
        mult = np.bincount(which, minlength=len(u))
        at, zero = np.arange(mult.size), np.zeros(mult.size, np.int64)
        x: tuple[Triple, Triple, Triple] = variance.spread_of(at, zero, mult, u, none, get(self.parts.x, THETA))
        return x

    def trials_error(self) -> Triple:
        """The variance of the sum over questions of the variances of their trials."""
        raise NotImplementedError


class Mean(Side):
    """The average score."""

    def __init__(self, m: Metric, counts: Counts, by_law: bool) -> None:
        self.m, self.counts = m, counts
        self.scale = mean.scale(m.w)
        self.average = mean.average(counts, self.scale.U, self.scale.span)
        self.parts = mean.parts(self.average, by_law)

    def mu(self) -> Triple:
        """Exact, rounded once."""
        return from_ratio(*mean.point(self.average, self.scale))

    def exact(self) -> Fraction:
        """Exact."""
        return Fraction(*mean.point(self.average, self.scale))

    def above(self, other: Mean) -> Triple:
        """Exact, rounded once."""
        return from_ratio(*mean.difference(self.average, other.average).as_integer_ratio())

    @cached_property
    def _values(self) -> tuple[list[Ratio], Table, Array]:
        return mean.values(self.counts, self.scale.U, self.scale.span)

    def values(self) -> tuple[Table, Array]:
        """Scores of questions, each as a quotient rounded once."""
        return self._values[1:]

    def spread(self, other: Mean, D: Triple) -> tuple[Triple, Triple, Triple]:
        """The first exact, rounded once."""
        (exact_u, u, at), (exact_v, v, to) = self._values, other._values
        s = joint_states(at, to, max(len(u), len(v)))
        x = mean.spread(exact_u, exact_v, s, mean.difference(self.average, other.average))
        _, fourth, third = variance.spread_of(s.n, s.c, s.mult, u, v, D)
        return from_ratio(*x.as_integer_ratio()), fourth, third

    @cached_property
    def _trials_error(self) -> Triple:
        return mean.trials_error(self.counts, self.scale.U, self.scale.span, self.parts)

    def trials_error(self) -> Triple:
        """From the scores of each question."""
        return self._trials_error
