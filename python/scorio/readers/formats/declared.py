"""Formats as data: where the rows of a tool's log are, which keys are read, and what the log says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...errors import shown
from ..claims import AnswerCounter, claim
from ..options import Which
from ..pattern import ABSENT, Pattern, Row, at
from ..records import UNKNOWN, Trial
from ..text_files import SourceLocation
from .fields import Format, document_beside, same_metric, trial_costs, wrong

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

    def records(content: Any, location: SourceLocation, which: Which | None) -> Iterator[Trial]:
        return _trials(name, rows, pattern, [content] if kind in DOCUMENTS else content, location, which or Which())

    return Format(name, kind, matches, records, metric=metric, **of_file)


DOCUMENTS = ("json", "xml", "text")  # kinds of files whose content is one document


def _trials(
    format: str, x: Rows, pattern: Pattern, documents: Iterable[Any], location: SourceLocation, which: Which
) -> Iterator[Trial]:
    """The trials in the rows of a log, and what it says of itself."""
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
                if type(outcome) not in (str, bool, int, float) or outcome not in x.words:
                    raise wrong(f"{path} is {shown(outcome)}, not one of {', '.join(x.words)}")
                outcome = x.words[outcome]
            trial = None if x.trial is None else _cell(row, x.trial, "trial")
            if counter is not None:
                trial = counter.next(str(question), row.own)
            yield Trial(
                model, question, trial, outcome, None, task,
                answer=UNKNOWN if x.answer is None else _cell(row, x.answer, "answer"),
                costs=None if x.costs is None else trial_costs(row.own, **x.costs),
                rest=row.own if isinstance(row.own, dict) else None,
            )  # fmt: skip
    for number in x.stated:
        if number.outcome in ("", chosen):
            _claim(number, document, chosen, location)


def _cell(row: Row, cell: Cell, name: str) -> Any:
    """A cell of a row, which must be there."""
    if callable(cell):
        return cell(row)
    value = row.find(cell, name)
    if value is ABSENT and not (name == "outcome" and row.own is None):
        raise wrong(f"there is no {cell} here")
    return None if value is ABSENT else value


def _claim(x: Stated, document: Any, chosen: str, location: SourceLocation) -> None:
    """Note a number that the log, or a document beside it, states."""
    beside = x.beside.replace("{}", location.stem.removesuffix(x.ending))
    stated = document_beside(location, beside) if beside else document
    value = at(stated, x.path.replace("{}", chosen)) if x.value is None else x.value(stated)
    value = None if value is ABSENT else value
    what = x.what.replace("{}", chosen) + (f" ({beside})" if beside else "")
    claim(location, what, value, x.kind, unit=x.unit, digits=x.digits)
