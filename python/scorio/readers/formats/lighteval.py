"""lighteval: a row for each document, whose metrics are averages over its responses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import shown
from ..claims import claim
from ..options import Which
from ..records import SuccessCount
from ..text_files import InferredName, SourceLocation
from .fields import at, choose, document_beside, key, same_metric, successes, wrong


def records(rows: Iterable[Any], location: SourceLocation, which: Which | None = None) -> Iterator[SuccessCount]:
    """Success counts in rows with doc, metric and model_response. The caller sets the location of each row."""
    name, chosen = model(location), None
    for row in rows:
        doc, metrics = key(row, "doc", dict), key(row, "metric", dict)
        if chosen is None:
            task = doc.get("task_name")
            chosen = same_metric(choose(which, metrics, "metrics", task), "lighteval", location, task)
            claim(location, chosen, at(_results(location), "results", task, chosen))
        responses = key(key(row, "model_response", dict), "text", list)
        value, n = key(metrics, chosen), _trials(chosen, len(responses))
        yield SuccessCount(name, key(doc, "id"), successes(value, n, chosen), n, None, doc.get("task_name"))


def model(location: SourceLocation) -> InferredName:
    """The model in the path of a file: details/<model>/<date>/details_<task>_<date>.parquet."""
    dated = location.file.resolve().parent
    folders = dated.parts
    if "details" in folders:
        names = folders[len(folders) - folders[::-1].index("details") : -1]
        if names:
            return InferredName("/".join(names), str(dated.parent))
    return location.model()


def _results(location: SourceLocation) -> Any:
    """The results of this run in results/<model>/results_<date>.json; None where there is no such file."""
    dated = location.file.resolve().parent
    parts = dated.parts
    if "details" not in parts:
        return None
    up = parts[::-1].index("details")
    folders = ("results", *parts[len(parts) - up : -1], f"results_{dated.name}.json")
    return document_beside(location, "/".join((*[".."] * (up + 1), *folders)))


def _trials(metric: str, n_responses: int) -> int:
    """The number of outcomes that a metric averages, such as 16 for avg@n:n=16 and pass@k:k=1&n=16."""
    base, _, parameters = metric.partition(":")
    options = dict(pair.split("=", 1) for pair in parameters.split("&") if "=" in pair)
    k, n = (_integer(options.get(x)) for x in ("k", "n"))
    if "avg@" in base:
        return n or k or max(n_responses, 1)
    if "pass@" in base and (k == 1 or (k is None and base.endswith("pass@1"))):
        return n or max(n_responses, 1)
    if "@" in base or n_responses > 1:
        raise wrong(f"metric {shown(metric)} is not an average over {n or n_responses} responses")
    return 1


def _integer(text: str | None) -> int | None:
    return int(text) if text and len(text) < 10 and text.isascii() and text.isdigit() else None
