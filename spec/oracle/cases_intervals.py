"""Cases of intervals for every metric: interval and prob_above; and of compare and ranges by metric."""
from random import Random

import cases_answers
import examples
from cases import recipe, states
from cases_hypergeometric import GRADED, many_levels
from files import METRICS

FIXED, SAMPLED, DROP = {"questions": "fixed"}, {"questions": "sampled"}, {"missing": "drop"}
W3, W5 = [0.0, 0.5, 1.0], [0.0, 0.2, 0.5, 0.9, 1.0]
BLOCK_A, BLOCK_B = examples.BLOCK_A, examples.BLOCK_B
EIGHT, SEVEN = states((0, 8), (3, 8), (5, 8), (8, 8), (7, 8)), states((0, 7), (3, 7), (5, 7), (7, 7), (6, 7))
MIXED = states((2, 3), (4, 4), (0, 7), (5, 6), (11, 20))
ONES, SOME_ONES = states((1, 1), (0, 1), (1, 1), (0, 1), (0, 1)), states((1, 1), (2, 3), (0, 2), (5, 8))
SIXES = {"counts": [[3, 1, 2], [0, 5, 1], [2, 2, 2], [6, 0, 0], [1, 4, 1]]}
CLEAR = {"counts": [[6, 0, 0], [0, 6, 0], [0, 0, 6], [0, 1, 5], [5, 1, 0], [6, 0, 0], [0, 6, 0], [1, 5, 0]]}  # little variance
WITH_MISSING = {"matrix": [[1, None, 0, 1, 1], [None] * 5, [0, 0, "nan", 1, 0], [1, 1, 1, 1, None], [None, "nan", None, None, None]]}
BINARY = ({"metric": "pass_at_k"}, {"metric": "pass_hat_k"}, {"metric": "g_pass_at_k_tau", "tau": 0.5}, {"metric": "maj_at_k"}, {"metric": "mg_pass_at_k"}, {"metric": "auc_at_k"})
# for each metric an alias, or its name if it has none
SHORT = {m["name"]: (*m["aliases"], m["name"])[0] for m in METRICS}
# metrics that take k alone and are not in BINARY: general_cases has their cases
FURTHER = [m["name"] for m in METRICS if "interval" in m["where"] and m["takes"] == ["k"] and m["name"] not in [x["metric"] for x in BINARY]]
NO_MODEL = {"model": None}
PASS2, BEST2, BEST4 = {"metric": "pass_at_k", "k": 2}, {"metric": "max_at_k", "k": 2, "w": W3}, {"metric": "max_at_k", "k": 4, "w": W3}


def modelled_flag(n, k):
    """The flag of a question of n trials if its variance is modelled, in a list."""
    return [] if n >= 2 * k else ["modelled"]


def metric_cases():
    """Cases of the metrics with several k up to n, variance measured and modelled: (comment, flags, args)."""
    for i, m in enumerate(BINARY):
        name = m["metric"]
        for k, data, n in ((1, EIGHT, 8), (4, EIGHT, 8), (4, SEVEN, 7), (8, EIGHT, 8)):
            if k == 1 and i % 2:  # at k = 1 every metric is the mean, except mg_pass_at_k, which is 0
                continue
            what = {1: "k = 1", 8: "k = n"}.get(k, "2k = n" if n == 8 else "2k = n + 1")
            flags = ["boundary"] + modelled_flag(n, k) + (["exact-zero"] if name.startswith("mg") and k == 1 else [])
            yield f"{SHORT[name] if n == 7 else name}, {what}", flags, {"R": data, **m, "metric": SHORT[name] if n == 7 else name, "k": k}
        yield f"{name}, unequal trials, some of them 2k or more", ["ragged", "modelled"], {"R": MIXED, **m, "k": 3}
        yield f"{name}, no model: the jackknife", ["no-model"], {"R": EIGHT, **m, "k": 6, **NO_MODEL}
        yield f"{name}, no model, some questions with n = k", ["ragged", "no-model"], {"R": MIXED, **m, "k": 3, **NO_MODEL}
    for k, what in ((1, "k = 1"), (3, "2k = n"), (4, "2k > n: a bound by levels"), (6, "k = n")):
        yield f"max_at_k, {what}", ["boundary"] + modelled_flag(6, k), {"R": SIXES, "metric": "max_at_k", "k": k, "w": W3}
    yield "max_at_k, a bound by levels of little variance", ["modelled"], {"R": CLEAR, **BEST4}
    yield "max_at_k, no model: the jackknife, level by level", ["no-model"], {"R": CLEAR, **BEST4, **NO_MODEL}
    yield "max_at_k, no model, k = n", ["no-model", "boundary"], {"R": SIXES, "metric": "max_at_k", "k": 6, "w": W3, **NO_MODEL}
    yield "max_at_k, default scores: pass_at_k", ["alias"], {"R": EIGHT, "metric": "max_at_k", "k": 4}
    yield "max@k, default scores, 2k > n", ["alias", "modelled"], {"R": SEVEN, "metric": "max@k", "k": 4}
    yield "mean of scores", ["plain"], {"R": SIXES, "metric": "mean", "w": W3}


def weight_cases():
    """Cases of max_at_k with scores w: (comment, flags, args)."""
    sets = (("unsorted", [0.5, 2.0, -1.0]), ("falling", [3.0, 2.0, 0.0]), ("two of them equal", [1.0, 0.0, 1.0]), ("huge", [-8e299, 0.0, 8e299]), ("far from zero", [1e15, 1e15 + 1, 1e15 + 2]),
            ("from 1e-8 to 1e8", [1e-8, 1.0, 1e8]), ("all equal", [0.7, 0.7, 0.7]), ("negative", [-3.0, -0.25, -1.0]), ("of 1e-300", [1e-300, 5e-300, 2e-300]))
    for i, (what, w) in enumerate(sets):
        k = 2 if i % 3 == 0 else 4
        yield f"scores {what}, k = {k}", ["weights"] + modelled_flag(6, k), {"R": CLEAR, "metric": "max_at_k", "k": k, "w": w}
    five = {"R": recipe(12, 9, 401, C=4), "w": W5}
    for k in (1, 4, 5, 9):
        yield f"five categories by recipe, k = {k}", ["large"] + modelled_flag(9, k), {**five, "metric": "max_at_k", "k": k}
    yield "unobserved categories at both ends", ["unobserved"], {"R": SIXES, "metric": "max_at_k", "k": 3, "w": [0.25, 0.5, 1.0, 9.0, -7.0]}
    yield "a single category", ["boundary"], {"R": {"matrix": [[0, 0, 0], [0, 0, 0]]}, "metric": "max_at_k", "k": 2, "w": [0.7]}
    yield "some single trials, three grades: a bound by levels", ["ragged", "weights"], {"R": {"counts": [[0, 1, 0], [2, 1, 1], [0, 0, 3], [1, 0, 0]]}, "metric": "max_at_k", "k": 1, "w": W3}
    for comment, flags, args in many_levels():
        yield f"{comment}, k = 2", flags, {**args, "metric": "max_at_k", "k": 2}
        yield f"{comment}, the mean", flags, args


def extreme_cases():
    """Only successes, only failures, a single question: (comment, flags, args)."""
    for name, k in (("pass_at_k", 2), ("pass_hat_k", 3), ("mg_pass_at_k", 3), ("max_at_k", 3)):
        for c, what in ((4, "success"), (0, "failure")):
            yield f"{name}, every trial a {what}, k = {k} of 4", ["boundary"] + modelled_flag(4, k), {"R": states(*[(c, 4)] * 3), "metric": name, "k": k}
    for m, k, c in ((BINARY[0], 3, 4), (BINARY[3], 6, 7), (BINARY[5], 10, 1), (BINARY[1], 6, 8)):
        yield f"{m['metric']}, one question, {c} successes in 10 trials, k = {k}", ["boundary"] + modelled_flag(10, k), {"R": states((c, 10)), **m, "k": k}
    yield "one question of 4 trials, k = n, no model", ["boundary", "no-model"], {"R": states((3, 4)), "metric": "pass_hat_k", "k": 4, **NO_MODEL}
    yield "questions with only successes or only failures", ["boundary", "modelled"], {"R": states((4, 4), (0, 4), (4, 4)), "metric": "pass_hat_k", "k": 3}
    yield "equal questions", ["boundary", "modelled"], {"R": states(*[(2, 4)] * 4), "metric": "pass_at_k", "k": 3}


def large_cases():
    yield "pass_at_k, a million trials, theta is 1 - 1e-12", ["large", "cancellation"], {"R": states((999000, 10**6), (999000, 10**6)), "metric": "pass_at_k", "k": 4}
    yield "pass_at_k, theta is 1 - 3e-16, one question has no failures", ["large", "cancellation"], {"R": states((999990, 10**6), (10**6, 10**6), (999993, 10**6)), "metric": "pass_at_k", "k": 3}
    yield "pass_hat_k, a million trials, rare failure", ["large", "cancellation"], {"R": states((999999, 10**6), (999950, 10**6)), "metric": "pass_hat_k", "k": 8}
    yield "pass_hat_k, rare success", ["large"], {"R": states((30, 10**5), (500, 10**5)), "metric": "pass_hat_k", "k": 2}
    yield "pass_hat_k, k just within the successes", ["large"], {"R": states((15, 400), (390, 400)), "metric": "pass_hat_k", "k": 12}
    yield "maj_at_k of 3 from 10000 and 20000", ["large", "ragged"], {"R": states((100, 10000), (9000, 10000), (9999, 20000)), "metric": "maj_at_k", "k": 3}
    yield "g_pass_at_k_tau of 5 from 10000", ["large"], {"R": states((700, 10000), (9100, 10000)), "metric": "g_pass_at_k_tau", "k": 5, "tau": 0.6}
    yield "mg_pass_at_k of 4 from 10000", ["large"], {"R": states((700, 10000), (9100, 10000)), "metric": "mg_pass_at_k", "k": 4}
    yield "auc_at_k of 8 from 10000", ["large"], {"R": states((70, 10000), (9100, 10000)), "metric": "auc_at_k", "k": 8}
    yield "max_at_k of 5 from a million", ["large"], {"R": {"counts": [[900000, 99990, 10], [999999, 0, 1], [0, 10**6, 0]]}, "metric": "max_at_k", "k": 5, "w": W3}
    yield "mean, a million trials, all but one a success", ["large", "cancellation"], {"R": states((999999, 10**6), (10**6, 10**6)), "metric": "mean"}
    for k, n, chosen in ((64, 64, (0, 3)), (64, 100, (1, 2, 5)), (64, 127, (3, 4)), (64, 128, (0, 1, 5)), (50, 1000, (1, 3))):
        for m in (BINARY[i] for i in chosen):
            flags = ["large"] + modelled_flag(n, k)
            yield f"{m['metric']}, k = {k} of {n}", flags, {"R": states((1, n), (n // 3, n), (n // 2 + 2, n), (n - 3, n), (n, n)), **m, "k": k}
    yield "max_at_k, k = 64 of 100, three levels", ["large", "modelled"], {"R": {"counts": [[97, 2, 1], [99, 1, 0], [40, 59, 1]]}, "metric": "max_at_k", "k": 64, "w": W3}
    yield "max_at_k, k = 64 of 128, three levels", ["large"], {"R": {"counts": [[125, 2, 1], [127, 1, 0], [40, 87, 1]]}, "metric": "max_at_k", "k": 64, "w": W3}
    for m, k in ((BINARY[0], 4), (BINARY[1], 12), (BINARY[4], 16)):
        yield f"{m['metric']}, two hundred questions by recipe, k = {k} of 16", ["large"] + modelled_flag(16, k), {"R": recipe(200, 16, 402), **m, "k": k}
    yield "majority of 29 from 64", ["threshold", "large"], {"R": states((14, 64), (17, 64), (50, 64)), "metric": "maj_at_k", "k": 29}
    yield "tau k is 7.000000000000001 in floating point", ["threshold", "modelled"], {"R": states((8, 40), (14, 40), (3, 40)), "metric": "g_pass_at_k_tau", "k": 25, "tau": 0.28}


def missing_cases():
    for policy in ("drop", 0, 1):
        k = 3 if policy == "drop" else 2
        yield f"missing trials, policy {policy}", ["missing"] + modelled_flag(4, k), {"R": WITH_MISSING, "metric": "pass_at_k", "k": k, "missing": policy}
    yield "questions without trials, as counts", ["missing"], {"R": {"counts": [[0, 0], [2, 3], [0, 0], [1, 4]]}, "metric": "pass_hat_k", "k": 2}
    yield "unequal rows, dropped", ["ragged", "modelled"], {"R": {"matrix": [[1, 1, 0], [0, 1], [1, 0, 0, 1, 1], [0, 0, 0]]}, **PASS2, **DROP}
    yield "graded, missing counts as category 2", ["missing", "weights"], {"R": {"matrix": [[0, None, 2, 1], [1, 1, 0, 0], [2, None, None, 1]]}, **BEST2, "missing": 2}


def random_cases(seed, number):
    """Random outcomes under a random metric: (comment, flags, args)."""
    rng = Random(seed)
    for i in range(number):
        M, k = rng.randint(1, 6), rng.randint(1, 6)
        m = rng.choice([*BINARY, {"metric": "max_at_k"}])
        w = [rng.randint(-500, 500) / 100 for _ in range(rng.randint(2, 5))] if m["metric"] == "max_at_k" else None
        most = rng.choice((k, 2 * k - 1, 3 * k))
        matrix = [[rng.randint(0, len(w) - 1 if w else 1) for _ in range(rng.randint(k, most))] for _ in range(M)]
        args = {"R": {"matrix": matrix}, **m, "k": k, **DROP, **({"w": w} if w else {}), **(NO_MODEL if i % 4 == 3 else {})}
        if m["metric"] == "g_pass_at_k_tau":
            args["tau"] = rng.randint(0, 100) / 100
        yield f"random outcomes {i + 1} of seed {seed}", ["random"], args


def every_nth(cases, step, start=0):
    return list(cases)[start::step]


def interval():
    for name, args, printed in examples.GOLDEN_METRICS:
        if name == "interval":
            yield f"golden mu, lo, hi, n_eff: {printed.replace(' ', ', ')}", ["golden"], args
    fixed_cases = [*metric_cases(), *extreme_cases(), *large_cases(), *missing_cases(), *random_cases(411, 10)]
    for comment, flags, args in fixed_cases:
        yield f"fixed, {comment}", flags, {**args, **FIXED}
    for comment, flags, args in [*every_nth(metric_cases(), 6), *every_nth(extreme_cases(), 6, 1), *every_nth(large_cases(), 10, 2), *every_nth(missing_cases(), 3), *random_cases(412, 3)]:
        yield f"sampled, {comment}", [f for f in flags if f not in ("modelled", "no-model")] or ["plain"], {**args, **SAMPLED}
    for i, (comment, flags, args) in enumerate(weight_cases()):
        yield f"{'sampled' if i % 3 == 2 else 'fixed'}, {comment}", flags, {**args, **(SAMPLED if i % 3 == 2 else FIXED)}
    yield "avg is another name of mean", ["alias"], {"R": BLOCK_A, "metric": "avg", **FIXED}
    yield "mean is the default", ["alias"], {"R": BLOCK_A, **FIXED}
    yield "the mean ignores model", ["alias", "no-model"], {"R": BLOCK_A, **FIXED, **NO_MODEL}
    yield "mean with scores, shape beta, a pool", ["weights", "beta", "pool"], {"R": GRADED, "w": [-1.0, 0.0, 2.5], **SAMPLED, "pool": 30, "shape": "beta"}
    for q in (FIXED, SAMPLED):
        yield f"{q['questions']}, k = 1, single trials only", ["boundary"], {"R": ONES, "metric": "pass_at_k", "k": 1, **q}
        yield f"{q['questions']}, k = 1, a single trial among others", ["ragged"], {"R": SOME_ONES, "metric": "pass_hat_k", "k": 1, **q}
        yield f"{q['questions']}, no model, k = n everywhere", ["no-model", "boundary"], {"R": BLOCK_A, "metric": "pass_at_k", "k": 4, **NO_MODEL, **q}
    for c in (0.5, 0.9, 0.99, 0.999999, 1 - 2**-53):
        yield f"confidence {c!r}", ["confidence", "modelled"], {"R": BLOCK_A, "metric": "pass_at_k", "k": 3, **FIXED, "confidence": c}
    for c in (0.5, 0.999999):
        yield f"confidence {c!r}, best of 4, a bound by levels", ["confidence", "modelled"], {"R": CLEAR, **BEST4, **FIXED, "confidence": c}
    for comment, args in (("pass_at_k", {"R": BLOCK_A, **PASS2}), ("pass_hat_k, no success", {"R": states((0, 4), (0, 4)), "metric": "pass_hat_k", "k": 2}), ("pass_at_k, every trial a success", {"R": states((4, 4), (4, 4)), **PASS2}),
                          ("pass_hat_k, very rare", {"R": states((3, 400), (0, 400)), "metric": "pass_hat_k", "k": 2}), ("best of 4, a bound by levels", {"R": CLEAR, **BEST4}), ("auc_at_k, k = n", {"R": BLOCK_A, "metric": "auc_at_k", "k": 4})):
        yield f"shape beta, {comment}", ["beta"], {**args, **FIXED, "shape": "beta"}
    yield "shape beta, sampled, confidence 0.9", ["beta", "confidence"], {"R": BLOCK_A, **PASS2, **SAMPLED, "shape": "beta", "confidence": 0.9}
    for size in (5, 6, 12, 10**9):
        yield f"a pool of {size} questions, k = 3 of 4", ["pool", "modelled"], {"R": BLOCK_A, "metric": "pass_at_k", "k": 3, **SAMPLED, "pool": size}
    yield "a pool, 2k = n", ["pool"], {"R": BLOCK_A, **PASS2, **SAMPLED, "pool": 9}
    yield "a pool, no model, some questions with n = k", ["pool", "no-model", "ragged"], {"R": MIXED, "metric": "maj_at_k", "k": 3, **SAMPLED, "pool": 9, **NO_MODEL}
    yield "a pool, no model, k = n everywhere: the pool has no effect", ["pool", "no-model"], {"R": BLOCK_A, "metric": "pass_hat_k", "k": 4, **SAMPLED, "pool": 20, **NO_MODEL}
    yield "a pool, best of 4, a bound by levels", ["pool", "modelled", "weights"], {"R": CLEAR, **BEST4, **SAMPLED, "pool": 10}
    yield "a pool and one question", ["pool", "boundary"], {"R": states((3, 8)), **PASS2, **SAMPLED, "pool": 4}
    yield "clusters", ["clusters"], {"R": BLOCK_A, **PASS2, **SAMPLED, "clusters": ["a", "b", "a", "c", "b"]}
    yield "one cluster", ["clusters", "boundary"], {"R": BLOCK_A, **PASS2, **SAMPLED, "clusters": [7] * 5}
    yield "clusters, k = n, no model", ["clusters", "no-model"], {"R": BLOCK_A, "metric": "pass_at_k", "k": 4, **SAMPLED, **NO_MODEL, "clusters": [1, 1, 2, 2, 3]}
    yield "clusters of dropped questions, shape beta", ["clusters", "missing", "beta"], {"R": WITH_MISSING, **PASS2, **SAMPLED, "clusters": [0, 9, 0, 1, 8], **DROP, "shape": "beta"}
    yield "clusters of grades", ["clusters", "weights"], {"R": SIXES, **BEST2, **SAMPLED, "clusters": [0, 0, 1, 1, 2]}
    yield from cases_answers.interval_cases()
    yield "fifty tasks in five clusters, pass_hat_k", ["clusters"], {"R": examples.AIRLINE, "metric": "pass_hat_k", "k": 3, **SAMPLED, "clusters": [i // 10 for i in range(50)]}


# ---------------------------------------------------------------- prob_above

def prob_above():
    for i, (comment, flags, args) in enumerate([*every_nth(metric_cases(), 3), *every_nth(large_cases(), 6), *every_nth(extreme_cases(), 4), *every_nth(missing_cases(), 3)]):
        target = SAMPLED if i % 3 == 1 else FIXED
        flags = flags if target is FIXED else [f for f in flags if f not in ("modelled", "no-model")] or ["plain"]
        yield f"{target['questions']}, {comment}", [f for f in flags if f != "exact-zero"], {**args, "t": 0.5 if "large" in flags else (0.5, 0.25, 0.8, 0.95)[i % 4], **target}
    block_pass2 = {"R": BLOCK_A, "metric": "pass_at_k", "k": 2}
    for t in (1e-300, 1e-12, 0.01, 0.3, 0.6, 0.6666666666666666, 0.7, 0.99, 0.9998):
        for target in (FIXED, SAMPLED):
            flags = ["boundary"] if t < 1e-9 else ["underflow"] if t > 0.999 else ["cancellation"] if 0.66 < t < 0.67 else ["plain"]
            yield f"{target['questions']}, t = {t!r}", flags, {**block_pass2, "t": t, **target}
    yield "t equals the estimate: one half", ["ties"], {"R": states((2, 4), (1, 4), (3, 4)), "t": 0.5, **FIXED}
    yield "t equals the estimate of scores: one half", ["ties", "weights"], {"R": {"counts": [[2, 0, 2], [0, 4, 0]]}, "t": -1.0, "w": [-3.0, -1.0, 1.0], **SAMPLED}
    yield "every trial a success, t next to 1", ["boundary"], {"R": states((4, 4), (4, 4)), "t": 1 - 2**-53, **FIXED}
    yield "every trial a failure, t = 0.5", ["boundary"], {"R": states((0, 4), (0, 4)), "t": 0.5, **FIXED}
    yield "every trial a failure, many questions: P is small", ["underflow"], {"R": states(*[(0, 9)] * 40), "t": 0.5, **FIXED}
    yield "every trial a failure, P below the double range", ["underflow"], {"R": states(*[(0, 9)] * 40), "t": 0.9, **FIXED}
    yield "every trial a failure, P is subnormal", ["underflow"], {"R": states(*[(0, 10)] * 143), "t": 0.5, **FIXED}
    yield "P is 1 as a double", ["boundary"], {"R": states(*[(9, 9)] * 40), "t": 0.5, **FIXED}
    for what, w, t in (("unsorted", [0.5, 2.0, -1.0], 1.75), ("falling", [3.0, 2.0, 0.0], 2.75), ("huge", [-8e299, 0.0, 8e299], 5e299), ("far from zero", [1e15, 1e15 + 1, 1e15 + 2], 1e15 + 1.5), ("of 1e-300", [1e-300, 5e-300, 2e-300], 4e-300)):
        for m in (BEST4, {"metric": "mean"}):
            yield f"{m['metric']}, scores {what}", ["weights"], {"R": CLEAR, **m, "w": w, "t": t, **FIXED}
    yield "a pool", ["pool", "modelled"], {"R": BLOCK_A, "metric": "pass_hat_k", "k": 3, "t": 0.4, **SAMPLED, "pool": 12}
    yield "clusters", ["clusters"], {**block_pass2, "t": 0.4, **SAMPLED, "clusters": ["a", "b", "a", "c", "b"]}
    yield "clusters of dropped questions", ["clusters", "missing"], {"R": WITH_MISSING, **PASS2, "t": 0.75, **SAMPLED, "clusters": [0, 9, 0, 1, 8], **DROP}
    yield "no model, k = n everywhere", ["no-model"], {"R": BLOCK_A, "metric": "pass_at_k", "k": 4, "t": 0.6, **FIXED, **NO_MODEL}
    yield "the mean without scores is the default", ["alias"], {"R": BLOCK_A, "t": 0.4, **FIXED}
    yield "pass@k is another name of pass_at_k", ["alias"], {"R": BLOCK_A, "metric": "pass@k", "k": 2, "t": 0.4, **FIXED}
    yield "airline, pass^4 above 0.15", ["plain"], {"R": examples.AIRLINE, "metric": "pass^k", "k": 4, "t": 0.15, **SAMPLED}
    yield from cases_answers.prob_above_cases()
    rng = Random(413)
    for i, (comment, flags, args) in enumerate(random_cases(414, 10)):
        low, high = (min(args["w"]), max(args["w"])) if "w" in args else (0.0, 1.0)
        yield comment, flags, {**args, "t": low + (high - low) * rng.randint(5, 95) / 100, **(SAMPLED if i % 2 else FIXED)}


# ---------------------------------------------------------------- two or more models, by metric

def compare_cases():
    """Cases of compare for metrics other than the mean."""
    for name, args, printed in examples.GOLDEN_METRICS:
        if name == "compare":
            yield f"golden mu, df, p_value: {printed.replace(' ', ', ')}", ["golden"], args
    other, seven_or_more = states((1, 8), (2, 8), (6, 8), (8, 8), (4, 8)), states((1, 9), (2, 7), (5, 10), (7, 7), (6, 8))
    for i, m in enumerate(BINARY):
        name = m["metric"]
        yield f"fixed, {name}, 2k = n", ["plain"], {"A": EIGHT, "B": other, **m, "k": 4, **FIXED}
        yield f"sampled, {name}, k = 7 of 8", ["t-distribution"], {"A": EIGHT, "B": other, **m, "k": 7, **SAMPLED}
        if i % 2:
            yield f"fixed, {name}, 2k > n on both sides", ["modelled"], {"A": EIGHT, "B": other, **m, "k": 7, **FIXED}
            yield f"different questions, {name}", ["unpaired"], {"A": EIGHT, "B": MIXED, **m, "k": 3, **SAMPLED, "paired": False}
        else:
            yield f"fixed, {name}, 2k > n on one side, and on some questions of the other", ["ragged", "modelled"], {"A": SEVEN, "B": seven_or_more, **m, "k": 4, **FIXED}
            yield f"fixed, {name}, no model, the jackknife", ["no-model"], {"A": EIGHT, "B": other, **m, "k": 5, **FIXED, **NO_MODEL}
    clearer = {"counts": [[5, 0, 0], [1, 6, 0], [0, 3, 6], [0, 0, 5], [5, 1, 0], [6, 0, 1], [4, 0, 0], [1, 5, 0]]}
    grades = {"counts": [[2, 3, 1], [1, 1, 4], [3, 0, 3], [5, 1, 0], [0, 2, 4]]}
    for q in (FIXED, SAMPLED):
        name = q["questions"]
        yield f"{name}, max_at_k, 2k < n", ["weights"], {"A": SIXES, "B": grades, **BEST2, **q}
        yield f"{name}, max_at_k, a bound by levels", ["weights"], {"A": CLEAR, "B": clearer, "metric": "max@k", "k": 4, "w": [2.0, -0.5, -3.0], **q}
        yield f"{name}, no model, k = n on one side: that model has a single block", ["no-model", "t-distribution"], {"A": BLOCK_A, "B": states((1, 5), (5, 5), (0, 5), (0, 5), (1, 5)), "metric": "pass_at_k", "k": 4, **NO_MODEL, **q}
        yield f"{name}, equal except for one question: D is 6e-10", ["cancellation", "large"], {"A": states((99990, 10**5), (50000, 10**5), (100, 10**5)), "B": states((99991, 10**5), (50000, 10**5), (100, 10**5)), **PASS2, **q}
        yield f"{name}, only successes against only failures, k = n", ["boundary", "clip"], {"A": states(*[(4, 4)] * 3), "B": states(*[(0, 4)] * 3), "metric": "pass_hat_k", "k": 4, **q}
        yield f"{name}, only failures against only successes: P is small", ["underflow"] if q is FIXED else ["t-distribution"], {"A": states(*[(0, 9)] * 12), "B": states(*[(9, 9)] * 12), **PASS2, **q}
        yield f"{name}, a question that one side lacks is dropped", ["missing", "modelled"] if q is FIXED else ["missing"], \
            {"A": {"matrix": [[1, None, 0, 1], [None] * 4, [0, 0, 1, 1], [1, 1, 1, 0]]}, "B": {"matrix": [[0, 0, 1, 0], [1, 1, 1, 1], [0, None, 1, None], [0, 0, 1, 1]]}, **PASS2, **DROP, **q}
    yield "fixed, max_at_k, all scores equal", ["weights", "exact-zero"], {"A": SIXES, "B": grades, "metric": "max_at_k", "k": 3, "w": [0.7, 0.7, 0.7], **FIXED}
    yield "fixed, mg_pass_at_k with k = 1 is 0", ["exact-zero", "boundary"], {"A": BLOCK_A, "B": BLOCK_B, "metric": "mg_pass_at_k", "k": 1, **FIXED}
    yield "fixed, the same model twice", ["exact-zero", "ties"], {"A": BLOCK_A, "B": BLOCK_A, "metric": "auc_at_k", "k": 3, **FIXED}
    yield "fixed, equal pass_at_k from different questions", ["exact-zero", "ties"], {"A": states((2, 4), (4, 4)), "B": states((4, 4), (2, 4)), **PASS2, **FIXED}
    yield "fixed, no model, k = n of some questions", ["no-model", "ragged"], {"A": MIXED, "B": states((1, 3), (5, 8), (2, 9), (6, 6), (0, 3)), "metric": "pass_hat_k", "k": 3, **NO_MODEL, **FIXED}
    yield "fixed, two by recipe", ["large"], {"A": recipe(100, 16, 404), "B": recipe(100, 16, 405), "metric": "pass_at_k", "k": 9, **FIXED}
    yield "fixed, k = 64 of 100", ["large"], {"A": states((1, 100), (30, 100), (60, 100)), "B": states((2, 100), (10, 100), (97, 100)), "metric": "maj_at_k", "k": 64, **FIXED}
    yield "fixed, max_at_k, scores of 8e299", ["weights"], {"A": CLEAR, "B": clearer, "metric": "max_at_k", "k": 4, "w": [-8e299, 0.0, 8e299], **FIXED}
    yield "fixed, equal except for one question, pass_hat_k", ["cancellation", "large"], {"A": states((10, 10**5), (50000, 10**5), (99000, 10**5)), "B": states((9, 10**5), (50000, 10**5), (99000, 10**5)), "metric": "pass_hat_k", "k": 2, **FIXED}
    yield "fixed, both next to 1", ["cancellation", "large"], {"A": states((999000, 10**6), (10**6, 10**6)), "B": states((999500, 10**6), (999900, 10**6)), "metric": "pass_at_k", "k": 3, **FIXED}
    yield "one question, k = n", ["boundary", "modelled"], {"A": states((3, 4)), "B": states((1, 4)), "metric": "pass_hat_k", "k": 4, **FIXED}
    yield "different questions, best of 4, a bound by levels", ["unpaired", "weights"], {"A": CLEAR, "B": {"counts": [[1, 2, 3], [0, 6, 0], [5, 0, 1]]}, **BEST4, **SAMPLED, "paired": False}
    yield "different questions, no model, k = n everywhere", ["unpaired", "no-model"], {"A": BLOCK_A, "B": states((1, 4), (3, 4)), "metric": "pass_at_k", "k": 4, **SAMPLED, "paired": False, **NO_MODEL}
    yield "avg is another name of mean", ["alias"], {"A": BLOCK_A, "B": BLOCK_B, "metric": "avg", **FIXED}
    yield from cases_answers.compare_cases()
    for i, (comment, flags, args) in enumerate(many_levels()):
        A, rest = args["R"]["matrix"], {p: x for p, x in args.items() if p != "R"}
        data = {"A": args["R"], "B": {"matrix": [row[::-1] for row in A[1:] + A[:1]]}, **rest}
        yield f"{comment}, k = 2", flags, {**data, "metric": "max_at_k", "k": 2, **(SAMPLED if i % 2 else FIXED)}
        yield f"{comment}, the mean", flags, {**data, **(FIXED if i % 2 else SAMPLED)}
    for i, (comment, flags, args) in enumerate(random_cases(416, 12)):
        rng = Random(1000 + i)
        rows = args["R"]["matrix"]
        if len(rows) > 1:
            top = len(args["w"]) - 1 if "w" in args else 1
            B = {"matrix": [[rng.randint(0, top) for _ in range(rng.randint(args["k"], 2 * args["k"] + 2))] for _ in rows]}
            yield comment, flags, {"A": args["R"], "B": B, **{p: x for p, x in args.items() if p != "R"}, **(SAMPLED if i % 2 else FIXED), "confidence": rng.randint(50, 99) / 100}


def ranges_cases():
    """Cases of ranges for metrics other than the mean."""
    def mapping(*models):
        return {"models": {f"m{i}": x for i, x in enumerate(models)}}

    steps = mapping(*(states((c, 20), (c + 1, 20), (c + 2, 20), (c, 20)) for c in (1, 5, 9, 13, 17)))
    grades = mapping(*({"counts": [[10 - 2 * i, 5, 5 + 2 * i], [9 - 2 * i, 6, 5 + 2 * i], [11 - 2 * i, 6, 3 + 2 * i]]} for i in range(5)))
    for i, m in enumerate(BINARY):
        for k in (4, 13, 20):
            q = FIXED if (i + k) % 3 else SAMPLED
            yield f"{q['questions']}, {m['metric']}, k = {k} of 20", ["mapping"] + (["modelled"] if k > 10 and q is FIXED else []), {"models": steps, **m, "k": k, **q}
        yield f"{m['metric']}, no model, no correction", ["mapping", "no-correction", "no-model"], {"models": steps, **m, "k": 11, **FIXED, **NO_MODEL, "correction": None}
    for k in (1, 3, 12):
        for q in (FIXED, SAMPLED):
            yield f"{q['questions']}, max_at_k, k = {k} of 20", ["mapping", "weights"], {"models": grades, "metric": "max_at_k", "k": k, "w": W3, **q}
    yield "max@k, falling scores", ["mapping", "weights"], {"models": grades, "metric": "max@k", "k": 2, "w": [5.0, 2.0, -1.0], **FIXED}
    yield "max@k, all scores equal: no pair is significant", ["mapping", "weights", "boundary"], {"models": grades, "metric": "max@k", "k": 2, "w": [2.0, 2.0, 2.0], **FIXED}
    yield "mg_pass_at_k with k = 1: no pair is significant", ["mapping", "boundary"], {"models": steps, "metric": "mg_pass_at_k", "k": 1, **FIXED}
    yield "no model, k = n of every model", ["mapping", "no-model"], {"models": steps, "metric": "pass_at_k", "k": 20, **FIXED, **NO_MODEL}
    yield "questions that one of a pair lacks are left out of that pair", ["missing"], {"models": {"tensor": [
        [[1, 1, 1], [None] * 3, [1, 1, 0], [1, 1, 1]], [[0, 0, 1], [1, 1, 1], [0, 0, 0], [0, 1, 0]], [[None] * 3, [0, 0, 0], [0, 0, 1], [0, 0, 0]]]}, **PASS2, **FIXED, **DROP}
    yield "four models by recipe", ["mapping", "large"], {"models": mapping(*(recipe(60, 24, 421 + i) for i in range(4))), "metric": "pass_hat_k", "k": 6, **FIXED}
    for c in (0.6, 0.99):
        yield f"confidence {c}", ["mapping", "confidence"], {"models": steps, **PASS2, **FIXED, "confidence": c}


def flip_rate_cases(function):
    """Cases of flip_rate, which takes no k, and whose variance estimates may be negative."""
    m, halves, other = {"metric": "flip_rate"}, states(*[(2, 4)] * 6, (1, 4)), states((1, 8), (2, 8), (6, 8), (8, 8), (4, 8))
    twos, threes = states((1, 2), (0, 2), (2, 2), (1, 2), (0, 2)), states((1, 3), (0, 3), (3, 3), (2, 3), (0, 3))
    by_alias = {"metric": "flip-rate"}
    if function == "interval":
        for q in (FIXED, SAMPLED):
            name = q["questions"]
            for data, what, flags in ((twos, "two trials: no question shows its variance", ["boundary"]), (threes, "three trials", ["boundary"]), (BLOCK_A, "four trials", ["plain"]),
                                      (EIGHT, "eight trials", ["plain"]), (MIXED, "unequal trials", ["ragged"]), (halves, "variances that sum below 0: the lower bound applies", ["boundary"]),
                                      (states((0, 5), (5, 5), (0, 6)), "no trials differ", ["boundary"]), (states((1, 2), (1, 2)), "all trials differ", ["boundary"]),
                                      (states((999999, 10**6), (500000, 10**6)), "a million trials", ["large"]), (states((2, 4)), "one question", ["boundary"])):
                yield f"{name}, flip_rate, {what}", flags, {"R": data, **m, **q}
        yield "fixed, flip-rate, no model, which flip_rate never uses", ["alias", "no-model"], {"R": threes, **by_alias, **FIXED, **NO_MODEL}
        yield "fixed, flip_rate, beta", ["beta"], {"R": EIGHT, **m, **FIXED, "shape": "beta"}
        yield "sampled, flip_rate, a pool", ["pool"], {"R": EIGHT, **m, **SAMPLED, "pool": 20}
        yield "sampled, flip_rate, clusters", ["clusters"], {"R": EIGHT, **m, **SAMPLED, "clusters": [0, 0, 1, 2, 1]}
        yield "fixed, flip_rate, missing outcomes", ["missing"], {"R": {"matrix": [[1, 0, None], [None] * 3, [1, 1, 0]]}, **m, **FIXED, **DROP}
    elif function == "prob_above":
        yield "fixed, flip_rate", ["plain"], {"R": EIGHT, **m, "t": 0.2, **FIXED}
        yield "sampled, flip_rate, two trials", ["boundary"], {"R": twos, **m, "t": 0.5, **SAMPLED}
    elif function == "compare":
        for q in (FIXED, SAMPLED):
            name = q["questions"]
            yield f"{name}, flip_rate", ["plain"] if q is FIXED else ["t-distribution"], {"A": EIGHT, "B": other, **m, **q}
            yield f"{name}, flip_rate, variances that sum below 0", ["boundary"], {"A": halves, "B": states(*[(3, 4)] * 7), **m, **q}
            yield f"{name}, flip_rate, two trials on one side", ["t-distribution"], {"A": twos, "B": other, **m, **q}
            yield f"{name}, flip_rate, three and more trials", ["ragged"], {"A": MIXED, "B": other, **m, **q}
            yield f"{name}, flip_rate, equal except for one question", ["cancellation", "large"], {"A": states((99990, 10**5), (50000, 10**5)), "B": states((99991, 10**5), (50000, 10**5)), **m, **q}
        yield "different questions, flip_rate", ["unpaired"], {"A": EIGHT, "B": MIXED, **m, **SAMPLED, "paired": False}
    elif function in ("ranges", "winners", "compare_all"):
        yield "flip_rate: the lowest is best", ["mapping"], {"models": {"models": {"flaky": states(*[(4, 8)] * 12), "solid": states(*[(8, 8)] * 12), "between": states(*[(7, 8)] * 12)}}, **m, **FIXED}
        yield "flip_rate, sampled, two trials", ["mapping"], {"models": {"models": {"a": twos, "b": states(*[(1, 2)] * 5)}}, **m, **SAMPLED}
    elif function == "suite":
        yield "flip_rate: the lowest is best", ["suite"], {"benchmarks": {"benchmarks": {x: {"models": {"flaky": states(*[(4, 8)] * n), "solid": states(*[(8, 8)] * n)}} for x, n in (("s", 5), ("t", 9))}}, **m, **FIXED}
    elif function in ("trials_needed", "questions_needed"):
        a, b = states((2, 8), (8, 8), (0, 8), (3, 9), (6, 8)), states((1, 8), (8, 8), (1, 9), (0, 8), (3, 8))
        yield "two models, flip_rate", ["needed"], {"R": a, "R_b": b, **m}
        yield "one model, flip_rate", ["needed"], {"R": a, **m, "half_width": 0.05}
        yield "two models, flip_rate, variances that sum below 0", ["needed", "boundary"], {"R": halves, "R_b": states(*[(3, 4)] * 7), **m}


def general_cases(function):
    """Cases of metrics that have no other cases. New ones change the numbers of the cases that follow them."""
    yield from flip_rate_cases(function)
    if function != "interval":
        return
    for name in FURTHER:
        for k, what in ((1, "k = 1"), (2, "2k = n"), (3, "2k > n"), (4, "k = n")):
            yield f"{name}, {what}", ["boundary"] + modelled_flag(4, k), {"R": BLOCK_A, "metric": SHORT[name] if k == 3 else name, "k": k, **FIXED}
        yield f"sampled, {name}, unequal trials", ["ragged"], {"R": MIXED, "metric": name, "k": 3, **SAMPLED}
        yield f"{name}, all or no trials correct", ["boundary"], {"R": states((0, 5), (5, 5), (0, 6)), "metric": name, "k": 2, **FIXED}
        yield f"{name}, a million trials", ["large"], {"R": states((999999, 10**6), (10, 10**6)), "metric": name, "k": 9, **FIXED}
