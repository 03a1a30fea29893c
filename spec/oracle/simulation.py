"""Simulated outcomes and success rates, from the generator of draws.py."""
from functools import lru_cache

import draws
from exact import Fraction, Real, at, frac
from quantile import beta_quantile


def shaped(like, flat):
    """The values of an iterator in the shape of a nested list."""
    return [shaped(x, flat) if isinstance(x, list) else next(flat) for x in like]


def entries(nested):
    """The entries of a nested list, last index fastest."""
    for x in nested:
        if isinstance(x, list):
            yield from entries(x)
        else:
            yield frac(x)


def random_indices(seed, count, bound, stream=0, first=0):
    key = draws.key(seed, stream)
    return {"indices": [draws.index(draws.bits(key, first + i), bound) for i in range(count)]}


def coins(p, N, seed=0, first=0):
    key = draws.key(seed, draws.COINS)
    tosses = ([int(draws.uniform(draws.bits(key, (first + i) * N + t)) < x) for t in range(N)]
              for i, x in enumerate(entries(p)))
    return {"R": shaped(p, tosses)}


@lru_cache(None)
def rate(a, b, key, i):
    """One draw from Beta(a, b)."""
    if a.denominator == b.denominator == 1 and a + b <= 1001:
        return sorted(draws.uniform(draws.bits(key, i * 1024 + j)) for j in range(int(a + b) - 1))[int(a) - 1]
    u = draws.middle(draws.bits(key, i * 1024))
    return Real(lambda: beta_quantile(at(u), at(a), at(b)))


def beta_rates(a, b, seed=0, first=0):
    key = draws.key(seed, draws.BETA)
    drawn = (rate(x, y, key, first + i) for i, (x, y) in enumerate(zip(entries(a), entries(b))))
    return {"rates": shaped(a, drawn)}


def moved(x, up):
    """The sum x + 1 or x - 1 as one operation on doubles."""
    return Fraction(float(x) + (1.0 if up else -1.0))


def updates(a, b, seed=0, first=0):
    key = draws.key(seed, draws.UPDATES)
    both = [(moved(x, z >> 63), moved(y, z >> 62 & 1)) for x, y, z in
            ((x, y, draws.bits(key, first + i)) for i, (x, y) in enumerate(zip(entries(a), entries(b))))]
    return {"a": shaped(a, (x for x, _ in both)), "b": shaped(b, (y for _, y in both))}
