"""The set of models that may be the best."""

from __future__ import annotations

from typing import Any, SupportsIndex

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.double_double import ZERO, div, ext, sub
from ..inference.estimate import parse_request
from ..inference.multiplicity import positive_if_better, possibly_best
from ..inference.pairs import contrasts
from ..outcomes.tally import Models
from ..results import MetricName, RateModel, Runs, Target
from .typed import chooses


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
