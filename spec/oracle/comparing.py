"""Two models: compare, ranges of ranks, and how many trials or questions more are needed."""
from mpmath import mp

from exact import Fraction, Real, Refused, at, clip, exceeds, frac, root
from many import each
from mean import questions_of
from quantile import normal_cdf, t_cdf, t_quantile, z as normal_quantile


class Side:
    """One model on its kept questions: rows of (n, mean u, sum of squared deviations)."""

    def __init__(self, rows):
        self.M = M = len(rows)
        self.x = [x for _, x, _ in rows]
        self.theta = sum(self.x, Fraction(0)) / M
        stretch = Fraction(M, M - 1) if M > 1 else Fraction(1)
        self.dev = [(x - self.theta) ** 2 * stretch for x in self.x]
        v = [ss / (n * (n - 1)) if n > 1 else d for (n, _, ss), d in zip(rows, self.dev)]
        self.s = sum(Fraction(1, n * n) for n, _, _ in rows) / M
        self.some, self.single = (f(n == 1 for n, _, _ in rows) for f in (any, all))
        self.fixed = (sum(v) + self.s) / M**2
        self.sampled = (sum(self.dev) + Fraction(1, 12)) / M**2
        if not self.single:
            self.sampled = max(self.sampled, self.fixed)
        self.noise = sum(n * e for (n, _, _), e in zip(rows, v))  # A: what one trial a question would leave


def rows_of(R, w, missing):
    """Rows of Side by question, None where there is no trial; and the span of w."""
    kept, dropped, _, span = questions_of(R, w, missing)
    rows = iter(kept)
    return [None if i in dropped else next(rows) for i in range(len(kept) + len(dropped))], span


def side(rows):
    rows = [r for r in rows if r]
    if not rows:
        raise Refused("no_trials")
    return Side(rows)


def both(a, b):
    """Two sides without the questions that either lacks; and these questions."""
    out = [i for i, (x, y) in enumerate(zip(a, b)) if not x or not y]
    a, b = ([x for i, x in enumerate(rows) if i not in out] for rows in (a, b))
    return side(a), side(b), out


def spread(a, b):
    """Mean difference D and sum (d_i - D)^2 M/(M-1)."""
    D, d = a.theta - b.theta, [x - y for x, y in zip(a.x, b.x)]
    if a.M < 2:
        raise Refused("shape")
    return D, sum((x - D) ** 2 for x in d) * Fraction(a.M, a.M - 1)


def difference(a, b, fixed):
    """D, V_D and the degrees of freedom (None: normal) of two sides on the same questions."""
    V = a.fixed + b.fixed - min(a.s, b.s) / a.M**2
    single = a.single or b.single
    if fixed and not single:
        return a.theta - b.theta, V, None
    D, around = spread(a, b)
    sampled = (around + Fraction(1, 3)) / a.M**2
    return D, sampled if single else max(sampled, V), a.M - 1


def quantile(confidence, df):
    """q with P(|T| <= q) = confidence: normal if df is None."""
    return normal_quantile(confidence) if df is None else t_quantile(confidence, at(Fraction(df)))


def compare(A, B, w=None, questions=None, confidence=0.95, paired=True, missing="raise"):
    (a, span), (b, _) = (rows_of(R, w, missing) for R in (A, B))
    fixed = questions == "fixed"
    if paired:
        a, b, dropped = both(a, b)
        D, V, df = difference(a, b, fixed)
        noise = "bound" if fixed and (a.some or b.some) else "measured"
    else:
        a, b, dropped, noise = side(a), side(b), [], "measured"
        if min(a.M, b.M) < 2:
            raise Refused("shape")
        D, V = a.theta - b.theta, a.sampled + b.sampled
        df = V**2 / (a.sampled**2 / (a.M - 1) + b.sampled**2 / (b.M - 1))  # Welch

    def end(sign):
        if not span:
            return Fraction(0)
        x = Real(lambda: at(span) * (at(D) + sign * quantile(frac(confidence), df) * mp.sqrt(at(V))))
        return clip(x, (-span, span))

    def law():
        t = at(D) / mp.sqrt(at(V))
        return normal_cdf(t) if df is None else t_cdf(t, at(Fraction(df)))
    return {"mu": span * D, "sigma": root(span**2 * V), "lo": end(-1), "hi": end(1),
            "p_above": Real(law) if D else Fraction(1, 2), "noise": noise, "dropped": dropped}


# ---------------------------------------------------------------- ranges

def ranges(models, w=None, questions=None, confidence=0.95, joint=False, missing="raise"):
    rows = [rows_of(R, w, missing)[0] for R in each(models)]
    L = len(rows)
    alpha = (1 - frac(confidence)) / (L - 1 if joint else 1)

    def better(i, j):
        """Model i is surely better than model j."""
        a, b, _ = both(rows[i], rows[j])
        D, V, df = difference(a, b, questions == "fixed")
        return D > 0 and exceeds(D, Real(lambda: quantile(1 - 2 * alpha, df) * mp.sqrt(at(V))))
    wins = [[i != j and better(i, j) for j in range(L)] for i in range(L)]
    return {"best": [1 + sum(wins[j][i] for j in range(L)) for i in range(L)], "worst": [L - sum(wins[i]) for i in range(L)]}


# ---------------------------------------------------------------- how much more

def smallest(enough):
    """The smallest whole number from 1 for which enough() holds: it holds for all larger ones too."""
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        mid = (low + high) // 2
        low, high = (low, mid) if enough(mid) else (mid, high)
    return high


def narrow(theta, variance, n0, half_width, confidence):
    """Whether the Wilson interval of n_eff = max(n0, theta(1-theta)/V) is at most that wide, on the unit scale."""
    p = theta * (1 - theta)

    def enough(n):
        n_eff = max(n0(n), p / variance(n)) if p else n0(n)

        def width():
            q = normal_quantile(frac(confidence)) ** 2 / at(n_eff)
            return mp.sqrt(q * at(p) + q * q / 4) / (1 + q)
        return not exceeds(Real(width), half_width)
    return smallest(enough)


def trials_needed(R, R_b=None, w=None, half_width=None, z=1.645, confidence=0.95, missing="raise"):
    rows, span = rows_of(R, w, missing)
    if R_b is not None:
        a, b, _ = both(rows, rows_of(R_b, w, missing)[0])
        D, A = a.theta - b.theta, a.noise + b.noise
        bar = frac(z) ** 2 / Fraction(a.M) ** 2
        return {"trials": smallest(lambda N: D**2 >= bar * (A / N + Fraction(1, N * N))) if D else None}
    a = side(rows)
    if not span:
        return {"trials": 1}
    return {"trials": narrow(a.theta, lambda N: (a.noise / N + Fraction(1, N * N)) / a.M**2, lambda N: Fraction(N * a.M),
                             frac(half_width) / span, confidence)}


def questions_needed(R, R_b=None, w=None, half_width=None, z=1.645, confidence=0.95, missing="raise"):
    rows, span = rows_of(R, w, missing)
    if R_b is not None:
        a, b, _ = both(rows, rows_of(R_b, w, missing)[0])
        D, around = spread(a, b)
        S, bar = around / a.M, frac(z) ** 2
        return {"questions": smallest(lambda Q: D**2 >= bar * (Q * S + Fraction(1, 3)) / Q**2) if D else None}
    a = side(rows)
    if a.M < 2:
        raise Refused("shape")
    if not span:
        return {"questions": 1}
    S = sum(a.dev) / a.M
    return {"questions": narrow(a.theta, lambda Q: (Q * S + Fraction(1, 12)) / Q**2, Fraction,
                                frac(half_width) / span, confidence)}
