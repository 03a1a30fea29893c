"""Records of trials, from any log, gathered into the counts of each question; :mod:`.assembly` makes logs of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import InvalidInput
from . import values
from .asking import Asked
from .choices import Unwanted, wanted
from .text_files import Place, shown


class Trial(NamedTuple):
    """One outcome, cells as they stand in the log; or as many like it. Without a trial every record is one more."""

    model: Any
    question: Any
    trial: Any
    outcome: Any
    cluster: Any = None
    task: Any = None  # the set of questions: part of their names where the log holds several
    times: int = 1


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


class Unfinished(NamedTuple):
    """Outcomes are missing of which the log does not say how many."""

    why: str


Record = Trial | Tallied | Unfinished


class Question:
    """Counts of one question of one model, by category; its trials in order, if they are to be kept."""

    __slots__ = ("absent", "cluster", "counts", "order")

    def __init__(self, cluster: str | None) -> None:
        self.counts: dict[int, int] = {}
        self.absent, self.cluster = 0, cluster
        self.order: list[tuple[str, int]] = []


class Gather:
    """Takes records, of one file or of many; what it has of each model and question is for :mod:`.assembly`."""

    def __init__(self, place: Place, options: Asked) -> None:
        self.place, self.options = place, options
        self.tables: dict[str, dict[tuple[str, str], Question]] = {}  # by task and question
        self.level: dict[float, int] = {}  # the number that a score is counted under
        self.stated: bool | None = None  # c and n?
        self.unfinished: list[str] = []
        self.metrics: dict[str, str] = {}  # what the outcomes of each task are called
        self.passed_by: dict[str, None] = {}  # tasks that were not asked for
        self._seen: dict[tuple[str, str, str, str], Any] = {}  # where stood what must not stand twice
        self._category: dict[Any, int] = {}  # of the cells met so far: few, however many records

    def take(self, records: Iterable[Record], metric: str = "outcome") -> None:
        """Count the records; the place says where each stands. metric: what their outcomes are called."""
        try:
            for record in records:
                self._one(record, metric)
        except Unwanted as e:
            self.passed_by.setdefault(str(e))

    def _one(self, record: Record, metric: str) -> None:
        if isinstance(record, Unfinished):
            self._unfinished(record)
            return
        task = "" if record[5] is None else values.id_of(record[5], "task")
        if not wanted(self.options.tasks, task or None):
            self.passed_by.setdefault(task)
            return
        stated = type(record) is Tallied
        if self.stated is not stated:
            self._alike(stated)
        self.metrics.setdefault(task, metric)
        model, question = values.id_of(record[0], "model"), values.id_of(record[1], "question")
        named = record[6] if isinstance(record, Tallied) else record[2]
        trial = "" if named is None else values.id_of(named, "trial")
        if isinstance(named, Unique):
            if self._copied(model, task, question, trial, record):
                return
        elif trial or stated:
            self._once(model, task, question, trial)
        found = self._question(model, task, question, record[4])
        if isinstance(record, Tallied):
            self._tally(found, record)
        else:
            self._add(found, trial, record[3], record.times)

    def _copied(self, model: str, task: str, question: str, trial: str, record: Any) -> bool:
        """Whether the same trial was met before, with the same outcome."""
        first, where = self._seen.setdefault((model, task, question, trial), (record[3], self.place.mark()))
        if where == self.place.mark():
            return False
        if first != record[3]:
            what = f"trial {shown(trial)} of question {shown(question)} of {shown(model)}"
            raise InvalidInput("duplicate", "path", f"{what} has another outcome in {where}")
        self.place.remark("Outcomes that stand in it twice, as copies of one trial: {n}. Each is counted once.")
        return True

    def _unfinished(self, record: Unfinished) -> None:
        if self.options.missing == "raise":
            raise InvalidInput("missing", "path", record.why, "policy")
        self.unfinished.append(f"{self.place}: {record.why}")

    def _alike(self, stated: bool) -> None:
        """All records are trials, or all are counts."""
        if self.stated is not None:
            raise InvalidInput("conflict", "path", "c and n count trials: they cannot stand beside outcomes")
        self.stated = stated

    def _once(self, model: str, task: str, question: str, trial: str) -> None:
        here = self.place.mark()
        first = self._seen.setdefault((model, task, question, trial), here)
        if first != here:
            what = (f"trial {shown(trial)} of " if trial else "") + f"question {shown(question)} of {shown(model)}"
            where = f"line {first}" if isinstance(first, int) else first
            raise InvalidInput("duplicate", "path", f"{what} stands already in {where}")

    def _question(self, model: str, task: str, question: str, cluster: Any) -> Question:
        table = self.tables.setdefault(model, {})
        found = table.get((task, question))
        named = None if cluster is None else values.id_of(cluster, "cluster")
        if found is None:
            found = table[task, question] = Question(named)
        elif found.cluster != named:
            what = f"question {shown(question)} of {shown(model)} is in cluster {shown(named)} here"
            raise InvalidInput("conflict", "cluster", f"{what}, in {shown(found.cluster)} before")
        return found

    def _tally(self, found: Question, record: Tallied) -> None:
        if self.options.C is None:
            self.level = {0.0: 0, 1.0: 1}
        elif self.options.C > 1:
            raise InvalidInput("conflict", "weights", "c and n count two categories, the weights are for more")
        for category, n in enumerate(values.failures_and_successes(record.c, record.n)):
            found.counts[category] = found.counts.get(category, 0) + n

    def _add(self, found: Question, trial: str, x: Any, times: int) -> None:
        try:
            category = self._category[x]
        except (KeyError, TypeError):  # not met yet; or a list, which is an error
            category = self._category[x] = self._read(x)
        if category < 0:
            found.absent += times
        else:
            found.counts[category] = found.counts.get(category, 0) + times
        if self.options.trials:
            found.order.extend([(trial, category)] * times)

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
