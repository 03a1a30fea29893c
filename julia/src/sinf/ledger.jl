# Many builds of one system, one after another: gates with one error rate, alarms, steps, and the noise floor.

"""
    gate_builds(builds, pin; margin, confidence=0.95, w=nothing, runs=:fixed, missing=:raise)
        -> (builds, pin, pin_hi, next_floor, next_level)

Which of many builds pass a floor, with one error rate over all of them.

- `builds`: every build that was gated, in the order of time, whether it was released or not: a vector or names with the
  outcomes of one model each, matrices M×N or [`Counts`](@ref), on the same questions by id or else by row.
- `pin`: the build that is pinned as the baseline: one evaluation, or several, whose trials are pooled.
- `margin`: the loss against the pin, in units of `w`, that is acceptable: above 0, below the span of the scores.
- `confidence`: with at most the probability 1 - confidence any build passes, of all together, whose true score is more
  than the margin below that of the pin.
- `w`: the score of each category; default (0, 1).
- `runs`: a result of [`run_variation`](@ref), or anything with its `ratio` and `df`: how much more evaluations differ
  than their trials explain, as [`noise_floor`](@ref) has it; `:fixed`, not at all.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).
  Every build needs a trial of every question.

Each of `builds` has (`build`, `mu`, `floor`, `p_worse`, `p_better`, `level`, `doubtful`, `raised`, `verdict`), in
order; `build` is its name, or its index. The floor is the upper end of the pin's interval less the margin; a build that
passes raises it if the lower end of its own interval less the margin is higher. The verdict is "pass" if `p_worse` is
at most the level, else "fail" if `p_better` is at most (1 - confidence)/2, else "inconclusive". Throws `InvalidInput`
for anything wrong with the arguments; missing: a build without a trial of a question; choice: `runs=:sampled`.

Source: spec/families/ledger.md. The verdict is about these questions. With the last build that passed as the next
baseline the score may slide by a margin each time; this floor never falls. The level depends on how many builds before
were doubtful (`p_worse` above 1/4, at most 3/4), not on their number: the sequence may go on for any time. A new pin is
a new promise.

# Examples
```jldoctest
julia> pin = Counts([31, 25, 16, 28], fill(32, 4));

julia> builds = ["a" => Counts([32, 24, 14, 29], fill(32, 4)), "c" => Counts([24, 12, 8, 16], fill(32, 4))];

julia> x = gate_builds(builds, pin; margin=0.2);

julia> [(y.build, y.verdict) for y in x.builds], round(x.next_floor, digits=3)
([("a", "inconclusive"), ("c", "fail")], 0.652)
```
"""
function gate_builds(
    builds, pin; margin = required("margin"), confidence = 0.95, w = nothing, runs = :fixed, missing = :raise,
)
    confidence = Arguments.confidence(confidence)
    h = Histories.read_history(builds, w, missing; pin = pin, has_pin = true)
    rows, ends = deferred(BuildGates.gates)(h, margin, confidence, runs)::Tuple{Any,Any}
    names = (:build, :mu, :floor, :p_worse, :p_better, :level, :doubtful, :raised, :verdict)
    gated = Results{:GatedBuild}([NamedTuple{names}(x) for x in rows])
    return Result{:BuildGates}(
        (builds = gated, pin = ends[1], pin_hi = ends[2], next_floor = ends[3], next_level = ends[4]),
    )
end

"""
    alarms(builds, pin=nothing; every=500, w=nothing, runs=:fixed, missing=:raise) -> (builds, limit)

At which builds the score has fallen or risen, with a stated number of builds for each false alarm.

- `builds`: the builds that followed each other, in the order of time, as in [`gate_builds`](@ref).
- `pin`: evaluations of the build before the first; default: the builds are compared only with each other.
- `every`: one false alarm, of a loss or of a gain, in this many builds on average, from 50 to 2000.
- `w`, `missing`: as in [`gate_builds`](@ref).
- `runs`: `:sampled`, evaluations differ by more than their trials explain, by a ratio that the successive differences
  of the builds before each show; the first builds cannot give an alarm then. Or the ratio is stated, as in
  [`gate_builds`](@ref).

Each of `builds` has (build, mu, reference, z, loss, gain, alarm, since), in order. `reference` is the score of the pin
and all builds before, since the last alarm; `z` is reference less mu over its standard error, `loss` and `gain` are the
sums of z - 1/2 and of -z - 1/2, never below 0. `alarm` is "loss" or "gain" where its sum reaches `limit`, and `since`
the build with which the sum began to grow; both are `nothing` elsewhere. After an alarm the sums and the reference
start anew. Throws `InvalidInput` for anything wrong with the arguments. Source: spec/families/ledger.md. An alarm does
not say which build is at fault: see [`steps`](@ref).

# Examples
```jldoctest
julia> c = ([31, 25, 16, 28], [32, 24, 14, 29], [30, 26, 15, 28], [27, 21, 9, 24], [26, 20, 11, 22]);

julia> x = alarms([Counts(y, fill(32, 4)) for y in c]; every=100);

julia> x.builds[5].alarm, x.builds[5].since
("loss", 4)
```
"""
@by_name function alarms(builds, pin = nothing; every = 500, w = nothing, runs = :fixed, missing = :raise)
    every = Arguments.in_range(every, "every", 50.0, 2000.0)
    h = Histories.read_history(builds, w, missing; pin = pin)
    rows, limit = deferred(Cusums.alarms)(h, every, runs)::Tuple{Any,Float64}
    names = (:build, :mu, :reference, :z, :loss, :gain, :alarm, :since)
    return Result{:Alarms}((builds = Results{:WatchedBuild}([NamedTuple{names}(x) for x in rows]), limit = limit))
end

"""
    steps(builds; confidence=0.95, w=nothing, runs=:fixed, missing=:raise) -> a list

With which builds the score changed, each with a set of builds and an interval of the change.

- `builds`: the builds that followed each other, in the order of time, as in [`gate_builds`](@ref); at least two.
- `confidence`: with this nominal probability no step is found where the score never changed.
- `w`, `runs`, `missing`: as in [`alarms`](@ref).

Each step has (build, first, last, mu, lo, hi, p_value), in the order of time: the score changed with `build`, or with
another of `first` to `last`, by `mu`, in `lo` to `hi`. Throws `InvalidInput` for anything wrong with the arguments;
length: one build. Source: spec/families/ledger.md: binary segmentation, of which each part has half of the level, and
each split is placed once more between its neighbours. A slow slide shows as several small steps.

# Examples
```jldoctest
julia> c = ([31, 25, 16, 28], [32, 24, 14, 29], [30, 26, 15, 28], [27, 21, 9, 24], [26, 20, 11, 22], [27, 19, 8, 23]);

julia> x = steps([Counts(y, fill(32, 4)) for y in c])[1];

julia> x.build, x.first, x.last, round(x.mu, digits=3)
(4, 4, 4, -0.159)
```
"""
function steps(builds; confidence = 0.95, w = nothing, runs = :fixed, missing = :raise)
    confidence = Arguments.confidence(confidence)
    h = Histories.read_history(builds, w, missing; least = 2)
    names = (:build, :first, :last, :mu, :lo, :hi, :p_value)
    return Results{:Step}([NamedTuple{names}(x) for x in deferred(BuildSteps.steps)(h, confidence, runs)])
end

"""
    noise_floor(evaluations; pooled=nothing, power=0.8, confidence=0.95, w=nothing, missing=:raise)
        -> (mu, sigma, ratio, df, p_value, sd, flaky, flip_rate, margin_gate, margin_builds, ...)

How much evaluations of one build differ, and the smallest margins that gates of such evaluations can hold.

- `evaluations`: two or more evaluations of the same build, each as a build of [`gate_builds`](@ref).
- `pooled`: how many evaluations the pin of [`gate_builds`](@ref) will have; default: as many as are given.
- `power`: probability with which an unchanged build is to pass, from 1/2 on.
- `confidence`, `w`, `missing`: as in [`gate_builds`](@ref).

`mu` is the score of all evaluations and `sigma` the standard error of one; `ratio`, `df`, `p_value`, `sd` are those of
[`run_variation`](@ref), with a run for each evaluation; `flaky` are the questions with different scores, from 1, and
`flip_rate` is the mean share of pairs of trials that differ. `margin_gate` and `margin_builds` are the smallest margins
of [`gate`](@ref) and [`gate_builds`](@ref) that an unchanged build passes with this power, `margin_gate_runs` and
`margin_builds_runs` those with the differences between evaluations; `nothing` where no margin is small enough. Throws
`InvalidInput` for anything wrong with the arguments; length: one evaluation; shape: one question. Source:
spec/families/ledger.md.

# Examples
```jldoctest
julia> c = ([31, 25, 16, 28], [32, 24, 14, 29], [30, 26, 15, 28]);

julia> x = noise_floor([Counts(y, fill(32, 4)) for y in c]);

julia> round(x.sigma, digits=4), round(x.margin_gate, digits=4), round(x.margin_builds, digits=4)
(0.033, 0.1505, 0.2235)
```
"""
function noise_floor(
    evaluations; pooled = nothing, power = 0.8, confidence = 0.95, w = nothing, missing = :raise,
)
    confidence, power = Arguments.confidence(confidence), Arguments.power(power)
    h = Histories.read_history(evaluations, w, missing; least = 2, name = "evaluations")
    pooled = pooled === nothing ? length(h.builds) : Arguments.integer(pooled, "pooled", 1)
    return Result{:NoiseFloor}(deferred(BuildNoise.noise)(h, pooled, power, confidence))
end
