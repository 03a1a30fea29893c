"""Metrics of at least r successes in k trials: G-Pass@k_tau, mG-Pass@k, Maj@k, AUC@k."""

from __future__ import annotations

from typing import SupportsIndex

from .. import arguments
from ..arguments import Bounds, Missing
from ..arithmetic import double_double
from ..metrics.weights import THRESHOLD, TRAPEZOIDS, UPPER_HALF, majority, threshold, weight_table
from ..outcomes.tally import Outcomes
from ..results import Interval
from ._shared import UNIT, beta_posterior, credit_mean, with_k_trials


def g_pass_at_k_tau(R: Outcomes, k: SupportsIndex, tau: float, *, missing: Missing = "raise") -> float:
    """G-Pass@k_tau: probability that at least a share tau of k sampled trials succeeds, averaged over questions.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    tau : float in [0, 1]
        The threshold is the smallest r >= 1 with r/k >= tau. tau = 0 gives Pass@k, and tau = 1 gives Pass^k.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        R, k or tau is invalid.

    Notes
    -----
    Liu et al. 2024, arXiv:2412.13147. ceil(tau k) in floating point would be wrong for many tau = j/k.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.g_pass_at_k_tau([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, 0.5), 6)
    0.95
    """
    tau = arguments.within(tau, "tau", 0.0, 1.0)
    counts, k = with_k_trials(R, k, missing)
    return double_double.value(credit_mean(counts, k, weight_table(THRESHOLD, k, threshold(k, tau))))


def g_pass_at_k_tau_ci(
    R: Outcomes,
    k: SupportsIndex,
    tau: float,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of the probability that at least a share tau of k new trials succeeds.

    Parameters
    ----------
    R, k, tau, missing
        As in :func:`g_pass_at_k_tau`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): posterior mean and standard deviation; lo and hi are mu -/+ z sigma, within `bounds`.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    By default every question has a uniform prior: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.g_pass_at_k_tau_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, 1.0)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.446429, 0.146167)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    tau = arguments.within(tau, "tau", 0.0, 1.0)
    counts, k = with_k_trials(R, k, missing)
    return beta.spectrum_interval(counts, k, weight_table(THRESHOLD, k, threshold(k, tau)))


def mg_pass_at_k(R: Outcomes, k: SupportsIndex, *, missing: Missing = "raise") -> float:
    """mG-Pass@k: 2/k times the sum of P(at least r of k sampled trials succeed) over the thresholds r > ceil(k/2).

    For even k this is G-Pass@k_tau averaged over tau from 1/2 to 1.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1]: the mean over questions of (2/k) sum_{j>m} (j - m) P(X = j), X the number of successes among k
        sampled trials, m = ceil(k/2); 0 at k = 1.

    Raises
    ------
    InvalidInput
        R or k is invalid.

    Notes
    -----
    Liu et al. 2024, arXiv:2412.13147. This is the finite sum; for odd k it differs from the integral over tau, and is
    only (k-1)/k for a perfect model.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.mg_pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.166667
    """
    counts, k = with_k_trials(R, k, missing)
    return double_double.value(credit_mean(counts, k, weight_table(UPPER_HALF, k)))


def mg_pass_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of mG-Pass@k of k new trials.

    Parameters
    ----------
    R, k, missing
        As in :func:`mg_pass_at_k`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): posterior mean and standard deviation, both 0 at k = 1; lo and hi are mu -/+ z sigma,
        within `bounds`.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    By default every question has a uniform prior: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.mg_pass_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.446429, 0.146167)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    counts, k = with_k_trials(R, k, missing)
    return beta.spectrum_interval(counts, k, weight_table(UPPER_HALF, k), upper_half=True)


def maj_at_k(R: Outcomes, k: SupportsIndex, *, missing: Missing = "raise") -> float:
    """Maj@k: probability that strictly more than half of k sampled trials succeed, averaged over questions.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1]; the threshold is floor(k/2) + 1.

    Raises
    ------
    InvalidInput
        R or k is invalid.

    Notes
    -----
    A proxy for majority voting where only correctness is logged: a vote can be right with fewer than half of the
    answers right, when the wrong ones differ. On simulated benchmarks it is 0.03 to 0.47 below what a vote of the
    answers scores: where the answers are known, use :func:`plurality_at_k`.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.maj_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.85
    """
    counts, k = with_k_trials(R, k, missing)
    return double_double.value(credit_mean(counts, k, weight_table(THRESHOLD, k, majority(k))))


def maj_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of the probability that a strict majority of k new trials succeeds.

    Parameters
    ----------
    R, k, missing
        As in :func:`maj_at_k`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): posterior mean and standard deviation; lo and hi are mu -/+ z sigma, within `bounds`.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    By default every question has a uniform prior: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.maj_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.684524, 0.151958, 0.3867, 0.9824)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    counts, k = with_k_trials(R, k, missing)
    return beta.spectrum_interval(counts, k, weight_table(THRESHOLD, k, majority(k)))


def auc_at_k(R: Outcomes, k: SupportsIndex, *, missing: Missing = "raise") -> float:
    """AUC@k: area under Pass@1..k by trapezoids, divided by k - 1; Pass@1 at k = 1.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        R or k is invalid.

    Notes
    -----
    Hu et al. 2026, arXiv:2601.08763. Pass@j at large j dominates it: two models of very different Pass@1 can tie.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.auc_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.9
    """
    counts, k = with_k_trials(R, k, missing)
    return double_double.value(credit_mean(counts, k, weight_table(TRAPEZOIDS, k)))


def auc_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of AUC@k of k new trials.

    Parameters
    ----------
    R, k, missing
        As in :func:`auc_at_k`.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): posterior mean and standard deviation; lo and hi are mu -/+ z sigma, within `bounds`.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    The time is O(k^2) for each distinct number of successes. A uniform prior per question: see :func:`pass_at_k_ci` for
    when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.auc_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 1)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.642857, 0.118451)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    counts, k = with_k_trials(R, k, missing)
    return beta.spectrum_interval(counts, k, weight_table(TRAPEZOIDS, k))
