"""Degrees of freedom of the t distribution of an estimate: how precisely its variance is estimated.

A variance estimate of mean a and variance b behaves like a chi-square of 2 a^2 / b degrees of freedom (Satterthwaite).
The formulas: spec/families/comparisons.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arithmetic.double_double import (
    ONE,
    ZERO,
    Triple,
    add,
    div,
    ext,
    get,
    mul,
    product,
    put,
    root,
    sub,
    times_2_to,
    value,
)
from ..arithmetic.jit import jit
from .variance import STABILISER, TRIALS, larger

MOST = (1e6, 0.0, 0.0)  # the most degrees of freedom that are used: the t distribution is then nearly normal
FEWEST = (2.0, 0.0, 0.0)  # used where the estimated variance is 0
NORMAL = 30.0  # an interval of fixed questions takes the normal quantile from this many degrees on


@jit
def smaller(x, y):
    return y if sub(x, y)[0] >= 0.0 else x


@jit
def satterthwaite(mean, variance):
    """Degrees of freedom of a variance estimate: 2 mean^2 / variance up to MOST, FEWEST if the mean is 0."""
    if mean[0] == 0.0:
        return FEWEST
    return smaller(div(times_2_to(mul(mean, mean), 1.0), variance), MOST)


@jit
def df_of_trials(x, error_x, y, error_y):
    """Degrees of freedom of a pair's trial-to-trial variance, from the Parts.x of each model and its trials_error()."""
    s = larger(get(x, STABILISER), get(y, STABILISER))
    both = add(add(get(x, TRIALS), get(y, TRIALS)), s)
    return satterthwaite(both, add(add(error_x, error_y), mul(s, s)))


@jit
def df_of_interval(x, error):
    """Degrees of freedom of an interval, from one model's Parts.x and its trials_error().

    They are 1 / (1/df - 1/NORMAL) with Satterthwaite's df; ZERO stands for the normal distribution.
    """
    s = get(x, STABILISER)
    df = satterthwaite(add(get(x, TRIALS), s), add(error, mul(s, s)))
    missing_df = sub(ext(NORMAL), df)
    if missing_df[0] <= 0.0:
        return ZERO
    df = div(mul(ext(NORMAL), df), missing_df)
    return ZERO if sub(df, MOST)[0] >= 0.0 else df


@jit
def has_normal_interval(x, relative_error):
    """Whether NORMAL degrees of freedom are certain if the variance of S, the sum of v, is <= relative_error * S."""
    S, s = value(get(x, TRIALS)), value(get(x, STABILISER))
    # 2 (S + s)^2 / (variance of S + s^2) is at least NORMAL from a factor of 1/2 on; .51 leaves room for rounding
    return (S + s) ** 2 > 0.51 * NORMAL * (relative_error * S + s * s)


@jit
def df_of_units(Z, squares, constant, G):
    """Degrees of freedom of Z + constant; Z, squares: sums of the unbiased terms of G units and of their squares."""
    correction = div(mul(mul(Z, Z), ext(float(G - 3))), product(float(G), float(G - 1)))
    return satterthwaite(add(Z, constant), add(sub(squares, correction), mul(constant, constant)))


@jit
def df_of_questions(second, fourth, constant, M):
    """Degrees of freedom of M questions, from sums of squares and fourth powers around the mean; at most M - 1."""
    bessel = div(ext(float(M)), ext(float(M - 1)))
    Z, squares = mul(second, bessel), mul(fourth, mul(bessel, bessel))
    return smaller(df_of_units(Z, squares, constant, M), ext(float(M - 1)))


def products_of_pairs(constants: Sequence[Triple]) -> Triple:
    """The sum of the products of all pairs of numbers."""
    total, products = ZERO, ZERO
    for c in constants:
        products, total = add(products, mul(total, c)), add(total, c)
    return products


def pooled(total: Triple, parts: Sequence[tuple[Triple, Triple]], denominator: Triple = ZERO) -> Triple:
    """Degrees of freedom of a sum of variances, `total`, from its estimated parts (variance, degrees of freedom).

    denominator: added to the sum of squared variances over their degrees of freedom.
    """
    if total[0] == 0.0:
        return FEWEST
    for v, freedom in parts:
        denominator = add(denominator, div(mul(v, v), freedom))
    x: Triple = smaller(div(mul(total, total), denominator), MOST) if denominator[0] else MOST
    return x


def summed(parts: Sequence[tuple[Triple, Triple]]) -> Triple:
    """Degrees of freedom of a sum of variances.

    A part that is 0, or that has ZERO degrees of freedom, counts as known exactly. If all parts do, so does the sum.
    """
    estimated = [x for x in parts if x[0][0] and x[1][0]]
    total = ZERO
    for v, _ in parts:
        total = add(total, v)
    return pooled(total, estimated) if estimated else ZERO


def dependent(v: Triple, f: Triple, w: Triple, g: Triple) -> Triple:
    """Degrees of freedom of v + w, variances with f and g degrees of freedom that may be dependent.

    A part that is 0, or that has ZERO degrees of freedom, counts as known exactly.
    """
    if not (v[0] and f[0] and w[0] and g[0]):
        return summed([(v, f), (w, g)])
    total, denominator = add(v, w), add(div(v, root(f)), div(w, root(g)))
    x: Triple = smaller(div(mul(total, total), mul(denominator, denominator)), MOST)
    return x


def welch(v: Triple, f: Triple, w: Triple, g: Triple) -> Triple:
    """Welch's degrees of freedom of v + w, variances with f and g degrees of freedom."""
    return pooled(add(v, w), [(v, f), (w, g)])


@jit
def error_of_sum(v, e, mult, M, short):
    """Variance of the sum of variances v, from the variance e of each; unless short, at most its estimate from all v.

    short: some question has fewer than the 2k trials from which its v would be measured.
    """
    total, squares, each = ZERO, ZERO, ZERO
    for i in range(mult.size):
        number, x = ext(float(mult[i])), get(v, i)
        total = add(total, mul(x, number))
        squares = add(squares, mul(mul(x, x), number))
        each = add(each, mul(get(e, i), number))
    if short:
        return each
    if total[0] < 0.0:
        total = ZERO
    return smaller(each, sub(squares, div(mul(total, total), ext(float(M + 1)))))


@jit
def error_of_state(v, below, above, n, c):
    """Variance of v, from its slope and curvature in c (successes in n trials); below, above: v at c - 1, c + 1.

    It is at most v^2.
    """
    g = div(product(float(c), float(n - c)), ext(float(n - 1)))
    slope = mul(g, times_2_to(mul(sub(above, below), sub(above, below)), -2.0))
    bend = mul(g, sub(add(above, below), times_2_to(v, 1.0)))
    return smaller(add(slope, times_2_to(mul(bend, bend), -1.0)), mul(v, v))


@jit
def mean_scores(n, question, category, times, u):
    """The mean score of each question of n trials: times[t] trials of question[t] have the score u[category[t]]."""
    x = np.zeros((n.size, 3))
    for t in range(category.size):
        i = question[t]
        put(x, i, add(get(x, i), mul(get(u, category[t]), ext(float(times[t])))))
    for i in range(n.size):
        put(x, i, div(get(x, i), ext(float(n[i]))))
    return x


@jit
def fill_errors_of_scores(n, question, category, times, u, theta, M, v, e):
    """Fill v with the variance of each question's mean score, and e with the variance of v; as in mean_scores().

    v: sum of (score - mean)^2 / (n (n-1)); for one trial (score - theta)^2 M/(M-1). e: from moments 2 and 4 of the
    scores; at most v^2.
    """
    means, m2, m4 = mean_scores(n, question, category, times, u), np.zeros((n.size, 3)), np.zeros((n.size, 3))
    for t in range(category.size):
        i = question[t]
        d = sub(get(u, category[t]), get(means, i))
        square = mul(mul(d, d), ext(float(times[t])))
        put(m2, i, add(get(m2, i), square))
        put(m4, i, add(get(m4, i), mul(square, mul(d, d))))
    bessel = div(ext(float(M)), ext(float(M - 1))) if M > 1 else ONE
    for i in range(n.size):
        if n[i] == 1:
            d = sub(get(means, i), theta)
            x = mul(mul(d, d), bessel)
            put(v, i, x)
            put(e, i, mul(x, x))
        else:
            x = div(get(m2, i), product(float(n[i]), float(n[i] - 1)))
            put(v, i, x)
            put(e, i, error_of_scores(n[i], get(m2, i), get(m4, i), x))


@jit
def error_of_scores(n, m2, m4, v):
    """Variance of v, the variance of a question's mean score, from sums of powers 2 and 4 around the mean."""
    N, n_minus_1 = ext(float(n)), ext(float(n - 1))
    m2, m4 = div(m2, N), div(m4, N)
    e = sub(m4, div(mul(mul(m2, m2), ext(float(n - 3))), n_minus_1))
    if e[0] <= 0.0:
        return ZERO
    return smaller(div(e, mul(n_minus_1, mul(n_minus_1, n_minus_1))), mul(v, v))


@jit
def fill_errors_of_states(n, c, v, below, above, measured, e):
    """Fill e, 0 at first, with the variance of each v, which stays 0 for a measured v at c = 0 or c = n.

    measured: whether n >= 2k, so that v has no model and no bound; below, above: the measured v at c - 1 and c + 1.
    """
    for i in range(n.size):
        if not measured[i]:
            put(e, i, mul(get(v, i), get(v, i)))
        elif 0 < c[i] < n[i]:
            put(e, i, error_of_state(get(v, i), get(below, i), get(above, i), n[i], c[i]))
