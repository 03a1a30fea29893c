"""Power, errors and widths of comparisons and gates beside those of the t test, in cells that evaluations have.

    python bench/power.py            the tables, Markdown
    python bench/power.py --short    few runs and cells
    python bench/power.py --only B   the tables whose names start with this

The rules are those of pair_rules.py, for many runs at a time. Both fail where equal models differ too often (A2), a
gate passes more often than the t rule (B1), or errs more often than the bounds say.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from math import ceil, comb, log
from time import perf_counter

import numpy as np
from pair_rules import (
    Differences,
    Runs,
    binary_runs,
    fixed_differences,
    gate_p_values,
    sampled_differences,
    unpaired_differences,
)
from scipy.special import betaincinv, ndtri, stdtrit
from scipy.stats import binom

Array = np.ndarray
Rng = np.random.Generator
Law = Callable[[Rng, tuple[int, int]], tuple[Array, Array]]  # rates of the candidate, and of the baseline
Z95 = float(ndtri(0.975))
GUARDS = (0.0, 0.25, 1.0)
WORST_EQUAL, WORST_GATE = 0.062, 0.05  # bounds of errors: regression guards
failures: list[str] = []


def row(name: str, cells: Sequence[object]) -> None:
    """Print a line of a table."""
    print(f"| {name} | " + " | ".join(map(str, cells)) + " |", flush=True)


def header(first: str, columns: Sequence[str]) -> None:
    """Print the first two lines of a table."""
    print()
    row(first, columns)
    print("|" + "---|" * (len(columns) + 1))


def t_rule(d: Array) -> Differences:
    """The paired t test."""
    return sampled_differences(d)._replace(flips=0.0)


def rules(d: Array) -> list[Differences]:
    """The paired t test, and the rule of `compare` by guard."""
    return [t_rule(d), *(sampled_differences(d, guard=g) for g in GUARDS)]


BY_RULE = ("paired t", *(f"guard {g:g}" for g in GUARDS))


# --- laws of rates ------------------------------------------------------------------------------------


def shifted(a: float, b: float, by: float, own: float) -> Law:
    """Rates Beta(a, b); the candidate's are higher by a normal number with this mean and standard deviation."""

    def law(rng: Rng, shape: tuple[int, int]) -> tuple[Array, Array]:
        p = rng.beta(a, b, shape)
        return np.clip(p + by + own * rng.normal(size=shape), 0, 1), p

    return law


def worse(a: float, b: float, drop: float, whole: bool) -> Law:
    """Rates Beta(a, b), or 1 where b is 0, of both; the candidate fails questions whole, or has lower rates on all."""

    def law(rng: Rng, shape: tuple[int, int]) -> tuple[Array, Array]:
        p, share = rng.beta(a, b, shape) if b else np.ones(shape), drop * (a + b) / a
        return p * ((rng.random(shape) >= share) if whole else 1 - share), p

    return law


def both_ways(win: float, step: float, drop: float) -> Law:
    """The candidate is better by step on a share of the questions, and worse by step on so many that D = -drop."""

    def law(rng: Rng, shape: tuple[int, int]) -> tuple[Array, Array]:
        r, high = rng.random(shape), min(1.0, 0.5 + step / 2)
        up, down = r < win, r > 1 - win - drop / step
        return tuple(np.where(x, high, np.where(y, high - step, 0.5)) for x, y in ((up, down), (down, up)))

    return law


def one_sided(rate: float, drop: float) -> Law:
    """The candidate fails whole questions, the baseline single trials at a rate; D = -drop."""
    return lambda rng, shape: ((rng.random(shape) >= rate + drop) * 1.0, np.full(shape, 1 - rate))


def draws(law: Law, B: int, M: int, N: int, seed: Sequence[int]) -> Iterator[Array]:
    """Differences (runs, M) of 0/1 outcomes in N trials each, at most two million at a time."""
    rng, step = np.random.default_rng(seed), max(1, 2_000_000 // M)
    for first in range(0, B, step):
        p, q = law(rng, (min(step, B - first), M))
        yield (rng.binomial(N, p) - rng.binomial(N, q)) / N


# --- comparisons on similar questions -------------------------------------------------------------------

POWER = (  # true difference (about), questions, trials
    (0.05, 100, 4), (0.1, 30, 8), (0.1, 20, 16), (0.06, 30, 64), (0.08, 15, 64), (0.1, 60, 1), (0.03, 1319, 1),
)  # fmt: skip
SCORES = ((30, 0.05, 0.03), (100, 0.1, 0.03), (15, 0.05, 0.03))  # questions, standard deviation, difference
WIDTHS = tuple((M, sd) for sd in (0.05, 0.1, 0.2) for M in (15, 30, 100, 500))


def table_power(short: bool) -> None:
    """How often the better model is called better, and the widths of intervals over that of t."""
    B = 400 if short else 4000
    header("better called better, in %", BY_RULE)
    cells = [(f"{M} x {N}, 0/1, {by}", next(draws(shifted(0.6, 0.5, 1.2 * by, 0.12), B, M, N, [5, M, N])))
             for by, M, N in POWER]  # fmt: skip
    for M, sd, by in SCORES:
        cells.append((f"scores, {M}, sd {sd}, {by}", np.random.default_rng([6, M]).normal(by, sd, (B, M))))
    for name, d in cells:
        row(name, [f"{100 * ((x.p() <= 0.05) & (x.D > 0)).mean():.1f}" for x in rules(d)])
    header("width over t, median: questions, sd", BY_RULE)
    for M, sd in WIDTHS:
        each = [x.half() for x in rules(np.random.default_rng([7, M]).normal(0.01, sd, (B // 4, M)))]
        row(f"{M}, {sd}", [f"{np.median(x / each[0]):.2f}" for x in each])


def random_equal(rng: Rng, B: int, clusters: bool) -> tuple[str, Array, list[int]]:
    """Differences of two models that are equal on every question, in a random cell, and the sizes of clusters."""
    G, N = int(np.exp(rng.uniform(np.log(5), np.log(1000)))), int(rng.choice((1, 2, 4, 8, 16, 64)))
    a, b = np.exp(rng.uniform(np.log(0.02), np.log(20), 2))
    sizes = rng.integers(1, 11, max(2, G // 5)) if clusters else np.ones(G, int)
    B = max(500, min(B, 4_000_000 // int(sizes.sum())))
    p = np.repeat(rng.beta(a, b, (B, sizes.size)), sizes, axis=1)
    kind = str(rng.choice(("0/1", "pass@k", "scores")))
    if kind in ("0/1", "pass@k"):
        k = int(rng.integers(1, N + 1)) if kind == "pass@k" else 1
        u = np.array([1 - comb(N - c, k) / comb(N, k) for c in range(N + 1)])
        d = u[rng.binomial(N, p)] - u[rng.binomial(N, p)]
    else:
        d = np.clip(p + 0.1 * rng.normal(size=p.shape), 0, 1) - np.clip(p + 0.1 * rng.normal(size=p.shape), 0, 1)
    return f"{kind}, {sizes.size} units, {sizes.sum()} x {N}, Beta({a:.2f}, {b:.2f})", d, sizes.tolist()


def table_level(short: bool) -> None:
    """A search for the worst error of models that are equal on every question, or have one distribution of rates."""
    rng, B, seconds = np.random.default_rng(8), 1000 if short else 4000, 3 if short else 60
    found: dict[str, list[tuple[float, int, str]]] = {"questions": [], "clusters": [], "different questions": []}
    for kind, cells in found.items():
        end = perf_counter() + seconds
        while perf_counter() < end:
            if kind == "different questions":
                sizes, N = [int(np.exp(rng.uniform(np.log(5), np.log(500)))) for _ in "xy"], int(rng.choice((1, 4, 64)))
                a, b = np.exp(rng.uniform(np.log(0.05), np.log(20), 2))
                x = unpaired_differences(*(rng.binomial(N, rng.beta(a, b, (B, m))) / N for m in sizes))
                name = f"{sizes[0]} and {sizes[1]} x {N}, Beta({a:.2f}, {b:.2f})"
            else:
                name, d, sizes = random_equal(rng, B, kind == "clusters")
                x = sampled_differences(d, sizes if kind == "clusters" else None)
            cells.append((float((x.p() <= 0.05).mean()), x.D.size, name))
    header("equal models that differ, in %", ("cells", "mean", "worst"))
    for kind, cells in found.items():
        p, n, name = max(cells)
        se = (p * (1 - p) / n) ** 0.5
        mean = f"{100 * np.mean([c[0] for c in cells]):.1f}"
        row(kind, [len(cells), mean, f"{100 * p:.1f} ± {100 * se:.1f}: {name}"])
        if kind != "different questions" and p > WORST_EQUAL + 4 * se:
            failures.append(f"equal models differ in {100 * p:.1f}%: {name}")


RARE = (  # questions, trials, share of the questions that lose, the loss
    (20, 4, 0.05, 0.8), (30, 8, 0.05, 0.8), (30, 64, 0.05, 0.8), (60, 1, 0.05, 0.8), (60, 4, 0.05, 0.8),
    (60, 64, 0.02, 0.8), (100, 4, 0.02, 0.8), (100, 64, 0.02, 0.8), (200, 4, 0.02, 0.8), (500, 4, 0.01, 0.8),
)  # fmt: skip


def table_rare(short: bool) -> None:
    """Errors where the means are equal, but a few questions lose much and the others win a little."""
    B = 500 if short else 4000
    header("equal means that differ, in %", BY_RULE)
    for i, (M, N, share, loss) in enumerate(RARE):
        rng, gain = np.random.default_rng([9, i]), share * loss / (1 - share)
        few = rng.random((B, M)) < share
        p = np.where(few, 0.9, rng.beta(2, 2, (B, M)) * (1 - gain))
        d = (rng.binomial(N, np.where(few, 0.9 - loss, p + gain)) - rng.binomial(N, p)) / N
        row(f"{M} x {N}, {share:.0%} lose {loss}", [f"{100 * (x.p() <= 0.05).mean():.1f}" for x in rules(d)])


COVERED: dict[str, tuple[float, Callable[[Rng, tuple[int, int]], Array]]] = {
    "wins 30%, losses 10%": (0.2, lambda r, s: r.choice((1.0, -1.0, 0.0), s, p=(0.3, 0.1, 0.6))),
    "wins 10%, losses 2%": (0.08, lambda r, s: r.choice((1.0, -1.0, 0.0), s, p=(0.1, 0.02, 0.88))),
    "wins 10%, no loss": (0.1, lambda r, s: (r.random(s) < 0.1) * 1.0),
    "wins 95%, no loss": (0.95, lambda r, s: (r.random(s) < 0.95) * 1.0),
    "4 trials, rates .9 and .6": (0.3, lambda r, s: (r.binomial(4, 0.9, s) - r.binomial(4, 0.6, s)) / 4),
    "scores, normal, 2 sd": (0.2, lambda r, s: r.normal(0.2, 0.1, s)),
    "scores, exponential": (0.1, lambda r, s: r.exponential(0.1, s)),
}


def table_coverage(short: bool) -> None:
    """Coverage of the interval of a difference that is not 0."""
    B, sizes = 500 if short else 4000, (5, 10, 20, 50, 200, 1000)
    header("covered by t; now; guard 1", [f"{M} questions" for M in sizes])
    for i, (name, (truth, law)) in enumerate(COVERED.items()):
        cells = []
        for M in sizes:
            d = law(np.random.default_rng([10, i, M]), (min(B, 2_000_000 // M), M))
            each = [rules(d)[j] for j in (0, 1, 3)]
            cells.append("; ".join(f"{100 * (np.abs(x.D - truth) <= x.half() + 1e-12).mean():.0f}" for x in each))
        row(name, cells)


# --- gates ------------------------------------------------------------------------------------------------


def passes_and_fails(d: Array, margin: float, guard: float | None) -> Array:
    """Shares of passes and of fails of a gate on similar questions; guard None: the t rule."""
    x = t_rule(d) if guard is None else sampled_differences(d, guard=guard)
    p = gate_p_values(x, margin, 1 / d.shape[1], guard or 0.0, None if guard is None else d)
    return np.array([(y <= 0.025).mean() for y in p])


WRONG: tuple[tuple[str, Law, int, int, float], ...] = tuple(
    (name, law(x), M, N, x)
    for name, law, cells in (
        ("rate .95 fail whole", lambda x: worse(50, 2.6, x, True), ((50, 8, 0.1), (200, 64, 0.05), (1000, 4, 0.02))),
        ("rate 1 fail whole", lambda x: worse(1, 0, x, True),
         ((60, 4, 0.1), (100, 1, 0.05), (200, 1, 0.03), (400, 4, 0.02), (1000, 1, 0.01))),
        ("Beta(.6, .5) fail whole", lambda x: worse(0.6, 0.5, x, True), ((30, 8, 0.1), (100, 4, 0.05), (60, 64, 0.1))),
        ("all lower, Beta(9, 1)", lambda x: worse(9, 1, x, False), ((30, 4, 0.1), (200, 8, 0.03), (1000, 1, 0.02))),
        ("all lower, Beta(.6, .5)", lambda x: worse(0.6, 0.5, x, False), ((20, 64, 0.1), (100, 1, 0.1))),
        ("both ways by .8", lambda x: both_ways(0.05, 0.8, x), ((30, 4, 0.1), (60, 64, 0.1), (200, 4, 0.03))),
        ("both ways by 1", lambda x: both_ways(0.01, 1, x), ((100, 4, 0.05), (1000, 1, 0.01))),
        ("candidate whole, baseline trials", lambda x: one_sided(0.05, x), ((100, 16, 0.05), (400, 64, 0.02))),
    )
    for M, N, x in cells
)  # fmt: skip
EQUAL = (  # parameters of the beta distribution of the rates, their own standard deviation, questions, trials, margin
    (0.6, 0.5, 0, 20, 16, 0.1), (0.6, 0.5, 0.1, 30, 4, 0.1), (0.6, 0.5, 0.1, 30, 64, 0.1), (0.6, 0.5, 0.1, 50, 64, 0.1),
    (0.6, 0.5, 0, 100, 4, 0.05), (0.6, 0.5, 0, 200, 8, 0.03), (0.6, 0.5, 0, 1319, 1, 0.03), (9, 1, 0, 200, 1, 0.05),
    (9, 1, 0, 500, 4, 0.02), (50, 1, 0, 400, 1, 0.02), (2, 2, 0, 5000, 1, 0.02),
)  # fmt: skip


def table_gates(short: bool) -> None:
    """Wrong verdicts of gates at a true difference of -margin, and passes of equal models; guard 1."""
    B, worst = 1000 if short else 8000, np.zeros((2, 2))
    header("wrong passes, wrong fails, in % (2.5): questions x trials, margin", ("t rule", "gate"))
    for i, (name, law, M, N, x) in enumerate(WRONG[::4] if short else WRONG):
        r = [np.mean([passes_and_fails(d, x, g) for d in draws(law, B, M, N, [1, i])], 0) for g in (None, 1.0)]
        worst = np.maximum(worst, r)
        row(f"{name}, {M} x {N}, {x}", ["{:.1f}, {:.1f}".format(*(100 * y)) for y in r])
    row("worst", ["{:.1f}, {:.1f}".format(*(100 * y)) for y in worst])
    if worst[1].max() > WORST_GATE + 3 * (0.05 / B) ** 0.5:
        failures.append(f"a gate errs in {100 * worst[1].max():.1f}%")
    header("equal models pass, in %", ("t rule", "gate"))
    for i, (a, b, own, M, N, x) in enumerate(EQUAL[::4] if short else EQUAL):
        r = [np.mean([passes_and_fails(d, x, g)[0] for d in draws(shifted(a, b, 0, own), B // 4, M, N, [2, i])])
             for g in (None, 1.0)]  # fmt: skip
        row(f"Beta({a}, {b}), own {own}, {M} x {N}, {x}", [f"{100 * y:.1f}" for y in r])
        if r[1] > r[0]:
            failures.append(f"a gate passes more often than the t rule: {M} x {N}, {x}")
    sizes = (50, 100, 200, 400)
    header("exact wrong passes, a share of solved questions fails whole: t; gate", [f"{M} questions" for M in sizes])
    for margin in (0.02, 0.05, 0.1, 0.2):
        cells = []
        for M in sizes:
            failed = np.arange(M + 1)
            d = -1.0 * (np.arange(M) < failed[:, None])
            p = [gate_p_values(x, margin, 1 / M, g, y)[0] for x, g, y in (
                (t_rule(d), 0.0, None), (sampled_differences(d, guard=1.0), 1.0, d))]  # fmt: skip
            varies = (failed > 0) & (failed < M)  # the t rule decides nothing without a variance
            cells.append("; ".join(f"{100 * float(binom.pmf(failed, M, margin) @ ((y <= 0.025) & v)):.1f}"
                                   for y, v in zip(p, (varies, True), strict=True)))  # fmt: skip
        row(f"margin {margin}", cells)


GRADED = (  # questions, trials, standard deviation of the true differences, and over trials, margin
    (100, 1, 0.0, 0.07, 0.03), (50, 4, 0.0, 0.05, 0.03), (30, 4, 0.05, 0.05, 0.03), (50, 4, 0.1, 0.1, 0.05),
    (200, 1, 0.05, 0.1, 0.02), (500, 1, 0.05, 0.1, 0.01),
)  # fmt: skip
LOSSES = ((100, 0.02, 0.2), (100, 0.02, 0.8), (50, 0.03, 0.25), (200, 0.02, 0.8), (60, 0.05, 0.5))


def table_graded_gates(short: bool) -> None:
    """Gates of scores by guard: passes of equal models, and of models that are worse by the margin."""
    B, guards = 500 if short else 4000, (0.0, 0.1, 0.25, 0.5, 1.0)
    header("equal pass; worse pass: M x N, sd, sd over trials, margin", [f"guard {g:g}" for g in guards])
    for M, N, sd, noise, x in GRADED:
        rng = np.random.default_rng([3, M])
        d = sd * rng.normal(size=(B, M)).clip(-3, 3) + noise * (2 / N) ** 0.5 * rng.normal(size=(B, M))
        each = [[100 * passes_and_fails(y, x, g)[0] for y in (d, d - x)] for g in guards]
        row(f"{M} x {N}, {sd}, {noise}, {x}", ["{:.1f}; {:.1f}".format(*y) for y in each])
    header("a share loses whole: wrong passes: questions, margin, loss", [f"guard {g:g}" for g in guards])
    for M, x, loss in LOSSES:
        rng = np.random.default_rng([4, M])
        d = 0.02 * rng.normal(size=(B, M)) - loss * (rng.random((B, M)) < x / loss)
        row(f"{M}, {x}, {loss}", [f"{100 * passes_and_fails(d, x, g)[0]:.1f}" for g in guards])


def beta_rates(a: float, b: float, M: int) -> Array:
    """Rates at the quantiles of Beta(a, b)."""
    return betaincinv(a, b, (np.arange(M) + 0.5) / M)


FIXED = (  # rates of the baseline, share of the questions on which the candidate is worse, trials, k, margin
    ("Beta(.6, .5), 30 x 8", beta_rates(0.6, 0.5, 30), 1.0, 8, 1, 0.1),
    ("Beta(9, 1), 100 x 4", beta_rates(9, 1, 100), 1.0, 4, 1, 0.05),
    ("solved, 100 x 4", np.ones(100), 1.0, 4, 1, 0.03),
    ("solved, 200 x 4, 5% worse", np.ones(200), 0.05, 4, 1, 0.03),
    ("solved, 1000 x 2", np.ones(1000), 1.0, 2, 1, 0.01),
    ("rate .99, 100 x 4, 10% worse", np.full(100, 0.99), 0.1, 4, 1, 0.03),
    ("rate .98, 60 x 8", np.full(60, 0.98), 1.0, 8, 1, 0.02),
    ("rate .03, 200 x 4", np.full(200, 0.03), 1.0, 4, 1, 0.02),
    ("Pass@2, Beta(.6, .5), 100 x 4", beta_rates(0.6, 0.5, 100), 1.0, 4, 2, 0.05),
    ("Pass@4, rate .9, 100 x 8", np.full(100, 0.9), 1.0, 8, 4, 0.02),
    ("Pass@8, rate .5, 100 x 16", np.full(100, 0.5), 0.2, 16, 8, 0.03),
    ("Pass@2, half at .7, 50 x 4", np.repeat([0.7, 1.0], [25, 25]), 0.5, 4, 2, 0.1),
)  # fmt: skip


def lowered(p: Array, share: float, k: int, margin: float) -> Array:
    """Rates at which the mean Pass@k is lower by the margin, on a share of the questions with the highest ones."""
    now = 1 - (1 - p) ** k
    which = np.argsort(now)[p.size - max(1, round(share * p.size)) :]
    now[which] *= 1 - margin * p.size / now[which].sum()
    return 1 - (1 - now) ** (1 / k)


def table_fixed_gates(short: bool) -> None:
    """Gates on these questions."""
    B, worst = 500 if short else 8000, np.zeros((2, 2))
    header("wrong passes, wrong fails; equal pass, in %: margin", ("t rule", "gate"))
    for i, (name, p, share, N, k, x) in enumerate(FIXED):
        rng, r = np.random.default_rng([13, i]), np.zeros((2, 3))
        worse, same, base = (binary_runs(rng.binomial(N, q, (B, p.size)), [N] * p.size, k)
                             for q in (lowered(p, share, k, x), p, p))  # fmt: skip
        for j, guard in enumerate((0.0, 1.0)):
            low, high = gate_p_values(fixed_differences(worse, base), x, k / (N * p.size), guard)
            equal = gate_p_values(fixed_differences(same, base), x, k / (N * p.size), guard)[0]
            r[j] = [(y <= 0.025).mean() for y in (low, high, equal)]
        worst = np.maximum(worst, r[:, :2])
        row(f"{name}, {x}", ["{:.1f}, {:.1f}; {:.1f}".format(*(100 * y)) for y in r])
    row("worst", ["{:.1f}, {:.1f}".format(*(100 * y)) for y in worst])
    if worst[1].max() > WORST_GATE + 3 * (0.05 / B) ** 0.5:
        failures.append(f"a gate on these questions errs in {100 * worst[1].max():.1f}%")


PLANS = tuple((a, b, N, x) for a, b in ((0.6, 0.5), (9, 1), (2, 2)) for N in (1, 4, 16) for x in (0.03, 0.1))


def table_plans(short: bool) -> None:
    """Passes of a candidate equal to its baseline with the questions that are planned for 80%."""
    header("equal pass by plans for 80: rates, trials, margin", ("questions", "t rule", "gate"))
    for i, (a, b, N, x) in enumerate(PLANS[1::8] if short else PLANS):
        S = float(next(draws(shifted(a, b, 0, 0), 1, 200_000, N, [20, i])).var())
        z = Z95 + float(ndtri(0.8))
        M = ceil(max(2 + z * z * S / x**2, log(0.025) / log(1 - x * Z95 / z)))  # as `scorio plan --margin`
        runs = list(draws(shifted(a, b, 0, 0), 400 if short else 4000, M, N, [21, i]))
        r = [np.mean([passes_and_fails(d, x, g)[0] for d in runs]) for g in (None, 1.0)]
        row(f"Beta({a}, {b}), {N}, {x}", [M, *(f"{100 * y:.1f}" for y in r)])


# --- scores on these questions ---------------------------------------------------------------------------

SCORE_CELLS = (  # questions, trials, standard deviation over trials, probability of a wrong format (a score of 0)
    (15, 4, 0.03, 0.0), (30, 4, 0.05, 0.0), (100, 4, 0.03, 0.0), (15, 16, 0.03, 0.0), (5, 4, 0.05, 0.0),
    (15, 4, 0.03, 0.01), (50, 4, 0.03, 0.01), (100, 4, 0.03, 0.01), (100, 4, 0.0, 0.03), (100, 4, 0.1, 0.03),
)  # fmt: skip


def score_runs(x: Array, by_scale: bool) -> Runs:
    """Runs of the mean of scores (B, M, N); by_scale: a further trial differs by the whole scale."""
    n, largest = x.shape[2], np.ptp(x, axis=2).max(1)
    return Runs(x.mean(2), x.var(2, ddof=1) / n, 1 / n**2, np.ones_like(largest) if by_scale else largest)


def interval(x: Runs, n: int) -> tuple[Array, Array]:
    """The interval of one model on these questions: Wilson's, with t where few questions vary."""
    M, mu, d = x.u.shape[1], x.u.mean(1), fixed_differences(x, x._replace(u=0 * x.u, v=0 * x.v))
    inverse = np.maximum(1 / d.freedom - 1 / 30, 0)
    q = np.where(inverse > 1e-6, stdtrit(1 / np.maximum(inverse, 1e-6), 0.975), Z95)
    r = Z95**2 / np.maximum(n * M, mu * (1 - mu) / d.error**2 * (Z95 / q) ** 2)
    middle, reach = (mu + r / 2) / (1 + r), np.sqrt(r * mu * (1 - mu) + r * r / 4) / (1 + r)
    return middle - reach, middle + reach


def table_scores(short: bool) -> None:
    """Averages of scores on these questions: the largest difference of two trials in the place of the whole scale."""
    B = 300 if short else 3000
    header("covered, width over z; equal differ, .02 detected: M x N, sd, wrong formats", ("scale", "now"))
    for i, (M, N, sd, wrong) in enumerate(SCORE_CELLS[::3] if short else SCORE_CELLS):
        rng = np.random.default_rng([19, i])
        base = np.clip(0.8 + 0.1 * rng.normal(size=M) * (sd > 0), 0.3, 1.0)[:, None]
        truth = (1 - wrong) * np.clip(base + sd * np.random.default_rng(20).normal(size=(1, 20000)), 0, 1).mean()

        def outcomes(gain: float) -> Array:
            x = base + gain + sd * rng.normal(size=(B, M, N))  # noqa: B023
            return np.clip(np.where(rng.random(x.shape) < wrong, 0, x), 0, 1)  # noqa: B023

        data, cells = [outcomes(gain) for gain in (0.0, 0.0, 0.02)], []
        for by_scale in (True, False):
            a, b, better = (score_runs(x, by_scale) for x in data)
            lo, hi = interval(a, N)
            width = np.median(hi - lo) / np.median(2 * Z95 * np.sqrt(np.maximum(a.v.sum(1), 1e-12)) / M)
            covered = ((lo <= truth + 1e-9) & (hi >= truth - 1e-9)).mean()
            p = [(fixed_differences(x, b).p() <= 0.05).mean() for x in (a, better)]
            cells.append(f"{100 * covered:.1f}, {width:.2f}; {100 * p[0]:.1f}, {100 * p[1]:.0f}")
        row(f"{M} x {N}, {sd}, {wrong}", cells)


TABLES: dict[str, tuple[str, Callable[[bool], None]]] = {
    "A1": ("Power of compare on similar questions, and widths", table_power),
    "A2": ("Equal models on similar questions", table_level),
    "A3": ("Rare large losses", table_rare),
    "A4": ("Coverage of the interval of compare", table_coverage),
    "B1": ("Gates of 0/1 outcomes on similar questions", table_gates),
    "B2": ("Gates of scores, by guard", table_graded_gates),
    "B3": ("Gates on these questions", table_fixed_gates),
    "B4": ("Plans of gates", table_plans),
    "C": ("Scores on these questions", table_scores),
}


def main() -> None:
    """Print the tables; exit with an error where a bound is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="few runs and cells")
    parser.add_argument("--only", default="", metavar="NAME", help="tables whose names start with this")
    options = parser.parse_args()
    for name, (title, table) in TABLES.items():
        if name.startswith(options.only):
            print(f"\n## {name}. {title}")
            table(options.short)
    if failures:
        sys.exit("; ".join(failures))


if __name__ == "__main__":
    main()
