"""An evaluation: outcomes of models in benchmarks, and the questions that one asks of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .analysis import converge as _converge
from .analysis import convert as _convert
from .analysis import design as _design
from .analysis import extrapolate as _extrapolate
from .analysis import items as _items
from .analysis import judge as _judge
from .analysis import labels as _labels
from .analysis import leaderboard as _leaderboard
from .analysis import metrics as _metrics
from .analysis import sharing as _sharing
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

    def metrics(
        self,
        names: str | Iterable[str] | None = None,
        *,
        k: int | Iterable[int] | None = None,
        tau: float | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        answers: bool = False,
    ) -> _metrics.Metrics:
        """Metrics of every model in every benchmark, with intervals: :func:`analysis.metrics.metrics`."""
        asked = {"k": k, "tau": tau, "questions": questions, "confidence": confidence, "answers": answers}
        return _metrics.metrics(self, names, **asked)  # type: ignore[arg-type]

    def extrapolate(
        self,
        k: int | None = None,
        *,
        metric: str = "pass@k",
        width: float | None = None,
        confidence: float = 0.95,
    ) -> _extrapolate.Extrapolations:
        """Pass@k or Pass^k for more trials than there are: :func:`analysis.extrapolate.extrapolate`."""
        return _extrapolate.extrapolate(self, k, metric=metric, width=width, confidence=confidence)

    def converge(
        self,
        *,
        metric: str = "bayes",
        k: int | None = None,
        tau: float | None = None,
        replicates: int = 10_000,
        scheme: str = "columns",
        seed: int = 0,
    ) -> _converge.Convergence:
        """Stability of the ranking as trials are added: :func:`analysis.converge.converge`."""
        return _converge.converge(self, metric=metric, k=k, tau=tau, replicates=replicates, scheme=scheme, seed=seed)

    def items(self, *, fdr: float = 0.1, confidence: float = 0.95, most: int = 20) -> _items.Questions:
        """Dead, suspect and decisive questions, and the reliability of the ranking: :func:`analysis.items.items`."""
        return _items.items(self, fdr=fdr, confidence=confidence, most=most)

    def design(
        self,
        *,
        se: float | None = None,
        coefficient: float | None = None,
        cost_question: float = 0.0,
        cost_trial: float = 1.0,
        max_trials: int = 1000,
    ) -> _design.Designs:
        """Questions and trials that reach a target, and what they cost: :func:`analysis.design.design`."""
        return _design.design(
            self, se=se, coefficient=coefficient, cost_question=cost_question, cost_trial=cost_trial,
            max_trials=max_trials,
        )  # fmt: skip

    def sample_outputs(self, n: int, *, by_verdict: bool = False, seed: int = 0) -> _labels.OutputsToLabel:
        """n outputs of each model, sampled at random for people to label: :func:`analysis.labels.sample_outputs`."""
        return _labels.sample_outputs(self, n, by_verdict=by_verdict, seed=seed)

    def judge(
        self,
        labels: _labels.Labels,
        *,
        label_scale: Sequence[float] | None = None,
        half_width: float | None = None,
        questions: str = "fixed",
        confidence: float = 0.95,
    ) -> _judge.Judgement:
        """Mean human scores from a judge's verdicts and some human labels: :func:`analysis.judge.judge`."""
        return _judge.judge(
            self, labels, label_scale=label_scale, half_width=half_width, questions=questions, confidence=confidence
        )

    def convert(self, form: str | None = None) -> _convert.OutcomeTable:
        """All outcomes, or counts, as a table that every command reads: :func:`analysis.convert.convert`."""
        return _convert.convert(self, form)

    def every_eval_ever(
        self,
        *,
        organization: str,
        relationship: str = "third_party",
        k: int | Iterable[int] | None = None,
        questions: str | None = None,
        confidence: float = 0.95,
        timestamp: str | None = None,
    ) -> dict[str, dict[str, Any]]:
        """Documents in the schema of every_eval_ever, by model: :func:`analysis.sharing.every_eval_ever`."""
        return _sharing.every_eval_ever(
            self, organization=organization, relationship=relationship, k=k, questions=questions,
            confidence=confidence, timestamp=timestamp,
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
