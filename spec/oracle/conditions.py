"""Conditions on the signals of an attempt: parsing, names, and truth values (true, false or unknown)."""
import json
import re
from pathlib import Path

from exact import Fraction, Refused

TABLES = json.loads((Path(__file__).resolve().parent.parent / "rubric.json").read_text())
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TOKEN = re.compile(r"[ \t\r\n]*(?:(?P<number>-?[0-9]+(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign><=|>=|==|[<>()]))")
RESERVED_WORDS = ("or", "and", "not", "otherwise")
MAX_DEPTH = 100


# ---------------------------------------------------------------- conditions

class Parser:
    """Parser of one condition, from left to right, into nested tuples."""

    def __init__(self, text):
        self.tokens, i, end = [], 0, len(text.rstrip(" \t\r\n"))
        while i < end:
            m = TOKEN.match(text, i)
            if not m:
                raise Refused("format")
            self.tokens.append((m.lastgroup, m.group(m.lastgroup)))
            i = m.end()
        self.place, self.depth = 0, 0

    def peek(self):
        """The kind and the text of the next token, which remains the next; ("end", "") after the last."""
        return self.tokens[self.place] if self.place < len(self.tokens) else ("end", "")

    def take(self, *words):
        """Consume and return the next token if it is one of some words or signs; else None."""
        kind, word = self.peek()
        if kind in ("name", "sign") and word in words:
            self.place += 1
            return word
        return None

    def condition(self):
        tree = self.expr()
        if self.place < len(self.tokens):
            raise Refused("format")
        return tree

    def expr(self):
        terms = [self.term()]
        while self.take("or"):
            terms.append(self.term())
        return ("or", *terms) if len(terms) > 1 else terms[0]

    def term(self):
        factors = [self.factor()]
        while self.take("and"):
            factors.append(self.factor())
        return ("and", *factors) if len(factors) > 1 else factors[0]

    def factor(self):
        inner = self.take("not", "(")
        if inner:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise Refused("format")
            tree = ("not", self.factor()) if inner == "not" else self.expr()
            self.depth -= 1
            if inner == "(" and not self.take(")"):
                raise Refused("format")
            return tree
        if self.take("otherwise"):
            return ("otherwise",)
        left = self.operand()
        op = self.take("<=", "<", ">=", ">", "==")
        if op:
            return ("compare", op, left, self.operand())
        if left[0] == "number":
            raise Refused("format")
        return ("variable", left[1])

    def operand(self):
        kind, word = self.peek()
        if kind not in ("name", "number") or word in RESERVED_WORDS:
            raise Refused("format")
        self.place += 1
        if kind == "name":
            return ("name", word)
        if float(word) in (float("inf"), float("-inf")):
            raise Refused("format")
        return ("number", Fraction(float(word)))


def parse(text):
    return Parser(text).condition()


# ---------------------------------------------------------------- names

class Language:
    """The variables and thresholds that conditions may name: the standard ones, and those of a schema."""

    def __init__(self, variables=None, thresholds=None):
        variables, thresholds = variables or {}, thresholds or {}
        self.custom_names, self.declared = [*variables, *thresholds], thresholds
        self.variables = {v["name"]: parse(v["condition"]) for v in TABLES["variables"]}
        # thresholds by name: (percentile p, signal, parsed condition on the attempts or None)
        self.thresholds = {t["name"]: (t["p"], t["signal"], parse_among(t["among"])) for t in TABLES["thresholds"]}
        used = {*(s["name"] for s in TABLES["signals"]), *self.variables, *self.thresholds}
        for name in self.custom_names:
            check_name(name)
            if name in used:
                raise Refused("duplicate")
            used.add(name)
        self.variables.update((n, parse(text)) for n, text in variables.items())
        self.thresholds.update((n, (p, s, parse_among(among))) for n, (p, s, among) in thresholds.items())
        for tree in (*self.variables.values(), *(t[2] for t in self.thresholds.values() if t[2])):
            self.check_kinds_of_names(tree)
        for _, signal, _ in self.thresholds.values():
            check_name(signal)
            if signal in self.variables or signal in self.thresholds:
                raise Refused("choice")
        for name in (*self.variables, *self.thresholds):
            self.check_cycle(name, ())

    def check_kinds_of_names(self, tree):
        """Check the kinds of names: a bare name must be a variable, a compared name must not."""
        for kind, name in names_in(tree):
            if (kind == "variable") != (name in self.variables):
                raise Refused("choice")

    def check_cycle(self, name, path):
        if name in path:
            raise Refused("conflict")
        tree = self.variables[name] if name in self.variables else self.thresholds[name][2]
        for _, other in names_in(tree) if tree else ():
            if other in self.variables or other in self.thresholds:
                self.check_cycle(other, (*path, name))

    def compared_names(self, tree):
        """The signals and thresholds of a condition in reading order, with variables replaced by their conditions."""
        for kind, name in names_in(tree):
            if kind == "variable":
                yield from self.compared_names(self.variables[name])
            else:
                yield name

    def needed_signals(self, trees, has_thresholds=False):
        """Signals that conditions need, in reading order; also those of thresholds, unless their values are known."""
        out = []
        for tree in trees:
            for name in self.compared_names(tree):
                out += [name] if name not in self.thresholds else [] if has_thresholds else self.signals_of(name)
        return list(dict.fromkeys(out))

    def signals_of(self, name):
        """The signals that a threshold is computed from."""
        _, signal, among = self.thresholds[name]
        return list(dict.fromkeys([signal] + self.needed_signals([among] if among else [])))


def parse_among(among):
    """The parsed `among` condition of a threshold; None without one."""
    return None if among is None else parse(among)


def check_name(name):
    if not NAME.fullmatch(name) or name in RESERVED_WORDS:
        raise Refused("format")


def names_in(tree):
    """Yield ("variable" or "name", name) for the names in a tree, from left to right."""
    if tree[0] in ("variable", "name"):
        yield tree
    for part in tree[1:]:
        if isinstance(part, tuple):
            yield from names_in(part)


# ---------------------------------------------------------------- truth

class Unknown:
    """The truth value unknown, with its reason."""

    def __init__(self, code):
        self.code = code  # "missing": a signal is missing; "empty": a threshold has no value


def compares(op, x, y):
    return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y}[op]


def truth(tree, attempt, values, language):
    """The truth of a condition (True, False or Unknown), from the signals of an attempt and the values of thresholds.

    None is a missing signal, or a threshold without a value.
    """
    kind, *parts = tree
    if kind == "otherwise":
        return True
    if kind == "variable":
        return truth(language.variables[parts[0]], attempt, values, language)
    if kind == "compare":
        op, *sides = parts
        numbers = [x if k == "number" else values[x] if x in language.thresholds else attempt[x] for k, x in sides]
        if any(n is None and x not in language.thresholds for n, (_, x) in zip(numbers, sides)):
            return Unknown("missing")
        return Unknown("empty") if None in numbers else compares(op, *numbers)
    values_of_parts = [truth(part, attempt, values, language) for part in parts]
    unknown = [x for x in values_of_parts if isinstance(x, Unknown)]
    if kind == "not":
        return values_of_parts[0] if unknown else not values_of_parts[0]
    decides = kind == "or"
    if decides in values_of_parts:
        return decides
    return unknown[0] if unknown else not decides
