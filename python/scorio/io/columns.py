"""Outcomes as columns of codes, whatever reader they came from, counted by model, task and question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput, shown
from . import values
from .options import ReadOptions, wanted

Codes = npt.NDArray[np.int64]
AnswerCounts = Counter[tuple[str | None, int]]  # trials by answer and category
DENSE = 8  # entries of a table for each row, up to which groups are looked up rather than sorted
IDS = ("model", "task", "question", "trial", "cluster")
OWN = (*IDS, "outcome", "c", "n", "rows", "named", "cost")  # columns with a meaning; all others are axes


class RowError(Exception):
    """An error about a row, and about the earlier row that it contradicts; the caller knows where rows stand."""

    def __init__(self, row: int, error: InvalidInput, first: int | None = None) -> None:
        super().__init__(row, error, first)
        self.row, self.error, self.first = row, error, first


class Column:
    """A column of cells as codes of distinct labels."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.labels: dict[Any, int] = {}
        self._codes: list[npt.NDArray[Any]] = []

    def add(self, labels: list[Any], codes: npt.NDArray[Any]) -> None:
        """Append cells; ids that differ only in the spaces around them get one label."""
        if self.name in IDS:
            labels = _ids(labels, self.name, codes)
        at, known = self.labels, len(self.labels)
        place = np.array([at.setdefault(x, len(at)) for x in labels], np.int32)
        same = not known and len(at) == len(labels)  # then the codes stay as they are
        self._codes.append(codes if same else place[codes])

    @property
    def filled(self) -> bool:
        """Whether the column has a cell."""
        return bool(self._codes)

    @property
    def codes(self) -> npt.NDArray[Any]:
        """The code of each cell's label."""
        if len(self._codes) > 1:
            self._codes = [np.concatenate(self._codes)]
        return self._codes[0]

    def take(self, rows: Any) -> None:
        """Keep only these rows, in this order."""
        self._codes = [self.codes[rows]]

    def sort(self) -> None:
        """Number the labels in sorted order: as numbers where all are whole numbers, else as text."""
        labels = sorted(self.labels)
        if all(map(values.is_number, labels)):
            labels.sort(key=int)
        at = {x: i for i, x in enumerate(labels)}
        self._codes = [np.array([at[x] for x in self.labels], np.int64)[self.codes]]
        self.labels = at

    def numbers(self, read: Callable[[Any], int]) -> Codes:
        """An integer for each cell, read from its label; an error names the first row with the invalid label."""
        return each_label(read, list(self.labels), self.codes)


def each_label(read: Callable[[Any], int], labels: Sequence[Any], codes: npt.NDArray[Any]) -> Codes:
    """An integer for each row, read once from each label."""
    numbers = []
    for i, x in enumerate(labels):
        try:
            numbers.append(read(x))
        except InvalidInput as e:
            if not len(there := np.flatnonzero(codes == i)):
                numbers.append(-1)  # of rows that were left out
                continue
            raise RowError(int(there[0]), e) from None
    return np.array(numbers, np.int64)[codes]


def _ids(labels: list[Any], name: str, codes: npt.NDArray[Any]) -> list[str]:
    """The id in each label, as :func:`.values.id_of` reads it; plain text is passed on unchanged."""
    if all(type(x) is str for x in labels):
        text = "".join(labels)
        if text.isascii() and len(text.split(None, 1)) == 1 and text == text.strip() and "" not in labels:
            return labels
    out = []
    for i, x in enumerate(labels):
        try:
            out.append(values.id_of(x, name))
        except InvalidInput as e:
            raise RowError(int(np.flatnonzero(codes == i)[0]), e) from None
    return out


class Trials(NamedTuple):
    """The trials of one model in one task, grouped by question."""

    at: Codes  # the question of each trial
    ids: list[str]  # distinct ids, in order of appearance
    id: Codes  # the id of each trial, as an index
    level: Codes  # the code of each outcome; -1: missing


class Cells(NamedTuple):
    """The counts of one model in one task, by question and outcome."""

    questions: list[str]
    clusters: list[str | None]
    absent: Codes  # missing outcomes of each question
    at: Codes  # the question of each count
    level: Codes  # the code of its outcome
    times: Codes  # the number of trials
    trials: Trials | None = None
    answers: list[AnswerCounts] | None = None  # of each question
    costs: tuple[Codes, Codes, Any] | None = None  # of each trial: question, code of the outcome, cost


class Rows(NamedTuple):
    """Outcomes as columns: codes of labels, the code of each outcome (-1: missing), and how many trials have it.

    Without a column of trials every row is a trial; a trial "" has no id. A count that a log states (c and n) has one
    row for its failures and one for its successes.
    """

    labels: Mapping[str, Sequence[Any]]
    model: Codes
    task: Codes
    question: Codes
    level: Codes
    trial: Codes | None = None
    cluster: Codes | None = None
    answer: Codes | None = None
    times: Codes | None = None
    costs: npt.NDArray[Any] | None = None  # nan where none is stated
    copies: Codes | None = None  # 1: the id of the trial is unique, so that a second row with it is a copy
    stated: bool = False
    axes: Mapping[str, Codes] = {}  # columns such as metric or language, in which a question has one value

    def labels_of(self, name: str, rows: Any) -> list[Any]:
        """The labels of a column in these rows."""
        labels, codes = self.labels[name], self.axes[name] if name in self.axes else getattr(self, name)
        return [labels[i] for i in codes[rows].tolist()]

    def describe(self, row: int) -> str:
        """The trial, the question and the model of a row in words."""
        model, question = (shown(self.labels_of(name, [row])[0]) for name in ("model", "question"))
        trial = "" if self.trial is None else self.labels_of("trial", [row])[0]
        return (f"trial {shown(trial)} of " if trial else "") + f"question {question} of {model}"


class CountedTask(NamedTuple):
    """The counts of a model in a task, and the first of its rows."""

    model: str
    task: str
    row: int
    cells: Cells


def rows_of(
    columns: Mapping[str, Column], model: str, options: ReadOptions, category: Callable[[Any], int], task: str = ""
) -> Rows:
    """The rows of a table, of the requested tasks; model and task are for rows that name none."""
    if options.tasks:
        of = columns.get("task")
        kept = np.zeros(len(columns["question"].codes), bool)
        if of is not None:
            kept = np.array([wanted(options.tasks, x or None) for x in of.labels], bool)[of.codes]
        if not kept.all():
            for column in columns.values():
                column.take(kept)
    n = len(columns["question"].codes)
    labels: dict[str, Sequence[Any]] = {"model": [model], "task": [task]}
    labels |= {name: list(column.labels) for name, column in columns.items()}
    codes: dict[str, Any] = {name: x.codes.astype(np.int64) for name, x in columns.items() if name in IDS}
    codes = {name: np.zeros(n, np.int64) for name in ("model", "task")} | codes
    axes = {name: x.codes.astype(np.int64) for name, x in columns.items() if name not in OWN}
    if "c" not in columns:
        times = columns["rows"].numbers(int) if "rows" in columns else None
        return Rows(labels, level=columns["outcome"].numbers(category), times=times, axes=axes, **codes)
    if (options.C or 1) > 1:
        raise InvalidInput("conflict", "weights", "c and n count two categories, the weights are for more")
    pairs = {}  # c and n of a row are read together
    c, k = list(columns["c"].labels), list(columns["n"].labels)
    width = len(k)
    both = columns["c"].codes.astype(np.int64) * width + columns["n"].codes
    distinct, code = np.unique(both, return_inverse=True)
    for i, x in enumerate(distinct.tolist()):
        try:
            pairs[i] = values.failures_and_successes(c[x // width], k[x % width])
        except InvalidInput as e:
            raise RowError(int(np.flatnonzero(code == i)[0]), e) from None
    times = np.array(list(pairs.values()), np.int64).reshape(-1, 2)[code].ravel()
    twice, axes = ({name: np.repeat(x, 2) for name, x in of.items()} for of in (codes, axes))
    return Rows(labels, level=np.tile([0, 1], n), times=times, stated=True, axes=axes, **twice)


# --- counting -----------------------------------------------------------------------------------------


def ranked(keys: Codes, size: int) -> tuple[Codes, Codes]:
    """The first row of each group of equal keys (below size), in order of appearance, and the group of each row."""
    n = len(keys)
    if size > DENSE * n + 1024:
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        return first[order], number[group]
    met = np.full(size, n, np.int64)
    met[keys[::-1]] = np.arange(n - 1, -1, -1)  # written in reverse, so that the first row remains
    there = np.flatnonzero(met < n)
    there = there[np.argsort(met[there])]
    number = np.empty(size, np.int64)
    number[there] = np.arange(len(there))
    return met[there], number[keys]


def count(rows: Rows, keep: bool = False) -> tuple[list[CountedTask], int]:
    """The counts of each model and task, in order of appearance, and the number of rows that were copies.

    keep: whether to keep the trials too.
    """
    tasks = len(rows.labels["task"])
    first, pair = ranked(rows.model * tasks + rows.task, len(rows.labels["model"]) * tasks)
    names = list(zip(rows.labels_of("model", first), rows.labels_of("task", first), first.tolist(), strict=True))
    width = len(rows.labels["question"])
    start, cell = ranked(pair * width + rows.question, len(first) * width)
    if rows.cluster is not None and len(odd := np.flatnonzero(rows.cluster[start][cell] != rows.cluster)):
        raise _moved(rows, int(odd[0]), int(start[cell[odd[0]]]))
    for name, codes in rows.axes.items():
        if len(odd := np.flatnonzero(codes[start][cell] != codes)):
            both = rows.labels_of(name, [start[cell[odd[0]]], odd[0]])
            raise RowError(int(odd[0]), not_trials(name, rows.labels_of("question", odd[:1])[0], *both))
    copied = _copied(rows, cell, len(start))
    if len(copied):
        left = np.ones(len(cell), bool)
        left[copied] = False
        rows = _taken(rows, left)
        start, cell, pair = np.searchsorted(np.flatnonzero(left), start), cell[left], pair[left]
    counts = _counted(rows, cell, len(start))
    trials = _trials(rows, cell) if keep and not rows.stated else None
    answers = None if rows.answer is None else _answers(rows, cell, len(start))
    return list(_apart(rows, names, pair[start], start, cell, *counts, trials, answers)), len(copied)


def not_trials(name: str, question: Any, first: Any, x: Any) -> InvalidInput:
    """The error of rows that differ in the prompt, the metric or another axis: they are no trials of a question."""
    what = f"question {shown(question)} has two values of column {shown(name)}, {shown(first)} and {shown(x)}"
    advice = "rows that differ there are no trials of one question; filter them, or make it the benchmark"
    return InvalidInput("conflict", "columns", f"{what}: {advice}", f"columns:task={name}")


def _taken(rows: Rows, left: Any) -> Rows:
    """The rows that a mask keeps."""
    return rows._replace(**{x: y[left] for x, y in rows._asdict().items() if isinstance(y, np.ndarray)})


def _moved(rows: Rows, row: int, first: int) -> RowError:
    """The error of a question that is in two clusters."""
    question, model = (shown(rows.labels_of(name, [row])[0]) for name in ("question", "model"))
    here, before = (shown(x) for x in rows.labels_of("cluster", [row, first]))
    what = f"question {question} of {model} is in cluster {here} here, in {before} before"
    return RowError(row, InvalidInput("conflict", "cluster", what))


def _copied(rows: Rows, cell: Codes, cells: int) -> Codes:
    """The rows that copy an earlier trial; raises for a duplicate trial that is no copy."""
    if rows.trial is None:
        if not rows.stated:
            return np.empty(0, np.int64)
        rows = rows._replace(trial=np.zeros_like(cell), labels={**rows.labels, "trial": [""]})
    assert rows.trial is not None
    width = len(rows.labels["trial"])
    key, size = cell * width + rows.trial, cells * width
    if rows.stated:
        key, size = key * 2 + rows.level, size * 2
    named = np.array([x != "" or rows.stated for x in rows.labels["trial"]], bool)
    at = np.flatnonzero(named[rows.trial])
    key = key[at]
    if _all_distinct(key, size):
        return np.empty(0, np.int64)
    order = np.argsort(key, kind="stable")
    new = np.append(True, key[order][1:] != key[order][:-1])
    before = at[order[np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))]][~new]  # first row of its group
    again = at[order[~new]]
    copies = np.zeros(len(cell), np.int64) if rows.copies is None else rows.copies
    for these, what in (
        ((copies[again] & copies[before]) == 0, "duplicate {}: already in"),
        (rows.level[again] != rows.level[before], "{} has another outcome in"),
    ):
        if these.any():
            i = int(np.argmin(np.where(these, again, len(cell))))
            row = int(again[i])
            raise RowError(row, InvalidInput("duplicate", "path", what.format(rows.describe(row))), int(before[i]))
    return again


def _all_distinct(key: Codes, size: int) -> bool:
    n = len(key)
    if size > DENSE * n + 1024:
        key = np.sort(key)
        return bool((key[1:] != key[:-1]).all())
    met = np.zeros(size, bool)
    met[key] = True
    return int(np.count_nonzero(met)) == n


def _summed(key: Codes, size: int, times: Codes | None) -> tuple[Codes, Codes]:
    """The distinct keys below size, sorted, and the number of times that each occurs."""
    if times is None and size <= DENSE * len(key) + 1024:
        sums = np.bincount(key, minlength=size)
        there = np.flatnonzero(sums)
        return there, sums[there]
    there, group = np.unique(key, return_inverse=True)
    sums = np.zeros(len(there), np.int64)
    np.add.at(sums, group, 1 if times is None else times)
    return there, sums


def _counted(rows: Rows, cell: Codes, cells: int) -> tuple[Codes, Codes, Codes]:
    """The cell, the code of the outcome and the number of trials, for each outcome that a cell has."""
    width = int(rows.level.max(initial=0)) + 2
    there, times = _summed(cell * width + rows.level + 1, cells * width, rows.times)
    return there // width, there % width - 1, times


def _trials(rows: Rows, cell: Codes) -> tuple[Codes, Codes, Codes]:
    """The cell, the id and the code of the outcome of each trial, sorted by cell."""
    order = np.argsort(cell, kind="stable")
    if rows.times is not None:
        order = np.repeat(order, rows.times[order])
    trial = np.zeros(len(order), np.int64) if rows.trial is None else rows.trial[order]
    return cell[order], trial, rows.level[order]


def _answers(rows: Rows, cell: Codes, cells: int) -> list[AnswerCounts]:
    """The number of failures and of successes of each answer in each cell."""
    answers: list[AnswerCounts] = [Counter() for _ in range(cells)]
    labels = rows.labels["answer"]
    assert rows.answer is not None  # checked by the caller
    here = rows.level >= 0
    key = (cell[here] * len(labels) + rows.answer[here]) * 2 + rows.level[here]
    there, times = _summed(key, 2 * cells * len(labels), None if rows.times is None else rows.times[here])
    for x, n in zip(there.tolist(), times.tolist(), strict=True):
        answers[x // 2 // len(labels)][labels[x // 2 % len(labels)], x % 2] = n
    return answers


def _apart(
    rows: Rows, pairs: list[tuple[str, str, int]], of: Codes, start: Codes, every: Codes, cell: Codes, level: Codes,
    times: Codes,    trials: tuple[Codes, Codes, Codes] | None, answers: list[AnswerCounts] | None,
) -> Any:  # fmt: skip
    """Counts split by model and task; of: the pair of each cell, every: the cell of each row, both in order."""
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(pairs) + 1))
    inside = np.empty_like(order)
    inside[order] = np.arange(len(order)) - starts[of[order]]
    questions = rows.labels_of("question", start[order])
    clusters = [None] * len(order) if rows.cluster is None else rows.labels_of("cluster", start[order])
    by = np.argsort(of[cell], kind="stable")
    ends = np.searchsorted(of[cell][by], np.arange(len(pairs) + 1))
    names = rows.labels["trial"] if rows.trial is not None else [""]
    for p, pair in enumerate(pairs):
        here, lo, hi = by[ends[p] : ends[p + 1]], int(starts[p]), int(starts[p + 1])
        at, number, often = inside[cell[here]], level[here], times[here]
        absent = np.zeros(hi - lo, np.int64)
        absent[at[number < 0]] = often[number < 0]
        kept = number >= 0
        own_trials = None if trials is None else _own(of == p, inside, *trials, names)
        own_answers = None if answers is None else [answers[i] for i in order[lo:hi].tolist()]
        costs = None
        if rows.costs is not None:
            mine = of[every] == p
            costs = inside[every[mine]], rows.level[mine], rows.costs[mine]
        cells = Cells(
            questions[lo:hi],
            clusters[lo:hi],
            absent,
            at[kept],
            number[kept],
            often[kept],
            own_trials,
            own_answers,
            costs,
        )
        yield CountedTask(*pair, cells)


def _own(mine: Any, inside: Codes, cell: Codes, ids: Codes, level: Codes, names: Sequence[str]) -> Trials:
    """The trials of one model in one task, with its questions numbered from 0."""
    rows = np.flatnonzero(mine[cell])
    rows = rows[np.argsort(inside[cell[rows]], kind="stable")]
    first, own = ranked(ids[rows], len(names))
    return Trials(inside[cell[rows]], [names[i] for i in ids[rows][first].tolist()], own, level[rows])
