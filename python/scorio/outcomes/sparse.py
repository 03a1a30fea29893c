"""Counts of many categories of which each question has few, such as real-valued rewards: only those that occur."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.int64]
MAX_DENSE = 64  # with more categories than 0..MAX_DENSE, metrics read only the counts that are not 0


class Cells(NamedTuple):
    """The categories that each question has, and how often: question i has those at start[i]..start[i + 1] - 1."""

    start: Array
    category: Array  # increasing for each question
    times: Array  # positive

    @property
    def question(self) -> Array:
        """The question of each cell."""
        return np.repeat(np.arange(self.start.size - 1), np.diff(self.start))


class Sparse:
    """A matrix (M, C) of counts of the categories 1..C, of which only the counts that are not 0 are stored."""

    def __init__(self, cells: Cells, C: int) -> None:
        self.cells, self.shape = cells, (cells.start.size - 1, C)
        self.flags: Any = cells.times.flags  # so that it can be made read-only like an array

    @classmethod
    def of_entries(cls, question: Array, category: Array, times: Array, M: int, C: int) -> Self:
        """Create from entries in any order, of which those of one question and category are added; category 0: none."""
        keep = (category > 0) & (times > 0)
        keys, times = question[keep] * (C + 1) + category[keep], times[keep]
        order = np.argsort(keys, kind="stable")
        keys, times = keys[order], times[order]
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if keys.size else np.zeros(0, np.int64)
        times = np.add.reduceat(times, first) if keys.size else times
        question, category = np.divmod(keys[first], C + 1)
        return cls(Cells(np.searchsorted(question, np.arange(M + 1)), category, times), C)

    @classmethod
    def of_matrix(cls, x: npt.NDArray[Any]) -> Self:
        """Create from a matrix (M, C)."""
        question, column = np.nonzero(x)
        start = np.searchsorted(question, np.arange(x.shape[0] + 1))
        return cls(Cells(start, column + 1, x[question, column].astype(np.int64)), x.shape[1])

    def matrix(self) -> Array:
        """All counts, those that are 0 too."""
        out = np.zeros(self.shape, np.int64)
        out[self.cells.question, self.cells.category - 1] = self.cells.times
        return out

    def with_columns(self, C: int) -> Sparse:
        """The counts as a matrix of C columns; no count is above C."""
        return Sparse(self.cells, C)

    def rows(self, rows: Array) -> Sparse:
        """The rows with these indices; an index of -1 is a row of zeros."""
        start, category, times = self.cells
        size = np.where(rows >= 0, start[rows + 1] - start[rows], 0)  # of row -1: start[0] - start[-1], unused
        ends = np.concatenate([[0], np.cumsum(size)])
        at = np.arange(ends[-1]) + np.repeat(start[rows] - ends[:-1], size)
        return Sparse(Cells(ends, category[at], times[at]), self.shape[1])

    def plus(self, question: Array, category: Array, times: Array) -> Sparse:
        """The sum of the matrix and other entries."""
        (_, own_category, own_times), (M, C) = self.cells, self.shape
        pairs = (self.cells.question, question), (own_category, category), (own_times, times)
        q, c, n = (np.concatenate(x) for x in pairs)
        return Sparse.of_entries(q, c, n, M, C)

    def __add__(self, other: Sparse) -> Sparse:
        return self.plus(other.cells.question, *other.cells[1:])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sparse):
            return NotImplemented
        same_cells = all(map(np.array_equal, self.cells, other.cells))
        return self.shape == other.shape and same_cells

    __hash__ = None  # type: ignore[assignment]

    def with_category_0(self, trials: Array) -> Cells:
        """The counts of the categories 0..C of questions with so many trials."""
        start, category, times = self.cells
        sums = np.concatenate([[0], np.cumsum(times)])  # which may wrap around: their differences are below 2^53
        zeros = trials - (sums[start[1:]] - sums[start[:-1]])
        present = np.flatnonzero(zeros)
        at = start[present]
        return Cells(
            start + np.concatenate([[0], np.cumsum(zeros > 0)]), np.insert(category, at, 0),
            np.insert(times, at, zeros[present]),
        )  # fmt: skip
