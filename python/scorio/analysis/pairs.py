"""Every pair of models, in each benchmark and over all of them: compared once, for all who need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import sinf
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
    """Every pair, on the questions that both answered."""
    asked: dict[str, Any] = {"k": request.k, "tau": request.tau, "correction": correction, **request.target}
    if e.comparable:
        x = _suite(e.on_one_scale(), request, asked)
        return Pairs(tuple(x.pairs), tuple(x.each), {m.model: (m.best, m.worst) for m in x.models})
    each = [y for name in e.benchmarks for y in _suite(e.select(benchmarks=name), request, asked).each]
    p = holm_doubles([x.p_value for x in each]) if correction else [x.p_value for x in each]
    level = 1.0 - request.confidence
    adjusted = [x._replace(p_adjusted=q, significant=q <= level) for x, q in zip(each, p, strict=True)]
    return Pairs((), tuple(adjusted), {})


def _suite(e: EvaluationData, request: Request, asked: Mapping[str, Any]) -> sinf.Suite:
    """The comparison of all models over benchmarks on one scale."""
    part = next(iter(e.benchmarks.values()))
    return sinf.suite(aligned(e), request.name_in(part), w=part.weights, clusters=clusters(e, request), **asked)


def aligned(e: EvaluationData) -> dict[str, dict[str, Any]]:
    """The counts of each model on all questions of each benchmark, in one order; no trial where it answered none."""
    return {name: part.aligned() for name, part in e.benchmarks.items()}


def clusters(e: EvaluationData, request: Request) -> dict[str, list[str]] | None:
    """The clusters of the questions of each benchmark that names them, where questions are sampled."""
    if request.questions != "sampled":
        return None
    labels = {name: part.clusters() for name, part in e.benchmarks.items()}
    return {name: x for name, x in labels.items() if x is not None} or None
