"""How often intervals, and decisions between models, err in a cell of parameters: measures for hostile.py.

Parameters of a cell: kinds of question (hostile_cells.py), M questions and N trials of each; M2 and N2, those of the
second model (of all others); k of Pass@k; cluster, the number of questions of a cluster; share, the share of the
questions on which the second model's rate is lower, by drop. The functions explain the others, as does bench/METHOD.md
("Searches for the worst cell").
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from hostile_cells import Array, Cell, Rng, fixed_rates, mean_pass_at_k, sampled_rates, share_of, trials

from scorio import Counts, eval, rank, sinf
from scorio.harness import EarlyStopping

# From a cell, a generator and a number of runs: the share of runs that err, and how many were made (0: exact, or none).
Measure = Callable[[Cell, Rng, int], tuple[float, int]]


def counted(rows: Array, at: int = 0) -> Counts:
    """Counts of a model from two columns of rows: successes (column at) and trials (the next one)."""
    return Counts.from_successes(rows[:, at], rows[:, at + 1])


def metric(cell: Cell) -> tuple[Any, ...]:
    """Arguments that name the metric of a cell: none for the average; Pass@k and k; or the flip rate."""
    if "flips" in cell:
        return ("flip_rate",)
    return ("pass_at_k", cell["k"]) if "k" in cell else ()


def columns(rng: Rng, p: Array, n: Array, B: int) -> Array:
    """Successes and trials of every question in B runs, shape (B, M, 2); p: success rates (M,) or (B, M)."""
    shape = p.shape if p.ndim == 2 else (B, p.size)
    return np.stack([rng.binomial(n, p, shape), np.broadcast_to(n, shape)], axis=-1)


def units(cell: Cell) -> float:
    """The expected number of units (questions or clusters) of the rarest kind."""
    size = cell.get("cluster", 1)
    total = sum(kind.share for kind in cell["kinds"])
    return min(kind.share for kind in cell["kinds"]) / total * cell["M"] / size


# --- intervals ----------------------------------------------------------------------------------------


def misses(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of intervals of one model that miss the true value."""
    if cell["questions"] == "fixed":
        p, which = fixed_rates(cell["kinds"], cell["M"])
        truth = float((2 * p * (1 - p) if "flips" in cell else 1 - (1 - p) ** cell.get("k", 1)).mean())
    else:
        size = cell.get("cluster", 1)
        p, which = sampled_rates(rng, cell["kinds"], (B, max(2, cell["M"] // size)))
        p, which = (np.repeat(x, size, axis=1) for x in (p, which))
        truth = mean_pass_at_k(cell["kinds"], cell.get("k", 1))
    labels = np.repeat(np.arange(p.shape[-1] // cell["cluster"]), cell["cluster"]) if "cluster" in cell else None

    def errs(rows: Array) -> bool:
        r = eval.interval(counted(rows), *metric(cell), questions=cell["questions"], clusters=labels)
        return not r.lo - 1e-12 <= truth <= r.hi + 1e-12

    runs = columns(rng, p, trials(cell["kinds"], which, cell["N"]), B)
    if labels is None:
        return share_of(runs, errs), B
    return float(np.mean([errs(rows) for rows in runs])), B  # share_of would sort the rows, and so mix the clusters


def macro_misses(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of intervals of a macro-average that miss it; parts: how many benchmarks, their questions, their rate."""
    sizes = [(M, rate) for copies, M, rate in cell["parts"] for _ in range(copies)]
    truth = float(np.mean([rate for _, rate in sizes]))
    ends = np.cumsum([0, *(M for M, _ in sizes)])
    p = np.concatenate([np.full(M, float(rate)) for M, rate in sizes])

    def errs(rows: Array) -> bool:
        parts = {i: {"model": counted(rows[a:b])} for i, (a, b) in enumerate(pairwise(ends))}
        (r,) = sinf.suite(parts, questions=cell["questions"]).models
        return not r.lo - 1e-12 <= truth <= r.hi + 1e-12

    n = np.full(p.size, cell["N"])
    return float(np.mean([errs(rows) for rows in columns(rng, p, n, B)])), B


# --- two models that are equal ------------------------------------------------------------------------


def equal_models(cell: Cell, rng: Rng, B: int, many: int = 2) -> Array:
    """Successes and trials of equal models, two columns each: shape (B, M, 2 * many).

    The models after the first have its rates ("same"), those of other questions, or one rate with the same metric
    ("flat"), as cell["other"] says, and N2 trials (default N) of every question, whatever its kind.
    """
    size, kinds = cell.get("cluster", 1), cell["kinds"]
    fixed = cell["questions"] == "fixed"

    def sampled() -> tuple[Array, Array]:
        p, which = sampled_rates(rng, kinds, (B, max(2, cell["M"] // size)))
        return np.repeat(p, size, 1), np.repeat(which, size, 1)

    p, which = fixed_rates(kinds, cell["M"]) if fixed else sampled()
    out = [columns(rng, p, trials(kinds, which, cell["N"]), B)]
    for _ in range(many - 1):
        q, n = p, np.full(p.shape, cell.get("N2", cell["N"]))
        if cell["other"] == "other questions":
            q = p[::-1] if fixed else sampled()[0]
        elif cell["other"] == "flat":
            k = cell.get("k", 1)
            average = float((1 - (1 - p) ** k).mean()) if fixed else mean_pass_at_k(kinds, k)
            q = np.full(p.shape, 1 - (1 - average) ** (1 / k))
        out.append(columns(rng, q, n, B))
    return np.concatenate(out, axis=-1)


def differ(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of runs in which two equal models are called different."""
    runs = equal_models(cell, rng, B)
    labels = np.arange(runs.shape[1]) // cell["cluster"] if "cluster" in cell else None

    def errs(rows: Array) -> bool:
        how = {"questions": cell["questions"], "clusters": labels, "guard": cell.get("guard", 0.0)}
        return bool(sinf.compare(counted(rows), counted(rows, 2), *metric(cell), **how).significant)

    if labels is None:
        return share_of(runs, errs), B
    return float(np.mean([errs(rows) for rows in runs])), B  # share_of would sort the rows, and so mix the clusters


def retried(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of runs in which equal models differ significantly, if questions whose trials all fail get more trials.

    These further trials are given to the first model, or to both.
    """
    p, _ = fixed_rates(cell["kinds"], cell["M"])
    models = []
    for is_retried in (True, cell["both"]):
        x = columns(rng, p, np.full(p.size, cell["N"]), B)
        failed = (x[..., 0] == 0) & is_retried
        more = columns(rng, p, np.full(p.size, cell["retries"]), B)
        models.append(x + more * failed[..., None])
    runs = np.concatenate(models, axis=-1)
    how = {"questions": "fixed"}
    return share_of(runs, lambda x: bool(sinf.compare(counted(x), counted(x, 2), *metric(cell), **how).significant)), B


def overlooked(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of planned comparisons that miss the difference; the plan, for power 80%, is made from 100,000 questions.

    Plans of more than 1,000 questions are not measured.
    """

    def rows(M: int, runs: int) -> Array:
        p, _ = sampled_rates(rng, cell["kinds"], (runs, M))
        low = np.where(rng.random((runs, M)) < cell["share"], np.maximum(p - cell["drop"], 0), p)
        n = np.full((runs, M), cell["N"])
        return np.concatenate([columns(rng, x, n, runs) for x in (p, low)], -1)

    def significant(x: Array) -> bool:
        return bool(sinf.compare(counted(x), counted(x, 2), questions="sampled").significant)

    (pilot,) = rows(100_000, 1)
    needed = sinf.questions_needed(counted(pilot), counted(pilot, 2))
    if needed is None or needed > 1000:
        return 0.0, 0
    return share_of(rows(needed, B), lambda x: not significant(x)), B


def lowered(cell: Cell) -> tuple[Array, Array]:
    """Rates of two models on fixed questions: those of the second are lower on a share of them, spread evenly."""
    p, _ = fixed_rates(cell["kinds"], cell["M"])
    steps = np.floor(np.arange(p.size + 1) * cell["share"] + 0.5)
    return p, np.where(np.diff(steps) > 0, np.maximum(p - cell["drop"], 0), p)


def piloted(cell: Cell) -> bool:
    """Whether at least five successes and five failures are expected in the pilots, and both have 2k trials or more."""
    n = np.array([cell["N"], cell["N2"]])
    wrong = n @ [(1 - p).sum() for p in lowered(cell)]
    return bool(5 <= wrong <= cell["M"] * n.sum() - 5 and n.min() >= 2 * cell["k"])


def piloted_blocks(cell: Cell) -> bool:
    """Whether piloted() holds, and the number of successful blocks of k trials of the pilots has a variance >= 5."""
    n, fails = np.array([cell["N"], cell["N2"]]) / cell["k"], [(1 - p) ** cell["k"] for p in lowered(cell)]
    return bool(piloted(cell) and n @ [(x * (1 - x)).sum() for x in fails] >= 5)


def overlooked_by_trials(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of comparisons that miss the true difference, at the trials that pilots plan for it with power 80%."""
    rates, k = lowered(cell), cell["k"]
    a, b = (float((1 - (1 - p) ** k).mean()) for p in rates)
    if a - b < 1e-6:
        return 0.0, 0
    missed = 0
    for _ in range(B):
        pilots = [counted(columns(rng, p, np.full(p.size, n), 1)[0])
                  for p, n in zip(rates, (cell["N"], cell["N2"]), strict=True)]  # fmt: skip
        needed = sinf.trials_needed(*pilots, metric="pass_at_k", k=k, difference=a - b)
        if needed is None or needed > 1000:
            continue  # nobody runs so many: not counted as a miss
        outcomes = [counted(columns(rng, p, np.full(p.size, needed), 1)[0]) for p in rates]
        missed += not sinf.compare(*outcomes, "pass_at_k", k, questions="fixed").significant
    return missed / B, B


def separated(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of runs in which the rank ranges of five equal models are not all 1 to 5."""

    def errs(rows: Array) -> bool:
        models = {i: counted(rows, 2 * i) for i in range(5)}
        ranges = rank.ranges(models, *metric(cell), questions=cell["questions"])
        return any((x.best, x.worst) != (1, 5) for x in ranges.values())

    return share_of(equal_models(cell, rng, B, 5), errs), B


def best_lost(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of runs in which `winners` drops the first model, whose rivals are as good."""
    best = equal_models(cell, rng, B)[..., 2:]
    runs = np.concatenate([best, *(equal_models(cell, rng, B)[..., :2] for _ in range(cell["rivals"]))], axis=-1)

    def errs(rows: Array) -> bool:
        models = {i: counted(rows, 2 * i) for i in range(cell["rivals"] + 1)}
        return 0 not in rank.winners(models, *metric(cell), questions=cell["questions"])

    return share_of(runs, errs), B


def unpaired(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of equal models, on different questions of one population, that are called different."""
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
    """Share of equal models called different over a suite.

    parts: as in macro_misses; whole: the trials of a question are equal.
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
    """Share of equal models that Monitor calls different, with a look after each trial (Pass@k: from the k-th on)."""
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


def uneven_looks(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of equal models that Monitor calls different, at looks after up to 2, 4, 8, ... N trials a question.

    A kind with a number of trials of its own gets at most that many. A question whose outcomes are all equal after
    "trials if equal" trials gets no more (0: it does).
    """
    p, which = fixed_rates(cell["kinds"], cell["M"])
    most, wrong = np.minimum(trials(cell["kinds"], which, cell["N"]), cell["N"]), 0
    for _ in range(B):
        m = sinf.Monitor(cell["planned"], questions="fixed", spending=cell["spending"])
        c, n, t = np.zeros((2, p.size), int), np.zeros(p.size, int), 1
        while not m.stopped and t < cell["N"]:
            t *= 2
            all_equal, limit = c.sum(0) % np.maximum(2 * n, 1) == 0, cell["trials if equal"]
            more = np.where(all_equal & (limit > 0) & (n >= limit), 0, np.minimum(t, most) - n)
            c, n = c + rng.binomial(more, p, c.shape), n + more
            wrong += m.look(*(Counts.from_successes(x, n) for x in c)).verdict == "different"
    return wrong / B, B


def growing(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of equal models that Monitor calls different, at looks at more and more sampled questions."""
    wrong, M = 0, cell["M"]
    for rows in equal_models({**cell, "questions": "sampled"}, rng, B):
        m = sinf.Monitor(M, questions="sampled")
        for i in range(cell["looks"]):
            n = max(2, M * (i + 1) // cell["looks"])
            if (x := m.look(counted(rows[:n]), counted(rows[:n], 2))).stop:
                wrong += x.verdict == "different"
                break
    return wrong / B, B


def stops(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of runs, as good as their baseline, that are stopped as different.

    Failures take `slower` times as long as successes, and as many trials run at once as "at once" says.
    """
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
