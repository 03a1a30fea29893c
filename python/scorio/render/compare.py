"""Layout of a comparison of two models."""

from __future__ import annotations

from ..analysis.compare import Comparison, Row
from ..display.terms import MARKS, alpha, interval, p_value
from ..display.text import listed, number, printable, score_format
from . import notes
from .document import Column, Document, Lines, Table, title
from .numbers import interval_column, number_column, with_ends
from .verdicts import better_in_benchmarks, certificate_sentences, verdict


def document(x: Comparison) -> Document:
    """Document of both models, their difference, and the verdicts."""
    about, several = x.about, len(x.about.benchmarks) > 1
    form = score_format(about.w)
    sentences = [verdict(y, x.a, x.b, about.confidence, form, macro=several) for y in x.verdicts]
    if several:
        sentences.append(_benchmark_sentence(x))
    if x.certificate is not None and x.certificate.mu:
        sentences.append(certificate_sentences(x.certificate, x.a, x.b, binary=about.w is None))
    if x.left_out:
        sentences.append(f"Left out, with too few shared questions: {listed(x.left_out)}.")
    shared = number(x.shared_questions, "shared question")
    groups = number(len(about.benchmarks), "subgroup" if x.by else "benchmark") if several else ""
    lead = Lines([f"{letter}  {printable(name)}" for letter, name in zip("AB", (x.a, x.b), strict=True)])
    sources = {y.variance_source for y in x.table}
    explanations = [*_meanings(x), *notes.meanings(about, sources)]
    head = title(about, groups + (f" by {x.by}" if x.by else ""), shared)
    return Document(head, [lead, _table(x, form)], sentences, [*notes.marks(sources), *notes.gaps(about)], explanations)


def _table(x: Comparison, form: str) -> Table:
    about, rows, several = x.about, x.table, len(x.about.benchmarks) > 1
    lead = [Column("metric", [_label(row) for row in rows], "left")]
    if several:
        names = ["macro-average" if row.benchmark is None else row.benchmark for row in rows]
        lead = [Column(x.by or "benchmark", names, "left", names=True)]
        lead += [Column("metric", [_label(row) for row in rows], "left")] if len({y.k for y in rows}) > 1 else []
        lead.append(Column("questions", [f"{row.shared_questions:,}" for row in rows]))
    mu, lo, hi = ([getattr(row, name) for row in rows] for name in ("difference", "lo", "hi"))
    ends = with_ends(form, mu, lo, hi, [MARKS[row.variance_source] for row in rows])
    label = f"{interval(about.confidence)} ({about.questions})"
    if several:  # the interval of the macro-average is that of a single comparison
        label += "; benchmarks at once" if _has_macro_average(x) else ", all at once"
    values = [interval_column(letter, [getattr(row, letter.lower()) for row in rows], form, about.confidence,
                           about.questions) for letter in "AB"]  # fmt: skip
    if several:
        values = [number_column(letter, [getattr(row, letter.lower()).mu for row in rows], form) for letter in "AB"]
    p = [p_value(row.p_adjusted).removeprefix("p = ").removeprefix("p ") for row in rows]
    p_column = Column("p\nadjusted" if several else "p", p)
    sets = [values] if several else [[column] for column in values]
    return Table(lead, [*sets, [Column(f"A - B\n{label}", ends, "left"), p_column]], "Comparison")


def _has_macro_average(x: Comparison) -> bool:
    """Whether the table has a row over all benchmarks."""
    return any(row.benchmark is None for row in x.table)


def _label(row: Row) -> str:
    return "average" if row.k is None else f"{'Max' if row.metric == 'max_at_k' else 'Pass'}@{row.k}"


def _benchmark_sentence(x: Comparison) -> str:
    """Sentence that names the benchmarks, or subgroups, in which the averages differ significantly."""
    rows = [row for row in x.table if row.benchmark is not None and row.k is None]
    a_better, b_better = (
        [row.benchmark or "" for row in rows if row.significant and row.difference * sign > 0] for sign in (1.0, -1.0)
    )
    groups = number(len(rows), "subgroup" if x.by else "benchmark")
    return better_in_benchmarks(a_better, b_better, x.a, x.b, x.about.confidence, groups)


def _meanings(x: Comparison) -> list[str]:
    several, rate = len(x.about.benchmarks) > 1, alpha(x.about.confidence)
    out = [
        f"p: two-sided p-value of the difference; the difference is significant where p is at most {rate}"
        + ("." if several else ", which is exactly when its interval excludes 0.")
    ]
    if any(row.difference == 0.0 for row in x.table):
        out.append(
            "A difference of 0 has an interval too, even where all outcomes are the same: it contains the differences "
            "that so few questions and trials cannot exclude."
        )
    if several:
        out.append(
            "p adjusted: for the number of " + (f"subgroups by {x.by}" if x.by else "benchmarks") + " (Holm), so that "
            f"equal models differ significantly in any of them with a nominal probability of at most {rate}. Their "
            "intervals cover the differences in all of them at once: one may contain 0 where p is below the level."
            + (" The macro-average is one comparison, with its own p and interval." if _has_macro_average(x) else "")
        )
    return out
