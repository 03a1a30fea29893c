"""Parts that documents of several commands share: titles, benchmarks, notes about the log, meanings of intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ..analysis.runs import LEVEL
from ..display import terms
from ..display.text import listed, name_of, number, printable, score, score_format, without_folder
from ..page import columns
from ..page.document import Block, Column, Paragraph
from ..results import MetricInterval
from .base import About

Row = TypeVar("Row", bound=Any)  # a row of a result, which has a field benchmark
CLUSTERS = "Clusters of questions (column cluster) are the sampling units of all intervals and comparisons."

SEVERAL_METRICS = (
    "Each metric has its own error rate: of equal models the mean or one of Pass@2, 4 and 8 differs significantly at "
    "5% in up to 12.5% of evaluations, one of eight metrics in 19%. Choose the metric that decides in advance."
)


def title(about: About, *parts: str) -> str:
    """First line of a document: the name of the log without its folder, and the given parts."""
    return f"{printable(without_folder(about.file))}: {', '.join(x for x in parts if x)}"


def heading(about: About, *parts: str) -> str:
    """First line of a document that begins with the number of models."""
    return title(about, number(len(about.models), "model"), *parts)


def benchmarks(about: About, word: str = "benchmark") -> str:
    """Number of benchmarks in words where there are several; else empty."""
    return number(len(about.benchmarks), word) if about.several else ""


def interval_column(about: About, header: str, values: Sequence[MetricInterval | None], form: str = "") -> Column:
    """Column of values with intervals; form: the digits, where they are not those of the scores of the result."""
    return columns.interval_column(header, values, form or score_format(about.w), about.confidence, about.target)


def by_benchmark(about: About, rows: Sequence[Row], block: Callable[[Sequence[Row]], Block]) -> list[Block]:
    """Blocks of the rows over all benchmarks (None) and of each, under its name where the log has several."""
    out = list[Block]()
    for name in (None, *(about.benchmarks or [""])):  # "": a plan without a log
        if in_benchmark := [row for row in rows if row.benchmark == name]:
            head = terms.MACRO if name is None else printable(name) or "(no name)"
            out += [*([Paragraph(head)] if about.several else []), block(in_benchmark)]
    return out


def with_benchmark_name(about: About, benchmark: str, sentences: Sequence[str]) -> list[str]:
    """Sentences about a benchmark; the first begins with its name where the log has several benchmarks."""
    if not about.several or not sentences:
        return list(sentences)
    return [f"{name_of(benchmark) or '(no name)'}: {sentences[0]}", *sentences[1:]]


def of_each(about: About, names: Iterable[str], sentences: Callable[[str], Sequence[str]]) -> list[str]:
    """Sentences about each of these benchmarks, with their names where the log has several."""
    return [line for name in names for line in with_benchmark_name(about, name, sentences(name))]


def meanings(about: About, sources: Iterable[str], several_metrics: bool = False) -> list[str]:
    """Explanations of intervals with these sources of variance, and of their levels where there are several metrics."""
    kinds, out = set(sources), [terms.meaning(about.questions, about.confidence, about.runs)]
    if "upper bound" in kinds:
        out.append(terms.upper_bound(about.questions, about.gaps.all_single))
    if "modelled" in kinds:
        out.append(terms.modelled())
    if "probit" in kinds:
        out.append(terms.probit())
    if about.questions == "sampled" and about.gaps.clustered:
        out.append(CLUSTERS)
    return [*out, SEVERAL_METRICS] if several_metrics else out


def marks(sources: Iterable[str]) -> list[str]:
    """Legend of the marks of a table in one line; --explain adds details."""
    used = sorted({terms.legend(x) for x in sources if terms.MARKS.get(x)})
    return [f"{'; '.join(used)}."] if used else []


def gaps(about: About, dropped: str = "left out", shows_fixed: bool = False) -> list[str]:
    """Notes about missing outcomes, unfinished runs, the scale, questions without a trial, and remarks about the log.

    dropped: the words for what was done with missing outcomes that were not counted as a category.
    shows_fixed: whether a number about fixed questions is shown beside those of the target.
    """
    x = about.gaps
    out = []
    if x.unfinished:
        out.append(f"Not finished: more outcomes are missing than are counted here: {'; '.join(x.unfinished)}.")
    if x.absent and about.missing == "bounds":
        out.append(
            f"Missing: {x.absent:,} of {number(x.planned, 'outcome')}. Values and intervals reach from all of these at "
            "the lowest score to all at the highest; ranks and verdicts account for them."
        )
    elif x.absent:
        treated = dropped if isinstance(about.missing, str) else f"counted as {about.missing}"
        out.append(
            f"Missing: {x.absent:,} of {number(x.planned, 'outcome')}, {treated}. If whether an outcome is missing "
            "depends on how the trial went, every number here is biased."
        )
    for model, n in x.unshared.items():
        out.append(f"Left out: {number(n, 'question')} that only {name_of(model)} answered.")
    if about.questions == "fixed" or shows_fixed:
        out += repeated(about)
    out += differing_runs(about)
    out += x.remarks
    for name, (low, high) in x.seen.items():
        benchmark = f" of {name}" if about.several and name else ""
        out.append(
            f"Scores{benchmark} run from {low:.10g} to {high:.10g} in this log: intervals take the lowest and the "
            "highest score of all its models as the ends of the scale. --scale LO,HI states them."
        )
    if x.empty and about.missing != "bounds":
        out.append(f"Left out: {number(x.empty, 'question')} without a trial.")
    if x.skipped:
        out.append(f"Not read: {listed(x.skipped)} (--dry-run gives the reason for each).")
    return out


def of_logs(notes: Mapping[str, Sequence[str]]) -> list[str]:
    """Notes about several logs, by name: those that are not about all of them begin with the names of the logs."""
    logs = dict[str, list[str]]()
    for name, lines in notes.items():
        for line in lines:
            logs.setdefault(line, []).append(name)
    every = len(notes)
    return [line if len(names) == every else f"{listed(names, 3, 'other')}: {line}" for line, names in logs.items()]


def repeated(about: About) -> list[str]:
    """Note where the trials of models are probably one answer repeated, which intervals on fixed questions ignore."""
    x = about.gaps.repeated
    if not x:
        return []
    varying, many = (sum(column) for column in zip(*x.values(), strict=True))
    return [
        f"The trials of {listed(list(x), 3, 'other')} are probably one answer repeated (temperature 0, a cache): they "
        f"differ on {varying:,} of {number(many, 'question')}. Intervals and comparisons on these questions are then "
        "far too narrow (95% intervals covered in 9% to 21%), those on similar ones (--questions sampled) are not."
    ]


def differing_runs(about: About) -> list[str]:
    """Notes on benchmarks whose runs differ more than chance explains."""
    out, form = list[str](), score_format(about.w)
    for name, x in about.gaps.runs.items():
        of_benchmark = f" of {name_of(name)}" if about.several and name else ""
        direction = "above" if x.deviation > 0.0 else "below"
        size = f"{score(abs(x.deviation), form)} {direction} the model's average"
        one = f"run {name_of(str(x.run))} of {name_of(x.model)} is {size}"
        if x.p_value <= LEVEL:
            out.append(
                f"Runs{of_benchmark} differ more than chance explains ({x.ratio:.2g} times the variance, "
                f"{terms.p_value(x.p_value)}): beyond chance the average of a run has a standard deviation of "
                f"{score(x.sd, form)}; {one} ({terms.p_value(x.p_run)})."
            )
        else:
            out.append(f"One run{of_benchmark} differs more than chance explains: {one} ({terms.p_value(x.p_run)}).")
    if out and about.questions and about.runs in ("", "fixed"):
        out[-1] += " Intervals that account for it: --runs sampled."
    return out


def doubts(about: About) -> list[str]:
    """Note where models answered different questions, then those about gaps."""
    x = about.gaps
    if x.n_questions == x.shared:
        return gaps(about)
    return [
        f"Models answered different questions ({x.n_questions:,} in all, {x.shared:,} answered by every model): their "
        "averages are over different questions, so compare models on the questions that they share.",
        *gaps(about),
    ]
