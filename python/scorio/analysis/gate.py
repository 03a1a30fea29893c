"""Gate: whether a candidate may replace a baseline, or scores high enough, in each benchmark and over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from .. import arguments, sinf
from ..choices import MetricName, Rule, Spending
from ..display.text import among, listed
from ..errors import InvalidInput
from ..inference.suite import shares as shares_of_weights
from ..io.evaluation import Benchmark, EvaluationData
from ..io.logs import Log
from ..metrics.metric import ENTRIES, read_metric
from ..outcomes.counts import Counts
from ..results import Decision, Target, VarianceSource
from ..sinf.gate import Gate as SinfGate
from ..sinf.gate_suite import GateRow
from .changes import Row as ChangedQuestion
from .changes import regressions
from .compare import all_shared, check_pair, two_models
from .measure import Request
from .pairs import aligned
from .result import Result, about_of, target_of
from .sample_size import POWER

EXIT_CODES: dict[Decision, Literal[0, 1, 3]] = {"pass": 0, "fail": 1, "inconclusive": 3}


@dataclass(frozen=True)
class Row:
    """Decision in a benchmark, or over all benchmarks (``benchmark`` is None).

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive"}
    mu, sigma, lo, hi : float
        The difference candidate - baseline (with at_least: the score of the candidate), its standard error and its
        interval.
    p_worse, p_better : float
        p-values of two null hypotheses. p_worse: the loss is the margin or more (with at_least: the score is at_least
        or less), which a pass rejects. p_better: the loss is smaller (with at_least: the score is higher), which a fail
        rejects.
    p_adjusted : float
        p_better adjusted for the number of benchmarks (Holm); p_better itself over all benchmarks.
    df : float
        Degrees of freedom.
    worse : bool
        Whether the whole interval of the difference is below 0; False with at_least.
    trials_needed, questions_needed : int or None
        Total number of trials per question ("fixed") or of questions ("sampled") that would decide; None where the
        verdict is decided, where the number is not known, and where there are several benchmarks.
    growth : float or None
        Factor by which trials or questions would have to grow to decide; None where the verdict is decided, or where
        the factor is not known.
    variance_source : str
        How the variance was obtained, as in :class:`scorio.results.MetricInterval`.
    dropped : int
        With at_least and a single benchmark: questions without a trial; else 0.
    """

    benchmark: str | None
    verdict: Decision
    mu: float
    sigma: float
    lo: float
    hi: float
    p_worse: float
    p_better: float
    p_adjusted: float
    df: float
    worse: bool
    trials_needed: int | None
    questions_needed: int | None
    growth: float | None
    variance_source: VarianceSource
    dropped: int


@dataclass(frozen=True, kw_only=True)
class Gate(Result):
    """Verdict on whether a candidate may replace a baseline, or scores more than a number.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive"}
    candidate, baseline : str
        The baseline is "" with at_least.
    margin : float
        The loss that is acceptable, in units of the score; with at_least, the distance of at_least below the highest
        score.
    metric : str
        The name of the metric in words.
    rule : {"mean", "each"}
        The rule over several benchmarks: the weighted mean passes and no benchmark fails; or each benchmark passes.
    table : tuple of Row
        Over all benchmarks; then each of them, where there are several.
    other : tuple of Row
        The rows for the other target, where both exist; the verdict does not depend on them.
    weights : mapping of str to float
        Weight of each benchmark in the mean.
    power : float
        Power of the stated sample sizes.
    looks : tuple of float or None
        Fractions of the planned information at the looks so far.
    spending : str
        How the looks share the error rate.
    shared_questions : int
        Questions that both models answered; with at_least, those that the candidate answered.
    at_least : float or None
        The score that the candidate is to exceed, where it is compared with a number.
    changes : tuple of scorio.analysis.changes.Row or None
        The questions that regressed, if they were requested.
    """

    schema: ClassVar[str] = "scorio.gate/3"
    computed: ClassVar[tuple[str, ...]] = ("unshared_questions", "exit_code", "look")
    verdict: Decision
    candidate: str
    baseline: str
    margin: float
    metric: str
    rule: Rule
    table: tuple[Row, ...]
    other: tuple[Row, ...]
    weights: Mapping[str, float]
    power: float
    looks: tuple[float, ...] | None
    spending: Spending
    shared_questions: int
    at_least: float | None = None
    changes: tuple[ChangedQuestion, ...] | None = None

    @property
    def exit_code(self) -> Literal[0, 1, 3]:  # type: ignore[override]
        """Exit code of the command: 0 pass, 1 fail, 3 inconclusive."""
        return EXIT_CODES[self.verdict]

    @property
    def look(self) -> str | None:
        """Number of this look and, as if all steps were equal, of all looks: "look 2 of 5"; None without looks."""
        return f"look {len(self.looks)} of {round(len(self.looks) / self.looks[-1])}" if self.looks else None

    def to_junit(self) -> str:
        """Test report in JUnit's XML: a test case for each decision."""
        from importlib import import_module

        return str(import_module("scorio.render.junit").gate(self))


def gate(
    e: EvaluationData,
    candidate: str | None = None,
    baseline: str | None = None,
    metric: MetricName = "mean",
    k: int | None = None,
    tau: float | None = None,
    *,
    margin: float | None = None,
    at_least: float | None = None,
    questions: Target | None = None,
    confidence: float = 0.95,
    rule: Rule = "mean",
    weights: Mapping[str, float] | None = None,
    looks: Sequence[float] | None = None,
    spending: Spending = "obrien-fleming",
    power: float = POWER,
    changes: bool = False,
    shared: bool = False,
) -> Gate:
    """Decide whether a candidate is non-inferior to a baseline by a margin, or scores more than a number.

    Parameters
    ----------
    e : Evaluation
    candidate, baseline : str, optional
        Models; may be left out where there are only two, of which the first is the candidate then; with at_least where
        there is only one.
    metric, k, tau
        A metric of :func:`scorio.eval.interval`.
    margin : float > 0
        The loss that is acceptable, in units of the score.
    at_least : float
        Instead of margin and baseline: the score that the candidate is to exceed.
    questions : {"fixed", "sampled"}, optional
        Target of the verdict. Default: "fixed", or "sampled" where every question has one trial.
    confidence : float in (0, 1)
        A wrong pass has a nominal probability of at most (1 - confidence)/2.
    rule, weights
        The rule over several benchmarks and their weights, as in :func:`scorio.sinf.gate_suite`.
    looks, spending
        As in :func:`scorio.sinf.gate`; for a single benchmark.
    power : float in [1/2, 1)
        Power of the sample size that would decide.
    changes : bool
        Also name the questions that regressed, at a false-discovery rate of 1 - confidence; for binary outcomes. The
        verdict does not depend on them.
    shared : bool
        Decide on the questions that both models answered although one of them answered others too, which is refused
        otherwise.

    Returns
    -------
    Gate

    Raises
    ------
    InvalidInput
        An argument is invalid; missing: one model did not answer a question of the other, and ``shared`` is not true;
        conflict: benchmarks on different scales, looks at several benchmarks, or not exactly
        one of margin and at_least.

    Notes
    -----
    With at_least, the baseline is a model that always has the highest score, and the margin is the distance of the
    number below that score. The standard error is then at least that of outcomes whose average is the number.
    """
    if (margin is None) == (at_least is None):
        raise InvalidInput("conflict", "margin", "a gate needs a margin or a number: margin=0.02 or at_least=0.9")
    if arguments.flag(changes, "changes") and at_least is not None:
        raise InvalidInput("conflict", "changes", "one model is compared with a number: no question can have changed")
    confidence, target = arguments.confidence(confidence), target_of(e, questions)
    if at_least is None:
        a, b = two_models(e, candidate, baseline)
    else:
        a, b = one_model(e, candidate, baseline), ""
    for name, part in e.benchmarks.items():
        if missing := [m for m in (a, b) if m and m not in part.logs]:
            what = f"no model {missing[0]!r} in {name!r}; it has {among(missing[0], part.logs)}"
            raise InvalidInput("choice", "models", what, "tasks")
    rule = arguments.choice(rule, "rule", get_args(Rule))
    spending = arguments.choice(spending, "spending", get_args(Spending))
    data = (all_shared(e, a, b) if b else e.select(a)).on_one_scale()
    part = next(iter(data.benchmarks.values()))  # all benchmarks have the same scale
    about = about_of(data, target, confidence, pair=check_pair(e, a, b, shared) if b else None)
    n_questions = sum(_n_answered(x) for x in data.benchmarks.values())
    if at_least is not None:
        data, margin = _with_perfect_baseline(data), _margin_below_top(part, at_least)
    request = Request(metric, k, tau, target, confidence)
    options = {"margin": margin, "confidence": confidence, "power": power}
    rules = {"rule": rule, "weights": weights, "looks": looks, "spending": spending}
    verdict, table, shares = _decide(data, request, options, rules)
    other = () if target_of(data, None) == "sampled" else _other_target_rows(data, request, options, rules)
    if at_least is not None:
        table, other = (tuple(_as_score(row, part.scale[1]) for row in rows) for rows in (table, other))
    m = read_metric(request.name_in(part), request.k, tau, part.w)
    regressed = regressions(data, b, a, 1.0 - confidence) if changes else None
    return Gate(
        about=about, verdict=verdict, candidate=a, baseline=b, margin=float(margin or 0.0),
        metric=ENTRIES[m.name].title.format(k=request.k, tau=tau), rule=rule, table=table, other=other,
        weights=dict(zip(data.benchmarks, shares, strict=True)), power=power,
        looks=None if looks is None else tuple(looks), spending=spending, shared_questions=n_questions,
        at_least=at_least, changes=regressed,
    )  # fmt: skip


def one_model(e: EvaluationData, model: str | None, other: str | None = None) -> str:
    """Name of the model that is compared with a number: the stated one, or the only one; a second one is refused."""
    if other is not None:
        raise InvalidInput("conflict", "models", f"one model is compared with a number: name one, not {other!r} too")
    if model is None and len(e.models) > 1:
        raise InvalidInput("choice", "models", f"name one model; the log has {listed(e.models)}")
    return e.models[0] if model is None else e.check_model(model)


def _n_answered(part: Benchmark) -> int:
    """Number of questions with a trial of the first model."""
    return int((next(iter(part.logs.values())).counts.trials > 0).sum())


def _margin_below_top(part: Benchmark, at_least: float) -> float:
    """Margin of the gate: how far the number ``at_least`` is below the highest score."""
    low, high = part.scale
    x = arguments.real(at_least, "at_least")
    if not low < x < high:
        hint = f": did you mean {x / 100:.10g}?" if high == 1.0 < x < 100.0 else ""
        reason = f"at_least = {x!r} is not strictly between {low:.10g} and {high:.10g}, the ends of the scale{hint}"
        raise InvalidInput("range", "at_least", reason)
    return high - x


def _with_perfect_baseline(e: EvaluationData) -> EvaluationData:
    """Add a model that always has the highest score on the same questions, as the baseline."""
    (model,) = e.models
    # the name of the added model only has to differ from the other
    return replace(e, benchmarks={
        name: replace(part, logs={model: part.logs[model], f"not {model}": _perfect_log(part, model)})
        for name, part in e.benchmarks.items()
    })  # fmt: skip


def _perfect_log(part: Benchmark, model: str) -> Log:
    log = part.logs[model]
    table = np.zeros((log.counts.M, len(part.scores)), np.int64)
    table[:, part.scores.index(max(part.scores))] = log.counts.trials
    return Log(log.ids, Counts(table), clusters=log.clusters)


def _as_score(row: Row, top: float) -> Row:
    """Row of a score, from the row of its difference from the highest score."""
    mu, lo, hi = (top + x for x in (row.mu, row.lo, row.hi))
    return replace(row, mu=mu, lo=lo, hi=min(hi, top), worse=False)


def _other_target_rows(
    e: EvaluationData, request: Request, options: dict[str, Any], rules: dict[str, Any]
) -> tuple[Row, ...]:
    """Rows for the other target; none for a single question or cluster, which shows no variance."""
    other = "sampled" if request.questions == "fixed" else "fixed"
    try:
        return _decide(e, Request(request.metric, request.k, request.tau, other, request.confidence), options, rules)[1]
    except InvalidInput as error:
        if other == "sampled" and error.code == "shape":
            return ()
        raise


def _decide(
    e: EvaluationData, request: Request, options: dict[str, Any], rules: dict[str, Any]
) -> tuple[Decision, tuple[Row, ...], list[float]]:
    """Verdict of the gate, its rows, and the weights of the benchmarks."""
    a, b = e.models
    counts = aligned(e)
    part = next(iter(e.benchmarks.values()))
    metric = (request.name_in(part), request.k, request.tau, part.w)
    options = {"questions": request.questions, **options}
    if len(counts) == 1:
        (models,) = counts.values()
        names = list(counts)
        shares_of_weights(rules["weights"], names, names)  # only checks them: one benchmark has the weight 1
        result = sinf.gate(models[a], models[b], *metric, looks=rules["looks"], spending=rules["spending"], **options)
        return result.verdict, (_single_row(result, models[a]),), [1.0]
    if rules["looks"] is not None:
        raise InvalidInput("conflict", "looks", "looks need a single benchmark, and there are several", "task")
    new, base = ({name: models[m] for name, models in counts.items()} for m in (a, b))
    suite = sinf.gate_suite(new, base, *metric, rule=rules["rule"], weights=rules["weights"], **options)
    return suite.verdict, tuple(_suite_row(row) for row in (suite.mean, *suite.each)), suite.weights


def _single_row(result: SinfGate, counts: Counts) -> Row:
    n = counts.trials[counts.trials > 0]
    trials, questions = result.trials_needed, result.questions_needed
    growth = trials / int(n.min()) if trials else questions / n.size if questions else None
    return Row(
        None, result.verdict, result.mu, result.sigma, result.lo, result.hi, result.p_worse, result.p_better,
        result.p_better, result.df, result.worse, trials, questions, growth, result.variance_source,
        len(result.dropped),
    )  # fmt: skip


def _suite_row(row: GateRow) -> Row:
    return Row(
        row.benchmark, row.verdict, row.mu, row.sigma, row.lo, row.hi, row.p_worse, row.p_better, row.p_adjusted,
        row.df, row.worse, None, None, row.growth, row.variance_source, 0,
    )  # fmt: skip
