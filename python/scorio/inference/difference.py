"""The difference of two models, its standard error and its degrees of freedom.

The formulas: spec/families/comparisons.md.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

from ..arithmetic.distributions import error_rate, normal_z, t_cdf, t_quantile
from ..arithmetic.double_double import ONE, ZERO, Table, Triple, add, div, neg, root, sub, times_2_to
from ..arithmetic.rational import from_ratio
from ..errors import InvalidInput
from ..results import VarianceSource, least_reliable
from .clusters import UnequalClusters, Units, cubes, variance_terms
from .degrees_of_freedom import df_of_questions, df_of_trials, df_of_units, smaller, welch
from .estimator import Estimator
from .third_moment import Lazy, ThirdMoment, combined, range_of
from .variance import differences, fixed_constant, fixed_pair, larger, sampled_pair, unit_of_trials
from .variance import sampled as sampled_variance

# Added to the sum of squared deviations of M questions, of a pair and of either model of an unpaired comparison. With
# 1/3 for it, equal models differ "significantly" in 8.3% of samples (5% nominal) where one of them fails a few trials
# of each of 100 questions and the other a few whole ones, and in 8.4% with 60 and 600 questions, one trial of each;
# with 1/2 in 6.8 and 5.5%, the worst of exact searches. With 3/4 it would still be 6.4%, with wider intervals.
STABILISER = from_ratio(1, 2)
CACHE_SIZE = 1 << 15  # cached quantiles and tails: one for every pair of 256 models


class Difference(NamedTuple):
    """D = theta_A - theta_B, its standard error, its degrees of freedom, and how the variance was obtained.

    unit is 1/n0, n0 the fewest independent trials to which either metric can correspond (unequal: clusters whose sizes
    differ, on which the largest share of D may depend); parts are the benchmarks of a suite, with their weights. third
    computes the third central moment of D over the sampling of questions, or over the trials of fixed ones, which only
    gates need. constant is the part of the variance that is not estimated.
    """

    D: Triple
    standard_error: Triple
    freedom: Triple
    variance_source: VarianceSource
    unit: Triple = ZERO
    third: Lazy = ThirdMoment
    unequal: tuple[UnequalClusters, ...] = ()
    parts: tuple[tuple[Triple, Difference], ...] = ()
    constant: Triple = ZERO

    def unit_of(self, share: Triple) -> Triple:
        """1/n0 if the largest clusters that make up this share of D fail together."""
        x = self.unit
        for clusters in self.unequal:
            x = larger(x, clusters.unit(share))
        return x

    def p_value(self) -> Triple:
        """Two-sided p-value against equal models; 1 if D is 0."""
        if self.D[0] == 0.0:
            return ONE
        t = div(self.D, self.standard_error)
        x: Triple = times_2_to(lower_tail(t if t[0] < 0.0 else neg(t), self.freedom), 1.0)
        return x

    def p_above(self) -> Triple:
        """Probability that A is above B: the cdf of the t distribution at D over its standard error; 1/2 for D = 0."""
        return lower_tail(div(self.D, self.standard_error) if self.D[0] else ZERO, self.freedom)

    def p_value_at_margin(self, gap: Triple) -> Triple:
        """One-sided p-value against D <= gap: P(T >= (D - gap) / standard error); 0, 1/2 or 1 if that error is 0."""
        distance = sub(gap, self.D)
        if distance[0] and not self.standard_error[0]:
            return ONE if distance[0] > 0.0 else ZERO
        return lower_tail(div(distance, self.standard_error) if distance[0] else ZERO, self.freedom)

    def reversed_difference(self) -> Difference:
        """The difference B - A."""
        parts = tuple((w, x.reversed_difference()) for w, x in self.parts)
        return self._replace(D=neg(self.D), third=lambda: self.third().negated(), parts=parts)


@lru_cache(maxsize=CACHE_SIZE)
def quantile(tail: Triple, freedom: Triple) -> Triple:
    """The quantile of the t distribution with this upper tail; cached."""
    x: Triple = t_quantile(tail, freedom)
    return x


@lru_cache(maxsize=CACHE_SIZE)
def lower_tail(t: Triple, freedom: Triple) -> Triple:
    """The cdf of the t distribution; cached, since several results of a pair ask for the same value."""
    x: Triple = t_cdf(t, freedom)
    return x


def quantiles(estimate: Any, confidence: float) -> tuple[Triple, Triple]:
    """Two-sided t quantiles of an estimate (normal for ZERO degrees): for its variance, and where n0 bounds that."""
    z, tail = normal_z(confidence), error_rate(confidence, 2)
    t, u = (quantile(tail, df) if df[0] else z for df in (estimate.freedom, estimate.freedom_of_units))
    return t, u


def is_significant(p: Triple, confidence: float) -> bool:
    """Whether a p-value is at most 1 - confidence; a p-value of 1 is never significant."""
    return bool(sub(ONE, p)[0] > 0.0 and sub(error_rate(confidence, 1), p)[0] >= 0.0)


def paired_difference(A: Estimator, B: Estimator, sampled: bool, name: str, units: Units | None = None) -> Difference:
    """Difference on the same questions, each with k trials or more of both models.

    units: the clusters that were sampled; name: of the argument, for errors.
    """
    p, q, D = A.parts, B.parts, A.difference(B)
    single = p.single or q.single
    bounded = p.some_single or q.some_single  # the variance over trials is then an upper bound that ignores the pairing
    V = fixed_pair(p.x, q.x, p.M)
    source: VarianceSource = "measured" if sampled else least_reliable([p.variance_source(), q.variance_source()])
    if not sampled and not single:
        unit = larger(unit_of_trials(p.x, p.M, p.k), unit_of_trials(q.x, q.M, q.k))
        freedom = df_of_trials(p.x, A.trials_error(), q.x, B.trials_error())
        third = cache(partial(_third_moment_of_trials, A, B))
        return Difference(D, root(V), freedom, source, unit, third, constant=fixed_constant(p.x, q.x, p.M))
    units = units or Units(p.M)
    check_two_units(units.G, name, "question" if units.labels is None else "cluster")
    W, freedom = _sampling_variance(A, B, D, units)
    V, third = W if bounded else larger(W, V), cache(partial(_third_moment_of_units, A, B, D, units))
    unit, constant = units.squared_shares(), units.difference_stabiliser()
    return Difference(D, root(V), freedom, source, unit, third, units.unequal(), constant=constant)


def _third_moment_of_trials(A: Estimator, B: Estimator) -> ThirdMoment:
    return combined([(ONE, A.third_moment_of_trials()), (neg(ONE), B.third_moment_of_trials())]).over(A.parts.M)


def _third_moment_of_units(A: Estimator, B: Estimator, D: Triple, units: Units) -> ThirdMoment:
    if units.labels is None:
        third, sixth, most = A.odd_power_sums(B, D)
        return ThirdMoment(third, sixth, range=most).over(units.M)
    d = _differences_of_units(A, B, units)
    return ThirdMoment(*cubes(units, d, D), range=range_of(d))


def _differences_of_units(A: Estimator, B: Estimator, units: Units) -> Table:
    (u, which), (v, other) = A.values(), B.values()
    x: Table = differences(units.means(which, u), units.means(other, v))
    return x


def _sampling_variance(A: Estimator, B: Estimator, D: Triple, units: Units) -> tuple[Triple, Triple]:
    """The variance over the sampling of units, and its degrees of freedom."""
    if units.labels is None:
        return _variance_of_questions(*A.power_sums(B, D), units.M)
    Z, squares = variance_terms(units, _differences_of_units(A, B, units), D)
    constant = units.difference_stabiliser()
    return add(Z, constant), smaller(df_of_units(Z, squares, constant, units.G), units.freedom)


def _variance_of_questions(second: Triple, fourth: Triple, M: int) -> tuple[Triple, Triple]:
    return sampled_pair(second, M, STABILISER), df_of_questions(second, fourth, STABILISER, M)


def unpaired_difference(A: Estimator, B: Estimator) -> Difference:
    """Difference on different questions of one population; Welch's degrees of freedom."""
    p, q = A.parts, B.parts
    check_two_units(p.M, "A")
    check_two_units(q.M, "B")
    (v, f), (w, g) = _own_variance(A), _own_variance(B)
    unit, third = from_ratio(1, min(p.M, q.M)), cache(partial(_third_moment_unpaired, A, B))
    return Difference(A.difference(B), root(add(v, w)), welch(v, f, w, g), "measured", unit, third)


def _own_variance(x: Estimator) -> tuple[Triple, Triple]:
    """The variance of one model over the sampling of questions, and its degrees of freedom."""
    p = x.parts
    V, freedom = _variance_of_questions(*x.own_power_sums(), p.M)
    return sampled_variance(p.x, p.M, V, p.single), freedom


def _third_moment_unpaired(A: Estimator, B: Estimator) -> ThirdMoment:
    x, y = (ThirdMoment(*X.own_odd_power_sums()).over(X.parts.M) for X in (A, B))
    return combined([(ONE, x), (neg(ONE), y)])


def check_two_units(units: int, name: str, what: str = "question") -> None:
    """Refuse a single question or cluster of questions: the variance between them is unknown."""
    if units < 2:
        raise InvalidInput("shape", name, f"one {what} of {name} is left: the variance between {what}s is unknown")
