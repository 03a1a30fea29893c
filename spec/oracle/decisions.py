"""Decisions from means and standard errors: confidence in an order, intervals, when to stop, what to sample next."""
import metrics
from exact import Fraction, Real, to_mpf, exceeds, to_fraction, root
from ordering import is_separated
from quantile import normal_cdf, z


def ranking_confidence(mu_a, sigma_a, mu_b, sigma_b):
    d, var = abs(to_fraction(mu_a) - to_fraction(mu_b)), to_fraction(sigma_a) ** 2 + to_fraction(sigma_b) ** 2
    if d == 0:
        return {"rho": Fraction(1, 2), "z": Fraction(0)}
    if var == 0:
        return {"rho": Fraction(1), "z": float("inf")}
    score = root(d**2 / var)
    return {"rho": Real(lambda: normal_cdf(to_mpf(score))), "z": score}


def ci_from_mu_sigma(mu, sigma, confidence=0.95, bounds=None):
    got = metrics.normal_interval(to_fraction(mu), to_fraction(sigma) ** 2, confidence, bounds)
    return {"lo": got["lo"], "hi": got["hi"]}


def should_stop(sigma, confidence=0.95, max_ci_width=None, max_half_width=None):
    limit = to_fraction(max_half_width) if max_ci_width is None else to_fraction(max_ci_width) / 2
    s = to_fraction(sigma)
    return {"stop": s == 0 or not exceeds(Real(lambda: z(to_fraction(confidence)) * to_mpf(s)), limit)}


def should_stop_top1(mus, sigmas, confidence=0.95, method="zscore"):
    m, s = ([to_fraction(x) for x in xs] for xs in (mus, sigmas))
    leader = m.index(max(m))
    ambiguous = [i for i in range(len(m)) if i != leader and
             (m[i] == m[leader] or not is_separated(m[leader] - m[i], s[leader], s[i], confidence, method))]
    return {"stop": not ambiguous, "leader": leader, "ambiguous": ambiguous}


def suggest_next_allocation(mus, sigmas, confidence=0.95, method="zscore"):
    got = should_stop_top1(mus, sigmas, confidence, method)
    if got["stop"]:
        return {"pair": []}
    m, s = ([to_fraction(x) for x in xs] for xs in (mus, sigmas))
    leader, best = got["leader"], None
    for i in got["ambiguous"]:
        d, var, summed_sigma = m[leader] - m[i], s[leader] ** 2 + s[i] ** 2, s[leader] + s[i]
        if best is None or is_nearer((d, var, summed_sigma), best[1], confidence, method):
            best = i, (d, var, summed_sigma)
    return {"pair": [leader, best[0]]}


def is_nearer(pair, other_pair, confidence, method):
    """Whether a pair (d, s1^2 + s2^2, s1 + s2) has a smaller z, or a smaller d - z2 (s1 + s2), than another pair.

    z2: the two-sided normal quantile.
    """
    (d, var, summed_sigma), (other_d, other_var, other_summed_sigma) = pair, other_pair
    if method == "zscore":  # a variance is 0 only where d is: with d > 0 such a pair is separated, and never gets here
        return d**2 * other_var < other_d**2 * var if var and other_var else bool(d == 0 and other_d)
    if (d, summed_sigma) == (other_d, other_summed_sigma):
        return False
    return exceeds(Real(lambda: to_mpf(other_d) - to_mpf(d)), Real(lambda: z(to_fraction(confidence)) * to_mpf(other_summed_sigma - summed_sigma)))
