"""Layout of questions: discrimination, suspects, dead ones, the reliability of the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from ..analysis.items import Question, Questions, status
from ..display.terms import interval, level
from ..display.text import listed, number
from ..items import Item, Reliability
from . import notes
from .document import Block, Column, Document, Lines, Table, by_benchmark, title, with_benchmark_name
from .numbers import aligned


def document(x: Questions) -> Document:
    """Document of the first questions of each benchmark; sentences on suspects, dead questions and the ranking."""
    about, several = x.about, len(x.about.benchmarks) > 1
    sizes = number(len(about.benchmarks), "benchmark") if several else number(len(x.table), "question")
    sentences, doubts, blocks = list[str](), list[str](), list[Block]()
    for name in about.benchmarks:
        rows = [row for row in x.table if row.benchmark == name]
        lines = dead_sentences(rows) if name not in x.reliability else [
            *question_sentences(rows, x.fdr), *ranking_sentences(x.reliability[name], about.confidence)]  # fmt: skip
        sentences += with_benchmark_name(about, name, lines)
        if n_left := x.left_out[name]:
            sentence = [f"Left out, because not all models answered: {number(n_left, 'question')}."]
            doubts += with_benchmark_name(about, name, sentence)
        blocks += by_benchmark(about, rows[: x.most], _table)
        if len(rows) > x.most:
            blocks.append(
                Lines([f"... and {number(len(rows) - x.most, 'more question')}: --rows {len(rows)} lists all"])
            )
    if len(x.reliability) < len(about.benchmarks):
        doubts.append(NEEDS_THREE_MODELS)
    explanations = [*MEANINGS]
    head = title(about, number(len(about.models), "model"), sizes)
    return Document(head, blocks, sentences, [*doubts, *notes.gaps(about)], explanations)


MEANINGS = (
    "discrimination: correlation of a question with the success rate on the other questions, without trial-to-trial "
    "variance (so an estimate may be below -1 or above 1; it is blank where that variance is unknown, or explains all "
    "differences of the models); covariance: that with the same rate; expected: the covariance at this difficulty "
    "if all questions discriminated alike; p: probability of a covariance at least as far below the expected one, "
    "adjusted by Benjamini-Hochberg.",
)


NEEDS_THREE_MODELS = "Suspect questions and the reliability of the ranking need three models or more."


def _table(rows: Sequence[Question]) -> Table:
    def numbers(header: str, name: str, form: str, most: float = inf) -> Column:
        values = [getattr(r, name) for r in rows]
        return Column(header, aligned("" if x is None else _capped(x, form, most) for x in values))

    measured = [
        # z: no sign where a number rounds to 0
        numbers("discrimi-\nnation", "discrimination", "z.2f", most=1.0), numbers("covariance", "covariance", ".4f"),
        numbers("expected", "expected", ".4f"), numbers("p", "p_adjusted", ".4f"),
    ]  # fmt: skip
    columns = [
        *(column for column in measured if any(cell.strip() for cell in column.cells)),
        Column("status", [r.status for r in rows], "left"),
    ]  # fmt: skip
    lead = [Column("question", [r.question for r in rows], "left", names=True)]
    return Table(lead, [[numbers("mean", "mean", ".3f")], *([c] for c in columns)], "Questions")


def _capped(x: float, form: str, most: float) -> str:
    """Text of a number; one of more than ``most`` in size is shown as <-most or >most."""
    return format(x, form) if abs(x) <= most else f"{'<-' if x < 0 else '>'}{most:.0f}"


def question_sentences(rows: Sequence[Item] | Sequence[Question], fdr: float) -> list[str]:
    """Sentences with the numbers of suspects and of dead questions."""
    suspects = sum(y.suspect for y in rows)
    out = [
        f"{number(suspects, 'suspect')} at a false-discovery rate of {level(fdr)}"
        + (": better models fail on them more often. Read them: the key may be wrong." if suspects else "."),
    ]
    return [*out, *dead_sentences(rows)]


def dead_sentences(rows: Sequence[Item] | Sequence[Question]) -> list[str]:
    """Sentence with the number of dead questions."""
    dead = [y.status if isinstance(y, Question) else status(y) for y in rows if y.dead]
    parts = [f"{number(dead.count(word), 'question')} {word}" for word in ("always solved", "never solved")
             if word in dead]  # fmt: skip
    return [f"Dead: {listed(parts)}. Such questions do not distinguish these models." if parts else "No dead question."]


def ranking_sentences(x: Reliability, confidence: float) -> list[str]:
    """Sentences about the reliability of the ranking."""
    size = f"{x.n_questions:,} questions of {number(round(x.n_trials), 'trial')}"
    ends = "" if x.lo is None or x.hi is None else f" ({interval(confidence)} {x.lo:.2f} to {x.hi:.2f})"
    fixed = "" if x.rho_fixed is None else f", and {x.rho_fixed:.2f} on this question set"
    more = "" if x.se_fixed is None else f", {x.se_fixed:.3f} on this question set"
    return [
        f"Reliability of the means of {size}: {x.rho:.2f} on similar questions{ends}{fixed}.",
        f"Standard error of a difference of two models: {x.se:.3f} on similar questions{more}.",
    ]
