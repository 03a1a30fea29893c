"""Tables whose columns have other names; a mapping gives the column or dotted JSON path for each column of scorio."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import engine, table, values
from .formats.fields import digest
from .records import SuccessCount, Trial
from .text_files import SourceLocation, UnknownFormat, delimiter, document, joined, objects, separated
from .tree import ENDINGS

ABSENT = object()  # in place of a cell that a row does not have: null is a cell


def records(location: SourceLocation, kind: str, columns: Mapping[str, str]) -> Iterator[Trial | SuccessCount]:
    """Trials or success counts in the rows of a file; without a column model, the name of the file is the model."""
    check_columns(columns)
    seen, same_columns = set[str](), kind in ("csv", "parquet")  # in the other kinds rows have their own keys
    renamed = set(columns.values())  # columns that are read under another name
    names: dict[str, None] = {}
    for row in rows(location, kind):
        names |= dict.fromkeys(row)
        paths = {name: name for name in table.COLUMNS if name in row and name not in renamed} | dict(columns)
        cells = {name: at(row, path) for name, path in paths.items()}
        seen |= {name for name, cell in cells.items() if cell is not ABSENT}
        if missing := [x for x in columns if x not in seen and (same_columns or x == "question")]:
            raise _no_column(missing[0], columns, list(names), "no row has" if same_columns else "the first row has no")
        used = set(paths.values())
        record = _record({name: None if cell is ABSENT else cell for name, cell in cells.items()}, location)
        record = record._replace(rest={name: x for name, x in row.items() if name not in used})
        costs = {name: at(row, name) for name in ([location.cost] if location.cost else values.UNITS)}
        if type(record) is Trial and (stated := {name: x for name, x in costs.items() if x is not ABSENT}):
            record = record._replace(costs=stated)
        yield record
    location.leave_line()
    for name in columns:
        if name not in seen:
            raise _no_column(name, columns, list(names))


def _no_column(name: str, columns: Mapping[str, str], names: list[str], lack: str = "no row has") -> InvalidInput:
    """The error for a missing column; its hint repeats the entries of columns that fit, and adds the most similar name.

    A column that has scorio's own name needs no entry.
    """
    path, proposed = columns[name], {x: y for x, y in columns.items() if x not in (name, y) and y in names}
    unused = [x for x in names if x.lower() not in table.COLUMNS and x not in proposed.values()]
    if name not in names:
        proposed[name] = next(iter(get_close_matches(path, unused, 1)), "") or table.usual(name, unused) or "COLUMN"
    mapping = ",".join(f"{x}={proposed[x]}" for x in columns if x in proposed)
    what = f"{lack} {shown(path)} for {name}; {table.described(names)}"
    return InvalidInput("choice", "columns", what, f"columns:{mapping}" if mapping else f"unmapped:{name}")


def rows(location: SourceLocation, kind: str, distinct: bool = False) -> Iterable[dict[str, Any]]:
    """The rows of a file of any kind, as dictionaries; distinct: whether columns of one name are refused."""
    if kind == "csv":
        return _separated(location, distinct)
    return {"lines": objects, "json": _array, "parquet": _parquet}[kind](location)


def _array(location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The records of a JSON array."""
    content = document(location.read(), location)
    if not isinstance(content, list):
        raise UnknownFormat("format", "path", "a JSON file read with columns must be an array of records")
    yield from records_of(content, location)


def records_of(array: list[Any], location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The records of an array; the location is set to each in turn."""
    for i, row in enumerate(array):
        location.entry = f"[{i}]"
        if not isinstance(row, dict):
            raise InvalidInput("format", "path", f"{shown(row)} is not a record with keys")
        yield row


def table_head(location: SourceLocation, kind: str) -> tuple[str, Any] | None:
    """The kind and the header (or the first object) of a table that is large enough for an engine; else None."""
    if kind in ("parquet", "json") or location.suffix not in ENDINGS or not engine.is_worthwhile(location):
        return None
    try:
        head = next(_rows_of(location) if kind == "csv" else objects(location), None)
    except InvalidInput:
        head = None  # reading the rows reports the error
    location.leave_line()
    return (kind, head) if head else None


def check_columns(columns: Mapping[str, str]) -> None:
    """Raise for a name in columns that is not a column of scorio."""
    for name in columns:
        if name not in table.COLUMNS:
            what = f"{shown(name)} in columns is none of {joined(table.COLUMNS)}{nearest(name, table.COLUMNS)}"
            raise InvalidInput("choice", "columns", what)


def _record(cells: dict[str, Any], location: SourceLocation) -> Trial | SuccessCount:
    if "question" not in cells or not ("outcome" in cells or {"c", "n"} <= cells.keys()):
        raise InvalidInput("format", "path", f"{table.NEEDED}, by these names or by the names in columns")
    table.refuse_counts_with_outcomes(cells)
    question = cells["question"]
    if isinstance(question, (dict, list)):
        question = digest(question)
    model = cells["model"] if "model" in cells else location.model()
    cluster, task = (_cell(cells, name) for name in ("cluster", "task"))
    model = "" if model is None else model
    if "c" in cells:
        return SuccessCount(model, question, cells["c"], cells["n"], cluster, task)
    return Trial(model, question, _cell(cells, "trial"), cells["outcome"], cluster, task)


def _cell(cells: dict[str, Any], name: str) -> Any:
    """A cell of a record: "" where it is empty, None where there is no such column."""
    return None if name not in cells else "" if cells[name] is None else cells[name]


def at(x: Any, path: str) -> Any:
    """The value at a dotted path, read as one key or part by part, also within JSON in a text; else ABSENT."""
    if isinstance(x, Mapping) and path in x:
        return x[path]
    for i, c in enumerate(path):
        if c == ".":
            inner = _inner(x, path[:i])
            if inner is not ABSENT and (value := at(inner, path[i + 1 :])) is not ABSENT:
                return value
    return _inner(x, path) if isinstance(x, list) else ABSENT


def _inner(x: Any, name: str) -> Any:
    """The entry of a list or a mapping, decoded if it is JSON in a text; ABSENT where there is none."""
    if isinstance(x, list) and name.isascii() and name.isdigit() and len(name) < 9 and int(name) < len(x):
        inner = x[int(name)]
    elif isinstance(x, Mapping) and name in x:
        inner = x[name]
    else:
        return ABSENT
    if isinstance(inner, str) and inner.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(inner)
        except (ValueError, RecursionError):
            return ABSENT
    return inner


def _separated(location: SourceLocation, distinct: bool) -> Iterator[dict[str, Any]]:
    rows = _rows_of(location)
    header = [str(cell).strip() for cell in next(rows, [])]
    if not header:
        raise InvalidInput("empty", "path", "the file is empty")
    # columns of one name are left out, so that they are an error only where they are needed: such as metadata of a tool
    duplicates = {name for name in header if header.count(name) > 1}
    if used := [name for name in header if name in duplicates and (distinct or name.lower() in table.COLUMNS)]:
        raise InvalidInput("duplicate", "path", f"duplicate column {shown(used[0])}")
    for row in rows:
        yield {name: cell for name, cell in zip(header, row, strict=True) if name not in duplicates}


def _rows_of(location: SourceLocation) -> Iterator[list[Any]]:
    return separated(location, delimiter(location))


def _parquet(location: SourceLocation) -> Iterable[dict[str, Any]]:
    from . import parquet

    return parquet.objects(location)
