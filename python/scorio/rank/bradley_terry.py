"""Ratings of models from battles between them, with intervals and rank ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from .. import arguments
from ..arithmetic.distributions import share
from ..arithmetic.double_double import ONE, Triple, add, div, exp, ext, log, mul, sub, value
from ..errors import InvalidInput
from ..inference.difference import Difference, is_significant, quantile
from ..inference.multiplicity import holm
from ..results import shown_as_table
from .battles.contrasts import CLUSTERS, Contrasts, units
from .battles.equal import Equality
from .battles.existence import components, determined, links
from .battles.fit import Cells, Fit
from .battles.likelihood import MODELS
from .battles.table import FIRST, TIE, Battles, Group, group, read

MOST_INTERVALS, MOST_RANKS = 300, 100  # models in a group; more would take minutes
MOST_ACROSS = 300  # pairs of models of different groups, for the same reason


@shown_as_table
class BattleRatings(NamedTuple):
    """Ratings of models from battles: lists with an entry for each model by name, and scalars for all of them.

    ``status``: "rated"; "unbeaten", "winless" or "between", where wins in one direction alone link a model with others,
    so that the likelihood has no maximum; "undetermined", where the position bias or the tie parameter has none.
    ``group``: models whose ratings can be compared, from 0 for the largest group. ``theta``: log strengths of mean 0 in
    a group. ``best`` and ``worst``: ranks among all models that the battles leave possible. ``bias``: the log of the
    factor by which being shown first multiplies the strength; ``tie``: the parameter of ties of Davidson (nu) or Rao
    and Kupper (kappa), both of the largest group. ``dropped``: battles without a verdict that were left out.
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
    """Checked battles, and how they are to be modelled."""

    battles: Battles
    ties: str
    biased: bool
    cluster: str | None


def parse_battle_request(battles: Any, ties: Any, position_bias: Any, both_bad: Any, cluster: Any) -> BattleRequest:
    """Check the arguments of a rating, and count its battles."""
    arguments.choice(ties, "ties", MODELS)
    biased = arguments.flag(position_bias, "position_bias")
    arguments.choice(both_bad, "both_bad", ("tie", "drop"))
    if cluster is not None:
        arguments.choice(cluster, "cluster", CLUSTERS)
    counted = read(battles, both_bad, biased)
    row = next(iter(counted.rows))
    for name in ("question", "voter"):
        if cluster in (name, "both") and getattr(row, name) is None:
            raise InvalidInput("missing", "battles", f"battles has no column {name}, which cluster = {cluster!r} needs")
    return BattleRequest(counted, ties, biased, cluster)


class FittedGroup:
    """A group of comparable models, with their fitted strengths where the likelihood has one maximum."""

    def __init__(self, request: BattleRequest, members: Sequence[int]) -> None:
        self.group: Group = group(members, request.battles.rows)
        self.request, cells = request, self.group.cells
        self.battles = sum(self.group.rows.values())
        tied = request.ties != "half" and any(n[TIE] for n in cells.values())
        self.exists = len(members) > 1 and determined(len(members), cells, request.biased, tied)
        exact = Cells.exact(list(cells), list(cells.values()))
        self.fit = Fit(len(members), exact, request.ties, request.biased) if self.exists else None

    def contrasts(self, which: Sequence[int] | None = None) -> Contrasts:
        """Contrasts between the models of the group, or between some of them."""
        assert self.fit is not None
        return Contrasts(self.fit, units(self.group, self.request.cluster, self.fit.model), which)


def fitted_groups_of(request: BattleRequest) -> list[FittedGroup]:
    """All groups of models, fitted; the largest by models first, then by battles, then by name."""
    linked = components(len(request.battles.models), links(request.battles.rows))
    fitted = [FittedGroup(request, members) for members in linked]
    return sorted(fitted, key=lambda x: (-len(x.group.members), -x.battles))


def bradley_terry(
    battles: Any,
    ties: str = "half",
    *,
    position_bias: bool = False,
    both_bad: str = "tie",
    cluster: str | None = None,
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
        optional columns ``count`` (battles that a row stands for, 1 to 1e12), ``weight`` (multiplies the log likelihood
        of each battle of a row, 1e-100 to 1e100), ``question`` and ``voter``. Or rows (model_a, model_b, winner).
    ties : {"half", "davidson", "rao_kupper"}
        A tie as half a win for each, or a model with a parameter for ties.
    position_bias : bool
        Also estimate the advantage of being shown first.
    both_bad : {"tie", "drop"}
        Whether a "tie (bothbad)" counts as a tie or is left out.
    cluster : {None, "question", "voter", "both"}
        The independent sampling units: single battles (None); all battles of a question, or of a voter; both, crossed.
    anchor : str
        The model that is rated init_rating, or "mean": each group has mean init_rating.
    scale, base : float
        A difference of scale points, in [1e-3, 1e6], means odds of base : 1, base in [1.25, 1e6].
    init_rating : float, at most 1e6 in size
        Rating of the anchor.
    confidence : float in (0, 1)
        Level of each interval, and of all rank ranges together.

    Returns
    -------
    BattleRatings

    Raises
    ------
    InvalidInput
        An argument is invalid; missing: a column that is needed; conflict: a battle of a model against itself.

    Notes
    -----
    P(i beats j) = p_i / (p_i + p_j), rating = init_rating + scale log(p_i) / log(base). Nothing is added to the
    likelihood: a model without a defeat has no rating, and others keep theirs. Intervals are those of a delete-one
    jackknife over the sampling units, with a t distribution; they do not require the model to be right. Ranks:
    Holm's adjustment over all pairs; those of different groups by :func:`score_test`, if ties are half wins, no
    position bias is estimated, and there are 300 such pairs at most. Intervals are given for up to 300 models in a
    group and rank ranges for up to 100; :func:`win_probability` gives any pair. Ratings say who wins against whom, not
    how good an answer is. Do not use them where models answer the same questions with a verifiable result: compare
    their scores. Bradley & Terry (1952);
    Ford (1957); Davidson (1970); Rao & Kupper (1967).

    Examples
    --------
    >>> from scorio import rank
    >>> rows = [("a", "b", "model_a")] * 7 + [("a", "b", "tie")] + [("b", "a", "model_a")] * 2
    >>> r = rank.bradley_terry(rows)
    >>> r.models, [round(x) for x in r.rating], r.best, r.worst
    (['a', 'b'], [1095, 905], [1, 1], [2, 2])
    """
    request = parse_battle_request(battles, ties, position_bias, both_bad, cluster)
    points = Points(request.battles, anchor, scale, base, init_rating)
    confidence = arguments.confidence(confidence)
    fitted_groups = fitted_groups_of(request)
    L = len(request.battles.models)
    out = _blank(request.battles)
    pairs: list[tuple[int, int, Triple]] = []
    for g, fitted in enumerate(fitted_groups):
        members = fitted.group.members
        for i in members:
            out["group"][i], out["status"][i] = g, _status(fitted, i)
        if fitted.fit is not None:
            contrasts = fitted.contrasts() if len(members) <= MOST_INTERVALS else None
            _rate(out, fitted, contrasts, points, confidence)
            if g == 0:
                out |= _bias_and_ties(fitted.fit, contrasts, confidence)
            if contrasts and len(members) <= MOST_RANKS:
                pairs += _pairs(contrasts, members)
    if max(len(fitted.group.members) for fitted in fitted_groups) <= MOST_RANKS:
        pairs += _pairs_across_groups(request, fitted_groups)
        out["best"], out["worst"] = _ranges(L, pairs, confidence)
    return BattleRatings(**out)


class Points:
    """The scale of ratings: converts log strengths to points."""

    def __init__(self, battles: Battles, anchor: Any, scale: Any, base: Any, init_rating: Any) -> None:
        self.anchor = None if isinstance(anchor, str) and anchor == "mean" else battles.place(anchor, "anchor")
        scale, base = arguments.within(scale, "scale", 1e-3, 1e6), arguments.within(base, "base", 1.25, 1e6)
        self.unit: Triple = div(ext(scale), log(ext(base)))
        self.middle = ext(arguments.within(init_rating, "init_rating", -1e6, 1e6))

    def rating(self, theta: Triple) -> float:
        """The rating of a log strength above the anchor's."""
        return value(add(self.middle, mul(self.unit, theta))) + 0.0


def _blank(battles: Battles) -> dict[str, Any]:
    """The fields of a result, each None until it is known."""
    L = len(battles.models)
    lists = {name: [None] * L for name in ("status", "group", "theta", "rating", "lo", "hi")}
    single = dict.fromkeys(("best", "worst", "bias", "bias_lo", "bias_hi", "tie", "tie_lo", "tie_hi"))
    return {"models": battles.models, **lists, **single, "dropped": battles.dropped}


def _status(fitted: FittedGroup, i: int) -> str:
    """The status of a model: rated, or the reason why it has no rating."""
    if len(fitted.group.members) > 1:
        return "rated" if fitted.exists else "undetermined"
    results = {(row.outcome == FIRST) == (row.i == i) for row in fitted.request.battles.rows if i in (row.i, row.j)}
    return "between" if len(results) > 1 else "unbeaten" if True in results else "winless"


def _rate(
    out: dict[str, Any], fitted: FittedGroup, contrasts: Contrasts | None, points: Points, confidence: float
) -> None:
    """Fill in the ratings of a group and their intervals."""
    fit, members = fitted.fit, fitted.group.members
    assert fit is not None
    anchor = members.index(points.anchor) if points.anchor in members else None
    for k, i in enumerate(members):
        out["theta"][i] = value(fit.theta[k]) + 0.0
        out["rating"][i] = points.rating(fit.theta[k] if anchor is None else fit.above(k, anchor))
    if contrasts is None:
        return
    others = [k for k in range(len(members)) if k != anchor]
    against = contrasts.mean if anchor is None else anchor
    for k, d in zip(others, contrasts.differences(others, [against] * len(others)), strict=True):
        ends = interval_ends(d, confidence)
        if ends:
            out["lo"][members[k]], out["hi"][members[k]] = (points.rating(x) for x in ends)
    if anchor is not None:
        out["lo"][points.anchor] = out["hi"][points.anchor] = out["rating"][points.anchor]


def interval_ends(d: Difference | None, confidence: float) -> tuple[Triple, Triple] | None:
    """The ends of the interval of a contrast; None where its variance is unknown."""
    if d is None:
        return None
    half_width = mul(quantile(share(confidence, 2), d.freedom), d.standard_error)
    return sub(d.D, half_width), add(d.D, half_width)


def _bias_and_ties(fit: Fit, contrasts: Contrasts | None, confidence: float) -> dict[str, float]:
    """Position bias and tie parameter with their intervals, where the model has them."""
    out: dict[str, float] = {}
    if fit.biased:
        out["bias"] = value(fit.advantage) + 0.0
        ends = interval_ends(_against_zero(contrasts, fit.size), confidence)
        if ends:
            out["bias_lo"], out["bias_hi"] = (value(x) + 0.0 for x in ends)
    if fit.model:
        out["tie"] = value(fit.tie)
        ends = interval_ends(_against_zero(contrasts, fit.size + 1), confidence) if fit.tied else None
        if ends:
            out["tie_lo"], out["tie_hi"] = (value(exp(x)) for x in ends)
    return out


def _against_zero(contrasts: Contrasts | None, which: int) -> Difference | None:
    return contrasts.differences([which], [contrasts.nothing])[0] if contrasts else None


def _ranges(L: int, pairs: Sequence[tuple[int, int, Triple]], confidence: float) -> tuple[list[int], list[int]]:
    """Best and worst rank of each model, by Holm's rule over all pairs."""
    p = holm([p for _, _, p in pairs] + [ONE] * (L * (L - 1) // 2 - len(pairs)))
    best, worst = [1] * L, [L] * L
    for (up, down, _), x in zip(pairs, p, strict=False):
        if is_significant(x, confidence):
            best[down] += 1
            worst[up] -= 1
    return best, worst


def _pairs(contrasts: Contrasts, members: Sequence[int]) -> list[tuple[int, int, Triple]]:
    """Every pair of a group that can be compared: the index of the stronger, of the weaker, two-sided p."""
    both = list(combinations(range(len(members)), 2))
    differences = contrasts.differences([i for i, _ in both], [j for _, j in both])
    return [
        (*((members[i], members[j]) if d.D[0] > 0.0 else (members[j], members[i])), d.p_value())
        for (i, j), d in zip(both, differences, strict=True)
        if d is not None
    ]


def _pairs_across_groups(request: BattleRequest, fitted_groups: Sequence[FittedGroup]) -> list[tuple[int, int, Triple]]:
    """Every pair of models in different groups that wins link: the index of the likely stronger, of the other, p."""
    place = {i: g for g, fitted in enumerate(fitted_groups) for i in fitted.group.members}
    both = [(i, j) for i, j in combinations(sorted(place), 2) if place[i] != place[j]]
    if not both or len(both) > MOST_ACROSS or request.ties != "half" or request.biased:
        return []
    equality = Equality(request.battles, request.cluster)
    below = [equality.below(i) for i in range(len(place))]
    pairs = [(i, j) if j in below[i] else (j, i) for i, j in both if j in below[i] or i in below[j]]
    tests = [(i, j, equality.test(i, j)) for i, j in pairs]
    return [(i, j, d.p_value()) for i, j, d in tests if d is not None]
