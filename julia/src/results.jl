# What the metrics return: tuples with names.

"A value and its posterior standard deviation."
const Estimate = NamedTuple{(:mu, :sigma),NTuple{2,Float64}}

"A value, its posterior standard deviation and a credible interval."
const Interval = NamedTuple{(:mu, :sigma, :lo, :hi),NTuple{4,Float64}}

"""
(mu, sigma, lo, hi) of [`mean_ci`](@ref), which it iterates and indexes as, and what the interval holds.

- `questions`: "fixed", the noise of the trials; "sampled", also of the draw of questions.
- `noise`: "measured", or "bound" where the data cannot tell the noise (one trial a question, one question).
- `n_eff`: how many independent trials the interval amounts to.
- `units`: questions, or clusters of questions, that entered.
- `dropped`: questions left out because they have no trial, counted from 1.
"""
struct MeanInterval
    mu::Float64
    sigma::Float64
    lo::Float64
    hi::Float64
    questions::String
    noise::String
    n_eff::Float64
    units::Int
    dropped::Vector{Int}
end

Base.Tuple(r::MeanInterval) = (r.mu, r.sigma, r.lo, r.hi)
Base.iterate(r::MeanInterval, i = 1) = i > 4 ? nothing : (r[i], i + 1)
Base.getindex(r::MeanInterval, i::Integer) = Tuple(r)[i]
Base.length(::MeanInterval) = 4
Base.firstindex(::MeanInterval) = 1
Base.lastindex(::MeanInterval) = 4
Base.eltype(::Type{MeanInterval}) = Float64
Base.:(==)(a::MeanInterval, b::MeanInterval) = all(getfield(a, f) == getfield(b, f) for f in fieldnames(MeanInterval))
Base.hash(r::MeanInterval, h::UInt) = hash(Tuple(r), hash(r.dropped, hash((r.questions, r.noise, r.n_eff, r.units), h)))

function Base.show(io::IO, r::MeanInterval)
    named(f) = string(f, "=", repr(getfield(r, f)))
    print(io, "MeanInterval(", join(map(named, fieldnames(MeanInterval)), ", "), ")")
end
