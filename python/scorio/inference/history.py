"""Builds of one system on the same questions, in the order of time, and exact sums of their scores.

The formulas: spec/families/ledger.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arithmetic.distributions import normal_quantile, t_cdf
from ..arithmetic.double_double import (
    HALF,
    ONE,
    Ratio,
    Table,
    Triple,
    add,
    from_fraction,
    from_ratio,
    neg,
    sub,
    total,
    value,
)
from ..errors import InvalidInput
from ..outcomes.counts import Counts
from ..outcomes.identity import paired
from ..outcomes.models import Models, check_flat, holds_matrices, split_models
from ..outcomes.states import MAX_DENSE, Array, score_sums
from ..outcomes.tally import count
from . import mean
from .degrees_of_freedom import MOST, smaller
from .runs import Dispersion, dispersion

Integers = npt.NDArray[Any]  # 64-bit integers, or Python's where these are too few


class History(NamedTuple):
    """The counts of builds on the same questions, each with a trial of every question, and of the pin before them."""

    names: Sequence[Any]  # of the builds, or their indices
    builds: list[Counts]
    pin: Counts | None
    w: list[float]


NO_PIN = object()  # in the place of a pin


def read_history(builds: Any, w: Any, missing: Any, pin: Any = NO_PIN, least: int = 1, name: str = "builds") -> History:
    """The builds, at least so many, and the pin with its evaluations pooled; name: the argument that has the builds."""
    scores = arguments.category_scores(w)
    models = split_models(builds, name, 1)
    if len(models.items) < least:
        raise InvalidInput("length", name, f"{name} has {len(models.items)} entry: at least {least} are needed")
    pins = Models(None, [])
    if pin is not NO_PIN:
        pins = split_models(pin, "pin", 1) if holds_matrices(pin) else Models(None, [pin])
    names, where = [], []
    for x, argument in ((pins, "pin"), (models, name)):
        for i in range(len(x.items)):
            names.append("pin" if argument == "pin" and len(x.items) == 1 else f"{x.label(i)} of {argument}")
            where.append(argument)
    counts = []
    for i, x in enumerate([*pins.items, *models.items]):
        try:
            check_flat(x, where[i])
            counts.append(count(x, len(scores) - 1, missing, name=where[i], has_scores=w is not None))
        except InvalidInput as e:
            raise (e.of(names[i]) if e.argument == where[i] else e) from None
    counts = paired(counts, where, names.__getitem__)
    for i, read in enumerate(counts):
        if not read.min_trials:
            q = read.empty[0]
            what = f"{names[i]} has no trial of question {q if read.ids is None else repr(read.ids[q])}"
            raise InvalidInput("missing", where[i], f"{what}: every build needs a trial of every question")
    pooled = sum(counts[1 : len(pins.items)], counts[0]) if pins.items else None
    labels = range(len(models.items)) if models.names is None else models.names
    return History(labels, counts[len(pins.items) :], pooled, scores)


def read_runs(runs: Any, allowed: Sequence[str]) -> Dispersion | str | None:
    """The argument `runs`: None if they are fixed, "sampled" where it is allowed, or the ratio that is stated."""
    if isinstance(runs, str):
        return None if arguments.choice(runs, "runs", allowed) == "fixed" else "sampled"
    stated = dispersion(runs, (), 1, (), "raise", False)
    assert isinstance(stated, Dispersion)  # no text: the ratio is stated
    return stated


class Scores(NamedTuple):
    """The scores of one build: trials by group; the sums of U and of U^2 of each question; the former by group."""

    n: Array
    S: Integers
    Q: Integers
    T: Integers


class Tally:
    """Exact sums of the integer scores U of a history; u = U / span.

    Questions whose trials are as many in every build are a group: if all builds are complete, there is one.
    """

    def __init__(self, h: History) -> None:
        self.scale = mean.scale(h.w)
        self.M = h.builds[0].M
        items = [*([h.pin] if h.pin else []), *h.builds]
        if all(x.uniform or x.min_trials == x.trials.max() for x in items):
            self.group = np.zeros(self.M, np.int64)  # of each question
        else:
            self.group = np.unique(np.stack([x.trials for x in items]), axis=1, return_inverse=True)[1].reshape(-1)
        self.order = np.argsort(self.group, kind="stable")
        self.start = np.flatnonzero(np.diff(self.group[self.order], prepend=-1))
        self.first = self.order[self.start]  # a question of each group
        # sums of squares over all questions are below 2^62, or they are Python's integers
        most = max(self.scale.U) * sum(int(x.trials.max()) for x in items)
        self.is_wide = most * most * self.M >= 2**62

    def grouped(self, x: Integers) -> Integers:
        """The sums of x over the questions of each group."""
        return np.add.reduceat(x[self.order], self.start)

    def scores(self, x: Counts) -> Scores:
        """The sums of one build."""
        U, n = self.scale.U, x.trials[self.first]
        if self.is_wide or x.C > MAX_DENSE:
            S, Q = score_sums(x.cells, U)
            S, Q = (S, Q) if self.is_wide else (S.astype(np.int64), Q.astype(np.int64))
        else:
            u, table = np.array(U, np.int64)[: x.C + 1], x.table
            S, Q = table[:, : u.size] @ u, table[:, : u.size] @ (u * u)
        return Scores(n, S, Q, self.grouped(S))

    def mean(self, x: Scores) -> Fraction:
        """The mean score of a build, on the scale 0..1."""
        return self.mean_of(x.n, x.T)

    def mean_of(self, n: Integers, T: Integers) -> Fraction:
        """The mean over questions of the mean score, from trials of each question and sums of U by group."""
        by_size: dict[int, int] = {}
        for size, t in zip(n.tolist(), T.tolist(), strict=True):
            by_size[size] = by_size.get(size, 0) + t
        terms: list[Ratio] = [(t, size * self.M * self.scale.span) for size, t in by_size.items()]
        return Fraction(*total(terms))

    def in_units_of_w(self, u: Fraction) -> float:
        """A score on the scale 0..1 in units of w."""
        return value(from_fraction((u * self.scale.span + self.scale.low) / self.scale.unit)) + 0.0

    @cached_property
    def span(self) -> Fraction:
        """The span of w; 0 if all scores are equal."""
        return Fraction(max(self.scale.U), self.scale.unit)

    def ends(self, x: Counts) -> tuple[Integers, Integers] | None:
        """The lowest and the highest U of each question; None of binary outcomes."""
        if len(self.scale.U) <= 2:
            return None
        start, category, _ = x.cells
        u = np.array(self.scale.U, np.int64 if self.scale.span < 2**63 else object)[category]
        return np.minimum.reduceat(u, start[:-1]), np.maximum.reduceat(u, start[:-1])


class Range:
    """The r of spec/families/ledger.md over the outcomes that were added."""

    def __init__(self, tally: Tally) -> None:
        self.tally, self.r = tally, Fraction(1)
        self.ends: tuple[Integers, Integers] | None = None

    def include(self, x: Counts) -> None:
        """Add the outcomes of a build."""
        ends = self.tally.ends(x)
        if ends is None:
            return
        if self.ends is not None:
            ends = np.minimum(self.ends[0], ends[0]), np.maximum(self.ends[1], ends[1])
        self.ends = ends
        self.r = Fraction(*mean.as_range(int((ends[1] - ends[0]).max()), self.tally.scale.span))


def spread(N: Array, S: Integers, Q: Integers) -> Integers:
    """N times the sum of U^2 less the square of the sum of U, of each question."""
    return N * Q - S * S


def triples(x: Integers) -> Table:
    """Integers as triples."""
    if x.dtype == object:
        return np.array([from_ratio(y, 1) for y in x.tolist()]).reshape(-1, 3)
    out = np.zeros((x.size, 3))
    out[:, 0] = x
    out[:, 1] = x - out[:, 0].astype(np.int64)
    return out


def normal_score(x: Triple, freedom: Triple) -> Triple:
    """The normal quantile of the probability of x under the t distribution, with at most MOST degrees of freedom."""
    if not x[0]:
        return x
    below = neg(x) if x[0] > 0.0 else x
    tail = t_cdf(below, smaller(freedom, MOST))
    z: Triple = normal_quantile(sub(HALF, tail), tail)
    return z if x[0] > 0.0 else neg(z)


def degrees_of_differences(m: int) -> Triple:
    """Degrees of freedom of the mean of m squared successive differences, 2 m^2/(3 m - 1)."""
    return from_ratio(2 * m * m, 3 * m - 1)


def at_least_one(x: Triple) -> Triple:
    """The larger of x and 1."""
    return x if sub(x, ONE)[0] > 0.0 else ONE


def is_at_most(x: Triple, level: Triple) -> bool:
    """Whether x <= level, which is above 0; numbers as near as 2^-95 of it are equal, as those of exact ties are.

    A p-value of 1 is at most no level.
    """
    slack = (level[0] * 2.0**-95, 0.0, level[2])
    return bool(sub(ONE, x)[0] > 2.0**-95 and sub(x, add(level, slack))[0] <= 0.0)
