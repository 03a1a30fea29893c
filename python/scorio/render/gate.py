"""Layout of a gate, and its verdict in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from ..analysis.gate import Gate, Row
from ..analysis.sample_size import REALISTIC
from ..display.terms import ON, SCOPE, interval, level, p_value
from ..display.text import about, listed, name_of, number, plural, printable, score, score_format
from . import notes
from .changes import regressions
from .document import Block, Column, Document, Table, name_value_table

WIDER = (
    "The interval may be wider than that of leaderboard or compare: since the verdict rests on it, it also allows for "
    "failures that so few questions and trials may not have shown."
)


def document(x: Gate) -> Document:
    """Document of the settings, the difference, the verdict of each benchmark, and sentences."""
    several = len(x.about.benchmarks) > 1
    one_model = x.at_least is not None
    rows = [("candidate", printable(x.candidate)), *([] if one_model else [("baseline", printable(x.baseline))])]
    rows += [("metric", x.metric), ("at least" if one_model else "margin", target_number(x))]
    if not several:
        (row,) = x.table
        rows.append(("score" if one_model else "difference", difference(x, row)))
        p = p_value(row.p_worse).removeprefix("p ").removeprefix("= ")
        rows.append(("p-value", f"{p}, if {null_hypothesis(x)}"))
    rows += [("about", SCOPE[x.about.questions])] + ([("look", x.look)] if x.look else [])
    blocks: list[Block] = [name_value_table(rows)]
    if several:
        names = ["mean" if row.benchmark is None else row.benchmark for row in x.table]
        verdicts = Column("", [row.verdict for row in x.table], "left")
        blocks.append(Table([Column("", names, "left", names=True)],
                            [[verdicts, Column("", [difference(x, row) for row in x.table], "left")]]))  # fmt: skip
    explanations = [*error_rates(x), WIDER]
    return Document(heading(x), blocks, sentences(x), notes.gaps(x.about), explanations)


def heading(x: Gate) -> str:
    """First line of the document: the questions and the verdict."""
    n = len(x.about.benchmarks)
    over = "" if n == 1 else f" of {number(n, 'benchmark')}"
    questions = number(x.shared_questions, "question" if x.at_least is not None else "shared question")
    return f"Gate on {questions}{over}: {x.verdict.upper()}"


def difference(x: Gate, row: Row) -> str:
    """Text of the difference, or of the score, and its interval."""
    form = score_format(x.about.w)
    mu, lo, hi = (score(y, form) for y in (row.mu, row.lo, row.hi))
    coverage = interval(x.about.confidence) + (" over all looks" if x.look else "")
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
        out.append(regressions(x.changes, 1.0 - x.about.confidence, several=len(x.about.benchmarks) > 1))
    return out + other_target(x)


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


def other_target(x: Gate) -> list[str]:
    """Sentence with the decision over all benchmarks for the other target; the exit code does not depend on it."""
    if not x.other:
        return []
    row, target = x.other[0], "sampled" if x.about.questions == "fixed" else "fixed"
    size = f"{'' if x.at_least is not None else 'difference '}{difference(x, row)}"
    p = f"{p_value(row.p_worse)}, if {null_hypothesis(x)}"
    return [f"For comparison, {ON[target]}: {row.verdict} ({size}; {p})."]


def null_hypothesis(x: Gate) -> str:
    """Clause with the null hypothesis that a pass rejects."""
    if x.at_least is not None:
        return f"the score were {threshold(x)} or less"
    return "the candidate were worse by the margin"


def error_rates(x: Gate) -> list[str]:
    """Sentence with the nominal error rates of the verdicts."""
    wrong = level((1.0 - x.about.confidence) / 2) + (" over all looks" if x.look else "")
    fail = level(1.0 - x.about.confidence) if len(x.table) > 1 and x.rule == "mean" else wrong
    if x.at_least is not None:
        return [
            f"Nominal error rates: a model whose score is {threshold(x)} or less passes with a probability of at most "
            f"{wrong}, one whose score is more fails with at most {fail}. Measured rates are in bench/README.md."
        ]
    return [
        f"Nominal error rates: a model that is worse by the margin or more passes with a probability of at most "
        f"{wrong}, any other one fails with at most {fail}. Measured rates are in bench/README.md."
    ]


def reported_rows(x: Gate) -> Sequence[Row]:
    """Rows that become test cases: all, but not the mean of several benchmarks with the rule "each"."""
    return x.table if x.rule == "mean" or len(x.table) == 1 else x.table[1:]
