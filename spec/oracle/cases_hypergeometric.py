"""Cases of the metrics of k trials sampled without replacement."""
from random import Random

import examples
from cases import R, common_cases, random_states, recipe, states

FIVE = states((2, 5), (4, 5), (5, 5))


def pass_at_k():
    yield from examples.cases_of("pass_at_k")
    yield from common_cases(101, 24)
    for c in (1, 2, 5):
        yield f"{c} successes in 100000, k = 1: tiny and not 1 - (1 - tiny)", ["cancellation"], {"R": states((c, 100000)), "k": 1}
    yield "one failure in 1000, k = 1", ["plain"], {"R": states((999, 1000)), "k": 1}
    yield "k just small enough to miss", ["boundary"], {"R": states((5, 20)), "k": 15}
    yield "k just large enough to succeed for certain", ["boundary"], {"R": states((5, 20)), "k": 16}
    yield "50000 successes in 100000, k = 50: about 1 - 2^-50", ["large"], {"R": states((50000, 100000)), "k": 50}


def pass_hat_k():
    yield from examples.cases_of("pass_hat_k")
    yield from common_cases(102, 24)
    yield "exactly k successes: one subset of C(N, k)", ["boundary"], {"R": states((15, 40)), "k": 15}
    yield "one success too few", ["exact-zero"], {"R": states((14, 40)), "k": 15}
    yield "below the smallest subnormal: rounds to 0", ["underflow"], {"R": states((1000, 100000)), "k": 1000}
    yield "a subnormal result", ["underflow"], {"R": states((750, 1500)), "k": 655}
    yield "below the smallest normal number", ["underflow"], {"R": states((550, 1100)), "k": 540}
    yield "all but one of 100000 a success", ["cancellation"], {"R": states((99999, 100000)), "k": 1000}
    yield "a tiny term beside a large one", ["plain"], {"R": states((30, 60), (60, 60)), "k": 30}


def g_pass_at_k_tau():
    yield from examples.cases_of("g_pass_at_k_tau")
    rng = Random(103)
    for tau in (0.0, 1.0):
        for c in (0, 3, 6):
            yield f"tau = {tau:g}, {c} successes in 6 trials", ["boundary"], {"R": states((c, 6)), "k": 4, "tau": tau}
    yield "tau = -0.0 is 0", ["boundary"], {"R": R, "k": 3, "tau": "-0.0"}
    for k, tau in ((25, 0.28), (100, 0.07), (100, 0.14), (100, 0.28), (50, 0.58), (29, 15 / 29), (49, 1 / 49), (10, 0.3), (10, 0.7)):
        yield f"tau k is {tau * k!r} in floating point", ["threshold"], \
            {"R": states((k // 3, 100), (k // 2, 100), (70, 100)), "k": k, "tau": tau}
    for tau in (0.1, 1 / 3, 2 / 3, 0.6666666666666667, 0.5, 0.5000000000000001, 0.9999999999999999, 1e-300):
        yield f"tau = {tau!r} at k = 3", ["threshold"], {"R": FIVE, "k": 3, "tau": tau}
    for comment, flags, args in common_cases(104, 18):
        k = args["k"]
        yield comment, flags, {**args, "tau": rng.randint(0, k) / k if rng.randint(0, 2) else rng.randint(1, 999) / 1000}


def mg_pass_at_k():
    yield from examples.cases_of("mg_pass_at_k")
    yield from common_cases(105, 24)
    for k in (1, 2, 3, 4):
        yield f"k = {k}" + (": an empty sum, 0" if k == 1 else ""), ["exact-zero"] if k == 1 else ["plain"], {"R": FIVE, "k": k}
    yield "too few successes for any credit", ["exact-zero"], {"R": states((3, 9)), "k": 6}
    yield "a tail at the far end of the hypergeometric distribution", ["cancellation"], {"R": states((60, 1000)), "k": 100}


def maj_at_k():
    yield from examples.cases_of("maj_at_k")
    yield from common_cases(106, 24)
    for k in (29, 52, 56, 58, 60):
        yield f"k = {k} = N, exactly half of the trials a success (rounded down): no majority", ["threshold", "exact-zero"], {"R": states((k // 2, k)), "k": k}
        yield f"k = {k} = N, one more than half of the trials a success: a majority", ["threshold"], {"R": states((k // 2 + 1, k)), "k": k}
    yield "a majority that is nearly certain", ["cancellation"], {"R": states((900, 1000)), "k": 101}
    yield "a majority that is nearly impossible", ["cancellation"], {"R": states((100, 1000)), "k": 101}


def auc_at_k():
    yield from examples.cases_of("auc_at_k")
    yield from common_cases(107, 24)
    yield "k = 1 is Pass@1", ["boundary"], {"R": FIVE, "k": 1}
    yield "k = 2: one trapezoid", ["boundary"], {"R": FIVE, "k": 2}
    yield "one success in 100000", ["cancellation"], {"R": states((1, 100000)), "k": 1000}
    yield "the curve is flat at 1 after the first point", ["boundary"], {"R": states((999, 1000)), "k": 500}


def flip_rate():
    yield from examples.cases_of("flip_rate")
    for comment, flags, args in common_cases(118, 24):
        if args.pop("k") >= 2:
            yield comment, flags, args
    yield "two trials: 1 if they differ", ["boundary"], {"R": states((0, 2), (1, 2), (2, 2))}
    yield "the trials of every question differ", ["boundary"], {"R": states((1, 2), (1, 2))}
    yield "no trials differ", ["exact-zero", "boundary"], {"R": states((0, 3), (5, 5), (0, 2))}
    yield "unequal trials, from two on", ["ragged"], {"R": states((1, 2), (2, 3), (2, 4), (30, 64), (0, 7))}
    yield "at most one of a million trials differs", ["large"], {"R": states((1, 10**6), (999999, 10**6), (10**6, 10**6))}
    yield "half of a million trials: above one half", ["large"], {"R": states((500000, 10**6))}
    rows = {"matrix": [[1, 0, None], [1, 1], [0, None, 1, 1, None]]}
    for policy in ("drop", 0, 1):
        yield f"missing outcomes and unequal rows, policy {policy}", ["missing", "ragged"], {"R": rows, "missing": policy}


RUBRIC = examples.RUBRIC
GRADED = {"counts": [[3, 1, 2], [0, 5, 1], [2, 2, 2], [6, 0, 0], [0, 0, 6]]}


def score_sets():
    """Scores w of three categories: (comment, flags, w)."""
    yield "halves", ["plain"], [0.0, 0.5, 1.0]
    yield "negative scores", ["weights"], [-2.0, -1.0, -0.5]
    yield "scores of both signs", ["weights"], [-1.0, 0.0, 1.0]
    yield "decreasing scores", ["weights"], [1.0, 0.5, 0.0]
    yield "two equal scores", ["weights"], [0.0, 1.0, 1.0]
    yield "all scores equal", ["weights"], [0.7, 0.7, 0.7]
    yield "scores from 1e-8 to 1e8", ["weights"], [1e-8, 1.0, 1e8]
    yield "a tiny difference beside a huge one", ["weights", "cancellation"], [0.0, 1e-8, 1e8]
    yield "scores far from zero", ["weights", "cancellation"], [1e15, 1e15 + 1, 1e15 + 2]
    yield "neighbouring doubles as scores", ["weights", "cancellation"], [1.0, 1.0000000000000002, 1.0000000000000004]
    yield "scores at the largest allowed size", ["weights"], [0.0, 1e300, -1e300]
    yield "scores of 1e-300", ["weights", "underflow"], [1e-300, 2e-300, 5e-300]
    yield "subnormal scores", ["weights", "underflow"], [0.0, 5e-324, 1e-322]
    yield "decimals that are not doubles", ["weights"], [0.1, 0.2, 0.7]
    yield "a score of -0.0", ["weights"], ["-0.0", 0.25, 1.0]


def many_levels():
    """Real-valued rewards: nearly every trial has a reward of its own (comment, flags, args)."""
    rng = Random(307)
    for what, size in (("40", 40), ("80", 80), ("80, in any order and in pairs", 80), ("80, from 5e-324 to 1e300", 80)):
        w = sorted(rng.uniform(-1, 1) for _ in range(size))
        if "pairs" in what:
            w = [round(x, 1) for x in w]
            rng.shuffle(w)
        if "5e-324" in what:
            w[::9] = [-1e300, -5e-324, -0.0, 5e-324, 1e-308, 2.5, 1e16, 1e299, 1e300]
        rows = [[rng.randrange(size) for _ in range(6)] for _ in range(3)]
        yield f"levels: {what}", ["weights"], {"R": {"matrix": rows}, "w": w}
    uneven = [[*rows[0][:5], None], [*rows[1][:4], None, None], rows[2]]
    yield "80 levels, unequal trials", ["ragged", "missing", "weights"], {"R": {"matrix": uneven}, "w": [x / 8 for x in range(-40, 40)], "missing": "drop"}
    mirrored = [[0, 79, 40, 39], [20, 59, 1, 78]]
    yield "80 levels that cancel", ["exact-zero", "weights"], {"R": {"matrix": mirrored}, "w": [0.1 * x for x in range(-40, 0)] + [0.1 * x for x in range(40, 0, -1)][::-1]}


def max_at_k():
    yield from examples.cases_of("max_at_k")
    for comment, flags, w in score_sets():
        for k in (1, 3):
            yield f"{comment}, k = {k}", flags, {"R": GRADED, "k": k, "w": w}
    yield "failures -1, successes 1, half of the pairs without a success", ["exact-zero"], {"R": states((1, 4)), "k": 2, "w": [-1.0, 1.0]}
    yield "the questions cancel each other", ["exact-zero"], {"R": {"counts": [[0, 0, 4], [4, 0, 0]]}, "k": 3, "w": [-1.0, 0.0, 1.0]}
    yield "a category that never occurs", ["unobserved"], {"R": R, "k": 2, "w": [0.0, 0.5, 0.8, 1.0]}
    yield "an unobserved best category", ["unobserved"], {"R": RUBRIC, "k": 5, "w": [0.0, 0.5, 0.9, 7.0]}
    yield "one category", ["boundary"], {"R": {"matrix": [[0, 0, 0], [0, 0, 0]]}, "k": 2, "w": [0.7]}
    yield "k = N takes the best of all", ["boundary"], {"R": RUBRIC, "k": 5, "w": [0.0, 0.5, 1.0]}
    yield "twelve categories by recipe", ["large"], {"R": recipe(40, 30, 5, C=11), "k": 6, "w": [j / 11 for j in range(12)]}
    yield "six categories, many trials, by recipe", ["large"], {"R": recipe(4, 5000, 6, C=5), "k": 50, "w": [0.0, 1.0, 4.0, 9.0, 16.0, 25.0]}
    for comment, flags, args in many_levels():
        yield from ((f"{comment}, k = {k}", flags, {**args, "k": k}) for k in (1, 3))
    yield "k of 1000 from 100000 graded trials", ["large"], {"R": {"counts": [[90000, 9990, 10], [99999, 0, 1]]}, "k": 1000, "w": [0.0, 0.5, 1.0]}
    rows = {"matrix": [[2, 0, None], [1, 1], [0, 2, 2, 1, None]]}
    for policy in ("drop", 0, 2):
        yield f"missing outcomes and unequal rows, policy {policy}", ["missing", "ragged"], {"R": rows, "k": 2, "w": [0.0, 0.4, 1.0], "missing": policy}
    rng = Random(108)
    for i in range(16):
        M, N, C = rng.randint(1, 5), rng.randint(2, 16), rng.randint(1, 5)
        m = [[rng.randint(0, C) for _ in range(N)] for _ in range(M)]
        yield f"random grades {i + 1} of seed 108", ["random"], \
            {"R": {"matrix": m}, "k": rng.randint(1, N), "w": [rng.randint(-1000, 1000) / 100 for _ in range(C + 1)]}
    for comment, flags, args in common_cases(109, 6):
        if "plain" not in flags:
            yield comment + "; default scores", flags, args


def spectra(k):
    """Spectra of length k, 4 to 9: (comment, flags, weights)."""
    yield "equal weights", ["plain"], [1 / k] * k
    yield "all weight on the first threshold: Pass@k", ["alias"], [1.0] + [0.0] * (k - 1)
    yield "all weight on the last threshold: Pass^k", ["alias"], [0.0] * (k - 1) + [1.0]
    yield "half the weight at either end", ["plain"], [0.5] + [0.0] * (k - 2) + [0.5]
    yield "weights that sum to less than 1", ["plain"], [0.1] * (k - 1) + [0.05]
    yield "the upper half, 2/k each", ["alias"], [0.0] * ((k + 1) // 2) + [2 / k] * (k - (k + 1) // 2)
    yield "no weight at all", ["exact-zero"], [0.0] * k
    yield "one tiny weight", ["weights"], [0.0, 1e-300] + [0.0] * (k - 2)
    yield "a sum that exceeds 1 by less than the tolerance", ["weights"], [0.5, 0.5 + 5e-13] + [0.0] * (k - 2)
    yield "weights of very unequal size", ["weights"], [0.9, 1e-9, 1e-5, 0.05] + [1e-12] * (k - 4)


def random_weights(rng, k):
    """Random weights: k doubles with a sum below 1."""
    parts = [rng.randint(0, 50) for _ in range(k)]
    D = sum(parts) + rng.randint(1, 40)
    return [p / D for p in parts]


def threshold_spectrum_at_k():
    for k in (4, 5):
        for comment, flags, weights in spectra(k):
            yield f"{comment}, k = {k}", flags, {"R": states((3, 8), (6, 8), (8, 8)), "k": k, "weights": weights}
    yield "k = 1", ["boundary"], {"R": R, "k": 1, "weights": [1.0]}
    yield "k = 1, half the weight", ["boundary"], {"R": R, "k": 1, "weights": [0.5]}
    rng = Random(110)
    for comment, flags, args in common_cases(111, 16, most_k=200):
        yield comment, flags, {**args, "weights": random_weights(rng, args["k"])}


# pairs of powers (pass_power, unanimous_power); those of SIGNED need factors above 0
POWERS = [(0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (0.3, 0.7), (0.7, 0.3), (0.5, 0.0), (0.0, 0.5), (0.3, 0.0),
          (0.25, 0.75), (1 / 3, 2 / 3), (2.5, 0.5), (1e-3, 3.0), (10.0, 10.0), (100.0, 0.25)]
SIGNED = [(-1.0, 2.0), (-1.0, 1.0), (1.0, -1.0), (-0.5, 0.0), (0.0, -0.5), (-0.3, -0.7), (2.0, -0.3), (-2.5, 0.5)]


def geom(name, seed):
    """Cases of a metric that is a blend of powers: geom_at_k or geom_ds_at_k."""
    yield from examples.cases_of(name)
    for a, b in POWERS:
        yield f"powers {a:g} and {b:g}", ["powers"], {"R": states((2, 6), (4, 6), (6, 6)), "k": 3, "pass_power": a, "unanimous_power": b}
    for a, b in SIGNED:
        yield f"powers {a:g} and {b:g}, no factor is 0", ["powers"], {"R": states((3, 6), (4, 6), (5, 6)), "k": 3, "pass_power": a, "unanimous_power": b}
    yield "0^-1 times 0^2 is 0", ["powers", "exact-zero"], {"R": states((0, 6)), "k": 3, "pass_power": -1.0, "unanimous_power": 2.0}
    yield "0^0 is 1: Pass@k alone", ["powers"], {"R": states((2, 6)), "k": 3, "pass_power": 1.0, "unanimous_power": 0.0}
    yield "0^0 is 1: Pass^k alone, and it is 0", ["powers", "exact-zero"], {"R": states((0, 6)), "k": 3, "pass_power": 0.0, "unanimous_power": 1.0}
    yield "one power given", ["powers"], {"R": R, "k": 2, "pass_power": 0.3}
    yield "a perfect square", ["plain"], {"R": states((3, 4)), "k": 1}
    yield "Pass^k is below the double range, the blend is not", ["underflow"], {"R": states((750, 1500)), "k": 700, "pass_power": 0.5, "unanimous_power": 0.5}
    yield "a subnormal blend of a Pass^k below the range", ["underflow"], {"R": states((750, 1500)), "k": 700, "pass_power": 0.5, "unanimous_power": 0.85}
    yield "a blend below the double range: rounds to 0", ["underflow"], {"R": states((600, 1100)), "k": 550, "pass_power": 0.0, "unanimous_power": 4.0}
    yield "a large negative power of Pass@k", ["powers"], {"R": states((4, 6)), "k": 1, "pass_power": -1500.0, "unanimous_power": 0.0}
    for comment, flags, args in common_cases(seed, 10):
        if flags != ["plain"] or args["k"] > 2:
            yield comment, flags, args


def geom_at_k():
    yield from geom("geom_at_k", 112)


def geom_ds_at_k():
    yield from geom("geom_ds_at_k", 113)


def spectrum_options():
    """Options of geo_spectrum_at_k: (comment, flags, k, options)."""
    for lam in (0.0, 1.0, 0.3, 0.25, 0.75, 1 / 3, 1e-3, 0.9999999999999999, 1e-300):
        yield f"lam = {lam!r}", ["powers"], 4, {"lam": lam}
    yield "lambda_ is another name of lam", ["alias", "powers"], 4, {"lambda_": 0.3}
    yield "lambda_ = 0", ["alias", "powers"], 5, {"lambda_": 0.0}
    for comment, flags, weights in spectra(4):
        yield comment, flags, 4, {"weights": weights}
        yield comment + ", lam = 0.3", flags + ["powers"], 4, {"lam": 0.3, "weights": weights}
    yield "no weight at all, but lam = 1 ignores the spectrum", ["powers"], 4, {"lam": 1.0, "weights": [0.0] * 4}
    yield "the default weights at k = 1 are empty, but lam = 1 ignores them", ["powers"], 1, {"lam": 1.0}


def geo_spectrum_at_k():
    yield from examples.cases_of("geo_spectrum_at_k")
    for comment, flags, k, options in spectrum_options():
        yield comment, flags, {"R": states((3, 8), (6, 8), (8, 8)), "k": k, **options}
    for lam in (0.0, 0.5, 1.0):
        yield f"no success, lam = {lam:g}", ["exact-zero"], {"R": states((0, 5)), "k": 3, "lam": lam}
    rng = Random(114)
    for comment, flags, args in common_cases(115, 8, most_k=400):
        if flags != ["plain"]:
            yield comment, flags, {**args, "lam": rng.randint(0, 10) / 10}


def geo_spectrum_star_at_k():
    for k in (1, 2, 3, 4, 5):
        yield f"the matrix of published examples, k = {k}", ["exact-zero"] if k == 1 else ["plain"], {"R": R, "k": k}
    yield from common_cases(116, 24, most_k=600)
    yield "both factors tiny", ["cancellation"], {"R": states((60, 1000)), "k": 100}
    data, _ = random_states(Random(117), 40, 40)
    yield "forty questions at most", ["random"], {"R": data, "k": 2}
