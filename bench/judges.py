"""Coverage of means and differences corrected by human labels, on simulated judges whose errors are known.

    python bench/judges.py            the tables, some minutes
    python bench/judges.py --short    half a minute, fewer runs and cells

Both fail where an interval of the package covers too rarely, or where labels that favour easy questions do not lower
coverage on fixed questions.

The intervals of the package are compared with others in use: Wilson's for the labels alone, that of Lang and Reiczigel
(2014) for Rogan and Gladen's estimate, and PPI++ of ppi_py (Angelopoulos, Duchi and Zrnic 2023) where it is installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from scorio import eval, sinf

# coverage.py beside this file is not the package of that name, which Numba imports if there is one
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
try:
    from ppi_py import ppi_mean_ci
except ImportError:
    ppi_mean_ci = None

Array = np.ndarray
Rng = np.random.Generator
Z = 1.959963984540054  # of 95% intervals
SINGLE = (  # theta (the expected human score), sensitivity, specificity, outputs, labels
    (0.97, 0.98, 0.6, 500, 50), (0.05, 0.8, 0.97, 1000, 50), (0.7, 0.9, 0.8, 1000, 100), (0.5, 0.95, 0.95, 400, 40),
    (0.9, 0.95, 0.5, 300, 60), (0.3, 0.7, 0.9, 2000, 200), (0.6, 0.6, 0.6, 500, 50), (0.8, 0.99, 0.9, 1000, 30),
)  # fmt: skip
GRID = (  # questions, outputs of each, labels, beta distribution of rates, share of questions that fool the judge
    (30, 16, 60, (2, 2), 0.0), (30, 16, 60, (0.5, 0.5), 0.15), (100, 4, 80, (2, 1), 0.15),
    (100, 8, 150, (0.3, 0.6), 0.0), (200, 2, 60, (1, 1), 0.15), (60, 8, 100, (6, 2), 0.15),
)  # fmt: skip


class Data(NamedTuple):
    """The human score and the verdict of every output."""

    truth: Array
    verdicts: Array


def verdicts_of(rng: Rng, truth: Array, sensitivity: float, specificity: float) -> Array:
    """Verdicts of a simulated judge."""
    return (rng.random(truth.shape) < np.where(truth == 1, sensitivity, 1 - specificity)).astype(int)


def choose_labels(rng: Rng, x: Data, n: int, design: str, favour: Array | None = None) -> Array:
    """Human scores of n outputs, NaN elsewhere: at random (weights: `favour`), or equally many of each verdict."""
    flat, out = x.verdicts.ravel(), np.full(x.verdicts.size, np.nan)
    if design == "balanced":
        kinds = np.unique(flat)
        chosen = [rng.permutation(np.flatnonzero(flat == g))[: n // kinds.size] for g in kinds]
        at = np.concatenate(chosen)
    else:
        keys = rng.exponential(size=flat.size) / (1 if favour is None else favour.ravel())
        at = np.argsort(keys)[:n]
    out[at] = x.truth.ravel()[at]
    return out.reshape(x.verdicts.shape)


def single(rng: Rng, parameters: tuple[float, ...]) -> Data:
    """Data with one output of each question."""
    theta, sensitivity, specificity, N, _ = parameters
    truth = (rng.random((int(N), 1)) < theta).astype(int)
    return Data(truth, verdicts_of(rng, truth, sensitivity, specificity))


class QuestionSet(NamedTuple):
    """Success rates of questions, and whether each fools the judge, who then passes every output."""

    rates: Array
    fooled: Array


def questions(rng: Rng, M: int, parameters: tuple[float, float], share: float) -> QuestionSet:
    """Random questions: rates from Beta(*parameters), a share of which fools the judge."""
    return QuestionSet(rng.beta(*parameters, M), rng.random(M) < share)


def sample_outputs(rng: Rng, b: QuestionSet, N: int) -> Data:
    """Data with N outputs of each question."""
    truth = (rng.random((b.rates.size, N)) < b.rates[:, None]).astype(int)
    return Data(truth, np.where(b.fooled[:, None], 1, verdicts_of(rng, truth, 0.9, 0.8)))


# --- the other intervals ------------------------------------------------------------------------------


def labels_only(x: Data, labels: Array) -> tuple[float, float]:
    """Wilson's interval of the labels alone."""
    y = labels[~np.isnan(labels)]
    p, q = y.mean(), Z * Z / y.size
    half = np.sqrt(q * p * (1 - p) + q * q / 4)
    return (p + q / 2 - half) / (1 + q), (p + q / 2 + half) / (1 + q)


def rogan_gladen(x: Data, labels: Array) -> tuple[float, float]:
    """Rogan and Gladen's estimate from sensitivity and specificity, with the interval of Lang and Reiczigel."""
    is_labelled = ~np.isnan(labels)
    y, v = labels[is_labelled], x.verdicts[is_labelled]
    m1, m0 = (y == 1).sum() + 2, (y == 0).sum() + 2
    se, sp = ((y == 1) & (v == 1)).sum() + 1, ((y == 0) & (v == 0)).sum() + 1
    se, sp, N = se / m1, sp / m0, x.verdicts.size + Z * Z
    w, J = (x.verdicts.sum() + Z * Z / 2) / N, se + sp - 1
    if J <= 0:
        return 0.0, 1.0
    theta = (w + sp - 1) / J
    a, b = se * (1 - se) / m1, sp * (1 - sp) / m0
    half = Z * np.sqrt(w * (1 - w) / N + (1 - theta) ** 2 * b + theta**2 * a) / J
    middle = theta + 2 * Z * Z * (theta * a - (1 - theta) * b)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def ppi(x: Data, labels: Array) -> tuple[float, float]:
    """Interval of PPI++, from the labelled outputs and the verdicts of the unlabelled outputs."""
    is_labelled = ~np.isnan(labels)
    y, v, u = labels[is_labelled], x.verdicts[is_labelled].astype(float), x.verdicts[~is_labelled].astype(float)
    lo, hi = ppi_mean_ci(y, v, u, alpha=0.05)
    return float(np.ravel(lo)[0]), float(np.ravel(hi)[0])


def scorio_interval(target: str) -> Callable[[Data, Array], tuple[float, float]]:
    """Function that computes the interval of the package for a target."""

    def interval(x: Data, labels: Array) -> tuple[float, float]:
        r = eval.judged(x.verdicts, labels, questions=target)
        return r.lo, r.hi

    return interval


# --- the tables ---------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """Coverage and mean width of intervals."""

    covers: float
    width: float


def cell(truths: Array, ends: list[tuple[float, float]]) -> Cell:
    """Coverage of true values by intervals, and the mean width of these."""
    lo, hi = np.array(ends).T
    return Cell(float(((lo <= truths) & (truths <= hi)).mean()), float((hi - lo).mean()))


def single_output_coverage(
    B: int, parameters: tuple[float, ...], design: str, methods: dict[str, Callable]
) -> dict[str, Cell]:
    """Coverage with one output of each question; "outputs" should cover the mean of these outputs, others the rate."""
    ends, truth = {name: [] for name in methods}, []
    rng = np.random.default_rng([7, int(1000 * parameters[0]), int(parameters[3]), design == "random"])
    for _ in range(B):
        x = single(rng, parameters)
        labels = choose_labels(rng, x, int(parameters[4]), design)
        truth.append(x.truth.mean())
        for name, f in methods.items():
            ends[name].append(f(x, labels))
    return {
        name: cell(np.array(truth) if name == "outputs" else np.full(B, parameters[0]), intervals)
        for name, intervals in ends.items()
    }


def grid_coverage(B: int, i: int, design: str, methods: dict[str, Callable]) -> dict[str, Cell]:
    """Coverage with several outputs of each question; fixed questions are the same in every run."""
    M, N, n, parameters, share = GRID[i]
    ends, truth = {name: [] for name in methods}, []
    rng = np.random.default_rng([8, i, design == "random"])
    fixed_set = questions(rng, M, parameters, share)
    for _ in range(B):
        new = questions(rng, M, parameters, share)
        for name, f in methods.items():
            b = fixed_set if name == "fixed" else new
            x = sample_outputs(rng, b, N)
            ends[name].append(f(x, choose_labels(rng, x, n, design)))
            truth.append(
                (name, {"fixed": b.rates.mean(), "outputs": x.truth.mean()}.get(name, parameters[0] / sum(parameters)))
            )
    return {name: cell(np.array([t for n_, t in truth if n_ == name]), intervals) for name, intervals in ends.items()}


def graded(B: int) -> dict[str, Cell]:
    """Coverage with five verdicts on scores 0 to 4, 60 questions with 5 outputs, 90 labels."""
    ends, truth = {"sampled": [], "fixed": []}, {"sampled": [], "fixed": []}
    rng = np.random.default_rng(9)
    fixed_set = rng.beta(2, 1.5, 60)
    for _ in range(B):
        for target in ends:
            p = fixed_set if target == "fixed" else rng.beta(2, 1.5, 60)
            y = rng.binomial(4, p[:, None], (60, 5))
            v = np.clip(y + rng.choice([-1, 0, 0, 1, 1], y.shape), 0, 4)
            labels = choose_labels(rng, Data(y, v), 90, "random")
            r = eval.judged(v, labels, [0, 1, 2, 3, 4], questions=target)
            ends[target].append((r.lo, r.hi))
            truth[target].append(4 * p.mean() if target == "fixed" else 4 * 2 / 3.5)
    return {name: cell(np.array(truth[name]), ends[name]) for name in ends}


def many_grades(B: int) -> dict[str, Cell]:
    """Coverage with few labels for each grade: 100 grades of rates .80 to .99, 50 labels; 10 of rate .1, 20 labels."""
    cells, rng = {}, np.random.default_rng(10)
    for name, G, n, rates in (
        ("100 grades", 100, 50, np.linspace(0.8, 0.99, 100)),
        ("10 grades", 10, 20, np.full(10, 0.1)),
    ):
        ends, truth = [], []
        for _ in range(B):
            v = rng.integers(0, G, (100, 2))
            y = rng.binomial(1, rates[v])
            r = eval.judged(v, choose_labels(rng, Data(y, v), n, "random"), questions="outputs")
            ends.append((r.lo, r.hi))
            truth.append(y.mean())
        cells[name] = cell(np.array(truth), ends)
    return cells


def pairs(B: int, M: int, N: int, n: int, gap: float) -> dict[str, Cell]:
    """Coverage of the difference of two models on which the judge errs differently, with and without labels."""
    ends = {"sampled": [], "fixed": [], "verdicts alone": []}
    rng = np.random.default_rng([10, M])
    fixed_set = rng.beta(1.5, 1.5, M)
    truth = dict.fromkeys(ends, np.clip(np.random.default_rng(1).beta(1.5, 1.5, 10**6) + gap, 0, 1).mean() - 0.5)
    truth["fixed"] = np.clip(fixed_set + gap, 0, 1).mean() - fixed_set.mean()
    for _ in range(B):
        for target in ends:
            p = fixed_set if target == "fixed" else rng.beta(1.5, 1.5, M)
            runs = [(rng.random((M, N)) < x[:, None]).astype(int) for x in (np.clip(p + gap, 0, 1), p)]
            a, b = (
                Data(y, verdicts_of(rng, y, *judge)) for y, judge in zip(runs, ((0.97, 0.75), (0.85, 0.9)), strict=True)
            )
            if target == "verdicts alone":
                r = sinf.compare(a.verdicts, b.verdicts, questions="sampled")
            else:
                labels = [choose_labels(rng, x, n, "random") for x in (a, b)]
                r = sinf.compare_judged(a.verdicts, b.verdicts, *labels, questions=target)
            ends[target].append((r.lo, r.hi))
    return {name: cell(np.full(B, truth[name]), ends[name]) for name in ends}


def biased_labels(B: int) -> dict[str, float]:
    """Coverage, and power of label_check, with three times the labels for easy questions, or for one verdict."""
    shares = {}
    for what in ("easy questions", "one verdict"):
        rng, covers, detected = np.random.default_rng(11), {"sampled": 0, "fixed": 0}, 0
        M, N, n, parameters, _ = GRID[0]
        fixed_set = questions(rng, M, parameters, 0.0)
        for _ in range(B):
            for target in covers:
                b = fixed_set if target == "fixed" else questions(rng, M, parameters, 0.0)
                x = sample_outputs(rng, b, N)
                easy = (b.rates > 0.5)[:, None] if what == "easy questions" else x.verdicts == 1
                labels = choose_labels(rng, x, n, "random", np.where(easy, 3.0, 1.0) + 0 * x.truth)
                r = eval.judged(x.verdicts, labels, questions=target)
                covers[target] += r.lo <= (b.rates.mean() if target == "fixed" else 0.5) <= r.hi
                c = eval.label_check(x.verdicts, labels)
                detected += (c.p_lean if what == "easy questions" else min(c.p_rate)) < 0.05
        shares |= {f"{what}, {target}": c / B for target, c in covers.items()}
        shares[f"{what}, detected by label_check"] = detected / (2 * B)
    return shares


def coverage_range(cells: list[Cell]) -> str:
    """Minimum, mean and maximum coverage in percent."""
    c = [100 * x.covers for x in cells]
    return f"{min(c):.1f} / {np.mean(c):.1f} / {max(c):.1f}"


def main() -> None:
    """Print the tables; exit with an error where a coverage is out of its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start, wrong = parser.parse_args().short, perf_counter(), []
    B = 300 if short else 500

    def check(name: str, x: float, low: float, high: float = 1.0) -> None:
        slack = 3 * (0.05 * 0.95 / B) ** 0.5  # three Monte Carlo standard errors
        if not low - slack <= x <= high + slack:
            wrong.append(f"{name}: {100 * x:.1f}%")

    named = {"sampled": scorio_interval("sampled"), "outputs": scorio_interval("outputs")}
    for design in ("random", "balanced"):
        settings = SINGLE[:3] if short else SINGLE
        cells = [single_output_coverage(B, parameters, design, named) for parameters in settings]
        for target in named:
            print(f"one output, {design}, {target}: {coverage_range([c[target] for c in cells])}", flush=True)
            for parameters, c in zip(settings, cells, strict=True):
                check(f"{parameters}, {design}, {target}", c[target].covers, 0.93)
    named = {
        "sampled": scorio_interval("sampled"),
        "fixed": scorio_interval("fixed"),
        "outputs": scorio_interval("outputs"),
    }
    for design in ("random", "balanced"):
        rows = range(2 if short else len(GRID))
        cells = [grid_coverage(B, i, design, named) for i in rows]
        for target in named:
            print(f"questions x outputs, {design}, {target}: {coverage_range([c[target] for c in cells])}", flush=True)
            for i, c in zip(rows, cells, strict=True):
                check(f"{GRID[i]}, {design}, {target}", c[target].covers, 0.925)
    by_name = graded(B) | many_grades(B)
    print("graded:", ", ".join(f"{name} {100 * c.covers:.1f}" for name, c in by_name.items()), flush=True)
    for M, N, n, gap in ((60, 6, 80, 0.0), (150, 2, 100, 0.15)):
        difference = pairs(B, M, N, n, gap)
        print(f"difference {gap}:", ", ".join(f"{x} {100 * c.covers:.1f}" for x, c in difference.items()), flush=True)
        by_name |= {f"{name}, gap {gap}": c for name, c in difference.items() if name != "verdicts alone"}
    for name, c in by_name.items():
        check(name, c.covers, 0.935)
    biased = biased_labels(B)
    print("three times the labels for", ", ".join(f"{name}: {100 * x:.1f}" for name, x in biased.items()), flush=True)
    check("coverage is not low with more labels of easy questions", biased["easy questions, fixed"], 0.0, 0.9)
    check("more labels of one verdict", biased["one verdict, fixed"], 0.93)
    methods: dict[str, Callable] = {"ours": scorio_interval("sampled")} | ({"PPI++": ppi} if ppi_mean_ci else {})
    methods |= {"Rogan-Gladen": rogan_gladen, "labels only": labels_only}
    print("coverage/width:", ", ".join(methods))
    for parameters in SINGLE[: 1 if short else 3]:
        row = single_output_coverage(B if short else 2000, parameters, "random", methods)
        print(f"{parameters}: " + "  ".join(f"{100 * c.covers:.1f}/{c.width:.3f}" for c in row.values()), flush=True)
    if not short:
        row = grid_coverage(2000, 0, "random", methods)
        print(f"{GRID[0]}: " + "  ".join(f"{100 * c.covers:.1f}/{c.width:.3f}" for c in row.values()), flush=True)
    print(f"{perf_counter() - start:.0f} s")
    if wrong:
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
