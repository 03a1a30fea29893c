"""Outcomes as columns of codes, from any reader, counted by model, task and question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput, shown
from . import values
from .options import ReadOptions, wanted

Codes = npt.NDArray[Any]  # integers, in the smallest type that holds them
AnswerCounts = Counter[tuple[str | None, int]]  # trials by answer and category
AT_ONCE = 1 << 16  # rows whose keys are computed at once: few enough for the cache of the processor
DENSE = 8  # entries of a table per row, up to which groups are found by a table rather than by sorting
IDS = ("model", "task", "question", "trial", "cluster")
RESERVED = (*IDS, "outcome", "c", "n", "rows", "named", "cost")  # columns with a meaning; all others are axes


class RowError(Exception):
    """An error about a row, and about the earlier row that it contradicts; the caller knows the locations of rows."""

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
        place = narrow([at.setdefault(x, len(at)) for x in labels])
        same = not known and len(at) == len(labels)  # then the codes stay as they are
        self._codes.append(codes.astype(place.dtype) if same else place[codes])

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
        self._codes = [narrow([at[x] for x in self.labels])[self.codes]]
        self.labels = at

    def numbers(self, read: Callable[[Any], int]) -> Codes:
        """An integer for each cell, read from its label; an error names the first row with the invalid label."""
        return each_label(read, list(self.labels), self.codes)


def narrow(numbers: Sequence[int]) -> Codes:
    """Integers in the smallest type that holds them, and the largest of them plus 1."""
    wide = np.array(numbers, np.int64)
    most = int(np.abs(wide).max(initial=0))
    return wide.astype(next(x for x in (np.int8, np.int16, np.int32, np.int64) if most < np.iinfo(x).max))


def each_label(read: Callable[[Any], int], labels: Sequence[Any], codes: npt.NDArray[Any]) -> Codes:
    """An integer for each row, read once from each label."""
    numbers = []
    for i, x in enumerate(labels):
        try:
            numbers.append(read(x))
        except InvalidInput as e:
            if not len(rows := np.flatnonzero(codes == i)):
                numbers.append(-1)  # the label occurs only in rows that were left out
                continue
            raise RowError(int(rows[0]), e) from None
    return narrow(numbers)[codes]


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
    """The rows of a table, of the requested tasks; model and task are defaults for rows without them."""
    if options.tasks:
        tasks = columns.get("task")
        requested = np.zeros(len(columns["question"].codes), bool)
        if tasks is not None:
            requested = np.array([wanted(options.tasks, x or None) for x in tasks.labels], bool)[tasks.codes]
        if not requested.all():
            for column in columns.values():
                column.take(requested)
    n = len(columns["question"].codes)
    labels: dict[str, Sequence[Any]] = {"model": [model], "task": [task]}
    labels |= {name: list(column.labels) for name, column in columns.items()}
    codes: dict[str, Any] = {name: np.zeros(n, np.int8) for name in ("model", "task")}
    codes |= {name: x.codes for name, x in columns.items() if name in IDS}
    axes = {name: x.codes for name, x in columns.items() if name not in RESERVED}
    if "c" not in columns:
        times = columns["rows"].numbers(int) if "rows" in columns else None
        return Rows(labels, level=columns["outcome"].numbers(category), times=times, axes=axes, **codes)
    if (options.C or 1) > 1:
        raise InvalidInput("conflict", "w", "c and n count two categories, w has scores for more")
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
    doubled, axes = ({name: np.repeat(x, 2) for name, x in part.items()} for part in (codes, axes))
    return Rows(labels, level=np.tile([0, 1], n), times=times, stated=True, axes=axes, **doubled)


# --- counting -----------------------------------------------------------------------------------------


class Keys:
    """Keys of rows, below size; two rows have the same key where their codes are equal in all columns."""

    def __init__(self, *columns: tuple[Codes, int]) -> None:
        """Take columns of codes, each with a number above all its codes."""
        (self.first, self.size), *self.others = columns
        for _, width in self.others:
            self.size *= width

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.first)

    @property
    def dense(self) -> bool:
        """Whether a table with an entry for each possible key is small enough."""
        return self.size <= DENSE * len(self) + 1024

    def of(self, rows: Any = slice(None)) -> Codes:
        """The keys of these rows."""
        key = self.first[rows].astype(np.int64)
        for codes, width in self.others:
            key *= width
            key += codes[rows]
        return key


def _blocks(n: int, size: int = AT_ONCE) -> Iterator[slice]:
    return (slice(i, min(i + size, n)) for i in range(0, n, size))


def grouped_rows(keys: Keys) -> tuple[Codes, Codes]:
    """The first row of each group of equal keys, in order of appearance, and the group of each row."""
    if not keys.dense:
        _, first, group = np.unique(keys.of(), return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        return first[order], number[group]
    kind = np.int32 if keys.size <= np.iinfo(np.int32).max else np.int64
    number, groups, firsts = np.full(keys.size, -1, kind), np.empty(len(keys), kind), [np.empty(0, np.int64)]
    size = 0
    for rows in _blocks(len(keys)):
        key = keys.of(rows)
        new = np.flatnonzero(number[key] < 0)
        number[key[new[::-1]]] = new[::-1]  # written in reverse, so that the first row remains
        new = new[number[key[new]] == new]
        number[key[new]] = np.arange(size, size + len(new))
        size += len(new)
        firsts.append(rows.start + new)
        groups[rows] = number[key]
    return np.concatenate(firsts), groups


def count(rows: Rows, keep: bool = False) -> tuple[list[CountedTask], int]:
    """The counts of each model and task, in order of appearance, and the number of rows that were copies.

    keep: whether to keep the trials too.
    """
    models, tasks, width = (len(rows.labels[name]) for name in ("model", "task", "question"))
    pair = rows.model
    if tasks > 1:
        first, pair = grouped_rows(Keys((pair, models), (rows.task, tasks)))
        models = len(first)
    start, cell = grouped_rows(Keys((pair, models), (rows.question, width)))
    first, of = grouped_rows(Keys((pair[start], models)))
    first = start[first]
    names = list(zip(rows.labels_of("model", first), rows.labels_of("task", first), first.tolist(), strict=True))
    if rows.cluster is not None and (odd := _first_difference(rows.cluster, start, cell)) is not None:
        raise _two_clusters(rows, odd, int(start[cell[odd]]))
    for name, codes in rows.axes.items():
        if (odd := _first_difference(codes, start, cell)) is not None:
            both = rows.labels_of(name, [start[cell[odd]], odd])
            raise RowError(odd, not_trials(name, rows.labels_of("question", [odd])[0], *both))
    copies = _copies(rows, cell, len(start))
    if len(copies):
        remaining = np.ones(len(cell), bool)
        remaining[copies] = False
        rows = _masked(rows, remaining)
        start, cell = np.searchsorted(np.flatnonzero(remaining), start), cell[remaining]
    counts = _counted(rows, cell, len(start))
    trials = _trials(rows, cell) if keep and not rows.stated else None
    answers = None if rows.answer is None else _answers(rows, cell, len(start))
    return list(_by_model_and_task(rows, names, of, start, cell, *counts, trials, answers)), len(copies)


def _first_difference(codes: Codes, start: Codes, cell: Codes) -> int | None:
    """The first row whose code differs from that of the first row of its cell."""
    own = codes[start]
    odd = (at.start + np.flatnonzero(own[cell[at]] != codes[at]) for at in _blocks(len(cell)))
    return next((int(rows[0]) for rows in odd if len(rows)), None)


def not_trials(name: str, question: Any, first: Any, x: Any) -> InvalidInput:
    """The error of rows that differ in the prompt, the metric or another axis: they are not trials of one question."""
    what = f"question {shown(question)} has two values of column {shown(name)}, {shown(first)} and {shown(x)}"
    advice = "rows that differ in it are not trials of one question; filter them, or make it the benchmark"
    return InvalidInput("conflict", "columns", f"{what}: {advice}", f"columns:task={name}")


def _masked(rows: Rows, mask: Any) -> Rows:
    """The rows where a mask is true."""
    return rows._replace(**{x: y[mask] for x, y in rows._asdict().items() if isinstance(y, np.ndarray)})


def _two_clusters(rows: Rows, row: int, first: int) -> RowError:
    """The error of a question that is in two clusters."""
    question, model = (shown(rows.labels_of(name, [row])[0]) for name in ("question", "model"))
    here, before = (shown(x) for x in rows.labels_of("cluster", [row, first]))
    what = f"question {question} of {model} is in cluster {here} here, in {before} before"
    return RowError(row, InvalidInput("conflict", "cluster", what))


def _copies(rows: Rows, cell: Codes, cells: int) -> Codes:
    """The rows that copy an earlier trial; raises for a duplicate trial that is not a copy."""
    if rows.trial is None:
        if not rows.stated:
            return np.empty(0, np.int64)
        rows = rows._replace(trial=np.zeros_like(cell), labels={**rows.labels, "trial": [""]})
    assert rows.trial is not None
    levels = [(rows.level, 2)] if rows.stated else []
    keys = Keys((cell, cells), (rows.trial, len(rows.labels["trial"])), *levels)
    named = np.array([x != "" or rows.stated for x in rows.labels["trial"]], bool)
    if _all_distinct(keys, rows.trial, named):
        return np.empty(0, np.int64)
    at = np.flatnonzero(named[rows.trial])
    key = keys.of(at)
    order = np.argsort(key, kind="stable")
    new = np.append(True, key[order][1:] != key[order][:-1])
    before = at[order[np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))]][~new]  # first row of its group
    repeated = at[order[~new]]
    copies = np.zeros(len(cell), np.int64) if rows.copies is None else rows.copies
    for these, what in (
        ((copies[repeated] & copies[before]) == 0, "duplicate {}: already in"),
        (rows.level[repeated] != rows.level[before], "{} has another outcome in"),
    ):
        if these.any():
            i = int(np.argmin(np.where(these, repeated, len(cell))))
            row = int(repeated[i])
            raise RowError(row, InvalidInput("duplicate", "path", what.format(rows.describe(row))), int(before[i]))
    return repeated


def _all_distinct(keys: Keys, codes: Codes, named: npt.NDArray[np.bool_]) -> bool:
    """Whether no key occurs twice among the rows whose code is named."""
    if not keys.dense:
        key = np.sort(keys.of()[named[codes]])
        return bool((key[1:] != key[:-1]).all())
    used, n = np.zeros(keys.size, bool), 0
    for rows in _blocks(len(keys)):
        key = keys.of(rows) if named.all() else keys.of(rows)[named[codes[rows]]]
        used[key] = True
        n += len(key)
    return int(np.count_nonzero(used)) == n


def _summed(keys: Keys, times: Codes | None) -> tuple[Codes, Codes]:
    """The distinct keys, sorted, and the number of times that each occurs."""
    if times is None and keys.dense:
        sums = np.zeros(keys.size, np.int64)
        for rows in _blocks(len(keys), max(AT_ONCE, keys.size)):
            sums += np.bincount(keys.of(rows), minlength=keys.size)
        distinct = np.flatnonzero(sums)
        return distinct, sums[distinct]
    distinct, group = np.unique(keys.of(), return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, group, 1 if times is None else times)
    return distinct, sums


def _counted(rows: Rows, cell: Codes, cells: int) -> tuple[Codes, Codes, Codes]:
    """The cell, the code of the outcome and the number of trials, for each outcome that a cell has."""
    width = int(rows.level.max(initial=0)) + 2
    keys, times = _summed(Keys((cell, cells), (rows.level + 1, width)), rows.times)
    return keys // width, keys % width - 1, times


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
    keys = Keys((cell[here], cells), (rows.answer[here], len(labels)), (rows.level[here], 2))
    distinct, times = _summed(keys, None if rows.times is None else rows.times[here])
    for x, n in zip(distinct.tolist(), times.tolist(), strict=True):
        answers[x // 2 // len(labels)][labels[x // 2 % len(labels)], x % 2] = n
    return answers


def _by_model_and_task(
    rows: Rows, pairs: list[tuple[str, str, int]], of: Codes, start: Codes, every: Codes, cell: Codes, level: Codes,
    times: Codes, trials: tuple[Codes, Codes, Codes] | None, answers: list[AnswerCounts] | None,
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
        own_trials = None if trials is None else _trials_of(of == p, inside, *trials, names)
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


def _trials_of(mine: Any, inside: Codes, cell: Codes, ids: Codes, level: Codes, names: Sequence[str]) -> Trials:
    """The trials of one model in one task, with its questions numbered from 0."""
    rows = np.flatnonzero(mine[cell])
    rows = rows[np.argsort(inside[cell[rows]], kind="stable")]
    first, own = grouped_rows(Keys((ids[rows], len(names))))
    return Trials(inside[cell[rows]], [names[i] for i in ids[rows][first].tolist()], own, level[rows])
