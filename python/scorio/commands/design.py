"""``scorio plan --design`` and ``Evaluation.design``: questions and trials that reach a target, with costs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import arguments, items
from ..analysis.measure import require_models
from ..display.text import number
from ..errors import InvalidInput
from ..items import Reliability
from ..items.design import LARGEST_RHO, LEAST_TARGET
from ..page.columns import aligned
from ..page.document import Column, Document, Table
from ..readers.evaluation import EvaluationData
from . import notes, options
from .base import Result, about_of
from .items import binary_counts
from .notes import by_benchmark, heading

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
    now : mapping of str to Reliability, the reliability that the log itself reaches, in each benchmark
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

    def document(self) -> Document:
        about = self.about
        sentences = notes.of_each(about, self.now, lambda name: _sentences(self, name))
        explanations = [
            "Standard error: of the difference of two models for the population of similar questions. Coefficient: the "
            "squared correlation of the observed means with the true ones. Both rest on variances estimated from this "
            "log."
        ]
        blocks = by_benchmark(about, self.table, _table)
        return Document(heading(about), blocks, sentences, notes.gaps(about), explanations)


def design(
    e: EvaluationData, *, se: float | None = None, coefficient: float | None = None, cost_question: float = 0.0,
    cost_trial: float = 1.0, max_trials: int = 1000,
) -> Designs:  # fmt: skip
    """Find how many questions with 1, 2, 4, ... trials each reach a target, and which design is cheapest.

    Parameters
    ----------
    e : Evaluation, binary outcomes of at least two models
    se : float, optional; target: the standard error of the difference of two models, on similar questions
    coefficient : float, optional
        Target: the reliability of the ranking of the models (default 0.8, where no standard error is stated).
    cost_question, cost_trial : float; prices of a new question, and of a trial of one model
    max_trials : int, most trials per question

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


def _sentences(x: Designs, benchmark: str) -> list[str]:
    now, best = x.now[benchmark], next(r for r in x.table if r.benchmark == benchmark and r.cheapest)
    target = f"a standard error of {x.se:.10g}" if x.se is not None else f"a coefficient of {x.coefficient:.10g}"
    out = [
        f"Cheapest for {target}: {number(best.n_questions, 'question')} of {number(best.n_trials, 'trial')} each, "
        f"{best.cost:,.10g} per model.",
        f"The {now.n_questions:,} questions of {number(round(now.n_trials), 'trial')} in this log: standard error "
        f"{now.se:.3f}, coefficient {now.rho:.3f}.",
    ]
    if now.var_trials is None:
        out.append("All questions have a single trial, so the gain from more trials is unknown.")
    return out


def _table(rows: Sequence[Design]) -> Table:
    columns = [
        Column("questions", [f"{r.n_questions:,}" for r in rows]),
        Column("cost per\nmodel", [f"{r.cost:,.10g}" for r in rows]),
        Column("standard\nerror", aligned(f"{r.se:.4f}" for r in rows)),
        Column("coefficient", aligned(f"{r.rho:.3f}" for r in rows)),
        Column("", ["cheapest" if r.cheapest else "" for r in rows], "left"),
    ]
    return Table([Column("trials per\nquestion", [f"{r.n_trials:,}" for r in rows])], [columns], "Designs")


MEANING = """scorio plan --design: how many questions with 1, 2, 4, ... trials each reach a
target, for the population of similar questions, and which design is
cheapest. The cost is per model: a price for each question, and one for each
trial. Outcomes must be binary.

"""


def add(parser: Any) -> None:
    group = parser.add_argument_group("designs (with --design)")
    add = group.add_argument
    add("--design", action="store_true", help="plan numbers of questions and trials for a target")
    add("--se", type=float, metavar="SE", help="target: standard error of the difference of two models")
    add("--coefficient", type=float, metavar="R",
        help="target: reliability of the ranking of the models (default 0.8, if there is no --se)")  # fmt: skip
    add("--cost-question", type=float, metavar="C", help="price of a new question (default 0)")
    add("--cost-trial", type=float, metavar="C", help="price of a trial of one model (default 1)")
    add("--max-trials", type=int, metavar="N", help="largest number of trials per question (default 1000)")


def run(args: Namespace, read: options.Read) -> Designs:
    return design(read(args), **given(args))


def given(args: Namespace) -> dict[str, Any]:
    """The options of designs that were given."""
    names = ("se", "coefficient", "cost_question", "cost_trial", "max_trials")
    return {name: x for name in names if (x := getattr(args, name)) is not None}
