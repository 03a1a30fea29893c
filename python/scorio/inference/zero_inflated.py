"""Success rates as a share of zeros and values sampled from a beta distribution, fitted by maximum likelihood.

With odds o of a rate of exactly 0 the counts of a question with n trials are those of a beta-binomial distribution with
probability 1/(1 + o), else 0; o = 0 is the plain beta-binomial model. The likelihood is maximised over the logarithms
of the coordinates v = a/b, s = a + b and (unless it is 0) o, each coordinate within 2^-20..2^20. The formulas:
spec/families/extrapolation.md.
"""

from __future__ import annotations

from math import frexp
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic.double_double import (
    ONE,
    SQRT_HALF,
    ZERO,
    Table,
    Triple,
    add,
    div,
    exp,
    ext,
    get,
    log,
    mul,
    neg,
    put,
    ratio,
    sub,
    times_2_to,
    value,
)
from ..arithmetic.jit import jit
from ..outcomes.states import Array
from .identified import Successes

BOUND = 2.0**20  # the largest value of v, s and o; the least is 1 / BOUND, unless o is fixed at 0
FACTORS = 2**14  # of a rising factorial; longer ones are completed by Stirling's series
LN2 = 0.6931471805599453


class Tails(NamedTuple):
    """Numbers of questions with more than i successes, failures and trials; and questions without success, by trials.

    Entry i of zeros counts questions without success in i + 1 trials, if they are counted apart; the other counts then
    leave them out.
    """

    successes: Array
    failures: Array
    trials: Array
    zeros: Array
    M: int


class FittedModel(NamedTuple):
    """The parameters at the maximum as triples, and the information about the logarithms of v, s and o there."""

    v: Triple
    s: Triple
    o: Triple
    information: Table  # 3 x 3 triples, row by row; a coordinate that is not free has the row of the identity matrix
    free: npt.NDArray[np.bool_]  # False: fixed at 0, or at the end of its range beyond which the likelihood rises
    likelihood: Triple  # the log likelihood, up to a constant of the data


def tails(s: Successes, apart: bool) -> Tails:
    """Build the counts of questions; apart: questions without success are counted in zeros alone."""
    size = int(s.n.max())
    included = s.c > 0 if apart else np.ones(s.c.size, bool)
    n, c, mult = s.n[included], s.c[included], s.mult[included]

    def above(x: Array) -> Array:
        """Number of questions whose x is above i, for i = 0..size-1."""
        counts = np.zeros(size + 1, np.int64)
        np.add.at(counts, x, mult)
        return counts[::-1].cumsum()[::-1][1:].copy()

    zeros = np.zeros(size, np.int64)
    np.add.at(zeros, s.n[~included] - 1, s.mult[~included])
    return Tails(above(c), above(n - c), above(n), zeros, int(s.mult.sum()))


@jit
def shapes(v, s):
    """Shapes a, b of the beta distribution, and a b / s, the slope of a in log v and minus that of b."""
    over = add(ONE, v)
    a, b = div(mul(s, v), over), div(s, over)
    return a, b, div(mul(a, b), s)


@jit
def no_success(s, n, b):
    """Probability of no success in n trials if the rate is Beta(a, b): E[(1 - rate)^n], s = a + b."""
    x, first = ONE, min(n, FACTORS)
    for i in range(first):
        x = mul(x, div(add(b, ext(float(i))), add(s, ext(float(i)))))
    if n == first:
        return x
    a, low, high = sub(s, b), add(b, ext(float(first))), add(b, ext(float(n)))
    power = mul(a, log_quotient(add(low, a), add(high, a)))
    return mul(x, exp(add(power, sub(gamma_growth(low, a), gamma_growth(high, a)))))


@jit
def gamma_growth(x, a):
    """The logarithm of Gamma(x + a) / (Gamma(x) (x + a)^a), plus a, by Stirling's series, x >= FACTORS."""
    y = add(x, a)
    step = mul(sub(x, ext(0.5)), log_quotient(y, x))
    return add(step, sub(stirling(y), stirling(x)))


@jit
def stirling(x):
    """The first four terms of Stirling's series, which add up to 1/(12 x) - 1/(360 x^3) + ..., x >= FACTORS."""
    square, total = mul(x, x), ZERO
    for n in (-1680.0, 1260.0, -360.0, 12.0):
        total = add(div(total, square), div(ONE, ext(n)))
    return div(total, x)


@jit
def log_quotient(x, y):
    """The logarithm of x / y, with a small relative error also where x is near y."""
    t = div(sub(x, y), add(x, y))
    if abs(value(t)) > 0.125:
        return log(div(x, y))
    square, total = mul(t, t), ZERO
    for i in range(18, -1, -1):
        total = add(mul(total, square), ratio(2.0, 2.0 * i + 1.0))
    return mul(total, t)


@jit
def curvatures(successes, failures, trials, zeros, M, a, b, s, o):
    """Slopes of the log likelihood in a, b and o; then its curvatures in aa, ab, bb, ao, bo and oo."""
    by_a, by_b, by_o = ZERO, ZERO, ZERO
    aa, ab, bb, ao, bo, oo = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    # P: the probability of no success in i + 1 trials; B1, B2, S1, S2: sums of y, yy, z and zz
    P, B1, B2, S1, S2 = ONE, ZERO, ZERO, ZERO, ZERO
    for i in range(trials.size):
        at = ext(float(i))
        x, y, z = div(ONE, add(a, at)), div(ONE, add(b, at)), div(ONE, add(s, at))
        xx, yy, zz = mul(x, x), mul(y, y), mul(z, z)
        if successes[i] > 0:
            number = ext(float(successes[i]))
            by_a, aa = add(by_a, mul(number, x)), sub(aa, mul(number, xx))
        if failures[i] > 0:
            number = ext(float(failures[i]))
            by_b, bb = add(by_b, mul(number, y)), sub(bb, mul(number, yy))
        if trials[i] > 0:
            number = ext(float(trials[i]))
            by_a, by_b = sub(by_a, mul(number, z)), sub(by_b, mul(number, z))
            square = mul(number, zz)
            aa, ab, bb = add(aa, square), add(ab, square), add(bb, square)
        P = mul(P, mul(add(b, at), z))
        B1, B2, S1, S2 = add(B1, y), add(B2, yy), add(S1, z), add(S2, zz)
        if zeros[i] > 0:
            number, d = ext(float(zeros[i])), sub(B1, S1)
            share = div(P, add(o, P))  # of the questions without success, the share with a rate above 0
            rest = div(ONE, add(o, P))
            by_a, by_b = sub(by_a, mul(number, mul(share, S1))), add(by_b, mul(number, mul(share, d)))
            by_o = add(by_o, mul(number, rest))
            spread = mul(number, mul(share, sub(ONE, share)))
            aa = add(aa, add(mul(spread, mul(S1, S1)), mul(mul(number, share), S2)))
            ab = add(ab, sub(mul(mul(number, share), S2), mul(spread, mul(S1, d))))
            bb = add(bb, add(mul(spread, mul(d, d)), mul(mul(number, share), sub(S2, B2))))
            ao = add(ao, mul(mul(number, rest), mul(share, S1)))
            bo = sub(bo, mul(mul(number, rest), mul(share, d)))
            oo = sub(oo, mul(number, mul(rest, rest)))
    questions, over = ext(float(M)), add(ONE, o)
    by_o, oo = sub(by_o, div(questions, over)), add(oo, div(questions, mul(over, over)))
    return by_a, by_b, by_o, aa, ab, bb, ao, bo, oo


@jit
def slopes(successes, failures, trials, zeros, M, v, s, o, g, h):
    """Fill g with the slopes of the log likelihood in log v, log s and log o, h (3 x 3 in rows) with curvatures."""
    a, b, t = shapes(v, s)
    by_a, by_b, by_o, aa, ab, bb, ao, bo, oo = curvatures(successes, failures, trials, zeros, M, a, b, s, o)
    down = sub(by_a, by_b)
    gv, gs, go = mul(t, down), add(mul(a, by_a), mul(b, by_b)), mul(o, by_o)
    put(g, 0, gv)
    put(g, 1, gs)
    put(g, 2, go)
    tilt = div(sub(b, a), s)
    put(h, 0, add(mul(mul(t, t), sub(add(aa, bb), add(ab, ab))), mul(gv, tilt)))
    put(h, 1, add(mul(t, sub(mul(a, sub(aa, ab)), mul(b, sub(bb, ab)))), gv))
    put(h, 2, mul(mul(t, o), sub(ao, bo)))
    put(h, 4, add(add(mul(mul(a, a), aa), add(mul(mul(b, b), bb), times_2_to(mul(mul(a, b), ab), 1.0))), gs))
    put(h, 5, mul(o, add(mul(a, ao), mul(b, bo))))
    put(h, 8, add(mul(mul(o, o), oo), go))
    put(h, 3, get(h, 1))
    put(h, 6, get(h, 2))
    put(h, 7, get(h, 5))


@jit
def logarithm(x):
    """The logarithm of x > 0 in doubles, with an error of a few 1e-16 times its size or 1, whichever is larger."""
    m, n = frexp(x)
    if m < SQRT_HALF:
        m, n = 2.0 * m, n - 1
    t = (m - 1.0) / (m + 1.0)
    s = 0.0
    for i in range(11, -1, -1):
        s = 1.0 / (2.0 * i + 1.0) + (t * t) * s
    return (2.0 * t) * s + n * LN2


@jit
def likelihood_in_doubles(successes, failures, trials, zeros, M, v, s, o):
    """The log likelihood in doubles."""
    a, b, _ = shapes(v, s)
    a, b, s_, o_ = value(a), value(b), value(s), value(o)
    P, total = 1.0, 0.0
    for i in range(trials.size):
        if successes[i] > 0:
            total += successes[i] * logarithm(a + i)
        if failures[i] > 0:
            total += failures[i] * logarithm(b + i)
        if trials[i] > 0:
            total -= trials[i] * logarithm(s_ + i)
        P *= (b + i) / (s_ + i)
        if zeros[i] > 0:
            total += zeros[i] * logarithm(o_ + P)
    return total - M * logarithm(1.0 + o_)


@jit
def likelihood(successes, failures, trials, zeros, M, v, s, o):
    """The log likelihood in double-double."""
    a, b, _ = shapes(v, s)
    P, total = ONE, ZERO
    for i in range(trials.size):
        at = ext(float(i))
        if successes[i] > 0:
            total = add(total, mul(ext(float(successes[i])), log(add(a, at))))
        if failures[i] > 0:
            total = add(total, mul(ext(float(failures[i])), log(add(b, at))))
        if trials[i] > 0:
            total = sub(total, mul(ext(float(trials[i])), log(add(s, at))))
        P = mul(P, div(add(b, at), add(s, at)))
        if zeros[i] > 0:
            total = add(total, mul(ext(float(zeros[i])), log(add(o, P))))
    return sub(total, mul(ext(float(M)), log(add(ONE, o))))


# --- fit, by ascent from a start --------------------------------------------------------------------

STRIDE = 1.5  # the longest step of the logarithm of a coordinate, in moved()
MAX_STEPS, MAX_TRIES, NEWTON_STEPS = 100, 30, 4  # of maximise; tries: values of the damping in each step
LONG_NEWTON_STEP = 0.0625  # a longer one shows that the search did not end near a maximum
NEAR = 2.0**-30  # relative steps below this end the search; each Newton step that follows squares the error
MIN_EXCESS = 2.0**-10  # the inflated model is fitted if `excess` is above this


@jit
def factor(m, L, d):
    """Factor a symmetric 3 x 3 matrix in rows, m = L D L'; return whether it is positive definite."""
    for j in range(3):
        x = get(m, 4 * j)
        for l in range(j):
            x = sub(x, mul(mul(get(L, 3 * j + l), get(L, 3 * j + l)), get(d, l)))
        if x[0] <= 0.0:
            return False
        put(d, j, x)
        for i in range(j + 1, 3):
            y = get(m, 3 * i + j)
            for l in range(j):
                y = sub(y, mul(mul(get(L, 3 * i + l), get(L, 3 * j + l)), get(d, l)))
            put(L, 3 * i + j, div(y, x))
    return True


@jit
def solve(L, d, g, out):
    """Solve L D L' out = g."""
    for i in range(3):
        x = get(g, i)
        for l in range(i):
            x = sub(x, mul(get(L, 3 * i + l), get(out, l)))
        put(out, i, x)
    for i in range(2, -1, -1):
        x = div(get(out, i), get(d, i))
        for l in range(i + 1, 3):
            x = sub(x, mul(get(L, 3 * l + i), get(out, l)))
        put(out, i, x)


@jit
def fill_information(h, free, damping, out):
    """Fill out with -h, its diagonal damped; a coordinate that is not free has the row of the identity matrix."""
    for i in range(3):
        for j in range(3):
            x = neg(get(h, 3 * i + j)) if free[i] and free[j] else ZERO
            if i == j:
                size = x if x[0] >= 0.0 else neg(x)
                x = add(x, mul(damping, add(size, ext(2.0**-10)))) if free[i] else ONE
            put(out, 3 * i + j, x)


@jit
def leaves_range(x, slope):
    """Whether a coordinate at an end of its range would leave it."""
    return (x[0] >= BOUND and slope[0] > 0.0) or (x[0] <= 1.0 / BOUND and slope[0] < 0.0)


@jit
def moved(x, step):
    """The coordinate x e^step, to first order and for a step of at most STRIDE, kept within its range."""
    if value(step) > STRIDE:
        step = ext(STRIDE)
    if value(step) < -STRIDE:
        step = ext(-STRIDE)
    y = mul(x, add(ONE, step)) if step[0] >= 0.0 else div(x, sub(ONE, step))
    return ext(BOUND) if value(y) > BOUND else ext(1.0 / BOUND) if value(y) < 1.0 / BOUND else y


@jit
def largest(step):
    """The largest absolute value in a step, before STRIDE limits it."""
    return max(abs(value(get(step, 0))), abs(value(get(step, 1))), abs(value(get(step, 2))))


@jit
def mark_free(x, g, inflated, free):
    """Mark the coordinates that may move; the slopes of the others become 0."""
    for i in range(3):
        free[i] = (inflated or i < 2) and not leaves_range(get(x, i), get(g, i))
        if not free[i]:
            put(g, i, ZERO)


@jit
def maximise(successes, failures, trials, zeros, M, inflated, x, h, free):
    """Move x = (v, s, o) uphill by Levenberg-Marquardt steps, then by Newton steps; then -h is the information."""
    g, d, step, y = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    m, L = np.zeros((9, 3)), np.zeros((9, 3))
    damping = 2.0**-10
    best = likelihood_in_doubles(successes, failures, trials, zeros, M, get(x, 0), get(x, 1), get(x, 2))
    for _ in range(MAX_STEPS):
        slopes(successes, failures, trials, zeros, M, get(x, 0), get(x, 1), get(x, 2), g, h)
        mark_free(x, g, inflated, free)
        better = False
        for _ in range(MAX_TRIES):
            fill_information(h, free, ext(damping), m)
            if factor(m, L, d):
                solve(L, d, g, step)
                for i in range(3):
                    put(y, i, moved(get(x, i), get(step, i)) if free[i] else get(x, i))
                new = likelihood_in_doubles(successes, failures, trials, zeros, M, get(y, 0), get(y, 1), get(y, 2))
                if new >= best:
                    better = True
                    break
            damping = max(damping, 2.0**-40) * 8.0
        if not better:
            break
        for i in range(3):
            put(x, i, get(y, i))
        best, damping = new, damping * 0.125
        if largest(step) < NEAR:
            break
    for _ in range(NEWTON_STEPS):
        slopes(successes, failures, trials, zeros, M, get(x, 0), get(x, 1), get(x, 2), g, h)
        mark_free(x, g, inflated, free)
        fill_information(h, free, ZERO, m)
        if not factor(m, L, d):
            break
        solve(L, d, g, step)
        if largest(step) > LONG_NEWTON_STEP:
            break
        for i in range(3):
            put(x, i, moved(get(x, i), get(step, i)) if free[i] else get(x, i))
    slopes(successes, failures, trials, zeros, M, get(x, 0), get(x, 1), get(x, 2), g, h)
    mark_free(x, g, inflated, free)


def fit(t: Tails, start: tuple[Triple, Triple, Triple], inflated: bool) -> FittedModel:
    """The fitted model: the maximum of the likelihood uphill of the start."""
    x, h, free = np.array(start), np.zeros((9, 3)), np.zeros(3, bool)
    maximise(*t, inflated, x, h, free)
    v, s, o = (get(x, i) for i in range(3))
    information = np.zeros((9, 3))
    fill_information(h, free, ZERO, information)
    return FittedModel(v, s, o, information, free, likelihood(*t, v, s, o))


def fit_beta_binomial(s: Successes) -> FittedModel:
    """The fitted beta-binomial model; the search starts from the share of successes and s = 1."""
    successes, trials = int((s.c * s.mult).sum()), int((s.n * s.mult).sum())
    v: Triple = div(ext(float(successes)), ext(float(trials - successes)))
    return fit(tails(s, False), (v, ONE, ZERO), False)


def fit_zero_inflated(s: Successes, model: FittedModel) -> FittedModel | None:
    """The fitted zero-inflated model, started from the beta-binomial model.

    None if the data cannot show a share of questions with rate 0: no question has three trials or more, every question
    has a success, or the beta-binomial model expects about as many questions without success or more (MIN_EXCESS).
    """
    t = tails(s, True)
    if int(s.n.max()) < 3 or not t.zeros.any():
        return None
    _, b, _ = shapes(model.v, model.s)
    if value(excess(t.zeros, t.M, model.s, b)) <= MIN_EXCESS:
        return None
    # the search starts from an eighth of the share of questions without success
    o: Triple = div(ext(float(int(t.zeros.sum()))), ext(float(8 * t.M)))
    return fit(t, (model.v, model.s, o), True)


def gain(model: FittedModel, beta_binomial: FittedModel) -> Triple:
    """Log likelihood of a model minus that of the beta-binomial model; 0 where rounding makes it negative."""
    x: Triple = sub(model.likelihood, beta_binomial.likelihood)
    return x if x[0] > 0.0 else ZERO


@jit
def excess(zeros, M, s, b):
    """Mean of [c = 0] / P(c = 0) over questions, minus 1: the slope of the mean log likelihood in o at o = 0."""
    P, total = ONE, ZERO
    for i in range(zeros.size):
        P = mul(P, div(add(b, ext(float(i))), add(s, ext(float(i)))))
        if zeros[i] > 0:
            total = add(total, div(ext(float(zeros[i])), P))
    return sub(div(total, ext(float(M))), ONE)
