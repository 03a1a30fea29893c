"""Records of logs, as readers of formats yield them: trials, counts of successes, batches of trials, notes of gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import InvalidInput
from .text_files import SourceLocation

UNKNOWN = object()  # a value that the log does not state


class Trial(NamedTuple):
    """One outcome with its cells in the log, or several equal ones; without a trial id each is a further trial."""

    model: Any
    question: Any
    trial: Any
    outcome: Any
    cluster: Any = None
    task: Any = None  # the set of questions; part of their names where the log has several
    times: int = 1
    answer: Any = UNKNOWN  # what was answered; None where the trial has no answer
    costs: Mapping[str, Any] | None = None  # what it cost, by the name of the unit: cost, tokens, ...


class UniqueTrialId(str):
    """The id of a trial that no other trial has: a second row with it is a copy, and counted once."""

    __slots__ = ()


class SuccessCount(NamedTuple):
    """A count of c successes in n trials of one question; counts of several runs are added."""

    model: Any
    question: Any
    c: Any
    n: Any
    cluster: Any = None
    task: Any = None
    run: Any = None


class Batch(NamedTuple):
    """Trials of one model in one task, from a list of one file, as columns that are checked all at once."""

    place: SourceLocation
    spot: str  # where the list is in the file: row i is at spot[i]
    model: Any
    task: Any
    questions: Sequence[Any]
    trials: Sequence[Any]
    outcomes: Sequence[Any]
    answers: Sequence[Any]
    stopped: bool = False  # stopped early by a rule of this package: questions differ in trials, none is missing
    costs: Sequence[Mapping[str, Any] | None] = ()  # costs of each trial, where the log states them

    def each(self) -> Iterator[Trial]:
        """Each trial of the batch; the location is set to its row."""
        for i, (question, trial, outcome) in enumerate(zip(self.questions, self.trials, self.outcomes, strict=True)):
            self.at(i)
            costs = self.costs[i] if self.costs else None
            yield Trial(self.model, question, trial, outcome, None, self.task, answer=self.answers[i], costs=costs)

    def at(self, i: int) -> None:
        """Set the location to row i of the batch."""
        self.place.spot = f"{self.spot}[{i}]"


def batches(
    rows: Iterable[tuple[Any, Any, Any, Any, Any]],
    place: SourceLocation,
    spot: str,
    model: Any,
    task: Any = None,
    stopped: bool = False,
) -> Iterator[Batch]:
    """Rows (question, trial, outcome, answer, costs) as one batch; rows before a broken one precede its error."""
    whole_rows, broken = list[tuple[Any, Any, Any, Any, Any]](), None
    try:
        whole_rows.extend(rows)
    except InvalidInput as e:
        broken = e
    if whole_rows:
        questions, trials, outcomes, answers, costs = zip(*whole_rows, strict=True)
        place.spot = f"{spot}[0]"
        yield Batch(place, spot, model, task, questions, trials, outcomes, answers, stopped, costs)
    if broken is not None:
        place.spot = f"{spot}[{len(whole_rows)}]"
        raise broken


class Unfinished(NamedTuple):
    """A note that outcomes are missing, where the log does not state how many."""

    why: str
    counted: bool = False  # already among the missing outcomes: only missing="raise" uses this note


Record = Trial | SuccessCount | Batch | Unfinished
