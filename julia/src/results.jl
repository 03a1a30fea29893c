# Types of the results of public functions.

"A value and its posterior standard deviation."
const Estimate = NamedTuple{(:mu, :sigma),NTuple{2,Float64}}

"""
The result of [`avg`](@ref): a number, the average `mu`, that also gives its standard deviation `sigma`.

It destructures (`mu, sigma = avg(R)`) and indexes as (mu, sigma). In arithmetic, comparisons and wherever else a number
is expected it is `mu`; two averages are equal where their `mu` are.
"""
struct Average <: Real
    mu::Float64
    sigma::Float64
end

Base.AbstractFloat(x::Average) = x.mu
for T in (:Float16, :Float32, :Float64, :BigFloat)
    @eval Base.$T(x::Average) = $T(x.mu)
end
Base.promote_rule(::Type{Average}, ::Type{T}) where {T<:Real} = promote_type(Float64, T)
for op in (:+, :-, :*, :/, :^, :<, :<=, :(==), :isless, :rem, :mod, :div, :isapprox)
    @eval Base.$op(a::Average, b::Average) = $op(a.mu, b.mu)
end
for f in (:-, :abs, :zero, :one, :isfinite, :isnan, :signbit)
    @eval Base.$f(x::Average) = $f(x.mu)
end
Base.round(x::Average, rounding::RoundingMode = RoundNearest; digits...) = round(x.mu, rounding; digits...)
Base.hash(x::Average, h::UInt) = hash(x.mu, h)
Base.NamedTuple(x::Average) = (mu = x.mu, sigma = x.sigma)
Base.Tuple(x::Average) = (x.mu, x.sigma)
Base.length(::Average) = 2
Base.iterate(x::Average, i = 1) = i > 2 ? nothing : (x[i], i + 1)
Base.getindex(x::Average, i::Integer) = Tuple(x)[i]
Base.getindex(x::Average, name::Symbol) = getfield(x, name)
Base.lastindex(::Average) = 2
Base.eltype(::Type{Average}) = Float64
Base.IteratorSize(::Type{Average}) = Base.HasLength()
Base.:(==)(a::Average, b::NamedTuple) = NamedTuple(a) == b
Base.:(==)(a::NamedTuple, b::Average) = b == a
Base.show(io::IO, x::Average) = print(io, NamedTuple(x))

"The named tuple (mu, sigma, lo, hi) in an `Interval`."
const Summary = NamedTuple{(:mu, :sigma, :lo, :hi),NTuple{4,Float64}}

"""
The result of [`interval`](@ref), which iterates and indexes as (mu, sigma, lo, hi); other fields say what it accounts
for.

- `questions`: "fixed": the interval is for this question set; "sampled": for the population of similar questions.
- `variance_source`: how the variance was obtained: "measured"; "modelled" ("probit" for a vote) where some question has
  fewer than 2k trials; "upper bound" where the data cannot identify it: one trial of some question, a single
  sampled question, fewer than 4 trials for the flip rate or 2k for Best-of-k, or fewer than 2k with `model=nothing`.
- `n_eff`: the effective sample size: the number of independent trials with the same variance.
- `units`: the number of questions, or clusters of questions, in the estimate.
- `dropped`: indices, from 1, of the questions left out because they have no trial.
- `bounds`: with `missing=:bounds`, the metric with all missing outcomes at the lowest score, and at the highest; `lo`
  and `hi` then are the lower limit of the first and the upper limit of the second, `variance_source` is the least
  reliable one of these two and the observed metric, and all other fields are computed from the outcomes that are not
  missing. Otherwise `nothing`.
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

"The names of the fields that are printed: `bounds` only if it is not nothing."
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
    NamedTuple{fieldnames(MetricInterval)}(ntuple(i -> getfield(r, i), Val(fieldcount(MetricInterval))))
Base.show(io::IO, ::MIME"text/plain", r::MetricInterval) =
    show_fields(io, :MetricInterval, NamedTuple{shown_fields(r)}(NamedTuple(r)))

function Base.show(io::IO, r::MetricInterval)
    named(f) = string(f, "=", repr(getfield(r, f)))
    print(io, "MetricInterval(", join(map(named, shown_fields(r)), ", "), ")")
end

"""
A result of several values with names, which prints one value per line. `r.mu` is one value, `NamedTuple(r)` all; it
iterates, indexes, compares and destructures (`mu, sigma = r`) as that named tuple does.
"""
struct Result{Name,T<:NamedTuple}
    fields::T
end

Result{Name}(fields::T) where {Name,T<:NamedTuple} = Result{Name,T}(fields)

"A value, its posterior standard deviation, and mu ∓ z sigma within bounds, of functions with a prior."
const Interval = Result{:Interval,Summary}

Base.NamedTuple(r::Result) = getfield(r, :fields)
Base.Tuple(r::Result) = Tuple(NamedTuple(r))
Base.getproperty(r::Result, name::Symbol) = getfield(NamedTuple(r), name)
Base.propertynames(r::Result, private::Bool = false) = keys(r)
Base.keys(r::Result) = keys(NamedTuple(r))
Base.haskey(r::Result, name::Symbol) = haskey(NamedTuple(r), name)
Base.pairs(r::Result) = pairs(NamedTuple(r))
Base.merge(r::Result, more...) = merge(NamedTuple(r), more...)
Base.length(r::Result) = length(NamedTuple(r))
Base.iterate(r::Result, i...) = iterate(NamedTuple(r), i...)
Base.getindex(r::Result, i::Union{Integer,Symbol}) = NamedTuple(r)[i]
Base.firstindex(::Result) = 1
Base.lastindex(r::Result) = length(r)
Base.:(==)(a::Result, b::Result) = NamedTuple(a) == NamedTuple(b)
Base.:(==)(a::Result, b::NamedTuple) = NamedTuple(a) == b
Base.:(==)(a::NamedTuple, b::Result) = a == NamedTuple(b)
Base.isequal(a::Result, b::Result) = isequal(NamedTuple(a), NamedTuple(b))
Base.hash(r::Result, h::UInt) = hash(NamedTuple(r), h)
Base.show(io::IO, r::Result{Name}) where {Name} =
    print(io, Name, '(', join((string(k, " = ", in_line(x)) for (k, x) in pairs(r)), ", "), ')')
Base.show(io::IO, ::MIME"text/plain", r::Result{Name}) where {Name} = show_fields(io, Name, NamedTuple(r))

"Results of one kind: a vector of named tuples that prints as a table."
struct Results{Name,T} <: AbstractVector{T}
    rows::Vector{T}
end

Results{Name}(rows::Vector{T}) where {Name,T} = Results{Name,T}(rows)

Base.size(r::Results) = size(r.rows)
Base.getindex(r::Results, i::Int) = r.rows[i]
Base.setindex!(r::Results, x, i::Int) = setindex!(r.rows, x, i)
Base.similar(::Results{Name}, ::Type{T}, size::Dims{1}) where {Name,T<:NamedTuple} =
    Results{Name}(Vector{T}(undef, size...))
Base.show(io::IO, r::Results) = print(io, in_line(r))

function Base.show(io::IO, ::MIME"text/plain", r::Results{Name}) where {Name}
    print(io, length(r), ' ', Name, length(r) == 1 ? "" : "s")
    isempty(r) || show_rows(io, r)
end

"Print one field per line, aligned; a field of named tuples, and adjacent vectors of equal length, print as a table."
function show_fields(io, name, fields)
    print(io, name)
    names = collect(Symbol, keys(fields))
    width = maximum(map(k -> length(string(k)), names))
    while !isempty(names)
        x, columns = fields[names[1]], columns_from(fields, names)
        if length(columns) > 1
            show_table(io, columns, Any[fields[k] for k in columns])
            deleteat!(names, 1:length(columns)-1)
        elseif isrows(x)
            print(io, "\n  ", names[1])
            show_rows(io, x isa NamedTuple ? [x] : x, 4)
        else
            print(io, "\n  ", rpad(string(names[1]), width), "  ", shown_value(x))
        end
        popfirst!(names)
    end
end

"Whether x is a named tuple, or a vector of named tuples, that is not empty."
isrows(x) = x isa Union{NamedTuple,AbstractVector{<:NamedTuple}} && !isempty(x)

"The leading names whose fields are vectors of the same length."
function columns_from(fields, names)
    iscolumn(x) = x isa AbstractVector && !isrows(x) && !isempty(x) && length(x) == length(fields[names[1]])
    last = something(findfirst(k -> !iscolumn(fields[k]), names), length(names) + 1) - 1
    return names[1:last]
end

show_rows(io, rows, indent = 2) =
    show_table(io, collect(Symbol, keys(rows[1])), [[row[f] for row in rows] for f in keys(rows[1])], indent)

"Print columns under their names; where the screen limits the rows, only the first and the last."
function show_table(io, names, columns, indent = 2)
    n = length(columns[1])
    most_rows = get(io, :limit, false) ? max(displaysize(io)[1] - 6, 4) : n  # leaves lines for what is around it
    head = n > most_rows ? cld(most_rows, 2) : n
    tail = n > most_rows ? n-most_rows+head+1 : n + 1
    cells = map(names, columns) do name, column
        [string(name); map(cell, column[1:head]); (n > most_rows ? ["⋮"] : []); map(cell, column[tail:n])]
    end
    for i in eachindex(cells[1])
        line = join((rpad(column[i], maximum(map(length, column))) for column in cells), "  ")
        print(io, "\n", ' '^indent, rstrip(line))
    end
end

"The text of a value in a table, cut to 32 characters."
function cell(x)
    text = shown_value(x)
    return length(text) <= 32 ? text : first(text, 31) * "…"
end

"The text of a value within a line; arrays without their type, which is long."
in_line(x) = repr(x)
in_line(x::AbstractArray) = untyped(x)
in_line(x::AbstractVector{<:NamedTuple}) = string('[', join(x, ", "), ']')

"The text of a value in a column or on a line of its own."
shown_value(x::Union{AbstractString,Symbol}) = String(x)
shown_value(x::AbstractArray) = untyped(x, :limit => true, :compact => true)
shown_value(x) = sprint(show, x, context = :compact => true)

"Text of an array without the type of its entries."
untyped(x, context...) = sprint((io, y) -> show(IOContext(io, :typeinfo => typeof(y), context...), y), x)
