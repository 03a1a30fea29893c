"""One model on its questions: the metric of each question, and its within-question variance.

A metric is the expected credit of k trials drawn without replacement. As an object it has k, the highest category C, the low end and the span of its
scale, and for the counts of one question `value` in 0..1, `variance` (an estimate of that of value) and `step` (the most that the outcome of one trial moves it).
"""
from collections import Counter
from functools import cache, lru_cache
from math import comb

from mpmath import mp, mpf

import answers
import hypergeometric
from exact import Fraction, Real, Refused, at, frac, larger, root, scale, total
from files import METRICS
from outcomes import counts

NAMES = {alias: m["name"] for m in METRICS for alias in m["aliases"]}
SOURCES = ["measured", "modelled", "probit", "upper bound"]  # sources of a variance, from the most reliable down


# ---------------------------------------------------------------- the mixture of success rates

class Mixture:
    """Weights of the rates of a grid, fitted to all questions by a stated number of EM steps; to any precision."""

    STEPS = 56

    def __init__(self, states, A):
        self.states, self.M, self.A, self.cache = states, sum(states.values()), A, {}
        most = max(n for n, _ in self.states)
        J = next(j for j in range(6, 9 * most) if (j - 6) ** 2 >= 9 * most)
        self.rates = [Fraction(j * j, j * j + (J - j) ** 2) for j in range(J + 1)]
        tau = self.variances(min(n for n, _ in self.states if len(A) - 1 <= n < 2 * len(A) - 2 and n > 1))
        powers = [x**6 for x in tau]
        S = sum(powers)
        self.start = [x + S / 2 ** (14 if j in (0, J) else 16) for j, x in enumerate(powers)]
        if most == 2:
            self.start[J if 2 * A[1] > A[2] else 0] = 4 * S

    @cache
    def variances(self, n):
        """The variance of U_n at each rate."""
        out = []
        for p in self.rates:
            chance = [comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]
            mean = sum(y * drawn(n, x, self.A) for x, y in enumerate(chance))
            out.append(sum(y * (drawn(n, x, self.A) - mean) ** 2 for x, y in enumerate(chance)))
        return out

    def chances(self, n, c):
        return [mpf(p.numerator) ** c * mpf(p.denominator - p.numerator) ** (n - c) / mpf(p.denominator) ** n for p in self.rates]

    def posteriors(self):
        """For each state the weights of the rates given its counts, at the current precision."""
        if mp.prec not in self.cache:
            prec = mp.prec
            with mp.extraprec(60):  # the steps lose a few digits
                L = {s: self.chances(*s) for s in self.states}
                w = [at(x) for x in self.start]
                for _ in range(self.STEPS):
                    share = {s: mult / mp.fdot(w, L[s]) for s, mult in self.states.items()}
                    w = [x * mp.fsum(share[s] * L[s][j] for s in L) / self.M for j, x in enumerate(w)]
                self.cache[prec] = {s: (mp.fdot(w, L[s]), [x * y for x, y in zip(w, L[s])]) for s in L}
        return self.cache[mp.prec]

    @cache
    def variance(self, n, c):
        """The variance of U_n at each rate, averaged over the rates given c successes."""
        tau = self.variances(n)

        def mean():
            whole, parts = self.posteriors()[n, c]
            return mp.fsum(x * at(y) for x, y in zip(parts, tau)) / whole
        return Real(mean)


def states_of(rows):
    """Counter of (trials n, successes c) over questions."""
    return Counter((sum(row), row[1]) for row in rows)


@lru_cache(None)
def fitted(states, A):
    """The mixture fitted to these (state, number of questions), once for all pairs of a model."""
    return Mixture(dict(states), A)


# ---------------------------------------------------------------- credits of j successes of k

@lru_cache(None)
def blocks(A):
    """Credits B_l: the mean of A_i A_j over all splits of 2k trials, l of them successes, into two blocks of k."""
    k = len(A) - 1
    whole = comb(2 * k, k)
    return tuple(sum((A[j] * A[l - j] * Fraction(comb(l, j) * comb(2 * k - l, k - j), whole) for j in range(max(0, l - k), min(k, l) + 1)), Fraction(0))
                 for l in range(2 * k + 1))


@lru_cache(None)
def drawn(n, c, A):
    """The expected credit U_n(c) of k trials drawn from n, c of them successes."""
    return hypergeometric.credit(n, c, len(A) - 1, A)


@lru_cache(None)
def question_variance(n, c, A, model):
    """The variance of U_n: measured from two disjoint blocks; if they do not fit into n, under the mixture, or by leaving one trial out (model None)."""
    k = len(A) - 1
    if n >= 2 * k:
        return drawn(n, c, A) ** 2 - drawn(n, c, blocks(A))
    if model is None:
        return Fraction((n - 1) * c * (n - c), n * n) * (drawn(n - 1, c, A) - drawn(n - 1, c - 1, A)) ** 2 if 0 < c < n else Fraction(0)
    return model.variance(n, c)


@lru_cache(None)
def variance_error(n, c, A, model):
    """The variance of question_variance: by its slope and curvature in c where measured, else its square."""
    v = question_variance(n, c, A, model)
    if n < 2 * len(A) - 2:
        return square(v)
    if c in (0, n):
        return Fraction(0)
    below, above, g = question_variance(n, c - 1, A, model), question_variance(n, c + 1, A, model), Fraction(c * (n - c), n - 1)
    return min(v * v, g * ((above - below) / 2) ** 2 + g * g * (above - 2 * v + below) ** 2 / 2)


@lru_cache(None)
def largest_step(n, A):
    """The largest U_n(c+1) - U_n(c)."""
    k, D = len(A) - 1, hypergeometric.common(A)
    whole = [int(x * D) for x in A]
    U = [sum(whole[j] * comb(c, j) * comb(n - c, k - j) for j in range(max(0, k - n + c), min(k, c) + 1) if whole[j]) for c in range(n + 1)]
    return Fraction(max(y - x for x, y in zip(U, U[1:])), D * comb(n, k))


# ---------------------------------------------------------------- metrics

class Mean:
    """The mean score, on the scale 0..1."""

    k = 1

    def __init__(self, w):
        w = [Fraction(0), Fraction(1)] if w is None else [frac(x) for x in w]
        self.C, self.low, self.span = len(w) - 1, min(w), max(w) - min(w)
        self.u = [(x - self.low) / self.span if self.span else Fraction(0) for x in w]

    def value(self, row):
        return sum((m * y for m, y in zip(row, self.u)), Fraction(0)) / sum(row)

    def variance(self, row, model):
        n, x = sum(row), self.value(row)
        return sum((m * (y - x) ** 2 for m, y in zip(row, self.u)), Fraction(0)) / (n * (n - 1))

    def variance_error(self, row, model):
        """The variance of the estimated variance: that of a sample variance, with the question's own moments."""
        n, x, v = sum(row), self.value(row), self.variance(row, model)
        m2, m4 = (sum((m * (y - x) ** e for m, y in zip(row, self.u)), Fraction(0)) / n for e in (2, 4))
        return min(v * v, max(Fraction(0), m4 - m2 * m2 * Fraction(n - 3, n - 1)) / (n - 1) ** 3)

    def step(self, n):
        return Fraction(1, n)


class Credit:
    """A metric that is a credit of the number of successes in k trials."""

    C, low, span = 1, Fraction(0), Fraction(1)

    def __init__(self, A):
        self.k, self.A = len(A) - 1, tuple(A)

    def value(self, row):
        return drawn(sum(row), row[1], self.A)

    def variance(self, row, model):
        return question_variance(sum(row), row[1], self.A, model)

    def variance_error(self, row, model):
        return variance_error(sum(row), row[1], self.A, model)

    def step(self, n):
        return largest_step(n, self.A)


class Flips(Credit):
    """The metric flip_rate: its v_a may be negative, and with fewer than 4 trials a question is unknown (no model is fitted)."""

    max_unknown, lower_is_better = 3, True

    def model(self, model):
        return None

    def lower_bound(self, rows):
        """Lower bound of the summed variances, since p (1-p) is at most 1/4."""
        return sum(self.value(row) / (sum(row) * (sum(row) - 1)) for row in rows)


class Power(Credit):
    """Pass@k or Pass^k: the largest step is between no success (failure) and one."""

    def step(self, n):
        return Fraction(self.k, n)


class Best(Mean):
    """The best score of k trials, on the scale 0..1."""

    def __init__(self, k, w):
        super().__init__(w)
        self.k, self.levels = k, sorted(set(self.u))[1:]
        self.gaps = [y - x for x, y in zip([0, *self.levels], self.levels)]

    def below(self, row, level):
        return sum(m for m, y in zip(row, self.u) if y < level)

    def value(self, row):
        return hypergeometric.best(row, self.k, self.u)

    def variance(self, row, model):
        """Variance: value^2 less the mean product of the best scores of two disjoint blocks."""
        return self.value(row) ** 2 - two_bests(self.k, tuple(self.gaps), tuple(self.below(row, r) for r in self.levels), sum(row))

    def variance_error(self, row, model):
        return self.variance(row, model) ** 2

    def step(self, n):
        return Fraction(self.k, n)

    def level_estimators(self, rows, model):
        """Estimators of Pass@k, one for each level: an outcome at or above it is a success."""
        return [Estimator([[self.below(row, r), sum(row) - self.below(row, r)] for row in rows], at_least_one(self.k), model) for r in self.levels]

    def bound(self, estimators):
        """Upper bound of the summed variances where two blocks do not fit: the square of a sum of standard deviations."""
        if any(isinstance(side.trials, Real) for side in estimators):
            return Real(lambda: mp.fsum(at(g) * mp.sqrt(at(side.trials)) for g, side in zip(self.gaps, estimators)) ** 2)
        parts = [(g * g * side.trials, g, side.trials) for g, side in zip(self.gaps, estimators)]
        return total([x for x, _, _ in parts] + [scale(2 * g * h, root(S * T)) for i, (_, g, S) in enumerate(parts) for _, h, T in parts[:i]])


@lru_cache(None)
def two_bests(k, gaps, below, n):
    """Mean product of two best scores: sum over pairs of levels of gap gap P(first at least l, second at least m)."""
    def miss(b):
        return Fraction(comb(b, k), comb(n, k))

    def both(lo, hi):
        return Fraction(comb(lo, k) * comb(max(hi - k, 0), k), comb(n, k) * comb(n - k, k))
    return sum((g * h * (1 - miss(b) - miss(c) + both(min(b, c), max(b, c))) for g, b in zip(gaps, below) for h, c in zip(gaps, below)), Fraction(0))


def at_least_one(k):
    return Power(hypergeometric.at_least(k, 1))


def parse_request(metric="mean", k=None, tau=None, w=None):
    name = NAMES.get(metric, metric)
    if name in answers.METRICS:
        return answers.METRICS[name](k)
    make = {"mean": lambda: Mean(w), "max_at_k": lambda: Best(k, w), "pass_at_k": lambda: at_least_one(k), "pass_hat_k": lambda: Power(hypergeometric.at_least(k, k)),
            "g_pass_at_k_tau": lambda: Credit(hypergeometric.at_least(k, hypergeometric.threshold(k, frac(tau)))),
            "auc_at_k": lambda: Credit([hypergeometric.auc(k, j, k) for j in range(k + 1)]), "flip_rate": lambda: Flips(hypergeometric.FLIPS)}
    return Credit(hypergeometric.CREDITS[name](k)) if name in hypergeometric.CREDITS else make[name]()


# ---------------------------------------------------------------- one model

class Estimator:
    """One model on its kept questions, from counts by category; all on the scale 0..1."""

    def __init__(self, rows, metric, model="mixture"):
        rows = [row for row in rows if sum(row)]
        if not rows:
            raise Refused("no_trials")
        self.M, self.k, self.n = len(rows), metric.k, [sum(row) for row in rows]
        if min(self.n) < self.k:
            raise Refused("range")
        few_trials = any(n < 2 * self.k for n in self.n)
        model = metric.model(model) if hasattr(metric, "model") else model
        unknown = [n == 1 or (model is None and n <= getattr(metric, "max_unknown", self.k)) for n in self.n]
        self.all_unknown = all(unknown)
        self.variance_source = "upper bound" if any(unknown) or (few_trials and model is None) else getattr(metric, "source", "modelled") if few_trials else "measured"
        self.x = [metric.value(row) for row in rows]
        self.theta = sum(self.x, Fraction(0)) / self.M
        self.dev = [(x - self.theta) ** 2 * unbiased_factor(self.M) for x in self.x]
        if isinstance(metric, Best) and few_trials:
            levels = metric.level_estimators(rows, model)
            self.trials = metric.bound(levels)
            self.trials_error = largest_times([over_square(x.trials_error, x.trials) for x in levels if x.trials], square(self.trials))
        else:
            short = any(n < 2 * self.k and not u for n, u in zip(self.n, unknown))
            fit = fitted(frozenset(states_of(rows).items()), metric.A) if model and short and isinstance(metric, Credit) else None
            self.v = [d if u else metric.variance(row, fit) for row, d, u in zip(rows, self.dev, unknown)]
            S = total(self.v)
            self.trials = max(S, Fraction(0)) if isinstance(S, Fraction) else S  # the modelled variance is positive
            e = total(d * d if u else metric.variance_error(row, fit) for row, d, u in zip(rows, self.dev, unknown))
            self.trials_error = e if few_trials else min(e, sum(v * v for v in self.v) - self.trials**2 / (self.M + 1))
            if isinstance(metric, Flips):
                self.trials = max(self.trials, metric.lower_bound(rows))
        self.fewest = min(self.n)
        self.s = metric.step(self.fewest) * Fraction(self.k, self.fewest + self.k - 1)
        self.inverse_n0 = Fraction(self.k, self.fewest * self.M)  # 1/n0 of the trials alone
        self.fixed = scale(Fraction(1, self.M**2), total([self.trials, self.s]))


def square(x):
    return x * x if isinstance(x, Fraction) else Real(lambda: at(x) ** 2)


def over_square(x, y):
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y**2
    return Real(lambda: at(x) / at(y) ** 2)


def largest_times(shares, factor):
    """The largest of the shares, times a factor."""
    most = Fraction(0)
    for x in shares:
        most = larger(x, most)
    return Real(lambda: at(most) * at(factor))


def unbiased_factor(M):
    return Fraction(M, M - 1) if M > 1 else Fraction(1)


def read_counts(R, metric, missing):
    """Counts by category of each question, and the indices of the questions without a trial."""
    if hasattr(metric, "read"):
        rows = metric.read(R)
        return rows, [i for i, row in enumerate(rows) if not sum(row)]
    rows = counts(R, metric.C, missing)
    return rows, [i for i, row in enumerate(rows) if not sum(row)]
