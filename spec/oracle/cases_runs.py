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
    yield case("one question varies far more than others: f/(1 - h) is above 10^6", matrix("0303", "1212", "2112", "3003"), "weights", "boundary",
        w=[0.0, 0.5, 0.5001, 1.0])
    yield case("one question varies far more than others, F with 10^6 and 10^6 degrees of freedom", matrix("0333", "1212", "2112", "1121"), "weights",
        "boundary", w=[0.0, 0.5, 0.5001, 1.0])
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
    yield case("sessions, incomplete: a question with trials of one session only", matrix("110.", "01.1", "11..", "0110"), "sessions", "missing",
        sessions=[0, 0, 1, 1], **drop)
    yield case("sessions, all questions within one session each: the defaults", matrix("10..", "..01", "11.."), "sessions", "missing", "boundary",
        sessions=["x", "x", "y", "y"], **drop)
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
    yield case("a model of one question beside another: it does not count, though its trials vary",
        named(matrix("1101"), matrix("110", "010", "011")), "mapping", "boundary")
    yield case("a model of one run beside one of one question: the defaults", named(matrix("1", "0"), matrix("1101")), "mapping", "boundary")
    yield case("models and sessions", named(recipe(6, 6, 985), recipe(9, 6, 986)), "mapping", "sessions", sessions=[0, 1, 2, 2, 1, 0])
    yield case("models, one without a trial in a session", named(matrix("11..", "01..", "10.."), matrix("1101", "0110", "0101")), "mapping",
        "sessions", "missing",
               sessions=["x", "x", "y", "y"], **drop)
    yield case("six models by recipe", named(*(recipe(20, 8, 987 + i) for i in range(6))), "mapping", "large")
    yield case("graded models", named(graded, matrix("2102", "0120", "1111")), "mapping", "weights", w=W3)
    # the same runs of two models
    pair = named({"matrix": EXAMPLE}, FLAT)
    yield case("runs that are the same for both models: those of the difference", pair, "mapping", "shared", shared=True)
    yield case("not the same", pair, "mapping", shared=False)
    yield case("shared runs of one model: no difference", APART, "shared", shared=True)
    yield case("shared runs that shift both models alike: ratio 0", named(matrix("110", "010", "011"), matrix("110", "010", "011")), "mapping", "shared",
        "exact-zero", shared=True)
    yield case("shared runs that shift the models apart", named(matrix("1100", "1101", "1000"), matrix("0011", "0010", "0111")), "mapping", "shared", shared=True)
    yield case("shared, unequal numbers of runs and questions", named(APART, matrix("10", "11", "10")), "mapping", "shared", "ragged", shared=True)
    yield case("shared, a model that does not vary", named(CALM, matrix("110", "010", "011")), "mapping", "shared", "boundary", shared=True)
    yield case("shared, no model varies", named(CALM, matrix("00", "11")), "mapping", "shared", "boundary", shared=True)
    yield case("shared, a run that one model lacks", named(matrix("11.0", "01.1", "10.0"), matrix("1101", "0110", "0101")), "mapping", "shared", "missing",
        shared=True, **drop)
    yield case("shared, no run in common: each by itself", named(matrix("110...", "010...", "101..."), matrix("...110", "...010", "...001")), "mapping",
        "shared", "missing", "boundary", shared=True, **drop)
    yield case("shared prompts with two trials each", named(recipe(6, 6, 985), recipe(6, 6, 986)), "mapping", "shared", "sessions",
        sessions=["p", "p", "q", "q", "r", "r"], shared=True)
    yield case("shared, graded", named(graded, matrix("2102", "0120", "1111")), "mapping", "shared", "weights", w=W3, shared=True)
    rng = Random(989)
    for i in range(14):
        L, C = rng.choice((1, 1, 2, 3)), rng.choice((1, 1, 2, 4))
        holes = rng.choice((0.0, 0.0, 0.2, 0.5))
        N = rng.randint(2, 8)
        each = [drawn(rng, rng.randint(2, 9), N, rng.choice((0.0, 0.0, 0.3)), C, holes) for _ in range(L)]
        for x in each:  # a trial of every model
            x["matrix"].append([i % (C + 1) for i in range(N)])
        args = {**({"w": W3 if C == 2 else W5} if C > 1 else {}), **(drop if holes else {}),
            **({"sessions": [rng.randint(0, 2) for _ in range(N - 1)] + [3]} if i % 4 == 3 else {})}
        yield case(f"random outcomes {i + 1} of seed 989", each[0] if L == 1 else named(*each), "random", *(["mapping"] if L > 1 else []), **args)


# ---------------------------------------------------------------- the argument runs

FIXED, SAMPLED, DROP = {"questions": "fixed"}, {"questions": "sampled"}, {"missing": "drop"}
BOTH = FIXED, SAMPLED
OTHER = matrix("1000", "0101", "0000", "1100", "0110")  # with APART: ratio 1.9
WHOLE, NOTHING = matrix("1111", "1111", "1111", "1111", "1111"), matrix("0000", "0000", "0000", "0000", "0000")
SINGLE, SINGLES = matrix("1", "0", "1", "1", "0"), matrix("0", "0", "1", "0", "0")
GRADED, GRADES = matrix("0122", "1022", "2120", "1112", "0012"), matrix("1011", "0021", "2020", "0102", "1001")
GAPS, MORE_GAPS = matrix("1.00", "110.", "1..0", "0100", ".110"), matrix("10.0", "01.1", "0000", "....", "0.10")
# eight questions of six runs, and a model whose third run fails
BROKEN = matrix("110111", "010101", "110110", "100111", "010010", "110111", "000101", "110111")
STEADY = matrix("011011", "000100", "101101", "011010", "010000", "101111", "001001", "110110")
COUNTED, COUNTS = {"counts": [[1, 5], [2, 4], [3, 3], [0, 6], [4, 2]]}, {"counts": [[2, 4], [4, 2], [3, 3], [1, 5], [5, 1]]}
VOTES = {"answers": {"right": [3, 2, 1, 4, 2], "other": [[1], [1, 1], [2, 1], [], [2]], "blank": [0, 0, 0, 0, 0]}}
VOTES_B = {"answers": {"right": [1, 2, 0, 3, 2], "other": [[3], [2], [2, 1, 1], [1], [1, 1]], "blank": [0, 0, 0, 0, 0]}}
SCORED = {"scored": {"scores": [[0.1, 0.9, 0.3, 0.5], [0.2, 0.2, 0.7, 0.4], [0.6, 0.1, 0.8, 0.3]], "R": [[0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 0, 1]]}}


def stated(ratio, df):
    return {"ratio": ratio, "df": df}


STATED = (stated(0.4, 3), stated(0, 2.5), stated(1, 4), stated(1.25, 1), stated(3.5, 9), stated(2, 1e6), stated(2.0, 1e300))


def text_of(runs):
    return runs if isinstance(runs, str) else f"ratio {runs['ratio']!r} with df {runs['df']!r}"


def one_model():
    """Outcomes of one model with options: (comment, flags, args)."""
    for target in BOTH:
        q = target["questions"]
        for runs in (*(["fixed"] if target == FIXED else []), "sampled", *STATED):
            yield f"{q}, {text_of(runs)}", [], {"R": APART, **target, "runs": runs}
        yield f"{q}, shared runs, the same for one model", [], {"R": APART, **target, "runs": "shared"}
        yield f"{q}, runs that are equally good: ratio 0", ["exact-zero"], {"R": FLAT, **target, "runs": "sampled"}
        yield f"{q}, one run fails", [], {"R": BROKEN, **target, "runs": "sampled"}
        for policy in ("drop", 1):
            yield f"{q}, missing outcomes, {policy!r}", ["missing"], {"R": GAPS, **target, "runs": "sampled", "missing": policy}
        for R, why in ((WHOLE, "only successes"), (NOTHING, "only failures")):
            yield f"{q}, {why}, sampled: ratio 1", ["boundary"], {"R": R, **target, "runs": "sampled"}
            yield f"{q}, {why}", ["boundary"], {"R": R, **target, "runs": stated(4.5, 5)}
        for runs in (stated(0.5, 4), stated(3, 4)):
            yield f"{q}, one trial of each question, {text_of(runs)}", ["boundary"], {"R": SINGLE, **target, "runs": runs}
        yield f"{q}, one question", ["boundary"], {"R": matrix("1101"), **target, "runs": stated(2, 5)}
        yield f"{q}, counts", [], {"R": COUNTED, **target, "runs": stated(2.5, 6)}
        yield f"{q}, graded", ["weights"], {"R": GRADED, "w": [-1.0, 0.0, 2.5], **target, "runs": "sampled"}
        yield f"{q}, all scores equal", ["weights", "boundary"], {"R": GRADED, "w": [0.5, 0.5, 0.5], **target, "runs": "sampled"}
        yield f"{q}, a huge ratio", ["boundary"], {"R": APART, **target, "runs": stated(LARGEST_RATIO, 3)}
        yield f"{q}, other members of the mapping have no effect", [], {"R": APART, **target, "runs": {"ratio": 2.25, "df": 3.0, "p_value": 0.065, "run": 0}}
    for labels in ([0, 0, 1, 1, 2], [0, 0, 0, 1, 2]):
        for runs in ("sampled", stated(6, 3)):
            yield f"clusters {labels}, {text_of(runs)}", ["clusters"], {"R": APART, **SAMPLED, "clusters": labels, "runs": runs}
    yield "a single cluster", ["clusters", "boundary"], {"R": APART, **SAMPLED, "clusters": ["x"] * 5, "runs": stated(3, 3)}
    for pool in (5, 9):
        for runs in ("sampled", stated(0.7, 5)):
            yield f"a pool of {pool}, {text_of(runs)}", ["pool"], {"R": APART, **SAMPLED, "pool": pool, "runs": runs}
    rng = Random(990)
    for i in range(6):
        R = drawn(rng, rng.randint(2, 8), rng.randint(3, 7), rng.choice((0.0, 0.3)))
        yield f"random outcomes {i + 1} of seed 990", ["random"], {"R": R, **BOTH[i % 2],
            "runs": "sampled" if i % 3 else stated(rng.randint(1, 500) / 100, rng.randint(10, 300) / 10)}


def metrics_of_one_model():
    for target in BOTH:
        q = target["questions"]
        for m in ({"metric": "pass@k", "k": 2}, {"metric": "pass^k", "k": 2}, {"metric": "g_pass_at_k_tau", "k": 2, "tau": 0.5}, {"metric": "auc@k", "k": 2}):
            yield f"{q}, {m['metric']}", [], {"R": APART, **m, **target, "runs": "sampled"}
        for k in (3, 4):
            yield f"{q}, maj@k of fewer than 2k trials, k = {k}", ["modelled"], {"R": APART, "metric": "maj@k", "k": k, **target, "runs": "sampled"}
        yield f"{q}, max_at_k", ["weights"], {"R": GRADED, "w": [2.0, -0.5, 1.0], "metric": "max@k", "k": 2, **target, "runs": "sampled"}
        yield f"{q}, max_at_k of fewer than 2k trials", ["weights", "modelled"], {"R": GRADED, "w": W3, "metric": "max@k", "k": 3, **target,
            "runs": stated(2, 8)}
        yield f"{q}, flip_rate", [], {"R": BROKEN, "metric": "flip_rate", **target, "runs": "sampled"}
        yield f"{q}, no model, k = n: every question is unknown", ["no-model", "boundary"], {"R": APART, "metric": "pass@k", "k": 4, "model": None,
            **target, "runs": "sampled"}
        yield f"{q}, no model, some questions are unknown", ["no-model", "missing"], {"R": matrix("11..", "1101", "1000", "01..", "1110"),
            "metric": "pass@k", "k": 2, "model": None, **DROP, **target, "runs": "sampled"}
        yield f"{q}, a metric that is always 0", ["boundary"], {"R": APART, "metric": "mg_pass_at_k", "k": 1, **target, "runs": "sampled"}


def interval():
    yield from one_model()
    yield from metrics_of_one_model()
    for target in BOTH:
        q = target["questions"]
        for runs in ("sampled", stated(0.6, 2)):
            yield f"{q}, shape beta, {text_of(runs)}", ["beta"], {"R": APART, "shape": "beta", **target, "runs": runs}
        yield f"{q}, shape beta, only successes", ["beta", "boundary"], {"R": WHOLE, "shape": "beta", **target, "runs": stated(2, 3)}
        for c in (0.5, 0.999):
            yield f"{q}, confidence {c}", ["confidence"], {"R": APART, "confidence": c, **target, "runs": "sampled"}
        for R, why in ((GAPS, "bounds"), (APART, "bounds, nothing is missing")):
            yield f"{q}, {why}", ["missing"], {"R": R, "missing": "bounds", **target, "runs": "sampled"}
        yield f"{q}, bounds, graded", ["missing", "weights"], {"R": matrix("01.2", "1.21", "2220", "....", "0012"), "w": W3, "missing": "bounds",
            **target, "runs": "sampled"}
        yield f"{q}, bounds, stated runs", ["missing"], {"R": GAPS, "missing": "bounds", **target, "runs": stated(3, 3)}
        yield f"{q}, plurality_at_k", ["probit"], {"R": VOTES, "metric": "plurality@k", "k": 3, **target, "runs": stated(2, 6)}
        yield f"{q}, best_of_k", [], {"R": SCORED, "metric": "best_of_k", "k": 2, **target, "runs": stated(2, 6)}
    yield "sampled, one cluster, ratio 0: no part has df", ["boundary", "clusters"], {"R": WHOLE, "clusters": ["x"] * len(WHOLE["matrix"]), **SAMPLED, "runs": stated(0, 1)}
    yield "many questions by recipe", ["large"], {"R": recipe(60, 8, 991), **FIXED, "runs": stated(1.8, 21)}
    yield "many questions by recipe, sampled questions and runs", ["large"], {"R": recipe(60, 8, 991), **SAMPLED, "runs": "sampled"}


def mean_ci():
    yield from (x for x in one_model() if x[2]["questions"] == "fixed" or "clusters" in x[0] or "pool" in x[0])
    yield "bounds", ["missing"], {"R": GAPS, "missing": "bounds", **FIXED, "runs": "sampled"}
    yield "shape beta", ["beta"], {"R": APART, "shape": "beta", **SAMPLED, "runs": "sampled"}


def prob_above():
    for comment, flags, args in one_model():
        if args["questions"] == "sampled" and "equal" not in comment:
            t = -0.5 if "w" in args else 0.4
            yield f"t = {t}: {comment}", flags, {**args, "t": t}
        elif comment.startswith("fixed, ratio") or "successes" in comment:
            yield from ((f"t = {t}: {comment}", flags, {**args, "t": t}) for t in (0.05, 0.96))
    yield "one question, ratio 0: no part has df", ["boundary"], {"R": matrix("0000"), "t": 0.5, "w": W3, **SAMPLED, "runs": stated(0, 1)}
    yield "t is the mean", ["ties"], {"R": APART, "t": 0.5, **FIXED, "runs": "sampled"}
    yield from ((c, f, {**a, "t": 0.3}) for c, f, a in metrics_of_one_model() if "w" not in a and a["questions"] == "fixed")


# ---------------------------------------------------------------- two models

ALL_BETTER = matrix("11111110", "11101111", "10111111", "11111011"), matrix("11101100", "01101110", "10111001", "10101011")  # every difference is 1/4


def two_models():
    """Outcomes of two models with options: (comment, flags, a, b, args)."""
    for target in BOTH:
        q = target["questions"]
        for runs in (*(["fixed"] if target == FIXED else []), "sampled", *STATED):
            yield f"{q}, {text_of(runs)}", [], APART, OTHER, {**target, "runs": runs}
        yield f"{q}, one run fails", [], BROKEN, STEADY, {**target, "runs": "sampled"}
        yield f"{q}, shared runs", [], BROKEN, STEADY, {**target, "runs": "shared"}
        yield f"{q}, shared runs, missing outcomes", ["missing"], GAPS, MORE_GAPS, {**target, "runs": "shared", **DROP}
        yield f"{q}, shared runs, unequal numbers", ["ragged"], APART, matrix("10", "01", "00", "11", "10"), {**target, "runs": "shared"}
        yield f"{q}, shared runs, one model does not vary", ["boundary"], OTHER, WHOLE, {**target, "runs": "shared"}
        yield f"{q}, shared runs, no model varies", ["boundary"], NOTHING, WHOLE, {**target, "runs": "shared"}
        yield f"{q}, runs that are equally good: ratio 0", ["exact-zero"], FLAT, matrix("1000", "0100", "0010", "0001"), {**target, "runs": "sampled"}
        yield f"{q}, the same outcomes", ["ties"], APART, APART, {**target, "runs": "sampled"}
        yield f"{q}, a huge ratio", ["boundary"], APART, OTHER, {**target, "runs": stated(LARGEST_RATIO, 2)}
        for runs in (stated(0.9, 3), stated(1.01, 3), stated(5, 3)) if target == SAMPLED else (stated(5, 3),):
            yield f"{q}, both solve everything, {text_of(runs)}", ["boundary"], WHOLE, WHOLE, {**target, "runs": runs}
            yield f"{q}, all against none, {text_of(runs)}", ["boundary", "clip"], WHOLE, NOTHING, {**target, "runs": runs}
            yield f"{q}, equal differences of all questions, {text_of(runs)}", ["boundary"], *ALL_BETTER, {**target, "runs": runs}
        for policy in ("drop", 0):
            yield f"{q}, missing outcomes, {policy!r}", ["missing"], GAPS, MORE_GAPS, {**target, "runs": "sampled", "missing": policy}
        yield f"{q}, one trial of each question, a ratio below 1", ["boundary"], SINGLE, SINGLES, {**target, "runs": stated(0.5, 4)}
        yield f"{q}, one trial of each question", ["boundary"], SINGLE, SINGLES, {**target, "runs": stated(3, 4)}
        yield f"{q}, one trial of each question of one model", ["boundary"], SINGLE, OTHER, {**target, "runs": stated(3, 4)}
        yield f"{q}, models of unequal numbers of runs", ["ragged"], APART, matrix("10", "01", "00", "11", "10"), {**target, "runs": "sampled"}
        yield f"{q}, few runs that differ more than many", ["ragged"], matrix("01", "01", "11", "01", "00"), recipe(5, 6, 993), {**target, "runs": "sampled"}
        yield f"{q}, no run in common", ["missing"], matrix("110...", "010...", "101...", "001...", "011..."), matrix("...110", "...010", "...001", "...011",
            "...100"), {**target, **DROP, "runs": "shared"}
        yield f"{q}, one run beside several", ["boundary"], APART, SINGLES, {**target, "runs": "sampled"}
        yield f"{q}, counts", [], COUNTED, COUNTS, {**target, "runs": stated(2.5, 6)}
        yield f"{q}, graded", ["weights"], GRADED, GRADES, {"w": [-1.0, 0.0, 2.5], **target, "runs": "sampled"}
        yield f"{q}, a guard", ["guard"], APART, OTHER, {"guard": 0.4, **target, "runs": "sampled"}
        for m in ({"metric": "pass@k", "k": 2}, {"metric": "pass^k", "k": 3}, {"metric": "pass@k", "k": 4, "model": None}, {"metric": "mg_pass_at_k", "k": 1}):
            yield f"{q}, {m['metric']}, k = {m['k']}", ["no-model" if "model" in m else "modelled" if m["k"] > 2 else "plain"], APART, OTHER, {**m,
                **target, "runs": "sampled"}
    for labels in ([0, 0, 1, 1, 2], [0, 0, 0, 1, 2]):
        for runs in ("sampled", stated(6, 3)):
            yield f"clusters {labels}, {text_of(runs)}", ["clusters"], APART, OTHER, {**SAMPLED, "clusters": labels, "runs": runs}
    rng = Random(992)
    for i in range(8):
        M, N = rng.randint(3, 8), rng.randint(3, 7)
        a, b = (drawn(rng, M, N, rng.choice((0.0, 0.3))) for _ in "ab")
        yield f"random outcomes {i + 1} of seed 992", ["random"], a, b, {**BOTH[i % 2],
            "runs": "sampled" if i % 3 else stated(rng.randint(1, 500) / 100, rng.randint(10, 300) / 10)}


def different_questions():
    """Two models on different questions: (comment, flags, a, b, args)."""
    for runs in ("sampled", stated(0.8, 4), stated(3, 2)):
        yield f"different questions, {text_of(runs)}", ["unpaired"], BROKEN, OTHER, {**SAMPLED, "paired": False, "runs": runs}
    yield "different questions, one trial of each of one side", ["unpaired", "boundary"], BROKEN, SINGLES, {**SAMPLED, "paired": False, "runs": "sampled"}
    yield "different questions, missing outcomes", ["unpaired", "missing"], GAPS, MORE_GAPS, {**SAMPLED, "paired": False, **DROP, "runs": "sampled"}


def looks():
    yield "the interval with runs is wider at the level of an early look, narrower at that of the confidence", ["looks"], BROKEN, STEADY, \
        {**FIXED, "looks": [0.25], "runs": stated(0.3, 3)}
    for target in BOTH:
        for fractions in ([0.5], [0.25, 0.75]):
            for runs in ("sampled", stated(2, 30)):
                yield f"{target['questions']}, looks {fractions}, {text_of(runs)}", ["looks"], BROKEN, STEADY, {**target, "looks": fractions, "runs": runs}


def compare():
    for comment, flags, a, b, args in (*two_models(), *different_questions(), *looks()):
        yield comment, flags, {"A": a, "B": b, **args}
    for target in BOTH:
        q = target["questions"]
        for runs in ("sampled", stated(3, 4)):
            yield f"{q}, bounds, {text_of(runs)}", ["missing"], {"A": GAPS, "B": MORE_GAPS, "missing": "bounds", **target, "runs": runs}
        yield f"{q}, flip_rate", [], {"A": BROKEN, "B": STEADY, "metric": "flip_rate", **target, "runs": "sampled"}
        yield f"{q}, max_at_k", ["weights"], {"A": GRADED, "B": GRADES, "w": W3, "metric": "max@k", "k": 2, **target, "runs": "sampled"}
        yield f"{q}, plurality_at_k", ["probit"], {"A": VOTES, "B": VOTES_B, "metric": "plurality@k", "k": 3, **target, "runs": stated(2, 6)}
        for c in (0.5, 0.999):
            yield f"{q}, confidence {c}", ["confidence"], {"A": BROKEN, "B": STEADY, "confidence": c, **target, "runs": "sampled"}
    for c, why in ((0.999, "wider at a high"), (0.95, "narrower at a lower")):
        yield f"the interval with runs is {why} confidence", ["confidence"], {"A": BROKEN, "B": STEADY, "confidence": c, **FIXED, "runs": stated(0.3, 3)}
    yield "many questions by recipe", ["large"], {"A": recipe(60, 8, 993), "B": recipe(60, 8, 994), **FIXED, "runs": stated(1.8, 21)}
    yield "many questions by recipe, sampled", ["large"], {"A": recipe(60, 8, 993), "B": recipe(60, 8, 994), **SAMPLED, "runs": stated(1.8, 21)}


def gate():
    for comment, flags, a, b, args in (*two_models(), *different_questions(), *looks()):
        if not any(word in comment for word in ("random", "pass^k", "recipe", "mg_pass")):
            yield comment, flags, {"candidate": a, "baseline": b, "margin": 0.1, **args}
        if "against none" in comment or comment.endswith(": ratio 0"):
            yield f"exchanged: {comment}", flags, {"candidate": b, "baseline": a, "margin": 0.1, **args}
    for target in BOTH:
        for runs in ("sampled", stated(0.5, 4), stated(4, 12)):
            yield f"{target['questions']}, a large loss, {text_of(runs)}", [], {"candidate": NOTHING, "baseline": STEADY_FIVE, "margin": 0.2,
                **target, "runs": runs}
            yield f"{target['questions']}, everything is solved, {text_of(runs)}", ["boundary"], {"candidate": WHOLE, "baseline": STEADY_FIVE,
                "margin": 0.45, **target, "runs": runs}
    for runs in (stated(1.0, 60), stated(1.5, 60), stated(8, 60)):
        yield f"many questions, {text_of(runs)}", ["large"], {"candidate": recipe(60, 8, 993), "baseline": recipe(60, 8, 994), "margin": 0.05,
            **FIXED, "runs": runs}
        yield f"nothing fails in many trials: the exact bound, {text_of(runs)}", ["boundary"], {"candidate": {"counts": [[0, 16]] * 30},
            "baseline": {"counts": [[0, 16]] * 30}, "margin": 0.05, **FIXED, "runs": runs}


STEADY_FIVE = matrix("1110", "1011", "1101", "0111", "1110")


# ---------------------------------------------------------------- many models

def three(a, b, c):
    return {"models": {"x": a, "y": b, "z": c}}


def shifted(seed, broken, M=12, N=6):
    """M questions of N runs, of which one fails three times in four."""
    rng = Random(seed)
    chances = [rng.uniform(0.2, 0.9) for _ in range(M)]
    return {"matrix": [[int(rng.random() < p * (0.25 if r == broken else 1)) for r in range(N)] for p in chances]}


ONE_APART = {"models": {"p": shifted(961, 2), "q": shifted(962, None), "r": shifted(963, None), "s": shifted(964, None), "t": shifted(965, None)}}
TWO_APART = {"models": {"p": shifted(961, 2), "q": shifted(966, 0), "r": shifted(963, None), "s": shifted(964, None), "t": shifted(965, None)}}
REST_IS_ZERO = three(matrix("110", "100", "110", "010", "110"), *(matrix("110", "011", "101", "000", "111"),) * 2)  # ratio 0 of y and z


def many_models():
    for target in BOTH:
        q = target["questions"]
        for runs in ("sampled", stated(0.4, 3), stated(1, 4), stated(3.5, 9), stated(2, 1e6)):
            yield f"{q}, {text_of(runs)}", ["mapping"], three(APART, OTHER, STEADY_FIVE), {**target, "runs": runs}
        for runs in ("sampled", "shared"):
            yield f"{q}, {runs}, the runs of one model differ more than those of the others", ["mapping"], ONE_APART, {**target, "runs": runs}
            yield f"{q}, {runs}, the runs of two models differ more", ["mapping"], TWO_APART, {**target, "runs": runs}
            yield f"{q}, {runs}, the ratio of the others is 0", ["mapping", "boundary"], REST_IS_ZERO, {**target, "runs": runs}
            yield f"{q}, {runs}, two models do not vary", ["mapping", "boundary"], three(APART, WHOLE, NOTHING), {**target, "runs": runs}
        yield f"{q}, a tensor", [], {"tensor": [BROKEN["matrix"], STEADY["matrix"], [[0] * 6] * 7 + [[1, 0, 0, 0, 0, 0]], [[1] * 6] * 8]}, {**target,
            "runs": "sampled"}
        yield f"{q}, all solve everything", ["mapping", "boundary"], three(WHOLE, WHOLE, NOTHING), {**target, "runs": stated(1.5, 6)}
        yield f"{q}, missing outcomes", ["mapping", "missing"], three(GAPS, MORE_GAPS, APART), {**target, **DROP, "runs": "sampled"}
        yield f"{q}, graded", ["mapping", "weights"], three(GRADED, GRADES, matrix("2222", "1222", "2222", "1212", "2212")), {"w": [-1.0, 0.0, 2.5],
            **target, "runs": "sampled"}
        yield f"{q}, pass@2", ["mapping"], three(APART, OTHER, STEADY_FIVE), {"metric": "pass@k", "k": 2, **target, "runs": "sampled"}
        yield f"{q}, flip_rate: lower is better", ["mapping"], three(BROKEN, STEADY, {"matrix": [[1] * 6] * 8}), {"metric": "flip_rate", **target,
            "runs": "sampled"}
        yield f"{q}, counts", ["mapping"], three(COUNTED, COUNTS, {"counts": [[6, 0]] * 5}), {**target, "runs": stated(2.5, 6)}
        yield f"{q}, a model with one run", ["mapping", "boundary"], three(APART, OTHER, SINGLES), {**target, "runs": "sampled"}
    yield "clusters", ["mapping", "clusters"], three(APART, OTHER, STEADY_FIVE), {**SAMPLED, "clusters": [0, 0, 1, 1, 2], "runs": "sampled"}
    for runs in ("fixed", stated(1, 90), stated(1.6, 90), stated(6, 90), stated(6, 2)):
        yield f"four models by recipe, {text_of(runs)}", ["large", "mapping"], {"models": {m: recipe(40, 12,
            995 + i) if i < 3 else {"matrix": [[int(j % 3 > 0)] * 12 for j in range(40)]} for i, m in enumerate("pqrs")}}, {**FIXED, "runs": runs}


def of_many_models(**more):
    for comment, flags, models, args in many_models():
        yield comment, flags, {"models": models, **args, **more}


def compare_all():
    yield from of_many_models()
    yield from ((f"no correction: {c}", ["no-correction", *f], {**a, "correction": None}) for c, f, a in list(of_many_models())[:4])


def ranges():
    yield from of_many_models()
    yield "one run fails: ranks that are certain without regard to runs", ["mapping"], {"models": three(BROKEN, STEADY, {"matrix": [[0] * 6] * 8}),
        **FIXED, "runs": "sampled"}


def winners():
    yield from of_many_models()
    yield from ((f"margin 0.05: {c}", ["margin", *f], {**a, "margin": 0.05}) for c, f, a in list(of_many_models())[:4])


# ---------------------------------------------------------------- suites

NAMES = ("small", "large", "calm")


def suite_outcomes():
    """Pairs of outcomes by benchmark, and the argument runs: (comment, flags, {benchmark: (a, b)}, args)."""
    one, two = (APART, OTHER), (BROKEN, STEADY)
    each = {"small": stated(2.5, 3), "large": stated(0.7, 10)}
    for target in BOTH:
        q = target["questions"]
        for runs in ("sampled", "shared", *STATED[:5]):
            yield f"{q}, {text_of(runs)} in all benchmarks", [], {"small": one, "large": two}, {**target, "runs": runs}
        yield f"{q}, a mapping for each benchmark", [], {"small": one, "large": two}, {**target, "runs": each}
        yield f"{q}, a mapping for each benchmark, in another order", [], {"small": one, "large": two}, {**target,
            "runs": dict(reversed(each.items())), "weights": {"large": 3, "small": 1}}
        yield f"{q}, no benchmark with a ratio above 1", [], {"small": one, "large": two}, {**target, "runs": {"small": stated(0.5, 3), "large": stated(1, 10)}}
        yield f"{q}, benchmarks named ratio and df", [], {"ratio": one, "df": two}, {**target, "runs": {"ratio": stated(2.5, 3), "df": stated(1.5, 10)}}
        yield f"{q}, one benchmark", ["boundary"], {"small": one}, {**target, "runs": "sampled"}
        yield f"{q}, a benchmark in which nothing varies", ["boundary"], {"small": one, "calm": (WHOLE, WHOLE)}, {**target,
            "runs": {"small": stated(2, 3), "calm": stated(1.5, 4)}}
        yield f"{q}, a benchmark in which nothing varies, sampled", ["boundary"], {"small": one, "calm": (WHOLE, NOTHING)}, {**target, "runs": "sampled"}
        yield f"{q}, a benchmark with one trial of each question", ["boundary"], {"large": two, "calm": (SINGLE, SINGLES)}, {**target,
            "runs": {"large": stated(2, 9), "calm": stated(0.5, 2)}}
        yield f"{q}, graded", ["weights"], {"x": (GRADED, GRADES), "y": (GRADES, GRADED)}, {"w": [-1.0, 0.0, 2.5], **target, "runs": "sampled"}
        yield f"{q}, pass@2", [], {"small": one, "large": two}, {"metric": "pass@k", "k": 2, **target, "runs": "sampled"}
        yield f"{q}, missing outcomes", ["missing"], {"small": (GAPS, MORE_GAPS), "large": two}, {**target, **DROP, "runs": "sampled"}
        yield f"{q}, counts", [], {"x": (COUNTED, COUNTS), "y": (COUNTS, COUNTED)}, {**target, "runs": {"x": stated(2, 5), "y": stated(4, 1)}}
    yield "clusters of one benchmark", ["clusters"], {"small": one, "large": two}, {**SAMPLED, "clusters": {"small": [0, 0, 1, 1, 2]}, "runs": "sampled"}
    rng = Random(996)
    for i in range(6):
        outcomes = {b: (drawn(rng, M, N, 0.3), drawn(rng, M, N)) for b in "xyz"[:rng.randint(2, 3)] for M, N in [(rng.randint(3, 6), rng.randint(3, 6))]}
        yield f"random outcomes {i + 1} of seed 996", ["random"], outcomes, {**BOTH[i % 2],
            "runs": "sampled" if i % 3 else {b: stated(rng.randint(20, 400) / 100, rng.randint(1, 20)) for b in outcomes}}


def suite():
    for comment, flags, outcomes, args in suite_outcomes():
        benchmarks = {b: {"models": {"a": x, "b": y}} for b, (x, y) in outcomes.items()}
        yield comment, ["suite", *flags], {"benchmarks": {"benchmarks": benchmarks}, **args}
    three_models = {"small": {"models": {"a": APART, "b": OTHER, "c": STEADY_FIVE}}, "large": {"models": {"b": STEADY, "a": BROKEN}}}
    for more in ({}, {"common": True}):
        for runs in ("sampled", "shared", {"large": stated(3, 5), "small": stated(2, 9)}):
            yield f"a model that one benchmark does not have{', common' if more else ''}, {runs if isinstance(runs, str) else 'stated'}", ["suite",
                "mapping"], {"benchmarks": {"benchmarks": three_models}, **FIXED, **more, "runs": runs}
    yield "only the benchmark that all models have", ["suite", "mapping"], {"benchmarks": {"benchmarks": {**three_models,
        "large": {"models": {"b": STEADY}}}}, **FIXED, "common": True, "runs": "sampled"}
    for runs in ("sampled", "shared"):
        yield f"five models, the runs of one differ more, {runs}", ["suite", "mapping"], {"benchmarks": {"benchmarks": {"small": ONE_APART, "large": TWO_APART}},
            **FIXED, "runs": runs}
    yield "no correction", ["suite", "no-correction"], {"benchmarks": {"benchmarks": three_models}, **FIXED, "correction": None, "runs": "sampled"}
    yield "one model", ["suite", "boundary"], {"benchmarks": {"benchmarks": {"small": {"models": {"a": APART}}, "large": {"models": {"a": BROKEN}}}},
        **FIXED, "runs": "sampled"}
    yield "one model, only successes", ["suite", "boundary"], {"benchmarks": {"benchmarks": {"small": {"models": {"a": WHOLE}},
        "large": {"models": {"a": WHOLE}}}}, **SAMPLED, "runs": stated(3, 4)}
    yield "flip_rate", ["suite"], {"benchmarks": {"benchmarks": {"x": {"models": {"a": BROKEN, "b": STEADY}},
        "y": {"models": {"a": STEADY, "b": BROKEN}}}}, "metric": "flip_rate", **FIXED, "runs": "sampled"}


def gate_suite():
    for comment, flags, outcomes, args in suite_outcomes():
        for margin in (0.05, 0.4) if "in all benchmarks" in comment else (0.1,):
            new, base = ({"benchmarks": {b: pair[i] for b, pair in outcomes.items()}} for i in (0, 1))
            yield f"{comment}, margin {margin}", ["suite", *flags], {"candidate": new, "baseline": base, "margin": margin, **args}
    yield "under each", ["suite"], {"candidate": {"benchmarks": {"x": NOTHING, "y": STEADY}},
        "baseline": {"benchmarks": {"x": STEADY_FIVE, "y": BROKEN}}, "margin": 0.1, "rule": "each", **FIXED, "runs": "sampled"}
    calm = {"benchmarks": {"x": {"counts": [[0, 16]] * 30}, "y": {"counts": [[0, 8]] * 20}}}
    for runs in (stated(1.5, 60), {"x": stated(0.5, 9), "y": stated(4, 60)}):
        yield f"nothing fails: growth by the exact bound, {'one ratio' if 'df' in runs else 'two ratios'}", ["suite", "boundary"], {"candidate": calm,
            "baseline": calm, "margin": 0.02, **FIXED, "runs": runs}


CASES = {"interval": interval, "mean_ci": mean_ci, "prob_above": prob_above, "compare": compare, "gate": gate, "compare_all": compare_all, "ranges": ranges,
         "winners": winners, "suite": suite, "gate_suite": gate_suite}


def cases_of(name):
    """Cases of a function with the argument `runs`: (comment, flags, args); empty for some functions."""
    for comment, flags, args in CASES[name]() if name in CASES else ():
        yield f"runs: {comment}", ["runs", *(x for x in flags if x != "plain")], args
