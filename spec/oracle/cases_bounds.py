"""Cases of bounds for missing outcomes: interval, mean_ci, compare; and where bounds are refused."""
from random import Random

from cases_certificates import random_matrix, matrix

BOUNDS, FIXED, SAMPLED = {"missing": "bounds"}, {"questions": "fixed"}, {"questions": "sampled"}
W3 = [0.0, 0.5, 1.0]
A, B = matrix("1111", "11.1", "101.", "0111", "1111"), matrix("0010", "0.00", "0001", ".000", "0100")
GRADED = matrix("21.2", "2212", "1.01", "0120")
FULL, EMPTY_QUESTION = matrix("1101", "0110", "1111"), matrix("1.01", "....", "0.1.", "1111")
METRICS_OF_K = ("pass_at_k", "pass_hat_k", "maj_at_k", "mg_pass_at_k", "auc_at_k")


def cases_of(name):
    """Cases of a function with `missing` "bounds", none if it does not accept that: (comment, flags, args)."""
    cases = {"interval": interval_cases, "mean_ci": mean_ci_cases, "compare": compare_cases}.get(name)
    for comment, flags, args in cases() if cases else ():
        yield f"bounds, {comment}", ["missing", *flags], {**args, **BOUNDS}


def one_model_cases():
    for target in (FIXED, SAMPLED):
        q = target["questions"]
        yield f"{q}", [], {"R": A, **target}
        yield f"{q}, nothing is missing", [], {"R": FULL, **target}
        yield f"{q}, a question without a trial", [], {"R": EMPTY_QUESTION, **target}
        yield f"{q}, scores", ["weights"], {"R": GRADED, "w": W3, **target}
    yield "the best score is not the last", ["weights"], {"R": GRADED, "w": [-1.0, 3.0, 0.5], **FIXED}
    yield "scores that are equal", ["weights"], {"R": GRADED, "w": [0.7, 0.7, 0.7], **FIXED}
    yield "the end of a short row is not missing", ["ragged"], {"R": matrix("1.01", "1.", "011"), **FIXED}
    yield "clusters, one of them without a trial", ["clusters"], {"R": matrix("1.01", "....", "0.1.", "1111", "0010"), "clusters": [0, 9, 0, 1, 2], **SAMPLED}
    yield "a pool", ["pool"], {"R": A, "pool": 40, **SAMPLED}
    yield "shape beta, confidence 0.9", ["beta", "confidence"], {"R": A, "shape": "beta", "confidence": 0.9, **FIXED}
    yield "one trial each", ["boundary"], {"R": matrix("1.", "0.", "1", "1"), **SAMPLED}


def mean_ci_cases():
    yield from one_model_cases()
    yield "counts have nothing missing", [], {"R": {"counts": [[1, 3], [2, 2]]}, **FIXED}


def interval_cases():
    yield from one_model_cases()
    for metric in METRICS_OF_K:
        yield f"{metric}, k = 2", ["modelled"], {"R": A, "metric": metric, "k": 2, **FIXED}
    yield "pass@k, k = 1 of 3, measured", [], {"R": A, "metric": "pass@k", "k": 1, **FIXED}
    yield "max_at_k of scores", ["weights", "modelled"], {"R": GRADED, "metric": "max_at_k", "k": 2, "w": [0.5, 2.0, -1.0], **FIXED}
    yield "g_pass_at_k_tau", ["modelled"], {"R": A, "metric": "g_pass_at_k_tau", "k": 3, "tau": 0.5, **FIXED}
    yield "no model, sampled", ["no-model"], {"R": A, "metric": "pass_at_k", "k": 3, "model": None, **SAMPLED}
    rng = Random(966)
    for i in range(12):
        k = rng.randint(1, 2)
        R = random_matrix(rng, rng.randint(2, 6), 1, k + 2, k + 4, 0.15)
        R = {"matrix": [[*row, *[1] * k] if sum(x is not None for x in row) < k else row for row in R["matrix"]]}
        yield f"random outcomes {i + 1} of seed 966", ["random", "ragged"], {"R": R, "metric": rng.choice(METRICS_OF_K), "k": k, **(SAMPLED if i % 2 else FIXED)}


def compare_cases():
    for target in (FIXED, SAMPLED):
        q = target["questions"]
        yield f"{q}: significant whatever the missing outcomes are", [], {"A": A, "B": B, **target}
        yield f"{q}, A and B exchanged", [], {"A": B, "B": A, **target}
        yield f"{q}: signs differ", [], {"A": matrix("11..", "10..", "0..1", "1111"), "B": matrix("0.1.", "10.1", "0100", ".110"), **target}
        yield f"{q}, nothing is missing", [], {"A": FULL, "B": matrix("0101", "0010", "1011"), **target}
        yield f"{q}, a question without a trial of A, another without one of B", [], {"A": matrix("1.01", "....", "0.1.", "1111"), "B": matrix("0001", "01.0", "....", "0.10"), **target}
        yield f"{q}, scores", ["weights"], {"A": GRADED, "B": matrix("1.00", "1120", "20.0", "0.00"), "w": [0.0, 1.0, 0.25], **target}
    yield "the lowest difference is 0", ["boundary"], {"A": matrix("1.", "11"), "B": matrix("10", "11"), **FIXED}
    yield "pass@k, k = 2", ["modelled"], {"A": A, "B": B, "metric": "pass@k", "k": 2, **FIXED}
    yield "max_at_k", ["weights", "modelled"], {"A": GRADED, "B": matrix("1.00", "1120", "20.0", "0.00"), "metric": "max_at_k", "k": 2, "w": W3, **FIXED}
    yield "different questions", ["unpaired"], {"A": A, "B": matrix("0.10", "0001", "...."), "paired": False, **SAMPLED}
    yield "clusters", ["clusters"], {"A": A, "B": B, "clusters": [0, 0, 1, 1, 2], **SAMPLED}
    yield "a look of several", ["looks"], {"A": A, "B": B, "looks": [0.5, 1.0], **FIXED}
    rng = Random(967)
    for i in range(12):
        M = rng.randint(2, 6)
        yield f"random outcomes {i + 1} of seed 967", ["random", "ragged"], {"A": random_matrix(rng, M, 1, 2, 6, 0.1), "B": random_matrix(rng, M, 1, 2, 6, 0.1), **(SAMPLED if i % 2 else FIXED), "confidence": rng.randint(50, 99) / 100}


def refused(name, invalid):
    """Refused calls that concern missing "bounds": (comment, code, argument, args, flag).

    invalid: the other refused calls of the function, in this form too.
    """
    if name not in ("interval", "mean_ci", "compare"):
        # invalid.py and its like give this comment to a call whose only fault is the policy "ignore"
        for _, code, argument, args, flag in (x for x in invalid if x[0] == "an unknown policy" and x[3].get("missing") == "ignore"):
            yield 'missing "bounds", which this function does not accept', code, argument, {**args, "missing": "bounds"}, flag
        return
    data = {"A": A, "B": B} if name == "compare" else {"R": A}
    first = "A" if name == "compare" else "R"
    base = {**FIXED, **BOUNDS}
    blank = {p: {"matrix": [[None, None]] * 2} for p in data}
    yield "bounds, no trial at all", "no_trials", first, {**blank, **base}, "missing"
    yield "bounds in capitals", "choice", "missing", {**data, **FIXED, "missing": "BOUNDS"}, "missing"
    if name == "mean_ci":
        return
    yield "flip_rate has no bounds", "conflict", "missing", {**data, "metric": "flip_rate", **base}, "missing"
    yield "a vote has no bounds", "conflict", "missing", {**data, "metric": "plurality_at_k", "k": 1, **base}, "missing"
    yield "k above the observed trials", "range", "k", {**data, "metric": "pass_at_k", "k": 4, **base}, "missing"
