"""Time calls for bench/table.py: one line of JSON in, one out. Runs under any Python that can import a `scorio`.

request  {"R": [M, N, C, dtype, order] or {"file": path, "shape": [M, N]}, "do": name, "args": [], "kw": {}, "loops": n}
         name: a function of scorio.eval, or a call defined here: "read", "numpy.sum", "everything", "bootstrap"
answer   {"seconds": of one call} or {"error": text}; if "memory" is true, {"MB": peak of the anonymous memory added}

With --juliacall the function is that of Scorio.jl, called by scorio.julia; with --juliacall JULIA by the stand-in of
juliacall in tests/embedded.py.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np
from recipe import matrix

from scorio import eval

THREADS = min(2, os.cpu_count() or 1)


@lru_cache(maxsize=1)
def outcomes(spec: str) -> Any:
    """Matrix of a request; only the last one is cached."""
    R = json.loads(spec)
    return np.memmap(R["file"], np.int8, "r", shape=tuple(R["shape"])) if isinstance(R, dict) else matrix(*R)


@lru_cache(maxsize=1)
def reader() -> Any:
    """Function that only loads the bytes of R, as words, on as many threads as scorio uses: the limit of speed."""
    import numba

    @numba.njit(nogil=True)
    def fold(words: Any) -> Any:
        seen = np.uint64(0)
        for i in range(words.size):
            seen |= words[i]
        return seen

    pool = ThreadPoolExecutor(THREADS)

    def read(R: Any) -> Any:
        words = R.reshape(-1, order="C" if R.flags.c_contiguous else "F").view(np.uint64)
        step = -(-words.size // THREADS)
        return list(pool.map(fold, [words[i : i + step] for i in range(0, words.size, step)]))

    return read


def everything(R: Any, k: int) -> Any:
    """Compute all metrics of eval that need only counts, from one reading of R."""
    import scorio

    not_metrics = (
        "interval",
        "extrapolate",
        "extrapolate_model",
        "judged",
        "label_check",
        "agreement",
        "cohen_kappa",
    )
    by_answers = ("plurality_at_k", "best_of_k")  # they need more than counts
    names = [name for name in eval.__all__ if name not in (*not_metrics, *by_answers)]
    return scorio.evaluate(R, names, k=k, tau=0.5, weights=[1 / k] * k, questions="fixed")


def bootstrap(R: Any, metric: str, **options: Any) -> Any:
    """Bootstrap the convergence of as many models as R has blocks of 30 questions."""
    from scorio import converge

    return converge.bootstrap_convergence(R.reshape(-1, 30, R.shape[1]), metric, **options)


def call(request: dict[str, Any]) -> Callable[[], Any]:
    """Function without arguments that makes the call of a request."""
    R, do = outcomes(json.dumps(request["R"])), request["do"]
    args, kw = request.get("args", []), request.get("kw", {})
    local = {"read": lambda R: reader()(R), "numpy.sum": lambda R: R.sum(axis=1)}
    if "--juliacall" in sys.argv and do not in local:
        return in_julia(do, R, *args, **kw)
    f = local.get(do) or {"everything": everything, "bootstrap": bootstrap}.get(do) or getattr(eval, do)
    return lambda: f(R, *args, **kw)


def in_julia(do: str, *args: Any, **kw: Any) -> Callable[[], Any]:
    """Function without arguments that calls Scorio.jl in this process."""
    from scorio import julia

    root = Path(__file__).resolve().parents[1]
    if sys.argv[-1] != "--juliacall" and "juliacall" not in sys.modules:
        sys.path.append(str(root / "tests"))
        import embedded

        embedded.install(sys.argv[-1])
    return lambda: julia.call(do, *args, project=str(root / "julia"), **kw)


def anonymous_memory() -> int:
    """Anonymous memory of this process (which belongs to no file), in kB."""
    with open("/proc/self/status") as f:
        return int(next(line for line in f if line.startswith("RssAnon")).split()[1])


def peak(run: Callable[[], Any]) -> float:
    """Largest anonymous memory in MB that a call adds, sampled every 2 ms."""
    before, largest, finished = anonymous_memory(), [0], threading.Event()

    def watch() -> None:
        while not finished.is_set():
            largest[0] = max(largest[0], anonymous_memory())
            sleep(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    run()
    finished.set()
    watcher.join()
    return (largest[0] - before) / 1024


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Time the call of a request, or measure the memory that it adds."""
    run, loops = call(request), request.get("loops", 1)
    if request.get("memory"):
        return {"MB": peak(run)}
    start = perf_counter()
    for _ in range(loops):
        run()
    return {"seconds": (perf_counter() - start) / loops}


def main() -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as e:
            reply = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
