"""Which tasks of a log are read, and which of several metrics of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..errors import InvalidInput
from .text_files import shown

MOST_SHOWN = 20


class Unwanted(Exception):
    """A file whose task was not asked for."""


class Which:
    """What ``which`` says: METRIC for every task that has several, TASK=METRIC for one; TASK may be a pattern."""

    def __init__(self, asked: Sequence[str] = (), tasks: Sequence[str] = ()) -> None:
        self.asked, self.tasks = tuple(asked), tuple(tasks)
        self._used: set[str] = set()
        self._offered: dict[str, None] = {}

    def own(self, task: Any) -> list[tuple[str, str]]:
        """What was asked for this task alone: as it was said, and the metric of it."""
        said = [(x, x[:i], x[i + 1 :]) for x in self.asked for i, sign in enumerate(x) if sign == "="]
        return [(x, metric) for x, name, metric in said if task is not None and matches(name, str(task))]

    def among(self, choices: Iterable[str], what: str, task: Any = None, parts: bool = False) -> str | None:
        """The one of these that is asked for; None if none is. parts: a name may also be one between its commas."""
        self.want(task)
        found = list(dict.fromkeys(choices))
        self._offered |= dict.fromkeys(found)
        if not self.asked:
            return None
        for asked in (self.own(task), [(x, x) for x in self.asked]):
            hits = [(x, name) for x, y in asked for name in found if name == y or (parts and y in name.split(","))]
            if hits:
                self._used |= {x for x, _ in hits}
                if len({name for _, name in hits}) > 1:
                    raise unclear(hits[0][0], found, what)
                return hits[0][1]
        return None

    def choose(self, choices: Iterable[str], what: str, task: Any = None, parts: bool = False) -> str:
        """The one that is asked for, or the only one that there is."""
        found = list(dict.fromkeys(choices))
        if not found:
            raise InvalidInput("format", "path", f"there are no {what} in it")
        chosen = self.among(found, what, task, parts)
        if chosen is None and len(found) > 1:
            raise unclear(self.said(task), found, what, task)
        return found[0] if chosen is None else chosen

    def want(self, task: Any) -> None:
        """Go on with this task only if it is asked for."""
        if not wanted(self.tasks, task):
            raise Unwanted("" if task is None else str(task))

    def said(self, task: Any) -> str | None:
        """What was asked for this task, or for all."""
        return next((x for x in (*(x for x, _ in self.own(task)), *self.asked)), None)

    def excused(self) -> None:
        """Nothing came to a score: that what was asked for is not there says nothing."""
        self._used |= set(self.asked)

    def all_used(self) -> None:
        """What was asked for names something."""
        for x in self.asked:
            if x not in self._used and not self._offered:
                raise InvalidInput("conflict", "which", f"which = {shown(x)}, but there is nothing to choose from")
            if x not in self._used:
                raise unclear(x, self._offered, "metrics")


def wanted(tasks: Sequence[str], task: Any) -> bool:
    """Whether a task is asked for; all are where none is named."""
    return not tasks or (task is not None and any(matches(x, str(task)) for x in tasks))


def matches(pattern: str, task: str) -> bool:
    """The name of a task, or a pattern such as mmlu_*."""
    return pattern == task or fnmatchcase(task, pattern)


def unclear(which: str | None, choices: Iterable[str], what: str, task: Any = None) -> InvalidInput:
    """The error of a choice that is not made, or cannot be."""
    found = list(choices)
    more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    listed = ", ".join(map(repr, found[:MOST_SHOWN])) + more
    said = "there are several" if which is None else f"which = {shown(which)} names none or more than one"
    of = "" if task is None else f" of task {shown(str(task))}"
    return InvalidInput("choice", "which", f"{what}{of}: {said}, of {listed}", f"which:{found[0]}")
