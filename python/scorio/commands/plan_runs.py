"""``scorio plan --runs sampled`` and ``Evaluation.plan_runs``: runs and questions, where whole runs may differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf, isinf, sqrt
from typing import Any, ClassVar, NamedTuple, cast

from .. import arguments
from ..analysis.measure import Request, only_benchmark, ranks_by_value, value
from ..analysis.pairs import compare_pairs
from ..analysis.sample_size import POWER
from ..arithmetic.distributions import beta_low, error_rate
from ..arithmetic.double_double import ext
from ..arithmetic.double_double import value as double
from ..display.terms import alpha, interval, level
from ..display.text import listed, number, score_format
from ..errors import InvalidInput
from ..inference.difference import quantile
from ..inference.planning import VarianceComponents
from ..page.columns import aligned, names_column, number_column
from ..page.document import Block, Column, Document, Paragraph, Table
from ..readers.evaluation import EvaluationData
from ..results import RunVariation
from . import notes
from .base import Result, about_file, about_of


def plan_runs(
    e: EvaluationData, *, difference: float | None = None, half_width: float | None = None, power: float = POWER,
    confidence: float = 0.95,
) -> RunPlan:  # fmt: skip
    """Find how many runs and questions detect a difference, or make intervals narrow, where whole runs may differ.

    Parameters
    ----------
    e : Evaluation of one benchmark, with runs
    difference, half_width, power, confidence
        As in :meth:`Evaluation.plan`.

    Returns
    -------
    RunPlan

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: two targets, several benchmarks, or a log without runs; shape: fewer than two
        models to distinguish.

    Notes
    -----
    With N runs of M questions the difference of two models has the variance V = 2 σ²/N + w/(M N), and on similar
    questions + b/M: σ is the standard deviation of a run's average beyond chance, w the variance over the trials of a
    question in a run, and b that over questions, of the difference. It is detected if it is at least
    (t + t_power) sqrt(V), by the comparison with ``runs="sampled"`` (spec/families/runs.md). That estimates the
    variance between runs from the planned runs, and t has 2 (N - 1) degrees of freedom, or more on similar questions,
    whose variance has M - 1. The half width of an interval is t sqrt(V), with σ²/N and N - 1. So no number of questions
    gets below (t + t_power) σ sqrt(2/N). In simulations the power of planned comparisons was 77% to 84% for 80%.
    """
    confidence, stated = arguments.confidence(confidence), difference if half_width is None else half_width
    if difference is not None and half_width is not None:
        raise InvalidInput("conflict", "half_width", "difference and half_width are two targets: state one")
    part = only_benchmark(e, "a plan with runs")
    kind = "half_width" if half_width is not None else "observed" if difference is None else "difference"
    size = None if stated is None else arguments.gap(stated, kind, part.scale[1] - part.scale[0])
    if kind != "half_width" and len(e.models) < 2:
        raise InvalidInput("shape", "logs", f"the log has one model, {e.models[0]}: at least two are needed", "alone")
    rule = Rule(confidence, None if kind == "half_width" else arguments.power(power))
    part.sampled_runs("sampled")  # refuses a log without runs
    variation = cast(RunVariation, part.run_variation)
    mean = {m: value(part, m, Request(questions="sampled")).mu for m in part.logs if part.logs[m].counts.trials.any()}
    order = list(ranks_by_value(mean))
    pairs = [(m, None) for m in order] if kind == "half_width" else list(pairwise(order))
    if not pairs:
        raise InvalidInput("no_trials", "logs", "no two models have trials", "alone")
    each = [(a, b, *planned(e, a, b, confidence, variation.sd)) for a, b in pairs]
    rows = [_row(x, rule, a, mean[a], b, gap if size is None else size, N, M) for a, b, x, gap, N, M in each]
    a, b, x, _, N, M = each[0]
    upper = upper_sd(variation, x, M)
    return RunPlan(
        about=about_of(e, "", confidence, runs="sampled"), table=tuple(rows), target=kind, size=size, power=rule.power,
        run_sd=variation.sd, upper_sd=upper, ratio=variation.ratio, alternatives=_alternatives(x, rule, N, M),
        at_upper_sd=_row(x._replace(sd=upper), rule, a, mean[a], b, rows[0].difference or size, N, M),
    )  # fmt: skip


def plan_runs_ahead(
    *, n_questions: int, n_trials: int, rate: float, difference: float, run_sd: float, power: float = POWER,
    confidence: float = 0.95, between: float = 0.5, correlation: float = 0.3,
) -> RunPlan:  # fmt: skip
    """Plan the runs of a comparison of two models before there is a log.

    Parameters
    ----------
    n_questions, n_trials : int; questions, at least two, and runs with a trial of each question
    run_sd : float in [0, 1/2]; the standard deviation of a run's average beyond chance
    rate, difference, power, confidence, between, correlation
        As in :func:`scorio.commands.plan.plan_ahead`.

    Returns
    -------
    RunPlan

    Raises
    ------
    InvalidInput
        An argument is invalid; range: difference is above rate.

    Examples
    --------
    >>> from scorio.commands.plan_runs import plan_runs_ahead
    >>> x = plan_runs_ahead(n_questions=500, n_trials=4, rate=0.6, difference=0.02, run_sd=0.01).table[0]
    >>> x.runs_needed_fixed, x.least_runs, round(x.floor, 3)
    (15, 6, 0.024)
    """
    M, N = arguments.integer(n_questions, "n_questions", 2, 10**9), arguments.integer(n_trials, "n_trials", 1, 10**6)
    p, rule = arguments.confidence(rate, name="rate"), Rule(arguments.confidence(confidence), arguments.power(power))
    size, sd = arguments.gap(difference, "difference", 1.0), arguments.within(run_sd, "run_sd", 0.0, 0.5)
    shares = arguments.within(between, "between", 0.0, 1.0), arguments.within(correlation, "correlation", -1.0, 1.0)
    assumed = Assumed(p, *shares)
    x = components(M, assumed, size)
    parts = RunParts(2, sd, float(x.fixed(N) * M * N), float(x.between))
    return RunPlan(
        about=about_file("plan", ("A", "B"), rule.confidence), table=(_row(parts, rule, "A", p, "B", size, N, M),),
        target="difference", size=size, power=rule.power, run_sd=sd, alternatives=_alternatives(parts, rule, N, M),
        assumed=assumed,
    )  # fmt: skip


def _row(x: RunParts, rule: Rule, a: str, average: float, b: str | None, size: float | None, N: int, M: int) -> Row:
    """Row of a model, or of two; size: the difference, or half width, to reach."""
    row = Row(
        a, average, b, size if b else None, N, M, reached_fixed=_finite(x.smallest(rule, N, M, False)),
        reached_sampled=_finite(x.smallest(rule, N, M, True)), floor=_finite(x.floor(rule, N)),
    )  # fmt: skip
    if not size:
        return row
    fixed, sampled = (x.runs_needed(rule, size, M, on_similar) for on_similar in (False, True))
    return replace(
        row, runs_needed_fixed=fixed, runs_needed_sampled=sampled, questions_needed=x.questions_needed(rule, size, N),
        least_runs=x.least_runs(rule, size), cheapest=x.cheapest(rule, size),
    )  # fmt: skip


def _alternatives(x: RunParts, rule: Rule, N: int, M: int) -> tuple[Alternative, ...]:
    plans = alternatives(N, M)
    reached = [[_finite(x.smallest(rule, n, m, sampled)) for sampled in (False, True)] for n, m in plans]
    return tuple(Alternative(*plan, *ends) for plan, ends in zip(plans, reached, strict=True))


def _finite(x: float) -> float | None:
    return x if x < inf else None


MEANING = """scorio plan --runs sampled, and without a log --run-sd: whole runs (passes over
the benchmark, seeds, prompts, servers) may differ. --n-trials is the number of
runs. The variance of a difference in N runs of M questions is then
  2 s^2 / N + w / (M N), and + b / M on similar questions (sampled),
s the standard deviation of a run's average beyond chance, w the variance over
trials, b that over questions. It is detected if it is (t + t_power) standard
errors, t with 2 (N - 1) degrees of freedom or more, since the planned runs
themselves must show how far they differ: one run detects nothing ("never"),
and no number of questions detects less than (t + t_power) s sqrt(2 / N).
With --half-width: s^2 / N, and N - 1.

"""


@dataclass(frozen=True)
class Row:
    """Runs and questions for a model and the next one below it, or for the interval of a model.

    Attributes
    ----------
    model : str
    average : float
    next : str or None, the model from which this model is to be distinguished
    difference : float or None, the difference to detect: the observed one, or the one that was stated
    runs_now, questions_now : int
    reached_fixed, reached_sampled : float or None
        Smallest difference that the present runs and questions detect, or half width of intervals, on these questions
        and on similar ones.
    runs_needed_fixed, runs_needed_sampled : int or None
        Total runs that are needed of the present questions; None where a million are not enough.
    questions_needed : int or None
        Total similar questions that are needed in the present number of runs; None where no number is enough.
    floor : float or None, the difference below which no number of questions gets with the present runs
    least_runs : int or None, the fewest runs with which some number of questions is enough
    cheapest : (int, int) or None, the runs and the similar questions that are enough with about the fewest trials
    """

    model: str
    average: float
    next: str | None
    difference: float | None
    runs_now: int
    questions_now: int
    reached_fixed: float | None = None
    reached_sampled: float | None = None
    runs_needed_fixed: int | None = None
    runs_needed_sampled: int | None = None
    questions_needed: int | None = None
    floor: float | None = None
    least_runs: int | None = None
    cheapest: tuple[int, int] | None = None


@dataclass(frozen=True)
class Alternative:
    """A plan with about the present trials: runs, questions, and what they reach, as in :class:`Row`."""

    runs: int
    questions: int
    fixed: float | None
    sampled: float | None


@dataclass(frozen=True, kw_only=True)
class RunPlan(Result):
    """Numbers of runs and of questions for a target: a difference or a width.

    Attributes
    ----------
    table : tuple of Row
    target : {"observed", "difference", "half_width"}; target of the plan
    size : float or None, the stated difference or half width
    power : float or None, None where intervals are planned
    run_sd : float, the standard deviation of a run's average beyond chance, on which the plan rests
    upper_sd : float or None, the upper end of its 95% interval; None without a log
    ratio : float or None, the variance between runs over that which chance explains; None without a log
    at_upper_sd : Row or None, the first row if the standard deviation were upper_sd
    alternatives : tuple of Alternative, plans of equal cost for the first row
    assumed : Assumed or None, the assumptions of a plan that is made without a log
    """

    schema: ClassVar[str] = "scorio.plan_runs/1"
    table: tuple[Row, ...]
    target: str
    size: float | None
    power: float | None
    run_sd: float
    upper_sd: float | None = None
    ratio: float | None = None
    at_upper_sd: Row | None = None
    alternatives: tuple[Alternative, ...] = ()
    assumed: Assumed | None = None

    def document(self) -> Document:
        about, first = self.about, self.table[0]
        whom = listed([x for x in (first.model, first.next) if x])
        now = f"{number(first.runs_now, 'run')} of {number(first.questions_now, 'question')}"
        cost = f"{first.runs_now * first.questions_now:,} trials of {whom}"
        reached = "+/-" if self.target == "half_width" else "detects"
        columns = [Column("questions", [f"{y.questions:,}" for y in self.alternatives])]
        for q in ("fixed", "sampled"):
            ends = [getattr(y, q) for y in self.alternatives]
            cells = iter(aligned(format(z, score_format(self.about.w)) for z in ends if z is not None))
            columns.append(Column(f"{q}:\n{reached}", ["never" if z is None else next(cells) for z in ends]))
        blocks: list[Block] = [
            _table(self),
            Paragraph(f"Plans of equal cost, {cost}:"),
            Table([Column("runs", [f"{y.runs:,}" for y in self.alternatives])], [columns], "Plans of equal cost"),
        ]
        doubts = [*([self.assumed.sentence(self.size or 0.0)] if self.assumed else []), *notes.doubts(about)]
        return Document(notes.heading(about, now), blocks, _sentences(self), doubts, [MEANING_OF_RUNS])


def _table(x: RunPlan) -> Table:
    form, widths = score_format(x.about.w), x.target == "half_width"
    reached = "+/-" if widths else "detects"

    def scores(header: str, name: str) -> Column:
        return number_column(header, [getattr(row, name) for row in x.table], form)

    def needed(header: str, name: str) -> Column:
        return Column(header, [_number(getattr(row, name)) for row in x.table])

    head = "better\nthan\nnext by" if x.size is None else "difference\nto detect"
    columns = [scores("average", "average"), *([] if widths else [scores(head, "difference")])]
    for q in ("fixed", "sampled"):
        columns += [scores(f"{q}:\n{reached}", f"reached_{q}"), needed(f"{q}:\nruns\nneeded", f"runs_needed_{q}")]
    columns.append(needed("sampled:\nquestions\nneeded", "questions_needed"))
    return Table([names_column("model", [row.model for row in x.table])], [columns], "Plan")


def _number(x: int | None) -> str:
    return "never" if x is None else f"{x:,}"


def _sentences(x: RunPlan) -> list[str]:
    """Sentences on the target, on the standard deviation of runs, and on what no number of questions reaches."""
    what = f"a {interval(x.about.confidence)} of +/- {x.size:.10g}" if x.target == "half_width" else ""
    if x.power is not None:
        which = "the observed difference from the next model" if x.size is None else f"a difference of {x.size:.10g}"
        what = f"{level(x.power)} power at the {alpha(x.about.confidence)} level for {which}"
    out = [f"Needed in total, for {what}: runs of the present questions, or questions in the present runs."]
    out += _about_sd(x) + _limits(x, x.table[0])
    if x.at_upper_sd is not None and x.upper_sd:
        out += _limits(x, x.at_upper_sd, f"with {x.upper_sd:.2g} ")
    return out


def _about_sd(x: RunPlan) -> list[str]:
    """The standard deviation of runs on which the plan rests, and how far an estimate may be off."""
    is_now = "Beyond chance the average of a run has a standard deviation of"
    if x.upper_sd is None or x.ratio is None:
        return [f"{is_now} {x.run_sd:.10g} (--run-sd)."]
    confidence = interval(0.95)
    if x.run_sd:
        return [f"{is_now} {x.run_sd:.2g} in this log; {confidence} up to {x.upper_sd:.2g}."]
    return [
        f"The runs of this log differ no more than chance explains ({x.ratio:.2g} times the variance), but that the "
        f"standard deviation beyond chance is 0 is an estimate: {confidence} up to {x.upper_sd:.2g}."
        + ("" if x.upper_sd else " They agree more than runs of independent trials would.")
    ]


def _limits(x: RunPlan, row: Row, lead: str = "") -> list[str]:
    """Sentences on what no number of questions reaches with the present runs, and on the fewest runs for the target.

    lead: the beginning of the sentence, about another standard deviation of runs.
    """
    widths, out = x.target == "half_width", list[str]()
    size = x.size or row.difference
    of_size = f"{size:.10g}" if x.size else f"{size or 0.0:.2g}"
    if row.floor is None:
        out.append("one run does not show how far runs differ")
    elif row.floor:
        reached = "makes it narrower than +/-" if widths else "detects less than"
        out.append(f"no number of questions {reached} {row.floor:.2g} with {row.runs_now:,} runs")
    if size and row.runs_needed_fixed is None:
        out.append(f"for {of_size} no number of runs below a million is enough")
    elif size and row.least_runs is not None:
        present = f" ({row.runs_needed_fixed:,} of the present questions)" if lead else ""
        out.append(f"{of_size} takes {row.least_runs:,} runs or more{present}")
    text = lead + ", and ".join(out)
    sentences = [f"{text[0].upper()}{text[1:]}."] if out else []
    if row.cheapest and not lead:
        runs, questions = row.cheapest
        sentences.append(f"On similar questions the cheapest are about {runs:,} runs of {questions:,} questions.")
    return sentences


MEANING_OF_RUNS = (
    "fixed: on these questions; sampled: on similar ones. The variance of a difference in N runs of M questions is "
    "2 s^2/N + w/(M N), sampled + b/M: s the standard deviation of a run's average beyond chance, w the variance over "
    "trials, b that over questions. It is detected from (t + t_power) standard errors, t with 2 (N - 1) degrees of "
    "freedom or more (an interval of one model: s^2/N, N - 1), since the planned runs themselves show their variance."
)


@dataclass(frozen=True)
class Assumed:
    """Assumptions about two models on which a plan without a log rests.

    Attributes
    ----------
    rate : float, the success rate of the better model, or of both with a margin, on average over the questions
    between : float
        The share of the variance of an outcome that is between questions: 0 where all are equally difficult, 1 where
        each is always or never solved.
    correlation : float, correlation of the success rates of the two models over the questions
    """

    rate: float
    between: float
    correlation: float

    def sentence(self, difference: float) -> str:
        """These assumptions in a sentence; difference: of the rates of the models."""
        who = f"both models solve {self.rate:.10g}"
        if difference:
            who = f"A solves {self.rate:.10g} and B {self.rate - difference:.10g}"
        return (
            f"Assumed: {who} of the trials, {level(self.between)} of the variance is between questions (--between), "
            f"and their success rates correlate at {self.correlation:.10g} (--correlation). Plan again with scorio "
            "plan LOG when there are data."
        )


def components(M: int, x: Assumed, difference: float) -> VarianceComponents:
    """The variance components of the comparison of two models on M questions; difference: of their rates.

    The variance of a trial is p (1 - p), p the rate of its model, of which the share ``between`` is due to questions.
    """
    share, rho = Fraction(x.between), Fraction(x.correlation)
    p_a, p_b = Fraction(x.rate), Fraction(x.rate) - Fraction(difference)
    if p_b < 0:
        reason = f"rate = {x.rate!r} is that of the better model, and the other cannot be {difference!r} below it"
        raise InvalidInput("range", "difference", reason)
    v_a, v_b = p_a * (1 - p_a), p_b * (1 - p_b)  # the variance of a trial of each model
    within = (v_a + v_b) * (1 - share)
    return VarianceComponents(
        M,
        within=lambda n: M * within / n,
        step=lambda n: Fraction(1, n * n),
        between=share * (v_a + v_b - 2 * rho * Fraction(sqrt(v_a * v_b))),
    )


MOST_RUNS, MOST_QUESTIONS = 10**6, 10**9  # the largest numbers that are planned
MOST_DF = 1e6
ALTERNATIVES = (1, 2, 5, 10, 20)  # numbers of runs of plans of equal cost
FURTHER_RUNS = 20  # a cheapest plan has at most this many times the fewest runs
LEAST_QUESTIONS = 10  # of a plan of equal cost


class Rule(NamedTuple):
    """The confidence of a comparison and its power; without a power, the half width of an interval is planned."""

    confidence: float
    power: float | None


class RunParts(NamedTuple):
    """Parts of the variance of the difference of two models, or of the average of one.

    With N runs of M questions it is models sd^2 / N + trials / (M N), and on similar questions + questions / M. ``sd``
    is the standard deviation of a run's average beyond chance, which more questions do not change. The comparison with
    ``runs="sampled"`` estimates the first two parts together from the planned runs, with models (N - 1) degrees of
    freedom, and the last with units M - 1.

    Attributes
    ----------
    models : int, 1 or 2
    sd, trials : float
    questions : float or None; None where a single question, or cluster, shows no variance
    units : float, independent questions, or clusters, for each question
    """

    models: int
    sd: float
    trials: float
    questions: float | None
    units: float = 1.0

    def smallest(self, rule: Rule, N: int, M: float, sampled: bool) -> float:
        """Smallest difference that is detected with N runs of M questions, or half width; inf if there is none.

        It is c + t_power sqrt(V_λ), t_power that of df_λ, and c the larger of t sqrt(V) and t_λ sqrt(V_λ), as in
        spec/families/runs.md, with the expected variances in the place of the estimates. It is at least the limit for
        M to infinity: where questions add much variance df_λ is large, and can make it fall below before it rises.
        """
        if N < 2 or (sampled and self.questions is None):
            return inf
        of_runs, of_trials = self.models * self.sd**2 / N, self.trials / (M * N)
        V, df, f = of_trials, MOST_DF, self.models * (N - 1.0)
        if sampled and self.questions is not None:
            V, df = V + self.questions / M, min(self.units * M - 1.0, MOST_DF)
            if df < 1.0 or (self.models == 2 and 2.0**-df > 1.0 - rule.confidence):  # the signs of too few questions
                return inf
        V_runs = V + of_runs
        if not V_runs:
            return 0.0
        df_runs = min(V_runs**2 / (V**2 / df + (of_trials + of_runs) ** 2 / f), MOST_DF)
        critical = max(_t(rule.confidence, 2, df) * sqrt(V), _t(rule.confidence, 2, df_runs) * sqrt(V_runs))
        of_power = 0.0 if rule.power is None or rule.power == 0.5 else _t(rule.power, 1, df_runs) * sqrt(V_runs)
        return critical + of_power if isinf(M) else max(critical + of_power, self.floor(rule, N))

    def floor(self, rule: Rule, N: int) -> float:
        """The limit of :meth:`smallest` for many questions, below which no number of questions gets with N runs."""
        return self.smallest(rule, N, inf, False)

    def runs_needed(self, rule: Rule, size: float, M: int, sampled: bool) -> int | None:
        """The fewest runs of M questions that detect a difference; None if more than a million are needed."""
        return _first(lambda N: self.smallest(rule, N, M, sampled) <= size, 2, MOST_RUNS)

    def least_runs(self, rule: Rule, size: float) -> int | None:
        """The fewest runs at which some number of questions detects a difference; None above a million."""
        return _first(lambda N: self.floor(rule, N) <= size, 2, MOST_RUNS)

    def questions_needed(self, rule: Rule, size: float, N: int) -> int | None:
        """The fewest similar questions that detect a difference with N runs; None if none below 10^9 does."""
        return _first(lambda M: self.smallest(rule, N, M, True) <= size, 2, MOST_QUESTIONS)

    def cheapest(self, rule: Rule, size: float) -> tuple[int, int] | None:
        """The runs and the similar questions that detect a difference with about the fewest trials; None if none do."""
        least = N = self.least_runs(rule, size) or MOST_RUNS
        plans = list[tuple[int, int]]()
        while min(FURTHER_RUNS * least, MOST_RUNS) >= N:
            if questions := self.questions_needed(rule, size, N):
                plans.append((N, questions))
            N += 1 + N // 10
        return min(plans, key=lambda plan: plan[0] * plan[1], default=None)


def planned(
    e: EvaluationData, a: str, b: str | None, confidence: float, sd: float
) -> tuple[RunParts, float | None, int, int]:
    """The parts of a model, or of a difference; the observed difference, and the present runs and questions.

    e : an evaluation of one benchmark; sd: the standard deviation of a run's average beyond chance
    """
    ((name, whole),) = e.benchmarks.items()
    models = [a] if b is None else [a, b]
    part = whole.shared(models)
    counts = part.log(a).counts
    M, units = counts.M, len(set(counts.clusters or range(counts.M)))
    requests = [Request(questions=q, confidence=confidence) for q in ("fixed", "sampled")[: 1 + (units > 1)]]
    if b is None:
        estimates: list[Any] = [value(part, a, request) for request in requests]
    else:
        shared = replace(e, benchmarks={name: part})
        estimates = [compare_pairs(shared, request).each[0] for request in requests]
    fixed, *sampled = (x.sigma**2 for x in estimates)
    logs = [whole.log(m) for m in models]
    N = min(log.runs.used_runs if log.runs else int(log.counts.trials.max()) for log in logs)
    questions = max(sampled[0] - fixed, 0.0) * M if sampled else None
    parts = RunParts(len(models), sd, fixed * M * N, questions, units / M)
    return parts, None if b is None else abs(estimates[0].mu), N, M


def upper_sd(x: RunVariation, parts: RunParts, M: int) -> float:
    """The upper end of the 95% interval of the standard deviation of a run's average beyond chance.

    λ f / χ² is the largest ratio of variances that the runs are consistent with, χ² the 2.5% quantile with f degrees
    of freedom; the ratio less 1 is multiplied by the variance that trials give to the average of a run of a model.
    """
    y = double(beta_low(ext(0.025), ext(x.df / 2), ext(MOST_DF / 2)))  # χ² = 10^6 y / (1 - y): an F distribution
    largest = x.ratio * x.df * (1.0 - y) / (MOST_DF * y)
    return max(x.sd, sqrt(max(0.0, largest - 1.0) * parts.trials / (parts.models * M)))


def alternatives(N: int, M: int) -> list[tuple[int, int]]:
    """Numbers of runs and of questions with about the trials of N runs of M questions."""
    plans = [(n, N * M // n) for n in sorted({*ALTERNATIVES, N})]
    return [(n, m) for n, m in plans if m >= LEAST_QUESTIONS or n == N]


def _t(level: float, parts: int, df: float) -> float:
    """The quantile of the t distribution with the upper tail (1 - level) / parts."""
    return double(quantile(error_rate(level, parts), ext(df)))


def _first(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """The smallest number from `least` to `most` that is enough, as all larger ones are; None if there is none."""
    if not enough(most):
        return None
    low, high = least - 1, least
    while not enough(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
