"""Layout of agreement: the coefficients of each model's trials, and of all models together."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.agreement import Agreements, Row
from ..display.terms import interval, level
from ..display.text import number, printable, score
from . import notes
from .document import Column, Document, Table, by_benchmark, title, with_benchmark_name
from .numbers import aligned

FORM = ".3f"
BETWEEN = "between models"
WIDE = 1.0  # an interval of alpha that is at least this wide says too little


def document(x: Agreements) -> Document:
    """Document of the coefficients of agreement, with sentences about them."""
    about, several = x.about, len(x.about.benchmarks) > 1
    sentences = list[str]()
    for name in about.benchmarks:
        sentences += with_benchmark_name(
            about, name, [s for row in x.table if row.benchmark == name for s in row_sentences(row, x)]
        )
    groups = number(len(about.benchmarks), "benchmark") if several else ""
    head = title(about, number(len(about.models), "model"), groups)
    blocks = by_benchmark(about, x.table, lambda rows: _table(rows, about.confidence))
    return Document(head, blocks, sentences, notes.gaps(about), [*MEANINGS])


MEANINGS = (
    "agreement: the share of the pairs of ratings of a question that agree. kappa (Fleiss), AC1 (Gwet) and alpha "
    "(Krippendorff) correct it for chance agreement: 1 if all agree, about 0 if ratings are given at random. Alpha "
    "weighs disagreements by the scores of graded outcomes.",
    "The interval is that of alpha, for similar questions; kappa and AC1 have none. It is wide where one category is "
    "rare, since agreement on the frequent one says little.",
)


def row_sentences(row: Row, x: Agreements) -> list[str]:
    """Sentences about the agreement of the ratings of a model, or of all models."""
    raters = "Between models" if row.model is None else f"Trials of {printable(row.model)}"
    size = f"{number(row.ratings, 'rating')} of {number(row.items, 'question')}"
    share = level(row.percent_agreement) if row.percent_agreement in (0.0, 1.0) else f"{row.percent_agreement:.1%}"
    if row.alpha is None or row.lo is None or row.hi is None:
        same = "ratings are the same" if x.about.w is None else "ratings have the same score"
        return [f"{raters} ({size}): all {same}, which does not say how far they would agree on other questions."]
    out = f"{raters} ({size}): {share} of the pairs agree; alpha {score(row.alpha, FORM)}, " \
          f"{interval(x.about.confidence)} {score(row.lo, FORM)} to {score(row.hi, FORM)}."  # fmt: skip
    if row.hi - row.lo < WIDE:
        return [out]
    return [f"{out} Too few questions, or too few ratings of the rarer categories, to say more."]


def _table(rows: Sequence[Row], confidence: float) -> Table:
    def numbers(header: str, name: str) -> Column:
        values = [getattr(row, name) for row in rows]
        return Column(header, aligned("" if y is None else score(y, FORM) for y in values))

    lead = [Column("ratings of", [BETWEEN if row.model is None else row.model for row in rows], "left", names=True)]
    alpha = numbers("alpha", "alpha").cells
    low, high = (numbers("", name).cells for name in ("lo", "hi"))
    cells = [f"{a} [{b}, {c}]" if b.strip() else "" for a, b, c in zip(alpha, low, high, strict=True)]
    cohen = [numbers("kappa\n(Cohen)", "cohen_kappa")] if any(row.cohen_kappa is not None for row in rows) else []
    columns = [
        Column("questions", [f"{row.items:,}" for row in rows]),
        Column("ratings", [f"{row.ratings:,}" for row in rows]),
        numbers("agree-\nment", "percent_agreement"), numbers("kappa", "fleiss_kappa"), *cohen,
        numbers("AC1", "ac1"),
        Column(f"alpha\n{interval(confidence)}", cells, "left"),
    ]  # fmt: skip
    return Table(lead, [[x] for x in columns], "Agreement")
