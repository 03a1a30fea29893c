"""Layout of the stability of a ranking."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.converge import Convergence, Row, Stability
from ..analysis.trials import Block
from ..display.terms import level
from ..display.text import number, percents
from . import notes
from .document import Column, Document, Table, by_benchmark, title, with_benchmark_name
from .numbers import aligned

ROWS = 16  # most rows of a table


def document(x: Convergence) -> Document:
    """Document with a table for each benchmark: a row for each number of trials, at most ROWS of them."""
    about, first = x.about, x.each[0]
    size = f"{number(first.n_questions, 'question')}, {number(first.trials, 'trial per question')}"
    sizes = size if len(x.each) == 1 else number(len(x.each), "benchmark")
    head = title(about, number(len(about.models), "model"), sizes) + f"; metric {x.metric}"
    sentences = [line for y in x.each for line in with_benchmark_name(about, y.benchmark, sentence(y, x.replicates))]
    doubts = [line for y in x.each for line in with_benchmark_name(about, y.benchmark, left_out(y))]
    explanations = [
        "tau: mean over replicates of Kendall's tau-b between the ranking after n trials per question and the ranking "
        "of all trials. stable: share of replicates in which these two are equal for n trials and for every "
        "larger number.",
    ]
    return Document(head, by_benchmark(about, x.table, _table), sentences, [*doubts, *notes.gaps(about)], explanations)


def _table(rows: Sequence[Row]) -> Table:
    chosen = [rows[i] for i in _rows_shown(len(rows))]
    shares = percents([r.stable for r in chosen if r.stable is not None])  # the last row, of all trials, has no share
    return Table(
        [Column("trials", [str(r.n) for r in chosen])],
        [[Column("tau", aligned(f"{r.tau_b:.3f}" for r in chosen)), Column("stable", [*shares, ""])]],
        "Stability of the ranking",
    )


def _rows_shown(n: int) -> list[int]:
    """Indices of the rows to show: all, or at most ROWS of them, denser where there are few trials."""
    if n <= ROWS:
        return list(range(n))
    return sorted({round((n - 1) * (i / (ROWS - 1)) ** 2) for i in range(ROWS)})


def sentence(x: Stability, replicates: int) -> list[str]:
    """Sentences on the share of replicates without a stable ranking, and on the trials that the others need."""
    out = (
        f"In {level(float(f'{x.never:.3g}'))} of {number(replicates, 'replicate')} the ranking is not stable before "
        f"all {number(x.trials, 'trial')} per question."
    )
    if x.mean is not None:
        out += f" In the others it is stable after {x.mean:.3g} trials per question on average."
    return [out]


def left_out(x: Block | Stability) -> list[str]:
    """Notes about questions and trials that are left out of a block of trials."""
    out = []
    if x.answered_by_any > x.shared:
        out.append(f"Only the questions that all models answered are used: {x.shared:,} of {x.answered_by_any:,}.")
    if x.gaps:
        rows = f"{number(x.n_questions, 'question')} of {x.shared:,}"
        rows = f"all {number(x.shared, 'question')}" if x.n_questions == x.shared else rows
        out.append(
            f"Trials are missing: the first {number(x.trials, 'present trial')} of {rows} are used, the largest "
            "complete block of outcomes."
        )
    if x.longer:
        out.append(f"Only the first {number(x.trials, 'trial')} of each question are used, as many as all models have.")
    return out
