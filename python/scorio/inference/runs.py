"""How much more runs of the whole evaluation differ than chance explains, and the test of it: spec/families/runs.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from operator import itemgetter
from operator import mul as times
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..arithmetic.distributions import beta_cdf, normal_cdf
from ..arithmetic.double_double import ONE, Triple, add, ext, log, mul, neg, root, sub, times_2_to, value
from ..arithmetic.rational import from_fraction
from ..errors import InvalidInput
from ..outcomes.by_run import ByRun
from ..outcomes.counts import Counts
from ..outcomes.sparse import MAX_DENSE
from ..outcomes.states import Array, score_sums
from ..results import RunVariation
from . import mean

EXACT = 2.0**53  # sums of integers below this are exact in doubles
MOST_DF = Fraction(10**6)


class RunTerms(NamedTuple):
    """The runs of a model: integers whose ratio to a common denominator are I, E and W of spec/families/runs.md."""

    model: int
    influence: list[int]  # of each run with a trial, over `unit`
    variance: list[int]  # over unit^2
    share: list[Fraction]
    unit: int
    concentration: Fraction  # h
    reach: tuple[Fraction, Fraction]  # the most by which one question can move an influence up, and down
    runs: list[Any]  # the index of each run with a trial, or its name

    @property
    def df(self) -> Fraction:
        """The effective number of runs less 1."""
        return Fraction(sum(self.variance) ** 2, sum(x * x for x in self.variance)) - 1

    @property
    def ratio(self) -> Fraction:
        """The variance of the influences over that which chance explains."""
        return Fraction(sum(x * x for x in self.influence), sum(self.variance))

    def over(self, unit: int) -> tuple[dict[int, int], dict[int, int]]:
        """The influence of each run over a multiple of the unit, and its variance over the square of that."""
        m = unit // self.unit
        I, E = (x * m for x in self.influence), (x * m * m for x in self.variance)
        return dict(zip(self.runs, I, strict=True)), dict(zip(self.runs, E, strict=True))

    def variance_by_chance(self) -> Fraction:
        """The variance of a run's average if its effect adds as much as chance, in units of the integer scores."""
        squares = sum((x * x for x in self.share), Fraction(0))
        return Fraction(sum(self.variance), self.unit**2) / (squares * (1 - squares))

    def squared_sd(self) -> Fraction:
        """The variance of the effect of a run, which may be negative, in units of the integer scores."""
        return (self.ratio - 1) * self.variance_by_chance()


def terms(x: ByRun, w: Sequence[float], model: int = 0) -> RunTerms | None:
    """The terms of one model; None if it has one run, one question, or no question that varies between runs."""
    scale = mean.scale(w)
    n = x.counts.trials
    M = int(np.count_nonzero(n))
    if M < 2 or x.runs < 2:
        return None
    S, spread = _sums_and_spreads(x.counts, scale.U)
    sizes, group = np.unique(n, return_inverse=True)
    N = [max(int(y), 1) for y in sizes]
    if x.table is not None:
        sums = _complete_sums(x, scale.U, S, spread)
    else:
        sums = _sums(x, scale.U, S, spread, n, sizes.tolist(), group.reshape(-1))
    common = lcm(*(y * y * max(y - 1, 1) for y in N))  # of all denominators
    I, E, W, used = [], [], [], []
    for r in range(x.runs):
        residual, within, number = (y[r] for y in sums)
        if any(number):
            used.append(r)
            I.append(sum(y * (common // m**2) for y, m in zip(residual, N, strict=True)))
            E.append(sum(y * (common**2 // (m**4 * (m - 1))) for y, m in zip(within, N, strict=True) if m > 1))
            W.append(Fraction(sum(y * (common // m) for y, m in zip(number, N, strict=True)), common * M))
    if not any(E):
        return None
    return RunTerms(model, I, E, W, common * M, _concentration(n, spread), _reach(x, scale.U, S, M), used)


Sums = list[list[list[int]]]  # three sums, of each run and of each number of trials of a question


def _complete_sums(x: ByRun, U: Sequence[int], S: Any, spread: Any) -> Sums:
    """The sums of _sums() where every question has one trial in every run: n is the number of runs."""
    n, total = x.runs, sum(S.tolist())
    residual = [[n * sum(map(times, row, U)) - total] for row in x.totals(len(U) - 1).tolist()]
    return [residual, [[sum(spread.tolist()) * (n - 1)]] * n, [[x.counts.M]] * n]


def _sums(x: ByRun, U: Sequence[int], S: Any, spread: Any, n: Array, sizes: list[int], group: Any) -> Sums:
    """Sums of integers for each run and each n, over the questions with n trials, m of them in the run.

    They are n times the sum of U less m S, the spread times m (n - m), and m.
    """
    assert x.entries is not None
    groups = len(sizes)
    question, run, m = x.entries.pairs(x.runs, x.once and x.entries.times is None)
    of_pair, size = run.astype(np.int64) * groups + group[question], n[question]
    cells = x.runs * groups
    scores = [[0] * groups for _ in range(x.runs)]
    for (r, g, j), y in x.by_group(group, groups, len(U) - 1).items():
        scores[r][g] += sizes[g] * U[j] * y

    def table(values: Any) -> list[list[int]]:
        y: list[list[int]] = _exact_sums(of_pair, values, cells).reshape(x.runs, groups).tolist()
        return y

    others = table(S[question] * m)
    residual = [[a - b for a, b in zip(p, q, strict=True)] for p, q in zip(scores, others, strict=True)]
    return [residual, table(spread[question] * (m * (size - m))), table(np.broadcast_to(m, question.shape))]


def _sums_and_spreads(counts: Counts, U: Sequence[int]) -> tuple[Any, Any]:
    """The sum of U over the trials of each question, and that of (U - U')^2 over pairs of them: n Q - S^2.

    As 64-bit integers where these also hold the latter times n^2.
    """
    n, most = counts.trials, int(counts.trials.max())
    if max(U) * most * most >= 2**30 or counts.C > MAX_DENSE:
        S, Q = score_sums(counts.cells, U)
        return S, n.astype(object) * Q - S * S
    u, table = np.array(U, np.int64)[: counts.C + 1], counts.table
    S, Q = table[:, : u.size] @ u, table[:, : u.size] @ (u * u)
    return S, n * Q - S * S


def _exact_sums(key: Any, x: Any, size: int) -> Any:
    """Sums of the integers x of equal keys below `size`."""
    if x.dtype != object and float(np.abs(x).max(initial=0)) * x.size < EXACT:
        return np.bincount(key, x, size).astype(np.int64)
    out = np.zeros(size, object)
    np.add.at(out, key, x.astype(object))
    return out


def _reach(x: ByRun, U: Sequence[int], S: Any, M: int) -> tuple[Fraction, Fraction]:
    """The most by which one question can move the influence of a run up, and down, in units of integer scores."""
    start, category, _ = x.counts.cells
    answered = start[1:] > start[:-1]
    u, n = np.array(U, S.dtype)[category], x.counts.trials[answered]
    if x.entries is None or (x.once and x.entries.times is None):
        most = 1
    else:
        most = int(x.entries.pairs(x.runs, False)[2].max())
    ends = []
    for extreme, sign in ((np.maximum, 1), (np.minimum, -1)):
        residual = sign * (n * extreme.reduceat(u, start[:-1][answered]) - S[answered])  # n times the residual
        ends.append(max(Fraction(int(residual[n == N].max()), N * N) for N in np.unique(n).tolist()) * most / M)
    return ends[0], ends[1]


def _concentration(n: Array, spread: Any) -> Fraction:
    """The sum of the squared variances of the questions' means over the square of their sum."""
    sums: dict[int, list[int]] = {}
    for N in np.unique(n).tolist():
        if N > 1:
            x = spread[n == N].astype(object)
            sums[N] = [int(x.sum()), int((x * x).sum())]
    of = [(Fraction(a, N * N * (N - 1)), Fraction(b, (N * N * (N - 1)) ** 2)) for N, (a, b) in sums.items()]
    return Fraction(sum(b for _, b in of)) / Fraction(sum(a for a, _ in of)) ** 2


def is_unknown(x: Any) -> bool:
    """Whether a result of run_test(), or its fields, says nothing, since no outcome varies between runs."""
    return bool(x.ratio == 1.0 and not x.deviation)


def check_runs(models: Sequence[ByRun], name: str) -> list[int]:
    """The number of runs with a trial of each model; an error if runs cannot be told apart from trials."""
    used = [x.used_runs for x in models]
    if all(x < 2 for x in used):
        raise InvalidInput("length", name, f"one run of {name}: the variance between runs needs two or more")
    if all(np.count_nonzero(x.counts.trials) < 2 for x in models):
        raise InvalidInput("shape", name, f"one question of {name}: runs and trials cannot be told apart")
    return used


def run_test(models: Sequence[ByRun], w: Sequence[float], name: str, shared: bool = False) -> RunVariation:
    """Whether the runs of these models differ; name: the argument that holds them, for errors.

    shared : whether the ratio is that of the difference of two models, whose runs are the same.
    """
    used = check_runs(models, name)
    each = [y for i, x in enumerate(models) if (y := terms(x, w, i))]
    if not each:
        return RunVariation(1.0, float(sum(x - 1 for x in used)), 1.0, 0.0, 0, 0, 0.0, 1.0)
    ratio, f = pooled(each)
    h = sum((x.df * x.concentration for x in each), Fraction(0)) / f
    unit = mean.scale(w).unit
    sd2 = sum((x.squared_sd() for x in each), Fraction(0)) / (len(each) * unit**2)
    runs = [
        (Fraction(I * I, E), x, j)
        for x in each
        for j, (I, E) in enumerate(zip(x.influence, x.variance, strict=True))
        if E
    ]
    square, x, j = max(runs, key=itemgetter(0))  # the first of equal ones
    p_run = times_2_to(normal_cdf(neg(_bennett(x, j))), 1.0) if square else ONE
    shown_ratio, df = of_difference(each) if shared and have_common_runs(each) else (ratio, f)
    return RunVariation(
        value(from_fraction(shown_ratio)),
        value(from_fraction(df)),
        _p_value(ratio, f, h),
        value(root(from_fraction(sd2))) if sd2 > 0 else 0.0,
        x.model,
        x.runs[j],
        value(from_fraction(Fraction(x.influence[j], x.unit * unit) / x.share[j])) + 0.0,
        min(1.0, value(mul(p_run, ext(float(len(runs)))))),
    )


Ratio: TypeAlias = tuple[Fraction, Fraction]  # of variances, and its degrees of freedom


def pooled(each: Iterable[RunTerms]) -> Ratio:
    """The ratio of several models, each with runs of its own."""
    ratios = [(x.df, x.ratio) for x in each]
    f = sum((y for y, _ in ratios), Fraction(0))
    return sum((y * ratio for y, ratio in ratios), Fraction(0)) / f, f


def have_common_runs(each: Sequence[RunTerms]) -> bool:
    """Whether some run has trials of each of these models, one or two."""
    return not set(each[0].runs).isdisjoint(each[-1].runs)


def of_difference(each: Sequence[RunTerms]) -> Ratio:
    """The ratio of one model, or of the difference of two whose runs are the same."""
    unit, I, E = lcm(*(x.unit for x in each)), Counter[int](), Counter[int]()
    for x, sign in zip(each, (1, -1), strict=False):
        influence, variance = x.over(unit)
        I.update({r: sign * y for r, y in influence.items()})
        E.update(variance)
    total = sum(E.values())
    return Fraction(sum(x * x for x in I.values()), total), Fraction(total**2, sum(x * x for x in E.values())) - 1


def _bennett(x: RunTerms, j: int) -> Triple:
    """The z of Bennett's bound for the j-th run."""
    I, E, b = abs(x.influence[j]), x.variance[j], x.reach[x.influence[j] < 0]
    t = from_fraction(b * I * x.unit / E)
    more = sub(mul(add(ONE, t), log(add(ONE, t))), t)
    z: Triple = root(mul(from_fraction(2 * E / (b * x.unit) ** 2), more))
    return z


def _p_value(ratio: Fraction, f: Fraction, h: Fraction) -> float:
    """P(F >= ratio) of the F distribution with f / (1 - h) and 10^6 degrees of freedom; 1 if h is 1."""
    if h == 1:
        return 1.0
    d = min(f / (1 - h), MOST_DF)
    y = d * ratio / (MOST_DF + d * ratio)
    if not y:
        return 1.0
    half = (from_fraction(MOST_DF / 2), from_fraction(d / 2))
    return min(1.0, value(beta_cdf(from_fraction(1 - y), from_fraction(y), *half)))
