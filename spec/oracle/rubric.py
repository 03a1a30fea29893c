"""Categories from the signals of attempts, and Bayes@N of them (section 3.4 and appendix D of arXiv:2510.04265).

The definitions are in spec/families/rubric.md. Attempts are categorised one by one, in fractions; conditions.py evaluates
conditions.
"""
import metrics
from conditions import TABLES, Language, Unknown, parse, check_name, truth
from exact import Fraction, Refused, double

KEYS = [s["key"] for s in TABLES["schemata"]]
PLAIN_KEYS = [key.replace("_", "") for key in KEYS]
SIGNALS = [s["name"] for s in TABLES["signals"]]


# ---------------------------------------------------------------- signals

def to_value(x):
    return None if x is None or x == "nan" else Fraction(float(x))


def shape(signals):
    """Questions and trials (M, N), from the first matrix."""
    for x in signals.values():
        if isinstance(x, list):
            return len(x), len(x[0])
    raise Refused("shape")


def attempts(signals):
    """Rows of attempts, each a mapping from signals to Fractions or None."""
    M, N = shape(signals)
    return [[{name: to_value(x[i][j] if isinstance(x, list) else x) for name, x in signals.items()} for j in range(N)] for i in range(M)]


def check_clash(signals, names):
    """Refuse signals with one of the names of variables and thresholds."""
    if any(name in names for name in signals):
        raise Refused("conflict")


def check_signals(models):
    """Check the names of the signals of each model."""
    if not models or not all(models):
        raise Refused("empty")
    for signals in models:
        for name in signals:
            check_name(name)
        check_clash(signals, {t["name"] for t in (*TABLES["variables"], *TABLES["thresholds"])})


# ---------------------------------------------------------------- thresholds

def exact_percentile(xs, p):
    """The exact p-th percentile of exact numbers; None for an empty list."""
    if not xs:
        return None
    xs = sorted(xs)
    h = Fraction((len(xs) - 1) * p, 100)
    i = h.numerator // h.denominator
    return xs[i] + (h - i) * (xs[i + 1] - xs[i]) if h > i else xs[i]


def percentile(x, p):
    return {"value": exact_percentile([Fraction(float(v)) for v in x], p)}


def rounded(x):
    return None if x is None else Fraction(double(x))


def exact_thresholds(language, models, names):
    """Exact values of thresholds by name, over the attempts of all models."""
    pool, exact = [a for signals in models for row in attempts(signals) for a in row], {}

    def value_of(name):
        if name not in exact:
            p, signal, among = language.thresholds[name]
            values = {t: rounded(value_of(t)) for t in language.compared_names(among) if t in language.thresholds} if among else {}
            xs = [a[signal] for a in pool if a[signal] is not None and (not among or truth(among, a, values, language) is True)]
            exact[name] = exact_percentile(xs, p)
        return exact[name]
    return {name: value_of(name) for name in names}


def first_absent_signal(models, needed):
    """The first of some signals that some model lacks; None if all have them."""
    return next((s for s in needed if any(s not in m for m in models)), None)


def computable_thresholds(language, models):
    """The standard thresholds whose signals all models have."""
    return [t["name"] for t in TABLES["thresholds"] if not first_absent_signal(models, language.signals_of(t["name"]))]


def custom_thresholds(language, models):
    """The custom thresholds of a schema, after a check that all models have their signals."""
    for name in language.declared:
        if first_absent_signal(models, language.signals_of(name)):
            raise Refused("missing")
    return list(language.declared)


def thresholds(signals, own=None):
    """The values of all thresholds that can be computed; own: custom thresholds."""
    models = list(signals.values()) if any(isinstance(x, dict) for x in signals.values()) else [signals]
    check_signals(models)
    if len({shape(m)[0] for m in models}) > 1:
        raise Refused("shape")
    language = Language(thresholds=own)
    for m in models:
        check_clash(m, language.custom_names)
    exact = exact_thresholds(language, models, computable_thresholds(language, models) + custom_thresholds(language, models))
    return {"thresholds": [[name, x] for name, x in exact.items()]}


# ---------------------------------------------------------------- schemata

class Schema:
    """A schema: name, rules [(category, condition)], w, language."""

    def __init__(self, schema):
        if isinstance(schema, str):
            plain = "".join(c for c in schema.lower() if c not in " -_+")
            if plain not in PLAIN_KEYS:
                raise Refused("choice")
            schema = dict(TABLES["schemata"][PLAIN_KEYS.index(plain)])
            schema["name"] = schema["key"]
        self.name, self.w = schema["name"], schema["w"]
        self.rules = [(c, parse(text)) for c, text in schema["rules"]]
        self.variable_texts = schema.get("variables", {})
        self.language = Language(schema.get("variables"), schema.get("thresholds"))
        for _, tree in self.rules:
            self.language.check_kinds_of_names(tree)
        categories = {c for c, _ in self.rules}
        if categories != set(range(max(categories) + 1)) or len(categories) < 2:
            raise Refused("category")
        if len(self.w) != len(categories):
            raise Refused("length")

    def trees(self):
        return [tree for _, tree in self.rules]

    def first_absent_signal(self, models, has_thresholds):
        """The first signal that some model lacks: of the rules, then, if no thresholds are given, of the custom ones."""
        of_thresholds = [] if has_thresholds else [s for name in self.language.declared for s in self.language.signals_of(name)]
        return first_absent_signal(models, self.language.needed_signals(self.trees(), has_thresholds) + of_thresholds)

    def used_thresholds(self):
        return [n for tree in self.trees() for n in self.language.compared_names(tree) if n in self.language.thresholds]

    def category(self, attempt, values):
        """The category of an attempt; None if a rule needs a signal that is missing."""
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
    """Rows of categories; -1 for a missing attempt that is dropped."""
    if missing not in ("raise", "drop") and not 0 <= missing < len(schema.w):
        raise Refused("category")
    out = []
    for row in attempts(signals):
        row_categories = [schema.category(a, values) for a in row]
        if None in row_categories and missing == "raise":
            raise Refused("missing")
        out.append([(-1 if missing == "drop" else missing) if c is None else c for c in row_categories])
    return out


def given_values(thresholds):
    return {name: to_value(x) for name, x in thresholds.items()}


def check_given(schema, values):
    """Refuse given thresholds that lack one which the rules use."""
    if any(name not in values for name in schema.used_thresholds()):
        raise Refused("missing")


def categories(signals, schema, thresholds=None, missing="raise"):
    check_signals([signals])
    schema, has_thresholds = Schema(schema), thresholds is not None
    check_clash(signals, schema.language.custom_names)
    if schema.first_absent_signal([signals], has_thresholds):
        raise Refused("missing")
    if has_thresholds:
        values = given_values(thresholds)
        check_given(schema, values)
    else:
        values = {n: rounded(x) for n, x in exact_thresholds(schema.language, [signals], dict.fromkeys(schema.used_thresholds())).items()}
    return {"categories": category_rows(schema, signals, values, missing)}


# ---------------------------------------------------------------- scores

def check_declarations(schemata):
    """Check that the schemata of a call have different names, and that thresholds of one name are declared alike."""
    if len({s.name for s in schemata}) < len(schemata):
        raise Refused("duplicate")
    declarations = {}
    for s in schemata:
        for name, (p, signal, among) in s.language.declared.items():
            declaration = (p, signal, among, s.variable_texts if among else None)
            if declarations.setdefault(name, declaration) != declaration:
                raise Refused("conflict")


def ranks(scores):
    """Competition ranks of exact scores compared as doubles; the best is 1."""
    doubles = [double(x) for x in scores]
    return [1 + sum(y > x for y in doubles) for x in doubles]


def score(models, schemata=None, thresholds=None, missing="raise"):
    data, has_thresholds = list(models.values()), thresholds is not None
    check_signals(data)
    if len({shape(m)[0] for m in data}) > 1:
        raise Refused("shape")
    chosen, left_out = [Schema(s) for s in (KEYS if schemata is None else schemata)], []
    if schemata is None:
        left_out = [[s.name, s.first_absent_signal(data, has_thresholds)] for s in chosen if s.first_absent_signal(data, has_thresholds)]
        chosen = [s for s in chosen if not s.first_absent_signal(data, has_thresholds)]
        if not chosen:
            raise Refused("empty")
    check_declarations(chosen)
    exact = {n: to_value(x) for n, x in thresholds.items()} if has_thresholds else {}
    if not has_thresholds:
        plain = Language()
        exact = exact_thresholds(plain, data, computable_thresholds(plain, data))
    for s in chosen:
        for m in data:
            check_clash(m, s.language.custom_names)
        if s.first_absent_signal(data, has_thresholds):
            raise Refused("missing")
        if has_thresholds:
            check_given(s, exact)
        else:
            exact.update(exact_thresholds(s.language, data, custom_thresholds(s.language, data)))
    values = {n: rounded(x) for n, x in exact.items()}
    mu, sigma = [[] for _ in data], [[] for _ in data]
    for s in chosen:
        for l, m in enumerate(data):
            rows = [[None if c == -1 else c for c in row] for row in category_rows(s, m, values, missing)]
            got = metrics.bayes({"matrix": rows}, s.w, missing="drop")
            mu[l].append(got["mu"])
            sigma[l].append(got["sigma"])
    ranks_by_schema = [ranks(column) for column in zip(*mu)]
    return {"models": list(models), "schemata": [s.name for s in chosen], "mu": mu, "sigma": sigma,
            "ranks": [list(row) for row in zip(*ranks_by_schema)], "left_out": left_out, "thresholds": [[n, x] for n, x in exact.items()]}


BY_NAME = {"rubric.percentile": percentile, "rubric.thresholds": thresholds, "rubric.categories": categories, "rubric.score": score}
