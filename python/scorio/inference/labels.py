"""Tests of whether the labelled outputs are a random sample, and the number of labels that an interval needs.

Sums and variances are exact fractions; the formulas: spec/families/judges.md. Labels are random if every choice of as
many outputs (in lean(): of as many of each verdict) is equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..arithmetic.distributions import normal_cdf, normal_z
from ..arithmetic.double_double import ONE, Triple, add, div, ext, mul, neg, root, sub, times_2_to, value
from ..arithmetic.rational import Ratio, fraction, from_fraction
from ..outcomes.verdicts import Outputs
from .judges import NONE, total
from .planning import smallest, width_ratio

DESIGNS = ("random", "balanced", "neyman")


class Score(NamedTuple):
    """A sum whose mean is 0 if the labels are random, and its variance in that case."""

    sum: Fraction
    variance: Fraction

    def z(self) -> Triple | None:
        """The z-score; None if the variance is 0."""
        if self.variance <= 0:
            return None
        x: Triple = div(from_fraction(self.sum), root(from_fraction(self.variance)))
        return x


def two_sided(z: Triple, tests: int) -> Triple:
    """Two-sided p-value P(|Z| >= |z|), times the number of tests (Bonferroni), at most 1."""
    p = mul(times_2_to(normal_cdf(z if z[0] < 0.0 else neg(z)), 1.0), ext(float(tests)))
    return ONE if sub(p, ONE)[0] > 0.0 else p


def upper(z: Triple) -> Triple:
    """Upper-tail p-value P(Z >= z)."""
    p: Triple = normal_cdf(neg(z))
    return p


def rates(x: Outputs) -> list[Score]:
    """Score of each verdict: its number of labels minus the number that is expected if the labels are random."""
    N, n = x.verdict.size, int((x.label >= 0).sum())
    sizes = np.bincount(x.verdict, minlength=len(x.values)).tolist()
    labelled = np.bincount(x.verdict[x.label >= 0], minlength=len(x.values)).tolist()
    correction = Fraction(N - n, N - 1) if N > 1 else NONE  # for a finite population
    return [Score(l - Fraction(n * size, N), n * Fraction(size, N) * (1 - Fraction(size, N)) * correction)
            for size, l in zip(sizes, labelled, strict=True)]  # fmt: skip


def spread(x: Outputs) -> Score:
    """Score of X^2, the chi-square statistic of the numbers of labels per question: X^2 minus its mean."""
    N, n = x.verdict.size, int((x.label >= 0).sum())
    alike = len(set(x.trials.tolist())) == 1  # all questions have as many outputs
    if n == N or x.M == 1 or (alike and (x.M == N or n in (1, N - 1))):  # X^2 is a constant
        return Score(NONE, NONE)
    labels = np.bincount(x.question[x.label >= 0], minlength=x.M)
    square = NONE
    for size in sorted(set(x.trials.tolist())):
        l, e = labels[x.trials == size], Fraction(n * size, N)
        deviations = int((l * l).sum()) - 2 * e * int(l.sum()) + l.size * e * e
        square += deviations / (e * (1 - Fraction(n, N)))
    return Score(square * Fraction(N - 1, N) - x.M + 1, Fraction(2 * (x.M - 1)))


def lean(x: Outputs) -> Score:
    """Score of how labelled and unlabelled outputs of a verdict differ in the other verdicts on their questions."""
    verdicts, total_lean, variance = np.array(x.values, dtype=object)[x.verdict], NONE, NONE
    other_sums, n = np.add.reduceat(verdicts, x.starts)[x.question] - verdicts, x.trials[x.question]
    for g in range(len(x.values)):
        at = (x.verdict == g) & (n > 1)
        f, v = _lean(other_sums[at], n[at] - 1, x.label[at] >= 0)
        total_lean, variance = total_lean + f, variance + v
    return Score(total_lean, variance)


def _lean(other_sums: np.ndarray, others: np.ndarray, has_label: np.ndarray) -> tuple[Fraction, Fraction]:
    """Sum over labelled outputs of h = other_sums / others minus the mean h, and its variance for random labels."""
    N, n_labels = int(has_label.size), int(has_label.sum())
    if N < 2 or n_labels in (0, N):
        return NONE, NONE
    all_, squares, labelled = NONE, NONE, NONE
    for size in sorted(set(others.tolist())):
        x, y = other_sums[others == size], other_sums[(others == size) & has_label]
        all_ += Fraction(int(x.sum()), size)
        squares += Fraction(int((x * x).sum()), size * size)
        labelled += Fraction(int(y.sum()), size)
    return labelled - n_labels * all_ / N, n_labels * (N - n_labels) * (squares - all_ * all_ / N) / (N * (N - 1))


# --- sample size ------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """The total number of labels (None if even labels of all outputs are too few), and the share of each verdict."""

    labels: int | None
    share: list[float]


def needed(
    outputs: Sequence[int], means: Sequence[Fraction], half_width: Fraction, design: str, confidence: float
) -> Plan:
    """The fewest labels at which Wilson's interval has at most this half width, and the share of each verdict."""
    N, G = sum(outputs), len(outputs)
    w = [Fraction(x, N) for x in outputs]
    variances = [p * (1 - p) for p in means]
    theta = total(x * p for x, p in zip(w, means, strict=True))
    between = total(x * (p - theta) ** 2 for x, p in zip(w, means, strict=True)) / N
    shares, sigmas = _shares(w, variances, design)
    if design == "neyman":
        K = fraction(mul(sigmas, sigmas))
    else:
        K = total(x * s * (x * G if design == "balanced" else 1) for x, s in zip(w, variances, strict=True))
    z, T = fraction(normal_z(confidence)), theta * (1 - theta)

    def ratio(n: int) -> Ratio:
        return width_ratio(half_width, T, z * z * (K / n + between) / T)

    most, unit = ratio(N)
    return Plan(smallest(ratio) if most <= unit else None, [value(x) for x in shares])


def _shares(w: Sequence[Fraction], variances: Sequence[Fraction], design: str) -> tuple[list[Triple], Triple]:
    """The share of each verdict among the labels; for the design neyman the sum of w sigma (for other designs 1)."""
    if design == "random":
        return [from_fraction(x) for x in w], ONE
    if design == "balanced":
        return [from_fraction(Fraction(1, len(w)))] * len(w), ONE
    parts = [root(from_fraction(x * x * s)) for x, s in zip(w, variances, strict=True)]
    total_sigma = parts[0]
    for x in parts[1:]:
        total_sigma = add(total_sigma, x)
    return [div(x, total_sigma) for x in parts], total_sigma
