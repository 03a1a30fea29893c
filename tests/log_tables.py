"""Small tables of outcomes, and checks of how they are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorio import InvalidInput
from scorio.io import Evaluation, read

HEAD = "model,question,trial,outcome\n"
ROWS = [("a", "x", 0, 1), ("a", "x", 1, 0), ("b", "x", 0, 0), ("a", "y", 0, 1), ("b", "x", 1, 0), ("a", "y", 1, 1),
        ("b", "x", 2, 0)]  # fmt: skip


def tables(e: Evaluation) -> dict[str, dict[str, list[int]]]:
    """Counts of each question of each model."""
    return {m: dict(zip(log.ids, log.counts.table.tolist(), strict=True)) for m, log in e.pooled().logs.items()}


def refused(path: Path, code: str, argument: str, location: str | int | None = None, **options) -> str:
    """Check that read() raises this error; return its message without the location."""
    with pytest.raises(InvalidInput) as e:
        read(path, **options)
    assert (e.value.code, e.value.argument) == (code, argument), str(e.value)
    start = f"{path}{f':{location}' if location else ''}: "
    assert str(e.value).startswith(start), str(e.value)
    assert "\n" not in str(e.value)
    return str(e.value)[len(start) :]


def delimited(delimiter: str, end: str = "\n") -> str:
    """The table ROWS as text, with this delimiter and end of line."""
    lines = [("model", "question", "trial", "outcome"), *ROWS]
    return "".join(delimiter.join(map(str, row)) + end for row in lines)
