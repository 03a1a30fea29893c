"""Suspect questions, Feldt's interval and the cost per solved task, on simulated benchmarks whose truth is known.

    python bench/items.py            the tables, some minutes
    python bench/items.py --short    half a minute; fails where a rate is outside its bounds

For the suspects, models differ in ability, questions in difficulty and in how well they discriminate (a logistic model
of two parameters). A flipped key inverts the outcome of every trial of a question; with a wrong key a model that knows
the answer fails, and one that guesses hits that key in one of three cases. The statistics are those of the package.
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from time import perf_counter

import numpy as np

from scorio import Counts, items

# coverage.py beside this file is not the package of that name, which Numba imports if there is one
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
Array = np.ndarray
Rng = np.random.Generator
Table = dict[str, dict[str, float]]
QUESTIONS, BAD = 100, 5  # BAD: how many questions have a bad key


def rates(rng: Rng, L: int, M: int, slope_sd: float) -> Array:
    """Success rates of L models on M questions; slope_sd: standard deviation of the logarithms of the slopes."""
    ability, difficulty = rng.normal(size=(L, 1)), rng.normal(size=M)
    return 1 / (1 + np.exp(-np.exp(slope_sd * rng.normal(size=M)) * (ability - difficulty)))


def counts_of_models(c: Array, n: int) -> list[Counts]:
    """Counts of models from their successes of n trials."""
    return [Counts.from_successes(row, np.full(row.size, n)) for row in c]


# --- suspects -----------------------------------------------------------------------------------------


def suspects(L: int, N: int, key: str, slope_sd: float, B: int, seed: int) -> dict[str, float]:
    """Mean share of questions with bad keys that are suspects, and of sound questions among the suspects."""
    rng, detected, false_share = np.random.default_rng([seed, L, N]), [], []
    for _ in range(B):
        p = rates(rng, L, QUESTIONS, slope_sd)
        bad = p[:, :BAD]
        p[:, :BAD] = {"flipped": 1 - bad, "wrong": (1 - bad) / 3, "sound": bad}[key]
        suspect_questions = [x.question for x in items.items(counts_of_models(rng.binomial(N, p), N)) if x.suspect]
        flagged = sum(j < BAD for j in suspect_questions) if key != "sound" else 0
        detected.append(flagged / BAD)
        false_share.append((len(suspect_questions) - flagged) / max(len(suspect_questions), 1))
    return {"detected": float(np.mean(detected)), "false share": float(np.mean(false_share))}


def suspect_table(short: bool) -> Table:
    """Rows of the table of suspects."""
    if short:
        cells = [(12, 4, "flipped", 0.3), (24, 4, "flipped", 0.3), (12, 4, "sound", 0.3)]
    else:
        cells = [(L, N, key, 0.3) for key in ("flipped", "wrong") for L, N in
                 ((6, 4), (12, 1), (12, 4), (12, 16), (24, 4))]  # fmt: skip
        cells += [(12, 4, "sound", 0.3), (12, 4, "flipped", 0.0), (12, 4, "flipped", 0.8), (24, 4, "flipped", 0.8)]
    name = "{2} keys, {0} models, {1} trials, slopes {3}".format
    return {name(*x): suspects(*x, 40 if short else 400, 1) for x in cells}


# --- coverage -----------------------------------------------------------------------------------------


def feldt(L: int, M: int, N: int, variance_ratio: float, B: int, seed: int) -> float:
    """Coverage of the reliability coefficient by Feldt's interval, for models and questions with normal effects.

    variance_ratio: the variance of the models over that of the questions.
    """
    rng = np.random.default_rng([seed, L, M, N])
    model, question, interaction = 0.02 * variance_ratio, 0.02, 0.01
    parts = [s**0.5 for s in (model, question, interaction)]
    p = 0.5 + parts[0] * rng.normal(size=(B, L, 1)) + parts[1] * rng.normal(size=(B, 1, M))
    p = p + parts[2] * rng.normal(size=(B, L, M))
    single = float(np.mean(np.clip(p, 0, 1) * (1 - np.clip(p, 0, 1))))
    truth = model / (model + (interaction + single / N) / M)
    hits = 0
    for c in rng.binomial(N, np.clip(p, 0, 1)):
        x = items.reliability(counts_of_models(c, N))
        hits += x.lo <= truth <= x.hi
    return hits / B


def feldt_table(short: bool) -> Table:
    """Coverage of the reliability coefficient by numbers of models, questions and trials, and ratio of variances."""
    sizes = ((20, 1), (30, 4), (100, 8))
    every = [(L, M, N, ratio) for L, (M, N), ratio in product((4, 8, 20), sizes, (0.1, 0.5))]
    cells = [(8, 30, 4, 0.5)] if short else every
    name = "coefficient, {0} models, {1} questions, {2} trials, variance ratio {3}".format
    return {name(*x): {"coverage": feldt(*x, 400 if short else 2000, 2)} for x in cells}


def cost(M: int, N: int, success_rate: float, log_sd: float, questions: str, B: int, seed: int) -> float:
    """Coverage of the cost per solved task; costs are log-normal, failures cost 1.5 times as much."""
    rng = np.random.default_rng([seed, M, N])
    hits = 0
    for _ in range(B):
        p, base = rng.beta(2 * success_rate, 2 * (1 - success_rate), M), np.exp(log_sd * rng.normal(size=M))
        if questions == "fixed":
            truth = (base * (1.5 - 0.5 * p)).mean() / p.mean()
        else:
            truth = np.exp(log_sd**2 / 2) * (1.5 - 0.5 * success_rate) / success_rate
        R = (rng.random((M, N)) < p[:, None]).astype(int)
        noise = np.exp(0.3 * rng.normal(size=(M, N)) - 0.045)  # 0.045 = 0.3**2 / 2: its mean is 1
        costs = base[:, None] * np.where(R, 1, 1.5) * noise
        if not R.any():
            hits += 1  # nothing was solved: no interval is claimed, which counts as covering
            continue
        x = items.cost_per_solved(R, costs, questions=questions)
        hits += x.lo <= truth <= x.hi
    return hits / B


def cost_table(short: bool) -> Table:
    """Coverage of the cost per solved task by questions, trials, success rate and SD of the logarithms of the costs."""
    every = list(product((30,), (2, 8), (0.1, 0.4, 0.8), (0.3, 1.0)))
    cells = [(100, 4, 0.4, 0.5)] if short else every
    name = "cost, {0} questions, {1} trials, rate {2}, log SD {3}".format
    B = 300 if short else 400
    return {name(*x): {q: cost(*x, q, B, 3) for q in ("fixed", "sampled")} for x in cells}


# --- the tables ---------------------------------------------------------------------------------------


def failures(results: Table) -> list[str]:
    """Rates of --short outside their bounds."""
    bounds = {
        ("flipped keys, 12", "detected"): (0.75, 0.96), ("flipped keys, 24", "detected"): (0.95, 1.0),
        ("flipped keys, 12", "false share"): (0.0, 0.16), ("flipped keys, 24", "false share"): (0.0, 0.14),
        ("sound keys, 12", "false share"): (0.0, 0.25),
        ("coefficient", "coverage"): (0.915, 0.99), ("cost", "fixed"): (0.91, 0.995), ("cost", "sampled"): (0.9, 0.99),
    }  # fmt: skip
    out = []
    for (name, column), (low, high) in bounds.items():
        rows = {key: values[column] for key, values in results.items() if key.startswith(name)}
        out += [f"{k}, {column}: {x:.3f} is outside {low} to {high}" for k, x in rows.items() if not low <= x <= high]
    return out


def main() -> None:
    """Print the tables; with --short exit with an error where a rate is outside its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start = parser.parse_args().short, perf_counter()
    results: Table = {}
    for table in (suspect_table, feldt_table, cost_table):
        for name, values in table(short).items():
            print(f"{name:62}" + "".join(f"  {column} {100 * x:.1f}%" for column, x in values.items()), flush=True)
            results[name] = values
    print(f"{perf_counter() - start:.0f} s")
    if short and (wrong := failures(results)):
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
