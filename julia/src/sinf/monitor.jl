# Repeated looks at two models while their outcomes grow: continue or stop, at one error rate for all looks.

"""
    Monitor(; planned=nothing, expected=nothing, questions, metric=:mean, k=nothing, tau=nothing, w=nothing,
        guard=nothing, model=:mixture, margin=nothing, confidence=0.95, spending="obrien-fleming")

Looks at two models while their outcomes grow; all looks together err with nominal probability 1 - `confidence`.
See [`look!`](@ref).

- `planned`: the size at which the comparison ends: trials per question (fixed questions), or questions (sampled ones).
- `expected`: instead of `planned`, the size at which a decision is expected. There is no end, and less power.
- `questions`: `:fixed`, more trials of this question set are added; `:sampled`, more questions of their population.
- `metric`, `k`, `tau`, `w`, `model`: as in [`interval`](@ref).
- `margin`: test whether A is non-inferior to B by this margin, as [`gate`](@ref); by default whether they differ.
- `guard`: as in [`compare`](@ref), or with a margin as in [`gate`](@ref). Default: 0, with a margin 1.
- `confidence`: level of all looks together, in [1/2, 1 - 1e-12]: alpha = 1 - confidence is their two-sided error rate.
- `spending`: with `planned`, how the looks share alpha ([`boundaries`](@ref)).

Throws `InvalidInput` for anything wrong with the arguments; conflict: none or both of `planned` and `expected`. When to
look must not depend on the differences seen. The share of the plan that is done is the planned variance over the
present one: exactly for a mean where all questions have the same number of trials or are sampled, approximately for
metrics of k trials. Where the numbers of trials differ (fixed questions), it is estimated: each question of each model
counts by the variance of its mean score, so that trials of questions whose outcomes never vary add nothing. If the
estimate falls, this does not count as a look ("wait"). The last look may be beyond the planned size.

# Examples
```jldoctest
julia> Monitor(planned=16, questions=:fixed)
Monitor(0 looks)
```
"""
mutable struct Monitor
    metric::Any  # (metric, k, tau, w), as the caller passed them
    questions::Any
    guard::Float64
    model::Any
    size::Int
    has_end::Bool
    margin::Union{Nothing,Float64}
    confidence::Float64
    spending::String
    fractions::Vector{Float64}
    # counts of A and of B, or their numbers of trials, at the last look that was checked for growth
    previous::Vector{Matrix{Int}}
    previous_ids::Vector{Any}  # the ids of their rows, or nothing
    stopped::Bool
end

function Monitor(;
    planned = nothing, expected = nothing,
    questions = required("questions"), metric = :mean, k = nothing, tau = nothing, w = nothing,
    guard = nothing, model = :mixture, margin = nothing, confidence = 0.95, spending = "obrien-fleming",
)
    (planned === nothing) == (expected === nothing) && refuse("conflict", "planned", "give one of planned and expected")
    name, n = planned === nothing ? ("expected", expected) : ("planned", planned)
    n = Arguments.integer(n, name, 1, Arguments.LARGEST_K)
    reader = margin === nothing ? Estimates.parse_request : parse_gate_request
    guard = guard === nothing ? Float64(margin !== nothing) : guard
    request = reader(metric, k, tau, w; questions = questions, guard = guard, model = model)
    return Monitor(
        (metric, k, tau, w), questions, value(request.guard), model, n, planned !== nothing,
        margin === nothing ? nothing : checked_margin(margin, request.m.w),
        Arguments.in_range(confidence, "confidence", CONFIDENCE_OF_LOOKS...),
        Arguments.choice(spending, "spending", Sequential.SPENDING), Float64[], Matrix{Int}[], Any[], false,
    )
end

Base.show(io::IO, m::Monitor) = print(io, "Monitor(", length(m.fractions), " looks", m.stopped ? ", stopped)" : ")")

"""
    look!(monitor, A, B; runs=:fixed, clusters=nothing, missing=:raise)
        -> (stop, verdict, fraction, mu, lo, hi, p_value, p_stop)

Look at all outcomes of both models so far: continue, or stop and say why.

`verdict` is "different" without a margin, "pass" or "fail" with one; "inconclusive" at the planned end; "continue";
"wait" where less than 1/256 of the plan is new, which does not count as a look. `p_value` tests equality as if this
look were the only one; `p_stop` is the largest p-value that would stop a test of equality at this look; `fraction` is
the share of the planned or expected size that is done; `lo` and `hi` are the interval over all looks. If this was not a
look, `p_stop` is 0, and `lo` and `hi` are the smallest and the largest possible difference. `runs` is that of
[`compare`](@ref). Throws `InvalidInput` as [`compare`](@ref) does; order: some outcomes of the look before are not among these; or the monitor has stopped.

# Examples
```jldoctest
julia> m = Monitor(planned=16, questions=:fixed);

julia> look!(m, ones(Int, 12, 4), repeat([0 1 0 1], 12)).verdict
"different"
```
"""
function look!(m::Monitor, A, B; runs = :fixed, clusters = nothing, missing = :raise)
    m.stopped && refuse("order", "A", "A comes after the look that stopped: a new question needs a new Monitor")
    request = Estimates.parse_request(
        m.metric...; questions = m.questions, clusters = clusters, guard = m.guard, model = m.model, missing = missing,
    )
    request = Estimates.with_runs(request, runs, ("A" => A, "B" => B))
    x, y, _, units = both_estimators(request, A, B, "A", "B")
    f, before = share_of(m, request, x, y), isempty(m.fractions) ? 0.0 : last(m.fractions)
    what = "A and B have fewer questions than at the look before"
    f >= before || !request.sampled || refuse("order", "A", what, " (", before, " of the plan): ", ALL_SO_FAR)
    tables, ids = map(table, [x.counts, y.counts]), Any[ids_of(x.counts), ids_of(y.counts)]
    known = missing in (:raise, :drop, "raise", "drop")
    # a missing outcome that was counted as one category may arrive later in another
    known || (tables = map(only_trials, tables))
    is_checked = known || !request.sampled
    is_checked && check_growth(m, request.sampled, tables, ids)
    f = max(f, before)  # an estimated share may fall although the outcomes grow
    d = difference_of(request, x, y, units, "A")
    is_checked && ((m.previous, m.previous_ids) = (tables, ids))
    p, span = Differences.p_value(d), Triple(maximum(request.m.w)) - minimum(request.m.w)
    at_end = m.has_end && f >= 1.0
    reported = at_end ? 1.0 : f  # a share beyond the planned end matters to the correlation of the looks alone
    if f - before < Sequential.MIN_LOOK_STEP
        m.stopped = at_end
        mu, largest = value(span * d.D) + 0.0, value(span)
        all_possible = (mu = mu, lo = -largest, hi = largest)
        return look_result(m, at_end ? "inconclusive" : "wait", reported, all_possible, p, ZERO)
    end
    push!(m.fractions, f)
    tail = level_of_look(m)
    margin = m.margin === nothing ? nothing : Decision.to_unit_scale(m.margin, request.m.w)
    if margin === nothing
        verdict = times_2_to(tail, 1.0) >= p ? "different" : "inconclusive"
    else
        verdict = Decision.margin_decision(d, margin, tail)[1]
    end
    verdict == "inconclusive" && !at_end && (verdict = "continue")
    m.stopped = verdict != "continue"
    return look_result(m, verdict, reported, Decision.rescaled_interval(d, tail, request.m.w, margin), p, tail)
end

const ALL_SO_FAR = "give all outcomes so far, not only the new ones"

"Refuse outcomes that do not contain those of the look before, such as the new trials alone."
function check_growth(m, sampled, tables, ids)
    for (name, new, old, new_ids, old_ids) in zip("AB", tables, m.previous, ids, m.previous_ids)
        has_ids = new_ids !== nothing && old_ids !== nothing
        if has_ids
            row_of = Dict{Any,Int}(q => i for (i, q) in enumerate(new_ids))
            i = findfirst(q -> !haskey(row_of, q), old_ids)
            i === nothing || refuse(
                "order", string(name), name, " lacks question ", shown(old_ids[i]), " of the look before: ", ALL_SO_FAR,
            )
            new = new[Int[row_of[q] for q in old_ids], :]
        end
        lacks_outcomes(new, old, sampled, has_ids || !sampled) || continue
        refuse("order", string(name), name, " lacks outcomes of the look before: ", ALL_SO_FAR)
    end
end

"Whether counts lack outcomes of the look before: by question if there are as many as then, or in total."
function lacks_outcomes(new, old, sampled, by_question)
    if size(new, 2) != size(old, 2)  # for one of the looks only numbers of trials are known
        new, old = only_trials(new), only_trials(old)
    end
    size(new) == size(old) && by_question && return any(new .< old)
    any(sum(new; dims = 1) .< sum(old; dims = 1)) && return true
    sampled && return false
    trials, old_trials = (sort(vec(only_trials(x)); rev = true) for x in (new, old))
    return any(x < y for (x, y) in zip(trials, old_trials))  # no question may lose trials
end

"The number of trials of each question of a table of counts, as a column."
only_trials(table) = sum(table; dims = 2)

"The result of a look at which a share f of the plan is done; estimate: the difference with its interval."
look_result(m, verdict, f, estimate, p, tail) = Result{:Look}((
    stop = m.stopped, verdict = verdict, fraction = f, mu = estimate.mu, lo = estimate.lo, hi = estimate.hi,
    p_value = value(p), p_stop = value(times_2_to(tail, 1.0)),
))

"The share of the plan, or of the expected size, that is done: above 1 beyond it."
function share_of(m, request, x, y)
    request.sampled && return x.parts.M / m.size
    return Float64(share_of_trials(x.counts, y.counts, request.m.w, m.size))
end

"""
The planned variance of a difference of averages over its present one; planned: `size` trials a question.

Each question of each model counts by the estimated variance of its mean score. If a question has a single trial, or no
outcomes vary, all trials are taken to have the same variance. The share is at most the largest that a single question
has if all its trials have the same variance: a model whose outcomes are equal by chance does not end the comparison.
"""
function share_of_trials(a, b, w, size)
    W, _ = over_common_denominator(w)
    by_n = [groups(a); groups(b)]
    if any(g.n == 1 for g in by_n) || all(iszero(spread(g, W)) for g in by_n)
        num, den = Rationals.total([(big(g.M), big(g.n)) for g in by_n])
        return 2 * questions(a) * den // (num * size)
    end
    num, e = Rationals.total([(spread(g, W), big(g.n) * (g.n - 1)) for g in by_n])
    den, d = Rationals.total([(spread(g, W), big(g.n)^2 * (g.n - 1)) for g in by_n])
    (n, m), _, _ = distinct_rows([Vector{Int}(a.trials), Vector{Int}(b.trials)])
    return min(num * d // (e * den), maximum(2 * big(x) * y // (big(x) + y) for (x, y) in zip(n, m))) // size
end

"The sum over pairs of trials of the same question of (W - W')^2, W their scores."
spread(g, W) = moments(g, W)[3]

"The one-sided level of this look."
function level_of_look(m)
    m.has_end && return Decision.level_of_look(m.fractions, 1.0 - m.confidence, m.spending)
    z = Sequential.e_value(0.0, last(m.fractions), 1.0 - m.confidence).z_stop
    return Distributions.normal_cdf(-Triple(z))
end
