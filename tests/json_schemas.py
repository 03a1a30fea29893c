"""JSON Schemas of what commands print with --json, made from the types of results: docs/*.schema.json.

python tests/json_schemas.py            lists the files that differ from the types
python tests/json_schemas.py --write    writes them anew
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from scorio import commands
from scorio.commands.base import HIDDEN, KEY, OPTIONAL, PRIMARY, SEPARATE_FIELDS, About, Result
from scorio.items.cost_per_solved import CostPerSolved
from scorio.results import Estimate, MetricInterval, Target, VarianceSource

DOCS = Path(__file__).resolve().parents[1] / "docs"
Schema = dict[str, Any]
KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
NUMBER, TEXT = {"type": "number"}, {"type": "string"}
SOURCE: Schema = {"enum": [*get_args(VarianceSource)]}
INTERVAL_FIELDS: dict[str, Schema] = {
    "lo": NUMBER, "hi": NUMBER, "variance_source": SOURCE, "sigma": NUMBER,
    "questions": {"enum": [*get_args(Target)]}, "n_eff": NUMBER,
}  # fmt: skip
BOUNDS = ("lowest", "highest")  # ends of a value where missing outcomes are bounded
NAME = "^[A-Za-z]+@[0-9]+"  # pattern of the name of a metric of k trials, such as pass@2


def results() -> dict[str, type[Result]]:
    """Types of results by the name of their schema."""
    for module in pkgutil.iter_modules(commands.__path__):
        importlib.import_module(f"scorio.commands.{module.name}")
    # Report has no table, and no schema file in docs
    result_types = (x for x in Result.__subclasses__() if "table" in x.__dataclass_fields__)
    return {x.schema.partition("/")[0].removeprefix("scorio."): x for x in result_types}


def schema(result: type[Result]) -> Schema:
    """Schema of :meth:`scorio.commands.base.Result.to_dict`, for results of this type."""
    hints, version = get_type_hints(result), result.schema.partition("/")[2]
    about = {key: type_schema(x) for key, x in get_type_hints(About).items() if key != "gaps"}
    other_fields = {f.metadata.get(KEY, f.name): type_schema(hints[f.name], flat=True) for f in fields(result)
                    if f.name not in SEPARATE_FIELDS and HIDDEN not in f.metadata}  # fmt: skip
    computed = {x: type_schema(get_type_hints(getattr(result, x).fget)["return"]) for x in result.computed}
    texts = type_schema(list[str])
    rows = {"rows": type_schema(hints["table"], flat=True), "sentences": texts, "notes": texts}
    properties = {"schema": {"const": result.schema}, "version": TEXT} | about | other_fields | computed | rows
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": result.schema,
        "title": (result.__doc__ or "").partition("\n")[0],
        "description": f"Version {version}. Fields may be added; none is removed or changed without a new version.",
    }
    return head | record(properties, ("questions", "confidence", "runs"))


def record(properties: Mapping[str, Schema], optional: Collection[str] = ()) -> Schema:
    """Schema of an object with these fields, all required but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": dict(properties)}


def type_schema(x: Any, flat: bool = False) -> Schema:
    """Schema of a type as :func:`scorio.commands.base.plain` shows it; flat: dataclasses in sequences are rows."""
    if x is Any:
        return {}
    if x in KINDS:
        return {"type": KINDS[x]}
    origin, args = get_origin(x), get_args(x)
    if origin is Literal:
        return {"enum": [y for y in args if y != ""]}  # to_dict leaves out a field whose value is ""
    if origin in (Union, UnionType):
        return either([type_schema(y, flat) for y in args])
    if origin is tuple and args[-1] is not Ellipsis:
        items = [type_schema(y) for y in args]
        return {"type": "array", "prefixItems": items, "minItems": len(args), "maxItems": len(args)}
    if origin in (tuple, list) or (isinstance(origin, type) and issubclass(origin, Sequence)):
        item = args[0]
        return {"type": "array", "items": row(item) if flat and is_dataclass(item) else type_schema(item)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": type_schema(args[1])}
    if x is MetricInterval:
        return record({"mu": NUMBER} | INTERVAL_FIELDS | dict.fromkeys(BOUNDS, NUMBER), BOUNDS)
    hints = get_type_hints(x)
    names = [f.name for f in fields(x)] if is_dataclass(x) else x._fields
    return record({name: type_schema(hints[name]) for name in names})


def either(kinds: Sequence[Schema]) -> Schema:
    """Schema of one of several types; a list of type names where that is enough."""
    if all(x.keys() == {"type"} for x in kinds):
        return {"type": [x["type"] for x in kinds]}
    return {"anyOf": list(kinds)}


def row(x: Any) -> Schema:
    """Schema of a row as :func:`scorio.commands.base.flat` shows it."""
    hints, out, optional, patterns = get_type_hints(x), dict[str, Schema](), list[str](), dict[str, Schema]()
    for f in fields(x):
        kind, more = hints[f.name], dict[str, Schema]()
        left_out = f.metadata.get(OPTIONAL)
        if left_out:
            kind = next((y for y in get_args(kind) if y is not NoneType), kind)
        if kind is MetricInterval and PRIMARY in f.metadata:
            more = {f.metadata[PRIMARY]: NUMBER} | INTERVAL_FIELDS | dict.fromkeys(BOUNDS, NUMBER)
            optional += BOUNDS
        elif kind is MetricInterval:
            more = _ends(f.name)
        elif kind is CostPerSolved:
            more = dict.fromkeys((f.name, f"{f.name}_lo", f"{f.name}_hi", "cost_per_trial"), NUMBER)
        elif kind is Estimate:
            more = {f"{f.name}_mu": NUMBER, f"{f.name}_sigma": NUMBER}
        elif get_origin(kind) is not None and get_args(kind)[-1:] == (MetricInterval,):
            patterns |= {f"{NAME}(_lo|_hi|_lowest|_highest)?$": NUMBER, f"{NAME}_variance_source$": SOURCE}
        else:
            more = {f.name: type_schema(kind)}
        out |= more
        optional += more if left_out else ()
    return record(out, optional) | ({"patternProperties": patterns} if patterns else {})


def _ends(name: str) -> dict[str, Schema]:
    """Fields of an interval that is not the primary one of its row."""
    return {name: NUMBER, f"{name}_lo": NUMBER, f"{name}_hi": NUMBER, f"{name}_variance_source": SOURCE}


def texts() -> dict[Path, str]:
    """Text of each schema file, by path."""
    return {DOCS / f"{name}.schema.json": json.dumps(schema(x), indent=1) + "\n" for name, x in results().items()}


def main() -> int:
    """Compare the schema files with the types, or write them."""
    different = [path for path, text in texts().items() if not path.exists() or path.read_text() != text]
    for path in different:
        if "--write" in sys.argv:
            path.write_text(texts()[path])
        else:
            print(f"{path.name} differs from the type: python {sys.argv[0]} --write")
    return int(bool(different) and "--write" not in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
