"""Search for the worst cell of each of the package's statements about errors and coverage.

    python bench/hostile.py                    a search for each statement, a Markdown table
    python bench/hostile.py --short            only the known cells of statements with a bound
    python bench/hostile.py --statement gate   the statements whose names contain this; --list prints the names
    python bench/hostile.py --seconds 300      of processor time for each search; --json prints JSON lines

The statements are those of statements.py. A search samples cells of parameters (hostile_cells.py), moves from the worst
of them, with few runs a cell, and then simulates the worst ones anew with many runs, so that the maximum is not biased
by the selection. Where only the numbers of units (questions or clusters) that are won or lost whole decide, the error
is exact: the wrong verdicts of the package, weighted with their probabilities. All fail where an error is above its
bound (a simulated one: by more than three standard errors).
"""

from __future__ import annotations

import os

os.environ.setdefault("SCORIO_JIT", "1")  # thousands of calls: compile at once

import argparse
import json
import sys
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from hostile_cells import Cell, any_cell, moved, shown
from statements import STATEMENTS, Statement

# coverage.py beside this file is not the package of that name, which Numba imports if there is one
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]


# --- the search ---------------------------------------------------------------------------------------


class Worst(NamedTuple):
    """The worst cell of a statement and its error; runs is 0 where it is exact, and where the cell was not measured."""

    statement: Statement
    cell: Cell
    error: float
    runs: int

    @property
    def standard_error(self) -> float:
        """The Monte Carlo standard error."""
        return float((self.error * (1 - self.error) / self.runs) ** 0.5) if self.runs else 0.0

    def row(self) -> str:
        """A line of the table."""
        x = self.statement
        measured = f"{100 * self.error:.1f}" + (f" ± {100 * self.standard_error:.1f}" if self.runs else " exact")
        bound = "none" if x.bound is None else f"{100 * x.bound:.3g}"
        return f"| {x.name} | {100 * x.nominal:g} | {bound} | {shown(self.cell)} | {measured} | {self.runs or ''} |"


def search(x: Statement, seconds: float, seed: int, runs: int) -> Worst:
    """The worst cell found: from known and random cells (40% of the time), by moves from the worst, then many new runs.

    The number of runs grows from step to step, since few show which cells are harmless.
    """
    rng, end = np.random.default_rng([seed, 1]), process_time() + seconds
    tried: list[tuple[float, int, Cell]] = []

    def attempt(cell: Cell, first_runs: int) -> float:
        error, B = x.measure(cell, rng, first_runs)
        tried.append((error, B, cell))
        return error

    for cell in x.known:
        attempt(cell, 200)
    while process_time() < end - 0.6 * seconds:
        if x.allowed(cell := any_cell(rng, x.space)):
            attempt(cell, 60)
    tried.sort(key=lambda t: -t[0])
    starts = [(attempt(cell, 150), cell) for _, _, cell in tried[:8]]
    while process_time() < end:
        i = int(rng.integers(len(starts)))
        cell = moved(rng, starts[i][1], x.space)
        if x.allowed(cell) and (error := attempt(cell, 150)) >= starts[i][0]:
            starts[i] = (attempt(cell, 150) / 2 + error / 2, cell)  # the mean of two measurements, against chance
    last = sorted(starts, key=lambda t: -t[0])[:4] + [(0.0, cell) for cell in x.known]
    again = [Worst(x, cell, *x.measure(cell, np.random.default_rng([seed, 2, i]), runs // 4))
             for i, (_, cell) in enumerate(last)]  # fmt: skip
    worst = max(again, key=lambda w: w.error)
    return Worst(x, worst.cell, *x.measure(worst.cell, np.random.default_rng([seed, 3]), runs))


def known(x: Statement, seed: int, runs: int) -> list[Worst]:
    """Error rates at the known hostile cells."""
    return [Worst(x, cell, *x.measure(cell, np.random.default_rng([seed, i]), runs)) for i, cell in enumerate(x.known)]


def main() -> None:
    """Print the table; fail where a bound is passed by more than three Monte Carlo standard errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="only the known cells of statements with a bound")
    parser.add_argument("--statement", default="", metavar="NAME", help="statements whose names contain this")
    parser.add_argument("--seconds", type=float, default=60, help="processor time of each search")
    parser.add_argument("--runs", type=int, help="runs of each worst cell")
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--json", action="store_true", help="a line of JSON for each cell")
    parser.add_argument("--list", action="store_true", help="the names of the statements")
    options = parser.parse_args()
    chosen = [x for x in STATEMENTS if options.statement.lower() in x.name.lower()]
    chosen = [x for x in chosen if x.bound is not None or not options.short]
    if options.list:
        print("\n".join(x.name for x in chosen))
        return
    if not options.json:
        print("| statement | nominal | bound | cell | error in % | runs |\n|" + "---|" * 6)
    wrong = []
    for x in chosen:
        runs = options.runs or (x.runs if options.short else 4000)
        results = known(x, options.seed, runs) if options.short else [search(x, options.seconds, options.seed, runs)]
        for worst in results:
            line = {"statement": x.name, "nominal": x.nominal, "bound": x.bound, "cell": shown(worst.cell)}
            line |= {"error": worst.error, "standard_error": worst.standard_error, "runs": worst.runs}
            print(json.dumps(line) if options.json else worst.row(), flush=True)
            slack = 3 * (x.bound * (1 - x.bound) / worst.runs) ** 0.5 if worst.runs and x.bound is not None else 1e-9
            if x.bound is not None and worst.error > x.bound + slack:
                wrong.append(f"{x.name}: {100 * worst.error:.1f}% is above {100 * x.bound:.3g}%")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
