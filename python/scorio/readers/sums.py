"""Rows that sum up others, such as Total or Average, a score that is far from all others, and tables of averages."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from itertools import islice
from math import isnan, nan
from typing import Any, NamedTuple

from ..errors import InvalidInput
from . import table
from .options import ReadOptions
from .text_files import SourceLocation
from .values import Cells, count, fraction, number, score

FAR_ABOVE = 9  # times the other scores: 99 beside 1 to 10
_WORDS = (
    "total totals grand mean average avg weighted macro micro median std stdev all overall sum summary gesamt summe "
    "mittel mittelwert durchschnitt insgesamt moyenne somme ensemble media promedio totale totaal gemiddelde średnia "
    "suma итого среднее 合计 平均 总计 σ ø ∅"
)
_MAYBE = "final pass rate result results aggregate subtotal"
_BESIDE = "score accuracy acc value row of % in percent"
# words that say so, and that may stand beside; the further ones say so only if the numbers are the sums or the means
SUMMARIES, BESIDE_SUMMARIES = frozenset(_WORDS.split()), frozenset(_BESIDE.split())
METRIC_AT_K = re.compile("(pass|avg|maj|cons|best)[@^][0-9]+")
MOST_PARTS = 4  # words beside one that says so, as in "mmlu (avg)": a longer label is the text of a question
MAYBE_SUMMARIES = SUMMARIES | BESIDE_SUMMARIES | frozenset(_MAYBE.split())


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


def lone_code(scores: Sequence[float], scale: tuple[float, float] | None = None) -> str | None:
    """A lone score outside of the scale of all others, which probably means that there is no score: "-1", "99".

    scores : the distinct scores, sorted; scale: the ends, where they are stated.

    Examples
    --------
    >>> from scorio.readers.sums import lone_code
    >>> lone_code([-1.0, 0.0, 7.0, 10.0]), lone_code([0.0, 0.5, 1.0, 7.0]), lone_code([1.0, 5.0, 99.0])
    ('-1', '7', '99')
    """
    if len(scores) < 3:
        return None
    low, top = scores[0], scores[-1]
    if low == int(low) and low < 0 <= scores[1] and (scale is None or scale[0] > low):
        return str(int(low))
    end = scale[1] if scale else max(1.0, scores[-2])
    is_above = scores[-2] <= end < top - 1 and (scale is not None or end == 1 or top >= FAR_ABOVE * end)
    return str(int(top)) if top == int(top) and low >= 0 and is_above else None


def is_named(label: str) -> bool:
    """Whether a label says that a row sums up others: Total, AVERAGE, overall accuracy, grand total."""
    parts = _parts(label)
    return bool(parts) and parts[0] in SUMMARIES and all(x in SUMMARIES | BESIDE_SUMMARIES for x in parts)


def may_be_summary(label: str) -> bool:
    """Whether a row with this label may sum up others, also where only its numbers can tell: Accuracy, mmlu (avg)."""
    parts = _parts(label)
    is_maybe = all(x in MAYBE_SUMMARIES or METRIC_AT_K.fullmatch(x) for x in parts)
    return is_maybe or (len(parts) <= MOST_PARTS and not {parts[0], parts[-1]}.isdisjoint(SUMMARIES))


MAY_SUM_UP = {"model": is_named, "question": may_be_summary}  # the test of the labels of each column


def _parts(label: str) -> list[str]:
    return re.split(r"[\s:_()-]+", label.lower().strip(" \t:_()-"))


class Summary(NamedTuple):
    """Ways in which a number sums up others, and whether it is unlike outcomes: 1 may be a sum, or an outcome."""

    kinds: frozenset[str] = frozenset()
    is_unlike: bool = True
    is_outcome: bool = True  # by the options


def summary(x: float, cell: Any, total: float, n: int, cells: Container[Any]) -> Summary:
    """Whether a number is the sum, the mean, or the mean in percent of n others, at least two.

    cell : the number as the table shows it, whose decimals say how it was rounded.
    total : the sum of the others.
    cells : the others as the table shows them, perhaps those of further models too.
    """
    point = re.search(r"[.,]([0-9]+)", str(cell))
    tolerance = 0.501 * 10.0 ** -len(point[1]) if point else 1e-9
    percent = 0.01 if str(cell).rstrip().endswith("%") else 1.0  # the last digit of 66.7% is a thousandth
    kinds = {"sum": total, "mean": total / n, "percent": 100 * total / n} if n > 1 else {}
    equal = frozenset(kind for kind, y in kinds.items() if abs(x - y) <= tolerance * percent)
    return Summary(equal, x not in (0, 1) or cell not in cells)


def verdict(cell: Any, total: float, n: int, options: ReadOptions, cells: Container[Any]) -> Summary:
    """How the number in a cell sums up n others with this sum."""
    x = number_in(cell, options)
    if not n or (x is not None and isnan(x)):
        return Summary()
    if x is None:
        return Summary(is_outcome=False)
    has_scale = options.C is not None or options.scale is not None
    of_others = summary(x, cell, total, n, cells)._replace(is_outcome=not has_scale or may_be_outcome(x, options))
    # a mean that is weighted, or of rounded numbers, or another statistic
    is_other = options.C is None and n > 1 and x != int(x) and cell not in cells
    if is_other or "mean" in of_others.kinds:
        return of_others._replace(kinds=of_others.kinds | {"statistic"})
    return of_others


def sums_up(summaries: Collection[Summary], by_name: bool = True) -> bool | None:
    """Whether numbers sum up others: all are their sums, or all their means; None where they may as well be outcomes.

    All are 0 or 1, as outcomes are: where all others of a model are 1, so is their mean, and an outcome may be.

    by_name : whether their name says so, so that numbers that are no outcomes, or another statistic, do too.
    """
    if by_name and any(not x.is_outcome for x in summaries):
        return True
    kinds = [x.kinds if by_name else x.kinds - {"statistic"} for x in summaries]
    if not kinds or not frozenset.intersection(*kinds):
        return False
    return True if any(x.is_unlike for x in summaries) else None


def adds_up(cells: tuple[Any, Any], sums: tuple[float, int], n: int) -> Summary:
    """Whether successes and trials are the sums of those of n others, at least two."""
    are_sums = n > 1 and all(number(x, "n") == y for x, y in zip(cells, sums, strict=True))
    return Summary(frozenset({"sum"} if are_sums else ()))


class LabelledRow(NamedTuple):
    """The model, the task and the question of a row, its outcome or counts, and its number: a score and trials."""

    model: Any
    task: Any
    question: Any
    cell: Any = None  # counts: a pair
    value: float = 0.0
    trials: int = 1

    def with_number(self, options: ReadOptions) -> LabelledRow | None:
        """The row with the number in its cell; None where that is missing."""
        if isinstance(self.cell, tuple):
            c, n = (count(x, name) for x, name in zip(self.cell, "cn", strict=True))
            return None if c is None or n is None else self._replace(value=c, trials=n)
        x = number_in(self.cell, options)
        return None if x is None or isnan(x) else self._replace(value=x)


def left_out(
    rows: Iterable[LabelledRow], aside: Sequence[LabelledRow], options: ReadOptions, cells: Container[Any],
    location: SourceLocation,
) -> list[bool]:  # fmt: skip
    """Which rows that may sum up others are left out: those of a question of which all do, or of a model.

    Each has a remark; also one that may as well have outcomes. A row of a question sums up the others of its model, one
    of a model those of other models.

    rows : the others.
    cells : their outcomes as the table shows them.
    """
    of_models = [not may_be_summary(str(x.question)) for x in aside]
    keys = {key for x, of_model in zip(aside, of_models, strict=True) for key in [_others(x, of_model)]}
    sums: dict[Any, tuple[float, int, int]] = {}
    for x in rows:
        for key in (_others(x, False), _others(x, True)):
            if key in keys:
                total, trials, n = sums.get(key, (0.0, 0, 0))
                sums[key] = total + x.value, trials + x.trials, n + 1
    groups: dict[Any, list[Summary]] = {}
    names = [(x.task, str(x.model if of_model else x.question)) for x, of_model in zip(aside, of_models, strict=True)]
    for x, of_model, name in zip(aside, of_models, names, strict=True):
        total, trials, n = sums.get(_others(x, of_model), (0.0, 0, 0))
        has_counts = isinstance(x.cell, tuple)
        of_row = adds_up(x.cell, (total, trials), n) if has_counts else verdict(x.cell, total, trials, options, cells)
        if not n and is_named(str(x.model)):  # average,overall,0.5
            of_row, n = Summary(is_outcome=False), 1
        groups.setdefault(name, []).extend([of_row] if n else [])  # a row beside no others says nothing
    verdicts = {name: sums_up(x, is_named(name[1])) for name, x in groups.items()}
    certain = {name for (_, name), is_summary in verdicts.items() if is_summary}  # in one task, so in all
    verdicts |= {key: True for key, is_summary in verdicts.items() if is_summary is None and key[1] in certain}
    stated, rows_are = location.wide
    for (_, name), is_summary in verdicts.items():
        if is_summary is not False:
            is_column = rows_are == "question" and "model" not in stated and any(of_models)
            way = f"leave it out, --columns {name}=-" if is_column else "remove its rows"
            location.remarks[remark_on_summary(name, is_summary, way)] = 1
    return [bool(verdicts[name]) for name in names]


def _others(x: LabelledRow, of_model: bool) -> tuple[Any, ...]:
    """The key of the rows that a row may sum up."""
    return ("question", x.task, x.question) if of_model else ("model", x.task, x.model)


def remark_on_summary(name: str, is_summary: bool | None = True, way: str = "remove its rows") -> str:
    """The sentence on a row that was left out, or that may as well have outcomes and was kept."""
    if is_summary is None:
        return f"{name} is read as outcomes, though it equals the sum or the mean of others: if it is that, {way}."
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
    if question not in ("", run) or not column or (not question and table.usual("question", header)):
        return
    model, by_run = plain.get("model") or table.usual("model", header), dict[tuple[str, str], float]()
    if not run:
        if model and "question" not in plain:
            _refuse_averages_of_models(
                rows, model, column, next((plain[x] for x in ("n", *table.COUNTS["n"].split()) if x in plain), "")
            )
        return
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


def _refuse_averages_of_models(rows: Iterable[Mapping[str, Any]], model: str, column: str, n: str) -> None:
    """Raise where each row is a model with its average; n: the column of the number of outcomes, or ""."""
    averages: dict[str, tuple[float, Any]] = {}
    for row in islice(rows, MOST_RUN_ROWS):
        try:
            x = score(row.get(column), None)
        except InvalidInput:
            return
        name = str(row.get(model, ""))
        if x is None or name in averages:
            return
        averages[name] = x, row.get(n)
    if not averages or {x for x, _ in averages.values()} <= {0.0, 1.0}:
        return
    x, size = next(iter(averages.values()))
    is_rate = type(size) in (int, str) and re.fullmatch("[1-9][0-9]{0,8}", str(size).strip()) and 0 <= x <= 1
    hint = f"average:{round(x * int(size))}/{int(size)}" if is_rate else f"averages:{column}"
    what = "the rows are averages of models, not outcomes of questions"
    raise InvalidInput("format", "path", what, hint)


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
