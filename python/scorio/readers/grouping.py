"""Groups of rows with equal codes, found in one pass where the possible keys are few, else by sorting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .columns import Codes

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


def grouped_rows(keys: Keys) -> tuple[Codes, Codes]:
    """The first row of each group of equal keys, in order of appearance, and the group of each row."""
    if not keys.fits_table:
        _, first, group = np.unique(keys.values(), return_index=True, return_inverse=True)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        return first[order], number[group]
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
    return np.concatenate(firsts), group


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
