"""Receipts: published results with the counts that they were computed from, so that anyone can check them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from math import copysign, isfinite
from typing import Any, NamedTuple

from .errors import InvalidInput, not_json, shown
from .eval.intervals import interval
from .outcomes.counts import Counts
from .sinf.suite import suite

SCHEMA = "scorio.receipt/1"
ABSENT = "(absent)"  # in a difference: the receipt, or the computed result, lacks the value
MOST_CHARACTERS = 1000  # longer numbers in a receipt are refused
MEMBERS = ("schema", "version", "command", "files", "missing", "left_out", "data", "results")
FUNCTIONS: dict[str, Callable[..., Any]] = {"interval": interval, "suite": suite}
FIELDS = {
    "interval": ("mu", "sigma", "lo", "hi", "n_eff", "variance_source", "units"),
    "suite": ("models", "pairs", "each", "benchmarks", "weights", "left_out"),
}  # the fields of each function's result that a receipt states
# the argument that holds the outcomes, and the number of names that select them
DATA = {"interval": ("R", 2), "suite": ("benchmarks", 0)}
# the other arguments that a receipt may state
OPTIONS = {
    "interval": ("metric", "k", "tau", "w", "questions", "confidence", "model", "shape"),
    "suite": ("metric", "k", "tau", "w", "weights", "questions", "confidence", "correction", "common", "model"),
}


class Difference(NamedTuple):
    """A value of a receipt that differs from the value computed from the counts."""

    place: str
    stated: Any
    computed: Any


class Verification(NamedTuple):
    """The numbers of results and values of a receipt that were computed again, and the differences."""

    results: int
    values: int
    differences: list[Difference]


def verify(receipt: str | os.PathLike[str] | Mapping[str, Any]) -> Verification:
    """Compute every result of a receipt again from its counts, and compare all 64 bits of each number.

    Parameters
    ----------
    receipt : path or mapping; a file that ``scorio receipt`` wrote, or what :meth:`scorio.Evaluation.receipt` returns

    Returns
    -------
    Verification
        (results, values, differences); differences is empty if every value follows from the counts. Each difference
        has its place in the receipt, the stated value and the computed value.

    Raises
    ------
    InvalidInput
        format: the file is not a receipt; choice: a function that receipts do not have; or an error of the function
        itself. The message names the place in the receipt.
    OSError
        The file cannot be read.

    Notes
    -----
    A receipt does not prove that its counts are those of the log: ``scorio verify r.json LOG`` compares them too.

    Examples
    --------
    >>> import scorio
    >>> e = scorio.read("spec/examples/coins.csv")
    >>> r = e.receipt()
    >>> scorio.verify(r).differences
    []
    >>> r["results"][0]["result"]["mu"] = 0.9
    >>> scorio.verify(r).differences
    [Difference(place='results[0].result.mu', stated=0.9, computed=0.74375)]
    """
    if not isinstance(receipt, (str, os.PathLike, Mapping)):
        raise InvalidInput("type", "receipt", f"receipt must be a path or a mapping, not {shown(receipt)}")
    content = receipt if isinstance(receipt, Mapping) else read_receipt(receipt)
    if content.get("schema") != SCHEMA:
        raise InvalidInput("format", "receipt", f'this is not a receipt: it has no "schema": "{SCHEMA}"')
    _refuse_unknown(content, MEMBERS, "receipt")
    _check_remarks(content)
    data, results = content.get("data"), content.get("results")
    if not isinstance(data, Mapping) or not isinstance(results, list) or not results:
        raise InvalidInput("format", "receipt", "receipt needs an object data and a list results that is not empty")
    values, differences = 0, list[Difference]()
    for i, x in enumerate(results):
        place = f"results[{i}]"
        _refuse_unknown(x, ("function", "args", "result"), place)
        pairs = list(_pairs(f"{place}.result", _member(x, "result", place), computed(x, data, place)))
        values += len(pairs)
        differences += [Difference(*pair) for pair in pairs if not _same(*pair[1:])]
    return Verification(len(results), values, differences)


def computed(x: Any, data: Mapping[str, Any], place: str = "result") -> dict[str, Any]:
    """A result of a receipt, computed again by its function from its arguments and the data."""
    name, args = _member(x, "function", place), _member(x, "args", place)
    if not isinstance(name, str) or name not in FUNCTIONS:
        raise InvalidInput("choice", "function", f"{place}.function is {shown(name)}, not {' or '.join(FUNCTIONS)}")
    argument, n_names = DATA[name]
    source = _member(args, argument, f"{place}.args")
    names = _member(source, "data", f"{place}.args.{argument}")
    _refuse_unknown(source, ("data",), f"{place}.args.{argument}")
    if not isinstance(names, list) or len(names) != n_names or not all(isinstance(x, str) for x in names):
        wanted = ("[]", "", "[benchmark, model]")[n_names]
        raise InvalidInput("format", "data", f"{place}.args.{argument}: data is {shown(names)}, not {wanted}")
    options = {p: y for p, y in args.items() if p != argument}
    if unknown := [p for p in options if p not in OPTIONS[name]]:
        raise InvalidInput("format", "args", f"{place}.args: {name} takes no {shown(unknown[0])}")
    if "questions" not in options:
        raise InvalidInput("format", "args", f"{place}.args has no questions")
    chosen: Any = data  # the counts of a [benchmark, model]; for [], those of all models in all benchmarks
    where = "data"
    for part in names:
        if not isinstance(chosen, Mapping) or part not in chosen:
            raise InvalidInput("format", "receipt", f"{where} has no {shown(part)}")
        chosen, where = chosen[part], f"{where}[{shown(part)}]"
    counts = _read_counts(chosen, where, 2 - len(names))
    try:
        return stated(name, FUNCTIONS[name](counts, **options))
    except InvalidInput as error:
        raise error.of(place) from None


def stated(name: str, result: Any) -> dict[str, Any]:
    """A result in the form of receipts: rows as objects, and infinite numbers or NaN as text."""
    return {field: _plain(getattr(result, field)) for field in FIELDS[name]}


def _plain(x: Any) -> Any:
    """A value as JSON data."""
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return {field: _plain(y) for field, y in zip(x._fields, x, strict=True)}
    if isinstance(x, list):
        return [_plain(y) for y in x]
    return str(x) if isinstance(x, float) and not isfinite(x) else x


def read_receipt(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """The JSON object in a file; duplicate keys, NaN, infinities and numbers of over 1,000 characters are refused."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        content = json.loads(
            text,
            object_pairs_hook=_distinct,
            parse_constant=_real,
            parse_float=_real,
            parse_int=lambda x: _real(x, int),
        )
        json.dumps(content, ensure_ascii=False).encode()  # fails for half a surrogate pair
    except (ValueError, RecursionError) as error:
        what = not_json(error) if isinstance(error, RecursionError) else error
        raise InvalidInput("format", "receipt", f"{path} is not a receipt: {what}") from None
    if not isinstance(content, dict):
        raise InvalidInput("format", "receipt", f"{path} is not a receipt: it is not a JSON object")
    return content


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, whose keys must be distinct."""
    out = dict(pairs)
    if len(out) < len(pairs):
        duplicate = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise ValueError(f"duplicate key {shown(duplicate)} in an object")
    return out


def _real(text: str, kind: Callable[[str], float] = float) -> float:
    """A number; refused are NaN and infinities, which Python's reader would accept, and numbers too large or too long.

    Exact integers of any length would take any time.
    """
    if text.lstrip("-") in ("NaN", "Infinity"):
        raise ValueError(f"{text} is not JSON")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a number has {len(text)} characters, more than {MOST_CHARACTERS}")
    x = kind(text)
    if kind is float and not isfinite(x):
        raise ValueError(f"{shown(text)} is outside the range of doubles")
    return x


def _member(x: Any, name: str, place: str) -> Any:
    """A member of an object, which must have it."""
    if not isinstance(x, Mapping) or name not in x:
        raise InvalidInput("format", "receipt", f"{place} has no {name}")
    return x[name]


def _refuse_unknown(x: Any, names: Collection[str], place: str) -> None:
    """Refuse unknown members, which are not verified but would look verified."""
    for name in x if isinstance(x, Mapping) else ():
        if name not in names:
            raise InvalidInput("format", "receipt", f"{place} has {shown(name)}, which receipts do not have")


def _check_remarks(content: Mapping[str, Any]) -> None:
    """Refuse members for readers that have another form, such as a result in a place where it is not verified."""

    def is_file(x: Any) -> bool:
        known = {"file", "bytes", "sha256"}
        return isinstance(x, Mapping) and "file" in x and {*x} <= known and all(
            type(y) is int if name == "bytes" else isinstance(y, str) for name, y in x.items())  # fmt: skip

    def is_left_out(x: Any) -> bool:
        return (
            isinstance(x, Mapping) and {*x} == {"function", "args", "reason"} and isinstance(x["args"], Mapping)
            and x["function"] in FUNCTIONS and isinstance(x["reason"], str)
        )  # fmt: skip

    forms: dict[str, Callable[[Any], bool]] = {
        "version": lambda x: isinstance(x, str),
        "command": lambda x: x is None or isinstance(x, str),
        "missing": lambda x: type(x) in (str, int, float),
        "files": lambda x: isinstance(x, list) and all(map(is_file, x)),
        "left_out": lambda x: isinstance(x, list) and all(map(is_left_out, x)),
    }
    for name, fits in forms.items():
        if name in content and not fits(content[name]):
            raise InvalidInput("format", "receipt", f"{name} of the receipt has not the form of receipts")


def _read_counts(x: Any, where: str, depth: int) -> Any:
    """Counts, or nested mappings to counts if depth is above 0."""
    if depth:
        if not isinstance(x, Mapping):
            raise InvalidInput("format", "data", f"{where} is not an object")
        return {name: _read_counts(y, f"{where}[{shown(name)}]", depth - 1) for name, y in x.items()}
    rows = _member(x, "counts", where)
    _refuse_unknown(x, ("counts", "ids", "clusters"), where)
    is_table = isinstance(rows, list) and rows and all(isinstance(x, list) and len(x) == len(rows[0]) for x in rows)
    # integers below 2^53 are exact in readers that make doubles of numbers
    if not is_table or not rows[0] or not all(type(n) is int and 0 <= n < 2**53 for row in rows for n in row):
        raise InvalidInput("format", "data", f"{where}.counts must be a table of whole numbers, a row per question")
    try:
        return Counts(rows, ids=x.get("ids"), clusters=x.get("clusters"))
    except InvalidInput as error:
        raise error.of(where) from None


def _pairs(place: str, a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the place of every value, the stated value a and the computed value b; ABSENT where one side lacks it."""
    if isinstance(b, dict) and isinstance(a, Mapping):
        for name in dict.fromkeys([*b, *a]):
            yield from _pairs(f"{place}.{name}", a.get(name, ABSENT), b.get(name, ABSENT))
    elif isinstance(b, list) and isinstance(a, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _pairs(f"{place}[{i}]", x, y)
    else:
        yield place, a, b


def _same(a: Any, b: Any) -> bool:
    """Whether a stated value equals a computed one in all bits; the integer 1 equals the double 1.0."""
    if isinstance(b, float) and type(a) is int:
        return a == b and (a != 0 or copysign(1.0, b) > 0)
    return type(a) is type(b) and (a.hex() == b.hex() if isinstance(b, float) else bool(a == b))
