"""Cases whose exact value lies halfway between two doubles: the double with the even significand is the result."""

UP = 2**-52  # the distance from 1 to the next double
NEAR = [1.0, 1.0 + UP]  # scores whose mean is halfway
NEXT = [1.0 + UP, 1.0 + 2 * UP]  # scores whose mean is halfway, and the even double is above
HALF = {"counts": [[1, 1], [2, 2]]}  # both scores equally often
BELOW = {"counts": [[2**52 - 1, 1], [0, 1], [0, 1], [0, 1]]}  # the mean is 3/4 + 2^-54
ABOVE = {"counts": [[2**52 - 3, 3], [0, 1], [0, 1], [0, 1]]}  # the mean is 3/4 + 3 2^-54
THIRDS = {"counts": [*[[2, 1]] * 3, *[[0, 1]] * 17, *[[1, 0]] * 3, [2**51 - 3, 3]]}  # the mean is 3/4 + 2^-54, with thirds among its terms
GRADED = {"counts": [[1, 1, 2], [2, 2, 0], [2, 0, 2]]}
DOWN, TO_UP, BETWEEN = "halfway, the even double is below", "halfway, the even double is above", "halfway, and no term of the sum is a double"


def score_cases(**rest):
    """Cases of two scores w that are neighbouring doubles."""
    yield DOWN, {"R": HALF, "w": NEAR, **rest}
    yield TO_UP, {"R": HALF, "w": NEXT, **rest}


def share_cases(**rest):
    """Cases of a share of successes, k = 1."""
    yield DOWN, {"R": BELOW, "k": 1, **rest}
    yield TO_UP, {"R": ABOVE, "k": 1, **rest}
    yield BETWEEN, {"R": THIRDS, "k": 1, **rest}


def prior_cases(**rest):
    """Cases of a prior for which mu is (3 + 2^-52)/4."""
    yield "mu is " + DOWN, {"R": {"counts": [[0, 2]]}, "k": 1, "alpha0": 1 + UP, "beta0": 1 - UP, **rest}


def two_models(x):
    """Two models with the same outcomes."""
    return {"models": {"a": x, "b": x}}


def rank_cases(cases):
    for comment, args in cases:
        yield comment, {**args, "R": two_models(args["R"]), "return_scores": True}


FIXED, SAMPLED = {"questions": "fixed"}, {"questions": "sampled"}
SIDES = {"A": {"counts": [[2, 2, 2], [1, 2, 3], [1, 5, 0], [1, 4, 1], [0, 2, 4], [2, 2, 2], [1, 1, 4], [1, 2, 3]]},
         "B": {"counts": [[3, 1, 2], [0, 4, 2], [0, 5, 1], [4, 1, 1], [2, 0, 4], [5, 1, 0], [0, 3, 3], [3, 2, 1]]}, "w": [0.3, 0.7, 0.9]}
TENTHS = {"R": {"counts": [[3, 2], [3, 2]]}, "k": 2, "weights": [0.1, 0.05]}
GRADES = {"R": GRADED, "k": 2, "w": [0.1, 0.3, 0.7]}
BEST = "3/6 less a half of the last bit: 0.49999999999999994 was returned"

CASES = {
    "bayes": [*score_cases()], "bayes_ci": [*score_cases()], "avg": [*score_cases()], "avg_ci": [*score_cases()],
    "mean_ci": [*score_cases(**FIXED), *score_cases(**SAMPLED)],
    "interval": [*score_cases(**FIXED), *share_cases(metric="pass_at_k", **SAMPLED), ("best of 2, " + BEST, {**GRADES, "metric": "max_at_k", **FIXED})],
    **{name: [*share_cases()] for name in ("pass_at_k", "pass_hat_k", "maj_at_k", "auc_at_k", "geom_at_k", "geom_ds_at_k")},
    "g_pass_at_k_tau": [*share_cases(tau=0.5)],
    "max_at_k": [*score_cases(k=1), ("best of 2, " + BEST, GRADES)],
    "threshold_spectrum_at_k": [*share_cases(weights=[1.0]), ("0.075 was returned, the odd double", TENTHS)],
    "geo_spectrum_at_k": [*share_cases(weights=[1.0])],
    **{name + "_ci": [*prior_cases()] for name in ("pass_at_k", "pass_hat_k", "maj_at_k", "auc_at_k", "geom_at_k", "geom_ds_at_k")},
    "g_pass_at_k_tau_ci": [*prior_cases(tau=0.5)],
    "max_at_k_ci": [*score_cases(k=1)],
    "threshold_spectrum_at_k_ci": [*prior_cases(weights=[1.0]), ("0.01875 was returned for mu, the odd double", {"R": {"counts": [[5, 1], [5, 1], [2, 4]]}, "k": 1, "weights": [0.05]})],
    "geo_spectrum_at_k_ci": [*prior_cases(weights=[1.0])],
    "rank.bayes": [*rank_cases(score_cases())], "rank.avg": [*rank_cases(score_cases())], "rank.max_at_k": [*rank_cases([("best of 2, " + BEST, GRADES)])],
    "rank.pass_at_k": [*rank_cases(share_cases())], "rank.threshold_spectrum_at_k": [*rank_cases([("0.075 was returned, the odd double", TENTHS)])],
    "elo": [(DOWN, {"R": {"tensor": [[[1]], [[0]]]}, "K": UP, "initial_rating": 1.0, "return_scores": True}),
            (TO_UP, {"R": {"tensor": [[[1]], [[0]]]}, "K": UP, "initial_rating": 1.0 + UP, "return_scores": True})],
    "ranking_confidence": [("z is " + DOWN, {"mu_a": 1.0, "sigma_a": 1.0, "mu_b": -UP / 2, "sigma_b": 0.0})],
    "compare": [("0.08750000000000001 was returned for mu", {**SIDES, **FIXED}), ("sampled, 0.08750000000000001 was returned for mu", {**SIDES, **SAMPLED})],
    "compare_rankings": [("the displacement is " + DOWN, {"a": [1.0, 2.0], "b": [-UP / 2, 2.0]})],
    "rubric.percentile": [(DOWN, {"x": NEAR, "p": 50}), (TO_UP, {"x": NEXT, "p": 50})],
}


def cases_of(name):
    """The cases of one function: (comment, flags, args)."""
    return [(comment, ["tie"], args) for comment, args in CASES.get(name, ())]
