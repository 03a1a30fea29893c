"""Decision on a difference at a one-sided level: its interval, and whether it is above or below a margin."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import log as ln
from math import log1p

from ..arithmetic.distributions import normal_cdf, normal_quantile
from ..arithmetic.double_double import ONE, ZERO, Triple, add, clip, div, ext, mul, neg, root, sub, value
from ..metrics.metric import Metric
from ..results import Decision
from .degrees_of_freedom import smaller
from .difference import Difference, lower_tail, quantile
from .sequential import crossing
from .unsampled import (
    HALF,
    distance_from_margin,
    p_value_of_unsampled,
    reach_of_unsampled,
    unsampled_error,
    with_largest_units,
)
from .variance import larger


@lru_cache(maxsize=64)
def level_of_look(fractions: tuple[float, ...], alpha: float, spending: str) -> Triple:
    """The one-sided level of the last of several looks at these fractions of the information."""
    x: Triple = normal_cdf(neg(ext(crossing(fractions, alpha, spending).z[-1])))
    return x


def to_unit_scale(x: float, m: Metric) -> Triple:
    """A distance in units of w, rescaled to scores 0..1."""
    y: Triple = div(ext(x), sub(ext(max(m.w)), ext(min(m.w))))
    return y


def rescaled_interval(
    d: Difference, tail: Triple, m: Metric, margin: Triple | None = None
) -> tuple[float, float, float, float]:
    """(mu, sigma, lo, hi) of a difference in units of w at a one-sided level, cut to possible differences.

    With a margin (on the scale 0..1) both limits also account for questions that were not sampled, as the decision on
    D > -margin does.
    """
    below = above = mul(quantile(tail, d.freedom), d.standard_error)
    if margin is not None and d.standard_error[0]:
        d = with_largest_units(d, margin)
        below = above = larger(below, reach_at_margin(d, margin, tail))
        below, above = (larger(below, reach_of_unsampled(d, tail, s)) for s in (-1.0, 1.0))
    unit = sub(ext(max(m.w)), ext(min(m.w)))
    end = value(unit)
    lo, hi = (clip(value(mul(unit, x)), -end, end) for x in (sub(d.D, below), add(d.D, above)))
    return value(mul(unit, d.D)) + 0.0, value(mul(unit, d.standard_error)), lo, hi


def tilted_error(d: Difference, margin: Triple) -> tuple[Triple, Triple]:
    """The standard error at D = -margin if too few failures were sampled or occurred, and its df; both 0 if not larger.

    If D moves by x, its variance moves by x times its third moment over its variance (exponential tilting), at most by
    x / n0 times the range of differences. The third moment is an estimate: the variance is taken as large as the
    uncertainty of that moment allows. The increase is not an estimate, so the degrees of freedom grow too.
    """
    third, distance = d.third(), distance_from_margin(d, margin)
    skew = sub(mul(distance, third.uncertainty()), mul(add(d.D, margin), third.moment))
    if not skew[0] > 0.0:
        return ZERO, ZERO
    V = mul(d.standard_error, d.standard_error)
    total = add(V, smaller(div(skew, V), mul(mul(third.range, distance), d.unit)))
    growth = div(total, V)
    return root(total), mul(d.freedom, mul(growth, growth))


def largest_error(d: Difference, margin: Triple) -> Triple:
    """The largest standard error of D: by its variance, unsampled_error() or tilted_error()."""
    d = with_largest_units(d, margin)
    x: Triple = larger(larger(d.standard_error, unsampled_error(d, margin)), tilted_error(d, margin)[0])
    return x


def reach_at_margin(d: Difference, margin: Triple, tail: Triple) -> Triple:
    """Half the width of the interval by unsampled_error() or by tilted_error(), each with its quantile: the larger."""
    x: Triple = mul(normal_quantile(sub(HALF, tail), tail), unsampled_error(d, margin))
    error, freedom = tilted_error(d, margin)
    return larger(x, mul(quantile(tail, freedom), error)) if error[0] else x


def statistics_at_margin(d: Difference, margin: Triple) -> Iterator[tuple[Triple, Triple]]:
    """Distances of D from -margin, in its standard error and in those at the margin, each with its degrees of freedom.

    Degrees of freedom of 0 stand for the normal distribution.
    """
    distance = distance_from_margin(d, margin)
    yield div(distance, d.standard_error), d.freedom
    error, freedom = tilted_error(d, margin)
    if error[0]:
        yield div(distance, error), freedom
    yield div(distance, unsampled_error(d, margin)), ZERO


def cdf(t: Triple, freedom: Triple) -> Triple:
    """The cdf of the t distribution, or of the normal one for 0 degrees of freedom."""
    x: Triple = lower_tail(t, freedom) if freedom[0] else normal_cdf(t)
    return x


def p_values_at_margin(d: Difference, margin: Triple) -> tuple[Triple, Triple]:
    """The p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma).

    They are those of the statistic at the margin whose p-values are nearest to 1/2; the exact p_value_of_unsampled()
    replaces the smaller one if it is larger. Both are 1/2 at D = -margin, else 0 and 1 with a standard error of 0.
    """
    distance = add(d.D, margin)
    if not (d.standard_error[0] and distance[0]):
        return d.p_value_at_margin(neg(margin)), d.reversed_difference().p_value_at_margin(margin)
    d = with_largest_units(d, margin)
    small, large = ZERO, ONE
    for t, freedom in statistics_at_margin(d, margin):
        p = cdf(neg(t), freedom)
        if sub(p, small)[0] > 0.0:
            small, large = p, cdf(t, freedom)
    small = larger(small, p_value_of_unsampled(d, margin))
    return (small, large) if distance[0] > 0.0 else (large, small)


def margin_decision(d: Difference, margin: Triple, tail: Triple) -> tuple[Decision, Triple, Triple]:
    """The verdict on D > -margin, and p_values_at_margin()."""
    p_worse, p_better = p_values_at_margin(d, margin)
    if sub(tail, p_worse)[0] >= 0.0:
        return "pass", p_worse, p_better
    return "fail" if sub(tail, p_better)[0] >= 0.0 else "inconclusive", p_worse, p_better


def is_below_margin(d: Difference, margin: Triple, level: Triple) -> bool:
    """Whether p_better of p_values_at_margin() is below the level, for D < -margin; stops as soon as it cannot be."""
    if not d.standard_error[0]:
        return True
    d = with_largest_units(d, margin)
    if not all(sub(level, cdf(neg(t), freedom))[0] > 0.0 for t, freedom in statistics_at_margin(d, margin)):
        return False
    # The exact p-value is ((1 + margin)/(1 - D))^n0 except for suites. Doubles decide where their rounding error, far
    # below 1e-9 of the logarithm, cannot matter.
    log_p, log_level = (log1p(value(margin)) - log1p(-value(d.D))) / value(d.unit), ln(value(level))
    is_clear = not d.parts and log_p < log_level - 1e-9 * (1.0 - log_p)
    return is_clear or sub(level, p_value_of_unsampled(d, margin))[0] > 0.0
