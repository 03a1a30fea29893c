"""Calls of Scorio.jl on NumPy arrays without copies, through juliacall (``pip install juliacall``).

Each number has the same 64 bits as in this package. The module is for people who mix the two languages, and for the
tests that compare them.
"""

from __future__ import annotations

import inspect
import json
import os
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from . import converge, eval, items, rank, rubric, simulate, sinf, utils
from .arguments import is_missing
from .errors import InvalidInput
from .outcomes.answers import Answers, Detailed
from .outcomes.counts import Counts
from .outcomes.matrix import needs_unwrapping, readable, unwrapped
from .outcomes.tally import tally
from .results import RunVariation

MODULES = {
    "eval": eval, "sinf": sinf, "utils": utils, "converge": converge, "simulate": simulate, "rank": rank,
    "rubric": rubric, "items": items,
}  # fmt: skip
NUMBERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
SHARED = {np.dtype(name): name for name in NUMBERS}  # types that Julia reads in place; dtype.name is slow
UUID = "84333802-5195-4aff-b4ef-5e533f7411ce"  # the uuid of Scorio.jl in julia/Project.toml
OTHER_KINDS = ("m", "M", "S", "V", "c")  # kinds of arrays whose entries are neither plain numbers nor text
OUTCOMES = frozenset(  # arguments whose lists may be long: these become arrays
    [
        "R", "R0", "R_b", "A", "B", "old", "new", "models", "benchmarks", "signals", "verdicts", "labels", "labels_a",
        "labels_b", "builds", "evaluations", "pin",
    ]
)  # fmt: skip


@cache
def module(project: str | None = None) -> Any:
    """The Julia module Scorio, loaded once.

    Parameters
    ----------
    project : str, optional
        Folder of Scorio.jl (``julia/`` of a checkout); default: the Scorio.jl of the active Julia environment.

    Returns
    -------
    juliacall.ModuleValue

    Raises
    ------
    ImportError
        juliacall is not installed, or could not set up a Julia, or Julia has another package of this name; the message
        states the cause.
    """
    try:
        from juliacall import Main
    except Exception as e:  # its set-up may download Julia, and fails in many ways
        raise ImportError(f"juliacall could not be set up: {type(e).__name__}: {e}") from e
    if project is not None:
        Main.seval("path -> path in LOAD_PATH || push!(LOAD_PATH, path)")(os.path.abspath(project))
    Main.seval("import Scorio")
    uuid = str(Main.seval("string(Base.PkgId(Scorio).uuid)"))
    if uuid != UUID:
        raise ImportError(
            f"the package Scorio that Julia loads is another package (its uuid is {uuid}, not {UUID}): a registry has "
            "it under the same name; give the folder julia/ of this package as project="
        )
    return Main.Scorio


def call(name: str, *args: Any, project: str | None = None, **options: Any) -> Any:
    """Call a function of Scorio.jl with the arguments of the Python function of the same name.

    Parameters
    ----------
    name : str
        Name of a function: "tally", "interval", "compare", "elo"; with its module where two modules have the name:
        "rank.bayes", "rubric.score".
    *args, **options
        The function's arguments in Python. Complete arrays of integers, booleans or floats, in C or Fortran order, are
        read by Julia in place; masked ones and data frames become such arrays first, with NaN for what is missing.
        Rectangular lists of outcomes become arrays. :class:`~scorio.Counts` are accepted, also those that Julia
        returned.
    project : str, optional; as in :func:`module`

    Returns
    -------
    float, int, bool, list, ndarray, named tuple or dict
        A named tuple if the Python result has several fields; a dict where models or thresholds have names; Counts for
        "tally". Indices count from 0, as in Python.

    Raises
    ------
    InvalidInput
        With the code and argument of Julia, and the message of Python if Python raises the same error. Any other error
        of Julia is raised as it is.
    """
    module_name, function, signature = _function_info(name)
    short_name = name.rpartition(".")[2]
    arguments = signature.bind(*args, **options).arguments
    bridge = module(project).Bridge
    kept_arrays: list[Any] = []  # arrays whose memory Julia reads, kept until the call has returned
    values = {p: _to_julia(bridge, x, p in OUTCOMES, kept_arrays) for p, x in arguments.items()}
    result = _from_julia(name, json.loads(str(bridge.call(module_name, short_name, values))))
    if isinstance(result, _Refusal):
        raise _refusal(function, args, options, result)
    del kept_arrays
    return result


@cache
def _function_info(name: str) -> tuple[str, Callable[..., Any], inspect.Signature]:
    """The module of a function, the function, and its signature."""
    module_name, function = find(name)
    return module_name, function, inspect.signature(function)


def find(name: str) -> tuple[str, Callable[..., Any]]:
    """The module of a function and its Python function; AttributeError or KeyError if function or module is unknown."""
    module_name, _, short_name = name.rpartition(".")
    if module_name:
        return module_name, getattr(MODULES[module_name], short_name)
    if name == "tally":
        return "", tally
    for module_name, python_module in MODULES.items():
        if name in python_module.__all__:
            return module_name, getattr(python_module, name)
    raise AttributeError(f"scorio has no function {name}")


# --- arguments ---------------------------------------------------------------------------------------


def _to_julia(bridge: Any, x: Any, outcomes: bool, kept_arrays: list[Any]) -> Any:
    """An argument in the form that the Julia side accepts; outcomes: whether lists of numbers become arrays."""
    if x is None or type(x) in (str, int, bool):
        return x

    def to_julia(y: Any) -> Any:
        return _to_julia(bridge, y, outcomes, kept_arrays)

    if is_missing(x):
        return None
    if type(x).__module__.partition(".")[0] == "juliacall":  # attributes of Julia values may raise
        return x
    if isinstance(x, Counts):
        ids, clusters = (None if y is None else list(y) for y in (x.ids, x.clusters))
        return bridge.counts(to_julia(x.table), to_julia(np.array(x.absent)), ids, clusters)
    if isinstance(x, Detailed):
        make = bridge.answers if isinstance(x, Answers) else bridge.scored
        return make([[list(y) if isinstance(y, tuple) else y for y in item] for item in x.items])
    if isinstance(x, rubric.Schema):
        return bridge.schema(x.name, list(map(list, x.rules)), list(x.w), dict(x.variables), dict(x.thresholds))
    if isinstance(x, RunVariation):
        x = x._asdict()
    if isinstance(x, Mapping):
        return {k: to_julia(v) for k, v in x.items()}
    if isinstance(x, np.generic) and x.dtype.kind not in OTHER_KINDS:
        return x.item()
    x = unwrapped(x)
    if hasattr(x, "iloc"):
        x = np.asarray(readable(x))
    if outcomes and isinstance(x, (list, tuple)):
        x = _as_array(x)
    if isinstance(x, (bytes, bytearray)) or getattr(getattr(x, "dtype", None), "kind", "") in OTHER_KINDS:
        return str(x)  # refused as text: Julia would read numbers or rows from them
    if isinstance(x, np.ndarray):
        x = _native(x)
        if x.size and x.dtype in SHARED:
            rows = not x.flags.f_contiguous or x.ndim == 1  # whether the last index is the fastest
            x = np.ascontiguousarray(x) if rows else x
            kept_arrays.append(x)
            return bridge.memory(SHARED[x.dtype], x.__array_interface__["data"][0], list(x.shape), rows)
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [to_julia(y) for y in x]
    return x


def _as_array(x: Any) -> Any:
    """Lists of numbers in equal rows as an array; other lists unchanged."""
    if any(isinstance(row, Counts) or needs_unwrapping(row) for row in x):
        return x
    try:
        array = np.asarray(x)
    except Exception:  # rows of unequal length, or objects that NumPy cannot read
        return x
    return array if array.dtype.kind in "buif" and array.ndim > 1 and array.size else x


def _native(x: Any) -> Any:
    """An array of a type that Julia can read in place, with masked entries as NaN; other arrays unchanged."""
    if isinstance(x, np.ma.MaskedArray):
        if x.dtype.kind not in "buif":
            return x
        x = np.where(np.ma.getmaskarray(x), np.nan, x.data) if np.ma.getmaskarray(x).any() else x.data
    if x.dtype.kind == "f" and x.itemsize not in (4, 8):
        return x.astype(np.float64)
    return x if x.dtype.isnative or x.dtype.kind not in "iuf" else x.astype(x.dtype.newbyteorder("="))


# --- results -----------------------------------------------------------------------------------------


class _Refusal(tuple):  # type: ignore[type-arg]
    """InvalidInput of Julia as a tuple: (code, argument, message)."""


def _refusal(function: Callable[..., Any], args: Any, options: Any, refused: _Refusal) -> InvalidInput:
    """Python's error for the same call, if its code and argument are the same; else Julia's error.

    Python's message is preferred because its indices count from 0.
    """
    try:
        function(*args, **options)
    except InvalidInput as e:
        if (e.code, e.argument) == refused[:2]:
            return e
    except Exception:
        pass
    return InvalidInput(*refused)


@cache
def _tuple(name: str, fields: tuple[str, ...]) -> Any:
    """The type of the results of a function: a named tuple with these fields."""
    return namedtuple(name, fields)  # type: ignore[misc]


def _from_julia(name: str, x: Any) -> Any:
    """A result from the text that Julia's Bridge wrote."""
    if isinstance(x, list):
        return [_from_julia(name, y) for y in x]
    if not isinstance(x, dict):
        return x
    kind, data = next(iter(x.items()))
    if kind == "array":
        dtype, shape, memory = data
        return np.frombuffer(bytes.fromhex(memory), dtype).reshape(shape, order="F").copy()
    if kind == "refused":
        return _Refusal(data)
    if kind == "counts":
        return Counts(*(_from_julia(name, y) for y in data))
    values = [(k, _from_julia(name, v)) for k, v in data]
    if kind == "named":
        return dict(values)
    return _tuple(name.rpartition(".")[2], tuple(k for k, _ in values))(*(v for _, v in values))
