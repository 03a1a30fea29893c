"""What the order of two models survives: missing outcomes of their logs, and wrong answer keys."""

from __future__ import annotations

from ..io.evaluation import EvaluationData
from ..io.logs import Log
from ..outcomes.counts import Counts
from ..sinf.certificate import Certificate
from ..sinf.certificate import certificate as certificate_of_counts


def certificate(e: EvaluationData, a: str, b: str) -> Certificate | None:
    """The certificate of two models on the questions that both answered; None of several benchmarks."""
    if len(e.benchmarks) > 1:
        return None
    part, dropped = e.benchmark(), isinstance(e.provenance.missing, str)
    x, y = (_with_absent(part.logs[m], dropped) for m in (a, b))
    return certificate_of_counts(x, y, part.weights, missing="drop")


def _with_absent(log: Log, dropped: bool) -> Counts:
    """The counts of a log with all outcomes that it does not contain, unless these were counted as a category."""
    counts = log.counts
    if log.lacking is None or not dropped:
        return counts
    return Counts._of(counts.above, counts.trials, log.lacking)._labelled(counts.ids, counts.clusters)
