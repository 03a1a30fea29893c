"""Boundaries for several looks at growing data, with one error rate over all looks."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import arguments
from ..arguments import Reals
from ..arithmetic.distributions import error_rate
from ..arithmetic.double_double import Triple
from ..errors import InvalidInput, shown
from ..inference import decision
from ..inference.decision import MAX_PAIRS, MIN_LOOK_STEP, SPENDING, crossing, level_of_look
from ..results import Spending, shown_as_table

CONFIDENCE = (0.5, 1.0 - 1e-12)  # over several looks: from 1/2 on, 1 - confidence is exact; the least level is 1e-12


@shown_as_table
class Boundaries(NamedTuple):
    """The |Z| that stops at each look, its two-sided p-value in a single look, and the error rate spent so far."""

    z: list[float]
    p: list[float]
    spent: list[float]


@shown_as_table
class EValue(NamedTuple):
    """Evidence against equality at any time: the e-value, the p-value, and the |Z| that stops at this time."""

    e: float
    p: float
    z_stop: float


@shown_as_table
class PairEValue(NamedTuple):
    """Evidence of single-trial pairs against equality: the e-value and the p-value."""

    e: float
    p: float


def boundaries(fractions: Any, confidence: float = 0.95, spending: Spending = "obrien-fleming") -> Boundaries:
    """The |Z| at which each of several planned looks may stop.

    Parameters
    ----------
    fractions : array_like, shape (K,)
        Fraction of the planned information at each look, increasing by 1/256 or more, the last at most 1: for a mean
        on fixed questions trials / planned trials, for sampled questions questions / planned questions; in general the
        variance expected at the end over the variance at the look.
    confidence : float in [1/2, 1 - 1e-12]
        Level of all looks together: alpha = 1 - confidence is their two-sided error rate.
    spending : {"obrien-fleming", "pocock"}
        How alpha is shared out: almost all of it late, so that the last look loses little power; or evenly, so that
        large differences stop early.

    Returns
    -------
    Boundaries
        (z, p, spent), a value each look: stop if |Z| >= z, that is, if the p-value of that look is at most p. A look at
        which less than 1e-300 may be spent has z = 37.5.

    Raises
    ------
    InvalidInput
        An argument is invalid; order: fractions that do not increase; range: steps below 1/256, fractions
        above 1.

    Notes
    -----
    spec/families/looks.md: Lan and DeMets (1983), the recursion of Armitage, McPherson and Rowe (1969). Under equality
    the probability that any look stops is at most alpha, if Z is normal; Z of a t-test is the normal quantile with the
    same two-sided p-value and sign. Neither the number nor the times of later looks change a boundary: look when you
    like, as long as the choice does not depend on the differences seen and the planned maximum is not changed. Relative
    errors are below 1e-13, those of p of later looks below 5e-13 where z is above 20.

    Examples
    --------
    >>> from scorio import sinf
    >>> [round(z, 4) for z in sinf.boundaries([0.25, 0.5, 0.75, 1.0]).z]
    [4.3326, 2.9631, 2.359, 2.0141]
    >>> [round(p, 4) for p in sinf.boundaries([0.5, 1.0], spending="pocock").p]
    [0.031, 0.0277]
    """
    alpha = 1.0 - arguments.within(confidence, "confidence", *CONFIDENCE)  # exact
    spending = arguments.choice(spending, "spending", SPENDING)
    return Boundaries(*crossing(information_fractions(fractions), alpha, spending))


def information_fractions(fractions: Any, name: str = "fractions") -> tuple[float, ...]:
    """The fractions of the information, checked: increasing, at most 1, in steps of at least 1/256."""
    f = arguments.vector(fractions, name)
    for j, (before, x) in enumerate(zip([0.0, *f], f, strict=False)):
        if j and x <= before:
            raise InvalidInput("order", name, f"{name}[{j}] = {x!r} is not above the one before, {before!r}")
        if x > 1.0 or x - before < MIN_LOOK_STEP:
            step = "less than 1/256 above the look before" if j else "below 1/256"
            why = "above 1" if x > 1.0 else step
            raise InvalidInput("range", name, f"{name}[{j}] = {x!r} is {why}")
    return tuple(f)


def one_sided_level(confidence: float, looks: Reals | None, spending: str) -> Triple:
    """The one-sided level of the last of these looks, or of a single test if there are no looks."""
    spending = arguments.choice(spending, "spending", SPENDING)
    if looks is None:
        return error_rate(confidence, 2)
    if not CONFIDENCE[0] <= confidence <= CONFIDENCE[1]:
        raise InvalidInput("range", "confidence", f"confidence = {confidence!r} is outside [0.5, 1 - 1e-12] for looks")
    return level_of_look(information_fractions(looks, "looks"), 1.0 - confidence, spending)


def e_value(z: float, f: float, confidence: float = 0.95) -> EValue:
    """Evidence that two models differ, valid whenever one looks and however often.

    Parameters
    ----------
    z : float
        The difference divided by its standard error; for a t-test, the normal quantile with the same
        two-sided p-value and sign.
    f : float > 0
        Information so far divided by the information at which a decision is expected: trials / expected trials for a
        mean on fixed questions. It may pass 1. The evidence is strongest near 1.
    confidence : float in [1/2, 1 - 1e-12]
        Level of all looks together: alpha = 1 - confidence is their two-sided error rate.

    Returns
    -------
    EValue
        (e, p, z_stop): stop and call the models different once e reaches 1/alpha, which is once abs(z) reaches z_stop;
        p = min(1, 1/e) is at most alpha then. e is inf above the largest double.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    spec/families/looks.md: the mixture of Robbins (1970) over normal differences of variance r, in units of the
    variance of the difference at f = 1, r = a + log(1 + a), a = 2 log(1/alpha). Under equality the probability that e
    ever reaches 1/alpha is at most alpha, if z is normal, or is that of a t-test with at least two trials per question.
    f must not depend on the differences seen. An e-value needs no planned maximum, but costs power: if there is a
    planned maximum, :func:`boundaries` decides sooner.

    Examples
    --------
    >>> from scorio import sinf
    >>> e, p, z_stop = sinf.e_value(3.0, 1.0)
    >>> round(e, 4), round(p, 4), round(z_stop, 4)
    (18.1992, 0.0549, 3.0352)
    """
    z, f = arguments.real(z, "z"), arguments.real(f, "f")
    if f <= 0.0:
        raise InvalidInput("range", "f", f"f = {shown(f)} is not positive")
    return EValue(*decision.e_value(z, f, 1.0 - arguments.within(confidence, "confidence", *CONFIDENCE)))


def pair_e_value(wins: int, losses: int) -> PairEValue:
    """Evidence from questions that one of two models solved and the other did not, one trial each: exact at any time.

    Parameters
    ----------
    wins, losses : int >= 0
        Questions that only the first model solved, and that only the second did; 10 million in all at most.

    Returns
    -------
    PairEValue
        (e, p): stop and call the models different once e reaches 1/alpha, whenever that is; p = min(1, 1/e). e is inf
        above the largest double.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    e = 2^n / ((n + 1) C(n, wins)), n = wins + losses: the uniform mixture over the probability that a question
    which one model alone solved is a win, against 1/2. For independent questions its error rate is exact, with no
    normal approximation; for several trials per question use :func:`e_value`.

    Examples
    --------
    >>> from scorio import sinf
    >>> e, p = sinf.pair_e_value(9, 1)
    >>> round(e, 4), round(p, 4)
    (9.3091, 0.1074)
    """
    a, b = (arguments.integer(x, n, 0, MAX_PAIRS) for x, n in ((wins, "wins"), (losses, "losses")))
    if a + b > MAX_PAIRS:
        raise InvalidInput("range", "losses", f"wins + losses = {a + b} is above {MAX_PAIRS}")
    return PairEValue(*decision.pair_e_value(a, b))
