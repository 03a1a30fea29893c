"""Entry point of ``scorio`` and of ``python -m scorio``: signals are handled before the command is imported."""

import sys

from . import saving


def main() -> int:
    """Run the command and return its exit code."""
    saving.watch()
    from .cli import main as run  # imported late, since a signal may arrive during its imports

    return run()


if __name__ == "__main__":
    sys.exit(main())
