"""Counter-based random bits: a function of (seed, stream, index) only, whatever the order of calls and the threads.

The bits are those of SplitMix64 (Steele, Lea & Flood 2014) with a hashed key; see spec/families/simulation.md.
"""

from __future__ import annotations

import numpy as np

from .jit import jit

GAMMA = np.uint64(0x9E3779B97F4A7C15)  # the increment of SplitMix64
ONE = np.uint64(1)
INDICES, COLUMNS, ROWS, COINS, BETA, UPDATES = range(6)  # the streams, one for each use of random numbers


@jit
def mix(x):
    """The finalizer of SplitMix64, which mixes the 64 bits of x."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@jit
def key(seed, stream):
    """The key of a stream of a seed; seed: a uint64."""
    return mix(mix(seed + GAMMA) + (np.uint64(stream) + ONE) * GAMMA)


@jit
def bits(key, i):
    """The 64 random bits at index i of a key's stream."""
    return mix(key + (np.uint64(i) + ONE) * GAMMA)


@jit
def flat_index(i, size, j):
    """The index i * size + j, modulo 2^64."""
    return np.uint64(i) * np.uint64(size) + np.uint64(j)


@jit
def index(x, bound):
    """An integer in 0..bound-1 from 64 random bits, bound < 2^32."""
    return np.int64(((x >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@jit
def uniform(x):
    """A double in [0, 1) from 64 random bits, a multiple of 2^-53."""
    return float(x >> np.uint64(11)) * 2.0**-53


def stream_key(seed: int, stream: int) -> np.uint64:
    """The key of a stream of a seed in 0..2^64-1, for callers outside the kernels."""
    with np.errstate(over="ignore"):  # wrapping around is intended
        return np.uint64(key(np.uint64(seed), stream))
