"""Agreement of the trials of each model with each other, and of the models with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from .. import arguments, eval
from ..errors import InvalidInput
from ..io.evaluation import EvaluationData
from ..outcomes.counts import Counts
from .pairs import aligned
from .records import OPTIONAL
from .result import Result, about_of


@dataclass(frozen=True)
class Row:
    """Agreement of ratings of the same questions.

    Attributes
    ----------
    benchmark : str
    model : str or None
        The model whose trials are the ratings; None: the trials of all models together.
    percent_agreement, fleiss_kappa, ac1, alpha, lo, hi, items, ratings
        As in :class:`scorio.eval.agreement.Agreement`.
    left_out : int
        Questions with fewer than two ratings.
    cohen_kappa : float or None
        Value of :func:`scorio.eval.cohen_kappa` in the row of all models together, if there are two models and each
        rated every question at most once; else None.
    """

    benchmark: str
    model: str | None
    percent_agreement: float
    fleiss_kappa: float | None
    ac1: float | None
    alpha: float | None
    lo: float | None
    hi: float | None
    items: int
    ratings: int
    left_out: int
    cohen_kappa: float | None = field(default=None, metadata={OPTIONAL: True})


@dataclass(frozen=True, kw_only=True)
class Agreements(Result):
    """The agreement of the trials of each model, and of all models together.

    Attributes
    ----------
    table : tuple of Row
        For each benchmark, a row for each model with at least two trials of some question, and a row for all models
        together if there are several and some question has at least two ratings.
    """

    schema: ClassVar[str] = "scorio.agreement/2"
    table: tuple[Row, ...]


def agreement(e: EvaluationData, *, confidence: float = 0.95) -> Agreements:
    """Measure how far ratings of the same questions agree.

    The trials of a model are its ratings, such as the verdicts of a judge in repeated calls; where the models of the
    log are raters, all their ratings of a question are compared too.

    Parameters
    ----------
    e : Evaluation
        Outcomes are ratings, questions are what is rated. If outcomes have scores, Krippendorff's alpha and Cohen's
        kappa weigh a disagreement by the squared difference of the scores.
    confidence : float in (0, 1)
        Nominal coverage of the intervals of Krippendorff's alpha.

    Returns
    -------
    Agreements

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has two ratings.
    """
    confidence = arguments.confidence(confidence)
    rows = [
        row
        for name, models in aligned(e).items()
        for model, counts in _raters(models)
        for row in _row(name, model, counts, e.benchmarks[name].w, confidence, list(models.values()))
    ]
    if not rows:
        reason = "no question has two ratings: agreement needs two raters, or two trials"
        raise InvalidInput("no_trials", "logs", reason)
    return Agreements(about=about_of(e, confidence=confidence), table=tuple(rows))


def _raters(models: dict[str, Counts]) -> list[tuple[str | None, Counts]]:
    """Counts of each model, and the sum of the counts of all models where there are several."""
    pooled = [(None, sum(models.values(), 0))] if len(models) > 1 else []
    return [*models.items(), *pooled]  # type: ignore[list-item]


def _row(
    name: str, model: str | None, counts: Counts, w: Sequence[float] | None, confidence: float, raters: list[Counts]
) -> list[Row]:
    """One row with the coefficients of these ratings; no row if no question has two ratings."""
    if counts.trials.max() < 2:
        return []
    result = eval.agreement(counts, w, confidence=confidence)
    kappa = None if model else _cohen_kappa(raters, w)
    # result[:8]: percent_agreement to ratings, which Row has in the order of eval.agreement.Agreement
    return [Row(name, model, *result[:8], left_out=len(result.dropped), cohen_kappa=kappa)]


def _cohen_kappa(raters: list[Counts], w: Sequence[float] | None) -> float | None:
    """Cohen's kappa of two raters; None if there are not two, or if one rated a question more than once."""
    if len(raters) != 2 or any(counts.trials.max() > 1 for counts in raters):
        return None
    ratings = [np.where(counts.trials == 1, counts.table.argmax(axis=1), np.nan) for counts in raters]
    return eval.cohen_kappa(np.column_stack(ratings), w, missing="drop")
