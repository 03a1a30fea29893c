"""Battles of two models: the probability that one wins, and a test of whether one is stronger."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import arguments
from ..arithmetic.double_double import ONE, Triple, add, div, exp, neg, value
from ..errors import InvalidInput
from ..results import BattleClusters, BattleTies, BothBad, shown_as_table
from .battles.equal import Equality
from .bradley_terry import BattleRequest, FittedGroup, fitted_groups_of, interval_ends, parse_battle_request


@shown_as_table
class WinProbability(NamedTuple):
    """P(a beats b) with its interval, and the difference of log strengths that it is computed from."""

    p: float
    lo: float | None
    hi: float | None
    theta: float
    sigma: float | None
    df: float | None
    p_value: float | None


def win_probability(
    battles: Any,
    a: str,
    b: str,
    ties: BattleTies = "half",
    *,
    position_bias: bool = False,
    both_bad: BothBad = "tie",
    cluster: BattleClusters | None = None,
    confidence: float = 0.95,
) -> WinProbability:
    """The probability that one model beats another in a battle that cannot be a tie, without position bias.

    Parameters
    ----------
    battles, ties, position_bias, both_bad, cluster
        As in :func:`bradley_terry`.
    a, b : str
        Two models of one group: chains of wins or ties lead from each to the other.
    confidence : float in (0, 1)
        Level of the interval.

    Returns
    -------
    WinProbability
        (p, lo, hi, theta, sigma, df, p_value): p = 1 / (1 + e^-theta), theta the difference of log strengths, sigma its
        standard error, df the degrees of freedom of its t distribution, p_value two-sided for p = 1/2. All but p and
        theta are None below half a degree of freedom, where (nearly) a single sampling unit decides the difference.

    Raises
    ------
    InvalidInput
        As :func:`bradley_terry`; choice: a or b is not a model; conflict: a is b; undefined: the battles leave the
        difference without a finite value.

    Notes
    -----
    lo and hi are the ends of the interval of theta, as probabilities. With ties as half wins, p is the expected score.
    Use this for one planned comparison; for many pairs see the rank ranges of :func:`bradley_terry`.

    Examples
    --------
    >>> from scorio import rank
    >>> rows = [("a", "b", "model_a")] * 7 + [("a", "b", "tie")] + [("b", "a", "model_a")] * 2
    >>> r = rank.win_probability(rows, "a", "b")
    >>> round(r.p, 3), round(r.theta, 4), round(r.df, 3)
    (0.75, 1.0986, 9.0)
    """
    confidence = arguments.confidence(confidence)
    fitted, i, j = fitted_pair(parse_battle_request(battles, ties, position_bias, both_bad, cluster), a, b)
    assert fitted.fit is not None
    D = fitted.fit.log_ratio(i, j)
    (d,) = fitted.contrasts((i, j)).differences([i], [j])
    p, theta = logistic(D), value(D) + 0.0
    ends = interval_ends(d, confidence)
    if d is None or ends is None:
        return WinProbability(p, None, None, theta, None, None, None)
    lo, hi = (logistic(x) for x in ends)
    return WinProbability(p, lo, hi, theta, value(d.standard_error), value(d.freedom), value(d.p_value()))


@shown_as_table
class ScoreTest(NamedTuple):
    """A test that two models are equally strong; all fields are None below half a degree of freedom."""

    t: float | None
    df: float | None
    p_value: float | None


def score_test(
    battles: Any, a: str, b: str, *, both_bad: BothBad = "tie", cluster: BattleClusters | None = None
) -> ScoreTest:
    """Score test of whether one model is stronger than another; also valid for models without a joint rating.

    Parameters
    ----------
    battles, both_bad, cluster
        As in :func:`bradley_terry`; ties are half wins, and who was shown first does not matter.
    a, b : str
        Two models, from one of which a chain of wins or ties leads to the other, directly or through other models.

    Returns
    -------
    ScoreTest
        (t, df, p_value): t > 0 favours a; df its degrees of freedom; p_value one-sided, the probability of this t
        or a larger one if a is not stronger. All are None below half a degree of freedom, where (nearly)
        a single sampling unit decides the test.

    Raises
    ------
    InvalidInput
        As :func:`win_probability`, but undefined: no chain of wins or ties leads from either model to the other.

    Notes
    -----
    The strengths are those that make the battles most likely if a and b are equally strong, so that an unbeaten
    model needs no rating. t is the score of their difference, divided by the root of the sum of the squared scores of
    the sampling units (battles, or clusters of them; crossed clusters combine three such sums). Use this for one
    planned comparison; where both models are rated, :func:`win_probability` also says by how much one is stronger.
    Rao (1948); Boos (1992) on robust score tests.

    Examples
    --------
    >>> from scorio import rank
    >>> rows = [("a", "b", "model_a")] * 4 + [("a", "c", "model_a")] * 3
    >>> rows += [("b", "c", "model_a")] * 5 + [("b", "c", "tie")] * 2 + [("c", "b", "model_a")] * 3
    >>> r = rank.score_test(rows, "a", "b")
    >>> round(r.t, 3), round(r.df, 2), round(r.p_value, 3)
    (2.59, 6.44, 0.019)
    """
    request = parse_battle_request(battles, "half", position_bias=False, both_bad=both_bad, cluster=cluster)
    i, j = pair_indices(request, a, b)
    equality = Equality(request.battles, request.cluster)
    if j not in equality.reachable_from(i) and i not in equality.reachable_from(j):
        raise InvalidInput("undefined", "b", f"no chain of wins or ties connects {a!r} and {b!r}")
    d = equality.test(i, j)
    if d is None:
        return ScoreTest(None, None, None)
    return ScoreTest(value(d.D), value(d.freedom), value(d.reversed_difference().p_above()))


def logistic(theta: Triple) -> float:
    """The logistic function 1 / (1 + e^-theta)."""
    return value(div(ONE, add(ONE, exp(neg(theta)))))


def fitted_pair(request: BattleRequest, a: Any, b: Any) -> tuple[FittedGroup, int, int]:
    """The fitted group of two models, and their indices in it."""
    i, j = pair_indices(request, a, b)
    for fitted in fitted_groups_of(request):
        if i in fitted.group.members:
            if j in fitted.group.members and fitted.exists:
                return fitted, fitted.group.members.index(i), fitted.group.members.index(j)
            break
    raise InvalidInput("undefined", "b", f"the battles leave the difference of {a!r} and {b!r} without a finite value")


def pair_indices(request: BattleRequest, a: Any, b: Any) -> tuple[int, int]:
    """The indices of two different models among all models."""
    i, j = request.battles.index_of(a, "a"), request.battles.index_of(b, "b")
    if i == j:
        raise InvalidInput("conflict", "b", f"a and b are both {a!r}")
    return i, j
