# Whether runs differ more than chance explains; and averages of runs, where only the average of each run is known.

const LARGEST_AVERAGE = 1e100

"""
    run_variation(R, w=nothing; sessions=nothing, shared=false, missing=:raise)
        -> (ratio, df, p_value, sd, model, run, deviation, p_run)

Whether the runs of one or more models differ more than chance explains, and by how much.

A run is what trials of different questions share: a pass over the benchmark, a seed, a prompt, a server. The result is
also an argument: `runs=run_variation(...)` of [`interval`](@ref), [`compare`](@ref) and others.

- `R`: outcomes of one model, M×N, or of several: L × M × N, a vector of models, or names with matrices. Column j is run
  j. Not `Counts`, which do not know the run of a trial.
- `w`: the score of each category; default (0, 1).
- `sessions`: a label for each of the N columns, such as its day, server or prompt: columns with equal labels are one
  run.
- `shared`: whether the runs are the same for both of two models, such as prompts or sessions: `ratio` and `df` are then
  those of the difference of the models, as `runs=:shared` has them.
- `missing`: missing outcomes are an error (`:raise`), are left out (`:drop`), or count as this category (an integer).

`ratio` is the variance between the averages of runs over that which the trials of each question explain, pooled over
models: 1 where runs do not differ. `df` are its degrees of freedom, `p_value` is that of the test of ratio 1, and `sd`
the estimated standard deviation of a run's average beyond chance, in units of `w` (0 where the ratio is below 1). The
run `run` of `model` (its name, or its index where models have none) stands out most: its average is off by `deviation`,
and `p_run` is the p-value of that, by Bennett's bound, times the number of runs. Runs count from 1, in the order in
which they first appear.

Throws `InvalidInput` for anything wrong with the arguments; type: counts; length: one run; shape: one question;
conflict: `shared` with more than two models. Source: spec/families/runs.md. For outcomes 0 and 1 and complete runs, df times ratio is Cochran's Q (1950). Where no question
varies between runs, the ratio is 1 and nothing stands out. One session says nothing about other sessions: give
`sessions` only if there are several.

# Examples
```jldoctest
julia> x = run_variation([1 1 0 1; 0 1 0 1; 0 1 0 0; 1 1 1 1]);

julia> round(x.ratio, digits=3), round(x.df, digits=3), round(x.p_value, digits=3), x.run, x.deviation
(2.0, 3.0, 0.082, 2, 0.375)

julia> r = interval([1 1 0 1; 0 1 0 1; 0 1 0 0; 1 1 1 1]; questions=:fixed, runs=x);

julia> round(r.mu, digits=3), round(r.lo, digits=3), round(r.hi, digits=3)
(0.625, 0.177, 0.928)
```
"""
@by_name function run_variation(R, w = nothing; sessions = nothing, shared = false, missing = :raise)
    scores, shared = Arguments.category_scores(w), Arguments.flag(shared, "shared")
    read(x) = by_run(x, length(scores) - 1, missing, "R", w !== nothing, sessions)
    R isa Number && refuse("type", "R", "R must be outcomes, a column for each run, not ", shown(R))
    models = Models.holds_matrices(R) ? Models.split_models(R, "R", 1) : Models.Many(R, nothing, Any[R])
    each = models.items[1] === R ? [read(R)] : Models.each(read, models, "R")
    sessions === nothing || any(x -> x.runs > 1, each) ||
        refuse("length", "sessions", "one session says nothing about others: sessions needs two or more")
    shared && length(each) > 2 && refuse(
        "conflict", "shared", "shared runs of ", length(each), " models: the ratio is about one, or the difference of two",
    )
    x = deferred(Runs.run_test)(each, scores, "R", shared)::Runs.RunTest
    return Result{:RunVariation}(merge(x, (model = models.names === nothing ? x.model : models.names[x.model],)))
end

"""
    mean_of_runs(averages, confidence=0.95, bounds=nothing) -> (mu, sigma, lo, hi)

The mean of the averages of several runs of one model, with the t interval over runs.

- `averages`: the average of each of N >= 2 runs on the same questions, such as one for each seed.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `bounds`: the ends of the scale, such as (0, 100): averages are within, and the interval is clipped to it.

The mean, its standard error, and the interval with N - 1 degrees of freedom. Throws `InvalidInput` for anything wrong
with the arguments; length: one run; undefined: all averages are equal. The interval is for these questions, and covers
the mean over further runs if averages are roughly normal. It does not account for the sampling of questions, which
averages do not show: with the outcomes of the questions, [`interval`](@ref) does. Equal averages are refused: most
likely the runs are one run (temperature 0, a cache), and an interval without width would be wrong.

# Examples
```jldoctest
julia> x = mean_of_runs([71.2, 70.8, 71.5]; bounds=(0, 100));

julia> round(x.mu, digits=3), round(x.lo, digits=3), round(x.hi, digits=3)
(71.167, 70.294, 72.039)
```
"""
@by_name function mean_of_runs(averages, confidence = 0.95, bounds = nothing)
    confidence, bounds = Arguments.confidence(confidence), Arguments.bounds(bounds)
    mean, V, n = moments_of_runs(averages, "averages", bounds)
    check_varies(V)
    lo, hi = t_ends(mean, V, Triple(n - 1), confidence)
    return Interval((
        mu = value(from_ratio(mean)) + 0.0, sigma = value(sqrt(from_ratio(V))), lo = DoubleDouble.clip(lo, bounds...),
        hi = DoubleDouble.clip(hi, bounds...),
    ))
end

"""
    compare_runs(averages, others, confidence=0.95, bounds=nothing)
        -> (mu, sigma, lo, hi, df, p_value, significant)

The difference of two models in the averages of their runs, by Welch's t test.

- `averages`, `others`: the average of each run of the first and of the second model, on the same questions and the same
  scale; two runs or more of each.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `bounds`: the ends of the scale: averages are within, and the interval is clipped to differences that are possible.

The first mean minus the second, its standard error and interval, Welch's degrees of freedom, the two-sided p-value, and
whether the interval excludes 0. Throws `InvalidInput` for anything wrong with the arguments; length: one run;
undefined: all averages of both models are equal. As for [`mean_of_runs`](@ref), the result is for these questions. With
the outcomes of the questions [`compare`](@ref) pairs them, and finds smaller differences.

# Examples
```jldoctest
julia> x = compare_runs([71.2, 70.8, 71.5], [69.9, 70.1, 70.3]; bounds=(0, 100));

julia> round(x.mu, digits=3), round(x.p_value, digits=4), x.significant
(1.067, 0.0174, true)
```
"""
@by_name function compare_runs(averages, others, confidence = 0.95, bounds = nothing)
    confidence, (low, high) = Arguments.confidence(confidence), Arguments.bounds(bounds)
    mean, v, n = moments_of_runs(averages, "averages", (low, high))
    other, w, m = moments_of_runs(others, "others", (low, high))
    D, V = mean - other, v + w
    check_varies(V)
    df = from_ratio(V^2 / (v^2 / (n - 1) + w^2 / (m - 1)))
    t = from_ratio(-abs(D)) / sqrt(from_ratio(V))
    p = D == 0 ? ONE : times_2_to(Distributions.t_cdf(t, df), 1.0)
    largest = high - low  # the largest possible difference
    lo, hi = t_ends(D, V, df, confidence)
    return Result{:RunComparison}((
        mu = value(from_ratio(D)) + 0.0, sigma = value(sqrt(from_ratio(V))),
        lo = DoubleDouble.clip(lo, -largest, largest), hi = DoubleDouble.clip(hi, -largest, largest), df = value(df),
        p_value = value(p), significant = Differences.is_significant(p, confidence),
    ))
end

"The mean of averages, its variance and their number."
function moments_of_runs(averages, name, bounds)
    values = Arguments.at_least_two(averages, name)
    low, high = max(bounds[1], -LARGEST_AVERAGE), min(bounds[2], LARGEST_AVERAGE)
    for (i, x) in enumerate(values)
        low <= x <= high || refuse("range", name, name, "[", i, "] = ", x, " is not from ", low, " to ", high)
    end
    numerators, D = Rationals.over_common_denominator(values)
    n, sum_of_x, sum_of_squares = length(values), sum(numerators), sum(x -> x^2, numerators)
    return sum_of_x // (n * D), (n * sum_of_squares - sum_of_x^2) // (big(n)^2 * (n - 1) * D^2), n
end

"Refuse averages without variance: the runs are most likely one run."
check_varies(V) = V > 0 || refuse(
    "undefined", "averages",
    "all averages of a model are equal, so that the variance between runs is unknown: are they one run?",
)

"The ends of the t interval."
function t_ends(mean, V, df, confidence)
    x = from_ratio(mean)
    half = Differences.quantile(Distributions.error_rate(confidence, 2), df) * sqrt(from_ratio(V))
    return value(x - half) + 0.0, value(x + half) + 0.0
end
