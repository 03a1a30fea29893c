"""The difference of two models and how far it can be off.

The formulas: spec/families/comparisons.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from ..arithmetic.distributions import normal_z, share, t_cdf, t_quantile
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, ext, neg, root, scaled, sub
from ..arithmetic.rational import from_ratio
from ..errors import InvalidInput
from ..results import VarianceSource, worst_known
from .clusters import Units, parts_of, third_of
from .degrees_of_freedom import of_questions, of_trials, of_units, smaller, welch
from .estimator import Side
from .variance import differences, fixed_pair, larger, over_square, sampled_pair, unit_of_trials
from .variance import sampled as sampled_variance

ONE_THIRD = from_ratio(1, 3)
SHARED = 1 << 15  # pairs (of 256 models) whose tails are kept for all that asks for them


class Difference(NamedTuple):
    """D = theta_A - theta_B, its standard error, the degrees of freedom of its t law, how the variance was obtained.

    unit is 1/n0, n0 the fewest independent trials that either metric can amount to; third the third central moment of D
    over the sampling of questions, as they show it (0 for fixed ones).
    """

    D: Triple
    deviation: Triple
    freedom: Triple
    variance_source: VarianceSource
    unit: Triple = ZERO
    third: Triple = ZERO

    def p_value(self) -> Triple:
        """Two-sided; 1 where neither D nor its standard error can be anything but 0."""
        if self.D[0] == 0.0:
            return ONE
        t = div(self.D, self.deviation)
        x: Triple = scaled(lower_tail(t if t[0] < 0.0 else neg(t), self.freedom), 1.0)
        return x

    def p_above(self) -> Triple:
        """The t law's cdf of D over its standard error; 1/2 for D = 0."""
        return lower_tail(div(self.D, self.deviation) if self.D[0] else ZERO, self.freedom)

    def beyond(self, gap: Triple) -> Triple:
        """P(T >= (D - gap) / standard error); certain where the metric cannot be but what it is."""
        less = sub(gap, self.D)
        if less[0] and not self.deviation[0]:
            return ONE if less[0] > 0.0 else ZERO
        return lower_tail(div(less, self.deviation) if less[0] else ZERO, self.freedom)

    def turned(self) -> Difference:
        """B against A."""
        return self._replace(D=neg(self.D), third=neg(self.third))


@lru_cache(maxsize=SHARED)
def quantile(tail: Triple, freedom: Triple) -> Triple:
    """The quantile of the t law with that upper tail."""
    x: Triple = t_quantile(tail, freedom)
    return x


@lru_cache(maxsize=SHARED)
def lower_tail(t: Triple, freedom: Triple) -> Triple:
    """The cdf of the t law, which the p-value, its adjustment, ranks and intervals of one pair share."""
    x: Triple = t_cdf(t, freedom)
    return x


def quantiles(x: Any, confidence: float) -> tuple[Triple, Triple]:
    """The two-sided quantiles of the t laws of an estimate: of its variance, and where n0 bounds that."""
    z, tail = normal_z(confidence), share(confidence, 2)
    t, u = (quantile(tail, df) if df[0] else z for df in (x.freedom, x.freedom_of_units))
    return t, u


def within(x: Triple, confidence: float) -> bool:
    """Whether a p-value is at most 1 - confidence."""
    return bool(sub(share(confidence, 1), x)[0] >= 0.0)


def on_same(A: Side, B: Side, sampled: bool, name: str, units: Units | None = None) -> Difference:
    """On the same questions, each with k trials on both sides; clusters of them were drawn if units says so."""
    p, q, D = A.parts, B.parts, A.above(B)
    single = p.single or q.single
    V = fixed_pair(p.x, q.x, p.M)
    known: VarianceSource = "measured" if sampled else worst_known([p.known(), q.known()])
    if not sampled and not single:
        unit = larger(unit_of_trials(p.x, p.M, p.k), unit_of_trials(q.x, q.M, q.k))
        return Difference(D, root(V), of_trials(p.x, A.trials_error(), q.x, B.trials_error()), known, unit)
    units = units or Units(p.M)
    spread_known(units.G, name, "question" if units.labels is None else "cluster")
    both, freedom, third = _drawn(A, B, D, units)
    return Difference(D, root(both if single else larger(both, V)), freedom, known, units.share(0), third)


def _drawn(A: Side, B: Side, D: Triple, units: Units) -> tuple[Triple, Triple, Triple]:
    """The variance over the sampling of units, its degrees of freedom, and the third central moment."""
    if units.labels is None:
        second, fourth, third = A.spread(B, D)
        return *_moments(second, fourth, units.M), _over_cube(third, units.M)
    (u, at), (v, to) = A.values(), B.values()
    means = differences(units.means(at, u), units.means(to, v))
    Z, squares = parts_of(units, means, D)
    part = units.share(3)
    freedom = smaller(of_units(Z, squares, part, units.G), units.freedom)
    return add(Z, part), freedom, third_of(units, means, D)


def _moments(second: Triple, fourth: Triple, M: int) -> tuple[Triple, Triple]:
    return sampled_pair(second, M), of_questions(second, fourth, ONE_THIRD, M)


def _over_cube(x: Triple, M: int) -> Triple:
    y: Triple = div(over_square(x, M), ext(float(M)))
    return y


def on_different(A: Side, B: Side) -> Difference:
    """On different questions of one population; Welch's degrees of freedom."""
    p, q = A.parts, B.parts
    spread_known(p.M, "A")
    spread_known(q.M, "B")
    (v, f, x), (w, g, y) = _own_variance(A), _own_variance(B)
    unit = from_ratio(1, min(p.M, q.M))
    return Difference(A.above(B), root(add(v, w)), welch(v, f, w, g), "measured", unit, sub(x, y))


def _own_variance(x: Side) -> tuple[Triple, Triple, Triple]:
    """The variance of one model over the sampling of questions, its degrees of freedom, its third central moment."""
    p, (second, fourth, third) = x.parts, x.own_spread()
    V, freedom = _moments(second, fourth, p.M)
    return sampled_variance(p.x, p.M, V, p.single), freedom, _over_cube(third, p.M)


def spread_known(units: int, name: str, what: str = "question") -> None:
    """One question, or one cluster of them, tells nothing of how they differ."""
    if units < 2:
        raise InvalidInput("shape", name, f"one {what} of {name} is left: the spread of {what}s is unknown")
