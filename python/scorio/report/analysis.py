"""What a report rests on: models in their order, every pair compared, and the sentences of the conclusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import io, sinf
from ..display.names import Names, short_names
from ..display.terms import SCOPE, SOURCES, alpha
from ..display.text import digits, number
from ..errors import InvalidInput
from ..inference.multiplicity import holm_doubles, level_of_next
from ..io import Log
from ..leaderboard.rows import Row
from ..leaderboard.sentences import first_place, significant
from ..leaderboard.suite import Board
from ..leaderboard.verdict import sample_size, verdict
from ..outcomes.counts import Counts
from ..plot.align import Lineup
from ..sinf.compare import Comparison
from ..sinf.suite import SuitePair

Pairs = dict[tuple[int, int], Comparison | SuitePair | str]


TIGHT, ROOM = 20, 40  # columns of a name: what all share is left out above the first, what remains is cut at the second


class Asked(NamedTuple):
    """What the page is to report."""

    questions: str
    confidence: float
    weights: Sequence[float] | None
    replicates: int
    seed: int
    link: str = ""

    @property
    def form(self) -> str:
        """How a score is written."""
        return digits(self.weights)


class Results(NamedTuple):
    """Models from best to worst, and every pair: the comparison of the first with the second, or why there is none.

    board: of several benchmarks, where rows and pairs are those of the macro-average.
    """

    logs: Mapping[str, Log]
    rows: list[Row]
    pairs: Pairs
    board: Board | None = None

    @property
    def names(self) -> list[str]:
        """From best to worst."""
        return [row.model for row in self.rows]

    @property
    def in_sentences(self) -> Names:
        """The same names, short enough for cards and tables."""
        tried = (short_names(self.names, room) for room in range(TIGHT, ROOM, 4))
        whole = (x for x in tried if not x.alike and not any("…" in name for name in x.short))
        return next(whole, None) or short_names(self.names, ROOM)

    @property
    def adjusted(self) -> dict[tuple[int, int], float]:
        """The p-values of the pairs that can be compared, adjusted for their number by Holm's method."""
        compared = {pair: x.p_value for pair, x in self.pairs.items() if not isinstance(x, str)}
        return dict(zip(compared, holm_doubles(list(compared.values())), strict=True))

    def planned(self, confidence: float) -> float:
        """The confidence at which a pair that is open would be significant in a ranking of so many pairs."""
        return 1.0 - level_of_next(list(self.adjusted.values()), 1.0 - confidence)

    def better(self, confidence: float) -> npt.NDArray[np.bool_]:
        """better[i, j]: model i is significantly better than model j."""
        return (self.p() <= 1.0 - confidence) & (self.P() > 0.5)  # NaN is not

    def p(self) -> npt.NDArray[np.float64]:
        """The same as a symmetric matrix; NaN where models cannot be compared."""
        out = np.full((len(self.rows),) * 2, np.nan)
        for (i, j), x in self.adjusted.items():
            out[i, j] = out[j, i] = x
        return out

    def P(self) -> npt.NDArray[np.float64]:
        """P[i, j]: P(i > j) under a flat prior; NaN where they cannot be compared."""
        out = np.full((len(self.rows),) * 2, np.nan)
        for (i, j), x in self.pairs.items():
            if not isinstance(x, str):
                out[i, j], out[j, i] = x.p_above, 1.0 - x.p_above
        return out


def pairs_of(aligned: Lineup, asked: Asked) -> Pairs:
    """Every pair, on the questions that both answered."""
    names = aligned.names
    given: dict[str, Any] = {"w": asked.weights, "questions": asked.questions, "confidence": asked.confidence}
    out: Pairs = {}
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            both = aligned.pair(i, j)
            given["clusters"] = aligned.pair_clusters(i, j) if asked.questions == "sampled" else None
            try:
                out[i, j] = "they share no question" if both is None else sinf.compare(*both, **given)
            except InvalidInput as e:  # no shared question with a trial of both, or a single one
                if e.argument != "A":
                    raise
                out[i, j] = str(e)
    return out


def pair_sentence(results: Results, i: int, j: int, asked: Asked) -> str:
    """About two models: which one is better, or the sample size that would show it."""
    a, b = (results.in_sentences.short[x] for x in (i, j))
    x = results.pairs[i, j]
    if not isinstance(x, Comparison):
        return f"{a} and {b} are not compared: {x}."
    A, B, clusters = shared_counts(results, i, j)
    given: dict[str, Any] = {"questions": asked.questions, "confidence": asked.confidence, "weights": asked.weights}
    given |= {"clusters": clusters, "planned": results.planned(asked.confidence)}
    if len(results.adjusted) > 1:  # one pair needs no adjustment
        given["adjusted"] = results.adjusted[i, j]
    return verdict(a, b, A, B, result=x, **given)


def shared_counts(results: Results, i: int, j: int) -> tuple[Counts, Counts, Any]:
    """Two models on the questions that both answered, and the clusters of these."""
    names = results.names
    shared = io.shared(results.logs, [names[i], names[j]])
    return shared[names[i]].counts, shared[names[j]].counts, io.clusters_of(shared)


def at_once(results: Results, i: int, j: int, asked: Asked) -> Comparison | SuitePair:
    """A pair, its interval so wide that those of all pairs cover at once."""
    known = results.pairs[i, j]
    if isinstance(known, SuitePair):
        return known
    confidence = 1.0 - (1.0 - asked.confidence) / max(1, len(results.adjusted))
    A, B, clusters = shared_counts(results, i, j)
    clusters = clusters if asked.questions == "sampled" else None
    return sinf.compare(A, B, w=asked.weights, questions=asked.questions, confidence=confidence, clusters=clusters)


def needed_for(results: Results, i: int, j: int, asked: Asked) -> tuple[int | None, int | None]:
    """Trials per question, or questions, that there are, and that would part two models with 80% power.

    At the level that Holm's method asks of them: at that of one comparison they would mostly remain not significant.
    """
    A, B, clusters = shared_counts(results, i, j)
    given: dict[str, Any] = {"confidence": results.planned(asked.confidence), "weights": asked.weights}
    clusters = clusters if asked.questions == "sampled" else None
    return sample_size(A, B, questions=asked.questions, clusters=clusters, **given)


def conclusions(results: Results, asked: Asked) -> list[str]:
    """The first paragraph."""
    P, p, best = results.P(), results.p(), results.rows[0].average
    tied = sum(row.average.mu == best.mu for row in results.rows)
    names = results.in_sentences.short
    out = first_place(names, best, P[0, 1:].tolist(), p[0, 1:].tolist(), asked.confidence, asked.weights, tied)
    first = range(1, len(results.rows))
    open_pairs = [j for j in first if p[0, j] == p[0, j] and not significant(p[0, j], asked.confidence)]
    if results.board is not None:
        open_pairs = []
    if open_pairs == [1]:
        place = next(i for i, x in enumerate(out) if "is not significantly different" in x)
        out[place] = pair_sentence(results, 0, 1, asked)
    elif open_pairs:
        out.append(pair_sentence(results, 0, open_pairs[0], asked))
    if len(results.rows) > 2:
        out.append(_how_many(results, asked))
    about = f"These statements are about {SCOPE[asked.questions]}: they account for {SOURCES[asked.questions]}"
    return [*out, about + (", not for which questions were sampled." if asked.questions == "fixed" else ".")]


def _how_many(results: Results, asked: Asked) -> str:
    """How many pairs of models differ significantly, and how many would by chance without the adjustment."""
    decided, rate = sum(significant(p, asked.confidence) for p in results.adjusted.values()), 1.0 - asked.confidence
    test = f"{alpha(asked.confidence)} level, family-wise over all pairs by Holm's method"
    return (
        f"Of {number(len(results.pairs), 'pair')} of models {decided:,} differ significantly ({test}). If all models "
        f"were equally good, about {rate * len(results.adjusted):.1f} would do so by chance without that adjustment."
    )
