"""The difference of two mean scores and how far it can be off, as exact fractions.

The formulas: spec/README.md, "two models".
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._jit import interpreted
from .counts import Counts
from .errors import InvalidInput
from .exact import Triple, from_ratio
from .noise import Parts
from .numerics import sub
from .quantiles import normal_cdf, seldom_quantile, share, t_cdf, t_quantile


class Difference(NamedTuple):
    """D = theta_A - theta_B, its variance, the degrees of freedom of its t law (0: normal), what is known of it."""

    D: Fraction
    V: Fraction
    freedom: Fraction | int
    noise: str

    def cdf(self, t: Triple) -> Triple:
        """The law's cdf of D / sqrt(V)."""
        x: Triple = t_cdf(t, triple(Fraction(self.freedom))) if self.freedom else normal_cdf(t)
        return x


@lru_cache(maxsize=256)
def quantile(freedom: Fraction | int, confidence: float, ways: int) -> Triple:
    """The quantile with upper tail (1 - confidence) / ways, of the t law or the normal one."""
    tail = share(confidence, ways)
    if freedom:
        return t_quantile(tail, triple(Fraction(freedom)))
    return seldom_quantile(interpreted(sub)((0.5, 0.0, 0.0), tail), tail)


def triple(x: Fraction) -> Triple:
    return from_ratio(*x.as_integer_ratio())


def common(A: Counts, B: Counts, name: str) -> tuple[Counts, Counts, list[int]]:
    """Both without the questions that either lacks; and those."""
    keep = (A.trials > 0) & (B.trials > 0)
    if keep.all():
        return A, B, []
    if not keep.any():
        raise InvalidInput("no_trials", name, f"no question has a trial of both models in {name}")
    return A.select(keep), B.select(keep), [int(i) for i in np.flatnonzero(~keep)]


def _scores(counts: Counts, U: Sequence[int]) -> npt.NDArray[Any]:
    """sum_j U_j n_j of every question, exact."""
    table = counts.table
    wide = max(U) * int(counts.trials.max()) >= 2**62
    u = np.array(U, dtype=object if wide else np.int64)
    x: npt.NDArray[Any] = (table.astype(object) if wide else table) @ u[: table.shape[1]]
    return x


def spread(A: Counts, B: Counts, U: Sequence[int], span: int, D: Fraction) -> Fraction:
    """Sum over questions of (x_A - x_B - D)^2, from exact sums within each pair of trial numbers."""
    a, b, total = _scores(A, U), _scores(B, U), Fraction(0)
    for n, m in {*zip(A.trials.tolist(), B.trials.tolist(), strict=True)}:
        rows = (A.trials == n) & (B.trials == m)
        x, y = a[rows], b[rows]
        if x.size * (max(U) * max(n, m)) ** 2 >= 2**62:
            x, y = x.astype(object), y.astype(object)
        xx, xy, yy = (Fraction(int((p * q).sum())) for p, q in ((x, x), (x, y), (y, y)))
        total += (xx / (n * n) - 2 * xy / (n * m) + yy / (m * m)) / (span * span)
    return total - A.M * D * D


def on_same(
    A: Counts, B: Counts, U: Sequence[int], span: int, sampled: bool, name: str, p: Parts, q: Parts
) -> Difference:
    """On the same questions, each with a trial on both sides. p, q: the parts of both."""
    M, D, single = p.M, p.theta - q.theta, p.single or q.single
    V = p.fixed + q.fixed - min(p.stabiliser, q.stabiliser) / (M * M)
    known = "bound" if not sampled and (p.some_single or q.some_single) else "measured"
    if not sampled and not single:
        return Difference(D, V, 0, known)
    spread_known(p, name)
    drawn = (Fraction(M, M - 1) * spread(A, B, U, span, D) + Fraction(1, 3)) / (M * M)
    return Difference(D, drawn if single else max(drawn, V), M - 1, known)


def on_different(p: Parts, q: Parts) -> Difference:
    """On different questions, drawn from the same kind; Welch's degrees of freedom."""
    spread_known(p, "A")
    spread_known(q, "B")
    v, w = p.drawn(p.M, p.dev), q.drawn(q.M, q.dev)
    return Difference(p.theta - q.theta, v + w, (v + w) ** 2 / (v * v / (p.M - 1) + w * w / (q.M - 1)), "measured")


def spread_known(p: Parts, name: str) -> None:
    """One question tells nothing of how questions differ."""
    if p.M < 2:
        raise InvalidInput("shape", name, f"one question of {name} is left: the spread of questions is unknown")
