"""Cases of module sinf: when two models differ, and how much more data a decision takes."""
from random import Random

import examples
from cases import recipe, states
from cases_hypergeometric import GRADED
from cases_intervals import EIGHT, SOME_ONES, compare_cases
from cases_latent import CONFIDENCES

SMALL, W3 = 5e-324, [0.0, 0.5, 1.0]
FIXED, SAMPLED = {"questions": "fixed"}, {"questions": "sampled"}
A = {"matrix": [[1, 1, 0], [1, 0], [1], [0, 0, 0, 0], [1, 1, 1, 1]]}
B = {"matrix": [[0, 1, 0], [0, 0], [1], [0, 1, 0, 0], [1, 1, 0, 1]]}
FIVE_A, FIVE_B = states((2, 4), (4, 4), (0, 4), (1, 4), (3, 4)), states((1, 4), (4, 4), (0, 4), (0, 4), (1, 4))
ONES, TWOS = states((1, 1), (0, 1), (1, 1), (1, 1), (0, 1)), states((0, 2), (1, 2), (1, 2), (0, 2), (2, 2))
OTHER = {"counts": [[2, 3, 1], [1, 1, 4], [3, 0, 3], [5, 1, 0], [0, 2, 4]]}


def ranking_confidence():
    def case(comment, mu_a, sigma_a, mu_b, sigma_b, *flags):
        return comment, list(flags) or ["plain"], {"mu_a": mu_a, "sigma_a": sigma_a, "mu_b": mu_b, "sigma_b": sigma_b}

    yield case("the example of two models in the documentation of compare", 0.5625, 0.091998, 0.4444, 0.100539)
    yield case("equal means", 0.5, 0.1, 0.5, 0.2, "ties")
    yield case("equal means, one standard error 0", 0.5, 0.1, 0.5, 0, "ties", "sigma-zero")
    yield case("both standard errors 0, equal means", 0.5, 0, 0.5, 0, "sigma-zero", "ties", "boundary")
    yield case("both standard errors 0, a is better", 0.6, 0, 0.5, 0, "sigma-zero", "not-a-number", "boundary")
    yield case("both standard errors 0, b is better", 0.5, 0.0, 0.6, 0.0, "sigma-zero", "not-a-number", "boundary")
    yield case("standard errors of negative zero", 0.5, "-0.0", 0.6, "-0.0", "sigma-zero", "not-a-number", "boundary")
    yield case("means 0 and negative zero", 0.0, 0.1, "-0.0", 0.1, "ties", "boundary")
    yield case("3, 4, 5: z is 1", 5, 3, 0, 4)
    yield case("5, 12, 13: z is 2", 26, 5, 0, 12)
    yield case("one standard error 0: z is 8", 3.0, 0.25, 1.0, 0, "sigma-zero")
    yield case("a is the worse", 0.4, 0.05, 0.7, 0.08)
    yield case("b is the worse, a and b exchanged", 0.7, 0.08, 0.4, 0.05)
    yield case("negative means", -3.5, 0.7, -1.25, 0.4)
    yield case("a mean on either side of 0", -0.25, 0.3, 0.125, 0.2)
    yield case("integers", 3, 2, 1, 1)
    for z in (1e-300, 1e-17, 1e-8, 0.1, 0.674, 1.645, 1.96, 3, 5.5, 8.2, 8.3, 9, 20, 37, 40, 1e5, 1e200):
        yield case(f"z about {z!r}", z, 1, 0, 0, "boundary" if z < 1e-7 or z > 8 else "plain")
    yield case("means one ulp apart", 0.1, 0.01, 0.10000000000000002, 0.01, "cancellation")
    yield case("means of 1e15 that differ by 1", 1e15 + 1, 1, 1e15, 1, "cancellation")
    yield case("standard errors that overflow when squared", 1e300, 1e300, -1e300, 1e300, "boundary")
    yield case("standard errors that underflow when squared", 3e-300, 1e-300, 1e-300, 2e-300, "underflow")
    yield case("all values subnormal", 1e-320, SMALL, 0.0, SMALL, "underflow")
    yield case("one huge and one tiny standard error", 1.0, 1e200, 0.5, 1e-200, "underflow")
    yield case("z below the double range", 1e-300, 1e300, 0.0, 1.0, "underflow")
    rng = Random(901)
    for i in range(12):
        yield case(f"random moments {i + 1} of seed 901", rng.randint(0, 1000) / 1000, rng.randint(1, 200) / 1000, rng.randint(0, 1000) / 1000, rng.randint(1, 200) / 1000, "random")


def ci_from_mu_sigma():
    def case(comment, mu, sigma, *flags, **args):
        return comment, list(flags) or ["plain"], {"mu": mu, "sigma": sigma, **args}

    yield case("a posterior mean and its standard error", 0.642857, 0.118451)
    for c in CONFIDENCES:
        yield case(f"confidence {c!r}", 0.575, 0.084275, "confidence", confidence=c)
        yield case(f"confidence {c!r}, clipped", 0.9, 0.3, "confidence", "bounds", confidence=c, bounds=[0.0, 1.0])
    yield case("a standard error of 0", 0.3, 0, "sigma-zero", "boundary")
    yield case("a standard error of 0, the mean outside the bounds", 1.5, 0.0, "sigma-zero", "clipped", "boundary", bounds=[0, 1])
    yield case("a standard error of negative zero", -2.5, "-0.0", "sigma-zero", "boundary")
    yield case("mean 0", 0, 1)
    yield case("a mean of negative zero", "-0.0", 2.5)
    yield case("a negative mean", -0.75, 0.5)
    yield case("an end close to 0", 0.195996, 0.1, "cancellation")
    yield case("an upper end close to 0", -1.9599639845, 1.0, "cancellation")
    yield case("a tiny standard error beside a large mean", 1e15, 1e-3)
    yield case("subnormal", 1e-310, SMALL, "underflow")
    yield case("huge", 1e300, 1e300)
    yield case("a mean much below its standard error", 1e-300, 1.0)
    for b in ([0.0, 1.0], [0.55, 0.6], [-3.0, -2.0], [2.0, 3.0], [0.25, 0.25], ["-inf", 0.6], [0.5, "inf"], ["-inf", "inf"], [-1, 2]):
        yield case(f"bounds {b}", 0.575, 0.084275, "bounds", bounds=b)
    rng = Random(902)
    for i in range(14):
        yield case(f"random moments {i + 1} of seed 902", rng.randint(-1000, 1000) / 1000, rng.randint(1, 500) / 1000, "random", confidence=rng.randint(1, 99) / 100,
                   **({"bounds": [-0.5, 0.5]} if i % 3 == 0 else {}))


RUNS, OTHER_RUNS = [71.2, 70.8, 71.5], [69.9, 70.1, 70.3]
TINY_RUNS = [1.0, 1.0000000000000002, 1.0]


def mean_of_runs():
    def case(comment, averages, *flags, **args):
        return comment, list(flags) or ["plain"], {"averages": averages, **args}

    yield case("three runs in percent", RUNS, bounds=[0, 100])
    yield case("two runs: one degree of freedom", [0.5, 0.75])
    yield case("two runs, clipped at both ends", [0.2, 0.75], "clipped", bounds=[0.0, 1.0])
    yield case("clipped at one end", [98.0, 99.5, 99.0], "clipped", bounds=[0, 100])
    yield case("one end without a bound", [98.0, 99.5, 99.0], "bounds", bounds=["-inf", 100.0])
    yield case("whole numbers: mean and standard error are rational", [1, 3])
    yield case("a mean of 0", [-0.25, 0.25, 0.0], "exact-zero")
    yield case("runs one ulp apart", TINY_RUNS, "cancellation")
    yield case("a large mean beside a small variance", [1e15, 1e15 + 1, 1e15 + 3], "cancellation")
    yield case("an end close to 0", [4.3, 0.1, 1.9], "cancellation")
    yield case("negative averages", [-3.5, -1.25, -2.0])
    yield case("subnormal", [5e-324, 1e-310, 0.0], "underflow")
    yield case("huge and tiny", [1e100, 1e-100, -1e100, 0.5], "boundary")
    yield case("forty runs", [((37 * i) % 101) / 100 for i in range(40)])
    for c in CONFIDENCES:
        yield case(f"confidence {c!r}", RUNS, "confidence", confidence=c)
    rng = Random(903)
    for i in range(20):
        n = rng.choice((2, 3, 4, 5, 8, 17))
        yield case(f"random averages {i + 1} of seed 903", [rng.randint(0, 1000) / 1000 for _ in range(n)], "random", confidence=rng.randint(50, 99) / 100)


def compare_runs():
    def case(comment, averages, others, *flags, **args):
        return comment, list(flags) or ["plain"], {"averages": averages, "others": others, **args}

    yield case("three runs of each, in percent", RUNS, OTHER_RUNS, bounds=[0, 100])
    yield case("exchanged", OTHER_RUNS, RUNS, bounds=[0, 100])
    yield case("the same runs: p is 1", RUNS, RUNS, "exact-zero")
    yield case("equal means of different runs: p is 1", [0.25, 0.75], [0.375, 0.625], "exact-zero")
    yield case("two runs of each", [0.5, 0.75], [0.25, 0.375])
    yield case("two against five", [0.5, 0.75], [0.25, 0.375, 0.5, 0.125, 0.25])
    yield case("the first has equal runs: the other alone gives the variance", [0.5, 0.5, 0.5], [0.25, 0.375, 0.5])
    yield case("the second has equal runs", [0.25, 0.375, 0.5], [0.5, 0.5])
    yield case("clipped at both ends", [0.0, 1.0], [1.0, 0.25], "clipped", bounds=[0.0, 1.0])
    yield case("one end without a bound", [0.0, 1.0], [1.0, 0.25], "bounds", bounds=[0.0, "inf"])
    yield case("far apart: a tiny p-value", [100.0, 100.5, 101.0, 100.25], [1.0, 1.25, 1.5, 1.125], "boundary")
    yield case("runs one ulp apart", TINY_RUNS, [1.0, 1.0, 0.9999999999999999], "cancellation")
    yield case("an end close to 0", [0.5, 0.625, 0.75, 0.5], [0.40625, 0.5, 0.4375], "cancellation")
    yield case("huge and tiny", [1e100, -1e100], [1e-100, 3e-100], "boundary")
    yield case("subnormal", [5e-324, 1e-310], [0.0, 3e-310], "underflow")
    for c in CONFIDENCES:
        yield case(f"confidence {c!r}", RUNS, OTHER_RUNS, "confidence", confidence=c)
    rng = Random(904)
    for i in range(20):
        n, m = rng.choice((2, 3, 4, 5, 8)), rng.choice((2, 3, 5, 10))
        yield case(f"random averages {i + 1} of seed 904", [rng.randint(0, 1000) / 1000 for _ in range(n)], [rng.randint(0, 1000) / 1000 for _ in range(m)],
                   "random", confidence=rng.randint(50, 99) / 100)


def should_stop():
    def case(comment, sigma, *flags, **args):
        return comment, list(flags) or ["plain"], {"sigma": sigma, **args}

    for s, wide in ((0.1, 0.3919927969), (0.05, 0.19599639845), (2.5, 9.79981992270), (1e-5, 3.919927969080e-5)):
        for factor, what in ((1 - 1e-9, "narrower than"), (1 + 1e-9, "wider than"), (0.5, "half of"), (2, "twice")):
            yield case(f"a limit {what} the width {wide}", s, "boundary" if abs(factor - 1) < 0.1 else "plain", max_ci_width=wide * factor)
            yield case(f"a half width {what} {wide / 2}", s, "boundary" if abs(factor - 1) < 0.1 else "plain", max_half_width=wide / 2 * factor)
    for c in CONFIDENCES:
        yield case(f"confidence {c!r}", 0.1, "confidence", confidence=c, max_ci_width=0.5)
        yield case(f"confidence {c!r}, half width", 0.01, "confidence", confidence=c, max_half_width=0.05)
    for limit in ("max_ci_width", "max_half_width"):
        yield case(f"{limit} 0 is met by a standard error of 0", 0, "sigma-zero", "boundary", **{limit: 0})
        yield case(f"{limit} 0 is met by negative zero", "-0.0", "sigma-zero", "boundary", **{limit: 0.0})
        yield case(f"{limit} 0 is met by no other standard error", SMALL, "boundary", "underflow", **{limit: 0})
        yield case(f"a standard error of 0 meets {limit}", 0.0, "sigma-zero", **{limit: 0.01})
        yield case(f"{limit} 1e300", 1e299, "boundary", **{limit: 1e300})
        yield case(f"{limit}: twice the standard error overflows", 1.7e308, "boundary", **{limit: 1.7e308})
    yield case("subnormal: a limit of four times the smallest double, the width is 3.92 times", SMALL, "underflow", max_ci_width=4 * SMALL)
    yield case("subnormal: a limit of three times the smallest double, the width is 3.92 times", SMALL, "underflow", max_ci_width=3 * SMALL)


def leaders():
    """Cases of should_stop_top1 and suggest_next_allocation: (comment, flags, args)."""
    def case(comment, mus, sigmas, *flags, **args):
        return comment, list(flags) or ["plain"], {"mus": mus, "sigmas": sigmas, **args}

    overlap = {"method": "ci_overlap"}
    for name, more in (("zscore", {}), ("ci_overlap", overlap)):
        yield case(f"two models far apart, {name}", [0.9, 0.1], [0.05, 0.05], **more)
        yield case(f"two models close together, {name}", [0.52, 0.5], [0.05, 0.05], **more)
        yield case(f"the leader comes last, {name}", [0.1, 0.52, 0.9], [0.05, 0.05, 0.05], **more)
        yield case(f"one challenger of three, {name}", [0.7, 0.9, 0.86, 0.2], [0.03, 0.03, 0.04, 0.1], **more)
        yield case(f"two challengers, the nearer one later, {name}", [0.8, 0.9, 0.85], [0.1, 0.1, 0.1], **more)
        yield case(f"two challengers, one with a large standard error is chosen over a nearer one, {name}", [0.9, 0.84, 0.6], [0.05, 0.05, 0.6], **more)
        yield case(f"equal means: the first leads, {name}", [0.5, 0.5, 0.5], [0.1, 0.2, 0.3], "ties", **more)
        yield case(f"equal challengers: the first, {name}", [0.9, 0.8, 0.8], [0.1, 0.1, 0.1], "ties", **more)
        yield case(f"equal challengers before the leader, {name}", [0.8, 0.8, 0.9], [0.1, 0.1, 0.1], "ties", **more)
        yield case(f"all standard errors 0, {name}", [0.3, 0.9, 0.8], [0, 0, 0], "sigma-zero", **more)
        yield case(f"all standard errors 0, two equal best models: ambiguous, {name}", [0.9, 0.3, 0.9], [0.0, 0.0, 0.0], "sigma-zero", "ties", **more)
        yield case(f"two best models without error, and one with a large standard error, {name}", [0.9, 0.85, 0.9], [0.0, 0.4, 0.0], "sigma-zero", "ties", **more)
        yield case(f"equal means, one with a standard error, {name}", [0.9, 0.9, 0.9], [0.0, 0.3, 0.0], "sigma-zero", "ties", **more)
        yield case(f"the leader has a standard error of 0, {name}", [0.9, 0.85, 0.7], [0, 0.03, 0.2], "sigma-zero", **more)
        yield case(f"all standard errors are large, {name}", [0.1, 0.2, 0.3, 0.4, 0.5], [1.0, 1.0, 1.0, 1.0, 1.0], **more)
        yield case(f"negative means, integers, {name}", [-5, -3, -4], [1, 1, 2], **more)
        yield case(f"standard errors that overflow when squared, {name}", [1e300, 0.0, 5e299], [1e299, 3e299, 1e299], "boundary", **more)
        yield case(f"standard errors that underflow when squared, {name}", [9e-300, 0.0, 5e-300], [1e-300, 1e-300, 1e-300], "underflow", **more)
        for c in (0.5000001, 0.75, 0.99, 0.999999, 1 - 2**-53):
            yield case(f"confidence {c!r}, {name}", [0.9, 0.75, 0.7, 0.4, 0.89], [0.03, 0.04, 0.05, 0.02, 0.01], "confidence", confidence=c, **more)
    yield case("z just below 1.6448536", [1.64485, 0.0], [1.0, 0.0], "boundary", "sigma-zero")
    yield case("z just above 1.6448536", [1.64486, 0.0], [1.0, 0.0], "boundary", "sigma-zero")
    yield case("intervals that just touch", [3.91992, 0.0], [1.0, 1.0], "boundary", **overlap)
    yield case("intervals that barely do not touch", [3.91993, 0.0], [1.0, 1.0], "boundary", **overlap)
    yield case("significant by z though the intervals overlap: method zscore", [0.9, 0.6], [0.1, 0.1])
    yield case("significant by z though the intervals overlap: method ci_overlap", [0.9, 0.6], [0.1, 0.1], **overlap)
    yield case("the default method given", [0.52, 0.5], [0.05, 0.05], "alias", method="zscore")
    rng = Random(903)
    for i in range(12):
        L = rng.randint(2, 8)
        yield case(f"random moments {i + 1} of seed 903", [rng.randint(500, 700) / 1000 for _ in range(L)], [rng.randint(5, 60) / 1000 for _ in range(L)], "random",
                   **({} if i % 2 else overlap), **({"confidence": rng.randint(55, 99) / 100} if i % 3 else {}))


should_stop_top1 = suggest_next_allocation = leaders


# ---------------------------------------------------------------- two models

def pairs():
    """Two models on the same questions, with options: (comment, flags, args)."""
    def case(comment, a, b, *flags, **args):
        return comment, list(flags) or ["plain"], {"A": a, "B": b, **args}

    drop = {"missing": "drop"}
    yield case("few questions", FIVE_A, FIVE_B)
    yield case("the better one second", FIVE_B, FIVE_A)
    yield case("the same model twice", FIVE_A, FIVE_A, "exact-zero", "ties")
    yield case("equal means, the rates of the questions exchanged", states((2, 4), (4, 4)), states((4, 4), (2, 4)), "exact-zero", "ties")
    yield case("two questions", states((3, 4), (4, 4)), states((0, 4), (2, 4)), "boundary")
    yield case("only successes against only failures", states((4, 4), (4, 4), (4, 4)), states((0, 4), (0, 4), (0, 4)), "boundary", "clip")
    yield case("only successes on both sides", states((4, 4), (4, 4)), states((5, 5), (5, 5)), "boundary", "exact-zero")
    yield case("one trial per question on both sides", ONES, states((0, 1), (0, 1), (1, 1), (1, 1), (0, 1)), "boundary")
    yield case("one trial per question on one side", ONES, TWOS, "boundary")
    yield case("one trial per question on the other side", TWOS, ONES, "boundary")
    yield case("one trial per question, only successes against only failures", states(*[(1, 1)] * 4), states(*[(0, 1)] * 4), "boundary", "clip")
    yield case("a single trial among others", states((1, 1), (2, 3), (0, 2), (5, 8)), states((2, 3), (1, 1), (2, 2), (6, 8)), "ragged")
    yield case("unequal trials", states((2, 3), (4, 4), (0, 2), (5, 8)), states((5, 6), (1, 2), (3, 7), (9, 9)), "ragged")
    some_missing, others_missing = {"matrix": [[1, None, 0, 1], [None, None, None, None], [0, 0, 1, 1], [1, 1, 1, 1]]}, {"matrix": [[0, 0, 1, 0], [1, 1, 1, 1], [None, "nan", None, None], [0, 0, 1, 1]]}
    yield case("questions that one side lacks are dropped", some_missing, others_missing, "missing", **drop)
    yield case("missing trials count as failures", some_missing, others_missing, "missing", missing=0)
    yield case("missing trials count as successes", some_missing, others_missing, "missing", missing=1)
    yield case("graded", GRADED, OTHER, "weights", w=W3)
    yield case("graded, falling scores", GRADED, OTHER, "weights", w=[2.0, -0.5, -3.0])
    yield case("graded, scores 1e15 .. 1e15 + 2", GRADED, OTHER, "weights", w=[1e15, 1e15 + 1, 1e15 + 2])
    yield case("graded, scores of 8e299", GRADED, OTHER, "weights", w=[-8e299, 0.0, 8e299])
    yield case("all scores equal", GRADED, OTHER, "weights", "exact-zero", w=[0.7, 0.7, 0.7])
    yield case("a category that never occurs", GRADED, OTHER, "unobserved", w=[0.0, 0.5, 1.0, 2.0])
    yield case("airline against a recipe", examples.AIRLINE, recipe(50, 4, 91), "large")
    yield case("two by recipe", recipe(200, 16, 92), recipe(200, 16, 93), "large")
    yield case("rare success", states((3, 1000), (1, 1000), (0, 1000)), states((0, 1000), (1, 1000), (0, 1000)), "large")
    yield case("nearly the same mean", states((50000, 100001), (50000, 100001)), states((50001, 100001), (50000, 100001)), "large", "cancellation")


def compare():
    yield "unequal trials and a single one: fixed", ["ragged"], {"A": A, "B": B, **FIXED, "missing": "drop"}
    yield "unequal trials and a single one: sampled", ["ragged", "t-distribution"], {"A": A, "B": B, **SAMPLED, "missing": "drop"}
    for target in (FIXED, SAMPLED):
        q = target["questions"]
        for comment, flags, args in pairs():
            yield f"{q}, {comment}", flags, {**args, **target}
        for c in CONFIDENCES:
            yield f"{q}, confidence {c!r}", ["confidence"] + ["t-distribution"] * (q == "sampled"), {"A": FIVE_A, "B": FIVE_B, **target, "confidence": c}
        for M in (2, 3, 4, 6, 31, 100):
            R, S = states(*((1 + i % 4, 4) for i in range(M))), states(*((i * i % 5, 4) for i in range(M)))
            yield f"{q}, {M} questions", ["plain"] if q == "fixed" else ["t-distribution"], {"A": R, "B": S, **target}
        for looks in ([1.0], [0.5], [0.2, 0.4], [0.25, 0.5, 0.75, 1.0]):
            yield f"{q}, look {len(looks)} at {looks[-1]}", ["looks"], {"A": FIVE_A, "B": states((0, 4), (1, 4), (0, 4), (0, 4), (1, 4)), **target, "looks": looks}
        yield f"{q}, second look, Pocock spending", ["looks", "confidence"], {"A": FIVE_A, "B": FIVE_B, **target, "looks": [0.5, 1.0], "spending": "pocock", "confidence": 0.5}
        flags = ["underflow"] if q == "fixed" else ["t-distribution"]
        yield f"{q}, B is far better: p_value and p_above are small", flags, {"A": states(*[(0, 6)] * 5), "B": states(*[(6, 6)] * 5), **target}
        yield f"{q}, B is far better on many questions", flags, {"A": states(*[(1, 9)] * 40), "B": states(*[(8, 9)] * 40), **target}
    yield "fixed, one question", ["boundary"], {"A": states((3, 8)), "B": states((6, 8)), **FIXED}
    yield "fixed, one question, one success in two trials against two", ["boundary"], {"A": states((1, 2)), "B": states((2, 2)), **FIXED}
    yield "fixed, nothing varies: two degrees of freedom", ["boundary"], {"A": states(*[(0, 9)] * 8), "B": states(*[(9, 9)] * 8), **FIXED}
    yield "fixed, nothing varies in two questions", ["boundary"], {"A": states(*[(0, 19)] * 2), "B": states(*[(19, 19)] * 2), **FIXED}
    yield "fixed, nothing varies, A is better", ["boundary"], {"A": states(*[(9, 9)] * 8), "B": states(*[(0, 9)] * 8), **FIXED}
    yield from degrees_of_freedom()
    yield from signs_and_guard()
    yield from clustered()
    a, b = [(1, 1)] * 16 + [(0, 1)] * 8, [(1, 1)] * 12 + [(0, 1)] * 12
    for c, d in ((a, b), ([(2, 2)] + a[1:], [(2, 2)] + b[1:])):
        yield ("sampled, one trial of each question, or two of one of them: the bound of the variance over trials does not count",
               ["ragged", "t-distribution"], {"A": states(*c), "B": states(*d), **SAMPLED})
    unpaired = {**SAMPLED, "paired": False}
    yield "paired given", ["alias"], {"A": FIVE_A, "B": FIVE_B, **FIXED, "paired": True}
    yield "different questions", ["unpaired"], {"A": FIVE_A, "B": states((1, 3), (2, 3)), **unpaired}
    yield "different questions, the same number of them", ["unpaired"], {"A": FIVE_A, "B": FIVE_B, **unpaired}
    yield "different questions, two against five", ["unpaired", "boundary"], {"A": states((3, 8), (5, 8)), "B": FIVE_A, **unpaired}
    yield "different questions, two on either side", ["unpaired", "boundary"], {"A": states((3, 8), (4, 8)), "B": states((1, 9), (7, 9)), **unpaired}
    yield "different questions, one trial each", ["unpaired", "boundary"], {"A": ONES, "B": states((0, 1), (1, 1)), **unpaired}
    yield "different questions, each side drops its own", ["unpaired", "missing"], {"A": {"matrix": [[1, 0], [None, None], [1, 1]]}, "B": {"matrix": [[None, None], [0, 1], [0, 0], [1, 0]]}, **unpaired, "missing": "drop"}
    yield "different questions, equal means", ["unpaired", "exact-zero"], {"A": states((2, 4), (3, 4)), "B": states((5, 8), (5, 8)), **unpaired}
    yield "different questions, only successes against only failures", ["unpaired", "clip"], {"A": states((4, 4), (4, 4)), "B": states(*[(0, 4)] * 3), **unpaired}
    yield "different questions, graded", ["unpaired", "weights"], {"A": GRADED, "B": {"counts": [[1, 2, 3], [0, 6, 0]]}, "w": [-1.0, 0.0, 2.5], **unpaired}
    yield "different questions, all scores equal", ["unpaired", "weights"], {"A": GRADED, "B": {"counts": [[1, 2, 3], [2, 2, 2]]}, "w": [2.0, 2.0, 2.0], **unpaired}
    yield "different questions by recipe", ["unpaired", "large"], {"A": recipe(100, 16, 94), "B": recipe(70, 9, 95), **unpaired}
    yield "different questions, confidence 0.8", ["unpaired", "confidence"], {"A": FIVE_A, "B": TWOS, **unpaired, "confidence": 0.8}
    rng = Random(904)
    for i in range(16):
        M, C = rng.randint(2, 6), rng.randint(1, 3)
        a, b = ({"matrix": [[rng.randint(0, C) for _ in range(rng.randint(1, 7))] for _ in range(M)]} for _ in "ab")
        yield f"random outcomes {i + 1} of seed 904", ["random"], {"A": a, "B": b, "w": [j / C for j in range(C + 1)], **(SAMPLED if i % 2 else FIXED), "missing": "drop", "confidence": rng.randint(1, 99) / 100}
    yield from compare_cases()


def signs_and_guard():
    """Cases of compare on the signs of sampled units, and on the guard."""
    half, more = states(*[(2, 4)] * 30), states(*[(3, 4)] * 6)
    for M in (2, 5, 6, 14, 15, 20, 60, 61, 70):
        yield f"signs: all of {M} differences are equal", ["signs"], {"A": states(*[(3, 4)] * M), "B": states(*[(1, 4)] * M), **SAMPLED}
    for M in (13, 14, 15):
        a, b = [(1 + i % 4, 4) for i in range(M)], [(i * i % 4, 5) for i in range(M)]
        yield f"signs: {M} differences that are not 0, among 25", ["signs"], {"A": states(*a, *[(2, 4)] * (25 - M)), "B": states(*b, *[(3, 6)] * (25 - M)), **SAMPLED}
    for wins in (1, 2, 5, 6):
        yield f"signs: {wins} of 40 questions won, none lost", ["signs"], {"A": states(*[(1, 1)] * wins, *[(0, 1)] * (40 - wins)), "B": states(*[(0, 1)] * 40), **SAMPLED}
    yield "signs: as large a p-value as 1 - confidence, an end at 0", ["signs", "boundary"], {"A": states(*[(3, 4)] * 4), "B": states(*[(1, 4)] * 4), **SAMPLED, "confidence": 0.875}
    yield "signs: sums that are equal as decimals, .3 and .1 + .2", ["signs", "weights"], {"A": {"counts": [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]] * 2}, "B": {"counts": [[1, 0, 0, 0]] * 6}, "w": [0.0, 0.1, 0.2, 0.3], **SAMPLED}
    yield "signs: thirds in three and in six trials", ["signs", "ragged"], {"A": states(*[(1, 3)] * 9, *[(3, 3)] * 5), "B": states(*[(2, 6)] * 9, *[(x, 6) for x in (1, 2, 0, 5, 3)]), **SAMPLED}
    yield "signs: clusters of unequal sizes", ["signs", "clusters"], {"A": states(*((x, 4) for x in (4, 3, 3, 2, 4, 1, 3, 2, 4))), "B": states(*((x, 4) for x in (2, 2, 3, 1, 1, 1, 0, 1, 3))), **SAMPLED, "clusters": ["a", "a", "b", "b", "b", "c", "d", "e", "f"]}
    yield "signs: pass_at_k", ["signs"], {"A": EIGHT, "B": states((0, 8), (1, 8), (2, 8), (6, 8), (5, 8)), **SAMPLED, "metric": "pass_at_k", "k": 3}
    yield "equal models: what one question that was not sampled could change", ["signs", "exact-zero"], {"A": half, "B": half, **SAMPLED}
    for guard in (0.05, 0.25, 0.5, 1.0):
        for what, args in (("", {"A": FIVE_A, "B": FIVE_B}), (", 30 questions", {"A": states(*((1 + i % 8, 9) for i in range(30))), "B": states(*((i * i % 9, 9) for i in range(30)))}),
                           (", equal models", {"A": half, "B": half}), (", equal differences", {"A": more, "B": states(*[(1, 4)] * 6)}),
                           (", clusters", {"A": FIVE_A, "B": FIVE_B, "clusters": [0, 0, 1, 2, 3]}), (", different questions", {"A": FIVE_A, "B": TWOS, "paired": False}),
                           (", a side of different questions that does not vary", {"A": FIVE_A, "B": more, "paired": False})):
            yield f"guard {guard}{what}", ["guard"], {**args, **SAMPLED, "guard": guard}
    scores, six = [0.0, 0.2, 0.499, 0.5, 0.8, 1.0], [round(0.1 * i, 1) for i in range(3, 10)]
    yield "two models differ by more on a question than the trials of either", ["weights"], {"A": {"matrix": [[4, 4]] + [[2, 3]] * 9}, "B": {"matrix": [[1, 1]] + [[2, 3]] * 9}, "w": scores, **FIXED}
    yield "unequal trials: two steps of a scale on which both models differ by more than the trials of either", ["guard", "weights", "ragged"], {"A": {"matrix": [[4, 4]] + [[2, 3]] * 9}, "B": {"matrix": [[1]] + [[2]] * 9}, "w": scores, **SAMPLED, "missing": "drop"}
    yield "differences that are equal as decimals, each .1", ["signs", "weights"], {"A": {"matrix": [[i + 1] for i in range(6)]}, "B": {"matrix": [[i] for i in range(6)]}, "w": six, **SAMPLED}
    yield "a guard of questions that are fixed", ["guard"], {"A": FIVE_A, "B": FIVE_B, **FIXED, "guard": 0.5}
    yield "a guard of fixed questions with one trial", ["guard"], {"A": SOME_ONES, "B": states((1, 1), (0, 1), (1, 1), (0, 1)), **FIXED, "guard": 0.5, "missing": "drop"}


def degrees_of_freedom():
    """Cases of compare on the degrees of freedom of the variance."""
    yield "golden df 15.241692, p .23133958: unequal trials", ["golden", "ragged"], \
        {"A": states((3, 4), (5, 8), (1, 2), (0, 3), (4, 6), (8, 8)), "B": states((1, 4), (2, 8), (1, 2), (0, 3), (3, 6), (7, 8)), **FIXED}
    graded, other = {"counts": [[1, 1, 1], [0, 0, 3], [2, 1, 0]]}, {"counts": [[2, 1, 0], [0, 1, 2], [3, 0, 0]]}
    yield "golden df 8.6956522, p .23874851: scores", ["golden", "weights"], {"A": graded, "B": other, "w": W3, **FIXED}
    yield "golden df 2, p .057190958: one question of eight differs", ["golden", "boundary"], {"A": states(*[(4, 4)] * 8), "B": states(*[(4, 4)] * 7, (0, 4)), **FIXED}
    yield "one model always succeeds or always fails on a question", ["boundary"], {"A": states(*[(8, 8)] * 5, *[(0, 8)] * 5), "B": states(*((x, 8) for x in (7, 6, 8, 8, 5, 1, 0, 2, 0, 3))), **FIXED}
    even = states(*[(50, 100)] * 6)
    yield "rates near one half in 100 trials: the variance is well estimated", ["large"], {"A": even, "B": states(*[(47, 100)] * 6), **FIXED}
    yield "the largest number of degrees of freedom, 10^6", ["large", "boundary"], {"A": states(*[(5000, 10000)] * 40), "B": states(*[(4990, 10000)] * 40), **FIXED}
    yield "sampled, one question decides", ["t-distribution"], {"A": states(*[(3, 6)] * 11, (6, 6)), "B": states(*[(3, 6)] * 11, (0, 6)), **SAMPLED}
    yield "sampled, three questions decide", ["t-distribution"], {"A": states(*[(3, 6)] * 9, *[(6, 6)] * 3), "B": states(*[(3, 6)] * 9, *[(1, 6)] * 3), **SAMPLED}
    yield "sampled, all questions differ alike", ["t-distribution", "boundary"], {"A": states(*[(4, 6)] * 9), "B": states(*[(3, 6)] * 9), **SAMPLED}
    for c in (0.78, 0.87, 0.8721, 0.8722):
        yield f"significant or not: p is .1278 and the confidence {c}", ["confidence"], {"A": FIVE_A, "B": FIVE_B, **FIXED, "confidence": c}


def clustered():
    """Cases of compare with clusters of questions."""
    base = {"A": FIVE_A, "B": FIVE_B, **SAMPLED}
    ten = {"A": states(*((int(x), 4) for x in "4434241343")), "B": states(*((int(x), 4) for x in "1203010020")), **SAMPLED}
    yield "golden V .042964286, df 1.4870738, p .46490395: clusters of 2, 2 and 1", ["golden", "clusters"], {**base, "clusters": [0, 0, 1, 1, 2]}
    yield "golden df 1.9655230, p .042680179: clusters of 4, 2, 2 and 2", ["golden", "clusters"], {**ten, "clusters": [0, 0, 0, 0, 1, 1, 2, 2, 3, 3]}
    yield "clusters of one question each: the same as none", ["clusters", "boundary"], {**base, "clusters": [4, 3, 2, 1, 0]}
    yield "clusters of equal size", ["clusters"], {**ten, "clusters": ["a", "b", "c", "d", "e"] * 2}
    yield "two clusters", ["clusters", "boundary"], {**ten, "clusters": [0] * 5 + [1] * 5}
    yield "two clusters, one of a single question", ["clusters", "boundary"], {**ten, "clusters": [0] * 9 + [1]}
    yield "one cluster is half of the questions", ["clusters"], {**ten, "clusters": [0] * 5 + [1, 2, 3, 4, 5]}
    yield "no difference in any cluster", ["clusters", "exact-zero", "ties"], {"A": FIVE_A, "B": FIVE_A, **SAMPLED, "clusters": [0, 0, 1, 1, 2]}
    yield "the same difference in every cluster", ["clusters", "boundary"], {"A": states(*[(3, 4)] * 6), "B": states(*[(2, 4)] * 6), **SAMPLED, "clusters": [0, 0, 0, 1, 1, 2]}
    yield "the variance over the trials is the larger one", ["clusters"], {"A": states((1, 2), (0, 2), (1, 2), (2, 2)), "B": states((0, 2), (1, 2), (1, 2), (1, 2)), **SAMPLED, "clusters": [0, 0, 1, 1]}
    yield "clusters, single trials", ["clusters", "boundary"], {"A": ONES, "B": states((0, 1), (0, 1), (1, 1), (1, 1), (0, 1)), **SAMPLED, "clusters": [0, 0, 1, 2, 2]}
    yield "clusters of dropped questions", ["clusters", "missing"], {"A": {"matrix": [[1, 0], [None, None], [1, 1], [0, 1], [1, 1]]}, "B": {"matrix": [[0, 0], [0, 1], [0, 0], [None, None], [1, 0]]},
                                                                     **SAMPLED, "clusters": [0, 0, 1, 1, 2], "missing": "drop"}
    yield "clusters of grades", ["clusters", "weights"], {"A": GRADED, "B": OTHER, "w": [2.0, -0.5, -3.0], **SAMPLED, "clusters": [0, 0, 1, 1, 2]}
    yield "clusters, pass_at_k", ["clusters"], {**ten, "metric": "pass_at_k", "k": 3, "clusters": [0, 0, 0, 0, 1, 1, 2, 2, 3, 3]}
    yield "clusters, max_at_k", ["clusters", "weights"], {"A": GRADED, "B": OTHER, "metric": "max_at_k", "k": 2, "w": W3, **SAMPLED, "clusters": [0, 0, 1, 2, 2]}
    yield "fifty tasks in clusters of 1 to 12", ["clusters", "large"], {"A": examples.AIRLINE, "B": recipe(50, 4, 91), **SAMPLED, "clusters": [i for i, m in enumerate((1, 2, 3, 4, 6, 10, 12, 12)) for _ in range(m)]}
    yield "clusters by recipe", ["clusters", "large"], {"A": recipe(200, 16, 92), "B": recipe(200, 16, 93), **SAMPLED, "clusters": [i % 7 + (i > 120) for i in range(200)]}
    rng = Random(906)
    for i in range(8):
        M = rng.randint(4, 12)
        a, b = (states(*((rng.randint(0, 5), 5) for _ in range(M))) for _ in "ab")
        yield f"random clusters {i + 1} of seed 906", ["clusters", "random"], {"A": a, "B": b, **SAMPLED, "clusters": [0, 1, *(rng.randint(0, 4) for _ in range(M - 2))], "confidence": rng.randint(60, 99) / 100}


def one_model():
    """Cases with R only: (comment, flags, args)."""
    yield "few questions", ["plain"], {"R": FIVE_A}
    yield "two questions", ["boundary"], {"R": states((3, 4), (1, 4))}
    yield "only successes: only the number of trials matters", ["boundary"], {"R": states((4, 4), (4, 4), (4, 4))}
    yield "only failures", ["boundary"], {"R": states((0, 4), (0, 4))}
    yield "questions with only successes or only failures", ["boundary"], {"R": states((4, 4), (0, 4), (4, 4))}
    yield "equal questions", ["boundary"], {"R": states((2, 4), (2, 4), (2, 4))}
    yield "one trial per question", ["boundary"], {"R": ONES}
    yield "a single trial among others", ["ragged"], {"R": states((1, 1), (2, 3), (0, 2), (5, 8))}
    yield "unequal rows, dropped questions", ["missing"], {"R": {"matrix": [[1, None, 0], [None, None, None], [0, 1, 1], [1, 1]]}, "missing": "drop"}
    yield "missing trials count as failures", ["missing"], {"R": {"matrix": [[1, None, 0], [1, 1, None], [0, 1, 1]]}, "missing": 0}
    yield "graded", ["weights"], {"R": GRADED, "w": W3}
    yield "all scores equal: the smallest number", ["weights", "boundary"], {"R": GRADED, "w": [0.7, 0.7, 0.7]}
    yield "airline", ["large"], {"R": examples.AIRLINE}
    yield "by recipe", ["large"], {"R": recipe(100, 16, 96)}
    yield "rare success", ["large"], {"R": states((1, 1000), (0, 1000))}


def needed(unit):
    """Cases of trials_needed and questions_needed; unit: "trials" or "questions"."""
    for comment, flags, args in pairs():
        # not the scores of 1e15, nor, for trials_needed, the nearly equal means
        if args.get("w", [0])[0] < 1e14 and not (unit == "trials" and "cancellation" in flags):
            flags = [f for f in flags if f not in ("clip", "exact-zero")]
            both = {"R": args["A"], "R_b": args["B"], **{k: v for k, v in args.items() if k not in "AB"}}
            yield f"two models, {comment}", ["needed", *flags], both
            yield f"two models, z = 1.645, {comment}", ["needed", *flags], {**both, "z": 1.645}
    two = {"R": FIVE_A, "R_b": FIVE_B}
    for z in (1e-9, 0.5, 1, 1.96, 2.5758, 10, 100):
        yield f"two models, z = {z!r}", ["needed", "confidence"], {**two, "z": z}
    for power in (0.5, 0.5000001, 0.6, 0.9, 0.999):
        yield f"two models, power {power!r}", ["needed", "confidence"], {**two, "power": power}
    for c in (1e-8, 0.5, 0.9, 0.99, 0.999999):
        yield f"two models, confidence {c!r}", ["needed", "confidence"], {**two, "confidence": c}
    for d in (1.0, 0.1, 0.01, 1e-4):
        yield f"two models, a difference of {d!r}", ["needed"], {**two, "difference": d}
        yield f"two models, a difference of {d!r} in units of w, z = 1.96", ["needed", "weights"], {"R": GRADED, "R_b": OTHER, "w": [-1.0, 0.0, 3.0], "difference": d, "z": 1.96}
    yield "two models, a difference, all scores equal", ["needed", "weights", "boundary"], {"R": GRADED, "R_b": OTHER, "w": [2.0, 2.0, 2.0], "difference": 0.1}
    yield from needed_by_metric(unit)
    for comment, flags, args in one_model():
        for h in (0.2, 0.03) if "w" not in args else (0.15,):
            yield f"one model, {comment}, half width {h}", ["needed", *flags], {**args, "half_width": h}
    for h in (1e-4, 1e-6, 0.3, 0.499, 0.5, 3.0):
        yield f"one model, half width {h!r}", ["needed", "boundary"], {"R": FIVE_A, "half_width": h}
    for c in (1e-8, 0.5, 0.9, 0.99, 1 - 2**-53):
        yield f"one model, confidence {c!r}", ["needed", "confidence"], {"R": FIVE_A, "half_width": 0.05, "confidence": c}
    yield "a half width in units of w", ["needed", "weights"], {"R": GRADED, "w": [-100.0, 50.0, 100.0], "half_width": 12.5}
    yield "falling scores", ["needed", "weights"], {"R": GRADED, "w": [3.0, 2.0, 0.0], "half_width": 0.5}
    rng = Random(905 + len(unit))  # the lengths differ: two seeds
    for i in range(16):
        M, C = rng.randint(2, 6), rng.randint(1, 3)
        a, b = ({"matrix": [[rng.randint(0, C) for _ in range(rng.randint(1, 7))] for _ in range(M)]} for _ in "ab")
        w = {"w": [float(j) for j in range(C + 1)], "missing": "drop"}
        yield f"random outcomes {i + 1}", ["needed", "random"], {"R": a, "R_b": b, **w, "z": rng.choice((1.0, 1.645, 2.0))} if i % 2 else {"R": a, **w, "half_width": rng.randint(1, 30) / 100}


def needed_by_metric(number):
    """Cases of trials_needed and questions_needed for metrics other than the mean."""
    a, b = states((2, 8), (8, 8), (0, 8), (3, 9), (6, 8)), states((1, 8), (8, 8), (1, 9), (0, 8), (3, 8))
    for m in ({"metric": "pass_at_k"}, {"metric": "pass^k"}, {"metric": "g_pass_at_k_tau", "tau": 0.6}, {"metric": "maj_at_k"}, {"metric": "mg_pass_at_k"}, {"metric": "auc_at_k"}):
        for k in (1, 3, 4):
            yield f"two models, {m['metric']}, k = {k}", ["needed"], {"R": a, "R_b": b, **m, "k": k}
        yield f"one model, {m['metric']}", ["needed"], {"R": a, **m, "k": 3, "half_width": 0.05}
    for k in (1, 2):
        yield f"two models, max_at_k, k = {k}", ["needed", "weights"], {"R": GRADED, "R_b": OTHER, "w": [2.0, -0.5, -3.0], "metric": "max_at_k", "k": k}
    yield "one model, max_at_k", ["needed", "weights"], {"R": GRADED, "w": W3, "metric": "max@k", "k": 2, "half_width": 0.1}
    yield "two models, pass_at_k, power 0.9 and confidence 0.99", ["needed", "confidence"], {"R": a, "R_b": b, "metric": "pass_at_k", "k": 2, "power": 0.9, "confidence": 0.99}
    yield "two models, k = 16 of 32", ["needed", "large"], {"R": recipe(30, 32, 97), "R_b": recipe(30, 32, 98), "metric": "maj_at_k", "k": 16, "difference": 0.05}
    if number == "questions":
        yield "two models, k = n", ["needed", "modelled"], {"R": a, "R_b": b, "metric": "pass_at_k", "k": 8}
        yield "two models, k = n, no model", ["needed", "no-model"], {"R": a, "R_b": b, "metric": "pass_at_k", "k": 8, "model": None}
        yield "two models, clusters", ["needed", "clusters"], {"R": FIVE_A, "R_b": FIVE_B, "clusters": [0, 0, 1, 1, 2]}
        yield "two models, clusters, z", ["needed", "clusters"], {"R": FIVE_A, "R_b": FIVE_B, "clusters": [0, 0, 1, 1, 2], "z": 2}
        yield "two models, clusters, pass_at_k", ["needed", "clusters"], {"R": a, "R_b": b, "metric": "pass_at_k", "k": 3, "clusters": ["x", "y", "y", "x", "z"]}
        yield "one model, clusters", ["needed", "clusters"], {"R": FIVE_A, "half_width": 0.1, "clusters": [0, 0, 1, 1, 2]}
    yield "one model, a metric that is always 0", ["needed", "boundary"], {"R": a, "metric": "mg_pass_at_k", "k": 1, "half_width": 0.1}


def trials_needed():
    right, wrong = states((2, 2)), states((0, 2))
    yield "two models, no within-question variance at all: D² ≥ z² s(N)/M² holds with equality at N = z, and is met", ["needed", "boundary"], {"R": right, "R_b": wrong, "z": 3}
    yield "two models, no within-question variance, z a quarter above", ["needed", "boundary"], {"R": right, "R_b": wrong, "z": 3.25}
    yield "two models, one question", ["needed", "boundary"], {"R": states((3, 8)), "R_b": states((5, 8))}
    yield "two models, nearly the same mean", ["needed", "cancellation"], {"R": states((500, 1001), (500, 1001)), "R_b": states((501, 1001), (500, 1001))}
    yield "one model, one question", ["needed", "boundary"], {"R": states((3, 8)), "half_width": 0.1}
    yield "one model, one question with one trial", ["needed", "boundary"], {"R": states((1, 1)), "half_width": 0.1}
    yield from needed("trials")
    solved = [2] * 23 + [0] * 17, [0] * 13 + [2] * 20 + [0] * 7
    other = {name: states(*[(c, 2) for c in column]) for name, column in zip(("R", "R_b"), solved)}
    yield "two models that solve different questions: with one trial of each the comparison has the variance between questions", ["needed"], other
    yield "two models, flip rate: with three trials the variance is an upper bound", ["needed"], {
        "R": states(*[(4, 8)] * 30, *[(0, 8)] * 30), "R_b": states(*[(1, 8)] * 15, *[(2, 8)] * 15, *[(0, 8)] * 30), "metric": "flip_rate", "difference": 0.16}
    yield "one model, flip rate: with three trials the variance is an upper bound", ["needed"], {"R": states(*[(4, 8)] * 3), "metric": "flip_rate", "half_width": 0.4}
    yield "two models, Pass@2: with two or three trials the variance is modelled", ["needed"], {
        "R": states(*[(4, 4)] * 12, *[(3, 4)] * 8, *[(0, 4)] * 20), "R_b": states(*[(2, 4)] * 12, *[(1, 4)] * 8, *[(0, 4)] * 20), "metric": "pass_at_k", "k": 2}
    rare = {"R": states(*[(3, 4)] * 9, *[(2, 4)] * 2, *[(4, 4)] * 27), "R_b": states(*[(16, 16)] * 37, (15, 16))}
    yield "two models, rare failures: the comparison has few degrees of freedom", ["needed", "t-distribution"], {**rare, "metric": "pass_at_k", "k": 2, "difference": 0.0057}


def questions_needed():
    yield from needed("questions")
    near = {"R": states(*[(62, 64)] * 9, (63, 64), (61, 64)), "R_b": states(*[(56, 64)] * 11)}
    rare = {"R": states(*[(8, 8)] * 40), "R_b": states(*[(8, 8)] * 39, (0, 8))}
    sizes = {"clusters": [0] * 6 + [1] * 3 + [2, 3]}
    for comment, args in (("questions that hardly differ", near), ("one question differs: the degrees of freedom fall at first", rare)):
        yield f"two models, {comment}", ["needed", "t-distribution"], args
        for c, d in ((0.999, 0.2), (0.5, 0.9), (0.99999, 0.9), (0.95, 1e-3)):
            yield f"two models, {comment}, confidence {c!r}, a difference of {d!r}", ["needed", "confidence"], {**args, "confidence": c, "difference": d}
    for power in (0.5, 0.99):
        yield f"two models, unequal clusters, power {power!r}", ["needed", "clusters"], {**near, **sizes, "power": power}
    yield "two models, unequal clusters, a large difference", ["needed", "clusters", "boundary"], {**near, **sizes, "difference": 1.0}
    yield "two models, all questions differ alike", ["needed", "boundary"], {"R": states(*[(8, 8)] * 4), "R_b": states(*[(7, 8)] * 4)}
