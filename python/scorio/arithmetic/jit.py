"""Kernels with two tiers from one source: interpreted until compiling saves time, then compiled.

The bits are the same in both: Python's floats are the same doubles under the same operations, and no kernel divides
by zero or lets an integer overflow, except NumPy integers that are meant to wrap. Kernels and their callers do not
depend on the tier. Numba is imported when the first kernel is compiled; where it is not installed, none is. For a
kernel of ``jit_instead_of`` the first tier is a NumPy function, which returns the same bits.

A kernel is compiled once the calls so far, and as many again, cost more in the interpreter than compiling. The total
wait is then at most three times the shortest possible, and a loop of small calls is compiled after about a second.
"""

from __future__ import annotations

import dis
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, cached_property, partial
from math import prod
from threading import RLock
from time import perf_counter
from types import FunctionType
from typing import Any, Self

import numpy as np

MODE = os.environ.get("SCORIO_JIT", "auto")  # "0": never compile; "1": always; else once it pays
if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    MODE = "0"
HAS_NUMBA = importlib.util.find_spec("numba") is not None
COMPILING = "Compiling numerical kernels for the first run (cached afterwards)"
SLOW = "This would be faster with Numba: pip install numba"
# no kernel imports these packages
WITHOUT_KERNELS = frozenset({"analysis", "cli", "commands", "io", "page", "plot", "plugins", "readers"})

# Prices in seconds, which set the threshold, as `python bench/start.py --prices` measures them. Near the threshold both
# choices cost about the same: an error by a factor of two, or a machine twice as fast, changes little.
IMPORT = 0.35  # importing Numba, and using it first
LOAD = 0.004  # loading a compiled kernel from the cache on disk
COMPILE = 0.15  # compiling a kernel, or one that it calls, if not compiled yet: 0.07 to 0.4
STEP = 5e-6  # one pass of a kernel's innermost loop in the interpreter: some operations on triples
ENTRY = 3e-9  # one entry of the largest array, in NumPy
PRIOR_WEIGHT = 50  # the weight of STEP and ENTRY against measurements: that of 50 measured steps, or 50 * 2^14 entries
PAST_AND_FUTURE = 2.0  # the weight of a kernel's cost so far: once for past calls, once for as many future ones
CALL = 3e-6  # the cost of calling a compiled kernel from Python: faster kernels stay interpreted
CALLS_JUDGED = 50  # the number of calls after which stay_interpreted() is considered

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
        self.compiled = False
        self.calls, self.steps, self.seconds = 0, 0.0, 0.0  # in the interpreter
        self.serve({"0": self.interpret, "1": self.compile}.get(MODE, self.run_cheaper_tier))

    def serve(self, run: Callable[..., Any]) -> None:
        """Let calls run this function from now on."""
        self.__setstate__((run, (), {}, self.__dict__))  # type: ignore[attr-defined]

    # --- the interpreter ---

    @cached_property
    def callees(self) -> dict[str, Kernel]:
        """The kernels that this one calls, by their names in its module."""
        scope = self.py_func.__globals__
        named = {name: scope.get(name) for name in self.py_func.__code__.co_names}
        return {name: x for name, x in named.items() if isinstance(x, Kernel)}

    @cached_property
    def without_numba(self) -> Callable[..., Any]:
        """The function without Numba: it calls other kernels in their interpreted form."""
        if self.by_numpy is not None:
            return self.by_numpy
        f = self.py_func
        scope = {name: f.__globals__[name] for name in f.__code__.co_names if name in f.__globals__}
        scope |= {name: kernel.without_numba for name, kernel in self.callees.items()}
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
        for kernel in self.with_callees:
            kernel.compiled = True
        return result

    # --- the choice of the tier ---

    def run_cheaper_tier(self, *args: Any) -> Any:
        """Run the call in the tier where it costs less, counting what it saves later to compile now."""
        work = self.work(args)
        if self.compiling_pays(work):
            return self.compile(*args)
        start = perf_counter()
        result = self.interpret(*args)
        seconds = perf_counter() - start
        self.calls, self.steps, self.seconds = self.calls + 1, self.steps + work, self.seconds + seconds
        Kernel.total += seconds
        if self.calls == CALLS_JUDGED and self.seconds < CALLS_JUDGED * CALL:  # judged once
            self.stay_interpreted(args)
        return result

    def stay_interpreted(self, args: tuple[Any, ...]) -> None:
        """Serve interpreted calls from now on, if no call can take long."""
        if all(isinstance(x, (float, tuple)) for x in args):
            self.serve(self.without_numba)
        elif self.loops == 0:
            self.serve(self.interpret)

    def compiling_pays(self, work: float) -> bool:
        """Whether compiling costs less than interpreting the past calls, as many future ones, and this one."""
        prior_weight, step = (PRIOR_WEIGHT << 14, ENTRY) if self.by_numpy else (PRIOR_WEIGHT, STEP)
        ahead = work * (prior_weight * step + self.seconds) / (prior_weight + self.steps)
        gain, total = PAST_AND_FUTURE * self.seconds + ahead, PAST_AND_FUTURE * Kernel.total + ahead
        if gain < LOAD or ("numba" not in sys.modules and total < IMPORT):
            return False
        if not HAS_NUMBA:
            if gain > COMPILE:
                _announce(SLOW)
            return False
        cost = self.compile_seconds
        return gain > cost and ("numba" in sys.modules or total > IMPORT + cost)

    @cached_property
    def with_callees(self) -> frozenset[Kernel]:
        """The kernel itself and all kernels that it calls."""
        return frozenset({self}).union(*(kernel.with_callees for kernel in self.callees.values()))

    @property
    def cached(self) -> bool:
        """Whether an earlier run left the compiled kernel on disk."""
        code = self.py_func.__code__
        folder, file = os.path.split(code.co_filename)
        name = f"{file.removesuffix('.py')}.{self.py_func.__qualname__}-{code.co_firstlineno}"
        return f"{os.path.basename(folder)}/{name}" in _on_disk()

    @property
    def compile_seconds(self) -> float:
        """Seconds that compiling takes, without the import of Numba."""
        if self.compiled or self.cached:
            return LOAD
        return COMPILE * sum(not kernel.compiled for kernel in self.with_callees)

    @cached_property
    def loops(self) -> int:
        """The depth of nested loops, including those of the kernels that this one calls."""
        return max([depth + (self.callees[name].loops if name else 0) for depth, name in _nesting(self)], default=0)

    def work(self, args: tuple[Any, ...]) -> float:
        """The approximate number of runs of the innermost loop: loops are as long as arrays, or as the argument k."""
        shapes: list[tuple[int, ...]] = [x.shape for x in args if isinstance(x, np.ndarray)]
        if not shapes:
            return 1.0
        largest = max(shapes, key=prod)
        names = self.py_func.__code__.co_varnames[: len(args)]
        lengths = {n for shape in shapes for n in shape} | {args[i] for i, name in enumerate(names) if name == "k"}
        extents = sorted([*largest, *(lengths - {*largest})], reverse=True)
        return float(prod(extents[: max(self.loops, len(largest) if self.by_numpy else 0)]))


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


def _nesting(kernel: Kernel) -> Iterator[tuple[int, str]]:
    """Yield (number of enclosing loops, name): name "" for a loop, which counts itself, else that of a called kernel.

    While-loops do not count, nor do for-loops over a range of constants.
    """
    ends: list[int] = []
    inputs = 0  # variables loaded since the last range()
    for x in dis.get_instructions(kernel.py_func):
        while ends and x.offset >= ends[-1]:
            ends.pop()
        if x.opname == "LOAD_GLOBAL" and x.argval == "range":
            inputs = 0
        elif x.opname == "FOR_ITER":
            ends += [x.argval] if inputs else []
            yield len(ends), ""
        elif x.argval in kernel.callees and x.opname == "LOAD_GLOBAL":
            yield len(ends), x.argval
        elif x.opname.startswith(("LOAD_FAST", "LOAD_GLOBAL")):
            inputs += 1


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
