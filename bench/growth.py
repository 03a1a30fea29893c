"""Measure how times grow with M, N and k: print them and draw bench/growth.png (not with --short)."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

import matplotlib as mpl
import numpy as np

os.environ["SCORIO_JIT"] = "1"  # time compiled kernels, without the time of compiling
from recipe import matrix
from worker import reader

from scorio import eval

mpl.use("agg")
import matplotlib.pyplot as plt

Calls = dict[str, Callable[[np.ndarray, int], Any]]  # functions of R and k, by their label
CALLS: Calls = {
    "only reading R": lambda R, k: reader()(R),
    "bayes": lambda R, k: eval.bayes(R),
    "pass_at_k_ci": eval.pass_at_k_ci,
    "maj_at_k_ci": eval.maj_at_k_ci,
    "auc_at_k_ci": eval.auc_at_k_ci,
}
STYLES = {"only reading R": ("#666666", "--"), "bayes": ("#0072B2", "-"), "pass_at_k_ci": ("#009E73", "-")}
STYLES |= {"maj_at_k_ci": ("#E69F00", "-"), "auc_at_k_ci": ("#CC79A7", "-")}


def seconds(f: Callable[[], Any], budget: float) -> float:
    """Shortest time of repeated calls, after one to warm up."""
    f()
    times: list[float] = []
    while not times or (sum(times) < budget and len(times) < 50):
        start = perf_counter()
        f()
        times.append(perf_counter() - start)
    return min(times)


def curves(sizes: Iterable[tuple[int, int, int]], budget: float) -> dict[str, list[float]]:
    """Print and return the times of every call, in seconds, at each (M, N, k)."""
    times: dict[str, list[float]] = {name: [] for name in CALLS}
    for M, N, k in sizes:
        R = matrix(M, N)
        for name, f in CALLS.items():
            times[name].append(seconds(lambda f=f, R=R, k=k: f(R, k), budget))  # type: ignore[misc]
        print(f"M = {M:9} N = {N:5} k = {k:4}  " + "  ".join(f"{n} {t[-1] * 1e3:.3f} ms" for n, t in times.items()))
    return times


def main() -> None:
    """Print the times, and draw bench/growth.png (not with --short)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="small sizes, and no picture is written")
    short = parser.parse_args().short
    M = [10**i for i in range(1, 5 if short else 8)]
    N = [2**i for i in range(3, 8 if short else 13)]
    k = [2**i for i in range(1, 5 if short else 10)]
    panels = {
        "M questions (N = 64, k = 8)": (M, [(m, 64, 8) for m in M]),
        "N trials (M = 10 000, k = 8)": (N, [(10_000, n, 8) for n in N]),
        "k (M = 10 000, N = 1024)": (k, [(10_000, 1024, x) for x in k]),
    }
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), sharey=True, layout="constrained")
    for ax, (title, (xs, sizes)) in zip(axes, panels.items(), strict=True):
        for name, times_of_call in curves(sizes, 0.05 if short else 0.5).items():
            colour, style = STYLES[name]
            ax.plot(xs, times_of_call, style, color=colour, label=name, marker="o", markersize=3)
        ax.set(xscale="log", yscale="log", xlabel=title)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("seconds, best of some calls")
    axes[0].legend(frameon=False)
    if not short:
        figure.savefig(Path(__file__).with_name("growth.png"), dpi=110)


if __name__ == "__main__":
    main()
