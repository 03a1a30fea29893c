"""Test an implementation on the vectors and the refused calls:  python spec/run.py MODULE [FUNCTION ...]

MODULE is a Python module found from the current folder, with a function for each name of functions.json (a dot becomes
an underscore). Each function takes the `args` of a case by name, as JSON has them, and returns a mapping from fields to
values; for a call that must be refused it raises an exception with `code` and `argument`. For a port in another
language these functions call the port, by a process, a pipe or a foreign function.
"""
import importlib
import json
import re
import sys
from fractions import Fraction
from math import isfinite, ulp
from pathlib import Path

HERE = Path(__file__).resolve().parent


def difference(got, want, max_ulp, place):
    """Message on a field that differs by more than max_ulp units in the last place; empty if none does."""
    if isinstance(want, list) and isinstance(got, (list, tuple)) and len(got) == len(want):
        messages = (difference(g, w, max_ulp, f"{place}[{i}]") for i, (g, w) in enumerate(zip(got, want)))
        return next(filter(None, messages), "")
    value = want
    if not isinstance(want, dict):
        is_long_integer = type(got) is int and str(got) == want and len(re.sub("-", "", want)) > 15
        is_same = (type(got) is type(want) and got == want) or is_long_integer
    else:
        value = want["value"]
        if not isinstance(got, float) or not isfinite(got):
            is_same = isinstance(got, float) and str(got) == want["exact"]
        else:
            is_same = got == value
            if not is_same and max_ulp > 0.5:
                is_same = abs(Fraction(got) - Fraction(want["exact"])) <= max_ulp * Fraction(ulp(value))
    return "" if is_same else f"{place}: {got!r:.100}, wanted {value!r:.100}"


def failure(f, case):
    """Message on a case that fails; empty if it passes."""
    try:
        got = f(**case["args"])
    except Exception as error:
        if "error" not in case:
            return f"{type(error).__name__}: {error!s:.200}"
        refusal = {"code": getattr(error, "code", None), "argument": getattr(error, "argument", None)}
        return "" if refusal == case["error"] else f"{refusal}, wanted {case['error']}"
    if "error" in case:
        return f"not refused, wanted {case['error']}"
    want = case["want"]  # a missing field is null
    fields = sorted({*got, *want})
    return next(filter(None, (difference(got.get(x), want.get(x), case["ulp"], x) for x in fields)), "")


def main():
    sys.path.insert(0, "")
    module, names = importlib.import_module(sys.argv[1]), sys.argv[2:]
    cases = failed = 0
    for name in names or [f["name"] for f in json.loads((HERE / "functions.json").read_text())["functions"]]:
        before = cases, failed
        for folder in ("vectors", "invalid"):
            file = json.loads((HERE / folder / f"{name}.json").read_text())
            if file["count"] != len(file["cases"]):
                sys.exit(f"{folder}/{name}.json is cut short: {len(file['cases'])} of {file['count']} cases")
            for case in file["cases"]:
                message = failure(lambda **args: getattr(module, name.replace(".", "_"))(**args), case)
                cases, failed = cases + 1, failed + bool(message)
                if message and failed <= 20:
                    print(f"{case['id']} ({case['comment']}): {message}")
        print(f"{name}: {cases - failed - before[0] + before[1]} of {cases - before[0]}", flush=True)
    print(f"{cases - failed} of {cases} cases pass")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
