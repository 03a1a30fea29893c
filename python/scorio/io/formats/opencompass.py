"""opencompass: results/<model>/<dataset>.json, with details of each example."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..accumulator import Trial
from ..choices import Which
from ..claims import claim
from ..text_files import SourceLocation, shown
from .fields import Format, choose, has, key, settled, wrong

CORRECT = ("correct", "is_correct", "cascade_correct")


def records(log: Any, place: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of each example: its replicas, or one in older logs."""
    model, dataset = place.folder(), place.stem
    _without_results(place)
    examples = list(_examples(key(log, "details", list, dict)))
    there = [name for name in CORRECT if any(has(x, name) for _, _, x in examples)]
    chosen = choose(which, there, "outcomes", dataset)
    settled(chosen.removeprefix("is_"), "opencompass", place, dataset)  # correct has two names
    for name, x in log.items():
        if name == "accuracy" or name.startswith("accuracy ("):
            claim(place, name, x, unit=100, digits=2)
    for place.spot, question, example in examples:
        outcomes = key(example, chosen)
        outcomes = outcomes if type(outcomes) is list else [outcomes]
        for i, x in enumerate(outcomes or [None]):
            yield Trial(model, question or key(example, "example_abbr", str), i + 1, x, None, dataset)


def _without_results(place: SourceLocation) -> None:
    """Remark on models that have predictions but no results."""
    run = place.file.parent.parent.parent
    if f"{run}" in place.documents:
        return
    place.documents[f"{run}"] = None
    there = [{x.name for x in folder.iterdir() if x.is_dir()} for folder in (run / "predictions", run / "results")
             if folder.is_dir()]  # fmt: skip
    if len(there) == 2 and (lost := sorted(there[0] - there[1])):
        place.remark(
            f"Models of opencompass with predictions but no results, which are not read: {', '.join(lost)}. "
            f"Score them: opencompass CONFIG --mode eval --reuse {run.name}"
        )


def _examples(details: Any) -> Iterator[tuple[str, str, Any]]:
    """The spot, the name ("" unless it is a key) and the content of each example."""
    if type(details) is list:
        yield from ((f"details[{i}]", "", example) for i, example in enumerate(details))
        return
    for name, example in details.items():
        if not name:
            raise wrong("details has an empty key")
        if name != "type":  # PPL or GEN, not an example
            yield f"details[{shown(name)}]", name, example


FORMAT = Format(
    "opencompass",
    "json",
    lambda log: has(log, "details") and type(log["details"]) in (list, dict),
    records,
)
