"""Decision on a difference at a one-sided level: its interval, and whether it is above or below a margin."""

from __future__ import annotations

from functools import lru_cache
from math import erfc, log, log1p, sqrt

from ..arithmetic.distributions import beta_cdf, beta_high, normal_cdf, normal_quantile
from ..arithmetic.double_double import ONE, ZERO, Triple, add, clip, div, ext, mul, neg, root, sub, value
from ..metrics.metric import Metric
from ..results import Decision
from .degrees_of_freedom import smaller
from .difference import Difference, lower_tail, quantile
from .sequential import crossing
from .variance import larger

HALF = ext(0.5)


@lru_cache(maxsize=64)
def level_of_look(fractions: tuple[float, ...], alpha: float, spending: str) -> Triple:
    """The one-sided level of the last of several looks."""
    x: Triple = normal_cdf(neg(ext(crossing(fractions, alpha, spending).z[-1])))
    return x


def to_unit_scale(x: float, m: Metric) -> Triple:
    """A distance in units of w, rescaled to scores 0..1."""
    y: Triple = div(ext(x), sub(ext(max(m.w)), ext(min(m.w))))
    return y


def rescaled_interval(
    d: Difference, tail: Triple, m: Metric, margin: Triple | None = None
) -> tuple[float, float, float, float]:
    """(mu, sigma, lo, hi) of a difference in units of w at a one-sided level, within the possible differences.

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


def distance_from_margin(d: Difference, margin: Triple) -> Triple:
    """The absolute value of D + margin."""
    x: Triple = add(d.D, margin)
    return x if x[0] >= 0.0 else neg(x)


def unsampled_share(d: Difference, margin: Triple) -> Triple:
    """The share of questions that the sample may lack: the margin, or the distance of D from -margin up to 1/2."""
    x: Triple = larger(margin, smaller(distance_from_margin(d, margin), HALF))
    return x


def with_largest_units(d: Difference, margin: Triple) -> Difference:
    """D with `unit` replaced by that of the largest clusters that make up unsampled_share()."""
    return d._replace(unit=d.unit_of(unsampled_share(d, margin)))


def unsampled_error(d: Difference, margin: Triple) -> Triple:
    """The standard error of D if it is -margin and questions that always fail or always succeed were not sampled."""
    share = unsampled_share(d, margin)
    x: Triple = root(mul(mul(share, sub(ONE, share)), d.unit))
    return x


def tilted_error(d: Difference, margin: Triple) -> tuple[Triple, Triple]:
    """The standard error of D if it is -margin and too few failures were sampled or occurred, and its df; 0 if smaller.

    If D moves by x, its variance moves by x times its third moment over its variance (exponential tilting), at most by
    x / n0 times the range of differences. The third moment is an estimate: the variance is taken as large as its
    uncertainty allows. What it grows by is no estimate any more, so that the degrees of freedom grow too.
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
    """The largest of the standard errors of D: by its variance, and the two at the margin."""
    d = with_largest_units(d, margin)
    x: Triple = larger(larger(d.standard_error, unsampled_error(d, margin)), tilted_error(d, margin)[0])
    return x


def reach_at_margin(d: Difference, margin: Triple, tail: Triple) -> Triple:
    """Half the width of the interval by the standard errors at the margin."""
    x: Triple = mul(normal_quantile(sub(HALF, tail), tail), unsampled_error(d, margin))
    error, freedom = tilted_error(d, margin)
    return larger(x, mul(quantile(tail, freedom), error)) if error[0] else x


def reach_of_unsampled(d: Difference, tail: Triple, side: float) -> Triple:
    """The distance of a limit (side -1 or 1) from D at which p_value_of_unsampled() is the tail."""
    n0 = div(ONE, d.unit)
    if side > 0.0 or d.D[0] >= 0.0:
        return mul(sub(ONE, mul(ext(side), d.D)), beta_high(tail, ONE, n0))
    failures = neg(mul(d.D, n0))
    successes = sub(n0, failures)
    return add(d.D, beta_high(tail, add(failures, ONE), successes) if successes[0] > 0.0 else ONE)


def p_value_of_unsampled(d: Difference, margin: Triple) -> Triple:
    """Probability that a sample of n0 questions shows no more of a true difference of -margin: an exact p-value.

    The questions that the sample lacks differ by 1 in the direction of -margin, all others by the D that was observed;
    if D is between -margin and 0, a share -D of the sample fails entirely (Clopper and Pearson).
    """
    n0, distance = div(ONE, d.unit), add(d.D, margin)
    if distance[0] < 0.0:
        rest, hidden, all_of = add(ONE, margin), neg(distance), sub(ONE, d.D)
    elif d.D[0] >= 0.0:
        rest, hidden, all_of = sub(ONE, margin), distance, add(ONE, d.D)
    else:
        failures = neg(mul(d.D, n0))
        return beta_cdf(sub(ONE, margin), margin, sub(n0, failures), add(failures, ONE))
    return beta_cdf(div(rest, all_of), div(hidden, all_of), n0, ONE)


def margin_decision(d: Difference, margin: Triple, tail: Triple) -> tuple[Decision, Triple, Triple]:
    """The verdict on D > -margin; the p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma).

    Those with the standard errors at the margin replace them if nearer to 1/2, and the exact p_value_of_unsampled()
    replaces the smaller of both if it is larger. A standard error of 0 excludes all three.
    """
    p_worse, p_better, distance = (
        d.p_value_at_margin(neg(margin)),
        d.reversed_difference().p_value_at_margin(margin),
        add(d.D, margin),
    )
    if d.standard_error[0] and distance[0]:
        d, above = with_largest_units(d, margin), distance[0] > 0.0
        x = div(distance, unsampled_error(d, margin))
        p_worse, p_better = nearer_to_half(above, (p_worse, p_better), (normal_cdf(neg(x)), normal_cdf(x)))
        error, freedom = tilted_error(d, margin)
        if error[0]:
            t = div(distance, error)
            tails = lower_tail(neg(t), freedom), lower_tail(t, freedom)
            p_worse, p_better = nearer_to_half(above, (p_worse, p_better), tails)
        exact = p_value_of_unsampled(d, margin)
        p_worse, p_better = (larger(p_worse, exact), p_better) if above else (p_worse, larger(p_better, exact))
    if sub(tail, p_worse)[0] >= 0.0:
        return "pass", p_worse, p_better
    return "fail" if sub(tail, p_better)[0] >= 0.0 else "inconclusive", p_worse, p_better


def is_below_margin(d: Difference, margin: Triple, level: Triple) -> bool:
    """Whether p_better of margin_decision() is below the level, for a D below -margin; stops where it is not."""

    def below(p: Triple) -> bool:
        return bool(sub(level, p)[0] > 0.0)

    if not below(d.reversed_difference().p_value_at_margin(margin)):
        return False
    if not d.standard_error[0]:
        return True
    d, distance = with_largest_units(d, margin), add(d.D, margin)
    error, freedom = tilted_error(d, margin)
    if error[0] and not below(lower_tail(div(distance, error), freedom)):
        return False
    z, limit = div(distance, unsampled_error(d, margin)), value(level) * (1.0 - 1e-9)  # in doubles where that is clear
    if not (erfc(-value(z) / sqrt(2.0)) / 2.0 < limit or below(normal_cdf(z))):
        return False
    log_p = (log1p(value(margin)) - log1p(-value(d.D))) / value(d.unit)
    return log_p < log(limit) - 1e-9 * (1.0 - log_p) or below(p_value_of_unsampled(d, margin))


def nearer_to_half(above: bool, p: tuple[Triple, Triple], q: tuple[Triple, Triple]) -> tuple[Triple, Triple]:
    """The pair (p_worse, p_better) that is nearer to 1/2: by p_worse if D is above -margin, else by p_better."""
    side = 0 if above else 1
    return q if sub(q[side], p[side])[0] > 0.0 else p
