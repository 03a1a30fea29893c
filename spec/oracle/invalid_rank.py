"""Refused calls of module rank: scores, metrics of many models, Elo, ranges, winners."""
from invalid import mean_options, blends, category_scores, lam_options, integers, outcomes, prior_outcomes, reals, spectrum, words
from invalid_intervals import metric_options

NOTES = {
    "models": "the outcomes of the models are wrong",
    "list": "a list of numbers is wrong",
}
GOOD, OTHER, HOLE = [[0, 1, 1, 0], [1, 1, 0, 1]], [[0, 0, 1, 0], [1, 0, 0, 1]], [[0, 1, None, 0], [1, 1, 0, 1]]
FINE = {"tensor": [GOOD, OTHER]}


def numbers(p, null=True, empty=True):
    """Faults of a list of real numbers: of a wrong kind or shape, not finite."""
    for bad, why in (("abc", "text"), (["a", "b"], "texts"), ([True, 0.5], "truth values among numbers"), *(((None, "null"),) if null else ())):
        yield f"{p} that are {why}", "type", p, {p: bad}, "list"
    yield f"a number for the {p}", "shape", p, {p: 0.5}, "list"
    yield f"{p} in two dimensions", "shape", p, {p: [[0.5, 0.2], [0.1, 0.3]]}, "list"
    if empty:
        yield f"no {p}", "empty", p, {p: []}, "list"
    for bad in ("nan", "inf", "-inf"):
        yield f"{bad} among the {p}", "not_finite", p, {p: [0.5, bad]}, "list"


def booleans(p):
    """Values that a boolean option refuses."""
    for bad, why in ((1, "a number"), ("yes", "text"), (None, "null")):
        yield f"{p} is {why}", "type", p, {p: bad}, "option"


def one_model(p, name):
    """Faults of one model of a mapping, those of invalid.outcomes; the other model is valid and has as many trials."""
    for comment, code, argument, args, flag in outcomes(name):
        R, more = args["R"], {k: v for k, v in args.items() if k != "R"}
        rows = R.get("matrix") or [0]
        N = len(rows[0]) if isinstance(rows[0], list) and rows[0] else 2
        other = [[0] * N] if R.get("special") in ("complex", "object") else [[0] * N, [1] * N]  # these two special arrays have one question
        yield f"one model: {comment}", code, p if argument == "R" else argument, \
            {p: {"models": {"a": R, "b": {"matrix": other}}}, **more}, "models" if flag == "R" else flag


def many(p):
    """Faults of a tensor or a mapping of models."""
    def bad(comment, code, R):
        return comment, code, p, {p: R}, "models"

    for R, why in ((0.5, "a number"), ("0110", "text"), (None, "null"), (True, "a truth value")):
        yield bad(f"{p} is {why}", "type", R)
    yield bad("one model, in two dimensions", "shape", {"matrix": [[0, 1], [1, 1]]})
    yield bad("four dimensions", "shape", {"tensor": [[[[0, 1]]], [[[1, 1]]]]})
    yield bad("a tensor of one model", "shape", {"tensor": [GOOD]})
    yield bad("a mapping of one model", "shape", {"models": {"a": {"matrix": GOOD}}})
    yield bad("models of unequal numbers of questions", "shape", {"tensor": [GOOD, OTHER + [[0, 1, 1, 1]]]})
    yield bad("a mapping of models of unequal numbers of questions", "shape", {"models": {"a": {"matrix": GOOD}, "b": {"matrix": GOOD[:1]}}})
    yield bad("models in one dimension: one question or many?", "shape", {"models": {"a": {"matrix": [0, 1, 1]}, "b": {"matrix": [1, 1, 0]}}})
    yield bad("no models", "empty", {"tensor": []})
    yield bad("an empty mapping", "empty", {"models": {}})
    yield bad("models without questions", "empty", {"tensor": [[], []]})
    yield bad("models without trials", "empty", {"tensor": [[[], []], [[], []]]})


def entries(p):
    """Faults of one entry of a tensor."""
    for x, code, why in (("right", "type", "a word"), (-1, "category", "a negative entry"), (2, "category", "an entry above 1"), (0.5, "fractional", "a fraction"),
                         ("inf", "not_finite", "infinity"), (None, "missing", "a missing entry")):
        yield f"{why} in a tensor", code, p, {p: {"tensor": [GOOD, [[0, 0, x, 0], [1, 0, 0, 1]]]}}, "models"


def rank_scores():
    base = {"scores": [0.5, 0.2]}
    with_sigmas = {**base, "sigmas": [0.1, 0.1]}
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in
                (*numbers("scores"), *numbers("sigmas", null=False, empty=False), *reals("tol", (-1e-300, -1.0), "option"),
                 *reals("confidence", (0.0, 1.0, -0.5, 95.0), "option"), *words("ties", "zscore", "ci_overlap")))
    for bad in ([0.1], [0.1, 0.1, 0.1]):
        yield f"{len(bad)} standard errors of two scores", "length", "sigmas", {**base, "sigmas": bad}, "list"
    yield "a negative standard error", "range", "sigmas", {**base, "sigmas": [0.1, -1e-300]}, "list"
    for c in (0.5, 0.25):
        yield f"confidence {c} with standard errors", "range", "confidence", {**with_sigmas, "confidence": c}, "option"


REPEATED = ("R is a number", "R is null", "one model, in two dimensions", "models of unequal numbers of questions", "no models", "models without trials",
       "one model: R is complex numbers", "one model: R is a masked array that masks an entry", "k is a fraction", "k is text", "k = 0",
       "a truth value among the scores w", "no scores w", "fewer scores w than categories", "a score in w is nan", "a score in w is inf",
       "a score in w is 1.1e+300", "scores w as text", "scores w in two dimensions", "no weights", "a weight is nan",
       "weights are null", "weights as text", "weights in two dimensions", "fewer than k weights", "a negative weight", "a weight is inf",
       "weights that sum to more than 1", "lam and lambda_ both given", "lam is text", "lam is nan", "lam = -0.1", "lambda_ = -0.1",
       "pass_power is text", "unanimous_power is inf", "tau is null", "tau is nan", "tau = -1e-300", "tau = 1.0000000000000002",
       "tol is null", "tol is nan", "tol = -1e-300", "return_scores is text")


def repeated(calls):
    """The refused calls whose comments are in REPEATED: those that are repeated for each metric."""
    return (x for x in calls if x[0] in REPEATED)


def metric(function):
    """Refused calls of rank.<metric>, for the models, the options of the metric, and the options of the ranks."""
    name, params = function["name"].split(".")[1], {p["name"] for p in function["params"]}
    base = {"R": FINE, **({"k": 2} if "k" in params else {}), **({"tau": 0.5} if "tau" in params else {})}
    required = name == "threshold_spectrum_at_k"
    if required:
        base["weights"] = [0.5, 0.25]

    def parts():
        yield from repeated(many("R"))
        yield from entries("R")
        yield "rows of unequal length in one model", "ragged", "R", {"R": {"tensor": [GOOD, [[0, 1, 1, 0], [1, 1]]]}}, "models"
        yield "a question of one model without any trial", "no_trials", "R", {"R": {"tensor": [GOOD, [[0, 1, 1, 1], [None] * 4]]}, "missing": "drop"}, "models"
        yield from repeated(one_model("R", name))
        yield "an unknown policy", "choice", "missing", {"missing": "ignore"}, "missing"
        yield "missing as a category that does not exist", "category", "missing", {"R": {"tensor": [GOOD, HOLE]}, "missing": 2}, "missing"
        if "k" in params:
            yield from repeated(integers(at_most_trials=True))
            yield "k above the trials of one model", "range", "k", {"R": {"models": {"a": {"matrix": GOOD}, "b": {"counts": [[1, 2], [3, 0]]}}}, "k": 4}, "k"
        yield from repeated(reals("tau", (-1e-300, 1.0000000000000002), "option") if "tau" in params else ())
        for comment, code, p, args, flag in repeated(category_scores()) if "w" in params else ():
            yield comment, code, p, {**args, **({"R": {"tensor": [[[0, 1, 2], [1, 1, 0]]] * 2}} if "R" in args else {})}, flag
        yield from priors() if "R0" in params else ()
        yield from repeated(spectrum(required) if "weights" in params else ())
        yield from repeated(lam_options() if "lam" in params else ())
        if "pass_power" in params:
            yield from repeated((*reals("pass_power", (), "option"), *reals("unanimous_power", (), "option")))
            for comment, code, p, args, flag in blends(ci=False):
                yield comment, code, p, {**args, **({"R": {"models": {"a": args["R"], "b": args["R"]}}} if "R" in args else {})}, flag
        yield from repeated(reals("tol", (-1e-300,), "option"))
        yield from words("method", "min")
        yield from repeated(booleans("return_scores"))

    for comment, code, argument, args, flag in parts():
        args = {**base, **args}
        if required and args["k"] == 4:  # as many weights as k, so that k is the only fault
            args["weights"] = [0.5, 0.0, 0.0, 0.25]
        yield comment, code, argument, args, flag


def priors():
    yield from (x for x in prior_outcomes() if x[0] != "a prior of three dimensions")  # valid here: one prior for each model
    yield "priors of three models for two", "shape", "R0", {"R0": {"tensor": [[[0], [1]]] * 3}}, "R0"
    yield "priors of other models", "choice", "R0", {"R": {"models": {"a": {"matrix": GOOD}, "b": {"matrix": OTHER}}}, "R0": {"models": {"a": {"matrix": [[0], [1]]}, "c": {"matrix": [[0], [1]]}}}}, "R0"
    yield "a mapping of priors that lacks a model", "choice", "R0", {"R": {"models": {"a": {"matrix": GOOD}, "b": {"matrix": OTHER}}}, "R0": {"models": {"a": {"matrix": [[0], [1]]}}}}, "R0"


def elo():
    yield from many("R")
    yield from entries("R")
    yield "unequal rows of one model", "ragged", "R", {"R": {"tensor": [GOOD, [[0, 0, 1, 0], [1, 0]]]}}, "models"
    yield "models of unequal numbers of trials", "shape", "R", {"R": {"tensor": [GOOD, [[0, 1], [1, 1]]]}}, "models"
    yield "a mapping of models of unequal numbers of trials", "shape", "R", {"R": {"models": {"a": {"matrix": GOOD}, "b": {"matrix": [[0, 1], [1, 1]]}}}}, "models"
    yield "counts as a model: their order is not known", "type", "R", {"R": {"models": {"a": {"matrix": GOOD}, "b": {"counts": [[2, 2], [1, 3]]}}}}, "models"
    yield from (x for x in one_model("R", "elo") if x[2] == "R" and x[1] != "no_trials")  # there is no argument `missing`
    for comment, code, p, args, flag in (*reals("K", (0.0, -1.0, 1.1e4), "option"), *reals("initial_rating", (1.1e6, -1.1e6), "option"),
                                         *words("tie_handling", "correct", "half"), *words("method", "min"), *booleans("return_scores")):
        yield comment, code, p, {"R": FINE, **args}, flag


def ranges():
    yield from models_options({"models": FINE, "questions": "fixed"}, "ranges")


def winners():
    base = {"models": FINE, "questions": "fixed"}
    yield from (x for x in models_options(base, "winners") if x[2] != "correction")
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in reals("margin", (-1e-300, -1.0), "option"))


def models_options(base, name):
    """Faults in a comparison of many models."""
    def parts():
        yield from many("models")
        yield from entries("models")
        yield "rows of unequal length in one model", "ragged", "models", {"models": {"tensor": [GOOD, [[0, 1, 1, 0], [1, 1]]]}}, "models"
        yield from (x for x in one_model("models", name) if x[1] != "no_trials")  # a question without a trial is left out
        yield "two models without a shared question", "no_trials", "models", {"models": {"tensor": [[[0, 1], [None, None]], [[None, None], [1, 1]]]}, "missing": "drop"}, "models"
        yield "one question, and the variance between questions is needed", "shape", "models", {"models": {"tensor": [[[0, 1, 1]], [[1, 1, 0]]]}, "questions": "sampled"}, "models"
        yield "one question of single trials", "shape", "models", {"models": {"tensor": [[[0]], [[1]]]}}, "models"
        yield "a single cluster", "shape", "models", {"questions": "sampled", "clusters": ["a", "a"]}, "models"
        for comment, code, p, args, flag in category_scores():
            yield comment, code, p, {"w": args["w"], **({"models": {"tensor": [[[0, 1, 2], [1, 1, 0]]] * 2}} if "R" in args else {})}, flag
        yield from words("questions", "random")
        yield from reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")
        yield from reals("guard", (-0.1, 1.5), "option")
        yield from words("correction", "bonferroni", "Holm")
        yield from (x for x in mean_options() if x[2] == "clusters")
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in parts())
    for c, code, p, args, flag in metric_options(lambda matrix: {"models": {"tensor": [matrix, matrix]}}):
        yield c, code, p, {"questions": "fixed", **args}, flag
    yield "k above the trials of one model", "range", "k", {"models": {"models": {"a": {"matrix": GOOD}, "b": {"counts": [[1, 2], [3, 0]]}}}, "metric": "pass_at_k", "k": 4, "questions": "fixed"}, "k"


def refused(function):
    name = function["name"]
    if name.startswith("rank."):
        yield from metric(function)
    else:
        yield from {"rank_scores": rank_scores, "elo": elo, "ranges": ranges, "winners": winners}.get(name, tuple)()
