"""Plurality@k and best-of-k: how often their 95% intervals cover, on simulated answers whose true values are known.

    python bench/answers.py            the tables, five minutes
    python bench/answers.py --short    a minute, fewer cells and runs

Both fail where the coverage of a cell is below its bound.

A question has a right answer, whose rate has a beta distribution, and six wrong ones, whose rates share the rest by a
Dirichlet distribution with concentration 0.3 (a common mistake) or 3 (various mistakes). The package computes value
and variance of a question, once for each state (numbers of votes, or outcomes by score) that occurs; the intervals are
computed here independently, for many runs at a time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import cache
from itertools import product
from math import factorial, sqrt
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from scorio.arithmetic.double_double import value as double
from scorio.inference import choice
from scorio.metrics.metric import Metric
from scorio.outcomes.answers import Levels, Votes

Array = np.ndarray
Rng = np.random.Generator
Z = float(ndtri(0.975))
WRONG = 6
RATES = {"Beta(.6,.5)": (0.6, 0.5), "Beta(2,3)": (2, 3), "Beta(5,2)": (5, 2), "Beta(20,20)": (20, 20)}
SIZES = ((16, 3), (16, 8), (12, 8), (8, 5), (8, 8), (12, 12))  # n, k
# the lowest coverage that a cell may have
BOUNDS = {"fixed": 0.92, "sampled": 0.90, "difference": 0.92, "best-of-k, fixed": 0.93}


# --- questions ---------------------------------------------------------------------------------------


def questions(rng: Rng, M: int, rates: tuple[float, float], concentration: float) -> Array:
    """Rates of the answers of M questions, the right one first."""
    right = rng.beta(*rates, M)
    wrong = rng.dirichlet([concentration] * WRONG, M) * (1 - right)[:, None]
    return np.column_stack([right, wrong])


def plurality_probability(p: Array, k: int) -> float:
    """Probability that the right answer wins k new votes, ties split evenly."""
    won = 0.0
    for m in range(1, k + 1):  # m: votes of the right answer
        # keys: the votes of the wrong answers so far, and how many of these answers have m votes
        terms = {(0, 0): 1.0}
        for q in p[1:]:
            new: dict[tuple[int, int], float] = {}
            for (j, T), x in terms.items():
                for v in range(min(m, k - m - j) + 1):
                    at = j + v, T + (v == m)
                    new[at] = new.get(at, 0.0) + x * q**v / factorial(v)
            terms = new
        ways = sum(x / (1 + T) for (j, T), x in terms.items() if j == k - m)
        won += p[0] ** m / factorial(m) * ways
    return won * factorial(k)


@cache
def state_values(metric: str, state: Any, k: int) -> tuple[float, float, float]:
    """Value u of a question, the variance v of its estimate over trials, and its Maj@k."""
    m = Metric(metric, k, 1, [0.0, 1.0])
    u, v = float(choice.value(m, state)), double(choice.trials_variance(m, state))
    right, wrong = state.c, state.n - state.c
    two = Votes((right,) if right else (), (wrong,) if wrong else (), 0)
    return u, v, float(choice.value(m._replace(name="strict_plurality_at_k"), two))


def votes(counts: Array) -> Votes:
    """Votes of a question, from the counts of its answers, the right one first."""
    right, wrong = int(counts[0]), sorted((int(x) for x in counts[1:] if x), reverse=True)
    return Votes((right,) if right else (), tuple(wrong), 0)


def simulate(rng: Rng, p: Array, n: int, k: int, runs: int) -> tuple[Array, Array, Array]:
    """Simulated arrays (runs, M) of u, v and Maj@k of votes, with n trials of each question."""
    counts = np.stack([rng.multinomial(n, q, runs) for q in p], axis=1)
    values = np.array([[state_values("plurality_at_k", votes(c), k) for c in row] for row in counts])
    return values[..., 0], values[..., 1], values[..., 2]


# --- intervals ---------------------------------------------------------------------------------------


def stabiliser(n: int, k: int) -> float:
    """Constant added to the sum of the questions' variances of plurality@k, for n trials of each question."""
    D = double(choice.largest_step(Metric("plurality_at_k", k, 1, [0.0, 1.0]), n))
    return D * k / (n + k - 1)


def wilson(theta: Array, V: Array, n0: float, t: Array | float = Z) -> tuple[Array, Array]:
    """Both ends of Wilson's interval; n0: least effective sample size; t: the quantile for an estimated variance V."""
    single = theta * (1 - theta)  # the variance of one trial
    q = Z * Z / np.maximum(n0, np.where(single > 0, single / V * (Z / t) ** 2, 0))
    middle, half = (theta + q / 2) / (1 + q), np.sqrt(q * single + q * q / 4) / (1 + q)
    return middle - half, middle + half


def coverage(u: Array, v: Array, s: float, n: int, k: int, fixed: bool, true: Array | float) -> tuple[float, float]:
    """Coverage and mean width of the intervals of many runs; u, v: values and variances of the questions (runs, M).

    s: the stabiliser; fixed: the target is the value on these questions, else in their population.
    """
    M = u.shape[1]
    theta = u.mean(1)
    V = (v.sum(1) + s) / M**2
    if fixed:
        df = np.minimum(2 * (v.sum(1) + s) ** 2 / ((v * v).sum(1) + s * s), 30)
        # 1/df is reduced by 1/30: from 30 degrees of freedom on, the normal quantile
        t = np.where(df < 30, stdtrit(1 / np.maximum(1 / df - 1 / 30, 1e-6), 0.975), Z)
    else:
        V, t = (u.var(1, ddof=1) * M + 1 / 12) / M**2, stdtrit(M - 1, 0.975)
    lo, hi = wilson(theta, V, M * n / k if fixed else M, t)
    return float(((lo <= true + 1e-12) & (true - 1e-12 <= hi)).mean()), float((hi - lo).mean())


def difference_coverage(a: tuple[Array, Array], b: tuple[Array, Array], s: float, true: float) -> float:
    """Coverage of the interval of a difference of two models (their u and v) on fixed questions."""
    M, D = a[0].shape[1], (a[0] - b[0]).mean(1)
    S, E = (np.zeros(D.size) for _ in range(2))
    for _, v in (a, b):
        S, E = S + v.sum(1), E + (v * v).sum(1)
    df = np.minimum(2 * (S + s) ** 2 / (E + s * s), 1e6)
    half = stdtrit(df, 0.975) * np.sqrt(S + s) / M
    return float((np.abs(D - true) <= half).mean())


# --- tables ------------------------------------------------------------------------------------------


def plurality_rows(rng: Rng, runs: int, names: list[str], sizes: Any, Ms: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the results of each cell, after its n, k, M, rates and concentration.

    They are: coverage and relative width on fixed questions, coverage on sampled ones, coverage of a difference on
    fixed questions, and by how much Maj@k is lower. The relative width is that to an interval by the normal quantile
    and the true standard deviation of the estimate (the oracle).
    """
    for (n, k), M in product(sizes, Ms):
        for distribution, concentration in product(names, (0.3, 3.0)):
            p, other = (questions(rng, M, RATES[distribution], concentration) for _ in range(2))
            true, second = (float(np.mean([plurality_probability(q, k) for q in x])) for x in (p, other))
            (u, v, binary), (x, y, _) = (simulate(rng, z, n, k, runs) for z in (p, other))
            s = stabiliser(n, k)
            fixed, width = coverage(u, v, s, n, k, fixed=True, true=true)
            oracle = 2 * Z * sqrt(float(u.mean(1).var()))
            both = difference_coverage((u, v), (x, y), s, true - second)
            population = questions(rng, M * runs, RATES[distribution], concentration)
            population_value = float(np.mean([plurality_probability(q, k) for q in population[:2000]]))
            values = np.array([state_values("plurality_at_k", votes(rng.multinomial(n, q)), k)[:2] for q in population])
            u, v = (values[:, i].reshape(runs, M) for i in range(2))
            sampled, _ = coverage(u, v, s, n, k, fixed=False, true=population_value)
            key = n, k, M, distribution, concentration
            yield *key, fixed, width / oracle, sampled, both, true - float(binary.mean())


def best_of_k_rows(rng: Rng, runs: int, sizes: Any, M: int) -> Iterator[tuple[Any, ...]]:
    """Yield n, k, shift, coverage and relative width of best-of-k on fixed questions.

    shift: how much a right answer adds to the mean of its score, in standard deviations; 0: scores say nothing.
    """
    for (n, k), shift in product(sizes, (0.0, 1.0, 3.0)):
        p = rng.beta(2, 2, M)

        def simulated(times: int, p: Array = p, shift: float = shift, n: int = n, k: int = k) -> Array:
            y = rng.random((times, M, n)) < p[:, None]
            order = np.argsort(shift * y + rng.standard_normal(y.shape), axis=-1)
            rows = np.take_along_axis(y, order, -1).astype(int)
            states = [[Levels((1,) * n, tuple(row)) for row in run] for run in rows.tolist()]
            return np.array([[state_values("best_of_k", x, k)[:2] for x in run] for run in states])

        values, true = simulated(runs), float(simulated(4 * runs)[..., 0].mean())
        u, v = values[..., 0], values[..., 1]
        if n == k:  # the jackknife needs n > k: the variance between questions stands in
            v = (u - u.mean(1)[:, None]) ** 2 * M / (M - 1)
        fixed, width = coverage(u, v, k / n * k / (n + k - 1), n, k, fixed=n > k, true=true)
        yield n, k, shift, fixed, width / (2 * Z * sqrt(float(u.mean(1).var())))


def summary(x: list[float], digits: int = 1, by: float = 100.0) -> str:
    """Text of the minimum, mean and maximum of numbers, each multiplied by a factor."""
    return " / ".join(f"{by * y:.{digits}f}" for y in (min(x), float(np.mean(x)), max(x)))


def main() -> int:
    """Print the tables; return 1 if a cell covers too rarely."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--runs", type=int, default=0)
    short = (args := parser.parse_args()).short
    rng, start = np.random.default_rng(18), perf_counter()
    distributions = ["Beta(2,3)"] if short else list(RATES)
    sizes = ((8, 3), (8, 5), (6, 6)) if short else SIZES
    runs = args.runs or (300 if short else 1500)
    rows = list(plurality_rows(rng, runs, distributions, sizes, (30,)))
    worst: dict[str, float] = {}
    print("| plurality@k | cells | fixed | width / oracle | sampled | difference, fixed | Maj@k is lower by |")
    print("|---|---|---|---|---|---|---|")
    groups = (
        ("2k <= n", lambda n, k: 2 * k <= n),
        ("k < n < 2k", lambda n, k: k < n < 2 * k),
        ("k = n", lambda n, k: n == k),
    )
    for name, in_group in groups:
        cells = [row for row in rows if in_group(row[0], row[1])]
        fixed, width, sampled, both, gap = ([row[i] for row in cells] for i in (5, 6, 7, 8, 9))
        shown = summary(fixed), f"{np.mean(width):.2f}", summary(sampled), summary(both), summary(gap, 2, 1.0)
        print(f"| {name} | {len(cells)} | " + " | ".join(shown) + " |")
        for what, x in (("fixed", fixed), ("sampled", sampled), ("difference", both)):
            worst[what] = min(worst.get(what, 1.0), *x)
    rows = list(best_of_k_rows(rng, runs // 3, ((8, 4), (8, 6), (6, 6)), 30))
    print("\n| best-of-k | fixed | width / oracle |\n|---|---|---|")
    for name, in_group in groups:
        cells = [row for row in rows if in_group(row[0], row[1])]
        fixed = [row[3] for row in cells]
        print(f"| {name} | {summary(fixed)} | {np.mean([row[4] for row in cells]):.2f} |")
        worst["best-of-k, fixed"] = min(worst.get("best-of-k, fixed", 1.0), *fixed)
    print(f"\n{runs} runs of a cell of plurality@k, {runs // 3} of best-of-k, {perf_counter() - start:.0f} s")
    too_low = {name: x for name, x in worst.items() if x < BOUNDS[name]}
    failures = [f"{name}: a cell covers {100 * x:.1f}%, below {100 * BOUNDS[name]:.0f}%" for name, x in too_low.items()]
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
