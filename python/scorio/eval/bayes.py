"""Averages of scores: Bayes@N, avg@N, and the mean with an interval that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import checks, noise, numerics, posterior
from ..checks import Bounds
from ..counts import Counts
from ..errors import InvalidInput
from ..exact import Triple, from_ratio, whole
from ..quantiles import normal_z
from ..results import Estimate, Interval, MeanInterval
from ..tally import count
from .steps import Outcomes, Policy, interval, rubric


def _linear(counts: Counts, w: Sequence[float], averaged: bool) -> tuple[Triple, Triple]:
    W, D = whole(w)
    (x, dx), (v, dv) = posterior.linear(counts.groups(), W, averaged)
    return from_ratio(x, dx * D), from_ratio(v, dv * D * D)


def _estimate(counts: Counts, w: Sequence[float], averaged: bool) -> Estimate:
    mu, var = _linear(counts, w, averaged)
    return Estimate(numerics.value(mu) + 0.0, numerics.value(numerics.root(var)))


def bayes(R: Outcomes, w: Any = None, R0: Outcomes = None, *, missing: Policy = "raise") -> Estimate:
    """Bayes@N: posterior mean and standard deviation of the average score.

    Each question's category probabilities have a uniform Dirichlet prior, to which R0 adds outcomes.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    w : array_like, shape (C+1,), optional
        Score of each category, in any unit; |w| <= 1e300. Default (0, 1), for binary R.
    R0 : array_like, shape (M, D), or Counts, optional
        Earlier outcomes of the same questions.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    Estimate
        (mu, sigma), in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with R, R0 or w; a w too short for R blames w.

    Notes
    -----
    Algorithm 1 of arXiv:2510.04265. As a statement of how good a model is, mu is pulled to the middle
    of w: see :func:`mean_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> R = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
    >>> mu, sigma = eval.bayes(R, [0.0, 0.5, 1.0], R0=[[0, 2], [1, 2]])
    >>> round(mu, 6), round(sigma, 6)
    (0.575, 0.084275)
    """
    return _estimate(*rubric(R, w, R0, missing), False)


def bayes_ci(
    R: Outcomes,
    w: Any = None,
    R0: Outcomes = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Policy = "raise",
) -> Interval:
    """Bayes@N with the normal credible interval mu -/+ z sigma.

    Parameters
    ----------
    R, w, R0, missing
        As in :func:`bayes`.
    confidence : float in (0, 1)
        Credibility of the interval.
    bounds : (lo, hi), optional
        Both ends are clipped into these. Default: no clipping.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), in units of w.

    Raises
    ------
    InvalidInput
        As :func:`bayes`, and for confidence and bounds.

    Notes
    -----
    Section 2.6 of arXiv:2510.04265. Not an interval for the mean over these questions: with few trials
    it can miss that nearly always (:func:`mean_ci` holds it).

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.bayes_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], bounds=(0.0, 1.0))
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.642857, 0.118451, 0.4107, 0.875)
    """
    confidence, clip = checks.confidence(confidence), checks.bounds(bounds)
    counts, w = rubric(R, w, R0, missing)
    return interval(*_linear(counts, w, False), confidence, clip)


def avg(R: Outcomes, w: Any = None, *, missing: Policy = "raise") -> Estimate:
    """avg@N: the plain average score, with the Bayesian standard deviation on its scale.

    With unequal trials: the mean over questions of each question's own average, never the pooled one.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    Estimate
        (mu, sigma): mu the average, sigma = (T/N) sigma of :func:`bayes`, T = 1 + C + N.

    Raises
    ------
    InvalidInput
        Anything wrong with R or w.

    Notes
    -----
    Equation 20 of arXiv:2510.04265. sigma is about twice the trial noise where N is small.

    Examples
    --------
    >>> from scorio import eval
    >>> mu, sigma = eval.avg([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> round(mu, 6), round(sigma, 6)
    (0.7, 0.165831)
    """
    return _estimate(*rubric(R, w, None, missing), True)


def avg_ci(
    R: Outcomes,
    w: Any = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Policy = "raise",
) -> Interval:
    """avg@N with the normal interval mu -/+ z sigma.

    Parameters
    ----------
    R, w, missing
        As in :func:`avg`.
    confidence, bounds
        As in :func:`bayes_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), in units of w.

    Raises
    ------
    InvalidInput
        Anything wrong with R, w, confidence or bounds.

    Notes
    -----
    Safe but wide: at small N up to twice the width that :func:`mean_ci` needs.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.avg_ci([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], [0.0, 0.5, 1.0])
    >>> round(r.mu, 4), round(r.sigma, 4), round(r.lo, 4), round(r.hi, 4)
    (0.6, 0.1472, 0.3115, 0.8885)
    """
    confidence, clip = checks.confidence(confidence), checks.bounds(bounds)
    counts, w = rubric(R, w, None, missing)
    return interval(*_linear(counts, w, True), confidence, clip)


def mean_ci(
    R: Outcomes,
    w: Any = None,
    *,
    questions: str,
    confidence: float = 0.95,
    pool: int | None = None,
    clusters: Any = None,
    shape: str = "wilson",
    missing: Policy = "raise",
) -> MeanInterval:
    """The average score with an interval that holds it; no prior on any question.

    "fixed": where would the number for these same questions go with ever more trials? "sampled": the
    number over all questions like these. The first goes to 0 with N, the second only with M.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C. Questions without a trial are left out and listed in ``dropped``.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    questions : {"fixed", "sampled"}
        Which noise the interval holds: of the trials, or also of the draw of questions.
    confidence : float in (0, 1)
        Coverage of the interval.
    pool : int >= M, optional
        With "sampled": the questions were drawn from this many.
    clusters : sequence of M labels, optional
        With "sampled": families of related questions, the units that were drawn.
    shape : {"wilson", "beta"}
        "beta" (equal tails of a beta law) is better for very rare success.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes.

    Returns
    -------
    MeanInterval
        (mu, sigma, lo, hi), mu the value of :func:`avg`; attributes questions, noise, n_eff, units, dropped.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments.

    Notes
    -----
    spec/README.md, "an interval that holds". With one trial a question the trial noise is not identified
    (noise = "bound"): a second trial about halves the interval. Fails where fewer than about one success
    is expected in all, for trials that are not independent (temperature 0, caches), and for outcomes
    missing because of what they were.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.mean_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], questions="fixed")
    >>> round(r.mu, 4), round(r.lo, 4), round(r.hi, 4), r.noise
    (0.7, 0.3968, 0.8922, 'measured')
    """
    confidence = checks.confidence(confidence)
    sampled = checks.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    checks.choice(shape, "shape", ("wilson", "beta"))
    given, w = w is not None, checks.weights(w)
    counts = count(R, len(w) - 1, missing, w_given=given)
    pool, labels = checks.population(pool, clusters, sampled, counts)
    dropped = counts.empty
    if dropped:
        keep = counts.trials > 0
        if not keep.any():
            raise InvalidInput("no_trials", "R", "no question of R has a trial")
        counts, labels = counts.select(keep), None if labels is None else labels[keep]
    if labels is not None:
        labels = np.unique(labels, return_inverse=True)[1]
    W, _ = whole(w)
    U, span = noise.scale(W)
    theta, n_eff, known, units = noise.mean_noise(counts, U, span, sampled, pool, labels)
    x, rest = from_ratio(*theta.as_integer_ratio()), from_ratio(*(1 - theta).as_integer_ratio())
    n = from_ratio(*n_eff.as_integer_ratio())
    if shape == "wilson":
        ends = noise.wilson(x, rest, n, normal_z(confidence))
    else:
        ends = noise.equal_tails(x, rest, n, noise.tail(confidence))
    low, high = numerics.ext(min(w)), numerics.ext(max(w))
    mu, sigma, lo, hi = noise.rescale(_linear(counts, w, True)[0], x, rest, n, ends, low, high)
    return MeanInterval(mu, sigma, lo, hi, questions, known, numerics.value(n), units, dropped)
