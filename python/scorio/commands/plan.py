"""``scorio plan`` and ``Evaluation.plan``: trials or questions for a difference, a gate or a narrow interval."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf, log, log1p, sqrt
from statistics import NormalDist
from typing import Any, ClassVar

from .. import arguments, sinf
from ..analysis.measure import Request, in_every_benchmark, macro, ranks_by_value, target_of, value
from ..analysis.pairs import aligned, compare_pairs
from ..analysis.sample_size import (
    POWER,
    REALISTIC,
    detectable,
    growth,
    power_at,
    present_and_needed,
    questions_needed,
    times_as_many,
)
from ..display.terms import ON, SCOPE, alpha, interval, level
from ..display.text import listed, percents, score_format, span
from ..errors import InvalidInput
from ..inference.planning import power_table, questions_to_detect, trials_to_detect
from ..page.columns import names_column, number_column
from ..page.document import Column, Document, Paragraph, Table
from ..readers.evaluation import Benchmark, EvaluationData
from ..sinf.sample_size import required_z
from . import design, notes, options, plan_runs
from .base import Result, about_file, about_of
from .compare import restrict_to_shared
from .notes import benchmarks, by_benchmark, heading
from .plan_runs import Assumed
from .plan_runs import components as components_of


@dataclass(frozen=True)
class Row:
    """Sample size for a model and the next one below it, or for the interval of a model.

    Attributes
    ----------
    benchmark : str or None; None: over several benchmarks
    model : str
    average : float
    next : str or None, the model from which this model is to be distinguished
    difference : float or None, the difference to detect: the observed one, or the one that was stated
    half_width_fixed, half_width_sampled : float or None
        Half widths of the present intervals, where intervals are planned.
    trials_now, trials_most : int or None; fewest and most trials of a question
    trials_needed : int or None
        Total trials per question that are needed on these questions; None where the averages are equal, and over
        several benchmarks.
    bound : bool
        Whether some question has only one trial: the variance is then an upper bound, and fewer trials may suffice.
        False without a log, and over several benchmarks.
    questions_now, questions_needed : int or None
        Present number of questions, and the total that is needed for a decision on similar questions.
    times_fixed, times_sampled : float or None
        Over several benchmarks: how many times as many trials, or questions, every benchmark needs.
    detectable_fixed, detectable_sampled : float or None
        The difference that the present data detect with the stated power.
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
    trials_needed: int | None = None
    bound: bool = False
    questions_now: int | None = None
    questions_needed: int | None = None
    times_fixed: float | None = None
    times_sampled: float | None = None
    detectable_fixed: float | None = None
    detectable_sampled: float | None = None


@dataclass(frozen=True)
class Power:
    """The power of a comparison with ``trials`` trials per question.

    Attributes
    ----------
    trials : int
    fixed : float, the power on these questions
    sampled : tuple of float
        The power on similar questions, for each number of questions in :attr:`Plan.power_questions`.
    """

    trials: int
    fixed: float
    sampled: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Plan(Result):
    """Sample sizes for a target: a difference, a margin or a width.

    Attributes
    ----------
    table : tuple of Row
    target : {"observed", "difference", "margin", "half_width"}; target of the plan
    size : float or None, the stated difference, margin or half width
    power : float or None
        Probability that the difference is detected, or the gate passed; None where intervals are planned.
    powers : tuple of Power
        The power of one comparison, in one benchmark, for several numbers of trials and of questions. Empty where
        intervals are planned, with several benchmarks, for equal averages, for a single shared question, and for the
        observed differences of more than two models.
    power_questions : tuple of int, numbers of questions of the power table
    compared : tuple of str, the two models of the power table
    assumed : Assumed or None, the assumptions of a plan that is made without a log
    """

    schema: ClassVar[str] = "scorio.plan/3"
    table: tuple[Row, ...]
    target: str
    size: float | None
    power: float | None
    powers: tuple[Power, ...] = ()
    power_questions: tuple[int, ...] = ()
    compared: tuple[str, ...] = ()
    assumed: Assumed | None = None

    def document(self) -> Document:
        about = self.about
        blocks = by_benchmark(about, self.table, lambda rows: _table(self, rows))
        if self.powers:
            kind = "a margin" if self.target == "margin" else "a difference"
            size = "the observed difference" if self.size is None else f"{kind} of {self.size:.10g}"
            first = [Column("trials per\nquestion", [f"{p.trials:,}" for p in self.powers]),
                     Column("power on these\nquestions", percents([p.fixed for p in self.powers]))]  # fmt: skip
            sampled = [Column(f"on sampled\n{q:,} questions", percents([p.sampled[i] for p in self.powers]))
                       for i, q in enumerate(self.power_questions)]  # fmt: skip
            heading_of_power = Paragraph(f"Power of {listed(self.compared)} for {size}:")
            blocks += [heading_of_power, Table([], [[*first, *sampled]], "Power")]
        sentences, doubts = [_sentence(self), *_undecidable(self)], notes.doubts(about)
        if self.assumed is not None:
            doubts.insert(0, self.assumed.sentence((self.size or 0.0) if self.target == "difference" else 0.0))
        return Document(heading(about, benchmarks(about)), blocks, sentences, doubts, _meanings(self))


def plan(
    e: EvaluationData, *, difference: float | None = None, margin: float | None = None, half_width: float | None = None,
    power: float = POWER, confidence: float = 0.95, guard: float = 1.0,
) -> Plan:  # fmt: skip
    """Sample size that detects a difference, passes a gate, or makes intervals narrow enough.

    Parameters
    ----------
    e : Evaluation
    difference : float > 0, optional
        The true difference that is to be detected between a model and the next one below. Default: the observed one.
    margin : float > 0, optional; instead: the margin of a gate that a candidate equal to its baseline should pass
    half_width : float > 0, optional; instead: half the width of the intervals
    power : float in [1/2, 1); probability that the difference is detected, or the gate passed
    confidence : float in (0, 1); 1 - confidence is the two-sided level; with half_width the coverage of the interval
    guard : float in [0, 1]; with a margin, as in :func:`scorio.sinf.gate`

    Returns
    -------
    Plan

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: more than one target; shape: fewer than two models to distinguish.
    """
    confidence = arguments.confidence(confidence)
    targets = {"difference": difference, "margin": margin, "half_width": half_width}
    stated = [name for name, x in targets.items() if x is not None]
    if len(stated) > 1:
        raise InvalidInput("conflict", stated[1], f"{stated[0]} and {stated[1]} are two targets: state one")
    kind = stated[0] if stated else "observed"
    span = min(high - low for low, high in e.scales.values())
    size = arguments.gap(targets[kind], kind, span) if stated else None
    about = about_of(e, target_of(e, None), confidence)
    if kind == "half_width":
        rows = [_half_width_row(part, m, size, confidence) for part in e.benchmarks.values() for m in part.logs]
        return Plan(about=about, table=tuple(rows), target=kind, size=size, power=None)
    if len(e.models) < 2:
        raise InvalidInput("shape", "logs", f"the log has one model, {e.models[0]}: at least two are needed", "alone")
    if not any(sum(bool(x.counts.trials.any()) for x in part.logs.values()) > 1 for part in e.benchmarks.values()):
        raise InvalidInput("no_trials", "logs", "no benchmark has two models with trials", "alone")
    arguments.power(power)
    share = _share_of_guard(kind, None if size is None else size / span, guard)
    table = [
        row for name in e.benchmarks for row in _neighbour_rows(
            e.select(benchmarks=name), size, power, confidence, _min_independent_trials(share, power, confidence))
    ]  # fmt: skip
    if len(e.benchmarks) > 1 and e.comparable:
        table = _macro_average_rows(e, size, power, confidence) + table
    first = table[0]
    if len(e.benchmarks) > 1 or first.next is None or not first.difference or (size is None and len(e.models) > 2):
        return Plan(about=about, table=tuple(table), target=kind, size=size, power=power)
    powers, questions = _power_table(e.select([first.model, first.next]), size, confidence, first)
    if share is not None:
        powers = tuple(_cap_power(p, first.questions_now or 1, questions, share, confidence) for p in powers)
    return Plan(
        about=about, table=tuple(table), target=kind, size=size, power=power, powers=powers, power_questions=questions,
        compared=(first.model, first.next) if powers else (),
    )  # fmt: skip


def plan_ahead(
    *, n_questions: int, n_trials: int, rate: float, difference: float | None = None, margin: float | None = None,
    power: float = POWER, confidence: float = 0.95, between: float = 0.5, correlation: float = 0.3, guard: float = 1.0,
) -> Plan:  # fmt: skip
    """Plan the comparison of two models before there is a log.

    Parameters
    ----------
    n_questions, n_trials : int; questions, at least two, and trials of each
    rate : float in (0, 1); the success rate that is expected of the better model, or of both with a margin
    difference : float > 0, optional; the true difference to detect: the other model is at rate - difference
    margin : float > 0, optional; instead: the margin of a gate that a candidate equal to its baseline should pass
    power, confidence
        As in :func:`plan`.
    between : float in [0, 1]
        The share of the variance of an outcome that is between questions: 0 where all are equally difficult, 1 where
        each is always or never solved.
    correlation : float in [-1, 1]; correlation of the success rates of the two models over the questions
    guard : float in [0, 1]; with a margin, as in :func:`scorio.sinf.gate`

    Returns
    -------
    Plan

    Raises
    ------
    InvalidInput
        An argument is invalid; range: difference is above rate; conflict: none or both of difference and margin.

    Notes
    -----
    The variance of a trial is p (1 - p), p the rate of its model, of which the share ``between`` is due to questions.
    The rules are those of :func:`scorio.sinf.trials_needed` and :func:`scorio.sinf.questions_needed`, but numbers of
    trials rest on the normal quantile, since the degrees of freedom depend on the outcomes.

    Examples
    --------
    >>> from scorio.commands.plan import plan_ahead
    >>> x = plan_ahead(n_questions=200, n_trials=4, rate=0.6, difference=0.05)
    >>> x.table[0].trials_needed, x.table[0].questions_needed, round(x.powers[0].fixed, 2)
    (4, 729, 0.82)
    """
    M, N = arguments.integer(n_questions, "n_questions", 2, 10**9), arguments.integer(n_trials, "n_trials", 1, 10**9)
    p, z_required = arguments.confidence(rate, name="rate"), required_z(power, None, arguments.confidence(confidence))
    if (difference is None) == (margin is None):
        reason = "a plan is for one target: state the difference to detect, difference=0.02, or a margin, margin=0.02"
        raise InvalidInput("conflict", "difference", reason)
    kind = "difference" if margin is None else "margin"
    size = arguments.gap(difference if margin is None else margin, kind, 1.0)
    assumed = Assumed(
        p, arguments.within(between, "between", 0.0, 1.0), arguments.within(correlation, "correlation", -1.0, 1.0)
    )
    components, D = components_of(M, assumed, size if kind == "difference" else 0.0), Fraction(size)
    sampled = components.sampled(N)
    detectables = [detectable(sqrt(v), confidence, power) for v in (components.fixed(N), sampled.S / M)]
    row = Row(
        "", "A", p, "B", size, trials_now=N, trials_most=N, questions_now=M,
        trials_needed=trials_to_detect(D, z_required, components.fixed, start=2),  # one trial shows no variance
        questions_needed=questions_to_detect(D, z_required, confidence, sampled),
        detectable_fixed=detectables[0], detectable_sampled=detectables[1],
    )  # fmt: skip
    bounded = _share_of_guard(kind, size, guard)
    row = _with_min_trials(row, _min_independent_trials(bounded, power, confidence))
    trial_counts, question_counts = _sizes(row)
    table = [
        Power(y.trials, y.fixed, tuple(y.sampled))
        for y in power_table(components, D, confidence, trial_counts, question_counts)
    ]
    if bounded is not None:
        table = [_cap_power(y, M, question_counts, bounded, confidence) for y in table]
    return Plan(
        about=about_file("plan", ("A", "B"), confidence), table=(row,), target=kind, size=size, power=power,
        powers=tuple(table), power_questions=tuple(question_counts),
        compared=("A", "B"), assumed=assumed,
    )  # fmt: skip


def _sizes(row: Row) -> tuple[list[int], list[int]]:
    """Numbers of trials and of questions of the table of power.

    These are the present number and multiples of it; if the needed number is larger than all of them but realistic, it
    is added, and the smallest multiple left out.
    """
    N, M = row.trials_now or 1, row.questions_now or 1

    def with_needed(sizes: list[int], needed: int | None) -> list[int]:
        if needed is None or not sizes[-1] < needed <= REALISTIC * sizes[0]:
            return sizes
        return [*sizes[:1], *sizes[2:], needed]

    trials = with_needed([N, 2 * N, 4 * N, 8 * N], row.trials_needed)
    return trials, with_needed([M, 2 * M, 4 * M], row.questions_needed)


def _share_of_guard(kind: str, size: float | None, guard: float) -> float | None:
    """The margin as a share of the guard; None without one of both."""
    guard = arguments.within(guard, "guard", 0.0, 1.0)
    return None if kind != "margin" or size is None or not guard else size / guard


def _min_independent_trials(share: float | None, power: float, confidence: float) -> Fraction:
    """Smallest number of independent trials at which the exact bound of a gate does not limit the power of a margin.

    share: the margin as a share of the guard; None: no margin. The end of the interval by the bound,
    1 - level^(1/U) of the guard below the difference, is then no lower than that by the standard error.
    """
    if share is None or share >= 1.0:
        return Fraction(0)
    z, normal = _critical(confidence), NormalDist()
    reach = share * z / (z + normal.inv_cdf(power))
    return Fraction(log((1.0 - confidence) / 2) / log1p(-reach))


def _critical(confidence: float) -> float:
    return -NormalDist().inv_cdf((1.0 - confidence) / 2)


def _with_min_trials(row: Row, min_trials: Fraction) -> Row:
    """Row with sizes raised to at least ``min_trials`` independent trials, on these questions and on similar ones."""
    if row.trials_needed is None or not row.questions_now:
        return row
    questions = None if row.questions_needed is None else max(row.questions_needed, ceil(min_trials))
    trials = max(row.trials_needed, ceil(min_trials / row.questions_now))
    return replace(row, trials_needed=trials, questions_needed=questions)


def _cap_power(p: Power, M: int, questions: Sequence[int], share: float, confidence: float) -> Power:
    """Limit the power of a gate by its exact bound; share: the margin as a share of the guard."""
    normal, z = NormalDist(), _critical(confidence)

    def limited(x: float, n: int) -> float:
        reach = 1.0 - ((1.0 - confidence) / 2) ** (1.0 / n)  # of the guard less the difference
        if share >= 1.0 or x <= 0.0:
            return x
        if x >= 1.0:
            return x if reach < share else 0.0
        standard_errors = normal.inv_cdf(x) + z  # of the margin
        return min(x, normal.cdf((1.0 - reach / share) / (1.0 - reach) * standard_errors))

    sampled = tuple(limited(x, q) for x, q in zip(p.sampled, questions, strict=True))
    return Power(p.trials, limited(p.fixed, M * p.trials), sampled)


def _neighbour_rows(
    e: EvaluationData, difference: float | None, power: float, confidence: float, min_trials: Fraction
) -> list[Row]:
    """Row of each model of a benchmark with the next one below it, on the questions that both answered."""
    ((name, part),) = e.benchmarks.items()
    mean = {m: value(part, m, Request(questions="sampled")).mu for m in part.logs if part.logs[m].counts.trials.any()}
    order = list(ranks_by_value(mean))
    rows = []
    for a, b in pairwise(order):
        common = restrict_to_shared(e, a, b, "fixed")[0]
        request = Request(questions="fixed", confidence=confidence)
        _, trials = present_and_needed(common, a, b, request, power, difference)
        similar = Request("mean", None, None, "sampled", confidence)
        now, questions = present_and_needed(common, a, b, similar, power, difference)
        targets = ("fixed", "sampled") if now is not None and now > 1 else ("fixed",)
        comparisons = [compare_pairs(common, replace(request, questions=q)).each[0] for q in targets]
        fixed, *sampled = (detectable(comparison.sigma, confidence, power) for comparison in comparisons)
        gap = comparisons[0].mu if difference is None else difference
        n = [n for log in common.benchmark().logs.values() for n in log.counts.trials.tolist()]
        row = Row(
            name, a, mean[a], b, gap, trials_now=min(n), trials_most=max(n), trials_needed=trials, bound=min(n) == 1,
            questions_now=now, questions_needed=questions, detectable_fixed=fixed,
            detectable_sampled=sampled[0] if sampled else None,
        )  # fmt: skip
        rows.append(_with_min_trials(row, min_trials))
    return [*rows, Row(name, order[-1], mean[order[-1]])]


def _half_width_row(part: Benchmark, model: str, half_width: float | None, confidence: float) -> Row:
    """Row of the sample size that makes the intervals of a model narrow enough."""
    log, w = part.answered(model), part.w
    intervals = [value(part, model, Request("mean", None, None, q, confidence)) for q in ("fixed", "sampled")]
    fixed, sampled = ((x.hi - x.lo) / 2 for x in intervals)
    options: dict[str, Any] = {"half_width": half_width, "confidence": confidence}
    questions = questions_needed(log.counts, None, w, **options)
    n = log.counts.trials
    return Row(
        part.name, model, intervals[0].mu, None, None, fixed, sampled, int(n.min()), int(n.max()),
        sinf.trials_needed(log.counts, None, w, **options), bool(n.min() == 1), log.counts.M, questions,
    )  # fmt: skip


def _macro_average_rows(e: EvaluationData, difference: float | None, power: float, confidence: float) -> list[Row]:
    """Row of each model with the next one below it by the macro-average, if they share questions of every benchmark."""
    complete = [m for m in e.models if in_every_benchmark(e, m)]
    mean = {m: macro(e, m, Request(questions="sampled")).mu for m in complete}
    order, rows = list(ranks_by_value(mean)), []
    for a, b in pairwise(order):
        common, excluded = restrict_to_shared(e, a, b, "fixed")
        if excluded:
            continue
        requests = (Request(questions=q, confidence=confidence) for q in ("fixed", "sampled"))
        comparisons = [compare_pairs(common, x).overall[0] for x in requests]
        gaps = [y.mu if difference is None else difference for y in comparisons]
        times = [growth(gap, y.sigma, confidence, power) for gap, y in zip(gaps, comparisons, strict=True)]
        detectables = [detectable(y.sigma, confidence, power) for y in comparisons]
        rows.append(Row(None, a, mean[a], b, gaps[0], times_fixed=times[0], times_sampled=times[1],
                        detectable_fixed=detectables[0], detectable_sampled=detectables[1]))  # fmt: skip
    return [*rows, *(Row(None, m, mean[m]) for m in order[-1:])]


def _power_table(
    e: EvaluationData, difference: float | None, confidence: float, row: Row
) -> tuple[tuple[Power, ...], tuple[int, ...]]:
    """Power for growing numbers of trials and of questions; also returns the numbers of questions."""
    a, b = e.models
    common = restrict_to_shared(e, a, b, "fixed")[0]
    (counts,) = aligned(common).values()
    part, M = common.benchmark(), counts[a].M
    if M < 2:
        return (), ()
    trials, questions = _sizes(row)
    low, high = part.scale
    share = None if difference is None else Fraction(difference) / (Fraction(high) - Fraction(low))
    rows = power_at(counts[a], counts[b], trials, questions, part.w, confidence, share)
    return tuple(Power(r.trials, r.fixed, tuple(r.sampled)) for r in rows), tuple(questions)


def _sentence(x: Plan) -> str:
    if x.target == "half_width":
        return (
            f"Needed, in total, for a {interval(x.about.confidence)} of +/- {x.size:.10g}: trials per question for "
            f"{SCOPE['fixed']}, or questions for {SCOPE['sampled']}."
        )
    power = level(x.power or 0.0)
    if x.target == "margin":
        return (
            "Needed, in total: the trials per question, or the questions, at which a model that is as good as the "
            f"next one passes a gate with the margin of {x.size:.10g} with {power} power."
        )
    if x.size is None and all(row.difference == 0.0 for row in x.table if row.next is not None):
        return "Never: the averages are equal. State the difference that matters: --difference 0.02."
    which = "the observed difference" if x.size is None else f"a difference of {x.size:.10g}"
    return (
        f"Needed, in total: the trials per question, or the questions, at which {which} between a model and the next "
        f"one below would be detected with {power} power by a comparison at the {alpha(x.about.confidence)} level."
    )


def _undecidable(x: Plan) -> list[str]:
    """Sentences about targets that no realistic amount of data reaches, and the difference that can be detected now."""
    rows = [row for row in x.table if (row.next is not None or x.target == "half_width") and _times(row) > REALISTIC]
    if not rows:
        return []
    models = [row.model if row.next is None else f"{row.model} and {row.next}" for row in rows]
    names = [m + (f" in {row.benchmark}" if row.benchmark else "") for m, row in zip(models, rows, strict=True)]
    if x.target == "half_width":
        which = f"{'interval' if len(rows) == 1 else 'intervals'} of {listed(names, 3, 'other model')}"
        out = f"Too narrow for a realistic amount of data: the {which} {'needs' if len(rows) == 1 else 'need'} "
    else:
        out = f"Cannot be decided with a realistic amount of data: {listed(names, 3, 'other pair')} need "
    times = [_times(row) for row in rows]
    out += f"{min(times):,.0f} times as much." if len(rows) == 1 else f"more than {REALISTIC} times as much each."
    fixed, sampled = (max(getattr(row, f"detectable_{q}") or inf for row in rows) for q in ("fixed", "sampled"))
    detectable = [f"{y:.2g} {ON[q]}" for q, y in (("fixed", fixed), ("sampled", sampled)) if y < inf]
    if detectable and x.power and x.target != "margin":
        out += f" The present data detect a difference of {' and of '.join(detectable)} with {level(x.power)} power."
    return [out]


def _times(row: Row) -> float:
    """Smallest known factor by which trials or questions would have to grow; 0 if none is known."""
    factors = [row.times_fixed, row.times_sampled]
    if row.trials_needed and row.trials_now:
        factors.append(times_as_many(row.trials_needed, row.trials_now))
    if row.questions_needed and row.questions_now:
        factors.append(times_as_many(row.questions_needed, row.questions_now))
    return min((f for f in factors if f is not None), default=0.0)


def _table(x: Plan, rows: Sequence[Row]) -> Table:
    form = score_format(x.about.w)

    def numbers(header: str, name: str) -> Column:
        return number_column(header, [getattr(row, name) for row in rows], form)

    def texts(header: str, cell: Callable[[Row], str]) -> Column:
        return Column(header, [cell(row) for row in rows])

    trials = [texts("trials\nnow", lambda row: span(row.trials_now, row.trials_most)), texts("trials\nneeded", _needed)]
    questions = [texts("questions\nnow", lambda row: _number(row.questions_now)),
                 texts("questions\nneeded", lambda row: _number(row.questions_needed))]  # fmt: skip
    if x.target == "half_width":
        fixed, sampled = (numbers(f"{q}:\n+/- now", f"half_width_{q}") for q in ("fixed", "sampled"))
        sets = [[fixed], trials, [sampled], questions]
    else:
        head = "better than\nnext by" if x.size is None else "difference\nto detect"
        first = [numbers("average", "average"), numbers(head, "difference")]
        times = [texts("times as many\ntrials", lambda row: _factor(row.times_fixed)),
                 texts("times as many\nquestions", lambda row: _factor(row.times_sampled))]  # fmt: skip
        over_all = rows[0].benchmark is None and x.about.several
        sets = [first, times] if over_all else [first, trials, questions]
    return Table([names_column("model", [row.model for row in rows])], sets, "Plan")


def _needed(row: Row) -> str:
    if row.trials_needed is None:
        return "never" if row.trials_now is not None else ""
    return ("<=" if row.bound and row.trials_needed > 1 else "") + _number(row.trials_needed)


def _number(x: int | None) -> str:
    return "" if x is None else f"{x:,}" if x < 10**15 else f"{Decimal(x):.1e}"


def _factor(x: float | None) -> str:
    return "" if x is None else f"{x:.1f}" if x < 10 else f"{x:,.0f}"


def _meanings(x: Plan) -> list[str]:
    trials, questions = "to detect that these models differ on these questions", "to detect it on similar questions too"
    if x.target == "margin":
        trials, questions = "for a gate on these questions", "for a gate on similar questions"
    out = [f"trials needed: per question, {trials}; questions needed: with the present trials of each, {questions}."]
    if x.target == "half_width":
        out = []
    elif x.target == "observed":
        out.append("An observed difference is itself an estimate: --difference 0.02 plans for the one that matters.")
    if any(row.trials_now is not None and row.trials_needed is None for row in x.table):
        out.append('"never": the averages are equal, so that no sample size can be planned.')
    if bounds := [row for row in x.table if row.bound]:
        every = all(row.trials_most == 1 for row in bounds)
        out.append(
            f"<= : {'all' if every else 'some'} questions have one trial, which cannot measure their trial-to-trial "
            "variance; an upper bound is used, so fewer trials may suffice."
        )
    return out


EXAMPLES = """examples:
  scorio plan runs.csv                      neighbours in the ranking
  scorio plan runs.csv --model a --model b  these two, with a table of power
  scorio plan runs.csv --difference 0.02    to detect a difference of 2 points
  scorio plan runs.csv --runs sampled       where whole runs may differ
  scorio plan --n-questions 200 --n-trials 4 --rate 0.6 --difference 0.02
  scorio plan runs.csv --design --se 0.02 --cost-question 10

"""
MEANING = """columns of the table (total numbers needed, not additional ones):
  trials     per question, on this question set: a significant difference then
             says that these models differ on these questions
  questions  with the present number of trials per question: a significant
             difference then says that they differ on similar questions too
The second table has the power by trials and by questions, if the difference
planned for is the true one. Without a log a plan rests on --n-questions,
--n-trials, --rate, --between and --correlation.

The comparison is two-sided, at the level 1 - P of --confidence P. If the true
difference is the observed one, or that of --difference, it is then detected
with the stated power. An observed difference is itself an estimate: state the
one that matters, or plan again when there are more data. With --margin: a
candidate that is as good as its baseline then passes a gate with that margin,
with the stated power.
At the same number of calls to the model, a new question is worth at least as
much as another trial of an old one, unless only this question set matters.
"never": the averages are equal, so no sample size can be planned. "<=": some
questions have one trial, so the variance is an upper bound; fewer trials may
suffice.

"""
NO_LOG_OPTIONS: tuple[tuple[str, Any, str, str], ...] = (  # name, type, metavar and purpose of each option
    ("n_questions", int, "Q", "questions"),
    ("n_trials", int, "N", "trials per question"),
    ("rate", float, "P", "expected success rate: of the better model, or of both with --margin"),
    ("between", float, "S", "share of the variance that is between questions (default 0.5)"),
    ("correlation", float, "R", "correlation of the two models' success rates over questions (default 0.3)"),
    ("run_sd", float, "SD", "standard deviation of a run's average beyond chance: plan runs"),
)
NO_LOG_EXAMPLE = "scorio plan --n-questions 200 --n-trials 4 --rate 0.6 --difference 0.02"


def add(parser: ArgumentParser) -> None:
    options.set_up_with_log(parser, EXAMPLES, MEANING + plan_runs.MEANING + design.MEANING, run, optional=True)
    add = parser.add_argument
    add("--difference", type=float, metavar="D", help="the true difference to detect (default: the observed one)")
    add("--margin", type=float, metavar="M", help="plan for a gate with this margin instead")
    add("--half-width", type=float, metavar="H", help="plan for intervals of +/- H instead")
    options.add(
        parser, runs={"choices": ("fixed", "sampled"),
                      "help": "sampled: plan runs, where whole runs may differ (default: for these runs)"},
        power="probability of detecting the difference, or of passing the gate",
        confidence="1 - level of the two-sided comparison; with --half-width the coverage of the interval",
        guard={"default": 1.0, "help": "with --margin: that of the gate"},
    )  # fmt: skip
    for name, kind, metavar, purpose in NO_LOG_OPTIONS:
        add(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=f"without a log: {purpose}")
    design.add(parser)
    options.add_forms(parser)


def run(args: Namespace, read: options.Read) -> Any:
    settings = options.chosen(args, "difference", "power", "confidence")
    of_gates = options.chosen(args, "margin", "guard")
    without_log = {name: x for name, *_ in NO_LOG_OPTIONS if (x := getattr(args, name)) is not None}
    with_runs = args.runs == "sampled" or (not args.files and args.run_sd is not None)
    if with_runs and args.margin is not None:
        raise InvalidInput(
            "conflict",
            "margin",
            "a gate with runs has no plan: leave out --margin, or --runs and --run-sd",
        )
    if not args.files:
        if not {"n_questions", "n_trials", "rate"} <= without_log.keys():
            raise InvalidInput("conflict", "file", f"no log to plan from: scorio plan LOG, or {NO_LOG_EXAMPLE}")
        if args.half_width is not None or (args.difference is None) == (args.margin is None):
            reason = "without a log a plan is for one of --difference 0.02 and --margin 0.02"
            raise InvalidInput("conflict", "difference", reason)
        if args.runs is not None and (args.runs == "sampled") != (args.run_sd is not None):
            reason = "without a log a plan of runs has --run-sd, such as --run-sd 0.01, and no --runs fixed"
            raise InvalidInput("conflict", "runs", reason)
        return (
            plan_runs.plan_runs_ahead(**without_log, **settings)
            if with_runs
            else plan_ahead(**without_log, **settings, **of_gates)
        )
    if without_log:
        first = next(iter(without_log))
        option = first.replace("_", "-")
        reason = f"--{option} is for a plan without a log: leave it out, or {NO_LOG_EXAMPLE}"
        raise InvalidInput("conflict", first, reason)
    names = ("difference", "margin", "half_width", "runs")
    for_plans = {name: x for name in names if (x := getattr(args, name)) is not None}
    for name in for_plans if args.design else design.given(args):
        option, which = name.replace("_", "-"), "without" if args.design else "with"
        raise InvalidInput("conflict", name, f"--{option} is for a plan {which} --design")
    if args.design:
        return design.run(args, read)
    if with_runs:
        return plan_runs.plan_runs(read(args), half_width=args.half_width, **settings)
    return plan(read(args), half_width=args.half_width, **settings, **of_gates)
