"""The instance-level logs of every_eval_ever: a line for each sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..accumulator import Trial
from ..choices import Which
from ..claims import Order, claim
from ..text_files import Place
from .fields import Format, at, beside, choose, has, key, settled


def records(lines: Iterable[Any], place: Place, which: Which | None) -> Iterator[Trial]:
    """is_correct, or score; lines of a sample are its trials, in the order of each evaluation."""
    order = Order(place)
    own = at(beside(place, f"{place.stem.removesuffix('_samples')}.json"), "evaluation_results")
    for line in lines:
        model, task = key(line, "model_id", str), key(line, "evaluation_name", str)
        run, sample = key(line, "evaluation_id", str), key(line, "sample_id", str, int)
        found = key(line, "evaluation", dict)
        asked = (which or Which()).among([x for x in ("is_correct", "score") if x in found], "outcomes", task)
        chosen = settled(asked or choose(None, ["is_correct"], "outcomes"), "every_eval_ever", place, task)
        this = (model, task, run, str(sample))
        yield Trial(model, sample, f"{run}/{order.next(this, line)}", key(found, chosen), None, task)
    tasks = {task for _, task, *_ in order.of}
    for x in own if type(own) is list and len(tasks) == 1 else []:
        if at(x, "evaluation_name") in tasks:
            claim(place, "score", at(x, "score_details", "score"))


FORMAT = Format(
    "every_eval_ever",
    "lines",
    lambda line: has(line, "evaluation_id", "model_id", "evaluation_name", "sample_id", "evaluation"),
    records,
)
