"""Tables under names of their own: which column, or which dotted path into its JSON, is what scorio reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from ..display.text import nearest
from ..errors import InvalidInput
from . import engine, table, values
from .accumulator import Tallied, Trial
from .formats.fields import digest
from .text_files import Place, Unknown, delimiter, document, listed, objects, separated, shown
from .tree import ENDINGS

ABSENT = object()


def records(place: Place, kind: str, columns: Mapping[str, str]) -> Iterator[Trial | Tallied]:
    """The rows of a file as records; without a column model the name of the file is the model."""
    checked(columns)
    met: set[str] = set()
    taken = set(columns.values())  # they are what columns says
    names: dict[str, None] = {}
    for row in rows(place, kind):
        names |= dict.fromkeys(row)
        paths = {name: name for name in table.COLUMNS if name in row and name not in taken} | dict(columns)
        cells = {name: at(row, path) for name, path in paths.items()}
        met |= {name for name, cell in cells.items() if cell is not ABSENT}
        if lost := [x for x in columns if x not in met and (kind in ("csv", "parquet") or x == "question")]:
            raise _no_column(lost[0], columns, list(names))
        record = _record({name: None if cell is ABSENT else cell for name, cell in cells.items()}, place)
        costs = {name: at(row, name) for name in ([place.cost] if place.cost else values.UNITS)}
        if type(record) is Trial and (stated := {name: x for name, x in costs.items() if x is not ABSENT}):
            record = record._replace(costs=stated)
        yield record
    place.whole()
    for name in columns:
        if name not in met:
            raise _no_column(name, columns, list(names))


def _no_column(name: str, columns: Mapping[str, str], there: list[str]) -> InvalidInput:
    """The error of a column that no row has, with the names that are meant where one is near."""
    path = columns[name]
    close = get_close_matches(path, there, 1)
    meant = ",".join(f"{x}={close[0] if x == name else y}" for x, y in columns.items()) if close else ""
    what = f"no row has {shown(path)} for {name}; there are {listed(there)}"
    return InvalidInput("choice", "columns", what, f"columns:{meant}" if meant else f"columns:{name}={there[0]}")


def rows(place: Place, kind: str) -> Iterable[dict[str, Any]]:
    """The rows of a file of any kind, a column an entry."""
    return {"csv": _separated, "lines": objects, "json": _array, "parquet": _parquet}[kind](place)


def _array(place: Place) -> Iterator[dict[str, Any]]:
    """The records of a JSON array."""
    found = document(place.all(), place)
    if not isinstance(found, list):
        raise Unknown("format", "path", "a JSON file with columns is an array of records, and this is none")
    yield from records_of(found, place)


def records_of(found: list[Any], place: Place) -> Iterator[dict[str, Any]]:
    """Each record of an array, at its place."""
    for i, row in enumerate(found):
        place.spot = f"[{i}]"
        if not isinstance(row, dict):
            raise InvalidInput("format", "path", f"{shown(row)} is not a record with keys")
        yield row


def first(place: Place, kind: str) -> tuple[str, Any] | None:
    """For an engine: the kind of a large table and its header, or its first object."""
    if kind in ("parquet", "json") or place.suffix not in ENDINGS or not engine.pays(place):
        return None
    try:
        found = next(_rows_of(place) if kind == "csv" else objects(place), None)
    except InvalidInput:
        found = None  # whoever reads the rows says so
    place.whole()
    return (kind, found) if found else None


def checked(columns: Mapping[str, str]) -> None:
    """The names are scorio's."""
    for name in columns:
        if name not in table.COLUMNS:
            what = f"{shown(name)} in columns is none of {listed(table.COLUMNS)}{nearest(name, table.COLUMNS)}"
            raise InvalidInput("choice", "columns", what)


def _record(cells: dict[str, Any], place: Place) -> Trial | Tallied:
    if "question" not in cells or not ("outcome" in cells or {"c", "n"} <= cells.keys()):
        raise InvalidInput("format", "path", f"{table.NEEDED}, by these names or as columns says")
    table.counts_or_outcomes(cells)
    question = cells["question"]
    if isinstance(question, (dict, list)):
        question = digest(question)
    model = cells["model"] if "model" in cells else place.model()
    cluster, task = (_there(cells, name) for name in ("cluster", "task"))
    model = "" if model is None else model
    if "c" in cells:
        return Tallied(model, question, cells["c"], cells["n"], cluster, task)
    return Trial(model, question, _there(cells, "trial"), cells["outcome"], cluster, task)


def _there(cells: dict[str, Any], name: str) -> Any:
    """A cell that may be empty but is no absent column."""
    return None if name not in cells else "" if cells[name] is None else cells[name]


def at(x: Any, path: str) -> Any:
    """The value at a dotted path: a key as it stands, or one part after the other; text may hold JSON."""
    if isinstance(x, Mapping) and path in x:
        return x[path]
    for i, c in enumerate(path):
        if c == ".":
            inner = _inner(x, path[:i])
            if inner is not ABSENT and (found := at(inner, path[i + 1 :])) is not ABSENT:
                return found
    return _inner(x, path) if isinstance(x, list) else ABSENT


def _inner(x: Any, name: str) -> Any:
    if isinstance(x, list):
        return x[int(name)] if name.isascii() and name.isdigit() and len(name) < 9 and int(name) < len(x) else ABSENT
    if not isinstance(x, Mapping) or name not in x:
        return ABSENT
    inner = x[name]
    if isinstance(inner, str) and inner.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(inner)
        except (ValueError, RecursionError):
            return ABSENT
    return inner


def _separated(place: Place) -> Iterator[dict[str, Any]]:
    rows = _rows_of(place)
    header = [str(cell).strip() for cell in next(rows, [])]
    if not header:
        raise InvalidInput("empty", "path", "the file is empty")
    twice = {name for name in header if header.count(name) > 1}
    for row in rows:
        yield {name: cell for name, cell in zip(header, row, strict=True) if name not in twice}


def _rows_of(place: Place) -> Iterator[list[Any]]:
    return separated(place, delimiter(place))


def _parquet(place: Place) -> Iterable[dict[str, Any]]:
    from . import parquet

    return parquet.objects(place)
