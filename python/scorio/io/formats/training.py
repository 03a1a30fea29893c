"""Rollouts of verl, and the table of eval-arena."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from ..accumulator import Tallied, Trial
from ..text_files import Place
from .fields import Format, choose, has, key, settled


def verl(lines: Iterable[Any], place: Place, which: str | None) -> Iterator[Trial]:
    """A line for each response. Questions have no name: theirs is a digest of the input and the ground truth."""
    model, order, column = place.model(), Counter[str](), ""
    for line in lines:
        if not column:
            there = [name for name in ("acc", "score") if name in line]
            column = settled(choose(which or next(iter(there), None), there, "outcomes"), "verl", place)
        asked = json.dumps([key(line, "input"), line.get("gts")], sort_keys=True)
        question = sha256(asked.encode()).hexdigest()[:16]
        order[question] += 1
        yield Trial(model, question, order[question], key(line, column))


def arena(lines: Iterable[Any], place: Place, which: str | None) -> Iterator[Tallied]:
    """Counts of each model and example."""
    for line in lines:
        task = key(line, "benchmark_id", str) if "benchmark_id" in line else None
        yield Tallied(key(line, "model"), key(line, "example_id"), key(line, "correct"), key(line, "count"), None, task)


FORMATS = (
    Format("verl", "lines", lambda line: has(line, "input", "output", "score", "step"), verl, chooses=True),
    Format("eval-arena", "lines", lambda line: has(line, "model", "example_id", "correct", "count"), arena),
)
