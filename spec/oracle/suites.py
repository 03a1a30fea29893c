"""Several benchmarks: macro-averages, comparisons over all of them and in each one, gates over a suite."""

from mpmath import mp

from comparing import Difference, paired_difference
from exact import Fraction, Real, to_mpf, exceeds, to_fraction, larger, divide, root, scale, total
from freedom import welch_df
from intervals import Estimate, rescale, interval_ends
from looks import end
from planning import share_of_confidence
from multiplicity import p_value_of_a_larger_difference, adjust_p_values, holm, oriented
from quantile import z
from runs import runs_by_benchmark
from variance import SOURCES, Estimator, parse_metric, read_counts


def weakest(sources):
    return max(sources, key=SOURCES.index)


def labels_of_used(labels, rows):
    return labels and [x for x, row in zip(labels, rows) if sum(row)]


def normalised_weights(weights, names, used):
    weight_of = {name: Fraction(1) if weights is None else to_fraction(weights[name]) for name in names}
    return [weight_of[name] / sum(weight_of[x] for x in used) for name in used]


# --- one model --------------------------------------------------------------------------------------

class Macro:
    """The weighted mean of estimates, with the attributes theta, V, inverse_n0, df and df_units of an Estimate."""

    n_eff, n_eff_of_fixed_runs, n_eff_of_sampled_runs = Estimate.n_eff, Estimate.n_eff_of_fixed_runs, Estimate.n_eff_of_sampled_runs
    normal_size, normal_size_of_fixed_runs = Estimate.normal_size, Estimate.normal_size_of_fixed_runs

    def __init__(self, parts, w):
        squares = [x * x for x in w]
        self.theta = sum(x * p.theta for x, p in zip(w, parts))
        self.V = total(scale(x, p.V) for x, p in zip(squares, parts))
        self.inverse_n0 = sum(x * p.inverse_n0 for x, p in zip(squares, parts))
        self.df, self.df_units = (
            welch_df(self.V, terms) if terms else None
            for terms in ([(scale(x, p.V), getattr(p, df)) for x, p in zip(squares, parts) if getattr(p, df) is not None] for df in ("df", "df_units")))
        self.with_runs = sum_with_runs(parts, squares)
        self.inverse_n0_with_runs = sum(x * p.inverse_n0_with_runs for x, p in zip(squares, parts))


def sum_with_runs(parts, squares):
    """V_lambda and df_lambda of a weighted sum; None if no part has them."""
    terms = [(scale(x, V), df) for x, p in zip(squares, parts) for V, df in [p.with_runs or (p.V, p.df)]]
    V = total(v for v, _ in terms)
    return (V, welch_df(V, [(v, df) for v, df in terms if df is not None])) if any(p.with_runs for p in parts) else None


def macro_average(parts, w, g, confidence):
    """mu, sigma, lo, hi, n_eff and source of the weighted mean; the interval contains those of Wilson and MOVER."""
    x = Macro(parts, w)
    benchmark_ends = [interval_ends(p.theta, p.normal_size(confidence), confidence) for p in parts]
    lo, hi = interval_ends(x.theta, x.normal_size(confidence), confidence)
    if len(parts) > 1 and 0 < x.theta:
        lo = smaller(lo, Real(lambda: to_mpf(x.theta) - mover_distance(w, parts, [y for y, _ in benchmark_ends])))
    if len(parts) > 1 and x.theta < 1:
        hi = larger(hi, Real(lambda: to_mpf(x.theta) + mover_distance(w, parts, [y for _, y in benchmark_ends])))
    n_eff = x.n_eff()
    return [g.low + g.span * x.theta, root(divide(g.span**2 * x.theta * (1 - x.theta), n_eff)), rescale(g, lo), rescale(g, hi), n_eff,
            weakest(p.source for p in parts)]


def mover_distance(w, parts, limits):
    """The MOVER distance sqrt(sum w_b^2 (theta_b - l_b)^2) from the limits l_b."""
    return mp.sqrt(sum((to_mpf(x) * (to_mpf(p.theta) - to_mpf(y))) ** 2 for x, p, y in zip(w, parts, limits)))


def smaller(x, y):
    return y if exceeds(x, y) else x


# --- two models -------------------------------------------------------------------------------------

def weighted_difference(differences, w):
    """The weighted mean of the differences in the benchmarks."""
    each = list(zip(w, differences))
    V = total(scale(x * x, d.V) for x, d in each)
    return Difference(sum(x * d.D for x, d in each), V, welch_df(V, [(scale(x * x, d.V), d.df) for x, d in each]), weakest(d.variance_source for d in differences),
                      unit=max(x * d.unit for x, d in each), guard=max(d.guard for d in differences), terms=[x**3 * y for x, d in each for y in d.terms],
                      units=all(d.units for d in differences) and [(x * y, x * z) for x, d in each for y, z in d.units], least=sum(x * x * d.least for x, d in each), by_trials=all(d.by_trials for d in differences),
                      with_runs=sum_with_runs(differences, [x * x for x in w]))


def pair_rows(pairs_with_differences, g, confidence, correction):
    """Rows (benchmark, a, b, fields of `compare` but `dropped`, p_adjusted) of pairs that are adjusted together."""
    c, p = to_fraction(confidence), adjust_p_values([d.p_value() for *_, d in pairs_with_differences], correction)
    level = 1 - (1 - c) / (len(pairs_with_differences) if correction == "holm" and pairs_with_differences else 1)
    out = []
    for (name, a, b, d), x in zip(pairs_with_differences, p):
        fields = d.fields(confidence, g.span, level) | {"significant": not exceeds(x, 1 - c)}
        out.append([name, a, b, *(y for field, y in fields.items() if field != "dropped"), x])
    return out


def suite(benchmarks, metric="mean", k=None, tau=None, w=None, weights=None, questions=None, confidence=0.95, correction="holm",
          common=False, clusters=None, guard=0.0, model="mixture", missing="raise", runs="fixed"):
    g, fixed, c = parse_metric(metric, k, tau, w), questions == "fixed", to_fraction(confidence)
    rows = {b: {m: read_counts(R, g, missing)[0] for m, R in x["models"].items()} for b, x in benchmarks["benchmarks"].items()}
    runs = runs_by_benchmark(runs, {b: list(x["models"].values()) for b, x in benchmarks["benchmarks"].items()}, w, missing)
    labels = clusters or {}
    all_models = list(dict.fromkeys(m for x in rows.values() for m in x))
    used = [b for b, x in rows.items() if not common or len(x) == len(all_models)]
    complete_models = [m for m in all_models if all(m in rows[b] for b in used)]
    share = normalised_weights(weights, list(rows), used)

    def difference(b, i, j):
        return paired_difference(rows[b][i], rows[b][j], g, fixed, model, labels.get(b), to_fraction(guard), runs[b](list(rows[b]).index(i), list(rows[b]).index(j)))
    suite_pairs = [(None, i, j, weighted_difference([difference(b, i, j) for b in used], share)) for n, i in enumerate(complete_models) for j in complete_models[n + 1:]]
    benchmark_pairs = [(b, i, j, difference(b, i, j)) for b, x in rows.items() for n, i in enumerate(x) for j in list(x)[n + 1:]]
    pairs, L = pair_rows(suite_pairs, g, confidence, correction), len(complete_models)
    best, worst, beaten = dict.fromkeys(complete_models, 1), dict.fromkeys(complete_models, L), set()
    for (_, i, j, d), row in zip(oriented(g, suite_pairs), pairs):
        if row[-3]:  # significant
            better_model, worse_model = (i, j) if d.D > 0 else (j, i)
            best[worse_model], worst[better_model] = best[worse_model] + 1, worst[better_model] - 1
        for loser, x in ((j, d), (i, d.reversed_difference())):
            if x.D > 0 and exceeds((1 - c) / (L - 1), p_value_of_a_larger_difference(x, Fraction(0))):
                beaten.add(loser)
    models = []
    for m in complete_models:
        parts = [Estimate(Estimator(rows[b][m], g, model), fixed, None, labels_of_used(labels.get(b), rows[b][m]), runs[b](list(rows[b]).index(m))) for b in used]
        models.append([m, *macro_average(parts, share, g, confidence), best[m], worst[m], m not in beaten])
    return {"models": models, "pairs": pairs, "each": pair_rows(benchmark_pairs, g, confidence, correction), "benchmarks": used, "weights": share,
            "left_out": [m for m in all_models if m not in complete_models]}


# --- gates ------------------------------------------------------------------------------------------

def gate_row(name, d, p, delta, g, confidence, power):
    """A row of gate_suite (its fields: spec/families/suites.md); p: the adjusted p_better, None if it is not adjusted."""
    level = (1 - to_fraction(confidence)) / 2
    worse, better = d.p_values_at_margin(delta)
    verdict = "pass" if not exceeds(worse, level) else "inconclusive" if exceeds(p or better, level) else "fail"
    lo, hi = (end(d, sign, level, g.span, None, delta) for sign in (-1, 1))
    growth = None
    if verdict == "inconclusive" and d.D + delta:
        def needed():
            z_required = z(to_fraction(confidence)) + (z(2 * to_fraction(power) - 1) if power > 0.5 else 0)
            V = larger(larger(d.V, d.tilted(delta)), d.with_runs[0] if d.with_runs else Fraction(0))
            by_variance = z_required**2 * to_mpf(V) / to_mpf(d.D + delta) ** 2
            trials = d.trials_of_the_unsampled(level, delta, share_of_confidence(power, confidence))
            return max(by_variance, to_mpf(trials) * to_mpf(d.unit)) if trials else by_variance
        growth = larger(Real(needed), Fraction(1))
        growth = None if exceeds(growth, Fraction(2) ** 1024) else growth  # above every double
    V, df = d.reported(1 - 2 * level)
    return [name, verdict, g.span * d.D, root(scale(g.span**2, V)), lo, hi, worse, better, p or better, df, exceeds(Fraction(0), hi),
            growth, d.variance_source]


def gate_suite(candidate, baseline, metric="mean", k=None, tau=None, w=None, margin=None, rule="mean", weights=None, questions=None, confidence=0.95,
               clusters=None, guard=1.0, model="mixture", missing="raise", power=0.8, runs="fixed"):
    g, new, base = parse_metric(metric, k, tau, w), candidate["benchmarks"], baseline["benchmarks"]
    delta, share = to_fraction(margin) / g.span, normalised_weights(weights, list(new), list(new))
    runs = runs_by_benchmark(runs, {b: [new[b], base[b]] for b in new}, w, missing)
    differences = {b: paired_difference(read_counts(new[b], g, missing)[0], read_counts(base[b], g, missing)[0], g, questions == "fixed", model,
                                  (clusters or {}).get(b), to_fraction(guard), runs[b](0, 1)) for b in new}
    fail = holm([d.p_values_at_margin(delta)[1] for d in differences.values()])
    mean = gate_row(None, weighted_difference(list(differences.values()), share), None, delta, g, confidence, power)
    each = [gate_row(b, d, p, delta, g, confidence, power) for (b, d), p in zip(differences.items(), fail)]
    deciding_rows = [mean] if rule == "mean" else each
    verdict = "fail" if any(x[1] == "fail" for x in [*deciding_rows, *each]) else "pass" if all(x[1] == "pass" for x in deciding_rows) else "inconclusive"
    return {"verdict": verdict, "mean": mean, "each": each, "weights": share}
