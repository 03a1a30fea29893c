"""Gate on every question of a model: its average score against a number, without a statistical test."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from .. import arguments
from ..errors import InvalidInput
from ..io.evaluation import EvaluationData
from .gate import one_model
from .result import Result, about_of


@dataclass(frozen=True)
class Row:
    """A question, its average score, and whether that is high enough.

    Attributes
    ----------
    benchmark, question : str
    score : float or None
        The average of its trials; None without a trial.
    trials : int
    passes : bool
        Whether the score is at least ``each``; False without a trial.
    """

    benchmark: str
    question: str
    score: float | None
    trials: int
    passes: bool


@dataclass(frozen=True, kw_only=True)
class QuestionGate(Result):
    """Verdict on whether a model passes on every question.

    Attributes
    ----------
    verdict : {"pass", "fail"}
    candidate : str
    each : float
        The smallest average score with which a question passes.
    table : tuple of Row
        Every question: first those that fail, then those that pass, each by score, lowest first.
    failed : int
        Number of questions that fail.
    """

    schema: ClassVar[str] = "scorio.gate_each/2"
    computed: ClassVar[tuple[str, ...]] = ("exit_code",)
    verdict: Literal["pass", "fail"]
    candidate: str
    each: float
    table: tuple[Row, ...]
    failed: int

    @property
    def exit_code(self) -> Literal[0, 1]:  # type: ignore[override]
        """Exit code of the command: 0 pass, 1 fail."""
        return 1 if self.verdict == "fail" else 0

    def to_junit(self) -> str:
        """Test report in JUnit's XML: a test case for each question."""
        from importlib import import_module

        return str(import_module("scorio.render.junit").each(self))


def gate_each(e: EvaluationData, score: float, model: str | None = None) -> QuestionGate:
    """Check that a model has at least this score on every question.

    Parameters
    ----------
    e : Evaluation
    score : float
        The smallest average score with which a question passes: 0.8 means at least 8 of 10. It is above the lowest
        score of the scale, and at most the highest.
    model : str, optional
        May be left out where there is only one.

    Returns
    -------
    QuestionGate

    Raises
    ------
    InvalidInput
        choice: an unknown model, or none is named of several; range: a score that is not on the scale.
    """
    # the decimals that repr() shows, so that 8 of 10 trials are exactly 0.8
    name, least = one_model(e, model), Fraction(repr(arguments.real(score, "score")))
    table = []
    for part in e.select(name).benchmarks.values():
        low, high = part.scale
        if not low < score <= high:
            reason = f"score = {score!r} is not above {low:.10g} and at most {high:.10g}, the ends of the scale"
            raise InvalidInput("range", "score", reason)
        scores, log = [Fraction(repr(float(x))) for x in part.scores], part.log(name)
        cells = log.counts.cells
        for question, n, i, j in zip(
            log.ids, log.counts.trials.tolist(), cells.start[:-1].tolist(), cells.start[1:].tolist(), strict=True
        ):
            each = zip(cells.category[i:j].tolist(), cells.times[i:j].tolist(), strict=True)
            x = sum((scores[c] * m for c, m in each), Fraction(0)) / n if n else None
            table.append(Row(part.name, question, None if x is None else float(x), n, x is not None and x >= least))
    # a question without a trial fails, and is listed before all others
    table.sort(key=lambda row: (row.passes, row.score is not None, row.score or 0.0))
    failed = sum(not row.passes for row in table)
    return QuestionGate(
        about=about_of(e.select(name)), verdict="fail" if failed else "pass", candidate=name, each=float(score),
        table=tuple(table), failed=failed,
    )  # fmt: skip
