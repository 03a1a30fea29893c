"""Run kernels interpreted or compiled, as a test chooses for each call."""

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
def kernels_in_tier(tier: Callable[[], str]) -> Iterator[None]:
    """Run every kernel that Python calls in the tier that tier() returns for that call."""
    before = [(kernel, kernel.func) for kernel in kernels()]
    for kernel, _ in before:
        kernel.serve(lambda *args, kernel=kernel: call(kernel, tier(), args))
    try:
        yield
    finally:
        for kernel, run in before:
            kernel.serve(run)
