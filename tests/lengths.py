"""How much of a long check a run does: all of it with --long, else a part of it that takes seconds."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

LONG = bool(os.environ.get("SCORIO_LONG"))  # set by the option --long in conftest.py, for its worker processes too


def scaled(long: int, short: int) -> int:
    """Number of examples: the first with --long, else the second."""
    return long if LONG else short


def part(cases: Iterable[Any], every: int) -> list[Any]:
    """Cases of a parametrized test, of which those that are not an nth one run only with --long."""
    listed = [x if isinstance(x, tuple) else (x,) for x in cases]
    return [pytest.param(*x, marks=[pytest.mark.long] if i % every else []) for i, x in enumerate(listed)]
