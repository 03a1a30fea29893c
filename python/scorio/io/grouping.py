"""Columns of codes, as an engine leaves them, counted by question: what :mod:`.accumulator` does a row at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from . import values
from .accumulator import Cells, Gather, Trials
from .choices import wanted

Codes = npt.NDArray[np.int64]
DENSE = 8  # entries of a table for each row, up to which groups are looked up rather than sorted


class Irregular(Exception):
    """What only the careful reader can read, or refuse where it stands."""


class Column:
    """The cells of a column as numbers of distinct labels."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.labels: dict[Any, int] = {}
        self._codes: list[npt.NDArray[Any]] = []

    def add(self, labels: list[Any], codes: npt.NDArray[Any]) -> None:
        """More cells; ids that are one but for the spaces around them are one."""
        if self.name in ("model", "task", "question", "trial", "cluster"):
            labels = _ids(labels, self.name)
        at, known = self.labels, len(self.labels)
        place = np.array([at.setdefault(x, len(at)) for x in labels], np.int32)
        same = not known and len(at) == len(labels)  # then they are numbered as they were
        self._codes.append(codes if same else place[codes])

    @property
    def filled(self) -> bool:
        """Whether there is a cell in it."""
        return bool(self._codes)

    @property
    def codes(self) -> npt.NDArray[Any]:
        """Of all cells."""
        if len(self._codes) > 1:
            self._codes = [np.concatenate(self._codes)]
        return self._codes[0]

    def keep(self, rows: npt.NDArray[np.bool_]) -> None:
        """Only these rows."""
        self._codes = [self.codes[rows]]


def _ids(labels: list[Any], name: str) -> list[str]:
    """As :func:`.values.id_of` of each, most of which need nothing done."""
    if not all(type(x) is str for x in labels):
        return [values.id_of(x, name) for x in labels]
    text = "".join(labels)
    if text.isascii() and len(text.split(None, 1)) == 1 and text == text.strip() and "" not in labels:
        return labels
    return [values.id_of(x, name) for x in labels]


def ranked(keys: Codes, size: int) -> tuple[Codes, Codes]:
    """Groups of equal keys below size, in the order in which they are met: the first row of each; that of each row."""
    n = len(keys)
    if size > DENSE * n + 1024:
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        return first[order], number[group]
    met = np.full(size, n, np.int64)
    met[keys[::-1]] = np.arange(n - 1, -1, -1)  # the last that is written is the first row
    there = np.flatnonzero(met < n)
    there = there[np.argsort(met[there])]
    number = np.empty(size, np.int64)
    number[there] = np.arange(len(there))
    return met[there], number[keys]


class _Groups(NamedTuple):
    """The rows of a table by model and task, and by question of these."""

    n: int
    pair: Codes  # of each cell
    first: Codes  # row of each cell
    cell: Codes  # of each row
    names: list[tuple[Any, str]]  # of each pair


def count(columns: Mapping[str, Column], model: str, gather: Gather) -> dict[tuple[str, str], Cells]:
    """The cells of each model and task, in the order in which they are met; model is of rows that do not say theirs."""
    try:
        _only_asked(columns, gather)
        groups = _groups(columns, model)
        clusters = _clusters(columns, groups)
        found = _stated(columns, groups, gather) if "c" in columns else _counted(columns, groups, gather)
    except InvalidInput:
        raise Irregular from None
    trials = _kept(columns, groups, gather) if gather.options.trials and "c" not in columns else None
    return dict(_apart(columns, groups, clusters, *found, trials))


def _only_asked(columns: Mapping[str, Column], gather: Gather) -> None:
    """Leave out the rows of tasks that were not asked for."""
    if gather.options.tasks:
        if "task" not in columns:
            raise Irregular
        task = columns["task"]
        asked = np.array([wanted(gather.options.tasks, x) for x in task.labels], bool)
        rows = asked[task.codes]
        for column in columns.values():
            column.keep(rows)
        gather.passed_by |= {x: None for x, kept in zip(task.labels, asked, strict=True) if not kept}
    if not len(columns["question"].codes):
        raise Irregular


def _groups(columns: Mapping[str, Column], model: str) -> _Groups:
    question = columns["question"]
    n, key = len(question.codes), np.zeros(len(question.codes), np.int64)
    size = 1
    for name in ("model", "task"):
        if name in columns:
            width = len(columns[name].labels)
            key, size = key * width + columns[name].codes, size * width
    first, pair = ranked(key, size)
    of = [_said(columns, name, first) for name in ("model", "task")]
    names = list(zip(of[0] or [values.id_of(model, "model")] * len(first), of[1] or [""] * len(first), strict=True))
    width = len(question.labels)
    row, cell = ranked(pair * width + question.codes, len(first) * width)
    return _Groups(n, pair[row], row, cell, names)


def _said(columns: Mapping[str, Column], name: str, rows: Codes) -> list[Any]:
    """The labels of a column in these rows; nothing where there is no such column."""
    if name not in columns:
        return []
    labels = list(columns[name].labels)
    return [labels[i] for i in columns[name].codes[rows].tolist()]


def _clusters(columns: Mapping[str, Column], groups: _Groups) -> list[Any]:
    """The cluster of each cell, which is the same in all of its rows."""
    if "cluster" in columns:
        codes = columns["cluster"].codes
        if (codes[groups.first][groups.cell] != codes).any():
            raise Irregular
    return _said(columns, "cluster", groups.first)


def _counted(columns: Mapping[str, Column], groups: _Groups, gather: Gather) -> tuple[Codes, Codes, Codes]:
    """Cells, the numbers that outcomes are counted under (-1: missing), and how often each is there."""
    if "trial" in columns:
        _once(columns["trial"], groups)
    outcome = columns["outcome"]
    level = np.array([gather.category(x) for x in outcome.labels], np.int64)
    kinds, kind = np.unique(level, return_inverse=True)
    width, cells = len(kinds), len(groups.first)
    key = groups.cell * width + kind[outcome.codes]
    if cells * width <= DENSE * groups.n + 1024:
        times = np.bincount(key, minlength=cells * width)
        there = np.flatnonzero(times)
        times = times[there]
    else:
        there, times = np.unique(key, return_counts=True)
    return there // width, kinds[there % width], times


def _once(trial: Column, groups: _Groups) -> None:
    """No trial of a question stands twice."""
    width = len(trial.labels)
    key, size = groups.cell * width + trial.codes, len(groups.first) * width
    if size <= DENSE * groups.n + 1024:
        met = np.zeros(size, bool)
        met[key] = True
        distinct = int(np.count_nonzero(met))
    else:
        key.sort()
        distinct = 1 + int(np.count_nonzero(key[1:] != key[:-1]))
    if distinct < groups.n:
        raise Irregular


def _stated(columns: Mapping[str, Column], groups: _Groups, gather: Gather) -> tuple[Codes, Codes, Codes]:
    """Successes and failures that a table states."""
    if len(groups.first) < groups.n or (gather.options.C or 1) > 1:
        raise Irregular
    c, n = (
        np.array([-1 if (v := values.count(x, name)) is None else v for x in columns[name].labels], np.int64)[
            columns[name].codes
        ]
        for name in ("c", "n")
    )
    if (c < 0).any() or (n < 0).any() or (c > n).any():
        raise Irregular
    if gather.options.C is None:
        gather.level = {0.0: 0, 1.0: 1}
    cells = np.arange(groups.n)
    return np.repeat(cells, 2), np.tile([0, 1], groups.n), np.column_stack([n - c, c]).ravel()


def _kept(columns: Mapping[str, Column], groups: _Groups, gather: Gather) -> tuple[Codes, Codes, Codes, list[str]]:
    """The trials in their order, those of a cell together: cells, ids, numbers; and the names of ids."""
    order = np.argsort(groups.cell, kind="stable")
    outcome = columns["outcome"]
    level = np.array([gather.category(x) for x in outcome.labels], np.int64)[outcome.codes[order]]
    if "trial" in columns:
        trial = columns["trial"]
        return groups.cell[order], trial.codes[order].astype(np.int64), level, list(trial.labels)
    return groups.cell[order], np.zeros(groups.n, np.int64), level, [""]


def _apart(
    columns: Mapping[str, Column], groups: _Groups, clusters: list[Any], cell: Codes, level: Codes, times: Codes,
    trials: tuple[Codes, Codes, Codes, list[str]] | None,
) -> Iterable[tuple[tuple[str, str], Cells]]:  # fmt: skip
    """What was counted, by model and task; cells keep their order within each."""
    order = np.argsort(groups.pair, kind="stable")
    starts = np.searchsorted(groups.pair[order], np.arange(len(groups.names) + 1))
    inside = np.empty_like(order)
    inside[order] = np.arange(len(order)) - starts[groups.pair[order]]
    questions = _said(columns, "question", groups.first[order])
    said = [clusters[i] for i in order.tolist()] if clusters else [None] * len(order)
    by = np.argsort(groups.pair[cell], kind="stable")
    ends = np.searchsorted(groups.pair[cell][by], np.arange(len(groups.names) + 1))
    for p, name in enumerate(groups.names):
        here, lo, hi = by[ends[p] : ends[p + 1]], int(starts[p]), int(starts[p + 1])
        at, number, often = inside[cell[here]], level[here], times[here]
        absent = np.zeros(hi - lo, np.int64)
        absent[at[number < 0]] = often[number < 0]
        kept = number >= 0
        own = None if trials is None else _own(groups.pair == p, inside, *trials)
        yield name, Cells(questions[lo:hi], said[lo:hi], absent, at[kept], number[kept], often[kept], own)


def _own(mine: npt.NDArray[np.bool_], inside: Codes, cell: Codes, ids: Codes, level: Codes, names: list[str]) -> Trials:
    """The trials of one model in one task, by its questions as they are numbered in it."""
    rows = np.flatnonzero(mine[cell])
    rows = rows[np.argsort(inside[cell[rows]], kind="stable")]
    first, own = ranked(ids[rows], len(names))
    return Trials(inside[cell[rows]], [names[i] for i in ids[rows][first].tolist()], own, level[rows])
