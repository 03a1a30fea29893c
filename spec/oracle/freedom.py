"""Variances of a mean over questions or clusters, with their degrees of freedom and third moments."""
from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, exceeds, scale, total

MAX_DF = Fraction(10**6)  # largest number of degrees of freedom; beyond it the t distribution is practically normal

NORMAL_DF = Fraction(30)  # with at least so many degrees of freedom an interval for fixed questions takes the normal quantile


def further_trial(*estimators):
    """The s of one estimator, or of a pair."""
    return largest_range(estimators) ** 2 * max(x.step for x in estimators)


def least_guard(a, b):
    """The least guard of two models: two steps of the metric of the one with the fewest trials if some question has unequal numbers of trials."""
    return Fraction(0) if a.n == b.n else min(Fraction(1), 2 * largest_range((a, b)) * max(a.rise, b.rise))


def largest_range(estimators):
    """The largest difference of two trials of a question, of any of the estimators, at least 2^-20; 1 if there is none."""
    if estimators[0].ends is None:
        return Fraction(1)
    largest = max(max(high for _, high in x) - min(low for low, _ in x) for x in zip(*(y.ends for y in estimators)))
    return max(largest, Fraction(1, 2**20)) if largest else Fraction(1)


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
    s = further_trial(a, b)
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

    def max_df(self):
        """Degrees of freedom of Z: those of the sizes of the clusters."""
        return Fraction(self.G - 1) if len(set(self.w)) == 1 else self.bell_mccaffrey()  # equal sizes: no sum over pairs

    def sampled(self, x):
        """The variance of the mean of x over the sampling of units, plus Q^2/12, and its degrees of freedom."""
        return sum(self.squares(x)) + self.Q**2 / 12, min(self.max_df(), MAX_DF)

    def guarded(self, d, guard):
        """The variance of the mean of the differences d, with the constant of the guard, and its degrees of freedom."""
        Z = sum(self.squares(d))
        Z = Z if Z > self.Q / 2**80 else Fraction(0)  # differences that are equal as decimals
        return with_constant(Z, guard**2 * self.unseen(), self.max_df())

    def unseen(self):
        """The constant Q/(2M) of a guard of 1."""
        return self.Q / (2 * self.M)

    def contributions(self, d):
        """(w_g d_g, w_g) of each unit: its part of the mean of d, and its share."""
        return [(w * m, w) for w, m in zip(self.w, self.means(d))]


def with_constant(Z, c, df):
    """The variance Z + c, Z an estimate with df degrees of freedom, and its degrees of freedom."""
    df = min(df, MAX_DF)
    return Z + c, min(df, (Z + c) ** 2 / (Z * Z / df + c * c / 2)) if c else df


def fixed_variance(a, b):
    """V_f of two estimators on the same questions, and its degrees of freedom."""
    return scale(Fraction(1, a.M**2), total([a.trial_variance, b.trial_variance, further_trial(a, b)])), trial_variance_df(a, b)


def parts_of_fixed(a, b):
    """The part of each of two estimators in fixed_variance, times M^2; half of s is of each."""
    half = further_trial(a, b) / 2
    return [total([x.trial_variance, half]) for x in (a, b)]


class SamplingVariance:
    """V_sampled of an estimator, number of units, 1/n0, and degrees of freedom for V and n0 (None: normal)."""

    def __init__(self, a, labels=None):
        units = Units(a.M, labels)
        self.units, self.inverse_n0, self.df, self.df_units = units.G, units.Q, None, None
        V = Fraction(1, 12)  # an upper bound: a single unit has no variance between units
        if units.G > 1:
            V, self.df = units.sampled(a.x)
            self.df_units = units.bell_mccaffrey() if labels is not None else None
        self.V = V


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
        squares = sum(v**2 / df for v, df in parts)
        return min(V**2 / squares, MAX_DF) if squares else MAX_DF
    df = Real(lambda: to_mpf(V) ** 2 / sum(to_mpf(v) ** 2 / to_mpf(df) for v, df in parts))
    return MAX_DF if exceeds(df, MAX_DF) else df
