"""Records that the readers of formats yield: trials, success counts, batches of trials, notes on missing outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InvalidInput
from .text_files import SourceLocation

UNKNOWN = object()  # a value that the log does not state


class Trial(NamedTuple):
    """One outcome with the cells of its row, or several equal outcomes; without a trial id each is a further trial."""

    model: Any
    question: Any
    trial: Any
    outcome: Any
    cluster: Any = None
    task: Any = None  # the benchmark
    times: int = 1  # the number of equal outcomes
    answer: Any = UNKNOWN  # None where the trial has no answer
    costs: Mapping[str, Any] | None = None  # by the name of the unit: cost, tokens, ...
    rest: Mapping[str, Any] | None = None  # the row itself, for the check of fields that are not read (readers/check)


class UniqueTrialId(str):
    """A trial id that is unique in the whole log: a second row with it is a copy, which is not counted."""

    __slots__ = ()


class SuccessCount(NamedTuple):
    """A count of c successes in n trials of one question; counts of several runs are added."""

    model: Any
    question: Any
    c: Any
    n: Any
    cluster: Any = None
    task: Any = None
    run: Any = None  # the run that was counted; None where the log names no run
    rest: Mapping[str, Any] | None = None  # as in Trial


class Batch(NamedTuple):
    """Trials of one model in one task, from a list in one file, as columns that are checked all at once."""

    location: SourceLocation
    entry: str  # the location of the list in the file: row i is at entry[i]
    model: Any
    task: Any
    questions: Sequence[Any]
    trials: Sequence[Any]
    outcomes: Sequence[Any]
    answers: Sequence[Any]
    stopped: bool = False  # whether scorio stopped the run early: trials that were not run are then not missing
    costs: Sequence[Mapping[str, Any] | None] = ()  # costs of each trial, where the log states them

    def each_trial(self) -> Iterator[Trial]:
        """Each trial of the batch; the location is set to its row."""
        for i, (question, trial, outcome) in enumerate(zip(self.questions, self.trials, self.outcomes, strict=True)):
            self.enter_row(i)
            costs = self.costs[i] if self.costs else None
            yield Trial(self.model, question, trial, outcome, None, self.task, answer=self.answers[i], costs=costs)

    def enter_row(self, i: int) -> None:
        """Set the location to row i of the batch."""
        self.location.entry = f"{self.entry}[{i}]"


def batches(
    rows: Iterable[tuple[Any, Any, Any, Any, Any]],
    location: SourceLocation,
    entry: str,
    model: Any,
    task: Any = None,
    stopped: bool = False,
) -> Iterator[Batch]:
    """A batch of these rows (question, trial, outcome, answer, costs); an invalid row raises after those before it."""
    valid_rows, error = list[tuple[Any, Any, Any, Any, Any]](), None
    try:
        valid_rows.extend(rows)
    except InvalidInput as e:
        error = e
    if valid_rows:
        questions, trials, outcomes, answers, costs = zip(*valid_rows, strict=True)
        location.entry = f"{entry}[0]"
        yield Batch(location, entry, model, task, questions, trials, outcomes, answers, stopped, costs)
    if error is not None:
        location.entry = f"{entry}[{len(valid_rows)}]"
        raise error


class Unfinished(NamedTuple):
    """A note that outcomes are missing, where the log does not state which (unless they are `counted`)."""

    why: str
    counted: bool = False  # whether they are counted as missing already, so that only missing="raise" uses this note


Record = Trial | SuccessCount | Batch | Unfinished
