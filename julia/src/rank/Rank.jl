"""
Scores to ranks: conventions, ties that respect uncertainty, rank ranges, Elo, and a ranking by every metric.

`Rank.bayes`, `Rank.pass_at_k` and so on take what their namesakes of Scorio take, with R for many models: an L × M ×
N array, a vector of models, or names with anything that R may be (`Dict`, vector of pairs, named tuple). The ranks
come in the same form. Ranks of estimates say nothing of their variance: [`Rank.ranges`](@ref Scorio.Rank.ranges) does.
"""
module Rank

using ..Scorio: LAM, Scorio, refuse, sorted, trials_at_least
using ..Arguments: Arguments
using ..Estimates: counts_for, read_request
using ..Models: counted, each, named, prior, tensor
using ..DoubleDouble: ZERO, add, div, exp, ext, log, mul, neg, root, sub, value
using ..Multiplicity: adjusted, checked_correction, possibly_best, spans
using ..Pairs: contrasts
using ..Significance: gap, rule, significant

@nospecialize

include("scores.jl")
include("by_metric.jl")
include("elo.jl")
include("ranges.jl")
include("winners.jl")

end
