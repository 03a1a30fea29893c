"""tau-bench, and tau2-bench in one file or in a folder of simulations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import values
from ..claims import claim
from ..pattern import Row
from ..records import Trial
from ..text_files import SourceLocation
from .declared import Rows, Stated, declared
from .fields import TOLERANCE, Format, at, document_beside, has, key, text_at, trial_costs

COSTS = {"cost": ("agent_cost",), "seconds": ("duration",)}


def _reward(row: Row, chosen: str) -> int | None:
    """1 for a reward of 1, 0 for another reward, None where it is missing."""
    return _success(key(row.own, "reward"))


def _success(reward: Any) -> int | None:
    number = values.number(reward, "reward")
    return None if number is None else int(abs(number - 1) < TOLERANCE)


def _outcome(run: Any) -> int | None:
    """The outcome of a simulation of tau2-bench; one that ended in an infrastructure error is missing."""
    is_invalid = key(run, "termination_reason") == "infrastructure_error"
    reward = key(run, "reward_info", dict, type(None)) if "reward_info" in run else None
    return None if reward is None or is_invalid else _success(key(reward, "reward"))


def _trial(run: Any) -> Any:
    return key(run, "trial", int, type(None))


def _model(log: Any) -> str | None:
    return text_at(log, "info", "agent_info", "llm") or text_at(log, "info", "audio_native_config", "model")


def _domain(log: Any) -> str | None:
    return text_at(log, "info", "environment_info", "domain_name")


def _planned(log: Any) -> int | None:
    """The number of trials that the run planned."""
    tasks, trials = at(log, "tasks"), at(log, "info", "num_trials")
    return len(tasks) * trials if type(tasks) is list and tasks and type(trials) is int else None


def simulation(run: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """The trial in one file of a folder simulations/, which ../results.json describes."""
    log = document_beside(location, "../results.json")
    document = f"{location.file.parent.parent / 'results.json'}"
    claim(location, "tasks x num_trials", _planned(log), "trials", document=document)
    model = _model(log) or location.folder(2)
    yield Trial(
        model, key(run, "task_id"), _trial(run), _outcome(run), None, _domain(log), costs=trial_costs(run, **COSTS)
    )


FORMATS = (
    declared(
        "tau-bench", "json", lambda log: type(log) is list and bool(log) and has(log[0], "task_id", "trial", "reward"),
        Rows("[*]", "task_id", _reward, trial=lambda row: key(row.own, "trial", int)), metric="reward",
    ),
    declared(
        "tau2-bench", "json", lambda log: has(log, "simulations") and "eval_set_id" not in log,
        Rows("simulations[*]", "task_id", lambda row, _: _outcome(row.own), trial=lambda row: _trial(row.own),
             model=lambda row: _model(row.enclosing[0]), task=lambda row: _domain(row.enclosing[0]),
             name=lambda location: location.model(fixed="results"), costs=COSTS,
             stated=(Stated("tasks x num_trials", "", "trials", value=_planned),)),
        metric="reward",
    ),
    Format(
        "tau2-bench", "json",
        lambda log: has(log, "task_id", "termination_reason", "trial") and ("ticks" in log or "messages" in log),
        simulation, metric="reward",
    ),
)  # fmt: skip
