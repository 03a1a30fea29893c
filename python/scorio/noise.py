"""How far an average over questions can be off: variances of trials and of questions, as exact fractions.

The formulas: spec/README.md, "an interval that holds".
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ._jit import jit
from .counts import Array, Counts, Group
from .numerics import ONE, ZERO, add, div, ext, mul, root, scaled, sub, value
from .quantiles import beta_low


class Noise(NamedTuple):
    """theta in [0, 1] and the number of independent trials that its noise amounts to."""

    theta: Fraction
    n_eff: Fraction
    noise: str
    units: int


def scale(W: Sequence[int]) -> tuple[list[int], int]:
    """Scores as integers 0..span: u_j = U_j / span. Equal scores all become 0."""
    low = min(W)
    return [x - low for x in W], max(max(W) - low, 1)


def _sums(g: Group, U: Sequence[int], span: int) -> tuple[Fraction, Fraction, Fraction]:
    """Over the questions of a group: sum of x, sum of x^2, sum over pairs of trials of (u - u')^2 / n^2."""
    size = len(U)
    x = sum(U[j] * g.sums[j] for j in range(size))
    spread = sum((U[j] - U[l]) ** 2 * p for (j, l), p in g.pairs.items() if l < size)
    square = g.n * sum(U[j] * U[j] * g.sums[j] for j in range(size)) - spread
    n2 = g.n * g.n * span * span
    return Fraction(x, g.n * span), Fraction(square, n2), Fraction(spread, n2)


class Parts(NamedTuple):
    """What the noise of a mean is made of; every question has a trial."""

    M: int
    theta: Fraction
    trials: Fraction  # sum of v, the variances of the questions' means
    each: Fraction  # sum of n v: those of a single trial
    dev: Fraction  # sum of squared deviations of the questions, times M/(M-1)
    stabiliser: Fraction  # mean of 1/n^2
    inverse_h: Fraction  # mean of 1/n
    single: bool  # every question has one trial
    some_single: bool

    @property
    def fixed(self) -> Fraction:
        """Variance over the trials, of the mean over these questions."""
        return (self.trials + self.stabiliser) / (self.M * self.M)

    def drawn(self, units: int, dev: Fraction) -> Fraction:
        """Variance over the trials and the draw of the units."""
        V = (dev + Fraction(1, 12)) / (units * units)
        return V if self.single else max(V, self.fixed)


def parts(counts: Counts, U: Sequence[int], span: int) -> Parts:
    """The exact parts, of scores U_j / span."""
    groups = counts.groups()
    M = sum(g.M for g in groups)
    sums = [_sums(g, U, span) for g in groups]
    theta = sum((x for x, _, _ in sums), Fraction(0)) / M
    bessel = Fraction(M, M - 1) if M > 1 else Fraction(1)
    trials = each = dev = Fraction(0)
    for g, (x, square, spread) in zip(groups, sums, strict=True):
        d = (square - 2 * theta * x + g.M * theta * theta) * bessel
        v = spread / (g.n - 1) if g.n > 1 else d
        dev, trials, each = dev + d, trials + v, each + g.n * v
    single = [g.n == 1 for g in groups]
    stabiliser = sum((Fraction(g.M, g.n * g.n) for g in groups), Fraction(0)) / M
    inverse_h = sum((Fraction(g.M, g.n) for g in groups), Fraction(0)) / M
    return Parts(M, theta, trials, each, dev, stabiliser, inverse_h, all(single), any(single))


def mean_noise(
    counts: Counts, U: Sequence[int], span: int, sampled: bool, pool: int | None, clusters: Array | None
) -> Noise:
    """theta, n_eff and what is known of the noise; every question has a trial."""
    p = parts(counts, U, span)
    M, theta, units, dev = p.M, p.theta, p.M, p.dev
    if clusters is not None:
        units, dev = _cluster_deviations(counts, U, span, theta, clusters)
    f = Fraction(0) if p.single or (sampled and pool is None) else Fraction(M, pool) if pool else Fraction(1)
    V = f * p.fixed + (1 - f) * p.drawn(units, dev)
    n0 = 1 / (f * p.inverse_h / M + (1 - f) / units)
    n_eff = max(n0, theta * (1 - theta) / V)
    bound = (sampled and units == 1) or ((pool is not None or not sampled) and p.some_single)
    return Noise(theta, n_eff, "bound" if bound else "measured", units)


def _cluster_deviations(
    counts: Counts, U: Sequence[int], span: int, theta: Fraction, clusters: Array
) -> tuple[int, Fraction]:
    """(G, sum over clusters of (m_g (x_g - theta) G / M)^2 G / (G-1)), m_g questions of mean x_g."""
    size, table = np.bincount(clusters), counts.table
    G, M = size.size, counts.M
    x = [Fraction(0)] * G
    for n in np.unique(counts.trials):
        rows = counts.trials == n
        for j in range(1 if U[0] == 0 else 0, table.shape[1]):
            found = np.bincount(clusters[rows], table[rows, j], minlength=G) if n < 2**20 else None
            for g in range(G):
                c = int(found[g]) if found is not None else sum(map(int, table[rows & (clusters == g), j]))
                x[g] += Fraction(U[j] * c, int(n) * span)
    total = sum(((x[g] - int(size[g]) * theta) ** 2 for g in range(G)), Fraction(0)) * Fraction(G, M) ** 2
    return G, total * (Fraction(G, G - 1) if G > 1 else 1)


@jit
def wilson(theta, rest, n_eff, z):
    """(lo, 1 - lo, hi, 1 - hi) around theta = 1 - rest, every one without a subtraction.

    lo = theta^2 / (theta + q/2 + d), 1 - lo = (rest + q/2 + d) / (1 + q), hi likewise from the other side;
    d^2 = q theta rest + q^2/4, q = z^2 / n_eff.
    """
    q = div(mul(z, z), n_eff)
    half = scaled(q, -1.0)
    d = root(add(mul(q, mul(theta, rest)), mul(half, half)))
    up, down = add(theta, add(half, d)), add(rest, add(half, d))
    whole = add(ONE, q)
    return div(mul(theta, theta), up), div(down, whole), div(up, whole), div(mul(rest, rest), down)


@jit
def equal_tails(theta, rest, n_eff, tail):
    """The same from the quantiles tail and 1 - tail of Beta(n_eff theta + 1/2, n_eff rest + 1/2)."""
    a, b = add(mul(n_eff, theta), ext(0.5)), add(mul(n_eff, rest), ext(0.5))
    lo = beta_low(tail, a, b) if theta[0] > 0.0 else ZERO
    over = beta_low(tail, b, a) if rest[0] > 0.0 else ZERO
    return lo, sub(ONE, lo), sub(ONE, over), over


@jit
def tail(confidence):
    """(1 - confidence) / 2, exactly."""
    return scaled(sub(ONE, ext(confidence)), -1.0)


@jit
def rescale(mu, theta, rest, n_eff, ends, low, high):
    """(mu, sigma, lo, hi) as doubles, from the unit interval to scores low..high: x becomes (1 - x) low + x high."""
    sigma = mul(sub(high, low), root(div(mul(theta, rest), n_eff)))
    lo = add(mul(ends[1], low), mul(ends[0], high))
    hi = add(mul(ends[3], low), mul(ends[2], high))
    return value(mu) + 0.0, value(sigma), value(lo) + 0.0, value(hi) + 0.0
