"""Counts: what is left of the outcomes once they are read. Exact integers, mergeable, saveable."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import InvalidInput

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


class Counts:
    """How often each question got each category: all that any metric needs to know of R.

    Made by :func:`tally`, :meth:`from_table` or :meth:`from_successes`; accepted wherever R is.
    ``a + b`` joins the trials of the same questions.

    Attributes
    ----------
    above : ndarray of int64, shape (M, C)
        Counts of the categories 1..C.
    trials : ndarray of int64, shape (M,)
        Trials of each question.
    missing : int
        Outcomes that were absent and, by the stated policy, dropped.

    Examples
    --------
    >>> import scorio
    >>> counts = scorio.Counts.from_successes([2, 0, 3], [4, 4, 3])
    >>> counts.table.tolist()
    [[2, 2], [4, 0], [0, 3]]
    """

    def __init__(self, above: Array, trials: Array, missing: int = 0) -> None:
        self.above, self.trials, self.missing = above, trials, missing
        self._states: States | None = None
        self._groups: list[Group] | None = None

    @classmethod
    def from_table(cls, table: Any) -> Counts:
        """From an (M, C+1) table of counts: column j is how often category j occurred."""
        t = np.asarray(table)
        if t.dtype.kind not in "iu":
            raise InvalidInput("type", "table", f"table must hold integers, not {t.dtype}")
        if t.ndim != 2:
            raise InvalidInput("shape", "table", f"table must be 2-D (M, C+1), not {t.ndim}-D")
        if t.size == 0 or t.shape[1] < 1:
            raise InvalidInput("empty", "table", f"table of shape {t.shape} holds no counts")
        bad = np.argwhere((t < 0) | (t >= 2**53))
        if bad.size:
            i, j = (int(x) for x in bad[0])
            raise InvalidInput("range", "table", f"table[{i}, {j}] = {t[i, j]} is not a count in 0..2^53")
        t = t.astype(np.int64)
        if t.shape[1] == 1:
            t = np.column_stack([t, np.zeros_like(t)])
        return cls(np.ascontiguousarray(t[:, 1:]), t.sum(axis=1))

    @classmethod
    def from_successes(cls, c: Any, n: Any) -> Counts:
        """From successes c and trials n of each question, shape (M,)."""
        c, n = np.atleast_1d(np.asarray(c)), np.atleast_1d(np.asarray(n))
        for name, x in (("c", c), ("n", n)):
            if x.dtype.kind not in "iu":
                raise InvalidInput("type", name, f"{name} must hold integers, not {x.dtype}")
        if c.ndim != 1 or c.shape != n.shape:
            raise InvalidInput("shape", "n", f"c and n must be 1-D and of one length, not {c.shape} and {n.shape}")
        bad = np.flatnonzero((c < 0) | (c > n))
        if bad.size:
            i = int(bad[0])
            raise InvalidInput("range", "c", f"c[{i}] = {c[i]} is not in 0..n[{i}] = {n[i]}")
        return cls.from_table(np.column_stack([n - c, c]))

    @property
    def M(self) -> int:
        """Number of questions."""
        return self.above.shape[0]

    @property
    def C(self) -> int:
        """Largest category."""
        return self.above.shape[1]

    @property
    def table(self) -> Array:
        """Counts of all categories 0..C, shape (M, C+1)."""
        return np.column_stack([self.trials - self.above.sum(axis=1), self.above])

    @property
    def empty(self) -> list[int]:
        """Questions without a single trial."""
        return [int(i) for i in np.flatnonzero(self.trials == 0)]

    def select(self, keep: Any) -> Counts:
        """The counts of some of the questions; keep is a mask or an index array."""
        return Counts(self.above[keep], self.trials[keep], self.missing)

    def padded(self, C: int) -> Counts:
        """The same counts with categories up to C."""
        if C <= self.C:
            return self
        zeros = np.zeros((self.M, C - self.C), np.int64)
        return Counts(np.hstack([self.above, zeros]), self.trials, self.missing)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if other.M != self.M:
            raise InvalidInput("shape", "other", f"counts of {self.M} and of {other.M} questions cannot be added")
        a, b = self.padded(other.C), other.padded(self.C)
        return Counts(a.above + b.above, a.trials + b.trials, a.missing + b.missing)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return np.array_equal(self.above, other.above) and np.array_equal(self.trials, other.trials)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        low, high = int(self.trials.min()), int(self.trials.max())
        trials = str(low) if low == high else f"{low}..{high}"
        lost = f", {self.missing} missing" if self.missing else ""
        return f"Counts({self.M} questions, {trials} trials, categories 0..{self.C}{lost})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write as CSV, columns n0..nC, one question a line; a first comment line holds `missing`."""
        header = f"# scorio counts, missing={self.missing}\n" + ",".join(f"n{j}" for j in range(self.C + 1))
        np.savetxt(path, self.table, fmt="%d", delimiter=",", header=header, comments="")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read what :meth:`save` wrote."""
        with open(path, encoding="utf-8") as f:
            first, header = f.readline(), f.readline().strip().split(",")
            if not first.startswith("# scorio counts, missing=") or header != [f"n{j}" for j in range(len(header))]:
                raise InvalidInput("format", "path", f"{path} is not a file written by Counts.save")
            try:
                table = np.loadtxt(f, dtype=np.int64, delimiter=",", ndmin=2)
                missing = int(first.rpartition("=")[2])
            except ValueError as e:
                raise InvalidInput("format", "path", f"{path}: {e}") from None
        if table.shape[1] != len(header):
            raise InvalidInput("format", "path", f"{path}: {table.shape[1]} columns under {len(header)} names")
        counts = cls.from_table(table)
        counts.missing = missing
        return counts

    # --- what the metrics ask for ---

    def states(self) -> States:
        """Distinct (n, c) of binary outcomes."""
        if self._states is None:
            self._states = states_of(self.trials, self.above[:, 0])
        return self._states

    def groups(self) -> list[Group]:
        """Exact first and second moments of the counts, one group for each number of trials, increasing."""
        if self._groups is None:
            if self.C == 1:
                self._groups = _binary_groups(self.states())
            else:
                distinct = np.unique(self.trials)
                self._groups = [
                    _group(int(n), self if distinct.size == 1 else self.select(self.trials == n)) for n in distinct
                ]
        return self._groups


def _binary_groups(states: States) -> list[Group]:
    n, M = int(states.n[-1]), int(states.mult.sum())
    if n == states.n[0] and M * n * n < 2**63:  # one group whose sums fit 64 bits
        successes = states.mult * states.c
        s = int(successes.sum())
        return [Group(n, M, [n * M - s, s], {(0, 1): int((successes * (n - states.c)).sum())})]
    found: dict[int, list[int]] = {}
    for n, c, m in zip(states.n.tolist(), states.c.tolist(), states.mult.tolist(), strict=True):
        g = found.setdefault(n, [0, 0, 0])
        g[0] += m
        g[1] += m * c
        g[2] += m * c * (n - c)
    return [Group(n, M, [n * M - s, s], {(0, 1): p}) for n, (M, s, p) in found.items()]


def _group(n: int, counts: Counts) -> Group:
    table = counts.table
    M, width = table.shape
    sums = [int(x) for x in table.sum(axis=0)]
    rows = max(1, min(M, (2**63 - 1) // max(1, n * n)))  # a block's pair sums must fit 64 bits
    blocks = [table[i : i + rows] for i in range(0, M, rows)] if n < 2**31 else [table.astype(object)]
    pairs = {
        (j, l): sum(int((b[:, j] * b[:, l]).sum()) for b in blocks) for j in range(width) for l in range(j + 1, width)
    }
    return Group(n, M, sums, pairs)


def distinct(n: Array, c: Array) -> tuple[States, Array]:
    """Distinct pairs (n, c), increasing, with multiplicities; and which of them each entry is."""
    order = np.lexsort((c, n))
    sorted_n, sorted_c = n[order], c[order]
    new = np.concatenate([[True], (np.diff(sorted_n) != 0) | (np.diff(sorted_c) != 0)])
    starts = np.flatnonzero(new)
    index = np.empty(n.size, np.int64)
    index[order] = np.cumsum(new) - 1
    return States(sorted_n[starts], sorted_c[starts], np.diff(np.append(starts, n.size))), index


def states_of(n: Array, c: Array) -> States:
    """The states of :func:`distinct` alone; by counting where all n are one and small."""
    if int(n.min()) == int(n.max()) and int(c.max()) <= 4 * n.size + 1024:
        mult = np.bincount(c)
        (found,) = np.nonzero(mult)
        return States(np.full(found.size, n[0]), found, mult[found])
    return distinct(n, c)[0]
