"""Checks of arguments other than outcomes, and conversions to the types that the kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from .arithmetic import double_double
from .arithmetic.double_double import Triple
from .display.text import nearest
from .errors import InvalidInput, shown

Bounds: TypeAlias = tuple[float, float]
Reals: TypeAlias = npt.ArrayLike  # a sequence of real numbers
Labels: TypeAlias = Sequence[str] | Sequence[int] | npt.ArrayLike | Literal[False]  # one for each question; False: none
Missing: TypeAlias = str | int  # "raise", "drop", a category or, in some functions, "bounds"
Word = TypeVar("Word", bound=str)
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
LONG_LIST = 12  # a longer list of allowed words is shown only if none is similar to the given one
LARGEST_SCORE = 1e300  # of a category, in absolute value
LARGEST_DOUBLE = float(np.finfo(np.float64).max)
LARGEST_K = 10**7  # memory O(k) per distinct count of successes; time O(k), O(k^2) for AUC@k and general spectra
PRIOR_RANGE = (1e-100, 1e100)  # of the parameters of a beta prior


def integer(x: Any, name: str, low: int, high: int | None = None) -> int:
    """An integer in low..high (high None: no upper limit); True and 2.0 are refused."""
    if not is_integer(x):
        raise InvalidInput("type", name, f"{name} must be an integer, not {shown(x)}")
    if x < low:
        raise InvalidInput("range", name, f"{name} = {shown(x)} is below {low}")
    if high is not None and x > high:
        raise InvalidInput("range", name, f"{name} = {shown(x)} is above {high}")
    return int(x)


def number_of_trials(k: Any) -> int:
    """The number k of trials of a metric, an integer in 1..LARGEST_K."""
    return integer(k, "k", 1, LARGEST_K)


def _double(x: Any, name: str) -> float:
    """A real number as a double, infinite where it is too large for one."""
    if not is_number(x):
        raise InvalidInput("type", name, f"{name} must be a real number, not {shown(x)}")
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def real(x: Any, name: str) -> float:
    """A finite real number as a double."""
    value = _double(x, name)
    if not isfinite(value):
        raise InvalidInput("not_finite", name, f"{name} = {shown(x)} is not finite")
    return value


def within(x: Any, name: str, low: float, high: float) -> float:
    """A real number in [low, high]."""
    value = real(x, name)
    if not low <= value <= high:
        raise InvalidInput("range", name, f"{name} = {value!r} is outside [{low!r}, {high!r}]")
    return value


def confidence(x: Any, low: float = 0.0, name: str = "confidence") -> float:
    """A confidence level, or another share, strictly between low and 1."""
    value = real(x, name)
    if not low < value < 1.0:
        hint = f": {value:.10g}% is {value / 100:.10g}" if low < value / 100 < 1.0 <= value else ""
        raise InvalidInput("range", name, f"{name} = {value!r} is not strictly between {low:g} and 1{hint}")
    return value


def gap(x: Any, name: str, span: float) -> float:
    """A difference of scores, strictly between 0 and the span of the scores."""
    value = real(x, name)
    if not 0.0 < value < span:
        points = f": {value:.10g} points are {value / 100:.10g}" if span == 1.0 <= value < 100.0 else ""
        what = f"{name} = {value!r} is not strictly between 0 and {span:.10g}, the span of the scores{points}"
        raise InvalidInput("range", name, what)
    return value


def power(x: Any) -> float:
    """The power of a test, in [1/2, 1)."""
    value = real(x, "power")
    if not 0.5 <= value < 1.0:
        raise InvalidInput("range", "power", f"power = {value!r} is outside [0.5, 1)")
    return value


def flag(x: Any, name: str) -> bool:
    """A boolean argument as a bool; 0 and 1 are refused."""
    if not isinstance(x, (bool, np.bool_)):
        raise InvalidInput("type", name, f"{name} must be True or False, not {shown(x)}")
    return bool(x)


def seed(x: Any) -> int:
    """The seed of random numbers, an integer in 0..2^64-1."""
    return integer(x, "seed", 0, 2**64 - 1)


def priors(alpha0: Any, beta0: Any) -> tuple[float, float]:
    """The parameters alpha and beta of a beta prior."""
    return within(alpha0, "alpha0", *PRIOR_RANGE), within(beta0, "beta0", *PRIOR_RANGE)


def powers(pass_power: Any, unanimous_power: Any) -> tuple[Triple, Triple]:
    """Both exponents of a geometric blend, as triples."""
    a, b = real(pass_power, "pass_power"), real(unanimous_power, "unanimous_power")
    if a == 0.0 and b == 0.0:
        what = "pass_power and unanimous_power are both 0: one of them must not be 0"
        raise InvalidInput("undefined", "pass_power", what)
    return double_double.ext(a), double_double.ext(b)


def bounded(missing: Any) -> bool:
    """Whether the policy is "bounds": bounds over all values that missing outcomes may have."""
    return isinstance(missing, str) and missing == "bounds"


def no_bounds() -> InvalidInput:
    """The error for the policy "bounds" where no bounds are computed."""
    return InvalidInput("choice", "missing", "the effect of missing outcomes is not bounded here", "no_bounds")


def policy(missing: Any, C: int | None) -> None:
    """Check that missing is "raise", "drop" or a category."""
    if isinstance(missing, str):
        if missing not in ("raise", "drop"):
            what = f'missing = {shown(missing)} is none of "raise", "drop", a category, and (where possible) "bounds"'
            raise no_bounds() if bounded(missing) else InvalidInput("choice", "missing", what)
    elif not is_integer(missing):
        what = f'missing must be "raise", "drop", a category or (where possible) "bounds", not {shown(missing)}'
        raise InvalidInput("type", "missing", what)
    elif missing < 0 or (C is not None and missing > C):
        raise InvalidInput(
            "category", "missing", f"missing = {shown(missing)} is not a category 0..{'C' if C is None else C}"
        )


def code(missing_code: Any) -> int | None:
    """The integer that marks a missing outcome; None if there is none."""
    return None if missing_code is None else integer(missing_code, "missing_code", -(2**62), 2**62)


def choice(x: Any, name: str, allowed: Sequence[Word]) -> Word:
    """The text, which must be one of the allowed ones."""
    if not isinstance(x, str):
        raise InvalidInput("type", name, f"{name} must be one of {', '.join(map(repr, allowed))}, not {shown(x)}")
    if x not in allowed:
        meant = nearest(x, allowed)
        if meant and len(allowed) > LONG_LIST:
            raise InvalidInput("choice", name, f"{name} = {shown(x)} is unknown{meant}")
        raise InvalidInput("choice", name, f"{name} = {shown(x)} is none of {', '.join(map(repr, allowed))}{meant}")
    return cast(Word, x)


def bounds(x: Any, default: Bounds = (float("-inf"), float("inf"))) -> Bounds:
    """Bounds (lo, hi) with lo <= hi; -inf and inf mean no limit; None gives the default."""
    if x is None:
        return default
    if isinstance(x, (str, bytes)) or not isinstance(x, (tuple, list, np.ndarray)):
        raise InvalidInput("type", "bounds", f"bounds must be a pair (lo, hi) or None, not {shown(x)}")
    if len(x) != 2 if isinstance(x, (tuple, list)) else x.shape != (2,):
        raise InvalidInput("shape", "bounds", f"bounds must be a pair (lo, hi), not {shown(x)}")
    lo, hi = (_double(end, "bounds") for end in x)
    if isnan(lo) or isnan(hi) or lo == float("inf") or hi == float("-inf"):
        raise InvalidInput("not_finite", "bounds", f"bounds = ({lo}, {hi}) bound nothing")
    if lo > hi:
        raise InvalidInput("order", "bounds", f"bounds = ({lo}, {hi}) are reversed")
    return lo, hi


def sequence(x: Any, name: str) -> list[Any]:
    """The items of an iterable that has at least one."""
    try:
        items = list(x)
    except TypeError:
        raise InvalidInput("type", name, f"{name} must be a sequence, not {shown(x)}") from None
    if not items:
        raise InvalidInput("empty", name, f"{name} is empty")
    return items


def as_array(x: Any) -> Any:
    """The input as an array; raises TypeError for bytearrays, which np.asarray would read as numbers."""
    if isinstance(x, bytearray) or (isinstance(x, (list, tuple)) and any(isinstance(row, bytearray) for row in x)):
        raise TypeError("bytes are not numbers")
    return np.asarray(x)


def _array(x: Any) -> Any:
    """The input as an array, with integers beyond 64 bits as doubles."""
    v = as_array(x)
    if v.dtype.kind == "O" and v.size and all(is_integer(y) or isinstance(y, float) for y in v.flat):
        v = np.array([_double(y, "") for y in v.flat]).reshape(v.shape)
    return v


def vector(x: Any, name: str) -> list[float]:
    """A non-empty 1-D sequence of finite reals."""
    if isinstance(x, (list, tuple)) and set(map(type, x)) == {float}:
        x = np.array(x)  # checked faster than entry by entry
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        raise InvalidInput("shape", name, f"{name} must be 1-D, not the number {shown(x)}")
    if has_masked(x):
        raise InvalidInput("not_finite", name, f"{name} has masked entries")
    try:
        v = _array(x)
    except ValueError:  # rows of unequal length: refused below as 2-D
        v = np.empty((1, 1))
    except Exception as e:
        raise InvalidInput("type", name, f"{name} cannot be read as an array: {e}") from None
    if v.ndim == 1 and v.size == 0:
        raise InvalidInput("empty", name, f"{name} is empty")
    if v.dtype.kind not in "iuf" or (isinstance(x, (list, tuple)) and any(isinstance(y, (bool, np.bool_)) for y in x)):
        raise InvalidInput("type", name, f"{name} must hold real numbers, not {shown(x)}")
    if v.ndim != 1:
        raise InvalidInput("shape", name, f"{name} must be 1-D, not {v.ndim}-D")
    v = v.astype(np.float64)
    for j in np.flatnonzero(~np.isfinite(v)).tolist():
        raise InvalidInput("not_finite", name, f"{name}[{j}] = {v.item(j)} is not finite")
    values: list[float] = v.tolist()
    return values


def grid(x: Any, name: str, low: float, high: float) -> FloatArray:
    """Reals in [low, high], 1-D to 3-D, as a new array."""
    if has_masked(x):
        raise InvalidInput("not_finite", name, f"{name} has masked entries")
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        raise InvalidInput("shape", name, f"{name} must be 1-D to 3-D, not the number {shown(x)}")
    try:
        v = _array(x)
    except ValueError:
        raise InvalidInput("ragged", name, f"{name} has rows of unequal length") from None
    except Exception as e:
        raise InvalidInput("type", name, f"{name} cannot be read as an array: {e}") from None
    if v.ndim > 0 and v.size == 0:
        raise InvalidInput("empty", name, f"{name} of shape {v.shape} is empty")
    if v.dtype.kind not in "iuf" or (isinstance(x, (list, tuple)) and _contains_boolean(x)):
        raise InvalidInput("type", name, f"{name} must hold real numbers, not {shown(x)}")
    if not 1 <= v.ndim <= 3:
        raise InvalidInput("shape", name, f"{name} must be 1-D to 3-D, not {v.ndim}-D")
    out = v.astype(np.float64, order="C")
    for valid, code, why in (
        (np.isfinite(out), "not_finite", "is not finite"),
        ((out >= low) & (out <= high), "range", f"is outside [{low!r}, {high!r}]"),
    ):
        if not valid.all():
            at = tuple(int(i) for i in np.argwhere(~valid)[0])
            raise InvalidInput(code, name, f"{name}[{', '.join(map(str, at))}] = {float(out[at])!r} {why}")
    return out


def _contains_boolean(x: Any) -> bool:
    """Whether nested sequences contain a boolean."""
    return any(_contains_boolean(y) for y in x) if isinstance(x, (list, tuple)) else isinstance(x, (bool, np.bool_))


def integers(x: Any, name: str) -> list[int]:
    """A non-empty 1-D sequence of integers of any size."""
    items = x.tolist() if isinstance(x, np.ndarray) else x
    valid = [y for y in items if is_integer(y)] if isinstance(items, (list, tuple, range)) else []
    if not valid or len(valid) < len(items):
        vector(x, name)  # raises the specific error, unless x is a vector of other numbers
        raise InvalidInput("type", name, f"{name} must hold integers, not {shown(x)}")
    return [int(y) for y in valid]


def is_integer(x: Any) -> bool:
    """Whether the type of x is an integer type; booleans, floats and NumPy's durations, which have a unit, are not."""
    return isinstance(x, (int, np.integer)) and not isinstance(x, (bool, np.timedelta64))


def is_number(x: Any) -> bool:
    """Whether x is an integer or a float of Python or NumPy; booleans and durations are not."""
    return is_integer(x) or isinstance(x, (float, np.floating))


def is_missing(x: Any) -> bool:
    """Whether x is a missing value: None, a masked entry, or the NA or NaT of data frames."""
    return x is None or x is np.ma.masked or type(x).__name__ in ("NAType", "NaTType")


def has_masked(x: Any) -> bool:
    """Whether an entry of an array, or of arrays in nested sequences, is masked: np.asarray would unmask it."""
    if isinstance(x, (list, tuple)):
        return any(has_masked(row) for row in x)
    if x is np.ma.masked:
        return True
    return isinstance(x, np.ma.MaskedArray) and x.dtype.kind != "V" and bool(np.ma.getmaskarray(x).any())


def standard_deviations(x: Any, name: str, size: int) -> list[float]:
    """Standard deviations: one for each score, none negative."""
    values = vector(x, name)
    if len(values) != size:
        raise InvalidInput("length", name, f"{name} has {len(values)} entries for {size} scores")
    for j, item in enumerate(values):
        if item < 0.0:
            raise InvalidInput("range", name, f"{name}[{j}] = {item!r} is negative")
    return values


def at_least_two(x: Any, name: str) -> list[float]:
    """At least two finite reals."""
    values = vector(x, name)
    if len(values) < 2:
        raise InvalidInput("length", name, f"{name} has one entry: at least two are needed")
    return values


def category_scores(w: Any) -> list[float]:
    """Scores of the categories, w_0..w_C; None gives (0, 1)."""
    if w is None:
        return [0.0, 1.0]
    values = vector(w, "w")
    if max(map(abs, values)) > LARGEST_SCORE:
        j = next(j for j, item in enumerate(values) if abs(item) > LARGEST_SCORE)
        raise InvalidInput("range", "w", f"w[{j}] = {values[j]!r} is beyond {LARGEST_SCORE}")
    return values
