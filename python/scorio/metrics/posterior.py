"""Moments of metrics under the posterior p ~ Beta(a, b) of a question: tables over states.

A state is (n, c): c successes in n trials. a = alpha0 + c, b = beta0 + n - c, q = 1 - p, s = a + b. The sums have
positive terms, so that nothing cancels, except a - b in flips() and the sum in delta(). Derivations:
spec/families/metrics.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arithmetic.double_double import ONE, ZERO, Ratio, add, div, ext, get, mul, power, put, sub, times_2_to, total
from ..arithmetic.jit import jit
from ..outcomes.states import Group, SparseGroup
from .hypergeometric import covariance


def score_moments(
    groups: Sequence[Group] | Sequence[SparseGroup], W: Sequence[int], averaged: bool
) -> tuple[Ratio, Ratio]:
    """Mean and variance of (1/M) sum_i sum_j W_j pi_ij under pi_i ~ Dirichlet(n_ij + 1), as exact fractions.

    averaged: the plain average instead, and for each question T/n times the posterior's standard deviation.
    With T = n + C + 1, nu_j = n_j + 1: var_i = sum_{j<l} (W_j - W_l)^2 nu_j nu_l / (T^2 (T+1)), where the part of
    n_j + n_l + 1 is (C + 1) sum_j n_j W_j^2 - 2 P sum_j n_j W_j + (n + C + 1) Q - P^2, P and Q the sums of W and W^2.
    """
    size, prior = len(W), 0 if averaged else 1
    M, P, Q = sum(g.M for g in groups), sum(W), sum(x * x for x in W)
    mean, var = [], []
    for g in groups:
        T, t = g.n + size, g.n if averaged else g.n + size
        one, two, spread = g.moments(W)
        mean.append((one + prior * g.M * P, t))
        var.append((spread + size * two - 2 * P * one + g.M * (T * Q - P * P), t * t * (T + 1)))
    (x, dx), (v, dv) = total(mean), total(var)
    return (x, dx * M), (v, dv * M * M)


@jit
def posterior_parameters(n, c, alpha0, beta0):
    """The posterior parameters (a, b) of the state (n, c)."""
    return add(ext(alpha0), ext(float(c))), add(ext(beta0), ext(float(n - c)))


@jit
def moments_of_power(a, b, k):
    """The moments (1 - E[q^k], E[q^k], Var(q^k)).

    With e_i = E[q^i] and f_i = E[q^(k+i)] / E[q^k]: Var = e_k (f_k - e_k), and D = f - e obeys
    D <- rho D + (k a / ((s+k+i)(s+i))) (D + e) with rho = (b+i) / (s+i).
    """
    s, ka = add(a, b), mul(ext(float(k)), a)
    P, e, D = ZERO, ONE, ZERO
    for i in range(k):
        t = add(s, ext(float(i)))
        rho = div(add(b, ext(float(i))), t)
        P = add(P, div(mul(sub(ONE, P), a), t))
        gain = div(ka, mul(add(t, ext(float(k))), t))
        D = add(mul(rho, D), mul(gain, add(D, e)))
        e = mul(rho, e)
    return P, e, mul(e, D)


@jit
def pass_at_k(n, c, k, alpha0, beta0, mu, var):
    """Fill mu and var with the mean and variance of 1 - q^k."""
    for i in range(n.size):
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        P, _, V = moments_of_power(a, b, k)
        put(mu, i, P)
        put(var, i, V)


@jit
def pass_hat_k(n, c, k, alpha0, beta0, mu, var):
    """Fill mu and var with the mean and variance of p^k."""
    for i in range(n.size):
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        _, U, V = moments_of_power(b, a, k)
        put(mu, i, U)
        put(var, i, V)


@jit
def flips(n, c, _, alpha0, beta0, mu, var):
    """Fill mu and var with the mean and variance of 2 p q; the third argument, k in the other kernels, is unused.

    The mean is 2 a b / (s (s+1)), the variance a b (2 s (s+2) + (a-b)^2 (4s+6)) / (s^2 (s+1)^2 (s+2) (s+3)).
    """
    two, prior_difference = ext(2.0), sub(ext(alpha0), ext(beta0))
    for i in range(n.size):
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        s, d = add(a, b), add(prior_difference, ext(float(2 * c[i] - n[i])))
        half = div(div(mul(a, b), s), add(s, ONE))
        numerator = add(mul(times_2_to(s, 1.0), add(s, two)), mul(mul(d, d), add(times_2_to(s, 2.0), ext(6.0))))
        denominator = mul(mul(s, add(s, ONE)), mul(add(s, two), add(s, ext(3.0))))
        put(mu, i, times_2_to(half, 1.0))
        put(var, i, mul(half, div(numerator, denominator)))


@jit
def pass_and_hat(a, b, k):
    """The moments (P, VP, U, VU, Cov): means P and U of 1 - q^k and p^k, their variances, and their covariance.

    Cov = E[q^k] E[p^k] X, with X computed by steps X += (1-X) k/(s+k+i), i = 0..k-1.
    """
    P, Q, VP = moments_of_power(a, b, k)
    _, U, VU = moments_of_power(b, a, k)
    s, X = add(a, b), ZERO
    for i in range(k):
        X = add(X, mul(sub(ONE, X), div(ext(float(k)), add(s, ext(float(k + i))))))
    return P, VP, U, VU, mul(mul(Q, U), X)


@jit
def joint_at_k(n, c, k, alpha0, beta0, x, vx, y, vy, cov):
    """Fill tables with the means, variances and covariance of Pass@k and Pass^k."""
    for i in range(n.size):
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        P, VP, U, VU, C = pass_and_hat(a, b, k)
        put(x, i, P)
        put(vx, i, VP)
        put(y, i, U)
        put(vy, i, VU)
        put(cov, i, C)


# --- any weights w_r: g = sum_r w_r P(at least r of k succeed) --------------------------------------


@jit
def growth(k, a, b, j):
    """The ratio of P(j+1 successes) to P(j successes) in k trials: (k-j)(a+j) / ((j+1)(b+k-j-1))."""
    up = mul(ext(float(k - j)), add(a, ext(float(j))))
    return div(up, mul(ext(float(j + 1)), add(b, ext(float(k - j - 1)))))


@jit
def beta_binomial(k, a, b, p):
    """Fill p with weights proportional to P(j successes in k trials), p[0] = 1, and return their sum."""
    w, total = ONE, ONE
    put(p, 0, w)
    for j in range(k):
        w = mul(w, growth(k, a, b, j))
        put(p, j + 1, w)
        total = add(total, w)
    return total


@jit
def steps(a, b, k, w, first, last, f, ratios, dH):
    """Fill dH with H(v) - H(v-1), H(v) = E[g | v of k more trials succeed], for w zero outside first..last.

    dH_v = k/(s+k) sum_r w_r f_v(r), f_v(r) the probability of r-1 successes in k-1 trials under Beta(a+v, b+k+1-v);
    f_{v+1}(r) / f_v(r) = (a+v-1+r)(b+k-v) / ((b+2k-v-r)(a+v)). f[r] is w_r f_v(r) and ratios[v+r] this ratio, both
    without the factors that are the same for all r, which are in `common`.
    """
    total = beta_binomial(k - 1, add(a, ONE), add(b, ext(float(k))), f)
    for t in range(2, 2 * k):
        put(ratios, t, div(add(a, ext(float(t - 1))), add(b, ext(float(2 * k - t)))))
    for r in range(last, first - 1, -1):
        put(f, r, mul(get(w, r), get(f, r - 1)))
    common = div(div(ext(float(k)), add(add(a, b), ext(float(k)))), total)
    for v in range(1, k + 1):
        acc = ZERO
        for r in range(first, last + 1):
            x = get(f, r)
            acc = add(acc, x)
            if v < k:
                put(f, r, mul(x, get(ratios, v + r)))
        put(dH, v, mul(common, acc))
        common = mul(common, div(add(b, ext(float(k - v))), add(a, ext(float(v)))))


@jit
def upper_half_steps(a, b, k, f, dH):
    """Fill dH for mG-Pass@k in O(k): dH_v = 2/(s+k) T_v.

    T_v is the probability of at least m = ceil(k/2) successes in k-1 trials under Beta(a+v, b+k+1-v).
    T_{v+1} = T_v + inc_v, inc_v = (k-1)/(s+k+1) times the probability of m-1 successes in k-2 trials under
    Beta(a+v+1, b+k+1-v); inc_{v+1} / inc_v = (a+v+m)(b+k-v) / ((b+2k-1-v-m)(a+v+1)).
    """
    m, s = (k + 1) // 2, add(a, b)
    total = beta_binomial(k - 1, add(a, ONE), add(b, ext(float(k))), f)
    T = ZERO
    for j in range(m, k):
        T = add(T, get(f, j))
    T = div(T, total)
    total = beta_binomial(k - 2, add(a, ext(2.0)), add(b, ext(float(k))), f)
    inc = div(mul(ratio_of(k - 1, s, k + 1), get(f, m - 1)), total)
    front = ratio_of(2, s, k)
    for v in range(1, k + 1):
        put(dH, v, mul(front, T))
        T = add(T, inc)
        if v < k:
            up = mul(add(a, ext(float(v + m))), add(b, ext(float(k - v))))
            down = mul(add(b, ext(float(2 * k - 1 - v - m))), add(a, ext(float(v + 1))))
            inc = mul(inc, div(up, down))


@jit
def ratio_of(i, s, j):
    """The ratio i / (s + j)."""
    return div(ext(float(i)), add(s, ext(float(j))))


@jit
def support(w):
    """The first and the last index at which w is not 0; (k+1, 0) if there is none."""
    first, last = w.shape[0], 0
    for r in range(1, w.shape[0]):
        if w[r, 0] != 0.0:
            first, last = min(first, r), r
    return first, last


@jit
def spectrum_at_k(n, c, k, w, alpha0, beta0, mu, var, cov):
    """Fill tables with the mean and variance of g, and its covariance with 1 - q^k. w: (k+1, 3), row 0 unused.

    With J successes of k more trials and H(v) = E[g | J = v]: the covariance of P(at least r of k) and g is that of
    1{J >= r} and H(J).
    """
    first, last = support(w)
    f, ratios = np.zeros((k + 1, 3)), np.zeros((2 * k, 3))
    p, L, dH = np.zeros((k + 1, 3)), np.zeros((k + 1, 3)), np.zeros((k + 1, 3))
    for i in range(n.size):
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        if last > 0:
            steps(a, b, k, w, first, last, f, ratios, dH)
        enter_moments(k, w, dH, beta_binomial(k, a, b, p), p, L, i, mu, var, cov)


@jit
def upper_half_at_k(n, c, k, w, alpha0, beta0, mu, var, cov):
    """Fill the tables of spectrum_at_k() for mG-Pass@k, whose weights are w, in O(k) for each state."""
    f, p, L, dH = np.zeros((k + 1, 3)), np.zeros((k + 1, 3)), np.zeros((k + 1, 3)), np.zeros((k + 1, 3))
    for i in range(n.size):
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        if k > 1:
            upper_half_steps(a, b, k, f, dH)
        enter_moments(k, w, dH, beta_binomial(k, a, b, p), p, L, i, mu, var, cov)


@jit
def enter_moments(k, w, dH, total, p, L, i, mu, var, cov):
    """Write the moments of state i, from the weights p of 0..k successes and their sum."""
    x, v, cv = covariance(k, w, dH, total, p, L)
    put(mu, i, x)
    put(var, i, v)
    put(cov, i, cv)


# --- x^alpha y^beta by the delta method ------------------------------------------------------------


@jit
def delta(x, vx, y, vy, cov, alpha, beta, identical):
    """The power product G = x^alpha y^beta and its variance by the delta method.

    Var G / G^2 = alpha^2 vx/x^2 + beta^2 vy/y^2 + 2 alpha beta cov/(x y), or 0 if rounding made it negative. Both are 0
    if a base is 0 and its exponent is not. identical: x and y are one variable (k = 1), so that the variance is that of
    x^(alpha + beta).
    """
    if (alpha[0] != 0.0 and x[0] == 0.0) or (beta[0] != 0.0 and y[0] == 0.0):
        return ZERO, ZERO
    G = mul(power(x, alpha), power(y, beta))
    if identical:
        alpha, beta = add(alpha, beta), ZERO
    V = ZERO
    if alpha[0] != 0.0:
        V = div(mul(mul(alpha, alpha), vx), mul(x, x))
    if beta[0] != 0.0:
        V = add(V, div(mul(mul(beta, beta), vy), mul(y, y)))
    if alpha[0] != 0.0 and beta[0] != 0.0:
        cross = div(mul(mul(alpha, beta), cov), mul(x, y))
        V = add(V, times_2_to(cross, 1.0))
    if V[0] < 0.0:
        V = ZERO
    return G, mul(mul(G, G), V)


@jit
def geom_at_k(n, c, k, alpha, beta, alpha0, beta0, mu, var):
    """Fill mu and var with Geom@k and its variance by the delta method, question by question."""
    for i in range(n.size):
        a, b = posterior_parameters(n[i], c[i], alpha0, beta0)
        x, vx, y, vy, cov = pass_and_hat(a, b, k)
        G, V = delta(x, vx, y, vy, cov, alpha, beta, k == 1)
        put(mu, i, G)
        put(var, i, V)


# --- Max@k under a Dirichlet posterior -------------------------------------------------------------


@jit
def lower_tail_powers(A, T, k, pass_, power_, var):
    """Fill tables with 1 - E[q^k], E[q^k] and Var(q^k), q ~ Beta(A, T - A), A and T integers."""
    for i in range(A.size):
        P, Q, V = moments_of_power(ext(float(T[i] - A[i])), ext(float(A[i])), k)
        put(pass_, i, P)
        put(power_, i, Q)
        put(var, i, V)


@jit
def level_covariance(i, j, mult, power_, var):
    """The sum of mult Cov(q_i^k, q_j^k) over pairs of states, q_i <= q_j; this Cov is E[(q_i/q_j)^k] Var(q_j^k)."""
    total = ZERO
    for t in range(i.size):
        x = mul(get(var, j[t]), div(get(power_, i[t]), get(power_, j[t])))
        total = add(total, mul(x, ext(float(mult[t]))))
    return total


@jit
def joined(table, i, S, E, V, G):
    """The sums of a run of levels, from those of the levels in row i and of the run (S, E, V, G) after these.

    With t = g Q of a level (gap g, Q = E[q^k]) they are the sums of t, of t Var(q^k) / Q^2, of g (1 - Q), and, in V, of
    the covariances of all pairs of levels.
    """
    S1, E1, V1, G1 = get(table, i), get(table, i + 1), get(table, i + 2), get(table, i + 3)
    return add(S1, S), add(E1, E), add(add(V1, V), times_2_to(mul(S1, E), 1.0)), add(G1, G)


@jit
def put_run(table, i, S, E, V, G):
    """Write the sums of a run of levels into row i of a table and the three rows after it."""
    put(table, i, S)
    put(table, i + 1, E)
    put(table, i + 2, V)
    put(table, i + 3, G)


@jit
def runs_of_levels(A, rewards, pass_, power_, var, runs):
    """Fill the runs of 1, 2, 4, ... levels that begin at a multiple of their length, the shortest first.

    A: the index of each level in the tables of lower_tail_powers(); rewards: those at the ends of the levels' gaps.
    """
    for l in range(A.size):
        gap = sub(ext(rewards[l + 1]), ext(rewards[l]))
        Q, V = get(power_, A[l]), get(var, A[l])
        slope = mul(gap, div(V, Q))
        put_run(runs, 4 * l, mul(gap, Q), slope, mul(mul(gap, gap), V), mul(gap, get(pass_, A[l])))
    first, size = 0, A.size
    while size > 1:
        for i in range(size // 2):
            j = 4 * (first + 2 * i + 1)
            S, E, V, G = joined(runs, j - 4, get(runs, j), get(runs, j + 1), get(runs, j + 2), get(runs, j + 3))
            put_run(runs, 4 * (first + size + i), S, E, V, G)
        first, size = first + size, size // 2


@jit
def append_levels(question, low, high, size, runs, sums):
    """Append the levels low..high-1 to the run of each question in `sums`, from runs_of_levels() of `size` levels."""
    for t in range(question.size):
        i, s = 4 * question[t], low[t]
        while s < high[t]:
            first, width, length = 0, size, 1
            while s % (2 * length) == 0 and s + 2 * length <= high[t]:
                first, width, length = first + width, width // 2, 2 * length
            j = 4 * (first + s // length)
            S, E, V, G = joined(sums, i, get(runs, j), get(runs, j + 1), get(runs, j + 2), get(runs, j + 3))
            put_run(sums, i, S, E, V, G)
            s += length
