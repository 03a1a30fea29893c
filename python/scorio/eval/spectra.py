"""Threshold spectra S_{w,k} and their blend with Pass@k: GeoSpectrum@k."""

from __future__ import annotations

from typing import Any, SupportsIndex

from .. import arguments
from ..arguments import Bounds, Missing, Reals
from ..arithmetic import double_double
from ..arithmetic.double_double import Table, Triple
from ..errors import InvalidInput
from ..metrics import hypergeometric, posterior
from ..metrics.weights import UPPER_HALF, spectrum_weights, weight_table
from ..outcomes.tally import Outcomes
from ..results import Interval
from ._shared import UNIT, beta_posterior, count_binary, credit_mean, mean_over_states, tables, with_k_trials
from .geom import blend, dataset_delta


class _DefaultLam(float):
    """Type of the default of lam, distinct from a 0.5 given by the caller."""


LAM = _DefaultLam(0.5)


def threshold_spectrum_at_k(R: Outcomes, k: SupportsIndex, weights: Reals, *, missing: Missing = "raise") -> float:
    """S_{w,k}: sum over r of weights[r-1] P(at least r of k sampled trials succeed), averaged over questions.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    weights : array_like, shape (k,)
        w_1..w_k, none negative, with a sum of at most 1.

    Returns
    -------
    float
        In [0, sum of weights].

    Raises
    ------
    InvalidInput
        R, k or weights is invalid.

    Notes
    -----
    Every threshold metric is such a spectrum: Pass@k (w_1 = 1), Pass^k (w_k = 1), Maj@k, mG-Pass@k, AUC@k;
    prefer the named metric if there is one.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.threshold_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, [0.5, 0.5]), 6)
    0.7
    """
    counts, k = with_k_trials(R, k, missing)
    w = spectrum_weights(weights, k)
    return double_double.value(credit_mean(counts, k, w))


def threshold_spectrum_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    weights: Reals,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Posterior summary of a threshold spectrum of k new trials; any k >= 1.

    Parameters
    ----------
    R, weights, missing
        As in :func:`threshold_spectrum_at_k`.
    k : int >= 1
        Number of new trials, which may exceed N.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi), mu -/+ z sigma.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    For k > N the result depends on the prior, since so many trials were not observed. A uniform prior per question: see
    :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.threshold_spectrum_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, [1.0, 0.0])
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.839286, 0.097263)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    k = arguments.number_of_trials(k)
    w = spectrum_weights(weights, k)
    return beta.spectrum_interval(count_binary(R, missing), k, w)


def _powers(lam: float, lambda_: float | None) -> tuple[Triple, Triple]:
    """Check lam, which has two names; returns the powers lam and 1 - lam."""
    if lambda_ is not None and lam is not LAM:
        raise InvalidInput("conflict", "lambda_", "lam and lambda_ are two names of one parameter: give one")
    name, power = ("lam", lam) if lambda_ is None else ("lambda_", lambda_)
    x = double_double.ext(arguments.within(power, name, 0.0, 1.0))
    return x, double_double.sub(double_double.ONE, x)


def _spectrum_or_upper_half(weights: Any, k: int) -> Table:
    """The checked weights of a spectrum; without weights those of mG-Pass@k."""
    return weight_table(UPPER_HALF, k) if weights is None else spectrum_weights(weights, k)


def geo_spectrum_at_k(
    R: Outcomes,
    k: SupportsIndex,
    lam: float = LAM,
    weights: Reals | None = None,
    lambda_: float | None = None,
    *,
    missing: Missing = "raise",
) -> float:
    """GeoSpectrum@k: Pass@k to the power lam times a threshold spectrum to the power 1 - lam, of the whole data set.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    lam : float in [0, 1]
        The power of Pass@k; ``lambda_`` is another name of the parameter.
    weights : array_like, shape (k,), optional
        Weights of the spectrum S; default: the upper half, which makes S mG-Pass@k.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: both lam and lambda_.

    Notes
    -----
    This is not an average over questions. With the default weights and lam < 1 it is 0 at k = 1.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geo_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.408248
    """
    powers = _powers(lam, lambda_)
    counts, k = with_k_trials(R, k, missing)
    w = _spectrum_or_upper_half(weights, k)
    return double_double.value(
        blend(mean_over_states(counts, hypergeometric.pass_at_k, k), credit_mean(counts, k, w), *powers)
    )


def geo_spectrum_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    lam: float = LAM,
    weights: Reals | None = None,
    lambda_: float | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Approximate posterior summary of GeoSpectrum@k by the delta method; any k >= 1.

    Parameters
    ----------
    R, lam, weights, lambda_, missing
        As in :func:`geo_spectrum_at_k`.
    k : int >= 1
        Number of new trials, which may exceed N.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): mu = E[Pass@k]^lam E[S]^(1-lam), sigma to first order; both 0 where E[S] is 0 and lam < 1.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: both lam and lambda_.

    Notes
    -----
    sigma is of first order in the posterior's width: rough where there are few questions with few trials each. A
    uniform prior per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geo_spectrum_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, lam=1.0)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.839286, 0.097263)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    powers = _powers(lam, lambda_)
    k = arguments.number_of_trials(k)
    w = _spectrum_or_upper_half(weights, k)
    counts = count_binary(R, missing)
    x = tables(counts, posterior.pass_at_k, 2, k, *beta.priors)
    return dataset_delta(counts, [*x, *beta.spectrum(counts, k, w, weights is None)], *powers, False, beta)


def geo_spectrum_star_at_k(R: Outcomes, k: SupportsIndex, *, missing: Missing = "raise") -> float:
    """GeoSpectrum*@k: sqrt(Pass@k mG-Pass@k), :func:`geo_spectrum_at_k` with its defaults.

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
    See :func:`geo_spectrum_at_k`.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geo_spectrum_star_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.408248
    """
    return geo_spectrum_at_k(R, k, missing=missing)


def geo_spectrum_star_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Approximate posterior summary of GeoSpectrum*@k: :func:`geo_spectrum_at_k_ci` with its defaults.

    Parameters
    ----------
    R, k, confidence, bounds, alpha0, beta0, missing
        As in :func:`geo_spectrum_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi).

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    See :func:`geo_spectrum_at_k_ci`.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geo_spectrum_star_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6)
    (0.612112, 0.132755)
    """
    return geo_spectrum_at_k_ci(R, k, confidence=confidence, bounds=bounds, alpha0=alpha0, beta0=beta0, missing=missing)
