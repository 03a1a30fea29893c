"""Alarms: self-starting cumulative sums of the differences between each build and all before it.

The formulas: spec/families/ledger.md. The kernels are those of the steps, too.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp as exp_of_double
from math import log1p, sqrt
from typing import Any

import numpy as np

from ..arithmetic.distributions import central_ratio, density, mills_ratio, tail
from ..arithmetic.double_double import (
    HALF,
    ONE,
    ZERO,
    Triple,
    add,
    div,
    exp,
    ext,
    from_fraction,
    from_ratio,
    get,
    mul,
    neg,
    product,
    put,
    root,
    sub,
    value,
)
from ..arithmetic.jit import jit
from ..outcomes.states import Array
from .history import (
    History,
    Integers,
    Range,
    Scores,
    Tally,
    at_least_one,
    degrees_of_differences,
    normal_score,
    read_runs,
    spread,
    triples,
)
from .runs import Dispersion

# --- alarms: rows are groups of questions -----------------------------------------------------------


@jit
def variance_of_difference(N, n, spreads):
    """The sum of R (1/n + 1/N), R = spread/(N (N - 1)), of which rows are groups."""
    x = ZERO
    for g in range(N.size):
        size, trials = ext(float(N[g])), ext(float(n[g]))
        r = div(get(spreads, g), product(float(N[g]), float(N[g] - 1)))
        x = add(x, mul(r, div(add(size, trials), mul(size, trials))))
    return x


@jit
def add_inverses(n, m, out):
    """Add 1/n + 1/m to each row."""
    for g in range(n.size):
        put(out, g, add(get(out, g), add(div(ONE, ext(float(n[g]))), div(ONE, ext(float(m[g]))))))


@jit
def weighted_variances(N, spreads, weights):
    """The sum of R times the weight, R = spread/(N (N - 1))."""
    x = ZERO
    for g in range(N.size):
        x = add(x, mul(div(get(spreads, g), product(float(N[g]), float(N[g] - 1))), get(weights, g)))
    return x


# --- steps: rows are builds -------------------------------------------------------------------------


@jit
def below_centre(x):
    """The probability P(0 < Z < x), x >= 0."""
    if value(x) > 3.0:
        return sub(HALF, mul(mills_ratio(x), density(x)))
    return mul(central_ratio(x), density(x)) if x[0] > 0.0 else ZERO


@jit
def crossings(z, trials):
    """The sum over splits of P(0 < Z < z a), a^2 = (1 - rho)/(1 + rho); trials: up to each split, from 0 to all."""
    m, x = trials.shape[0] - 1, ZERO
    every = sub(get(trials, m), get(trials, 0))
    for k in range(1, m - 1):
        before, here = sub(get(trials, k), get(trials, 0)), sub(get(trials, k + 1), get(trials, k))
        after, both = sub(every, before), add(before, here)
        whole = mul(both, after)
        rho = root(div(mul(before, sub(after, here)), whole))
        # 1 - rho^2 without a subtraction
        a = div(root(div(mul(here, every), whole)), add(ONE, rho))
        x = add(x, below_centre(mul(z, a)))
    return x


@jit
def crossings_in_doubles(z, trials):
    """The sum of crossings() in doubles."""
    m, x = trials.size - 1, 0.0
    every = trials[m] - trials[0]
    for k in range(1, m - 1):
        before, here = trials[k] - trials[0], trials[k + 1] - trials[k]
        after, both = every - before, before + here
        rho = sqrt(before / both * ((after - here) / after))
        below = tail(z * (sqrt(here / both * (every / after)) / (1.0 + rho)))
        x += max(0.0, 0.5 - below)  # the tail of 1e-30 is rounded to more than a half
    return x


# --- cumulative sums --------------------------------------------------------------------------------

EXCESS = from_ratio(1166, 1000)  # twice the mean excess over a boundary (Siegmund 1985)
NOTHING = 2.0**-80  # a sum below this is 0: it is one that rounding did not cancel


def limit(every: float) -> Triple:
    """The limit of two cumulative sums of which one has a false alarm in `every` builds."""
    y = log1p(every + log1p(every))
    for _ in range(6):
        y -= (exp_of_double(y) - 1.0 - y - every) / (exp_of_double(y) - 1.0)
    x = ext(y)
    for _ in range(2):  # from 50 bits
        e = sub(exp(x), ONE)
        x = sub(x, div(sub(sub(e, x), ext(every)), e))
    return sub(x, EXCESS)


class Pool:
    """Outcomes that are added build by build."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.clear()

    def clear(self) -> None:
        """Remove all outcomes."""
        self.builds = 0
        self.N: Array = np.zeros(self.tally.first.size, np.int64)
        zeros = np.zeros(self.tally.M, object if self.tally.is_wide else np.int64)
        self.S: Integers = zeros
        self.Q: Integers = zeros.copy()

    def include(self, x: Scores) -> None:
        """Add the outcomes of a build."""
        self.builds += 1
        self.N, self.S, self.Q = self.N + x.n, self.S + x.S, self.Q + x.Q

    def spreads(self) -> Integers:
        """The sums by group of the spreads of the questions."""
        N = self.N[self.tally.group]
        return self.tally.grouped(spread(N, self.S, self.Q))

    def mean(self) -> Fraction:
        """The mean score, exactly."""
        return self.tally.mean_of(self.N, self.tally.grouped(self.S))


def residual(pool: Pool, before: Fraction, x: Scores, theta: Fraction, r: Fraction) -> Triple:
    """The W, runs apart, of a build of mean score theta after a pool of mean score before."""
    if int(pool.N.min()) < 2:
        return ZERO
    t, D = pool.tally, from_fraction(before - theta)
    V = div(variance_of_difference(pool.N, x.n, triples(pool.spreads())), from_ratio(t.scale.span**2, 1))
    return div(mul(D, ext(float(t.M))), root(add(V, from_fraction(r * r / (8 * int(x.n.min()) ** 2)))))


class Successive:
    """The ratio of variances by the successive differences of the builds so far."""

    def __init__(self, tally: Tally, pin: Scores | None) -> None:
        self.tally, self.all, self.m = tally, Pool(tally), -1
        self.weights, self.squares = np.zeros((tally.first.size, 3)), ZERO
        self.last: tuple[Scores, Fraction] | None = None
        if pin is not None:
            self.all.include(pin)

    def include(self, x: Scores, theta: Fraction) -> None:
        """Add a build."""
        self.all.include(x)
        if self.last is not None:
            add_inverses(x.n, self.last[0].n, self.weights)
            d = from_fraction(theta - self.last[1])
            self.squares = add(self.squares, mul(d, d))
        self.last, self.m = (x, theta), self.m + 1

    def dispersion(self) -> Dispersion | None:
        """The ratio and its degrees of freedom; None with fewer than two builds. It is 1 if no outcome varies."""
        if self.m < 1:
            return None
        t = self.tally
        V = weighted_variances(self.all.N, triples(self.all.spreads()), self.weights)
        unit = from_ratio(t.M * t.M * t.scale.span * t.scale.span, 1)
        ratio = div(mul(self.squares, unit), V) if V[0] else ONE
        return Dispersion(ratio, degrees_of_differences(self.m))


def over_runs(W: Triple, runs: Dispersion | None, sampled: bool) -> Triple:
    """W with regard to runs; 0 where the ratio of sampled runs is not known yet."""
    if runs is None:
        return ZERO if sampled else W
    return normal_score(div(W, root(at_least_one(runs.ratio))), runs.freedom)


class CumulativeSum:
    """A sum that is never below 0, and the build after its last 0."""

    def __init__(self) -> None:
        self.x, self.since = ZERO, 0

    def step(self, W: Triple, j: int) -> None:
        """Add the W of build j, less 1/2."""
        self.x = sub(add(self.x, W), HALF)
        if value(self.x) <= NOTHING:
            self.reset(j)

    def reset(self, j: int) -> None:
        """Start anew after build j."""
        self.x, self.since = ZERO, j + 1


def alarms(h: History, every: float, runs: Any) -> tuple[list[tuple[Any, ...]], float]:
    """The fields of each build, and the limit."""
    kind = read_runs(runs, ("fixed", "sampled"))
    sampled, stated = kind == "sampled", None if isinstance(kind, str) else kind
    t = Tally(h)
    pin = None if h.pin is None else t.scores(h.pin)
    reference, successive, range_ = Pool(t), Successive(t, pin), Range(t)
    if h.pin is not None and pin is not None:
        reference.include(pin)
        range_.include(h.pin)
    top, loss, gain, rows = limit(every), CumulativeSum(), CumulativeSum(), []
    for j, counts in enumerate(h.builds):
        x = t.scores(counts)
        theta = t.mean(x)
        range_.include(counts)
        W, before, z = ZERO, None, None
        if reference.builds:
            mean = reference.mean()
            W = residual(reference, mean, x, theta, range_.r)
            W = over_runs(W, successive.dispersion() if sampled else stated, sampled)
            before, z = t.in_units_of_w(mean), value(W) + 0.0
        loss.step(W, j)
        gain.step(neg(W), j)
        alarm = next((name for name, s in (("loss", loss), ("gain", gain)) if sub(s.x, top)[0] >= 0.0), None)
        since = h.names[(loss if alarm == "loss" else gain).since] if alarm else None
        rows.append((h.names[j], t.in_units_of_w(theta), before, z, value(loss.x), value(gain.x), alarm, since))
        reference.include(x)
        if alarm:
            for s in (loss, gain):
                s.reset(j)
            reference.clear()
        if sampled:
            successive.include(x, theta)
    return rows, value(top)
