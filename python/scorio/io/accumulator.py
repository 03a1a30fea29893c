"""Records of trials, from any log, gathered into the counts of each question; :mod:`.assembly` makes logs of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from . import values
from .asking import Asked
from .choices import Unwanted, wanted
from .text_files import Place, shown

KNOWN = (str, int)  # types of ids
UNKNOWN = object()  # the log does not say


class Trial(NamedTuple):
    """One outcome, cells as they stand in the log; or as many like it. Without a trial every record is one more."""

    model: Any
    question: Any
    trial: Any
    outcome: Any
    cluster: Any = None
    task: Any = None  # the set of questions: part of their names where the log holds several
    times: int = 1
    answer: Any = UNKNOWN  # what was answered; None where the trial has no answer


class Unique(str):
    """The id of a trial that no other trial has, wherever it stands: the same again is a copy, and counted once."""

    __slots__ = ()


class Tallied(NamedTuple):
    """c successes in n trials; those of further runs add up."""

    model: Any
    question: Any
    c: Any
    n: Any
    cluster: Any = None
    task: Any = None
    run: Any = None


class Batch(NamedTuple):
    """Trials of one model in one task from a list of one file, as columns: what is said of all is looked at once."""

    place: Place
    spot: str  # of the list in the file: row i stands at spot[i]
    model: Any
    task: Any
    questions: Sequence[Any]
    trials: Sequence[Any]
    outcomes: Sequence[Any]
    answers: Sequence[Any]
    stopped: bool = False  # early, by a rule of this package: unequal trials, of which none is missing

    def each(self) -> Iterator[Trial]:
        """One by one, at their places."""
        for i, (question, trial, outcome) in enumerate(zip(self.questions, self.trials, self.outcomes, strict=True)):
            self.at(i)
            yield Trial(self.model, question, trial, outcome, None, self.task, answer=self.answers[i])

    def at(self, i: int) -> None:
        """The place is that of row i."""
        self.place.spot = f"{self.spot}[{i}]"


def batches(
    rows: Iterable[tuple[Any, Any, Any, Any]],
    place: Place,
    spot: str,
    model: Any,
    task: Any = None,
    stopped: bool = False,
) -> Iterator[Batch]:
    """Rows of question, trial, outcome and answer as a batch; those before a broken one come before its error."""
    found, broken = list[tuple[Any, Any, Any, Any]](), None
    try:
        found.extend(rows)
    except InvalidInput as e:
        broken = e
    if found:
        questions, trials, outcomes, answers = zip(*found, strict=True)
        place.spot = f"{spot}[0]"
        yield Batch(place, spot, model, task, questions, trials, outcomes, answers, stopped)
    if broken is not None:
        place.spot = f"{spot}[{len(found)}]"
        raise broken


class Unfinished(NamedTuple):
    """Outcomes are missing of which the log does not say how many."""

    why: str


Record = Trial | Tallied | Batch | Unfinished
Codes = npt.NDArray[np.int64]
Given = Counter[tuple[str | None, int]]  # an answer, and the category of the trials that gave it


class Trials(NamedTuple):
    """The trials of one model in one task, those of a question together."""

    at: Codes  # the question of each
    ids: list[str]  # distinct, in the order in which they stand
    id: Codes  # which of them each is
    level: Codes  # the number that its outcome is counted under; -1: missing


class Cells(NamedTuple):
    """What was counted of one model in one task."""

    questions: list[str]
    clusters: list[str | None]
    absent: Codes  # missing outcomes of each question
    at: Codes  # the question of each count
    level: Codes  # the number that it is counted under
    times: Codes
    trials: Trials | None = None
    answers: list[Given] | None = None  # of each question


class Again(Exception):
    """What an engine counted and what stands elsewhere are of one model and task: to be read row by row."""


class Question:
    """Counts of one question of one model, by category (-1: missing); its trials in order, if they are to be kept."""

    __slots__ = ("answers", "cluster", "counts", "order")

    def __init__(self, cluster: str | None) -> None:
        self.counts: dict[int, int] = {}
        self.cluster = cluster
        self.order: list[tuple[str, int]] = []
        self.answers: Given | None = None

    def add(self, trial: str, category: int, times: int, options: Asked, answer: Any) -> None:
        """One more trial, or as many like it."""
        self.counts[category] = self.counts.get(category, 0) + times
        if options.trials:
            self.order.extend([(trial, category)] * times)
        if options.answers and category >= 0:
            if self.answers is None:
                self.answers = Counter()
            self.answers[answer_of(answer), category] += times


def answer_of(x: Any) -> str | None:
    """An answer as text; None where there is none, which tools write as null, nothing or [invalid]."""
    if x is UNKNOWN:
        raise InvalidInput("missing", "answers", "the answer of the trial is not here")
    if x is not None and type(x) not in (str, int, float, bool):
        raise InvalidInput("type", "answers", f"the answer {shown(x)} is neither text nor a number")
    text = "" if x is None else str(x).strip()
    return None if text in ("", "[invalid]") else text


class Gather:
    """Takes records, of one file or of many; what it has of each model and question is for :mod:`.assembly`."""

    def __init__(self, place: Place, options: Asked) -> None:
        self.place, self.options = place, options
        self.tables: dict[str, dict[str, dict[str, Question] | Cells]] = {}  # by task; questions by name
        self.level: dict[float, int] = {}  # the number that a score is counted under
        self.stated: bool | None = None  # c and n?
        self.unfinished: list[str] = []
        self.metrics: dict[str, str] = {}  # what the outcomes of each task are called
        self.passed_by: dict[str, None] = {}  # tasks that were not asked for
        self.stopped: set[tuple[str, str]] = set()  # models and tasks whose run was stopped early
        self._seen: dict[tuple[str, str], dict[tuple[str, str], Any]] = {}  # where stood what must not stand twice
        self._outcomes: dict[tuple[str, str, str, str], Any] = {}  # of what may
        self._batches: list[tuple[int, Path, str]] = []  # file and spot, by the number of the first row among all rows
        self._rows = 0  # of batches
        self._ids: dict[str, str] = {}
        self._category: dict[Any, int] = {}  # of the cells met so far: few, however many records

    def take(self, records: Iterable[Record], metric: str = "outcome") -> None:
        """Count the records; the place says where each stands. metric: what their outcomes are called."""
        try:
            for record in records:
                if type(record) is Batch:
                    self._many(record, metric)
                else:
                    self._one(record, metric)  # type: ignore[arg-type]
        except Unwanted as e:
            self.passed_by.setdefault(str(e))

    def _many(self, batch: Batch, metric: str) -> None:
        """As _one of each row."""
        i, number = 0, self._rows
        try:
            task = self._task(batch.task, False, metric)
            if task is None:
                return
            model = self._id(batch.model, "model")
            if batch.stopped:
                self.stopped.add((model, task))
            self._batches.append((number, self.place.file, batch.spot))
            self._rows += len(batch.questions)
            seen, ids = self._seen.setdefault((model, task), {}), self._ids
            table: dict[str, Question] | None = None
            plain = not (self.options.trials or self.options.answers)
            for i, x in enumerate(batch.outcomes):
                question, trial = batch.questions[i], batch.trials[i]
                question = (ids.get(question) if type(question) in KNOWN else None) or self._id(question, "question")
                trial = (ids.get(trial) if type(trial) in KNOWN else None) or self._id(trial, "trial")
                here = number + i
                if seen.setdefault((question, trial), here) != here:
                    batch.at(i)
                    self._once(model, task, question, trial)
                found = None if table is None else table.get(question)
                if found is None or found.cluster is not None:
                    found = self._question(model, task, question, None)
                    table = self.tables[model][task]  # type: ignore[assignment]
                category = self.category(x)
                if plain:
                    found.counts[category] = found.counts.get(category, 0) + 1
                else:
                    found.add(trial, category, 1, self.options, batch.answers[i])
        except InvalidInput:
            batch.at(i)
            raise

    def _task(self, named: Any, stated: bool, metric: str) -> str | None:
        """The task of a record; None where it is not asked for."""
        task = "" if named is None else values.id_of(named, "task")
        if self.options.tasks and not wanted(self.options.tasks, task or None):
            self.passed_by.setdefault(task)
            return None
        if self.stated is not stated:
            self.alike(stated)
        self.metrics.setdefault(task, metric)
        return task

    def _one(self, record: Trial | Tallied | Unfinished, metric: str) -> None:
        if isinstance(record, Unfinished):
            self._unfinished(record)
            return
        stated = type(record) is Tallied
        task = self._task(record[5], stated, metric)
        if task is None:
            return
        model, question = self._id(record[0], "model"), self._id(record[1], "question")
        named = record[6] if stated else record[2]
        trial = "" if named is None else self._id(named, "trial")
        if isinstance(named, Unique):
            if self._copied(model, task, question, trial, record):
                return
        elif trial or stated:
            self._once(model, task, question, trial)
        found = self._question(model, task, question, record[4])
        if isinstance(record, Tallied):
            self._tally(found, record)
        else:
            found.add(trial, self.category(record[3]), record.times, self.options, record.answer)

    def _id(self, x: Any, name: str) -> str:
        """As values.id_of says; most ids were met before."""
        if type(x) not in KNOWN:
            return values.id_of(x, name)
        found = self._ids.get(x)
        if found is None:
            found = self._ids[x] = values.id_of(x, name)
        return found

    def whole(self, found: dict[tuple[str, str], Cells], stated: bool) -> None:
        """All that one file has, counted by an engine: by model and task."""
        if self.stated is not stated:
            self.alike(stated)
        for (model, task), cells in found.items():
            tables = self.tables.setdefault(model, {})
            if task in tables:
                raise Again
            tables[task] = cells
            self.metrics.setdefault(task, "outcome")

    def _copied(self, model: str, task: str, question: str, trial: str, record: Any) -> bool:
        """Whether the same trial was met before, with the same outcome."""
        key, here = (model, task, question, trial), self.place.mark()
        where = self._seen.setdefault((model, task), {}).setdefault((question, trial), here)
        if where == here:
            self._outcomes[key] = record[3]
            return False
        if key not in self._outcomes:
            self._once(model, task, question, trial)
        if self._outcomes.get(key) != record[3]:
            what = f"trial {shown(trial)} of question {shown(question)} of {shown(model)}"
            raise InvalidInput("duplicate", "path", f"{what} has another outcome in {self.place.marked(where)}")
        self.place.remark("Outcomes that stand in it twice, as copies of one trial: {n}. Each is counted once.")
        return True

    def _unfinished(self, record: Unfinished) -> None:
        if self.options.missing == "raise":
            raise InvalidInput("missing", "path", record.why, "policy")
        self.unfinished.append(f"{self.place}: {record.why}")

    def alike(self, stated: bool) -> None:
        """All records are trials, or all are counts."""
        if self.stated is not None:
            raise InvalidInput("conflict", "path", "c and n count trials: they cannot stand beside outcomes")
        self.stated = stated

    def _once(self, model: str, task: str, question: str, trial: str) -> None:
        here = self.place.mark()
        first = self._seen.setdefault((model, task), {}).setdefault((question, trial), here)
        if type(first) is int:
            first = self._mark(first)
        if first != here:
            what = (f"trial {shown(trial)} of " if trial else "") + f"question {shown(question)} of {shown(model)}"
            raise InvalidInput("duplicate", "path", f"{what} stands already in {self.place.marked(first)}")

    def _mark(self, row: int) -> tuple[Path, int, str]:
        """Where a row of a batch stood."""
        number, file, spot = self._batches[bisect_right(self._batches, row, key=itemgetter(0)) - 1]
        return file, 0, f"{spot}[{row - number}]"

    def _question(self, model: str, task: str, question: str, cluster: Any) -> Question:
        table = self.tables.setdefault(model, {}).setdefault(task, {})
        if isinstance(table, Cells):
            raise Again
        found = table.get(question)
        named = None if cluster is None else values.id_of(cluster, "cluster")
        if found is None:
            found = table[question] = Question(named)
        elif found.cluster != named:
            what = f"question {shown(question)} of {shown(model)} is in cluster {shown(named)} here"
            raise InvalidInput("conflict", "cluster", f"{what}, in {shown(found.cluster)} before")
        return found

    def _tally(self, found: Question, record: Tallied) -> None:
        if self.options.answers:
            raise InvalidInput("missing", "answers", "there are counts of successes here, not the answers of trials")
        if self.options.C is None:
            self.level = {0.0: 0, 1.0: 1}
        elif self.options.C > 1:
            raise InvalidInput("conflict", "weights", "c and n count two categories, the weights are for more")
        for category, n in enumerate(values.failures_and_successes(record.c, record.n)):
            found.counts[category] = found.counts.get(category, 0) + n

    def category(self, x: Any) -> int:
        """The number that a cell is counted under, -1 if it is missing."""
        try:
            return self._category[x]
        except (KeyError, TypeError):  # not met yet; or a list, which is an error
            found = self._category[x] = self._read(x)
            return found

    def _read(self, x: Any) -> int:
        """The category of a cell, levels in the order in which they are met; -1 if it is missing."""
        C, missing, code = self.options.C, self.options.missing, self.options.missing_code
        if C is None:
            score = values.score(x, code)
            if score is not None:
                self._within(x, score)
            found = None if score is None else self.level.setdefault(score, len(self.level))
        else:
            found = values.category(x, C, code)
        if found is None and missing == "raise":
            raise InvalidInput("missing", "outcome", "outcome is missing", "policy")
        return -1 if found is None else found

    def _within(self, x: Any, score: float) -> None:
        ends = self.options.scale
        if ends is not None and not ends[0] <= score <= ends[1]:
            what = f"outcome {shown(x)} is outside of the scale {ends[0]:.10g} to {ends[1]:.10g}"
            raise InvalidInput("range", "outcome", what)
