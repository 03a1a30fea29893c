"""Layout of a report: conclusions first, then tables and charts of every analysis, then how it was made."""

from __future__ import annotations

from ...display.text import number, printable, score, score_format, span
from ...page import html
from ...page.document import (
    Axis,
    Block,
    Chart,
    Column,
    Document,
    Group,
    Lines,
    Paragraph,
    Remark,
    Section,
    Table,
    Trace,
    flatten,
)
from ...page.markup import element
from ...version import __version__
from ..history import History
from ..report_data import ReportData
from .benchmark import benchmark_sections
from .conclusions import conclusions
from .models import comparisons, leaderboard_blocks
from .view import MISSING, View


def document(x: ReportData) -> Document:
    """Document of the report for text: its tables, and every chart in words."""
    return Document(x.title, flatten(sections(x)))


def page(x: ReportData) -> str:
    """HTML page of the report."""
    return html.page(printable(x.title), sections(x))


def fragment(x: ReportData) -> str:
    """HTML of the report for a notebook."""
    return html.fragment(element("h1", printable(x.title)), sections(x))


def sections(x: ReportData) -> list[Section | Block | Group]:
    """Sections of the page, in their order."""
    v = View(x)
    parts = [(p, benchmark_sections(v, p)) for p in x.parts]
    each: list[Section | Block | Group] = [y for _, inner in parts for y in inner]
    if v.several:
        folded = [Section(p.benchmark or "(no name)", inner, folded=True) for p, inner in parts]
        each = [Section("Each benchmark", folded)]
    board = v.board.document()
    every = [*conclusions(v), Section("Leaderboard", leaderboard_blocks(v)), *comparisons(v), *each,
             Section("Builds", _builds(x.history)), Section(MISSING, _trials(v)),
             Section("Notes", [Lines(board.notes)] if board.notes else []),
             Section("Meaning of columns and intervals", [Lines(board.explanations)], folded=True),
             Section("How this page was made", _provenance(v))]  # fmt: skip
    return [y for y in every if not isinstance(y, Section) or y.blocks]


def _builds(x: History | None) -> list[Block]:
    """The history of a ledger: its sentences, a chart of scores, and the table."""
    if x is None:
        return []
    d, at = x.document(), [float(i + 1) for i in range(len(x.table))]
    floors = [(i, row.floor) for i, row in zip(at, x.table, strict=True) if row.floor is not None]
    values = [y for row in x.table for y in (row.lo, row.hi)] + [y for _, y in floors]
    low, high = min(values), max(values)
    ticks = [low + (high - low) * i / 4 for i in range(5)]
    chart = Chart(
        f"Scores of {number(len(at), 'build')}, the last {x.table[-1].mu:.3g}; the next floor is {x.floor:.3g}.",
        d.title,
        [
            Trace("band", at, [row.lo for row in x.table], [row.hi for row in x.table]),
            Trace("other", *(list(y) for y in zip(*floors, strict=True))) if floors else Trace("other", [], []),
            Trace("line", at, [row.mu for row in x.table]),
        ],
        Axis((0.5, len(at) + 0.5), [(at[i], f"{i + 1}") for i in range(0, len(at), -(-len(at) // 12))], "build"),
        Axis((low, high), [(y, score(y, score_format(x.about.w))) for y in ticks], "score"),
    )
    key = Remark("Line: the score of each build, with its interval. Dotted, grey: the floor that a build must exceed.")
    return [*map(Paragraph, d.sentences), chart, key, *d.blocks, Lines([*d.notes, *d.explanations])]


def _trials(v: View) -> list[Block | Section]:
    """Table of the trials of each model, and how missing ones were treated."""
    each, gaps = v.board.each, v.about.gaps
    policy = {"raise": "an error", "drop": "left out"}.get(str(v.about.missing), f"counted as {v.about.missing}")
    summary = "Nothing is missing."
    if gaps.absent or gaps.empty:
        summary = (
            f"Missing: {number(gaps.absent, 'outcome')}; questions without a trial, summed over models: "
            f"{gaps.empty:,}. When the log was read, missing outcomes were {policy}."
        )
    columns = [Column("benchmark", [x.benchmark or "(no name)" for x in each], "left")] if v.several else []
    columns += [Column("questions", [f"{x.n_questions:,}" for x in each]),
                Column("trials per\nquestion", [span(x.trials_min, x.trials_max, "–") for x in each]),
                Column("missing", [f"{x.missing:,}" for x in each])]  # fmt: skip
    names = Column("model, in full", [printable(x.model) for x in each], "left", kinds=["name"] * len(each))
    table = Table([names], [columns], "Trials")
    return [Paragraph(summary), Section("Questions and trials of every model", [table], folded=not gaps.absent)]


def _provenance(v: View) -> list[Block]:
    x = v.report
    command = [f"Command: {x.command}"] if x.command else []
    return [Lines([f"Made on {x.date} with scorio {__version__}.", *command, *x.sources])]
