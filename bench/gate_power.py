"""Power of gates and of `winners`, whose standard errors have a lower bound, compared with the power of a t rule.

    python bench/gate_power.py                 the four tables, Markdown
    python bench/gate_power.py --short         few runs, one or two rows of each table

Both fail if a gate of the first table passes more often than the t rule.

The t rule uses the estimated variance, as `compare` does: it errs far above its level (bench/hostile.py).
"""

from __future__ import annotations

import os

os.environ.setdefault("SCORIO_JIT", "1")  # thousands of calls: compile at the first one

import argparse
import sys
from math import ceil
from pathlib import Path

import numpy as np
from scipy.stats import binom, norm

from scorio import Counts, rank, sinf

# coverage.py beside this file is not the package of that name, which Numba imports if there is one
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
Rng = np.random.Generator
GATES = (  # questions, trials, margin, loss of the candidate
    (30, 4, 0.1, 0.0), (30, 64, 0.1, 0.0), (100, 4, 0.05, 0.0), (200, 8, 0.03, 0.0), (400, 4, 0.05, 0.01),
    (50, 64, 0.1, 0.0),
)  # fmt: skip
FAILING = ((200, 0.05), (200, 0.03), (400, 0.05), (400, 0.02), (1000, 0.02))  # questions, margin
# parameters of the beta distribution of the rates, trials, margin
PLANS = tuple((ab, N, x) for ab in ((0.6, 0.5), (9.0, 1.0), (2.0, 2.0)) for N in (1, 4, 16) for x in (0.03, 0.1))
WINNERS = ((30, 1), (30, 4), (30, 64), (100, 8), (400, 4))  # questions, trials
SAMPLED = {"questions": "sampled"}
# power=0.5 in the gates below: the power of the plan that an inconclusive gate makes, which is not used here


def sampled(rng: Rng, p: np.ndarray, N: int) -> Counts:
    """Counts of N random trials of questions with these success rates."""
    return Counts.from_successes(rng.binomial(N, np.clip(p, 0, 1)), np.full(p.size, N))


def passes(M: int, N: int, margin: float, loss: float, runs: int, rng: Rng) -> list[float]:
    """Share of passes in % by the t rule and by the gate.

    Rates are from Beta(.6, .5); each model adds normal noise (standard deviation .1) of its own to every rate.
    """
    totals = np.zeros(2)
    for _ in range(runs):
        p = rng.beta(0.6, 0.5, M)
        new, old = (sampled(rng, p + 0.1 * rng.normal(size=M) - lost, N) for lost in (loss, 0.0))
        gate = sinf.gate(new, old, margin=margin, power=0.5, **SAMPLED)
        totals += sinf.compare(new, old, **SAMPLED).lo > -margin, gate.verdict == "pass"
    return list(100 * totals / runs)


def passes_failing(M: int, margin: float, share: float) -> list[float]:
    """Exact share of passes in %, by both rules, if each question fails in all of its trials with probability share."""
    n, totals = np.full(M, 4), np.zeros(2)
    best = Counts.from_successes(n, n)
    for failed in range(M + 1):
        p = binom.pmf(failed, M, share)
        if p > 1e-7:  # the rest of the distribution would not change a printed digit
            new = Counts.from_successes(np.where(np.arange(M) < failed, 0, 4), n)
            gate = sinf.gate(new, best, margin=margin, power=0.5, **SAMPLED)
            totals += p * np.array([sinf.compare(new, best, **SAMPLED).lo > -margin, gate.verdict == "pass"])
    return list(100 * totals)


def planned(ab: tuple[float, float], N: int, margin: float, runs: int, rng: Rng) -> tuple[int, list[float]]:
    """Questions planned for a power of 80%, and passes in % by both rules, of a candidate equal to its baseline.

    Success rates have the distribution Beta(*ab). The number of questions is the one that an inconclusive gate plans,
    here from simulated counts of 20,000 questions.
    """

    def evaluated(M: int) -> tuple[Counts, Counts]:
        p = rng.beta(*ab, M)
        return sampled(rng, p, N), sampled(rng, p, N)

    needed = sinf.questions_needed(*evaluated(20_000), difference=margin, power=0.8)
    independent = (norm.ppf(0.975) + norm.ppf(0.8)) ** 2 * (1 - margin) / margin  # as in the plan of a gate
    M, totals = max(needed, ceil(independent)), np.zeros(2)
    for _ in range(runs):
        pair = evaluated(M)
        gate = sinf.gate(*pair, margin=margin, power=0.5, **SAMPLED)
        totals += sinf.compare(*pair, **SAMPLED).lo > -margin, gate.verdict == "pass"
    return M, list(100 * totals / runs)


def possible_winners(M: int, N: int, runs: int, rng: Rng) -> list[float]:
    """Mean number of models, of ten, that may be the best, by the t rule (each pair at 5%/9) and by `winners`.

    Logits of success rates are sums of normal effects: of the model (standard deviation 1.2), of the question (2), and
    of each pair of model and question (1).
    """
    totals = np.zeros(2)
    for _ in range(runs):
        logit = 1.2 * rng.normal(size=(10, 1)) + 2 * rng.normal(size=M) + rng.normal(size=(10, M))
        models = {i: sampled(rng, x, N) for i, x in enumerate(1 / (1 + np.exp(-logit)))}
        pairs = [(i, j, sinf.compare(models[i], models[j], **SAMPLED)) for i in range(10) for j in range(i)]
        beaten = {j if r.mu > 0 else i for i, j, r in pairs if r.p_value / 2 < 0.05 / 9}
        totals += 10 - len(beaten), len(rank.winners(models, **SAMPLED))
    return list(totals / runs)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short = parser.parse_args().short
    print("| questions x trials | margin | loss | t rule, passes in % | gate |\n|" + "---|" * 5)
    for M, N, margin, loss in GATES[:2] if short else GATES:
        by_t, by_gate = passes(M, N, margin, loss, 50 if short else 2000, np.random.default_rng([M, N]))
        print(f"| {M} x {N} | {margin} | {loss} | {by_t:.1f} | {by_gate:.1f} |", flush=True)
        if by_gate > by_t:
            sys.exit("a gate passes more often than the t rule")
    print("\n| questions | margin | fails entirely | t rule, passes in %, exact | gate |\n|" + "---|" * 5)
    for M, margin in FAILING[:1] if short else FAILING:
        for share in (0.0025, 0.005):
            by_t, by_gate = passes_failing(M, margin, share)
            print(f"| {M} | {margin} | {100 * share:g}% of the questions | {by_t:.0f} | {by_gate:.0f} |", flush=True)
    print("\n| rates, trials | margin | questions planned | t rule, passes in % | gate |\n|" + "---|" * 5)
    for ab, N, margin in PLANS[1:2] if short else PLANS:
        rng = np.random.default_rng([N, int(100 * margin)])
        M, (by_t, by_gate) = planned(ab, N, margin, 20 if short else 2000, rng)
        print(f"| Beta{ab}, {N} | {margin} | {M} | {by_t:.1f} | {by_gate:.1f} |", flush=True)
    print("\n| questions x trials | t rule, models | winners |\n|---|---|---|")
    for M, N in WINNERS[:1] if short else WINNERS:
        by_t, by_rule = possible_winners(M, N, 5 if short else 100, np.random.default_rng([M, N]))
        print(f"| {M} x {N} | {by_t:.2f} | {by_rule:.2f} |", flush=True)


if __name__ == "__main__":
    main()
