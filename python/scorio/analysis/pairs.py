"""Comparisons of models in every benchmark and over all: pairs, rank ranges, and what a lead survives."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

from .. import sinf
from ..arithmetic.double_double import over_common_denominator
from ..errors import InvalidInput, shown
from ..inference.estimate import parse_request
from ..inference.pairs import holm_doubles
from ..inference.screening import over_benchmarks
from ..metrics.metric import lower_is_better, read_metric
from ..outcomes.identity import paired
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import Correction, bounded_difference
from ..sinf.compare import NAMES, Certificate, Pair, certificate_of
from ..sinf.suite import SuitePair
from .measure import Request, answered_ids, in_every_benchmark

Ranges = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Pairs:
    """Comparisons of all pairs of models, ordered by their indices: (0, 1), (0, 2), ..., (1, 2), ...

    Attributes
    ----------
    models : tuple of str; the models that get a rank range over all benchmarks. Empty where scales differ.
    overall : tuple of SuitePair
        Comparisons over all benchmarks, adjusted for the number of pairs. Empty where scales differ.
    each : tuple of SuitePair; comparisons in each benchmark, adjusted for the number of these comparisons
    lowest_is_best : bool; whether the model with the lowest value is the best
    """

    models: tuple[str, ...]
    overall: tuple[SuitePair, ...]
    each: tuple[SuitePair, ...]
    lowest_is_best: bool = False

    @property
    def ranges(self) -> Ranges:
        """Best and worst rank that each model may have, over all benchmarks."""
        return rank_ranges(self.models, self.overall, self.lowest_is_best)

    def ranges_in(self, benchmark: str) -> Ranges:
        """Best and worst rank that each model of a benchmark may have in it."""
        pairs = [pair for pair in self.each if pair.benchmark == benchmark]
        models = list(dict.fromkeys(m for pair in pairs for m in (pair.a, pair.b)))
        return rank_ranges(models, pairs, self.lowest_is_best)


def rank_ranges(models: Sequence[str], pairs: Sequence[SuitePair], lowest_is_best: bool) -> Ranges:
    """Best and worst rank that each model may have.

    The best is 1 + the number of significantly better models; the worst is the number of all models minus that of the
    significantly worse ones.
    """
    best, worst = dict.fromkeys(models, 1), dict.fromkeys(models, len(models))
    for pair in pairs:
        if pair.significant:
            better, worse = (pair.a, pair.b) if (pair.mu > 0.0) != lowest_is_best else (pair.b, pair.a)
            best[worse] += 1
            worst[better] -= 1
    return {m: (best[m], worst[m]) for m in models}


def compare_pairs(
    e: EvaluationData, request: Request, correction: Correction = "holm", leave_out: bool | None = None
) -> Pairs:
    """Compare every pair on the questions that both answered.

    With a correction, the intervals of all pairs over all benchmarks cover their differences at once; so do those of
    all pairs in every benchmark. A pair that cannot be compared, such as one that shares too few questions, is left out
    if ``leave_out`` (default: if e has three or more models), and otherwise is an error.
    """
    leave_out = len(e.models) >= 3 if leave_out is None else leave_out
    if not e.comparable:
        parts = [e.select(benchmarks=name) for name in e.benchmarks]
        for_each = _simultaneous(request, _n_comparisons(e) if correction else 1)
        each = [y for part in parts for y in compare_pairs(part, for_each, None, leave_out).each]
        return Pairs((), (), tuple(_adjust(each, request, correction)), lower_is_better(request.metric))
    one_scale = e.on_one_scale()
    if e.bounds:
        return _one_by_one(one_scale, request, correction, leave_out)
    try:
        suite = _suite(one_scale, request, correction)
    except InvalidInput as error:
        # sinf.suite names these arguments where some pair cannot be compared
        if error.argument not in ("models", "benchmarks") or not leave_out:
            raise
        return _one_by_one(one_scale, request, correction, leave_out)
    models = tuple(m.model for m in suite.models)
    return Pairs(models, tuple(suite.pairs), tuple(suite.each), lower_is_better(request.metric))


def _one_by_one(e: EvaluationData, request: Request, correction: Correction, leave_out: bool) -> Pairs:
    """Compare each pair in a call of its own; with a correction, intervals have the level of Bonferroni's method."""
    pairs = list(combinations(e.models, 2))
    numbers_of_tests = (len(pairs), _n_comparisons(e)) if correction else (1, 1)
    for_overall, for_each = (_simultaneous(request, n) for n in numbers_of_tests)
    overall: list[SuitePair] = []
    each: list[SuitePair] = []
    for pair in pairs:
        part = e.select(pair)
        try:
            over_all, in_each = _compare_pair(part, for_overall)
            if for_each != for_overall:  # intervals in single benchmarks have another level
                in_each = _compare_pair(part, for_each)[1]
        except InvalidInput:
            if not leave_out:
                raise
            continue
        overall, each = [*overall, *over_all], [*each, *in_each]
    overall, each = (_adjust(y, request, correction) for y in (overall, each))
    complete = tuple(m for m in e.models if in_every_benchmark(e, m))  # the others have no rank over all benchmarks
    return Pairs(complete, tuple(overall), tuple(each), lower_is_better(request.metric))


def _n_comparisons(e: EvaluationData) -> int:
    """Number of pairs of models in each benchmark, summed over benchmarks."""
    return sum(comb(len(part.logs), 2) for part in e.benchmarks.values())


def _simultaneous(request: Request, comparisons: int) -> Request:
    """Request with the confidence of one of several intervals that cover simultaneously, by Bonferroni's method."""
    if comparisons <= 1:
        return request
    return replace(request, confidence=1.0 - (1.0 - request.confidence) / comparisons)


def _compare_pair(e: EvaluationData, request: Request) -> tuple[list[SuitePair], list[SuitePair]]:
    """Compare two models over all benchmarks and in each, with bounds where missing outcomes are bounded."""
    if not e.bounds:
        suite = _suite(e, request, None)
        return suite.pairs, suite.each
    a, b = e.models
    point, low, high = (_suite(e.filled(favoured), request, None) for favoured in (None, (b,), (a,)))
    extremes = [{x.benchmark: x for x in (*y.pairs, *y.each)} for y in (low, high)]
    overall, each = (
        [bounded_difference(x, *(y[x.benchmark] for y in extremes)) for x in pairs]
        for pairs in (point.pairs, point.each)
    )
    return overall, each


def _adjust(pairs: Sequence[SuitePair], request: Request, correction: Correction) -> list[SuitePair]:
    """Pairs with p-values adjusted by Holm's method, if there is a correction, and their significance by these."""
    p = [x.p_value for x in pairs]
    adjusted = zip(pairs, holm_doubles(p) if correction else p, strict=True)
    return [x._replace(p_adjusted=q, significant=q <= 1.0 - request.confidence) for x, q in adjusted]


def _suite(e: EvaluationData, request: Request, correction: Correction) -> sinf.Suite:
    """Comparison of all models over benchmarks on one scale."""
    part = next(iter(e.benchmarks.values()))
    try:
        return sinf.suite(
            aligned(e), request.name_in(part), request.k, request.tau, part.w,
            correction=correction, guard=request.guard, runs=dispersions(e, request), **request.interval_arguments,
        )  # fmt: skip
    except InvalidInput as error:
        raise _too_few_shared(e, error) or error from None


def _too_few_shared(e: EvaluationData, error: InvalidInput) -> InvalidInput | None:
    """The error for the first benchmark in which two models share too few questions; None if this is not the reason."""
    if len(e.models) != 2 or error.code not in ("no_trials", "shape"):
        return None
    for name, part in e.benchmarks.items():
        shared = len(set.intersection(*map(answered_ids, part.logs.values())))
        if len(part.logs) == 2 and shared < 2:
            questions = ("no question", "only one question")[shared] + (f" of benchmark {shown(name)}" if name else "")
            what = f"models {shown(e.models[0])} and {shown(e.models[1])} share {questions}"
            what += ", where two are needed" if shared else ""
            return InvalidInput(error.code, error.argument, what, "shared")
    return None


def rank_ranges_by_benchmark(
    e: EvaluationData, request: Request, correction: Correction = "holm", each: bool = True
) -> dict[str | None, Ranges]:
    """Rank ranges over all benchmarks (key None) and, if ``each``, in every benchmark."""
    if e.comparable and not e.bounds:
        one_scale = e.on_one_scale()
        part, parameters = next(iter(one_scale.benchmarks.values())), (request.k, request.tau)
        rest = part.w, request.questions, request.model
        estimand = parse_request(request.name_in(part), *parameters, *rest, guard=request.guard)
        with suppress(InvalidInput):  # raised where two of the models share too few questions
            return over_benchmarks(
                estimand, aligned(one_scale), part.w, request.confidence, by_holm=correction is not None, each=each,
                runs=dispersions(one_scale, request),
            )  # fmt: skip
    pairs = compare_pairs(e, request, correction)
    return {None: pairs.ranges} | {name: pairs.ranges_in(name) for name in e.benchmarks if each}


def dispersions(e: EvaluationData, request: Request) -> Any:
    """The argument `runs` of functions on several benchmarks."""
    if request.runs == "fixed":
        return "fixed"
    return {name: x.sampled_runs(request.runs) for name, x in e.benchmarks.items()}


def aligned(e: EvaluationData) -> dict[str, dict[str, Any]]:
    """Counts of each model in each benchmark, with a row for every question of any model, in one order.

    A question that the model did not answer has no trial. Counts carry the clusters of their questions, which are the
    sampling units where questions are sampled.
    """
    return {name: part.aligned() for name, part in e.benchmarks.items()}


def certificate(e: EvaluationData, a: str, b: str) -> Certificate | None:
    """Certificate of the order of two models on the questions that both answered, for the plain mean over benchmarks.

    None where the benchmarks are on different scales, or a model is not in each of them.
    """
    if not e.comparable or not all(m in part.logs for m in (a, b) for part in e.benchmarks.values()):
        return None
    parts = e.on_one_scale().benchmarks.values()
    still_missing = isinstance(e.provenance.missing, str)  # otherwise missing outcomes were counted as a category
    scores, unit = over_common_denominator(read_metric("mean", None, None, next(iter(parts)).w).w)
    return certificate_of([_pair(part, a, b, still_missing) for part in parts], scores, unit)


def certificate_of_leaders(e: EvaluationData, order: Sequence[str]) -> Certificate | None:
    """Certificate of the first two models of a ranking, or None.

    None without two models, if the two share no question of some benchmark, and where :func:`certificate` is None.
    """
    try:
        return certificate(e, *order[:2]) if len(order) > 1 else None
    except InvalidInput as error:
        # questions that are not shared are an error of certificate_of, which names the first of NAMES
        if error.argument != NAMES[0]:
            raise
        return None


def _pair(part: Benchmark, a: str, b: str, still_missing: bool) -> Pair:
    """Counts of both models in a benchmark, with their missing outcomes if these are ``still_missing``."""
    counts = [log.with_missing() if still_missing else log.counts for log in (part.logs[a], part.logs[b])]
    x, y = paired([x.padded(len(part.scores) - 1) for x in counts], NAMES, NAMES.__getitem__, "drop")
    return x, y
