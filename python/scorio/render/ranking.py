"""Sentences about a ranking: who is best, which models differ, what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..analysis.ranking import Pair
from ..analysis.report import Comparisons
from ..display.terms import ON, alpha, interval, p_value
from ..display.text import listed, number, score
from ..results import MetricInterval
from ..sinf.suite import SuitePair
from .verdicts import capital, next_step


def possibly_best(order: Sequence[str], x: Comparisons) -> list[str]:
    """Models that may be best: no other model is significantly better."""
    return [m for m in order if not any(x.is_better(other, m) for other in order)]


def first_place(
    order: Sequence[str], names: Mapping[str, str], average: MetricInterval, tied: int, x: Comparisons,
    confidence: float, form: str,
) -> list[str]:  # fmt: skip
    """Sentences on the model with the highest average, and on how the others compare with it.

    tied: how many models share the highest average.
    """
    mu, lo, hi = (score(y, form) for y in (average.mu, average.lo, average.hi))
    first, others = order[0], order[1:]
    if not others:
        return [f"{names[first]} scores {mu} ({interval(confidence)} {lo} to {hi}) on average."]
    of_all = f"the highest average of {number(len(order), 'model')}"
    subject, out = "It", [f"{names[first]} has {of_all}, {mu} ({interval(confidence)} {lo} to {hi})."]
    if tied > 1:
        subject, out = names[first], [f"{listed([names[m] for m in order[:tied]])} share {of_all}, {mu}."]
    worse = [m for m in others if x.is_better(first, m)]
    better = [m for m in others if x.is_better(m, first)]
    not_different = [m for m in others if (first, m) in x.pairs and m not in worse and m not in better]
    not_compared = [m for m in others if (first, m) not in x.pairs]
    if worse:
        every = "every other model" if worse == list(others) and len(worse) > 1 else listed([names[m] for m in worse])
        out.append(f"{subject} is significantly better than {every}.")
    if not_different:
        out.append(f"{subject} is not significantly different from {listed([names[m] for m in not_different])}.")
    if better:
        are = "is" if len(better) == 1 else "are"
        out.append(
            f"On the questions that both answered, {listed([names[m] for m in better])} {are} significantly better "
            f"than {names[first]}: averages over different questions cannot be compared."
        )
    if not_compared:
        if better:  # "It" would be the last model of the sentence before
            subject = names[first]
        out.append(
            f"{subject} shares too few questions with {listed([names[m] for m in not_compared])} to be compared."
        )
    return out


def difference(x: SuitePair, form: str, confidence: float, n_pairs: int) -> str:
    """Text of a difference, its interval and its p-value."""
    mu, lo, hi = (score(y, form) for y in (x.mu, x.lo, x.hi))
    ends = f"{interval(confidence)}{' of all pairs at once' if n_pairs > 1 else ''} {lo} to {hi}"
    return f"difference {mu}, {ends}; {p_value(x.p_adjusted)}{', adjusted' if n_pairs > 1 else ''}"


def open_pair(
    pair: Pair, names: Mapping[str, str], x: Comparisons, target: str, confidence: float, form: str
) -> list[str]:
    """Sentences about a pair that does not differ significantly, and the sample size that would show a difference."""
    a, b = (names[m] for m in pair)
    size = difference(x.pairs[pair], form, confidence, len(x.pairs))
    first = f"{capital(ON[target])} {a} and {b} are not significantly different at {alpha(confidence)} ({size})."
    return [first, *([next_step(x.sample_sizes[pair])] if pair in x.sample_sizes else [])]


def pairs_that_differ(comparisons: Mapping[str, Comparisons]) -> str:
    """Clause with the number of pairs that differ significantly, for each target."""
    (first, x), *others = comparisons.items()
    more = "".join(f", {y.n_significant or 'none'} {ON[target]}" for target, y in others)
    verb = "differs" if x.n_significant == 1 else "differ"
    pairs = f"{x.n_significant or 'None'} of {number(len(x.pairs), 'pair')} of models"
    return f"{pairs} {verb} significantly {ON[first]}{more}"


def group_lines(ranges: Sequence[range], names: Sequence[str], most: int) -> list[str]:
    """Lines about the groups of consecutive models of which no two differ significantly."""
    out = [f"Places {x.start + 1} to {x.stop}: {listed([names[i] for i in x])}." for x in ranges[:most]]
    return [*out, *([f"And {number(len(ranges) - most, 'group')} further down."] if len(ranges) > most else [])]
