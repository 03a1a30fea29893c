# Percentiles, exact and rounded once, and thresholds that are percentiles.

"""
    percentile(x, p) -> Float64

The p-th percentile of numbers: linear between neighbours, computed exactly and rounded once.

- `x`: finite numbers, a vector of at least one, in any order.
- `p`: a whole number 0..100: 0 is the smallest, 50 the median, 100 the largest.

The nearest double to x_(i+1) + g (x_(i+2) - x_(i+1)) of the sorted numbers, h = (n - 1) p / 100, i = floor(h), g = h -
i: "type 7" of Hyndman and Fan (1996), what NumPy, R and Julia compute by default, but for their rounding. Throws
`InvalidInput`: type, shape, empty, missing, not_finite, range.

# Examples
```jldoctest
julia> Rubric.percentile([4, 1, 3, 2], 40)
2.2
```
"""
function percentile(x, p)
    values = listed(x)
    return percentile_of(values, Arguments.integer(p, "p", 0, 100)::Int)
end

"Percentile of finite doubles, at least one, which are reordered in place."
function percentile_of(values::Vector{Float64}, p::Int)
    i, r = divrem((length(values) - 1) * p, 100)
    r == 0 && return partialsort!(values, i + 1) + 0.0
    (a, b), D = whole(partialsort!(values, i+1:i+2)[1:2])
    return nearest((100 - r) * a + r * b, 100 * D)
end

"Round num / den, den > 0, to the nearest double; ties go to the even one."
function nearest(num::BigInt, den::BigInt)
    num == 0 && return 0.0
    shift = min(60 - (ndigits(num, base = 2) - ndigits(den, base = 2)), 1076)  # at least two bits below the last one
    q, rest = divrem(shift >= 0 ? abs(num) << shift : abs(num), shift >= 0 ? den : den << -shift)
    q = Int(q) | (rest != 0)  # a sticky bit for the bits cut off
    if shift == 1076 && q < 2^55  # multiples of 2^-1074
        k, low = q >> 2, q & 3
        q, shift = k + (low > 2 || (low == 2 && isodd(k))), 1074
    end
    return (num < 0 ? -1.0 : 1.0) * ldexp(Float64(q), -shift) + 0.0
end

"Check finite numbers, at least one; returns them as a new vector."
function listed(x)
    Arguments.isnumber(x) && refuse("shape", "x", "x must be a vector, not the number ", shown(x))
    isrow(x) || x isa AbstractArray || refuse("type", "x", "x must be a vector of numbers, not ", shown(x))
    x isa AbstractArray && ndims(x) != 1 && refuse("shape", "x", "x must be a vector, not ", ndims(x), "-D")
    isempty(x) && refuse("empty", "x", "x is empty")
    values = x isa Vector{Float64} ? copy(x) : converted(x)
    for (bad, code, why) in ((isnan, "missing", "missing"), (isinf, "not_finite", "not finite"))
        at = findfirst(bad, values)
        at === nothing || refuse(code, "x", "x[", at, "] is ", why)
    end
    return values
end

function converted(x)
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
- `own`: more thresholds, names with `(p, signal, among)`: the p-th percentile of a signal, of all attempts (`among`
  nothing) or of those of which a condition is true.

Each standard threshold of table 4 of arXiv:2510.04265 of which every model has all signals, then those of `own`;
`nothing` where no attempt has a value. Invalid attempts count too. Throws `InvalidInput` for anything wrong
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
    mine = scope.declared[length(standard_scope().declared)+1:end]
    for (i, s) in enumerate(data)
        check_clash(keys(s.values), mine, "own", "own")
        for name in mine
            of = isempty(names) ? "" : " of model $(shown(names[i]))"
            check_signals(sources(scope, name), s, "signals", "the threshold $name", of)
        end
    end
    wanted = [computable_thresholds(data); mine]
    return as_named(wanted, threshold_values(data, scope, wanted))
end

"Named tuple of values under their names."
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

"The first of these signals that some model lacks; nothing where there is none."
function first_lacking(data, signals)
    for x in signals, s in data
        haskey(s.values, x) || return x
    end
    return nothing
end

"Check that every needed signal is given; what: what needs them, for the message."
function check_signals(needed, s, argument, what, of)
    for name in needed
        haskey(s.values, name) || refuse(
            "missing", argument, what, " needs the signal ", name, ", which ", argument, of, " lacks; give one ",
            "number if it is the same in every attempt",
        )
    end
end

"Compute the values of thresholds, and of those that they depend on."
function threshold_values(data, scope, names)
    percentiles, facts = Named(), Facts[]
    for s in data
        push!(facts, Facts(s.values, percentiles, scope.variables))
    end
    for name in names
        compute!(percentiles, facts, data, scope, name)
    end
    return percentiles
end

function compute!(percentiles, facts, data, scope, name)
    haskey(percentiles, name) && return
    t = scope.thresholds[name]::Threshold
    if t.among !== nothing
        for x in needs(scope, Node[t.among]).thresholds
            compute!(percentiles, facts, data, scope, x)
        end
    end
    values = Float64[]
    for i in eachindex(data)
        keep = t.among === nothing ? Bool[true] : (truth(facts[i], t.among)::Truth).yes
        append_chosen!(values, everywhere(data[i], t.signal), keep)
    end
    percentiles[name] = isempty(values) ? nothing : percentile_of(values, t.p)
end

"Append the values that are not missing, of the attempts for which a condition is true."
function append_chosen!(out::Vector{Float64}, values::Vector{Float64}, keep::Vector{Bool})
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
