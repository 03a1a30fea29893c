"""``scorio extrapolate`` and ``Evaluation.extrapolate``: Pass@k or Pass^k for more trials than the log has."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import arguments, eval
from ..display.terms import interval, level, p_value
from ..display.text import name_of, number
from ..errors import InvalidInput, shown
from ..metrics.metric import metric_and_k
from ..outcomes.counts import Counts
from ..outcomes.identity import rows_by_id
from ..page.columns import aligned, names_column
from ..page.document import Column, Document, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..results import MetricName, ModelExtrapolation
from . import notes, options
from .base import Result, about_of
from .notes import by_benchmark, heading

ATOM = {"z": "0", "o": "1"}  # mark of the fitted models "zero-inflated ..." and "one-inflated ...", by first letter
REJECTION_LEVEL = 0.05  # a smaller p-value of the fit rejects the fitted model


@dataclass(frozen=True)
class Row:
    """Extrapolated Pass@k or Pass^k of a model in a benchmark.

    Attributes
    ----------
    benchmark, model : str
    k : int, number of trials
    lower, upper, low, high, unsolved : number; as in :class:`scorio.results.Extrapolation`
    value, lo, hi, fitted, alpha, beta, atom, ratio, fit, trials_needed, n_questions
        As in :class:`scorio.results.ModelExtrapolation`, where the field fitted is called model; None where no model
        can be fitted.
    """

    benchmark: str
    model: str
    k: int
    lower: float
    upper: float
    low: float
    high: float
    unsolved: int
    value: float | None = None
    lo: float | None = None
    hi: float | None = None
    fitted: str | None = None
    alpha: float | None = None
    beta: float | None = None
    atom: float | None = None
    ratio: float | None = None
    fit: float | None = None
    trials_needed: int | None = None
    n_questions: int | None = None


@dataclass(frozen=True, kw_only=True)
class Extrapolations(Result):
    """Extrapolated Pass@k or Pass^k of every model in every benchmark.

    Attributes
    ----------
    table : tuple of Row
    metric : str, "pass@k" or "pass^k"
    width : float or None
        The requested width of the limits, which ``trials_needed`` is about; None if none was requested.
    """

    schema: ClassVar[str] = "scorio.extrapolate/4"
    table: tuple[Row, ...]
    metric: str
    width: float | None

    def document(self) -> Document:
        ks = {row.k for row in self.table}
        k = f" with k = {next(iter(ks))}" if len(ks) == 1 else ""
        about, sign = self.about, "@" if _counts_successes(self) else "^"
        first = heading(about) + f"; Pass{sign}k{k}"
        blocks = by_benchmark(about, self.table, lambda rows: _table(self, rows))
        sentences = [sentence(self, row) for row in self.table]
        coverage = level(about.confidence)
        explanations = [
            f"limits: a range that covers the metric in about {coverage} of evaluations, without a model.",
            "fitted: the metric under a beta-binomial model, or one with a share of questions that are never solved "
            "(0) or never failed (1). fit: p-value of the model, small if it does not fit the counts. Report the "
            "limits first: if the model is wrong its interval may never cover the metric, as with log-uniform rates "
            "(0 of 80 runs from 16 trials to k = 1,024), which fit detects in at most 31%.",
        ]
        return Document(first, blocks, sentences, notes.doubts(about), explanations)


def extrapolate(
    e: EvaluationData, k: int | None = None, *, metric: MetricName = "pass@k", width: float | None = None,
    confidence: float = 0.95, more: EvaluationData | None = None,
) -> Extrapolations:  # fmt: skip
    """Extrapolate Pass@k or Pass^k to more trials per question than the log has.

    Parameters
    ----------
    e : Evaluation, binary outcomes
    k : int, optional
        Larger than the smallest number of trials of a question, for every model. Default, in each benchmark: twice the
        smallest number of trials of a question, of the model for which this number is largest.
    metric : {"pass@k", "pass^k"}
    width : float in (0, 1), optional; also compute how many more trials would narrow the limits to this width
    confidence : float in (0, 1); nominal coverage of the limits
    more : Evaluation, optional
        Further trials of the questions with few successes, which ``n_questions`` counts, run in response to the trials
        of e. All its benchmarks, models and questions are in e. Use it for extrapolation alone: an average over both
        is biased.

    Returns
    -------
    Extrapolations

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.eval.extrapolate`, such as range: k is not above the trials; category: there are scores
        other than 0 and 1; choice: more has a benchmark, model or question that e does not have.
    """
    confidence, (metric, k) = arguments.confidence(confidence), metric_and_k(metric, k)
    options: dict[str, Any] = {"metric": metric, "width": width, "confidence": confidence}
    more_counts = {} if more is None else _more_counts(e, more)
    if k is None and more_counts:
        reason = "state k: the default rests on the trials of e alone, and there are more"
        raise InvalidInput("type", "k", reason, "k")
    table = list[Row]()
    for part in e.benchmarks.values():
        most = 2 * max(int(part.answered(m).counts.trials.min()) for m in part.logs) if k is None else k
        table += [_row(part, m, most, more=more_counts.get((part.name, m)), **options) for m in part.logs]
    return Extrapolations(about=about_of(e, confidence=confidence), table=tuple(table), metric=metric, width=width)


def _more_counts(e: EvaluationData, more: EvaluationData) -> dict[tuple[str, str], Counts]:
    """Counts of further trials by benchmark and model, with a row for every question that the model has answered."""
    if not isinstance(more, EvaluationData):
        raise InvalidInput("type", "more", f"more is {shown(more)}, not an evaluation: scorio.read(LOG)")
    further = {}
    for part in more.benchmarks.values():
        for model in part.logs:
            before, added = e.benchmark(part.name).answered(model).counts, part.answered(model).counts
            known = rows_by_id(before.ids)
            if unknown := [q for q in added.ids or () if q not in known]:
                reason = f"further trials of question {shown(unknown[0])}, of which {shown(model)} has no earlier trial"
                raise InvalidInput("choice", "more", reason)
            further[part.name, model] = added._reindexed(before.ids or ())
    return further


def _row(part: Benchmark, model: str, k: int, *, metric: MetricName, width: float | None, **options: Any) -> Row:
    counts = part.answered(model).counts
    if counts.C > 1 or part.scores != (0.0, 1.0):
        where = f" in {shown(part.name)}" if part.name else ""
        what = f"extrapolation takes the outcomes 0 and 1, and model {shown(model)}{where} has other scores"
        raise InvalidInput("category", "outcome", what, "binary")
    band = eval.extrapolate(counts, metric, k, **options)
    try:
        fitted: ModelExtrapolation | None = eval.extrapolate_model(counts, metric, k, width=width, **options)
    except InvalidInput as error:
        if error.code != "undefined" and (error.code != "range" or width is not None):
            raise
        fitted = None
    # Row has lower to unsolved of Extrapolation, then all of ModelExtrapolation, each in its order
    return Row(part.name, model, k, *band[:5], *(fitted or ()))


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
    lead = [names_column("model", [r.model for r in rows])]
    unsolved = Column("unsolved" if _counts_successes(x) else "never\nfailed", [f"{r.unsolved:,}" for r in rows])
    return Table(lead, [[unsolved], *([c] for c in columns)], "Extrapolation")


def _counts_successes(x: Extrapolations) -> bool:
    """Whether the metric is Pass@k, not Pass^k."""
    return "^" not in x.metric and "hat" not in x.metric


def sentence(x: Extrapolations, r: Row) -> str:
    """Sentences with the limits of the metric at k, and the further trials that would narrow them."""
    success = _counts_successes(x)
    kind, name = "success" if success else "failure", f"Pass{'@' if success else '^'}{r.k}"
    where = f" in {name_of(r.benchmark)}" if x.about.several else ""
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


EXAMPLES = """examples:
  scorio extrapolate runs.csv --k 64              Pass@64 from fewer trials
  scorio extrapolate runs.csv --k 64 --metric pass^k
  scorio extrapolate runs.csv --k 64 --width 0.2  trials for limits 0.2 wide
  scorio extrapolate runs.csv --k 64 --more more.csv
                                                  with further trials

"""
MEANING = """columns of the table:
  unsolved  questions without a success (Pass^k: without a failure)
  limits    a range that covers the metric with the nominal coverage P,
            without a model: the values that the trials do not exclude, widened
            for sampling error (--json also has them not widened: lower, upper)
  fitted    the metric, and its interval, under a beta-binomial model, or
            under one with a share of questions that are never solved (marked
            0; for Pass^k never failed, marked 1)
  fit       p-value of the fitted model: small if it does not fit the counts
            (it detects few wrong models: report the limits first)

"""


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run)
    add = parser.add_argument
    add("--metric", default="pass@k", metavar="NAME", help="pass@k (default) or pass^k")
    add("--k", type=int, metavar="K",
        help="k, above the fewest trials of a question (default: twice that, for the model that has most)")  # fmt: skip
    add("--width", type=float, metavar="W", help="plan how many more trials would make the limits W wide")
    add("--more", metavar="LOG",
        help="log of further trials of the questions with few successes; do not use them for any other result",
        )  # fmt: skip
    options.add(parser, "confidence")
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Extrapolations:
    e = read(args)
    more = None if args.more is None else read(args, more=args.more)
    return extrapolate(e, more=more, **options.chosen(args, "k", "metric", "width", "confidence"))
