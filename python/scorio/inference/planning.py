"""Variances at other numbers of trials and questions, and the smallest number that meets a rule: exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, comb, floor, isqrt, sqrt
from typing import Any, NamedTuple

from ..arithmetic.distributions import error_rate, normal_cdf, normal_z
from ..arithmetic.double_double import Ratio, ext, fraction, from_fraction, get, value
from ..errors import InvalidInput
from ..metrics.metric import exact_credits, exact_value, steepest
from . import clusters, mean
from .clusters import Units
from .degrees_of_freedom import MOST, df_of_trials
from .difference import quantile
from .estimator import Estimator
from .significance import MOST_SAME
from .variance import TRIALS

Ratios = list[Fraction]


def smallest(ratio: Callable[[int], Ratio], start: int = 1) -> int:
    """The smallest n >= start at which a ratio is at most 1; it must be so at every larger n too.

    The ratio falls about like 1/n or 1/n^2. So n (ratio - 1) is nearly linear where the ends of a bracket differ by
    less than a factor of 2, and is interpolated there: the steps grow with the logarithm of the digits of n.
    """

    def excess(n: int) -> tuple[bool, int]:
        """Whether the ratio at n is above 1, and n (ratio - 1) in units of 2^-64."""
        x, y = ratio(n)
        return x > y, (n * (x - y) << 64) // y

    low, high, at_low = start - 1, start, 0
    above, at_high = excess(high)
    while above:
        low, high, at_low = high, high + max(2 * (high - low), at_high >> 64), at_high
        above, at_high = excess(high)
    while high - low > 1:
        last, n = above, isqrt(low * high)
        if high <= 2 * low:
            n = low + (high - low) * at_low // max(1, at_low - at_high)
        n = min(max(n, low + 1), high - 1)
        above, at_n = excess(n)
        # the excess of an end that stays twice is halved, so that it moves (the Illinois algorithm)
        share = 2 if above == last else 1
        low, high, at_low, at_high = (n, high, at_n, at_high // share) if above else (low, n, at_low // share, at_n)
    return high


def width_ratio(half: Fraction, p: Fraction, q: Fraction) -> Ratio:
    """The square of the half width of Wilson's interval over that of `half`; p: theta (1 - theta), q: z^2 / n_eff."""
    return ((q * p + q * q / 4) / (half * (1 + q)) ** 2).as_integer_ratio()


# --- more trials ------------------------------------------------------------------------------------


class Growth:
    """The variance over N trials per question of one model's metric, summed over its questions.

    Two random blocks of k of N trials share c of them with probability h_c(N): Var(U_N) = sum_c h_c(N) (W_c - W_0), W_c
    the mean product of their credits (a credit is the metric of a block). With 2k trials or more every W_c is
    measured.
    """

    def __init__(self, x: Estimator, name: str) -> None:
        self.m, self.parts, self.flips = x.m, Ratios(), Fraction(0)
        if x.m.name == "mean":
            s = mean.scale(x.m.w)
            self.parts = [Fraction(0), mean.single_trials(mean.average(x.counts, s.U, s.span), s.span)]
            return
        if x.parts.short:
            needed = f"k = {x.m.k}: at least 2k trials of every question of {name} are needed"
            raise InvalidInput("range", "k", f"{needed} to know the variance of {x.m.name} at other numbers of trials")
        W = _block_products_of_max_at_k(x) if x.m.name == "max_at_k" else _block_products(x)
        self.parts = [w - W[0] for w in W]
        self.flips = W[-1] if x.m.flips else Fraction(0)  # the sum of u: a flip (0 or 1) is its own square

    def trials(self, N: int) -> Fraction:
        """The variance over N trials per question, summed over questions; of flips at least sum u / (N (N - 1))."""
        k = self.m.k
        h = (Fraction(comb(k, c) * comb(N - k, k - c), comb(N, k)) for c in range(k + 1))
        least = self.flips / (N * (N - 1)) if self.flips else Fraction(0)
        return max(sum((a * b for a, b in zip(h, self.parts, strict=True)), Fraction(0)), least)

    def step(self, N: int) -> Fraction:
        """The largest step of the metric times k / (N + k - 1); joint_range() squared is its factor in a variance."""
        m, k = self.m, self.m.k
        if m.name in ("mean", "max_at_k", "pass_at_k", "pass_hat_k"):
            return Fraction(k, N) * Fraction(k, N + k - 1)
        A, c = exact_credits(m), steepest(m, N)
        return (exact_value(m, N, c + 1, A) - exact_value(m, N, c, A)) * Fraction(k, N + k - 1)


def _block_products(x: Estimator) -> Ratios:
    """Sum over questions of W_c, c = 0..k, of binary outcomes; for Pass@k of 1 - credit: W_c - W_0 is the same."""
    k, is_pass_at_k = x.m.k, x.m.name == "pass_at_k"
    s = list(zip(*(a.tolist() for a in x.counts.states()), strict=True))
    out = []
    for c in range(k + 1):
        size = 2 * k - c
        if is_pass_at_k or x.m.name == "pass_hat_k":  # all trials of both blocks failed, or all succeeded
            terms = (mult * Fraction(comb(n - a if is_pass_at_k else a, size), comb(n, size)) for n, a, mult in s)
        else:
            B = _mean_products(exact_credits(x.m), c)
            terms = (mult * _expected_product(B, n, a) for n, a, mult in s)
        out.append(sum(terms, Fraction(0)))
    return out


def _mean_products(A: Ratios, c: int) -> Ratios:
    """Mean product of the credits of two blocks that share c trials, given l = 0..2k-c successes in both together."""
    k = len(A) - 1
    own, total = k - c, [Fraction(0)] * (2 * k - c + 1)
    for j in range(c + 1):
        for a in range(own + 1):
            ways = comb(c, j) * comb(own, a) * A[a + j]
            for b in range(own + 1) if ways else ():
                total[a + j + b] += ways * comb(own, b) * A[b + j]
    return [t / comb(2 * k - c, l) for l, t in enumerate(total)]


def _expected_product(B: Ratios, n: int, c: int) -> Fraction:
    """The mean of B over the successes among len(B) - 1 of n trials, c of them successes."""
    size = len(B) - 1
    terms = (x * comb(c, l) * comb(n - c, size - l) for l, x in enumerate(B) if x)
    return sum(terms, Fraction(0)) / comb(n, size)


def _block_products_of_max_at_k(x: Any) -> Ratios:
    """Sum over questions of W_c, c = 0..k, of Max@k, from the probabilities that both blocks stay below levels."""
    k, rows, out = x.m.k, list(x.exact_steps()), []
    for c in range(k + 1):
        total = Fraction(0)
        for N, mult, steps in rows:
            for gap, p in steps:
                for other_gap, q in steps:
                    low, high = min(p, q), max(p, q)
                    second_block = Fraction(comb(max(high - k, 0), k - c), comb(N - k, k - c))
                    total += mult * gap * other_gap * Fraction(comb(low, k), comb(N, k)) * second_block
        out.append(total)  # the other terms of W_c are the same for every c
    return out


# --- more questions ---------------------------------------------------------------------------------


class QuestionVariance(NamedTuple):
    """The variance S / Q of a mean difference over Q questions, and the effective number of units per question."""

    S: Fraction
    units: Fraction = Fraction(1)

    def critical(self, Q: int, confidence: float) -> Fraction | None:
        """Standard errors at which a difference of Q questions is significant; None for too few units.

        Fewer than two show no variance, and the signs of too few cannot be significant, even if all are the same.
        """
        n = Q * self.units
        if n < 2 or Fraction(2) ** (1 - min(floor(n), MOST_SAME)) > 1 - Fraction(confidence):
            return None
        return fraction(quantile(error_rate(confidence, 2), from_fraction(min(n - 1, Fraction(MOST[0])))))


def question_variance(a: Estimator, b: Estimator | None, units: Units) -> tuple[Fraction, QuestionVariance]:
    """Mean over questions of a's metric minus b's (if b is not None), and its variance over questions."""
    D, V = clusters.mean_and_variance(a, b, units)
    return D, QuestionVariance(units.M * V, (units.exact_freedom + 1) / units.M)


# --- power ------------------------------------------------------------------------------------------


class Powers(NamedTuple):
    """The power at a number of trials per question: on this question set, and for each number of sampled questions."""

    trials: int
    fixed: float
    sampled: list[float]


class VarianceComponents(NamedTuple):
    """Variance components that a plan of a comparison is computed from, on the scale 0..1.

    within and step are functions of the number of trials: the variance over the trials summed over M questions, of both
    models, and the stabiliser. between is the variance of the difference over questions.
    """

    M: int
    within: Callable[[int], Fraction]
    step: Callable[[int], Fraction]
    between: Fraction
    share: Fraction = Fraction(1)  # of the variance over trials, in that over questions

    def fixed(self, N: int) -> Fraction:
        """The variance of the difference on these questions."""
        return (self.within(N) + self.step(N)) / (self.M * self.M)

    def sampled(self, N: int) -> QuestionVariance:
        """The variance of the difference over sampled questions."""
        return QuestionVariance(self.between + self.share * self.within(N) / self.M)


def critical_of_trials(a: Estimator, b: Estimator, confidence: float) -> Fraction:
    """Standard errors at which a difference on fixed questions is significant, by the present degrees of freedom."""
    largest = from_fraction(a.joint_range(b))
    freedom = df_of_trials(a.parts.x, a.squared_variances, b.parts.x, b.squared_variances, largest)
    z = value(quantile(error_rate(confidence, 2), freedom))  # a double: further digits depend on the language
    return Fraction(z)


def trials_to_detect(D: Fraction, z_required: Fraction, V: Callable[[int], Fraction], start: int) -> int | None:
    """The fewest trials from start at which D is at least z_required standard errors; None for D = 0."""
    if D == 0:
        return None
    square = z_required * z_required / (D * D)

    def ratio(n: int) -> Ratio:
        v = V(n)
        return square.numerator * v.numerator, square.denominator * v.denominator

    return smallest(ratio, start)


def questions_to_detect(D: Fraction, z_required: Fraction, confidence: float, x: QuestionVariance) -> int | None:
    """The fewest questions at which D is significant with the required power; None for D = 0.

    z_required: the sum of the normal quantiles of the confidence level and of the power.
    """
    if D == 0:
        return None
    z_of_power = z_required - fraction(normal_z(confidence))

    def questions_at(standard_errors: Fraction) -> int:
        return max(1, ceil(standard_errors * standard_errors * x.S / (D * D)))

    # The quantile of t falls as the number of questions rises. So a plan with the quantile of too few questions has too
    # many, and a plan with the quantile of too many questions too few: `fewest` stays at or below the result.
    fewest = questions_at(z_required)
    if (t := x.critical(fewest, confidence)) is not None:
        most = questions_at(t + z_of_power)
        # most >= fewest, so its critical value is not None: t is for the type checker
        fewest = max(fewest, questions_at((x.critical(most, confidence) or t) + z_of_power))

    def ratio(Q: int) -> Ratio:
        t = x.critical(Q, confidence)
        return (2, 1) if t is None else ((t + z_of_power) ** 2 * x.S / (D * D * Q)).as_integer_ratio()

    return smallest(ratio, fewest)


def powers(
    a: Estimator,
    b: Estimator,
    confidence: float,
    trials: Sequence[int],
    questions: Sequence[int],
    difference: Fraction | None = None,
) -> list[Powers]:
    """The probability that a true difference is significant at level 1 - confidence, at each of these sizes.

    difference: the true one, on the scale 0..1; None: the observed one.
    """
    M, growths, factor = a.parts.M, (Growth(a, "A"), Growth(b, "B")), a.joint_range(b) ** 2
    D, observed = question_variance(a, b, Units(M))
    within = sum((fraction(get(x.parts.x, TRIALS)) for x in (a, b)), Fraction(0)) / M
    # At the present trials the variance over questions is the observed one. Single trials do not show their part of it,
    # and equal outcomes do not show that trials vary independently: then all of it counts as theirs.
    unknown = a.parts.some_single or b.parts.some_single or not within
    share = Fraction(0) if unknown else min(Fraction(1), observed.S / within) or Fraction(1)
    x = VarianceComponents(
        M,
        lambda N: growths[0].trials(N) + growths[1].trials(N),
        lambda N: factor * growths[0].step(N),
        max(observed.S - share * within, Fraction(0)),
        share,
    )
    critical = critical_of_trials(a, b, confidence)
    return power_table(x, D if difference is None else difference, confidence, trials, questions, critical)


def power_table(
    x: VarianceComponents,
    D: Fraction,
    confidence: float,
    trials: Sequence[int],
    questions: Sequence[int],
    critical: Fraction | None = None,
) -> list[Powers]:
    """The power of a comparison at each of these sizes, if the true difference is D.

    critical: the standard errors at which a difference on fixed questions is significant; None: the normal quantile.
    With one trial of each question the comparison of fixed questions is that of sampled ones.
    """
    critical = fraction(normal_z(confidence)) if critical is None else critical

    def power(V: Fraction, critical: Fraction | None) -> float:
        return 0.0 if critical is None else value(normal_cdf(ext(float(abs(D)) / sqrt(V) - float(critical))))

    out = []
    for N in trials:
        y = x.sampled(N)
        *sampled, sampled_M = (power(y.S / Q, y.critical(Q, confidence)) for Q in (*questions, x.M))
        out.append(Powers(N, power(x.fixed(N), critical) if N > 1 else sampled_M, sampled))
    return out
