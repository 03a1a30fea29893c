"""Plans of runs: the result of ``scorio plan --runs sampled``, and its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..display.terms import alpha, interval, level
from ..display.text import listed, number, score_format
from ..page.columns import aligned, names_column, number_column
from ..page.document import Block, Column, Document, Paragraph, Table
from . import notes
from .assumed import Assumed
from .base import Result


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
        blocks: list[Block] = [_table(self), Paragraph(f"Plans of equal cost, {cost}:"), _table_of_alternatives(self)]
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


def _table_of_alternatives(x: RunPlan) -> Table:
    """Table of plans of equal cost; "-": one run does not show how far runs differ."""
    reached = "+/-" if x.target == "half_width" else "detects"
    columns = [Column("questions", [f"{y.questions:,}" for y in x.alternatives])]
    for q in ("fixed", "sampled"):
        ends = [getattr(y, q) for y in x.alternatives]
        cells = iter(aligned(format(z, score_format(x.about.w)) for z in ends if z is not None))
        columns.append(Column(f"{q}:\n{reached}", ["never" if z is None else next(cells) for z in ends]))
    return Table([Column("runs", [f"{y.runs:,}" for y in x.alternatives])], [columns], "Plans of equal cost")


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
