# What the metrics return: tuples with names.

"A value and its posterior standard deviation."
const Estimate = NamedTuple{(:mu, :sigma),NTuple{2,Float64}}

"A value, its posterior standard deviation and a credible interval."
const Interval = NamedTuple{(:mu, :sigma, :lo, :hi),NTuple{4,Float64}}

"""
(mu, sigma, lo, hi) of [`interval`](@ref), which it iterates and indexes as, and what the interval rests on.

- `questions`: "fixed", this question set; "sampled", the population of similar questions.
- `variance_source`: how the variance was obtained: "measured"; "modelled" (fewer than 2k trials); "upper bound"
  where the data do not identify it (one trial per question, one question).
- `n_eff`: the effective sample size: how many independent trials the interval amounts to.
- `units`: questions, or clusters of questions, that entered.
- `dropped`: questions left out because they have no trial, counted from 1.
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
end

Base.Tuple(r::MetricInterval) = (r.mu, r.sigma, r.lo, r.hi)
Base.length(r::MetricInterval) = length(Tuple(r))
Base.iterate(r::MetricInterval, i = 1) = i > length(r) ? nothing : (r[i], i + 1)
Base.getindex(r::MetricInterval, i::Integer) = Tuple(r)[i]
Base.firstindex(::MetricInterval) = 1
Base.lastindex(r::MetricInterval) = length(r)
Base.eltype(::Type{MetricInterval}) = Float64
Base.:(==)(a::T, b::T) where {T<:MetricInterval} = all(getfield(a, f) == getfield(b, f) for f in fieldnames(T))
Base.hash(r::T, h::UInt) where {T<:MetricInterval} = foldr(hash, [getfield(r, f) for f in fieldnames(T)], init = h)

function Base.show(io::IO, r::MetricInterval)
    named(f) = string(f, "=", repr(getfield(r, f)))
    print(io, "MetricInterval(", join(map(named, fieldnames(typeof(r))), ", "), ")")
end
