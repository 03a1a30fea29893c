"""Checks of module rubric by other methods, for check.py: branches, the standard library, numbers by hand."""
from itertools import product
from random import Random
from statistics import quantiles

import rubric
from conditions import MAX_DEPTH, Language, Unknown, names_in, parse, truth
from exact import Fraction, Refused, double, approximate
from files import vectors

HALF, TENTHS = Fraction(1, 2), [Fraction(i / 10) for i in range(11)]  # the exact values of doubles: the 0.6 of a condition is a double too
SCHEMATA = {key: rubric.Schema(key) for key in rubric.KEYS}


def percentiles():
    """Check percentiles: statistics.quantiles computes 99 of them by the same rule, in fractions."""
    rng = Random(1311)
    for i in range(60):
        xs = [Fraction(rng.randint(-9999, 9999), rng.choice((1, 7, 64, 1000))) for _ in range(rng.randint(2, 40))]
        for p, x in enumerate(quantiles(xs, n=100, method="inclusive"), 1):
            yield ("percentile", i, p), rubric.exact_percentile(xs, p) == x
        yield ("ends", i), (rubric.exact_percentile(xs, 0), rubric.exact_percentile(xs, 100)) == (min(xs), max(xs))


# ---------------------------------------------------------------- table 5 of arXiv:2510.04265, without missing signals

def branches(key, a, t):
    """The category of an attempt without missing signals; t: thresholds."""
    if a["repeated_pattern"] == 1 or a["C"] >= HALF:
        return 0
    right = a["is_correct"] >= HALF
    boxed, bits, A_high = a["has_box"] >= HALF, a["completion_bpt"], a["A"] >= Fraction(0.6)
    high_conf, out_of_distribution = bits <= t["tau_high"], a["prompt_bpt"] >= t["tau_prompt"]
    length = 0 if a["token_ratio"] <= t["len_p33"] else 1 if a["token_ratio"] <= t["len_p66"] else 2
    low_wrong = bits <= t["tau_low_wrong"]
    if key in ("exact_match", "length_robust"):
        return 2 if right else 1
    if key == "format_aware":
        return 1 + 2 * right + boxed
    if key == "conf_calibrated":
        if right:
            return 5 if bits <= t["corr_p33"] else 4 if bits <= t["corr_p66"] else 3
        return 2 if low_wrong else 1
    if key == "ood_robustness":
        return 1 + 2 * right + (not out_of_distribution)
    if key == "strict_compliance":
        return 2 if right and boxed else 1
    if key == "conf_wrong_penalty":
        return 3 if right else 1 if low_wrong else 2
    if key == "verifier_only":
        return 3 if A_high else 1 if a["C"] > a["B"] else 2
    if key == "format_confidence":
        if right:
            return 4 + 2 * boxed + high_conf
        return 2 + high_conf if boxed else 1
    if key == "verifier_probe":
        return (4 if A_high else 3) if right else 1 if A_high else 2
    if key == "efficiency_adjusted":
        return 1 + 3 * right + length
    if key == "concision_high_conf":
        return 1 if not right else 2 if length == 2 else 3 if length == 1 else 5 if high_conf else 4
    raise KeyError(key)


def random_attempt(rng, missing_share=0.0):
    def one(name):
        if rng.random() < missing_share:
            return None
        return Fraction(rng.randint(0, 1)) if name == "repeated_pattern" else rng.choice(TENTHS) * (2 if name.endswith("bpt") else 1)
    return {name: one(name) for name in rubric.SIGNALS}


def random_thresholds(rng):
    names = Language().thresholds
    return {**{n: rng.choice(TENTHS) * 2 for n in names}, "len_p33": Fraction(0.3), "len_p66": Fraction(0.7)}


def printed_table():
    rng, seen = Random(1312), {key: set() for key in rubric.KEYS}
    for i in range(400):
        a, t = random_attempt(rng), random_thresholds(rng)
        for key in rubric.KEYS:
            c = SCHEMATA[key].category(a, t)
            seen[key].add(c)
            yield (key, i), c == branches(key, a, t)
    for key, categories in seen.items():
        yield (key, "every category occurs"), categories == set(range(len(SCHEMATA[key].w)))


# ---------------------------------------------------------------- missing signals

def filled(a, names, rng):
    """Yield the attempt with its missing signals filled in, in at most 216 ways: all ways for three signals."""
    missing_names = [n for n in names if a[n] is None]
    ways = {n: [Fraction(0), Fraction(1)] if n == "repeated_pattern" else [Fraction(0), Fraction(1, 3), HALF, Fraction(0.6), Fraction(1), Fraction(2)] for n in missing_names}
    grid = list(product(*(ways[n] for n in missing_names)))
    for values in grid if len(grid) <= 216 else rng.sample(grid, 216):
        yield {**a, **dict(zip(missing_names, values))}


def filled_signals():
    """Check that a category decided despite missing signals is the category for all tried values of these signals."""
    rng, count = Random(1313), 0
    for i in range(150):
        a, t = random_attempt(rng, missing_share=0.25), random_thresholds(rng)
        for key, schema in SCHEMATA.items():
            c = schema.category(a, t)
            if c is not None and None in a.values():
                count += 1
                yield (key, i), all(branches(key, b, t) == c for b in filled(a, rubric.SIGNALS, rng))
    yield "more than 400 categories are decided despite missing signals", count > 400


# ---------------------------------------------------------------- conditions

def random_condition(rng, depth):
    """A random condition as text with all parentheses, and as a function of x and y in {0, 1, None}."""
    kind = rng.choice(("compare", "compare", "otherwise", "not", "and", "or") if depth else ("compare",))
    if kind == "compare":
        name, op = rng.choice("xy"), rng.choice(("<", "<=", ">", ">=", "=="))
        return f"{name} {op} 0.5", lambda v: None if v[name] is None else (v[name] > 0) == (op in (">", ">=")) if op != "==" else False
    if kind == "otherwise":
        return kind, lambda v: True
    left, f = random_condition(rng, depth - 1)
    if kind == "not":
        return f"not ({left})", lambda v: None if f(v) is None else not f(v)
    right, g = random_condition(rng, depth - 1)
    order = {False: 0, None: 1, True: 2}  # Kleene: "and" is the minimum, "or" the maximum
    pick = min if kind == "and" else max
    return f"({left}) {kind} ({right})", lambda v: pick((f(v), g(v)), key=order.get)


def logic():
    rng, plain = Random(1314), Language()
    for _ in range(300):
        text, f = random_condition(rng, 4)
        tree = parse(text)
        for x, y in product((0, 1, None), repeat=2):
            v = {"x": x, "y": y}
            got = truth(tree, v, {}, plain)
            yield (text, x, y), (None if isinstance(got, Unknown) else got) == f(v)


def precedence():
    """Check that a condition with fewer parentheses has the same tree, and that deep and long conditions are parsed."""
    for short, full in (("a or b and c", "a or (b and c)"), ("not a and b", "(not a) and b"), ("not a or b", "(not a) or b"), ("not x > 1 and b", "(not (x > 1)) and b"),
                         ("a and b or c and d", "(a and b) or (c and d)"), ("x>1and b", "x > 1 and b"), ("not not a", "not (not a)"), (" a\n", "(a)")):
        yield (short, full), parse(short) == parse(full)
    for text in ("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH, " and ".join(["(a)"] * 300)):
        yield ("deep enough", len(text)), bool(parse(text))


def tables():
    """Check rubric.json against appendix D of arXiv:2510.04265: twelve schemata, known names, scores w in 0..1."""
    yield "the tables", (len(rubric.KEYS), len(rubric.SIGNALS)) == (12, 9)
    plain = Language()
    for t in rubric.TABLES["schemata"]:
        rules = [parse(c) for _, c in t["rules"]]
        used = {s for s in plain.needed_signals(rules)}
        yield (t["key"], "names"), used <= set(rubric.SIGNALS) and all(k != "variable" or n in plain.variables for r in rules for k, n in names_in(r))
        yield (t["key"], "rules"), t["rules"][0] == [0, "invalid"] and sorted(c for c, _ in t["rules"]) == list(range(len(t["w"])))
        yield (t["key"], "scores w"), t["w"][0] == 0 and min(t["w"]) == 0 and max(t["w"]) == 1
    for name, (_, signal, among) in plain.thresholds.items():
        yield (name, "of a standard signal"), signal in rubric.SIGNALS and among in (None, ("variable", "wrong"), ("variable", "correct"))


# ---------------------------------------------------------------- scores

def scores():
    """Check mu and the ranks in the vectors of score, from counts in floating point."""
    for case in vectors("rubric.score")["cases"]:
        args, want = case["args"], case["want"]
        made = list(map(rubric.Schema, args.get("schemata") or want["schemata"]))
        values = {n: x and Fraction(x["value"]) for n, x in want["thresholds"]}
        for j, s in enumerate(made):
            column = [row[j] for row in want["mu"]]
            for l, m in enumerate(args["models"].values()):
                means = []
                for row in rubric.attempts(m):
                    policy = args.get("missing", "raise")
                    got = [policy if c is None and policy != "drop" else c for c in (s.category(a, values) for a in row)]
                    got = [c for c in got if c is not None]
                    means.append(sum(float(w) * (1 + got.count(c)) for c, w in enumerate(s.w)) / (len(s.w) + len(got)))
                expect, scale = sum(means) / len(means), max(map(abs, s.w))
                yield (case["id"], s.name, l, "mu"), abs(column[l]["value"] - expect) <= 1e-12 * scale
                yield (case["id"], s.name, l, "rank"), want["ranks"][l][j] == 1 + sum(x["value"] > column[l]["value"] for x in column)


def hand_computed():
    """Check a few numbers worked out by hand, and a refusal."""
    t = dict(rubric.thresholds({"is_correct": [[1, 1, 1, 0, 0]], "completion_bpt": [[1, 2, 4, 8, 9]]})["thresholds"])
    yield "tau_high by hand: h = 1.6 of 1 2 4 8 9", t["tau_high"] == Fraction(32, 10)
    yield "tau_low_wrong by hand: h = 0.6 of 8 9", t["tau_low_wrong"] == Fraction(86, 10)
    yield "corr_p33, corr_p66 by hand: h = 0.66 and 1.32 of 1 2 4", (t["corr_p33"], t["corr_p66"]) == (Fraction(166, 100), Fraction(264, 100))
    yield "rounded once", double(rubric.percentile([0.1, 0.7], 33)["value"]) == float(Fraction(0.1) + (Fraction(0.7) - Fraction(0.1)) * 33 / 100)
    got = rubric.score({"a": {"is_correct": [[1, 0]], "repeated_pattern": 0, "C": 0}}, ["exact_match"])
    yield "two trials of three categories: (1 + 1)/5", got["mu"] == [[Fraction(2, 5)]]
    yield "sigma by hand", abs(approximate(got["sigma"][0][0]) ** 2 - Fraction(2, 5) * Fraction(3, 5) / 6) < Fraction(1, 10**40)
    try:
        rubric.categories({"x": [[1]]}, {"name": "own", "rules": [[0, "x > 1"], [1, "x < 1"]], "w": [0, 1]})
        yield "an attempt that no rule fits is refused", False
    except Refused as err:
        yield "an attempt that no rule fits is refused", err.code == "category"


GROUPS = [("percentiles by the standard library", percentiles), ("table 5 as plain branches", printed_table), ("missing signals, filled in", filled_signals),
          ("conditions in three values", logic), ("precedence", precedence), ("the tables of the rubric", tables), ("scores from counts", scores), ("rubric by hand", hand_computed)]
