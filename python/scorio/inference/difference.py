"""The difference of two models and how far it can be off.

The formulas: spec/families/comparisons.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from ..arithmetic.distributions import normal_z, share, t_cdf, t_quantile
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, neg, root, scaled, sub
from ..arithmetic.rational import from_ratio
from ..errors import InvalidInput
from ..results import VarianceSource, worst_known
from .clusters import Units, parts_of
from .degrees_of_freedom import of_questions, of_trials, of_units, smaller, welch
from .estimator import Side
from .variance import differences, fixed_pair, larger, sampled_pair, unit_of_trials
from .variance import sampled as sampled_variance

ONE_THIRD = from_ratio(1, 3)
SHARED = 1 << 15  # pairs (of 256 models) whose tails are kept for all that asks for them


class Difference(NamedTuple):
    """D = theta_A - theta_B, its standard error, the degrees of freedom of its t law, how the variance was obtained.

    unit is 1/n0, n0 the fewest independent trials that either metric can amount to.
    """

    D: Triple
    deviation: Triple
    freedom: Triple
    variance_source: VarianceSource
    unit: Triple = ZERO

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
        return self._replace(D=neg(self.D))


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
    both, freedom = _drawn(A, B, D, units)
    return Difference(D, root(both if single else larger(both, V)), freedom, known, units.share(0))


def _drawn(A: Side, B: Side, D: Triple, units: Units) -> tuple[Triple, Triple]:
    """The variance over the draw of units, and its degrees of freedom."""
    if units.labels is None:
        second, fourth = A.spread(B, D)
        return sampled_pair(second, units.M), of_questions(second, fourth, ONE_THIRD, units.M)
    (u, at), (v, to) = A.values(), B.values()
    Z, squares = parts_of(units, differences(units.means(at, u), units.means(to, v)), D)
    part = units.share(3)
    return add(Z, part), smaller(of_units(Z, squares, part, units.G), units.freedom)


def on_different(A: Side, B: Side) -> Difference:
    """On different questions of one population; Welch's degrees of freedom."""
    p, q = A.parts, B.parts
    spread_known(p.M, "A")
    spread_known(q.M, "B")
    (v, f), (w, g) = _own_variance(A), _own_variance(B)
    return Difference(A.above(B), root(add(v, w)), welch(v, f, w, g), "measured", from_ratio(1, min(p.M, q.M)))


def _own_variance(x: Side) -> tuple[Triple, Triple]:
    """The variance of one model over the sampling of questions, and its degrees of freedom."""
    p, (second, fourth) = x.parts, x.own_spread()
    V = sampled_variance(p.x, p.M, sampled_pair(second, p.M), p.single)
    return V, of_questions(second, fourth, ONE_THIRD, p.M)


def spread_known(units: int, name: str, what: str = "question") -> None:
    """One question, or one cluster of them, tells nothing of how they differ."""
    if units < 2:
        raise InvalidInput("shape", name, f"one {what} of {name} is left: the spread of {what}s is unknown")
