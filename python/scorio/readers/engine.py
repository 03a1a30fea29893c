"""Large tables of text, parsed by Arrow and counted as columns; the row-by-row reader reads irregular ones.

Arrow is used because the extra ``frames`` installs it anyway, it leaves cells of CSV as text, keeps the order of rows
and parses on all processors. Counting takes about one to two times as long as polars takes to read and group the same
table, and up to three times where it has columns that are not read (bench/README.md).
Arrow accepts many tables that are errors here. It therefore gets only text in which both readers find the same cells.
A table that cannot be counted is read again, row by row, by the reader that names the line of an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import IO, Any

import numpy as np

from ..display import progress
from ..display.text import unescape_formula
from ..errors import InvalidInput
from ..outcomes.count_files import csv_rows
from . import sums, table, values
from .accumulator import TrialAccumulator
from .check import are_levels, is_candidate, scalars
from .columns import REST, Column, RowError, rows_of
from .counting import count
from .records import Record, Trial
from .text_files import SourceLocation, delimiter

MIN_BYTES = 1 << 18  # size of a file from which Arrow is faster: importing it takes a tenth of a second
CHUNK = 1 << 24  # bytes parsed at once; the allocator reuses such chunks, and would map larger ones anew
MAX_LINE = 1 << 20  # bytes that may follow a chunk until the end of its last line
BLOCK = 1 << 20  # bytes for each thread of Arrow
PROGRESS_BYTES = 1 << 28  # size of a file from which a terminal shows a progress bar
QUOTE, LINE, RETURN, BOM = b'"', b"\n", b"\r", b"\xef\xbb\xbf"
NEARLY_WHOLE = re.compile(rb"\.(?:0{15}|9{15})|[0-9][eE]-")  # decimals that a double may round to a whole number
Watch = Callable[[Iterable[Record]], Iterator[Record]]


class Irregular(Exception):
    """Raised where a table needs the row-by-row reader, which reads it or names the line of its error."""


def try_count(
    location: SourceLocation,
    kind: str,
    first: Sequence[Any] | Mapping[str, Any],
    accumulator: TrialAccumulator,
    watch: Watch,
) -> bool:
    """Count a table with Arrow; False where it has to be read row by row.

    first : the header, or the first object.
    watch : a check that yields the records it gets, such as DuplicateGuard.records; it gets one of each model and task.
    """
    if (
        not accumulator.options.engine
        or accumulator.options.answers
        or accumulator.options.cost
        or not is_worthwhile(location)
    ):
        return False
    size = _size(location)
    try:
        names = [str(x).strip() for x in first] if kind == "csv" else list(first)
        if any(name.lower() in values.UNITS for name in names):
            raise Irregular
        mapping = accumulator.options.columns
        names_in_file = _names_in_file(names, mapping)
        used = {*names_in_file.values(), accumulator.options.runs_by}
        fields = () if "trial" in names_in_file else table.run_fields(x for x in names if x not in used)
        fields = () if accumulator.options.runs_by else fields
        if run := accumulator.options.runs_by or next(iter(fields), ""):
            names_in_file["run"] = run
            used.add(run)
        fields_of_objects = (
            [x for x, _ in scalars(first, lists=False) if x not in names] if isinstance(first, dict) else []
        )
        rest = [name for name in (*names, *fields_of_objects) if name not in used and is_candidate(name)]
        names_in_file |= {REST + name: name for name in rest}
        if kind == "csv":
            parse = _csv_parser(location, first, names, names_in_file)
        else:
            parse = _json_parser(first, names_in_file, mapping is None)
        columns = {name: Column(name) for name in names_in_file}
        if len(fields) > 1 or (run and ("trial" in columns or "c" in columns or run not in names)):
            raise Irregular  # ids of trials are of each run
        with (
            location.opened() as file,
            progress.bar(location.file.name, size, None if size >= PROGRESS_BYTES else False) as advance,
        ):
            for i, chunk in enumerate(_chunks(file)):
                parse(chunk, columns, not i)
                for name in [x for x, column in columns.items() if x.startswith(REST) and not column.may_be_factor]:
                    del columns[name]
                advance(len(chunk))
        for name in [x for x in columns if x.startswith(REST)]:
            if not are_levels(name.removeprefix(REST), map(str, columns[name].labels)):
                del columns[name]
        _finish(columns, location, accumulator, watch, fields)
        if mapping is None:
            table.remark_unread(names, table.columns(names), location)
        else:
            table.remark_others(names, mapping, location)
    except RowError as e:
        if (e.error.hint or "").startswith("factor"):  # about all rows, so that no line needs to be found
            location.leave_line()
            raise e.error from None
        return False
    except (Irregular, InvalidInput):
        return False
    return True


def is_worthwhile(location: SourceLocation) -> bool:
    """Whether a table is large enough for Arrow, and Arrow is installed."""
    return _size(location) >= MIN_BYTES and find_spec("pyarrow") is not None


def _size(location: SourceLocation) -> int:
    return len(location.data) if location.data is not None else location.file.stat().st_size


def _names_in_file(names: list[str], mapping: Mapping[str, str] | None) -> dict[str, str]:
    """The name in the file of each column that is read."""
    if mapping is None:
        return {name: names[i] for name, i in table.columns(names).items()}
    names_in_file = table.own_columns(names, mapping) | dict(mapping)
    is_invalid = (
        len(set(names_in_file.values())) < len(names_in_file)
        or not set(names_in_file) <= set(table.COLUMNS)
        or not set(names_in_file.values()) <= set(names)
    )
    if is_invalid or len(set(names)) < len(names):
        raise Irregular
    if "question" not in names_in_file or not ("outcome" in names_in_file or {"c", "n"} <= names_in_file.keys()):
        raise Irregular
    table.refuse_counts_with_outcomes(names_in_file)
    return names_in_file


def _finish(
    columns: dict[str, Column],
    location: SourceLocation,
    accumulator: TrialAccumulator,
    watch: Watch,
    run_fields: tuple[str, ...],
) -> None:
    """Count the columns, pass one record of each model and task to `watch`, and pass the counts to the accumulator."""
    if any(not column.filled for column in columns.values()):
        raise Irregular
    model = location.model()
    rows = rows_of(columns, values.id_of(model, "model"), accumulator.options, accumulator.outcome_code)
    may_sum_up = any(any(map(test, rows.labels[name])) for name, test in sums.MAY_SUM_UP.items())
    if not len(rows.outcome) or may_sum_up:
        raise Irregular
    counted = count(rows._replace(run_fields=run_fields), accumulator.options.trials)
    # a record for each model and task: `watch` checks where the model's name is from, and whether trials without ids
    # are in two files, which does not apply to counts
    trial = "0" if "trial" in columns or "c" in columns else None
    pairs = [(name if "model" in columns else model, task) for name, task, *_ in counted.tasks]
    examples = [Trial(name, "", trial, None, None, task or None) for name, task in pairs]
    for _ in watch(examples):
        pass
    accumulator.take_counts(counted, columns)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file, in chunks of whole lines."""
    while chunk := file.read(CHUNK):
        if not chunk.endswith(LINE):
            line_end = file.readline(MAX_LINE)
            if len(line_end) == MAX_LINE:
                raise Irregular
            chunk += line_end
        yield chunk


def _check_text(chunk: bytes) -> None:
    """Raise unless the bytes are UTF-8 text without NUL, whose lines end in LF or CRLF."""
    if b"\0" in chunk or (RETURN in chunk and chunk.count(RETURN) != chunk.count(RETURN + LINE)):
        raise Irregular
    if not chunk.isascii():
        try:
            chunk.decode()
        except UnicodeDecodeError:
            raise Irregular from None


def _arrow(parse: Callable[[], Any]) -> Any:
    """The result of a parser of Arrow; its errors become Irregular."""
    import pyarrow as pa

    try:
        return parse()
    except pa.ArrowException:
        raise Irregular from None


def _numbers(indices: Any) -> Any:
    """Indices as a NumPy array, without to_numpy(), which would import pandas."""
    if indices.null_count:
        raise Irregular
    kind = np.dtype(str(indices.type))
    if not len(indices):
        return np.empty(0, kind)
    return np.frombuffer(indices.buffers()[1], kind, len(indices), indices.offset * kind.itemsize)


# --- CSV and TSV ----------------------------------------------------------------------------------------


def _csv_parser(
    location: SourceLocation, first: Any, names: list[str], names_in_file: Mapping[str, str]
) -> Callable[[bytes, dict[str, Column], bool], None]:
    """A parser of chunks of CSV, the first of which starts with the header."""
    import pyarrow as pa
    import pyarrow.csv as parser

    sep = delimiter(location)
    coded = pa.dictionary(pa.int32(), pa.string())

    def read(chunk: bytes, columns: dict[str, Column], is_first: bool) -> None:
        _check_text(chunk)
        if is_first:
            line, _, chunk = chunk.partition(LINE)
            if len(line) > MAX_LINE // 16 or list(csv_rows([line.decode("utf-8-sig")], delimiter=sep)) != [first]:
                raise Irregular  # a very long header, a blank line above it, or a line break in it
        if not chunk or chunk.isspace():
            return
        quoted = QUOTE in chunk
        if quoted:
            _check_quotes(chunk, sep.encode())
        options = {
            "read_options": parser.ReadOptions(column_names=names, block_size=BLOCK),
            "parse_options": parser.ParseOptions(delimiter=sep, quote_char='"' if quoted else False),
            "convert_options": parser.ConvertOptions(
                check_utf8=False, column_types=dict.fromkeys(names_in_file.values(), coded), strings_can_be_null=False,
                include_columns=[names_in_file[name] for name in columns],
            ),
        }  # fmt: skip
        rows = _arrow(lambda: parser.read_csv(pa.BufferReader(chunk), **options).unify_dictionaries())
        for name, column in columns.items():
            cells = rows.column(names_in_file[name]).combine_chunks()
            column.add(list(map(unescape_formula, cells.dictionary.to_pylist())), _numbers(cells.indices))

    return read


def _check_quotes(chunk: bytes, delimiter: bytes) -> None:
    """Raise unless each quote opens or closes a cell that is on one line, and quotes within cells are doubled."""
    text = np.frombuffer(chunk, np.uint8)
    quotes = np.flatnonzero(text == QUOTE[0])
    if len(quotes) % 2:
        raise Irregular
    opening, closing = quotes[::2], quotes[1::2]
    starts_cell = np.zeros(256, bool)  # whether a cell may start after this byte
    starts_cell[[*delimiter, *LINE]] = True
    ends_cell = starts_cell.copy()  # whether a cell may end before this byte
    ends_cell[RETURN[0]] = True  # part of a line break, as _check_text has checked
    before = np.where(opening > 0, text[opening - 1], LINE[0])
    after = np.where(closing + 1 < len(text), text[np.minimum(closing + 1, len(text) - 1)], LINE[0])
    doubled = np.zeros(len(opening), bool)  # whether a quote follows the one that closed before: both are one quote
    doubled[1:] = opening[1:] == closing[:-1] + 1
    opens = starts_cell[before] | doubled
    closes = ends_cell[after] | np.append(doubled[1:], False)
    lines = np.flatnonzero(text == LINE[0])
    crosses_lines = np.searchsorted(lines, opening) != np.searchsorted(lines, closing)
    if not opens.all() or not closes.all() or crosses_lines.any():
        raise Irregular


# --- JSONL ----------------------------------------------------------------------------------------------


def _json_parser(
    first: Any, names_in_file: Mapping[str, str], loose: bool
) -> Callable[[bytes, dict[str, Column], bool], None]:
    """A parser of chunks of objects with the keys of the first; loose: the values of unread keys may be nested."""
    import pyarrow as pa
    import pyarrow.json as parser

    texts = pa.schema([(name, pa.string()) for name, x in first.items() if isinstance(x, str)])

    def read(chunk: bytes, columns: dict[str, Column], is_first: bool) -> None:
        if is_first or not chunk.endswith(b"}\n"):
            chunk = chunk.removeprefix(BOM).rstrip(b"\r\n") + LINE
        _check_text(chunk)
        lines = _check_objects(np.frombuffer(chunk, np.uint8))
        options = {
            "read_options": parser.ReadOptions(block_size=BLOCK),
            "parse_options": parser.ParseOptions(explicit_schema=texts),
        }
        rows = _arrow(lambda: parser.read_json(pa.BufferReader(chunk), **options))
        if rows.num_rows != lines or set(rows.column_names) != set(first):
            raise Irregular
        nested = any(pa.types.is_nested(x.type) for x in rows.schema)
        if nested and not loose:
            raise Irregular  # a nested object may have a duplicate key
        for name in set(first) - set(names_in_file.values()):
            if rows.column(name).null_count and (nested or chunk.count(b'"%s":' % name.encode()) != lines):
                raise Irregular  # a key may be absent
        for name, column in columns.items():
            cells = _column(rows, names_in_file[name])
            if not name.startswith(REST):
                column.add(*_cells(cells, names_in_file[name], chunk, lines))
            elif not pa.types.is_nested(cells.type):
                coded = cells.combine_chunks().dictionary_encode(null_encoding="encode")
                column.add(coded.dictionary.to_pylist(), _numbers(coded.indices))

    return read


def _column(rows: Any, name: str) -> Any:
    """A column, or a field of the objects in one, such as config.temperature."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if name in rows.column_names:
        return rows.column(name)
    for i, c in enumerate(name):
        if c == "." and name[:i] in rows.column_names:
            try:
                return pc.struct_field(rows.column(name[:i]), name[i + 1 :].split("."))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, KeyError):  # no object has it, or some are none
                continue
    raise Irregular


def _check_objects(text: Any) -> int:
    """The number of lines, each of which must begin and end as an object does."""
    ends = np.flatnonzero(text == LINE[0])
    last = text[ends - 1]
    if RETURN[0] in last:
        last = np.where(last == RETURN[0], text[ends - 2], last)
    if text[0] != ord("{") or (text[ends[:-1] + 1] != ord("{")).any() or (last != ord("}")).any():
        raise Irregular
    return len(ends)


def _cells(cells: Any, name: str, chunk: bytes, lines: int) -> tuple[list[Any], Any]:
    """The distinct values of a column, and for each row the index of its value among them."""
    import pyarrow as pa

    kind = cells.type
    types = pa.types
    supported = (types.is_string, types.is_integer, types.is_boolean, types.is_floating, types.is_null)
    if not any(is_type(kind) for is_type in supported):
        raise Irregular
    if cells.null_count and chunk.count(b'"%s":' % name.encode()) != lines:
        raise Irregular  # a key may be absent
    if pa.types.is_floating(kind) and NEARLY_WHOLE.search(chunk):
        raise Irregular
    coded = cells.combine_chunks().dictionary_encode(null_encoding="encode")
    return coded.dictionary.to_pylist(), _numbers(coded.indices)
