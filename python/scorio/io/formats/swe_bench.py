"""SWE-bench and Multi-SWE-bench: the report of a run, <model>.<run_id>.json, and report.json of an instance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...errors import shown
from ..claims import claim
from ..options import Which
from ..records import Trial
from ..text_files import InferredName, SourceLocation
from .fields import Format, has, key, same_metric, wrong

GRADED_LISTS = ("resolved_ids", "resolved", "unresolved_ids", "empty_patch_ids", "empty_error_patch_ids", "error_ids")
RESOLVED = GRADED_LISTS[:2]
FIRST_HARNESS_LISTS = ("generated", "no_generation", "no_logs", "with_logs", "resolved")
FIXED = {"final_report": 1, "results": 2}  # reports of Multi-SWE-bench, and how many levels up the model's folder is
INFRA = "infra-missing"
BROKE = "Instances whose run the infrastructure broke: {n}. They are left out as missing, and count as unresolved in \
SWE-bench's own rate."
LOST = "Instances without a prediction (incomplete): {n}. SWE-bench's own rate counts these as unresolved."


def run(log: Any, place: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials in the report of a run: one for each instance; empty patches and errors count as 0, as in SWE-bench.

    which="infra-missing": instances whose run the infrastructure broke are missing, rather than unresolved.
    """
    chosen = (which or Which()).requested(("resolved", INFRA), "outcomes") or "resolved"
    same_metric(chosen, "swe-bench", place)
    broken = set(map(str, key(log, "infra_failure_ids", list))) if chosen == INFRA else set()
    name = place.stem.rpartition(".")[0] or place.stem
    model = InferredName(name.replace("__", "/"), str(place.file.parent))
    if place.stem in FIXED:
        model = place.folder(FIXED[place.stem])
    outcomes: dict[str, int | None] = {}
    for name in (*GRADED_LISTS, "submitted_ids", "incomplete_ids"):
        for x in _ids(log, name) if name in log else []:
            if name in GRADED_LISTS:
                listed = int(name in RESOLVED)
                if outcomes.setdefault(x, listed) != listed:
                    raise wrong(f"instance {shown(x)} is in a list of resolved instances and in one of others")
            elif x not in outcomes:
                outcomes[x] = None
                place.remark(LOST)
    if (stated := log.get("resolved_instances")) is not None and stated != sum(1 for x in outcomes.values() if x):
        raise wrong(f"resolved_instances is {shown(stated)}, resolved_ids has {sum(1 for x in outcomes.values() if x)}")
    claim(place, "total_instances", log.get("total_instances"), "questions")
    for instance, outcome in outcomes.items():
        if instance in broken and not outcome:
            place.remark(BROKE)
            outcome = None
        yield Trial(model, instance, None, outcome)


def lists(log: Any, place: SourceLocation, which: Any) -> Iterator[Trial]:
    """Trials in the lists of ids of the first harness: generated or not, and resolved."""
    resolved = set(_ids(log, "resolved"))
    for x in dict.fromkeys(x for name in log if name in FIRST_HARNESS_LISTS for x in _ids(log, name)):
        yield Trial(place.model(fixed="results"), x, None, int(x in resolved))


def _ids(log: Any, name: str) -> list[str]:
    ids: list[str] = key(log, name, list)
    if odd := [x for x in ids if type(x) is not str]:
        raise wrong(f"{name} holds {shown(odd[0])}, not the name of an instance")
    return ids


def instance(log: Any, place: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """The trial in the report of one instance, <run_id>/<model>/<instance>/report.json."""
    ((name, report),) = log.items()
    model, trial = str(place.folder(2)).replace("__", "/"), str(place.folder(3))
    place.spot = name
    chosen = (which or Which()).requested(("resolved", INFRA), "outcomes") or "resolved"
    same_metric(chosen, "swe-bench", place)
    outcome = key(report, "resolved", bool, type(None))
    if chosen == INFRA and report.get("infra_failure") is True and not outcome:
        place.remark(BROKE)
        outcome = None
    yield Trial(model, name, trial, outcome)


def _instance(log: Any) -> bool:
    return type(log) is dict and len(log) == 1 and all(has(x, "patch_exists", "resolved") for x in log.values())


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
        one=True,
        metric="resolved",
    ),
    Format(
        "swe-bench",
        "json",
        lambda log: has(log, "generated", "no_generation", "resolved"),
        lists,
        one=True,
        metric="resolved",
    ),
    Format("swe-bench", "json", _instance, instance, metric="resolved"),
)
