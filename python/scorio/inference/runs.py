"""How much more runs of the whole evaluation differ than chance explains, the test of it, and the argument `runs`.

The formulas: spec/families/runs.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from fractions import Fraction
from functools import reduce
from math import lcm
from operator import itemgetter
from operator import mul as times
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .. import arguments
from ..arithmetic.distributions import beta_cdf, normal_cdf
from ..arithmetic.double_double import (
    ONE,
    ZERO,
    Triple,
    add,
    div,
    ext,
    from_fraction,
    log,
    mul,
    neg,
    root,
    sub,
    times_2_to,
    value,
)
from ..errors import InvalidInput, shown
from ..outcomes.answers import Detailed
from ..outcomes.by_run import ByRun, by_run
from ..outcomes.counts import Counts
from ..outcomes.states import MAX_DENSE, Array, score_sums
from ..results import RunVariation
from . import mean
from .degrees_of_freedom import MOST, smaller
from .variance import larger

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
        return _exact_sums(of_pair, values, cells).reshape(x.runs, groups).tolist()

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
    return root(mul(from_fraction(2 * E / (b * x.unit) ** 2), more))


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


# --- the variance that differences between runs add to an estimate ----------------------------------

LARGER = ext(1.25)  # the df of a difference may be above those of the runs behind it, which count twice
LARGEST = 1e300  # largest ratio and degrees of freedom
# P(F >= ratio of some models over that of the others) from which the others begin to count, and count in full
APART, ALIKE = Fraction(1, 10), Fraction(1, 2)


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

    def with_runs(self, V: Triple, freedom: Triple, over_trials: Triple | None = None) -> WithRuns | None:
        """The variance V with that over runs, and its degrees of freedom; None if it is 0.

        freedom: of V, ZERO: none; over_trials: the part of V over trials, None: all of it, or it is not identified.
        """
        of_runs = mul(self.ratio, V if over_trials is None else over_trials)
        total = of_runs if over_trials is None else add(of_runs, larger(sub(V, over_trials), ZERO))
        if not total[0]:
            return None
        V = smaller(V, total)  # no part counts for more than the total, so that 1 / df is at most the sum of both
        denominator = div(mul(of_runs, of_runs), self.freedom)
        if freedom[0]:
            denominator = add(denominator, div(mul(V, V), freedom))
        return WithRuns(total, smaller(div(mul(total, total), denominator), MOST) if denominator[0] else MOST)

    def about(self, *models: int) -> Dispersion:
        """That of a statement about these models: of every statement the same."""
        return self

    def over(self, *parts: Triple) -> Dispersion:
        """That of a difference, of which both models have these parts."""
        return self

    def unit(self, *units: Triple) -> Triple:
        """1 over the number of independent trials, given that of each model without regard to runs."""
        return mul(reduce(larger, units), add(ONE, self.excess))


class OfTwo(NamedTuple):
    """The dispersions of two models whose runs differ, each by itself, and the largest df of their difference."""

    first: Dispersion
    second: Dispersion
    most: Triple

    def over(self, V: Triple, W: Triple) -> Dispersion:
        """That of their difference; V, W: the parts of both in its variance over trials, or in proportion to it."""
        (x, f), (y, g), most = self
        v, w = mul(V, x), mul(W, y)
        total = add(v, w)
        if not total[0]:
            return self.first
        freedom = div(mul(total, total), add(div(mul(v, v), f), div(mul(w, w), g)))
        return Dispersion(x if x == y else div(total, add(V, W)), smaller(smaller(freedom, most), MOST))

    def unit(self, *units: Triple) -> Triple:
        """1 over the number of independent trials, given that of each model without regard to runs."""
        return reduce(larger, (x.unit(unit) for x, unit in zip(self[:2], units, strict=True)))


class RunEffects:
    """The runs of the models of a call, from which each statement about one or two of them has its ratio.

    each : the terms of the models that count.
    models : the models of the call, in its order, as `each` has them: others are pooled with them.
    shared : whether runs are the same for all models, as prompts and sessions are.
    unknown : the number of runs with a trial less 1, summed over models: the df where no model counts.
    """

    def __init__(self, each: Mapping[Any, RunTerms], models: Sequence[Any], shared: bool, unknown: int = 1) -> None:
        self.each, self.models, self.shared = each, models, shared
        self.all = pooled(each.values()) if each else (Fraction(1), Fraction(unknown))
        self.known: dict[Any, Dispersion] = {}  # of single models

    def of(self, models: Sequence[Any], shared: bool) -> RunEffects:
        """The runs of a call on these models."""
        out = copy(self)
        out.models, out.shared = models, shared
        return out

    def about(self, *models: int) -> Dispersion | OfTwo:
        """The ratio of variances of a statement about these models of the call, and its degrees of freedom."""
        own = [x for x in (self.models[i] for i in models) if x in self.each]
        if not own:
            return dispersion_of(self.all)
        terms = [self.each[x] for x in own]
        if self.shared and have_common_runs(terms):
            return dispersion_of(of_difference(terms))
        each = [self.of_model(x) for x in own]
        if len(each) == 1:
            return each[0]
        df = ext(value(from_fraction(terms[0].df + terms[1].df)))
        first, second = each
        return OfTwo(first, second, mul(LARGER, larger(df, larger(first.freedom, second.freedom))))

    def of_model(self, model: Any) -> Dispersion:
        """The ratio of a model that counts, with that of the others."""
        if model not in self.known:
            self.known[model] = self._with_others(self.each[model])
        return self.known[model]

    def _with_others(self, x: RunTerms) -> Dispersion:
        own, f = (x.ratio, x.df), self.all[1] - x.df
        if len(self.each) == 1:
            return dispersion_of(own)
        rest = (self.all[0] * self.all[1] - x.ratio * x.df) / f
        return weighted(own, (rest, f)) or dispersion_of(self.all)


def dispersion_of(x: Ratio) -> Dispersion:
    """The ratio and its degrees of freedom, as the doubles that they are in results."""
    return Dispersion(*(ext(value(from_fraction(y))) for y in x))


def weighted(own: Ratio, rest: Ratio) -> Dispersion | None:
    """The ratio of a model with that of the rest, which counts less the more its own is above it; None: in full."""
    (x, f), (y, g) = own, rest
    if 20 * x <= 9 * y:  # no median of an F distribution is below 9/20
        return None
    if not y:
        return dispersion_of(own)
    low, high = from_fraction(g * y / (f * x + g * y)), from_fraction(f * x / (f * x + g * y))
    p = beta_cdf(low, high, from_fraction(g / 2), from_fraction(f / 2))
    weight = div(sub(p, from_fraction(APART)), from_fraction(ALIKE - APART))
    if sub(weight, ONE)[0] >= 0.0:
        return None
    if weight[0] <= 0.0:
        return dispersion_of(own)
    part = mul(weight, from_fraction(g))
    df = add(from_fraction(f), part)
    ratio = div(add(from_fraction(f * x), mul(part, from_fraction(y))), df)
    return Dispersion(ext(value(ratio)), ext(value(df)))


def sampled_runs(
    outcomes: Sequence[tuple[str, Any]], C: int, missing: Any, has_scores: bool, missing_code: int | None
) -> list[ByRun]:
    """The outcomes by run of a call on these outcomes, each with the argument's name, where runs are not fixed."""
    for name, x in outcomes:
        if isinstance(x, (Counts, Detailed)):
            what = f'{name} is {type(x).__name__}, which do not know the runs that runs="sampled" needs'
            raise InvalidInput("conflict", "runs", what, "run_variation")
    policy = "drop" if arguments.bounded(missing) else missing
    return [by_run(x, C, policy, name, has_scores, code=missing_code) for name, x in outcomes]


def run_effects(models: Sequence[ByRun], w: Sequence[float], shared: bool, name: str = "runs") -> RunEffects:
    """The runs of these models; name: the argument that asks for them, for errors."""
    used = check_runs(models, name)
    each = {i: y for i, x in enumerate(models) if (y := terms(x, w, i))}
    return RunEffects(each, range(len(models)), shared, sum(used) - len(used))


def dispersion(
    runs: Any, outcomes: Sequence[tuple[str, Any]], C: int, w: Sequence[float], missing: Any, has_scores: bool,
    missing_code: int | None = None,
) -> Dispersion | RunEffects | None:  # fmt: skip
    """The argument `runs` of a call on these outcomes, each with the argument's name: None if runs are fixed."""
    if isinstance(runs, RunEffects):
        return runs
    if isinstance(runs, str):
        if arguments.choice(runs, "runs", ("fixed", "sampled", "shared")) == "fixed":
            return None
        return run_effects(sampled_runs(outcomes, C, missing, has_scores, missing_code), w, runs == "shared")
    try:
        stated = (runs["ratio"], runs["df"]) if isinstance(runs, Mapping) else (runs.ratio, runs.df)
    except (AttributeError, KeyError):
        what = f'runs must be "fixed", "sampled", "shared" or a result of run_variation, not {shown(runs)}'
        raise InvalidInput("type", "runs", what) from None
    ratio, df = (arguments.real(x, "runs") for x in stated)
    for what, x, least in (("ratio", ratio, 0.0), ("df", df, 1.0)):
        if not least <= x <= LARGEST:
            raise InvalidInput("range", "runs", f"the {what} of runs is {x!r}, not in {least} to {LARGEST}")
    return Dispersion(ext(ratio), ext(df))
