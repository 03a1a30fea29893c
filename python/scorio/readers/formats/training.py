"""Responses of verl during training, and the table of eval-arena."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..claims import claim
from ..records import UNKNOWN, SuccessCount
from ..text_files import SourceLocation
from .declared import Rows, declared
from .fields import Format, digest, has, key


def arena(lines: Iterable[Any], location: SourceLocation, which: Any) -> Iterator[SuccessCount]:
    """Success counts of each model and example."""
    averages = []
    for x in lines:
        task = key(x, "benchmark_id", str) if "benchmark_id" in x else None
        averages.append(x.get("pass1"))
        c, n = key(x, "correct"), key(x, "count")
        yield SuccessCount(key(x, "model"), key(x, "example_id"), c, n, None, task, rest=x)
    if all(type(x) in (int, float) and 0 <= x <= 1 for x in averages):
        claim(location, "the average pass1", sum(averages) / len(averages))


FORMATS = (
    declared(
        "verl", "lines", lambda line: has(line, "input", "output", "score", "step"),
        Rows("$", lambda row: digest(key(row.own, "input"), row.own.get("gts")), "{}", in_order=True,
             choices=lambda line: [name for name in ("acc", "score") if name in line],
             answer=lambda row: row.own.get("pred", UNKNOWN)),
    ),
    Format(
        "eval-arena", "lines", lambda line: has(line, "model", "example_id", "correct", "count"), arena,
        metric="correct",
    ),
)  # fmt: skip
