"""What a user without Numba waits for: first calls in a new process, without it, with it compiling, and from its cache.

    python bench/without_numba.py [--short]

Numba is the extra `fast`, and not part of the core install, because of this table: seconds, the import of scorio
included, for matrices of 0/1 outcomes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

SHAPES = [(30, 80), (1000, 64), (10**6, 64)]
DATA = """
import numpy as np
rng, M, N = np.random.default_rng(1), {}, {}
p = rng.random((M, 1)).astype("f4")
X = [(rng.random((M, N), dtype="f4") < p * (0.8 + 0.05 * i)).astype(np.int8) for i in range(4)]
from time import perf_counter
start = perf_counter()
import scorio
from scorio import eval, rank, sinf
{}
print(perf_counter() - start)
"""
CALLS = {
    "leaderboard": 'str(scorio.read({"a": X[0], "b": X[1]}).leaderboard())',
    "eval.bayes": "eval.bayes(X[0])",
    "eval.pass_at_k": "eval.pass_at_k(X[0], 8)",
    "interval pass@k": 'eval.interval(X[0], "pass@k", 8, questions="sampled")',
    "sinf.compare": 'sinf.compare(X[0], X[1], questions="sampled")',
    "maj_at_k_ci": "eval.maj_at_k_ci(X[0], 8)",
    "extrapolate_model": 'eval.extrapolate_model(X[0], "pass@k", k=200)',
    "converge": "scorio.read({str(i): x for i, x in enumerate(X)}, trials=True).converge()",
    "2,000 x pass_at_k_ci": "[eval.pass_at_k_ci(X[0], 8) for _ in range(2000 if M == 30 else 3)]",
}


def seconds(shape: tuple[int, int], call: str, **env: str) -> str:
    """Seconds of one call in a new process, or a bound."""
    command = [sys.executable, "-c", DATA.format(*shape, call)]
    try:
        process = subprocess.run(command, env=os.environ | env, capture_output=True, text=True, check=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "> 120"
    return f"{float(process.stdout):.2f}"


def main() -> None:
    print("| questions x trials | call | without Numba | compiling | cached |\n|---|---|---|---|---|")
    for shape in SHAPES[: 1 if "--short" in sys.argv else None]:
        for name, call in list(CALLS.items())[: 2 if "--short" in sys.argv else None]:
            with tempfile.TemporaryDirectory() as cache:
                without = seconds(shape, call, SCORIO_JIT="0")
                with_numba = [seconds(shape, call, SCORIO_JIT="auto", NUMBA_CACHE_DIR=cache) for _ in range(2)]
            print(f"| {shape[0]:,} x {shape[1]} | {name} | {without} | {' | '.join(with_numba)} |", flush=True)


if __name__ == "__main__":
    main()
