"""tau-bench, and tau2-bench in one file or in a folder of simulations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import values
from ..claims import claim
from ..records import Trial
from ..text_files import SourceLocation
from .fields import TOLERANCE, Format, at, document_beside, has, key, text_at, trial_costs


def tau(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials of tau-bench, a list of runs; a reward of 1 is a success."""
    model = location.model()
    for i, run in enumerate(log):
        location.entry = f"[{i}]"
        yield Trial(model, key(run, "task_id"), key(run, "trial", int), _success(key(run, "reward")))


def tau2(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials of tau2-bench, an object that names the model; a run that ended in an infrastructure error is missing."""
    model, domain = _model_and_domain(log, location.model(fixed="results"))
    _claim_planned_trials(log, location, "")
    for i, run in enumerate(key(log, "simulations", list)):
        location.entry = f"simulations[{i}]"
        yield _simulation(run, model, domain, key(run, "reward_info", dict, type(None)))


def simulation(run: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """The trial in one file of a folder simulations/, which ../results.json describes."""
    description = document_beside(location, "../results.json")
    model, domain = _model_and_domain(description, location.folder(2))
    _claim_planned_trials(description, location, f"{location.file.parent.parent / 'results.json'}")
    yield _simulation(run, model, domain, key(run, "reward_info", dict, type(None)) if "reward_info" in run else None)


def _simulation(run: Any, model: str, domain: str | None, reward_info: Any) -> Trial:
    """The trial in one simulation."""
    is_invalid = key(run, "termination_reason") == "infrastructure_error"
    outcome = None if reward_info is None or is_invalid else _success(key(reward_info, "reward"))
    costs = trial_costs(run, cost=("agent_cost",), seconds=("duration",))
    return Trial(model, key(run, "task_id"), key(run, "trial", int, type(None)), outcome, None, domain, costs=costs)


def _model_and_domain(log: Any, default: str) -> tuple[str, str | None]:
    """The model and the domain in the description of a run."""
    info = log.get("info") if type(log) is dict else None
    model = text_at(info, "agent_info", "llm") or text_at(info, "audio_native_config", "model") or default
    return model, text_at(info, "environment_info", "domain_name")


def _claim_planned_trials(log: Any, location: SourceLocation, document: str) -> None:
    """Note the number of trials that the run planned, for comparison with the trials in the log."""
    tasks, trials = at(log, "tasks"), at(log, "info", "num_trials")
    if type(tasks) is list and tasks and type(trials) is int:
        claim(location, "tasks x num_trials", len(tasks) * trials, "trials", document=document)


def _success(reward: Any) -> int | None:
    """1 for a reward of 1, 0 for another reward, None where it is missing."""
    number = values.number(reward, "reward")
    return None if number is None else int(abs(number - 1) < TOLERANCE)


FORMATS = (
    Format(
        "tau-bench",
        "json",
        lambda log: type(log) is list and bool(log) and has(log[0], "task_id", "trial", "reward"),
        tau,
        metric="reward",
    ),
    Format(
        "tau2-bench", "json", lambda log: has(log, "simulations") and "eval_set_id" not in log, tau2, metric="reward"
    ),
    Format(
        "tau2-bench",
        "json",
        lambda log: has(log, "task_id", "termination_reason", "trial") and ("ticks" in log or "messages" in log),
        simulation,
        metric="reward",
    ),
)
