"""An evaluation: outcomes of models in benchmarks, and the questions that one asks of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from . import arguments
from .analysis import leaderboard as _leaderboard
from .analysis import report as _report
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

    def report(
        self,
        path: str | Path | None = None,
        *,
        questions: str | None = None,
        confidence: float = 0.95,
        k: int | Iterable[int] | None = None,
        title: str = "",
        command: str = "",
        sources: Sequence[str] = (),
        date: str | None = None,
        replicates: int = 1000,
        seed: int = 0,
        link: str = "",
    ) -> _report.Report:
        """Several analyses on one HTML page, written to path if it is given: :func:`analysis.report.report`."""
        made = _report.report(
            self, questions=questions, confidence=confidence, k=k, title=title, command=command, sources=sources,
            date=date, replicates=replicates, seed=seed, link=link,
        )  # fmt: skip
        if path is not None:
            made.save(path)
        return made

    def plot(self, kind: str, **options: Any) -> Any:
        """One picture, by a function of :mod:`scorio.plot`: ``e.plot("forest", questions="sampled")``; its Axes."""
        pictures = import_module("scorio.plot")
        kinds = [name for name in pictures.__all__ if name != "schemata"]
        return getattr(pictures, arguments.choice(kind, "kind", kinds))(self, **options)


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
