"""Refused calls of ledgers of builds: gate_builds, alarms, steps, noise_floor."""
from cases_pairing import counts
from invalid import GOOD, HOLE, W, outcomes
from invalid_runs import faulty_runs

NOTES = {
    "builds": "the builds, the pin or the evaluations are wrong, or do not fit to each other",
}
OTHER = {"matrix": [[0, 1, 1, 1], [1, 0, 0, 1]]}
DROP = {"missing": "drop"}
HISTORY = {"models": {"x": GOOD, "y": OTHER}}
BASE = {"gate_builds": {"builds": HISTORY, "pin": GOOD, "margin": 0.1}, "alarms": {"builds": HISTORY, "pin": GOOD}, "steps": {"builds": HISTORY},
        "noise_floor": {"evaluations": HISTORY}}
OF_BUILDS = {"gate_builds": ("builds", "pin"), "alarms": ("builds", "pin"), "steps": ("builds",), "noise_floor": ("evaluations",)}


def among(p, x):
    """Outcomes x as one of two builds, or as the pin."""
    return x if p == "pin" else {"models": {"x": GOOD, "y": x}}


def faulty_builds(name, p):
    """Faults of the builds, of the pin or of evaluations."""
    def bad(comment, code, value, **more):
        return comment, code, p, {**BASE[name], p: value, **more}, "builds"

    for comment, code, argument, args, _ in outcomes(name):
        if argument == "R" and comment not in ("three dimensions", "a question without any trial") and "special" not in args["R"]:
            yield bad(f"one build: {comment}", code, among(p, args["R"]))
    yield bad("a build is an array of objects", "type", among(p, {"special": "object"}))
    yield bad("a build is a scalar", "shape", among(p, {"special": "0d"}))
    yield bad("text", "type", "0110")
    if p != "pin":
        yield bad("builds that are null", "type", None)
    yield bad("no builds", "empty", {"models": {}})
    yield bad("an empty tensor", "empty", {"tensor": []})
    yield bad("one dimension: one question or many?", "shape", {"matrix": [0, 1, 1]})
    yield bad("more questions than the others", "shape", among(p, {"matrix": [[0, 1], [1, 1], [0, 0]]}) if p != "pin" else {"models": {"x": GOOD, "y": {"matrix": [[0, 1], [1, 1], [0, 0]]}}})
    yield bad("a question without a trial, under drop", "missing", among(p, {"matrix": [[0, 1], [None, None]]}), **DROP)
    yield bad("counts with a question without a trial", "missing", among(p, {"counts": [[1, 3], [0, 0]]}))
    yield bad("no trial at all, under drop", "missing", among(p, {"matrix": [[None, None], [None, None]]}), **DROP)
    yield bad("a missing outcome in a tensor", "missing", {"tensor": [GOOD["matrix"], HOLE["matrix"]]})
    yield bad("ids of the second build only", "conflict", {"models": {"x": {"counts": [[1, 3], [2, 2]]}, "y": {"counts": [[1, 3], [2, 2]], "ids": ["a", "b"]}}})
    yield bad("a question that the second build does not have", "missing", {"models": {"x": counts(0), "y": counts(1, [0, 1, 2, 3, 4])}}, **pin_with_ids(name, p))
    yield bad("the same under drop: every build needs every question", "missing", {"models": {"x": counts(0), "y": counts(1, [0, 1, 2, 3, 4])}}, **pin_with_ids(name, p), **DROP)
    if p == "evaluations" or name == "steps":
        yield bad("one build", "length", {"models": {"x": GOOD}})
        yield bad("one build without a name", "length", {"tensor": [GOOD["matrix"]]})
    if p != "pin":
        yield bad("outcomes of one build in the place of builds", "shape", GOOD)


def pin_with_ids(name, p):
    """The other argument with the questions of counts()."""
    if p == "pin":
        return {"builds": {"models": {"x": counts(2)}}}
    return {"pin": counts(2)} if "pin" in BASE[name] else {}


def pair_faults(name):
    """Faults of builds and pin together."""
    def bad(comment, code, argument, builds, pin, **more):
        return comment, code, argument, {**BASE[name], "builds": {"models": {"x": builds}}, "pin": pin, **more}, "builds"

    yield bad("the builds have ids, the pin has none", "conflict", "builds", counts(0), {"counts": counts(1)["counts"]})
    yield bad("the builds lack a question of the pin", "missing", "builds", counts(0, [0, 1, 2]), counts(1))
    yield bad("the pin lacks a question of the builds", "missing", "pin", counts(0), counts(1, [0, 1, 2]))
    yield bad("other questions than the pin, under drop", "missing", "pin", counts(0, [0, 1, 2]), counts(1, [3, 4, 5]), **DROP)
    yield bad("fewer questions than the pin", "shape", "builds", {"matrix": [[0, 1]]}, GOOD)
    if name == "gate_builds":
        yield bad("one trial of one question", "shape", "builds", {"counts": [[0, 1]]}, {"counts": [[1, 1]]})


def real(name, p, outside):
    """Faults of a real option."""
    for value, why in (("half", "text"), (True, "a truth value"), ([0.5], "a list"), (None, "null")):
        yield f"{p} is {why}", "type", p, {**BASE[name], p: value}, "option"
    for value in ("nan", "inf", "-inf"):
        yield f"{p} is {value}", "not_finite", p, {**BASE[name], p: value}, "option"
    for value in outside:
        yield f"{p} = {value!r}", "range", p, {**BASE[name], p: value}, "option"


def scores(name, p):
    """Faults of w."""
    def bad(comment, code, w, **more):
        return comment, code, "w", {**BASE[name], "w": w, **more}, "w"

    yield bad("scores w as text", "type", ["low", "high"])
    yield bad("a truth value among the scores w", "type", [True, 0.5])
    yield bad("scores w in two dimensions", "shape", [[0.0, 1.0], [0.0, 1.0]])
    yield bad("no scores w", "empty", [])
    yield bad("a single score w for binary outcomes", "length", [1.0])
    yield bad("fewer scores w than categories", "length", W, **{p: {"models": {"x": {"matrix": [[0, 1, 2], [1, 1, 0]]}, "y": GOOD}}})
    for value in ("nan", "inf", "-inf"):
        yield bad(f"a score in w is {value}", "not_finite", [0.0, value])
    for value in (1.1e300, -1.1e300):
        yield bad(f"a score in w is {value!r}", "range", [0.0, value])


def policies(name):
    for value, code, why in (("ignore", "choice", "an unknown policy"), ("bounds", "choice", "a policy of bounds"), (0.5, "type", "a policy that is no integer"),
                             (True, "type", "a policy of true"), (-1, "category", "a negative category"), (2, "category", "a category that does not exist")):
        yield f"missing is {why}", code, "missing", {**BASE[name], "missing": value}, "missing"


def runs(name):
    for comment, code, value in faulty_runs():
        yield comment, code, "runs", {**BASE[name], "runs": value}, "runs"
    if name == "gate_builds":
        yield "runs sampled: the builds are tested one by one", "choice", "runs", {**BASE[name], "runs": "sampled"}, "runs"


def refused(function):
    name = function["name"]
    if name not in BASE:
        return
    for p in OF_BUILDS[name]:
        yield from faulty_builds(name, p)
    if "pin" in BASE[name]:
        yield from pair_faults(name)
    if name == "gate_builds":
        yield "the pin is null", "type", "pin", {**BASE[name], "pin": None}, "builds"
        yield from real(name, "margin", (0.0, -0.1, 1.0, 5, 1.0000000000000002))
        yield "a margin of the span of w", "range", "margin", {**BASE[name], "w": [0.0, 0.5], "margin": 0.5}, "option"
        yield "all scores equal: no margin is below the span", "range", "margin", {**BASE[name], "w": [0.5, 0.5], "margin": 0.1}, "option"
    if name == "alarms":
        yield from real(name, "every", (49.99999999999999, 2000.0000000000002, 0, -500))
    if name == "noise_floor":
        yield from real(name, "power", (0.49999999999999994, 1.0, -1.0))
        for value, why in ((2.5, "a fraction"), (2.0, "a whole number as a real"), (True, "a truth value"), ("2", "text")):
            yield f"pooled is {why}", "type", "pooled", {**BASE[name], "pooled": value}, "option"
        for value in (0, -1):
            yield f"pooled = {value}", "range", "pooled", {**BASE[name], "pooled": value}, "option"
        yield "one question", "shape", "evaluations", {"evaluations": {"models": {"x": {"matrix": [[0, 1]]}, "y": {"matrix": [[1, 1]]}}}}, "builds"
    if name != "alarms":
        yield from real(name, "confidence", (0.0, 1.0, -0.5, 95.0))
    yield from scores(name, OF_BUILDS[name][0])
    yield from policies(name)
    if name != "noise_floor":
        yield from runs(name)
