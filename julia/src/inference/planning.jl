# Variances at other numbers of trials and questions, and the smallest number that meets a rule: exact fractions.

module Planning

using ..Scorio: deferred, refuse, states
using ..Clusters: Clusters
using ..DegreesOfFreedom: MOST, df_of_trials
using ..Differences: quantile
using ..Distributions: error_rate
using ..DoubleDouble: value
using ..Estimators: Mean, state_values, trials_error
using ..MaxAtKs: MaxAtK, exact_steps
using ..Means: Fraction, Means
using ..Metrics: Metrics, PassAtK, closed_form, exact_credits, flips, steepest
using ..Rationals: from_ratio, integer_ratio

@nospecialize

"The exact value of a finite double, or of a triple."
fraction(x::Float64) = Fraction(integer_ratio(x)...)
fraction(x) = (fraction(x.hi) + fraction(x.lo)) * Fraction(2)^(256 * Int(x.exponent))

const MOST_BITS = 2^14  # of the common denominator of exact_values()

"""
The smallest n >= start at which a ratio is at most 1; it must be so at every larger n too.

The ratio falls about like 1/n or 1/n^2. So n (ratio - 1) is nearly linear where the ends of a bracket differ by less
than a factor of 2, and is interpolated there: the steps grow with the logarithm of the digits of n.
"""
function smallest(ratio, start = 1)
    low, high, at_low = big(start) - 1, big(start), big(0)
    above, at_high = excess(ratio, high)
    while above
        low, high, at_low = high, high + max(2 * (high - low), at_high >> 64), at_high
        above, at_high = excess(ratio, high)
    end
    while high - low > 1
        last, n = above, isqrt(low * high)
        if high <= 2 * low
            n = low + fld((high - low) * at_low, max(1, at_low - at_high))
        end
        n = clamp(n, low + 1, high - 1)
        above, at_n = excess(ratio, n)
        # the excess of an end that stays twice is halved, so that it moves (the Illinois algorithm)
        share = above == last ? 2 : 1
        low, high, at_low, at_high = above ? (n, high, at_n, fld(at_high, share)) : (low, n, fld(at_low, share), at_n)
    end
    return high <= typemax(Int) ? Int(high) : high
end

"Whether the ratio (numerator, denominator) at n is above 1, and n (ratio - 1) in units of 2^-64."
function excess(ratio, n)
    x, y = ratio(n)
    return x > y, fld(n * (x - y) << 64, y)
end

"The square of the half width of Wilson's interval over that of `half`; p: theta (1 - theta), q: z^2 / n_eff."
function width_ratio(half, p, q)
    x = (q * p + q * q / 4) / (half * (1 + q))^2
    return numerator(x), denominator(x)
end

# --- more trials ------------------------------------------------------------------------------------

"""
The variance over N trials per question of one model's metric, summed over its questions.

Two random blocks of k of N trials share c of them with probability h_c(N): Var(U_N) = sum_c h_c(N) (W_c - W_0), W_c
the mean product of their credits (a credit is the metric of a block). With 2k trials or more every W_c is measured.
"""
struct Growth
    m::Any
    parts::Vector{Fraction}
    flips::Fraction  # the sum of u, since a flip (0 or 1) is its own square; 0 for other metrics
end

function growth(x, name)
    parts = growth_parts(x, name)
    u = flips(x.m) ? deferred(block_products)(x)[end] : Fraction(0)
    return Growth(x.m, parts, u)
end

"W_c - W_0, c = 0..k, summed over the questions; an error names the argument `name`."
function growth_parts(x, name)
    m = x.m
    if x isa Mean
        return [Fraction(0), Means.single_trials(x.sums, x.scale.span)]
    elseif x.parts.short
        refuse(
            "range", "k", "k = ", m.k, ": at least 2k trials of every question of ", name, " are needed to know the ",
            "variance of ", m.entry.name, " at other numbers of trials",
        )
    end
    W = deferred(block_products)(x)
    return W .- W[1]
end

"The variance over N trials per question, summed over questions; of flips at least sum u / (N (N - 1))."
function trials_variance(g, N)
    k, total = g.m.k, Fraction(0)
    for c in 0:k
        h = Fraction(binomial(big(k), c) * binomial(big(N - k), k - c), binomial(big(N), k))
        total += h * g.parts[c+1]
    end
    return max(total, iszero(g.flips) ? g.flips : g.flips / (big(N) * (N - 1)))
end

"The stabiliser: the largest step of the metric times k / (N + k - 1)."
step(g, N) = largest_step(g.m, N) * Fraction(g.m.k, N + g.m.k - 1)

"The largest rise of the metric by one success more of N trials."
function largest_step(m, N)
    m.kind isa Union{Metrics.Average,Metrics.MaximumAtK,Metrics.ClosedForm} && return Fraction(m.k, N)
    c = steepest(m, N)
    before, after = Metrics.exact_values(m, [N, N], [c, c + 1])
    return Fraction(after...) - Fraction(before...)
end

"Standard errors at which a difference on fixed questions is significant, by the present degrees of freedom."
function critical_of_trials(a, b, confidence)
    freedom = df_of_trials(a.parts, trials_error(a), b.parts, trials_error(b))
    z = value(quantile(error_rate(confidence, 2), freedom))  # a double: further digits depend on the language
    return fraction(z)
end

"Sum over questions of W_c, c = 0..k, of binary outcomes; for Pass@k of 1 - credit, which has the same W_c - W_0."
function block_products(x)
    m, s, out = x.m, states(x.counts), Fraction[]
    for c in 0:m.k
        size, total = 2 * m.k - c, Fraction(0)
        B = closed_form(m) ? nothing : mean_products(exact_credits(m)..., c)
        for (n, a, mult) in zip(s.n, s.c, s.mult)
            alike = m.kind isa PassAtK ? n - a : a  # all trials of both blocks failed, or all succeeded
            total += mult * (B === nothing ? Fraction(binomial(big(alike), size), binomial(big(n), size)) :
                expected_product(B, n, a))
        end
        push!(out, total)
    end
    return out
end

"Mean product of the credits of two blocks that share c trials, given l = 0..2k-c successes in both together."
function mean_products(A, unit, c)
    k = length(A) - 1
    own, total = k - c, fill(big(0), 2 * k - c + 1)
    for j in 0:c, a in 0:own
        ways = binomial(big(c), j) * binomial(big(own), a) * A[a+j+1]
        ways == 0 && continue
        for b in 0:own
            total[a+j+b+1] += ways * binomial(big(own), b) * A[b+j+1]
        end
    end
    return [Fraction(t, unit^2 * binomial(big(2 * k - c), l - 1)) for (l, t) in enumerate(total)]
end

"The mean of B over the successes among length(B) - 1 of n trials, c of them successes."
function expected_product(B, n, c)
    size, total = length(B) - 1, Fraction(0)
    for l in max(0, size - (n - c)):min(size, c)
        total += B[l+1] * binomial(big(c), l) * binomial(big(n - c), size - l)
    end
    return total / binomial(big(n), size)
end

"Sum over questions of W_c, c = 0..k, of Max@k, from the probabilities that both blocks stay below levels."
function block_products(x::MaxAtK)
    k, out = x.m.k, Fraction[]
    for c in 0:k
        total = Fraction(0)
        for (n, mult, steps) in exact_steps(x)
            N = big(n)
            for (gap, p) in steps, (other_gap, q) in steps
                low, high = minmax(big(p), big(q))
                both = Fraction(binomial(low, k), binomial(N, k))
                both *= Fraction(binomial(max(high - k, big(0)), k - c), binomial(N - k, k - c))
                total += mult * gap * other_gap * both
            end
        end
        push!(out, total)  # the other terms of W_c are the same for every c
    end
    return out
end

# --- more questions ---------------------------------------------------------------------------------

"""
The metric of each state on the scale 0..1, and the state of each question.

They are double-doubles if their common denominator could have more than MOST_BITS bits.
"""
function exact_values(x)
    k = x isa Mean ? 1 : x.m.k
    if sum(big(k) * ndigits(n, base = 2) for n in Set(x.counts.trials)) > MOST_BITS
        u, which = state_values(x)
        return map(fraction, u), which
    elseif x isa Mean
        pairs, which = Means.exact_values(x.counts, x.scale.U, x.scale.span)
        return [Fraction(pair...) for pair in pairs], which
    end
    x isa MaxAtK && return max_at_k_values(x), state_values(x)[2]
    s = states(x.counts)
    return [Fraction(pair...) for pair in Metrics.exact_values(x.m, s.n, s.c)], state_values(x)[2]
end

function max_at_k_values(x)
    return map(exact_steps(x)) do (n, _, steps)
        all, value = binomial(big(n), x.m.k), Fraction(0)
        for (gap, b) in steps
            value += gap * (1 - Fraction(binomial(big(b), x.m.k), all))
        end
        return value
    end
end

"""
The variance (Q S + part) / Q^2 of a mean difference over Q questions, and what determines its df.

part is the stabiliser, error the variance of a question's contribution to S, units the effective number of units per
question.
"""
struct QuestionVariance
    S::Fraction
    error::Fraction
    part::Fraction
    units::Fraction
end

"Mean over questions of a's metric minus b's (if b is not nothing), and its variance components over questions."
function question_variance(a, b, units)
    D, parts = parts_of_units(a, b, units)
    M = big(units.M)
    S = M * sum(number * z for (z, number) in parts)
    B = M^3 * sum(number * z^2 for (z, number) in parts) - S^2 * M / units.G
    return D, QuestionVariance(S, B, Fraction(units.squared, 2 * M), (Clusters.exact_freedom(units) + 1) / M)
end

"The variance of the sum of the differences of Q questions."
variance_of_sum(x, Q) = Q * x.S + x.part

"Standard errors at which a difference of Q questions is significant; nothing for fewer than two units."
function critical(x, Q, confidence)
    S, B, c, most = x.S, x.error, x.part, Q * x.units - 1
    most < 1 && return nothing
    dip = B > 2 * c * S > 0 ? c * (B - 2 * c * S) / (S * B) : Fraction(0)  # where the df are fewest
    q = max(Q, dip)  # so that the quantile never rises with Q
    freedom = min(most, 2 * (q * S + c)^2 / (q * B + c^2), fraction(MOST.hi))
    return fraction(quantile(error_rate(confidence, 2), from_ratio(freedom)))
end

"Mean of a's metric minus b's (if b is not nothing); unbiased parts of its variance, each with its number of units."
function parts_of_units(a, b, units)
    u, which = exact_values(a)
    v, other = b === nothing ? (Fraction[0], ones(Int, length(which))) : exact_values(b)
    M, P, D = big(units.M), units.squared, Fraction(0)
    cells = Dict{NTuple{3,Int},Int}()  # questions by cluster, state of a and state of b
    for i in eachindex(which)
        key = (units.labels === nothing ? 1 : units.labels[i], which[i], other[i])
        cells[key] = get(cells, key, 0) + 1
    end
    for ((_, i, j), number) in cells
        D += number * (u[i] - v[j])
    end
    D /= M
    parts, deviations = Tuple{Fraction,Int}[], fill(Fraction(0), units.G)
    units.G < 2 && return D, parts  # a single unit shows no variance
    for ((g, i, j), number) in cells
        deviations[g] += number * (u[i] - v[j] - D)
        units.labels === nothing && push!(parts, ((u[i] - v[j] - D)^2 / (M * (M - 1)), number))
    end
    units.labels === nothing && return D, parts
    return D, [(deviations[g]^2 / ((M - m)^2 + P - big(m)^2), 1) for (g, m) in enumerate(units.sizes)]
end

end
