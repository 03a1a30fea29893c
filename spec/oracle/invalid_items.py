"""Refused calls of module items."""
from invalid import GOOD, outcomes, reals, words
from invalid_rank import FINE, entries, many, one_model
from invalid_sinf import one_of_two

NOTES = {"outcomes": "the outcomes before or after are wrong"}
THREE = {"tensor": [[[0, 1, 1, 0], [1, 1, 0, 1]], [[0, 0, 1, 0], [1, 0, 0, 1]], [[1, 1, 1, 0], [0, 1, 0, 1]]]}
SINGLE = {"tensor": [[[1], [0], [1]], [[0], [0], [1]], [[1], [1], [0]]]}


def tables(name):
    """Faults of `models` that items, reliability and design refuse; name: which of them."""
    yield from many("models")
    yield from entries("models")
    yield "rows of unequal length in one model", "ragged", "models", {"models": {"tensor": [THREE["tensor"][0], [[0, 1, 1, 0], [1, 1]]]}}, "models"
    yield from (x for x in one_model("models", name) if x[1] != "no_trials")  # a question without a trial is left out
    yield "no trial is left", "no_trials", "models", {"models": {"tensor": [[[None, None]] * 2] * 3}, "missing": "drop"}, "models"
    if name != "items":
        yield "one question", "shape", "models", {"models": {"tensor": [[[0, 1]], [[1, 1]], [[0, 0]]]}}, "models"
        yield "one question is left", "shape", "models", {"models": {"tensor": [[[0, 1], [None, None]], [[1, 1], [None, None]], [[0, 0], [None, None]]]}, "missing": "drop"}, "models"
        yield "one model is left", "shape", "models", {"models": {"tensor": [[[0, 1], [1, 1]], [[None, None]] * 2]}, "missing": "drop"}, "models"
        yield "no model has two questions", "shape", "models", {"models": {"tensor": [[[0, 1], [None, None]], [[None, None], [1, 1]]]}, "missing": "drop"}, "models"
        yield "no question has two models", "shape", "models", {"models": {"tensor": [[[0], [1], [None]], [[None], [None], [1]]]}, "missing": "drop"}, "models"


def integers(p, low, high):
    for bad, why in ((2.5, "a fraction"), (2.0, "a whole number as a real"), (True, "a truth value"), ("2", "text")):
        yield f"{p} is {why}", "type", p, {p: bad}, "option"
    for bad in (low - 1, -1, high + 1, 10**30):
        yield f"{p} = {bad}", "range", p, {p: bad}, "option"


def optional(p, outside):
    """Faults of a real option that may be null."""
    return (x for x in reals(p, outside, "option") if x[3][p] is not None)


def items():
    def parts():
        yield from tables("items")
        yield "two models", "shape", "models", {"models": FINE}, "models"
        yield "one question", "shape", "models", {"models": {"tensor": [[[0, 1]], [[1, 1]], [[0, 0]]]}}, "models"
        yield "one question that all models answered", "shape", "models", {"models": {"tensor": [[[0, 1], [1, 1]], [[1, 1], [0, 1]], [[0, 0], [None, None]]]}, "missing": "drop"}, "models"
        yield "no question that all models answered", "no_trials", "models", {"models": {"tensor": [[[0, 1], [None, None]], [[None, None], [1, 1]], [[0, 0], [1, 0]]]}, "missing": "drop"}, "models"
        yield from reals("fdr", (0.0, 1.0, -0.1, 10.0), "option")
        yield from reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")
    yield from ((c, code, p, {"models": THREE, **args}, flag) for c, code, p, args, flag in parts())


def changes():
    base = {"old": GOOD, "new": GOOD}

    def parts():
        for p in base:
            yield from ((c, code, q, args, "outcomes") for c, code, q, args, _ in one_of_two(p, base))
            yield f"{p} in one dimension: one question or many?", "shape", p, {**base, p: {"matrix": [0, 1, 1]}}, "outcomes"
            yield f"more trials than an exact test takes in {p}", "range", p, {**base, p: {"counts": [[1, 2], [10**4, 1]]}}, "outcomes"
        large = {"counts": [[5000, 5000], [5001, 4999], [5002, 4998]]}
        yield "too large for exact tests: three tests of n n' = 10^8", "range", "old", {"old": large, "new": large}, "outcomes"
        yield "no trial is left", "no_trials", "old", {**base, "old": {"matrix": [[None, None]] * 2}, "missing": "drop"}, "outcomes"
        yield "no question with trials of both is left", "no_trials", "old", {"old": {"matrix": [[None, None], [0, 1]]}, "new": {"matrix": [[1, 0], [None, None]]}, "missing": "drop"}, "outcomes"
        yield "fewer questions after", "shape", "new", {**base, "new": {"matrix": [[0, 1, 1]]}}, "outcomes"
        yield "more questions after", "shape", "new", {**base, "new": {"counts": [[1, 2], [2, 1], [3, 0]]}}, "outcomes"
        yield "three categories", "category", "old", {**base, "old": {"counts": [[1, 2, 1], [2, 1, 1]]}}, "outcomes"
        yield from words("alternative", "improved")
        yield from reals("fdr", (0.0, 1.0, -0.1, 10.0), "option")
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in parts())


def reliability():
    def parts():
        yield from tables("reliability")
        for p in ("n_questions", "n_trials"):
            yield from integers(p, 1, 10**9)
        yield "more trials, whose variance is unknown", "range", "n_trials", {"models": SINGLE, "n_trials": 2}, "option"
        yield from reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")
    yield from ((c, code, p, {"models": THREE, **args}, flag) for c, code, p, args, flag in parts())


def design():
    def parts():
        yield from tables("design")
        yield from optional("se", (0.0, 9e-7, 1.1, -0.1))
        for comment, code, p, args, flag in optional("rho", (0.0, 9e-7, 1.0, 0.9999999, -0.1)):
            yield comment, code, p, {"se": None, **args}, flag
        yield "neither target", "conflict", "rho", {"se": None}, "option"
        yield "both targets", "conflict", "rho", {"rho": 0.9}, "option"
        yield "no design of equal models reaches a coefficient", "undefined", "rho", {"se": None, "rho": 0.9, "models": {"tensor": [[[0, 1], [1, 1]]] * 3}}, "result"
        yield from reals("cost_question", (-1e-300, -1.0, 1.1e100), "option")
        yield from reals("cost_trial", (0.0, -1.0, 9e-101, 1.1e100), "option")
        yield from integers("max_trials", 1, 10**4)
    yield from ((c, code, p, {"models": THREE, "se": 0.05, **args}, flag) for c, code, p, args, flag in parts())


def cost_per_solved():
    costs = [[1.0, 2.0, 0.5, 1.5], [2.0, 1.0, 1.0, 3.0]]
    base = {"R": GOOD, "costs": costs, "questions": "fixed"}

    def parts():
        yield from outcomes("interval")  # which leaves out questions without a trial too
        yield "counts: the cost of each trial is unknown", "type", "R", {"R": {"counts": [[2, 2], [1, 3]]}}, "R"
        yield "one question, and the variance between questions is needed", "shape", "R", {"R": {"matrix": [[0, 1]]}, "costs": [[1.0, 2.0]], "questions": "sampled"}, "R"
        yield "one question is left", "shape", "R", {"R": {"matrix": [[0, 1], [None, None]]}, "costs": [[1.0, 2.0], [1.0, 2.0]], "questions": "sampled", "missing": "drop"}, "R"
        yield "no task solved", "undefined", "R", {"R": {"matrix": [[0, 0, 0, 0], [0, 0, 0, 0]]}}, "result"
        for bad, why in (("abc", "text"), ([["a", "b", "c", "d"]] * 2, "texts"), ([[True, 1.0, 1.0, 1.0]] * 2, "truth values among numbers"), (None, "null")):
            yield f"costs that are {why}", "type", "costs", {"costs": bad}, "option"
        yield "a number for the costs", "shape", "costs", {"costs": 0.5}, "option"
        yield "costs in one dimension", "shape", "costs", {"costs": [1.0, 2.0]}, "option"
        yield "costs in three dimensions", "shape", "costs", {"costs": [costs]}, "option"
        yield "costs of fewer questions", "shape", "costs", {"costs": costs[:1]}, "option"
        yield "costs of fewer trials", "shape", "costs", {"costs": [row[:3] for row in costs]}, "option"
        yield "costs of more trials", "shape", "costs", {"costs": [[*row, 1.0] for row in costs]}, "option"
        yield "unequal rows of costs", "ragged", "costs", {"costs": [costs[0], costs[1][:3]]}, "option"
        yield "no costs", "empty", "costs", {"costs": []}, "option"
        for bad in ("nan", "inf", "-inf"):
            yield f"{bad} among the costs", "not_finite", "costs", {"costs": [costs[0], [*costs[1][:3], bad]]}, "option"
        for bad in (-1e-300, -1.0, 1.1e100):
            yield f"{bad!r} among the costs", "range", "costs", {"costs": [costs[0], [*costs[1][:3], bad]]}, "option"
        yield from words("questions", "random")
        yield from reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")

    def shaped(args):
        """The arguments with costs in the shape of R, so that only R is faulty."""
        R = args.get("R", GOOD)
        if "costs" in args or "matrix" not in R or R is GOOD:
            return args
        rows = R["matrix"]
        width = max((len(r) for r in rows if isinstance(r, list)), default=0)
        return {**args, "costs": [[1.0] * width for _ in rows]} if width else args

    yield from ((c, code, p, {**base, **shaped(args)}, flag) for c, code, p, args, flag in parts())


def refused(function):
    yield from {"items": items, "changes": changes, "reliability": reliability, "design": design, "cost_per_solved": cost_per_solved}.get(function["name"], tuple)()
