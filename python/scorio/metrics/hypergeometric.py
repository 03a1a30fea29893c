"""Expectations over k trials sampled without replacement from a question's n trials: tables over states.

A state is (n, c): c successes in n trials. The kernels for metrics fill out[i] with the metric of state i, or with its
trial-to-trial variance, estimated from two disjoint samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb

import numpy as np

from ..arithmetic.double_double import (
    ONE,
    ZERO,
    add,
    div,
    ext,
    get,
    mul,
    power,
    product,
    put,
    ratio,
    sub,
    times_2_to,
    total,
)
from ..arithmetic.jit import jit
from ..outcomes.states import States

NEGLIGIBLE = -16.0  # a product below 2^(256 NEGLIGIBLE) gets no further factors: results are at least 2^-1074, or 0


@jit
def pass_at_k(n, c, k, out):
    """Fill `out` with 1 - C(n-c, k) / C(n, k), as P += (1 - P) max(c, k) / (n - i): positive terms only."""
    for s in range(n.size):
        low, high = min(c[s], k), max(c[s], k)
        P = ONE if high > n[s] - low else ZERO
        for i in range(low):
            rest = sub(ONE, P)
            if rest[0] == 0.0:
                break
            P = add(P, mul(rest, ratio(float(high), float(n[s] - i))))
        put(out, s, P)


@jit
def pass_hat_k(n, c, k, out):
    """Fill `out` with C(c, k) / C(n, k) = C(n-k, n-c) / C(n, n-c), by the one with fewer factors."""
    for s in range(n.size):
        top, steps = (c[s], k) if k <= n[s] - c[s] else (n[s] - k, n[s] - c[s])
        P = ONE if c[s] >= k else ZERO
        for i in range(steps if c[s] >= k else 0):
            if P[2] < NEGLIGIBLE:
                break
            P = mul(P, ratio(float(top - i), float(n[s] - i)))
        put(out, s, P)


@jit
def blend(x, y, alpha, beta):
    """The power product x^alpha y^beta with 0^0 = 1, and a code for a base that is 0 with a negative exponent.

    The code is 0 for neither, 1 for x, 2 for y. If the other base is 0 with a positive exponent, the product is 0.
    """
    if (x[0] == 0.0 and alpha[0] > 0.0) or (y[0] == 0.0 and beta[0] > 0.0):
        return ZERO, 0
    if x[0] == 0.0 and alpha[0] < 0.0:
        return ZERO, 1
    if y[0] == 0.0 and beta[0] < 0.0:
        return ZERO, 2
    return mul(power(x, alpha), power(y, beta)), 0


@jit
def blends(x, y, alpha, beta, out):
    """Fill `out` with blends of two tables; returns the first code that is not 0, or 0."""
    for i in range(x.shape[0]):
        G, undefined = blend(get(x, i), get(y, i), alpha, beta)
        if undefined > 0:
            return undefined
        put(out, i, G)
    return 0


@jit
def naive_pass_hat_k(n, c, k, out):
    """Fill `out` with 1 - (1 - c/n)^k: the biased estimate of Pass@k (not of Pass^k) by sampling with replacement."""
    for s in range(n.size):
        P, p = ZERO, ratio(float(c[s]), float(n[s]))
        for _ in range(k):
            P = add(P, mul(sub(ONE, P), p))
        put(out, s, P)


@jit
def growth(n, c, k, j):
    """The ratio of P(j+1 successes) to P(j successes) among k sampled: (c-j)(k-j) / ((j+1)(n-c-k+j+1))."""
    return div(product(float(c - j), float(k - j)), product(float(j + 1), float(n - c - k + j + 1)))


@jit
def expected(n, c, k, A):
    """The expectation E[A_J], J successes among the k sampled from one question. A: (k+1, 3) triples."""
    first, last = max(0, k - (n - c)), min(c, k)
    w, total, credit = ONE, ONE, get(A, first)
    for j in range(first, last):
        w = mul(w, growth(n, c, k, j))
        total = add(total, w)
        credit = add(credit, mul(w, get(A, j + 1)))
    return div(credit, total)


@jit
def credit_at_k(n, c, k, A, out):
    """Fill `out` with the expected credit E[A_J] of each state, J successes among k sampled trials."""
    for s in range(n.size):
        put(out, s, expected(n[s], c[s], k, A))


@jit
def credits(w, A):
    """Fill A with the credit A_j = w_1 + ... + w_j of j successes. w: (k+1, 3), row 0 unused; A: (k+1, 3)."""
    total = ZERO
    for j in range(w.shape[0]):
        if j > 0:
            total = add(total, get(w, j))
        put(A, j, total)


@jit
def lost_credits(w, complement, A):
    """Fill A with 1 - A_j = w_(j+1) + ... + w_k + complement, complement = 1 - A_k."""
    total = complement
    for j in range(w.shape[0] - 1, -1, -1):
        put(A, j, total)
        total = add(total, get(w, j))


# --- two disjoint samples of k: the trial-to-trial variance, where n >= 2k ----------------------------
#
# With J and J' successes of the two samples, E[A_J]^2 - E[A_J A_J'] is an unbiased estimate of the variance of
# E[A_J]. It is not negative if credits rise with the successes, since the more the first sample takes, the fewer are
# left for the second: the covariance of A_J and A_J' is not positive. The estimate for the flip rate can be negative.


@jit
def two_samples(n, b, k):
    """The pair (Z, Z - Z'), Z = C(b, k) / C(n, k), Z' = C(b-k, k) / C(n-k, k), every term positive.

    Z is the probability that k sampled trials are among b of the n, Z' that k further ones are too if these are.
    After i+1 factors the two products differ by (Z_i - Z'_i) (t-k-i)/(n-k-i) + Z_i k (n-t) / ((n-i)(n-k-i)), with
    t = b and k factors, or t = n-k and n-b factors.
    """
    top, steps = (b, k) if k <= n - b else (n - k, n - b)
    Z, D = ONE if b >= k else ZERO, ZERO
    gain = product(float(k), float(n - top))
    for i in range(steps if b >= k else 0):
        if Z[2] < NEGLIGIBLE:
            break
        if b >= 2 * k:
            D = mul(D, ratio(float(top - k - i), float(n - k - i)))
            D = add(D, mul(Z, div(gain, product(float(n - i), float(n - k - i)))))
        Z = mul(Z, ratio(float(top - i), float(n - i)))
    return Z, D if b >= 2 * k else Z


@jit
def power_variance(n, b, k, out):
    """Fill `out` with the variance of the probability that all k sampled trials are among b of the n."""
    for s in range(n.size):
        Z, D = two_samples(n[s], b[s], k)
        put(out, s, mul(Z, D))


@jit
def fill_two_samples(n, b, k, Z, D):
    """Fill Z and D with the pairs of two_samples()."""
    for s in range(n.size):
        x, y = two_samples(n[s], b[s], k)
        put(Z, s, x)
        put(D, s, y)


@jit
def step(n, c, k, w):
    """The increase of E[A_J] from c to c + 1 successes in n trials: (k/n) E[w_{I+1}].

    I is the number of successes among k-1 trials sampled from the n-1 others, of which c succeeded.
    """
    return mul(ratio(float(k), float(n)), expected(n - 1, c, k - 1, w[1:]))


@jit
def covariance(k, w, dH, total, p, L):
    """The moments (E[g], Cov(g, H), Cov(1{J >= 1}, H)) of g = sum_r w_r 1{J >= r} and H(J), H(v) = H(v-1) + dH_v.

    P(J = j) = p[j] / total. Hoeffding's formula, with L_v = P(J < v) and S_v = P(J >= v):
    Cov(g, H) = sum_r w_r [S_r sum_{v<=r} dH_v L_v + L_r sum_{v>r} dH_v S_v].
    L is filled with L_v, and p[v] overwritten with S_v.
    """
    left = ZERO
    for v in range(1, k + 1):
        left = add(left, get(p, v - 1))
        put(L, v, div(left, total))
    right, above, mu, var = ZERO, ZERO, ZERO, ZERO
    for r in range(k, 0, -1):
        right = add(right, get(p, r))
        S = div(right, total)
        put(p, r, S)
        mu = add(mu, mul(get(w, r), S))
        var = add(var, mul(get(w, r), mul(get(L, r), above)))
        above = add(above, mul(get(dH, r), S))
    below = ZERO
    for r in range(1, k + 1):
        below = add(below, mul(get(dH, r), get(L, r)))
        var = add(var, mul(get(w, r), mul(get(p, r), below)))
    return mu, var, mul(get(L, 1), above)


@jit
def hypergeometric(n, c, k, p):
    """Fill p with weights proportional to P(j successes among k sampled), 1 for the smallest j; return their sum."""
    first, last = max(0, k - (n - c)), min(c, k)
    w, total = ONE, ONE
    for j in range(k + 1):
        put(p, j, ONE if j == first else ZERO)
    for j in range(first, last):
        w = mul(w, growth(n, c, k, j))
        put(p, j + 1, w)
        total = add(total, w)
    return total


@jit
def credit_variance(n, c, k, w, out):
    """Fill `out` with the variance of E[g], g = sum_r w_r 1{J >= r}.

    The variance is minus the covariance of g with the credit of k further trials. v successes in the first sample leave
    c - v among n - k. H is minus the expected credit of the further trials, so that dH_v is step(n - k, c - v, k, w).
    The states are ordered by n, then by c. The steps at c-k..c-1 are stored at their remainders modulo k, since the
    next state needs most of them again.
    """
    p, L, dH, stored = np.zeros((k + 1, 3)), np.zeros((k + 1, 3)), np.zeros((k + 1, 3)), np.zeros((k, 3))
    computed = 0
    for s in range(n.size):
        m, top = n[s] - k, min(c[s], n[s] - k)
        if s == 0 or n[s] != n[s - 1]:
            computed = 0
        for x in range(max(computed, c[s] - k), top):
            put(stored, x % k, step(m, x, k, w))
        computed = max(computed, top)
        for v in range(1, k + 1):
            put(dH, v, get(stored, (c[s] - v) % k) if 0 <= c[s] - v < m else ZERO)
        put(out, s, covariance(k, w, dH, hypergeometric(n[s], c[s], k, p), p, L)[1])


@jit
def flip_variance(n, c, out):
    """Fill `out` with the variance of 2 c (n-c) / (n (n-1)), the probability that two sampled trials differ, n >= 4.

    The variance is 2 c (n-c) ((2n-3) d^2 - n (n-2)) / (n^2 (n-1)^2 (n-2) (n-3)), d = n - 2c: negative where c is near
    n/2.
    """
    for s in range(n.size):
        N, d = float(n[s]), float(n[s] - 2 * c[s])
        factor = sub(mul(product(2.0 * N - 3.0, d), ext(d)), product(N, N - 2.0))
        squares = mul(product(N, N - 1.0), product(N, N - 1.0))
        denominator = mul(squares, product(N - 2.0, N - 3.0))
        put(out, s, div(mul(times_2_to(product(float(c[s]), float(n[s] - c[s])), 1.0), factor), denominator))


def exact_max(levels: Sequence[int], states: Sequence[States], k: int, shift: int) -> tuple[int, int]:
    """The exact Max@k, r_L - sum_l (r_{l+1} - r_l) mean C(c + shift, k) / C(n + shift, k), as a fraction.

    Used if the sum in double-double cancels. levels: the rewards as integers, increasing; states[l]: (trials, trials at
    or below level l); shift: 0 for trials sampled from n; k - 1 for the posterior, whose rising factorials are
    binomials.
    """
    M = int(states[0].mult.sum())
    terms = [(levels[-1] * M, 1)]
    for (low, high), s in zip(pairwise(levels), states, strict=True):
        for n, c, m in zip(s.n.tolist(), s.c.tolist(), s.mult.tolist(), strict=True):
            terms.append(((low - high) * m * comb(c + shift, k), comb(n + shift, k)))
    num, den = total(terms)
    return num, den * M
