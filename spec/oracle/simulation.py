"""Simulated outcomes, success rates and parameter updates, from the generator in draws.py."""
from functools import lru_cache

import draws
from exact import Fraction, Real, to_mpf, to_fraction
from quantile import beta_quantile


def reshaped(shape, flat):
    """The values of an iterator in the shape of a nested list."""
    return [reshaped(x, flat) if isinstance(x, list) else next(flat) for x in shape]


def entries(nested):
    """The entries of a nested list, last index fastest."""
    for x in nested:
        if isinstance(x, list):
            yield from entries(x)
        else:
            yield to_fraction(x)


def random_indices(seed, count, bound, stream=0, first=0):
    key = draws.key(seed, stream)
    return {"indices": [draws.index(draws.bits(key, first + i), bound) for i in range(count)]}


def coins(p, N, seed=0, first=0):
    key = draws.key(seed, draws.COINS)
    tosses = ([int(draws.uniform(draws.bits(key, (first + i) * N + t)) < x) for t in range(N)]
              for i, x in enumerate(entries(p)))
    return {"R": reshaped(p, tosses)}


@lru_cache(None)
def rate(a, b, key, i):
    """The i-th random rate from Beta(a, b): each has 1024 draws, of which integers a and b use at most 1000, others one."""
    if a.denominator == b.denominator == 1 and a + b <= 1001:
        return sorted(draws.uniform(draws.bits(key, i * 1024 + j)) for j in range(int(a + b) - 1))[int(a) - 1]
    u = draws.middle(draws.bits(key, i * 1024))
    return Real(lambda: beta_quantile(to_mpf(u), to_mpf(a), to_mpf(b)))


def beta_rates(a, b, seed=0, first=0):
    key = draws.key(seed, draws.BETA)
    random_rates = (rate(x, y, key, first + i) for i, (x, y) in enumerate(zip(entries(a), entries(b))))
    return {"rates": reshaped(a, random_rates)}


def step(x, up):
    """The double x + 1, or x - 1 if not up."""
    return Fraction(float(x) + (1.0 if up else -1.0))


def updates(a, b, seed=0, first=0):
    key = draws.key(seed, draws.UPDATES)
    updated = [(step(x, z >> 63), step(y, z >> 62 & 1)) for x, y, z in
            ((x, y, draws.bits(key, first + i)) for i, (x, y) in enumerate(zip(entries(a), entries(b))))]
    return {"a": reshaped(a, (x for x, _ in updated)), "b": reshaped(b, (y for _, y in updated))}
