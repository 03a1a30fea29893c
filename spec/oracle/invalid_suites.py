"""Refused calls of suite and gate_suite."""
from invalid import GOOD, HOLE, reals, words
from invalid_intervals import metric_options
from invalid_rank import booleans

NOTES = {"benchmarks": "the benchmarks, or the data for each of them, are wrong"}
OTHER = {"matrix": [[0, 0, 1, 0], [1, 0, 0, 1]]}
PAIR = {"models": {"a": GOOD, "b": OTHER}}


def by_benchmark(p, base):
    """Faults of the argument p, which maps names of benchmarks to values: no mapping, or an empty one."""
    for bad, why in ((0.5, "a number"), ("x", "text"), ([1.0, 2.0], "a list"), (True, "a truth value")):
        yield f"{p} that are {why}", "type", p, {**base, p: bad}, "benchmarks"
    yield f"{p} are empty", "empty", p, {**base, p: {}}, "benchmarks"


def weights(base):
    yield from by_benchmark("weights", base)
    yield "one weight too few", "choice", "weights", {**base, "weights": {"x": 1.0}}, "benchmarks"
    yield "one weight too many", "choice", "weights", {**base, "weights": {"x": 1.0, "y": 1.0, "z": 1.0}}, "benchmarks"
    for bad, code in ((0.0, "range"), ("-0.0", "range"), (-1.0, "range"), ("nan", "not_finite"), ("inf", "not_finite"), ("a", "type"), (True, "type"), (None, "type")):
        yield f"a weight is {bad}", code, "weights", {**base, "weights": {"x": 1.0, "y": bad}}, "benchmarks"


def clusters(base):
    sampled = {**base, "questions": "sampled"}
    yield from by_benchmark("clusters", sampled)
    yield "clusters of another benchmark", "choice", "clusters", {**sampled, "clusters": {"z": [0, 1]}}, "benchmarks"
    yield "clusters of fixed questions", "conflict", "clusters", {**base, "clusters": {"x": [0, 1]}}, "benchmarks"
    yield "one label too few", "length", "clusters", {**sampled, "clusters": {"x": [0]}}, "benchmarks"
    yield "a label that is a fraction", "type", "clusters", {**sampled, "clusters": {"y": [0, 0.5]}}, "benchmarks"
    yield "labels that are a number", "type", "clusters", {**sampled, "clusters": {"y": 3}}, "benchmarks"


def options(base):
    yield from weights(base)
    yield from clusters(base)
    for c, code, p, args, flag in (*reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"), *reals("guard", (-0.1, 1.5), "option"), *words("questions", "random"), *words("model", "uniform")):
        yield c, code, p, {**base, **args}, flag
    yield "an unknown policy", "choice", "missing", {**base, "missing": "ignore"}, "missing"
    yield "an unknown metric", "choice", "metric", {**base, "metric": "pass"}, "option"
    yield "pass_at_k without k", "type", "k", {**base, "metric": "pass_at_k"}, "k"
    yield "k above the trials", "range", "k", {**base, "metric": "pass_at_k", "k": 5}, "k"
    yield "w for pass_at_k", "conflict", "w", {**base, "metric": "pass_at_k", "k": 2, "w": [0.0, 1.0]}, "w"


def suite():
    def bad(comment, code, benchmarks, **more):
        return comment, code, "benchmarks", {**base, "benchmarks": {"benchmarks": benchmarks}, **more}, "benchmarks"

    base = {"benchmarks": {"benchmarks": {"x": PAIR, "y": PAIR}}, "questions": "fixed"}
    for wrong, why in ((0.5, "a number"), ("x", "text"), (None, "null"), (True, "a truth value")):
        yield f"benchmarks are {why}", "type", "benchmarks", {**base, "benchmarks": wrong}, "benchmarks"
        yield bad(f"a benchmark is {why}", "type", {"x": wrong, "y": PAIR})
    yield bad("no benchmarks", "empty", {})
    yield bad("a benchmark without models", "empty", {"x": {"models": {}}, "y": PAIR})
    yield bad("a benchmark that is a matrix", "type", {"x": GOOD, "y": PAIR})
    yield bad("models of unequal numbers of questions", "shape", {"x": {"models": {"a": GOOD, "b": {"matrix": [[0, 1, 1, 1]]}}}, "y": PAIR})
    yield bad("a model in one dimension", "shape", {"x": {"models": {"a": {"matrix": [0, 1]}}}, "y": PAIR})
    yield bad("a category above 1", "category", {"x": PAIR, "y": {"models": {"a": {"matrix": [[0, 2], [1, 1]]}}}})
    yield bad("a fraction", "fractional", {"x": PAIR, "y": {"models": {"a": {"matrix": [[0, 0.5], [1, 1]]}}}})
    yield bad("a missing outcome", "missing", {"x": PAIR, "y": {"models": {"a": HOLE}}})
    yield bad("infinity", "not_finite", {"x": PAIR, "y": {"models": {"a": {"matrix": [[0, "inf"], [1, 1]]}}}})
    yield bad("rows of unequal length", "ragged", {"x": PAIR, "y": {"models": {"a": {"matrix": [[0, 1, 1], [1, 1]]}}}})
    yield bad("a model without a trial", "no_trials", {"x": PAIR, "y": {"models": {"a": {"matrix": [[None, None]]}}}}, missing="drop")
    yield bad("no question with trials of both", "no_trials", {"x": PAIR, "y": {"models": {"a": {"matrix": [[None, None], [0, 1]]}, "b": {"matrix": [[1, 0], [None, None]]}}}}, missing="drop")
    yield bad("one question of a pair, and the variance between questions is needed", "shape", {"x": PAIR, "y": {"models": {"a": {"matrix": [[0, 1]]}, "b": {"matrix": [[1, 1]]}}}}, questions="sampled")
    yield bad("no benchmark of all models, with common true", "empty", {"x": {"models": {"a": GOOD}}, "y": {"models": {"b": GOOD}}}, common=True)
    yield from options(base)
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in (*booleans("common"), *words("correction", "bonferroni")))
    for c, code, p, args, flag in metric_options(lambda matrix: {"benchmarks": {"benchmarks": {"x": {"models": {"a": {"matrix": matrix}, "b": {"matrix": matrix}}}}}}):
        yield c, code, p, {"questions": "fixed", **args}, flag
    yield "no weight of a benchmark that common leaves out", "choice", "weights", {
        **base, "benchmarks": {"benchmarks": {"x": PAIR, "y": {"models": {"a": GOOD}}}}, "common": True, "weights": {"x": 1.0}}, "benchmarks"


def gate_suite():
    base = {"candidate": {"benchmarks": {"x": GOOD, "y": GOOD}}, "baseline": {"benchmarks": {"x": OTHER, "y": OTHER}}, "margin": 0.1, "questions": "fixed"}
    for p in ("candidate", "baseline"):
        def bad(comment, code, benchmarks, argument=p, **more):
            return comment, code, argument, {**base, p: {"benchmarks": benchmarks}, **more}, "benchmarks"

        for wrong, why in ((0.5, "a number"), ("x", "text"), (None, "null"), (True, "a truth value")):
            yield f"{p} is {why}", "type", p, {**base, p: wrong}, "benchmarks"
        yield bad("no benchmarks", "empty", {})
        yield bad("a benchmark is missing", "choice", {"x": GOOD}, "baseline")
        yield bad("another benchmark", "choice", {"x": GOOD, "z": GOOD}, "baseline")
        yield bad("a category above 1", "category", {"x": GOOD, "y": {"matrix": [[0, 2], [1, 1]]}})
        yield bad("a missing outcome", "missing", {"x": GOOD, "y": HOLE})
        yield bad("one dimension", "shape", {"x": GOOD, "y": {"matrix": [0, 1]}})
        yield bad("a fraction", "fractional", {"x": GOOD, "y": {"matrix": [[0, 0.5], [1, 1]]}})
        yield bad("rows of unequal length", "ragged", {"x": GOOD, "y": {"matrix": [[0, 1, 1], [1, 1]]}})
    nothing = {"benchmarks": {"x": GOOD, "y": {"matrix": [[None, None], [None, None]]}}}
    yield "no question with trials of both", "no_trials", "candidate", {**base, "candidate": nothing, "missing": "drop"}, "benchmarks"
    yield "the baseline has fewer questions", "shape", "baseline", {**base, "baseline": {"benchmarks": {"x": GOOD, "y": {"matrix": [[0, 1]]}}}}, "benchmarks"
    yield from options(base)
    for c, code, p, args, flag in (*reals("margin", (0.0, "-0.0", -0.1, 1.0, 2.0), "option"), *reals("power", (0.4999, 1.0, 80.0), "option"), *words("rule", "any")):
        yield c, code, p, {**base, **args}, flag
    for c, code, p, args, flag in metric_options(lambda matrix: {side: {"benchmarks": {"x": {"matrix": matrix}}} for side in ("candidate", "baseline")}):
        if "a single score" not in c:  # the margin is then wrong too
            yield c, code, p, {"margin": 0.1, "questions": "fixed", **args}, flag


def refused(function):
    yield from {"suite": suite, "gate_suite": gate_suite}.get(function["name"], tuple)()
