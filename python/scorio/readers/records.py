"""Records that the readers of formats yield: trials, success counts, notes on missing outcomes; and their runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import InvalidInput, shown
from . import values
from .text_files import InferredName, SourceLocation

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
    stopped: bool = False  # whether scorio stopped the run early: trials that were not run are then not missing


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


class Unfinished(NamedTuple):
    """A note that outcomes are missing, where the log does not state which (unless they are `counted`)."""

    why: str
    counted: bool = False  # whether they are counted as missing already, so that only missing="raise" uses this note


Record = Trial | SuccessCount | Unfinished


# --- runs: files of which each adds one or more trials of each question ---


class Runs:
    """Numbering of runs whose files have one trial of each question, or that are pooled under one model."""

    def __init__(self, location: SourceLocation, pooled: bool) -> None:
        self.location, self.pooled = location, pooled
        self.model = location.root.resolve().name or str(location.root)  # of pooled runs whose files name no model
        self._n_runs: dict[tuple[str, str], int] = {}  # number of runs so far, of each model and task
        self._named: tuple[str, str] | None = None  # the model that a run names, and the location of that run

    def records(
        self, records: Iterable[Record], is_one_trial: bool, fields: Mapping[str, str] | None = None
    ) -> Iterable[Record]:
        """The records of the next file.

        is_one_trial: whether the file has one trial of each question; fields: what the path of the file states (model,
        run, ...), which replaces what the records state.
        """
        if fields:
            return _with_path_fields(records, is_one_trial, fields, self.model)
        return self._numbered(records, is_one_trial) if is_one_trial or self.pooled else records

    def _numbered(self, records: Iterable[Record], is_one_trial: bool) -> Iterator[Record]:
        """The records of a file, with trial ids that no other run of the same model and task has."""
        runs_of_file: dict[tuple[str, str], int] = {}
        trials_of_question: dict[Any, int] = {}
        for record in records:
            if isinstance(record, Unfinished):
                yield record
                continue
            if self.pooled:
                record = record._replace(model=self._pooled_model(record.model))
            key = values.id_of(record.model, "model"), str(record.task)
            run = runs_of_file.get(key)
            if run is None:
                run = runs_of_file[key] = self._n_runs[key] = self._n_runs.get(key, 0) + 1
            if isinstance(record, SuccessCount):
                yield record._replace(run=run)
            else:
                yield record._replace(trial=_trial(record, str(run), is_one_trial, trials_of_question))

    def _pooled_model(self, model: Any) -> str:
        """The one model of all runs; raises where two runs name different models."""
        if isinstance(model, InferredName):
            return self.model
        name = values.id_of(model, "model")
        first, where = self._named = self._named or (name, str(self.location))
        if name != first:
            raise InvalidInput(
                "conflict",
                "files_are_runs",
                f"a run of model {shown(name)}, but {where} is of {shown(first)}",
                "models",
            )
        return name


def _trial(record: Trial, run: str, is_one_trial: bool, trials_of_question: dict[Any, int]) -> str:
    """The id of a trial among the trials of all runs; trials_of_question numbers those that have no id."""
    if is_one_trial:
        return run
    if record.trial is not None:
        return f"{run}/{values.id_of(record.trial, 'trial')}"
    question = str(record.task), values.id_of(record.question, "question")
    trials_of_question[question] = trials_of_question.get(question, 0) + 1
    return f"{run}/{trials_of_question[question]}"


def _with_path_fields(
    records: Iterable[Record], is_one_trial: bool, fields: Mapping[str, str], folder: str
) -> Iterator[Record]:
    """Records with the model, task, question, run and trial that the path of their file states.

    folder : the model of files whose names are questions.
    """
    trials_of_question: dict[Any, int] = {}
    names: dict[str, Any] = {name: fields[name] for name in ("model", "task", "question") if name in fields}
    run = "/".join(fields[name] for name in ("run", "trial") if name in fields)
    is_one_trial = is_one_trial or "trial" in fields
    for record in records:
        if isinstance(record, Trial):
            if "question" in fields and isinstance(record.model, InferredName):
                record = record._replace(model=folder)
            trial = _trial(record, run, is_one_trial, trials_of_question) if run else record.trial
            yield record._replace(trial=trial, **names)
        elif isinstance(record, SuccessCount):
            yield record._replace(run=run or record.run, **names)
        else:
            yield record
