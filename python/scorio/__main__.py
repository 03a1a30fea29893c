"""Entry point of ``scorio`` and of ``python -m scorio``: signals are handled before the command is imported."""

import os
import sys
from contextlib import suppress

from . import saving


def main() -> int:
    """Run the command and return its exit code."""
    saving.watch()
    from .cli import main as run  # imported late, since a signal may arrive during its imports

    try:
        return run()
    finally:
        _leave_stderr()


def _leave_stderr() -> None:
    """Redirect stderr to the null device if it is full or closed: Python, which flushes it, would exit with 120."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


if __name__ == "__main__":
    sys.exit(main())
