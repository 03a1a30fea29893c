"""Evaluations beside training: verl, eval-arena, verifiers and prime-rl, NeMo-Skills."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import shown
from .. import values
from ..check import model_in
from ..claims import AnswerCounter, claim
from ..options import Which
from ..records import UNKNOWN, SuccessCount, Trial, UniqueTrialId
from ..text_files import InferredName, SourceLocation
from .fields import Format, Rows, at, choose, declared, digest, document_beside, has, key, same_metric, text_at, wrong

# --- Responses of verl during training, and the table of eval-arena ---


def arena(lines: Iterable[Any], location: SourceLocation, which: Any) -> Iterator[SuccessCount]:
    """Success counts of each model and example."""
    averages = []
    for x in lines:
        task = key(x, "benchmark_id", str) if "benchmark_id" in x else None
        averages.append(x.get("pass1"))
        c, n = key(x, "correct"), key(x, "count")
        yield SuccessCount(key(x, "model"), key(x, "example_id"), c, n, None, task, rest=x)
    if all(type(x) in (int, float) and 0 <= x <= 1 for x in averages):
        claim(location, "the average pass1", sum(averages) / len(averages))


TRAINING = (
    declared(
        "verl", "lines", lambda line: has(line, "input", "output", "score", "step"),
        Rows("$", lambda row: digest(key(row.own, "input"), row.own.get("gts")), "{}", in_order=True,
             choices=lambda line: [name for name in ("acc", "score") if name in line],
             answer=lambda row: row.own.get("pred", UNKNOWN)),
    ),
    Format(
        "eval-arena", "lines", lambda line: has(line, "model", "example_id", "correct", "count"), arena,
        metric="correct",
    ),
)  # fmt: skip


# --- verifiers and prime-rl: traces.jsonl of an evaluation; before version 1.0, results.jsonl beside metadata.json ---


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


VERIFIERS = (
    Format(
        "verifiers",
        "lines",
        lambda line: has(line, "example_id", "reward") and ("prompt" in line or "completion" in line),
        results,
        metric="reward",
    ),
    Format("verifiers", "lines", lambda line: has(line, "traces", "task"), episodes, metric="reward"),
)


# --- NeMo-Skills: eval-results/<benchmark>/output-rs<seed>.jsonl, a line for each problem ---


SEED = re.compile(r"output-rs(\d+)")
AVERAGE = re.compile(r"pass@1\[(avg-of-)?\d+\]")
JUDGED = re.compile(r"judgement:\s*(yes|no)\b", re.IGNORECASE)
OUTCOMES = ("symbolic_correct", "is_correct", "judgement")


def nemo_skills(lines: Iterable[Any], location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of problems by seed; the question is the id of the problem, or else a hash of its content.

    A problem that a file has several times is a different question each time.
    """
    model, task = _model_and_task(location)
    (which or Which()).require(task)
    seed = SEED.match(location.stem)
    trial, chosen, counter = seed[1] if seed else "0", "", AnswerCounter(location)
    for line in lines:
        if not chosen:
            available = [name for name in OUTCOMES if name in line]
            chosen = same_metric(choose(which, available, "outcomes", task), "nemo-skills", location, task)
            _add_claims(location, task, chosen)
        question = _problem(line)
        n = counter.next((model_in(line), question), line)
        suffix = f" ({n})" if n > 1 else ""
        value = key(line, chosen)
        outcome, answer = _judged(value) if chosen == "judgement" else value, line.get("predicted_answer", UNKNOWN)
        yield Trial(model, question + suffix, trial, outcome, None, task, answer=answer, rest=line)


def _add_claims(location: SourceLocation, task: str | None, chosen: str) -> None:
    """Note the averages over seeds in metrics.json, which are in percent."""
    stated = at(document_beside(location, "metrics.json"), (task or "").rpartition("/")[2])
    document, name = f"{location.file.parent / 'metrics.json'}", "judge_correct" if chosen == "judgement" else chosen
    for what in stated if type(stated) is dict else ():
        if AVERAGE.fullmatch(what) or (what == "pass@1" and not any(map(AVERAGE.fullmatch, stated))):
            claim(location, f"{what} {name}", at(stated, what, name), unit=100, digits=2, document=document)
            claim(location, "num_entries", at(stated, what, "num_entries"), "questions", document=document)


def _model_and_task(location: SourceLocation) -> tuple[str, str | None]:
    """The model and the benchmark: the folder above eval-results and the path below it.

    Without a folder eval-results they are the two folders above the file.
    """
    parts = location.file.resolve().parent.parts
    if "eval-results" not in parts:
        return location.folder(2), str(location.folder())
    position = len(parts) - 1 - parts[::-1].index("eval-results")
    folder = location.file.resolve().parents[len(parts) - position]
    # a folder eval-results at the root of the disk has no folder above it that could name the model
    model = InferredName(parts[position - 1] if position > 1 else location.stem, str(folder))
    return model, "/".join(parts[position + 1 :]) or None


def _problem(line: Any) -> str:
    if has(line, "id") and type(line["id"]) in (str, int) and str(line["id"]).strip():
        return str(line["id"]).strip()
    return digest(line.get("problem", line.get("question")), line.get("expected_answer"))


def _judged(text: Any) -> int | None:
    """The last verdict in a judgement as 0 or 1; None where there is none."""
    verdicts = JUDGED.findall(text) if type(text) is str else []
    return int(verdicts[-1].lower() == "yes") if verdicts else None


NEMO_SKILLS = Format(
    "nemo-skills",
    "lines",
    lambda line: has(line, "generation") and any(name in line for name in OUTCOMES),
    nemo_skills,
)
