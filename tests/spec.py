"""Read cases of spec/, call functions with their arguments, and measure errors of results, for all tests."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import inf, isfinite, nextafter
from pathlib import Path
from typing import Any

import numpy as np

import scorio
from scorio import Counts

ROOT = Path(__file__).resolve().parents[1]
SPEC = ROOT / "spec"
TABLE = json.loads((SPEC / "functions.json").read_text())
FUNCTIONS = {f["name"]: f for f in TABLE["functions"]}
METRICS = {m["name"]: m for m in TABLE["metrics"]}
SPECIAL = {  # values that JSON cannot express, by the name that a case gives them
    "complex": np.array([[1 + 2j, 0j]]),
    "object": [[object(), 1]],
    "string": "0110",
    "0d": np.array(1),
    "masked": np.ma.array([[0, 1], [1, 1]], mask=[[True, False], [False, False]]),
}
INTEGER = re.compile(r"-?[1-9][0-9]{15,}")  # a text of such digits is an integer above 2^53


def vectors(name: str) -> dict[str, Any]:
    """Vector file of a function."""
    return json.loads((SPEC / "vectors" / f"{name}.json").read_text())


def refused_calls(name: str) -> dict[str, Any]:
    """File of the calls that a function must refuse."""
    return json.loads((SPEC / "invalid" / f"{name}.json").read_text())


def refusal_phrases(
    phrases: list[dict[str, Any]], entry: dict[str, Any], code: str, argument: str
) -> list[dict[str, Any]]:
    """Phrases that say when an argument is refused with a code: those of the argument, else those of its kind."""
    kinds = {p["name"]: p["kind"] for p in entry["params"]}
    keys = (("arguments", argument), ("kinds", kinds[argument])) if argument in kinds else (("members", argument),)
    matches = [[p for p in phrases if p["code"] == code and x in p.get(key, ())] for key, x in keys]
    return next((x for x in matches if x), [])


def number(x: Any) -> Any:
    """Convert a number from JSON, where non-finite values, negative zero and integers above 2^53 are strings."""
    if not isinstance(x, str):
        return x
    return float(x) if x in ("nan", "inf", "-inf", "-0.0") else int(x) if INTEGER.fullmatch(x) else x


def recipe(M: int, N: int, C: int, seed: int) -> np.ndarray:
    """Matrix of the integer recipe of spec/README.md."""
    i, j = np.arange(M, dtype=np.int64)[:, None], np.arange(N, dtype=np.int64)[None, :]
    h = ((i + 1) * 48271 + (j + 1) * 16807 + seed * 69621 + (i + 1) * (j + 1) * 39373) % 2147483647
    h = (h * 48271) % 2147483647
    hit = (h % 10007) * (M + 1) < 10007 * (i + 1)
    return np.where(hit, 1 if C == 1 else (h // 10007) % (C + 1), 0)


OUTCOME_ARGUMENTS = (
    "R", "R0", "R_b", "A", "B", "candidate", "baseline", "old", "new", "models", "benchmarks", "verdicts", "labels",
    "labels_a", "labels_b", "answers", "more", "scored", "builds", "pin", "evaluations",
)  # fmt: skip


def numbers(x: Any) -> Any:
    """Convert numbers from JSON in nested lists and mappings; expand repeated texts and special values."""
    if isinstance(x, dict):
        if set(x) == {"repeat"}:
            return "".join(text * times for text, times in x["repeat"])
        return SPECIAL[x["special"]] if set(x) == {"special"} else {name: numbers(v) for name, v in x.items()}
    return [numbers(v) for v in x] if isinstance(x, list) else number(x)


def outcomes(x: Any) -> Any:
    """Outcomes, models, benchmarks, answers or scored trials from JSON."""
    if not isinstance(x, dict):
        return number(x)
    if "counts" in x:
        return Counts(np.array(x["counts"]), ids=x.get("ids"), clusters=x.get("clusters"))
    ((kind, data),) = x.items()
    if kind in ("matrix", "tensor"):
        return numbers(data)
    if kind in ("models", "benchmarks"):
        return {name: outcomes(v) for name, v in data.items()}
    if kind == "answers":
        return answers(data)
    if kind == "scored":
        return scorio.ScoredTrials(**numbers(data))
    if kind == "recipe":
        return recipe(**data)
    return SPECIAL[data]


def answers(x: dict[str, Any]) -> Any:
    """Answers from labels and a key, from labels and outcomes, or from counts; labels stay texts."""
    if "right" in x:
        return scorio.Answers.from_counts(**x)
    return scorio.Answers.graded(**x) if "R" in x else scorio.Answers(**x)


def schema(x: Any) -> Any:
    """Key of a standard schema, or a schema made from its declaration; also in a list."""
    if isinstance(x, list):
        return [schema(y) for y in x]
    return scorio.rubric.Schema(**numbers(x)) if isinstance(x, dict) else number(x)


def arguments(args: dict[str, Any], function: str = "") -> dict[str, Any]:
    """Python arguments of a call from those of a case."""
    readers = dict.fromkeys(OUTCOME_ARGUMENTS, outcomes)
    if function in FUNCTIONS and FUNCTIONS[function]["module"] == "rubric":
        readers = {"schema": schema, "schemata": schema}
    return {name: readers.get(name, numbers)(x) for name, x in args.items()}


def call(function: str, args: dict[str, Any]) -> Any:
    """Result of a function for the arguments of a case."""
    return implementation(function)(**arguments(args, function))


def implementation(name: str) -> Any:
    """Python function with a name of functions.json."""
    return scorio.tally if name == "tally" else getattr(getattr(scorio, FUNCTIONS[name]["module"]), name.split(".")[-1])


def as_lists(x: Any) -> Any:
    """Convert arrays, tuples and mappings of models to lists."""
    if isinstance(x, dict):
        x = list(x.values())
    return x.tolist() if isinstance(x, np.ndarray) else list(x) if type(x) is tuple else x


def rows(x: Any) -> Any:
    """Convert rows of results to lists."""
    return [rows(y) for y in x] if isinstance(x, (list, tuple)) else as_lists(x)


def fields(function: str, result: Any) -> dict[str, Any]:
    """Fields of a result by their names in spec/functions.json."""
    if FUNCTIONS[function]["module"] == "rubric":
        names = FUNCTIONS[function]["returns"]
        items = [getattr(result, n) for n in names] if len(names) > 1 else [result]
        pairs = [[list(p) for p in x.items()] if isinstance(x, dict) else as_lists(x) for x in items]
        return dict(zip(names, pairs, strict=True))
    if function == "tally":
        return {"table": result.table.tolist(), "missing": result.missing}
    entry = FUNCTIONS[function]
    names = [*entry["returns"], *entry["attributes"]]
    if function in (
        "ranges",
        "compare_all",
        "items",
        "changes",
        "design",
        "steps",
    ):  # a list of results
        return {n: [getattr(r, n) for r in as_lists(result)] for n in names}
    if function in ("gate_builds", "alarms"):  # fields of the builds, and of all of them
        of_all = set(type(result)._fields)
        return {n: getattr(result, n) if n in of_all else [getattr(r, n) for r in result.builds] for n in names}
    if function in ("suite", "gate_suite"):
        return {n: rows(getattr(result, n)) for n in names}
    if all(hasattr(result, n) for n in names) and not isinstance(result, (list, np.ndarray)):
        return {n: as_lists(getattr(result, n)) for n in names}
    if type(result) is tuple:  # ranks with their scores, or arrays
        names = ["ranks", "scores"] if names == ["ranks"] else names
        return dict(zip(names, map(as_lists, result), strict=True))
    (name,) = names
    return {name: as_lists(result)}


def ulp_error(got: float, exact: Fraction) -> float:
    """Error |got - exact| / ulp(exact); infinite for a result that is not a finite float, or not 0 where exact is 0."""
    if not isinstance(got, float) or not isfinite(got):
        return inf
    if exact == 0:
        return 0.0 if got == 0.0 else inf
    a = abs(exact)
    shift = max(0, 60 - (a.numerator.bit_length() - a.denominator.bit_length()))  # makes a at least 1
    floor_of_log2 = (a.numerator * 2**shift // a.denominator).bit_length() - 1 - shift
    exponent = max(floor_of_log2, -1022)
    return float(abs(Fraction(got) - exact) / Fraction(2) ** (exponent - 52))


def error_of(got: Any, want: Any) -> float:
    """Largest ULP error in a field; infinite where an integer, a text, a flag or null differs."""
    if isinstance(want, dict):
        if want["exact"] in ("nan", "inf"):
            return 0.0 if isinstance(got, float) and str(got) == want["exact"] else inf
        error = ulp_error(got, Fraction(want["exact"]))
        return error if got == want["value"] else nextafter(max(error, 0.5), inf)  # > 0.5 at a tie too
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return max((error_of(g, w) for g, w in zip(got, want, strict=True)), default=0.0)
    want = number(want)
    return 0.0 if type(got) is type(want) and got == want else inf


def errors(function: str, case: dict[str, Any]) -> dict[str, float]:
    """Largest ULP error of each field of a case."""
    got = fields(function, call(function, case["args"]))
    if got.get("bounds") is None and "bounds" not in case["want"]:  # without missing outcomes there are no bounds
        got.pop("bounds", None)
    assert set(case["want"]) == set(got), (set(case["want"]), set(got))
    return {name: error_of(got[name], want) for name, want in case["want"].items()}
