"""Layout of an extrapolation."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.extrapolate import Extrapolations, Row
from ..display.terms import interval, level, p_value
from ..display.text import name_of, number
from . import notes
from .document import Column, Document, Table, by_benchmark, title
from .numbers import aligned

ATOM = {"z": "0", "o": "1"}  # mark of the fitted models "zero-inflated ..." and "one-inflated ...", by first letter
REJECTION_LEVEL = 0.05  # a smaller p-value of the fit rejects the fitted model


def document(x: Extrapolations) -> Document:
    """Document with a row for each model, and the trials that would narrow its limits."""
    ks = {row.k for row in x.table}
    k = f" with k = {next(iter(ks))}" if len(ks) == 1 else ""
    first = title(x.about, number(len(x.about.models), "model")) + f"; Pass{'@' if _counts_successes(x) else '^'}k{k}"
    blocks = by_benchmark(x.about, x.table, lambda rows: _table(x, rows))
    sentences = [sentence(x, row) for row in x.table]
    return Document(
        first, blocks, sentences, [*notes.different_questions(x.about.gaps), *notes.gaps(x.about)], [*_meanings(x)]
    )


def _table(x: Extrapolations, rows: Sequence[Row]) -> Table:
    def pair(low: str, high: str) -> list[str]:
        ends = [["" if (y := getattr(r, end)) is None else f"{y:.3f}" for r in rows] for end in (low, high)]
        return [f"{a} to {b}" if b.strip() else "" for a, b in zip(*map(aligned, ends), strict=True)]

    values = aligned("" if r.value is None else f"{r.value:.3f}" for r in rows)
    columns = [
        Column(f"{level(x.about.confidence)}\nlimits", pair("low", "high")),
        Column("fitted", [f"{v} {ATOM.get((r.fitted or '')[:1], ' ')}" for v, r in zip(values, rows, strict=True)]),
        Column(f"its\n{interval(x.about.confidence)}", pair("lo", "hi")),
        Column("fit", aligned("" if r.fit is None else f"{r.fit:.2f}" for r in rows)),
    ]
    lead = [Column("model", [r.model for r in rows], "left", names=True)]
    unsolved = Column("unsolved" if _counts_successes(x) else "never\nfailed", [f"{r.unsolved:,}" for r in rows])
    return Table(lead, [[unsolved], *([c] for c in columns)], "Extrapolation")


def _counts_successes(x: Extrapolations) -> bool:
    """Whether the metric is Pass@k, not Pass^k."""
    return "^" not in x.metric and "hat" not in x.metric


def sentence(x: Extrapolations, r: Row) -> str:
    """Sentences with the limits of the metric at k, and the further trials that would narrow them."""
    success = _counts_successes(x)
    kind, name = "success" if success else "failure", f"Pass{'@' if success else '^'}{r.k}"
    where = f" in {name_of(r.benchmark)}" if len(x.about.benchmarks) > 1 else ""
    span = f"between {r.low:.3f} and {r.high:.3f} ({level(x.about.confidence)})"
    out = [f"{name_of(r.model)}{where}: {name} is {span}."]
    if r.unsolved:
        out.append(
            f"The {number(r.unsolved, 'question')} without a {kind} decide{'s' * (r.unsolved == 1)} where in that "
            "range it is."
        )
    if r.fit is not None and r.fit < REJECTION_LEVEL:
        out.append(f"The fitted model does not match the counts ({p_value(r.fit)}): do not rely on its value.")
    if x.width is None or r.value is None:  # without a fitted value no trials are planned
        return " ".join(out)
    if r.trials_needed == 0:
        out.append(f"That range is at most {x.width:.10g} wide.")
    elif r.trials_needed:
        trials, questions = number(r.trials_needed, "more trial"), number(r.n_questions or 0, "question")
        outcomes = "successes" if success else "failures"
        out.append(
            f"{trials} of each of the {questions} with at most two {outcomes} would narrow that range to about "
            f"{x.width:.10g}."
        )
    else:
        out.append(f"Trials alone would not narrow that range to {x.width:.10g}: more questions are needed.")
    return " ".join(out)


def _meanings(x: Extrapolations) -> list[str]:
    return [
        f"limits: a range that covers the metric in about {level(x.about.confidence)} of evaluations, without a model.",
        "fitted: the metric under a beta-binomial model, or one with a share of questions that are never solved (0) or "
        "never failed (1). fit: p-value of the model, small if it does not fit the counts.",
    ]
