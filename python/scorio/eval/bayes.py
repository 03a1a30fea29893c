"""Averages of scores: Bayes@N and avg@N. For the mean with a confidence interval see :func:`scorio.eval.interval`."""

from __future__ import annotations

from collections.abc import Sequence

from .. import arguments
from ..arguments import Bounds, Missing, Reals
from ..arithmetic import double_double
from ..arithmetic.double_double import Triple, from_ratio, over_common_denominator
from ..metrics import posterior
from ..outcomes.counts import Counts
from ..outcomes.tally import Outcomes
from ..results import Estimate, Interval
from ._shared import normal_interval, scored_counts


def _score_moments(counts: Counts, w: Sequence[float], averaged: bool) -> tuple[Triple, Triple]:
    """Mean and variance of the average score: those of Bayes@N, or (averaged) of avg@N."""
    W, D = over_common_denominator(w)
    (x, dx), (v, dv) = posterior.score_moments(counts.groups(), W, averaged)
    return from_ratio(x, dx * D), from_ratio(v, dv * D * D)


def _estimate(counts: Counts, w: Sequence[float], averaged: bool) -> Estimate:
    """Mean and standard deviation of the average score, as doubles; averaged as in _score_moments()."""
    mu, var = _score_moments(counts, w, averaged)
    return Estimate(double_double.value(mu) + 0.0, double_double.value(double_double.root(var)))


def bayes(R: Outcomes, w: Reals | None = None, R0: Outcomes | None = None, *, missing: Missing = "raise") -> Estimate:
    """Bayes@N: posterior mean and standard deviation of the average score.

    The category probabilities of each question have a uniform Dirichlet prior; R0 adds earlier outcomes to it.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    w : array_like, shape (C+1,), optional
        Score of each category, in any unit; |w| <= 1e300. Default (0, 1), for binary R.
    R0 : array_like, shape (M, D), or Counts, optional
        Earlier outcomes of the same questions.
    missing : {"raise", "drop"} or int
        Missing outcomes of R and R0 are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    Estimate
        (mu, sigma), in units of w.

    Raises
    ------
    InvalidInput
        R, R0 or w is invalid; a w too short for R is an error of w.

    Notes
    -----
    Algorithm 1 of arXiv:2510.04265. The prior shrinks mu towards the middle of the scale: to state how good a model is,
    use :func:`mean_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> R = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
    >>> mu, sigma = eval.bayes(R, [0.0, 0.5, 1.0], R0=[[0, 2], [1, 2]])
    >>> round(mu, 6), round(sigma, 6)
    (0.575, 0.084275)
    """
    return _estimate(*scored_counts(R, w, R0, missing), averaged=False)


def bayes_ci(
    R: Outcomes,
    w: Reals | None = None,
    R0: Outcomes | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Bayes@N with the normal credible interval mu -/+ z sigma.

    Parameters
    ----------
    R, w, R0, missing
        As in :func:`bayes`.
    confidence : float in (0, 1)
        Posterior probability of the interval.
    bounds : (lo, hi), optional
        Both ends are clipped into these. Default: no clipping.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), in units of w.

    Raises
    ------
    InvalidInput
        Anything that :func:`bayes` refuses; confidence or bounds is invalid.

    Notes
    -----
    Section 2.6 of arXiv:2510.04265. The uniform prior on every question shrinks the estimate towards the middle of the
    scale, so this is not a confidence interval for the expected average on this question set: over simulated benchmarks
    the 95% interval covered it in 53% of runs for N >= 2 and in 28% for N = 1, in single benchmarks in anything from 0%
    to 100% (``python bench/coverage.py``). Use :func:`mean_ci`, whose coverage is nearly nominal.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.bayes_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], bounds=(0.0, 1.0))
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.642857, 0.118451, 0.4107, 0.875)
    """
    confidence, clip = arguments.confidence(confidence), arguments.bounds(bounds)
    counts, w = scored_counts(R, w, R0, missing)
    return normal_interval(*_score_moments(counts, w, averaged=False), confidence, clip)


def avg(R: Outcomes, w: Reals | None = None, *, missing: Missing = "raise") -> Estimate:
    """avg@N: the plain average score, with the standard deviation of Bayes@N on the scale of the average.

    With unequal numbers of trials: the mean over questions of the average of each, not the pooled average.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes in 0..C.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    Estimate
        (mu, sigma): mu the average; with N trials of every question sigma is (1 + C + N)/N times that of :func:`bayes`.

    Raises
    ------
    InvalidInput
        R or w is invalid.

    Notes
    -----
    Equation 20 of arXiv:2510.04265. Where N is small sigma is about twice the trial-to-trial standard error.

    Examples
    --------
    >>> from scorio import eval
    >>> mu, sigma = eval.avg([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> round(mu, 6), round(sigma, 6)
    (0.7, 0.165831)
    """
    return _estimate(*scored_counts(R, w, None, missing), averaged=True)


def avg_ci(
    R: Outcomes,
    w: Reals | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
    *,
    missing: Missing = "raise",
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
        R, w, confidence or bounds is invalid.

    Notes
    -----
    For this question set the interval is conservative: over simulated benchmarks the 95% interval covered the expected
    average in 98% of runs for N >= 2, and in nearly all for N = 1, with about twice the width that is needed. The mean
    of the population of similar questions was covered in 67% of runs for N >= 2 (``python bench/coverage.py``). Use
    :func:`mean_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.avg_ci([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], [0.0, 0.5, 1.0])
    >>> round(r.mu, 4), round(r.sigma, 4), round(r.lo, 4), round(r.hi, 4)
    (0.6, 0.1472, 0.3115, 0.8885)
    """
    confidence, clip = arguments.confidence(confidence), arguments.bounds(bounds)
    counts, w = scored_counts(R, w, None, missing)
    return normal_interval(*_score_moments(counts, w, averaged=True), confidence, clip)
