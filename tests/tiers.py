"""Run kernels interpreted or compiled, as a test chooses for every call."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from scorio import converge, eval, items, rank, rubric, simulate, sinf, utils
from scorio.arithmetic.jit import Kernel

MODULES = (converge, eval, items, rank, rubric, simulate, sinf, utils)  # imported, so that all kernels are known
TIERS = ("interpreted", "compiled")


@cache  # searching all objects takes a while
def kernels() -> list[Kernel]:
    """All kernels of the package."""
    return [x for x in gc.get_objects() if isinstance(x, Kernel)]


def call(kernel: Kernel, tier: str, args: Any) -> Any:
    """Result of one call of a kernel, interpreted or compiled."""
    return kernel.interpret(*args) if tier == "interpreted" else kernel.dispatcher(*args)


@contextmanager
def choosing(tier: Callable[[], str]) -> Iterator[None]:
    """Call tier() for every call of a kernel from Python, and run the kernel in that tier."""
    before = [(kernel, kernel.func) for kernel in kernels()]
    for kernel, _ in before:
        kernel.serve(lambda *args, kernel=kernel: call(kernel, tier(), args))
    try:
        yield
    finally:
        for kernel, run in before:
            kernel.serve(run)
