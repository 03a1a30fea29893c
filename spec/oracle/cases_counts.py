"""Cases of the functions that work on categories: bayes, avg, their intervals, max_at_k_ci, mean_ci, tally."""
from random import Random

import examples
from cases import R, recipe, states
from cases_hypergeometric import GRADED, RUBRIC, many_levels, score_sets
from cases_latent import CONFIDENCES

FOUR = {"counts": [[3, 1, 0, 2], [0, 5, 0, 1], [2, 2, 0, 2]]}
PILOT = {"matrix": [[0, 2], [1, 2]]}
W3 = [0.0, 0.5, 1.0]


def shared_cases():
    """Cases with R and, in some, w and missing, shared by bayes, avg and their intervals: (comment, flags, args)."""
    for c in (0, 1):
        yield f"one question, one trial, successes: {c}", ["boundary"], {"R": states((c, 1))}
    for c in (0, 1, 3, 6):
        yield f"one question, {c} successes in 6 trials", ["boundary"] if c in (0, 6) else ["plain"], {"R": states((c, 6))}
    yield "w = [0, 1] is the default", ["alias"], {"R": R, "w": [0, 1]}
    yield "w = [1, 0] counts the failures", ["weights"], {"R": R, "w": [1.0, 0.0]}
    yield "tau-bench airline", ["plain"], {"R": examples.AIRLINE}
    for comment, flags, w in score_sets():
        yield comment, flags, {"R": GRADED, "w": w}
    yield "failures -1, successes 1, half and half", ["exact-zero", "weights"], {"R": states((3, 6), (3, 6)), "w": [-1.0, 1.0]}
    yield "the questions cancel each other", ["exact-zero", "weights"], {"R": states((1, 6), (5, 6)), "w": [-1.0, 1.0]}
    yield "graded -1, 0, 1 and balanced", ["exact-zero", "weights"], {"R": {"matrix": [[0, 1, 2], [2, 2, 1], [0, 0, 1]]}, "w": [-1.0, 0.0, 1.0]}
    yield "nearly balanced", ["cancellation", "weights"], {"R": states((50000, 100001)), "w": [-1.0, 1.0]}
    yield "1e300 against -1e300, nearly balanced", ["cancellation", "weights"], {"R": states((7, 15), (8, 15), (8, 15)), "w": [-1e300, 1e300]}
    yield "an unobserved category", ["unobserved"], {"R": FOUR, "w": [0.0, 0.25, 0.5, 1.0]}
    yield "unobserved categories at the end", ["unobserved"], {"R": RUBRIC, "w": [0.0, 0.5, 1.0, 3.0, -7.0]}
    yield "one category only", ["boundary"], {"R": {"matrix": [[0, 0], [0, 0]]}, "w": [0.7]}
    yield "one category, score 0.1, three questions: the mean is 0.1", ["boundary"], {"R": {"matrix": [[0], [0], [0]]}, "w": [0.1]}
    yield "twelve categories by recipe", ["large"], {"R": recipe(40, 30, 11, C=11), "w": [j / 11 for j in range(12)]}
    yield "a thousand questions by recipe", ["large"], {"R": recipe(1000, 64, 12)}
    yield "100000 graded trials", ["large"], {"R": {"counts": [[50000, 30000, 20000], [1, 99998, 1]]}, "w": [0.1, 0.2, 0.3]}
    yield "100000 trials, all but one a success", ["large"], {"R": states((99999, 100000))}
    holes = {"matrix": [[2, 0, None, 1], [1, 1, 2, "nan"], [0, None, None, 2]]}
    rows = {"matrix": [[2, 0, 1], [1], [0, 2, 2, 1, 0]]}
    for policy in ("drop", 0, 1, 2):
        yield f"missing trials, policy {policy}", ["missing"], {"R": holes, "w": W3, "missing": policy}
        yield f"unequal rows, policy {policy}", ["ragged"], {"R": rows, "w": W3, "missing": policy}
    yield "unequal rows, scores that cancel", ["ragged", "exact-zero"], {"R": states((1, 2), (3, 6)), "w": [-1.0, 1.0], "missing": "drop"}
    yield "one trial beside a thousand", ["ragged"], {"R": states((1, 1), (300, 1000)), "missing": "drop"}
    yield "many different numbers of trials", ["ragged"], {"R": states(*((n // 3, n) for n in range(1, 30))), "missing": "drop"}
    yield from many_levels()


def random_grades(seed, number, prior):
    """Random outcomes in 2 to 6 categories with random scores; prior: every second case has prior outcomes."""
    rng = Random(seed)
    for i in range(number):
        M, N, C = rng.randint(1, 5), rng.randint(1, 12), rng.randint(1, 5)
        args = {"R": {"matrix": [[rng.randint(0, C) for _ in range(N)] for _ in range(M)]},
                "w": [rng.randint(-1000, 1000) / rng.choice((1, 7, 100)) for _ in range(C + 1)]}
        if prior and i % 2:
            D = rng.randint(1, 4)
            args["R0"] = {"matrix": [[rng.randint(0, C) for _ in range(D)] for _ in range(M)]}
        yield f"random grades {i + 1} of seed {seed}", ["random"], args


def prior_cases():
    """Cases with R0: (comment, flags, args)."""
    yield "two prior outcomes", ["prior"], {"R": RUBRIC, "w": W3, "R0": PILOT}
    yield "an R0 without columns: the same as no R0", ["prior", "boundary"], {"R": RUBRIC, "w": W3, "R0": {"matrix": [[], []]}}
    yield "binary, prior of one greedy run", ["prior"], {"R": examples.TOP_P, "R0": examples.GREEDY}
    yield "more prior outcomes than trials", ["prior"], {"R": {"matrix": [[1], [0]]}, "R0": {"matrix": [[0, 0, 0, 0, 1, 0], [1, 1, 1, 1, 1, 1]]}}
    yield "a category that occurs only in the prior", ["prior", "unobserved"], {"R": {"matrix": [[0, 0], [1, 0]]}, "w": W3, "R0": PILOT}
    yield "the prior as counts", ["prior"], {"R": GRADED, "w": W3, "R0": {"counts": [[100, 0, 0], [0, 100, 0], [0, 0, 100], [50, 25, 25], [33, 33, 34]]}}
    yield "missing in R and in R0, dropped", ["prior", "missing"], {"R": {"matrix": [[2, None, 1], [0, 1, 1]]}, "w": W3, "R0": {"matrix": [[0, None], [1, 2]]}, "missing": "drop"}
    yield "missing in R and in R0, counted as category 1", ["prior", "missing"], {"R": {"matrix": [[2, None, 1], [0, 1, 1]]}, "w": W3, "R0": {"matrix": [[0, None], [1, 2]]}, "missing": 1}
    yield "unequal prior rows", ["prior", "ragged"], {"R": {"matrix": [[2, 0, 1], [0, 1, 1]]}, "w": W3, "R0": {"matrix": [[0], [1, 2, 2, 2]]}, "missing": "drop"}
    yield "the prior cancels the data", ["prior", "exact-zero"], {"R": states((0, 3)), "w": [-1.0, 1.0], "R0": {"matrix": [[1, 1, 1]]}}


def interval_options(base, bounds):
    """Options of an interval: (comment, flags, args)."""
    for c in CONFIDENCES:
        yield f"confidence {c!r}", ["confidence"], {**base, "confidence": c}
    for b in bounds:
        yield f"bounds {b}", ["bounds", "clipped"], {**base, "bounds": b}
    yield "infinite bounds clip nothing", ["bounds"], {**base, "bounds": ["-inf", "inf"]}
    yield "bounds and confidence", ["bounds", "confidence"], {**base, "bounds": [-0.5, "inf"], "confidence": 0.999}


BOUNDS = ([0.0, 1.0], [0.5, 0.6], [-3.0, -2.0], [2.0, 3.0], [0.25, 0.25], ["-inf", 0.7])


def bayes():
    yield from examples.cases_of("bayes")
    yield from shared_cases()
    yield from prior_cases()
    yield from random_grades(301, 12, prior=True)


def bayes_ci():
    yield from examples.cases_of("bayes_ci")
    yield from interval_options({"R": RUBRIC, "w": W3}, BOUNDS)
    yield from interval_options({"R": R}, BOUNDS[:3])
    yield from shared_cases()
    yield from prior_cases()
    yield from random_grades(302, 8, prior=True)
    for c in (0.938631, 0.9386311708):
        yield "a lower end close to 0", ["cancellation"], {"R": states((1, 4)), "confidence": c}
    yield "an upper end close to 0", ["cancellation", "weights"], {"R": states((3, 7), (2, 7)), "w": [-1.0, 1.5], "confidence": 0.081717839}


def avg():
    yield from examples.cases_of("avg")
    yield from shared_cases()
    yield from random_grades(303, 20, prior=False)
    yield "the trials of all questions together do not fit 64 bits", ["large"], {"R": {"counts": [[0, 2**53 - 1, 0]] * 1025}, "w": W3}


def avg_ci():
    yield from examples.cases_of("avg_ci")
    yield from interval_options({"R": RUBRIC, "w": W3}, BOUNDS)
    yield from interval_options({"R": R}, BOUNDS[:3])
    yield from shared_cases()
    yield from random_grades(304, 12, prior=False)


def max_at_k_ci():
    yield from examples.cases_of("max_at_k_ci")
    for comment, flags, w in score_sets():
        for k in (1, 3):
            yield f"{comment}, k = {k}", flags, {"R": GRADED, "k": k, "w": w}
    for k in (1, 2, 9):
        yield from ((f"{comment}, k = {k}", flags, {**args, "k": k}) for comment, flags, args in prior_cases())
    yield from interval_options({"R": RUBRIC, "w": W3, "k": 2}, BOUNDS)
    yield "k = 1 is bayes_ci: nothing is clipped", ["boundary"], {"R": states((5, 5)), "k": 1}
    yield "k = 2 is clipped at the largest score", ["clipped"], {"R": states((5, 5)), "k": 2}
    yield "an unobserved best category", ["unobserved"], {"R": RUBRIC, "k": 5, "w": [0.0, 0.5, 0.9, 7.0]}
    yield "one category", ["boundary"], {"R": {"matrix": [[0, 0, 0]]}, "k": 2, "w": [0.7]}
    yield "k above N", ["beyond"], {"R": RUBRIC, "k": 50, "w": W3}
    yield "k = 1000, default scores", ["large", "beyond"], {"R": states((3, 400), (399, 400)), "k": 1000}
    yield "k = 1000, three levels", ["large"], {"R": {"counts": [[90000, 9990, 10], [99999, 0, 1]]}, "k": 1000, "w": W3}
    yield "twelve categories by recipe", ["large"], {"R": recipe(10, 30, 13, C=11), "k": 6, "w": [j / 11 for j in range(12)]}
    yield "the best is nearly certain: sigma is tiny", ["underflow"], {"R": {"counts": [[0, 1, 900]]}, "k": 400, "w": W3}
    yield "a balance of -1 and 1: k = 1", ["exact-zero"], {"R": states((3, 6)), "k": 1, "w": [-1.0, 1.0]}
    for comment, flags, args in shared_cases():
        if "missing" in flags or "ragged" in flags:
            yield comment, flags, {**args, "k": 3}
    for comment, flags, args in many_levels():
        if "ragged" not in flags:
            yield from ((f"{comment}, k = {k}", flags, {**args, "k": k}) for k in (2, 9))
    rng = Random(305)
    for comment, flags, args in random_grades(306, 10, prior=True):
        yield comment, flags, {**args, "k": rng.randint(1, 8), "confidence": rng.randint(1, 99) / 100}


def mean_ci():
    for args, printed in examples.GOLDEN:
        yield f"golden mu, lo, hi, n_eff: {printed.replace(' ', ', ')}", ["golden"], args
    five = states((2, 4), (4, 4), (0, 4), (1, 4), (3, 4))
    mixed = states((1, 1), (2, 3), (0, 2), (5, 8))
    ones = states((1, 1), (0, 1), (1, 1), (0, 1), (0, 1))
    for q in ("fixed", "sampled"):
        target = {"questions": q}
        for c in CONFIDENCES:
            yield f"{q}, confidence {c!r}", ["confidence"], {"R": five, **target, "confidence": c}
        for c, n in ((0, 1), (1, 1), (0, 8), (8, 8), (3, 8)):
            yield f"{q}, one question, {c} successes in {n} trials", ["boundary"], {"R": states((c, n)), **target}
        yield f"{q}, every trial a success", ["boundary"], {"R": states((4, 4), (4, 4), (4, 4)), **target}
        yield f"{q}, every trial a failure", ["boundary"], {"R": states((0, 4), (0, 4), (0, 4)), **target}
        yield f"{q}, questions with only successes or only failures: no within-question variance", ["boundary"], {"R": states((4, 4), (0, 4), (4, 4)), **target}
        yield f"{q}, equal questions: no variance between them", ["boundary"], {"R": states((2, 4), (2, 4), (2, 4)), **target}
        yield f"{q}, single trials only", ["boundary"], {"R": ones, **target}
        yield f"{q}, a single trial among others", ["ragged"], {"R": mixed, **target, "missing": "drop"}
        yield f"{q}, unequal rows, none single", ["ragged"], {"R": states((2, 3), (4, 4), (0, 2), (5, 8)), **target, "missing": "drop"}
        some_empty = {"matrix": [[1, None, 0, 1], [None, None, None, None], [0, 0, 1, 1], [None, None, None, "nan"]]}
        yield f"{q}, questions without trials are dropped", ["missing"], {"R": some_empty, **target, "missing": "drop"}
        yield f"{q}, missing trials count as failures", ["missing"], {"R": some_empty, **target, "missing": 0}
        yield f"{q}, scores far from zero", ["weights"], {"R": GRADED, "w": [1e15, 1e15 + 1, 1e15 + 2], **target}
        yield f"{q}, scores of both signs in falling order", ["weights"], {"R": GRADED, "w": [2.0, -0.5, -3.0], **target}
        yield f"{q}, scores 1e-8 to 1e8", ["weights"], {"R": GRADED, "w": [1e-8, 1.0, 1e8], **target}
        for x, wrong in ((1e-18, -3.603177716270271e-18), (1e-25, -6.9e-24), (1e-40, -3.7e-9)):
            yield f"{q}, scores -1/{x}, -1, -{x}: the low score plus the width would give hi = {wrong} when fixed", \
                ["weights", "cancellation"], {"R": {"counts": [[0, 5, 0], [0, 5, 0]]}, "w": [-1 / x, -1.0, -x], **target}
        yield f"{q}, the mean is just below the best score: low plus width would give hi below mu", ["weights", "cancellation"], \
            {"R": {"counts": [[1, 0, 0]]}, "w": [-1e84, -1e139, -1e-179], **target}
        yield f"{q}, scores of 1e300 and -1e300", ["weights"], {"R": GRADED, "w": [-1e300, 0.0, 1e300], **target}
        yield f"{q}, all scores equal", ["weights"], {"R": GRADED, "w": [0.7, 0.7, 0.7], **target}
        yield f"{q}, an unobserved best category", ["unobserved"], {"R": RUBRIC, "w": [0.0, 0.5, 1.0, 2.0], **target}
        yield f"{q}, scores that cancel", ["exact-zero"], {"R": states((1, 4), (3, 4)), "w": [-1.0, 1.0], **target}
        yield f"{q}, a thousand questions by recipe", ["large"], {"R": recipe(1000, 16, 21), **target}
        yield f"{q}, twelve categories by recipe", ["large"], {"R": recipe(40, 30, 22, C=11), "w": [j / 11 for j in range(12)], **target}
        yield f"{q}, rare success in 100000 trials", ["large"], {"R": states((1, 100000), (0, 100000)), **target}
        for comment, data in (("few questions", five), ("airline", examples.AIRLINE), ("no success", states((0, 4), (0, 4))),
                              ("every trial a success", states((4, 4), (4, 4))), ("rare success", states((1, 400), (0, 400)))):
            yield f"{q}, shape beta, {comment}", ["beta"], {"R": data, **target, "shape": "beta"}
        for c in (1e-8, 0.5, 0.99, 1 - 2**-53):
            yield f"{q}, shape beta, confidence {c!r}", ["beta", "confidence"], {"R": five, **target, "shape": "beta", "confidence": c}
        yield f"{q}, shape beta, graded", ["beta", "weights"], {"R": GRADED, "w": [-1.0, 0.0, 2.5], **target, "shape": "beta"}
        yield f"{q}, shape wilson given", ["alias"], {"R": five, **target, "shape": "wilson"}
        for comment, flags, args in random_grades(307 + len(q), 6, prior=False):  # the lengths differ: two seeds
            yield f"{q}, {comment}", flags, {**args, **target}
    target = {"questions": "sampled"}
    for size in (5, 6, 10, 1000, 10**9):
        yield f"a pool of {size} questions", ["pool"], {"R": five, **target, "pool": size}
    yield "a pool and a single trial among others", ["pool", "ragged"], {"R": mixed, **target, "pool": 8, "missing": "drop"}
    yield "a pool and single trials only: the pool has no effect", ["pool"], {"R": ones, **target, "pool": 20}
    yield "a pool, shape beta", ["pool", "beta"], {"R": five, **target, "pool": 9, "shape": "beta"}
    yield "a pool and one question", ["pool", "boundary"], {"R": states((3, 8)), **target, "pool": 4}
    yield "two clusters", ["clusters"], {"R": five, **target, "clusters": [0, 0, 1, 1, 1]}
    yield "clusters named by text", ["clusters"], {"R": five, **target, "clusters": ["a", "b", "a", "c", "b"]}
    yield "every question a separate cluster", ["clusters", "alias"], {"R": five, **target, "clusters": [5, 4, 3, 2, 1]}
    yield "one cluster", ["clusters", "boundary"], {"R": five, **target, "clusters": [7, 7, 7, 7, 7]}
    yield "clusters of single trials", ["clusters"], {"R": ones, **target, "clusters": [1, 1, 2, 2, 3]}
    yield "clusters, shape beta", ["clusters", "beta"], {"R": five, **target, "clusters": [0, 0, 1, 1, 2], "shape": "beta"}
    yield "clusters of unequal rows", ["clusters", "ragged"], {"R": mixed, **target, "clusters": [0, 1, 1, 0], "missing": "drop"}
    some_empty = {"matrix": [[1, None, 0], [None, None, None], [0, 0, 1], [1, 1, 1]]}
    yield "the cluster label of a dropped question is dropped", ["clusters", "missing"], {"R": some_empty, **target, "clusters": [0, 9, 0, 1], "missing": "drop"}
    yield "fifty tasks in five clusters", ["clusters"], {"R": examples.AIRLINE, **target, "clusters": [i // 10 for i in range(50)]}


def tally():
    plain = {"matrix": [[0, 1, 1], [1, 1, 1]]}
    yield "C from the data", ["plain"], {"R": plain}
    yield "only failures: C is at least 1", ["boundary"], {"R": {"matrix": [[0, 0]]}}
    yield "C given, categories unobserved", ["unobserved"], {"R": plain, "C": 4}
    yield "C = 1 given", ["alias"], {"R": plain, "C": 1}
    yield "one cell", ["boundary"], {"R": {"matrix": [[1]]}}
    yield "one high category", ["plain"], {"R": {"matrix": [[0, 9], [3, 0]]}}
    yield "the worked rubric matrix", ["plain"], {"R": RUBRIC}
    yield "tau-bench airline", ["plain"], {"R": examples.AIRLINE}
    holes = {"matrix": [[2, None, 0], ["nan", 1, None], [None, None, None]]}
    yield "missing dropped; a question may have none left", ["missing"], {"R": holes, "missing": "drop"}
    for c in (0, 1, 2):
        yield f"missing counted as category {c}", ["missing"], {"R": holes, "missing": c}
    yield "missing counted as a category above all that occur", ["missing"], {"R": holes, "C": 3, "missing": 3}
    rows = {"matrix": [[1, 1, 0], [1], [0, 0, 0, 0]]}
    yield "unequal rows: absent ends of rows are not dropped entries", ["ragged"], {"R": rows, "missing": "drop"}
    yield "unequal rows with missing entries", ["ragged", "missing"], {"R": {"matrix": [[1, None, 0], [1], [None, 0, 0, 0]]}, "missing": "drop"}
    for c in (0, 1):
        yield f"unequal rows filled with {c}", ["ragged"], {"R": rows, "missing": c}
    yield "a question without any trial", ["ragged", "boundary"], {"R": {"matrix": [[1, 0], []]}, "missing": "drop"}
    for code in (-1, 9, 0):
        m = {"matrix": [[code, 1, 2], [1, code, code]]}
        yield f"{code} stands for missing, dropped", ["missing"], {"R": m, "missing": "drop", "missing_code": code}
        yield f"{code} stands for missing, counted as 1", ["missing"], {"R": m, "missing": 1, "missing_code": code}
    yield "a code that does not occur", ["missing"], {"R": plain, "missing_code": -1}
    yield "a code and null together", ["missing"], {"R": {"matrix": [[-9, 1, None]]}, "missing": "drop", "missing_code": -9}
    yield "a policy though nothing is missing", ["missing"], {"R": plain, "missing": "drop"}
    for M, N, C, seed in ((30, 80, 1, 31), (7, 500, 1, 32), (12, 300, 5, 33), (100, 16, 2, 34), (2, 40000, 3, 35), (1, 100000, 1, 36)):
        yield f"{M} x {N} by recipe", ["large"], {"R": recipe(M, N, seed, C)}
    yield "counters of 8 bits would overflow", ["large"], {"R": states((256, 300), (255, 300))}
    yield "counters of 16 bits would overflow", ["large"], {"R": states((65536, 70000), (65535, 70000))}
    yield "the high categories of a wide table", ["large"], {"R": {"matrix": [[127, 128, 255, 0]]}}
    rng = Random(309)
    for i in range(14):
        M, N, C = rng.randint(1, 4), rng.randint(1, 15), rng.randint(1, 6)
        hole = i % 2
        m = [[None if hole and rng.randint(0, 5) == 0 else rng.randint(0, C) for _ in range(N)] for _ in range(M)]
        yield f"random table {i + 1} of seed 309", ["random"], {"R": {"matrix": m}, "C": C, **({"missing": "drop"} if hole else {})}
