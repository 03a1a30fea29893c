"""How often estimates from votes, fits, judges and items err in a cell of parameters: measures of hostile.py."""

from __future__ import annotations

import inspect

import numpy as np
from hostile_cells import Array, Cell, Rng, fixed_rates, sampled_rates, share_of
from mistakes import columns, counted
from scipy.stats import multinomial

from scorio import Answers, Counts, InvalidInput, eval, items, sinf

GRADES = {  # frequencies of five grades
    "0 and 4": (1, 0, 0, 0, 1), "2% at 0, others 4": (2, 0, 0, 0, 98), "5% at 0, others 3": (5, 0, 0, 95, 0),
    "even": (1, 1, 1, 1, 1), "falling": (40, 30, 20, 8, 2), "5% at 4, others 0": (95, 0, 0, 0, 5),
}  # fmt: skip

# --- votes, extrapolation, judges --------------------------------------------------------------


def vote(p: tuple[float, float, float], k: int) -> float:
    """Plurality@k of three answers with these rates, the first one right; ties split evenly."""
    r, w = (x.ravel() for x in np.meshgrid(np.arange(k + 1), np.arange(k + 1)))
    x = np.stack([r, w, k - r - w], 1)[r + w <= k]
    top = x.max(1)
    wins = np.where(x[:, 0] == top, 1 / (x == top[:, None]).sum(1), 0.0)
    return float(wins @ multinomial.pmf(x, k, p))


def votes(cell: Cell, rng: Rng, B: int, models: int = 1) -> tuple[float, int]:
    """Share of intervals of a vote that miss, or (models=2) of equal models called different.

    All questions have the same rates. right: that of the right answer; wrong: the share of the other trials that give
    one wrong answer, while the rest give another.
    """
    p = (cell["right"], cell["wrong"] * (1 - cell["right"]), (1 - cell["wrong"]) * (1 - cell["right"]))
    k = cell.get("k", cell["N"])
    truth = vote(p, k)
    runs = rng.multinomial(cell["N"], p, (B, cell["M"], models)).reshape(B, cell["M"], 3 * models)

    def answers(rows: Array) -> Answers:
        return Answers([["r"] * a + ["w"] * b + ["o"] * c for a, b, c in rows.tolist()], ["r"] * len(rows))

    def errs(rows: Array) -> bool:
        if models == 2:
            x, y = answers(rows[:, :3]), answers(rows[:, 3:])
            return bool(sinf.compare(x, y, "plurality_at_k", k, questions="fixed").significant)
        r = eval.interval(answers(rows), "plurality_at_k", k, questions="fixed")
        return not r.lo - 1e-12 <= truth <= r.hi + 1e-12

    return share_of(runs, errs), B


def impossible(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of extrapolations that contradict themselves: a model outside the band's limits, or a limit that falls."""
    N = cell["N"]
    p, _ = sampled_rates(rng, cell["kinds"], (B, cell["M"]))

    def errs(rows: Array) -> bool:
        ks = [N + more for more in (1, N, 7 * N)]
        bands = np.array([eval.extrapolate(counted(rows), "pass_at_k", k)[:4] for k in ks])
        try:
            fits = [eval.extrapolate_model(counted(rows), "pass_at_k", k) for k in ks]
        except InvalidInput:  # all outcomes are equal
            return bool((np.diff(bands, axis=0) < -1e-12).any())
        ends = np.array([[np.nan if x is None else x for x in r[:3]] for r in fits], float)
        out = (ends < bands[:, 2:3] - 1e-12) | (ends > bands[:, 3:4] + 1e-12)
        return bool(out.any() or (np.diff(bands, axis=0) < -1e-12).any() or (np.diff(ends, axis=0) < -1e-12).any())

    return share_of(columns(rng, p, np.full(p.shape, N), B), errs), B


def advised(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of the mean's intervals that miss where extrapolate plans more trials, which are kept out of the mean."""
    p, _ = fixed_rates(cell["kinds"], cell["M"])
    truth, N, wrong = float(p.mean()), cell["N"], 0
    # True: further trials are an argument of their own; earlier versions of the package counted them with the others
    apart = "more" in inspect.signature(eval.extrapolate).parameters
    for _ in range(B):
        c = rng.binomial(N, p)
        n = np.where((c <= 2) & (not apart), N + cell["more"], N)
        r = eval.interval(Counts.from_successes(c + rng.binomial(n - N, p), n), questions="fixed")
        wrong += not r.lo - 1e-12 <= truth <= r.hi + 1e-12
    return wrong / B, B


def judged(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of intervals of a mean corrected by labels that miss it in the population."""
    M, wrong = cell["M"], 0
    for _ in range(B):
        truth = (rng.random(M) < cell["mean"]).astype(float)
        right = rng.random(M) < np.where(truth == 1, cell["sensitivity"], cell["specificity"])
        labels = np.where(rng.permutation(M) < cell["labels"], truth, np.nan)
        verdicts = np.where(right, truth, 1 - truth).astype(int)
        r = eval.judged(verdicts[:, None], labels[:, None], questions="sampled")
        wrong += not r.lo - 1e-12 <= cell["mean"] <= r.hi + 1e-12
    return wrong / B, B


def judged_grades(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of intervals that miss a mean of five grades, from a judge's grades and labels of some outputs."""
    p, M, w = np.array(GRADES[cell["grades"]]), cell["M"], np.arange(5.0)
    p, common, wrong = p / p.sum(), int(np.argmax(p)), 0
    for _ in range(B):
        truth = rng.choice(5, M, p=p)
        verdicts = {
            "perfect": truth,
            "useless": rng.choice(5, M, p=p),
            "a grade too kind": np.minimum(truth + (rng.random(M) < 0.5), 4),
            "hides rare grades": np.where((p[truth] < 0.1) & (rng.random(M) < 0.8), common, truth),
            "a grade off": np.clip(truth + rng.choice(3, M, p=(0.15, 0.7, 0.15)) - 1, 0, 4),
        }[cell["judge"]]
        labels = np.where(rng.permutation(M) < cell["labels"], truth, np.nan)
        r = eval.judged(verdicts[:, None], labels[:, None], w.tolist(), questions="sampled")
        wrong += not r.lo - 1e-12 <= float(p @ w) <= r.hi + 1e-12
    return wrong / B, B


# --- questions and designs ------------------------------------------------------------------------------


def suspected(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Mean share of sound questions among the suspects; second: the share of questions that measure another ability.

    flipped: how many of the 100 questions have an inverted key, and are not sound.
    """
    L, M, wrong = cell["models"], 100, 0.0
    for _ in range(B):
        ability = rng.normal(size=(L, 2))[:, (rng.random(M) < cell["second"]).astype(int)]
        p = 1 / (1 + np.exp(-np.exp(0.3 * rng.normal(size=M)) * (ability - rng.normal(size=M))))
        p[:, : cell["flipped"]] = 1 - p[:, : cell["flipped"]]
        c = rng.binomial(cell["N"], p)
        rows = items.items([Counts.from_successes(row, np.full(M, cell["N"])) for row in c])
        suspects = [x.question for x in rows if x.suspect]
        wrong += sum(x >= cell["flipped"] for x in suspects) / max(len(suspects), 1)
    return wrong / B, B


def reliable(cell: Cell, rng: Rng, B: int) -> tuple[float, int]:
    """Share of intervals of the reliability coefficient that miss; a share `worse` of the models is worse by `gap`."""
    L, M, N, wrong = cell["models"], 30, cell["N"], 0
    worse, interaction, question = cell["worse"], 0.01, 0.0025
    sd = cell["standard deviation"]
    moments = sd**2 + worse * (1 - worse) * cell["gap"] ** 2

    def sampled(L: int, M: int, B: int) -> Array:
        model = 0.65 - cell["gap"] * (rng.random((B, L, 1)) < worse) + sd * rng.normal(size=(B, L, 1))
        p = model + question**0.5 * rng.normal(size=(B, 1, M)) + interaction**0.5 * rng.normal(size=(B, L, M))
        return np.clip(p, 0, 1)

    p = sampled(500, 500, 1)
    truth = moments / (moments + (interaction + float((p * (1 - p)).mean()) / N) / M)
    for c in rng.binomial(N, sampled(L, M, B)):
        x = items.reliability([Counts.from_successes(row, np.full(M, N)) for row in c])
        wrong += not x.lo <= truth <= x.hi
    return wrong / B, B
