"""Sample size: how many trials or questions detect a difference, pass a gate, or give a narrow interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

from .. import arguments, sinf
from ..errors import InvalidInput
from ..io.evaluation import Benchmark, EvaluationData
from .compare import shared
from .measure import Request, everywhere, macro, ranked, value
from .pairs import aligned, compare_pairs
from .records import KEY
from .result import Result, about_of, target_of
from .sample_size import POWER, growth, needed_in, power_at, questions_needed


@dataclass(frozen=True)
class Row:
    """A model and the next one below it; or a model and the width of its interval.

    Attributes
    ----------
    benchmark : str or None
        None: over several benchmarks.
    model : str
    average : float
    next : str or None
        The model that it is to be distinguished from.
    difference : float or None
        That is to be detected: the observed one, or the one that was stated.
    half_width_fixed, half_width_sampled : float or None
        Of the present intervals, where intervals are planned.
    trials_now, trials_most : int or None
        Fewest and most trials of a question.
    trials : int or None
        Trials per question that are needed, in all, on these questions; None where no number is enough.
    bound : bool
        Whether the variance is an upper bound, so that fewer trials may do.
    questions_now, questions : int or None
        Questions that there are, and that are needed, in all, to speak of similar questions.
    times_fixed, times_sampled : float or None
        How many times as many trials, or questions, of every benchmark; over several benchmarks.
    """

    benchmark: str | None
    model: str
    average: float
    next: str | None = None
    difference: float | None = None
    half_width_fixed: float | None = None
    half_width_sampled: float | None = None
    trials_now: int | None = None
    trials_most: int | None = None
    trials: int | None = None
    bound: bool = False
    questions_now: int | None = None
    questions: int | None = None
    times_fixed: float | None = None
    times_sampled: float | None = None


@dataclass(frozen=True)
class Power:
    """The power of a comparison at so many trials per question.

    Attributes
    ----------
    trials : int
    fixed : float
        On these questions.
    sampled : tuple of float
        For so many sampled questions, those of :attr:`Plan.questions`.
    """

    trials: int
    fixed: float
    sampled: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Plan(Result):
    """Sample sizes.

    Attributes
    ----------
    table : tuple of Row
    target : {"observed", "difference", "margin", "half_width"}
        What is planned for.
    size : float or None
        The stated difference, margin or half width.
    power : float or None
        Probability that the difference is detected.
    powers : tuple of Power
        Of two models in one benchmark: the power against trials and questions.
    questions : tuple of int
        Numbers of questions of the power table.
    """

    schema: ClassVar[str] = "scorio.plan/2"
    table: tuple[Row, ...]
    target: str
    size: float | None
    power: float | None
    powers: tuple[Power, ...] = ()
    questions: tuple[int, ...] = field(default=(), metadata={KEY: "power_questions"})


def plan(
    e: EvaluationData,
    *,
    difference: float | None = None,
    margin: float | None = None,
    half_width: float | None = None,
    power: float = POWER,
    confidence: float = 0.95,
) -> Plan:
    """The sample size that detects a difference, passes a gate, or makes intervals narrow enough.

    Parameters
    ----------
    e : Evaluation
    difference : float > 0, optional
        The true difference that is to be detected between a model and the next one below. Default: the observed one.
    margin : float > 0, optional
        Instead: the margin of a gate that a candidate equal to its baseline shall pass.
    half_width : float > 0, optional
        Instead: half the width of the intervals.
    power : float in [1/2, 1)
        Probability that the difference is detected, or the gate passed.
    confidence : float in (0, 1)
        1 - confidence is the two-sided level; with half_width the coverage of the interval.

    Returns
    -------
    Plan

    Raises
    ------
    InvalidInput
        conflict: more than one target; shape: fewer than two models to distinguish.
    """
    confidence = arguments.confidence(confidence)
    given = {"difference": difference, "margin": margin, "half_width": half_width}
    stated = [name for name, x in given.items() if x is not None]
    if len(stated) > 1:
        raise InvalidInput("conflict", stated[1], f"{stated[0]} and {stated[1]} are two targets: state one")
    kind = stated[0] if stated else "observed"
    size = given[kind] if stated else None
    about = about_of(e, target_of(e, None), confidence)
    if kind == "half_width":
        rows = [_narrow(part, m, size, confidence) for part in e.benchmarks.values() for m in part.logs]
        return Plan(about=about, table=tuple(rows), target=kind, size=size, power=None)
    if len(e.models) < 2:
        raise InvalidInput("shape", "logs", f"the log has one model, {e.models[0]}: at least two are needed")
    table = [row for name in e.benchmarks for row in _separated(e.select(benchmarks=name), size, power, confidence)]
    if len(e.benchmarks) > 1 and e.comparable:
        table = _over_all(e, size, power, confidence) + table
    found, questions = _powers(e, size, confidence) if len(e.models) == 2 and len(e.benchmarks) == 1 else ((), ())
    return Plan(about=about, table=tuple(table), target=kind, size=size, power=power, powers=found, questions=questions)


def _separated(e: EvaluationData, difference: float | None, power: float, confidence: float) -> list[Row]:
    """Each model of a benchmark and the next one below it, on the questions that both answered."""
    ((name, part),) = e.benchmarks.items()
    mean = {m: value(part, m, Request(questions="sampled")).mu for m in part.logs if part.logs[m].counts.trials.any()}
    order = list(ranked(mean))
    rows = []
    for a, b in pairwise(order):
        both = shared(e, a, b, "fixed")[0]
        request = Request(questions="fixed", confidence=confidence)
        _, trials = needed_in(both, a, b, request, power, difference)
        now, questions = needed_in(both, a, b, Request("mean", None, None, "sampled", confidence), power, difference)
        gap = compare_pairs(both, request).each[0].mu if difference is None else difference
        rows.append(Row(name, a, mean[a], b, gap, **_trials(both), trials=trials, questions_now=now,
                        questions=questions))  # fmt: skip
    return [*rows, Row(name, order[-1], mean[order[-1]])]


def _trials(e: EvaluationData) -> dict[str, Any]:
    trials = [n for log in e.benchmark().logs.values() for n in log.counts.trials.tolist()]
    return {"trials_now": min(trials), "trials_most": max(trials), "bound": min(trials) == 1}


def _narrow(part: Benchmark, model: str, half_width: float | None, confidence: float) -> Row:
    """What makes the intervals of a model narrow enough."""
    log, w = part.scaled(model)
    ends = [value(part, model, Request("mean", None, None, q, confidence)) for q in ("fixed", "sampled")]
    fixed, sampled = ((x.hi - x.lo) / 2 for x in ends)
    given: dict[str, Any] = {"half_width": half_width, "confidence": confidence}
    questions = questions_needed(log.counts, None, w, **given)
    n = log.counts.trials
    return Row(
        part.name, model, ends[0].mu, None, None, fixed, sampled, int(n.min()), int(n.max()),
        sinf.trials_needed(log.counts, None, w, **given), bool(n.min() == 1), log.counts.M, questions,
    )  # fmt: skip


def _over_all(e: EvaluationData, difference: float | None, power: float, confidence: float) -> list[Row]:
    """Each model and the next one below it by the macro-average."""
    whole = [m for m in e.models if everywhere(e, m)]
    mean = {m: macro(e, m, Request(questions="sampled")).mu for m in whole}
    order, rows = list(ranked(mean)), []
    for a, b in pairwise(order):
        both, left = shared(e, a, b, "fixed")
        if left:
            continue
        times, gap = [], difference
        for target in ("fixed", "sampled"):
            x = compare_pairs(both, Request("mean", None, None, target, confidence)).overall[0]
            gap = x.mu if difference is None else difference
            times.append(growth(gap, x.sigma, confidence, power))
        rows.append(Row(None, a, mean[a], b, gap, times_fixed=times[0], times_sampled=times[1]))
    return [*rows, *(Row(None, m, mean[m]) for m in order[-1:])]


def _powers(
    e: EvaluationData, difference: float | None, confidence: float
) -> tuple[tuple[Power, ...], tuple[int, ...]]:
    """The power against once, twice, ... as many trials and questions as there are."""
    a, b = e.models
    both = shared(e, a, b, "fixed")[0]
    (of,) = aligned(both).values()
    part, M = both.benchmark(), of[a].M
    if M < 2:
        return (), ()
    N = int(min(of[a].trials.min(), of[b].trials.min()))
    trials, questions = [N, 2 * N, 4 * N, 8 * N], [M, 2 * M, 4 * M]
    low, high = part.scale
    unit = None if difference is None else Fraction(difference) / (Fraction(high) - Fraction(low))
    rows = power_at(of[a], of[b], trials, questions, part.weights, confidence, unit)
    return tuple(Power(r.trials, r.fixed, tuple(r.sampled)) for r in rows), tuple(questions)
