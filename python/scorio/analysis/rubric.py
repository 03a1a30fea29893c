"""Scores of models under rubric schemata by Bayes@N, and how their ranks depend on the schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, ClassVar

import numpy as np

from .. import rubric as rubrics
from ..errors import InvalidInput
from ..io.signals import Signals, read_signals
from ..rubric.scores import Scores
from .records import HIDDEN
from .result import Result, about_file


@dataclass(frozen=True)
class Row:
    """Bayes@N and rank of a model under a schema."""

    model: str
    schema: str
    rank: int
    mu: float
    sigma: float


@dataclass(frozen=True, kw_only=True)
class RubricScores(Result):
    """Scores and ranks of models under rubric schemata.

    Attributes
    ----------
    table : tuple of Row
        Rows by schema.
    scores : Scores
        The scores as arrays, for :func:`scorio.plot.schemata`.
    left_out : mapping of str to str
        Schemata that could not be computed, each with the first signal that is missing.
    thresholds : mapping of str to float or None
        Values of the thresholds; None where no attempt has a value.
    assumed : mapping of str to float
        Signals that were not in the data and got one value for all attempts.
    n_questions, trials_min, trials_max : int
        Number of questions, and fewest and most attempts of a model at a question.
    unknown : int
        Attempts whose category is unknown because a signal is missing, in the schema that has most of them.
    """

    schema: ClassVar[str] = "scorio.rubric/3"
    table: tuple[Row, ...]
    scores: Scores = field(metadata={HIDDEN: True})
    left_out: Mapping[str, str]
    thresholds: Mapping[str, float | None]
    assumed: Mapping[str, float]
    n_questions: int
    trials_min: int
    trials_max: int
    unknown: int


def rubric(
    signals: str | PathLike[str] | Mapping[str, Mapping[str, Any]],
    schemata: Iterable[Any] | None = None,
    *,
    assume: Mapping[str, float] | None = None,
    missing: str | int = "raise",
) -> RubricScores:
    """Score models under rubric schemata.

    Parameters
    ----------
    signals : path, or mapping of models to signals
        A file for :func:`scorio.io.read_signals`, or signals as :func:`scorio.rubric.score` takes them.
    schemata : iterable of Schema or str, optional
        Default: every standard schema whose signals are all given.
    assume : mapping of str to float, optional
        Values of signals that are not given, the same in every attempt.
    missing : {"raise", "drop"} or int
        What to do with attempts whose category is unknown because a signal is missing.

    Returns
    -------
    RubricScores

    Raises
    ------
    InvalidInput
        Errors of :func:`scorio.io.read_signals` and :func:`scorio.rubric.score`; conflict: an assumed signal is in the
        data.
    """
    from_file = isinstance(signals, (str, PathLike))
    data = read_signals(signals) if isinstance(signals, (str, PathLike)) else signals
    present = data.there if isinstance(data, Signals) else {m: _attempts(x) for m, x in data.items()}
    models: dict[str, dict[str, Any]] = {name: dict(x) for name, x in data.items()}
    for name, x in (assume or {}).items():
        if any(name in columns for columns in models.values()):
            reason = f"{name} is a column of the file: it cannot be assumed"
            raise InvalidInput("conflict", "assume", reason)
        for model, columns in models.items():
            columns[name] = np.where(present[model], x, np.nan)
    chosen = list(schemata) if schemata is not None else None
    scores = rubrics.score(models, chosen, missing=missing)
    table = tuple(
        Row(model, schema, int(scores.ranks[i, j]), float(scores.mu[i, j]), float(scores.sigma[i, j]))
        for j, schema in enumerate(scores.schemata)
        for i, model in enumerate(scores.models)
    )
    trials = [int(n) for x in present.values() for n in x.sum(axis=1)]
    about = about_file(fspath(signals) if from_file else "attempts", [str(m) for m in scores.models], missing=missing)  # type: ignore[arg-type]
    return RubricScores(
        about=about, table=table, scores=scores, left_out=scores.left_out, thresholds=scores.thresholds,
        assumed=dict(assume or {}), n_questions=len(next(iter(present.values()))), trials_min=min(trials),
        trials_max=max(trials), unknown=_unknown(models, chosen or scores.schemata, scores, missing),
    )  # fmt: skip


def _attempts(signals: Mapping[str, Any]) -> Any:
    """Mask of all attempts of a model: True everywhere, in the shape of its signal with the most dimensions."""
    return np.ones(max((np.shape(x) for x in signals.values()), key=len), bool)


def _unknown(models: Mapping[str, Any], schemata: Iterable[Any], scores: Scores, missing: str | int) -> int:
    """Number of attempts without a known category, in the schema that has most of them."""
    if missing == "raise":
        return 0
    largest = 0
    for schema in schemata:
        categories = [
            rubrics.categories(x, schema, thresholds=scores.thresholds, missing="drop") for x in models.values()
        ]
        largest = max(largest, sum(int((x < 0).sum()) for x in categories))
    return largest
