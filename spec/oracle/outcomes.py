"""Counts for each question from the outcomes of a case, in all their forms, under a policy for missing ones."""
from collections import Counter
from functools import lru_cache

from exact import Refused

MODULUS = 2147483647


def recipe(M, N, C, seed):
    """The matrix of an integer recipe; i and j count from 0."""
    R = []
    for i in range(M):
        row = []
        for j in range(N):
            h = ((i + 1) * 48271 + (j + 1) * 16807 + seed * 69621 + (i + 1) * (j + 1) * 39373) % MODULUS
            h = h * 48271 % MODULUS
            b = (h % 10007) * (M + 1) < 10007 * (i + 1)
            row.append(int(b) if C == 1 else (h // 10007) % (C + 1) if b else 0)
        R.append(row)
    return R


@lru_cache(None)
def recipe_counts(M, N, C, seed):
    return [Counter(row) for row in recipe(M, N, C, seed)]


def tallies(R, missing="raise", code=None):
    """A Counter of outcomes for each question, and the number of missing entries that were dropped from a matrix.

    missing: "raise", "drop", or the category that missing trials count as; code: an entry that is missing too.
    """
    if "answers" in R or "scored" in R:  # for metrics of counts: failures and successes
        import answers
        return [Counter({c: n for c, n in enumerate(row) if n}) for row in answers.rows_of(R)], 0
    if "recipe" in R:
        return recipe_counts(**R["recipe"]), 0
    if "counts" in R:
        return [Counter({c: n for c, n in enumerate(row) if n}) for row in R["counts"]], 0
    missing_values = (None, "nan") if code is None else (None, "nan", code)
    rows = [Counter(None if x in missing_values else x for x in row) for row in R["matrix"]]
    row_length = max(sum(r.values()) for r in rows)
    dropped = sum(r[None] for r in rows)
    if missing == "raise":
        if dropped:
            raise Refused("missing")
        if any(sum(r.values()) != row_length for r in rows):
            raise Refused("ragged")
    for r in rows:
        unfilled = row_length - sum(r.values())
        missing_count = r.pop(None, 0)
        if missing not in ("raise", "drop"):
            r[missing] += missing_count + unfilled
    return rows, dropped if missing == "drop" else 0


def counts(R, C, missing="raise"):
    """n[question][category] for categories 0..C."""
    return [[r[c] for c in range(C + 1)] for r in tallies(R, missing)[0]]
