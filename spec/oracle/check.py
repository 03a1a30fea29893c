"""Check the oracle by methods other than its formulas; check the files of vectors and refused calls.

    python spec/oracle/check.py [WORDS ...]

WORDS: only the groups of checks whose title contains one of these.
"""
import json
import sys
from decimal import Decimal
from fractions import Fraction as F
from itertools import combinations
from random import Random
from time import time

import bounding
import certificates
import crosscheck
import crosscheck_beyond
import crosscheck_converge
import crosscheck_intervals
import crosscheck_ledger
import crosscheck_rubric
import crosscheck_runs
import examples
import files
import intervals
import metrics
import quadrature
from exact import Refused, approximate, double, equals_printed
from files import SPEC
from pairing import resolve_arguments, split_metric
from write import DEFINITIONS, find, field_json

tally = {"passed": 0, "failed": 0}


def run_group(title, checks):
    """Run checks, (name, ok) pairs, if their title is asked for; print the failures and a line with the totals."""
    if sys.argv[1:] and not any(words in title for words in sys.argv[1:]):
        return
    good, bad, start = 0, 0, time()
    for what, ok in checks:
        good, bad = good + bool(ok), bad + (not ok)
        if not ok:
            print("  FAILED", what)
    tally["passed"] += good
    tally["failed"] += bad
    print(f"{title}: {good} passed, {bad} failed ({time() - start:.1f} s)")


# ---------------------------------------------------------------- enumeration of subsets

SPECTRUM = [0.25, 0.0, 0.125, 0.0625, 0.25, 0.125, 0.0625]  # weights of the thresholds 1..7


def mean_over_subsets(row, k, credit):
    credits = [F(credit(s)) for s in combinations(row, k)]
    return sum(credits) / len(credits)


def subsets():
    """Check binary metrics against the mean credit of all subsets of k trials."""
    for N in range(1, 8):
        for c in range(N + 1):
            row, R = [1] * c + [0] * (N - c), {"counts": [[N - c, c]]}
            for k in range(1, N + 1):
                def got(name, *rest):
                    return getattr(metrics, name)(R, k, *rest)["value"]

                def mean_credit(credit, j=k):
                    return mean_over_subsets(row, j, credit)
                P, U = mean_credit(any), mean_credit(all)
                m = (k + 1) // 2
                mg = mean_credit(lambda s: F(2, k) * sum(sum(s) >= i for i in range(m + 1, k + 1)))
                curve = [mean_credit(any, j) for j in range(1, k + 1)]
                auc = P if k == 1 else sum((x + y) / 2 for x, y in zip(curve, curve[1:])) / (k - 1)
                w = SPECTRUM[:k]
                S = mean_credit(lambda s: sum((F(x) for x in w[:sum(s)]), F(0)))
                expected = [("pass_at_k", (), P), ("auc_at_k", (), auc), ("mg_pass_at_k", (), mg),
                         ("maj_at_k", (), mean_credit(lambda s: 2 * sum(s) > k)),
                         ("g_pass_at_k_tau", (0.0,), P), ("threshold_spectrum_at_k", (w,), S),
                         ("max_at_k", (), P), ("geom_at_k", (1.0, 1.0), P * U), ("geom_ds_at_k", (2.0, 1.0), P * P * U),
                         ("geo_spectrum_at_k", (1.0, w), P), ("geo_spectrum_at_k", (0.0, w), S)]
                expected += [(name, (), U) for name in ("pass_hat_k", "unanimous_at_k", "g_pass_at_k")]
                expected += [("g_pass_at_k_tau", (j / k,), mean_credit(lambda s: sum(s) >= j)) for j in range(1, k + 1)]
                for name, rest, exact in expected:
                    yield (name, rest, c, N, k), got(name, *rest) == exact
                star = approximate(got("geo_spectrum_star_at_k"))
                yield ("star", c, N, k), abs(star**2 - P * mg) < F(1, 10**40)
                yield ("geom", c, N, k), abs(approximate(got("geom_at_k")) ** 2 - P * U) < F(1, 10**40)


def subsets_max():
    """Check Max@k against the mean best score of all subsets of k trials."""
    w = [2.5, -1.0, 7.0]
    for N in range(1, 7):
        for a in range(N + 1):
            for b in range(N - a + 1):
                row = [w[0]] * a + [w[1]] * b + [w[2]] * (N - a - b)
                for k in range(1, N + 1):
                    got = metrics.max_at_k({"counts": [[a, b, N - a - b]]}, k, w)["value"]
                    yield (a, b, N, k), got == mean_over_subsets(row, k, max)


# ---------------------------------------------------------------- printed numbers

def printed():
    """Check results that public documents print."""
    for name, doc, args, text in examples.PRINTED:
        got = getattr(metrics, name)(**args)
        for field, x in zip(got, text.split()):
            yield (name, doc, field, x), equals_printed(got[field], x)


def golden():
    """Check the golden intervals of mean_ci."""
    for args, text in examples.GOLDEN:
        got = intervals.mean_ci(**args)
        for field, x in zip(("mu", "lo", "hi", "n_eff"), text.split()):
            if x != "-":
                yield ("mean_ci", field, x), equals_printed(got[field], x)


# ---------------------------------------------------------------- mean_ci, trial by trial

def n_eff_by_trials(rows, questions, pool, labels):
    """n_eff in floating point from single outcomes in [0, 1], with plain loops."""
    M = len(rows)
    x = [sum(r) / len(r) for r in rows]
    t = sum(x) / M
    factor = M / (M - 1) if M > 1 else 1
    v = [sum((u - m) ** 2 for u in r) / len(r) / (len(r) - 1) if len(r) > 1 else factor * (m - t) ** 2 for r, m in zip(rows, x)]
    single = all(len(r) == 1 for r in rows)
    largest = max(max(r) - min(r) for r in rows) or 1
    fixed = (sum(v) + (largest / min(map(len, rows))) ** 2) / M**2
    Q, sampled = 1 / M, (sum(factor * (m - t) ** 2 for m in x) + 1 / 12) / M**2
    if labels:
        shares = {g: labels.count(g) / M for g in labels}
        Q, means = sum(w * w for w in shares.values()), {g: sum(m for m, label in zip(x, labels) if label == g) / labels.count(g) for g in shares}
        sampled = sum(w * w / (1 - 2 * w + Q) * (means[g] - t) ** 2 for g, w in shares.items()) + Q * Q / 12 if len(shares) > 1 else 1 / 12
    f = 0 if single else 1 if questions == "fixed" else M / pool if pool else 0
    n0 = 1 / (f / min(map(len, rows)) / M + (1 - f) * Q)
    p = t * (1 - t)
    return max(n0, p / (f * fixed + (1 - f) * sampled)) if p > 1e-12 else n0


def mean_by_trials():
    """Check n_eff of mean_ci against single trials, on random outcomes."""
    rng = Random(401)
    for i in range(120):
        M, C = rng.randint(1, 7), rng.randint(1, 3)
        most = rng.choice((1, 2, 9))
        matrix = [[rng.randint(0, C) for _ in range(rng.randint(1, most))] for _ in range(M)]
        w = [j / C for j in range(C + 1)]
        questions, pool, labels = rng.choice((("fixed", None, None), ("sampled", None, None), ("sampled", M + rng.randint(0, 9), None),
                                              ("sampled", None, [rng.randint(0, 2) for _ in range(M)])))
        got = intervals.mean_ci({"matrix": matrix}, w, questions=questions, pool=pool, clusters=labels, missing="drop")
        expect = n_eff_by_trials([[w[x] for x in r] for r in matrix], questions, pool, labels)
        yield ("mean_ci", i, matrix, questions, pool, labels), abs(double(got["n_eff"]) - expect) < 1e-9 * expect


# ---------------------------------------------------------------- the files

def refusals():
    """Check that the oracle refuses the calls whose code is undefined, overflow or no_trials, with this code."""
    checked_codes = ("undefined", "overflow", "no_trials")
    for name, case in files.refused_calls():
        if case["error"]["code"] not in checked_codes:
            continue
        try:
            got = find(DEFINITIONS, name)(**resolve_arguments(name, case["args"]))
            for x in got.values():
                field_json(x)
            code = None
        except Refused as err:
            code = err.code
        yield (case["id"], code), code == case["error"]["code"]


def refused_rubric():
    """Check refusals of conditions, names and attempts by the oracle, which checks no types and ranges.

    Left out: `percentile`, whose arguments are numbers; special values and an unknown `missing`, which it does not check.
    The cases of code "empty" only check that the oracle does not report "missing": it meets another fault first, or computes.
    """
    checked_codes = {"format", "choice", "conflict", "duplicate", "category", "missing", "no_trials"}
    for name, case in files.refused_calls():
        error = case["error"]
        if not name.startswith("rubric.") or name == "rubric.percentile" or error["code"] not in checked_codes | {"empty"}:
            continue
        if "special" in str(case["args"]) or error["argument"] == "missing" and error["code"] == "choice":
            continue
        try:
            find(DEFINITIONS, name)(**case["args"])
            code = None
        except Refused as err:
            code = err.code
        except (TypeError, IndexError, KeyError, ValueError) as err:
            code = repr(err)
        yield (case["id"], case["comment"], code, error["code"]), code == error["code"] or (error["code"] == "empty" and code != "missing")


def parse(text):
    return F(text) if "/" in text else F(Decimal(text))


def number_pairs(x):
    """Yield all numbers of a field, as mappings with value and exact."""
    if isinstance(x, dict):
        yield x
    elif isinstance(x, list):
        for y in x:
            yield from number_pairs(y)


def file_contents():
    """Check values against their exact texts, numbers of cases, and that all declared errors have a case."""
    functions = json.loads((SPEC / "functions.json").read_text())["functions"]
    closed = {e["code"] for e in json.loads((SPEC / "errors.json").read_text())["errors"]}
    refused = {(name, c["error"]["code"]) for name, c in files.refused_calls()}
    yield "refused calls have exactly the declared errors", refused == {(f["name"], e) for f in functions for e in f["refuse"]}
    yield "errors.json is the closed list", closed == {e for f in functions for e in f["refuse"]}
    for f in functions:
        vectors = files.vectors(f['name'])
        yield (f["name"], "count"), vectors["count"] == len(vectors["cases"]) >= 40  # each function has at least so many
        for case in vectors["cases"]:
            for field, x in case["want"].items():
                for pair in number_pairs(x):
                    if pair["exact"] in ("nan", "inf"):
                        yield (case["id"], field), pair["value"] == pair["exact"]
                        continue
                    exact = parse(pair["exact"])
                    error = F(0) if "/" in pair["exact"] else exact / 10**39  # a text of 40 digits is rounded: it may lie on either side of a tie
                    yield (case["id"], field), pair["value"] in [x.numerator / x.denominator for x in (exact, exact - error, exact + error)]


def is_within_limits(p, x):
    """Whether a value is within the limits that functions.json states for a parameter."""
    if isinstance(x, list) and "each" in p:
        return all(is_within_limits(p["each"], y) for y in x)
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        return True
    return all(ok(x, p[word]) for word, ok in LIMITS.items() if word in p)


# the words of "where" of a metric and of "metrics" of a parameter in functions.json
USES = ("interval", "gate", "lower", "order", "beyond", "vote", "score")
LIMITS = {"min": lambda x, y: x >= y, "above": lambda x, y: x > y, "below": lambda x, y: x < y, "max": lambda x, y: x <= y}


def limits():
    """Check that arguments of vectors are within limits and choices, and that refused numbers are outside.

    Left out: refused numbers of parameters with a "limit" in words, such as "at most the smallest n_a".
    """
    table = files.from_json(json.loads((SPEC / "functions.json").read_text()))
    names = {use: [x for m in table["metrics"] if use in m["where"] for x in (m["name"], *m["aliases"])] for use in USES}
    params = {f["name"]: {p["name"]: p for p in f["params"]} for f in table["functions"]}
    for name, parameters in params.items():
        for case in files.vectors(name)["cases"]:
            for arg, x in case["args"].items():
                p, words = parameters[arg], [w for m in parameters[arg].get("metrics", ()) for w in names[m]] or parameters[arg].get("choices")
                yield (case["id"], arg), is_within_limits(p, x) and (words is None or (split_metric(x)[0] if arg == "metric" else x) in words)
    for name, case in files.refused_calls():
        arg = case["error"]["argument"]
        x = case["args"].get(arg)
        if case["error"]["code"] == "range" and arg in params[name] and isinstance(x, (int, float)):
            yield (case["id"], arg), not is_within_limits(params[name][arg], x) or "limit" in params[name][arg]


def main():
    run_group("subsets, binary metrics", subsets())
    run_group("subsets, best of k", subsets_max())
    run_group("quadrature, Beta", quadrature.beta_quadrature())
    run_group("quadrature, delta method", quadrature.delta_quadrature())
    run_group("quadrature, Dirichlet", quadrature.dirichlet_quadrature())
    run_group("quantiles", quadrature.quantiles())
    run_group("printed examples", printed())
    run_group("golden intervals", golden())
    run_group("mean_ci, trial by trial", mean_by_trials())
    for title, checks in crosscheck.GROUPS + crosscheck_intervals.GROUPS + crosscheck_beyond.GROUPS + crosscheck_converge.GROUPS + crosscheck_rubric.GROUPS + crosscheck_runs.GROUPS + crosscheck_ledger.GROUPS:
        run_group(title, checks())
    run_group("certificates, every change tried", certificates.crosscheck())
    run_group("bounds, every completion tried", bounding.crosscheck())
    run_group("refusals", refusals())
    run_group("refusals of conditions and attempts", refused_rubric())
    run_group("vector files", file_contents())
    run_group("limits and choices of functions.json", limits())
    print(f"{tally['passed']} passed, {tally['failed']} failed")
    raise SystemExit(tally["failed"] > 0)


if __name__ == "__main__":
    main()
