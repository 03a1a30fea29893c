"""Columns of numbers: all of one width, with the same number of decimals, without the zero before the point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Protocol

from ..display.terms import MARKS, interval, marked, p_value
from ..display.text import score
from .document import Column, Intervals


class Estimated(Protocol):
    """An estimate with its interval, and how its variance was obtained: :class:`scorio.results.MetricInterval`."""

    @property
    def mu(self) -> float: ...
    @property
    def lo(self) -> float: ...
    @property
    def hi(self) -> float: ...
    @property
    def variance_source(self) -> str: ...
    @property
    def bounds(self) -> tuple[float, float] | None: ...


def aligned(numbers: Iterable[str]) -> list[str]:
    """Align numbers: without the zero before the point, all of one width."""
    texts = [x.replace("0.", ".", 1) if x.startswith(("0.", "-0.", "+0.")) else x for x in numbers]
    return [x.rjust(max(map(len, texts))) for x in texts]


def with_ends(form: str, values: Sequence[tuple[float, float, float]], marks: Iterable[str] = ()) -> list[str]:
    """Values (mu, lo, hi) with the ends of their intervals and a mark, such as .420 [.367, .475]~."""
    cells = (aligned(score(x, form) for x in column) for column in zip(*values, strict=True))
    rows = zip_longest(zip(*cells, strict=True), marks, fillvalue="")
    return [f"{x[0]} [{x[1]}, {x[2]}]{mark}" for x, mark in rows]


def interval_column(
    header: str, values: Sequence[Estimated | None], form: str, confidence: float, questions: str
) -> Column:
    """Column of values with intervals; under the header the level, the target, and the mark that all values share."""
    present = [x for x in values if x is not None]
    sources = {x.variance_source for x in present}
    mark = MARKS[next(iter(sources))] if len(sources) == 1 else ""
    marks = ["" if mark else MARKS[x.variance_source] for x in present]
    rows = with_ends(form, [(x.mu, x.lo, x.hi) for x in present], marks)
    if all(x.bounds for x in present):  # in place of a value: the range that the missing outcomes allow
        lowest_and_highest = zip(*(x.bounds or () for x in present), strict=True)
        ends = zip(*(aligned(score(y, form) for y in ys) for ys in lowest_and_highest), strict=True)
        rows = [f"{a} to {b} {row[row.index('[') :]}" for (a, b), row in zip(ends, rows, strict=True)]
    cells = iter(rows)
    head = f"{header}\n{marked(f'{interval(confidence)} ({questions})', mark)}"
    return Column(head, ["" if x is None else next(cells) for x in values], "left")


def ranked_column(
    header: str, ranks: Sequence[str], values: Sequence[Estimated], form: str, confidence: float
) -> Column:
    """Column of the ranks that each model may have and the ends of its interval."""
    lo_and_hi = zip(*((x.lo, x.hi) for x in values), strict=True)
    ends = zip(*(aligned(score(x, form) for x in xs) for xs in lo_and_hi), strict=True)
    marks = [MARKS[x.variance_source] for x in values]
    cells = [f"{r} [{lo}, {hi}]{mark}" for r, (lo, hi), mark in zip(ranks, ends, marks, strict=True)]
    return Column(f"{header}\nranks, {interval(confidence)}", [x.strip() for x in cells], "left")


def p_values(values: Iterable[float]) -> list[str]:
    """P-values without "p =": 0.031, < 0.0001."""
    return [p_value(x).removeprefix("p = ").removeprefix("p ") for x in values]


def names_column(header: str, names: Sequence[str]) -> Column:
    """Column of names, which are shortened where they do not fit."""
    return Column(header, names, "left", names=True)


def number_column(header: str, values: Sequence[float | None], form: str) -> Column:
    """Column of numbers with the digits of a format, blank for None."""
    return Column(header, aligned("" if x is None else score(x, form) for x in values))


def drawn_intervals(values: Sequence[Estimated], form: str) -> Intervals:
    """Intervals to draw beside a table."""
    return Intervals([(x.lo, x.mu, x.hi) for x in values], form)
