# Agreement of raters, or of repeated calls of one judge, on the same items.

"""
    agreement(R, w=nothing; confidence=0.95, missing=:raise)
        -> (percent_agreement, fleiss_kappa, ac1, alpha, lo, hi, items, ratings, dropped)

Agreement of raters on the same items: percent agreement, Fleiss' kappa, Gwet's AC1, Krippendorff's alpha.

The raters of an item may be people, judges, or repeated calls of one judge.

- `R`: category 0, 1, 2, ... that each rater gave each item, M×raters; or `Counts`, how often each item got each
  category. Which rater gave which rating does not matter: for that see [`cohen_kappa`](@ref).
- `w`: score of each category. Alpha then weighs a disagreement by the squared difference of the scores; without scores
  all disagreements count the same. The other coefficients never use scores.
- `confidence`: nominal coverage of the interval, strictly between 0 and 1.
- `missing`: missing ratings are an error (`:raise`), are left out, so that items may have different numbers of ratings
  (`:drop`), or count as this category (an integer).

`percent_agreement` is the share of the pairs of ratings of an item that agree, in 0..1, averaged over items.
`fleiss_kappa`, `ac1` and `alpha` are agreement corrected for chance, 1 if all agree; `nothing` where all ratings are
the same category (for alpha with `w`: have the same score), which leaves them undefined. `lo`, `hi`: confidence
interval of alpha of these raters in the population of similar items; `nothing` where alpha is. `items`, `ratings`: how
many were used; `dropped`: the numbers of the items with fewer than two ratings, which are left out.

Throws `InvalidInput` for anything wrong with the arguments; no_trials: no item has two ratings. Source:
spec/families/agreement.md; Fleiss (1971), Gwet (2008), Krippendorff (1970). Categories that no rater chose do not
count. The interval assumes that items are independent, and that an item's number of ratings does not depend on the
ratings; raters are not sampled: for other raters, of different severity, one panel of them gave intervals that covered
in 87% to 89%. The interval is wide where one category is rare, as for 30 items with two ratings each, nine tenths of
them of one category.

# Examples
```jldoctest
julia> r = agreement([1 1 1; 0 0 0; 1 1 0; 1 1 1; 0 0 1; 0 0 0; 1 1 1; 0 0 0]);

julia> round(r.alpha, digits=4), round(r.percent_agreement, digits=4)
(0.6806, 0.8333)
```
"""
@by_name function agreement(R, w = nothing; confidence = 0.95, missing = :raise)
    confidence = Arguments.confidence(confidence)
    scores = w === nothing ? nothing : Arguments.category_scores(w)
    Models.check_flat(R, "R")
    C, has_scores = scores === nothing ? nothing : length(scores) - 1, scores !== nothing
    counts = count_outcomes(R, C, missing; has_scores = has_scores)
    usable = findall(>=(2), counts.trials)
    isempty(usable) && refuse("no_trials", "R", "no item of R has two ratings, so none can agree")
    W, t = scores === nothing ? nothing : over_common_denominator(scores)[1], table(select(counts, usable))
    x = Raters.rating_table(occurrences([t[i, :] for i in axes(t, 1)]), W)
    a = Raters.alpha(x)
    percent, kappa, ac1 = Raters.unweighted(x)
    lo, hi = a === nothing ? (nothing, nothing) : alpha_interval(x, a, confidence)
    return Result{:Agreement}((
        percent_agreement = nearest_double(percent), fleiss_kappa = nearest_double(kappa), ac1 = nearest_double(ac1),
        alpha = nearest_double(a), lo = lo, hi = hi, items = length(usable), ratings = sum(counts.trials[usable]),
        dropped = findall(<(2), counts.trials),
    ))
end

"""
    cohen_kappa(R, w=nothing; missing=:raise)

Cohen's kappa: the agreement of two raters, who may use the categories differently, corrected for chance.

- `R`: category 0, 1, 2, ... that each of the two raters gave each item, M×2, a column for each rater.
- `w`: score of each category: disagreements weigh by the squared difference of the scores (quadratic weights for
  equally spaced ones). Default: all disagreements count the same.
- `missing`: missing ratings are an error (`:raise`), leave their items out (`:drop`), or count as this category (an
  integer).

The result is at most 1; `nothing` where both raters gave one and the same category (or score) throughout. Throws
`InvalidInput` for anything wrong with the arguments; type: R is `Counts`, which do not record who rated; shape: R does
not have two columns; no_trials: no item has two ratings. Source: Cohen (1960, 1968). [`agreement`](@ref) is for any
number of raters who may differ from item to item; its alpha, which comes with a confidence interval, is close to kappa
where both raters use the categories alike.

# Examples
```jldoctest
julia> cohen_kappa([1 1; 1 1; 0 0; 1 0; 0 0; 0 0; 1 1; 1 0])
0.5294117647058824
```
"""
@by_name function cohen_kappa(R, w = nothing; missing = :raise)
    scores = w === nothing ? nothing : Arguments.category_scores(w)
    C = scores === nothing ? LARGEST_CATEGORY : length(scores) - 1
    policy = Arguments.policy(missing, C)
    A = Verdicts.read_cells(R, scores === nothing ? nothing : C, policy, "R", scores !== nothing)
    size(A, 2) == 2 || refuse("shape", "R", "R has ", size(A, 2), " columns: it needs two, one for each rater")
    # categories from 1, which are then indices of W; a negative rating is missing
    pairs = Tuple{Int,Int}[(A[i, 1] + 1, A[i, 2] + 1) for i in axes(A, 1) if A[i, 1] >= 0 && A[i, 2] >= 0]
    isempty(pairs) && refuse("no_trials", "R", "no item of R has two ratings, so none can agree")
    W, observed, expected = scores === nothing ? nothing : over_common_denominator(scores)[1], big(0), big(0)
    first_rater, second_rater = occurrences(first.(pairs)), occurrences(last.(pairs))
    for (x, k) in first_rater, (y, m) in second_rater
        expected += k * m * Raters.distance(W, x, y)
    end
    for ((x, y), k) in occurrences(pairs)
        observed += k * Raters.distance(W, x, y)
    end
    return expected == 0 ? nothing : nearest_double(1 - observed * length(pairs) // expected)
end

"Count how often each value occurs."
function occurrences(values::Vector{T}) where {T}
    counts = Dict{T,Int}()
    for x in values
        counts[x] = get(counts, x, 0) + 1
    end
    return counts
end

"Confidence interval of alpha, extended to contain the estimate."
function alpha_interval(x, a, confidence)
    low, high = Raters.interval(x, confidence)  # of 1 - alpha
    estimate = from_ratio(a)
    return value(Raters.smaller(ONE - high, estimate)), value(Raters.larger(ONE - low, estimate))
end

"The double nearest to a fraction; nothing stays nothing."
nearest_double(x) = x === nothing ? nothing : value(from_ratio(x))
