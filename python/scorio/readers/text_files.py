"""Reading of text files as rows of cells, objects or documents (JSON, XML, YAML); errors name the line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from decimal import Decimal
from itertools import chain, combinations, islice
from pathlib import Path
from typing import IO, Any, TypeVar
from xml.parsers import expat

from ..display.text import unescape_formula
from ..errors import InvalidInput, not_json, shown
from ..outcomes.count_files import CsvError, csv_rows
from .files import PACKED, plain_suffix, read_all, unpacked, walked

T = TypeVar("T")
# keys that only a record has, in lower case
IDS = {"question", "question_id", "id", "task_id", "doc_id", "example_id", "instance_id", "problem_id", "item_id"}
# keys of a line that may be about the records below it, and of one in place of a record
ABOUT = re.compile("model|llm|task|benchmark|dataset|subject|seed|run", re.I)
OF_ERROR = re.compile("(error|exception|traceback)(_?(message|msg|type|text))?", re.I)


class UnknownFormat(InvalidInput):
    """The error of a file of no known format, or of none that the options allow."""

    may_hold_outcomes: bool = False  # whether a column or key of the file has a name that is usual for outcomes


class InferredName(str):
    """The name of a model that no file states; source is the path of the file or folder that it is taken from."""

    __slots__ = ("source",)
    source: str

    def __new__(cls, name: str, source: str) -> InferredName:
        """Make a name, with the path that it is taken from."""
        self = super().__new__(cls, name)
        self.source = source
        return self


class SourceLocation:
    """The current location in a log, which errors name: a file, and a line or an entry such as samples[3]."""

    def __init__(self, file: Path, data: bytes | None = None) -> None:
        self.root = self.file = file  # the file or folder that is read, and the current file
        self.data = data  # the bytes of a stream; None for a file
        self.line, self.entry = 0, ""
        self.chosen_metrics: dict[str, tuple[str, Path]] = {}  # the metric of each format and task, and its first file
        self.metrics: dict[str, str] = {}  # the metric of each task
        self.documents: dict[str, Any] = {}  # files beside logs that describe them
        # the content of small files, and the members of zip files, that were read to look for retries
        self.prefetched: dict[Path, Any] = {}
        self.raw: bytes | None = None  # all bytes of the current file, if it is small
        self.cost: str | None = None  # the requested unit of costs
        self.runs_by: str | None = None  # the field whose values are repetitions
        self.wide: tuple[dict[str, str], str] = {}, ""  # the columns of a wide table, and what its rows are
        self.versions: dict[Any, Any] = {}  # the first version of each question or configuration
        self._below: dict[Path, list[tuple[Path, bool]]] = {}  # the files below each folder
        self.claims: list[Any] = []  # numbers about the current file that it, or a file beside it, states
        self.settings: Any = None  # the Settings of the run in the current file, where they are known
        self.counter: Any = None  # the AnswerCounter of the current file
        # by document: the OutcomeTotals of the files that it is about, and the claims that it makes, by their names
        self.stated: dict[str, tuple[Any, dict[str, Any]]] = {}
        self.remarks: dict[str, int] = {}  # sentences for the user, and how often each applies
        self.may_remark = True  # whether the user is shown them

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}" + (f", {self.entry}" if self.entry else "")

    def described(self, file: Path, line: int, entry: str) -> str:
        """A location in this log as text; only the line, where the log is one file of lines."""
        if file is self.root and not entry:
            return f"line {line}"
        return f"{file}{f':{line}' if line else ''}" + (f", {entry}" if entry else "")

    def relative_path(self) -> str:
        """The path of the file, relative to the folder that is read; the whole path if it is elsewhere."""
        return self.file.as_posix().removeprefix(f"{self.root.as_posix()}/")

    def enter(self, file: Path) -> None:
        """Go on to the next file of a folder."""
        self.file, self.line, self.entry, self.raw, self.settings = file, 0, "", None, None

    def leave_file(self) -> None:
        """Leave the current file: later errors are about the whole log."""
        self.enter(self.root)

    def leave_line(self) -> None:
        """Leave the current line: later errors are about the whole file."""
        self.line, self.entry = 0, ""

    def below(self, root: Path) -> list[tuple[Path, bool]]:
        """Every file below a folder, and whether it may be a log."""
        if root not in self._below:
            self._below[root] = list(walked(root))
        return self._below[root]

    def remark(self, what: str, times: int = 1) -> None:
        """Note a sentence for the user; {n} in it becomes the number of times."""
        self.remarks[what] = self.remarks.get(what, 0) + times

    @property
    def suffix(self) -> str:
        """The ending of the file's name, without that of its compression."""
        return plain_suffix(self.file.name)

    @property
    def stem(self) -> str:
        """The file's name without its ending and that of its compression."""
        stem, suffix = os.path.splitext(self.file.name)
        return os.path.splitext(stem)[0] if suffix.lower() in PACKED else stem

    def read(self) -> bytes:
        """All bytes of the file, uncompressed."""
        content = self.prefetched.get(self.file) if self.data is None else None
        if type(content) is bytes and content[:1] in (b"{", b"["):  # small, read before, and not compressed
            self.raw = bytes(self.prefetched.pop(self.file))
            return self.raw
        with self.opened() as f:
            return read_all(f)

    def opened(self) -> AbstractContextManager[IO[bytes]]:
        """The file, opened for reading its uncompressed bytes."""
        content = self.prefetched.pop(self.file, None) if self.data is None else self.data
        return unpacked(self.file, content if isinstance(content, bytes) else None)

    def model(self, *endings: str, fixed: str = "") -> InferredName:
        """The model's name: that of its file without these endings, or of its folder if the file is called `fixed`."""
        name = self.stem
        if name == fixed:
            return self.folder()
        for ending in endings:
            name = name.removesuffix(ending) or name
        return InferredName(name.removeprefix(".") or name, str(self.file))

    def folder(self, up: int = 1) -> InferredName:
        """The name of the folder `up` levels above the file."""
        file, root = str(self.file), f"{self.root}{os.sep}"
        if file.startswith(root) and file.count(os.sep, len(root)) >= up:  # no links to resolve below the root
            folder = file.rsplit(os.sep, up)[0]
            return InferredName(folder.rpartition(os.sep)[2], folder)
        folders = self.file.resolve().parents
        name = folders[up - 1].name if up <= len(folders) else ""
        return InferredName(name or self.stem, str(self.file.parents[min(up, len(self.file.parents)) - 1]))


FIRST_LINES = 20  # which show the delimiter, and where the header is
FEW_LEFT_OUT = 10  # records for each line that is none, beyond one above and one below them
LONGEST_LINE = 1 << 28  # bytes; a line is in memory as a whole


def refuse_utf16(start: bytes, location: SourceLocation) -> None:
    """Refuse text in UTF-16, by its first bytes: the mark of the order of bytes, or a NUL in the first character."""
    mark, first = start[:2] in (b"\xff\xfe", b"\xfe\xff"), start[:2].find(0)
    if not mark and (first < 0 or start[:2] == b"\0\0"):
        return
    encoding = "UTF-16" if mark else ("UTF-16BE", "UTF-16LE")[first]
    location.leave_line()
    what = f'text in {encoding}, such as Excel\'s "Unicode text": save it as UTF-8 (in Excel as CSV UTF-8)'
    raise InvalidInput("format", "path", f"{what}, or convert it by iconv -f {encoding} -t UTF-8")


def _lines(location: SourceLocation) -> Iterator[str]:
    """The lines of a file, each limited in length so that it does not fill the memory."""
    number = 0
    with location.opened() as f:
        while raw := f.readline(LONGEST_LINE):
            number += 1
            if number == 1:
                refuse_utf16(raw, location)
            if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                location.line = number
                raise InvalidInput("format", "path", f"a line of more than {LONGEST_LINE:,} bytes")
            try:
                yield raw.decode("utf-8-sig" if raw[:1] == b"\xef" else "utf-8")  # joined files have several marks
            except UnicodeDecodeError as e:
                location.line = number
                raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None


def first_lines(location: SourceLocation, blank: bool = True) -> list[str]:
    """The first lines of a file, also blank ones or only others."""
    with location.opened() as f:
        lines: Iterator[bytes] = iter(lambda: f.readline(LONGEST_LINE), b"")
        return [
            x.decode("utf-8-sig", "replace")
            for x in islice(lines if blank else filter(bytes.strip, lines), FIRST_LINES)
        ]


def delimiter(location: SourceLocation) -> str:
    """The delimiter between the cells of a CSV or TSV file, see :func:`delimiter_of`."""
    return "\t" if location.suffix == ".tsv" else delimiter_of(first_lines(location, False))


def delimiter_of(lines: Sequence[str]) -> str:
    """The delimiter of a CSV file with these first lines: a tab, a semicolon or a comma, by the header.

    If the header has several of them (names with commas), it is the one that cuts the lines into equally many cells;
    if there are two, that with more cells, or else not the comma, which may be in numbers.
    """
    candidates = [x for x in "\t;," if x in "".join(lines[:1])]
    width = {x: _common_width(lines, x) for x in candidates} if len(candidates) > 1 else {}
    best = max(candidates or ",", key=lambda x: width.get(x, 1))
    return best if width.get(best, 1) else ","


def _common_width(lines: Sequence[str], delimiter: str) -> int:
    """The number of cells in each of these lines, which may end within one; 0 where the numbers differ."""
    widths = set[int]()
    with suppress(CsvError):
        for row in csv_rows(iter(lines), delimiter=delimiter, strict=True):
            widths.add(len(row))
    return widths.pop() if len(widths) == 1 else 0


def separated(location: SourceLocation, delimiter: str) -> Iterator[list[Any]]:
    """The rows of a CSV or TSV file, the header first; a header that is repeated, as in joined files, is left out."""
    reader, width, location.line = csv_rows(_lines(location), delimiter=delimiter, strict=True), 0, 1
    header, names, left_out = list[str](), list[str](), LeftOut(location, "a repeated header")
    try:
        for row in reader:
            if any(cell.strip() for cell in row):  # else a blank line, or the commas of a spreadsheet's empty row
                width = width or len(row)
                if len(row) != width:
                    raise InvalidInput("ragged", "path", f"{len(row)} cells under {width} columns")
                if row[0] and row[0].strip().lower() in names and _is_header(row, names):
                    if row != header and [x.strip().lower() for x in row] != names:
                        raise InvalidInput("format", "path", "the header again, in another order: read it by itself")
                    left_out.add(location.line)
                else:
                    if not names:
                        header, names = list(row), [x.strip().lower() for x in row]
                    yield list(map(unescape_formula, row)) if any(cell[:1] == "'" for cell in row) else row
            location.line = reader.line_num + 1  # a quoted cell may hold line breaks
    except CsvError as e:
        is_old = b"\r" in location.read() and b"\n" not in location.read() if "new-line" in str(e) else False
        what = "its lines end with carriage returns alone, as of old spreadsheets: save it with line feeds"
        raise InvalidInput("format", "path", what if is_old else str(e)) from None
    left_out.remark()


def _is_header(row: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a row has just these names, in any order and in any capitals, and is no row of numbers."""
    return sorted(x.strip().lower() for x in row) == sorted(names) and any(x[:1].isalpha() for x in names)


def json_lines(location: SourceLocation) -> Iterator[list[Any]]:
    """The rows of a JSONL file: the keys of the first record, then their values in each, see :func:`records_in`."""
    keys: list[str] | None = None
    for pairs in records_in(_decoded_lines(location, PAIRS, tuple), location, lambda x: [key for key, _ in x]):
        line_keys, row = [key for key, _ in pairs], dict(pairs)
        if keys is None:
            keys = line_keys
            yield keys
        if len(line_keys) != len(row):
            raise InvalidInput("ragged", "path", f"keys {joined(line_keys)} here, {joined(keys)} in the first line")
        yield [_with_objects(x) if type(x) in (tuple, list) else x for x in cells_of(row, keys, "line")]


def _with_objects(x: Any) -> Any:
    """A value with objects in the place of their pairs."""
    if type(x) is tuple:
        return {key: _with_objects(y) for key, y in x}
    return [_with_objects(y) for y in x] if type(x) is list else x


def cells_of(row: Mapping[str, Any], keys: Sequence[str], what: str) -> list[Any]:
    """The cells of a record under the keys of the first one; if it has all of them but the outcome, this is missing."""
    lacking = [key for key in keys if key not in row]
    if len(row) + len(lacking) != len(keys) or [key.lower() for key in lacking] not in ([], ["outcome"]):
        raise InvalidInput("ragged", "path", f"keys {joined(list(row))} here, {joined(keys)} in the first {what}")
    return [row.get(key) for key in keys]


class LeftOut:
    """Lines that are left out, which the user is told of, or refused; what : what these lines have."""

    def __init__(self, location: SourceLocation, what: str) -> None:
        self.location, self.what = location, what
        self.first, self.n = 0, 0

    def add(self, line: int) -> None:
        """Count a line."""
        if not self.location.may_remark:
            raise InvalidInput("format", "path", f"a line with {self.what}: remove it")
        self.first, self.n = self.first or line, self.n + 1

    def remark(self, others: int = 0) -> None:
        """Tell the user of the lines; raise where they are many, compared with the others (unless others is 0)."""
        if not self.n:
            return
        name = "" if self.location.file == self.location.root else f" of {self.location.relative_path()}"
        lines = f"line {self.first}{name}" + (f" and {self.n - 1:,} more" if self.n > 1 else "")
        if 0 < others < FEW_LEFT_OUT * (self.n - 2):
            self.location.line = self.first
            raise InvalidInput(
                "ragged", "path", f"{lines}, with {self.what}, beside {others:,} records: read them separately"
            )
        self.location.remark(f"Left out: {lines}, with {self.what}.")


def records_in(
    lines: Iterable[T], location: SourceLocation, keys_of: Callable[[Any], Iterable[str]] = tuple
) -> Iterator[T]:
    """The objects in lines, without settings above and a summary below: those that have no key of the others.

    Where the others have the id of a question, also those without one that share only a model or a run with them and
    have a key of their own. An object with such an id is a record, and so are all where no two of the first three
    share a key.
    """
    lines, left_out = iter(lines), LeftOut(location, "other fields than the records")
    first = [(x, location.line) for x in islice(lines, 3)]
    plain = [{key.lower() for key in keys_of(x)} for x, _ in first]
    known = {key for x, y in combinations(plain, 2) for key in x & y}
    if len(first) < 3 or not known:
        for x, location.line in first:
            yield x
        yield from lines
        return
    are_records, n = dict[tuple[str, ...], bool](), 0
    about: tuple[str, ...] = ()  # the keys of a line that may be about the records below it
    for x, location.line in chain(first, ((x, location.line) for x in lines)):
        keys = tuple(keys_of(x))
        if (is_record := are_records.get(keys)) is None:
            plain_keys = {key.lower() for key in keys}
            shared = plain_keys & known
            is_about = all(map(ABOUT.match, shared)) and shared < plain_keys and not known.isdisjoint(IDS)
            is_record = are_records[keys] = not plain_keys.isdisjoint(IDS) or (bool(shared) and not is_about)
            known |= plain_keys if is_record else set()
        if is_record and about:
            what = f"records below and above a line with {joined(about)}: if it is about those below"
            raise InvalidInput("ragged", "path", f"{what}, write its fields into each; if not, remove it")
        if is_record:
            n += 1
            yield x
        elif any(map(OF_ERROR.fullmatch, keys)):
            what = f"keys {joined(keys)} here: if it is a missing outcome, give it the fields of the other lines"
            raise InvalidInput("ragged", "path", f"{what}; if not, remove it")
        else:
            left_out.add(location.line)
            about = keys if n and any(map(ABOUT.match, keys)) else about
    left_out.remark(n)


def objects(location: SourceLocation) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file, whose keys may differ."""
    return _decoded_lines(location, OBJECTS, dict)


def _decoded_lines(location: SourceLocation, decoder: json.JSONDecoder, kind: type) -> Iterator[Any]:
    """The object in each line that is not blank; kind: what the decoder makes of an object."""
    for line, text in enumerate(_lines(location), 1):
        location.line = line
        if text.strip():
            x = _decoded(text, location, decoder)
            if not isinstance(x, kind) or not x:
                what = f"{len(text.strip()):,} characters that are not a JSON object with keys"  # which may be secret
                raise InvalidInput("format", "path", what)
            yield x


def document(raw: bytes, location: SourceLocation) -> Any:
    """The value of a JSON file, with NaN and infinities kept."""
    refuse_utf16(raw[:2], location)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        location.line = raw.count(b"\n", 0, e.start) + 1
        raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None
    if not text or text.isspace():
        raise InvalidInput("empty", "path", "the file is empty")
    return _decoded(text, location, OBJECTS)


def _decoded(text: str, location: SourceLocation, decoder: json.JSONDecoder) -> Any:
    """The value of JSON text; raises where an object has a key twice."""
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as e:
        location.line = location.line or e.lineno
        raise InvalidInput("format", "path", f"not JSON: {e.msg} (column {e.colno})") from None
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as e:  # an integer of too many digits; too many brackets
        raise InvalidInput("format", "path", not_json(e)) from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its pairs; raises for a duplicate key."""
    unique = dict(pairs)
    if len(unique) < len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise InvalidInput("duplicate", "path", f"duplicate key {shown(duplicate)} in an object")
    return unique


OBJECTS = json.JSONDecoder(object_pairs_hook=_unique_keys)
PAIRS = json.JSONDecoder(object_pairs_hook=tuple, parse_float=Decimal)  # cells of a table are not rounded


def located(entries: Iterable[Any], location: SourceLocation, name: str = "") -> Iterator[Any]:
    """The entries of a list of this name; the location is set to each in turn."""
    for i, x in enumerate(entries):
        location.entry = f"{name}[{i}]"
        yield x


def joined(names: Sequence[str]) -> str:
    """Names on one short line."""
    return shown(", ".join(names))


def path_of(path: Any) -> Path:
    """A path as a Path; raises where no file can have it."""
    try:
        file = Path(path)
        if b"\0" in os.fsencode(file):
            raise InvalidInput("format", "path", f"path {shown(str(path))} has a NUL in it")
    except TypeError:
        raise InvalidInput("type", "path", f"path {shown(path)} is neither text nor a path") from None
    except UnicodeEncodeError as e:
        raise InvalidInput("format", "path", f"path {shown(str(path))} cannot name a file: {e.reason}") from None
    return file


TEXT = "text"  # the key of the text of an element
XML, YAML = "xml", "yaml"


def tree(location: SourceLocation, kind: str) -> Any:
    """The document of a file: an object, a list or a plain value."""
    raw = location.read()
    if kind == "text":
        return raw.decode("utf-8", "replace").strip()
    return {XML: _xml, YAML: _yaml}.get(kind, document)(raw, location)


def _xml(raw: bytes, location: SourceLocation) -> Any:
    """The root of an XML document: an element is an object of its attributes, its text, and lists of its children.

    Declarations of a document type, which may define entities that expand to any size, are refused.
    """
    root: dict[str, Any] = {}
    stack, texts = [root], [""]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, Any]) -> None:
        element = dict(attributes)
        parent = stack[-1]
        if not isinstance(parent.setdefault(tag, []), list):
            raise InvalidInput("duplicate", "path", f"{shown(tag)} is both an attribute and an element")
        parent[tag].append(element)
        stack.append(element)
        texts.append("")

    def end(tag: str) -> None:
        element, text = stack.pop(), texts.pop().strip()
        if text and element.setdefault(TEXT, text) != text:
            raise InvalidInput("duplicate", "path", f"{shown(tag)} has a text and an attribute called {TEXT}")

    def characters(text: str) -> None:
        texts[-1] += text

    def refuse(*_: Any) -> None:
        raise InvalidInput("format", "path", "XML with a DOCTYPE or an ENTITY is not read: remove the declaration")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(raw, True)
    except expat.ExpatError as e:
        location.line = e.lineno
        raise InvalidInput("format", "path", f"not XML: {expat.ErrorString(e.code)}") from None
    except InvalidInput:
        location.line = parser.CurrentLineNumber
        raise
    ((element,),) = root.values()
    return element


def _yaml(raw: bytes, location: SourceLocation) -> Any:
    """The value of a YAML document, which PyYAML reads; a key that is there twice is refused."""
    try:
        import yaml  # type: ignore[import-untyped]  # optional
    except ImportError:
        raise InvalidInput("format", "path", "YAML is read by PyYAML: pip install pyyaml") from None

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [x.value for x, _ in node.value if isinstance(x, yaml.ScalarNode)]
            if len(set(names)) < len(names):
                location.line = node.start_mark.line + 1
                raise InvalidInput("duplicate", "path", f"an object has a key twice, among {shown(names)}")
            return super().construct_mapping(node, deep)

    refuse_utf16(raw[:2], location)
    try:
        return yaml.load(raw.decode("utf-8-sig"), Loader)
    except UnicodeDecodeError as e:
        raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        location.line = 0 if mark is None else mark.line + 1
        raise InvalidInput("format", "path", f"not YAML: {getattr(e, 'problem', e)}") from None


def root_of(raw: bytes) -> tuple[str, dict[str, str]]:
    """The tag and the attributes of the first element of an XML document, without parsing the rest; "" for none."""
    roots = list[tuple[str, dict[str, str]]]()
    parser = expat.ParserCreate()

    def start(tag: str, attributes: Any) -> None:
        roots.append((tag, attributes))
        parser.StartElementHandler = None

    parser.StartElementHandler = start
    with suppress(expat.ExpatError):
        parser.Parse(raw[:4096], False)
    return roots[0] if roots else ("", {})
