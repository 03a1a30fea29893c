"""Recognition of files: the ending gives the kind of a file, and the content the tool that wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from ..errors import InvalidInput, shown
from . import check, frames, mapped, memory, table, text_files, wide
from .files import ENDINGS, NAMED, Members
from .formats import FORMATS, FORMATS_OF_KIND, harnesses, recognised
from .formats.fields import Format
from .options import ReadOptions
from .pattern import DOCUMENT, Pattern
from .records import Record, Trial, checked
from .text_files import (
    InferredName,
    SourceLocation,
    UnknownFormat,
    cells_of,
    delimiter,
    document,
    first_lines,
    json_lines,
    objects,
    records_in,
    separated,
)

# the kind of a stream by its first bytes; kinds are those of files.ENDINGS, of which "eval" is a zip file
MAGIC = {b"PAR1": "parquet", b"\x93NUMPY": "array", b"PK\x03\x04": "eval"}
TABLE_KINDS = ("csv", "lines", "json", "parquet")
TREES = ("lines", "json", "xml", "yaml", "text")  # kinds whose rows a pattern finds


class Source(NamedTuple):
    """A file that was recognised: its format and its records."""

    format: str
    records: Iterable[Record]
    is_one_trial: bool = False  # whether the file has one trial of each question
    metric: str = "outcome"
    table: tuple[str, Any] | None = None  # for counting by an engine: ("csv", header) or ("lines", first object)
    absent: Callable[[SourceLocation], Trial] | None = None  # as in Format


def source(location: SourceLocation, options: ReadOptions) -> Source | str:
    """The format and the records of a file; for a file of a tool without outcomes, a description of the file."""
    kind = kind_of(location)
    if kind is None:
        if not location.file.exists():
            raise FileNotFoundError(2, "No such file or directory", str(location.file))
        raise InvalidInput("format", "path", f"the name of the file must end in one of {', '.join(ENDINGS)}")
    if kind == "json" and (options.rows or options.columns is not None) and not _is_document(location.read()):
        kind = "lines"
    if pattern := _pattern(location, kind, options):
        _check_format("table", options)
        fields = options.layout.fields if options.layout else ()
        return Source("table", mapped.records(location, kind, options.columns or {}, pattern, fields))
    if options.wide and kind in TABLE_KINDS:
        _check_format("table", options)
        return Source(
            "table", wide.records(mapped.rows(location, kind, distinct=True), location, options, options.columns)
        )
    if options.columns is not None and kind in TABLE_KINDS and (kind != "json" or _is_array(location)):
        return Source("table", mapped.records(location, kind, options.columns), table=mapped.table_head(location, kind))
    if kind == "array":
        check_plain("array", options)
        return Source("array", memory.array_records(location))
    read: dict[str, Callable[[SourceLocation, ReadOptions], Source | str]] = {
        "csv": _csv, "parquet": _details, "lines": _lines, "json": _document, "xml": _markup, "yaml": _markup,
        "text": _markup, "eval": _zip,
    }  # fmt: skip
    return read[kind](location, options)


def _pattern(location: SourceLocation, kind: str, options: ReadOptions) -> Pattern | None:
    """Where the rows of a document are, if it is read by a pattern.

    The document of a file whose path names its question is one row, if columns are stated.
    """
    if options.rows is not None:
        if kind not in TREES:
            what = "rows finds rows in JSON, JSONL, XML and YAML, and this is none: its rows are its records"
            raise InvalidInput("conflict", "rows", what)
        return options.rows
    names_question = options.layout is not None and "question" in options.layout.fields
    is_one_row = kind == "text" or (kind in TREES and kind != "lines" and options.columns is not None)
    if not is_one_row or not names_question:
        return None
    return None if kind == "json" and _is_array(location) else DOCUMENT


def _markup(location: SourceLocation, options: ReadOptions) -> Source | str:
    """The source in a document of XML or in a text, by its root or its path; else, as all of YAML, it is unknown."""
    kind = kind_of(location) or ""
    x = text_files.root_of(location.read()) if kind == text_files.XML else location
    formats = [format for format in FORMATS_OF_KIND.get(kind, ()) if format.matches(x)]
    if not formats or options.columns is not None or options.format not in (None, formats[0].name):
        what = f"{'a text' if kind == 'text' else f'a document of {kind.upper()}'}, whose rows are not known"
        raise UnknownFormat("format", "path", what, "layout" if kind == "text" else "rows")
    return _tool_source(formats[0], text_files.tree(location, kind), location, options)


def kind_of(location: SourceLocation) -> str | None:
    """The way to read a file, by its ending; for a stream without a known ending, by its first bytes."""
    kind = ENDINGS.get(location.suffix, NAMED.get(location.file.name))
    if kind is not None or location.data is None:
        return kind
    raw = location.read()
    for magic, kind in MAGIC.items():
        if raw.startswith(magic):
            return kind
    first = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if first in (b"[", b"<"):
        return "json" if first == b"[" else "xml"
    return ("json" if _is_document(raw) else "lines") if first == b"{" else "csv"


def _is_array(location: SourceLocation) -> bool:
    """Whether a JSON file holds an array, by its first byte."""
    return location.read().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


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


def _csv(location: SourceLocation, options: ReadOptions) -> Source | str:
    """The source in a CSV file; where the first line is no header but a later one is, the error says so."""
    try:
        return _under_header(location, options)
    except InvalidInput as error:
        begins = table.begin_of(first_lines(location)) if error.code == "format" else 0
        if location.line >= begins:
            raise
        what = f"the first line has no names of columns, and line {begins} does: delete the lines above it"
        raise InvalidInput("format", "path", what) from None  # in a folder too: the file is a table


def _under_header(location: SourceLocation, options: ReadOptions) -> Source | str:
    rows = separated(location, delimiter(location))
    first = next(rows, None)
    header = [str(cell).strip() for cell in first or []]
    format = None
    if options.format != "table" and "question" not in header:
        format = recognised(header, "csv", options.format)
    if format is None:
        _check_format("table", options)
        table.columns(header)
        return Source("table", table.records(chain([first or []], rows), location), table=("csv", first or []))
    return _tool_source(format, (dict(zip(header, row, strict=True)) for row in rows), location, options)


def _details(location: SourceLocation, options: ReadOptions) -> Source:
    """The source in a Parquet file that is read among other files: it must hold details of lighteval."""
    _check_format("lighteval", options)
    _refuse_categories(options)
    if not frames.is_lighteval(location.file):
        raise InvalidInput("conflict", "path", "Parquet tables are read by themselves, not among other files")
    records = harnesses.lighteval(frames.details(location), location, options.which)
    return Source("lighteval", checked(records, location), is_one_trial=True)


def check_plain(name: str, options: ReadOptions) -> None:
    """Raise where the options request another format or a metric, which a plain table or array does not have."""
    _check_format(name, options)
    if options.which.requests:
        metric = shown(options.which.requests[0])
        raise InvalidInput("conflict", "which", f"which = {metric}, but there is nothing to choose from")


def _check_format(name: str, options: ReadOptions) -> None:
    if options.format not in (None, name):
        raise UnknownFormat("format", "path", f"files of format {shown(options.format)} do not have this ending")


def _refuse_categories(options: ReadOptions) -> None:
    """Refuse scores of more than two categories (w) for a tool's log: its outcomes are scores, such as 0.5 for P."""
    if options.C is not None and options.C > 1:
        what = f"outcomes of tools are scores, not categories 0..{options.C}, which w has scores for"
        raise InvalidInput("conflict", "w", what, "levels")


def _tool_source(format: Format | str, x: Any, location: SourceLocation, options: ReadOptions) -> Source | str:
    """The source in a file of a tool; text in place of the format describes a companion, and is returned unchanged."""
    if isinstance(format, str):
        return format
    _refuse_categories(options)
    records = checked(_naming_models(format.records(x, location, options.which)), location)
    return Source(format.name, records, format.is_one_trial, format.metric, absent=format.absent)


def _naming_models(records: Iterable[Record]) -> Iterator[Record]:
    """Records of a tool; a model that only the name of a file or folder states gets the name that its row states."""
    for record in records:
        if isinstance(record, Trial) and record.rest and type(record.model) is InferredName:
            record = record._replace(model=check.model_in(record.rest) or record.model)
        yield record


def _lines(location: SourceLocation, options: ReadOptions) -> Source | str:
    lines = objects(location)
    first = next(lines, None)
    if first is None:
        location.leave_line()
        raise InvalidInput("empty", "path", "the file is empty")
    if options.format == "table" or (options.format is None and _is_table(first)):
        return Source("table", table.records(json_lines(location), location), table=("lines", first))
    try:
        format = recognised(first, "lines", options.format)
    except UnknownFormat:
        record = next(records_in(chain([first], lines), location))
        if record is first or not _is_table(record):
            location.line = 1
            raise
        return Source("table", table.records(json_lines(location), location))
    return _tool_source(format, chain([first], lines), location, options)


def _is_table(first: dict[str, Any]) -> bool:
    """Whether the first object is a row of a table, or so similar that an error should be about columns.

    Raises where it may also be a line of a tool's log.
    """
    tools = [format.name for format in FORMATS if format.kind == "lines" and format.matches(first)]
    outcomes = "outcome" in first or {"c", "n"} <= first.keys()
    if tools and outcomes and "question" in first:
        raise InvalidInput("format", "path", f"the file may be a table or {' or '.join(tools)}", "format")
    return any(str(name).strip().lower() == "question" for name in first) and not tools


def _document(location: SourceLocation, options: ReadOptions) -> Source | str:
    raw = location.read()
    if not _is_document(raw):
        return _lines(location, options)
    content = document(raw, location)
    has_records = isinstance(content, list) and bool(content) and isinstance(content[0], dict)
    is_table = has_records and options.format is None and _is_table(content[0])
    is_table = is_table and not any(x.matches(content) for x in FORMATS_OF_KIND["json"])
    if has_records and (options.format == "table" or is_table):
        return Source("table", table.records(_table_rows(content, location), location))
    try:
        return _tool_source(recognised(content, "json", options.format), content, location, options)
    except UnknownFormat:
        if not isinstance(content, dict) or (
            location.suffix in ENDINGS and not any(x.matches(content) for x in FORMATS_OF_KIND["lines"])
        ):
            raise
        return _lines(location, options)  # a file of one line


def _table_rows(records: list[Any], location: SourceLocation) -> Iterator[list[Any]]:
    """The header and the rows of records, which must all have the same keys."""
    header: list[str] = []
    for row in mapped.records_of(records, location):
        if not header:
            header = list(row)
            yield header
        yield cells_of(row, header, "record")


def _zip(location: SourceLocation, options: ReadOptions) -> Source:
    format = recognised(None, "eval", options.format)  # the only format of this kind, without a look at the content
    _refuse_categories(options)

    def records() -> Iterator[Record]:
        parsed = location.prefetched.get(location.file)
        with location.opened() as file:  # while they are read
            members = Members(file, parsed if isinstance(parsed, Members) else None)
            yield from format.records(members, location, options.which)

    return Source(format.name, checked(records(), location), format.is_one_trial, format.metric)
