"""Records that the readers of formats yield, their runs, and what a log states about them."""

from __future__ import annotations

import marshal
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from math import gcd
from typing import Any, NamedTuple

import numpy as np

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
    """A note that outcomes are missing, where the log does not state which (unless they are `counted`).

    Where a log states only how many questions of a model were planned, those that it lacks are counted as missing once
    all logs are read: another model may have them.
    """

    why: str
    counted: bool = False  # whether they are counted as missing already, so that only missing="raise" uses this note
    model: Any = None
    task: Any = None
    planned: int = 0  # questions; 0 where the log does not say how many
    trials: int = 1  # of each

    def without_plan(self) -> Unfinished:
        """The note where runs or models are named anew: what the plan of one file lacks is then said, not counted."""
        return self._replace(planned=0, counted=False) if self.planned else self


Record = Trial | SuccessCount | Unfinished


class Settings(NamedTuple):
    """How a run was made: runs of other settings are other conditions, and no trials of the same questions."""

    stated: Mapping[str, Any]  # by name; a setting that is stated in one of two runs only says nothing
    prompts: Mapping[str, Any]  # the prompt of each question, or its hash
    files: str  # a pattern of the names of the files of this run

    def difference(self, other: Settings) -> str:
        """The first setting that differs from that of another run; "" where there is none."""
        shared = (x for x in self.stated if x in other.stated and self.stated[x] != other.stated[x])
        return next(shared, "")

    def same_prompts(self, other: Settings) -> bool:
        """Whether the questions of both runs have the same prompts."""
        return all(other.prompts.get(question, prompt) == prompt for question, prompt in self.prompts.items())


# --- runs: files of which each adds one or more trials of each question ---


class Runs:
    """Numbering of runs whose files have one trial of each question, or that are pooled under one model."""

    def __init__(self, location: SourceLocation, pooled: bool) -> None:
        self.location, self.pooled = location, pooled
        self.model = location.root.resolve().name or str(location.root)  # of pooled runs whose files name no model
        self._n_runs: dict[tuple[str, str], int] = {}  # number of runs so far, of each model and task
        self._named: tuple[str, str] | None = None  # the first model that a run names, and the location of that run
        self._inferred = ""  # the location of the first run whose file names no model

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
                yield record.without_plan()
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
                yield record._replace(trial=_trial_id(record, str(run), is_one_trial, trials_of_question))

    def _pooled_model(self, model: Any) -> str:
        """The one model of all runs; raises where two runs name different models, or only one names its model."""
        if isinstance(model, InferredName):
            name, self._inferred = self.model, self._inferred or str(self.location)
        else:
            name = values.id_of(model, "model")
            self._named = self._named or (name, str(self.location))
        first, where = self._named or (name, "")
        if self._named and self._inferred:
            what = f"{where} is of model {shown(first)}, and {self._inferred} names none"
            raise InvalidInput("conflict", "files_are_runs", what, "models")
        if name != first:
            what = f"a run of model {shown(name)}, but {where} is of {shown(first)}"
            raise InvalidInput("conflict", "files_are_runs", what, "models")
        return name


def _trial_id(record: Trial, run: str, is_one_trial: bool, trials_of_question: dict[Any, int]) -> str:
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
            trial = _trial_id(record, run, is_one_trial, trials_of_question) if run else record.trial
            yield record._replace(trial=trial, **names)
        elif isinstance(record, SuccessCount):
            yield record._replace(run=run or record.run, **names)
        else:
            yield record.without_plan()


ROUNDING = 1e-6  # tolerance of a score that is stated with all its digits
LARGEST = 1e15  # a larger number is neither a score nor a count
MIN_RECORD_BYTES = 64  # average size of a record, below which equal records do not suggest a copy
MIN_DISTINCT_RECORDS = 3  # number of distinct records, below which equal records do not suggest a copy


class Claim(NamedTuple):
    """A number that a log states: its name there, and the quantity of :class:`OutcomeTotals` that it should equal."""

    what: str
    value: float
    kind: str  # the quantity, see OutcomeTotals.number
    unit: float  # 100 for a percentage
    error: float  # the largest difference that rounding explains
    document: str  # the document that states it, if it is about several files; else ""


class OutcomeTotals:
    """Totals of outcomes by question: their sum, their number, and how many are missing."""

    def __init__(self) -> None:
        self.by_question: dict[Any, list[float]] = {}  # the sum, the number, and the number that are missing
        self._unique_ids: set[str] = set()

    def add_record(self, record: Any) -> None:
        """Add the outcomes of a record, unless it is a copy.

        An invalid outcome is added as missing, and an invalid count is left out: counting reports the error.
        """
        if type(record) is SuccessCount:
            outcome, times = _outcome(record.c), _outcome(record.n)
            if outcome is None or times is None:
                return
            scored = int(times)
        elif type(record) is Trial:
            if type(record.trial) is UniqueTrialId:
                if record.trial in self._unique_ids:
                    return
                self._unique_ids.add(record.trial)
            outcome, scored = _outcome(record.outcome), record.times
            outcome = None if outcome is None else outcome * scored
        else:
            return
        totals = self.by_question.setdefault((record.model, record.task, record.question), [0.0, 0, 0])
        if outcome is None:
            totals[2] += scored
        else:
            totals[0] += outcome
            totals[1] += scored

    def merge(self, other: OutcomeTotals) -> None:
        """Add the totals of another file."""
        if other._unique_ids and other._unique_ids <= self._unique_ids:
            return  # the other file is a copy
        self._unique_ids |= other._unique_ids
        for question, (total, n, missing) in other.by_question.items():
            totals = self.by_question.setdefault(question, [0.0, 0, 0])
            totals[:] = totals[0] + total, totals[1] + n, totals[2] + missing

    def number(self, kind: str) -> float | None:
        """A quantity that logs state, such as the mean or the number of trials; None where it is undefined."""
        total, n, missing = map(sum, zip(*self.by_question.values(), strict=True)) if self.by_question else (0, 0, 0)
        means = [x[0] / x[1] for x in self.by_question.values() if x[1]]
        zeros = total / (n + missing) if n + missing else None  # missing outcomes count as 0
        return {
            "successes": total, "missing": missing, "failures": n - total, "trials": n + missing,
            "questions": len(self.by_question), "answered": len(means), "zeros": zeros,
            "mean": sum(means) / len(means) if means else None, "rate": total / n if n else None,
        }[kind]  # fmt: skip


def claim(
    location: SourceLocation,
    what: str,
    value: Any,
    kind: str = "mean",
    *,
    unit: float = 1,
    digits: int | None = None,
    document: str = "",
) -> None:
    """Note a number that the file, or a file beside it, states, for comparison with the outcomes.

    value : the number; anything else, such as None, is not noted.
    kind : the quantity that the number should equal, see OutcomeTotals.number.
    unit : 100 for a percentage.
    digits : decimals that the number was rounded to; None if it has all its digits.
    document : the file that states the number, if the number covers several files.
    """
    if type(value) in (int, float, Decimal) and -LARGEST < value < LARGEST:
        # half a unit of the last digit, and a little more for the rounding of doubles
        error = ROUNDING * unit if digits is None else 0.5000001 * 10**-digits
        location.claims.append(Claim(what, float(value), kind, unit, error, document))


class AnswerCounter:
    """Counter of the answers to each question in the order of a file; it detects a file that was appended to itself.

    Easy questions and deterministic models give equal answers too. A remark is therefore made only if the number of
    times that a record occurs is, for every record, a multiple of some m > 1, and records are neither few nor short.
    """

    def __init__(self, location: SourceLocation) -> None:
        self.counts: Counter[Any] = Counter()  # answers so far, by question
        self._hashes, self._bytes = array("q"), 0
        location.counter = self  # read by checked()

    def next(self, question: Any, record: Any) -> int:
        """The number of this answer among the answers to its question; record: everything in the log about it."""
        self.counts[question] += 1
        try:
            content = marshal.dumps((question, record), 2)  # version 2 writes equal values as equal bytes
        except ValueError:  # nested too deeply: counted as distinct
            content = b"%d" % len(self._hashes)
        self._hashes.append(hash(content))
        self._bytes += len(content)
        return self.counts[question]

    def repetitions(self) -> int:
        """The largest m such that every record occurs a multiple of m times; 1 where records are few or short."""
        times = np.unique(np.frombuffer(self._hashes, np.int64), return_counts=True)[1]
        is_enough = len(times) >= MIN_DISTINCT_RECORDS and self._bytes >= MIN_RECORD_BYTES * len(self._hashes)
        return gcd(*times.tolist()) if is_enough else 1


def checked(records: Iterable[Record], location: SourceLocation) -> Iterator[Record]:
    """The records of a file, then an Unfinished for each stated number of trials or questions that is not reached.

    Other contradictions of stated numbers become remarks, as does a file whose records are all repeated. Numbers about
    several files are left to :func:`check_documents`.
    """
    location.claims, location.counter, outcomes = [], None, OutcomeTotals()
    for record in records:
        yield record  # the accumulator reports an invalid record
        with suppress(TypeError, OverflowError):  # a list as an id or a huge number, which unread tasks may contain
            outcomes.add_record(record)
    location.leave_line()
    if location.counter is not None and (times := location.counter.repetitions()) > 1:
        what = (
            f"{location.file.name}: every record occurs {times} times (or a multiple of that), word for word: the file "
            "was appended to itself,"
        )
        location.remark(f"{what} or the model is deterministic. The repetitions count as further trials.")
    for name in dict.fromkeys(x.document for x in location.claims if x.document):
        location.stated.setdefault(name, (OutcomeTotals(), {}))[0].merge(outcomes)
    for stated in location.claims:
        if stated.document:
            location.stated[stated.document][1][stated.what] = stated
        elif contradiction := _contradicted(stated, outcomes):
            if stated.kind in ("trials", "questions") and stated.value > (outcomes.number(stated.kind) or 0):
                yield Unfinished(contradiction)
            else:
                location.remark(f"{location.file.name}: {contradiction}.")


def check_documents(location: SourceLocation) -> None:
    """Remark on numbers that documents state about several files and that the outcomes contradict."""
    for name, (outcomes, claims) in location.stated.items():
        for stated in claims.values():
            if contradiction := _contradicted(stated, outcomes):
                location.remark(f"{name}: {contradiction}.")


def _contradicted(stated: Claim, outcomes: OutcomeTotals) -> str:
    """The contradiction between a stated number and the outcomes, in words; "" where there is none."""
    counted = outcomes.number(stated.kind)
    if counted is None or abs(counted * stated.unit - stated.value) <= stated.error:
        return ""
    computed = counted * stated.unit
    return f"the log states {stated.what} {stated.value:.7g}, the outcomes that were read give {computed:.7g}"


def _outcome(x: Any) -> float | None:
    """An outcome as a number; None where it is missing or invalid."""
    if type(x) in (int, float, bool):
        return float(x) if x == x else None
    try:
        value = values.score(x, None)
    except InvalidInput:
        return None  # counting reports the error
    return value
