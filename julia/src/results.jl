# What the metrics return: tuples with names.

"A value and its posterior standard deviation."
const Estimate = NamedTuple{(:mu, :sigma),NTuple{2,Float64}}

"A value, its posterior standard deviation and a credible interval."
const Interval = NamedTuple{(:mu, :sigma, :lo, :hi),NTuple{4,Float64}}

"""
An interval from [`interval`](@ref), which iterates and indexes as (mu, sigma, lo, hi), with what it rests on.

- `questions`: "fixed", this question set; "sampled", the population of similar questions.
- `variance_source`: how the variance was obtained: "measured"; "modelled" (fewer than 2k trials); "upper bound"
  where the data do not identify it (one trial per question, one question).
- `n_eff`: the effective sample size: how many independent trials the interval amounts to.
- `units`: questions, or clusters of questions, that entered.
- `dropped`: questions left out because they have no trial, counted from 1.
- `bounds`: with `missing=:bounds`, the metric with all missing outcomes at the lowest score, and at the highest; `lo`
  and `hi` then are the lower limit of the first and the upper limit of the second, and all else is of the outcomes that
  are not missing. Otherwise `nothing`.
"""
struct MetricInterval
    mu::Float64
    sigma::Float64
    lo::Float64
    hi::Float64
    questions::String
    variance_source::String
    n_eff::Float64
    units::Int
    dropped::Vector{Int}
    bounds::Union{Nothing,NTuple{2,Float64}}
end

"The fields that are printed: bounds where there are any."
shown_fields(r::MetricInterval) = fieldnames(MetricInterval)[1:end-(r.bounds === nothing)]

Base.Tuple(r::MetricInterval) = (r.mu, r.sigma, r.lo, r.hi)
Base.length(r::MetricInterval) = length(Tuple(r))
Base.iterate(r::MetricInterval, i = 1) = i > length(r) ? nothing : (r[i], i + 1)
Base.getindex(r::MetricInterval, i::Integer) = Tuple(r)[i]
Base.firstindex(::MetricInterval) = 1
Base.lastindex(r::MetricInterval) = length(r)
Base.eltype(::Type{MetricInterval}) = Float64
Base.:(==)(a::T, b::T) where {T<:MetricInterval} = all(getfield(a, f) == getfield(b, f) for f in fieldnames(T))
Base.hash(r::T, h::UInt) where {T<:MetricInterval} = foldr(hash, [getfield(r, f) for f in fieldnames(T)], init = h)

Base.NamedTuple(r::MetricInterval) =
    NamedTuple{fieldnames(MetricInterval)}(Tuple(getfield(r, f) for f in fieldnames(MetricInterval)))
Base.show(io::IO, ::MIME"text/plain", r::MetricInterval) = 
    show_fields(io, :MetricInterval, NamedTuple{shown_fields(r)}(NamedTuple(r)))

function Base.show(io::IO, r::MetricInterval)
    named(f) = string(f, "=", repr(getfield(r, f)))
    print(io, "MetricInterval(", join(map(named, shown_fields(r)), ", "), ")")
end

"""
Result of a comparison, a gate or a suite: named values that print one a line. `r.mu` is one of them, `NamedTuple(r)`
all; it iterates, indexes, compares and comes apart (`mu, sigma = r`) as that named tuple does.
"""
struct Result{Name,T<:NamedTuple}
    fields::T
end

Result{Name}(fields::T) where {Name,T<:NamedTuple} = Result{Name,T}(fields)

Base.NamedTuple(r::Result) = getfield(r, :fields)
Base.Tuple(r::Result) = Tuple(NamedTuple(r))
Base.getproperty(r::Result, name::Symbol) = getfield(NamedTuple(r), name)
Base.propertynames(r::Result, private::Bool = false) = keys(r)
Base.keys(r::Result) = keys(NamedTuple(r))
Base.pairs(r::Result) = pairs(NamedTuple(r))
Base.length(r::Result) = length(NamedTuple(r))
Base.iterate(r::Result, i...) = iterate(NamedTuple(r), i...)
Base.getindex(r::Result, i::Union{Integer,Symbol}) = NamedTuple(r)[i]
Base.firstindex(::Result) = 1
Base.lastindex(r::Result) = length(r)
Base.:(==)(a::Result, b::Result) = NamedTuple(a) == NamedTuple(b)
Base.isequal(a::Result, b::Result) = isequal(NamedTuple(a), NamedTuple(b))
Base.hash(r::Result, h::UInt) = hash(NamedTuple(r), h)
Base.show(io::IO, r::Result{Name}) where {Name} =
    print(io, Name, '(', join((string(k, " = ", in_line(x)) for (k, x) in pairs(r)), ", "), ')')
Base.show(io::IO, ::MIME"text/plain", r::Result{Name}) where {Name} = show_fields(io, Name, NamedTuple(r))

"Print one field a line, names and values aligned; rows of a table below the name of their field."
function show_fields(io, name, fields)
    print(io, name)
    width = maximum(length(string(k)) for k in keys(fields))
    for (k, x) in pairs(fields)
        print(io, "\n  ", rpad(string(k), width))
        x isa AbstractVector{<:NamedTuple} && !isempty(x) ? show_rows(io, x) : print(io, "  ", shown_value(x))
    end
end

"Print the fields of each row in columns, under their names."
function show_rows(io, rows)
    names = collect(Symbol, keys(rows[1]))
    cells = [[string(f); [shown_value(getfield(row, f)) for row in rows]] for f in names]
    for i in 1:length(rows)+1
        print(io, "\n    ", rstrip(join((rpad(column[i], maximum(length, column)) for column in cells), "  ")))
    end
end

"Text of a field that shares a line with others; rows without their type, which fills lines."
in_line(x) = x isa AbstractVector{<:NamedTuple} ? string('[', join(x, ", "), ']') : repr(x)

shown_value(x::AbstractFloat) = string(round(x, sigdigits = 6))
shown_value(x::AbstractString) = String(x)
shown_value(x) = sprint((io, y) -> show(IOContext(io, :limit => true, :compact => true), y), x)
