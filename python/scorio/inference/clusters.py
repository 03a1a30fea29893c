"""Sampling of whole clusters of questions: an unbiased variance for any sizes, and means of sampled units, exactly.

CR2 of Bell and McCaffrey (2002) for a mean over questions: spec/families/intervals.md.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cached_property
from math import comb, lcm
from typing import Any

import numpy as np

from ..arithmetic.double_double import Ratio, Table, Triple, ext, fraction, from_fraction, from_ratio, get
from ..metrics.metric import exact_credits, exact_value
from ..outcomes.states import Array, States, states_of
from . import mean, variance
from .choice import Choice
from .estimator import Estimator

SIZE_ONE: Array = np.ones(1, np.int64)  # sizes of Units without labels: one entry is enough, since all are 1


class Units:
    """The cluster of each question, numbered from 0; without labels every question is a cluster of its own."""

    def __init__(self, M: int, labels: Array | None = None) -> None:
        self.M = self.G = self.squared = M  # squared: the sum of the squared sizes
        self.labels, self.sizes = None, SIZE_ONE
        if labels is not None:
            self.labels = np.unique(labels, return_inverse=True)[1]
            self.sizes = np.bincount(self.labels)
            self.G, self.squared = int(self.sizes.size), sum(m * m for m in self.sizes.tolist())

    def squared_shares(self) -> Triple:
        """The sum Q of the squared shares of the clusters."""
        return from_ratio(self.squared, self.M**2)

    def unseen(self) -> Triple:
        """The variance that a guard of 1 adds to a difference over the sampled units: Q / (2 M)."""
        return from_ratio(self.squared, 2 * self.M**3)

    def stabiliser(self) -> Triple:
        """The stabiliser, a constant added to the variance of one model over the sampled units: Q^2 / 12."""
        return from_ratio(self.squared**2, 12 * self.M**4)

    @cached_property
    def exact_freedom(self) -> Fraction:
        """Degrees of freedom from the cluster sizes: Q^2 / sum over g, h of a_g a_h (1{g = h} - w_g - w_h + Q)^2.

        w_g is the share of cluster g, Q the sum of the w_g^2, a_g = w_g^2 / ((1 - w_g)^2 + Q - w_g^2).
        """
        if self.labels is None or int(self.sizes.min()) == int(self.sizes.max()):
            return Fraction(self.G - 1)
        M, P = self.M, self.squared
        sums, diagonal = [Fraction(0)] * 3, Fraction(0)
        for m, count in sorted(Counter(self.sizes.tolist()).items()):
            a = Fraction(m * m, (M - m) ** 2 + P - m * m)
            sums = [s + count * a * m**i for i, s in enumerate(sums)]
            diagonal += count * a * a * (M * M + 2 * P - 4 * m * M)
        a0, a1, a2 = sums
        return Fraction(P * P) / (
            diagonal * M * M + P * P * a0 * a0 + 2 * M * M * a0 * a2 - 4 * M * P * a0 * a1 + 2 * M * M * a1 * a1
        )

    @property
    def freedom(self) -> Triple:
        """Degrees of freedom that the sizes of the clusters determine, G - 1 if these are equal; rounded once."""
        return ext(float(self.M - 1)) if self.labels is None else from_fraction(self.exact_freedom)

    def means(self, which: Array, u: Table) -> Table:
        """The mean of u[which] over the questions of each cluster."""
        assert self.labels is not None
        joint: States = states_of(self.labels, which)
        out = np.empty((self.G, 3))
        variance.cluster_means(joint.n, joint.c, joint.mult, u, self.sizes, out)
        return out


def variance_terms(units: Units, means: Table, center: Triple) -> Triple:
    """Sum of the CR2 terms a_g (means_g - center)^2; the order of the clusters changes no bit."""
    out: Any = np.empty((units.G, 3))
    variance.unbiased_parts(means, center, units.sizes, units.M, float(units.squared), out)
    return variance.sums(_in_fixed_order(out))[0]


def cubes(units: Units, means: Table, center: Triple) -> tuple[Triple, Triple]:
    """Sum and sum of squares of (w_g (means_g - center))^3, w_g the share of cluster g; their order changes no bit."""
    out: Any = np.empty((units.G, 3))
    variance.cubes_of_clusters(means, center, units.sizes, units.M, out)
    third, sixth = variance.sums(_in_fixed_order(out))
    return third, sixth


def _in_fixed_order(x: Any) -> Any:
    """The rows of x in an order that depends only on their values, so that their sum is the same for any order."""
    return x[np.lexsort((x[:, 1], x[:, 0], x[:, 2]))]


# --- the mean over sampled units of a metric or a difference, and its variance ----------------------

MOST_BITS = 2**14  # of the common denominator of exact_values()


def exact_values(x: Estimator) -> tuple[list[Ratio], Array]:
    """The metric of each state on the scale 0..1, and the state of each question.

    They are double-doubles if their common denominator could have more than MOST_BITS bits.
    """
    if isinstance(x, Choice):
        return [value.as_integer_ratio() for value in x.exact_choices], x.values()[1]
    if sum(x.m.k * n.bit_length() for n in np.unique(x.counts.trials).tolist()) > MOST_BITS:
        u, which = x.values()
        return [fraction(get(u, i)).as_integer_ratio() for i in range(len(u))], which
    if x.m.name == "mean":
        s = mean.scale(x.m.w)
        return mean.exact_values(x.counts, s.U, s.span)
    return [value.as_integer_ratio() for value in _values_of_blocks(x)], x.values()[1]


def _values_of_blocks(x: Any) -> list[Fraction]:
    k = x.m.k
    if x.m.name == "max_at_k":
        return [
            sum((gap * (1 - Fraction(comb(b, k), comb(n, k))) for gap, b in steps), Fraction(0))
            for n, _, steps in x.exact_steps()
        ]
    A = exact_credits(x.m)
    return [exact_value(x.m, n, c, A) for n, c in zip(*(a.tolist() for a in x.counts.states()[:2]), strict=True)]


def mean_difference(a: Estimator, b: Estimator | None) -> Fraction:
    """The mean over questions of a's metric minus b's (if b is not None)."""
    return mean_and_variance(a, b, Units(a.parts.M))[0]


def mean_and_variance(a: Estimator, b: Estimator | None, units: Units) -> tuple[Fraction, Fraction]:
    """The mean over questions of a's metric minus b's (if b is not None); its variance over the sampling of units.

    Sums are those of integers: fractions would be reduced at every step.
    """
    u, which = exact_values(a)
    v, other = exact_values(b) if b is not None else ([(0, 1)], np.zeros_like(which))
    den = lcm(*(d for _, d in (*u, *v)))
    U, V = ([x * (den // d) for x, d in y] for y in (u, v))
    labels = np.arange(units.M) * 0 if units.labels is None else units.labels
    # the number of questions by cluster, state of a and state of b
    cells = Counter(zip(labels.tolist(), which.tolist(), other.tolist(), strict=True))
    M, P = units.M, units.squared
    total = sum(number * (U[i] - V[j]) for (_, i, j), number in cells.items())
    D, unit = Fraction(total, den * M), Fraction(1, (den * M) ** 2)
    if units.G < 2:  # a single unit shows no variance
        return D, Fraction(0)
    if units.labels is None:
        squares = sum(number * (M * (U[i] - V[j]) - total) ** 2 for (_, i, j), number in cells.items())
        return D, squares * unit / (M * (M - 1))
    deviations = [0] * units.G
    for (g, i, j), number in cells.items():
        deviations[g] += number * (M * (U[i] - V[j]) - total)
    parts = (Fraction(x * x, (M - m) ** 2 + P - m * m) for x, m in zip(deviations, units.sizes.tolist(), strict=True))
    return D, sum(parts, Fraction(0)) * unit
