# Decision on a difference at a one-sided level, and its error rates over several looks at growing data.
# The formulas: spec/families/looks.md. At successive looks the differences behave as a process of independent increments:
# Cov(D_j, D_k) = V_k for j < k. Its time f at a look is the variance at the last look divided by the variance at that
# look.

# --- looks ------------------------------------------------------------------------------------------

module Sequential

Base.Experimental.@optlevel 2

using ..DoubleDouble: ONE, Triple, ZERO, ratio, times_2_to, value
using ..Distributions: cached, normal_cdf, normal_quantile
using ..Normal: INV_SQRT_2PI, bell, tail

const SPENDING = ("obrien-fleming", "pocock")
const MIN_LOOK_STEP = 1 / 256  # the smallest share of the information between two looks
const MAX_PAIRS = 10^7  # the most wins and losses, together, that pair_e_value takes
const HIGHEST, LEAST = 37.5, 1e-300  # the boundary of a look that may spend less than LEAST
# Gauss-Legendre quadrature of 16 points: the positive nodes, and their weights
const NODES = (
    0.09501250983763744, 0.2816035507792589, 0.45801677765722737, 0.6178762444026438, 0.755404408355003,
    0.8656312023878318, 0.9445750230732326, 0.9894009349916499,
)
const WEIGHTS = (
    0.1894506104550685, 0.18260341504492358, 0.16915651939500254, 0.14959598881657674, 0.12462897125553388,
    0.09515851168249279, 0.062253523938647894, 0.027152459411754096,
)

# --- spending functions -------------------------------------------------------------------------------

"Error rate that may be spent up to the fraction f of the information."
function spent_by(spending, alpha, f)
    a, time = Triple(alpha), Triple(f)
    if spending == "pocock"  # alpha log(1 + (e - 1) f)
        growth = (exp(ONE) - ONE) * time
        return a * log(ONE + growth)
    end
    return times_2_to(normal_cdf(-(quarter_z(alpha) / sqrt(time))), 2.0)  # 4 (1 - Phi(z / sqrt f))
end

"The normal quantile z with upper tail alpha / 4."
function quarter_z(alpha)
    quarter = times_2_to(Triple(alpha), -2.0)
    return cached(() -> normal_quantile(0.5 - quarter, quarter), (1, quarter, ZERO))
end

"""
Boundaries of looks at these increasing fractions, their two-sided p-values in a single look, and error rates spent.

The last fraction may be above 1.
"""
function crossing(fractions, alpha, spending)
    spent = Triple[spent_by(spending, alpha, min(f, 1.0)) for f in fractions]
    steps = Float64[value(k == 1 ? spent[1] : spent[k] - spent[k-1]) for k in 1:length(spent)]
    z = boundaries(fractions, steps)
    p = map(two_sided, z)
    if value(spent[1]) >= LEAST
        p[1] = value(spent[1])  # 2 (1 - Phi(z)) of a rounded z near 36 would be off by a thousand ulp
    end
    return (z = z, p = p, spent = map(value, spent))
end

"Two-sided p-value 2 (1 - Phi(z))."
two_sided(z) = value(times_2_to(normal_cdf(-Triple(z)), 1.0))

# --- the recursion ------------------------------------------------------------------------------------

"Boundaries z_k with P(|Z| first reaches its boundary at look k) = exits[k]."
function boundaries(f, exits)
    steps = Float64[k == 1 ? f[1] : f[k] - f[k-1] for k in 1:length(f)]
    x, mass, out = [0.0], [1.0], Float64[]  # before the first look: all at 0
    for k in 1:length(f)
        step = sqrt(steps[k])
        z = boundary(sqrt(f[k]), step, x, mass, exits[k])
        push!(out, z)
        if k < length(f)
            b = sqrt(f[k]) * z
            panels = max(1, ceil(Int, b / sqrt(min(steps[k], steps[k+1]))))
            x, mass = after_step(b, panels, step, x, mass)
        end
    end
    return out
end

"The z at which the process, now at x[i] with probability mass[i], leaves (-z scale, z scale) with P = target."
function boundary(scale, step, x, mass, target)
    target < LEAST && return HIGHEST
    low, high = 0.0, HIGHEST
    for _ in 1:60
        z = 0.5 * (low + high)
        total = 0.0
        for i in 1:length(x)
            total += mass[i] * tail((z * scale - x[i]) / step)
        end
        if 2.0 * total > target
            low = z
        else
            high = z
        end
    end
    return high
end

"Gauss-Legendre nodes on (-b, b) and the mass at each after one more step."
function after_step(b, panels, step, x, mass)
    nodes, out = Vector{Float64}(undef, 16 * panels), Vector{Float64}(undef, 16 * panels)
    half = b / panels
    for j in 1:16*panels
        i = (j - 1) % 16
        at, w = i < 8 ? (NODES[8-i], WEIGHTS[8-i]) : (NODES[i-7], WEIGHTS[i-7])
        middle = (2.0 * ((j - 1) ÷ 16) + 1.0) * half - b
        nodes[j] = i < 8 ? middle - half * at : middle + half * at
        total = 0.0
        for n in 1:length(x)
            total += mass[n] * bell((nodes[j] - x[n]) / step)
        end
        out[j] = (half * w) * (total * INV_SQRT_2PI / step)
    end
    return nodes, out
end

# --- tests at any time --------------------------------------------------------------------------------

"The pair a = 2 log(1/alpha), r = a + log(1 + a): r is the variance of the mixed differences, V(f = 1) being 1."
function mixture(alpha)
    a = times_2_to(-log(Triple(alpha)), 1.0)
    return a, a + log(ONE + a)
end

"E-value exp(z^2 rho / (2 (1 + rho))) / sqrt(1 + rho), rho = r f; its p-value; the |z| at which it is 1/alpha."
function e_value(z, f, alpha)
    a, r = mixture(alpha)
    rho = r * f
    total = ONE + rho
    square = Triple(z) * z
    growth = exp(times_2_to(square * rho / total, -1.0))
    e = growth / sqrt(total)
    stop = sqrt((ONE + ONE / rho) * (a + log(total)))
    return (e = value(e), p = p_value_of(e), z_stop = value(stop))
end

"The p-value of an e-value: min(1, 1/e)."
p_value_of(e) = e <= ONE ? 1.0 : value(ONE / e)

"The e-value 2^n / ((n + 1) C(n, wins)), n = wins + losses, and its p-value."
function pair_e_value(wins, losses)
    e = mixed_pairs(wins, losses)
    return (e = value(e), p = p_value_of(e))
end

"E-value of pairs: the product of 2i / (more + i), i = 1..fewer, times 2^more / (fewer + more + 1)."
function mixed_pairs(wins, losses)
    fewer, more = minmax(wins, losses)
    e = ONE / (fewer + more + 1)
    for i in 1:fewer
        e *= ratio(2 * i, more + i)
    end
    return times_2_to(e, Float64(more))
end

end

# --- the decision: the interval, and whether it is above or below a margin --------------------------

module Decision

using ..Scorio: ends
using ..DegreesOfFreedom: smaller
using ..Differences: by_trials, half_width, lower_tail, quantile, reported, tail_at
using ..Distributions: beta_cdf, beta_high, normal_cdf
using ..DoubleDouble: HALF, ONE, Triple, ZERO, clip, times_2_to, value
using ..Sequential: crossing
using ..Variance: larger

# More independent trials count as so many: an exact tail of n takes about sqrt(n) steps.
const MOST_UNITS = Triple(2.0^32)

"The one-sided level of the last of several looks at these fractions of the information."
level_of_look(fractions, alpha, spending) = normal_cdf(-Triple(last(crossing(fractions, alpha, spending).z)))

"A distance in units of w, rescaled to scores 0..1."
to_unit_scale(x, w) = x / span_of(w)

"The highest score minus the lowest."
function span_of(w)
    low, high = ends(w)
    return Triple(high) - low
end

"""
(mu, sigma, lo, hi) of a difference in units of w at a one-sided level, cut to possible differences.

With a margin (on the scale 0..1) both limits also account for what the sample may lack, as the decision on D > -margin
does.
"""
function rescaled_interval(d, tail, w, margin = nothing)
    below = above = half_width(d, tail, margin === nothing ? ZERO : -margin)
    if margin !== nothing && d.standard_error.hi != 0.0
        below = larger(below, quantile(tail, d.freedom) * tilted_error(d, margin))
        below, above = larger(below, reach_of_unsampled(d, tail, -1.0)), larger(below, reach_of_unsampled(d, tail, 1.0))
    end
    unit = span_of(w)
    largest = value(unit)
    scaled(x) = value(unit * x)
    lo = clip(scaled(d.D - below), -largest, largest)
    hi = clip(scaled(d.D + above), -largest, largest)
    return (mu = scaled(d.D) + 0.0, sigma = scaled(reported(d, tail)[1]), lo = lo, hi = hi)
end

# --- what the sample may lack --------------------------------------------------------------------------

"""
The standard error at D = -margin if too few failures were sampled.

If D moves by x, its variance moves by x times its third moment over its variance (exponential tilting). The third
moment is an estimate: the variance is taken as large as the uncertainty of that moment allows.
"""
function tilted_error(d, margin)
    (by_trials(d) || d.guard.hi == 0.0) && return d.standard_error
    x, (third, sixth), V = d.D + margin, d.cubes()::NTuple{2,Triple}, d.standard_error * d.standard_error
    skew = (x.hi >= 0.0 ? x : -x) * sqrt(sixth) - x * third
    return skew.hi > 0.0 ? sqrt(V + skew / V) : d.standard_error
end

"The number of independent trials, at most MOST_UNITS: fewer give wider limits and larger p-values."
independent_trials(d) = smaller(ONE / d.unit, MOST_UNITS)

"""
The largest share of questions like the sample if D is -margin, and 1 less it; the others differ by the guard.

Nothing if questions that differ by the guard cannot move D to -margin.
"""
function shares(d, margin)
    x = d.D + margin
    (d.guard.hi == 0.0 || x.hi > 0.0 && margin >= d.guard) && return nothing
    if x.hi > 0.0
        room = d.guard + d.D
        return (d.guard - margin) / room, x / room
    end
    room = d.guard - d.D
    return (d.guard + margin) / room, -x / room
end

"""
Probability that all independent trials show the observed D although it is -margin: an exact p-value.

For fixed questions and D between -margin and 0 a share -D of the trials fails entirely (Clopper and Pearson).
"""
function p_value_of_unsampled(d, margin)
    n0, of_sample = independent_trials(d), shares(d, margin)
    of_sample === nothing && return ZERO
    if by_trials(d) && d.D.hi < 0.0 < (d.D + margin).hi
        failures, lost = -(d.D / d.guard * n0), margin / d.guard
        return beta_cdf(ONE - lost, lost, n0 - failures, failures + ONE)
    end
    return beta_cdf(of_sample..., n0, ONE)
end

"The distance from D to the limit below (side -1) or above (1) at which p_value_of_unsampled() is the tail."
function reach_of_unsampled(d, tail, side)
    n0, room = independent_trials(d), d.guard - side * d.D
    (d.guard.hi == 0.0 || room.hi <= 0.0) && return ZERO
    by_trials(d) && side < 0.0 && d.D.hi < 0.0 || return room * beta_high(tail, ONE, n0)
    failures = -(d.D / d.guard * n0)
    successes = n0 - failures
    return d.D + d.guard * (successes.hi > 0.0 ? beta_high(tail, failures + ONE, successes) : ONE)
end

"The number of independent trials at which reach_of_unsampled() is this share of D + margin; nothing: no bound."
function trials_of_unsampled(d, margin, tail, share)
    of_sample = shares(d, margin)
    of_sample === nothing && return nothing
    c = of_sample[2] * share
    value(c) < 2.0^-30 || return log(tail) / log(ONE - c)
    # the log of 1 - c, of which a rounded 1 - c leaves few digits or none
    half = times_2_to(c, -1.0)
    return log(tail) / -(c * (ONE + (half + c * (c / 3 + half * half))))
end

# --- decisions -----------------------------------------------------------------------------------------

"""
The p-values of D <= -margin and of D >= -margin.

The smaller one is that of tail_at() or of the t statistic with tilted_error(), the other one is 1 less it;
then p_value_of_unsampled() replaces the smaller one if it is larger. Both are 1/2 at D = -margin.
"""
function p_values_at_margin(d, margin)
    x = d.D + margin
    x.hi == 0.0 && return HALF, HALF
    small, varies = tail_at(d, -margin), d.standard_error.hi != 0.0
    varies && (small = larger(small, tilted_tail(d, margin)))
    large = ONE - small
    varies && (small = larger(small, p_value_of_unsampled(d, margin)))
    return x.hi > 0.0 ? (small, large) : (large, small)
end

tilted_tail(d, margin) = lower_tail(d.D + margin, tilted_error(d, margin), d.freedom)

"The verdict on D > -margin, and p_values_at_margin()."
function margin_decision(d, margin, tail)
    p_worse, p_better = p_values_at_margin(d, margin)
    verdict = tail >= p_worse ? "pass" : tail >= p_better ? "fail" : "inconclusive"
    return verdict, p_worse, p_better
end

"Whether p_better of p_values_at_margin() is below the level, for D < -margin; stops as soon as it cannot be."
is_below_margin(d, margin, level) =
    (d.standard_error.hi == 0.0 || level > tilted_tail(d, margin)) && level > p_values_at_margin(d, margin)[2]

end
