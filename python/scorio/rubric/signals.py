"""Checks of signals from the caller: doubles for all attempts, NaN where a signal is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..arguments import FloatArray, is_missing, is_number
from ..errors import InvalidInput, shown
from ..outcomes.matrix import is_row, needs_unwrapping, readable, unwrapped
from ..outcomes.models import same_questions
from .conditions import is_name
from .schema import BINARY, SIGNALS, THRESHOLDS, VARIABLES

NAN = float("nan")


class Signals(NamedTuple):
    """Signals of a model: the shape (questions, trials), and an array of that shape, or a 0-D one, for each signal."""

    shape: tuple[int, int]
    values: dict[str, FloatArray]

    def broadcast(self, name: str) -> FloatArray:
        """The signal of every attempt, as an array of the full shape."""
        return np.broadcast_to(self.values[name], self.shape)


def read(signals: Any, argument: str = "signals", label: str = "") -> Signals:
    """Check the signals of one model; label: the name of the mapping in messages."""
    label = label or argument
    if not isinstance(signals, Mapping):
        raise InvalidInput("type", argument, f"{label} must be a mapping of names to matrices, not {shown(signals)}")
    if not signals:
        raise InvalidInput("empty", argument, f"{label} is empty: at least one signal is needed")
    values: dict[str, FloatArray] = {}
    first = ""
    for name, x in signals.items():
        _check_name(name, argument, label)
        location = f"{label}[{name!r}]"
        v = _numbers(x, argument, location)
        _check(v, name, argument, location)
        if v.ndim and first and v.shape != values[first].shape:
            what = f"{location} has shape {v.shape}, {label}[{first!r}] {values[first].shape}"
            raise InvalidInput("shape", argument, what)
        values[name] = v
        first = first or (name if v.ndim else "")
    if not first:
        raise InvalidInput("shape", argument, f"{label} has no matrix: one number applies to all attempts of a matrix")
    M, N = values[first].shape
    return Signals((M, N), values)


def _check_name(name: Any, argument: str, label: str) -> None:
    """Check the name of a signal: conditions can contain it, and no standard variable or threshold has it."""
    if not isinstance(name, str):
        raise InvalidInput("type", argument, f"the name {shown(name)} in {label} is not text")
    if not is_name(name):
        raise InvalidInput("format", argument, f"{label}[{shown(name)}]: a condition cannot contain such a name")
    check_clash([name], {**VARIABLES, **THRESHOLDS}, argument, f"{label}[{name!r}]")


def check_clash(names: Iterable[str], reserved: Iterable[str], argument: str, label: str) -> None:
    """Raise if a signal has a reserved name; argument and label name the input at fault in the message."""
    for name in names:
        if name in reserved:
            raise InvalidInput(
                "conflict", argument, f"{label}: {name} is the name of a signal and of a variable or threshold"
            )


def pool(signals: Any, argument: str) -> tuple[list[Any], list[Signals]]:
    """The names of models and the signals of each; no names for the signals of a single model."""
    if isinstance(signals, Mapping) and any(isinstance(x, Mapping) for x in signals.values()):
        return read_models(signals, argument)
    return [], [read(signals, argument)]


def read_models(x: Any, argument: str) -> tuple[list[Any], list[Signals]]:
    """The names and the signals of many models."""
    if not isinstance(x, Mapping):
        raise InvalidInput("type", argument, f"{argument} must be a mapping of models to signals, not {shown(x)}")
    if not x:
        raise InvalidInput("empty", argument, f"{argument} has no models")
    signals = [read(s, argument, f"{argument}[{shown(name)}]") for name, s in x.items()]
    same_questions([s.shape[0] for s in signals], list(x), argument)
    return list(x), signals


def is_absent(x: Any) -> bool:
    """Whether x stands for a missing value; NaN does."""
    return is_missing(x) or bool(_is_real(x) and x != x)


def _is_real(x: Any) -> bool:
    """Whether x is a real number or a Boolean."""
    return isinstance(x, (bool, np.bool_)) or is_number(x)


def _double(x: Any, argument: str, location: str) -> float:
    """A number as a double: infinite where it is too large for a double, NaN where it is missing."""
    if is_absent(x):
        return NAN
    if not _is_real(x):
        raise InvalidInput("type", argument, f"{location} = {shown(x)} is not a real number")
    try:
        return float(x)
    except OverflowError:
        return float("inf")


def _numbers(x: Any, argument: str, location: str) -> FloatArray:
    """A matrix of doubles, or a 0-D array for a single number."""
    if is_absent(x) or _is_real(x):
        return np.array(_double(x, argument, location))
    x = unwrapped(x)
    if isinstance(x, np.ma.MaskedArray) and x.dtype.kind in "buif":
        x = np.where(np.ma.getmaskarray(x), NAN, x.data.astype(np.float64))
    x = readable(x)
    by_entry = isinstance(x, (list, tuple)) and any(needs_unwrapping(row) for row in x)
    try:
        v = np.empty(0, object) if by_entry else np.asarray(x)  # objects are read entry by entry below
    except ValueError:  # rows of unequal length
        v = np.empty(0, object)
    except Exception as e:
        raise InvalidInput("type", argument, f"{location} cannot be read as an array: {e}") from None
    if v.dtype.kind not in "buif":
        if isinstance(x, (list, tuple)):
            return _from_lists(x, argument, location)
        if v.dtype.kind == "O" and v.ndim > 0:
            return _from_lists(v.tolist(), argument, location)
        raise InvalidInput("type", argument, f"{location} = {shown(x)} has no real numbers")
    if v.ndim == 0:
        return v.astype(np.float64)
    if v.size == 0 and v.ndim <= 2:
        raise InvalidInput("empty", argument, f"{location} of shape {v.shape} is empty")
    if v.ndim != 2:
        raise InvalidInput("shape", argument, f"{location} must be 2-D (M questions, N trials), not {v.ndim}-D")
    with np.errstate(over="ignore"):
        return v.astype(np.float64)


def _from_lists(x: Any, argument: str, location: str) -> FloatArray:
    """A matrix from rows of numbers and missing values; raises for anything else."""
    rows = [list(row) if is_row(row) else row for row in map(unwrapped, x)]
    for i, row in enumerate(rows):
        if not isinstance(row, list):
            if not (is_absent(row) or _is_real(row)):
                raise InvalidInput("type", argument, f"{location}[{i}] = {shown(row)} is neither a row nor a number")
            raise InvalidInput("shape", argument, f"{location} must be 2-D (M questions, N trials): [{i}] is not a row")
    for i, row in enumerate(rows):
        for j, y in enumerate(row):
            if is_row(y):
                raise InvalidInput("shape", argument, f"{location} must be 2-D: [{i}, {j}] is a sequence")
            row[j] = _double(y, argument, f"{location}[{i}, {j}]")
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InvalidInput(
                "ragged", argument,
                f"{location}[{i}] has {len(row)} trials, row 0 {len(rows[0])}: write None where a signal is missing",
            )  # fmt: skip
    return np.array(rows, np.float64)


def _check(v: FloatArray, name: str, argument: str, location: str) -> None:
    """Raise for a value that is infinite, or outside the range of a standard signal."""
    _refuse(np.isinf(v), v, "not_finite", argument, location, "is not finite")
    if name not in SIGNALS:
        return
    low, high = SIGNALS[name]
    if name in BINARY:
        _refuse(
            ~((v == low) | (v == high) | np.isnan(v)),
            v,
            "range",
            argument,
            location,
            f"is neither {low:g} nor {high:g}",
        )
    why = f"is outside [{low:g}, {high:g}]" if high < float("inf") else f"is below {low:g}"
    if name.endswith("_bpt"):
        why += ": bits per token are negative log-probabilities, was the sign forgotten?"
    _refuse((v < low) | (v > high), v, "range", argument, location, why)


def _refuse(bad: Any, v: FloatArray, code: str, argument: str, location: str, why: str) -> None:
    """Raise for the first value at which `bad` is true."""
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0]) if v.ndim else ()
        where = f"[{', '.join(map(str, index))}]" if index else ""
        raise InvalidInput(code, argument, f"{location}{where} = {float(v[index])!r} {why}")
