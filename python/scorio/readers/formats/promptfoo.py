"""promptfoo: results.json, results.jsonl and exports, with a row for each answer in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import shown
from ..claims import claim
from ..options import Which
from ..records import Trial, UniqueTrialId
from ..text_files import SourceLocation
from .fields import Format, at, digest, has, key, same_metric, text_at, trial_costs, wrong

ERROR = 2  # failureReason of a row that ended in an error
ADDED = ("_conversation", "sessionId", "__")  # beginnings of variables that promptfoo adds to each answer


class Row(NamedTuple):
    """One answer, with the fields that a trial needs."""

    position: tuple[int, str]  # line and entry
    model: str
    prompt: str
    question: str
    id: str | None
    outcome: Any
    costs: dict[str, Any]


def document(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials in results.json, or in an export."""
    rows = key(key(log, "results", dict), "results", list)

    def located_rows() -> Iterator[Any]:
        for i, row in enumerate(rows):
            location.entry = f"results.results[{i}]"
            yield row

    yield from lines(located_rows(), location, which)
    stated = {name: at(log, "results", "stats", name) for name in ("successes", "failures", "errors")}
    if all(type(x) is int for x in stated.values()):
        claim(location, "rows", sum(stated.values()), "trials")
    if location.chosen_metrics.get("promptfoo ", ("",))[0] == "success":  # the key of same_metric without a task
        for (name, x), kind in zip(stated.items(), ("successes", "failures", "missing"), strict=True):
            claim(location, name, x, kind)


def lines(rows: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials scored by success or another score; a question is its variables, assertions and description.

    A row that ended in an error is missing. testIdx does not identify a question: each repetition has a new number.
    """
    chosen = ""
    answers = []
    for row in rows:
        key(row, "testCase", dict)
        if not chosen:
            names = list(key(row, "namedScores", dict)) if "namedScores" in row else []
            requested = (which or Which()).requested(["success", "score", *names], "outcomes")
            chosen = same_metric(requested or "success", "promptfoo", location)
        answers.append(_row(row, location, chosen))
    prompts: dict[str, set[str]] = {}
    for row in answers:
        prompts.setdefault(row.model, set()).add(row.prompt)
    for row in answers:
        location.line, location.entry = row.position
        model = f"{row.model} [{row.prompt}]" if len(prompts[row.model]) > 1 else row.model
        yield Trial(
            model, row.question, None if row.id is None else UniqueTrialId(row.id), row.outcome, costs=row.costs
        )


def _row(row: Any, location: SourceLocation, chosen: str) -> Row:
    case = key(row, "testCase", dict)
    variables = {name: x for name, x in key(row, "vars", dict).items() if not name.startswith(ADDED)}
    question = digest(variables, case.get("assert"), case.get("description"))
    provider = row.get("provider")
    model = text_at(provider, "label") or text_at(provider, "id") or text_at(row, "provider")
    if model is None:
        raise wrong(f"provider is {shown(provider)}: it names no model")
    prompt = text_at(row, "prompt", "label") or text_at(row, "prompt", "raw") or str(row.get("promptIdx"))
    outcome = None
    if row.get("failureReason") != ERROR:
        outcome = key(row, chosen) if chosen in ("success", "score") else key(key(row, "namedScores", dict), chosen)
    costs = trial_costs(row, cost=("cost",), tokens=("tokenUsage.total",), milliseconds=("latencyMs",))
    return Row((location.line, location.entry), model, prompt, question, text_at(row, "id"), outcome, costs)


def _is_row(x: Any) -> bool:
    return has(x, "testCase", "success", "provider", "vars")


FORMATS = (
    Format(
        "promptfoo",
        "json",
        lambda log: has(log, "results") and has(log["results"], "results", "version"),
        document,
        metric="success",
    ),
    Format("promptfoo", "lines", _is_row, lines, metric="success"),
)
