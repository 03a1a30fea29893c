"""Error rates and power of decisions between models, on simulated benchmarks whose truth is known.

    python bench/decisions.py            the tables, a quarter of an hour
    python bench/decisions.py --short    half a minute, fewer cells and runs

Both fail where a rate or a coverage of the present rules is out of its bounds, or where the earlier rules are out of
fewer than seven bounds (the bounds would then be too wide).

The rules are those of pair_rules.py, for many runs at a time: "now" those of the package, "before" the normal
distribution on these questions, t without signs on similar ones, and clusters ignored. In the first table error rates
are divided by their nominal values.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from pair_rules import (
    Differences,
    Runs,
    bell_mccaffrey,
    binary_runs,
    fixed_differences,
    graded_runs,
    holm,
    max_at_k_runs,
    sampled_differences,
    satterthwaite,
    upper_tail,
)
from scipy.special import ndtri, stdtrit

from scorio.inference.planning import QuestionVariance, questions_to_detect
from scorio.sinf.sample_size import required_z

Array = np.ndarray
Rng = np.random.Generator
LEVELS = (0.05, 0.01, 0.001, 0.05 / 435)  # the last one is the strictest of Holm's levels for 30 models, 435 pairs


# --- pairs of equal models --------------------------------------------------------------------------


def rates(rng: Rng, name: str, M: int) -> Array:
    """Success rates of M questions."""
    if name == "spikes":
        return np.where(rng.random(M) < 0.6, rng.random(M) < 0.4, rng.beta(5, 5, M)) * 1.0
    if name == "mostly never":
        return np.where(rng.random(M) < 0.8, 0.0, rng.beta(1, 1, M))
    a, b = {"Beta(.3, .3)": (0.3, 0.3), "Beta(2, 6)": (2, 6), "Beta(20, 5)": (20, 5)}[name]
    return rng.beta(a, b, M)


RATES = ("Beta(.3, .3)", "Beta(2, 6)", "Beta(20, 5)", "spikes", "mostly never")
Cell = Callable[[Rng, int], dict[str, Differences]]  # (rng, runs): the differences by the rules "before" and "now"


def same_mean(name: str, M: int, n: int, k: int = 1, unequal_trials: bool = False) -> Cell:
    """Two models with the same metric on one question set, with permuted rates; unequal_trials: n varies."""
    setup = np.random.default_rng([M, n, k])
    p = rates(setup, name, M)
    q = setup.permutation(p)
    trials = [n + (i % 4) * n // 2 for i in range(M)] if unequal_trials else [n] * M

    def cell(rng: Rng, B: int) -> dict[str, Differences]:
        a, b = (binary_runs(rng.binomial(trials, x, (B, M)), trials, k) for x in (p, q))
        return {"before": fixed_differences(a, b, earlier=True), "now": fixed_differences(a, b)}

    return cell


def skewed(share: float, M: int, n: int) -> Cell:
    """Two models with the same mean: one has the same rate on every question, the other rates of 0 and 1."""
    p = (np.arange(M) < max(1, round(share * M))) * 1.0

    def cell(rng: Rng, B: int) -> dict[str, Differences]:
        a, b = (binary_runs(rng.binomial(n, x, (B, M)), [n] * M) for x in (np.full(M, p.mean()), p))
        return {"before": fixed_differences(a, b, earlier=True), "now": fixed_differences(a, b)}

    return cell


def scored(kind: str, M: int, n: int, k: int = 2) -> Cell:
    """Two models with scores 0, 1/2, 1, under the mean or Max@k: permuted rates of categories."""
    setup = np.random.default_rng([M, n, 7])
    p = setup.dirichlet([0.4, 0.3, 0.3], M)
    q = setup.permutation(p)

    def cell(rng: Rng, B: int) -> dict[str, Differences]:
        x = [rng.multinomial(n, rows, (B, M)) for rows in (p, q)]
        a, b = (graded_runs(y, (0, 0.5, 1)) if kind == "mean" else max_at_k_runs(y, (0, 0.5, 1), k) for y in x)
        return {"before": fixed_differences(a, b, earlier=True), "now": fixed_differences(a, b)}

    return cell


def equal_in_population(kind: str, M: int, n: int, k: int = 1) -> Cell:
    """Two models whose metric has the same mean over the population of questions."""

    def cell(rng: Rng, B: int) -> dict[str, Differences]:
        if kind == "skewed":
            x = np.where(rng.random((B, M)) < 0.1, 1.0, 0.0)
            y = np.full((B, M), 0.1)
        else:
            x, y = (rates(rng, kind, B * M).reshape(B, M) for _ in "xy")
        a, b = (binary_runs(rng.binomial(n, p), [n] * M, k) for p in (x, y))
        now = sampled_differences(a.u - b.u)
        return {"before": now._replace(flips=0.0), "now": now}

    return cell


def cluster_runs(rng: Rng, m: Array, B: int, n: int = 4) -> Runs:
    """Runs in which the rate of a question is mostly that of its cluster."""
    p = np.repeat(rng.beta(1, 1, (B, m.size)), m, axis=1) * 0.8 + 0.2 * rng.random((B, int(m.sum())))
    return binary_runs(rng.binomial(n, p), [n] * int(m.sum()))


def clusters(sizes: Sequence[int]) -> Cell:
    """Two equal models on clusters of questions, with rates that are mostly those of the cluster."""
    m = np.asarray(sizes)

    def cell(rng: Rng, B: int) -> dict[str, Differences]:
        d = cluster_runs(rng, m, B).u - cluster_runs(rng, m, B).u
        return {"before": sampled_differences(d)._replace(flips=0.0), "now": sampled_differences(d, sizes)}

    return cell


SIZES = {
    "5 equal": (8,) * 5, "20 equal": (4,) * 20, "3:1, 10": (9, 3) * 5, "12:1, 12": (12, 1) * 6,
    "one is half, 12": (24, *(2,) * 11), "2, one question alone": (9, 1),
}  # fmt: skip


def table_cells(short: bool) -> dict[str, list[Cell]]:
    """Cells of each row of the table."""
    trials, names = ((2, 8), RATES[::2]) if short else ((2, 4, 8, 16, 64), RATES)
    rows: dict[str, list[Cell]] = {}
    for M in (10, 30) if short else (10, 30, 100):
        rows[f"mean, fixed, M = {M}"] = [same_mean(x, M, n) for x in names for n in trials]
    sizes = (10, 40) if short else (10, 30, 100)
    rows["mean, fixed, skewed"] = [skewed(q, M, n) for q in (0.1, 0.5) for M in sizes for n in trials]
    rows["mean, fixed, unequal trials"] = [
        same_mean(x, M, n, unequal_trials=True) for x in names for M in sizes for n in trials
    ]
    rows["pass@k, fixed, 2k <= n"] = [
        same_mean(x, M, n, k) for x in names for M in sizes for n in trials if n > 2 for k in (2, n // 2)
    ]
    rows["mean of scores, fixed"] = [scored("mean", M, n) for M in sizes for n in trials]
    rows["max@k, fixed"] = [scored("max", M, n) for M in sizes for n in trials if n > 2]
    rows["mean, sampled"] = [equal_in_population(x, M, n) for x in names for M in sizes for n in trials]
    rows["mean, sampled, skewed"] = [equal_in_population("skewed", M, n) for M in (40, 100) for n in trials]
    rows["pass@k, sampled"] = [equal_in_population(x, M, n, 2) for x in names for M in sizes for n in trials if n > 2]
    rows["clusters, sampled"] = [clusters(x) for x in SIZES.values()]
    return rows


def error_rates(cells: Sequence[Cell], B: int, seed: int) -> dict[str, Array]:
    """Error rates over their nominal values, (cells, levels), for the earlier and the present rules."""
    out: dict[str, list[Array]] = {"before": [], "now": []}
    for i, cell in enumerate(cells):
        rng, wrong, done = np.random.default_rng([seed, i]), {x: np.zeros(len(LEVELS)) for x in out}, 0
        while done < B:
            for rule, differences in cell(rng, size := min(B - done, 20_000)).items():
                wrong[rule] += (differences.p()[:, None] <= np.array(LEVELS)).sum(0)
            done += size
        for rule, x in wrong.items():
            out[rule].append(x / B / np.array(LEVELS))
    return {rule: np.array(x) for rule, x in out.items()}


# --- many models, planning, suites ------------------------------------------------------------------


def all_pairs(rng: Rng, p: Array, n: int, B: int, earlier: bool = False) -> Any:
    """p-values (B, pairs) of models with rates p (L, M) on one question set, and the signs of the differences."""
    L, M = p.shape
    runs = [binary_runs(rng.binomial(n, row, (B, M)), [n] * M) for row in p]
    pairs = [fixed_differences(runs[i], runs[j], earlier) for i in range(L) for j in range(i + 1, L)]
    return np.column_stack([x.p() for x in pairs]), np.column_stack([np.sign(x.D) for x in pairs])


def any_pair_error(L: int, M: int, B: int, seed: int) -> dict[str, float]:
    """Share of runs in which any of L equal models are called different: unadjusted, Holm (normal), Holm (t)."""
    rng = np.random.default_rng(seed)
    p = np.tile(rates(rng, "Beta(2, 6)", M), (L, 1))
    old, new = (all_pairs(np.random.default_rng(seed), p, 8, B, earlier)[0] for earlier in (True, False))
    return {
        "before": float((old.min(1) <= 0.1).mean()),  # one-sided at 5%, the earlier rule of ranges
        "Holm, normal distribution": float((holm(old).min(1) <= 0.05).mean()),
        "now": float((holm(new).min(1) <= 0.05).mean()),
    }


def chain_power(L: int, step: float, B: int, seed: int) -> dict[str, float]:
    """Share of significant pairs among L models a step apart each, and of runs with a pair in the wrong direction."""
    rng, M = np.random.default_rng(seed), 40
    base = 0.2 + 0.4 * rng.random(M)
    p = np.array([np.clip(base + step * (L - i), 0, 1) for i in range(L)])
    P, sign = all_pairs(rng, p, 16, B)
    decided = holm(P) <= 0.05
    bonferroni = P.shape[1] * P <= 0.05
    return {
        "Holm": float(decided.mean()),
        "Bonferroni": float(bonferroni.mean()),
        "runs with a pair in the wrong direction": float((decided & (sign < 0)).any(1).mean()),
    }


def best_among_winners(L: int, gap: float, B: int, seed: int) -> float:
    """Share of runs in which the best of L models is in the set of possible winners; gap: best rate minus worst."""
    rng, M, n = np.random.default_rng(seed), 30, 8
    p = np.clip(rates(rng, "Beta(2, 6)", M) + np.linspace(gap, 0, L)[:, None], 0, 1)
    runs = [binary_runs(rng.binomial(n, row, (B, M)), [n] * M) for row in p]
    out = np.zeros(B, bool)
    for other in runs[1:]:
        difference = fixed_differences(other, runs[0])
        out |= (difference.D > 0) & (upper_tail(difference.D / difference.error, difference.freedom) < 0.05 / (L - 1))
    return float(1 - out.mean())


def planned_power(power: float, B: int, seed: int) -> dict[str, float]:
    """Power at the number of trials, or of questions, that is planned from the true variances; "before": z = 1.645."""
    rng, M, step = np.random.default_rng(seed), 40, 0.06
    p = np.clip(rates(rng, "Beta(2, 6)", M) * 0.8 + 0.05, 0, 1)
    q = p + step
    A = float((p * (1 - p) + q * (1 - q)).sum())
    out = {}
    for rule, z in (("now", ndtri(0.975) + ndtri(power)), ("before", 1.645)):
        N = next(x for x in range(2, 10_000) if step**2 >= z * z * (A / x + 1 / x**2) / M**2)
        a, b = (binary_runs(rng.binomial(N, x, (B, M)), [N] * M) for x in (p, q))
        out[f"trials, {rule}"] = float((fixed_differences(a, b, rule == "before").p() <= 0.05).mean())
    variance = QuestionVariance(Fraction(population_variance(4, step)))
    Q = questions_to_detect(Fraction(step), required_z(power, None, 0.95), 0.95, variance)
    a, b = population_pair(rng, B, Q, 4, step)
    return out | {"questions, now": float((sampled_differences(a.u - b.u).p() <= 0.05).mean())}


def population_pair(rng: Rng, B: int, Q: int, n: int, step: float) -> tuple[Runs, Runs]:
    """Two models whose rates differ by a step on average, on new questions in every run."""
    p = rng.beta(2, 3, (B, Q)) * 0.8
    q = p + step + 0.1 * (rng.random((B, Q)) - 0.5)
    return tuple(binary_runs(rng.binomial(n, np.clip(x, 0, 1)), [n] * Q) for x in (q, p))  # type: ignore[return-value]


@cache
def population_variance(n: int, step: float) -> float:
    """Variance of a question's difference in the population of population_pair."""
    a, b = population_pair(np.random.default_rng(1), 1, 400_000, n, step)
    return float((a.u - b.u).var())


def suite_errors(B: int, seed: int) -> dict[str, float]:
    """Error rates over three benchmarks of equal models: the mean; at least one benchmark, by Holm and unadjusted."""
    rng, weights = np.random.default_rng(seed), (0.5, 0.3, 0.2)
    parts = [same_mean(x, M, n)(rng, B)["now"] for x, M, n in zip(RATES, (10, 30, 60), (8, 4, 16), strict=False)]
    p = np.column_stack([x.p() for x in parts])
    return {
        "macro": float((satterthwaite(parts, weights).p() <= 0.05).mean()),
        "some benchmark, Holm": float((holm(p).min(1) <= 0.05).mean()),
        "some benchmark, each by itself": float((p.min(1) <= 0.05).mean()),
    }


def gates_over_suites(B: int, seed: int, loss: float) -> dict[str, float]:
    """Shares of gates over three benchmarks that pass or fail, by rule; the candidate is worse by loss * margin.

    The gates take the standard errors of compare; the lower bounds that the package's gates put on them are not copied.
    """
    rng, margin, weights, M, n = np.random.default_rng(seed), 0.1, (0.5, 0.3, 0.2), (20, 30, 60), 8
    parts = []
    for m in M:
        p = 0.15 + 0.8 * rng.random(m)
        new, base = (binary_runs(rng.binomial(n, x, (B, m)), [n] * m) for x in (p - loss * margin, p))
        parts.append(fixed_differences(new, base))
    mean = satterthwaite(parts, weights)
    worse, better = (
        np.column_stack([upper_tail(s * (x.D + margin) / x.error, x.freedom) for x in parts]) for s in (1, -1)
    )
    fails = holm(better).min(1) <= 0.025
    t = (mean.D + margin) / mean.error
    mean_rule_fails = (upper_tail(-t, mean.freedom) <= 0.025) | fails
    return {
        "mean passes": float(((upper_tail(t, mean.freedom) <= 0.025) & ~mean_rule_fails).mean()),
        "mean fails": float(mean_rule_fails.mean()),
        "each passes": float((worse <= 0.025).all(1).mean()),
        "each fails": float(fails.mean()),
    }


def macro_coverage(B: int, seed: int) -> float:
    """Coverage of the interval of a macro-average, on fixed questions."""
    rng, weights, z = np.random.default_rng(seed), (0.5, 0.3, 0.2), ndtri(0.975)
    truth, theta, V, unit = 0.0, 0.0, 0.0, 0.0
    for w, name, M, n in zip(weights, RATES, (10, 30, 60), (8, 4, 16), strict=False):
        p = np.clip(rates(rng, name, M), 0, 1)
        x = binary_runs(rng.binomial(n, p, (B, M)), [n] * M)
        truth, theta = truth + w * p.mean(), theta + w * x.u.mean(1)
        V, unit = V + w * w * (x.v.sum(1) + x.s) / M**2, unit + w * w / (M * n)
    q = z * z / np.maximum(1 / unit, theta * (1 - theta) / V)
    half = np.sqrt(q * theta * (1 - theta) + q * q / 4)
    return float((np.abs(theta + q / 2 - truth * (1 + q)) <= half).mean())


def cluster_coverage(sizes: Sequence[int], B: int, seed: int) -> dict[str, float]:
    """Coverage of the population's mean by the interval of one model, by the earlier rule for clusters and by CR2."""
    rng, m, n, z = np.random.default_rng(seed), np.asarray(sizes), 4, ndtri(0.975)
    M, G, w = int(m.sum()), m.size, m / m.sum()
    p = np.repeat(rng.beta(2, 3, (B, G)), m, axis=1)
    x = binary_runs(rng.binomial(n, p), [n] * M)
    theta = x.u.mean(1)
    means = np.add.reduceat(x.u, np.append(0, np.cumsum(m)[:-1]), axis=1) / m - theta[:, None]
    Q = float(w @ w)
    V = {"before": (((means * m * G / M) ** 2).sum(1) * G / (G - 1) + 1 / 12) / G**2}
    V["now"] = (w**2 / (1 - 2 * w + Q) * means**2).sum(1) + Q**2 / 12
    out = {}
    for rule, n0, reach in (("before", G, z), ("now", 1 / Q, stdtrit(bell_mccaffrey(w), 0.975))):
        q = reach**2 / np.maximum(n0, theta * (1 - theta) / V[rule])
        half = np.sqrt(q * theta * (1 - theta) + q * q / 4)
        out[rule] = float((np.abs(theta + q / 2 - 0.4 * (1 + q)) <= half).mean())  # .4: the mean of Beta(2, 3)
    return out


# --- the tables -------------------------------------------------------------------------------------


def percent_line(title: str, values: dict[str, float]) -> str:
    """Line of a title and percentages."""
    return f"{title:54}" + "   ".join(f"{name} {100 * x:.1f}%" for name, x in values.items())


def rows_of_pairs(short: bool) -> Iterator[tuple[str, dict[str, Array]]]:
    """Yield the error rates of pairs of models, row by row."""
    for i, (name, cells) in enumerate(table_cells(short).items()):
        yield name, error_rates(cells, 20_000 if short else 100_000, i)


def other_decisions(short: bool) -> dict[str, dict[str, float]]:
    """Error rates, power and coverage of the other decisions, as shares."""
    B = 2_000 if short else 10_000
    results = {
        f"some pair of {L} equal models, M = {M}": any_pair_error(L, M, B, L)
        for L, M in ((9, 40), (30, 30))[: 1 if short else 2]
    }
    results["some pair of 3 equal models, M = 10"] = any_pair_error(3, 10, B, 3)
    for L, step in ((9, 0.04), (30, 0.012))[: 1 if short else 2]:
        results[f"chain of {L}: pairs decided"] = chain_power(L, step, B, L)
    results["best in the set of winners"] = {
        f"L = {L}, gap {g}": best_among_winners(L, g, B, 5) for L in (3, 10) for g in (0.0, 0.1)
    }
    for power in (0.8, 0.9)[: 1 if short else 2]:
        results[f"requested power {power:.0%}"] = planned_power(power, B, 11)
    results["suites"] = suite_errors(B * 5, 13)
    results["suites, macro-average"] = {"covered": macro_coverage(B * 5, 19)}
    for loss, text in ((1.0, "a loss of the margin"), (0.0, "no loss")):
        results[f"gate over 3 benchmarks, {text}"] = gates_over_suites(B * 5, 23, loss)
    for name, sizes in SIZES.items():
        results[f"interval with clusters covers, {name}"] = cluster_coverage(sizes, B, 17)
    return results


# bounds of a row of pairs, as multiples of the nominal error: mean and largest error at 5%, largest error at 1%
BOUNDS = (1.0, 1.2, 1.7)
SKEWED = (1.5, 2.0, 7.5)  # sampled questions, a tenth of which one model solves and the other solves as often: measured


def failures(pairs: dict[str, dict[str, Array]], others: dict[str, dict[str, float]], rule: str = "now") -> list[str]:
    """Error rates, power and coverage of a rule that are out of their bounds.

    pairs: results of rows_of_pairs(); others: those of other_decisions().
    """
    out = []
    for name, by_rule in pairs.items():
        x = by_rule[rule]
        measured = x[:, 0].mean(), x[:, 0].max(), x[:, 1].max()
        if any(y > bound for y, bound in zip(measured, SKEWED if "sampled, skewed" in name else BOUNDS, strict=True)):
            out.append(f"{name}: {x[:, 0].mean():.2f}, {x[:, 0].max():.2f}; {x[:, 1].max():.2f} times nominal")
    # bounds of the values of a rule, by the first words of the line that has them
    limits: dict[str, tuple[float, float]] = {
        "some pair": (0.0, 0.06), "interval with clusters": (0.93, 1.0), "requested power 80%": (0.76, 0.88),
    }  # fmt: skip
    for name, values in others.items():
        for start, (low, high) in limits.items():
            selected = {k: x for k, x in values.items() if k.endswith(rule)} if name.startswith(start) else {}
            out += [f"{name}, {k}: {x:.3f}" for k, x in selected.items() if not low <= x <= high]
    if rule == "now":
        coverage = min(others["best in the set of winners"].values())
        suite = max(others["suites"][x] for x in ("macro", "some benchmark, Holm"))
        gate = others["gate over 3 benchmarks, a loss of the margin"]
        covered = others["suites, macro-average"]["covered"]
        most = {"mean passes": 0.028, "mean fails": 0.055, "each passes": 0.028, "each fails": 0.03}
        out += [f"gate over benchmarks, {x}: {gate[x]:.3f}" for x, bound in most.items() if gate[x] > bound]
        out += [f"the macro-average is covered in {covered:.3f}"] * (not 0.945 <= covered <= 0.985)
        out += [f"the best is a winner in {coverage:.3f}"] * (coverage < 0.945) + [f"suites: {suite:.3f}"] * (
            suite > 0.056
        )
    return out


def main() -> None:
    """Print the tables; exit with an error where a rate is out of its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start = parser.parse_args().short, perf_counter()
    print(f"{'error / nominal: min mean max':34}" + "".join(f"{f'at {x:.2g}':>22}" for x in LEVELS))
    pairs = {}
    for name, by_rule in rows_of_pairs(short):
        pairs[name] = by_rule
        for rule, x in by_rule.items():
            cells = "".join(f"{f'{y.min():.2f} {y.mean():.2f} {y.max():.2f}':>22}" for y in x.T)
            print(f"{name if rule == 'before' else '':28}{rule:6}{cells}", flush=True)
    others = other_decisions(short)
    print(*(percent_line(name, values) for name, values in others.items()), sep="\n")
    wrong, old = failures(pairs, others), failures(pairs, others, "before")
    print(f"{perf_counter() - start:.0f} s; the earlier rules are out of {len(old)} bounds")
    if wrong or len(old) < 7:
        sys.exit("out of bounds: " + "; ".join(wrong or ["too few of the earlier rules: the bounds are too wide"]))


if __name__ == "__main__":
    main()
