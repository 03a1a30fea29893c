"""Agents that act: tau-bench, terminal-bench and harbor, SWE-bench."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import shown
from .. import values
from ..options import Which
from ..records import Trial, Unfinished, UniqueTrialId, claim
from ..text_files import InferredName, SourceLocation, located
from .fields import (
    TOLERANCE,
    Format,
    Rows,
    Stated,
    at,
    check_configuration,
    declared,
    document_beside,
    has,
    key,
    same_metric,
    text_at,
    trial_costs,
    wrong,
)

# --- tau-bench, and tau2-bench in one file or in a folder of simulations ---


COSTS = {"cost": ("agent_cost",), "seconds": ("duration",)}


def _success(reward: Any) -> int | None:
    number = values.number(reward, "reward")
    return None if number is None else int(abs(number - 1) < TOLERANCE)


def _reward(run: Any) -> int | None:
    """The outcome of a run of tau-bench; one that an exception ended, whose reward it writes as 0, is missing."""
    reward = _success(key(run, "reward"))
    return None if at(run, "info", "error") is not None else reward


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


TAU = (
    declared(
        "tau-bench", "json", lambda log: type(log) is list and bool(log) and has(log[0], "task_id", "trial", "reward"),
        Rows("[*]", "task_id", lambda row, _: _reward(row.own),
             trial=lambda row: key(row.own, "trial", int)),
        metric="reward",
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


# --- terminal-bench: results.json of a run, and its second version, harbor: a result.json for each trial ---


ATTEMPT = re.compile(r"\.(\d+)-of-(\d+)(\.|$)")  # in the name of a trial, after the name of its task
MOST_ATTEMPTS = 10_000  # at a task
REWARD = "reward"


def terminal(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial | Unfinished]:
    """Trials of terminal-bench by "resolved", whether all tests of a task pass, or "tests", the share that pass.

    An attempt at a task that the description of the run lists, and that has no result, is missing.
    """
    chosen = which.requested(("resolved", "tests"), "outcomes") or "resolved"
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
    attempts = dict[tuple[str, int], None]()
    for trial in located(key(log, "results", list), location, "results"):
        task, name = key(trial, "task_id", str), key(trial, "trial_name", str)
        attempt = ATTEMPT.match(name, len(task) if name.startswith(task) else 0)
        if attempt is None:
            raise wrong(f"trial_name is {shown(name)}, not {task}.i-of-n")
        outcome = key(trial, "is_resolved") if chosen == "resolved" else _share_passed(key(trial, "parser_results"))
        costs = trial_costs(trial, tokens=("total_input_tokens", "total_output_tokens"))
        attempts[task, int(attempt[1])] = None
        yield Trial(model, task, f"{run}/{attempt[1]}" if run else int(attempt[1]), outcome, costs=costs)
    location.leave_line()
    absent = [x for x in _planned_attempts(metadata) if x not in attempts]
    for task, i in absent:
        what = f"run_metadata.json has task {shown(task)}, and attempt {i} at it has no result"
        yield Unfinished(f"{what}, so that its outcome is missing", True)
        location.remark("Attempts of terminal-bench at tasks of run_metadata.json without a result: {n}.")
        yield Trial(model, task, f"{run}/{i}" if run else i, None)
    if chosen == "resolved":
        claim(location, "n_resolved", log.get("n_resolved"), "successes")
        for what, stated in (("", log), (" (run_metadata.json)", metadata)):
            if not absent:  # its accuracy is that of the results
                claim(location, f"accuracy{what}", at(stated, "accuracy"), "zeros")


def _planned_attempts(metadata: Any) -> Iterator[tuple[str, int]]:
    """The attempts at each task of a run, where its description lists the tasks."""
    tasks, n = at(metadata, "task_ids"), at(metadata, "n_attempts")
    if type(tasks) is list and type(n) is int and 0 < n <= MOST_ATTEMPTS:
        for task in dict.fromkeys(x for x in tasks if type(x) is str and x.strip()):
            yield from ((task, i) for i in range(1, n + 1))


def _share_passed(tests: Any) -> float | None:
    """The share of tests that are passed; None where they were not run."""
    if tests is None or tests == {}:
        return None
    if type(tests) is not dict or not all(x in ("passed", "failed") for x in tests.values()):
        raise wrong(f"parser_results is {shown(tests)}, not tests that are passed or failed")
    return sum(x == "passed" for x in tests.values()) / len(tests)


def harbor(trial: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
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
        requested = which.requested(rewards, "rewards", task)
        chosen = requested or (REWARD if REWARD in rewards else which.choose(rewards, "rewards", task))
        outcome = rewards[same_metric(chosen, "harbor", location, task)]
    else:
        which.require(task)
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


TERMINAL = (
    Format(
        "terminal-bench", "json",
        lambda log: has(log, "results") and type(log["results"]) is list and bool(log["results"])
        and has(log["results"][0], "task_id", "is_resolved"),
        terminal, metric="resolved",
    ),
    Format(
        "harbor", "json", lambda log: has(log, "task_name", "trial_name", "verifier_result", "agent_info"), harbor,
        metric=REWARD,
    ),
)  # fmt: skip


# --- SWE-bench and Multi-SWE-bench: the report of a run, <model>.<run_id>.json, and report.json of an instance ---


GRADED_LISTS = ("resolved_ids", "resolved", "unresolved_ids", "empty_patch_ids", "empty_error_patch_ids", "error_ids")
RESOLVED = GRADED_LISTS[:2]
FIRST_HARNESS_LISTS = ("generated", "no_generation", "no_logs", "with_logs", "resolved")
MULTI_REPORTS = {"final_report": 1, "results": 2}  # reports of Multi-SWE-bench: levels up to the model's folder
INFRA_MISSING = "infra-missing"
ID = re.compile(r"[A-Za-z0-9]__[\w.-]+-\w+$")  # the end of the id of an instance, owner__repository-commit
FAILED_RUNS = "Instances whose run failed because of the infrastructure: {n}. They are missing here; SWE-bench's own \
rate counts these as unresolved."
INCOMPLETE = "Instances without a result (incomplete): {n}. SWE-bench's own rate counts these as unresolved."


def run(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
    """Trials in the report of a run: one for each instance; empty patches and errors count as 0, as in SWE-bench.

    An instance that is only listed as submitted or incomplete is missing.

    which="infra-missing": instances whose run failed because of the infrastructure are missing, not unresolved.
    """
    chosen = which.requested(("resolved", INFRA_MISSING), "outcomes") or "resolved"
    same_metric(chosen, "swe-bench", location)
    failed = set(map(str, key(log, "infra_failure_ids", list))) if chosen == INFRA_MISSING else set()
    model_name = location.stem.rpartition(".")[0] or location.stem
    model = InferredName(model_name.replace("__", "/"), str(location.file.parent))
    if location.stem in MULTI_REPORTS:
        model = location.folder(MULTI_REPORTS[location.stem])
    outcomes: dict[str, int | None] = {}
    for name in (*GRADED_LISTS, "submitted_ids", "incomplete_ids"):
        for id_ in _ids(log, name) if name in log else []:
            if name in GRADED_LISTS:
                is_resolved = int(name in RESOLVED)
                if outcomes.setdefault(id_, is_resolved) != is_resolved:
                    raise wrong(f"instance {shown(id_)} is listed both as resolved and as not resolved")
            elif id_ not in outcomes:
                outcomes[id_] = None
                location.remark(INCOMPLETE)
    stated, n_resolved = log.get("resolved_instances"), sum(1 for x in outcomes.values() if x)
    if stated is not None and stated != n_resolved:
        raise wrong(f"resolved_instances is {shown(stated)}, resolved_ids has {n_resolved}")
    claim(location, "total_instances", log.get("total_instances"), "questions")
    for instance, outcome in outcomes.items():
        if instance in failed and not outcome:
            location.remark(FAILED_RUNS)
            outcome = None
        yield Trial(model, instance, None, outcome)


def lists(log: Any, location: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials in the lists of ids of the first harness: instances with and without a patch, and resolved ones."""
    resolved = set(_ids(log, "resolved"))
    instances = dict.fromkeys(id_ for name in log if name in FIRST_HARNESS_LISTS for id_ in _ids(log, name))
    for id_ in instances:
        yield Trial(location.model(fixed="results"), id_, None, int(id_ in resolved))


def _ids(log: Any, name: str) -> list[str]:
    ids: list[str] = key(log, name, list)
    if invalid := [x for x in ids if type(x) is not str]:
        raise wrong(f"{name} holds {shown(invalid[0])}, not the name of an instance")
    return ids


def instance(log: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
    """The trial in the report of one instance, <run_id>/<model>/<instance>/report.json."""
    ((name, report),) = log.items()
    location.entry = name
    chosen = which.requested(("resolved", INFRA_MISSING), "outcomes") or "resolved"
    same_metric(chosen, "swe-bench", location)
    outcome = key(report, "resolved", bool, type(None))
    if chosen == INFRA_MISSING and report.get("infra_failure") is True and not outcome:
        location.remark(FAILED_RUNS)
        outcome = None
    yield absent(location)._replace(question=name, outcome=outcome)


def absent(location: SourceLocation) -> Trial:
    """The missing trial of an instance whose folder has no report.json, as after a timeout."""
    return Trial(str(location.folder(2)).replace("__", "/"), str(location.folder()), str(location.folder(3)), None)


SWE_BENCH = (
    Format(
        "swe-bench", "json",
        lambda log: (has(log, "resolved_ids") or has(log, "resolved", "unresolved_ids")) and "results" not in log
        and ("completed_ids" in log or "submitted_ids" in log),
        run, is_one_trial=True, metric="resolved",
    ),
    Format(
        "swe-bench", "json", lambda log: has(log, "generated", "no_generation", "resolved"), lists, is_one_trial=True,
        metric="resolved",
    ),
    declared(  # eval_results.json of SWE-bench Pro: whether each instance is resolved, by its id
        "swe-bench", "json",
        lambda log: type(log) is dict and bool(log) and all(type(x) is bool and ID.search(i) for i, x in log.items()),
        Rows("{question}", "question", name=lambda location: location.model(fixed="eval_results")),
        metric="resolved", is_one_trial=True,
    ),
    Format(
        "swe-bench", "json",
        lambda log: type(log) is dict and len(log) == 1
        and all(has(x, "patch_exists", "resolved") for x in log.values()),
        instance, metric="resolved", absent=absent,
    ),
)  # fmt: skip
