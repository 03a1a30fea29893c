# The metrics: one table of what each is called and takes, and what j successes of k are worth.

module Metrics

using ..Scorio: later, refuse
using ..Arguments: Arguments
using ..DoubleDouble: Triple, ZERO, div, ext, product
using ..Hypergeometric: Hypergeometric
using ..Rationals: Ratio
using ..Weights: threshold

"An entry of the table of metrics: names, parameters, and where the metric may be used."
struct Entry
    name::String
    alias::String
    title::String
    takes::Tuple{Vararg{String}}  # of k, tau and w
    interval::Bool                # whether it has one, of counts
    trajectory::Bool              # whether rankings along the trials are by it
    binary::Bool                  # whether outcomes must be 0 and 1
    chooses::Union{Nothing,Symbol}  # what it chooses one of k answers by: their votes, their scores
end

Entry(x...) = Entry(x..., nothing)

const TABLE = Entry[
    Entry("bayes", "bayes", "Bayes@N", ("w",), false, true, false),
    Entry("mean", "avg", "avg@N", ("w",), true, true, false),
    Entry("pass_at_k", "pass@k", "Pass@k", ("k",), true, true, true),
    Entry("pass_hat_k", "pass^k", "Pass^k", ("k",), true, true, true),
    Entry("naive_pass_hat_k", "naive_pass_hat_k", "1 - (1 - c/n)^k", ("k",), false, true, true),
    Entry("g_pass_at_k_tau", "g-pass@k", "G-Pass@k", ("k", "tau"), true, true, true),
    Entry("maj_at_k", "maj@k", "Maj@k", ("k",), true, true, true),
    Entry("mg_pass_at_k", "mg-pass@k", "mG-Pass@k", ("k",), true, true, true),
    Entry("auc_at_k", "auc@k", "AUC@k", ("k",), true, true, true),
    Entry("max_at_k", "max@k", "Max@k", ("k", "w"), true, false, false),
    Entry("flip_rate", "flip-rate", "Flip rate", (), true, false, true),
    Entry("plurality_at_k", "plurality@k", "Plurality@k", ("k",), false, false, true, :votes),
    Entry("strict_plurality_at_k", "strict-plurality@k", "Strict plurality@k", ("k",), false, false, true, :votes),
    Entry("best_of_k", "best-of-k", "Best-of-k", ("k",), false, false, true, :scores),
]

"Names of the metrics that satisfy a rule."
function names_where(@nospecialize(rule))
    names = String[]
    for x in TABLE
        rule(x)::Bool && push!(names, x.name)
    end
    return names
end

const INTERVALS = names_where(x -> x.interval)
const GATES = names_where(x -> x.interval && x.name != "flip_rate")  # higher is better
const ALL_INTERVALS = names_where(x -> x.interval || x.chooses !== nothing)
const TRAJECTORIES = names_where(x -> x.trajectory)

"A metric with its checked parameters; k is 1 for the mean, 2 for flips, r the threshold of \"at least r of k\"."
struct Metric
    name::String
    k::Int
    r::Int
    w::Vector{Float64}
end

"The basis on which a metric chooses one of k answers, :votes or :scores; nothing for the metrics of counts."
chooses(m) = TABLE[findfirst(x -> x.name == m.name, TABLE)].chooses

"Whether this is the flip rate, whose credits do not rise with the successes, and of which lower is better."
flips(m) = m.name == "flip_rate"

"A copy of a metric under another name."
renamed(m, name, r = m.r) = Metric(name, m.k, r, m.w)

"The highest category that a metric scores."
largest(m) = length(m.w) - 1

"Find a metric by its name or alias. In loops: a first call waits for what Base's generators take to compile."
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
    error("a word is allowed that names no metric")
end

function takes(entry, parameter)
    for x in entry.takes
        x::String == parameter && return true
    end
    return false
end

@noinline refuse_taking(entry, parameter) =
    refuse("conflict", parameter, entry.title, " takes no ", parameter)

"A metric and its k, which the name may contain: \"pass@4\" is \"pass@k\" with k = 4."
function numbered(@nospecialize(metric), @nospecialize(k))
    metric isa Union{Symbol,AbstractString} || return metric, k
    text = String(metric)
    name = rstrip(isdigit, text)
    digits = SubString(text, ncodeunits(name) + 1)
    1 <= length(digits) <= 9 || return metric, k
    alias = lowercase(name) * "k"
    any(x -> x.name == alias || x.alias == alias, TABLE) || return metric, k
    number = parse(Int, digits)
    k === nothing || Arguments.draws(k) == number ||
        refuse("conflict", "k", "metric = ", repr(text), " has a k of its own: leave out k = ", k)
    return alias, number
end

"Check a metric and its parameters. allowed: names of the metrics; each may be given by its alias, or as pass@4."
function read_metric(@nospecialize(metric), @nospecialize(k), @nospecialize(tau), @nospecialize(w), allowed = INTERVALS)
    metric, k = numbered(metric, k)
    entry = entry_of(metric, allowed)
    takes_k, takes_tau, takes_w = takes(entry, "k"), takes(entry, "tau"), takes(entry, "w")
    k === nothing || takes_k || refuse_taking(entry, "k")
    tau === nothing || takes_tau || refuse_taking(entry, "tau")
    w === nothing || takes_w || refuse_taking(entry, "w")
    k = takes_k ? Arguments.draws(k) : entry.name == "flip_rate" ? 2 : 1
    tau = takes_tau ? Arguments.within(tau, "tau", 0.0, 1.0) : 0.0
    return Metric(entry.name, k, threshold_of(entry.name, k, tau), Arguments.weights(w))
end

"Threshold r of a metric that is P(at least r of k succeed); 1 for the others."
function threshold_of(name, k, tau)
    name == "pass_hat_k" && return k
    name == "maj_at_k" && return k ÷ 2 + 1
    return name == "g_pass_at_k_tau" ? threshold(k, tau) : 1
end

# --- binary outcomes: the credit of j successes of k ------------------------------------------------

"""
The weight w_r of g = sum_r w_r P(at least r of k succeed), exactly: (num, d, e) for num / (d e).

AUC@k is the area under the trapezoids of Pass@1..k: sum_j C(k-r, j-1) / C(k, j) = (k+1) / (r (r+1)), less half of its
first and last terms, over k - 1. Of the flip rate 1 and -1.
"""
function exact_weight(m, r)
    k = m.k
    m.name == "mg_pass_at_k" && return r > (k + 1) ÷ 2 ? (2, k, 1) : (0, 1, 1)
    flips(m) && return 3 - 2r, 1, 1
    m.name == "auc_at_k" || return Int(r == m.r), 1, 1
    return r == 1 ? (k + 1, 2k, 1) : (2k * (k + 1) - r * (r + 1), 2k * r, (r + 1) * (k - 1))
end

"The weights in double-double, r = 1..k."
function weights(m)
    w = fill(ZERO, m.k)
    for r in eachindex(w)
        num, d, e = exact_weight(m, r)
        w[r] = div(ext(num), product(d, e))
    end
    return w
end

"Credits A_j of j = 0..k successes."
credits(m) = Hypergeometric.credits(weights(m))

"1 - A_j, j = 0..k: the credit of a perfect question is below 1 for mG-Pass@k of an odd k, and 0 for flips."
function lost_credits(m)
    rest = m.name == "mg_pass_at_k" && isodd(m.k) ? div(ext(1), ext(m.k)) : flips(m) ? ext(1) : ZERO
    return Hypergeometric.lost_credits(weights(m), rest)
end

"Credits A_j, j = 0..k, as integers over one denominator."
function exact_credits(m)
    terms = [(big(num), big(d) * e) for (num, d, e) in (exact_weight(m, r) for r in 1:m.k)]
    den = foldl(lcm, (d for (_, d) in terms))
    return cumsum([big(0); [x * (den ÷ d) for (x, d) in terms]]), den
end

"The number c at which one more success of n adds most credit."
function steepest(m, n)
    m.name == "mg_pass_at_k" && return n - 1
    (m.name == "auc_at_k" || flips(m) || m.k == 1) && return 0
    return Int(min(n - 1, widemul(m.r - 1, n) ÷ (m.k - 1)))
end

"The metric of each state; A: its credits, where it has no closed form."
function values!(out, n, c, m, A = closed_form(m) ? Triple[] : credits(m))
    if m.name == "pass_at_k"
        later(Hypergeometric.pass_at_k!)(out, n, c, m.k)
    elseif m.name == "pass_hat_k"
        later(Hypergeometric.pass_hat_k!)(out, n, c, m.k)
    elseif m.name == "naive_pass_hat_k"
        later(Hypergeometric.naive_pass_hat_k!)(out, n, c, m.k)
    else
        later(Hypergeometric.credit_at_k!)(out, n, c, m.k, A)
    end
    return out
end

closed_form(m) = m.name in ("pass_at_k", "pass_hat_k", "naive_pass_hat_k")

values(m, n, c) = values!(Vector{Triple}(undef, length(n)), n, c, m)

"1 less the metric of each state."
function lost_values(m, n, c)
    m.name == "pass_at_k" && return values(renamed(m, "pass_hat_k"), n, n - c)
    m.name == "pass_hat_k" && return values(renamed(m, "pass_at_k"), n, n - c)
    return values!(Vector{Triple}(undef, length(n)), n, c, m, lost_credits(m))
end

"The metric of a state, exactly; A, unit: exact_credits."
function exact_value(m, n, c, A, unit)::Ratio
    k, whole = m.k, binomial(big(n), m.k)
    m.name == "pass_at_k" && return whole - binomial(big(n - c), k), whole
    m.name == "pass_hat_k" && return binomial(big(c), k), whole
    total = big(0)
    for j in max(0, k - (n - c)):min(c, k)
        A[j+1] == 0 || (total += A[j+1] * binomial(big(c), j) * binomial(big(n - c), k - j))
    end
    return total, unit * whole
end

end
