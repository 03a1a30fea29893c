"""The mean over sampled units of a metric, or of the difference of two, and its variance: exact fractions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, lcm
from typing import Any

import numpy as np

from ..arithmetic.double_double import get
from ..arithmetic.rational import Ratio, fraction
from ..metrics.metric import exact_credits, exact_value
from ..outcomes.states import Array
from . import mean
from .choice import Choice
from .clusters import Units
from .estimator import Estimator

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
    A = exact_credits(x.m) if x.m.name not in ("pass_at_k", "pass_hat_k") else []
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
