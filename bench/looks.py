"""Error rates and power of repeated looks, and errors of gates, on simulated benchmarks whose truth is known.

    python bench/looks.py            the tables, some minutes
    python bench/looks.py --short    half a minute, without power and curtailment

Both fail where an error rate is out of its bounds. The rule for a single look, applied at every look, must err in 15%
of runs or more.

"once" is the rule for a single look, applied at every look or only at the end; the other rules use the boundaries
for several looks. The variances and degrees of freedom are those of pair_rules.py. The boundaries of O'Brien and
Fleming and of Pocock are computed by the package, those of "any time" here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import product
from math import log
from pathlib import Path
from time import perf_counter

import numpy as np
from decisions import rates
from pair_rules import Differences, Runs, binary_runs, fixed_differences, gate_p_values, sampled_differences
from scipy.special import ndtri

from scorio import sinf

# coverage.py beside this file is not the package of that name, which Numba imports if there is one
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
Array = np.ndarray
Rng = np.random.Generator
ALPHA = 0.05
ONCE = 1.959963984540054  # boundary |Z| of a single look at the level ALPHA


def score(differences: Differences) -> Array:
    """Normal score |Z| of each difference."""
    return -ndtri(np.maximum(differences.p(), 1e-300) / 2)


def any_time(f: Array | float) -> Array:
    """Boundary |Z| at which an e-value stops, at the fraction f of the expected information."""
    a = 2 * log(1 / ALPHA)
    rho = (a + log(1 + a)) * np.asarray(f)
    return np.sqrt((1 + 1 / rho) * (a + np.log1p(rho)))


def boundaries(fractions: Array, spending: str) -> Array:
    """Boundary |Z| of each look."""
    return np.array(sinf.boundaries(fractions, 1 - ALPHA, spending).z)


# --- growing data -----------------------------------------------------------------------------------


def runs_by_trials(rng: Rng, p: Array, q: Array, looks: Array, B: int) -> Iterator[tuple[Runs, Runs]]:
    """Runs of two models at each look, after the given numbers of trials of every question."""
    c, d, n = np.zeros((B, p.size), int), np.zeros((B, q.size), int), 0
    for now in looks:
        c, d = c + rng.binomial(now - n, p, c.shape), d + rng.binomial(now - n, q, d.shape)
        n = int(now)
        yield binary_runs(c, [n] * p.size), binary_runs(d, [n] * q.size)


def first_crossing(z: list[Array], bounds: Array) -> Array:
    """Index of the look at which each run stops first; the number of looks if none does."""
    above = np.array(z) >= np.asarray(bounds).reshape(len(z), -1)
    return np.where(above.any(0), above.argmax(0), len(z))


def fixed_looks(p: Array, q: Array, looks: Array, B: int, seed: int) -> dict[str, Array]:
    """Index of the look at which each run stops, by every rule, for this question set."""
    z = [score(fixed_differences(a, b)) for a, b in runs_by_trials(np.random.default_rng(seed), p, q, looks, B)]
    f = looks / looks[-1]
    quarters = [int(np.flatnonzero(f >= x - 1e-9)[0]) for x in (0.25, 0.5, 0.75, 1.0)]
    never = 40.0  # above every score()
    four = first_crossing([z[i] for i in quarters], boundaries(f[quarters], "obrien-fleming"))
    return {
        "once at every look": first_crossing(z, np.full(len(z), ONCE)),
        "once, at the end": first_crossing(z, np.where(f < 1, never, ONCE)),
        "O'Brien-Fleming, 4 looks": np.append(quarters, len(z))[four],
        "O'Brien-Fleming": first_crossing(z, boundaries(f, "obrien-fleming")),
        "Pocock": first_crossing(z, boundaries(f, "pocock")),
        "any time": first_crossing(z, any_time(f)),
    }


def errors_of_trials(B: int, seed: int) -> dict[str, float]:
    """Worst error rate of two equal models over three distributions of rates; looks after 2, 3, ... 32 trials."""
    worst: dict[str, float] = {}
    for i, (name, M) in enumerate((("Beta(.3, .3)", 30), ("Beta(2, 6)", 40), ("spikes", 40))):
        p = rates(np.random.default_rng([seed, i]), name, M)
        for rule, when in fixed_looks(p, p, np.arange(2, 33), B, seed + i).items():
            worst[rule] = max(worst.get(rule, 0.0), float(np.mean(when < 31)))
    return worst


def errors_of_questions(B: int, seed: int) -> dict[str, float]:
    """Error rate of 20 looks as questions are added; the two models are equal over the population."""
    rng, M, n = np.random.default_rng(seed), 200, 2
    p, q = rng.beta(0.5, 0.5, (B, M)), rng.beta(0.5, 0.5, (B, M))
    c, d, looks = rng.binomial(n, p), rng.binomial(n, q), np.arange(10, M + 1, 10)
    z = [score(sampled_differences((c[:, :m] - d[:, :m]) / n)) for m in looks]
    f, end = looks / M, len(looks)
    bounds = {"once at every look": np.full(end, ONCE), "any time": any_time(f)}
    bounds |= {"O'Brien-Fleming": boundaries(f, "obrien-fleming"), "Pocock": boundaries(f, "pocock")}
    return {rule: float(np.mean(first_crossing(z, x) < end)) for rule, x in bounds.items()}


def errors_of_pairs(B: int, seed: int) -> dict[str, float]:
    """Error rates of looks after each of 2,000 single-trial questions, by the exact e-value of discordant pairs.

    In "once at every look" the rule for a single look is applied from the tenth question on.
    """
    rng, M = np.random.default_rng(seed), 2000
    p = rng.beta(0.5, 0.5, (B, M))
    diff = rng.binomial(1, p) - rng.binomial(1, p)
    wins, losses = np.cumsum(diff > 0, axis=1), np.cumsum(diff < 0, axis=1)
    n, small = wins + losses, np.minimum(wins, losses)
    z = np.abs(wins - losses) / np.sqrt(np.maximum(n, 1))
    return {"once at every look": float(np.mean((z[:, 9:] >= ONCE).any(1))),
            "e-value of pairs": float(np.mean((small < fewest_losses(int(n.max()))[n]).any(1)))}  # fmt: skip


def fewest_losses(most: int) -> Array:
    """Fewest losses among 0, 1, ... most discordant pairs with which the e-value does not yet stop."""
    out, low = [], 0
    for n in range(most + 1):
        while low <= n // 2 and sinf.pair_e_value(n - low, low).e >= 1 / ALPHA:
            low += 1
        out.append(low)
    return np.array(out)


def power(B: int, seed: int) -> dict[str, str]:
    """Power and mean number of trials (of 32) of each rule, for models that differ by D on 40 questions."""
    out = {}
    base = np.random.default_rng(7).beta(2, 2, 40)
    for D in (0.03, 0.06, 0.12):
        p, q = np.clip(base + D / 2, 0, 1), np.clip(base - D / 2, 0, 1)
        looks = np.arange(2, 33)
        for rule, when in fixed_looks(p, q, looks, B, seed).items():
            if rule != "once at every look":
                used = looks[np.minimum(when, 30)].mean()
                out[rule] = f"{out.get(rule, ''):16}{f'{np.mean(when < 31):.0%} ({used:.0f})':>16}"
    return out


# --- curtailment ------------------------------------------------------------------------------------


def curtailment(M: int, N: int, D: float, margin: float, known: bool, B: int, seed: int) -> tuple[float, float]:
    """Mean number of trials at which looks stop, and an upper bound of the share that curtailment would save.

    Curtailment stops when no completion of the planned outcomes can change the verdict at the end. Here it stops as
    soon as the two extreme completions, all for one model and all for the other, give the same verdict: never later.
    known: all N trials of the second model exist from the start, as in harness.EarlyStopping.
    """
    rng = np.random.default_rng([seed, M, N])
    base, looks = np.clip(rng.beta(2, 2, M), D / 2, 1 - D / 2), np.arange(2, N + 1)
    bounds = boundaries(2 * looks / (N + looks) if known else looks / N, "obrien-fleming")

    def verdict(a: Array, n: int, b: Array, m: int, bound: float) -> Array:
        difference = fixed_differences(binary_runs(a, [n] * M), binary_runs(b, [m] * M))
        difference = difference._replace(D=difference.D + margin)
        return np.where(score(difference) >= bound, np.sign(difference.D), 0)

    c, n, m = np.zeros((B, M), int), 0, N if known else 0
    d = rng.binomial(m, base - D / 2, (B, M))
    stop_planned, stop_curtailed = np.full(B, N), np.full(B, N)
    for now, bound in zip(looks.tolist(), bounds, strict=True):
        c, n = c + rng.binomial(now - n, base + D / 2, c.shape), now
        if not known:
            d, m = d + rng.binomial(now - m, base - D / 2, d.shape), now
        stops = verdict(c, n, d, m, bound) != 0
        ends = verdict(c + N - n, N, d, N, bounds[-1]) == verdict(c, N, d + N - m, N, bounds[-1])
        stop_planned = np.where(stops, np.minimum(stop_planned, n), stop_planned)
        stop_curtailed = np.where(stops | ends, np.minimum(stop_curtailed, n), stop_curtailed)
    return float(stop_planned.mean()), float(1 - stop_curtailed.mean() / stop_planned.mean())


# --- gates ------------------------------------------------------------------------------------------


def verdicts(M: int, n: int, D: float, margin: float, B: int, seed: int) -> dict[str, float]:
    """Shares of runs in which a candidate that differs by D passes, fails, is significantly worse, is above -margin."""
    rng = np.random.default_rng([seed, M, n])
    base = np.clip(rng.beta(1, 1, M), max(0, -D), 1 - max(0, D))
    a, b = (binary_runs(rng.binomial(n, x, (B, M)), [n] * M) for x in (base + D, base))
    difference = fixed_differences(a, b)
    worse, better = gate_p_values(difference, margin, 1 / (n * M), guard=1.0)
    decisions = {"pass": worse <= ALPHA / 2, "fail": better <= ALPHA / 2}
    decisions["worse"] = (difference.p() <= ALPHA) & (difference.D < 0)
    decisions["average above -margin"] = -margin < difference.D
    return {name: float(x.mean()) for name, x in decisions.items()}


def flips(M: int, n: int, margin: float, B: int, seed: int) -> dict[str, float]:
    """Share of candidates at -margin that pass in one run and fail in another: by the gate, and by the average."""
    rng = np.random.default_rng([seed, M, n])
    base = np.clip(rng.beta(1, 1, M), margin, 1)
    decisions = []
    for _ in range(2):
        difference = fixed_differences(
            *(binary_runs(rng.binomial(n, x, (B, M)), [n] * M) for x in (base - margin, base))
        )
        worse, better = gate_p_values(difference, margin, 1 / (n * M), guard=1.0)
        decisions.append((worse <= ALPHA / 2, better <= ALPHA / 2, -margin < difference.D))
    (p, f, x), (q, g, y) = decisions
    return {"gate": float(np.mean((p & g) | (f & q))), "average": float(np.mean(x != y))}


# --- the tables -------------------------------------------------------------------------------------


def tables(short: bool) -> dict[str, dict[str, float]]:
    """Every error rate, and the verdicts of gates."""
    B = 2000 if short else 20000
    results = {
        "looks after 2 to 32 trials": errors_of_trials(B, 1),
        "20 looks, by questions": errors_of_questions(B, 2),
        "2,000 looks, a single-trial question each": errors_of_pairs(min(B, 4000) // 4, 3),
    }
    for M, n in ((30, 8), (100, 8), (400, 4)):
        results[f"gate, margin .05, {M} x {n}, D = -.05"] = verdicts(M, n, -0.05, 0.05, 2 * B, 14)
        results[f"gate, margin .05, {M} x {n}, D = 0"] = verdicts(M, n, 0.0, 0.05, 2 * B, 5)
    results["verdict changed, run twice, D = -margin"] = flips(100, 8, 0.05, B, 6)
    return results


def failures(results: dict[str, dict[str, float]]) -> list[str]:
    """Rates outside their bounds; the rule for a single look, applied at every look, must err in 15% or more."""
    out = []
    for name, values in results.items():
        for rule, x in values.items():
            low, high = _bounds(name, rule)
            if not low <= x <= high:
                out.append(f"{name}, {rule}: {x:.4f} is outside {low} to {high}")
    return out


def _bounds(name: str, rule: str) -> tuple[float, float]:
    if rule == "once at every look":
        return 0.15, 1.0
    if "looks" in name:
        return 0.0, {"any time": 0.032, "e-value of pairs": 0.055}.get(rule, 0.062)
    if "twice" in name:
        return (0.0, 0.005) if rule == "gate" else (0.4, 0.6)
    if "D = -.05" in name and rule in ("pass", "fail"):
        return 0.0, 0.033
    return 0.0, 1.0


def main() -> None:
    """Print the tables; exit with an error where an error rate is out of its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start = parser.parse_args().short, perf_counter()
    results = tables(short)
    for name, values in results.items():
        print(f"{name:42}" + "".join(f"  {rule} {100 * x:.1f}%" for rule, x in values.items()), flush=True)
    if not short:
        print("power (mean number of trials) at D = .03, .06, .12")
        for rule, text in power(4000, 8).items():
            print(f"  {rule:28}{text}")
        print(
            "trials until a stop, and the largest share that exact curtailment would save; D = 0, .03, .12, without and"
        )
        print("with a margin of .05; then the same beside a baseline that is known from the start")
        for (M, N), known in product(((10, 4), (10, 16), (40, 8), (40, 32), (100, 8), (200, 16)), (False, True)):
            each = [curtailment(M, N, D, margin, known, 2000, 9) for D in (0.0, 0.03, 0.12) for margin in (0.0, 0.05)]
            print(f"  {M} x {N}:".ljust(14) + "".join(f"  {used:5.1f} {saved:5.1%}" for used, saved in each))
    print(f"{perf_counter() - start:.0f} s")
    if wrong := failures(results):
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
