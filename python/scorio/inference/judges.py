"""The mean human score of outputs that are all judged and partly labelled by people, and tests of the labels.

The formulas: spec/families/judges.md, in exact fractions. Outputs are grouped by verdict, neighbouring verdicts
together if more than four occur: the labels estimate the mean score of each group, and its size is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..arithmetic.distributions import normal_cdf, normal_z
from ..arithmetic.double_double import (
    ONE,
    ZERO,
    Ratio,
    Triple,
    add,
    div,
    ext,
    fraction,
    from_fraction,
    mul,
    neg,
    root,
    sub,
    times_2_to,
    value,
)
from ..outcomes.verdicts import Outputs, cell_indices, cells, group_verdicts, outputs, verdict_groups
from ..results import VarianceSource
from .planning import smallest, width_ratio
from .variance import wilson

TARGETS = ("fixed", "sampled", "outputs")
NONE, HALF, WHOLE = Fraction(0), Fraction(1, 2), Fraction(1)  # the exact 0, 1/2 and 1
Ends = tuple[Triple, Triple, Triple, Triple]


def total(terms: Iterable[Fraction]) -> Fraction:
    """The exact sum of fractions."""
    return sum(terms, NONE)


class Group(NamedTuple):
    """Outputs of one verdict, or of a group of verdicts; in shares and means every question has the same weight."""

    outputs: int
    labels: int
    share: Fraction  # w, of the total weight of all outputs
    labelled: Fraction  # f, the fraction of the share that is labelled; 1 where nothing is labelled
    nu: Fraction  # the effective number of labels; 0 without labels
    average: Fraction  # p, the mean of the labels' scores; 1/2 where nothing is labelled
    square: Fraction  # q, the mean of their squares; 1/2 where nothing is labelled

    def shrunk(self, G: int) -> tuple[Fraction, Fraction]:
        """The mean score and the mean square, with 1/G of a label (G groups) added at each end of the scale."""
        n = self.nu + Fraction(2, G)
        return (self.nu * self.average + Fraction(1, G)) / n, (self.nu * self.square + Fraction(1, G)) / n

    def error(self, G: int) -> Fraction:
        """The variance t of the mean score, from the shrunk moments."""
        a, b = self.shrunk(G)
        return (b - a * a) / max(self.nu, WHOLE)

    @property
    def empirical_error(self) -> Fraction:
        """The empirical variance e of the mean score; 0 without labels."""
        return (self.square - self.average**2) / self.nu if self.labels else NONE

    @property
    def unlabelled(self) -> Fraction:
        """phi, the number of outputs without a label over the number of outputs, whatever their questions."""
        return 1 - Fraction(self.labels, self.outputs)


class Sums:
    """For each question sums of z and z^2 over outputs, z the estimated score; in units of 1/unit and 1/unit^2."""

    def __init__(self, x: Outputs, groups: Sequence[Group], scores: Sequence[Fraction]) -> None:
        # z by group and label (last: no label), in the order of cell_indices()
        table = [z for g in groups for z in (*(g.average + (y - g.average) / g.labelled for y in scores), g.average)]
        self.unit = lcm(*(z.denominator for z in table))
        whole: Any = np.array([z.numerator * (self.unit // z.denominator) for z in table], dtype=object)
        at = cell_indices(x, len(scores))
        self.n, self.z_sums = x.trials, np.add.reduceat(whole[at], x.starts)
        self.squares = np.add.reduceat((whole * whole)[at], x.starts)

    def products(self, other: Sums) -> Fraction:
        """Sum over questions of the product of both models' mean z."""
        out = NONE
        for n, m in {*zip(self.n.tolist(), other.n.tolist(), strict=True)}:
            rows = (self.n == n) & (other.n == m)
            out += Fraction(int((self.z_sums[rows] * other.z_sums[rows]).sum()), n * m * self.unit * other.unit)
        return out

    def within_variance(self) -> Fraction:
        """Sum over questions with two outputs or more of the variance of their mean z."""
        out = NONE
        for n in set(self.n.tolist()) - {1}:
            S, Q = self.z_sums[self.n == n], self.squares[self.n == n]
            out += Fraction(n * int(Q.sum()) - int((S * S).sum()), n * n * (n - 1) * self.unit**2)
        return out

    def single_outputs(self, theta: Fraction) -> Fraction:
        """Sum over questions with one output of the squared distance of its z from theta."""
        one = self.n == 1
        S, Q = int(self.z_sums[one].sum()), int(self.squares[one].sum())
        return Fraction(Q, self.unit**2) - 2 * theta * Fraction(S, self.unit) + int(one.sum()) * theta**2


class Judged:
    """Judged outputs of one model, and the score of each label on the scale 0..1."""

    def __init__(self, x: Outputs, scores: Sequence[Fraction]) -> None:
        self.place = verdict_groups(x)  # the group of each verdict
        self.x, self.M, self.scores = group_verdicts(x, self.place), x.M, scores  # x: with groups instead of verdicts
        self.values, self.rows = x.values, groups_of(x, scores)  # the verdicts, and a Group of each
        self.single = bool((x.trials == 1).all())  # every question has one output
        self.groups = groups_of(self.x, scores)
        self.G = len(self.groups)
        self.theta = total(g.share * g.average for g in self.groups)

    @cached_property
    def sums(self) -> Sums:
        """Sums, for each question, of the estimated scores of its outputs."""
        return Sums(self.x, self.groups, self.scores)

    def variance(self, questions: str) -> Fraction:
        """The variance V of the mean, for the target `questions`."""
        G, M = self.G, self.M
        if questions == "outputs":
            return total(g.share**2 * g.unlabelled * g.error(G) for g in self.groups)
        correction = total(g.share**2 * (g.error(G) - g.empirical_error) for g in self.groups)
        bessel, stabiliser = Fraction(M, max(M - 1, 1)), Fraction(1, 12 * M * M)
        between = bessel * (self.sums.products(self.sums) - M * self.theta**2) / (M * M) + correction
        if self.single:
            return between + stabiliser
        fixed = (self.sums.within_variance() + bessel * self.sums.single_outputs(self.theta)) / (M * M) + correction
        fixed = max(fixed, total(Fraction(1, n * n) for n in self.x.trials.tolist()) / M**3)
        return fixed if questions == "fixed" else max(between, fixed) + stabiliser

    def effective(self, questions: str, V: Fraction) -> Fraction:
        """The effective sample size n_eff, for V above 0."""
        each = (g.share**2 * (g.unlabelled if questions == "outputs" else 1) / max(g.nu, WHOLE) for g in self.groups)
        inverse = max(total(each), Fraction(1, self.M) if questions == "sampled" else NONE)
        centre = total(g.share * g.shrunk(self.G)[0] for g in self.groups)
        return max(centre * (1 - centre) / V, 1 / inverse)

    def source(self, questions: str) -> VarianceSource:
        """How the variance was obtained."""
        bound = (questions == "fixed" and self.single) or (questions == "sampled" and self.M == 1)
        return "upper bound" if bound else "measured"


def groups_of(x: Outputs, scores: Sequence[Fraction]) -> list[Group]:
    """The Group of each verdict."""
    sizes, G, width = sorted(set(x.trials.tolist())), len(x.values), len(scores) + 1
    unit = lcm(*sizes)
    n, at = x.trials[x.question], cell_indices(x, len(scores))
    counts = [np.bincount(at[n == size], minlength=G * width).reshape(G, width).tolist() for size in sizes]
    weights = [unit // size for size in sizes]  # of an output, in units of 1/unit
    return [_group([t[g] for t in counts], weights, unit * x.M, scores) for g in range(G)]


def _group(rows: list[list[int]], weights: list[int], total_weight: int, scores: Sequence[Fraction]) -> Group:
    """The Group of one verdict.

    A row for each number of outputs per question: how many outputs have each label, and last how many have none;
    weights: the weight of an output of each row; total_weight: that of all outputs of the model.
    """
    weighted_rows = list(zip(weights, rows, strict=True))
    all_outputs, labels = (sum(sum(row[:end]) for row in rows) for end in (None, -1))
    W = sum(o * sum(row) for o, row in weighted_rows)
    if not labels:
        return Group(all_outputs, 0, Fraction(W, total_weight), WHOLE, NONE, HALF, HALF)
    weight_of = [sum(o * row[j] for o, row in weighted_rows) for j in range(len(scores))]  # of the label j
    labelled, squared = sum(weight_of), sum(o * o * sum(row[:-1]) for o, row in weighted_rows)
    p, q = (total(m * y**k for m, y in zip(weight_of, scores, strict=True)) / labelled for k in (1, 2))
    nu = Fraction(labelled * labelled, squared)
    return Group(all_outputs, labels, Fraction(W, total_weight), Fraction(labelled, W), nu, p, q)


# --- arguments --------------------------------------------------------------------------------------


class Scale(NamedTuple):
    """The lowest and the highest score of a label."""

    low: float
    high: float

    @property
    def span(self) -> Fraction:
        """The highest score minus the lowest."""
        return Fraction(self.high) - Fraction(self.low)

    def of(self, x: Fraction) -> Fraction:
        """Map x on the scale 0..1 to this scale."""
        return Fraction(self.low) + x * self.span


def read(
    verdicts_and_labels: Sequence[tuple[Any, Any]], names: Sequence[tuple[str, str]], w: Any, missing: Any
) -> tuple[list[Judged], Scale]:
    """Verdicts and labels of one model or two on the same questions, checked, and the scale of the labels."""
    weights = arguments.category_scores(w)
    scale, C = Scale(min(weights), max(weights)), len(weights) - 1
    tables = [
        cells(v, l, C, missing, w is not None, name) for (v, l), name in zip(verdicts_and_labels, names, strict=True)
    ]
    scores = [(Fraction(x) - Fraction(scale.low)) / scale.span if scale.span else NONE for x in weights]
    return [Judged(x, scores) for x in outputs(*tables, names=names)], scale


# --- intervals --------------------------------------------------------------------------------------


class Estimate(NamedTuple):
    """A mean human score on the scale 0..1: the mean and 1 minus it, its variance V, n_eff (None if V is 0)."""

    theta: Triple
    rest: Triple
    V: Fraction
    n_eff: Triple | None

    def ends(self, z: Triple) -> Ends:
        """Wilson's interval: (lo, 1 - lo, hi, 1 - hi)."""
        if self.n_eff is None:
            return self.theta, self.rest, self.theta, self.rest
        return wilson(self.theta, self.rest, self.n_eff, z)

    def reaches(self, z: Triple) -> tuple[Triple, Triple]:
        """The distances theta - lo and hi - theta of the interval, computed without these subtractions."""
        if self.n_eff is None:
            return ZERO, ZERO
        q = div(mul(z, z), self.n_eff)
        half = times_2_to(q, -1.0)
        e = add(half, root(add(mul(q, mul(self.theta, self.rest)), mul(half, half))))
        down, up = (div(mul(x, e), add(x, e)) for x in (self.theta, self.rest))
        return down, up


def estimate(J: Judged, questions: str) -> Estimate:
    """The mean human score of one model, and its variance."""
    V = J.variance(questions)
    n_eff = from_fraction(J.effective(questions, V)) if V else None
    return Estimate(from_fraction(J.theta), from_fraction(1 - J.theta), V, n_eff)


class Difference(NamedTuple):
    """theta_A - theta_B, its standard error, how far its interval reaches down and up, and P(A > B)."""

    D: Fraction
    sigma: Triple
    down: Triple
    up: Triple
    p_above: Triple


def difference(A: Judged, B: Judged, questions: str, z: Triple) -> Difference:
    """The difference by square-and-add of both intervals (Newcombe 1998; with correlation, Zou and Donner 2008)."""
    a, b, covariance = estimate(A, questions), estimate(B, questions), NONE
    if questions == "sampled":
        covariance = (A.sums.products(B.sums) - A.M * A.theta * B.theta) / (A.M * (A.M - 1))
    (a_down, a_up), (b_down, b_up) = a.reaches(z), b.reaches(z)
    D, sigma = A.theta - B.theta, root(from_fraction(a.V + b.V - 2 * covariance))
    down, up = (square_and_add(x, y, covariance, a.V * b.V) for x, y in ((a_down, b_up), (a_up, b_down)))
    if sigma[0]:
        p_above = normal_cdf(div(from_fraction(D), sigma))
    else:
        p_above = ext(0.5 if D == 0 else float(D > 0))
    return Difference(D, sigma, down, up, p_above)


def square_and_add(x: Triple, y: Triple, covariance: Fraction, product: Fraction) -> Triple:
    """Square and add: sqrt(x^2 + y^2 - 2 rho x y), rho the covariance over the root of the product of the variances."""
    twice = times_2_to(mul(x, y), 1.0)  # 2 x y
    if covariance == 0:
        square = add(mul(x, x), mul(y, y))
    elif covariance < 0:
        minus_rho = root(from_fraction(covariance**2 / product))
        square = add(add(mul(x, x), mul(y, y)), mul(twice, minus_rho))
    else:  # (x - y)^2 + 2 (1 - rho) x y, 1 - rho = (1 - rho^2) / (1 + rho)
        square_of_rho, d = covariance**2 / product, sub(x, y)
        rest = div(from_fraction(1 - square_of_rho), add(ONE, root(from_fraction(square_of_rho))))
        square = add(mul(d, d), mul(twice, rest))
    return root(square)


# --- whether the labelled outputs are a random sample, and how many an interval needs ---------------

DESIGNS = ("random", "balanced", "neyman")


class Score(NamedTuple):
    """A sum whose mean is 0 if the labels are random, and its variance in that case."""

    sum: Fraction
    variance: Fraction

    def z(self) -> Triple | None:
        """The z-score; None if the variance is 0."""
        if self.variance <= 0:
            return None
        return div(from_fraction(self.sum), root(from_fraction(self.variance)))


def two_sided(z: Triple, tests: int) -> Triple:
    """Two-sided p-value P(|Z| >= |z|), times the number of tests (Bonferroni), at most 1."""
    p = mul(times_2_to(normal_cdf(z if z[0] < 0.0 else neg(z)), 1.0), ext(float(tests)))
    return ONE if sub(p, ONE)[0] > 0.0 else p


def upper(z: Triple) -> Triple:
    """Upper-tail p-value P(Z >= z)."""
    return normal_cdf(neg(z))


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
