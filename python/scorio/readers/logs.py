"""The log of one model, from any kind of file, and how it is made of counts of outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput, shown
from ..outcomes import identity
from ..outcomes.answers import Answers, Votes
from ..outcomes.by_run import ByRun, Entries
from ..outcomes.counts import Counts
from . import values
from .columns import integer_type
from .counting import AnswerCounts, OutcomeCounts, RunCodes, Trials

UNNAMED_METRIC = "outcome"  # the metric of a log that does not name its metric, such as a table


class Costs(NamedTuple):
    """The cost of each trial of a model, without trials whose outcome is missing and not counted.

    Attributes
    ----------
    unit : str
        The name of the costs: "cost", "tokens", "latency", or the name that was requested.
    question : ndarray of int
        The question of each trial, as an index.
    outcome : ndarray of int
        The category of each trial.
    cost : ndarray of float
        The cost of each trial; nan where the log does not state it.
    """

    unit: str
    question: npt.NDArray[Any]
    outcome: npt.NDArray[Any]
    cost: npt.NDArray[Any]

    def select(self, rows: list[int]) -> Costs:
        """The costs of the trials of the questions with these indices."""
        new_index = np.full(max(int(self.question.max(initial=-1)), *rows, 0) + 1, -1)
        new_index[rows] = np.arange(len(rows))
        selected = new_index[self.question] >= 0
        question = new_index[self.question[selected]]
        return Costs(self.unit, question, self.outcome[selected], self.cost[selected])


class _Fields(NamedTuple):
    """The fields of :class:`Log`, which describes them."""

    ids: list[str]
    counts: Counts
    outcomes: npt.NDArray[Any] | None = None
    clusters: list[str] | None = None
    lacking: npt.NDArray[Any] | None = None
    answers: Answers | None = None
    costs: Costs | None = None
    runs: ByRun | None = None


class Log(_Fields):
    """The log of one model.

    Attributes
    ----------
    ids : list of str
        The ids of the questions, in the order of the log.
    counts : Counts
        The counts of these questions, with their ids and clusters.
    outcomes : ndarray of int, shape (M, N), or None
        The trials themselves, -1 where one is missing (and not counted as a category); None where they were not kept,
        the log has only counts, or the matrix would be large and almost empty.
    clusters : list of str, or None
        The cluster of each question (a passage, a contest, a repository), where the log names it.
    lacking : ndarray of int, shape (M,), or None
        Number of outcomes of each question that the log does not contain, however they were treated: missing entries,
        and the trials that the question lacks compared with the model's question with the most trials (none where the
        outcomes are counts, such as c and n or :class:`Counts`, or where scorio stopped the run early).
    missing : int
        The sum of lacking.
    answers : Answers or None
        How often each question got each answer, where the caller requested the answers or passed them in memory.
    costs : Costs or None
        The cost of each trial, where the log states it.
    runs : ByRun or None
        The outcomes by run, where trials have ids that are common to questions; of the log as it was read, with all its
        questions.
    """

    __slots__ = ()

    def __new__(
        cls,
        ids: list[str],
        counts: Counts,
        outcomes: npt.NDArray[Any] | None = None,
        clusters: list[str] | None = None,
        lacking: npt.NDArray[Any] | None = None,
        answers: Answers | None = None,
        costs: Costs | None = None,
        runs: ByRun | None = None,
    ) -> Self:
        """Label the counts with the questions and their clusters."""
        labels = identity.ids(ids, counts.M, "ids")
        texts = None if clusters is None else identity.texts(clusters, counts.M, "clusters")
        labelled = counts._labelled(labels, texts)
        return super().__new__(cls, ids, labelled, outcomes, clusters, lacking, answers, costs, runs)

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]  # called by _replace
        return cls(*iterable)

    @property
    def missing(self) -> int:
        """Number of outcomes that the log does not contain."""
        return 0 if self.lacking is None else int(self.lacking.sum())

    def with_missing(self) -> Counts:
        """The counts, with every outcome that the log does not contain (lacking) as a missing one.

        Use it only if missing outcomes are left out: any that were counted as a category would be counted twice.
        """
        c = self.counts
        if self.lacking is None:
            return c
        return c._with_absent(self.lacking)

    def __repr__(self) -> str:
        return f"Log({self.counts!r}{f', {self.missing} missing' if self.missing else ''})"

    def only(self, rows: list[int]) -> Log:
        """The log of the questions with these indices."""
        return self._replace(
            ids=[self.ids[i] for i in rows],
            counts=self.counts.select(np.array(rows)),
            outcomes=None if self.outcomes is None else self.outcomes[rows],
            clusters=None if self.clusters is None else [self.clusters[i] for i in rows],
            lacking=None if self.lacking is None else self.lacking[rows],
            answers=None if self.answers is None else self.answers.select(rows),
            costs=None if self.costs is None else self.costs.select(rows),
        )

    def completed(self, ids: list[str], clusters: list[str] | None, fill: int) -> Log:
        """The log with further questions, all of whose trials are missing: as many as the longest question has.

        fill : category that missing outcomes are counted as; -1: they are not counted.
        """
        counts, new, all_ids = self.counts, len(ids), [*self.ids, *ids]
        n = int((counts.trials + counts.absent).max())
        counts = counts._reindexed(tuple(all_ids))
        if fill >= 0:
            counts = counts._with_absent(np.concatenate([self.counts.absent, np.full(new, n)])).completed(fill)
        old_lacking = np.zeros(self.counts.M, np.int64) if self.lacking is None else self.lacking
        answers = None if self.answers is None else [*self.answers.items, *[Votes((), (), 0)] * new]
        return self._replace(
            ids=all_ids,
            counts=counts,
            outcomes=None if self.outcomes is None else np.pad(self.outcomes, ((0, new), (0, 0)), constant_values=fill),
            clusters=None if self.clusters is None or clusters is None else [*self.clusters, *clusters],
            lacking=np.concatenate([old_lacking, np.full(new, n)]),
            answers=None if answers is None else Answers.from_items(answers),
            costs=self.costs if fill < 0 else None,
        )

    def recoded(self, categories: list[int], C: int) -> Log:
        """The log with category j renumbered as categories[j], of 0..C, without the costs of trials."""
        counts = self.counts.recoded(categories, C)
        recoded = None if self.outcomes is None else np.array([*categories, -1], np.int32)[self.outcomes]
        runs = self.runs and self.runs.recoded(categories, C)
        return self._replace(counts=counts, outcomes=recoded, costs=None, runs=runs)


def pooled_log(model: str, by_task: Mapping[str, Log]) -> Log:
    """All questions of a model, named task/question, without costs; tasks may have different numbers of trials."""
    logs = list(by_task.values())
    names = [f"{task}/{q}" if task else q for task, log in by_task.items() for q in log.ids]
    if len(set(names)) < len(names):
        seen: set[str] = set()
        repeated = next(x for x in names if x in seen or seen.add(x))  # type: ignore[func-returns-value]
        raise InvalidInput("duplicate", "path", f"two questions of {shown(model)} would have the id {shown(repeated)}")
    cells = [log.counts.cells for log in logs]
    first = np.cumsum([0, *(log.counts.M for log in logs)])[:-1].tolist()
    counts = Counts._from_entries(
        np.concatenate([x.question + i for x, i in zip(cells, first, strict=True)]),
        np.concatenate([x.category for x in cells]),
        np.concatenate([x.times for x in cells]),
        np.concatenate([log.counts.absent for log in logs]),
        max(log.counts.C for log in logs),
    )
    matrices = [log.outcomes for log in logs if log.outcomes is not None]
    outcomes = None
    if len(matrices) == len(logs):
        width = max(x.shape[1] for x in matrices)
        padded = [np.pad(x, ((0, 0), (0, width - x.shape[1])), constant_values=-1) for x in matrices]
        outcomes = np.concatenate(padded)
    clusters = [x for log in logs for x in log.clusters or ()]
    lacking = [np.zeros(log.counts.M, np.int64) if log.lacking is None else log.lacking for log in logs]
    all_clusters = clusters if len(clusters) == len(names) else None
    answers = [log.answers for log in logs if log.answers is not None]
    pooled_answers = Answers.from_items([x for y in answers for x in y.items]) if len(answers) == len(logs) else None
    return Log(names, counts, outcomes, all_clusters, np.concatenate(lacking), pooled_answers)


# --- from counts ---


MAX_SPARSE_ENTRIES = 10**7  # entries of a matrix of trials, up to which it may be mostly empty


class CountedLog(NamedTuple):
    """The counts of one model in one task, of which a log is made.

    category : the category of each code of an outcome; fill: that of missing outcomes, -1 where they are dropped.
    unit : the unit of the costs of trials.
    """

    model: str
    counts: OutcomeCounts
    C: int
    category: npt.NDArray[Any]
    fill: int
    has_counts: bool
    unit: str

    def log(self, refuses_missing: bool, stopped: bool) -> Log:
        """The log, with missing outcomes treated as requested; if stopped, trials that were not run are not missing."""
        x = self.counts
        counts = Counts._from_entries(x.question, self.category[x.outcome], x.times, x.absent, self.C)
        n = counts.trials + x.absent
        lacking = np.zeros_like(n) if self.has_counts or stopped else n.max() - n
        if refuses_missing and lacking.any():
            shortest = int(n.argmin())
            what = f"question {shown(x.questions[shortest])} of {shown(self.model)} has fewer trials ({n[shortest]})"
            raise InvalidInput("ragged", "outcome", f"{what} than another ({n.max()})", "policy")
        missing = x.absent + lacking
        if self.fill >= 0:
            counts = counts._with_absent(missing).completed(self.fill)
        outcomes = None if x.trials is None or self.has_counts else self._outcomes(x.trials)
        clusters = None if None in x.clusters else [str(y) for y in x.clusters]
        answers = None if x.answers is None else self._answers(x.answers)
        runs = x.runs and self._runs(x.runs, counts)
        return Log(x.questions, counts, outcomes, clusters, missing, answers, self._costs(lacking), runs)

    def _runs(self, x: RunCodes, counts: Counts) -> ByRun | None:
        """The outcomes by run; None where missing ones are counted as a category and their run is unknown."""
        complete = x.entries is None
        if self.fill >= 0 and not complete:
            if not x.once or (counts.trials != len(x.names)).any():
                return None
            complete = True
        if x.entries is None or complete:
            table = np.zeros((len(x.names), self.C + 1), np.int64)
            used = np.flatnonzero(x.table[:, 1:].any(axis=0))
            np.add.at(table.T, self.category[used], x.table.T[1:][used])
            if self.fill >= 0:
                table[:, self.fill] += counts.M - table.sum(axis=1)
            return ByRun(counts, x.names, table)
        question, run, codes, times = x.entries
        category = self.category.astype(integer_type(self.C))
        present = codes >= 0 if times is None else (codes >= 0) & (times > 0)
        entries = Entries(
            question[present], run[present], category[codes[present]], None if times is None else times[present]
        )
        return ByRun(counts, x.names, None, entries, x.once)

    def _costs(self, lacking: npt.NDArray[Any]) -> Costs | None:
        """The cost of each trial; None if none is stated, or if trials that were not run are counted as outcomes."""
        if self.counts.costs is None or (self.fill >= 0 and lacking.any()):
            return None
        question, codes, cost = self.counts.costs
        outcome = np.where(codes < 0, self.fill, self.category[codes])
        counted = outcome >= 0
        if np.isnan(cost[counted]).all():
            return None
        return Costs(self.unit, question[counted], outcome[counted], cost[counted])

    def _answers(self, by_question: list[AnswerCounts]) -> Answers:
        """Counts of each answer to each question; an answer is right if its trials are successes."""
        items = []
        for name, counts in zip(self.counts.questions, by_question, strict=True):
            tallies = {answer: (counts[answer, 0], counts[answer, 1]) for answer, _ in counts}
            for answer, (wrong, right) in tallies.items():
                if right and (wrong or answer is None):
                    subject = "a missing answer" if answer is None else f"the answer {shown(answer)}"
                    what = f"{subject} to question {shown(name)} of {shown(self.model)} is a success in {right} trials"
                    raise InvalidInput("conflict", "answers", what + (f" and a failure in {wrong}" if wrong else ""))
            given = [n for answer, n in tallies.items() if answer is not None]
            by_outcome = (tuple(sorted(filter(None, x), reverse=True)) for x in zip(*given, strict=True))
            wrong_votes, right_votes = by_outcome if given else ((), ())
            items.append(Votes(right_votes, wrong_votes, sum(tallies.get(None, (0, 0)))))
        return Answers.from_items(items)

    def _outcomes(self, trials: Trials) -> npt.NDArray[Any] | None:
        """The trials as a matrix with a column for each trial id, if the question with the most trials has all ids.

        Otherwise each question's trials are in the order of their ids if all ids are numbers, else in that of the log.
        None if the matrix would be large and less than a sixteenth of its entries would be trials.
        """
        M, ids = len(self.counts.questions), trials.ids
        n = np.bincount(trials.question, minlength=M)
        n_columns = int(n.max())
        if M * n_columns > max(MAX_SPARSE_ENTRIES, 16 * len(trials.question)):
            return None
        by_id = "" not in ids and len(ids) == n_columns
        are_numbers = all(map(values.is_number, ids))
        columns = sorted(ids, key=lambda x: (int(x), x)) if are_numbers else ids
        column_of_id = {x: j for j, x in enumerate(columns)}
        rank = np.array([column_of_id[x] for x in ids], np.int64)[trials.id]
        order = np.arange(len(rank))
        if are_numbers and not by_id:
            order = np.lexsort((rank, trials.question))
        question = trials.question[order]
        column = rank[order] if by_id else np.arange(len(order)) - (np.cumsum(n) - n)[question]
        codes = trials.outcome[order]
        R = np.full((M, n_columns), self.fill, np.int32)
        R[question, column] = np.where(codes < 0, self.fill, self.category[codes])
        return R
