"""Refused calls of run_variation, and of the argument `runs`, which all_refused of invalid.py appends."""
from invalid import GOOD, HOLE, category_scores, outcomes
from invalid_rank import one_model

NOTES = {
    "runs": "runs are wrong, or the outcomes do not know them",
    "sessions": "the sessions are wrong",
    "shared": "runs cannot be said to be shared",
}
OTHER = {"matrix": [[0, 0, 1, 0], [1, 0, 0, 1]]}
COUNTS = {"counts": [[1, 3], [2, 2]]}
ANSWERS = {"answers": {"labels": [["a", "b", "a", "c"], ["b", "b", "b", "a"]], "correct": ["a", "b"]}}
SCORED = {"scored": {"scores": [[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]], "R": [[0, 1, 0, 1], [1, 1, 0, 0]]}}
UNKNOWN_RUNS = (COUNTS, "counts"), (ANSWERS, "answers"), (SCORED, "scored trials")
ONE_RUN, ONE_LEFT, ONE_QUESTION = {"matrix": [[0], [1]]}, {"matrix": [[0, None], [1, None]]}, {"matrix": [[0, 1, 1, 0]]}
DROP = {"missing": "drop"}


def run_variation():
    def bad(comment, code, R, flag="R", **more):
        return comment, code, "R", {"R": R, **more}, flag

    for comment, code, argument, args, flag in outcomes("run_variation"):
        if comment != "three dimensions":  # a tensor of models
            yield comment, code, argument, args, flag
    yield from one_model("R", "run_variation")
    for R, why in ((0.5, "a number"), ("0110", "text"), (None, "null"), (True, "a truth value")):
        yield bad(f"R is {why}", "type", R)
    for x, why in UNKNOWN_RUNS:
        yield bad(f"{why}, which do not know runs", "type", x)
        yield bad(f"{why} of one of two models", "type", {"models": {"a": GOOD, "b": x}})
    yield bad("four dimensions", "shape", {"tensor": [[[[0, 1]]], [[[1, 1]]]]})
    yield bad("one dimension: one question or many?", "shape", {"matrix": [0, 1, 1]})
    yield bad("one question", "shape", ONE_QUESTION)
    yield bad("one question is left", "shape", {"matrix": [[0, 1, 1], [None] * 3]}, **DROP)
    yield bad("one question of each of two models", "shape", {"models": {"a": ONE_QUESTION, "b": {"matrix": [[1, 0]]}}})
    yield bad("no models", "empty", {"tensor": []})
    yield bad("an empty mapping", "empty", {"models": {}})
    yield bad("one run", "length", ONE_RUN)
    yield bad("trials of one run are left", "length", ONE_LEFT, **DROP)
    yield bad("one run of each of two models", "length", {"models": {"a": ONE_RUN, "b": {"matrix": [[1], [1], [0]]}}})
    yield bad("two sessions, trials of one of them are left", "length", {"matrix": [[0, 1, None], [1, 1, None]]}, sessions=["x", "x", "y"], **DROP)
    yield bad("a missing entry in a tensor", "missing", {"tensor": [GOOD["matrix"], HOLE["matrix"]]}, flag="missing")
    yield bad("rows of unequal length in a tensor", "ragged", {"tensor": [GOOD["matrix"], [[0, 1, 1, 0], [1, 1]]]})
    for comment, code, argument, args, flag in category_scores():
        yield comment, code, argument, {"R": GOOD, **args}, flag
    yield "a single score w for binary outcomes", "length", "w", {"R": GOOD, "w": [1.0]}, "w"
    yield "shared runs of three models", "conflict", "shared", {"R": {"models": dict.fromkeys("abc", GOOD)}, "shared": True}, "shared"
    for bad_flag, why in ((1, "a number"), ("true", "text"), (None, "null")):
        yield f"shared is {why}", "type", "shared", {"R": GOOD, "shared": bad_flag}, "shared"
    for labels, why in (([0, 1, 1], "too few labels"), ([0, 1, 1, 0, 2], "too many labels"), ([], "no labels"), ([0, 0, 0, 0], "one label for all columns")):
        yield why, "length", "sessions", {"R": GOOD, "sessions": labels}, "sessions"
    yield "as many labels as the first model has columns, but not the second", "length", "sessions", \
        {"R": {"models": {"a": GOOD, "b": {"matrix": [[0, 1, 1], [1, 0, 1]]}}}, "sessions": [0, 0, 1, 1]}, "sessions"
    yield "labels for the rows", "length", "sessions", {"R": GOOD, "sessions": [0, 1]}, "sessions"
    for label, why in ((None, "null"), (1.5, "a fraction"), (True, "a truth value"), ([0], "a list")):
        yield f"a label that is {why}", "type", "sessions", {"R": GOOD, "sessions": ["a", "a", "b", label]}, "sessions"
    yield "sessions that are a number", "type", "sessions", {"R": GOOD, "sessions": 2}, "sessions"
    yield "sessions that are text", "type", "sessions", {"R": GOOD, "sessions": "aabb"}, "sessions"


# ---------------------------------------------------------------- the argument runs


def stated(ratio=2.0, df=3.0):
    return {"ratio": ratio, "df": df}


def faulty_mappings():
    """Faulty mappings in the place of a ratio and a df: (comment, code, mapping)."""
    yield "a mapping without df", "type", {"ratio": 2.0}
    yield "a mapping without ratio", "type", {"df": 3.0}
    for bad, why in (("2", "text"), (True, "a truth value"), (None, "null"), ([2.0], "a list")):
        yield f"a ratio that is {why}", "type", stated(ratio=bad)
        yield f"a df that is {why}", "type", stated(df=bad)
    for bad in ("nan", "inf"):
        yield f"a ratio of {bad}", "not_finite", stated(ratio=bad)
        yield f"a df of {bad}", "not_finite", stated(df=bad)
    for bad in (-1e-300, -1.0, 1.1e300):
        yield f"a ratio of {bad!r}", "range", stated(ratio=bad)
    for bad in (0, 0.9999999999999999, -3.0, 1.1e300):
        yield f"a df of {bad!r}", "range", stated(df=bad)


def faulty_runs():
    """Values that `runs` refuses in every function: (comment, code, value)."""
    for bad, why in ((2, "a number"), (2.5, "a real"), (True, "a truth value"), (None, "null"), (["sampled"], "a list"), ({}, "an empty mapping")):
        yield f"runs is {why}", "type", bad
    for word in ("samples", "Sampled", "random", ""):
        yield f"runs = {word!r}", "choice", word
    yield from faulty_mappings()


CALLS = {  # the arguments of each function with outcomes x, and y where there are two models
    "interval": lambda x, y: {"R": x}, "mean_ci": lambda x, y: {"R": x}, "prob_above": lambda x, y: {"R": x, "t": 0.5}, "compare": lambda x, y: {"A": x, "B": y},
    "gate": lambda x, y: {"candidate": x, "baseline": y, "margin": 0.1}, "gate_suite": lambda x, y: {"candidate": by_name(x), "baseline": by_name(y), "margin": 0.1},
    "suite": lambda x, y: {"benchmarks": {"benchmarks": {"x": {"models": {"a": GOOD, "b": OTHER}}, "y": {"models": {"a": x, "b": y}}}}},
    **dict.fromkeys(("compare_all", "ranges", "winners"), lambda x, y: {"models": {"models": {"a": x, "b": y}}})}


def by_name(x):
    return {"benchmarks": {"x": GOOD, "y": x}}


def of_argument(name):
    """Refused calls that concern the argument `runs`: (comment, code, argument, args, flag); none for other functions."""
    if name not in CALLS:
        return
    two = name not in ("interval", "mean_ci", "prob_above")

    def bad(comment, code, runs="sampled", x=GOOD, y=OTHER, **more):
        return comment, code, "runs", {**CALLS[name](x, y), "questions": "fixed", "runs": runs, **more}, "runs"

    for comment, code, value in faulty_runs():
        yield bad(comment, code, value)
    takes_answers = name in ("interval", "compare")
    for x, why in UNKNOWN_RUNS if takes_answers else UNKNOWN_RUNS[:1]:
        yield bad(f"sampled runs of {why}", "conflict", x=x, y=x)
        yield bad(f"shared runs of {why}", "conflict", "shared", x=x, y=x)
        if two:
            yield bad(f"sampled runs, the second model has {why}", "conflict", y=x)
            yield bad(f"sampled runs, the first model has {why}", "conflict", x=x)
    if takes_answers:
        yield bad("sampled runs of a vote", "conflict", x=ANSWERS, y=ANSWERS, metric="plurality_at_k", k=2)
        yield bad("sampled runs of best_of_k", "conflict", x=SCORED, y=SCORED, metric="best_of_k", k=2)
    yield bad("sampled runs, and one run", "length", x=ONE_RUN, y=ONE_RUN)
    yield bad("shared runs, and one run", "length", "shared", x=ONE_RUN, y=ONE_RUN)
    yield bad("sampled runs, trials of one run are left", "length", x=ONE_LEFT, y=ONE_LEFT, **DROP)
    yield bad("sampled runs of one question", "shape", x=ONE_QUESTION, y=ONE_QUESTION)
    if name in ("suite", "gate_suite"):
        for benchmarks, why in (("x", "one benchmark of two"), ("xyz", "a benchmark that does not exist"), ("xz", "another benchmark")):
            yield bad(f"runs of {why}", "choice", {b: stated() for b in benchmarks})
        for value, why in ((2.0, "a number"), (None, "null"), ("sampled", "text"), ({}, "an empty mapping")):
            yield bad(f"runs of a benchmark are {why}", "type", {"x": stated(), "y": value})
        for comment, code, value in faulty_mappings():
            yield bad(f"of a benchmark: {comment}", code, {"x": value, "y": stated()})


def refused(function):
    yield from {"run_variation": run_variation}.get(function["name"], tuple)()
