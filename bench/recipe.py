"""Outcome matrices by an integer recipe: no random generator, the same matrix in every language."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

P = 2147483647
BLOCK = 1 << 16  # rows after which the recipe repeats


def block(M: int, N: int, C: int) -> npt.NDArray[np.int8]:
    """Matrix by the recipe of spec/README.md, seed 1: success rates grow with the row, so that every count occurs."""
    i, j = np.arange(1, M + 1, dtype=np.int64)[:, None], np.arange(1, N + 1, dtype=np.int64)[None, :]
    h = (i * 48271 + j * 16807 + 69621 + i * j * 39373) % P * 48271 % P
    return ((h % 10007 * (M + 1) < 10007 * i) * (1 if C == 1 else h // 10007 % (C + 1))).astype(np.int8)


def matrix(M: int, N: int, C: int = 1, dtype: str = "int8", order: str = "C") -> npt.NDArray[Any]:
    """Matrix of M questions, N trials and categories 0..C; it repeats after BLOCK rows."""
    first = block(min(M, BLOCK), N, C).astype(dtype)
    R = np.empty((M, N), dtype, order="F" if order == "F" else "C")
    for start in range(0, M, BLOCK):
        R[start : start + BLOCK] = first[: M - start]
    return R
