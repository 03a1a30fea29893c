"""Questions and designs: covariances, reliability of a ranking, the cheapest design, cost per solved task."""
from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, exceeds, to_fraction, root, scale
from many import all_outcomes, trials as rows_of
from multiplicity import ascending_order
from outcomes import counts
from quantile import beta_quantile, tail_probability, t_cdf, t_quantile, z

F = Fraction
LARGEST = F(2**1024 - 2**970)  # half a unit above the largest double; from here on the result is infinite


class Cells:
    """For each cell (model, question): success rate x, number n of trials, unbiased variance v of x over trials.

    v of a single trial is the mean over cells of the variance of one trial (0 if no cell has two). Cells without a trial
    are left out; complete: so is every question for which some model has no trial.
    """

    def __init__(self, models, missing, complete=False):
        table = [counts(R, 1, missing) for R in all_outcomes(models)]
        self.L, M = len(table), len(table[0])
        self.questions = [j for j in range(M) if not complete or all(sum(row[j]) for row in table)]
        n = [[sum(row[j]) for j in self.questions] for row in table]
        self.n = {(i, j): n[i][j] for i in range(self.L) for j in range(len(self.questions)) if n[i][j]}
        self.x = {(i, j): F(table[i][self.questions[j]][1], k) for (i, j), k in self.n.items()}
        self.M = len({j for _, j in self.n})
        variances = [k * self.x[c] * (1 - self.x[c]) / (k - 1) for c, k in self.n.items() if k > 1]
        self.trial_variance = sum(variances) / len(variances) if variances else None  # sigma_e^2
        self.v = {c: self.x[c] * (1 - self.x[c]) / (k - 1) if k > 1 else self.trial_variance or F(0) for c, k in self.n.items()}


def mean(values):
    values = list(values)
    if not values:
        raise Refused("no_trials")
    return sum(values, F(0)) / len(values)


# --- questions ----------------------------------------------------------------------------------------

class Question:
    """Statistics of a question against the mean of the other questions."""

    def __init__(self, c, j):
        L, other_questions = c.L, [k for k in range(len(c.questions)) if k != j]
        self.x = [c.x[i, j] for i in range(L)]
        self.r = [mean(c.x[i, k] for k in other_questions) for i in range(L)]
        self.mean, middle = mean(self.x), mean(self.r)
        self.x_deviations, self.r_deviations = [x - self.mean for x in self.x], [r - middle for r in self.r]
        self.D = sum(a * b for a, b in zip(self.x_deviations, self.r_deviations)) / (L - 1)
        self.S = sum(r * r for r in self.r_deviations)
        self.dead = all(x == self.x[0] for x in self.x) and self.mean in (0, 1)
        self.T = sum(c.n[i, j] for i in range(L))
        self.L = L
        self.x_variance = sum(a * a for a in self.x_deviations) / (L - 1) - mean(c.v[i, j] for i in range(L))
        self.r_variance = self.S / (L - 1) - sum(c.v[i, k] for i in range(L) for k in other_questions) / (L * (c.M - 1) ** 2)

    def binary_variance(self):
        return self.mean * (1 - self.mean)

    def discrimination(self, known):
        """The correlation corrected for trial-to-trial variance; None unless both variances are known and positive."""
        if not known or self.x_variance <= 0 or self.r_variance <= 0:
            return None
        return scale(self.D, root(1 / (self.x_variance * self.r_variance)))

    def p_value(self, expected):
        """P(T <= (D - expected)/se), L - 2 degrees of freedom; None if dead, or if S or the residual is 0."""
        if self.dead or not self.S:
            return None
        slope = self.D * (self.L - 1) / self.S
        residual = sum((a - slope * b) ** 2 for a, b in zip(self.x_deviations, self.r_deviations))
        if not residual:
            return None
        square, gap = self.S * residual / (self.L - 2) / (self.L - 1) ** 2, self.D - expected
        return Real(lambda: t_cdf(to_mpf(gap) / mp.sqrt(to_mpf(square)), self.L - 2)) if gap else F(1, 2)


def benjamini_hochberg(p):
    """Benjamini and Hochberg's adjusted p-values: the r-th smallest of m becomes the least of min(1, m p_(s)/s) over s >= r."""
    m, order, out, least = len(p), ascending_order(p), [None] * len(p), F(1)
    for r in range(m, 0, -1):
        i = order[r - 1]
        x = scale(F(m, r), p[i])
        least = out[i] = least if exceeds(x, least) else x
    return out


def items(models, fdr=0.1, confidence=0.95, missing="raise"):
    c = Cells(models, missing, complete=True)
    if not c.questions:
        raise Refused("no_trials")
    questions = [Question(c, j) for j in range(len(c.questions))]
    live_questions = [q for q in questions if not q.dead]
    beta = sum(q.D for q in live_questions) / sum(q.binary_variance() for q in live_questions) if live_questions else F(0)
    expected = [beta * q.binary_variance() for q in questions]
    p = [q.p_value(e) for q, e in zip(questions, expected)]
    tested = [j for j, x in enumerate(p) if x is not None]
    adjusted = dict(zip(tested, benjamini_hochberg([p[j] for j in tested])))
    alpha = 1 - to_fraction(confidence)
    return {
        "question": c.questions, "mean": [q.mean for q in questions], "dead": [q.dead for q in questions],
        "bound": [Real(lambda q=q: mp.exp(mp.log(to_mpf(alpha)) / q.T)) if q.dead else None for q in questions],
        "covariance": [q.D for q in questions], "expected": expected,
        "discrimination": [q.discrimination(c.trial_variance is not None) for q in questions],
        "p_value": p, "p_adjusted": [adjusted.get(j) for j in range(len(questions))],
        "suspect": [j in adjusted and q.D < 0 and not exceeds(adjusted[j], to_fraction(fdr)) for j, q in enumerate(questions)],
    }


# --- reliability --------------------------------------------------------------------------------------

class Components:
    """Variance components of models, questions, interaction and single trials, from mean products of pairs of cells."""

    def __init__(self, models, missing):
        c = Cells(models, missing)
        y0 = mean(c.x.values())
        y = {cell: x - y0 for cell, x in c.x.items()}
        cells = list(y)

        def product(related):
            """The mean product of y over ordered pairs of different cells with related(same model?, same question?)."""
            return mean(y[a] * y[b] for a in cells for b in cells if a != b and related(a[0] == b[0], a[1] == b[1]))

        A = mean(y[a] ** 2 - c.v[a] for a in cells)
        if len(cells) > 400:  # a faster computation for large tables
            B, C, T = pairs_by_sums(y)
        else:
            B, C, T = (product(r) for r in (lambda m, q: m, lambda m, q: q, lambda m, q: not m and not q))
        self.model, self.question, self.interaction, self.trial = B - T, C - T, A - B - C + T, c.trial_variance
        self.L, self.M, self.N = c.L, c.M, 1 / mean(F(1, n) for n in c.n.values())
        self.complete = len(cells) == c.L * c.M

    def error(self, M, N):
        """The error variance of a model's mean over M questions of N trials: interaction and trials."""
        return (max(self.interaction, F(0)) + (self.trial or F(0)) / N) / M

    def rho(self, M, N):
        u = self.model + self.error(M, N)
        return self.model / u if self.model > 0 else F(0)

    def feldt(self, sign, confidence):
        """One end of Feldt's interval of rho: the lower one for sign -1."""
        e = self.error(self.M, self.N)
        u = self.model + e
        if u <= 0:
            return F(0) if sign < 0 else F(1)
        if not e:
            return F(1)

        def end():
            a, b = mp.mpf(self.L - 1) / 2, mp.mpf((self.L - 1) * (self.M - 1)) / 2
            p = to_mpf(tail_probability(confidence))
            if sign < 0:  # the upper quantile of F: one over the lower quantile of 1/F
                y = beta_quantile(p, b, a)
                f = (1 - y) / y * b / a
            else:
                y = beta_quantile(p, a, b)
                f = y / (1 - y) * b / a
            return 1 - to_mpf(e / u) * f

        x = Real(end)
        return F(0) if exceeds(F(0), x) else x


def pairs_by_sums(y):
    """Mean products of y over pairs of cells of one model, of one question, and of different models and questions."""
    def within(k):
        total, square, size = {}, {}, {}
        for cell, x in y.items():
            total[cell[k]] = total.get(cell[k], 0) + x
            square[cell[k]] = square.get(cell[k], 0) + x * x
            size[cell[k]] = size.get(cell[k], 0) + 1
        return sum(total[g] ** 2 - square[g] for g in total), sum(n * (n - 1) for n in size.values())

    (b, nb), (c, nc), K = within(0), within(1), len(y)
    t = sum(y.values()) ** 2 - sum(x * x for x in y.values()) - b - c
    return b / nb, c / nc, t / (K * (K - 1) - nb - nc)


def reliability(models, n_questions=None, n_trials=None, confidence=0.95, missing="raise"):
    c = Components(models, missing)
    M, N = F(n_questions or c.M), F(n_trials or c.N)
    is_observed_design = c.complete and n_questions is None and n_trials is None
    e, t = c.error(M, N), max(c.model, F(0)) + max(c.interaction, F(0)) / M
    within = None if c.trial is None else c.trial / (M * N)
    return {
        "var_models": c.model, "var_questions": c.question, "var_interaction": c.interaction, "var_trials": c.trial,
        "rho": c.rho(M, N), "lo": c.feldt(-1, to_fraction(confidence)) if is_observed_design else None, "hi": c.feldt(1, to_fraction(confidence)) if is_observed_design else None,
        "rho_fixed": None if within is None else t / (t + within) if t else F(0),
        "se": root(2 * e), "se_fixed": None if within is None else root(2 * within),
        "n_questions": int(M), "n_trials": N,
    }


# --- designs ------------------------------------------------------------------------------------------

def design(models, se=None, rho=None, cost_question=0.0, cost_trial=1.0, max_trials=1000, missing="raise"):
    c = Components(models, missing)
    tau = to_fraction(se) ** 2 / 2 if se is not None else c.model * (1 - to_fraction(rho)) / to_fraction(rho)
    if tau <= 0:
        raise Refused("undefined")
    most = 1 if c.trial is None else max_trials

    def questions(N):
        """The smallest number of questions, at least two, whose error is at most tau."""
        need = c.error(1, F(N)) / tau
        return max(2, -(-need.numerator // need.denominator))

    def cost(N):
        return questions(N) * (to_fraction(cost_question) + N * to_fraction(cost_trial))

    best = min(range(1, most + 1), key=lambda N: (cost(N), N))
    listed = sorted({best, *(2**i for i in range(15) if 2**i <= min(most, 2 * best))})  # max_trials < 2^14
    M = {N: questions(N) for N in listed}
    return {
        "n_questions": [M[N] for N in listed], "n_trials": listed, "cost": [cost(N) for N in listed],
        "se": [root(2 * c.error(M[N], F(N))) for N in listed], "rho": [c.rho(M[N], F(N)) for N in listed],
        "cheapest": [N == best for N in listed],
    }


# --- cost ---------------------------------------------------------------------------------------------

def read_costs(R, costs, missing):
    """The (success, cost) pairs of each question with a trial; missing outcomes are dropped, or count as a category."""
    out = []
    for row, prices in zip(rows_of(R), costs):
        row = [*row, *[None] * (len(prices) - len(row))]
        is_missing = [x in (None, "nan") for x in row]
        row = [missing if missing_entry and missing != "drop" else x for x, missing_entry in zip(row, is_missing)]
        out.append([(F(int(x)), to_fraction(c)) for x, c, missing_entry in zip(row, prices, is_missing) if not missing_entry or missing != "drop"])
    return [pairs for pairs in out if pairs]


def cost_per_solved(R, costs, questions=None, confidence=0.95, missing="raise"):
    data = read_costs(R, costs, missing)
    if not data:
        raise Refused("no_trials")
    M = len(data)
    x, c = ([mean(pair[k] for pair in pairs) for pairs in data] for k in (0, 1))
    solved, cost = mean(x), mean(c)
    if solved == 0:
        raise Refused("undefined")
    value = cost / solved

    def covariance(k, l):
        """Covariance of two means over questions; k and l are 0 (success) or 1 (cost)."""
        means, middle = (x, c), (solved, cost)
        products = [(means[k][a] - middle[k]) * (means[l][a] - middle[l]) * F(M, max(M - 1, 1)) for a in range(M)]
        if questions == "sampled":
            return sum(products) / M**2
        total = F(0)
        for a, pairs in enumerate(data):
            n = len(pairs)
            total += products[a] if n == 1 else sum((p[k] - means[k][a]) * (p[l] - means[l][a]) for p in pairs) / (n * (n - 1))
        return total / M**2

    stabiliser = F(1, 12 * M**2) if questions == "sampled" else mean(F(1, len(pairs)) for pairs in data) / M**2
    V = (covariance(1, 1) - 2 * value * covariance(0, 1) + value**2 * (covariance(0, 0) + stabiliser)) / solved**2

    def end(sign):
        if not value:
            return F(0)
        q = (lambda: t_quantile(to_fraction(confidence), M - 1)) if questions == "sampled" else (lambda: z(to_fraction(confidence)))
        x = Real(lambda: to_mpf(value) * mp.exp(sign * q() * mp.sqrt(to_mpf(V)) / to_mpf(value)))
        return float("inf") if sign > 0 and exceeds(x, LARGEST) else x

    return {"value": value, "lo": end(-1), "hi": end(1), "cost": cost, "solved": solved}
