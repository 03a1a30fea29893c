"""Patterns with {fields} in braces: of the paths of files (layouts), and of the rows of a document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ..errors import InvalidInput, shown
from .text_files import SourceLocation, joined

# --- paths ---


FIELDS = ("model", "task", "run", "question", "trial")
# a field, any folders, any text without a slash, an unmatched brace
TOKEN = re.compile(r"\{(\w*)\}|(\*\*/)|(\*)|([{}])")


class Braces:
    """A pattern of texts with {fields}; a field that occurs again matches the same text, {_} and * match any text.

    argument : the option that states the pattern, for errors.
    names : the fields that may occur; None for any.
    char : the regular expression of a character that a field or a star may match.
    """

    def __init__(self, pattern: Any, argument: str, names: Collection[str] | None, char: str = r"[\s\S]") -> None:
        if type(pattern) is not str:
            raise InvalidInput("type", argument, f"{argument} {shown(pattern)} is not text")
        self.pattern, self.argument, self.names, self._char = pattern, argument, names, char
        self.fields: dict[str, None] = {}  # the fields that the pattern names
        self._regex = re.compile(self._translated(pattern.removeprefix("./")))

    def _translated(self, pattern: str) -> str:
        """The pattern as a regular expression."""
        out, end = "", 0
        for match in TOKEN.finditer(pattern):
            out += re.escape(pattern[end : match.start()]) + self._part(match)
            end = match.end()
        return out + re.escape(pattern[end:])

    def _part(self, match: re.Match[str]) -> str:
        """The regular expression of a token: a field, a star, or ``**/``."""
        name, folders, star, brace = match.groups()
        if folders:
            return "(?:.*/)?"
        if star:
            return f"{self._char}*"
        if brace:
            self.refuse(f"an unmatched {brace}")
        if name == "_":
            return f"{self._char}+"
        if not name.isidentifier() or (self.names is not None and name not in self.names):
            known = f"; there are {', '.join(self.names)} and _" if self.names else ""
            self.refuse(f"no field is called {shown(name)}{known}")
        if name in self.fields:
            return f"(?P={name})"
        self.fields[name] = None
        return f"(?P<{name}>{self._char}+?)"

    def refuse(self, what: str) -> NoReturn:
        """Raise the error about this pattern."""
        raise InvalidInput("format", self.argument, f"{self.argument} {shown(self.pattern)}: {what}")

    def fields_of(self, text: str) -> dict[str, str] | None:
        """The fields in a text; None where it does not match."""
        match = self._regex.fullmatch(text)
        return None if match is None else match.groupdict()


class Layout(Braces):
    """A pattern of paths below a folder, such as ``{model}/{run}/results.json``.

    {model}, {task}, {run}, {question} and {trial} match text without a slash and name its meaning; a field that occurs
    again matches the same text. {_} and * match any such text (* also none), and ``**/`` matches any folders.
    """

    def __init__(self, pattern: Any) -> None:
        super().__init__(pattern, "layout", FIELDS, "[^/]")
        if not self.fields:
            self.refuse("it names no field, such as {model}")

    def match(self, root: Path, file: Path) -> dict[str, str] | None:
        """The fields in the path of a file; None where the path does not match."""
        return self.fields_of(relative_path(root, file))


def relative_path(root: Path, file: Path) -> str:
    """The path of a file, relative to a folder above it; the name of a file that is itself the root."""
    if file == root:
        return file.name
    path, folder = file.as_posix(), f"{root.as_posix()}/"
    return path[len(folder) :] if path.startswith(folder) else file.relative_to(root).as_posix()


# --- rows of a document ---


ABSENT = object()  # in place of a cell that a row does not have: null is a cell
# a step of a pattern: an index, a list, a key in quotes, any depth, keys with dots between, a key with braces
STEP = re.compile(
    r"\[(\d{1,9})\]|\[(\*|\{\w+\})\]|\.?"
    r'(?:"([^"]+)"|(\*\*)|([^.\[\]{}"*]+(?:\.[^.\[\]{}"*]+)*(?=[.\[]|$))|((?:\{\w*\}|[^.\[\]{}"])+))'
)
UNNAMED = re.compile(r"\[\*\]|\{_\}|(?<![^.$])\*(?![^.\[])")  # lists and keys that no field names
OWN = ("outcome", "c", "n")  # columns that only the row itself states: an enclosing score is that of all rows
SCALARS = (str, int, float, bool, type(None))
PLAIN = r"[\w-]+"  # a key that needs no quotes
JOIN = "/"  # between the parts of an id


class Row(dict[str, Any]):
    """The keys of a row, beside the fields that the pattern binds and the values that the enclosing objects state.

    own : what the row itself has; for a row without keys its value.
    bound : the fields of the pattern, by their names.
    enclosing : the objects around the row, the document first.
    around : the entries of lists and the keys that no field names, which lead to the row.
    depths : how many of these lead to each bound field, by name, and to each enclosing object, by position.
    """

    __slots__ = ("around", "bound", "depths", "enclosing", "own")

    def __init__(self, place: _Place, bound: dict[str, Any]) -> None:
        own = self.own = place.value
        super().__init__({**place.inherited, **(own if isinstance(own, dict) else {"outcome": own}), **bound})
        self.bound, self.enclosing, self.around, self.depths = bound, place.enclosing, place.around, place.depths

    def untold(self, question: str, others: Iterable[str]) -> tuple[str | None, ...]:
        """The entries around the question, as in ``around``; None for those that state one of the columns.

        Questions of one id in different entries are told apart by no column, so that they may not be the same.
        """
        places = [self._stated(x.strip()) for x in ([question] if question in self else question.split("+"))]
        stating = {depth for depth, states in (*places, *map(self._stated, others)) if states}
        n = max(depth for depth, _ in places)
        return tuple(None if i in stating else x for i, x in enumerate(self.around[:n], 1))

    def _stated(self, path: str) -> tuple[int, bool]:
        """How many entries lead to the value at a path, and whether an object states it, rather than the pattern."""
        if path in self.bound:
            return self.depths.get(path, 0), False
        objects = ((len(self.around), self.own), *((self.depths[i], x) for i, x in enumerate(self.enclosing)))
        return max(((depth, True) for depth, x in objects if at(x, path) is not ABSENT), default=(0, False))

    def find(self, path: str, name: str) -> Any:
        """The cell at a path for a column of scorio: a field, in the row, or outwards in the objects around it.

        ``$.`` begins a path from the document.
        """
        if path.startswith("$."):
            return at(self.enclosing[0] if self.enclosing else self.own, path[2:])
        if path in self.bound:
            return self.bound[path]
        if name in OWN and not isinstance(self.own, dict):
            if name == path == "outcome":
                return self.own
            if self.own is not None:
                raise InvalidInput("format", "path", f"{shown(self.own)} is not an object with {path}")
        for x in (self.own, *([] if name in OWN else self.enclosing[::-1])):
            if (value := at(x, path)) is not ABSENT:
                return value
        return ABSENT


class _Place(NamedTuple):
    """A value within a document: where it is, the fields bound so far, and the objects around it."""

    value: Any
    entry: str = ""
    bound: Mapping[str, Any] = {}
    inherited: Mapping[str, Any] = {}
    enclosing: tuple[Any, ...] = ()
    several: bool = False  # whether it is one of several values
    around: tuple[str, ...] = ()  # as in Row, like the next
    depths: Mapping[str | int, int] = {}

    def inner(self, value: Any, entry: str, bound: Mapping[str, Any] | None = None, is_entry: bool = False) -> _Place:
        """A value within this one; a field that is bound again is joined to the first.

        bound : the fields of one of several values; None where there is only this one.
        is_entry : whether it is one of several that no field names: an entry of a list, a key, anything at any depth.
        """
        dot = "." if self.entry and entry and not entry.startswith("[") else ""
        all_fields, depths = self.bound, self.depths
        if bound and "_" not in bound:
            fields = {x: f"{self.bound[x]}{JOIN}{y}" if x in self.bound else y for x, y in bound.items()}
            all_fields, depths = {**self.bound, **fields}, {**self.depths, **dict.fromkeys(fields, len(self.around))}
        around = (*self.around, entry) if is_entry else self.around
        several = self.several or bound is not None
        path = f"{self.entry}{dot}{entry}"
        return _Place(decoded(value), path, all_fields, self.inherited, self.enclosing, several, around, depths)

    def entered(self, *keys: Any) -> _Place:
        """The object as one around the values of these keys: its other plain values are theirs too."""
        excluded = {*keys, *OWN}
        stated = {x: y for x, y in self.value.items() if type(y) in SCALARS and x not in excluded}
        return self.within()._replace(inherited={**self.inherited, **stated})

    def within(self) -> _Place:
        """The object as one around its values."""
        depths = {**self.depths, len(self.enclosing): len(self.around)}
        return self._replace(enclosing=(*self.enclosing, self.value), depths=depths)


Step = Callable[[_Place], Iterator[_Place]]


class Pattern:
    """Where the rows of a document are: keys, lists and fields in braces, from the outside inwards.

    ``a.b`` is the value of a key within that of another, ``[*]`` is each entry of a list and ``[0]`` its first,
    ``{question}`` is each key of an object, ``[{trial}]`` is each index of a list, ``try_{trial}`` is each key that
    begins so, ``*`` is each key without a name for it, and ``**`` is any depth. A field that occurs twice is its parts
    joined by "/". ``$`` is the document itself.

    Examples
    --------
    >>> from pathlib import Path
    >>> from scorio.readers.pattern import Pattern
    >>> from scorio.readers.text_files import SourceLocation
    >>> rows = Pattern("{model}.{question}").rows({"m": {"q1": 1, "q2": 0}}, SourceLocation(Path("log.json")))
    >>> [dict(row) for row in rows]
    [{'outcome': 1, 'model': 'm', 'question': 'q1'}, {'outcome': 0, 'model': 'm', 'question': 'q2'}]
    """

    def __init__(self, text: Any) -> None:
        braces = Braces(text, "rows", None)  # checks its fields
        self.text, self.fields, self._steps = text, list(braces.fields), list[Step]()
        rest, end = text.removeprefix("$"), 0
        for match in STEP.finditer(rest):
            if match.start() != end:
                break
            end = match.end()
            self._steps.append(self._step(match))
        if self._steps and self._steps[-1] is _everywhere:
            braces.refuse("** needs a step after it")
        if end != len(rest) or not text:
            braces.refuse(f"{shown(rest[end:])} is not a step, such as key, {{question}}, [*] or [{{trial}}]")

    def _step(self, match: re.Match[str]) -> Step:
        index, listed, quoted, deep, path, key = match.groups()
        if index is not None:
            return lambda place: _item(place, int(index))
        if listed:
            name, position = "_" if listed == "*" else listed[1:-1], len(self._steps) + 1
            return lambda place: _items(place, name, position == len(self._steps))
        if deep:
            return _everywhere
        if path or quoted:
            return lambda place: _key(place, path or quoted, quoted is None)
        braces, rest = Braces(key, "rows", None), match.string[match.end() :]
        return lambda place: _keys(place, braces, rest.startswith("[*]"))

    def rows(self, document: Any, location: SourceLocation, around: tuple[str, ...] = ()) -> Iterator[Row]:
        """The rows of a document; the location is set to each in turn; around : the line of the document, if any."""
        for place in self._places(_Place(decoded(document), around=around), 0, location):
            location.entry = place.entry
            if isinstance(place.value, list):
                what = f"a list of {len(place.value)}: end rows with [*] for each of its entries"
                raise InvalidInput("format", "path", f"{shown(self.text)} is {what}")
            yield Row(place, self._fields(place))
        location.entry = ""

    def naming(self, i: int, field: str) -> str:
        """The pattern with a field for the i-th list or key without one; "" where there is none, or with ``**``."""
        unnamed = [*UNNAMED.finditer(self.text)]
        if "**" in self.text or not 0 <= i < len(unnamed):
            return ""
        start, end = unnamed[i].span()
        named = f"[{{{field}}}]" if unnamed[i][0] == "[*]" else f"{{{field}}}"
        return self.text[:start] + named + self.text[end:]

    def _fields(self, place: _Place) -> dict[str, Any]:
        """The fields of a row; a run and a trial within it are the trial."""
        fields = dict(place.bound)
        if "run" in fields:
            trial = fields.get("trial", place.value.get("trial") if isinstance(place.value, dict) else None)
            fields["trial"] = fields["run"] if trial is None else f"{fields['run']}{JOIN}{trial}"
        return fields

    def _places(self, place: _Place, i: int, location: SourceLocation) -> Iterator[_Place]:
        """The places that the steps from i on lead to."""
        if i == len(self._steps):
            yield place
            return
        location.entry = place.entry
        if self._steps[i] is not _everywhere:
            for inner in self._steps[i](place):
                yield from self._places(inner, i + 1, location)
            return
        for anywhere in _everywhere(place):
            try:
                fitting = list(self._steps[i + 1](anywhere))
            except Unfit:
                continue  # after ** the next step says where rows may be; those after it must fit there
            for inner in fitting:
                yield from self._places(inner, i + 2, location)


DOCUMENT = Pattern("$")


class Unfit(InvalidInput):
    """The error of a value that a pattern does not fit."""


def _unfit(place: _Place, need: str) -> Unfit:
    x = place.value
    what = f"an object with the keys {joined(list(map(str, x)))}" if isinstance(x, dict) else shown(x)
    return Unfit("format", "path", f"{what}, not {need}")


def _key(place: _Place, path: str, dotted: bool) -> Iterator[_Place]:
    inner = _at_key(place, path, dotted)
    if inner is None:
        raise _unfit(place, f"an object with {path}")
    yield inner


def _at_key(place: _Place, path: str, dotted: bool) -> _Place | None:
    """The value at a path of keys, read as one key or part by part, as :func:`at` does; None where there is none."""
    if not isinstance(place.value, dict):
        return None
    if path in place.value:
        return place.entered(path).inner(place.value[path], path)
    for i, c in enumerate(path):
        if c == "." and dotted and path[:i] in place.value:
            inner = _at_key(place.entered(path[:i]).inner(place.value[path[:i]], path[:i]), path[i + 1 :], dotted)
            if inner is not None:
                return inner
    return None


def _keys(place: _Place, braces: Braces, are_lists: bool) -> Iterator[_Place]:
    """The values of an object whose keys match.

    are_lists : whether these are lists of records, beside which plain values say what is so for all.
    """
    if not isinstance(place.value, dict):
        raise _unfit(place, f"an object with keys {braces.pattern}")
    whole = braces.pattern[1:-1] if braces.pattern in ("{_}", *(f"{{{x}}}" for x in braces.fields)) else ""
    matching = {key: {whole: key} if whole else braces.fields_of(str(key)) for key in place.value}
    fields_of_key = {key: fields for key, fields in matching.items() if fields is not None}
    if are_lists and any(isinstance(x, list) and x and isinstance(x[0], dict) for x in place.value.values()):
        plain = {key for key in fields_of_key if type(decoded(place.value[key])) in (str, bool, int, float)}
        fields_of_key = {key: fields for key, fields in fields_of_key.items() if key not in plain}
    outer = place.within() if len(fields_of_key) == len(place.value) else place.entered(*fields_of_key)
    for key, fields in fields_of_key.items():
        yield outer.inner(place.value[key], _entry(key), fields, is_entry=braces.pattern in ("*", "{_}"))


def _entry(key: Any) -> str:
    """The key of a value, as errors name it."""
    return str(key) if re.fullmatch(PLAIN, str(key)) else f"[{shown(key)}]"


def _item(place: _Place, index: int) -> Iterator[_Place]:
    if place.several and place.value is None:  # one of several things that has no value: its outcome is missing
        yield place
        return
    if not isinstance(place.value, list) or index >= len(place.value):
        raise _unfit(place, f"a list with an entry [{index}]")
    yield place.inner(place.value[index], f"[{index}]")


def _items(place: _Place, name: str, is_last: bool = False) -> Iterator[_Place]:
    if not isinstance(place.value, list):
        raise _unfit(place, "a list")
    if is_last and place.several and not place.value:  # nothing of one of several things: its outcome is missing
        yield place.inner(None, "", {name: 0})
    for i, x in enumerate(place.value):
        yield place.inner(x, f"[{i}]", {name: i}, is_entry=name == "_")


def _everywhere(place: _Place) -> Iterator[_Place]:
    """The value and all objects and lists within it."""
    yield place
    if isinstance(place.value, list):
        for inner in _items(place, "_"):
            yield from _everywhere(inner)
    elif isinstance(place.value, dict):
        outer = place.entered()
        for key, value in place.value.items():
            if isinstance(value, (dict, list)):
                yield from _everywhere(outer.inner(value, _entry(key), {}, is_entry=True))


# --- paths ---


def at(x: Any, path: str) -> Any:
    """The value at a dotted path, read as one key or part by part, also within JSON in a text; else ABSENT."""
    if isinstance(x, Mapping) and path in x:
        return x[path]
    for i, c in enumerate(path):
        if c == ".":
            inner = _inner(x, path[:i])
            if inner is not ABSENT and (value := at(inner, path[i + 1 :])) is not ABSENT:
                return value
    return _inner(x, path) if isinstance(x, list) else ABSENT


def _inner(x: Any, name: str) -> Any:
    """The entry of a list or a mapping, decoded if it is JSON in a text; ABSENT where there is none."""
    if isinstance(x, list) and name.isascii() and name.isdigit() and len(name) < 9 and int(name) < len(x):
        return decoded(x[int(name)], ABSENT)
    return decoded(x[name], ABSENT) if isinstance(x, Mapping) and name in x else ABSENT


def decoded(x: Any, otherwise: Any = None) -> Any:
    """The value of JSON in a text, and any other value as it is; `otherwise` (or the text) where it is not JSON."""
    if isinstance(x, str) and x.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(x)
        except (ValueError, RecursionError):
            return x if otherwise is None else otherwise
    return x
