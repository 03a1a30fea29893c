"""The options of :func:`scorio.io.read`: their checks, and the choice of tasks and of one metric for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, NamedTuple

from .. import arguments
from ..errors import InvalidInput, shown
from .pattern import Layout, Pattern
from .values import is_number, word_of

LEVELS = "levels"  # the option w, where the scores in the log are the categories
MOST_SHOWN = 20  # choices that an error lists


class UnwantedTask(Exception):
    """Raised at a record whose task was not requested; the records after it in the file are not read."""


class Which:
    """The option ``which``: METRIC for every task that has this metric, TASK=METRIC for one task or a pattern."""

    def __init__(self, requests: Sequence[str] = (), tasks: Sequence[str] = ()) -> None:
        self.requests, self.tasks = tuple(requests), tuple(tasks)
        self._used: set[str] = set()
        self._available: dict[str, None] = {}  # the metrics that the log has

    def task_requests(self, task: Any) -> list[tuple[str, str]]:
        """Requests of the form TASK=METRIC that match this task: the text of each, and its metric."""
        assignments = [(x, x[:i], x[i + 1 :]) for x in self.requests for i, sign in enumerate(x) if sign == "="]
        return [(x, metric) for x, name, metric in assignments if task is not None and matches(name, str(task))]

    def requested(self, choices: Iterable[str], what: str, task: Any = None, parts: bool = False) -> str | None:
        """The requested one of the choices; None if nothing is requested, or no choice matches.

        what : a noun for the choices in errors, such as "metrics".
        parts : whether a part of a name between commas may match too.
        """
        self.require(task)
        names = list(dict.fromkeys(choices))
        self._available |= dict.fromkeys(names)
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
        """The requested one of the choices, or the only one there is; the arguments are those of :meth:`requested`."""
        names = list(dict.fromkeys(choices))
        if not names:
            raise InvalidInput("format", "path", f"the file has no {what}")
        chosen = self.requested(names, what, task, parts)
        if chosen is None and len(names) > 1:
            requests = *(x for x, _ in self.task_requests(task)), *self.requests  # the first may be for another task
            raise unclear(next(iter(requests), None), names, what, task)
        return names[0] if chosen is None else chosen

    def wants(self, task: Any) -> bool:
        """Whether this task was requested, or none was; trials of other tasks are noted and left out."""
        return is_requested(self.tasks, task)

    def require(self, task: Any) -> None:
        """Raise UnwantedTask, which ends the file, unless its task was requested."""
        if not self.wants(task):
            raise UnwantedTask("" if task is None else str(task))

    def mark_all_used(self) -> None:
        """Mark every request as used, for a log without any score: a metric that it lacks is then not an error."""
        self._used |= set(self.requests)

    def check_all_used(self) -> None:
        """Raise where a request matched no metric of the log."""
        for x in self.requests:
            if x not in self._used and not self._available:
                raise InvalidInput("conflict", "which", f"which = {shown(x)}, but there is nothing to choose from")
            if x not in self._used:
                raise unclear(x, self._available, "metrics")


class ReadOptions(NamedTuple):
    """Checked options of :func:`scorio.io.read`; C is None where the scores in the log are the categories."""

    C: int | None
    w: list[float] | None
    missing: str | int
    missing_code: int | None
    trials: bool
    which: Which = Which()
    format: str | None = None
    files_are_runs: bool = False
    tasks: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    columns: dict[str, str] | None = None
    layout: Layout | None = None
    answers: bool = False
    exclude: tuple[str, ...] = ()
    wide: bool = False
    cost: str | None = None
    rows: Pattern | None = None
    runs_by: str | None = None  # the column whose values are repetitions of the evaluation
    engine: bool = True  # whether an engine may count large tables
    renames: Mapping[str, str] = MappingProxyType({})  # the new name of each task that is renamed
    words: Mapping[str, str | None] = MappingProxyType({})  # the value of each word of outcomes, None: missing

    @property
    def runs_in_ids(self) -> bool:
        """Whether ids of trials begin with that of their run and "/"."""
        patterns = [x for x in (self.layout, self.rows) if x is not None]
        return bool(self.runs_by) or self.files_are_runs or any("run" in x.fields for x in patterns)


def read_options(
    w: Any = None, missing: Any = "raise", missing_code: Any = None, trials: Any = False, which: Any = None,
    format: Any = None, files_are_runs: Any = False, task: Any = None, scale: Any = None, columns: Any = None,
    layout: Any = None, answers: Any = False, exclude: Any = None, wide: Any = False, cost: Any = None,
    rows: Any = None, runs_by: Any = None, outcomes: Any = None,
) -> ReadOptions:  # fmt: skip
    """The options of :func:`scorio.io.read`, checked."""
    requested, chosen = _texts(task, "task"), _texts(which, "which")
    renames = dict(x.split("=", 1) for x in requested if "=" in x)
    if "" in renames.values() or len(renames) < sum("=" in x for x in requested):
        raise InvalidInput("choice", "task", f"task {shown(task)} has no new name, or two for a task")
    # tasks are chosen by their names in the log
    tasks = tuple(x.partition("=")[0] for x in requested) if len(renames) < len(requested) else ()
    ends = _ends(scale)
    if ends is not None and w is None:
        w = LEVELS
    if isinstance(w, str):
        arguments.choice(w, "w", (LEVELS,))
        arguments.policy(missing, None)
        C = None
    elif ends is not None:
        raise InvalidInput("conflict", "scale", "w states the scores, and thus their scale: leave out w or scale")
    else:
        C = len(arguments.category_scores(w)) - 1
        if C < 1:
            raise InvalidInput("length", "w", "w needs two entries or more: categories 0 and 1 at least")
        arguments.policy(missing, C)
    scores = None if w is None or C is None else [float(x) for x in w]
    is_word = isinstance(missing_code, str) and not is_number(missing_code.strip())
    code = None if is_word else arguments.code(missing_code)
    meanings = _words({} if outcomes is None else outcomes) | ({word_of(missing_code): None} if is_word else {})
    keep_trials = arguments.flag(trials, "trials")
    pool_runs = arguments.flag(files_are_runs, "files_are_runs")
    column_names = None if columns is None else mapping_of(columns, bool(wide))
    pattern = None if layout is None else Layout(layout)
    if pattern is not None and pool_runs:
        what = "the layout of paths names models or runs: leave out files_are_runs or layout"
        raise InvalidInput("conflict", "files_are_runs", what)
    row_pattern = None if rows is None else Pattern(rows)
    if row_pattern and pattern and (both := [x for x in row_pattern.fields if x in pattern.fields]):
        raise InvalidInput("conflict", "rows", f"{shown(both[0])} is a field of both rows and layout: leave one out")
    with_answers = arguments.flag(answers, "answers")
    if with_answers and (C != 1 or not isinstance(missing, str)):
        what = "answers are right or wrong: leave out w, scale, and a category for missing outcomes"
        raise InvalidInput("conflict", "answers", what)
    excluded, is_wide = _texts(exclude, "exclude"), arguments.flag(wide, "wide")
    unit = next(iter(_texts(None if cost is None else [cost], "cost")), None)
    if is_wide and row_pattern is not None:
        raise InvalidInput("conflict", "wide", "wide reads tables, and rows names the rows of a document")
    by = next(iter(_texts(None if runs_by is None else [runs_by], "runs_by")), None)
    return ReadOptions(
        C=C, w=scores, missing=missing, missing_code=code, trials=keep_trials, which=Which(chosen, tasks),
        format=format, files_are_runs=pool_runs, tasks=tasks, scale=ends, columns=column_names, layout=pattern,
        answers=with_answers, exclude=excluded, wide=is_wide, cost=unit, rows=row_pattern, runs_by=by,
        renames=renames, words=meanings,
    )  # fmt: skip


def _texts(x: Any, name: str) -> tuple[str, ...]:
    """The texts of an option as a tuple; the option may be one text, several, a mapping (for KEY=VALUE) or None."""
    if isinstance(x, Mapping):
        x = [f"{key}={value}" for key, value in x.items()]
    texts = () if x is None else (x,) if isinstance(x, str) else tuple(x) if isinstance(x, Iterable) else (x,)
    for text in texts:
        if type(text) is not str or not text:
            raise InvalidInput("type", name, f"{name} {shown(text)} is not text")
    return texts


def mapping_of(x: Any, wide: bool) -> dict[str, str]:
    """The option columns, checked; in a wide table None leaves a column out."""
    if isinstance(x, Mapping) and wide:
        x = {name: "-" if y is None else y for name, y in x.items()}
    if not isinstance(x, Mapping) or not all(type(y) is str for pair in x.items() for y in pair):
        raise InvalidInput("type", "columns", f"columns must be a mapping of names to names, not {shown(x)}")
    return dict(x)


def _words(outcomes: Any) -> dict[str, str | None]:
    """The option outcomes: the value of each word as text, None where it means a missing outcome."""
    if not isinstance(outcomes, Mapping):
        raise InvalidInput("type", "outcomes", f"outcomes must map words to numbers or None, not {shown(outcomes)}")
    values: dict[str, str | None] = {}
    for word, x in outcomes.items():
        value = None if x is None or x == "missing" else str(arguments.vector([x], "outcomes")[0])
        if values.setdefault(word_of(word), value) != value:
            raise InvalidInput("conflict", "outcomes", f"outcomes has two values for {shown(word)}")
    return values


def _ends(scale: Any) -> tuple[float, float] | None:
    """The lowest and the highest possible score, as the option scale states them."""
    if scale is None:
        return None
    if isinstance(scale, str) or not isinstance(scale, Iterable) or len(ends := list(scale)) != 2:
        raise InvalidInput("type", "scale", f"scale is {shown(scale)}, not the lowest and the highest score")
    lo, hi = arguments.category_scores(ends)
    if not lo < hi:
        raise InvalidInput("range", "scale", f"scale is {shown(ends)}, not the lowest and the highest score")
    return float(lo), float(hi)


def is_requested(tasks: Sequence[str], task: Any) -> bool:
    """Whether a task was requested; without a request every task is read."""
    return not tasks or (task is not None and any(matches(x, str(task)) for x in tasks))


def matches(pattern: str, task: str) -> bool:
    """Whether a task has this name, or matches this pattern, such as mmlu_*."""
    return pattern == task or fnmatchcase(task, pattern)


def unclear(which: str | None, choices: Iterable[str], what: str, task: Any = None) -> InvalidInput:
    """The error for a choice that is missing, or that matches none or several of the choices (`what`: their noun)."""
    names = list(choices)
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    listed = ", ".join(map(repr, names[:MOST_SHOWN])) + more
    near = get_close_matches(which or "", names, 1, 0.5) or names
    is_ambiguous = any((which or "").endswith(y) for x in names for y in x.split(","))
    matched = f"which = {shown(which)} matches {'more than one' if is_ambiguous else 'none'} of {listed}"
    problem = matched if which else f"there are several ({listed})"
    of_task = "" if task is None else f" of task {shown(str(task))}"
    prefix = "" if task is None or which is None else f"{task}="  # other tasks may have the metric that was requested
    return InvalidInput("choice", "which", f"{what}{of_task}: {problem}", f"which:{prefix}{near[0]}")
