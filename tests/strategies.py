"""Random arguments for every public function, from spec/functions.json: mostly valid, sometimes not."""

from __future__ import annotations

from typing import Any

import numpy as np
import spec
from hypothesis import strategies as st

# what JSON can say and some parameter must refuse
WRONG = st.sampled_from(
    [None, True, "x", "", float("nan"), float("inf"), -1, 0, 2.5, 1e308, -0.5, 10**30, [], [[]], [0.5], [1, 0], ["a"]]
)
ANY_K = {n for n in spec.FUNCTIONS if n.startswith(("geo", "max", "threshold")) and n.endswith("_ci")}


OFTEN = st.integers(0, 63).map(lambda x: x != 37)  # Hypothesis favours the ends of a range


@st.composite
def outcomes(draw: st.DrawFn, M: int, C: int) -> Any:
    """R in one of its forms: a list of rows, an array, counts, ragged rows, rows with gaps."""
    forms = ["matrix", "array", "counts", "counts", "unequal", "ragged", "gaps"]
    form = draw(st.sampled_from([*forms, *forms, "wild"]))
    if form in ("counts", "unequal"):
        N = draw(st.sampled_from([1, 2, 3, 5, 8, 30, 64, 1000, 100_000]))
        rows = []
        for _ in range(M):
            n = N if form == "counts" else draw(st.integers(1, N) | st.integers(min(N, 2), N))
            cuts = sorted(draw(st.lists(st.integers(0, n), min_size=C, max_size=C)))
            rows.append([b - a for a, b in zip([0, *cuts], [*cuts, n], strict=True)])
        return {"counts": rows}
    N = draw(st.integers(1, 9))
    cell = st.integers(0, C)
    if form == "gaps":
        cell = st.one_of(cell, cell, cell, st.none() | st.just(float("nan")))
    if form == "wild":
        cell = st.one_of(cell, cell, cell, st.sampled_from([-1, C + 1, 0.5, 1.0, float("inf"), "x", True, [0]]))
    widths = [N] * M if form != "ragged" else draw(st.lists(st.integers(1, N), min_size=M, max_size=M))
    rows = [draw(st.lists(cell, min_size=n, max_size=n)) for n in widths]
    if form == "array":
        dtype = draw(st.sampled_from(["int8", "uint8", "int16", "int64", "float64"] + ["bool"] * (C == 1)))
        return np.array(rows).astype(dtype)
    return {"matrix": rows}


def value(kind: str, name: str, M: int, C: int) -> st.SearchStrategy[Any]:
    """A value of a parameter that is valid, or nearly so."""
    match kind:
        case "integer":
            return st.integers(M, 4 * M + 1) if name == "pool" else st.integers(1, 12) | st.integers(1, 70)
        case "reals" if name == "scores_in_id_order":
            near = st.sampled_from([0.5, 0.5 + 5e-13, 0.5 - 4e-13, 0.75, 1.0])
            far = st.integers(-2, 2) | st.floats(-1e308, 1e308)
            return st.lists(near | st.floats(-1, 1) | far, min_size=1, max_size=12)
        case "reals":
            w = (
                st.floats(-2, 2)
                | st.integers(-3, 3)
                | st.floats(-1e8, 1e8)
                | st.sampled_from([1e15, 1e15 + 1, 1e300, 1e-30])
            )
            return st.lists(w, min_size=C + 1, max_size=C + 1)
        case "pair":
            return st.sampled_from(
                [None, [0.0, 1.0], [-1.0, 2.0], [0.4, 0.4], [float("-inf"), float("inf")], [-1e300, 0]]
            )
        case "policy":
            return st.sampled_from(["raise", "drop", 0, 1])
        case "labels":
            return st.lists(st.integers(0, 3), min_size=M, max_size=M)
        case "text":
            return st.sampled_from(
                ["fixed", "sampled"] if name == "questions" else ["wilson", "wilson", "wilson", "beta"]
            )
    if name in ("alpha0", "beta0"):
        return st.sampled_from([1, 0.5, 2.0, 1e-100, 1e100]) | st.floats(1e-5, 1e8) | st.floats(1e-100, 1e100)
    if name == "tol":
        return st.sampled_from([0, 1e-12, 0.25, 1]) | st.floats(0, 1e300)
    if name == "confidence":
        return st.sampled_from([0.95, 0.9, 1e-8, 1 - 2**-53]) | st.floats(0, 1, exclude_min=True, exclude_max=True)
    if name.endswith("power"):
        return st.sampled_from([0.5, 0, 1, 2, -1]) | st.floats(-3, 3)
    return st.floats(0, 1) | st.sampled_from([0, 1, 0.5, 0.28])


@st.composite
def arguments(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Arguments for one call; about one call in ten has something wrong on purpose."""
    params = spec.FUNCTIONS[name]["params"]
    names = {p["name"] for p in params}
    M = draw(st.integers(1, 5))
    C = draw(st.integers(1, 4)) if names & {"w", "C"} else 1
    args: dict[str, Any] = {}
    for p in params:
        if "default" in p and not (p["name"] == "w" and C > 1) and draw(st.booleans()):
            continue
        if p["name"] in ("pool", "clusters") and (args["questions"] != "sampled" or "pool" in args) and draw(OFTEN):
            continue
        if not draw(OFTEN):
            args[p["name"]] = draw(WRONG)
        elif p["kind"] == "outcomes":
            args[p["name"]] = draw(outcomes(M, C))
            if p["name"] == "R0" and isinstance(args["R0"], np.ndarray):
                args["R0"] = {"matrix": args["R0"].tolist()}
        elif p["name"] != "weights":
            args[p["name"]] = draw(value(p["kind"], p["name"], M, C))
    fewest = trials(args.get("R"))
    if name not in ANY_K and isinstance(args.get("k"), int) and fewest and draw(OFTEN):
        args["k"] = 1 + (args["k"] - 1) % fewest
    if "weights" in names and (name.startswith("threshold") or draw(st.booleans())) and "weights" not in args:
        k = args["k"] if isinstance(args["k"], int) and 0 < args["k"] < 99 else 1
        parts = draw(st.lists(st.integers(0, 9), min_size=k, max_size=k))
        args["weights"] = [x / max(1, sum(parts)) for x in parts]
    if gaps(args.get("R")) and "missing" not in args and draw(st.integers(0, 3)):
        args["missing"] = draw(st.sampled_from(["drop", "drop", 0, 1]))
    return args


def gaps(R: Any) -> bool:
    """Whether R needs a policy."""
    if not isinstance(R, dict) or "matrix" not in R:
        return False
    cells = [x for row in R["matrix"] for x in row]
    return len({len(r) for r in R["matrix"]}) > 1 or any(x is None or x != x for x in cells)


def trials(R: Any) -> int:
    """The smallest number of trials, where it can be told at a glance."""
    if isinstance(R, np.ndarray):
        return int(R.shape[1])
    if isinstance(R, dict):
        rows = next(iter(R.values()))
        return min(sum(r) if "counts" in R else len(r) for r in rows)
    return 0
