"""The variance between runs of the whole evaluation, and what it adds to the variance of an estimate.

The formulas: spec/families/runs.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from operator import itemgetter
from operator import mul as times
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.distributions import beta_cdf, normal_cdf
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, ext, log, mul, neg, root, sub, times_2_to, value
from ..arithmetic.rational import from_fraction
from ..errors import InvalidInput, shown
from ..outcomes.answers import Detailed
from ..outcomes.by_run import ByRun, by_run
from ..outcomes.counts import Counts
from ..outcomes.sparse import MAX_DENSE
from ..outcomes.states import Array, score_sums
from ..results import RunVariation
from . import mean
from .degrees_of_freedom import MOST, smaller

EXACT = 2.0**53  # sums of integers below this are exact in doubles
LARGEST = 1e300  # largest ratio and degrees of freedom
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
    runs: list[int]  # the index of each run with a trial

    @property
    def df(self) -> Fraction:
        """The effective number of runs less 1."""
        return Fraction(sum(self.variance) ** 2, sum(x * x for x in self.variance)) - 1

    @property
    def ratio(self) -> Fraction:
        """The variance of the influences over that which chance explains."""
        return Fraction(sum(x * x for x in self.influence), sum(self.variance))

    def variance_by_chance(self) -> Fraction:
        """The variance of a run's average if its effect adds as much as chance, in units of the integer scores."""
        squares = sum((x * x for x in self.share), Fraction(0))
        return Fraction(sum(self.variance), self.unit**2) / (squares * (1 - squares))

    def squared_sd(self) -> Fraction:
        """The variance of the effect of a run, which may be negative, in units of the integer scores."""
        return (self.ratio - 1) * self.variance_by_chance()


class WithRuns(NamedTuple):
    """A variance with that over runs, and its degrees of freedom; V is ZERO where runs add nothing."""

    V: Triple
    freedom: Triple


NO_RUNS = WithRuns(ZERO, ZERO)


class Dispersion(NamedTuple):
    """The ratio of variances, and its degrees of freedom: what the argument `runs` adds to a variance."""

    ratio: Triple
    freedom: Triple

    @property
    def excess(self) -> Triple:
        """The ratio less 1, at least 0."""
        x = sub(self.ratio, ONE)
        return x if x[0] > 0.0 else ZERO

    def with_runs(self, V: Triple, freedom: Triple, over_trials: Triple | None, by_trials: bool) -> WithRuns | None:
        """The variance V with that over runs, and its degrees of freedom; None if runs add nothing.

        freedom: of V, ZERO: none; over_trials: the part of V over trials, None: all of it, or it is not identified;
        by_trials: whether V is a variance over trials alone.
        """
        if not by_trials and not self.excess[0]:
            return None
        of_runs = mul(self.ratio, V if over_trials is None else over_trials)
        total = of_runs if over_trials is None else add(V, mul(self.excess, over_trials))
        if not total[0]:
            return None
        # no part counts for more than the total, so that 1 / df is at most the sum of both
        of_runs, V = smaller(of_runs, total), smaller(V, total)
        denominator = div(mul(of_runs, of_runs), self.freedom)
        if freedom[0]:
            denominator = add(denominator, div(mul(V, V), freedom))
        return WithRuns(total, smaller(div(mul(total, total), denominator), MOST))


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


def run_test(models: Sequence[ByRun], w: Sequence[float], name: str) -> RunVariation:
    """Whether the runs of these models differ; name: the argument that holds them, for errors."""
    used = [x.used_runs for x in models]
    if all(x < 2 for x in used):
        raise InvalidInput("length", name, f"one run of {name}: the variance between runs needs two or more")
    if all(np.count_nonzero(x.counts.trials) < 2 for x in models):
        raise InvalidInput("shape", name, f"one question of {name}: runs and trials cannot be told apart")
    each = [y for i, x in enumerate(models) if (y := terms(x, w, i))]
    if not each:
        return RunVariation(1.0, float(sum(x - 1 for x in used)), 1.0, 0.0, 0, 0, 0.0, 1.0)
    f = sum((x.df for x in each), Fraction(0))
    ratio = sum((x.df * x.ratio for x in each), Fraction(0)) / f
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
    return RunVariation(
        value(from_fraction(ratio)),
        value(from_fraction(f)),
        _p_value(ratio, f, h),
        value(root(from_fraction(sd2))) if sd2 > 0 else 0.0,
        x.model,
        x.runs[j],
        value(from_fraction(Fraction(x.influence[j], x.unit * unit) / x.share[j])) + 0.0,
        min(1.0, value(mul(p_run, ext(float(len(runs)))))),
    )


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


def sampled_runs(
    outcomes: Sequence[tuple[str, Any]], C: int, w: Sequence[float], missing: Any, has_scores: bool,
    missing_code: int | None = None,
) -> RunVariation:  # fmt: skip
    """The variation of runs that "sampled" stands for in a call on these outcomes, each with the argument's name."""
    for name, x in outcomes:
        if isinstance(x, (Counts, Detailed)):
            what = f'{name} is {type(x).__name__}, which do not know the runs that runs="sampled" needs'
            raise InvalidInput("conflict", "runs", what, "run_variation")
    policy = "drop" if arguments.bounded(missing) else missing
    return run_test([by_run(x, C, policy, name, has_scores, code=missing_code) for name, x in outcomes], w, "runs")


# --- the argument runs --------------------------------------------------------------------------------


def dispersion(
    runs: Any, outcomes: Sequence[tuple[str, Any]], C: int, w: Sequence[float], missing: Any, has_scores: bool
) -> Dispersion | None:
    """The argument `runs` of a call on these outcomes, each with the argument's name: None if runs are fixed.

    With "sampled" it is the result of run_test() on all of them.
    """
    if isinstance(runs, str):
        if arguments.choice(runs, "runs", ("fixed", "sampled")) == "fixed":
            return None
        test = sampled_runs(outcomes, C, w, missing, has_scores)
        return Dispersion(ext(test.ratio), ext(test.df))
    try:
        stated = (runs["ratio"], runs["df"]) if isinstance(runs, Mapping) else (runs.ratio, runs.df)
    except (AttributeError, KeyError):
        what = f'runs must be "fixed", "sampled" or a result of run_variation, not {shown(runs)}'
        raise InvalidInput("type", "runs", what) from None
    ratio, df = (arguments.real(x, "runs") for x in stated)
    for what, x, least in (("ratio", ratio, 0.0), ("df", df, 1.0)):
        if not least <= x <= LARGEST:
            raise InvalidInput("range", "runs", f"the {what} of runs is {x!r}, not in {least} to {LARGEST}")
    return Dispersion(ext(ratio), ext(df))
