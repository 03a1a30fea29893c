"""The range of ranks that a model may have, given the uncertainty of the scores."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import arguments
from ..arguments import Policy, Reals
from ..arithmetic.double_double import mul, neg, sub
from ..display.html import of_tuple
from ..errors import InvalidInput
from ..inference.difference import on_same, quantile
from ..inference.estimate import NO_DIFFERENCE, ask
from ..outcomes.checks import answered, enough_trials
from ..outcomes.models import check_labels, counted, named, split
from ..outcomes.tally import Models


class Range(NamedTuple):
    """The best and the worst rank that a model may have."""

    best: int
    worst: int

    def _repr_html_(self) -> str:
        return of_tuple(self)


def ranges(
    models: Models,
    metric: str = "mean",
    k: int | None = None,
    tau: float | None = None,
    w: Reals | None = None,
    *,
    questions: str,
    confidence: float = 0.95,
    joint: bool = False,
    law: str | None = "beta",
    missing: Policy = "raise",
) -> Any:
    """Rank ranges by a metric: 1 + the number of significantly better models to L - that of significantly worse ones.

    Parameters
    ----------
    models : array_like, shape (L, M, N), or mapping
        Outcomes of L >= 2 models on the same M questions; a mapping of model to anything R may be.
    metric, k, tau, w, law
        As in :func:`scorio.eval.interval`.
    questions : {"fixed", "sampled"}
        Ranks on this question set, or over the population of similar questions.
    confidence : float in (1/2, 1)
        One-sided level of every comparison.
    joint : bool
        Make each comparison at 1 - (1 - confidence)/(L - 1), so that all ranges together cover the true ranks with
        about this confidence (measured for 95%: 97% and more, but 91% to 94% where three to ten models are all nearly
        equal).
    missing : {"raise", "drop"} or int
        Policy for absent outcomes. A pair is compared on the questions that both answered.

    Returns
    -------
    list or dict of Range
        (best, worst) for each model.

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: models with different numbers of questions, or a pair with a single question in
        common where questions are the sampling units; range: k above the trials of a question.

    Notes
    -----
    Defined in spec/README.md, "two models". Unlike ties between neighbours, ranges do not chain.

    Examples
    --------
    >>> from scorio import rank
    >>> R = {"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9, "c": [[0, 0, 1, 0]] * 9}
    >>> rank.ranges(R, questions="fixed")["b"]
    Range(best=2, worst=2)
    >>> rank.ranges(R, "pass@k", 2, questions="fixed")["b"]
    Range(best=1, worst=2)
    """
    confidence = arguments.confidence(confidence, 0.5)
    asked = ask(metric, k, tau, w, questions, law)
    joint = arguments.flag(joint, "joint")
    found = counted(models, w, missing, "models")
    check_labels(split(models, "models").items, "models")
    for i, x in enumerate(found.items):
        enough_trials(x, asked.m.k, f"model {found.label(i)}", NO_DIFFERENCE, answered=True)
    L = len(found.items)
    better, worse = [0] * L, [0] * L
    complete = all(x.fewest for x in found.items)  # then no pair leaves a question out
    own = [asked.side(x) if complete else None for x in found.items]
    for i in range(L):
        for j in range(i):
            try:
                (A, B), _ = answered("models", found.items[i], found.items[j])
            except InvalidInput as e:
                pair = " and ".join(found.label(x) for x in (j, i))
                raise e.of(f"models {pair}") from None
            p, q = (own[x] or asked.side(kept) for x, kept in ((i, A), (j, B)))
            d = on_same(p, q, asked.sampled, "models")
            margin = mul(quantile(d.freedom, confidence, L - 1 if joint else 1), d.deviation)
            up = d.D[0] > 0.0
            if sub(d.D if up else neg(d.D), margin)[0] > 0.0:
                better[j if up else i] += 1
                worse[i if up else j] += 1
    return named(found.names, [Range(1 + b, L - x) for b, x in zip(better, worse, strict=True)])
