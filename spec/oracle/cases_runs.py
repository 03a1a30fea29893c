"""Cases of runs: run_variation, and the argument `runs` of intervals, comparisons, ranks, suites and gates."""
from random import Random

from cases import recipe

EXAMPLE = [[1, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 1]]
W3, W5 = [0.0, 0.5, 1.0], [0.0, 0.2, 0.5, 0.9, 1.0]
LARGEST_RATIO = 1e300


def matrix(*rows):
    """Rows of digits; a dot is a missing outcome."""
    return {"matrix": [[None if x == "." else int(x) for x in row] for row in rows]}


def drawn(rng, M, N, shift=0.0, C=1, missing=0.0):
    """M questions of N runs; every run shifts the chance of all questions by one number."""
    shifts, chances = [rng.uniform(-shift, shift) for _ in range(N)], [rng.uniform(0.1, 0.9) for _ in range(M)]

    def outcome(p):
        return None if rng.random() < missing else sum(rng.random() < p for _ in range(C))
    return {"matrix": [[outcome(p + s) for s in shifts] for p in chances]}


def named(*each):
    return {"models": dict(zip("abcdef", each))}


# ---------------------------------------------------------------- run_variation

HOLES = matrix("101.", ".110", "0011", "1.01", "....", "11.0")
SHORT = matrix("1010", "01", "1", "0011", "110")
APART = matrix("1100", "1101", "1000", "0100", "1110")  # the first two runs are better
FLAT = matrix("1010", "0101", "1001", "0110")  # all runs have the same sum
CALM = matrix("111", "000", "111")  # no question varies
ONCE = matrix("1..", ".0.", "..1", "101", "011", "110")  # questions with one trial


def run_variation():
    def case(comment, R, *flags, **args):
        return comment, list(flags) or ["plain"], {"R": R, **args}

    drop = {"missing": "drop"}
    yield case("the example of families/runs.md: ratio 2, df 3", {"matrix": EXAMPLE}, "golden")
    yield case("runs that are all equally good: ratio 0", FLAT, "exact-zero")
    yield case("two runs, equally good: ratio 0", matrix("10", "01", "11"), "exact-zero")
    yield case("two runs", matrix("10", "11", "10", "01", "10"))
    yield case("two runs, one better on every question that varies: two equal |z|, the first is named", matrix("10", "10", "10", "11", "00"), "ties")
    yield case("two equal |z| of opposite sign, not in the first run", matrix("0101", "0110", "1100", "1110"), "ties")
    yield case("runs that differ much", APART)
    yield case("one run fails everywhere", matrix(*["1101"] * 12))
    yield case("one run fails everywhere, many questions: a tiny p-value", matrix(*["11101"] * 150), "large")
    yield case("two runs, one fails everywhere: a tiny p-value", matrix(*["10"] * 200), "large")
    yield case("a ratio just below 1", matrix("0110", "1010", "1011", "0001"))
    yield case("no question varies: the defaults", CALM, "boundary", "sigma-zero")
    yield case("one question varies, h = 1: ratio 1, p-value 1", matrix("110", "000", "111"), "boundary")
    yield case("one question varies, the runs of others are incomplete", matrix("1101", "00..", "1.11"), "boundary", "missing", **drop)
    yield case("one question varies, two sessions: h = 1, ratio 3", matrix("1100", "1111"), "boundary", "sessions", sessions=["x", "x", "y", "y"])
    yield case("two questions vary alike", matrix("110", "110", "000"))
    yield case("two questions vary against each other: ratio 0", matrix("10", "01", "00"), "exact-zero")
    yield case("a large matrix by recipe", recipe(200, 16, 981), "large")
    yield case("a small matrix by recipe", recipe(10, 5, 982))
    yield case("fifty runs of few questions", recipe(4, 50, 983), "large")
    yield case("one question varies little beside others: h is near 1", {"matrix": [[1, 0, 1, 0] * 16, [1] * 63 + [0], [0] * 64]}, "large")
    for policy in ("drop", 0, 1):
        yield case(f"missing outcomes, {policy!r}", HOLES, "missing", missing=policy)
        yield case(f"rows of unequal length, {policy!r}", SHORT, "ragged", missing=policy)
    yield case("questions with one trial beside others", ONCE, "missing", **drop)
    yield case("every question has one trial: the defaults", matrix("1..", ".0.", "..1"), "missing", "boundary", **drop)
    yield case("NaN is missing as null is", {"matrix": [[1, "nan", 0], [0, 1, None], [1, 1, 0]]}, "missing", **drop)
    yield case("a run without a trial has a number, and no part in df", matrix("1.10", "0.01", "1.11", "1.10"), "missing", **drop)
    yield case("a run without a trial, no question varies: df counts the runs with a trial", matrix("1.1", "0.0"), "missing", "boundary", **drop)
    yield case("a run of a single trial", matrix("11.", "010", "10.", "01."), "missing", **drop)
    yield case("a policy is given though nothing is missing", {"matrix": EXAMPLE}, "missing", **drop)
    graded = matrix("0122", "1021", "2220", "1112", "0012")
    yield case("graded", graded, "weights", w=W3)
    yield case("graded, falling scores below 0", graded, "weights", w=[2.0, -0.5, -3.0])
    yield case("graded, incomplete", matrix("01.2", "1.21", "2220", "....", "0012"), "weights", "missing", w=W3, **drop)
    yield case("graded, missing outcomes are the best category", matrix("01.2", "1.21", "2220", "....", "0012"), "weights", "missing", w=W3, missing=2)
    yield case("one question varies far more than others: f/(1 - h) is above 10^6", matrix("0303", "1212", "2112", "3003"), "weights", "boundary", w=[0.0, 0.5, 0.5001, 1.0])
    yield case("one question varies far more than others, F with 10^6 and 10^6 degrees of freedom", matrix("0333", "1212", "2112", "1121"), "weights", "boundary", w=[0.0, 0.5, 0.5001, 1.0])
    yield case("scores whose common unit is tiny", graded, "weights", "large", w=[0.1, 1e-290, 3e10])
    yield case("scores of 1e15 .. 1e15 + 2", graded, "weights", w=[1e15, 1e15 + 1, 1e15 + 2])
    yield case("scores of 8e299", graded, "weights", w=[-8e299, 0.0, 8e299])
    yield case("subnormal scores", graded, "weights", "underflow", w=[0.0, 5e-324, 2e-323])
    yield case("all scores equal: the defaults", graded, "weights", "boundary", w=[0.7, 0.7, 0.7])
    yield case("a category that never occurs", matrix("011", "101", "110", "100"), "weights", "unobserved", w=[0.0, 1.0, 4.0])
    # sessions
    eight = recipe(12, 8, 984)
    yield case("two sessions of four runs", eight, "sessions", sessions=[0, 0, 0, 0, 1, 1, 1, 1])
    yield case("three sessions, texts, unequal", eight, "sessions", sessions=["mon", "mon", "tue", "mon", "wed", "tue", "wed", "mon"])
    yield case("four sessions of two runs", eight, "sessions", sessions=[7, 7, 3, 3, 1, 1, 5, 5])
    yield case("every run is a session: no labels", eight, "sessions", sessions=list("hgfedcba"))
    yield case("the integer 1 and the text \"1\" are two sessions", {"matrix": EXAMPLE}, "sessions", sessions=[1, "1", 1, 2])
    yield case("the label that appears first is run 0", APART, "sessions", sessions=["z", "b", "b", "a"])
    yield case("sessions, incomplete: a question with trials of one session only", matrix("110.", "01.1", "11..", "0110"), "sessions", "missing", sessions=[0, 0, 1, 1], **drop)
    yield case("sessions, all questions within one session each: the defaults", matrix("10..", "..01", "11.."), "sessions", "missing", "boundary", sessions=["x", "x", "y", "y"], **drop)
    yield case("a session of one trial beside another", matrix("1101", "010.", "111.", "001."), "sessions", "missing", sessions=["x", "x", "x", "y"], **drop)
    # several models
    yield case("two named models", named({"matrix": EXAMPLE}, APART), "mapping")
    yield case("a tensor of three models", {"tensor": [EXAMPLE, APART["matrix"][:4], FLAT["matrix"]]})
    yield case("a tensor with missing outcomes", {"tensor": [[[1, None, 0], [0, 1, 1]], [[1, 1, 0], [None, 0, 1]]]}, "missing", **drop)
    yield case("a mapping of one model", named(APART), "mapping")
    yield case("models of unequal numbers of runs and questions", named(APART, matrix("10", "11", "10"), matrix("110101", "011011")), "mapping", "ragged")
    yield case("the same model twice: the first is named", named(APART, APART), "mapping", "ties")
    yield case("a model that does not vary does not count", named(CALM, matrix("110", "010", "011")), "mapping")
    yield case("no model varies: the df of all, and the first model", named(CALM, matrix("00", "11")), "mapping", "boundary")
    yield case("no model varies in a tensor", {"tensor": [CALM["matrix"], CALM["matrix"]]}, "boundary")
    yield case("a model of one run beside another", named(matrix("1", "0", "1"), matrix("110", "010", "011")), "mapping", "boundary")
    yield case("a model of one question beside another: it does not count, though its trials vary", named(matrix("1101"), matrix("110", "010", "011")), "mapping", "boundary")
    yield case("a model of one run beside one of one question: the defaults", named(matrix("1", "0"), matrix("1101")), "mapping", "boundary")
    yield case("models and sessions", named(recipe(6, 6, 985), recipe(9, 6, 986)), "mapping", "sessions", sessions=[0, 1, 2, 2, 1, 0])
    yield case("models, one without a trial in a session", named(matrix("11..", "01..", "10.."), matrix("1101", "0110", "0101")), "mapping", "sessions", "missing",
               sessions=["x", "x", "y", "y"], **drop)
    yield case("six models by recipe", named(*(recipe(20, 8, 987 + i) for i in range(6))), "mapping", "large")
    yield case("graded models", named(graded, matrix("2102", "0120", "1111")), "mapping", "weights", w=W3)
    rng = Random(989)
    for i in range(14):
        L, C = rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 2, 4))
        holes = rng.choice((0.0, 0.0, 0.2, 0.5))
        N = rng.randint(2, 8)
        each = [drawn(rng, rng.randint(2, 9), N, rng.choice((0.0, 0.0, 0.3)), C, holes) for _ in range(L)]
        for x in each:  # a trial of every model
            x["matrix"].append([i % (C + 1) for i in range(N)])
        args = {**({"w": W3 if C == 2 else W5} if C > 1 else {}), **(drop if holes else {}), **({"sessions": [rng.randint(0, 2) for _ in range(N - 1)] + [3]} if i % 4 == 3 else {})}
        yield case(f"random outcomes {i + 1} of seed 989", each[0] if L == 1 else named(*each), "random", *(["mapping"] if L > 1 else []), **args)


def cases_of(name):
    """Cases of a function with the argument `runs`: (comment, flags, args); empty for some functions."""
    return ()
