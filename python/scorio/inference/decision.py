"""Decision on a difference at a one-sided level, and its error rates over several looks at growing data.

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
from ..arithmetic.distributions import bell, beta_cdf, beta_high, normal_cdf, normal_quantile, tail
from ..arithmetic.double_double import (
    HALF,
    INV_SQRT_2PI,
    ONE,
    ZERO,
    Triple,
    add,
    clip,
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
from ..metrics.metric import Metric
from ..results import Decision, Spending
from .degrees_of_freedom import smaller
from .difference import Difference, lower_tail, quantile
from .variance import larger

# --- looks ------------------------------------------------------------------------------------------

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
        return mul(a, log(add(ONE, mul(growth, time))))
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
    return value(times_2_to(normal_cdf(neg(ext(z))), 1.0))


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
        out[j] = (half * w) * (total * INV_SQRT_2PI[0] / step)
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


# --- the decision: the interval, and whether it is above or below a margin --------------------------

MOST_UNITS = ext(2.0**32)  # more independent trials count as so many: an exact tail of n takes about sqrt(n) steps


@lru_cache(maxsize=64)
def level_of_look(fractions: tuple[float, ...], alpha: float, spending: str) -> Triple:
    """The one-sided level of the last of several looks at these fractions of the information."""
    return normal_cdf(neg(ext(crossing(fractions, alpha, spending).z[-1])))


def to_unit_scale(x: float, m: Metric) -> Triple:
    """A distance in units of w, rescaled to scores 0..1."""
    return div(ext(x), sub(ext(max(m.w)), ext(min(m.w))))


def rescaled_interval(
    d: Difference, tail: Triple, m: Metric, margin: Triple | None = None
) -> tuple[float, float, float, float]:
    """(mu, sigma, lo, hi) of a difference in units of w at a one-sided level, cut to possible differences.

    With a margin (on the scale 0..1) both limits also account for what the sample may lack, as the decision on
    D > -margin does.
    """
    below = above = d.half_width(tail) if margin is None else d.half_width(tail, neg(margin))
    if margin is not None and d.standard_error[0]:
        below = larger(below, mul(quantile(tail, d.freedom), tilted_error(d, margin)))
        below, above = (larger(below, reach_of_unsampled(d, tail, side)) for side in (-1.0, 1.0))
    unit = sub(ext(max(m.w)), ext(min(m.w)))
    end = value(unit)
    lo, hi = (clip(value(mul(unit, x)), -end, end) for x in (sub(d.D, below), add(d.D, above)))
    return value(mul(unit, d.D)) + 0.0, value(mul(unit, d.reported(tail)[0])), lo, hi


# --- what the sample may lack --------------------------------------------------------------------------


def tilted_error(d: Difference, margin: Triple) -> Triple:
    """The standard error at D = -margin if too few failures were sampled.

    If D moves by x, its variance moves by x times its third moment over its variance (exponential tilting). The third
    moment is an estimate: the variance is taken as large as the uncertainty of that moment allows.
    """
    if d.cubes is None or not d.guard[0]:
        return d.standard_error
    x, (third, sixth), V = add(d.D, margin), d.cubes(), mul(d.standard_error, d.standard_error)
    skew = sub(mul(x if x[0] >= 0.0 else neg(x), root(sixth)), mul(x, third))
    return root(add(V, div(skew, V))) if skew[0] > 0.0 else d.standard_error


def independent_trials(d: Difference) -> Triple:
    """The number of independent trials, at most MOST_UNITS: fewer give wider limits and larger p-values."""
    return smaller(div(ONE, d.unit), MOST_UNITS)


def shares(d: Difference, margin: Triple) -> tuple[Triple, Triple] | None:
    """The largest share of questions like the sample if D is -margin, and 1 less it; the others differ by the guard.

    None if questions that differ by the guard cannot move D to -margin.
    """
    x = add(d.D, margin)
    if not d.guard[0] or (x[0] > 0.0 and sub(margin, d.guard)[0] >= 0.0):
        return None
    if x[0] > 0.0:
        room = add(d.guard, d.D)
        return div(sub(d.guard, margin), room), div(x, room)
    room = sub(d.guard, d.D)
    return div(add(d.guard, margin), room), div(neg(x), room)


def p_value_of_unsampled(d: Difference, margin: Triple) -> Triple:
    """Probability that all independent trials show the observed D although it is -margin: an exact p-value.

    For fixed questions and D between -margin and 0 a share -D of the trials fails entirely (Clopper and Pearson).
    """
    n0, of_sample = independent_trials(d), shares(d, margin)
    if of_sample is None:
        return ZERO
    if d.by_trials and d.D[0] < 0.0 < add(d.D, margin)[0]:
        failures, lost = neg(mul(div(d.D, d.guard), n0)), div(margin, d.guard)
        return beta_cdf(sub(ONE, lost), lost, sub(n0, failures), add(failures, ONE))
    return beta_cdf(*of_sample, n0, ONE)


def reach_of_unsampled(d: Difference, tail: Triple, side: float) -> Triple:
    """The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."""
    n0, room = independent_trials(d), sub(d.guard, mul(ext(side), d.D))
    if not d.guard[0] or room[0] <= 0.0:
        return ZERO
    if d.by_trials and side < 0.0 and d.D[0] < 0.0:
        failures = neg(mul(div(d.D, d.guard), n0))
        successes = sub(n0, failures)
        share = beta_high(tail, add(failures, ONE), successes) if successes[0] > 0.0 else ONE
        return add(d.D, mul(d.guard, share))
    return mul(room, beta_high(tail, ONE, n0))


def trials_of_unsampled(d: Difference, margin: Triple, tail: Triple, share: Triple) -> Triple | None:
    """The number of independent trials at which reach_of_unsampled() is this share of D + margin; None: no bound."""
    of_sample = shares(d, margin)
    if of_sample is None:
        return None
    c = mul(of_sample[1], share)
    if value(c) < 2.0**-30:  # log(1 - c), of which a rounded 1 - c leaves few digits or none
        half, third = times_2_to(c, -1.0), div(c, ext(3.0))
        return div(log(tail), neg(mul(c, add(ONE, add(half, mul(c, add(third, mul(half, half))))))))
    return div(log(tail), log(sub(ONE, c)))


# --- decisions -------------------------------------------------------------------------------------------


def p_values_at_margin(d: Difference, margin: Triple) -> tuple[Triple, Triple]:
    """The p-values of D <= -margin and of D >= -margin.

    The smaller one is that of tail() or of the t statistic with tilted_error(), the other one is 1 less it; then
    p_value_of_unsampled() replaces the smaller one if it is larger. Both are 1/2 at D = -margin.
    """
    x = add(d.D, margin)
    if not x[0]:
        return HALF, HALF
    small = d.tail(neg(margin))
    if d.standard_error[0]:
        small = larger(small, _tilted_tail(d, margin))
    large = sub(ONE, small)
    if d.standard_error[0]:
        small = larger(small, p_value_of_unsampled(d, margin))
    return (small, large) if x[0] > 0.0 else (large, small)


def _tilted_tail(d: Difference, margin: Triple) -> Triple:
    t = div(add(d.D, margin), tilted_error(d, margin))
    return lower_tail(t if t[0] < 0.0 else neg(t), d.freedom)


def margin_decision(d: Difference, margin: Triple, tail: Triple) -> tuple[Decision, Triple, Triple]:
    """The verdict on D > -margin, and p_values_at_margin()."""
    p_worse, p_better = p_values_at_margin(d, margin)
    if sub(tail, p_worse)[0] >= 0.0:
        return "pass", p_worse, p_better
    return "fail" if sub(tail, p_better)[0] >= 0.0 else "inconclusive", p_worse, p_better


def is_below_margin(d: Difference, margin: Triple, level: Triple) -> bool:
    """Whether p_better of p_values_at_margin() is below the level, for D < -margin; stops as soon as it cannot be."""
    if not d.standard_error[0] or sub(level, _tilted_tail(d, margin))[0] > 0.0:
        return sub(level, p_values_at_margin(d, margin)[1])[0] > 0.0
    return False
