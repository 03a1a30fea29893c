# Percentiles, computed exactly and rounded once, and thresholds that are percentiles of signals.

"""
    percentile(x, p) -> Float64

The p-th percentile of numbers: linear between neighbours, computed exactly and rounded once.

- `x`: finite numbers, a vector of at least one, in any order.
- `p`: a whole number 0..100: 0 is the smallest, 50 the median, 100 the largest.

The double nearest to `x_(i+1) + g (x_(i+2) - x_(i+1))` of the sorted numbers, where h = (n - 1) p / 100, i =
floor(h), g = h - i: "type 7" of Hyndman and Fan (1996), the default of NumPy, R and Julia, apart from their rounding.
Throws `InvalidInput`: type, shape, empty, missing, `not_finite` or range.

# Examples
```jldoctest
julia> Rubric.percentile([4, 1, 3, 2], 40)
2.2
```
"""
function percentile(x, p)
    values = checked_numbers(x)
    return percentile_of(values, Arguments.integer(p, "p", 0, 100)::Int)
end

"The p-th percentile of one or more finite doubles, which are reordered in place."
function percentile_of(values::Vector{Float64}, p::Int)
    i, r = divrem((length(values) - 1) * p, 100)
    r == 0 && return partialsort!(values, i + 1) + 0.0  # 0.0 in place of -0.0
    (a, b), D = over_common_denominator(partialsort!(values, i+1:i+2)[1:2])
    return nearest_double((100 - r) * a + r * b, 100 * D)
end

"Round num / den, den > 0, to the nearest double; ties go to the even one."
function nearest_double(num::BigInt, den::BigInt)
    num == 0 && return 0.0
    shift = min(60 - (ndigits(num, base = 2) - ndigits(den, base = 2)), 1076)  # at least two bits below the last one
    q, remainder = divrem(shift >= 0 ? abs(num) << shift : abs(num), shift >= 0 ? den : den << -shift)
    q = Int(q) | (remainder != 0)  # a sticky bit for the bits that were cut off
    if shift == 1076 && q < 2^55  # multiples of 2^-1074
        k, low = q >> 2, q & 3
        q, shift = k + (low > 2 || (low == 2 && isodd(k))), 1074
    end
    return (num < 0 ? -1.0 : 1.0) * ldexp(Float64(q), -shift) + 0.0
end

"Check that x is one or more finite numbers; returns them as a new vector."
function checked_numbers(x)
    Arguments.isnumber(x) && refuse("shape", "x", "x must be a vector, not the number ", shown(x))
    isrow(x) || x isa AbstractArray || refuse("type", "x", "x must be a vector of numbers, not ", shown(x))
    x isa AbstractArray && ndims(x) != 1 && refuse("shape", "x", "x must be a vector, not ", ndims(x), "-D")
    isempty(x) && refuse("empty", "x", "x is empty")
    values = x isa Vector{Float64} ? copy(x) : as_doubles(x)
    for (bad, code, why) in ((isnan, "missing", "missing"), (isinf, "not_finite", "not finite"))
        at = findfirst(bad, values)
        at === nothing || refuse(code, "x", "x[", at, "] is ", why)
    end
    return values
end

"The numbers of a sequence as doubles, with NaN where one is missing."
function as_doubles(x)
    values = Float64[]
    for (j, item) in enumerate(x)
        isrow(item) && refuse("shape", "x", "x must be a vector of numbers: x[", j, "] is a vector")
        Arguments.isnumber(item) || isabsent(item) ||
            refuse("type", "x", "x[", j, "] = ", shown(item), " is not a real number")
        push!(values, isabsent(item) ? NaN : item)
    end
    return values
end

# --- thresholds --------------------------------------------------------------------------------------

"""
    thresholds(signals; own=nothing) -> NamedTuple

The thresholds of a data set: percentiles of its signals.

- `signals`: names with an M × N matrix, or with one number for all attempts; or names of models with such signals,
  which are pooled.
- `own`: more thresholds, names with `(p, signal, among)`: the p-th percentile of a signal, over all attempts (`among`
  nothing) or those for which the condition `among` is true.

Each standard threshold of table 4 of arXiv:2510.04265 whose signals all models have, then those of `own`;
`nothing` for a threshold without values. Invalid attempts are included. Throws `InvalidInput` for anything wrong
with the signals, or with `own` (as for [`Schema`](@ref Scorio.Rubric.Schema)); missing: a signal that `own` needs.

# Examples
```jldoctest
julia> t = Rubric.thresholds((is_correct=[1 0; 1 1], completion_bpt=[0.5 1.25; 0.75 1.0]));

julia> t.tau_high, t.corr_p33
(0.8, 0.665)
```
"""
function thresholds(signals; own = nothing)
    names, data = pooled(signals, "signals")
    scope = own === nothing ? standard_scope() : extended(nothing, own, "own")
    own_names = scope.declared[length(standard_scope().declared)+1:end]
    for (i, s) in enumerate(data)
        check_clash(keys(s.values), own_names, "own", "own")
        for name in own_names
            of_model = isempty(names) ? "" : " of model $(shown(names[i]))"
            check_signals(sources(scope, name), s, "signals", "the threshold $name", of_model)
        end
    end
    all_names = [computable_thresholds(data); own_names]
    return as_named(all_names, threshold_values(data, scope, all_names))
end

"A named tuple of values, in the order of names."
function as_named(names, items)
    fields, values = Symbol[], Any[]
    for name in names
        push!(fields, Symbol(name))
        push!(values, items[name])
    end
    return NamedTuple{(fields...,)}((values...,))
end

"The standard thresholds whose signals all models have."
function computable_thresholds(data)
    names = String[]
    for name in standard_scope().declared
        first_lacking(data, sources(standard_scope(), name)) === nothing && push!(names, name)
    end
    return names
end

"The first of several signals that some model lacks; nothing if no model lacks any."
function first_lacking(data, signals)
    for x in signals, s in data
        haskey(s.values, x) || return x
    end
    return nothing
end

"Check that every needed signal is given; what: the schema or threshold that needs it; of_model: text for the message."
function check_signals(needed, s, argument, what, of_model)
    for name in needed
        haskey(s.values, name) || refuse(
            "missing", argument, what, " needs the signal ", name, ", which ", argument, of_model, " lacks; give one ",
            "number if it is the same in every attempt",
        )
    end
end

"The values of the named thresholds, and of those that they depend on; data: the signals of each model, pooled."
function threshold_values(data, scope, names)
    percentiles, facts = Named(), Facts[]
    for s in data
        push!(facts, Facts(s.values, percentiles, scope.variables))
    end
    for name in names
        compute_threshold!(percentiles, facts, data, scope, name)
    end
    return percentiles
end

"Compute a threshold, after those that its condition depends on."
function compute_threshold!(percentiles, facts, data, scope, name)
    haskey(percentiles, name) && return
    t = scope.thresholds[name]::Threshold
    if t.among !== nothing
        for x in needs(scope, Node[t.among]).thresholds
            compute_threshold!(percentiles, facts, data, scope, x)
        end
    end
    values = Float64[]
    for i in eachindex(data)
        keep = t.among === nothing ? Bool[true] : (truth(facts[i], t.among)::Truth).yes
        append_present!(values, broadcast_signal(data[i], t.signal), keep)
    end
    percentiles[name] = isempty(values) ? nothing : percentile_of(values, t.p)
end

"Append the values that are not missing, at the attempts for which a condition is true."
function append_present!(out::Vector{Float64}, values::Vector{Float64}, keep::Vector{Bool})
    step = length(keep) > 1
    for (i, x) in enumerate(values)
        keep[1+step*(i-1)] && !isnan(x) && push!(out, x)
    end
end

"Check values of thresholds from the caller; returns their names in order, and the values."
function read_thresholds(x)
    values, names = Named(), String[]
    for (name, item) in entries(x, "thresholds")
        item === nothing || Arguments.isnumber(item) ||
            refuse("type", "thresholds", "thresholds[\"", name, "\"] = ", shown(item), " is not a real number")
        value = item === nothing ? nothing : Float64(item)
        value === nothing || isfinite(value) ||
            refuse("not_finite", "thresholds", "thresholds[\"", name, "\"] = ", value, " is not finite")
        values[name] = value
        push!(names, name)
    end
    return names, values
end
