"""Maximum-likelihood fit of the zero-inflated model, by ascent from a start."""

from __future__ import annotations

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
    put,
    sub,
    value,
)
from ..arithmetic.jit import jit
from .identified import Successes
from .zero_inflated import BOUND, FittedModel, Tails, likelihood, likelihood_in_doubles, shapes, slopes, tails

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
