"""
Simulated models with known success rates: biased coins, beta distributions of difficulty, updates of a model.

Every random number is a function of the seed, the stream (one for each function) and the index: the same in every
language, in any order, on any number of threads. `first` continues a series: `coins(p, N; first=1000)` are the coins
that follow a thousand others. To simulate D prior outcomes `R0` of an older model, toss its coins with another seed:
`coins(p_old, D; seed=...)`. Entries of arrays are numbered row by row, the last index fastest, in every language.
"""
module Simulate

Base.Experimental.@optlevel 2

using ..Scorio: refuse
using ..Arguments: Arguments
using ..CounterRNG: CounterRNG
using ..DoubleDouble: ONE, Triple, times_2_to, value
using ..Distributions: beta_low

export beta_rates, coins, random_indices, updates

const BLOCK = 1024  # random numbers of the stream reserved for each rate
const LARGEST_FIRST = 2^62 - 1  # so that first + i fits an Int

# --- kernels ---------------------------------------------------------------------------------------

"Write random integers in 0..bound-1 to out."
function indices!(out, key, first, bound)
    for i in eachindex(out)
        out[i] = CounterRNG.index(CounterRNG.bits(key, first + i - 1), bound)
    end
    return out
end

"For each entry of an array, in the order of its memory: its number, counted from first with the last index fastest."
function entry_numbers(size, first)
    out = Vector{Int}(undef, prod(size))
    for i in eachindex(out)
        number, remainder = 0, i - 1
        for d in size
            remainder, index = divrem(remainder, d)
            number = number * d + index
        end
        out[i] = first + number
    end
    return out
end

"Write tosses to out, an array (coins, N). number, p: the number (see entry_numbers) and success rate of each coin."
function toss!(out, key, number, p)
    N = size(out, 2)
    for t in 1:N, i in eachindex(number)
        out[i, t] = CounterRNG.uniform(CounterRNG.bits(key, number[i] * N + t - 1)) < p[i]
    end
end

"""
Write a sample from Beta(a, b) to out for each entry of a and b.

A sample is the a-th smallest of a + b - 1 uniform numbers if a and b are integers with a + b <= 1001, otherwise the
quantile at one uniform number. number: the numbers that entry_numbers() returns.
"""
function rates!(out, key, number, a, b)
    v = Float64[]
    for i in eachindex(number)
        size = a[i] + b[i] - 1.0
        if isinteger(a[i]) && isinteger(b[i]) && size <= 1000.0
            for j in eachindex(resize!(v, Int(size)))
                v[j] = CounterRNG.uniform(CounterRNG.bits(key, number[i] * BLOCK + j - 1))
            end
            out[i] = sort!(v)[Int(a[i])]
        else
            x = CounterRNG.bits(key, number[i] * BLOCK) >> 11
            u = times_2_to(Triple(Float64(x)) + 0.5, -53.0)
            out[i] = beta_quantile(u, Triple(a[i]), Triple(b[i]))
        end
    end
end

"The quantile of Beta(a, b) at u, from the nearer tail."
function beta_quantile(u, a, b)
    value(u) < 0.5 && return value(beta_low(u, a, b))
    return value(ONE - beta_low(ONE - u, b, a))
end

"Add 1 to each a and b, or subtract 1, in place. number: the numbers that entry_numbers() returns."
function update_parameters!(a, b, key, number)
    for i in eachindex(number)
        x = CounterRNG.bits(key, number[i])
        a[i] += isodd(x >> 63) ? 1.0 : -1.0
        b[i] += isodd(x >> 62) ? 1.0 : -1.0
    end
end

# --- functions -------------------------------------------------------------------------------------

@nospecialize

"The key of a stream, and the checked index of the first random number."
key_and_first(seed, stream, first) =
    (CounterRNG.key(Arguments.seed(seed), stream), Arguments.integer(first, "first", 0, LARGEST_FIRST)::Int)

"""
    random_indices(seed, count, bound; stream=0, first=0) -> Vector{Int}

Random integers in 0..bound-1, each a function of seed, stream and index only.

- `seed`: any integer, 0 <= seed < 2^64; the numbers of different seeds are unrelated.
- `count`: how many integers, 1 <= count <= 10^9.
- `bound`: one above the largest integer, 1 <= bound < 2^32.
- `stream`: 0 <= stream < 2^32; streams of one seed are unrelated. 0..5 are used by Scorio itself.
- `first >= 0`: index of the first integer in the stream.

Throws `InvalidInput`: type or range. Source: spec/families/simulation.md. The probability of each value is within
2^-32 of 1/bound. Not for cryptography.

# Examples
```jldoctest
julia> Tuple(Simulate.random_indices(1, 5, 6))
(4, 5, 2, 4, 2)
```
"""
function random_indices(seed, count, bound; stream = 0, first = 0)
    seed, count = Arguments.seed(seed), Arguments.integer(count, "count", 1, 10^9)::Int
    bound = Arguments.integer(bound, "bound", 1, 2^32 - 1)::Int
    stream = Arguments.integer(stream, "stream", 0, 2^32 - 1)::Int
    key, first = key_and_first(seed, stream, first)
    return indices!(Vector{Int}(undef, count), key, first, bound)
end

"""
    coins(p, N; seed=0, first=0) -> Array{Int8}

Simulated outcomes of models with known success rates: biased coins, N tosses each.

- `p`: success rates in [0, 1], an array or nested vectors, 1-D to 3-D: (M,) for one model, (L, M) for many.
- `N`: trials, 1 <= N <= 10^6.
- `seed`: seed of all random numbers, 0 <= seed < 2^64.
- `first >= 0`: index of the first coin, to continue a series.

An array of 0 and 1, of size (size(p)..., N). Throws `InvalidInput` for anything wrong with the arguments. Source:
section 2.7 of arXiv:2510.04265. Entry t of coin i (both from 0, coins row by row) is 1 if the uniform number of index
(first + i) N + t is below p_i.

# Examples
```jldoctest
julia> R = Simulate.coins([0.0 1.0; 0.5 0.5], 4; seed=7);

julia> size(R), Tuple(R[1, 2, :]), Tuple(R[2, 1, :])
((2, 2, 4), (1, 1, 1, 1), (0, 1, 0, 1))
```
"""
function coins(p, N; seed = 0, first = 0)
    rates = Arguments.grid(p, "p", 0.0, 1.0)
    N = Arguments.integer(N, "N", 1, 10^6)::Int
    key, first = key_and_first(seed, CounterRNG.COINS, first)
    out = Array{Int8}(undef, size(rates)..., N)
    toss!(reshape(out, :, N), key, entry_numbers(Int[size(rates)...], first), vec(rates))
    return out
end

"""
    beta_rates(a, b; seed=0, first=0) -> Array{Float64}

Random success rates, one from each of several beta distributions.

- `a`, `b`: parameters of the distributions in [0.05, 1e4], arrays or nested vectors, 1-D to 3-D, of equal shapes.
- `seed`: seed of all random numbers, 0 <= seed < 2^64.
- `first >= 0`: index of the first rate, to continue a series.

An array of the size of `a`. Throws `InvalidInput` for anything wrong with the arguments; shape: `a` and `b` of
different shapes. Integer parameters with a + b <= 1001: the a-th smallest of a + b - 1 uniform numbers, which has the
distribution Beta(a, b). Other parameters: the quantile at a uniform number, which is up to 50 times slower where
a + b is small.

# Examples
```jldoctest
julia> Tuple(round.(Simulate.beta_rates([4, 4, 11], [11, 11, 4]; seed=1), digits=4))
(0.256, 0.1914, 0.7247)
```
"""
function beta_rates(a, b; seed = 0, first = 0)
    a, b = parameters(a, b, 0.05)
    key, first = key_and_first(seed, CounterRNG.BETA, first)
    out = similar(a)
    rates!(vec(out), key, entry_numbers(Int[size(a)...], first), vec(a), vec(b))
    return out
end

"""
    updates(a, b; seed=0, first=0) -> (a, b)

Beta distributions after an update of the model: each parameter moves by one, up or down.

- `a`, `b`: parameters of the distributions in (1, 1e4], arrays or nested vectors, 1-D to 3-D, of equal shapes.
- `seed`, `first`: as in [`beta_rates`](@ref Scorio.Simulate.beta_rates).

The new `a` and `b`. Throws `InvalidInput` as `beta_rates`. Source: section 2.8 of arXiv:2510.04265.

# Examples
```jldoctest
julia> a, b = Simulate.updates([4, 5, 6], [11, 10, 9]; seed=2);

julia> Tuple(a), Tuple(b)
((3.0, 6.0, 7.0), (12.0, 11.0, 8.0))
```
"""
function updates(a, b; seed = 0, first = 0)
    a, b = parameters(a, b, 1.0)
    for (x, name) in ((a, "a"), (b, "b"))
        low = minimum(x)
        low > 1.0 || refuse("range", name, name, " = ", low, " is not above 1: no update could lower it")
    end
    key, first = key_and_first(seed, CounterRNG.UPDATES, first)
    update_parameters!(vec(a), vec(b), key, entry_numbers(Int[size(a)...], first))
    return (a = a, b = b)
end

"Check the parameters of beta distributions, in [low, 1e4] and of equal sizes; returns new arrays."
function parameters(a, b, low)
    a, b = Arguments.grid(a, "a", low, 1e4), Arguments.grid(b, "b", low, 1e4)
    size(a) == size(b) || refuse("shape", "b", "b has size ", size(b), ", a ", size(a))
    return a, b
end

end
