"""The maximum of the likelihood of one group of models, to the last digit of double-doubles.

Newton steps whose length guarantees ascent, then steps with the last curvature until they stop getting shorter.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from ...arithmetic.double_double import ONE, ZERO, Triple, add, div, ext, get, log, mul, put, scaled, sub, value
from ...arithmetic.rational import from_ratio
from . import likelihood
from .likelihood import zeros

NEAR, MOST_STEPS = 2.0**-20, 500  # shorter steps are near the maximum; steps in all
TINY = 2.0**-80  # a difference of log strengths that counts as 0


class Cells:
    """Ordered pairs of models and the counts of their outcomes: (cells,), (cells,), (3, cells, 3)."""

    def __init__(self, first: Any, second: Any, counts: Any) -> None:
        self.first, self.second, self.counts = first, second, counts

    @classmethod
    def exact(cls, pairs: Sequence[tuple[int, int]], counts: Sequence[Sequence[Fraction]]) -> Cells:
        """Cells from exact counts."""
        triples = zeros(3, len(pairs))
        for k, three in enumerate(counts):
            for o, n in enumerate(three):
                put(triples[o], k, from_ratio(n.numerator, n.denominator))
        first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
        return cls(first, second, triples)

    def inside(self, place: Any) -> Any:
        """Indices of the cells whose two models both have an index in place, 0 or more."""
        return np.flatnonzero((place[self.first] >= 0) & (place[self.second] >= 0))

    def among(self, which: Any, place: Any) -> Cells:
        """The cells with the indices in which, their models renumbered by place."""
        counts = np.ascontiguousarray(self.counts[:, which])
        return Cells(place[self.first[which]], place[self.second[which]], counts)

    def measured(self, fit: Fit) -> Any:
        """Scores and curvatures at the strengths of a fit."""
        out = zeros(5, self.first.size)
        likelihood.measure(fit.model, self.first, self.second, self.counts, fit.p, fit.bias, fit.tie, out)
        return out


class Fit:
    """Maximum likelihood estimates: strengths p, position bias, tie parameter."""

    def __init__(self, size: int, cells: Cells, ties: str, biased: bool) -> None:
        self.size, self.cells, self.biased, self.model = size, cells, biased, likelihood.MODELS.index(ties)
        self.tied = ties != "half" and bool(np.any(cells.counts[1, :, 0]))
        self.p, self.bias, self.tie = zeros(size), ONE, self._start()
        for i in range(size):
            put(self.p, i, ONE)
        self._maximize()
        self.theta = self._centred()

    def _start(self) -> Triple:
        """The starting value of the tie parameter: its approximate value if all models are equally strong."""
        least = ONE if self.model == 2 else ZERO
        if not self.tied:
            return least
        wins, ties, losses = map(_sum_in_order, self.cells.counts)
        x: Triple = add(least, ext(2.0 * ties / (wins + losses)))
        return x

    # --- steps ---

    def _maximize(self) -> None:
        last, factor = inf, None
        for _ in range(MOST_STEPS):
            measures = self.cells.measured(self)
            near = factor is not None
            if factor is None:
                factor = Factor(self, measures)
            d = factor.direction(self._scores(measures))
            most = likelihood.reach(self.cells.first, self.cells.second, d)
            if near and not most < 0.5 * last:
                return
            self._step(d, 1.0 if near or most < NEAR else 2.0 / (2.0 + most))
            if not near and most >= NEAR:
                factor = None
            last = most if near or most < NEAR else inf
        raise ArithmeticError("the strengths do not converge")

    def _scores(self, measures: Any) -> Any:
        g = zeros(self.size + 2)
        likelihood.gradient(self.cells.first, self.cells.second, measures, g)
        return np.array([value(get(g, i)) for i in range(len(g))])

    def _step(self, d: Any, t: float) -> None:
        likelihood.step_all(self.p, d[: self.size], t)
        if self.biased:
            self.bias = likelihood.grown(self.bias, t * float(d[self.size]))
        if self.tied:
            new = likelihood.grown(self.tie, t * float(d[self.size + 1]))
            if self.model == 2:
                least = add(ONE, scaled(sub(self.tie, ONE), -1.0))
                new = new if sub(new, least)[0] > 0.0 else least
            self.tie = new

    # --- estimates ---

    def shared(self, at: Any, cells: Cells) -> Fit:
        """A fit of more models with these strengths: model k has the strength of model at[k]."""
        out = copy(self)
        out.size, out.cells, out.p = len(at), cells, self.p[at]
        out.theta = out._centred()
        return out

    def _centred(self) -> list[Triple]:
        """Log strengths of mean 0, with tiny values set to 0."""
        logs = [log(get(self.p, i)) for i in range(self.size)]
        middle = ZERO
        for x in logs:
            middle = add(middle, x)
        middle = div(middle, ext(float(self.size)))
        return [flushed(sub(x, middle)) for x in logs]

    def above(self, i: int, j: int) -> Triple:
        """The difference of log strengths theta_i - theta_j."""
        return flushed(log(div(get(self.p, i), get(self.p, j))))

    @property
    def advantage(self) -> Triple:
        """The log of the position bias."""
        return flushed(log(self.bias))

    def information(self, which: Sequence[int] | None = None) -> Any:
        """The inverse of the curvature as rows of contrasts: models, bias, tie parameter, mean of the models, zeros.

        which: the models whose rows are wanted; then the row of the mean is not filled.
        """
        measures, L = self.cells.measured(self), self.size
        rows = np.array(range(L) if which is None else sorted({*which}), np.int64)
        W, B, U = zeros(L, L), zeros(2, L + 2), zeros(L + 4, L + 4)
        likelihood.curvature_exact(self.cells.first, self.cells.second, measures, W, B)
        likelihood.eliminate_exact(W)
        likelihood.unit_columns(W, rows, U)
        if self.biased or self.tied:
            Y = B[:, :L].copy()
            for e in range(2):
                likelihood.solve_exact(W, Y[e])
            likelihood.border(rows, Y, self._inverse(B, Y), U)
        if which is None:
            likelihood.average(U, L)
        return U

    def _inverse(self, B: Any, Y: Any) -> Any:
        """The inverse of the Schur complement of position bias and tie parameter: (2, 2, 3)."""
        S = zeros(2, 2)
        x, xy, y = (likelihood.schur(B, Y, e, f) for e, f in ((0, 0), (0, 1), (1, 1)))
        if not self.tied:
            put(S[0], 0, div(ONE, x))
        elif not self.biased:
            put(S[1], 1, div(ONE, y))
        else:
            area = sub(mul(x, y), mul(xy, xy))
            cross = div(sub(ZERO, xy), area)
            put(S[0], 0, div(y, area))
            put(S[0], 1, cross)
            put(S[1], 0, cross)
            put(S[1], 1, div(x, area))
        return S


def _sum_in_order(n: Any) -> float:
    """A sum of numbers from left to right: sum() of Python 3.12 and of Julia add in other orders."""
    total = 0.0
    for k in range(len(n)):
        total += value(get(n, k))
    return total


class Factor:
    """The factored curvature at one point, for Newton's direction."""

    def __init__(self, fit: Fit, measures: Any) -> None:
        L = self.L = fit.size
        self.W, self.B = np.zeros((L, L)), np.zeros((L + 2, 2))
        likelihood.curvature(fit.cells.first, fit.cells.second, measures, self.W, self.B)
        likelihood.eliminate(self.W)
        self.used = [e for e, is_used in enumerate((fit.biased, fit.tied)) if is_used]
        self.Y = [self._solved(self.B[:L, e]) for e in self.used]
        known = list(zip(self.used, self.Y, strict=True))
        self.S = [[float(self.B[L + e, f]) - self._inner(self.B[:L, e], y) for f, y in known] for e in self.used]

    def _solved(self, g: Any) -> Any:
        x = g.copy()
        likelihood.solve(self.W, x)
        return x

    def _inner(self, x: Any, y: Any) -> float:
        total = 0.0
        for a, b in zip(x.tolist(), y.tolist(), strict=True):
            total += a * b
        return total

    def direction(self, g: Any) -> Any:
        """Newton's direction for the scores g: (L + 2,)."""
        d = np.zeros(self.L + 2)
        d[: self.L] = self._solved(g[: self.L])
        rest = [float(g[self.L + e]) - self._inner(g[: self.L], y) for e, y in zip(self.used, self.Y, strict=True)]
        for e, x, y in zip(self.used, self._solve_small(rest), self.Y, strict=True):
            d[self.L + e] = x
            d[: self.L] -= x * y
        return d

    def _solve_small(self, r: list[float]) -> list[float]:
        """The solution for position bias and tie parameter."""
        S = self.S
        if len(r) == 2:
            area = S[0][0] * S[1][1] - S[0][1] * S[1][0]
            return [(S[1][1] * r[0] - S[0][1] * r[1]) / area, (S[0][0] * r[1] - S[1][0] * r[0]) / area]
        return [r[0] / S[0][0]] if r else []


def flushed(x: Triple) -> Triple:
    """x, or 0 where it is below 2^-80."""
    return ZERO if abs(value(x)) < TINY else x
