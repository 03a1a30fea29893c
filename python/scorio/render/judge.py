"""Layout of judged models: the outputs that people should label, or the mean human score of each model."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.judge import Difference, Judgement, Row
from ..analysis.labels import OutputsToLabel
from ..display.terms import interval, level, p_value
from ..display.text import about, listed, name_of, number, score, score_format
from . import notes
from .document import Column, Document, Table, by_benchmark, title, with_benchmark_name
from .numbers import aligned, with_ends

REPORTED_BELOW = 0.01  # checks with a smaller p-value are reported
SCOPE = {
    "fixed": "the expected human score on this question set",
    "sampled": "the mean human score in the population of similar questions",
    "outputs": "the mean human score of exactly these outputs, were all of them labelled",
}
CHECK_LIMITS = (
    "scorio checks whether labels went to easy or hard questions, but misses up to half of such cases; a random "
    "sample needs no check."
)


def document(x: Judgement | OutputsToLabel) -> Document:
    """Document of the mean human score of each model, or of the outputs to label."""
    return _to_label(x) if isinstance(x, OutputsToLabel) else _judged(x)


def _to_label(x: OutputsToLabel) -> Document:
    rule = "as equally many of each verdict as there are" if x.by_verdict else "every output equally likely"
    sentences = [
        line
        for y in x.each
        for line in with_benchmark_name(x.about, y.benchmark, [
            f"{name_of(y.model)}: {y.sampled:,} of {number(y.outputs, 'output')} sampled at random ({rule})."])
    ]  # fmt: skip
    next_step = "Fill in the column label without looking at the verdicts; then run scorio judge LOG --labels FILE."
    sentences.append(next_step)
    records = x.records()
    columns = [Column(name, [str(r[name]) for r in records], "left") for name in records[0]]
    return Document(title(x.about, number(len(records), "output")), [Table([], [columns])], sentences)


def _judged(x: Judgement) -> Document:
    sentences = list[str]()
    for name, scores in x.scores.items():
        form = score_format(scores)
        lines = [line for r in x.table if r.benchmark == name for line in _sentences(x, r, form)]
        lines += [_difference(d, x.about.confidence, form) for d in x.differences if d.benchmark == name]
        sentences += with_benchmark_name(x.about, name, lines)
    several = len(x.about.benchmarks) > 1
    unlabelled = [f"{name_of(m)} in {name_of(b)}" if several else name_of(m) for b, m in x.without]
    doubts = [f"Without a label, and left out: {listed(unlabelled)}."] if unlabelled else []
    for name, scores in x.scores.items():
        if any(r.verdicts is None for r in x.table if r.benchmark == name):
            doubt = f"Labels are scores from {scores[0]:.10g} to {scores[-1]:.10g}, and verdicts are on another scale: "
            doubt += "only labels on the scale of the verdicts would show how far the judge is off."
            doubts += with_benchmark_name(x.about, name, [doubt])
    ci = interval(x.about.confidence)
    explanations = [
        f"{ci}: a range that covers, in about {level(x.about.confidence)} of evaluations, {SCOPE[x.about.questions]}. "
        f"This needs labels of outputs that were sampled at random, from all or within each verdict. {CHECK_LIMITS}",
    ]
    models = number(len({r.model for r in x.table}), "model")
    blocks = by_benchmark(x.about, x.table, lambda rows: _table(rows, score_format(x.scores[rows[0].benchmark])))
    return Document(title(x.about, models), blocks, sentences, [*doubts, *notes.gaps(x.about)], explanations)


def _table(rows: Sequence[Row], form: str) -> Table:
    columns = [Column("labels", [f"{r.labels:,}" for r in rows]), Column("outputs", [f"{r.outputs:,}" for r in rows])]
    if rows[0].verdicts is not None:
        columns.append(Column("verdicts", aligned(format(r.verdicts, form) for r in rows)))
    cells = with_ends(form, (r.mu for r in rows), (r.lo for r in rows), (r.hi for r in rows), [""] * len(rows))
    columns.append(Column("mean human score", cells, "left"))
    return Table([Column("model", [r.model for r in rows], "left", names=True)], [columns], "Judged models")


def _sentences(x: Judgement, r: Row, form: str) -> list[str]:
    """Sentences: the estimate, the bias of the judge, labels by verdict, whether they can be trusted, the next step."""
    mu, lo, hi = (score(y, form) for y in (r.mu, r.lo, r.hi))
    first = (
        f"{name_of(r.model)}: from {number(r.labels, 'human label')} of {r.outputs:,} outputs the mean human score is "
        f"{mu} ({interval(x.about.confidence)} {lo} to {hi})."
    )
    return [first + _bias(r, form), _by_verdict(x, r, form), *_warnings(x, r), *_next_step(r, form, x.about.questions)]


def _bias(r: Row, form: str) -> str:
    """Sentence on whether the mean of the verdicts is in the interval, after a space; empty without verdicts."""
    if r.verdicts is None:
        return ""
    verdicts = score(r.verdicts, form)
    if r.lo <= r.verdicts <= r.hi:
        return f" The judge says {verdicts}, which the labels neither confirm nor refute."
    direction = "generous" if r.verdicts > r.hi else "strict"
    gap = score(abs(r.verdicts - r.mu), form)
    return f" The judge says {verdicts}, which is outside the interval: the judge is about {gap} too {direction}."


def _by_verdict(x: Judgement, r: Row, form: str) -> str:
    """Sentence with the mean label of the outputs with each verdict."""
    parts = []
    for y in x.each:
        if (y.benchmark, y.model) == (r.benchmark, r.model):
            mean = "no label" if y.mean is None else score(y.mean, form)
            parts.append(f"{mean} with verdict {y.verdict} ({y.labels:,} of {y.outputs:,} outputs labelled)")
    return f"Mean label: {', '.join(parts)}."


def _warnings(x: Judgement, r: Row) -> list[str]:
    """Sentences on labels that may make the interval wrong: not sampled at random, or too few."""
    out = []
    if r.p_lean is not None and r.p_lean < REPORTED_BELOW:
        kind = "easier" if (r.z_lean or 0.0) > 0 else "harder"
        out.append(
            f"Do not trust this interval: among outputs with the same verdict, labels went to {kind} questions "
            f"({p_value(r.p_lean)}). Label outputs that are sampled at random: scorio judge --draw."
        )
    if r.p_spread is not None and r.p_spread < REPORTED_BELOW:
        out.append(
            f"The labels are on fewer questions than those of a random sample would be ({p_value(r.p_spread)}): the "
            "interval may be too narrow."
        )
    if x.too_few_labels(r):
        out.append(
            f"With so few labels and a mean so near an end of the scale, the {interval(x.about.confidence)} covers "
            "less often than its level (95% intervals in 81% to 92%)."
        )
    if any(y.labels == 0 for y in x.each if (y.benchmark, y.model) == (r.benchmark, r.model)):
        out.append("A verdict without a label may have any human score: label some of its outputs.")
    return out


def _next_step(r: Row, form: str, target: str | None) -> list[str]:
    """Sentence on what would make the interval as narrow as planned; the plan assumes independent outputs."""
    if r.half_width is None:
        return []
    enough = r.labels_needed is not None and r.labels_needed <= r.labels
    if target == "sampled" and enough and 2.0 * r.half_width < r.hi - r.lo:
        return ["More questions would narrow this interval; more labels hardly would."]
    width = score(r.half_width, form)
    if r.labels_needed is None:
        return [f"An interval of +/- {width} needs more outputs, not only more labels."]
    if r.labels_needed <= r.labels:
        return [f"There are enough labels for an interval of about +/- {width}."]
    many = about(r.labels_needed)
    aim = f"labels in all, of outputs sampled at random, would narrow the interval to about +/- {width}"
    aim += " at best; how many questions there are limits it too." if target == "sampled" else "."
    return [f"{many[:1].upper()}{many[1:]} {aim}"]


def _difference(r: Difference, confidence: float, form: str) -> str:
    mu, lo, hi = (score(x, form) for x in (r.mu, r.lo, r.hi))
    size = f"(difference in mean human score {mu}, {interval(confidence)} {lo} to {hi})"
    a, b = name_of(r.a), name_of(r.b)
    if not r.significant:
        return f"{a} and {b} are not significantly different {size}."
    better, worse = (a, b) if r.mu > 0 else (b, a)
    return f"{better} is significantly better than {worse} {size}."
