"""Run every case of spec/ and many forms of outcomes through scorio.julia, and print one line of JSON.

    python tests/juliacall_vectors.py [--every N] [--stand-in JULIA]

The calls use juliacall, or tests/embedded.py with --stand-in. tests/julia-by-hand and test_juliacall.py call it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
import spec

import scorio
import scorio.julia as bridge

PROJECT = str(spec.ROOT / "julia")


def without_arrays(x: Any) -> Any:
    """The result x with lists in place of arrays, at any depth; ranks with scores are a tuple, as in Python."""
    if getattr(x, "_fields", ()) == ("ranks", "scores"):
        return tuple(map(without_arrays, x))
    if hasattr(x, "_fields"):
        return x._make(map(without_arrays, x))
    if isinstance(x, dict):
        return {k: without_arrays(v) for k, v in x.items()}
    if isinstance(x, (list, np.ndarray)):
        return [without_arrays(y) for y in x]
    return x.item() if isinstance(x, np.generic) else x


def arrays(x: Any) -> Any:
    """Lists of equal rows as arrays in Fortran order."""
    if isinstance(x, dict):
        return {k: arrays(v) for k, v in x.items()}
    try:
        array = np.asarray(x) if isinstance(x, list) else None
    except ValueError:
        return x
    return x if array is None or array.dtype.kind not in "if" else np.asfortranarray(array)


def vectors(every: int) -> tuple[int, list[str]]:
    """Number of vectors, and the ids of those that differ; every other case has outcomes in arrays instead of lists."""
    done, differing = 0, []
    for name in spec.FUNCTIONS:
        for i, case in enumerate(spec.vectors(name)["cases"][::every]):
            args = spec.arguments(case["args"], name)
            if i % 2:
                args = {k: arrays(v) if k in bridge.OUTCOMES else v for k, v in args.items()}
            try:
                got = spec.fields(name, without_arrays(bridge.call(name, project=PROJECT, **args)))
                worst = max(spec.error_of(got[field], want) for field, want in case["want"].items())
            except Exception as e:
                worst, case["id"] = float("inf"), f"{case['id']}: {type(e).__name__}: {str(e)[:300]}"
            done += 1
            if worst > case["ulp"]:
                differing.append(case["id"])
    return done, differing


def refusals(every: int) -> tuple[int, list[str]]:
    """Number of refused calls, and those that Julia does not refuse in the same way."""
    done, differing = 0, []
    for name in spec.FUNCTIONS:
        for case in spec.refused_calls(name)["cases"][::every]:
            try:
                bridge.call(name, project=PROJECT, **spec.arguments(case["args"], name))
                got: Any = "no refusal"
            except scorio.InvalidInput as e:
                got = {"code": e.code, "argument": e.argument}
            except Exception as e:
                got = f"{type(e).__name__}: {str(e)[:300]}"
            done += 1
            if got != case["error"]:
                differing.append(f"{case['id']}: {got}")
    return done, differing


def differing_forms() -> list[str]:
    """Forms of outcomes that the bridge counts differently from Python's tally; none are expected."""
    R = np.array([[0, 1, 2, 1], [2, 2, 0, 1], [1, 0, 0, 0]])
    masked = np.ma.array(R, mask=R == 2)
    ragged: list[Any] = [[0, 1, 1], [1], [None, 0.0, True]]
    inputs: list[tuple[str, Any, dict[str, Any]]] = [  # what it is, the outcomes, the options of tally
        (str(R.astype(t).dtype), R.astype(t), {}) for t in ("int8", ">i4", "uint16", "f2", "f4", "longdouble", "object")
    ]
    inputs += [
        ("Fortran order", np.asfortranarray(R), {}), ("strides", np.repeat(R, 2, axis=1)[::-1, ::2], {}),
        ("bool", R == 1, {}), ("a list", R.tolist(), {}), ("tuples", tuple(map(tuple, R.tolist())), {}),
        ("arrays in a list", list(R), {}), ("one question", R[0], {}), ("Counts", scorio.tally(R), {}),
        ("masked", masked, {"missing": "drop"}), ("masked floats", masked.astype(float), {"missing": 1}),
        ("masked rows", list(masked), {"missing": "drop"}), ("no mask", np.ma.array(R), {}),
        ("a code", R, {"missing": "drop", "missing_code": 2}),
        ("masked, a code", masked, {"missing": 0, "missing_code": 0}),
        ("None", [[0, None], [1, 1]], {"missing": "drop"}), ("NaN", [[0, np.nan], [1, 1]], {"missing": 1}),
        ("objects", np.array([[0, None], [1, 1]], object), {"missing": "drop"}),
        ("ragged", ragged, {"missing": "drop"}), ("ragged, counted", ragged, {"missing": 0}),
        ("masked objects", np.ma.array(R.astype(object), mask=R == 2), {"missing": "drop"}),
        ("masked objects, refused", np.ma.array(R.astype(object), mask=R == 2), {}),
        ("a matrix", R.view(np.matrix), {}), ("structured", np.array([(0, 1), (1, 1)], [("a", int), ("b", int)]), {}),
        *[(f"bytes {x!r}", x, {}) for x in (b"0101", bytearray(b"\0\1"), np.array([[b"0", b"1"]]))],
        *[(str(dtype), (R % 2).astype(dtype), {}) for dtype in ("m8[s]", "m8[ns]", "M8[ns]", "complex64")],
        ("durations in lists", [list(row) for row in (R % 2).astype("m8[ns]")], {}),
        ("masked durations", list(np.ma.array((R % 2).astype("m8[ns]"), mask=R == 2)), {"missing": "drop"}),
        ("C", R, {"C": 5}), ("refused", masked, {}), ("refused: ragged", ragged, {}), ("refused: text", "0110", {}),
    ]  # fmt: skip
    try:
        import pandas as pd

        frame = pd.DataFrame(R).astype("Int64").where(R != 2)
        boolean = pd.DataFrame(R == 1).astype("boolean").where(R != 2)
        inputs += [(f"a frame with NA of {t}", frame.astype(t), {"missing": "drop"}) for t in ("category", "Float64")]
        inputs += [("a boolean frame with NA", boolean, {"missing": 0}), ("durations", frame.astype("m8[ns]"), {})]
        inputs += [("a frame", pd.DataFrame(R), {}), ("a frame with NA", frame, {"missing": "drop"})]
    except ImportError:
        pass
    both = [
        (what, table_or_refusal(bridge_tally, x, options), table_or_refusal(scorio.tally, x, options))
        for what, x, options in inputs
    ]
    return [f"{what}: {got} is not {want}" for what, got, want in both if got != want]


def bridge_tally(x: Any, **options: Any) -> Any:
    """Counts that tally of Scorio.jl returns through the bridge."""
    return bridge.call("tally", x, project=PROJECT, **options)


def table_or_refusal(f: Any, x: Any, options: dict[str, Any]) -> Any:
    """Table and missing outcomes, or code, argument and message of the refusal."""
    try:
        counts = f(x, **options)
    except scorio.InvalidInput as e:
        return e.code, e.argument, str(e)
    return counts.table.tolist(), counts.absent.tolist()


def other_checks() -> list[str]:
    """Failures of three checks: Counts of Julia are accepted, other errors are not hidden, fields are a named tuple."""
    wrong = []
    if bridge.call("pass_at_k", bridge.module(PROJECT).Counts([3, 2], [4, 4]), 1, project=PROJECT) != 0.625:
        wrong.append("Counts of Julia")
    try:
        bridge.module(PROJECT).Bridge.call("eval", "no_such_function", {})
        wrong.append("an error of Julia is hidden")
    except scorio.InvalidInput:
        wrong.append("an error of Julia became a refusal")
    except Exception as e:
        if "no_such_function" not in str(e):
            wrong.append(f"an error of Julia says {e}")
    r = bridge.call("interval", np.ones((3, 4), np.int8), "pass@k", 2, questions="fixed", project=PROJECT)
    if (r.mu, r.units, r.questions, type(r).__name__) != (1.0, 3, "fixed", "interval"):
        wrong.append(f"a named tuple: {r}")
    return wrong


def main() -> None:
    """Print the version of Julia, the numbers of cases and the differences, or why Julia was not loaded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take one of every N cases", metavar="N")
    parser.add_argument("--stand-in", metavar="JULIA", help="a Julia to run in this process")
    args = parser.parse_args()
    if args.stand_in:
        import embedded

        embedded.install(args.stand_in)
    try:
        bridge.module(PROJECT)
    except ImportError as e:
        print(json.dumps({"why": str(e)}))
        return
    from juliacall import Main

    cases, differing = vectors(args.every)
    refused, differing_refusals = refusals(args.every)
    wrong = [*differing, *differing_refusals, *differing_forms(), *other_checks()]
    version = str(Main.seval("string(VERSION)"))
    print(json.dumps({"version": version, "cases": cases, "refused": refused, "wrong": wrong}))


if __name__ == "__main__":
    main()
