"""The nonparametric model of a benchmark: mixtures of success rates, fitted to the counts of its questions.

The questions of each number of trials have a mixture of their own: weights of a grid of rates. These maximise the
likelihood (Laird 1978) times a power of the mean variance of the metric over the mixture, which decides where the
counts do not, times a small power of every weight, which makes the maximum unique. The definition:
spec/families/intervals.md. The maximum is found in doubles by a primal-dual interior-point method (Wright 1997), and
improved by Newton steps whose gradient is computed in pairs (h, l) of doubles, each for the number h + l. A pair that
underflows is negligible in the sums that it is part of.
"""

from __future__ import annotations

from math import isqrt

import numpy as np
import numpy.typing as npt

from ..arithmetic.double_double import (
    DOWN,
    ONE,
    ZERO,
    Table,
    add,
    div,
    fast_two_sum,
    get,
    mul,
    norm,
    put,
    ratio,
    sub,
    two_prod,
    two_sum,
)
from ..arithmetic.jit import jit
from ..metrics.metric import Metric, values
from ..outcomes.states import Array, States

Pairs = npt.NDArray[np.float64]  # (2, ...): the high and the low doubles
QUESTIONS = 256.0  # the mean variance has the power max(1, M / QUESTIONS) in the fit to M questions
MU = 2.0**-10  # the power of each weight
MAX_STEPS, SHRINK, STRIDE = 100, 0.1, 0.98  # of interior_point, which takes 6 to 20 steps
TOLERANCE, ROUNDING = 2.0**-20, 2.0**-44  # of its gradient, in units of mu and of T (see interior_point)
NEWTON_STEPS = 5  # each squares the relative error, or lowers it as far as a derivative in doubles allows


def variances(m: Metric, s: States, short: npt.NDArray[np.bool_]) -> Table:
    """Trial-to-trial variances of the states marked in `short`, with one mixture for each number of trials.

    One mixture for all numbers of trials would be wrong where these depend on the success rates: it would lend
    questions with few trials the rates of the others; with it, equal models differed at 5% in 48% of samples
    (bench/few_trials.py).
    """
    out = np.empty((s.n.size, 3))
    for n in np.unique(s.n[short]).tolist():
        rows = np.flatnonzero(s.n == n)
        out[rows] = variances_of(m, n, s.c[rows], s.mult[rows])
    return out[short]


def variances_of(m: Metric, n: int, c: Array, mult: Array) -> Table:
    """Posterior means of the variance of the metric at a rate; c successes in n trials occur at mult questions."""
    J = grid_size(n)
    chances, tau, out = np.empty((2, n + 1, J + 1)), np.empty((2, J + 1)), np.empty((c.size, 3))
    fill_chances(n, J, chances)
    variance_at_rates(values(m, np.full(n + 1, n), np.arange(n + 1)), chances, tau)
    # the mean variance over the mixture enters the fit as the likelihood of one more state does
    likelihood = np.empty((2, c.size + 1, J + 1))
    likelihood[:, :-1], likelihood[:, -1] = chances[:, c], tau
    powers = np.append(mult, max(1.0, mult.sum() / QUESTIONS))
    w = np.zeros((2, J + 1))
    w[0] = interior_point(likelihood[0], powers, MU)
    newton_steps(likelihood, np.ascontiguousarray(likelihood.transpose(0, 2, 1)), powers, MU, NEWTON_STEPS, w)
    posterior_means(likelihood, tau, w, out)
    return out


def grid_size(n: int) -> int:
    """The number J of the grid of rates j^2 / (j^2 + (J - j)^2), j = 0..J: 6 more than 3 sqrt(n), rounded up."""
    return 7 + isqrt(9 * n - 1)


@jit
def pair_sum(a, b, h, l):
    """The sum (a + b) + (h + l) of two pairs; if they cancel, with the absolute error of the larger."""
    s, t = two_sum(a, h)
    return fast_two_sum(s, t + (b + l))


@jit
def pair_product(a, b, h, l):
    """The product (a + b) (h + l) of two pairs."""
    p, q = two_prod(a, h)
    return fast_two_sum(p, q + (a * l + b * h))


@jit
def pair_quotient(a, b, h, l):
    """The quotient (a + b) / (h + l) of two pairs."""
    q = a / h
    p, r = two_prod(q, h)
    return fast_two_sum(q, (((a - p) - r) + (b - q * l)) / h)


@jit
def pair_of(x):
    """A triple of at most 2^128 as a pair, or 0 if it is below 2^-896."""
    h, l, e = x
    if e < -3.0:
        return 0.0, 0.0
    for _ in range(int(-e)):
        h, l = h * DOWN, l * DOWN
    return h, l


@jit
def fill_chances(n, J, out):
    """Fill out[:, c, j] with the chance of c successes in n trials at rate j."""
    w = np.empty((n + 1, 3))
    for j in range(J):
        odds, x, total = ratio(float(j * j), float((J - j) * (J - j))), ONE, ONE
        put(w, 0, x)
        for c in range(n):
            x = mul(x, mul(odds, ratio(float(n - c), float(c + 1))))
            total = add(total, x)
            put(w, c + 1, x)
        for c in range(n + 1):
            out[0, c, j], out[1, c, j] = pair_of(div(get(w, c), total))
    for c in range(n + 1):
        out[0, c, J], out[1, c, J] = (1.0 if c == n else 0.0), 0.0


@jit
def variance_at_rates(U, chances, tau):
    """Fill tau[:, j] with the variance of U_c, the metric of c successes, at rate j."""
    for j in range(tau.shape[1]):
        mean, variance = ZERO, ZERO
        for c in range(U.shape[0]):
            mean = add(mean, mul(get(U, c), norm(chances[0, c, j], chances[1, c, j], 0.0)))
        for c in range(U.shape[0]):
            d = sub(get(U, c), mean)
            variance = add(variance, mul(mul(d, d), norm(chances[0, c, j], chances[1, c, j], 0.0)))
        tau[0, j], tau[1, j] = pair_of(variance)


@jit
def interior_point(L, mult, mu):
    """Weights w that maximise sum_s mult_s log(L_s . w) + mu sum_j log w_j on the simplex, to about nine digits.

    With slopes g_j = sum_s mult_s L_sj / (L_s . w), the maximum has w_j (T - g_j) = mu, T = sum of mult + G mu for G
    weights. x approaches T - g from above while the products w_j x_j shrink to mu.
    """
    G = L.shape[1]
    T = mult.sum() + G * mu
    w, x, A, r = np.full(G, 1.0 / G), np.full(G, T), np.empty((G, G)), np.empty(G)
    for _ in range(MAX_STEPS):
        fill_information(L, mult, w, A, r)
        slack, gap = 0.0, 0.0
        for j in range(G):
            slack, gap = max(slack, abs(r[j] - w[j] * T + mu)), gap + w[j] * x[j]
        if slack <= TOLERANCE * mu + ROUNDING * T:
            break
        target = max(mu, SHRINK * gap / G)
        for j in range(G):
            A[j, j] += w[j] * x[j]
            r[j] += target - w[j] * T
        cholesky(A)
        cholesky_solve(A, r)
        move(w, x, r, target)
    return w


@jit
def fill_information(L, mult, w, A, g):
    """Fill A (lower triangle) with sum_s mult_s p_s p_s', g with sum_s mult_s p_s; p_sj = w_j L_sj / (L_s . w)."""
    S, G = L.shape
    A[:], g[:] = 0.0, 0.0
    p = np.empty(G)
    for s in range(S):
        f = 0.0
        for j in range(G):
            p[j] = w[j] * L[s, j]
            f += p[j]
        for j in range(G):
            p[j] /= f
            y = mult[s] * p[j]
            g[j] += y
            for i in range(j + 1):
                A[j, i] += y * p[i]


@jit
def cholesky(A):
    """Replace the lower triangle of A by its Cholesky factor."""
    for j in range(A.shape[0]):
        for i in range(j, A.shape[0]):
            y = A[i, j]
            for k in range(j):
                y -= A[i, k] * A[j, k]
            A[i, j] = np.sqrt(y) if i == j else y / A[j, j]


@jit
def cholesky_solve(A, r):
    """Replace r by the solution x of (A A') x = r, A lower triangular."""
    G = r.size
    for j in range(G):
        for k in range(j):
            r[j] -= A[j, k] * r[k]
        r[j] /= A[j, j]
    for j in range(G - 1, -1, -1):
        for k in range(j + 1, G):
            r[j] -= A[k, j] * r[k]
        r[j] /= A[j, j]


@jit
def move(w, x, d, target):
    """Move w by w d, and x so that w x approaches target; each at most STRIDE of the way to where an entry is 0."""
    a, b = 1.0, 1.0
    for j in range(w.size):
        a = max(a, -d[j] / STRIDE)
        b = max(b, (1.0 + d[j] - target / (w[j] * x[j])) / STRIDE)
    for j in range(w.size):
        e = target / w[j] - x[j] * (1.0 + d[j])
        w[j], x[j] = w[j] * (1.0 + d[j] / a), x[j] + e / b


@jit
def newton_steps(by_state, by_rate, mult, mu, steps, w):
    """Improve the weights of interior_point by Newton steps: the gradient in pairs, its derivative in doubles.

    by_state and by_rate are the likelihood, (2, states, rates) and (2, rates, states).
    """
    S, G = by_state.shape[1], by_state.shape[2]
    f, g, A, r = np.empty((2, S)), np.empty((2, G)), np.empty((G, G)), np.empty(G)
    T, T_low = two_sum(mult.sum(), G * mu)
    for _ in range(steps):
        fill_slopes(by_state, by_rate, mult, w, f, g)
        fill_information(by_state[0], mult, w[0], A, r)
        for j in range(G):
            h, l = pair_sum(g[0, j], g[1, j], -T, -T_low)
            h, l = pair_product(w[0, j], w[1, j], h, l)
            r[j], _ = pair_sum(h, l, mu, 0.0)
            A[j, j] += mu
        cholesky(A)
        cholesky_solve(A, r)
        for j in range(G):
            h, l = two_sum(1.0, r[j])
            w[0, j], w[1, j] = pair_product(w[0, j], w[1, j], h, l)


@jit
def fill_slopes(by_state, by_rate, mult, w, f, g):
    """Fill f_s with the sum over j of w_j L_sj, and g_j with the sum over s of mult_s L_sj / f_s."""
    S, G = by_state.shape[1], by_state.shape[2]
    f[:], g[:] = 0.0, 0.0
    for j in range(G):
        a, b = w[0, j], w[1, j]
        for s in range(S):
            h, l = pair_product(a, b, by_rate[0, j, s], by_rate[1, j, s])
            f[0, s], f[1, s] = pair_sum(f[0, s], f[1, s], h, l)
    for s in range(S):
        a, b = pair_quotient(mult[s], 0.0, f[0, s], f[1, s])
        for j in range(G):
            h, l = pair_product(a, b, by_state[0, s, j], by_state[1, s, j])
            g[0, j], g[1, j] = pair_sum(g[0, j], g[1, j], h, l)


@jit
def posterior_means(L, tau, w, out):
    """Fill out[s] with the sum of w_j L_sj tau_j divided by the sum of w_j L_sj."""
    for s in range(out.shape[0]):
        a, b, x, y = 0.0, 0.0, 0.0, 0.0
        for j in range(L.shape[2]):
            h, l = pair_product(w[0, j], w[1, j], L[0, s, j], L[1, s, j])
            a, b = pair_sum(a, b, h, l)
            h, l = pair_product(h, l, tau[0, j], tau[1, j])
            x, y = pair_sum(x, y, h, l)
        h, l = pair_quotient(x, y, a, b)
        put(out, s, norm(h, l, 0.0))
