"""The worst cell of every statement about errors and coverage: searched for, not met by chance.

    python bench/hostile.py                    a search for each statement, a Markdown table
    python bench/hostile.py --short            only the cells that are known to be hostile; fails above the bounds
    python bench/hostile.py --statement gate   the statements whose names hold this; --list prints the names
    python bench/hostile.py --seconds 300      of processor time for each search; --json: lines for a program

A search draws cells of parameters (laws.py), moves from the worst of them, with few runs a cell, and then simulates
the worst ones anew with many runs, so that the maximum is no selection effect. Where only the number of failing units
decides, the error is exact: the verdicts of the package, weighted with binomial probabilities.
"""

from __future__ import annotations

import os

os.environ.setdefault("SCORIO_JIT", "1")  # thousands of calls: compile at once

import argparse
import asyncio
import inspect
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from laws import (
    Array,
    Cell,
    Kind,
    Rng,
    Space,
    any_cell,
    fixed_rates,
    moved,
    sampled_rates,
    share_of,
    shown,
    trials,
    worth,
)
from scipy.stats import binom, multinomial

from scorio import Answers, Counts, InvalidInput, eval, rank, sinf
from scorio.harness import EarlyStopping

# coverage.py beside this file is not the package of that name, which Numba imports if there is one
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
COVERAGE, TYPE_I, GATE = 0.085, 0.07, 0.03  # the bounds: 91.5% covered, 1.4 times 5%, 1.2 times 2.5%
RARE = 4  # sampled: units of each kind that are expected at least, for one that was not drawn cannot be accounted for
Measure = Callable[[Cell, Rng, int], tuple[float, int]]  # the share of runs that err, and the runs; 0 where exact


def counted(rows: Array, at: int = 0) -> Counts:
    """A model by two columns: successes and trials."""
    return Counts.from_successes(rows[:, at], rows[:, at + 1])


def metric(cell: Cell) -> tuple[Any, ...]:
    """The metric of a cell: the mean, or Pass@k."""
    return ("pass_at_k", cell["k"]) if "k" in cell else ()


def columns(rng: Rng, p: Array, n: Array, B: int) -> Array:
    """Successes and trials of B runs."""
    shape = p.shape if p.ndim == 2 else (B, p.size)
    return np.stack([rng.binomial(n, p, shape), np.broadcast_to(n, shape)], axis=-1)


def units(cell: Cell) -> float:
    """The units of the rarest kind that are expected."""
    size = cell.get("cluster", 1)
    total = sum(kind.share for kind in cell["kinds"])
    return min(kind.share for kind in cell["kinds"]) / total * cell["M"] / size


# --- intervals ----------------------------------------------------------------------------------------


def misses(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Intervals of one model that do not cover."""
    if cell["questions"] == "fixed":
        p, which = fixed_rates(cell["kinds"], cell["M"])
        truth = float((1 - (1 - p) ** cell.get("k", 1)).mean())
    else:
        size = cell.get("cluster", 1)
        p, which = sampled_rates(rng, cell["kinds"], (B, max(2, cell["M"] // size)))
        p, which = (np.repeat(x, size, axis=1) for x in (p, which))
        truth = worth(cell["kinds"], cell.get("k", 1))
    labels = np.repeat(np.arange(p.shape[-1] // cell["cluster"]), cell["cluster"]) if "cluster" in cell else None

    def errs(rows: Array) -> bool:
        r = eval.interval(counted(rows), *metric(cell), questions=cell["questions"], clusters=labels)
        return not r.lo - 1e-12 <= truth <= r.hi + 1e-12

    runs = columns(rng, p, trials(cell["kinds"], which, cell["N"]), B)
    if labels is None:
        return share_of(runs, errs), B
    return float(np.mean([errs(rows) for rows in runs])), B  # rows of a cluster stay together


def macro_misses(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Intervals of a macro-average that do not cover; parts: how many benchmarks, their questions, their rate."""
    sizes = [(M, rate) for copies, M, rate in cell["parts"] for _ in range(copies)]
    truth = float(np.mean([rate for _, rate in sizes]))
    ends = np.cumsum([0, *(M for M, _ in sizes)])
    p = np.concatenate([np.full(M, float(rate)) for M, rate in sizes])

    def errs(rows: Array) -> bool:
        parts = {i: {"model": counted(rows[a:b])} for i, (a, b) in enumerate(zip(ends, ends[1:], strict=False))}
        (r,) = sinf.suite(parts, questions=cell["questions"]).models
        return not r.lo - 1e-12 <= truth <= r.hi + 1e-12

    n = np.full(p.size, cell["N"])
    return float(np.mean([errs(rows) for rows in columns(rng, p, n, B)])), B


# --- two models that are equal ------------------------------------------------------------------------


def equal_models(cell: Cell, rng: Rng, B: int, many: int = 2) -> Array:
    """Successes and trials of models with the same metric; the others: same rates, rates of other questions, or one."""
    shape, kinds = (B, cell["M"]), cell["kinds"]
    fixed = cell["questions"] == "fixed"
    p, which = fixed_rates(kinds, cell["M"]) if fixed else sampled_rates(rng, kinds, shape)
    out = [columns(rng, p, trials(kinds, which, cell["N"]), B)]
    for _ in range(many - 1):
        q, n = p, np.full(p.shape, cell.get("N2", cell["N"]))
        if cell["other"] == "other questions":
            q = p[::-1] if fixed else sampled_rates(rng, kinds, shape)[0]
        elif cell["other"] == "flat":
            k = cell.get("k", 1)
            q = np.full(p.shape, 1 - (1 - (float((1 - (1 - p) ** k).mean()) if fixed else worth(kinds, k))) ** (1 / k))
        out.append(columns(rng, q, n, B))
    return np.concatenate(out, axis=-1)


def differ(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Equal models that are called different."""

    def errs(rows: Array) -> bool:
        x = sinf.compare(counted(rows), counted(rows, 2), *metric(cell), questions=cell["questions"])
        return bool(x.significant)

    return share_of(equal_models(cell, rng, B), errs), B


def separated(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Five equal models of which ranges separates two."""

    def errs(rows: Array) -> bool:
        models = {i: counted(rows, 2 * i) for i in range(5)}
        found = rank.ranges(models, *metric(cell), questions=cell["questions"])
        return any((x.best, x.worst) != (1, 5) for x in found.values())

    return share_of(equal_models(cell, rng, B, 5), errs), B


def unpaired(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Equal models on different questions of one population."""
    sides = []
    for M, N in ((cell["M"], cell["N"]), (cell["M2"], cell["N2"])):
        p, which = sampled_rates(rng, cell["kinds"], (B, M))
        sides.append(columns(rng, p, trials(cell["kinds"], which, N), B))
    wrong = sum(
        sinf.compare(counted(a), counted(b), questions="sampled", paired=False).significant
        for a, b in zip(*sides, strict=True)
    )
    return wrong / B, B


def over_suite(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Equal models that are called different over a suite; parts as in macro_misses, questions all right or all wrong
    where solved is 1.
    """
    sizes = [(M, rate) for copies, M, rate in cell["parts"] for _ in range(copies)]
    wrong = 0
    for _ in range(B):
        parts: dict[int, dict[str, Counts]] = {}
        for i, (M, rate) in enumerate(sizes):
            if cell["whole"]:
                c = [cell["N"] * rng.binomial(1, rate, M) for _ in "ab"]
            else:
                c = [rng.binomial(cell["N"], rate, M) for _ in "ab"]
            parts[i] = {x: Counts.from_successes(y, np.full(M, cell["N"])) for x, y in zip("ab", c, strict=True)}
        wrong += sinf.suite(parts, questions=cell["questions"]).pairs[0].significant
    return wrong / B, B


def looks(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Equal models that Monitor calls different at a look after each trial from the first on."""
    p, _ = fixed_rates(cell["kinds"], cell["M"])
    wrong, ones = 0, np.ones(p.size, int)
    first = cell.get("k", 1)
    for _ in range(B):
        a, b = (np.cumsum(rng.random((cell["N"], p.size)) < p, axis=0) for _ in "ab")
        name = {"metric": "pass_at_k", "k": cell["k"]} if "k" in cell else {}
        m = sinf.Monitor(cell["N"], questions="fixed", **name)
        for n in range(first, cell["N"] + 1):
            if (x := m.look(*(Counts.from_successes(y[n - 1], n * ones) for y in (a, b)))).stop:
                wrong += x.verdict == "different"
                break
    return wrong / B, B


def stops(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Runs that equal their baseline and are stopped as different; failures take longer, so many samples at a time."""
    p, _ = fixed_rates(cell["kinds"], cell["M"])
    M, N, wrong = p.size, cell["N"], 0
    for _ in range(B):
        base = Counts.from_successes(rng.binomial(N, p), np.full(M, N)).table.tolist()
        stop = EarlyStopping({i: [0] * f + [1] * s for i, (f, s) in enumerate(base)})
        asyncio.run(stop.begin(range(M), N))
        R = (rng.random((N, M)) < p).astype(int)
        took = np.where(R, 1.0, cell["slower"]) * rng.uniform(0.9, 1.1, R.shape)
        free, done = np.zeros(cell["at once"]), []
        for place, t in enumerate(took.ravel()):  # by epochs, as inspect_ai schedules them
            i = int(free.argmin())
            free[i] += t
            done.append((free[i], place))
        for _, place in sorted(done):
            if stop.reason is None:
                stop.add(place % M, place // M + 1, int(R[place // M, place % M]))
        wrong += stop.last is not None and stop.last.verdict == "different"
    return wrong / B, B


# --- gates ------------------------------------------------------------------------------------------


def deciding(cell: Cell) -> tuple[float, float, float]:
    """(share of the questions on which the candidate is worse, its drop there, the baseline's rate there)."""
    drop = max(cell["drop"], cell["margin"])
    if cell["questions"] == "fixed":
        drop = cell["margin"] * cell["M"] / max(1, round(cell["margin"] * cell["M"] / drop))
        drop = drop if drop <= 1 else cell["margin"] * cell["M"] / (round(cell["margin"] * cell["M"]) + 1)
    return cell["margin"] / drop, drop, max(float(cell["rest"]), drop)


def passes(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Candidates that are worse by the margin, and pass; exact where only the number of failing units matters."""
    share, drop, base = deciding(cell)
    M, size, fixed = cell["M"], cell.get("cluster", 1), cell["questions"] == "fixed"
    G = max(2, M // size)
    M, M2 = G * size, cell.get("M2", G * size)
    labels = np.repeat(np.arange(G), size) if "cluster" in cell else None
    how: dict[str, Any] = {"margin": cell["margin"], "questions": cell["questions"], "clusters": labels}
    how |= {"paired": False} if "M2" in cell else {}

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


def passes_k(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Candidates whose Pass@k is lower by the margin, all of it in the first kind of question, and pass; fixed."""
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
    """A candidate fails whole questions of one benchmark, so that the mean (or that benchmark) is worse by the margin."""
    M, others, N = cell["M"], cell["others"], cell["N"]
    share = cell["margin"] * (others + 1 if cell["rule"] == "mean" else 1)
    if share > 1:
        return 0.0, 0
    best = {i: np.full(M if i == 0 else cell["M2"], N) for i in range(others + 1)}

    def whole(failures: int) -> bool:
        new = {**best, 0: N * (np.arange(M) >= failures)}
        a, b = ({i: Counts.from_successes(c, np.full(c.size, N)) for i, c in x.items()} for x in (new, best))
        found = sinf.gate_suite(a, b, margin=cell["margin"], rule=cell["rule"], questions="sampled")
        return found.verdict == "pass"

    return exactly(whole, M, share), 0


def exactly(errs: Callable[[int], bool], units: int, rate: float) -> float:
    """The probability of an error that depends on a binomial number."""
    probability = binom.pmf(np.arange(units + 1), units, rate)
    return float(sum(x for i, x in enumerate(probability) if x > 1e-9 and errs(i)))


# --- votes, laws beyond the trials, judges --------------------------------------------------------------


def vote(p: tuple[float, float, float], k: int) -> float:
    """The value of Plurality@k of three answers with these rates, the first one right; ties are even."""
    r, w = (x.ravel() for x in np.meshgrid(np.arange(k + 1), np.arange(k + 1)))
    x = np.stack([r, w, k - r - w], 1)[r + w <= k]
    top = x.max(1)
    wins = np.where(x[:, 0] == top, 1 / (x == top[:, None]).sum(1), 0.0)
    return float(wins @ multinomial.pmf(x, k, p))


def votes(cell: Cell, rng: Rng, B: int, models: int = 1) -> tuple[float, int]:
    """Intervals of a vote that do not cover, or equal models that are called different; one law for all questions."""
    p = (cell["right"], cell["wrong"] * (1 - cell["right"]), (1 - cell["wrong"]) * (1 - cell["right"]))
    truth = vote(p, cell["N"])
    runs = rng.multinomial(cell["N"], p, (B, cell["M"], models)).reshape(B, cell["M"], 3 * models)

    def answers(rows: Array) -> Answers:
        return Answers([["r"] * a + ["w"] * b + ["o"] * c for a, b, c in rows.tolist()], ["r"] * len(rows))

    def errs(rows: Array) -> bool:
        if models == 2:
            x, y = answers(rows[:, :3]), answers(rows[:, 3:])
            return bool(sinf.compare(x, y, "plurality_at_k", cell["N"], questions="fixed").significant)
        r = eval.interval(answers(rows), "plurality_at_k", cell["N"], questions="fixed")
        return not r.lo - 1e-12 <= truth <= r.hi + 1e-12

    return share_of(runs, errs), B


def impossible(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Fitted laws that contradict the data: limits or a value outside those of the band, or a Pass@k that falls with k."""
    N = cell["N"]
    p, _ = sampled_rates(rng, cell["kinds"], (B, cell["M"]))

    def errs(rows: Array) -> bool:
        try:
            fits = [eval.extrapolate_model(counted(rows), "pass_at_k", k * N) for k in (2, 8)]
        except InvalidInput:  # all outcomes are equal
            return False
        bands = [eval.extrapolate(counted(rows), "pass_at_k", k * N) for k in (2, 8)]
        ends = [np.array([np.nan if x is None else x for x in (r.value, r.lo, r.hi)], float) for r in fits]
        out = any((x < b.low - 1e-9).any() or (x > b.high + 1e-9).any() for x, b in zip(ends, bands, strict=True))
        return out or bool((ends[1] < ends[0] - 1e-9).any())

    return share_of(columns(rng, p, np.full(p.shape, N), B), errs), B


def advised(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Intervals of the mean that do not cover once questions with few successes have more trials, as is advised."""
    p, _ = fixed_rates(cell["kinds"], cell["M"])
    truth, N, wrong = float(p.mean()), cell["N"], 0
    apart = "more" in inspect.signature(eval.extrapolate).parameters  # the further trials have an argument of their own
    for _ in range(B):
        c = rng.binomial(N, p)
        n = np.where((c <= 2) & (not apart), N + cell["more"], N)
        r = eval.interval(Counts.from_successes(c + rng.binomial(n - N, p), n), questions="fixed")
        wrong += not r.lo - 1e-12 <= truth <= r.hi + 1e-12
    return wrong / B, B


def judged(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Intervals of a mean corrected by labels that do not cover it in the population."""
    M, wrong = cell["M"], 0
    for _ in range(B):
        truth = (rng.random(M) < cell["mean"]).astype(float)
        right = rng.random(M) < np.where(truth == 1, cell["sensitivity"], cell["specificity"])
        labels = np.where(rng.permutation(M) < cell["labels"], truth, np.nan)
        verdicts = np.where(right, truth, 1 - truth).astype(int)
        r = eval.judged(verdicts[:, None], labels[:, None], questions="sampled")
        wrong += not r.lo - 1e-12 <= cell["mean"] <= r.hi + 1e-12
    return wrong / B, B


# --- the statements -----------------------------------------------------------------------------------


class Statement(NamedTuple):
    """What is printed, with its nominal error; the bound on the worst cell; how it is measured, where, known cells."""

    name: str
    nominal: float
    bound: float | None  # None: no rule mends it, and the manual says for which laws it is true
    measure: Measure
    space: Space
    known: tuple[Cell, ...]
    allowed: Callable[[Cell], bool] = lambda cell: True
    runs: int = 300  # of --short, at least


ANY: tuple[Any, ...] = ("any",)
SIZE, FEW = (10, 20, 30, 50, 100, 200, 400), (1, 2, 4, 8, 16)
OTHER = ("same", "other questions", "flat")
TWO = (Kind(0.8, 0.03), Kind(0.2, 1))
SMOOTH = (Kind(0.8, 1 / 31, 31.0), Kind(0.2, 0.9756, 20.5))
FIX, DRAWN = {"questions": ("fixed",)}, {"questions": ("sampled",)}


def cell(*kinds: Kind, **more: Any) -> Cell:
    """A cell of these kinds."""
    return {"kinds": kinds, **more} if kinds else more


def short_k(x: Cell) -> bool:
    """k <= N < 2k."""
    return bool(x["k"] <= x["N"] < 2 * x["k"])


def drawn(x: Cell) -> bool:
    """No kind is so rare that often none is drawn."""
    return units(x) >= RARE


PASS: Space = {"kinds": ANY, **FIX, "M": SIZE, "N": (2, 3, 4, 6, 8, 12, 16), "k": (2, 3, 4, 6, 8, 12, 16)}
MANY = {**PASS, "other": OTHER}
LAW8 = {"questions": "fixed", "M": 100, "N": 8, "k": 8}
MEAN: Space = {"kinds": ANY, **FIX, "M": SIZE, "N": (2, 4, 8, 16, 64), "other": OTHER}
OWN: Space = {"kinds": ("trials",), **FIX, "M": SIZE, "N": (2, 4, 8, 16)}
HALF = (Kind(0.1, 0.5, None, 1), Kind(0.9, 1, None, 8))
PARTS = tuple(((1, a, p), (b, c, q)) for p in (0.1, 0.3, 0.5, 0.7) for a in (10, 15, 30, 50, 100)
              for b in (2, 4, 9) for c in (100, 300, 500) for q in (0.9, 0.95, 0.98, 0.99))  # fmt: skip
PARTS += tuple(((b, c, q),) for b in (2, 3, 5, 10) for c in (10, 20, 30, 100) for q in (0.5, 0.9, 0.95, 0.98, 0.99))
MARGIN = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
CLIFF: Space = {**DRAWN, "M": (*range(20, 401, 5),), "margin": MARGIN, "drop": (1,), "rest": (1,), "N": (1, 4)}
CLIFF |= {"N2": (1, 4)}
DROPS = {"drop": (0.01, 0.05, 0.1, 0.2, 0.5, 1), "rest": (1, 0.99, 0.9, 0.5, 0.1, 0), "N": FEW, "N2": FEW}
FALL = {"questions": "sampled", "drop": 1, "rest": 1, "N": 4, "N2": 4}
SUITE: Space = {"M": (*range(20, 201, 10),), "M2": (20, 50, 100, 500), "others": (1, 2, 4, 9), "N": (1, 4)}
SUITE |= {"margin": MARGIN}
VOTES: Space = {"M": (30, 100, 300), "N": (2, 4, 8, 16), "right": (0.3, 0.4, 0.45, 0.5)}
VOTES |= {"wrong": (0.5, 0.6, 0.82, 0.9, 1)}
SLOW = {"M": (10, 20, 30, 60, 120), "N": (2, 4, 8, 16), "slower": (1, 2, 5, 20), "at once": (1, 10, 60, 240, 2000)}

STATEMENTS = (
    Statement("interval, Pass@k, fixed, N < 2k", 0.05, COVERAGE, misses, PASS,
              (cell(*TWO, **LAW8), cell(*SMOOTH, **{**LAW8, "k": 6})), short_k),
    Statement("compare, Pass@k, fixed, N < 2k", 0.05, TYPE_I, differ, MANY,
              (cell(*TWO, **LAW8, other="same"), cell(*SMOOTH, **{**LAW8, "k": 6}, other="same")), short_k),
    Statement("ranges, Pass@k, fixed, five equal models, N < 2k", 0.05, TYPE_I, separated, MANY,
              (cell(*TWO, **LAW8, other="same"),), short_k),
    Statement("Monitor, Pass@k, equal models, k to N trials", 0.05, TYPE_I, looks,
              {"kinds": ANY, "M": SIZE, "N": (4, 6, 8, 12), "k": (2, 4, 6, 8)},
              (cell(*TWO, M=100, N=8, k=8), cell(*TWO, M=100, N=12, k=8)), lambda x: bool(x["k"] <= x["N"])),
    Statement("interval, Pass@k, fixed, 2k <= N", 0.05, COVERAGE, misses, PASS, (cell(*TWO, **{**LAW8, "k": 4}),),
              lambda x: bool(2 * x["k"] <= x["N"])),
    Statement("interval, mean, fixed", 0.05, COVERAGE, misses, {x: y for x, y in MEAN.items() if x != "other"},
              (cell(*TWO, questions="fixed", M=100, N=8),)),
    Statement("interval, mean, fixed, unequal trials", 0.05, COVERAGE, misses, OWN,
              (cell(*HALF, questions="fixed", M=100, N=8),
               cell(Kind(0.2, 0.5, None, 2), Kind(0.8, 0, None, 16), questions="fixed", M=100, N=8)), runs=1500),
    Statement("compare, mean, fixed", 0.05, TYPE_I, differ, MEAN,
              (cell(*TWO, questions="fixed", M=100, N=8, other="same"),)),
    Statement("compare, mean, fixed, unequal trials", 0.05, TYPE_I, differ,
              {**OWN, "N2": (1, 2, 4, 16), "other": OTHER},
              (cell(*HALF, questions="fixed", M=100, N=8, N2=8, other="same"),)),
    Statement("compare, mean, sampled, models alike", 0.05, TYPE_I, differ,
              {**MEAN, **DRAWN, "N": FEW, "other": ("same", "other questions")},
              (cell(Kind(0.9, 0.9), Kind(0.1, 0), questions="sampled", M=30, N=4, other="other questions"),)),
    Statement("compare, mean, sampled, unequal shapes", 0.05, None, differ,
              {**MEAN, **DRAWN, "N": FEW, "other": ("flat",)},
              (cell(Kind(0.975, 1), Kind(0.025, 0), questions="sampled", M=100, N=1, other="flat"),
               cell(Kind(0.975, 1), Kind(0.025, 0), questions="sampled", M=100, N=8, other="flat"))),
    Statement("compare, paired=False", 0.05, TYPE_I, unpaired,
              {"kinds": ANY, "M": (5, 8, 10, 15, 20, 30), "M2": (10, 30, 100, 300), "N": FEW, "N2": FEW},
              (cell(Kind(1, 0.1, 1.0), M=10, M2=100, N=1, N2=1), cell(Kind(1, 1 / 11, 0.55), M=15, M2=300, N=1, N2=1)),
              lambda x: units({**x, "M": min(x["M"], x["M2"])}) >= RARE / 4),
    Statement("interval, mean, sampled", 0.05, COVERAGE, misses,
              {"kinds": ANY, **DRAWN, "M": SIZE, "N": (1, 2, 4, 8, 64)},
              (cell(Kind(0.9, 0.9), Kind(0.1, 0), questions="sampled", M=10, N=64),
               cell(Kind(0.9, 0.9), Kind(0.1, 0), questions="sampled", M=40, N=64)), drawn),
    Statement("interval, mean, sampled, a kind that often is not drawn", 0.05, None, misses,
              {"kinds": ANY, **DRAWN, "M": SIZE, "N": (1, 2, 4, 8, 64)},
              (cell(Kind(0.95, 0.05), Kind(0.05, 1), questions="sampled", M=30, N=64),)),
    Statement("interval, mean, sampled, clusters", 0.05, COVERAGE, misses,
              {"kinds": ANY, **DRAWN, "M": (60, 120, 240, 480), "cluster": (2, 5, 10, 20), "N": (1, 4)},
              (cell(Kind(0.7, 0.8), Kind(0.3, 0), questions="sampled", M=240, cluster=20, N=4),), drawn),
    Statement("interval, mean, sampled, a kind of cluster that often is not drawn", 0.05, None, misses,
              {"kinds": ANY, **DRAWN, "M": (60, 120, 240, 480), "cluster": (2, 5, 10, 20), "N": (1, 4)},
              (cell(Kind(0.9, 0.8), Kind(0.1, 0), questions="sampled", M=240, cluster=20, N=4),)),
    Statement("macro-average of one model", 0.05, COVERAGE, macro_misses,
              {"parts": PARTS, "questions": ("fixed", "sampled"), "N": (1, 2, 4)},
              tuple(cell(parts=x, questions="sampled", N=1) for x in
                    (((1, 30, 0.5), (4, 500, 0.95)), ((1, 10, 0.1), (4, 100, 0.99)), ((5, 30, 0.99),)))),
    Statement("suite, equal models", 0.05, TYPE_I, over_suite,
              {"parts": PARTS, "questions": ("fixed", "sampled"), "N": (1, 2, 4), "whole": (0, 1)},
              (cell(parts=((1, 30, 0.5), (4, 100, 0.95)), questions="sampled", N=1, whole=1),),
              lambda x: not x["whole"] or x["questions"] == "sampled"),
    Statement("gate, sampled, whole questions fail", 0.025, GATE, passes, CLIFF, (cell(**FALL, M=125, margin=0.02),)),
    Statement("gate, sampled, any drop", 0.025, GATE, passes,
              {**CLIFF, **DROPS, "M": SIZE}, (cell(**{**FALL, "N": 1, "N2": 1, "drop": 0.5}, M=100, margin=0.02),)),
    Statement("gate, sampled, whole clusters fail", 0.025, GATE, passes,
              {**CLIFF, "M": (*range(40, 801, 20),), "cluster": (2, 5, 10, 20)},
              (cell(**FALL, M=400, cluster=20, margin=0.05), cell(**FALL, M=300, cluster=10, margin=0.05))),
    Statement("gate, fixed", 0.025, GATE, passes, {**CLIFF, **FIX, **DROPS, "N": FEW[1:], "N2": FEW[1:], "M": SIZE},
              tuple(cell(questions="fixed", M=100, margin=x, drop=x, rest=1, N=n, N2=n)
                    for x, n in ((0.05, 2), (0.02, 8))), runs=4000),
    Statement("gate, one trial", 0.025, GATE, passes, {**CLIFF, **FIX, **DROPS, "N": (1,), "N2": (1,), "M": SIZE},
              (cell(questions="fixed", M=125, margin=0.02, drop=0.02, rest=1, N=1, N2=1),)),
    Statement("gate, paired=False", 0.025, GATE, passes, {**CLIFF, "M": SIZE, "M2": SIZE},
              (cell(**FALL, M=100, M2=100, margin=0.02), cell(**FALL, M=50, M2=50, margin=0.05))),
    Statement("gate, Pass@k, fixed, N < 2k", 0.025, GATE, passes_k, {**PASS, "margin": MARGIN},
              (cell(*TWO, **LAW8, margin=0.05),), short_k),
    Statement("gate over a suite, the mean", 0.025, GATE, passes_suite, {**SUITE, "rule": ("mean",)},
              (cell(M=40, M2=100, others=4, margin=0.02, N=1, rule="mean"),)),
    Statement("gate over a suite, each", 0.025, GATE, passes_suite, {**SUITE, "rule": ("each",)},
              (cell(M=125, M2=500, others=4, margin=0.02, N=1, rule="each"),)),
    Statement("Monitor, mean, equal models", 0.05, TYPE_I, looks, {"kinds": ANY, "M": SIZE, "N": (4, 8, 16)},
              (cell(*TWO, M=30, N=8),)),
    Statement("EarlyStopping, equal to its baseline", 0.05, TYPE_I, stops, {"kinds": ANY, **SLOW},
              (cell(Kind(1, 0.5, 2.0), M=30, N=8, slower=5, **{"at once": 240}),
               cell(Kind(1, 0.5, 2.0), M=30, N=8, slower=5, **{"at once": 60}))),
    Statement("interval, plurality@k, k = N", 0.05, None, votes, VOTES,
              (cell(M=100, N=16, right=0.45, wrong=0.818),)),
    Statement("compare, plurality@k, k = N", 0.05, None, partial(votes, models=2), VOTES,
              (cell(M=100, N=16, right=0.45, wrong=0.818),)),
    Statement("fitted law inside the band, rising with k", 0.0, 0.0, impossible,
              {"kinds": ANY, "M": (20, 40, 100, 200), "N": (4, 8, 16)}, (cell(Kind(1, 0.6, 2.0), M=40, N=8),)),
    Statement("average, after the trials that extrapolate advises", 0.05, COVERAGE, advised,
              {"kinds": ANY, "M": (50, 100, 500), "N": (4, 8), "more": (4, 12, 40)},
              (cell(Kind(1, 0.25, 4.0), M=100, N=4, more=12), cell(Kind(1, 0.2308, 1.3), M=500, N=4, more=12))),
    Statement("judged, sampled", 0.05, None, judged,
              {"mean": (0.5, 0.7, 0.9, 0.95, 0.97, 0.98, 0.99), "labels": (10, 20, 30, 50, 100, 200),
               "M": (100, 300, 1000), "sensitivity": (0.5, 0.8, 0.9, 0.98, 1), "specificity": (0.2, 0.5, 0.8, 0.95, 1)},
              (cell(**{"mean": 0.98}, labels=20, M=500, sensitivity=0.95, specificity=0.8),),
              lambda x: x["labels"] < x["M"]),
)  # fmt: skip


# --- the search ---------------------------------------------------------------------------------------


class Worst(NamedTuple):
    """The worst cell of a statement and its error; runs is 0 where it is exact."""

    statement: Statement
    cell: Cell
    error: float
    runs: int

    @property
    def deviation(self) -> float:
        """The Monte Carlo standard error."""
        return float((self.error * (1 - self.error) / self.runs) ** 0.5) if self.runs else 0.0

    def row(self) -> str:
        """A line of the table."""
        x = self.statement
        measured = f"{100 * self.error:.1f}" + (f" ± {100 * self.deviation:.1f}" if self.runs else " exact")
        bound = "stated" if x.bound is None else f"{100 * x.bound:.3g}"
        return f"| {x.name} | {100 * x.nominal:g} | {bound} | {shown(self.cell)} | {measured} | {self.runs or ''} |"


def search(x: Statement, seconds: float, seed: int, runs: int) -> Worst:
    """The worst cell that is found: known ones and any, then moves from the worst, then many fresh runs."""
    rng, end = np.random.default_rng([seed, 1]), process_time() + seconds
    tried: list[tuple[float, int, Cell]] = []

    def attempt(cell: Cell, few: int) -> float:
        error, B = x.measure(cell, rng, few)
        tried.append((error, B, cell))
        return error

    for cell in x.known:
        attempt(cell, 200)
    while process_time() < end - 0.6 * seconds:
        if x.allowed(cell := any_cell(rng, x.space)):
            attempt(cell, 60)
    tried.sort(key=lambda t: -t[0])
    starts = [(attempt(cell, 150), cell) for _, _, cell in tried[:8]]
    while process_time() < end:
        i = int(rng.integers(len(starts)))
        cell = moved(rng, starts[i][1], x.space)
        if x.allowed(cell) and (error := attempt(cell, 150)) >= starts[i][0]:
            starts[i] = (max(attempt(cell, 150), 0.0) / 2 + error / 2, cell)  # once more: not by luck
    last = sorted(starts, key=lambda t: -t[0])[:4] + [(0.0, cell) for cell in x.known]
    again = [Worst(x, cell, *x.measure(cell, np.random.default_rng([seed, 2, i]), runs // 4))
             for i, (_, cell) in enumerate(last)]  # fmt: skip
    worst = max(again, key=lambda w: w.error)
    return Worst(x, worst.cell, *x.measure(worst.cell, np.random.default_rng([seed, 3]), runs))


def known(x: Statement, seed: int, runs: int) -> list[Worst]:
    """The cells that are known to be hostile."""
    return [Worst(x, cell, *x.measure(cell, np.random.default_rng([seed, i]), runs)) for i, cell in enumerate(x.known)]


def main() -> None:
    """Print the table; fail where a bound is passed by more than three Monte Carlo errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="the known cells only")
    parser.add_argument("--statement", default="", metavar="NAME", help="statements whose names hold this")
    parser.add_argument("--seconds", type=float, default=60, help="of processor time for each search")
    parser.add_argument("--runs", type=int, help="of the worst cells")
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--json", action="store_true", help="a line of JSON for each cell")
    parser.add_argument("--list", action="store_true", help="the names of the statements")
    options = parser.parse_args()
    chosen = [x for x in STATEMENTS if options.statement.lower() in x.name.lower()]
    if options.list:
        print("\n".join(x.name for x in chosen))
        return
    if not options.json:
        print("| statement | nominal | bound | cell | error in % | runs |\n|" + "---|" * 6)
    wrong = []
    for x in chosen:
        runs = options.runs or (x.runs if options.short else 4000)
        found = known(x, options.seed, runs) if options.short else [search(x, options.seconds, options.seed, runs)]
        for worst in found:
            line = {"statement": x.name, "nominal": x.nominal, "bound": x.bound, "cell": shown(worst.cell)}
            line |= {"error": worst.error, "deviation": worst.deviation, "runs": worst.runs}
            print(json.dumps(line) if options.json else worst.row(), flush=True)
            slack = 3 * (x.bound * (1 - x.bound) / worst.runs) ** 0.5 if worst.runs and x.bound is not None else 1e-9
            if x.bound is not None and worst.error > x.bound + slack:
                wrong.append(f"{x.name}: {100 * worst.error:.1f}% is above {100 * x.bound:.3g}%")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
