"""Decisions from means and standard errors: confidence in an order, intervals, when to stop, what to sample next."""
import metrics
from mpmath import mp

from exact import Fraction, Real, Refused, clip, to_mpf, exceeds, to_fraction, root
from ordering import is_separated
from quantile import normal_cdf, t_cdf, t_quantile, z


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


def mean_and_variance(averages):
    """The mean of averages of runs and its variance, exactly."""
    x = [to_fraction(float(y)) for y in averages]
    mean = sum(x) / len(x)
    return mean, sum((y - mean) ** 2 for y in x) / (len(x) * (len(x) - 1))


def t_ends(D, V, df, confidence, bounds):
    """The ends D -+ q sqrt(V), clipped."""
    def end(sign):
        return Real(lambda: to_mpf(D) + sign * t_quantile(to_fraction(confidence), to_mpf(df)) * mp.sqrt(to_mpf(V)))
    ends = [None if x in (None, "inf", "-inf") else to_fraction(x) for x in bounds or (None, None)]
    return {"lo": clip(end(-1), ends), "hi": clip(end(1), ends)}


def mean_of_runs(averages, confidence=0.95, bounds=None):
    mean, V = mean_and_variance(averages)
    if not V:
        raise Refused("undefined")
    return {"mu": mean, "sigma": root(V), **t_ends(mean, V, Fraction(len(averages) - 1), confidence, bounds)}


def compare_runs(averages, others, confidence=0.95, bounds=None):
    (mean, v), (other, w) = mean_and_variance(averages), mean_and_variance(others)
    D, V = mean - other, v + w
    if not V:
        raise Refused("undefined")
    df = V**2 / (v**2 / (len(averages) - 1) + w**2 / (len(others) - 1))
    finite = bounds and not {"inf", "-inf"} & {str(x) for x in bounds}
    width = to_fraction(bounds[1]) - to_fraction(bounds[0]) if finite else None
    p = Real(lambda: 2 * t_cdf(-mp.sqrt(to_mpf(D**2 / V)), to_mpf(df))) if D else Fraction(1)
    return {"mu": D, "sigma": root(V), **t_ends(D, V, df, confidence, finite and [-width, width]), "df": df, "p_value": p,
            "significant": not exceeds(p, 1 - to_fraction(confidence))}


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
