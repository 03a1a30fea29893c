"""OpenAI evals: the event log of oaieval, and the output items of the hosted API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import Trial, Unfinished, UniqueTrialId
from ..text_files import SourceLocation
from .fields import Format, at, has, key, same_metric, text_at, wrong


def events(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial | Unfinished]:
    """Trials scored by match or by a metric, with the ids of their events, else numbered in the order of events."""
    model, task, run, chosen, metric, ended, accuracy = "", None, "", "", "", False, None
    wanted, n_runs, unfinished = True, 0, False
    counter = AnswerCounter(location)
    which = which or Which()
    for line in lines:
        if has(line, "spec"):  # of a run; a file may have several, each with its own metric and report
            unfinished |= n_runs > 0 and wanted and not ended
            ended, chosen = False, ""
            spec = key(line, "spec", dict)
            models = key(spec, "completion_fns", list)
            model, task = text_at(models[0] if models else None) or "", text_at(spec, "eval_name")
            run = text_at(spec, "run_id") or ""
            wanted = which.wants(task)
            n_runs += wanted
            if not wanted:  # a further run in the file may have a task that is wanted
                yield Trial(model or location.folder(), "", None, None, None, task)
            continue
        if has(line, "final_report"):
            ended = True
            if wanted:
                accuracy = at(line, "final_report", "accuracy")
        data = line.get("data")
        scores = _scores(line.get("type"), data) if wanted else {}
        if not scores:
            continue
        if not model:
            raise wrong("the spec of the run names no completion_fns")
        if not chosen:
            chosen = metric = same_metric(which.choose(scores, "metrics", task), "openai-evals", location, task)
        if chosen in scores:
            sample = key(line, "sample_id", str)
            # a repeated event has the same trial id, and so is an error rather than a further trial
            event = line.get("event_id") if "event_id" in line else counter.next(sample, line)
            yield Trial(model, sample, f"{run}/{event}", scores[chosen], None, task)
    if metric == "match" and n_runs == 1:  # each of several runs states its own accuracy
        claim(location, "accuracy", accuracy, "rate")
    if unfinished or (wanted and not ended):
        location.leave_line()
        yield Unfinished("the run has no final_report: samples that it did not reach are missing")


def _scores(kind: Any, data: Any) -> dict[str, Any]:
    """The outcomes in an event, by name."""
    if type(data) is not dict:
        return {}
    if kind == "match":
        return {"match": key(data, "correct")}
    return {name: x for name, x in data.items() if type(x) in (bool, int, float)} if kind == "metrics" else {}


def items(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials in output items, scored by whether they pass a grader."""
    which = which or Which()
    chosen = ""
    for line in lines:
        results = {key(x, "name", str): x for x in key(line, "results", list)}
        if results and not chosen:
            chosen = same_metric(which.choose(results, "graders"), "openai-evals", location)
        model = text_at(line, "sample", "model")
        if model is None:
            raise wrong("sample names no model")
        outcome = key(results[chosen], "passed") if chosen in results else None
        trial = UniqueTrialId(key(line, "id", str)) if "id" in line else None
        yield Trial(model, key(line, "datasource_item_id", int, str), trial, outcome)


def _items_of_list(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    yield from items(key(log, "data", list), location, which)


def _is_item(x: Any) -> bool:
    return has(x, "object", "results") and x["object"] == "eval.run.output_item"


FORMATS = (
    Format("openai-evals", "lines", lambda line: has(line, "spec") and has(line["spec"], "completion_fns"), events),
    Format("openai-evals", "lines", _is_item, items),
    Format(
        "openai-evals",
        "json",
        lambda log: has(log, "data") and type(log["data"]) is list and bool(log["data"]) and _is_item(log["data"][0]),
        _items_of_list,
    ),
)
