"""Recognition of files: the ending gives the kind of a file, and the content the tool that wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from ..errors import InvalidInput, shown
from . import arrays, mapped, parquet, table
from .claims import checked
from .formats import FORMATS, OF_KIND, lighteval, recognised
from .formats.fields import Format, Unknown
from .formats.zips import Members
from .options import ReadOptions
from .records import Record
from .text_files import SourceLocation, delimiter, document, json_lines, listed, objects, separated
from .tree import ENDINGS

MAGIC = {b"PAR1": "parquet", b"\x93NUMPY": "array", b"PK\x03\x04": "eval"}


ROWS = ("csv", "lines", "json", "parquet")


class Source(NamedTuple):
    """A file that was recognised: its format and its records."""

    format: str
    records: Iterable[Record]
    one: bool = False  # the file is one trial
    metric: str = "outcome"
    table: tuple[str, Any] | None = None  # for an engine that counts it: ("csv", header) or ("lines", first object)


def source(place: SourceLocation, options: ReadOptions) -> Source | str:
    """The format and the records of a file; for a tool's file without outcomes, a description of the file."""
    kind = kind_of(place)
    if kind is None:
        if not place.file.exists():
            raise FileNotFoundError(2, "No such file or directory", str(place.file))
        raise InvalidInput("format", "path", f"the name of the file must end in one of {', '.join(ENDINGS)}")
    if options.wide and kind in ROWS:
        _check_format("table", options)
        return Source("table", table.wide(mapped.rows(place, kind)))
    if options.columns is not None and kind in ROWS and (kind != "json" or _is_array(place)):
        return Source("table", mapped.records(place, kind, options.columns), table=mapped.table_head(place, kind))
    if kind == "array":
        plain("array", options)
        return Source("array", arrays.records(place))
    return {"csv": _csv, "parquet": _details, "lines": _lines, "json": _document, "eval": _zip}[kind](place, options)


def kind_of(place: SourceLocation) -> str | None:
    """The way to read a file, by its ending; for a stream, by its first bytes."""
    kind = ENDINGS.get(place.suffix)
    if kind is not None or place.data is None:
        return kind
    raw = place.all()
    for magic, named in MAGIC.items():
        if raw.startswith(magic):
            return named
    first = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if first == b"[":
        return "json"
    return ("json" if _is_document(raw) else "lines") if first == b"{" else "csv"


def _is_array(place: SourceLocation) -> bool:
    return place.all().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _is_document(raw: bytes) -> bool:
    """Whether the bytes are one JSON value, rather than one on each line."""
    end = raw.find(b"\n")
    first = raw[:end] if end >= 0 else raw
    if not first.rstrip().endswith(b"}") or not raw[end:].strip() or end < 0:
        return True
    try:
        return not isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return True


def _csv(place: SourceLocation, options: ReadOptions) -> Source | str:
    rows = separated(place, delimiter(place))
    first = next(rows, None)
    header = [str(cell).strip() for cell in first or []]
    format = None
    if options.format != "table" and not {"question"} <= set(header):
        format = recognised(header, "csv", options.format)
    if format is None:
        _check_format("table", options)
        table.columns(header)
        return Source("table", table.records(chain([first or []], rows), place), table=("csv", first or []))
    return _tool(format, (dict(zip(header, row, strict=True)) for row in rows), place, options)


def _details(place: SourceLocation, options: ReadOptions) -> Source:
    _check_format("lighteval", options)
    _refuse_categories(options)
    if not parquet.is_lighteval(place.file):
        raise InvalidInput("conflict", "path", "Parquet tables are read by themselves, not among other files")
    return Source("lighteval", checked(lighteval.records(parquet.rows(place), place, options.which), place), True)


def plain(name: str, options: ReadOptions) -> None:
    """Raise where another format, or one of several metrics, is requested for a plain table or array."""
    _check_format(name, options)
    if options.which.requests:
        metric = shown(options.which.requests[0])
        raise InvalidInput("conflict", "which", f"which = {metric}, but there is nothing to choose from")


def _check_format(name: str, options: ReadOptions) -> None:
    if options.format not in (None, name):
        raise Unknown("format", "path", f"format = {shown(options.format)} has no files with this ending")


def _refuse_categories(options: ReadOptions) -> None:
    """Refuse scores for categories: a tool's outcomes are scores themselves, such as 0.5 for inspect_ai's P."""
    if options.C is not None and options.C > 1:
        what = f"outcomes of tools are scores, not categories 0..{options.C}, which w has scores for"
        raise InvalidInput("conflict", "w", what, "levels")


def _tool(format: Format | str, x: Any, place: SourceLocation, options: ReadOptions) -> Source | str:
    if isinstance(format, str):
        return format
    _refuse_categories(options)
    return Source(format.name, checked(format.records(x, place, options.which), place), format.one, format.metric)


def _lines(place: SourceLocation, options: ReadOptions) -> Source | str:
    lines = objects(place)
    first = next(lines, None)
    if first is None:
        place.leave_line()
        raise InvalidInput("empty", "path", "the file is empty")
    if options.format == "table" or (options.format is None and _is_table(first)):
        return Source("table", table.records(json_lines(place), place), table=("lines", first))
    return _tool(recognised(first, "lines", options.format), chain([first], lines), place, options)


def _is_table(first: dict[str, Any]) -> bool:
    """Whether the first object is a row of a table, or so similar that an error should be about columns."""
    tools = [format.name for format in FORMATS if format.kind == "lines" and format.matches(first)]
    outcomes = "outcome" in first or {"c", "n"} <= first.keys()
    if tools and outcomes and "question" in first:
        raise InvalidInput("format", "path", f"the file may be a table or {' or '.join(tools)}", "format")
    return any(str(name).strip().lower() == "question" for name in first) and not tools


def _document(place: SourceLocation, options: ReadOptions) -> Source | str:
    raw = place.all()
    if not _is_document(raw):
        return _lines(place, options)
    content = document(raw, place)
    records = isinstance(content, list) and bool(content) and isinstance(content[0], dict)
    is_table = records and options.format is None and _is_table(content[0])
    if records and (options.format == "table" or (is_table and not any(x.matches(content) for x in OF_KIND["json"]))):
        return Source("table", table.records(_table_rows(content, place), place))
    try:
        return _tool(recognised(content, "json", options.format), content, place, options)
    except Unknown:
        if not isinstance(content, dict) or (
            place.suffix in ENDINGS and not any(x.matches(content) for x in OF_KIND["lines"])
        ):
            raise
        return _lines(place, options)  # a file of one line


def _table_rows(records: list[Any], place: SourceLocation) -> Iterator[list[Any]]:
    """The header and the rows of records, which must all have the same keys."""
    header: list[str] = []
    for row in mapped.records_of(records, place):
        if not header:
            header = list(row)
            yield header
        if row.keys() != set(header):
            raise InvalidInput("ragged", "path", f"keys {listed(list(row))} here, {listed(header)} in the first record")
        yield [row[name] for name in header]


def _zip(place: SourceLocation, options: ReadOptions) -> Source | str:
    format = recognised(None, "eval", options.format)
    if isinstance(format, str):
        return format
    _refuse_categories(options)
    return Source(format.name, checked(_members(format, place, options), place), format.one, format.metric)


def _members(format: Format, place: SourceLocation, options: ReadOptions) -> Iterator[Record]:
    known = place.heads.get(place.file)
    with place.opened() as file:
        members = known.of(file) if isinstance(known, Members) else Members(file)
        yield from format.records(members, place, options.which)
