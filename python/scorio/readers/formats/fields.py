"""Formats of logs: access to the fields of a log, and formats as data (where rows are, which keys are read)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InvalidInput, shown
from .. import pattern as patterns
from .. import values
from ..files import naming_file
from ..options import Which
from ..pattern import ABSENT, Pattern, Row
from ..records import UNKNOWN, AnswerCounter, Trial, claim
from ..text_files import SourceLocation, document

KINDS = {dict: "an object", list: "a list", str: "text", int: "an integer", bool: "true or false", type(None): "null"}
NUMBERS = {int, float, Decimal}
TOLERANCE = 1e-6  # of a number that should be an integer, such as an average times its number of outcomes


class Format(NamedTuple):
    """The format of a tool's log: how it is recognised and read.

    kind : "json" (a document), "lines" (objects, one a line), "csv" (its header) or "eval" (a zip file).
    matches : whether the document, the first object of lines or the header is of this format.
    records : a function of the content (the document, the objects, the rows as dictionaries, or the Members of a zip
        file), the SourceLocation and `which` (the requested metric); it sets the location before it yields a record.
    is_one_trial : whether a file has one trial of each question, since the log states no trials.
    metric : the name of its outcomes, where there is only one metric.
    absent : the missing trial of a folder beside that of a file, if it has files, but none of this name; the location
        is that of the file that is not there. None where a folder without the file is nothing.
    """

    name: str
    kind: str
    matches: Callable[[Any], bool]
    records: Callable[..., Iterable[Any]]
    is_one_trial: bool = False
    metric: str = "outcome"
    absent: Callable[[SourceLocation], Trial] | None = None


def wrong(message: str) -> InvalidInput:
    """The error of a log whose structure is not that of its tool."""
    return InvalidInput("format", "path", message)


def has(x: Any, *names: str) -> bool:
    """Whether x is an object with all of these keys."""
    if type(x) is not dict:
        return False
    for name in names:  # noqa: SIM110 (all() of a generator takes three times as long)
        if name not in x:
            return False
    return True


def key(x: Any, name: str, *kinds: type) -> Any:
    """The value under a key, which must be of one of these types; of any type if none is given."""
    if type(x) is not dict:
        raise wrong(f"{shown(x)} is not an object with {name}")
    if name not in x:
        raise wrong(f"there is no {name} here")
    if kinds and type(x[name]) not in kinds:
        raise wrong(f"{name} is {shown(x[name])}, not {' or '.join(KINDS[kind] for kind in kinds)}")
    return x[name]


def successes(value: Any, n: int, metric: str) -> int:
    """The number of successes c in n outcomes, from their average."""
    number = values.number(value, "outcome")
    if number is None:
        raise InvalidInput("missing", "outcome", f"{metric} is missing: it would be an average of {n} outcomes")
    c = round(number * n) if 0 <= number <= 1 else -1
    if abs(number * n - c) > TOLERANCE:
        raise wrong(f"{metric} = {shown(value)} is not an average of {n} outcomes")
    return c


def same_metric(chosen: str, format: str, location: SourceLocation, task: Any = None) -> str:
    """The chosen metric, which must be the same in all files of a task: two metrics are not comparable."""
    first, file = location.chosen_metrics.setdefault(f"{format} {task or ''}", (chosen, location.file))
    if first != chosen:
        what = f"outcomes are {shown(chosen)} here, but {shown(first)} in {file}"
        raise InvalidInput(
            "conflict",
            "which",
            f"{what}: choose one of the two for all files, or read the files separately",
            f"which:{first}",
        )
    location.metrics.setdefault("" if task is None else str(task).strip(), chosen)
    return chosen


def check_configuration(
    location: SourceLocation, format: str, model: str, configuration: Any, names: Iterable[str]
) -> None:
    """Remark on a model's configuration where it differs from that in its first file.

    names : the parts to compare, keys or dotted paths of keys.
    """
    for name in names:
        x = at(configuration, *name.split("."))
        first = location.versions.setdefault((format, model, name), x)
        if first != x:
            both = " and ".join(shown(json.dumps(y, sort_keys=True)) for y in (first, x))
            location.remark(f"Runs of {shown(str(model))} differ in {name}, {both}: they count as one model.")


def digest(*parts: Any) -> str:
    """An id for a question that has none: a hash of its content."""
    hashed = sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
    values.keep(hashed, parts)
    return hashed


def document_beside(location: SourceLocation, name: str) -> Any:
    """The document of this name in the folder of the file (or above it: ../name); None where there is none."""
    folder, slash, _ = str(location.file).rpartition(os.sep)
    file = f"{folder}{slash}{name}"
    cache = location.documents
    if file not in cache:
        cache[file] = None
        if os.path.isfile(file):
            beside = SourceLocation(Path(file))
            try:
                with naming_file(beside.file):
                    cache[file] = document(beside.file.read_bytes(), beside)
            except InvalidInput as e:
                del cache[file]
                raise e.of(str(beside)) from None
    return cache[file]


def at(x: Any, *names: str) -> Any:
    """The value at a path of keys; None where there is none."""
    for name in names:
        x = x.get(name) if type(x) is dict else None
    return x


def trial_costs(x: Any, **paths: tuple[str, ...]) -> dict[str, Any]:
    """The costs of a trial by unit: each is the sum of the values at its dotted paths, if all of them are numbers."""
    costs = dict[str, Any]()
    for unit, paths_of_unit in paths.items() if type(x) is dict else ():
        total: Any = 0
        for path in paths_of_unit:
            y = at(x, *path.split(".")) if "." in path else x.get(path)
            if type(y) not in NUMBERS:
                break
            total += y
        else:
            costs[unit] = total
    return costs


def text_at(x: Any, *names: str) -> str | None:
    """The text at a path of keys; None where it is absent or blank."""
    x = at(x, *names)
    return x.strip() if type(x) is str and x.strip() else None


# --- formats as data ---


Cell = str | Callable[[Row], Any]  # a path in the row or the objects around it, or a function of the row


class Stated(NamedTuple):
    """A number that a log states about itself: its name, its path, and the quantity that it should equal.

    path, beside : {} in them is the chosen outcome, and the beginning of the file's name without the ending.
    beside : the document beside the log that states it; its name is part of the claim.
    ending : the ending of the file's name that is not part of its beginning.
    outcome : the chosen outcome that it is about; "" for any.
    value : the number, from the document, where it is at no path.
    """

    what: str
    path: str
    kind: str = "mean"
    unit: float = 1
    digits: int | None = None
    beside: str = ""
    ending: str = ""
    outcome: str = ""
    value: Callable[[Any], Any] | None = None


class Rows(NamedTuple):
    """The rows of a tool's log.

    pattern : where they are in the document, or in each line.
    question, outcome, model, task, answer : their cells; without a model in its cell, `name` gives it.
    trial : its cell; None: trials have no ids, or are in the order of the file (in_order).
    name : the model of a file that names none.
    choices : the outcomes that --which chooses from, by the document or the first line; the first is the default.
    no_default : whether one of several must be requested.
    words : the outcomes of words; other words are errors. None: outcomes are numbers or usual words.
    costs : the paths of the costs of a trial, by unit.
    """

    pattern: str
    question: Cell
    outcome: str | Callable[[Row, str], Any] = "outcome"  # {} in a path is the chosen outcome
    model: Cell | None = None
    task: Cell | None = None
    trial: Cell | None = None
    answer: Cell | None = None
    in_order: bool = False
    name: Callable[[SourceLocation], str] = SourceLocation.model
    choices: Callable[[Any], Sequence[str]] | None = None
    no_default: bool = False
    words: Mapping[str, int | None] | None = None
    costs: Mapping[str, tuple[str, ...]] | None = None
    stated: tuple[Stated, ...] = ()


def declared(
    name: str, kind: str, matches: Callable[[Any], bool], rows: Rows, metric: str = "outcome", **of_file: Any
) -> Format:
    """The format of a tool whose rows are declared; of_file: further fields of a Format."""
    pattern = Pattern(rows.pattern)

    def records(content: Any, location: SourceLocation, which: Which) -> Iterator[Trial]:
        return _trials(name, rows, pattern, [content] if kind in DOCUMENTS else content, location, which)

    return Format(name, kind, matches, records, metric=metric, **of_file)


DOCUMENTS = ("json", "xml", "text")  # kinds of files whose content is one document


def _rest(row: dict[str, Any], outcomes: Sequence[str]) -> dict[str, Any]:
    """The fields of a row without those of its outcomes, chosen or not, by their beginnings: plus_status, safety/value.

    None of them is a condition of the others.
    """
    beginnings = tuple(f"{x}{sign}" for x in outcomes for sign in "_/")
    return {name: x for name, x in row.items() if not name.startswith(beginnings)} if outcomes else row


def _trials(
    format: str, x: Rows, pattern: Pattern, documents: Iterable[Any], location: SourceLocation, which: Which
) -> Iterator[Trial]:
    """The trials in the rows of a log, and what it says of itself."""
    names = list[str]()  # of the outcomes that --which chooses from
    chosen, document, counter = "", None, AnswerCounter(location) if x.in_order else None
    name: Any = None
    for document in documents:
        if x.choices is not None and not chosen:
            names = list(x.choices(document))
            requested = which.requested(names, "outcomes")
            chosen = requested or which.choose(names if x.no_default else names[:1], "outcomes")
            same_metric(chosen, format, location)
        for row in pattern.rows(document, location):
            model = None if x.model is None else _cell(row, x.model, "model")
            if model is None:
                model = name = name or x.name(location)
            question, task = _cell(row, x.question, "question"), None if x.task is None else _cell(row, x.task, "task")
            path = x.outcome.replace("{}", chosen) if type(x.outcome) is str else chosen
            outcome = x.outcome(row, chosen) if callable(x.outcome) else _cell(row, path, "outcome")
            if x.words is not None and outcome is not None:
                if type(outcome) not in (str, bool, int, float) or (
                    outcome not in x.words and type(outcome) is not str
                ):
                    raise wrong(f"{path} is {shown(outcome)}, not one of {', '.join(x.words)}")
                outcome = x.words.get(outcome, outcome)  # the option outcomes may state another word
            trial = None if x.trial is None else _cell(row, x.trial, "trial")
            if counter is not None:
                trial = counter.next(str(question), row.own)
            yield Trial(
                model, question, trial, outcome, None, task,
                answer=UNKNOWN if x.answer is None else _cell(row, x.answer, "answer"),
                costs=None if x.costs is None else trial_costs(row.own, **x.costs),
                rest=_rest(row.own, names if callable(x.outcome) else ()) if isinstance(row.own, dict) else None,
            )  # fmt: skip
    for number in x.stated:
        if number.outcome in ("", chosen):
            beside = number.beside.replace("{}", location.stem.removesuffix(number.ending))
            stated = document_beside(location, beside) if beside else document
            path, what = (text.replace("{}", chosen) for text in (number.path, number.what))
            value = patterns.at(stated, path) if number.value is None else number.value(stated)
            what += f" ({beside})" if beside else ""
            claim(location, what, value, number.kind, unit=number.unit, digits=number.digits)  # not if it is ABSENT


def _cell(row: Row, cell: Cell, name: str) -> Any:
    """A cell of a row, which must be there."""
    if callable(cell):
        return cell(row)
    value = row.find(cell, name)
    if value is ABSENT and not (name == "outcome" and row.own is None):
        raise wrong(f"there is no {cell} here")
    return None if value is ABSENT else value
