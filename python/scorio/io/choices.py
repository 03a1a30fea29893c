"""The choice of tasks that are read from a log, and of one metric for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from ..errors import InvalidInput
from .text_files import shown

MOST_SHOWN = 20


class UnwantedTask(Exception):
    """Raised for a file whose task was not requested."""


class Which:
    """The option ``which``: METRIC for every task that has several, TASK=METRIC for one; TASK may be a pattern."""

    def __init__(self, requests: Sequence[str] = (), tasks: Sequence[str] = ()) -> None:
        self.requests, self.tasks = tuple(requests), tuple(tasks)
        self._used: set[str] = set()
        self._offered: dict[str, None] = {}

    def task_requests(self, task: Any) -> list[tuple[str, str]]:
        """Requests of the form TASK=METRIC that match this task: each as it was given, and its metric."""
        assignments = [(x, x[:i], x[i + 1 :]) for x in self.requests for i, sign in enumerate(x) if sign == "="]
        return [(x, metric) for x, name, metric in assignments if task is not None and matches(name, str(task))]

    def among(self, choices: Iterable[str], what: str, task: Any = None, parts: bool = False) -> str | None:
        """The requested one of these choices, or None; parts: whether a part of a name between commas may match."""
        self.require(task)
        names = list(dict.fromkeys(choices))
        self._offered |= dict.fromkeys(names)
        if not self.requests:
            return None
        for requests in (self.task_requests(task), [(x, x) for x in self.requests]):
            hits = [(x, name) for x, y in requests for name in names if name == y or (parts and y in name.split(","))]
            if hits:
                self._used |= {x for x, _ in hits}
                if len({name for _, name in hits}) > 1:
                    raise unclear(hits[0][0], names, what)
                return hits[0][1]
        return None

    def choose(self, choices: Iterable[str], what: str, task: Any = None, parts: bool = False) -> str:
        """The requested one of these choices, or the only one."""
        names = list(dict.fromkeys(choices))
        if not names:
            raise InvalidInput("format", "path", f"there are no {what} in it")
        chosen = self.among(names, what, task, parts)
        if chosen is None and len(names) > 1:
            raise unclear(self.first_request(task), names, what, task)
        return names[0] if chosen is None else chosen

    def require(self, task: Any) -> None:
        """Raise UnwantedTask unless this task was requested."""
        if not wanted(self.tasks, task):
            raise UnwantedTask("" if task is None else str(task))

    def first_request(self, task: Any) -> str | None:
        """The first request for this task, or else for all tasks."""
        return next((x for x in (*(x for x, _ in self.task_requests(task)), *self.requests)), None)

    def excuse_all(self) -> None:
        """Mark every request as used: no sample has a score, so a missing metric is no mistake of the caller."""
        self._used |= set(self.requests)

    def check_all_used(self) -> None:
        """Raise where a request matched no metric of the log."""
        for x in self.requests:
            if x not in self._used and not self._offered:
                raise InvalidInput("conflict", "which", f"which = {shown(x)}, but there is nothing to choose from")
            if x not in self._used:
                raise unclear(x, self._offered, "metrics")


def wanted(tasks: Sequence[str], task: Any) -> bool:
    """Whether a task was requested; without requests every task is."""
    return not tasks or (task is not None and any(matches(x, str(task)) for x in tasks))


def matches(pattern: str, task: str) -> bool:
    """Whether a task has this name, or matches this pattern, such as mmlu_*."""
    return pattern == task or fnmatchcase(task, pattern)


def unclear(which: str | None, choices: Iterable[str], what: str, task: Any = None) -> InvalidInput:
    """The error of a choice that was not made, or that matches none or several."""
    names = list(choices)
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    listed = ", ".join(map(repr, names[:MOST_SHOWN])) + more
    near = get_close_matches(which or "", names, 1, 0.5) or names
    several = any((which or "").endswith(y) for x in names for y in x.split(","))
    problem = f"which = {shown(which)} names {'more than one' if several else 'none'}" if which else "there are several"
    of = "" if task is None else f" of task {shown(str(task))}"
    own = "" if task is None or which is None else f"{task}="  # for this task alone: others may have what was asked
    return InvalidInput("choice", "which", f"{what}{of}: {problem}, of {listed}", f"which:{own}{near[0]}")
