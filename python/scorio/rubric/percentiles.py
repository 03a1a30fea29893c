"""Percentiles, computed exactly and rounded once, and thresholds that are percentiles of signals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isinf, isnan
from typing import Any

import numpy as np

from .. import arguments
from ..arguments import FloatArray
from ..arithmetic.double_double import over_common_denominator
from ..errors import InvalidInput, shown
from ..outcomes.matrix import is_row
from .conditions import Facts
from .schema import STANDARD, Scope, extended
from .signals import Signals, check_clash, is_absent, pool


def percentile(x: Any, p: int) -> float:
    """The p-th percentile of numbers: linear between neighbours, computed exactly and rounded once.

    Parameters
    ----------
    x : array_like, shape (n,), n >= 1
        Finite numbers, in any order.
    p : int, 0 <= p <= 100
        0 is the smallest, 50 the median, 100 the largest.

    Returns
    -------
    float
        The double nearest to x_(i+1) + g (x_(i+2) - x_(i+1)) of the sorted numbers, where h = (n - 1) p / 100, i =
        floor(h), g = h - i.

    Raises
    ------
    InvalidInput
        An argument is invalid: type, shape, empty, missing, not_finite or range.

    Notes
    -----
    "Type 7" of Hyndman and Fan (1996): the default of NumPy, R and Julia, apart from their rounding.

    Examples
    --------
    >>> from scorio import rubric
    >>> rubric.percentile([4, 1, 3, 2], 40)
    2.2
    """
    values = _values(x)
    return exact_percentile(values, arguments.integer(p, "p", 0, 100))


def exact_percentile(values: FloatArray, p: int) -> float:
    """The p-th percentile of one or more finite doubles."""
    i, r = divmod((values.size - 1) * p, 100)
    if r == 0:
        return float(np.partition(values, i)[i]) + 0.0  # 0.0 in place of -0.0
    low, high = np.partition(values, (i, i + 1))[i : i + 2].tolist()
    (a, b), D = over_common_denominator([low, high])
    return ((100 - r) * a + r * b) / (100 * D) + 0.0  # a quotient of integers is rounded once, whatever their size


def _values(x: Any) -> FloatArray:
    """Check that x is one or more finite numbers; returns them as doubles."""
    if arguments.has_masked(x):
        raise InvalidInput("missing", "x", "x has masked entries")
    if (hasattr(x, "dtype") and getattr(x, "ndim", 1) == 0) or arguments.is_number(x):
        raise InvalidInput("shape", "x", f"x must be 1-D, not the number {shown(x)}")
    if isinstance(x, np.ndarray) and x.dtype.kind in "iuf":
        if x.ndim != 1:
            raise InvalidInput("shape", "x", f"x must be 1-D, not {x.ndim}-D")
        v = x.astype(np.float64)
    else:
        v = np.array(_as_floats(x), np.float64)
    if v.size == 0:
        raise InvalidInput("empty", "x", "x is empty")
    for bad, code, why in ((np.isnan(v), "missing", "missing"), (np.isinf(v), "not_finite", "not finite")):
        if bad.any():
            raise InvalidInput(code, "x", f"x[{int(bad.argmax())}] is {why}")
    return v


def _as_floats(x: Any) -> list[float]:
    """The numbers of a sequence, with NaN where one is missing."""
    try:
        items = None if isinstance(x, (str, bytes, bytearray, Mapping, set, frozenset)) else list(x)
    except TypeError:
        items = None
    if items is None:
        raise InvalidInput("type", "x", f"x must be a sequence of numbers, not {shown(x)}")
    out = []
    for j, item in enumerate(items):
        if is_row(item):
            raise InvalidInput("shape", "x", f"x must be 1-D: x[{j}] is a sequence")
        if not (arguments.is_number(item) or is_absent(item)):
            raise InvalidInput("type", "x", f"x[{j}] = {shown(item)} is not a real number")
        try:
            out.append(float("nan") if is_absent(item) else float(item))
        except OverflowError:
            out.append(float("inf"))
    return out


# --- thresholds --------------------------------------------------------------------------------------


def thresholds(signals: Any, *, own: Any = None) -> dict[str, float | None]:
    """The thresholds of a data set: percentiles of its signals.

    Parameters
    ----------
    signals : mapping of str to array_like, shape (M, N), or to a number for all attempts
        Signals of one model, NaN or None where one is missing; or a mapping of models to such mappings, pooled.
    own : mapping of str to (p, signal, among), optional
        More thresholds: the p-th percentile of a signal, over all attempts (``among`` None) or those for which the
        condition ``among`` is true.

    Returns
    -------
    dict
        Each standard threshold of table 4 whose signals all models have, then those of own; None for a threshold
        without values.

    Raises
    ------
    InvalidInput
        The signals or own are invalid (own as for Schema); missing: a signal that own needs.

    Notes
    -----
    Table 4 of arXiv:2510.04265. Invalid attempts are included.

    Examples
    --------
    >>> from scorio import rubric
    >>> rubric.thresholds({"is_correct": [[1, 0], [1, 1]], "completion_bpt": [[0.5, 1.25], [0.75, 1.0]]})
    {'tau_high': 0.8, 'tau_low_wrong': 1.25, 'corr_p33': 0.665, 'corr_p66': 0.83}
    """
    names, data = pool(signals, "signals")
    scope = STANDARD if own is None else extended({}, own, "own")
    own_names = [name for name in scope.thresholds if name not in STANDARD.thresholds]
    for s in data:
        check_clash(s.values, own_names, "own", "own")
    for name in own_names:
        for i, s in enumerate(data):
            check_present(scope.sources(name), s, "signals", f"the threshold {name}", names[i : i + 1])
    return threshold_values(data, scope, [*computable_thresholds(data), *own_names])


def computable_thresholds(data: Sequence[Signals]) -> list[str]:
    """The names of standard thresholds whose signals all models have."""
    return [name for name in STANDARD.thresholds if all(x in s.values for x in STANDARD.sources(name) for s in data)]


def check_present(needed: Iterable[str], s: Signals, argument: str, what: str, model: Sequence[Any] = ()) -> None:
    """Raise if a needed signal is not given.

    For the message, what: the schema or threshold that needs it; model: [name of the model], or empty.
    """
    for name in needed:
        if name not in s.values:
            of_model = f" of model {shown(model[0])}" if model else ""
            raise InvalidInput(
                "missing", argument,
                f"{what} needs the signal {name}, which {argument}{of_model} lacks", "constant",
            )  # fmt: skip


def threshold_values(data: Sequence[Signals], scope: Scope, names: Iterable[str]) -> dict[str, float | None]:
    """The values of the named thresholds, in the order of names; data: the signals of each model, which are pooled."""
    percentiles: dict[str, float | None] = {}
    facts = [Facts(s.values, percentiles, scope.variables) for s in data]

    def compute(name: str) -> None:
        if name in percentiles:
            return
        p, signal, among = scope.thresholds[name]
        if among is not None:
            for dependency in scope.needs([among]).thresholds:
                compute(dependency)
        parts = []  # of each model the values that are not missing, at the attempts for which `among` is true
        for s, f in zip(data, facts, strict=True):
            x = s.broadcast(signal)
            parts.append(x[~np.isnan(x) & (True if among is None else f.truth(among)[0])])
        values = np.concatenate(parts)
        percentiles[name] = exact_percentile(values, p) if values.size else None

    names = list(names)
    for name in names:
        compute(name)
    return {name: percentiles[name] for name in names}


def read_thresholds(x: Any) -> dict[str, float | None]:
    """Check values of thresholds from the caller; returns them as doubles, None where there is no value."""
    if not isinstance(x, Mapping):
        raise InvalidInput("type", "thresholds", f"thresholds must be a mapping of names to numbers, not {shown(x)}")
    out: dict[str, float | None] = {}
    for name, item in x.items():
        if not isinstance(name, str):
            raise InvalidInput("type", "thresholds", f"the name {shown(name)} in thresholds is not text")
        if item is not None and not arguments.is_number(item):
            raise InvalidInput("type", "thresholds", f"thresholds[{name!r}] = {shown(item)} is not a real number")
        try:
            value = None if item is None else float(item)
        except OverflowError:
            value = float("inf")
        if value is not None and (isnan(value) or isinf(value)):
            raise InvalidInput("not_finite", "thresholds", f"thresholds[{name!r}] = {value} is not finite")
        out[name] = value
    return out
