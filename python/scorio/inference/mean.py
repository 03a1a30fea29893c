"""The plain average: its variance components as exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic.double_double import Ratio, Table, Triple, from_ratio, get, over_common_denominator, total
from ..outcomes.counts import Counts
from ..outcomes.states import MAX_DENSE, Array, Group, Sparse, SparseGroup, States, distinct_rows, score_sums
from .degrees_of_freedom import fill_variances_of_scores, sum_of_squares
from .variance import THETA, Parts

FINEST = 2**20  # a difference between two trials below 1/FINEST of the scale counts as that


class Scale(NamedTuple):
    """Scores w_j = (low + u_j span) / unit with u_j = U_j / span in [0, 1]; if all scores are equal, every U_j is 0."""

    U: list[int]
    span: int
    low: int
    unit: int


def scale(w: Sequence[float]) -> Scale:
    """Scores w as integers 0..span, with the unit that restores them."""
    return _scale(tuple(w))


@lru_cache(maxsize=64)
def _scale(w: tuple[float, ...]) -> Scale:
    W, unit = over_common_denominator(w)
    low = min(W)
    return Scale([x - low for x in W], max(max(W) - low, 1), low, unit)


class Average(NamedTuple):
    """Exact sums over the questions, x_i the mean of u over the trials of a question; every question has a trial."""

    M: int
    theta: Ratio  # the mean of the x_i
    trials: Ratio  # sum of v, the variances of the x_i over trials
    squares: Ratio  # sum of (x_i - theta)^2 M/(M-1)
    alone: Ratio  # the part of `trials` from questions with one trial
    spreads: list[tuple[int, int]]  # (n, sum over pairs of trials of (U - U')^2), of questions with n > 1
    range: Ratio  # the largest difference of u between two trials of a question, as it counts
    groups: list[Group] | list[SparseGroup]


def average(counts: Counts, U: Sequence[int], span: int) -> Average:
    """The exact sums of scores U_j / span."""
    groups = counts.groups()
    M = sum(g.M for g in groups)
    # n, sum of U, sum of U^2, sum over pairs of trials of (U - U')^2 of each group
    sums = [(g.n, *g.moments(U)) for g in groups]
    x, d = total([(g, n) for n, g, _, _ in sums])  # the sum of the x_i is x / (d span)
    q, e = total([(n * square - spread, n * n) for n, _, square, spread in sums])  # of the x_i^2: q / (e span^2)
    bessel_divisor = max(M - 1, 1)
    squares = q * d * d * M - x * x * e, e * d * d * bessel_divisor * span * span
    spreads = [(n, spread) for n, _, _, spread in sums if n > 1]
    alone = 0, 1
    if groups[0].n == 1:  # sum of (x_i - theta)^2 over questions with one trial, times M/(M-1)
        _, g, square, spread = sums[0]
        part = (square - spread) * d * d * M * M - 2 * x * d * M * g + groups[0].M * x * x
        alone = part, d * d * M * bessel_divisor * span * span
    within = [(spread, n * n * (n - 1) * span * span) for n, spread in spreads]
    trials = total([*within, alone]) if alone[0] or not within else total(within)
    # of two scores the range is the scale, also where no question varies: it counts as this
    largest = span if len(U) == 2 else max(g.largest_range(U) for g in groups)
    return Average(M, (x, d * M * span), trials, squares, alone, spreads, as_range(largest, span), groups)


def as_range(largest: int, span: int) -> Ratio:
    """The largest difference between two trials of a question, largest / span, as it counts: 1 if 0, never tiny."""
    return (1, FINEST) if 0 < largest * FINEST < span else (largest or span, span)


def single_trials(a: Average, span: int) -> Fraction:
    """Sum over questions of n v, the variance of a single trial."""
    parts = [(spread, n * (n - 1) * span * span) for n, spread in a.spreads]
    return Fraction(*total([*parts, a.alone]))


def parts(a: Average, use_mixture: bool) -> Parts:
    """The variance components of an average, rounded to triples."""
    (x, d), min_trials = a.theta, a.groups[0].n
    has_single = min_trials == 1  # some question has one trial
    # in the order of the rows of Parts.x
    rows = ((x, d), (d - x, d), a.trials, a.squares, (1, min_trials * min_trials), (1, min_trials), a.range)
    flat = [y for num, den in rows for y in from_ratio(num, den)]
    table = np.array(flat).reshape(-1, 3)
    single = has_single and len(a.groups) == 1
    return Parts(a.M, 1, table, single, some_single=has_single, short=has_single, use_mixture=use_mixture)


def point(a: Average, s: Scale) -> Ratio:
    """The average in units of w."""
    x, d = a.theta
    return x * s.span + s.low * d, d * s.unit


def scores(rows: Array, trials: Array, U: Sequence[int]) -> npt.NDArray[Any]:
    """sum_j U_j n_j of each row of counts, exact: as Python integers where 64 bits are too few."""
    wide = max(U) * int(trials.max()) >= 2**62
    u = np.array(U, dtype=object if wide else np.int64)
    return (rows.astype(object) if wide else rows) @ u[: rows.shape[1]]


def difference(a: Average, b: Average) -> Fraction:
    """The difference theta_A - theta_B, exactly."""
    return Fraction(*a.theta) - Fraction(*b.theta)


def squared_deviations(a: Sequence[Ratio], b: Sequence[Ratio], joint: States, D: Fraction) -> Fraction:
    """Sum over questions of (x_A - x_B - D)^2, exact; joint.n and joint.c index the mean scores in a and in b."""
    M, total = int(joint.mult.sum()), Fraction(0)
    if joint.mult.size <= 250:  # a loop is faster than arrays of objects, eight times where trials are unequal
        sums: dict[tuple[int, int], int] = {}
        for i, j, mult in zip(joint.n.tolist(), joint.c.tolist(), joint.mult.tolist(), strict=True):
            (p, n), (q, m) = a[i], b[j]
            sums[n, m] = sums.get((n, m), 0) + mult * (p * m - q * n) ** 2
        return sum((Fraction(z, (n * m) ** 2) for (n, m), z in sums.items()), total) - M * D * D
    # x / n and y / m are the scores of A and of B; each pair (n, m) of denominators has one sum of integers
    x, y, n, m = (np.array([pair[i] for pair in states], object) for i in (0, 1) for states in (a, b))
    wide = M * max(*map(abs, x), *map(abs, y)) ** 2 >= 2**62
    x, y = (z[at] if wide else z.astype(np.int64)[at] for z, at in ((x, joint.n), (y, joint.c)))
    sizes, _, pair = distinct_rows([np.unique(z, return_inverse=True)[1][at] for z, at in ((n, joint.n), (m, joint.c))])
    denominators = [np.unique(z) for z in (n, m)]
    for i, (n, m) in enumerate(zip(*(z[at].tolist() for z, at in zip(denominators, sizes, strict=True)), strict=True)):
        p, q, mult = (z[pair == i] for z in (x, y, joint.mult))
        xx, xy, yy = (int((s * t * mult).sum()) for s, t in ((p, p), (p, q), (q, q)))
        total += Fraction(xx, n * n) - Fraction(2 * xy, n * m) + Fraction(yy, m * m)
    return total - M * D * D


def values(counts: Counts, U: Sequence[int], span: int) -> tuple[list[Ratio], Table, Array]:
    """Mean score, exact and rounded, of each distinct pair (trials, sum of U); the index of each question's pair."""
    pairs, which = exact_values(counts, U, span)
    return pairs, np.array([from_ratio(x, n) for x, n in pairs]).reshape(-1, 3), which


def exact_values(counts: Counts, U: Sequence[int], span: int) -> tuple[list[Ratio], Array]:
    """Mean scores as fractions, of each distinct pair (trials, sum of U), and the index of each question's pair."""
    if counts.C == 1 and len(U) == 2:
        s = counts.states()
        states = zip(s.n.tolist(), s.c.tolist(), strict=True)
        return [(U[1] * c + U[0] * (n - c), n * span) for n, c in states], counts.state_indices()
    if counts.C > MAX_DENSE:
        n, row, sums = counts.trials, np.arange(counts.M), score_sums(counts.cells, U)[0]
    else:
        (n, *rows), _, row = distinct_rows([counts.trials, *counts.table.T])
        sums = scores(np.stack(rows, axis=1), n, U)
    keys = list(zip(n.tolist(), sums.tolist(), strict=True))
    pairs = sorted(set(keys))
    place = {key: i for i, key in enumerate(pairs)}
    return [(x, n * span) for n, x in pairs], np.array([place[key] for key in keys])[row]


def squared_variances(counts: Counts, U: Sequence[int], span: int, p: Parts) -> Triple:
    """The sum of the squared variances of the questions' means; with one trial v is a squared deviation."""
    if counts.C == 1 and not p.some_single:
        s = counts.states()
        # c (n - c) squared, exact in 64 bits or as Python's integers
        n, c, mult = s if int(s.n[-1]) ** 4 * p.M < 2**66 else (x.astype(object) for x in s)
        squares, u4 = (c * (n - c)) ** 2 * mult, (U[-1] - U[0]) ** 4
        start = np.flatnonzero(np.diff(s.n, prepend=0)) if s.n[0] != s.n[-1] else [0]
        terms = zip(np.add.reduceat(squares, start).tolist(), s.n[start].tolist(), strict=True)
        return from_ratio(*total([(u4 * x, N**4 * (N - 1) ** 2 * span**4) for x, N in terms]))
    if counts.C > MAX_DENSE:
        n, cells, mult = counts.trials, counts.cells, np.ones(counts.M, np.int64)
    else:
        (n, *columns), mult, _ = distinct_rows([counts.trials, *counts.table.T])
        cells = Sparse.of_matrix(np.stack(columns[1:], axis=1)).with_category_0(n)
    used, category = np.unique(cells.category, return_inverse=True)
    u = np.array([from_ratio(U[j], span) for j in used.tolist()]).reshape(-1, 3)
    v = np.empty((mult.size, 3))
    fill_variances_of_scores(n, cells.question, category.reshape(-1), cells.times, u, get(p.x, THETA), p.M, v)
    return sum_of_squares(v, mult)
