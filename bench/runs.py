"""Errors, power and widths with `runs="sampled"`, beside those of rules that ignore the differences between runs.

    python bench/runs.py              the tables, Markdown, about an hour
    python bench/runs.py --only A     the tables whose names start with this; --samples N simulated logs a cell
    python bench/runs.py --short      few cells; fails where an error is above its bound, or where no error of the
                                      rules that ignore runs is
    python bench/runs.py --logs FILE... --only F   the runs of these logs too; a folder in SCORIO_LOGS is searched
    python bench/runs.py --search     the worst errors of compare in random cells, simulated anew; --seconds N, --seed N

All outcomes of a run have their log-odds shifted by one number, scaled so that the average of a run has the standard
deviation that is stated; the shifts of models are independent but where a row says otherwise. The expected score is
that over runs. Errors are in %, before and after: runs fixed, runs sampled, with the ratio of variances of all models.
"""

from __future__ import annotations

import os

os.environ.setdefault("SCORIO_JIT", "1")  # thousands of calls: compile at once

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from power import failures, header, row
from scipy.optimize import brentq, linprog
from scipy.special import betaincinv, expit, logit, stdtrit
from scipy.stats import chi2, norm

from scorio import InvalidInput, eval, rank, read, sinf
from scorio.inference.runs import RunEffects, run_effects
from scorio.outcomes.by_run import by_run

# coverage.py beside this file is not the package of that name, which Numba imports if there is one
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]

Array = np.ndarray
Rng = np.random.Generator
WHOLE = ("human-eval", "evalplus", "opencompass", "openai-evals", "deepeval", "mlflow")  # folders of one log
MARGIN, LOST, ALARMS = 0.02, 0.1, (0.05, 0.01)
BOUND, GATE_BOUND, ALARM_BOUND = 0.065, 0.0325, 0.065  # 1.3 times the nominal error
UNIFORM, EXTREME, HIGH, LOW = (1.0, 1.0), (0.1, 0.1), (9.0, 0.3), (0.3, 3.0)  # beta distributions of rates


class Cell(NamedTuple):
    """Questions, runs, models, standard deviation of a run's average, distribution of rates; how runs differ, ..."""

    M: int
    N: int
    L: int
    sd: float = 0.0
    rates: tuple[float, float] = UNIFORM
    effect: str = "each"
    metric: str = "mean"  # "graded": scores 0, .5, 1
    k: int | None = None
    questions: str = "fixed"
    cluster: int = 1  # questions of a cluster, which have one rate
    labels: bool = False  # the session of each run is stated
    shared: bool = False  # runs are said to be the same for all models
    first: int = 0  # runs of the first model, where these are fewer than N
    holes: bool = False  # a fifth of the outcomes is missing, and half of the second model's runs

    def __str__(self) -> str:
        metric = self.metric.replace("k", str(self.k)) if self.k else self.metric
        more = [f"{self.L} models", f"sd {100 * self.sd:.3g}", "Beta({:g}, {:g})".format(*self.rates), metric]
        more += [self.effect] * (self.effect != "each") + [self.questions] * (self.questions != "fixed")
        more += (
            ["labels"] * self.labels
            + ["shared"] * self.shared
            + ["clusters"] * (self.cluster > 1)
            + [f"{self.first} runs of the first"] * (self.first > 0)
            + ["missing"] * self.holes
        )
        return f"{self.M} x {self.N}, " + ", ".join(more)


def line(rng: Rng, L: int, N: int, start: float) -> Array:
    """A line over the runs of each model, with a random slope; start: of its first value, 0 or minus its middle."""
    x = np.arange(N) - start * (N - 1) / 2
    return rng.normal(size=(L, 1)) * x / np.sqrt((x * x).mean())


def sound_but(models: int) -> Callable[[Rng, int, int], Array]:
    """Only the runs of the first models differ."""
    return lambda rng, L, N: rng.normal(size=(L, N)) * (np.arange(L) < models)[:, None]


EFFECTS: dict[str, Callable[[Rng, int, int], Array]] = {  # (models, runs), with the standard deviation 1
    "each": lambda rng, L, N: rng.normal(size=(L, N)),
    "common": lambda rng, L, N: np.tile(rng.normal(size=N), (L, 1)),
    "common and own": lambda rng, L, N: (rng.normal(size=N) + rng.normal(size=(L, N))) / 2**0.5,
    "heavy tails": lambda rng, L, N: rng.standard_t(3, (L, N)) / 3**0.5,
    "only two differ": sound_but(2),
    "only the first differs": sound_but(1),
    "two sessions": lambda rng, L, N: np.repeat(rng.normal(size=(L, 2)), (N + 1) // 2, 1)[:, :N],
    "two common sessions": lambda rng, L, N: np.tile(np.repeat(rng.normal(size=2), (N + 1) // 2)[:N], (L, 1)),
    "a line about its middle": lambda rng, L, N: line(rng, L, N, 1.0),
    "a line from 0": lambda rng, L, N: line(rng, L, N, 0.0),
}
LOSSES: dict[str, Callable[[Rng, int, int], Array]] = {  # the runs that lose a tenth of their answers
    "1 run in 10 is broken": lambda rng, L, N: rng.random((L, N)) < 0.1,
    "one broken run": lambda rng, L, N: (np.arange(L)[:, None] + np.arange(N)) == 0,
}


class Law:
    """Outcomes of the models of a cell, and the true score."""

    def __init__(self, at: Cell) -> None:
        self.at = at
        size = at.M if at.questions == "fixed" else 2000
        self.logits = np.clip(logit(betaincinv(*at.rates, (np.arange(size) + 0.5) / size)), -12, 12)
        self.effect, self.losses = EFFECTS.get(at.effect), LOSSES.get(at.effect)
        self.scale, self.shifts = 0.0, np.zeros(1)
        if at.sd and self.effect:
            rng = np.random.default_rng(1)
            x = np.concatenate([self.effect(rng, 1, at.N).ravel() for _ in range(20000 // at.N)])
            self.shifts = np.quantile(np.concatenate([x, -x]), (np.arange(200) + 0.5) / 200)
            self.scale = brentq(lambda s: self.averages(s).std() - at.sd, 0, 50, xtol=1e-6)
        self.kept = 1 - LOST * LOST if at.effect == "1 run in 10 is broken" else 1.0
        self.truth = self.score(0.0)
        self.drop = brentq(lambda x: self.score(x) - self.truth + MARGIN, 0, 20) if self.truth > 2 * MARGIN else 0.0

    def averages(self, scale: float) -> Array:
        """The average of a run at each shift."""
        return np.array([expit(self.logits + scale * x).mean() for x in self.shifts])

    def score(self, drop: float) -> float:
        """The expected metric, over runs, of a model whose log-odds are lower by this."""
        p = self.kept * np.mean([expit(self.logits - drop + self.scale * x) for x in self.shifts], axis=0)
        return float((1 - (1 - p) ** (self.at.k or 1)).mean())

    def draw(self, rng: Rng, drop: float = 0.0) -> Any:
        """The outcomes (models, questions, runs); those of the first model are worse."""
        at, logits = self.at, self.logits
        if at.questions == "sampled":
            p = np.repeat(rng.beta(*at.rates, -(-at.M // at.cluster)), at.cluster)[: at.M]
            logits = np.clip(logit(np.clip(p, 1e-9, 1 - 1e-9)), -12, 12)
        shifts = self.scale * self.effect(rng, at.L, at.N) if self.scale else np.zeros((at.L, at.N))
        shifts[0] -= drop
        p = expit((logits[None, :, None] + shifts[:, None, :]).astype(np.float32))
        x = (rng.random(p.shape, np.float32) < p).astype(np.int64)
        if at.metric == "graded":
            x += rng.random(p.shape, np.float32) < p
        if self.losses:
            x *= (rng.random(p.shape) >= LOST) | ~self.losses(rng, at.L, at.N)[:, None, :]
        if at.first:
            return [x[0, :, : at.first], *x[1:]]
        if at.holes:
            y = np.where(rng.random(p.shape) < 0.2, np.nan, x)
            return [y[0], y[1, :, : at.N // 2], *y[2:]]
        return x


@lru_cache
def law_of(at: Cell) -> Law:
    """The law of a cell."""
    return Law(at)


def options_of(at: Cell) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments of the functions of metrics, and those of run_variation."""
    of_log: dict[str, Any] = {"missing": "drop"} if at.holes else {}
    of_log |= {"w": (0.0, 0.5, 1.0)} if at.metric == "graded" else {}
    more: dict[str, Any] = {"questions": at.questions, **of_log}
    if at.cluster > 1:
        more["clusters"] = [i // at.cluster for i in range(at.M)]
    labels = {"sessions": [2 * r // at.N for r in range(at.N)]} if at.labels else {}
    return more, {**of_log, **labels}


def effects_of(R: Any, w: Any = None, missing: Any = "raise", sessions: Any = None) -> RunEffects:
    """The runs of all models of a log, as commands have them."""
    scores = (0.0, 1.0) if w is None else w
    each = [by_run(x, len(scores) - 1, missing, "R", w is not None, sessions) for x in R]
    return run_effects(each, scores, shared=False)


def measure(at: Cell, B: int, seed: int, statements: str = "pcrg") -> dict[str, Array]:
    """Shares of errors, with runs fixed and sampled, in B logs.

    Statements: p, equal models differ; c, the interval misses; r, any claim of ranks is false; g, a model that is
    worse by the margin passes. Widths: the mean ratio of the widths of intervals.
    """
    law, rng = law_of(at), np.random.default_rng([seed, at.M, at.N, at.L])
    (more, of_log), metric = options_of(at), ("mean" if at.metric == "graded" else at.metric, at.k)
    wrong: dict[str, Any] = {s: np.zeros(2) for s in statements}
    widths, done = 0.0, 0
    for _ in range(B):
        R, worse = law.draw(rng), law.draw(rng, law.drop) if "g" in statements else None
        try:
            effects = effects_of(R, **of_log)
            of_worse = effects if worse is None else effects_of(worse, **of_log)
        except InvalidInput:  # a question without trials
            continue
        done, width = done + 1, []
        for i in range(2):
            one, pair, all_models, changed = (
                x.of(models, at.shared) if i else "fixed"
                for x, models in ((effects, [0]), (effects, [0, 1]), (effects, range(at.L)), (of_worse, [0, 1]))
            )
            if "p" in statements:
                wrong["p"][i] += sinf.compare(R[0], R[1], *metric, runs=pair, **more).p_value <= 0.05
            if "c" in statements:
                x = eval.interval(R[0], *metric, runs=one, **more)
                wrong["c"][i] += not x.lo - 1e-12 <= law.truth <= x.hi + 1e-12
                width.append(x.hi - x.lo)
            if "r" in statements:
                ranges = rank.ranges(R, *metric, runs=all_models, **more)
                wrong["r"][i] += any(x != (1, at.L) for x in ranges)
            if worse is not None:
                x = sinf.gate(worse[0], worse[1], *metric, margin=MARGIN, runs=changed, **more)
                wrong["g"][i] += x.verdict == "pass"
        widths += width[1] / width[0] if width else 0.0
    return {**{s: x / done for s, x in wrong.items()}, "widths": widths / done}


def texts(x: dict[str, Any]) -> list[str]:
    """The cells of a line of the tables of errors."""
    out = ["{:.1f} → {:.1f}".format(*(100 * x[s])) if s in x else "" for s in "pcrg"]
    return [*out, f"{x['widths']:.2f}"]


def above(x: float, bound: float, B: int) -> bool:
    """Whether a share is above its bound by more than three standard errors."""
    return x > bound + 3 * (bound * (1 - bound) / B) ** 0.5


# --- the tables ------------------------------------------------------------------------------------------

SHAPES = ((100, 4), (500, 4), (1319, 8), (30, 8), (30, 2), (100, 16))
ORDINARY = tuple(Cell(M, N, L, sd) for M, N in SHAPES for L in (2, 10) for sd in (0.0, 0.01, 0.02))
FURTHER = (  # cells that other metrics, questions and logs have
    *(Cell(500, 4, 20, sd) for sd in (0.0, 0.02)),
    *(Cell(500, 8, L, sd, metric="pass@k", k=k) for k in (2, 4) for L, sd in ((2, 0.0), (2, 0.02), (10, 0.02))),
    *(Cell(500, 4, L, sd, metric="graded") for L, sd in ((2, 0.0), (2, 0.02), (10, 0.02))),
    *(Cell(500, 4, L, sd, questions="sampled") for L in (2, 10) for sd in (0.0, 0.02)),
    *(Cell(500, 4, 10, sd, questions="sampled", cluster=5) for sd in (0.0, 0.02)),
    *(Cell(500, 8, L, sd, holes=True) for L, sd in ((2, 0.0), (2, 0.02), (10, 0.02))),
    *(Cell(500, 4, L, 0.02, rates=rates) for rates in (EXTREME, HIGH) for L in (2, 10)),
)
HOSTILE = (
    *(Cell(M, N, L, effect="1 run in 10 is broken") for M, N in ((500, 4), (1319, 8)) for L in (2, 10)),
    *(Cell(M, N, 11, effect="one broken run") for M, N in ((500, 4), (1319, 8))),
    *(Cell(500, 8, L, 0.02, effect=effect) for effect in EFFECTS if effect != "each" for L in (2, 10)),
    *(Cell(500, 8, L, 0.02, effect="two sessions", labels=True) for L in (2, 10)),
    *(Cell(500, 8, L, 0.02, effect="two common sessions", labels=True, shared=True) for L in (2, 10)),
    Cell(500, 8, 10, 0.02, effect="two common sessions", labels=True),
    *(Cell(500, N, 10, 0.02, effect="common", shared=True) for N in (4, 8)),
    *(Cell(500, N, 10, 0.02, effect=effect) for N in (2, 4) for effect in ("common", "only two differ")),
    Cell(500, 8, 20, 0.04, effect="two common sessions", labels=True, shared=True),
    Cell(500, 8, 20, 0.04, effect="only two differ"),
    *(Cell(500, 10, 2, sd, effect="only the first differs", first=2) for sd in (0.03, 0.08)),
    *(Cell(500, N, 2, 0.08, effect="only the first differs", first=n) for n, N in ((3, 8), (4, 16))),
    *(Cell(200, N, 2, 0.11, effect="common and own", questions="sampled", shared=True) for N in (2, 3, 4)),
    *(Cell(500, N, 2, 0.08, effect="only the first differs") for N in (2, 4, 10)),
)
COLUMNS = ("equal differ", "interval misses", "ranks: any false claim", "gate: wrong pass", "width")


def table_errors(cells: Sequence[Cell], B: int, of: str) -> None:
    """Errors with runs fixed, and sampled, of the cells whose names contain this."""
    header("fixed → sampled", COLUMNS)
    for i, at in enumerate(cells):
        if of in str(at):
            row(str(at), texts(measure(at, B, 100 + i, "pcrg" if at.L == 10 else "pcg")))


def table_power(B: int) -> None:
    """How often a difference of 2.4 standard errors is found where runs do not differ, and the limit of any test."""
    header("runs do not differ, found, in %", ("degrees of freedom", "ignored", "sampled", "t of run means", "limit"))
    for M, N, L in ((500, 2, 2), (500, 4, 2), (500, 8, 2), (500, 4, 10), (30, 8, 2), (1319, 16, 2)):
        at, rng = Cell(M, N, L), np.random.default_rng([7, M, N, L])
        law = law_of(at)
        p, found, f = expit(law.logits), np.zeros(3), (N - 1) * L
        goal = 2.4 * (2 * (p * (1 - p)).sum() / N) ** 0.5 / M
        drop = brentq(lambda x: law.score(x) - law.truth + goal, 0, 20)  # noqa: B023
        for _ in range(B):
            R = law.draw(rng, drop)
            pair = [
                sinf.compare(R[0], R[1], runs=x, questions="fixed") for x in ("fixed", effects_of(R).of([0, 1], False))
            ]
            means = R[:2].mean(1)
            t = (means[0].mean() - means[1].mean()) / np.sqrt(means.var(1, ddof=1).sum() / N + 1e-20)
            found += [*((x.p_value <= 0.05) & (x.mu < 0) for x in pair), t <= -stdtrit(2 * N - 2, 0.975)]
        row(f"{M} x {N}, {L} models", [f, *(f"{100 * x / B:.1f}" for x in found), f"{100 * most_power(f, 2.4):.1f}"])
    at = Cell(300, 4, 2, 0.08, effect="common")
    rng, law, found = np.random.default_rng(8), law_of(at), np.zeros(2)
    drop = brentq(lambda x: law.score(x) - law.truth + 0.05, 0, 20)
    for _ in range(B):
        R = law.draw(rng, drop)
        found += [sinf.compare(R[0], R[1], runs=x, questions="fixed").significant for x in ("sampled", "shared")]
    row(f"{at}, .05 worse: sampled; shared", [6, "; ".join(f"{100 * x / B:.1f}" for x in found)])
    row("limit: 2, 6, 14, 30, 90 degrees", [", ".join(f"{100 * most_power(f, 2.4):.1f}" for f in (2, 6, 14, 30, 90))])


def most_power(f: float, difference: float, level: float = 0.05) -> float:
    """The largest power, where runs do not differ, of a test that keeps its level however much they differ.

    D / standard error is normal with variance v >= 1, and an independent estimate of v has f degrees of freedom. A
    linear program over a grid of both: the probability of a rejection in each cell.
    """
    inner = np.exp(np.linspace(np.log(1e-3), np.log(1e3), 140))
    ratios = np.concatenate([[0], np.sqrt(inner[1:] * inner[:-1]), [np.inf]])
    sizes = np.concatenate([np.arange(0, 8, 0.05), np.exp(np.linspace(np.log(8), np.log(200), 60)), [np.inf]])

    def probabilities(v: float, d: float = 0.0) -> Array:
        of_size = np.diff(norm.cdf((sizes - d) / v**0.5)) + np.diff(norm.cdf((sizes + d) / v**0.5))
        return np.outer(np.diff(chi2.cdf(ratios * f / v, f)), of_size).ravel()

    levels = np.array([probabilities(v) for v in np.exp(np.linspace(0, np.log(200), 40))])
    found = linprog(-probabilities(1, difference), A_ub=levels, b_ub=np.full(len(levels), level), bounds=(0, 1))
    return float(-found.fun)


TESTED = tuple(
    Cell(M, N, L, 0.0, rates)
    for M in (5, 30, 100, 500)
    for N, L in ((2, 1), (2, 5), (4, 1), (4, 3), (8, 2), (16, 1), (16, 5))
    for rates in (UNIFORM, EXTREME, HIGH, LOW)
)


def alarms(at: Cell, B: int) -> Array:
    """Shares of p_value <= 5%, of p_run <= 1%, and of either: the line under a table."""
    law, rng, out = law_of(at), np.random.default_rng([9, at.M, at.N, at.L]), np.zeros(3)
    for _ in range(B):
        x = sinf.run_variation(law.draw(rng), w=options_of(at)[1].get("w"))
        a, b = x.p_value <= ALARMS[0], x.p_run <= ALARMS[1]
        out += [a, b, a or b]
    return out / B


def table_tests(B: int) -> None:
    """False alarms of the test of runs, and how often it detects differences."""
    header("p_value <= .05; p_run <= .01; either: models x runs", [f"{M} questions" for M in (5, 30, 100, 500)])
    for rates in (UNIFORM, EXTREME, HIGH, LOW):
        for N, L in dict.fromkeys((x.N, x.L) for x in TESTED):
            each = [alarms(x, B) for x in TESTED if (x.N, x.L, x.rates) == (N, L, rates)]
            name = "Beta({:g}, {:g}), {} x {}".format(*rates, L, N)
            row(name, ["; ".join(f"{100 * y:.1f}" for y in x) for x in each])
    header("detected", ("p_value <= .05", "p_run <= .01", "either"))
    for M, N in ((500, 4), (1319, 8)):
        cells = [Cell(M, N, L, sd) for L, sd in ((10, 0.01), (10, 0.02), (2, 0.02))]
        for at in (*cells, *(Cell(M, N, L, effect="one broken run") for L in (2, 10))):
            row(str(at), [f"{100 * y:.0f}" for y in alarms(at, B // 4)])


def log_folders(root: Path) -> list[Path]:
    """The folders of genuine logs, which have one more level where a tool has several of them."""
    return [x for folder in sorted(root.glob("*")) for x in (sorted(folder.glob("*")), [folder])[folder.name in WHOLE]]


def table_logs(files: Sequence[str]) -> None:
    """The runs of genuine logs."""
    columns = ("models, questions, runs", "ratio", "df", "p_value", "sd in points", "largest deviation", "p_run")
    header("log: benchmark", columns)
    folders = log_folders(Path(os.environ["SCORIO_LOGS"])) if "SCORIO_LOGS" in os.environ else []
    examples = sorted((Path(__file__).parent.parent / "spec/examples").glob("*.csv"))
    for path in [*map(Path, files), *folders, *examples]:
        try:
            log = read(path, missing="drop", files_are_runs=path.name.endswith("_runs"))
        except (InvalidInput, OSError):
            continue
        for name, part in log.benchmarks.items():
            if (x := part.run_variation) is None:
                continue
            models, scale = part.logs.values(), (max(part.scores) - min(part.scores)) / 100
            size = (len(models), max(y.counts.M for y in models), max(y.runs.runs for y in models if y.runs))
            cells = [", ".join(map(str, size)), f"{x.ratio:.2f}", f"{x.df:.1f}", f"{x.p_value:.2g}"]
            cells += [f"{x.sd / scale:.1f}", f"{x.deviation / scale:+.1f}", f"{x.p_run:.2g}"]
            row(f"{path.parent.name}/{path.name}: {name or '-'}", cells)


# --- the search ------------------------------------------------------------------------------------------


def random_cell(rng: Rng) -> Cell:
    """A random cell of at most 40,000 outcomes."""
    M, N = int(np.exp(rng.uniform(np.log(5), np.log(1500)))), int(rng.choice((2, 3, 4, 5, 8, 12, 16)))
    L, sd = int(rng.choice((2, 3, 5, 10, 20))), float(rng.choice((0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04)))
    rates = (UNIFORM, EXTREME, HIGH, LOW, (0.6, 0.5), (5.0, 5.0))[rng.integers(6)]
    metric, k = (("mean", None), ("pass@k", 2), ("pass@k", 4), ("graded", None))[rng.integers(4)]
    effect, questions = str(rng.choice(("each", "heavy tails"))), str(rng.choice(("fixed", "fixed", "sampled")))
    at = Cell(M, N, L, sd, rates, effect, metric, k, questions)
    return at if M * N * L <= 40000 and 2 * (k or 1) <= max(N, 2) else random_cell(rng)


def search(seconds: float, seed: int) -> None:
    """Print the worst cells by metric, simulated anew with more logs each time."""
    rng, start = np.random.default_rng(seed), process_time()
    seen: list[tuple[float, Cell]] = []
    while process_time() - start < 0.6 * seconds:
        try:
            at = random_cell(rng)
            seen.append((measure(at, 200, 1, "p")["p"][1], at))
        except ValueError:  # no shift has this standard deviation
            continue
    header(f"worst of {len(seen)} cells, mean {100 * np.mean([x for x, _ in seen]):.1f}", ("fixed → sampled", "logs"))
    for metric, questions in (("mean", "fixed"), ("pass@k", "fixed"), ("graded", "fixed"), ("", "sampled")):
        of = [x for x in seen if x[1].metric.startswith(metric) and x[1].questions == questions]
        again = [(measure(at, 800, 2, "p")["p"][1], at) for _, at in sorted(of, reverse=True)[:6]]
        for _, at in sorted(again, reverse=True)[:2]:
            row(str(at), ["{:.1f} → {:.1f}".format(*(100 * measure(at, 4000, 3, "p")["p"])), 4000])


# --- the statements --------------------------------------------------------------------------------------

KNOWN = (Cell(500, 4, 10, 0.0), Cell(500, 4, 10, 0.02), Cell(1319, 8, 2, 0.02), Cell(30, 8, 2, 0.02), Cell(30, 2, 2))


def short() -> None:
    """The known cells, with bounds."""
    B, ignored = 300, 0.0
    header("fixed → sampled", COLUMNS)
    for at in KNOWN:
        x = measure(at, B, 5, "pcrg" if at.L == 10 else "pcg")
        row(str(at), texts(x))
        for s, bound in (("p", BOUND), ("c", BOUND), ("r", BOUND), ("g", GATE_BOUND)):
            if s in x and above(x[s][1], bound, B):
                failures.append(f"{at}: an error of {100 * x[s][1]:.1f}% with runs sampled")
        ignored = max(ignored, x["p"][0])
    if not above(ignored, BOUND, B):
        failures.append("no error of the rule that ignores runs is above the bound: these cells show nothing")
    header("false alarms", ("p_value <= .05", "p_run <= .01", "either"))
    for at in (Cell(30, 4, 3), Cell(100, 2, 5, rates=EXTREME), Cell(100, 16, 1)):
        x = alarms(at, 2 * B)
        row(str(at), [f"{100 * y:.1f}" for y in x])
        if above(x[2], ALARM_BOUND, 2 * B):
            failures.append(f"{at}: {100 * x[2]:.1f}% false alarms")
    power = most_power(6, 2.4)
    print(f"\nlimit of the power with 6 degrees of freedom: {100 * power:.1f}%")
    if not 0.5 < power < 0.6:
        failures.append(f"the limit of the power is {power:.3f}")


def main() -> None:
    """Print the tables; with --short exit with an error where a bound is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="few cells, with bounds")
    parser.add_argument("--only", default="", metavar="NAME", help="tables whose names start with this")
    parser.add_argument("--cells", default="", metavar="TEXT", help="of tables A to C: those whose names contain this")
    parser.add_argument("--samples", type=int, default=2000, help="simulated logs of a cell")
    parser.add_argument("--logs", nargs="+", default=[], metavar="FILE", help="logs for table F")
    parser.add_argument("--search", action="store_true", help="the worst of random cells")
    parser.add_argument("--seconds", type=float, default=400, help="processor time of the search")
    parser.add_argument("--seed", type=int, default=1, help="seed of the search")
    args = parser.parse_args()
    B = args.samples
    tables: dict[str, tuple[str, Callable[[], None]]] = {
        "A": ("Errors in ordinary cells", lambda: table_errors(ORDINARY, B, args.cells)),
        "B": ("Errors with other metrics, questions and logs", lambda: table_errors(FURTHER, B, args.cells)),
        "C": ("Errors where runs differ otherwise", lambda: table_errors(HOSTILE, B, args.cells)),
        "D": ("Power where runs do not differ", lambda: table_power(B)),
        "E": ("The test of runs", lambda: table_tests(B)),
        "F": ("Genuine logs", lambda: table_logs(args.logs)),
    }
    if args.short:
        short()
    elif args.search:
        search(args.seconds, args.seed)
    else:
        for name, (title, table) in tables.items():
            if name.startswith(args.only):
                print(f"\n## {name}. {title}")
                table()
    if failures:
        sys.exit("; ".join(failures))


if __name__ == "__main__":
    main()
