"""Reproduce the simulations of arXiv:2510.04265, sections 2.7 to 2.9: `python bench/paper.py [--quick]`.

The paper prints the mean success rates of its simulated models ("coins"), not the rate of each question. Here the rates
of a model with mean m follow Beta(15 m, 15 (1 - m)), whose parameters add up to 15 as in section 2.8 of the paper. A
question has the same quantile in every model; the rates of a model are then scaled to its mean.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from scorio import converge, eval, rank, simulate, sinf, tally

QUICK = "--quick" in sys.argv
M = 30
MEANS = [0.2332, 0.2545, 0.3604, 0.3642, 0.3642, 0.4466, 0.5418, 0.5276, 0.608, 0.6213, 0.7327]
METRICS = [
    ("Bayes@N", "bayes", {}),
    ("Pass@2", "pass_at_k", {"k": 2}),
    ("Pass@4", "pass_at_k", {"k": 4}),
    ("Pass@8", "pass_at_k", {"k": 8}),
    ("naive Pass^4", "naive_pass_hat_k", {"k": 4}),
    ("G-Pass@4 0.5", "g_pass_at_k_tau", {"k": 4, "tau": 0.5}),
    ("mG-Pass@4", "mg_pass_at_k", {"k": 4}),
]


def coin_rates(mean: float) -> np.ndarray:
    """Success rates of M questions with exactly this mean."""
    p = simulate.beta_rates(np.full(M, 15 * mean), np.full(M, 15 * (1 - mean)), seed=1)
    return p * (mean / p.mean()) if p.mean() >= mean else 1 - (1 - p) * ((1 - mean) / (1 - p.mean()))


def tau_b(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of each row of x and y, 0 where all values of a row are equal."""
    i, j = np.triu_indices(x.shape[1], 1)
    s, g = np.sign(x[:, i] - x[:, j]), np.sign(y[:, i] - y[:, j])
    pairs = (s != 0).sum(1) * (g != 0).sum(1)
    return np.where(pairs > 0, (s * g).sum(1) / np.sqrt(np.maximum(pairs, 1)), 0.0)


def updates(replicates: int) -> None:
    """Print section 2.8 and figure 2a: how much updates of +-1 of the beta parameters change a ranking."""
    print(f"\nSection 2.8: {replicates} updates of eight models Beta(i+3, 12-i), M = 30 (paper: tau 0.88, changed 86%)")
    i = np.arange(1, 9)[:, None]
    for seed in range(5):
        old = simulate.beta_rates(np.broadcast_to(i + 3, (8, M)), np.broadcast_to(12 - i, (8, M)), seed=seed).mean(1)
        new = np.empty((replicates, 8))
        for start in range(0, replicates, 2500):
            a, b = (np.tile(x.T, (2500, 1)) for x in (i + 3, 12 - i))
            a, b = simulate.updates(a, b, seed=seed, first=8 * start)
            parameters = (np.repeat(x[:, :, None], M, axis=2) for x in (a, b))
            new[start : start + 2500] = simulate.beta_rates(*parameters, seed=seed + 100, first=8 * M * start).mean(2)
        tau = tau_b(new, np.broadcast_to(old, new.shape))
        print(f"  original models of seed {seed}: mean tau {tau.mean():.3f}, changed {100 * (tau < 1).mean():.1f}%")


def priors(replicates: int, N: int = 30) -> None:
    """Print figure 2b: effect of a prior of D trials of the original models on the ranking of the updated ones."""
    D, i, max_prior = [0, 1, 2, 4, 8, 16], np.arange(1, 9)[:, None], 16
    old = simulate.beta_rates(np.broadcast_to(i + 3, (8, M)), np.broadcast_to(12 - i, (8, M)), seed=0)
    taus = np.zeros((len(D), N))
    for start in range(0, replicates, 500):
        a, b = simulate.updates(*(np.tile(x.T, (500, 1)) for x in (i + 3, 12 - i)), seed=0, first=8 * start)
        p = simulate.beta_rates(*(np.repeat(x[:, :, None], M, axis=2) for x in (a, b)), seed=100, first=8 * M * start)
        new = simulate.coins(p, N, seed=1, first=8 * M * start).sum(2, dtype=np.int64).cumsum(2)
        R0 = simulate.coins(np.broadcast_to(old, (500, 8, M)), max_prior, seed=2, first=8 * M * start)
        prior = R0.sum(2, dtype=np.int64).cumsum(2)
        for row, d in enumerate(D):  # with equal N and D, Bayes@N ranks by the total of both
            for n in range(N):
                total = new[:, :, n] + (prior[:, :, d - 1] if d else 0)
                taus[row, n] += tau_b(total, p.mean(2)).sum()
    print(f"\nFigure 2b: mean tau of Bayes@N with a prior of D trials, {replicates} updates")
    shown = [1, 2, 3, 5, 8, 12, 20, 30]
    print("   N " + "".join(f"{n:7d}" for n in shown))
    for d, row in zip(D, taus / replicates, strict=True):
        print(f"D = {d:2d}" + "".join(f"{row[n - 1]:7.3f}" for n in shown))


def curves(sets: int, replicates: int) -> None:
    """Print figure 1: tau of each metric against the true ranking, from new trials and from two bootstraps."""
    p = np.array([coin_rates(m) for m in MEANS])
    true_ranks = rank.competition_ranks_from_scores(MEANS)
    print(
        "\nFigure 1: tau-b against the true ranking, 11 coins; the most that a ranking without ties reaches is "
        f"{_max_tau():.4f}"
    )
    shown = (10, 20, 40, 80, 320)
    print("                 " + "".join(f"{'N = ' + str(n):>9}" for n in shown) + "   N where tau > 0.95")
    tensors = [simulate.coins(p, 320, seed=3, first=p.size * s) for s in range(sets)]
    for panel in (f"a) {sets} sets", "b) columns", "c) rows"):
        print(panel)
        for name, metric, options in METRICS:
            if panel[0] == "a":
                each = [converge.tau_curve(R, metric, true_ranks, scheme="original", **options) for R in tensors]
                n, tau = each[0].trials, np.mean([x.tau_b for x in each], axis=0)
            else:
                scheme = panel.split()[1]
                R = tensors[0][:, :, :80]
                n, tau = converge.tau_curve(R, metric, true_ranks, scheme=scheme, replicates=replicates, **options)
            at = dict(zip(n, tau, strict=True))
            first = next((x for x in n if at[x] > 0.95), None)
            print(f"   {name:14}" + "".join(f"{at[x]:9.3f}" if x in at else " " * 9 for x in shown) + f"   {first}")


def _max_tau() -> float:
    x = np.array([MEANS])
    return float(tau_b(np.arange(11)[None] * 1e-9 + x, x)[0])


def two_coins(runs: int) -> None:
    """Print section 2.9: how often the coins 0.608 and 0.6213 are ranked correctly."""
    print(f"\nSection 2.9: coins of mean 0.608 and 0.6213, {runs} runs")
    print("(paper: right 83.7, 94.7, 96.9%, |z| 1.14, 1.645, 1.96)")
    p = np.array([coin_rates(0.608), coin_rates(0.6213)])
    for N in (80, 199, 285):
        right, z, rho = 0, 0.0, 0.0
        for run in range(runs):
            low, high = (eval.bayes(tally(R)) for R in simulate.coins(p, N, seed=4, first=p.size * run))
            confidence = sinf.ranking_confidence(high.mu, high.sigma, low.mu, low.sigma)
            right, z, rho = right + (high.mu > low.mu), z + confidence.z, rho + confidence.rho
        share, mean_rho = 100 * right / runs, 100 * rho / runs
        print(f"  N = {N:3d}: right {share:.1f}%, mean |z| {z / runs:.3f}, mean rho {mean_rho:.1f}%")


if __name__ == "__main__":
    for job, full, quick in (
        (updates, (50_000,), (2_500,)),
        (priors, (50_000,), (500,)),
        (curves, (1000, 10_000), (20, 200)),
        (two_coins, (10_000,), (200,)),
    ):
        start = time.time()
        job(*(quick if QUICK else full))
        print(f"  [{time.time() - start:.0f} s]")
