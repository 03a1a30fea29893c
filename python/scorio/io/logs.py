"""The log of each model, whatever file it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..display import html
from ..display.text import number, span
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from .text_files import shown


class Log(NamedTuple):
    """The log of one model.

    Attributes
    ----------
    questions : list of str
        Ids, in the order of the log.
    counts : Counts
        Of these questions.
    outcomes : ndarray of int, shape (M, N), or None
        The trials themselves, -1 where one is missing; None where they were not asked for, or the log has only counts.
    clusters : list of str, or None
        The cluster of each question (a passage, a contest, a repository), where the log names it.
    lacking : ndarray of int, shape (M,), or None
        Outcomes of each question that the log does not contain, however they were treated: missing entries, and the
        trials that the question has fewer than the question of the model with most.
    missing : int
        All of these.
    """

    questions: list[str]
    counts: Counts
    outcomes: npt.NDArray[Any] | None = None
    clusters: list[str] | None = None
    lacking: npt.NDArray[Any] | None = None

    @property
    def missing(self) -> int:
        """Number of outcomes that the log does not contain."""
        return 0 if self.lacking is None else int(self.lacking.sum())

    def __repr__(self) -> str:
        said = f", {self.missing} missing" if self.missing else ""
        return f"Log({self.counts!r}{said}, questions={shown(', '.join(self.questions))})"

    def only(self, rows: list[int]) -> Log:
        """The log of these rows."""
        return self._replace(
            questions=[self.questions[i] for i in rows],
            counts=self.counts.select(np.array(rows)),
            outcomes=None if self.outcomes is None else self.outcomes[rows],
            clusters=None if self.clusters is None else [self.clusters[i] for i in rows],
            lacking=None if self.lacking is None else self.lacking[rows],
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
    skipped : list of str
        Files of a folder that are no logs: hidden, pictures, notes, and what a tool writes beside its logs.
    unfinished : list of str
        What says that outcomes are missing of which it does not say how many.
    tasks : list of str
        The sets of questions, where the log names them.
    levels : bool
        Whether the weights are the scores that were seen.
    """

    weights: list[float] | None
    format: str
    skipped: list[str]
    unfinished: list[str]
    tasks: list[str]
    levels: bool

    def __init__(
        self,
        logs: Mapping[str, Log],
        weights: list[float] | None = None,
        format: str = "",
        skipped: Iterable[str] | None = None,
        unfinished: Iterable[str] = (),
        tasks: Iterable[str] = (),
        levels: bool = False,
    ) -> None:
        super().__init__(logs)
        self.weights, self.format, self.skipped = weights, format, list(skipped or ())
        self.unfinished, self.tasks, self.levels = list(unfinished), list(tasks), levels

    def having(self, logs: Mapping[str, Log]) -> Logs:
        """Other models, all else the same."""
        return Logs(logs, self.weights, self.format, self.skipped, self.unfinished, self.tasks, self.levels)

    def only(self, names: Iterable[str]) -> Logs:
        """These models, in this order."""
        return self.having({name: _of(self, name) for name in names})

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


def shared(logs: Mapping[str, Log], names: Iterable[str] | None = None) -> dict[str, Log]:
    """The models on the questions that all of them answered, in the same order.

    Parameters
    ----------
    logs : mapping of str to Log
        Of :func:`scorio.io.read`.
    names : iterable of str, optional
        Of which models; default all.

    Returns
    -------
    dict of str to Log
        Every one with the same questions: those with a trial of every model, in the order of the first.

    Raises
    ------
    InvalidInput
        choice: a name that is not in logs; empty: no question was answered by all.

    Examples
    --------
    >>> from scorio import Counts, io
    >>> logs = {"a": io.Log(["q1", "q2"], Counts([[1, 3], [2, 2]])), "b": io.Log(["q2"], Counts([[0, 4]]))}
    >>> io.shared(logs)["a"]
    Log(Counts(1 questions, 4 trials, categories 0..1), questions='q2')
    """
    chosen = list(logs) if names is None else list(names)
    at = [_answered(_of(logs, name)) for name in chosen]
    common = [q for q in at[0] if all(q in x for x in at[1:])] if at else []
    if not common:
        raise InvalidInput("empty", "logs", "no question was answered by all of " + shown(", ".join(chosen)))
    return {name: logs[name].only([x[q] for q in common]) for name, x in zip(chosen, at, strict=True)}


def aligned(logs: Mapping[str, Log]) -> dict[str, Counts]:
    """The counts of every model on all questions of the log, in one order; without a trial where it answered none.

    Parameters
    ----------
    logs : mapping of str to Log
        Of :func:`scorio.io.read`.

    Returns
    -------
    dict of str to Counts
        For functions that compare models pair by pair, such as :func:`scorio.rank.ranges`.

    Examples
    --------
    >>> from scorio import Counts, io
    >>> logs = {"a": io.Log(["q1", "q2"], Counts([[1, 3], [2, 2]])), "b": io.Log(["q2"], Counts([[0, 4]]))}
    >>> io.aligned(logs)["b"].trials.tolist()
    [0, 4]
    """
    at = {q: i for i, q in enumerate(dict.fromkeys(q for log in logs.values() for q in log.questions))}
    found = {}
    for name, log in logs.items():
        rows = [at[q] for q in log.questions]
        table = np.zeros((len(at), log.counts.C + 1), np.int64)
        absent = np.zeros(len(at), np.int64)
        table[rows], absent[rows] = log.counts.table, log.counts.absent
        found[name] = Counts(table, absent)
    return found


def trials_of(logs: Mapping[str, Log]) -> tuple[dict[str, npt.NDArray[Any]], list[str]]:
    """The trials of every model in their order, on shared questions, as many of each as all models have.

    Parameters
    ----------
    logs : mapping of str to Log
        Of :func:`scorio.io.read` with ``trials=True``.

    Returns
    -------
    dict of str to ndarray of int, shape (M, N)
        For :mod:`scorio.converge`.
    list of str
        What was left out for it, a sentence each.

    Raises
    ------
    InvalidInput
        type: a model whose trials are not known; shape: one trial per question, too few for convergence;
        missing: a trial that is missing; empty: no question was answered by all.

    Examples
    --------
    >>> import numpy as np
    >>> from scorio import io, tally
    >>> R = np.array([[1, 0, 1], [0, 0, 1]])
    >>> logs = {"a": io.Log(["x", "y"], tally(R), R), "b": io.Log(["y"], tally(R[:1, :2]), R[:1, :2])}
    >>> io.trials_of(logs)[1]
    ['On the 1 question of 2 that all models answered.', 'On the first 2 trials of each question, as many as all have.']
    """
    both = shared(logs)
    whole: dict[str, npt.NDArray[Any]] = {}
    for name, log in both.items():
        if log.outcomes is None:
            raise InvalidInput("type", "logs", f"model {shown(name)} has counts: the order of its trials is unknown")
        whole[name] = log.outcomes
    N = min(x.shape[1] for x in whole.values())
    if N < 2:
        raise InvalidInput("shape", "logs", "with one trial per question convergence cannot be studied")
    for name, x in whole.items():
        if (x[:, :N] < 0).any():
            i, j = (int(at[0]) for at in (x[:, :N] < 0).nonzero())
            what = f"trial {j + 1} of question {shown(both[name].questions[i])} of {shown(name)} is missing"
            raise InvalidInput("missing", "logs", f"{what}, and their order needs all: count them as a category")
    said = []
    M, everything = len(next(iter(whole.values()))), len({q for log in logs.values() for q in log.questions})
    if everything > M:
        said.append(f"On the {number(M, 'question')} of {everything:,} that all models answered.")
    if any(x.shape[1] > N for x in whole.values()):
        said.append(f"On the first {number(N, 'trial')} of each question, as many as all have.")
    return {name: x[:, :N] for name, x in whole.items()}, said


def _of(logs: Mapping[str, Log], name: str) -> Log:
    if name not in logs:
        raise InvalidInput("choice", "model", f"no model {shown(name)}; the log has {shown(', '.join(logs))}")
    return logs[name]


def _answered(log: Log) -> dict[str, int]:
    """Where each question with a trial stands."""
    return {q: i for i, (q, n) in enumerate(zip(log.questions, log.counts.trials.tolist(), strict=True)) if n}
