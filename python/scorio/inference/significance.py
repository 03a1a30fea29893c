"""Whether a difference is significant: the exact test by the signs of sampled units, and rules of two estimates.

If two models are equally good on every unit, a difference has either sign with the same probability, whatever the
outcomes: an error rate that is a theorem at every number of units. The definition: spec/families/comparisons.md.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arithmetic.distributions import normal_z, one_sided_z
from ..arithmetic.double_double import ONE, ZERO, Table, Triple, add, div, ext, get, mul, neg, put, root, sub, value
from ..arithmetic.jit import jit
from ..outcomes.states import Array

MOST = 14  # the most units that are not 0 whose signs are enumerated
MOST_SAME = 60  # units of the same sign: more count as so many
GRID, TOLERANCE = 2.0**48, 2**8  # sums that differ by at most 2^-40 of the sum of sizes are equal


class Contributions:
    """Contributions to a difference of units of a kind, their shares of it, and the number of units of each kind."""

    def __init__(self, x: Table, share: Table, mult: Array) -> None:
        self.x, self.share, self.mult = x, share, mult
        self._known: dict[Triple, Triple | None] = {}

    def scaled(self, weight: Triple) -> Contributions:
        """The contributions of a benchmark of this weight to a mean over benchmarks."""
        return Contributions(scaled(self.x, weight), scaled(self.share, weight), self.mult)

    def negated(self) -> Contributions:
        """The contributions to the difference of the models exchanged."""
        return Contributions(scaled(self.x, neg(ONE)), self.share, self.mult)

    def p_value(self, gap: Triple) -> Triple | None:
        """Two-sided p-value of the difference less gap; None if many units are not 0, and not all of one sign."""
        if gap not in self._known:
            self._known[gap] = _p_value(on_grid(self.x, self.share, self.mult, gap), self.mult)
        return self._known[gap]


def joined(parts: list[Contributions]) -> Contributions:
    """The contributions of all benchmarks."""
    return Contributions(*(np.concatenate([getattr(c, name) for c in parts]) for name in ("x", "share", "mult")))


def _p_value(e: Array, mult: Array) -> Triple | None:
    used = e != 0
    e, mult = e[used], mult[used]
    m = int(mult.sum())
    if m == 0:
        return ONE
    if e.min() > 0 or e.max() < 0:
        return ext(2.0 ** (1 - min(m, MOST_SAME)))
    if m > MOST:
        return None
    first, *others = np.repeat(e, mult)
    sums = np.array([first])
    for x in others:
        sums = np.concatenate((sums + x, sums - x))
    extreme = int((np.abs(sums) >= abs(int(sums[0])) - TOLERANCE).sum())
    return ext(extreme / len(sums))


@jit
def on_grid(x, share, mult, gap):
    """The contributions less their shares of gap, in units of 2^-48 of the sum of their sizes, as integers."""
    d, size = np.empty_like(x), ZERO
    for i in range(mult.size):
        y = sub(get(x, i), mul(get(share, i), gap))
        put(d, i, y)
        size = add(size, mul(y if y[0] >= 0.0 else neg(y), ext(float(mult[i]))))
    out = np.zeros(mult.size, np.int64)
    for i in range(mult.size):
        if size[0] > 0.0:
            out[i] = int(np.rint(value(div(get(d, i), size)) * GRID))
    return out


@jit
def scaled(x, weight):
    """Every row of x times a weight."""
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        put(out, i, mul(get(x, i), weight))
    return out


@jit
def of_states(a, b, u, v, unit):
    """The differences u_a - v_b of joint states (a, b), each times unit; and unit as often."""
    x, share = np.empty((a.size, 3)), np.empty((a.size, 3))
    for i in range(a.size):
        put(x, i, mul(sub(get(u, a[i]), get(v, b[i])), unit))
        put(share, i, unit)
    return x, share


@jit
def of_clusters(d, sizes, M):
    """The mean differences d of clusters of these sizes, each times its share of M questions; and the shares."""
    x, share = np.empty((sizes.size, 3)), np.empty((sizes.size, 3))
    for g in range(sizes.size):
        w = div(ext(float(sizes[g])), ext(float(M)))
        put(x, g, mul(get(d, g), w))
        put(share, g, w)
    return x, share


# --- rules of (mu, sigma), shared by ties in rankings and stopping ----------------------------------

Gap = Callable[[float, float, float, float], Triple]


def standard_error(s: float, t: float) -> Triple:
    """Standard error of a difference: sqrt(s^2 + t^2)."""
    a, b = ext(s), ext(t)
    return root(add(mul(a, a), mul(b, b)))


def gap_of(rule: str, confidence: float) -> Gap:
    """Function of x, s, y, t (estimates x and y, standard errors s and t): x - y minus the required distance."""
    if rule.startswith("zscore"):
        z = one_sided_z(confidence)
        return lambda x, s, y, t: sub(sub(ext(x), ext(y)), mul(z, standard_error(s, t)))
    z = normal_z(confidence)
    return lambda x, s, y, t: sub(sub(ext(x), ext(y)), mul(z, add(ext(s), ext(t))))


def separated(rule: str, gap: Triple) -> bool:
    """Whether a gap separates two estimates: |z| at its threshold does, intervals that touch do not."""
    return gap[0] > 0.0 or (gap[0] == 0.0 and rule.startswith("zscore"))
