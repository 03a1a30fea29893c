"""Runs of an evaluation: whether they differ more than chance explains, and the variance that this adds.

The symbols are those of spec/families/runs.md.
"""
from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, to_fraction, clip, double, larger, product, quotient, root, smaller, total
from freedom import MAX_DF, satterthwaite, welch_df
from many import models
from outcomes import recipe
from quantile import beta_near
from variance import Mean

ZERO, ONE = Fraction(0), Fraction(1)

# ---------------------------------------------------------------- outcomes by run


def trials_by_column(R, missing):
    """The outcomes of a matrix, question by question and column by column; None where a question has no trial in a column."""
    rows = recipe(**R["recipe"]) if "recipe" in R else [[None if x == "nan" else x for x in row] for row in R["matrix"]]
    width = max(map(len, rows))
    if missing == "raise":
        if any(x is None for row in rows for x in row):
            raise Refused("missing")
        if any(len(row) != width for row in rows):
            raise Refused("ragged")
    rows = [[*row, *[None] * (width - len(row))] for row in rows]
    return rows if missing in ("raise", "drop") else [[missing if x is None else x for x in row] for row in rows]


class Model:
    """I_r, E_r and W_r of each run, and f, lambda and h of a model, on the scale 0..1 of the scores u."""

    def __init__(self, R, u, sessions, missing):
        rows = trials_by_column(R, missing)
        runs = list(range(len(rows[0]))) if sessions is None else sessions
        if len(runs) != len(rows[0]):
            raise Refused("length")
        runs = [list(dict.fromkeys(runs)).index(x) for x in runs]
        by_run = [[(r, u[x]) for r, x in zip(runs, row) if x is not None] for row in rows]  # (run, score) of the trials of a question
        by_run = [row for row in by_run if row]
        if not by_run:
            raise Refused("no_trials")
        self.M, self.trials, self.runs = len(by_run), sum(map(len, by_run)), len({r for row in by_run for r, _ in row})
        e = [mean_variance([x for _, x in row]) for row in by_run]
        self.I, self.E, self.W = ([Fraction(0)] * len(set(runs)) for _ in range(3))
        for row, variance in zip(by_run, e):
            n, mean = len(row), sum(x for _, x in row) / Fraction(len(row))
            for r in {r for r, _ in row}:
                scores = [x for s, x in row if s == r]
                share = Fraction(len(scores), n)
                self.I[r] += (sum(scores) - len(scores) * mean) / (n * self.M)
                self.E[r] += variance * share * (1 - share) / self.M**2
                self.W[r] += share / self.M
        most = max(sum(s == r for s, _ in row) for row in by_run for r in {s for s, _ in row})
        # the most by which one question can move I_r up, and down
        self.reach = [most * max(abs(f(x for _, x in row) - sum(x for _, x in row) / Fraction(len(row))) / len(row) for row in by_run) / self.M
                      for f in (max, min)]
        self.counts = self.M > 1 and any(self.E)
        if self.counts:
            self.f = sum(self.E) ** 2 / sum(x * x for x in self.E) - 1
            self.ratio = sum(x * x for x in self.I) / sum(self.E)
            self.h = sum(x * x for x in e) / sum(e) ** 2
            squares = sum(x * x for x in self.W)
            self.sd_squared = (sum(x * x for x in self.I) - sum(self.E)) / (squares * (1 - squares))


def mean_variance(scores):
    """The e_a of a question."""
    n = len(scores)
    return (sum(x * x for x in scores) - sum(scores) ** 2 / Fraction(n)) / (n * (n - 1)) if n > 1 else Fraction(0)


def upper_tail_of_f(x, df):
    """P(F >= x) of the F distribution with df (at most 10^6) and 10^6 degrees of freedom."""
    df = min(df, MAX_DF)
    y = df * x / (MAX_DF + df * x)
    return Real(lambda: 1 - beta_near(to_mpf(y), to_mpf(df / 2), to_mpf(MAX_DF / 2))) if x else Fraction(1)


def bennett(I, E, b):
    """z^2 of Bennett's bound for a sum I of variance E whose terms are at most b."""
    t = to_mpf(b * abs(I) / E)
    return 2 * to_mpf(E / b**2) * ((1 + t) * mp.log1p(t) - t)


def run_variation(R, w=None, sessions=None, shared=False, missing="raise"):
    scores = Mean(w)
    named = [(name, Model(x, scores.u, sessions, missing)) for name, x in (models(R) if "models" in R or "tensor" in R else [(0, R)])]
    if shared and len(named) > 2:
        raise Refused("conflict")
    if all(x.runs < 2 for _, x in named):
        raise Refused("length")
    if all(x.M < 2 for _, x in named):
        raise Refused("shape")
    used = [(name, x) for name, x in named if x.counts]
    if not used:
        zero, one = Fraction(0), Fraction(1)
        return {"ratio": one, "df": Fraction(sum(x.runs - 1 for _, x in named)), "p_value": one, "sd": zero,
                "model": named[0][0], "run": 0, "deviation": zero, "p_run": one}
    ratio, f = pooled([x for _, x in used])
    h = sum(x.f * x.h for _, x in used) / f
    sd_squared = sum(x.sd_squared for _, x in used) / len(used)
    squares = [(I * I / E, name, r, scores.span * I / W, (I, E, x.reach[I < 0])) for name, x in used for r, (I, E, W) in enumerate(zip(x.I, x.E, x.W)) if E]
    square, name, run, deviation, largest = max(squares, key=lambda x: x[0])  # the first of equal ones
    p_run = Real(lambda: len(squares) * mp.erfc(mp.sqrt(bennett(*largest) / 2))) if square else Fraction(1)
    p_value = upper_tail_of_f(ratio, f / (1 - h)) if h < 1 else Fraction(1)
    each = [x for _, x in used]
    reported = of_difference(each) if shared and in_common(each) else (ratio, f)
    return {"ratio": reported[0], "df": reported[1], "p_value": p_value, "sd": root(max(scores.span**2 * sd_squared, Fraction(0))), "model": name,
            "run": run, "deviation": deviation, "p_run": clip(p_run, (None, Fraction(1)))}


# ---------------------------------------------------------------- the argument runs


class Sampled:
    """The ratio lambda and the df f of sampled runs."""

    def __init__(self, ratio, df):
        self.ratio, self.df = ratio, df
        self.excess = larger(total([ratio, -ONE]), ZERO)

    def over(self, V, W):
        """That of a difference: of every statement the same."""
        return self

    def unit(self, *units):
        """1/U of the models of a statement, each with its own k/(n M)."""
        return max(units) * max(self.ratio, ONE)

    def variance(self, V, df, over_trials=None):
        """V_lambda and df_lambda of a variance V with df degrees of freedom (None: normal); None where V_lambda is 0.

        over_trials: V_f, None where it is V itself.
        """
        of_runs = product(self.ratio, V if over_trials is None else over_trials)
        V_runs = of_runs if over_trials is None else total([of_runs, larger(total([V, product(-ONE, over_trials)]), ZERO)])
        if not V_runs:
            return None
        return V_runs, welch_df(V_runs, [(of_runs, self.df), *([] if df is None else [(smaller(V, V_runs), df)])])


FIXED = Sampled(ONE, MAX_DF)


class Pair:
    """The Sampled of both models of a statement, which have runs of their own; df: f of both without other models."""

    def __init__(self, *models, df):
        self.models = models
        self.most = Fraction(5, 4) * max(df, *(x.df for x in models))

    def over(self, *parts):
        """The Sampled of their difference; parts: of both in V_f, or in proportion to it."""
        of_runs = [product(x.ratio, part) for x, part in zip(self.models, parts)]
        if all(x == ZERO for x in of_runs):
            return self.models[0]
        V_of_runs, freedom = satterthwaite([(v, x.df) for v, x in zip(of_runs, self.models)])
        freedom = smaller(freedom, self.most)
        ratios = {x.ratio for x in self.models}
        return Sampled(ratios.pop() if len(ratios) == 1 else quotient(V_of_runs, total(parts)), freedom)

    def unit(self, *units):
        return max(x.unit(unit) for x, unit in zip(self.models, units))


class Call:
    """The runs of the models of a call, read under "sampled" or "shared"."""

    def __init__(self, outcomes, w, missing, shared):
        self.models, self.shared = [Model(x, Mean(w).u, None, missing) for x in outcomes], shared
        if all(x.runs < 2 for x in self.models):
            raise Refused("length")
        if all(x.M < 2 for x in self.models):
            raise Refused("shape")

    def about(self, *statement):
        """The Sampled of a statement about one model, given by its index; the Sampled, or Pair, of one about two."""
        own = [self.models[i] for i in statement if self.models[i].counts]
        if own and self.shared and in_common(own):
            return sampled(of_difference(own))
        each = [self.of_model(x) for x in own]
        return Pair(*each, df=to_fraction(double(own[0].f + own[1].f))) if len(own) == 2 else each[0] if own else self.of_all()

    def of_all(self):
        used = [x for x in self.models if x.counts]
        return sampled(pooled(used) if used else (Fraction(1), Fraction(sum(x.runs - 1 for x in self.models))))

    def of_model(self, model):
        """lambda' and f' of a model that counts."""
        others = [x for x in self.models if x is not model and x.counts]
        return sampled(weighted((model.ratio, model.f), pooled(others)) if others else (model.ratio, model.f))


def sampled(x):
    """A ratio and its df, rounded to doubles."""
    return Sampled(*(to_fraction(double(y)) for y in x))


def pooled(used):
    """lambda and f over models that count."""
    f = sum(x.f for x in used)
    return sum(x.f * x.ratio for x in used) / f, f


def in_common(used):
    """Whether some run has trials of each of these models, one or two."""
    return any(a and b for a, b in zip(used[0].W, used[-1].W))


def of_difference(used):
    """lambda and f of a model, or of the difference of two models whose runs are the same."""
    runs = range(max(len(x.E) for x in used))
    I, E = ([[*values, *[0] * (len(runs) - len(values))] for values in each] for each in ([x.I for x in used], [x.E for x in used]))
    influence = [I[0][r] - (I[1][r] if len(used) == 2 else 0) for r in runs]
    variance = [sum(x[r] for x in E) for r in runs]
    return sum(x * x for x in influence) / sum(variance), sum(variance) ** 2 / sum(x * x for x in variance) - 1


def weighted(own, others):
    """lambda' and f' of a model that has the first ratio and df, and the other models the second."""
    (x, f), (y, g) = own, others
    if x == 0 or y == 0 or others == own:
        w = Fraction(int(x == 0 or others == own))  # P(F >= 1) = 1/2 where both df are equal
    else:
        low = g * y / (f * x + g * y)  # P(F >= x / y) = I_low(g / 2, f / 2)
        p = Real(lambda: mp.betainc(to_mpf(g / 2), to_mpf(f / 2), 0, to_mpf(low), regularized=True))
        w = clip(Real(lambda: (to_mpf(p) - to_mpf(Fraction(1, 10))) / to_mpf(Fraction(2, 5))), (Fraction(0), Fraction(1)))
    if isinstance(w, Fraction):
        return (f * x + w * g * y) / (f + w * g), f + w * g
    return Real(lambda: (to_mpf(f * x) + to_mpf(w) * to_mpf(g * y)) / (to_mpf(f) + to_mpf(w) * to_mpf(g))), Real(lambda: to_mpf(f) + to_mpf(w) * to_mpf(g))


def runs_of_call(runs, outcomes, w, missing):
    """A function from the indices of a statement's models to its Sampled or Pair (None: runs are fixed), for a call on these outcomes, in a list."""
    if runs is None or isinstance(runs, (Sampled, Pair)) or runs == "fixed":
        return lambda *statement: None if runs == "fixed" else runs
    if runs in ("sampled", "shared"):
        return Call(outcomes, w, "drop" if missing == "bounds" else missing, runs == "shared").about
    stated = Sampled(to_fraction(runs["ratio"]), to_fraction(runs["df"]))
    return lambda *statement: stated


def sampled_runs(runs, outcomes, w, missing):
    """The Sampled or Pair, or None, of the one statement of a call: about its one model or both."""
    return runs_of_call(runs, outcomes, w, missing)(*range(len(outcomes)))


def runs_by_benchmark(runs, outcomes, w, missing):
    """runs_of_call() of each benchmark; outcomes: a list for each benchmark."""
    each = runs if isinstance(runs, dict) and any(isinstance(x, dict) for x in runs.values()) else dict.fromkeys(outcomes, runs)
    return {b: runs_of_call(each[b], x, w, missing) for b, x in outcomes.items()}
