"""Ranks of models: from scores, with and without standard errors, by every metric, and by Elo."""
from mpmath import mp, mpf

import metrics
from exact import Fraction, Real, to_mpf, double, fraction_of_mpf, exceeds, to_fraction, root
from many import all_outcomes, models, trials
from metrics import competition_ranks_from_scores
from quantile import z

METRICS = ("bayes", "avg", "pass_at_k", "pass_hat_k", "unanimous_at_k", "g_pass_at_k", "g_pass_at_k_tau", "mg_pass_at_k",
           "maj_at_k", "auc_at_k", "max_at_k", "threshold_spectrum_at_k", "geom_at_k", "geom_ds_at_k", "geo_spectrum_at_k",
           "geo_spectrum_star_at_k", "flip_rate")


# ---------------------------------------------------------------- ranks of scores

def is_separated(d, s1, s2, confidence, rule):
    """Whether two models, with standard errors s1 and s2, do not tie under the rule at the score difference d > 0."""
    if s1 == s2 == 0:
        return True
    c, sigma = to_fraction(confidence), root(s1**2 + s2**2)
    if rule.startswith("zscore"):
        return not exceeds(Real(lambda: z(2 * c - 1) * to_mpf(sigma)), d)
    return exceeds(d, Real(lambda: z(c) * to_mpf(s1 + s2)))


def adjacent_groups(scores, tol, sigmas, confidence, ties):
    """Groups of ties, best first; each model is compared with its predecessor (section 2.9, arXiv:2510.04265)."""
    s = [Fraction(float(x)) for x in sigmas]
    order = sorted(range(len(s)), key=lambda i: (-scores[i], s[i]))
    groups = [[order[0]]]
    for i, j in zip(order, order[1:]):
        d = Fraction(scores[i]) - Fraction(scores[j])
        tied = scores[i] - scores[j] <= float(tol) or not is_separated(d, s[i], s[j], confidence, ties)
        groups[-1].append(j) if tied else groups.append([j])
    return groups


def conventions(groups, L):
    """Ranks in the four conventions, from groups of tied models."""
    out = {name: [None] * L for name in ("competition", "competition_max", "dense", "average")}
    above = 0
    for place, group in enumerate(groups):
        last = above + len(group)
        for i in group:
            out["competition"][i], out["competition_max"][i], out["dense"][i] = above + 1, last, place + 1
            out["average"][i] = Fraction(above + 1 + last, 2)
        above = last
    return out


def rank_scores(scores, tol=1e-12, sigmas=None, confidence=0.95, ties="zscore_adjacent"):
    scores = [float(x) for x in scores]
    if sigmas is None:
        ranks = competition_ranks_from_scores(scores, tol)["ranks"]
        groups = [[i for i, r in enumerate(ranks) if r == rank] for rank in sorted(set(ranks))]
    else:
        groups = adjacent_groups(scores, tol, sigmas, confidence, ties)
    return conventions(groups, len(scores))


def rank_result(scores, tol, method, return_scores, lower_is_better=False):
    """Ranks of exact scores that are compared as doubles, and the scores if return_scores."""
    got = {"ranks": rank_scores([-double(x) if lower_is_better else double(x) for x in scores], tol)[method]}
    return {**got, "scores": scores} if return_scores else got


# ---------------------------------------------------------------- ranks by a metric

def priors(R0, names):
    """The prior outcomes of each of these models: from R0 by name, or R0 (None without a prior) for every model."""
    if R0 is None or not ("tensor" in R0 or "models" in R0):
        return [R0] * len(names)
    outcomes_by_model = dict(models(R0))
    return [outcomes_by_model[name] for name in names]


def metric_function(metric):
    """The function rank.<metric>."""
    def rank(R, tol=1e-12, method="competition", return_scores=False, R0=None, **options):
        prior = priors(R0, [name for name, _ in models(R)])
        got = [getattr(metrics, metric)(x, **options, **({"R0": p} if R0 else {})) for x, p in zip(all_outcomes(R), prior)]
        return rank_result([next(iter(g.values())) for g in got], tol, method, return_scores, metric == "flip_rate")
    return rank


BY_NAME = {f"rank.{metric}": metric_function(metric) for metric in METRICS}


# ---------------------------------------------------------------- Elo

def games(outcomes, tie_handling):
    """Yield (i, j, score of i), i < j, for every game of one event; outcomes: 0 or 1 of each model in a trial."""
    for j, y in enumerate(outcomes):
        for i, x in enumerate(outcomes[:j]):
            if x != y:
                yield i, j, Fraction(x > y)
            elif tie_handling == "draw" or (tie_handling == "correct_draw_only" and x == 1):
                yield i, j, Fraction(1, 2)


def ratings(events, L, K, start):
    """Ratings after all events at mpmath's current precision; an event is scored with the ratings before it."""
    r = [to_mpf(start)] * L
    for event in events:
        change = [mpf(0)] * L
        for i, j, S in event:
            surprise = to_mpf(S) - 1 / (1 + mpf(10) ** ((r[j] - r[i]) / 400))
            change[i] += surprise
            change[j] -= surprise
        r = [x + to_mpf(K) * c for x, c in zip(r, change)]
    return r


def exact_ratings(events, L, K, start):
    """Ratings as exact numbers; a rating that is equal at two precisions is rational."""
    cache = {}

    def rating(i):
        if mp.prec not in cache:
            cache[mp.prec] = ratings(events, L, K, start)
        return cache[mp.prec][i]

    def number(i):
        values = set()
        for digits in (60, 120):
            with mp.workdps(digits):
                values.add(fraction_of_mpf(rating(i)))
        return values.pop() if len(values) == 1 else Real(lambda: rating(i))
    return [number(i) for i in range(L)]


def elo(R, K=32, initial_rating=1500, tie_handling="correct_draw_only", method="competition", return_scores=False):
    data = [trials(x) for x in all_outcomes(R)]
    M, N = len(data[0]), len(data[0][0])
    events = [list(games([m[a][t] for m in data], tie_handling)) for t in range(N) for a in range(M)]
    return rank_result(exact_ratings(events, len(data), to_fraction(K), to_fraction(initial_rating)), 1e-12, method, return_scores)
