"""Refused calls of counts with ids and clusters, which all_refused of invalid.py appends."""
from cases_pairing import DROP, GROUPS, SHUFFLED, counts

NOTES = {"ids": "the ids of the questions, or the clusters that the counts carry, do not fit"}
OTHER = ["y", "x", "y", "y", "z", "z"]  # clusters that contradict GROUPS
PLAIN = {"counts": counts(1)["counts"]}


def faulty_counts(p, rest):
    """Faulty ids and clusters, from which no counts can be made: (comment, code, argument, args)."""
    def bad(comment, code, argument, **x):
        return comment, code, argument, {**rest, p: {"counts": [[1, 3], [2, 2]], **x}}

    yield bad("two equal ids", "duplicate", "ids", ids=["a", "a"])
    yield bad("an integer and the text of its digits", "duplicate", "ids", ids=[1, "1"])
    yield bad("an empty id", "missing", "ids", ids=["a", ""])
    yield bad("a blank id", "missing", "ids", ids=[" \t\n", "a"])
    yield bad("one id too few", "length", "ids", ids=["a"])
    for x in (None, True, 0.5, ["a"]):
        yield bad(f"an id that is {x}", "type", "ids", ids=["a", x])
    for x in ("ab", 3, True):
        yield bad(f"ids that are {x}", "type", "ids", ids=x)
    yield bad("one cluster too few", "length", "clusters", clusters=["a"])
    yield bad("a cluster that is a fraction", "type", "clusters", clusters=["a", 0.5])
    yield bad("clusters that are a number", "type", "clusters", clusters=3)


def pair_faults(call, arguments, takes_questions):
    """Faults of two models in combination. call(a, b, more): the arguments; arguments: the names in errors.

    takes_questions: whether `questions` is an argument; only then there are faults of `missing` and of clusters.
    """
    p, q = arguments
    yield "the second has no ids", "conflict", q, call(counts(0), PLAIN, {})
    yield "the first has no ids", "conflict", q, call(PLAIN, counts(0), {})
    yield "a matrix has no ids", "conflict", q, call(counts(0), {"matrix": [[0, 1, 1, 1]] * 6}, {})
    yield "a question that the second does not have", "missing", q, call(counts(0), counts(1, [0, 1, 2, 3, 4]), {})
    yield "a question that the first does not have", "missing", p, call(counts(0, [0, 1, 2, 3, 4]), counts(1, SHUFFLED), {})
    yield "no shared question", "missing", p, call(counts(0, [0, 1, 2]), counts(1, [3, 4, 5]), {})
    if takes_questions:
        yield "a missing question cannot count as a category", "missing", q, call(counts(0), counts(1, [0, 1, 2, 3, 4]), {"missing": 0})
        yield "no shared question is left", "no_trials", p, call(counts(0, [0, 1, 2]), counts(1, [3, 4, 5]), DROP)
        yield "clusters that contradict each other", "conflict", q, call(counts(0, clusters=GROUPS), counts(1, SHUFFLED, clusters=OTHER), {"questions": "sampled"})
        yield "clusters that contradict each other, without ids", "conflict", q, call(counts(0, ids=None, clusters=GROUPS), counts(1, ids=None, clusters=OTHER), {"questions": "sampled"})


def paired(p, q, **base):
    yield from pair_faults(lambda a, b, more: {**base, p: a, q: b, **more}, (p, q), takes_questions="questions" in base)


def triple_faults(**base):
    """A fault of three models: only one has clusters, and it lacks questions that the two others share."""
    more = {"models": {"models": {"u": counts(0, [0, 1, 2, 3], clusters=GROUPS), "v": counts(1), "w": counts(2)}}, "questions": "sampled", **DROP}
    yield "a pair with a question whose cluster no model gives", "conflict", "clusters", {**base, **more}


def models(**base):
    yield from pair_faults(lambda a, b, more: {**base, "models": {"models": {"u": a, "v": b}}, **more}, ("models", "models"), takes_questions=True)
    yield from triple_faults(**base)


def suites():
    def call(a, b, more):
        return {"benchmarks": {"benchmarks": {"s": {"models": {"u": a, "v": b}}}}, "questions": "fixed", **more}
    yield from pair_faults(call, ("benchmarks", "benchmarks"), takes_questions=True)


def gates():
    yield from pair_faults(lambda a, b, more: {"candidate": {"benchmarks": {"s": a}}, "baseline": {"benchmarks": {"s": b}}, "margin": 0.1, "questions": "fixed", **more},
                           ("candidate", "baseline"), takes_questions=True)


def unpaired(p, q, **base):
    a = counts(0, clusters=GROUPS)
    yield "clusters of counts on different questions", "conflict", "clusters", {**base, p: a, q: counts(1), "questions": "sampled", "paired": False}


def pooled(**base):
    yield "clusters of the counts, and a pool", "conflict", "pool", {"R": counts(0, clusters=GROUPS), "questions": "sampled", "pool": 9, **base}


def ranks():
    yield from pair_faults(lambda a, b, more: {"R": {"models": {"u": a, "v": b}}, **more}, ("R", "R"), takes_questions=False)
    yield "a question that one model does not have, under drop", "missing", "R", {"R": {"models": {"u": counts(0), "v": counts(1, [0, 1, 2])}}, **DROP}


FIXED = {"questions": "fixed"}
CASES = {
    "tally": lambda: faulty_counts("R", {}),
    "compare": lambda: (*faulty_counts("B", {"A": PLAIN, **FIXED}), *paired("A", "B", **FIXED), *unpaired("A", "B")),
    "changes": lambda: paired("old", "new"), "certificate": lambda: paired("A", "B"),
    "gate": lambda: (*paired("candidate", "baseline", margin=0.1, **FIXED), *unpaired("candidate", "baseline", margin=0.1)),
    "compare_all": lambda: models(**FIXED), "ranges": lambda: models(**FIXED), "winners": lambda: models(**FIXED),
    "suite": suites, "gate_suite": gates,
    "interval": pooled, "mean_ci": pooled, "prob_above": lambda: pooled(t=0.4),
    "questions_needed": lambda: paired("R", "R_b"), "trials_needed": lambda: paired("R", "R_b"),
    "bayes": lambda: paired("R", "R0"), "bayes_ci": lambda: paired("R", "R0"), "rank.bayes": ranks,
}


def cases_of(name):
    """Refused calls with ids or clusters in counts: (comment, code, argument, args, flag); none for many functions."""
    for case in CASES[name]() if name in CASES else ():
        yield *case, "ids"
