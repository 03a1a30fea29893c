"""How often equal models are called different by metrics of k trials with fewer than 2k trials per question.

    python bench/few_trials.py             a search for the worst cells, a Markdown table
    python bench/few_trials.py --short     the known worst cells; fails where an error of the rule in use is above
                                           the bound, and where none of the earlier rule is
    python bench/few_trials.py --seconds N processor time of the search; --seed N

The questions are fixed, and the variance is that of a mixture of rates (spec/families/intervals.md). A NumPy copy of
`sinf.compare` serves six thousand cells in two minutes; --short also checks that its standard errors are the package's.
The earlier rule started EM in proportion to the variance, with more weight at the rates 0 and 1, without a question
more.
"""

from __future__ import annotations

import argparse
import sys
from math import isqrt
from time import process_time
from typing import NamedTuple

import numpy as np
from scipy.stats import beta, binom, t

from scorio import Counts, eval, sinf

Array = np.ndarray
BOUND = 0.1  # the error of the worst known cell, the last
METRICS = ("pass_at_k", "pass_at_k", "pass_hat_k", "maj_at_k")
RATES = (0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1)
SIZES = (0.3, 1, 3, 10)  # a + b of beta distributions


class Rule(NamedTuple):
    """First weights of the mixture, a power of the variance plus shares of the sum; the steps of EM."""

    power: int
    at_ends: float
    inside: float
    steps: int
    more: int  # 1 if a question is added to the data, whose likelihood at a rate is the variance there


NOW, BEFORE = Rule(6, 2**-20, 2**-20, 40, 1), Rule(6, 2**-16, 2**-18, 40, 0)
EARLIER = Rule(1, 2**-8, 2**-20, 64, 0)


class Cell(NamedTuple):
    """Two equal models: success rates of the questions of each, trials per question, and the metric."""

    rates: Array
    others: Array
    n: int
    k: int
    metric: str = "pass_at_k"

    def __str__(self) -> str:
        values, sizes = np.unique(np.round(self.rates, 3), return_counts=True)
        many = "; ".join(f"{m} at {p:g}" for p, m in zip(values, sizes, strict=True))
        if len(values) > 5:
            many = f"{self.rates.size} from {values[0]:g} to {values[-1]:g}, mean {self.rates.mean():.3f}"
        same = "same rates" if np.array_equal(self.rates, self.others) else "other rates"
        return f"{self.metric}, k {self.k} of {self.n}: {many}; {same}"


def cell(kinds: dict[float, int], n: int, k: int, metric: str = "pass_at_k") -> Cell:
    """A cell of two models with the same rates: the number of questions at each rate."""
    rates = np.repeat(list(kinds), list(kinds.values()))
    return Cell(rates, rates, n, k, metric)


KNOWN = (
    cell({0.05: 14, 0.95: 386}, 4, 4),
    cell({0.1: 62, 0.9: 338}, 3, 3),
    cell({0.9: 62, 0.1: 338}, 3, 3, "pass_hat_k"),
    cell({0.1: 10, 0.8: 390}, 5, 5),
    cell({0.03: 80, 1: 20}, 8, 8),
    cell({0.1: 20, 0.9: 180}, 6, 6),
    cell({0.1357: 10, 0.91265: 743}, 4, 4),
    cell({0.219: 22, 0.9388: 908}, 4, 4),
    cell({0.1939: 9, 0.9235: 351}, 4, 4),
    cell({0.217: 11, 0.947: 1500}, 4, 4),
    cell({0.398: 155, 0.928: 5000}, 4, 4),
    cell({0.289: 102, 0.888: 4649}, 4, 4),
)


# --- a copy of the rule -------------------------------------------------------------------------------


def credits(metric: str, n: int, k: int) -> Array:
    """The metric of a question with 0..n successes of n trials."""
    rows = (np.arange(n) < c for c in range(n + 1))
    return np.array([getattr(eval, metric)(row[None].astype(int), k) for row in rows])


class Mixture:
    """The rates of the grid, and the variance of the metric at each, for n trials."""

    def __init__(self, metric: str, n: int, k: int, rule: Rule) -> None:
        J = 7 + isqrt(9 * n - 1)
        j = np.arange(J + 1)
        self.U, self.rule = credits(metric, n, k), rule
        self.likelihood = binom.pmf(np.arange(n + 1)[:, None], n, j**2 / (j**2 + (J - j) ** 2))
        self.variance = ((self.U[:, None] - self.U @ self.likelihood) ** 2 * self.likelihood).sum(0)
        w = self.variance**rule.power
        total = w.sum()
        w[1:-1] += rule.inside * total
        w[[0, -1]] += rule.at_ends * total
        if n == 2:
            w[-1 if 2 * self.U[1] > self.U[2] else 0] = 4 * total
        self.start, self.stabiliser = w, np.diff(self.U).max() * k / (n + k - 1)

    def variances(self, counts: Array) -> Array:
        """The variance of a question of each state, for many matrices: counts of states, one row a matrix."""
        w = np.tile(self.start, (len(counts), 1))
        for _ in range(self.rule.steps):
            more = self.rule.more * self.variance / (w @ self.variance)[:, None]
            w *= (counts / (w @ self.likelihood.T)) @ self.likelihood + more
        return (w * self.variance) @ self.likelihood.T / (w @ self.likelihood.T)


def sampled_sums(rng: np.random.Generator, x: Mixture, rates: Array, n: int, runs: int) -> tuple[Array, Array, Array]:
    """Of samples of the outcomes: the sum of the metric, of its variances, and of their squares."""
    c = rng.binomial(n, rates, (runs, rates.size))
    counts = (c[:, :, None] == np.arange(n + 1)).sum(1).astype(float)
    v = x.variances(counts)
    return counts @ x.U, (counts * v).sum(1), (counts * v * v).sum(1)


def type_i_error(at: Cell, rule: Rule, runs: int, seed: int) -> float:
    """The share of samples in which the two models differ significantly at 5%."""
    rng, x = np.random.default_rng([seed, at.n, at.k]), Mixture(at.metric, at.n, at.k, rule)
    (a, v, e), (b, w, f) = (sampled_sums(rng, x, rates, at.n, runs) for rates in (at.rates, at.others))
    V = v + w + x.stabiliser
    df = np.maximum(2 * V**2 / (e + f + x.stabiliser**2), 2)
    return float((np.abs(a - b) > t.ppf(0.975, df) * np.sqrt(V)).mean())


def check_copy(at: Cell, samples: int = 5) -> None:
    """Fail where a standard error of the copy is not the package's."""
    rng, x = np.random.default_rng(1), Mixture(at.metric, at.n, at.k, NOW)
    for _ in range(samples):
        c = rng.binomial(at.n, (at.rates, at.others))
        v = sum((m * x.variances(m[None])[0]).sum() for m in (np.bincount(y, minlength=at.n + 1) * 1.0 for y in c))
        A, B = (Counts.from_successes(y, np.full(y.size, at.n)) for y in c)
        ours = sinf.compare(A, B, at.metric, at.k, questions="fixed").sigma
        copied = np.sqrt(v + x.stabiliser) / at.rates.size
        if abs(copied / ours - 1) > 1e-9:
            sys.exit(f"{at}: the standard error of the copy is {copied}, that of the package {ours}")


# --- a search -----------------------------------------------------------------------------------------


def random_rates(rng: np.random.Generator, M: int) -> Array:
    """Rates of M questions of one to three kinds, each at one rate or at the quantiles of a beta distribution."""
    many = rng.multinomial(M, rng.dirichlet(np.ones(rng.integers(1, 4))))
    parts = []
    for m in many:
        p = float(rng.choice(RATES))
        size = float(rng.choice(SIZES))
        spread = beta.ppf((np.arange(m) + 0.5) / m, p * size, (1 - p) * size) if m and 0 < p < 1 else None
        parts.append(spread if spread is not None and rng.random() < 0.3 else np.full(m, p))
    return np.clip(np.concatenate(parts), 0, 1)


def random_cell(rng: np.random.Generator) -> Cell:
    """A random cell: the other model has the same rates, those of other questions, or one rate (Pass@k)."""
    n = int(rng.choice((2, 3, 4, 5, 6, 7, 8, 10, 12, 16)))
    k, metric = int(rng.integers(n // 2 + 1, n + 1)), str(rng.choice(METRICS))
    rates = random_rates(rng, int(rng.choice((10, 20, 30, 50, 100, 200, 400))))
    others = rng.permutation(rates)
    if metric == "pass_at_k" and rng.random() < 0.3:
        others = np.full(rates.size, 1 - ((1 - rates) ** k).mean() ** (1 / k))
    return Cell(rates, others, n, k, metric)


def worst(seconds: float, seed: int, runs: int = 600, many: int = 10) -> tuple[int, list[Cell]]:
    """The number of random cells that were simulated, and those with the largest errors."""
    rng, start = np.random.default_rng(seed), process_time()
    seen: list[tuple[float, int, Cell]] = []
    while process_time() - start < seconds:
        at = random_cell(rng)
        seen.append((type_i_error(at, NOW, runs, len(seen)), len(seen), at))
    return len(seen), [at for _, _, at in sorted(seen, key=lambda x: -x[0])[:many]]


def climb(seconds: float, seed: int, runs: int = 800, many: int = 4) -> tuple[int, list[Cell]]:
    """The number of cells of hard among easy questions that were simulated, and the worst: steps from known ones."""
    rng, start = np.random.default_rng(seed), process_time()
    starts = [x for x in KNOWN if x.metric == "pass_at_k"]
    seen: list[tuple[float, int, Cell]] = []
    while len(seen) < len(starts) or process_time() - start < seconds:
        at = starts[len(seen)] if len(seen) < len(starts) else neighbour(rng, sorted(seen)[-5:][rng.integers(5)][2])
        seen.append((type_i_error(at, NOW, runs, len(seen)), len(seen), at))
    return len(seen), [at for _, _, at in sorted(seen)[: -many - 1 : -1]]


def neighbour(rng: np.random.Generator, at: Cell) -> Cell:
    """A cell with other numbers of hard and easy questions, other rates, or one more or fewer trial; Pass@k, k = n."""
    rates, sizes = np.unique(at.rates, return_counts=True)
    p, q, hard, easy = rates[0], rates[-1], sizes[0], sizes[-1]
    p, q = np.clip((p * np.exp(rng.normal(0, 0.3)), 1 - (1 - q) * np.exp(rng.normal(0, 0.3))), 0.005, 0.999)
    hard, easy = np.clip(np.round((hard, easy) * np.exp(rng.normal(0, 0.3, 2))), 1, 5000).astype(int)
    n = int(np.clip(at.n + rng.integers(-1, 2), 2, 16))
    return cell({float(p): int(hard), float(q): int(easy)} if p < q else {float(p): int(hard)}, n, n)


def table(cells: list[Cell], runs: int, seed: int) -> list[tuple[float, float]]:
    """Print the errors of each cell by the rule in use, without the added question, and by the earlier rule."""
    print("| cell | error in % | before | earlier |\n|---|---|---|---|")
    errors = []
    for at in cells:
        now, before, earlier = (type_i_error(at, rule, runs, seed) for rule in (NOW, BEFORE, EARLIER))
        errors.append((now, earlier))
        error = 100 * np.sqrt(now * (1 - now) / runs)
        print(f"| {at} | {100 * now:.1f} ± {error:.1f} | {100 * before:.1f} | {100 * earlier:.1f} |", flush=True)
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="the known worst cells; fails above the bound")
    parser.add_argument("--seconds", type=float, default=120, help="processor time of the search")
    parser.add_argument("--seed", type=int, default=1, help="of the search")
    args = parser.parse_args()
    if not args.short:
        cells, found = worst(args.seconds, args.seed)
        print(f"The worst of {cells} random cells, simulated anew:\n")
        table(found, 6000, args.seed + 1000)
        cells, found = climb(args.seconds / 2, args.seed)
        print(f"\nThe worst of {cells} cells on climbs from the known ones, simulated anew:\n")
        table(found, 6000, args.seed + 1000)
        return
    for at in KNOWN:
        check_copy(at)
    runs = 2000
    errors = table(list(KNOWN), runs, 1)
    margin = 3 * np.sqrt(BOUND * (1 - BOUND) / runs)
    if max(now for now, _ in errors) > BOUND + margin:
        sys.exit(f"equal models differ in more than {BOUND:.1%} of samples")
    if max(earlier for _, earlier in errors) < BOUND + margin:
        sys.exit("the earlier rule is not above the bound: these cells show nothing")


if __name__ == "__main__":
    main()
