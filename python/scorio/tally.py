"""Outcomes to counts: the one place that reads R. Integers only."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from . import checks
from ._jit import jit
from .counts import Array, Counts, constant
from .errors import InvalidInput
from .matrix import FAR, as_matrix

LARGEST_C = 65535
LARGEST_CATEGORY = 255  # without C stated: a larger entry is more likely a mistake than a rubric
THREADS = min(2, os.cpu_count() or 1)
PARALLEL_SIZE = 1 << 21  # outcomes; below it threads cost more than they bring
TILE = 16384  # rows whose sums stay in a near cache
BYTES, SEVENS, TOP_BYTE = np.uint64(0x0101010101010101), np.uint64(0x0707070707070707), np.uint64(56)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


# --- kernels: the loops over outcomes --------------------------------------------------------------


@jit
def _bytes(x):
    """The sum of the eight bytes of a word, modulo 256."""
    return (x * BYTES) >> TOP_BYTE


@jit
def _words(W, out, found):
    """The same for rows of at most 2040 bytes, as words of eight: eight sums at once, of four rows at a time."""
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
        out[i], out[p], out[q], out[r] = _bytes(a), _bytes(b), _bytes(c), _bytes(d)
        for k in range(i, r + 1):
            found[out[k]] += 1
    return seen & ~BYTES == ZERO


@jit
def _rows_of(R, out, found):
    """Successes of each row of 0 and 1, and how many rows have 0..N of them. False where another entry stands."""
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
        found[s] += 1
    return True


@jit
def _columns_of(R, out, found):
    """The same by four columns at a time in tiles of rows, for matrices stored by columns."""
    sums, seen = np.zeros(TILE, np.uint8), np.zeros(TILE, R.dtype)
    for start in range(0, R.shape[0], TILE):
        tile = R[start : start + TILE]
        seen[:] = 0
        out[start : start + TILE] = 0
        for first in range(0, R.shape[1], 252):
            sums[:] = 0
            stop = min(first + 252, R.shape[1])
            for j in range(first, stop - 3, 4):
                a, b, c, d = tile[:, j], tile[:, j + 1], tile[:, j + 2], tile[:, j + 3]
                for i in range(a.size):
                    sums[i] += np.uint8(np.uint8(a[i]) + np.uint8(b[i]) + np.uint8(c[i]) + np.uint8(d[i]))
                    seen[i] |= a[i] | b[i] | c[i] | d[i]
            for j in range(stop - (stop - first) % 4, stop):
                a = tile[:, j]
                for i in range(a.size):
                    sums[i] += np.uint8(a[i])
                    seen[i] |= a[i]
            for i in range(tile.shape[0]):
                out[start + i] += sums[i]
        for i in range(tile.shape[0]):
            if seen[i] < 0 or seen[i] > 1:
                return False
            found[out[start + i]] += 1
    return True


@jit
def _planes(W, C, out):
    """Counts of the categories 1..4 of each row of at most 255 bytes, from the bits of words. out: (C, M), C <= 4."""
    seen, mixed, limit = ZERO, ZERO, C
    for i in range(W.shape[0]):
        a, b, c, ab = ZERO, ZERO, ZERO, ZERO
        for j in range(W.shape[1]):
            w = W[i, j]
            x, y, z = w & BYTES, (w >> ONE) & BYTES, (w >> TWO) & BYTES
            seen |= w
            mixed |= (x | y) & z
            a, b, c, ab = a + x, b + y, c + z, ab + (x & y)
        three = _bytes(ab)
        counts = (_bytes(a) - three, _bytes(b) - three, three, _bytes(c))
        for j in range(4):
            if j < limit:
                out[j, i] = counts[j]
            elif counts[j]:
                return False
    return (seen & ~SEVENS) | mixed == ZERO


@jit
def _compared(R, C, out):
    """Counts of the categories 1..C of each row of at most 255 entries, category by category. out: (C, M)."""
    for i in range(R.shape[0]):
        row, known = R[i], np.int64(0)
        for q in range(C + 1):
            s, x = np.uint8(0), np.uint8(q)
            for j in range(row.size):
                s = np.uint8(s + np.uint8(np.uint8(row[j]) == x))
            known += s
            if q > 0:
                out[q - 1, i] = s
        if known != row.size:
            return False
    return True


@jit
def _category(x, C):
    """The category 0..C that x states; -1 where it states none; NaN is told apart before."""
    if not (x >= 0 and x <= C):
        return np.int64(-1)
    q = np.int64(x)
    return q if q == x else np.int64(-1)


@jit
def _rows(R, C, coded, code, above, trials):
    """Counts of 1..C and trials of each row; returns a row with a bad entry, or -1. NaN and code are missing."""
    for i in range(R.shape[0]):
        row, t = R[i], 0
        for j in range(row.size):
            x = row[j]
            if x != x or (coded and x == code):
                continue
            q = _category(x, C)
            if q < 0:
                return i
            if q > 0:
                above[i, q - 1] += 1
            t += 1
        trials[i] = t
    return -1


@jit
def _columns(R, C, coded, code, above, trials):
    """The same, column by column in tiles of rows."""
    for start in range(0, R.shape[0], 4096):
        stop = min(start + 4096, R.shape[0])
        for j in range(R.shape[1]):
            for i in range(start, stop):
                x = R[i, j]
                if x != x or (coded and x == code):
                    continue
                q = _category(x, C)
                if q < 0:
                    return i
                if q > 0:
                    above[i, q - 1] += 1
                trials[i] += 1
    return -1


def _parts(size: int, M: int) -> list[slice]:
    """Blocks of rows for as many threads as bring something."""
    parts = THREADS if size >= PARALLEL_SIZE else 1
    step = ceil(M / parts)
    return [slice(i, i + step) for i in range(0, M, step)]


_pool: list[ThreadPoolExecutor] = []  # one for the process, made when it is first needed
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.clear)  # threads do not survive a fork


def _on_threads(run: Callable[[slice], Any], parts: list[slice]) -> list[Any]:
    """Run over all parts, the last one on this thread."""
    if len(parts) == 1:
        return [run(parts[0])]
    if not _pool:
        _pool.append(ThreadPoolExecutor(THREADS))
    others = [_pool[0].submit(run, part) for part in parts[:-1]]
    last = run(parts[-1])
    return [*(other.result() for other in others), last]


def _blocks(kernel: Any, R: npt.NDArray[Any], *args: Any, out: tuple[Array, ...]) -> int:
    """Run a kernel over blocks of rows; returns the first bad row or -1."""

    def run(part: slice) -> int:
        bad = int(kernel(R[part], *args, *(o[part] for o in out)))
        return bad if bad < 0 else bad + part.start

    return next((bad for bad in _on_threads(run, _parts(R.size, R.shape[0])) if bad >= 0), -1)


def _binary(A: npt.NDArray[Any]) -> Counts | None:
    """Counts of a complete matrix of 0 and 1; None where it holds anything else."""
    M, N = A.shape
    narrow = np.zeros((M, 1), np.min_scalar_type(N))
    if A.flags.f_contiguous and not A.flags.c_contiguous:
        kernel = _columns_of
    elif _has_words(A) and N <= 255 * 8:
        kernel, A = _words, A.view(np.uint64)
    else:
        kernel = _rows_of

    def run(part: slice) -> tuple[bool, Array]:
        found = np.zeros(N + 1, np.int64)
        return bool(kernel(A[part], narrow[part, 0], found)), found

    results = _on_threads(run, _parts(M * N, M))
    if not all(fine for fine, _ in results):
        return None
    return Counts._uniform(narrow, N, sum((found for _, found in results[1:]), results[0][1]))


def _has_words(A: npt.NDArray[Any]) -> bool:
    """Whether the rows of bytes are whole words of eight."""
    return A.itemsize == 1 and A.shape[1] % 8 == 0 and A.flags.c_contiguous


def _graded(A: npt.NDArray[Any], C: int) -> Counts | None:
    """Counts of a complete matrix of bytes in 0..C; None where it holds anything else."""
    M, N = A.shape
    out = np.zeros((C, M), np.uint8)
    kernel = _planes if C <= 4 and _has_words(A) else _compared
    words = A.view(np.uint64) if kernel is _planes else A
    results = _on_threads(lambda part: bool(kernel(words[part], C, out[:, part])), _parts(M * N, M))
    return Counts._uniform(out.T, N, None) if all(results) else None


# --- the front door --------------------------------------------------------------------------------


def tally(R: Any, C: int | None = None, *, missing: str | int = "raise", missing_code: int | None = None) -> Counts:
    """Count the outcomes of each question, in one pass over R and without copying it.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C, one row a question: integers, booleans or integer-valued floats, in any
        memory order; 1-D is one question. Rows of unequal length need a policy.
    C : int, optional
        Largest category. Default: the largest entry, at least 1, at most 255.
    missing : {"raise", "drop"} or int, default "raise"
        What to do with missing outcomes (NaN, None, masked, absent ends of short rows, missing_code):
        refuse them; leave them out of the trials; or count them as this category.
    missing_code : int, optional
        An entry, such as -1, that your data uses for "missing".

    Returns
    -------
    Counts

    Raises
    ------
    InvalidInput
        type, shape, ragged, empty, category, fractional, missing, not_finite, choice.

    Examples
    --------
    >>> import scorio
    >>> scorio.tally([[0, 1, 1], [1, None, 1]], missing="drop")
    Counts(2 questions, 2..3 trials, categories 0..1, 1 missing)
    """
    C = None if C is None else checks.integer(C, "C", 1, LARGEST_C)
    return count(R, C, missing, missing_code=missing_code)


def count(
    R: Any, C: int | None, missing: str | int, name: str = "R", w_given: bool = False, missing_code: int | None = None
) -> Counts:
    """Tally with the checks of its own arguments done; name and w_given say whom to blame."""
    checks.policy(missing, C)
    missing_code = checks.code(missing_code)
    if isinstance(R, Counts):
        if C is not None and R.C > C and bool((over := R.above[:, C:]).any()):
            i, j = (int(x) for x in np.argwhere(over)[0])
            raise _too_high(name, f"question {i}", j + C + 1, C, w_given)
        return R.padded(C or 1) if C is None or R.C <= C else Counts._of(R.above[:, :C], R.trials, R.absent)
    A, code, padding = as_matrix(R, name, missing, missing_code)
    if C is None:
        C = _largest(A, code, name)
        checks.policy(missing, C)
    if A.dtype.kind == "b":
        A = A.view(np.uint8)
    if C == 1 and code is None and A.dtype.kind in "iu":
        found = _binary(A)
        if found is not None:
            return found
    elif 1 < C <= 16 and code is None and A.dtype.kind in "iu" and A.itemsize == 1 and A.shape[1] <= 255:
        found = _graded(A, C) if not A.flags.f_contiguous or A.flags.c_contiguous else None
        if found is not None:
            return found
    M, N = A.shape
    width = max(C, 1)
    above = np.zeros((M, width), np.int64)
    columns = A.flags.f_contiguous and not A.flags.c_contiguous
    trials = np.zeros(M, np.int64)
    args = (C, code is not None, np.int64(code or 0))
    bad = _blocks(_columns if columns else _rows, A, *args, out=(above, trials))
    if bad >= 0:
        raise _bad_entry(A[bad], bad, C, code, name, w_given)
    absent = N - trials
    if absent.any() and missing == "raise":
        raise _missing_entry(A, trials, code, name)
    if missing in ("raise", "drop"):
        return Counts._of(above, trials, absent - padding)
    if int(missing) > 0:
        above[:, int(missing) - 1] += absent
    return Counts._of(above, constant(N, M), constant(0, M))


def _largest(A: npt.NDArray[Any], code: int | None, name: str) -> int:
    """The largest category in A, at least 1. Bad entries are left to the count."""
    with np.errstate(all="ignore"):
        top = np.fmax.reduce(A if code is None else A[code != A], axis=None, initial=0)
    if top != top or top <= 1:
        return 1
    if top > LARGEST_CATEGORY:
        i, j = (int(x) for x in np.argwhere(top == A)[0])
        if np.isinf(top):
            raise InvalidInput("not_finite", name, f"{name}[{i}, {j}] = {A[i, j]} is not finite")
        raise InvalidInput(
            "category", name, f"{name}[{i}, {j}] = {A[i, j]} is above {LARGEST_CATEGORY}: state C if that is meant"
        )
    return ceil(top)


def _too_high(name: str, place: str, x: Any, C: int, w_given: bool) -> InvalidInput:
    if w_given and name != "R0":
        return InvalidInput("length", "w", f"w has {C + 1} weights, but {place} of {name} is category {x}")
    rule = (
        f"0..{C}, the categories that w has weights for"
        if w_given
        else f"0..{C}" + (" (binary outcomes; pass w for categories)" if C == 1 else "")
    )
    return InvalidInput("category", name, f"{place} of {name} is category {x}, outside {rule}")


def _bad_entry(row: npt.NDArray[Any], i: int, C: int, code: int | None, name: str, w_given: bool) -> InvalidInput:
    """The error for the first bad entry of a row that has one."""
    for j, item in enumerate(row.tolist()):
        if item != item or item == code or (0 <= item <= C and item == int(item)):
            continue
        far = isinstance(item, int) and abs(item) >= FAR  # lists of larger integers were cut to this
        place = f"{name}[{i}, {j}]" + (", an integer beyond 2^62," if far else f" = {item}")
        if item in (float("inf"), float("-inf")):
            return InvalidInput("not_finite", name, f"{place} is not finite")
        if item != int(item):
            return InvalidInput("fractional", name, f"{place} is not a whole number")
        if item < 0:
            hint = "; if it means missing, say so to tally(..., missing_code=)" if code is None else ""
            return InvalidInput("category", name, f"{place} is negative{hint}")
        return _too_high(name, f"entry [{i}, {j}]", int(item), C, w_given)
    raise AssertionError("a row was reported bad without a bad entry")


def _missing_entry(A: npt.NDArray[Any], trials: Array, code: int | None, name: str) -> InvalidInput:
    i = int(np.flatnonzero(trials != A.shape[1])[0])
    j = next(j for j, x in enumerate(A[i].tolist()) if x != x or x == code)
    return InvalidInput(
        "missing", name, f'{name}[{i}, {j}] is missing: state a policy, missing="drop" or a category to count it as'
    )
