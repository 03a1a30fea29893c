"""The nonparametric model of a benchmark: a mixture of success rates, fitted to the counts of all its questions.

The weights of a grid of rates after a fixed number of EM steps (Dempster, Laird & Rubin 1977), which approach the
maximum likelihood of Laird (1978) of the questions and of one more, whose likelihood at a rate is the variance of the
metric there. The definition: spec/families/intervals.md. Numbers are pairs (h, l) that stand for h + l: none is
negative, and one that underflows is negligible in the sums that it is part of.
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
from ..outcomes.states import States

Pairs = npt.NDArray[np.float64]  # (2, ...): the high and the low doubles
STEPS = 40  # EM steps
SHARE = 2.0**-20  # added to the first weights of all rates, as a share of the sum of weights
UNIDENTIFIED = 4.0  # first weight of rate 0 or 1, where the metric is less curved, over the sum, if all n <= 2


def variances(m: Metric, s: States, short: npt.NDArray[np.bool_]) -> Table:
    """Trial-to-trial variances of the states marked in short: posterior means of the variance at a rate."""
    J = grid_size(int(s.n[-1]))
    S = s.n.size
    likelihood, at_rates = np.zeros((2, S + 1, J + 1)), np.zeros((2, S, J + 1))  # the last: of the added question
    w: Pairs | None = None
    for n in np.unique(s.n).tolist():
        chances, rows = np.empty((2, n + 1, J + 1)), np.flatnonzero(s.n == n)
        fill_chances(n, J, chances)
        likelihood[:, rows] = chances[:, s.c[rows]]
        if short[rows[0]]:
            U, tau = values(m, np.full(n + 1, n), np.arange(n + 1)), np.empty((2, J + 1))
            variance_at_rates(U, chances, tau)
            at_rates[:, rows] = tau[:, None]
            if w is None:  # of the fewest trials
                likelihood[:, S], w = tau, first_weights(U, tau, s.n[-1] == 2)
    assert w is not None
    out = np.empty((S, 3))
    em_steps(likelihood, np.ascontiguousarray(likelihood.transpose(0, 2, 1)), np.append(s.mult, 1.0), STEPS, w)
    posterior_means(likelihood, at_rates, w, out)
    return out[short]


def grid_size(n: int) -> int:
    """The number J of the grid of rates j^2 / (j^2 + (J - j)^2), j = 0..J: 6 more than 3 sqrt(n), rounded up."""
    return 7 + isqrt(9 * n - 1)


def first_weights(U: Table, tau: Pairs, few_trials: bool) -> Pairs:
    """First weights of the rates: the sixth power of the variance at each, plus a share of their sum.

    few_trials: all n are at most 2.
    """
    w, end = np.empty_like(tau), -1
    if few_trials:  # the variance is largest if a share of the questions is at the end where the metric is less curved
        end = tau.shape[1] - 1 if 2.0 * U[1, 0] > U[2, 0] else 0
    fill_first_weights(tau, SHARE, end, UNIDENTIFIED, w)
    return w


@jit
def pair_sum(a, b, h, l):
    """The sum (a + b) + (h + l) of two pairs that are not negative."""
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
    """A triple of at most 2^128 as a pair, or 0 if it is below 2^-768."""
    h, l, e = x
    if e < -3.0:
        return 0.0, 0.0
    for _ in range(int(-e)):
        h, l = h * DOWN, l * DOWN
    return h, l


@jit
def fill_chances(n, J, out):
    """out[:, c, j] = the chance of c successes in n trials at rate j."""
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
    """tau[:, j] = the variance of U_c, c the successes at rate j."""
    for j in range(tau.shape[1]):
        mean, variance = ZERO, ZERO
        for c in range(U.shape[0]):
            mean = add(mean, mul(get(U, c), norm(chances[0, c, j], chances[1, c, j], 0.0)))
        for c in range(U.shape[0]):
            d = sub(get(U, c), mean)
            variance = add(variance, mul(mul(d, d), norm(chances[0, c, j], chances[1, c, j], 0.0)))
        tau[0, j], tau[1, j] = pair_of(variance)


@jit
def fill_first_weights(tau, share, end, part, w):
    """w = the sixth powers of tau plus a share of their sum, a power of 2, and part of it at end, unless that is -1."""
    x, y = 0.0, 0.0
    for j in range(w.shape[1]):
        a, b = pair_product(tau[0, j], tau[1, j], tau[0, j], tau[1, j])
        h, l = pair_product(a, b, a, b)
        w[0, j], w[1, j] = pair_product(h, l, a, b)
        x, y = pair_sum(x, y, w[0, j], w[1, j])
    for j in range(w.shape[1]):
        w[0, j], w[1, j] = pair_sum(w[0, j], w[1, j], share * x, share * y)
    if end >= 0:
        w[0, end], w[1, end] = part * x, part * y


@jit
def em_steps(by_state, by_rate, mult, steps, w):
    """Steps of EM: w_j becomes w_j times the sum over states of mult L_j / f, f = sum of w_j L_j."""
    S, G = by_state.shape[1], by_state.shape[2]
    f, g = np.empty((2, S)), np.empty((2, G))
    for _ in range(steps):
        f[:] = 0.0
        for j in range(G):
            a, b = w[0, j], w[1, j]
            for s in range(S):
                h, l = pair_product(a, b, by_rate[0, j, s], by_rate[1, j, s])
                f[0, s], f[1, s] = pair_sum(f[0, s], f[1, s], h, l)
        g[:] = 0.0
        for s in range(S):
            a, b = pair_quotient(mult[s], 0.0, f[0, s], f[1, s])
            for j in range(G):
                h, l = pair_product(a, b, by_state[0, s, j], by_state[1, s, j])
                g[0, j], g[1, j] = pair_sum(g[0, j], g[1, j], h, l)
        for j in range(G):
            w[0, j], w[1, j] = pair_product(w[0, j], w[1, j], g[0, j], g[1, j])


@jit
def posterior_means(L, tau, w, out):
    """out[s] = sum of w_j L_j tau_j over sum of w_j L_j."""
    for s in range(tau.shape[1]):
        a, b, x, y = 0.0, 0.0, 0.0, 0.0
        for j in range(L.shape[2]):
            h, l = pair_product(w[0, j], w[1, j], L[0, s, j], L[1, s, j])
            a, b = pair_sum(a, b, h, l)
            h, l = pair_product(h, l, tau[0, s, j], tau[1, s, j])
            x, y = pair_sum(x, y, h, l)
        h, l = pair_quotient(x, y, a, b)
        put(out, s, norm(h, l, 0.0))
