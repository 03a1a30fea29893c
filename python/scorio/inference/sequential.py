"""Error rates over several looks at growing data.

The formulas: spec/families/looks.md. At successive looks the differences behave as a process of independent increments:
Cov(D_j, D_k) = V_k for j < k. Its time f at a look is the variance at the last look divided by the variance at that
look.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import ceil, sqrt
from typing import NamedTuple, get_args

import numpy as np

from ..arguments import FloatArray
from ..arithmetic.distributions import normal_cdf, normal_quantile
from ..arithmetic.double_double import (
    ONE,
    Triple,
    add,
    div,
    exp,
    ext,
    log,
    mul,
    neg,
    ratio,
    root,
    sub,
    times_2_to,
    value,
)
from ..arithmetic.jit import jit
from ..arithmetic.normal import INV_SQRT_2PI, bell, tail
from ..results import Spending

SPENDING: tuple[Spending, ...] = get_args(Spending)
MIN_LOOK_STEP = 1 / 256  # the smallest share of the information between two looks
MAX_PAIRS = 10**7  # the most wins and losses, together, that pair_e_value takes
HIGHEST, LEAST = 37.5, 1e-300  # the boundary of a look that may spend less than LEAST
# Gauss-Legendre quadrature of 16 points: the positive nodes, and their weights
NODES = (
    0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438, 0.755404408355003,
    0.8656312023878318, 0.9445750230732326, 0.9894009349916499,
)  # fmt: skip
WEIGHTS = (
    0.1894506104550685, 0.18260341504492358, 0.16915651939500254, 0.14959598881657674, 0.12462897125553388,
    0.09515851168249279, 0.062253523938647894, 0.027152459411754096,
)  # fmt: skip


class Crossing(NamedTuple):
    """The boundary of each look, its two-sided p-value in a single look, and the error rate spent up to it."""

    z: list[float]
    p: list[float]
    spent: list[float]


# --- spending functions -------------------------------------------------------------------------------


def spent_by(spending: str, alpha: float, f: float) -> Triple:
    """The error rate that may be spent up to the fraction f of the information."""
    a, time = ext(alpha), ext(f)
    if spending == "pocock":  # alpha log(1 + (e - 1) f)
        growth = sub(exp(ONE), ONE)
        x: Triple = mul(a, log(add(ONE, mul(growth, time))))
        return x
    z = quarter_z(alpha)  # 4 (1 - Phi(z / sqrt f))
    x = times_2_to(normal_cdf(neg(div(z, root(time)))), 2.0)
    return x


@lru_cache(maxsize=64)
def quarter_z(alpha: float) -> Triple:
    """The normal quantile z with upper tail alpha / 4."""
    quarter = times_2_to(ext(alpha), -2.0)
    return normal_quantile(sub(ext(0.5), quarter), quarter)


@lru_cache(maxsize=64)
def crossing(fractions: tuple[float, ...], alpha: float, spending: str) -> Crossing:
    """The boundaries of looks at these increasing fractions of the information; the last may be above 1."""
    spent = [spent_by(spending, alpha, min(f, 1.0)) for f in fractions]
    steps = [spent[0]] + [sub(b, a) for a, b in pairwise(spent)]
    z = boundaries(np.array(fractions), np.array([value(x) for x in steps]))
    p = [two_sided(x) for x in z]
    if value(spent[0]) >= LEAST:
        p[0] = value(spent[0])  # 2 (1 - Phi(z)) of a rounded z near 36 would be off by a thousand ulp
    return Crossing(z, p, [value(x) for x in spent])


def two_sided(z: float) -> float:
    """Two-sided p-value 2 (1 - Phi(z))."""
    p: float = value(times_2_to(normal_cdf(neg(ext(z))), 1.0))
    return p


# --- the recursion ------------------------------------------------------------------------------------


def boundaries(f: FloatArray, exits: FloatArray) -> list[float]:
    """Boundaries z_k with P(|Z| first reaches its boundary at look k) = exits[k]."""
    steps = [float(f[0]), *(b - a for a, b in pairwise(f.tolist()))]
    x, mass = np.zeros(1), np.ones(1)  # before the first look: all at 0
    out = []
    for k in range(f.size):
        step = sqrt(steps[k])
        z = boundary(sqrt(f[k]), step, x, mass, exits[k])
        out.append(z)
        if k + 1 < f.size:
            b = sqrt(f[k]) * z
            panels = max(1, ceil(b / sqrt(min(steps[k], steps[k + 1]))))
            x, mass = after_step(b, panels, step, x, mass)
    return out


@jit
def boundary(scale, step, x, mass, target):
    """The z at which the process, now at x[i] with probability mass[i], leaves (-z scale, z scale) with P = target."""
    if target < LEAST:
        return HIGHEST
    low, high = 0.0, HIGHEST
    for _ in range(60):
        z = 0.5 * (low + high)
        total = 0.0
        for i in range(x.size):
            total += mass[i] * tail((z * scale - x[i]) / step)
        if 2.0 * total > target:
            low = z
        else:
            high = z
    return high


@jit
def after_step(b, panels, step, x, mass):
    """Gauss-Legendre nodes on (-b, b) and the mass at each after one more step."""
    nodes, out = np.empty(16 * panels), np.empty(16 * panels)
    half = b / panels
    for j in range(16 * panels):
        i = j % 16
        at = NODES[7 - i] if i < 8 else NODES[i - 8]
        w = WEIGHTS[7 - i] if i < 8 else WEIGHTS[i - 8]
        middle = (2.0 * (j // 16) + 1.0) * half - b
        nodes[j] = middle - half * at if i < 8 else middle + half * at
        total = 0.0
        for n in range(x.size):
            total += mass[n] * bell((nodes[j] - x[n]) / step)
        out[j] = (half * w) * (total * INV_SQRT_2PI / step)
    return nodes, out


# --- tests at any time --------------------------------------------------------------------------------


def mixture(alpha: float) -> tuple[Triple, Triple]:
    """The pair a = 2 log(1/alpha), r = a + log(1 + a): r is the variance of the mixed differences, V(f = 1) being 1."""
    a = times_2_to(neg(log(ext(alpha))), 1.0)
    return a, add(a, log(add(ONE, a)))


def e_value(z: float, f: float, alpha: float) -> tuple[float, float, float]:
    """E-value exp(z^2 rho / (2 (1 + rho))) / sqrt(1 + rho), rho = r f; its p-value; the |z| at which it is 1/alpha."""
    a, r = mixture(alpha)
    rho = mul(r, ext(f))
    total = add(ONE, rho)
    growth = exp(times_2_to(div(mul(mul(ext(z), ext(z)), rho), total), -1.0))
    e = div(growth, root(total))
    stop = root(mul(add(ONE, div(ONE, rho)), add(a, log(total))))
    return value(e), p_value_of(e), value(stop)


def p_value_of(e: Triple) -> float:
    """The p-value of an e-value: min(1, 1/e)."""
    return 1.0 if sub(e, ONE)[0] <= 0.0 else value(div(ONE, e))


def pair_e_value(wins: int, losses: int) -> tuple[float, float]:
    """The e-value 2^n / ((n + 1) C(n, wins)), n = wins + losses, and its p-value."""
    e = mixed_pairs(min(wins, losses), max(wins, losses))
    return value(e), p_value_of(e)


@jit
def mixed_pairs(fewer, more):
    """E-value of pairs: the product of 2i / (more + i), i = 1..fewer, times 2^more / (fewer + more + 1)."""
    e = div(ONE, ext(float(fewer + more + 1)))
    for i in range(1, fewer + 1):
        e = mul(e, ratio(float(2 * i), float(more + i)))
    return times_2_to(e, float(more))
