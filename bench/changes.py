"""False discoveries and power of scorio.items.changes, on simulated questions whose change is known.

    python bench/changes.py            the tables, some minutes
    python bench/changes.py --short    a minute, fewer runs and cells

Both fail where the share of wrong ones among the named questions is above the rate Q by more than three standard
errors, where Benjamini and Hochberg's rule has more power, or where the last of the rules below errs too rarely.

A question is named wrongly if its success rate did not change, or changed in the other direction. The rule of the
package is compared with that of Benjamini and Hochberg on the same p-values, and with naming every question whose own
p-value is at most the rate, which must err.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from scorio import Counts, items
from scorio.arithmetic.double_double import ext, value
from scorio.inference.pairs import benjamini_hochberg

# without this folder: Numba imports a package named coverage if there is one, and would get coverage.py from here
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
Array = np.ndarray
Rng = np.random.Generator
Rates = Callable[[Rng], tuple[Array, Array]]
Q = 0.1  # the false-discovery rate
RULES = ("changes", "Benjamini-Hochberg", "one by one")


class Errors(NamedTuple):
    """Mean share of wrongly named questions among those named, its standard error, and the power.

    Power: mean share of the changed questions that are named, in the right direction.
    """

    wrong: float
    error: float
    power: float


def smooth(M: int, share: float, fall: float) -> Rates:
    """Rates before and after: a share of the questions falls by `fall`, from a rate of at least `fall`; others stay."""

    def sample_rates(rng: Rng) -> tuple[Array, Array]:
        p = rng.beta(0.5, 0.5, M)
        moved = np.arange(M) < round(share * M)
        p = np.where(moved, fall + (1 - fall) * p, p)
        return p, np.where(moved, p - fall, p)

    return sample_rates


def hostile(M: int, rate: float, flaky: float, drift: float, broken: float) -> Rates:
    """Rates before and after: a share (flaky) of the questions rises from rate by drift; the others have 0 or 1.

    Among the last questions, a share (broken) of all, those with a rate of 1 fall to 0.
    """

    def sample_rates(rng: Rng) -> tuple[Array, Array]:
        p = np.where(np.arange(M) < max(1, round(flaky * M)), rate, rng.integers(0, 2, M))
        q = np.clip(p + drift * (p == rate), 0.0, 1.0)
        return p, np.where((p == 1.0) & (np.arange(M) >= M - round(broken * M)), 0.0, q)

    return sample_rates


def measure_errors(sample_rates: Rates, n: int, m: int, B: int, seed: int) -> dict[str, Errors]:
    """Errors of every rule in B runs of n trials before and m after."""
    rng, wrong, power = np.random.default_rng(seed), np.zeros((len(RULES), B)), np.zeros((len(RULES), B))
    for b in range(B):
        p, q = sample_rates(rng)
        c, d = rng.binomial(n, p), rng.binomial(m, q)
        rows = items.changes(
            Counts.from_successes(c, np.full(c.size, n)), Counts.from_successes(d, np.full(c.size, m)), fdr=Q
        )
        tested = np.array([x.p_value for x in rows])
        adjusted = np.array([value(x) for x in benjamini_hochberg([ext(x) for x in tested])])
        down = c * m > d * n
        moved = np.where(down, q < p, q > p)
        for i, named in enumerate(
            (np.array([x.status in ("regressed", "improved") for x in rows]), adjusted <= Q, tested <= Q)
        ):
            wrong[i, b] = (named & ~moved).sum() / max(1, named.sum())
            power[i, b] = (named & moved).sum() / max(1, (p != q).sum())
    return {
        rule: Errors(float(w.mean()), float(w.std() / B**0.5), float(x.mean()))
        for rule, w, x in zip(RULES, wrong, power, strict=True)
    }


CELLS = {
    "100 x 8, none changed": (smooth(100, 0.0, 0.5), 8),
    "300 x 8, none changed": (smooth(300, 0.0, 0.5), 8),
    "200 x 4, a tenth by -.9": (smooth(200, 0.1, 0.9), 4),
    "100 x 8, a tenth by -.6": (smooth(100, 0.1, 0.6), 8),
    "100 x 16, a tenth by -.4": (smooth(100, 0.1, 0.4), 16),
    "100 x 32, a fifth by -.3": (smooth(100, 0.2, 0.3), 32),
    "50 x 10, one by -1": (smooth(50, 0.02, 1.0), 10),
}


def worst_errors(short: bool, seed: int) -> tuple[str, Errors]:
    """Name and errors of the worst cell of a grid of hostile rates, from new runs of the cells that seemed worst."""
    # questions, trials, rate, and the shares flaky, drift and broken of hostile()
    grid = product((2, 10, 60), (4, 8, 24), (0.5, 0.2, 0.9), (0.1, 0.5, 1.0), (0.0, 0.02), (0.0, 0.2))
    cells = [x for x in grid if not short or (x[0] > 2 and x[1] < 24 and x[4] == 0.0)]
    first = [
        (measure_errors(hostile(x[0], *x[2:]), x[1], x[1], 40 if short else 120, seed)["changes"].wrong, x)
        for x in cells
    ]
    worst = sorted(first, reverse=True)[: 2 if short else 6]
    repeated = [
        (measure_errors(hostile(x[0], *x[2:]), x[1], x[1], 400 if short else 4000, seed + 1)["changes"], x)
        for _, x in worst
    ]
    y, x = max(repeated)
    name = "{} questions x {}, rate {}, a share {} flaky, drift {}, a share {} broken".format(*x)
    return name, y


def main() -> None:
    """Print the tables; exit with an error where a rate is out of its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start, failures = parser.parse_args().short, perf_counter(), []
    print(f"rate {Q}" + "".join(f"{rule:>34}" for rule in RULES))
    for i, (name, (sample_rates, n)) in enumerate(CELLS.items()):
        errors = measure_errors(sample_rates, n, n, 60 if short else 1000, i)
        shown = [f"   wrong {x.wrong:.3f} ± {x.error:.3f}, power {x.power:4.0%}" for x in errors.values()]
        print(f"{name:26}" + "".join(shown), flush=True)
        ours, bh, one_by_one = (errors[rule] for rule in RULES)
        if ours.wrong - 3 * ours.error > Q:
            failures.append(f"{name}: a share of {ours.wrong:.3f} is wrong")
        if ours.power < bh.power:
            failures.append(f"{name}: Benjamini and Hochberg's rule has more power")
        if "none" in name and one_by_one.wrong < 0.5:
            failures.append(f"{name}: one by one, only {one_by_one.wrong:.3f} are wrong: the questions are too easy")
    name, y = worst_errors(short, 50)
    print(f"worst of the search: {y.wrong:.3f} ± {y.error:.3f} ({name}); {perf_counter() - start:.0f} s")
    if y.wrong - 3 * y.error > Q:
        failures.append(f"{name}: a share of {y.wrong:.3f} is wrong")
    if failures:
        sys.exit("; ".join(failures))


if __name__ == "__main__":
    main()
