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

MODEL = re.compile(r"[,:]model=[^,]*")
TEST = "test"


def records(log: Any, place: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials by a statistic of each unperturbed instance; each set of examples in the prompt is a further trial.

    Where there are several splits, test is read, as in HELM's own table; STATISTIC:SPLIT requests another one.
    """
    spec = document_beside(place, "run_spec.json")
    name = text_at(spec, "name") or str(place.folder())
    task, model = MODEL.sub("", name), text_at(spec, "adapter_spec", "model") or place.folder()
    (which or Which()).require(task)
    rows = [(f"[{i}]", x) for i, x in enumerate(log) if x.get("perturbation") is None]
    stats = {spot: {_name(s): s for s in key(x, "stats", list)} for spot, x in rows}
    names = dict.fromkeys(name for by_name in stats.values() for name in by_name)
    splits = dict.fromkeys(split for _, split in names)
    main = TEST if TEST in splits else next(iter(splits), "") if len(splits) == 1 else None
    by_label = {name if split == main else f"{name}:{split}": (name, split) for name, split in names}
    chosen = (which or Which()).requested(by_label, "statistics", task)
    if chosen is None:
        chosen = choose(which, [x for x, (_, split) in by_label.items() if main in (None, split)], "statistics", task)
    name, split = by_label[same_metric(chosen, "helm", place, task)]
    if others := [x for x in splits if x != split]:
        place.remark(f"Only HELM's split {split!r} is read; --which {name}:{others[0]} reads another.")
    rows = [(spot, x) for spot, x in rows if not stats[spot] or any(part == split for _, part in stats[spot])]
    example_sets = {key(x, "train_trial_index", int) for _, x in rows}
    if len(example_sets) > 1:
        place.remark("The trials of HELM are other examples in the prompt, not the same question asked again.")
    own = document_beside(place, "stats.json")
    for x in own if type(own) is list else []:
        name_of_stat = at(x, "name")
        if (
            at(name_of_stat, "name") == name
            and (at(name_of_stat, "split") or "") == split
            and at(name_of_stat, "perturbation") is None
        ):
            claim(place, f"{name} (stats.json)", at(x, "mean"), "rate")
    for place.spot, x in rows:
        stat = stats[place.spot].get((name, split))
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
