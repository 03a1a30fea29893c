"""inspect_ai: .json logs, and .eval files, which are zip files of the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...errors import InvalidInput
from .. import values
from ..accumulator import Trial, Unfinished
from ..choices import Which
from ..text_files import Place, document, shown
from .fields import Format, choose, has, key, settled, wrong
from .zips import Members

SAID = {"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}  # its own value_to_float
JOURNAL = re.compile(r"_journal/summaries/(\d{1,9})\.json")


def records(log: Any, place: Place, which: Which | None) -> Iterator[Trial | Unfinished]:
    """Samples by id and epoch; a sample without the score, as after an error, is missing."""
    spots = ((f"samples[{i}]", sample) for i, sample in enumerate(key(log, "samples", list)))
    yield from _trials(log, list(spots), place, which)


def zipped(members: Members, place: Place, which: Which | None) -> Iterator[Trial | Unfinished]:
    """The summaries of the samples; of an unfinished log, what its journal has of them."""
    started = _member(members, "header.json" if "header.json" in members.names else "_journal/start.json", place)
    names = ["summaries.json"] if "summaries.json" in members.names else _journal(members.names)
    spots: list[tuple[str, Any]] = []
    for name in names:
        found = _member(members, name, place)
        if type(found) is not list:
            raise wrong(f"{name} is {shown(found)}, not a list of samples")
        spots += ((f"{name}[{i}]", sample) for i, sample in enumerate(found))
    yield from _trials(started, spots, place, which)


def _journal(names: list[str]) -> list[str]:
    found = [(int(number[1]), name) for name in names if (number := JOURNAL.fullmatch(name))]
    return [name for _, name in sorted(found)]


def _member(members: Members, name: str, place: Place) -> Any:
    place.spot = name
    found = document(members.read(name), place)
    place.whole()
    return found


def _trials(log: Any, spots: list[tuple[str, Any]], place: Place, which: Which | None) -> Iterator[Trial | Unfinished]:
    told = key(log, "eval", dict)
    model, task = key(told, "model", str), key(told, "task", str)
    which = which or Which()
    which.want(task)
    status = log.get("status", "started")
    if status != "success":
        yield Unfinished(f"the evaluation has status {shown(status)}: samples it did not come to are missing")
    if not spots:
        raise InvalidInput("empty", "path", "there is no sample in it")
    choices: dict[str, str] = {}
    for place.spot, sample in spots:
        for name, (scorer, _) in _scores(sample).items():
            _one(choices.setdefault(name, scorer), scorer, name)
    place.whole()
    lost = not choices and all(sample.get("error") is not None for _, sample in spots)  # nothing came to a score
    if lost:
        which.excused()
    chosen = "" if lost else settled(choose(which, choices, "scorers", task), "inspect_ai", place, task)
    for place.spot, sample in spots:
        outcome = _number(_scores(sample).get(chosen, ("", None))[1])
        yield Trial(model, key(sample, "id", str, int), key(sample, "epoch", int), outcome, None, task)


def _scores(sample: Any) -> dict[str, tuple[str, Any]]:
    """The scorers of a sample and their values, by scorer; of a score with parts, by scorer/part."""
    if not has(sample, "scores"):
        key(sample, "id")
        return {}
    found: dict[str, tuple[str, Any]] = {}
    for scorer, score in (key(sample, "scores", dict, type(None)) or {}).items():
        value = key(score, "value")
        parts = {f"{scorer}/{part}": x for part, x in value.items()} if type(value) is dict else {scorer: value}
        for name, x in parts.items():
            _one(found.setdefault(name, (scorer, x))[0], scorer, name)
    return found


def _one(first: str, scorer: str, name: str) -> None:
    """A name is of one scorer: that of another may not be that of a part."""
    if first != scorer:
        raise InvalidInput(
            "conflict", "path", f"score {shown(name)} may be of scorer {shown(first)} or {shown(scorer)}"
        )


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
