"""How long a user waits before the first number: import, first call compiled from nothing, first call from the cache.

Each line is the median of new processes; the ratio is to `import numba`, measured in the same run.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

R = "[[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]"
ALL = "k=3, tau=0.5, weights=[1, 0, 0], questions='fixed'"
NAMES = "sorted({*eval.__all__} - {'interval', 'extrapolate'})"
CALLS = {
    "bayes": f"eval.bayes({R})",
    "pass_at_k_ci": f"eval.pass_at_k_ci({R}, 2)",
    "mean_ci": f"eval.mean_ci({R}, questions='fixed')",
    "auc_at_k_ci": f"eval.auc_at_k_ci({R}, 3)",
    "everything": f"import scorio; scorio.evaluate({R}, {NAMES}, {ALL})",
}


def seconds(code: str, cache: str) -> float:
    """What a new process reports for the code after `t = now()`."""
    program = f"from time import perf_counter as now\n{code}"
    run = [sys.executable, "-c", program]
    out = subprocess.run(run, capture_output=True, text=True, check=True, env=os.environ | {"NUMBA_CACHE_DIR": cache})
    return float(out.stdout)


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as cache:
        seconds("import scorio; print(0)", cache)
        numba, on_top = [], []
        for _ in range(9):
            numba.append(seconds("t = now(); import numba; print(now() - t)", cache))
            on_top.append(seconds("import numba; t = now(); import scorio; print(now() - t)", cache))
        a, b = statistics.median(numba), statistics.median(on_top)
        print(f"import numba {a:.3f} s; import scorio on top of it {b:.3f} s, {b / a:.2f} x")
    for name, call in CALLS.items():
        with tempfile.TemporaryDirectory() as cache:
            code = f"from scorio import eval; t = now(); {call}; print(now() - t)"
            cold = seconds(code, cache)
            cached = statistics.median(seconds(code, cache) for _ in range(5))
            print(f"{name:14} first call compiled {cold:6.2f} s, from the cache {cached:6.3f} s")


if __name__ == "__main__":
    main()
