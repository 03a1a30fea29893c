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
from .variance import RANGE, TRIALS, stabiliser

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
def df_of_trials(x, squares_x, y, squares_y, largest):
    """Degrees of freedom of a pair's trial-to-trial variance; squares_x: squared_variances of the model of x."""
    s = stabiliser(x, y, largest)
    both = add(add(get(x, TRIALS), get(y, TRIALS)), s)
    return satterthwaite(both, add(add(squares_x, squares_y), mul(s, s)))


@jit
def df_of_interval(x, squares):
    """Degrees of freedom of an interval, from one model's Parts.x and its squared_variances.

    They are 1 / (1/df - 1/NORMAL) with Satterthwaite's df; ZERO stands for the normal distribution.
    """
    s = stabiliser(x, x, get(x, RANGE))
    df = satterthwaite(add(get(x, TRIALS), s), add(squares, mul(s, s)))
    missing_df = sub(ext(NORMAL), df)
    if missing_df[0] <= 0.0:
        return ZERO
    df = div(mul(ext(NORMAL), df), missing_df)
    return ZERO if sub(df, MOST)[0] >= 0.0 else df


@jit
def has_normal_interval(x, largest):
    """Whether NORMAL degrees of freedom are certain if no question has a larger variance v."""
    S, s = value(get(x, TRIALS)), value(stabiliser(x, x, get(x, RANGE)))
    # 2 (S + s)^2 / (sum of v^2 + s^2) is at least NORMAL from a factor of 1/2 on; .51 leaves room for rounding
    return (S + s) ** 2 > 0.51 * NORMAL * (largest * S + s * s)


@jit
def df_of_sampling(Z, constant, most):
    """Degrees of freedom of Z + constant, Z a variance with `most` degrees of freedom; at most these."""
    most = smaller(most, MOST)
    if constant[0] == 0.0:
        return most
    total, half = add(Z, constant), times_2_to(mul(constant, constant), -1.0)
    return smaller(most, div(mul(total, total), add(div(mul(Z, Z), most), half)))


def pooled(total: Triple, parts: Sequence[tuple[Triple, Triple]]) -> Triple:
    """Welch's degrees of freedom of `total`, a sum of variances, from its estimated parts (variance, freedom)."""
    if total[0] == 0.0:
        return FEWEST
    denominator = ZERO
    for v, freedom in parts:
        denominator = add(denominator, div(mul(v, v), freedom))
    return smaller(div(mul(total, total), denominator), MOST) if denominator[0] else MOST


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
    return smaller(div(mul(total, total), mul(denominator, denominator)), MOST)


@jit
def sum_of_squares(v, mult):
    """The sum of the squares of v, of which mult questions have each."""
    total = ZERO
    for i in range(mult.size):
        x = get(v, i)
        total = add(total, mul(mul(x, x), ext(float(mult[i]))))
    return total


@jit
def fill_variances_of_scores(n, question, category, times, u, theta, M, v):
    """Fill v with the variance of the mean score of each question of n trials.

    times[t] trials of question[t] have the score u[category[t]]. v is the sum of (score - mean)^2 / (n (n-1)); for one
    trial (score - theta)^2 M/(M-1).
    """
    means = np.zeros((n.size, 3))
    for t in range(category.size):
        i = question[t]
        put(means, i, add(get(means, i), mul(get(u, category[t]), ext(float(times[t])))))
    for i in range(n.size):
        put(means, i, div(get(means, i), ext(float(n[i]))))
        put(v, i, ZERO)
    for t in range(category.size):
        i = question[t]
        d = sub(get(u, category[t]), get(means, i))
        put(v, i, add(get(v, i), mul(mul(d, d), ext(float(times[t])))))
    bessel = div(ext(float(M)), ext(float(M - 1))) if M > 1 else ONE
    for i in range(n.size):
        if n[i] == 1:
            d = sub(get(means, i), theta)
            put(v, i, mul(mul(d, d), bessel))
        else:
            put(v, i, div(get(v, i), product(float(n[i]), float(n[i] - 1))))
