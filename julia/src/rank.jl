"""
Scores to ranks: conventions, ties that respect uncertainty, rank ranges, Elo, and a ranking by every metric.

`Rank.bayes`, `Rank.pass_at_k` and so on take what their namesakes of Scorio take, with R for many models: an L × M ×
N array, a vector of models, or names with anything that R may be (`Dict`, vector of pairs, named tuple). The ranks
come in the same form. Ranks of estimates say nothing of their noise: [`Rank.ranges`](@ref Scorio.Rank.ranges) does.
"""
module Rank

using ..Scorio: Scorio, LAM, refuse
using ..Checks: Checks
using ..Exact: from_ratio, whole
using ..Models: counted, each, named, prior, tensor
using ..Noise: Noise
using ..Numerics: Numerics, Triple, ZERO, add, div, exp, ext, log, mul, root, sub, value
using ..Pairs: common, on_same, quantile
using ..Separation: apart, gap, rule

@nospecialize

include("rank/scores.jl")
include("rank/metrics.jl")
include("rank/elo.jl")
include("rank/ranges.jl")

end
