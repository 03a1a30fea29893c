"""Simulated models with known success rates: biased coins, beta distributions of difficulty, updates of a model.

Every random number is a function of the seed, the stream (one for each function) and the index: the same in every
language, in any order, on any number of threads. ``first`` continues a series: ``coins(p, N, first=1000)`` are the
coins that follow a thousand others. To simulate D prior outcomes R0 of an older model, toss its coins with another
seed: ``coins(p_old, D, seed=...)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import arguments
from .arguments import FloatArray, Reals
from .arithmetic import counter_rng
from .arithmetic.counter_rng import bits, flat_index, index, uniform
from .arithmetic.distributions import beta_low
from .arithmetic.double_double import ONE, add, ext, sub, times_2_to, value
from .arithmetic.jit import jit
from .errors import InvalidInput, shown

__all__ = ["beta_rates", "coins", "random_indices", "updates"]

BLOCK = 1024  # random numbers of the stream reserved for each rate
LARGEST_FIRST = 2**62 - 1  # so that first + i fits an int64


@jit
def _indices(key, first, bound, out):
    """Write random integers in 0..bound-1 to out."""
    for i in range(out.size):
        out[i] = index(bits(key, first + i), bound)


@jit
def _toss(key, first, p, out):
    """Write tosses of coins with these success rates to out: (coins, N)."""
    N = out.shape[1]
    for i in range(p.size):
        for t in range(N):
            out[i, t] = uniform(bits(key, flat_index(first + i, N, t))) < p[i]


@jit
def _rates(key, first, a, b, out):
    """Write a sample from Beta(a, b) to out for each entry of a and b.

    A sample is the a-th smallest of a + b - 1 uniform numbers if a and b are integers with a + b <= 1001, otherwise the
    quantile at one uniform number.
    """
    v = np.empty(BLOCK)
    for i in range(out.size):
        size = a[i] + b[i] - 1.0
        if a[i] == np.floor(a[i]) and b[i] == np.floor(b[i]) and size <= 1000.0:
            for j in range(int(size)):
                v[j] = uniform(bits(key, flat_index(first + i, BLOCK, j)))
            out[i] = np.sort(v[: int(size)])[int(a[i]) - 1]
        else:
            x = bits(key, flat_index(first + i, BLOCK, 0)) >> np.uint64(11)
            u = times_2_to(add(ext(float(x)), ext(0.5)), -53.0)
            out[i] = _beta_quantile(u, ext(a[i]), ext(b[i]))


@jit
def _beta_quantile(u, a, b):
    """The quantile of Beta(a, b) at u, from the nearer tail."""
    if value(u) < 0.5:
        return value(beta_low(u, a, b))
    return value(sub(ONE, beta_low(sub(ONE, u), b, a)))


@jit
def _update_parameters(key, first, a, b):
    """Add 1 to each a and b, or subtract 1, in place."""
    for i in range(a.size):
        x = bits(key, first + i)
        a[i] += 1.0 if x >> np.uint64(63) else -1.0
        b[i] += 1.0 if (x >> np.uint64(62)) & np.uint64(1) else -1.0


def _key_and_first(seed: Any, stream: int, first: Any) -> tuple[np.uint64, int]:
    """The key of a stream, and the checked index of the first random number."""
    return counter_rng.stream_key(arguments.seed(seed), stream), arguments.integer(first, "first", 0, LARGEST_FIRST)


def random_indices(seed: int, count: int, bound: int, *, stream: int = 0, first: int = 0) -> list[int]:
    """Random integers in 0..bound-1, each a function of seed, stream and index only.

    Parameters
    ----------
    seed : int, 0 <= seed < 2^64; the seed; the numbers of different seeds are unrelated
    count : int, 1 <= count <= 10^9; how many integers
    bound : int, 1 <= bound < 2^32; one above the largest integer
    stream : int, 0 <= stream < 2^32; streams of one seed are unrelated. 0..5 are used by scorio itself
    first : int >= 0; index of the first integer in the stream

    Returns
    -------
    list of int

    Raises
    ------
    InvalidInput
        An argument is invalid: type or range.

    Notes
    -----
    spec/families/simulation.md. The probability of each value is within 2^-32 of 1/bound. Not for cryptography.

    Examples
    --------
    >>> from scorio import simulate
    >>> simulate.random_indices(1, 5, 6)
    [4, 5, 2, 4, 2]
    """
    seed, count = arguments.seed(seed), arguments.integer(count, "count", 1, 10**9)
    bound = arguments.integer(bound, "bound", 1, 2**32 - 1)
    stream = arguments.integer(stream, "stream", 0, 2**32 - 1)
    key, first = _key_and_first(seed, stream, first)
    out = np.empty(count, np.int64)
    _indices(key, first, bound, out)
    integers: list[int] = out.tolist()
    return integers


def coins(p: Reals, N: int, *, seed: int = 0, first: int = 0) -> npt.NDArray[np.int8]:
    """Simulated outcomes of models with known success rates: biased coins, N tosses each.

    Parameters
    ----------
    p : array_like of reals in [0, 1], 1-D to 3-D; success rates: (M,) for one model, (L, M) for many
    N : int, 1 <= N <= 10^6; trials
    seed : int, 0 <= seed < 2^64; seed of the random numbers
    first : int >= 0; index of the first coin, to continue a series

    Returns
    -------
    ndarray of int8, shape p.shape + (N,)
        Outcomes 0 and 1.

    Raises
    ------
    InvalidInput
        An argument is invalid.

    Notes
    -----
    Section 2.7 of arXiv:2510.04265. Entry t of coin i (both from 0, coins row by row) is 1 if the uniform number of
    index (first + i) N + t is below p_i.

    Examples
    --------
    >>> from scorio import simulate
    >>> simulate.coins([[0.0, 1.0], [0.5, 0.5]], 4, seed=7).tolist()
    [[[0, 0, 0, 0], [1, 1, 1, 1]], [[0, 1, 0, 1], [1, 0, 1, 1]]]
    """
    rates = arguments.grid(p, "p", 0.0, 1.0)
    N = arguments.integer(N, "N", 1, 10**6)
    key, first = _key_and_first(seed, counter_rng.COINS, first)
    out = np.empty((*rates.shape, N), np.int8)
    _toss(key, first, rates.reshape(-1), out.reshape(-1, N))
    return out


def beta_rates(a: Reals, b: Reals, *, seed: int = 0, first: int = 0) -> FloatArray:
    """Random success rates, one from each of several beta distributions.

    Parameters
    ----------
    a, b : array_like of reals in [0.05, 1e4], 1-D to 3-D; parameters of the distributions, of equal shapes
    seed : int, 0 <= seed < 2^64; seed of the random numbers
    first : int >= 0; index of the first rate, to continue a series

    Returns
    -------
    ndarray of float64, of the shape of a

    Raises
    ------
    InvalidInput
        An argument is invalid; shape: a and b of different shapes.

    Notes
    -----
    Integer parameters with a + b <= 1001: the a-th smallest of a + b - 1 uniform numbers, which has the distribution
    Beta(a, b). Other parameters: the quantile at a uniform number, which is up to 50 times slower
    where a + b is small.

    Examples
    --------
    >>> from scorio import simulate
    >>> simulate.beta_rates([4, 4, 11], [11, 11, 4], seed=1).round(4).tolist()
    [0.256, 0.1914, 0.7247]
    """
    a, b = _parameters(a, b, 0.05)
    key, first = _key_and_first(seed, counter_rng.BETA, first)
    out = np.empty(a.shape)
    _rates(key, first, a.reshape(-1), b.reshape(-1), out.reshape(-1))
    return out


def updates(a: Reals, b: Reals, *, seed: int = 0, first: int = 0) -> tuple[FloatArray, FloatArray]:
    """Beta distributions after an update of the model: each parameter moves by one, up or down.

    Parameters
    ----------
    a, b : array_like of reals in (1, 1e4], 1-D to 3-D; parameters of the distributions, of equal shapes
    seed, first
        As in :func:`beta_rates`.

    Returns
    -------
    tuple of ndarray
        The new a and b.

    Raises
    ------
    InvalidInput
        As :func:`beta_rates`.

    Notes
    -----
    Section 2.8 of arXiv:2510.04265.

    Examples
    --------
    >>> from scorio import simulate
    >>> a, b = simulate.updates([4, 5, 6], [11, 10, 9], seed=2)
    >>> a.tolist(), b.tolist()
    ([3.0, 6.0, 7.0], [12.0, 11.0, 8.0])
    """
    a, b = _parameters(a, b, 1.0)
    for x, name in ((a, "a"), (b, "b")):
        if (x <= 1.0).any():
            raise InvalidInput("range", name, f"{name} = {shown(x.min())} is not above 1: no update could lower it")
    key, first = _key_and_first(seed, counter_rng.UPDATES, first)
    _update_parameters(key, first, a.reshape(-1), b.reshape(-1))
    return a, b


def _parameters(a: Any, b: Any, low: float) -> tuple[FloatArray, FloatArray]:
    """Check the parameters of beta distributions, in [low, 1e4] and of equal shapes; returns new arrays."""
    a, b = arguments.grid(a, "a", low, 1e4), arguments.grid(b, "b", low, 1e4)
    if a.shape != b.shape:
        raise InvalidInput("shape", "b", f"b has shape {b.shape}, a {a.shape}")
    return a, b
