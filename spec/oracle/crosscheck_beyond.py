"""Checks of extrapolate and extrapolate_model by methods other than their definitions, for check.py."""
from math import comb
from random import Random

from mpmath import fp

import beyond
from cases_beyond import ATOM, GOLDEN
from exact import Fraction as F
from exact import double

# (metric, k, low lower upper high); low is the bound at this k alone, while extrapolate takes the largest at this k or below
PRINTED = [("pass@k", 20, "0.430863 0.689245 0.734067 0.899835"), ("pass@k", 40, "0.423204 0.722075 0.882457 0.982100"),
           ("pass^k", 20, "0.008511 0.072044 0.092690 0.256211")]


def golden():
    for metric, k, text in PRINTED:
        got = beyond.extrapolate(GOLDEN, metric, k)
        for name, printed in zip(("low", "lower", "upper", "high"), text.split()):
            error = double(got[name]) - float(printed)
            # of all k, the bound of these data is largest at 14
            raised = metric == "pass@k" and name == "low" and 0 < error and double(got["low"]) == double(beyond.extrapolate(GOLDEN, metric, 14)["low"])
            yield (metric, k, name), raised or abs(error) <= 5.0001e-7


def bands_contain_truth():
    """Check that the band from the expected frequencies of a distribution of success rates contains its Pass@k."""
    rng = Random(465)
    for i in range(300):
        p, weight = [F(rng.randint(0, 20), 20) for _ in range(4)], [F(rng.randint(1, 9)) for _ in range(4)]
        n, r = rng.randint(2, 6), rng.randint(1, 12)
        f0, f1, f2 = (sum(comb(n, j) * x**j * (1 - x) ** (n - j) * w for x, w in zip(p, weight)) / sum(weight) for j in range(3))
        if not f0:
            continue
        truth = 1 - sum((1 - x) ** (n + r) * w for x, w in zip(p, weight)) / sum(weight)
        H = beyond.band_rise(1, n, r, f1, f2)[0] if f1 and f2 else F(0)
        yield ("band", i), 1 - f0 + H <= truth <= 1 - beyond.distance_above_upper(f0, f1, 1, n, r)


def maxima():
    """Check that no random point up to 3 from a maximum, in the logarithm of each parameter, is more likely."""
    rng = Random(466)
    for name, data in (("golden", GOLDEN), ("atom", ATOM)):
        rows = [(sum(row), row[1]) for row in data["counts"]]
        for inflated in (False, True):
            model = beyond.Model(rows, inflated)
            best = model.log_likelihood(model.start, fp)
            for i in range(100):
                size = rng.choice([0.001, 0.1, 3.0])
                u = [x + size * rng.uniform(-1, 1) for x in model.start]
                yield (name, inflated, i), model.log_likelihood(u, fp) <= best + 1e-9


GROUPS = [("printed bands", golden), ("bands enclose the truth", bands_contain_truth), ("maxima of the likelihood", maxima)]
