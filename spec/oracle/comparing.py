"""Two models: compare, ranges of ranks, and how many trials or questions more are needed."""
from mpmath import mp

from exact import Fraction, Real, Refused, at, clip, exceeds, frac, larger, root, scale, total
from many import each
from variance import WORDS, Side, asked, read
from quantile import normal_cdf, t_cdf, t_quantile, z as normal_quantile


def both(a, b, g, law="beta"):
    """Two models without the questions that either lacks; and these questions."""
    out = [i for i, (x, y) in enumerate(zip(a, b)) if not sum(x) or not sum(y)]
    a, b = (Side([x for i, x in enumerate(rows) if i not in out], g, law) for rows in (a, b))
    return a, b, out


def spread(a, b):
    """Mean difference D and sum (d_i - D)^2 M/(M-1)."""
    D, d = a.theta - b.theta, [x - y for x, y in zip(a.x, b.x)]
    if a.M < 2:
        raise Refused("shape")
    return D, sum((x - D) ** 2 for x in d) * Fraction(a.M, a.M - 1)


def difference(a, b, fixed):
    """D, V_D and the degrees of freedom (None: normal) of two sides on the same questions."""
    V = total([a.fixed, b.fixed, -min(a.s, b.s) / a.M**2])
    single = a.single or b.single
    if fixed and not single:
        return a.theta - b.theta, V, None
    D, around = spread(a, b)
    sampled = (around + Fraction(1, 3)) / a.M**2
    return D, sampled if single else larger(sampled, V), Fraction(a.M - 1)


def welch(a, b):
    """The same of two sides on different questions."""
    if min(a.M, b.M) < 2:
        raise Refused("shape")
    A, B = a.sampled()[0], b.sampled()[0]
    if isinstance(A, Fraction) and isinstance(B, Fraction):
        return a.theta - b.theta, A + B, (A + B) ** 2 / (A**2 / (a.M - 1) + B**2 / (b.M - 1))
    df = Real(lambda: (at(A) + at(B)) ** 2 / (at(A) ** 2 / (a.M - 1) + at(B) ** 2 / (b.M - 1)))
    return a.theta - b.theta, total([A, B]), df


def quantile(confidence, df):
    """q with P(|T| <= q) = confidence: normal if df is None."""
    return normal_quantile(confidence) if df is None else t_quantile(confidence, at(df))


def compare(A, B, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, paired=True, law="beta", missing="raise"):
    g = asked(metric, k, tau, w)
    (a, _), (b, _) = (read(R, g, missing) for R in (A, B))
    fixed, span = questions == "fixed", g.span
    if paired:
        a, b, dropped = both(a, b, g, law)
        D, V, df = difference(a, b, fixed)
        source = max(a.known, b.known, key=WORDS.index) if fixed else "measured"
    else:
        dropped, source = [], "measured"
        D, V, df = welch(Side(a, g, law), Side(b, g, law))

    def end(sign):
        if not span or not V:
            return Fraction(0)
        x = Real(lambda: at(span) * (at(D) + sign * quantile(frac(confidence), df) * mp.sqrt(at(V))))
        return clip(x, (-span, span))

    def chance():
        t = at(D) / mp.sqrt(at(V))
        return normal_cdf(t) if df is None else t_cdf(t, at(df))
    return {"mu": span * D, "sigma": root(scale(span**2, V)), "lo": end(-1), "hi": end(1),
            "p_above": Real(chance) if D else Fraction(1, 2), "variance_source": source, "dropped": dropped}


# ---------------------------------------------------------------- ranges

def ranges(models, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, joint=False, law="beta", missing="raise"):
    g = asked(metric, k, tau, w)
    rows = [read(R, g, missing)[0] for R in each(models)]
    L = len(rows)
    alpha = (1 - frac(confidence)) / (L - 1 if joint else 1)

    def better(i, j):
        """Model i is significantly better than model j."""
        a, b, _ = both(rows[i], rows[j], g, law)
        D, V, df = difference(a, b, questions == "fixed")
        return D > 0 and exceeds(D, Real(lambda: quantile(1 - 2 * alpha, df) * mp.sqrt(at(V))))
    wins = [[i != j and better(i, j) for j in range(L)] for i in range(L)]
    return {"best": [1 + sum(wins[j][i] for j in range(L)) for i in range(L)], "worst": [L - sum(wins[i]) for i in range(L)]}


# ---------------------------------------------------------------- how much more

def smallest(enough):
    """The smallest whole number from 1 for which enough() is true: it is true for all larger ones too."""
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


def per_trial(a):
    """The variance of one trial per question, summed."""
    return sum(n * v for n, v in zip(a.n, a.v))


def trials_needed(R, R_b=None, w=None, half_width=None, z=1.645, confidence=0.95, missing="raise"):
    g = asked(w=w)
    rows, span = read(R, g, missing)[0], g.span
    if R_b is not None:
        a, b, _ = both(rows, read(R_b, g, missing)[0], g)
        D, A = a.theta - b.theta, per_trial(a) + per_trial(b)
        bar = frac(z) ** 2 / Fraction(a.M) ** 2
        return {"trials": smallest(lambda N: D**2 >= bar * (A / N + Fraction(1, N * N))) if D else None}
    a = Side(rows, g)
    A = per_trial(a)
    if not span:
        return {"trials": 1}
    return {"trials": narrow(a.theta, lambda N: (A / N + Fraction(1, N * N)) / a.M**2, lambda N: Fraction(N * a.M),
                             frac(half_width) / span, confidence)}


def questions_needed(R, R_b=None, w=None, half_width=None, z=1.645, confidence=0.95, missing="raise"):
    g = asked(w=w)
    rows, span = read(R, g, missing)[0], g.span
    if R_b is not None:
        a, b, _ = both(rows, read(R_b, g, missing)[0], g)
        D, around = spread(a, b)
        S, bar = around / a.M, frac(z) ** 2
        return {"questions": smallest(lambda Q: D**2 >= bar * (Q * S + Fraction(1, 3)) / Q**2) if D else None}
    a = Side(rows, g)
    if a.M < 2:
        raise Refused("shape")
    if not span:
        return {"questions": 1}
    S = sum(a.dev) / a.M
    return {"questions": narrow(a.theta, lambda Q: (Q * S + Fraction(1, 12)) / Q**2, Fraction,
                                frac(half_width) / span, confidence)}
