"""Times of the kernels beside a loop in C for the same work, to see how near they are to the machine's limit.

    python bench/limit.py [--short]      needs a C compiler (cc)

Every call reads 1,000,000 x 64 bytes (--short: 20,000 x 64) on the threads that scorio uses; calls take
turns, and a ratio is that of their minima.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from scorio import eval, tally
from scorio.arithmetic.jit import THREADS
from scorio.outcomes.counting import binary_lines, bit_planes

TURNS = 5 if "--short" in sys.argv else 41
ROWS = 20_000 if "--short" in sys.argv else 1_000_000


def c_library() -> ctypes.CDLL:
    """Library of limit.c, compiled for this machine."""
    source, out = Path(__file__).with_suffix(".c"), Path(tempfile.mkdtemp()) / "limit.so"
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", out, source], check=True)
    return ctypes.CDLL(str(out))


def row_address(a: Any, start: int = 0) -> ctypes.c_void_p:
    """Pointer to a row of an array."""
    return ctypes.c_void_p(a.ctypes.data + start * a.strides[0])


def timed_calls(lib: ctypes.CDLL, pool: ThreadPoolExecutor) -> dict[str, Callable[[], Any]]:
    """Calls by name: reading alone, each kernel, its loop in C, and functions of the package."""
    rng = np.random.default_rng(1)
    R, G = rng.integers(0, 2, (ROWS, 64), np.int8), rng.integers(0, 5, (ROWS, 64), np.int8)
    W, V = R.view(np.uint64), G.view(np.uint64)
    sums, planes = np.empty(ROWS, np.uint8), np.empty((4, ROWS), np.uint8)
    rows_per_thread = -(-ROWS // THREADS)
    parts = [slice(i, min(i + rows_per_thread, ROWS)) for i in range(0, ROWS, rows_per_thread)]

    def on_threads(work: Callable[[slice], Any]) -> Callable[[], Any]:
        return lambda: list(pool.map(work, parts))

    size = ctypes.c_size_t
    return {
        "reading R": on_threads(lambda s: lib.read_words(row_address(W, s.start), size((s.stop - s.start) * 8))),
        "binary, C": on_threads(
            lambda s: lib.binary(
                row_address(W, s.start),
                size(s.stop - s.start),
                row_address(sums, s.start),
                row_address(np.zeros(65, np.int64)),
            )
        ),
        "binary, kernel": on_threads(
            lambda s: binary_lines(W[s].reshape(-1, 1, 8), sums[s], np.zeros(65, np.int64)),
        ),
        "binary, tally": lambda: tally(R),
        "binary, bayes": lambda: eval.bayes(R),
        "5 categories, C": on_threads(
            lambda s: lib.five(
                row_address(V, s.start), size(s.stop - s.start), row_address(planes[0], s.start), size(ROWS)
            )
        ),
        "5 categories, kernel": on_threads(lambda s: bit_planes(V[s], 4, planes[:, s])),
        "5 categories, tally": lambda: tally(G, C=4),
        "5 categories, bayes": lambda: eval.bayes(G, [0.0, 0.25, 0.5, 0.75, 1.0]),
        "5 categories, max_at_k_ci, k = 8": lambda: eval.max_at_k_ci(G, 8, [0.0, 0.25, 0.5, 0.75, 1.0]),
    }


def main() -> None:
    """Print the table of times."""
    if shutil.which("cc") is None:
        sys.exit("bench/limit.py: no C compiler (cc) on this machine")
    lib = c_library()
    with ThreadPoolExecutor(THREADS) as pool:
        calls = timed_calls(lib, pool)
        times: dict[str, list[float]] = {name: [] for name in calls}
        for turn in range(TURNS + 3):
            for name, call in calls.items():
                start = perf_counter()
                call()
                if turn >= 3:  # compiled and warm by then
                    times[name].append(perf_counter() - start)
    fastest = {name: min(t) for name, t in times.items()}
    print("| work | ms | / reading R | / C |\n|---|---|---|---|")
    for name, seconds in fastest.items():
        kind = name.split(",")[0]
        c = f"{seconds / fastest[f'{kind}, C']:.2f}" if f"{kind}, C" in fastest else ""
        print(f"| {name} | {1e3 * seconds:.2f} | {seconds / fastest['reading R']:.2f} | {c} |")


if __name__ == "__main__":
    main()
