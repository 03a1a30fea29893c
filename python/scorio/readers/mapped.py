"""Tables whose columns have other names; a mapping gives the column or dotted JSON path for each column of scorio."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from itertools import islice
from typing import Any

from ..display.text import nearest
from ..errors import InvalidInput, shown
from . import check, engine, frames, sums, table, text_files, values
from .files import ENDINGS
from .formats.fields import digest
from .pattern import ABSENT, JOIN, OWN, Pattern, Row, Unfit, at
from .records import SuccessCount, Trial
from .text_files import (
    SourceLocation,
    UnknownFormat,
    delimiter,
    document,
    joined,
    located,
    objects,
    records_in,
    separated,
)

NUMBERS = (float, Decimal)  # parts of an id that may be numbers, such as a temperature


def records(
    location: SourceLocation,
    kind: str,
    columns: Mapping[str, str],
    pattern: Pattern | None = None,
    stated: Iterable[str] = (),
) -> Iterator[Trial | SuccessCount]:
    """Trials or success counts in the rows of a file; without a column model, the name of the file is the model.

    pattern : where the rows of a document are.
    stated : the fields that the path of the file states.
    """
    for name in columns:
        if name not in table.COLUMNS:
            what = f"{shown(name)} in columns is none of {joined(table.COLUMNS)}{nearest(name, table.COLUMNS)}"
            raise InvalidInput("choice", "columns", what)
    seen, same_columns = set[str](), kind in ("csv", "parquet")  # in the other kinds rows have their own keys
    names: dict[str, None] = {}
    own_columns: dict[tuple[str, ...], dict[str, str]] = {}  # by the keys of a row
    entries = _Entries(pattern, columns, kind == "lines") if pattern else None
    if columns.get("question", "").lower() in sums.RUN_NAMES and not location.data:
        first = list(islice(rows(SourceLocation(location.file), kind), sums.MOST_RUN_ROWS + 1))
        sums.refuse_averages(list(first[0]) if first else [], first, columns["question"])
    for row in rows(location, kind, pattern=pattern):
        names |= dict.fromkeys(row)
        if (own := own_columns.get(keys := tuple(row))) is None:
            own = own_columns[keys] = table.own_columns(keys, columns)
        paths = own | dict(columns)
        cells = {name: cell(row, path, name) for name, path in paths.items()}
        seen |= {name for name, cell in cells.items() if cell is not ABSENT}
        if missing := [x for x in columns if x not in seen and (same_columns or x == "question")]:
            raise _no_column(missing[0], columns, list(names), "no row has" if same_columns else "the first row has no")
        by_path = dict.fromkeys(x for x in stated if x == "question")  # the path of the file replaces it
        known = by_path | {name: None if cell is ABSENT else cell for name, cell in cells.items()}
        if by_path and known["question"] is None:
            known["question"] = ""
        if "question" not in known or not ("outcome" in known or {"c", "n"} <= known.keys()):
            what = f"{table.described(names)}; {table.NEEDED}, by these names or by the names in columns"
            raise InvalidInput("format", "path", what, None if columns else table.columns_hint(list(row)))
        record = _record(known, location)
        used = {part for path in paths.values() for part in (path, *path.split("+"))}
        record = record._replace(rest={name: x for name, x in row.items() if name not in used})
        costs = {name: at(row, name) for name in ([location.cost] if location.cost else values.UNITS)}
        if type(record) is Trial and (of_trial := {name: x for name, x in costs.items() if x is not ABSENT}):
            record = record._replace(costs=of_trial)
        yield record
        if entries and type(row) is Row and known.get("trial") is None:
            entries.check(row, record, paths, location)
    location.leave_line()
    if pattern is None:
        table.remark_others(list(names), columns, location)
    for name in columns:
        if name not in seen:
            raise _no_column(name, columns, list(names))


class _Entries:
    """The check that questions of one id are not in different entries of lists that no column tells apart.

    pattern : where the rows are; columns : as the caller stated them; is_of_lines : whether each line is an entry.
    """

    def __init__(self, pattern: Pattern, columns: Mapping[str, str], is_of_lines: bool) -> None:
        self.pattern, self.columns, self.is_of_lines = pattern, columns, is_of_lines
        self._first: dict[tuple[str, ...], tuple[Row, str, tuple[str | None, ...]]] = {}  # the first row of a question
        # of the last row
        self._enclosing: tuple[Any, ...] = ()
        self._around: tuple[str, ...] = ()
        self._untold: tuple[str | None, ...] = ()

    def check(self, row: Row, record: Trial | SuccessCount, paths: Mapping[str, str], location: SourceLocation) -> None:
        """Refuse a row whose question was in other entries."""
        question = paths.get("question", "")
        if not question or (len(row.around) < 2 and question not in row.bound):
            return
        is_beside = row.enclosing is self._enclosing and row.around[:-1] == self._around  # the last row
        if not is_beside or question in row.bound:
            runs = table.run_fields(x for x in row if x not in paths.values())
            others = [*(paths[x] for x in ("model", "task") if x in paths), *runs]
            self._enclosing, self._around, self._untold = row.enclosing, row.around[:-1], row.untold(question, others)
        untold = self._untold
        if not any(untold):
            return
        where = ", ".join(filter(None, (f"line {location.line}" if location.line else "", location.entry)))
        key = str(record.model), str(record.task), str(record.question)
        first_row, first_place, first = self._first.setdefault(key, (row, where, untold))
        if first == untold:
            return
        own = {*row.bound, *(row.own if isinstance(row.own, dict) else ["outcome"])}
        fields = [x for x in row if x not in own and row[x] != first_row.get(x) and check.is_candidate(x)]
        level = next((i for i, (x, y) in enumerate(zip(first, untold, strict=False)) if x != y), 0) - self.is_of_lines
        named = [self.pattern.naming(level, x) for x in ("task", "run")]
        hint = check.factor_hint(fields[0], self.columns) if fields else "entries:" + "\n".join(named)
        what = f"question {shown(record.question)} is in {first_place} too, and no column tells the two apart"
        raise InvalidInput("conflict", "rows", what, hint if fields or all(named) else "entry")


def _no_column(name: str, columns: Mapping[str, str], names: list[str], lack: str = "no row has") -> InvalidInput:
    """The error for a missing column; its hint repeats the entries of columns that fit, and adds the most similar name.

    A column that has scorio's own name needs no entry.
    """
    path, proposed = columns[name], {x: y for x, y in columns.items() if x not in (name, y) and y in names}
    unused = [x for x in names if x.lower() not in table.COLUMNS and x not in proposed.values()]
    if name not in table.own_columns(names, {}):
        proposed[name] = next(iter(get_close_matches(path, unused, 1)), "") or table.usual(name, unused) or "COLUMN"
    mapping = ",".join(f"{x}={proposed[x]}" for x in columns if x in proposed)
    what = f"{lack} {shown(path)} for {name}; {table.described(names)}"
    return InvalidInput("choice", "columns", what, f"columns:{mapping}" if mapping else f"unmapped:{name}")


def rows(
    location: SourceLocation, kind: str, distinct: bool = False, pattern: Pattern | None = None
) -> Iterable[dict[str, Any]]:
    """The rows of a file of any kind, as dictionaries; distinct: whether columns of one name are refused."""
    if pattern is not None:
        return _within(location, kind, pattern)
    if kind == "csv":
        return _separated(location, distinct)
    if kind == "parquet":
        return frames.parquet_rows(location)
    return records_in(objects(location), location) if kind == "lines" else _array(location)


def _within(location: SourceLocation, kind: str, pattern: Pattern) -> Iterator[Row]:
    """The rows of a document, or of those in the lines of a file, by a pattern."""
    is_empty = True
    try:
        is_of_lines = kind == "lines"
        for content in objects(location) if is_of_lines else [text_files.tree(location, kind)]:
            for row in pattern.rows(content, location, (f"line {location.line}",) if is_of_lines else ()):
                is_empty = False
                yield row
    except Unfit as e:
        e.hint = f"other:{location.relative_path()}" if location.file != location.root else None
        raise
    location.leave_line()
    if is_empty:
        raise InvalidInput("empty", "path", f"there is no row at {shown(pattern.text)}")


def _array(location: SourceLocation) -> Iterator[dict[str, Any]]:
    content = document(location.read(), location)
    if not isinstance(content, list):
        raise UnknownFormat("format", "path", "a JSON file read with columns must be an array of records")
    yield from records_of(content, location)


def records_of(array: list[Any], location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The records of an array; the location is set to each in turn."""
    for row in located(array, location):
        if not isinstance(row, dict):
            raise InvalidInput("format", "path", f"{shown(row)} is not a record with keys")
        yield row


def table_head(location: SourceLocation, kind: str) -> tuple[str, Any] | None:
    """The kind and the header (or the first object) of a table that is large enough for an engine; else None."""
    if kind in ("parquet", "json") or location.suffix not in ENDINGS or not engine.is_worthwhile(location):
        return None
    try:
        head = next(separated(location, delimiter(location)) if kind == "csv" else objects(location), None)
    except InvalidInput:
        head = None  # reading the rows reports the error
    location.leave_line()
    return (kind, head) if head else None


def _record(cells: dict[str, Any], location: SourceLocation) -> Trial | SuccessCount:
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


def cell(row: Mapping[str, Any], path: str, name: str) -> Any:
    """The cell at a path of a row for a column of scorio; + joins the parts of an id; ABSENT where there is none."""
    value = row.find(path, name) if isinstance(row, Row) else at(row, path)
    if value is not ABSENT or "+" not in path or name in OWN:
        return value
    parts = [cell(row, part.strip(), name) for part in path.split("+")]
    if any(x is ABSENT for x in parts):
        return ABSENT
    ids = ["" if values.is_missing(x) else repr(float(x)) if type(x) in NUMBERS else x for x in parts]
    return JOIN.join(x if x == "" else values.id_of(x, name) for x in ids) if any(x != "" for x in ids) else ""


def _cell(cells: dict[str, Any], name: str) -> Any:
    """A cell of a record: "" where it is empty, None where there is no such column."""
    return None if name not in cells else "" if cells[name] is None else cells[name]


def _separated(location: SourceLocation, distinct: bool) -> Iterator[dict[str, Any]]:
    rows = separated(location, delimiter(location))
    header = [str(cell).strip() for cell in next(rows, [])]
    if not header:
        raise InvalidInput("empty", "path", "the file is empty")
    # columns of one name are left out, so that they are an error only where they are needed: such as metadata of a tool
    duplicates = {name for name in header if header.count(name) > 1}
    if used := [name for name in header if name in duplicates and (distinct or name.lower() in table.COLUMNS)]:
        raise InvalidInput("duplicate", "path", f"duplicate column {shown(used[0])}")
    for row in rows:
        yield {name: cell for name, cell in zip(header, row, strict=True) if name not in duplicates}
