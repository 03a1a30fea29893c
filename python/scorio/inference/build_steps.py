"""Steps of the score over builds, by binary segmentation with a bound of the probability of each split.

The formulas: spec/families/ledger.md. Splits are compared in doubles first, and exactly where these are nearly equal.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic.distributions import (
    bell,
    density,
    error_rate,
    normal_cdf,
    normal_quantile,
    t_quantile,
    tail,
)
from ..arithmetic.double_double import (
    HALF,
    INV_SQRT_2PI,
    ONE,
    Triple,
    add,
    clip,
    div,
    ext,
    from_fraction,
    log,
    mul,
    neg,
    root,
    sub,
    times_2_to,
    total,
    value,
)
from .cusum import Successive, crossings, crossings_in_doubles
from .degrees_of_freedom import MOST, smaller
from .history import History, Range, Tally, at_least_one, is_at_most, normal_score, read_runs, triples

NEAR = 1e-7  # relative to 1 + |Z|: splits whose |Z| is as near to the largest are compared exactly
DOUBT = 1e-9  # relative to a level: p-values as near to it are computed in full

Floats = npt.NDArray[np.float64]


class Split(NamedTuple):
    """The number of builds before a split, and the level of the segment that it splits."""

    at: int
    level: Triple


class Splits:
    """The splits of a history: segments are builds i..e - 1, and a split t has the builds i..t - 1 before it."""

    def __init__(self, h: History, runs: Any) -> None:
        kind = read_runs(runs, ("fixed", "sampled"))
        t = self.tally = Tally(h)
        successive, range_ = Successive(t, None), Range(t)
        n, T = [np.zeros(t.first.size, np.int64)], [np.zeros(t.first.size, object if t.is_wide else np.int64)]
        for counts in h.builds:
            x = t.scores(counts)
            n.append(n[-1] + x.n)
            T.append(T[-1] + x.T)
            range_.include(counts)
            if kind == "sampled":
                successive.include(x, t.mean(x))
            else:
                successive.all.include(x)
        self.runs = successive.dispersion() if isinstance(kind, str) else kind
        self.N, self.T = np.stack(n), np.stack(T)  # trials of each question, and sums of U by group, up to each build
        # the sum of the R of each group, on the scale 0..1
        sums, span = zip(successive.all.N.tolist(), successive.all.spreads().tolist(), strict=True), t.scale.span**2
        self.R = [Fraction(y, x * (x - 1) * span) for x, y in sums]
        self.r2 = range_.r**2
        sizes = np.bincount(t.group)
        trials = self.N @ sizes
        self.trials, self.trials_as_doubles = triples(trials), trials.astype(np.float64)

    # --- D, V and Z ---

    def in_doubles(self, i: int, e: int) -> tuple[Floats, Floats]:
        """The D and V of every split of a segment, without regard to runs."""
        M, span = self.tally.M, self.tally.scale.span
        B, S = self.N[i + 1 : e] - self.N[i], self.T[i + 1 : e] - self.T[i]
        A, rest = self.N[e] - self.N[i + 1 : e], self.T[e] - self.T[i + 1 : e]
        D = ((rest / span).astype(np.float64) / A - (S / span).astype(np.float64) / B).sum(axis=1) / M
        R = np.array([float(x) for x in self.R])
        V = (R * (1.0 / B + 1.0 / A)).sum(axis=1)
        return D, (V + float(self.r2) * (1.0 / B.min(axis=1) ** 2 + 1.0 / A.min(axis=1) ** 2)) / M**2

    def exact(self, i: int, t: int, e: int) -> tuple[Fraction, Fraction]:
        """The D and V of one split, without regard to runs."""
        M, span = self.tally.M, self.tally.scale.span
        B, S, A, rest = (x.tolist() for x in (*self.up_to(i, t), *self.up_to(t, e)))
        D = total([*((y, x * M * span) for x, y in zip(A, rest, strict=True)),
                   *((-y, x * M * span) for x, y in zip(B, S, strict=True))])  # fmt: skip
        terms = [(r * (x + y) / (x * y)).as_integer_ratio() for r, x, y in zip(self.R, B, A, strict=True)]
        V = Fraction(*total(terms)) + self.r2 * (Fraction(1, min(B) ** 2) + Fraction(1, min(A) ** 2))
        return Fraction(*D), V / M**2

    def up_to(self, i: int, t: int) -> tuple[Any, Any]:
        """Trials of each question, and sums of U, by group of the builds i..t - 1."""
        return self.N[t] - self.N[i], self.T[t] - self.T[i]

    def standard_error(self, V: Fraction) -> Triple:
        """The root of V, with runs of V times the ratio."""
        x = from_fraction(V)
        return root(x if self.runs is None else mul(x, at_least_one(self.runs.ratio)))

    def z(self, i: int, t: int, e: int) -> Triple:
        """The |Z| of a split, as a normal quantile where runs are sampled."""
        D, V = self.exact(i, t, e)
        x = div(from_fraction(abs(D)), self.standard_error(V))
        return x if self.runs is None else normal_score(x, self.runs.freedom)

    def largest(self, i: int, e: int) -> int:
        """The first split of the largest |Z|."""
        D, V = self.in_doubles(i, e)
        z = np.abs(D) / np.sqrt(V)
        near = i + 1 + np.flatnonzero(z >= z.max() - NEAR * (1.0 + z.max()))
        if near.size == 1:
            return int(near[0])
        best, most = int(near[0]), Fraction(-1)
        for t in near.tolist():
            d, v = self.exact(i, t, e)
            if d * d / v > most:
                best, most = t, d * d / v
        return best

    # --- the p-value ---

    def p_value(self, z: Triple, i: int, e: int) -> Triple:
        """The bound of the probability that the largest |Z| of a segment is at least z; 1 if z is 0."""
        if not z[0]:
            return ONE
        more = mul(div(density(z), z), crossings(z, self.trials[i : e + 1]))
        p = times_2_to(add(normal_cdf(neg(z)), times_2_to(more, 1.0)), 1.0)
        return smaller(p, ONE)

    def is_found(self, z: Triple, i: int, e: int, level: Triple) -> bool:
        """Whether that p-value is at most the level."""
        x, y = value(z), value(level)
        if x == 0.0:
            return False
        p = 2.0 * tail(x) + 4.0 * INV_SQRT_2PI[0] * bell(x) / x * crossings_in_doubles(
            x, self.trials_as_doubles[i : e + 1]
        )
        return p < y if abs(p - y) > DOUBT * y else is_at_most(self.p_value(z, i, e), level)

    # --- segments ---

    def segmented(self, level: Triple) -> list[Split]:
        """The splits of binary segmentation, each part at half of the level, in order."""
        splits, waiting = [], [(0, self.N.shape[0] - 1, level)]
        while waiting:
            i, e, level = waiting.pop()
            if e - i < 2:
                continue
            t = self.largest(i, e)
            if self.is_found(self.z(i, t, e), i, e, level):
                splits.append(Split(t, level))
                half = times_2_to(level, -1.0)
                waiting += [(i, t, half), (t, e, half)]
        return sorted(splits)

    def placed(self, splits: list[Split]) -> list[int]:
        """The splits, each moved to the largest |Z| between its neighbours, or dropped."""
        out: list[int] = []
        for k, split in enumerate(splits):
            i, e = out[-1] if out else 0, splits[k + 1].at if k + 1 < len(splits) else self.N.shape[0] - 1
            t = self.largest(i, e)
            if self.is_found(self.z(i, t, e), i, e, split.level):
                out.append(t)
        return out

    def near(self, i: int, t: int, e: int, confidence: float) -> tuple[int, int]:
        """The first and the last split whose Z^2 is at least that of t less -2 log(1 - sqrt(confidence))."""
        z = self.z(i, t, e)
        least = add(mul(z, z), times_2_to(log(sub(ONE, root(ext(confidence)))), 1.0))
        if least[0] <= 0.0:
            return i + 1, e - 1
        least = root(least)
        x = least
        if self.runs is not None:  # the statistic whose normal quantile this is
            x = t_quantile(normal_cdf(neg(least)), smaller(self.runs.freedom, MOST))
            x = mul(x, root(at_least_one(self.runs.ratio)))
        D, V = self.in_doubles(i, e)
        away, margin = np.abs(D) / np.sqrt(V) - value(x), NEAR * (1.0 + value(x))
        is_in = away >= 0.0
        for k in np.flatnonzero(np.abs(away) <= margin).tolist():
            is_in[k] = sub(self.z(i, i + 1 + k, e), least)[0] >= 0.0
        is_in[t - i - 1] = True
        near = i + 1 + np.flatnonzero(is_in)
        return int(near[0]), int(near[-1])

    def interval(self, i: int, first: int, last: int, e: int, q: Triple) -> tuple[Triple, Triple]:
        """The lowest D - q sqrt(V) and the highest D + q sqrt(V) of the splits first..last of a segment."""
        D, V = self.in_doubles(i, e)
        ratio = 1.0 if self.runs is None else value(at_least_one(self.runs.ratio))
        half = value(q) * np.sqrt(V * ratio)
        out = []
        for sign in (-1.0, 1.0):
            reach = (sign * D + half)[first - i - 1 : last - i]
            near = first + np.flatnonzero(reach >= reach.max() - NEAR * (1.0 + abs(reach.max())))
            best = None
            for t in near.tolist():
                d, v = self.exact(i, t, e)
                x = add(from_fraction(d if sign > 0.0 else -d), mul(q, self.standard_error(v)))
                best = x if best is None or sub(x, best)[0] > 0.0 else best
            assert best is not None
            out.append(best if sign > 0.0 else neg(best))
        return out[0], out[1]


def steps(h: History, confidence: float, runs: Any) -> list[tuple[Any, ...]]:
    """The fields of each step, in the order of time."""
    s, J = Splits(h, runs), len(h.builds)
    at = s.placed(s.segmented(error_rate(confidence, 1)))
    quarter = error_rate(confidence, 4)
    if s.runs is None:
        q = normal_quantile(sub(HALF, quarter), quarter)
    else:
        q = t_quantile(quarter, smaller(s.runs.freedom, MOST))
    span, rows = from_fraction(s.tally.span), []
    most = value(span)
    for i, t, e in zip([0, *at[:-1]], at, [*at[1:], J], strict=False):
        first, last = s.near(i, t, e, confidence)
        D = from_fraction(s.exact(i, t, e)[0])
        ends = (clip(value(mul(span, x)), -most, most) for x in s.interval(i, first, last, e, q))
        p = value(s.p_value(s.z(i, s.largest(i, e), e), i, e))
        rows.append((*(h.names[k] for k in (t, first, last)), value(mul(span, D)) + 0.0, *ends, p))
    return rows
