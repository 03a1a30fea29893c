"""What a difference decides at a one-sided level: an interval, and whether it is above or below a margin."""

from __future__ import annotations

from functools import lru_cache

from ..arithmetic.distributions import normal_cdf
from ..arithmetic.double_double import Triple, add, clip, div, ext, mul, neg, sub, value
from ..metrics.metric import Metric
from .difference import Difference, quantile
from .sequential import crossing


@lru_cache(maxsize=64)
def at_look(fractions: tuple[float, ...], alpha: float, spending: str) -> Triple:
    """The one-sided level of the last of several looks."""
    x: Triple = normal_cdf(neg(ext(crossing(fractions, alpha, spending).z[-1])))
    return x


def on_unit(x: float, m: Metric) -> Triple:
    """A distance in units of w as one of the scores 0..1."""
    y: Triple = div(ext(x), sub(ext(max(m.w)), ext(min(m.w))))
    return y


def on_scale(d: Difference, tail: Triple, m: Metric) -> tuple[float, float, float, float]:
    """(mu, sigma, lo, hi) in units of w at this one-sided level, the ends within the largest differences."""
    reach = mul(quantile(tail, d.freedom), d.deviation)
    unit = sub(ext(max(m.w)), ext(min(m.w)))
    end = value(unit)
    lo, hi = (clip(value(mul(unit, x)), -end, end) for x in (sub(d.D, reach), add(d.D, reach)))
    return value(mul(unit, d.D)) + 0.0, value(mul(unit, d.deviation)), lo, hi


def judged(d: Difference, margin: Triple, tail: Triple) -> tuple[str, Triple, Triple]:
    """The verdict on D > -margin; the p-values P(T >= (D + margin) / sigma) and P(T <= (D + margin) / sigma)."""
    worse, better = d.beyond(neg(margin)), d.turned().beyond(margin)
    if sub(tail, worse)[0] >= 0.0:
        return "pass", worse, better
    return "fail" if sub(tail, better)[0] >= 0.0 else "inconclusive", worse, better
