"""Stability of the ranking: after how many trials it no longer changes, in each benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .. import converge as convergence
from ..choices import MetricName, Resampling
from ..converge.bootstrap import raise_on_interrupt
from ..io.evaluation import Benchmark, EvaluationData
from ..metrics.metric import metric_and_k
from .measure import Request, naming_benchmark, require_models
from .result import Result, about_of
from .trials import block


@dataclass(frozen=True)
class Row:
    """Agreement of the ranking after n trials per question with the ranking of all trials that were used.

    Attributes
    ----------
    benchmark : str
    n : int
        Trials per question.
    tau_b : float
        Mean over bootstrap replicates of Kendall's tau-b between the two rankings.
    stable : float or None
        Share of replicates in which the ranking after n trials, and after every larger number, is the ranking of all
        trials that were used; None where n is the number of these trials.
    """

    benchmark: str
    n: int
    tau_b: float
    stable: float | None


@dataclass(frozen=True)
class Stability:
    """Stability of the ranking of a benchmark.

    Attributes
    ----------
    benchmark : str
    models : tuple of str
    n_questions, shared, answered_by_any, trials, gaps, longer
        As in :class:`scorio.analysis.trials.Block`.
    never : float
        Share of replicates in which the ranking is not stable before all trials.
    mean : float or None
        Trials per question after which the ranking is stable, on average over the other replicates; None if there are
        none.
    """

    benchmark: str
    models: tuple[str, ...]
    n_questions: int
    shared: int
    answered_by_any: int
    trials: int
    gaps: bool
    longer: bool
    never: float
    mean: float | None


@dataclass(frozen=True, kw_only=True)
class Convergence(Result):
    """The number of trials after which the ranking is stable.

    Attributes
    ----------
    table : tuple of Row
    each : tuple of Stability
        Stability in each benchmark.
    metric, k, tau, replicates, scheme, seed
        The arguments of the analysis.
    """

    schema: ClassVar[str] = "scorio.converge/3"
    table: tuple[Row, ...]
    each: tuple[Stability, ...]
    metric: str
    k: int | None
    tau: float | None
    replicates: int
    scheme: str
    seed: int


def converge(
    e: EvaluationData,
    *,
    metric: MetricName = "mean",
    k: int | None = None,
    tau: float | None = None,
    replicates: int = 10_000,
    scheme: Resampling = "columns",
    seed: int = 0,
) -> Convergence:
    """Find after how many trials the ranking of the models no longer changes, by bootstrap.

    Parameters
    ----------
    e : Evaluation
        Read with ``trials=True``; at least two models.
    metric, k, tau
        The metric that ranks the models, as for :func:`scorio.converge.tau_curve`.
    replicates : int
        Number of bootstrap replicates.
    scheme : {"columns", "rows"}
        Resample whole runs, or the trials of each question by itself.
    seed : int
        Seed of the bootstrap.

    Returns
    -------
    Convergence

    Raises
    ------
    InvalidInput
        An argument is invalid; type: the order of trials is not known; shape: fewer than two models, or
        no question with two trials of every model; empty: no question that all models answered.
    """
    require_models(e, 2)
    metric, k = metric_and_k(metric, k)
    options: dict[str, Any] = {"replicates": replicates, "scheme": scheme, "seed": seed}
    results = [_bootstrap(part, Request(metric, k, tau), options) for part in e.benchmarks.values()]
    table = tuple(row for rows, _ in results for row in rows)
    stabilities = tuple(stability for _, stability in results)
    return Convergence(about=about_of(e), table=table, each=stabilities, metric=metric, k=k, tau=tau, **options)


def _bootstrap(part: Benchmark, request: Request, options: dict[str, Any]) -> tuple[list[Row], Stability]:
    with naming_benchmark(part):
        trials = block(part)
    options = options | {"metric": request.metric, "k": request.k, "tau": request.tau, "w": part.w}
    with naming_benchmark(part), raise_on_interrupt():
        curve = convergence.tau_curve(trials.outcomes, **options)
        distribution = convergence.bootstrap_convergence(trials.outcomes, **options)
    shares: dict[int, float] = dict(enumerate(distribution.cdf, 1))
    rows = [Row(part.name, n, t, shares.get(n)) for n, t in zip(curve.trials, curve.tau_b, strict=True)]
    never = distribution.never
    mean = None if never == 1 else distribution.mean
    sizes = (trials.n_questions, trials.shared, trials.answered_by_any, trials.trials, trials.gaps, trials.longer)
    return rows, Stability(part.name, tuple(trials.outcomes), *sizes, never, mean)
