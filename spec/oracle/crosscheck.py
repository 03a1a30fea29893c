"""Checks of distributions and of modules rank, sinf and utils by other methods than their definitions, for check.py."""
import json
from fractions import Fraction as F
from itertools import combinations, permutations, product
from math import erfc, factorial, isclose, sqrt
from random import Random
from statistics import correlation

from mpmath import atan, mp, mpf, quad

import agreement
import looks
import decisions
import hashes
import metrics
import ordering
import quantile
from exact import to_mpf, double, equals_printed
from files import vectors
from many import all_outcomes, models as named, trials
from outcomes import counts
from pairing import resolve_arguments
from runs import runs_of_call
from variance import parse_metric

# two models of five questions with four trials each, and two of twenty with nine; GOLDEN: models and options of compare, its p-value: of
# SciPy's ttest_rel, which has .0993007 for X and Y, where the three differences have the same sign in a quarter of cases by chance
X, Y = ({"counts": [[4 - c, c] for c in row]} for row in ((2, 4, 0, 1, 3), (1, 4, 0, 0, 1)))
TWENTY = [{"counts": [[9 - c, c] for c in row]} for row in ([1 + 7 * i % 9 for i in range(20)], [(5 * i * i + i) % 8 for i in range(20)])]
GOLDEN = [(X, Y, {"questions": "sampled"}, ".25"), (*TWENTY, {"questions": "sampled"}, ".0346139385")]


def cases(name):
    """The cases of a function, with counts aligned by id."""
    return [c | {"args": resolve_arguments(name, c["args"])} for c in vectors(name)["cases"]]


def floats(xs):
    return [float(x) for x in xs]


def one_sided_z(c):
    """The normal quantile z with P(Z <= z) = c, as a float."""
    return float(quantile.z(2 * F(c) - 1))


def two_sided_z(c):
    """The normal quantile z with P(|Z| <= z) = c, as a float."""
    return float(quantile.z(F(c)))


# ---------------------------------------------------------------- utils

def bijections():
    """Check the hashes of all permutations and all rankings with ties of up to 5 models, in order."""
    for L in range(1, 6):
        for place, p in enumerate(permutations(range(1, L + 1))):  # itertools lists them in lexicographic order
            yield ("lehmer", p), hashes.lehmer_hash(list(p))["hash"] == place and hashes.lehmer_unhash(place, L)["ranking"] == list(p)

        def key(ranking):
            """Sort key of a ranking: size and places of the top group, then the key of the rest."""
            if not ranking:
                return ()
            top = tuple(i for i, r in enumerate(ranking) if r == min(ranking))
            return (len(top), top, key([r for i, r in enumerate(ranking) if i not in top]))
        dense = [r for r in product(range(1, L + 1), repeat=L) if set(r) == set(range(1, max(r) + 1))]
        yield ("fubini", L), len(dense) == hashes.fubini(L)
        for place, r in enumerate(sorted(dense, key=key)):
            yield ("ranking", r), hashes.ranking_hash(r)["hash"] == place and hashes.unhash_ranking(place, L)["ranking"] == list(r)
    rng = Random(441)
    for L in (20, 40, 100):
        p, r = rng.sample(range(1, L + 1), L), [rng.randint(1, 12) for _ in range(L)]
        yield ("lehmer", L), hashes.lehmer_unhash(hashes.lehmer_hash(p)["hash"], L)["ranking"] == p
        back = hashes.unhash_ranking(hashes.ranking_hash(r)["hash"], L)["ranking"]
        yield ("ranking", L), back == ordering.rank_scores([-x for x in r])["dense"]
        yield ("last", L), hashes.ranking_hash([7] * L)["hash"] == hashes.fubini(L) - 1 and hashes.lehmer_hash(range(L, 0, -1))["hash"] == factorial(L) - 1


def weighted_tau_by_pairs(a, b):
    """Weighted tau from discordant pairs: all pairs, less the tied ones, less twice the discordant ones."""
    place = {i: r for r, i in enumerate(sorted(range(len(a)), key=lambda i: (a[i], b[i])))}
    every = tied_a = tied_b = tied = wrong = 0.0
    for i, j in combinations(range(len(a)), 2):
        w = 1 / (place[i] + 1) + 1 / (place[j] + 1)
        every += w
        tied_a, tied_b, tied = tied_a + w * (a[i] == a[j]), tied_b + w * (b[i] == b[j]), tied + w * (a[i] == a[j] and b[i] == b[j])
        wrong += w * ((a[i] < a[j] and b[i] > b[j]) or (a[i] > a[j] and b[i] < b[j]))
    return (every - (tied_a + tied_b - tied) - 2 * wrong) / sqrt(every - tied_a) / sqrt(every - tied_b)


def agreements():
    got = agreement.compare_rankings([-12, -2, -1, -12, -2], [-1, -4, -7, -1, 0])
    yield "the example of scipy", abs(double(got["weighted_tau"]) + 0.56694968153682723) < 1e-15
    rng = Random(442)
    for _ in range(200):
        L = rng.randint(2, 9)
        a, b = ([rng.randint(1, rng.choice((2, L, 3 * L))) for _ in range(L)] for _ in "ab")
        got = {k: double(x) for k, x in agreement.compare_rankings(a, b).items() if x == x}
        if len(set(a)) == 1 or len(set(b)) == 1:
            yield (a, b, "nan"), set(got) == {"tau_a", "mismatched", "max_displacement"}
            continue
        order = [[(x > y) - (x < y) for x in r for y in r] for r in (a, b)]  # tau_b is the cosine of these
        dot = [sum(x * y for x, y in zip(p, q)) for p, q in ((order[0], order[1]), (order[0], order[0]), (order[1], order[1]))]
        yield (a, b, "tau_a"), isclose(got["tau_a"], dot[0] / L / (L - 1), abs_tol=1e-14)
        yield (a, b, "tau_b"), isclose(got["tau_b"], dot[0] / sqrt(dot[1] * dot[2]), abs_tol=1e-14)
        ranks = [[(sum(y < x for y in r) + sum(y <= x for y in r) + 1) / 2 for x in r] for r in (a, b)]
        yield (a, b, "spearman"), isclose(got["spearman"], correlation(*ranks), abs_tol=1e-12)
        both = (weighted_tau_by_pairs(a, b) + weighted_tau_by_pairs(b, a)) / 2
        yield (a, b, "weighted"), isclose(got["weighted_tau"], both, abs_tol=1e-12)
        yield (a, b, "self"), double(agreement.compare_rankings(a, a)["weighted_tau"]) == 1


# ---------------------------------------------------------------- distributions

def distributions():
    mp.dps = 40
    for df in (1, 2, 3, 4, 7, 30):
        for t in (-25, -3.5, -0.4, 0.01, 1.3, 9):
            t = mpf(t)
            def pdf(x):
                return (1 + x * x / df) ** (-mpf(df + 1) / 2) / (mp.sqrt(df) * mp.beta(mpf(df) / 2, mpf(1) / 2))
            area = quad(pdf, [-mp.inf, -30, t]) if t < 0 else 1 - quad(pdf, [t, 30, mp.inf])
            yield ("t cdf", df, t), abs(quantile.t_cdf(t, df) / area - 1) < mpf(10) ** -15
        for c in (1e-9, 0.3, 0.95, 1 - 2**-53):
            q = quantile.t_quantile(F(c), df)
            yield ("t quantile", df, c), abs(2 * quantile.t_cdf(-q, df) / (1 - to_mpf(F(c))) - 1) < mpf(10) ** -38
    for t in (mpf(-100), mpf(-1), mpf(2)):
        yield ("one degree", t), abs(quantile.t_cdf(t, 1) - (mpf(1) / 2 + atan(t) / mp.pi)) < mpf(10) ** -38
        yield ("two degrees", t), abs(quantile.t_cdf(t, 2) - (1 + t / mp.sqrt(2 + t * t)) / 2) < mpf(10) ** -38
    for df, printed in ((1, "12.7062"), (2, "4.3027"), (9, "2.2622"), (29, "2.0452"), (1000, "1.9623")):
        yield ("table", df), mp.nstr(quantile.t_quantile(F(0.95), df), len(printed) - 1) == printed
    for x in (-38, -3, 0, 1.645, 7):
        yield ("normal", x), isclose(quantile.normal_cdf(mpf(x)), erfc(-x / sqrt(2)) / 2, rel_tol=1e-12)
    mp.dps = 15


# ---------------------------------------------------------------- ranks

def chained_groups(scores, sigmas, confidence, ties, tol):
    """The group of each model, and the relative distance of the closest decision from its threshold, in floats."""
    order, group, margin = sorted(range(len(scores)), key=lambda i: (-scores[i], sigmas[i])), {}, 1.0
    for place, i in enumerate(order):
        j = order[place - 1]
        d, s = scores[j] - scores[i], max(sigmas[i], sigmas[j], 1e-320)
        reach = s * sqrt((sigmas[i] / s) ** 2 + (sigmas[j] / s) ** 2) * one_sided_z(confidence) if ties.startswith("z") else (sigmas[i] + sigmas[j]) * two_sided_z(confidence)
        new = place == 0 or (d > tol and d >= reach)
        group[i] = 0 if place == 0 else group[j] + new
        if place and d > tol:
            margin = min(margin, abs(reach / d - 1))
    return [group[i] for i in range(len(scores))], margin


def conventions():
    for case in cases("rank_scores"):
        args, want = case["args"], case["want"]
        s, tol = floats(args["scores"]), args.get("tol", 1e-12)
        if "sigmas" in args:
            group, margin = chained_groups(s, floats(args["sigmas"]), args.get("confidence", 0.95), args.get("ties", "zscore_adjacent"), tol)
            yield (case["id"], "not close to a threshold"), margin > 1e-7
        else:
            group = floats(metrics.competition_ranks_from_scores(s, tol)["ranks"])
        below, upto = ([sum(f(h, g) for h in group) for g in group] for f in (lambda h, g: h < g, lambda h, g: h <= g))
        yield (case["id"], "competition"), want["competition"] == [b + 1 for b in below]
        yield (case["id"], "competition_max"), want["competition_max"] == upto
        yield (case["id"], "dense"), want["dense"] == [1 + len({h for h in group if h < g}) for g in group]
        yield (case["id"], "average"), [x["value"] for x in want["average"]] == [(b + 1 + u) / 2 for b, u in zip(below, upto)]


def dyadic(x):
    """Whether x is a multiple of 2^-20: differences of such numbers, and with them decisions, are exact."""
    return float(x) * 2**20 % 1 == 0


def ranks_by_scores():
    """Check that ranks follow from the scores, and that no decision about a tie depends on the last bits."""
    for metric in (*ordering.METRICS, "elo"):
        name = metric if metric == "elo" else f"rank.{metric}"
        for case in cases(name):
            args, tol = case["args"], case["args"].get("tol", 1e-12)
            s = [x["value"] for x in case["want"].get("scores", [])]
            if not s:
                function = ordering.elo if metric == "elo" else ordering.BY_NAME[name]
                s = [double(x) for x in function(**args, return_scores=True)["scores"]]
            got = [float(r["value"]) if isinstance(r, dict) else r for r in case["want"]["ranks"]]
            by_rank = ordering.rank_scores([-x for x in s] if metric == "flip_rate" else s, tol)[args.get("method", "competition")]
            yield (case["id"], "ranks"), got == [double(r) if isinstance(r, F) else r for r in by_rank]
            near = [(x, y) for x, y in combinations(s, 2) if x != y and abs(abs(x - y) - tol) < 1e-14 * max(1, abs(x))]
            yield (case["id"], "not close to a threshold"), not near or all(dyadic(x) for x in (*s, tol))


def elo():
    """Check Elo ratings in floating point: games only move points between models."""
    for case in cases("elo"):
        args = case["args"]
        data, K, start = [trials(x) for x in all_outcomes(args["R"])], args.get("K", 32), args.get("initial_rating", 1500)
        tie_handling, L = args.get("tie_handling", "correct_draw_only"), len(data)
        r = [float(start)] * L
        for t in range(len(data[0][0])):
            for a in range(len(data[0])):
                x, before = [m[a][t] for m in data], list(r)
                for i, j in permutations(range(L), 2):
                    if x[i] != x[j] or tie_handling == "draw" or (tie_handling == "correct_draw_only" and x[i]):
                        r[i] += K * ((1 + (x[i] > x[j]) - (x[i] < x[j])) / 2 - 1 / (1 + 10 ** ((before[j] - before[i]) / 400)))
        for i, x in enumerate(case["want"].get("scores", [])):
            yield (case["id"], i), isclose(x["value"], r[i], rel_tol=1e-9, abs_tol=1e-6)
        if "scores" in case["want"]:
            yield (case["id"], "sum"), isclose(sum(x["value"] for x in case["want"]["scores"]), L * start, abs_tol=1e-6)


# ---------------------------------------------------------------- two models

def by_trials(a, b, fixed):
    """D, V_D, degrees of freedom and the differences (None on fixed questions) from single outcomes in [0, 1], with plain loops."""
    M, x, single, S, squares = len(a), [], [], 0, 0
    for rows in (a, b):
        mean = [sum(r) / len(r) for r in rows]
        dev = [(m - sum(mean) / M) ** 2 * (M / (M - 1) if M > 1 else 1) for m in mean]
        v = [sum((u - m) ** 2 for u in r) / len(r) / (len(r) - 1) if len(r) > 1 else e for r, m, e in zip(rows, mean, dev)]
        S, squares = S + sum(v), squares + sum(y * y for y in v)
        x.append(mean)
        single.append(all(len(r) == 1 for r in rows))
    d = [p - q for p, q in zip(*x)]
    D = sum(d) / M
    if fixed and not any(single):
        s = (largest_range(a, b) / min(map(len, (*a, *b)))) ** 2
        return D, (S + s) / M**2, 2 * (S + s) ** 2 / (squares + s * s), None
    return D, *with_guard(sum((e - D) ** 2 for e in d) / M / (M - 1), least_guard(a, b, largest_range(a, b) / min(map(len, (*a, *b)))), M), d


def largest_range(a, b):
    """The largest difference between two trials of a question of either model; 1 if there is none."""
    return max(max(p + q) - min(p + q) for p, q in zip(a, b)) or 1


def least_guard(a, b, step):
    """Two steps where a question has unequal numbers of trials."""
    return min(1, 2 * step) if any(len(p) != len(q) for p, q in zip(a, b)) else 0


def with_guard(Z, guard, M):
    """V_D and its degrees of freedom, from M differences."""
    c = guard**2 / (2 * M * M)
    return Z + c, min(M - 1, (Z + c) ** 2 / (Z * Z / (M - 1) + c * c / 2)) if c else M - 1


def flips_by_loops(d):
    """The two-sided p-value of the signs of d, of which at most 14 are not 0, in floats; 0 where none is computed."""
    d = [x for x in d if abs(x) > 1e-12]
    if len(d) > 14:
        return 0.0 if min(d) < 0 < max(d) else 2.0 ** (1 - len(d))
    return sum(abs(sum(s * x for s, x in zip(signs, d))) > abs(sum(d)) - 1e-12 for signs in product((1, -1), repeat=len(d))) / 2 ** len(d)


def golden():
    for a, b, target, text in GOLDEN:
        got = looks.compare(a, b, **target)
        yield ("compare", str(target)), equals_printed(got["p_value"], text)


def differences():
    rng = Random(443)
    for i in range(150):
        M, C, most, q = rng.randint(2, 7), rng.randint(1, 3), rng.choice((1, 2, 8)), rng.choice(("fixed", "sampled"))
        w, c = [j / C for j in range(C + 1)], rng.randint(1, 99) / 100
        a, b = ([[rng.randint(0, C) for _ in range(rng.randint(1, most))] for _ in range(M)] for _ in "ab")
        D, V, df, d = by_trials(*([[w[x] for x in r] for r in rows] for rows in (a, b)), q == "fixed")
        got = looks.compare({"matrix": a}, {"matrix": b}, w=w, questions=q, confidence=c, missing="drop")
        yield ("compare", i, "df"), isclose(double(got["df"]), df, rel_tol=1e-9)
        if V < 1e-12 or abs(D) < 1e-12:
            continue
        by_t, by_signs = 2 * float(quantile.t_cdf(mpf(-abs(D) / sqrt(V)), mpf(df))), flips_by_loops(d) if d else 0.0
        half = max(float(quantile.t_quantile(F(c), mpf(df))) * sqrt(V), abs(D) if by_signs > 1 - c + 1e-12 else 0)
        p = max(by_t, by_signs)
        expect = {"mu": D, "sigma": sqrt(V), "lo": max(-1, D - half), "hi": min(1, D + half), "p_value": p, "p_above": 1 - p / 2 if D > 0 else p / 2}
        for field, x in expect.items():
            yield ("compare", i, field), isclose(double(got[field]), x, rel_tol=1e-9, abs_tol=1e-12)
        reversed_result = looks.compare({"matrix": b}, {"matrix": a}, w=w, questions=q, confidence=c, missing="drop")
        yield ("compare", i, "reversed"), isclose(double(got["p_above"]) + double(reversed_result["p_above"]), 1, abs_tol=1e-15)


def p_value_of_equality(d):
    """The one-sided p-value of a gate with margin 0, in floats, from D, V, df, the terms of kappa, U and the p-value of equality."""
    x, V, df, guard = abs(float(d.D)), float(to_mpf(d.V)), float(to_mpf(d.df)), float(d.guard)
    tails = [float(to_mpf(d.p_value())) / 2]
    if V:
        terms = [float(y) for y in d.terms] if guard else []
        more = max(sqrt(sum(y * y for y in terms)) * x - abs(sum(terms)) * x * (1 if sum(terms) * float(d.D) > 0 else -1), 0.0)
        tails += [float(quantile.t_cdf(mpf(-x / sqrt(V + more / V)), mpf(df))), (guard / (guard + x)) ** float(1 / d.unit) if guard else 0.0]
    return max(tails)


def ranges():
    """Check ranges and winners from the p-values of all pairs, with Holm's rule from its definition."""
    winners = {json.dumps(c["args"]["models"]): c for c in cases("winners")}
    for case in cases("ranges"):
        args = dict(case["args"])
        items = named(args.pop("models"))
        L, alpha, holm = len(items), 1 - F(args.pop("confidence", 0.95)), args.pop("correction", "holm")
        metric = parse_metric(*(args.get(x, y) for x, y in (("metric", "mean"), ("k", None), ("tau", None), ("w", None))))
        about = runs_of_call(args.pop("runs", "fixed"), [x for _, x in items], args.get("w"), args.get("missing", "raise"))
        rest = {x: y for x, y in args.items() if x not in ("metric", "k", "tau", "w")}
        pairs = [(i, j, looks.difference(items[i][1], items[j][1], metric, **rest, runs=about(i, j))[1]) for i in range(L) for j in range(i + 1, L)]
        with mp.workdps(40):
            p = [float(to_mpf(d.p_value())) for _, _, d in pairs]
        adjusted = [max(min(1.0, (len(p) - sum(q < y for q in p)) * y) for y in p if y <= x) for x in p] if holm else p
        sign = -1 if args.get("metric") == "flip_rate" else 1  # lower is better
        significant = [(a, b) if sign * d.D > 0 else (b, a) for (a, b, d), x in zip(pairs, adjusted) if x <= alpha]
        lost, won = ([sum(pair[side] == i for pair in significant) for i in range(L)] for side in (1, 0))
        yield case["id"], case["want"] == {"best": [1 + x for x in lost], "worst": [L - x for x in won]}
        yield (case["id"], "not close to a threshold"), all(x == 1 or abs(x / alpha - 1) > 1e-9 for x in adjusted)  # equal models: 1, exactly
        best = winners.get(json.dumps(case["args"]["models"]))
        if best and best["args"] == case["args"]:
            level = alpha / (L - 1)
            guarded = [looks.difference(items[i][1], items[j][1], metric, **rest, guard=1, runs=about(i, j))[1] for i, j, _ in pairs]
            out = {(b if sign * d.D > 0 else a) for (a, b, _), d in zip(pairs, guarded) if d.D and p_value_of_equality(d) < level}
            yield best["id"], best["want"]["models"] == [name for i, (name, _) in enumerate(items) if i not in out]


# ---------------------------------------------------------------- plans

def met_ratio(name, args, n):
    """The ratio by which the condition of trials_needed or questions_needed is met at n: at least 1 where it is met."""
    w, missing = args.get("w", [0.0, 1.0]), args.get("missing", "raise")
    span = max(w) - min(w)
    models = [counts(args[p], len(w) - 1, missing) for p in ("R", "R_b") if p in args]
    used = [i for i in range(len(models[0])) if all(sum(m[i]) for m in models)]
    A, x, M, trial_parts, r = 0.0, [], len(used), [], 0.0
    for m in models:
        rows = [[(v - min(w)) / span for v, n_v in zip(w, m[i]) for _ in range(n_v)] for i in used]
        r = max(r, *(max(u) - min(u) for u in rows))
        mean = [sum(u) / len(u) for u in rows]
        t = sum(mean) / M
        dev = [(y - t) ** 2 * (M / (M - 1) if M > 1 else 1) for y in mean]
        A += sum(sum((u - y) ** 2 for u in row) / (len(row) - 1) if len(row) > 1 else e for row, y, e in zip(rows, mean, dev))
        trial_parts.append(trial_moments(rows, mean, dev))
        x.append((mean, t, dev))
    r = r or 1.0
    of_trials = name == "trials_needed"
    if len(models) == 2:
        d = [p - q for p, q in zip(x[0][0], x[1][0])]
        D = sum(d) / M
        S = sum((e - D) ** 2 for e in d) / (M - 1) if M > 1 else 0
        V = (A / n + r * r / n / n) / M**2 if of_trials else S / n
        D = args["difference"] / span if "difference" in args else D
        z_required = args["z"] if "z" in args else two_sided_z(args.get("confidence", 0.95)) + (one_sided_z(args.get("power", 0.8)) if args.get("power", 0.8) > 0.5 else 0)
        if of_trials and "z" not in args:
            top, bottom = (sum(p[i] for p in trial_parts) for i in (0, 1))
            s = r * r * max(p[2] for p in trial_parts)
            df = min(2 * (top + s) ** 2 / (bottom + s * s), 1e6)
            z_required += float(quantile.t_quantile(F(args.get("confidence", 0.95)), df)) - two_sided_z(args.get("confidence", 0.95))
        if not of_trials and "z" not in args:
            c = F(args.get("confidence", 0.95))
            if n < 2 or n <= 64 and 2 ** (1 - n) > 1 - c:
                return 0.0
            z_required += float(quantile.t_quantile(c, min(n - 1, 1e6))) - two_sided_z(float(c))
        if not V:
            return mp.inf if D else 0.0
        return D * D / (z_required**2 * V)
    mean, t, dev = x[0]
    V = (A / n + r * r / n / n) / M**2 if of_trials else (n * sum(dev) / M + 1 / 12) / n**2
    n0, p = n * M if of_trials else n, t * (1 - t)
    c = args.get("confidence", 0.95)
    z = two_sided_z(c)
    q = z * z / (max(n0, p / V) if p > 1e-13 else n0)
    return args["half_width"] / span / (sqrt(q * p + q * q / 4) / (1 + q))


def trial_moments(rows, mean, dev):
    """The sums over questions of the variances of their mean scores and of their squares, and the step of the stabiliser."""
    v = [sum((u - y) ** 2 for u in r) / len(r) / (len(r) - 1) if len(r) > 1 else d for r, y, d in zip(rows, mean, dev)]
    return sum(v), sum(x * x for x in v), 1 / min(map(len, rows)) ** 2


def sample_sizes():
    for name, field in (("trials_needed", "trials"), ("questions_needed", "questions")):
        for case in cases(name):
            args, n = case["args"], case["want"][field]
            if "metric" in args or "clusters" in args:
                continue  # crosscheck_intervals.degrees_of_freedom checks their variances and degrees of freedom
            if max(args.get("w", [0, 1])) == min(args.get("w", [0, 1])):
                yield case["id"], n == (None if "R_b" in args else 2 if name == "trials_needed" else 1)
            elif n is None:
                yield case["id"], met_ratio(name, args, 10**9) < 1e-3
            else:
                smallest_n = 2 if name == "trials_needed" else 1
                at_n, before = met_ratio(name, args, n), met_ratio(name, args, n - 1) if n > smallest_n else 0
                yield case["id"], before < 1 - 1e-14 and at_n > 1 - 1e-14


# ---------------------------------------------------------------- decisions from means and standard errors

def stopping_rules():
    for case in cases("should_stop"):
        a = case["args"]
        s, z = float(a["sigma"]), two_sided_z(a.get("confidence", 0.95))
        limit = a["max_ci_width"] / 2 if "max_ci_width" in a else a["max_half_width"]
        yield case["id"], case["want"]["stop"] == (z * s <= limit) or s < 1e-300
        yield (case["id"], "not close to a threshold"), s < 1e-300 or limit == 0 or abs(z * s / limit - 1) > 1e-13
    # cases of one number have the same arguments in both functions
    pairs = {c["id"].rsplit("-", 1)[1]: c for c in cases("suggest_next_allocation")}
    for case in cases("should_stop_top1"):
        a, want = case["args"], case["want"]
        m, s, c, by_z = floats(a["mus"]), floats(a["sigmas"]), a.get("confidence", 0.95), a.get("method", "zscore") == "zscore"
        top = max(range(len(m)), key=lambda i: (m[i], -i))
        score, margin = {}, 1.0
        for i in range(len(m)):
            if i != top:
                d, unit = m[top] - m[i], max(s[top], s[i]) or 1.0
                combined_sigma = unit * sqrt((s[top] / unit) ** 2 + (s[i] / unit) ** 2)
                reach = one_sided_z(c) * combined_sigma if by_z else two_sided_z(c) * (s[top] + s[i])
                margin = min(margin, abs(reach / d - 1)) if d else margin
                if d == 0 or (d < reach if by_z else d <= reach):
                    score[i] = (d / combined_sigma if combined_sigma else 0.0) if by_z else d - reach
        yield case["id"], want == {"stop": not score, "leader": top, "ambiguous": sorted(score)}
        yield (case["id"], "not close to a threshold"), margin > 1e-7
        pair = pairs[case["id"].rsplit("-", 1)[1]]
        yield pair["id"], pair["args"] == a and pair["want"]["pair"] == ([top, min(score, key=lambda i: (score[i], i))] if score else [])
        close = sorted(score.values())
        yield (pair["id"], "not close to a threshold"), len(close) < 2 or close[0] == close[1] or abs(close[1] - close[0]) > 1e-9 * abs(close[1])
    for case in cases("ranking_confidence"):
        a = {k: float(x) for k, x in case["args"].items()}
        d = abs(a["mu_a"] - a["mu_b"])
        if 1e-100 < a["sigma_a"] + a["sigma_b"] < 1e100:
            z = d / sqrt(a["sigma_a"] ** 2 + a["sigma_b"] ** 2)
            yield case["id"], isclose(case["want"]["z"]["value"], z, rel_tol=1e-14) and isclose(case["want"]["rho"]["value"], 1 - erfc(z / sqrt(2)) / 2, rel_tol=1e-14)
    for mu, sigma, c, b in ((0.6, 0.1, 0.9, None), (0.9, 0.1, 0.95, (0.0, 1.0)), (-3.0, 0.0, 0.5, None)):
        got, z = decisions.ci_from_mu_sigma(mu, sigma, c, b), two_sided_z(c)
        lo, hi = b or (-9, 9)
        yield ("ci", mu), isclose(double(got["lo"]), max(lo, mu - z * sigma), rel_tol=1e-12) and isclose(double(got["hi"]), min(hi, mu + z * sigma), rel_tol=1e-12)


GROUPS = [("hashes of all small rankings", bijections), ("agreement of rankings", agreements), ("distributions", distributions), ("conventions of ranks", conventions),
          ("ranks follow scores", ranks_by_scores), ("Elo in floating point", elo), ("golden p-values of compare", golden), ("compare, trial by trial", differences),
          ("ranges and winners from p-values", ranges), ("sample sizes: met at N, not at N - 1", sample_sizes), ("decisions from means and standard errors, in floating point", stopping_rules)]
