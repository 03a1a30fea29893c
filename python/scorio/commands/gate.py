"""``scorio gate`` and ``Evaluation.gate``: whether a candidate may replace a baseline, or scores high enough."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from .. import arguments, sinf
from ..analysis.measure import Request, checked_runs, other_request, target_of, where_variance_shows
from ..analysis.pairs import aligned, dispersions
from ..analysis.sample_size import POWER, REALISTIC
from ..display.terms import interval, level, on, p_value, scope
from ..display.text import about, among, listed, name_of, number, plural, printable, score, score_format
from ..errors import InvalidInput
from ..inference.suite import shares as shares_of_weights
from ..metrics.metric import ENTRIES, read_metric
from ..outcomes.counts import Counts
from ..page import junit
from ..page.columns import names_column, p_values
from ..page.document import Block, Column, Document, Table, name_value_table
from ..readers.evaluation import Benchmark, EvaluationData
from ..readers.logs import Log
from ..results import Decision, MetricName, Rule, RunTarget, Spending, Target, VarianceSource
from ..sinf.gate import Gate as SinfGate
from ..sinf.gate import GateRow
from . import notes, options
from .base import Result, about_of
from .changes import Row as ChangedQuestion
from .changes import regression_block, regressions
from .compare import all_shared, check_pair, two_models, two_models_of
from .each import QuestionGate, gate_each, one_model
from .gate_ledger import LedgerGate
from .gate_ledger import run as gate_from_ledger
from .ledgers import add_ledger

EXIT_CODES: dict[Decision, Literal[0, 1, 3]] = {"pass": 0, "fail": 1, "inconclusive": 3}
LOWER_GUARDS = (0.5, 0.25, 0.1, 0.05)
WIDER = (
    "The CI of the gate inverts the gate's test, and so moves with the margin. It may be wider than that of "
    "leaderboard or compare: since the verdict rests on it, it also allows for failures that so few questions and "
    "trials may not have shown."
)
CODES = options.exit_codes("0 pass, 1 fail", "3 inconclusive, ")
OF_LEDGER = ("ledger", "commit", "branch", "id", "no_record")  # options of a gate by a ledger


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
    p_adjusted : float, p_better adjusted for the number of benchmarks (Holm); p_better itself over all benchmarks
    df : float, degrees of freedom
    worse : bool, whether the whole interval of the difference is below 0; False with at_least
    trials_needed, questions_needed : int or None
        Total number of trials per question ("fixed") or of questions ("sampled") that would decide; None where the
        verdict is decided, where the number is not known, and where there are several benchmarks.
    growth : float or None
        Factor by which trials or questions would have to grow to decide; None where the verdict is decided, or where
        the factor is not known.
    variance_source : str, how the variance was obtained, as in :class:`scorio.results.MetricInterval`
    dropped : int, with at_least and a single benchmark: questions without a trial; else 0
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
    candidate, baseline : str; the baseline is "" with at_least
    margin : float
        The loss that is acceptable, in units of the score; with at_least, the distance of at_least below the highest
        score.
    metric : str, the name of the metric in words
    rule : {"mean", "each"}
        The rule over several benchmarks: the weighted mean passes and no benchmark fails; or each benchmark passes.
    table : tuple of Row, over all benchmarks; then each of them, where there are several
    other : tuple of Row, the rows for the other target, where both exist; the verdict does not depend on them
    weights : mapping of str to float, weight of each benchmark in the mean
    power : float, power of the stated sample sizes
    looks : tuple of float or None, fractions of the planned information at the looks so far
    spending : str, how the looks share the error rate
    shared_questions : int, questions that both models answered; with at_least, those that the candidate answered
    at_least : float or None, the score that the candidate is to exceed, where it is compared with a number
    changes : tuple of scorio.commands.changes.Row or None, the questions that regressed, if they were requested
    guard : float, the largest difference of a question (or trial) that was not sampled, as a share of the scale
    lower_guard : tuple of float and str, or None
        Of an inconclusive gate on averages: a smaller guard, not below any difference seen, and the verdict with it.
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
    guard: float = 1.0
    lower_guard: tuple[float, Decision] | None = None

    @property
    def exit_code(self) -> Literal[0, 1, 3]:  # type: ignore[override]
        """Exit code of the command: 0 pass, 1 fail, 3 inconclusive."""
        return EXIT_CODES[self.verdict]

    @property
    def look(self) -> str | None:
        """Number of this look and, as if all steps were equal, of all looks: "look 2 of 5"; None without looks."""
        return f"look {len(self.looks)} of {round(len(self.looks) / self.looks[-1])}" if self.looks else None

    def to_junit(self) -> str:
        """Test report in JUnit's XML: fail and inconclusive are failures, of the types "fail" and "inconclusive".

        Where the mean of several benchmarks decides, an inconclusive benchmark is not a failure.
        """
        # the mean of several benchmarks is no test case with the rule "each"
        rows = self.table if self.rule == "mean" or len(self.table) == 1 else self.table[1:]
        cases = [_case(self, row) for row in rows]
        return junit.report("scorio gate", "scorio.gate", cases, notes.gaps(self.about, shows_fixed=bool(self.other)))

    def document(self) -> Document:
        several = self.about.several
        one_model = self.at_least is not None
        rows = [("candidate", printable(self.candidate))]
        rows += [] if one_model else [("baseline", printable(self.baseline))]
        rows += [("metric", self.metric), ("at least" if one_model else "margin", target_number(self))]
        if not several:
            (row,) = self.table
            rows.append(("score" if one_model else "difference", difference(self, row)))
            rows.append(("p-value", f"{p_values([row.p_worse])[0]}, if {null_hypothesis(self)}{level_of_pass(self)}"))
        rows += [("about", scope(self.about.questions, self.about.runs))] + ([("look", self.look)] if self.look else [])
        blocks: list[Block] = [name_value_table(rows)]
        if several:
            names = ["mean" if row.benchmark is None else row.benchmark for row in self.table]
            verdicts = Column("", [row.verdict for row in self.table], "left")
            differences = Column("", [difference(self, row) for row in self.table], "left")
            blocks.append(Table([names_column("", names)], [[verdicts, differences]]))
        over = f" of {size}" if (size := notes.benchmarks(self.about)) else ""
        questions = number(self.shared_questions, "question" if one_model else "shared question")
        head = f"Gate on {questions}{over}: {self.verdict.upper()}"
        return Document(
            head,
            blocks,
            sentences(self),
            notes.gaps(self.about, shows_fixed=bool(self.other)),
            [error_rates(self), WIDER],
        )


def gate(
    e: EvaluationData, candidate: str | None = None, baseline: str | None = None, metric: MetricName = "mean",
    k: int | None = None, tau: float | None = None, *, margin: float | None = None, at_least: float | None = None,
    questions: Target | None = None, runs: RunTarget = "fixed", confidence: float = 0.95, rule: Rule = "mean",
    weights: Mapping[str, float] | None = None, looks: Sequence[float] | None = None,
    spending: Spending = "obrien-fleming", power: float = POWER, changes: bool = False, shared: bool = False,
    guard: float = 1.0,
) -> Gate:  # fmt: skip
    """Decide whether a candidate is non-inferior to a baseline by a margin, or scores more than a number.

    Parameters
    ----------
    e : Evaluation
    candidate, baseline : str, optional
        Models; may be left out where there are only two, of which the first is the candidate then; with at_least where
        there is only one.
    metric, k, tau
        A metric of :func:`scorio.eval.interval`.
    margin : float > 0, the loss that is acceptable, in units of the score
    at_least : float, instead of margin and baseline: the score that the candidate is to exceed
    questions : {"fixed", "sampled"}, optional
        Target of the verdict. Default: "fixed", or "sampled" where every question has one trial.
    runs : {"fixed", "sampled", "shared"}
        Not "fixed": intervals and tests also account for the differences between runs, as in
        :func:`scorio.eval.interval`; the log must state the run of each trial.
    confidence : float in (0, 1); a wrong pass has a nominal probability of at most (1 - confidence)/2
    rule, weights
        The rule over several benchmarks and their weights, as in :func:`scorio.sinf.gate_suite`.
    looks, spending
        As in :func:`scorio.sinf.gate`; for a single benchmark.
    power : float in [1/2, 1); power of the sample size that would decide
    changes : bool
        Also name the questions that regressed, at a false-discovery rate of 1 - confidence; for binary outcomes. The
        verdict does not depend on them.
    shared : bool
        Decide on the questions that both models answered although one of them answered others too, which is refused
        otherwise.
    guard : float in [0, 1], as in :func:`scorio.sinf.gate`

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
    confidence, target, runs = arguments.confidence(confidence), target_of(e, questions), checked_runs(runs)
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
    about = about_of(data, target, confidence, pair=check_pair(e, a, b, shared) if b else None, runs=runs)
    of_first = (next(iter(x.logs.values())) for x in data.benchmarks.values())
    n_questions = sum(int((log.counts.trials > 0).sum()) for log in of_first)
    if at_least is not None:
        data, margin = _against_number(data, part.scale, at_least)
    request = Request(metric, k, tau, target, confidence, guard=guard, runs=runs)
    options = {"margin": margin, "confidence": confidence, "power": power}
    rules = {"rule": rule, "weights": weights, "looks": looks, "spending": spending}
    verdict, table, shares = _decide(data, request, options, rules)
    other: tuple[Row, ...] = ()
    if target_of(data, None) == "fixed" and (second := other_request(data, request)):
        with where_variance_shows(second):
            other = _decide(data, second, options, rules)[1]
    if at_least is not None:
        top = part.scale[1]
        table, other = (
            tuple(replace(x, mu=top + x.mu, lo=top + x.lo, hi=min(top + x.hi, top), worse=False) for x in rows)
            for rows in (table, other)
        )
    m = read_metric(request.name_in(part), request.k, tau, part.w)
    lower = (
        _lower_guard(data, request, options, rules) if verdict == "inconclusive" and request.metric == "mean" else None
    )
    regressed = regressions(data, b, a, 1.0 - confidence) if changes else None
    return Gate(
        about=about, verdict=verdict, candidate=a, baseline=b, margin=float(margin or 0.0),
        metric=ENTRIES[m.name].title.format(k=request.k, tau=tau), rule=rule, table=table, other=other,
        weights=dict(zip(data.benchmarks, shares, strict=True)), power=power,
        looks=None if looks is None else tuple(looks), spending=spending, shared_questions=n_questions,
        at_least=at_least, changes=regressed, guard=guard, lower_guard=lower,
    )  # fmt: skip


def _lower_guard(
    e: EvaluationData, request: Request, options: dict[str, Any], rules: dict[str, Any]
) -> tuple[float, Decision] | None:
    """The largest of LOWER_GUARDS with which the gate decides, not below a difference that was seen."""
    largest = max(_largest_seen(part, request.questions) for part in e.benchmarks.values())
    for guard in LOWER_GUARDS:
        if largest <= guard < request.guard:
            verdict = _decide(e, replace(request, guard=guard), options, rules)[0]
            if verdict != "inconclusive":
                return guard, verdict
    return None


def _largest_seen(part: Benchmark, questions: str) -> float:
    """The largest difference of the two models on a question; with "fixed", of two trials of a question."""
    (low, high), tables = part.scale, [x.table for x in part.aligned().values()]
    scores = np.array(part.scores)[: tables[0].shape[1]]
    if questions == "fixed":
        seen = [np.where(x > 0, scores, -np.inf).max(1) - np.where(x > 0, scores, np.inf).min(1) for x in tables]
    else:
        a, b = (x @ scores / np.maximum(x.sum(1), 1) for x in tables)
        seen = [np.abs(a - b)]
    return max(float(x[np.isfinite(x)].max(initial=0.0)) for x in seen) / (high - low)


def _against_number(e: EvaluationData, scale: tuple[float, float], at_least: float) -> tuple[EvaluationData, float]:
    """Add a baseline that always has the highest score to a model, and return how far below it the number is."""
    (low, high), x = scale, arguments.real(at_least, "at_least")
    if not low < x < high:
        hint = f": did you mean {x / 100:.10g}?" if high == 1.0 < x < 100.0 else ""
        reason = f"at_least = {x!r} is not strictly between {low:.10g} and {high:.10g}, the ends of the scale{hint}"
        raise InvalidInput("range", "at_least", reason)
    benchmarks = {}
    for name, part in e.benchmarks.items():
        ((model, log),) = part.logs.items()
        table = np.zeros((log.counts.M, len(part.scores)), np.int64)
        table[:, part.scores.index(max(part.scores))] = log.counts.trials
        perfect = Log(log.ids, Counts(table), clusters=log.clusters)
        benchmarks[name] = replace(part, logs={model: log, f"not {model}": perfect})  # any other name would do
    return replace(e, benchmarks=benchmarks), high - x


def _decide(
    e: EvaluationData, request: Request, options: dict[str, Any], rules: dict[str, Any]
) -> tuple[Decision, tuple[Row, ...], list[float]]:
    """Verdict of the gate, its rows, and the weights of the benchmarks."""
    a, b = e.models
    counts = aligned(e)
    part = next(iter(e.benchmarks.values()))
    metric = (request.name_in(part), request.k, request.tau, part.w)
    options = {"questions": request.questions, "guard": request.guard, **options}
    runs = dispersions(e, request)
    if len(counts) == 1:
        (models,) = counts.values()
        names = list(counts)
        shares_of_weights(rules["weights"], names, names)  # only checks them: one benchmark has the weight 1
        options |= {"looks": rules["looks"], "spending": rules["spending"]}
        result = sinf.gate(models[a], models[b], *metric, runs=runs if runs == "fixed" else runs[names[0]], **options)
        n = models[a].trials[models[a].trials > 0]
        trials, questions = result.trials_needed, result.questions_needed
        growth = trials / int(n.min()) if trials else questions / n.size if questions else None
        row = _row(result, None, result.p_better, trials, questions, growth, len(result.dropped))
        return result.verdict, (row,), [1.0]
    if rules["looks"] is not None:
        raise InvalidInput("conflict", "looks", "looks need a single benchmark, and there are several", "task")
    new, base = ({name: models[m] for name, models in counts.items()} for m in (a, b))
    suite = sinf.gate_suite(new, base, *metric, rule=rules["rule"], weights=rules["weights"], runs=runs, **options)
    rows = (_row(x, x.benchmark, x.p_adjusted, None, None, x.growth, 0) for x in (suite.mean, *suite.each))
    return suite.verdict, tuple(rows), suite.weights


def _row(
    x: SinfGate | GateRow, benchmark: str | None, p_adjusted: float, trials: int | None, questions: int | None,
    growth: float | None, dropped: int,
) -> Row:  # fmt: skip
    return Row(benchmark, x.verdict, x.mu, x.sigma, x.lo, x.hi, x.p_worse, x.p_better, p_adjusted, x.df, x.worse,
               trials, questions, growth, x.variance_source, dropped)  # fmt: skip


def difference(x: Gate, row: Row) -> str:
    """Text of the difference, or of the score, and its interval."""
    form = score_format(x.about.w)
    mu, lo, hi = (score(y, form) for y in (row.mu, row.lo, row.hi))
    coverage = f"{interval(x.about.confidence)} of the gate" + (" over all looks" if x.look else "")
    return f"{mu}, {coverage} {lo} to {hi}"


def sentences(x: Gate) -> list[str]:
    """Sentences: the verdict, the next step, benchmarks that fail, regressions, the verdict for the other target."""
    mean, each = x.table[0], x.table[1:]
    failed = [row for row in each if row.verdict == "fail"]
    undecided = [row for row in each if row.verdict == "inconclusive"]
    if not each or (x.rule == "mean" and x.verdict == mean.verdict):
        out = decision(x, mean)
    elif failed:
        out = []
    elif x.verdict == "pass":
        out = [f"PASS: {claim(x)['pass']} in each of {number(len(each), 'benchmark')}."]
    else:
        names = listed([row.benchmark for row in undecided])
        hardest = max(undecided, key=lambda y: inf if y.growth is None else y.growth)
        out = [f"INCONCLUSIVE: {claim(x)['inconclusive']} in {names}. {next_step(x, hardest)}"]
    for row in failed:
        out.append(f"{decision(x, row)[0]} The p-value is adjusted for {number(len(each), 'benchmark')}.")
    if x.changes is not None:
        out.append(regression_block(x.changes, 1.0 - x.about.confidence, several=x.about.several))
    return out + other_decision(x)


def decision(x: Gate, row: Row) -> list[str]:
    """Sentences: the verdict of a row; if inconclusive, the data that would decide; if worse but no fail, a note."""
    where = "" if row.benchmark is None else f" in {row.benchmark}"
    quantity = "" if x.at_least is not None else ", difference"
    end = {"pass": "above", "fail": "below", "inconclusive": "which contains"}[row.verdict] + f" {threshold(x)}"
    limit = -x.margin if x.at_least is None else x.at_least
    if row.verdict == "inconclusive" and not row.lo <= limit <= row.hi:
        end = f"which excludes {threshold(x)}, but not after the adjustment for {number(len(x.table) - 1, 'benchmark')}"
    size = f"({x.metric}{where}{quantity} {difference(x, row)}, {end})"
    out = [f"{row.verdict.upper()}: {claim(x)[row.verdict]} {size}."]
    if row.verdict == "inconclusive":
        out.append(next_step(x, row))
        if x.lower_guard and row is x.table[0]:
            guard, verdict = x.lower_guard
            out.append(
                f"If no question or trial that was not seen differs by more than {guard:g} of the scale, this is a "
                f"{verdict}: --guard {guard:g}."
            )
    if row.worse and row.verdict != "fail":
        a, b = name_of(x.candidate), name_of(x.baseline)
        out.append(f"Note: the whole interval is below 0, so {a} is significantly worse than {b}.")
    return out


def threshold(x: Gate) -> str:
    """Text of the number that the interval is compared with."""
    return f"{-x.margin if x.at_least is None else x.at_least:.10g}"


def target_number(x: Gate) -> str:
    """Text of the margin, or of the number that the score should exceed."""
    return f"{x.margin if x.at_least is None else x.at_least:.10g}"


def claim(x: Gate) -> dict[str, str]:
    """Claim about the candidate for each of the three verdicts."""
    a, b, size = name_of(x.candidate), name_of(x.baseline), target_number(x)
    if x.at_least is not None:
        good, bad = f"{a} scores more than {size}", f"{a} scores less than {size}"
        unclear = f"whether {good}"
    else:
        good, worse = f"{a} is non-inferior to {b} by the margin of {size}", f"{a} is worse than {b}"
        bad, unclear = f"{worse} by more than the margin of {size}", f"whether {worse} by the margin of {size} or more"
    return {"pass": good, "fail": bad, "inconclusive": f"{unclear} cannot be decided yet"}


def next_step(x: Gate, row: Row) -> str:
    """Sentence with the trials or questions that would decide, or on why no number of them is stated."""
    unit = "trial per question" if x.about.questions == "fixed" else "question"
    needed = row.trials_needed if x.about.questions == "fixed" else row.questions_needed
    value, reference = ("score", "number") if x.at_least is not None else ("difference", "margin")
    if row.growth is not None and row.growth > REALISTIC:
        return (
            f"No realistic number of {plural(unit)} would decide (about {row.growth:,.0f} times as many): the {value} "
            f"is too near to {threshold(x)}. Choose another {reference}."
        )
    if row.growth is not None and row.growth <= 1.0:
        return f"A few more {plural(unit)} may decide."
    if row.growth is not None and needed is None:
        times = f"{row.growth:.1f}" if row.growth < 10 else f"{row.growth:,.0f}"
        amount = f"about {times} times as many {plural(unit)} in each benchmark"
    elif needed is not None:
        amount = f"{about(needed)} {unit if needed == 1 else plural(unit)}"
    else:
        return f"How many {plural(unit)} would decide is not known from these outcomes."
    aim = f"would decide with {level(x.power)} power, if the {value} is the observed one"
    return f"{amount[:1].upper()}{amount[1:]} {aim}."


def other_decision(x: Gate) -> list[str]:
    """Sentence with the decision over all benchmarks for the other target; the exit code does not depend on it."""
    if not x.other:
        return []
    row, target = x.other[0], "sampled" if x.about.questions == "fixed" else "fixed"
    size = f"{'' if x.at_least is not None else 'difference '}{difference(x, row)}"
    p = f"{p_value(row.p_worse)}, if {null_hypothesis(x)}{level_of_pass(x)}"
    return [f"For comparison, {on(target, x.about.runs)}: {row.verdict} ({size}; {p})."]


def null_hypothesis(x: Gate) -> str:
    """Clause with the null hypothesis that a pass rejects."""
    return "the candidate were worse by the margin" if x.at_least is None else f"the score were {threshold(x)} or less"


def level_of_pass(x: Gate) -> str:
    """Clause with the largest p-value that is a pass; none with looks, of which each has a level of its own."""
    return "" if x.look else f": at most {(1.0 - x.about.confidence) / 2:.10g} is needed"


def error_rates(x: Gate) -> str:
    """Sentence with the nominal error rates of the verdicts."""
    wrong = level((1.0 - x.about.confidence) / 2) + (" over all looks" if x.look else "")
    fail = level(1.0 - x.about.confidence) if len(x.table) > 1 and x.rule == "mean" else wrong
    bad, good = "that is worse by the margin or more", "any other one"
    if x.at_least is not None:
        bad, good = f"whose score is {threshold(x)} or less", "one whose score is more"
    return (
        f"Nominal error rates: a model {bad} passes with a probability of at most {wrong}, {good} fails with at most "
        f"{fail}. Measured rates are in bench/README.md."
    )


def _case(x: Gate, row: Row) -> junit.Case:
    where = "" if row.benchmark is None else f" in {row.benchmark}"
    target = f" against {x.baseline}, margin {x.margin:.10g}" if x.at_least is None else f", at least {threshold(x)}"
    name = f"{x.metric}{where}: {x.candidate}{target}"
    advisory = row.benchmark is not None and x.rule == "mean"
    fails = row.verdict == "fail" if advisory else row.verdict != "pass"
    return junit.Case(name, " ".join(decision(x, row)), row.verdict if fails else None)


EXAMPLES = """examples:
  scorio gate new.csv base.csv --margin 0.01      a log of one model each
  scorio gate runs.csv new base --margin 0.01     two models of a log
  scorio gate new.csv --at-least 0.9              one model against a number
  scorio gate new.csv --baseline main             a build, by the ledger .scorio

"""
MEANING = """The candidate comes first. The difference candidate - baseline is taken on the
questions that both answered. With the margin M, the verdict is
  pass          the whole interval is above -M: non-inferior       exit code 0
  fail          the whole interval is below -M                     exit code 1
  inconclusive  the interval contains -M; the output states how
                many trials or questions would decide              exit code 3
A candidate that is worse by M or more passes with a nominal probability of at
most (1 - P)/2 (--confidence P), 2.5% by default.

With --at-least X the interval of the score of one model is compared with X in
the same way, and with the same error rates. With --each X every question must
have an average of at least X: no test, exit code 0 or 1.

With --baseline NAME the log is the next build of a ledger (scorio baseline set
begins one): it passes above a floor, with one error rate over all builds, and
is recorded. scorio baseline history shows the builds.

scorio gate ... || [ $? -eq 3 ] accepts inconclusive too.
A baseline can be stored as counts: scorio convert base-log --to counts.
A log with several tasks has one verdict: pass if the mean over tasks passes and
no task fails (p-values for fail are adjusted for their number by Holm's
method); with --rule each, pass only if each task passes.
--look 2/5 is the second of five looks at equal steps of the planned trials (or
questions): the error rates are then those of all looks together.

"""


def _parse_look(text: str) -> list[float]:
    """Parse a look such as 2/5 into the fractions of the looks so far: 0.2 and 0.4."""
    look, _, total = text.partition("/")
    # looks are at least 1/256 of the plan apart: scorio.sinf.boundaries
    if not (look.isdecimal() and total.isdecimal() and 1 <= int(look) <= int(total) <= 256):
        raise ArgumentTypeError(f"{text!r} is not a look such as 2/5: the second of five")
    return [i / int(total) for i in range(1, int(look) + 1)]


def _parse_weights(text: str) -> dict[str, float]:
    """Parse weights such as aime=2,gpqa=1 into a mapping."""
    try:
        return {name: float(x) for name, _, x in (part.rpartition("=") for part in text.split(","))}
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a list such as aime=2,gpqa=1 (scores of categories: --w)") from None


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING, run, CODES, several=False)
    add = parser.add_argument
    add("models", nargs="*", metavar="MODEL", help="candidate and baseline of the log, or the log of the baseline")
    options.add(parser, "shared", "metric", "k", "tau")
    options.add_target(parser)
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--margin", type=float, metavar="M", help="the loss that is acceptable, in units of the score")
    target.add_argument("--at-least", type=float, metavar="X", help="instead: the score that one model should exceed")
    target.add_argument("--each", type=float, metavar="X", help="instead: the average that every question must reach")
    add("--look", type=_parse_look, metavar="K/N",
        help="the K-th of N planned looks, at equal steps (default: the only one)")  # fmt: skip
    add("--spending", choices=("obrien-fleming", "pocock"), default="obrien-fleming", metavar="NAME",
        help="how looks share the error rate: obrien-fleming, mostly late (default); pocock, evenly")  # fmt: skip
    add("--rule", choices=("mean", "each"), default="mean",
        help="for several benchmarks: the weighted mean passes and none fails (default), or each passes")  # fmt: skip
    add("--weights", type=_parse_weights, metavar="TASK=W,...", help="weight of each benchmark in the mean")
    options.add(parser, power="power of the sample size that an inconclusive gate states", guard={"default": 1.0})
    add("--changes", action="store_true",
        help="also name the questions that regressed, at a false-discovery rate of 1 - P (--confidence P)")  # fmt: skip
    parser.set_defaults(option_names={"score": "--each"})
    group = add_ledger(parser, "commit", "branch", "id", "no-record")
    group.add_argument("--baseline", metavar="NAME", help="gate the build against this baseline of the ledger")
    options.add(options.add_forms(parser), "junit", "markdown")


def run(args: Namespace, read: options.Read) -> Gate | QuestionGate | LedgerGate:
    if args.baseline is not None:
        reason = "the gate of a ledger is about averages on its questions, as the baseline was set"
        options.refuse_others(
            args, "baseline", reason, "margin", "confidence", "shared", options.READING, options.LEDGER
        )
        return gate_from_ledger(args, read)
    if args.margin is None and args.at_least is None and args.each is None:
        raise InvalidInput("missing", "margin", "one of --margin, --at-least, --each and --baseline is required")
    if stated := [name for name in OF_LEDGER if getattr(args, name) != args.parser.get_default(name)]:
        what = listed(["--" + name.replace("_", "-") for name in stated])
        raise InvalidInput("missing", "baseline", f"{what} is for a gate by a ledger: name its --baseline too")
    e = read(args)
    if args.margin is None and len(args.models) > 1:
        reason = f"--at-least and --each check one model: name one of {', '.join(args.models)}"
        raise InvalidInput("conflict", "models", reason)
    if args.each is not None:
        options.refuse_others(args, "each", "--each compares averages with a number", "each", options.READING)
        result: Gate | QuestionGate = gate_each(e, args.each, *args.models)
    else:
        e, a, b = two_models_of(args, read, e) if args.margin is not None else (e, (*args.models, None)[0], None)
        names = ("metric", "k", "tau", "margin", "at_least", "questions", "runs", "confidence", "rule", "power",
                 "weights", "spending", "changes", "shared", "guard")  # fmt: skip
        result = gate(e, a, b, looks=args.look, **options.chosen(args, *names))
    options.write_reports(args, result)
    return result
