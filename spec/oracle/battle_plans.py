"""Battles: which pair to compare next, how many battles are needed, how few decide first place."""
from itertools import combinations
from math import ceil

from mpmath import mp, mpf

from battle_fit import LEAST, Fit, Spreads, components
from battles import NOTHING, Asked
from exact import Refused, at, dyadic, frac
from quantile import z as normal_z


def battle_curvature(fit, i, j):
    """The expected curvature of one battle of i and j, neither of which is shown first."""
    d, u = fit.above(i, j), fit.solution()[-1] if fit.tied else mpf(0)
    return sum(mp.exp(v) * dd for v, _, _, dd, _, _ in (fit.outcomes.of(o, d, u) for o in ((0, 1, 2) if fit.tied else (0, 2))))


def covariance(fit, X, one, other):
    c, d = (mp.matrix(fit.coefficients(("pair", *x))) for x in (one, other))
    return (c.T * X * d)[0]


def next_pair(battles, ties="half", position_bias=False, both_bad="tie"):
    asked = Asked(battles, ties, position_bias, both_bad)
    members, _, fit = asked.groups[0]
    if not fit:
        raise Refused("undefined")
    with mp.workdps(60):
        top = sorted(range(fit.L), key=lambda i: -rounded(fit.theta(i)))[:2]
        X, best = fit.inverse(), None
        for pair in combinations(range(fit.L), 2):
            w = battle_curvature(fit, *pair)
            x = w * covariance(fit, X, pair, top) ** 2 / (1 + w * covariance(fit, X, pair, pair))
            if best is None or x > best[0] * (1 + NOTHING):
                best = x, pair
    return {"pair": [asked.names[members[k]] for k in best[1]]}


def rounded(x):
    return mpf(0) if abs(x) < NOTHING else x


def battles_needed(battles, a, b, ties="half", position_bias=False, both_bad="tie", cluster=None, power=0.8, confidence=0.95):
    fit, i, j = Asked(battles, ties, position_bias, both_bad, cluster).pair(a, b)
    spreads = Spreads(fit, cluster)
    with mp.workdps(60):
        D, (V, E, model) = fit.above(i, j), spreads.of(("pair", i, j))
        if abs(D) < NOTHING or E - 1 < LEAST:
            return {"battles": None}
        zs = normal_z(frac(confidence)) + (normal_z(2 * frac(power) - 1) if power > 0.5 else 0)
        n = max(0, ceil(dyadic(V / model * ((zs / D) ** 2 - 1 / V) / battle_curvature(fit, i, j))))
        return {"battles": n if n <= 10**12 else None}


def influence(battles, both_bad="tie"):
    asked = Asked(battles, "half", False, both_bad)
    members, rows, fit = asked.groups[0]
    if not fit:
        raise Refused("undefined")
    with mp.workdps(50):
        search = Search(len(members), rows, fit)
        gone = search.fewest()
        after = search.without(gone) if gone else None
        kinds = sorted(gone)
        name = [asked.names[m] for m in members]
        return {"leader": name[search.leader], "successor": name[first(after)] if gone else None, "removed": sum(gone.values()),
                "model_a": [name[k[0]] for k in kinds], "model_b": [name[k[1]] for k in kinds],
                "winner": [("model_a", "tie", "model_b")[k[2]] for k in kinds], "count": [gone[k] for k in kinds]}


def first(fit):
    theta = [rounded(fit.theta(i)) for i in range(fit.L)]
    return theta.index(max(theta))


class Search:
    """Search for few battles that decide first place: half of the predicted number per step; then unneeded ones are put back."""

    def __init__(self, L, rows, fit):
        self.L, self.leader, self.never, self.kinds = L, first(fit), set(), {}
        for i, j, o, w, many, *_ in rows:
            kind = (i, j, o, w) if i < j else (j, i, 2 - o, w)
            self.kinds[kind] = self.kinds.get(kind, 0) + many

    def without(self, gone):
        rows = [(*k, n - gone.get(k, 0), None, None) for k, n in self.kinds.items() if n > gone.get(k, 0)]
        return Fit(self.L, rows, "half", False) if rows and len(components(self.L, rows)) == 1 else None

    def overtaken(self, gone):
        fit = self.without(gone)
        return fit is not None and any(rounded(fit.above(i, self.leader)) > 0 for i in range(self.L))

    def fewest(self):
        gone = {}
        while not self.overtaken(gone):
            kind, many = self.best(gone)
            if kind is None:
                return {}
            while many and self.without({**gone, kind: gone.get(kind, 0) + many}) is None:
                many //= 2
            if many:
                gone[kind] = gone.get(kind, 0) + many
            else:
                self.never.add(kind)
        for kind in reversed(list(gone)):
            low, high = 0, gone[kind]
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if self.overtaken({**gone, kind: middle}) else (middle + 1, high)
            gone[kind] = high
        return {kind: n for kind, n in gone.items() if n}

    def best(self, gone):
        fit, best = self.without(gone), None
        X = fit.inverse()
        for rival in range(self.L):
            if rival != self.leader:
                found = self.against(fit, X, rival, gone)
                if found and (best is None or found[0] < best[0]):
                    best = found
        return (best[1], max(1, best[2] // 2)) if best else (None, 0)

    def against(self, fit, X, rival, gone):
        gap, pair, kinds = fit.above(self.leader, rival), (self.leader, rival), []
        for kind, many in self.kinds.items():
            i, j, o, w = kind
            _, slope, _, dd, _, _ = fit.outcomes.of(o, fit.above(i, j), 0)
            rest = 1 - at(w) * dd * covariance(fit, X, (i, j), (i, j))
            effect = rounded(at(w) * slope * covariance(fit, X, (i, j), pair) / rest) if rest > 0 else 0
            if many > gone.get(kind, 0) and kind not in self.never and effect > 0:
                kinds.append((-effect, kind, many - gone.get(kind, 0)))
        if not kinds:
            return None
        kinds.sort()
        total = own = 0
        for k, (effect, _, many) in enumerate(kinds):
            take = min(many, max(1, ceil(dyadic(gap / -effect))))
            own, total = own if k else take, total + take
            gap += take * effect
            if gap <= 0:
                return total, kinds[0][1], own
        return total + sum(self.kinds.values()), kinds[0][1], own
