"""Exact error rates of gates and comparisons where whole questions or clusters are won or lost: for hostile.py.

The wrong verdicts of the package are weighted with the probabilities of the numbers of such units; nothing is
simulated, so the measures do not use their arguments rng and B.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hostile_cells import Cell, Rng
from scipy.stats import binom, multinomial

from scorio import Counts, sinf

NEGLIGIBLE = 1e-5  # numbers of units that are less probable are left out


def solved(c: Any, N: int) -> Counts:
    """Counts of questions with c successes in N trials."""
    return Counts.from_successes(np.asarray(c), np.full(len(c), N))


def wins_and_losses(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Probability of a wrong verdict: the candidate wins each question whole with probability `win`, or loses it whole.

    The probability of a loss makes it worse by the margin. Where a model does not fail whole it solves all trials,
    except the share `other`, which the baseline fails (negative: the candidate). The wrong verdict is that of a gate
    ("pass", "fail"), or "different": compare finds a significant difference, which is wrong if the margin is 0.
    """
    M, N, win, margin, other = cell["M"], cell["N"], cell["win"], cell["margin"], cell.get("other", 0.0)
    lose = margin + other + win * (1 - other) if other >= 0 else (margin + other + win) / (1 + other)
    if not 0 <= lose <= 1 - win:
        return 0.0, 0
    new, base = round(N * (1 + min(other, 0.0))), round(N * (1 - max(other, 0.0)))
    how = {"margin": margin, "questions": "sampled", "confidence": cell.get("confidence", 0.95)}
    won, lost = np.array([(w, l) for w in range(M + 1) for l in range(M + 1 - w)]).T
    probability = multinomial.pmf(np.stack([won, lost, M - won - lost], -1), M, [win, lose, max(0.0, 1 - win - lose)])
    error = 0.0
    for at in np.flatnonzero(probability > NEGLIGIBLE):
        w, l = int(won[at]), int(lost[at])
        rest = M - w - l
        candidate, baseline = [new] * w + [0] * l + [new] * rest, [0] * w + [base] * (l + rest)
        models = solved(candidate, N), solved(baseline, N)
        if cell["verdict"] == "different":
            wrong = sinf.compare(*models, questions="sampled", guard=cell["guard"]).significant
        else:
            wrong = sinf.gate(*models, power=0.5, **how).verdict == cell["verdict"]
        error += probability[at] * wrong
    return float(error), 0


def three_differences(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Probability that equal models differ, where a question has one of three differences: -low, middle or high.

    share: the probability of the middle one. Each question has one trial, with scores.
    """
    M, d = cell["M"], np.array([-cell["low"], cell["middle"], cell["high"]])
    high = (cell["low"] * (1 - cell["share"]) - cell["share"] * cell["middle"]) / (cell["low"] + cell["high"])
    p = np.array([1 - cell["share"] - high, cell["share"], high])
    if min(p) < 0:
        return 0.0, 0
    w = sorted({0.0, 1.0, *map(float, abs(d))})
    scores = np.eye(len(w), dtype=int)
    better, worse = (np.array([w.index(float(max(side * x, 0.0))) for x in d]) for side in (1, -1))
    numbers = np.array([(a, b) for a in range(M + 1) for b in range(M + 1 - a)])
    numbers = np.column_stack([numbers, M - numbers.sum(1)])
    probability, error = multinomial.pmf(numbers, M, p), 0.0
    for many, x in zip(numbers, probability, strict=True):
        if x > NEGLIGIBLE:
            which = np.repeat(np.arange(3), many)
            a, b = (Counts(scores[side[which]]) for side in (better, worse))
            error += x * sinf.compare(a, b, w=w, questions="sampled", guard=1.0).significant
    return float(error), 0


def quiet_benchmark(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Probability that equal models differ over two benchmarks, in the second of which all outcomes are equal.

    In the first the differences are 1 and -low.
    """
    M, M2, low, w = cell["M"], cell["M2"], cell["low"], cell["weight"]
    scores = [0.0, low, 1.0] if 0 < low < 1 else [0.0, 1.0]
    one, last, error = np.eye(len(scores), dtype=int), len(scores) - 1, 0.0
    equal = Counts(one[[last] * M2])
    for won in range(M + 1):
        probability = float(binom.pmf(won, M, low / (1 + low)))
        if probability > NEGLIGIBLE:
            a, b = Counts(one[[last] * won + [0] * (M - won)]), Counts(one[[0] * won + [1] * (M - won)])
            parts = {"first": {"a": a, "b": b}, "second": {"a": equal, "b": equal}}
            weights = {"first": w, "second": 1 - w}
            (pair,) = sinf.suite(parts, w=scores, weights=weights, questions="sampled", guard=1.0).pairs
            error += probability * pair.significant
    return error, 0


def two_benchmarks(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Probability of a wrong verdict on the mean of two benchmarks, on which the candidate loses exactly the margin.

    In the first benchmark the differences of a side, the candidate for "pass" and the baseline for "fail", are -1 or
    `gain`; in the second a share `better` of them is `high`, the others are `low`.
    """
    w, M, M2, margin, better = cell["weight"], cell["M"], cell["M2"], cell["margin"], cell["better"]
    gain, high, low = cell["gain"], cell["high"], cell["low"]
    second, side = better * high + (1 - better) * low, 1 if cell["verdict"] == "pass" else -1
    # the probability of -1 in the first benchmark
    p = (gain + (side * margin + (1 - w) * second) / w) / (1 + gain) if gain > -1 else 2.0
    # not searched: a question of the first benchmark with more than 20 times the weight of one of the second
    if not 0 < p < 1 or w / M > 20 / M2:
        return 0.0, 0
    scores = sorted({0.0, 1.0, *map(abs, (gain, high, low))})
    one = np.eye(len(scores), dtype=int)
    how: dict[str, Any] = {"margin": margin, "questions": "sampled", "power": 0.5, "w": scores}
    how |= {"weights": {"first": w, "second": 1 - w}}
    error = 0.0
    for lost in range(M + 1):
        for won in range(M2 + 1):
            probability = float(binom.pmf(lost, M, p) * binom.pmf(won, M2, better))
            if probability > NEGLIGIBLE:
                d = {"first": [-1.0] * lost + [gain] * (M - lost), "second": [high] * won + [low] * (M2 - won)}
                new, base = ({name: Counts(one[[scores.index(max(sign * x, 0.0)) for x in y]]) for name, y in d.items()}
                             for sign in (side, -side))  # fmt: skip
                error += probability * (sinf.gate_suite(new, base, **how).mean.verdict == cell["verdict"])
    return error, 0


def large_clusters(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Probability of a wrong pass: each of the larger clusters fails whole with the probability `fails`.

    clusters: "90x1 10x5" for 90 clusters of one question and 10 of five; the margin is the expected loss.
    """
    (n_small, small), (n_large, large) = ([int(x) for x in part.split("x")] for part in cell["clusters"].split())
    M, N, q = n_small * small + n_large * large, cell["N"], cell["fails"]
    labels = [*np.repeat(np.arange(n_small), small), *n_small + np.repeat(np.arange(n_large), large)]
    how = {"margin": n_large * large * q / M, "questions": "sampled", "clusters": labels}
    error = 0.0
    for failed in range(n_large + 1):
        new = np.where((np.arange(M) >= n_small * small) & (np.arange(M) < n_small * small + failed * large), 0, N)
        if (p := float(binom.pmf(failed, n_large, q))) > NEGLIGIBLE:
            error += p * (sinf.gate(solved(new, N), solved(np.full(M, N), N), **how).verdict == "pass")
    return error, 0
