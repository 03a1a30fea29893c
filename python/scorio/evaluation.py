"""An evaluation: outcomes of models in benchmarks, and the questions that one asks of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .analysis import compare as _compare
from .analysis import gate as _gate
from .analysis import leaderboard as _leaderboard
from .analysis import plan as _plan
from .analysis import rank as _rank
from .io.evaluation import Benchmark, EvaluationData, Provenance


class Evaluation(EvaluationData):
    """Models by benchmarks, as :func:`scorio.read` returns them; its methods are the commands.

    Immutable. ``e.models`` and ``e.benchmarks`` name what it holds, ``e[model]`` and ``e[model, benchmark]`` are
    :class:`scorio.Counts`, ``e.select(models, benchmarks)`` is a part of it, ``e + other`` has the models and the
    benchmarks of both. Each method returns a frozen result: ``print(x)`` shows what the command prints, and it has
    ``to_dict``, ``to_markdown``, ``to_latex``, ``to_csv`` and ``to_frame``.

    Examples
    --------
    >>> import scorio
    >>> e = scorio.read("spec/examples/coins.csv")
    >>> e
    Evaluation of 4 models (large, medium, small and tiny) in 1 benchmark
    outcomes: 40 questions, 8 trials, outcome
    >>> e.models
    ('large', 'medium', 'small', 'tiny')
    """

    def leaderboard(
        self,
        *,
        k: int | Iterable[int] | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        bayes: bool = False,
    ) -> _leaderboard.Leaderboard:
        """Models by their average, with Pass@k, intervals and rank ranges: :func:`analysis.leaderboard.leaderboard`."""
        return _leaderboard.leaderboard(self, k=k, questions=questions, confidence=confidence, bayes=bayes)

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        k: int | Iterable[int] | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        power: float = 0.8,
        by: str | None = None,
    ) -> _compare.Comparison:
        """Two models, question by question, for both targets: :func:`analysis.compare.compare`."""
        return _compare.compare(
            self, a, b, k=k, questions=questions, confidence=confidence, power=power, by=by
        )  # fmt: skip

    def rank(
        self,
        metric: str = "mean",
        k: int | None = None,
        tau: float | None = None,
        *,
        questions: str | None = None,
        confidence: float = 0.95,
        correction: str | None = "holm",
    ) -> _rank.Ranking:
        """The range of ranks that each model may have: :func:`analysis.rank.rank`."""
        return _rank.rank(
            self, metric, k, tau, questions=questions, confidence=confidence, correction=correction
        )  # fmt: skip

    def gate(
        self,
        candidate: str | None = None,
        baseline: str | None = None,
        metric: str = "mean",
        k: int | None = None,
        tau: float | None = None,
        *,
        margin: float,
        questions: str | None = None,
        confidence: float = 0.95,
        rule: str = "mean",
        weights: Mapping[str, float] | None = None,
        looks: Sequence[float] | None = None,
        spending: str = "obrien-fleming",
        power: float = 0.8,
    ) -> _gate.Gate:
        """Whether a candidate is non-inferior to a baseline by a margin: :func:`analysis.gate.gate`."""
        return _gate.gate(
            self, candidate, baseline, metric, k, tau, margin=margin, questions=questions, confidence=confidence,
            rule=rule, weights=weights, looks=looks, spending=spending, power=power,
        )  # fmt: skip

    def plan(
        self,
        *,
        difference: float | None = None,
        margin: float | None = None,
        half_width: float | None = None,
        power: float = 0.8,
        confidence: float = 0.95,
    ) -> _plan.Plan:
        """The sample size that a difference, a gate or a narrow interval needs: :func:`analysis.plan.plan`."""
        return _plan.plan(
            self, difference=difference, margin=margin, half_width=half_width, power=power, confidence=confidence
        )  # fmt: skip


def read(source: Any, **options: Any) -> Evaluation:
    """Read the outcomes of one or more models: as :func:`scorio.io.read`."""
    from . import io

    logs = io.read(source, **options)
    parts = dict(logs.benchmarks) or {logs.tasks[0] if logs.tasks else "": logs}
    benchmarks = {
        name: Benchmark(
            name, dict.copy(x), x.metric, None if x.weights is None else tuple(x.weights), x.levels, x.seen,
            tuple(x.unfinished), tuple(x.remarks),
        )
        for name, x in parts.items()
    }  # fmt: skip
    files = (source,) if isinstance(source, str) else tuple(map(str, source)) if isinstance(source, list) else ()
    how = (options.get("missing", "raise"), options.get("missing_code"))
    made = Provenance(files, logs.format, tuple(logs.skipped), tuple(logs.unfinished), tuple(logs.remarks), *how)
    return Evaluation(benchmarks, made)
