"""``scorio interval 71.2,70.8,71.5``: averages of runs, of one model or of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import arguments, sinf
from ..display.terms import alpha, level, p_value
from ..display.terms import interval as interval_term
from ..display.text import score
from ..errors import InvalidInput
from ..page.columns import with_ends
from ..page.document import Column, Document, Table
from .base import Result, about_file

FORM = ".3f"


@dataclass(frozen=True)
class Row:
    """The mean of a model's runs.

    Attributes
    ----------
    group : str, the averages, such as "71.2,70.8"
    runs : int
    mean, sigma, lo, hi : float
    """

    group: str
    runs: int
    mean: float
    sigma: float
    lo: float
    hi: float


@dataclass(frozen=True, kw_only=True)
class RunAverages(Result):
    """The means of the runs of one model, or of two models with their difference.

    Attributes
    ----------
    table : tuple of Row
    scale : (float, float)
    difference, lo, hi, df, p_value : float or None
        The first mean minus the second, its interval, Welch's degrees of freedom and p-value; None for one model.
    significant : bool or None
    """

    schema: ClassVar[str] = "scorio.averages/1"
    table: tuple[Row, ...]
    scale: tuple[float, float]
    difference: float | None = None
    lo: float | None = None
    hi: float | None = None
    df: float | None = None
    p_value: float | None = None
    significant: bool | None = None

    def document(self) -> Document:
        mean, lo, hi = ([getattr(row, name) for row in self.table] for name in ("mean", "lo", "hi"))
        cells = with_ends(FORM, mean, lo, hi, [""] * len(mean))
        ci = interval_term(self.about.confidence)
        lead = [Column("averages of runs", [row.group for row in self.table], "left")]
        table = Table(lead, [[Column(f"mean\n{ci}", cells, "left")]], "Means of runs")
        explanations = [
            f"{ci}: a range that covers the mean of all possible runs on these questions in about "
            f"{level(self.about.confidence)} of cases, from the variance between runs (t distribution). The sampling "
            "of questions is not in it: for that, and for smaller differences, use their outcomes, scorio compare LOG."
        ]
        return Document("Means of the averages of runs", [table], sentences(self), (), explanations)


def averages(*groups: Sequence[float], scale: Sequence[float], confidence: float = 0.95) -> RunAverages:
    """Compute the interval of the mean over runs from their averages, or compare two models.

    Parameters
    ----------
    *groups : sequence of float
        The average of each run of one model or of two, on the same questions: two runs or more.
    scale : (float, float); the lowest and the highest possible average
    confidence : float in (0, 1); nominal coverage of the intervals

    Returns
    -------
    RunAverages

    Raises
    ------
    InvalidInput
        An argument is invalid; length: a model of one run; undefined: all averages of a model are equal.

    Notes
    -----
    The results are those of :func:`scorio.sinf.mean_of_runs` and :func:`scorio.sinf.compare_runs`.

    Examples
    --------
    >>> from scorio.commands.averages import averages
    >>> x = averages([71.2, 70.8, 71.5], [69.9, 70.1, 70.3], scale=(0, 100))
    >>> round(x.table[0].lo, 2), round(x.p_value, 3)
    (70.29, 0.017)
    """
    confidence, (low, high) = arguments.confidence(confidence), arguments.bounds(scale)
    if not 1 <= len(groups) <= 2:
        raise InvalidInput("length", "groups", "state the averages of one model or of two")
    means = [sinf.mean_of_runs(x, confidence, (low, high)) for x in groups]
    names = [",".join(f"{float(y):.10g}" for y in x) for x in groups]
    rows = tuple(Row(name, len(x), *mean) for name, x, mean in zip(names, groups, means, strict=True))
    about = about_file("interval", (), confidence)
    if len(groups) == 1:
        return RunAverages(about=about, table=rows, scale=(low, high))
    x = sinf.compare_runs(groups[0], groups[1], confidence, (low, high))
    return RunAverages(
        about=about, table=rows, scale=(low, high), difference=x.mu, lo=x.lo, hi=x.hi, df=x.df, p_value=x.p_value,
        significant=x.significant,
    )  # fmt: skip


def from_the_higher(names: Iterable[str], x: Any) -> tuple[tuple[str, str], str]:
    """The names of two groups, the higher one first, and their difference in this order with its interval and p."""
    sign = 1.0 if x.difference >= 0.0 else -1.0
    first, second = names
    gap, low, high = (score(y, FORM) for y in (sign * x.difference, *sorted((sign * x.lo, sign * x.hi))))
    size = f"difference {gap}, {interval_term(x.about.confidence)} {low} to {high}; {p_value(x.p_value)}"
    return (first, second) if sign > 0.0 else (second, first), size


def sentences(x: RunAverages) -> list[str]:
    """Sentence on whether two models differ."""
    if x.difference is None or x.lo is None or x.hi is None or x.p_value is None:
        return []
    (a, b), size = from_the_higher(("the first", "the second"), x)
    if x.significant:
        return [f"The mean of {a} is significantly higher than that of {b} at {alpha(x.about.confidence)} ({size})."]
    return [f"The means are not significantly different at {alpha(x.about.confidence)} ({size})."]
