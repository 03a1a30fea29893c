"""Many models: all pairs with Holm's adjustment, the rank ranges, and the set that contains the best model."""
from mpmath import mp

from comparing import paired_difference
from exact import Fraction, to_mpf, exceeds, to_fraction, scale
from many import all_outcomes, models as named
from runs import runs_of_call
from variance import parse_metric, read_counts


def holm(p):
    """Holm's adjusted p-values: the r-th smallest becomes the largest of min(1, (m - j + 1) p_(j)), j <= r."""
    m, largest, out = len(p), Fraction(0), [None] * len(p)
    for j, i in enumerate(ascending_order(p)):
        x = scale(Fraction(m - j), p[i])
        x = Fraction(1) if exceeds(x, Fraction(1)) else x
        largest = out[i] = x if exceeds(x, largest) else largest
    return out


def ascending_order(p):
    """The indices that sort the numbers; the order of numbers that are equal to 60 digits does not matter."""
    with mp.workdps(60):
        return sorted(range(len(p)), key=lambda i: to_mpf(p[i]))


def pairs(models, g, w, questions, model, clusters, missing, guard, runs):
    """Number of models, and (i, j, difference) of every pair, i < j."""
    about = runs_of_call(runs, all_outcomes(models), w, missing)
    rows = [read_counts(R, g, missing)[0] for R in all_outcomes(models)]
    L = len(rows)
    return L, [(i, j, paired_difference(rows[i], rows[j], g, questions == "fixed", model, clusters, to_fraction(guard), about(i, j))) for i in range(L) for j in range(i + 1, L)]


def oriented(g, compared):
    """The pairs, with differences that are positive where the first model is better."""
    return [(*x, d.reversed_difference()) if getattr(g, "lower_is_better", False) else (*x, d) for *x, d in compared]


def adjust_p_values(p, correction):
    return holm(p) if correction == "holm" else p


def compare_all(models, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, correction="holm", clusters=None, guard=0.0, model="mixture", missing="raise", runs="fixed"):
    g, c = parse_metric(metric, k, tau, w), to_fraction(confidence)
    _, compared = pairs(models, g, w, questions, model, clusters, missing, guard, runs)
    p = adjust_p_values([d.p_value() for _, _, d in compared], correction)
    level = 1 - (1 - c) / (len(compared) if correction == "holm" else 1)
    each_pair = [d.fields(confidence, g.span, level) | {"p_adjusted": x, "significant": not exceeds(x, 1 - c)} for (_, _, d), x in zip(compared, p)]
    names = [name for name, _ in named(models)]
    out = {"a": [names[i] for i, _, _ in compared], "b": [names[j] for _, j, _ in compared]}
    return out | {name: [x[name] for x in each_pair] for name in each_pair[0]}


def ranges(models, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, correction="holm", clusters=None, guard=0.0, model="mixture", missing="raise", runs="fixed"):
    g, alpha = parse_metric(metric, k, tau, w), 1 - to_fraction(confidence)
    L, compared = pairs(models, g, w, questions, model, clusters, missing, guard, runs)
    compared = oriented(g, compared)
    p = adjust_p_values([d.p_value() for _, _, d in compared], correction)
    best, worst = [1] * L, [L] * L
    for (i, j, d), x in zip(compared, p):
        if not exceeds(x, alpha):
            better, worse = (i, j) if d.D > 0 else (j, i)
            best[worse] += 1
            worst[better] -= 1
    return {"best": best, "worst": worst}


def p_value_of_a_larger_difference(d, gap):
    """The p-value against a difference of at most gap: that of a gate with margin gap, the two models exchanged."""
    return d.reversed_difference().p_values_at_margin(gap)[1]


def winners(models, metric="mean", k=None, tau=None, w=None, margin=0.0, questions=None, confidence=0.95, clusters=None, guard=1.0, model="mixture", missing="raise", runs="fixed"):
    g, alpha = parse_metric(metric, k, tau, w), 1 - to_fraction(confidence)
    L, compared = pairs(models, g, w, questions, model, clusters, missing, guard, runs)
    gap = to_fraction(margin) / g.span if g.span else Fraction(0)
    excluded = set()
    for i, j, d in oriented(g, compared):
        for loser, difference in ((j, d), (i, d.reversed_difference())):
            if difference.D > gap and exceeds(alpha / (L - 1), p_value_of_a_larger_difference(difference, gap)):
                excluded.add(loser)
    return {"models": [name for i, (name, _) in enumerate(named(models)) if i not in excluded]}
