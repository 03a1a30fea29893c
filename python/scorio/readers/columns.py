"""Outcomes as columns of codes (indices of distinct labels), from any reader; :mod:`.counting` counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput, shown
from . import values
from .options import ReadOptions, is_requested

Codes = npt.NDArray[Any]  # integers of any type; readers of tables use the smallest that can represent them
IDS = ("model", "task", "question", "trial", "cluster")
REST = "rest:"  # before the name of a field that no column reads, among the columns of rows
MOST_LEVELS = 256  # distinct values of such a field, above which it is an id, a text or a measurement


class RowError(Exception):
    """An error about a row, and the earlier row that it contradicts, if any; the caller knows the locations of rows."""

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
        """Append cells, given as their distinct labels and the index of each cell's label.

        Ids that differ only in the spaces around them get one label.
        """
        if self.name in IDS:
            labels = _ids(labels, self.name, codes)
        code_of, n_before = self.labels, len(self.labels)
        new_codes = narrow([code_of.setdefault(x, len(code_of)) for x in labels])
        is_unchanged = not n_before and len(code_of) == len(labels)
        self._codes.append(codes.astype(new_codes.dtype) if is_unchanged else new_codes[codes])

    @property
    def filled(self) -> bool:
        """Whether cells were added, even an empty chunk of them."""
        return bool(self._codes)

    @property
    def may_be_factor(self) -> bool:
        """Whether a field that is not read has so few values that it may be a factor."""
        return self.filled and len(self.labels) <= MOST_LEVELS

    @property
    def codes(self) -> npt.NDArray[Any]:
        """The code of each cell's label."""
        if len(self._codes) > 1:
            self._codes = [np.concatenate(self._codes)]
        return self._codes[0]

    def cells(self, rows: Any = slice(None)) -> list[Any]:
        """The labels of these rows."""
        labels = list(self.labels)
        return [labels[i] for i in self.codes[rows].tolist()]

    def take(self, rows: Any) -> None:
        """Keep only these rows, in this order."""
        self._codes = [self.codes[rows]]

    def sort(self) -> None:
        """Renumber the labels in sorted order: as numbers where all are whole numbers, else as text."""
        labels = sorted(self.labels)
        if all(map(values.is_number, labels)):
            labels.sort(key=int)
        code_of = {x: i for i, x in enumerate(labels)}
        self._codes = [narrow([code_of[x] for x in self.labels])[self.codes]]
        self.labels = code_of

    def numbers(self, read: Callable[[Any], int]) -> Codes:
        """An integer for each cell, read from its label; an error names the first row with the invalid label."""
        return read_labels(read, list(self.labels), self.codes)


def narrow(numbers: Sequence[int]) -> Codes:
    """Integers in the smallest type that can also represent the largest of them plus 1, which counting needs."""
    wide = np.array(numbers, np.int64)
    return wide.astype(integer_type(int(np.abs(wide).max(initial=0))))


def integer_type(largest: int) -> type[np.signedinteger[Any]]:
    """The smallest type of integers that can represent 1 more than the largest."""
    return next(x for x in (np.int8, np.int16, np.int32, np.int64) if largest < np.iinfo(x).max)


def read_labels(read: Callable[[Any], int], labels: Sequence[Any], codes: npt.NDArray[Any]) -> Codes:
    """An integer for each row: what `read` returns for its label, called once for each label."""
    numbers = []
    for i, x in enumerate(labels):
        try:
            numbers.append(read(x))
        except InvalidInput as e:
            if not len(rows := np.flatnonzero(codes == i)):
                numbers.append(-1)  # the label occurs only in rows that are not read
                continue
            raise RowError(int(rows[0]), e) from None
    return narrow(numbers)[codes]


def _ids(labels: list[Any], name: str, codes: npt.NDArray[Any]) -> list[str]:
    """The id in each label, as :func:`.values.id_of` reads it; ASCII labels without spaces are returned as they are."""
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


class Rows(NamedTuple):
    """Outcomes as columns: codes of labels, the code of each outcome (-1: missing), and its number of trials (times).

    Without a column of trials every row is a further trial, as is a row with the trial id "". A success count that the
    log states (c and n) has one row for its failures and one for its successes.
    """

    labels: Mapping[str, Sequence[Any]]
    model: Codes
    task: Codes
    question: Codes
    outcome: Codes
    trial: Codes | None = None
    run: Codes | None = None  # what tells runs apart, beside ids of trials
    cluster: Codes | None = None
    answer: Codes | None = None
    times: Codes | None = None  # None: each row is one trial
    costs: npt.NDArray[Any] | None = None  # nan where none is stated
    unique: Codes | None = None  # 1: the trial id is unique in the log, so that a second row with it is a copy
    has_counts: bool = False  # whether the log states c and n
    axes: Mapping[str, Codes] = {}  # fields that no column reads, by their names after REST, see check
    stated: Mapping[str, str] = {}  # the columns of the file that are read under other names
    rows_are: str = ""  # "question" or "model", where the file is a wide table
    by_code: bool = False  # whether models, tasks and questions are in the order of their codes, not of appearance
    by_position: bool = False  # whether ids of trials may be positions in the log of a tool
    runs_in_ids: bool = False  # whether ids of trials begin with that of their run and "/"
    run_fields: tuple[str, ...] = ()  # fields of runs by their usual names, not the caller's: see counting
    trial_field: str = "trial"  # the name of ids of trials in messages

    def labels_of(self, name: str, rows: Any) -> list[Any]:
        """The labels of a column in these rows."""
        labels, codes = self.labels[name], self.axes[name] if name in self.axes else getattr(self, name)
        return [labels[i] for i in codes[rows].tolist()]

    def describe(self, row: int) -> str:
        """The trial, the question and the model of a row in words."""
        model, question = (shown(self.labels_of(name, [row])[0]) for name in ("model", "question"))
        trial = "" if self.trial is None else self.labels_of("trial", [row])[0]
        return (f"{self.trial_field} {shown(trial)} of " if trial else "") + f"question {question} of {model}"


def rows_of(
    columns: Mapping[str, Column], model: str, options: ReadOptions, outcome_code: Callable[[Any], int], task: str = ""
) -> Rows:
    """The rows of the requested tasks in a table; the rows of other tasks are removed from its columns.

    model, task : names for a table without a column model or task.
    outcome_code : the code of the outcome in a cell, or -1 where it is missing.
    """
    if options.tasks:
        tasks = columns.get("task")
        requested = np.zeros(len(columns["question"].codes), bool)
        if tasks is not None:
            requested = np.array([is_requested(options.tasks, x or None) for x in tasks.labels], bool)[tasks.codes]
        if not requested.all():
            for column in columns.values():
                column.take(requested)
    n = len(columns["question"].codes)
    labels: dict[str, Sequence[Any]] = {"model": [model], "task": [task]}
    labels |= {name: list(column.labels) for name, column in columns.items()}
    codes: dict[str, Any] = {name: np.zeros(n, np.int8) for name in ("model", "task")}
    codes |= {name: x.codes for name, x in columns.items() if name in IDS or name == "run"}
    axes = {name: x.codes for name, x in columns.items() if name.startswith(REST)}
    if "c" not in columns:
        outcomes = columns["outcome"].numbers(outcome_code)
        return Rows(labels, outcome=outcomes, axes=axes, stated=options.columns or {}, **codes)
    if (options.C or 1) > 1:
        raise InvalidInput("conflict", "w", "c and n count two categories, w has scores for more")
    c_labels, n_labels = list(columns["c"].labels), list(columns["n"].labels)
    pair_codes = columns["c"].codes.astype(np.int64) * len(n_labels) + columns["n"].codes
    distinct, code = np.unique(pair_codes, return_inverse=True)
    pairs = {}  # failures and successes of each distinct pair of c and n
    for i, pair_code in enumerate(distinct.tolist()):
        c_code, n_code = divmod(pair_code, len(n_labels))
        try:
            pairs[i] = values.failures_and_successes(c_labels[c_code], n_labels[n_code])
        except InvalidInput as e:
            raise RowError(int(np.flatnonzero(code == i)[0]), e) from None
    times = np.array(list(pairs.values()), np.int64).reshape(-1, 2)[code].ravel()
    doubled_codes: dict[str, Any] = {name: np.repeat(x, 2) for name, x in codes.items()}
    axes = {name: np.repeat(x, 2) for name, x in axes.items()}
    stated = options.columns or {}
    return Rows(
        labels, outcome=np.tile([0, 1], n), times=times, has_counts=True, axes=axes, stated=stated, **doubled_codes
    )


# --- groups of rows with equal codes ---


BLOCK_ROWS = 1 << 16  # rows whose keys are computed at once: few enough for the cache of the processor
MAX_ENTRIES = 8  # possible keys for each row, up to about which a table of all keys finds groups faster than sorting


class Keys:
    """Integer keys of rows, from 0 to size - 1; rows have the same key if all their codes are equal, and only then."""

    def __init__(self, *columns: tuple[Codes, int]) -> None:
        """Combine columns of codes, each given with a number that exceeds its codes."""
        (self.first, self.size), *self.others = columns
        for _, width in self.others:
            self.size *= width

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.first)

    @property
    def fits_table(self) -> bool:
        """Whether a table of all possible keys is small: at most MAX_ENTRIES entries for each row, and 1,024 more."""
        return self.size <= MAX_ENTRIES * len(self) + 1024

    def values(self, rows: Any = slice(None)) -> Codes:
        """The keys of these rows."""
        key = self.first[rows].astype(np.int64)
        for codes, width in self.others:
            key *= width
            key += codes[rows]
        return key


def blocks(n: int, size: int = BLOCK_ROWS) -> Iterator[slice]:
    return (slice(i, min(i + size, n)) for i in range(0, n, size))


def grouped_rows(keys: Keys, by_code: bool = False) -> tuple[Codes, Codes]:
    """The first row of each group of equal keys, and the group of each row; groups are in order of appearance.

    by_code : whether they are in the order of their keys instead.
    """
    if not keys.fits_table:
        _, first, group = np.unique(keys.values(), return_index=True, return_inverse=True)
        return (first, group) if by_code else _renumbered(first, group, first)
    kind = np.int32 if keys.size <= np.iinfo(np.int32).max else np.int64
    group_of_key: Codes = np.full(keys.size, -1, kind)
    group, firsts = np.empty(len(keys), kind), [np.empty(0, np.int64)]
    n_groups = 0
    for rows in blocks(len(keys)):
        key = keys.values(rows)
        new = np.flatnonzero(group_of_key[key] < 0)
        group_of_key[key[new[::-1]]] = new[::-1]  # written in reverse, so that the first row of each key remains
        new = new[group_of_key[key[new]] == new]
        group_of_key[key[new]] = np.arange(n_groups, n_groups + len(new))
        n_groups += len(new)
        firsts.append(rows.start + new)
        group[rows] = group_of_key[key]
    first = np.concatenate(firsts)
    return _renumbered(first, group, keys.values(first)) if by_code else (first, group)


def _renumbered(first: Codes, group: Codes, by: Codes) -> tuple[Codes, Codes]:
    """The groups in ascending order of a number of each; `group` is overwritten."""
    order = np.argsort(by)
    number = np.empty(len(order), group.dtype)
    number[order] = np.arange(len(order))
    for rows in blocks(len(group)):
        group[rows] = number[group[rows]]
    return first[order], group


def summed(keys: Keys, times: Codes | None) -> tuple[Codes, Codes]:
    """The distinct keys, sorted, and the number of trials of each: the sum of its times, or its number of rows."""
    if times is None and keys.fits_table:
        sums = np.zeros(keys.size, np.int64)
        for rows in blocks(len(keys), max(BLOCK_ROWS, keys.size)):
            sums += np.bincount(keys.values(rows), minlength=keys.size)
        distinct = np.flatnonzero(sums)
        return distinct, sums[distinct]
    distinct, group = np.unique(keys.values(), return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, group, 1 if times is None else times)
    return distinct, sums
