"""Checks that need counts: enough trials, and the population that the questions were sampled from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..arguments import integer
from ..display.text import number as count_of
from ..errors import InvalidInput, shown
from .answers import Detailed
from .counts import Counts
from .identity import labels

Counted: TypeAlias = Counts | Detailed


def population(pool: Any, clusters: Any, sampled: bool, counts: Counted) -> tuple[int | None, Any]:
    """The size of the pool, or the clusters, that the questions were sampled from; neither for fixed questions.

    clusters=None means those of the counts, if these have any; False means none. Clusters are returned as numbers.
    """
    counts_clusters = counts.clusters if sampled and clusters is None else None
    clusters = None if clusters is False else clusters
    for name, x in (("pool", pool), ("clusters", clusters)):
        if x is not None and not sampled:
            raise InvalidInput(
                "conflict", name, f'{name} says how questions were sampled: it needs questions="sampled"'
            )
    if pool is not None and counts_clusters is not None:
        raise InvalidInput("conflict", "pool", "pool needs clusters=False: the counts have clusters")
    if pool is not None and clusters is not None:
        raise InvalidInput("conflict", "pool", "pool and clusters cannot be given together")
    if pool is not None:
        pool = integer(pool, "pool", 1)
        if pool < (M := int(np.count_nonzero(counts.trials))):
            raise InvalidInput("range", "pool", f"pool = {shown(pool)} is below the {M} questions sampled from it")
    if clusters is not None:
        clusters = _codes(labels(clusters, counts.M, "clusters"))
    return pool, clusters if counts_clusters is None else _codes(counts_clusters)


def _codes(labels: Sequence[Any]) -> npt.NDArray[Any]:
    """Clusters as numbers 0, 1, ... in order of appearance; -1 for a question without a cluster."""
    codes: dict[Any, int] = {None: -1}
    return np.array([codes.setdefault(x, len(codes) - 1) for x in labels])


def check_trials(
    counts: Counted, k: int, subject: str = "R", hint: str = "", skip_empty: bool = False, flips: bool = False
) -> None:
    """Raise unless every question has at least k trials; skip_empty: questions without a trial are ignored.

    subject: the argument or the model, for the error; hint: what else to do. flips: the metric is the flip rate, whose
    k = 2 is not an argument that the caller could change.
    """
    if k > counts.min_trials:
        few = np.flatnonzero((counts.trials < k) & ((counts.trials > 0) | (not skip_empty)))
        if few.size:
            if flips:
                raise too_few_to_flip(few.tolist(), subject)
            raise too_few_trials(k, dict(zip(few.tolist(), counts.trials[few].tolist(), strict=True)), subject, hint)


def too_few_to_flip(few: list[Any], subject: str) -> InvalidInput:
    """The error for questions with fewer than two trials, whose flip rate is undefined; few: their ids or indices."""
    argument = subject if subject.isidentifier() else "models"  # a subject such as "model a" is no argument
    of_subject = "" if subject == argument else f" of {subject}"
    named = ", ".join(map(str, few[:5])) + (", ..." if len(few) > 5 else "")
    which, has, them = ("question", "has", "it") if len(few) == 1 else ("questions", "have", "them")
    lacking = f"and {which} {named}{of_subject} {has} fewer: leave {them} out with select(...)"
    return InvalidInput("range", argument, f"the flip rate needs two trials of every question of {argument}, {lacking}")


def too_few_trials(k: int, few: dict[Any, int], subject: str, hint: str = "", key: str | None = None) -> InvalidInput:
    """The error for questions with fewer than k trials; few: their trials, by id or index; key: of errors.HINTS."""
    (first, n), *rest = few.items()
    named = ", ".join(str(x) for x in list(few)[:5]) + (", ..." if len(few) > 5 else "")
    which = (
        f"the trials of {len(few)} questions ({named})" if rest else f"the {count_of(n, 'trial')} of question {first}"
    )
    return InvalidInput("range", "k", f"k = {k} is above {which} of {subject}" + (f": {hint}" if hint else ""), key)


def answered(name: str, *counts: Counted) -> tuple[list[Any], list[int]]:
    """The counts of the questions on which every model has a trial, and the indices of the others; name: for errors."""
    if all(x.min_trials for x in counts):
        return list(counts), []
    keep = np.logical_and.reduce([x.trials > 0 for x in counts])
    if not keep.any():
        ending = f"of {name} has a trial" if len(counts) == 1 else f"has a trial of both models ({name} and the other)"
        raise InvalidInput("no_trials", name, f"no question {ending}")
    return [x.select(keep) for x in counts], np.flatnonzero(~keep).tolist()


def no_empty(counts: Counts) -> Counts:
    """The counts, if every question has a trial; raises otherwise."""
    if counts.min_trials == 0:
        i = counts.empty[0]
        raise InvalidInput("no_trials", "R", f"question {i} has no trial: leave it out with counts.select(...)")
    return counts
