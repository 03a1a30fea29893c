"""Ratings from battles: coverage of intervals, false claims about ranks, speed, and invariance to names and order.

    python bench/battles.py            the tables, some minutes
    python bench/battles.py --short    half a minute, two rows
    python bench/battles.py --speed    only times, beside arena-rank, evalica and choix where installed

The first two fail where scorio's coverage or error rate is out of bounds, where a method that ignores
clusters covers too often, or where names or order change a result.

"model" takes variances from the inverse curvature of the likelihood, with the normal quantile; "arena-rank" is the
formula of that package, a sandwich estimate from single rows with the same quantile; "bootstrap" takes percentiles of
100 bootstrap samples of the rows, for evalica and choix, which have no interval of their own (evalica resamples by
scipy). "arena-rank" and "bootstrap" claim that one model is above another if their intervals do not overlap.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy.special import stdtrit

from scorio import rank
from scorio.arithmetic.double_double import ONE, value
from scorio.inference.difference import is_significant
from scorio.inference.pairs import holm
from scorio.rank.bradley_terry import fitted_groups_of, parse_battle_request

# without this folder: Numba imports a package named coverage if there is one, and would get coverage.py from here
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
Array = np.ndarray
Rng = np.random.Generator
WORDS = ("model_a", "tie", "model_b")
Z = 1.959963984540054


# --- simulated battles: pairs (n, 2), outcomes (n,), clusters (n,), true strengths (L,) --------------------


def outcomes(rng: Rng, x: Array, ties: float) -> Array:
    """Outcomes with expected score x: 0 a win of the first, 1 a tie, 2 a loss; ties: share of ties where x is 1/2."""
    t = 2 * ties * np.minimum(x, 1 - x)
    u = rng.random(x.shape)
    return np.where(u < x - t / 2, 0, np.where(u < x + t / 2, 1, 2))


def balanced(rng: Rng, L: int = 8, each: int = 10, ties: float = 0.3, highest: float = 0.8) -> Any:
    """Battles in which every pair meets equally often; strengths are evenly spaced from -highest to highest."""
    pairs = np.repeat(np.array(list(combinations(range(L), 2))), each, axis=0)
    theta = np.linspace(-highest, highest, L)
    x = 1 / (1 + np.exp(theta[pairs[:, 1]] - theta[pairs[:, 0]]))
    return pairs, outcomes(rng, x, ties), np.arange(len(pairs)), theta


def rarely_met(rng: Rng, L: int = 8) -> Any:
    """Battles in which the last model meets each other model twice, and every other pair meets 50 times."""
    pairs = np.array([p for p in combinations(range(L), 2) for _ in range(2 if p[1] == L - 1 else 50)])
    theta = np.linspace(-0.8, 0.8, L)
    x = 1 / (1 + np.exp(theta[pairs[:, 1]] - theta[pairs[:, 0]]))
    return pairs, outcomes(rng, x, 0.3), np.arange(len(pairs)), theta


def two_models(rng: Rng) -> Any:
    """Battles of two models: ten, most of them ties."""
    pairs = np.tile([0, 1], (10, 1))
    theta = np.array([0.0, 0.0])
    return pairs, outcomes(rng, np.full(10, 0.5), 0.85), np.arange(10), theta


def clustered(rng: Rng, M: int, L: int = 8) -> Any:
    """Battles of all pairs on every question; models are equal on average, not on each question."""
    every = np.array(list(combinations(range(L), 2)))
    pairs, theta = np.tile(every, (M, 1)), np.zeros(L)
    e = rng.normal(0, 1, (M, L))
    q = np.repeat(np.arange(M), len(every))
    x = 1 / (1 + np.exp(e[q, pairs[:, 1]] - e[q, pairs[:, 0]]))
    return pairs, outcomes(rng, x, 0.2), q, theta


def voters(rng: Rng, G: int, L: int = 6, n: int = 400) -> Any:
    """Battles by voters with their own tastes, a few of whom cast most of the votes."""
    w = 1 / np.arange(1, G + 1)
    q = rng.choice(G, n, p=w / w.sum())
    pairs = np.array([rng.choice(L, 2, replace=False) for _ in range(n)])
    e = rng.normal(0, 0.8, (G, L))
    x = 1 / (1 + np.exp(e[q, pairs[:, 1]] - e[q, pairs[:, 0]]))
    return pairs, outcomes(rng, x, 0.2), q, np.zeros(L)


def columns(pairs: Array, y: Array, q: Array) -> dict[str, list[Any]]:
    """Battles as columns, the form that the package takes."""
    names = [f"m{i:03}" for i in range(int(pairs.max()) + 1)]
    return {"model_a": [names[i] for i in pairs[:, 0]], "model_b": [names[i] for i in pairs[:, 1]],
            "winner": [WORDS[k] for k in y], "question": q.tolist()}  # fmt: skip


# --- coverage ---------------------------------------------------------------------------------------------


class OtherFormulas:
    """Ratings with mean 0, and their variances, by the formulas of other programs, in doubles.

    D has a row for each battle, with 1 at the first model and -1 at the second; y is the score of the first model.
    """

    def __init__(self, pairs: Array, y: Array, L: int) -> None:
        self.D, self.y, self.L = np.eye(L)[pairs[:, 0]] - np.eye(L)[pairs[:, 1]], 1 - y / 2, L
        self.theta = self.fit(np.ones((1, len(y))))[0]
        self.x = 1 / (1 + np.exp(-self.D @ self.theta))
        self.H = (self.D * (self.x * (1 - self.x))[:, None]).T @ self.D

    def fit(self, weights: Array) -> Array:
        """Ratings (samples, L) if battle k counts weights[:, k] times, by Newton steps of at most 1."""
        theta = np.zeros((len(weights), self.L))
        for _ in range(30):
            x = 1 / (1 + np.exp(-theta @ self.D.T))
            g, w = (weights * (self.y - x)) @ self.D, weights * x * (1 - x)
            H = np.einsum("ki,bk,kj->bij", self.D, w, self.D, optimize=True) + 1 / self.L
            step = np.linalg.solve(H + 1e-9 * np.eye(self.L), g[..., None])[..., 0]
            theta += step * np.minimum(1, 1 / (np.abs(step).max(1, keepdims=True) + 1e-300))
        return theta - theta.mean(1, keepdims=True)

    def arena_variances(self) -> Array:
        """Covariance matrix of arena-rank 0.1.1: the sandwich of rows, with 1e-5 per row added to the curvature."""
        X = np.linalg.inv(self.H + 1e-5 * len(self.y) * np.eye(self.L))
        s = self.D * (self.y - self.x)[:, None]
        return X @ (s.T @ s) @ X

    def bootstrap(self, rng: Rng, samples: int = 100) -> Array:
        """Ratings (samples, L) of bootstrap samples of the rows."""
        n = len(self.y)
        return self.fit(rng.multinomial(n, np.full(n, 1 / n), samples).astype(float))


def disjoint(lo: Array, hi: Array) -> Array:
    """Matrix (L, L): whether the interval of model i is above that of model j as a whole."""
    return lo[:, None] > hi[None, :]


class Results:
    """Results of one program: coverage of differences, runs with a false claim, share of true differences claimed."""

    def __init__(self) -> None:
        self.hits, self.pairs, self.wrong, self.right, self.runs = 0, 0, 0, 0.0, 0

    def add(self, covers: Array | None, above: Array | None, truth: Array) -> None:
        """Add a run. covers: whether each interval covers; above[i, j]: i is claimed above j; None: not measured."""
        if covers is not None:
            self.hits, self.pairs = self.hits + int(covers.sum()), self.pairs + covers.size
        if above is not None:
            true = truth[:, None] > truth[None, :]
            self.runs, self.wrong = self.runs + 1, self.wrong + bool((above & ~true).any())
            self.right += float((above & true).sum() / max(true.sum(), 1))

    def text(self) -> str:
        """Table cell: coverage, runs with a false claim, share of true differences that are claimed, in percent."""
        n, runs = max(self.pairs, 1), max(self.runs, 1)
        cells = [f"{100 * self.hits / n:.1f}" if self.pairs else "-"]
        cells += [f"{100 * x / runs:.1f}" if self.runs else "-" for x in (self.wrong, self.right)]
        return " / ".join(cells)


def scorio_claims(group: Any, truth: Array) -> tuple[Array, Array]:
    """Whether scorio's intervals cover each difference, and the matrix of models ranked above others by Holm's rule."""
    L = truth.size
    a, b = np.array(list(combinations(range(L), 2))).T
    d = group.contrasts().differences(a, b)
    D = np.array([value(group.fit.log_ratio(i, j)) for i, j in zip(a, b, strict=True)])
    half_width = np.array(
        [np.inf if x is None else value(x.standard_error) * stdtrit(value(x.freedom), 0.975) for x in d]
    )
    p = holm([ONE if x is None else x.p_value() for x in d])
    significant, above = np.array([is_significant(x, 0.95) for x in p]), np.zeros((L, L), bool)
    above[a, b], above[b, a] = significant & (D > 0), significant & (D < 0)
    return np.abs(D - (truth[a] - truth[b])) <= half_width, above


def measure_programs(battles: Callable[[Rng], Any], seed: int, runs: int, clusters: bool) -> dict[str, Results]:
    """Results of every program on the same battles; runs in which a model cannot be rated are left out."""
    rng, results = np.random.default_rng(seed), {name: Results() for name in PROGRAMS}
    for _ in range(runs):
        pairs, y, q, truth = battles(rng)
        request = parse_battle_request(
            columns(pairs, y, q),
            ties="half",
            position_bias=False,
            both_bad="tie",
            cluster="question" if clusters else None,
        )
        group = fitted_groups_of(request)[0]
        if group.fit is None or group.fit.size < truth.size:
            continue
        a, b = np.array(list(combinations(range(truth.size), 2))).T
        other = OtherFormulas(pairs, y, truth.size)
        off, V = np.abs(other.theta[a] - other.theta[b] - (truth[a] - truth[b])), np.linalg.pinv(other.H)
        results["model"].add(off <= Z * np.sqrt(np.maximum(V[a, a] + V[b, b] - 2 * V[a, b], 0)), None, truth)
        V = other.arena_variances()
        half = Z * np.sqrt(np.diag(V))
        claims = disjoint(other.theta - half, other.theta + half)
        results["arena-rank"].add(off <= Z * np.sqrt(np.maximum(V[a, a] + V[b, b] - 2 * V[a, b], 0)), claims, truth)
        resampled = other.bootstrap(rng)
        lo, hi = np.quantile(resampled[:, a] - resampled[:, b], [0.025, 0.975], axis=0)
        true, claims = truth[a] - truth[b], disjoint(*np.quantile(resampled, [0.025, 0.975], axis=0))
        results["bootstrap"].add((lo <= true) & (true <= hi), claims, truth)
        results["scorio"].add(*scorio_claims(group, truth), truth)
    return results


PROGRAMS = ("model", "arena-rank", "bootstrap", "scorio")
DESIGNS: dict[str, tuple[Callable[[Rng], Any], bool]] = {
    "8 models, 10 battles a pair, 20% ties": (balanced, False),
    "8 equal models, 10 battles a pair": (lambda rng: balanced(rng, highest=0.0), False),
    "8 models, 3 battles a pair": (lambda rng: balanced(rng, each=3), False),
    "8 models, one with 14 battles of 1,064": (rarely_met, False),
    "2 models, 10 battles, 85% ties": (two_models, False),
    "28 pairs a question, 20 questions": (lambda rng: clustered(rng, 20), True),
    "28 pairs a question, 50 questions": (lambda rng: clustered(rng, 50), True),
    "40 voters, a few with most votes": (lambda rng: voters(rng, 40), True),
}
BOUNDS = {  # bounds of scorio's coverage, wide enough for 60 runs
    "8 models, 10 battles a pair, 20% ties": (93.0, 97.0),
    "28 pairs a question, 20 questions": (92.5, 97.5),
}


def coverage(runs: int, names: list[str]) -> int:
    """Print the table of coverage; return how many checks fail."""
    print("differences covered / runs with a false claim of rank / true differences claimed, in % (nominal 95 / 5 / -)")
    print(f"{'':40}" + "".join(f"{name:>20}" for name in PROGRAMS))
    failed = 0
    for name in names:
        battles, clusters = DESIGNS[name]
        results = measure_programs(battles, 100 + list(DESIGNS).index(name), runs, clusters)
        shown = "".join(f"{results[x].text():>20}" for x in PROGRAMS)
        print(f"{name:40}{shown}   {results['scorio'].runs} runs", flush=True)
        low, high = BOUNDS.get(name, (0.0, 100.0))
        share = {x: 100 * t.hits / t.pairs for x, t in results.items()}
        # 12% with a false claim: nominal 5%, and 2.5 Monte Carlo standard errors of 60 runs
        failed += not low <= share["scorio"] <= high or results["scorio"].wrong > 0.12 * results["scorio"].runs
        # the method that ignores clusters must cover too rarely where a question has many battles
        failed += clusters and "questions" in name and share["model"] > 92.0
    return failed


def unrated(runs: int, L: int, each: int) -> None:
    """Print false claims of rank ranges among equal models with so few battles that some cannot be rated."""
    rng, wrong, without_rating = np.random.default_rng([5, L, each]), 0, 0
    for _ in range(runs):
        pairs, y, q, _ = balanced(rng, L, each, ties=0.0, highest=0.0)
        r = rank.bradley_terry({k: x for k, x in columns(pairs, y, q).items() if k != "question"})
        without_rating += None in r.rating
        wrong += r.best != [1] * L
    text = (
        f"{L} equal models, {each} battles a pair: some model cannot be rated in {100 * without_rating / runs:.0f}% of"
    )
    print(f"{text} {runs} runs; a false claim about ranks in {100 * wrong / runs:.1f}%", flush=True)


# --- speed and invariance -----------------------------------------------------------------------------------


def random_battles(L: int, n: int, seed: int = 1) -> Any:
    """Random battles of random pairs."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 0.7, L)
    first = rng.integers(0, L, n)
    second = (first + rng.integers(1, L, n)) % L
    pairs = np.stack([first, second], 1)
    x = 1 / (1 + np.exp(theta[second] - theta[first]))
    return pairs, outcomes(rng, x, 0.2)


def timed(f: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of the second call, over all threads, and its result."""
    f()
    start = process_time()
    result = f()
    return process_time() - start, result


def speed() -> None:
    """Print processor seconds for ratings of L models from n battles, and the largest error of theta.

    The error is the distance from scorio's, the maximum-likelihood estimate.
    """
    print(f"\n{'L':>5} {'battles':>8}  {'program':34} {'seconds':>8} {'largest error of theta':>24}")
    for L, n in ((60, 100_000), (1000, 100_000)):
        pairs, y = random_battles(L, n)
        data = columns(pairs, y, np.zeros(n, int))
        del data["question"]
        seconds, r = timed(lambda data=data: rank.bradley_terry(data))
        truth = np.array(r.theta)
        what = "scorio: ratings, intervals, ranks" if r.best else "scorio: ratings"
        print(f"{L:5} {n:8}  {what:34} {seconds:8.2f} {'0 (correctly rounded)':>24}", flush=True)
        for name, run in other_programs(pairs, y, L).items():
            try:
                seconds, theta = timed(run)
                off = f"{np.max(np.abs(theta - theta.mean() - truth)):.1e}"
                print(f"{L:5} {n:8}  {name:34} {seconds:8.2f} {off:>24}", flush=True)
            except Exception as e:
                print(f"{L:5} {n:8}  {name:34} {type(e).__name__}: {str(e)[:40]}", flush=True)


def other_programs(pairs: Array, y: Array, L: int) -> dict[str, Callable[[], Array]]:
    """Functions that compute ratings by the other installed packages, as log strengths."""
    programs: dict[str, Callable[[], Array]] = {}
    names = [f"m{i:03}" for i in range(L)]
    if importlib.util.find_spec("arena_rank"):
        import pandas as pd
        from arena_rank.models.bradley_terry import BradleyTerry
        from arena_rank.utils.data_utils import PairDataset

        def arena_strengths() -> Array:
            frame = pd.DataFrame({k: x for k, x in columns(pairs, y, y).items() if k != "question"})
            data = PairDataset.from_pandas(frame)
            r = BradleyTerry(len(data.competitors)).compute_ratings_and_cis(data)
            return np.asarray(r["ratings"] - 1000) * np.log(10) / 400

        programs["arena-rank: ratings, intervals"] = arena_strengths
    if importlib.util.find_spec("evalica"):
        import evalica

        words = [(evalica.Winner.X, evalica.Winner.Draw, evalica.Winner.Y)[k] for k in y]
        xs, ys = [names[i] for i in pairs[:, 0]], [names[i] for i in pairs[:, 1]]

        def evalica_strengths() -> Array:
            scores = evalica.bradley_terry(xs, ys, words).scores
            return np.log(np.array([scores[name] for name in names]))

        programs["evalica: ratings"] = evalica_strengths
    if importlib.util.find_spec("choix"):
        import choix

        wins = [(a, b) if k == 0 else (b, a) for (a, b), k in zip(pairs.tolist(), y, strict=True) if k != 1]
        halves = [x for (a, b), k in zip(pairs.tolist(), y, strict=True) if k == 1 for x in ((a, b), (b, a))]
        data = [x for x in wins for _ in range(2)] + halves  # a tie as half a win for each
        programs["choix: ratings"] = lambda: choix.ilsr_pairwise(L, data)
    return programs


def invariance() -> None:
    """Print how many results differ when rows are shuffled and models renamed; exit with an error if any does."""
    pairs, y = random_battles(20, 3000)
    order = np.random.default_rng(2).permutation(len(y))
    new = np.random.default_rng(3).permutation(20)
    a, b = (columns(p, k, np.zeros(len(k), int)) for p, k in ((pairs, y), (new[pairs[order]], y[order])))
    x, z = rank.bradley_terry(a), rank.bradley_terry(b)
    differ = sum(getattr(x, f)[i] != getattr(z, f)[new[i]] for f in ("theta", "lo", "hi", "best") for i in range(20))
    print(f"\n20 models, rows shuffled and models renamed: {differ} of 80 results differ")
    if differ:
        sys.exit(1)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--runs", type=int, default=0, help="runs of each row (default 400; 60 with --short)")
    args = parser.parse_args()
    if args.speed:
        speed()
        return
    failed = coverage(args.runs or (60 if args.short else 400), list(BOUNDS) if args.short else list(DESIGNS))
    for L, each in () if args.short else ((4, 2), (3, 3), (6, 1)):
        unrated(args.runs or 400, L, each)
    invariance()
    if not args.short:
        speed()
    if failed:
        sys.exit(f"{failed} checks failed")


if __name__ == "__main__":
    main()
