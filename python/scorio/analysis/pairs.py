"""Every pair of models, in each benchmark and over all of them: compared once, for all who need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from .. import sinf
from ..errors import InvalidInput
from ..inference.multiplicity import holm_doubles
from ..io.evaluation import EvaluationData
from ..sinf.suite import SuitePair
from .measure import Request


@dataclass(frozen=True)
class Pairs:
    """All pairs of models, in the order (0, 1), (0, 2), ..., (1, 2), ...

    Attributes
    ----------
    overall : tuple of SuitePair
        Over all benchmarks; adjusted for the number of pairs. Empty where scales differ.
    each : tuple of SuitePair
        In each benchmark; adjusted for the number of these.
    ranges : mapping of str to (int, int)
        The best and the worst rank that each model may have, overall.
    """

    overall: tuple[SuitePair, ...]
    each: tuple[SuitePair, ...]
    ranges: Mapping[str, tuple[int, int]]


def compare_pairs(e: EvaluationData, request: Request, correction: str | None = "holm") -> Pairs:
    """Every pair, on the questions that both answered. Pairs that share none are left out."""
    if not e.comparable:
        each = [y for name in e.benchmarks for y in compare_pairs(e.select(benchmarks=name), request, None).each]
        return Pairs((), tuple(_adjusted(each, request, correction)), {})
    on_one = e.on_one_scale()
    try:
        x = _suite(on_one, request, correction)
    except InvalidInput as error:
        if error.argument not in ("models", "benchmarks") or len(e.models) < 3:
            raise
        return _one_by_one(on_one, request, correction)
    return Pairs(tuple(x.pairs), tuple(x.each), {m.model: (m.best, m.worst) for m in x.models})


def _one_by_one(e: EvaluationData, request: Request, correction: str | None) -> Pairs:
    """Each pair by itself, where not all can be compared; intervals cover those of all pairs at once."""
    pairs = list(combinations(e.models, 2))
    level = (1.0 - request.confidence) / (len(pairs) if correction else 1)
    overall: list[SuitePair] = []
    each: list[SuitePair] = []
    for pair in pairs:
        try:
            x = _suite(e.select(pair), replace(request, confidence=1.0 - level), None)
        except InvalidInput:
            continue
        overall, each = [*overall, *x.pairs], [*each, *x.each]
    overall = _adjusted(overall, request, correction)
    better = [(x.a, x.b) if x.mu > 0 else (x.b, x.a) for x in overall if x.significant]
    ranges = {m: (1 + sum(m == b for _, b in better), len(e.models) - sum(m == a for a, _ in better)) for m in e.models}
    return Pairs(tuple(overall), tuple(_adjusted(each, request, correction)), ranges)


def _adjusted(pairs: Sequence[SuitePair], request: Request, correction: str | None) -> list[SuitePair]:
    """The pairs with p-values that are adjusted for their number."""
    p = [x.p_value for x in pairs]
    decided = zip(pairs, holm_doubles(p) if correction else p, strict=True)
    return [x._replace(p_adjusted=q, significant=q <= 1.0 - request.confidence) for x, q in decided]


def _suite(e: EvaluationData, request: Request, correction: str | None) -> sinf.Suite:
    """The comparison of all models over benchmarks on one scale."""
    part = next(iter(e.benchmarks.values()))
    how: dict[str, Any] = {"k": request.k, "tau": request.tau, "correction": correction, **request.target}
    return sinf.suite(aligned(e), request.name_in(part), w=part.weights, clusters=clusters(e, request), **how)


def aligned(e: EvaluationData) -> dict[str, dict[str, Any]]:
    """The counts of each model on all questions of each benchmark, in one order; no trial where it answered none."""
    from ..io.alignment import aligned as on_all_questions

    return {name: on_all_questions(part.logs) for name, part in e.benchmarks.items()}


def clusters(e: EvaluationData, request: Request) -> dict[str, list[str]] | None:
    """The clusters of the questions of each benchmark that names them, where questions are sampled."""
    from ..io.alignment import clusters_of

    if request.questions != "sampled":
        return None
    labels = {name: clusters_of(part.logs) for name, part in e.benchmarks.items()}
    return {name: x for name, x in labels.items() if x is not None} or None
