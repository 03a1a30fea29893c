"""Pass@k for k > n without a model: the band over all distributions of success rates, and limits that cover it.

A question is solved if it has a success; Pass^k is 1 minus Pass@k with successes and failures exchanged. The formulas:
spec/families/extrapolation.md.
"""

from __future__ import annotations

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
    power,
    product,
    put,
    ratio,
    root,
    sub,
    value,
)
from ..arithmetic.jit import jit
from ..metrics import hypergeometric
from ..outcomes.states import Array
from .variance import wilson

FEW = 2  # only questions with at most this many successes widen the band


class Successes(NamedTuple):
    """Distinct (trials, successes), and how many questions share each."""

    n: Array
    c: Array
    mult: Array


class Frequencies(NamedTuple):
    """Expected numbers of M questions with 0, 1 and 2 successes in n trials, and the expected share that is solved."""

    M: int
    n: int
    f0: Triple
    f1: Triple
    f2: Triple
    solved: Triple
    unsolved: int = 0  # questions without a success, which the caller counts


def horizon(s: Successes, k: int) -> int:
    """The fewest trials of a question with at most FEW successes, or of any question if none has so few; at most k."""
    few = s.c <= FEW
    return min(k, int((s.n[few] if few.any() else s.n).min()))


def frequencies(s: Successes, n: int) -> Frequencies:
    """Frequencies in n random trials of each question; questions with fewer must have more than FEW successes."""
    N, c, mult = (x[s.n >= n] for x in s)
    M, out = int(s.mult.sum()), np.empty((3, N.size, 3))
    for j in range(min(FEW, n) + 1):
        hypergeometric.pass_hat_k(N, N - c, n - j, out[j])
    solved = np.empty((N.size, 3))
    hypergeometric.pass_at_k(N, c, n, solved)
    f0, f1, f2 = (frequency(N, c, mult, n, j, out[j]) if j <= n else ZERO for j in range(FEW + 1))
    return Frequencies(M, n, f0, f1, f2, share_solved(solved, mult, M))


@jit
def frequency(N, c, mult, n, j, rest):
    """Sum over questions of C(c, j) C(N-c, n-j) / C(N, n); rest has C(N-c, n-j) / C(N, n-j)."""
    total = ZERO
    for s in range(N.size):
        x = ext(float(mult[s])) if c[s] == j else ZERO
        if N[s] > n:
            x = mul(get(rest, s), ext(float(mult[s])))
            for i in range(j):
                drawn = ratio(float(n - i), float(N[s] - n + j - i))
                x = mul(x, mul(drawn, ratio(float(max(c[s] - i, 0)), float(i + 1))))
        total = add(total, x)
    return total


@jit
def share_solved(solved, mult, M):
    """The expected share of questions with a success; those of fewer than n trials, not in mult, count as solved."""
    total, rows = ZERO, 0
    for s in range(mult.size):
        total = add(total, mul(get(solved, s), ext(float(mult[s]))))
        rows += mult[s]
    return div(add(total, ext(float(M - rows))), ext(float(M)))


@jit
def growth(A, B, M, n, r):
    """Lower bound on the share that r more trials solve, H = Q (1 - g^r), and its slopes in A = f1 and B = f2."""
    if A[0] <= 0.0 or n < 2 or r == 0:
        return ZERO, ZERO, ZERO
    n_minus_1, twice = ext(float(n - 1)), add(B, B)
    d = add(mul(n_minus_1, A), twice)
    g = div(mul(n_minus_1, A), d)
    Q = div(mul(n_minus_1, mul(A, A)), mul(mul(ext(float(2 * n)), ext(float(M))), B))
    last = power(g, ext(float(r - 1)))
    H = mul(Q, sub(ONE, mul(g, last)))
    numerator = mul(add(n_minus_1, n_minus_1), mul(Q, ext(float(r))))
    slope = div(mul(numerator, last), mul(d, d))
    by_A = sub(div(add(H, H), A), mul(slope, B))
    by_B = sub(mul(slope, A), div(H, B))
    return H, by_A, by_B


@jit
def upper_bound(M, n, r, solved, f0, f1):
    """Upper bound on the share solved after r more trials: (upper, 1 - upper, slope of -log(1 - upper) in log f1)."""
    if f0[0] == 0.0:
        return ONE, ZERO, ZERO
    phi, x = div(f0, ext(float(M))), div(f1, mul(ext(float(n)), f0))
    remaining = power(add(ONE, x), ext(float(-r)))
    rest = mul(phi, remaining)
    beta = div(mul(ext(float(r)), x), add(ONE, x))
    return add(solved, mul(phi, sub(ONE, remaining))), rest, beta


@jit
def limits_around_upper(M, n, r, solved, f0, f1, extra, z):
    """Wilson's ends (lo, 1 - lo, hi, 1 - hi) around the upper bound for f1 + extra questions with one success."""
    up, rest, beta = upper_bound(M, n, r, solved, f0, add(f1, extra))
    if up[0] == 0.0 or rest[0] == 0.0:
        return wilson(up, rest, ext(float(M)), z)
    of_f0 = div(add(add(solved, mul(beta, beta)), add(beta, beta)), f0)
    of_f1 = div(mul(beta, beta), add(f1, ONE))
    V = add(mul(mul(rest, rest), add(of_f0, of_f1)), stabiliser(M))
    return wilson(up, rest, div(mul(up, rest), V), z)


@jit
def stabiliser(M):
    """The stabiliser 1 / (12 M^2) of the variance of a share of M questions."""
    return div(ONE, mul(ext(12.0), product(float(M), float(M))))


@jit
def lower_variance(M, phi, solved, f0, f1, B, by_A, by_B):
    """Variance of the lower bound at f2 = B, by multinomial counts; at least that of the unsolved share."""
    questions = ext(float(M))
    share_variance = div(mul(phi, solved), questions)
    mean = sub(add(mul(by_A, f1), mul(by_B, B)), phi)
    squares = add(add(mul(mul(by_A, by_A), f1), mul(mul(by_B, by_B), B)), div(div(f0, questions), questions))
    V = sub(squares, div(mul(mean, mean), questions))
    return add(V if sub(V, share_variance)[0] > 0.0 else share_variance, stabiliser(M))


@jit
def below(x, rest_x, y, rest_y):
    """Whether x = 1 - rest_x is less than y = 1 - rest_y, by the pair that rounding affects less."""
    return sub(x, y)[0] < 0.0 if value(x) < 0.5 else sub(rest_y, rest_x)[0] < 0.0


@jit
def lower_limit(M, n, r, solved, f0, f1, f2, z):
    """The lower one of both bounds' low limits of the share solved after r >= 1 more trials, and 1 minus it."""
    A, B, phi = sub(f1, ONE), add(f2, ONE), div(f0, ext(float(M)))
    A = A if A[0] > 0.0 else ZERO
    H, by_A, by_B = growth(A, B, M, n, r)
    d = mul(z, root(lower_variance(M, phi, solved, f0, f1, B, by_A, by_B)))
    low, rest = sub(add(solved, H), d), add(sub(phi, H), d)
    other, rest_other, _, _ = limits_around_upper(M, n, r, solved, f0, f1, ZERO, z)
    return (other, rest_other) if sub(other, low)[0] < 0.0 else (low, rest)


@jit
def band(M, n, r, solved, f0, f1, f2, z, out):
    """Fill out with low limit, both bounds, high limit of the share solved in n + r trials, then 1 minus each.

    Pass@k cannot fall with k. So low is the largest of the low limits at 0 and at 1..r more trials, but only at
    numbers with at most four significant binary digits; high is the largest of the high limits at r and these numbers.
    """
    phi = div(f0, ext(float(M)))
    upper, rest_upper, _ = upper_bound(M, n, r, solved, f0, f1)
    lower, rest_lower = upper, rest_upper
    if not (n > 1 and f2[0] == 0.0 and f1[0] > 0.0):
        H, _, _ = growth(f1, f2, M, n, r)
        if sub(add(solved, H), upper)[0] < 0.0:
            lower, rest_lower = add(solved, H), sub(phi, H)
    low, rest_low = wilson(solved, phi, ext(float(M)), z)[:2]
    high, rest_high = ONE, ZERO
    if f0[0] > 0.0:
        _, _, high, rest_high = limits_around_upper(M, n, r, solved, f0, f1, ONE, z)
    more, step = 1, 1
    while more <= r and f0[0] > 0.0:
        x, rest = lower_limit(M, n, more, solved, f0, f1, f2, z)
        if below(low, rest_low, x, rest):
            low, rest_low = x, rest
        _, _, x, rest = limits_around_upper(M, n, more, solved, f0, f1, ONE, z)
        if below(high, rest_high, x, rest):
            high, rest_high = x, rest
        step = 2 * step if more == 16 * step else step
        more += step
    put(out, 0, low)
    put(out, 1, lower)
    put(out, 2, upper)
    put(out, 3, high)
    put(out, 4, rest_low)
    put(out, 5, rest_lower)
    put(out, 6, rest_upper)
    put(out, 7, rest_high)
