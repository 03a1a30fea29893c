"""Cases of k above the number of trials: the identified band, and models fitted by maximum likelihood."""
from random import Random

import examples
from cases import recipe, states
from cases_intervals import BLOCK_A, WITH_MISSING, MIXED, ONES, SOME_ONES

GOLDEN = states(*((c, 10) for c in [0] * 12 + [1] * 5 + [2] * 3 + [3, 3, 5, 6, 8, 8, 9] + [10] * 3))
FOLLOWED = states((0, 12), (1, 12), (2, 12), (0, 12), (3, 5), (4, 5), (5, 5), (4, 4))  # after further trials: some questions needed none
FIRST = states((0, 4), (1, 4), (2, 4), (0, 4), (3, 4), (4, 4), (4, 4), (4, 4))
FURTHER = states((0, 8), (0, 8), (3, 8), (0, 8), (0, 0), (0, 0), (0, 0), (0, 0))  # further trials of questions with at most two successes
ATOM = states(*((c, 8) for c in [0] * 11 + [3, 4, 4, 5, 5, 5, 6, 6, 7] * 2))  # more zeros than a Beta distribution gives


def case(comment, metric, R, k, *flags, **args):
    return comment, ["beyond", *flags], {"R": R, "metric": metric, "k": k, **args}


def extrapolate():
    for metric in ("pass_at_k", "pass_hat_k"):
        for k in (11, 20, 40):
            yield case(f"{metric}, thirty questions of ten trials, k = {k}", metric, GOLDEN, k, "golden")
        for k in (6, 12, 30):
            yield case(f"{metric}, questions with three successes or more have fewer trials, k = {k}", metric, FOLLOWED, k, "ragged")
        for level in (0.5, 0.99):
            yield case(f"{metric}, confidence {level}", metric, GOLDEN, 20, "confidence", confidence=level)
        for k in (5, 8, 64, 1000):
            yield case(f"{metric}, few questions, k = {k}", metric, BLOCK_A, k)
        for k in (5, 16, 100):
            yield case(f"{metric}, airline, k = {k}", metric, examples.AIRLINE, k)
        for k in (4, 20, 50):
            yield case(f"{metric}, unequal trials from 3 to 20, k = {k}", metric, MIXED, k, "ragged")
        yield case(f"{metric}, every trial a success", metric, states((4, 4), (4, 4)), 9, "boundary")
        yield case(f"{metric}, every trial a failure", metric, states((0, 4), (0, 4)), 9, "boundary")
        yield case(f"{metric}, no question with only successes or only failures", metric, states((2, 4), (3, 4), (1, 4)), 6, "boundary")
        yield case(f"{metric}, equal questions", metric, states(*[(2, 4)] * 4), 10, "boundary")
        yield case(f"{metric}, questions with only successes or only failures: the ends of the band meet", metric, states((4, 4), (0, 4), (4, 4)), 7, "boundary")
        yield case(f"{metric}, one question", metric, states((7, 10)), 20, "boundary")
        yield case(f"{metric}, one question, one trial, a success", metric, states((1, 1)), 2, "boundary")
        yield case(f"{metric}, one question, one trial, a failure", metric, states((0, 1)), 2, "boundary")
        yield case(f"{metric}, single trials", metric, ONES, 3, "boundary")
        yield case(f"{metric}, a single trial among others", metric, SOME_ONES, 2, "ragged")
        yield case(f"{metric}, rare success", metric, states((1, 1000), (0, 1000), (3, 1000)), 2000, "large")
        yield case(f"{metric}, rare failure", metric, states((999, 1000), (1000, 1000), (997, 1000)), 2000, "large")
        yield case(f"{metric}, one success in two hundred questions", metric, states((1, 4), *[(0, 4)] * 200), 6, "large", "cancellation")
        yield case(f"{metric}, one failure in two hundred questions", metric, states((3, 4), *[(4, 4)] * 200), 6, "large", "cancellation")
        yield case(f"{metric}, one success, and one failure, in 100000", metric, states((1, 100000), (99999, 100000)), 100001, "large", "cancellation")
        yield case(f"{metric}, k = 10^7", metric, states((10**5, 10**5), (0, 10**5)), 10**7, "large", "boundary")
        yield case(f"{metric}, an end far below the double range, or equally close to 1", metric, states((30, 40), (40, 40), (10, 40), (20, 40), (39, 40)), 100000, "large", "underflow")
        yield case(f"{metric}, two hundred questions by recipe", metric, recipe(200, 16, 403), 64, "large")
        for policy in ("drop", 0, 1):
            yield case(f"{metric}, missing trials, policy {policy}", metric, WITH_MISSING, 6, "missing", missing=policy)
        for k in (9, 40):
            yield case(f"{metric}, further trials of questions with few successes, k = {k}", metric, FIRST, k, "ragged", more=FURTHER)
        yield case(f"{metric}, questions without trials, as counts", metric, {"counts": [[0, 0], [2, 3], [0, 0], [1, 4]]}, 6, "missing")
    yield case("pass@k is another name of pass_at_k", "pass@k", BLOCK_A, 5, "alias")
    yield case("pass^k is another name of pass_hat_k", "pass^k", BLOCK_A, 5, "alias")
    rng = Random(415)
    for i in range(16):
        rows = [(rng.randint(0, n), n) for n in (rng.randint(1, 30) for _ in range(rng.randint(1, 6)))]
        n = min(t for _, t in rows)
        yield case(f"random states {i + 1} of seed 415", ("pass_at_k", "pass_hat_k")[i % 2], states(*rows), n + rng.randint(1, 40), "random")


def extrapolate_model():
    for metric in ("pass_at_k", "pass_hat_k"):
        for k in (20, 40, 300):
            yield case(f"{metric}, thirty questions, k = {k}", metric, GOLDEN, k, "plain")
        for k in (9, 64):
            yield case(f"{metric}, many questions without a success, k = {k}", metric, ATOM, k, "inflated")
        yield case(f"{metric}, airline", metric, examples.AIRLINE, 16, "plain")
        yield case(f"{metric}, confidence 0.5", metric, GOLDEN, 20, "confidence", confidence=0.5)
        yield case(f"{metric}, confidence 0.999", metric, ATOM, 20, "inflated", confidence=0.999)
        yield case(f"{metric}, unequal trials", metric, MIXED, 8, "ragged")
        yield case(f"{metric}, questions with three successes or more have fewer trials", metric, FOLLOWED, 30, "ragged")
        yield case(f"{metric}, less variance than with a constant rate: the model is at the end of its range", metric, states((2, 4), (3, 4), (1, 4), (2, 4)), 9, "boundary")
        yield case(f"{metric}, only successes or only failures in a question", metric, states((0, 4), (4, 4), (0, 4), (4, 4), (4, 4)), 9, "boundary")
        yield case(f"{metric}, two trials", metric, states((0, 2), (1, 2), (0, 2), (2, 2), (2, 2), (0, 2)), 9, "boundary")
        yield case(f"{metric}, one question", metric, states((7, 10)), 20, "boundary")
        yield case(f"{metric}, rare success", metric, states((1, 300), (0, 300), (3, 300), (17, 300)), 600, "large")
        yield case(f"{metric}, two hundred questions by recipe", metric, recipe(200, 16, 403), 64, "large")
        for width in (0.05, 0.3, 0.4, 0.6, 0.9):
            yield case(f"{metric}, limits {width} wide", metric, GOLDEN, 40, "needed-trials", width=width)
        yield case(f"{metric}, limits 0.4 wide, many questions without a success", metric, ATOM, 40, "needed-trials", width=0.4)
        yield case(f"{metric}, further trials of questions with few successes", metric, FIRST, 30, "ragged", more=FURTHER)
        yield case(f"{metric}, missing trials", metric, WITH_MISSING, 6, "missing", missing="drop")
    yield case("pass@k is another name of pass_at_k", "pass@k", BLOCK_A, 5, "alias")
    yield case("pass^k is another name of pass_hat_k", "pass^k", BLOCK_A, 5, "alias")
    rng = Random(418)
    for i in range(16):
        top = rng.randint(3, 12)
        rows = [(rng.choice([0, rng.randint(0, n), n]), n) for n in (rng.choice([top, top, rng.randint(2, top)]) for _ in range(rng.randint(8, 30)))]
        yield case(f"random states {i + 1} of seed 418", ("pass_at_k", "pass_hat_k")[i % 2], states(*rows), top + rng.randint(1, 40), "random")
