"""Simulated years of builds, and the rules of spec/families/ledger.md beside others, for all years at a time.

A year is 250 builds, each evaluated with n trials of M questions, after a pin: 4 evaluations of one build, pooled.
A loss shifts the log-odds of all questions, or breaks whole questions; rates are quantiles of a beta distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincinv, expit, logit, ndtr, ndtri, owens_t, stdtr, stdtrit

Array = np.ndarray
BUILDS, PIN, CHANGE = 250, 4, 100
ALPHA, LAMBDA, TAU = 0.025, 0.25, 0.75  # one-sided error of a year; a build is in doubt between these p-values
ALLOWANCE, SIEGMUND = 0.5, 1.166  # of the cumulative sums; 2 x .583, the mean excess over a boundary
STEPS = (0.02, 0.05, 0.1)
ORDINARY, HIGH, STUCK = (0.6, 0.4), (9.0, 0.3), (0.1, 0.1)
NEVER, TINY = 10**6, 1e-9


class Cell(NamedTuple):
    """Questions, trials; rates; standard deviation of an evaluation's common effect; how a loss comes about."""

    M: int = 500
    n: int = 4
    rates: tuple[float, float] = ORDINARY
    sd: float = 0.0
    how: str = "all"  # "whole": questions break one after another
    flaky: float = 0.0  # share of questions whose rate is .1 or .9, by chance, in each evaluation
    pin: int = PIN

    def __str__(self) -> str:
        more = [f"run effects, sd {100 * self.sd:g}"] * (self.sd > 0) + ["whole questions"] * (self.how == "whole")
        more += [f"{100 * self.flaky:g}% flaky"] * (self.flaky > 0)
        more += ["Beta({:g}, {:g})".format(*self.rates)] * (self.rates != ORDINARY)
        more += [f"pin of {self.pin}"] * (self.pin != PIN)
        return ", ".join([f"{self.M} x {self.n}", *more])


class Years(NamedTuple):
    """Scores and their variances by years and builds, and those of the pin."""

    at: Cell
    x: Array
    own: Array  # variance from the trials of the build itself; of paired differences from the pin if n is 1
    pin: Array
    own_pin: Array
    trial: Array  # of one trial of every question, from the pin and all builds before this one
    all: Array  # the same from all builds
    truth: float  # score of the pinned build


def laws(at: Cell, M: int, losses: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The rates of M questions of the pinned build, and of each build, with these losses of their mean."""
    base = np.clip(betaincinv(*at.rates, (np.arange(M) + 0.5) / M), 1e-4, 1 - 1e-4)
    if at.how == "whole":
        order, p = rng.permutation(M), np.empty((len(losses), M))
        before = np.cumsum(base[order]) - base[order]
        p[:, order] = base[order] - np.clip(losses[:, None] * M - before, 0, base[order])
        return base, p
    grid = np.linspace(-4, 12, 3201)
    lost = base.mean() - np.array([expit(logit(base) - s).mean() for s in grid])
    return base, expit(logit(base) - np.interp(losses, lost, grid)[:, None])


@lru_cache(12)  # a cell has seven kinds of years
def years(at: Cell, losses: tuple[float, ...], B: int, seed: int) -> Years:
    """B years of builds with these losses against the pin; below 0 they are gains."""
    rng = np.random.default_rng([seed, at.M, at.n, round(1000 * at.sd)])
    M, n, E, flaky = at.M, at.n, at.pin, round(at.flaky * at.M)
    base, p = laws(at, M - flaky, np.asarray(losses) * M / (M - flaky), rng)
    slope = (base * (1 - base)).mean()

    def draw(q: Array) -> Array:
        if at.sd:
            q = expit(logit(np.clip(q, 1e-5, 1 - 1e-5)) + rng.normal(size=(len(q), 1)) * at.sd / slope)
        q = np.concatenate([q, rng.choice((0.1, 0.9), (len(q), flaky))], 1)
        q, c = q.astype(np.float32), np.zeros(q.shape, np.float32)
        for _ in range(n):
            c += rng.random(q.shape, np.float32) < q
        return c

    N = (n * (E + np.arange(len(losses) + 1)))[:, None].astype(np.float32)
    rows = []
    for _ in range(B):
        u, c = draw(np.tile(base, (E, 1))).sum(0), draw(p)
        pooled = np.cumsum(np.concatenate([u[None], c]), 0)
        trial = (pooled * (N - pooled)).sum(1) / (N * (N - 1))[:, 0] / M**2
        if n > 1:
            own = ((c * (n - c)).sum(1) / (n * n * (n - 1)) + 1 / n**2) / M**2
        else:
            own = (c - u / (n * E)).var(1, ddof=1) / M
        rows.append((c.mean(1) / n, own, u.mean() / (n * E), trial[0] / (n * E) + 1 / (n * E * M) ** 2, trial))
    x, own, pin, own_pin, trial = (np.array(z, float) for z in zip(*rows, strict=True))
    return Years(at, x, own, pin, own_pin, trial[:, :-1], trial[:, -1], float((base.sum() + flaky / 2) / M))


def none(B: int = BUILDS) -> tuple[float, ...]:
    """No change."""
    return (0.0,) * B


def slide(by: float = 0.002, start: int = 50) -> tuple[float, ...]:
    """The score falls by this at every build, down to .3."""
    return tuple(float(min(0.3, max(0, j - start) * by)) for j in range(1, BUILDS + 1))


def steps_at(*places: tuple[int, float]) -> tuple[float, ...]:
    """The loss from the build of each place on."""
    return tuple(next((d for k, d in reversed(places) if j >= k), 0.0) for j in range(BUILDS))


# --- (a) gates ---------------------------------------------------------------------------------------------


def ratio_before(y: Years) -> tuple[Array, Array]:
    """Ratio of variances from successive differences of the builds before each, and its degrees of freedom."""
    before = np.zeros((len(y.x), 2))
    seen, due = np.diff(y.x, axis=1) ** 2, 2 * y.trial[:, 1:] / y.at.n
    seen, due = (np.concatenate([before, np.cumsum(z, 1)], 1)[:, : y.x.shape[1]] for z in (seen, due))
    m = np.maximum(np.arange(y.x.shape[1]) - 1, 0)
    return np.where(due > 0, seen / np.where(due > 0, due, 1), 1), 2 * m**2 / np.maximum(3 * m - 1, 1)


def tail(z: Array, ratio: Array | float = 1.0, f: Array | float = 0.0) -> Array:
    """P(Z > z), of t with f degrees of freedom where variances are multiplied by a ratio; 1/2 without any."""
    z = z / np.sqrt(np.maximum(ratio, 1))
    f = np.asarray(f)
    return ndtr(-z) if not f.any() else np.where(f > 0, stdtr(np.maximum(f, 1e-9), -z), 0.5)


def gate_builds(
    y: Years, margin: Array | float, runs: tuple[Array, float] | None = None,
    doubt: tuple[float, float] = (LAMBDA, TAU), raised: bool = True, share: float = 0.5,
) -> Array:  # fmt: skip
    """Which builds pass: the score is above a floor at a level that shrinks with the builds in doubt."""
    ratio, f = runs or (np.ones(len(y.x)), 0.0)
    z = float(stdtrit(f, 1 - ALPHA * share)) if f else float(ndtri(1 - ALPHA * share))
    wide, k, passed = np.sqrt(np.maximum(ratio, 1)), np.ones(len(y.x)), np.zeros(y.x.shape, bool)
    floor = y.pin + z * wide * np.sqrt(y.own_pin) - margin
    for j in range(y.x.shape[1]):
        se = np.sqrt(y.own[:, j])
        p = tail((y.x[:, j] - floor) / se, ratio, f)
        passed[:, j] = p <= ALPHA * (1 - share) * (doubt[1] - doubt[0]) / (k * (k + 1))
        k += (p > doubt[0]) & (p <= doubt[1])
        if raised:
            floor = np.where(passed[:, j], np.maximum(floor, y.x[:, j] - z * wide * se - margin), floor)
    return passed


def paired_gate(y: Years, margin: float, level: Array | float = ALPHA) -> Array:
    """Every build against the pin, at its own level."""
    return (y.x - y.pin[:, None] + margin) / np.sqrt(y.own + y.own_pin[:, None]) >= ndtri(1 - level)


def best_so_far(y: Years, margin: float, again: bool = False) -> Array:
    """Every build against the passed build with the best score: its own run, or 4 new ones of it (again)."""
    passed, best, rng = np.zeros(y.x.shape, bool), y.pin.copy(), np.random.default_rng(1)
    reference, variance = y.pin.copy(), y.own_pin.copy()
    for j in range(y.x.shape[1]):
        x, v = y.x[:, j], y.own[:, j]
        passed[:, j] = (x - reference + margin) / np.sqrt(v + variance) >= ndtri(1 - ALPHA)
        new = passed[:, j] & (x > best)
        best = np.where(new, x, best)
        fresh = y.truth + rng.normal(size=len(x)) * np.sqrt(v / PIN)  # no build of the table changes
        reference = np.where(new, fresh if again else x, reference)
        variance = np.where(new, v / PIN if again else v, variance)
    return passed


SHARES = np.arange(1, BUILDS + 1)
GATES: dict[str, Callable[[Years, float], Array]] = {
    "2.5% a build: the limit of any rule": paired_gate,
    "2.5%/250, a stated horizon": lambda y, d: paired_gate(y, d, ALPHA / BUILDS),
    "2.5%/(j(j + 1))": lambda y, d: paired_gate(y, d, ALPHA / (SHARES * (SHARES + 1))),
    **{
        f"floor, a build with {low:g} < p <= {high:g} spends": lambda y, d, doubt=(low, high): gate_builds(
            y, d, doubt=doubt, raised=False
        )
        for low, high in ((0.5, 1.0), (0.25, 0.5), (LAMBDA, TAU))
    },
    "**the last, raised by proven gains**": gate_builds,
}


# --- (b) alarms --------------------------------------------------------------------------------------------


def limit(R: float) -> float:
    """The limit of a one-sided cumulative sum with one false alarm in R builds (Siegmund 1985)."""
    return float(brentq(lambda x: np.expm1(x) - x - 2 * ALLOWANCE**2 * R, 1e-9, 60)) / (2 * ALLOWANCE) - SIEGMUND


def alarms(y: Years, R: float, runs: bool = False, least: float = 1 / 8) -> Array:
    """1 where a loss is alarmed, -1 a gain: self-starting cumulative sums, one false alarm in R builds."""
    h, n, B = limit(2 * R), y.at.n, len(y.x)
    total, N, out = y.at.pin * y.pin, np.full(B, float(y.at.pin)), np.zeros(y.x.shape, int)
    up, down = np.zeros(B), np.zeros(B)
    ratio, f = ratio_before(y)
    for j in range(y.x.shape[1]):
        v = y.trial[:, j] / n * (1 + 1 / np.maximum(N, 1)) + max(least, 1e-9) / (n * y.at.M) ** 2
        W = np.where(N > 0, (total / np.maximum(N, 1) - y.x[:, j]) / np.sqrt(v), 0)
        if runs:
            W = -np.sign(W) * ndtri(np.maximum(tail(np.abs(W), ratio[:, j], f[j]), 1e-300)) if f[j] else 0 * W
        up, down = np.maximum(0, up + W - ALLOWANCE), np.maximum(0, down - W - ALLOWANCE)
        out[:, j] = np.where(up >= h, 1, np.where(down >= h, -1, 0))
        total, N = total + y.x[:, j], N + 1
        for z in (total, N, up, down):
            z[out[:, j] != 0] = 0
    return out


def residuals(y: Years) -> Array:
    """The standardised difference between all that was before, and each build."""
    E, j = y.at.pin, np.arange(y.x.shape[1])
    before = np.concatenate([np.zeros((len(y.x), 1)), np.cumsum(y.x, 1)], 1)[:, :-1]
    mean = (E * y.pin[:, None] + before) / (E + j)
    return (mean - y.x) / np.sqrt(y.trial / y.at.n * (1 + 1 / (E + j)))


def to_pin(y: Years) -> Array:
    """The standardised difference between the pin and each build."""
    return (y.pin[:, None] - y.x) / np.sqrt(y.trial / y.at.n * (1 + 1 / y.at.pin))


def lord(z: Array, q: float) -> Array:
    """LORD++ before its first discovery: w0 = q/2."""
    j = np.arange(1, 10**6 + 1.0)
    g = np.log(np.maximum(j, 2)) / (j * np.exp(np.sqrt(np.log(j))))
    return ndtr(-z) <= q / 2 * (g / g.sum())[: z.shape[1]]


def saffron(z: Array, q: float) -> Array:
    """SAFFRON before its first discovery: lambda = 1/2, w0 = q/2, gamma proportional to j^-1.6."""
    p = ndtr(-z)
    j = np.cumsum(p > 0.5, 1) - (p > 0.5) + 1.0
    return p <= q / 4 * j**-1.6 / 2.2858


def e_lond(z: Array, q: float) -> Array:
    """e-LOND before its first discovery: e = exp(3 z - 9/2), gamma = 1/(j(j + 1))."""
    j = np.arange(1, z.shape[1] + 1)
    return np.exp(np.minimum(3 * z - 4.5, 700)) >= j * (j + 1) / q


def one_sided(W: Array, R: float, k: float) -> Array:
    """One cumulative sum with this allowance."""
    h = brentq(lambda x: np.expm1(x) - x - 2 * k * k * R, 1e-9, 60) / (2 * k) - SIEGMUND
    C, out = np.zeros(len(W)), np.zeros(W.shape, bool)
    for j in range(W.shape[1]):
        C = np.maximum(0, C + W[:, j] - k)
        out[:, j] = h <= C
    return out


def e_detector(W: Array, R: float) -> Array:
    """Shiryaev-Roberts sums of likelihood ratios, mixed over four shifts; reaching R has a mean time of at least R."""
    K = np.array((0.25, 0.5, 1, 2))[:, None]
    S, out = np.zeros((4, len(W))), np.zeros(W.shape, bool)
    for j in range(W.shape[1]):
        S = np.minimum((1 + S) * np.exp(K * W[:, j] - K * K / 2), 1e200)
        out[:, j] = S.mean(0) >= R
    return out


def first(a: Array, start: int = 0) -> Array:
    """Builds to the first alarm after this one, in the years without an earlier one."""
    late = a[~a[:, :start].any(1), start:]
    return np.where(late.any(1), late.argmax(1) + 1, NEVER)


# --- (c) steps ---------------------------------------------------------------------------------------------


def p_scan(z: float, m: int, rule: str = "improved") -> float:
    """Bound of the probability that the largest |Z| over the splits of m builds is at least z."""
    if rule == "Bonferroni":
        return min(1.0, float(2 * (m - 1) * ndtr(-z)))
    k = np.arange(1, m - 1)
    rho = np.sqrt(k * (m - k - 1) / ((k + 1) * (m - k)))
    a = np.sqrt((1 - rho) / (1 + rho))
    if rule == "Owen's T":
        return min(1.0, float(2 * (ndtr(-z) + 2 * owens_t(z, a).sum())))
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return min(1.0, float(2 * (ndtr(-z) + 2 * density / z * (ndtr(a * z) - 0.5).sum())))


class Step(NamedTuple):
    """The first build after a step; the splits that are not rejected; the level of its scan."""

    at: int
    lo: int
    hi: int
    level: float


def scan(x: Array, v: float, least: float, f: float) -> Array:
    """|Z| of every split; least: the square of what one trial adds to a build's score; f: degrees of freedom of v."""
    k, S = np.arange(1, len(x)), np.cumsum(x)
    d = (S[-1] - S[:-1]) / (len(x) - k) - S[:-1] / k
    z = np.abs(d) / np.sqrt(v * (1 / k + 1 / (len(x) - k)) + least * (1 / k**2 + 1 / (len(x) - k) ** 2))
    return -ndtri(np.maximum(stdtr(f, -z), 1e-300)) if f else z


def segments(x: Array, v: float, least: float, f: float, level: float = 0.05, start: int = 0) -> list[Step]:
    """Binary segmentation, each part at half the level."""
    if len(x) < 2:
        return []
    i = int((z := scan(x, v, least, f)).argmax())
    if z[i] <= 0 or p_scan(z[i], len(x)) > level:
        return []
    here, after = start + i + 1, (v, least, f, level / 2)
    return [*segments(x[: i + 1], *after, start), Step(here, 0, 0, level), *segments(x[i + 1 :], *after, here)]


def steps(x: Array, v: float, least: float, f: float = 0.0, again: bool = True) -> list[Step]:
    """Each split is scanned once more between its neighbours; then the set of those whose Z^2 is near the largest."""
    out: list[Step] = []
    found = segments(x, v, least, f)
    for i, s in enumerate(found if again else ()):
        left, right = out[-1].at if out else 0, found[i + 1].at if i + 1 < len(found) else len(x)
        z = scan(x[left:right], v, least, f)
        if p_scan(z.max(), right - left) <= s.level:
            out.append(s._replace(at=left + int(z.argmax()) + 1))
    out = out if again else found
    for i, s in enumerate(out):
        left, right = out[i - 1].at if i else 0, out[i + 1].at if i + 1 < len(out) else len(x)
        z = scan(x[left:right], v, least, f)
        near = left + 1 + np.flatnonzero(z * z >= z[s.at - left - 1] ** 2 + 2 * np.log(1 - np.sqrt(0.95)))
        out[i] = s._replace(lo=int(near[0]), hi=int(near[-1]))
    return out


def sizes(x: Array, v: float, found: Sequence[Step]) -> list[tuple[float, float]]:
    """Intervals of the changes of the score: over the splits of each set, between the neighbouring steps."""
    cuts, S, z, out = [0, *(s.at for s in found), len(x)], np.concatenate([[0], np.cumsum(x)]), float(ndtri(0.9875)), []
    for i, s in enumerate(found):
        left, right = cuts[i], cuts[i + 2]
        k = np.arange(max(s.lo, left + 1), min(s.hi, right - 1) + 1)
        d, h = (S[right] - S[k]) / (right - k) - (S[k] - S[left]) / (k - left), 1 / (right - k) + 1 / (k - left)
        out.append((float((d - z * np.sqrt(v * h)).min()), float((d + z * np.sqrt(v * h)).max())))
    return out


# --- (d) limits -----------------------------------------------------------------------


def best_power(se: float, R: float, pin: float = np.inf, by: float = 0.002, builds: int = 25) -> float:
    """Neyman and Pearson: the largest power of a test of no change against this slide, known but for the score."""
    d = by * np.arange(1, builds + 1)
    signal = (d @ d - d.sum() ** 2 / (builds + pin)) ** 0.5 / se
    return float(ndtr(signal - ndtri(1 - builds / R)))
