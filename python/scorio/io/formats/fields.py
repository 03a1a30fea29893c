"""What a log must hold: keys of the right kind, and one choice where several stand in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ...errors import InvalidInput
from .. import values
from ..text_files import Place, shown

KINDS = {dict: "an object", list: "a list", str: "text", int: "an integer", type(None): "null"}
MOST_SHOWN = 20
TOLERANCE = 1e-6


class Format(NamedTuple):
    """A tool's log: how it is recognised and read.

    kind : "json" (a document), "lines" (objects, one a line) or "eval" (a zip file).
    matches : from the document, or from the first object of lines.
    records : from the document or the objects, the place and which; sets the place before it yields.
    chooses : takes ``which``.
    one : states no trial; every file is one.
    """

    name: str
    kind: str
    matches: Callable[[Any], bool]
    records: Callable[..., Iterable[Any]]
    chooses: bool = False
    one: bool = False


class Unknown(InvalidInput):
    """A file that no tool is known to write."""


def wrong(message: str) -> InvalidInput:
    """The error of a log that is not built as its tool builds it."""
    return InvalidInput("format", "path", message)


def has(x: Any, *names: str) -> bool:
    """An object with all of these keys."""
    return type(x) is dict and all(name in x for name in names)


def key(x: Any, name: str, *kinds: type) -> Any:
    """The value under a key, of one of these kinds (none: any)."""
    if type(x) is not dict:
        raise wrong(f"{shown(x)} is not an object with {name}")
    if name not in x:
        raise wrong(f"there is no {name} here")
    if kinds and type(x[name]) not in kinds:
        raise wrong(f"{name} is {shown(x[name])}, not {' or '.join(KINDS[kind] for kind in kinds)}")
    return x[name]


def successes(value: Any, n: int, metric: str) -> int:
    """c of an average over n outcomes."""
    number = values.number(value, "outcome")
    if number is None:
        raise InvalidInput("missing", "outcome", f"{metric} is missing: it would be an average of {n} outcomes")
    c = round(number * n) if 0 <= number <= 1 else -1
    if abs(number * n - c) > TOLERANCE:
        raise wrong(f"{metric} = {shown(value)} is no average of {n} outcomes")
    return c


def choose(which: str | None, choices: Iterable[str], what: str) -> str:
    """The one that is asked for, or the only one that there is."""
    found = list(dict.fromkeys(choices))
    if which is None and len(found) == 1:
        return found[0]
    if not found:
        raise wrong(f"there are no {what} in it")
    if which is None or which not in found:
        raise unclear(which, found, what)
    return which


def settled(chosen: str, format: str, place: Place, task: Any = None) -> str:
    """The choice, the same in all files of a task: two metrics are not to be compared as if they were one."""
    first, file = place.chosen.setdefault(f"{format} {task or ''}", (chosen, place.file))
    if first != chosen:
        what = f"outcomes are {shown(chosen)} here, but {shown(first)} in {file}"
        raise InvalidInput("conflict", "which", f"{what}: say which, or read them apart")
    return chosen


def unclear(which: str | None, choices: Iterable[str], what: str) -> InvalidInput:
    """The error of a choice that is not made, or cannot be."""
    found = list(choices)
    more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    listed = ", ".join(map(repr, found[:MOST_SHOWN])) + more
    said = "several stand in it: say which" if which is None else f"which = {shown(which)} names none or more than one"
    return InvalidInput("choice", "which", f"{what}: {said}, of {listed}")
