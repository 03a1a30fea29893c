"""Random arguments for every public function, from spec/functions.json: mostly valid, sometimes invalid."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import attempts
import numpy as np
import spec
from hypothesis import strategies as st

from scorio.metrics import metric as table

# values that JSON can express and that at least one parameter must refuse
WRONG_VALUES = st.sampled_from(
    [None, True, "x", "", float("nan"), float("inf"), -1, 0, 2.5, 1e308, -0.5, 10**30, [], [[]], [0.5], [1, 0], ["a"]]
)
# functions whose k may be above the number of trials
UNBOUNDED_K = {n for n in spec.FUNCTIONS if n.startswith(("geo", "max", "threshold")) and n.endswith("_ci")}

OFTEN = st.integers(0, 63).map(lambda x: x != 37)  # mostly True; 37, since Hypothesis favours the ends of a range


@st.composite
def outcomes(draw: st.DrawFn, M: int, C: int) -> Any:
    """Outcomes R: rows, an array, counts of equal or unequal trials, ragged rows, rows with gaps, or invalid rows."""
    forms = ["matrix", "array", "counts", "counts", "unequal", "ragged", "gaps"]
    form = draw(st.sampled_from([*forms, *forms, "invalid"]))
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
    if form == "invalid":
        cell = st.one_of(cell, cell, cell, st.sampled_from([-1, C + 1, 0.5, 1.0, float("inf"), "x", True, [0]]))
    widths = [N] * M if form != "ragged" else draw(st.lists(st.integers(1, N), min_size=M, max_size=M))
    rows = [draw(st.lists(cell, min_size=n, max_size=n)) for n in widths]
    if form == "array":
        dtype = draw(st.sampled_from(["int8", "uint8", "int16", "int64", "float64"] + ["bool"] * (C == 1)))
        return np.array(rows).astype(dtype)
    return {"matrix": rows}


@st.composite
def answers(draw: st.DrawFn, M: int) -> Any:
    """Answers of a few trials: as counts, as labels with the correct answers, or as labels with outcomes."""
    form = draw(st.sampled_from(["counts", "key", "graded"]))
    if form == "counts":
        counts = st.lists(st.integers(0, 4), max_size=3)
        right = draw(st.lists(st.integers(0, 5) | counts, min_size=M, max_size=M))
        other = draw(st.lists(counts, min_size=M, max_size=M))
        blank = draw(st.lists(st.integers(1, 3), min_size=M, max_size=M))
        return {"answers": {"right": right, "other": other, "blank": blank}}
    n = draw(st.integers(1, 7))
    label = st.sampled_from(["a", "b", "c", 1, None] if draw(st.booleans()) else ["a", "a", "b", "c"])
    labels = draw(st.lists(st.lists(label, min_size=n, max_size=n), min_size=M, max_size=M))
    if form == "key":
        key = draw(st.lists(st.sampled_from("abcd"), min_size=M, max_size=M))
        return {"answers": {"labels": labels, "correct": key}}
    wrong = "a" if draw(OFTEN) else None
    return {"answers": {"labels": labels, "R": [[int(x not in (wrong, None)) for x in row] for row in labels]}}


@st.composite
def scored(draw: st.DrawFn, M: int) -> Any:
    """Scores of a few trials, some of them equal, and outcomes."""
    n = draw(st.integers(1, 8))
    score = st.sampled_from([0.0, 0.5, 1, -1.5, 1e300]) | st.floats(-2, 2)
    rows = [draw(st.lists(x, min_size=n, max_size=n)) for x in [score] * M + [st.integers(0, 1)] * M]
    return {"scored": {"scores": rows[:M], "R": rows[M:]}}


BY_USE = {"vote": answers, "score": scored}  # strategy of the outcomes of a metric, by its `where`


@st.composite
def models(draw: st.DrawFn, L: int, M: int, C: int, complete: bool) -> Any:
    """Outcomes of L models: a tensor, or a mapping of names to any form of R."""
    if complete or draw(st.booleans()):
        N = draw(st.integers(1, 9))
        cell = st.integers(0, C)
        if draw(st.integers(0, 9)) == 5:
            cell = st.one_of(cell, cell, cell, st.sampled_from([-1, C + 1, 0.5, None, float("nan"), "x", True]))
        row = st.lists(cell, min_size=N, max_size=N)
        tensor = draw(st.lists(st.lists(row, min_size=M, max_size=M), min_size=L, max_size=L))
        if complete and draw(st.booleans()):
            return {"models": {f"m{i}": {"matrix": x} for i, x in enumerate(tensor)}}
        return {"tensor": tensor}
    by_model = {f"m{i}": draw(outcomes(M if draw(OFTEN) else M + 1, C)) for i in range(L)}
    return {"models": {k: {"matrix": x.tolist()} if isinstance(x, np.ndarray) else x for k, x in by_model.items()}}


@st.composite
def runs_of_models(draw: st.DrawFn, L: int, M: int, N: int, C: int) -> Any:
    """Outcomes of one model or more in N runs, some of them missing."""
    cell: Any = st.integers(0, C)
    cell = cell if draw(st.booleans()) else st.one_of(cell, cell, cell, st.none())
    if not draw(OFTEN):
        cell = cell | st.sampled_from([-1, 0.5, "x"])
    matrices = [
        draw(st.lists(st.lists(cell, min_size=N, max_size=N), min_size=M, max_size=M)) for _ in range(min(L, 3))
    ]
    form = draw(st.sampled_from(["one", "tensor", "names"]))
    if form == "one":
        return {"matrix": matrices[0]}
    return (
        {"tensor": matrices}
        if form == "tensor"
        else {"models": {f"m{i}": {"matrix": x} for i, x in enumerate(matrices)}}
    )


@st.composite
def battles(draw: st.DrawFn, L: int) -> Any:
    """Battles of a few models as columns or rows; mostly enough of them to rate every model."""
    n = draw(st.integers(1, 6 * L))
    names = [f"m{i}" for i in range(L)]
    pair = (
        st.permutations(names).map(lambda x: x[:2])
        if draw(OFTEN)
        else st.lists(st.sampled_from(names), min_size=2, max_size=2)
    )
    pairs = draw(st.lists(pair, min_size=n, max_size=n))
    word = st.sampled_from(["model_a", "model_b", "model_a", "model_b", "tie", "tie (bothbad)"])
    if not draw(OFTEN):
        word |= st.sampled_from(["draw", 1, None])
    winners = draw(st.lists(word, min_size=n, max_size=n))
    cycle = [(a, b, w) for a, b in pairwise([*names, names[0]]) for w in ("model_a", "model_b")] if draw(OFTEN) else []
    rows = [*((a, b, w) for (a, b), w in zip(pairs, winners, strict=True)), *cycle]
    columns: dict[str, Any] = {
        name: [row[k] for row in rows] for k, name in enumerate(("model_a", "model_b", "winner"))
    }
    if draw(st.integers(0, 4)) == 0:
        return [list(row) for row in rows]
    more = {
        "count": st.integers(1, 9) | st.integers(1, 10**6),
        "weight": st.sampled_from([1, 0.5, 2.25]) | st.floats(1e-3, 1e3),
        "question": st.integers(1, 5), "voter": st.sampled_from(["x", "y", "z", "v"]),
    }  # fmt: skip
    for name, entry in more.items():
        if name in ("question", "voter") or draw(st.integers(0, 2)) == 0:
            columns[name] = draw(st.lists(entry, min_size=len(rows), max_size=len(rows)))
    return columns


@st.composite
def cells(draw: st.DrawFn, M: int, N: int, C: int, labels: bool) -> Any:
    """Matrix of verdicts, or (labels) of labels with None where an output has none."""
    cell = st.integers(0, C) if labels else st.sampled_from([0, 1, 1, 2, 5])
    if labels:
        cell = st.none() | cell
    elif not draw(st.integers(0, 3)):
        cell = st.one_of(cell, cell, cell, cell, st.none() | st.just(float("nan")))
    if not draw(OFTEN):
        cell = cell | st.sampled_from([-1, 0.5, 256, float("inf"), "x", True])
    rows = draw(st.lists(st.lists(cell, min_size=N, max_size=N), min_size=M, max_size=M))
    return {"matrix": rows}


BENCHMARKS = ("x", "y", "z")


@st.composite
def benchmarks(draw: st.DrawFn, C: int, single_model: bool, sizes: list[int]) -> Any:
    """Benchmarks with several models on the same questions, or with one model each."""
    by_benchmark: dict[str, Any] = {}
    for name, M in zip(BENCHMARKS, sizes, strict=False):
        names = ["m"] if single_model else draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True))
        outcomes_of = {x: draw(outcomes(M if draw(OFTEN) else M + 1, C)) for x in names}
        outcomes_of = {k: {"matrix": x.tolist()} if isinstance(x, np.ndarray) else x for k, x in outcomes_of.items()}
        by_benchmark[name] = outcomes_of["m"] if single_model else {"models": outcomes_of}
    return {"benchmarks": by_benchmark}


def benchmark_value(kind: str, M: int) -> st.SearchStrategy[Any]:
    """Weight of a benchmark, or cluster labels of its questions."""
    if kind == "shares":
        return st.floats(1e-3, 9) | st.integers(1, 9) | st.floats(1e-300, 1e300)
    return st.lists(st.integers(0, 3), min_size=M, max_size=M)


def groups_of_models(args: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Groups of outcomes that a function pairs by question, where some of them are counts."""
    groups: dict[Any, list[Any]] = {}
    of_one = ("R", "R0", "R_b", "A", "B", "candidate", "baseline", "old", "new", "pin")
    for p in (*of_one, "models", "benchmarks", "builds"):
        x = args.get(p)
        for b, part in x["benchmarks"].items() if isinstance(x, dict) and "benchmarks" in x else [(None, x)]:
            many = part.get("models") if isinstance(part, dict) else None
            groups.setdefault(b, []).extend(many.values() if many else [] if part is None else [part])
    return [x for x in groups.values() if all(isinstance(y, dict) for y in x) and any("counts" in y for y in x)]


def add_ids(draw: Any, args: dict[str, Any]) -> None:
    """Add ids in any order, and clusters, to groups of outcomes, which all become counts; a few are inconsistent."""
    for group in groups_of_models(args):
        if draw(st.integers(0, 2)):
            continue
        rows = next(x["counts"] for x in group if "counts" in x)
        for x in group:
            if "counts" not in x:
                x.clear()
                x["counts"] = rows[::-1]
        max_questions, consistent = max(len(x["counts"]) for x in group), draw(OFTEN)
        pool = draw(st.sampled_from([["q,1", 'q"2', "3", "4", "é", "nan", "6"], [11, 12, 13, 14, 15, 16, 17]]))
        names = pool[: max_questions + draw(st.sampled_from([0, 0, 0, 1]))]
        cluster = dict(
            zip(map(str, names), draw(st.lists(st.sampled_from("xyz"), min_size=9, max_size=9)), strict=False)
        )
        with_ids = draw(st.integers(0, 4)) > 0
        for x in group:
            M = len(x["counts"])
            chosen = draw(st.permutations(names))[:M] if with_ids else names[:M]
            if with_ids and (consistent or draw(st.booleans())):
                x["ids"] = [str(q) for q in chosen] if draw(st.booleans()) else chosen
            if not draw(st.integers(0, 2)):
                x["clusters"] = [cluster[str(q)] for q in chosen] if consistent else chosen[::-1]


RANKS = st.integers(1, 6) | st.sampled_from([1.5, 2.5, -1.0, 0.0])
# metrics of converge; make_consistent() chooses those of other functions
METRICS = [x for m in spec.METRICS.values() if "order" in m["where"] for x in (m["name"], *m["aliases"])]
INTEGERS = {
    "L": st.integers(1, 30), "hash": st.integers(0, 30) | st.integers(0, 10**30), "seed": st.integers(0, 2**64 - 1),
    "stream": st.integers(0, 9), "first": st.integers(0, 9) | st.integers(0, 2**62 - 1), "count": st.integers(1, 40),
    "bound": st.integers(1, 9) | st.integers(1, 2**32 - 1), "N": st.integers(1, 9), "replicate": st.integers(0, 99),
    "replicates": st.integers(1, 40), "worst": st.integers(0, 5), "wins": st.integers(0, 400),
    "losses": st.integers(0, 400), "n_questions": st.integers(1, 500), "n_trials": st.integers(1, 64),
    "max_trials": st.integers(1, 40),
}  # fmt: skip
REALS = {
    "mu": st.floats(-2, 2), "mu_a": st.floats(-2, 2) | st.just(0.5), "mu_b": st.floats(-2, 2) | st.just(0.5),
    "sigma": st.floats(0, 1), "sigma_a": st.floats(0, 1) | st.just(0.0), "sigma_b": st.floats(0, 1) | st.just(0.0),
    "t": st.floats(0.01, 0.99),
    "max_ci_width": st.floats(0, 2), "max_half_width": st.floats(0, 2), "half_width": st.floats(1e-6, 1),
    "z": st.floats(1e-3, 9), "K": st.integers(1, 64) | st.floats(1e-3, 1e3), "initial_rating": st.floats(-2e3, 2e3),
    "every": st.floats(50, 2000) | st.integers(50, 2000),
    "f": st.floats(1e-3, 4) | st.floats(1e-9, 1e9),
    "margin": st.floats(1e-3, 0.9), "power": st.floats(0.5, 0.99), "fdr": st.floats(1e-3, 0.999),
    "se": st.floats(1e-3, 0.5), "rho": st.floats(1e-3, 0.999),
    "cost_question": st.sampled_from([0.0, 1.0, 10.0]) | st.floats(0, 1e3),
    "cost_trial": st.sampled_from([1.0, 0.25]) | st.floats(1e-3, 1e3),
    "scale": st.floats(1e-3, 1e3), "base": st.floats(1.25, 1e3), "init_rating": st.floats(-2e3, 2e3),
}  # fmt: skip


def grid(a: float, b: float) -> st.SearchStrategy[Any]:
    """Nested lists of three by two reals, or a list of three."""
    cell = st.floats(a, b) | st.integers(int(a) + 1, min(int(b), 9))
    return st.lists(cell, min_size=3, max_size=3) | st.lists(
        st.lists(cell, min_size=2, max_size=2), min_size=3, max_size=3
    )


def value(kind: str, name: str, M: int, C: int, L: int = 0) -> st.SearchStrategy[Any]:
    """Value of a parameter without `choices`, valid or nearly valid."""
    if kind == "integer" and name in INTEGERS:
        return INTEGERS[name]
    if kind == "real" and name in REALS:
        return REALS[name]
    match kind:
        case "flag":
            return st.booleans()
        case "text":  # the other texts have choices, or are names of models
            return st.sampled_from(METRICS)
        case "rates":
            return grid(0, 1) if name == "p" else grid(0.05, 40)
        case "reals" if name in ("scores", "mus"):
            return st.lists(st.sampled_from([0.5, 0.5 + 5e-13, 0.75]) | st.floats(-1, 1), min_size=L, max_size=L)
        case "reals" if name == "outputs":
            return st.lists(st.integers(1, 400), min_size=L, max_size=L)
        case "reals" if name in ("averages", "others"):
            near = st.sampled_from([0.5, 0.5 + 2**-53, 0.75, 1e15, 1e15 + 1, 1e-300, -1e100])
            return st.lists(near | st.floats(0, 1) | st.floats(-1e8, 1e8), min_size=1, max_size=6)
        case "reals" if name == "means":
            return st.lists(st.floats(0.01, 0.99) | st.sampled_from([0.5, 0.25]), min_size=L, max_size=L)
        case "reals" if name == "sigmas":
            return st.lists(st.sampled_from([0.0, 0.125]) | st.floats(0, 0.5), min_size=L, max_size=L)
        case "reals" if name in ("gold", "a", "b"):
            return st.lists(RANKS, min_size=L, max_size=L)
        case "reals" if name in ("fractions", "looks"):
            steps = st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True)
            return steps.map(lambda x: [i / 12 for i in sorted(x)]) | st.lists(st.floats(0, 1), min_size=1, max_size=2)
        case "reals" if name == "ranking":
            return st.permutations(range(1, L + 1)) | st.lists(RANKS, min_size=L, max_size=L)
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
        case "bounded":
            return st.sampled_from(["raise", "drop", "bounds", 0, 1])
        case "labels":
            return st.lists(st.integers(0, 3), min_size=M, max_size=M)
        case "runs":
            ratio, df = (
                st.sampled_from([0.0, 0.5, 1.0, 1e300]) | st.floats(0.2, 30.0),
                st.integers(1, 60) | st.floats(1, 1e7),
            )
            return st.sampled_from(["fixed", "sampled", "shared"]) | st.fixed_dictionaries({"ratio": ratio, "df": df})
    if name in ("alpha0", "beta0"):
        return st.sampled_from([1, 0.5, 2.0, 1e-100, 1e100]) | st.floats(1e-5, 1e8) | st.floats(1e-100, 1e100)
    if name == "tol":
        return st.sampled_from([0, 1e-12, 0.25, 1]) | st.floats(0, 1e300)
    if name == "confidence":
        return st.sampled_from([0.95, 0.9, 0.55, 1e-8, 1 - 2**-53]) | st.floats(
            0, 1, exclude_min=True, exclude_max=True
        )
    if name.endswith("power"):  # pass_power, unanimous_power
        return st.sampled_from([0.5, 0, 1, 2, -1]) | st.floats(-3, 3)
    return st.floats(0, 1) | st.sampled_from([0, 1, 0.5, 0.28])


@st.composite
def arguments(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Arguments for one call; about one call in five is refused."""
    params = spec.FUNCTIONS[name]["params"]
    if spec.FUNCTIONS[name]["module"] == "rubric":
        return draw(attempts.arguments(name))
    names = {p["name"] for p in params}
    M, L, N = draw(st.integers(1, 5)), draw(st.integers(2, 5)), draw(st.integers(1, 6))
    C = draw(st.integers(1, 4)) if names & {"w", "C"} else 1
    sizes = draw(st.lists(st.integers(2, 6) | st.integers(1, 5), min_size=1, max_size=3))
    args: dict[str, Any] = {}
    for p in params:
        if "default" in p and not (p["name"] == "w" and C > 1) and draw(st.booleans()):
            continue
        fixed = "questions" in names and args.get("questions") != "sampled"
        if p["name"] in ("pool", "clusters") and (fixed or "pool" in args) and draw(OFTEN):
            continue
        if not draw(OFTEN):
            args[p["name"]] = draw(WRONG_VALUES)
        elif "choices" in p:
            args[p["name"]] = draw(st.sampled_from(p["choices"]))
        elif name == "items" and p["kind"] == "models":
            args[p["name"]] = draw(models(max(L, 3), max(M, 2), C, False))
        elif p["kind"] == "runs_of_models":
            args[p["name"]] = draw(runs_of_models(L, M, N, C))
        elif p["name"] == "sessions":
            args["sessions"] = draw(st.lists(st.integers(0, 2) | st.sampled_from("ab"), min_size=N, max_size=N))
        elif name == "cohen_kappa" and p["kind"] == "verdicts":
            rating = st.integers(0, C) if draw(OFTEN) else st.none() | st.integers(0, C + 1)
            two = st.lists(rating, min_size=2, max_size=2)
            args[p["name"]] = {"matrix": draw(st.lists(two, min_size=M, max_size=M))}
        elif p["kind"] == "verdicts":
            args[p["name"]] = draw(cells(M, N if draw(OFTEN) else N + 1, C, p["name"].startswith("labels")))
        elif p["kind"] == "builds":
            args[p["name"]] = draw(models(max(L, 2), max(M, 2), C, draw(OFTEN)))
        elif p["kind"] == "pin":
            args["pin"] = draw(models(draw(st.integers(1, 2)), max(M, 2), C, draw(OFTEN)))
        elif p["kind"] == "models" or (p["kind"] == "priors" and draw(st.booleans())):
            args[p["name"]] = draw(models(L, M, C, name in COMPLETE))
        elif name in ("boundaries", "e_value") and p["name"] == "confidence":
            args["confidence"] = draw(st.sampled_from([0.95, 0.99, 0.8, 0.5]) | st.floats(0.5, 0.999))
        elif p["kind"] in ("answers", "scored"):
            args[p["name"]] = draw(answers(M) if p["kind"] == "answers" else scored(M))
        elif p["kind"] == "battles":
            args[p["name"]] = draw(battles(L))
        elif p["name"] in ("a", "b", "anchor") and "battles" in names:
            args[p["name"]] = draw(st.sampled_from(["m1", "m0"] if p["name"] == "b" else ["m0", "m1", "mean"][:L]))
        elif p["kind"] in ("benchmarks", "suite"):
            args[p["name"]] = draw(benchmarks(C, p["kind"] == "suite", sizes))
        elif p["kind"] in ("shares", "groups"):
            args[p["name"]] = {b: draw(benchmark_value(p["kind"], M)) for b, M in zip(BENCHMARKS, sizes, strict=False)}
        elif p["kind"] in ("outcomes", "priors"):
            x = draw(outcomes(M, C))
            args[p["name"]] = {"matrix": x.tolist()} if isinstance(x, np.ndarray) and p["name"] != "R" else x
        elif p["name"] != "weights" or "R" not in names:
            args[p["name"]] = draw(value(p["kind"], p["name"], M, C, L))
    make_consistent(draw, name, args, L, C)
    add_ids(draw, args)
    data = [p for p in spec.OUTCOME_ARGUMENTS if p in args and p not in ("R0", "R_b", "more")]
    min_n = min((min_trials(args[p]) for p in data), default=0)
    if name not in UNBOUNDED_K and isinstance(args.get("k"), int) and min_n and draw(OFTEN):
        args["k"] = min_n + abs(args["k"]) if name.startswith("extrapolate") else 1 + (args["k"] - 1) % min_n
    if "clusters" in args and isinstance(args["clusters"], (list, dict)) and not draw(st.integers(0, 4)):
        args["clusters"] = False
    if "weights" in names and "R" in names and ("threshold" in name or draw(st.booleans())) and "weights" not in args:
        k = args["k"] if isinstance(args["k"], int) and 0 < args["k"] < 99 else 1
        parts = draw(st.lists(st.integers(0, 9), min_size=k, max_size=k))
        args["weights"] = [x / max(1, sum(parts)) for x in parts]
    has_gaps = any(needs_policy(args.get(p)) for p in spec.OUTCOME_ARGUMENTS if not p.startswith("labels"))
    if "missing" in names and has_gaps and "missing" not in args and draw(st.integers(0, 3)):
        args["missing"] = draw(st.sampled_from(["drop", "drop", 0, 1]))
    return args


# functions that need every trial of every model, in order
COMPLETE = ("elo", *(n for n, f in spec.FUNCTIONS.items() if f["module"] == "converge"))
LINEAR = ("bayes", "mean", "avg")  # metrics of converge without k

CHOOSING_FUNCTIONS = ("interval", "prob_above", "compare")  # take metrics of answers and of scored trials too


def choose_metric_of_answers(draw: Any, args: dict[str, Any]) -> None:
    """Choose a metric of answers or of scored trials, with outcomes of that kind."""
    m = draw(st.sampled_from(table.metrics_for(*BY_USE)))
    (use,) = table.ENTRIES[m].where
    for p in spec.OUTCOME_ARGUMENTS:
        if isinstance(args.get(p), (dict, np.ndarray)):
            x = args[p]
            M = len(x) if isinstance(x, np.ndarray) else len(next(iter(x.values())))
            args[p] = draw(BY_USE[use](M))
    args["metric"] = draw(st.sampled_from([m, table.ENTRIES[m].alias]))
    args.pop("tau", None)
    args.pop("w", None)
    args.setdefault("k", draw(st.integers(1, 4)))


def make_consistent(draw: Any, name: str, args: dict[str, Any], L: int, C: int) -> None:
    """Make options that exclude or need each other consistent in most cases."""
    if not draw(OFTEN):
        return
    if name.startswith("extrapolate"):
        args["metric"] = draw(st.sampled_from(["pass_at_k", "pass_hat_k", "pass@k", "pass^k"]))
        if draw(st.integers(0, 2)):  # further trials of other questions are refused
            args.pop("more", None)
    elif "metric" in {p["name"] for p in spec.FUNCTIONS[name]["params"]} and name not in COMPLETE:
        m = draw(st.sampled_from(table.metrics_for("interval") if C == 1 else ("mean", "max_at_k")))
        args["metric"] = draw(st.sampled_from([m, table.ENTRIES[m].alias]))
        for parameter, usual in (("k", draw(st.integers(1, 9))), ("tau", 0.5), ("w", None)):
            if parameter not in table.ENTRIES[m].takes:
                args.pop(parameter, None)
            elif usual is not None:
                args.setdefault(parameter, usual)
        if name in CHOOSING_FUNCTIONS and C == 1 and draw(st.integers(0, 3)) == 0:
            choose_metric_of_answers(draw, args)
        if isinstance(args.get("w"), list) and "t" in args and all(isinstance(x, (int, float)) for x in args["w"]):
            low, high = min(args["w"], default=0), max(args["w"], default=1)
            args["t"] = low + draw(st.floats(0.1, 0.9)) * (high - low)
    if name == "rank_scores" and args.get("sigmas") is not None and args.get("confidence", 1) in (1e-8, 0.5):
        args["confidence"] = 0.75
    if name in COMPLETE and name != "elo":
        metric = args.get("metric", "bayes")
        if metric in LINEAR:
            args.pop("k", None)
        elif isinstance(metric, str):
            args.setdefault("k", draw(st.integers(1, 3)))
            args.pop("w", None)
        if metric in ("g_pass_at_k_tau", "g-pass@k"):
            args.setdefault("tau", 0.5)
        else:
            args.pop("tau", None)
    if "R_b" not in args or name == "should_stop":
        args.pop("difference", None)
    for one, other in (("R_b", "half_width"), ("max_ci_width", "max_half_width")):
        if one in args and other in args:
            args.pop(draw(st.sampled_from([one, other])))
    if name == "should_stop" and not {"max_ci_width", "max_half_width"} & set(args):
        args["max_half_width"] = draw(st.floats(0, 2))
    if name in ("trials_needed", "questions_needed") and not {"R_b", "half_width"} & set(args):
        args["half_width"] = draw(st.floats(1e-3, 1))
    if name == "questions_needed" and draw(st.booleans()):
        args.pop("clusters", None)  # few questions often get one cluster label, which is refused
    if name in ("beta_rates", "updates") and isinstance(args["a"], list) and isinstance(args.get("b"), list):
        args["b"] = args["a"] if draw(st.booleans()) else [*reversed(args["a"])]
        if name == "updates" and args["a"] not in (["a"], [[]]):  # wrong values that cannot be added to
            args.update({n: [[y + 1.5 for y in x] if isinstance(x, list) else x + 1.5 for x in args[n]] for n in "ab"})
    if name in ("should_stop_top1", "suggest_next_allocation") and "method" in args:
        args["method"] = draw(st.sampled_from(["zscore", "ci_overlap"]))
    if name == "design" and (("se" in args) == ("rho" in args) or draw(st.booleans())):
        args.pop("rho", None)
        args.setdefault("se", 0.05)
    if name == "cost_per_solved" and isinstance(args.get("R"), dict) and "matrix" not in args["R"]:
        cell = st.integers(0, 1)
        args["R"] = {"matrix": draw(st.lists(st.lists(cell, min_size=3, max_size=3), min_size=2, max_size=4))}
    if name == "cost_per_solved":
        args["costs"] = draw(costs_for(args["R"]))
    if name == "suite" and args.get("common") is True and draw(st.integers(0, 2)):
        args.pop("common")
    if name in ("compare", "gate") and "looks" in args:
        args["looks"] = draw(st.sampled_from([[1.0], [0.5, 1.0], [0.25, 0.5]]))
    if name in ("gate", "gate_suite"):
        w = args.get("w")
        if isinstance(w, list) and len(w) > 1 and all(isinstance(x, (int, float)) for x in w):
            args["w"] = w = w if max(w) > min(w) else [float(j) for j in range(len(w))]
            args["margin"] = draw(st.floats(0.01, 0.9)) * (max(w) - min(w))
        if args.get("questions") == "sampled" and args.get("paired") is not False and draw(st.booleans()):
            args["questions"] = "fixed"
            args.pop("clusters", None)
    if "battles" in args and "a" in args and args["a"] == args["b"]:
        args["a"], args["b"] = "m0", "m1"
    if name in ("compare", "gate") and args.get("paired") is False:
        args["questions"] = "sampled"
    if name == "labels_needed":
        args["half_width"] = draw(st.floats(0.01, 0.49))
    if name == "lehmer_hash":
        args["ranking"] = draw(st.permutations(range(1, L + 1)))
    if name in ("should_stop_top1", "suggest_next_allocation") and isinstance(args.get("confidence"), float):
        args["confidence"] = 0.5 + args["confidence"] / 2


def costs_for(R: Any) -> st.SearchStrategy[Any]:
    """One cost per entry of a matrix."""
    rows = R.tolist() if isinstance(R, np.ndarray) else R["matrix"] if isinstance(R, dict) else [[0]]
    cell, N = st.integers(0, 9) | st.floats(0, 4) | st.floats(0, 1e100), max(map(len, rows), default=1)
    return st.lists(st.lists(cell, min_size=N, max_size=N), min_size=len(rows), max_size=len(rows))


def needs_policy(R: Any) -> bool:
    """Whether R needs a `missing` policy, since trials are missing or rows are unequal."""
    if isinstance(R, dict) and set(R) & {"models", "benchmarks"}:
        return any(needs_policy(x) for part in R.values() for x in part.values())
    if not isinstance(R, dict) or "matrix" not in R:
        return False
    cells = [x for row in R["matrix"] for x in row]
    return len({len(r) for r in R["matrix"]}) > 1 or any(x is None or x != x for x in cells)


def min_trials(R: Any) -> int:
    """The fewest trials of any question; 0 if unknown."""
    if isinstance(R, np.ndarray):
        return int(R.shape[1])
    if isinstance(R, dict) and set(R) & {"models", "benchmarks"}:
        return min(min_trials(x) for part in R.values() for x in part.values())
    if isinstance(R, dict) and "scored" in R:
        return len(R["scored"]["R"][0])
    if isinstance(R, dict) and "answers" in R:
        x = R["answers"]
        if "labels" in x:
            return len(x["labels"][0])
        right = [sum(y) if isinstance(y, list) else y for y in x["right"]]
        return min(a + sum(b) + z for a, b, z in zip(right, x["other"], x["blank"], strict=True))
    if isinstance(R, dict) and "tensor" in R:
        return len(R["tensor"][0][0])
    if isinstance(R, dict):
        rows = next(iter(R.values()))
        return min(sum(r) if "counts" in R else len(r) for r in rows)
    return 0
