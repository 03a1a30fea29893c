"""Pass@k from fewer than k trials: coverage of the band's limits and of fitted models, on known success rates.

    python bench/extrapolate.py            a line for each cell, some minutes
    python bench/extrapolate.py --short    half a minute; fails where a measure is outside its bounds

Both fail where a plan of more trials misses its width by more than .05, or its limits cover in less than 90%.

"fixed" is the Pass@k of the simulated questions, "sampled" that of the distribution of their rates. "model" is the
chosen model, "plain" the beta-binomial model alone, even where it fits badly. "inflated" is the share of runs in which
the chosen model is zero-inflated, "misfit" the share in which the test of fit has p < .05.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

os.environ.setdefault("SCORIO_JIT", "1")  # thousands of calls: compile at the first one

import numpy as np

from scorio import Counts, InvalidInput, eval
from scorio.arithmetic.distributions import normal_z
from scorio.eval import extrapolation
from scorio.metrics.metric import read_metric

Array = np.ndarray
Rng = np.random.Generator
Z = normal_z(0.95)
AIRLINE = Path(__file__).parents[1] / "spec" / "examples" / "tau_bench_gpt4o_airline.csv"


def airline() -> Array:
    """Shares of successes in the 50 airline tasks of tau-bench, used as rates."""
    outcomes: dict[str, list[float]] = {}
    for row in csv.DictReader(AIRLINE.open()):
        outcomes.setdefault(row["question"], []).append(float(row["outcome"]))
    return np.array([np.mean(x) for x in outcomes.values()])


def beta(a: float, b: float, atom: float = 0.0) -> Callable[[Rng, object], Array]:
    """Sampler of rates from a beta distribution, with a share (atom) of rates 0."""
    return lambda r, size: r.beta(a, b, size) * (r.random(size) >= atom)


DISTRIBUTIONS: dict[str, Callable[[Rng, object], Array]] = {
    "Beta(.6, .5)": beta(0.6, 0.5), "Beta(.3, 1)": beta(0.3, 1), "Beta(1, 3)": beta(1, 3), "Beta(2, 5)": beta(2, 5),
    "10% at 0, Beta(1, 2)": beta(1, 2, 0.1), "30% at 0, Beta(.6, .5)": beta(0.6, 0.5, 0.3),
    "50% at 0, Beta(1, 3)": beta(1, 3, 0.5), "half at 0, half at .1": lambda r, s: 0.1 * (r.random(s) < 0.5),
    "logit-normal(-1, 2)": lambda r, s: 1 / (1 + np.exp(1 - 2 * r.standard_normal(s))),
    "Beta(1, 20) or Beta(8, 2)": lambda r, s: np.where(r.random(s) < 0.5, r.beta(1, 20, s), r.beta(8, 2, s)),
    "tau-bench, airline": lambda r, s: r.choice(airline(), s),
    "log-uniform from .001": lambda r, s: 0.001 ** r.random(s),
}  # fmt: skip
DESIGNS = ((30, 8, 64), (100, 4, 32), (100, 16, 160), (100, 16, 1024))  # the last for log-uniform rates only


def one_run(c: Array, n: int, k: int) -> tuple[float, ...]:
    """Limits of the band; value and limits of the chosen and the plain model; whether inflated; p-value of the fit."""
    counts = Counts.from_successes(c, np.full(c.size, n))
    band = eval.extrapolate(counts, "pass@k", k)
    try:
        r = eval.extrapolate_model(counts, "pass@k", k)
    except InvalidInput:  # all outcomes are equal
        return (band.low, band.high, *(np.nan,) * 8)
    m = read_metric("pass@k", k, None, None)
    plain = extrapolation.fitted_models(extrapolation.successes(counts, m, "raise"), Z)[0]
    fit = np.nan if r.fit is None else r.fit
    is_inflated = r.model[0] == "z"  # "zero-inflated ..."
    return (band.low, band.high, r.value, r.lo, r.hi, *extrapolation.limits_under(plain, m, Z), is_inflated, fit)


def cell(name: str, M: int, n: int, k: int, B: int, seed: int) -> dict[str, float]:
    """Coverage, mean errors and widths, and shares of inflated models and of misfits, over B simulated benchmarks."""
    rng, sample_rates = np.random.default_rng(seed), DISTRIBUTIONS[name]
    truth = 1 - np.mean((1 - sample_rates(rng, 2_000_000)) ** k)
    p = sample_rates(rng, (B, M))
    x = np.array([one_run(c, n, k) for c in rng.binomial(n, p)])
    fixed, fits = 1 - np.mean((1 - p) ** k, axis=1), x[:, 9]
    return {
        "Pass@k": truth,
        "band, fixed": coverage(x[:, 0], fixed, x[:, 1]), "band, sampled": coverage(x[:, 0], truth, x[:, 1]),
        "band, width": float(np.mean(x[:, 1] - x[:, 0])),
        "model, sampled": coverage(x[:, 3], truth, x[:, 4]), "model, fixed": coverage(x[:, 3], fixed, x[:, 4]),
        "model, error": float(np.nanmean(x[:, 2])) - truth, "model, width": float(np.nanmean(x[:, 4] - x[:, 3])),
        "plain, sampled": coverage(x[:, 6], truth, x[:, 7]), "plain, error": float(np.nanmean(x[:, 5])) - truth,
        "inflated": float(np.nanmean(x[:, 8])),
        "misfit": float(np.mean(fits[np.isfinite(fits)] < 0.05)) if np.isfinite(fits).any() else np.nan,
    }  # fmt: skip


def coverage(low: Array, truth: Array | float, high: Array) -> float:
    """Share of intervals that cover the truth; missing intervals are left out."""
    present = np.isfinite(low)
    return float(np.mean(((low <= truth + 1e-12) & (truth - 1e-12 <= high))[present]))


KINDS = (  # (questions, success rate, trials of each) of every kind, and k: the worst cells of earlier searches
    (((5, 0.985, 64), (11, 0.0443, 64)), 256),
    (((2, 0.282, 8), (4, 0.998, 8)), 16),
    (((115, 0.8353, 64), (3, 0.4508, 16), (14, 0.158, 16)), 64),
    (((18, 0.00027, 16), (2, 0.0153, 3)), 4),
    (((190, 0.0178, 4), (14, 0.9984, 4)), 256),
)
Kinds = tuple[tuple[int, float, int], ...]


def random_kinds(rng: Rng) -> tuple[Kinds, int]:
    """Two to four kinds of questions, each with a rate and a number of trials, and k above the fewest trials."""
    while True:
        kinds = []
        for _ in range(rng.integers(2, 5)):
            u, share = rng.random(), rng.random()
            rate = 10 ** rng.uniform(-4, -0.3) if u < 0.6 else share if u < 0.8 else 1 - 10 ** rng.uniform(-3, -0.5)
            kinds.append(
                (int(np.exp(rng.uniform(0, 6))) + 1, float(rate), int(rng.choice([1, 2, 3, 4, 8, 16, 32, 64])))
            )
        k = int(rng.choice([2, 4, 16, 64, 256, 1024]))
        if k > min(n for _, _, n in kinds):
            return tuple(kinds), k


def misses(kinds: Kinds, k: int, B: int, seed: int) -> Array:
    """Shares of runs with Pass@k of these questions outside the limits, outside by > .001, outside the band alone."""
    rng = np.random.default_rng(seed)
    rates, n = (np.repeat([x[j] for x in kinds], [x[0] for x in kinds]) for j in (1, 2))
    truth, rows = float(np.mean(1 - (1 - rates) ** k)), []
    for _ in range(B):
        r = eval.extrapolate(Counts.from_successes(rng.binomial(n, rates), n), "pass@k", k)
        rows.append([max(r.low - truth, truth - r.high), max(r.lower - truth, truth - r.upper)])
    limits, band = np.array(rows).T
    return np.array([np.mean(limits > 1e-9), np.mean(limits > 0.001), np.mean(band > 1e-9)])


def search(cells: int, seed: int) -> list[tuple[Kinds, int]]:
    """Random cells that miss most in 150 runs: five of any size, and five (by > .001) of 100 questions or more."""
    rng, measured = np.random.default_rng(seed), []
    for j in range(cells):
        kinds, k = random_kinds(rng)
        measured.append((misses(kinds, k, 150, seed + j), kinds, k))
    large = [x for x in measured if sum(m for m, _, _ in x[1]) >= 100]
    worst = sorted(measured, key=lambda x: -x[0][0])[:5] + sorted(large, key=lambda x: -x[0][1])[:5]
    return [(kinds, k) for _, kinds, k in worst]


def print_misses(short: bool) -> list[str]:
    """Print the misses in the known cells, and, if not short, in the worst of a search; return those out of bounds."""
    wrong = []
    for kinds, k in [*KINDS, *([] if short else search(10_000, 11))]:
        outside, by_more, band = misses(kinds, k, 500 if short else 4000, 5)
        print(f"{kinds}, k {k}: outside {outside:.1%}, by > .001 {by_more:.1%}; band alone {band:.1%}", flush=True)
        if short and (outside > 0.17 or band < 0.2):  # 4,000 runs: at most .134
            wrong.append(f"{kinds}, k {k}: outside in {outside:.1%}, the band alone in {band:.1%}")
    return wrong


def follow_plan(B: int, seed: int, width: float = 0.35) -> dict[str, float]:
    """Means over benchmarks that need more trials for this width.

    They are: width before, planned trials, questions that get them, width after, coverage after.
    """
    rng, rows = np.random.default_rng(seed), []
    M, n, k, sample_rates = 100, 8, 64, DISTRIBUTIONS["Beta(.3, 1)"]
    for _ in range(B):
        p = sample_rates(rng, M)
        c, trials = rng.binomial(n, p), np.full(M, n)
        counts = Counts.from_successes(c, trials)
        before, plan = eval.extrapolate(counts, "pass@k", k), eval.extrapolate_model(counts, "pass@k", k, width=width)
        if not plan.trials_needed:
            continue
        few = c <= 2
        c[few] += rng.binomial(plan.trials_needed, p[few])
        trials[few] += plan.trials_needed
        r = eval.extrapolate(Counts.from_successes(c, trials), "pass@k", k)
        truth = 1 - np.mean((1 - p) ** k)
        rows.append((before.high - before.low, plan.trials_needed, few.sum(), r.high - r.low, r.low <= truth <= r.high))
    return dict(zip(("width before", "trials", "questions", "width after", "covers"), np.mean(rows, 0), strict=True))


BOUNDS = {  # lowest and highest value with --short, by (distribution, index of the design, column)
    ("Beta(.6, .5)", 0, "band, fixed"): (0.96, 1.0), ("Beta(.6, .5)", 0, "band, sampled"): (0.96, 1.0),
    ("Beta(.6, .5)", 2, "model, sampled"): (0.88, 0.99), ("Beta(.6, .5)", 2, "model, error"): (-0.02, 0.02),
    ("Beta(.6, .5)", 2, "inflated"): (0.0, 0.1), ("Beta(.6, .5)", 2, "misfit"): (0.0, 0.14),
    ("30% at 0, Beta(.6, .5)", 2, "band, sampled"): (0.96, 1.0),
    ("30% at 0, Beta(.6, .5)", 2, "model, sampled"): (0.9, 1.0),
    ("30% at 0, Beta(.6, .5)", 2, "plain, error"): (0.07, 0.14),
    ("30% at 0, Beta(.6, .5)", 2, "plain, sampled"): (0.3, 0.7),
    ("half at 0, half at .1", 2, "plain, error"): (0.25, 0.38),
    ("half at 0, half at .1", 2, "model, sampled"): (0.9, 1.0),
    ("Beta(1, 20) or Beta(8, 2)", 2, "model, sampled"): (0.0, 0.5),  # neither model fits this distribution
    ("Beta(1, 20) or Beta(8, 2)", 2, "band, sampled"): (0.96, 1.0),
    ("log-uniform from .001", 3, "model, sampled"): (0.0, 0.1),
    ("log-uniform from .001", 3, "band, sampled"): (0.96, 1.0),
}  # fmt: skip


def main() -> None:
    """Print a line for each cell; exit with an error where a measure is outside its bounds (most only with --short)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start = parser.parse_args().short, perf_counter()
    last = len(DESIGNS) - 1
    all_cells = [(name, i) for name in DISTRIBUTIONS for i in range(last)] + [("log-uniform from .001", last)]
    selected = sorted({key[:2] for key in BOUNDS}) if short else all_cells
    wrong = []
    for name, i in selected:
        measures = cell(name, *DESIGNS[i], 200 if short else 300, 7 + i)
        M, n, k = DESIGNS[i]
        print(f"{name}, {M} x {n} to {k}: " + ", ".join(f"{key} {x:.3f}" for key, x in measures.items()), flush=True)
        for key, x in measures.items():
            low, high = BOUNDS.get((name, i, key), (-1.0, np.inf)) if short else (-1.0, np.inf)
            if x < low or x > high or (np.isnan(x) and (name, i, key) in BOUNDS):
                wrong.append(f"{name}, {key}: {x:.4f} is outside {low} to {high}")
    more = follow_plan(60 if short else 300, 3)
    print("more trials for a width of .35: " + ", ".join(f"{key} {x:.3f}" for key, x in more.items()))
    if not 0.3 <= more["width after"] <= 0.4 or more["covers"] < 0.9:
        wrong.append(f"the width after more trials is {more['width after']:.3f}, covers {more['covers']:.2f}")
    wrong += print_misses(short)
    print(f"{perf_counter() - start:.0f} s")
    if wrong:
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
