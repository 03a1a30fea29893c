"""Analysis of questions: their difficulty and discrimination, and the reliability of the ranking, in each benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from .. import arguments
from .. import items as item_analysis
from ..errors import InvalidInput
from ..io.evaluation import Benchmark, EvaluationData
from ..items import Item, Reliability
from ..items.cells import answered_by_all, build_cells
from ..items.items import rate_bound
from ..outcomes.counts import Counts
from .measure import naming_benchmark
from .pairs import aligned
from .records import HIDDEN
from .result import Result, about_of

MIN_MODELS = 3  # with fewer models only the difficulty of the questions, and which are dead, is reported


@dataclass(frozen=True)
class Question:
    """A question that all models answered; the fields are those of :class:`scorio.items.Item`.

    The fields from covariance to p_adjusted are None with fewer than three models.

    Attributes
    ----------
    benchmark : str
    question : str
        Id of the question in the log.
    status : str
        "suspect", "always solved", "never solved" or "".
    """

    benchmark: str
    question: str
    mean: float
    dead: bool
    bound: float | None
    covariance: float | None
    expected: float | None
    discrimination: float | None
    p_value: float | None
    p_adjusted: float | None
    suspect: bool
    status: str


@dataclass(frozen=True, kw_only=True)
class Questions(Result):
    """The difficulty and the discrimination of the questions that all models answered.

    Attributes
    ----------
    table : tuple of Question
        Questions by benchmark: suspects, dead questions (on which all trials of all models succeeded, or all failed),
        then the others, the least covariance first. With fewer than three models: dead questions, then the others, the
        hardest first.
    reliability : mapping of str to Reliability
        How reliable the ranking is, in each benchmark of at least three models.
    left_out : mapping of str to int
        Number of questions of each benchmark that not all models answered.
    fdr : float
        False-discovery rate of the suspects.
    most : int
        Largest number of questions of a benchmark that are shown.
    """

    schema: ClassVar[str] = "scorio.items/3"
    table: tuple[Question, ...]
    reliability: Mapping[str, Reliability]
    left_out: Mapping[str, int]
    fdr: float
    most: int = field(metadata={HIDDEN: True})


def items(e: EvaluationData, *, fdr: float = 0.1, confidence: float = 0.95, most: int = 20) -> Questions:
    """Analyse what each question measures, and how reliable the ranking is.

    Parameters
    ----------
    e : Evaluation
        Binary outcomes. One or two models give difficulty and dead questions only; three or more give everything.
    fdr : float in (0, 1)
        False-discovery rate: expected share of sound questions among the suspects.
    confidence : float in (0, 1)
        Nominal coverage of the interval of the reliability, and of the bound on the success rate of a dead question.
    most : int
        Largest number of questions of a benchmark that are shown; the result has all.

    Returns
    -------
    Questions

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question that all models answered; shape: only one such question, with
        three models or more; conflict: outcomes are not binary.
    """
    confidence, most = arguments.confidence(confidence), arguments.integer(most, "most", 1)
    fdr = arguments.confidence(fdr, name="fdr")
    table, reliability, left_out = list[Question](), dict[str, Reliability](), dict[str, int]()
    for name, (models, ids) in binary_counts(e).items():
        if len(models) < MIN_MODELS:
            difficulties = _difficulties(models, confidence)
            left_out[name] = len(ids) - len(difficulties)
            table += [Question(name, ids[index], *row) for index, row in difficulties]
            continue
        with naming_benchmark(e.benchmarks[name]):
            rows = item_analysis.items(models, fdr=fdr, confidence=confidence)
            reliability[name] = item_analysis.reliability(models, confidence=confidence)
        left_out[name] = len(ids) - len(rows)
        table += [Question(name, ids[x.question], *x[1:], status(x)) for x in sorted(rows, key=_sort_key)]
    about = about_of(e, confidence=confidence)
    return Questions(about=about, table=tuple(table), reliability=reliability, left_out=left_out, fdr=fdr, most=most)


def _difficulties(models: Mapping[str, Counts], confidence: float) -> list[tuple[int, tuple[Any, ...]]]:
    """Index and fields of each question that all models answered: dead questions first, then the most difficult."""
    # category_counts begins with category 1: its first column has the successes
    n, c = (np.stack(x) for x in zip(*((m.trials, m.category_counts[:, 0]) for m in models.values()), strict=True))
    x, indices = answered_by_all(build_cells(n, c))
    rows = []
    for j, index in enumerate(indices):
        pairs = list(zip(x.c[:, j].tolist(), x.n[:, j].tolist(), strict=True))
        trials, dead = sum(n for _, n in pairs), all(c == 0 for c, _ in pairs) or all(c == n for c, n in pairs)
        mean = float(sum((Fraction(c, n) for c, n in pairs), Fraction(0)) / len(pairs))
        label = ("always solved" if mean else "never solved") if dead else ""
        bound = rate_bound(confidence, trials) if dead else None
        # the fields of Question from mean to status; those from covariance to p_adjusted are None
        rows.append((index, (mean, dead, bound, None, None, None, None, None, False, label)))
    return sorted(rows, key=lambda y: (not y[1][1], y[1][0], y[0]))  # by dead, mean, index


def binary_counts(e: EvaluationData) -> dict[str, tuple[Mapping[str, Counts], list[str]]]:
    """Counts of every model on all questions of each benchmark, and the questions' ids; for binary outcomes only."""
    if any(part.w is not None for part in e.benchmarks.values()):
        raise InvalidInput("conflict", "w", "the outcomes are scores of categories", "binary_only")
    counts = aligned(e)
    return {name: (counts[name], all_ids(part)) for name, part in e.benchmarks.items()}


def all_ids(part: Benchmark) -> list[str]:
    """Ids of the questions of any model, in the order of the log."""
    return list(dict.fromkeys(q for log in part.logs.values() for q in log.ids))


def status(x: Item) -> str:
    """Status of a question: suspect, always solved, never solved, or empty."""
    if x.suspect:
        return "suspect"
    if x.dead:
        return "always solved" if x.mean else "never solved"
    return ""


def _sort_key(x: Item) -> tuple[bool, bool, float, int]:
    """Sort key of questions: suspects, then dead ones, then the others; in each, the least covariance first."""
    return not x.suspect, not x.dead, x.covariance, x.question
