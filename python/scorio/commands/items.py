"""``scorio items`` and ``Evaluation.items``: what each question measures, and how reliable the ranking is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import ClassVar

import numpy as np

from .. import arguments
from .. import items as item_analysis
from ..analysis.measure import naming_benchmark
from ..analysis.pairs import aligned
from ..analysis.questions import all_ids
from ..display.terms import interval, level
from ..display.text import listed, number
from ..errors import InvalidInput
from ..items import Item, Reliability
from ..items.items import answered_by_all, build_cells, rate_bound
from ..outcomes.counts import Counts
from ..page.columns import aligned as aligned_numbers
from ..page.columns import names_column
from ..page.document import Block, Column, Document, Lines, Table
from ..readers.evaluation import EvaluationData
from ..readers.values import question_name
from . import notes, options
from .base import HIDDEN, Result, about_of
from .notes import benchmarks, by_benchmark, heading, with_benchmark_name

MIN_MODELS = 3  # with fewer models only the difficulty of the questions, and which are dead, is reported
MEANINGS = (
    "discrimination: correlation of a question with the success rate on the other questions, without trial-to-trial "
    "variance (so an estimate may be below -1 or above 1; it is blank where that variance is unknown, or explains all "
    "differences of the models); covariance: that with the same rate; expected: the covariance at this difficulty "
    "if all questions discriminated alike; p: probability of a covariance at least as far below the expected one, "
    "adjusted by Benjamini-Hochberg.",
)
NEEDS_THREE_MODELS = "Suspect questions and the reliability of the ranking need three models or more."


@dataclass(frozen=True)
class Question:
    """A question that all models answered; the fields are those of :class:`scorio.items.Item`.

    The fields from covariance to p_adjusted are None with fewer than three models.

    Attributes
    ----------
    benchmark : str
    question : str, id of the question in the log
    status : str, "suspect", "always solved", "never solved" or ""
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
    reliability : mapping of str to Reliability, how reliable the ranking is, in each benchmark of at least three models
    left_out : mapping of str to int, number of questions of each benchmark that not all models answered
    fdr : float, false-discovery rate of the suspects
    top : int, largest number of questions of a benchmark that are shown
    """

    schema: ClassVar[str] = "scorio.items/3"
    table: tuple[Question, ...]
    reliability: Mapping[str, Reliability]
    left_out: Mapping[str, int]
    fdr: float
    top: int = field(metadata={HIDDEN: True})

    def document(self) -> Document:
        about = self.about
        sentences, doubts, blocks = list[str](), list[str](), list[Block]()
        for name in about.benchmarks:
            rows = [row for row in self.table if row.benchmark == name]
            lines = dead_sentences(rows)
            if name in self.reliability:
                lines = question_sentences(rows, self.fdr)
                lines += ranking_sentences(self.reliability[name], about.confidence)
            sentences += with_benchmark_name(about, name, lines)
            if n_left := self.left_out[name]:
                sentence = [f"Left out, because not all models answered: {number(n_left, 'question')}."]
                doubts += with_benchmark_name(about, name, sentence)
            blocks += by_benchmark(about, rows[: self.top], _table)
            if len(rows) > self.top:
                more = number(len(rows) - self.top, "more question")
                blocks.append(Lines([f"... and {more}: --top {len(rows)} lists all"]))
        if len(self.reliability) < len(about.benchmarks):
            doubts.append(NEEDS_THREE_MODELS)
        head = heading(about, benchmarks(about) or number(len(self.table), "question"))
        return Document(head, blocks, sentences, [*doubts, *notes.gaps(about)], MEANINGS)


def items(e: EvaluationData, *, fdr: float = 0.1, confidence: float = 0.95, top: int = 20) -> Questions:
    """Analyse what each question measures, and how reliable the ranking is.

    Parameters
    ----------
    e : Evaluation
        Binary outcomes. One or two models give difficulty and dead questions only; three or more give everything.
    fdr : float in (0, 1); false-discovery rate: expected share of sound questions among the suspects
    confidence : float in (0, 1)
        Nominal coverage of the interval of the reliability, and of the bound on the success rate of a dead question.
    top : int, largest number of questions of a benchmark that are shown; the result has all

    Returns
    -------
    Questions

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question that all models answered; shape: only one such question, with
        three models or more; conflict: outcomes are not binary.
    """
    confidence, top = arguments.confidence(confidence), arguments.integer(top, "top", 1)
    fdr = arguments.confidence(fdr, name="fdr")
    table, reliability, left_out = list[Question](), dict[str, Reliability](), dict[str, int]()
    for name, (models, ids) in binary_counts(e).items():
        if len(models) < MIN_MODELS:
            rows_of_few = _difficulties(name, models, ids, confidence)
            left_out[name] = len(ids) - len(rows_of_few)
            table += rows_of_few
            continue
        with naming_benchmark(e.benchmarks[name]):
            rows = item_analysis.items(models, fdr=fdr, confidence=confidence)
            reliability[name] = item_analysis.reliability(models, confidence=confidence)
        left_out[name] = len(ids) - len(rows)
        # suspects, then dead questions, then the others; in each, the least covariance first
        rows = sorted(rows, key=lambda x: (not x.suspect, not x.dead, x.covariance, x.question))
        table += [Question(name, ids[x.question], *x[1:], status(x)) for x in rows]
    about = about_of(e, confidence=confidence)
    return Questions(about=about, table=tuple(table), reliability=reliability, left_out=left_out, fdr=fdr, top=top)


def _difficulties(name: str, models: Mapping[str, Counts], ids: Sequence[str], confidence: float) -> list[Question]:
    """Questions that all models answered, without what takes three models: dead ones first, then the most difficult."""
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
        rows.append(Question(name, ids[index], mean, dead, bound, None, None, None, None, None, False, label))
    return sorted(rows, key=lambda y: (not y.dead, y.mean))  # of equal ones in the order of the log


def binary_counts(e: EvaluationData) -> dict[str, tuple[Mapping[str, Counts], list[str]]]:
    """Counts of every model on all questions of each benchmark, and the questions' ids; for binary outcomes only."""
    if any(part.w is not None for part in e.benchmarks.values()):
        raise InvalidInput("conflict", "w", "the outcomes are scores of categories", "binary_only")
    counts = aligned(e)
    return {name: (counts[name], all_ids(part)) for name, part in e.benchmarks.items()}


def status(x: Item) -> str:
    """Status of a question: suspect, always solved, never solved, or empty."""
    if x.suspect:
        return "suspect"
    if x.dead:
        return "always solved" if x.mean else "never solved"
    return ""


def _table(rows: Sequence[Question]) -> Table:
    def numbers(header: str, name: str, form: str, most: float = inf) -> Column:
        values = [getattr(r, name) for r in rows]
        return Column(header, aligned_numbers("" if x is None else _capped(x, form, most) for x in values))

    measured = [
        # z: no sign where a number rounds to 0
        numbers("discrimi-\nnation", "discrimination", "z.2f", most=1.0), numbers("covariance", "covariance", ".4f"),
        numbers("expected", "expected", ".4f"), numbers("p", "p_adjusted", ".4f"),
    ]  # fmt: skip
    columns = [column for column in measured if any(cell.strip() for cell in column.cells)]
    columns.append(Column("status", [r.status for r in rows], "left"))
    lead = [names_column("question", [question_name(r.question) for r in rows])]
    return Table(lead, [[numbers("mean", "mean", ".3f")], *([c] for c in columns)], "Questions")


def _capped(x: float, form: str, most: float) -> str:
    """Text of a number; one of more than ``most`` in size is shown as <-most or >most."""
    return format(x, form) if abs(x) <= most else f"{'<-' if x < 0 else '>'}{most:.0f}"


def question_sentences(rows: Sequence[Item] | Sequence[Question], fdr: float) -> list[str]:
    """Sentences with the numbers of suspects and of dead questions."""
    suspects = sum(y.suspect for y in rows)
    advice = ": better models fail on them more often. Read them: the key may be wrong." if suspects else "."
    return [f"{number(suspects, 'suspect')} at a false-discovery rate of {level(fdr)}{advice}", *dead_sentences(rows)]


def dead_sentences(rows: Sequence[Item] | Sequence[Question]) -> list[str]:
    """Sentence with the number of dead questions."""
    dead = [y.status if isinstance(y, Question) else status(y) for y in rows if y.dead]
    words = [word for word in ("always solved", "never solved") if word in dead]
    parts = [f"{number(dead.count(word), 'question')} {word}" for word in words]
    return [f"Dead: {listed(parts)}. Such questions do not distinguish these models." if parts else "No dead question."]


def ranking_sentences(x: Reliability, confidence: float) -> list[str]:
    """Sentences about the reliability of the ranking."""
    size = f"{x.n_questions:,} questions of {number(round(x.n_trials), 'trial')}"
    ends = "" if x.lo is None or x.hi is None else f" ({interval(confidence)} {x.lo:.2f} to {x.hi:.2f})"
    fixed = "" if x.rho_fixed is None else f", and {x.rho_fixed:.2f} on this question set"
    more = "" if x.se_fixed is None else f", {x.se_fixed:.3f} on this question set"
    return [
        f"Reliability of the means of {size}: {x.rho:.2f} on similar questions{ends}{fixed}.",
        f"Standard error of a difference of two models: {x.se:.3f} on similar questions{more}.",
    ]


EXAMPLES = """examples:
  scorio items runs.csv                    dead and suspect questions first
  scorio items runs.csv --model a          dead questions of one model or two
  scorio items runs.csv --top 100          a longer table
  scorio items runs.csv --csv              all questions, all digits
  scorio items runs.csv --fdr 0.05         fewer suspects, fewer false ones

"""
MEANING = """columns of the table, for the questions that all models answered:
  mean            success rate, on average over the models
  discrimination  correlation with the success rate on the other questions,
                  corrected for trial-to-trial variance, so that it may leave
                  [-1, 1]. Empty where that variance is unknown, or explains
                  all differences of the models
  covariance      covariance with the success rate on the other questions;
                  expected: its value at this difficulty if all questions
                  discriminated alike
  p               probability of a covariance at least as far below the expected
                  one, adjusted for the number of questions (Benjamini-Hochberg)
With one model or two the table has mean and status alone.
A suspect has p at most Q (--fdr Q) and a negative covariance: the better a
model is elsewhere, the worse it is here. Read the question: its key may be
wrong, or it may measure another ability than the other questions (the rate Q
assumes that all measure one ability). A dead question was always or never
solved: it does not distinguish these models.

The coefficient of reliability is the squared correlation of the observed means
with the true means, on similar questions or on this question set.
Its interval is for models with about normally distributed abilities.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    parser.add_argument("--fdr", type=float, default=0.1, metavar="Q",
        help="false-discovery rate: expected share of sound questions among the suspects (default 0.1)")  # fmt: skip
    of_both = "nominal coverage of the interval of the coefficient, and of the bound on the rate of a dead question"
    options.add(parser, confidence=of_both, top=None)
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Questions:
    return items(read(args), fdr=args.fdr, confidence=args.confidence, top=max(args.top, 1))
