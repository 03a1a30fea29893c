"""Bounds for missing outcomes, from results with all of them at the lowest and at the highest score."""
from itertools import product
from random import Random

import intervals
import looks
from exact import Fraction, to_fraction
from runs import sampled_runs
from variance import SOURCES


def fill_missing(R, end, w):
    """R with every missing outcome at the lowest score (end: min) or the highest (max); ends of short rows stay absent."""
    if "matrix" not in R:
        return R
    w = [to_fraction(x) for x in (w or (0, 1))]
    return {"matrix": [[w.index(end(w)) if x in (None, "nan") else x for x in row] for row in R["matrix"]]}


def weakest_source(*each):
    return {"variance_source": max((x["variance_source"] for x in each), key=SOURCES.index)}


def interval(R, metric="mean", k=None, tau=None, w=None, missing="raise", runs="fixed", **rest):
    rest["runs"] = sampled_runs(runs, [R], w, missing)
    if missing != "bounds":
        return intervals.interval(R, metric, k, tau, w, missing=missing, **rest)
    observed, low, high = (intervals.interval(x, metric, k, tau, w, missing="drop", **rest) for x in (R, fill_missing(R, min, w), fill_missing(R, max, w)))
    return observed | {"lo": low["lo"], "hi": high["hi"], "bounds": [low["mu"], high["mu"]]} | weakest_source(observed, low, high)


def mean_ci(R, w=None, **rest):
    return interval(R, "mean", w=w, **rest)


def compare(A, B, metric="mean", k=None, tau=None, w=None, missing="raise", runs="fixed", **rest):
    rest["runs"] = sampled_runs(runs, [A, B], w, missing)

    def difference(x, y, policy="drop"):
        return looks.compare(x, y, metric, k, tau, w, missing=policy, **rest)
    if missing != "bounds":
        return difference(A, B, missing)
    observed, low, high = difference(A, B), difference(fill_missing(A, min, w), fill_missing(B, max, w)), difference(fill_missing(A, max, w), fill_missing(B, min, w))
    names = ("p_value", "df", "p_above", "significant")
    decision = {name: low[name] if low["mu"] > 0 else high[name] for name in names}
    if low["mu"] <= 0 <= high["mu"]:
        decision = dict(zip(names, (Fraction(1), observed["df"], Fraction(1, 2), False)))
    return observed | {"lo": low["lo"], "hi": high["hi"]} | decision | weakest_source(observed, low, high)


def completions(R, w):
    """Yield R with its missing outcomes filled in every way."""
    missing = [(i, j) for i, row in enumerate(R) for j, x in enumerate(row) if x is None]
    for categories in product(range(len(w)), repeat=len(missing)):
        filled = [list(row) for row in R]
        for (i, j), x in zip(missing, categories):
            filled[i][j] = x
        yield {"matrix": filled}


def crosscheck():
    """Check that the bounds of small matrices are the smallest and the largest value over all completions."""
    rng = Random(965)
    metrics = [("mean", None, None), *((m, k, None) for m in ("pass_at_k", "pass_hat_k", "maj_at_k", "mg_pass_at_k", "auc_at_k") for k in (1, 2)), ("g_pass_at_k_tau", 2, 0.5), ("max_at_k", 2, None)]
    for i in range(120):
        metric, k, tau = rng.choice(metrics)
        w = rng.choice(([0, 1], [0, 0.5, 1], [1, -1, 3], [2, 0, 1])) if metric in ("mean", "max_at_k") else [0, 1]

        def rows():
            R = [[None if rng.random() < .25 else rng.randrange(len(w)) for _ in range(rng.randint(2, 4))] for _ in range(rng.randint(2, 3))]
            return R if 0 < sum(row.count(None) for row in R) <= 4 and all(sum(x is not None for x in row) >= 2 for row in R) else rows()
        A = rows()
        args = {"metric": metric, "k": k, "tau": tau, "w": w if metric in ("mean", "max_at_k") else None, "questions": "fixed"}
        values = [intervals.interval(R, missing="drop", **args)["mu"] for R in completions(A, w)]
        yield ("bounds", i, A, args), interval({"matrix": A}, missing="bounds", **args)["bounds"] == [min(values), max(values)]
