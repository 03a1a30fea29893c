"""Rank ranges of many models in one or several benchmarks, from the significant differences of pairs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic.double_double import value
from ..metrics.metric import lower_is_better
from .difference import Difference
from .estimate import MetricRequest
from .pairs import AllPairs, checked_models
from .screening import PValues, Screen, p_values, ranks, screen, significant
from .suite import combined, reversed_contrast, runs_of, shares

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
