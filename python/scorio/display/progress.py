"""A progress bar on the terminal for long computations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

ERASE = "\x1b[K"  # erases the rest of the line of a terminal

_shown = [False]  # whether a bar is shown now, in a list so that bar() can change it


@contextmanager
def bar(what: str, total: int, progress: bool | None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar, and yield a function that advances it by a number of steps.

    With progress=None the bar is shown only on a terminal. Only one bar is shown at a time: while a folder has a bar,
    its files have none.
    """
    if progress is False or (progress is None and not _on_terminal()) or _shown[0]:
        yield lambda steps: None
        return
    _shown[0], done, start, terminal = True, 0, perf_counter(), _on_terminal()

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        left = (perf_counter() - start) * (total - done) / done if done else 0.0
        time = f", {left:.0f} s left" if terminal and left >= 1.0 else ""
        end = ERASE if terminal else "\n" if done == total else ""
        print(f"\r{what}: {done} of {total}{time}", end=end, file=sys.stderr, flush=True)

    try:
        yield advance
    finally:
        _shown[0] = False
        if terminal:
            print("\r" + ERASE, end="", file=sys.stderr, flush=True)


def _on_terminal() -> bool:
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
