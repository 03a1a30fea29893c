"""How often a 95% interval covers the true value, on simulated benchmarks.

    python bench/coverage.py                    the tables and bench/coverage.png, some minutes
    python bench/coverage.py --short            under a minute
    python bench/coverage.py --few              only the cells of fixed questions with N < 2k
    python bench/coverage.py --counts FILE      questions with the rates c/n of a CSV of c,n with n >= 100

All except --few fail where the mean coverage of intervals whose variance is measured is out of bounds.

A benchmark is a distribution of success rates; the true value is the metric of the rates themselves: of the M questions
at hand ("fixed") or of the distribution ("sampled"). "width" is relative to the interval of an oracle that knows the
standard deviation of the estimate.
"""

from __future__ import annotations

if __name__ != "__main__":  # Numba imports a package of this name, if there is one, also for the scripts beside this
    raise ImportError("bench/coverage.py is a script")

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom

from scorio import Counts, eval, sinf

Rates = np.ndarray
Distribution = Callable[[np.random.Generator, int], Rates]
Z = 1.959963984540054
MEAN_COVERAGE = (0.935, 0.97)  # required mean coverage of 95% intervals over the cells of N >= 2, 2k <= N


def mixture(*parts: tuple[float, Distribution]) -> Distribution:
    """Mixture of distributions with these weights."""

    def distribution(rng: np.random.Generator, M: int) -> Rates:
        which = rng.choice(len(parts), M, p=[weight for weight, _ in parts])
        return np.choose(which, [part(rng, M) for _, part in parts])

    return distribution


def beta(a: float, b: float) -> Distribution:
    """Distribution Beta(a, b)."""
    return lambda rng, M: rng.beta(a, b, M)


def constant(p: float) -> Distribution:
    """Distribution with one rate for all questions."""
    return lambda rng, M: np.full(M, p)


DISTRIBUTIONS: dict[str, Distribution] = {
    "Beta(1, 1)": beta(1, 1),
    "Beta(0.4, 0.6)": beta(0.4, 0.6),
    "Beta(2, 6)": beta(2, 6),
    "Beta(20, 5)": beta(20, 5),
    "spikes: 40% at 0, 20% at 1": mixture((0.4, constant(0.0)), (0.2, constant(1.0)), (0.4, beta(1, 1))),
    "two humps": mixture((0.5, beta(2, 18)), (0.5, beta(12, 3))),
}


def rates_of_file(path: str) -> Distribution:
    """Distribution that samples from the rates in a file, with replacement."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = [(int(row["c"]), int(row["n"])) for row in csv.DictReader(f)]
    if not rows or min(n for _, n in rows) < 100:
        sys.exit(f"{path}: needs columns c,n with n >= 100, so that c/n can stand for the rates")
    p = np.array([c / n for c, n in rows])
    return lambda rng, M: rng.choice(p, M)


class Metric(NamedTuple):
    """A metric: its credits (values of j successes in k trials, j = 0..k), and its interval with a uniform prior."""

    name: str
    credits: Callable[[int], np.ndarray]
    uniform: Callable[[Counts, int], Any]


METRICS = (
    Metric("mean", lambda k: np.array([0.0, 1.0]), lambda x, k: eval.bayes_ci(x)),
    Metric("pass_at_k", lambda k: (np.arange(k + 1) >= 1) * 1.0, eval.pass_at_k_ci),
    Metric("pass_hat_k", lambda k: (np.arange(k + 1) == k) * 1.0, eval.pass_hat_k_ci),
    Metric("maj_at_k", lambda k: (np.arange(k + 1) > k // 2) * 1.0, eval.maj_at_k_ci),
    Metric("mg_pass_at_k", lambda k: 2 * np.maximum(np.arange(k + 1) - (k + 1) // 2, 0) / k, eval.mg_pass_at_k_ci),
    Metric("auc_at_k", lambda k: auc_credits(k), eval.auc_at_k_ci),
)


def auc_credits(k: int) -> np.ndarray:
    """Credits of AUC@k: trapezoids under Pass@1..k of a block with j successes of k."""
    j, i = np.arange(k + 1)[:, None], np.arange(1, k + 1)[None, :]
    miss = np.cumprod(np.maximum(k - j - i + 1, 0) / (k - i + 1), axis=1)
    return np.trapezoid(1 - miss, axis=1) / (k - 1)


def expected_metric(metric: Metric, k: int, p: Rates) -> np.ndarray:
    """Expected metric of a question at each rate."""
    return binom.pmf(np.arange(k + 1)[None, :], k, p[:, None]) @ metric.credits(k)


@cache
def binned(distribution: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """Rates and shares that approximate a distribution: a million samples in 4,000 bins."""
    p = distribution(np.random.default_rng(1), 1_000_000)
    at = np.minimum((p * 4000).astype(np.int64), 3999)
    many = np.bincount(at, minlength=4000)
    return np.bincount(at, p, minlength=4000)[many > 0] / many[many > 0], many[many > 0] / p.size


def population_value(metric: Metric, k: int, distribution: Distribution) -> float:
    """Expected metric over a distribution."""
    p, share = binned(distribution)
    return float(expected_metric(metric, k, p) @ share)


@cache
def second_model(distribution: Distribution) -> Distribution:
    """Distribution of the second model's rates: those of the first model, shrunk, shifted and with noise."""
    return lambda rng, M: second_rates(rng, distribution(rng, M))


def second_rates(rng: np.random.Generator, p: Rates) -> Rates:
    """Rates of the second model on the questions of the first."""
    return np.clip(0.8 * p + 0.06 + 0.1 * rng.standard_normal(p.size), 0, 1)


class Cell(NamedTuple):
    """Coverage and relative width of each interval, for one benchmark, M, N, metric, k and target."""

    distribution: str
    M: int
    N: int
    metric: str
    k: int
    target: str
    coverage: dict[str, float]
    width: dict[str, float]


def simulated_counts(rng: np.random.Generator, p: Rates, N: int) -> Counts:
    """Counts of one simulated run."""
    return Counts.from_successes(rng.binomial(N, p), np.full(p.size, N))


def one_model(
    distribution: Distribution, M: int, N: int, metric: Metric, k: int, target: str, B: int, seed: int
) -> Any:
    """Coverage and relative width of each interval for one model."""
    rng = np.random.default_rng(seed)
    p, options = distribution(rng, M), {} if metric.name == "mean" else {"k": k}
    true = (
        float(expected_metric(metric, k, p).mean()) if target == "fixed" else population_value(metric, k, distribution)
    )
    intervals: dict[str, list[tuple[float, float, float]]] = {"ours": [], "uniform prior": []}
    if metric.name == "mean":
        intervals["avg_ci"] = []
    for _ in range(B):
        x = simulated_counts(rng, p if target == "fixed" else distribution(rng, M), N)
        r = eval.interval(x, metric.name, **options, questions=target)
        intervals["ours"].append((r.mu, r.lo, r.hi))
        intervals["uniform prior"].append(metric.uniform(x, k)[1:])
        if "avg_ci" in intervals:
            intervals["avg_ci"].append(eval.avg_ci(x)[1:])
    oracle = 2 * Z * float(np.std([mu for mu, _, _ in intervals["ours"]]))
    coverage, width = {}, {}
    for name, rows in intervals.items():
        _, lo, hi = np.array(rows).T
        coverage[name] = float(np.mean((lo <= true + 1e-12) & (true - 1e-12 <= hi)))
        width[name] = float(np.mean(hi - lo)) / oracle if oracle > 0 else float("nan")
    return coverage, width


def two_models(
    distribution: Distribution, M: int, N: int, metric: Metric, k: int, target: str, B: int, seed: int
) -> Any:
    """Coverage and relative width of compare() for two models: the second has second_rates()."""
    rng = np.random.default_rng(seed)
    options = {} if metric.name == "mean" else {"k": k}
    a = distribution(rng, M)
    b = second_rates(rng, a)
    if target == "fixed":
        true = float(expected_metric(metric, k, a).mean() - expected_metric(metric, k, b).mean())
    else:
        true = population_value(metric, k, distribution) - population_value(metric, k, second_model(distribution))
    rows = []
    for _ in range(B):
        if target == "sampled":
            a = distribution(rng, M)
            b = second_rates(rng, a)
        x, y = simulated_counts(rng, a, N), simulated_counts(rng, b, N)
        r = sinf.compare(x, y, metric.name, **options, questions=target)
        rows.append((r.mu, r.lo, r.hi))
    mu, lo, hi = np.array(rows).T
    oracle = 2 * Z * float(np.std(mu))
    coverage = float(np.mean((lo <= true + 1e-12) & (true - 1e-12 <= hi)))
    return {"ours": coverage}, {"ours": float(np.mean(hi - lo)) / oracle if oracle > 0 else float("nan")}


def grid(short: bool) -> Iterator[tuple[int, int, Metric, int]]:
    """Yield the grid of the study: (M, N, metric, k)."""
    for M in (30,) if short else (30, 100, 400):
        for N in (2, 8) if short else (1, 2, 4, 8, 16, 64):
            yield M, N, METRICS[0], 1
            for metric in METRICS[1:]:
                ks = {N // 2} if short else {2, N // 2, N}
                for k in sorted(x for x in ks if 2 <= x <= N):
                    yield M, N, metric, k


def cells(distributions: dict[str, Distribution], short: bool, B: int, few: bool) -> Iterator[Cell]:
    """Yield all cells of the study, or only those of fixed questions with N < 2k."""
    seed = 0
    for name, distribution in distributions.items():
        for M, N, metric, k in grid(short):
            for target in ("fixed", "sampled"):
                seed += 1
                if few and (target == "sampled" or 2 * k <= N):
                    continue
                yield Cell(
                    name, M, N, metric.name, k, target, *one_model(distribution, M, N, metric, k, target, B, seed)
                )
                if metric.name in ("mean", "pass_at_k", "pass_hat_k"):
                    # -seed & 0xFFFF: a seed that no cell of one model has
                    measures = two_models(distribution, M, N, metric, k, target, B, -seed & 0xFFFF)
                    yield Cell(name, M, N, metric.name, k, f"pairs, {target}", *measures)


def trials_group(cell: Cell) -> str:
    """Label of a cell's table row, by N and k; grid() has no k between N/2 and N."""
    if cell.metric == "mean":
        return "N = 1" if cell.N == 1 else "N >= 2"
    return "2k <= N" if 2 * cell.k <= cell.N else "k = N"


def table(results: list[Cell], B: int) -> list[str]:
    """Rows of the table: min / mean / max coverage in %, and the median relative width."""
    error = 100 * (0.95 * 0.05 / B) ** 0.5
    lines = [f"Coverage of 95% intervals, min / mean / max over cells in % (Monte Carlo error of a cell {error:.1f});"]
    lines.append("median width over the oracle's. Cells: distributions of rates x M x N x k.\n")
    lines += [
        "| metric | target | trials | cells | ours | width | uniform prior | width | avg_ci | width |",
        "|---" * 10 + "|",
    ]
    keys = dict.fromkeys((c.metric, c.target, trials_group(c)) for c in results)
    for key in keys:
        rows = [c for c in results if (c.metric, c.target, trials_group(c)) == key]
        shown = []
        for name in ("ours", "uniform prior", "avg_ci"):
            coverage = np.array([100 * c.coverage[name] for c in rows if name in c.coverage])
            width = np.array([c.width[name] for c in rows if name in c.width])
            shown += (
                [f"{coverage.min():.1f} / {coverage.mean():.1f} / {coverage.max():.1f}", f"{np.nanmedian(width):.2f}"]
                if coverage.size
                else ["", ""]
            )
        lines.append("| " + " | ".join([*key, str(len(rows)), *shown]) + " |")
    return lines


def lowest_coverage(results: list[Cell]) -> list[str]:
    """Lines of the eight cells with the lowest coverage."""
    order = sorted((c for c in results if c.N > 1), key=lambda c: c.coverage["ours"])
    text = "{0.metric}, k = {0.k}, {0.target}, {0.distribution}, M = {0.M}, N = {0.N}: {1:.1f}%"
    return ["", "Lowest coverage, N > 1:"] + ["  " + text.format(c, 100 * c.coverage["ours"]) for c in order[:8]]


def documented_width(distribution: Distribution, B: int) -> list[str]:
    """Line for bench/README.md: the width of fixed intervals with two trials a question over that with one."""
    rng = np.random.default_rng(99)
    p, width = distribution(rng, 100), {}
    for N in (1, 2):
        runs = [eval.interval(simulated_counts(rng, p, N), questions="fixed") for _ in range(B)]
        width[N] = float(np.mean([r.hi - r.lo for r in runs]))
    return [f"\nA second trial a question makes the fixed interval {width[2] / width[1]:.2f} x as wide (M = 100)."]


def picture(results: list[Cell], path: Path) -> None:
    """Draw coverage against N of the three intervals for the mean of fixed questions: mean and range over cells."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    cells = [c for c in results if c.metric == "mean" and c.target == "fixed"]
    N = sorted({c.N for c in cells})
    styles = {"ours": ("#0072B2", "o", 'interval(questions="fixed")'), "avg_ci": ("#E69F00", "s", "avg_ci")}
    styles["uniform prior"] = ("#CC79A7", "^", "bayes_ci")
    for name, (colour, marker, label) in styles.items():
        coverage = [np.array([100 * c.coverage[name] for c in cells if n == c.N]) for n in N]
        ax.plot(N, [h.mean() for h in coverage], color=colour, marker=marker, label=label)
        ax.fill_between(N, [h.min() for h in coverage], [h.max() for h in coverage], color=colour, alpha=0.15)
    ax.axhline(95, color="#666666", linestyle="--", linewidth=1)
    ax.set(xscale="log", xlabel="N, trials a question", ylabel="covers the true value, % of runs", ylim=(0, 101))
    ax.set_xticks(N, [str(n) for n in N])
    ax.minorticks_off()
    ax.legend(frameon=False, loc="lower left")
    ax.set_title("95% intervals for the average of these questions: mean and range over benchmarks", fontsize=10)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--counts", metavar="FILE", action="append", default=[])
    parser.add_argument("--few", action="store_true", help="only fixed questions, N < 2k: variances are modelled")
    parser.add_argument("--runs", type=int, help="runs of each cell (default 300)")
    args = parser.parse_args()
    start, B = perf_counter(), args.runs or 300
    distributions = {Path(f).name: rates_of_file(f) for f in args.counts} or DISTRIBUTIONS
    results = list(cells(distributions, args.short, B, args.few))
    example = distributions.get("two humps", next(iter(distributions.values())))
    print("\n".join(table(results, B) + lowest_coverage(results) + documented_width(example, B)))
    print(f"[{len(results)} cells, {perf_counter() - start:.0f} s]")
    if args.few:
        return
    if not args.short and not args.counts:
        picture(results, Path(__file__).with_name("coverage.png"))
    selected = [c for c in results if c.N >= 2 and 2 * c.k <= c.N]
    mean = float(np.mean([c.coverage["ours"] for c in selected]))
    if not MEAN_COVERAGE[0] <= mean <= MEAN_COVERAGE[1]:
        sys.exit(f"the intervals cover the true value in {100 * mean:.1f}% of runs, not in 93.5 to 97")


if __name__ == "__main__":
    main()
