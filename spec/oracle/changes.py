"""Questions that changed: Fisher's exact tests, and the step-up procedure of Döhler, Durand and Roquain."""
from math import comb

from exact import Fraction, Refused, to_fraction
from outcomes import counts


def distribution(n, m, s, alternative):
    """The p-value of each number x of successes in the n trials before; s: successes of these and the m after."""
    w = {x: comb(n, x) * comb(m, s - x) for x in range(s + 1) if x <= n and s - x <= m}

    def extreme(y, x):
        return y >= x if alternative == "regressed" else w[y] <= w[x]

    return {x: Fraction(sum(w[y] for y in w if extreme(y, x)), comb(n + m, s)) for x in w}


class Family:
    """A family of tests: the number of questions with each distribution of the p-value, and the observed p-values.

    The symbols are those of spec/families/changes.md.
    """

    def __init__(self, distributions, p):
        levels = [tuple(sorted(set(x.values()))) for x in distributions]
        self.groups = {x: levels.count(x) for x in set(levels)}
        self.m, self.p = len(p), sorted(p)
        self.A = sorted({t for x in self.groups for t in x} - {1})
        self.g = {t: self.h(t, t) for t in self.A}  # the mean that L(q) compares with q

    def h(self, t, limit):
        """The mean over questions of F_i(t)/(1 - F_i(limit)), F_i the distribution function of the p-value."""
        def cdf(x, t):
            return max((y for y in x if y <= t), default=Fraction(0))
        return sum(n * cdf(x, t) / (1 - cdf(x, limit)) for x, n in self.groups.items()) / self.m

    def largest_significant(self, q):
        """The largest p-value that is significant at q; 0 if none is."""
        limit = max((t for t in self.A if self.g[t] <= q), default=Fraction(0))
        return max((t for k, t in enumerate(self.p, 1) if t <= limit and self.h(t, limit) <= q * k / self.m), default=Fraction(0))

    def smallest_q(self, t, k):
        """The smallest q < 1 at which t, the k-th smallest p-value, is at most the k-th critical value; else 1."""
        for i, limit in enumerate(self.A):
            if limit >= t:
                if self.g[limit] >= 1:
                    break
                q = max(self.g[limit], self.h(t, limit) * self.m / k)
                if i + 1 == len(self.A) or q < self.g[self.A[i + 1]]:  # at larger q the limit is larger
                    return min(q, Fraction(1))
        return Fraction(1)

    def adjusted(self):
        """A mapping from each p-value to the adjusted one: the smallest q < 1 at which it is significant, or 1."""
        adjusted, best = {}, Fraction(1)
        for t in sorted(set(self.p), reverse=True):
            k = sum(x <= t for x in self.p)
            if t in self.g and self.g[t] * self.m / k < best:  # a lower bound of the smallest q
                best = min(best, self.smallest_q(t, k))
            adjusted[t] = best
        return adjusted


def status(c, n, d, m, is_significant):
    """The status of a question with c successes in n trials before and d in m after."""
    if is_significant:
        return "regressed" if Fraction(c, n) > Fraction(d, m) else "improved"
    before, after = 0 < c < n, 0 < d < m
    if before and after or before and m == 1 or after and n == 1:
        return "flaky"
    if before or after:
        return "no longer flaky" if before else "newly flaky"
    return "stable" if Fraction(c, n) == Fraction(d, m) else "undecided"


def changes(old, new, fdr=0.05, alternative="two-sided", missing="raise"):
    both = list(zip(counts(old, 1, missing), counts(new, 1, missing)))
    used = [j for j, (x, y) in enumerate(both) if sum(x) and sum(y)]
    if not used:
        raise Refused("no_trials")
    rows = [(both[j][0][1], sum(both[j][0]), both[j][1][1], sum(both[j][1])) for j in used]
    distributions = [distribution(n, m, c + d, alternative) for c, n, d, m in rows]
    p = [x[row[0]] for x, row in zip(distributions, rows)]
    family = Family(distributions, p)
    critical, adjusted = family.largest_significant(to_fraction(fdr)), family.adjusted()
    c, n, d, m = (list(x) for x in zip(*rows))
    return {"question": used, "c_old": c, "n_old": n, "c_new": d, "n_new": m, "p_value": p,
            "p_adjusted": [adjusted[t] for t in p],
            "status": [status(*row, t <= critical) for row, t in zip(rows, p)]}
