"""HELM: per_instance_stats.json of a run, beside run_spec.json."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..accumulator import Trial
from ..choices import Which
from ..text_files import Place
from .fields import Format, beside, choose, has, key, settled, text_at

MODEL = re.compile(r"[,:]model=[^,]*")


def records(log: Any, place: Place, which: Which | None) -> Iterator[Trial]:
    """A statistic of every instance as it stands, not of perturbed ones; other examples in the prompt are trials."""
    told = beside(place, "run_spec.json")
    name = text_at(told, "name") or str(place.folder())
    task, model = MODEL.sub("", name), text_at(told, "adapter_spec", "model") or place.folder()
    (which or Which()).want(task)
    rows = [(f"[{i}]", x) for i, x in enumerate(log) if x.get("perturbation") is None]
    stats = {spot: {key(key(s, "name", dict), "name", str): s for s in key(x, "stats", list)} for spot, x in rows}
    names = dict.fromkeys(name for found in stats.values() for name in found)
    chosen = settled(choose(which, names, "statistics", task), "helm", place, task)
    draws = {key(x, "train_trial_index", int) for _, x in rows}
    if len(draws) > 1:
        place.remark("The trials of HELM are other examples in the prompt, not the same question asked again.")
    for place.spot, x in rows:
        stat = stats[place.spot].get(chosen)
        value = None if stat is None or not key(stat, "count", int) else key(stat, "mean")
        yield Trial(model, key(x, "instance_id", str), key(x, "train_trial_index", int), value, None, task)


FORMAT = Format(
    "helm",
    "json",
    lambda log: (
        type(log) is list and all(has(x, "instance_id", "train_trial_index", "stats") for x in log) and bool(log)
    ),
    records,
)
