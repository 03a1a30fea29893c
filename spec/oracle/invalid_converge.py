"""Refused calls of modules converge and simulate."""
from invalid import category_scores, reals, words
from invalid_rank import FINE, GOOD, entries, many, numbers, one_model

NOTES = {
    "counter": "a seed, a place or a number of random numbers is wrong",
    "metric": "the metric is unknown, or an option does not belong to it",
    "gold": "the gold ranking is wrong",
    "rates": "nested lists of numbers are wrong",
}
TIED = {"tensor": [[[0, 1, 1, 0], [1, 1, 0, 1]], [[1, 1, 0, 1], [0, 1, 0, 1]]]}


def integer_faults(p, low, high, flag="counter"):
    """Faults of an integer in low..high."""
    for bad, why in ((2.5, "a fraction"), (True, "a truth value"), ("2", "text"), (None, "null"), ([1], "a list")):
        yield f"{p} is {why}", "type", p, {p: bad}, flag
    for bad in (low - 1, high + 1, -10**30, 10**30):
        yield f"{p} = {bad}", "range", p, {p: bad}, flag


# ---------------------------------------------------------------- converge

def outcomes_of_models():
    """Faults of R, which needs complete trials, the same number for each model."""
    yield from many("R")
    yield from entries("R")
    yield "unequal rows of one model", "ragged", "R", {"R": {"tensor": [GOOD, [[0, 0, 1, 0], [1, 0]]]}}, "models"
    yield "models of unequal numbers of trials", "shape", "R", {"R": {"tensor": [GOOD, [[0, 1], [1, 1]]]}}, "models"
    yield "a mapping of models of unequal numbers of trials", "shape", "R", {"R": {"models": {"a": {"matrix": GOOD}, "b": {"matrix": [[0, 1], [1, 1]]}}}}, "models"
    yield "counts as a model: their order is not known", "type", "R", {"R": {"models": {"a": {"matrix": GOOD}, "b": {"counts": [[2, 2], [1, 3]]}}}}, "models"
    yield from (x for x in one_model("R", "elo") if x[2] == "R" and x[1] != "no_trials")  # there is no argument `missing`


def metric_options():
    yield from words("metric", "pass", "max_at_k", "Bayes")
    yield "metric is null", "type", "metric", {"metric": None}, "option"
    for args in ({"metric": "pass_at_k"}, {"metric": "auc_at_k"}, {"metric": "g_pass_at_k_tau", "tau": 0.5}):
        yield f"{args['metric']} without k", "type", "k", args, "metric"
    for comment, code, p, args, flag in integer_faults("k", 1, 4, "k"):
        yield comment, code, p, {"metric": "pass_hat_k", **args}, flag
    for name in ("bayes", "avg"):
        yield f"k for {name}", "conflict", "k", {"metric": name, "k": 1}, "metric"
    yield "k for the default metric", "conflict", "k", {"k": 2}, "metric"
    share = {"metric": "g_pass_at_k_tau", "k": 2}
    yield "g_pass_at_k_tau without tau", "type", "tau", share, "metric"
    for comment, code, p, args, flag in reals("tau", (-1e-300, 1.0000000000000002, -1.0), "option"):
        yield comment, code, p, {**share, **args}, flag
    for args in ({}, {"metric": "avg"}, {"metric": "pass_at_k", "k": 2}, {"metric": "maj_at_k", "k": 2}):
        yield f"tau for {args.get('metric', 'the default metric')}", "conflict", "tau", {**args, "tau": 0.5}, "metric"
    for name in ("pass_at_k", "naive_pass_hat_k", "mg_pass_at_k"):
        yield f"w for {name}", "conflict", "w", {"metric": name, "k": 2, "w": [0.0, 1.0]}, "metric"
    for comment, code, p, args, flag in category_scores():
        yield comment, code, p, {"w": args["w"], **({"R": {"tensor": [[[0, 1, 2], [1, 1, 0]], [[0, 1, 0], [1, 1, 0]]]}} if "R" in args else {})}, flag
    yield "a single score w for binary outcomes", "length", "w", {"w": [1.0]}, "w"


def gold_ranks():
    for comment, code, p, args, _ in numbers("gold", null=False, empty=False):
        yield comment, code, p, args, "gold"
    for bad in ([1], [1, 2, 3]):
        yield f"ranks of {len(bad)} models for two", "length", "gold", {"gold": bad}, "gold"


def converge(name):
    yield from outcomes_of_models()
    yield from metric_options()
    if name != "rank_trajectory":
        yield from gold_ranks()
    if name == "convergence_at_n":
        return
    yield from words("scheme", "bootstrap", *(["original"] if name == "bootstrap_convergence" else []))
    yield "scheme is null", "type", "scheme", {"scheme": None}, "option"
    yield from integer_faults("seed", 0, 2**64 - 1)
    if name == "rank_trajectory":
        yield from integer_faults("replicate", 0, 2**31 - 1)
        return
    yield from integer_faults("replicates", 1, 2**31 - 1)
    if name == "bootstrap_convergence":
        yield from integer_faults("worst", 0, 1000)
        return
    yield "gold ties all models", "undefined", "gold", {"gold": [1, 1]}, "gold"
    yield "the averages tie all models, and gold is not given", "undefined", "gold", {"R": TIED}, "gold"
    yield "equal scores w tie all models, and gold is not given", "undefined", "gold", {"w": [0.5, 0.5]}, "gold"


# ---------------------------------------------------------------- simulate

def rates(p, outside):
    """Faults of a list of numbers, nested up to three dimensions."""
    def bad(comment, code, x):
        return comment, code, p, {p: x}, "rates"

    for x, why in (("half", "text"), (None, "null"), (True, "a truth value"), (["a", 2.5], "a list with text"), ([2.5, None], "a list with null"),
                   ([True, 2.5], "a list with a truth value"), ([["2.5"]], "text in two dimensions")):
        yield bad(f"{p} is {why}", "type", x)
    yield bad(f"{p} is a number", "shape", 2.5)
    yield bad(f"{p} has four dimensions", "shape", [[[[2.5]]]])
    for x, why in (([], "a list"), ([[], []], "rows"), ([[[]], [[]]], "three dimensions")):
        yield bad(f"{p} is {why} without a number", "empty", x)
    for x, why in (([[2.5, 3.5], [2.5]], "rows of unequal length"), ([[2.5], []], "an empty row beside another"),
                   ([[2.5, 3.5], 4.5], "a number beside a row"), ([[[2.5], [3.5]], [[2.5]]], "three dimensions, unequal")):
        yield bad(f"{p} is {why}", "ragged", x)
    for x in ("nan", "inf", "-inf"):
        yield bad(f"{p} has {x}", "not_finite", [2.5, x])
    for x in outside:
        yield bad(f"{p} has {x!r}", "range", [2.5, x])


def coins():
    for comment, code, p, args, flag in rates("p", (-5e-324, 1.0000000000000002, -1, 2)):
        yield comment, code, p, {p: as_probabilities(args[p])}, flag
    yield from integer_faults("N", 1, 10**6)
    yield from integer_faults("seed", 0, 2**64 - 1)
    yield from integer_faults("first", 0, 2**62 - 1)


def as_probabilities(x):
    """Probabilities in place of 2.5, 3.5 and 4.5."""
    return [as_probabilities(y) for y in x] if isinstance(x, list) else {2.5: 0.25, 3.5: 0.75, 4.5: 0.5}.get(x, x) if isinstance(x, float) else x


def beta_parameters(too_low):
    """Faults of a or b; the other is valid, and as long where the faulty one is a list in one dimension.

    too_low: the double below the least number that is allowed.
    """
    for p, other in (("a", "b"), ("b", "a")):
        for comment, code, argument, args, flag in rates(p, (too_low, 10000.000000000002, 0, -2.5)):
            x = args[p]
            flat = isinstance(x, list) and x and not isinstance(x[0], list)
            yield comment, code, argument, {**args, other: [2.5] * len(x) if flat else [[2.5]]}, flag
    for a, b, why in (([2.5, 3.5], [2.5], "fewer b than a"), ([2.5], [2.5, 3.5], "more b than a"), ([2.5, 3.5], [[2.5, 3.5]], "a list and a row"),
                      ([[2.5, 3.5]], [[2.5], [3.5]], "a row and a column"), ([[[2.5]]], [[2.5]], "three dimensions and two")):
        yield why, "shape", "b", {"a": a, "b": b}, "rates"
    yield from integer_faults("seed", 0, 2**64 - 1)
    yield from integer_faults("first", 0, 2**62 - 1)


def random_indices():
    for p, low, high in (("seed", 0, 2**64 - 1), ("count", 1, 10**9), ("bound", 1, 2**32 - 1), ("stream", 0, 2**32 - 1), ("first", 0, 2**62 - 1)):
        yield from integer_faults(p, low, high)


def refused(function):
    name, module = function["name"], function["module"]
    if module == "converge":
        base, calls = {"R": FINE}, converge(name)
    elif module == "simulate":
        base, calls = {"random_indices": ({"seed": 1, "count": 3, "bound": 5}, random_indices()), "coins": ({"p": [0.25, 0.75], "N": 4}, coins()),
                       "beta_rates": ({"a": [2.5, 3.5], "b": [1.5, 4.5]}, beta_parameters(0.04999999999999999)),
                       "updates": ({"a": [2.5, 3.5], "b": [1.5, 4.5]}, beta_parameters(1.0))}[name]
    else:
        return
    yield from ((comment, code, p, {**base, **args}, flag) for comment, code, p, args, flag in calls)
