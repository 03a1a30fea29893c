"""Text files as rows of cells, objects or documents. Whatever is broken is an error that names its line."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from ..errors import InvalidInput
from .packed import PACKED, plain_suffix, unpacked


class Unknown(InvalidInput):
    """A file that no tool is known to write, and no table."""


class Named(str):
    """The name of a model that a file does not say: its own name, or that of its folder, which is its home."""

    __slots__ = ("home",)
    home: Path

    def __new__(cls, name: str, home: Path) -> Named:
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
        self.documents: dict[Path, Any] = {}  # that stand beside logs and say more of them
        self.remarks: dict[str, int] = {}  # what a reader of the log must know, and how often it was met

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}" + (f", {self.spot}" if self.spot else "")

    def mark(self) -> int | str:
        """The place, to be named later; a bare line where there is one file of lines."""
        return self.line if self.file is self.root and not self.spot else str(self)

    def enter(self, file: Path) -> None:
        """Go on to the next file of a folder."""
        self.file, self.line, self.spot = file, 0, ""

    def clear(self) -> None:
        """Nowhere in particular: what follows is about all of it."""
        self.enter(self.root)

    def whole(self) -> None:
        """All of the file: what follows is about no line of it."""
        self.line, self.spot = 0, ""

    def remark(self, what: str) -> None:
        """Something that a reader of the log must know; {n} stands for how often it was met."""
        self.remarks[what] = self.remarks.get(what, 0) + 1

    @property
    def suffix(self) -> str:
        """The ending of the file's name, without that of its compression."""
        return plain_suffix(self.file)

    @property
    def stem(self) -> str:
        """The file's name without its endings."""
        stem = self.file.stem
        return Path(stem).stem if self.file.suffix.lower() in PACKED else stem

    def opened(self) -> AbstractContextManager[IO[bytes]]:
        """The bytes of the file, unpacked."""
        return unpacked(self.file, self.data)

    def model(self, *endings: str, fixed: str = "") -> Named:
        """The name of the file, less the endings that a tool gives it; that of its folder where the tool fixes it."""
        name = self.stem
        if name == fixed:
            return self.folder()
        for ending in endings:
            name = name.removesuffix(ending) or name
        return Named(name, self.file)

    def folder(self, up: int = 1) -> Named:
        """The name of the folder that the file is in, or of one further up."""
        home = self.file.parents[up - 1] if up <= len(self.file.parents) else self.file.parent
        folders = self.file.resolve().parents
        return Named((folders[up - 1].name if up <= len(folders) else "") or self.stem, home)


def _lines(place: Place) -> Iterator[str]:
    with place.opened() as f:
        for i, raw in enumerate(f):
            try:
                yield raw.decode("utf-8" if i else "utf-8-sig")
            except UnicodeDecodeError as e:
                place.line = i + 1
                raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None


def separated(place: Place, delimiter: str) -> Iterator[list[Any]]:
    """The rows of a CSV or TSV file, the header first."""
    reader, width, place.line = csv.reader(_lines(place), delimiter=delimiter, strict=True), 0, 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):  # else a blank line, or the commas that a spreadsheet leaves
                width = width or len(row)
                if len(row) != width:
                    raise InvalidInput("ragged", "path", f"{len(row)} cells under {width} columns")
                yield row
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
            raise InvalidInput("format", "path", f"not JSON: {getattr(e, 'msg', e)}") from None
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
    for line, text in enumerate(_lines(place), 1):
        place.line = line
        if text.strip():
            found = _json(text, place)
            if not isinstance(found, dict) or not found:
                raise InvalidInput("format", "path", f"{shown(text.strip())} is not a JSON object with keys")
            yield found


def document(raw: bytes, place: Place) -> Any:
    """The value of a JSON file, NaN and infinities as they are."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        place.line = raw.count(b"\n", 0, e.start) + 1
        raise InvalidInput("format", "path", f"not UTF-8 text: {e.reason}") from None
    if not text.strip():
        raise InvalidInput("empty", "path", "the file is empty")
    return _json(text, place)


def _json(text: str, place: Place) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as e:
        place.line = place.line or e.lineno
        raise InvalidInput("format", "path", f"not JSON: {e.msg} (column {e.colno})") from None
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as e:  # an integer of too many digits; too many brackets
        raise InvalidInput("format", "path", f"not JSON: {e}") from None


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
