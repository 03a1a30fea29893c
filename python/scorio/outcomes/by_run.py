"""Outcomes by run: what the variance between runs is computed from, and Counts do not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from .answers import Detailed
from .counts import Counts
from .identity import labels
from .matrix import read_matrix
from .models import check_flat
from .states import Array
from .tally import count

MOST_PASSES = 16  # categories up to which comparing a matrix with each is faster than one pass by column
Codes = npt.NDArray[Any]  # integers of any type


class Entries(NamedTuple):
    """Trials with the question and the run of each, as indices, and the number of equal ones (None: one of each)."""

    question: Codes
    run: Codes
    category: Codes
    times: Codes | None = None

    def pairs(self, runs: int, once: bool) -> tuple[Codes, Codes, Any]:
        """The question and the run of each pair of both that has trials, and their number (1: of every pair).

        once : whether every entry is such a pair.
        """
        if once:
            return self.question, self.run, 1
        key, times = _summed(self.question.astype(np.int64) * runs + self.run, self.times)
        return *np.divmod(key, runs), times


class ByRun(NamedTuple):
    """The outcomes of one model by run.

    counts : the counts of its questions.
    names : the name of each run, such as the id of the trial; a text.
    table : how often each category occurs in each run, where every question has one trial in every run, else None.
    entries : the trials, if table is None.
    once : whether no question has two trials in a run.
    """

    counts: Counts
    names: Sequence[str]
    table: Array | None
    entries: Entries | None = None
    once: bool = True

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(self.names)

    @property
    def used_runs(self) -> int:
        """The number of runs with a trial."""
        return self.runs if self.entries is None else np.unique(self.entries.run).size

    def by_group(self, group: Codes, groups: int, C: int) -> dict[tuple[int, int, int], int]:
        """The number of trials in each run, of the questions of each group, in each category 0..C."""
        x = self.entries
        assert x is not None
        key = (x.run.astype(np.int64) * groups + group[x.question]) * (C + 1) + x.category
        distinct, times = _summed(key, x.times)
        cell, category = np.divmod(distinct, C + 1)
        cells = zip(*(y.tolist() for y in (*np.divmod(cell, groups), category)), strict=True)
        return dict(zip(cells, times.tolist(), strict=True))

    def totals(self, C: int) -> Array:
        """How often each category 0..C occurs in each run, shape (runs, C + 1)."""
        if self.table is not None:
            return np.pad(self.table, ((0, 0), (0, C + 1 - self.table.shape[1])))
        assert self.entries is not None
        out = np.zeros((self.runs, C + 1), np.int64)
        x = self.entries
        np.add.at(out, (x.run, x.category), 1 if x.times is None else x.times)
        return out

    def recoded(self, categories: Sequence[int], C: int) -> ByRun:
        """The outcomes with category j renumbered as categories[j], of 0..C."""
        table, entries, new = self.table, self.entries, np.array(categories)
        if table is not None:
            recoded = np.zeros((self.runs, C + 1), np.int64)
            np.add.at(recoded.T, new[: table.shape[1]], table.T)
            table = recoded
        if entries is not None:
            entries = entries._replace(category=new[entries.category])
        return self._replace(counts=self.counts.recoded(categories, C), table=table, entries=entries)


def _summed(key: Codes, times: Codes | None) -> tuple[Codes, Codes]:
    """The distinct keys, and the number of trials of each."""
    if times is None:
        return np.unique(key, return_counts=True)
    distinct, at = np.unique(key, return_inverse=True)
    out = np.zeros(distinct.size, np.int64)
    np.add.at(out, at.reshape(-1), times)
    return distinct, out


def _table(A: Codes, C: int) -> Array:
    """How often each category 0..C occurs in each column of A."""
    if C <= MOST_PASSES:
        return np.stack([np.count_nonzero(j == A, axis=0) for j in range(C + 1)], axis=1)
    width = C + 1
    return np.stack([np.bincount(column.astype(np.int64), minlength=width) for column in A.T])


def by_run(
    R: Any, C: int, missing: Any, name: str, has_scores: bool = False, sessions: Any = None, code: int | None = None
) -> ByRun:
    """The outcomes of a matrix R, of which each column is a run, or the columns with equal labels of sessions are.

    code : an integer that means missing.
    """
    if isinstance(R, (Counts, Detailed)):
        what = f"{name} is {type(R).__name__}, which do not know the run of a trial"
        raise InvalidInput("type", name, f"{what}: pass the matrix of outcomes, a column for each run")
    check_flat(R, name)
    counts = count(R, C, missing, name, has_scores, code)
    if not counts.trials.any():
        raise InvalidInput("no_trials", name, f"no question of {name} has a trial")
    A, code, _ = read_matrix(R, name, missing, code)
    runs: Sequence[Any] = range(A.shape[1]) if sessions is None else labels(sessions, A.shape[1], "sessions", "trials")
    return of_matrix(counts, A, code, missing, runs)


def of_matrix(counts: Counts, A: Codes, code: int | None, missing: Any, runs: Sequence[Any]) -> ByRun:
    """The outcomes of a matrix of which NaN and code are missing; runs: the run of each column."""
    index = {x: i for i, x in enumerate(dict.fromkeys(runs))}
    names, once = [str(x) for x in index], len(index) == len(runs)
    is_counted = missing not in ("raise", "drop")
    if is_counted or counts.uniform:  # no trial is left out
        A = A.view(np.uint8) if A.dtype.kind == "b" else A
        if is_counted:
            A = np.where((A != A) | (False if code is None else code == A), int(missing), A)
        if once:
            return ByRun(counts, names, _table(A, counts.C))
        present = np.ones(A.shape, bool)
    else:
        present = (A == A) & (True if code is None else code != A)
    question, column = np.nonzero(present)
    run = np.array([index[x] for x in runs], np.min_scalar_type(len(index)))
    category = A[question, column].astype(np.min_scalar_type(max(counts.C, 1)))
    return ByRun(counts, names, None, Entries(question.astype(np.int32), run[column], category), once)
