"""Models on the questions, and on the trials, that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..display.text import number
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from ..outcomes.pairing import paired
from .logs import Log, there
from .text_files import shown


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
    Log(Counts(1 questions, 4 trials, categories 0..1, ids 'q2'))
    """
    chosen = list(logs) if names is None else list(names)
    at = [_answered(_log(logs, name)) for name in chosen]
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
        With ids and clusters, for functions that need every model on the same questions. Functions that compare models
        align counts with ids by themselves: ``{name: log.counts for name, log in logs.items()}``.

    Examples
    --------
    >>> from scorio import Counts, io
    >>> logs = {"a": io.Log(["q1", "q2"], Counts([[1, 3], [2, 2]])), "b": io.Log(["q2"], Counts([[0, 4]]))}
    >>> io.aligned(logs)["b"].trials.tolist()
    [0, 4]
    """
    if not logs:
        return {}
    return dict(zip(logs, _paired(logs, clustered=True), strict=True))


def _paired(logs: Mapping[str, Log], clustered: bool = False) -> list[Counts]:
    names = list(logs)
    counts = [log.counts.padded(1) for log in logs.values()]
    return paired(counts, ["logs"] * len(names), lambda i: f"model {shown(names[i])}", "drop", clustered)


def clusters_of(logs: Mapping[str, Log]) -> list[str] | None:
    """The cluster of every question of :func:`aligned`, in its order; None where the logs do not say it of each.

    Parameters
    ----------
    logs : mapping of str to Log
        Of :func:`scorio.io.read`.

    Examples
    --------
    >>> from scorio import Counts, io
    >>> log = io.Log(["q1", "q2"], Counts([[1, 3], [2, 2]]), clusters=["algebra", "algebra"])
    >>> io.clusters_of({"a": log})
    ['algebra', 'algebra']
    """
    clusters = _paired(logs, clustered=True)[0].clusters if logs else None
    return None if clusters is None or None in clusters else [str(x) for x in clusters]


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
        type: a model whose trials are not known; shape: one trial of each question, which cannot settle anything;
        empty: no question was answered by all.

    Notes
    -----
    Where trials are missing, those that there are move up, and of the questions with at least n of them under every
    model, that n is taken which keeps the most outcomes.

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
            raise InvalidInput("type", "logs", f"model {shown(name)} has counts: the order of its trials is not known")
        whole[name] = log.outcomes
    N = min(x.shape[1] for x in whole.values())
    if N < 2:
        raise InvalidInput("shape", "logs", "with one trial of each question nothing can settle")
    M, everything = len(next(iter(whole.values()))), len({q for log in logs.values() for q in log.questions})
    said = [f"On the {number(M, 'question')} of {everything:,} that all models answered."] if everything > M else []
    if any((x[:, :N] < 0).any() for x in whole.values()):
        block, kept = _complete(whole)
        rows = f"{number(block[1], 'question')} of {M:,}" if block[1] < M else f"all {number(M, 'question')}"
        said.append(
            f"Trials are missing: on the first {number(block[0], 'trial')} that there are of {rows}, the most outcomes "
            "without a gap."
        )
        return kept, said
    if any(x.shape[1] > N for x in whole.values()):
        said.append(f"On the first {number(N, 'trial')} of each question, as many as all have.")
    return {name: x[:, :N] for name, x in whole.items()}, said


def _complete(whole: dict[str, npt.NDArray[Any]]) -> tuple[tuple[int, int], dict[str, npt.NDArray[Any]]]:
    """The largest block without a gap, trials by questions, and the trials of each model in it, in their order."""
    have = np.min([(x >= 0).sum(axis=1) for x in whole.values()], axis=0)
    sizes = {n: int((have >= n).sum()) for n in range(2, int(have.max(initial=0)) + 1)}
    if not any(sizes.values()):
        what = "no question has two trials of every model: count what is missing as a category"
        raise InvalidInput("shape", "logs", what)
    N = max(sizes, key=lambda n: (n * sizes[n], -n))
    rows = have >= N
    kept = {}
    for name, x in whole.items():
        first = np.argsort(x[rows] < 0, axis=1, kind="stable")[:, :N]
        kept[name] = np.take_along_axis(x[rows], first, axis=1)
    return (N, sizes[N]), kept


def _log(logs: Mapping[str, Log], name: str) -> Log:
    there(logs, name)
    return logs[name]


def _answered(log: Log) -> dict[str, int]:
    """Where each question with a trial stands."""
    return {q: i for i, (q, n) in enumerate(zip(log.questions, log.counts.trials.tolist(), strict=True)) if n}
