"""Counts of many categories of which each question has few, such as real-valued rewards: only those that occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..arithmetic.jit import on_threads, thread_slices
from .counting import pair_counts, pair_sums, success_sums, value_counts

# --- counts of many categories of which each question has few: only those that occur ----------------

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


# --- states -----------------------------------------------------------------------------------------

PARALLEL_SIZE = 1 << 17  # from this many questions on, threads are faster


class Group(NamedTuple):
    """Exact sums over the questions that have n trials each."""

    n: int
    M: int  # number of these questions
    sums: list[int]  # sums[j] = sum over questions of n_j, the trials in category j
    pairs: dict[tuple[int, int], int]  # pairs[j, l] = sum over questions of n_j n_l, j < l

    def moments(self, U: Sequence[int]) -> tuple[int, int, int]:
        """The sums of U and of U^2 over all trials, and of (U - U')^2 over pairs of trials of a question."""
        if len(U) == 2:
            u = U[1] - U[0]
            x, y = self.sums[:2]
            return U[0] * x + U[1] * y, U[0] * U[0] * x + U[1] * U[1] * y, u * u * self.pairs[0, 1]
        size = min(len(U), len(self.sums))  # no trial has a category without a score
        spread = sum((U[j] - U[l]) ** 2 * p for (j, l), p in self.pairs.items() if l < size)
        each = [(U[j] * self.sums[j], U[j]) for j in range(size)]
        return sum(x for x, _ in each), sum(x * u for x, u in each), spread

    def largest_range(self, U: Sequence[int]) -> int:
        """The largest difference of U between two trials of a question."""
        return max((abs(U[j] - U[l]) for (j, l), p in self.pairs.items() if p and l < len(U)), default=0)


class SparseGroup:
    """The questions that have n trials each, of many categories: a Group whose sums are computed for given scores."""

    def __init__(self, n: int, rows: Array, cells: Cells) -> None:
        self.n, self.M, self.rows, self.cells = n, rows.size, rows, cells

    def moments(self, U: Sequence[int]) -> tuple[int, int, int]:
        """The sums of Group.moments(); the last is, of each question, n times the sum of squares less the square."""
        one, two = score_sums(self.cells, U)
        x, square = one[self.rows].tolist(), sum(two[self.rows].tolist())
        return sum(x), square, self.n * square - sum(y * y for y in x)

    def largest_range(self, U: Sequence[int]) -> int:
        """The largest difference of U between two trials of a question."""
        scores, start = [U[j] for j in self.cells.category.tolist()], self.cells.start.tolist()
        each = (scores[start[i] : start[i + 1]] for i in self.rows.tolist())
        return max(max(x) - min(x) for x in each)


def score_sums(cells: Cells, U: Sequence[int]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The sums of U and of U^2 over the trials of each question, as Python's integers."""
    start, category, times = cells
    u = np.empty(len(U), object)
    u[:] = U
    u = u[category]
    x = u * times
    out = np.zeros((2, start.size - 1), object)
    has_trials = start[1:] > start[:-1]
    for sums, terms in zip(out, (x, x * u), strict=True):
        sums[has_trials] = np.add.reduceat(terms, start[:-1][has_trials])
    return out[0], out[1]


class States(NamedTuple):
    """Distinct (trials, successes), increasing, and the number of questions with each."""

    n: Array
    c: Array
    mult: Array


def binary_groups(states: States) -> list[Group]:
    """The groups of binary outcomes from their states."""
    n = int(states.n[-1])
    if n == states.n[0] and (one := one_group(n, states.c, states.mult)):
        return one
    sums: dict[int, list[int]] = {}
    for n, c, m in zip(states.n.tolist(), states.c.tolist(), states.mult.tolist(), strict=True):
        g = sums.setdefault(n, [0, 0, 0])
        g[0] += m
        g[1] += m * c
        g[2] += m * c * (n - c)
    return [Group(n, M, [n * M - s, s], {(0, 1): p}) for n, (M, s, p) in sums.items()]


def one_group(n: int, c: Array, mult: Array) -> list[Group] | None:
    """The group of questions with n trials each, in a list; None if its sums may not fit 64 bits.

    They fit if n < 2^20 and M < 2^23, since each is at most M n^2.
    """
    if n >= 2**20:
        return None
    M, s, p = map(int, success_sums(n, c, mult))
    return [Group(n, M, [n * M - s, s], {(0, 1): p})] if M < 2**23 else None


def byte_group(n: int, narrow: npt.NDArray[np.uint8]) -> Group:
    """The group of questions with n trials each, from counts in bytes."""
    M, C = narrow.shape
    out = np.zeros((C, C + 1), np.int64)
    pair_sums(narrow, out)
    sums, upper = out[:, C].tolist(), out[:, :C]
    products = (upper + np.triu(upper, 1).T).tolist()
    pairs = {(0, l): n * sums[l - 1] - sum(products[l - 1]) for l in range(1, C + 1)}  # n_0 is n minus the other counts
    pairs |= {(j, l): products[j - 1][l - 1] for j in range(1, C + 1) for l in range(j + 1, C + 1)}
    return Group(n, M, [n * M - sum(sums), *sums], pairs)


def group(n: int, table: Array) -> Group:
    """The group of questions with n trials each, from the counts of all their categories."""
    M, width = table.shape
    sums = [int(x) for x in (table if n * M < 2**63 else table.astype(object)).sum(axis=0)]
    rows = max(1, min(M, (2**63 - 1) // max(1, n * n)))  # a block's pair sums must fit 64 bits
    # objects are Python's integers, for products that may not fit
    blocks = [table[i : i + rows] for i in range(0, M, rows)] if n < 2**31 else [table.astype(object)]
    pairs = {
        (j, l): sum(int((b[:, j] * b[:, l]).sum()) for b in blocks) for j in range(width) for l in range(j + 1, width)
    }
    return Group(n, M, sums, pairs)


def distinct_rows(columns: Sequence[Array]) -> tuple[list[Array], Array, Array]:
    """Distinct rows of columns, increasing; their multiplicities; and the index of each row among them."""
    keys, size = _keys(columns)
    if _fits_table(size, keys):
        histogram = np.bincount(keys, minlength=size)
        present = histogram > 0
        mult, index = histogram[present], (np.cumsum(present) - 1)[keys]
    else:
        _, index, mult = np.unique(keys, return_inverse=True, return_counts=True)
    row = np.zeros(mult.size, np.int64)
    row[index] = np.arange(index.size)
    return [x[row] for x in columns], mult, index


def _keys(columns: Sequence[Array]) -> tuple[Array, int]:
    """An integer in 0..size-1 for each row of these columns, in the same order as the rows; and size."""
    keys, size = np.zeros(columns[0].size, np.int64), 1
    for x in columns:
        x = x - x.min()
        width = int(x.max()) + 1
        if size * width > 2**63 - 1:
            keys, x = (np.unique(y, return_inverse=True)[1] for y in (keys, x))
            size, width = int(keys.max()) + 1, int(x.max()) + 1
        keys, size = keys * width + x if size > 1 else x, size * width
    return keys, size


def _fits_table(size: int, keys: Array) -> bool:
    """Whether the possible keys are few enough for a table, which is faster than sorting."""
    return size <= 4 * keys.size + 1024


def distinct(n: Array, c: Array) -> tuple[States, Array]:
    """Distinct pairs (n, c), increasing, with multiplicities; and the index of each entry among them."""
    (x, y), mult, index = distinct_rows([n, c])
    return States(x, y, mult), index


def joint_states(a: npt.NDArray[Any], b: npt.NDArray[Any], size: int) -> States:
    """Distinct pairs (a, b) of integers below size, as n and c of States; by a table if few pairs are possible."""
    if size * size > 4 * a.size + 4096 or a.size >= 2**32:  # the counts in the table have 32 bits
        return states_of(a.astype(np.int64), b.astype(np.int64))
    kernel, arrays = (value_counts, [a]) if a is b else (pair_counts, [a, b])

    def run(part: slice) -> npt.NDArray[Any]:
        table = np.zeros([size] * len(arrays), np.uint32)
        kernel(*(x[part] for x in arrays), table)
        return table

    table = sum(on_threads(run, thread_slices(a.size, a.size >= PARALLEL_SIZE)))
    present = np.nonzero(table)
    return States(present[0], present[-1], table[present].astype(np.int64))


def states_of(n: Array, c: Array) -> States:
    """Distinct pairs (n, c) like distinct(), but without the index of each entry, which is faster."""
    keys, size = _keys([n, c])
    low, width = int(c.min()), int(c.max()) - int(c.min()) + 1
    if size != (int(n.max()) - int(n.min()) + 1) * width:  # the keys were renumbered
        return distinct(n, c)[0]
    if _fits_table(size, keys):
        histogram = np.bincount(keys)
        (present,) = np.nonzero(histogram)
        mult = histogram[present]
    else:
        present, mult = np.unique(keys, return_counts=True)
    return States(present // width + int(n.min()), present % width + low, mult)
