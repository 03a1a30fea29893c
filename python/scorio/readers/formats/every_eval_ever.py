"""The instance-level logs of every_eval_ever: a line for each sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, at, document_beside, has, key, same_metric


def records(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials scored by is_correct or score; in an evaluation, the lines of a sample are its trials, in order."""
    which, counter, requested = which or Which(), AnswerCounter(location), None
    stated = at(document_beside(location, f"{location.stem.removesuffix('_samples')}.json"), "evaluation_results")
    for line in lines:
        model, task = key(line, "model_id", str), key(line, "evaluation_name", str)
        run, sample = key(line, "evaluation_id", str), key(line, "sample_id", str, int)
        result = key(line, "evaluation", dict)
        if not which.wants(task):
            yield Trial(model, sample, None, None, None, task)
            continue
        requested = which.requested([x for x in ("is_correct", "score") if x in result], "outcomes", task)
        chosen = same_metric(requested or "is_correct", "every_eval_ever", location, task)
        in_run = (model, task, run, str(sample))
        yield Trial(model, sample, f"{run}/{counter.next(in_run, line)}", key(result, chosen), None, task, rest=line)
    tasks = {task for _, task, *_ in counter.counts}
    # which of several outcomes the stated score is the average of is known only where none was requested
    for x in stated if type(stated) is list and len(tasks) == 1 and not requested else []:
        if at(x, "evaluation_name") in tasks:
            claim(location, "score", at(x, "score_details", "score"))


FORMAT = Format(
    "every_eval_ever",
    "lines",
    lambda line: has(line, "evaluation_id", "model_id", "evaluation_name", "sample_id", "evaluation"),
    records,
)
