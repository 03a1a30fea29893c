"""Work split over one or two threads: compiled kernels release the GIL, and write to separate parts."""

from __future__ import annotations

import os
from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

THREADS = min(2, os.cpu_count() or 1)

_pool: list[ThreadPoolExecutor] = []  # the pool of the process, made when first needed
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.clear)  # threads do not survive a fork


def thread_slices(n: int, use_threads: bool) -> list[slice]:
    """Slices of 0..n-1, n > 0: at most one for each thread, or one if `use_threads` is false (too little work)."""
    step = ceil(n / THREADS) if use_threads else max(n, 1)
    return [slice(i, min(i + step, n)) for i in range(0, n, step)]


def on_threads(run: Callable[[slice], Any], parts: list[slice]) -> list[Any]:
    """Run a function on each part, the last on the calling thread, others on the pool; returns the results in order."""
    if len(parts) == 1:
        return [run(parts[0])]
    from concurrent.futures import ThreadPoolExecutor  # imported here, since the import takes a while

    if not _pool:
        _pool.append(ThreadPoolExecutor(THREADS))
    futures = [_pool[0].submit(run, part) for part in parts[:-1]]
    last = run(parts[-1])
    return [*(future.result() for future in futures), last]
