"""Rankings as numbers: the lexicographic index of a permutation, and of a ranking with ties."""
from itertools import count
from math import comb, factorial


def lehmer_hash(ranking):
    """The lexicographic index: sum over i of (number of later, smaller entries) (L - 1 - i)!, i from 0."""
    L = len(ranking)
    return {"hash": sum(sum(y < x for y in ranking[i:]) * factorial(L - 1 - i) for i, x in enumerate(ranking))}


def lehmer_unhash(hash, L):
    remaining, out = list(range(1, L + 1)), []
    for i in range(L):
        place, hash = divmod(hash, factorial(L - 1 - i))
        out.append(remaining.pop(place))
    return {"ranking": out}


FUBINI = [1]


def fubini(n):
    """The number of rankings with ties of n items: a(n) = sum_t C(n, t) a(n - t), t the size of the top group."""
    while len(FUBINI) <= n:
        m, c, s = len(FUBINI), 1, 0
        for t in range(1, m + 1):
            c = c * (m - t + 1) // t
            s += c * FUBINI[m - t]
        FUBINI.append(s)
    return FUBINI[n]


def subset_hash(places, n):
    """The index of a sorted tuple among the subsets of 0..n-1 of its size, in lexicographic order."""
    out, first = 0, 0
    for i, p in enumerate(places):
        out += sum(comb(n - 1 - q, len(places) - 1 - i) for q in range(first, p))  # subsets with a smaller i-th entry
        first = p + 1
    return out


def subset_unhash(r, n, s):
    """The subset of size s of 0..n-1 whose subset_hash is r, as a sorted list."""
    out, q = [], 0
    while len(out) < s:
        subsets = comb(n - 1 - q, s - 1 - len(out))
        if r < subsets:
            out.append(q)
        else:
            r -= subsets
        q += 1
    return out


def ranking_hash(ranking):
    """The index of a ranking with ties: by the size of the top group, then its set of places, then the rest."""
    remaining, out = [float(x) for x in ranking], 0
    while remaining:
        n, places = len(remaining), [i for i, x in enumerate(remaining) if x == min(remaining)]
        s = len(places)
        out += sum(comb(n, t) * fubini(n - t) for t in range(1, s)) + subset_hash(places, n) * fubini(n - s)
        remaining = [x for i, x in enumerate(remaining) if i not in places]
    return {"hash": out}


def unhash_ranking(hash, L):
    remaining, out = list(range(L)), [None] * L
    for rank in count(1):
        n = len(remaining)
        if n == 0:
            return {"ranking": out}
        s = 1
        while hash >= comb(n, s) * fubini(n - s):
            hash -= comb(n, s) * fubini(n - s)
            s += 1
        r, hash = divmod(hash, fubini(n - s))
        top = [remaining[i] for i in subset_unhash(r, n, s)]
        for i in top:
            out[i] = rank
        remaining = [i for i in remaining if i not in top]
