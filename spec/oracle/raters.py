"""Agreement of raters on the same items, rating by rating."""
from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, to_fraction
from outcomes import tallies
from quantile import t_quantile

F = Fraction


def distance(w):
    """The function that gives the squared distance of two categories."""
    return (lambda c, e: F(c != e)) if w is None else lambda c, e: (to_fraction(w[c]) - to_fraction(w[e])) ** 2


def rated_items(R, missing):
    """Items with at least two ratings, as lists of (category, count); and the indices of the other items."""
    rows = [sorted((int(c), F(n)) for c, n in row.items() if n) for row in tallies(R, missing)[0]]
    size = [sum(n for _, n in row) for row in rows]
    if max(size) < 2:
        raise Refused("no_trials")
    return [row for row, m in zip(rows, size) if m >= 2], [j for j, m in enumerate(size) if m < 2]


def category_counts(rows):
    """The number of ratings in each category."""
    counts = {}
    for row in rows:
        for c, n in row:
            counts[c] = counts.get(c, F(0)) + n
    return counts


def disagreements(rows, d):
    """Yield (A_i, B_i) of each item: its disagreement, and its linearized share in the expected disagreement."""
    N = category_counts(rows)
    n = sum(N.values())
    expected = sum(N[c] * N[e] * d(c, e) for c in N for e in N) / n**2
    for row in rows:
        m = sum(k for _, k in row)
        a = sum(u * v * d(c, e) for c, u in row for e, v in row) / (m - 1)
        yield a, 2 * sum(u * d(c, e) * N[e] for c, u in row for e in N) / n - m * expected


def categories_of_added_items(rows, w):
    """The categories r of the added items, and the category s of the other half of the last added item."""
    N = category_counts(rows)
    if w is None:
        other = max(N, key=lambda c: (N[c], -c))
        return [min((c for c in N if c != other), key=lambda c: (N[c], c))], other
    W = [to_fraction(x) for x in w]
    high, low = W.index(max(W)), W.index(min(W))
    excess = 2 * sum(W[c] * n for c, n in N.items()) / sum(N.values()) - max(W) - min(W)
    return ([low], high) if excess > 0 else ([high], low) if excess < 0 else ([high, low], low)


def sums_with_added_items(rows, w, confidence):
    """The list of the sums (a, b, aa, ab, bb), one with each added item, and the function that gives the factor k."""
    size = [sum(n for _, n in row) for row in rows]
    M, n, m = len(rows), sum(size), sum(x * x for x in size) / sum(size)
    categories, other = categories_of_added_items(rows, w)

    def factor():
        t2 = t_quantile(to_fraction(confidence), n / m) ** 2
        return t2 * (M + 1) / (M + t2)

    def sums(item):
        ab = list(disagreements([*rows, item], distance(w)))
        return [sum(f(a, b) for a, b in ab) for f in (
            lambda a, b: a, lambda a, b: b, lambda a, b: a * a, lambda a, b: a * b, lambda a, b: b * b)]
    return [*(sums([(c, m)]) for c in categories), sums([(categories[0], m / 2), (other, m / 2)])], factor


def ends_of_psi(sums, factor, largest):
    """The ends of {psi: (a - psi b)^2 <= factor (aa - 2 psi ab + psi^2 bb)} within 0..largest."""
    a, b, aa, ab, bb = (to_mpf(x) for x in sums)
    k = factor()
    X, Y, Z = b * b - k * bb, a * b - k * ab, a * a - k * aa
    if not sums[0]:  # a = aa = ab = 0
        return mp.mpf(0), mp.mpf(0) if X > 0 else to_mpf(largest)
    W = mp.sqrt(max(Y * Y - X * Z, 0))
    low = Z / (Y + W) if Z > 0 else mp.mpf(0)
    high = (Y + W) / X if X > 0 else to_mpf(largest)
    return min(low, to_mpf(largest)), min(high, to_mpf(largest))


def limits(rows, w, confidence, alpha):
    """The ends of the interval of alpha."""
    sums, factor = sums_with_added_items(rows, w, confidence)
    fewest_ratings = min(sum(n for _, n in row) for row in rows)
    largest = fewest_ratings / (fewest_ratings - 1)

    def end(is_low):
        def f():
            psi_ends = [ends_of_psi(s, factor, largest) for s in sums]
            return min(to_mpf(alpha), 1 - max(x[1] for x in psi_ends)) if is_low else max(to_mpf(alpha), 1 - min(x[0] for x in psi_ends))
        with mp.workdps(60):
            v = f()
            for exact in (F(1), 1 - largest, alpha):
                if v == to_mpf(exact):
                    return exact
        return Real(f)
    return end(True), end(False)


def agreement(R, w=None, confidence=0.95, missing="raise"):
    rows, dropped = rated_items(R, missing)
    d, N = distance(w), category_counts(rows)
    n = sum(N.values())
    expected = sum(N[c] * N[e] * d(c, e) for c in N for e in N) / (n - 1)
    alpha = 1 - sum(a for a, _ in disagreements(rows, d)) / expected if expected else None
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
