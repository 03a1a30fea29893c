"""Layout of a plan of sample sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from ..analysis.plan import Plan, Row
from ..analysis.sample_size import REALISTIC
from ..display.terms import ON, SCOPE, alpha, interval, level
from ..display.text import listed, number, percents, score_format, span
from . import notes
from .document import Block, Column, Document, Paragraph, Table, title
from .numbers import number_column


def document(x: Plan) -> Document:
    """Document of the sample sizes, in each benchmark and over all of them, and of the table of power."""
    about, several = x.about, len(x.about.benchmarks) > 1
    blocks: list[Block] = []
    for name in dict.fromkeys(row.benchmark for row in x.table):
        if several:
            blocks.append(Paragraph("macro-average" if name is None else name))
        blocks.append(_table(x, [row for row in x.table if row.benchmark == name]))
    if x.powers:
        kind = "a margin" if x.target == "margin" else "a difference"
        size = "the observed difference" if x.size is None else f"{kind} of {x.size:.10g}"
        blocks.append(Paragraph(f"Power of {listed(x.compared)} for {size}:"))
        blocks.append(_power_table(x))
    head = title(
        about, number(len(about.models), "model"), number(len(about.benchmarks), "benchmark") if several else ""
    )
    explanations = [*_meanings(x)]
    return Document(
        head,
        blocks,
        [_sentence(x), *_undecidable(x)],
        [*_assumed(x), *notes.different_questions(about.gaps), *notes.gaps(about)],
        explanations,
    )


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


def _assumed(x: Plan) -> list[str]:
    if x.assumed is None:
        return []
    return [
        f"Assumed: both models solve {x.assumed.rate:.10g} of the trials, {level(x.assumed.between)} of the variance "
        f"is between questions (--between), and their success rates correlate at {x.assumed.correlation:.10g} "
        "(--correlation). Plan again with scorio plan LOG when there are data."
    ]


def _undecidable(x: Plan) -> list[str]:
    """Sentences about pairs that no realistic amount of data separates, and the difference that can be detected now."""
    rows = [row for row in x.table if row.next is not None and _times(row) > REALISTIC]
    if not rows:
        return []
    pairs = [f"{row.model} and {row.next}" + (f" in {row.benchmark}" if row.benchmark else "") for row in rows]
    out = f"Cannot be decided with a realistic amount of data: {listed(pairs, 3, 'other pair')} need "
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
        factors.append(row.trials_needed / row.trials_now)
    if row.questions_needed and row.questions_now:
        factors.append(row.questions_needed / row.questions_now)
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
        over_all = rows[0].benchmark is None and len(x.about.benchmarks) > 1
        sets = [first, times] if over_all else [first, trials, questions]
    return Table([Column("model", [row.model for row in rows], "left", names=True)], sets, "Plan")


def _needed(row: Row) -> str:
    if row.trials_needed is None:
        return "never" if row.trials_now is not None else ""
    return ("<=" if row.bound and row.trials_needed > 1 else "") + f"{row.trials_needed:,}"


def _number(x: int | None) -> str:
    return "" if x is None else f"{x:,}"


def _factor(x: float | None) -> str:
    return "" if x is None else f"{x:.1f}" if x < 10 else f"{x:,.0f}"


def _power_table(x: Plan) -> Table:
    """Table of the power on these questions and on several numbers of similar questions."""
    first = [Column("trials per\nquestion", [f"{p.trials:,}" for p in x.powers]),
             Column("power on these\nquestions", percents([p.fixed for p in x.powers]))]  # fmt: skip
    sampled = [Column(f"on sampled\n{q:,} questions", percents([p.sampled[i] for p in x.powers]))
               for i, q in enumerate(x.power_questions)]  # fmt: skip
    return Table([], [[*first, *sampled]], "Power")


def _meanings(x: Plan) -> list[str]:
    out = [
        "trials needed: per question, to detect that these models differ on these questions; questions needed: with "
        "the present trials of each, to detect it on similar questions too."
    ]
    if x.target == "half_width":
        out = []
    elif x.target == "margin":
        out = [
            "trials needed: per question, for a gate on these questions; questions needed: with the present trials of "
            "each, for a gate on similar questions."
        ]
    elif x.size is None:
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
