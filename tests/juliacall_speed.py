"""Times of calls through scorio.julia and in Python.

Fails if Julia takes more than 3 times Python's time + 20 ms on a large array, or more than 0.4 ms on a small one.

python tests/juliacall_speed.py [--stand-in JULIA]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np

import scorio
import scorio.julia as bridge

PROJECT = str(Path(__file__).resolve().parents[1] / "julia")


def fastest(f: Callable[[], Any]) -> float:
    """Seconds of the fastest of five calls, after a first call that is not counted."""
    times = []
    for _ in range(6):
        start = perf_counter()
        f()
        times.append(perf_counter() - start)
    return min(times[1:])


def seconds_per_call(f: Callable[[], Any], calls: int = 200) -> float:
    """Seconds per call, from many short calls."""
    return fastest(lambda: [f() for _ in range(calls)]) / calls


def main() -> None:
    """Time a call on four forms of a large array, and small calls."""
    if "--stand-in" in sys.argv:
        import embedded

        embedded.install(sys.argv[-1])
    R = np.arange(1_000_000 * 64, dtype=np.int64).reshape(-1, 64) * 48271 % 2147483647 % 5
    binary, slow = (R > 1).astype(np.int8), []
    arrays_by_form = {
        "C": binary,
        "Fortran": np.asfortranarray(binary),
        "int64": R % 2,
        "strides": np.repeat(binary, 2, 1)[:, ::2],
    }
    for form, x in arrays_by_form.items():
        julia = fastest(lambda x=x: bridge.call("bayes", x, project=PROJECT))  # type: ignore[misc]
        python = fastest(lambda x=x: scorio.eval.bayes(x))  # type: ignore[misc]
        print(f"{form}: Julia {julia * 1e3:.1f} ms, Python {python * 1e3:.1f} ms")
        slow += [form] * (julia > 3 * python + 0.02)
    small = binary[:30, :12]
    for name, arguments, options in (
        ("bayes", (), {}),
        ("pass_at_k", (2,), {}),
        ("mean_ci", (), {"questions": "fixed"}),
    ):
        python = seconds_per_call(partial(getattr(scorio.eval, name), small, *arguments, **options))
        julia = seconds_per_call(partial(bridge.call, name, small, *arguments, project=PROJECT, **options))
        print(f"{name}, 30 x 12: Julia {julia * 1e6:.0f} us, Python {python * 1e6:.0f} us a call")
        slow += [name] * (julia > 4e-4)
    sys.exit(f"slow: {slow}" if slow else 0)


if __name__ == "__main__":
    main()
