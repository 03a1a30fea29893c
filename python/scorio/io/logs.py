"""The log of each model, whatever file it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
import numpy.typing as npt

from ..display import html
from ..display.text import nearest, span
from ..errors import InvalidInput
from ..outcomes import identity
from ..outcomes.answers import Answers
from ..outcomes.counts import Counts
from .text_files import shown

ANY = "outcome"  # the metric of a table, which does not say what it is


class _Fields(NamedTuple):
    questions: list[str]
    counts: Counts
    outcomes: npt.NDArray[Any] | None = None
    clusters: list[str] | None = None
    lacking: npt.NDArray[Any] | None = None
    answers: Answers | None = None


class Log(_Fields):
    """The log of one model.

    Attributes
    ----------
    questions : list of str
        Ids, in the order of the log.
    counts : Counts
        Of these questions, with their ids and clusters.
    outcomes : ndarray of int, shape (M, N), or None
        The trials themselves, -1 where one is missing; None where they were not asked for, or the log has only counts.
    clusters : list of str, or None
        The cluster of each question (a passage, a contest, a repository), where the log names it.
    lacking : ndarray of int, shape (M,), or None
        Outcomes of each question that the log does not contain, however they were treated: missing entries, and the
        trials that the question has fewer than the question of the model with most.
    missing : int
        All of these.
    answers : Answers or None
        How often each question got each answer, if the answers were asked for.
    """

    __slots__ = ()

    def __new__(
        cls,
        questions: list[str],
        counts: Counts,
        outcomes: npt.NDArray[Any] | None = None,
        clusters: list[str] | None = None,
        lacking: npt.NDArray[Any] | None = None,
        answers: Answers | None = None,
    ) -> Self:
        """Label the counts with the questions and their clusters."""
        ids = identity.ids(questions, counts.M, "questions")
        texts = None if clusters is None else identity.texts(clusters, counts.M, "clusters")
        return super().__new__(cls, questions, counts._labelled(ids, texts), outcomes, clusters, lacking, answers)

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]  # what _replace calls
        return cls(*iterable)

    @property
    def missing(self) -> int:
        """Number of outcomes that the log does not contain."""
        return 0 if self.lacking is None else int(self.lacking.sum())

    def __repr__(self) -> str:
        return f"Log({self.counts!r}{f', {self.missing} missing' if self.missing else ''})"

    def only(self, rows: list[int]) -> Log:
        """The log of these rows."""
        return self._replace(
            questions=[self.questions[i] for i in rows],
            counts=self.counts.select(np.array(rows)),
            outcomes=None if self.outcomes is None else self.outcomes[rows],
            clusters=None if self.clusters is None else [self.clusters[i] for i in rows],
            lacking=None if self.lacking is None else self.lacking[rows],
            answers=None if self.answers is None else self.answers.select(rows),
        )

    def on(self, place: list[int], C: int) -> Log:
        """The log with category j as category place[j] of 0..C."""
        table = np.zeros((self.counts.M, C + 1), np.int64)
        table[:, place] = self.counts.table
        moved = None if self.outcomes is None else np.array([*place, -1], np.int32)[self.outcomes]
        return self._replace(counts=Counts(table, self.counts.absent), outcomes=moved)


class Logs(dict[str, Log]):
    """Models in the order of the log.

    Attributes
    ----------
    weights : list of float, or None
        Score of each category 0..C, None for the outcomes 0 and 1.
    format : str
        What the log was read as.
    metric : str
        What the outcomes are called: the scorer, the metric, "outcome" of a table.
    benchmarks : dict of str to Logs
        Where the log has several tasks: the log of each, with its own metric, weights and trials. The log itself then
        pools their questions, each named task/question. Where they are not of one metric on one scale, nothing is
        pooled: to ask for the log of a model is an error that names them.
    skipped : list of str
        Files of a folder that are no logs: hidden, pictures, notes, and what a tool writes beside its logs.
    unfinished : list of str
        What says that outcomes are missing of which it does not say how many.
    remarks : list of str
        What else a reader of the numbers must know, a sentence each.
    tasks : list of str
        The sets of questions, where the log names them.
    levels : bool
        Whether the weights are scores, rather than given for categories.
    seen : bool
        Whether the ends of the scale are those of the scores that were seen.
    """

    def __init__(
        self,
        logs: Mapping[str, Log],
        weights: list[float] | None = None,
        format: str = "",
        skipped: Iterable[str] | None = None,
        unfinished: Iterable[str] = (),
        tasks: Iterable[str] = (),
        levels: bool = False,
        metric: str = "outcome",
        seen: bool = False,
    ) -> None:
        super().__init__(logs)
        self.weights, self.format, self.skipped = weights, format, list(skipped or ())
        self.unfinished, self.tasks, self.levels = list(unfinished), list(tasks), levels
        self.metric, self.seen, self.remarks = metric, seen, list[str]()
        self.benchmarks: dict[str, Logs] = {}

    def having(self, logs: Mapping[str, Log]) -> Logs:
        """Other models, all else the same; not the benchmarks."""
        found = Logs(
            logs, self.weights, self.format, self.skipped, self.unfinished, self.tasks, self.levels, self.metric,
            self.seen,
        )  # fmt: skip
        found.remarks = list(self.remarks)
        return found

    def only(self, names: Iterable[str]) -> Logs:
        """These models, in this order."""
        chosen = list(names)
        for name in chosen:
            there(self, name)
        if self.benchmarks:
            parts = {x: part.having({m: part[m] for m in chosen if m in part}) for x, part in self.benchmarks.items()}
            return joined({x: part for x, part in parts.items() if part}, chosen, self)
        return self.having({name: self[name] for name in chosen})

    def __add__(self, other: Logs) -> Logs:
        """Both: other models of the same benchmarks, or other benchmarks. A model is not in one benchmark of both."""
        if not isinstance(other, Logs):
            return NotImplemented
        return added(self, other)

    def on(self, scores: list[float]) -> Logs:
        """The same outcomes on a scale that contains the scores of this one."""
        place = [scores.index(x) for x in self.weights or [0.0, 1.0]]
        moved = self.having({name: log.on(place, len(scores) - 1) for name, log in self.items()})
        moved.weights = None if scores == [0.0, 1.0] else scores
        return moved

    def _repr_html_(self) -> str:
        rows = [
            [m, log.counts.M, span(int(log.counts.trials.min()), int(log.counts.trials.max())), log.missing]
            for m, log in self.items()
        ]
        return html.table(["model", "questions", "trials", "missing"], rows)


class Suite(Logs):
    """Benchmarks of several metrics or scales: no model has one number, so that its log is an error to ask for."""

    def _refuse(self) -> NoReturn:
        said = ", ".join(f"{name or '(no name)'} ({part.metric})" for name, part in self.benchmarks.items())
        what = f"the benchmarks are not of one metric on one scale, {said[:300]}"
        raise InvalidInput("conflict", "task", what, "task")

    def __getitem__(self, model: str) -> Log:
        self._refuse()

    def get(self, model: str, default: Any = None) -> Any:
        """As all that reads the log of a model: an error."""
        self._refuse()

    def items(self) -> Any:
        """As all that reads the log of a model: an error."""
        self._refuse()

    def values(self) -> Any:
        """As all that reads the log of a model: an error."""
        self._refuse()


def joined(parts: Mapping[str, Logs], models: list[str], said: Logs | None = None) -> Logs:
    """The logs of several benchmarks, by the name of each, as one; said: what was read with them."""
    if len(parts) == 1:
        (whole,) = parts.values()
    elif _alike(parts):
        on = dict(parts)
        if all(part.levels for part in parts.values()):
            scores = sorted({x for part in parts.values() for x in part.weights or [0.0, 1.0]})
            on = {task: part.on(scores) for task, part in parts.items()}
        whole = next(iter(on.values())).having({m: _pooled(m, _named(m, on)) for m in models})
    else:
        first = next(iter(parts.values()))
        whole = Suite(dict.fromkeys(models), None, first.format)  # type: ignore[arg-type]
    if len(parts) > 1:
        whole.benchmarks, whole.tasks = dict(parts), sorted(task for task in parts if task)
        whole.levels = any(part.levels for part in parts.values())
        whole.metric = " / ".join(dict.fromkeys(part.metric for part in parts.values()))
    for source in (said,) if said is not None else ():
        whole.format, whole.skipped, whole.unfinished = source.format, source.skipped, source.unfinished
        whole.remarks = source.remarks
    return whole


def _alike(parts: Mapping[str, Logs]) -> bool:
    """One metric on one scale."""
    metrics = {part.metric for part in parts.values()} - {ANY}
    if len(metrics) > 1:
        return False
    scales = {_ends(part) for part in parts.values()}
    graded = [part.weights for part in parts.values() if not part.levels]
    return len(scales) == 1 and all(x == graded[0] for x in graded)


def _ends(part: Logs) -> tuple[float, float]:
    scores = part.weights or [0.0, 1.0]
    return min(scores), max(scores)


def _named(model: str, parts: Mapping[str, Logs]) -> Iterator[tuple[str, Log]]:
    """The logs of a model, their questions named with their task."""
    for task, part in parts.items():
        if model in part:
            log = part[model]
            yield task, log._replace(questions=[f"{task}/{q}" if task else q for q in log.questions])


def _pooled(model: str, found: Iterator[tuple[str, Log]]) -> Log:
    """All questions of a model; trials that a task has fewer of than another are no trials at all."""
    logs = [log for _, log in found]
    names = [q for log in logs for q in log.questions]
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(x for x in names if x in seen or seen.add(x))  # type: ignore[func-returns-value]
        raise InvalidInput("duplicate", "path", f"two questions of {shown(model)} would be {shown(twice)}")
    counts = Counts(
        np.concatenate([log.counts.table for log in logs]), np.concatenate([log.counts.absent for log in logs])
    )
    matrices = [log.outcomes for log in logs if log.outcomes is not None]
    outcomes = None
    if len(matrices) == len(logs):
        width = max(x.shape[1] for x in matrices)
        padded = [np.pad(x, ((0, 0), (0, width - x.shape[1])), constant_values=-1) for x in matrices]
        outcomes = np.concatenate(padded)
    clusters = [x for log in logs for x in log.clusters or ()]
    lacking = [np.zeros(log.counts.M, np.int64) if log.lacking is None else log.lacking for log in logs]
    named = clusters if len(clusters) == len(names) else None
    votes = [log.answers for log in logs if log.answers is not None]
    answers = Answers.of([x for a in votes for x in a.items]) if len(votes) == len(logs) else None
    return Log(names, counts, outcomes, named, np.concatenate(lacking), answers)


def added(a: Logs, b: Logs) -> Logs:
    """The models and the benchmarks of both."""
    parts = _parts(a)
    for task, new in _parts(b).items():
        parts[task] = _merged(parts[task], new) if task in parts else new
    whole = joined(parts, list(dict.fromkeys([*a, *b])))
    whole.format = ", ".join(dict.fromkeys([*a.format.split(", "), *b.format.split(", ")]))
    whole.skipped, whole.unfinished = a.skipped + b.skipped, a.unfinished + b.unfinished
    whole.remarks = list(dict.fromkeys(a.remarks + b.remarks))
    return whole


def _parts(logs: Logs) -> dict[str, Logs]:
    """The benchmarks by name, also where there is one."""
    return dict(logs.benchmarks) or {logs.tasks[0] if logs.tasks else "": logs}


def _merged(a: Logs, b: Logs) -> Logs:
    """The models of both, of one benchmark."""
    if both := [name for name in a if name in b]:
        what = f"model {shown(both[0])} is in both logs: read them in one call, which knows runs from copies"
        raise InvalidInput("conflict", "logs", what)
    if len({a.metric, b.metric} - {ANY}) > 1:
        what = f"outcomes are {shown(a.metric)} in one log, {shown(b.metric)} in the other"
        raise InvalidInput("conflict", "logs", what)
    if a.weights != b.weights:
        if not (a.levels and b.levels):
            raise InvalidInput("conflict", "logs", "the logs have other weights: read both with the same ones")
        scores = sorted({*(a.weights or [0.0, 1.0]), *(b.weights or [0.0, 1.0])})
        a, b = a.on(scores), b.on(scores)
    whole = a.having({**dict.copy(a), **dict.copy(b)})
    whole.metric, whole.seen = b.metric if a.metric == ANY else a.metric, a.seen or b.seen
    return whole


def own_scale(log: Log, weights: Sequence[float]) -> tuple[Log, list[float]]:
    """A model on the scale of its own scores, where the log does not say the ends: no other model moves these."""
    used = np.flatnonzero(log.counts.table.any(axis=0))
    if used.size < 2:
        return log, list(weights)
    lo, hi = int(used[0]), int(used[-1]) + 1
    counts = Counts(log.counts.table[:, lo:hi], log.counts.absent)
    return log._replace(counts=counts, outcomes=None), list(weights[lo:hi])


def there(logs: Mapping[str, Any], name: str) -> None:
    """The log has a model of this name."""
    if name not in logs:
        what = f"no model {shown(name)}; the log has {shown(', '.join(logs))}{nearest(name, logs)}"
        raise InvalidInput("choice", "model", what)
