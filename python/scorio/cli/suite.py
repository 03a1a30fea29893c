"""``scorio leaderboard`` of a log with several benchmarks: a row for each, a column for each model."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ..display.names import short_names
from ..display.terms import MARKS, interval
from ..display.text import digits, number, span
from ..errors import InvalidInput
from . import output
from .tables import Column, fitted, in_blocks, said_below, with_ends

if TYPE_CHECKING:
    from ..io import Logs
    from ..leaderboard.suite import Board, Cell

LONGEST = 22  # of the name of a model over its column


def run(args: Namespace, logs: Logs) -> output.Answer:
    """Evaluate every benchmark, print."""
    from ..leaderboard.suite import board, notes

    if args.bayes:
        raise InvalidInput(
            "conflict", "bayes", "--bayes is of one benchmark, and there are several: choose with --task"
        )
    asked: dict[str, Any] = {"questions": args.questions, "confidence": args.confidence}
    boards = [board(logs, k=k, **asked) for k in (None, *(args.k or ()))]
    records = [
        cell.record() | {"confidence": args.confidence}
        for found in boards
        for cell in (*found.cells.values(), *found.macro.values())
    ]

    def page(width: int) -> list[str]:
        first = output.title(args, len(logs), f", {number(len(logs.benchmarks), 'benchmark')}")
        return [first, *(block for found in boards for block in _tables(logs, found, args, width))]

    said = notes(logs, boards, args.confidence, args.missing)
    more = {"schema": f"scorio.suite/{output.VERSION}", "benchmarks": list(logs.benchmarks)}
    return output.answer(args, records, said, page, **more)


def _tables(logs: Logs, found: Board, args: Namespace, width: int) -> list[str]:
    """The benchmarks and the macro-average; where the columns of models do not fit, several tables."""
    models = [*found.macro, *sorted(model for model in logs if model not in found.macro)]
    last = ["macro-average"] if found.macro else []
    short, said = fitted("benchmark", [*(name or "(no name)" for name in logs.benchmarks), *last], width // 4)
    metrics, more = fitted(
        "metric", [*(x.metric for x in logs.benchmarks.values()), *([""] if last else [])], width // 5
    )
    sizes = [_size(part) for part in logs.benchmarks.values()] + [("", "")] * len(last)
    first = [Column("questions", [x for x, _ in sizes]), Column("trials", [x for _, x in sizes])]
    names = short_names(models, LONGEST)
    columns = [[_column(logs, found, x, name, args)] for x, name in zip(models, names.short, strict=True)]
    return [*in_blocks([short, metrics], first, columns, width), *said_below([*said, *more, *names.said], width)]


def _size(part: Logs) -> tuple[str, str]:
    """Questions and trials, from the fewest to the most of any model."""
    trials = [n for log in part.values() for n in log.counts.trials.tolist() if n] or [0]
    questions = [int((log.counts.trials > 0).sum()) for log in part.values()]
    return span(min(questions), max(questions)), span(min(trials), max(trials))


def _column(logs: Logs, found: Board, model: str, name: str, args: Namespace) -> Column:
    rows: list[Cell | None] = [found.cells.get((benchmark, model)) for benchmark in logs.benchmarks]
    rows += [found.macro.get(model)] if found.macro else []
    scores = [x for part in logs.benchmarks.values() for x in part.weights or (0.0, 1.0)]
    values = [cell.value for cell in rows if cell is not None]
    marks = (MARKS[x.variance_source] for x in values)
    form = digits([min(scores), max(scores)])
    ends = iter(with_ends(form, (x.mu for x in values), (x.lo for x in values), (x.hi for x in values), marks))
    at_k = "Max" if any(part.weights for part in logs.benchmarks.values()) else "Pass"
    what = "average" if found.k is None else f"{at_k}@{found.k}"
    head = f"{name}\n{what} {interval(args.confidence)} ({args.questions})"
    return Column(head, ["" if cell is None else next(ends) for cell in rows], "left")
