"""Curves over numbers of trials: Pass@k against k, and how a ranking stabilises, with the trials that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import converge, eval
from ..converge import kernels
from ..converge.bootstrap import raise_on_interrupt
from ..converge.trajectory import problem, scores_of
from ..errors import InvalidInput, shown
from ..eval.extrapolation import fitted
from ..inference import estimator
from ..metrics.metric import read_metric
from ..outcomes.counts import Counts
from ..readers.evaluation import Benchmark
from ..results import Extrapolation, MetricInterval, MetricName, Scheme

Trials = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Block:
    """A matrix of outcomes for each model, all of one shape.

    Attributes
    ----------
    outcomes : mapping of str to ndarray of int, shape (questions, trials); category of each trial, by model
    n_questions, shared, answered_by_any : int
        Number of questions in the matrices, number that all models answered, and number in the log of any model, with
        a trial or without.
    trials : int; trials of each question
    gaps : bool; whether outcomes are missing among the first trials of the shared questions
    longer : bool; whether, without such gaps, some models have further trials, which are left out
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


POINTS = 16  # most points of a curve on either side of the present number of trials
MOST_STEPS = 10**6  # the largest k of a measured point times the number of states (n, c) of the questions
MOST_MODELLED = 10**4  # the largest k of a fitted model, whose time rises with k


@dataclass(frozen=True)
class Curve:
    """A metric against k, up to the present number of trials and beyond it.

    Attributes
    ----------
    ks_measured, ks_beyond : tuple of int; values of k up to the smallest number of trials of a question, and above it
    measured : tuple of MetricInterval; the metric with its interval at each of ks_measured
    bands : tuple of Extrapolation; the identified band at each of ks_beyond
    model : str; name of the fitted model of success rates, such as "beta-binomial"; empty where no model is fitted
    modelled : tuple of (float, float, float)
        Value under the fitted model and its limits, at each of ks_beyond; empty where no model is fitted.
    """

    ks_measured: tuple[int, ...]
    measured: tuple[MetricInterval, ...]
    ks_beyond: tuple[int, ...]
    bands: tuple[Extrapolation, ...]
    model: str
    modelled: tuple[tuple[float, float, float], ...]


def curve(
    counts: Counts, k: int, metric: MetricName = "pass_at_k", *, questions: str, confidence: float,
    points: int = POINTS, computed: Mapping[int, MetricInterval] | None = None,
) -> Curve:  # fmt: skip
    """Curve of a metric up to k, with at most ``points`` points on either side of the present number of trials.

    It is measured for k up to that number; with very many trials, up to MOST_STEPS over the number of states. A
    model is fitted for k up to MOST_MODELLED.

    computed: intervals that were computed before, by k.
    """
    band_at_k = eval.extrapolate(counts, metric, k, confidence=confidence)
    n, most = counts.min_trials, max(2, MOST_STEPS // counts.states().n.size)
    # where not all k are feasible, k stays below n/2: above, a variance needs a model of all rates
    steps = estimator.work(read_metric(metric, n, None, None), counts.states(), True)
    feasible = n <= most and steps <= estimator.MOST_STEPS
    ks_measured = _grid(1, n if feasible else min(most, n // 2), points)
    ks_beyond = _grid(n + 1, k, points)
    target: dict[str, Any] = {"questions": questions, "confidence": confidence}
    intervals = computed or {}
    measured = [intervals[j] if j in intervals else eval.interval(counts, metric, j, **target) for j in ks_measured]
    bands = [eval.extrapolate(counts, metric, j, confidence=confidence) for j in ks_beyond[:-1]]
    model, modelled = fitted(counts, metric, ks_beyond, confidence) if k <= MOST_MODELLED else ("", [])
    return Curve(tuple(ks_measured), tuple(measured), tuple(ks_beyond), (*bands, band_at_k), model, tuple(modelled))


def _grid(first: int, last: int, points: int) -> list[int]:
    """Whole numbers from first to last, about evenly spaced on a logarithmic axis."""
    steps = points - 1
    return sorted({round(first * (last / first) ** (i / steps)) for i in range(points)} | {last})


@dataclass(frozen=True)
class RankingAgreement:
    """Kendall's tau-b between the ranking after n trials and that of all trials.

    Attributes
    ----------
    trials : tuple of int
    mean : tuple of float; mean over the replicates
    low, high : tuple of float
        The 5% and the 95% quantile of the replicates; the mean itself if the original trials are not resampled.
    """

    trials: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def ranking_agreement(
    R: Any, metric: MetricName = "mean", gold: Any = None, *, k: int | None = None, tau: float | None = None,
    w: Any = None, replicates: int = 1000, scheme: Scheme = "columns", seed: int = 0,
) -> RankingAgreement:  # fmt: skip
    """Kendall's tau-b of :func:`scorio.converge.tau_curve`: mean and middle 90% of the replicates."""
    options: dict[str, Any] = {"k": k, "tau": tau, "w": w}
    x = converge.tau_curve(R, metric, gold, **options, replicates=replicates, scheme=scheme, seed=seed, progress=False)
    mean = tuple(x.tau_b)
    if scheme == "original":
        return RankingAgreement(tuple(x.trials), mean, mean, mean)
    taus = tau_by_replicate(R, metric, gold, options, replicates, scheme, seed)
    low, high = np.quantile(taus, [0.05, 0.95], axis=0).tolist()
    return RankingAgreement(tuple(x.trials), mean, tuple(low), tuple(high))


def tau_by_replicate(
    R: Any, metric: str, gold: Any, parameters: Mapping[str, Any], replicates: int, scheme: str, seed: int
) -> npt.NDArray[np.float64]:
    """Kendall's tau-b of each replicate after each number of trials; 0 for a ranking that ties all models."""
    p = problem(R, metric, parameters["k"], parameters["tau"], parameters["w"], gold)
    if scheme == "columns":
        p = p.resampled(scheme, seed)[0]  # for the mean, this sums over questions once for all replicates
    gold_ranks = np.array(p.gold)
    L = gold_ranks.size
    untied = np.arange(L * (L - 1) // 2 + 1)  # every number of untied pairs that a ranking can have
    gold_untied = untied[-1] - sum(int((gold_ranks[:i] == x).sum()) for i, x in enumerate(gold_ranks))
    scale = np.sqrt(np.maximum(untied * gold_untied, 1))  # the denominator of tau-b
    out = np.empty((replicates, len(p.trials)))
    order, ranks = np.arange(L), np.empty(L, np.int64)  # memory that add_concordance() works in
    for b in range(replicates):
        # concordant minus discordant pairs, by the number of trials and by that of untied pairs
        agree = np.zeros((len(p.trials), untied.size), np.int64)
        kernels.add_concordance(scores_of(p, scheme, b, seed), p.first, p.tol, gold_ranks, order, ranks, agree)
        out[b] = (agree / scale).sum(axis=1)
    return out


@dataclass(frozen=True)
class StabilityCurve:
    """Stability of the ranking of a benchmark by the average as trials are added.

    Attributes
    ----------
    agreement : RankingAgreement
    stable : tuple of float
        Share of replicates whose ranking is stable after 1, 2, ... trials and after every larger number.
    never : float; share of replicates in which the ranking is not stable before all trials
    block : Block; the questions and trials that were used
    """

    agreement: RankingAgreement
    stable: tuple[float, ...]
    never: float
    block: Block


def stability(part: Benchmark, replicates: int, seed: int) -> StabilityCurve:
    """Stability of the ranking by bootstrap of the trials of all models; raises the errors of :func:`block`."""
    options: dict[str, Any] = {"w": part.w, "replicates": replicates, "seed": seed}
    trials = block(part)
    with raise_on_interrupt():
        bootstrap = converge.bootstrap_convergence(trials.outcomes, worst=0, progress=False, **options)
        return StabilityCurve(
            ranking_agreement(trials.outcomes, **options), tuple(bootstrap.cdf), bootstrap.never, trials
        )
