"""
Ranks of models: from scores, with ties that respect uncertainty, by each metric, rank ranges, Elo, and battles.

`Rank.bayes`, `Rank.pass_at_k` and so on take the arguments of the functions of these names in Scorio, with R for all
models: an L × M × N array, a vector of models, or names with anything that R may be (`Dict`, vector of pairs, named
tuple). The ranks are a vector, or come with these names. Ranks of estimates ignore their uncertainty: see
[`Rank.ranges`](@ref Scorio.Rank.ranges).
"""
module Rank

using ..Scorio: @by_name, DEFAULT_LAM, Result, Scorio, check_trials, deferred, ends, refuse, required, shown, sort_order
using ..Arguments: Arguments
using ..Estimates: parse_request, read_outcomes
using ..Models: count_models, each, named, prior_outcomes, tensor
using ..Differences: is_significant, p_above, p_value, quantile, reversed_difference
using ..Distributions: error_rate, normal_z, one_sided_z
using ..DoubleDouble: ONE, Triple, ZERO, value
using ..Means: Fraction
using ..Multiplicity: adjusted, checked_correction, holm, positive_if_better, possible_ranks, possibly_best
using ..Pairs: contrasts, with_runs_of
using ..Rationals: fraction
using ..Significance: gap_of, rule, separated

@nospecialize

include("scores.jl")
include("by_metric.jl")
include("elo.jl")
include("ranges.jl")
@specialize
include("battles/table.jl")
include("battles/likelihood.jl")
include("battles/fit.jl")
include("battles/contrasts.jl")
@nospecialize

using .BattleContrasts: BattleContrasts, Contrasts
using .Battles: Battles
using .Equal: Equal, Equality
using .Existence: Existence
using .Fits: Fit, Fits
using .Likelihood: Likelihood

include("bradley_terry.jl")
include("battle_plans.jl")

end
