"""One model's counts under a metric: what an interval needs of it, and a comparison of two. The average, exactly."""

from __future__ import annotations

from typing import Any

from ..arithmetic.double_double import Triple
from ..arithmetic.rational import from_ratio
from ..metrics.metric import Metric
from ..outcomes.counts import Counts
from ..outcomes.states import Array
from . import mean
from .variance import Parts


class Side:
    """Counts under a metric, every question with k trials or more. M questions of value u, on the scale 0..1."""

    m: Metric
    counts: Counts
    parts: Parts

    def mu(self) -> Triple:
        """The metric, in units of w."""
        raise NotImplementedError

    def clusters(self, labels: Array) -> tuple[int, Triple]:
        """G, and the sum over clusters of (m_g (u_g - theta) G/M)^2 G/(G-1), m_g questions of mean u_g."""
        raise NotImplementedError

    def above(self, other: Any) -> Triple:
        """D = theta - the other's; 0 only if it is."""
        raise NotImplementedError

    def spread(self, other: Any, D: Triple) -> Triple:
        """Sum over questions of (u - the other's u - D)^2."""
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
        return mean.point(self.average, self.scale)

    def clusters(self, labels: Array) -> tuple[int, Triple]:
        """Exact, rounded once."""
        G, total = mean.cluster_deviations(self.counts, self.scale, self.average.theta, labels)
        return G, from_ratio(*total.as_integer_ratio())

    def above(self, other: Mean) -> Triple:
        """Exact, rounded once."""
        return from_ratio(*mean.difference(self.average, other.average).as_integer_ratio())

    def spread(self, other: Mean, D: Triple) -> Triple:
        """Exact, rounded once."""
        exact = mean.difference(self.average, other.average)
        x = mean.spread(self.counts, other.counts, self.scale.U, self.scale.span, exact)
        return from_ratio(*x.as_integer_ratio())
