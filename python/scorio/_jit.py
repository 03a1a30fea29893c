"""How kernels are compiled: once, cached on disk, and never from a stale cache."""

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config as _config

config: Any = _config  # its attributes are made at run time
_HERE = Path(__file__).parent


def _fresh_cache_dir() -> str:
    """A cache folder named after the state of the kernel sources, or "" to leave Numba its default.

    Numba re-checks only the file a kernel stands in. A change in numerics.py would leave the
    compiled bank and posterior kernels as they were, with old numbers: wrong and silent.
    """
    base = Path(config.CACHE_DIR) if config.CACHE_DIR else _HERE / "__pycache__"
    try:
        base.mkdir(parents=True, exist_ok=True)
    except OSError:
        return ""
    if not os.access(base, os.W_OK):
        return ""
    stats = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(_HERE.glob("*.py"))]
    here = base / ("scorio-" + hashlib.sha256(repr((str(_HERE), stats)).encode()).hexdigest()[:16])
    if not here.exists() and not config.CACHE_DIR:
        for old in base.glob("scorio-*"):
            shutil.rmtree(old, ignore_errors=True)
    return str(here)


_CACHE_DIR = _fresh_cache_dir()


def jit(kernel: Callable[..., Any]) -> Any:
    """Compile without fast-math; IEEE division; the GIL released, so that threads can share a tally."""
    default = config.CACHE_DIR
    config.CACHE_DIR = _CACHE_DIR or default
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(kernel)
    finally:
        config.CACHE_DIR = default
