"""Variance components of a mean over questions, within-question and question-sampling, and intervals from them.

The formulas: spec/families/intervals.md. Within-question variance is that over trials, or trial-to-trial variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic.distributions import beta_high, beta_low, normal_cdf, t_cdf
from ..arithmetic.double_double import (
    ONE,
    ZERO,
    Table,
    Triple,
    add,
    div,
    exp,
    ext,
    get,
    mul,
    neg,
    product,
    put,
    root,
    sub,
    times_2_to,
    value,
)
from ..arithmetic.jit import jit
from ..results import VarianceSource

# the rows of Parts.x: the metric in [0, 1]; 1 minus it; sum of v, the variances of the questions' trials; sum of the
# questions' squared deviations, times M/(M-1); D k/(n+k-1), D the largest step; 1/n, n the fewest trials; the largest
# difference between two trials of a question, as it counts (mean.as_range)
THETA, REST, TRIALS, DEVIATIONS, STEP, INVERSE, RANGE = range(7)
ROWS = 7
NEAR_END = 2.0**-10  # a complement of an end below this is computed as a quantile, not by subtraction from 1


class Parts(NamedTuple):
    """The variance components of a mean of M questions; every question has k trials or more."""

    M: int
    k: int
    x: Table  # ROWS triples, see above
    single: bool  # no question identifies the variance of its trials
    some_single: bool  # some question does not identify it
    short: bool  # some question has fewer than 2k trials
    use_mixture: bool  # a model gives the variance of questions with fewer than 2k trials
    model: VarianceSource = "modelled"  # by a mixture of success rates, or "probit"

    def variance_source(self) -> VarianceSource:
        """How the within-question variance was obtained."""
        if self.some_single or (self.short and not self.use_mixture):
            return "upper bound"
        return self.model if self.short else "measured"


class IntervalParts(NamedTuple):
    """Arguments of the interval kernels.

    The variance is share times the variance over trials, plus rest times the variance over the sampling of questions.
    """

    x: Table
    M: int
    k: int
    sampling_variance: Triple  # the variance over the sampling of questions, or of clusters of them
    unit: Triple  # 1/M, or with clusters the sum of their squared shares: the largest possible 1 / n_eff if sampled
    single: bool  # as in Parts: the variance over trials is then unknown, and share is taken to be 0
    share: Triple
    rest: Triple  # 1 minus share; elsewhere rest is 1 minus theta
    V_of_runs: Triple  # the variance with runs, ZERO where these add nothing; and 1 / n0 with them
    unit_of_runs: Triple


@jit
def larger(x, y):
    return x if sub(x, y)[0] >= 0.0 else y


@jit
def stabiliser(x, y, largest):
    """The addition of one further trial of a model x, or of either of two models, to the sum of the variances.

    It differs from the others by as much as two trials of a question did: largest, of mean.as_range().
    """
    return mul(larger(get(x, STEP), get(y, STEP)), mul(largest, largest))


@jit
def two_steps(x, y, k, largest):
    """Twice the most by which one trial more can change a question's metric of k trials of either of two models."""
    step = ZERO
    for z in (x, y):
        n = div(ONE, get(z, INVERSE))
        step = larger(step, div(mul(get(z, STEP), add(n, ext(float(k - 1)))), ext(float(k))))
    return times_2_to(mul(largest, step), 1.0)


@jit
def over_square(x, n):
    """x / n^2 of an integer n."""
    return div(div(x, ext(float(n))), ext(float(n)))


@jit
def fixed(x, M):
    """Variance over the trials, of the metric on these questions."""
    return over_square(add(get(x, TRIALS), stabiliser(x, x, get(x, RANGE))), M)


@jit
def sampling_of_questions(x, M):
    """Variance over the sampling of M questions, estimated from their squared deviations."""
    return over_square(add(get(x, DEVIATIONS), div(ONE, ext(12.0))), M)


@jit
def effective_size(theta, rest, V, unit):
    """Effective sample size: the number of independent trials, at least n0, that would give the variance V."""
    return div(ONE, wilson_q(theta, rest, V, unit, ONE, ONE))


@jit
def wilson_q(theta, rest, V, unit, t, z):
    """q of Wilson's interval: t^2 V / (theta rest), at most z^2 / n0, which is also q where theta is 0 or 1."""
    most, spread = mul(mul(z, z), unit), mul(theta, rest)
    if spread[0] <= 0.0:
        return most
    q = div(mul(mul(t, t), V), spread)
    return most if sub(q, most)[0] >= 0.0 else q


@jit
def size_and_q(p, theta, rest, t, z, t_of_runs):
    """The effective sample size, and q of Wilson's interval: with runs, or without them if that is wider."""
    V, unit = variance_and_unit(p)
    n, q = effective_size(theta, rest, V, unit), wilson_q(theta, rest, V, unit, t, z)
    if p.V_of_runs[0] <= 0.0:
        return n, q
    n_of_runs = effective_size(theta, rest, p.V_of_runs, p.unit_of_runs)
    q_of_runs = wilson_q(theta, rest, p.V_of_runs, p.unit_of_runs, t_of_runs, t_of_runs)
    return (n if sub(n_of_runs, n)[0] > 0.0 else n_of_runs), larger(q, q_of_runs)


@jit
def unit_of_trials(x, M, k):
    """1 / n0 of a metric of k trials on these M questions: n0 = n M / k, n the fewest trials."""
    return div(mul(ext(float(k)), get(x, INVERSE)), ext(float(M)))


@jit
def variance_and_unit(p):
    """The variance of the metric, and 1 / n0, n0 the fewest independent trials to which it can correspond."""
    share, rest = (ZERO, ONE) if p.single else (p.share, p.rest)
    V = add(mul(share, fixed(p.x, p.M)), mul(rest, p.sampling_variance))
    return V, add(mul(share, unit_of_trials(p.x, p.M, p.k)), mul(rest, p.unit))


# --- components from tables over states -------------------------------------------------------------


@jit
def fill(u, rest, v, unknown, mult, M, x):
    """Fill the first four rows of x from u, 1 - u and v of each state; an unknown v is the squared deviation of u."""
    count = ext(float(M))
    theta, complement, trials, dev = ZERO, ZERO, ZERO, ZERO
    for s in range(mult.size):
        theta = add(theta, mul(get(u, s), ext(float(mult[s]))))
        complement = add(complement, mul(get(rest, s), ext(float(mult[s]))))
    theta, complement = div(theta, count), div(complement, count)
    bessel = div(count, ext(float(M - 1))) if M > 1 else ONE
    for s in range(mult.size):
        number, d = ext(float(mult[s])), sub(get(u, s), theta)
        square = mul(mul(mul(d, d), bessel), number)
        dev = add(dev, square)
        trials = add(trials, square if unknown[s] else mul(get(v, s), number))
    put(x, THETA, theta)
    put(x, REST, complement)
    put(x, TRIALS, trials if trials[0] > 0.0 else ZERO)
    put(x, DEVIATIONS, dev)


@jit
def raise_to_flip_bound(n, mult, u, x):
    """Raise the sum of v to at least the sum of u / (n (n-1)), an estimate of a lower bound of the sum of variances.

    Both are equal if all success rates are 0, 1/2 or 1. The variance of a question's flips is a multiple of x =
    p (1 - p) minus one of x^2, and x^2 is at most x/4; the v may estimate x^2 to be more, and can sum to 0.
    """
    bound = ZERO
    for s in range(n.size):
        pairs = product(float(n[s]), float(n[s] - 1))
        bound = add(bound, div(mul(get(u, s), ext(float(mult[s]))), pairs))
    put(x, TRIALS, larger(get(x, TRIALS), bound))


@jit
def fill_unknown(u, unknown, theta, M, v):
    """Fill v with the squared deviation of u where v is unknown."""
    bessel = div(ext(float(M)), ext(float(M - 1))) if M > 1 else ONE
    for s in range(unknown.size):
        if unknown[s]:
            d = sub(get(u, s), theta)
            put(v, s, mul(mul(d, d), bessel))


@jit
def fill_trials(n, step, k, x):
    """Fill the last rows of x from the fewest trials of a question and the largest step of the metric there."""
    N = ext(float(n))
    put(x, STEP, mul(step, div(ext(float(k)), add(N, ext(float(k - 1))))))
    put(x, INVERSE, div(ONE, N))
    put(x, RANGE, ONE)


@jit
def fill_rows(row, at, low, high, r, P, Z, D, u, rest, v):
    """Fill u, 1 - u and v of Max@k, 0 at first, from the gaps r[low] to r[high] of each row, in rising order.

    at is the row of (n, b) in the tables P, Z, D of 1 - Z, Z, Z - Z'. Z and Z' are those of hypergeometric.two_samples;
    u = sum_l gap_l (1 - Z_l), v = sum_m gap_m D_m (gap_m Z_m + 2 sum_{l<m} gap_l Z_l), in shares of the range of r.
    """
    full = sub(ext(r[r.size - 1]), ext(r[0]))
    for t in range(row.size):
        s, j = row[t], at[t]
        gap = div(sub(ext(r[high[t]]), ext(r[low[t]])), full)
        Zl, below = mul(gap, get(Z, j)), get(rest, s)
        put(u, s, add(get(u, s), mul(gap, get(P, j))))
        put(v, s, add(get(v, s), mul(mul(gap, get(D, j)), add(Zl, times_2_to(below, 1.0)))))
        put(rest, s, add(below, Zl))


@jit
def jackknife(n, c, more, fewer, out):
    """Jackknife variance (n-1)/n c (n-c)/n (more - fewer)^2; more, fewer: the metric less a failure, a success."""
    for s in range(n.size):
        d = sub(get(more, s), get(fewer, s))
        spread = mul(product(float(n[s] - 1), float(c[s])), ext(float(n[s] - c[s])))
        put(out, s, over_square(mul(spread, mul(d, d)), n[s]))


@jit
def probit_integrand(square, s):
    """The integrand e^(-square/(2-s^2)) / sqrt(2-s^2): 1/pi of it is the rate at which P(Z, Z' <= h) falls with s.

    Z and Z' are normal with correlation 1 - s^2, and square is h^2.
    """
    rest = sub(add(ONE, ONE), mul(s, s))
    return div(exp(neg(div(square, rest))), root(rest))


# --- pairs ------------------------------------------------------------------------------------------


@jit
def fixed_pair(x, y, M, largest):
    """Variance over the trials of a difference; largest: the largest difference between two trials of a question."""
    return over_square(add(add(get(x, TRIALS), get(y, TRIALS)), stabiliser(x, y, largest)), M)


@jit
def parts_of_pair(x, y, largest):
    """The part of each model in fixed_pair, times M^2; half of the stabiliser is of each."""
    half = times_2_to(stabiliser(x, y, largest), -1.0)
    return add(get(x, TRIALS), half), add(get(y, TRIALS), half)


@jit
def unbiased(squares, M):
    """The sum of squared deviations of M questions, times M/(M-1)."""
    return div(mul(squares, ext(float(M))), ext(float(M - 1)))


@jit
def joint_squares(a, b, mult, u, v, D):
    """Sum of d^2 over joint states (a, b), d = u_a - v_b - D."""
    total = ZERO
    for i in range(mult.size):
        d = sub(sub(get(u, a[i]), get(v, b[i])), D)
        total = add(total, mul(mul(d, d), ext(float(mult[i]))))
    return total


@jit
def joint_cubes(a, b, mult, u, v, D):
    """Sums of d^3 and of its square over joint states (a, b), d = u_a - v_b - D."""
    third, sixth = ZERO, ZERO
    for i in range(mult.size):
        d, number = sub(sub(get(u, a[i]), get(v, b[i])), D), ext(float(mult[i]))
        cube = mul(mul(d, d), d)
        third, sixth = add(third, mul(cube, number)), add(sixth, mul(mul(cube, cube), number))
    return third, sixth


@jit
def cubes_over(third, sixth, M):
    """The sums of joint_cubes() for a mean over M questions, from those for their sum."""
    n = ext(float(M))
    cube = mul(mul(n, n), n)
    return div(third, cube), div(sixth, mul(cube, cube))


@jit
def cancelled(D, x, y):
    """Whether D, a difference of x and y, lost more than 40 bits by cancellation."""
    size = D if D[0] >= 0.0 else neg(D)
    return sub(times_2_to(size, 40.0), larger(x, y))[0] < 0.0


# --- clusters of questions -------------------------------------------------------------------------


@jit
def cluster_means(g, at, mult, u, sizes, out):
    """Fill out with the mean of u in each cluster; mult[i] questions of cluster g[i] have the value u[at[i]]."""
    for j in range(sizes.size):
        put(out, j, ZERO)
    for i in range(g.size):
        put(out, g[i], add(get(out, g[i]), mul(get(u, at[i]), ext(float(mult[i])))))
    for j in range(sizes.size):
        put(out, j, div(get(out, j), ext(float(sizes[j]))))


@jit
def differences(x, y):
    """Differences x - y, row by row."""
    out = np.empty_like(x)
    for g in range(x.shape[0]):
        put(out, g, sub(get(x, g), get(y, g)))
    return out


@jit
def unbiased_parts(means, center, sizes, M, squared, out):
    """Fill out[g] with a_g (mean_g - center)^2, a_g = m^2 / ((M - m)^2 + sum of the other squared sizes)."""
    for g in range(sizes.size):
        m, d = float(sizes[g]), sub(get(means, g), center)
        rest = add(product(float(M - sizes[g]), float(M - sizes[g])), ext(squared - m * m))
        put(out, g, mul(div(product(m, m), rest), mul(d, d)))


@jit
def cubes_of_clusters(means, center, sizes, M, out):
    """Fill out[g] with (m (mean_g - center) / M)^3, m the size of cluster g."""
    for g in range(sizes.size):
        d = div(mul(sub(get(means, g), center), ext(float(sizes[g]))), ext(float(M)))
        put(out, g, mul(mul(d, d), d))


@jit
def sums(parts):
    """The sum of the parts, and the sum of their squares."""
    total, squares = ZERO, ZERO
    for g in range(parts.shape[0]):
        x = get(parts, g)
        total, squares = add(total, x), add(squares, mul(x, x))
    return total, squares


# --- ends -------------------------------------------------------------------------------------------


@jit
def wilson(theta, rest, n_eff, z):
    """Wilson's interval of n_eff trials, as wilson_ends returns it."""
    return wilson_ends(theta, rest, div(mul(z, z), n_eff))


@jit
def wilson_ends(theta, rest, q):
    """(lo, 1 - lo, hi, 1 - hi) around theta = 1 - rest, every one without a subtraction; q = z^2 / n_eff.

    lo = theta^2 / (theta + q/2 + d), 1 - lo = (rest + q/2 + d) / (1 + q), hi likewise from the other side;
    d^2 = q theta rest + q^2/4.
    """
    half = times_2_to(q, -1.0)
    d = root(add(mul(q, mul(theta, rest)), mul(half, half)))
    up, down = add(theta, add(half, d)), add(rest, add(half, d))
    whole = add(ONE, q)
    return div(mul(theta, theta), up), div(down, whole), div(up, whole), div(mul(rest, rest), down)


@jit
def hull(theta, rest, ends, down, up):
    """Widen the ends of wilson_ends to reach at least as far from theta = 1 - rest as down and up."""
    lo, under, hi, over = ends
    if sub(lo, sub(theta, down))[0] > 0.0:
        lo, under = sub(theta, down), add(rest, down)
    if sub(over, sub(rest, up))[0] > 0.0:
        hi, over = add(theta, up), sub(rest, up)
    return lo, under, hi, over


@jit
def equal_tails(theta, rest, n_eff, tail):
    """(lo, 1 - lo, hi, 1 - hi), quantiles of Beta(n_eff theta + 1/2, n_eff rest + 1/2); 0 or 1 where theta is."""
    a, b = add(mul(n_eff, theta), ext(0.5)), add(mul(n_eff, rest), ext(0.5))
    lo = beta_low(tail, a, b) if theta[0] > 0.0 else ZERO
    over = beta_low(tail, b, a) if rest[0] > 0.0 else ZERO
    under, hi = sub(ONE, lo), sub(ONE, over)
    if value(under) < NEAR_END:
        under = beta_high(tail, b, a)
    if value(hi) < NEAR_END:
        hi = beta_high(tail, a, b)
    return lo, under, hi, over


@jit
def tail(confidence):
    """The tail probability (1 - confidence) / 2, exactly."""
    return times_2_to(sub(ONE, ext(confidence)), -1.0)


@jit
def rescale(mu, x, n_eff, ends, low, high):
    """(mu, sigma, lo, hi, n_eff) as doubles, for scores low..high: an end y in 0..1 becomes (1 - y) low + y high."""
    low, high = ext(low), ext(high)
    sigma = mul(sub(high, low), root(div(mul(get(x, THETA), get(x, REST)), n_eff)))
    lo = add(mul(ends[1], low), mul(ends[0], high))
    hi = add(mul(ends[3], low), mul(ends[2], high))
    return value(mu) + 0.0, value(sigma), value(lo) + 0.0, value(hi) + 0.0, value(n_eff)


@jit
def wilson_interval(p, t, z, t_of_runs, mu, low, high):
    """Wilson's interval around mu for scores low..high.

    t, z, t_of_runs: quantiles for the variance, where n0 bounds it, and for the variance with runs.
    """
    theta, rest = get(p.x, THETA), get(p.x, REST)
    n_eff, q = size_and_q(p, theta, rest, t, z, t_of_runs)
    return rescale(mu, p.x, n_eff, wilson_ends(theta, rest, q), low, high)


@jit
def beta_interval(p, confidence, t, z, t_of_runs, normal, mu, low, high):
    """The equal-tailed interval of a beta distribution around mu for scores low..high.

    Its n is such that Wilson's interval with this n and the normal quantile is the one with the other quantiles.
    """
    theta, rest = get(p.x, THETA), get(p.x, REST)
    n_eff, q = size_and_q(p, theta, rest, t, z, t_of_runs)
    ends = equal_tails(theta, rest, div(mul(normal, normal), q), tail(confidence))
    return rescale(mu, p.x, n_eff, ends, low, high)


@jit
def probability_above(p, t, over, freedom, freedom_of_units, freedom_of_runs):
    """Probability that the metric is above t, over = 1 - t; with runs, or without them if that is nearer to 1/2."""
    V, unit = variance_and_unit(p)
    x = one_probability_above(p, V, unit, t, over, freedom, freedom_of_units)
    if p.V_of_runs[0] <= 0.0:
        return x
    y = one_probability_above(p, p.V_of_runs, p.unit_of_runs, t, over, freedom_of_runs, freedom_of_runs)
    is_above = sub(get(p.x, THETA), t)[0] > 0.0
    return larger(x, y) if not is_above else neg(larger(neg(x), neg(y)))


@jit
def one_probability_above(p, V, unit, t, over, freedom, freedom_of_units):
    """P(T <= (theta - t) sqrt(n) / sqrt(t over)).

    n is theta (1 - theta) / V, or 1 / unit if the probability is then farther from 1/2. T has `freedom` degrees of
    freedom, with 1 / unit `freedom_of_units`; ZERO stands for the normal distribution.
    """
    x, spread = div(sub(get(p.x, THETA), t), root(mul(t, over))), mul(get(p.x, THETA), get(p.x, REST))
    p_by_n0 = cdf(div(x, root(unit)), freedom_of_units)
    if spread[0] <= 0.0:
        return p_by_n0
    p_by_V = cdf(mul(x, root(div(spread, V))), freedom)
    return larger(p_by_V, p_by_n0) if x[0] > 0.0 else neg(larger(neg(p_by_V), neg(p_by_n0)))


@jit
def cdf(x, freedom):
    """The cdf of the t distribution, or of the normal distribution if freedom is ZERO."""
    return t_cdf(x, freedom) if freedom[0] > 0.0 else normal_cdf(x)
