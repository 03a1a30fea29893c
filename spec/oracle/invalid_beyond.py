"""Refused calls of extrapolate and extrapolate_model."""
from invalid import GOOD, integers, outcomes, reals, words

NOTES = {}
BASE = {"metric": "pass_at_k", "k": 9}


def both(name):
    for comment, code, argument, args, flag in outcomes(name):
        yield comment, code, argument, {**BASE, **args}, flag
    for comment, code, p, args, _ in words("metric", "pass", "Pass@k", "mean", "avg", "maj_at_k", "max@k", "g_pass_at_k_tau", "unanimous_at_k"):
        yield comment, code, p, {"R": GOOD, **BASE, **args}, "metric"
    yield "metric is null", "type", "metric", {"R": GOOD, **BASE, "metric": None}, "metric"
    for comment, code, p, args, flag in integers(at_most_trials=False):
        yield comment, code, p, {"R": GOOD, **BASE, **args}, flag
    for m in ("pass_at_k", "pass^k"):
        for k in (1, 4):
            yield f"{m}, k = {k} is within the 4 trials", "range", "k", {"R": GOOD, "metric": m, "k": k}, "k"
        yield f"{m}, k is the shortest row", "range", "k", {"R": {"matrix": [[0, 1, 1, 1], [1, 1]]}, "metric": m, "k": 2, "missing": "drop"}, "k"
    yield "k within the trials if missing ones count", "range", "k", {"R": {"matrix": [[0, 1, 1, None], [1, None, 1, 1]]}, **BASE, "k": 4, "missing": 0}, "k"
    yield "further trials of other questions", "shape", "more", {"R": GOOD, **BASE, "more": {"matrix": [[0, 1]]}}, "shape"
    for comment, code, p, args, flag in reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"):
        yield comment, code, p, {"R": GOOD, **BASE, **args}, flag


def model():
    yield from both("extrapolate_model")
    for comment, code, p, args, flag in reals("width", (0.0, 1.0, -0.5, 2.0), "option"):
        if args["width"] is not None:
            yield comment, code, p, {"R": GOOD, **BASE, **args}, flag
    for m in ("pass_at_k", "pass^k"):
        for matrix, why in (([[1, 1], [1, 1]], "every trial a success"), ([[0, 0], [0, 0]], "every trial a failure"), ([[1], [0], [1]], "one trial per question")):
            yield f"{m}, {why}: no model", "undefined", "R", {"R": {"matrix": matrix}, "metric": m, "k": 9}, "result"
    large = {"counts": [[50000, 1], [3, 4]]}
    yield "a question of 50,001 trials, more than a model is fitted to", "range", "R", {"R": large, "metric": "pass_at_k", "k": 60000}, "result"


def refused(function):
    if function["name"] == "extrapolate":
        yield from both("extrapolate")
    if function["name"] == "extrapolate_model":
        yield from model()
