"""How often intervals of fixed questions miss the true value where few of the questions vary.

    python bench/few_varying.py             a search, and Markdown tables by the variance of the number of successes
    python bench/few_varying.py --short     known cells; fails where an error of the rule in use is above the bound,
                                            or where no error of the earlier rule is
    python bench/few_varying.py --seconds N processor time of the search; --seed N

Some or all of 10 to 400 questions have one rate between 0 and 1, the others always fail or always succeed; the rate
is sampled so that the number of successes has a variance from .3 to 30, or the largest that it can have. The earlier
rule took the normal quantile everywhere: its Wilson interval follows from `mu` and `n_eff`, which both rules share.
"""

from __future__ import annotations

import argparse
import sys
from statistics import NormalDist, median
from time import process_time
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from scorio import Counts, eval

BOUND = 0.085  # coverage of 91.5%
METRICS: tuple[tuple[str, int | None], ...] = (
    *[("mean", None)] * 3,  # so that more of the random cells have it
    *((name, k) for name in ("pass@k", "pass^k", "maj@k") for k in (2, 3, 4, 5, 6, 8)),
)
BANDS = (0.5, 0.7, 1, 2, 4, 8)  # the variance of the number of successes at the ends of the rows of the tables
Z = NormalDist().inv_cdf(0.975)


class Cell(NamedTuple):
    """A cell: numbers of questions that vary (at one rate), always fail or always succeed; trials of each; metric."""

    varying: int
    rate: float
    failing: int
    solved: int
    n: int
    metric: str
    k: int | None

    @property
    def variance(self) -> float:
        """The variance of the number of successes."""
        return self.varying * self.n * self.rate * (1 - self.rate)

    @property
    def kind(self) -> str:
        """The class of the cell in the tables."""
        return "mean" if self.k is None else "2k <= N" if 2 * self.k <= self.n else "N < 2k"

    def __str__(self) -> str:
        name = self.metric.replace("k", str(self.k))
        return f"{name}, {self.n} trials: {self.varying} at {self.rate:.4g}, {self.failing} at 0, {self.solved} at 1"


KNOWN = (
    Cell(5, 0.1, 0, 5, 4, "mean", None),
    Cell(5, 0.1, 0, 95, 4, "mean", None),
    Cell(2, 0.9, 28, 0, 8, "pass^k", 4),
    Cell(2, 0.9, 28, 0, 8, "pass^k", 5),
    Cell(9, 0.2, 1, 0, 2, "mean", None),
    Cell(1, 0.5, 0, 9, 4, "pass@k", 2),
    Cell(20, 0.9937, 0, 0, 8, "mean", None),
    Cell(200, 0.00031, 200, 0, 16, "pass@k", 8),
)


def metric_of(at: Cell, p: float) -> float:
    """The metric of a question with success rate p."""
    if at.k is None:
        return p
    if at.metric == "maj@k":
        return float(binom.sf(at.k // 2, at.k, p))
    return 1 - (1 - p) ** at.k if at.metric == "pass@k" else p**at.k


def wilson(mu: float, n: float) -> tuple[float, float]:
    """Wilson's interval of n trials with the normal quantile."""
    q = Z * Z / n
    middle, reach = mu + q / 2, np.sqrt(q * mu * (1 - mu) + q * q / 4)
    return (middle - reach) / (1 + q), (middle + reach) / (1 + q)


class Result(NamedTuple):
    """Shares of samples in which the interval missed, now and by the earlier rule; median of their width ratio."""

    now: float
    earlier: float
    width: float


def simulate(at: Cell, runs: int, seed: int) -> Result:
    """Errors and relative width of a cell in simulated samples."""
    rng, M = np.random.default_rng([seed, at.n]), at.varying + at.failing + at.solved
    truth = (at.varying * metric_of(at, at.rate) + at.solved) / M
    constant = np.repeat([0, at.n], [at.failing, at.solved])
    samples = np.sort(rng.binomial(at.n, at.rate, (runs, at.varying)), axis=1)
    now, earlier, widths = 0, 0, []
    for c, many in zip(*np.unique(samples, axis=0, return_counts=True), strict=True):
        counts = Counts.from_successes(np.concatenate([c, constant]), np.full(M, at.n))
        r = eval.interval(counts, at.metric, at.k, questions="fixed")
        lo, hi = wilson(r.mu, r.n_eff)
        now += many * (not r.lo - 1e-12 <= truth <= r.hi + 1e-12)
        earlier += many * (not lo - 1e-12 <= truth <= hi + 1e-12)
        widths += [(r.hi - r.lo) / (hi - lo)] * many
    return Result(now / runs, earlier / runs, median(widths))


def random_cell(rng: np.random.Generator) -> Cell:
    """A random cell with enough trials for its metric."""
    M, n = int(rng.choice((10, 30, 100, 400))), int(rng.choice((2, 3, 4, 6, 8, 12, 16, 24, 64)))
    varying = int(rng.choice((rng.integers(1, 11), rng.integers(1, M + 1), M)))
    share = np.exp(rng.uniform(np.log(0.3), np.log(30))) / (varying * n)  # p (1 - p) of the rate
    rate = (1 - np.sqrt(1 - 4 * min(share, 0.25))) / 2
    rate = float(f"{rate if rng.random() < 0.5 else 1 - rate:.4g}")
    solved = int(rng.choice((0, M - varying, rng.integers(0, M - varying + 1))))
    metric, k = METRICS[rng.integers(len(METRICS))]
    x = Cell(varying, rate, M - varying - solved, solved, n, metric, k)
    return x if (k or 1) <= n else random_cell(rng)


def search(seconds: float, seed: int, runs: int = 500) -> list[tuple[Cell, Result]]:
    """Random cells with their results."""
    rng, start = np.random.default_rng(seed), process_time()
    seen: list[tuple[Cell, Result]] = []
    while process_time() - start < seconds:
        at = random_cell(rng)
        seen.append((at, simulate(at, runs, len(seen))))
    return seen


def percent(x: float, runs: int) -> str:
    """Text of a share in percent and its Monte Carlo standard error."""
    return f"{100 * x:.1f} ± {100 * np.sqrt(x * (1 - x) / runs):.1f}"


def tables(seen: list[tuple[Cell, Result]], seed: int, runs: int = 10000) -> None:
    """Print, by class and variance, the error of each rule in its worst cell, simulated anew, and the median width.

    The cell that is shown is that of the rule in use.
    """
    print("| metric | variance | cells | worst error in % | earlier | width | worst cell |")
    print("|---|---|---|---|---|---|---|")
    for kind in ("mean", "2k <= N", "N < 2k"):
        for low, high in zip((0, *BANDS), (*BANDS, np.inf), strict=True):
            cells = [x for x in seen if x[0].kind == kind and low <= x[0].variance < high]
            if not cells:
                continue
            at, before = (max(cells, key=lambda x: x[1][i])[0] for i in (0, 1))
            now = percent(simulate(at, runs, seed).now, runs)
            earlier, width = 100 * simulate(before, runs, seed).earlier, median(x.width for _, x in cells)
            band = f"{low:g} to {high:g}" if high < np.inf else f"{low:g} and more"
            print(f"| {kind} | {band} | {len(cells)} | {now} | {earlier:.1f} | {width:.2f} | {at} |", flush=True)


def main() -> None:
    """Print the tables; with --short exit with an error where the rule in use errs too often."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="the known cells; fails above the bound")
    parser.add_argument("--seconds", type=float, default=200, help="processor time of the search")
    parser.add_argument("--seed", type=int, default=1, help="seed of the search")
    args = parser.parse_args()
    if not args.short:
        tables(search(args.seconds, args.seed), args.seed + 1000)
        return
    runs = 1000
    print("| cell | error in % | earlier rule |\n|---|---|---|")
    results = [simulate(at, runs, 1) for at in KNOWN]
    for at, x in zip(KNOWN, results, strict=True):
        print(f"| {at} | {percent(x.now, runs)} | {100 * x.earlier:.1f} |")
    margin = 3 * np.sqrt(BOUND * (1 - BOUND) / runs)
    if max(x.now for x in results) > BOUND + margin:
        sys.exit(f"intervals miss the true value in more than {BOUND:.1%} of samples")
    if max(x.earlier for x in results) < BOUND + margin:
        sys.exit("the earlier rule is not above the bound: these cells show nothing")


if __name__ == "__main__":
    main()
