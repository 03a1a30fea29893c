"""How often a model of the true frontier of score and cost is called dominated, on simulated models.

    python bench/pareto.py            the tables, some minutes
    python bench/pareto.py --short    a minute, fewer runs

Both fail where a model of the frontier is called dominated too often, or the naive rule errs too rarely.

Every model of every cell is on the frontier: no other model scores at least as much and costs at most as much, and is
better in one of the two. The rule of the package (``pareto()`` of an evaluation) is compared with a naive one (at
least as good in both, with disjoint intervals in one), which must err.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from scorio import Counts
from scorio.analysis.cost import Point, pareto
from scorio.readers.evaluation import Benchmark, EvaluationData
from scorio.readers.logs import Costs, Log

# Numba imports a package coverage if it finds one: bench/, whose coverage.py is not that package, leaves the path
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
ALPHA = 0.05


class Cell(NamedTuple):
    """M questions, N trials; mean score and cost of each model; how the logarithms of the costs vary.

    between, within: standard deviations between questions, and between the trials of a question; tilt: slope of log
    costs in a trait of the questions. All models share the trait, which makes a question harder for some models and
    easier for others, at random.
    """

    M: int
    N: int
    models: tuple[tuple[float, float], ...]
    between: float = 0.5
    within: float = 0.5
    tilt: float = 0.0


def simulated_evaluation(cell: Cell, rng: np.random.Generator) -> EvaluationData:
    """Evaluation of models with these expected scores and costs; costs are log-normal."""
    M, N = cell.M, cell.N
    trait, logs = rng.normal(size=M), {}
    for i, (score, cost) in enumerate(cell.models):
        reach = 0.9 * min(score, 1 - score)
        p = score + reach * np.tanh(trait) * rng.choice([-1, 1])
        shape = cell.tilt * trait + cell.between * rng.normal(size=M)
        mean = cost * np.exp(shape - (cell.tilt**2 + cell.between**2) / 2)
        k = mean[:, None] * np.exp(cell.within * rng.normal(size=(M, N)) - cell.within**2 / 2)
        x = (rng.random((M, N)) < p[:, None]).astype(int)
        c = x.sum(axis=1)
        costs = Costs("cost", np.repeat(np.arange(M), N), x.ravel(), k.ravel())
        logs[f"m{i}"] = Log([str(q) for q in range(M)], Counts.from_successes(c, np.full(M, N)), costs=costs)
    return EvaluationData({"": Benchmark("", logs)})


def errs_naively(points: tuple[Point, ...]) -> bool:
    """Whether some model is at least as good as another in both, and their intervals of one of both are disjoint."""
    return any(
        a.score.mu >= b.score.mu and a.cost.value <= b.cost.value
        and (a.score.lo > b.score.hi or a.cost.hi < b.cost.lo)
        for a in points for b in points
    )  # fmt: skip


def error_shares(cell: Cell, B: int, seed: int) -> tuple[float, float]:
    """Share of runs in which a model is called dominated: by the package's rule, and by the naive one."""
    rng, wrong = np.random.default_rng(seed), np.zeros(2)
    for _ in range(B):
        points = pareto(simulated_evaluation(cell, rng), questions="sampled", confidence=1 - ALPHA)
        wrong += any(x.dominated_by for x in points), errs_naively(points)
    return float(wrong[0] / B), float(wrong[1] / B)


SLIGHT = 1.0001  # a slightly higher cost
CELLS = {
    "far better, barely dearer": Cell(50, 4, ((0.4, 1.0), (0.8, SLIGHT))),
    "far cheaper, barely worse": Cell(50, 4, ((0.5001, 5.0), (0.5, 1.0))),
    "all alike": Cell(50, 4, ((0.6, 1.0),) * 4),
    "five, each barely dearer than the next worse": Cell(
        50, 4, ((0.1, 1.0), (0.3, SLIGHT), (0.5, SLIGHT**2), (0.7, SLIGHT**3), (0.9, SLIGHT**4))
    ),
    "five, each barely better than the next cheaper": Cell(
        50, 4, tuple((0.5 + i / 1e4, 2.0**i) for i in range(5))
    ),
    "one trial a question": Cell(100, 1, ((0.4, 1.0), (0.8, SLIGHT))),
    "costs go with a trait of the questions": Cell(50, 4, ((0.4, 1.0), (0.8, SLIGHT)), tilt=0.7),
    "heavy tails": Cell(100, 4, ((0.4, 1.0), (0.8, SLIGHT)), between=1.0),
}  # fmt: skip


def worst_cell(B: int, seed: int) -> tuple[float, Cell]:
    """Share of runs with an error in the worst of the hostile cells, and this cell; the share is from 4 B new runs."""
    results = []
    for M in (20, 60):
        for between, within, tilt in ((0.2, 0.2, 0.0), (0.8, 0.3, 0.0), (0.3, 1.0, 0.0), (0.3, 0.3, 0.9)):
            for models in (
                ((0.3, 1.0), (0.9, SLIGHT)),
                ((0.2, 1.0), (0.5, SLIGHT), (0.95, SLIGHT**2)),
            ):
                cell = Cell(M, 4, models, between, within, tilt)
                results.append((error_shares(cell, B, seed)[0], cell))
    worst = max(results)[1]
    return error_shares(worst, 4 * B, seed + 1)[0], worst


def main() -> None:
    """Print the tables; exit with an error where the package errs too often, or the naive rule too rarely."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start, failures = parser.parse_args().short, perf_counter(), []
    B = 100 if short else 400
    limit = ALPHA + 3 * (ALPHA * (1 - ALPHA) / B) ** 0.5
    print(f"{'wrong with probability, level ' + str(ALPHA):48}{'scorio':>12}{'as good, disjoint in one':>28}")
    for i, (name, cell) in enumerate(CELLS.items()):
        ours, naive = error_shares(cell, B, i)
        print(f"{name:48}{ours:12.3f}{naive:28.3f}", flush=True)
        if ours > limit:
            failures.append(f"{name}: {ours:.3f}")
        if name.startswith("far") and naive < 0.3:
            failures.append(f"{name}: the naive rule errs in only {naive:.3f}: the models are too easy")
    worst, cell = worst_cell(25 if short else 200, 50)
    print(f"worst of the search: {worst:.3f} ({cell}); {perf_counter() - start:.0f} s")
    if worst > limit:
        failures.append(f"{cell}: {worst:.3f}")
    if failures:
        sys.exit("; ".join(failures))


if __name__ == "__main__":
    main()
