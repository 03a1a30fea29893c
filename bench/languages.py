"""Scorio.jl beside the Python package on the same matrices, in one run: minimum times and their ratio.

One thread each. `python bench/languages.py`; Julia is found as in the tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

import scorio
from scorio import Counts, eval

ROOT = Path(__file__).resolve().parents[1]
sys.modules["scorio.tally"].THREADS = 1  # type: ignore[attr-defined]


def recipe(M: int, N: int, C: int) -> np.ndarray:
    """Integers only: the same matrix in both languages."""
    i, j = np.arange(M, dtype=np.int64)[:, None], np.arange(N, dtype=np.int64)[None, :]
    h = ((i + 1) * 48271 + (j + 1) * 16807 + (i + 1) * (j + 1) * 39373) % 2147483647
    return ((h * 48271 % 2147483647) % (C + 1)).astype(np.int8)


def cases() -> dict[str, Callable[[], object]]:
    """The cases of bench/speed.jl, under the same names."""
    rows, graded = recipe(1_000_000, 64, 1), recipe(200_000, 64, 4)
    columns, graded_columns = np.asfortranarray(rows), np.asfortranarray(graded)
    wide, truth = rows[:200_000].astype(np.int64), columns.astype(bool, order="F")
    counts = Counts.from_successes(np.arange(100_000) % 1025, np.full(100_000, 1024))
    found: dict[str, Callable[[], object]] = {
        "tally int8 by rows": lambda: scorio.tally(rows, 1),
        "tally int8 by columns": lambda: scorio.tally(columns, 1),
        "tally int64 by rows": lambda: scorio.tally(wide, 1),
        "tally bool by columns": lambda: scorio.tally(truth, 1),
        "tally 5 categories by rows": lambda: scorio.tally(graded, 4),
        "tally 5 categories by columns": lambda: scorio.tally(graded_columns, 4),
    }
    names = ["pass_at_k", "maj_at_k", "pass_at_k_ci", "maj_at_k_ci", "mg_pass_at_k_ci", "auc_at_k_ci", "geom_at_k_ci"]
    for k in (8, 64):
        for name in names:
            found[f"{name} k={k}"] = partial(getattr(eval, name), counts, k)
    return found


def seconds(f: Callable[[], object], runs: int = 7) -> float:
    """The minimum of the runs, warm."""
    f()
    times = []
    for _ in range(runs):
        start = perf_counter()
        f()
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    julia = os.environ.get("SCORIO_JULIA", "julia")
    command = [julia, "--startup-file=no", f"--project={ROOT / 'julia'}", str(ROOT / "bench" / "speed.jl")]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    theirs = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in out.splitlines()}
    print(f"{'case':32} {'Python ms':>10} {'Julia ms':>10} {'ratio':>6}")
    for name, f in cases().items():
        ours = seconds(f)
        print(f"{name:32} {ours * 1e3:10.2f} {theirs[name] * 1e3:10.2f} {theirs[name] / ours:6.2f}")


if __name__ == "__main__":
    main()
