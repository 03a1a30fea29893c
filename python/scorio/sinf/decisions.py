"""Decisions from (mu, sigma): the probability of an order, and when to stop."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple, get_args

from .. import arguments
from ..arguments import Bounds, Reals
from ..arithmetic.distributions import normal_cdf, normal_z
from ..arithmetic.double_double import Triple, add, clip, div, ext, mul, sub, times_2_to, value
from ..errors import InvalidInput
from ..inference.significance import gap_of, separated, standard_error
from ..results import Separation


class Confidence(NamedTuple):
    """The probability that an order is right, and its z-score."""

    rho: float
    z: float


class Ends(NamedTuple):
    """The ends of an interval."""

    lo: float
    hi: float


class TopOne(NamedTuple):
    """Whether to stop, the leading model, and the models that are not significantly worse."""

    stop: bool
    leader: int
    ambiguous: list[int]


def ranking_confidence(mu_a: float, sigma_a: float, mu_b: float, sigma_b: float) -> Confidence:
    """Probability that the order of two estimates is the order of the true values.

    Parameters
    ----------
    mu_a, mu_b : float
        Estimates in the same unit, for example of :func:`scorio.eval.bayes`.
    sigma_a, sigma_b : float >= 0
        Their standard deviations, in the same unit.

    Returns
    -------
    Confidence
        (rho, z): z = |mu_a - mu_b| / sqrt(sigma_a^2 + sigma_b^2) and rho = Phi(z), 0.95 at z = 1.645. If both standard
        deviations are 0: (0.5, 0) for equal estimates, else (1, inf).

    Raises
    ------
    InvalidInput
        type, not_finite; range: a negative standard deviation; overflow: a z-score outside the range of doubles.

    Notes
    -----
    Section 2.5 of arXiv:2510.04265; assumes normal and independent estimates. For outcomes on shared questions use
    :func:`compare`.

    Examples
    --------
    >>> from scorio import sinf
    >>> rho, z = sinf.ranking_confidence(0.62, 0.01, 0.60, 0.008)
    >>> round(rho, 4), round(z, 4)
    (0.9408, 1.5617)
    """
    a, b = arguments.real(mu_a, "mu_a"), arguments.real(mu_b, "mu_b")
    s = arguments.within(sigma_a, "sigma_a", 0.0, arguments.LARGEST_DOUBLE)
    t = arguments.within(sigma_b, "sigma_b", 0.0, arguments.LARGEST_DOUBLE)
    if s == 0.0 and t == 0.0:
        return Confidence(0.5, 0.0) if a == b else Confidence(1.0, float("inf"))
    z = div(sub(ext(max(a, b)), ext(min(a, b))), standard_error(s, t))
    return Confidence(value(normal_cdf(z)), _finite(value(z), "mu_a", "the z-score of mu_a"))


def _finite(x: float, name: str, what: str) -> float:
    """Check that a result, described by `what`, is finite; name: the argument to blame."""
    if not isfinite(x):
        raise InvalidInput("overflow", name, f"{what} is beyond the largest double")
    return x


def ci_from_mu_sigma(mu: float, sigma: float, confidence: float = 0.95, bounds: Bounds | None = None) -> Ends:
    """The normal interval mu -/+ z sigma.

    Parameters
    ----------
    mu : float
        Estimate.
    sigma : float >= 0
        Its standard deviation, in the same unit.
    confidence : float in (0, 1)
        Two-sided level.
    bounds : (lo, hi), optional
        Both ends are clipped to these.

    Returns
    -------
    Ends
        (lo, hi), in the unit of mu.

    Raises
    ------
    InvalidInput
        An argument is invalid; overflow: an end beyond the largest double.

    Notes
    -----
    The interval accounts for what mu and sigma account for: those of :func:`scorio.eval.bayes` rest on a uniform prior
    on every question. For a mean over questions use :func:`scorio.eval.mean_ci`.

    Examples
    --------
    >>> from scorio import sinf
    >>> lo, hi = sinf.ci_from_mu_sigma(0.7, 0.2, bounds=(0.0, 1.0))
    >>> round(lo, 6), hi
    (0.308007, 1.0)
    """
    mu, sigma = arguments.real(mu, "mu"), arguments.within(sigma, "sigma", 0.0, arguments.LARGEST_DOUBLE)
    z, (low, high) = normal_z(arguments.confidence(confidence)), arguments.bounds(bounds)
    d = mul(z, ext(sigma))
    lo, hi = clip(value(sub(ext(mu), d)), low, high), clip(value(add(ext(mu), d)), low, high)
    return Ends(_finite(lo, "mu", "an end around mu"), _finite(hi, "mu", "an end around mu"))


def should_stop(
    sigma: float, confidence: float = 0.95, *, max_ci_width: float | None = None, max_half_width: float | None = None
) -> bool:
    """Whether the interval mu -/+ z sigma is narrow enough.

    Parameters
    ----------
    sigma : float >= 0
        Standard deviation.
    confidence : float in (0, 1)
        Two-sided level.
    max_ci_width, max_half_width : float >= 0
        The largest width, or half width, in the unit of sigma; exactly one of the two.

    Returns
    -------
    bool

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: none or both of max_ci_width and max_half_width.

    Notes
    -----
    The sigma of :func:`scorio.eval.bayes` depends on the estimate, so that stopping at the first narrow interval biases
    rates near 0 or 1 outwards where questions are few (one question with rate 0.05: by a quarter). The level is for one
    look: coverage is lower at the first look that stops. For repeated looks at a difference: :func:`boundaries`.

    Examples
    --------
    >>> from scorio import sinf
    >>> sinf.should_stop(0.02, max_half_width=0.05), sinf.should_stop(0.02, max_ci_width=0.05)
    (True, False)
    """
    sigma = arguments.within(sigma, "sigma", 0.0, arguments.LARGEST_DOUBLE)
    z = normal_z(arguments.confidence(confidence))
    if (max_ci_width is None) == (max_half_width is None):
        raise InvalidInput("conflict", "max_ci_width", "give one of max_ci_width and max_half_width")
    name, target = ("max_ci_width", max_ci_width) if max_half_width is None else ("max_half_width", max_half_width)
    limit = arguments.within(target, name, 0.0, arguments.LARGEST_DOUBLE)
    half = mul(z, ext(sigma))
    slack: float = sub(ext(limit), half if max_ci_width is None else times_2_to(half, 1.0))[0]
    return slack >= 0.0


def _challengers(mus: Any, sigmas: Any, confidence: Any, method: Any) -> tuple[int, list[tuple[Triple, int]]]:
    """The index of the leader, and (distance from it, index) of each model that is not separated from it."""
    x = arguments.at_least_two(mus, "mus")
    s = arguments.standard_deviations(sigmas, "sigmas", len(x))
    confidence = arguments.confidence(confidence, 0.5)
    gap_between = gap_of(arguments.choice(method, "method", get_args(Separation)), confidence)
    leader = max(range(len(x)), key=lambda i: x[i])
    challengers = []
    for i in range(len(x)):
        estimates = (x[leader], s[leader], x[i], s[i])
        if i != leader and (x[i] == x[leader] or not separated(method, gap_between(*estimates))):
            challengers.append((_distance(method, gap_between, estimates), i))
    return leader, challengers


def _distance(method: str, gap_between: Any, estimates: tuple[float, float, float, float]) -> Triple:
    """The distance of two estimates: a z-score, or the gap between their intervals, negative if these overlap."""
    x, s, y, t = estimates
    if method == "ci_overlap":
        return gap_between(x, s, y, t)
    d = sub(ext(x), ext(y))
    return d if d[0] == 0.0 else div(d, standard_error(s, t))


def should_stop_top1(mus: Reals, sigmas: Reals, confidence: float = 0.95, method: Separation = "zscore") -> TopOne:
    """Whether one model is significantly better than every other model.

    Parameters
    ----------
    mus : array_like, shape (L,)
        Estimates of L >= 2 models.
    sigmas : array_like, shape (L,)
        Their standard deviations.
    confidence : float in (1/2, 1)
        Level of each comparison with the leader.
    method : {"zscore", "ci_overlap"}
        A model is not significantly worse than the leader if the z-score of their difference is below the one-sided
        critical value ("zscore"), or if their intervals overlap ("ci_overlap").

    Returns
    -------
    TopOne
        (stop, leader, ambiguous): leader is the model with the highest estimate (the first of equal ones), ambiguous
        are the others that are not significantly worse, and stop is whether there are none.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    Section 2.5 of arXiv:2510.04265. The level is that of each comparison by itself, not family-wise; and looking again
    after every batch of trials raises the false-positive rate; for repeated looks see :func:`boundaries`.

    Examples
    --------
    >>> from scorio import sinf
    >>> sinf.should_stop_top1([0.6, 0.9, 0.88], [0.02, 0.02, 0.02])
    TopOne(stop=False, leader=1, ambiguous=[2])
    """
    leader, challengers = _challengers(mus, sigmas, confidence, method)
    return TopOne(not challengers, leader, [i for _, i in challengers])


def suggest_next_allocation(
    mus: Reals, sigmas: Reals, confidence: float = 0.95, method: Separation = "zscore"
) -> list[int]:
    """The two models that most need more trials to find the best model.

    Parameters
    ----------
    mus, sigmas, confidence, method
        As in :func:`should_stop_top1`.

    Returns
    -------
    list of int
        [leader, closest challenger]; empty where :func:`should_stop_top1` says stop.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    Among equally close models the first one is chosen.

    Examples
    --------
    >>> from scorio import sinf
    >>> sinf.suggest_next_allocation([0.6, 0.9, 0.88, 0.87], [0.02, 0.02, 0.02, 0.05])
    [1, 3]
    """
    leader, challengers = _challengers(mus, sigmas, confidence, method)
    closest = None
    for distance, i in challengers:
        if closest is None or sub(distance, closest[0])[0] < 0.0:
            closest = distance, i
    return [] if closest is None else [leader, closest[1]]
