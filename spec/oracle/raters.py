"""Agreement of raters on the same items, rating by rating."""
from mpmath import mp

from exact import Fraction, Real, Refused, at, frac
from outcomes import tallies
from quantile import t_quantile

F = Fraction


def distance(w):
    """Function that gives the squared distance of two categories."""
    return (lambda c, e: F(c != e)) if w is None else lambda c, e: (frac(w[c]) - frac(w[e])) ** 2


def units(R, missing):
    """Items with two ratings or more, each a list of (category, how many); and the indices of the others."""
    rows = [sorted((int(c), F(n)) for c, n in row.items() if n) for row in tallies(R, missing)[0]]
    size = [sum(n for _, n in row) for row in rows]
    if max(size) < 2:
        raise Refused("no_trials")
    return [row for row, m in zip(rows, size) if m >= 2], [j for j, m in enumerate(size) if m < 2]


def category_counts(rows):
    """How often each category was chosen."""
    numbers = {}
    for row in rows:
        for c, n in row:
            numbers[c] = numbers.get(c, F(0)) + n
    return numbers


def terms(rows, d):
    """Yield the disagreement of each item and its part of the expected disagreement."""
    N = category_counts(rows)
    n = sum(N.values())
    expected = sum(N[c] * N[e] * d(c, e) for c in N for e in N) / n**2
    for row in rows:
        m = sum(k for _, k in row)
        a = sum(u * v * d(c, e) for c, u in row for e, v in row) / (m - 1)
        yield a, 2 * sum(u * d(c, e) * N[e] for c, u in row for e in N) / n - m * expected


def extremes(rows, w):
    """Categories that an added item may consist of, and the category of the other half of the last added item."""
    N = category_counts(rows)
    if w is None:
        other = max(N, key=lambda c: (N[c], -c))
        return [min((c for c in N if c != other), key=lambda c: (N[c], c))], other
    W = [frac(x) for x in w]
    high, low = W.index(max(W)), W.index(min(W))
    excess = 2 * sum(W[c] * n for c, n in N.items()) / sum(N.values()) - max(W) - min(W)
    return ([low], high) if excess > 0 else ([high], low) if excess < 0 else ([high, low], low)


def sums_with_added_items(rows, w, confidence):
    """The sums with each of the added items, and the factor k."""
    size = [sum(n for _, n in row) for row in rows]
    M, n, m = len(rows), sum(size), sum(x * x for x in size) / sum(size)
    categories, other = extremes(rows, w)

    def factor():
        t2 = t_quantile(frac(confidence), n / m) ** 2
        return t2 * (M + 1) / (M + t2)

    def sums(item):
        ab = list(terms([*rows, item], distance(w)))
        return [sum(f(a, b) for a, b in ab) for f in (
            lambda a, b: a, lambda a, b: b, lambda a, b: a * a, lambda a, b: a * b, lambda a, b: b * b)]
    return [*(sums([(c, m)]) for c in categories), sums([(categories[0], m / 2), (other, m / 2)])], factor


def solutions(sums, factor, largest):
    """The ends of {psi: (a - psi b)^2 <= factor (aa - 2 psi ab + psi^2 bb)} within 0..largest."""
    a, b, aa, ab, bb = (at(x) for x in sums)
    k = factor()
    A, B, C = b * b - k * bb, a * b - k * ab, a * a - k * aa
    if not sums[0]:  # a = aa = ab = 0
        return mp.mpf(0), mp.mpf(0) if A > 0 else at(largest)
    D = mp.sqrt(max(B * B - A * C, 0))
    low = C / (B + D) if C > 0 else mp.mpf(0)
    high = (B + D) / A if A > 0 else at(largest)
    return min(low, at(largest)), min(high, at(largest))


def limits(rows, w, confidence, alpha):
    """The ends of the interval of alpha."""
    sums, factor = sums_with_added_items(rows, w, confidence)
    fewest_ratings = min(sum(n for _, n in row) for row in rows)
    largest = fewest_ratings / (fewest_ratings - 1)

    def end(which):
        def f():
            numbers = [solutions(s, factor, largest) for s in sums]
            return min(at(alpha), 1 - max(x[1] for x in numbers)) if which else max(at(alpha), 1 - min(x[0] for x in numbers))
        with mp.workdps(60):
            v = f()
            for exact in (F(1), 1 - largest, alpha):
                if v == at(exact):
                    return exact
        return Real(f)
    return end(1), end(0)


def agreement(R, w=None, confidence=0.95, missing="raise"):
    rows, dropped = units(R, missing)
    d, N = distance(w), category_counts(rows)
    n = sum(N.values())
    expected = sum(N[c] * N[e] * d(c, e) for c in N for e in N) / (n - 1)
    alpha = 1 - sum(a for a, _ in terms(rows, d)) / expected if expected else None
    shares = [[(c, k, sum(x for _, x in row)) for c, k in row] for row in rows]
    percent = sum(k * (k - 1) / (m * (m - 1)) for row in shares for _, k, m in row) / len(rows)
    p = [sum(k / m for row in shares for e, k, m in row if e == c) / len(rows) for c in N]

    def corrected(chance):
        return (percent - chance) / (1 - chance)
    lo, hi = (None, None) if alpha is None else limits(rows, w, confidence, alpha)
    single_category = len(N) == 1
    return {"percent_agreement": percent, "fleiss_kappa": None if single_category else corrected(sum(x * x for x in p)),
            "ac1": None if single_category else corrected(sum(x * (1 - x) for x in p) / (len(N) - 1)),
            "alpha": alpha, "lo": lo, "hi": hi, "items": len(rows), "ratings": int(n), "dropped": dropped}


def cohen_kappa(R, w=None, missing="raise"):
    fill = None if missing in ("raise", "drop") else missing
    rows = [[fill if x in (None, "nan") else int(x) for x in row] for row in R["matrix"]]
    rows = [row + [fill] * (2 - len(row)) for row in rows]
    rows = [row for row in rows if None not in row]
    if not rows:
        raise Refused("no_trials")
    d = distance(w)
    chance = sum(d(x, y) for x, _ in rows for _, y in rows) / F(len(rows)) ** 2
    return {"value": 1 - sum(d(x, y) for x, y in rows) / F(len(rows)) / chance if chance else None}
