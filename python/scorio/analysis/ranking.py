"""Models of a ranking that are not separated, and the sample size that would separate two of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ..inference.multiplicity import level_of_next
from ..io.evaluation import EvaluationData
from ..sinf.suite import SuitePair
from .compare import shared
from .measure import Request
from .sample_size import POWER, growth, needed_in

Pair = tuple[str, str]


@dataclass(frozen=True)
class Needed:
    """The sample size at which a difference of the observed size would be significant with 80% power.

    Attributes
    ----------
    now : int or None
        Trials per question (on these questions), or questions (on similar ones), that there are; None where these
        differ.
    total : int or None
        Trials per question, or questions, needed in all; None where averages are equal, and of several benchmarks.
    times : float or None
        How many times as much data every benchmark would need; None of a single one, and where averages are equal.
    """

    now: int | None
    total: int | None
    times: float | None


def in_order(pairs: Iterable[SuitePair], order: Sequence[str]) -> dict[Pair, SuitePair]:
    """Pairs by their models, the better-ranked model first."""
    place = {model: i for i, model in enumerate(order)}
    ordered = {}
    for pair in pairs:
        if place[pair.a] > place[pair.b]:
            pair = pair._replace(a=pair.b, b=pair.a, mu=-pair.mu, lo=-pair.hi, hi=-pair.lo, p_above=1.0 - pair.p_above)
        ordered[pair.a, pair.b] = pair
    return ordered


def runs_without_difference(order: Sequence[str], pairs: Mapping[Pair, SuitePair]) -> list[range]:
    """Runs of three models or more in a ranking, as long as possible, of which no two differ significantly.

    Runs may overlap: two models that do not differ significantly from a third may differ from each other.
    """

    def differ(i: int, j: int) -> bool:
        x = pairs.get((order[i], order[j]))
        return x is not None and x.significant

    runs: list[range] = []
    stop = 0
    for start in range(len(order)):
        last, stop = stop, max(stop, start + 1)
        while stop < len(order) and not any(differ(i, stop) for i in range(start, stop)):
            stop += 1
        if stop > last and stop - start > 2:
            runs.append(range(start, stop))
    return runs


def undecided(order: Sequence[str], pairs: Mapping[Pair, SuitePair]) -> list[Pair]:
    """Pairs that do not differ significantly: those of the first model, then neighbours in the ranking."""
    candidates = dict.fromkeys([*((order[0], x) for x in order[1:]), *pairwise(order)])
    return [x for x in candidates if x in pairs and not pairs[x].significant]


def needed(
    e: EvaluationData, of: Collection[Pair], pairs: Mapping[Pair, SuitePair], request: Request, power: float = POWER
) -> dict[Pair, Needed]:
    """The sample size for each of these pairs, at the level that Holm's method asks of one more difference."""
    alpha = level_of_next([x.p_adjusted for x in pairs.values()], 1.0 - request.confidence)
    if len(e.benchmarks) > 1:
        return {x: Needed(None, None, growth(pairs[x].mu, pairs[x].sigma, 1.0 - alpha, power)) for x in of}
    out = {}
    for a, b in of:
        target = replace(request, confidence=1.0 - alpha)
        out[a, b] = Needed(*needed_in(shared(e, a, b, "fixed")[0], a, b, target, power), None)
    return out
