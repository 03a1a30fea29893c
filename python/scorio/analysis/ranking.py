"""Models of a ranking that do not differ significantly, and the sample size that would separate two of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ..inference.multiplicity import level_of_next
from ..io.evaluation import EvaluationData
from ..sinf.suite import SuitePair
from .compare import restrict_to_shared
from .measure import Request
from .sample_size import POWER, SampleSize, sample_size

Pair = tuple[str, str]


def pairs_in_order(pairs: Iterable[SuitePair], order: Sequence[str]) -> dict[Pair, SuitePair]:
    """Pairs by their models, the better-ranked model first."""
    rank = {model: i for i, model in enumerate(order)}
    ordered = {}
    for pair in pairs:
        if rank[pair.a] > rank[pair.b]:
            pair = pair._replace(a=pair.b, b=pair.a, mu=-pair.mu, lo=-pair.hi, hi=-pair.lo, p_above=1.0 - pair.p_above)
        ordered[pair.a, pair.b] = pair
    return ordered


def groups_without_difference(order: Sequence[str], pairs: Mapping[Pair, SuitePair]) -> list[range]:
    """Maximal groups of three or more consecutive models of a ranking in which no two differ significantly.

    A group is a range of positions in ``order``, from 0. Groups may overlap: two models that do not differ
    significantly from a third may differ from each other. A pair that was not compared counts as not different.
    """

    def differ(i: int, j: int) -> bool:
        x = pairs.get((order[i], order[j]))
        return x is not None and x.significant

    groups: list[range] = []
    stop = 0
    for start in range(len(order)):
        last_stop, stop = stop, max(stop, start + 1)
        while stop < len(order) and not any(differ(i, stop) for i in range(start, stop)):
            stop += 1
        if stop > last_stop and stop - start > 2:
            groups.append(range(start, stop))
    return groups


def not_significant(order: Sequence[str], pairs: Mapping[Pair, SuitePair]) -> list[Pair]:
    """Pairs without a significant difference: the first model with the others, then neighbours in the ranking."""
    candidates = dict.fromkeys([*((order[0], x) for x in order[1:]), *pairwise(order)])
    return [x for x in candidates if x in pairs and not pairs[x].significant]


def sample_sizes(
    e: EvaluationData, chosen: Collection[Pair], pairs: Mapping[Pair, SuitePair], request: Request
) -> dict[Pair, SampleSize]:
    """Sample size for each chosen pair, at the level at which Holm's method would call one more pair significant."""
    confidence = 1.0 - level_of_next([x.p_adjusted for x in pairs.values()], 1.0 - request.confidence)
    out = {}
    for (a, b), x in ((pair, pairs[pair]) for pair in chosen):
        data = e if len(e.benchmarks) > 1 else restrict_to_shared(e, a, b, "fixed")[0]
        out[a, b] = sample_size(data, a, b, replace(request, confidence=confidence), x.mu, x.sigma, POWER, bound=False)
    return out
