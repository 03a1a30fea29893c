"""Battles: the pair to compare next, the number of battles needed, small sets of battles that decide first place."""
from itertools import combinations
from math import ceil

from mpmath import mp, mpf

from battle_fit import MIN_DF, Fit, ContrastVariances, components
from battles import NEGLIGIBLE, Request
from exact import Refused, to_mpf, fraction_of_mpf, to_fraction
from quantile import z as normal_z


def battle_curvature(fit, i, j):
    """The expected curvature of one battle of i and j without position bias."""
    d, u = fit.difference(i, j), fit.solution()[-1] if fit.tied else mpf(0)
    return sum(mp.exp(log_p) * curvature for log_p, _, _, curvature, _, _ in (fit.outcomes.derivatives(o, d, u) for o in ((0, 1, 2) if fit.tied else (0, 2))))


def covariance(fit, X, one, other):
    """The covariance under the fitted model of two differences of thetas; one, other: pairs of models."""
    c, d = (mp.matrix(fit.coefficients(("pair", *x))) for x in (one, other))
    return (c.T * X * d)[0]


def next_pair(battles, ties="half", position_bias=False, both_bad="tie"):
    request = Request(battles, ties, position_bias, both_bad)
    members, _, fit = request.groups[0]
    if not fit:
        raise Refused("undefined")
    with mp.workdps(60):
        top = sorted(range(fit.L), key=lambda i: -flush_to_zero(fit.theta(i)))[:2]
        X, best = fit.inverse(), None
        for pair in combinations(range(fit.L), 2):
            w = battle_curvature(fit, *pair)
            x = w * covariance(fit, X, pair, top) ** 2 / (1 + w * covariance(fit, X, pair, pair))
            if best is None or x > best[0] * (1 + NEGLIGIBLE):
                best = x, pair
    return {"pair": [request.names[members[k]] for k in best[1]]}


def flush_to_zero(x):
    return mpf(0) if abs(x) < NEGLIGIBLE else x


def battles_needed(battles, a, b, ties="half", position_bias=False, both_bad="tie", cluster=None, power=0.8, confidence=0.95):
    fit, i, j = Request(battles, ties, position_bias, both_bad, cluster).pair(a, b)
    variances = ContrastVariances(fit, cluster)
    with mp.workdps(60):
        D, (V, n_units, V_model) = fit.difference(i, j), variances.variance(("pair", i, j))
        if abs(D) < NEGLIGIBLE or n_units - 1 < MIN_DF:
            return {"battles": None}
        zs = normal_z(to_fraction(confidence)) + (normal_z(2 * to_fraction(power) - 1) if power > 0.5 else 0)
        n = max(0, ceil(fraction_of_mpf(V / V_model * ((zs / D) ** 2 - 1 / V) / battle_curvature(fit, i, j))))
        return {"battles": n if n <= 10**12 else None}


def influence(battles, both_bad="tie"):
    request = Request(battles, "half", False, both_bad)
    members, rows, fit = request.groups[0]
    if not fit:
        raise Refused("undefined")
    with mp.workdps(50):
        search = Search(len(members), rows, fit)
        removed = search.find_removal()
        after = search.fit_without(removed) if removed else None
        kinds = sorted(removed)
        name = [request.names[m] for m in members]
        return {"leader": name[search.leader], "successor": name[index_of_leader(after)] if removed else None, "removed": sum(removed.values()),
                "model_a": [name[k[0]] for k in kinds], "model_b": [name[k[1]] for k in kinds],
                "winner": [("model_a", "tie", "model_b")[k[2]] for k in kinds], "count": [removed[k] for k in kinds]}


def index_of_leader(fit):
    theta = [flush_to_zero(fit.theta(i)) for i in range(fit.L)]
    return theta.index(max(theta))


class Search:
    """A search for few battles that decide first place: half of the predicted number of a kind is removed at a time.

    A kind (i, j, o, w) is the battles of models i < j with outcome o and weight w.
    """

    def __init__(self, L, rows, fit):
        self.L, self.leader, self.set_aside, self.kinds = L, index_of_leader(fit), set(), {}
        for i, j, o, w, count, *_ in rows:
            kind = (i, j, o, w) if i < j else (j, i, 2 - o, w)
            self.kinds[kind] = self.kinds.get(kind, 0) + count

    def fit_without(self, removed):
        """The fit without the removed battles; None if the models are then not one group."""
        rows = [(*k, n - removed.get(k, 0), None, None) for k, n in self.kinds.items() if n > removed.get(k, 0)]
        return Fit(self.L, rows, "half", False) if rows and len(components(self.L, rows)) == 1 else None

    def is_overtaken(self, removed):
        """Whether the models are one group after the removal and one has a larger theta than the leader."""
        fit = self.fit_without(removed)
        return fit is not None and any(flush_to_zero(fit.difference(i, self.leader)) > 0 for i in range(self.L))

    def find_removal(self):
        """A mapping from kinds of battles to the numbers removed; empty if the search finds no other leader."""
        removed = {}
        while not self.is_overtaken(removed):
            kind, count = self.next_kind(removed)
            if kind is None:
                return {}
            while count and self.fit_without({**removed, kind: removed.get(kind, 0) + count}) is None:
                count //= 2
            if count:
                removed[kind] = removed.get(kind, 0) + count
            else:
                self.set_aside.add(kind)
        for kind in reversed(list(removed)):
            low, high = 0, removed[kind]
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if self.is_overtaken({**removed, kind: middle}) else (middle + 1, high)
            removed[kind] = high
        return {kind: n for kind, n in removed.items() if n}

    def next_kind(self, removed):
        """(kind to remove next, half of its predicted number, at least 1); (None, 0) without a positive effect."""
        fit, best = self.fit_without(removed), None
        X = fit.inverse()
        for rival in range(self.L):
            if rival != self.leader:
                prediction = self.prediction_for(fit, X, rival, removed)
                if prediction and (best is None or prediction[0] < best[0]):
                    best = prediction
        return (best[1], max(1, best[2] // 2)) if best else (None, 0)

    def prediction_for(self, fit, X, rival, removed):
        """(battles until the gap to the rival closes, best kind, number taken of it); None without a positive effect.

        The effect of a kind is how much the removal of one of its battles narrows the gap. If all battles with a
        positive effect do not close it, the number of all battles is added to theirs.
        """
        gap, pair, kinds = fit.difference(self.leader, rival), (self.leader, rival), []
        for kind, count in self.kinds.items():
            i, j, o, w = kind
            _, slope, _, dd, _, _ = fit.outcomes.derivatives(o, fit.difference(i, j), 0)
            denominator = 1 - to_mpf(w) * dd * covariance(fit, X, (i, j), (i, j))
            effect = flush_to_zero(to_mpf(w) * slope * covariance(fit, X, (i, j), pair) / denominator) if denominator > 0 else 0
            if count > removed.get(kind, 0) and kind not in self.set_aside and effect > 0:
                kinds.append((-effect, kind, count - removed.get(kind, 0)))
        if not kinds:
            return None
        kinds.sort()
        total = first_taken = 0
        for k, (minus_effect, _, count) in enumerate(kinds):
            taken = min(count, max(1, ceil(fraction_of_mpf(gap / -minus_effect))))
            first_taken, total = first_taken if k else taken, total + taken
            gap += taken * minus_effect
            if gap <= 0:
                return total, kinds[0][1], first_taken
        return total + sum(self.kinds.values()), kinds[0][1], first_taken
