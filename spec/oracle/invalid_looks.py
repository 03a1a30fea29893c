"""Refused calls of boundaries, e_value, pair_e_value and gate."""
from invalid import GOOD, reals, words
from invalid_intervals import metric_options
from invalid_rank import booleans, numbers
from invalid_sinf import one_of_two

NOTES = {"list": "a list of numbers is wrong"}


def boundaries():
    base = {"fractions": [0.5, 1.0]}
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in
                (*numbers("fractions"), *reals("confidence", (0.0, 0.49, 0.9999999999999, 1.0, -0.95), "option"),
                 *words("spending", "OBrien-Fleming", "haybittle-peto")))
    for bad in ([0.5, 0.5], [0.5, 0.25], [0.25, 0.75, 0.7], [1.0, 1.0]):
        yield f"fractions {bad}", "order", "fractions", {"fractions": bad}, "list"
    for bad in ([0.0, 1.0], [-0.5, 1.0], [0.5, 1.5], [1.0000000000000002], [0.003], [0.5, 0.5039]):
        yield f"fractions {bad}", "range", "fractions", {"fractions": bad}, "list"


def e_value():
    base = {"z": 1.0, "f": 1.0}
    yield from ((c, code, p, {**base, **args}, flag) for c, code, p, args, flag in
                (*reals("z", (), "option"), *reals("f", (0.0, "-0.0", -1.0), "option"),
                 *reals("confidence", (0.0, 0.49, 0.9999999999999, 1.0, -0.95), "option")))


def pair_e_value():
    base = {"wins": 3, "losses": 2}
    for p in base:
        for bad, why in ((2.5, "a fraction"), (2.0, "a whole number as a real"), (True, "a truth value"), ("2", "text"), (None, "null")):
            yield f"{p} is {why}", "type", p, {**base, p: bad}, "option"
        for bad in (-1, 10**7 + 1, 10**30):
            yield f"{p} = {bad}", "range", p, {**base, p: bad}, "option"
    yield "too many pairs in total", "range", "losses", {"wins": 6 * 10**6, "losses": 5 * 10**6}, "option"


def gate():
    base = {"candidate": GOOD, "baseline": GOOD, "margin": 0.1, "questions": "fixed"}
    for p in ("candidate", "baseline"):
        for comment, code, q, args, flag in one_of_two(p, base):
            if p == "candidate" or q == "baseline":  # one_of_two puts outcomes in the place of the margin, too
                yield comment, code, q, {**args, "margin": 0.1}, flag
    yield "no trial is left", "no_trials", "candidate", {**base, "candidate": {"matrix": [[None, None]] * 2}, "missing": "drop"}, "option"
    yield "the baseline has fewer questions", "shape", "baseline", {**base, "baseline": {"matrix": [[0, 1, 1]]}}, "option"
    yield "one question, and the variance between questions is needed", "shape", "candidate", \
        {**base, "candidate": {"matrix": [[0, 1]]}, "baseline": {"matrix": [[0, 1]]}, "questions": "sampled"}, "option"
    for c, code, p, args, flag in (*reals("margin", (0.0, "-0.0", -0.1, 1.0, 2.0), "option"), *reals("confidence", (0.0, 1.0, -0.5, 95.0), "interval"), *reals("guard", (-0.1, 1.5), "option"),
                                   *reals("power", (0.4999, 1.0, 80.0), "option"), *words("questions", "random"), *words("spending", "haybittle-peto"),
                                   *booleans("paired"), *words("model", "uniform")):
        yield c, code, p, {**base, **args}, flag
    yield "a margin where all scores are equal", "range", "margin", {**base, "w": [0.5, 0.5]}, "option"
    yield "different fixed questions", "conflict", "paired", {**base, "paired": False}, "option"
    yield "clusters of fixed questions", "conflict", "clusters", {**base, "clusters": [0, 1]}, "option"
    yield "one cluster too few", "length", "clusters", {**base, "questions": "sampled", "clusters": [0]}, "option"
    yield "k above the number of trials", "range", "k", {**base, "metric": "pass@k", "k": 5}, "k"
    for c, code, p, args, flag in numbers("looks", null=False):
        yield c, code, p, {**base, **args}, flag
    for bad, code in (([0.5, 0.5], "order"), ([0.5, 0.25], "order"), ([0.0, 1.0], "range"), ([0.5, 1.5], "range"), ([0.5, 0.5039], "range")):
        yield f"looks {bad}", code, "looks", {**base, "looks": bad}, "list"
    for c, code, p, args, flag in metric_options(lambda matrix: {"candidate": {"matrix": matrix}, "baseline": {"matrix": matrix}}):
        if "a single score" not in c:  # the margin is then wrong too
            yield c, code, p, {"margin": 0.1, "questions": "fixed", **args}, flag
    for bad in (0.25, 0.9999999999999999):
        yield f"looks at confidence {bad}", "range", "confidence", {**base, "looks": [0.5, 1.0], "confidence": bad}, "interval"


def refused(function):
    yield from {"boundaries": boundaries, "e_value": e_value, "pair_e_value": pair_e_value, "gate": gate}.get(function["name"], tuple)()
