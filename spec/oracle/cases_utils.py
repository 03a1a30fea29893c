"""Cases of module utils: agreement of rankings, and rankings as numbers.

Hashes are flagged "big" above 20 models, without ties (21! > 2^64), and above 17 with ties (62 bits from 18 on).
"""
from itertools import permutations
from math import factorial
from random import Random

from hashes import fubini
from hashes import unhash_ranking as unhash


def compare_rankings():
    def case(comment, a, b, *flags):
        return comment, list(flags) or ["plain"], {"a": a, "b": b}

    yield case("the example of scipy's weightedtau, signs reversed: weighted_tau -0.56694968153682723", [-12, -2, -1, -12, -2], [-1, -4, -7, -1, 0], "worked-example", "ties")
    yield case("two models, the same order", [1, 2], [1, 2], "boundary")
    yield case("two models, the other order", [1, 2], [2, 1], "boundary")
    yield case("two models, tied in the first", [1, 1], [1, 2], "boundary", "not-a-number")
    yield case("two models, tied in the second", [2, 1], [1, 1], "boundary", "not-a-number")
    yield case("two models, tied in both", [1, 1], [1, 1], "boundary", "not-a-number")
    yield case("all tied in both, at different ranks", [1, 1, 1], [3, 3, 3], "not-a-number", "ties")
    yield case("all tied in the second", [1, 2, 3, 4], [2.5, 2.5, 2.5, 2.5], "not-a-number", "ties")
    yield case("the same ranking", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    yield case("the same ranking with ties: tau_b is 1, tau_a is not", [1, 2, 2, 4, 4], [1, 2, 2, 4, 4], "ties")
    yield case("the same ranking in two conventions", [1, 2, 2, 4], [1, 2.5, 2.5, 4], "ties")
    yield case("the same order in other numbers", [1, 2, 3], [10, 200, 3000])
    yield case("the reverse ranking", [1, 2, 3, 4, 5], [5, 4, 3, 2, 1])
    yield case("the reverse ranking, with ties", [1, 1, 3, 4, 4], [4, 4, 3, 1, 1], "ties")
    yield case("neighbours at the top swapped", [1, 2, 3, 4, 5, 6], [2, 1, 3, 4, 5, 6])
    yield case("neighbours at the bottom swapped: the weighted tau is nearer to 1", [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 5])
    yield case("uncorrelated: tau is 0", [1, 2, 3, 4], [2, 4, 1, 3], "exact-zero")
    yield case("spearman is 0, tau is not", [1, 2, 3, 4, 5, 6, 7], [1, 4, 6, 7, 5, 3, 2], "exact-zero")
    yield case("a tie in one only", [1, 2, 3], [1, 1, 3], "ties")
    yield case("ties that cross", [1, 1, 2, 2], [1, 2, 1, 2], "ties", "exact-zero")
    yield case("ranks of floats, negative too", [-0.5, 0.25, 3.75], [0.0, -1e-9, 1e9])
    yield case("zero and negative zero tie, and match", [0.0, 1.0, 2.0], ["-0.0", 2.0, 1.0], "boundary")
    yield case("one ulp decides", [1.0, 1.0000000000000002, 2.0], [1.0, 1.0, 2.0], "ties", "boundary")
    yield case("the largest displacement is not whole", [1, 2.5, 2.5, 4], [4, 1.25, 2, 3], "ties")
    yield case("displacements that round: 0.1 against 0.3", [0.1, 0.2, 0.7], [0.3, 0.5, 0.6])
    yield case("huge and tiny", [1e300, 1e-300, -1e300], [5e-324, 0.0, -5e-324], "boundary")
    paper = [[1, 2, 3, 5, 4, 6, 7, 7, 8, 9, 10], [1, 3, 2, 5, 4, 6, 7, 8, 9, 10, 11], [1, 2, 2, 3, 3, 4, 5, 5, 5, 6, 7]]
    yield case("table 1 of the paper: gold and without intervals", paper[0], paper[1], "ties")
    yield case("table 1 of the paper: gold and with intervals", paper[0], paper[2], "ties")
    yield case("table 1 of the paper: without and with intervals", paper[1], paper[2], "ties")
    rng = Random(951)
    for i in range(20):
        L = rng.choice((3, 4, 6, 10, 25, 60))
        a = [rng.randint(1, L if i % 2 else 3 + L // 2) for _ in range(L)]
        b = [x + rng.choice((0, 0, 0, 1, -1, 2)) for x in a] if i % 3 else rng.sample(range(1, L + 1), L)
        yield case(f"random rankings {i + 1} of seed 951, L = {L}", a, b, "random", "ties")


def permutation_cases():
    """Cases of permutations: (comment, flags, permutation)."""
    yield "one model", ["boundary"], [1]
    for L in (2, 3, 4):
        for p in permutations(range(1, L + 1)):
            yield f"all permutations of {L}", ["permutations"], list(p)
    rng = Random(952)
    for L in (5, 8, 12, 20, 21, 25, 30, 60):
        yield f"the last of {L}", ["boundary"] + ["big"] * (L > 20), list(range(L, 0, -1))
        yield f"a random ranking of {L}", ["random"] + ["big"] * (L > 20), rng.sample(range(1, L + 1), L)
    yield "the first of 25", ["boundary"], list(range(1, 26))
    yield "the second of 25", ["boundary"], [*range(1, 24), 25, 24]
    yield "two swaps of 100, a hash of 158 digits", ["big"], [100, *range(2, 51), 52, 51, *range(53, 100), 1]
    yield "a rotation of 1000, the longest that can be read back", ["big", "boundary"], [*range(2, 1001), 1]


def lehmer_hash():
    for comment, flags, p in permutation_cases():
        yield comment, flags, {"ranking": p}


def lehmer_unhash():
    for L in (1, 2, 3, 4):
        for h in range(factorial(L)):
            yield f"all permutations of {L}", ["boundary"] if L == 1 else ["permutations"], {"hash": h, "L": L}
    rng = Random(953)
    for L in (5, 8, 12, 20, 21, 25, 30, 60):
        yield f"the last of {L}", ["boundary"] + ["big"] * (L > 20), {"hash": factorial(L) - 1, "L": L}
        yield f"a random ranking of {L}", ["random"] + ["big"] * (L > 20), {"hash": rng.randrange(factorial(L)), "L": L}
    yield "the first of 25", ["boundary"], {"hash": 0, "L": 25}
    yield "2^64 among 30", ["big"], {"hash": 2**64, "L": 30}
    yield "2^63 among 21", ["big"], {"hash": 2**63, "L": 21}
    yield "the middle of 1000, the most", ["big", "boundary"], {"hash": factorial(1000) // 2, "L": 1000}


def ranking_hash():
    yield "one model", ["boundary"], {"ranking": [1]}
    for L in (2, 3):
        for h in range(fubini(L)):
            yield f"all rankings of {L}", ["permutations"], {"ranking": unhash(h, L)["ranking"]}
    for ranking, comment in (([1, 2, 2, 4], "competition ranks"), ([1, 3, 3, 4], "the same ranking, with maximal ranks"), ([1, 2.5, 2.5, 4], "the same ranking, with average ranks"),
                             ([-7.5, 0, "-0.0", 1e300], "the same order in other numbers"), ([2.5, 1.5, 1.5], "floats"), ([0.1, 0.1, 0.1, 0.1], "all tied"),
                             ([4, 3, 2, 1], "the reverse"), ([1, 1, 1, 2], "one below all others"), ([2, 1, 1, 1], "one below all others, the first"), ([2, 2, 1, 2], "one above all others")):
        yield comment, ["plain"], {"ranking": ranking}
    rng = Random(954)
    for L in (4, 5, 6, 10, 15, 18, 25, 30, 60):
        yield f"all tied, L = {L}: the last", ["boundary"] + ["big"] * (L > 17), {"ranking": [1] * L}
        yield f"a random ranking with ties, L = {L}", ["random"] + ["big"] * (L > 17), {"ranking": [rng.randint(1, L) for _ in range(L)]}
        yield f"a random ranking without ties, L = {L}", ["random"] + ["big"] * (L > 17), {"ranking": rng.sample(range(1, L + 1), L)}
    yield "the first of 25", ["boundary"], {"ranking": list(range(1, 26))}
    yield "pairs of 200", ["big"], {"ranking": [1 + i % 100 for i in range(200)]}


def unhash_ranking():
    for L in (1, 2, 3):
        for h in range(fubini(L)):
            yield f"all rankings of {L}", ["boundary"] if L == 1 else ["permutations"], {"hash": h, "L": L}
    rng = Random(955)
    for L in (4, 5, 6, 10, 15, 18, 25, 30, 60):
        yield f"the last of {L}", ["boundary"] + ["big"] * (L > 17), {"hash": fubini(L) - 1, "L": L}
        yield f"a random ranking of {L}", ["random"] + ["big"] * (L > 17), {"hash": rng.randrange(fubini(L)), "L": L}
        yield f"a second random ranking of {L}", ["random"] + ["big"] * (L > 17), {"hash": rng.randrange(fubini(L)), "L": L}
    yield "the first of 25", ["boundary"], {"hash": 0, "L": 25}
    yield "2^64 among 30", ["big"], {"hash": 2**64, "L": 30}
    yield "the middle of 1000, the most", ["big", "boundary"], {"hash": fubini(1000) // 2, "L": 1000}
