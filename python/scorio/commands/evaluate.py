"""``scorio evaluate`` and ``Evaluation.metrics``: metrics of every model with their intervals, and macro-averages."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from .. import arguments
from ..analysis.measure import (
    Request,
    check_k,
    checked_ks,
    checked_runs,
    in_every_benchmark,
    macro,
    naming_benchmark,
    target_of,
)
from ..display.terms import MACRO, interval
from ..display.text import printable, score_format
from ..errors import InvalidInput
from ..eval.table import PARAMETERS, evaluate
from ..metrics.metric import TABLE, metric_and_k, metrics_for
from ..page.columns import aligned
from ..page.document import Block, Column, Document, Paragraph, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import MetricName, RunTarget, Target, VarianceSource
from . import notes, options
from .base import OPTIONAL, Result, about_of
from .notes import benchmarks, heading


@dataclass(frozen=True)
class Row:
    """A metric of a model in a benchmark; the fields after model are those of :class:`scorio.eval.table.Row`."""

    benchmark: str
    model: str
    metric: str
    k: int | None
    parameters: str
    mu: float
    sigma: float | None
    lo: float | None
    hi: float | None
    variance_source: VarianceSource | None
    dropped: int | None
    lowest: float | None = field(default=None, metadata={OPTIONAL: True})
    highest: float | None = field(default=None, metadata={OPTIONAL: True})


@dataclass(frozen=True)
class Macro:
    """The macro-average of a metric of a model: the plain mean over all benchmarks, which are on one scale.

    lowest and highest: the macro-average with all missing outcomes at the lowest score, and at the highest. mu to
    variance_source are as in :class:`scorio.results.MetricInterval`.
    """

    model: str
    metric: str
    k: int | None
    mu: float
    sigma: float
    lo: float
    hi: float
    variance_source: VarianceSource
    lowest: float | None = field(default=None, metadata={OPTIONAL: True})
    highest: float | None = field(default=None, metadata={OPTIONAL: True})


@dataclass(frozen=True, kw_only=True)
class Metrics(Result):
    """Metrics of every model.

    Attributes
    ----------
    table : tuple of Row, rows by benchmark and model
    macro : tuple of Macro
        Macro-averages of the default metrics, if several benchmarks are on one scale, of models with a trial in each.
        Empty where metrics were named, or answers were requested.
    k : tuple of int, or None; numbers of trials of the metrics, also those stated in their names
    tau : float or None, threshold of g_pass_at_k_tau
    """

    schema: ClassVar[str] = "scorio.evaluate/3"
    table: tuple[Row, ...]
    macro: tuple[Macro, ...]
    k: tuple[int, ...] | None
    tau: float | None

    def document(self) -> Document:
        about = self.about
        sources = {r.variance_source for r in self.table} - {None}
        several = len({(r.metric, r.k) for r in self.table if r.variance_source}) > 1
        explanations = notes.meanings(about, [y for y in sources if y], several) if sources else []
        blocks = list[Block]()
        for model in about.models:
            for name in about.benchmarks:
                if rows := [r for r in self.table if (r.benchmark, r.model) == (name, model)]:
                    head = f"{printable(model)}: {printable(name)}" if about.several else printable(model)
                    blocks += [Paragraph(head), _table(rows, score_format(about.w))]
            if means := [r for r in self.macro if r.model == model]:
                blocks += [Paragraph(f"{printable(model)}: {MACRO}"), _table(means, score_format(about.w))]
        target = f" ({about.target})" if about.questions else ""
        ci = f"{interval(about.confidence)}{target}" if about.confidence else ""
        return Document(heading(about, benchmarks(about), ci), blocks, (), notes.doubts(about), explanations)


def metrics(
    e: EvaluationData, names: str | Iterable[str] | None = None, *, k: int | Iterable[int] | None = None,
    tau: float | None = None, questions: Target | None = None, runs: RunTarget = "fixed", confidence: float = 0.95,
    answers: bool = False,
) -> Metrics:  # fmt: skip
    """Compute metrics of every model in every benchmark, with intervals of those that have one.

    Parameters
    ----------
    e : Evaluation
    names : str or iterable of str, optional
        Functions of :mod:`scorio.eval`, or aliases such as "pass@4". Default: the intervals of the mean and, with k, of
        the usual metrics of k trials that fit the outcomes.
    k : int or iterable of int, optional; numbers of trials
    tau : float in [0, 1], optional; threshold of g_pass_at_k_tau
    questions : {"fixed", "sampled"}, optional
        On these questions, or on similar ones. Default: "fixed", or "sampled" where every question has one trial.
    runs : {"fixed", "sampled", "shared"}
        Not "fixed": intervals and tests also account for the differences between runs, as in
        :func:`scorio.eval.interval`; the log must state the run of each trial.
    confidence : float in (0, 1); nominal coverage of the intervals
    answers : bool, compute metrics of votes too; the evaluation must have been read with ``answers=True``

    Returns
    -------
    Metrics

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.evaluate`; no_trials: a model has no trial.
    """
    runs = checked_runs(runs)
    chosen = [names] if isinstance(names, str) else None if names is None else arguments.sequence(names, "names")
    target, confidence, ks = target_of(e, questions), arguments.confidence(confidence), checked_ks(k)
    if chosen is not None:
        by_alias = {entry.alias: entry.name for entry in TABLE if entry.name in PARAMETERS}
        names_and_ks = [metric_and_k(name, None) for name in chosen]
        choices = tuple(dict.fromkeys((*by_alias, *PARAMETERS)))
        chosen = [by_alias.get(x, x) for x in (arguments.choice(name, "names", choices) for name, _ in names_and_ks)]
        ks = checked_ks([*(ks or ()), *(n for _, n in names_and_ks if n is not None)] or None)
    options: dict[str, Any] = {} if tau is None else {"tau": tau}
    if chosen is None or "mean_ci" in chosen:
        options["questions"] = target
    if chosen is None or any(x.endswith("_ci") for x in chosen):
        options["confidence"] = confidence
    table = [
        Row(part.name, model, *row)
        for part in e.benchmarks.values()
        for model in part.logs
        for row in _evaluate_model(part, model, chosen, ks, answers, options, runs)
    ]
    has_intervals = any(row.variance_source for row in table)
    macros = _macros(e, table, tau, target, confidence, runs) if chosen is None and not answers else ()
    about = about_of(e, target if has_intervals else "", confidence if "confidence" in options else 0.0, bounds=True,
                     runs=runs if has_intervals else "")  # fmt: skip
    return Metrics(about=about, table=tuple(table), macro=macros, k=None if ks is None else tuple(ks), tau=tau)


def _evaluate_model(
    part: Benchmark, model: str, names: Sequence[str] | None, ks: list[int] | None, answers: bool,
    options: dict[str, Any], runs: str,
) -> Any:  # fmt: skip
    """Rows of :func:`scorio.evaluate` for a model; with "sampled", clusters of questions are the sampling units."""
    log = part.answered(model)
    check_k(part, model, log, Request(k=max(ks) if ks else None))
    if answers and log.answers is None:
        raise InvalidInput("missing", "answers", "the evaluation has outcomes, not the answers of trials")
    if part.bounds:
        log, options = part.log(model), options | {"missing": "bounds"}
    if runs != "fixed" and "questions" in options:
        options = options | {"runs": part.sampled_runs(runs, [model])}
    data: Any = log.answers if answers else log.with_missing() if part.bounds else log.counts
    if answers and log.clusters and options.get("questions") == "sampled":  # counts carry their clusters
        options = options | {"clusters": log.clusters}
    try:
        return evaluate(data, names, k=ks, w=part.w, **options)
    except InvalidInput as error:
        with naming_benchmark(part):
            raise error.of(f"model {model!r}") from None


def _macros(
    e: EvaluationData, table: Sequence[Row], tau: float | None, target: str, confidence: float, runs: str
) -> tuple[Macro, ...]:
    """Macro-averages of the metrics that a model has in every benchmark, if there are several on one scale."""
    if len(e.benchmarks) < 2 or not e.comparable:
        return ()
    out = []
    for model in (m for m in e.models if in_every_benchmark(e, m)):
        with_interval = metrics_for("interval")
        present = [(r.benchmark, r.metric, r.k) for r in table if r.model == model and r.metric in with_interval]
        for metric, k in dict.fromkeys(x[1:] for x in present):
            if all((name, metric, k) in present for name in e.benchmarks):
                threshold = tau if metric == "g_pass_at_k_tau" else None
                x = macro(e, model, Request(cast(MetricName, metric), k, threshold, target, confidence, runs=runs))
                out.append(Macro(model, metric, k, x.mu, x.sigma, x.lo, x.hi, x.variance_source, *(x.bounds or ())))
    return tuple(out)


def _table(rows: Sequence[Row] | Sequence[Macro], form: str) -> Table:
    lead = [Column("metric", [r.metric for r in rows], "left"),
            Column("k", ["" if r.k is None else str(r.k) for r in rows])]  # fmt: skip
    bounds = ("lowest", "highest") if any(r.lowest is not None for r in rows) else ()
    columns = [Column(name, aligned("" if (y := getattr(r, name)) is None else format(y, form) for r in rows))
               for name in ("mu", "sigma", *bounds, "lo", "hi")]  # fmt: skip
    if any(r.variance_source not in (None, "measured") for r in rows):
        columns.append(Column("variance", [r.variance_source or "" for r in rows], "left"))
    return Table(lead, [columns], "Metrics")


EXAMPLES = """examples:
  scorio evaluate runs.csv --k 1,2,4
  scorio evaluate runs.csv --k 8 --tau 0.5 --questions sampled
  scorio evaluate runs.csv --metrics bayes_ci,pass_at_k_ci --k 2 --csv
  scorio evaluate logs --answers --k 4,16

"""
MEANING = """Without --metrics: the mean and, with --k, pass_at_k, pass_hat_k (all k trials
succeed), maj_at_k, mg_pass_at_k and auc_at_k, with --k and --tau also
g_pass_at_k_tau; with --w the mean and, with --k, max_at_k. Each has a
confidence interval.
With --answers and --k: the mean, maj_at_k (more than half of k trials succeed),
and what a vote of the k answers scores: plurality_at_k, ties split evenly, and
strict_plurality_at_k, ties count as wrong. Logs of lm-evaluation-harness,
inspect_ai, NeMo-Skills, MMLU-Pro and verl have answers.
--metrics takes metrics of scorio.eval, as the function is called (pass_at_k) or
as pass@k. Those ending in _ci, except mean_ci, are the estimators of the
Bayes@N paper: their credible intervals rest on a uniform prior on every
question, which shrinks them towards the middle of the scale (avg_ci: which only
widens them).

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    options.add_target(parser, "numbers of trials for Pass@k and the like (default: the mean alone)")
    options.add(parser, tau="threshold of g_pass_at_k_tau")
    parser.add_argument("--answers", action="store_true",
        help="read the answers too: the score of a majority vote of k trials, beside the mean")  # fmt: skip
    parser.add_argument("--metrics", metavar="A,B", help="metrics of scorio.eval, by name")
    parser.set_defaults(option_names={"names": "--metrics"})
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Metrics:
    names = None if args.metrics is None else [name.strip() for name in args.metrics.split(",")]
    return metrics(read(args), names, **options.chosen(args, "k", "tau", "questions", "runs", "confidence", "answers"))
