"""The ranks that a model may have, given the noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .. import checks, noise
from ..errors import InvalidInput
from ..exact import whole
from ..models import check_labels, counted, named
from ..numerics import mul, root, sub
from ..pairs import common, on_same, quantile, triple


class Range(NamedTuple):
    """The best and the worst rank that a model may have."""

    best: int
    worst: int


def ranges(
    models: Any,
    w: Any = None,
    *,
    questions: str,
    confidence: float = 0.95,
    joint: bool = False,
    missing: str | int = "raise",
) -> Any:
    """Rank ranges by mean score: from 1 + the number surely better to L - the number surely worse.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    w : array_like, shape (C+1,), optional
        Score of each category; default (0, 1).
    questions : {"fixed", "sampled"}
        Ranks on these questions, or on questions like these.
    confidence : float in (1/2, 1)
        One-sided level of every comparison.
    joint : bool
        Make each comparison at 1 - (1 - confidence)/(L - 1), so that all ranges hold together at about this level
        (measured for 0.95: 0.97 and more, but 0.91 to 0.94 where three to ten models are all nearly equal).
    missing : {"raise", "drop"} or int
        Policy for absent outcomes. A pair is compared on the questions that both have.

    Returns
    -------
    list or dict of Range
        (best, worst) for each model.

    Raises
    ------
    InvalidInput
        Anything wrong with the arguments; shape: models on other numbers of questions, or a pair with a single
        question in common where that is the unit.

    Notes
    -----
    spec/README.md, "two models". Unlike ties of neighbours, ranges do not chain.

    Examples
    --------
    >>> from scorio import rank
    >>> R = {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9, "c": [[0, 0, 1, 0]] * 9}
    >>> rank.ranges(R, questions="fixed")["b"]
    Range(best=2, worst=2)
    """
    confidence = checks.confidence(confidence, 0.5)
    sampled = checks.choice(questions, "questions", ("fixed", "sampled")) == "sampled"
    joint = checks.flag(joint, "joint")
    found = counted(models, w, missing, "models")
    check_labels(list(models.values() if isinstance(models, Mapping) else models), "models")
    U, span = noise.scale(whole(checks.weights(w))[0])
    L = len(found.items)
    better, worse = [0] * L, [0] * L
    complete = all(x.fewest for x in found.items)  # then no pair leaves a question out
    own = [noise.parts(x, U, span) if complete else None for x in found.items]
    for i in range(L):
        for j in range(i):
            try:
                A, B, _ = common(found.items[i], found.items[j], "models")
            except InvalidInput as e:
                pair = " and ".join(found.label(x) for x in (j, i))
                raise InvalidInput(e.code, e.argument, f"models {pair}: {e}") from None
            p, q = (own[x] or noise.parts(kept, U, span) for x, kept in ((i, A), (j, B)))
            d = on_same(A, B, U, span, sampled, "models", p, q)
            sure = mul(quantile(d.freedom, confidence, L - 1 if joint else 1), root(triple(d.V)))
            if sub(triple(abs(d.D)), sure)[0] > 0.0:
                up, down = (i, j) if d.D > 0 else (j, i)
                better[down] += 1
                worse[up] += 1
    return named(found.names, [Range(1 + b, L - x) for b, x in zip(better, worse, strict=True)])
