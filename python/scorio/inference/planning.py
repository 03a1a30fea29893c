"""Variances at other numbers of trials and questions, and the smallest number that meets a rule: exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, isqrt, lcm, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic.distributions import error_rate, normal_cdf, normal_z
from ..arithmetic.double_double import Triple, ext, get, value
from ..arithmetic.rational import Ratio, from_fraction
from ..errors import InvalidInput
from ..metrics.metric import Metric, exact_credits, exact_value, steepest
from ..outcomes.states import Array
from . import mean
from .clusters import Units
from .degrees_of_freedom import MOST, df_of_trials
from .difference import quantile
from .estimator import Estimator
from .variance import TRIALS

Ratios = list[Fraction]
MOST_BITS = 2**14  # of the common denominator of exact_values()


def fraction(x: Triple) -> Fraction:
    """The exact value of a triple."""
    return (Fraction(x[0]) + Fraction(x[1])) * Fraction(2) ** (256 * int(x[2]))


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
        """The stabiliser: the largest step of the metric times k / (N + k - 1)."""
        k = self.m.k
        return _largest_step(self.m, N) * Fraction(k, N + k - 1)


def _largest_step(m: Metric, N: int) -> Fraction:
    """The largest rise of the metric by one success more of N trials."""
    if m.name in ("mean", "max_at_k", "pass_at_k", "pass_hat_k"):
        return Fraction(m.k, N)
    A, c = exact_credits(m), steepest(m, N)
    return exact_value(m, N, c + 1, A) - exact_value(m, N, c, A)


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


def exact_values(x: Estimator) -> tuple[list[Ratio], Array]:
    """The metric of each state on the scale 0..1, and the state of each question.

    They are double-doubles if their common denominator could have more than MOST_BITS bits.
    """
    if sum(x.m.k * n.bit_length() for n in np.unique(x.counts.trials).tolist()) > MOST_BITS:
        u, which = x.values()
        return [fraction(get(u, i)).as_integer_ratio() for i in range(len(u))], which
    if x.m.name == "mean":
        s = mean.scale(x.m.w)
        return mean.exact_values(x.counts, s.U, s.span)
    if x.m.name == "max_at_k":
        return [z.as_integer_ratio() for z in _max_at_k_values(x)], x.values()[1]
    A = exact_credits(x.m) if x.m.name not in ("pass_at_k", "pass_hat_k") else []
    states = zip(*(a.tolist() for a in x.counts.states()[:2]), strict=True)
    return [exact_value(x.m, n, c, A).as_integer_ratio() for n, c in states], x.values()[1]


def _max_at_k_values(x: Any) -> Ratios:
    k, rows = x.m.k, x.exact_steps()
    return [sum((g * (1 - Fraction(comb(b, k), comb(n, k))) for g, b in steps), Fraction(0)) for n, _, steps in rows]


class QuestionVariance(NamedTuple):
    """The variance (Q S + part) / Q^2 of a mean difference over Q questions, and what determines its df.

    part is the stabiliser, error the variance of a question's contribution to S, units the effective number of units
    per question.
    """

    S: Fraction
    error: Fraction
    part: Fraction = Fraction(1, 2)
    units: Fraction = Fraction(1)

    def of_sum(self, Q: int) -> Fraction:
        """The variance of the sum of the differences of Q questions."""
        return Q * self.S + self.part

    def critical(self, Q: int, confidence: float) -> Fraction | None:
        """Standard errors at which a difference of Q questions is significant; None for fewer than two units."""
        S, B, c, most = self.S, self.error, self.part, Q * self.units - 1
        if most < 1:
            return None
        dip = c * (B - 2 * c * S) / (S * B) if B > 2 * c * S > 0 else 0  # where the df are fewest
        q = max(Q, dip)  # so that the quantile never rises with Q
        freedom = min(most, 2 * (q * S + c) ** 2 / (q * B + c * c), Fraction(MOST[0]))
        return fraction(quantile(error_rate(confidence, 2), from_fraction(freedom)))


def question_variance(a: Estimator, b: Estimator | None, units: Units) -> tuple[Fraction, QuestionVariance]:
    """Mean over questions of a's metric minus b's (if b is not None), and its variance components over questions."""
    D, parts, unit = _parts_of_units(a, b, units)
    M, S = units.M, units.M * unit * sum(number * z for z, number in parts)
    B = M**3 * unit * unit * sum(number * z * z for z, number in parts) - S * S * M / units.G
    return D, QuestionVariance(S, B, Fraction(units.squared, 2 * M), (units.exact_freedom + 1) / M)


def mean_difference(a: Estimator, b: Estimator | None) -> Fraction:
    """The mean over questions of a's metric minus b's (if b is not None), as an exact fraction."""
    return _parts_of_units(a, b, Units(a.parts.M))[0]


def _parts_of_units(
    a: Estimator, b: Estimator | None, units: Units
) -> tuple[Fraction, list[tuple[int | Fraction, int]], Fraction]:
    """The mean difference; the unbiased parts of its variance, each with the number of units that have it; their unit.

    Without clusters the parts are integers: fractions would be reduced at every step.
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
        return D, [], unit
    if units.labels is None:
        squares = [((M * (U[i] - V[j]) - total) ** 2, number) for (_, i, j), number in cells.items()]
        return D, squares, unit / (M * (M - 1))
    deviations = [0] * units.G
    for (g, i, j), number in cells.items():
        deviations[g] += number * (M * (U[i] - V[j]) - total)
    sizes = units.sizes.tolist()
    return D, [(Fraction(x * x, (M - m) ** 2 + P - m * m), 1) for x, m in zip(deviations, sizes, strict=True)], unit


# --- power ------------------------------------------------------------------------------------------


class Powers(NamedTuple):
    """The power at a number of trials per question: on this question set, and for each number of sampled questions."""

    trials: int
    fixed: float
    sampled: list[float]


class VarianceComponents(NamedTuple):
    """Variance components that a plan of a comparison is computed from, on the scale 0..1.

    within and step are functions of the number of trials: the variance over the trials summed over M questions, of both
    models, and the stabiliser. between is the variance of the difference over questions, excess the variance of a
    question's squared deviation over the square of its mean: 2 for normal differences.
    """

    M: int
    within: Callable[[int], Fraction]
    step: Callable[[int], Fraction]
    between: Fraction
    excess: Fraction = Fraction(2)

    def fixed(self, N: int) -> Fraction:
        """The variance of the difference on these questions."""
        return (self.within(N) + self.step(N)) / (self.M * self.M)

    def sampled(self, N: int) -> QuestionVariance:
        """The variance of the difference over sampled questions."""
        S = self.between + self.within(N) / self.M
        return QuestionVariance(S, self.excess * S * S)


def critical_of_trials(a: Estimator, b: Estimator, confidence: float) -> Fraction:
    """Standard errors at which a difference on fixed questions is significant, by the present degrees of freedom."""
    freedom = df_of_trials(a.parts.x, a.trials_error(), b.parts.x, b.trials_error())
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
        square = standard_errors * standard_errors
        terms = (square * x.S, square * x.part, D * D)
        unit = lcm(*(y.denominator for y in terms))
        a, b, c = (int(y * unit) for y in terms)  # integers: fractions would be reduced at every step
        return smallest(lambda Q: (a * Q + b, c * Q * Q))

    # The quantile of t falls as the number of questions rises. So a plan with the quantile of too few questions has too
    # many, and a plan with the quantile of too many questions too few: `fewest` stays at or below the result.
    fewest = questions_at(z_required)
    if (t := x.critical(fewest, confidence)) is not None:
        most = questions_at(t + z_of_power)
        # most >= fewest, so its critical value is not None: t is for the type checker
        fewest = max(fewest, questions_at((x.critical(most, confidence) or t) + z_of_power))

    def ratio(Q: int) -> Ratio:
        t = x.critical(Q, confidence)
        return (2, 1) if t is None else ((t + z_of_power) ** 2 * x.of_sum(Q) / (D * D * Q * Q)).as_integer_ratio()

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
    M, growths = a.parts.M, (Growth(a, "A"), Growth(b, "B"))
    D, observed = question_variance(a, b, Units(M))
    within = sum((fraction(get(x.parts.x, TRIALS)) for x in (a, b)), Fraction(0)) / M
    excess = observed.error / observed.S**2 if observed.S else Fraction(0)
    x = VarianceComponents(
        M,
        lambda N: growths[0].trials(N) + growths[1].trials(N),
        growths[0].step,
        max(observed.S - within, Fraction(0)),
        excess,
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
        p: float = 0.0 if critical is None else value(normal_cdf(ext(float(abs(D)) / sqrt(V) - float(critical))))
        return p

    out = []
    for N in trials:
        y = x.sampled(N)
        *sampled, sampled_M = (power(y.of_sum(Q) / (Q * Q), y.critical(Q, confidence)) for Q in (*questions, x.M))
        out.append(Powers(N, power(x.fixed(N), critical) if N > 1 else sampled_M, sampled))
    return out
