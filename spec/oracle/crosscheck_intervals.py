"""Checks of variances, interval, prob_above and compare of most metrics by other methods, for check.py."""
from fractions import Fraction as F
from itertools import combinations, product
from math import ceil, comb, factorial, isclose, nan, prod, sqrt
from operator import mul
from random import Random
from statistics import mean

from mpmath import mpf

import looks
import examples
import freedom
import intervals
import planning
import quantile
import variance
from crosscheck import flips_by_loops, largest_range, least_guard, with_guard
from exact import approximate, double, equals_printed

CREDITS = [("pass_at_k", None), ("pass_hat_k", None), ("g_pass_at_k_tau", 0.5), ("g_pass_at_k_tau", 0.7), ("maj_at_k", None), ("mg_pass_at_k", None), ("auc_at_k", None)]  # (metric, tau)


def credit_function(metric, tau, w):
    """The function that gives the credit, in 0..1, of a block of trials."""
    def auc(block):
        curve = [mean(F(any(s)) for s in combinations(block, j)) for j in range(1, len(block) + 1)]
        return sum((x + y) / 2 for x, y in zip(curve, curve[1:])) / (len(block) - 1) if len(block) > 1 else curve[0]

    def best(block):
        return max((F(w[x]) - F(min(w))) / (F(max(w)) - F(min(w))) for x in block)
    return {"pass_at_k": lambda b: F(any(b)), "pass_hat_k": lambda b: F(all(b)), "maj_at_k": lambda b: F(2 * sum(b) > len(b)), "auc_at_k": auc, "max_at_k": best,
            "g_pass_at_k_tau": lambda b: F(sum(b) / len(b) >= tau and sum(b) > 0), "mg_pass_at_k": lambda b: F(2 * max(0, sum(b) - (len(b) + 1) // 2), len(b))}[metric]


def mean_product_of_disjoint_blocks(row, k, credit):
    """The mean product of the credits of two disjoint blocks, over all pairs of them."""
    places, products = range(len(row)), []
    for s in combinations(places, k):
        rest = [i for i in places if i not in s]
        products += [credit([row[i] for i in s]) * credit([row[i] for i in t]) for t in combinations(rest, k)]
    return sum(products) / F(len(products))


def mean_over_blocks(row, k, credit):
    return sum((credit(b) for b in combinations(row, k)), F(0)) / comb(len(row), k)


# ---------------------------------------------------------------- the variance of one question

def block_credits():
    """Check u, v and the largest step by enumeration of blocks of k trials (v of fewer than 2k: of trials left out)."""
    for (metric, tau), k in product(CREDITS, (1, 2, 3)):
        g, credit = variance.parse_metric(metric, k, tau), credit_function(metric, tau, None)
        for n in range(k, 8 if k < 3 else 7):
            table = [mean_over_blocks([1] * c + [0] * (n - c), k, credit) for c in range(n + 1)]
            yield (metric, k, n, "step"), g.step(n) == max(y - x for x, y in zip(table, table[1:]))
            for c in range(n + 1):
                yield (metric, k, n, c, "value"), g.value([n - c, c]) == table[c]
                if n >= 2 * k:
                    v = g.variance([n - c, c], None)
                    yield (metric, k, n, c, "blocks"), v == table[c] ** 2 - mean_product_of_disjoint_blocks([1] * c + [0] * (n - c), k, credit) >= 0
                elif n > k:
                    values_without_one = [value_without_trial(n, c, x, k, credit) for x in range(n)]
                    middle = sum(values_without_one) / n
                    yield (metric, k, n, c, "jackknife"), g.variance([n - c, c], None) == F(n - 1, n) * sum((x - middle) ** 2 for x in values_without_one)


def value_without_trial(n, c, place, k, credit):
    row = [1] * c + [0] * (n - c)
    return mean_over_blocks(row[:place] + row[place + 1:], k, credit)


def best_score_blocks():
    w = [2.5, -1.0, 7.0]
    for k, n in ((1, 2), (1, 4), (2, 4), (2, 6), (3, 6)):
        g, credit = variance.parse_metric("max_at_k", k, w=w), credit_function("max_at_k", None, w)
        for a, b in product(range(n + 1), repeat=2):
            if a + b <= n:
                row = [0] * a + [1] * b + [2] * (n - a - b)
                u, v = mean_over_blocks(row, k, credit), g.variance([a, b, n - a - b], None)
                yield ("max", k, n, a, b), g.value([a, b, n - a - b]) == u and v == u**2 - mean_product_of_disjoint_blocks(row, k, credit) >= 0


def unbiased():
    """Check that the mean of v over binomial or multinomial outcomes is exactly the variance of U or of the mean."""
    for (metric, tau), k, p in product(CREDITS, (1, 2, 3), (F(1, 3), F(9, 10))):
        g = variance.parse_metric(metric, k, tau)
        for n in (2 * k, 2 * k + 1, 3 * k + 2):
            chance = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
            u, v = ([f([n - c, c]) for c in range(n + 1)] for f in (g.value, lambda row: g.variance(row, None)))
            first, second = (sum(x * y**e for x, y in zip(chance, u)) for e in (1, 2))
            yield (metric, k, n, p), sum(x * y for x, y in zip(chance, v)) == second - first**2
    p = (F(1, 2), F(1, 3), F(1, 6))
    for g in (variance.parse_metric("max_at_k", 2, w=[0.0, 0.5, 3.0]), variance.parse_metric("max_at_k", 1, w=[5.0, 0.0, 1.0]), variance.parse_metric("mean", w=[0.0, 2.0, 1.0])):
        n = 5
        rows = [r for r in product(range(n + 1), repeat=3) if sum(r) == n]
        chance = [factorial(n) * prod(x**m / factorial(m) for x, m in zip(p, r)) for r in rows]
        first, second, v = (sum(x * f(r) for x, r in zip(chance, rows)) for f in (g.value, lambda r: g.value(r) ** 2, lambda r: g.variance(r, None)))
        yield (type(g).__name__, g.k), v == second - first**2


def mixture_by_floats():
    """Check the variance under the mixture in floating point, with weights that an EM step leaves where they are."""
    rng = Random(461)
    for (metric, tau), k in product(CREDITS, (2, 3, 4)):
        g, n = variance.parse_metric(metric, k, tau), rng.randint(k, 2 * k - 1)
        rows = [[n - c, c] for c in (rng.randint(0, n), rng.randint(1, n - 1), rng.randint(0, n), rng.randint(0, n))]
        exact = variance.Mixture(variance.states_of(rows), g.A)
        U = [float(g.value([n - x, x])) for x in range(n + 1)]
        for r in rows:
            v = mixture_variance([r, *rows], U)
            yield (metric, k, n, r[1], "variance"), isclose(v, float(approximate(exact.variance(n, r[1]))), rel_tol=1e-9, abs_tol=1e-15)


def mixture_variance(rows, U):
    """The variance of rows[0] under the mixture fitted to the other rows; nan if an EM step changes the weights.

    Every row has n trials, U[x] is the value of x successes, and the mixture is that of spec/families/intervals.md.
    """
    n = len(U) - 1
    J = 6 + ceil(3 * n**0.5 - 1e-9)
    p = [j * j / (j * j + (J - j) ** 2) for j in range(J + 1)]

    def variance_at_rate(u, q):
        n = len(u) - 1
        chance = [comb(n, x) * q**x * (1 - q) ** (n - x) for x in range(n + 1)]
        mean = sum(x * y for x, y in zip(chance, u))
        return sum(x * (y - mean) ** 2 for x, y in zip(chance, u))
    likelihoods, *L = [[q**b * (1 - q) ** a for q in p] for a, b in rows]
    L.append([variance_at_rate(U, q) for q in p])
    mult, mu = [*[1] * (len(L) - 1), max(1, (len(L) - 1) / 256)], 1 / 1024
    w = [float(x) for x in variance.largest_sum_of_logs([[mpf(y) for y in x] for x in L], mult, mpf(mu))]
    f = [sum(map(mul, w, x)) for x in L]
    after = [(y * sum(m * x[j] / z for m, x, z in zip(mult, L, f)) + mu) / (sum(mult) + len(p) * mu) for j, y in enumerate(w)]
    if not all(isclose(x, y, rel_tol=1e-7) for x, y in zip(w, after)):
        return nan
    return sum(a * b * variance_at_rate(U, q) for a, b, q in zip(w, likelihoods, p)) / sum(map(mul, w, likelihoods))


# ---------------------------------------------------------------- intervals, trial by trial

def largest_step(metric, k, n, credit):
    """The most by which one success more can raise the metric of a question with n trials."""
    if metric in ("mean", "max_at_k"):
        return k / n
    u = [mean_over_blocks([1] * c + [0] * (n - c), k, credit) for c in range(n + 1)]
    return float(max(y - x for x, y in zip(u, u[1:])))


def variance_terms(rows, metric, k, tau, w, model):
    """(u, sum of v, s, dev, unknown), from single trials in floating point; model: "mixture" or None.

    u, v, dev and unknown (see variance.py) are by question.
    """
    M = len(rows)
    credit = (lambda b: (F(w[b[0]]) - F(min(w))) / (F(max(w)) - F(min(w)))) if metric == "mean" else credit_function(metric, tau, w)
    u = [float(mean_over_blocks(r, k, credit)) for r in rows]
    t = sum(u) / M
    dev = [(x - t) ** 2 * (M / (M - 1) if M > 1 else 1) for x in u]
    unknown = [len(r) == 1 or (model is None and len(r) == k) for r in rows]
    n = min(map(len, rows))
    s = largest_step(metric, k, n, credit) * k / (n + k - 1)
    r = max(max(w[x] for x in row) - min(w[x] for x in row) for row in rows) / (max(w) - min(w)) if w else 1.0
    s *= (r or 1.0) ** 2
    if metric == "max_at_k" and any(len(r) < 2 * k for r in rows):
        order = sorted({w[x] for x in range(len(w))})
        total = 0.0
        for low, high in zip(order, order[1:]):
            one = variance_terms([[int(w[x] >= high) for x in r] for r in rows], "pass_at_k", k, None, None, model)
            total += (high - low) / (order[-1] - order[0]) * sqrt(one[1])
        return u, total**2, s, dev, unknown
    v = []
    for r, d, is_unknown in zip(rows, dev, unknown):
        n = len(r)
        if is_unknown:
            v.append(d)
        elif n >= 2 * k:
            v.append(float(mean_over_blocks(r, k, credit) ** 2 - mean_product_of_disjoint_blocks(r, k, credit)))
        elif model is None:
            out = [float(mean_over_blocks(r[:i] + r[i + 1:], k, credit)) for i in range(n)]
            v.append((n - 1) / n * sum((x - sum(out) / n) ** 2 for x in out))
        else:
            U = [float(mean_over_blocks([1] * x + [0] * (n - x), k, credit)) for x in range(n + 1)]
            v.append(mixture_variance([[n - sum(x), sum(x)] for x in [r, *rows] if len(x) == n], U))
    return u, max(sum(v), 0.0), s, dev, unknown


def effective_sample_size(rows, metric, k, tau, w, model, questions, pool, labels):
    """theta, n_eff, and (u, V_fixed, s/M^2, V_sampled, whether every question is unknown, or some), from single trials."""
    u, sum_of_v, s, dev, unknown = variance_terms(rows, metric, k, tau, w, model)
    M = len(u)
    t, Q = sum(u) / M, 1 / M
    fixed = (sum_of_v + s) / M**2
    sampled = (sum(dev) + 1 / 12) / M**2
    if labels:
        shares = {g: labels.count(g) / M for g in labels}
        Q = sum(w * w for w in shares.values())
        means = {g: sum(x for x, y in zip(u, labels) if y == g) / labels.count(g) for g in shares}
        sampled = sum(w * w / (1 - 2 * w + Q) * (means[g] - t) ** 2 for g, w in shares.items()) + Q * Q / 12 if len(shares) > 1 else 1 / 12
    f = 0 if all(unknown) else 1 if questions == "fixed" else M / pool if pool else 0
    n0 = 1 / (f * k / min(map(len, rows)) / M + (1 - f) * Q)
    p = t * (1 - t)
    return t, max(n0, p / (f * fixed + (1 - f) * sampled)) if p > 1e-12 else n0, (u, fixed, s / M**2, sampled, all(unknown), any(unknown))


def random_metric(rng):
    """A random metric with its k, tau and w."""
    metric, tau = rng.choice([*CREDITS, ("mean", None), ("max_at_k", None), ("max_at_k", None)])
    w = [0.0, 2.0, -1.0, 0.5][:rng.randint(2, 4)] if metric in ("mean", "max_at_k") else None
    return metric, 1 if metric == "mean" else rng.randint(1, 3), tau, w


def metric_arguments(metric, k, tau, w):
    return {"metric": metric, "k": None if metric == "mean" else k, "tau": tau, "w": w}


def by_trials():
    rng = Random(462)
    for i in range(160):
        M, (metric, k, tau, w) = rng.randint(1, 5), random_metric(rng)
        top, most = len(w or "ab") - 1, rng.choice((k, 2 * k, 7))
        matrix = [[rng.randint(0, top) for _ in range(rng.randint(k, most))] for _ in range(M)]
        questions, pool, labels = rng.choice((("fixed", None, None), ("fixed", None, None), ("sampled", None, None), ("sampled", M + rng.randint(0, 9), None),
                                              ("sampled", None, [rng.randint(0, 2) for _ in range(M)])))
        model, c = rng.choice(("mixture", None)), rng.randint(50, 99) / 100
        t, n_eff, _ = effective_sample_size(matrix, metric, k, tau, w, model, questions, pool, labels)
        R, options = {"matrix": matrix}, {**metric_arguments(metric, k, tau, w), "model": model, "questions": questions, "pool": pool, "clusters": labels, "missing": "drop"}
        result = intervals.interval(R, **options, confidence=c)
        low, span = (min(w), max(w) - min(w)) if w else (0.0, 1.0)
        what = ("interval", i, metric, k, model, questions)
        yield (*what, "n_eff"), isclose(double(result["n_eff"]), n_eff, rel_tol=1e-8) and isclose(double(result["mu"]), low + span * t, abs_tol=1e-12)
        for end, level in (("lo", (1 + c) / 2), ("hi", (1 - c) / 2)):  # at Wilson's ends the score test just rejects
            x = double(result[end])
            if low + 1e-9 < x < low + span - 1e-9:
                p = double(intervals.prob_above(R, x, **options)["value"])
                yield (*what, end), isclose(p, level, rel_tol=1e-9)


def differences():
    rng = Random(463)
    for i in range(120):
        M, (metric, k, tau, w) = rng.randint(2, 5), random_metric(rng)
        top, most = len(w or "ab") - 1, rng.choice((k, 2 * k, 6))
        a, b = ([[rng.randint(0, top) for _ in range(rng.randint(k, most))] for _ in range(M)] for _ in "ab")
        q, model, c, paired = rng.choice(("fixed", "sampled")), rng.choice(("mixture", None)), rng.randint(1, 99) / 100, rng.randint(0, 4) > 0
        (t, _, A), (r, _, B) = (effective_sample_size(x, metric, k, tau, w, model, q, None, None) for x in (a, b))
        D, d = t - r, [x - y for x, y in zip(A[0], B[0])]
        if q == "fixed" and w and not (A[4] or B[4]):
            continue  # the stabiliser of a pair takes the larger range of scores: crosscheck.differences checks it
        if q == "fixed" and not (A[4] or B[4]):
            V = A[1] + B[1] - min(A[2], B[2])
        else:
            step = max(largest_step(metric, k, min(map(len, x)), credit_function(metric, tau, w) if metric != "mean" else None) for x in (a, b))
            step *= largest_range(*([[w[x] / (max(w) - min(w)) for x in r] for r in rows] for rows in (a, b))) if w else 1.0
            V = with_guard(sum((x - D) ** 2 for x in d) / M / (M - 1), least_guard(a, b, step), M)[0]
        if not paired:
            q, V = "sampled", sum((sum((x - sum(u) / M) ** 2 for x in u) * M / (M - 1) + 1 / 2) / M**2 for u in (A[0], B[0]))
        span = max(w) - min(w) if w else 1.0
        result = looks.compare({"matrix": a}, {"matrix": b}, **metric_arguments(metric, k, tau, w), questions=q, confidence=c, model=model, paired=paired, missing="drop")
        if V < 1e-12 or abs(D) < 1e-12:
            continue
        df, by_fixed = mpf(double(result["df"])), q == "fixed" and not (A[4] or B[4])  # degrees_of_freedom() checks df
        by_signs = flips_by_loops(d) if paired and not by_fixed else 0.0
        half = max(float(quantile.t_quantile(F(c), df)) * sqrt(V), abs(D) if by_signs > 1 - c + 1e-12 else 0.0)
        p = max(2 * float(quantile.t_cdf(mpf(-abs(D) / sqrt(V)), df)), by_signs)
        expect = {"mu": span * D, "sigma": span * sqrt(V), "lo": span * max(-1, D - half), "hi": span * min(1, D + half), "p_value": p}
        for field, x in expect.items():
            yield ("compare", i, metric, k, model, q, field), isclose(double(result[field]), x, rel_tol=1e-7, abs_tol=1e-9)


def degrees_of_freedom():
    """Check degrees of freedom by matrix traces and in known cases, and the variance at other numbers of trials."""
    rng = Random(465)
    for i in range(40):
        sizes = [rng.randint(1, 5) for _ in range(rng.randint(2, 5))]
        M, labels = sum(sizes), [g for g, m in enumerate(sizes) for _ in range(m)]
        units = freedom.Units(M, labels)
        # residuals are (I - H) y, of cluster means A (I - H) y: the estimator is y' B y, and its moments are traces
        Q = sum(F(m, M) ** 2 for m in sizes)
        rows = [[F(1 if labels[j] == g else 0, sizes[g]) - F(1, M) for j in range(M)] for g in range(len(sizes))]
        cover = [[F(int(labels[j] == labels[l])) for l in range(M)] for j in range(M)]  # whole clusters are sampled
        scale = [F(sizes[g], M) ** 2 / (1 - 2 * F(sizes[g], M) + Q) for g in range(len(sizes))]
        moved = [[sum(rows[g][j] * cover[j][l] for j in range(M)) for l in range(M)] for g in range(len(sizes))]
        gram = [[sum(moved[g][l] * rows[h][l] for l in range(M)) for h in range(len(sizes))] for g in range(len(sizes))]
        trace = sum(a * gram[g][g] for g, a in enumerate(scale))
        square = sum(scale[g] * scale[h] * gram[g][h] ** 2 for g in range(len(sizes)) for h in range(len(sizes)))
        yield ("clusters", i, "unbiased"), trace == Q
        yield ("clusters", i, "df"), units.bell_mccaffrey() == trace**2 / square
    for G in (2, 3, 8):
        yield ("clusters", G, "equal sizes"), freedom.Units(3 * G, [i % G for i in range(3 * G)]).bell_mccaffrey() == G - 1
    for n in (2, 5, 9):
        g = metric_of("mean")
        estimator = variance.Estimator([[n - c, c] for c in (1, n - 1, 0, 1)], g)
        yield ("squares of v", n), estimator.trial_variance_error == sum(g.variance([n - c, c], None) ** 2 for c in (1, n - 1, 0, 1))
    for metric, k in (("pass_at_k", 3), ("maj_at_k", 3), ("auc_at_k", 2), ("max_at_k", 2), ("mean", None)):
        g = metric_of(metric, k)
        rows = [[8 - c, c] for c in (1, 4, 8, 0, 6)]
        estimator = variance.Estimator(rows, g)
        grow = planning.Growth(estimator, rows, g)
        yield (metric, "at the present number of trials"), (grow.trial_variance(8), grow.step(8)) == (estimator.trial_variance, estimator.step)
        yield (metric, "falls"), all(grow.trial_variance(N) >= grow.trial_variance(N + 1) for N in range(g.k, 20))


def metric_of(metric, k=None):
    return variance.parse_metric(metric, k)


def special_cases():
    """Check k = 1, two categories, and the aliases: different calls with one result."""
    rng = Random(464)
    for i in range(20):
        R = {"counts": [[rng.randint(0, 4), rng.randint(1, 4)] for _ in range(rng.randint(1, 6))]}
        options = {"questions": rng.choice(("fixed", "sampled")), "model": rng.choice(("mixture", None))}
        plain = intervals.mean_ci(R, questions=options["questions"])
        for metric in ("pass_at_k", "pass^k", "maj@k", "auc@k", "max@k"):
            yield (metric, i, "k = 1"), are_equal_intervals(plain, intervals.interval(R, metric, 1, **options))
        k = min(map(sum, R["counts"]))
        one = intervals.interval(R, "pass@k", k, **options)
        yield ("max@k", i, "two categories"), are_equal_intervals(one, intervals.interval(R, "max_at_k", k, **options))
        yield ("g-pass@k", i), are_equal_intervals(one, intervals.interval(R, "g-pass@k", k, 1 / k, **options)) and \
            are_equal_intervals(intervals.interval(R, "pass^k", k, **options), intervals.interval(R, "g_pass_at_k_tau", k, 1.0, **options))
        graded = {"counts": [[rng.randint(1, 4) for _ in range(3)] for _ in range(4)]}
        yield ("max@k", i, "of one is the mean"), are_equal_intervals(intervals.interval(graded, "avg", w=[0.0, 3.0, 1.0], **options), intervals.interval(graded, "max@k", 1, w=[0.0, 3.0, 1.0], **options))


def are_equal_intervals(a, b):
    return all(a[f] == b[f] if isinstance(a[f], (str, int, list)) else approximate(a[f]) == approximate(b[f]) or abs(approximate(a[f]) - approximate(b[f])) < F(1, 10**40) for f in a)


# ---------------------------------------------------------------- golden numbers

def golden():
    functions = {"interval": intervals.interval, "compare": looks.compare}
    for name, args, text in examples.GOLDEN_METRICS:
        result, fields = functions[name](**args), ("mu", "df", "p_value") if name == "compare" else ("mu", "lo", "hi", "n_eff")
        for field, printed in zip(fields, text.split()):
            if printed != "-":
                yield (name, args.get("metric"), field, printed), equals_printed(result[field], printed)


GROUPS = [("values, variances and steps, by enumeration of blocks", block_credits), ("max_at_k, by enumeration of blocks", best_score_blocks), ("variances are unbiased", unbiased),
          ("variances under the mixture, in floating point", mixture_by_floats), ("interval and prob_above of most metrics, trial by trial", by_trials), ("compare of most metrics, trial by trial", differences),
          ("degrees of freedom, and variances at other numbers of trials", degrees_of_freedom), ("different calls with one result", special_cases), ("golden intervals and differences of metrics", golden)]
