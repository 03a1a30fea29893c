"""The third central moment of a difference, which tells how its variance changes with the true difference.

Over sampled questions it comes from their differences, over the trials of fixed questions from the scores or from the
variances of neighbouring states (a success fewer or more); where few trials do not tell its sign, only a bound is
known. The formulas: spec/families/looks.md, kappa and beta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

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
    neg,
    product,
    put,
    root,
    sub,
    times_2_to,
)
from ..arithmetic.jit import jit
from .degrees_of_freedom import mean_scores
from .variance import larger


class ThirdMoment(NamedTuple):
    """An estimated third central moment, the sum of its squared terms, and a bound on the part of unknown sign.

    range is the largest difference of a sampled unit less the smallest, at least 1: what one more failure may change.
    """

    moment: Triple = ZERO
    squares: Triple = ZERO
    bound: Triple = ZERO
    range: Triple = ONE

    def negated(self) -> ThirdMoment:
        """The third moment of the negative of the difference."""
        return self._replace(moment=neg(self.moment))

    def uncertainty(self) -> Triple:
        """How far the third moment may be from its estimate: a standard error, and the bound."""
        x: Triple = add(root(self.squares), self.bound)
        return x

    def over(self, M: int) -> ThirdMoment:
        """The third moment of a mean, from that of the sum over M questions."""
        n = ext(float(M))
        cube = mul(mul(n, n), n)
        return ThirdMoment(
            div(self.moment, cube), div(self.squares, mul(cube, cube)), div(self.bound, cube), self.range
        )


Lazy = Callable[[], ThirdMoment]


def combined(parts: Iterable[tuple[Triple, ThirdMoment]]) -> ThirdMoment:
    """The third moment of a sum of independent terms that have these weights; a negative weight subtracts."""
    moment, squares, bound, largest_range = ZERO, ZERO, ZERO, ONE
    for w, x in parts:
        cube = mul(mul(w, w), w)
        moment, squares = add(moment, mul(cube, x.moment)), add(squares, mul(mul(cube, cube), x.squares))
        bound = add(bound, mul(cube if cube[0] >= 0.0 else neg(cube), x.bound))
        largest_range = larger(largest_range, x.range)
    return ThirdMoment(moment, squares, bound, largest_range)


# --- over sampled units ------------------------------------------------------------------------------


@jit
def joint_odd_power_sums(a, b, mult, u, v, D):
    """Sums of d^3 and of its square over joint states (a, b), d = u_a - v_b - D; the range of d, at least 1."""
    third, sixth, low, high = ZERO, ZERO, ZERO, ZERO
    for i in range(mult.size):
        d, number = sub(sub(get(u, a[i]), get(v, b[i])), D), ext(float(mult[i]))
        cube = mul(mul(d, d), d)
        third, sixth = add(third, mul(cube, number)), add(sixth, mul(mul(cube, cube), number))
        low, high = widened(low, high, d)
    return third, sixth, larger(sub(high, low), ONE)


@jit
def cubes(means, center, sizes, M, out):
    """Fill out[g] with (m (mean_g - center) / M)^3, m the size of cluster g."""
    for g in range(sizes.size):
        d = div(mul(sub(get(means, g), center), ext(float(sizes[g]))), ext(float(M)))
        put(out, g, mul(mul(d, d), d))


@jit
def range_of(x):
    """The largest less the smallest of x, at least 1."""
    low, high = get(x, 0), get(x, 0)
    for g in range(x.shape[0]):
        low, high = widened(low, high, get(x, g))
    return larger(sub(high, low), ONE)


@jit
def widened(low, high, d):
    """The ends low and high; d replaces an end beyond which it lies."""
    if sub(d, high)[0] > 0.0:
        return low, d
    return (d, high) if sub(low, d)[0] > 0.0 else (low, high)


# --- over the trials of a question -------------------------------------------------------------------


@jit
def bound_of_moment(v, e, n, k):
    """Bound on the size of the third moment of n trials: sqrt(v e), e the variance of v, or v k / n for n < 2k."""
    if v[0] <= 0.0:
        return ZERO
    return root(mul(v, e)) if n >= 2 * k else div(mul(v, ext(float(k))), ext(float(n)))


@jit
def moment_of_outcomes(v, n, c):
    """The third moment of the share of successes, from its estimated variance v; n >= 3 trials."""
    return div(mul(v, ext(float(n - 2 * c))), product(float(n), float(n - 2)))


@jit
def moment_of_state(v, e, below, above, n, c):
    """The third moment of a credit that rises with c, from the linear part of v in c; below, above: v at c - 1, c + 1.

    It is the covariance of the credit and v, at most the root of v e, with the sign of the slope of v; that root is the
    second result. Tried and dropped: the third moment at the rate c / n, and the covariance by the slopes of both,
    which for many successes and few failures are a third of it, or 0.
    """
    if v[0] <= 0.0:
        return ZERO, ZERO
    # g: the estimated variance of c; linear, quadratic: the variances of these parts of v as a function of c
    g, slope = div(product(float(c), float(n - c)), ext(float(n - 1))), sub(above, below)
    bend = mul(g, sub(add(above, below), times_2_to(v, 1.0)))
    linear, quadratic, square = (
        times_2_to(mul(g, mul(slope, slope)), -2.0),
        times_2_to(mul(bend, bend), -1.0),
        mul(v, e),
    )
    largest = root(square)
    x = root(mul(square, div(linear, quadratic))) if sub(linear, quadratic)[0] < 0.0 else largest
    return (x if slope[0] >= 0.0 else neg(x)), largest


@jit
def fill_moments_of_scores(n, question, category, times, u, v, e, known, bound):
    """Fill known with the third central moment of each question's mean score, without bias; as in mean_scores().

    For fewer than three trials fill bound instead.
    """
    means, sums = mean_scores(n, question, category, times, u), np.zeros((n.size, 3))
    for t in range(category.size):
        i = question[t]
        d = sub(get(u, category[t]), get(means, i))
        put(sums, i, add(get(sums, i), mul(mul(mul(d, d), d), ext(float(times[t])))))
    for i in range(n.size):
        if n[i] >= 3:
            put(known, i, div(div(get(sums, i), product(float(n[i]), float(n[i] - 1))), ext(float(n[i] - 2))))
        else:
            put(bound, i, bound_of_moment(get(v, i), get(e, i), n[i], 1))


@jit
def fill_moments_of_states(n, c, k, v, e, below, above, signed, known, bound):
    """Fill the third moment of each state, if its sign is known (signed), and its bound; below, above: v at c -+ 1."""
    for i in range(n.size):
        if not signed[i]:
            put(bound, i, bound_of_moment(get(v, i), get(e, i), n[i], k))
        elif k == 1:
            put(known, i, moment_of_outcomes(get(v, i), n[i], c[i]))
        elif 0 < c[i] < n[i]:
            x, largest = moment_of_state(get(v, i), get(e, i), get(below, i), get(above, i), n[i], c[i])
            put(known, i, x)
            if n[i] < 3 * k:
                put(bound, i, sub(largest, x if x[0] >= 0.0 else neg(x)))


@jit
def sums_over_questions(known, bound, mult):
    """The sums over questions of known, of its squares and of bound; mult questions have each state."""
    moment, squares, total_bound = ZERO, ZERO, ZERO
    for i in range(mult.size):
        number, x = ext(float(mult[i])), get(known, i)
        moment, squares = add(moment, mul(x, number)), add(squares, mul(mul(x, x), number))
        total_bound = add(total_bound, mul(get(bound, i), number))
    return moment, squares, total_bound
