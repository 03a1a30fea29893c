"""Refused calls, each with exactly one fault, of all functions."""
import json
from importlib import import_module

import cases_bounds
import invalid_pairing
from files import SPEC
from pairing import refused_k

# modules with NOTES and refused(function), for functions outside tally and eval and for IN_MODULES; imported on demand
MODULES = ["invalid_rank", "invalid_sinf", "invalid_utils", "invalid_converge", "invalid_intervals", "invalid_rubric",
           "invalid_looks", "invalid_judges", "invalid_suites", "invalid_items", "invalid_beyond", "invalid_answers",
           "invalid_battles", "invalid_runs", "invalid_ledger"]
LEAVES_OUT_QUESTIONS = ("mean_ci", "interval", "prob_above", "extrapolate", "extrapolate_model", "run_variation")  # functions that leave out questions without a trial
IN_MODULES = ("interval", "extrapolate", "extrapolate_model", "judged", "label_check", "plurality_at_k",
       "best_of_k", "agreement", "cohen_kappa")  # functions of eval whose refused calls are in MODULES
GOOD = {"matrix": [[0, 1, 1, 0], [1, 1, 0, 1]]}
HOLE = {"matrix": [[0, 1, None, 0], [1, 1, 0, 1]]}
W = [0.0, 1.0]
NOTES = {
    "R": "the outcome matrix is wrong",
    "R0": "the prior outcomes are wrong",
    "missing": "the policy for missing trials is wrong, or a trial is missing without one",
    "k": "k is wrong",
    "w": "the scores w are wrong",
    "weights": "the spectrum weights are wrong",
    "option": "another option is wrong",
    "interval": "confidence or bounds are wrong",
    "prior": "a prior parameter is wrong",
    "result": "each argument is fine, but together they have no finite value",
}


def outcomes(name):
    """Faults of R and missing, as the function `name` refuses them: (comment, code, argument, args, flag)."""
    def bad(comment, code, matrix, **rest):
        return comment, code, "R", {"R": matrix if "special" in matrix else {"matrix": matrix["matrix"]}, **rest}, "R"

    for special, code, why in (("complex", "type", "complex numbers"), ("object", "type", "arbitrary objects"),
                               ("string", "type", "an array of text"), ("0d", "shape", "a scalar"),
                               ("masked", "missing", "a masked array that masks an entry")):
        yield bad(f"R is {why}", code, {"special": special})
    yield bad("a word in R", "type", {"matrix": [[0, "right"], [1, 0]]})
    yield bad("a digit as text in R", "type", {"matrix": [[0, "1"], [1, 0]]})
    yield bad("three dimensions", "shape", {"matrix": [[[0, 1], [1, 1]], [[0, 0], [1, 0]]]})
    yield bad("rows of unequal length", "ragged", {"matrix": [[0, 1, 1], [1, 0]]})
    yield bad("no rows", "empty", {"matrix": []})
    yield bad("rows without trials", "empty", {"matrix": [[], []]})
    yield bad("a negative entry", "category", {"matrix": [[0, 1], [-1, 1]]})
    yield bad("a fraction", "fractional", {"matrix": [[0, 1], [0.5, 1]]})
    yield bad("a fraction next to an integer", "fractional", {"matrix": [[0, 1], [0.9999999999999999, 1]]})
    yield bad("infinity", "not_finite", {"matrix": [[0, "inf"], [0, 1]]})
    yield bad("minus infinity", "not_finite", {"matrix": [[0, "-inf"], [0, 1]]})
    yield bad("a missing entry (null)", "missing", HOLE)
    yield bad("a missing entry (NaN)", "missing", {"matrix": [[0, "nan"], [0, 1]]})
    if name == "tally":
        yield bad("an entry above C", "category", {"matrix": [[0, 3], [1, 2]]}, C=2)
    else:
        yield bad("an entry above 1, w not given", "category", {"matrix": [[0, 2], [1, 1]]})
        empty_questions = [[None, None], [None, None]] if name in LEAVES_OUT_QUESTIONS else [[0, 1], [None, None]]
        yield bad("no trial is left" if name in LEAVES_OUT_QUESTIONS else "a question without any trial",
                  "no_trials", {"matrix": empty_questions}, missing="drop")
    yield "an unknown policy", "choice", "missing", {"R": GOOD, "missing": "ignore"}, "missing"
    yield "a policy that is no integer", "type", "missing", {"R": HOLE, "missing": 0.5}, "missing"
    yield "a policy of true", "type", "missing", {"R": HOLE, "missing": True}, "missing"
    yield "missing as a negative category", "category", "missing", {"R": HOLE, "missing": -1}, "missing"
    above = {"C": 1} if name == "tally" else {}
    yield "missing as a category that does not exist", "category", "missing", {"R": HOLE, "missing": 2, **above}, "missing"


OPTIONAL = ("lam", "lambda_", "half_width", "max_ci_width", "max_half_width")  # null means not given


def integers(at_most_trials):
    """Faults of k; at_most_trials: whether k above the number of trials is one of them."""
    for bad, why in ((2.5, "a fraction"), (True, "a truth value"), ("2", "text"), (None, "null")):
        yield f"k is {why}", "type", "k", {"k": bad}, "k"
    yield "k = 0", "range", "k", {"k": 0}, "k"
    yield "k = -1", "range", "k", {"k": -1}, "k"
    yield "k beyond any machine integer", "range", "k", {"k": 10**30}, "k"
    if not at_most_trials:
        yield "k above the largest, 10^7", "range", "k", {"k": 10**7 + 1}, "k"
    if at_most_trials:
        yield "k above the number of trials", "range", "k", {"k": 5}, "k"
        yield "k above the shortest row", "range", "k", {"R": {"matrix": [[0, 1, 1], [1, 1]]}, "k": 3, "missing": "drop"}, "k"


def reals(p, outside, flag):
    """Faults of a real option: a wrong kind, not finite, out of range."""
    nothing = () if p in OPTIONAL else ((None, "null"),)
    for bad, why in (("half", "text"), (True, "a truth value"), ([0.5], "a list"), *nothing):
        yield f"{p} is {why}", "type", p, {p: bad}, flag
    for bad in ("nan", "inf", "-inf"):
        yield f"{p} is {bad}", "not_finite", p, {p: bad}, flag
    for bad in outside:
        yield f"{p} = {bad!r}", "range", p, {p: bad}, flag


def words(p, *bad):
    for word in bad:
        yield f"{p} = {word!r}", "choice", p, {p: word}, "option"
    yield f"{p} is a number", "type", p, {p: 1}, "option"


def bounds():
    for bad, why in (("01", "text"), (1.0, "a number"), ([0.0, "one"], "a pair with a word")):
        yield f"bounds are {why}", "type", "bounds", {"bounds": bad}, "interval"
    for bad in ([0.0], [0.0, 0.5, 1.0], []):
        yield f"bounds of {len(bad)} numbers", "shape", "bounds", {"bounds": bad}, "interval"
    for bad in (["nan", 1.0], [0.0, "nan"], ["inf", "inf"], ["-inf", "-inf"]):
        yield f"bounds {bad}", "not_finite", "bounds", {"bounds": bad}, "interval"
    yield "bounds in the wrong order", "order", "bounds", {"bounds": [1.0, 0.0]}, "interval"


def category_scores():
    yield "scores w as text", "type", "w", {"w": ["low", "high"]}, "w"
    yield "a truth value among the scores w", "type", "w", {"w": [True, 0.5]}, "w"
    yield "scores w in two dimensions", "shape", "w", {"w": [[0.0, 1.0], [0.0, 1.0]]}, "w"
    yield "no scores w", "empty", "w", {"w": []}, "w"
    yield "fewer scores w than categories", "length", "w", {"R": {"matrix": [[0, 1, 2], [1, 1, 0]]}, "w": W}, "w"
    for bad in ("nan", "inf", "-inf"):
        yield f"a score in w is {bad}", "not_finite", "w", {"w": [0.0, bad]}, "w"
    for bad in (1.1e300, -1.1e300):
        yield f"a score in w is {bad!r}", "range", "w", {"w": [0.0, bad]}, "w"


def prior_outcomes():
    def bad(comment, code, matrix, **rest):
        return comment, code, "R0", {"R0": {"matrix": matrix}, **rest}, "R0"

    yield bad("fewer prior rows than questions", "shape", [[0, 1]])
    yield bad("more prior rows than questions", "shape", [[0], [1], [1]])
    yield bad("unequal prior rows", "ragged", [[0, 1], [1]])
    yield bad("a negative prior outcome", "category", [[0], [-1]])
    yield bad("a prior outcome above 1, w not given", "category", [[0], [2]])
    yield bad("a prior outcome without a score in w", "category", [[0], [2]], w=W)
    yield bad("a prior outcome that is a fraction", "fractional", [[0.5], [1]])
    yield bad("an infinite prior outcome", "not_finite", [["inf"], [1]])
    yield bad("a missing prior outcome", "missing", [[None], [1]])
    yield bad("a word in the prior", "type", [["x"], [1]])
    yield bad("a prior of three dimensions", "shape", [[[0], [1]], [[1], [0]]])


def spectrum(required):
    def bad(comment, code, weights):
        return comment, code, "weights", {"k": 3, "weights": weights}, "weights"

    if required:
        yield bad("weights are null", "type", None)
    yield bad("weights as text", "type", ["a", "b", "c"])
    yield bad("weights in two dimensions", "shape", [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])
    yield bad("no weights", "empty", [])
    yield bad("fewer than k weights", "length", [0.5, 0.5])
    yield bad("weights are a number", "shape", 0.5)
    yield bad("more than k weights", "length", [0.25, 0.25, 0.25, 0.25])
    yield bad("a negative weight", "range", [0.5, -0.1, 0.5])
    for x in ("nan", "inf"):
        yield bad(f"a weight is {x}", "not_finite", [0.5, x, 0.0])
    yield bad("weights that sum to more than 1", "sum", [0.5, 0.5, 0.1])
    yield bad("weights that sum to 1 + 1e-11", "sum", [0.5, 0.5, 1e-11])


def blends(ci):
    yield "both powers are 0", "undefined", "pass_power", {"pass_power": 0.0, "unanimous_power": 0.0}, "result"
    huge = {"R": {"counts": [[3, 1], [3, 1]]}, "k": 1, "pass_power": -1e5, "unanimous_power": 0.0}
    yield "a quarter to the power -100000", "overflow", "pass_power", huge, "result"
    if not ci:
        nothing = {"R": {"counts": [[4, 0], [4, 0]]}, "k": 2}
        yield "Pass^k is 0, its power negative", "undefined", "unanimous_power", \
            {"R": {"counts": [[3, 1], [3, 1]]}, "k": 2, "unanimous_power": -1.0}, "result"
        yield "both factors 0, one power negative, the other 0", "undefined", "pass_power", \
            {**nothing, "pass_power": -1.0, "unanimous_power": 0.0}, "result"


def lam_options():
    yield "lam and lambda_ both given", "conflict", "lambda_", {"lam": 0.3, "lambda_": 0.3}, "option"
    yield from reals("lam", (-0.1, 1.0000000000000002), "option")
    yield from reals("lambda_", (-0.1, 1.0000000000000002), "option")


def mean_options():
    def bad(comment, code, argument, **args):
        return comment, code, argument, {"questions": "sampled", **args}, "option"

    yield bad("an unknown kind of questions", "choice", "questions", questions="random")
    yield bad("questions is a number", "type", "questions", questions=1)
    yield bad("an unknown shape", "choice", "shape", shape="wald")
    yield bad("shape is a number", "type", "shape", shape=2)
    yield bad("a pool smaller than the questions", "range", "pool", pool=1)
    yield bad("a pool of 2.5 questions", "type", "pool", pool=2.5)
    yield bad("a pool of true", "type", "pool", pool=True)
    yield bad("a pool with fixed questions", "conflict", "pool", questions="fixed", pool=10)
    yield bad("clusters with fixed questions", "conflict", "clusters", questions="fixed", clusters=[0, 1])
    yield bad("a pool and clusters", "conflict", "pool", pool=10, clusters=[0, 1])
    yield bad("fewer labels than questions", "length", "clusters", clusters=[0])
    yield bad("more labels than questions", "length", "clusters", clusters=[0, 1, 1])
    for label, why in ((None, "missing"), (1.5, "a fraction"), (True, "a truth value"), ([0], "a list")):
        yield bad(f"a label that is {why}", "type", "clusters", clusters=["a", label])
    yield bad("clusters that are a number", "type", "clusters", clusters=3)
    yield bad("clusters that are text", "type", "clusters", clusters="ab")


def tally_options():
    for bad, why in ((2.5, "a fraction"), (True, "a truth value"), ("2", "text")):
        yield f"C is {why}", "type", "C", {"C": bad}, "option"
    for bad in (0, -1, 65536):
        yield f"C = {bad}", "range", "C", {"C": bad}, "option"
    for bad, why in ((1.5, "a fraction"), ("x", "text"), (True, "a truth value")):
        yield f"missing_code is {why}", "type", "missing_code", {"missing_code": bad}, "option"
    yield "the missing code occurs without a policy", "missing", "R", {"R": {"matrix": [[0, -9], [1, 1]]}, "missing_code": -9}, "missing"


# functions of tally and eval, except IN_MODULES, that allow k above the number of trials
UNBOUNDED_K = ("threshold_spectrum_at_k_ci", "geom_at_k_ci", "geom_ds_at_k_ci", "geo_spectrum_at_k_ci",
          "geo_spectrum_star_at_k_ci", "max_at_k_ci")


def ranks():
    scores = "scores_in_id_order"
    for bad, why in (("abc", "text"), (["a", "b"], "texts"), ([True, 0.5], "truth values among numbers"), (None, "null")):
        yield f"scores that are {why}", "type", scores, {scores: bad}, "option"
    yield "a number for the scores", "shape", scores, {scores: 0.5}, "option"
    yield "scores in two dimensions", "shape", scores, {scores: [[0.5, 0.2], [0.1, 0.3]]}, "option"
    yield "no scores", "empty", scores, {scores: []}, "option"
    for bad in ("nan", "inf", "-inf"):
        yield f"a score is {bad}", "not_finite", scores, {scores: [0.5, bad]}, "option"
    yield from reals("tol", (-1e-300, -1.0), "option")


def refused(function):
    """Refused calls of a function: (comment, code, argument, args, flag); outside tally and eval they come from MODULES."""
    name, params = function["name"], {p["name"] for p in function["params"]}
    if name == "competition_ranks_from_scores":
        yield from ((c, code, arg, {"scores_in_id_order": [0.5, 0.2], **args}, flag) for c, code, arg, args, flag in ranks())
        return
    if function["module"] not in ("tally", "eval") or name in IN_MODULES:
        for module in MODULES:
            yield from import_module(module).refused(function)
        return
    base = {"R": GOOD}
    if "k" in params:
        base["k"] = 1 if name == "threshold_spectrum_at_k" or name == "threshold_spectrum_at_k_ci" else 2
    if "tau" in params:
        base["tau"] = 0.5
    if "weights" in params and not any("default" in p for p in function["params"] if p["name"] == "weights"):
        base["weights"] = [1.0]
    if "questions" in params:
        base["questions"] = "fixed"

    def parts():
        yield from outcomes(name)
        if "k" in params:
            yield from integers(name not in UNBOUNDED_K)
        for p, make in (("w", category_scores), ("R0", prior_outcomes), ("bounds", bounds),
                        ("lam", lam_options), ("pool", mean_options), ("C", tally_options)):
            if p in params:
                yield from make()
        if "tau" in params:
            yield from reals("tau", (-1e-300, 1.0000000000000002, -1.0), "option")
        if "confidence" in params:
            yield from reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval")
        for p in ("alpha0", "beta0"):
            if p in params:
                yield from reals(p, (0.0, -1.0, 9e-101, 1.1e100), "prior")
        if "weights" in params:
            yield from spectrum("weights" in base)
        for p in ("pass_power", "unanimous_power"):
            if p in params:
                yield from reals(p, (), "option")
        if "pass_power" in params:
            yield from blends(name.endswith("_ci"))

    for comment, code, argument, args, flag in parts():
        args = {**base, **args}
        # as many weights as k, so that k is the only fault (a k of 10**30 is refused before the weights are read)
        if name.startswith("threshold_spectrum") and isinstance(args["k"], int) and args["weights"] == [1.0] and 1 < args["k"] < 100:
            args["weights"] = [1.0] + [0.0] * (args["k"] - 1)
        yield comment, code, argument, args, flag


def cases():
    """(name, cases) of every function of functions.json."""
    for function in json.loads((SPEC / "functions.json").read_text())["functions"]:
        label = function["name"].replace(".", "_")
        yield function["name"], [
            {"id": f"{label}-invalid-{i + 1:03d}", "comment": comment, "flags": [flag], "args": args, "error": {"code": code, "argument": argument}}
            for i, (comment, code, argument, args, flag) in enumerate(all_refused(function))]


def all_refused(function):
    """The refused calls of a function from all modules of the oracle; new kinds of faults are appended, so that ids stay."""
    of_function, name = list(refused(function)), function["name"]
    return [*of_function, *invalid_pairing.cases_of(name), *import_module("invalid_intervals").flips(name), *cases_bounds.refused(name, of_function), *refused_k(name, of_function), *import_module("invalid_runs").of_argument(name)]


def notes(cases):
    used = {flag for c in cases for flag in c["flags"]}
    every = {**NOTES, **invalid_pairing.NOTES, **{flag: why for module in MODULES for flag, why in import_module(module).NOTES.items()}}
    return {flag: why for flag, why in every.items() if flag in used}
