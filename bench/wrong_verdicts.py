"""How often gates give a wrong verdict in a cell of parameters: measures for hostile.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hostile_cells import Array, Cell, Rng, fixed_rates, share_of
from mistakes import columns, counted, metric
from scipy.stats import binom

from scorio import Counts, sinf


def deciding(cell: Cell) -> tuple[float, float, float]:
    """Share of the questions on which the candidate is worse, its drop there, and the baseline's rate there.

    Their product, of share and drop, is the margin. On the other questions the rate of both is cell["rest"].
    """
    drop = max(cell["drop"], cell["margin"])
    if cell["questions"] == "fixed":
        drop = cell["margin"] * cell["M"] / max(1, round(cell["margin"] * cell["M"] / drop))
        drop = drop if drop <= 1 else cell["margin"] * cell["M"] / (round(cell["margin"] * cell["M"]) + 1)
    return cell["margin"] / drop, drop, max(float(cell["rest"]), drop)


def passes(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of passes of candidates worse by the margin; exact where only the number of failing units matters."""
    share, drop, base = deciding(cell)
    M, size, fixed = cell["M"], cell.get("cluster", 1), cell["questions"] == "fixed"
    G = max(2, M // size)
    M, M2 = G * size, cell.get("M2", G * size)
    labels = np.repeat(np.arange(G), size) if "cluster" in cell else None
    how: dict[str, Any] = {"margin": cell["margin"], "questions": cell["questions"], "clusters": labels}
    how |= ({"paired": False} if "M2" in cell else {}) | {"confidence": cell.get("confidence", 0.95)}

    def errs(rows: Array, second: Array) -> bool:
        return sinf.gate(counted(rows), counted(second), *metric(cell), **how).verdict == "pass"

    def whole(failures: int) -> bool:
        c = cell["N"] * np.repeat(np.arange(G) >= failures, size)
        b = np.full(M2, cell["N2"])
        return errs(np.stack([c, np.full(M, cell["N"])], 1), np.stack([b, b], 1))

    if base == 1 and cell["rest"] == 1 and ((drop == 1 and not fixed) or (share == 1 and cell["N"] == 1)):
        return exactly(whole, G, share * drop), 0
    n, n2 = np.full((B, M), cell["N"]), np.full((B, M2), cell["N2"])
    worse, worse2 = (np.repeat(rng.random((B, x // size)) < share, size, 1) for x in (M, M2))
    if fixed:
        worse = np.broadcast_to(np.arange(M) < round(share * M), (B, M))
    worse2 = worse2 if "M2" in cell else worse
    a = columns(rng, np.where(worse, base - drop, cell["rest"]), n, B)
    b = columns(rng, np.where(worse2, base, cell["rest"]), n2, B)
    if labels is not None or "M2" in cell:
        return float(np.mean([errs(x, y) for x, y in zip(a, b, strict=True)])), B
    return share_of(np.concatenate([a, b], -1), lambda rows: errs(rows[:, :2], rows[:, 2:])), B


def passes_mixed(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Exact share of passes of a candidate that fails some questions whole, and one trial of each other question.

    Questions are sampled.
    """
    M, N, margin = cell["M"], cell["N"], cell["margin"]
    if margin * N <= 1:
        return 0.0, 0
    best = Counts.from_successes(np.full(M, N), np.full(M, N))

    def whole(failures: int) -> bool:
        new = Counts.from_successes(np.where(np.arange(M) < failures, 0, N - 1), np.full(M, N))
        return sinf.gate(new, best, margin=margin, questions="sampled").verdict == "pass"

    return exactly(whole, M, (margin * N - 1) / (N - 1)), 0


def one_whole(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of wrong verdicts where one model fails whole units, and the other each trial at a rate.

    The true difference is -margin; questions are sampled. Units: questions; clusters ("20x2 2x40": number x size); or
    questions of the first of several benchmarks ("50 500"). single: the share of the questions that have one trial;
    solved: the other model's success rate on the units that the first one fails (None: as on all others).
    """
    sizes = np.array([size for number, size in _pairs(cell.get("clusters", "")) for _ in range(number)], int)
    parts = np.array(cell.get("benchmarks", "").split(), int)
    M = int(sizes.sum() or parts.sum() or cell["M"])
    unit = np.repeat(np.arange(sizes.size), sizes) if sizes.size else np.arange(M)
    part = np.repeat(np.arange(parts.size), parts) if parts.size else np.zeros(M, int)
    n = np.where(np.arange(M) < cell.get("single", 0) * M, 1, cell["N"])
    margin, wrong = cell["margin"], cell["verdict"]  # pass: the candidate fails whole units; fail: the baseline does
    more, less, errors = cell["rate"] + margin, cell["rate"], 0
    share, other = (more, less) if wrong == "pass" else (less, more)
    there = 1 - other if cell.get("solved") is None else cell["solved"]
    other = other if cell.get("solved") is None else 1 - (1 - other - share * there) / (1 - share)  # the same average
    share *= max(parts.size, 1)
    if share > 1 or not 0 <= other <= 1:
        return 0.0, 0
    labels, how = unit if sizes.size else None, {"margin": margin, "questions": "sampled"}
    for _ in range(B):
        fails = (rng.random(M) < share)[unit] & (part == 0)
        whole, each = np.where(fails, 0, n), rng.binomial(n, np.where(fails, there, 1 - other))
        pair = (whole, each) if wrong == "pass" else (each, whole)
        if parts.size:
            new, base = ({i: Counts.from_successes(x[part == i], n[part == i]) for i in set(part)} for x in pair)
            decision: Any = sinf.gate_suite(new, base, rule="mean", **how).mean
        else:
            decision = sinf.gate(*(Counts.from_successes(x, n) for x in pair), clusters=labels, **how)
        errors += decision.verdict == wrong
    return errors / B, B


def _pairs(clusters: str) -> list[tuple[int, int]]:
    return [(int(number), int(size)) for number, size in (x.split("x") for x in clusters.split())]


def passes_k(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of passes on fixed questions where Pass@k is lower by the margin, only on the first kind of question."""
    p, which = fixed_rates(cell["kinds"], cell["M"])
    k, first = cell["k"], which == 0
    lower = (1 - (1 - p) ** k) - cell["margin"] * p.size / max(first.sum(), 1)
    if not first.any() or lower[first].min() < 0:
        return 0.0, 0
    q = np.where(first, 1 - (1 - np.clip(lower, 0, 1)) ** (1 / k), p)
    n = np.full(p.size, cell["N"])

    def errs(rows: Array) -> bool:
        how: dict[str, Any] = {"margin": cell["margin"], "questions": "fixed"}
        return sinf.gate(counted(rows), counted(rows, 2), "pass_at_k", k, **how).verdict == "pass"

    return share_of(np.concatenate([columns(rng, x, n, B) for x in (q, p)], -1), errs), B


def passes_suite(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Exact share of passes of a candidate that fails whole questions of one benchmark.

    This benchmark (rule "each") or the mean of all (rule "mean") is worse by the margin.
    """
    M, others, N = cell["M"], cell["others"], cell["N"]
    share = cell["margin"] * (others + 1 if cell["rule"] == "mean" else 1)
    if share > 1:
        return 0.0, 0
    best = {i: np.full(M if i == 0 else cell["M2"], N) for i in range(others + 1)}

    def whole(failures: int) -> bool:
        new = {**best, 0: N * (np.arange(M) >= failures)}
        a, b = ({i: Counts.from_successes(c, np.full(c.size, N)) for i, c in x.items()} for x in (new, best))
        decision = sinf.gate_suite(a, b, margin=cell["margin"], rule=cell["rule"], questions="sampled")
        return decision.verdict == "pass"

    return exactly(whole, M, share), 0


def exactly(errs: Callable[[int], bool], units: int, rate: float) -> float:
    """Probability of an error that depends only on how many of the units fail, each with probability rate."""
    probability = binom.pmf(np.arange(units + 1), units, rate)
    return float(sum(x for i, x in enumerate(probability) if x > 1e-9 and errs(i)))
