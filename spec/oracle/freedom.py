"""Variances of a mean over questions or clusters, with their degrees of freedom and third moments."""
from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, exceeds, larger, root, scale, total

MAX_DF = Fraction(10**6)  # largest number of degrees of freedom; beyond it the t distribution is practically normal

NORMAL_DF = Fraction(30)  # with at least so many degrees of freedom an interval for fixed questions takes the normal quantile


def chi_square_df(top, bottom):
    """Degrees of freedom 2 top^2 / bottom, at most MAX_DF, of a scaled chi-square; 2 where top is 0."""
    if not top:
        return Fraction(2)
    if isinstance(top, Fraction) and isinstance(bottom, Fraction):
        return min(2 * top**2 / bottom, MAX_DF)
    df = Real(lambda: 2 * to_mpf(top) ** 2 / to_mpf(bottom))
    return MAX_DF if exceeds(df, MAX_DF) else df


def trial_variance_df(a, b):
    """Degrees of freedom of the summed variances over trials of two estimators."""
    s = max(a.s, b.s)
    return chi_square_df(total([a.trial_variance, b.trial_variance, s]), total([a.trial_variance_error, b.trial_variance_error, s * s]))


def interval_df(a):
    """Degrees of freedom of V_fixed for an interval: 1/(1/df_f - 1/30); None (normal) if df_f >= 30 or it is >= MAX_DF."""
    df = chi_square_df(total([a.trial_variance, a.s]), total([a.trial_variance_error, a.s * a.s]))
    if isinstance(df, Fraction):
        df = None if df >= NORMAL_DF else 1 / (1 / df - 1 / NORMAL_DF)
        return None if df is None or df >= MAX_DF else df
    if not exceeds(NORMAL_DF, df):
        return None
    rest = Real(lambda: 1 / (1 / to_mpf(df) - 1 / to_mpf(NORMAL_DF)))
    return None if exceeds(rest, MAX_DF) else rest


def bound_of_third_moment(n, k, v, e):
    """The bound beta_a of a question whose trials do not tell the sign of its third moment; v, e: its v_a and e_a."""
    if isinstance(v, Fraction) and v <= 0:
        return Fraction(0)
    if n < 2 * k:
        return scale(Fraction(k, n), v)
    return root(v * e) if isinstance(v, Fraction) and isinstance(e, Fraction) else Real(lambda: mp.sqrt(to_mpf(v) * to_mpf(e)))


class Units:
    """Clusters of questions (or single questions), their shares, and the variance of a mean over them."""

    def __init__(self, M, labels=None):
        self.labels = list(range(M)) if labels is None else labels
        self.members = {}
        for i, g in enumerate(self.labels):
            self.members.setdefault(g, []).append(i)
        self.G = len(self.members)
        self.w = [Fraction(len(x), M) for x in self.members.values()]
        self.Q = sum(w * w for w in self.w)
        self.M = M

    def cr2_factors(self):
        """CR2 factors a_g: a_g times the squared deviation of a cluster mean is unbiased for its variance term."""
        if self.G < 2:
            raise Refused("shape")
        return [w * w / (1 - 2 * w + self.Q) for w in self.w]

    def squares(self, x):
        """The terms z_g = a_g (mean of x in cluster g - mean of x)^2 of the variance."""
        mean = sum(x) / self.M
        return [a * (m - mean) ** 2 for a, m in zip(self.cr2_factors(), self.means(x))]

    def largest_unit(self, share):
        """The mean weight of the fewest units, counted in fractions, that make up this share; at least Q."""
        left, number = share, Fraction(0)
        for w in sorted(self.w, reverse=True):
            part = min(left, w)
            left, number = left - part, number + part / w
        return max(self.Q, share / number)

    def means(self, x):
        return [sum(x[i] for i in members) / len(members) for members in self.members.values()]

    def cubes(self, x):
        """The terms of an estimate of the third central moment of the mean of x over the sampling of units."""
        mean = sum(x) / self.M
        return [(sum(x[i] - mean for i in members) / self.M) ** 3 for members in self.members.values()]

    def bell_mccaffrey(self):
        """Bell and McCaffrey's degrees of freedom: (trace)^2 / trace of the square; G - 1 for equal sizes."""
        a, G = self.cr2_factors(), range(self.G)
        bottom = sum(a[g] * a[h] * ((g == h) - self.w[g] - self.w[h] + self.Q) ** 2 for g in G for h in G)
        return self.Q**2 / bottom

    def sampled(self, x, fraction, by_cluster=False):
        """The variance of the mean of x over the sampling of units, plus a constant, and its degrees of freedom.

        The constant is fraction Q/M, or fraction Q^2 if by_cluster.
        """
        z, c = self.squares(x), self.Q * fraction * (self.Q if by_cluster else Fraction(1, self.M))
        Z = sum(z)
        bottom = sum(y * y for y in z) - Z * Z * Fraction(self.G - 3, self.G * (self.G - 1)) + c * c
        # for units of equal size the trace needs no sum over pairs
        max_df = Fraction(self.G - 1) if len(set(self.w)) == 1 else self.bell_mccaffrey()
        return Z + c, min(max_df, chi_square_df(Z + c, bottom))


def paired_variance(a, b, fixed, labels=None):
    """V_D and its degrees of freedom, for two estimators on the same questions."""
    V = total([a.fixed, b.fixed, -min(a.s, b.s) / a.M**2])
    if fixed and not (a.all_unknown or b.all_unknown):
        return V, trial_variance_df(a, b)
    sampled, df = Units(a.M, labels).sampled([x - y for x, y in zip(a.x, b.x)], Fraction(1, 2))
    return (sampled if a.some_unknown or b.some_unknown else larger(sampled, V)), df


def sampled_variance(a):
    """V_sampled of one estimator, and its degrees of freedom, for a difference on different questions."""
    V, df = Units(a.M).sampled(a.x, Fraction(1, 2))
    return (V if a.all_unknown else larger(V, a.fixed)), df


class SamplingVariance:
    """V_sampled of an estimator, number of units, 1/n0, and degrees of freedom for V and n0 (None: normal)."""

    def __init__(self, a, labels=None):
        units = Units(a.M, labels)
        self.units, self.inverse_n0, self.df, self.df_units = units.G, units.Q, None, None
        V = Fraction(1, 12)  # an upper bound: a single unit has no variance between units
        if units.G > 1:
            V, self.df = units.sampled(a.x, Fraction(1, 12), by_cluster=True)
            self.df_units = units.bell_mccaffrey() if labels is not None else None
        self.V = V if a.all_unknown else larger(V, a.fixed)


def satterthwaite(parts):
    """The sum of independent variances (V, df), and its degrees of freedom."""
    V = total([v for v, _ in parts])
    return V, welch_df(V, parts)


def dependent_df(V, parts):
    """Degrees of freedom of V, a sum of dependent terms (v, df), at most MAX_DF; None if no term has a df."""
    estimated = [(v, df) for v, df in parts if df is not None]
    if len(estimated) < 2:
        return welch_df(V, estimated) if estimated else None
    df = Real(lambda: (to_mpf(V) / sum(to_mpf(v) / mp.sqrt(to_mpf(df)) for v, df in estimated)) ** 2)
    return MAX_DF if exceeds(df, MAX_DF) else df


def welch_df(V, parts):
    """Welch degrees of freedom of V, a sum with estimated terms (v, df); at most MAX_DF, and 2 where V is 0."""
    if not V:
        return Fraction(2)
    if all(isinstance(x, Fraction) for x in [V, *(y for part in parts for y in part)]):
        return min(V**2 / sum(v**2 / df for v, df in parts), MAX_DF)
    df = Real(lambda: to_mpf(V) ** 2 / sum(to_mpf(v) ** 2 / to_mpf(df) for v, df in parts))
    return MAX_DF if exceeds(df, MAX_DF) else df
