# The maximum of the likelihood of one group of models, to the last digit of double-doubles.
#
# The search takes Newton steps of a length that guarantees ascent. Once they are short it keeps the last curvature, and
# stops before a step that is not shorter than half of the one before it.

module Fits

using ...DoubleDouble: ONE, Triple, ZERO, times_2_to, value
using ...Rationals: from_ratio
using ...Means: Fraction
using ...Scorio: deferred
using ..Battles: Battles
using ..Likelihood: Derivatives, Likelihood

const SHORT_STEP = 2.0^-20  # shorter steps are not damped and keep the last curvature
const MOST_STEPS = 500
const NEGLIGIBLE = 2.0^-80  # smaller differences of log strengths count as 0

"Ordered pairs of models, first and second, and for each the counts of its outcomes FIRST, TIE, SECOND (table.jl)."
struct Cells
    first::Vector{Int}
    second::Vector{Int}
    counts::Vector{NTuple{3,Triple}}
end

"Cells from exact counts, which are fractions."
from_fractions(pairs, counts) = Cells(
    Int[p[1] for p in pairs], Int[p[2] for p in pairs],
    NTuple{3,Triple}[(from_ratio(n[1]), from_ratio(n[2]), from_ratio(n[3])) for n in counts],
)

function from_fractions(counts::Battles.Cells)
    pairs = Battles.pairs_of(counts)
    return from_fractions(pairs, Vector{Fraction}[counts[p] for p in pairs])
end

"Indices of the cells whose two models both have an entry above 0 in new_index."
indices_within(c::Cells, new_index) =
    findall(k -> new_index[c.first[k]] > 0 && new_index[c.second[k]] > 0, eachindex(c.first))

"The cells with the indices `which`, their models renumbered by new_index."
renumbered(c::Cells, which, new_index) = Cells(new_index[c.first[which]], new_index[c.second[which]], c.counts[which])

"Maximum likelihood estimates: strengths p, their centred logs theta, position bias, tie parameter."
mutable struct Fit
    model::Int  # index in Likelihood.MODELS
    biased::Bool  # whether the position bias is estimated
    tied::Bool  # whether the tie parameter is estimated
    cells::Cells
    p::Vector{Triple}
    bias::Triple
    tie::Triple
    theta::Vector{Triple}
end

function Fit(size, cells::Cells, ties, biased)
    model = findfirst(==(ties), Likelihood.MODELS)::Int
    tied = model > 1 && any(n -> n[2].hi > 0.0, cells.counts)
    f = Fit(model, biased, tied, cells, fill(ONE, size), ONE, starting_tie(model, tied, cells), Triple[])
    maximize!(f)
    f.theta = centred(f)
    return f
end

"The starting value of the tie parameter: approximately its estimate if all models are equally strong."
function starting_tie(model, tied, cells)
    lowest = model == 3 ? ONE : ZERO
    tied || return lowest
    wins = ties = losses = 0.0  # from left to right: sum() adds in another order
    for n in cells.counts
        wins, ties, losses = wins + value(n[1]), ties + value(n[2]), losses + value(n[3])
    end
    return lowest + (2.0 * ties / (wins + losses))
end

"A fit of more models: model k has the strength of model at[k] of this fit."
function expanded(f::Fit, at, cells)
    out = Fit(f.model, f.biased, f.tied, cells, f.p[at], f.bias, f.tie, Triple[])
    out.theta = centred(out)
    return out
end

"Scores and curvatures of cells at the strengths of a fit."
derivatives_at(f::Fit, c::Cells) = Likelihood.all_derivatives(f.model, c.first, c.second, c.counts, f.p, f.bias, f.tie)

# --- steps ---

"Take Newton's steps until the next one, by the kept curvature, is not shorter than half of the last one."
function maximize!(f)
    last, factor = Inf, nothing
    for _ in 1:MOST_STEPS
        derivatives = derivatives_at(f, f.cells)
        keeps_factor = factor !== nothing
        keeps_factor || (factor = factored(f, derivatives))
        g = Likelihood.gradient(f.cells.first, f.cells.second, derivatives, length(f.p))
        d = direction(factor, Float64[value(x) for x in g])
        reach = Likelihood.largest_change(f.cells.first, f.cells.second, d)
        keeps_factor && !(reach < 0.5 * last) && return
        full_step = keeps_factor || reach < SHORT_STEP
        step!(f, d, full_step ? 1.0 : 2.0 / (2.0 + reach))
        full_step || (factor = nothing)
        last = full_step ? reach : Inf
    end
    error("the strengths do not converge")
end

"Move all log parameters by t d; the tie parameter of Rao and Kupper goes at most half of the way to 1."
function step!(f, d, t)
    L = length(f.p)
    Likelihood.step_all!(f.p, d, t)
    if f.biased
        f.bias = Likelihood.times_exp(f.bias, t * d[L+1])
    end
    if f.tied
        new = Likelihood.times_exp(f.tie, t * d[L+2])
        if f.model == 3
            lowest = ONE + times_2_to(f.tie - ONE, -1.0)
            new = new > lowest ? new : lowest
        end
        f.tie = new
    end
end

# --- the estimates --------------------------------------------------------------------------------------

"Log strengths of mean 0, with tiny values set to 0."
function centred(f)
    logs, total = Triple[log(x) for x in f.p], ZERO
    for x in logs
        total += x
    end
    mean = total / length(logs)
    return Triple[flush_tiny(x - mean) for x in logs]
end

"x, or 0 where |x| is below 2^-80."
flush_tiny(x) = abs(value(x)) < NEGLIGIBLE ? ZERO : x

"The difference of log strengths theta_i - theta_j."
log_ratio(f::Fit, i, j) = flush_tiny(log(f.p[i] / f.p[j]))

"The log of the position bias."
advantage(f::Fit) = flush_tiny(log(f.bias))

"""
The inverse of the curvature with the first strength fixed, (L + 4) × (L + 4).

Rows and columns: the L models, position bias, tie parameter, mean of the models, zeros. which: the models whose columns
are needed; then the column of the mean is not filled.
"""
function inverse_curvature(f::Fit, which = nothing)
    derivatives, L = derivatives_at(f, f.cells), length(f.p)
    columns = which === nothing ? collect(1:L) : sort!(unique(collect(Int, which)))
    W, B = Likelihood.curvature_exact(f.cells.first, f.cells.second, derivatives, L)
    U = fill(ZERO, L + 4, L + 4)
    Likelihood.eliminate_exact!(W)
    Likelihood.unit_columns!(W, columns, U)
    if f.biased || f.tied
        deferred(border!)(f, columns, W, B, U)
    end
    which === nothing && Likelihood.average!(U)
    return U
end

"Add the rows and columns of position bias and tie parameter to U."
function border!(f, columns, W, B, U)
    Y = map(b -> Likelihood.solve_exact!(W, b[1:length(f.p)]), B)
    Likelihood.border!(columns, Y, inverse_schur(f, B, Y), U)
end

"The inverse of the Schur complement of bias and tie parameter: 2 × 2."
function inverse_schur(f, B, Y)
    S = fill(ZERO, 2, 2)
    x, xy, y = Likelihood.schur(B, Y, 1, 1), Likelihood.schur(B, Y, 1, 2), Likelihood.schur(B, Y, 2, 2)
    if !f.tied
        S[1, 1] = ONE / x
    elseif !f.biased
        S[2, 2] = ONE / y
    else
        determinant = x * y - xy * xy
        cross = (ZERO - xy) / determinant
        S[1, 1], S[1, 2], S[2, 1], S[2, 2] = y / determinant, cross, cross, x / determinant
    end
    return S
end

"The factored curvature at the strengths of a fit, for Newton's direction."
struct Factor
    W::Matrix{Float64}
    estimated::Vector{Int}  # which of position bias (1) and tie parameter (2) are
    Y::Vector{Vector{Float64}}  # for each of them, its column of B solved by W
    S::Matrix{Float64}  # their Schur complement
end

function factored(f, derivatives)
    L = length(f.p)
    W, B = Likelihood.curvature(f.cells.first, f.cells.second, derivatives, L)
    Likelihood.eliminate!(W)
    estimated = Int[]
    f.biased && push!(estimated, 1)
    f.tied && push!(estimated, 2)
    Y = Vector{Float64}[Likelihood.solve!(W, B[1:L, e]) for e in estimated]
    S = Float64[B[L+e, estimated[k]] - dot_product(B[1:L, e], Y[k]) for e in estimated, k in eachindex(estimated)]
    return Factor(W, estimated, Y, S)
end

"The scalar product, summed from left to right."
function dot_product(x, y)
    total = 0.0
    for k in eachindex(y)
        total += x[k] * y[k]
    end
    return total
end

"Newton's direction from the scores g: models, then bias and tie parameter."
function direction(f::Factor, g)
    L = length(g) - 2
    d = Likelihood.solve!(f.W, g[1:L])
    push!(d, 0.0)
    push!(d, 0.0)
    residual = Float64[g[L+f.estimated[k]] - dot_product(g, f.Y[k]) for k in eachindex(f.estimated)]
    shifts = solve_small(f.S, residual)
    for k in eachindex(f.estimated)
        d[L+f.estimated[k]] = shifts[k]
        for i in 1:L
            d[i] -= shifts[k] * f.Y[k][i]
        end
    end
    return d
end

"Newton's direction for those of position bias and tie parameter that are estimated."
function solve_small(S, r)
    length(r) == 2 || return isempty(r) ? r : [r[1] / S[1, 1]]
    determinant = S[1, 1] * S[2, 2] - S[1, 2] * S[2, 1]
    return [(S[2, 2] * r[1] - S[1, 2] * r[2]) / determinant, (S[1, 1] * r[2] - S[2, 1] * r[1]) / determinant]
end

end
