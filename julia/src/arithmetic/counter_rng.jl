# Counter-based random bits: a function of (seed, stream, index) only, whatever the order of calls and the threads.
#
# The bits are those of SplitMix64 (Steele, Lea & Flood 2014) with a hashed key; see spec/families/simulation.md. All
# integers wrap at 64 bits.

module CounterRNG

Base.Experimental.@optlevel 2

const GAMMA = 0x9E3779B97F4A7C15  # the increment of SplitMix64
const INDICES, COLUMNS, ROWS, COINS, BETA, UPDATES = 0:5  # the streams, one for each use of random numbers

"The finalizer of SplitMix64, which mixes the 64 bits of x."
@inline function mix(x::UInt64)
    x = (x ⊻ (x >> 30)) * 0xBF58476D1CE4E5B9
    x = (x ⊻ (x >> 27)) * 0x94D049BB133111EB
    return x ⊻ (x >> 31)
end

"The key of a stream of a seed in 0..2^64-1."
key(seed, stream) = mix(mix(UInt64(seed) + GAMMA) + (UInt64(stream) + 1) * GAMMA)

"The 64 random bits at index i of a key's stream."
@inline bits(key::UInt64, i) = mix(key + (i % UInt64 + 1) * GAMMA)

"An integer in 0..bound-1 from 64 random bits, bound < 2^32."
@inline index(x::UInt64, bound) = (((x >> 32) * (bound % UInt64)) >> 32) % Int

"A double in [0, 1) from 64 random bits, a multiple of 2^-53."
@inline uniform(x::UInt64) = Float64(x >> 11) * 0x1p-53

end
