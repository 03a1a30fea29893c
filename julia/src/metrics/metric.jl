# The metrics by their names: what each takes, and what j successes of k are worth.

module Metrics

using ..Scorio: refuse
using ..Hypergeometric: Hypergeometric
using ..Arguments: Arguments
using ..Rationals: Ratio
using ..DoubleDouble: Triple, ZERO, ratio

const INTERVALS = (  # those with an interval
    "mean", "pass_at_k", "pass_hat_k", "g_pass_at_k_tau", "maj_at_k", "mg_pass_at_k", "auc_at_k", "max_at_k",
)
const ALIASES = Dict(
    "mean" => "avg", "pass_at_k" => "pass@k", "pass_hat_k" => "pass^k", "g_pass_at_k_tau" => "g-pass@k",
    "maj_at_k" => "maj@k", "mg_pass_at_k" => "mg-pass@k", "auc_at_k" => "auc@k", "max_at_k" => "max@k",
)
const NAMES = Dict(alias => name for (name, alias) in ALIASES)

"A metric with its checked parameters; k is 1 for the mean, r the threshold of \"at least r of k\"."
struct Metric
    name::String
    k::Int
    r::Int
    w::Vector{Float64}
end

"The same metric of another name."
renamed(m, name, r = m.r) = Metric(name, m.k, r, m.w)

"The highest category that it knows."
largest(m) = length(m.w) - 1

"Whether a metric takes a parameter: k, tau or w."
function takes(name, parameter)
    parameter == "tau" && return name == "g_pass_at_k_tau"
    parameter == "w" && return name in ("mean", "max_at_k", "bayes")
    return !(name in ("mean", "bayes"))
end

"Everything that says what is measured, checked. allowed: the metrics, which may be given by their other names."
function read(@nospecialize(metric), @nospecialize(k), @nospecialize(tau), @nospecialize(w), allowed = INTERVALS)
    known = String[x for name in allowed for x in unique((name, get(ALIASES, name, name)))]
    name = Arguments.choice(metric, "metric", known)
    name = get(NAMES, name, name)
    for (parameter, x) in (("k", k), ("tau", tau), ("w", w))
        x === nothing || takes(name, parameter) || refuse("conflict", parameter, name, " takes no ", parameter)
    end
    k = takes(name, "k") ? Arguments.draws(k) : 1
    r = name == "pass_hat_k" ? k : name == "maj_at_k" ? k ÷ 2 + 1 : 1
    if takes(name, "tau")
        r = Arguments.threshold(k, Arguments.within(tau, "tau", 0.0, 1.0))
    end
    return Metric(name, k, r, Arguments.weights(w))
end

# --- binary outcomes: the credit of j successes of k ------------------------------------------------

"The weights w_r of g = sum_r w_r P(at least r of k succeed)."
function spectrum(m)
    m.name == "mg_pass_at_k" && return Hypergeometric.upper_half_weights(m.k)
    m.name == "auc_at_k" && return Hypergeometric.auc_weights(m.k)
    return Hypergeometric.threshold_weights(m.k, m.r)
end

"A_j, j = 0..k."
credits(m) = Hypergeometric.credits(spectrum(m))

"1 - A_j, j = 0..k."
lost_credits(m) =
    Hypergeometric.lost_credits(spectrum(m), m.name == "mg_pass_at_k" && isodd(m.k) ? ratio(1, m.k) : ZERO)

"A_j, j = 0..k, as integers over one denominator."
function exact_credits(m)
    k = m.k
    m.name == "mg_pass_at_k" && return [big(2 * max(0, j - (k + 1) ÷ 2)) for j in 0:k], big(k)
    m.name == "auc_at_k" || return [big(Int(j >= m.r)) for j in 0:k], big(1)
    terms = Ratio[(big(k + 1), big(2k))]
    for r in 2:k
        push!(terms, (big(2k * (k + 1) - r * (r + 1)), big(2k) * r * (r + 1) * (k - 1)))
    end
    den = foldl(lcm, (d for (_, d) in terms))
    return cumsum([big(0); [x * (den ÷ d) for (x, d) in terms]]), den
end

"The c at which one more success of n adds most credit."
function steepest(m, n)
    m.name == "mg_pass_at_k" && return n - 1
    (m.name == "auc_at_k" || m.k == 1) && return 0
    return Int(min(n - 1, widemul(m.r - 1, n) ÷ (m.k - 1)))
end

"The metric of each state."
function values(m, n, c)
    out = Vector{Triple}(undef, length(n))
    if m.name == "pass_at_k"
        Hypergeometric.pass_at_k!(out, n, c, m.k)
    elseif m.name == "pass_hat_k"
        Hypergeometric.pass_hat_k!(out, n, c, m.k)
    elseif m.name == "naive_pass_hat_k"
        Hypergeometric.naive_pass_hat_k!(out, n, c, m.k)
    else
        Hypergeometric.credit_at_k!(out, n, c, m.k, credits(m))
    end
    return out
end

"1 less the metric of each state."
function lost_values(m, n, c)
    m.name == "pass_at_k" && return values(renamed(m, "pass_hat_k"), n, n - c)
    m.name == "pass_hat_k" && return values(renamed(m, "pass_at_k"), n, n - c)
    out = Vector{Triple}(undef, length(n))
    Hypergeometric.credit_at_k!(out, n, c, m.k, lost_credits(m))
    return out
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
