"""inspect_ai: .json logs, and .eval files, which are zip files of the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import InvalidInput
from .. import values
from ..accumulator import UNKNOWN, Batch, Unfinished, batches
from ..choices import Which
from ..claims import claim
from ..text_files import Place, document, shown
from .fields import Format, at, choose, configured, has, key, settled, spent, wrong
from .zips import Members, head

SAID = {"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}  # its own value_to_float
NONE, INVALIDATED = ("", None), ":invalidated"
CONFIGURATION = ("task_args", "solver", "solver_args", "model_args", "model_generate_config", "dataset.name")
MANAGER = "scorio"  # what scorio.harness.EarlyStopping is called in a log
STOPPED = (
    "Stopped early by scorio, {n} trials were not run: the decision is that of the last look, which is in the log. "
    "Averages of a run that stopped early are biased away from its baseline."
)
JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")


def records(log: Any, place: Place, which: Which | None) -> Iterator[Batch | Unfinished]:
    """Samples by id and epoch; a sample without the score, as after an error, is missing."""
    yield from _trials(log, {"samples": key(log, "samples", list)}, place, which)


def zipped(members: Members, place: Place, which: Which | None) -> Iterator[Batch | Unfinished]:
    """The summaries of the samples; of an unfinished log, what its journal has of them."""
    started = _member(members, head(members.names), place)
    names = ["summaries.json"] if "summaries.json" in members.names else _journal(members.names)
    lists: dict[str, list[Any]] = {}
    for name in names:
        found = _member(members, name, place)
        if type(found) is not list:
            raise wrong(f"{name} is {shown(found)}, not a list of samples")
        lists[name] = found
    if has(started, "invalidated") and started["invalidated"]:
        _invalidate(members, lists, place)
    yield from _trials(started, lists, place, which)


def _journal(names: list[str]) -> list[str]:
    found = [(int(number[1]), name) for name in names if (number := JOURNAL.fullmatch(name))]
    return [name for _, name in sorted(found)]


def _member(members: Members, name: str, place: Place) -> Any:
    if name in members.documents:
        return members.documents[name]
    place.spot = name
    found = document(members.read(name), place)
    place.whole()
    return found


def _trials(log: Any, lists: dict[str, list[Any]], place: Place, which: Which | None) -> Iterator[Batch | Unfinished]:
    """The samples of a log, which stand in these lists of it."""
    told = key(log, "eval", dict)
    model, task = key(told, "model", str), key(told, "task", str)
    which = which or Which()
    which.want(task)
    status = log.get("status", "started")
    if status != "success":
        yield Unfinished(f"the evaluation has status {shown(status)}: samples it did not come to are missing")
    read, stated = sum(map(len, lists.values())), _total(log)
    if status == "success" and stated is not None and stated > read:
        yield Unfinished(f"the header counts {stated} completed samples, the file holds {read}")
    configured(place, "inspect_ai", f"{model} {task}", told, CONFIGURATION)
    if not any(lists.values()):
        raise InvalidInput("empty", "path", "there is no sample in it")
    choices: dict[str, str] = {}
    scores = {name: _scores(samples, choices, place, name) for name, samples in lists.items()}
    place.whole()
    samples = (sample for several in lists.values() for sample in several)
    lost = not choices and all(sample.get("error") is not None for sample in samples)  # nothing came to a score
    if lost:
        which.excused()
    invalid = sum(1 for several in lists.values() for sample in several if sample.get("invalidation"))
    chosen, kept = ("", False) if lost else _chosen(which, choices, place, task)
    if invalid and not kept:
        keeping = f"--which {chosen}{INVALIDATED} keeps them" if chosen else "they have no score"
        place.remark(f"Samples of inspect_ai that were invalidated: {{n}}. They are missing; {keeping}.", invalid)
        yield Unfinished(f"{invalid} samples were invalidated, so that their outcome is missing ({keeping})", True)
    if chosen:
        _claims(log, choices[chosen], chosen, place)
    stops = not_run(log)
    for _ in stops:
        place.remark(STOPPED)
    for name, several in lists.items():
        rows = (
            _row(sample, found.get(chosen, NONE), kept, model)
            for sample, found in zip(several, scores[name], strict=True)
        )
        yield from batches(rows, place, name, model, task, bool(stops))


def not_run(log: Any) -> list[Any]:
    """Trials that were not run, since scorio.harness.EarlyStopping had decided the run: they are not missing."""
    results = log.get("results")
    summary = results.get("early_stopping") if isinstance(results, dict) else None
    if not isinstance(summary, dict) or summary.get("manager") != MANAGER:
        return []
    stops = summary.get("early_stops")
    return stops if isinstance(stops, list) else []


def _claims(log: Any, scorer: str, chosen: str, place: Place) -> None:
    """Its own average of the scorer, and how many samples it is of; both are of averages over epochs."""
    results, config = log.get("results"), key(log, "eval", dict).get("config")
    reducers = config.get("epochs_reducer") if type(config) is dict else None
    own = [x for x in (results.get("scores") or [] if type(results) is dict else []) if type(x) is dict]
    own = [x for x in own if x.get("reducer", "mean") in (None, "mean")]
    if reducers not in (None, ["mean"], "mean"):
        return
    for x in own:
        if x.get("name") not in (chosen, chosen.rpartition("/")[2]) or x.get("scorer", scorer) != scorer:
            continue
        metrics = x["metrics"] if type(x.get("metrics")) is dict else {}
        for name in ("accuracy", "mean"):
            if type(metrics.get(name)) is dict:
                claim(place, f"{name} of {chosen}", metrics[name].get("value"))
        claim(place, "scored samples (averages over epochs)", x.get("scored_samples"), "answered")


def _total(log: Any) -> int | None:
    """How many samples the header says were completed."""
    results = log.get("results")
    total = results.get("completed_samples") if type(results) is dict else None
    return total if type(total) is int else None


def _invalidate(members: Members, lists: dict[str, list[Any]], place: Place) -> None:
    """Mark the summaries of samples that were invalidated, which only the samples themselves say."""
    for samples in lists.values():
        for sample in samples:
            name = f"samples/{key(sample, 'id', str, int)}_epoch_{key(sample, 'epoch', int)}.json"
            whole = document(members.sample(name), place)
            sample["invalidation"] = whole.get("invalidation") if type(whole) is dict else None


def _chosen(which: Which, choices: dict[str, str], place: Place, task: str) -> tuple[str, bool]:
    """The scorer, and whether samples that were invalidated keep its score: SCORER:invalidated asks for that."""
    kept = {f"{name}{INVALIDATED}": name for name in choices}
    asked = which.among([*choices, *kept], "scorers", task)
    found = asked or choose(which, choices, "scorers", task)
    return settled(kept.get(found, found), "inspect_ai", place, task), found in kept


def _row(sample: Any, score: tuple[Any, Any], kept: bool, model: str) -> tuple[Any, Any, Any, Any, Any]:
    """Question, trial, outcome, answer and costs; a sample that was invalidated is missing, unless it is kept."""
    scorer, value = NONE if sample.get("invalidation") and not kept else score
    answer = sample["scores"][scorer].get("answer", UNKNOWN) if scorer else None
    usage = at(sample, "model_usage", model)  # of the model, not of one that grades
    costs = spent(usage, cost=("total_cost",), tokens=("total_tokens",)) | spent(sample, seconds=("total_time",))
    return key(sample, "id", str, int), key(sample, "epoch", int), _number(value), answer, costs


def _scores(samples: list[Any], choices: dict[str, str], place: Place, spot: str) -> list[dict[str, tuple[str, Any]]]:
    """The scores of each sample, the value and the scorer by name; choices takes the scorer of each name."""
    scores = list[dict[str, tuple[str, Any]]]()
    try:
        for sample in samples:
            found = _scores_of(sample)
            for name, (scorer, _) in found.items():
                if choices.setdefault(name, scorer) != scorer:
                    raise _two(choices[name], scorer, name)
            scores.append(found)
    except InvalidInput:
        place.spot = f"{spot}[{len(scores)}]"
        raise
    return scores


def _scores_of(sample: Any) -> dict[str, tuple[str, Any]]:
    """The scorers of a sample and their values, by scorer; of a score with parts, by scorer/part."""
    if not has(sample, "scores"):
        key(sample, "id")
        return {}
    found: dict[str, tuple[str, Any]] = {}
    for scorer, score in (key(sample, "scores", dict, type(None)) or {}).items():
        value = score["value"] if type(score) is dict and "value" in score else key(score, "value")
        if type(value) is not dict and scorer not in found:
            found[scorer] = (scorer, value)
            continue
        parts = {f"{scorer}/{part}": x for part, x in value.items()} if type(value) is dict else {scorer: value}
        for name, x in parts.items():
            if (first := found.setdefault(name, (scorer, x))[0]) != scorer:
                raise _two(first, scorer, name)
    return found


def _two(first: str, scorer: str, name: str) -> InvalidInput:
    """A name is of one scorer: that of another may not be that of a part."""
    what = f"score {shown(name)} may be of scorer {shown(first)} or {shown(scorer)}"
    return InvalidInput("conflict", "path", what)


def _number(value: Any) -> Any:
    """A score as a number; None where it is missing."""
    if type(value) is not str:
        return value
    said = SAID.get(value, SAID.get(value.lower()) if len(value) > 1 else None)
    if said is None and values.number(value, "outcome") is None:  # a word such as null
        raise InvalidInput("type", "outcome", f"score {shown(value)} is not a number, nor C, P, I or N")
    return value if said is None else said


FORMATS = (
    Format("inspect_ai", "json", lambda log: has(log, "eval") and has(log["eval"], "model", "task"), records),
    Format("inspect_ai", "eval", lambda members: True, zipped),
)
