"""``scorio converge`` and ``Evaluation.converge``: after how many trials the ranking no longer changes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import converge as convergence
from ..analysis.curves import Block, block
from ..analysis.measure import Request, naming_benchmark, require_models
from ..converge.bootstrap import raise_on_interrupt
from ..display.terms import level
from ..display.text import number, percents
from ..metrics.metric import metric_and_k
from ..page.columns import aligned
from ..page.document import Column, Document, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import MetricName, Resampling
from . import notes, options
from .base import Result, about_of
from .notes import benchmarks, by_benchmark, heading

ROWS = 16  # most rows of a table


@dataclass(frozen=True)
class Row:
    """Agreement of the ranking after n trials per question with the ranking of all trials that were used.

    Attributes
    ----------
    benchmark : str
    n : int, trials per question
    tau_b : float, mean over bootstrap replicates of Kendall's tau-b between the two rankings
    stable : float or None
        Share of replicates in which the ranking after n trials, and after every larger number, is the ranking of all
        trials that were used; None where n is the number of these trials.
    """

    benchmark: str
    n: int
    tau_b: float
    stable: float | None


@dataclass(frozen=True)
class Stability:
    """Stability of the ranking of a benchmark.

    Attributes
    ----------
    benchmark : str
    models : tuple of str
    n_questions, shared, answered_by_any, trials, gaps, longer
        As in :class:`scorio.analysis.curves.Block`.
    never : float, share of replicates in which the ranking is not stable before all trials
    mean : float or None
        Trials per question after which the ranking is stable, on average over the other replicates; None if there are
        none.
    """

    benchmark: str
    models: tuple[str, ...]
    n_questions: int
    shared: int
    answered_by_any: int
    trials: int
    gaps: bool
    longer: bool
    never: float
    mean: float | None


@dataclass(frozen=True, kw_only=True)
class Convergence(Result):
    """The number of trials after which the ranking is stable.

    Attributes
    ----------
    table : tuple of Row
    each : tuple of Stability, stability in each benchmark
    metric, k, tau, replicates, scheme, seed
        The arguments of the analysis.
    """

    schema: ClassVar[str] = "scorio.converge/3"
    table: tuple[Row, ...]
    each: tuple[Stability, ...]
    metric: str
    k: int | None
    tau: float | None
    replicates: int
    scheme: str
    seed: int

    def document(self) -> Document:
        about, first = self.about, self.each[0]
        size = f"{number(first.n_questions, 'question')}, {number(first.trials, 'trial per question')}"
        head = heading(about, benchmarks(about) or size) + f"; metric {self.metric}"
        each = {y.benchmark: y for y in self.each}
        sentences = notes.of_each(about, each, lambda name: sentence(each[name], self.replicates))
        doubts = [*notes.of_each(about, each, lambda name: left_out(each[name])), *notes.gaps(about)]
        explanations = [
            "tau: mean over replicates of Kendall's tau-b between the ranking after n trials per question and the "
            "ranking of all trials. stable: share of replicates in which these two are equal for n trials and for "
            "every larger number."
        ]
        return Document(head, by_benchmark(about, self.table, _table), sentences, doubts, explanations)


def converge(
    e: EvaluationData, *, metric: MetricName = "mean", k: int | None = None, tau: float | None = None,
    replicates: int = 10_000, scheme: Resampling = "columns", seed: int = 0,
) -> Convergence:  # fmt: skip
    """Find after how many trials the ranking of the models no longer changes, by bootstrap.

    Parameters
    ----------
    e : Evaluation, read with ``trials=True``; at least two models
    metric, k, tau
        The metric that ranks the models, as for :func:`scorio.converge.tau_curve`.
    replicates : int, number of bootstrap replicates
    scheme : {"columns", "rows"}; resample whole runs, or the trials of each question by itself
    seed : int, seed of the bootstrap

    Returns
    -------
    Convergence

    Raises
    ------
    InvalidInput
        An argument is invalid; type: the order of trials is not known; shape: fewer than two models, or
        no question with two trials of every model; empty: no question that all models answered.
    """
    require_models(e, 2)
    metric, k = metric_and_k(metric, k)
    options: dict[str, Any] = {"replicates": replicates, "scheme": scheme, "seed": seed}
    results = [_bootstrap(part, Request(metric, k, tau), options) for part in e.benchmarks.values()]
    table = tuple(row for rows, _ in results for row in rows)
    stabilities = tuple(stability for _, stability in results)
    return Convergence(about=about_of(e), table=table, each=stabilities, metric=metric, k=k, tau=tau, **options)


def _bootstrap(part: Benchmark, request: Request, options: dict[str, Any]) -> tuple[list[Row], Stability]:
    with naming_benchmark(part):
        trials = block(part)
    options = options | {"metric": request.metric, "k": request.k, "tau": request.tau, "w": part.w}
    with naming_benchmark(part), raise_on_interrupt():
        curve = convergence.tau_curve(trials.outcomes, **options)
        distribution = convergence.bootstrap_convergence(trials.outcomes, **options)
    shares: dict[int, float] = dict(enumerate(distribution.cdf, 1))
    rows = [Row(part.name, n, t, shares.get(n)) for n, t in zip(curve.trials, curve.tau_b, strict=True)]
    never = distribution.never
    mean = None if never == 1 else distribution.mean
    sizes = (trials.n_questions, trials.shared, trials.answered_by_any, trials.trials, trials.gaps, trials.longer)
    return rows, Stability(part.name, tuple(trials.outcomes), *sizes, never, mean)


def _table(rows: Sequence[Row]) -> Table:
    steps = ((i / (ROWS - 1)) ** 2 for i in range(ROWS))  # denser where there are few trials
    chosen = [*rows] if len(rows) <= ROWS else [rows[i] for i in sorted({round((len(rows) - 1) * x) for x in steps})]
    shares = percents([r.stable for r in chosen if r.stable is not None])  # the last row, of all trials, has no share
    return Table(
        [Column("trials", [str(r.n) for r in chosen])],
        [[Column("tau", aligned(f"{r.tau_b:.3f}" for r in chosen)), Column("stable", [*shares, ""])]],
        "Stability of the ranking",
    )


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


EXAMPLES = """examples:
  scorio converge runs.csv
  scorio converge runs.csv --metric pass@k --k 4 --replicates 100000
  scorio converge runs.csv --scheme rows --seed 7

"""
MEANING = """columns of the table:
  tau     mean over replicates of Kendall's tau-b between the ranking after n
          trials per question and the ranking of all trials
  stable  share of replicates in which the ranking after n trials, and after
          every larger number, is the ranking of all trials
A replicate samples as many trials as the log has, with replacement: whole runs
(--scheme columns) or each question by itself (rows). The bootstrap takes the
ranking of all trials as the truth. With few trials that ranking is uncertain
itself: see scorio rank.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    options.add(parser, "metric", "k", "tau", replicates={"default": 10_000, "help": "number of bootstrap replicates"})
    parser.add_argument("--scheme", choices=("columns", "rows"), default="columns",
        help="resample whole runs (columns; default), or each question by itself (rows)")  # fmt: skip
    options.add(parser, seed={"metavar": "S", "help": "seed of the random numbers"})
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Convergence:
    settings = options.chosen(args, "metric", "k", "tau", "replicates", "scheme", "seed")
    return converge(read(args, trials=True), **settings)
