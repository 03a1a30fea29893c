"""Refused calls of answers and scored trials, and of the metrics that choose from them."""
from invalid import GOOD, words

NOTES = {"answers": "the answers, or the data on which of them are right, are wrong", "scored": "the scores or the outcomes of scored trials are wrong"}
FINE = {"answers": {"labels": [["4", "4", "5"], ["x", "y", None]], "correct": ["4", "y"]}}
SCORED = {"scored": {"scores": [[0.5, 0.25, 1], [3, 2, 1]], "R": [[0, 1, 1], [1, 0, 0]]}}


def numbers_of_trials():
    """Faults of k, for questions of three trials."""
    for bad, why in ((2.5, "a fraction"), (True, "a truth value"), ("2", "text"), (None, "null")):
        yield f"k is {why}", "type", "k", {"k": bad}, "k"
    for bad in (0, -1, 10**30, 4):
        yield f"k = {bad}, of 3 trials", "range", "k", {"k": bad}, "k"


def plurality_at_k():
    def bad(comment, code, p, **x):
        return comment, code, p, {"answers": {"answers": x}, "k": 2}, "answers"

    rows, key = FINE["answers"]["labels"], FINE["answers"]["correct"]
    yield "a matrix of outcomes", "type", "answers", {"answers": GOOD, "k": 2}, "answers"
    yield "scored trials", "type", "answers", {"answers": SCORED, "k": 2}, "answers"
    yield bad("labels are text", "type", "labels", labels="4455", correct=key)
    yield bad("no rows", "empty", "labels", labels=[], correct=[])
    yield bad("a row is not a list", "shape", "labels", labels=[["4"], "x"], correct=key)
    for x, why in ((0.5, "a fraction"), (2.0, "a whole number as a real"), (True, "a truth value"), (["4"], "a list")):
        yield bad(f"a label is {why}", "type", "labels", labels=[["4", x], ["x", "y"]], correct=key)
        if why != "a list":
            yield bad(f"a right answer is {why}", "type", "correct", labels=rows, correct=["4", x])
    yield bad("a right answer is null", "type", "correct", labels=rows, correct=["4", None])
    yield bad("right answers are text", "type", "correct", labels=rows, correct="4y")
    yield bad("one right answer, two questions", "length", "correct", labels=rows, correct=["4"])
    yield bad("three right answers, two questions", "length", "correct", labels=rows, correct=["4", "y", "z"])
    yield bad("outcomes of fewer questions", "shape", "R", labels=rows, R=[[1, 1, 0]])
    yield bad("outcomes of fewer trials", "shape", "R", labels=rows, R=[[1, 1, 0], [0, 1]])
    yield bad("an outcome of 2", "category", "R", labels=rows, R=[[1, 1, 2], [0, 1, 0]])
    yield bad("an outcome of one half", "category", "R", labels=rows, R=[[1, 1, 0.5], [0, 1, 0]])
    yield bad("an outcome as text", "type", "R", labels=rows, R=[[1, 1, "0"], [0, 1, 0]])
    yield bad("a missing outcome", "missing", "R", labels=rows, R=[[1, 1, None], [0, 1, 0]])
    yield bad("one answer, two outcomes", "conflict", "R", labels=rows, R=[[1, 0, 0], [0, 1, 0]])
    yield bad("a success without an answer", "conflict", "R", labels=rows, R=[[1, 1, 0], [0, 1, 1]])
    yield bad("a negative count", "range", "right", right=[3, -1], other=[[1], [2]])
    yield bad("a negative count of another answer", "range", "other", right=[3, 1], other=[[1], [-2]])
    yield bad("a count that is a fraction", "type", "right", right=[3, 1.5], other=[[1], [2]])
    yield bad("counts of other answers that are not a list", "shape", "other", right=[3, 1], other=[1, [2]])
    yield bad("counts of other answers for too many questions", "length", "other", right=[3, 1], other=[[1], [2], [3]])
    yield bad("one blank count too few", "length", "blank", right=[3, 1], other=[[1], [2]], blank=[0])
    yield bad("a negative blank count", "range", "blank", right=[3, 1], other=[[1], [2]], blank=[0, -1])
    yield bad("a question with too many trials", "range", "other", right=[3, 10**6], other=[[1], [2]])
    yield "a question without a trial", "no_trials", "answers", {"answers": {"answers": {"right": [3, 0], "other": [[1], []]}}, "k": 2}, "answers"
    for comment, code, p, args, flag in (*numbers_of_trials(), *words("ties", "first", "Even")):
        yield comment, code, p, {"answers": FINE, "k": 2, **args}, flag


def best_of_k():
    def bad(comment, code, p, **x):
        return comment, code, p, {"scored": {"scored": {**SCORED["scored"], **x}}, "k": 2}, "scored"

    yield "a matrix of outcomes", "type", "scored", {"scored": GOOD, "k": 2}, "scored"
    yield "answers", "type", "scored", {"scored": FINE, "k": 2}, "scored"
    yield bad("scores are text", "type", "scores", scores="abc")
    yield bad("no rows", "empty", "scores", scores=[], R=[])
    yield bad("a row is not a list", "shape", "scores", scores=[[1, 2, 3], 4])
    for x, why in (("4", "text"), (True, "a truth value")):
        yield bad(f"a score is {why}", "type", "scores", scores=[[0.5, x, 1], [3, 2, 1]])
    for x in (None, "nan"):
        yield bad(f"a score is {x}", "missing", "scores", scores=[[0.5, x, 1], [3, 2, 1]])
    for x in ("inf", "-inf"):
        yield bad(f"a score is {x}", "not_finite", "scores", scores=[[0.5, x, 1], [3, 2, 1]])
    yield bad("outcomes of fewer questions", "shape", "R", R=[[1, 1, 0]])
    yield bad("outcomes of fewer trials", "shape", "R", R=[[1, 1, 0], [0, 1]])
    yield bad("an outcome of 2", "category", "R", R=[[1, 1, 2], [0, 1, 0]])
    yield bad("an outcome as text", "type", "R", R=[[1, 1, "0"], [0, 1, 0]])
    yield bad("a missing outcome", "missing", "R", R=[[1, 1, None], [0, 1, 0]])
    yield "a question without a trial", "no_trials", "scored", {"scored": {"scored": {"scores": [[1], []], "R": [[1], []]}}, "k": 1}, "scored"
    for comment, code, p, args, flag in numbers_of_trials():
        yield comment, code, p, {"scored": SCORED, "k": 2, **args}, flag


def metric_faults(arguments, p):
    """Faults of the metrics of answers and scores. arguments(x): those that carry the outcomes x; p: the first of them."""
    for metric, x in (("plurality_at_k", FINE), ("strict-plurality@k", FINE), ("best-of-k", SCORED)):
        yield f"{metric} of a matrix of outcomes", "type", p, {**arguments(GOOD), "metric": metric, "k": 2}, "metric"
        yield f"{metric} without k", "type", "k", {**arguments(x), "metric": metric}, "metric"
        yield f"{metric}, k above the trials", "range", "k", {**arguments(x), "metric": metric, "k": 4}, "k"
        for name, value in (("tau", 0.5), ("w", [0.0, 1.0])):
            yield f"{name} for {metric}", "conflict", name, {**arguments(x), "metric": metric, "k": 2, name: value}, "metric"
    yield "plurality_at_k of scored trials", "type", p, {**arguments(SCORED), "metric": "plurality_at_k", "k": 2}, "metric"
    yield "best_of_k of answers", "type", p, {**arguments(FINE), "metric": "best_of_k", "k": 2}, "metric"


def one_sample(more):
    for comment, code, p, args, flag in metric_faults(lambda x: {"R": x}, "R"):
        yield comment, code, p, {"questions": "fixed", **more, **args}, flag


def compare():
    for comment, code, p, args, flag in metric_faults(lambda x: {"A": x, "B": SCORED if x is SCORED else FINE}, "A"):
        yield comment, code, p, {"questions": "fixed", **args}, flag
    for metric, x, bad in (("plurality_at_k", FINE, GOOD), ("plurality_at_k", FINE, SCORED), ("best_of_k", SCORED, FINE)):
        yield f"{metric} of the wrong B", "type", "B", {"questions": "fixed", "metric": metric, "k": 2, "A": x, "B": bad}, "metric"
    two = {"answers": {"right": [1, 2], "other": [[2], [1]]}}
    yield "B has fewer questions, as answers", "shape", "B", {"questions": "fixed", "metric": "plurality_at_k", "k": 2, "A": two, "B": {"answers": {"right": [2], "other": [[1]]}}}, "metric"


def refused(function):
    yield from {"plurality_at_k": plurality_at_k, "best_of_k": best_of_k, "interval": lambda: one_sample({}), "prob_above": lambda: one_sample({"t": 0.5}),
                "compare": compare}.get(function["name"], tuple)()
