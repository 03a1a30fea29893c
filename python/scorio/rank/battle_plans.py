"""Two models in battles: the probability that one wins, a test; and plans: the next pair, and how many battles."""

from __future__ import annotations

from itertools import combinations
from math import ceil
from typing import Any, NamedTuple

from .. import arguments
from ..arithmetic.distributions import normal_z, one_sided_z
from ..arithmetic.double_double import ONE, Triple, add, div, exp, fraction, get, mul, neg, sub, value
from ..errors import InvalidInput
from ..results import BattleClusters, BattleTies, BothBad, shown_as_table
from .battles.contrasts import Equality, by_kind
from .battles.fit import Fit
from .battles.likelihood import cell_derivatives
from .battles.table import FIRST, MOST_BATTLES, SECOND, TIE, WINNERS, Battles, Row
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


EQUAL_REDUCTION = 2.0**-80  # relative; of pairs whose variance reductions differ by less, the first by name is chosen


def next_pair(
    battles: Any,
    ties: BattleTies = "half",
    *,
    position_bias: bool = False,
    both_bad: BothBad = "tie",
) -> list[str]:
    """The pair of models whose next battle most reduces the variance of the difference between the two best models.

    Only the largest group of comparable models is considered.

    Parameters
    ----------
    battles, ties, position_bias, both_bad
        As in :func:`bradley_terry`.

    Returns
    -------
    list of str
        The names of the two models.

    Raises
    ------
    InvalidInput
        As :func:`bradley_terry`; undefined: the largest group has no ratings.

    Notes
    -----
    One more battle of i and j, with curvature w, lowers the variance of the difference of the two best models by
    w (u_i - u_j)^2 / (1 + w R_ij): u_i is the covariance of this difference with the log strength of i, R_ij the
    variance of the difference of i and j. The pair is nearly always the two best themselves, and repeating this
    pair gives no information about the other models.

    Examples
    --------
    >>> from scorio import rank
    >>> rows = [("a", "b", "model_a"), ("b", "c", "model_a"), ("c", "a", "model_a"), ("a", "c", "model_a")]
    >>> rank.next_pair(rows)
    ['a', 'b']
    """
    request = parse_battle_request(battles, ties, position_bias, both_bad, None)
    fitted = fitted_groups_of(request)[0]
    if fitted.fit is None:
        raise InvalidInput("undefined", "battles", "the battles leave the ratings of the largest group undetermined")
    top = sorted(range(fitted.fit.size), key=lambda i: -fraction(fitted.fit.theta[i]))[:2]  # type: ignore[union-attr]
    U = fitted.contrasts().U
    best, pair = None, (0, 1)
    for i, j in combinations(range(fitted.fit.size), 2):
        # the decrease in the variance of the contrast of the two best from one more battle of i and j
        w, d = _battle_curvature(fitted.fit, i, j), _covariance(U, i, j, *top)
        x = div(mul(w, mul(d, d)), add(ONE, mul(w, _covariance(U, i, j, i, j))))
        if best is None or sub(x, mul(best, (1.0, EQUAL_REDUCTION, 0.0)))[0] > 0.0:  # by more than rounding
            best, pair = x, (i, j)
    return [request.battles.models[fitted.group.members[k]] for k in pair]


def _covariance(U: Any, i: int, j: int, a: int, b: int) -> Triple:
    """The covariance of the contrasts i - j and a - b under the fitted model."""
    return sub(sub(get(U[a], i), get(U[b], i)), sub(get(U[a], j), get(U[b], j)))


def _battle_curvature(fit: Fit, i: int, j: int) -> Triple:
    """The expected curvature of the log likelihood from one battle of i and j, without position bias."""
    a, b, zero = get(fit.p, i), get(fit.p, j), (0.0, 0.0, 0.0)
    first, tie, second = ONE, zero, zero
    if fit.model == 2:  # only in the model of Rao and Kupper does the curvature depend on the outcome
        first, second = div(a, add(a, mul(fit.tie, b))), div(b, add(b, mul(fit.tie, a)))
        tie = sub(sub(ONE, first), second)
    return cell_derivatives(fit.model, first, tie, second, a, b, fit.tie)[2]


def battles_needed(
    battles: Any,
    a: str,
    b: str,
    ties: BattleTies = "half",
    *,
    position_bias: bool = False,
    both_bad: BothBad = "tie",
    cluster: BattleClusters | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
) -> int | None:
    """The number of further battles of two models that detects their difference with a stated power.

    Parameters
    ----------
    battles, a, b, ties, position_bias, both_bad, cluster
        As in :func:`win_probability`.
    power : float in [1/2, 1)
        Probability that the difference will be significant, if the true difference equals the estimate.
    confidence : float in (0, 1)
        Level of the interval that will exclude 0.

    Returns
    -------
    int or None
        Battles of a against b, each shown first in half of them; 0 where the present ones are enough; None where a
        and b are equally strong, (nearly) a single sampling unit decides their difference, or more than 1e12 would be
        needed.

    Raises
    ------
    InvalidInput
        As :func:`win_probability`; range: power outside [1/2, 1).

    Notes
    -----
    n = ceil((V/V_m) (((z_alpha + z_power)/D)^2 - 1/V)/w), w the curvature of one battle (without position bias), V the
    variance of the difference D, V_m its variance under the fitted model; z_alpha and z_power are normal quantiles,
    two-sided for confidence and one-sided for power. D is itself uncertain, and so is n.

    Examples
    --------
    >>> from scorio import rank
    >>> rows = [("a", "b", "model_a")] * 7 + [("a", "b", "tie")] + [("b", "a", "model_a")] * 2
    >>> rank.battles_needed(rows, "a", "b")
    24
    """
    confidence, power = arguments.confidence(confidence), arguments.power(power)
    fitted, i, j = fitted_pair(parse_battle_request(battles, ties, position_bias, both_bad, cluster), a, b)
    assert fitted.fit is not None
    contrasts = fitted.contrasts((i, j))
    D, variance = fraction(fitted.fit.log_ratio(i, j)), contrasts.variances([i], [j])[0]
    if not D or contrasts.differences([i], [j])[0] is None:
        return None
    z = fraction(normal_z(confidence)) + fraction(one_sided_z(power))
    V, V_model = fraction(variance.V), fraction(variance.V_model)
    n = max(0, ceil(V / V_model * ((z / D) ** 2 - 1 / V) / fraction(_battle_curvature(fitted.fit, i, j))))
    return n if n <= MOST_BATTLES else None


@shown_as_table
class Influence(NamedTuple):
    """Battles whose removal makes another model first; entry k of each list describes one kind of battle.

    ``leader`` is first with all battles, ``successor`` without ``removed`` of them; ``successor`` is None and
    ``removed`` 0 where no such battles were found. ``count``: how many battles of the kind are removed.
    """

    leader: str
    successor: str | None
    removed: int
    model_a: list[str]
    model_b: list[str]
    winner: list[str]
    count: list[int]  # type: ignore[assignment]


def influence(battles: Any, *, both_bad: BothBad = "tie") -> Influence:
    """A small set of battles without which another model is first in the largest group.

    Parameters
    ----------
    battles, both_bad
        As in :func:`bradley_terry`; ties are half wins, and who was shown first does not matter.

    Returns
    -------
    Influence
        (leader, successor, removed, model_a, model_b, winner, count); each pair of models in the order of their names.

    Raises
    ------
    InvalidInput
        As :func:`bradley_terry`; undefined: the largest group has no ratings.

    Notes
    -----
    removed is an upper bound of the smallest number of such battles, confirmed by refitting without them; in 41 of 42
    small examples it was the smallest number. It measures how fragile first place is, which an interval does not: a
    few dozen of many thousand battles may decide it. It is not a test.

    Examples
    --------
    >>> from scorio import rank
    >>> rows = [("a", "b", "model_a")] * 7 + [("a", "b", "tie")] + [("b", "a", "model_a")] * 2
    >>> r = rank.influence(rows)
    >>> r.successor, r.removed, r.winner, r.count
    ('b', 6, ['model_a'], [6])
    """
    request = parse_battle_request(battles, "half", position_bias=False, both_bad=both_bad, cluster=None)
    fitted = fitted_groups_of(request)[0]
    if fitted.fit is None:
        raise InvalidInput("undefined", "battles", "the battles leave the ratings of the largest group undetermined")
    search = Search(request, fitted)
    removed = search.search_removals()
    names = request.battles.models
    rows = sorted(removed, key=lambda row: (row.i, row.j, row.outcome, row.weight))
    names_of_outcomes = {outcome: name for name, outcome in WINNERS.items()}
    return Influence(
        names[fitted.group.members[search.leader]],
        names[fitted.group.members[_strongest(search.fit_without(removed))]] if removed else None,  # type: ignore[arg-type]
        sum(removed.values()),
        [names[fitted.group.members[row.i]] for row in rows],
        [names[fitted.group.members[row.j]] for row in rows],
        [names_of_outcomes[row.outcome] for row in rows],
        [removed[row] for row in rows],
    )


def _strongest(fit: Fit) -> int:
    """The index of the strongest model, the first by name among equally strong ones."""
    return max(range(fit.size), key=lambda i: fraction(fit.theta[i]))


class Search:
    """Search for a small set of battles without which the leader is not first."""

    def __init__(self, request: BattleRequest, fitted: FittedGroup) -> None:
        self.request, self.size = request, len(fitted.group.members)
        assert fitted.fit is not None
        self.leader = _strongest(fitted.fit)
        self.rows = by_kind(fitted.group)
        self.irremovable: set[Row] = set()  # kinds of which not even one more battle can be removed

    def fit_without(self, removed: dict[Row, int]) -> Fit | None:
        """The fit without these battles; None where the remaining battles do not determine ratings of all models."""
        remaining = {
            row: n_battles - removed.get(row, 0)
            for row, n_battles in self.rows.items()
            if n_battles > removed.get(row, 0)
        }
        names = [str(k) for k in range(self.size)]
        largest = fitted_groups_of(self.request._replace(battles=Battles(names, remaining, 0)))[0]
        return largest.fit if len(largest.group.members) == self.size else None

    def overtaken(self, removed: dict[Row, int]) -> bool:
        """Whether another model is strictly first without these battles."""
        fit = self.fit_without(removed)
        return fit is not None and any(fit.log_ratio(i, self.leader)[0] > 0.0 for i in range(self.size))

    def search_removals(self) -> dict[Row, int]:
        """The battles to remove, by kind; {} if no such set was found.

        Remove the battles that _best_kind() chooses, refit, repeat; then put unneeded ones back.
        """
        removed: dict[Row, int] = {}
        while not self.overtaken(removed):
            kind, n_battles = self._best_kind(removed)
            if kind is None:
                return {}
            while n_battles and self.fit_without(removed | {kind: removed.get(kind, 0) + n_battles}) is None:
                n_battles //= 2
            if n_battles:
                removed[kind] = removed.get(kind, 0) + n_battles
            else:
                self.irremovable.add(kind)
        return self._put_back_surplus(removed)

    def _best_kind(self, removed: dict[Row, int]) -> tuple[Row | None, int]:
        """The kind of battle to remove next, and how many: half of those predicted for the closest rival, at least 1.

        The closest rival needs the fewest removals to lead. (None, 0) where no removal helps any rival.
        """
        fit = self.fit_without(removed)
        assert fit is not None
        U, best = fit.inverse_curvature(), None
        for rival in range(self.size):
            if rival != self.leader:
                prediction = self._predicted_removals(fit, U, rival, removed)
                if prediction and (best is None or prediction[0] < best[0]):
                    best = prediction
        return (None, 0) if best is None else (best[1], max(1, best[2] // 2))

    def _predicted_removals(self, fit: Fit, U: Any, rival: int, removed: dict[Row, int]) -> tuple[int, Row, int] | None:
        """Predicted removals for a rival to lead: the total, the kind of the largest effect, and how many of that kind.

        None where no removal helps the rival. Where removals do not suffice, the number of all battles is added to the
        total.
        """
        gap, total = fit.log_ratio(self.leader, rival), 0
        kinds = []
        for row, n_battles in self.rows.items():
            effect = self._effect(fit, U, row, rival)
            if n_battles > removed.get(row, 0) and row not in self.irremovable and effect[0] > 0.0:
                kinds.append((-fraction(effect), row[:4], row, effect, n_battles - removed.get(row, 0)))
        if not kinds:
            return None
        kinds.sort(key=lambda x: x[:2])
        n_of_best = 0
        for k, (_, _, _, effect, n_battles) in enumerate(kinds):
            take = min(n_battles, max(1, ceil(fraction(gap) / fraction(effect))))
            n_of_best, total = take if k == 0 else n_of_best, total + take
            gap = sub(gap, mul(effect, (float(take), 0.0, 0.0)))
            if gap[0] <= 0.0:
                return total, kinds[0][2], n_of_best
        return total + sum(self.rows.values()), kinds[0][2], n_of_best

    def _effect(self, fit: Fit, U: Any, row: Row, rival: int) -> Triple:
        """The approximate decrease of the leader's lead over a rival from the removal of one battle."""
        a, b, weight = get(fit.p, row.i), get(fit.p, row.j), (row.weight, 0.0, 0.0)
        derivatives = cell_derivatives(  # of one battle in model 0, where ties are half wins
            0, *(weight if o == row.outcome else (0.0, 0.0, 0.0) for o in (FIRST, TIE, SECOND)), a, b, ONE
        )
        divisor = sub(ONE, mul(derivatives[2], _covariance(U, row.i, row.j, row.i, row.j)))
        if divisor[0] <= 0.0:
            return (0.0, 0.0, 0.0)
        return div(mul(_covariance(U, row.i, row.j, self.leader, rival), derivatives[0]), divisor)

    def _put_back_surplus(self, removed: dict[Row, int]) -> dict[Row, int]:
        """Put battles back as long as another model stays first; kinds in the reverse order of their first removal."""
        for row in reversed(list(removed)):
            low, high = 0, removed[row]  # removing high is enough
            while low < high:
                middle = (low + high) // 2
                if self.overtaken(removed | {row: middle}):
                    high = middle
                else:
                    low = middle + 1
            removed[row] = high
        return {row: n_battles for row, n_battles in removed.items() if n_battles}
