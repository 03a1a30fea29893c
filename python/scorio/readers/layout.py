"""Text with fields in braces, such as the layout of a folder: the fields (model, task, run, ...) in a file's path."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InvalidInput, shown

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
