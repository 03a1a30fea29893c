"""Rankings of models by their first trials, where they converge, and tau curves: on the data and on replicates."""
from functools import lru_cache
from itertools import combinations

from mpmath import mp

import hypergeometric
import draws
from agreement import sign
from exact import Fraction, Real, Refused, to_mpf, to_fraction, root
from many import all_outcomes, trials

TOL = Fraction(1, 10**12)


def rows_of_models(R):
    """Outcomes of each model: a list of rows, one per question."""
    return [trials(x) for x in all_outcomes(R)]


# ---------------------------------------------------------------- rankings

@lru_cache(None)
def question_score(metric, n, c, k, tau):
    """The metric of a question with c successes in n trials."""
    if metric == "naive_pass_hat_k":
        return 1 - (1 - Fraction(c, n)) ** k
    if metric in ("pass_at_k", "pass_hat_k", "auc_at_k"):
        return {"pass_at_k": hypergeometric.pass_any, "pass_hat_k": hypergeometric.pass_all, "auc_at_k": hypergeometric.auc}[metric](n, c, k)
    A = hypergeometric.CREDITS.get(metric)
    return hypergeometric.credit(n, c, k, A(k) if A else hypergeometric.at_least(k, hypergeometric.threshold(k, to_fraction(tau))))


def competition_ranks(scores):
    """Competition ranks: 1 + the number of models above a group; a group lies within TOL of its best score."""
    remaining, ranks = sorted(set(scores), reverse=True), {}
    while remaining:
        group = [x for x in remaining if remaining[0] - x <= TOL]
        ranks.update(dict.fromkeys(group, 1 + sum(y > remaining[0] for y in scores)))
        remaining = remaining[len(group):]
    return [ranks[x] for x in scores]


def score(rows, n, metric, k, tau, u):
    """Score of a model by its first n trials; bayes gives the same ranks as avg."""
    if metric in ("bayes", "avg", "mean"):
        return sum(u[x] for row in rows for x in row[:n]) / Fraction(n * len(rows))
    return sum(question_score(metric, n, sum(row[:n]), k, tau) for row in rows) / len(rows)


def rankings(models, metric, k, tau, w):
    """The smallest number of trials with a ranking, and the rankings from that number of trials on."""
    u, first, N = scaled_scores(w), k or 1, len(models[0][0])
    return first, [competition_ranks([score(rows, n, metric, k, tau, u) for rows in models]) for n in range(first, N + 1)]


def scaled_scores(w):
    """The scores w, scaled to [0, 1]; all 0 where they are equal."""
    w = [Fraction(0), Fraction(1)] if w is None else [to_fraction(x) for x in w]
    span = max(w) - min(w)
    return [(x - min(w)) / span if span else Fraction(0) for x in w]


def gold_ranking(models, gold, w):
    """The gold ranking: the given one, as competition ranks, or by default the ranking by the average of all trials."""
    if gold is None:
        return rankings(models, "avg", None, None, w)[1][-1]
    exact = [to_fraction(x) for x in gold]
    return [1 + sum(y < x for y in exact) for x in exact]


# ---------------------------------------------------------------- replicates

def resampled(models, scheme, b, seed):
    """Outcomes of replicate b: trials sampled with replacement, the same ones for all models; with "original", the data."""
    M, N = len(models[0]), len(models[0][0])
    if scheme == "original":
        return models
    if scheme == "columns":
        key = draws.key(seed, draws.COLUMNS)
        place = [[draws.index(draws.bits(key, b * N + t), N) for t in range(N)]] * M
    else:
        key = draws.key(seed, draws.ROWS)
        place = [[draws.index(draws.bits(key, (b * M + m) * N + t), N) for t in range(N)] for m in range(M)]
    return [[[row[t] for t in chosen] for row, chosen in zip(rows, place)] for rows in models]


def converged_at(first, path, gold):
    """The smallest number of trials s < N from which on every ranking is gold; None if there is none."""
    N, s = first + len(path) - 1, first + len(path)
    while path and path[-1] == gold:
        path, s = path[:-1], s - 1
    return s if s < N else None


# ---------------------------------------------------------------- the public functions

def rank_trajectory(R, metric="mean", k=None, tau=None, w=None, scheme="original", replicate=0, seed=0):
    models = rows_of_models(R)
    first, path = rankings(resampled(models, scheme, replicate, seed), metric, k, tau, w)
    return {"trials": list(range(first, first + len(path))), "ranks": path}


def convergence_at_n(R, metric="mean", k=None, tau=None, w=None, gold=None):
    models = rows_of_models(R)
    return {"n": converged_at(*rankings(models, metric, k, tau, w), gold_ranking(models, gold, w))}


def bootstrap_convergence(R, metric="mean", k=None, tau=None, w=None, gold=None, replicates=100000,
                          scheme="columns", seed=0, worst=3):
    models, at_n, paths = rows_of_models(R), [], []
    target, N = gold_ranking(models, gold, w), len(models[0][0])
    for b in range(replicates):
        first, path = rankings(resampled(models, scheme, b, seed), metric, k, tau, w)
        at_n.append(converged_at(first, path, target) or 0)
        paths.append(path)
    converged = [n for n in at_n if n]
    worst_replicates = sorted(range(replicates), key=lambda b: (at_n[b] != 0, -at_n[b], b))[:worst]
    return {"at": at_n,
            "pmf": [Fraction(at_n.count(n), replicates) for n in range(1, N)],
            "cdf": [Fraction(sum(x <= n for x in converged), replicates) for n in range(1, N)],
            "mean": Fraction(sum(converged), len(converged)) if converged else float("nan"),
            "never": Fraction(at_n.count(0), replicates),
            "worst": worst_replicates, "trajectories": [paths[b] for b in worst_replicates]}


def tau_b(x, y):
    """Kendall's tau-b as (p, d), meaning p / sqrt(d); (0, 1) where x or y ties all."""
    pairs = list(combinations(range(len(x)), 2))
    p = sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs)
    d = sum(x[i] != x[j] for i, j in pairs) * sum(y[i] != y[j] for i, j in pairs)
    return (p, d) if d else (0, 1)


def sum_of_roots(terms):
    """Sum of p / sqrt(d) over (p, d). Roots of different square-free numbers cannot cancel; equal ones are added up."""
    by_root = {}
    for p, d in terms:
        s = max(s for s in range(1, d + 1) if d % (s * s) == 0)
        square_free = d // s**2  # f
        by_root[square_free] = by_root.get(square_free, 0) + Fraction(p, s * square_free)  # 1/sqrt(d) = sqrt(f) / (s f)
    parts = [(c, root(Fraction(square_free))) for square_free, c in by_root.items() if c]
    if any(isinstance(r, Real) for _, r in parts):
        return Real(lambda: mp.fsum(to_mpf(c) * to_mpf(r) for c, r in parts))
    return sum((c * r for c, r in parts), Fraction(0))


def tau_curve(R, metric="mean", gold=None, k=None, tau=None, w=None, replicates=10000, scheme="columns", seed=0):
    models = rows_of_models(R)
    target = gold_ranking(models, gold, w)
    if len(set(target)) == 1:
        raise Refused("undefined")
    count, sums = 1 if scheme == "original" else replicates, None
    for b in range(count):
        first, path = rankings(resampled(models, scheme, b, seed), metric, k, tau, w)
        sums = sums or [[] for _ in path]
        for terms, ranks in zip(sums, path):
            p, d = tau_b(ranks, target)
            terms.append((Fraction(p, count), d))
    return {"trials": list(range(first, first + len(path))), "tau_b": [sum_of_roots(terms) for terms in sums]}
