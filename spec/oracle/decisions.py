"""Decisions from posterior moments: confidence in an order, intervals, when to stop, which models to sample next."""
import metrics
from exact import Fraction, Real, at, exceeds, frac, root
from ordering import separated
from quantile import normal_cdf, z


def ranking_confidence(mu_a, sigma_a, mu_b, sigma_b):
    d, var = abs(frac(mu_a) - frac(mu_b)), frac(sigma_a) ** 2 + frac(sigma_b) ** 2
    if d == 0:
        return {"rho": Fraction(1, 2), "z": Fraction(0)}
    if var == 0:
        return {"rho": Fraction(1), "z": float("inf")}
    score = root(d**2 / var)
    return {"rho": Real(lambda: normal_cdf(at(score))), "z": score}


def ci_from_mu_sigma(mu, sigma, confidence=0.95, bounds=None):
    got = metrics.normal_interval(frac(mu), frac(sigma) ** 2, confidence, bounds)
    return {"lo": got["lo"], "hi": got["hi"]}


def should_stop(sigma, confidence=0.95, max_ci_width=None, max_half_width=None):
    limit = frac(max_half_width) if max_ci_width is None else frac(max_ci_width) / 2
    s = frac(sigma)
    return {"stop": s == 0 or not exceeds(Real(lambda: z(frac(confidence)) * at(s)), limit)}


def should_stop_top1(mus, sigmas, confidence=0.95, method="zscore"):
    m, s = ([frac(x) for x in xs] for xs in (mus, sigmas))
    leader = m.index(max(m))
    close = [i for i in range(len(m)) if i != leader and
             (m[i] == m[leader] or not separated(m[leader] - m[i], s[leader], s[i], confidence, method))]
    return {"stop": not close, "leader": leader, "ambiguous": close}


def suggest_next_allocation(mus, sigmas, confidence=0.95, method="zscore"):
    got = should_stop_top1(mus, sigmas, confidence, method)
    if got["stop"]:
        return {"pair": []}
    m, s = ([frac(x) for x in xs] for xs in (mus, sigmas))
    top, best = got["leader"], None
    for i in got["ambiguous"]:
        d, var, reach = m[top] - m[i], s[top] ** 2 + s[i] ** 2, s[top] + s[i]
        if best is None or nearer((d, var, reach), best[1], confidence, method):
            best = i, (d, var, reach)
    return {"pair": [top, best[0]]}


def nearer(one, other, confidence, method):
    """Whether one pair has a smaller z, or a smaller d - z2 (s1 + s2), than another; each is (d, s1^2 + s2^2, s1 + s2)."""
    (d, var, reach), (other_d, other_var, other_reach) = one, other
    if method == "zscore":
        return d**2 * other_var < other_d**2 * var if var and other_var else bool(d == 0 and other_d)
    if (d, reach) == (other_d, other_reach):
        return False
    return exceeds(Real(lambda: at(other_d) - at(d)), Real(lambda: z(frac(confidence)) * at(other_reach - reach)))
