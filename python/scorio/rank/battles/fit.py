"""The maximum of the likelihood of one group of models, to the last digit of double-doubles.

The search takes Newton steps of a length that guarantees ascent. Once they are short it keeps the last curvature, and
stops before a step that is not shorter than half of the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from ...arithmetic.double_double import (
    ONE,
    ZERO,
    Triple,
    add,
    div,
    ext,
    from_fraction,
    get,
    log,
    mul,
    put,
    sub,
    times_2_to,
    value,
)
from . import likelihood
from .likelihood import zeros

SHORT_STEP = 2.0**-20  # shorter steps are not damped and keep the last curvature
MOST_STEPS = 500
NEGLIGIBLE = 2.0**-80  # smaller differences of log strengths count as 0


class Cells:
    """Ordered pairs of models, first and second: (cells,), and the counts of their outcomes: (3, cells, 3).

    The first axis of counts: FIRST, TIE, SECOND of table.py; the last: the parts of a triple.
    """

    def __init__(self, first: Any, second: Any, counts: Any) -> None:
        self.first, self.second, self.counts = first, second, counts

    @classmethod
    def from_fractions(cls, pairs: Sequence[tuple[int, int]], counts: Sequence[Sequence[Fraction]]) -> Cells:
        """Cells from exact counts, which are fractions."""
        triples = zeros(3, len(pairs))
        for k, three in enumerate(counts):
            for o, n in enumerate(three):
                put(triples[o], k, from_fraction(n))
        first, second = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
        return cls(first, second, triples)

    def indices_within(self, new_index: Any) -> Any:
        """Indices of the cells whose two models both have an entry >= 0 in new_index."""
        return np.flatnonzero((new_index[self.first] >= 0) & (new_index[self.second] >= 0))

    def renumbered(self, which: Any, new_index: Any) -> Cells:
        """The cells with the indices `which`, their models renumbered by new_index."""
        counts = np.ascontiguousarray(self.counts[:, which])
        return Cells(new_index[self.first[which]], new_index[self.second[which]], counts)

    def derivatives_at(self, fit: Fit) -> Any:
        """Scores and curvatures of all cells at the strengths of a fit: (5, cells, 3)."""
        out = zeros(5, self.first.size)
        likelihood.all_derivatives(fit.model, self.first, self.second, self.counts, fit.p, fit.bias, fit.tie, out)
        return out


class Fit:
    """Maximum likelihood estimates: strengths p, their centred logs theta, position bias, tie parameter.

    model: an index in likelihood.MODELS. biased, tied: whether position bias and tie parameter are estimated.
    """

    def __init__(self, size: int, cells: Cells, ties: str, biased: bool) -> None:
        self.size, self.cells, self.biased, self.model = size, cells, biased, likelihood.MODELS.index(ties)
        self.tied = ties != "half" and bool(np.any(cells.counts[1, :, 0]))
        self.p, self.bias, self.tie = zeros(size), ONE, self._starting_tie()
        for i in range(size):
            put(self.p, i, ONE)
        self._maximize()
        self.theta = self._centred()

    def _starting_tie(self) -> Triple:
        """The starting value of the tie parameter: approximately its estimate if all models are equally strong."""
        lowest = ONE if self.model == 2 else ZERO
        if not self.tied:
            return lowest
        wins, ties, losses = map(_sum_in_order, self.cells.counts)
        return add(lowest, ext(2.0 * ties / (wins + losses)))

    # --- steps ---

    def _maximize(self) -> None:
        """Take Newton's steps until the next one, by the kept curvature, is not shorter than half of the last one."""
        last, factor = inf, None
        for _ in range(MOST_STEPS):
            derivatives = self.cells.derivatives_at(self)
            keeps_factor = factor is not None
            if factor is None:
                factor = Factor(self, derivatives)
            d = factor.direction(self._scores(derivatives))
            reach = likelihood.largest_change(self.cells.first, self.cells.second, d)
            if keeps_factor and not reach < 0.5 * last:
                return
            full_step = keeps_factor or reach < SHORT_STEP
            self._step(d, 1.0 if full_step else 2.0 / (2.0 + reach))
            if not full_step:
                factor = None
            last = reach if full_step else inf
        raise ArithmeticError("the strengths do not converge")

    def _scores(self, derivatives: Any) -> Any:
        """The scores of all parameters, as doubles."""
        g = zeros(self.size + 2)
        likelihood.gradient(self.cells.first, self.cells.second, derivatives, g)
        return np.array([value(get(g, i)) for i in range(len(g))])

    def _step(self, d: Any, t: float) -> None:
        """Move all log parameters by t d; the tie parameter of Rao and Kupper goes at most half of the way to 1."""
        likelihood.step_all(self.p, d[: self.size], t)
        if self.biased:
            self.bias = likelihood.times_exp(self.bias, t * float(d[self.size]))
        if self.tied:
            new = likelihood.times_exp(self.tie, t * float(d[self.size + 1]))
            if self.model == 2:
                lowest = add(ONE, times_2_to(sub(self.tie, ONE), -1.0))
                new = new if sub(new, lowest)[0] > 0.0 else lowest
            self.tie = new

    # --- estimates ---

    def expanded(self, at: Any, cells: Cells) -> Fit:
        """A fit of more models: model k has the strength of model at[k] of this fit."""
        out = copy(self)
        out.size, out.cells, out.p = len(at), cells, self.p[at]
        out.theta = out._centred()
        return out

    def _centred(self) -> list[Triple]:
        """Log strengths of mean 0, with tiny values set to 0."""
        logs = [log(get(self.p, i)) for i in range(self.size)]
        total = ZERO
        for x in logs:
            total = add(total, x)
        mean = div(total, ext(float(self.size)))
        return [flush_tiny(sub(x, mean)) for x in logs]

    def log_ratio(self, i: int, j: int) -> Triple:
        """The difference of log strengths theta_i - theta_j."""
        return flush_tiny(log(div(get(self.p, i), get(self.p, j))))

    @property
    def advantage(self) -> Triple:
        """The log of the position bias."""
        return flush_tiny(log(self.bias))

    def inverse_curvature(self, which: Sequence[int] | None = None) -> Any:
        """The inverse of the curvature with the first strength fixed, (L + 4, L + 4, 3).

        Rows and columns: the L models, position bias, tie parameter, mean of the models, zeros.
        which: the models whose rows are needed; then the row of the mean is not filled.
        """
        derivatives, L = self.cells.derivatives_at(self), self.size
        rows = np.array(range(L) if which is None else sorted({*which}), np.int64)
        W, B, U = zeros(L, L), zeros(2, L + 2), zeros(L + 4, L + 4)
        likelihood.curvature_exact(self.cells.first, self.cells.second, derivatives, W, B)
        likelihood.eliminate_exact(W)
        likelihood.unit_columns(W, rows, U)
        if self.biased or self.tied:
            Y = B[:, :L].copy()
            for e in range(2):
                likelihood.solve_exact(W, Y[e])
            likelihood.border(rows, Y, self._inverse_schur(B, Y), U)
        if which is None:
            likelihood.average(U, L)
        return U

    def _inverse_schur(self, B: Any, Y: Any) -> Any:
        """The inverse of the Schur complement of position bias and tie parameter: (2, 2, 3)."""
        S = zeros(2, 2)
        x, xy, y = (likelihood.schur(B, Y, e, f) for e, f in ((0, 0), (0, 1), (1, 1)))
        if not self.tied:
            put(S[0], 0, div(ONE, x))
        elif not self.biased:
            put(S[1], 1, div(ONE, y))
        else:
            determinant = sub(mul(x, y), mul(xy, xy))
            cross = div(sub(ZERO, xy), determinant)
            put(S[0], 0, div(y, determinant))
            put(S[0], 1, cross)
            put(S[1], 0, cross)
            put(S[1], 1, div(x, determinant))
        return S


def _sum_in_order(n: Any) -> float:
    """The sum of n from left to right; sum() of Python 3.12 and of Julia round differently."""
    total = 0.0
    for k in range(len(n)):
        total += value(get(n, k))
    return total


class Factor:
    """The factored curvature at the strengths of a fit, for Newton's direction.

    estimated: which of position bias (0) and tie parameter (1) are; Y: for each of them, its column of B solved by W;
    S: their Schur complement.
    """

    def __init__(self, fit: Fit, derivatives: Any) -> None:
        L = self.L = fit.size
        self.W, self.B = np.zeros((L, L)), np.zeros((L + 2, 2))
        likelihood.curvature(fit.cells.first, fit.cells.second, derivatives, self.W, self.B)
        likelihood.eliminate(self.W)
        self.estimated = [e for e, is_estimated in enumerate((fit.biased, fit.tied)) if is_estimated]
        self.Y = [self._solved(self.B[:L, e]) for e in self.estimated]
        solved = list(zip(self.estimated, self.Y, strict=True))
        self.S = [[float(self.B[L + e, f]) - self._dot(self.B[:L, e], y) for f, y in solved] for e in self.estimated]

    def _solved(self, g: Any) -> Any:
        """The solution of the factored system for g."""
        x = g.copy()
        likelihood.solve(self.W, x)
        return x

    def _dot(self, x: Any, y: Any) -> float:
        """The scalar product, summed from left to right."""
        total = 0.0
        for a, b in zip(x.tolist(), y.tolist(), strict=True):
            total += a * b
        return total

    def direction(self, g: Any) -> Any:
        """Newton's direction for the scores g: (L + 2,)."""
        d = np.zeros(self.L + 2)
        d[: self.L] = self._solved(g[: self.L])
        residual = [
            float(g[self.L + e]) - self._dot(g[: self.L], y) for e, y in zip(self.estimated, self.Y, strict=True)
        ]
        for e, x, y in zip(self.estimated, self._solve_small(residual), self.Y, strict=True):
            d[self.L + e] = x
            d[: self.L] -= x * y
        return d

    def _solve_small(self, r: list[float]) -> list[float]:
        """Newton's direction for those of position bias and tie parameter that are estimated."""
        S = self.S
        if len(r) == 2:
            determinant = S[0][0] * S[1][1] - S[0][1] * S[1][0]
            return [(S[1][1] * r[0] - S[0][1] * r[1]) / determinant, (S[0][0] * r[1] - S[1][0] * r[0]) / determinant]
        return [r[0] / S[0][0]] if r else []


def flush_tiny(x: Triple) -> Triple:
    """x, or 0 where |x| is below 2^-80."""
    return ZERO if abs(value(x)) < NEGLIGIBLE else x
