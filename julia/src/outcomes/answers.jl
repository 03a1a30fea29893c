# Answers of trials, and scores of trials, for metrics that choose one of k trials.

const LARGEST_TRIALS = 10^6  # most trials of a question in Answers(; right, other): the work grows with k times this

"Votes of a question: decreasing counts of the right and of the other answers, and trials without an answer."
const Votes = NamedTuple{(:right, :other, :blank),Tuple{Vector{Int},Vector{Int},Int}}

"Scores of a question: numbers of trials and of successes with each distinct score, in increasing order."
const Levels = NamedTuple{(:trials, :right),Tuple{Vector{Int},Vector{Int}}}

"Number of successes of a question."
successes(x::Union{Votes,Levels}) = sum(x.right)

"Number of trials of a question."
trials_of(x::Votes) = sum(x.right) + sum(x.other) + x.blank
trials_of(x::Levels) = sum(x.trials)

"Outcomes with more details of each question than Counts: supertype of Answers and ScoredTrials."
abstract type Detailed end

"""
    Answers(labels, correct)
    Answers(; right, other, blank=nothing)

How often each question got each answer, and which answers are right, for majority votes.

- `labels`: a vector of M rows, or a matrix: the answer of each trial, a text or an integer; the same label is the same
  answer. `nothing` or `missing` is a trial without an answer, which casts no vote. Rows may differ in length.
- `correct`: for each question its right answer, or a vector of all its right answers. Answers that are written
  differently are different answers, which share no votes: bring "1/2" and "0.5" to one form first.
- `right`: for each question how often its right answer was given, or each of several right answers (a vector).
- `other`: for each question how often each of the other answers was given (a vector); `blank`: its trials without an
  answer.

[`graded_answers`](@ref) takes the outcome of each trial in the place of `correct`. Accepted by
[`plurality_at_k`](@ref), and as `R` under the metrics `:plurality_at_k` and `:strict_plurality_at_k`. Any other
function that takes `Counts` uses the counts of successes and failures. Fields: `items`, for each question (right,
other, blank), the counts decreasing; `trials`; `min_trials`. Throws `InvalidInput`: type, shape, empty, length, range.

# Examples
```jldoctest
julia> a = Answers([["4", "4", "5", nothing], ["9", "3", "9", "8"]], ["4", "3"])
Answers(2 questions, 4 trials)

julia> a.items[1]
(right = [2], other = [1], blank = 1)
```
"""
struct Answers <: Detailed
    items::Vector{Votes}
    trials::Vector{Int}
    min_trials::Int
    Answers(items::Vector{Votes}) = (n = Int[trials_of(x) for x in items]; new(items, n, minimum(n)))
end

"""
    ScoredTrials(scores, R)

The score and the outcome of each trial, for best-of-k, which chooses the trial with the highest score.

- `scores`: a vector of M rows, or a matrix: the score of each trial, from a reward model, a verifier, or
  log-probabilities; a larger one is preferred. Rows may differ in length.
- `R`: outcomes 0 and 1, row by row as the scores.

Accepted by [`best_of_k`](@ref), and as `R` under the metric `:best_of_k`. Any other function that takes `Counts` uses
the counts of successes and failures. Fields: `items`, for each question (trials, right): the number with each distinct
score, increasing, and the successes; `trials`; `min_trials`. Throws `InvalidInput`: type, shape, empty, not_finite,
category, missing.

# Examples
```jldoctest
julia> s = ScoredTrials([0.9 0.2 0.2; 0.1 0.5 0.4], [1 0 1; 0 0 1]);

julia> s.items[1]
(trials = [2, 1], right = [1, 1])
```
"""
struct ScoredTrials <: Detailed
    items::Vector{Levels}
    trials::Vector{Int}
    min_trials::Int
    ScoredTrials(items::Vector{Levels}) = (n = Int[trials_of(x) for x in items]; new(items, n, minimum(n)))
end

@nospecialize

function Answers(labels, correct)
    rows, right = entry_rows(labels, "labels"), entries(correct, "correct")
    length(right) == length(rows) ||
        refuse("length", "correct", "correct has ", length(right), " entries for ", length(rows), " questions")
    items = Votes[]
    for (i, (row, right_of_question)) in enumerate(zip(rows, right))
        right_answers = isrow(right_of_question) ? collect(Any, right_of_question) : Any[right_of_question]
        correct_labels = Set{Any}(label(x, "correct", "correct[$i]") for x in right_answers)
        push!(items, votes(answers_of(row, i), correct_labels))
    end
    return Answers(items)
end

function Answers(; right, other, blank = nothing)
    right_entries, other_entries = entries(right, "right"), entry_rows(other, "other")
    blank_entries = blank === nothing ? zeros(Int, length(right_entries)) : entries(blank, "blank")
    for (name, x) in (("other", other_entries), ("blank", blank_entries))
        length(x) == length(right_entries) ||
            refuse("length", name, name, " has ", length(x), " entries for ", length(right_entries), " questions")
    end
    items = Votes[]
    for (i, (a, b, z)) in enumerate(zip(right_entries, other_entries, blank_entries))
        a = answer_counts(isrow(a) ? collect(Any, a) : Any[a], "right", i)
        b = answer_counts(b, "other", i)
        item = (right = a, other = b, blank = Arguments.integer(z, "blank", 0, LARGEST_TRIALS))
        trials_of(item) <= LARGEST_TRIALS ||
            refuse("range", "other", "with other[", i, "], question ", i, " has more than ", LARGEST_TRIALS, " trials")
        push!(items, item)
    end
    return Answers(items)
end

"""
    graded_answers(labels, R) -> Answers

[`Answers`](@ref) from labels and the outcome of each trial, 0 or 1: an answer is right if its trials are successes.

- `labels`: as for `Answers`.
- `R`: outcomes, row by row as the labels. Trials of one answer to one question must have one outcome, and a trial
  without an answer is not a success (`conflict`).

# Examples
```jldoctest
julia> graded_answers([["a", "b", "a"]], [[1, 0, 1]]).items[1]
(right = [2], other = [1], blank = 0)
```
"""
function graded_answers(labels, R)
    rows, outcomes = entry_rows(labels, "labels"), entry_rows(R, "R")
    same_shape(rows, outcomes, "labels")
    items = Votes[]
    for (i, (row, results)) in enumerate(zip(rows, outcomes))
        answers, outcome_of = answers_of(row, i), Dict{Any,Int}()
        for (j, (x, y)) in enumerate(zip(answers, results))
            y = success(y, i, j)
            x === nothing && y == 1 && refuse("conflict", "R", "R[$i, $j] is 1 for a trial without an answer")
            get!(outcome_of, x, y) == y || refuse(
                "conflict", "R", "R is 1 in one trial and 0 in another of the answer ", shown(x[2]), " to question ", i,
            )
        end
        push!(items, votes(answers, Set{Any}(x for (x, y) in outcome_of if y == 1)))
    end
    return Answers(items)
end

function ScoredTrials(scores, R)
    rows, outcomes = entry_rows(scores, "scores"), entry_rows(R, "R")
    same_shape(rows, outcomes, "scores")
    items = Levels[]
    for (i, (row, results)) in enumerate(zip(rows, outcomes))
        n_trials, n_right = Dict{Float64,Int}(), Dict{Float64,Int}()
        for (j, (x, y)) in enumerate(zip(row, results))
            x = trial_score(x, i, j)
            n_trials[x] = get(n_trials, x, 0) + 1
            n_right[x] = get(n_right, x, 0) + success(y, i, j)
        end
        levels = sort!(collect(keys(n_trials)))
        push!(items, (trials = Int[n_trials[x] for x in levels], right = Int[n_right[x] for x in levels]))
    end
    return ScoredTrials(items)
end

questions(x::Detailed) = length(x.items)
ids_of(::Detailed) = nothing
clusters_of(::Detailed) = nothing

"Counts of successes and failures."
success_counts(x::Detailed) = Counts(Int[successes(item) for item in x.items], x.trials)

"The outcomes of some of the questions, at least one; keep is a mask of length M or a vector of indices."
function select(x::Detailed, keep)
    select(success_counts(x), keep)  # throws the error of an invalid keep
    return typeof(x)(x.items[keep])
end

function Base.show(io::IO, x::Detailed)
    low, high = extrema(x.trials)
    trials = low == high ? "$low" : "$low..$high"
    print(io, nameof(typeof(x)), "(", questions(x), " questions, ", trials, " trials)")
end

Base.:(==)(x::T, y::T) where {T<:Detailed} = x.items == y.items

# --- reading arguments --------------------------------------------------------------------------------

"Check a sequence with one entry for each question; returns it as a vector."
function entries(x, name)
    x isa Union{AbstractVector,Tuple} ||
        refuse("type", name, name, " must have an entry for each question, not ", shown(x), TABLE_HINT)
    isempty(x) && refuse("empty", name, name, " is empty: at least one question is needed")
    return collect(Any, x)
end

"Check rows of entries, a row for each question; returns vectors."
function entry_rows(x, name)
    rows = x isa AbstractMatrix ? Any[collect(Any, row) for row in eachrow(x)] : entries(x, name)
    isempty(rows) && refuse("empty", name, name, " is empty: at least one question is needed")
    for (i, row) in enumerate(rows)
        row isa Row || refuse("shape", name, "$name[$i] = $(shown(row)) is not a row, one entry for each trial")
    end
    return Vector{Any}[collect(Any, row) for row in rows]
end

"Check that there is one outcome for each label or score; name: the argument that holds the labels or scores."
function same_shape(rows, outcomes, name)
    length(outcomes) == length(rows) ||
        refuse("shape", "R", "R has ", length(outcomes), " rows, ", name, " has ", length(rows))
    for i in eachindex(rows)
        length(rows[i]) == length(outcomes[i]) ||
            refuse("shape", "R", "R[$i] has ", length(outcomes[i]), " trials, $name[$i] has ", length(rows[i]))
    end
end

"The labels of the trials of question i, with their types; nothing for a trial without an answer."
answers_of(row, i) =
    Any[x === nothing || x === missing ? nothing : label(x, "labels", "labels[$i, $j]") for (j, x) in enumerate(row)]

"Check a label, a text or an integer; returns it with its type, since 1 and \"1\" are two labels."
function label(x, name, place)
    x isa AbstractString && return "text", String(x)
    x isa Integer && !(x isa Bool) || refuse("type", name, place, " = ", shown(x), " is neither a text nor an integer")
    return "integer", big(x)
end

"Count the votes of a question from the answers of its trials."
function votes(answers, correct_labels)::Votes
    counts = Dict{Any,Int}()
    for x in answers
        counts[x] = get(counts, x, 0) + 1
    end
    blank = pop!(counts, nothing, 0)
    decreasing_counts(is_right) = reverse!(sort!(Int[m for (x, m) in counts if (x in correct_labels) == is_right]))
    return (right = decreasing_counts(true), other = decreasing_counts(false), blank = blank)
end

"Check counts of answers; returns them decreasing, without zeros."
function answer_counts(x, name, i)
    counts = Int[]
    for (j, m) in enumerate(x)
        m isa Integer && !(m isa Bool) || refuse("type", name, "$name[$i, $j] must be an integer, not ", shown(m))
        0 <= m <= LARGEST_TRIALS || refuse("range", name, "$name[$i, $j] = ", m, " is not in 0..", LARGEST_TRIALS)
        m > 0 && push!(counts, m)
    end
    return reverse!(sort!(counts))
end

"Check an outcome; returns it as the integer 0 or 1."
function success(y, i, j)
    isabsent(y) && refuse("missing", "R", "R[$i, $j] is missing: leave the trial out of all arguments")
    y isa Real || refuse("type", "R", "R[$i, $j] = ", shown(y), " is not a number")
    y == 0 || y == 1 || refuse("category", "R", "R[$i, $j] = ", shown(y), " is neither 0 nor 1")
    return Int(y)
end

"Check a score; returns it as a finite double."
function trial_score(x, i, j)
    isabsent(x) && refuse("missing", "scores", "scores[$i, $j] is missing: leave the trial out of all arguments")
    return Arguments.finite(x, "scores", "scores[$i, $j]") + 0.0  # no negative zero
end

@specialize
