"""Cases of the posterior metrics of binary outcomes."""
from random import Random

import examples
from cases import R, common_cases, random_states, recipe, states
from cases_hypergeometric import POWERS, SIGNED, spectrum_options, random_weights, spectra

TWO = states((3, 5), (4, 5))
CONFIDENCES = (1e-8, 0.5, 0.9, 0.99, 0.999999, 1 - 2**-50, 1 - 2**-53)
# pairs (alpha0, beta0)
PRIORS = ((0.5, 0.5), (1e-3, 1e-3), (1e-3, 10.0), (2.5, 1e3), (1e6, 1e6), (1e6, 1e-3), (0.1, 0.3), (1.0, 1e15), (1e15, 1e-15))
EXTREME = ((1e-100, 1e-100), (1e100, 1e100), (1e-100, 1e100), (1e100, 1e-100))


def posterior_options(k):
    """Options that every posterior metric takes: (comment, flags, R, options)."""
    for c in CONFIDENCES:
        yield f"confidence {c!r}", ["confidence"], TWO, {"confidence": c, "bounds": None}
    yield "confidence 1 - 2^-53, default bounds", ["confidence", "clipped"], TWO, {"confidence": 1 - 2**-53}
    yield "no clipping", ["bounds"], states((5, 5), (5, 5)), {"bounds": None}
    yield "infinite bounds clip nothing", ["bounds"], states((5, 5), (5, 5)), {"bounds": ["-inf", "inf"]}
    yield "bounds 0.4 and 0.6", ["bounds", "clipped"], TWO, {"bounds": [0.4, 0.6]}
    yield "bounds below the interval: both ends are the upper bound", ["bounds", "clipped"], TWO, {"bounds": [-2.0, -1.0]}
    yield "bounds of one point", ["bounds", "clipped"], TWO, {"bounds": [0.25, 0.25]}
    yield "bounds 0 and infinity", ["bounds", "clipped"], states((0, 5), (1, 5)), {"bounds": [0.0, "inf"]}
    for a, b in PRIORS:
        yield f"prior {a:g}, {b:g}", ["prior"], states((0, 6), (2, 6), (6, 6)), {"alpha0": a, "beta0": b}
    for a, b in EXTREME:
        yield f"prior {a:g}, {b:g}", ["prior", "underflow"], states((0, 6), (2, 6), (6, 6)), {"alpha0": a, "beta0": b}
    yield "only alpha0 given", ["prior"], TWO, {"alpha0": 3.0}
    yield "only beta0 given", ["prior"], TWO, {"beta0": 0.25}
    yield "prior, confidence and bounds together", ["prior", "confidence", "bounds"], TWO, \
        {"confidence": 0.8, "bounds": [0.1, 0.9], "alpha0": 2.0, "beta0": 5.0}


def posterior(name, seed, number=10, k=3, most_k=1000, more=lambda k: {}):
    """Cases from documents, of options, then common ones; `more(k)` gives further arguments of the metric."""
    yield from examples.cases_of(name)
    for comment, flags, data, options in posterior_options(k):
        yield comment, flags, {"R": data, "k": k, **more(k), **options}
    for comment, flags, args in common_cases(seed, number, most_k):
        if flags != ["plain"] or args["k"] in (2, 3, 4):
            yield comment, flags, {**args, **more(args["k"])}
    rng = Random(seed + 1)
    for i in range(10):
        data, N = random_states(rng, 5, 30)
        k = rng.randint(1, N)
        priors = {"alpha0": rng.randint(1, 400) / 64, "beta0": rng.randint(1, 400) / 100}
        yield f"random states and priors {i + 1} of seed {seed + 1}", ["random", "prior"], \
            {"R": data, "k": k, **more(k), **priors, "confidence": rng.randint(1, 99) / 100}


def k_above_n(more=lambda k: {}):
    """Cases with k above N, which posterior metrics accept."""
    yield "k = N + 1", ["beyond"], {"R": R, "k": 6, **more(6)}
    yield "k = 64 from one trial", ["beyond"], {"R": states((0, 1), (1, 1)), "k": 64, **more(64)}
    yield "k = 40 from 5 trials, no success", ["beyond"], {"R": states((0, 5)), "k": 40, **more(40)}
    yield "k = 40 from 5 trials, every trial a success", ["beyond"], {"R": states((5, 5)), "k": 40, **more(40)}
    yield "k above N with missing trials", ["beyond", "missing"], \
        {"R": {"matrix": [[1, None, 0], [0, 1, 1]]}, "k": 7, **more(7), "missing": "drop"}


def pass_at_k_ci():
    yield from posterior("pass_at_k_ci", 201)
    yield "success is rare and k large", ["large"], {"R": states((1, 5000), (0, 5000)), "k": 1000}
    yield "sigma^2 below the double range, sigma above it", ["underflow"], {"R": states((999, 1000)), "k": 300, "beta0": 0.5}
    for c in (0.938631, 0.9386311708):
        yield "a lower end close to 0", ["cancellation"], {"R": states((1, 4)), "k": 1, "confidence": c, "bounds": None}


def pass_hat_k_ci():
    yield from posterior("pass_hat_k_ci", 203)
    yield "mu and sigma far below 1", ["plain"], {"R": states((1, 1000)), "k": 100}
    yield "sigma^2 below the double range, sigma above it", ["underflow"], {"R": states((40, 1000), (42, 1000)), "k": 240}
    yield "mu rounds to 0, sigma is subnormal", ["underflow"], {"R": states((1, 1000)), "k": 580}
    yield "everything below the double range: rounds to 0", ["underflow"], {"R": states((2, 1000)), "k": 1000}
    yield "a subnormal mu", ["underflow"], {"R": states((20, 1000)), "k": 380}


def auc_at_k_ci():
    yield from posterior("auc_at_k_ci", 205)
    yield "k = 1 is Pass@1", ["boundary"], {"R": R, "k": 1}
    yield "k = 2: one trapezoid", ["boundary"], {"R": R, "k": 2}
    yield "k = 300, nearly always a success", ["large"], {"R": states((299, 300), (290, 300)), "k": 300}


def maj_at_k_ci():
    yield from posterior("maj_at_k_ci", 207)
    for k in (1, 2, 3, 4):
        yield f"k = {k}", ["plain"], {"R": R, "k": k}
    yield "a majority that is nearly certain", ["cancellation"], {"R": states((298, 300)), "k": 101}
    yield "a majority that is nearly impossible", ["cancellation"], {"R": states((2, 300)), "k": 101}


def flip_rate_ci():
    for comment, flags, args in posterior("flip_rate_ci", 213):
        if args.pop("k") >= 2:
            yield comment, flags, args
    yield "rates next to one half, where the square of p (1-p) is lost", ["prior", "cancellation"], {"R": states((3, 6), (2, 6)), "alpha0": 1e90, "beta0": 1e90}
    yield "priors that differ by less than a trial", ["prior", "cancellation"], {"R": states((5, 10), (4, 10)), "alpha0": 2.0**40 + 2.0**-12, "beta0": 2.0**40}
    yield "half of a million trials", ["large", "cancellation"], {"R": states((500000, 10**6), (499999, 10**6))}
    yield "unequal trials, missing outcomes", ["ragged", "missing"], {"R": {"matrix": [[1, 0, None], [1, 1], [0, None, 1, 1]]}, "missing": "drop"}


def mg_pass_at_k_ci():
    yield from posterior("mg_pass_at_k_ci", 209)
    for k in (1, 2, 3, 4):
        yield f"k = {k}" + (": an empty sum, 0" if k == 1 else ""), ["exact-zero"] if k == 1 else ["plain"], {"R": R, "k": k}
    yield "nearly no credit", ["cancellation"], {"R": states((2, 300)), "k": 101}
    yield "nearly all credit", ["cancellation"], {"R": states((299, 300)), "k": 100}


def g_pass_at_k_tau_ci():
    yield "two successes of three are enough", ["threshold"], {"R": R, "k": 3, "tau": 2 / 3}
    for tau in (0.0, 1.0, 0.5, 0.5000000000000001, 1e-300, 0.9999999999999999):
        yield f"tau = {tau!r}", ["threshold"], {"R": R, "k": 4, "tau": tau}
    for k, tau in ((25, 0.28), (100, 0.07), (100, 0.28), (50, 0.58), (29, 15 / 29), (10, 0.3)):
        yield f"tau k is {tau * k!r} in floating point", ["threshold"], {"R": states((k // 3, 100), (70, 100)), "k": k, "tau": tau}
    rng = Random(211)
    yield from posterior("g_pass_at_k_tau_ci", 212, 6, more=lambda k: {"tau": rng.randint(0, k) / k})


def threshold_spectrum_at_k_ci():
    for k in (4, 5):
        for comment, flags, weights in spectra(k):
            yield f"{comment}, k = {k}", flags, {"R": states((3, 8), (6, 8)), "k": k, "weights": weights}
    rng = Random(214)

    def more(k):
        return {"weights": random_weights(rng, k)}
    yield from posterior("threshold_spectrum_at_k_ci", 215, 6, most_k=120, more=more)
    yield from k_above_n(more)
    yield "k = 1", ["boundary"], {"R": R, "k": 1, "weights": [1.0]}


def geom(name, seed):
    for a, b in POWERS + SIGNED:
        yield f"powers {a:g} and {b:g}", ["powers"], {"R": states((2, 6), (4, 6), (6, 6)), "k": 3, "pass_power": a, "unanimous_power": b, "bounds": None}
    yield from posterior(name, seed, 6)
    yield from k_above_n()
    yield "k = 1 with opposite powers: the blend is constant", ["exact-zero", "powers"], {"R": R, "k": 1, "pass_power": 1.0, "unanimous_power": -1.0}
    yield "k = 1 with powers 2 and -1", ["powers"], {"R": R, "k": 1, "pass_power": 2.0, "unanimous_power": -1.0}
    yield "Pass^k is below the double range, the blend is not", ["underflow", "beyond"], {"R": states((2, 300)), "k": 1300}
    yield "a negative power of a tiny mean", ["powers"], {"R": states((0, 20)), "k": 10, "pass_power": 0.0, "unanimous_power": -3.5, "bounds": None}


def geom_at_k_ci():
    yield from geom("geom_at_k_ci", 217)


def geom_ds_at_k_ci():
    yield from geom("geom_ds_at_k_ci", 219)


def geo_spectrum_at_k_ci():
    for comment, flags, k, options in spectrum_options():
        yield comment, flags, {"R": states((3, 8), (6, 8)), "k": k, **options}
    yield "the mean of the spectrum is 0 and has a positive power", ["exact-zero"], {"R": R, "k": 3, "weights": [0.0, 0.0, 0.0]}
    rng = Random(221)
    yield from posterior("geo_spectrum_at_k_ci", 222, 4, most_k=120, more=lambda k: {"lam": rng.randint(0, 10) / 10})
    yield from k_above_n()


def geo_spectrum_star_at_k_ci():
    for k in (1, 2, 3, 4):
        yield f"k = {k}" + (": no threshold has weight, 0" if k == 1 else ""), ["exact-zero"] if k == 1 else ["plain"], {"R": R, "k": k}
    yield from posterior("geo_spectrum_star_at_k_ci", 224, 8, most_k=200)
    yield from k_above_n()
    yield "a hundred questions by recipe, k above N", ["beyond", "large"], {"R": recipe(100, 16, 7), "k": 20}
