"""Text files as rows of cells, objects or documents. Whatever is broken is an error that names its line."""

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
from ..errors import InvalidInput
from .packed import PACKED, all_of, plain_suffix, unpacked
from .tree import walked


class Unknown(InvalidInput):
    """A file that no tool is known to write, and no table; data: it looks as if it held outcomes or answers."""

    data: bool = False


class Named(str):
    """The name of a model that a file does not say: its own name, or that of its folder, which is its home."""

    __slots__ = ("home",)
    home: str

    def __new__(cls, name: str, home: str) -> Named:
        """A name, and the file or the folder that has it."""
        self = super().__new__(cls, name)
        self.home = home
        return self


class Place:
    """Where the reading is: what an error names. A line of a text file, or a spot such as samples[3] of another."""

    def __init__(self, file: Path, data: bytes | None = None) -> None:
        self.root = self.file = file
        self.data = data  # of a stream: what it held
        self.line, self.spot = 0, ""
        self.chosen: dict[str, tuple[str, Path]] = {}  # which outcome the files of a format are read for, and where
        self.metrics: dict[str, str] = {}  # what the outcomes of a task are called
        self.documents: dict[str, Any] = {}  # that stand beside logs and say more of them
        self.heads: dict[Path, Any] = {}  # of files that were looked into: all of a small one, or members of a zip file
        self.cost: str | None = None  # the unit of costs that is asked for
        self.versions: dict[Any, Any] = {}  # of a question or a configuration, as the first file has it
        self._below: dict[Path, list[tuple[Path, bool]]] = {}
        self.claims: list[Any] = []  # what the present file states of itself
        self.order: Any = None  # of the answers in the present file
        self.stated: dict[str, tuple[Any, dict[str, Any]]] = {}  # what documents state of several files
        self.remarks: dict[str, int] = {}  # what a reader of the log must know, and how often it was met

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}" + (f", {self.spot}" if self.spot else "")

    def mark(self) -> tuple[Path, int, str]:
        """The place, to be named later."""
        return self.file, self.line, self.spot

    def marked(self, mark: tuple[Path, int, str]) -> str:
        """A place that was marked; a bare line where there is one file of lines."""
        file, line, spot = mark
        if file is self.root and not spot:
            return f"line {line}"
        return f"{file}{f':{line}' if line else ''}" + (f", {spot}" if spot else "")

    def below_root(self) -> str:
        """The path of the file from the folder that is read; all of it where it is in another."""
        return self.file.as_posix().removeprefix(f"{self.root.as_posix()}/")

    def enter(self, file: Path) -> None:
        """Go on to the next file of a folder."""
        self.file, self.line, self.spot = file, 0, ""

    def clear(self) -> None:
        """Nowhere in particular: what follows is about all of it."""
        self.enter(self.root)

    def whole(self) -> None:
        """All of the file: what follows is about no line of it."""
        self.line, self.spot = 0, ""

    def below(self, root: Path) -> list[tuple[Path, bool]]:
        """Every file below a folder, and whether it may be a log."""
        if root not in self._below:
            self._below[root] = list(walked(root))
        return self._below[root]

    def remark(self, what: str, times: int = 1) -> None:
        """Something that a reader of the log must know; {n} stands for how often it was met."""
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
        """All of a document."""
        known = self.heads.get(self.file) if self.data is None else None
        if type(known) is bytes and known[:1] in (b"{", b"["):  # small, looked into before, and not packed
            return bytes(self.heads.pop(self.file))
        with self.opened() as f:
            return all_of(f)

    def opened(self) -> AbstractContextManager[IO[bytes]]:
        """The bytes of the file, unpacked."""
        known = self.heads.pop(self.file, None) if self.data is None else self.data
        return unpacked(self.file, known if isinstance(known, bytes) else None)

    def model(self, *endings: str, fixed: str = "") -> Named:
        """The name of the file, less the endings that a tool gives it; that of its folder where the tool fixes it."""
        name = self.stem
        if name == fixed:
            return self.folder()
        for ending in endings:
            name = name.removesuffix(ending) or name
        return Named(name, str(self.file))

    def folder(self, up: int = 1) -> Named:
        """The name of the folder that the file is in, or of one further up."""
        file, start = str(self.file), f"{self.root}{os.sep}"
        if file.startswith(start) and file.count(os.sep, len(start)) >= up:  # no link leads to it: none is followed
            home = file.rsplit(os.sep, up)[0]
            return Named(home.rpartition(os.sep)[2], home)
        folders = self.file.resolve().parents
        name = folders[up - 1].name if up <= len(folders) else ""
        return Named(name or self.stem, str(self.file.parents[min(up, len(self.file.parents)) - 1]))


COLON, QUOTE, BACKSLASH, BLANKS = b":"[0], b'"'[0], b"\\", (b" ", b"\n", b"\t", b"\r")
TOGETHER = 1 << 16  # characters of lines that are parsed together
LONGEST_LINE = 1 << 28  # bytes: what no log has, for all of a line is in memory


def _bounded(file: IO[bytes], place: Place) -> Iterator[bytes]:
    """The lines of a file, none of which may fill the memory."""
    i = 0
    while raw := file.readline(LONGEST_LINE):
        i += 1
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            place.line = i
            raise InvalidInput("format", "path", f"a line of more than {LONGEST_LINE:,} bytes")
        yield raw


def _lines(place: Place) -> Iterator[str]:
    with place.opened() as f:
        for i, raw in enumerate(_bounded(f, place)):
            try:
                yield raw.decode("utf-8" if i else "utf-8-sig")
            except UnicodeDecodeError as e:
                place.line = i + 1
                raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None


def delimiter(place: Place) -> str:
    """What stands between the cells of a CSV or TSV file."""
    if place.suffix == ".tsv":
        return "\t"
    with place.opened() as f:
        first = next((x for x in iter(lambda: f.readline(LONGEST_LINE), b"") if x.strip()), b"")
    return next((x.decode() for x in (b"\t", b";") if x in first and b"," not in first), ",")


def separated(place: Place, delimiter: str) -> Iterator[list[Any]]:
    """The rows of a CSV or TSV file, the header first."""
    reader, width, place.line = csv.reader(_lines(place), delimiter=delimiter, strict=True), 0, 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):  # else a blank line, or the commas that a spreadsheet leaves
                width = width or len(row)
                if len(row) != width:
                    raise InvalidInput("ragged", "path", f"{len(row)} cells under {width} columns")
                yield list(map(original, row)) if any(cell[:1] == "'" for cell in row) else row
            place.line = reader.line_num + 1  # not one more: a quoted cell may hold line breaks
    except csv.Error as e:
        raise InvalidInput("format", "path", str(e)) from None


def json_lines(place: Place) -> Iterator[list[Any]]:
    """The rows of a JSONL file: the keys of the first object, then the values of each under them."""
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


def objects(place: Place) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file, each with keys of its own."""
    sizes, before = list[int](), 0
    decoder: Any = json.JSONDecoder(object_hook=_noting(sizes))
    scan = decoder.scan_once
    for texts in _together(place):
        found = _parsed(texts, scan, sizes)
        for i, text in enumerate(texts):
            place.line = before + i + 1
            if found is not None:
                yield found[i]
            elif text.strip():
                yield _object(text, place)
        before += len(texts)


def _together(place: Place) -> Iterator[list[str]]:
    """Lines, many at once; those before a broken one come before its error."""
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
    """The objects of lines; None where they are to be looked at one by one, since one may be broken."""
    sizes.clear()
    found = list[Any]()
    try:
        for text in texts:
            x, end = scan(text, 0)
            if type(x) is not dict or not x or text[end:].strip(" \t\r\n"):
                return None
            found.append(x)
    except (ValueError, RecursionError, StopIteration):
        return None
    return found if sum(sizes) == _keys("".join(texts).encode("utf-8")) else None


def _object(text: str, place: Place) -> dict[str, Any]:
    """The object of a line."""
    found = _json(text, place, text.encode("utf-8"))
    if not isinstance(found, dict) or not found:
        raise InvalidInput("format", "path", f"{shown(text.strip())} is not a JSON object with keys")
    return found


def _not_json(e: Exception) -> str:
    """What is wrong with a line or a document; integers of thousands of digits are no outcomes, whatever reads them."""
    if "integer string conversion" in str(e):
        return "an integer has more than 4,300 digits: write it as text, or leave it out"
    return f"not JSON: {getattr(e, 'msg', e)}"


def document(raw: bytes, place: Place) -> Any:
    """The value of a JSON file, NaN and infinities as they are."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        place.line = raw.count(b"\n", 0, e.start) + 1
        raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None
    if not text or text.isspace():
        raise InvalidInput("empty", "path", "the file is empty")
    return _json(text, place, raw)


def _json(text: str, place: Place, raw: bytes) -> Any:
    try:
        sizes = list[int]()
        found = json.loads(text, object_hook=_noting(sizes))
        if sum(sizes) == _keys(raw):  # else a key may stand twice in an object; to look for it takes twice as long
            return found
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as e:
        place.line = place.line or e.lineno
        raise InvalidInput("format", "path", f"not JSON: {e.msg} (column {e.colno})") from None
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as e:  # an integer of too many digits; too many brackets
        raise InvalidInput("format", "path", _not_json(e)) from None


def _noting(sizes: list[int]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A hook of the decoder, which notes how many keys each object has."""

    def measured(x: dict[str, Any]) -> dict[str, Any]:
        sizes.append(len(x))
        return x

    return measured


def _keys(raw: bytes) -> int:
    """How many keys stand in JSON, of objects that may have one twice; -1 where this cannot be told by counting.

    A quote before a colon ends a key, unless a backslash is before it, which only quotes within text have.
    """
    text = np.frombuffer(raw, np.uint8)
    before = (text == COLON).nonzero()[0] - 1
    there = text.take(before).tobytes()
    n = there.count(QUOTE)
    if n < len(there) and any(x in there for x in BLANKS):
        return -1  # a key may end before them
    if BACKSLASH in raw:
        quotes = before[np.frombuffer(there, np.uint8) == QUOTE]
        escaped = quotes[text[quotes - 1] == BACKSLASH[0]]
        if (text[escaped - 2] == BACKSLASH[0]).any():
            return -1  # or a key ends in a backslash
        n -= len(escaped)
    return n


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for i, key in enumerate(keys) if key in keys[:i])
        raise InvalidInput("duplicate", "path", f"key {shown(twice)} stands twice in an object")
    return found


def shown(x: Any) -> str:
    """A cell on one short line."""
    text = repr(str(x) if isinstance(x, Decimal) else x)
    return text if len(text) <= 60 else text[:57] + "..."


def listed(names: Sequence[str]) -> str:
    """Names on one short line."""
    return shown(", ".join(names))


def path_of(path: Any) -> Path:
    """A path that the system can be asked for."""
    try:
        file = Path(path)
        if b"\0" in os.fsencode(file):
            raise InvalidInput("format", "path", f"path {shown(str(path))} has a NUL in it")
    except TypeError:
        raise InvalidInput("type", "path", f"path {shown(path)} is neither text nor a path") from None
    except UnicodeEncodeError as e:
        raise InvalidInput("format", "path", f"path {shown(str(path))} is no name of a file: {e.reason}") from None
    return file
