"""Estimators of one model: the metric of each question, and its within-question variance.

A metric is the expected credit of k trials sampled without replacement. A metric object has k, the highest category C,
the low end and the span of its scale, and these methods:

- `value(row)`: the metric of a question, in 0..1, from its counts by category
- `variance(row, model)`: an estimate v of the variance of value; here `model` is the fitted Mixtures, or None
- `step(n)`: the largest rise of value when one of n trials becomes a success (for the mean: 1/n)

Some metrics also have `read` (counts from answers), `model` (the model that they use), `max_unknown` (without a model the
variance of a question with at most that many trials is unknown; k by default, and always with one trial), `source` (of
a variance with fewer than 2k trials) and `lower_is_better`.
"""
from collections import Counter
from functools import cache, lru_cache
from math import comb
from operator import mul

from mpmath import mp, mpf

import answers
import hypergeometric
from exact import Fraction, Real, Refused, to_mpf, to_fraction, larger, root, scale, total
from files import METRICS
from freedom import further_trial
from outcomes import counts

NAMES = {alias: m["name"] for m in METRICS for alias in m["aliases"]}
SOURCES = ["measured", "modelled", "probit", "upper bound"]  # sources of a variance, the most reliable first


# ---------------------------------------------------------------- the mixture of success rates

class Mixture:
    """Weights of a grid of success rates that maximise a concave function, fitted to the questions with n trials.

    states: the number of questions by (n, successes), all with the same n.
    """

    MU = Fraction(1, 1024)  # factor of the sum of the logarithms of the weights
    QUESTIONS = 256  # the logarithm of the mean variance has the factor max(1, M/256)

    def __init__(self, states, A):
        self.states, self.A, self.cache = states, A, {}
        n = next(n for n, _ in self.states)
        J = next(j for j in range(6, 9 * n) if (j - 6) ** 2 >= 9 * n)
        self.rates = [Fraction(j * j, j * j + (J - j) ** 2) for j in range(J + 1)]
        self.variance_at_rates = self.variances(n)
        self.mult = [*self.states.values(), max(Fraction(1), Fraction(sum(self.states.values()), self.QUESTIONS))]

    @cache
    def variances(self, n):
        """The variance of U_n at each rate."""
        out = []
        for p in self.rates:
            probabilities = [comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]
            mean = sum(y * expected_credit(n, x, self.A) for x, y in enumerate(probabilities))
            out.append(sum(y * (expected_credit(n, x, self.A) - mean) ** 2 for x, y in enumerate(probabilities)))
        return out

    def likelihoods(self, n, c):
        return [mpf(p.numerator) ** c * mpf(p.denominator - p.numerator) ** (n - c) / mpf(p.denominator) ** n for p in self.rates]

    def posteriors(self):
        """For each state, the sum of the unnormalised posterior weights of the rates, and these weights."""
        if mp.prec not in self.cache:
            prec = mp.prec
            with mp.extraprec(60):  # the steps lose a few digits
                L = {s: self.likelihoods(*s) for s in self.states}
                w = largest_sum_of_logs([*L.values(), [to_mpf(x) for x in self.variance_at_rates]], [to_mpf(x) for x in self.mult], to_mpf(self.MU))
                self.cache[prec] = {s: (mp.fdot(w, L[s]), [x * y for x, y in zip(w, L[s])]) for s in L}
        return self.cache[mp.prec]

    @cache
    def variance(self, n, c):
        """The variance of U_n, averaged over the posterior of the rates given c successes."""
        at_rates = self.variances(n)

        def mean():
            total_weight, parts = self.posteriors()[n, c]
            return mp.fsum(x * to_mpf(y) for x, y in zip(parts, at_rates)) / total_weight
        return Real(mean)


class Mixtures:
    """A mixture for the questions of each number of trials from k to 2k - 1; states: as for Mixture, with any n."""

    def __init__(self, states, A):
        sizes = {n for n, _ in states if len(A) - 1 <= n < 2 * len(A) - 2}
        self.by_trials = {n: Mixture({s: m for s, m in states.items() if s[0] == n}, A) for n in sizes}

    def variance(self, n, c):
        return self.by_trials[n].variance(n, c)


def largest_sum_of_logs(rows, mult, mu):
    """The w > 0 of sum 1 at which the sum of mult log(row . w) over rows, plus mu times that of log(w), is largest.

    Newton's method on w in relative changes: in floats, for a factor of log(w) that falls to mu, then at mpmath's precision.
    """
    scaled = [[float(x / max(row)) for x in row] for row in rows]
    counts, factor = [float(x) for x in mult], float(sum(mult))
    w = [1 / len(rows[0])] * len(rows[0])
    while True:
        d = newton_step(scaled, counts, factor, w)
        size = max(map(abs, d))
        w = [x * (1 + y / (1 + 2 * size)) for x, y in zip(w, d)]
        if size < 1e-6 and factor == float(mu):
            break
        if size < 0.1:
            factor = max(float(mu), factor / 4)
    w = [mpf(x) for x in w]
    while size > mpf(2) ** (-mp.prec // 2):  # a step squares the error
        d = newton_step(rows, mult, mu, w)
        w, size = [x * (1 + y) for x, y in zip(w, d)], max(map(abs, d))
    return w


def newton_step(rows, mult, mu, w):
    """Newton's relative changes of w, without the constraint on the sum of w, which is 1 at the maximum anyway."""
    size = len(w)
    shares = [[x * y / z for x, y in zip(w, row)] for row in rows for z in [sum(map(mul, w, row))]]
    weighted = [[m * x for x in p] for m, p in zip(mult, shares)]
    total_weight = sum(mult) + size * mu
    slopes = [sum(p[j] for p in weighted) + mu - total_weight * w[j] for j in range(size)]
    factor = [[sum(p[i] * q[j] for p, q in zip(shares, weighted)) + (mu if i == j else 0) for j in range(i + 1)] for i in range(size)]
    for j in range(size):  # Cholesky
        for i in range(j, size):
            x = factor[i][j] - sum(map(mul, factor[i][:j], factor[j][:j]))
            factor[i][j] = x ** 0.5 if i == j else x / factor[j][j]
    for j in range(size):
        slopes[j] = (slopes[j] - sum(map(mul, factor[j][:j], slopes[:j]))) / factor[j][j]
    for j in reversed(range(size)):
        slopes[j] = (slopes[j] - sum(factor[i][j] * slopes[i] for i in range(j + 1, size))) / factor[j][j]
    return slopes


def states_of(rows):
    """Counter of (trials n, successes c) over questions."""
    return Counter((sum(row), row[1]) for row in rows)


@lru_cache(None)
def fitted_mixture(states, A):
    """The mixtures fitted to (state, number of questions) pairs; cached for repeated comparisons of a model."""
    return Mixtures(dict(states), A)


# ---------------------------------------------------------------- credits of j successes in k trials

@lru_cache(None)
def block_pair_credits(A):
    """Credits B_l: the mean of A_i A_j over all splits of 2k trials with l successes into two blocks of k."""
    k = len(A) - 1
    splits = comb(2 * k, k)
    return tuple(sum((A[j] * A[l - j] * Fraction(comb(l, j) * comb(2 * k - l, k - j), splits) for j in range(max(0, l - k), min(k, l) + 1)), Fraction(0))
                 for l in range(2 * k + 1))


@lru_cache(None)
def expected_credit(n, c, A):
    """The expected credit U_n(c) of k trials sampled from n trials with c successes."""
    return hypergeometric.credit(n, c, len(A) - 1, A)


@lru_cache(None)
def question_variance(n, c, A, model):
    """The variance of U_n: from two disjoint blocks; if n < 2k from the mixture, or by the jackknife (model None)."""
    k = len(A) - 1
    if n >= 2 * k:
        return expected_credit(n, c, A) ** 2 - expected_credit(n, c, block_pair_credits(A))
    if model is None:
        return Fraction((n - 1) * c * (n - c), n * n) * (expected_credit(n - 1, c, A) - expected_credit(n - 1, c - 1, A)) ** 2 if 0 < c < n else Fraction(0)
    return model.variance(n, c)


@lru_cache(None)
@lru_cache(None)
def largest_step(n, A):
    """The largest U_n(c+1) - U_n(c)."""
    k, D = len(A) - 1, hypergeometric.common_denominator(A)
    credits = [int(x * D) for x in A]
    U = [sum(credits[j] * comb(c, j) * comb(n - c, k - j) for j in range(max(0, k - n + c), min(k, c) + 1) if credits[j]) for c in range(n + 1)]
    return Fraction(max(y - x for x, y in zip(U, U[1:])), D * comb(n, k))


# ---------------------------------------------------------------- metrics

class Mean:
    """The mean score, on the scale 0..1."""

    k = 1

    def __init__(self, w):
        w = [Fraction(0), Fraction(1)] if w is None else [to_fraction(x) for x in w]
        self.C, self.low, self.span = len(w) - 1, min(w), max(w) - min(w)
        self.u = [(x - self.low) / self.span if self.span else Fraction(0) for x in w]

    def value(self, row):
        return sum((m * y for m, y in zip(row, self.u)), Fraction(0)) / sum(row)

    def variance(self, row, model):
        n, x = sum(row), self.value(row)
        return sum((m * (y - x) ** 2 for m, y in zip(row, self.u)), Fraction(0)) / (n * (n - 1))

    def step(self, n):
        return Fraction(1, n)


class Credit:
    """A metric whose credit depends on the number of successes in k trials."""

    C, low, span = 1, Fraction(0), Fraction(1)

    def __init__(self, A):
        self.k, self.A = len(A) - 1, tuple(A)

    def value(self, row):
        return expected_credit(sum(row), row[1], self.A)

    def variance(self, row, model):
        return question_variance(sum(row), row[1], self.A, model)

    def step(self, n):
        return largest_step(n, self.A)


class FlipRate(Credit):
    """The metric flip_rate: v_a may be negative, no model is fitted, fewer than 4 trials make a question unknown."""

    max_unknown, lower_is_better = 3, True

    def model(self, model):
        return None

    def lower_bound(self, rows):
        """A lower bound of the summed variances, from p (1 - p) <= 1/4."""
        return sum(self.value(row) / (sum(row) * (sum(row) - 1)) for row in rows)


class PassMetric(Credit):
    """Pass@k or Pass^k: the largest step is from no success (failure) to one."""

    def step(self, n):
        return Fraction(self.k, n)


class MaxAtK(Mean):
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
        """The variance: value^2 less the mean product of the best scores of two disjoint blocks."""
        return self.value(row) ** 2 - mean_product_of_bests(self.k, tuple(self.gaps), tuple(self.below(row, r) for r in self.levels), sum(row))

    def step(self, n):
        return Fraction(self.k, n)

    def level_estimators(self, rows, model):
        """Estimators of Pass@k for each level: an outcome at or above the level is a success."""
        return [Estimator([[self.below(row, r), sum(row) - self.below(row, r)] for row in rows], at_least_one(self.k), model) for r in self.levels]

    def bound(self, estimators):
        """An upper bound of the summed variances where n < 2k: the square of a sum of standard deviations."""
        if any(isinstance(estimator.trial_variance, Real) for estimator in estimators):
            return Real(lambda: mp.fsum(to_mpf(g) * mp.sqrt(to_mpf(estimator.trial_variance)) for g, estimator in zip(self.gaps, estimators)) ** 2)
        parts = [(g * g * estimator.trial_variance, g, estimator.trial_variance) for g, estimator in zip(self.gaps, estimators)]
        return total([x for x, _, _ in parts] + [scale(2 * g * h, root(S * T)) for i, (_, g, S) in enumerate(parts) for _, h, T in parts[:i]])


@lru_cache(None)
def mean_product_of_bests(k, gaps, below, n):
    """The mean product of the best scores of two disjoint blocks of k trials.

    It is the sum over levels l, m of gap_l gap_m P(first >= l, second >= m).
    """
    def miss_probability(b):
        return Fraction(comb(b, k), comb(n, k))

    def both(lo, hi):
        return Fraction(comb(lo, k) * comb(max(hi - k, 0), k), comb(n, k) * comb(n - k, k))
    return sum((g * h * (1 - miss_probability(b) - miss_probability(c) + both(min(b, c), max(b, c))) for g, b in zip(gaps, below) for h, c in zip(gaps, below)), Fraction(0))


def at_least_one(k):
    return PassMetric(hypergeometric.at_least(k, 1))


def parse_metric(metric="mean", k=None, tau=None, w=None):
    name = NAMES.get(metric, metric)
    if name in answers.METRICS:
        return answers.METRICS[name](k)
    factories = {"mean": lambda: Mean(w), "max_at_k": lambda: MaxAtK(k, w), "pass_at_k": lambda: at_least_one(k), "pass_hat_k": lambda: PassMetric(hypergeometric.at_least(k, k)),
            "g_pass_at_k_tau": lambda: Credit(hypergeometric.at_least(k, hypergeometric.threshold(k, to_fraction(tau)))),
            "auc_at_k": lambda: Credit([hypergeometric.auc(k, j, k) for j in range(k + 1)]), "flip_rate": lambda: FlipRate(hypergeometric.FLIPS)}
    return Credit(hypergeometric.CREDITS[name](k)) if name in hypergeometric.CREDITS else factories[name]()


# ---------------------------------------------------------------- one model

class Estimator:
    """The metric of one model and its variances, on the scale 0..1; questions without trials are dropped."""

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
        self.all_unknown, self.some_unknown = all(unknown), any(unknown)
        self.variance_source = "upper bound" if any(unknown) or (few_trials and model is None) else getattr(metric, "source", "modelled") if few_trials else "measured"
        self.x = [metric.value(row) for row in rows]
        self.theta = sum(self.x, Fraction(0)) / self.M
        self.dev = [(x - self.theta) ** 2 * unbiased_factor(self.M) for x in self.x]
        if isinstance(metric, MaxAtK) and few_trials:
            levels = metric.level_estimators(rows, model)
            self.trial_variance = metric.bound(levels)
            self.trial_variance_error = largest_times([divide_by_square(x.trial_variance_error, x.trial_variance) for x in levels if x.trial_variance], square(self.trial_variance))
        else:
            short = any(n < 2 * self.k and not u for n, u in zip(self.n, unknown))
            fit = fitted_mixture(frozenset(states_of(rows).items()), metric.A) if model and short and isinstance(metric, Credit) else None
            self.v = [d if u else metric.variance(row, fit) for row, d, u in zip(rows, self.dev, unknown)]
            S = total(self.v)
            self.trial_variance = max(S, Fraction(0)) if isinstance(S, Fraction) else S  # a modelled variance is positive
            self.trial_variance_error = total(square(v) for v in self.v)
            if isinstance(metric, FlipRate):
                self.trial_variance = max(self.trial_variance, metric.lower_bound(rows))
        self.min_trials = min(self.n)
        # s: what a further trial adds to the variances over trials, summed over questions (intervals.md)
        self.rise = metric.step(self.min_trials)
        self.step = self.rise * Fraction(self.k, self.min_trials + self.k - 1)
        # the lowest and the highest trial of each question, None for metrics of binary outcomes
        self.ends = [(min(u), max(u)) for u in ([y for m, y in zip(row, metric.u) if m] for row in rows)] if hasattr(metric, "u") else None
        self.s = further_trial(self)
        self.inverse_n0 = Fraction(self.k, self.min_trials * self.M)  # 1/n0, n0 the independent blocks of k trials of fixed questions
        self.fixed = scale(Fraction(1, self.M**2), total([self.trial_variance, self.s]))


def square(x):
    return x * x if isinstance(x, Fraction) else Real(lambda: to_mpf(x) ** 2)


def divide_by_square(x, y):
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y**2
    return Real(lambda: to_mpf(x) / to_mpf(y) ** 2)


def largest_times(shares, factor):
    """The largest share times a factor."""
    largest = Fraction(0)
    for x in shares:
        largest = larger(x, largest)
    return Real(lambda: to_mpf(largest) * to_mpf(factor))


def unbiased_factor(M):
    return Fraction(M, M - 1) if M > 1 else Fraction(1)


def read_counts(R, metric, missing):
    """Counts by category of each question, and the indices of the questions without a trial."""
    if hasattr(metric, "read"):
        rows = metric.read(R)
        return rows, [i for i, row in enumerate(rows) if not sum(row)]
    rows = counts(R, metric.C, missing)
    return rows, [i for i, row in enumerate(rows) if not sum(row)]
