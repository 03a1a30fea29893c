"""Averages of scores: Bayes@N and avg@N. The mean with an interval that holds it: :func:`scorio.eval.interval`."""

from __future__ import annotations

from collections.abc import Sequence

from .. import arguments
from ..arguments import Bounds, Policy, Reals
from ..arithmetic import double_double
from ..arithmetic.double_double import Triple
from ..arithmetic.rational import from_ratio, whole
from ..metrics import posterior
from ..outcomes.counts import Counts
from ..outcomes.tally import Outcomes
from ..results import Estimate, Interval
from ._shared import normal_interval, rubric


def _linear(counts: Counts, w: Sequence[float], averaged: bool) -> tuple[Triple, Triple]:
    W, D = whole(w)
    (x, dx), (v, dv) = posterior.linear(counts.groups(), W, averaged)
    return from_ratio(x, dx * D), from_ratio(v, dv * D * D)


def _estimate(counts: Counts, w: Sequence[float], averaged: bool) -> Estimate:
    mu, var = _linear(counts, w, averaged)
    return Estimate(double_double.value(mu) + 0.0, double_double.value(double_double.root(var)))


def bayes(R: Outcomes, w: Reals | None = None, R0: Outcomes | None = None, *, missing: Policy = "raise") -> Estimate:
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
    w: Reals | None = None,
    R0: Outcomes | None = None,
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
    Section 2.6 of arXiv:2510.04265. Its uniform prior on every question is evidence for the middle of the scale, so it
    is no interval for the mean over these questions: over simulated benchmarks 95 % held that in 53 % of runs for
    N >= 2 and 28 % for N = 1, in single benchmarks anything from 0 to 100 (``python bench/coverage.py``). Use
    :func:`mean_ci`, which holds it.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.bayes_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], bounds=(0.0, 1.0))
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.642857, 0.118451, 0.4107, 0.875)
    """
    confidence, clip = arguments.confidence(confidence), arguments.bounds(bounds)
    counts, w = rubric(R, w, R0, missing)
    return normal_interval(*_linear(counts, w, False), confidence, clip)


def avg(R: Outcomes, w: Reals | None = None, *, missing: Policy = "raise") -> Estimate:
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
    w: Reals | None = None,
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
    For these questions safe but wide: over simulated benchmarks 95 % held the average in 98 % of runs, at N = 1 with
    about twice the width that is needed. For questions like these it fails, 67 % (``python bench/coverage.py``). Use
    :func:`mean_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.avg_ci([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], [0.0, 0.5, 1.0])
    >>> round(r.mu, 4), round(r.sigma, 4), round(r.lo, 4), round(r.hi, 4)
    (0.6, 0.1472, 0.3115, 0.8885)
    """
    confidence, clip = arguments.confidence(confidence), arguments.bounds(bounds)
    counts, w = rubric(R, w, None, missing)
    return normal_interval(*_linear(counts, w, True), confidence, clip)
