"""How much of a long check a run does: all of it with --long, else a part of it that takes seconds."""

from __future__ import annotations

import os

LONG = bool(os.environ.get("SCORIO_LONG"))  # set by the option --long in conftest.py, for its worker processes too


def scaled(long: int, short: int) -> int:
    """Number of examples: the first with --long, else the second."""
    return long if LONG else short
