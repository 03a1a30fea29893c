"""HELM: per_instance_stats.json of a run, beside run_spec.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..claims import claim
from ..options import Which
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, at, choose, document_beside, has, key, same_metric, text_at

MODEL = re.compile(r"[,:]model=[^,]*")  # in the name of a run, whose other parts are the task
TEST = "test"


def records(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials scored by a statistic of each unperturbed instance; each set of examples in the prompt is a trial.

    If one of several splits is test, it is read, as in HELM's own table; STATISTIC:SPLIT requests another split.
    """
    spec = document_beside(location, "run_spec.json")
    run_name = text_at(spec, "name") or str(location.folder())
    task, model = MODEL.sub("", run_name), text_at(spec, "adapter_spec", "model") or location.folder()
    (which or Which()).require(task)
    rows = [(f"[{i}]", x) for i, x in enumerate(log) if x.get("perturbation") is None]
    stats = {entry: {_name(s): s for s in key(x, "stats", list)} for entry, x in rows}
    names = dict.fromkeys(name for by_name in stats.values() for name in by_name)
    splits = dict.fromkeys(split for _, split in names)
    # the split that is read unless another is requested: test or the only one, else None
    default = TEST if TEST in splits else next(iter(splits)) if len(splits) == 1 else None
    by_label = {name if split == default else f"{name}:{split}": (name, split) for name, split in names}
    chosen = (which or Which()).requested(by_label, "statistics", task)
    if chosen is None:
        candidates = [x for x, (_, split) in by_label.items() if default in (None, split)]
        chosen = choose(which, candidates, "statistics", task)
    name, split = by_label[same_metric(chosen, "helm", location, task)]
    if others := [x for x in splits if x != split]:
        location.remark(f"Only HELM's split {split!r} is read; --which {name}:{others[0]} reads another.")
    rows = [(entry, x) for entry, x in rows if not stats[entry] or any(part == split for _, part in stats[entry])]
    example_sets = {key(x, "train_trial_index", int) for _, x in rows}
    if len(example_sets) > 1:
        location.remark("The trials of HELM differ in the examples in the prompt; they do not repeat the same prompt.")
    stated = document_beside(location, "stats.json")
    for x in stated if type(stated) is list else []:
        name_of_stat = at(x, "name")
        if (
            at(name_of_stat, "name") == name
            and (at(name_of_stat, "split") or "") == split
            and at(name_of_stat, "perturbation") is None
        ):
            claim(location, f"{name} (stats.json)", at(x, "mean"), "rate")
    for location.entry, x in rows:
        stat = stats[location.entry].get((name, split))
        value = None if stat is None or not key(stat, "count", int) else key(stat, "mean")
        yield Trial(model, key(x, "instance_id", str), key(x, "train_trial_index", int), value, None, task)


def _name(stat: Any) -> tuple[str, str]:
    """The name of a statistic, and its split."""
    name = key(stat, "name", dict)
    return key(name, "name", str), text_at(name, "split") or ""


FORMAT = Format(
    "helm",
    "json",
    lambda log: (
        type(log) is list and all(has(x, "instance_id", "train_trial_index", "stats") for x in log) and bool(log)
    ),
    records,
)
