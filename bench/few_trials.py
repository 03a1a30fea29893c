"""How often equal models are called different by metrics of k trials with fewer than 2k trials per question.

    python bench/few_trials.py             three searches for the worst cells, as Markdown tables
    python bench/few_trials.py --short     the known worst cells; fails where an error of the rule in use is above
                                           the bound, or where no error of the previous rule is, or where a
                                           single mixture for unequal trials errs too rarely
    python bench/few_trials.py --seconds N processor time of each search; --seed N

The questions are fixed, and the variance is that of a mixture of rates (spec/families/intervals.md). A copy of
`sinf.compare` in NumPy, with the package's kernel that fits the mixture, makes the searches possible; --short also
checks that its standard errors are the package's. The previous rule stopped EM (expectation maximisation) after 40
steps, with one question added to the data, whose likelihood at each rate is the variance at that rate. The earliest
rule had no such question, and started EM in proportion to the variance, with more weight at the rates 0 and 1.
"""

from __future__ import annotations

import argparse
import sys
from math import isqrt
from time import process_time
from typing import NamedTuple

import numpy as np
from scipy.stats import beta, binom, t

from scorio import Counts, eval, sinf
from scorio.arithmetic.jit import jit
from scorio.inference.rate_mixture import MU, QUESTIONS, interior_point

Array = np.ndarray
BOUND = 0.07  # upper bound on the error of the known cells
METRICS = ("pass_at_k", "pass_at_k", "pass_hat_k", "maj_at_k")  # half of the random cells have Pass@k
RATES = (0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1)
SIZES = (0.3, 1, 3, 10)  # a + b of beta distributions
LARGEST = 20_000  # most questions of a neighbour of a cell; a random kind has at most half as many


class EM(NamedTuple):
    """A rule that stops EM after some steps.

    It starts at a power of the variance at each rate, plus a share of the sum of these: at_ends at the rates 0 and 1,
    inside at the others.
    """

    power: int  # exponent of the variance
    at_ends: float
    inside: float
    steps: int
    more: int  # 1 if a question is added to the data, whose likelihood at each rate is the variance at that rate


NOW, PREVIOUS, EARLIEST = None, EM(6, 2**-20, 2**-20, 40, 1), EM(1, 2**-8, 2**-20, 64, 0)
Rule = EM | None  # None: the rule in use


class Cell(NamedTuple):
    """Two equal models: success rates of the questions of each, trials per question, k and the metric."""

    rates: Array
    others: Array
    n: int
    k: int
    metric: str = "pass_at_k"

    def __str__(self) -> str:
        values, sizes = np.unique(np.round(self.rates, 4), return_counts=True)
        many = "; ".join(f"{m} at {p:g}" for p, m in zip(values, sizes, strict=True))
        if len(values) > 5:
            many = f"{self.rates.size} from {values[0]:g} to {values[-1]:g}, mean {self.rates.mean():.3f}"
        same = "same rates" if np.array_equal(self.rates, self.others) else "other rates"
        return f"{self.metric}, k {self.k} of {self.n}: {many}; {same}"


def cell(kinds: dict[float, int], n: int, k: int, metric: str = "pass_at_k") -> Cell:
    """A cell of two models with the same rates: the number of questions at each rate."""
    rates = np.repeat(list(kinds), list(kinds.values()))
    return Cell(rates, rates, n, k, metric)


KNOWN = (
    cell({0.05: 14, 0.95: 386}, 4, 4),
    cell({0.1: 62, 0.9: 338}, 3, 3),
    cell({0.9: 62, 0.1: 338}, 3, 3, "pass_hat_k"),
    cell({0.1: 10, 0.8: 390}, 5, 5),
    cell({0.1: 20, 0.9: 180}, 6, 6),
    cell({0.1939: 9, 0.9235: 351}, 4, 4),
    cell({0.217: 11, 0.947: 1500}, 4, 4),
    cell({0.289: 102, 0.888: 4649}, 4, 4),
    cell({0.217: 50, 0.947: 20000}, 4, 4),
    cell({0.0006: 800, 0.5: 40, 0.9995: 800}, 3, 3, "maj_at_k"),
    cell({0.0006: 6370, 0.527: 332, 0.9995: 8734}, 3, 3, "maj_at_k"),
    cell({0.112: 60, 0.656: 1167, 0.802: 2}, 5, 5),
    cell({0.1216: 18, 0.787: 263, 0.998: 1}, 5, 5),
    cell({0.9367: 52}, 10, 10, "pass_hat_k"),
)


# --- a copy of the rule -------------------------------------------------------------------------------


def credits(metric: str, n: int, k: int) -> Array:
    """Values of the metric for a question with 0..n successes in n trials."""
    rows = (np.arange(n) < c for c in range(n + 1))
    return np.array([getattr(eval, metric)(row[None].astype(int), k) for row in rows])


@jit
def fit_mixtures(likelihood, tau, counts, power, mu, weights):
    """Write into weights[i] the mixture fitted to counts[i], the number of questions of each state.

    tau: likelihood of the added question, which counts `power` times; mu: exponent of the product of the mixture's
    weights, by which the likelihood is multiplied.
    """
    S = likelihood.shape[0]
    rows, mult = np.empty((S + 1, likelihood.shape[1])), np.empty(S + 1)
    for i in range(counts.shape[0]):
        many = 0
        for s in range(S):
            if counts[i, s] > 0:
                rows[many], mult[many] = likelihood[s], counts[i, s]
                many += 1
        rows[many], mult[many] = tau, power
        weights[i] = interior_point(rows[: many + 1], mult[: many + 1], mu)


class Mixture:
    """Mixtures on a grid of rates, fitted to counts of n trials, and the variance of the metric at each rate."""

    def __init__(self, metric: str, n: int, k: int, rule: Rule) -> None:
        J = 7 + isqrt(9 * n - 1)
        j = np.arange(J + 1)
        self.U, self.rule = credits(metric, n, k), rule
        self.likelihood = binom.pmf(np.arange(n + 1)[:, None], n, j**2 / (j**2 + (J - j) ** 2))
        self.variance = ((self.U[:, None] - self.U @ self.likelihood) ** 2 * self.likelihood).sum(0)
        self.stabiliser = np.diff(self.U).max() * k / (n + k - 1)
        self.two_trials = n == 2

    def weights(self, counts: Array) -> Array:
        """Mixtures fitted by the rule in use to each row of counts, the numbers of questions of each state."""
        w = np.empty((len(counts), self.variance.size))
        power = max(1.0, counts[0].sum() / QUESTIONS)
        fit_mixtures(self.likelihood, self.variance, counts, power, MU, w)
        return w

    def weights_by_em(self, rule: EM, counts: Array) -> Array:
        """Mixtures fitted to each row of counts by a rule that stops EM."""
        start = self.variance**rule.power
        total = start.sum()
        start[1:-1] += rule.inside * total
        start[[0, -1]] += rule.at_ends * total
        if self.two_trials:  # most of the weight starts at one end
            start[-1 if 2 * self.U[1] > self.U[2] else 0] = 4 * total
        w = np.tile(start, (len(counts), 1))
        for _ in range(rule.steps):
            more = rule.more * self.variance / (w @ self.variance)[:, None]
            w *= (counts / (w @ self.likelihood.T)) @ self.likelihood + more
        return w

    def variances(self, counts: Array) -> Array:
        """Variance of a question of each state, for many matrices: counts[i] has the states of matrix i."""
        w = self.weights(counts) if self.rule is None else self.weights_by_em(self.rule, counts)
        return (w * self.variance) @ self.likelihood.T / (w @ self.likelihood.T)


def sampled_sums(rng: np.random.Generator, x: Mixture, rates: Array, n: int, runs: int) -> tuple[Array, Array, Array]:
    """Sums over the questions of each simulated matrix: of the metric, of its variances, and of their squares."""
    kinds = zip(*np.unique(np.round(rates, 9), return_counts=True), strict=True)
    counts = sum(rng.multinomial(m, binom.pmf(np.arange(n + 1), n, p), runs) for p, m in kinds).astype(float)
    v = x.variances(counts)
    return counts @ x.U, (counts * v).sum(1), (counts * v * v).sum(1)


def type_i_error(at: Cell, rule: Rule, runs: int, seed: int) -> float:
    """The share of samples in which the two models differ significantly at 5%."""
    rng, x = np.random.default_rng([seed, at.n, at.k]), Mixture(at.metric, at.n, at.k, rule)
    (a, v, e), (b, w, f) = (sampled_sums(rng, x, rates, at.n, runs) for rates in (at.rates, at.others))
    V = v + w + x.stabiliser
    df = np.maximum(2 * V**2 / (e + f + x.stabiliser**2), 2)
    return float((np.abs(a - b) > t.ppf(0.975, df) * np.sqrt(V)).mean())


def check_copy(at: Cell, samples: int = 5) -> None:
    """Fail where a standard error of the copy is not the package's."""
    rng, x = np.random.default_rng(1), Mixture(at.metric, at.n, at.k, NOW)
    for _ in range(samples):
        c = rng.binomial(at.n, (at.rates, at.others))
        v = sum((m * x.variances(m[None])[0]).sum() for m in (np.bincount(y, minlength=at.n + 1) * 1.0 for y in c))
        A, B = (Counts.from_successes(y, np.full(y.size, at.n)) for y in c)
        ours = sinf.compare(A, B, at.metric, at.k, questions="fixed").sigma
        copied = np.sqrt(v + x.stabiliser) / at.rates.size
        if abs(copied / ours - 1) > 1e-7:
            sys.exit(f"{at}: the standard error of the copy is {copied}, that of the package {ours}")


# --- unequal trials -----------------------------------------------------------------------------------


class Unequal(NamedTuple):
    """Two equal models whose questions of different rates have different numbers of trials."""

    kinds: tuple[tuple[int, float, int], ...]  # the number of questions, their rate, and their trials
    k: int
    metric: str = "pass_at_k"

    def __str__(self) -> str:
        return f"{self.metric}, k {self.k}: " + "; ".join(f"{m} at {p:.4g}, N {n}" for m, p, n in self.kinds)


KNOWN_UNEQUAL = (
    Unequal(((113, 0.9894, 3), (122, 0.068, 2), (32, 0.8084, 7)), 2),
    Unequal(((188, 0.97, 11), (202, 0.763, 35)), 10, "pass_hat_k"),
    Unequal(((305, 0.815, 5), (305, 0.0213, 3), (69, 0.998, 7)), 3),
    Unequal(((163, 0.804, 4), (812, 0.948, 12)), 3, "maj_at_k"),
)


def error_of_package(at: Unequal, runs: int, seed: int) -> float:
    """The share of samples in which sinf.compare calls the two models different at 5%."""
    rng = np.random.default_rng(seed)
    n, p = (np.repeat([x[i] for x in at.kinds], [x[0] for x in at.kinds]) for i in (2, 1))
    pairs = (tuple(Counts.from_successes(rng.binomial(n, p), n) for _ in "AB") for _ in range(runs))
    return sum(sinf.compare(*x, at.metric, at.k, questions="fixed").p_value <= 0.05 for x in pairs) / runs


def error_of_one_mixture(at: Unequal, runs: int, seed: int) -> float:
    """Share of significant samples if one mixture is fitted for all numbers of trials.

    Questions with 2k trials or more have their true variances.
    """
    rng, sizes = np.random.default_rng(seed), {n: Mixture(at.metric, n, at.k, NOW) for _, _, n in at.kinds}
    J = 7 + isqrt(9 * max(sizes) - 1)
    rates = np.arange(J + 1) ** 2 / (np.arange(J + 1) ** 2 + (J - np.arange(J + 1)) ** 2)
    chances = {n: binom.pmf(np.arange(n + 1)[:, None], n, rates) for n in sizes}
    variances = {n: ((x.U[:, None] - x.U @ chances[n]) ** 2 * chances[n]).sum(0) for n, x in sizes.items()}
    fewest = min(n for n in sizes if n < 2 * at.k)

    def sample() -> tuple[float, float]:
        counts = [np.bincount(rng.binomial(n, p, m), minlength=n + 1) for m, p, n in at.kinds]
        rows = np.concatenate([chances[n] for _, _, n in at.kinds] + [variances[fewest][None]])
        mult = np.concatenate([*counts, [max(1.0, sum(x[0] for x in at.kinds) / QUESTIONS)]])
        w = interior_point(np.ascontiguousarray(rows[mult > 0]), mult[mult > 0], MU)
        theta, V = 0.0, 0.0
        for (m, p, n), c in zip(at.kinds, counts, strict=True):
            U, chance = sizes[n].U, binom.pmf(np.arange(n + 1), n, p)
            theta += c @ U
            if n < 2 * at.k:
                V += c @ ((w * variances[n]) @ chances[n].T / (w @ chances[n].T))
            else:
                V += m * (chance @ (U - chance @ U) ** 2)
        return theta, V

    pairs = [(sample(), sample()) for _ in range(runs)]
    return sum(abs(a - b) > 1.96 * np.sqrt(v + w) for (a, v), (b, w) in pairs) / runs


def random_unequal(rng: np.random.Generator) -> Unequal:
    """A random cell of one to three kinds of questions, each with its own number of trials, the first below 2k."""
    metric, k = str(rng.choice(METRICS)), int(rng.choice((2, 3, 5, 7, 9)))
    if metric == "maj_at_k":
        k = max(k, 3)
    many = int(rng.integers(1, 4))
    trials = [rng.integers(k, 2 * k), *rng.integers(k, 4 * k, many - 1)]
    sizes = np.exp(rng.uniform(0, np.log(500), many)).astype(int)
    return Unequal(
        tuple(zip(sizes.tolist(), rng.beta(0.5, 0.5, many).tolist(), map(int, trials), strict=True)), k, metric
    )


def worst_unequal(seconds: float, seed: int, many: int = 6) -> tuple[int, list[Unequal]]:
    """The number of random cells with unequal trials that were simulated, and the worst of them.

    Cells that err in more than 6% of 150 samples are simulated again, with 600.
    """
    rng, start = np.random.default_rng(seed), process_time()
    seen: list[tuple[float, int, Unequal]] = []
    while process_time() - start < seconds:
        i, at = len(seen), random_unequal(rng)
        error = error_of_package(at, 150, i)
        seen.append((error_of_package(at, 600, i + 10**6) if error > 0.06 else 0.0, i, at))
    return len(seen), [at for _, _, at in sorted(seen)[: -many - 1 : -1]]


def table_unequal(cells: list[Unequal], runs: int, seed: int) -> list[tuple[float, float]]:
    """Print the errors of each cell by the package, and by one mixture for all numbers of trials."""
    print("\n| cell | error in % | one mixture |\n|---|---|---|")
    errors = []
    for at in cells:
        now, pooled = error_of_package(at, runs, seed), error_of_one_mixture(at, runs, seed)
        errors.append((now, pooled))
        print(
            f"| {at} | {100 * now:.1f} ± {100 * np.sqrt(now * (1 - now) / runs):.1f} | {100 * pooled:.1f} |", flush=True
        )
    return errors


# --- searches for equal trials -------------------------------------------------------------------------------------


def random_rates(rng: np.random.Generator, M: int) -> Array:
    """Rates of M questions of one to three kinds, each at one rate or at the quantiles of a beta distribution."""
    many = rng.multinomial(M, rng.dirichlet(np.ones(rng.integers(1, 4))))
    parts = []
    for m in many:
        p = float(rng.choice(RATES))
        size = float(rng.choice(SIZES))
        quantiles = beta.ppf((np.arange(m) + 0.5) / m, p * size, (1 - p) * size) if m and 0 < p < 1 else None
        parts.append(quantiles if quantiles is not None and rng.random() < 0.3 else np.full(m, p))
    return np.clip(np.concatenate(parts), 0, 1)


def random_cell(rng: np.random.Generator) -> Cell:
    """A random cell: the other model has the same rates in another order, or one rate on all questions (Pass@k)."""
    n = int(rng.choice((2, 3, 4, 5, 6, 7, 8, 10, 12, 16)))
    k, metric = int(rng.integers(n // 2 + 1, n + 1)), str(rng.choice(METRICS))
    rates = random_rates(rng, int(rng.choice((10, 20, 30, 50, 100, 200, 400))))
    others = rng.permutation(rates)
    if metric == "pass_at_k" and rng.random() < 0.3:
        others = np.full(rates.size, 1 - ((1 - rates) ** k).mean() ** (1 / k))
    return Cell(rates, others, n, k, metric)


def worst(seconds: float, seed: int, runs: int = 600, many: int = 10) -> tuple[int, list[Cell]]:
    """The number of random cells that were simulated, and those with the largest errors."""
    rng, start = np.random.default_rng(seed), process_time()
    seen: list[tuple[float, int, Cell]] = []
    while process_time() - start < seconds:
        at = random_cell(rng)
        seen.append((type_i_error(at, NOW, runs, len(seen)), len(seen), at))
    return len(seen), [at for _, _, at in sorted(seen, key=lambda x: -x[0])[:many]]


def climb(seconds: float, seed: int, runs: int = 700, many: int = 6) -> tuple[int, list[Cell]]:
    """The number of cells (of up to three rates) on climbs from known and random cells, and the worst of them."""
    rng, start = np.random.default_rng(seed), process_time()
    seen: list[tuple[float, int, Cell]] = []
    while process_time() - start < seconds:
        i = len(seen)
        at = KNOWN[i] if i < len(KNOWN) else random_kinds(rng) if i < 600 or i % 10 == 0 else neighbour(rng, seen)
        error = type_i_error(at, NOW, runs, i)
        seen.append((type_i_error(at, NOW, 5 * runs, i) if error > 0.06 else error, i, at))
    return len(seen), [at for _, _, at in sorted(seen)[: -many - 1 : -1]]


def random_kinds(rng: np.random.Generator) -> Cell:
    """A cell of one to three random rates with 1 to LARGEST / 2 questions each; most cells have k = n."""
    n = int(rng.choice((2, 3, 4, 5, 6, 8, 10, 12)))
    k = n if rng.random() < 0.5 else int(rng.integers(n // 2 + 1, n + 1))
    many = rng.integers(1, 4)
    sizes = np.exp(rng.uniform(0, np.log(LARGEST / 2), many)).astype(int)
    return cell(dict(zip(rng.beta(0.5, 0.5, many), sizes, strict=True)), n, k, str(rng.choice(METRICS)))


def neighbour(rng: np.random.Generator, seen: list[tuple[float, int, Cell]]) -> Cell:
    """A cell near one of the eight worst: other rates and numbers of questions, at times other n and k."""
    at = sorted(seen)[-8:][rng.integers(8)][2]
    rates, sizes = np.unique(at.rates, return_counts=True)
    step = rng.choice((0.1, 0.3, 0.6))
    rates = np.clip(rates, 5e-4, 1 - 5e-4)
    rates = 1 / (1 + (1 / rates - 1) * np.exp(rng.normal(0, step, rates.size)))
    sizes = np.maximum(np.round(sizes * np.exp(rng.normal(0, step, sizes.size))), 1)
    sizes = np.maximum(sizes * min(1, LARGEST / sizes.sum()), 1).astype(int)
    n = int(np.clip(at.n + (rng.integers(-1, 2) if rng.random() < 0.25 else 0), 2, 16))
    k = int(np.clip(at.k + (rng.integers(-1, 2) if rng.random() < 0.25 else 0), n // 2 + 1, n))
    return cell(dict(zip(np.clip(rates, 5e-4, 1 - 5e-4), sizes, strict=True)), n, k, at.metric)


def table(cells: list[Cell], runs: int, seed: int) -> list[tuple[float, float]]:
    """Print the errors of each cell by the rule in use, the previous and the earliest rule; return the first two."""
    print("| cell | error in % | previous | earliest |\n|---|---|---|---|")
    errors = []
    for at in cells:
        now, previous, earliest = (type_i_error(at, rule, runs, seed) for rule in (NOW, PREVIOUS, EARLIEST))
        errors.append((now, previous))
        error = 100 * np.sqrt(now * (1 - now) / runs)
        print(f"| {at} | {100 * now:.1f} ± {error:.1f} | {100 * previous:.1f} | {100 * earliest:.1f} |", flush=True)
    return errors


def main() -> None:
    """Print the tables; with --short exit with an error where a rule errs too often, or an earlier one too rarely."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="the known worst cells; fails above the bound")
    parser.add_argument("--seconds", type=float, default=120, help="processor time of each search")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers")
    args = parser.parse_args()
    if not args.short:
        cells, worst_cells = worst(args.seconds, args.seed)
        print(f"The worst of {cells} random cells, simulated anew:\n")
        table(worst_cells, 6000, args.seed + 1000)
        cells, worst_cells = climb(args.seconds, args.seed)
        print(f"\nThe worst of {cells} cells on climbs from known and random ones, simulated anew:\n")
        table(worst_cells, 6000, args.seed + 1000)
        cells, worst_cells = worst_unequal(args.seconds, args.seed)
        print(f"\nThe worst of {cells} random cells with unequal trials, simulated anew:")
        table_unequal(worst_cells, 3000, args.seed + 1000)
        return
    for at in KNOWN:
        check_copy(at)
    runs = 2000
    errors = table(list(KNOWN), runs, 1)
    margin = 3 * np.sqrt(BOUND * (1 - BOUND) / runs)
    if max(now for now, _ in errors) > BOUND + margin:
        sys.exit(f"equal models differ in more than {BOUND:.1%} of samples")
    unequal = table_unequal(list(KNOWN_UNEQUAL), 500, 1)
    if max(now for now, _ in unequal) > BOUND + 3 * np.sqrt(BOUND / 500) or min(x for _, x in unequal) < 2 * BOUND:
        sys.exit(f"unequal trials: an error above {BOUND:.1%}, or one of a single mixture below {2 * BOUND:.1%}")
    if max(previous for _, previous in errors) < BOUND + margin:
        sys.exit("the previous rule is not above the bound: these cells show nothing")


if __name__ == "__main__":
    main()
