"""
Rubrics: from signals of attempts to categories and Bayes@N (section 3.4 and appendix D of arXiv:2510.04265).

An attempt (one trial of a question by a model) has signals: is it correct, is the answer boxed, how long and how
confident is it, what does a verifier say? A schema assigns one of C + 1 categories by rules tried in order; each
category has a score w. Percentiles of a signal over the data set serve as thresholds. The twelve schemata of the paper
are in [`SCHEMATA`](@ref Scorio.Rubric.SCHEMATA); [`Schema`](@ref Scorio.Rubric.Schema) declares your own in the same
language.

Signals are names with values (`Dict`, named tuple, vector of pairs): an M × N matrix or a vector of rows, or one number
for every attempt, such as `C = 0` where no verifier ran. Standard names are `has_box` and `is_correct` in [0, 1]; A, B
and C in [0, 1], a verifier's probabilities that the answer is correct, wrong, or off the task; `repeated_pattern` (0 or
1); `token_ratio`; `prompt_bpt` and `completion_bpt` (bits per token, negative log-probabilities: never below 0). Other
names are signals of your own. `NaN`, `missing` and `nothing` are missing; an attempt still gets a category if its
missing signals cannot change it: with `repeated_pattern = 1` an attempt is invalid whatever C is.
"""
module Rubric

using ..Scorio: @by_name, InvalidInput, LARGEST_C, Result, Scorio, TABLE_HINT, among, isabsent, isrow, deferred, refuse
using ..Scorio: nearest, shown, tally
using ..Arguments: Arguments
using ..Rationals: over_common_denominator
using ..Models: Models, islist, ismapping
using ..Rank: by_score

Base.Experimental.@optlevel 1

export SCHEMATA, Schema, categories, percentile, score, thresholds

# A dictionary of values by name. Julia comes with compiled code for dictionaries of Any; each process would compile it
# for other types. Loops in this module avoid such compilation too: generators, broadcasts and searches would need it.
const Named = Dict{String,Any}

include("conditions.jl")

@nospecialize

include("schema.jl")
include("signals.jl")
include("percentiles.jl")
include("scores.jl")

end
