"""Layout of rank ranges."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..analysis.rank import Ranking, Row
from ..display.terms import alpha
from ..display.text import number, score_format, span
from ..metrics.metric import lower_is_better
from . import notes
from .document import Block, Column, Document, Paragraph, Table, title
from .numbers import interval_column


def document(x: Ranking) -> Document:
    """Document with a table over all benchmarks, if they are on one scale, and one for each where there are several."""
    about = x.about
    blocks: list[Block] = []
    for name in dict.fromkeys(row.benchmark for row in x.table):
        if len(about.benchmarks) > 1:
            blocks.append(Paragraph("macro-average" if name is None else name))
        blocks.append(_table(x, [row for row in x.table if row.benchmark == name]))
    several = number(len(about.benchmarks), "benchmark") if len(about.benchmarks) > 1 else ""
    explanations = [_meaning(x), *notes.meanings(about, {row.value.variance_source for row in x.table})]  # fmt: skip
    lowest = ["The lowest value is the best one."] if lower_is_better(x.metric) else []
    doubts = [*notes.different_questions(about.gaps), *notes.gaps(about)]
    return Document(title(about, number(len(about.models), "model"), several), blocks, lowest, doubts, explanations)


def _table(x: Ranking, rows: Sequence[Row]) -> Table:
    about = x.about
    ranks = []
    for target, words in (("fixed", "these\nquestions"), ("sampled", "similar\nquestions")):
        ranges = [getattr(row, target) for row in rows]
        if any(ranges):
            ranks.append(Column(f"ranks on {words}", ["" if y is None else span(y[0], y[1], "-") for y in ranges]))
    metric = "average" if x.metric == "mean" else re.sub(r"(?<=[@^_])k$", str(x.k), x.metric)
    form = score_format(about.w)
    values = interval_column(metric, [row.value for row in rows], form, about.confidence, about.questions)
    return Table([Column("model", [row.model for row in rows], "left", names=True)], [ranks, [values]], "Ranks")


def _meaning(x: Ranking) -> str:
    error_rate = "one error rate for all pairs, by Holm's method" if x.correction else "each pair by itself"
    return (
        "Ranks: from 1 + the number of significantly better models to the number of models that are not significantly "
        f"worse (at {alpha(x.about.confidence)}, {error_rate})."
    )
