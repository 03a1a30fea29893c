# The table of metrics by name, and the credit that each gives j successes among k.

module Metrics

using ..Scorio: deferred, refuse
using ..Arguments: Arguments
using ..DoubleDouble: Triple, ZERO, product
using ..Hypergeometric: Hypergeometric
using ..Rationals: Ratio
using ..Weights: threshold

"The kind of a metric, which selects the methods of functions that differ between metrics."
abstract type Kind end
abstract type CreditBased <: Kind end  # metrics of outcomes 0 and 1: a credit for j successes among k trials
abstract type ClosedForm <: CreditBased end  # computed without the credits
struct PassAtK <: ClosedForm end
struct PassHatK <: ClosedForm end
struct NaivePassHatK <: ClosedForm end
struct GPassAtK <: CreditBased end  # at least r of k succeed; threshold(k, tau) gives r
struct MajAtK <: CreditBased end  # more than half of k succeed
struct MGPassAtK <: CreditBased end
struct AUCAtK <: CreditBased end
struct FlipRate <: CreditBased end
struct Average <: Kind end
struct MaximumAtK <: Kind end
struct Plurality <: Kind end
struct StrictPlurality <: Kind end  # a tie for the first place counts as wrong
struct BestOfK <: Kind end

"An entry of the table of metrics: names, parameters, and where the metric may be used."
struct Entry
    kind::Kind
    name::String
    alias::String
    title::String
    takes::Tuple{Vararg{String}}  # those of k, tau and w that it takes
    interval::Bool                # whether interval() computes it from counts
    trajectory::Bool              # whether models can be ranked by it after each trial
    binary::Bool                  # whether outcomes must be 0 and 1
    chooses::Union{Nothing,Symbol}  # what chooses one of k trials: :votes or :scores
end

Entry(x...) = Entry(x..., nothing)

const TABLE = Entry[  # kind, name, alias, title, takes, interval, trajectory, binary, chooses
    Entry(Average(), "bayes", "bayes", "Bayes@N", ("w",), false, true, false),
    Entry(Average(), "mean", "avg", "avg@N", ("w",), true, true, false),
    Entry(PassAtK(), "pass_at_k", "pass@k", "Pass@k", ("k",), true, true, true),
    Entry(PassHatK(), "pass_hat_k", "pass^k", "Pass^k", ("k",), true, true, true),
    Entry(NaivePassHatK(), "naive_pass_hat_k", "naive_pass_hat_k", "1 - (1 - c/n)^k", ("k",), false, true, true),
    Entry(GPassAtK(), "g_pass_at_k_tau", "g-pass@k", "G-Pass@k", ("k", "tau"), true, true, true),
    Entry(MajAtK(), "maj_at_k", "maj@k", "Maj@k", ("k",), true, true, true),
    Entry(MGPassAtK(), "mg_pass_at_k", "mg-pass@k", "mG-Pass@k", ("k",), true, true, true),
    Entry(AUCAtK(), "auc_at_k", "auc@k", "AUC@k", ("k",), true, true, true),
    Entry(MaximumAtK(), "max_at_k", "max@k", "Max@k", ("k", "w"), true, false, false),
    Entry(FlipRate(), "flip_rate", "flip-rate", "Flip rate", (), true, false, true),
    Entry(Plurality(), "plurality_at_k", "plurality@k", "Plurality@k", ("k",), false, false, true, :votes),
    Entry(
        StrictPlurality(), "strict_plurality_at_k", "strict-plurality@k", "Strict plurality@k", ("k",), false, false,
        true, :votes,
    ),
    Entry(BestOfK(), "best_of_k", "best-of-k", "Best-of-k", ("k",), false, false, true, :scores),
]

"Names of the metrics for which a rule is true."
function names_where(@nospecialize(rule))
    names = String[]
    for x in TABLE
        rule(x)::Bool && push!(names, x.name)
    end
    return names
end

"Whether a metric, or an entry of the table, is the flip rate: credits do not always rise, and lower is better."
flips(x) = x.kind isa FlipRate

const INTERVALS = names_where(x -> x.interval)
const GATES = names_where(x -> x.interval && !flips(x))  # higher is better
const ALL_INTERVALS = names_where(x -> x.interval || x.chooses !== nothing)  # also from answers or scores
const TRAJECTORIES = names_where(x -> x.trajectory)

"A metric with its checked parameters; k is 1 for averages, 2 for the flip rate; r as in \"at least r of k\"."
struct Metric
    kind::Kind
    entry::Entry
    k::Int
    r::Int
    w::Vector{Float64}
end

Metric(entry::Entry, k, r, w) = Metric(entry.kind, entry, k, r, w)

"What chooses one of k trials for a metric, :votes or :scores; nothing for the metrics of counts."
chooses(m) = m.entry.chooses

"The metric with another name and the same k and scores w; r is the same unless it is given."
renamed(m, name, r = m.r) = Metric(entry_of(name, (name,)), m.k, r, m.w)

"The highest category that has a score."
highest_category(m) = length(m.w) - 1

"Find a metric by its name or alias; with loops, since generators of Base would make the first call slow."
function entry_of(@nospecialize(metric), @nospecialize(allowed))::Entry
    words = String[]
    for x in TABLE
        x.name in allowed || continue
        push!(words, x.name)
        x.alias == x.name || push!(words, x.alias)
    end
    name = Arguments.choice(metric, "metric", words)
    for x in TABLE
        (x.name == name || x.alias == name) && x.name in allowed && return x
    end
    error("an allowed word is not the name of a metric")
end

function takes(entry, parameter)
    for x in entry.takes
        x::String == parameter && return true
    end
    return false
end

@noinline refuse_parameter(entry, parameter) =
    refuse("conflict", parameter, entry.name, " takes no ", parameter)

"A metric and its k, which the name may contain: \"pass@4\" is \"pass@k\" with k = 4."
function metric_and_k(@nospecialize(metric), @nospecialize(k))
    metric isa Union{Symbol,AbstractString} || return metric, k
    text = String(metric)
    name = rstrip(isdigit, text)
    digits = SubString(text, ncodeunits(name) + 1)
    1 <= length(digits) <= 9 || return metric, k
    alias = lowercase(name) * "k"
    any(x -> x.name == alias || x.alias == alias, TABLE) || return metric, k
    number = parse(Int, digits)
    k === nothing || Arguments.number_of_trials(k) == number ||
        refuse("conflict", "k", "metric = ", repr(text), " includes k: leave out k = ", k)
    return alias, number
end

"Check a metric and its parameters; allowed: names of metrics; each may be given by its alias, or as pass@4."
function read_metric(@nospecialize(metric), @nospecialize(k), @nospecialize(tau), @nospecialize(w), allowed = INTERVALS)
    metric, k = metric_and_k(metric, k)
    entry = entry_of(metric, allowed)
    takes_k, takes_tau, takes_w = takes(entry, "k"), takes(entry, "tau"), takes(entry, "w")
    k === nothing || takes_k || refuse_parameter(entry, "k")
    tau === nothing || takes_tau || refuse_parameter(entry, "tau")
    w === nothing || takes_w || refuse_parameter(entry, "w")
    k = takes_k ? Arguments.number_of_trials(k) : flips(entry) ? 2 : 1
    tau = takes_tau ? Arguments.in_range(tau, "tau", 0.0, 1.0) : 0.0
    return Metric(entry, k, threshold_of(entry.kind, k, tau)::Int, Arguments.category_scores(w))
end

"Threshold r of a metric that is P(at least r of k succeed); 1 for other metrics."
threshold_of(::Kind, k, tau) = 1
threshold_of(::PassHatK, k, tau) = k
threshold_of(::MajAtK, k, tau) = k ÷ 2 + 1
threshold_of(::GPassAtK, k, tau) = threshold(k, tau)

# --- binary outcomes: the credit of j successes of k ------------------------------------------------

"""
The weight w_r of g = sum_r w_r P(at least r of k succeed), exactly: (num, d, e) for num / (d e).

For AUC@k, the trapezoid rule over Pass@1..k: the sum over j of C(k-r, j-1) / C(k, j), which is (k+1) / (r (r+1)), less
half of its first and last terms, divided by k - 1. For the flip rate w_1 = 1 and w_2 = -1.
"""
exact_weight(m, r) = exact_weight(m.kind, m.k, m.r, r)::NTuple{3,Int}
exact_weight(::Kind, k, least, r) = Int(r == least), 1, 1
exact_weight(::MGPassAtK, k, least, r) = r > (k + 1) ÷ 2 ? (2, k, 1) : (0, 1, 1)
exact_weight(::FlipRate, k, least, r) = 3 - 2r, 1, 1
exact_weight(::AUCAtK, k, least, r) =
    r == 1 ? (k + 1, 2k, 1) : (2k * (k + 1) - r * (r + 1), 2k * r, (r + 1) * (k - 1))

"The weights in double-double, r = 1..k."
function weights(m)
    w = fill(ZERO, m.k)
    for r in eachindex(w)
        num, d, e = exact_weight(m, r)
        w[r] = num / product(d, e)
    end
    return w
end

"Credits A_j of j = 0..k successes."
credits(m) = Hypergeometric.credits(weights(m))

"The complements 1 - A_j, j = 0..k; A_k is below 1 for mG-Pass@k of an odd k, and 0 for the flip rate."
lost_credits(m) = Hypergeometric.lost_credits(weights(m), complement_at_k(m.kind, m.k)::Triple)
complement_at_k(::Kind, k) = ZERO
complement_at_k(::FlipRate, k) = Triple(1)
complement_at_k(::MGPassAtK, k) = isodd(k) ? Triple(1) / k : ZERO

"Credits A_j, j = 0..k, as integers, and their common denominator."
function exact_credits(m)
    terms = [(big(num), big(d) * e) for (num, d, e) in (exact_weight(m, r) for r in 1:m.k)]
    den = foldl(lcm, (d for (_, d) in terms))
    return cumsum([big(0); [x * (den ÷ d) for (x, d) in terms]]), den
end

"The number of successes c in n at which one more success adds most credit."
steepest(m, n) = steepest(m.kind, m.k, m.r, n)
steepest(::Union{AUCAtK,FlipRate}, k, r, n) = 0
steepest(::MGPassAtK, k, r, n) = n - 1
steepest(::Kind, k, r, n) = k == 1 ? 0 : Int(min(n - 1, widemul(r - 1, n) ÷ (k - 1)))

"Fill `out` with the metric of each state; A: its credits, which a metric with a closed form does not need."
function values!(out, n, c, m, A = closed_form(m) ? Triple[] : credits(m))
    fill_values!(m.kind, out, n, c, m.k, A)
    return out
end

fill_values!(::CreditBased, out, n, c, k, A) = deferred(Hypergeometric.credit_at_k!)(out, n, c, k, A)
fill_values!(::PassAtK, out, n, c, k, _) = deferred(Hypergeometric.pass_at_k!)(out, n, c, k)
fill_values!(::PassHatK, out, n, c, k, _) = deferred(Hypergeometric.pass_hat_k!)(out, n, c, k)
fill_values!(::NaivePassHatK, out, n, c, k, _) = deferred(Hypergeometric.naive_pass_hat_k!)(out, n, c, k)

"Whether a metric has a closed form, without credits."
closed_form(m) = m.kind isa ClosedForm

"The metric of each state."
values(m, n, c) = values!(Vector{Triple}(undef, length(n)), n, c, m)

"The complement, 1 minus the metric, of each state."
lost_values(m, n, c) = lost_values(m.kind, m, n, c)::Vector{Triple}
lost_values(::PassAtK, m, n, c) = values(renamed(m, "pass_hat_k"), n, n - c)
lost_values(::PassHatK, m, n, c) = values(renamed(m, "pass_at_k"), n, n - c)
lost_values(::Kind, m, n, c) = values!(Vector{Triple}(undef, length(n)), n, c, m, lost_credits(m))

"The exact metric of each state."
function exact_values(m, n, c)
    A, unit = closed_form(m) ? (BigInt[], big(1)) : exact_credits(m)
    return Ratio[exact_value(m.kind, m.k, n[i], c[i], A, unit) for i in eachindex(n, c)]
end

exact_value(::PassAtK, k, n, c, _, _) = (samples = binomial(big(n), k); (samples - binomial(big(n - c), k), samples))
exact_value(::PassHatK, k, n, c, _, _) = (binomial(big(c), k), binomial(big(n), k))

function exact_value(::CreditBased, k, n, c, A, unit)
    total = big(0)
    for j in max(0, k - (n - c)):min(c, k)
        A[j+1] == 0 || (total += A[j+1] * binomial(big(c), j) * binomial(big(n - c), k - j))
    end
    return total, unit * binomial(big(n), k)
end

end
