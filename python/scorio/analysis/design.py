"""Designs: numbers of questions and trials that reach a target, with their costs, in each benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import arguments, items
from ..errors import InvalidInput
from ..io.evaluation import EvaluationData
from ..items import Reliability
from ..items.design import LARGEST_RHO, LEAST_TARGET
from .items import binary_counts
from .measure import require_models
from .result import Result, about_of

COEFFICIENT = 0.8  # the target reliability where no target is stated


@dataclass(frozen=True)
class Design:
    """A number of questions and of trials of each; the fields are those of :class:`scorio.items.Design`."""

    benchmark: str
    n_questions: int
    n_trials: int
    cost: float
    se: float
    rho: float
    cheapest: bool


@dataclass(frozen=True, kw_only=True)
class Designs(Result):
    """Designs that reach a target: numbers of questions and trials.

    Attributes
    ----------
    table : tuple of Design
    now : mapping of str to Reliability
        The reliability that the log itself reaches, in each benchmark.
    se, coefficient : float or None
        The target: a standard error of a difference, or a reliability of the ranking; the other one is None.
    cost_question, cost_trial, max_trials
        The arguments of the analysis.
    """

    schema: ClassVar[str] = "scorio.design/2"
    table: tuple[Design, ...]
    now: Mapping[str, Reliability]
    se: float | None
    coefficient: float | None
    cost_question: float
    cost_trial: float
    max_trials: int


def design(
    e: EvaluationData,
    *,
    se: float | None = None,
    coefficient: float | None = None,
    cost_question: float = 0.0,
    cost_trial: float = 1.0,
    max_trials: int = 1000,
) -> Designs:
    """Find how many questions with 1, 2, 4, ... trials each reach a target, and which design is cheapest.

    Parameters
    ----------
    e : Evaluation
        Binary outcomes of at least two models.
    se : float, optional
        Target: the standard error of the difference of two models, on similar questions.
    coefficient : float, optional
        Target: the reliability of the ranking of the models (default 0.8, where no standard error is stated).
    cost_question, cost_trial : float
        Prices of a new question, and of a trial of one model.
    max_trials : int
        Most trials per question.

    Returns
    -------
    Designs

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.items.design`; conflict: both targets, or outcomes that are not binary; shape: fewer
        than two models.
    """
    require_models(e, 2)
    if se is not None and coefficient is not None:
        raise InvalidInput("conflict", "coefficient", "state one target, se or coefficient, not both")
    if coefficient is not None:
        arguments.within(coefficient, "coefficient", LEAST_TARGET, LARGEST_RHO)
    rho = COEFFICIENT if coefficient is None and se is None else coefficient
    prices: dict[str, Any] = {"cost_question": cost_question, "cost_trial": cost_trial, "max_trials": max_trials}
    counts = {name: models for name, (models, _) in binary_counts(e).items()}
    rows = [Design(name, *x) for name, models in counts.items() for x in items.design(models, se=se, rho=rho, **prices)]
    now = {name: items.reliability(models) for name, models in counts.items()}
    return Designs(about=about_of(e), table=tuple(rows), now=now, se=se, coefficient=rho, **prices)
