# The mean human score of outputs that are all judged and partly labelled by people, and tests of the labels.
# The formulas: spec/families/judges.md, in exact fractions. Outputs are grouped by verdict, neighbouring verdicts together if
# more than four occur: the labels estimate the mean score of each group, and its size is known.

module Judges

using ..Arguments: Arguments
using ..Distributions: normal_cdf
using ..DoubleDouble: ONE, Triple, ZERO, times_2_to
using ..Means: Fraction
using ..Rationals: fraction, from_ratio
using ..Variance: wilson
using ..Verdicts: Cells, Outputs, cell_indices, cells, group_verdicts, outputs, verdict_groups

const TARGETS = ("fixed", "sampled", "outputs")
const NONE, HALF, WHOLE = Fraction(0), Fraction(1, 2), Fraction(1)  # the exact 0, 1/2 and 1

"The exact sum of f over a list."
function total(@nospecialize(f), list)
    sum = NONE
    for x in list
        sum += f(x)::Fraction
    end
    return sum
end

"Outputs of one verdict, or of a group of verdicts; in shares and means every question has the same weight."
struct Group
    outputs::Int
    labels::Int
    share::Fraction  # w, of the total weight of all outputs
    labelled::Fraction  # f, the fraction of the share that is labelled; 1 where nothing is labelled
    n_eff::Fraction  # nu, the effective number of labels; 0 where there is none
    mean::Fraction  # p, the mean of the labels' scores; 1/2 where nothing is labelled
    square::Fraction  # q, the mean of their squares; 1/2 where nothing is labelled
end

"Mean and mean square of a group's labels, with 1/G of a label (G groups) added at each end of the scale."
function shrunk(g, G)
    n = g.n_eff + Fraction(2, G)
    return (g.n_eff * g.mean + Fraction(1, G)) / n, (g.n_eff * g.square + Fraction(1, G)) / n
end

"Variance t of the mean score of a group, from the shrunk moments."
function error_of(g, G)
    a, b = shrunk(g, G)
    return (b - a * a) / max(g.n_eff, WHOLE)
end

"Empirical variance e of the mean score of a group; 0 without labels."
empirical_error(g) = g.labels > 0 ? (g.square - g.mean * g.mean) / g.n_eff : NONE

"phi, the number of a group's outputs without a label over the number of its outputs, whatever their questions."
unlabelled_share(g) = WHOLE - Fraction(g.labels, g.outputs)

"For each question sums of z and z^2 over outputs, z the estimated score; in units of 1/unit and 1/unit^2."
struct Sums
    n::Vector{Int}  # outputs of each question
    unit::BigInt
    totals::Vector{BigInt}
    squares::Vector{BigInt}
end

"The Sums of z, from its values by group and label (last: no label), in the order of cell_indices()."
function sums_of(x, groups, scores)
    table, unit = Fraction[], big(1)
    for g in groups
        for y in scores
            push!(table, g.mean + (y - g.mean) / g.labelled)
        end
        push!(table, g.mean)
    end
    for z in table
        unit = lcm(unit, denominator(z))
    end
    whole = BigInt[numerator(z) * (unit ÷ denominator(z)) for z in table]
    square, at = BigInt[z * z for z in whole], cell_indices(x, length(scores))
    totals, squares = fill(big(0), x.M), fill(big(0), x.M)
    for i in eachindex(at)
        a = x.question[i]
        totals[a] += whole[at[i]]
        squares[a] += square[at[i]]
    end
    return Sums(x.trials, unit, totals, squares)
end

"Sum over questions of the product of both models' mean z."
function products(s, other)
    by_trials = Dict{Tuple{Int,Int},BigInt}()
    for i in eachindex(s.n)
        key = (s.n[i], other.n[i])
        by_trials[key] = get(by_trials, key, big(0)) + s.totals[i] * other.totals[i]
    end
    return total(((n, m),) -> Fraction(by_trials[n, m], big(n) * m * s.unit * other.unit), keys(by_trials))
end

"Sum over questions with two outputs or more of the variance of their mean z."
function variance_within_questions(s)
    by_trials = Dict{Int,BigInt}()
    for i in eachindex(s.n)
        n = s.n[i]
        n == 1 || (by_trials[n] = get(by_trials, n, big(0)) + n * s.squares[i] - s.totals[i] * s.totals[i])
    end
    return total(n -> Fraction(by_trials[n], big(n) * n * (n - 1) * s.unit * s.unit), keys(by_trials))
end

"Sum over questions with one output of the squared distance of its z from theta."
function squares_of_singles(s, theta)
    singles, S, Q = 0, big(0), big(0)
    for i in eachindex(s.n)
        s.n[i] == 1 || continue
        singles, S, Q = singles + 1, S + s.totals[i], Q + s.squares[i]
    end
    return Fraction(Q, s.unit * s.unit) - Fraction(2 * S, s.unit) * theta + Fraction(singles) * theta * theta
end

"Judged outputs of one model, and the score of each label on the scale 0..1."
struct Judged
    values::Vector{Int}  # the verdicts
    place::Vector{Int}  # the group of each verdict
    rows::Vector{Group}  # one for each verdict
    x::Outputs  # with groups instead of verdicts
    scores::Vector{Fraction}  # of each label
    single::Bool  # every question has one output
    groups::Vector{Group}  # one for each group of verdicts
    theta::Fraction
    sums::Sums
end

function judged(all, scores)
    place = verdict_groups(all)
    x = group_verdicts(all, place)
    groups = groups_of(x, scores)
    theta = total(g -> g.share * g.mean, groups)
    rows, single = groups_of(all, scores), maximum(x.trials) == 1
    return Judged(all.values, place, rows, x, scores, single, groups, theta, sums_of(x, groups, scores))
end

"Variance V of the mean, for the target `questions`."
function variance(J, questions)
    G, M = length(J.groups), big(J.x.M)
    questions == "outputs" && return total(g -> g.share * g.share * unlabelled_share(g) * error_of(g, G), J.groups)
    correction = total(g -> g.share * g.share * (error_of(g, G) - empirical_error(g)), J.groups)
    bessel, stabiliser = Fraction(M, max(M - 1, big(1))), Fraction(1, 12 * M * M)
    each = bessel / Fraction(M * M)
    between = each * (products(J.sums, J.sums) - Fraction(M) * J.theta * J.theta) + correction
    J.single && return between + stabiliser
    singles = squares_of_singles(J.sums, J.theta)
    fixed = variance_within_questions(J.sums) / Fraction(M * M) + each * singles + correction
    fixed = max(fixed, inverse_squares(J.x.trials) / Fraction(M * M * M))
    return questions == "fixed" ? fixed : max(between, fixed) + stabiliser
end

"The sum over questions of 1/n^2, n the number of their outputs."
function inverse_squares(trials)
    questions = Dict{Int,Int}()
    for n in trials
        questions[n] = get(questions, n, 0) + 1
    end
    return total(n -> Fraction(questions[n], big(n) * n), keys(questions))
end

"Effective sample size n_eff, for V above 0."
function effective(J, questions, V)
    outputs_only = questions == "outputs"
    part(g) = outputs_only ? unlabelled_share(g) : WHOLE
    inverse = total(g -> g.share * g.share * part(g) / max(g.n_eff, WHOLE), J.groups)
    questions == "sampled" && (inverse = max(inverse, Fraction(1, J.x.M)))
    centre = total(g -> g.share * shrunk(g, length(J.groups))[1], J.groups)
    return max(centre * (WHOLE - centre) / V, WHOLE / inverse)
end

"How the variance was obtained."
function source(J, questions)
    is_bound = (questions == "fixed" && J.single) || (questions == "sampled" && J.x.M == 1)
    return is_bound ? "upper bound" : "measured"
end

"The Group of each verdict."
function groups_of(x, scores)
    sizes, width, unit = sort!(unique(x.trials)), length(scores) + 1, big(1)
    counts = Dict(n => zeros(Int, width, length(x.values)) for n in sizes)
    at = cell_indices(x, length(scores))
    for i in eachindex(at)
        counts[x.trials[x.question[i]]][at[i]] += 1
    end
    for n in sizes
        unit = lcm(unit, n)
    end
    return Group[group(g, counts, sizes, unit, x.M, scores) for g in eachindex(x.values)]
end

"The Group of verdict g; counts[n][j, g]: outputs with label j (last row: no label) on questions of n outputs."
function group(g, counts, sizes, unit, M, scores)
    outputs, labels, labelled, squared, W = 0, 0, big(0), big(0), big(0)
    weight_of = fill(big(0), length(scores))
    for n in sizes
        o, n_labels = unit ÷ n, 0  # o: the weight 1/n of an output, in units of 1/unit
        for j in eachindex(scores)
            n_labels += counts[n][j, g]
            weight_of[j] += o * counts[n][j, g]
        end
        n_outputs = n_labels + counts[n][end, g]
        outputs, labels, W = outputs + n_outputs, labels + n_labels, W + o * n_outputs
        labelled, squared = labelled + o * n_labels, squared + o * o * n_labels
    end
    share = Fraction(W, unit * M)
    labels > 0 || return Group(outputs, 0, share, WHOLE, NONE, HALF, HALF)
    p, q = NONE, NONE
    for (m, y) in zip(weight_of, scores)
        part = Fraction(m, labelled) * y
        p, q = p + part, q + part * y
    end
    return Group(outputs, labels, share, Fraction(labelled, W), Fraction(labelled * labelled, squared), p, q)
end

# --- arguments ----------------------------------------------------------------------------------------

"The lowest and the highest score of a label."
struct Scale
    low::Float64
    high::Float64
end

span(s) = fraction(s.high) - fraction(s.low)

"Map x on the scale 0..1 to the scale of the labels."
on_scale(s, x) = fraction(s.low) + x * span(s)

"Check verdicts and labels of one model, or of two on the same questions; returns them and the scale of the labels."
function read_judged(@nospecialize(inputs), names, @nospecialize(w), @nospecialize(missing))
    weights = Arguments.category_scores(w)
    scale, C = Scale(minimum(weights), maximum(weights)), length(weights) - 1
    tables, range, scores = Cells[], span(scale), Fraction[]
    for ((v, l), name) in zip(inputs, names)
        push!(tables, cells(v, l, C, missing, w !== nothing, name))
    end
    for x in weights
        push!(scores, range == 0 ? NONE : (fraction(x) - fraction(scale.low)) / range)
    end
    return Judged[judged(x, scores) for x in outputs(tables, names)], scale
end

# --- intervals ----------------------------------------------------------------------------------------

"A mean human score on the scale 0..1: the mean and 1 minus it, its variance V, n_eff (nothing if V is 0)."
struct Estimate
    theta::Triple
    rest::Triple
    V::Fraction
    n_eff::Union{Nothing,Triple}
end

"The mean human score of one model, and its variance."
function estimate(J, questions)
    V = variance(J, questions)
    n_eff = V == 0 ? nothing : from_ratio(effective(J, questions, V))
    return Estimate(from_ratio(J.theta), from_ratio(WHOLE - J.theta), V, n_eff)
end

"Ends of Wilson's interval: (lo, 1 - lo, hi, 1 - hi)."
ends(x, z) = x.n_eff === nothing ? (x.theta, x.rest, x.theta, x.rest) : wilson(x.theta, x.rest, x.n_eff, z)

"Distances theta - lo and hi - theta of the interval, computed without these subtractions."
function reaches(x, z)
    x.n_eff === nothing && return ZERO, ZERO
    q = z * z / x.n_eff
    half = times_2_to(q, -1.0)
    spread = x.theta * x.rest
    e = half + sqrt(q * spread + half * half)
    return x.theta * e / (x.theta + e), x.rest * e / (x.rest + e)
end

"""
Difference theta_A - theta_B, its standard error, how far its interval reaches down and up, and P(A > B).

The interval follows from the intervals of both models by square-and-add (Newcombe 1998; with correlation, Zou and
Donner 2008).
"""
function difference(A, B, questions, z)
    a, b, covariance, M = estimate(A, questions), estimate(B, questions), NONE, A.x.M
    if questions == "sampled"
        covariance = (products(A.sums, B.sums) - Fraction(M) * A.theta * B.theta) / Fraction(big(M) * (M - 1))
    end
    (a_down, a_up), (b_down, b_up) = reaches(a, z), reaches(b, z)
    D, sigma = A.theta - B.theta, sqrt(from_ratio(a.V + b.V - covariance - covariance))
    down = square_and_add(a_down, b_up, covariance, a.V * b.V)
    up = square_and_add(a_up, b_down, covariance, a.V * b.V)
    p_above = sigma.hi > 0.0 ? normal_cdf(from_ratio(D) / sigma) : Triple(D == 0 ? 0.5 : D > 0 ? 1.0 : 0.0)
    return (D = D, sigma = sigma, down = down, up = up, p_above = p_above)
end

"Square and add: sqrt(x^2 + y^2 - 2 rho x y), rho the covariance over the root of the product of the variances."
function square_and_add(x, y, covariance, product)
    twice = times_2_to(x * y, 1.0)  # 2 x y
    covariance == 0 && return sqrt(x * x + y * y)
    square_of_rho = covariance * covariance / product
    if covariance < 0
        cross = twice * sqrt(from_ratio(square_of_rho))
        return sqrt(x * x + y * y + cross)
    end
    d = x - y  # (x - y)^2 + 2 (1 - rho) x y, 1 - rho = (1 - rho^2) / (1 + rho)
    rest = from_ratio(WHOLE - square_of_rho) / (ONE + sqrt(from_ratio(square_of_rho)))
    return sqrt(d * d + twice * rest)
end

end

# --- whether the labelled outputs are a random sample, and how many an interval needs ---------------

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
