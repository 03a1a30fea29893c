"""Checks of modules converge and simulate by methods other than their definitions, for check.py."""
from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import isclose, prod, sqrt

from mpmath import mp, mpf

import cases_simulate
import draws
from crosscheck import cases
from many import all_outcomes, trials

# the first outputs of SplitMix64, by seed
PUBLISHED = {1234567: (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821),
             0: (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B)}


class SplitMix64:
    """The generator as published, with a state that advances; jump: the number of draws to skip."""

    def __init__(self, state, jump=0):
        self.state = (state + jump * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        return z ^ (z >> 31)

    def float(self):
        return (self.next() >> 11) * 2.0**-53

    def below(self, n):
        return (self.next() // 2**32) * n // 2**32


def stream(seed, number, first=0):
    """The generator of a seed and stream: the seed gives a state, whose outputs are the states of the streams.

    number: that of the stream, 1..5 as in draws.py; first: the number of draws to skip.
    """
    return SplitMix64(SplitMix64(SplitMix64(seed).next(), number).next(), first)


def generator():
    for seed, published in PUBLISHED.items():
        g = SplitMix64(seed)
        for i, x in enumerate(published):
            yield ("published", seed, i), g.next() == x == draws.mix((seed + (i + 1) * draws.G) % 2**64) == draws.bits(seed, i)
    for seed in (0, 5, 2**64 - 1):
        for number in (0, 3, 2**32 - 1):
            g = stream(seed, number, 7)
            yield (seed, number), [g.next() for _ in range(4)] == [draws.bits(draws.key(seed, number), 7 + i) for i in range(4)]
    for x in (0, 1, 2**64 - 1, 0x123456789ABCDEF0):
        yield ("unmixed", x), draws.mix(cases_simulate.inverse_mix(x)) == x == draws.bits(draws.key(9, 2), cases_simulate.counter_of(9, 2, x))
    for bound in (2, 6, 80):
        g, n = stream(11, 0), 600 * bound
        seen = Counter(g.below(bound) for _ in range(n))
        yield ("even", bound), sum((seen[i] - 600) ** 2 / 600 for i in range(bound)) < bound + 5 * sqrt(2 * bound)  # chi-square
    for number in (3, 4):
        g = stream(12, number)
        u = sorted(g.float() for _ in range(4000))
        yield ("uniform", number), max(abs(x - (i + 0.5) / 4000) for i, x in enumerate(u)) < 1.95 / sqrt(4000)  # Kolmogorov, p = 0.001


# ---------------------------------------------------------------- simulate

def flattened(x):
    return [z for y in x for z in flattened(y)] if isinstance(x, list) else [x]


def shape_of(x):
    return [shape_of(y) for y in x] if isinstance(x, list) else None


def simulated():
    for case in cases("random_indices"):
        a = case["args"]
        g = stream(a["seed"], a.get("stream", 0), a.get("first", 0))
        yield case["id"], case["want"]["indices"] == [g.below(a["bound"]) for _ in range(a["count"])]
    for case in cases("coins"):
        a, R = case["args"], case["want"]["R"]
        p = [float(x) for x in flattened(a["p"])]
        g = stream(a.get("seed", 0), 3, a.get("first", 0) * a["N"])
        yield case["id"], flattened(R) == [1 if g.float() < x else 0 for x in p for _ in range(a["N"])]
        yield (case["id"], "shape"), shape_of(R) == nested_in(shape_of(a["p"]), [None] * a["N"])
    for case in cases("updates"):
        a, want = case["args"], case["want"]
        g = stream(a.get("seed", 0), 5, a.get("first", 0))
        words = [f"{g.next():064b}" for _ in flattened(a["a"])]
        for i, field in enumerate("ab"):
            expect = [x + 1.0 if word[i] == "1" else x - 1.0 for x, word in zip(flattened(a[field]), words)]
            yield (case["id"], field), [x["value"] for x in flattened(want[field])] == expect and shape_of(want[field]) == shape_of(a[field])


def nested_in(nested, x):
    """The nested lists with x in the place of every innermost element."""
    return [nested_in(y, x) for y in nested] if isinstance(nested, list) else x


def distributions():
    """Check Beta rates by order statistics, closed quantiles, and the distribution function just below and above each."""
    with mp.workdps(60):
        for case in cases("beta_rates"):
            a, want = case["args"], case["want"]["rates"]
            yield (case["id"], "shape"), shape_of(want) == shape_of(a["a"])
            for i, (x, y, r) in enumerate(zip(flattened(a["a"]), flattened(a["b"]), flattened(want))):
                g = stream(a.get("seed", 0), 4, (a.get("first", 0) + i) * 1024)
                if x % 1 == y % 1 == 0 and x + y - 1 <= 1000:
                    u = [g.float() for _ in range(int(x + y) - 1)]
                    yield (case["id"], i, "order"), sum(v < r["value"] for v in u) == x - 1 and r["value"] in u and "/" in r["exact"]
                    continue
                u, exact = (mpf(g.next() >> 11) + 0.5) / 2**53, mpf(r["exact"])
                closed = u ** (1 / mpf(x)) if y == 1 else 1 - (1 - u) ** (1 / mpf(y)) if x == 1 else mp.sin(mp.pi * u / 2) ** 2 if x == y == 0.5 else None
                if closed is not None:
                    yield (case["id"], i, "closed"), abs(exact / closed - 1) < mpf(10) ** -39
                    continue
                below, above = (min(exact * (1 + s * mpf(10) ** -39), 1) for s in (-1, 1))
                if max(x, y) < 100:
                    low, high = (mp.betainc(x, y, 0, z, regularized=True) for z in (below, above))
                    yield (case["id"], i, "cdf"), low < u < high
                else:
                    low, high = (area(x, y, z) if u < 0.5 else 1 - area(y, x, 1 - z) for z in (below, above))
                    yield (case["id"], i, "area"), low * (1 - mpf(10) ** -10) < u < high * (1 + mpf(10) ** -10)


def area(a, b, x):
    """I_x(a, b) by integration over t = log(x / (1-x)), where the density decreases exponentially on both sides."""
    if x == 0:
        return mpf(0)
    a, b, end = mpf(a), mpf(b), mp.log(x) - mp.log1p(-x)
    with mp.workdps(24):
        front = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)

        def density(t):
            return mp.exp(front - a * mp.log1p(mp.exp(-t)) - b * mp.log1p(mp.exp(t)))
        start = min(mp.log(a / b), end) - 60 * (mp.sqrt(1 / a + 1 / b) + 1 / a)
        return mp.quad(density, [end - (end - start) * mpf(i * i) / 400 for i in range(20, -1, -1)])  # finer towards the end


# ---------------------------------------------------------------- converge, in floating point

@lru_cache(None)
def success_probabilities(n, c, k):
    """P(j successes) for j = 0..k, sampling k of n trials one by one."""
    P = [1.0] + [0.0] * k
    for i in range(k):
        P = [(P[j] * max(0, (n - c) - (i - j)) if i >= j else 0.0) / (n - i) + (P[j - 1] * max(0, c - (j - 1)) / (n - i) if j else 0.0) for j in range(k + 1)]
    return P


@lru_cache(None)
def credit(metric, n, c, k, tau):
    P = success_probabilities(n, c, k)
    if metric == "naive_pass_hat_k":
        return 1.0 - prod([1.0 - c / n] * k)
    if metric == "auc_at_k":
        curve = [1.0 - success_probabilities(n, c, j)[0] for j in range(1, k + 1)]
        return sum(curve[:1] if k == 1 else [(x + y) / 2 / (k - 1) for x, y in zip(curve, curve[1:])])
    credit_of = {"pass_at_k": lambda j: j > 0, "pass_hat_k": lambda j: j == k, "maj_at_k": lambda j: 2 * j > k, "mg_pass_at_k":
             lambda j: 2 / k * sum(i > (k + 1) // 2 for i in range(1, j + 1)), "g_pass_at_k_tau": lambda j: j > 0 and j / k >= tau}[metric]
    return sum(P[j] * credit_of(j) for j in range(k + 1))


def value(rows, n, args):
    """The score of a model after n trials; for bayes, avg and mean an increasing function of it, with the same ranks."""
    metric, w = args.get("metric", "mean"), args.get("w", [0.0, 1.0])
    if metric in ("bayes", "avg", "mean"):
        span = max(w) / 2 - min(w) / 2 or 1.0
        u = [(x / 2 - min(w) / 2) / span for x in w]
        if metric == "avg":
            return sum(sum(u[x] for x in row[:n]) for row in rows) / n / len(rows)
        nu = [[1 + row[:n].count(c) for c in range(len(w))] for row in rows]
        return sum(sum(x * m for x, m in zip(u, v)) for v in nu) / n / len(rows)
    return sum(credit(metric, n, sum(row[:n]), args["k"], args.get("tau")) for row in rows) / len(rows)


def competition_ranks(scores, tol=1e-12):
    """Competition ranks, best first; scores that are at most tol below the best score of a tie share its rank."""
    ranks, best, rank = {}, 0.0, 0
    for place, i in enumerate(sorted(range(len(scores)), key=lambda i: -scores[i]), 1):
        if place == 1 or best - scores[i] > tol:
            best, rank = scores[i], place
        ranks[i] = rank
    return [ranks[i] for i in range(len(scores))]


def ranking_history(models, args):
    return [competition_ranks([value(rows, n, args) for rows in models]) for n in range(args.get("k", 1), len(models[0][0]) + 1)]


def replicate(models, args, b, scheme):
    """The outcomes of a replicate, from trials that the generator picks one by one."""
    M, N = len(models[0]), len(models[0][0])
    new, seed = [[[None] * N for _ in range(M)] for _ in models], args.get("seed", 0)
    columns = stream(seed, 1, b * N)
    picks = [columns.below(N) for _ in range(N)]
    rows = stream(seed, 2, b * M * N)
    for m in range(M):
        for t in range(N):
            pick = rows.below(N) if scheme == "rows" else picks[t] if scheme == "columns" else t
            for old, fresh in zip(models, new):
                fresh[m][t] = old[m][pick]
    return new


def gold_ranking(models, args):
    gold = args.get("gold")
    if gold is None:
        return competition_ranks([value(rows, len(rows[0]), {**args, "metric": "avg"}) for rows in models])
    return competition_ranks([-float(x) for x in gold], 0.0)


def converged_at(path, gold, args):
    """The first number of trials below N from which on every ranking is gold, or 0."""
    first = args.get("k", 1)
    return next((first + i for i in range(len(path) - 1) if all(ranks == gold for ranks in path[i:])), 0)


def cosine(x, y):
    """Kendall's tau-b, as the cosine between the signs of all pairwise differences."""
    p, q = ([(i > j) - (i < j) for i in r for j in r] for r in (x, y))
    size = sqrt(sum(map(abs, p)) * sum(map(abs, q)))
    return sum(i * j for i, j in zip(p, q)) / size if size else 0.0


def converged():
    for case in cases("rank_trajectory"):
        args, want = case["args"], case["want"]
        models = [trials(x) for x in all_outcomes(args["R"])]
        path = ranking_history(replicate(models, args, args.get("replicate", 0), args.get("scheme", "original")), args)
        yield case["id"], want["ranks"] == path and want["trials"] == list(range(len(models[0][0]) - len(path) + 1, len(models[0][0]) + 1))
    for case in cases("convergence_at_n"):
        args = case["args"]
        models = [trials(x) for x in all_outcomes(args["R"])]
        yield case["id"], (case["want"]["n"] or 0) == converged_at(ranking_history(models, args), gold_ranking(models, args), args)
    for case in cases("bootstrap_convergence"):
        args, want = case["args"], case["want"]
        models = [trials(x) for x in all_outcomes(args["R"])]
        gold, B, N = gold_ranking(models, args), args["replicates"], len(models[0][0])
        paths = [ranking_history(replicate(models, args, b, args.get("scheme", "columns")), args) for b in range(B)]
        at_n = [converged_at(path, gold, args) for path in paths]
        yield (case["id"], "at"), want["at"] == at_n
        frequency = Counter(at_n)
        yield (case["id"], "pmf"), [x["value"] for x in want["pmf"]] == [frequency[n] / B for n in range(1, N)]
        yield (case["id"], "cdf"), [x["value"] for x in want["cdf"]] == [sum(frequency[m] for m in range(1, n + 1)) / B for n in range(1, N)]
        yield (case["id"], "never"), want["never"]["value"] == frequency[0] / B
        converging = B - frequency[0]
        yield (case["id"], "mean"), want["mean"]["value"] == (sum(at_n) / converging if converging else "nan")
        worst = sorted(range(B), key=lambda b: -(at_n[b] or N))[:args.get("worst", 3)]  # sorting is stable
        yield (case["id"], "worst"), want["worst"] == worst and want["trajectories"] == [paths[b] for b in worst]


def curves():
    for case in cases("tau_curve"):
        args, want = case["args"], case["want"]
        models, scheme = [trials(x) for x in all_outcomes(args["R"])], args.get("scheme", "columns")
        gold, B = gold_ranking(models, args), 1 if scheme == "original" else args["replicates"]
        taus = [[cosine(ranks, gold) for ranks in ranking_history(replicate(models, args, b, scheme), args)] for b in range(B)]
        for n, x, y in zip(want["trials"], want["tau_b"], zip(*taus)):
            yield (case["id"], n), isclose(x["value"], sum(y) / B, rel_tol=1e-12, abs_tol=1e-15)
        yield (case["id"], "trials"), want["trials"] == list(range(args.get("k", 1), len(models[0][0]) + 1)) and len(want["tau_b"]) == len(taus[0])


def tolerance_distances():
    """Check that no score difference is close to the tolerance, so that no ranking depends on the last bits."""
    for name in ("rank_trajectory", "convergence_at_n", "bootstrap_convergence", "tau_curve"):
        for case in cases(name):
            args = case["args"]
            models = [trials(x) for x in all_outcomes(args["R"])]
            scheme = args.get("scheme", "original" if name in ("rank_trajectory", "convergence_at_n") else "columns")
            numbers = [args.get("replicate", 0)] if scheme == "original" or name == "rank_trajectory" else range(args["replicates"])
            near = 1.0
            for b in numbers:
                new = replicate(models, args, b, scheme)
                for n in range(args.get("k", 1), len(new[0][0]) + 1):
                    s = [value(rows, n, args) for rows in new]
                    near = min([near, *(abs(abs(x - y) - 1e-12) for x, y in combinations(s, 2))])
            yield case["id"], near > 5e-15


GROUPS = [("generator", generator), ("simulated data", simulated), ("Beta distributions, by counting and by area", distributions),
          ("convergence, in floating point", converged), ("tau curves, in floating point", curves), ("convergence, distances from the tolerance", tolerance_distances)]
