"""Variances of a mean over questions or clusters, with their degrees of freedom."""
from exact import Fraction, Real, Refused, at, exceeds, larger, total

MOST = Fraction(10**6)  # degrees of freedom; beyond these the t distribution is the normal one for every purpose


def ratio(top, bottom):
    """Degrees of freedom 2 top^2 / bottom, at most MOST, of a scaled chi-square with mean top, variance bottom; 2 for 0 / 0."""
    if not top:
        return Fraction(2)
    if isinstance(top, Fraction) and isinstance(bottom, Fraction):
        return min(2 * top**2 / bottom, MOST)
    df = Real(lambda: 2 * at(top) ** 2 / at(bottom))
    return MOST if exceeds(df, MOST) else df


def of_trials(a, b):
    """Degrees of freedom of the variance over the trials of two estimators."""
    s = max(a.s, b.s)
    return ratio(total([a.trials, b.trials, s]), total([a.trials_error, b.trials_error, s * s]))


class Units:
    """Clusters of questions (each question its own without labels), their shares, and the variance of a mean over them."""

    def __init__(self, M, labels=None):
        self.labels = list(range(M)) if labels is None else labels
        self.members = {}
        for i, g in enumerate(self.labels):
            self.members.setdefault(g, []).append(i)
        self.G = len(self.members)
        self.w = [Fraction(len(x), M) for x in self.members.values()]
        self.Q = sum(w * w for w in self.w)
        self.M = M

    def leverage(self):
        """CR2 factors a_g: a_g times the squared deviation of one mean is unbiased for its part of the variance."""
        if self.G < 2:
            raise Refused("shape")
        return [w * w / (1 - 2 * w + self.Q) for w in self.w]

    def squares(self, x):
        """The parts z_g = a_g (mean of x in g - mean of x)^2 of the variance."""
        middle = sum(x) / self.M
        means = [sum(x[i] for i in members) / len(members) for members in self.members.values()]
        return [a * (m - middle) ** 2 for a, m in zip(self.leverage(), means)]

    def third_moment(self, x):
        """The third central moment of the mean of x over the draw of units."""
        middle = sum(x) / self.M
        return sum((sum(x[i] - middle for i in members) / self.M) ** 3 for members in self.members.values())

    def bell_mccaffrey(self):
        """Bell and McCaffrey's degrees of freedom: (trace)^2 / trace of the square; G - 1 for equal sizes."""
        a, G = self.leverage(), range(self.G)
        bottom = sum(a[g] * a[h] * ((g == h) - self.w[g] - self.w[h] + self.Q) ** 2 for g in G for h in G)
        return self.Q**2 / bottom

    def sampled(self, x, part, own=False):
        """The variance of the mean of x over the sampling of units, and its degrees of freedom; part and own give the stabiliser c."""
        z, c = self.squares(x), self.Q * part * (self.Q if own else Fraction(1, self.M))
        Z = sum(z)
        bottom = sum(y * y for y in z) - Z * Z * Fraction(self.G - 3, self.G * (self.G - 1)) + c * c
        # units of equal size: the trace is known without G^2 terms
        most = Fraction(self.G - 1) if len(set(self.w)) == 1 else self.bell_mccaffrey()
        return Z + c, min(most, ratio(Z + c, bottom))


def of_same(a, b, fixed, labels=None):
    """V_D and its degrees of freedom for two estimators on the same questions."""
    V = total([a.fixed, b.fixed, -min(a.s, b.s) / a.M**2])
    single = a.all_unknown or b.all_unknown
    if fixed and not single:
        return V, of_trials(a, b)
    sampled, df = Units(a.M, labels).sampled([x - y for x, y in zip(a.x, b.x)], Fraction(1, 3))
    return (sampled if single else larger(sampled, V)), df


def of_one(a):
    """V_sampled of one estimator, and its degrees of freedom."""
    V, df = Units(a.M).sampled(a.x, Fraction(1, 3))
    return (V if a.all_unknown else larger(V, a.fixed)), df


class Drawn:
    """V_sampled of one estimator, number of units, 1/n0, and degrees of freedom of the t distributions of V and n0 (None: normal)."""

    def __init__(self, a, labels=None):
        units = Units(a.M, labels)
        self.units, self.inverse_n0, self.df, self.df_units = units.G, units.Q, None, None
        V = Fraction(1, 12)  # a single unit says nothing about the variance between units: an upper bound
        if units.G > 1:
            V, self.df = units.sampled(a.x, Fraction(1, 12), own=True)
            self.df_units = units.bell_mccaffrey() if labels is not None else None
        self.V = V if a.all_unknown else larger(V, a.fixed)


def satterthwaite(parts):
    """The variance and the degrees of freedom of a sum of independent parts (V, df)."""
    V = total([v for v, _ in parts])
    return V, pooled(V, parts)


def pooled(V, parts):
    """Degrees of freedom of V, a sum with estimated parts (v, df); at most MOST."""
    if not V:
        return Fraction(2)
    if all(isinstance(x, Fraction) for x in [V, *(y for part in parts for y in part)]):
        return min(V**2 / sum(v**2 / df for v, df in parts), MOST)
    df = Real(lambda: at(V) ** 2 / sum(at(v) ** 2 / at(df) for v, df in parts))
    return MOST if exceeds(df, MOST) else df
