"""Layout of metrics."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.metrics import Macro, Metrics, Row
from ..display.terms import interval
from ..display.text import number, printable, score_format
from . import notes
from .document import Block, Column, Document, Paragraph, Table, title
from .numbers import aligned

MACRO = "macro-average"


def document(x: Metrics) -> Document:
    """Document with a table for each model in each benchmark."""
    about, several = x.about, len(x.about.benchmarks) > 1
    sources = {r.variance_source for r in x.table} - {None}
    explanations = notes.meanings(about, [y for y in sources if y]) if sources else []
    blocks = list[Block]()
    for model in about.models:
        for name in about.benchmarks:
            if rows := [r for r in x.table if (r.benchmark, r.model) == (name, model)]:
                head = f"{printable(model)}: {printable(name)}" if several else printable(model)
                blocks += [Paragraph(head), _table(rows, score_format(about.w))]
        if means := [r for r in x.macro if r.model == model]:
            blocks += [Paragraph(f"{printable(model)}: {MACRO}"), _table(means, score_format(about.w))]
    sizes = number(len(about.benchmarks), "benchmark") if several else ""
    target = f" ({about.questions})" if about.questions else ""
    ci = f"{interval(about.confidence)}{target}" if about.confidence else ""
    head = title(about, number(len(about.models), "model"), sizes, ci)
    return Document(head, blocks, (), [*notes.different_questions(about.gaps), *notes.gaps(about)], [*explanations])


def _table(rows: Sequence[Row] | Sequence[Macro], form: str) -> Table:
    lead = [Column("metric", [r.metric for r in rows], "left"),
            Column("k", ["" if r.k is None else str(r.k) for r in rows])]  # fmt: skip
    columns = []
    bounds = ("lowest", "highest") if any(r.lowest is not None for r in rows) else ()
    for name in ("mu", "sigma", *bounds, "lo", "hi"):
        cells = ["" if (y := getattr(r, name)) is None else format(y, form) for r in rows]
        columns.append(Column(name, aligned(cells)))
    if any(r.variance_source not in (None, "measured") for r in rows):
        columns.append(Column("variance", [r.variance_source or "" for r in rows], "left"))
    return Table(lead, [columns], "Metrics")
