"""Text files as rows of cells, objects or documents. Errors name the line."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..display.text import original
from ..errors import InvalidInput, shown
from .packed import PACKED, plain_suffix, read_all, unpacked
from .tree import walked


class Unknown(InvalidInput):
    """The error of a file that is neither a table nor of a known tool; data: it seems to hold outcomes or answers."""

    data: bool = False


class InferredName(str):
    """The name of a model that no file states, taken from a file or folder, whose path is home."""

    __slots__ = ("home",)
    home: str

    def __new__(cls, name: str, home: str) -> InferredName:
        """Make a name, with the path of the file or the folder that it is taken from."""
        self = super().__new__(cls, name)
        self.home = home
        return self


class SourceLocation:
    """The current location in a log, which errors name: a file, and a line or a spot such as samples[3]."""

    def __init__(self, file: Path, data: bytes | None = None) -> None:
        self.root = self.file = file
        self.data = data  # the bytes of a stream; None for a file
        self.line, self.spot = 0, ""
        self.chosen_metrics: dict[str, tuple[str, Path]] = {}  # the metric of each format and task, and its first file
        self.metrics: dict[str, str] = {}  # the metric of each task
        self.documents: dict[str, Any] = {}  # files beside logs that describe them
        self.heads: dict[
            Path, Any
        ] = {}  # the content of small files that were read early, and the members of zip files
        self.raw: bytes | None = None  # all bytes of the current file, if it is small
        self.cost: str | None = None  # the requested unit of costs
        self.versions: dict[Any, Any] = {}  # the first version of each question or configuration
        self._below: dict[Path, list[tuple[Path, bool]]] = {}
        self.claims: list[Any] = []  # numbers that the current file states about itself
        self.counter: Any = None  # the AnswerCounter of the current file
        self.stated: dict[str, tuple[Any, dict[str, Any]]] = {}  # numbers that documents state about several files
        self.remarks: dict[str, int] = {}  # sentences for the user, and how often each applies

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}" + (f", {self.spot}" if self.spot else "")

    def mark(self) -> tuple[Path, int, str]:
        """The current file, line and spot, to be named later."""
        return self.file, self.line, self.spot

    def marked(self, mark: tuple[Path, int, str]) -> str:
        """A marked location in words; only the line, where the log is one file of lines."""
        file, line, spot = mark
        if file is self.root and not spot:
            return f"line {line}"
        return f"{file}{f':{line}' if line else ''}" + (f", {spot}" if spot else "")

    def below_root(self) -> str:
        """The path of the file, relative to the folder that is read; the whole path if it is elsewhere."""
        return self.file.as_posix().removeprefix(f"{self.root.as_posix()}/")

    def enter(self, file: Path) -> None:
        """Go on to the next file of a folder."""
        self.file, self.line, self.spot, self.raw = file, 0, "", None

    def clear(self) -> None:
        """Leave the current file: what follows is about the whole log."""
        self.enter(self.root)

    def leave_line(self) -> None:
        """Leave the current line: what follows is about the whole file."""
        self.line, self.spot = 0, ""

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
        """The file's name without its endings."""
        stem, suffix = os.path.splitext(self.file.name)
        return os.path.splitext(stem)[0] if suffix.lower() in PACKED else stem

    def all(self) -> bytes:
        """All bytes of the file, uncompressed."""
        known = self.heads.get(self.file) if self.data is None else None
        if type(known) is bytes and known[:1] in (b"{", b"["):  # small, read before, and not compressed
            self.raw = bytes(self.heads.pop(self.file))
            return self.raw
        with self.opened() as f:
            return read_all(f)

    def opened(self) -> AbstractContextManager[IO[bytes]]:
        """The file, opened for reading its uncompressed bytes."""
        known = self.heads.pop(self.file, None) if self.data is None else self.data
        return unpacked(self.file, known if isinstance(known, bytes) else None)

    def model(self, *endings: str, fixed: str = "") -> InferredName:
        """The model's name: that of its file without these endings; that of its folder if the file's is `fixed`."""
        name = self.stem
        if name == fixed:
            return self.folder()
        for ending in endings:
            name = name.removesuffix(ending) or name
        return InferredName(name, str(self.file))

    def folder(self, up: int = 1) -> InferredName:
        """The name of the folder of the file, or of one further up."""
        file, start = str(self.file), f"{self.root}{os.sep}"
        if (
            file.startswith(start) and file.count(os.sep, len(start)) >= up
        ):  # below the root there are no links to resolve
            home = file.rsplit(os.sep, up)[0]
            return InferredName(home.rpartition(os.sep)[2], home)
        folders = self.file.resolve().parents
        name = folders[up - 1].name if up <= len(folders) else ""
        return InferredName(name or self.stem, str(self.file.parents[min(up, len(self.file.parents)) - 1]))


COLON, QUOTE, BACKSLASH, BLANKS = b":"[0], b'"'[0], b"\\", (b" ", b"\n", b"\t", b"\r")
TOGETHER = 1 << 16  # characters of lines that are parsed together
LONGEST_LINE = 1 << 28  # bytes; a line is in memory as a whole


def _lines(place: SourceLocation) -> Iterator[str]:
    """The lines of a file, each limited in length so that it does not fill the memory."""
    number = 0
    with place.opened() as f:
        while raw := f.readline(LONGEST_LINE):
            number += 1
            if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                place.line = number
                raise InvalidInput("format", "path", f"a line of more than {LONGEST_LINE:,} bytes")
            try:
                yield raw.decode("utf-8" if number > 1 else "utf-8-sig")
            except UnicodeDecodeError as e:
                place.line = number
                raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None


def delimiter(place: SourceLocation) -> str:
    """The delimiter between the cells of a CSV or TSV file."""
    if place.suffix == ".tsv":
        return "\t"
    with place.opened() as f:
        first = next((x for x in iter(lambda: f.readline(LONGEST_LINE), b"") if x.strip()), b"")
    return next((x.decode() for x in (b"\t", b";") if x in first and b"," not in first), ",")


def separated(place: SourceLocation, delimiter: str) -> Iterator[list[Any]]:
    """The rows of a CSV or TSV file, the header first."""
    reader, width, place.line = csv.reader(_lines(place), delimiter=delimiter, strict=True), 0, 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):  # else a blank line, or the commas of a spreadsheet's empty row
                width = width or len(row)
                if len(row) != width:
                    raise InvalidInput("ragged", "path", f"{len(row)} cells under {width} columns")
                yield list(map(original, row)) if any(cell[:1] == "'" for cell in row) else row
            place.line = reader.line_num + 1  # a quoted cell may hold line breaks
    except csv.Error as e:
        raise InvalidInput("format", "path", str(e)) from None


def json_lines(place: SourceLocation) -> Iterator[list[Any]]:
    """The rows of a JSONL file: the keys of the first object, then the values under them in each object."""
    decoder, keys = json.JSONDecoder(object_pairs_hook=tuple, parse_float=Decimal), None
    for line, text in enumerate(_lines(place), 1):
        place.line = line
        if not text.strip():
            continue
        try:
            pairs = decoder.decode(text)
        except (ValueError, RecursionError) as e:
            raise InvalidInput("format", "path", _not_json(e)) from None
        if not isinstance(pairs, tuple) or not pairs:
            raise InvalidInput("format", "path", f"{shown(text.strip())} is not a JSON object with keys")
        here, row = [key for key, _ in pairs], dict(pairs)
        if keys is None:
            keys = here
            yield keys
        if len(here) != len(keys) or row.keys() != set(keys):
            raise InvalidInput("ragged", "path", f"keys {listed(here)} here, {listed(keys)} in the first line")
        yield [row[key] for key in keys]


def objects(place: SourceLocation) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file, whose keys may differ."""
    sizes, before = list[int](), 0
    decoder: Any = json.JSONDecoder(object_hook=_size_hook(sizes))
    scan = decoder.scan_once
    for texts in _together(place):
        parsed = _parsed(texts, scan, sizes)
        for i, text in enumerate(texts):
            place.line = before + i + 1
            if parsed is not None:
                yield parsed[i]
            elif text.strip():
                yield _object(text, place)
        before += len(texts)


def _together(place: SourceLocation) -> Iterator[list[str]]:
    """Lines in chunks; the lines before a broken one come before its error."""
    texts, size, line = list[str](), 0, place.line
    try:
        for text in _lines(place):
            texts.append(text)
            size += len(text)
            if size > TOGETHER:
                yield texts
                texts, size, line = [], 0, place.line
    except InvalidInput:
        broken = place.line
        yield texts
        place.line = broken if broken != line else place.line
        raise
    yield texts


def _parsed(texts: list[str], scan: Callable[[str, int], tuple[Any, int]], sizes: list[int]) -> list[Any] | None:
    """The objects in these lines; None where they have to be parsed one by one, since one may be broken."""
    sizes.clear()
    parsed = list[Any]()
    try:
        for text in texts:
            x, end = scan(text, 0)
            if type(x) is not dict or not x or text[end:].strip(" \t\r\n"):
                return None
            parsed.append(x)
    except (ValueError, RecursionError, StopIteration):
        return None
    return parsed if sum(sizes) == _keys("".join(texts).encode("utf-8")) else None


def _object(text: str, place: SourceLocation) -> dict[str, Any]:
    """The object in a line."""
    parsed = _json(text, place, text.encode("utf-8"))
    if not isinstance(parsed, dict) or not parsed:
        raise InvalidInput("format", "path", f"{shown(text.strip())} is not a JSON object with keys")
    return parsed


def _not_json(e: Exception) -> str:
    """The message for a line or a document that is not JSON; integers of thousands of digits are refused."""
    if "integer string conversion" in str(e):
        return "an integer has more than 4,300 digits: write it as text, or leave it out"
    return f"not JSON: {getattr(e, 'msg', e)}"


def document(raw: bytes, place: SourceLocation) -> Any:
    """The value of a JSON file, with NaN and infinities kept."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        place.line = raw.count(b"\n", 0, e.start) + 1
        raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None
    if not text or text.isspace():
        raise InvalidInput("empty", "path", "the file is empty")
    return _json(text, place, raw)


def _json(text: str, place: SourceLocation, raw: bytes) -> Any:
    try:
        sizes = list[int]()
        value = json.loads(text, object_hook=_size_hook(sizes))
        if sum(sizes) == _keys(raw):  # else an object may have a duplicate key; to look for it takes twice as long
            return value
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as e:
        place.line = place.line or e.lineno
        raise InvalidInput("format", "path", f"not JSON: {e.msg} (column {e.colno})") from None
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as e:  # an integer of too many digits; too many brackets
        raise InvalidInput("format", "path", _not_json(e)) from None


def _size_hook(sizes: list[int]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A hook of the decoder that notes the number of keys of each object."""

    def measured(x: dict[str, Any]) -> dict[str, Any]:
        sizes.append(len(x))
        return x

    return measured


def _keys(raw: bytes) -> int:
    """The number of keys in JSON text, counted without parsing it; -1 where that is not possible.

    A quote before a colon ends a key, unless a backslash precedes the quote, as it does within text. The count is
    compared with that of the parsed objects: they differ where an object has a key twice.
    """
    text = np.frombuffer(raw, np.uint8)
    before = (text == COLON).nonzero()[0] - 1
    preceding = text.take(before).tobytes()
    n = preceding.count(QUOTE)
    if n < len(preceding) and any(x in preceding for x in BLANKS):
        return -1  # blanks before a colon may follow a key
    if BACKSLASH in raw:
        quotes = before[np.frombuffer(preceding, np.uint8) == QUOTE]
        escaped = quotes[text[quotes - 1] == BACKSLASH[0]]
        if (text[escaped - 2] == BACKSLASH[0]).any():
            return -1  # a key may end in a backslash
        n -= len(escaped)
    return n


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its pairs; raises for a duplicate key."""
    unique = dict(pairs)
    if len(unique) < len(pairs):
        keys = [key for key, _ in pairs]
        duplicate = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise InvalidInput("duplicate", "path", f"duplicate key {shown(duplicate)} in an object")
    return unique


def listed(names: Sequence[str]) -> str:
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
