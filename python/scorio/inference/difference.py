"""The difference of two models and how far it can be off.

The formulas: spec/README.md, "two models".
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ..arithmetic.distributions import normal_cdf, normal_quantile, share, t_cdf, t_quantile
from ..arithmetic.double_double import ZERO, Triple, add, div, ext, root, sub
from ..errors import InvalidInput
from .estimator import Side
from .variance import fixed_pair, larger, sampled, sampled_pair, welch


class Difference(NamedTuple):
    """D = theta_A - theta_B, its deviation, the degrees of freedom of its t law (None: normal), what is known of it."""

    D: Triple
    deviation: Triple
    freedom: Triple | None
    variance_source: str

    def p_above(self) -> Triple:
        """The law's cdf of D over its deviation; 1/2 where neither can be anything but 0."""
        t = div(self.D, self.deviation) if self.deviation[0] else ZERO
        x: Triple = t_cdf(t, self.freedom) if self.freedom else normal_cdf(t)
        return x


@lru_cache(maxsize=256)
def quantile(freedom: Triple | None, confidence: float, ways: int) -> Triple:
    """The quantile with upper tail (1 - confidence) / ways, of the t law or the normal one."""
    tail = share(confidence, ways)
    x: Triple = t_quantile(tail, freedom) if freedom else normal_quantile(sub((0.5, 0.0, 0.0), tail), tail)
    return x


def on_same(A: Side, B: Side, sampled: bool, name: str) -> Difference:
    """On the same questions, each with k trials on both sides."""
    p, q, D = A.parts, B.parts, A.above(B)
    single = p.single or q.single
    V, known = fixed_pair(p.x, q.x, p.M), "measured" if sampled else _worse(p.known(), q.known())
    if not sampled and not single:
        return Difference(D, root(V), None, known)
    spread_known(p.M, name)
    both = sampled_pair(A.spread(B, D), p.M)
    return Difference(D, root(both if single else larger(both, V)), ext(float(p.M - 1)), known)


def on_different(A: Side, B: Side) -> Difference:
    """On different questions, drawn from the same kind; Welch's degrees of freedom."""
    p, q = A.parts, B.parts
    spread_known(p.M, "A")
    spread_known(q.M, "B")
    v, w = (sampled(x.x, x.M, x.M, x.single) for x in (p, q))
    return Difference(A.above(B), root(add(v, w)), welch(v, w, p.M, q.M), "measured")


def _worse(*known: str) -> str:
    return next(x for x in ("upper bound", "beta-binomial", "measured") if x in known)


def spread_known(M: int, name: str) -> None:
    """One question tells nothing of how questions differ."""
    if M < 2:
        raise InvalidInput("shape", name, f"one question of {name} is left: the spread of questions is unknown")
