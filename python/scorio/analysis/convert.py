"""Tables of outcomes or of counts, in a form that commands read as a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from typing import Any, ClassVar

from .. import arguments
from ..errors import InvalidInput
from ..io.evaluation import Benchmark, EvaluationData
from ..io.logs import Log
from .records import OPTIONAL, plain
from .result import Result, about_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial and its outcome: a category, a score, or None where it is missing."""

    model: str
    task: str = field(metadata={OPTIONAL: True})
    question: str
    trial: int
    outcome: float | None
    cluster: str | None = field(metadata={OPTIONAL: True})


@dataclass(frozen=True, slots=True)
class Count:
    """Counts of a question: c successes in n trials."""

    model: str
    task: str = field(metadata={OPTIONAL: True})
    question: str
    c: int
    n: int
    cluster: str | None = field(metadata={OPTIONAL: True})


@dataclass(frozen=True, kw_only=True)
class OutcomeTable(Result):
    """Table of outcomes or of counts.

    Attributes
    ----------
    table : tuple of Outcome, or of Count
    columns : tuple of str
        Columns of the file, which include task where there are several, and cluster where all models have clusters.
    unclustered : bool
        Whether clusters are left out, since only some models have them.
    """

    schema: ClassVar[str] = "scorio.convert/2"
    table: tuple[Outcome, ...] | tuple[Count, ...]
    columns: tuple[str, ...]
    unclustered: bool

    def records(self) -> list[dict[str, Any]]:
        """The rows as mappings of the columns."""
        return [dict(zip(self.columns, map(plain, row), strict=True)) for row in self._cells()]

    def to_csv(self, *, keep_formulas: bool = False) -> str:
        """The rows as CSV that commands read as a log: text is quoted only where that is necessary."""
        return str(import_module("scorio.render.csv").plain(self.columns, self._cells(), keep_formulas))

    def _cells(self) -> Iterator[tuple[Any, ...]]:
        return map(attrgetter(*self.columns), self.table)


def convert(e: EvaluationData, form: str | None = None) -> OutcomeTable:
    """Make a table of the outcomes, or of the counts, of an evaluation.

    Parameters
    ----------
    e : Evaluation
        Read with ``trials=True`` for "long".
    form : {"long", "counts"}, optional
        A row for each trial, or for each question. Default: "long" where all trials are known, else "counts".

    Returns
    -------
    OutcomeTable

    Raises
    ------
    InvalidInput
        choice: an unknown form; conflict: "long", but single trials are unknown; or "counts", but outcomes are not
        binary.
    """
    parts = list(e.benchmarks.values())
    logs = [log for part in parts for log in part.logs.values()]
    has_trials = all(log.outcomes is not None for log in logs)
    # errors name the command's option --to, which is form here
    form = ("long" if has_trials else "counts") if form is None else arguments.choice(form, "to", ("long", "counts"))
    if form == "long" and not has_trials:
        reason = "the outcomes of single trials are unknown, or their numbers too unequal"
        raise InvalidInput("conflict", "to", reason, "counts")
    if form == "counts" and any(
        log.counts.C > 1 or (part.levels and part.w) for part in parts for log in part.logs.values()
    ):
        raise InvalidInput("conflict", "to", "c and n count the outcomes 0 and 1", "long")
    clustered = [log.clusters is not None for log in logs]
    value_columns = ["trial", "outcome"] if form == "long" else ["c", "n"]
    columns = ["model", *["task"] * (len(parts) > 1), "question", *value_columns, *["cluster"] * all(clustered)]
    rows_of = _outcome_rows if form == "long" else _count_rows
    table = tuple(row for part in parts for row in rows_of(part))
    partly_clustered = any(clustered) and not all(clustered)
    return OutcomeTable(about=about_of(e), table=table, columns=tuple(columns), unclustered=partly_clustered)  # type: ignore[arg-type]


def _outcome_rows(part: Benchmark) -> Iterator[Outcome]:
    score = part.w if part.levels else None
    for model, log in part.logs.items():
        assert log.outcomes is not None
        for question, cluster, row in zip(log.ids, _clusters(log), log.outcomes.tolist(), strict=True):
            for trial, x in enumerate(row, 1):
                yield Outcome(model, part.name, question, trial, None if x < 0 else score[x] if score else x, cluster)


def _count_rows(part: Benchmark) -> Iterator[Count]:
    for model, log in part.logs.items():
        successes, trials = log.counts.table[:, 1:].sum(axis=1).tolist(), log.counts.trials.tolist()
        for question, cluster, c, n in zip(log.ids, _clusters(log), successes, trials, strict=True):
            yield Count(model, part.name, question, c, n, cluster)


def _clusters(log: Log) -> Sequence[str | None]:
    return log.clusters or [None] * len(log.ids)
