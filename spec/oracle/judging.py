"""Mean human scores, from a judge's verdicts on all outputs and human labels of some: judged, label_check and others.

The outputs are kept one by one, not as counts.
"""
from mpmath import mp

from exact import Fraction, Real, Refused, to_mpf, clip, exceeds, to_fraction, root, total
from planning import smallest
from quantile import normal_cdf, z

HALF = Fraction(1, 2)
MIN_LABELS = 10


class Output:
    """An output: its question, verdict, and the label's score in 0..1 or None."""

    def __init__(self, question, verdict, score):
        self.question, self.verdict, self.score = question, verdict, score


class Scores:
    """Scores of label categories: u on the scale 0..1, which low and span convert to that of w."""

    def __init__(self, w):
        w = [Fraction(0), Fraction(1)] if w is None else [to_fraction(x) for x in w]
        self.low, self.span = min(w), max(w) - min(w)
        self.u = [(x - self.low) / self.span if self.span else Fraction(0) for x in w]


def rows(verdicts, missing):
    """Verdicts or labels of each question, in rows of equal length; missing ones are None or the category `missing`."""
    R = [[None if x in (None, "nan") else int(x) for x in row] for row in verdicts["matrix"]]
    longest = max(map(len, R))
    R = [row + [None] * (longest - len(row)) for row in R]
    return R if missing in ("raise", "drop") else [[missing if x is None else x for x in row] for row in R]


def outputs(data, scores, missing):
    """Outputs of each model on the questions that all models have, renumbered; and the questions left out."""
    tables = [rows(v, missing) for v, _ in data]
    out = [a for a in range(len(tables[0])) if any(all(x is None for x in t[a]) for t in tables)]
    used = [a for a in range(len(tables[0])) if a not in out]
    if not used:
        raise Refused("no_trials")
    models = []
    for t, (_, labels) in zip(tables, data):
        L = rows(labels, "drop")
        model = [Output(used.index(a), v, None if l is None else scores.u[l] if scores else Fraction(l))
                 for a in used for v, l in zip(t[a], L[a] + [None] * len(t[a])) if v is not None]
        if all(x.score is None for x in model):
            raise Refused("empty")
        models.append(model)
    return models, out


def group_indices(labels):
    """The index of the group of each verdict, from the numbers of labels of the verdicts.

    From five verdicts on, neighbours are joined until a group has MIN_LABELS labels, or half of all.
    """
    if len(labels) < 5:
        return list(range(len(labels)))
    enough = min(Fraction(MIN_LABELS), Fraction(sum(labels), 2))
    groups, group = [], []
    for v in range(len(labels)):
        group.append(v)
        if sum(labels[u] for u in group) >= enough:
            groups.append(group)
            group = []
    groups[-1] += group
    return [next(g for g, each in enumerate(groups) if v in each) for v in range(len(labels))]


class Mean:
    """The estimate of one model: theta, its variance and n_eff."""

    def __init__(self, model):
        self.model, self.M = model, 1 + max(x.question for x in model)
        n = [sum(1 for x in model if x.question == a) for a in range(self.M)]
        self.n, self.single = n, set(n) == {1}
        self.verdicts = sorted({x.verdict for x in model})
        self.groups = group_indices([sum(x.verdict == v and x.score is not None for x in model) for v in self.verdicts])
        group_of = dict(zip(self.verdicts, self.groups))
        self.numbers = {g: self.group([x for x in model if group_of[x.verdict] == g]) for g in sorted(set(self.groups))}
        self.theta = sum((w * p for w, _, _, p, _, _ in self.numbers.values()), Fraction(0))
        z = [[] for _ in n]
        for x in model:
            _, f, _, p, _, _ = self.numbers[group_of[x.verdict]]
            z[x.question].append(p if x.score is None else p + (x.score - p) / f)
        self.z, self.mean = z, [sum(each) / len(each) for each in z]

    def group(self, outputs):
        """(w, f, nu, p, q, phi) of a group of outputs, in the symbols of spec/families/judges.md.

        They are its share, labelled share, effective number of labels, mean and mean square of the labels, and the
        share of outputs without a label; all but the last weigh every question alike.
        """
        omega, labelled = lambda x: Fraction(1, self.n[x.question]), [x for x in outputs if x.score is not None]
        W, lam = sum(map(omega, outputs)), sum(map(omega, labelled), Fraction(0))
        if not labelled:
            return W / self.M, Fraction(1), Fraction(0), HALF, HALF, Fraction(1)
        p, q = (sum(omega(x) * x.score**k for x in labelled) / lam for k in (1, 2))
        return W / self.M, lam / W, lam**2 / sum(omega(x) ** 2 for x in labelled), p, q, 1 - Fraction(len(labelled), len(outputs))

    def shrunk(self, nu, p, q):
        """The values a and b: mean and second moment shrunk away from 0 and 1."""
        G = len(self.numbers)
        return (nu * p + Fraction(1, G)) / (nu + Fraction(2, G)), (nu * q + Fraction(1, G)) / (nu + Fraction(2, G))

    def t(self, nu, p, q):
        """The variance t of a group's mean label, above 0 whatever the labels are."""
        a, b = self.shrunk(nu, p, q)
        return (b - a * a) / max(nu, 1)

    def V(self, questions):
        M, numbers = self.M, self.numbers.values()
        if questions == "outputs":
            return sum(w * w * phi * self.t(nu, p, q) for w, _, nu, p, q, phi in numbers)
        R = sum(w * w * (self.t(nu, p, q) - ((q - p * p) / nu if nu else 0)) for w, _, nu, p, q, _ in numbers)
        dev = [(x - self.theta) ** 2 * (Fraction(M, M - 1) if M > 1 else 1) for x in self.mean]
        between, stabiliser = sum(dev) / M**2 + R, Fraction(1, 12 * M * M)
        if self.single:
            return between + stabiliser
        within = [sum((y - x) ** 2 for y in each) / (len(each) * (len(each) - 1)) if len(each) > 1 else d
                  for each, x, d in zip(self.z, self.mean, dev)]
        fixed = max(sum(within) / M**2 + R, sum(Fraction(1, n * n) for n in self.n) / Fraction(M) ** 3)
        return fixed if questions == "fixed" else max(between, fixed) + stabiliser

    def n_eff(self, questions):
        V = self.V(questions)
        if not V:
            return float("inf")
        inverse = sum(w * w * (phi if questions == "outputs" else 1) / max(nu, 1) for w, _, nu, _, _, phi in self.numbers.values())
        if questions == "sampled":
            inverse = max(inverse, Fraction(1, self.M))
        centre = sum(w * self.shrunk(nu, p, q)[0] for w, _, nu, p, q, _ in self.numbers.values())
        return max(centre * (1 - centre) / V, 1 / inverse)

    def end(self, side, questions, confidence):
        """Function that gives an end of Wilson's interval at the current precision."""
        theta, n = self.theta, self.n_eff(questions)
        if isinstance(n, float) or theta == (side > 0):
            return lambda: to_mpf(theta)

        def value():
            t, q = to_mpf(theta), z(to_fraction(confidence)) ** 2 / to_mpf(n)
            return (t + q / 2 + side * mp.sqrt(q * t * (1 - t) + q * q / 4)) / (1 + q)
        return value


def judged(verdicts, labels, w=None, questions=None, confidence=0.95, missing="raise"):
    s = Scores(w)
    (model,), dropped = outputs([(verdicts, labels)], s, missing)
    m = Mean(model)
    n = m.n_eff(questions)

    def end(side):
        if not s.span or isinstance(n, float) or m.theta == (side > 0):
            return s.low + s.span * m.theta
        f = m.end(side, questions, confidence)
        return Real(lambda: to_mpf(s.low) + to_mpf(s.span) * f())
    is_upper_bound = questions == "fixed" and m.single or questions == "sampled" and m.M == 1
    by_verdict = [[x for x in model if x.verdict == g] for g in m.verdicts]
    return {"mu": s.low + s.span * m.theta, "sigma": root(m.V(questions) * s.span**2), "lo": end(-1), "hi": end(1), "n_eff": n,
            "variance_source": "upper bound" if is_upper_bound else "measured", "verdicts": m.verdicts, "outputs": [len(x) for x in by_verdict],
            "labels": [sum(y.score is not None for y in x) for x in by_verdict],
            "means": [s.low + s.span * p if nu else None for _, _, nu, p, _, _ in map(m.group, by_verdict)],
            "expected": [m.shrunk(*m.numbers[g][2:5])[0] for g in m.groups], "dropped": dropped}


def compare_judged(A, B, labels_a, labels_b, w=None, questions=None, confidence=0.95, missing="raise"):
    s = Scores(w)
    (a, b), dropped = outputs([(A, labels_a), (B, labels_b)], s, missing)
    a, b = Mean(a), Mean(b)
    taken_as_sampled = questions == "fixed" and (a.single or b.single)
    q, M = "sampled" if taken_as_sampled else questions, a.M
    if q == "sampled" and M < 2:
        raise Refused("shape")
    Va, Vb, D = a.V(q), b.V(q), a.theta - b.theta
    C = Fraction(0) if q != "sampled" else sum((x - a.theta) * (y - b.theta) for x, y in zip(a.mean, b.mean)) / (M * (M - 1))

    def reach(x, side, y):
        """Function that gives the distance from D to an end, from one end of x and the opposite end of y."""
        def value():
            p, r = abs(to_mpf(x.theta) - x.end(side, q, confidence)()), abs(to_mpf(y.theta) - y.end(-side, q, confidence)())
            rho = to_mpf(C) / mp.sqrt(to_mpf(Va) * to_mpf(Vb)) if C else 0
            return mp.sqrt(p * p + r * r - 2 * rho * p * r)
        return value
    down, up = reach(a, -1, b), reach(a, 1, b)

    def end(side, f):
        if not s.span or not (Va + Vb) or D == side:
            return s.span * D
        return clip(Real(lambda: to_mpf(s.span) * (to_mpf(D) + side * f())), (-s.span, s.span))
    V = Va + Vb - 2 * C
    lo = D if not V or D == -1 else Real(lambda: to_mpf(D) - down())
    hi = D if not V or D == 1 else Real(lambda: to_mpf(D) + up())
    above = Real(lambda: normal_cdf(to_mpf(D) / mp.sqrt(to_mpf(V)))) if V and D else HALF if not D else Fraction(int(D > 0))
    return {"mu": s.span * D, "sigma": root(V * s.span**2), "lo": end(-1, down), "hi": end(1, up), "p_above": above,
            "significant": exceeds(lo, Fraction(0)) or exceeds(Fraction(0), hi), "variance_source": "upper bound" if taken_as_sampled else "measured", "dropped": dropped}


# ---------------------------------------------------------------- which outputs were labelled

def score(total_, variance):
    """The score z = total / sqrt(variance), or None where the variance is 0."""
    if variance <= 0:
        return None
    return root(total_**2 / variance) if total_ >= 0 else negative(root(total_**2 / variance))


def negative(x):
    return -x if isinstance(x, Fraction) else Real(lambda: -x.evaluate())


def p_value(x, sides, comparisons=1):
    """The p-value P(|Z| >= |z|) or P(Z >= z), times the number of comparisons, at most 1."""
    if x is None:
        return None
    if x == 0:
        return Fraction(1) if sides == 2 else HALF
    p = Real(lambda: sides * comparisons * normal_cdf(-abs(to_mpf(x)) if sides == 2 else -to_mpf(x)))
    return Fraction(1) if exceeds(p, Fraction(1)) else p


def label_check(verdicts, labels, missing="raise"):
    (model,), _ = outputs([(verdicts, labels)], None, missing)
    N, n, M = len(model), sum(x.score is not None for x in model), 1 + max(x.question for x in model)
    verdict_values, rates = sorted({x.verdict for x in model}), []
    for g in verdict_values:
        outputs_of_verdict = [x for x in model if x.verdict == g]
        share = Fraction(len(outputs_of_verdict), N)
        excess = sum(x.score is not None for x in outputs_of_verdict) - n * share
        rates.append(score(excess, n * share * (1 - share) * Fraction(N - n, N - 1) if N > 1 else 0))
    spread = None
    outputs_per_question = {sum(x.question == a for x in model) for a in range(M)}
    is_constant = n == N or M == 1 or (len(outputs_per_question) == 1 and (M == N or n in (1, N - 1)))
    if not is_constant:
        square = Fraction(0)
        for a in range(M):
            outputs_of_question = [x for x in model if x.question == a]
            e = Fraction(n * len(outputs_of_question), N)
            square += (sum(x.score is not None for x in outputs_of_question) - e) ** 2 / (e * (1 - Fraction(n, N)))
        spread = score(square * Fraction(N - 1, N) - (M - 1), Fraction(2 * (M - 1)))
    excess, variance = Fraction(0), Fraction(0)
    for g in verdict_values:
        h = []  # (mean verdict of the other outputs of the question, whether labelled) of each output
        for x in model:
            others = [y.verdict for y in model if y.question == x.question and y is not x]
            if x.verdict == g and others:
                h.append((Fraction(sum(others), len(others)), x.score is not None))
        size, labelled_count = len(h), sum(labelled for _, labelled in h)
        if size > 1:
            middle = sum(y for y, _ in h) / size
            excess += sum(y - middle for y, labelled in h if labelled)
            variance += labelled_count * (size - labelled_count) * sum((y - middle) ** 2 for y, _ in h) / (size * (size - 1))
    lean = score(excess, variance)
    return {"verdicts": verdict_values, "z_rate": rates, "p_rate": [p_value(x, 2, len(verdict_values)) for x in rates],
            "z_spread": spread, "p_spread": p_value(spread, 1), "z_lean": lean, "p_lean": p_value(lean, 2)}


# ---------------------------------------------------------------- how many labels

def labels_needed(outputs, means, half_width=None, design="random", confidence=0.95):
    N, p, h = sum(map(int, outputs)), [to_fraction(x) for x in means], to_fraction(half_width)
    w = [Fraction(int(x), N) for x in outputs]
    theta = sum(x * y for x, y in zip(w, p))
    B, T = sum(x * (y - theta) ** 2 for x, y in zip(w, p)) / N, theta * (1 - theta)
    sigma = [root(y * (1 - y)) for y in p]
    each = {"random": w, "balanced": [Fraction(1, len(w))] * len(w)}.get(design)
    if each is None:
        parts = [x * s if isinstance(s, Fraction) else product(x, s) for x, s in zip(w, sigma)]
        whole = total(parts)
        each = [over(x, whole) for x in parts]
        K = lambda: to_mpf(whole) ** 2  # noqa: E731
    else:
        exact = sum(x * y * (1 - y) * (x * len(w) if design == "balanced" else 1) for x, y in zip(w, p))
        K = lambda: to_mpf(exact)  # noqa: E731

    def enough(n):
        def half():
            q = z(to_fraction(confidence)) ** 2 * (K() / n + to_mpf(B)) / to_mpf(T)
            return mp.sqrt(q * to_mpf(T) + q * q / 4) / (1 + q)
        return not exceeds(Real(half), h)
    return {"labels": smallest(enough) if enough(N) else None, "share": each}


def product(x, s):
    return Real(lambda: to_mpf(x) * s.evaluate())


def over(x, y):
    """The quotient x / y, rational where both are."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x / y
    return Real(lambda: to_mpf(x) / to_mpf(y))
