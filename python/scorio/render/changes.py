"""Layout of changes: questions before and after, and whether the average changed."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.changes import Changes, Row
from ..display.terms import level, p_value
from ..display.text import listed, number, printable, score_format
from . import notes
from .document import Block, Column, Document, Lines, Table, title
from .verdicts import verdict

MOST = 20  # most questions named in a sentence
COUNTED_ONLY = ("flaky", "no longer flaky", "stable")  # statuses that are counted, not listed


def document(x: Changes) -> Document:
    """Document of the questions with the strongest evidence, the number with each status, and the change on average."""
    about, several = x.about, len(x.about.benchmarks) > 1
    rows = [row for row in x.table if row.status not in COUNTED_ONLY]
    blocks: list[Block] = [Lines([f"old  {printable(x.old)}", f"new  {printable(x.new)}"])]
    if rows:
        blocks.append(_table(rows[: x.most], several))
    if len(rows) > x.most:
        blocks.append(Lines([f"... and {number(len(rows) - x.most, 'more question')}"]))
    groups = number(len(about.benchmarks), "benchmark") if several else ""
    head = title(about, groups, number(len(x.table), "shared question"))
    return Document(head, blocks, sentences(x), notes.gaps(about), [*MEANINGS])


MEANINGS = (
    "old, new: successes of all trials. p adjusted: the smallest false-discovery rate at which the question counts as "
    "regressed or improved, by Fisher's exact test and the step-up procedure of Döhler, Durand and Roquain for "
    "discrete p-values.",
    "newly flaky: all trials had the same outcome before, but not now; undecided: all had the same outcome before and "
    "all have the other one now, which is not significant (with --alternative regressed improvements are not tested).",
)


def sentences(x: Changes) -> list[str]:
    """Sentences: how many questions changed, how many trials are needed, whether the average changed."""
    out = [counts_sentence(x)]
    others = [
        f"{x.counts[word]:,} {word}" for word in x.counts if word not in ("regressed", "improved") and x.counts[word]
    ]
    if others:
        out.append(f"Of the others: {listed(others, len(others))}.")
    if not x.nameable:
        n, m = (max(getattr(row, name) for row in x.table) for name in ("n_old", "n_new"))
        out.append(
            f"With {number(n, 'trial')} before and {m} after no question can count as regressed or improved, "
            f"whatever happened: run each question {x.trials_needed} times or more, before and after."
        )
    form, several = score_format(x.about.w), len(x.about.benchmarks) > 1
    # the first verdict on the average: on these questions, where the data allow it
    return [*out, *(verdict(y, x.new, x.old, x.about.confidence, form, macro=several) for y in x.average[:1])]


def counts_sentence(x: Changes) -> str:
    """Sentence with the numbers of questions that regressed and improved, and the false-discovery rate."""
    size = f"of {number(len(x.table), 'question')}" if len(x.table) > 1 else "of one question"
    sentence = f"{x.counts['regressed']:,} {size} regressed"
    if x.alternative == "two-sided":
        sentence += f", {x.counts['improved']:,} improved"
    return f"{sentence}, at a false-discovery rate of {level(x.fdr)}."


def regressions(rows: Sequence[Row], fdr: float, several: bool) -> str:
    """Sentence that names the questions that regressed, for the documents of other results."""
    if not rows:
        return f"No question regressed, at a false-discovery rate of {level(fdr)}."
    names = [
        (f"{row.benchmark}: " if several else "")
        + f"{row.question} ({row.c_old}/{row.n_old} to {row.c_new}/{row.n_new})"
        for row in rows
    ]
    size = number(len(rows), "question")
    return f"{size} regressed, at a false-discovery rate of {level(fdr)}: {listed(names, MOST)}."


def change_text(x: Row) -> str:
    """Status, successes and p-value of a question, for test reports."""
    change = f"{x.c_old} of {x.n_old} before, {x.c_new} of {x.n_new} after"
    return f"{x.status}: {change}, {p_value(x.p_value)}, adjusted {x.p_adjusted:.2g}"


def _table(rows: Sequence[Row], several: bool) -> Table:
    lead = [Column("benchmark", [row.benchmark for row in rows], "left", names=True)] if several else []
    lead.append(Column("question", [row.question for row in rows], "left", names=True))
    p = [p_value(row.p_adjusted).removeprefix("p = ").removeprefix("p ") for row in rows]
    colours = [{"regressed": "worse", "improved": "better"}.get(row.status, "none") for row in rows]
    columns = [
        Column("old", [f"{row.c_old}/{row.n_old}" for row in rows]),
        Column("new", [f"{row.c_new}/{row.n_new}" for row in rows]), Column("p\nadjusted", p),
        Column("status", [row.status for row in rows], "left", kinds=colours),
    ]  # fmt: skip
    return Table(lead, [[column] for column in columns], "Changes")
