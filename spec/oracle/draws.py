"""Random numbers: SplitMix64 with random access, so that a draw depends only on seed, stream and counter.

Seeds, keys and draws are 64-bit unsigned integers that wrap.
"""
from fractions import Fraction

WORD = 2**64
G = 0x9E3779B97F4A7C15
COLUMNS, ROWS, COINS, BETA, UPDATES = 1, 2, 3, 4, 5  # streams; 0 is the default of random_indices


def mix(x):
    """The output function of SplitMix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB % WORD
    return x ^ x >> 31


def key(seed, stream):
    return mix((mix((seed + G) % WORD) + (stream + 1) * G) % WORD)


def bits(key, i):
    """The 64 bits of the draw at place i, a counter modulo 2^64."""
    return mix((key + (i + 1) * G) % WORD)


def index(x, n):
    """A random index in 0..n-1 from the upper 32 bits."""
    return (x >> 32) * n >> 32


def uniform(x):
    """A uniform number in [0, 1), a multiple of 2^-53, from the upper 53 bits."""
    return Fraction(x >> 11, 2**53)


def middle(x):
    """The middle of the interval of width 2^-53 that begins at uniform(x), in (0, 1)."""
    return Fraction(2 * (x >> 11) + 1, 2**54)
