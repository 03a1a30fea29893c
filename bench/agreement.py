"""Coverage of the interval of Krippendorff's alpha by scorio.eval.agreement, on simulated ratings whose alpha is known.

    python bench/agreement.py            the tables and a long search, some minutes
    python bench/agreement.py --short    half a minute

Both fail if scorio covers too rarely, or if the jackknife covers well in a cell that should be hard for it (p of .9
or more: one category is rare). The jackknife is of log(1 - alpha), over items. In names of cells, "50 items x 5" are 50
items of five ratings each. Coefficients are compared with those of krippendorff, statsmodels and irrCAC where these are
installed.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from scorio import Counts, eval
from scorio.arithmetic.distributions import t_quantile
from scorio.arithmetic.double_double import ext, value

# without this folder: Numba imports a package named coverage if there is one, and would get coverage.py from here
sys.path[:] = [x for x in sys.path if Path(x).resolve() != Path(__file__).resolve().parent]
Array = np.ndarray
MOSTLY_TWO = (2,) * 9 + (30,)  # numbers of ratings: one item in ten has 30 ratings, the others two


class Population(NamedTuple):
    """A population of items: shares of kinds, rates of the categories in each kind, numbers of ratings, scores.

    shares has shape (kinds,), rates (kinds, categories). An item has one of the numbers of ratings (sizes), chosen at
    random. scores None: categories without scores.
    """

    shares: Array
    rates: Array
    sizes: tuple[int, ...]
    scores: tuple[float, ...] | None = None

    @property
    def distances(self) -> Array:
        """Disagreement of each pair of categories: 1, or with scores the squared difference."""
        C = self.rates.shape[1]
        return 1.0 - np.eye(C) if self.scores is None else np.subtract.outer(self.scores, self.scores) ** 2

    @property
    def alpha(self) -> float:
        """Krippendorff's alpha of the population."""
        d, p = self.distances, self.shares @ self.rates
        within = np.einsum("k,kc,cd,kd->", self.shares, self.rates, d, self.rates)
        return float(1 - within / (p @ d @ p))

    def sample(self, M: int, rng: np.random.Generator) -> Array:
        """Counts of the categories in M random items."""
        kinds = rng.choice(self.shares.size, M, p=self.shares)
        return rng.multinomial(rng.choice(self.sizes, M), self.rates[kinds])


def beta_binomial(p: float, alpha: float, *sizes: int) -> Population:
    """Population with binary ratings: 400 kinds of items, whose rates approximate a beta distribution."""
    s, rng = 1 / alpha - 1, np.random.default_rng(7)
    q = np.sort(rng.beta(p * s, (1 - p) * s, (200, 400)), axis=None).reshape(400, 200).mean(1)
    return Population(np.full(400, 1 / 400), np.stack([1 - q, q], 1), sizes)


def jackknife(x: Array, d: Array, t: float) -> tuple[float, float]:
    """Interval of alpha by the jackknife of log(1 - alpha) over items.

    x: counts of the categories in each item; d: disagreement of each pair of categories; t: quantile.
    """
    m = x.sum(1)
    a, N = np.einsum("ic,cd,id->i", x, d, x) / (m - 1), x.sum(0)
    rest, n = N - x, N.sum() - m
    with np.errstate(all="ignore"):
        full = np.log((N.sum() - 1) * a.sum() / (N @ d @ N))
        each = np.log((n - 1) * (a.sum() - a) / np.einsum("ic,cd,id->i", rest, d, rest))
        half = t * np.std(m.size * full - (m.size - 1) * each, ddof=1) / m.size**0.5
        return 1 - np.exp(full + half), 1 - np.exp(full - half)


class Coverage(NamedTuple):
    """Coverage of alpha by two methods, scorio's median width, and the share of samples without an interval."""

    ours: float
    jackknife: float
    width: float
    undefined: float


def measure_coverage(population: Population, M: int, B: int, seed: int) -> Coverage:
    """Coverage in B samples of M items; samples with a single category have no interval and are counted apart."""
    rng, truth, d = np.random.default_rng(seed), population.alpha, population.distances
    hits, jackknife_hits, widths = 0, 0, []
    t = value(t_quantile(ext(0.025), ext(float(M - 1))))
    for _ in range(B):
        x = population.sample(M, rng)
        r = eval.agreement(Counts(x), population.scores)
        if r.lo is None or r.hi is None:
            continue
        hits += r.lo - 1e-12 <= truth <= r.hi + 1e-12
        low, high = jackknife(x, d, t)
        jackknife_hits += bool(low - 1e-12 <= truth <= high + 1e-12)  # False where it is NaN
        widths.append(r.hi - r.lo)
    if not (n := len(widths)):
        return Coverage(1.0, 1.0, 2.0, 1.0)
    return Coverage(hits / n, jackknife_hits / n, float(np.median(widths)), 1 - n / B)


CELLS = {
    "50 items x 5, p .5, alpha .5": (beta_binomial(0.5, 0.5, 5), 50),
    "100 x 3, p .7, alpha .8": (beta_binomial(0.7, 0.8, 3), 100),
    "30 x 2, p .9, alpha .5": (beta_binomial(0.9, 0.5, 2), 30),
    "50 x 5, p .95, alpha .5": (beta_binomial(0.95, 0.5, 5), 50),
    "200 x 2, p .98, alpha .3": (beta_binomial(0.98, 0.3, 2), 200),
    "10 x 2 or 30, p .3, alpha .6": (beta_binomial(0.3, 0.6, *MOSTLY_TWO), 10),
    "20 x 4, 5 scores": (
        Population(np.full(5, 0.2), 0.7 * np.eye(5) + 0.06, (4,), (1.0, 2.0, 3.0, 4.0, 5.0)),
        20,
    ),
}


def random_population(rng: np.random.Generator) -> tuple[Population, int]:
    """A random population, with a frequent kind of items and one to three rarer ones, and a random number of items."""
    C, K = int(rng.choice([2, 2, 2, 3, 5])), int(rng.integers(2, 5))
    rare = 10 ** rng.uniform(-2.3, -0.3)
    shares = np.array([1.0, *rare * rng.dirichlet(np.ones(K - 1))])
    rates = np.stack([rng.dirichlet(np.ones(C) * 10 ** rng.uniform(-1.5, 0.5)) for _ in range(K)])
    if rng.random() < 0.6:
        rates[0] = (1 - (e := 10 ** rng.uniform(-2.5, -0.5))) * np.eye(C)[0] + e * rates[0]
    sizes = [(2,), (3,), (5,), (10,), (2, 20), (2, 3, 4), MOSTLY_TWO, (2,) * 19 + (100,)]
    scores = tuple(float(c) for c in range(C)) if C > 2 and rng.random() < 0.5 else None
    population = Population(shares / shares.sum(), rates, sizes[rng.integers(len(sizes))], scores)
    return population, int(rng.choice([4, 6, 10, 20, 40, 80, 200]))


def worst_population(cells: int, B: int, repeats: int, seed: int) -> tuple[Coverage, Population, int]:
    """The worst coverage of random populations, the population that has it, and its number of items.

    Populations of which half of the samples have no interval are left out; the worst ones are measured again with new
    samples.
    """
    rng = np.random.default_rng(seed)
    populations = [random_population(rng) for _ in range(cells)]
    first = [(measure_coverage(population, M, B, seed), i) for i, (population, M) in enumerate(populations)]
    worst = [i for x, i in sorted(first) if x.undefined < 0.5][: max(2, cells // 40)]
    repeated = [(measure_coverage(*populations[i], repeats, seed + 1), *populations[i]) for i in worst]
    return min(repeated, key=lambda x: x[0].ours)


def compare_packages() -> None:
    """Print the coefficients of scorio and of other installed packages on the same ratings."""
    rng = np.random.default_rng(3)
    true_categories = rng.integers(0, 4, 40)
    R = np.where(rng.random((40, 3)) < 0.75, true_categories[:, None], rng.integers(0, 4, (40, 3)))
    r, scored = eval.agreement(R), eval.agreement(R, [0, 1, 2, 3])
    ours = {"alpha": r.alpha, "alpha, scores": scored.alpha, "Fleiss": r.fleiss_kappa, "AC1": r.ac1,
            "Cohen": eval.cohen_kappa(R[:, :2]), "Cohen, scores": eval.cohen_kappa(R[:, :2], [0, 1, 2, 3])}  # fmt: skip
    other_packages: dict[str, dict[str, Any]] = {}
    with suppress(ImportError):
        import krippendorff

        other_packages["krippendorff"] = {
            "alpha": krippendorff.alpha(R.T, level_of_measurement="nominal"),
            "alpha, scores": krippendorff.alpha(R.T, level_of_measurement="interval"),
        }
    with suppress(ImportError):
        from statsmodels.stats import inter_rater

        table = np.array([[np.sum(R[:, 0] * 4 + R[:, 1] == 4 * i + j) for j in range(4)] for i in range(4)])
        other_packages["statsmodels"] = {
            "Fleiss": inter_rater.fleiss_kappa(inter_rater.aggregate_raters(R)[0]),
            "Cohen": inter_rater.cohens_kappa(table).kappa,
            "Cohen, scores": inter_rater.cohens_kappa(table, wt="quadratic").kappa,
        }
    with suppress(ImportError):
        import pandas as pd
        from irrCAC.raw import CAC

        cac = CAC(pd.DataFrame(R))
        other_packages["irrCAC"] = {
            name: f()["est"]["coefficient_value"]
            for name, f in (("alpha", cac.krippendorff), ("Fleiss", cac.fleiss), ("AC1", cac.gwet))
        }
    for name, theirs in other_packages.items():
        for what, x in theirs.items():
            print(f"{name:14}{what:16}{x:.6f}, scorio {ours[what]:.6f}")


def main() -> None:
    """Print the tables; exit with an error where a coverage is out of its bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    short, start, failures = parser.parse_args().short, perf_counter(), []
    B = 250 if short else 1000
    min_coverage = 0.95 - 3 * (0.95 * 0.05 / B) ** 0.5
    print(f"{'':30}{'alpha':>6}{'scorio':>9}{'jackknife':>11}{'width':>8}{'no interval':>13}")
    for i, (name, (population, M)) in enumerate(CELLS.items()):
        x = measure_coverage(population, M, B, i)
        shares = f"{x.ours:9.1%}{x.jackknife:11.1%}{x.width:8.2f}{x.undefined:13.1%}"
        print(f"{name:30}{population.alpha:6.2f}{shares}", flush=True)
        if x.ours < min_coverage:
            failures.append(f"{name}: the interval covers in {x.ours:.1%} of samples")
        if "p .9" in name and x.jackknife > 0.9:
            failures.append(f"{name}: the jackknife covers {x.jackknife:.1%}: this is not a hard case")
    cells, first, repeats = (80, 40, 300) if short else (400, 100, 2000)
    x, population, M = worst_population(cells, first, repeats, 5)
    print(f"worst of {cells} populations: {x.ours:.1%} (jackknife {x.jackknife:.1%}), {M} items of {population.sizes}")
    print(f"    ratings, shares {population.shares.round(3).tolist()}, rates {population.rates.round(3).tolist()}")
    if x.ours < 0.95 - 0.01 - 3 * (0.95 * 0.05 / repeats) ** 0.5:
        failures.append(f"worst of {cells} populations: the interval covers in {x.ours:.1%} of samples")
    compare_packages()
    print(f"{perf_counter() - start:.0f} s")
    if failures:
        sys.exit("; ".join(failures))


if __name__ == "__main__":
    main()
