"""opencompass: results/<model>/<dataset>.json, with the details of each example."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...errors import shown
from ..claims import claim
from ..options import Which
from ..packed import without_endings
from ..records import Trial
from ..text_files import SourceLocation
from .fields import Format, choose, has, key, same_metric, wrong

CORRECT = ("correct", "is_correct", "cascade_correct")
RUN = re.compile(r"(.+)[-_]run_?(\d+)")  # a run of a benchmark that is configured as a separate benchmark
AVERAGE = re.compile(r"accuracy \((\d+) runs average\)")


def records(log: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
    """Trials of each example, one for each replica (older logs have one); several runs of a benchmark add trials."""
    model, dataset, replicas = location.folder(), location.stem, 0
    _without_results(location)
    examples = list(_examples(key(log, "details", list, dict)))
    available = [name for name in CORRECT if any(has(x, name) for _, _, x in examples)]
    run, task = _run(location)
    chosen = choose(which, available, "outcomes", task)
    same_metric(chosen.removeprefix("is_"), "opencompass", location, task)  # correct has two names
    for metric, x in log.items():
        if average := AVERAGE.fullmatch(metric):
            replicas = int(average[1])
        if metric == "accuracy" or metric.startswith("accuracy ("):
            claim(location, metric, x, unit=100, digits=2)
    _repeated(location, [x for _, _, x in examples])
    for location.entry, question, example in examples:
        outcomes = key(example, chosen)
        outcomes = outcomes if type(outcomes) is list else [outcomes]
        missing = max(replicas, 1) - len(outcomes)  # a replica without this field is not in the list
        name = question or key(example, "example_abbr", str)
        name = f"{task}{name.removeprefix(dataset)}" if run and name.startswith(f"{dataset}_") else name
        for i, x in enumerate([*outcomes, *[None] * missing], 1):
            yield Trial(model, name, f"{run}/{i}" if run else i, x, None, task)


def _run(location: SourceLocation) -> tuple[str, str]:
    """The run of a file, if other runs of the same benchmark are beside it, and the benchmark; else "" for the run."""
    match, folder = RUN.fullmatch(location.stem), location.file.parent
    files = folder.iterdir() if match and folder.is_dir() else ()
    others = [x for file in files if file != location.file and (x := RUN.fullmatch(without_endings(file.name)))]
    if not match or all(x[1] != match[1] for x in others):
        return "", location.stem
    location.remark(f"Runs of {match[1]} that are separate benchmarks of opencompass: read as trials of {match[1]}.")
    return match[2], match[1]


def _repeated(location: SourceLocation, examples: list[Any]) -> None:
    """Remark on a file in which every prompt occurs several times: replicas that are numbered like questions."""
    prompts = [str(x.get("prompt") or x.get("origin_prompt") or "") for x in examples if type(x) is dict]
    times = set(Counter(prompts).values())
    if len(times) == 1 and "" not in prompts and 1 < (n := times.pop()) < len(prompts):
        what = f"every prompt is in it {n} times under different names. Replicas are read as different questions here"
        location.remark(f"{location.file.name}: {what}, so that intervals are too narrow.")


def _without_results(location: SourceLocation) -> None:
    """Remark on models that have predictions but no results."""
    run = location.file.parent.parent.parent
    if f"{run}" in location.documents:  # this run was checked at an earlier file
        return
    location.documents[f"{run}"] = None
    folders = (run / "predictions", run / "results")
    if not all(folder.is_dir() for folder in folders):
        return
    predicted, scored = ({x.name for x in folder.iterdir() if x.is_dir()} for folder in folders)
    if unscored := sorted(predicted - scored):
        location.remark(
            f"Models of opencompass with predictions but no results, which are not read: {', '.join(unscored)}. "
            f"Score them: opencompass CONFIG --mode eval --reuse {run.name}"
        )


def _examples(details: Any) -> Iterator[tuple[str, str, Any]]:
    """The entry, the name ("" unless it is a key) and the content of each example."""
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
