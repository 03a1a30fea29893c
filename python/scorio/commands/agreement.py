"""``scorio agreement`` and ``Evaluation.agreement``: how far trials of a model agree, and models with each other."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .. import arguments, eval
from ..analysis.pairs import aligned
from ..display.terms import interval, level
from ..display.text import number, printable, score
from ..errors import InvalidInput
from ..page.columns import aligned as aligned_numbers
from ..page.columns import names_column
from ..page.document import Column, Document, Table
from ..readers.evaluation import EvaluationData
from . import notes, options
from .base import OPTIONAL, Result, about_of
from .notes import benchmarks, by_benchmark, heading

FORM = ".3f"
BETWEEN = "between models"
WIDE = 1.0  # an interval of alpha that is at least this wide says too little
MEANINGS = (
    "agreement: the share of the pairs of ratings of a question that agree. kappa (Fleiss), AC1 (Gwet) and alpha "
    "(Krippendorff) correct it for chance agreement: 1 if all agree, about 0 if ratings are given at random. Alpha "
    "weighs disagreements by the scores of graded outcomes.",
    "The interval is that of alpha, for similar questions and these raters; kappa and AC1 have none. For other raters "
    "it is too narrow: with one panel of raters of different severity it covered in 87% to 89%. It is wide where one "
    "category is rare, since agreement on the frequent one says little.",
)


@dataclass(frozen=True)
class Row:
    """Agreement of ratings of the same questions.

    Attributes
    ----------
    benchmark : str
    model : str or None, the model whose trials are the ratings; None: the trials of all models together
    percent_agreement, fleiss_kappa, ac1, alpha, lo, hi, items, ratings
        As in :class:`scorio.eval.agreement.Agreement`.
    left_out : int, questions with fewer than two ratings
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

    def document(self) -> Document:
        about = self.about
        sentences = notes.of_each(about, about.benchmarks, lambda name: [
            s for row in self.table if row.benchmark == name for s in row_sentences(row, self)
        ])  # fmt: skip
        blocks = by_benchmark(about, self.table, lambda rows: _table(rows, about.confidence))
        return Document(heading(about, benchmarks(about)), blocks, sentences, notes.gaps(about), MEANINGS)


def agreement(e: EvaluationData, *, confidence: float = 0.95) -> Agreements:
    """Measure how far ratings of the same questions agree.

    The trials of a model are its ratings, such as the verdicts of a judge in repeated calls; where the models of the
    log are raters, all their ratings of a question are compared too.

    Parameters
    ----------
    e : Evaluation
        Outcomes are ratings, questions are what is rated. If outcomes have scores, Krippendorff's alpha and Cohen's
        kappa weigh a disagreement by the squared difference of the scores.
    confidence : float in (0, 1); nominal coverage of the intervals of Krippendorff's alpha

    Returns
    -------
    Agreements

    Raises
    ------
    InvalidInput
        An argument is invalid; no_trials: no question has two ratings.
    """
    confidence = arguments.confidence(confidence)
    rows = list[Row]()
    for name, models in aligned(e).items():
        each, w = list(models.values()), e.benchmarks[name].w
        pooled: Any = {None: sum(each, 0)} if len(each) > 1 else {}  # type: ignore[call-overload]
        for model, counts in (models | pooled).items():
            if counts.trials.max() < 2:
                continue
            x, kappa = eval.agreement(counts, w, confidence=confidence), None
            # Cohen's kappa is that of two raters, of which neither rated a question more than once
            if not model and len(each) == 2 and all(y.trials.max() <= 1 for y in each):
                ratings = [np.where(y.trials == 1, y.table.argmax(axis=1), np.nan) for y in each]
                kappa = eval.cohen_kappa(np.column_stack(ratings), w, missing="drop")
            # x[:8]: percent_agreement to ratings, which Row has in the order of eval.agreement.Agreement
            rows.append(Row(name, model, *x[:8], left_out=len(x.dropped), cohen_kappa=kappa))
    if not rows:
        reason = "no question has two ratings: agreement needs two raters, or two trials"
        raise InvalidInput("no_trials", "logs", reason)
    return Agreements(about=about_of(e, confidence=confidence), table=tuple(rows))


def row_sentences(row: Row, x: Agreements) -> list[str]:
    """Sentences about the agreement of the ratings of a model, or of all models."""
    raters = "Between models" if row.model is None else f"Trials of {printable(row.model)}"
    size = f"{number(row.ratings, 'rating')} of {number(row.items, 'question')}"
    share = level(row.percent_agreement) if row.percent_agreement in (0.0, 1.0) else f"{row.percent_agreement:.1%}"
    if row.alpha is None or row.lo is None or row.hi is None:
        same = "ratings are the same" if x.about.w is None else "ratings have the same score"
        return [f"{raters} ({size}): all {same}, which does not say how far they would agree on other questions."]
    out = f"{raters} ({size}): {share} of the pairs agree; alpha {score(row.alpha, FORM)}, " \
          f"{interval(x.about.confidence)} {score(row.lo, FORM)} to {score(row.hi, FORM)}"  # fmt: skip
    out += " with these raters." if row.model is None else "."
    if row.hi - row.lo < WIDE:
        return [out]
    return [f"{out} Too few questions, or too few ratings of the rarer categories, to say more."]


def _table(rows: Sequence[Row], confidence: float) -> Table:
    def numbers(header: str, name: str) -> Column:
        values = [getattr(row, name) for row in rows]
        return Column(header, aligned_numbers("" if y is None else score(y, FORM) for y in values))

    lead = [names_column("ratings of", [BETWEEN if row.model is None else row.model for row in rows])]
    alpha = numbers("alpha", "alpha").cells
    low, high = (numbers("", name).cells for name in ("lo", "hi"))
    cells = [f"{a} [{b}, {c}]" if b.strip() else "" for a, b, c in zip(alpha, low, high, strict=True)]
    cohen = [numbers("kappa\n(Cohen)", "cohen_kappa")] if any(row.cohen_kappa is not None for row in rows) else []
    columns = [
        Column("questions", [f"{row.items:,}" for row in rows]),
        Column("ratings", [f"{row.ratings:,}" for row in rows]),
        numbers("agree-\nment", "percent_agreement"), numbers("kappa", "fleiss_kappa"), *cohen,
        numbers("AC1", "ac1"),
        Column(f"alpha\n{interval(confidence)}", cells, "left"),
    ]  # fmt: skip
    return Table(lead, [[x] for x in columns], "Agreement")


EXAMPLES = """examples:
  scorio agreement verdicts.csv            repeated verdicts of a judge
  scorio agreement r.csv --columns question=item,model=rater,outcome=rating
  scorio agreement r.csv --missing drop    unequal numbers of ratings

"""
MEANING = """Ratings are the outcomes of the log, items its questions. For each model its
own trials are compared: the verdicts of a judge that rated every answer three
times, or the successes and failures of a model. If the log has several models,
all their ratings of a question are compared too (between models): use this row
if the models are raters, such as people or judges of the same answers.

agreement is the share of pairs of ratings that agree; kappa (Fleiss), AC1
(Gwet) and alpha (Krippendorff) correct it for chance agreement. The interval of
alpha is for similar questions and these raters, not for others (95% limits
covered in 87% to 89% for raters of different severity); it is wide where one
category is rare.
Questions with fewer than two ratings are left out. For two models with at most
one rating of each question there is Cohen's kappa too.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    options.add(parser, "confidence")
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Agreements:
    return agreement(read(args), confidence=args.confidence)
