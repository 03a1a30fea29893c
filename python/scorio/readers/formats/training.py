"""Responses of verl during training, and the table of eval-arena."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import UNKNOWN, SuccessCount, Trial
from ..text_files import SourceLocation
from .fields import Format, choose, digest, has, key, same_metric


def verl(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials in the lines of verl; the id of a question is a hash of the input and the ground truth."""
    model, counter, column = location.model(), AnswerCounter(location), ""
    for line in lines:
        if not column:
            available = [name for name in ("acc", "score") if name in line]
            requested = (which or Which()).requested(available, "outcomes")
            column = same_metric(requested or choose(None, available[:1], "outcomes"), "verl", location)
        question = digest(key(line, "input"), line.get("gts"))
        answer = line.get("pred", UNKNOWN)
        yield Trial(model, question, counter.next(question, line), key(line, column), answer=answer)


def arena(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[SuccessCount]:
    """Success counts of each model and example."""
    averages = []
    for line in lines:
        task = key(line, "benchmark_id", str) if "benchmark_id" in line else None
        averages.append(line.get("pass1"))
        yield SuccessCount(
            key(line, "model"), key(line, "example_id"), key(line, "correct"), key(line, "count"), None, task
        )
    if all(type(x) in (int, float) and 0 <= x <= 1 for x in averages):
        claim(location, "the average pass1", sum(averages) / len(averages))


FORMATS = (
    Format("verl", "lines", lambda line: has(line, "input", "output", "score", "step"), verl),
    Format(
        "eval-arena",
        "lines",
        lambda line: has(line, "model", "example_id", "correct", "count"),
        arena,
        metric="correct",
    ),
)
