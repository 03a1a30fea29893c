"""Layout of a gate on single questions, with a table of the questions that fail."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.each import QuestionGate, Row
from ..display.text import name_of, number, score_format
from . import notes
from .document import Block, Column, Document, Lines, Table, by_benchmark
from .numbers import number_column

MOST = 20  # most failed questions in the table


def document(x: QuestionGate) -> Document:
    """Document of the questions that fail, with the verdict in a sentence."""
    failed = x.table[: x.failed]  # the table begins with them
    blocks: list[Block] = by_benchmark(x.about, failed[:MOST], lambda rows: _table(x, rows))
    if len(failed) > MOST:
        blocks.append(Lines([f"... and {number(len(failed) - MOST, 'more question')}: --csv lists all"]))
    head = f"Gate on every one of {number(len(x.table), 'question')}: {x.verdict.upper()}"
    meaning = "Observed averages are compared, without intervals or p-values: another run may give another verdict."
    return Document(head, blocks, [sentence(x)], notes.gaps(x.about), [meaning])


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
    lead = [Column("question", [row.question for row in rows], "left", names=True)]
    scores = number_column("score", [row.score for row in rows], score_format(x.about.w))
    return Table(lead, [[scores, Column("trials", [f"{row.trials:,}" for row in rows])]], "Questions that fail")
