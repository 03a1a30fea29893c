"""Sums over groups of questions, and over splits of builds, in double-doubles: kernels of alarms and steps."""

from __future__ import annotations

from math import sqrt

from ..arithmetic.distributions import central_ratio, density, mills_ratio
from ..arithmetic.double_double import HALF, ONE, ZERO, add, div, ext, get, mul, product, put, root, sub, value
from ..arithmetic.jit import jit
from ..arithmetic.normal import tail

# --- alarms: rows are groups of questions -----------------------------------------------------------


@jit
def variance_of_difference(N, n, spreads):
    """The sum of R (1/n + 1/N), R = spread/(N (N - 1)), of which rows are groups."""
    x = ZERO
    for g in range(N.size):
        size, trials = ext(float(N[g])), ext(float(n[g]))
        r = div(get(spreads, g), product(float(N[g]), float(N[g] - 1)))
        x = add(x, mul(r, div(add(size, trials), mul(size, trials))))
    return x


@jit
def add_inverses(n, m, out):
    """Add 1/n + 1/m to each row."""
    for g in range(n.size):
        put(out, g, add(get(out, g), add(div(ONE, ext(float(n[g]))), div(ONE, ext(float(m[g]))))))


@jit
def weighted_variances(N, spreads, weights):
    """The sum of R times the weight, R = spread/(N (N - 1))."""
    x = ZERO
    for g in range(N.size):
        x = add(x, mul(div(get(spreads, g), product(float(N[g]), float(N[g] - 1))), get(weights, g)))
    return x


# --- steps: rows are builds -------------------------------------------------------------------------


@jit
def below_centre(x):
    """The probability P(0 < Z < x), x >= 0."""
    if value(x) > 3.0:
        return sub(HALF, mul(mills_ratio(x), density(x)))
    return mul(central_ratio(x), density(x)) if x[0] > 0.0 else ZERO


@jit
def crossings(z, trials):
    """The sum over splits of P(0 < Z < z a), a^2 = (1 - rho)/(1 + rho); trials: up to each split, from 0 to all."""
    m, x = trials.shape[0] - 1, ZERO
    every = sub(get(trials, m), get(trials, 0))
    for k in range(1, m - 1):
        before, here = sub(get(trials, k), get(trials, 0)), sub(get(trials, k + 1), get(trials, k))
        after, both = sub(every, before), add(before, here)
        whole = mul(both, after)
        rho = root(div(mul(before, sub(after, here)), whole))
        # 1 - rho^2 without a subtraction
        a = div(root(div(mul(here, every), whole)), add(ONE, rho))
        x = add(x, below_centre(mul(z, a)))
    return x


@jit
def crossings_in_doubles(z, trials):
    """The sum of crossings() in doubles."""
    m, x = trials.size - 1, 0.0
    every = trials[m] - trials[0]
    for k in range(1, m - 1):
        before, here = trials[k] - trials[0], trials[k + 1] - trials[k]
        after, both = every - before, before + here
        rho = sqrt(before / both * ((after - here) / after))
        x += 0.5 - tail(z * (sqrt(here / both * (every / after)) / (1.0 + rho)))
    return x
