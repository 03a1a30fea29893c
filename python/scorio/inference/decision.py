"""Decision on a difference at a one-sided level: its interval, and whether it is above or below a margin."""

from __future__ import annotations

from functools import lru_cache

from ..arithmetic.distributions import beta_cdf, beta_high, normal_cdf, normal_quantile
from ..arithmetic.double_double import ONE, ZERO, Triple, add, clip, div, ext, mul, neg, root, sub, value
from ..metrics.metric import Metric
from ..results import Decision
from .degrees_of_freedom import smaller
from .difference import Difference, quantile
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

    With a margin (on the scale 0..1) both limits also account for questions that were not sampled, and lo also for
    Clopper and Pearson's limit, as the decision on D > -margin does.
    """
    reach = mul(quantile(tail, d.freedom), d.standard_error)
    margin = margin if d.standard_error[0] else None
    if margin is not None:
        reach = larger(reach, mul(normal_quantile(sub(ext(0.5), tail), tail), error_at_margin(d, margin)))
    low = sub(d.D, reach)
    if margin is not None:
        gain, a, b = gain_and_failures(d)
        low = smaller(low, sub(gain, beta_high(tail, b, a) if a[0] > 0.0 else ONE))  # Clopper and Pearson's limit
    unit = sub(ext(max(m.w)), ext(min(m.w)))
    end = value(unit)
    lo, hi = (clip(value(mul(unit, x)), -end, end) for x in (low, add(d.D, reach)))
    return value(mul(unit, d.D)) + 0.0, value(mul(unit, d.standard_error)), lo, hi


def error_at_margin(d: Difference, margin: Triple) -> Triple:
    """The standard error of D if the true difference is -margin and the questions that show this were not sampled.

    Either questions that always fail or always succeed were not sampled at all: their share is the margin or, if that
    is larger, the distance of D from -margin, up to 1/2. Or too few of a kind were sampled: if D moves by x, its
    variance moves by x times its third moment over its variance (exponential tilting), at most by x / n0.
    """
    distance = add(d.D, margin)
    skew = mul(neg(distance), d.third)
    distance = distance if distance[0] >= 0.0 else neg(distance)
    share = larger(margin, HALF if sub(distance, HALF)[0] > 0.0 else distance)
    V, unseen = mul(d.standard_error, d.standard_error), mul(mul(share, sub(ONE, share)), d.unit)
    if skew[0] > 0.0:
        unseen = larger(unseen, add(V, smaller(div(skew, V), mul(distance, d.unit))))
    x: Triple = root(unseen)
    return x


def gain_and_failures(d: Difference) -> tuple[Triple, Triple, Triple]:
    """Gain max(D, 0); successes, and failures + 1, of 1/unit independent trials with the failure rate gain - D."""
    gain, trials = d.D if d.D[0] > 0.0 else ZERO, div(ONE, d.unit)
    failures = mul(sub(gain, d.D), trials)
    return gain, sub(trials, failures), add(failures, ONE)


def p_value_of_failures(d: Difference, margin: Triple) -> Triple:
    """Probability of at most the failures of gain_and_failures() in trials that fail with probability margin + gain."""
    gain, a, b = gain_and_failures(d)
    share = add(margin, gain)
    rest = sub(ONE, share)
    x: Triple = beta_cdf(rest, share, a, b) if rest[0] > 0.0 else ZERO
    return x


def margin_decision(d: Difference, margin: Triple, tail: Triple) -> tuple[Decision, Triple, Triple]:
    """The verdict on D > -margin; the p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma).

    The p-values of the normal distribution with the standard error at the margin replace these if nearer to 1/2, and,
    if D is above -margin, the exact p_value_of_failures() replaces the first if it is larger. A standard error of 0
    excludes both.
    """
    p_worse, p_better, distance = (
        d.p_value_at_margin(neg(margin)),
        d.reversed_difference().p_value_at_margin(margin),
        add(d.D, margin),
    )
    if d.standard_error[0]:
        x = div(distance, error_at_margin(d, margin))
        p = normal_cdf(neg(x))
        if (sub(p, p_worse)[0] > 0.0) == (distance[0] >= 0.0):
            p_worse, p_better = p, normal_cdf(x)
        if distance[0] > 0.0:
            p_worse = larger(p_worse, p_value_of_failures(d, margin))
    if sub(tail, p_worse)[0] >= 0.0:
        return "pass", p_worse, p_better
    return "fail" if sub(tail, p_better)[0] >= 0.0 else "inconclusive", p_worse, p_better
