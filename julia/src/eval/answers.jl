# One answer chosen from k trials: by a majority vote, or by a score.

const TIES = (("even", "plurality_at_k"), ("none", "strict_plurality_at_k"))

"""
    plurality_at_k(answers, k, ties=:even) -> Float64

Plurality@k: probability that the most frequent answer among k sampled trials is right, averaged over questions. This
is the score of a majority vote of k trials (self-consistency, cons@k, maj@k of the actual answers).

- `answers`: the answers of M questions, and which are right: [`Answers`](@ref).
- `k`: trials sampled without replacement, 1 <= k <= N; with unequal trials at most the smallest N.
- `ties`: what happens if several answers share the first place: `:even`, each is chosen with the same probability;
  `:none`, such a vote has no winner and counts as wrong. Code that breaks ties by the answer seen first agrees with
  `:even` on average if trials are in random order.

In [0, 1]. Throws `InvalidInput` if `answers`, `k` or `ties` is invalid; no_trials: a question without a trial. The
equation is in spec/functions.json. A trial without an answer may be sampled, and casts no vote. The sum is exact, in
integers; the time grows with n k.

[`maj_at_k`](@ref) uses only which trials are right and needs more than half of them right: where every question has one
right answer it is a lower bound, usually far below, since wrong answers rarely agree. With an interval:
[`interval`](@ref) of `:plurality_at_k` (ties `:even`) or `:strict_plurality_at_k` (ties `:none`), best with n >= 2k:
with k = n its 95% intervals cover in 87% of runs where on most questions one wrong answer is as frequent as the right
one, else in 93.5% or more.

# Examples
```jldoctest
julia> a = Answers(["4" "4" "5" "6"; "9" "3" "9" "8"], ["4", "9"]);

julia> round(plurality_at_k(a, 3), digits=4), maj_at_k(a, 3)
(0.6667, 0.5)

julia> plurality_at_k(a, 3, :none)
0.5
```
"""
@by_name function plurality_at_k(answers, k, ties = :even)
    ties = Arguments.choice(ties, "ties", first.(TIES))
    return chosen_value(answers, Answers, "answers", Dict(TIES)[ties], k)
end

"""
    best_of_k(scored, k) -> Float64

Best-of-k: probability that the trial with the highest score among k sampled ones is right, averaged over questions.

- `scored`: scores and outcomes of M questions: [`ScoredTrials`](@ref).
- `k`: trials sampled without replacement, 1 <= k <= N; with unequal trials at most the smallest N.

In [0, 1]. Of trials with equal scores each is equally likely to be chosen. Throws `InvalidInput` if `scored` or `k` is
invalid; `no_trials`: a question without a trial. The equation is in spec/functions.json. [`max_at_k`](@ref) is what a
perfect score would reach. With an interval: [`interval`](@ref) of `:best_of_k`.

# Examples
```jldoctest
julia> s = ScoredTrials([0.9 0.2 0.3; 0.1 0.5 0.4], [1 0 1; 0 0 1]);

julia> round(best_of_k(s, 2), digits=4)
0.6667
```
"""
@by_name best_of_k(scored, k) = chosen_value(scored, ScoredTrials, "scored", "best_of_k", k)

"Mean over questions of a metric that chooses one of k trials, by votes or by scores."
function chosen_value(x, type, name, metric, k)
    x isa type || refuse("type", name, name, " must be ", type, "(...), not ", shown(x))
    m = Metrics.read_metric(metric, k, nothing, nothing, (metric,))
    i = findfirst(iszero, x.trials)
    i === nothing || refuse("no_trials", name, "question ", i, " of ", name, " has no trial: leave it out")
    check_trials(x, m.k, name)
    return value(ChosenAnswers.mean(m, x))
end
