"""Certificate: how many missing outcomes and wrong answer keys the order of two models survives."""

from __future__ import annotations

from collections.abc import Sequence

from ..arithmetic.double_double import over_common_denominator
from ..errors import InvalidInput
from ..metrics.metric import read_metric
from ..outcomes.identity import paired
from ..readers.evaluation import Benchmark, EvaluationData
from ..sinf.compare import NAMES, Certificate, Pair, certificate_of


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
