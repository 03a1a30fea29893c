"""Counts of the categories in outcomes R, whatever the form of R."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arguments import Missing
from ..arithmetic.jit import on_threads, thread_slices
from ..errors import InvalidInput
from .answers import Detailed
from .counting import (
    binary_columns,
    binary_lines,
    binary_rows,
    binary_words,
    bit_planes,
    blocks,
    category_columns,
    category_rows,
    graded_columns,
    graded_rows,
)
from .counts import Counts, constant
from .identity import row_labels
from .matrix import CLIP, read_matrix, unwrapped
from .states import MAX_DENSE, Array, Sparse

Outcomes: TypeAlias = Counts | Detailed | npt.ArrayLike | Sequence[Sequence[int | float | None]]  # what R may be
Models: TypeAlias = Mapping[Any, Outcomes] | Sequence[Outcomes] | npt.ArrayLike  # what R of many models may be

LARGEST_C = 65535  # the largest C that a caller may state
LARGEST_CATEGORY = 255  # without C, a larger entry is more likely a mistake than a category
ABSENT = 255  # a missing outcome among bytes
PARALLEL_SIZE = 1 << 21  # from this many outcomes on, threads are faster


def _row_parts(R: npt.NDArray[Any]) -> list[slice]:
    """Blocks of rows: one for each thread if there are many outcomes."""
    return thread_slices(R.shape[0], R.size >= PARALLEL_SIZE)


def _bad_row(kernel: Any, R: npt.NDArray[Any], *args: Any, out: tuple[Array, ...]) -> int:
    """Run a kernel over blocks of rows, and return the index of a row with a bad entry, or -1."""

    def run(part: slice) -> int:
        bad = int(kernel(R[part], *args, *(o[part] for o in out)))
        return bad if bad < 0 else bad + part.start

    return next((bad for bad in on_threads(run, _row_parts(R)) if bad >= 0), -1)


def _binary(A: npt.NDArray[Any]) -> Counts | None:
    """Counts of a complete matrix of 0 and 1; None if another entry occurs."""
    (M, N), parts = A.shape, _row_parts(A)
    narrow = np.zeros((M, 1), np.min_scalar_type(N))
    if _by_columns(A):
        kernel = binary_columns
    elif _has_words(A) and N <= 255 * 8:
        lines = N % 64 == 0
        kernel, A = binary_lines if lines else binary_words, A.view(np.uint64)
        A = A.reshape(M, -1, 8) if lines else A
    else:
        kernel = binary_rows

    def run(part: slice) -> tuple[bool, Array]:
        histogram = np.zeros(N + 1, np.int64)
        return bool(kernel(A[part], narrow[part, 0], histogram)), histogram

    results = on_threads(run, parts)
    if not all(valid for valid, _ in results):
        return None
    return Counts._uniform(narrow, N, sum((histogram for _, histogram in results[1:]), results[0][1]))


def _by_columns(A: npt.NDArray[Any]) -> bool:
    """Whether a matrix is stored by columns."""
    return A.flags.f_contiguous and not A.flags.c_contiguous


def _has_words(A: npt.NDArray[Any]) -> bool:
    """Whether entries are bytes, stored by rows, and each row consists of whole words of eight bytes."""
    return A.itemsize == 1 and A.shape[1] % 8 == 0 and A.flags.c_contiguous


def _graded(A: npt.NDArray[Any], C: int) -> Counts | None:
    """Counts of a complete matrix of bytes in 0..C; None if another entry occurs."""
    M, N = A.shape
    out = np.zeros((C, M), np.uint8)
    kernel = category_columns if _by_columns(A) else bit_planes if C <= 4 and _has_words(A) else category_rows
    words = A.view(np.uint64) if kernel is bit_planes else A
    results = on_threads(lambda part: bool(kernel(words[part], C, out[:, part])), _row_parts(A))
    return Counts._uniform(out.T, N, None) if all(results) else None


# --- public functions --------------------------------------------------------------------------------


def tally(R: Outcomes, C: int | None = None, *, missing: Missing = "raise", missing_code: int | None = None) -> Counts:
    """Count the outcomes of each question in each category.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C, a row for each question: integers, booleans or integer-valued floats, in any memory order;
        a 1-D array is one question. Rows of unequal length need "drop" or a category as `missing`. The index of a data
        frame gives the ids of the questions, unless it is the default index 0..M-1.
    C : int, optional
        Largest category. Default: the largest entry, at least 1, at most 255.
    missing : {"raise", "drop"} or int, default "raise"
        Missing outcomes (NaN, None, masked, absent ends of short rows, missing_code) are an error ("raise"), are left
        out of the trials ("drop"), or count as this category (int).
    missing_code : int, optional
        An entry, such as -1, that your data uses for "missing".

    Returns
    -------
    Counts

    Raises
    ------
    InvalidInput
        type, shape, ragged, empty, category, fractional, missing, not_finite, range, choice, duplicate (two equal ids).

    Examples
    --------
    >>> import scorio
    >>> scorio.tally([[0, 1, 1], [1, None, 1]], missing="drop")
    Counts(2 questions, 2..3 trials, categories 0..1, 1 missing)
    """
    C = None if C is None else arguments.integer(C, "C", 1, LARGEST_C)
    return count(R, C, missing, missing_code=missing_code)


def count(
    R: Any,
    C: int | None,
    missing: str | int,
    name: str = "R",
    has_scores: bool = False,
    missing_code: int | None = None,
) -> Counts:
    """Tally R for a C that was checked; name (of R) and has_scores (whether C comes from w) are for errors."""
    arguments.policy(missing, C)
    missing_code = arguments.code(missing_code)
    if isinstance(R, Detailed):
        R = R.counts
    if isinstance(R, Counts):
        return _from_counts(R, C, name, has_scores)
    if isinstance(getattr(R, "counts", None), Counts):
        what = f"{name} is a log: pass its .counts, or Evaluation.counts() for several models"
        raise InvalidInput("type", name, what)
    if hasattr(R, "models") and hasattr(R, "by_benchmark"):
        what = f"{name} is an evaluation: give the counts of one model, e[{next(iter(R.models), 'name')!r}]"
        raise InvalidInput("type", name, what)
    R = unwrapped(R)
    ids = row_labels(R, name)
    A, code, padding = read_matrix(R, name, missing, missing_code)
    if C is None:
        C = _largest(A, code, name)
        arguments.policy(missing, C)
    A = A.view(np.uint8) if A.dtype.kind == "b" else A
    full = np.count_nonzero(padding) == 0  # of a 0 for all rows this takes a tenth of the time of np.any()
    if full and missing in ("raise", "drop") and (counts := _counts_of_bytes(A, C, code, missing)):
        return counts if ids is None else counts._labelled(ids, None)
    counts = _complete(A, C, code) or _general(A, C, code, padding, missing, name, has_scores)
    return counts if ids is None else counts._labelled(ids, None)


def _from_counts(R: Counts, C: int | None, name: str, has_scores: bool) -> Counts:
    """The counts R with the categories 0..C (C None: as R has, at least 1); raises if a higher category occurs."""
    if C is not None and R.C > C:
        cells = R.cells
        over = np.flatnonzero(cells.category > C)
        if over.size:
            what = f"question {cells.question[over[0]]}"
            raise _too_high(name, what, int(cells.category[over[0]]), C, has_scores)
    return R.padded(C or 1) if C is None or R.C <= C else R._truncated(C)


def _complete(A: npt.NDArray[Any], C: int, code: int | None) -> Counts | None:
    """Counts of complete integers by the fastest kernel; None if there is no such kernel, or an entry is bad."""
    if code is not None or A.dtype.kind not in "iu":
        return None
    if C == 1:
        return _binary(A)
    # category_rows() reads each row C + 1 times, and counts in bytes
    return _graded(A, C) if 1 < C <= 16 and A.itemsize == 1 and A.shape[1] <= 255 else None


def _counts_of_bytes(A: npt.NDArray[Any], C: int, code: int | None, missing: str) -> Counts | None:
    """Counts of wider numbers than bytes, read as bytes; None where this is slower, or where an entry is refused."""
    is_wide = A.itemsize > 1 and (A.dtype.kind == "f" or code is not None or C > 1)
    if not (is_wide and 1 <= C <= 16 and A.shape[1] <= 255):
        return None
    A = A.T if (by_columns := _by_columns(A)) else A
    B: npt.NDArray[Any] = np.empty(A.shape, np.uint8)
    n_missing = 0
    with np.errstate(invalid="ignore"):
        for rows in blocks(A):
            part, narrow = A[rows], B[rows]
            np.copyto(narrow, part, casting="unsafe")
            exact = narrow == part
            if code is not None or not exact.all():
                absent = part != part if code is None else (part == code) | (part != part)
                if not (exact | absent).all() or (missing == "raise" and absent.any()):
                    return None
                narrow[absent] = ABSENT
                n_missing += int(absent.sum())
    B = B.T if by_columns else B
    if not n_missing:
        return _complete(B, C, None)
    category_counts = np.stack([np.count_nonzero(np.equal(B, q), axis=1) for q in range(1, C + 1)], axis=1)
    absent_counts = np.count_nonzero(B == ABSENT, axis=1)
    if np.count_nonzero(B > C) > n_missing:
        return None
    return Counts._from_arrays(category_counts, B.shape[1] - absent_counts, absent_counts)


def _general(
    A: npt.NDArray[Any], C: int, code: int | None, padding: Array, missing: str | int, name: str, has_scores: bool
) -> Counts:
    """Counts of any matrix, with missing outcomes dropped or counted; raises if an entry is bad."""
    M, N = A.shape
    category_counts: Any = None
    if C > MAX_DENSE and C > 4 * N:  # a table of all counts would be larger than the outcomes
        category_counts, trials, bad = _sparse(A, C, code)
    else:
        category_counts, trials = np.zeros((M, max(C, 1)), np.int64), np.zeros(M, np.int64)
        kernel = graded_columns if _by_columns(A) else graded_rows
        bad = _bad_row(kernel, A, C, code is not None, np.int64(code or 0), out=(category_counts, trials))
    if bad >= 0:
        raise _bad_entry(A[bad], bad, C, code, name, has_scores)
    absent = N - trials
    if absent.any() and missing == "raise":
        raise _missing_entry(A, trials, code, name)
    if missing in ("raise", "drop"):
        return Counts._from_arrays(category_counts, trials, absent - padding)
    if isinstance(category_counts, Sparse):
        category_counts = category_counts.plus(np.arange(M), np.full(M, int(missing)), absent)
    elif int(missing) > 0:
        category_counts[:, int(missing) - 1] += absent
    return Counts._from_arrays(category_counts, constant(N, M), constant(0, M))


def _sparse(A: npt.NDArray[Any], C: int, code: int | None) -> tuple[Sparse, Array, int]:
    """Counts of few of many categories in each row, the trials of each row, and a row with a bad entry, or -1."""
    present = (A == A) & (True if code is None else code != A)
    with np.errstate(invalid="ignore"):
        bad = present & ~((A >= 0) & (A <= C) & (np.trunc(A) == A))
    trials = present.sum(axis=1)
    if bad.any():
        return Sparse.of_matrix(A[:, :0]), trials, int(bad.any(axis=1).argmax())
    question, column = np.nonzero(present)
    category = A[question, column].astype(np.int64)
    return Sparse.of_entries(question, category, np.ones_like(category), A.shape[0], C), trials, -1


def _largest(A: npt.NDArray[Any], code: int | None, name: str) -> int:
    """The largest category in A, at least 1. Counting refuses other bad entries."""
    with np.errstate(all="ignore"):
        top = np.fmax.reduce(A if code is None else A[code != A], axis=None, initial=0)
    if top != top or top <= 1:
        return 1
    if top > LARGEST_CATEGORY:
        i, j = (int(x) for x in np.argwhere(top == A)[0])
        if top <= LARGEST_C and top == int(top):
            hint = f": tally({name}, C={int(top)}) if that is meant" if name == "R" else ""
            raise InvalidInput("category", name, f"{name}[{i}, {j}] = {A[i, j]} is above {LARGEST_CATEGORY}{hint}")
        raise _bad_entry(A[i], i, LARGEST_C, code, name, has_scores=False)
    return ceil(top)


def _too_high(name: str, place: str, x: Any, C: int, has_scores: bool) -> InvalidInput:
    """The error for a category x above C."""
    if has_scores and name != "R0":
        return InvalidInput("length", "w", f"w has {C + 1} scores, but {place} of {name} is category {x}")
    rule = (
        f"0..{C}, the categories that w has scores for"
        if has_scores
        else f"0..{C}" + (" (binary outcomes; functions that take w accept categories)" if C == 1 else "")
    )
    return InvalidInput("category", name, f"{place} of {name} is category {x}, outside {rule}")


def _bad_entry(row: npt.NDArray[Any], i: int, C: int, code: int | None, name: str, has_scores: bool) -> InvalidInput:
    """The error for the first bad entry of a row that has one."""
    for j, item in enumerate(row.tolist()):
        if item != item or item == code or (0 <= item <= C and item == int(item)):
            continue
        clipped = isinstance(item, int) and abs(item) >= CLIP  # larger integers in lists were clipped to this
        place = f"{name}[{i}, {j}]" + (", an integer beyond 2^62," if clipped else f" = {item}")
        if item in (float("inf"), float("-inf")):
            return InvalidInput("not_finite", name, f"{place} is not finite")
        if item != int(item):
            return InvalidInput("fractional", name, f"{place} is not a whole number", "scores")
        if item < 0:
            hint = "" if code is not None or clipped else f"; if it means missing: tally(..., missing_code={int(item)})"
            return InvalidInput("category", name, f"{place} is negative{hint}")
        if clipped:
            return InvalidInput("category", name, f"{place} is above {C}")
        return _too_high(name, f"entry [{i}, {j}]", int(item) if item < 2**53 else item, C, has_scores)
    raise AssertionError("a row was reported bad without a bad entry")


def _missing_entry(A: npt.NDArray[Any], trials: Array, code: int | None, name: str) -> InvalidInput:
    """The error for the first missing outcome."""
    i = int(np.flatnonzero(trials != A.shape[1])[0])
    j = next(j for j, x in enumerate(A[i].tolist()) if x != x or x == code)
    return InvalidInput("missing", name, f"{name}[{i}, {j}] is missing", "array_policy")


# --- single trials, for functions that take a second value of each, such as its cost ----------------


def single_trials(R: Any, missing: str | int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Binary outcomes (M, N), and a mask of the entries that are trials: missing ones too if they count as 0 or 1."""
    if isinstance(R, Counts):
        raise InvalidInput("type", "R", "R must be single trials: Counts do not say which trial cost what")
    count(R, 1, missing)  # raises the error of an invalid R
    A, code, _ = read_matrix(R, "R", missing, None)
    missing_entries = (A != A) | (code == A if code is not None else False)
    is_trial = np.ones(A.shape, bool) if missing not in ("raise", "drop") else ~missing_entries
    out = np.full(A.shape, 0 if isinstance(missing, str) else int(missing))
    out[~missing_entries] = A[~missing_entries]
    return out, is_trial
