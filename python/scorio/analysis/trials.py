"""Trials of every model in their order, on the questions that all models answered, without gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput, shown
from ..readers.evaluation import Benchmark

Trials = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Block:
    """A matrix of outcomes for each model, all of one shape.

    Attributes
    ----------
    outcomes : mapping of str to ndarray of int, shape (questions, trials)
        Category of each trial, by model.
    n_questions, shared, answered_by_any : int
        Number of questions in the matrices, number that all models answered, and number in the log of any model, with
        a trial or without.
    trials : int
        Trials of each question.
    gaps : bool
        Whether outcomes are missing among the first trials of the shared questions.
    longer : bool
        Whether, without such gaps, some models have further trials, which are left out.
    """

    outcomes: Trials
    n_questions: int
    shared: int
    answered_by_any: int
    trials: int
    gaps: bool
    longer: bool


def block(part: Benchmark) -> Block:
    """Trials of all models of a benchmark, equally many of each question.

    Where outcomes are missing, later ones take their places. The number n of trials is then the one that keeps the most
    outcomes, on the questions with at least n outcomes of every model.

    Raises
    ------
    InvalidInput
        type: a model whose single trials are not known; shape: no question has two trials of every model; empty: no
        shared question.
    """
    outcomes, any_model = _on_shared_questions(part)
    N, M = min(x.shape[1] for x in outcomes.values()), len(next(iter(outcomes.values())))
    if N < 2:
        raise InvalidInput("shape", "logs", "with one trial of each question no ranking can stabilise")
    if not any((x[:, :N] < 0).any() for x in outcomes.values()):
        longer = any((x[:, N:] >= 0).any() for x in outcomes.values())
        return Block({m: x[:, :N] for m, x in outcomes.items()}, M, M, any_model, N, gaps=False, longer=longer)
    present = np.min([(x >= 0).sum(axis=1) for x in outcomes.values()], axis=0)
    n_questions = {n: int((present >= n).sum()) for n in range(2, int(present.max(initial=0)) + 1)}
    if not any(n_questions.values()):
        reason = "no question has two trials of every model: count missing outcomes as a category"
        raise InvalidInput("shape", "logs", reason)
    N = max(n_questions, key=lambda n: (n * n_questions[n], -n))
    selected = {m: _first_present(x[present >= N], N) for m, x in outcomes.items()}
    return Block(selected, n_questions[N], M, any_model, N, gaps=True, longer=False)


def _first_present(x: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    """First n outcomes of each question that are not missing."""
    return np.take_along_axis(x, np.argsort(x < 0, axis=1, kind="stable")[:, :n], axis=1)


def _on_shared_questions(part: Benchmark) -> tuple[dict[str, npt.NDArray[Any]], int]:
    """Outcomes of each model on the questions that all models answered, and the number of questions in any log."""
    logs = part.logs
    rows = {m: {q: i for i, q in enumerate(log.ids) if log.counts.trials[i]} for m, log in logs.items()}
    shared = [q for q in next(iter(rows.values())) if all(q in x for x in rows.values())]
    if not shared:
        raise InvalidInput("empty", "logs", f"no question was answered by all of {shown(', '.join(logs))}")
    outcomes = {}
    for model, log in logs.items():
        if log.outcomes is None:
            raise InvalidInput("type", "logs", f"the order of the trials of model {shown(model)} is not known", "order")
        outcomes[model] = log.outcomes[[rows[model][q] for q in shared]]
    return outcomes, len({q for log in logs.values() for q in log.ids})
