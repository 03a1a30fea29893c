"""Correction of a judge by human labels: the mean human score of every model, in each benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .. import arguments, eval, sinf
from ..choices import JudgeTarget
from ..errors import InvalidInput
from ..io.evaluation import Benchmark, EvaluationData
from ..results import JudgedInterval, VarianceSource
from .labels import Array, Labelled, Labels, outcomes_of, read_labels
from .records import KEY
from .result import Result, TargetOrNone, about_of

PLANNED = 0.375  # default half width to plan for, as a share of the present width: 3/4 of the present half width


@dataclass(frozen=True)
class Row:
    """Mean human score of a model in a benchmark.

    Attributes
    ----------
    benchmark, model : str
    verdicts : float or None
        The mean of the verdicts; None unless they are on the scale of the labels.
    mu, sigma, lo, hi, n_eff, variance_source
        As in :class:`scorio.results.JudgedInterval`.
    labels, outputs : int
        Number of labels, and number of outputs.
    half_width : float or None
        The half width that is planned for; None if there is no plan, as where the target is exactly these outputs.
    labels_needed : int or None
        Total number of labels, of random outputs, for this half width; None if there is no plan, or if labels of all
        outputs are not enough.
    p_lean, z_lean, p_spread : float or None
        Checks that random outputs were labelled, as in :class:`scorio.results.LabelCheck`: whether, within a verdict,
        the labels lean towards outputs of easier (z > 0) or harder questions, and whether they are on too few
        questions. A small p-value is a warning.
    """

    benchmark: str
    model: str
    verdicts: float | None
    mu: float
    sigma: float
    lo: float
    hi: float
    n_eff: float
    labels: int
    outputs: int
    half_width: float | None
    labels_needed: int | None
    p_lean: float | None
    z_lean: float | None
    p_spread: float | None
    variance_source: VarianceSource


@dataclass(frozen=True)
class Verdict:
    """Number of outputs of a model with one verdict, and the mean human score of the labelled ones."""

    benchmark: str
    model: str
    verdict: int
    outputs: int
    labels: int
    mean: float | None


@dataclass(frozen=True)
class Difference:
    """The difference of two models in the mean human score."""

    benchmark: str
    a: str
    b: str
    mu: float
    lo: float
    hi: float
    significant: bool


@dataclass(frozen=True, kw_only=True)
class Judgement(Result):
    """Mean human scores, from the verdicts of a judge and human labels.

    Attributes
    ----------
    table : tuple of Row
        The models that have labels.
    each : tuple of Verdict
    differences : tuple of Difference
        The difference in each benchmark in which exactly two models have labels.
    scores : mapping of str to tuple of float
        The score of each category of labels, in each benchmark.
    without : tuple of (str, str)
        Benchmarks and models without a label.
    """

    schema: ClassVar[str] = "scorio.judge/3"
    table: tuple[Row, ...]
    each: tuple[Verdict, ...]
    differences: tuple[Difference, ...]
    scores: Mapping[str, tuple[float, ...]] = field(metadata={KEY: "label_weights"})
    without: tuple[tuple[str, str], ...]

    def too_few_labels(self, row: Row) -> bool:
        """Whether fewer than one label is expected to differ from the end of the scale that the mean is near."""
        low, high = min(self.scores[row.benchmark]), max(self.scores[row.benchmark])
        return row.labels * min(row.mu - low, high - row.mu) < high - low


def judge(
    e: EvaluationData,
    labels: Labels,
    *,
    label_scale: Sequence[float] | None = None,
    half_width: float | None = None,
    questions: JudgeTarget = "fixed",
    confidence: float = 0.95,
) -> Judgement:
    """Correct the verdicts of a judge by human labels of some outputs.

    Parameters
    ----------
    e : Evaluation
        Read with ``trials=True``: the verdicts of a judge on every output.
    labels : path, or iterable of mappings
        Columns question, trial (1, 2, ... in the order of the log) and label; model and task where there are several.
    label_scale : (float, float), optional
        Lowest and highest score of a label. Default: 0 and 1 where all labels are between them, else the lowest and
        the highest label.
    half_width : float, optional
        Plan labels for an interval of this half width. Default: three quarters of the present one.
    questions : {"fixed", "sampled", "outputs"}
        Target of the mean human score: these questions, similar questions, or exactly these outputs.
    confidence : float in (0, 1)
        Nominal coverage of the intervals.

    Returns
    -------
    Judgement

    Raises
    ------
    InvalidInput
        An argument is invalid; format, choice, duplicate, empty: the labels are invalid; conflict: the log
        does not have the verdict of each output.
    """
    target_name: TargetOrNone = arguments.choice(questions, "questions", ("fixed", "sampled", "outputs"))
    target = {"questions": target_name, "confidence": arguments.confidence(confidence)}
    for part in e.benchmarks.values():
        for model in part.logs:
            outcomes_of(part, model)
    by_benchmark = read_labels(e, labels, label_scale)
    rows, verdicts, differences = list[Row](), list[Verdict](), list[Difference]()
    for name, labelled in by_benchmark.items():
        part = e.benchmarks[name]
        for model in labelled.categories:
            row, by_verdict = _corrected(part, model, labelled, half_width, target)
            rows.append(row)
            verdicts += by_verdict
        if len(labelled.categories) == 2:
            differences.append(_difference(part, labelled, target))
    without = [(name, m) for name, part in e.benchmarks.items() for m in part.logs
               if name not in by_benchmark or m not in by_benchmark[name].categories]  # fmt: skip
    return Judgement(
        about=about_of(e, target_name, confidence), table=tuple(rows), each=tuple(verdicts),
        differences=tuple(differences),
        scores={name: labelled.scores for name, labelled in by_benchmark.items()}, without=tuple(without),
    )  # fmt: skip


def _corrected(
    part: Benchmark, model: str, labelled: Labelled, half_width: float | None, target: dict[str, Any]
) -> tuple[Row, list[Verdict]]:
    """Row of a model, and the statistics of each of its verdicts."""
    verdicts, labels, w = _verdicts(part, model), labelled.categories[model], labelled.scores
    judged = eval.judged(verdicts, labels, w, missing="drop", **target)
    check = eval.label_check(verdicts, labels, missing="drop")
    on_scale = (w[0], w[-1]) == part.scale
    # only the mean is used, which does not depend on the target
    mean = eval.mean_ci(part.answered(model).counts, part.w, questions="sampled").mu if on_scale else None
    planned_half_width, labels_needed = _planned(judged, w[-1] - w[0], half_width, target)
    row = Row(
        part.name, model, mean, judged.mu, judged.sigma, judged.lo, judged.hi, judged.n_eff,
        sum(judged.labels), sum(judged.outputs), planned_half_width, labels_needed, check.p_lean,
        check.z_lean, check.p_spread, judged.variance_source,
    )  # fmt: skip
    tallies = zip(judged.verdicts, judged.outputs, judged.labels, judged.means, strict=True)
    return row, [Verdict(part.name, model, *y) for y in tallies]


def _verdicts(part: Benchmark, model: str) -> Array:
    """Verdicts of a model as categories, NaN where one is missing."""
    outcomes = outcomes_of(part, model)
    return np.where(outcomes < 0, np.nan, outcomes)


def _difference(part: Benchmark, labelled: Labelled, target: dict[str, Any]) -> Difference:
    (a, A), (b, B) = labelled.categories.items()
    comparison = sinf.compare_judged(
        _verdicts(part, a), _verdicts(part, b), A, B, labelled.scores, missing="drop", **target
    )
    return Difference(part.name, a, b, comparison.mu, comparison.lo, comparison.hi, comparison.significant)


def _planned(
    judged: JudgedInterval, span: float, half_width: float | None, target: dict[str, Any]
) -> tuple[float | None, int | None]:
    """Half width to plan for, and the number of labels that it needs, as in Row."""
    if target["questions"] == "outputs":
        if half_width is not None:
            reason = "half_width applies to fixed and sampled questions, not to exactly these outputs"
            raise InvalidInput("conflict", "half_width", reason)
        return None, None
    half = PLANNED * (judged.hi - judged.lo) if half_width is None else arguments.real(half_width, "half_width")
    if span == 0 or (half <= 0 and half_width is None):
        return None, None
    if not 0 < half < span / 2:
        reason = f"half_width = {half:.10g} is not strictly between 0 and {span / 2:.10g}, half of the scale of labels"
        raise InvalidInput("range", "half_width", reason)
    plan = sinf.labels_needed(judged.outputs, judged.expected, half_width=half / span, confidence=target["confidence"])
    return half, plan.labels
