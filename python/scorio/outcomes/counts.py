"""Counts: what is left of the outcomes once they are read. Exact integers, mergeable, saveable."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arithmetic.threads import on_threads, parts_of
from ..errors import InvalidInput
from .counting import pair_counts, pair_sums, place_counts, success_sums

Array = npt.NDArray[np.int64]


class Group(NamedTuple):
    """Exact sums over the questions that had n trials each."""

    n: int
    M: int
    sums: list[int]  # sums[j] = sum over questions of n_j
    pairs: dict[tuple[int, int], int]  # pairs[j, l] = sum over questions of n_j n_l, j < l


class States(NamedTuple):
    """Distinct (trials, successes), increasing, and how many questions share each."""

    n: Array
    c: Array
    mult: Array


LARGEST_COUNT = 2**53 - 1
PARALLEL_SIZE = 1 << 17  # questions; below it threads cost more than they bring


def constant(x: int, M: int) -> Array:
    """The array of M times x, in the memory of one."""
    a = np.ndarray((M,), np.int64, np.array([x]), strides=(0,))
    a.flags.writeable = False
    return a


class Counts:
    """How often each question got each category: all that any metric needs to know of R.

    Made by :func:`tally`, from a table of counts, or by :meth:`from_successes`; accepted wherever R is.
    ``a + b`` joins the trials of the same questions. Cannot be changed.

    Parameters
    ----------
    table : array_like of int, shape (M, C+1)
        Column j is how often category j occurred; a question's trials are below 2^53.
    absent : array_like of int, shape (M,), optional
        Outcomes of each question that were missing and, by a stated policy, dropped.

    Attributes
    ----------
    above : ndarray of int64, shape (M, C)
        Counts of the categories 1..C.
    trials : ndarray of int64, shape (M,)
        Trials of each question.
    absent : ndarray of int64, shape (M,)
        As given.
    fewest : int
        Trials of the question that has fewest.

    Examples
    --------
    >>> import scorio
    >>> counts = scorio.Counts([[2, 2], [4, 0]]) + scorio.Counts.from_successes([1, 3], [3, 3])
    >>> counts.table.tolist()
    [[4, 3], [4, 3]]
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, table: Any, absent: Any = None) -> None:
        t = _whole(table, "table", 2)
        lost = np.zeros(t.shape[0], np.int64) if absent is None else _whole(absent, "absent", 1)
        if lost.size != t.shape[0]:
            raise InvalidInput("length", "absent", f"absent has {lost.size} entries for {t.shape[0]} questions")
        if t.shape[1] == 1:
            t = np.column_stack([t, np.zeros_like(t)])
        self._set(np.ascontiguousarray(t[:, 1:]), t.sum(axis=1), lost, t.sum(axis=1, dtype=np.float64))

    def _set(self, above: Array, trials: Array, absent: Array, size: npt.NDArray[Any] | None = None) -> None:
        size = trials if size is None else size
        if (size > LARGEST_COUNT).any():
            i = int(np.argmax(size))
            raise InvalidInput("range", "table", f"question {i} has more than 2^53 - 1 trials")
        for x in (above, trials, absent):
            x.flags.writeable = False
        self._narrow: npt.NDArray[Any] = above  # in the type they were counted in
        self._trials: Array | None
        self._absent: Array | None
        self._above: Array | None = above
        self._trials, self._absent = trials, absent
        self.fewest = int(trials.min())
        self._states: States | None = None
        self._found: Array | None = None  # of questions with one number of trials: how many have 0..N successes
        self._groups: list[Group] | None = None

    @classmethod
    def _uniform(cls, narrow: npt.NDArray[Any], N: int, successes: Array | None) -> Counts:
        """From complete trials, N of each question, and how many questions have 0..N successes, if that is known."""
        self = cls.__new__(cls)
        narrow.flags.writeable = False
        self._narrow, self._above, self._groups, self.fewest = narrow, None, None, N
        self._trials = self._absent = self._states = None
        self._found = successes
        return self

    @property
    def trials(self) -> Array:
        """Trials of each question, shape (M,)."""
        if self._trials is None:
            self._trials = constant(self.fewest, self.M)
        return self._trials

    @property
    def absent(self) -> Array:
        """Outcomes of each question that were missing and, by a stated policy, dropped, shape (M,)."""
        if self._absent is None:
            self._absent = constant(0, self.M)
        return self._absent

    @property
    def above(self) -> Array:
        """Counts of the categories 1..C, shape (M, C)."""
        if self._above is None:
            self._above = self._narrow.astype(np.int64)
            self._above.flags.writeable = False
        return self._above

    @classmethod
    def _of(cls, above: Array, trials: Array, absent: Array) -> Counts:
        """From arrays that are known to fit together."""
        self = cls.__new__(cls)
        self._set(above, trials, absent)
        return self

    @classmethod
    def from_successes(cls, c: Any, n: Any) -> Counts:
        """From successes c and trials n of each question, shape (M,)."""
        c, n = _whole(c, "c", 1), _whole(n, "n", 1)
        if c.shape != n.shape:
            raise InvalidInput("length", "n", f"n has {n.size} entries, c has {c.size}")
        bad = np.flatnonzero(c > n)
        if bad.size:
            i = int(bad[0])
            raise InvalidInput("range", "c", f"c[{i}] = {c[i]} is not in 0..n[{i}] = {n[i]}")
        return cls(np.column_stack([n - c, c]))

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
        return np.column_stack([self.trials - self.above.sum(axis=1), self.above])

    @property
    def missing(self) -> int:
        """How many outcomes were missing and dropped."""
        return int(self.absent.sum())

    @property
    def uniform(self) -> bool:
        """Whether every question is known to have the same number of trials, none missing."""
        return self._trials is None or self._trials.strides == (0,)

    @property
    def empty(self) -> list[int]:
        """Questions without a single trial."""
        return [] if self.fewest else [int(i) for i in np.flatnonzero(self.trials == 0)]

    def select(self, keep: Any) -> Counts:
        """The counts of some of the questions, at least one; keep is a mask of length M or a list of indices."""
        try:
            keep = np.arange(self.M)[np.asarray(keep) if np.size(keep) else np.zeros(0, np.int64)]
        except IndexError as e:
            raise InvalidInput("range", "keep", f"keep does not choose among {self.M} questions: {e}") from None
        if keep.ndim != 1 or keep.size == 0:
            raise InvalidInput("empty", "keep", "keep chooses no question: it must be a mask or a list of indices")
        return Counts._of(self.above[keep], self.trials[keep], self.absent[keep])

    def padded(self, C: int) -> Counts:
        """The same counts with categories up to C."""
        if C <= self.C:
            return self
        zeros = np.zeros((self.M, C - self.C), np.int64)
        return Counts._of(np.hstack([self.above, zeros]), self.trials, self.absent)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if other.M != self.M:
            raise InvalidInput("shape", "other", f"counts of {self.M} and of {other.M} questions cannot be added")
        a, b = self.padded(other.C), other.padded(self.C)
        return Counts._of(a.above + b.above, a.trials + b.trials, a.absent + b.absent)

    def __radd__(self, other: Any) -> Counts:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # so that sum() works

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return np.array_equal(self.above, other.above) and np.array_equal(self.trials, other.trials)

    def __repr__(self) -> str:
        low, high = int(self.trials.min()), int(self.trials.max())
        trials = str(low) if low == high else f"{low}..{high}"
        lost = f", {self.missing} missing" if self.missing else ""
        return f"Counts({self.M} questions, {trials} trials, categories 0..{self.C}{lost})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as CSV, one question a line: columns n0..nC and missing."""
        names = [*(f"n{j}" for j in range(self.C + 1)), "missing"]
        with open(path, "w", encoding="utf-8", newline="\n") as f:
            rows = np.column_stack([self.table, self.absent])
            np.savetxt(f, rows, fmt="%d", delimiter=",", header=",".join(names), comments="")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read what :meth:`save` wrote."""
        try:
            with open(path, encoding="utf-8") as f:
                header = f.readline().strip().split(",")
                if header != [*(f"n{j}" for j in range(len(header) - 1)), "missing"]:
                    raise ValueError("the first line is not n0,n1,...,missing")
                lines = f.readlines()
            if not lines:
                raise ValueError("no line under the header")
            table = np.loadtxt(lines, dtype=np.int64, delimiter=",", ndmin=2)
            if table.shape[1] != len(header):
                raise ValueError(f"{table.shape[1]} columns under {len(header)} names")
        except ValueError as e:
            raise InvalidInput("format", "path", f"{path} was not written by Counts.save: {e}") from None
        return cls(table[:, :-1], table[:, -1])

    # --- what the metrics ask for ---

    def states(self) -> States:
        """Distinct (n, c) of binary outcomes."""
        if self._states is None and self._found is not None:
            (c,) = np.nonzero(self._found)
            self._states = States(np.full(c.size, self.fewest), c, self._found[c])
        if self._states is None:
            self._states = states_of(self.trials, self.above[:, 0])
        return self._states

    def groups(self) -> list[Group]:
        """Exact first and second moments of the counts, one group for each number of trials, increasing."""
        if self._groups is None and self._found is not None:
            self._groups = _one_group(self.fewest, np.arange(self._found.size), self._found)
        if self._groups is None:
            if self.C == 1:
                self._groups = binary_groups(self.states())
            else:
                distinct = np.array([self.fewest]) if self._narrow.dtype == np.uint8 else np.unique(self.trials)
                self._groups = [
                    _group(int(n), self if distinct.size == 1 else self.select(self.trials == n)) for n in distinct
                ]
        return self._groups


def _whole(x: Any, name: str, ndim: int) -> Array:
    """Counts from the caller as a new int64 array."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.getmaskarray(x).any():
        raise InvalidInput("missing", name, f"{name} has masked entries")
    try:
        t = np.asarray(x)
    except Exception as e:
        raise InvalidInput("type", name, f"{name} cannot be read as an array: {e}") from None
    if t.ndim != ndim:
        raise InvalidInput("shape", name, f"{name} must be {ndim}-D, not {t.ndim}-D")
    if t.size == 0:
        raise InvalidInput("empty", name, f"{name} of shape {t.shape} holds no counts")
    if t.dtype.kind not in "iu":
        raise InvalidInput("type", name, f"{name} must hold integers, not {t.dtype}")
    bad = np.argwhere((t < 0) | (t > LARGEST_COUNT))
    if bad.size:
        place = ", ".join(str(int(i)) for i in bad[0])
        raise InvalidInput("range", name, f"{name}[{place}] = {t[tuple(bad[0])]} is not a count in 0..2^53 - 1")
    return t.astype(np.int64)


def binary_groups(states: States) -> list[Group]:
    """The groups of binary outcomes from their states."""
    n = int(states.n[-1])
    if n == states.n[0] and (one := _one_group(n, states.c, states.mult)):
        return one
    found: dict[int, list[int]] = {}
    for n, c, m in zip(states.n.tolist(), states.c.tolist(), states.mult.tolist(), strict=True):
        g = found.setdefault(n, [0, 0, 0])
        g[0] += m
        g[1] += m * c
        g[2] += m * c * (n - c)
    return [Group(n, M, [n * M - s, s], {(0, 1): p}) for n, (M, s, p) in found.items()]


def _one_group(n: int, c: Array, mult: Array) -> list[Group] | None:
    """The group of questions with n trials each, c successes of each state; None where its sums may not fit 64 bits."""
    if n >= 2**20:
        return None
    M, s, p = map(int, success_sums(n, c, mult))
    return [Group(n, M, [n * M - s, s], {(0, 1): p})] if M < 2**23 else None


def _byte_group(n: int, narrow: npt.NDArray[np.uint8]) -> Group:
    """The group of questions with n trials each, counted in bytes."""
    M, C = narrow.shape
    out = np.zeros((C, C + 1), np.int64)
    pair_sums(narrow, out)
    sums, out = out[:, C].tolist(), out[:, :C]
    square = (out + np.triu(out, 1).T).tolist()
    pairs = {(0, l): n * sums[l - 1] - sum(square[l - 1]) for l in range(1, C + 1)}
    pairs |= {(j, l): square[j - 1][l - 1] for j in range(1, C + 1) for l in range(j + 1, C + 1)}
    return Group(n, M, [n * M - sum(sums), *sums], pairs)


def _group(n: int, counts: Counts) -> Group:
    if counts._narrow.dtype == np.uint8:
        return _byte_group(n, counts._narrow)
    table = counts.table
    M, width = table.shape
    sums = [int(x) for x in table.sum(axis=0)]
    rows = max(1, min(M, (2**63 - 1) // max(1, n * n)))  # a block's pair sums must fit 64 bits
    blocks = [table[i : i + rows] for i in range(0, M, rows)] if n < 2**31 else [table.astype(object)]
    pairs = {
        (j, l): sum(int((b[:, j] * b[:, l]).sum()) for b in blocks) for j in range(width) for l in range(j + 1, width)
    }
    return Group(n, M, sums, pairs)


def distinct_rows(keys: Sequence[Array]) -> tuple[list[Array], Array, Array]:
    """Distinct rows of columns of equal length, increasing, with multiplicities; and which of them each row is."""
    order = np.lexsort(keys[::-1])
    columns = [x[order] for x in keys]
    new = np.ones(order.size, bool)
    new[1:] = np.logical_or.reduce([x[1:] != x[:-1] for x in columns])
    starts = np.flatnonzero(new)
    index = np.empty(order.size, np.int64)
    index[order] = np.cumsum(new) - 1
    return [x[starts] for x in columns], np.diff(np.append(starts, order.size)), index


def distinct(n: Array, c: Array) -> tuple[States, Array]:
    """Distinct pairs (n, c), increasing, with multiplicities; and which of them each entry is."""
    if _one_small(n, c):
        s = states_of(n, c)
        place = np.empty(int(s.c[-1]) + 1, np.int64)
        place[s.c] = np.arange(s.c.size)
        return s, place[c]
    (x, y), mult, index = distinct_rows([n, c])
    return States(x, y, mult), index


def joint_states(a: npt.NDArray[Any], b: npt.NDArray[Any], size: int) -> States:
    """Distinct pairs of integers below size, increasing; by counting where few pairs are possible."""
    if size * size > 4 * a.size + 4096 or a.size >= 2**32:
        return states_of(a.astype(np.int64), b.astype(np.int64))
    kernel, sides = (place_counts, [a]) if a is b else (pair_counts, [a, b])

    def run(part: slice) -> npt.NDArray[Any]:
        found = np.zeros([size] * len(sides), np.uint32)
        kernel(*(x[part] for x in sides), found)
        return found

    found = sum(on_threads(run, parts_of(a.size, a.size >= PARALLEL_SIZE)))
    places = np.nonzero(found)
    return States(places[0], places[-1], found[places].astype(np.int64))


def states_of(n: Array, c: Array) -> States:
    """The states of :func:`distinct` alone; by counting where all n are one and small."""
    if _one_small(n, c):
        mult = np.bincount(c)
        (found,) = np.nonzero(mult)
        return States(np.full(found.size, n[0]), found, mult[found])
    return distinct(n, c)[0]


def _one_small(n: Array, c: Array) -> bool:
    """Whether all n are one and the c small enough to count with."""
    return int(n.min()) == int(n.max()) and int(c.max()) <= 4 * n.size + 1024
