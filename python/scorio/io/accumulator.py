"""Records of trials, from any log, gathered into the counts of each question. The one place that applies policies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from . import values
from .logs import Log, Logs
from .text_files import Place, shown

LEVELS = "levels"
LARGEST_EMPTY = 10**7  # entries of a matrix of trials
MOST_LEVELS = 1024  # a question's counts are a row of so many, and metrics take its square


class Trial(NamedTuple):
    """One outcome, cells as they stand in the log; or as many like it. Without a trial every record is one more."""

    model: Any
    question: Any
    trial: Any
    outcome: Any
    cluster: Any = None
    task: Any = None  # the set of questions: part of their names where the log holds several
    times: int = 1


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


class Asked(NamedTuple):
    """The options of :func:`scorio.io.read`, checked; C is None where the levels are what the log holds."""

    C: int | None
    weights: list[float] | None
    missing: str | int
    missing_code: int | None
    trials: bool
    which: str | None = None
    format: str | None = None
    runs: bool = False


def asked(
    weights: Any, missing: Any, missing_code: Any, trials: Any, which: Any = None, format: Any = None, runs: Any = False
) -> Asked:
    """The options of read."""
    if which is not None and type(which) is not str:
        raise InvalidInput("type", "which", f"which {shown(which)} is not text")
    if isinstance(weights, str):
        arguments.choice(weights, "weights", (LEVELS,))
        arguments.policy(missing, None)
        C = None
    else:
        C = len(arguments.weights(weights)) - 1
        if C < 1:
            raise InvalidInput("length", "weights", "weights need two entries or more: categories 0 and 1 at least")
        arguments.policy(missing, C)
    scores = None if weights is None or C is None else [float(x) for x in weights]
    code, keep, pooled = arguments.code(missing_code), arguments.flag(trials, "trials"), arguments.flag(runs, "runs")
    return Asked(C, scores, missing, code, keep, which, format, pooled)


class _Question:
    """Counts of one question of one model; its trials in order, if they are to be kept."""

    __slots__ = ("absent", "cluster", "counts", "order")

    def __init__(self, cluster: str | None) -> None:
        self.counts: list[int] = []
        self.absent, self.cluster = 0, cluster
        self.order: list[tuple[str, int]] = []


class Gather:
    """Takes records, of one file or of many, and makes logs of them."""

    def __init__(self, place: Place, options: Asked) -> None:
        self.place, self.options = place, options
        self._tables: dict[str, dict[tuple[str, str], _Question]] = {}  # by task and question
        self._seen: dict[tuple[str, str, str, str], Any] = {}  # where stood what must not stand twice
        self._category: dict[Any, int] = {}  # of the cells met so far: few, however many records
        self._level: dict[float, int] = {}
        self._stated: bool | None = None  # c and n?
        self._unfinished_ones: list[str] = []

    def take(self, records: Iterable[Record]) -> None:
        """Count the records; the place says where each stands."""
        for record in records:
            if isinstance(record, Unfinished):
                self._unfinished(record)
                continue
            stated = type(record) is Tallied
            if self._stated is not stated:
                self._alike(stated)
            model, question = values.id_of(record[0], "model"), values.id_of(record[1], "question")
            task = "" if record[5] is None else values.id_of(record[5], "task")
            named = record[6] if isinstance(record, Tallied) else record[2]
            trial = "" if named is None else values.id_of(named, "trial")
            if trial or stated:
                self._once(model, task, question, trial)
            found = self._question(model, task, question, record[4])
            if isinstance(record, Tallied):
                self._tally(found, record)
            else:
                self._add(found, trial, record[3], record.times)

    def _unfinished(self, record: Unfinished) -> None:
        if self.options.missing == "raise":
            raise InvalidInput("missing", "path", record.why, "policy")
        self._unfinished_ones.append(f"{self.place}: {record.why}")

    def _alike(self, stated: bool) -> None:
        """All records are trials, or all are counts."""
        if self._stated is not None:
            raise InvalidInput("conflict", "path", "c and n count trials: they cannot stand beside outcomes")
        self._stated = stated

    def _once(self, model: str, task: str, question: str, trial: str) -> None:
        here = self.place.mark()
        first = self._seen.setdefault((model, task, question, trial), here)
        if first != here:
            what = (f"trial {shown(trial)} of " if trial else "") + f"question {shown(question)} of {shown(model)}"
            where = f"line {first}" if isinstance(first, int) else first
            raise InvalidInput("duplicate", "path", f"{what} stands already in {where}")

    def _question(self, model: str, task: str, question: str, cluster: Any) -> _Question:
        table = self._tables.setdefault(model, {})
        found = table.get((task, question))
        named = None if cluster is None else values.id_of(cluster, "cluster")
        if found is None:
            found = table[task, question] = _Question(named)
        elif found.cluster != named:
            what = f"question {shown(question)} of {shown(model)} is in cluster {shown(named)} here"
            raise InvalidInput("conflict", "cluster", f"{what}, in {shown(found.cluster)} before")
        return found

    def _tally(self, found: _Question, record: Tallied) -> None:
        if self.options.C is None:
            self._level = {0.0: 0, 1.0: 1}
        elif self.options.C > 1:
            raise InvalidInput("conflict", "weights", "c and n count two categories, the weights are for more")
        here = values.failures_and_successes(record.c, record.n)
        found.counts = [x + y for x, y in zip(found.counts or (0, 0), here, strict=True)]

    def _add(self, found: _Question, trial: str, x: Any, times: int) -> None:
        try:
            category = self._category[x]
        except (KeyError, TypeError):  # not met yet; or a list, which is an error
            category = self._category[x] = self._read(x)
        if category < 0:
            found.absent += times
        else:
            while len(found.counts) <= category:
                found.counts.append(0)
            found.counts[category] += times
        if self.options.trials:
            found.order.extend([(trial, category)] * times)

    def _read(self, x: Any) -> int:
        """The category of a cell, levels in the order in which they are met; -1 if it is missing."""
        C, missing, code = self.options.C, self.options.missing, self.options.missing_code
        if C is None:
            score = values.score(x, code)
            found = None if score is None else self._level.setdefault(score, len(self._level))
            if len(self._level) > MOST_LEVELS:
                raise InvalidInput("range", "outcome", f"more than {MOST_LEVELS} distinct scores: round them")
        else:
            found = values.category(x, C, code)
        if found is None and missing == "raise":
            raise InvalidInput("missing", "outcome", "outcome is missing", "policy")
        return -1 if found is None else found

    def logs(self, format: str, skipped: list[str] | None = None) -> Logs:
        """The log of each model."""
        if not self._tables:
            raise InvalidInput("empty", "path", "no outcome in it")
        self.place.clear()
        C, weights, order = self._scale()
        several = len({task for table in self._tables.values() for task, _ in table}) > 1
        found = {m: self._log(m, self._names(m, table, several), table, C, order) for m, table in self._tables.items()}
        tasks = sorted({task for table in self._tables.values() for task, _ in table if task})
        return Logs(found, weights, format, skipped, self._unfinished_ones, tasks, self.options.C is None)

    def _names(self, model: str, table: dict[tuple[str, str], _Question], several: bool) -> list[str]:
        """The name of each question: with its task where there are several."""
        names = [f"{task}/{question}" if several and task else question for task, question in table]
        if len(set(names)) < len(names):
            twice = next(x for i, x in enumerate(names) if x in names[:i])
            raise InvalidInput("duplicate", "path", f"two questions of {shown(model)} would be {shown(twice)}")
        return names

    def _scale(self) -> tuple[int, list[float] | None, list[int]]:
        """C, the score of each category, and the category of each number that records were counted under."""
        if self.options.C is not None:
            return self.options.C, self.options.weights, list(range(self.options.C + 1))
        if not isinstance(self.options.missing, str):
            self._level.setdefault(float(self.options.missing), len(self._level))
        scores = sorted(self._level)
        if all(0 <= x <= 1 for x in scores):  # a scale, whose ends are not those that were seen
            scores = sorted({0.0, 1.0, *scores})
        elif len(scores) == 1:
            scores = sorted({0.0, *scores})
        return len(scores) - 1, None if scores == [0.0, 1.0] else scores, [scores.index(x) for x in self._level]

    def _log(self, model: str, names: list[str], table: dict[Any, _Question], C: int, order: list[int]) -> Log:
        found = list(table.values())
        rows = np.zeros((len(found), C + 1), np.int64)
        for i, q in enumerate(found):
            for category, n in enumerate(q.counts):
                rows[i, order[category]] = n
        absent = np.array([q.absent for q in found], np.int64)
        n = rows.sum(axis=1) + absent
        lacking = np.zeros_like(n) if self._stated else n.max() - n
        if self.options.missing == "raise" and lacking.any():
            short = int(n.argmin())
            what = f"question {shown(names[short])} of {shown(model)} has fewer trials ({n[short]}) than another"
            raise InvalidInput("ragged", "outcome", f"{what} ({n.max()})", "policy")
        filled, lost = self._filled(order), absent + lacking
        if filled >= 0:
            rows[:, filled] += absent + lacking
            absent = np.zeros_like(absent)
        outcomes = self._outcomes(found, order, filled) if self.options.trials and not self._stated else None
        clusters = [q.cluster for q in found]
        named = None if None in clusters else [str(x) for x in clusters]
        return Log(names, Counts(rows, absent), outcomes, named, lost)

    def _filled(self, order: list[int]) -> int:
        """The category that missing outcomes are counted as; -1 where they are dropped."""
        missing = self.options.missing
        if isinstance(missing, str) or self._stated:
            return -1
        return missing if self.options.C is not None else order[self._level[float(missing)]]

    def _outcomes(self, found: list[_Question], order: list[int], filled: int) -> npt.NDArray[Any] | None:
        """The trials as a matrix, a column for each trial id if these are the same for all questions.

        Each question's trials are sorted where all ids are numbers; otherwise they stand in the order of the log. None
        where nearly all of the matrix would be empty, since a question has far more trials than others.
        """
        longest = max(len(q.order) for q in found)
        if len(found) * longest > max(LARGEST_EMPTY, 16 * sum(len(q.order) for q in found)):
            return None
        ids = dict.fromkeys(trial for q in found for trial, _ in q.order)
        named = "" not in ids and len(ids) == longest
        numbers = all(map(values.is_number, ids))
        columns = sorted(ids, key=lambda x: (int(x), x)) if numbers else list(ids)
        at = {trial: j for j, trial in enumerate(columns)}
        R = np.full((len(found), longest), filled, np.int32)
        for i, q in enumerate(found):
            for j, (trial, category) in enumerate(sorted(q.order, key=lambda x: at[x[0]]) if numbers else q.order):
                R[i, at[trial] if named else j] = filled if category < 0 else order[category]
        return R
