"""terminal-bench: results.json of a run, and its second version, harbor: a result.json for each trial."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import shown
from ..claims import claim
from ..options import Which
from ..records import Trial, UniqueTrialId
from ..text_files import InferredName, SourceLocation
from .fields import Format, at, check_configuration, document_beside, has, key, same_metric, text_at, trial_costs, wrong

ATTEMPT = re.compile(r"\.(\d+)-of-(\d+)(\.|$)")  # in the name of a trial, after the name of its task
REWARD = "reward"


def terminal(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of terminal-bench by "resolved", whether all tests of a task pass, or "tests", the share that pass."""
    chosen = (which or Which()).requested(("resolved", "tests"), "outcomes") or "resolved"
    same_metric(chosen, "terminal-bench", location)
    metadata = document_beside(location, "run_metadata.json")
    agent, model_name = text_at(metadata, "agent_name"), text_at(metadata, "model_name")
    model = "/".join(x for x in (agent, model_name) if x) or location.model(fixed="results")
    if agent and not model_name:  # different runs of an agent may have different models
        model = InferredName(agent, str(location.file.parent))
    check_configuration(
        location, "terminal-bench", model, metadata, ("dataset_name", "dataset_version", "agent_kwargs")
    )
    run = text_at(metadata, "run_id")
    if chosen == "resolved":
        claim(location, "n_resolved", log.get("n_resolved"), "successes")
        claim(location, "accuracy", log.get("accuracy"), "zeros")
        claim(location, "accuracy (run_metadata.json)", at(metadata, "accuracy"), "zeros")
    for i, trial in enumerate(key(log, "results", list)):
        location.entry = f"results[{i}]"
        task, name = key(trial, "task_id", str), key(trial, "trial_name", str)
        attempt = ATTEMPT.match(name, len(task) if name.startswith(task) else 0)
        if attempt is None:
            raise wrong(f"trial_name is {shown(name)}, not {task}.i-of-n")
        outcome = key(trial, "is_resolved") if chosen == "resolved" else _share_passed(key(trial, "parser_results"))
        costs = trial_costs(trial, tokens=("total_input_tokens", "total_output_tokens"))
        yield Trial(model, task, f"{run}/{attempt[1]}" if run else int(attempt[1]), outcome, costs=costs)


def _share_passed(tests: Any) -> float | None:
    """The share of tests that are passed; None where they were not run."""
    if tests is None or tests == {}:
        return None
    if type(tests) is not dict or not all(x in ("passed", "failed") for x in tests.values()):
        raise wrong(f"parser_results is {shown(tests)}, not tests that are passed or failed")
    return sum(x == "passed" for x in tests.values()) / len(tests)


def harbor(trial: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """The trial in one file of a job; without a reward it is missing."""
    agent = key(trial, "agent_info", dict)
    model_info = agent.get("model_info")
    model = "/".join(
        x for x in (text_at(agent, "name"), text_at(model_info, "provider"), text_at(model_info, "name")) if x
    )
    if not model:
        raise wrong("agent_info names no agent")
    task, outcome, chosen = text_at(trial, "source"), None, REWARD
    result = key(trial, "verifier_result", dict, type(None))
    rewards = None if result is None else key(result, "rewards", dict, type(None))
    if rewards:
        requested = (which or Which()).requested(rewards, "rewards", task)
        chosen = requested or (REWARD if REWARD in rewards else (which or Which()).choose(rewards, "rewards", task))
        outcome = rewards[same_metric(chosen, "harbor", location, task)]
    else:
        (which or Which()).require(task)
        location.remark("Trials of harbor without a reward: {n}. Harbor's own mean counts these as 0.")
    question = key(trial, "task_name", str)
    _add_claims(location, [text_at(agent, "name"), text_at(model_info, "name"), task], chosen)
    checksum = text_at(trial, "task_checksum")
    if checksum and location.versions.setdefault(f"{task or ''}/{question}", checksum) != checksum:
        what = "Trials of harbor whose version of the task (task_checksum) differs from that of the first trial"
        location.remark(f"{what}: {{n}}.")
    costs = trial_costs(
        trial, cost=("agent_result.cost_usd",), tokens=("agent_result.n_input_tokens", "agent_result.n_output_tokens")
    )
    yield Trial(model, question, UniqueTrialId(key(trial, "trial_name", str)), outcome, None, task, costs=costs)


def _add_claims(location: SourceLocation, names: list[str | None], chosen: str) -> None:
    """Note the mean and the number of trials in the results of the job, for this agent, model and data set."""
    job, name = f"{location.file.parent.parent / 'result.json'}", "__".join(x for x in names if x)
    stated = at(document_beside(location, "../result.json"), "stats", "evals", name)
    metrics = at(stated, "metrics")
    n, failed = at(stated, "n_trials"), at(stated, "n_errors")
    if type(n) is int and type(failed) is int:
        claim(location, "trials and errors", n + failed, "trials", document=f"{job}, {name}")
    if chosen == REWARD and type(metrics) is list and len(metrics) == 1:
        claim(location, "mean", at(metrics[0], "mean"), "zeros", document=f"{job}, {name}")


FORMATS = (
    Format(
        "terminal-bench",
        "json",
        lambda log: has(log, "results") and type(log["results"]) is list and _are_trials(log["results"]),
        terminal,
        metric="resolved",
    ),
    Format(
        "harbor",
        "json",
        lambda log: has(log, "task_name", "trial_name", "verifier_result", "agent_info"),
        harbor,
        metric=REWARD,
    ),
)


def _are_trials(results: list[Any]) -> bool:
    """Whether the first of these results is a trial of terminal-bench."""
    return bool(results) and has(results[0], "task_id", "is_resolved")
