"""``scorio runs`` and ``Evaluation.runs``: whether the runs of an evaluation agree."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from .. import arguments
from ..analysis.runs import LEVEL, RunScore, Shares, named_alike, run_scores, sd_interval, shares_of_variance
from ..display.terms import interval, p_value
from ..display.text import listed, name_of, printable, score, score_format, short_names
from ..errors import InvalidInput
from ..inference.runs import is_unknown
from ..page.columns import number_column
from ..page.document import Block, Column, Document, Paragraph, Table
from ..readers.evaluation import Benchmark, EvaluationData
from . import notes, options
from .base import Result, about_of

NAME = 26  # characters of the name of a model; and of a run
RUN = 14
SHOWN = 40  # runs of a table; of more, those that stand out most
MEANINGS = (
    "A run is what trials of different questions share: a pass over the benchmark with its seed, server or prompt. Its "
    "deviation is its average less that of the model, each question by itself, and z the deviation over what the "
    "trials of each question explain.",
    "The ratio is the variance between runs over that which the trials of each question explain (for outcomes 0 and 1, "
    "Cochran's Q over its degrees of freedom), pooled over the models: 1 if runs do not differ. More questions do not "
    "average a difference between runs away, more runs do.",
)


@dataclass(frozen=True)
class Variation:
    """The differences between the runs of a benchmark.

    Attributes
    ----------
    benchmark : str
    ratio, df, p_value, sd, model, run, deviation, p_run
        As in :class:`scorio.sinf.RunVariation`; run is its name.
    sd_lo, sd_hi : float, interval of sd
    """

    benchmark: str
    ratio: float
    df: float
    p_value: float
    sd: float
    model: str
    run: str
    deviation: float
    p_run: float
    sd_lo: float
    sd_hi: float


@dataclass(frozen=True, kw_only=True)
class Runs(Result):
    """The average of each run of each model, and how much more they differ than chance explains.

    Attributes
    ----------
    table : tuple of RunScore
    each : tuple of Variation, one for each benchmark
    shares : tuple of Shares, what makes up the variance of each model's average
    """

    schema: ClassVar[str] = "scorio.runs/1"
    table: tuple[RunScore, ...]
    each: tuple[Variation, ...]
    shares: tuple[Shares, ...]

    def plot(self, ax: Any = None) -> Any:
        """Draw the average of each run, with the band that chance explains."""
        from ..plot.runs import draw_runs

        return draw_runs(self.table, ax)

    def document(self) -> Document:
        about = self.about
        blocks = list[Block]()
        for x in self.each:
            heading = [Paragraph(printable(x.benchmark) or "(no name)")] if about.several else []
            blocks += [*heading, _table(self, x.benchmark)]
        form, texts = score_format(about.w), list[str]()
        for x in self.each:
            rows = [row for row in self.table if row.benchmark == x.benchmark]
            shares = [y for y in self.shares if y.benchmark == x.benchmark]
            texts += notes.with_benchmark_name(about, x.benchmark, sentences(rows, x, shares, form, about.confidence))
        head = notes.heading(about, notes.benchmarks(about))
        doubts = [x for x in notes.gaps(about) if not x.startswith(("Runs", "One run"))]
        known = {(row.benchmark, row.model) for row in self.table}
        without = [name_of(m) for m in about.models if all(m != model for _, model in known)]
        without += [name_of(b) for b in about.benchmarks if all(b != name for name, _ in known)]
        doubts += [f"Without runs that could be compared: {listed(without)}."] if without else []
        return Document(head, blocks, texts, doubts, MEANINGS)


def runs(e: EvaluationData, *, confidence: float = 0.95) -> Runs:
    """Tell whether the runs of the models agree: the average of each run, and a test of their differences.

    Parameters
    ----------
    e : Evaluation; read with ids of trials that are equal in a run, with ``runs_by`` or with ``files_are_runs``
    confidence : float in (0, 1); nominal coverage of the interval of the standard deviation of a run

    Returns
    -------
    Runs

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: the log does not state runs.

    Examples
    --------
    >>> import scorio
    >>> x = scorio.read("spec/examples/coins.csv").runs()
    >>> round(x.each[0].ratio, 2), round(x.each[0].p_value, 3), len(x.table)
    (1.46, 0.052, 32)
    """
    confidence = arguments.confidence(confidence)
    table, each, shares = list[RunScore](), list[Variation](), list[Shares]()
    for part in e.benchmarks.values():
        if x := variation(part, confidence):
            each.append(x)
            table += run_scores(part)
            shares += shares_of_variance(part)
    if not each:
        next(iter(e.benchmarks.values())).sampled_runs("sampled")  # raises
        raise InvalidInput("conflict", "runs", "the log does not state runs", "runs_by")
    about = about_of(e, "", confidence)
    about = replace(about, gaps=replace(about.gaps, remarks=(*about.gaps.remarks, *named_alike(e))))
    return Runs(about=about, table=tuple(table), each=tuple(each), shares=tuple(shares))


def variation(part: Benchmark, confidence: float) -> Variation | None:
    """The differences between the runs of a benchmark; None where the log does not state runs."""
    x = part.run_variation
    return None if x is None else Variation(part.name, *x, *sd_interval(part, x, confidence))


def _table(x: Runs, benchmark: str) -> Table:
    """The runs of a benchmark; of many, those that stand out most."""
    rows = [row for row in x.table if row.benchmark == benchmark]
    if len(rows) > SHOWN:
        shown = sorted(rows, key=lambda row: -abs(row.z))[:SHOWN]
        rows = [row for row in rows if row in shown]
    form = score_format(x.about.w)
    names = list(dict.fromkeys(row.model for row in rows))
    short = dict(zip(names, short_names(names, NAME).short, strict=True))
    firsts = [not i or row.model != rows[i - 1].model for i, row in enumerate(rows)]
    models = [short[row.model] if first else "" for row, first in zip(rows, firsts, strict=True)]
    lead = [Column("model", models, "left"), Column("run", [shorten(printable(row.run)) for row in rows], "left")]
    columns = [
        Column("trials", [f"{row.trials:,}" for row in rows]),
        number_column("average", [row.average for row in rows], form),
        number_column("deviation", [row.deviation for row in rows], form),
        number_column("chance", [row.chance for row in rows], form),
        number_column("z", [row.z for row in rows], ".1f"),
    ]
    return Table(lead, [columns], "Runs")


def shorten(name: str) -> str:
    """The name of a run, with its middle left out where it is long."""
    return name if len(name) <= RUN else f"{name[: RUN // 2]}…{name[1 - RUN // 2 :]}"


def sentences(
    table: Sequence[RunScore], v: Variation, shares: Sequence[Shares], form: str, confidence: float
) -> list[str]:
    """Whether the runs of a benchmark agree, what makes up the variance, and what to do; table: its runs."""
    n, ci = len(table), interval(confidence)
    hidden = [f"The {SHOWN} of {n:,} runs that stand out most are shown."] if n > SHOWN else []
    size = f"{v.ratio:.2f} times the variance that chance explains, {p_value(v.p_value)}"
    sd = f"{score(v.sd, form)} ({ci} {score(v.sd_lo, form)} to {score(v.sd_hi, form)})"
    if is_unknown(v):
        return ["No question has different outcomes in two runs: how much runs differ is not known.", *_lacking(table)]
    if v.p_value <= LEVEL:
        first = f"Runs differ more than chance explains ({size}): beyond chance the average of a run has a standard "
        out = [first + f"deviation of {sd}. Intervals and comparisons that account for it: --runs sampled."]
    else:
        first = (
            f"Runs are not shown to differ beyond chance ({size}); the standard deviation of a run's average beyond "
        )
        out = [first + f"chance is {sd}."]
    direction = "above" if v.deviation > 0.0 else "below"
    one = f"run {name_of(v.run)} of {name_of(v.model)}, {score(abs(v.deviation), form)} {direction} the model's average"
    if v.deviation:
        out.append(f"The run that stands out most is {one} ({p_value(v.p_run)}, adjusted for the number of runs).")
    if shares:  # the sources of the variance, in the mean over models
        names, whose = ("questions", "runs", "trials"), "the average" if len(shares) == 1 else "an average"
        parts = [f"{name} {100 * sum(getattr(x, name) for x in shares) / len(shares):.0f}%" for name in names]
        out.append(f"Of the variance of {whose} on similar questions, in similar runs: {', '.join(parts)}.")
    return [*out, *_lacking(table), *hidden]


def _lacking(rows: Sequence[RunScore]) -> list[str]:
    """Runs that lack outcomes which others of the model have."""
    most = {row.model: max(y.trials for y in rows if y.model == row.model) for row in rows}
    lacking = [f"{name_of(y.run)} of {name_of(y.model)} ({y.trials:,} of {most[y.model]:,})"
               for y in rows if y.trials < most[y.model]]  # fmt: skip
    return [f"Runs with fewer outcomes than others: {listed(lacking, 5, 'other')}."] if lacking else []


EXAMPLES = """examples:
  scorio runs log.csv
  scorio runs results/ --files-are-runs
  scorio runs log.jsonl --runs-by prompt
  scorio leaderboard log.csv --runs sampled

"""
MEANING = """A run is a pass over the benchmark, a seed, a prompt, a server, a session: what
trials of different questions share. The table has the average of each model in
each run, its deviation from the model's average, question by question, and what
chance explains of it; z is their ratio. Runs come from a column trial (run,
seed, epoch) whose ids are common to questions, from --runs-by COLUMN, from the
files with --files-are-runs, or from {run} in --layout or --rows.

The test (Cochran's Q for outcomes 0 and 1, pooled over the models) asks whether
runs differ more than the trials of each question explain: 4 to 6% of logs whose
runs do not differ say so at 5%. Intervals and tests on these questions take
trials as independent; with --runs sampled they account for the differences, and
with --runs shared for those of runs that are the same for all models.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    options.add(parser, confidence="nominal coverage of the interval of the standard deviation")
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Runs:
    return runs(read(args, trials=True), **options.chosen(args, "confidence"))
