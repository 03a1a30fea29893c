"""Outcomes to counts: the one place that reads R. Integers only."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from . import checks
from ._jit import jit
from .counts import Array, Counts
from .errors import InvalidInput
from .matrix import FAR, as_matrix

LARGEST_C = 65535
LARGEST_CATEGORY = 255  # without C stated: a larger entry is more likely a mistake than a rubric
THREADS = min(2, os.cpu_count() or 1)
PARALLEL_SIZE = 1 << 21  # outcomes; below it threads cost more than they bring


# --- kernels: the loops over outcomes --------------------------------------------------------------


@jit
def _binary_rows(R, out):
    """Successes of each row; returns the first row with an entry other than 0 and 1, or -1."""
    bad = -1
    for i in range(R.shape[0]):
        row = R[i]
        s, seen = np.int64(0), np.int64(0)
        for j in range(row.size):
            x = np.int64(row[j])
            s += x
            seen |= x
        out[i] = s
        if bad < 0 and (seen < 0 or seen > 1):
            bad = i
    return bad


@jit
def _binary_columns(R, out):
    """The same, column by column in tiles of rows, for matrices stored by columns."""
    bad = -1
    seen = np.zeros(min(R.shape[0], 4096), np.int64)
    for start in range(0, R.shape[0], 4096):
        tile = R[start : start + 4096]
        seen[:] = 0
        for j in range(R.shape[1]):
            for i in range(tile.shape[0]):
                x = np.int64(tile[i, j])
                out[start + i] += x
                seen[i] |= x
        for i in range(tile.shape[0]):
            if bad < 0 and (seen[i] < 0 or seen[i] > 1):
                bad = start + i
    return bad


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


def _blocks(kernel: Any, R: npt.NDArray[Any], *args: Any, out: tuple[Array, ...]) -> int:
    """Run a kernel over blocks of rows, on threads when R is large; returns the first bad row or -1."""
    if R.size < PARALLEL_SIZE or THREADS == 1:
        return int(kernel(R, *args, *out))
    step = ceil(R.shape[0] / THREADS)
    starts = range(0, R.shape[0], step)

    def run(i: int) -> int:
        bad = int(kernel(R[i : i + step], *args, *(o[i : i + step] for o in out)))
        return bad if bad < 0 else bad + i

    with ThreadPoolExecutor(THREADS) as pool:
        return next((bad for bad in pool.map(run, starts) if bad >= 0), -1)


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
    M, N = A.shape
    width = max(C, 1)
    above = np.zeros((M, width), np.int64)
    columns = A.flags.f_contiguous and not A.flags.c_contiguous
    if A.dtype.kind == "b":
        A = A.view(np.uint8)
    if C == 1 and code is None and A.dtype.kind in "iu":
        bad = _blocks(_binary_columns if columns else _binary_rows, A, out=(above[:, 0],))
        trials: Array = np.broadcast_to(np.int64(N), M)
    else:
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
    return Counts._of(above, np.broadcast_to(np.int64(N), M), np.broadcast_to(np.int64(0), M))


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
