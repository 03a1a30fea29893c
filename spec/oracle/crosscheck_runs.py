"""Checks of run_variation and of the argument `runs` by methods other than their definitions, for check.py."""
from fractions import Fraction as F
from itertools import permutations, product
from random import Random

from mpmath import mp, mpf

import bounding
import cases_runs
import looks
import multiplicity
import quantile
import runs
import suites
from exact import approximate, double, to_mpf

NAMES = ("ratio", "df")


def arrangements(row):
    """The distinct orders of a row, each with the same probability."""
    return sorted(set(permutations(row)))


def permutation_moments():
    """Check the mean f and the variance 2f(1 - h) of f lambda over all orders of the trials of each question."""
    rng = Random(971)
    tables = [[[1, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 0]], [[1, 0], [1, 0], [0, 1], [1, 1]], [[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]]
    tables += [[[rng.randint(0, 1) for _ in range(N)] for _ in range(M)] for M, N in ((2, 5), (3, 3), (4, 3), (3, 4))]
    for table in tables:
        model, values = runs.Model({"matrix": table}, [F(0), F(1)], None, "raise"), []
        if not model.counts:
            continue
        for rows in product(*map(arrangements, table)):
            values.append(model.f * runs.Model({"matrix": rows}, [F(0), F(1)], None, "raise").ratio)
        mean = sum(values) / len(values)
        yield ("mean", table), mean == model.f == len(table[0]) - 1
        yield ("variance", table), sum((x - mean) ** 2 for x in values) / len(values) == 2 * model.f * (1 - model.h)


def influences_over_orders():
    """Check that I_r has the mean 0 and the variance E_r over all orders of the trials of each question, also incomplete and graded."""
    rng, u = Random(972), [F(0), F(1, 3), F(1)]
    for i in range(12):
        N = rng.randint(2, 4)
        table = [[None if rng.random() < 0.25 else rng.randint(0, 2) for _ in range(N)] for _ in range(3)]
        if not all(any(x is not None for x in row) for row in table):
            continue
        sessions = [rng.randint(0, 1) for _ in range(N)] if i % 2 else None

        def orders(row):
            places = [j for j, x in enumerate(row) if x is not None]
            for order in permutations([row[j] for j in places]):
                yield [order[places.index(j)] if j in places else None for j in range(len(row))]
        all_orders = list(product(*(list(orders(row)) for row in table)))
        each = [runs.Model({"matrix": rows}, u, sessions, "drop").I for rows in all_orders]
        E = runs.Model({"matrix": table}, u, sessions, "drop").E
        for r, expected in enumerate(E):
            yield ("order", table, sessions, r), sum(I[r] for I in each) == 0 and sum(I[r] ** 2 for I in each) / len(each) == expected


def cochran():
    """Check f lambda against Cochran's Q of random binary tables, by its textbook formula."""
    rng = Random(973)
    for i in range(60):
        M, k = rng.randint(2, 12), rng.randint(2, 7)
        table = [[rng.randint(0, 1) for _ in range(k)] for _ in range(M)]
        G, L = [sum(row[j] for row in table) for j in range(k)], [sum(row) for row in table]
        bottom = k * sum(L) - sum(x * x for x in L)
        if bottom:
            x = runs.run_variation({"matrix": table})
            yield ("Q", i), x["ratio"] * x["df"] == F((k - 1) * (k * sum(x * x for x in G) - sum(G) ** 2), bottom) and x["df"] == k - 1


def analysis_of_variance():
    """Check sd: with an effect of runs that is added to scores without any other variance, it is the standard deviation of the effect.

    The questions are equal, and their trials differ by the run alone, so that the variance of I within questions is known.
    """
    for effects in ((0, 1), (0, 3, 5), (2, 2, 7, 0)):
        w, M, N = list(range(8)), 40, len(effects)
        x = runs.run_variation({"matrix": [list(effects)] * M}, w)
        mean = F(sum(effects), N)
        between = sum((e - mean) ** 2 for e in effects) / (N - 1)
        # the mean square of runs less that of what is left, over M: (between - between/M), as e_a is between/N
        yield ("sd", effects), abs(float(approximate(x["sd"])) ** 2 - float(between * (1 - F(1, M)))) < 1e-12


def tails():
    """Check the tail of F against mpmath's hypergeometric series, and against the chi-square distribution, which is close to it."""
    for x, df in ((F(2), F(150, 33)), (F(1, 3), F(2)), (F(5), F(1)), (F(9, 8), F(63)), (F(1), F(11, 2)), (F(40), F(3))):
        got = approximate(runs.upper_tail_of_f(x, df))
        with mp.workdps(100):
            z, half = to_mpf(df * x / 2), mpf(10) ** 6 / 2
            by_series = mp.betainc(to_mpf(df / 2), half, z / (half + z), 1, regularized=True)
            chi_square = mp.gammainc(to_mpf(df / 2), z, regularized=True)
            yield ("F", x, df), abs(to_mpf(got) / by_series - 1) < 1e-20 and abs(to_mpf(got) / chi_square - 1) < 0.01


def smallest_df():
    """Check that f is at least 1, whatever trials are missing."""
    rng = Random(974)
    for i in range(150):
        M, N = rng.randint(2, 5), rng.randint(2, 6)
        share = rng.random()
        table = [[None if rng.random() < share and j else rng.randint(0, 1) for j in range(N)] for _ in range(M)]
        model = runs.Model({"matrix": table}, [F(0), F(1)], None, "drop")
        yield ("f", i), not model.counts or model.f >= 1


# ---------------------------------------------------------------- the argument runs


def same(a, b):
    """Whether two results agree to the digits that are printed."""
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b if isinstance(a, (str, bool, int, type(None))) else double(a) == double(b)


def random_pair(rng):
    M, N = rng.randint(3, 9), rng.randint(3, 6)
    return [cases_runs.drawn(rng, M, N, rng.choice((0.0, 0.3))) for _ in "ab"]


def equal_calls():
    """Check that calls that mean the same have the same result: runs of one model, or shared, and their mapping, suites of one benchmark, bounds of nothing."""
    rng = Random(975)
    for i in range(24):
        A, B = random_pair(rng)
        q = {"questions": ("fixed", "sampled")[i % 2]}
        one = bounding.compare(A, B, **q, runs="sampled")
        shared = runs.run_variation({"models": {"a": A, "b": B}}, shared=True)
        by_shared, by_mapping = (bounding.compare(A, B, **q, runs=x) for x in ("shared", {x: double(shared[x]) for x in NAMES}))
        yield ("shared", i), all(same(by_shared[x], by_mapping[x]) for x in by_shared)
        for R in (A, B):
            found = runs.run_variation(R)
            alone, stated = (bounding.interval(R, **q, runs=x) for x in ("sampled", {x: double(found[x]) for x in NAMES}))
            yield ("one model", i), all(same(alone[x], stated[x]) for x in alone)
        yield ("bounds", i), all(same(one[x], y) for x, y in bounding.compare(A, B, missing="bounds", **q, runs="sampled").items())
        many = multiplicity.compare_all({"models": {"a": A, "b": B}}, **q, runs="sampled")
        suite = suites.suite({"benchmarks": {"x": {"models": {"a": A, "b": B}}}}, **q, runs="sampled")
        yield ("compare_all", i), all(same(one[x], many[x][0]) for x in ("mu", "sigma", "lo", "hi", "p_value", "df", "p_above"))
        yield ("suite", i), all(same(one[x], y) for x, y in zip(("mu", "sigma", "lo", "hi", "p_value", "df", "p_above"), suite["pairs"][0][3:]))
        stated = {"ratio": rng.choice((0.5, 1.7)), "df": rng.choice((2, 30))}
        each = suites.suite({"benchmarks": {"x": {"models": {"a": A, "b": B}}}}, **q, runs=stated)["models"]
        for R, row in zip((A, B), each):
            alone = bounding.interval(R, **q, runs=stated)
            yield ("interval", i), all(same(alone[x], y) for x, y in zip(("mu", "sigma", "lo", "hi", "n_eff"), row[1:6]))


def by_floats():
    """Check p-value, half width, sigma and df of the difference of means against a program in doubles, trial by trial."""
    rng = Random(976)
    for i in range(40):
        A, B = random_pair(rng)
        M, N = len(A["matrix"]), len(A["matrix"][0])
        ratio, f, sampled = rng.choice((0.3, 0.9, 1.0, 1.4, 4.0)), rng.choice((1, 3.5, 12)), bool(i % 2)
        got = looks.compare(A, B, questions="sampled" if sampled else "fixed", runs={"ratio": ratio, "df": f}, confidence=0.9)
        x, y = ([sum(row) / N for row in R["matrix"]] for R in (A, B))
        v = [p * (1 - p) / (N - 1) for p in (*x, *y)]
        V_f, D = (sum(v) + 1 / N**2) / M**2, (sum(x) - sum(y)) / M
        V, df = V_f, 2 * (V_f * M * M) ** 2 / (sum(p * p for p in v) + 1 / N**4)
        if sampled:
            V, df = sum((p - q - D) ** 2 for p, q in zip(x, y)) / M / (M - 1), M - 1
        if V < 1e-12 or abs(D) < 1e-12:
            continue
        V_runs = ratio * V_f + max(V - V_f, 0)
        pairs = [(V, df), (V_runs, V_runs**2 / (min(V, V_runs) ** 2 / df + (ratio * V_f) ** 2 / f))]
        p_value = max(float(quantile.two_sided_t_tail(abs(D) / mp.sqrt(U), mpf(d))) for U, d in pairs)
        half, U, d = max((float(quantile.t_quantile(F(0.9), mpf(d)) * mp.sqrt(U)), U, d) for U, d in pairs)
        yield ("sigma, df", i), abs(double(got["sigma"]) - U**0.5) < 1e-9 and abs(double(got["df"]) - d) < 1e-6
        by_signs = sampled and double(got["p_value"]) > p_value + 1e-9  # the signs decide
        yield ("p_value, ends", i), by_signs or (abs(double(got["p_value"]) - p_value) < 1e-9 and abs(double(got["lo"]) - max(-1, D - half)) < 1e-9)


def never_narrower():
    """Check that sampled runs never lead to a narrower interval or a smaller p-value."""
    rng = Random(977)
    for i in range(30):
        A, B = random_pair(rng)
        args = {"questions": ("fixed", "sampled")[i % 2]}
        stated = {"ratio": rng.choice((0, 0.2, 0.95, 1, 1.05, 3)), "df": rng.choice((1, 4, 1e6))}
        with_runs, without = (looks.compare(A, B, **args, runs=x) for x in (stated, "fixed"))
        yield ("compare", i), all(double(without[x]) <= double(with_runs[x]) for x in ("hi", "p_value")) and double(with_runs["lo"]) <= double(without["lo"])
        with_runs, without = (bounding.interval(A, **args, runs=x) for x in (stated, "fixed"))
        yield ("interval", i), double(with_runs["lo"]) <= double(without["lo"]) and double(without["hi"]) <= double(with_runs["hi"])
        with_runs, without = (looks.gate(A, B, margin=0.1, **args, runs=x) for x in (stated, "fixed"))
        yield ("gate", i), double(with_runs["lo"]) <= double(without["lo"]) and double(without["hi"]) <= double(with_runs["hi"])


GROUPS = [("runs, every order of trials: f lambda", permutation_moments), ("runs, every order of trials: influences", influences_over_orders),
    ("runs, Cochran's Q", cochran),
          ("runs, standard deviation", analysis_of_variance), ("runs, tail of F", tails), ("runs, smallest df", smallest_df),
              ("runs, equal calls", equal_calls),
          ("runs, by doubles", by_floats), ("runs, never narrower", never_narrower)]
