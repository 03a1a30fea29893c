"""What the zero-inflated law says of k trials, whether it fits the counts, and how many more trials are needed."""

from __future__ import annotations

import numpy as np

from ..arithmetic.distributions import normal_cdf
from ..arithmetic.double_double import (
    INV_SQRT_2PI,
    ONE,
    ZERO,
    Triple,
    add,
    div,
    exp,
    ext,
    get,
    mul,
    neg,
    put,
    root,
    scaled,
    sub,
    value,
)
from ..arithmetic.jit import jit
from .identified import Frequencies, Successes, band
from .zero_inflated import Law, no_success, shapes
from .zero_inflated_fit import factor, solve

CELL = 3.0  # the least expected count of a cell of the test of fit


@jit
def powers(a, b, s, k):
    """(1 - Q, Q, sum of 1/(b + i), sum of 1/(s + i)), i < k, Q = E[q^k] of Beta(a, b)."""
    P, Q, B1, S1 = ZERO, ONE, ZERO, ZERO
    for i in range(k):
        below = div(ONE, add(s, ext(float(i))))
        up = add(b, ext(float(i)))
        P = add(P, mul(mul(sub(ONE, P), a), below))
        Q = mul(Q, mul(up, below))
        B1, S1 = add(B1, div(ONE, up)), add(S1, below)
    return P, Q, B1, S1


@jit
def limits(v, s, o, free, m, k, z, out):
    """Rows of out: the share with a success in k trials, 1 less it, then its low and high limit, and 1 less each.

    The limits are those of the logit, by the delta method; 0 and 1 where the information is not positive.
    """
    a, b, t = shapes(v, s)
    P, Q, B1, S1 = powers(a, b, s, k)
    over = add(ONE, o)
    theta, rest = div(P, over), div(add(Q, o), over)
    g, y, L, d = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((9, 3)), np.zeros((3, 3))
    slope = div(Q, over)
    if free[0]:
        put(g, 0, mul(slope, mul(t, B1)))
    if free[1]:
        put(g, 1, mul(slope, sub(mul(s, S1), mul(b, B1))))
    if free[2]:
        put(g, 2, neg(mul(div(o, over), theta)))
    put(out, 0, theta)
    put(out, 1, rest)
    put(out, 2, ZERO)
    put(out, 3, ONE)
    put(out, 4, ONE)
    put(out, 5, ZERO)
    if not factor(m, L, d) or theta[0] == 0.0 or rest[0] == 0.0:
        return
    solve(L, d, g, y)
    V = ZERO
    for i in range(3):
        V = add(V, mul(get(g, i), get(y, i)))
    odds = exp(div(mul(z, root(V)), mul(theta, rest)))
    far = mul(rest, odds)
    put(out, 2, div(theta, add(theta, far)))
    put(out, 4, div(far, add(theta, far)))
    far = mul(theta, odds)
    put(out, 3, div(far, add(far, rest)))
    put(out, 5, div(rest, add(far, rest)))


# --- whether it fits ---------------------------------------------------------------------------------


@jit
def expect(n, mult, v, s, o, out):
    """The expected number of questions with c successes, added to out[c]; n distinct."""
    a, b, _ = shapes(v, s)
    over = add(ONE, o)
    for r in range(n.size):
        N, many = n[r], div(ext(float(mult[r])), over)
        w = no_success(a, s, N, b)
        put(out, 0, add(get(out, 0), mul(many, add(o, w))))
        for c in range(N):
            up = mul(ext(float(N - c)), add(a, ext(float(c))))
            w = mul(w, div(up, mul(ext(float(c + 1)), add(b, ext(float(N - c - 1))))))
            put(out, c + 1, add(get(out, c + 1), mul(many, w)))


@jit
def misfit(expected, seen):
    """(X^2, cells): neighbouring counts are joined until CELL questions are expected; a rest joins the last cell."""
    total, cells, E, O, last, had = ZERO, 0, ZERO, 0, ZERO, 0
    for c in range(seen.size):
        E, O = add(E, get(expected, c)), O + seen[c]
        if value(E) >= CELL:
            if cells > 0:
                total = add(total, square(last, had))
            last, had, cells = E, O, cells + 1
            E, O = ZERO, 0
    if cells > 0:
        total = add(total, square(add(last, E), had + O))
    return total, cells


@jit
def square(E, O):
    d = sub(ext(float(O)), E)
    return div(mul(d, d), E)


@jit
def chi_square_tail(x, df):
    """P(X >= x) of a chi-square with df = 1, 2, ... degrees of freedom: finite sums."""
    if x[0] <= 0.0:
        return ONE
    r = root(x)
    bell, total = exp(neg(scaled(x, -1.0))), ZERO
    if df % 2 == 0:
        term = ONE
        for i in range(df // 2):
            total, term = add(total, term), div(mul(term, x), ext(2.0 * (i + 1)))
        return mul(bell, total)
    term = r
    for i in range((df - 1) // 2):
        total, term = add(total, term), div(mul(term, x), ext(2.0 * i + 3.0))
    return scaled(add(normal_cdf(neg(r)), mul(mul(INV_SQRT_2PI, bell), total)), 1.0)


def goodness(s: Successes, law: Law, parameters: int) -> float | None:
    """The p-value of Pearson's test on the counts of successes; None where too few cells are left."""
    n, where = np.unique(s.n, return_inverse=True)
    mult = np.zeros(n.size, np.int64)
    np.add.at(mult, where, s.mult)
    size = int(n[-1]) + 1
    expected, seen = np.zeros((size, 3)), np.zeros(size, np.int64)
    np.add.at(seen, s.c, s.mult)
    expect(n, mult, law.v, law.s, law.o, expected)
    x, cells = misfit(expected, seen)
    df = cells - 1 - parameters
    return value(chi_square_tail(x, df)) if df > 0 else None


# --- how many more trials ------------------------------------------------------------------------------


@jit
def expected_width(M, n, k, v, s, o, z, out):
    """The width of the limits of the band that the law expects of n >= 2 trials per question."""
    a, b, _ = shapes(v, s)
    P, Q, _, _ = powers(a, b, s, n)
    over = add(ONE, o)
    many = div(ext(float(M)), over)
    f1 = mul(mul(many, Q), div(mul(ext(float(n)), a), add(b, ext(float(n - 1)))))
    f2 = mul(f1, div(mul(ext(0.5 * float(n - 1)), add(a, ONE)), add(b, ext(float(n - 2)))))
    band(M, n, k - n, div(P, over), mul(many, add(Q, o)), f1, f2, z, out)
    return value(sub(get(out, 3), get(out, 0)))


def more_trials(f: Frequencies, k: int, law: Law, width: float, z: Triple) -> int | None:
    """The fewest further trials, by bisection, after which the law expects limits no wider; None: k are too few."""
    out = np.zeros((8, 3))

    def narrow(n: int) -> bool:
        return bool(expected_width(f.M, n, k, law.v, law.s, law.o, z, out) <= width)

    low, high = max(f.n, 1), k  # the first is too few, the second enough
    if k < 2 or not narrow(k):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if narrow(middle):
            high = middle
        else:
            low = middle
    return high - f.n
