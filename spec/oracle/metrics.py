"""Metrics, competition ranks and tally, from their definitions. Arguments are the JSON values of a case."""
from collections import Counter

import hypergeometric
import posterior as post
from blends import blend, lam_and_credits, delta_method
from exact import Fraction, Real, Refused, to_mpf, clip, to_fraction, root, scale, total
from outcomes import counts, tallies
from quantile import z

UNIT = (0.0, 1.0)


# ---------------------------------------------------------------- shared functions

def states(R, missing, C=1):
    """Counter of the states of questions, which are their count vectors."""
    S = Counter(map(tuple, counts(R, C, missing)))
    if any(sum(n) == 0 for n in S):
        raise Refused("no_trials")
    return S


def mean_over_questions(S, f):
    """(1/M) sum over questions of f(state)."""
    return scale(Fraction(1, sum(S.values())), total(scale(Fraction(m), f(n)) for n, m in S.items()))


def moments(S, f):
    """Mean over questions of the means, and the sum of their variances divided by M^2; f(state) gives (mean, variance)."""
    M, per_question = sum(S.values()), [(f(n), m) for n, m in S.items()]
    mu = scale(Fraction(1, M), total(scale(Fraction(m), e[0]) for e, m in per_question))
    var = scale(Fraction(1, M * M), total(scale(Fraction(m), e[1]) for e, m in per_question))
    return mu, var


def parse_bounds(bounds):
    """Bounds as numbers, with None for an infinite one."""
    if bounds is None:
        return None
    return [None if x in ("inf", "-inf") else to_fraction(x) for x in bounds]


def normal_interval(mu, var, confidence, bounds):
    """mu, sigma and mu -+ z sigma, both ends clipped into bounds."""
    sigma, ends = root(var), (mu, mu)
    if var != 0:
        c = to_fraction(confidence)
        ends = [Real(lambda s=s: to_mpf(mu) + s * z(c) * to_mpf(sigma)) for s in (-1, 1)]
    lo, hi = (clip(x, parse_bounds(bounds)) for x in ends)
    return {"mu": mu, "sigma": sigma, "lo": lo, "hi": hi}


def value(x):
    return {"value": x}


def scores_of(w):
    """The scores of the categories as Fractions; 0 and 1 for w = None."""
    return [Fraction(0), Fraction(1)] if w is None else [to_fraction(x) for x in w]


def betas(alpha0, beta0):
    """Function that gives the Beta posterior of a state."""
    a0, b0 = to_fraction(alpha0), to_fraction(beta0)
    return lambda n: post.Beta(a0 + n[1], b0 + n[0])


# ---------------------------------------------------------------- bayes, avg

def posterior_counts(R, R0, C, missing):
    """Counter over questions of (posterior parameters nu_0..nu_C, number of trials N)."""
    n = counts(R, C, missing)
    if any(sum(row) == 0 for row in n):
        raise Refused("no_trials")
    n0 = counts(R0, C, missing) if R0 is not None else [[0] * (C + 1)] * len(n)
    return Counter((tuple(1 + x + y for x, y in zip(a, b)), sum(a)) for a, b in zip(n, n0))


def bayes_mu_var(R, w, R0, missing):
    w = scores_of(w)
    S = posterior_counts(R, R0, len(w) - 1, missing)
    return moments(S, lambda s: post.linear_mean_var(s[0], w))


def bayes(R, w=None, R0=None, missing="raise"):
    mu, var = bayes_mu_var(R, w, R0, missing)
    return {"mu": mu, "sigma": root(var)}


def bayes_ci(R, w=None, R0=None, confidence=0.95, bounds=None, missing="raise"):
    return normal_interval(*bayes_mu_var(R, w, R0, missing), confidence, bounds)


def avg_mu_var(R, w, missing):
    w = scores_of(w)

    def question(s):
        nu, N = s
        plain = sum((n - 1) * x for n, x in zip(nu, w)) / Fraction(N)
        return plain, post.linear_mean_var(nu, w)[1] * Fraction(sum(nu), N) ** 2

    return moments(posterior_counts(R, None, len(w) - 1, missing), question)


def avg(R, w=None, missing="raise"):
    mu, var = avg_mu_var(R, w, missing)
    return {"mu": mu, "sigma": root(var)}


def avg_ci(R, w=None, confidence=0.95, bounds=None, missing="raise"):
    return normal_interval(*avg_mu_var(R, w, missing), confidence, bounds)


# ---------------------------------------------------------------- sampled without replacement

def without_replacement(f):
    """A metric function from the value f(N, c, k, *rest) of a question."""
    def metric(R, k, *rest, missing="raise"):
        S = states(R, missing)
        return value(mean_over_questions(S, lambda n: f(sum(n), n[1], k, *rest)))
    return metric


def credit_metric(A):
    return without_replacement(lambda N, c, k, *rest: hypergeometric.credit(N, c, k, A(k, *rest)))


pass_at_k = without_replacement(hypergeometric.pass_any)
pass_hat_k = unanimous_at_k = g_pass_at_k = without_replacement(hypergeometric.pass_all)
auc_at_k = without_replacement(hypergeometric.auc)
mg_pass_at_k = credit_metric(hypergeometric.mg)
maj_at_k = credit_metric(hypergeometric.majority)


def flip_rate(R, missing="raise"):
    return credit_metric(lambda k: hypergeometric.FLIPS)(R, 2, missing=missing)


def g_pass_at_k_tau(R, k, tau, missing="raise"):
    return credit_metric(lambda k: hypergeometric.at_least(k, hypergeometric.threshold(k, to_fraction(tau))))(R, k, missing=missing)


def threshold_spectrum_at_k(R, k, weights, missing="raise"):
    A = hypergeometric.spectrum([to_fraction(x) for x in weights])
    return credit_metric(lambda k: A)(R, k, missing=missing)


def max_at_k(R, k, w=None, missing="raise"):
    w = scores_of(w)
    return value(mean_over_questions(states(R, missing, len(w) - 1), lambda n: hypergeometric.best(n, k, w)))


# ---------------------------------------------------------------- posterior of a binary metric

def posterior_metric(f):
    """A function with an interval from f(beta, k), the mean and variance of a question."""
    def metric(R, k, confidence=0.95, bounds=UNIT, alpha0=1.0, beta0=1.0, missing="raise"):
        beta = betas(alpha0, beta0)
        return normal_interval(*moments(states(R, missing), lambda n: f(beta(n), k)), confidence, bounds)
    return metric


def posterior_of_credit(A):
    def f(beta, k):
        a = tuple(A(k))
        return post.mean(beta, a), post.cov(beta, a, a)
    return posterior_metric(f)


pass_at_k_ci = posterior_metric(lambda b, k: (post.any_mean(b, k), post.any_var(b, k)))
pass_hat_k_ci = posterior_metric(lambda b, k: (post.all_mean(b, k), post.all_var(b, k)))
unanimous_at_k_ci = g_pass_at_k_ci = pass_hat_k_ci
auc_at_k_ci = posterior_metric(post.auc_mean_var)
mg_pass_at_k_ci = posterior_of_credit(hypergeometric.mg)
maj_at_k_ci = posterior_of_credit(hypergeometric.majority)


def flip_rate_ci(R, **rest):
    return posterior_of_credit(lambda k: hypergeometric.FLIPS)(R, 2, **rest)


def g_pass_at_k_tau_ci(R, k, tau, **rest):
    return posterior_of_credit(lambda k: hypergeometric.at_least(k, hypergeometric.threshold(k, to_fraction(tau))))(R, k, **rest)


def threshold_spectrum_at_k_ci(R, k, weights, **rest):
    A = hypergeometric.spectrum([to_fraction(x) for x in weights])
    return posterior_of_credit(lambda k: A)(R, k, **rest)


def max_at_k_ci(R, k, w=None, R0=None, confidence=0.95, bounds=None, missing="raise"):
    r = scores_of(w)
    S = posterior_counts(R, R0, len(r) - 1, missing)
    if bounds is None and k >= 2:
        bounds = (min(r), max(r))
    return normal_interval(*moments(S, lambda s: post.max_mean_var(s[0], k, r)), confidence, bounds)


# ---------------------------------------------------------------- geometric blends

def geom_at_k(R, k, pass_power=0.5, unanimous_power=0.5, missing="raise"):
    a, b = to_fraction(pass_power), to_fraction(unanimous_power)
    return value(mean_over_questions(states(R, missing), lambda n: blend(
        hypergeometric.pass_any(sum(n), n[1], k), hypergeometric.pass_all(sum(n), n[1], k), a, b)))


def geom_ds_at_k(R, k, pass_power=0.5, unanimous_power=0.5, missing="raise"):
    P, U = pass_at_k(R, k, missing=missing), pass_hat_k(R, k, missing=missing)
    return value(blend(P["value"], U["value"], to_fraction(pass_power), to_fraction(unanimous_power)))


def geo_spectrum_at_k(R, k, lam=0.5, weights=None, lambda_=None, missing="raise"):
    lam, A = lam_and_credits(k, lam, weights, lambda_)
    S = credit_metric(lambda k: A)(R, k, missing=missing)["value"]
    return value(blend(pass_at_k(R, k, missing=missing)["value"], S, lam, 1 - lam))


def geo_spectrum_star_at_k(R, k, missing="raise"):
    return geo_spectrum_at_k(R, k, missing=missing)


def geom_at_k_ci(R, k, pass_power=0.5, unanimous_power=0.5, confidence=0.95, bounds=UNIT,
                 alpha0=1.0, beta0=1.0, missing="raise"):
    a, b, beta = to_fraction(pass_power), to_fraction(unanimous_power), betas(alpha0, beta0)

    def question(n):
        p = beta(n)
        return delta_method(post.any_mean(p, k), post.all_mean(p, k), post.any_var(p, k),
                     post.all_var(p, k), post.any_all_cov(p, k), a, b)

    return normal_interval(*moments(states(R, missing), question), confidence, bounds)


def dataset_delta(R, k, second_factor, a, b, confidence, bounds, alpha0, beta0, missing):
    """Delta method on data set means; second_factor(beta) gives (mean, variance, covariance with Pass@k)."""
    S, beta = states(R, missing), betas(alpha0, beta0)
    M, P, U, V_P, V_U, cov = sum(S.values()), 0, 0, 0, 0, 0
    for n, m in S.items():
        p = beta(n)
        u, v, c = second_factor(p)
        P, U = P + m * post.any_mean(p, k), U + m * u
        V_P, V_U, cov = V_P + m * post.any_var(p, k), V_U + m * v, cov + m * c
    mu, var = delta_method(P / M, U / M, V_P / M**2, V_U / M**2, cov / M**2, a, b)
    return normal_interval(mu, var, confidence, bounds)


def geom_ds_at_k_ci(R, k, pass_power=0.5, unanimous_power=0.5, confidence=0.95, bounds=UNIT,
                    alpha0=1.0, beta0=1.0, missing="raise"):
    def second_factor(p):
        return post.all_mean(p, k), post.all_var(p, k), post.any_all_cov(p, k)
    return dataset_delta(R, k, second_factor, to_fraction(pass_power), to_fraction(unanimous_power),
                         confidence, bounds, alpha0, beta0, missing)


def geo_spectrum_at_k_ci(R, k, lam=0.5, weights=None, lambda_=None, confidence=0.95, bounds=UNIT,
                         alpha0=1.0, beta0=1.0, missing="raise"):
    lam, A = lam_and_credits(k, lam, weights, lambda_)
    pass_credits = tuple(hypergeometric.at_least(k, 1))

    def second_factor(p):
        return post.mean(p, A), post.cov(p, A, A), post.cov(p, pass_credits, A)
    return dataset_delta(R, k, second_factor, lam, 1 - lam, confidence, bounds, alpha0, beta0, missing)


def geo_spectrum_star_at_k_ci(R, k, **rest):
    return geo_spectrum_at_k_ci(R, k, **rest)


# ---------------------------------------------------------------- ranks

def competition_ranks_from_scores(scores_in_id_order, tol=1e-12):
    """Competition ranks: 1 + the number of models above a group; groups from the best score down, without chaining."""
    exact = [Fraction(float(x)) for x in scores_in_id_order]
    remaining, above, ranks = sorted(set(exact), reverse=True), 0, {}
    while remaining:
        group = [x for x in remaining if float(remaining[0]) - float(x) <= float(tol)]  # in doubles, by definition
        ranks.update(dict.fromkeys(group, 1 + above))
        above += sum(x in group for x in exact)
        remaining = remaining[len(group):]
    return {"ranks": [ranks[x] for x in exact]}


# ---------------------------------------------------------------- tally

def tally(R, C=None, missing="raise", missing_code=None):
    rows, dropped = tallies(R, missing, missing_code)
    C = max(1, *(c for r in rows for c in r if r[c]), 0) if C is None else C  # 0: max() takes at least two numbers
    return {"table": [[r[c] for c in range(C + 1)] for r in rows], "missing": dropped}
