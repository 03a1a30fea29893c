"""The difference of two models, its standard error and its degrees of freedom.

The formulas: spec/families/comparisons.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from ..arithmetic.distributions import error_rate, normal_z, t_cdf, t_quantile
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, ext, neg, root, scaled, sub
from ..arithmetic.rational import from_ratio
from ..errors import InvalidInput
from ..results import VarianceSource, least_reliable
from .clusters import UnequalClusters, Units, third_moment, variance_terms
from .degrees_of_freedom import df_of_questions, df_of_trials, df_of_units, smaller, welch
from .estimator import Estimator
from .variance import differences, fixed_pair, larger, over_square, sampled_pair, unit_of_trials
from .variance import sampled as sampled_variance

ONE_THIRD = from_ratio(1, 3)
CACHE_SIZE = 1 << 15  # cached quantiles and tails: one for every pair of 256 models


class Difference(NamedTuple):
    """D = theta_A - theta_B, its standard error, its degrees of freedom, and how the variance was obtained.

    unit is 1/n0, n0 the fewest independent trials to which either metric can correspond (unequal: clusters whose sizes
    differ, on which the largest share of D may depend); third is the estimated third central moment of D over the
    sampling of questions (0 if the variance is only that over trials).
    """

    D: Triple
    standard_error: Triple
    freedom: Triple
    variance_source: VarianceSource
    unit: Triple = ZERO
    third: Triple = ZERO
    unequal: tuple[UnequalClusters, ...] = ()

    def unit_of(self, share: Triple) -> Triple:
        """1/n0 where questions that make up this share of D fail together: those of the largest clusters."""
        x = self.unit
        for clusters in self.unequal:
            x = larger(x, clusters.unit(share))
        return x

    def p_value(self) -> Triple:
        """Two-sided p-value against equal models; 1 if D is 0."""
        if self.D[0] == 0.0:
            return ONE
        t = div(self.D, self.standard_error)
        x: Triple = scaled(lower_tail(t if t[0] < 0.0 else neg(t), self.freedom), 1.0)
        return x

    def p_above(self) -> Triple:
        """Probability that A is above B: the cdf of the t distribution at D over its standard error; 1/2 for D = 0."""
        return lower_tail(div(self.D, self.standard_error) if self.D[0] else ZERO, self.freedom)

    def p_value_at_margin(self, gap: Triple) -> Triple:
        """One-sided p-value against D <= gap: P(T >= (D - gap) / standard error); 0 or 1 if the standard error is 0."""
        less = sub(gap, self.D)
        if less[0] and not self.standard_error[0]:
            return ONE if less[0] > 0.0 else ZERO
        return lower_tail(div(less, self.standard_error) if less[0] else ZERO, self.freedom)

    def reversed_difference(self) -> Difference:
        """The difference B - A."""
        return self._replace(D=neg(self.D), third=neg(self.third))


@lru_cache(maxsize=CACHE_SIZE)
def quantile(tail: Triple, freedom: Triple) -> Triple:
    """The quantile of the t distribution with this upper tail; cached."""
    x: Triple = t_quantile(tail, freedom)
    return x


@lru_cache(maxsize=CACHE_SIZE)
def lower_tail(t: Triple, freedom: Triple) -> Triple:
    """The cdf of the t distribution; cached, since p-value, ranks and intervals of a pair share it."""
    x: Triple = t_cdf(t, freedom)
    return x


def quantiles(x: Any, confidence: float) -> tuple[Triple, Triple]:
    """Two-sided quantiles of the t distributions of an estimate: for its variance, and for the bound that n0 sets."""
    z, tail = normal_z(confidence), error_rate(confidence, 2)
    t, u = (quantile(tail, df) if df[0] else z for df in (x.freedom, x.freedom_of_units))
    return t, u


def is_significant(x: Triple, confidence: float) -> bool:
    """Whether a p-value is at most 1 - confidence; a p-value of 1 is never significant."""
    return bool(sub(ONE, x)[0] > 0.0 and sub(error_rate(confidence, 1), x)[0] >= 0.0)


def paired_difference(A: Estimator, B: Estimator, sampled: bool, name: str, units: Units | None = None) -> Difference:
    """Difference on the same questions, each with k trials of both models; units: the clusters that were sampled."""
    p, q, D = A.parts, B.parts, A.difference(B)
    single = p.single or q.single
    bounded = p.some_single or q.some_single  # V is then an upper bound, in which pairs do not count
    V = fixed_pair(p.x, q.x, p.M)
    source: VarianceSource = "measured" if sampled else least_reliable([p.variance_source(), q.variance_source()])
    if not sampled and not single:
        unit = larger(unit_of_trials(p.x, p.M, p.k), unit_of_trials(q.x, q.M, q.k))
        return Difference(D, root(V), df_of_trials(p.x, A.trials_error(), q.x, B.trials_error()), source, unit)
    units = units or Units(p.M)
    check_two_units(units.G, name, "question" if units.labels is None else "cluster")
    W, freedom, third = _sampling_moments(A, B, D, units)
    V = W if bounded else larger(W, V)
    return Difference(D, root(V), freedom, source, units.squared_shares(), third, units.unequal())


def _sampling_moments(A: Estimator, B: Estimator, D: Triple, units: Units) -> tuple[Triple, Triple, Triple]:
    """The variance over the sampling of units, its degrees of freedom, and the third central moment."""
    if units.labels is None:
        second, fourth, third = A.power_sums(B, D)
        return *_moments(second, fourth, units.M), _over_cube(third, units.M)
    (u, which), (v, other) = A.values(), B.values()
    means = differences(units.means(which, u), units.means(other, v))
    Z, squares = variance_terms(units, means, D)
    part = units.difference_stabiliser()
    freedom = smaller(df_of_units(Z, squares, part, units.G), units.freedom)
    return add(Z, part), freedom, third_moment(units, means, D)


def _moments(second: Triple, fourth: Triple, M: int) -> tuple[Triple, Triple]:
    return sampled_pair(second, M), df_of_questions(second, fourth, ONE_THIRD, M)


def _over_cube(x: Triple, M: int) -> Triple:
    y: Triple = div(over_square(x, M), ext(float(M)))
    return y


def unpaired_difference(A: Estimator, B: Estimator) -> Difference:
    """Difference on different questions of one population; Welch's degrees of freedom."""
    p, q = A.parts, B.parts
    check_two_units(p.M, "A")
    check_two_units(q.M, "B")
    (v, f, x), (w, g, y) = _own_variance(A), _own_variance(B)
    unit = from_ratio(1, min(p.M, q.M))
    return Difference(A.difference(B), root(add(v, w)), welch(v, f, w, g), "measured", unit, sub(x, y))


def _own_variance(x: Estimator) -> tuple[Triple, Triple, Triple]:
    """The variance of one model over the sampling of questions, its degrees of freedom, its third central moment."""
    p, (second, fourth, third) = x.parts, x.own_power_sums()
    V, freedom = _moments(second, fourth, p.M)
    return sampled_variance(p.x, p.M, V, p.single), freedom, _over_cube(third, p.M)


def check_two_units(units: int, name: str, what: str = "question") -> None:
    """Refuse a single question or cluster of questions: the variance between them is unknown."""
    if units < 2:
        raise InvalidInput("shape", name, f"one {what} of {name} is left: the variance between {what}s is unknown")
