"""Agents at work: tau-bench, tau2-bench and terminal-bench."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .. import values
from ..accumulator import Trial
from ..text_files import Place, shown
from .fields import Format, choose, has, key, wrong

TOLERANCE = 1e-6
ATTEMPT = re.compile(r"\.(\d+)-of-(\d+)(\.|$)")


def tau(log: Any, place: Place, which: str | None) -> Iterator[Trial]:
    """A list of runs; a reward of 1 is a success."""
    if type(log) is not list:
        raise wrong(f"{shown(log)} is not a list of runs")
    model = place.model()
    for i, run in enumerate(log):
        place.spot = f"[{i}]"
        yield Trial(model, key(run, "task_id"), key(run, "trial", int), _success(key(run, "reward")))


def tau2(log: Any, place: Place, which: str | None) -> Iterator[Trial]:
    """The same, in an object that names the model; what the infrastructure broke is missing."""
    info = log.get("info") if type(log) is dict else None
    model = _within(info, "agent_info", "llm") or place.model(fixed="results")
    domain = _within(info, "environment_info", "domain_name")
    for i, run in enumerate(key(log, "simulations", list)):
        place.spot = f"simulations[{i}]"
        reward = key(run, "reward_info", dict, type(None))
        broken = key(run, "termination_reason") == "infrastructure_error"
        outcome = None if reward is None or broken else _success(key(reward, "reward"))
        yield Trial(model, key(run, "task_id"), key(run, "trial", int, type(None)), outcome, None, domain)


def _within(info: Any, part: str, name: str) -> str | None:
    """A text of the run's description, which may lack it."""
    value = info[part].get(name) if has(info, part) and type(info[part]) is dict else None
    return value if type(value) is str and value.strip() else None


def _success(reward: Any) -> int | None:
    number = values.number(reward, "reward")
    return None if number is None else int(abs(number - 1) < TOLERANCE)


def terminal(log: Any, place: Place, which: str | None) -> Iterator[Trial]:
    """resolved: all tests of the task are passed; tests: which share of them."""
    chosen = choose("resolved" if which is None else which, ("resolved", "tests"), "outcomes")
    model = place.model(fixed="results")
    for i, run in enumerate(key(log, "results", list)):
        place.spot = f"results[{i}]"
        task = key(run, "task_id", str)
        attempt = ATTEMPT.match(key(run, "trial_name", str).removeprefix(task))
        if attempt is None:
            raise wrong(f"trial_name is {shown(run['trial_name'])}, not {task}.i-of-n")
        outcome = key(run, "is_resolved") if chosen == "resolved" else _share(key(run, "parser_results"))
        yield Trial(model, task, int(attempt[1]), outcome)


def _share(tests: Any) -> float | None:
    """The share of tests that are passed; None where they were not run."""
    if tests is None or tests == {}:
        return None
    if type(tests) is not dict or not all(x in ("passed", "failed") for x in tests.values()):
        raise wrong(f"parser_results is {shown(tests)}, not tests that are passed or failed")
    return sum(x == "passed" for x in tests.values()) / len(tests)


def _rows(log: Any, *names: str) -> bool:
    """A list of objects with these keys, as far as its first one tells."""
    return type(log) is list and bool(log) and has(log[0], *names)


FORMATS = (
    Format("tau-bench", "json", lambda log: _rows(log, "task_id", "trial", "reward"), tau),
    Format("tau2-bench", "json", lambda log: has(log, "simulations"), tau2),
    Format(
        "terminal-bench",
        "json",
        lambda log: has(log, "results") and _rows(log["results"], "task_id", "is_resolved"),
        terminal,
        chooses=True,
    ),
)
