"""Cases of module simulate: random numbers, coins, Beta distributions, updates."""
from math import nextafter
from random import Random

import draws

LARGEST_SEED = 2**64 - 1
LARGEST_FIRST = 2**62 - 1


# ---------------------------------------------------------------- draws with chosen bits

def inverse_mix(x):
    """The inverse of draws.mix."""
    x = inverse_shift(x, 31) * pow(0x94D049BB133111EB, -1, draws.WORD) % draws.WORD
    x = inverse_shift(x, 27) * pow(0xBF58476D1CE4E5B9, -1, draws.WORD) % draws.WORD
    return inverse_shift(x, 30)


def inverse_shift(x, s):
    """The y for which x = y ^ y >> s."""
    y = x
    for _ in range(64 // s + 1):
        y = x ^ y >> s
    return y


def counter_of(seed, stream, bits):
    """The counter at which a seed and stream give these bits."""
    # LARGEST_SEED is a mask of 64 bits: -1 wraps
    return (inverse_mix(bits) - draws.key(seed, stream)) * pow(draws.G, -1, draws.WORD) % draws.WORD - 1 & LARGEST_SEED


# the lower bits of these draws (12345, 99) are arbitrary: they have no effect


def draw_with_upper_bits(upper, stream=0):
    """(seed, first) whose draw has these upper 32 bits: the first seed whose counter is allowed."""
    return next((seed, i) for seed in range(99) if (i := counter_of(seed, stream, upper << 32 | 12345)) <= LARGEST_FIRST)


def toss_with_uniform(u):
    """(seed, first, t): with N = 4, the uniform of toss t (0..3) of coin `first` is u / 2^53."""
    i = counter_of(7, draws.COINS, u << 11 | 99)
    return 7, i >> 2, i & 3


def rate_with_uniform(u):
    """(seed, first) whose Beta draw is the quantile at (u + 1/2) / 2^53; each rate has 1024 counters."""
    for seed in range(99):
        for low in range(2048):
            i = counter_of(seed, draws.BETA, u << 11 | low)
            if i % 1024 == 0:
                return seed, i >> 10


# ---------------------------------------------------------------- random_indices

def random_indices():
    def case(comment, seed, count, bound, *flags, **args):
        return comment, list(flags) or ["plain"], {"seed": seed, "count": count, "bound": bound, **args}

    for seed in (0, 1, 2, 1234567, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, LARGEST_SEED - 1, LARGEST_SEED):
        yield case(f"seed {seed}: nearly all of the upper 32 bits", seed, 8, 2**32 - 1, *(["boundary"] if seed in (0, LARGEST_SEED) else []))
    yield case("seed + G wraps to 0", LARGEST_SEED + 1 - draws.G, 8, 2**32 - 1, "boundary")
    for bound in (1, 2, 3, 6, 10, 80, 1000, 2**16, 2**31, 2**31 + 1, 2**32 - 2):
        yield case(f"bound {bound}", 42, 12, bound, *(["boundary"] if bound == 1 else []))
    for stream in (1, 2, 3, 4, 5, 6, 2**31, 2**32 - 1):
        yield case(f"stream {stream}", 0, 6, 2**32 - 1, "stream", stream=stream)
    yield case("the largest seed and stream", LARGEST_SEED, 6, 1000, "stream", "boundary", stream=2**32 - 1)
    for first in (1, 5, 2**31, 2**32, 2**53 + 1, 2**61, LARGEST_FIRST):
        yield case(f"first {first}", 3, 6, 1000000, "counter", first=first)
    yield case("ten indices from the fourth on", 42, 10, 80, "counter", first=3)
    yield case("the largest values of all arguments except count", LARGEST_SEED, 5, 2**32 - 1, "counter", "boundary", stream=2**32 - 1, first=LARGEST_FIRST)
    yield case("one index", 9, 1, 7, "boundary")
    yield case("one index, bound 1", 9, 1, 1, "boundary")
    for upper, bound in ((0, 2**32 - 1), (0, 3), (2**32 - 1, 2**32 - 1), (2**32 - 1, 3), (2**31, 2), (2**31 - 1, 2)):
        seed, first = draw_with_upper_bits(upper)
        yield case(f"upper half {upper:#x}, bound {bound}: the product, not a remainder or a float", seed, 2, bound, "boundary", first=first)
    for upper, why in ((0x55555555, "just below a third"), (0x55555556, "just above a third"), (0xAAAAAAAA, "just below two thirds"),
                       (0xAAAAAAAB, "just above two thirds")):
        seed, first = draw_with_upper_bits(upper)
        yield case(f"upper half {why}, bound 3", seed, 1, 3, "boundary", first=first)
    yield case("two hundred indices", 20251009, 200, 12, "large")
    yield case("three hundred large indices", 77, 300, 10**9, "large", stream=11)


# ---------------------------------------------------------------- coins

def coins():
    def case(comment, p, N, *flags, **args):
        return comment, list(flags) or ["plain"], {"p": p, "N": N, **args}

    half = [0.5, 0.25, 0.75]
    yield case("three coins", half, 8)
    for seed in (1, 2, 2**32, 2**63, LARGEST_SEED):
        yield case(f"seed {seed}", half, 8, *(["boundary"] if seed == LARGEST_SEED else []), seed=seed)
    for first in (1, 2, 1000, 2**32, 2**61, LARGEST_FIRST):
        yield case(f"first {first}" + (": the counter wraps" if first * 7 >= 2**64 else ""), half, 7, "counter", first=first)
    yield case("the second and third coin alone", half[1:], 8, "counter", first=1)
    yield case("N = 4: tosses do not depend on how many coins there are", [0.5], 4)
    yield case("N = 5: a coin's tosses depend on N", [0.5, 0.5], 5)
    yield case("a coin that never shows 1", [0.0], 16, "boundary")
    yield case("a coin that always shows 1", [1.0], 16, "boundary")
    yield case("0 and 1 as integers", [0, 1], 8, "boundary")
    yield case("minus zero", ["-0.0"], 8, "boundary")
    yield case("one coin, one toss", [0.5], 1, "boundary")
    yield case("the smallest double", [5e-324], 16, "boundary")
    yield case("the largest double below 1", [nextafter(1, 0)], 16, "boundary")
    yield case("two models, three questions", [[0.1, 0.5, 0.9], [0.3, 0.5, 0.7]], 5, "nested")
    yield case("three models, one question", [[0.2], [0.5], [0.8]], 6, "nested")
    yield case("one model, three questions", [[0.2, 0.5, 0.8]], 6, "nested")
    yield case("three dimensions", [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]], [[0.5, 0.5], [0.0, 1.0]]], 4, "nested")
    yield case("three dimensions, one of them 1", [[[0.25, 0.5, 0.75]], [[0.75, 0.5, 0.25]]], 5, "nested", seed=3, first=10)
    yield case("1 x 1 x 1", [[[0.5]]], 3, "nested", "boundary")
    yield case("two dimensions, another seed, later coins", [[0.1, 0.2], [0.3, 0.4]], 9, "nested", "counter", seed=LARGEST_SEED, first=LARGEST_FIRST)
    for N in (4, 16):
        draw = [draws.uniform(draws.bits(draws.key(11, draws.COINS), t)) for t in range(N)]
        low = float(draw[N // 2])
        yield case(f"p is the uniform of toss {N // 2}: not below it, so 0", [low], N, "boundary", seed=11)
        yield case(f"p is the next double above the uniform of toss {N // 2}", [nextafter(low, 1)], N, "boundary", seed=11)
        yield case(f"p is the next double below the uniform of toss {N // 2}", [nextafter(low, 0)], N, "boundary", seed=11)
    for u, p, why in ((0, 5e-324, "a uniform of 0 is below any p but 0"), (0, 0.0, "a uniform of 0 is not below p = 0"),
                      (1, 2.0**-53, "the smallest positive uniform is not below itself"), (1, nextafter(2.0**-53, 1), "the smallest positive uniform is below the next double"),
                      (2**53 - 1, 1.0, "the largest uniform is below 1"), (2**53 - 1, 1 - 2.0**-53, "the largest uniform is not below itself")):
        seed, first, t = toss_with_uniform(u)
        yield case(f"{why} (toss {t})", [p], 4, "boundary", "counter", seed=seed, first=first)
    for p in (0.1, 1 / 3, 0.36420000000000002):
        yield case(f"p = {p!r}, forty tosses", [p], 40, seed=5)
    rates = [0.2332, 0.2545, 0.3604, 0.3642, 0.3642, 0.4466, 0.5418, 0.5276, 0.608, 0.6213, 0.7327]
    yield case("eleven coins with the mean rates of section 2.7, eighty tosses", rates, 80, "large", seed=20251009)
    yield case("eleven models of one question each", [[p] for p in rates], 20, "nested", "large")
    yield case("thirty coins, thirty tosses", [i / 31 for i in range(1, 31)], 30, "large", seed=8)


# ---------------------------------------------------------------- beta_rates

WHOLE = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 5), (10, 1), (1, 10), (12, 20), (100, 37))
PARAMETERS = ((0.5, 0.5), (0.05, 0.05), (0.05, 1), (1, 0.05), (0.05, 10000.0), (10000.0, 0.05), (2.5, 2.5), (2.5, 7), (37.25, 4.5),
        (0.1, 3.3), (3.3, 0.1), (1.0000000000000002, 1), (250.5, 249.5), (10000.0, 9999.5), (1.5, 10000), (10000, 1.5), (37.25, 1e4))


def beta_rates():
    def case(comment, a, b, *flags, **args):
        return comment, list(flags) or ["plain"], {"a": a, "b": b, **args}

    for a, b in WHOLE:
        yield case(f"Beta({a}, {b}): an order statistic", [a, a], [b, b], "order-statistic", seed=a)
    yield case("1,000 uniforms: the largest order statistic", [500, 1, 1000], [501, 1000, 1], "order-statistic", "boundary")
    yield case("1,001 uniforms would be needed: quantiles of whole parameters", [501, 1, 1001], [501, 1001, 1], "quantile", "boundary")
    yield case("whole parameters as doubles", [2.0, 3.0], [3.0, 2.0], "order-statistic")
    yield case("whole and fractional parameters", [2, 2.5, 2, 2.5], [3, 3, 3.5, 3.5], "quantile", "order-statistic")
    yield case("whole parameters at the end of their range", [10000, 1, 10000], [10000, 10000, 1], "quantile", "boundary")
    for a, b in PARAMETERS:
        yield case(f"Beta({a}, {b})", [a] * 3, [b] * 3, "quantile", seed=306)
    for seed in (0, 1, 2**63, LARGEST_SEED):
        yield case(f"seed {seed}", [0.5, 2, 3.5], [0.5, 3, 1.5], *(("boundary",) if seed == LARGEST_SEED else ("quantile",)), seed=seed)
    for first in (1, 2, 12345, 2**54, 2**61, LARGEST_FIRST):
        yield case(f"first {first}" + (": the counter wraps" if first >= 2**54 else ""), [2.5, 3], [1.5, 2], "counter", first=first)
    yield case("two dimensions", [[1, 2.5, 3], [0.5, 5, 2]], [[2, 1.5, 3], [0.5, 4, 2.25]], "nested", seed=4)
    yield case("one row", [[1, 2, 3]], [[3, 2, 1]], "nested", "order-statistic")
    yield case("one column", [[0.75], [1.75]], [[2], [2]], "nested")
    yield case("three dimensions", [[[1, 2], [3, 4]], [[5, 0.5], [7, 8]]], [[[8, 7], [6, 5]], [[4, 0.5], [2, 1]]], "nested", seed=9, first=3)
    yield case("1 x 1 x 1", [[[1.5]]], [[[2.5]]], "nested", "boundary")
    for u, why in ((0, "the smallest"), (1, "the second smallest"), (2**53 - 1, "the largest"), (2**52, "just above one half")):
        seed, first = rate_with_uniform(u)
        for a, b in ((0.05, 0.05), (0.05, 9999.5), (9999.5, 0.05), (0.5, 0.5), (2.5, 1.5), (10000, 10000)):
            flags = ("underflow", "boundary") if a == 0.05 and u < 2 else ("boundary",)
            yield case(f"{why} draw from Beta({a}, {b})", [a], [b], "quantile", *flags, seed=seed, first=first)
    for u, a, b in ((1, 0.0507, 1), (2, 0.0507, 1), (1, 0.051, 2.5), (2**20, 0.05, 0.05)):
        seed, first = rate_with_uniform(u)
        yield case(f"draw {u} of 2^53 from Beta({a}, {b}): tiny, or subnormal", [a], [b], "quantile", "underflow", seed=seed, first=first)
    rng = Random(901)
    for i in range(6):
        a, b = ([rng.randint(1, 400) / rng.choice((1, 2, 4, 8)) for _ in range(4)] for _ in range(2))
        yield case(f"random parameters {i + 1} of seed 901", a, b, "random", seed=i)


# ---------------------------------------------------------------- updates

def updates():
    def case(comment, a, b, *flags, **args):
        return comment, list(flags) or ["plain"], {"a": a, "b": b, **args}

    five = [2, 3, 4, 5, 6], [6, 5, 4, 3, 2]
    yield case("five pairs of parameters", *five)
    for seed in (1, 2, 3, 7, 42, 2**32, 2**63, LARGEST_SEED):
        yield case(f"seed {seed}", *five, *(["boundary"] if seed == LARGEST_SEED else []), seed=seed)
    for first in (1, 2, 3, 4, 5, 2**32, 2**61, LARGEST_FIRST):
        yield case(f"first {first}", *five, "counter", first=first)
    for upper, why in ((0x0, "down and down"), (0x4, "a down, b up"), (0x8, "a up, b down"), (0xC, "up and up"), (0x3, "down and down, all other bits 1"),
                       (0xF, "up and up, all bits 1")):
        seed, first = draw_with_upper_bits(upper << 28 | (0xFFFFFFF if upper & 3 else 0), draws.UPDATES)
        yield case(f"upper bits {upper:04b}: {why}", [2.5], [3.5], "boundary", seed=seed, first=first)
    for a in (nextafter(1, 2), 1.5, 10000, 9999.5, 1.0625):
        yield case(f"a = {a!r}, up and down", [a] * 4, [2] * 4, "boundary", seed=5)
        yield case(f"b = {a!r}, up and down", [2] * 4, [a] * 4, "boundary", seed=5)
    yield case("1.1 + 1 and 1.1 - 1 as doubles", [1.1] * 4, [1.1] * 4, "doubles", seed=6)
    yield case("1.3 and 3.7: one operation on doubles each", [1.3, 3.7, 1.3, 3.7], [3.7, 1.3, 3.7, 1.3], "doubles", seed=7)
    yield case("tenths", [i / 10 for i in range(11, 31)], [i / 10 for i in range(30, 10, -1)], "doubles", "large")
    yield case("two dimensions", [[2, 3], [4, 5], [6, 7]], [[7, 6], [5, 4], [3, 2]], "nested")
    yield case("one row", [[2, 3, 4]], [[2, 3, 4]], "nested", seed=3)
    yield case("one column", [[2], [3], [4]], [[4], [3], [2]], "nested", seed=3)
    yield case("three dimensions", [[[2, 3], [4, 5]], [[6, 7], [8, 9]]], [[[9, 8], [7, 6]], [[5, 4], [3, 2]]], "nested", seed=4)
    yield case("1 x 1 x 1", [[[2]]], [[[2]]], "nested", "boundary")
    yield case("one pair of parameters", [2], [2], "boundary")
    yield case("forty pairs of parameters", list(range(2, 42)), list(range(41, 1, -1)), "large", seed=12)
