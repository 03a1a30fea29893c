# Variance components of a mean over questions, within-question and question-sampling, and intervals from them.
# The formulas: spec/families/intervals.md. Within-question variance is that over trials, or trial-to-trial variance.

module Variance

using ..DoubleDouble: HALF, ONE, Triple, ZERO, product, times_2_to, value
using ..Distributions: beta_high, beta_low, normal_cdf, t_cdf

const NEAR_END = 2.0^-10  # a complement of an end below this is computed as a quantile, not by subtraction from 1

"Variance components of a mean over M questions, each with k trials or more."
mutable struct Parts
    M::Int
    k::Int
    theta::Triple  # the metric in [0, 1]
    rest::Triple  # 1 - theta
    trials::Triple  # sum of v, the trial-to-trial variances of the questions
    dev::Triple  # sum of squared deviations of the questions, times M/(M-1)
    step::Triple  # D k/(n+k-1), n the fewest trials of a question, D the largest step of the metric there
    inverse::Triple  # 1/n
    range::Triple  # the largest difference between two trials of a question, as it counts
    single::Bool  # no question identifies the variance of its trials
    some_single::Bool  # some question does not identify it
    short::Bool  # some question has fewer than 2k trials
    use_mixture::Bool  # a model gives the variance of questions with fewer than 2k trials
    model::String  # "modelled" (a mixture of success rates) or "probit"
end

Parts(x...) = Parts(x..., "modelled")

"How the trial-to-trial variance was obtained."
variance_source(p) = p.some_single || (p.short && !p.use_mixture) ? "upper bound" : p.short ? p.model : "measured"

larger(x, y) = x >= y ? x : y

"""
What one further trial of a model p, or of either of two models, could add to the sum of the variances.

It differs from the others by as much as two trials of a question did: largest, of Means.largest_range().
"""
stabiliser(p, q, largest) = larger(p.step, q.step) * (largest * largest)

"Twice the most by which one trial more can change a question's metric of k trials of either of two models."
function two_steps(p, q, largest)
    rise(x) = x.step * (ONE / x.inverse + (x.k - 1)) / x.k
    return times_2_to(largest * larger(rise(p), rise(q)), 1.0)
end

"x / n^2 of an integer n."
over_square(x, n) = x / n / n

"Variance over the trials, of the metric on these questions."
fixed_variance(p) = over_square(p.trials + stabiliser(p, p, p.range), p.M)

"Variance over the sampling of questions, estimated from their squared deviations."
sampling_of_questions(p) = over_square(p.dev + ONE / 12, p.M)

"q of Wilson's interval: t^2 V / (theta rest), at most z^2 / n0, which is also q where theta is 0 or 1."
function wilson_q(theta, rest, V, unit, t, z)
    most, spread = z * z * unit, theta * rest
    spread.hi <= 0.0 && return most
    q = t * t * V / spread
    return q >= most ? most : q
end

"Effective sample size: the number of independent trials, at least n0, that would give the variance V."
effective_size(theta, rest, V, unit) = ONE / wilson_q(theta, rest, V, unit, ONE, ONE)

"""
The effective sample size, and q of Wilson's interval; t, z: the arguments of wilson_q().

of_runs: the variance, 1 / n0 and the t quantile with runs, of which the smaller size and the larger q count; or
nothing.
"""
function size_and_q(theta, rest, V, unit, (t, z), of_runs)
    n, q = effective_size(theta, rest, V, unit), wilson_q(theta, rest, V, unit, t, z)
    of_runs === nothing && return n, q
    V, unit, t = of_runs
    m = effective_size(theta, rest, V, unit)
    return n >= m ? m : n, larger(q, wilson_q(theta, rest, V, unit, t, t))
end

"""
Variance of an estimate, and 1 / n0: n0 is the fewest independent trials to which it can correspond.

sampling_variance: that over the sampling of questions or clusters; unit: 1/M, or with clusters the sum of their
squared shares; share: the weight of the variance over trials; rest: the weight of that over the sampling.
"""
function variance_and_unit(p, sampling_variance, unit, share, rest)
    if p.single
        share, rest = ZERO, ONE
    end
    V = share * fixed_variance(p) + rest * sampling_variance
    return V, share * unit_of_trials(p) + rest * unit
end

"1 / n0 of a metric of k trials on these M questions: n0 = n M / k, n the fewest trials."
unit_of_trials(p) = p.k * p.inverse / p.M

# --- components from tables over states ----------------------------------------------------------------

"(theta, 1 - theta, trials, dev) from u, 1 - u and v of each state; an unknown v is the squared deviation of u."
function components_of_states(u, rest, v, unknown, mult, M)
    count = Triple(M)
    theta, complement, trials, dev = ZERO, ZERO, ZERO, ZERO
    for s in eachindex(mult)
        theta += u[s] * mult[s]
        complement += rest[s] * mult[s]
    end
    theta, complement = theta / count, complement / count
    bessel = M > 1 ? count / (M - 1) : ONE
    for s in eachindex(mult)
        number, d = Triple(mult[s]), u[s] - theta
        square = d * d * bessel * number
        dev += square
        trials += unknown[s] ? square : v[s] * number
    end
    return theta, complement, trials.hi > 0.0 ? trials : ZERO, dev
end

"""
The sum of u / (n (n-1)), an estimate of a lower bound of the sum of the variances of flips.

Both are equal if all success rates are 0, 1/2 or 1. The variance of a question's flips is a multiple of x = p (1 - p)
minus one of x^2, and x^2 is at most x/4; the v may estimate x^2 to be more, and can sum to 0.
"""
function flip_bound(n, mult, u)
    bound = ZERO
    for s in eachindex(n)
        bound += u[s] * mult[s] / product(n[s], n[s] - 1)
    end
    return bound
end

"Copy of v, with the squared deviation of u where v is unknown."
function with_deviations(v, u, unknown, theta, M)
    bessel, out = M > 1 ? Triple(M) / (M - 1) : ONE, copy(v)
    for s in eachindex(unknown)
        d = u[s] - theta
        unknown[s] && (out[s] = d * d * bessel)
    end
    return out
end

"The fields step, inverse and range from the fewest trials of a question and the largest step of the metric there."
of_fewest_trials(n, step, k) = step * (k / (Triple(n) + (k - 1))), ONE / n, ONE

"""
Fill u, 1 - u and v of Max@k, 0 at first, from the gaps r[low] to r[high] of each row, in rising order.

at is the row of (n, b) in the tables P, Z, D of 1 - Z, Z, Z - Z'. Z and Z' are those of Hypergeometric.two_samples;
u = sum_l gap_l (1 - Z_l), v = sum_m gap_m D_m (gap_m Z_m + 2 sum_{l<m} gap_l Z_l), in shares of the range of r.
"""
function fill_rows!(u, rest, v, row, at, low, high, r, P, Z, D)
    full = Triple(r[end]) - r[1]
    for t in eachindex(row)
        s, j = row[t], at[t]
        gap = (Triple(r[high[t]]) - r[low[t]]) / full
        Zl, below = gap * Z[j], rest[s]
        u[s] += gap * P[j]
        v[s] += gap * D[j] * (Zl + times_2_to(below, 1.0))
        rest[s] = below + Zl
    end
end

"Jackknife variance (n-1)/n c (n-c)/n (more - fewer)^2; more, fewer: the metric less a failure, a success."
function jackknife!(out, n, c, more, fewer)
    for s in eachindex(n)
        d = more[s] - fewer[s]
        spread = product(n[s] - 1, c[s]) * (n[s] - c[s])
        out[s] = over_square(spread * (d * d), n[s])
    end
end

# --- pairs ------------------------------------------------------------------------------------------

"Variance over the trials of a difference; largest: the largest difference between two trials of a question."
fixed_pair_variance(p, q, largest) = over_square(p.trials + q.trials + stabiliser(p, q, largest), p.M)

"The part of each model in fixed_pair_variance, times M^2; half of the stabiliser is of each."
function parts_of_pair(p, q, largest)
    half = times_2_to(stabiliser(p, q, largest), -1.0)
    return p.trials + half, q.trials + half
end

"The sum of squared deviations of M questions, times M/(M-1)."
unbiased(squares, M) = squares * M / (M - 1)

"Sum of d^2 over joint states (a, b), d = u_a - v_b - D."
function joint_squares(a, b, mult, u, v, D)
    total = ZERO
    for i in eachindex(mult)
        d = u[a[i]] - v[b[i]] - D
        total += d * d * mult[i]
    end
    return total
end

"Sums of d^3 and of its square over joint states (a, b), d = u_a - v_b - D."
function joint_cubes(a, b, mult, u, v, D)
    third, sixth = ZERO, ZERO
    for i in eachindex(mult)
        d, number = u[a[i]] - v[b[i]] - D, Triple(mult[i])
        cube = d * d * d
        third, sixth = third + cube * number, sixth + cube * cube * number
    end
    return third, sixth
end

"The sums of joint_cubes() for a mean over M questions, from those for their sum."
function cubes_over(third, sixth, M)
    n = Triple(M)
    cube = n * n * n
    return third / cube, sixth / (cube * cube)
end

"Whether D, a difference of x and y, lost more than 40 bits by cancellation."
cancelled(D, x, y) = times_2_to(D.hi >= 0.0 ? D : -D, 40.0) < larger(x, y)

# --- ends -------------------------------------------------------------------------------------------

"Wilson's interval of n_eff trials, as wilson_ends returns it."
wilson(theta, rest, n_eff, z) = wilson_ends(theta, rest, z * z / n_eff)

"""
(lo, 1 - lo, hi, 1 - hi) around theta = 1 - rest, every one without a subtraction; q = z^2 / n_eff.

lo = theta^2 / (theta + q/2 + d), 1 - lo = (rest + q/2 + d) / (1 + q), hi likewise from the other side;
d^2 = q theta rest + q^2/4.
"""
function wilson_ends(theta, rest, q)
    half = times_2_to(q, -1.0)
    d = sqrt(q * (theta * rest) + half * half)
    up, down = theta + (half + d), rest + (half + d)
    whole = ONE + q
    return theta * theta / up, down / whole, up / whole, rest * rest / down
end

"Widen the ends of wilson_ends to reach at least as far from theta = 1 - rest as down and up."
function hull(theta, rest, ends, down, up)
    lo, under, hi, over = ends
    if lo > theta - down
        lo, under = theta - down, rest + down
    end
    if over > rest - up
        hi, over = theta + up, rest - up
    end
    return lo, under, hi, over
end

"(lo, 1 - lo, hi, 1 - hi), quantiles of Beta(n_eff theta + 1/2, n_eff rest + 1/2); 0 or 1 where theta is."
function equal_tails(theta, rest, n_eff, tail)
    a, b = n_eff * theta + 0.5, n_eff * rest + 0.5
    lo = theta.hi > 0.0 ? beta_low(tail, a, b) : ZERO
    over = rest.hi > 0.0 ? beta_low(tail, b, a) : ZERO
    under, hi = ONE - lo, ONE - over
    if value(under) < NEAR_END
        under = beta_high(tail, b, a)
    end
    if value(hi) < NEAR_END
        hi = beta_high(tail, a, b)
    end
    return lo, under, hi, over
end

"The tail probability (1 - confidence) / 2, exactly."
tail(confidence) = times_2_to(ONE - confidence, -1.0)

"(mu, sigma, lo, hi) as doubles for scores low..high: an end y in 0..1 becomes (1 - y) low + y high; mu is a score."
function rescale(mu, p, n_eff, ends, low, high)
    low, high = Triple(low), Triple(high)
    sigma = (high - low) * sqrt(p.theta * p.rest / n_eff)
    lo = ends[2] * low + ends[1] * high
    hi = ends[4] * low + ends[3] * high
    return value(mu) + 0.0, value(sigma), value(lo) + 0.0, value(hi) + 0.0
end

"""
Probability that the metric is above t: P(T <= (theta - t) sqrt(n) / sqrt(t over)), over = 1 - t.

n is theta (1 - theta) / V, or n0 if the probability is then farther from 1/2. T has `freedom` degrees of freedom, with
n0 `freedom_of_units`; ZERO stands for the normal distribution.
"""
function probability_above(p, V, unit, t, over, freedom, freedom_of_units)
    x, spread = (p.theta - t) / sqrt(t * over), p.theta * p.rest
    p_by_n0 = cdf(x / sqrt(unit), freedom_of_units)
    spread.hi <= 0.0 && return p_by_n0
    p_by_V = cdf(x * sqrt(spread / V), freedom)
    return x.hi > 0.0 ? larger(p_by_V, p_by_n0) : -larger(-p_by_V, -p_by_n0)
end

"The one of two probabilities that is nearer to 1/2, if both are on the same side."
nearer_to_half(p, q) = p > HALF ? -larger(-p, -q) : larger(p, q)

"The cdf of the t distribution, or of the normal distribution if freedom is ZERO."
cdf(x, freedom) = freedom == ZERO ? normal_cdf(x) : t_cdf(x, freedom)

end
