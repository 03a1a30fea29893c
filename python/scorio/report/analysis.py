"""What a report rests on: models in their order, every pair of them compared, and the sentences of the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import io, sinf
from ..display.text import digits, name_of, number
from ..errors import InvalidInput
from ..io import Log
from ..leaderboard.rows import Row
from ..leaderboard.sentences import apart, first_place
from ..leaderboard.verdict import verdict
from ..plot.align import lineup
from ..sinf.compare import Comparison

Pairs = dict[tuple[int, int], Comparison | str]


class Asked(NamedTuple):
    """What the page is to say."""

    questions: str
    confidence: float
    weights: Sequence[float] | None
    replicates: int
    seed: int

    @property
    def form(self) -> str:
        """How a score is written."""
        return digits(self.weights)


class Found(NamedTuple):
    """Models from best to worst, and every pair: the first of the two against the second, or why not."""

    logs: Mapping[str, Log]
    rows: list[Row]
    pairs: Pairs

    @property
    def names(self) -> list[str]:
        """From best to worst."""
        return [row.model for row in self.rows]

    def P(self) -> npt.NDArray[np.float64]:
        """How sure it is that one is ahead of the other; NaN where they cannot be compared."""
        out = np.full((len(self.rows),) * 2, np.nan)
        for (i, j), x in self.pairs.items():
            if isinstance(x, Comparison):
                out[i, j], out[j, i] = x.p_above, 1.0 - x.p_above
        return out


def pairs_of(logs: Mapping[str, Log], names: Sequence[str], asked: Asked) -> Pairs:
    """Every pair, on the questions that both answered."""
    found = lineup({name: logs[name] for name in names}, asked.weights)
    level = 2 * asked.confidence - 1  # at which an interval leaves out 0 just where the two are told apart
    given: dict[str, Any] = {"w": asked.weights, "questions": asked.questions, "confidence": level}
    out: Pairs = {}
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            both = found.pair(i, j)
            try:
                out[i, j] = "they share no question" if both is None else sinf.compare(*both, **given)
            except InvalidInput as e:  # no shared question with a trial of both, or a single one
                if e.argument != "A":
                    raise
                out[i, j] = str(e)
    return out


def pair_sentence(found: Found, i: int, j: int, asked: Asked) -> str:
    """About two models, and what would part them."""
    a, b = (found.names[x] for x in (i, j))
    x = found.pairs[i, j]
    if not isinstance(x, Comparison):
        return f"{name_of(a)} and {name_of(b)} are not compared: {x}."
    shared = io.shared(found.logs, [a, b])
    A, B = (shared[name].counts for name in (a, b))
    given: dict[str, Any] = {"questions": asked.questions, "confidence": asked.confidence, "weights": asked.weights}
    return verdict(a, b, A, B, found=x, **given)


def decision(found: Found, asked: Asked) -> list[str]:
    """The first paragraph."""
    P, best = found.P(), found.rows[0].average
    tied = sum(row.average.mu == best.mu for row in found.rows)
    out = first_place(found.names, best, P[0, 1:].tolist(), asked.confidence, asked.weights, tied)
    near = [j for j in range(1, len(found.rows)) if P[0, j] == P[0, j] and not apart(P[0, j], asked.confidence)]
    if near == [1]:
        said = next(i for i, x in enumerate(out) if "cannot be told apart" in x)
        out[said] = pair_sentence(found, 0, 1, asked)
    elif near:
        out.append(pair_sentence(found, 0, near[0], asked))
    if len(found.rows) > 2:
        decided = sum(isinstance(x, Comparison) and apart(x.p_above, asked.confidence) for x in found.pairs.values())
        pairs = f"{number(len(found.pairs), 'pair')} of models"
        out.append(f"Of all {pairs} {decided:,} are told apart." if decided else f"None of the {pairs} is told apart.")
    if asked.questions == "fixed":
        return [*out, "All this is about these questions: the luck of which questions were asked is not in it."]
    return [*out, "All this is about questions like these: the luck of which questions were asked is in it."]
