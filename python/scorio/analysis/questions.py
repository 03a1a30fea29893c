"""Averages of models on the questions of a benchmark: which questions are hard, and what they measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import items
from ..errors import InvalidInput
from ..items.reliability import Reliability, present_and_larger_designs
from ..readers.evaluation import Benchmark

FDR = 0.1  # false-discovery rate of suspects
MIN_MODELS_FOR_QUARTILES = 5  # with fewer models the range of a question is that of all models, not of the middle half


@dataclass(frozen=True)
class Question:
    """Averages of the models on a question, each over the trials of one model.

    Attributes
    ----------
    name : str
    mean : float; mean of the averages of the models
    low, high : float
        First and third quartile of the averages; the lowest and the highest average if fewer than five models are
        analysed.
    models : int; number of models with a trial of the question
    solved : {"never", "always", "mixed"}
        "never" if every trial of every model got the lowest score, "always" if each got the highest, else "mixed".
    lowest, highest : float; lowest and highest of the averages of the models
    deviation : float
        Standard deviation of the averages of the models (divisor: the number of these models, not one less).
    """

    name: str
    mean: float
    low: float
    high: float
    models: int
    solved: str
    lowest: float
    highest: float
    deviation: float


@dataclass(frozen=True)
class QuestionTable:
    """The questions of a benchmark that have a trial, hardest first.

    Attributes
    ----------
    models : tuple of str; models in the order of the rows of values
    values : ndarray, shape (L, M)
        Average of each model on each question, in the order of table; NaN where it has no trial of the question.
    table : tuple of Question
    scores : tuple of float; score of each category
    """

    models: tuple[str, ...]
    values: npt.NDArray[np.float64]
    table: tuple[Question, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class ItemAnalysis:
    """Discrimination of the questions of a benchmark, and reliability of its ranking.

    Attributes
    ----------
    names : tuple of str; all questions of the benchmark, indexed by the field question of an item
    items : tuple of Item; empty with fewer than three models
    designs : tuple of Reliability
        Reliability of the ranking as it is, with 2 and 4 times the trials (if a question has two trials), and with 2
        and 4 times the questions.
    reason : str; why items or designs are missing, unless there are too few models for them
    """

    names: tuple[str, ...] = ()
    items: tuple[items.Item, ...] = ()
    designs: tuple[Reliability, ...] = ()
    reason: str = ""


def questions(part: Benchmark, models: Sequence[str] | None = None) -> QuestionTable:
    """Averages of every model on every question that has a trial, hardest first; an error if there is no trial.

    models: the models to average over, in the order of the rows of the result; default: all models of the benchmark.
    """
    names, counts = all_ids(part), part.aligned()
    order = list(counts) if models is None else list(models)
    w = np.asarray(part.scores)
    trials = np.stack([counts[m].trials for m in order])

    def sums(of_category: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        cells = (counts[m].cells for m in order)
        sizes = trials.shape[1]
        return np.stack([np.bincount(x.question, of_category[x.category] * x.times, sizes) for x in cells])

    answered = np.flatnonzero(trials.any(axis=0))
    if not answered.size:
        raise InvalidInput("no_trials", "models", "no question of models has a trial")
    trials = trials[:, answered]
    values = np.where(trials > 0, sums(w)[:, answered] / np.maximum(trials, 1), np.nan)
    n_models, total = (trials > 0).sum(axis=0), trials.sum(axis=0)
    n_lowest, n_highest = (sums(w == end)[:, answered].sum(axis=0) for end in (w.min(), w.max()))
    solved = np.where(n_lowest == total, "never", np.where(n_highest == total, "always", "mixed"))
    lowest, highest = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    middle = (
        (lowest, highest)
        if len(order) < MIN_MODELS_FOR_QUARTILES
        else (_quantile(values, n_models, x) for x in (0.25, 0.75))
    )
    columns = [np.nanmean(values, axis=0), *middle, n_models, solved, lowest, highest, np.nanstd(values, axis=0)]
    hardest = np.argsort(columns[0], kind="stable")
    rows = zip((names[i] for i in answered[hardest].tolist()), *(x[hardest].tolist() for x in columns), strict=True)
    return QuestionTable(tuple(order), values[:, hardest], tuple(Question(*x) for x in rows), part.scores)


def _quantile(values: npt.NDArray[np.float64], n: npt.NDArray[np.int64], share: float) -> npt.NDArray[np.float64]:
    """Quantile over the first axis of the n values that are not NaN, by linear interpolation."""
    position = share * (n - 1)
    ordered, below = np.sort(values, axis=0), np.floor(position).astype(np.int64)  # NaN is sorted last
    low, high = (np.take_along_axis(ordered, x[None], 0)[0] for x in (below, np.minimum(below + 1, n - 1)))
    out: npt.NDArray[np.float64] = low + (position - below) * (high - low)
    return out


def analyse_items(part: Benchmark, confidence: float) -> ItemAnalysis:
    """Find suspect and dead questions (with three models or more), and how reliable the ranking is (with two or more).

    For binary outcomes only; :func:`scorio.items.items` defines suspect and dead. Fields that cannot be computed are
    empty; ``reason`` says why, unless there are too few models.
    """
    if len(part.logs) < 2:
        return ItemAnalysis()
    if part.w is not None:
        return ItemAnalysis(reason="questions are analysed for binary outcomes only")
    names, models = all_ids(part), part.aligned()
    results: list[items.Item] = []
    try:
        if len(models) > 2:
            results = items.items(models, fdr=FDR, confidence=confidence)
        return ItemAnalysis(tuple(names), tuple(results), tuple(present_and_larger_designs(models, confidence)))
    except InvalidInput as error:
        return ItemAnalysis(tuple(names), tuple(results), (), str(error))


def all_ids(part: Benchmark) -> list[str]:
    """Ids of the questions of any model, in the order of the log."""
    return list(dict.fromkeys(q for log in part.logs.values() for q in log.ids))
