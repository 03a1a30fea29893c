"""``scorio rank`` and ``Evaluation.rank``: the ranks that each model may have, given how uncertain scores are."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import ClassVar

from .. import arguments
from ..analysis.measure import (
    Request,
    checked_runs,
    in_every_benchmark,
    macro,
    other_request,
    target_of,
    value,
    where_variance_shows,
)
from ..analysis.pairs import Pairs, Ranges, compare_pairs, rank_ranges_by_benchmark
from ..display.terms import alpha
from ..display.text import span
from ..errors import InvalidInput
from ..metrics.metric import lower_is_better, metric_and_k, read_metric
from ..page.columns import names_column
from ..page.document import Column, Document, Table
from ..readers.evaluation import EvaluationData
from ..results import Correction, MetricInterval, MetricName, RunTarget, Target
from . import notes, options
from .base import HIDDEN, PRIMARY, Result, about_of
from .notes import benchmarks, by_benchmark, heading


@dataclass(frozen=True)
class Row:
    """Ranks that a model may have.

    Attributes
    ----------
    benchmark : str or None; None: over all benchmarks
    model : str
    best, worst : int; the range for the requested target
    fixed, sampled : (int, int) or None
        The ranges on these questions and on similar ones; None for the target that was not requested, where the data do
        not allow both.
    value : MetricInterval, the metric of the model
    """

    benchmark: str | None
    model: str
    best: int
    worst: int
    fixed: tuple[int, int] | None
    sampled: tuple[int, int] | None
    value: MetricInterval = field(metadata={PRIMARY: "mu"})


@dataclass(frozen=True, kw_only=True)
class Ranking(Result):
    """Ranges of the ranks that models may have.

    Attributes
    ----------
    table : tuple of Row
        Over all benchmarks, where they are on one scale; then in each, where there are several. Models are ordered by
        the middle of their range, then by value.
    metric, k, tau
        The metric by which models are ranked.
    correction : "holm" or None, how the pairs are adjusted for their number
    compare : callable, function without arguments that computes :attr:`pairs`, when these are first needed
    """

    schema: ClassVar[str] = "scorio.rank/3"
    table: tuple[Row, ...]
    metric: str
    k: int | None
    tau: float | None
    correction: Correction
    compare: Callable[[], Pairs] = field(repr=False, compare=False, metadata={HIDDEN: True})

    @cached_property
    def pairs(self) -> Pairs:
        """Comparisons of all pairs on which the ranges rest, for the requested target, with their intervals."""
        return self.compare()

    def document(self) -> Document:
        about = self.about
        sources = {row.value.variance_source for row in self.table}
        rate = "one error rate for all pairs, by Holm's method" if self.correction else "each pair by itself"
        ranks = (
            "Ranks: from 1 + the number of significantly better models to the number of models that are not "
            f"significantly worse (at {alpha(about.confidence)}, {rate})."
        )
        explanations = [ranks, *notes.meanings(about, sources)]
        lowest = ["The lowest value is the best one."] if lower_is_better(self.metric) else []
        blocks = by_benchmark(about, self.table, lambda rows: _table(self, rows))
        return Document(heading(about, benchmarks(about)), blocks, lowest, notes.doubts(about), explanations)


def rank(
    e: EvaluationData, metric: MetricName = "mean", k: int | None = None, tau: float | None = None, *,
    questions: Target | None = None, runs: RunTarget = "fixed", confidence: float = 0.95,
    correction: Correction = "holm", guard: float = 0.0,
) -> Ranking:  # fmt: skip
    """Range of ranks that each model may have, from the comparisons of all pairs.

    Parameters
    ----------
    e : Evaluation
    metric, k, tau
        A metric of :func:`scorio.eval.interval`.
    questions : {"fixed", "sampled"}, optional
        Target of the order and of the intervals. Ranges are given for both targets if some question has two trials,
        and if there are two questions, or clusters. Default: "fixed", or "sampled" where every question has one trial.
    runs : {"fixed", "sampled", "shared"}
        Not "fixed": intervals and tests also account for the differences between runs, as in
        :func:`scorio.eval.interval`; the log must state the run of each trial.
    confidence : float in (0, 1); 1 - confidence is the level of the comparisons
    correction : "holm" or None; "holm": the level is family-wise over all pairs. None tests each pair by itself.
    guard : float in [0, 1], as in :func:`scorio.commands.compare`

    Returns
    -------
    Ranking

    Raises
    ------
    InvalidInput
        shape: fewer than two models; range: k above the trials of a question; no_trials: the only two models share no
        question. Among three or more models, a pair that shares too few questions is left out.
    """
    confidence, target = arguments.confidence(confidence), target_of(e, questions)
    if correction is not None:
        arguments.choice(correction, "correction", ("holm",))
    if len(e.models) < 2:
        raise InvalidInput("shape", "logs", f"the log has one model, {e.models[0]}: at least two are needed")
    metric, k = metric_and_k(metric, k)
    runs = checked_runs(runs)
    request = Request(metric, k, tau, target, confidence, guard=guard, runs=runs)
    for part in e.benchmarks.values():
        read_metric(request.name_in(part), request.k, tau, part.w)  # checks the parameters of the metric
    complete = [m for m in e.models if in_every_benchmark(e, m)]
    if len(e.benchmarks) == 1 and len(complete) < 2:
        raise InvalidInput("no_trials", "logs", "fewer than two models have a trial")
    values = {(name, m): value(part, m, request) for name, part in e.benchmarks.items() for m in part.logs
              if part.logs[m].counts.trials.any()}  # fmt: skip
    # with several benchmarks, a model that has no trial in one of them still has ranks in the others
    data = e.select(complete) if len(e.benchmarks) == 1 else e
    ranges = {request.questions: rank_ranges_by_benchmark(data, request, correction)}
    if other := other_request(e, request):
        with where_variance_shows(other):
            ranges[other.questions] = rank_ranges_by_benchmark(data, other, correction)
    table = []
    if e.comparable and len(complete) > 1:
        averages = {m: macro(e, m, request) if len(e.benchmarks) > 1 else values[next(iter(e.benchmarks)), m]
                    for m in complete}  # fmt: skip
        table += _rows(None, averages, request, ranges)
    for name in e.benchmarks if len(e.benchmarks) > 1 else ():
        table += _rows(name, {m: values[name, m] for m in e.models if (name, m) in values}, request, ranges)
    about = about_of(e, target, confidence, bounds=True, runs=runs)
    compare = partial(compare_pairs, data, request, correction)
    return Ranking(about=about, table=tuple(table), metric=metric, k=k, tau=tau, correction=correction, compare=compare)


def _rows(
    name: str | None, values: Mapping[str, MetricInterval], request: Request,
    ranges: Mapping[str, Mapping[str | None, Ranges]],
) -> list[Row]:  # fmt: skip
    """Rows of models, ordered by the middle of their range, then by value, the best first."""
    main = {m: ranges[request.questions][name].get(m, (1, len(values))) for m in values}
    sign = 1.0 if lower_is_better(request.metric) else -1.0
    order = sorted(values, key=lambda m: (sum(main[m]), sign * values[m].mu, m))
    fixed, sampled = (ranges[t][name] if t in ranges else {} for t in ("fixed", "sampled"))
    return [Row(name, m, *main[m], fixed.get(m), sampled.get(m), values[m]) for m in order]


def _table(x: Ranking, rows: Sequence[Row]) -> Table:
    about = x.about
    ranks = []
    for target, words in (("fixed", "these\nquestions"), ("sampled", "similar\nquestions")):
        ranges = [getattr(row, target) for row in rows]
        if any(ranges):
            ranks.append(Column(f"ranks on {words}", ["" if y is None else span(y[0], y[1], "-") for y in ranges]))
    metric = "average" if x.metric == "mean" else re.sub(r"(?<=[@^_])k$", str(x.k), x.metric)
    values = notes.interval_column(about, metric, [row.value for row in rows])
    return Table([names_column("model", [row.model for row in rows])], [ranks, [values]], "Ranks")


EXAMPLES = """examples:
  scorio rank runs.csv
  scorio rank runs.csv --metric pass@k --k 4 --questions sampled
  scorio rank runs.csv --correction none --confidence 0.99

"""
MEANING = """A rank range counts significant differences: from 1 + the number of models that
are significantly better to the number of models that are not significantly
worse (itself counted). "2-4": one model is significantly better, all but four
are significantly worse. Every pair is compared on the questions that both
answered, two-sided, at the level 1 - P of --confidence P, on these questions
and on similar ones. The level is family-wise over all pairs by Holm's method.
With --correction none each pair is tested by itself. With several benchmarks
there is a table for the macro-average, and one for each.

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    options.add(parser, "metric", "k", "tau")
    options.add_target(parser)
    options.add(parser, guard={"default": 0.0})
    parser.add_argument("--correction", choices=("holm", "none"), default="holm",
        help="adjust p-values for the number of pairs (holm; default), or test each pair by itself (none)")  # fmt: skip
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Ranking:
    correction = None if args.correction == "none" else args.correction
    settings = options.chosen(args, "metric", "k", "tau", "questions", "runs", "confidence", "guard")
    return rank(read(args), correction=correction, **settings)
