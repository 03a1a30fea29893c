"""Numbers of trials or questions that detect a difference or make an interval narrow enough: exact integers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, SupportsIndex

from .. import arguments
from ..arguments import Labels, Missing, Reals
from ..arithmetic.distributions import normal_z, one_sided_z
from ..arithmetic.double_double import Ratio, fraction
from ..errors import InvalidInput
from ..inference.clusters import Units, mean_difference
from ..inference.difference import check_two_units
from ..inference.estimate import pair, parse_request, units_of
from ..inference.estimator import Estimator
from ..inference.planning import (
    Growth,
    critical_of_trials,
    question_variance,
    questions_to_detect,
    smallest,
    trials_to_detect,
    width_ratio,
)
from ..outcomes.checks import answered, check_trials, population
from ..outcomes.models import check_flat
from ..outcomes.tally import Outcomes, count
from ..results import MetricName, RateModel

UNKNOWN_VARIANCE = "the variance at more trials is not known"


class SizeRequest(NamedTuple):
    """Checked arguments: one model or two, the clusters of their questions, and the rule."""

    a: Estimator
    b: Estimator | None
    units: Units
    z_required: Fraction  # number of standard errors that the difference must amount to
    has_z: bool  # whether the caller gave z
    confidence: float
    z: Fraction  # two-sided normal quantile of confidence
    half_width: Fraction  # on the scale 0..1
    difference: Fraction | None  # on the scale 0..1; None: the observed one


def trials_needed(
    R: Outcomes,
    R_b: Outcomes | None = None,
    w: Reals | None = None,
    *,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    half_width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    z: float | None = None,
    confidence: float = 0.95,
    missing: Missing = "raise",
) -> int | None:
    """Trials per question that detect a difference with the stated power, or make the interval narrow enough.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes so far.
    R_b : array_like, shape (M, N'), or Counts, optional
        Outcomes of another model on the same questions: their difference is to be detected.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    metric, k, tau
        As in :func:`scorio.eval.interval`. Metrics of k trials need 2k trials of every question: only these determine
        the variance at another number of trials.
    half_width : float > 0, optional
        Instead of R_b: half the width of ``interval(questions="fixed")``, in units of w, if it takes the normal
        quantile; where few questions vary it takes that of t, and is wider.
    difference : float > 0, optional
        The difference to detect, in units of w. Default: the observed one.
    power : float in [1/2, 1)
        Probability that the two models are significantly different, if their difference is the one assumed.
    z : float in (0, 100], optional
        Instead of power and confidence: the number of standard errors that the difference must amount to.
    confidence : float in (0, 1)
        With R_b: 1 - confidence is the two-sided significance level. With half_width: coverage of the interval.
    missing : {"raise", "drop"} or int
        Missing outcomes are an error ("raise"), are left out ("drop"), or count as this category (int). Questions on
        which a model has no trial are left out.

    Returns
    -------
    int or None
        Trials per question in all: subtract those that you have. None where the difference is 0, which no number of
        trials detects.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: neither or both of R_b and half_width; range: fewer than 2k trials for a
        metric of k trials.

    Notes
    -----
    The variance over the trials falls like V(N) = (A/N + 1/N^2) / M^2 for the mean, A the sum over questions of the
    variance of one trial (of both models). With one trial per question A is an upper bound. The rule is
    |D| >= (t_(1 - alpha/2) + z_power) sqrt(V(N)), t with the degrees of freedom of the comparison of R and R_b. The
    answer is at least 2k (2 for the mean, 4 for the flip rate): with fewer trials the variance would not be measured
    but modelled, or an upper bound. An observed difference is itself uncertain (if it is off by one standard error,
    the answer may be off five-fold): state the difference that matters, or plan again as data come in. The variance is
    an estimate too: where blocks of k trials of R and R_b hardly vary (the number that succeed has a variance below 5)
    the power can be far below the stated one, in the worst case that is known 36% for 80%.

    For this question set only more trials help. For the mean over the population of similar questions a call to the
    model gains at least as much on a new question as on an old one (:func:`questions_needed`).

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> sinf.trials_needed(A, B), sinf.trials_needed(A, B, difference=0.1), sinf.trials_needed(A, half_width=0.1)
    (16, 170, 22)
    """
    request = parse_request(metric, k, tau, w, "fixed")
    size = _size_request(request, R, R_b, half_width, difference, power, z, confidence, None, missing)
    k, M, start = request.m.k, size.a.parts.M, 2 * request.m.k  # with fewer the variance would not be measured
    a, factor = Growth(size.a, "R"), size.a.joint_range(size.b or size.a) ** 2
    if size.b is None:
        theta = mean_difference(size.a, None)
        V = lambda N: (a.trials(N) + factor * a.step(N)) / (M * M)  # noqa: E731
        return _until_narrow(size, theta, lambda N: Fraction(N * M, k), V, start)
    b = Growth(size.b, "R_b")
    V = lambda N: (a.trials(N) + b.trials(N) + factor * a.step(N)) / (M * M)  # noqa: E731
    required = size.z_required
    if not size.has_z:
        required = required - size.z + critical_of_trials(size.a, size.b, size.confidence)  # t in the place of z
    return trials_to_detect(size.difference or mean_difference(size.a, size.b), required, V, start)


def questions_needed(
    R: Outcomes,
    R_b: Outcomes | None = None,
    w: Reals | None = None,
    *,
    metric: MetricName = "mean",
    k: SupportsIndex | None = None,
    tau: float | None = None,
    half_width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    z: float | None = None,
    confidence: float = 0.95,
    clusters: Labels | None = None,
    model: RateModel = "mixture",
    missing: Missing = "raise",
) -> int | None:
    """Questions, at the present trials of each, that detect a difference or make the interval narrow enough.

    Parameters
    ----------
    R, R_b, w, difference, power, z, confidence, missing
        As in :func:`trials_needed`.
    metric, k, tau, model
        As in :func:`scorio.eval.interval`.
    half_width : float > 0, optional
        Instead of R_b: half the width of ``interval(questions="sampled")``, in units of w, with the normal quantile;
        with that of t, which the interval takes, it is wider (by 4% with 30 questions).
    clusters : sequence of M labels, optional
        The cluster of each question. Further clusters are assumed to have the same sizes; the result counts questions.

    Returns
    -------
    int or None
        Questions in all. None where the difference is 0.

    Raises
    ------
    InvalidInput
        As :func:`trials_needed`, but k trials of a question are enough; shape: a single question, or a single cluster:
        the variance between them is unknown.

    Notes
    -----
    V(Q) = S / Q for a pair (S / Q + 1/(12 Q^2) for one model), S the variance between questions, including that over
    the trials. The rule is |D| >= (t_(1 - alpha/2) + z_power) sqrt(V(Q)), t with the Q - 1 degrees of freedom that
    :func:`compare` will have, and 2^(1 - Q) <= alpha, since the signs of fewer questions cannot be significant. More
    trials per question lower only the trial-to-trial part of S.

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> sinf.questions_needed(A, B), sinf.questions_needed(A, half_width=0.1)
    (6, 16)
    """
    request = parse_request(metric, k, tau, w, "sampled", model)
    size = _size_request(request, R, R_b, half_width, difference, power, z, confidence, clusters, missing)
    check_two_units(size.units.G, "R", "question" if size.units.labels is None else "cluster")
    D, x = question_variance(size.a, size.b, size.units)  # D: the difference, or the mean of a single model
    if size.b is None:
        part = Fraction(size.units.squared, size.units.M)  # the number of questions for each independent unit
        return _until_narrow(size, D, lambda Q: Q / part, lambda Q: (Q * x.S + part * part / 12) / (Q * Q))
    if size.has_z:
        return trials_to_detect(size.difference or D, size.z_required, lambda Q: x.S / Q, 1)
    return questions_to_detect(size.difference or D, size.z_required, size.confidence, x)


def _size_request(
    request: Any, R: Any, R_b: Any, half_width: Any, difference: Any, power: Any, z: Any, confidence: Any,
    clusters: Any, missing: Any,
) -> SizeRequest:  # fmt: skip
    """The checked arguments of trials_needed() or questions_needed()."""
    confidence = arguments.confidence(confidence)
    z_required = required_z(power, z, confidence)
    if (R_b is None) == (half_width is None):
        raise InvalidInput("conflict", "half_width", "give one of R_b and half_width")
    if R_b is None and difference is not None:
        raise InvalidInput("conflict", "difference", "a difference is between two models: it needs R_b")
    h, d = (_positive(x, name) for x, name in ((half_width, "half_width"), (difference, "difference")))
    low, high = (Fraction(f(request.m.w)) for f in (min, max))
    span = high - low
    if R_b is None:
        (a, units), b = _one_model(request, R, clusters, missing), None
    else:
        x = pair(request, R, R_b, ("R", "R_b"), paired=True, missing=missing, clusters=clusters)
        a, b, units = x.a, x.b, x.units
    half = Fraction(h or 1) / span if span else Fraction(1)
    assumed = Fraction(d) / span if d and span else None
    units = units or Units(a.parts.M)
    return SizeRequest(
        a, b, units, z_required, z is not None, confidence, fraction(normal_z(confidence)), half, assumed
    )


def _one_model(request: Any, R: Any, clusters: Any, missing: Any) -> tuple[Estimator, Units | None]:
    """The estimator of one model, and the clusters of its questions that have a trial."""
    check_flat(R, "R")
    counts = count(R, request.m.C, missing, has_scores=request.has_scores)
    labels = population(None, clusters, request.sampled, counts)[1]
    check_trials(counts, request.m.k, "R", UNKNOWN_VARIANCE, skip_empty=True, flips=request.m.flips)
    (with_trials,), dropped = answered("R", counts)
    return request.estimator(with_trials), units_of(labels, dropped)


def required_z(power: Any, z: Any, confidence: float) -> Fraction:
    """The number of standard errors that a difference must amount to."""
    power = arguments.power(power)
    if z is None:
        return fraction(normal_z(confidence)) + fraction(one_sided_z(power))
    z = arguments.real(z, "z")
    if not 0.0 < z <= 100.0:
        raise InvalidInput("range", "z", f"z = {z!r} is outside (0, 100]")
    return Fraction(z)


def _positive(x: Any, name: str) -> float | None:
    """Check that x is positive, or None; returns it as a double."""
    if x is None:
        return None
    value = arguments.real(x, name)
    if value <= 0.0:
        raise InvalidInput("range", name, f"{name} = {value!r} is not positive")
    return value


def _until_narrow(
    size: SizeRequest, theta: Fraction, n0: Callable[[int], Fraction], V: Callable[[int], Fraction], start: int = 1
) -> int:
    """Smallest n at which Wilson's half width for n_eff = max(n0(n), theta (1 - theta) / V(n)) is narrow enough."""
    p = theta * (1 - theta)

    def ratio(n: int) -> Ratio:
        n_eff = max(n0(n), p / V(n)) if p else n0(n)
        return width_ratio(size.half_width, p, size.z * size.z / n_eff)

    return smallest(ratio, start)
