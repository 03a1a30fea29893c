"""What the order of two models survives: missing outcomes of their logs, and wrong answer keys."""

from __future__ import annotations

from ..io.evaluation import EvaluationData
from ..sinf.certificate import Certificate
from ..sinf.certificate import certificate as certificate_of_counts


def certificate(e: EvaluationData, a: str, b: str) -> Certificate | None:
    """The certificate of two models on the questions that both answered; None of several benchmarks."""
    if len(e.benchmarks) > 1:
        return None
    part, dropped = e.benchmark(), isinstance(e.provenance.missing, str)  # else they were counted as a category
    x, y = (log.planned() if dropped else log.counts for log in (part.logs[a], part.logs[b]))
    return certificate_of_counts(x, y, part.weights, missing="drop")
