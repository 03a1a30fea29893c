"""Geometric blends of Pass@k and Pass^k: Geom@k, question by question and on the whole data set."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, SupportsIndex

from .. import arguments
from ..arguments import Bounds, Missing
from ..arithmetic import double_double
from ..arithmetic.double_double import Table, Triple
from ..errors import InvalidInput
from ..metrics import hypergeometric, posterior
from ..outcomes.counts import Counts
from ..outcomes.tally import Outcomes
from ..results import Interval
from ._shared import (
    UNIT,
    BetaPosterior,
    beta_posterior,
    count_binary,
    mean_over_states,
    normal_interval,
    tables,
    with_k_trials,
)


def refuse_undefined(undefined: int, alpha: Triple, beta: Triple) -> None:
    """Raise where 0 has a negative power; undefined: 0 if all is defined, 1 or 2 for the first or the second factor."""
    if undefined:
        name, power = (("pass_power", alpha), ("unanimous_power", beta))[undefined - 1]
        raise InvalidInput("undefined", name, f"0 to the power {name} = {double_double.value(power)} is undefined")


def blend(x: Triple, y: Triple, alpha: Triple, beta: Triple) -> Triple:
    """The blend x^alpha y^beta of two metrics."""
    G: Triple
    G, undefined = hypergeometric.blend(x, y, alpha, beta)
    refuse_undefined(undefined, alpha, beta)
    return G


def _check_overflow(result: Any, pass_power: float) -> Any:
    """Check that a result is finite, and return it; only a negative power can make it overflow."""
    if not all(map(isfinite, result)):
        name = "pass_power" if pass_power < 0.0 else "unanimous_power"
        raise InvalidInput(
            "overflow", name, f"with a negative {name} the result is outside the range of doubles: {tuple(result)}"
        )
    return result


def geom_at_k(
    R: Outcomes, k: SupportsIndex, pass_power: float = 0.5, unanimous_power: float = 0.5, *, missing: Missing = "raise"
) -> float:
    """Geom@k: (Pass@k)^a (Pass^k)^b of each question, averaged over questions.

    Parameters
    ----------
    R, k, missing
        As in :func:`pass_at_k`.
    pass_power, unanimous_power : float
        The powers a and b, finite, not both 0; 0^0 = 1, and 0 to a positive power makes the product 0.

    Returns
    -------
    float
        In [0, 1] for powers that are not negative.

    Raises
    ------
    InvalidInput
        An argument is invalid; undefined: both powers are 0, or 0 has a negative power; overflow: the result is not
        finite.

    Notes
    -----
    With b > 0 a question with fewer than k successes counts as 0, which is harsh at large k.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geom_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.647106
    """
    a, b = arguments.powers(pass_power, unanimous_power)
    counts, k = with_k_trials(R, k, missing)
    (x,), (y,) = tables(counts, hypergeometric.pass_at_k, 1, k), tables(counts, hypergeometric.pass_hat_k, 1, k)
    refuse_undefined(hypergeometric.blends(x, y, a, b, x), a, b)  # writes the blends into x
    (result,) = _check_overflow(
        (double_double.value(double_double.mean(x, counts.states().mult, counts.M)),), pass_power
    )
    return float(result)


def geom_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Approximate posterior summary of Geom@k: the delta method on each question's posterior; any k >= 1.

    Parameters
    ----------
    R, pass_power, unanimous_power, missing
        As in :func:`geom_at_k`.
    k : int >= 1
        Number of new trials, which may exceed N.
    confidence, bounds, alpha0, beta0
        As in :func:`pass_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): mu the mean over questions of E[Pass@k]^a E[Pass^k]^b, sigma to first order.

    Raises
    ------
    InvalidInput
        An argument is invalid; overflow: the result is not finite.

    Notes
    -----
    sigma is of first order in the posterior's width: rough where N is small and a power is far from 1. A uniform prior
    per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geom_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.610666, 0.133107, 0.3498, 0.8716)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    a, b = arguments.powers(pass_power, unanimous_power)
    k = arguments.number_of_trials(k)
    counts = count_binary(R, missing)
    return _check_overflow(beta.interval(counts, posterior.geom_at_k, k, a, b), pass_power)


def geom_ds_at_k(
    R: Outcomes, k: SupportsIndex, pass_power: float = 0.5, unanimous_power: float = 0.5, *, missing: Missing = "raise"
) -> float:
    """Dataset-level Geom@k: (Pass@k)^a (Pass^k)^b of the whole data set.

    Parameters
    ----------
    R, k, pass_power, unanimous_power, missing
        As in :func:`geom_at_k`.

    Returns
    -------
    float
        In [0, 1] for powers that are not negative.

    Raises
    ------
    InvalidInput
        An argument is invalid; undefined: both powers are 0, or 0 has a negative power; overflow: the result is not
        finite.

    Notes
    -----
    This is not an average over questions: its value on a union of data sets need not be between theirs.

    Examples
    --------
    >>> from scorio import eval
    >>> round(eval.geom_ds_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.653835
    """
    a, b = arguments.powers(pass_power, unanimous_power)
    counts, k = with_k_trials(R, k, missing)
    x, y = mean_over_states(counts, hypergeometric.pass_at_k, k), mean_over_states(counts, hypergeometric.pass_hat_k, k)
    (result,) = _check_overflow((double_double.value(blend(x, y, a, b)),), pass_power)
    return float(result)


def dataset_delta(
    counts: Counts, moments: Sequence[Table], a: Triple, b: Triple, identical: bool, beta: BetaPosterior
) -> Interval:
    """Delta-method interval of x^a y^b for the means x and y over questions.

    moments : tables of the posterior mean and variance of x, those of y, and their covariance, for each state.
    identical : whether x and y are the same quantity, as Pass@1 and Pass^1 are.
    """
    mult, M = counts.states().mult, counts.M
    n_questions = double_double.ext(float(M))
    x, vx, y, vy, cov = (double_double.mean(t, mult, M) for t in moments)
    vx, vy, cov = (double_double.div(v, n_questions) for v in (vx, vy, cov))
    mu, var = posterior.delta(x, vx, y, vy, cov, a, b, identical)
    return normal_interval(mu, var, beta.confidence, beta.bounds)


def geom_ds_at_k_ci(
    R: Outcomes,
    k: SupportsIndex,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    *,
    missing: Missing = "raise",
) -> Interval:
    """Approximate posterior summary of the dataset-level Geom@k by the delta method; any k >= 1.

    Parameters
    ----------
    R, k, pass_power, unanimous_power, confidence, bounds, alpha0, beta0, missing
        As in :func:`geom_at_k_ci`.

    Returns
    -------
    Interval
        (mu, sigma, lo, hi): mu = E[Pass@k]^a E[Pass^k]^b, sigma to first order.

    Raises
    ------
    InvalidInput
        An argument is invalid; overflow: the result is not finite.

    Notes
    -----
    sigma is of first order in the posterior's width: rough where there are few questions with few trials each. A
    uniform prior per question: see :func:`pass_at_k_ci` for when that misleads.

    Examples
    --------
    >>> from scorio import eval
    >>> r = eval.geom_ds_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> round(r.mu, 6), round(r.sigma, 6), round(r.lo, 4), round(r.hi, 4)
    (0.612112, 0.132755, 0.3519, 0.8723)
    """
    beta = beta_posterior(confidence, bounds, alpha0, beta0)
    a, b = arguments.powers(pass_power, unanimous_power)
    k = arguments.number_of_trials(k)
    counts = count_binary(R, missing)
    joint = tables(counts, posterior.joint_at_k, 5, k, *beta.priors)
    return _check_overflow(dataset_delta(counts, joint, a, b, k == 1, beta), pass_power)
