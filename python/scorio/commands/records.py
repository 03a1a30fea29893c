"""Results as plain values of Python (mappings, lists, numbers, text), for JSON, CSV and data frames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from ..items.cost_per_solved import CostPerSolved
from ..results import Estimate, MetricInterval

# keys in the metadata of dataclass fields
PRIMARY = "primary"  # the main interval of a row, whose ends are lo and hi in records; states the name of its estimate
OPTIONAL = "optional"  # a field that is left out of records where it is None
HIDDEN = "hidden"  # a field of a result that is left out of to_dict
KEY = "key"  # states the name of a field of a result in to_dict, where that is another one


def plain(x: Any) -> Any:
    """Plain form of a value: mappings for dataclasses and named tuples, lists for sequences, numbers of Python."""
    if isinstance(x, MetricInterval):
        return interval(x, "mu", "")
    if is_dataclass(x) and not isinstance(x, type):
        return {f.name: plain(getattr(x, f.name)) for f in fields(x)}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return {name: plain(y) for name, y in zip(x._fields, x, strict=True)}
    if isinstance(x, Mapping):
        return {str(name): plain(y) for name, y in x.items()}
    if isinstance(x, (list, tuple, set, range, np.ndarray)):
        return [plain(y) for y in x]
    return x.item() if isinstance(x, np.generic) else x


def other_fields(x: Any, left_out: Collection[str], computed: Iterable[str]) -> dict[str, Any]:
    """Fields of a result that are not in ``left_out``, and its ``computed`` properties, as plain values.

    Dataclasses in a tuple become flat mappings, like rows.
    """
    visible = [f for f in fields(x) if f.name not in left_out and HIDDEN not in f.metadata]
    values = {f.metadata.get(KEY, f.name): getattr(x, f.name) for f in visible}
    values |= {name: getattr(x, name) for name in computed}
    return {name: _rows(y) if isinstance(y, tuple) else plain(y) for name, y in values.items()}


def _rows(x: Any) -> Any:
    return [flat(y) if is_dataclass(y) else plain(y) for y in x] if not hasattr(x, "_fields") else plain(x)


def flat(row: Any) -> dict[str, Any]:
    """Flat mapping of a row: an interval becomes several entries, such as its value and its ends."""
    if isinstance(row, Mapping):
        return {str(name): plain(x) for name, x in row.items()}
    if isinstance(row, MetricInterval) or not is_dataclass(row):
        return dict(plain(row))
    out: dict[str, Any] = {}
    for f in fields(row):
        x = getattr(row, f.name)
        if x is None and f.metadata.get(OPTIONAL):
            continue
        if isinstance(x, MetricInterval):
            out |= interval(x, f.metadata.get(PRIMARY, f.name), "" if PRIMARY in f.metadata else f"{f.name}_")
        elif isinstance(x, CostPerSolved):
            out |= {f.name: x.value, f"{f.name}_lo": x.lo, f"{f.name}_hi": x.hi, "cost_per_trial": x.cost}
        elif isinstance(x, Estimate):
            out |= {f"{f.name}_mu": x.mu, f"{f.name}_sigma": x.sigma}
        elif isinstance(x, Mapping):
            for name, y in x.items():
                out |= interval(y, name, f"{name}_") if isinstance(y, MetricInterval) else {name: plain(y)}
        else:
            out[f.name] = plain(x)
    return out


def interval(x: MetricInterval, name: str, prefix: str) -> dict[str, Any]:
    """Parts of an interval as a mapping: the estimate under ``name``, the others with the prefix.

    With a prefix, sigma, questions and n_eff are left out. Where missing outcomes are bounded, lowest and highest are
    the ends of the estimate over all their values.
    """
    bounds = zip(("lowest", "highest"), x.bounds or (), strict=False)
    ends: dict[str, Any] = {f"{prefix}{end}": y for end, y in bounds}
    ends |= {name: x.mu, f"{prefix}lo": x.lo, f"{prefix}hi": x.hi, f"{prefix}variance_source": x.variance_source}
    if prefix:
        return ends
    return ends | {"sigma": x.sigma, "questions": x.questions, "n_eff": x.n_eff}
