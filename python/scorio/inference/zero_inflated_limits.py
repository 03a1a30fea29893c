"""Limits of Pass@k under a fitted model, a test of its fit, and the number of further trials needed."""

from __future__ import annotations

import numpy as np

from ..arithmetic.distributions import normal_cdf
from ..arithmetic.double_double import (
    INV_SQRT_2PI,
    ONE,
    ZERO,
    Triple,
    add,
    div,
    exp,
    ext,
    get,
    mul,
    neg,
    put,
    root,
    sub,
    times_2_to,
    value,
)
from ..arithmetic.jit import jit
from .identified import Frequencies, Successes, band, below
from .zero_inflated import BOUND, FittedModel, factor, no_success, shapes

CELL = 3.0  # the smallest expected count of a cell of the test of fit
FAR = 28.0  # a change of a coordinate's logarithm that leaves its range from any value


@jit
def solved(v, s, o, k):
    """The share of questions with a success in k trials, and 1 minus it."""
    _, b, _ = shapes(v, s)
    Q, over = no_success(s, k, b), add(ONE, o)
    return div(sub(ONE, Q), over), div(add(Q, o), over)


@jit
def shifted(x, y):
    """The coordinate x e^y, kept within its range."""
    if abs(value(y)) < FAR:
        x = mul(x, exp(y))
        return ext(BOUND) if value(x) > BOUND else ext(1.0 / BOUND) if value(x) < 1.0 / BOUND else x
    return ext(BOUND) if y[0] > 0.0 else ext(1.0 / BOUND)


@jit
def model_at_distance(x, free, L, d, direction, distance, out):
    """Fill out with the model at this distance from x, whose information is L D L'; return whether it exists.

    The direction 0..26 has three digits in base 3, one for each coordinate: a step down, none, or a step up. A model
    exists for one step in a free coordinate, or for steps in all free ones.
    """
    y, signs, steps, n_free = np.zeros((3, 3)), np.zeros(3, np.int64), 0, 0
    for i in range(3):
        signs[i] = direction // 3**i % 3 - 1
        if signs[i] != 0 and not free[i]:
            return False
        steps, n_free = steps + signs[i] * signs[i], n_free + free[i]
    if steps == 0 or (steps != 1 and steps != n_free):
        return False
    for i in range(2, -1, -1):
        t = div(mul(ext(float(signs[i])), distance), root(mul(ext(float(steps)), get(d, i))))
        for l in range(i + 1, 3):
            t = sub(t, mul(get(L, 3 * l + i), get(y, l)))
        put(y, i, t)
        put(out, i, shifted(get(x, i), t) if free[i] else get(x, i))
    return True


@jit
def limits(v, s, o, free, m, k, z, out):
    """Fill rows of out: Pass@k of the fitted model, 1 minus it, its lower and upper limit, and 1 minus each limit.

    The limits are the smallest and the largest Pass@k (share of questions with a success in k trials) of the fitted
    model and of models around it. These are at distance 13/12 z from it, in coordinates in which its information m is
    the identity matrix: one step up or down in one free coordinate, or equal steps up or down in all of them. With two
    free coordinates they are the corners of an octagon that contains the circle of radius z. They do not depend on k,
    so no limit falls with k. If m is not positive definite, the limits are 0 and 1.
    """
    theta, rest = solved(v, s, o, k)
    for row in (0, 2, 3):
        put(out, row, theta)
    for row in (1, 4, 5):
        put(out, row, rest)
    x, y, L, d = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((9, 3)), np.zeros((3, 3))
    if not factor(m, L, d):
        put(out, 2, ZERO)
        put(out, 3, ONE)
        put(out, 4, ONE)
        put(out, 5, ZERO)
        return
    put(x, 0, v)
    put(x, 1, s)
    put(x, 2, o)
    distance = div(mul(z, ext(13.0)), ext(12.0))
    for direction in range(27):
        if model_at_distance(x, free, L, d, direction, distance, y):
            theta, rest = solved(get(y, 0), get(y, 1), get(y, 2), k)
            if below(theta, rest, get(out, 2), get(out, 4)):
                put(out, 2, theta)
                put(out, 4, rest)
            if below(get(out, 3), get(out, 5), theta, rest):
                put(out, 3, theta)
                put(out, 5, rest)


# --- goodness of fit ---------------------------------------------------------------------------------


@jit
def add_expected(n, mult, v, s, o, out):
    """Add the expected number of questions with c successes to out[c]; mult questions have n trials, n distinct."""
    a, b, _ = shapes(v, s)
    over = add(ONE, o)
    for r in range(n.size):
        N, number = n[r], div(ext(float(mult[r])), over)
        w = no_success(s, N, b)
        put(out, 0, add(get(out, 0), mul(number, add(o, w))))
        for c in range(N):
            up = mul(ext(float(N - c)), add(a, ext(float(c))))
            w = mul(w, div(up, mul(ext(float(c + 1)), add(b, ext(float(N - c - 1))))))
            put(out, c + 1, add(get(out, c + 1), mul(number, w)))


@jit
def pearson_statistic(expected, observed):
    """Pearson's X^2, and its number of cells: counts are joined until CELL are expected, the rest to the last cell."""
    total, cells, E, O, last_expected, last_observed = ZERO, 0, ZERO, 0, ZERO, 0
    for c in range(observed.size):
        E, O = add(E, get(expected, c)), O + observed[c]
        if value(E) >= CELL:
            if cells > 0:
                total = add(total, square(last_expected, last_observed))
            last_expected, last_observed, cells = E, O, cells + 1
            E, O = ZERO, 0
    if cells > 0:
        total = add(total, square(add(last_expected, E), last_observed + O))
    return total, cells


@jit
def square(E, O):
    """The term (O - E)^2 / E of Pearson's X^2."""
    d = sub(ext(float(O)), E)
    return div(mul(d, d), E)


@jit
def chi_square_tail(x, df):
    """P(X >= x) of a chi-square with df = 1, 2, ... degrees of freedom, by finite sums."""
    if x[0] <= 0.0:
        return ONE
    r = root(x)
    bell, total = exp(neg(times_2_to(x, -1.0))), ZERO
    if df % 2 == 0:
        term = ONE
        for i in range(df // 2):
            total, term = add(total, term), div(mul(term, x), ext(2.0 * (i + 1)))
        return mul(bell, total)
    term = r
    for i in range((df - 1) // 2):
        total, term = add(total, term), div(mul(term, x), ext(2.0 * i + 3.0))
    return times_2_to(add(normal_cdf(neg(r)), mul(mul(INV_SQRT_2PI, bell), total)), 1.0)


def goodness_of_fit(s: Successes, model: FittedModel, parameters: int) -> float | None:
    """The p-value of Pearson's test on the counts of successes; None if there are too few cells."""
    n, where = np.unique(s.n, return_inverse=True)
    mult = np.zeros(n.size, np.int64)
    np.add.at(mult, where, s.mult)
    size = int(n[-1]) + 1
    expected, observed = np.zeros((size, 3)), np.zeros(size, np.int64)
    np.add.at(observed, s.c, s.mult)
    add_expected(n, mult, model.v, model.s, model.o, expected)
    x, cells = pearson_statistic(expected, observed)
    df = cells - 1 - parameters
    return value(chi_square_tail(x, df)) if df > 0 else None


# --- how many more trials ------------------------------------------------------------------------------


@jit
def expected_width(M, n, k, v, s, o, z, out):
    """The width between the limits of the band that the model expects of n >= 2 trials per question."""
    a, b, _ = shapes(v, s)
    Q, over = no_success(s, n, b), add(ONE, o)
    not_atom = div(ext(float(M)), over)  # the number of questions with a rate above 0
    # f1, f2: the expected numbers of questions with 1 and 2 successes
    f1 = mul(mul(not_atom, Q), div(mul(ext(float(n)), a), add(b, ext(float(n - 1)))))
    f2 = mul(f1, div(mul(ext(0.5 * float(n - 1)), add(a, ONE)), add(b, ext(float(n - 2)))))
    band(M, n, k - n, div(sub(ONE, Q), over), mul(not_atom, add(Q, o)), f1, f2, z, out)
    return value(sub(get(out, 3), get(out, 0)))


def more_trials(f: Frequencies, k: int, model: FittedModel, width: float, z: Triple) -> int | None:
    """The fewest further trials, by bisection, with expected limits no wider than width; None if k are too few."""
    out = np.zeros((8, 3))

    def narrow(n: int) -> bool:
        return bool(expected_width(f.M, n, k, model.v, model.s, model.o, z, out) <= width)

    low, high = max(f.n, 1), k  # low is too few, high is enough
    if k < 2 or not narrow(k):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if narrow(middle):
            high = middle
        else:
            low = middle
    return high - f.n
