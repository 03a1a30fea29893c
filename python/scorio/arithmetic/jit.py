"""Kernels with two tiers from one source: interpreted until compiling saves time, then compiled.

The bits are the same in both: Python's floats are the same doubles under the same operations, and no kernel divides
by zero or lets an integer overflow, except NumPy integers that are meant to wrap. Kernels and their callers do not
depend on the tier. Numba is imported when the first kernel is compiled; where it is not installed, none is. For a
kernel of ``jit_instead_of`` the first tier is a NumPy function, which returns the same bits.

A kernel is interpreted as long as its calls, the next one included, take less time than compiling it, and is then
compiled: the total wait is at most about twice the shortest possible.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from functools import cache, cached_property, partial
from math import ceil, prod
from threading import RLock
from time import perf_counter
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


MODE = os.environ.get("SCORIO_JIT", "auto")  # "0": never compile; "1": always; else once it pays
if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    MODE = "0"
HAS_NUMBA = importlib.util.find_spec("numba") is not None
COMPILING = "Compiling numerical kernels for the first run (cached afterwards)"
SLOW = "This would be faster with Numba: pip install numba"
# no kernel imports these packages
WITHOUT_KERNELS = frozenset({"analysis", "cli", "commands", "io", "ledger", "page", "plot", "plugins", "readers"})

# Seconds, as `python bench/start.py --prices` measures them; an error by a factor of two changes little.
IMPORT = 0.35  # importing Numba, and using it first
LOAD = 0.004  # loading a compiled kernel from the cache on disk
COMPILE = 1.5  # compiling a kernel with those that it calls: 0.3 to 4
COMPILE_COUNTING = 0.15  # compiling a kernel that replaces a NumPy function
STEP = 5e-6  # one pass of a kernel's innermost loop in the interpreter: some operations on triples
ENTRY = 3e-9  # one entry of the largest array, in NumPy
CALL = 3e-6  # calling a compiled kernel from Python: faster kernels stay interpreted
CALLS_JUDGED = 50  # the number of calls after which this is decided

_lock = RLock()


class Kernel(partial[Any]):
    """A function that Numba can compile, called interpreted or compiled: a functools.partial without arguments.

    A partial is called from C, 0.1 us faster than a __call__ in Python, and its function can be exchanged.
    """

    total = 0.0  # seconds that all kernels have cost in the interpreter

    def __new__(cls, py_func: Callable[..., Any], by_numpy: Callable[..., Any] | None = None) -> Self:
        """Create a kernel that runs a function, which serve() can exchange."""
        return super().__new__(cls, py_func)

    def __init__(self, py_func: Callable[..., Any], by_numpy: Callable[..., Any] | None = None) -> None:
        self.py_func, self.by_numpy = py_func, by_numpy
        self.__name__, self.__doc__, self.__module__ = py_func.__name__, py_func.__doc__, py_func.__module__
        names = py_func.__code__.co_varnames[: py_func.__code__.co_argcount]
        self.position_of_k = names.index("k") if "k" in names else None
        self.calls, self.seconds = 0, 0.0  # in the interpreter
        self.serve({"0": self.interpret, "1": self.compile}.get(MODE, self.run_cheaper_tier))

    def serve(self, run: Callable[..., Any]) -> None:
        """Let calls run this function from now on."""
        self.__setstate__((run, (), {}, self.__dict__))  # type: ignore[attr-defined]

    # --- the interpreter ---

    @cached_property
    def without_numba(self) -> Callable[..., Any]:
        """The function without Numba: it calls other kernels in their interpreted form."""
        if self.by_numpy is not None:
            return self.by_numpy
        f = self.py_func
        scope = {name: f.__globals__[name] for name in f.__code__.co_names if name in f.__globals__}
        scope = {name: x.without_numba if isinstance(x, Kernel) else x for name, x in scope.items()}
        return FunctionType(f.__code__, scope | {"__builtins__": __builtins__}, f.__name__, f.__defaults__)

    def interpret(self, *args: Any) -> Any:
        """Run without Numba; the results have the types of compiled calls."""
        with np.errstate(all="ignore"):
            return native(self.without_numba(*args))

    # --- Numba ---

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher: no fast-math, IEEE division, the GIL released for threads."""
        with _lock:  # several threads may arrive here together
            if "dispatcher" in self.__dict__:
                return self.__dict__["dispatcher"]
            numba, folder = _numba(), cache_folder()
            default, numba.config.CACHE_DIR = numba.config.CACHE_DIR, folder
            try:
                dispatcher = numba.njit(cache=bool(folder), nogil=True, error_model="numpy")(self.py_func)
            finally:
                numba.config.CACHE_DIR = default
            return self.__dict__.setdefault("dispatcher", dispatcher)

    def compile(self, *args: Any) -> Any:
        """Compile the kernel, run it, and serve compiled calls from now on."""
        if not self.cached:
            _announce(COMPILING)
        run = self.dispatcher
        result = run(*args)
        self.serve(run)
        return result

    # --- the choice of the tier ---

    def run_cheaper_tier(self, *args: Any) -> Any:
        """Interpret the call, or compile the kernel if that pays."""
        ahead = self.expected_seconds(args)
        if self.seconds + ahead > LOAD and self.compiling_pays(ahead):
            if HAS_NUMBA:
                return self.compile(*args)
            _announce(SLOW)
        start = perf_counter()
        result = self.interpret(*args)
        seconds = perf_counter() - start
        self.calls, self.seconds, Kernel.total = self.calls + 1, self.seconds + seconds, Kernel.total + seconds
        is_fast = self.calls == CALLS_JUDGED and self.seconds < CALLS_JUDGED * CALL
        if is_fast and all(isinstance(x, (float, tuple)) for x in args):  # no call can take long
            self.serve(self.without_numba)
        return result

    def compiling_pays(self, ahead: float) -> bool:
        """Whether calls cost more than compiling: those of this kernel, and for Numba's import those of all kernels."""
        if self.seconds + ahead <= self.compile_seconds:
            return False
        return "numba" in sys.modules or Kernel.total + ahead > IMPORT + self.compile_seconds

    def expected_seconds(self, args: tuple[Any, ...]) -> float:
        """The approximate time of a call in the interpreter: loops are as long as arrays, or as the argument k."""
        shapes: list[tuple[int, ...]] = [x.shape for x in args if isinstance(x, np.ndarray)]
        largest = max(shapes, key=prod, default=())
        if self.by_numpy:
            return ENTRY * prod(largest)
        lengths = {n for shape in shapes for n in shape}
        lengths |= set() if self.position_of_k is None else {args[self.position_of_k]}
        return STEP * prod([n for n in (*largest, *(lengths - {*largest})) if n > 3])  # not the length of a triple

    @property
    def compile_seconds(self) -> float:
        """Seconds that compiling takes, without the import of Numba."""
        return LOAD if self.cached else COMPILE_COUNTING if self.by_numpy else COMPILE

    @cached_property
    def cached(self) -> bool:
        """Whether an earlier run left the compiled kernel on disk."""
        code = self.py_func.__code__
        folder, file = os.path.split(code.co_filename)
        name = f"{file.removesuffix('.py')}.{self.py_func.__qualname__}-{code.co_firstlineno}"
        return f"{os.path.basename(folder)}/{name}" in _on_disk()


def jit(kernel: Callable[..., Any]) -> Any:
    """Turn a function into a kernel: interpreted while it runs seldom or on little data, compiled later."""
    return Kernel(kernel)


def jit_instead_of(by_numpy: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Turn a function into a kernel that replaces a NumPy function of the same arguments once compiling pays."""
    return lambda kernel: Kernel(kernel, by_numpy)


def native(x: Any) -> Any:
    """Convert NumPy scalars, also within tuples, to Python numbers."""
    if isinstance(x, tuple):
        return tuple([native(y) for y in x])
    return x.item() if isinstance(x, np.generic) else x


# --- Numba, and its cache ---------------------------------------------------------------------------


@cache
def _numba() -> Any:
    """The module numba, with kernels registered as callable from compiled code."""
    import numba
    from numba.extending import typeof_impl

    typeof_impl.register(Kernel)(lambda kernel, c: numba.types.Dispatcher(kernel.dispatcher))
    return numba


@cache
def _announce(notice: str) -> None:
    """Tell a user at a terminal or in a notebook, once, why nothing happens for some seconds."""
    if sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules):
        print(notice, file=sys.stderr)


@cache
def cache_folder() -> str:
    """The cache folder for this state of the kernel sources; "" if no folder can be written to.

    Numba itself checks only the file of a kernel for changes: after a change in double_double.py, the compiled
    hypergeometric and posterior kernels would silently return old numbers. Packages that no kernel imports do not
    count, so that an edit of a command does not recompile anything.
    """
    import hashlib  # imported here, since each import takes a while
    import shutil
    from pathlib import Path

    package = Path(__file__).parent.parent
    sources = [f for f in sorted(package.rglob("*.py")) if f.relative_to(package).parts[0] not in WITHOUT_KERNELS]
    stats = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in sources]
    key = "scorio-" + hashlib.sha256(repr((str(package), stats)).encode()).hexdigest()[:16]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    configured = os.environ.get("NUMBA_CACHE_DIR")
    for base in [Path(configured)] if configured else [package / "__pycache__", Path(home) / "scorio"]:
        try:
            (base / key).mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(base / key, os.W_OK):
            if base == package / "__pycache__":
                for old in base.glob("scorio-*"):
                    if old.name != key:
                        shutil.rmtree(old, ignore_errors=True)
            return str(base / key)
    return ""


@cache
def _on_disk() -> frozenset[str]:
    """The kernels in the cache, as folder/module.kernel-line."""
    from pathlib import Path

    folder = cache_folder()
    version = f".py{sys.version_info.major}{sys.version_info.minor}"
    files = Path(folder).rglob(f"*{version}*.nbi") if folder else ()
    return frozenset(f"{f.parent.name.rpartition('_')[0]}/{f.name.partition(version)[0]}" for f in files)


# --- threads: compiled kernels release the GIL, and write to separate parts -------------------------

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
