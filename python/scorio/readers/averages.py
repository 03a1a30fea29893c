"""Tables that have one average for each run, and no outcomes of questions: scorio interval takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import InvalidInput
from . import table
from .values import score

_RUNS = "seed run run_id run_name repeat repetition replicate iteration rerun"
RUNS = frozenset(_RUNS.split())  # names of columns of runs
AVERAGES = ("accuracy", "mean", "average", "avg", *table.USUAL["outcome"].split())
MOST_ROWS = 1000  # rows that are looked at
MOST_AVERAGES = 40  # averages in a command that is proposed


def refuse(header: Sequence[str], rows: Iterable[Mapping[str, Any]], question: str = "") -> None:
    """Raise where the rows are averages of runs: the message has the command that takes them.

    question : the column that the caller takes for the question.
    """
    plain = {x.strip().lower(): x for x in reversed(header)}
    run = next((plain[x] for x in plain if x in RUNS), "")
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
        if n >= MOST_ROWS or x is None or key in by_run:
            return
        by_run[key] = x
    by_model: dict[str, list[float]] = {}
    for (name, _), x in by_run.items():
        by_model.setdefault(name, []).append(x)
    state(by_model)


def state(by_model: Mapping[str, Sequence[float]]) -> None:
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
