"""Agreement of two rankings whose best rank is the lowest number."""
from itertools import combinations

from exact import Fraction, Real, to_mpf, root, total

NAN = float("nan")


def sign(x):
    return (x > 0) - (x < 0)


def divide_by_root(p, q):
    """The real number p / sqrt(q)."""
    r = root(q)
    return p / r if isinstance(r, Fraction) else Real(lambda: to_mpf(p) / to_mpf(r)) if p else Fraction(0)


def average_ranks(a):
    return [Fraction(sum(y < x for y in a)) + Fraction(sum(y == x for y in a) + 1, 2) for x in a]


def spearman(a, b):
    """Spearman's rank correlation: Pearson's correlation of average ranks."""
    a, b = average_ranks(a), average_ranks(b)
    mean = Fraction(len(a) + 1, 2)
    cov = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return divide_by_root(cov, sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


def weighted_tau_terms(a, b):
    """p and q of the weighted tau p / sqrt(q); pairs have weights by the models' places in the order of a, then b."""
    place = {i: r for r, i in enumerate(sorted(range(len(a)), key=lambda i: (a[i], b[i])))}
    p, untied_a, untied_b = Fraction(0), Fraction(0), Fraction(0)
    for i, j in combinations(range(len(a)), 2):
        w = Fraction(1, place[i] + 1) + Fraction(1, place[j] + 1)
        x, y = sign(a[i] - a[j]), sign(b[i] - b[j])
        p, untied_a, untied_b = p + w * x * y, untied_a + w * abs(x), untied_b + w * abs(y)
    return p, untied_a * untied_b


def weighted_tau(a, b):
    (p, q), (r, s) = weighted_tau_terms(a, b), weighted_tau_terms(b, a)
    if p * p * s == r * r * q:  # both have the same size: their mean needs no further root
        return divide_by_root(p, q) if sign(p) == sign(r) else Fraction(0)
    return total([divide_by_root(p / 2, q), divide_by_root(r / 2, s)])


def compare_rankings(a, b):
    a, b = ([Fraction(float(x)) for x in xs] for xs in (a, b))
    L, pairs = len(a), list(combinations(range(len(a)), 2))
    S = Fraction(sum(sign(a[i] - a[j]) * sign(b[i] - b[j]) for i, j in pairs))
    untied = [sum(x[i] != x[j] for i, j in pairs) for x in (a, b)]
    one_ties_all = 0 in untied
    return {"tau_a": S / len(pairs),
            "tau_b": NAN if one_ties_all else divide_by_root(S, Fraction(untied[0] * untied[1])),
            "spearman": NAN if one_ties_all else spearman(a, b),
            "weighted_tau": NAN if one_ties_all else weighted_tau(a, b),
            "mismatched": Fraction(sum(x != y for x, y in zip(a, b)), L),
            "max_displacement": max(abs(x - y) for x, y in zip(a, b))}
