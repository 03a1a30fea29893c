"""Several looks at growing data: boundaries that divide an error rate, and e-values that are valid at any time.

The recursion of `boundaries` runs in 30 digits with one Gauss-Legendre rule over the whole range of the process, which has
more nodes than needed; it shares neither the panels nor the arithmetic of the algorithm in spec/families/looks.md.
"""
from math import comb

from mpmath import mp, mpf

from comparing import paired_difference, unpaired_difference
from exact import Fraction, Real, Refused, to_mpf, clip, double, fraction_of_mpf, exceeds, to_fraction, root, scale, total
from variance import parse_metric, read_counts
from runs import sampled_runs
from planning import share_of_confidence, questions_needed, smallest, trials_needed

DIGITS, MAX_Z, MIN_SPENT = 30, Fraction(75, 2), mpf(10) ** -300
_rules = {}  # Gauss-Legendre rules by the number of positive nodes


class Rounded(Real):
    """The result of a quadrature with 22 correct digits, 20 of which are written."""

    def __init__(self, x):
        super().__init__(lambda: +x)
        _, man, exp, _ = x._mpf_
        self.approximation, self.digits = Fraction(man) * Fraction(2) ** exp, 20


def gauss_legendre_rule(n):
    """Positive nodes of the Gauss-Legendre rule of 2n points on (-1, 1), and their weights."""
    if n not in _rules:
        _rules[n] = [legendre_node(2 * n, i) for i in range(1, n + 1)]
    return _rules[n]


def legendre_node(n, i):
    """The i-th largest root of the Legendre polynomial of degree n and its weight, by Newton's method on integers."""
    bits = mp.prec + 40  # numbers are integers that stand for multiples of 2^-bits
    one, x = 1 << bits, int(mp.ldexp(mp.cos(mp.pi * (i - mpf(1) / 4) / (n + mpf(1) / 2)), bits))
    for _ in range(20):
        before, p = one, x
        for j in range(1, n):
            before, p = p, ((2 * j + 1) * (x * p >> bits) - j * before) // (j + 1)
        slope = n * ((x * p >> bits) - before) * one // ((x * x >> bits) - one)
        step = p * one // slope
        x -= step
        if abs(step) < one >> mp.prec - 13:
            x, slope = mpf(x) / one, mpf(slope) / one
            return x, 2 / ((1 - x * x) * slope * slope)
    raise ArithmeticError("no root of the Legendre polynomial found")


def upper_tail(x):
    """The tail probability P(Z > x)."""
    return mp.erfc(x / mp.sqrt(2)) / 2


def upper_quantile(p):
    """The quantile z with P(Z > z) = p <= 1/2, by Newton's steps on the logarithm."""
    z = mp.sqrt(-2 * mp.log(2 * p)) / 2
    for _ in range(200):
        q = upper_tail(z)
        step = (mp.log(q) - mp.log(p)) * q / mp.npdf(z)
        z += step
        if abs(step) < mpf(10) ** -(mp.dps - 5):
            return z
    raise ArithmeticError("no normal quantile found")


def spent_error_rate(spending, alpha, f):
    """The error rate spent up to the fraction f, by the spending function."""
    if spending == "pocock":
        return alpha * mp.log(1 + (mp.e - 1) * f)
    return 4 * upper_tail(upper_quantile(alpha / 4) / mp.sqrt(f))


def boundaries_by_recursion(f, exits, extra_nodes=0):
    """The boundaries z_k, look by look; exits: the error rate that each look spends.

    extra_nodes: to try by hand that more nodes change nothing.
    """
    out, x, mass = [], [mpf(0)], [mpf(1) / 2]  # half of a symmetric density
    for k, time in enumerate(f):
        step = mp.sqrt(time - (f[k - 1] if k else 0))
        z = to_mpf(MAX_Z) if exits[k] < MIN_SPENT else boundary_by_secant(mp.sqrt(time), step, x, mass, exits[k])
        out.append(z)
        if k + 1 < len(f):
            b = z * mp.sqrt(time)
            n = 4 * (6 + int(b / mp.sqrt(min(step**2, f[k + 1] - time)) * mpf("1.8"))) + extra_nodes
            nodes = [(b * y, b * w) for y, w in gauss_legendre_rule(n)]
            x, mass = [y for y, _ in nodes], [w * p for (_, w), p in zip(nodes, densities([y for y, _ in nodes], step, x, mass))]
    return out


def densities(ys, step, x, mass):
    """Densities at ys after a normal step from x or -x: by e^(-(y^2 + a^2) / 2) 2 cosh(y a), in units of the step."""
    step2, density_factor = step * step, 1 / (step * mp.sqrt(2 * mp.pi))
    mass = [m * mp.exp(-a * a / (2 * step2)) for a, m in zip(x, mass)]

    def density(y):
        grown = [mp.exp(y * a / step2) for a in x]
        return density_factor * mp.exp(-y * y / (2 * step2)) * mp.fdot(mass, [e + 1 / e for e in grown])
    return [density(y) for y in ys]


def boundary_by_secant(scale, step, x, mass, target):
    """The boundary that is crossed with probability target, by the secant method on the logarithm."""
    def log_excess(z):
        return mp.log(2 * mp.fsum(m * (upper_tail((z * scale - a) / step) + upper_tail((z * scale + a) / step))
                                  for a, m in zip(x, mass))) - mp.log(target)

    start = mp.sqrt(max(-2 * mp.log(target), mpf(1)))
    return mp.findroot(log_excess, (start * mpf("0.8"), start), solver="secant", tol=mpf(10) ** -46, maxsteps=60)


def boundaries_and_spent(fractions, confidence, spending, extra_nodes=0):
    """(z, spent) of the looks, as mpf of 30 digits."""
    with mp.workdps(DIGITS):
        f, a = [to_mpf(to_fraction(x)) for x in fractions], to_mpf(1 - to_fraction(confidence))
        spent = [spent_error_rate(spending, a, x) for x in f]
        return boundaries_by_recursion(f, [s - r for s, r in zip(spent, [0, *spent])], extra_nodes), spent


def boundaries(fractions, confidence=0.95, spending="obrien-fleming"):
    z, spent = boundaries_and_spent(fractions, confidence, spending)
    with mp.workdps(DIGITS):
        return {"z": [Rounded(x) for x in z], "p": [Rounded(2 * upper_tail(x)) for x in z],
                "spent": [Rounded(x) for x in spent]}


# --- at any time ----------------------------------------------------------------------------------

def prior_constants(confidence):
    """(a, r) of `e_value`: a = 2 log(1/alpha), r = a + log(1 + a) the prior variance times the planned information."""
    a = -2 * mp.log(to_mpf(1 - to_fraction(confidence)))
    return a, a + mp.log(1 + a)


def e_value(z, f, confidence=0.95):
    def field(name):
        def value():
            a, r = prior_constants(confidence)
            rho, square = r * to_mpf(to_fraction(f)), to_mpf(to_fraction(z)) ** 2
            log_e = square * rho / (2 * (1 + rho)) - mp.log(1 + rho) / 2
            return {"e": lambda: mp.exp(log_e), "p": lambda: mp.exp(min(-log_e, mpf(0))), "log": lambda: log_e,
                    "z_stop": lambda: mp.sqrt((1 + 1 / rho) * (a + mp.log(1 + rho)))}[name]()
        return Real(value)

    with mp.workdps(30):
        size = field("log").evaluate()  # beyond the logarithm of the largest double e is infinite
    return {"e": float("inf") if size > mpf("709.7827128933839") else field("e"),
            "p": field("p") if size > 0 else Fraction(1), "z_stop": field("z_stop")}


def pair_e_value(wins, losses):
    e = Fraction(2 ** (wins + losses), (wins + losses + 1) * comb(wins + losses, wins))
    try:
        float(e.numerator / e.denominator)
    except OverflowError:
        return {"e": float("inf"), "p": 1 / e}
    return {"e": e, "p": min(Fraction(1), 1 / e)}


# --- two models at a look, a gate ---------------------------------------------------------------------------------

def one_sided_level(confidence, looks, spending):
    """The one-sided significance level at the last of the looks; without looks (1 - confidence)/2."""
    if looks is None:
        return (1 - to_fraction(confidence)) / 2
    z, _ = boundaries_and_spent(looks, confidence, spending)
    with mp.workdps(DIGITS):
        return fraction_of_mpf(upper_tail(z[-1]))


def end(d, sign, level, span, looks, delta=None):
    """One end of the interval of D, clipped, on the scale of w; a margin delta can only move it away from D."""
    if not span:
        return Fraction(0)
    x = total([span * d.D, scale(sign * span, d.half_width(1 - 2 * level) if delta is None else d.reach(sign, level, delta))])
    if isinstance(x, Real):
        x.digits = 20 if looks else 40
    return clip(x, (-span, span))


def difference(A, B, g, questions, paired=True, clusters=None, model="mixture", missing="raise", guard=0.0, runs=None):
    """The metric g, and the Difference of two models; runs: a Sampled, or None."""
    (a, _), (b, _) = (read_counts(R, g, missing) for R in (A, B))
    guard = to_fraction(guard)
    return g, paired_difference(a, b, g, questions == "fixed", model, clusters, guard, runs) if paired else unpaired_difference(a, b, g, model, guard, runs)


def compare(A, B, metric="mean", k=None, tau=None, w=None, questions=None, confidence=0.95, paired=True, clusters=None, guard=0.0,
            model="mixture", missing="raise", looks=None, spending="obrien-fleming", runs="fixed"):
    g, d = difference(A, B, parse_metric(metric, k, tau, w), questions, paired, clusters, model, missing, guard, sampled_runs(runs, [A, B], w, missing))
    level = one_sided_level(confidence, looks, spending)
    if looks is None:
        return d.fields(confidence, g.span)
    ends = [end(d, sign, level, g.span, looks) for sign in (-1, 1)]
    return d.fields(confidence, g.span, 1 - 2 * level, ends) | {"significant": not exceeds(d.p_value(), 2 * level)}


def gate(candidate, baseline, metric="mean", k=None, tau=None, w=None, margin=None, questions=None, confidence=0.95, paired=True,
         clusters=None, guard=1.0, model="mixture", missing="raise", looks=None, spending="obrien-fleming", power=0.8, runs="fixed"):
    runs = sampled_runs(runs, [candidate, baseline], w, missing)
    g, d = difference(candidate, baseline, parse_metric(metric, k, tau, w), questions, paired, clusters, model, missing, guard, runs)
    level, delta = one_sided_level(confidence, looks, spending), to_fraction(margin) / g.span
    worse, better = d.p_values_at_margin(delta)
    verdict = "inconclusive" if exceeds(worse, level) and exceeds(better, level) else "fail" if exceeds(worse, level) else "pass"
    lo, hi = (end(d, sign, level, g.span, looks, delta) for sign in (-1, 1))
    trials, more_questions = (None, None) if verdict != "inconclusive" or not paired or d.with_runs else plan(
        abs(double(g.span * d.D) + margin), delta, d, candidate, baseline, questions == "fixed", g,
        {"w": w, "metric": metric, "k": k, "tau": tau, "power": power, "confidence": confidence, "missing": missing}, model, clusters)
    V, df = d.reported(1 - 2 * level)
    return {"verdict": verdict, "mu": g.span * d.D, "sigma": root(scale(g.span**2, V)), "lo": lo, "hi": hi, "p_worse": worse, "p_better": better,
            "df": df, "worse": exceeds(Fraction(0), hi), "trials_needed": trials, "questions_needed": more_questions, "variance_source": d.variance_source, "dropped": d.dropped}


def plan(gap, delta, d, R, R_b, fixed, g, options, model, clusters):
    """(trials, questions) that detect a difference of gap, also with the variance at the margin; at least one is None."""
    if not gap:
        return None, None
    try:
        needed = trials_needed(R, R_b, difference=gap, **options)["trials"] if fixed else questions_needed(
            R, R_b, difference=gap, model=model, clusters=clusters, **options)["questions"]
    except Refused:  # fewer than 2k trials
        return None, None
    M = len(read_counts(R, g, options["missing"])[0]) - len(d.dropped)
    trials = d.trials_of_the_unsampled((1 - to_fraction(options["confidence"])) / 2, delta, share_of_confidence(options["power"], options["confidence"]))
    factor = Fraction(g.k, M) if fixed else d.unit * M  # trials or questions for each independent trial
    by_bound = smallest(lambda n: not exceeds(scale(factor, trials), Fraction(n))) if trials else 0
    return (max(needed, by_bound), None) if fixed else (None, max(needed, by_bound))
