"""A progress bar on the terminal for long computations."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_shown = [False]  # whether a bar is shown: only one at a time


@contextmanager
def bar(what: str, total: int, progress: bool | None) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances the bar. progress None: only on a terminal; rich draws it if installed.

    A bar within another, such as that of a file within that of its folder, is not shown.
    """
    if progress is False or (progress is None and not _terminal()) or _shown[0]:
        yield lambda more: None
        return
    _shown[0] = True
    try:
        with _visible_bar(what, total) as advance:
            yield advance
    finally:
        _shown[0] = False


def _terminal() -> bool:
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()


@contextmanager
def _visible_bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        done += more
        print(f"\r{what}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    if _terminal() and importlib.util.find_spec("rich") is not None:
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as display:
            task = display.add_task(what, total=total)
            yield lambda more: display.advance(task, more)
    else:
        yield advance
