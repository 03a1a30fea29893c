# Tests of whether the labelled outputs are a random sample, and the number of labels that an interval needs.
# Sums and variances are exact fractions; the formulas: spec/families/judges.md. Labels are random if every choice of as
# many outputs (in lean(): of as many of each verdict) is equally likely.

module Labels

using ..Distributions: normal_cdf, normal_z
using ..DoubleDouble: ONE, Triple, times_2_to, value
using ..Judges: NONE, WHOLE, total
using ..Means: Fraction
using ..Planning: smallest, width_ratio
using ..Rationals: fraction, from_ratio

const DESIGNS = ("random", "balanced", "neyman")

"z-score of a sum with this variance under random labels; nothing if the variance is 0."
z_score(sum, variance) = variance <= 0 ? nothing : from_ratio(sum) / sqrt(from_ratio(variance))

"Two-sided p-value P(|Z| >= |z|), times the number of tests (Bonferroni), at most 1."
function two_sided(z, tests)
    p = times_2_to(normal_cdf(z.hi < 0.0 ? z : -z), 1.0) * tests
    return p > ONE ? ONE : p
end

"Upper-tail p-value P(Z >= z)."
upper(z) = normal_cdf(-z)

"z-scores of the number of labels of each verdict, under random labels."
function rates(x)
    N, n, G = big(length(x.verdict)), count(>=(0), x.label), length(x.values)
    size, labelled = zeros(Int, G), zeros(Int, G)
    for (g, l) in zip(x.verdict, x.label)
        size[g] += 1
        labelled[g] += l >= 0
    end
    correction = N > 1 ? Fraction(N - n, N - 1) : NONE  # for a finite population
    return map(1:G) do g
        share = Fraction(size[g], N)
        variance = Fraction(n) * share * (WHOLE - share) * correction
        return z_score(Fraction(labelled[g]) - share * Fraction(n), variance)
    end
end

"z-score of X^2, the chi-square statistic of the numbers of labels per question, under random labels."
function spread(x)
    N, n = big(length(x.verdict)), count(>=(0), x.label)
    alike = all(==(x.trials[1]), x.trials)  # all questions have as many outputs
    (n == N || x.M == 1 || alike && (x.M == N || n == 1 || n == N - 1)) && return nothing  # X^2 is a constant
    labels = zeros(Int, x.M)
    for (a, l) in zip(x.question, x.label)
        labels[a] += l >= 0
    end
    # by the number of outputs of a question: how many questions have it, and the sums of their labels and of l * l
    sums = Dict{Int,Vector{Int}}()
    for (l, m) in zip(labels, x.trials)
        s = get!(() -> [0, 0, 0], sums, m)
        s .+= (1, l, l * l)
    end
    square = total(keys(sums)) do m
        (questions, l, squares), e = sums[m], Fraction(n * m, N)
        return (Fraction(squares) - Fraction(2 * l) * e + Fraction(questions) * e * e) / (e * Fraction(N - n, N))
    end
    return z_score(square * Fraction(N - 1, N) - Fraction(x.M - 1), Fraction(2 * (x.M - 1)))
end

"z-score of how labelled and unlabelled outputs of a verdict differ in the other verdicts on their questions."
function lean(x)
    sums, total_difference, variance = zeros(Int, x.M), NONE, NONE
    for (a, g) in zip(x.question, x.verdict)
        sums[a] += x.values[g]
    end
    for g in eachindex(x.values)
        at = [i for i in eachindex(x.verdict) if x.verdict[i] == g && x.trials[x.question[i]] > 1]
        other_sums = [big(sums[x.question[i]] - x.values[g]) for i in at]
        d, v = lean_of_group(other_sums, [x.trials[x.question[i]] - 1 for i in at], [x.label[i] >= 0 for i in at])
        total_difference, variance = total_difference + d, variance + v
    end
    return z_score(total_difference, variance)
end

"Sum over labelled outputs of h = other_sums / others minus the mean h, and its variance for random labels."
function lean_of_group(other_sums, others, has_label)
    N, n_labels = length(has_label), count(has_label)
    (N < 2 || n_labels in (0, N)) && return NONE, NONE
    sums = Dict{Int,Vector{BigInt}}()  # by others: sums of x, of x * x, and of x over labelled outputs
    for (x, m, l) in zip(other_sums, others, has_label)
        s = get!(() -> fill(big(0), 3), sums, m)
        s[1] += x
        s[2] += x * x
        l && (s[3] += x)
    end
    all, squares, labelled = (total(m -> Fraction(sums[m][i], i == 2 ? m * m : m), keys(sums)) for i in 1:3)
    deviations = squares - all * all / Fraction(N)
    variance = Fraction(big(n_labels) * (N - n_labels), big(N) * (N - 1)) * deviations
    return labelled - Fraction(n_labels, N) * all, variance
end

# --- sample size --------------------------------------------------------------------------------------

"""
The fewest labels at which Wilson's interval has at most this half width, and the share of each verdict.

The number of labels is nothing if even labels of all outputs are too few.
"""
function needed(outputs, means, half_width, design, confidence)
    N, G = foldl(+, outputs), length(outputs)
    w, variances = [Fraction(x, N) for x in outputs], [p * (WHOLE - p) for p in means]
    theta = total(j -> w[j] * means[j], 1:G)
    between = total(j -> w[j] * (means[j] - theta) * (means[j] - theta), 1:G) / Fraction(N)
    share, sigmas = shares(w, variances, design)
    K = design == "neyman" ? fraction(sigmas * sigmas) :
        total(j -> w[j] * variances[j] * (design == "balanced" ? w[j] * Fraction(G) : WHOLE), 1:G)
    z, T = fraction(normal_z(confidence)), theta * (WHOLE - theta)
    ratio(n) = width_ratio(half_width, T, z * z * (K / Fraction(n) + between) / T)
    most, unit = ratio(N)
    return most <= unit ? smallest(ratio) : nothing, Float64[value(x) for x in share]
end

"Share of each verdict among the labels, and for the design neyman the sum of w sigma (for other designs 1)."
function shares(w, variances, design)
    design == "random" && return Triple[from_ratio(x) for x in w], ONE
    design == "balanced" && return fill(from_ratio(Fraction(1, length(w))), length(w)), ONE
    parts = Triple[sqrt(from_ratio(x * x * s)) for (x, s) in zip(w, variances)]
    total_sigma = foldl(+, parts)
    return Triple[x / total_sigma for x in parts], total_sigma
end

end
