"""Long tables: columns question and outcome, or question, c and n; perhaps model, trial and cluster."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from ..errors import InvalidInput
from .accumulator import Tallied, Trial
from .text_files import Place, Unknown, listed

COLUMNS = ("model", "task", "question", "trial", "outcome", "cluster", "c", "n")
NEEDED = "scorio reads question and outcome, or question, c and n, and optionally model, task, trial and cluster"


def records(rows: Iterable[list[Any]], place: Place) -> Iterator[Trial | Tallied]:
    """The rows under a header, as records; without a column model the name of the file is the model."""
    rows = iter(rows)
    header = [str(h).strip() for h in next(rows, [])]
    column, width = columns(header), len(header)
    model, task, question, trial, outcome, cluster, c, n = (column.get(name, width) for name in COLUMNS)
    stem = place.model() if model == width else ""
    for row in rows:
        row.append(None)  # what a column that is not there holds
        name = stem or _there(row[model])
        family = None if cluster == width else _there(row[cluster])
        of = None if task == width else _there(row[task])
        if c == width:
            yield Trial(name, row[question], None if trial == width else _there(row[trial]), row[outcome], family, of)
        else:
            yield Tallied(name, row[question], row[c], row[n], family, of)


def _there(cell: Any) -> Any:
    """A cell that may be empty but is no absent column."""
    return "" if cell is None else cell


def columns(header: list[str]) -> dict[str, int]:
    """Where each column stands."""
    if not header:
        raise InvalidInput("empty", "path", "the file is empty")
    names = set(header)
    if len(names) != len(header):
        raise InvalidInput("duplicate", "path", f"a column stands twice: {listed(header)}")
    if "question" not in names or not ("outcome" in names or {"c", "n"} <= names):
        what = f"the columns are {listed(header)}; {NEEDED}, by these names or as columns says"
        raise (InvalidInput if names & set(COLUMNS) else Unknown)("format", "path", what)
    if unknown := [h for h in header if h not in COLUMNS]:
        raise InvalidInput("format", "path", f"unknown column {listed(unknown)}, rename it or leave it out; {NEEDED}")
    counts_or_outcomes(names)
    return {name: i for i, name in enumerate(header)}


def counts_or_outcomes(names: Container[str]) -> None:
    """Not both."""
    if ("c" in names or "n" in names) and ("outcome" in names or "trial" in names):
        raise InvalidInput("conflict", "path", "c and n count trials: they cannot stand beside outcome or trial")
