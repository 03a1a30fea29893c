"""
Item analysis, changes between runs, reliability of a ranking, cheapest designs, and cost per solved task.

- `Items.items` finds dead and suspect questions.
- `Items.changes` finds the questions that regressed or improved between two runs.
- `Items.reliability` estimates variance components and the generalizability coefficient.
- `Items.design` finds the numbers of questions and trials that reach a target, and the cheapest design.
- `Items.cost_per_solved` estimates the cost of a success.

Outcomes are binary. `models` is an L × M × N array, a vector of the outcomes of each model, or names with outcomes
(`Dict`, vector of pairs, named tuple).
"""
module Items

using ..Scorio: @by_name, Counts, Result, Results, count_outcomes, pair_questions, questions, refuse, required
using ..Scorio: single_trials
using ..Arguments: Arguments
using ..Differences: check_two_units, common_questions, quantile
using ..Distributions: beta_low, error_rate, normal_z, t_cdf
using ..DoubleDouble: ONE, Triple, value
using ..Models: check_flat, count_models
using ..Multiplicity: benjamini_hochberg
using ..Rationals: Rationals, from_ratio, integer_ratio, over_common_denominator

const Fraction = Rational{BigInt}

@nospecialize

include("items.jl")
include("changes.jl")
include("reliability.jl")
include("design.jl")
include("cost_per_solved.jl")

end
