"""Rows that are no outcomes of questions: those that sum up a table, and averages of runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isnan, nan
from typing import Any, TypeVar

from ..errors import InvalidInput
from . import table
from .options import ReadOptions
from .values import fraction, number, score
from .words import Cells

# --- rows that sum up others, such as Total or Average ---


K = TypeVar("K")

_WORDS = (
    "total totals grand mean average avg weighted macro micro median std stdev all overall sum summary gesamt summe "
    "mittel mittelwert durchschnitt insgesamt moyenne somme ensemble media promedio totale totaal gemiddelde średnia "
    "suma итого среднее 合计 平均 总计 σ ø ∅"
)
_BESIDE = "score accuracy acc value row of % in percent"
WORDS, NEUTRAL = frozenset(_WORDS.split()), frozenset(_BESIDE.split())  # words that say so, and that may stand beside


def number_in(x: Any, options: ReadOptions) -> float | None:
    """The number in a cell, also where it is no outcome by the options; nan where it is missing, None where it is text.

    Counts such as 3/4 are their share.
    """
    if counts := fraction(x):
        return counts[0] / counts[1] if counts[1] else None
    try:
        cells = Cells(options.words, options.scale[1] if options.scale else 1.0)
        value = score(cells.value(x), options.missing_code)
    except InvalidInput:
        return None
    return nan if value is None else value


def may_be_outcome(x: float, options: ReadOptions, has_counts: bool = False) -> bool:
    """Whether a number may be an outcome by the options: a category, a score on the scale, a share of counts."""
    lo, hi = options.scale or (0.0, 1.0)
    return lo <= x <= hi if options.C is None or has_counts else x in range(options.C + 1)


def is_named(label: str) -> bool:
    """Whether a label says that a row sums up others: Total, AVERAGE, overall accuracy, grand total."""
    parts = label.lower().replace(":", " ").replace("_", " ").replace("(", " ").replace(")", " ").split()
    return bool(parts) and parts[0] in WORDS and all(x in WORDS | NEUTRAL for x in parts)


def sums_up(x: float, cell: Any, total: float, n: int) -> bool:
    """Whether a number is the sum, the mean, or the mean in percent of n others, at least two.

    cell : the number as the table shows it, whose decimals say how it was rounded.
    total : the sum of the others.
    """
    point = re.search(r"[.,]([0-9]+)", str(cell))
    tolerance = 0.501 * 10.0 ** -len(point[1]) if point else 1e-9
    percent = 0.01 if str(cell).rstrip().endswith("%") else 1.0  # the last digit of 66.7% is a thousandth
    return n > 1 and any(abs(x - y) <= tolerance * percent for y in (total, total / n, 100 * total / n))


def verdict(cell: Any, total: float, n: int, options: ReadOptions) -> bool | None:
    """Whether the outcome in a cell sums up n others with this sum; None where it is no outcome by the options."""
    x = number_in(cell, options)
    if not n or (x is not None and isnan(x)):
        return False
    has_scale = options.C is not None or options.scale is not None
    if x is None or (has_scale and not may_be_outcome(x, options)):
        return None
    is_statistic = options.C is None and x != int(x)  # a mean that is weighted or rounded, or another statistic
    return (n > 1 and is_statistic) or sums_up(x, cell, total, n)


def adds_up(cells: tuple[Any, Any], sums: tuple[float, int], n: int) -> bool:
    """Whether successes and trials are the sums of those of n others, at least two."""
    return n > 1 and all(number(x, "n") == y for x, y in zip(cells, sums, strict=True))


def left_out(rows: Iterable[tuple[K, bool | None]]) -> set[K]:
    """The questions whose rows sum up others: all rows do, or one has a number that is no outcome (None)."""
    verdicts = dict[K, list[bool | None]]()
    for question, verdict in rows:
        verdicts.setdefault(question, []).append(verdict)
    return {question for question, x in verdicts.items() if None in x or all(x)}


def remark(name: str) -> str:
    """The sentence on a row that was left out."""
    return f"Left out, since it sums up other rows: {name}."


# --- averages of runs, which scorio interval takes ---


_RUNS = "seed run run_id run_name repeat repetition replicate iteration rerun"
RUN_NAMES = frozenset(_RUNS.split())  # names of columns of runs
AVERAGES = ("accuracy", "mean", "average", "avg", *table.USUAL["outcome"].split())
MOST_RUN_ROWS = 1000  # rows that are looked at
MOST_AVERAGES = 40  # averages in a command that is proposed


def refuse_averages(header: Sequence[str], rows: Iterable[Mapping[str, Any]], question: str = "") -> None:
    """Raise where the rows are averages of runs: the message has the command that takes them.

    question : the column that the caller takes for the question.
    """
    plain = {x.strip().lower(): x for x in reversed(header)}
    run = next((plain[x] for x in plain if x in RUN_NAMES), "")
    column = next((plain[x] for x in AVERAGES if x in plain), "")
    if question not in ("", run) or not run or not column or (not question and table.usual("question", header)):
        return
    model, by_run = plain.get("model") or table.usual("model", header), dict[tuple[str, str], float]()
    for n, row in enumerate(rows):
        try:
            x = score(row.get(column), None)
        except InvalidInput:
            return
        key = str(row.get(model, "")), str(row.get(run))
        if n >= MOST_RUN_ROWS or x is None or key in by_run:
            return
        by_run[key] = x
    by_model: dict[str, list[float]] = {}
    for (name, _), x in by_run.items():
        by_model.setdefault(name, []).append(x)
    state_averages(by_model)


def state_averages(by_model: Mapping[str, Sequence[float]]) -> None:
    """Raise with the command that takes these averages of runs, unless they may be outcomes 0 and 1."""
    groups = {name: x for name, x in by_model.items() if 1 < len(x) <= MOST_AVERAGES}
    numbers = [y for x in groups.values() for y in x]
    if set(numbers) <= {0.0, 1.0}:
        return
    top = 1 if max(numbers) <= 1 else 100 if max(numbers) <= 100 else max(numbers)
    shown = dict([*groups.items()][:2])
    lists = " ".join(",".join(f"{y:.10g}" for y in x) for x in shown.values())
    what = "the rows are averages of runs, not outcomes of questions; their mean, and a difference, are estimated by"
    of = f" ({' and '.join(shown)})" if any(shown) else ""
    scale = f"--scale={min(0.0, *numbers):.10g},{top:.10g}"
    raise InvalidInput("format", "path", f"{what} scorio interval {lists} {scale}{of}")
