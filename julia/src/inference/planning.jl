# Variances at other numbers of trials and questions, and the smallest number that meets a rule: exact fractions.

module Planning

using ..Scorio: deferred, refuse, states
using ..Clusters: Clusters
using ..DegreesOfFreedom: MOST, df_of_trials
using ..Differences: quantile
using ..Distributions: error_rate, normal_z
using ..DoubleDouble: value
using ..Estimators: Mean, joint_range, squared_variances
using ..ExactUnits: mean_and_variance
using ..MaxAtKs: MaxAtK, exact_steps
using ..Means: Fraction, Means
using ..Metrics: Metrics, PassAtK, closed_form, exact_credits, flips, steepest
using ..Rationals: fraction, from_ratio
using ..Signs: MOST_SAME

@nospecialize

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
    return narrow(high)
end

"An integer as an Int where it fits."
narrow(n) = n <= typemax(Int) ? Int(n) : n

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

"The largest step of the metric times k / (N + k - 1)."
step(g, N) = largest_step(g.m, N) * Fraction(g.m.k, N + g.m.k - 1)

"The largest rise of the metric by one success more of N trials."
function largest_step(m, N)
    m.kind isa Union{Metrics.Average,Metrics.MaximumAtK,Metrics.ClosedForm} && return Fraction(m.k, N)
    c = steepest(m, N)
    before, after = Metrics.exact_values(m, [N, N], [c, c + 1])
    return Fraction(after...) - Fraction(before...)
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

"The variance S / Q of a mean difference over Q questions, and the effective number of units per question."
struct QuestionVariance
    S::Fraction
    units::Fraction
end

"Mean over questions of a's metric minus b's (if b is not nothing), and its variance over questions."
function question_variance(a, b, units)
    D, V = mean_and_variance(a, b, units)
    return D, QuestionVariance(units.M * V, (Clusters.exact_freedom(units) + 1) / units.M)
end

"""
Standard errors at which a difference of Q questions is significant; nothing for too few units.

Fewer than two show no variance, and the signs of too few cannot be significant, even if all are the same.
"""
function critical(x, Q, confidence)
    n = Q * x.units
    n < 2 && return nothing
    Fraction(2)^(1 - min(floor(BigInt, n), MOST_SAME)) > 1 - fraction(confidence) && return nothing
    return fraction(quantile(error_rate(confidence, 2), from_ratio(min(n - 1, fraction(MOST)))))
end

# --- power ------------------------------------------------------------------------------------------

"Standard errors at which a difference on fixed questions is significant, by the present degrees of freedom."
function critical_of_trials(a, b, confidence)
    largest = from_ratio(joint_range(a, b))
    freedom = df_of_trials(a.parts, squared_variances(a), b.parts, squared_variances(b), largest)
    z = value(quantile(error_rate(confidence, 2), freedom))  # a double: further digits depend on the language
    return fraction(z)
end

"The fewest trials from start at which D is at least z_required standard errors sqrt(V(n)); nothing for D = 0."
function trials_to_detect(D, z_required, V, start)
    D == 0 && return nothing
    square = z_required^2 / D^2
    function ratio(n)
        v = V(n)
        return numerator(square) * numerator(v), denominator(square) * denominator(v)
    end
    return smallest(ratio, start)
end

"""
The fewest questions at which D is significant with the required power; nothing for D = 0.

z_required: the sum of the normal quantiles of the confidence level and of the power.
"""
function questions_to_detect(D, z_required, confidence, x)
    D == 0 && return nothing
    z_of_power = z_required - fraction(normal_z(confidence))
    questions_at(standard_errors) = max(big(1), ceil(BigInt, standard_errors^2 * x.S / D^2))
    # The quantile of t falls as the number of questions rises. So a plan with the quantile of too few questions has too
    # many, and a plan with the quantile of too many questions too few: `fewest` stays at or below the result.
    fewest = questions_at(z_required)
    t = critical(x, fewest, confidence)
    if t !== nothing
        most = questions_at(t + z_of_power)  # at least fewest, so its quantile is a number too
        fewest = max(fewest, questions_at(critical(x, most, confidence) + z_of_power))
    end
    function ratio(Q)
        t_at_Q = critical(x, Q, confidence)
        t_at_Q === nothing && return big(2), big(1)
        y = (t_at_Q + z_of_power)^2 * x.S / (D^2 * Q)
        return numerator(y), denominator(y)
    end
    return smallest(ratio, fewest)
end

end
