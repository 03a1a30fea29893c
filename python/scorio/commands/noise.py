"""``scorio baseline noise``: how much evaluations of one build differ, and what margin a gate of them can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from .. import arguments, sinf
from .. import eval as metrics
from ..display.terms import p_value
from ..display.text import listed, name_of, number, score, score_format
from ..errors import InvalidInput
from ..page.columns import number_column
from ..page.document import Column, Document, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.values import question_name
from . import notes
from .base import Result, about_of
from .each import one_model
from .records import HIDDEN

MOST = 10  # flaky questions that are named
LEVEL = 0.05  # p-value below which evaluations are said to differ


@dataclass(frozen=True)
class Row:
    """An evaluation: its name, its trials, and its score."""

    evaluation: str
    trials: int
    score: float


@dataclass(frozen=True, kw_only=True)
class Noise(Result):
    """How much evaluations of one build differ, and the smallest margins that gates of them hold at 80% power.

    Attributes
    ----------
    margin : float or None, the margin that is wanted
    mu, sigma, ratio, df, p_value, sd, flip_rate, margin_gate, margin_builds, margin_gate_runs, margin_builds_runs
        As in :class:`scorio.sinf.NoiseFloor`.
    flaky : tuple of str, the questions with two different scores
    shared_questions : int
    table : tuple of Row
    remarks : tuple of str, about each log
    """

    schema: ClassVar[str] = "scorio.noise/1"
    margin: float | None
    mu: float
    sigma: float
    ratio: float
    df: float
    p_value: float
    sd: float
    flip_rate: float
    margin_gate: float | None
    margin_builds: float | None
    margin_gate_runs: float | None
    margin_builds_runs: float | None
    flaky: tuple[str, ...]
    shared_questions: int
    table: tuple[Row, ...]
    remarks: tuple[str, ...] = field(metadata={HIDDEN: True})

    def document(self) -> Document:
        form = score_format(self.about.w)
        lead = [Column("evaluation", [name_of(row.evaluation) for row in self.table], "left")]
        columns = [Column("trials", [f"{row.trials:,}" for row in self.table]),
                   number_column("score", [row.score for row in self.table], form)]  # fmt: skip
        head = f"{number(len(self.table), 'evaluation')} of one build, {number(self.shared_questions, 'question')}"
        return Document(head, [Table(lead, [columns], "Evaluations")], sentences(self, form), self.remarks)


def noise(evaluations: Sequence[EvaluationData], *, margin: float | None = None, confidence: float = 0.95) -> Noise:
    """Measure how much evaluations of one build differ.

    Parameters
    ----------
    evaluations : sequence of Evaluation, each of one model on the same questions
    margin : float, optional; the margin that is wanted
    confidence : float in (0, 1)

    Returns
    -------
    Noise
    """
    if margin is not None and arguments.real(margin, "margin") <= 0.0:
        raise InvalidInput("range", "margin", f"margin = {margin!r} is not above 0")
    parts: Mapping[str, Benchmark] = {e.name: e.select(one_model(e, None)).benchmark() for e in evaluations}
    if len(evaluations) < 2:
        raise InvalidInput("length", "file", "one evaluation: how much evaluations differ is shown by two or more")
    try:
        parts = replace(evaluations[0], benchmarks=parts).on_one_scale().benchmarks
    except InvalidInput:
        raise InvalidInput("conflict", "w", "the logs have different scores for the categories", "one_scale") from None
    logs = {name: next(iter(part.logs.values())) for name, part in parts.items()}
    w = next(iter(parts.values())).w
    x = sinf.noise_floor({name: log.counts for name, log in logs.items()}, w=w, confidence=confidence)
    ids, table = next(iter(logs.values())).ids, list[Row]()
    for name, log in logs.items():
        mean = metrics.mean_ci(log.counts, w, questions="fixed", confidence=confidence).mu
        table.append(Row(name, int(log.counts.trials.sum()), mean))
    return Noise(
        about=about_of(evaluations[0], "", confidence), margin=margin, mu=x.mu, sigma=x.sigma, ratio=x.ratio, df=x.df,
        p_value=x.p_value, sd=x.sd, flip_rate=x.flip_rate, margin_gate=x.margin_gate, margin_builds=x.margin_builds,
        margin_gate_runs=x.margin_gate_runs, margin_builds_runs=x.margin_builds_runs,
        flaky=tuple(ids[q] for q in x.flaky), shared_questions=len(ids), table=tuple(table),
        remarks=tuple(notes.of_logs({e.name: notes.gaps(about_of(e, "", confidence)) for e in evaluations})),
    )  # fmt: skip


def sentences(x: Noise, form: str) -> list[str]:
    """Sentences: whether the wanted margin can be held, the smallest margins, the variance, flaky questions."""
    differ = x.p_value <= LEVEL
    builds, gate = (x.margin_builds_runs, x.margin_gate_runs) if differ else (x.margin_builds, x.margin_gate)
    out, n = list[str](), len(x.table)
    if not x.sigma:
        return [nothing_varies(f"the {n} evaluations")]
    if x.margin is not None and (builds is None or builds > x.margin):
        out.append(
            f"A margin of {x.margin:.10g} is out of reach: at it an unchanged build passes with less than 80% power. "
            "More trials of each question, or more evaluations in the pin, lower the smallest margin."
        )
    elif x.margin is not None:
        out.append(f"A margin of {x.margin:.10g} can be held: an unchanged build passes with 80% power or more.")
    whole = "none below the whole scale"
    smallest, single = (whole if y is None else score(y, form) for y in (builds, gate))
    out.append(f"Smallest margin at 80% power: {smallest} with {n} evaluations in the pin (scorio gate --baseline), "
               f"{single} in a single gate of two evaluations.")  # fmt: skip
    size = f"{x.ratio:.2f} times the variance that trials explain, {p_value(x.p_value)}"
    by_trials = f"by trials alone the standard deviation of an evaluation's score is {score(x.sigma, form)}"
    if differ:
        out.append(
            f"Evaluations differ more than their trials explain ({size}): {by_trials}, beyond that it is "
            f"{score(x.sd, form)}. The margins stated account for it, as does scorio baseline set --runs sampled."
        )
    else:
        out.append(f"Evaluations are not shown to differ beyond their trials ({size}); {by_trials}.")
    names = listed([question_name(q) for q in x.flaky], MOST)
    several = f"{number(len(x.flaky), 'question')} of {x.shared_questions:,}"
    flip = f"two trials of a question differ in {100 * x.flip_rate:.1f}%"
    out.append(f"Flaky: {several} ({names}); {flip}." if x.flaky else "No question has two different outcomes.")
    return out


def nothing_varies(evaluations: str) -> str:
    """Sentence about evaluations in which every trial of a question has the same score."""
    return (
        f"Nothing varies: in {evaluations} all trials of each question have the same score, so that what margin can be "
        "held is not known. Where answers are drawn at random, more trials show how much they vary; where the system "
        "is deterministic, its evaluations are copies, and scorio changes names each question that a build changes."
    )
