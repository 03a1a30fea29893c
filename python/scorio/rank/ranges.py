"""Rank ranges: the best and the worst rank that a model may have; and the set of models that may be the best."""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.double_double import ZERO, div, ext, sub
from ..inference.estimate import parse_request
from ..inference.pairs import AllPairs, checked_correction, checked_models, contrasts, positive_if_better, possibly_best
from ..inference.screening import in_benchmark
from ..outcomes.models import named
from ..outcomes.tally import Models
from ..results import Correction, MetricName, RateModel, Runs, Target, shown_as_table
from .scores import chooses, for_each


@shown_as_table
class Range(NamedTuple):
    """The best and the worst rank that a model may have."""

    best: int
    worst: int


@for_each
def ranges(
    models: Models,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    correction: Correction = "holm",
    clusters: Labels | None = None,
    guard: float = 0.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> dict[Any, Range] | list[Range]:
    """Rank ranges of models, from the numbers of significantly better and of significantly worse models.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of names to any form of R.
    metric, k, tau, w, model
        As in :func:`scorio.eval.interval`.
    questions : {"fixed", "sampled"}
        Ranks on this question set, or in the population of similar questions.
    runs : {"fixed", "sampled", "shared"} or RunVariation
        As in :func:`scorio.eval.interval`. "sampled": all models of the call give the variance of runs, the others less
        the more the runs of a pair differ. "shared": their runs are the same, and the pair's differences give it.
    confidence : float in (0, 1)
        1 - confidence is the nominal probability that any pair of equal models is called significantly different;
        without a correction, it is the probability for each single pair.
    correction : {"holm", None}
        Holm's adjustment over all pairs, so that all ranges together cover the true ranks with probability confidence,
        as far as each p-value is valid (see :func:`scorio.sinf.compare`); None: no adjustment.
    clusters : sequence of M labels, optional
        With "sampled": clusters of related questions, the units that were sampled. Default: the clusters
        stored in the counts, if any; False: none.
    guard : float in [0, 1]
        As in :func:`scorio.sinf.compare`.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). A pair is
        compared on the questions that both answered; if the models have different question ids, this requires
        "drop".

    Returns
    -------
    list or dict of Range
        (best, worst) for each model: 1 + the number of significantly better models, and L - the number of
        significantly worse ones.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: models with different numbers of questions, or a pair with a single question in
        common where questions are the sampling units; range: k above the trials of a question.

    Notes
    -----
    The pairs are those of :func:`scorio.sinf.compare_all`. Where true scores are equal, a range covers the true ranks
    if it contains all ranks of the tie. Ranges use the tests of all pairs; ties of :func:`rank_scores` only those of
    neighbours. The level is for one look at the data: see :func:`scorio.sinf.boundaries` for several.

    Examples
    --------
    >>> from scorio import rank
    >>> R = {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9, "c": [[0, 0, 1, 0]] * 9}
    >>> rank.ranges(R, questions="fixed")["b"]
    Range(best=2, worst=2)
    >>> rank.ranges(R, "pass@k", 2, questions="fixed")["b"]
    Range(best=1, worst=2)
    """
    confidence, by_holm = arguments.confidence(confidence), checked_correction(correction)
    request = parse_request(metric, k, tau, w, questions, model, guard=guard)
    request = request.with_runs_of(models, runs, missing)
    named_models = checked_models(request, models, w, missing, clusters)
    best_and_worst = in_benchmark(AllPairs(request, named_models, clusters), confidence, by_holm)
    return named(named_models.names, [Range(*ends) for ends in best_and_worst])


@chooses
def winners(
    models: Models,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    margin: float = 0.0,
    questions: Target,
    runs: Runs = "fixed",
    confidence: float = 0.95,
    clusters: Labels | None = None,
    guard: float = 1.0,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> list[Any]:
    """A set of models that contains the best one with the stated confidence.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of names to any form of R.
    metric, k, tau, w, questions, runs, clusters, model
        As in :func:`scorio.sinf.compare`.
    margin : float >= 0
        Also keep every model that may be at most this far below the best, in units of w.
    guard : float in [0, 1]
        As in :func:`scorio.sinf.gate`.
    confidence : float in (0, 1)
        Nominal probability that the set contains the best model (with a margin: each model that close to the best).
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). A pair is
        compared on the questions that both answered; if the models have different question ids, this requires
        "drop".

    Returns
    -------
    list
        Names of models (indices where models have no names), in the order of the models.

    Raises
    ------
    InvalidInput
        As :func:`ranges`; range: a negative margin.

    Notes
    -----
    A model is dropped if the test of :func:`scorio.sinf.gate` at one-sided level (1 - confidence)/(L - 1) finds another
    one above it by more than the margin. Where several models are exactly equal and best, each one is in the set with
    probability ``confidence``; for all of them at once take the models whose :func:`ranges` begin at 1.

    Examples
    --------
    >>> from scorio import rank
    >>> R = {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9, "c": [[0, 0, 1, 0]] * 9}
    >>> rank.winners(R, questions="fixed"), rank.winners(R, questions="fixed", margin=0.2)
    (['a'], ['a', 'b'])
    """
    confidence = arguments.confidence(confidence)
    margin = arguments.within(margin, "margin", 0.0, arguments.LARGEST_DOUBLE)
    request = parse_request(metric, k, tau, w, questions, model, guard=guard)
    request = request.with_runs_of(models, runs, missing)
    named_models, pairs = contrasts(request, models, w, clusters, missing)
    span = sub(ext(max(request.m.w)), ext(min(request.m.w)))
    gap = div(ext(margin), span) if span[0] else ZERO
    pairs = positive_if_better(request.m, pairs)
    candidates = possibly_best(len(named_models.items), pairs, confidence, gap)
    return candidates if named_models.names is None else [named_models.names[i] for i in candidates]
