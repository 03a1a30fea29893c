"""Decision on a difference at a one-sided level: its interval, and whether it is above or below a margin."""

from __future__ import annotations

from functools import lru_cache

from ..arithmetic.distributions import beta_cdf, beta_high, normal_cdf
from ..arithmetic.double_double import (
    HALF,
    ONE,
    ZERO,
    Triple,
    add,
    clip,
    div,
    ext,
    log,
    mul,
    neg,
    root,
    sub,
    times_2_to,
    value,
)
from ..metrics.metric import Metric
from ..results import Decision
from .degrees_of_freedom import smaller
from .difference import Difference, lower_tail, quantile
from .sequential import crossing
from .variance import larger

MOST_UNITS = ext(2.0**32)  # more independent trials count as so many: an exact tail of n takes about sqrt(n) steps


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

    With a margin (on the scale 0..1) both limits also account for what the sample may lack, as the decision on
    D > -margin does.
    """
    below = above = d.half_width(tail) if margin is None else d.half_width(tail, neg(margin))
    if margin is not None and d.standard_error[0]:
        below = larger(below, mul(quantile(tail, d.freedom), tilted_error(d, margin)))
        below, above = (larger(below, reach_of_unsampled(d, tail, side)) for side in (-1.0, 1.0))
    unit = sub(ext(max(m.w)), ext(min(m.w)))
    end = value(unit)
    lo, hi = (clip(value(mul(unit, x)), -end, end) for x in (sub(d.D, below), add(d.D, above)))
    return value(mul(unit, d.D)) + 0.0, value(mul(unit, d.reported(tail)[0])), lo, hi


# --- what the sample may lack --------------------------------------------------------------------------


def tilted_error(d: Difference, margin: Triple) -> Triple:
    """The standard error at D = -margin if too few failures were sampled.

    If D moves by x, its variance moves by x times its third moment over its variance (exponential tilting). The third
    moment is an estimate: the variance is taken as large as the uncertainty of that moment allows.
    """
    if d.cubes is None or not d.guard[0]:
        return d.standard_error
    x, (third, sixth), V = add(d.D, margin), d.cubes(), mul(d.standard_error, d.standard_error)
    skew = sub(mul(x if x[0] >= 0.0 else neg(x), root(sixth)), mul(x, third))
    return root(add(V, div(skew, V))) if skew[0] > 0.0 else d.standard_error


def independent_trials(d: Difference) -> Triple:
    """The number of independent trials, at most MOST_UNITS: fewer give wider limits and larger p-values."""
    return smaller(div(ONE, d.unit), MOST_UNITS)


def shares(d: Difference, margin: Triple) -> tuple[Triple, Triple] | None:
    """The largest share of questions like the sample if D is -margin, and 1 less it; the others differ by the guard.

    None if questions that differ by the guard cannot move D to -margin.
    """
    x = add(d.D, margin)
    if not d.guard[0] or (x[0] > 0.0 and sub(margin, d.guard)[0] >= 0.0):
        return None
    if x[0] > 0.0:
        room = add(d.guard, d.D)
        return div(sub(d.guard, margin), room), div(x, room)
    room = sub(d.guard, d.D)
    return div(add(d.guard, margin), room), div(neg(x), room)


def p_value_of_unsampled(d: Difference, margin: Triple) -> Triple:
    """Probability that all independent trials show the observed D although it is -margin: an exact p-value.

    For fixed questions and D between -margin and 0 a share -D of the trials fails entirely (Clopper and Pearson).
    """
    n0, of_sample = independent_trials(d), shares(d, margin)
    if of_sample is None:
        return ZERO
    if d.by_trials and d.D[0] < 0.0 < add(d.D, margin)[0]:
        failures, lost = neg(mul(div(d.D, d.guard), n0)), div(margin, d.guard)
        x: Triple = beta_cdf(sub(ONE, lost), lost, sub(n0, failures), add(failures, ONE))
        return x
    y: Triple = beta_cdf(*of_sample, n0, ONE)
    return y


def reach_of_unsampled(d: Difference, tail: Triple, side: float) -> Triple:
    """The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."""
    n0, room = independent_trials(d), sub(d.guard, mul(ext(side), d.D))
    if not d.guard[0] or room[0] <= 0.0:
        return ZERO
    if d.by_trials and side < 0.0 and d.D[0] < 0.0:
        failures = neg(mul(div(d.D, d.guard), n0))
        successes = sub(n0, failures)
        share = beta_high(tail, add(failures, ONE), successes) if successes[0] > 0.0 else ONE
        return add(d.D, mul(d.guard, share))
    x: Triple = mul(room, beta_high(tail, ONE, n0))
    return x


def trials_of_unsampled(d: Difference, margin: Triple, tail: Triple, share: Triple) -> Triple | None:
    """The number of independent trials at which reach_of_unsampled() is this share of D + margin; None: no bound."""
    of_sample = shares(d, margin)
    if of_sample is None:
        return None
    c = mul(of_sample[1], share)
    if value(c) < 2.0**-30:  # log(1 - c), of which a rounded 1 - c leaves few digits or none
        half, third = times_2_to(c, -1.0), div(c, ext(3.0))
        return div(log(tail), neg(mul(c, add(ONE, add(half, mul(c, add(third, mul(half, half))))))))
    return div(log(tail), log(sub(ONE, c)))


# --- decisions -------------------------------------------------------------------------------------------


def p_values_at_margin(d: Difference, margin: Triple) -> tuple[Triple, Triple]:
    """The p-values of D <= -margin and of D >= -margin.

    The smaller one is that of tail() or of the t statistic with tilted_error(), the other one is 1 less it; then
    p_value_of_unsampled() replaces the smaller one if it is larger. Both are 1/2 at D = -margin.
    """
    x = add(d.D, margin)
    if not x[0]:
        return HALF, HALF
    small = d.tail(neg(margin))
    if d.standard_error[0]:
        small = larger(small, _tilted_tail(d, margin))
    large = sub(ONE, small)
    if d.standard_error[0]:
        small = larger(small, p_value_of_unsampled(d, margin))
    return (small, large) if x[0] > 0.0 else (large, small)


def _tilted_tail(d: Difference, margin: Triple) -> Triple:
    t = div(add(d.D, margin), tilted_error(d, margin))
    return lower_tail(t if t[0] < 0.0 else neg(t), d.freedom)


def margin_decision(d: Difference, margin: Triple, tail: Triple) -> tuple[Decision, Triple, Triple]:
    """The verdict on D > -margin, and p_values_at_margin()."""
    p_worse, p_better = p_values_at_margin(d, margin)
    if sub(tail, p_worse)[0] >= 0.0:
        return "pass", p_worse, p_better
    return "fail" if sub(tail, p_better)[0] >= 0.0 else "inconclusive", p_worse, p_better


def is_below_margin(d: Difference, margin: Triple, level: Triple) -> bool:
    """Whether p_better of p_values_at_margin() is below the level, for D < -margin; stops as soon as it cannot be."""
    if not d.standard_error[0] or sub(level, _tilted_tail(d, margin))[0] > 0.0:
        return sub(level, p_values_at_margin(d, margin)[1])[0] > 0.0
    return False
