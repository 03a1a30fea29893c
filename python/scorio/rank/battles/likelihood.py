"""The likelihood of battles: scores and curvatures of cells, Newton's steps, and the inverse of the curvature.

Cells are ordered pairs of models. Counts of their outcomes are triples (double-doubles with an exponent, see
arithmetic/double_double.py), since weights make them real numbers. Laplacian systems are solved by eliminating one
model after the other (Grassmann, Taksar & Heyman 1985): sums of positive terms. The formulas: spec/families/battles.md.

Curvatures are second derivatives of the log likelihood with their signs reversed.

Arguments of one cell: n1, nt and n2 are the weights of wins of the first model, ties, and wins of the second; a and b
are the strengths of the two models (a is multiplied by the position bias); nu, k or tie is the parameter of ties.
Functions of a cell return five triples, which cell_derivatives() describes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arithmetic.double_double import ONE, ZERO, add, div, ext, get, mul, neg, put, root, sub, times_2_to, value
from ...arithmetic.jit import jit

MODELS = ("half", "davidson", "rao_kupper")
NO_DIVISOR = 1e-15  # a divisor 1 - leverage below this, or with a negative exponent (below 2^-128), counts as 0


# --- one cell --------------------------------------------------------------------------------------


@jit
def half_wins(n1, nt, n2, a, b):
    """Scores and curvatures of a cell where a tie is half a win for each model."""
    s, half = add(a, b), times_2_to(nt, -1.0)
    r = div(sub(mul(add(n1, half), b), mul(add(n2, half), a)), s)
    h = div(mul(add(add(n1, nt), n2), mul(a, b)), mul(s, s))
    return r, ZERO, h, ZERO, ZERO


@jit
def davidson(n1, nt, n2, a, b, nu):
    """Scores and curvatures of a cell in Davidson's model: P(tie) = nu sqrt(a b) / (a + b + nu sqrt(a b))."""
    y = mul(nu, root(mul(a, b)))
    s, n = add(a, b), add(add(n1, nt), n2)
    z = add(s, y)
    r = sub(times_2_to(sub(mul(n1, b), mul(n2, a)), 1.0), mul(sub(n2, n1), y))
    twice = add(r, mul(nt, sub(b, a)))
    r = div(times_2_to(twice, -1.0), z)
    rt = div(sub(mul(nt, s), mul(add(n1, n2), y)), z)
    x, w, t = div(a, z), div(b, z), div(y, z)
    by_ties, expected_ties = times_2_to(mul(t, add(x, w)), -2.0), mul(n, t)
    h = mul(n, add(by_ties, mul(x, w)))
    return r, rt, h, times_2_to(mul(expected_ties, sub(w, x)), -1.0), mul(expected_ties, add(x, w))


@jit
def rao_kupper(n1, nt, n2, a, b, k):
    """Scores and curvatures in Rao and Kupper's model: P(first) = a / (a + k b), P(second) = b / (b + k a)."""
    kb, ka = mul(k, b), mul(k, a)
    s, t = add(a, kb), add(ka, b)
    u, v = div(sub(mul(n1, kb), mul(nt, a)), s), div(sub(mul(nt, b), mul(n2, ka)), t)
    rt, square, tie_curvature = sub(v, u), mul(k, k), ZERO
    excess = sub(square, ONE)
    if nt[0] != 0.0 and excess[0] > 0.0:  # at k = 1 ties have probability 0; a count there is rounding
        rt = add(rt, div(times_2_to(nt, 1.0), excess))
        tie_curvature = div(times_2_to(mul(nt, square), 2.0), mul(excess, excess))
    p = div(mul(add(n1, nt), mul(a, kb)), mul(s, s))
    q = div(mul(add(n2, nt), mul(ka, b)), mul(t, t))
    h = add(p, q)
    return add(u, v), rt, h, sub(q, p), add(h, tie_curvature)


@jit
def cell_derivatives(model, n1, nt, n2, a, b, tie):
    """Derivatives of the log likelihood of a cell by its log odds x and the log tie parameter y.

    Returns the scores by x and by y, then the curvatures: xx, xy, yy.
    """
    if model == 0:
        return half_wins(n1, nt, n2, a, b)
    if model == 1:
        return davidson(n1, nt, n2, a, b, tie)
    return rao_kupper(n1, nt, n2, a, b, tie)


@jit
def all_derivatives(model, first, second, counts, p, bias, tie, out):
    """Write cell_derivatives() of every cell to out: (5, cells, 3). counts: (3, cells, 3); p: (L, 3) strengths."""
    for k in range(first.size):
        a, b = mul(bias, get(p, first[k])), get(p, second[k])
        n1, nt, n2 = get(counts[0], k), get(counts[1], k), get(counts[2], k)
        r, rt, h, hc, ht = cell_derivatives(model, n1, nt, n2, a, b, tie)
        put(out[0], k, r)
        put(out[1], k, rt)
        put(out[2], k, h)
        put(out[3], k, hc)
        put(out[4], k, ht)


@jit
def gradient(first, second, derivatives, g):
    """Add the scores of all parameters to g, (L + 2, 3): models, then position bias and tie parameter."""
    L = g.shape[0] - 2
    for k in range(first.size):
        i, j, r = first[k], second[k], get(derivatives[0], k)
        put(g, i, add(get(g, i), r))
        put(g, j, sub(get(g, j), r))
        put(g, L, add(get(g, L), r))
        put(g, L + 1, add(get(g, L + 1), get(derivatives[1], k)))


# --- linear systems, in doubles --------------------------------------------------------------------


@jit
def curvature(first, second, derivatives, W, B):
    """Add the weights between models to W, below its diagonal, and the columns of bias and ties to B: (L + 2, 2)."""
    L = W.shape[0]
    for k in range(first.size):
        i, j = first[k], second[k]
        h, hc, ht = value(get(derivatives[2], k)), value(get(derivatives[3], k)), value(get(derivatives[4], k))
        W[max(i, j), min(i, j)] += h
        B[i, 0] += h
        B[j, 0] -= h
        B[i, 1] += hc
        B[j, 1] -= hc
        B[L, 0] += h
        B[L, 1] += hc
        B[L + 1, 0] += hc
        B[L + 1, 1] += ht


@jit
def eliminate(W):
    """Factor W by eliminating models from the last to the second; the factor replaces W on and below its diagonal."""
    for k in range(W.shape[0] - 1, 0, -1):
        s = 0.0
        for i in range(k):
            s += W[k, i]
        W[k, k] = s
        for i in range(1, k):
            f = W[k, i] / s
            if f > 0.0:
                for j in range(i):
                    W[i, j] += f * W[k, j]


@jit
def solve(W, g):
    """Solve the system that eliminate() factored, with x[0] = 0; x replaces g, whose entries add up to 0."""
    for k in range(W.shape[0] - 1, 0, -1):
        f = g[k] / W[k, k]
        for i in range(k):
            g[i] += f * W[k, i]
    g[0] = 0.0
    for k in range(1, W.shape[0]):
        t = g[k]
        for i in range(k):
            t += W[k, i] * g[i]
        g[k] = t / W[k, k]


@jit
def largest_change(first, second, d):
    """The largest change of the log odds of a cell in the direction d, plus the change of the log tie parameter."""
    L = d.size - 2
    largest = 0.0
    for k in range(first.size):
        largest = max(largest, abs(d[first[k]] - d[second[k]] + d[L]))
    return largest + abs(d[L + 1])


@jit
def times_exp(x, by):
    """The product x e^by, approximately: ((2 + y)/(2 - y)) with y = by/2^k, squared k times."""
    times = 0
    while abs(by) > 0.25:
        by, times = 0.5 * by, times + 1
    f = div(add(ext(2.0), ext(by)), sub(ext(2.0), ext(by)))
    for _ in range(times):
        f = mul(f, f)
    return mul(x, f)


@jit
def step_all(p, d, t):
    """Multiply every strength by e^(t d), after centring d at the middle of its range."""
    L = p.shape[0]
    low, high = d[0], d[0]
    for i in range(L):
        low, high = min(low, d[i]), max(high, d[i])
    middle = 0.5 * (low + high)
    for i in range(L):
        put(p, i, times_exp(get(p, i), t * (d[i] - middle)))


# --- linear systems, in triples --------------------------------------------------------------------


@jit
def curvature_exact(first, second, derivatives, W, B):
    """Compute curvature() in triples; B: (2, L + 2, 3)."""
    L = W.shape[0]
    for k in range(first.size):
        i, j = first[k], second[k]
        h, hc, ht = get(derivatives[2], k), get(derivatives[3], k), get(derivatives[4], k)
        row = W[max(i, j)]
        put(row, min(i, j), add(get(row, min(i, j)), h))
        bias, tie = B[0], B[1]
        put(bias, i, add(get(bias, i), h))
        put(bias, j, sub(get(bias, j), h))
        put(tie, i, add(get(tie, i), hc))
        put(tie, j, sub(get(tie, j), hc))
        put(bias, L, add(get(bias, L), h))
        put(tie, L, add(get(tie, L), hc))
        put(bias, L + 1, add(get(bias, L + 1), hc))
        put(tie, L + 1, add(get(tie, L + 1), ht))


@jit
def eliminate_exact(W):
    """Compute eliminate() in triples."""
    for k in range(W.shape[0] - 1, 0, -1):
        pivot_row, s = W[k], ZERO
        for i in range(k):
            s = add(s, get(pivot_row, i))
        put(pivot_row, k, s)
        for i in range(1, k):
            f = div(get(pivot_row, i), s)
            if f[0] != 0.0:
                row = W[i]
                for j in range(i):
                    put(row, j, add(get(row, j), mul(f, get(pivot_row, j))))


@jit
def solve_exact(W, g):
    """Compute solve() in triples; g: (L or more, 3)."""
    for k in range(W.shape[0] - 1, 0, -1):
        if g[k, 0] != 0.0:
            row = W[k]
            f = div(get(g, k), get(row, k))
            for i in range(k):
                put(g, i, add(get(g, i), mul(f, get(row, i))))
    put(g, 0, ZERO)
    for k in range(1, W.shape[0]):
        row = W[k]
        t = get(g, k)
        for i in range(k):
            t = add(t, mul(get(row, i), get(g, i)))
        put(g, k, div(t, get(row, k)))


@jit
def unit_columns(W, which, U):
    """Write the solution for e_i - e_0 into row i of U, for every model i in the array `which`."""
    for k in range(which.size):
        row = U[which[k]]
        put(row, which[k], ONE)
        put(row, 0, sub(get(row, 0), ONE))
        solve_exact(W, row)


@jit
def border(which, Y, S, U):
    """Add the rows and columns of position bias and tie parameter to U.

    Y: (2, L, 3), the solutions of their columns; S: (2, 2, 3), the inverse of their Schur complement; U: (L + 4, L + 4,
    3), with the rows of some models filled by unit_columns().
    """
    L = Y.shape[1]
    for i in range(L):
        for e in range(2):
            t = ZERO
            for f in range(2):
                t = add(t, mul(get(S[e], f), get(Y[f], i)))
            put(U[i], L + e, neg(t))
            put(U[L + e], i, neg(t))
    for k in range(which.size):
        row = U[which[k]]
        for j in range(L):
            t = get(row, j)
            for e in range(2):
                t = sub(t, mul(get(Y[e], j), get(row, L + e)))
            put(row, j, t)
    for e in range(2):
        for f in range(2):
            put(U[L + e], L + f, get(S[e], f))


@jit
def schur(B, Y, e, f):
    """The Schur complement entry of the parameters e and f: B[e] at f, minus the product of B[e] and Y[f]."""
    L = Y.shape[1]
    t = get(B[e], L + f)
    for i in range(L):
        t = sub(t, mul(get(B[e], i), get(Y[f], i)))
    return t


@jit
def average(U, L):
    """Write the mean over the L models into row and column L + 2 of U."""
    n = ext(float(L))
    for j in range(L + 2):
        t = ZERO
        for i in range(L):
            t = add(t, get(U[i], j))
        put(U[L + 2], j, div(t, n))
    for j in range(L + 2):
        put(U[j], L + 2, get(U[L + 2], j))
    t = ZERO
    for j in range(L):
        t = add(t, get(U[L + 2], j))
    put(U[L + 2], L + 2, div(t, n))


# --- variances of contrasts --------------------------------------------------------------------------


@jit
def contrast(U, a, b, u):
    """Write row a minus row b of U into u, and return the variance of that contrast under the fitted model."""
    for j in range(U.shape[1]):
        put(u, j, sub(get(U[a], j), get(U[b], j)))
    return sub(get(u, a), get(u, b))


@jit
def quadratic_form(x, xy, y, d, v):
    """The quadratic form x d^2 + 2 xy d v + y v^2."""
    t = mul(x, mul(d, d))
    if v[0] != 0.0:
        cross = times_2_to(mul(xy, mul(d, v)), 1.0)
        t = add(add(t, cross), mul(y, mul(v, v)))
    return t


@jit
def contrast_score(first, second, derivatives, u):
    """The score of the contrast u (see contrast()), summed over all cells."""
    L, total = u.shape[0] - 4, ZERO
    for k in range(first.size):
        d = add(sub(get(u, first[k]), get(u, second[k])), get(u, L))
        total = add(total, add(mul(get(derivatives[0], k), d), mul(get(derivatives[1], k), get(u, L + 1))))
    return total


@jit
def variances_by_battle(first, second, n_battles, squares, curvatures, a, b, U, leave_one_out, out):
    """Variances of contrasts where each battle is a sampling unit.

    A kind is a set of battles of equal curvature. first, second: the models of each kind; squares, curvatures,
    n_battles: those of group_battles(). leave_one_out: whether to divide scores by 1 - leverage, for a jackknife. out:
    (contrasts, 3, 3) takes the variance under the fitted model, the sum of squared scores, and the sum of squared
    leverages, plus 1 for each battle that alone determines the contrast.
    """
    L = U.shape[0] - 4
    u = np.zeros((L + 4, 3))
    for c in range(a.size):
        V = contrast(U, a[c], b[c], u)
        bias, tie, total, squared_leverages = get(u, L), get(u, L + 1), ZERO, ZERO
        for k in range(first.size):
            d = add(sub(get(u, first[k]), get(u, second[k])), bias)
            leverage = div(
                quadratic_form(get(curvatures[0], k), get(curvatures[1], k), get(curvatures[2], k), d, tie), V
            )
            divisor = sub(ONE, leverage)
            squared_leverages = add(squared_leverages, mul(get(n_battles, k), mul(leverage, leverage)))
            if divisor[0] < NO_DIVISOR or divisor[2] < 0.0:
                squared_leverages = add(squared_leverages, ONE)  # the battle alone determines the contrast
                divisor = ONE
            if not leave_one_out:
                divisor = ONE
            s = quadratic_form(get(squares[0], k), get(squares[1], k), get(squares[2], k), d, tie)
            total = add(total, div(s, mul(divisor, divisor)))
        put(out[c], 0, V)
        put(out[c], 1, total)
        put(out[c], 2, squared_leverages)


@jit
def variances_by_cluster(first, second, derivatives, ends, a, b, U, leave_one_out, out):
    """Fill out as variances_by_battle(), with clusters as units; ends: the index after each cluster's last cell."""
    L = U.shape[0] - 4
    u = np.zeros((L + 4, 3))
    for c in range(a.size):
        V = contrast(U, a[c], b[c], u)
        bias, tie, total, squared_leverages, start = get(u, L), get(u, L + 1), ZERO, ZERO, 0
        for q in range(ends.size):
            s, h = ZERO, ZERO
            for k in range(start, ends[q]):
                d = add(sub(get(u, first[k]), get(u, second[k])), bias)
                s = add(s, add(mul(get(derivatives[0], k), d), mul(get(derivatives[1], k), tie)))
                h = add(
                    h, quadratic_form(get(derivatives[2], k), get(derivatives[3], k), get(derivatives[4], k), d, tie)
                )
            start = ends[q]
            leverage = div(h, V)
            divisor = sub(ONE, leverage)
            squared_leverages = add(squared_leverages, mul(leverage, leverage))
            if divisor[0] < NO_DIVISOR or divisor[2] < 0.0:
                squared_leverages = add(squared_leverages, ONE)  # the cluster alone determines the contrast
                divisor = ONE
            if not leave_one_out:
                divisor = ONE
            s = div(s, divisor)
            total = add(total, mul(s, s))
        put(out[c], 0, V)
        put(out[c], 1, total)
        put(out[c], 2, squared_leverages)


@jit
def group_battles(derivatives, n_battles, kind, squares, curvatures, n_of_kind):
    """Fill arrays by kind: sums of squares and products of scores, curvatures of one battle, and numbers of battles.

    squares: (3, kinds, 3), sums of r^2, r rt and rt^2; curvatures: (3, kinds, 3), xx, xy, yy; n_of_kind: (kinds, 3).
    """
    for k in range(kind.size):
        c, n, r, rt = kind[k], get(n_battles, k), get(derivatives[0], k), get(derivatives[1], k)
        put(squares[0], c, add(get(squares[0], c), mul(n, mul(r, r))))
        put(squares[1], c, add(get(squares[1], c), mul(n, mul(r, rt))))
        put(squares[2], c, add(get(squares[2], c), mul(n, mul(rt, rt))))
        for x in range(3):
            put(curvatures[x], c, get(derivatives[2 + x], k))
        put(n_of_kind, c, add(get(n_of_kind, c), n))


def zeros(*shape: int) -> Any:
    """An array of triples, all 0."""
    return np.zeros((*shape, 3))
