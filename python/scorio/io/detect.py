"""From a file to records: its ending says how it is read, what is in it says which tool wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from ..errors import InvalidInput
from . import arrays, parquet, table
from .accumulator import Asked, Record
from .formats import FORMATS, lighteval, recognised
from .formats.fields import Format, wrong
from .formats.zips import Members
from .text_files import Place, document, json_lines, objects, separated, shown

ENDINGS = {
    ".csv": "table",
    ".tsv": "table",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "json",
    ".eval": "eval",
    ".parquet": "parquet",
    ".npy": "array",
    ".npz": "array",
}


class Source(NamedTuple):
    """The records of a file."""

    format: str
    records: Iterable[Record]
    one: bool = False  # the file is one trial


def source(place: Place, options: Asked) -> Source | str:
    """What a file holds, or the name of what stands beside logs but is none."""
    suffix = place.file.suffix.lower()
    kind = ENDINGS.get(suffix)
    if kind is None:
        raise InvalidInput("format", "path", f"the name of the file must end in one of {', '.join(ENDINGS)}")
    if kind == "table":
        plain("table", options)
        return Source("table", table.records(separated(place, "," if suffix == ".csv" else "\t"), place))
    if kind == "array":
        plain("array", options)
        return Source("array", arrays.records(place))
    if kind == "parquet":
        return _details(place, options)
    if kind == "lines":
        return _lines(place, options)
    if kind == "json":
        return _document(place, options)
    return _zip(place, options)


def _details(place: Place, options: Asked) -> Source:
    if options.format not in (None, "lighteval"):
        raise wrong(f"format = {shown(options.format)} has no files of this ending")
    _of_tool(options)
    return Source("lighteval", lighteval.records(parquet.rows(place), place, options.which), True)


def plain(name: str, options: Asked) -> None:
    """There is no other format for it, and nothing to choose from."""
    if options.format not in (None, name):
        raise wrong(f"format = {shown(options.format)} has no files of this ending")
    _nothing(options)


def _nothing(options: Asked) -> None:
    """There is nothing to choose from."""
    if options.which is not None:
        raise InvalidInput("conflict", "which", f"which = {shown(options.which)}, but there is nothing to choose from")


def _of_tool(options: Asked) -> None:
    """What a tool says is a score, as 1 of inspect_ai is: not the number of a category, whose score may be 0.5."""
    if options.C is not None and options.C > 1:
        what = f"outcomes of tools are scores, not categories 0..{options.C}, which the weights given are of"
        raise InvalidInput("conflict", "weights", what, "levels")


def _tool(found: Format | str, x: Any, place: Place, options: Asked) -> Source | str:
    if isinstance(found, str):
        return found
    _of_tool(options)
    if not found.chooses:
        _nothing(options)
    return Source(found.name, found.records(x, place, options.which), found.one)


def _lines(place: Place, options: Asked) -> Source | str:
    lines = objects(place)
    first = next(lines, None)
    if first is None:
        place.whole()
        raise InvalidInput("empty", "path", "the file is empty")
    if options.format == "table" or (options.format is None and _is_table(first)):
        plain("table", options)
        return Source("table", table.records(json_lines(place), place))
    return _tool(recognised(first, "lines", options.format), chain([first], lines), place, options)


def _is_table(first: dict[str, Any]) -> bool:
    """A row of a table, or of something close to one, whose error is then about columns."""
    tools = [format.name for format in FORMATS if format.kind == "lines" and format.matches(first)]
    outcomes = "outcome" in first or {"c", "n"} <= first.keys()
    if tools and outcomes and "question" in first:
        raise wrong(f"the file may be a table or {' or '.join(tools)}: say which (format)")
    return "question" in first and not tools


def _document(place: Place, options: Asked) -> Source | str:
    found = document(place.file.read_bytes(), place)
    return _tool(recognised(found, "json", options.format), found, place, options)


def _zip(place: Place, options: Asked) -> Source | str:
    found = recognised(None, "eval", options.format)
    if isinstance(found, str):
        return found
    _of_tool(options)
    return Source(found.name, _members(found, place, options))


def _members(found: Format, place: Place, options: Asked) -> Iterator[Record]:
    with place.file.open("rb") as file:
        yield from found.records(Members(file), place, options.which)
