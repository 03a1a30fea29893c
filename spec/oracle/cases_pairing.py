"""Cases of counts with ids and clusters, which write.py adds to the other cases of a function."""

IDS = ["a", "b", "c", "d", "e", "f"]
GROUPS = ["x", "x", "y", "y", "z", "z"]
# failures and successes of six questions, for each of three models
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


def three_models():
    """Cases of three models on paired questions: (comment, flags, outcomes, further arguments)."""
    yield "ids in one order", [], [counts(m) for m in range(3)], {}
    yield "ids in three orders", [], [counts(0), counts(1, SHUFFLED), counts(2, SHUFFLED[::-1])], {}
    yield "integers as ids, and the texts of their digits", [], \
        [counts(0, ids=[10, 11, 12, 13, 14, 15]), counts(1, SHUFFLED, ["10", "11", "12", "13", "14", "15"]), counts(2, ids=[10, "11", 12, "13", 14, "15"])], {}
    yield "a pair leaves out the questions that one of its two models does not have", ["missing"], [counts(0, [0, 1, 2, 3, 4]), counts(1, [5, 4, 3, 2, 1]), counts(2, SHUFFLED)], DROP
    yield "ids that look like numbers are texts", [], \
        [counts(0, ids=["nan", "inf", "-0.0", "1234567890123456789", "1", "01"]), counts(1, SHUFFLED, ["nan", "inf", "-0.0", "1234567890123456789", "1", "01"]),
         counts(2, SHUFFLED, ["nan", "inf", "-0.0", "1234567890123456789", "1", "01"])], {}
    yield "clusters of the first model", ["clusters"], [counts(0, clusters=GROUPS), counts(1, SHUFFLED), counts(2)], {}
    yield "clusters of the second and the third model", ["clusters"], [counts(0), counts(1, SHUFFLED, clusters=GROUPS), counts(2, clusters=GROUPS)], {}
    yield "clusters of counts without ids", ["clusters"], [counts(0, ids=None, clusters=GROUPS), counts(1, ids=None), counts(2, ids=None, clusters=GROUPS)], {}
    yield "clusters, and questions that are left out", ["clusters", "missing"], \
        [counts(0, [0, 1, 2, 4], clusters=GROUPS), counts(1, SHUFFLED, clusters=GROUPS), counts(2, SHUFFLED[::-1], clusters=GROUPS)], DROP
    yield "clusters=False ignores the clusters of the counts", ["clusters"], [counts(0, clusters=GROUPS), counts(1, SHUFFLED), counts(2)], {"clusters": False}


def replaced_clusters():
    """Cases with given clusters that replace those of the counts, in the order of the first model's questions."""
    yield "given clusters replace those of the counts", ["clusters"], [counts(0, clusters=GROUPS), counts(1, SHUFFLED), counts(2)], \
        {"clusters": [0, 1, 1, 0, 2, 2]}


def pair_cases(p, q, **more):
    for target in BOTH:
        for comment, flags, (a, b, _), rest in [*three_models(), *(replaced_clusters() if target["questions"] == "sampled" else ())]:
            yield f"{target['questions']}: {comment}", flags, {p: a, q: b, **target, **more, **rest}
    yield "Pass@2", [], {p: counts(0), q: counts(1, SHUFFLED), "metric": "pass_at_k", "k": 2, "questions": "sampled", **more}


def change_cases():
    for comment, flags, (a, b, _), rest in three_models():
        if "clusters" not in rest:
            yield comment, flags, {"old": a, "new": b, "fdr": 0.5, **rest}


def certificate_cases():
    for comment, flags, (a, b, _), rest in three_models():
        if "clusters" not in rest:
            yield comment, flags, {"A": a, "B": b, **rest}


def model_cases(**more):
    for target in BOTH:
        for comment, flags, three, rest in [*three_models(), *(replaced_clusters() if target["questions"] == "sampled" else ())]:
            yield f"{target['questions']}: {comment}", ["mapping", *flags], {"models": {"models": dict(zip("uvw", three))}, **target, **more, **rest}


def suite_cases():
    for target in BOTH:
        for comment, flags, (a, b, c), rest in three_models():
            yield f"{target['questions']}: {comment}", ["suite", *flags], \
                {"benchmarks": {"benchmarks": {"s": {"models": {"u": a, "v": b}}, "t": {"models": {"u": c, "v": b, "w": a}}}}, **target, **rest}
    yield "sampled: clusters given for both benchmarks, in one of them those of its counts", ["suite", "clusters"], \
        {"benchmarks": {"benchmarks": {b: {"models": {"u": counts(0, clusters=GROUPS), "v": counts(1, SHUFFLED)}} for b in "st"}},
         "clusters": {"s": [0, 1, 1, 0, 2, 2], "t": GROUPS}, "questions": "sampled"}


def gate_cases():
    for target in BOTH:
        for comment, flags, (a, b, c), rest in three_models():
            yield f"{target['questions']}: {comment}", ["suite", *flags], \
                {"candidate": {"benchmarks": {"s": a, "t": c}}, "baseline": {"benchmarks": {"s": b, "t": a}}, "margin": 0.15, **target, **rest}


def one_model_cases(**more):
    for comment, flags, x, rest in (("ids alone change nothing", [], counts(0, SHUFFLED), {}), ("clusters of the counts", ["clusters"], counts(0, clusters=GROUPS), {}),
                                    ("clusters without ids", ["clusters"], counts(0, ids=None, clusters=[1, 1, 2, 2, 3, 3]), {}),
                                    ("clusters=False ignores the clusters of the counts", ["clusters"], counts(0, clusters=GROUPS), {"clusters": False}),
                                    ("given clusters replace those of the counts", ["clusters"], counts(0, clusters=GROUPS), {"clusters": [0, 1, 1, 0, 2, 2]})):
        yield comment, flags, {"R": x, **more, **rest}


def fixed_question_cases(**more):
    yield "clusters of the counts are not used on fixed questions", ["clusters"], {"R": counts(0, clusters=GROUPS), "questions": "fixed", **more}
    yield "clusters=False on fixed questions", ["clusters"], {"R": counts(0, clusters=GROUPS), "questions": "fixed", "clusters": False, **more}


def prior_cases(**more):
    yield "prior outcomes of the same questions in another order", ["prior"], {"R": counts(0), "R0": counts(1, SHUFFLED), **more}
    yield "prior outcomes, integers as ids", ["prior"], {"R": counts(0, ids=list(range(6))), "R0": counts(1, SHUFFLED, list(range(6))), **more}


def rank_cases(**more):
    for comment, flags, three, rest in three_models():
        if not rest:
            yield comment, ["mapping", *flags], {"R": {"models": dict(zip("uvw", three))}, **more}
    yield "prior outcomes in another order", ["mapping", "prior"], {"R": {"models": {"u": counts(0), "v": counts(1, SHUFFLED)}}, "R0": counts(2, SHUFFLED), **more}


def sample_size_cases():
    """Cases of trials_needed, which takes no clusters, and questions_needed, which uses those of the counts."""
    for comment, flags, (a, b, _), rest in three_models():
        if "clusters" not in rest:
            yield comment, ["needed", *flags], {"R": a, "R_b": b, **rest}


def item_cases():
    for comment, flags, three, rest in three_models():
        if "clusters" not in rest:
            yield comment, ["mapping", *flags], {"models": {"models": dict(zip("uvw", three))}, **rest}


CASES = {
    "compare": lambda: pair_cases("A", "B"),
    "gate": lambda: pair_cases("candidate", "baseline", margin=0.1),
    "compare_all": model_cases, "ranges": model_cases, "winners": model_cases,
    "suite": suite_cases, "gate_suite": gate_cases,
    "interval": lambda: (*one_model_cases(questions="sampled"), *fixed_question_cases()),
    "mean_ci": lambda: (*one_model_cases(questions="sampled"), *fixed_question_cases()),
    "prob_above": lambda: (*one_model_cases(t=0.4, questions="sampled"), *fixed_question_cases(t=0.4)),
    "questions_needed": lambda: (*sample_size_cases(), *(("one model: " + c, ["needed", *f], x) for c, f, x in one_model_cases(half_width=0.1))),
    "trials_needed": sample_size_cases,
    "bayes": prior_cases, "bayes_ci": prior_cases, "rank.bayes": lambda: rank_cases(return_scores=True),
    "items": item_cases,
    "changes": change_cases, "certificate": certificate_cases,
}


def cases_of(name):
    """Cases of a function with counts that carry ids or clusters: (comment, flags, args); empty for some functions."""
    for comment, flags, args in CASES[name]() if name in CASES else ():
        yield comment, ["ids", *flags], args
