"""The instance-level logs of every_eval_ever: a line for each sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ..accumulator import Trial
from ..choices import Which
from ..text_files import Place
from .fields import Format, choose, has, key, settled


def records(lines: Iterable[Any], place: Place, which: Which | None) -> Iterator[Trial]:
    """is_correct, or score; lines of a sample are its trials, in the order of each evaluation."""
    order = Counter[tuple[str, ...]]()
    for line in lines:
        model, task = key(line, "model_id", str), key(line, "evaluation_name", str)
        run, sample = key(line, "evaluation_id", str), key(line, "sample_id", str, int)
        found = key(line, "evaluation", dict)
        asked = (which or Which()).among([x for x in ("is_correct", "score") if x in found], "outcomes", task)
        chosen = settled(asked or choose(None, ["is_correct"], "outcomes"), "every_eval_ever", place, task)
        at = (model, task, run, str(sample))
        order[at] += 1
        yield Trial(model, sample, f"{run}/{order[at]}", key(found, chosen), None, task)


FORMAT = Format(
    "every_eval_ever",
    "lines",
    lambda line: has(line, "evaluation_id", "model_id", "evaluation_name", "sample_id", "evaluation"),
    records,
)
