"""Layouts of folders: the fields (model, task, run, ...) in the path of a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InvalidInput, shown

FIELDS = ("model", "task", "run", "question", "trial")
# a field, any folders, any text without a slash, an unmatched brace
TOKEN = re.compile(r"\{(\w*)\}|(\*\*/)|(\*)|([{}])")


class Layout:
    """A pattern of paths below a folder, such as ``{model}/{run}/results.json``.

    {model}, {task}, {run}, {question} and {trial} match text without a slash and name its meaning; a field that occurs
    again matches the same text. {_} and * match any such text (* also none), and ``**/`` matches any folders.
    """

    def __init__(self, pattern: Any) -> None:
        if type(pattern) is not str:
            raise InvalidInput("type", "layout", f"layout {shown(pattern)} is not text")
        self.pattern = pattern
        self._names: dict[str, None] = {}
        self._regex = re.compile(self._translated(pattern.removeprefix("./")))
        if not self._names:
            self._refuse("it names no field, such as {model}")

    @property
    def fields(self) -> list[str]:
        """The fields that the pattern names."""
        return [name for name in FIELDS if name in self._names]

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
            return "[^/]*"
        if brace:
            self._refuse(f"an unmatched {brace}")
        if name == "_":
            return "[^/]+"
        if name not in FIELDS:
            self._refuse(f"no field is called {shown(name)}; there are {', '.join(FIELDS)} and _")
        if name in self._names:
            return f"(?P={name})"
        self._names[name] = None
        return f"(?P<{name}>[^/]+?)"

    def _refuse(self, what: str) -> NoReturn:
        raise InvalidInput("format", "layout", f"layout {shown(self.pattern)}: {what}")

    def match(self, root: Path, file: Path) -> dict[str, str] | None:
        """The fields in the path of a file; None where the path does not match."""
        match = self._regex.fullmatch(relative_path(root, file))
        return None if match is None else match.groupdict()


def relative_path(root: Path, file: Path) -> str:
    """The path of a file, relative to a folder above it; the name of a file that is itself the root."""
    if file == root:
        return file.name
    path, folder = file.as_posix(), f"{root.as_posix()}/"
    return path[len(folder) :] if path.startswith(folder) else file.relative_to(root).as_posix()
