"""lm-evaluation-harness: samples_<task>_<date>.jsonl in a folder a model, a line for each document and filter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import InvalidInput
from .. import values
from ..accumulator import Tallied, Trial
from ..text_files import Place, shown
from .fields import Format, has, key, settled, successes, unclear, wrong

FILE = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[.\d]*")
OWN = {  # what a line holds beside its metrics, for logs from before they were listed
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash",
    "target_hash",
}  # fmt: skip
AVERAGES = re.compile(r"(.*(avg|mean|average).*|[^@]*@1)", re.IGNORECASE)


def records(objects: Iterable[Any], place: Place, which: str | None) -> Iterator[Trial | Tallied]:
    """One metric of one filter: an outcome of a document, or an average over its K responses."""
    found = FILE.fullmatch(place.file.stem)
    model, task = (place.folder(), found[1]) if found else (place.model(), None)
    seen: dict[str, None] = {}
    chosen, averages, fractions, unsure = None, False, False, 0
    waiting: dict[str, int] = {}  # the line of each document until it has an outcome, then 0
    rest = iter(objects)
    for line in rest:
        question, names = values.id_of(key(line, "doc_id"), "question"), _names(line)
        waiting.setdefault(question, place.line)
        seen |= dict.fromkeys(names)
        for name in names:
            if which in (None, name, *name.split(",")):
                chosen = chosen or settled(name, "lm-evaluation-harness", place, task)
                if name != chosen:
                    seen |= {other: None for line in rest for other in _names(line)}
                    place.whole()
                    raise unclear(which, seen, "metrics of filters")
        if chosen not in names:
            continue
        waiting[question] = 0
        metric = chosen.split(",")[0]
        value, K = key(line, metric), _responses(line)
        if K == 1:
            yield Trial(model, question, None, value, None, task)
            continue
        averages, c = True, _successes(value, K, metric)
        fractions = fractions or 0 < c < K
        unsure = unsure or (0 if AVERAGES.fullmatch(metric) else place.line)
        yield Tallied(model, question, c, K, None, task)
    if chosen is None:
        place.whole()
        raise unclear(which, seen, "metrics of filters") if seen else wrong("there is no metric in it")
    for question, place.line in ((question, line) for question, line in waiting.items() if line):
        if averages:
            raise InvalidInput("missing", "outcome", f"document {shown(question)} has no {chosen}, an average")
        yield Trial(model, question, None, None, None, task)
    if unsure and not fractions:
        place.line = unsure
        said = f"{metric} is 0 or 1 for every document of several responses: it may be no average of them"
        raise wrong(f"{said} (give c and n as a table)")


def _names(line: Any) -> list[str]:
    """The metrics that a line holds, each with its filter where it says one."""
    if "metrics" in line:
        metrics = key(line, "metrics", list)
        if not all(type(m) is str for m in metrics):
            raise wrong(f"metrics is {shown(metrics)}, not a list of names")
    else:
        metrics = [name for name in line if name not in OWN]
    if "filter" not in line:
        return metrics
    named = key(line, "filter", str)
    return [f"{metric},{named}" for metric in metrics]


def _responses(line: Any) -> int:
    """How many responses the metric is computed from: a filter may have taken one of them."""
    asked, left = key(line, "resps", list), key(line, "filtered_resps", list)
    if not asked or type(asked[0]) is not list or len(asked[0]) <= 1:
        return 1
    if len(left) != len(asked):
        raise wrong(f"{len(asked)} resps and {len(left)} filtered_resps")
    one = left[0]
    if type(one) is not list or not one or (type(asked[0][0]) is list) != (type(one[0]) is list):
        return 1  # text, or the pair of a likelihood
    return len(one)


def _successes(value: Any, K: int, metric: str) -> int:
    """c of an average over K responses."""
    if "@" in metric and not AVERAGES.fullmatch(metric):
        raise wrong(f"{metric} is no average of {K} outcomes")
    return successes(value, K, metric)


FORMAT = Format(
    "lm-evaluation-harness",
    "lines",
    lambda line: has(line, "doc_id", "resps", "filtered_resps"),
    records,
    chooses=True,
    one=True,
)
