"""Categories from the signals of attempts, and Bayes@N of them (section 3.4 and appendix D of the paper).

Defined in spec/families/rubric.md. One attempt at a time, in fractions; conditions.py says whether a condition is true
of it.
"""
import metrics
from conditions import TABLES, Language, Unknown, parse, check_name, truth
from exact import Fraction, Refused, double

KEYS = [s["key"] for s in TABLES["schemata"]]
SIGNALS = [s["name"] for s in TABLES["signals"]]


# ---------------------------------------------------------------- signals

def cell(x):
    return None if x is None or x == "nan" else Fraction(float(x))


def shape(signals):
    for x in signals.values():
        if isinstance(x, list):
            return len(x), len(x[0])
    raise Refused("shape")


def attempts(signals):
    """Rows of attempts, each a dictionary signal -> Fraction or None."""
    M, N = shape(signals)
    return [[{name: cell(x[i][j] if isinstance(x, list) else x) for name, x in signals.items()} for j in range(N)] for i in range(M)]


def clash(signals, names):
    if any(name in names for name in signals):
        raise Refused("conflict")


def accept(models):
    """The names of the signals of each model."""
    if not models or not all(models):
        raise Refused("empty")
    for signals in models:
        for name in signals:
            check_name(name)
        clash(signals, {t["name"] for t in (*TABLES["variables"], *TABLES["thresholds"])})


# ---------------------------------------------------------------- thresholds

def interpolated(xs, p):
    """The p-th percentile of exact numbers, exact; None for an empty list."""
    if not xs:
        return None
    xs = sorted(xs)
    h = Fraction((len(xs) - 1) * p, 100)
    i = h.numerator // h.denominator
    return xs[i] + (h - i) * (xs[i + 1] - xs[i]) if h > i else xs[i]


def percentile(x, p):
    return {"value": interpolated([Fraction(float(v)) for v in x], p)}


def rounded(x):
    return None if x is None else Fraction(double(x))


def exact_thresholds(language, models, names):
    """Exact values of these thresholds by name, over the attempts of all models."""
    pool, exact = [a for signals in models for row in attempts(signals) for a in row], {}

    def find(name):
        if name not in exact:
            p, signal, among = language.thresholds[name]
            values = {t: rounded(find(t)) for t in language.compared(among) if t in language.thresholds} if among else {}
            xs = [a[signal] for a in pool if a[signal] is not None and (not among or truth(among, a, values, language) is True)]
            exact[name] = interpolated(xs, p)
        return exact[name]
    return {name: find(name) for name in names}


def lacking(models, needed):
    """The first of the needed signals that some model lacks."""
    return next((s for s in needed if any(s not in m for m in models)), None)


def computable(language, models):
    """The standard thresholds whose signals are present."""
    return [t["name"] for t in TABLES["thresholds"] if not lacking(models, language.signals_of(t["name"]))]


def demand(language, models):
    """Own thresholds of a schema, after a check that their signals are present."""
    for name in language.declared:
        if lacking(models, language.signals_of(name)):
            raise Refused("missing")
    return list(language.declared)


def thresholds(signals, own=None):
    models = list(signals.values()) if any(isinstance(x, dict) for x in signals.values()) else [signals]
    accept(models)
    if len({shape(m)[0] for m in models}) > 1:
        raise Refused("shape")
    language = Language(thresholds=own)
    for m in models:
        clash(m, language.own_names)
    exact = exact_thresholds(language, models, computable(language, models) + demand(language, models))
    return {"thresholds": [[name, x] for name, x in exact.items()]}


# ---------------------------------------------------------------- schemata

class Schema:
    """A schema: name, rules [(category, condition)], w, language."""

    def __init__(self, schema):
        if isinstance(schema, str):
            if schema not in KEYS:
                raise Refused("choice")
            schema = dict(TABLES["schemata"][KEYS.index(schema)])
            schema["name"] = schema["key"]
        self.name, self.w = schema["name"], schema["w"]
        self.rules = [(c, parse(text)) for c, text in schema["rules"]]
        self.texts = schema.get("variables", {})
        self.language = Language(schema.get("variables"), schema.get("thresholds"))
        for _, tree in self.rules:
            self.language.resolve(tree)
        categories = {c for c, _ in self.rules}
        if categories != set(range(max(categories) + 1)) or len(categories) < 2:
            raise Refused("category")
        if len(self.w) != len(categories):
            raise Refused("length")

    def trees(self):
        return [tree for _, tree in self.rules]

    def lacks(self, models, has_thresholds):
        """The first signal that some model lacks, of the rules and then of the own thresholds."""
        of_thresholds = [] if has_thresholds else [s for name in self.language.declared for s in self.language.signals_of(name)]
        return lacking(models, self.language.needs(self.trees(), has_thresholds) + of_thresholds)

    def used(self):
        return [n for tree in self.trees() for n in self.language.compared(tree) if n in self.language.thresholds]

    def category(self, attempt, values):
        """The category of an attempt; None if the attempt is missing."""
        for category, tree in self.rules:
            answer = truth(tree, attempt, values, self.language)
            if answer is True:
                return category
            if isinstance(answer, Unknown):
                if answer.code == "empty":
                    raise Refused("empty")
                return None
        raise Refused("category")


def category_rows(schema, signals, values, missing):
    """Rows of categories; -1 where an attempt is missing and dropped."""
    if missing not in ("raise", "drop") and not 0 <= missing < len(schema.w):
        raise Refused("category")
    out = []
    for row in attempts(signals):
        row_categories = [schema.category(a, values) for a in row]
        if None in row_categories and missing == "raise":
            raise Refused("missing")
        out.append([(-1 if missing == "drop" else missing) if c is None else c for c in row_categories])
    return out


def stated(thresholds):
    return {name: cell(x) for name, x in thresholds.items()}


def check_stated(schema, values):
    if any(name not in values for name in schema.used()):
        raise Refused("missing")


def categories(signals, schema, thresholds=None, missing="raise"):
    accept([signals])
    schema, has_thresholds = Schema(schema), thresholds is not None
    clash(signals, schema.language.own_names)
    if schema.lacks([signals], has_thresholds):
        raise Refused("missing")
    if has_thresholds:
        values = stated(thresholds)
        check_stated(schema, values)
    else:
        values = {n: rounded(x) for n, x in exact_thresholds(schema.language, [signals], dict.fromkeys(schema.used())).items()}
    return {"categories": category_rows(schema, signals, values, missing)}


# ---------------------------------------------------------------- scores

def agree(schemata):
    """Check the schemata of one call: no name twice; thresholds of one name have one declaration."""
    if len({s.name for s in schemata}) < len(schemata):
        raise Refused("duplicate")
    known = {}
    for s in schemata:
        for name, (p, signal, among) in s.language.declared.items():
            declaration = (p, signal, among, s.texts if among else None)
            if known.setdefault(name, declaration) != declaration:
                raise Refused("conflict")


def ranks(scores):
    """Competition ranks of exact scores compared as doubles; the best is 1."""
    doubles = [double(x) for x in scores]
    return [1 + sum(y > x for y in doubles) for x in doubles]


def score(models, schemata=None, thresholds=None, missing="raise"):
    data, has_thresholds = list(models.values()), thresholds is not None
    accept(data)
    if len({shape(m)[0] for m in data}) > 1:
        raise Refused("shape")
    chosen, left_out = [Schema(s) for s in (KEYS if schemata is None else schemata)], []
    if schemata is None:
        left_out = [[s.name, s.lacks(data, has_thresholds)] for s in chosen if s.lacks(data, has_thresholds)]
        chosen = [s for s in chosen if not s.lacks(data, has_thresholds)]
        if not chosen:
            raise Refused("empty")
    agree(chosen)
    exact = {n: cell(x) for n, x in thresholds.items()} if has_thresholds else {}
    if not has_thresholds:
        plain = Language()
        exact = exact_thresholds(plain, data, computable(plain, data))
    for s in chosen:
        for m in data:
            clash(m, s.language.own_names)
        if s.lacks(data, has_thresholds):
            raise Refused("missing")
        if has_thresholds:
            check_stated(s, exact)
        else:
            exact.update(exact_thresholds(s.language, data, demand(s.language, data)))
    values = {n: rounded(x) for n, x in exact.items()}
    mu, sigma = [[] for _ in data], [[] for _ in data]
    for s in chosen:
        for l, m in enumerate(data):
            rows = [[None if c == -1 else c for c in row] for row in category_rows(s, m, values, missing)]
            got = metrics.bayes({"matrix": rows}, s.w, missing="drop")
            mu[l].append(got["mu"])
            sigma[l].append(got["sigma"])
    columns = [ranks(column) for column in zip(*mu)]
    return {"models": list(models), "schemata": [s.name for s in chosen], "mu": mu, "sigma": sigma,
            "ranks": [list(row) for row in zip(*columns)], "left_out": left_out, "thresholds": [[n, x] for n, x in exact.items()]}


BY_NAME = {"rubric.percentile": percentile, "rubric.thresholds": thresholds, "rubric.categories": categories, "rubric.score": score}
