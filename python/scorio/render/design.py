"""Layout of designs: numbers of questions and trials, what they cost and how precise they are."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.design import Design, Designs
from ..display.text import number
from . import notes
from .document import Column, Document, Table, by_benchmark, title, with_benchmark_name
from .numbers import aligned


def document(x: Designs) -> Document:
    """Document with a row for each number of trials, and the cheapest design."""
    about = x.about
    sentences = [line for name in x.now for line in with_benchmark_name(about, name, _sentences(x, name))]
    explanations = [
        "Standard error: of the difference of two models for the population of similar questions. Coefficient: the "
        "squared correlation of the observed means with the true ones. Both rest on variances estimated from this log.",
    ]
    blocks = by_benchmark(about, x.table, _table)
    return Document(
        title(about, number(len(about.models), "model")), blocks, sentences, notes.gaps(about), explanations
    )


def _sentences(x: Designs, benchmark: str) -> list[str]:
    now, best = x.now[benchmark], next(r for r in x.table if r.benchmark == benchmark and r.cheapest)
    target = f"a standard error of {x.se:.10g}" if x.se is not None else f"a coefficient of {x.coefficient:.10g}"
    out = [
        f"Cheapest for {target}: {number(best.n_questions, 'question')} of {number(best.n_trials, 'trial')} each, "
        f"{best.cost:,.10g} per model.",
        f"The {now.n_questions:,} questions of {number(round(now.n_trials), 'trial')} in this log: standard error "
        f"{now.se:.3f}, coefficient {now.rho:.3f}.",
    ]
    if now.var_trials is None:
        out.append("All questions have a single trial, so the gain from more trials is unknown.")
    return out


def _table(rows: Sequence[Design]) -> Table:
    columns = [
        Column("questions", [f"{r.n_questions:,}" for r in rows]),
        Column("cost per\nmodel", [f"{r.cost:,.10g}" for r in rows]),
        Column("standard\nerror", aligned(f"{r.se:.4f}" for r in rows)),
        Column("coefficient", aligned(f"{r.rho:.3f}" for r in rows)),
        Column("", ["cheapest" if r.cheapest else "" for r in rows], "left"),
    ]
    return Table([Column("trials per\nquestion", [f"{r.n_trials:,}" for r in rows])], [columns], "Designs")
