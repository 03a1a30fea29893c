"""A progress bar on the terminal for long computations."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_shown = [False]  # whether a bar is shown now, in a list so that bar() can change it


@contextmanager
def bar(what: str, total: int, progress: bool | None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar, and yield a function that advances it by a number of steps.

    With progress=None the bar is shown only on a terminal. The package rich draws it there, if it is installed. Only
    one bar is shown at a time: while a folder has a bar, its files have none.
    """
    if progress is False or (progress is None and not _on_terminal()) or _shown[0]:
        yield lambda steps: None
        return
    _shown[0] = True
    try:
        with _visible_bar(what, total) as advance:
            yield advance
    finally:
        _shown[0] = False


def _on_terminal() -> bool:
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()


@contextmanager
def _visible_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield the function that advances a visible bar: drawn by rich on a terminal if installed, else a line of text."""
    done = 0

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        print(f"\r{what}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    if _on_terminal() and importlib.util.find_spec("rich") is not None:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as display:
            task = display.add_task(what, total=total)
            yield lambda steps: display.advance(task, steps)
    else:
        yield advance
