"""
Scores to ranks: conventions, ties that respect uncertainty, rank ranges, Elo, and a ranking by every metric.

`Rank.bayes`, `Rank.pass_at_k` and so on take what their namesakes of Scorio take, with R for many models: an L × M ×
N array, a vector of models, or names with anything that R may be (`Dict`, vector of pairs, named tuple). The ranks
come in the same form. Ranks of estimates say nothing of their noise: [`Rank.ranges`](@ref Scorio.Rank.ranges) does.
"""
module Rank

using ..Scorio: InvalidInput, LAM, Scorio, refuse
using ..Arguments: Arguments
using ..Metrics: Metrics
using ..Estimates: Estimates
using ..Models: counted, each, label, named, prior, tensor
using ..DoubleDouble: DoubleDouble, Triple, ZERO, add, div, exp, ext, log, mul, neg, root, sub, value
using ..Differences: Differences
using ..Significance: apart, gap, rule

@nospecialize

include("scores.jl")
include("by_metric.jl")
include("elo.jl")
include("ranges.jl")

end
