"""Bounds on a difference that account for kinds of question which the sample lacks.

The formulas: spec/families/looks.md, "Variance at the margin" and "Results".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..arithmetic.distributions import beta_cdf, beta_high
from ..arithmetic.double_double import ONE, ZERO, Triple, add, div, exp, ext, log, mul, neg, root, sub, value
from .degrees_of_freedom import smaller
from .difference import Difference, lower_tail, quantile
from .variance import larger

HALF = ext(0.5)
EIGHTHS = 8  # steps in which hidden questions and sampling variation share a distance
MOST_UNITS = ext(2.0**32)  # more independent trials count as so many: an exact tail of n takes about sqrt(n) steps
MAX_STEPS, PRECISION = 100, 2.0**-96  # of zero_between()


def distance_from_margin(d: Difference, margin: Triple) -> Triple:
    """The absolute value of D + margin."""
    x: Triple = add(d.D, margin)
    return x if x[0] >= 0.0 else neg(x)


def unsampled_share(d: Difference, margin: Triple) -> Triple:
    """The share of questions that the sample may lack: the margin, or if larger min(|D + margin|, 1/2)."""
    x: Triple = larger(margin, smaller(distance_from_margin(d, margin), HALF))
    return x


def with_largest_units(d: Difference, margin: Triple) -> Difference:
    """The difference, and its parts, with `unit` as if the largest clusters of unsampled_share() failed together."""
    share = unsampled_share(d, margin)
    parts = tuple((w, x._replace(unit=x.unit_of(div(share, w)))) for w, x in d.parts)
    return d._replace(unit=d.unit_of(share), parts=parts)


def unsampled_error(d: Difference, margin: Triple) -> Triple:
    """The standard error at D = -margin if questions that always fail or always succeed were not sampled."""
    share = unsampled_share(d, margin)
    x: Triple = root(mul(mul(share, sub(ONE, share)), d.unit))
    return x


def independent_trials(d: Difference) -> Triple:
    """The number of independent trials, at most MOST_UNITS: fewer give wider limits and larger p-values."""
    x: Triple = smaller(div(ONE, d.unit), MOST_UNITS)
    return x


def reach_of_unsampled(d: Difference, tail: Triple, side: float) -> Triple:
    """The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."""
    n0 = independent_trials(d)
    if side > 0.0 or d.D[0] >= 0.0:
        x: Triple = mul(sub(ONE, mul(ext(side), d.D)), beta_high(tail, ONE, n0))
    else:
        failures = neg(mul(d.D, n0))
        successes = sub(n0, failures)
        x = add(d.D, beta_high(tail, add(failures, ONE), successes) if successes[0] > 0.0 else ONE)
    return larger(x, reach_of_suite(d, tail, sizes_of_parts(d, -side))) if d.parts else x


def p_value_of_unsampled(d: Difference, margin: Triple) -> Triple:
    """Probability that n0 questions show no more of a true difference of -margin than was observed: an exact p-value.

    The questions that the sample lacks differ by 1 in the direction of -margin, all others by the D that was observed;
    if D is between -margin and 0, a share -D of the sample fails entirely (Clopper and Pearson). Over a suite it is at
    least p_value_of_suite().
    """
    n0, distance = independent_trials(d), add(d.D, margin)
    if distance[0] > 0.0 > d.D[0]:
        failures = neg(mul(d.D, n0))
        p: Triple = beta_cdf(sub(ONE, margin), margin, sub(n0, failures), add(failures, ONE))
    else:
        if distance[0] < 0.0:  # distances of -margin and of D from 1
            margin_to_end, D_to_end = add(ONE, margin), sub(ONE, d.D)
        else:  # from -1
            margin_to_end, D_to_end = sub(ONE, margin), add(ONE, d.D)
        p = beta_cdf(div(margin_to_end, D_to_end), div(distance_from_margin(d, margin), D_to_end), n0, ONE)
    if not d.parts:
        return p
    return larger(p, p_value_of_suite(d, distance_from_margin(d, margin), sizes_of_parts(d, distance[0])))


# Of a benchmark of a suite: U/a, the number U of independent trials, and a, the change of D if it is hidden entirely
Size = tuple[Triple, Triple, Triple]


def sizes_of_parts(d: Difference, side: float) -> list[Size]:
    """Sizes of the benchmarks whose hidden (not sampled) questions can lower D (side > 0) or raise it, by U/a."""
    out = []
    for w, x in d.parts:
        a = mul(w, add(ONE, x.D) if side > 0.0 else sub(ONE, x.D))
        if a[0] > 0.0:
            U = div(ONE, x.unit)
            out.append((div(U, a), U, a))
    # a triple is ordered by its exponent, then by its doubles
    return sorted(out, key=lambda size: (size[0][2], *size[0][:2]))


def p_value_of_suite(d: Difference, distance: Triple, sizes: Sequence[Size]) -> Triple:
    """Largest probability that D is this far from its true value: some questions are hidden, the others vary.

    Hidden questions move D by j eighths of the distance with a probability of at most H, the largest product of
    (1 - h)^U over their shares h in the benchmarks; the rest of the distance is sampling variation, by the t
    distribution.
    """
    if not sizes:
        return ZERO
    p: Triple = exp(log_of_hidden_shares(sizes, distance))
    for j in range(1, EIGHTHS):
        moved, rest = split(distance, j)
        H = exp(log_of_hidden_shares(sizes, moved))
        if sub(H, p)[0] <= 0.0:
            break
        p = larger(p, mul(H, tail_of_variation(d, rest)))
    return p


def reach_of_suite(d: Difference, tail: Triple, sizes: Sequence[Size]) -> Triple:
    """The distance at which p_value_of_suite() is the tail, or that of sampling variation alone (j = 0) if larger."""
    if not sizes:
        return ZERO
    log_tail, hidden = log(tail), reach_of_hidden_shares(sizes, tail)
    variation = mul(quantile(tail, d.freedom), d.standard_error)

    def log_ratio(distance: Triple, j: int) -> Triple:
        moved, rest = split(distance, j)
        x: Triple = sub(add(log_of_hidden_shares(sizes, moved), log(tail_of_variation(d, rest))), log_tail)
        return x

    reach = larger(variation, hidden)
    for j in range(1, EIGHTHS):
        most = smaller(mul(hidden, ext(EIGHTHS / j)), mul(variation, ext(EIGHTHS / (EIGHTHS - j))))
        if sub(most, reach)[0] > 0.0 and log_ratio(reach, j)[0] > 0.0:
            reach = zero_between(partial(log_ratio, j=j), reach, most)
    return reach


def split(distance: Triple, j: int) -> tuple[Triple, Triple]:
    """j eighths of a distance, and the rest."""
    return mul(distance, ext(j / EIGHTHS)), mul(distance, ext(1.0 - j / EIGHTHS))


def tail_of_variation(d: Difference, distance: Triple) -> Triple:
    """Probability that D is at least this distance above its mean."""
    return lower_tail(neg(div(distance, d.standard_error)), d.freedom)


def zero_between(f: Callable[[Triple], Triple], low: Triple, high: Triple) -> Triple:
    """The zero of a decreasing function that is positive at low, negative at high: false position (Illinois)."""
    at_low, at_high, last, x = f(low), f(high), 0, low
    for _ in range(MAX_STEPS):
        if not sub(at_low, at_high)[0] > 0.0:
            break
        new = add(low, div(mul(at_low, sub(high, low)), sub(at_low, at_high)))
        if abs(value(sub(new, x))) <= PRECISION * value(new):
            return new
        x, y = new, f(new)
        if y[0] > 0.0:
            low, at_low, at_high, last = x, y, mul(at_high, HALF) if last > 0 else at_high, 1
        else:
            high, at_high, at_low, last = x, y, mul(at_low, HALF) if last < 0 else at_low, -1
    return x


def log_of_hidden_shares(sizes: Sequence[Size], distance: Triple) -> Triple:
    """Logarithm of the largest probability that samples of all benchmarks lack shares h which move D by the distance.

    The probability is the product of (1 - h)^U, the sum of a h is the distance, and 1 - h = min(1, U / (a m)) with one
    m for all.
    """
    logs = sum_U = sum_a = ZERO
    m = ONE
    for i, (ratio, U, a) in enumerate(sizes):
        logs, sum_U, sum_a = add(logs, mul(U, log(ratio))), add(sum_U, U), add(sum_a, a)
        rest = sub(sum_a, distance)
        if rest[0] > 0.0:
            m = div(sum_U, rest)
            if i + 1 == len(sizes) or sub(m, sizes[i + 1][0])[0] <= 0.0:
                break
    x: Triple = sub(logs, mul(sum_U, log(m)))
    return x


def reach_of_hidden_shares(sizes: Sequence[Size], tail: Triple) -> Triple:
    """The distance at which the probability of log_of_hidden_shares() is the tail."""
    logs, sum_U, sum_a, m = neg(log(tail)), ZERO, ZERO, ONE
    for i, (ratio, U, a) in enumerate(sizes):
        logs, sum_U, sum_a = add(logs, mul(U, log(ratio))), add(sum_U, U), add(sum_a, a)
        m = exp(div(logs, sum_U))
        if i + 1 == len(sizes) or sub(m, sizes[i + 1][0])[0] <= 0.0:
            break
    x: Triple = sub(sum_a, div(sum_U, m))
    return x
