"""``scorio gate --each`` and ``Evaluation.gate_each``: every question of a model against a number, without a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from .. import arguments
from ..display.text import listed, name_of, number, score_format
from ..errors import InvalidInput
from ..page import junit
from ..page.columns import names_column, number_column
from ..page.document import Block, Column, Document, Lines, Table
from ..readers.evaluation import EvaluationData
from ..readers.values import question_name
from . import notes
from .base import Result, about_of
from .notes import by_benchmark

MOST = 20  # most failed questions in the table


@dataclass(frozen=True)
class Row:
    """A question, its average score, and whether that is high enough.

    Attributes
    ----------
    benchmark, question : str
    score : float or None, the average of its trials; None without a trial
    trials : int
    passes : bool, whether the score is at least ``each``; False without a trial
    """

    benchmark: str
    question: str
    score: float | None
    trials: int
    passes: bool


@dataclass(frozen=True, kw_only=True)
class QuestionGate(Result):
    """Verdict on whether a model passes on every question.

    Attributes
    ----------
    verdict : {"pass", "fail"}
    candidate : str
    each : float, the smallest average score with which a question passes
    table : tuple of Row, every question: first those that fail, then those that pass, each by score, lowest first
    failed : int, number of questions that fail
    """

    schema: ClassVar[str] = "scorio.gate_each/2"
    computed: ClassVar[tuple[str, ...]] = ("exit_code",)
    verdict: Literal["pass", "fail"]
    candidate: str
    each: float
    table: tuple[Row, ...]
    failed: int

    @property
    def exit_code(self) -> Literal[0, 1]:  # type: ignore[override]
        """Exit code of the command: 0 pass, 1 fail."""
        return 1 if self.verdict == "fail" else 0

    def to_junit(self) -> str:
        """Test report in JUnit's XML: a test case for each question."""
        cases = [
            junit.Case(
                f"{f'{row.benchmark}: ' if row.benchmark else ''}{question_name(row.question)}: "
                f"{self.candidate}, at least {self.each:.10g}",
                score_text(self, row),
                None if row.passes else "fail",
            )
            for row in self.table
        ]
        return junit.report("scorio gate", "scorio.gate", cases, notes.gaps(self.about))

    def document(self) -> Document:
        failed = self.table[: self.failed]  # the table begins with them
        blocks: list[Block] = by_benchmark(self.about, failed[:MOST], lambda rows: _table(self, rows))
        if len(failed) > MOST:
            blocks.append(Lines([f"... and {number(len(failed) - MOST, 'more question')}: --csv lists all"]))
        head = f"Gate on every one of {number(len(self.table), 'question')}: {self.verdict.upper()}"
        meaning = "Observed averages are compared, without intervals or p-values: another run may give another verdict."
        return Document(head, blocks, [sentence(self)], notes.gaps(self.about), [meaning])


def gate_each(e: EvaluationData, score: float, model: str | None = None) -> QuestionGate:
    """Check that a model has at least this score on every question.

    Parameters
    ----------
    e : Evaluation
    score : float
        The smallest average score with which a question passes: 0.8 means at least 8 of 10. It is above the lowest
        score of the scale, and at most the highest.
    model : str, optional; may be left out where there is only one

    Returns
    -------
    QuestionGate

    Raises
    ------
    InvalidInput
        choice: an unknown model, or none is named of several; range: a score that is not on the scale.
    """
    # the decimals that repr() shows, so that 8 of 10 trials are exactly 0.8
    name, least = one_model(e, model), Fraction(repr(arguments.real(score, "score")))
    table = []
    for part in e.select(name).benchmarks.values():
        low, high = part.scale
        if not low < score <= high:
            reason = f"score = {score!r} is not above {low:.10g} and at most {high:.10g}, the ends of the scale"
            raise InvalidInput("range", "score", reason)
        scores, log = [Fraction(repr(float(x))) for x in part.scores], part.log(name)
        cells = log.counts.cells
        for question, n, i, j in zip(
            log.ids, log.counts.trials.tolist(), cells.start[:-1].tolist(), cells.start[1:].tolist(), strict=True
        ):
            each = zip(cells.category[i:j].tolist(), cells.times[i:j].tolist(), strict=True)
            x = sum((scores[c] * m for c, m in each), Fraction(0)) / n if n else None
            table.append(Row(part.name, question, None if x is None else float(x), n, x is not None and x >= least))
    # a question without a trial fails, and is listed before all others
    table.sort(key=lambda row: (row.passes, row.score is not None, row.score or 0.0))
    failed = sum(not row.passes for row in table)
    return QuestionGate(
        about=about_of(e.select(name)), verdict="fail" if failed else "pass", candidate=name, each=float(score),
        table=tuple(table), failed=failed,
    )  # fmt: skip


def sentence(x: QuestionGate) -> str:
    """Sentence with the verdict and the number of questions that fail."""
    model, least = name_of(x.candidate), f"{x.each:.10g}"
    if not x.failed:
        return f"PASS: {model} scores {least} or more on every question."
    empty = sum(row.score is None for row in x.table)
    lower = f"scores less than {least} on {x.failed - empty:,}" if x.failed > empty else ""
    without = f"has no trial on {empty:,}" if empty else ""
    failures = " and ".join(filter(None, (lower, without)))
    return f"FAIL: {model} {failures} of {number(len(x.table), 'question')}."


def score_text(x: QuestionGate, row: Row) -> str:
    """Score of a question in words, for test reports."""
    if row.score is None:
        return "no trial"
    return f"score {row.score:.10g} over {number(row.trials, 'trial')}, required at least {x.each:.10g}"


def _table(x: QuestionGate, rows: Sequence[Row]) -> Table:
    lead = [names_column("question", [question_name(row.question) for row in rows])]
    scores = number_column("score", [row.score for row in rows], score_format(x.about.w))
    return Table(lead, [[scores, Column("trials", [f"{row.trials:,}" for row in rows])]], "Questions that fail")


def one_model(e: EvaluationData, model: str | None, other: str | None = None) -> str:
    """Name of the model that is compared with a number: the stated one, or the only one; a second one is refused."""
    if other is not None:
        raise InvalidInput("conflict", "models", f"one model is compared with a number: name one, not {other!r} too")
    if model is None and len(e.models) > 1:
        raise InvalidInput("choice", "models", f"name one model; the log has {listed(e.models)}")
    return e.models[0] if model is None else e.check_model(model)
