"""Pass@k and Pass^k: success of at least one, or of all, of k trials; and how often two trials differ."""

from __future__ import annotations

from typing import SupportsIndex

from ..arguments import Bounds, Missing
from ..arithmetic import double_double
from ..metrics import hypergeometric, posterior
from ..metrics.weights import FLIPS, weight_table
from ..outcomes.checks import check_trials
from ..outcomes.tally import Outcomes
from ..results import Interval
from ._shared import UNIT, beta_posterior, count_binary, credit_mean, mean_over_states, with_k_trials


def pass_at_k(R: Outcomes, k: SupportsIndex, *, missing: Missing = "raise") -> float:
    """Pass@k: probability that at least one of k trials sampled from the N succeeds, averaged over questions.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (M, N), or Counts
        Outcomes.
    k : int, 1 <= k <= N
        Number of trials sampled; with unequal trials at most the smallest N.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    float
        In [0, 1]: the mean of 1 - C(N - c, k) / C(N, k), c the number of successes.

    Raises
    ------
    InvalidInput
        R or k is invalid.

    Notes
    -----
    Chen et al. 2021, arXiv:2107.03374. The estimate has a high variance if k is near N.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.95
    """
    counts, k = with_k_trials(R, k, missing)
    return double_double.value(mean_over_states(counts, hypergeometric.pass_at_k, k))


def pass_hat_k(R: Outcomes, k: SupportsIndex, *, missing: Missing = "raise") -> float:
    """Pass^k: probability that all of k trials sampled from the N succeed, averaged over questions.

    Also named Unanimous@k and G-Pass@k.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1]: the mean of C(c, k) / C(N, k), c the number of successes.

    Raises
    ------
    InvalidInput
        R or k is invalid.

    Notes
    -----
    Yao et al. 2024, arXiv:2406.12045. It is 0 for every question with c < k, however good the model is.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.pass_hat_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.45
    """
    counts, k = with_k_trials(R, k, missing)
    return double_double.value(mean_over_states(counts, hypergeometric.pass_hat_k, k))


def pass_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of Pass@k: the mean over questions of 1 - (1 - p)^k, p the success probability of a question.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    confidence : float in (0, 1)
        Posterior probability of the interval.
    bounds : (lo, hi) or None
        Both ends are clipped into these; None: no clipping.
    alpha0, beta0 : float in [1e-100, 1e100]
        Beta prior of every question.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): posterior mean and standard deviation, and mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    The questions have independent beta posteriors. The default prior is uniform *per question* and moves the estimate
    of each question's p towards 1/2, and these errors do not average out: over simulated benchmarks the 95% interval
    covered the Pass@k of this question set in 40% of runs, in single benchmarks in anything from 0% to 100%
    (``python bench/coverage.py``). Use :func:`interval`, whose coverage is nearly nominal.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.pass_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.839286, 0.097263, 0.6487, 1.0)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    counts, k = with_k_trials(R, k, missing)
    return beta.interval(counts, posterior.pass_at_k, k)


def pass_hat_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of Pass^k: the mean over questions of p^k, p the success probability of a question.

    Parameters
    ----------
    R, k, confidence, bounds, alpha0, beta0, missing
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): posterior mean and standard deviation, and mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    A uniform prior per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.pass_hat_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.446429, 0.146167, 0.1599, 0.7329)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    counts, k = with_k_trials(R, k, missing)
    return beta.interval(counts, posterior.pass_hat_k, k)


unanimous_at_k = g_pass_at_k = pass_hat_k
unanimous_at_k_ci = g_pass_at_k_ci = pass_hat_k_ci


def flip_rate(R: Outcomes, *, missing: Missing = "raise") -> float:
    """Flip rate: probability that two trials of a question have different outcomes, averaged over questions.

    Parameters
    ----------
    R : array_like of 0 and 1, shape (M, N), or Counts
        Outcomes, at least two trials of every question.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int).

    Returns
    -------
    float
        In [0, 1], lower is better: the mean of 2 c (N - c) / (N (N - 1)), c successes, which is Pass@2 - Pass^2.

    Raises
    ------
    InvalidInput
        R is invalid; range: a question has fewer than two trials.

    Notes
    -----
    Unbiased for 2 p (1 - p), p the question's success rate: at most 1/2 in expectation, although the estimate from two
    trials that differ is 1. A model that always fails is as stable as one that always succeeds.

    Examples
    --------
    >>> from scorio import eval
    >>> eval.flip_rate([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    0.5
    """
    counts = count_binary(R, missing)
    check_trials(counts, 2, flips=True)
    return double_double.value(credit_mean(counts, 2, weight_table(FLIPS, 2)))


def flip_rate_ci(
    R: Outcomes,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of the flip rate: the mean over questions of 2 p (1 - p), p the success probability.

    Parameters
    ----------
    R, missing
        As in :func:`flip_rate`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        An argument is invalid; range: a question has fewer than two trials.

    Notes
    -----
    With a uniform prior a question with 8 successes in 8 trials has a posterior mean of 0.16. Use :func:`interval` of
    "flip_rate", whose coverage is nearly nominal.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.flip_rate_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.392857, 0.074345)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    counts = count_binary(R, missing)
    check_trials(counts, 2, flips=True)
    return beta.interval(counts, posterior.flips, 2)
