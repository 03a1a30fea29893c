"""SWE-bench and Multi-SWE-bench: the report of a run, <model>.<run_id>.json, and report.json of an instance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import shown
from ..claims import claim
from ..options import Which
from ..records import Trial
from ..text_files import InferredName, SourceLocation
from .declared import Rows, declared
from .fields import Format, has, key, same_metric, wrong

GRADED_LISTS = ("resolved_ids", "resolved", "unresolved_ids", "empty_patch_ids", "empty_error_patch_ids", "error_ids")
RESOLVED = GRADED_LISTS[:2]
FIRST_HARNESS_LISTS = ("generated", "no_generation", "no_logs", "with_logs", "resolved")
MULTI_REPORTS = {"final_report": 1, "results": 2}  # reports of Multi-SWE-bench: levels up to the model's folder
INFRA_MISSING = "infra-missing"
ID = re.compile(r"[A-Za-z0-9]__[\w.-]+-\w+$")  # the end of the id of an instance, owner__repository-commit
FAILED_RUNS = "Instances whose run failed because of the infrastructure: {n}. They are missing here; SWE-bench's own \
rate counts these as unresolved."
INCOMPLETE = "Instances without a result (incomplete): {n}. SWE-bench's own rate counts these as unresolved."


def run(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials in the report of a run: one for each instance; empty patches and errors count as 0, as in SWE-bench.

    An instance that is only listed as submitted or incomplete is missing.

    which="infra-missing": instances whose run failed because of the infrastructure are missing, not unresolved.
    """
    chosen = (which or Which()).requested(("resolved", INFRA_MISSING), "outcomes") or "resolved"
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


def instance(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """The trial in the report of one instance, <run_id>/<model>/<instance>/report.json."""
    ((name, report),) = log.items()
    location.entry = name
    chosen = (which or Which()).requested(("resolved", INFRA_MISSING), "outcomes") or "resolved"
    same_metric(chosen, "swe-bench", location)
    outcome = key(report, "resolved", bool, type(None))
    if chosen == INFRA_MISSING and report.get("infra_failure") is True and not outcome:
        location.remark(FAILED_RUNS)
        outcome = None
    yield absent(location)._replace(question=name, outcome=outcome)


def absent(location: SourceLocation) -> Trial:
    """The missing trial of an instance whose folder has no report.json, as after a timeout."""
    return Trial(str(location.folder(2)).replace("__", "/"), str(location.folder()), str(location.folder(3)), None)


def _is_instance(log: Any) -> bool:
    return type(log) is dict and len(log) == 1 and all(has(x, "patch_exists", "resolved") for x in log.values())


def _is_pro(log: Any) -> bool:
    """Whether x is eval_results.json of SWE-bench Pro: whether each instance is resolved, by its id."""
    return type(log) is dict and bool(log) and all(type(x) is bool and ID.search(i) for i, x in log.items())


FORMATS = (
    Format(
        "swe-bench",
        "json",
        lambda log: (
            (has(log, "resolved_ids") or has(log, "resolved", "unresolved_ids"))
            and "results" not in log
            and ("completed_ids" in log or "submitted_ids" in log)
        ),
        run,
        is_one_trial=True,
        metric="resolved",
    ),
    Format(
        "swe-bench",
        "json",
        lambda log: has(log, "generated", "no_generation", "resolved"),
        lists,
        is_one_trial=True,
        metric="resolved",
    ),
    declared(
        "swe-bench",
        "json",
        _is_pro,
        Rows("{question}", "question", name=lambda location: location.model(fixed="eval_results")),
        metric="resolved",
        is_one_trial=True,
    ),
    Format("swe-bench", "json", _is_instance, instance, metric="resolved", absent=absent),
)
