"""Reading spec/ from Python: arguments, exact values, the error metric. The only place that knows the formats."""

from __future__ import annotations

import json
from fractions import Fraction
from math import frexp, isfinite
from pathlib import Path
from typing import Any

import numpy as np

import scorio
from scorio import Counts

ROOT = Path(__file__).resolve().parents[1]
SPEC = ROOT / "spec"
FUNCTIONS = {f["name"]: f for f in json.loads((SPEC / "functions.json").read_text())["functions"]}
SPECIAL = {
    "complex": np.array([[1 + 2j, 0j]]),
    "object": [[object(), 1]],
    "string": "0110",
    "0d": np.array(1),
    "masked": np.ma.array([[0, 1], [1, 1]], mask=[[True, False], [False, False]]),
}


def vectors(name: str) -> dict[str, Any]:
    return json.loads((SPEC / "vectors" / f"{name}.json").read_text())


def number(x: Any) -> Any:
    """Non-finite values and the negative zero travel as strings."""
    return float(x) if isinstance(x, str) and x in ("nan", "inf", "-inf", "-0.0") else x


def recipe(M: int, N: int, C: int, seed: int) -> np.ndarray:
    """The integer recipe of spec/README.md."""
    i, j = np.arange(M, dtype=np.int64)[:, None], np.arange(N, dtype=np.int64)[None, :]
    h = ((i + 1) * 48271 + (j + 1) * 16807 + seed * 69621 + (i + 1) * (j + 1) * 39373) % 2147483647
    h = (h * 48271) % 2147483647
    hit = (h % 10007) * (M + 1) < 10007 * (i + 1)
    return np.where(hit, 1 if C == 1 else (h // 10007) % (C + 1), 0)


def outcomes(x: Any) -> Any:
    if not isinstance(x, dict):
        return number(x)
    ((kind, data),) = x.items()
    if kind == "matrix":
        return [[number(v) for v in row] if isinstance(row, list) else number(row) for row in data]
    if kind == "counts":
        return Counts(np.array(data))
    if kind == "recipe":
        return recipe(**data)
    return SPECIAL[data]


def arguments(args: dict[str, Any]) -> dict[str, Any]:
    def one(name: str, x: Any) -> Any:
        if name in ("R", "R0"):
            return outcomes(x)
        if isinstance(x, list):
            return [number(v) for v in x]
        return number(x)

    return {name: one(name, x) for name, x in args.items()}


def call(function: str, args: dict[str, Any]) -> Any:
    return implementation(function)(**arguments(args))


def implementation(name: str) -> Any:
    """The Python function of a name of functions.json."""
    return scorio.tally if name == "tally" else getattr(getattr(scorio, FUNCTIONS[name]["room"]), name)


def fields(function: str, result: Any) -> dict[str, Any]:
    """A result under the field names of spec/functions.json."""
    if function == "tally":
        return {"table": result.table.tolist(), "missing": result.missing}
    if isinstance(result, (float, list)):
        return {"value" if isinstance(result, float) else "ranks": result}
    spec = FUNCTIONS[function]
    return {n: getattr(result, n) for n in [*spec["returns"], *spec.get("attributes", [])]}


def ulp_error(got: float, exact: Fraction) -> float:
    """|got - exact| / ulp(exact); an exact 0 demands 0; what is not finite fails."""
    if not isinstance(got, float) or not isfinite(got):
        return float("inf")
    if exact == 0:
        return 0.0 if got == 0.0 else float("inf")
    a = abs(exact)
    shift = max(0, 60 - (a.numerator.bit_length() - a.denominator.bit_length()))
    _, e = frexp(float(a.numerator * 2**shift // a.denominator))
    exponent = max(e - 1 - shift, -1022)
    if Fraction(2) ** (exponent + 1) <= a and exponent >= -1022:
        exponent += 1
    return float(abs(Fraction(got) - exact) / Fraction(2) ** (exponent - 52))


def errors(function: str, case: dict[str, Any]) -> dict[str, float]:
    """ULP error of every float of a case; anything else must be equal, or counts as infinite."""
    got, result = fields(function, call(function, case["args"])), {}
    for name, want in case["want"].items():
        if isinstance(want, dict) and "exact" in want:
            result[name] = ulp_error(got[name], Fraction(want["exact"]))
        else:
            result[name] = 0.0 if got[name] == want else float("inf")
    assert set(case["want"]) == set(got), (set(case["want"]), set(got))
    return result


__all__ = ["FUNCTIONS", "ROOT", "SPEC", "arguments", "call", "errors", "fields", "ulp_error", "vectors"]
