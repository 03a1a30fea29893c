"""Counts of outcomes: the exact integers that metrics are computed from. They can be added and saved."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..arguments import as_array, has_masked
from ..errors import InvalidInput
from . import count_files, identity
from .identity import Texts, paired
from .states import (
    MAX_DENSE,
    Array,
    Cells,
    Group,
    Sparse,
    SparseGroup,
    States,
    binary_groups,
    byte_group,
    distinct,
    group,
    one_group,
    states_of,
)

LARGEST_COUNT = 2**53 - 1


def constant(x: int, M: int) -> Array:
    """Read-only array of length M whose entries are all x, in the memory of one number."""
    a = np.ndarray((M,), np.int64, np.array([x]), strides=(0,))
    a.flags.writeable = False
    return a


class Counts:
    """The number of times each question got each category: all that most metrics need of R.

    They are made by :func:`tally`, from a table of counts, or by :meth:`from_successes`, and are accepted as R unless
    a metric needs single trials, their order, or their answers or scores.
    ``a + b`` joins the trials of the same questions, by id where both have ids. The arrays of counts are read-only.

    Parameters
    ----------
    table : array_like of int, shape (M, C+1)
        Column j counts category j; a question's trials are below 2^53.
    absent : array_like of int, shape (M,), optional
        Missing outcomes of each question that were dropped (``missing="drop"``).
    ids : sequence of M texts or integers, optional
        The id of each question, by which models are paired; an integer becomes the text of its digits. Ids must differ.
    clusters : sequence of M texts or integers, optional
        The cluster of each question, used with ``questions="sampled"`` unless other clusters are given.

    Attributes
    ----------
    category_counts : ndarray of int64, shape (M, C)
        Counts of the categories 1..C.
    trials : ndarray of int64, shape (M,)
        Trials of each question.
    absent : ndarray of int64, shape (M,)
        Missing outcomes of each question that were dropped.
    ids, clusters : tuple of str, or None
        The ids and clusters as texts; None if they are not known, or for a question without a known cluster.
    min_trials : int
        Trials of the question with the fewest.

    Raises
    ------
    InvalidInput
        type, shape, empty, length, range, missing (masked entries; a blank id), duplicate (two equal ids).

    Examples
    --------
    >>> import scorio
    >>> counts = scorio.Counts([[2, 2], [4, 0]]) + scorio.Counts.from_successes([1, 3], [3, 3])
    >>> counts.table.tolist()
    [[4, 3], [4, 3]]
    >>> a = scorio.Counts([[2, 2], [4, 0]], ids=["q1", "q2"])
    >>> (a + scorio.Counts([[0, 4], [1, 3]], ids=["q2", "q1"])).table.tolist()
    [[3, 5], [4, 4]]
    """

    __hash__ = None  # type: ignore[assignment]

    _ids: Texts | None = None
    _clusters: tuple[str | None, ...] | None = None

    def __init__(self, table: Any, absent: Any = None, ids: Any = None, clusters: Any = None) -> None:
        t = _checked_counts(table, "table", 2)
        missing = np.zeros(t.shape[0], np.int64) if absent is None else _checked_counts(absent, "absent", 1)
        if missing.size != t.shape[0]:
            raise InvalidInput("length", "absent", f"absent has {missing.size} entries for {t.shape[0]} questions")
        if t.shape[1] == 1:
            t = np.column_stack([t, np.zeros_like(t)])
        self._set(np.ascontiguousarray(t[:, 1:]), t.sum(axis=1), missing, t.sum(axis=1, dtype=np.float64))
        self._ids = None if ids is None else identity.ids(ids, t.shape[0])
        self._clusters = None if clusters is None else identity.texts(clusters, t.shape[0], "clusters")

    def _set(
        self,
        category_counts: Array | Sparse,
        trials: Array,
        absent: Array,
        float_trials: npt.NDArray[Any] | None = None,
    ) -> None:
        """Set the arrays; float_trials: the trials as doubles, where their sums as integers may overflow."""
        compared = trials if float_trials is None else float_trials
        if (compared > LARGEST_COUNT).any():
            i = int(np.argmax(compared))
            raise InvalidInput("range", "table", f"question {i} has more than 2^53 - 1 trials")
        for x in (category_counts, trials, absent):
            x.flags.writeable = False
        self._narrow: Any = category_counts  # counts in the type in which they were made, or as a Sparse matrix
        self._trials: Array | None
        self._absent: Array | None
        self._category_counts: Array | None = None if isinstance(category_counts, Sparse) else category_counts
        self._trials, self._absent = trials, absent
        self.min_trials = int(trials.min())
        self._states: States | None = None
        self._success_histogram: Array | None = None  # known only if all questions have N trials
        self._groups: list[Group] | list[SparseGroup] | None = None
        self._cells: Cells | None = None

    @classmethod
    def _uniform(cls, narrow: npt.NDArray[Any], N: int, success_histogram: Array | None) -> Counts:
        """Create from counts of complete trials, N of each question, and the histogram of successes if it is known."""
        self = cls.__new__(cls)
        narrow.flags.writeable = False
        self._narrow, self._category_counts, self._groups, self.min_trials = narrow, None, None, N
        self._trials = self._absent = self._states = self._cells = None
        self._success_histogram = success_histogram
        return self

    @property
    def trials(self) -> Array:
        """Trials of each question, shape (M,)."""
        if self._trials is None:
            self._trials = constant(self.min_trials, self.M)
        return self._trials

    @property
    def absent(self) -> Array:
        """Missing outcomes of each question that were dropped, shape (M,)."""
        if self._absent is None:
            self._absent = constant(0, self.M)
        return self._absent

    @property
    def category_counts(self) -> Array:
        """Counts of the categories 1..C, shape (M, C)."""
        if self._category_counts is None:
            sparse = isinstance(self._narrow, Sparse)
            self._category_counts = self._narrow.matrix() if sparse else self._narrow.astype(np.int64)
            self._category_counts.flags.writeable = False
        return self._category_counts

    @property
    def ids(self) -> Texts | None:
        """The id of each question; None if they are not known."""
        return self._ids

    @property
    def clusters(self) -> tuple[str | None, ...] | None:
        """The cluster of each question; None if they are not known."""
        return self._clusters

    @classmethod
    def _from_arrays(cls, category_counts: Array | Sparse, trials: Array, absent: Array) -> Self:
        """Create from arrays that are known to be consistent."""
        self = cls.__new__(cls)
        self._set(category_counts, trials, absent)
        return self

    @classmethod
    def _from_entries(cls, question: Array, category: Array, times: Array, absent: Array, C: int) -> Self:
        """Create from (question, category 0..C, number of trials) in any order, and the missing outcomes."""
        M, self = absent.size, cls.__new__(cls)
        trials = np.zeros(M, np.int64)
        np.add.at(trials, question, times)
        if C > MAX_DENSE:
            matrix: Any = Sparse.of_entries(question, category, times, M, C)
        else:
            table = np.zeros((M, max(C, 1) + 1), np.int64)
            np.add.at(table, (question, category), times)
            matrix = np.ascontiguousarray(table[:, 1:])
        self._set(matrix, trials, absent, np.bincount(question, times, M))
        return self

    def _labelled(self, ids: Texts | None, clusters: tuple[str | None, ...] | None) -> Counts:
        """A copy of the counts with other ids and clusters, which are known to be consistent."""
        out = copy.copy(self)
        out._ids, out._clusters = ids, clusters
        return out

    def _reindexed(self, ids: Texts) -> Counts:
        """The counts in the order of these ids; a question that has no counts gets no trials."""
        row_of = identity.rows_by_id(self._ids)
        rows = np.array([row_of.get(q, -1) for q in ids])
        present = rows >= 0
        counts = self._matrix
        out = Counts._from_arrays(
            counts.rows(rows) if isinstance(counts, Sparse) else np.where(present[:, None], counts[rows], 0),
            *(np.where(present, x[rows], 0) for x in (self.trials, self.absent)),
        )
        clusters = self._clusters and tuple(self._clusters[i] if i >= 0 else None for i in rows.tolist())
        return out._labelled(ids, clusters)

    @property
    def _matrix(self) -> Array | Sparse:
        """Counts of the categories 1..C; those of many categories as a Sparse matrix."""
        if self.C <= MAX_DENSE:
            return self.category_counts
        return self._narrow if isinstance(self._narrow, Sparse) else Sparse.of_matrix(self._narrow)

    @property
    def cells(self) -> Cells:
        """The counts of the categories 0..C that are not 0."""
        if self._cells is None:
            matrix = self._matrix
            sparse = matrix if isinstance(matrix, Sparse) else Sparse.of_matrix(matrix)
            self._cells = sparse.with_category_0(self.trials)
        return self._cells

    @classmethod
    def from_successes(cls, c: Any, n: Any, ids: Any = None, clusters: Any = None) -> Counts:
        """Create from successes c and trials n of each question, shape (M,), with their ids and clusters."""
        c, n = _checked_counts(c, "c", 1), _checked_counts(n, "n", 1)
        if c.shape != n.shape:
            raise InvalidInput("length", "n", f"n has {n.size} entries, c has {c.size}")
        bad = np.flatnonzero(c > n)
        if bad.size:
            i = int(bad[0])
            raise InvalidInput("range", "c", f"c[{i}] = {c[i]} is not in 0..n[{i}] = {n[i]}")
        return cls(np.column_stack([n - c, c]), None, ids, clusters)

    @property
    def M(self) -> int:
        """Number of questions."""
        return int(self._narrow.shape[0])

    @property
    def C(self) -> int:
        """Largest category."""
        return int(self._narrow.shape[1])

    @property
    def table(self) -> Array:
        """Counts of all categories 0..C, shape (M, C+1)."""
        return np.column_stack([self.trials - self.category_counts.sum(axis=1), self.category_counts])

    @property
    def missing(self) -> int:
        """Number of outcomes that were missing and dropped."""
        return sum(self.absent.tolist()) if self.M > 1024 else int(self.absent.sum())  # 64 bits hold 1024 counts

    @property
    def uniform(self) -> bool:
        """Whether every question is known to have the same number of trials, with none missing."""
        return self._trials is None or self._trials.strides == (0,)

    @property
    def empty(self) -> list[int]:
        """Indices of the questions without a trial."""
        return [] if self.min_trials else [int(i) for i in np.flatnonzero(self.trials == 0)]

    def select(self, keep: Any) -> Counts:
        """The counts of some of the questions, at least one; keep is a mask of length M or a list of indices."""
        if has_masked(keep):
            raise InvalidInput("missing", "keep", "keep has masked entries")
        try:
            keep = np.arange(self.M)[np.asarray(keep) if np.size(keep) else np.zeros(0, np.int64)]
        except (IndexError, ValueError) as e:  # ValueError: rows of unequal length
            raise InvalidInput("range", "keep", f"keep does not choose among {self.M} questions: {e}") from None
        if keep.ndim != 1 or keep.size == 0:
            raise InvalidInput("empty", "keep", "keep chooses no question: it must be a mask or a list of indices")
        counts = self._matrix
        matrix = counts.rows(keep) if isinstance(counts, Sparse) else counts[keep]
        out = Counts._from_arrays(matrix, self.trials[keep], self.absent[keep])
        if self._ids is None and self._clusters is None:
            return out
        rows = keep.tolist()
        ids = self._ids and identity.distinct_ids(tuple(self._ids[i] for i in rows), "keep", "ids of keep")
        return out._labelled(ids, self._clusters and tuple(self._clusters[i] for i in rows))

    def _with_absent(self, absent: Array) -> Counts:
        """A copy of the counts with other numbers of missing outcomes."""
        return Counts._from_arrays(self._matrix, self.trials, absent)._labelled(self._ids, self._clusters)

    def completed(self, category: int) -> Counts:
        """A copy of the counts with every missing outcome counted as one category."""
        category_counts = self._matrix
        if isinstance(category_counts, Sparse):
            category_counts = category_counts.plus(np.arange(self.M), np.full(self.M, category), self.absent)
        elif category:
            category_counts = category_counts.copy()
            category_counts[:, category - 1] += self.absent
        out = Counts._from_arrays(category_counts, self.trials + self.absent, constant(0, self.M))
        return out._labelled(self._ids, self._clusters)

    def completions(self, scores: Sequence[float]) -> tuple[Counts, Counts]:
        """Two completed counts: missing outcomes in the category with the lowest score, and with the highest."""
        low, high = (self.completed(scores.index(x)) for x in (min(scores), max(scores)))
        return low, high

    def padded(self, C: int) -> Counts:
        """The counts with at least the categories 0..C: those above the present ones never occur."""
        if C <= self.C:
            return self
        if C > MAX_DENSE:
            sparse = self._narrow if isinstance(self._narrow, Sparse) else Sparse.of_matrix(self._narrow)
            padded: Any = sparse.with_columns(C)
        else:
            padded = np.hstack([self.category_counts, np.zeros((self.M, C - self.C), np.int64)])
        return Counts._from_arrays(padded, self.trials, self.absent)._labelled(self._ids, self._clusters)

    def _truncated(self, C: int) -> Counts:
        """The counts without the categories above C, which never occur."""
        counts = self._matrix
        if isinstance(counts, Sparse):
            sparse = counts.with_columns(C)
            counts = sparse if C > MAX_DENSE else sparse.matrix()
        else:
            counts = counts[:, :C]
        return Counts._from_arrays(counts, self.trials, self.absent)._labelled(self._ids, self._clusters)

    def recoded(self, categories: Sequence[int], C: int) -> Counts:
        """The counts with category j renumbered as categories[j], of 0..C; several may get the same new number."""
        cells = self.cells
        category = np.array(categories)[cells.category]
        out = Counts._from_entries(cells.question, category, cells.times, self.absent, C)
        return out._labelled(self._ids, self._clusters)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        return self._plus(other)

    def _plus(self, other: Counts, names: tuple[str, str] = ("self", "other")) -> Counts:
        """Counts of the trials of self and other on the same questions; names: what errors call the two."""
        a, b = paired([self.padded(other.C), other.padded(self.C)], names, names.__getitem__, clustered=True)
        matrix: Any = a._matrix + b._matrix  # type: ignore[operator]  # both are Sparse, or neither
        out = Counts._from_arrays(matrix, a.trials + b.trials, a.absent + b.absent)
        return out._labelled(a._ids, a._clusters)

    def __radd__(self, other: Any) -> Counts:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # so that sum() works

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        same_labels = self._ids == other._ids and self._clusters == other._clusters
        a: Any = self._matrix
        b: Any = other._matrix
        return (
            same_labels
            and (a == b if isinstance(a, Sparse) else np.array_equal(a, b))
            and np.array_equal(self.trials, other.trials)
            and np.array_equal(self.absent, other.absent)
        )

    def __repr__(self) -> str:
        low, high = int(self.trials.min()), int(self.trials.max())
        trials = str(low) if low == high else f"{low}..{high}"
        missing = f", {self.missing} missing" if self.missing else ""
        ids = "" if self._ids is None else f", ids {identity.first_few(self._ids)}"
        clusters = "" if self._clusters is None else f", {len(set(self._clusters))} clusters"
        return f"Counts({self.M} questions, {trials} trials, categories 0..{self.C}{missing}{ids}{clusters})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as CSV, a line for each question: columns id and cluster if these are known, n0..nC and missing."""
        count_files.write(path, np.column_stack([self.table, self.absent]), self._ids, self._clusters)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read a file that :meth:`save` wrote, in this version or an earlier one."""
        return cls(**count_files.read(path))

    # --- sums and states for metrics ---

    def states(self) -> States:
        """Distinct pairs of trials and successes, with the number of questions that have each; binary outcomes only."""
        if self._states is None and self._success_histogram is not None:
            (c,) = np.nonzero(self._success_histogram)
            self._states = States(np.full(c.size, self.min_trials), c, self._success_histogram[c])
        if self._states is None:
            self._states = states_of(self.trials, self.category_counts[:, 0])
        return self._states

    def state_indices(self) -> Array:
        """The index in states() of each question; binary outcomes only."""
        if self._success_histogram is not None:
            return (np.cumsum(self._success_histogram > 0) - 1)[self._narrow[:, 0]]
        return distinct(self.trials, self.category_counts[:, 0])[1]

    def groups(self) -> list[Group] | list[SparseGroup]:
        """Exact first and second moments of the counts, one group for each number of trials, increasing."""
        if self._groups is None and self.C > MAX_DENSE:
            n = self.trials
            self._groups = [SparseGroup(int(x), np.flatnonzero(n == x), self.cells) for x in np.unique(n)]
        if self._groups is None and self._success_histogram is not None:
            histogram = self._success_histogram
            self._groups = one_group(self.min_trials, np.arange(histogram.size), histogram)
        if self._groups is None:
            if self.C == 1:
                self._groups = binary_groups(self.states())
            else:
                complete = self._narrow.dtype == np.uint8  # only complete trials are counted in bytes
                sizes = np.array([self.min_trials]) if complete else np.unique(self.trials)
                self._groups = [self._group(int(n), sizes.size == 1) for n in sizes]
        return self._groups

    def _group(self, n: int, only_group: bool) -> Group:
        """The group of the questions with n trials each; only_group: these are all questions."""
        if self._narrow.dtype == np.uint8:
            return byte_group(n, self._narrow)
        return group(n, (self if only_group else self.select(self.trials == n)).table)


def _checked_counts(x: Any, name: str, ndim: int) -> Array:
    """Check an array of counts from the caller; returns it as a new int64 array."""
    if has_masked(x):
        raise InvalidInput("missing", name, f"{name} has masked entries")
    try:
        t = as_array(x)
    except Exception as e:
        raise InvalidInput("type", name, f"{name} cannot be read as an array: {e}") from None
    if t.ndim != ndim:
        raise InvalidInput("shape", name, f"{name} must be {ndim}-D, not {t.ndim}-D")
    if t.size == 0:
        raise InvalidInput("empty", name, f"{name} of shape {t.shape} has no counts")
    if t.dtype.kind not in "iu":
        raise InvalidInput("type", name, f"{name} must consist of integers, not {t.dtype}")
    bad = np.argwhere((t < 0) | (t > LARGEST_COUNT))
    if bad.size:
        place = ", ".join(str(int(i)) for i in bad[0])
        raise InvalidInput("range", name, f"{name}[{place}] = {t[tuple(bad[0])]} is not a count in 0..2^53 - 1")
    return t.astype(np.int64)
