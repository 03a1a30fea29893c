"""Times of real-valued rewards in both languages, and of outcomes in slow containers; fails where bits differ.

    python bench/rewards.py [--short] [--julia JULIA]

Every reward is different: 4,800 of 300 x 16 outcomes, 160,000 of 10,000 x 16. The first calls, which compile, are not
counted. Without --julia, Julia is $SCORIO_JULIA; without either only Python is timed.
"""

from __future__ import annotations

import argparse
import os
import struct
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

import scorio
from scorio import eval, sinf

ROOT = Path(__file__).parent.parent
Call = Callable[[], Any]


def rewards(M: int) -> np.ndarray:
    """Rewards that are all different, the same as in rewards.jl."""
    i, j = np.arange(M)[:, None], np.arange(16)
    return (17 * i + j) * 2654435761 % 4294967296 / 4294967296 - 0.5


def calls(M: int) -> dict[str, Call]:
    """The calls of M questions; those of Julia have the same names."""
    X = rewards(M)
    w, index = np.unique(X, return_inverse=True)
    R, scores = index.reshape(X.shape), w.tolist()
    e = scorio.read({"a": X, "b": X[::-1] * 0.9}, w="levels")
    fresh = lambda: e.select(["a", "b"])  # noqa: E731  # without the results that an evaluation keeps
    return {
        "avg": lambda: eval.avg(R, scores),
        "avg_ci": lambda: eval.avg_ci(R, scores),
        "bayes": lambda: eval.bayes(R, scores),
        "bayes_ci": lambda: eval.bayes_ci(R, scores),
        "mean_ci": lambda: eval.mean_ci(R, scores, questions="fixed"),
        "max_at_k": lambda: eval.max_at_k(R, 4, scores),
        "interval max_at_k": lambda: eval.interval(R, "max_at_k", k=4, w=scores, questions="fixed"),
        "max_at_k_ci": lambda: eval.max_at_k_ci(R, 4, scores),
        "compare": lambda: sinf.compare(R, R[::-1], w=scores, questions="fixed"),
        "e.leaderboard()": lambda: fresh().leaderboard(),
        'e.compare("a", "b")': lambda: fresh().compare("a", "b"),
        'e.gate("a", "b", margin=.1)': lambda: fresh().gate("a", "b", margin=0.1),
    }


def containers(M: int) -> dict[str, Any]:
    """The same M x 64 outcomes 0 and 1 in containers, some without one outcome."""
    A = (np.arange(64 * M).reshape(M, 64) * 2654435761 >> 13) % 2
    with_None, ragged = A.tolist(), A.tolist()
    with_None[0][0] = None
    ragged[0] = ragged[0][:-1]
    objects = A.astype(object)
    holes = objects.copy()
    holes[::3, ::5] = None
    out = {"int8": A.astype(np.int8), "float64": A.astype(float), "float32": A.astype(np.float32)}
    out |= {f"pandas {t}": pd.DataFrame(A).astype(t) for t in ("Int8", "boolean", "Float64")}
    with suppress(ImportError):
        out["pandas int64[pyarrow]"] = pd.DataFrame(A).astype("int64[pyarrow]")
    return out | {
        "objects": objects, "objects, some None": holes, "lists": A.tolist(), "lists, one None": with_None,
        "lists, one shorter": ragged,
    }  # fmt: skip


def seconds(f: Call) -> tuple[float, Any]:
    """The shortest time of three calls, after one to warm up, and the result."""
    result, times = f(), []
    for _ in range(3):
        start = perf_counter()
        f()
        times.append(perf_counter() - start)
    return min(times), result


def in_julia(julia: str, sizes: list[int]) -> dict[tuple[int, str], tuple[float, int]]:
    """Seconds and bits of each call in Julia, by the number of questions and the name of the call."""
    command = [julia, "--startup-file=no", f"--project={ROOT / 'julia'}", str(ROOT / "bench/rewards.jl")]
    text = subprocess.run([*command, *map(str, sizes)], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = (line.split("\t") for line in text.splitlines())
    return {(int(M), name): (float(time), int(bits)) for M, name, time, bits in rows}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="small sizes: only checks that everything runs")
    parser.add_argument("--julia", default=os.environ.get("SCORIO_JULIA"), help="the Julia to time Scorio.jl with")
    args = parser.parse_args()
    sizes = [30, 60] if args.short else [300, 10_000]
    julia = in_julia(args.julia, sizes) if args.julia else {}
    print("| seconds, by questions x trials |" + "".join(f" {M:,} x 16 Python | Julia |" for M in sizes))
    print("|---|" + "---|---|" * len(sizes))
    by_size = {M: calls(M) for M in sizes}
    for name in by_size[sizes[0]]:
        cells = []
        for M in sizes:
            time, result = seconds(by_size[M][name])
            other, bits = julia.get((M, name), (None, None))
            if bits is not None:
                own = struct.unpack("<Q", struct.pack("<d", result if isinstance(result, float) else result.mu))[0]
                assert own == bits, f"{name} of {M} questions: Python and Julia differ"
            cells += [f"{time:.3f}", "" if other is None else f"{other:.3f}"]
        print(f"| {name} | {' | '.join(cells)} |")
    M = 100 if args.short else 10_000
    print(f"\n| avg of {M:,} x 64 in | ns an outcome |\n|---|---|")
    for name, R in containers(M).items():
        print(f"| {name} | {seconds(lambda R=R: eval.avg(R, missing='drop'))[0] / (64 * M) * 1e9:.1f} |")


if __name__ == "__main__":
    main()
