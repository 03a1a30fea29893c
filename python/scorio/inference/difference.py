"""The difference of two models, its standard error and its degrees of freedom.

The formulas: spec/families/comparisons.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic.distributions import error_rate, normal_z, t_cdf, t_quantile
from ..arithmetic.double_double import (
    HALF,
    ONE,
    ZERO,
    Table,
    Triple,
    add,
    div,
    from_fraction,
    from_ratio,
    get,
    mul,
    neg,
    root,
    sub,
    times_2_to,
    value,
)
from ..errors import InvalidInput
from ..results import VarianceSource, least_reliable
from . import clusters
from .clusters import Units, cubes, variance_terms
from .degrees_of_freedom import FEWEST, df_of_sampling, df_of_trials, pooled, smaller
from .estimator import Estimator
from .runs import Dispersion, OfTwo
from .significance import Contributions, of_clusters, of_states
from .variance import (
    DEVIATIONS,
    cubes_over,
    differences,
    fixed,
    fixed_pair,
    larger,
    over_square,
    parts_of_pair,
    two_steps,
    unbiased,
    unit_of_trials,
)

NEARLY_EQUAL = 2.0**-60  # mean square of deviations below which they are computed exactly
CACHE_SIZE = 1 << 15  # cached quantiles and tails: one for every pair of 256 models


class Difference(NamedTuple):
    """D = theta_A - theta_B, its standard error, its degrees of freedom, and how the variance was obtained.

    unit is 1/U, U the fewest independent trials, or units that were sampled, to which either metric can correspond;
    guard is the largest difference of one that was not seen. cubes computes the third central moment of D over the
    sampling of questions, and the sum of its squared terms, which only gates need. signs computes what the sampled
    units contribute to D (None where it is not that of paired samples), and unseen is the variance with a guard of 1
    of units that do not differ. over_runs is a second standard error, with its degrees of freedom, where runs were
    sampled: of both tests the one that finds less decides.
    """

    D: Triple
    standard_error: Triple
    freedom: Triple
    variance_source: VarianceSource
    unit: Triple = ZERO
    guard: Triple = ZERO
    cubes: Callable[[], tuple[Triple, Triple]] | None = None
    signs: Callable[[], Contributions] | None = None
    unseen: Triple = ZERO
    over_runs: tuple[Triple, Triple] | None = None

    @property
    def by_trials(self) -> bool:
        """Whether D varies over the trials of fixed questions, and not over a sample of them."""
        return self.cubes is None

    def p_value(self) -> Triple:
        """Two-sided p-value against equal models; 1 if D is 0."""
        return times_2_to(self.tail(ZERO), 1.0) if self.D[0] else ONE

    def p_above(self) -> Triple:
        """Probability that A is above B: 1 less half of the p-value if D is above 0, that half if it is below."""
        if not self.D[0]:
            return HALF
        tail = self.tail(ZERO)
        return sub(ONE, tail) if self.D[0] > 0.0 else tail

    def tail(self, gap: Triple) -> Triple:
        """The smaller one-sided p-value against D = gap, which is not D: the largest of the t tests and by signs."""
        distance, p = sub(self.D, gap), self.p_of_signs(gap)
        by_t = ZERO
        for error, freedom in self._errors():
            t = div(distance, error)
            by_t = larger(by_t, lower_tail(t if t[0] < 0.0 else neg(t), freedom))
        return larger(by_t, times_2_to(p, -1.0)) if p else by_t

    def _errors(self) -> list[tuple[Triple, Triple]]:
        """The standard errors above 0, each with its degrees of freedom."""
        both = [(self.standard_error, self.freedom), *([self.over_runs] if self.over_runs else [])]
        return [x for x in both if x[0][0]]

    def reported(self, tail: Triple) -> tuple[Triple, Triple]:
        """The standard error of the wider interval at a one-sided level, and its degrees of freedom."""
        if self.over_runs is None:
            return self.standard_error, self.freedom
        error, freedom = self.over_runs
        by_t = mul(quantile(tail, self.freedom), self.standard_error) if self.standard_error[0] else ZERO
        is_wider = sub(mul(quantile(tail, freedom), error), by_t)[0] > 0.0
        return self.over_runs if is_wider else (self.standard_error, self.freedom)

    def p_of_signs(self, gap: Triple) -> Triple | None:
        """Two-sided p-value against D = gap by the signs of the units; None where it is not computed."""
        return self.signs().p_value(gap) if self.signs else None

    def half_width(self, tail: Triple, gap: Triple = ZERO) -> Triple:
        """Half the width of the interval at a one-sided level, which excludes gap exactly if tail() is at most that.

        That of the t distribution, but wider where the signs have a larger p-value, or runs were sampled.
        """
        half = self._half_width(tail, gap)
        return larger(half, mul(quantile(tail, self.over_runs[1]), self.over_runs[0])) if self.over_runs else half

    def _half_width(self, tail: Triple, gap: Triple) -> Triple:
        """Half the width without regard to runs."""
        distance, p = sub(self.D, gap), self.p_of_signs(gap)
        distance = distance if distance[0] >= 0.0 else neg(distance)
        if not (self.standard_error[0] or distance[0]):
            return mul(quantile(tail, FEWEST), root(self.unseen)) if self.unseen[0] else ZERO
        half = None if p is None else times_2_to(p, -1.0)
        if self.standard_error[0]:
            by_t = mul(quantile(tail, self.freedom), self.standard_error)
            return larger(by_t, distance) if half and (p == ONE or sub(half, tail)[0] > 0.0) else by_t
        if half is None or sub(half, tail)[0] >= 0.0:
            return distance if half else ZERO
        return mul(distance, div(quantile(tail, self.freedom), quantile(half, self.freedom)))

    def reversed_difference(self) -> Difference:
        """The difference B - A."""
        cubes, signs = self.cubes, self.signs
        return self._replace(
            D=neg(self.D),
            cubes=cubes and (lambda: (neg(cubes()[0]), cubes()[1])),
            signs=signs and (lambda: signs().negated()),
        )


@lru_cache(maxsize=CACHE_SIZE)
def quantile(tail: Triple, freedom: Triple) -> Triple:
    """The quantile of the t distribution with this upper tail; cached."""
    return t_quantile(tail, freedom)


@lru_cache(maxsize=CACHE_SIZE)
def lower_tail(t: Triple, freedom: Triple) -> Triple:
    """The cdf of the t distribution; cached, since several results of a pair ask for the same value."""
    return t_cdf(t, freedom)


def quantiles(estimate: Any, confidence: float) -> tuple[Triple, Triple]:
    """Two-sided t quantiles of an estimate (normal for ZERO degrees): for its variance, and where n0 bounds that."""
    z, tail = normal_z(confidence), error_rate(confidence, 2)
    t, u = (quantile(tail, df) if df[0] else z for df in (estimate.freedom, estimate.freedom_of_units))
    return t, u


def quantile_over_runs(estimate: Any, confidence: float) -> Triple:
    """The two-sided t quantile of an estimate for its variance with runs; ZERO where it has none."""
    V, freedom = estimate.over_runs
    return quantile(error_rate(confidence, 2), freedom) if V[0] else ZERO


def is_significant(p: Triple, confidence: float) -> bool:
    """Whether a p-value is at most 1 - confidence; a p-value of 1 is never significant."""
    return bool(sub(ONE, p)[0] > 0.0 and sub(error_rate(confidence, 1), p)[0] >= 0.0)


def paired_difference(
    A: Estimator,
    B: Estimator,
    sampled: bool,
    guard: Triple,
    name: str,
    units: Units | None = None,
    runs: Dispersion | OfTwo | None = None,
) -> Difference:
    """Difference on the same questions, each with k trials or more of both models.

    guard: the largest difference of a question that was not sampled; units: the clusters that were sampled; name: of
    the argument, for errors; runs: None if these are fixed.
    """
    p, q, D = A.parts, B.parts, A.difference(B)
    if p.single or q.single or (sampled and runs is None):
        over_trials, parts = None, (ONE, ONE)
    else:
        largest = from_fraction(A.joint_range(B))
        over_trials, parts = fixed_pair(p.x, q.x, p.M, largest), parts_of_pair(p.x, q.x, largest)
    if over_trials is not None and not sampled:
        units_of_both = unit_of_trials(p.x, p.M, p.k), unit_of_trials(q.x, q.M, q.k)
        freedom = df_of_trials(p.x, A.squared_variances, q.x, B.squared_variances, largest)
        source = least_reliable([p.variance_source(), q.variance_source()])
        d = Difference(D, root(over_trials), freedom, source, larger(*units_of_both), guard)
        if runs is None:
            return d
        of_runs = over_runs(runs.over(*parts), over_trials, freedom)
        return d._replace(unit=runs.unit(*units_of_both), over_runs=of_runs)
    units = units or Units(p.M)
    check_two_units(units.G, name, "question" if units.labels is None else "cluster")
    Z, unseen, guard = _sampling_variance(A, B, D, units), units.unseen(), larger(guard, _least_guard(A, B))
    constant = mul(mul(guard, guard), unseen)
    V, freedom = add(Z, constant), df_of_sampling(Z, constant, units.freedom)
    return Difference(
        D,
        root(V),
        freedom,
        "measured" if sampled else "upper bound",
        units.squared_shares(),
        guard,
        cache(partial(_cubes, A, B, D, units)),
        cache(partial(_contributions, A, B, units)),
        unseen,
        None if runs is None else over_runs(runs.over(*parts), V, freedom, over_trials),
    )


def over_runs(
    runs: Dispersion, V: Triple, freedom: Triple, over_trials: Triple | None = None
) -> tuple[Triple, Triple] | None:
    """The standard error with runs, and its degrees of freedom, as :meth:`Dispersion.with_runs` has the variance."""
    x = runs.with_runs(V, freedom, over_trials)
    return x and (root(x.V), x.freedom)


def _least_guard(A: Estimator, B: Estimator) -> Triple:
    """Two steps of the metric of the model with the fewest trials, at most 1; 0 where both have equally many trials.

    With unequal trials the differences of equal models are skewed: with 16 and 1 trials of 20 questions, each solved
    with a probability of .03, the second model mostly fails all, and without a guard 39% of samples differ at 5%.
    """
    if np.array_equal(A.trials(), B.trials()):
        return ZERO
    return smaller(ONE, two_steps(A.parts.x, B.parts.x, A.parts.k, from_fraction(A.joint_range(B))))


def _cubes(A: Estimator, B: Estimator, D: Triple, units: Units) -> tuple[Triple, Triple]:
    if units.labels is None:
        return cubes_over(*A.cubes(B, D), units.M)
    return cubes(units, _differences_of_units(A, B, units), D)


def _differences_of_units(A: Estimator, B: Estimator, units: Units) -> Table:
    (u, which), (v, other) = A.values(), B.values()
    return differences(units.means(which, u), units.means(other, v))


def _sampling_variance(A: Estimator, B: Estimator, D: Triple, units: Units) -> Triple:
    """The variance of the difference over the sampling of units."""
    Z: Triple
    if units.labels is None:
        Z = over_square(unbiased(A.squares(B, D), units.M), units.M)
    else:
        Z = variance_terms(units, _differences_of_units(A, B, units), D)
    if value(Z) >= NEARLY_EQUAL / units.M:
        return Z
    # rounded differences that are nearly equal leave no digit; those that are equal as decimals count as equal
    exact = clusters.mean_and_variance(A, B, units)[1]
    return from_fraction(exact) if exact > Fraction(units.squared, units.M**2 << 80) else ZERO


def _contributions(A: Estimator, B: Estimator, units: Units) -> Contributions:
    """The contributions of the sampled units to the difference."""
    if units.labels is not None:
        x, share = of_clusters(_differences_of_units(A, B, units), units.sizes, units.M)
        return Contributions(x, share, np.ones(units.G, np.int64))
    s = A.joint_states(B)
    x, share = of_states(s.n, s.c, A.values()[0], B.values()[0], from_ratio(1, units.M))
    return Contributions(x, share, s.mult)


def unpaired_difference(
    A: Estimator, B: Estimator, guard: Triple, runs: Dispersion | OfTwo | None = None
) -> Difference:
    """Difference on different questions of one population; Welch's degrees of freedom.

    Without a guard of 1 equal models differ in 23% of samples of unequal sizes at 5% (54 and 4 questions).
    """
    p, q = A.parts, B.parts
    check_two_units(p.M, "A")
    check_two_units(q.M, "B")
    parts = [_own_variance(A), _own_variance(B)]
    V = add(parts[0][0], parts[1][0])
    unit = from_ratio(1, min(p.M, q.M))
    cubes = cache(partial(_cubes_unpaired, A, B))
    d = Difference(A.difference(B), root(V), pooled(V, parts), "measured", unit, guard, cubes)
    if runs is None:
        return d
    if p.single or q.single:
        over_trials, of_both = None, (ONE, ONE)
    else:
        of_both = fixed(p.x, p.M), fixed(q.x, q.M)
        over_trials = add(*of_both)
    return d._replace(over_runs=over_runs(runs.over(*of_both), V, d.freedom, over_trials))


def _own_variance(x: Estimator) -> tuple[Triple, Triple]:
    """The variance of one model over the sampling of questions, with a guard of 1, and its degrees of freedom."""
    units = Units(x.parts.M)
    Z, unseen = over_square(get(x.parts.x, DEVIATIONS), units.M), units.unseen()
    return add(Z, unseen), df_of_sampling(Z, unseen, units.freedom)


def _cubes_unpaired(A: Estimator, B: Estimator) -> tuple[Triple, Triple]:
    (third, sixth), (other, other_sixth) = (cubes_over(*X.own_cubes(), X.parts.M) for X in (A, B))
    return sub(third, other), add(sixth, other_sixth)


def check_two_units(units: int, name: str, what: str = "question") -> None:
    """Refuse a single question or cluster of questions: the variance between them is unknown."""
    if units < 2:
        raise InvalidInput("shape", name, f"one {what} of {name} is left: the variance between {what}s is unknown")
