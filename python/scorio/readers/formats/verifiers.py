"""verifiers and prime-rl: traces.jsonl of an evaluation; before version 1.0, results.jsonl beside metadata.json."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import shown
from .. import values
from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import Trial, UniqueTrialId
from ..text_files import SourceLocation
from .fields import Format, at, digest, document_beside, has, key, same_metric, text_at, wrong


def results(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials scored by the reward or a function of the rubric; the rollouts of an example are in the order of lines."""
    metadata = document_beside(location, "metadata.json")
    model, task = (
        text_at(metadata, "model") or location.folder(),
        text_at(metadata, "env") or text_at(metadata, "env_id"),
    )
    which, chosen, rollouts = which or Which(), "", AnswerCounter(location)
    which.require(task)
    for line in lines:
        if not chosen:
            numbers = [
                x for x in line if type(line[x]) in (int, float, bool) and x not in ("example_id", "generation_ms")
            ]
            chosen = same_metric(which.requested(numbers, "rewards", task) or "reward", "verifiers", location, task)
        example = values.id_of(key(line, "example_id"), "question")
        yield Trial(model, example, rollouts.next(example, line), key(line, chosen), None, task, rest=line)
    examples, per_example = at(metadata, "num_examples"), at(metadata, "rollouts_per_example")
    if type(examples) is type(per_example) is int and examples > 0:
        claim(location, "num_examples x rollouts_per_example", examples * per_example, "trials")
    if chosen == "reward":
        claim(location, "avg_reward", at(metadata, "avg_reward"), "rate")


def episodes(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials scored by the weighted sum of an agent's rewards; missing after an error, or without this agent."""
    which = which or Which()
    chosen = ""
    for line in lines:
        task, question_data = text_at(line, "env"), key(line, "task", dict)
        if not which.wants(task):
            yield Trial(location.folder(), "", None, None, None, task)
            continue
        for x in key(line, "traces", list):
            key(x, "agent")  # raises where a trace has no agent
        traces = {text_at(x, "agent", "name") or "agent": x for x in key(line, "traces", list)}
        if traces and not chosen:
            chosen = which.choose(traces, "agents", task)
            same_metric("reward", "verifiers", location, task)
        trace = traces.get(chosen, {})
        model = text_at(trace, "agent", "config", "model") or text_at(trace, "agent", "config", "model", "name")
        if trace and model is None:
            raise wrong(f"agent is {shown(trace.get('agent'))}: it names no model")
        if line.get("errors") or line.get("ok") is False or not trace:
            outcome = None
        else:
            outcome = _reward(key(trace, "rewards", dict))
        trial = UniqueTrialId(key(line, "id", str)) if "id" in line else None
        yield Trial(model or location.folder(), _question(question_data), trial, outcome, None, task)


def _question(task: Any) -> Any:
    """The id of a task, or else a hash of its content."""
    data = task.get("data")
    fields = data if type(data) is dict else {}
    candidates = (task.get("key"), fields.get("id"), fields.get("idx"), fields.get("name"))
    id_ = next((x for x in candidates if type(x) in (str, int) and str(x).strip()), None)
    return digest(task) if id_ is None else id_


def _reward(rewards: dict[str, Any]) -> float | None:
    """The weighted sum of rewards, without null ones; None where a score or weight is missing, or none is left."""
    total, has_score = 0.0, False
    for name, x in rewards.items():
        if x is None:
            continue
        score, weight = values.number(key(x, "score"), name), values.number(x.get("weight", 1), name)
        if score is None or weight is None:
            return None
        total, has_score = total + float(score) * float(weight), True
    return total if has_score else None


FORMATS = (
    Format(
        "verifiers",
        "lines",
        lambda line: has(line, "example_id", "reward") and ("prompt" in line or "completion" in line),
        results,
        metric="reward",
    ),
    Format("verifiers", "lines", lambda line: has(line, "traces", "task"), episodes, metric="reward"),
)
