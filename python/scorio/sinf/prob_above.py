"""Probability that the metric of one model is above a threshold."""

from __future__ import annotations

from typing import SupportsIndex

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.double_double import div, ext, sub, value
from ..errors import InvalidInput
from ..inference import variance
from ..inference.estimate import ALL_METRICS, measure_counts, parse_request
from ..outcomes.tally import Outcomes
from ..results import MetricName, RateModel, Runs, Target


def prob_above(
    R: Outcomes,
    t: float,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: Target,
    runs: Runs = "fixed",
    pool: int | None = None,
    clusters: Labels | None = None,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> float:
    """The probability that a metric lies above a threshold.

    Parameters
    ----------
    R, metric, k, tau, w, questions, runs, pool, clusters, model, missing
        As in :func:`scorio.eval.interval`.
    t : float
        The threshold, strictly between the lowest and the highest score: 0 and 1 without w.

    Returns
    -------
    float
        P(T <= (theta - t) sqrt(n) / sqrt(t (1 - t))), theta (the metric) and t on the scale 0..1. n is
        theta (1 - theta) over the variance of theta, or the least effective sample size n0 if the probability is then
        farther from 1/2. T has a t distribution, or the normal one: for n0 without clusters, and if the outcomes of
        many fixed questions vary (spec/families/intervals.md). The result is 1/2 where the metric equals t, and above
        (1 + confidence)/2 where the whole interval with this confidence is above t.

    Raises
    ------
    InvalidInput
        An argument is invalid; range: t not strictly between the lowest and the highest score.

    Notes
    -----
    The result is 1 minus the p-value of a one-sided test: the one whose inversion gives the intervals of
    :func:`scorio.eval.interval`, with the same variance and without a prior. "fixed": the probability that the expected
    value of the metric on these exact questions is above t; "sampled": the probability that its value over the
    population of similar questions is. For "fixed" with one trial per question the trial-to-trial variance cannot be
    measured; a second trial makes the answer much more certain.

    Examples
    --------
    >>> from scorio import sinf
    >>> R = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
    >>> round(sinf.prob_above(R, 0.5, questions="fixed"), 4)
    0.897
    """
    t = arguments.real(t, "t")
    request = parse_request(metric, k, tau, w, questions, model, ALL_METRICS)
    request = request.with_runs(runs, [("R", R)], missing)
    x = measure_counts(request, request.read_outcomes(R, missing, "R"), pool, clusters)
    low, high = min(request.m.w), max(request.m.w)
    if not low < t < high:
        raise InvalidInput("range", "t", f"t = {t!r} is not strictly between the scores {low!r} and {high!r}")
    span = sub(ext(high), ext(low))
    below, above = div(sub(ext(t), ext(low)), span), div(sub(ext(high), ext(t)), span)
    freedoms = x.freedom, x.freedom_of_units, x.over_runs.freedom
    p: float = value(variance.probability_above(x.interval_parts, below, above, *freedoms))
    return p
