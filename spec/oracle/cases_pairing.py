"""Cases of counts with ids and clusters, written after the other cases of a function."""

IDS = ["a", "b", "c", "d", "e", "f"]
GROUPS = ["x", "x", "y", "y", "z", "z"]
ROWS = [[[1, 3], [2, 2], [4, 0], [3, 1], [0, 4], [2, 2]], [[0, 4], [1, 3], [3, 1], [2, 2], [0, 4], [3, 1]],
        [[2, 2], [1, 3], [4, 0], [4, 0], [1, 3], [2, 2]]]
SHUFFLED = [4, 2, 0, 5, 3, 1]
DROP = {"missing": "drop"}
BOTH = {"questions": "fixed"}, {"questions": "sampled"}


def counts(model, rows=range(6), ids=IDS, clusters=None):
    """Counts of these rows (questions) of a model, in this order."""
    x = {"counts": [ROWS[model][i] for i in rows]}
    if ids:
        x["ids"] = [ids[i] for i in rows]
    return x | ({"clusters": [clusters[i] for i in rows]} if clusters else {})


def several():
    """Cases of three models on paired questions: (comment, flags, outcomes, further arguments); clusters count only if sampled."""
    yield "ids in one order", [], [counts(m) for m in range(3)], {}
    yield "ids in three orders", [], [counts(0), counts(1, SHUFFLED), counts(2, SHUFFLED[::-1])], {}
    yield "integers as ids, and the texts of their digits", [], \
        [counts(0, ids=[10, 11, 12, 13, 14, 15]), counts(1, SHUFFLED, ["10", "11", "12", "13", "14", "15"]), counts(2, ids=[10, "11", 12, "13", 14, "15"])], {}
    yield "questions that not all have are left out of a pair", ["missing"], [counts(0, [0, 1, 2, 3, 4]), counts(1, [5, 4, 3, 2, 1]), counts(2, SHUFFLED)], DROP
    yield "texts that look like numbers are ids as they stand", [], \
        [counts(0, ids=["nan", "inf", "-0.0", "1234567890123456789", "1", "01"]), counts(1, SHUFFLED, ["nan", "inf", "-0.0", "1234567890123456789", "1", "01"]),
         counts(2, SHUFFLED, ["nan", "inf", "-0.0", "1234567890123456789", "1", "01"])], {}
    yield "clusters of the first", ["clusters"], [counts(0, clusters=GROUPS), counts(1, SHUFFLED), counts(2)], {}
    yield "clusters of the second and the third", ["clusters"], [counts(0), counts(1, SHUFFLED, clusters=GROUPS), counts(2, clusters=GROUPS)], {}
    yield "clusters of counts without ids", ["clusters"], [counts(0, ids=None, clusters=GROUPS), counts(1, ids=None), counts(2, ids=None, clusters=GROUPS)], {}
    yield "clusters, and questions that are left out", ["clusters", "missing"], \
        [counts(0, [0, 1, 2, 4], clusters=GROUPS), counts(1, SHUFFLED, clusters=GROUPS), counts(2, SHUFFLED[::-1], clusters=[1] * 6) | {"clusters": [GROUPS[i] for i in SHUFFLED[::-1]]}], DROP
    yield "clusters=False leaves those of the counts out", ["clusters"], [counts(0, clusters=GROUPS), counts(1, SHUFFLED), counts(2)], {"clusters": False}


def replacing():
    """Cases with stated clusters that replace those of the counts, in the order of the first model's questions."""
    yield "stated clusters replace those of the counts", ["clusters"], [counts(0, clusters=GROUPS), counts(1, SHUFFLED), counts(2)], \
        {"clusters": [0, 1, 1, 0, 2, 2]}


def pairs(p, q, **more):
    for target in BOTH:
        for comment, flags, (a, b, _), rest in [*several(), *(replacing() if target["questions"] == "sampled" else ())]:
            yield f"{target['questions']}: {comment}", flags, {p: a, q: b, **target, **more, **rest}
    yield "Pass@2", [], {p: counts(0), q: counts(1, SHUFFLED), "metric": "pass_at_k", "k": 2, "questions": "sampled", **more}


def runs():
    for comment, flags, (a, b, _), rest in several():
        if "clusters" not in rest:
            yield comment, flags, {"old": a, "new": b, "fdr": 0.5, **rest}


def certified():
    for comment, flags, (a, b, _), rest in several():
        if "clusters" not in rest:
            yield comment, flags, {"A": a, "B": b, **rest}


def models(**more):
    for target in BOTH:
        for comment, flags, three, rest in [*several(), *(replacing() if target["questions"] == "sampled" else ())]:
            yield f"{target['questions']}: {comment}", ["mapping", *flags], {"models": {"models": dict(zip("uvw", three))}, **target, **more, **rest}


def suites():
    for target in BOTH:
        for comment, flags, (a, b, c), rest in several():
            yield f"{target['questions']}: {comment}", ["suite", *flags], \
                {"benchmarks": {"benchmarks": {"s": {"models": {"u": a, "v": b}}, "t": {"models": {"u": c, "v": b, "w": a}}}}, **target, **rest}
    yield "sampled: stated clusters of one benchmark, those of the counts in the other", ["suite", "clusters"], \
        {"benchmarks": {"benchmarks": {b: {"models": {"u": counts(0, clusters=GROUPS), "v": counts(1, SHUFFLED)}} for b in "st"}},
         "clusters": {"s": [0, 1, 1, 0, 2, 2], "t": GROUPS}, "questions": "sampled"}


def gates():
    for target in BOTH:
        for comment, flags, (a, b, c), rest in several():
            yield f"{target['questions']}: {comment}", ["suite", *flags], \
                {"candidate": {"benchmarks": {"s": a, "t": c}}, "baseline": {"benchmarks": {"s": b, "t": a}}, "margin": 0.15, **target, **rest}


def single(**more):
    for comment, flags, x, rest in (("ids alone change nothing", [], counts(0, SHUFFLED), {}), ("clusters of the counts", ["clusters"], counts(0, clusters=GROUPS), {}),
                                    ("clusters without ids", ["clusters"], counts(0, ids=None, clusters=[1, 1, 2, 2, 3, 3]), {}),
                                    ("clusters=False leaves those of the counts out", ["clusters"], counts(0, clusters=GROUPS), {"clusters": False}),
                                    ("stated clusters replace those of the counts", ["clusters"], counts(0, clusters=GROUPS), {"clusters": [0, 1, 1, 0, 2, 2]})):
        yield comment, flags, {"R": x, **more, **rest}


def fixed_single(**more):
    yield "clusters of the counts do not count on fixed questions", ["clusters"], {"R": counts(0, clusters=GROUPS), "questions": "fixed", **more}
    yield "clusters=False on fixed questions", ["clusters"], {"R": counts(0, clusters=GROUPS), "questions": "fixed", "clusters": False, **more}


def priors(**more):
    yield "prior outcomes of the same questions in another order", ["prior"], {"R": counts(0), "R0": counts(1, SHUFFLED), **more}
    yield "prior outcomes, integers as ids", ["prior"], {"R": counts(0, ids=list(range(6))), "R0": counts(1, SHUFFLED, list(range(6))), **more}


def ranked(**more):
    for comment, flags, three, rest in several():
        if not rest:
            yield comment, ["mapping", *flags], {"R": {"models": dict(zip("uvw", three))}, **more}
    yield "prior outcomes in another order", ["mapping", "prior"], {"R": {"models": {"u": counts(0), "v": counts(1, SHUFFLED)}}, "R0": counts(2, SHUFFLED), **more}


def needed():
    """Cases of trials_needed, which takes no clusters, and questions_needed, which always uses them."""
    for comment, flags, (a, b, _), rest in several():
        if "clusters" not in rest:
            yield comment, ["needed", *flags], {"R": a, "R_b": b, **rest}


def analysed():
    for comment, flags, three, rest in several():
        if "clusters" not in rest:
            yield comment, ["mapping", *flags], {"models": {"models": dict(zip("uvw", three))}, **rest}


CASES = {
    "compare": lambda: pairs("A", "B"),
    "gate": lambda: pairs("candidate", "baseline", margin=0.1),
    "compare_all": models, "ranges": models, "winners": models,
    "suite": suites, "gate_suite": gates,
    "interval": lambda: (*single(questions="sampled"), *fixed_single()),
    "mean_ci": lambda: (*single(questions="sampled"), *fixed_single()),
    "prob_above": lambda: (*single(t=0.4, questions="sampled"), *fixed_single(t=0.4)),
    "questions_needed": lambda: (*needed(), *(("one model: " + c, ["needed", *f], x) for c, f, x in single(half_width=0.1))),
    "trials_needed": needed,
    "bayes": priors, "bayes_ci": priors, "rank.bayes": lambda: ranked(return_scores=True),
    "items": analysed,
    "changes": runs, "certificate": certified,
}


def cases_of(name):
    """Cases of a function with such counts: (comment, flags, args); empty for some functions."""
    for comment, flags, args in CASES[name]() if name in CASES else ():
        yield comment, ["ids", *flags], args
