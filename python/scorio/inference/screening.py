"""Significance of many pairs, decided in doubles or exactly where rounding could change it; rank ranges from them.

Every decision is that of the exact p-values. 2,000 models have two million pairs, of which a handful have a p-value too
near to its level for doubles.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arithmetic.distributions import error_rate, t_tails_in_doubles
from ..arithmetic.double_double import ZERO, Table, value
from ..display import progress
from ..metrics.metric import lower_is_better
from .clusters import Units
from .degrees_of_freedom import MOST
from .difference import Difference, is_significant
from .estimate import MetricRequest
from .estimator import Estimator
from .mean import FINEST
from .pairs import MANY, AllPairs, checked_models, holm
from .runs import Dispersion, OfTwo, RunEffects
from .significance import MOST as MOST_SIGNS
from .significance import MOST_SAME
from .suite import combined, reversed_contrast, runs_of, shares
from .variance import INVERSE, ROWS, STEP, THETA, TRIALS

Doubles: TypeAlias = npt.NDArray[np.float64]
Signs: TypeAlias = npt.NDArray[np.int8]  # by pair: 1, the first model is significantly above; -1, below; 0, neither
MOST_VALUES = 1 << 24  # values of questions in memory: 128 MB, and as much for each of two powers
PAIRS_AT_ONCE = 1 << 17  # pairs in a block
VALUES_AT_ONCE = 1 << 21  # values of questions of pairs whose signs are counted
EPS = 2.0**-52
TINY = 2.0**-30  # smaller differences of a unit that are not 0 are decided exactly
TAIL_ERROR = 1e-7  # bound on the relative error of a tail of the t distribution in doubles


class Sampling(NamedTuple):
    """The values of questions, or means of clusters, and how they enter a variance."""

    u: Doubles  # (L models, G units)
    x: Doubles  # u minus the mean of the model
    weight: Doubles  # the weight of a squared value in the variance, (G,)
    guard: float
    unseen: float  # what a guard of 1 adds to the variance
    freedom: float  # the largest possible degrees of freedom
    numbers: npt.NDArray[np.intp]  # equal for models with equal numbers of trials of every question, (L,)

    def select(self, models: Any) -> Sampling:
        """The terms of some of the models, in this order."""
        return self._replace(u=self.u[models], x=self.x[models], numbers=self.numbers[models])

    def pairs(self, i: slice, j: slice, two_steps: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """Variances of the differences of models i and models j (slices), their df, their relative errors: matrices.

        two_steps: the least guard of pairs with unequal trials. The sums of (x - y)^2 over questions are computed from
        sums of products.
        """
        x, a, G = self.x, self.weight, self.weight.size
        second = (x * x) @ a
        Z = second[i, None] + second[j] - 2.0 * ((x[i] * a) @ x[j].T)
        unequal = self.numbers[i, None] != self.numbers[j]
        c = np.maximum(self.guard, np.where(unequal, np.minimum(1.0, two_steps), 0.0)) ** 2 * self.unseen
        V = Z + c
        freedom = V * V / (Z * Z / self.freedom + c * c / 2.0)
        return V, np.minimum(freedom, self.freedom), EPS * (G + 32) * 8.0 * a.sum() / V


class Screen(NamedTuple):
    """The models of a benchmark in doubles: the values from which their pairs are tested, an entry for each model."""

    high: Doubles  # the metric is high + low
    low: Doubles
    M: int
    trials: Doubles  # sums of the variances of the trials
    step: Doubles  # of the stabiliser
    rise: Doubles  # the most by which one trial more can change the metric of a question
    squares: Doubles  # sums of their squares; 0 where they are not needed
    single: npt.NDArray[np.bool_]  # no question identifies a variance of trials
    sampled: bool
    sampling: Sampling | None  # where the questions were sampled, or a model is single
    ends: tuple[Doubles, Doubles] | None  # the lowest and the highest trial of each question, where outcomes are scores
    # of model i in the pair (i, j), (L, L): the ratio of variances, its df, that of the pair at most (0: one for both)
    runs: tuple[Doubles, Doubles, Doubles] | None = None  # None: fixed

    def select(self, models: Any) -> Screen:
        """The screen of some of the models, in this order."""
        sampling = self.sampling and self.sampling.select(models)
        vectors = ("high", "low", "trials", "step", "rise", "squares", "single")
        named = {name: getattr(self, name)[models] for name in vectors}
        ends = self.ends and (self.ends[0][models], self.ends[1][models])
        square = np.ix_(models, models)
        runs = self.runs and (self.runs[0][square], self.runs[1][square], self.runs[2][square])
        return self._replace(**named, sampling=sampling, ends=ends, runs=runs)

    def largest_range(self, i: slice, j: slice) -> Doubles:
        """The largest difference between two trials of a question of models i and j, as it counts."""
        if self.ends is None:
            return np.ones((i.stop - i.start, len(self.high[j])))
        low, high = self.ends
        x = np.array(
            [(np.maximum(a, high[j]) - np.minimum(b, low[j])).max(1) for a, b in zip(high[i], low[i], strict=True)]
        )
        return np.where(x > 0.0, np.maximum(x, 1.0 / FINEST), 1.0)

    def by_sampling(self, i: Any, j: Any) -> npt.NDArray[np.bool_]:
        """Whether the variance of pairs of models i and j is that over the sampling of units."""
        return self.sampled | self.single[i] | self.single[j]

    def pairs(self, i: slice, j: slice) -> tuple[Doubles, ...]:
        """Matrices for models i and j: differences, variances, their df, relative errors, variances with runs, df."""
        D = (self.high[i, None] - self.high[j]) + (self.low[i, None] - self.low[j])
        largest = self.largest_range(i, j)
        s = np.maximum(self.step[i, None], self.step[j]) * largest**2
        both = self.trials[i, None] + self.trials[j] + s
        square = float(self.M) ** 2
        V, squares = both / square, self.squares[i, None] + self.squares[j] + s * s
        fixed = V, np.minimum(2.0 * both * both / squares, MOST[0]), np.full_like(V, 64.0 * EPS)
        if self.sampling is None:
            runs = self._runs(i, j, s)
            return D, *fixed, *self._with_runs(runs, *fixed[:2], V)
        two_steps = 2.0 * largest * np.maximum(self.rise[i, None], self.rise[j])
        W, freedom_of_W, error_of_W = self.sampling.pairs(i, j, two_steps)
        sampled = W, freedom_of_W, 64.0 * EPS + error_of_W
        where = self.by_sampling(np.arange(len(self.high))[i, None], j)
        V_used, freedom, errors = (np.where(where, x, y) for x, y in zip(sampled, fixed, strict=True))
        over_trials = np.where(self.single[i, None] | self.single[j], V_used, V)
        return D, V_used, freedom, errors, *self._with_runs(self._runs(i, j, s), V_used, freedom, over_trials)

    def _runs(self, i: slice, j: slice, s: Doubles) -> tuple[Doubles, Doubles] | None:
        """The ratio of variances of each pair, and its df (OfTwo.over); None: fixed."""
        if self.runs is None:
            return None
        (ratio, f), (other, g) = ([x[i, j] for x in self.runs[:2]], [x[j, i].T for x in self.runs[:2]])
        unknown = self.single[i, None] | self.single[j]
        V, W = (np.where(unknown, 1.0, x + 0.5 * s) for x in (self.trials[i, None], self.trials[j]))
        v, w = V * ratio, W * other
        most = np.minimum(self.runs[2][i, j], MOST[0])
        apart = (most > 0.0) & (v + w > 0.0)
        total = np.where(apart, v + w, 1.0)
        freedom = np.minimum(total**2 / (v * v / f + w * w / g), most)
        return np.where(apart, total / (V + W), ratio), np.where(apart, freedom, f)

    @staticmethod
    def _with_runs(
        runs: tuple[Doubles, Doubles] | None, V: Doubles, freedom: Doubles, over_trials: Doubles
    ) -> tuple[Doubles, Doubles]:
        """Variances with runs, and their df; unchanged where runs are fixed (Dispersion.with_runs)."""
        if runs is None:
            return V, freedom
        of_runs = runs[0] * over_trials
        total = of_runs + np.maximum(V - over_trials, 0.0)
        df = np.minimum(total * total / (np.minimum(V, total) ** 2 / freedom + of_runs * of_runs / runs[1]), MOST[0])
        return total, df

    def signs(self, i: npt.NDArray[np.intp], j: npt.NDArray[np.intp]) -> tuple[Doubles, ...]:
        """For pairs of models: how many units differ by more than TINY in either direction, and by less, but not 0."""
        if self.sampling is None:
            return tuple(np.full(len(i), np.inf) for _ in range(3))  # no signs
        d = self.sampling.u[i] - self.sampling.u[j]
        tiny = (d != 0.0) & ~(abs(d) > TINY)  # or NaN
        counts = (d > TINY).sum(1), (d < -TINY).sum(1), tiny.sum(1)
        return tuple(np.where(self.by_sampling(i, j), x, np.inf) for x in counts)


def screen(pairs: AllPairs) -> Screen | None:
    """The models in doubles, NaN for those without a trial of some question; None if all tests are to be exact."""
    estimators = {i: x for i, x in enumerate(pairs.estimators) if x is not None}
    if not estimators:
        return None
    L, units, sampled = (
        len(pairs.estimators),
        pairs.units or Units(next(iter(estimators.values())).parts.M),
        pairs.request.sampled,
    )
    parts = {i: x.parts for i, x in estimators.items()}
    single = np.array([i in parts and parts[i].single for i in range(L)])
    needs_sampling = sampled or bool(single.any())
    if needs_sampling and (units.G < 2 or units.G * L > MOST_VALUES):
        return None
    x, errors = np.full((L, ROWS, 3), np.nan), np.full((L, 3), np.nan)
    for i, estimator in estimators.items():
        x[i] = estimator.parts.x
        errors[i] = ZERO if sampled or single[i] else estimator.squared_variances
    (high, low), (trials, _), (steps, _), (inverse, _) = (_doubles(x[:, row]) for row in (THETA, TRIALS, STEP, INVERSE))
    sampling = _sampling(estimators, units, high, value(pairs.request.guard)) if needs_sampling else None
    k = next(iter(parts.values())).k
    rises = steps * (1.0 / inverse + k - 1.0) / k
    ends, squares = _ends(estimators, L, units.M), _doubles(errors)[0]
    runs = None if pairs.request.runs is None else _runs(pairs.request.runs, L)
    return Screen(high, low, units.M, trials, steps, rises, squares, single, sampled, sampling, ends, runs)


def _runs(runs: Dispersion | RunEffects, L: int) -> tuple[Doubles, Doubles, Doubles]:
    """The ratio of variances of each model in each pair, its df, and the pair's at most (0: one for both)."""
    out, most = np.ones((2, L, L)), np.zeros((L, L))
    for i, j in combinations(range(L), 2):
        of_pair = runs.about(i, j)
        first, second, most_of_pair = of_pair if isinstance(of_pair, OfTwo) else (of_pair, of_pair, ZERO)
        most[i, j] = most[j, i] = value(most_of_pair)
        out[:, i, j], out[:, j, i] = ([value(x) for x in y] for y in (first, second))
    return out[0], out[1], most


def _ends(estimators: Mapping[int, Estimator], L: int, M: int) -> tuple[Doubles, Doubles] | None:
    """The lowest and the highest trial of each question, on the scale 0..1; None for metrics of binary outcomes."""
    low, high = np.full((2, L, M), np.nan)
    for i, x in estimators.items():
        if x.ends is None:
            return None
        low[i], high[i] = (y / x.ends[2] for y in x.ends[:2])
    return low, high


def _sampling(estimators: Mapping[int, Estimator], units: Units, means: Doubles, guard: float) -> Sampling:
    x = np.full((len(means), units.G), np.nan)
    for i, estimator in estimators.items():
        u, which = estimator.values()
        x[i] = _doubles(u)[0][which] if units.labels is None else _doubles(units.means(which, u))[0]
    m, M = np.broadcast_to(units.sizes, units.G).astype(float), float(units.M)
    weight = m * m / ((M - m) ** 2 + (units.squared - m * m))
    freedom = units.G - 1.0 if units.labels is None else value(units.freedom)
    numbers, number_of = np.full(len(means), -1), dict[bytes, int]()
    for i, estimator in estimators.items():
        numbers[i] = number_of.setdefault(estimator.trials().tobytes(), len(number_of))
    return Sampling(x, x - means[:, None], weight, guard, value(units.unseen()), min(freedom, MOST[0]), numbers)


def _doubles(table: Table) -> tuple[Doubles, Doubles]:
    """The high and the low part of triples, as doubles."""
    unit = np.exp2(256.0 * table[:, 2])
    return table[:, 0] * unit, table[:, 1] * unit


class PValues(NamedTuple):
    """Differences of pairs in the order (0, 1), (0, 2), ..., (1, 2), ... and bounds of their p-values."""

    D: Doubles
    low: Doubles
    high: Doubles


def p_values(parts: Sequence[Screen | None], weights: Sequence[float], L: int, level: float) -> PValues:
    """Bounds of the p-values of weighted mean differences over benchmarks; 0 and infinity if one has no screen.

    Above the level the signs of the sampled units, which can only make a p-value larger, are left out of them.
    """
    total = L * (L - 1) // 2
    out = PValues(np.zeros(total), np.zeros(total), np.full(total, np.inf))
    known = [x for x in parts if x is not None]
    if len(known) < len(parts):
        return out
    step, at = max(1, PAIRS_AT_ONCE // max(L, 1)), 0
    w = np.c_[weights]
    with np.errstate(all="ignore"), progress.bar("pairs", total, None if total >= MANY else False) as advance:
        for start in range(0, L - 1, step):
            i, j = slice(start, min(start + step, L - 1)), slice(start, L)
            later = np.arange(start, L) > np.arange(i.start, i.stop)[:, None]
            terms = ([y[later] for y in x.pairs(i, j)] for x in known)
            D, V, freedom, errors, V_of_runs, df_of_runs = map(np.stack, zip(*terms, strict=True))
            weighted, error = D * w, errors.max(axis=0)
            D, low, high = _bounds(weighted, V * w * w, freedom, error)
            if any(x.runs for x in known):
                _, *bounds = _bounds(weighted, V_of_runs * w * w, df_of_runs, 4.0 * error)
                low, high = (np.maximum(x, y) for x, y in zip((low, high), bounds, strict=True))
            first, second = (y + start for y in np.nonzero(later))
            _raise_by_signs(known, first, second, level, low, high)
            for array, y in zip(out, (D, low, high), strict=True):
                array[at : at + y.size] = y
            at += D.size
            advance(D.size)
    return out


def _raise_by_signs(
    parts: Sequence[Screen], i: npt.NDArray[np.intp], j: npt.NDArray[np.intp], level: float, low: Doubles, high: Doubles
) -> None:
    """Raise the bounds of the p-values that may be at most the level to that of the signs, or the upper one to 1."""
    candidates = np.flatnonzero(low <= level)
    step = max(1, VALUES_AT_ONCE // max(x.sampling.u.shape[1] if x.sampling else 1 for x in parts))
    for at in np.split(candidates, range(step, candidates.size, step)):
        above, below, tiny = (sum(y) for y in zip(*(x.signs(i[at], j[at]) for x in parts), strict=True))
        number, same = above + below, (above == 0) | (below == 0)
        p = np.where(same & (tiny == 0), np.minimum(2.0 ** (1.0 - np.minimum(number, MOST_SAME)), 1.0), 0.0)
        low[at], high[at] = np.maximum(low[at], p), np.maximum(high[at], p)
        high[at[np.isfinite(number) & ((tiny > 0) | (~same & (number <= MOST_SIGNS)))]] = np.inf


def _bounds(D: Doubles, V: Doubles, freedom: Doubles, error: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Total differences and bounds of their p-values, from weighted parts; error: bound on those of V and freedom.

    The log of a tail p / 2 of the t distribution moves by at most 1 + t for each unit of t, and by at most twice
    1 - log(p / 2) times a relative change of t or of the degrees of freedom.
    """
    total, size, sigma = D.sum(axis=0), abs(D).sum(axis=0), np.sqrt(np.maximum(V.sum(axis=0), 0.0))
    freedom = np.minimum(sigma**4 / (V * V / freedom).sum(axis=0), MOST[0])
    t, p = np.where(size > 0.0, abs(total) / sigma, 0.0), np.empty(size.size)
    freedom[~(freedom > 0.0)] = 1.0  # a variance of 0, whose error is infinite
    t_tails_in_doubles(t, freedom, p)
    p[size == 0.0] = 1.0
    slope = 2.0 * (2.0 - np.log(np.maximum(p, 1e-300)))
    error_of_p = TAIL_ERROR + 2.0 * error * slope + 16.0 * EPS * size / sigma * np.minimum(1.0 + t, slope / t)
    error_of_p[size == 0.0] = TAIL_ERROR
    low, high, known = p * (1.0 - error_of_p), p * (1.0 + error_of_p) + 1e-300, error_of_p < 0.1
    return total, np.where(known, low, 0.0), np.where(known, high, np.inf)


def significant(p: PValues, exact: Callable[[int], Difference], confidence: float, by_holm: bool) -> Signs:
    """Signs of the significant differences, 0 for the other pairs; exact: a function that computes a difference."""
    level, D = value(error_rate(confidence, 1)), p.D.copy()
    certain = min(level, 1.0 - 2.0**-53)  # a p-value of 1 is never significant
    out, possible = _rejected(p.high, certain, by_holm), _rejected(p.low, level, by_holm)
    unclear = np.flatnonzero(possible & ~out)
    differences = []
    with progress.bar("pairs", len(unclear), None if len(unclear) >= MANY else False) as advance:
        for i in unclear.tolist():
            differences.append(exact(i))
            advance(1)
    x = [d.p_value() for d in differences]
    if by_holm:  # the certain rejections have the smallest p-values: Holm's method goes on with the other tests
        x = holm(x, len(D) - int(out.sum()))
    out[unclear], D[unclear] = [is_significant(y, confidence) for y in x], [d.D[0] for d in differences]
    return np.where(out, np.where(D > 0.0, 1, -1), 0).astype(np.int8)


def _rejected(p: Doubles, level: float, by_holm: bool) -> npt.NDArray[np.bool_]:
    """Whether each p-value is rejected at this level, by Holm's method or by itself."""
    if not by_holm:
        return p <= level
    order, out = np.argsort(p, kind="stable"), np.zeros(len(p), np.bool_)
    failed = np.append(p[order] * np.arange(len(p), 0, -1) > level, True)
    out[order[: int(failed.argmax())]] = True
    return out


def ranks(L: int, signs: Signs, lower_wins: bool) -> list[tuple[int, int]]:
    """The ranks each model may have: from 1 + the number significantly better to L - the number significantly worse."""
    i, j = np.triu_indices(L, 1)
    i_better, j_better = (-1, 1) if lower_wins else (1, -1)
    better = np.bincount(np.append(j[signs == i_better], i[signs == j_better]), minlength=L)
    worse = np.bincount(np.append(i[signs == i_better], j[signs == j_better]), minlength=L)
    return list(zip((1 + better).tolist(), (L - worse).tolist(), strict=True))


# --- rank ranges of many models, in one or several benchmarks ---------------------------------------

Range = tuple[int, int]


class PairTests(NamedTuple):
    """Tests of all pairs of models, in one benchmark or over all: bounds of the p-values, and exact differences."""

    models: Sequence[Any]  # their names, or indices where they have none
    p: PValues
    exact: Callable[[int], Difference]  # of a pair, by its index in p


def in_benchmark(pairs: AllPairs, confidence: float, by_holm: bool) -> list[Range]:
    """The ranks that each model of a benchmark may have, in the order of the models."""
    tests = _pair_tests(pairs, screen(pairs), 1.0 - confidence)
    return _ranges([tests], confidence, by_holm, lower_is_better(pairs.request.m.name))[0]


def over_benchmarks(
    request: MetricRequest,
    benchmarks: Mapping[Any, Any],
    w: Any,
    confidence: float,
    by_holm: bool,
    each: bool = True,
    runs: Any = "fixed",
) -> dict[Any, dict[Any, Range]]:
    """The ranks of the models over all benchmarks, with key None; with ``each``, also in each of several benchmarks.

    The pairs in single benchmarks are one family of tests, those over all benchmarks another.
    """
    lower_wins = lower_is_better(request.m.name)
    of_runs, parts = runs_of(runs, benchmarks), []
    for name, x in benchmarks.items():
        its_request = request.with_runs_of(x, of_runs[name], "raise")
        parts.append(AllPairs(its_request, checked_models(its_request, x, w, "raise", None, min_models=1), None))
    screens = [screen(x) for x in parts]
    overall = _overall(request, parts, screens, 1.0 - confidence)
    out = {None: _named(overall, _ranges([overall], confidence, by_holm, lower_wins)[0])}
    if not each or len(parts) == 1:
        return out
    tests = [_pair_tests(x, y, 1.0 - confidence) for x, y in zip(parts, screens, strict=True)]
    ranges = _ranges(tests, confidence, by_holm, lower_wins)
    return out | {name: _named(x, y) for name, x, y in zip(benchmarks, tests, ranges, strict=True)}


def _named(tests: PairTests, ranges: list[Range]) -> dict[Any, Range]:
    return dict(zip(tests.models, ranges, strict=True))


def _pair_tests(pairs: AllPairs, screened: Screen | None, level: float) -> PairTests:
    L = len(pairs.models.items)
    i, j = np.triu_indices(L, 1)

    def exact(pair: int) -> Difference:
        return pairs.contrast(int(i[pair]), int(j[pair])).difference

    return PairTests(pairs.models.names or range(L), p_values([screened], [1.0], L, level), exact)


def _overall(
    request: MetricRequest, parts: Sequence[AllPairs], screens: Sequence[Screen | None], level: float
) -> PairTests:
    """Tests of all pairs of the models that every benchmark has, on the mean of their differences over benchmarks."""
    places = [{model: i for i, model in enumerate(x.models.names or [])} for x in parts]
    models = [m for m in places[0] if all(m in x for x in places)]
    indices = [[x[m] for m in models] for x in places]
    weights = shares(None, range(len(parts)), range(len(parts)))
    span = Fraction(max(request.m.w)) - Fraction(min(request.m.w))
    i, j = np.triu_indices(len(models), 1)

    def exact(x: int) -> Difference:
        pairs = [(part, to[i[x]], to[j[x]]) for part, to in zip(parts, indices, strict=True)]
        each = [y.contrast(a, b) if a < b else reversed_contrast(y.contrast(b, a)) for y, a, b in pairs]
        return combined(each, weights, span)

    screens_of_models = [x and x.select(to) for x, to in zip(screens, indices, strict=True)]
    p = p_values(screens_of_models, [value(x) for x in weights.rounded], len(models), level)
    return PairTests(models, p, exact)


def _ranges(tests: Sequence[PairTests], confidence: float, by_holm: bool, lower_wins: bool) -> list[list[Range]]:
    """The ranks that the models of each of these tests may have, with one error rate for all of them."""
    ends = list(accumulate(len(x.p.D) for x in tests))

    def exact(pair: int) -> Difference:
        which = bisect_right(ends, pair)
        return tests[which].exact(pair - ends[which])  # a negative index, from the end of these tests

    p = PValues(*(np.concatenate(x) for x in zip(*(x.p for x in tests), strict=True)))
    signs = np.split(significant(p, exact, confidence, by_holm), ends[:-1])
    return [ranks(len(x.models), y, lower_wins) for x, y in zip(tests, signs, strict=True)]
