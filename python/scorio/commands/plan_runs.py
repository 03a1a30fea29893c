"""``scorio plan --runs sampled`` and ``Evaluation.plan_runs``: runs and questions, where whole runs may differ."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import cast

from .. import arguments
from ..analysis.measure import Request, only_benchmark, ranks_by_value, value
from ..analysis.run_plan import Rule, RunParts, alternatives, planned, upper_sd
from ..analysis.sample_size import POWER
from ..errors import InvalidInput
from ..readers.evaluation import EvaluationData
from ..results import RunVariation
from .assumed import Assumed, components
from .base import about_file, about_of
from .planned_runs import Alternative, Row, RunPlan


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
