"""How kernels are compiled: once, cached on disk, and never from a stale cache."""

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core import config as _config

config: Any = _config  # its attributes are made at run time


def _fresh_cache_dir() -> str:
    """A cache folder named after the state of the kernel sources, or "" where nothing can be kept.

    Numba re-checks only the file a kernel stands in. A change in numerics.py would leave the
    compiled bank and posterior kernels as they were, with old numbers: wrong and silent.
    """
    own = Path(__file__).parent.parent
    stats = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(own.rglob("*.py"))]
    key = "scorio-" + hashlib.sha256(repr((str(own), stats)).encode()).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    for base in [Path(config.CACHE_DIR)] if config.CACHE_DIR else [own / "__pycache__", Path(home) / "scorio"]:
        try:
            (base / key).mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(base / key, os.W_OK):
            if base == own / "__pycache__":
                for old in base.glob("scorio-*"):
                    if old.name != key:
                        shutil.rmtree(old, ignore_errors=True)
            return str(base / key)
    return ""


_CACHE_DIR = _fresh_cache_dir()


def jit(kernel: Callable[..., Any]) -> Any:
    """Compile without fast-math; IEEE division; the GIL released, so that threads can share a tally."""
    default = config.CACHE_DIR
    config.CACHE_DIR = _CACHE_DIR
    try:
        return numba.njit(cache=bool(_CACHE_DIR), nogil=True, error_model="numpy")(kernel)
    finally:
        config.CACHE_DIR = default


@cache
def interpreted(kernel: Any) -> Any:
    """The same function, and those it calls, without Numba: for what runs seldom, where compiling would cost seconds.

    The bits are the same: Python's floats are the same doubles under the same operations.
    """
    if not hasattr(kernel, "py_func"):  # Numba is switched off
        return kernel
    f = kernel.py_func
    names = {name: f.__globals__[name] for name in f.__code__.co_names if name in f.__globals__}
    names = {name: interpreted(x) if hasattr(x, "py_func") else x for name, x in names.items()}
    return FunctionType(f.__code__, names | {"__builtins__": __builtins__}, f.__name__, f.__defaults__)
