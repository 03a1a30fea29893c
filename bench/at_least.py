"""How often a gate against a number (scorio gate --at-least) is wrong, where the score is exactly that number.

    python bench/at_least.py           the worst cell of each distribution and verdict, a Markdown table
    python bench/at_least.py --short   fewer scores, sizes and runs

Both fail where an error is above the bound by more than 2.5 Monte Carlo standard errors.

For sampled questions that are solved in all trials or in none the error is exact: verdicts of the package with binomial
probabilities. For rates between 0 and 1 it is simulated, and that of the worst cell anew, with ten times as many runs
and another seed, so that the maximum is not a selection effect.
"""

from __future__ import annotations

import os

os.environ.setdefault("SCORIO_JIT", "1")  # thousands of calls: compile at the first one

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import comb

import numpy as np

from scorio import Counts, sinf

SampleRates = Callable[..., np.ndarray]
NOMINAL, BOUND = 0.025, 0.03
SCORES = (0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99)
SIZES = ((5, 4), (10, 2), (20, 8), (30, 1), (100, 2), (200, 10))  # (questions, trials)


@lru_cache(maxsize=100_000)
def verdict(successes: tuple[int, ...], N: int, t: float, questions: str) -> str:
    """Verdict of `scorio gate --at-least t`: a gate against a model that solves everything, with the margin 1 - t."""
    M = len(successes)
    candidate, perfect = Counts.from_successes(list(successes), [N] * M), Counts.from_successes([N] * M, [N] * M)
    return sinf.gate(candidate, perfect, margin=1.0 - t, questions=questions).verdict


def all_or_none(t: float, M: int) -> tuple[float, float]:
    """Exact probabilities of pass and of fail, where each question is solved always (with probability t) or never."""
    probability = {"pass": 0.0, "fail": 0.0, "inconclusive": 0.0}
    for c in range(M + 1):
        probability[verdict((1,) * c + (0,) * (M - c), 1, t, "sampled")] += comb(M, c) * t**c * (1 - t) ** (M - c)
    return probability["pass"], probability["fail"]


def simulated_errors(
    t: float, M: int, N: int, questions: str, sample_rates: SampleRates, runs: int, seed: int = 1
) -> tuple[float, float]:
    """Simulated shares of passes and of fails, where the mean success rate is t."""
    rng = np.random.default_rng([M, N, round(1000 * t), seed])
    samples = [rng.binomial(N, sample_rates(rng, t, M)) for _ in range(runs)]
    verdicts = [verdict(tuple(sorted(c.tolist())), N, t, questions) for c in samples]
    return verdicts.count("pass") / runs, verdicts.count("fail") / runs


def two_rates(rng: np.random.Generator, t: float, M: int) -> np.ndarray:
    """Success rates of M questions with mean t: one rate on half of them, another on the rest."""
    gap = min(t, 1 - t) * 0.9
    return np.where(np.arange(M) < M // 2, t + gap, t - gap * (M // 2) / (M - M // 2))


DISTRIBUTIONS = {
    "on these questions, equal rates": ("fixed", lambda rng, t, M: np.full(M, t)),
    "on these questions, two rates": ("fixed", two_rates),
    "on similar questions, equal rates": ("sampled", lambda rng, t, M: np.full(M, t)),
    "on similar questions, beta rates": ("sampled", lambda rng, t, M: rng.beta(2 * t, 2 * (1 - t), M)),
}


def cells(short: bool) -> Iterator[tuple[str, tuple[float, int, int], float, float, int]]:
    """Yield (distribution, (score, questions, trials), share of passes, share of fails, runs); 0 runs: exact."""
    scores = SCORES[1::2] if short else SCORES
    for t in scores:
        for M in (10, 40, 100) if short else (5, 10, 20, 30, 50, 100, 200):
            yield "on similar questions, each solved always or never", (t, M, 1), *all_or_none(t, M), 0
        for M, N in SIZES[1:4] if short else SIZES:
            runs = 300 if short else 1000
            for name, (questions, sample_rates) in DISTRIBUTIONS.items():
                yield name, (t, M, N), *simulated_errors(t, M, N, questions, sample_rates, runs), runs


def main() -> int:
    """Print the worst cell of each distribution and verdict; return 1 if one is significantly above the bound."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--short", action="store_true")
    short, worst = parser.parse_args().short, dict[tuple[str, str], tuple[float, tuple[float, int, int], int]]()
    for name, cell, *wrong, runs in cells(short):
        for verdict_name, p in zip(("pass", "fail"), wrong, strict=True):
            key = name, verdict_name
            worst[key] = max(worst.get(key, (-1.0, (0.0, 0, 0), 0)), (p, cell, runs))
    print("| distribution | wrong | nominal | worst | score, questions x trials |\n|---|---|---|---|---|")
    failed = False
    for (name, verdict_name), (p, cell, runs) in worst.items():
        if runs:
            runs *= 10
            p = simulated_errors(*cell, *DISTRIBUTIONS[name], runs, seed=2)[verdict_name == "fail"]
        slack = 2.5 * (BOUND * (1 - BOUND) / runs) ** 0.5 if runs else 0.0
        failed |= p > BOUND + slack
        error, where = f"{p:.1%}{'' if runs else ' exact'}", f"{cell[0]:g}, {cell[1]} x {cell[2]}"
        print(f"| {name} | {verdict_name} | {NOMINAL:.1%} | {error} | {where} |")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
