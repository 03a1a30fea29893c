"""Ends of an interval as aggregations of lm-evaluation-harness, for the metrics of a task.

A file beside the task's YAML, such as ``scorio_ci.py``, has the line ``from scorio.plugins.lm_eval import hi, lo``. The
YAML then has ``aggregation: !function scorio_ci.lo`` for a further metric whose values are the documents' outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..eval import interval
from ..outcomes.counts import Counts
from ..results import MetricInterval


def lo(outcomes: Sequence[float]) -> float:
    """Lower end of the 95% interval of the mean, on similar documents."""
    return _interval(outcomes).lo


def hi(outcomes: Sequence[float]) -> float:
    """Upper end of the 95% interval of the mean, on similar documents."""
    return _interval(outcomes).hi


def _interval(outcomes: Sequence[float]) -> MetricInterval:
    """The interval of the mean of scores from 0 to 1, one for each document."""
    values = [float(x) for x in outcomes]
    w = sorted({0.0, 1.0, *values})
    return interval(Counts([[int(x == y) for y in w] for x in values]), "mean", w=w, questions="sampled")
