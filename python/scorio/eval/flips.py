"""The flip rate: how often two trials of a question differ."""

from __future__ import annotations

from ..arguments import Bounds, Missing
from ..arithmetic import double_double
from ..metrics import posterior
from ..metrics.weights import FLIPS, weight_table
from ..outcomes.checks import check_trials
from ..outcomes.tally import Outcomes
from ..results import Interval
from ._shared import UNIT, beta_posterior, count_binary, credit_mean


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
