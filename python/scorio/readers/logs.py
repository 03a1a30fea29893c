"""The log of one model, from any kind of file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput, shown
from ..outcomes import identity
from ..outcomes.answers import Answers, Votes
from ..outcomes.by_run import ByRun
from ..outcomes.counts import Counts

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
