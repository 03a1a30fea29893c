"""The tiers of kernels, for tests: all in one, or each call in one of its own."""

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
    """Result of one call in a tier."""
    return kernel.interpret(*args) if tier == "interpreted" else kernel.dispatcher(*args)


@contextmanager
def choosing(tier: Callable[[], str]) -> Iterator[None]:
    """Choose the tier anew for every call that enters a kernel from Python."""
    before = [(kernel, kernel.func) for kernel in kernels()]
    for kernel, _ in before:
        kernel.serve(lambda *args, kernel=kernel: call(kernel, tier(), args))
    try:
        yield
    finally:
        for kernel, run in before:
            kernel.serve(run)
