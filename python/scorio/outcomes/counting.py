"""Loops that count outcomes, and loops over counts, in integers only. Entries are checked, shapes are not.

Kernels that other modules call replace NumPy functions (*_by_numpy), which run until compiling pays (jit.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arithmetic.jit import jit, jit_instead_of

TILE = 4096  # rows whose sums fit the fastest cache
# BYTES, SEVENS: words whose bytes are 1 or 7; PAIRS: a word whose pairs of bytes are 1; EVEN_BYTES: a mask of the lower
# byte of each pair; TOP_*: the shifts that leave the highest byte or pair of a word
BYTES, SEVENS, TOP_BYTE = np.uint64(0x0101010101010101), np.uint64(0x0707070707070707), np.uint64(56)
EVEN_BYTES, PAIRS, TOP_PAIR = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0001000100010001), np.uint64(48)
EIGHT = np.uint64(8)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


# --- outcomes, in NumPy -----------------------------------------------------------------------------


def blocks(R: npt.NDArray[Any]) -> Iterator[slice]:
    """Slices of rows of about 2^16 entries, which bound the memory that NumPy takes for them."""
    rows = max(1, 2**16 // max(1, R.shape[1]))
    return (slice(i, i + rows) for i in range(0, R.shape[0], rows))


def binary_by_numpy(R: npt.NDArray[Any], out: npt.NDArray[Any], histogram: npt.NDArray[Any]) -> bool:
    """Count the successes of each row of 0 and 1, and add them to the histogram. False if another entry occurs."""
    for rows in blocks(R):
        part = R[rows]
        if part.max(initial=0) > 1 or (part.dtype.kind == "i" and part.min(initial=0) < 0):
            return False
        out[rows] = part.sum(axis=1, dtype=np.int64)
        histogram += np.bincount(out[rows], minlength=histogram.size)
    return True


def words_by_numpy(W: npt.NDArray[np.uint64], out: npt.NDArray[Any], histogram: npt.NDArray[Any]) -> bool:
    """Count successes like binary_by_numpy(), for rows of bytes that are passed as words."""
    return binary_by_numpy(W.view(np.uint8).reshape(W.shape[0], -1), out, histogram)


def categories_by_numpy(R: npt.NDArray[Any], C: int, out: npt.NDArray[np.uint8]) -> bool:
    """Count the categories 1..C of each row of at most 255 entries. out: (C, M). False if an entry is not in 0..C."""
    R = R.view(np.uint8).reshape(R.shape[0], -1)
    for rows in blocks(R):
        if R[rows].max(initial=0) > C:
            return False
        for q in range(1, C + 1):
            out[q - 1, rows] = np.count_nonzero(R[rows] == q, axis=1)
    return True


def graded_by_numpy(R: npt.NDArray[Any], C: int, coded: bool, code: Any, category_counts: Any, trials: Any) -> int:
    """Count the categories 1..C and the trials of each row; returns the index of a row with a bad entry, or -1.

    NaN means missing, and so does `code` if `coded`; any other entry that is not in 0..C is bad.
    """
    width = category_counts.shape[1]
    for rows in blocks(R):
        part = R[rows]
        present = part == part
        if coded:
            present &= part != code
        wrong = present & ~((part >= 0) & (part <= C))
        if part.dtype.kind == "f":
            wrong |= present & ~wrong & (part != np.trunc(part))
        if wrong.any():
            return rows.start + int(wrong.any(axis=1).argmax())
        trials[rows] = present.sum(axis=1)
        row, column = np.nonzero(present & (part != 0))
        cells = row * width + part[row, column].astype(np.int64) - 1
        category_counts[rows] += np.bincount(cells, minlength=part.shape[0] * width).reshape(-1, width)
    return -1


# --- outcomes --------------------------------------------------------------------------------------


@jit
def byte_sum(x):
    """The sum of the eight bytes of a word, modulo 256."""
    return (x * BYTES) >> TOP_BYTE


@jit
def wide_sum(x):
    """The sum of the eight bytes of a word."""
    pairs = (x & EVEN_BYTES) + ((x >> EIGHT) & EVEN_BYTES)
    return (pairs * PAIRS) >> TOP_PAIR


@jit
def line_sums(B, i, j):
    """The sum and the bitwise or of the eight words of a line; the sum adds each of the eight bytes by itself."""
    total, seen = ZERO, ZERO
    for l in range(8):
        total += B[i, j, l]
        seen |= B[i, j, l]
    return total, seen


@jit_instead_of(words_by_numpy)
def binary_lines(B, out, histogram):
    """Count the successes of each row of 0 and 1, and add them to the histogram. False if another entry occurs.

    For rows of at most 2040 bytes (255 words, so that no byte of a sum overflows), in lines of eight words.
    B: (M, lines, 8); most matrices have one line.
    """
    seen = ZERO
    for i in range(B.shape[0]):
        total, bits = line_sums(B, i, 0)
        seen |= bits
        for j in range(1, B.shape[1]):
            more, bits = line_sums(B, i, j)
            total += more
            seen |= bits
        if seen & ~BYTES:  # before a sum is used as an index
            return False
        s = wide_sum(total)
        out[i] = s
        histogram[s] += 1
    return True


@jit_instead_of(words_by_numpy)
def binary_words(W, out, histogram):
    """Count successes like binary_lines(), for rows of at most 255 words, four rows at a time."""
    M, seen = W.shape[0], ZERO
    for i in range(0, M, 4):
        p, q, r = min(i + 1, M - 1), min(i + 2, M - 1), min(i + 3, M - 1)
        a, b, c, d = ZERO, ZERO, ZERO, ZERO
        for j in range(W.shape[1]):
            a += W[i, j]
            b += W[p, j]
            c += W[q, j]
            d += W[r, j]
            seen |= W[i, j] | W[p, j] | W[q, j] | W[r, j]
        if seen & ~BYTES:  # before a sum is used as an index
            return False
        out[i], out[p], out[q], out[r] = wide_sum(a), wide_sum(b), wide_sum(c), wide_sum(d)
        for k in range(i, r + 1):
            histogram[out[k]] += 1
    return True


@jit_instead_of(binary_by_numpy)
def binary_rows(R, out, histogram):
    """Count the successes of each row of 0 and 1, and add them to the histogram. False if another entry occurs."""
    for i in range(R.shape[0]):
        row = R[i]
        s, seen = np.int64(0), np.int64(0)
        for j in range(row.size):
            x = np.int64(row[j])
            s += x
            seen |= x
        if seen < 0 or seen > 1:
            return False
        out[i] = s
        histogram[s] += 1
    return True


@jit
def add_columns(left, right, sums, seen):
    """Add eight columns, four in each of left and right, to the sums of their rows, and to the bits seen."""
    a, b, c, d = left[:, 0], left[:, 1], left[:, 2], left[:, 3]
    e, f, g, h = right[:, 0], right[:, 1], right[:, 2], right[:, 3]
    for i in range(a.size):
        first = np.uint8(np.uint8(a[i]) + np.uint8(b[i]) + np.uint8(c[i]) + np.uint8(d[i]))
        sums[i] += np.uint8(first + np.uint8(e[i]) + np.uint8(f[i]) + np.uint8(g[i]) + np.uint8(h[i]))
        seen[i] |= a[i] | b[i] | c[i] | d[i] | e[i] | f[i] | g[i] | h[i]


@jit_instead_of(binary_by_numpy)
def binary_columns(R, out, histogram):
    """Count successes like binary_rows(), eight columns at a time, for matrices stored by columns."""
    sums, seen = np.zeros(TILE, np.uint8), np.zeros(TILE, R.dtype)
    for start in range(0, R.shape[0], TILE):
        tile = R[start : start + TILE]
        seen[:] = 0
        out[start : start + TILE] = 0
        for first in range(0, R.shape[1], 252):  # sums of at most 255 columns fit a byte
            sums[:] = 0
            stop = min(first + 252, R.shape[1])
            for j in range(first, stop - 7, 8):
                add_columns(tile[:, j : j + 4], tile[:, j + 4 : j + 8], sums, seen)
            for j in range(stop - (stop - first) % 8, stop):
                a = tile[:, j]
                for i in range(a.size):
                    sums[i] += np.uint8(a[i])
                    seen[i] |= a[i]
            for i in range(tile.shape[0]):
                out[start + i] += sums[i]
        for i in range(tile.shape[0]):
            if seen[i] < 0 or seen[i] > 1:
                return False
            histogram[out[start + i]] += 1
    return True


@jit_instead_of(categories_by_numpy)
def bit_planes(W, C, out):
    """Count categories like category_rows(), for C <= 4 and rows of whole words, from the bits of the words."""
    seen, mixed, limit = ZERO, ZERO, C
    for i in range(W.shape[0]):
        a, b, c, ab = ZERO, ZERO, ZERO, ZERO
        for j in range(W.shape[1]):
            w = W[i, j]
            x, y, z = w & BYTES, (w >> ONE) & BYTES, (w >> TWO) & BYTES  # the bits of weight 1, 2 and 4
            seen |= w
            mixed |= (x | y) & z  # not 0 if a byte is 5, 6 or 7
            a, b, c, ab = a + x, b + y, c + z, ab + (x & y)
        three = byte_sum(ab)
        counts = (byte_sum(a) - three, byte_sum(b) - three, three, byte_sum(c))
        for j in range(4):
            if j < limit:
                out[j, i] = counts[j]
            elif counts[j]:
                return False
    return ((seen & ~SEVENS) | mixed) == ZERO  # else a byte is 5 or more


@jit_instead_of(categories_by_numpy)
def category_rows(R, C, out):
    """Count the categories 1..C of each row of at most 255 entries. out: (C, M). False if an entry is not in 0..C."""
    for i in range(R.shape[0]):
        row, n_valid = R[i], np.int64(0)
        for q in range(C + 1):
            s, x = np.uint8(0), np.uint8(q)
            for j in range(row.size):
                s = np.uint8(s + np.uint8(np.uint8(row[j]) == x))
            n_valid += s
            if q > 0:
                out[q - 1, i] = s
        if n_valid != row.size:
            return False
    return True


@jit
def compare_four(four, x, n, n_valid):
    """Add the number of entries x in each row of four columns to n_valid, and to n unless x is 0."""
    a, b, c, d, counted = four[:, 0], four[:, 1], four[:, 2], four[:, 3], np.uint8(x > 0)
    for i in range(n.size):
        hits = np.uint8(np.uint8(np.uint8(a[i]) == x) + np.uint8(np.uint8(b[i]) == x))
        hits = np.uint8(hits + np.uint8(np.uint8(c[i]) == x) + np.uint8(np.uint8(d[i]) == x))
        n_valid[i] += hits
        n[i] += np.uint8(hits * counted)


@jit
def compare_one(a, x, n, n_valid):
    """Add 1 to n_valid for each entry x of a column, and to n unless x is 0."""
    counted = np.uint8(x > 0)
    for i in range(n.size):
        hit = np.uint8(np.uint8(a[i]) == x)
        n_valid[i] += hit
        n[i] += np.uint8(hit * counted)


@jit_instead_of(categories_by_numpy)
def category_columns(R, C, out):
    """Count categories like category_rows(), four columns at a time, for matrices stored by columns."""
    M, N = R.shape
    n_valid = np.zeros(TILE, np.uint8)
    for start in range(0, M, TILE):
        tile = R[start : start + TILE]
        n_valid[:] = 0
        for j in range(0, N, 4):
            for q in range(C + 1):
                x, n = np.uint8(q), out[max(q - 1, 0), start : start + TILE]
                if j + 4 <= N:
                    compare_four(tile[:, j : j + 4], x, n, n_valid)
                else:
                    for l in range(j, N):
                        compare_one(tile[:, l], x, n, n_valid)
        for i in range(tile.shape[0]):
            if n_valid[i] != N:
                return False
    return True


@jit
def category(x, C):
    """The category x as an integer 0..C; -1 if x is not one. The caller handles NaN."""
    if not (x >= 0 and x <= C):
        return np.int64(-1)
    q = np.int64(x)
    return q if q == x else np.int64(-1)


@jit_instead_of(graded_by_numpy)
def graded_rows(R, C, coded, code, category_counts, trials):
    """Count the categories 1..C and the trials of each row; returns the index of a row with a bad entry, or -1.

    NaN means missing, and so does `code` if `coded`; any other entry that is not in 0..C is bad.
    """
    for i in range(R.shape[0]):
        row, t = R[i], 0
        for j in range(row.size):
            x = row[j]
            if x != x or (coded and x == code):
                continue
            q = category(x, C)
            if q < 0:
                return i
            if q > 0:
                category_counts[i, q - 1] += 1
            t += 1
        trials[i] = t
    return -1


@jit_instead_of(graded_by_numpy)
def graded_columns(R, C, coded, code, category_counts, trials):
    """Count categories and trials like graded_rows(), column by column, for matrices stored by columns."""
    for start in range(0, R.shape[0], TILE):
        stop = min(start + TILE, R.shape[0])
        for j in range(R.shape[1]):
            for i in range(start, stop):
                x = R[i, j]
                if x != x or (coded and x == code):
                    continue
                q = category(x, C)
                if q < 0:
                    return i
                if q > 0:
                    category_counts[i, q - 1] += 1
                trials[i] += 1
    return -1


# --- counts, in NumPy -------------------------------------------------------------------------------


def pair_sums_by_numpy(narrow: npt.NDArray[np.uint8], out: npt.NDArray[np.int64]) -> None:
    """Add to out[j, l] the sum of n_j n_l, j <= l, and to its last column that of n_j; n_j: column j of `narrow`."""
    for rows in blocks(narrow):
        n = narrow[rows].astype(np.int64)
        out[:, :-1] += np.triu(n.T @ n)
        out[:, -1] += n.sum(axis=0)


def success_sums_by_numpy(n: int, c: npt.NDArray[Any], mult: npt.NDArray[Any]) -> tuple[int, int, int]:
    """Numbers of questions and successes, and the sum of successes times failures, of states with n trials each."""
    s = mult * c
    return int(mult.sum()), int(s.sum()), int((s * (n - c)).sum())


def pair_counts_by_numpy(a: npt.NDArray[Any], b: npt.NDArray[Any], joint: npt.NDArray[np.uint32]) -> None:
    """Add to joint[x, y] the number of indices at which a is x and b is y."""
    width = joint.shape[1]
    for i in range(0, a.size, 2**16):
        cells = a[i : i + 2**16].astype(np.int64) * width + b[i : i + 2**16]
        joint += np.bincount(cells, minlength=joint.size).reshape(joint.shape).astype(np.uint32)


def value_counts_by_numpy(a: npt.NDArray[Any], histogram: npt.NDArray[np.uint32]) -> None:
    """Add to histogram[x] the number of occurrences of x in a."""
    histogram += np.bincount(a, minlength=histogram.size).astype(np.uint32)


# --- counts ----------------------------------------------------------------------------------------


@jit_instead_of(pair_sums_by_numpy)
def pair_sums(narrow, out):
    """Add to out[j, l] the sum of n_j n_l, j <= l, and to its last column that of n_j; n_j: column j of `narrow`.

    The counts are bytes: 4096 products of them fit 32 bits.
    """
    C = narrow.shape[1]
    for start in range(0, narrow.shape[0], 4096):
        for j in range(C):
            a, s = narrow[start : start + 4096, j], np.int32(0)
            for i in range(a.size):
                s = np.int32(s + np.int32(a[i]))
            out[j, C] += s
            for l in range(j, C):
                a, b, s = narrow[start : start + 4096, j], narrow[start : start + 4096, l], np.int32(0)
                for i in range(a.size):
                    s = np.int32(s + np.int32(a[i]) * np.int32(b[i]))
                out[j, l] += s


@jit_instead_of(success_sums_by_numpy)
def success_sums(n, c, mult):
    """Numbers of questions and successes, and the sum of successes times failures, of states with n trials each."""
    M, s, p = np.int64(0), np.int64(0), np.int64(0)
    for i in range(c.size):
        M += mult[i]
        s += mult[i] * c[i]
        p += mult[i] * c[i] * (n - c[i])
    return M, s, p


@jit_instead_of(pair_counts_by_numpy)
def pair_counts(a, b, joint):
    """Add to joint[x, y] the number of indices at which a is x and b is y."""
    for i in range(a.size):
        joint[a[i], b[i]] += np.uint32(1)


@jit_instead_of(value_counts_by_numpy)
def value_counts(a, histogram):
    """Add to histogram[x] the number of occurrences of x in a."""
    for i in range(a.size):
        histogram[a[i]] += np.uint32(1)
