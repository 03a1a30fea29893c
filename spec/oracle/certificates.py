"""How many missing outcomes and wrong keys the order of two averages survives; checked by enumeration."""
from itertools import combinations, product
from random import Random

from exact import Fraction, Refused, to_fraction
from outcomes import counts

F = Fraction


def missing_counts(R, missing):
    """The number of missing outcomes of each question; trials beyond the end of a short row were not planned."""
    if missing != "drop" or "matrix" not in R:
        return [0] * len(counts(R, 255, missing))  # only the number of questions matters
    return [sum(x in (None, "nan") for x in row) for row in R["matrix"]]


def smallest_number(gap, gains):
    """The smallest number of gains whose sum reaches the gap; None if the sum of all does not."""
    gains = sorted((x for x in gains if x > 0), reverse=True)
    return next((j for j in range(len(gains) + 1) if sum(gains[:j]) >= gap), None)


def certificate(A, B, w=None, missing="raise"):
    w = [to_fraction(x) for x in (w or (0, 1))]
    low, high = min(w), max(w)
    rows = [list(zip(counts(R, len(w) - 1, missing), missing_counts(R, missing))) for R in (A, B)]

    def mean(counts, missing=0, score=low):
        return (sum(c * x for c, x in zip(counts, w)) + missing * score) / (sum(counts) + missing)

    pair_means = [(mean(a), mean(b)) for (a, _), (b, _) in zip(*rows) if sum(a) and sum(b)]
    if not pair_means:
        raise Refused("no_trials")
    gaps = [x - y for x, y in pair_means]
    total = sum(gaps)
    sign = 1 if total >= 0 else -1
    first, second = rows[::sign]
    planned = [(a, b) for a, b in zip(first, second) if sum(a[0]) + a[1] and sum(b[0]) + b[1]]
    best = sum(mean(*a, high) - mean(*b, low) for a, b in planned)
    gains = [(high - low) / (sum(n) + m) for pair in planned for n, m in pair for _ in range(m)]
    return {"mu": total / len(pair_means), "missing": len(gains), "missing_needed": smallest_number(best, gains) if total else 0,
            "inverted_needed": smallest_number(abs(total), (2 * sign * x for x in gaps)),
            "rescored_needed": smallest_number(abs(total), (sign * x + high - low for x in gaps))}


def by_enumeration(A, B, w):
    """inverted_needed, rescored_needed and missing_needed of small matrices, from every change of each kind."""
    low, high = min(w), max(w)

    def average(rows):
        return [F(sum(row)) / len(row) for row in rows]

    def gap(R, S):
        return sum(x - y for x, y in zip(average(R), average(S)))

    scored = [[[w[x] for x in row if x is not None] for row in R] for R in (A, B)]
    if gap(*scored) < 0:
        A, B, scored = B, A, scored[::-1]
    gaps = [x - y for x, y in zip(*map(average, scored))]
    questions = range(len(A))

    def inverted(chosen):
        return gap(*([[low + high - x for x in row] if i in chosen else row for i, row in enumerate(R)] for R in scored))

    def rescored(chosen):
        return sum(low - high if i in chosen else x for i, x in enumerate(gaps))

    def smallest(gap_after):
        return min(j for j in range(len(questions) + 1) for chosen in combinations(questions, j) if gap_after(chosen) <= 0)

    # (model, question, trial) of each missing outcome, and the score at which A is furthest ahead
    missing = [(R, i, j, good) for R, good in ((A, high), (B, low)) for i in questions for j, x in enumerate(R[i]) if x is None]
    changes_needed = []
    for scores in product(w, repeat=len(missing)):
        filled = [[[None if x is None else w[x] for x in row] for row in R] for R in (A, B)]
        for (R, i, j, _), x in zip(missing, scores):
            filled[R is B][i][j] = x
        if gap(*filled) <= 0:
            changes_needed.append(sum(x != good for (*_, good), x in zip(missing, scores)))
    missing_needed = 0 if not sum(gaps) else min(changes_needed, default=None)
    return smallest(inverted), smallest(rescored), missing_needed


def crosscheck():
    """Check certificates of small matrices by trying every change."""
    rng = Random(962)
    for i in range(300):
        w = rng.choice(([F(0), F(1)], [F(0), F(1)], [F(0), F(1, 2), F(1)], [F(1), F(-1), F(3)]))
        M = rng.randint(1, 4)

        def row():
            x = [rng.choice((*range(len(w)), None)) if rng.random() < .5 else rng.randrange(len(w)) for _ in range(rng.randint(1, 3))]
            return x if any(y is not None for y in x) else [0, *x]
        A, B = ([row() for _ in range(M)] for _ in range(2))
        while sum(row.count(None) for R in (A, B) for row in R) > 6:
            A, B = ([row() for _ in range(M)] for _ in range(2))
        got = certificate({"matrix": A}, {"matrix": B}, w, "drop")
        yield ("certificate", i, A, B, w), (got["inverted_needed"], got["rescored_needed"], got["missing_needed"]) == by_enumeration(A, B, w)
