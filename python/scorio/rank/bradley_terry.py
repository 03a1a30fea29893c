"""Ratings of models from battles between them, with intervals and rank ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple, get_args

from .. import arguments
from ..arithmetic.distributions import error_rate
from ..arithmetic.double_double import ONE, Triple, add, div, exp, ext, log, mul, sub, value
from ..errors import InvalidInput
from ..inference.difference import Difference, is_significant, quantile
from ..inference.pairs import holm
from ..results import BattleClusters, BattleTies, BothBad, shown_as_table
from .battles.contrasts import CLUSTERS, Contrasts, Equality, units
from .battles.fit import Cells, Fit
from .battles.likelihood import MODELS
from .battles.table import FIRST, TIE, Battles, Group, components, count_battles, group, has_unique_maximum, links

MOST_INTERVALS, MOST_RANKS = 300, 100  # models in a group; more would take minutes
MOST_ACROSS = 300  # pairs of models of different groups; more would take minutes


@shown_as_table
class BattleRatings(NamedTuple):
    """Ratings of models from battles: lists in the order of the models' names, and scalars.

    ``status``: "rated"; "unbeaten", "winless" or "between", where wins and ties link a model with others in one
    direction only, so that the likelihood has no maximum; "undetermined", where the position bias or the tie parameter
    has no estimate. ``group``: number of the model's group, from 0 for the largest; only ratings of one group can be
    compared. ``theta``: log strengths of mean 0 in a group. ``rating``, ``lo``, ``hi``: ratings in points, and the ends
    of their intervals. ``best`` and ``worst``: the best and the worst rank, among all models, that the battles
    do not rule out. ``bias``: the log of the factor by which being shown first multiplies the strength; ``tie``: the
    parameter of ties of Davidson (nu) or Rao and Kupper (kappa). Both are those of the largest group, with their
    intervals. ``dropped``: number of battles with "tie (bothbad)" that were left out. None: not estimated, or not
    computed because a group has too many models.
    """

    models: list[str]
    status: list[str]
    group: list[int]
    theta: list[float | None]
    rating: list[float | None]
    lo: list[float | None]
    hi: list[float | None]
    best: list[int] | None
    worst: list[int] | None
    bias: float | None
    bias_lo: float | None
    bias_hi: float | None
    tie: float | None
    tie_lo: float | None
    tie_hi: float | None
    dropped: int


class BattleRequest(NamedTuple):
    """Checked battles, and the options of their model."""

    battles: Battles
    ties: str
    biased: bool
    cluster: str | None


def parse_battle_request(battles: Any, ties: Any, position_bias: Any, both_bad: Any, cluster: Any) -> BattleRequest:
    """Check the arguments of a function of battles, and count the battles."""
    arguments.choice(ties, "ties", MODELS)
    biased = arguments.flag(position_bias, "position_bias")
    arguments.choice(both_bad, "both_bad", get_args(BothBad))
    if cluster is not None:
        arguments.choice(cluster, "cluster", CLUSTERS)
    table = count_battles(battles, both_bad, biased)
    row = next(iter(table.rows))  # each column is complete, so that one row shows which columns there are
    for name in ("question", "voter"):
        if cluster in (name, "both") and getattr(row, name) is None:
            raise InvalidInput("missing", "battles", f"battles has no column {name}, which cluster = {cluster!r} needs")
    return BattleRequest(table, ties, biased, cluster)


class FittedGroup:
    """A group of comparable models, with their fitted strengths where the likelihood has a unique maximum."""

    def __init__(self, request: BattleRequest, members: Sequence[int]) -> None:
        self.group: Group = group(members, request.battles.rows)
        self.request, cells = request, self.group.cells
        self.n_battles = sum(self.group.rows.values())
        tied = request.ties != "half" and any(n[TIE] for n in cells.values())
        self.exists = len(members) > 1 and has_unique_maximum(len(members), cells, request.biased, tied)
        exact = Cells.from_fractions(list(cells), list(cells.values()))
        self.fit = Fit(len(members), exact, request.ties, request.biased) if self.exists else None

    def contrasts(self, which: Sequence[int] | None = None) -> Contrasts:
        """Contrasts between the models of the group, or between some of them."""
        assert self.fit is not None
        return Contrasts(self.fit, units(self.group, self.request.cluster, self.fit.model), which)


def fitted_groups_of(request: BattleRequest) -> list[FittedGroup]:
    """All groups of models, fitted; sorted by the number of models, then of battles (largest first), then by name."""
    linked = components(len(request.battles.models), links(request.battles.rows))
    fitted = [FittedGroup(request, members) for members in linked]
    return sorted(fitted, key=lambda x: (-len(x.group.members), -x.n_battles))


def bradley_terry(
    battles: Any,
    ties: BattleTies = "half",
    *,
    position_bias: bool = False,
    both_bad: BothBad = "tie",
    cluster: BattleClusters | None = None,
    anchor: str = "mean",
    scale: float = 400.0,
    base: float = 10.0,
    init_rating: float = 1000.0,
    confidence: float = 0.95,
) -> BattleRatings:
    """Ratings of models from battles between two of them: the maximum of the Bradley-Terry likelihood.

    Parameters
    ----------
    battles : mapping, DataFrame or list
        Columns ``model_a`` (shown first), ``model_b`` and ``winner``: "model_a", "model_b", "tie" or "tie (bothbad)";
        optional columns ``count`` (number of battles of a row, 1 to 1e12), ``weight`` (multiplies the log likelihood
        of each battle of a row, 1e-100 to 1e100), ``question`` and ``voter``. Or rows (model_a, model_b, winner).
    ties : {"half", "davidson", "rao_kupper"}
        "half": a tie is half a win for each model. Otherwise the likelihood has a parameter for ties (Davidson; Rao and
        Kupper).
    position_bias : bool
        Also estimate the advantage of being shown first.
    both_bad : {"tie", "drop"}
        Whether a "tie (bothbad)" counts as a tie or is left out.
    cluster : {None, "question", "voter", "both"}
        The independent sampling units: single battles (None); questions; voters; or both, as crossed clusters.
    anchor : str
        The model whose rating is init_rating, or "mean". In a group without this model the mean rating is init_rating.
    scale, base : float
        A difference of scale points, in [1e-3, 1e6], means odds of base : 1, base in [1.25, 1e6].
    init_rating : float, at most 1e6 in size
        Rating of the anchor, or mean rating of a group.
    confidence : float in (0, 1)
        Level of each interval, and of all rank ranges together.

    Returns
    -------
    BattleRatings
        Lists with an entry for each model, in the order of the names, and the parameters of bias and ties.

    Raises
    ------
    InvalidInput
        An argument is invalid; missing: a column that is needed; conflict: a battle of a model against itself.

    Notes
    -----
    P(i beats j) = p_i / (p_i + p_j) in a battle that cannot be a tie, without position bias; rating = init_rating +
    scale log(p_i) / log(base). No prior is added to the likelihood: a model without a tie that never lost, or never
    won, has no rating, and its battles do not change other ratings. Intervals are those of a delete-one jackknife over
    the sampling units, with a t distribution; they do not require the model to be right. Rank ranges use Holm's
    adjustment over all pairs. Pairs of models in different groups are compared by :func:`score_test`, if ties are half
    wins, no position bias is estimated, and there are at most 300 of these pairs. Intervals are given for up to 300
    models in a group and rank ranges for up to 100; :func:`win_probability` gives the interval of any pair of a group.
    All levels are for one look at the battles: equal models differed at one of 11 looks in 10% of runs (nominal 5%).
    Ratings say who wins against whom, not how good an answer is. Do not use them where models answer the same questions
    with a verifiable result: compare their scores.
    Bradley & Terry (1952); Ford (1957); Davidson (1970); Rao & Kupper (1967).

    Examples
    --------
    >>> from scorio import rank
    >>> rows = [("a", "b", "model_a")] * 7 + [("a", "b", "tie")] + [("b", "a", "model_a")] * 2
    >>> r = rank.bradley_terry(rows)
    >>> r.models, [round(x) for x in r.rating], r.best, r.worst
    (['a', 'b'], [1095, 905], [1, 1], [2, 2])
    """
    request = parse_battle_request(battles, ties, position_bias, both_bad, cluster)
    rating_scale = RatingScale(request.battles, anchor, scale, base, init_rating)
    confidence = arguments.confidence(confidence)
    fitted_groups = fitted_groups_of(request)
    L = len(request.battles.models)
    out = _empty_fields(request.battles)
    pairs: list[tuple[int, int, Triple]] = []
    for g, fitted in enumerate(fitted_groups):
        members = fitted.group.members
        for i in members:
            out["group"][i], out["status"][i] = g, _status(fitted, i)
        if fitted.fit is not None:
            contrasts = fitted.contrasts() if len(members) <= MOST_INTERVALS else None
            _write_ratings(out, fitted, contrasts, rating_scale, confidence)
            if g == 0:
                out |= _bias_and_ties(fitted.fit, contrasts, confidence)
            if contrasts and len(members) <= MOST_RANKS:
                pairs += _tested_pairs(contrasts, members)
    if max(len(fitted.group.members) for fitted in fitted_groups) <= MOST_RANKS:
        pairs += _tested_across_groups(request, fitted_groups)
        out["best"], out["worst"] = _ranges(L, pairs, confidence)
    return BattleRatings(**out)


class RatingScale:
    """The scale of ratings: converts log strengths to points."""

    def __init__(self, battles: Battles, anchor: Any, scale: Any, base: Any, init_rating: Any) -> None:
        self.anchor = None if isinstance(anchor, str) and anchor == "mean" else battles.index_of(anchor, "anchor")
        scale, base = arguments.within(scale, "scale", 1e-3, 1e6), arguments.within(base, "base", 1.25, 1e6)
        self.unit: Triple = div(ext(scale), log(ext(base)))
        self.init_rating = ext(arguments.within(init_rating, "init_rating", -1e6, 1e6))

    def rating(self, theta: Triple) -> float:
        """The rating in points; theta: the log strength relative to the anchor or the mean."""
        return value(add(self.init_rating, mul(self.unit, theta))) + 0.0


def _empty_fields(battles: Battles) -> dict[str, Any]:
    """The fields of a result, with None in place of every estimate."""
    L = len(battles.models)
    lists = {name: [None] * L for name in ("status", "group", "theta", "rating", "lo", "hi")}
    others = dict.fromkeys(("best", "worst", "bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi"))
    return {"models": battles.models, **lists, **others, "dropped": battles.dropped}


def _status(fitted: FittedGroup, i: int) -> str:
    """The status of a model: rated, or the reason why it has no rating."""
    if len(fitted.group.members) > 1:
        return "rated" if fitted.exists else "undetermined"
    # whether i won each of its battles; none is a tie, which would link it with the other model
    results = {(row.outcome == FIRST) == (row.i == i) for row in fitted.request.battles.rows if i in (row.i, row.j)}
    return "between" if len(results) > 1 else "unbeaten" if True in results else "winless"


def _write_ratings(
    out: dict[str, Any], fitted: FittedGroup, contrasts: Contrasts | None, rating_scale: RatingScale, confidence: float
) -> None:
    """Write the ratings of a group, and their intervals, to out."""
    fit, members = fitted.fit, fitted.group.members
    assert fit is not None
    anchor = members.index(rating_scale.anchor) if rating_scale.anchor in members else None
    for k, i in enumerate(members):
        out["theta"][i] = value(fit.theta[k]) + 0.0
        out["rating"][i] = rating_scale.rating(fit.theta[k] if anchor is None else fit.log_ratio(k, anchor))
    if contrasts is None:
        return
    rated = [k for k in range(len(members)) if k != anchor]
    reference = contrasts.mean_index if anchor is None else anchor
    for k, d in zip(rated, contrasts.differences(rated, [reference] * len(rated)), strict=True):
        ends = interval_ends(d, confidence)
        if ends:
            out["lo"][members[k]], out["hi"][members[k]] = (rating_scale.rating(x) for x in ends)
    if anchor is not None:
        out["lo"][rating_scale.anchor] = out["hi"][rating_scale.anchor] = out["rating"][rating_scale.anchor]


def interval_ends(d: Difference | None, confidence: float) -> tuple[Triple, Triple] | None:
    """The ends of the interval of a contrast; None where its variance is unknown."""
    if d is None:
        return None
    half_width = mul(quantile(error_rate(confidence, 2), d.freedom), d.standard_error)
    return sub(d.D, half_width), add(d.D, half_width)


def _bias_and_ties(fit: Fit, contrasts: Contrasts | None, confidence: float) -> dict[str, float]:
    """Position bias and tie parameter with their intervals, where the model has them."""
    out: dict[str, float] = {}
    if fit.biased:
        out["bias"] = value(fit.advantage) + 0.0
        ends = interval_ends(_single_contrast(contrasts, fit.size), confidence)
        if ends:
            out["bias_lo"], out["bias_hi"] = (value(x) + 0.0 for x in ends)
    if fit.model:
        out["tie"] = value(fit.tie)
        ends = interval_ends(_single_contrast(contrasts, fit.size + 1), confidence) if fit.tied else None
        if ends:
            out["tie_lo"], out["tie_hi"] = (value(exp(x)) for x in ends)
    return out


def _single_contrast(contrasts: Contrasts | None, which: int) -> Difference | None:
    """The contrast of one parameter with 0."""
    return contrasts.differences([which], [contrasts.zero_index])[0] if contrasts else None


def _ranges(L: int, pairs: Sequence[tuple[int, int, Triple]], confidence: float) -> tuple[list[int], list[int]]:
    """Best and worst rank of each model, by Holm's rule over all pairs."""
    p = holm([p for _, _, p in pairs] + [ONE] * (L * (L - 1) // 2 - len(pairs)))
    best, worst = [1] * L, [L] * L
    for (stronger, weaker, _), x in zip(pairs, p, strict=False):
        if is_significant(x, confidence):
            best[weaker] += 1
            worst[stronger] -= 1
    return best, worst


def _tested_pairs(contrasts: Contrasts, members: Sequence[int]) -> list[tuple[int, int, Triple]]:
    """Pairs of a group with a known variance: (index of the stronger, index of the weaker, two-sided p-value)."""
    pairs = list(combinations(range(len(members)), 2))
    differences = contrasts.differences([i for i, _ in pairs], [j for _, j in pairs])
    return [
        (*((members[i], members[j]) if d.D[0] > 0.0 else (members[j], members[i])), d.p_value())
        for (i, j), d in zip(pairs, differences, strict=True)
        if d is not None
    ]


def _tested_across_groups(
    request: BattleRequest, fitted_groups: Sequence[FittedGroup]
) -> list[tuple[int, int, Triple]]:
    """All pairs of models in different groups that wins or ties link, in the form of _tested_pairs().

    No pair if there are too many, or if ties are not half wins or a position bias is estimated.
    """
    group_of = {i: g for g, fitted in enumerate(fitted_groups) for i in fitted.group.members}
    candidates = [(i, j) for i, j in combinations(sorted(group_of), 2) if group_of[i] != group_of[j]]
    if not candidates or len(candidates) > MOST_ACROSS or request.ties != "half" or request.biased:
        return []
    equality = Equality(request.battles, request.cluster)
    reachable = [equality.reachable_from(i) for i in range(len(group_of))]
    pairs = [(i, j) if j in reachable[i] else (j, i) for i, j in candidates if j in reachable[i] or i in reachable[j]]
    tests = [(i, j, equality.test(i, j)) for i, j in pairs]
    return [(i, j, d.p_value()) for i, j, d in tests if d is not None]
