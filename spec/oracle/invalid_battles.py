"""Refused calls of the functions of battles."""
from cases_battles import table
from invalid import reals, words
from invalid_rank import booleans

NOTES = {"battles": "the battles are wrong"}
NAMES = ("bradley_terry", "win_probability", "score_test", "next_pair", "battles_needed", "influence")
FINE = table("AB 3 1 2, BA 2 1 4")


def faulty_battles():
    """Faulty battles: (comment, code, battles)."""
    for bad, why in ((0.5, "a number"), ("AB", "text"), (None, "null"), (True, "a truth value")):
        yield f"battles are {why}", "type", bad
    yield "a row that is text", "type", ["ABC"]
    yield "a row of two entries", "length", [["A", "B"]]
    yield "a row of four entries", "length", [["A", "B", "tie", 1]]
    yield "no rows", "empty", []
    yield "empty columns", "empty", {k: [] for k in FINE}
    for name in ("model_a", "model_b", "winner"):
        yield f"no column {name}", "missing", {k: v for k, v in FINE.items() if k != name}
        yield f"{name} is text", "type", {**FINE, name: "AB"}
    for name in ("model_b", "winner", "count"):
        yield f"a short column {name}", "length", {**FINE, name: FINE[name][1:]}
    for bad, why in ((1, "a number"), (None, "null"), (True, "a truth value"), (["A"], "a list")):
        yield f"a model is {why}", "type", {**FINE, "model_b": ["B", "B", bad, "A", "A", "A"]}
        yield f"a winner is {why}", "type", {**FINE, "winner": [bad, *FINE["winner"][1:]]}
    for bad in ("A", "MODEL_A", "", "draw"):
        yield f"a winner {bad!r}", "choice", {**FINE, "winner": [bad, *FINE["winner"][1:]]}
    for bad, code in ((0, "range"), (-1, "range"), (10**12 + 1, "range"), (10**30, "range"), (1.5, "type"), ("1", "type"), (True, "type"), (None, "type")):
        yield f"a count of {bad!r}", code, {**FINE, "count": [bad, *FINE["count"][1:]]}
    for bad, code in ((0, "range"), (0.0, "range"), (-1.5, "range"), (1e101, "range"), (1e-101, "range"), ("inf", "not_finite"), ("nan", "not_finite"), ("1", "type"), (True, "type"), (None, "type")):
        yield f"a weight of {bad!r}", code, {**FINE, "weight": [bad, 1, 1, 1, 1, 1]}
    for name in ("question", "voter"):
        for bad in (0.5, None, True, ["x"]):
            yield f"a {name} is {bad!r}", "type", {**FINE, name: [bad, 1, 1, 1, 1, 1]}
    yield "a model against itself", "conflict", {**FINE, "model_b": ["B", "B", "A", "A", "A", "A"], "model_a": ["A", "A", "A", "B", "B", "B"]}


def refused(function):
    name, params = function["name"], {p["name"] for p in function["params"]}
    if name not in NAMES:
        return
    base = {"battles": FINE} | ({"a": "A", "b": "B"} if "a" in params else {})
    for comment, code, bad in faulty_battles():
        yield comment, code, "battles", {**base, "battles": bad}, "battles"
    for p, bad in (("ties", "bradley"), ("both_bad", "skip"), ("cluster", "model")):
        if p in params:
            yield from ((c, code, q, {**base, **args}, flag) for c, code, q, args, flag in words(p, bad))
    if "position_bias" in params:
        yield from ((c, code, q, {**base, **args}, flag) for c, code, q, args, flag in booleans("position_bias"))
    for p, outside in (("confidence", (0.0, 1.0, -0.5, 95.0)), ("power", (0.4999, 1.0, 80.0)), ("scale", (0.0, -1.0, 9e-4, 1.1e6)),
                       ("base", (1.0, 1.2, 0.0, 1.1e6)), ("init_rating", (1.1e6, -1.1e6))):
        if p in params:
            yield from ((c, code, q, {**base, **args}, flag) for c, code, q, args, flag in reals(p, outside, "option"))
    yield "no battle has a verdict", "empty", "battles", {**base, "battles": table("AB 0 0 0 3"), "both_bad": "drop"}, "battles"
    if "cluster" in params:
        for p, columns in (("question", {}), ("voter", {"question": [1, 1, 2, 2, 3, 3]}), ("both", {"voter": [1, 1, 2, 2, 3, 3]})):
            yield f"clusters of an absent column: {p}", "missing", "battles", {**base, "battles": {**FINE, **columns}, "cluster": p}, "battles"
    for p in ("a", "b", "anchor"):
        if p in params:
            yield f"{p} is not a model", "choice", p, {**base, p: "Z"}, "option"
            yield f"{p} is a number", "type", p, {**base, p: 1}, "option"
    if "a" in params:
        yield "a equals b", "conflict", "b", {**base, "b": "A"}, "option"
        if name != "score_test":
            yield "an unbeaten model", "undefined", "b", {**base, "battles": table("AB 3 0 0")}, "option"
        yield "models of two groups", "undefined", "b", {**base, "battles": table("AB 3 1 2, CD 3 1 2"), "b": "C"}, "option"
    if "position_bias" in params and name != "bradley_terry":
        same = table("AB 3 1 2")  # A is first in every battle
        yield "the position bias is not identified", "undefined", "b" if "a" in params else "battles", {**base, "battles": same, "position_bias": True}, "option"
    if name in ("next_pair", "influence"):
        yield "no model is rated", "undefined", "battles", {"battles": table("AB 3 0 0, BC 2 0 0")}, "battles"
