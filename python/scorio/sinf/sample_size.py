"""Sample sizes: how many trials or questions a target needs, if the variance is as estimated; exact integers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from .. import arguments
from ..arguments import Policy, Reals
from ..arithmetic.distributions import normal_z
from ..arithmetic.rational import Ratio
from ..errors import InvalidInput
from ..inference import mean
from ..inference.difference import spread_known
from ..inference.estimate import ask, pair
from ..inference.mean import difference, spread
from ..outcomes.checks import answered
from ..outcomes.counts import Counts
from ..outcomes.models import check_flat
from ..outcomes.tally import Outcomes, count


class Target(NamedTuple):
    """Checked arguments: counts of one model or two, scores U / span, and the rule."""

    a: Counts
    b: Counts | None
    U: list[int]
    span: int
    z: Fraction  # of a pair
    width: Fraction  # half width on the scale of U / span
    z_width: Fraction


def trials_needed(
    R: Outcomes,
    R_b: Outcomes | None = None,
    w: Reals | None = None,
    *,
    half_width: float | None = None,
    z: float = 1.645,
    confidence: float = 0.95,
    missing: Policy = "raise",
) -> int | None:
    """Trials per question to detect the difference of two models, or for a narrow interval on this question set.

    Parameters
    ----------
    R : array_like, shape (M, N), or Counts
        Outcomes so far.
    R_b : array_like, shape (M, N'), or Counts, optional
        Outcomes of another model on the same questions: the observed difference must be z standard errors.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    half_width : float > 0, optional
        Instead of R_b: half the width of ``mean_ci(questions="fixed")``, in units of w.
    z : float in (0, 100]
        How many standard errors the difference must be: the normal quantile of the test plus that of the power. The
        default 1.645 is a one-sided test at the 5% level with 50% power; for 80% power use 1.645 + 0.842 = 2.486.
    confidence : float in (0, 1)
        Nominal coverage of the interval.
    missing : {"raise", "drop"} or int
        Policy for absent outcomes. Questions without a trial on any side are left out.

    Returns
    -------
    int or None
        Trials per question in total, not in addition to the present ones. None where the two means are equal.

    Raises
    ------
    InvalidInput
        An argument is invalid; conflict: none or both of R_b and half_width.

    Notes
    -----
    The variance is V(N) = (A/N + 1/N^2) / M^2, with A the sum over questions of the variance of one trial (of both
    models); the standard error falls like 1/sqrt(N). With one trial per question A is an upper bound. The sample size
    rests on the observed difference, which is itself an estimate (at 1 standard error the answer may be off five-fold):
    plan again when more data are there.

    For this question set only more trials help. For the population of similar questions, a call to the model that is
    spent on a new question is worth at least as much as another trial of an old one: V M N = N between + within, for
    M N calls, is least at N = 1 (:func:`questions_needed`).

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> sinf.trials_needed(A, B), sinf.trials_needed(A, half_width=0.1)
    (6, 22)
    """
    t = _target(R, R_b, w, half_width, z, confidence, missing)
    p = mean.average(t.a, t.U, t.span)
    M, each = p.M, mean.single_trials(p, t.span)
    if t.b is None:
        V = lambda N: (each / N + Fraction(1, N * N)) / (M * M)  # noqa: E731
        return _until_narrow(t, p.theta, lambda N: N * M, V)
    q = mean.average(t.b, t.U, t.span)
    each += mean.single_trials(q, t.span)
    return _until_detected(t, difference(p, q), lambda N: (each / N + Fraction(1, N * N)) / (M * M))


def questions_needed(
    R: Outcomes,
    R_b: Outcomes | None = None,
    w: Reals | None = None,
    *,
    half_width: float | None = None,
    z: float = 1.645,
    confidence: float = 0.95,
    missing: Policy = "raise",
) -> int | None:
    """Questions to detect the difference of two models, or for a narrow interval, at the present trials per question.

    Parameters
    ----------
    R, R_b, w, z, confidence, missing
        As in :func:`trials_needed`.
    half_width : float > 0, optional
        Instead of R_b: half the width of ``mean_ci(questions="sampled")``, in units of w.

    Returns
    -------
    int or None
        Questions in total, sampled like the present ones. None where the two means are equal.

    Raises
    ------
    InvalidInput
        As :func:`trials_needed`; shape: a single question, from which the variance between questions is unknown.

    Notes
    -----
    The variance is V(Q) = (Q S + 1/12) / Q^2 (1/3 for a pair), with S the variance between questions, that of their
    trials included; the standard error falls like 1/sqrt(Q). More trials per question lower S only by their own part.

    A call to the model that is spent on a new question is worth at least as much as another trial of an old one:
    V M N = N between + within, for M N calls, is least at N = 1. For this question set only trials help
    (:func:`trials_needed`).

    Examples
    --------
    >>> from scorio import sinf
    >>> A, B = [[1, 1, 0], [1, 0, 1], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [1, 1, 0]]
    >>> sinf.questions_needed(A, B), sinf.questions_needed(A, half_width=0.1)
    (3, 16)
    """
    t = _target(R, R_b, w, half_width, z, confidence, missing)
    p = mean.average(t.a, t.U, t.span)
    spread_known(p.M, "R")
    if t.b is None:
        S = Fraction(*p.deviations) / p.M
        return _until_narrow(t, p.theta, lambda Q: Q, lambda Q: (Q * S + Fraction(1, 12)) / (Q * Q))
    D = difference(p, mean.average(t.b, t.U, t.span))
    S = spread(t.a, t.b, t.U, t.span, D) / (p.M - 1)
    return _until_detected(t, D, lambda Q: (Q * S + Fraction(1, 3)) / (Q * Q))


def _target(R: Any, R_b: Any, w: Any, half_width: Any, z: Any, confidence: Any, missing: Any) -> Target:
    confidence = arguments.confidence(confidence)
    z = arguments.real(z, "z")
    if not 0.0 < z <= 100.0:
        raise InvalidInput("range", "z", f"z = {z!r} is outside (0, 100]")
    if (R_b is None) == (half_width is None):
        raise InvalidInput("conflict", "half_width", "give one of R_b and half_width")
    h = 1.0 if half_width is None else arguments.real(half_width, "half_width")
    if h <= 0.0:
        raise InvalidInput("range", "half_width", f"half_width = {h!r} is not positive")
    asked = ask("mean", None, None, w, "fixed")
    scale = mean.scale(asked.m.w)
    if R_b is None:
        check_flat(R, "R")
        (a,), b = answered("R", count(R, asked.m.C, missing, w_given=asked.w_given))[0], None
    else:
        x = pair(asked, R, R_b, ("R", "R_b"), True, missing)
        a, b = x.a.counts, x.b.counts
    q, top = normal_z(confidence), Fraction(2) ** 256
    z_width = (Fraction(q[0]) + Fraction(q[1])) * top ** int(q[2])
    width = Fraction(h) * scale.unit / scale.span if any(scale.U) else Fraction(1)
    return Target(a, b, scale.U, scale.span, Fraction(z), width, z_width)


def _first(met: Callable[[int], bool]) -> int:
    """The smallest n >= 1 at which a rule is met that stays met."""
    high = 1
    while not met(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        n = (low + high) // 2
        low, high = (low, n) if met(n) else (n, high)
    return high


def _until_detected(t: Target, D: Fraction, V: Callable[[int], Fraction]) -> int | None:
    return None if D == 0 else _first(lambda n: t.z * t.z * V(n) <= D * D)


def _until_narrow(t: Target, theta: Ratio, n0: Callable[[int], int], V: Callable[[int], Fraction]) -> int:
    """Wilson's half width squared, (q theta (1 - theta) + q^2/4) / (1 + q)^2, q = z^2 / n_eff, at most width^2."""
    p = Fraction(*theta) * (1 - Fraction(*theta))

    def met(n: int) -> bool:
        q = t.z_width * t.z_width / max(Fraction(n0(n)), p / V(n))
        return q * p + q * q / 4 <= (t.width * (1 + q)) ** 2

    return _first(met)
