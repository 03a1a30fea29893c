"""Outcomes R in any form that users may have, read as a 2-D array of numbers; most arrays are not copied."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arguments import is_integer, is_missing
from ..errors import InvalidInput

CLIP = 2**62  # above any category; larger integers are clipped to this, to fit 64 bits
NUMBERS = (np.bool_, *(np.dtype(t).type for t in "bhilqBHILQefd"))  # NumPy's, without those that doubles do not hold
BLOCK = 1 << 14  # entries that are converted at once
PLAIN = {int, bool, float, type(None), *NUMBERS}
MISSING = int(np.iinfo(np.int64).min)  # stands for a missing outcome in arrays made from lists or masked integers


def read_matrix(R: Any, name: str, missing: str | int, code: int | None) -> tuple[npt.NDArray[Any], int | None, Any]:
    """R as a 2-D array of numbers, the integer that means "missing" in it, and the length of each row's padding.

    missing, code: the arguments missing and missing_code of tally(), checked. NaN means "missing" too; the integer is
    None if no other entry does. Padding is the absent end of a short row: an array, or 0 for all rows.
    """
    padding: Any = 0
    R = readable(_of_nullable(unwrapped(R)))
    if isinstance(R, np.ma.MaskedArray) and R.dtype.kind in "buif":
        R, code = _unmasked(R.data, np.ma.getmaskarray(R), code)
    if isinstance(R, (int, float)):
        raise InvalidInput("shape", name, f"{name} must be 2-D (M questions, N trials), not the number {R!r}")
    nested = isinstance(R, (list, tuple))
    plain = _of_plain_entries(R, missing, code) if nested and set(map(type, R)) == {list} else None
    by_entry = nested and plain is None and any(needs_unwrapping(row) for row in R)
    try:
        A = np.empty(0, object) if plain or by_entry else np.asarray(R)
    except ValueError:  # rows of unequal length
        A = np.empty(0, object)
    except Exception as e:
        raise InvalidInput("type", name, f"{name} cannot be read as an array: {e}") from None
    if A.dtype.kind not in "buif" and (nested or (A.dtype.kind == "O" and A.ndim > 0)):
        A, padding = plain or _from_objects(R if nested else A, name, missing, code)
        code = MISSING if A.dtype == np.int64 and (A == MISSING).any() else code
    if A.dtype.kind not in "buif":
        raise InvalidInput("type", name, f"{name} must hold integers, booleans or integer-valued floats, not {A.dtype}")
    if not A.dtype.isnative or (A.dtype.kind == "f" and A.itemsize not in (4, 8)):
        A = A.astype(np.float64 if A.dtype.kind == "f" else A.dtype.newbyteorder("="))
    if A.ndim == 1 and A.size:
        A = A.reshape(1, -1)
    if A.size == 0 and 1 <= A.ndim <= 2:
        if A.ndim == 2 and A.shape[0] and name == "R0":
            return A.astype(np.int64), code, 0  # an R0 without columns: no prior outcomes
        if A.ndim == 1 or A.shape[0] == 0:
            raise InvalidInput("empty", name, f"{name} has no rows: at least one question is needed")
        raise InvalidInput("empty", name, f"{name} has no trials: shape {A.shape}")
    if A.ndim != 2:
        raise InvalidInput("shape", name, f"{name} must be 2-D (M questions, N trials), not {A.ndim}-D")
    return A, code, padding


def readable(x: Any) -> Any:
    """Data in a form that np.asarray converts without loss: no masked objects, pandas categories, or bytearrays."""
    if isinstance(x, np.ma.MaskedArray) and x.dtype.kind == "O":
        return np.where(np.ma.getmaskarray(x), np.array(None, object), x.data)
    if isinstance(x, bytearray):
        return bytes(x)
    if hasattr(x, "iloc") and "category" in [str(t) for t in np.atleast_1d(x.dtypes)]:
        return x.astype(object)
    return x


def _of_nullable(x: Any) -> Any:
    """A masked array of a pandas frame or series of other types than NumPy's: nullable, Arrow's, sparse ones."""
    if not hasattr(x, "iloc"):
        return x
    dtypes = np.atleast_1d(np.asarray(x.dtypes, object)).tolist()
    if all(isinstance(t, np.dtype) for t in dtypes) or not all(t.kind in "biuf" for t in dtypes):
        return x
    values = x.to_numpy(np.float64, na_value=np.nan)
    codes = _codes(values)
    return x if codes is None else np.ma.masked_equal(codes, MISSING)


def unwrapped(x: Any) -> Any:
    """The array that x converts to, with the mask that np.asarray would drop; lists, arrays and tables unchanged."""
    if isinstance(x, (list, tuple, np.ndarray, np.generic, type)) or not hasattr(x, "__array__"):
        return x
    x = x.compute() if hasattr(x, "compute") else x  # Dask arrays lose their masks when NumPy converts them
    if hasattr(x, "iloc") and getattr(x, "ndim", 0) == 2:
        return x
    try:
        array = np.asanyarray(readable(x))
    except Exception:
        return x
    return array if array.ndim else x


def needs_unwrapping(row: Any) -> bool:
    """Whether np.asarray of a list with this row would lose a mask, or take bytes for numbers."""
    return isinstance(unwrapped(row), (np.ma.MaskedArray, bytearray))


def _unmasked(
    data: npt.NDArray[Any], mask: npt.NDArray[np.bool_], code: int | None
) -> tuple[npt.NDArray[Any], int | None]:
    """The data of a masked array, masked entries as NaN or, among integers, as MISSING; and the code for missing."""
    if not mask.any():
        return data, code
    if data.dtype.kind == "f":
        return np.where(mask, np.nan, data), code
    mask = mask if code is None else mask | (data == code)
    if data.dtype == np.uint64:  # its numbers may not fit int64
        data = np.minimum(data, np.uint64(CLIP))
    return np.where(mask, MISSING, data.astype(np.int64)), MISSING


def _from_objects(
    R: Any, name: str, missing: str | int, code: int | None
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Nested sequences as int64, MISSING for None, NaN and the ends of short rows; and the length of each such end.

    Bytes instead, if all entries are integers in 0..255.
    """
    if isinstance(R, np.ndarray) and R.ndim == 2 and (codes := _codes_of_parts(R.reshape(-1), 1, code)) is not None:
        return codes.reshape(R.shape), np.zeros(len(R), np.int64)
    given = [unwrapped(r) for r in R]
    rows = [list(r) if is_row(r) else r for r in given]
    if rows and not any(isinstance(r, list) for r in rows):
        rows = given = [rows]
    for i, row in enumerate(rows):
        if not isinstance(row, list):
            raise InvalidInput("shape", name, f"{name}[{i}] = {row!r} is not a row of outcomes")
    # tolist() gives Python's numbers, which are read faster than NumPy's
    as_lists = [r.tolist() if isinstance(r, np.ndarray) and r.dtype.kind in "buif" else r for r in given]
    if plain := _of_plain_entries(as_lists, missing, code):
        return plain
    N = max((len(r) for r in rows), default=0)
    A = np.full((len(rows), N), MISSING)
    for i, row in enumerate(rows):  # one entry after the other, to name the first bad one
        for j, x in enumerate(row):
            A[i, j] = _outcome(x, f"{name}[{i}, {j}]", name, code)
        if len(row) != N and missing == "raise":
            raise InvalidInput("ragged", name, f"{name}[{i}] has {len(row)} trials, another row {N}", "array_policy")
    return A, np.array([N - len(row) for row in rows])


def _of_plain_entries(
    rows: Any, missing: str | int, code: int | None
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]] | None:
    """The result of _from_objects() for lists of plain numbers and missing values, all at once; else None."""
    lengths = np.array([len(row) for row in rows])
    N = int(lengths.max())
    uneven = bool((lengths < N).any())
    if N == 0 or (uneven and missing == "raise"):
        return None
    codes = _codes_of_parts(rows, N, code)
    if codes is None:
        return None
    if not uneven:
        return codes.reshape(-1, N), N - lengths
    A = np.full((lengths.size, N), MISSING)
    A[np.arange(N) < lengths[:, None]] = codes
    return A, N - lengths


def _codes_of_parts(x: Any, N: int, code: int | None) -> npt.NDArray[Any] | None:
    """The result of _codes_of_objects() for entries, or for rows of up to N of them: in parts that fit the cache."""
    out, step = [], max(1, BLOCK // N)
    for start in range(0, len(x), step):
        part = x[start : start + step]
        codes = _codes_of_objects(part if isinstance(x, np.ndarray) else list(chain.from_iterable(part)), code)
        if codes is None:
            return None
        out.append(codes)
    return np.concatenate(out) if out else None


def _codes_of_objects(entries: Any, code: int | None) -> npt.NDArray[Any] | None:
    """Entries as int64, MISSING for those that are missing, or as bytes if none is; None if one is not plain."""
    listed = entries if isinstance(entries, list) else entries.tolist()
    types = set(map(type, listed))
    if code is None and types == {int}:
        try:
            return np.frombuffer(bytearray(listed), np.uint8)
        except (ValueError, OverflowError):  # not in 0..255
            pass
    missing = {t for t in types if t.__name__ in ("NAType", "NaTType")}
    if not types - missing <= PLAIN:
        return None
    if missing:
        entries = [None if type(x) in missing else x for x in listed]
    try:
        codes = _codes(np.asarray(entries, np.float64))  # None becomes NaN
    except OverflowError:
        return None
    if codes is not None and code is not None:
        codes[codes == code] = MISSING
    return codes


def _codes(x: npt.NDArray[np.float64]) -> npt.NDArray[np.int64] | None:
    """Whole numbers as int64, MISSING for NaN; None if another number occurs, or one too large to be exact."""
    with np.errstate(invalid="ignore"):
        codes = x.astype(np.int64)
    exact = codes == x
    if not exact.all():
        if not (exact | np.isnan(x)).all():
            return None
        codes[~exact] = MISSING
    negative = codes[exact].min(initial=0) if codes.min(initial=0) < 0 else 0
    return codes if max(codes.max(initial=0), -negative) < 2**53 else None  # larger ones were rounded


def is_row(x: Any) -> bool:
    """Whether x can be a row: a list, a tuple, or an array with at least one dimension."""
    return isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.ndim > 0)


def _outcome(x: Any, place: str, name: str, code: int | None) -> int:
    """An entry of a list as an integer; MISSING if it is missing."""
    if isinstance(x, (int, np.bool_)) or is_integer(x):
        return MISSING if code is not None and x == code else max(min(int(x), CLIP), -CLIP)
    if is_missing(x):
        return MISSING
    if isinstance(x, (float, np.floating)):
        if x != x:
            return MISSING
        if x in (float("inf"), float("-inf")):
            raise InvalidInput("not_finite", name, f"{place} = {x} is not finite")
        if x != int(x):
            raise InvalidInput("fractional", name, f"{place} = {x} is not a whole number", "scores")
        return _outcome(int(x), place, name, code)
    if is_row(x):
        raise InvalidInput("shape", name, f"{name} must be 2-D (M questions, N trials): {place} is a sequence")
    raise InvalidInput("type", name, f"{place} = {x!r} is not a number")
