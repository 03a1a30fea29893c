"""Schemata: the signals and the twelve schemata of the paper (tables 4 and 5 of arXiv:2510.04265), and your own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from .. import arguments
from ..display.text import among, nearest
from ..errors import InvalidInput, shown
from ..outcomes.tally import LARGEST_C
from .conditions import Compare, Node, height, is_name, leaves, operands, parse

# --- tables 4 and 5 as data; a test compares them with spec/rubric.json -----------------------------

INF = float("inf")

SIGNALS: dict[str, tuple[float, float]] = {  # the range of each signal
    "has_box": (0.0, 1.0),
    "is_correct": (0.0, 1.0),
    "token_ratio": (0.0, INF),
    "repeated_pattern": (0.0, 1.0),
    "prompt_bpt": (0.0, INF),
    "completion_bpt": (0.0, INF),
    "A": (0.0, 1.0),
    "B": (0.0, 1.0),
    "C": (0.0, 1.0),
}
BINARY = ("repeated_pattern",)  # signals that must be 0 or 1

# which percentile of which signal, among all attempts (None) or those for which a condition is true
THRESHOLDS: dict[str, tuple[int, str, str | None]] = {
    "tau_high": (40, "completion_bpt", None),
    "tau_low_wrong": (60, "completion_bpt", "wrong"),
    "tau_prompt": (90, "prompt_bpt", None),
    "len_p33": (33, "token_ratio", None),
    "len_p66": (66, "token_ratio", None),
    "corr_p33": (33, "completion_bpt", "correct"),
    "corr_p66": (66, "completion_bpt", "correct"),
}

# names for conditions; ood and ind: the prompt is out of the distribution, or in it
VARIABLES: dict[str, str] = {
    "invalid": "repeated_pattern == 1 or C >= 0.5",
    "correct": "is_correct >= 0.5",
    "wrong": "is_correct < 0.5",
    "high_conf": "completion_bpt <= tau_high",
    "low_conf": "completion_bpt > tau_high",
    "wrong_high_conf": "wrong and completion_bpt <= tau_low_wrong",
    "ood": "prompt_bpt >= tau_prompt",
    "ind": "prompt_bpt < tau_prompt",
    "economical": "token_ratio <= len_p33",
    "moderate": "token_ratio > len_p33 and token_ratio <= len_p66",
    "verbose": "token_ratio > len_p66",
    "boxed": "has_box >= 0.5",
    "unboxed": "has_box < 0.5",
    "A_high": "A >= 0.6",
}

Rules = tuple[tuple[int, str], ...]

CORRECTNESS: Rules = ((0, "invalid"), (1, "wrong"), (2, "correct"))
STANDARD_SCHEMATA: dict[str, tuple[str, Rules, tuple[float, ...]]] = {  # label, rules in the order tried, scores w
    "exact_match": ("Exact Match", CORRECTNESS, (0.0, 0.0, 1.0)),
    "format_aware": (
        "Format Aware",
        (
            (0, "invalid"),
            (1, "wrong and unboxed"),
            (2, "wrong and boxed"),
            (3, "correct and unboxed"),
            (4, "correct and boxed"),
        ),
        (0.0, 0.0, 1 / 3, 2 / 3, 1.0),
    ),
    "conf_calibrated": (
        "Conf-Calibrated",
        (
            (0, "invalid"),
            (2, "wrong_high_conf"),
            (1, "wrong"),
            (5, "correct and completion_bpt <= corr_p33"),
            (4, "correct and completion_bpt <= corr_p66"),
            (3, "correct"),
        ),
        (0.0, 0.2, 0.0, 0.6, 0.8, 1.0),
    ),
    "ood_robustness": (
        "OOD Robustness",
        ((0, "invalid"), (1, "ood and wrong"), (2, "ind and wrong"), (3, "ood and correct"), (4, "ind and correct")),
        (0.0, 0.1, 0.0, 1.0, 0.9),
    ),
    "strict_compliance": (
        "Strict Compliance",
        ((0, "invalid"), (1, "wrong or unboxed"), (2, "correct and boxed")),
        (0.0, 0.0, 1.0),
    ),
    "conf_wrong_penalty": (
        "Conf-Wrong Penalty",
        ((0, "invalid"), (1, "wrong_high_conf"), (2, "wrong"), (3, "correct")),
        (0.0, 0.0, 0.25, 1.0),
    ),
    "verifier_only": (
        "Verifier-Only",
        ((0, "invalid"), (3, "A_high"), (2, "B >= C"), (1, "otherwise")),
        (0.0, 0.0, 0.1, 1.0),
    ),
    "format_confidence": (
        "Format+Confidence",
        (
            (0, "invalid"),
            (1, "wrong and unboxed"),
            (2, "wrong and boxed and low_conf"),
            (3, "wrong and boxed and high_conf"),
            (4, "correct and unboxed and low_conf"),
            (5, "correct and unboxed and high_conf"),
            (6, "correct and boxed and low_conf"),
            (7, "correct and boxed and high_conf"),
        ),
        (0.0, 0.0, 0.1, 0.0, 0.5, 0.6, 0.8, 1.0),
    ),
    "length_robust": ("Length-Robust", CORRECTNESS, (0.0, 0.0, 1.0)),
    "verifier_probe": (
        "Verifier Probe",
        ((0, "invalid"), (1, "wrong and A_high"), (2, "wrong"), (4, "correct and A_high"), (3, "correct")),
        (0.0, 0.0, 0.1, 0.8, 1.0),
    ),
    "efficiency_adjusted": (
        "Efficiency-Adjusted",
        (
            (0, "invalid"),
            (1, "wrong and economical"),
            (2, "wrong and moderate"),
            (3, "wrong and verbose"),
            (4, "correct and economical"),
            (5, "correct and moderate"),
            (6, "correct and verbose"),
        ),
        (0.0, 0.1, 0.05, 0.0, 1.0, 0.9, 0.8),
    ),
    "concision_high_conf": (
        "Concision-High-Conf",
        (
            (0, "invalid"),
            (1, "wrong"),
            (2, "correct and verbose"),
            (3, "correct and moderate"),
            (5, "correct and economical and high_conf"),
            (4, "correct and economical"),
        ),
        (0.0, 0.0, 0.6, 0.8, 0.9, 1.0),
    ),
}


# --- schemata ---------------------------------------------------------------------------------------

# limits of chains in which each variable or threshold depends on the next, since evaluation is recursive
LONGEST_CHAIN = 50  # most names in a chain
DEEPEST_CHAIN = 400  # largest total height of the conditions of a chain


class Threshold(NamedTuple):
    """A percentile of a signal, over all attempts or those for which a condition is true."""

    p: int
    signal: str
    among: Node | None


class Needs(NamedTuple):
    """The signals and thresholds that conditions depend on, in the order of the text."""

    signals: list[str]
    thresholds: list[str]


class Scope(NamedTuple):
    """The variables and thresholds that conditions may name; any other name in a comparison is a signal."""

    variables: dict[str, Node]
    thresholds: dict[str, Threshold]

    def needs(self, nodes: Iterable[Node], computed: bool = True) -> Needs:
        """The signals and thresholds that conditions name; computed: also those that these thresholds depend on."""
        needed, seen = Needs([], []), set()

        def visit(node: Node) -> None:
            for leaf in leaves(node):
                if isinstance(leaf, Compare):
                    for name in operands(leaf):
                        add_threshold(name) if name in self.thresholds else add_signal(name)
                elif leaf.name not in seen:
                    seen.add(leaf.name)
                    visit(self.variables[leaf.name])

        def add_signal(name: str) -> None:
            if name not in needed.signals:
                needed.signals.append(name)

        def add_threshold(name: str) -> None:
            if name not in needed.thresholds:
                needed.thresholds.append(name)
                if computed:
                    add_signal(self.thresholds[name].signal)
                    if (among := self.thresholds[name].among) is not None:
                        visit(among)

        for node in nodes:
            visit(node)
        return needed

    def sources(self, name: str) -> list[str]:
        """The signals that a threshold is computed from."""
        return self.needs([Compare("<", name, 0.0)]).signals


STANDARD = Scope(
    {name: parse(text, "variables", name) for name, text in VARIABLES.items()},
    {
        name: Threshold(p, signal, None if among is None else parse(among, "thresholds", name))
        for name, (p, signal, among) in THRESHOLDS.items()
    },
)


# --- declarations of the caller ----------------------------------------------------------------------


def extended(variables: Any, thresholds: Any, argument: str = "thresholds") -> Scope:
    """The standard scope with further variables and thresholds; argument: the argument that holds the thresholds."""
    reserved = {*STANDARD.variables, *STANDARD.thresholds, *SIGNALS}
    new_variables = _new_entries(variables, "variables", reserved)
    new_thresholds = _new_entries(thresholds, argument, reserved.union(name for name, _ in new_variables))
    parsed = {name: parse(text, "variables", f"variables[{name!r}]") for name, text in new_variables}
    own_thresholds = {name: _threshold(x, argument, f"{argument}[{name!r}]") for name, x in new_thresholds}
    scope = Scope({**STANDARD.variables, **parsed}, {**STANDARD.thresholds, **own_thresholds})
    for name, node in parsed.items():
        check_names(node, scope, "variables", f"variables[{name!r}]")
    for name, t in own_thresholds.items():
        if t.signal in scope.variables or t.signal in scope.thresholds:
            raise InvalidInput("choice", argument, f"{argument}[{name!r}]: {t.signal} is not a signal")
        if t.among is not None:
            check_names(t.among, scope, argument, f"{argument}[{name!r}]")
    _check_cycles(scope, parsed, own_thresholds, argument)
    return scope


def _new_entries(x: Any, argument: str, reserved: set[str]) -> list[tuple[str, Any]]:
    """Check a mapping from new names; returns its entries."""
    if not isinstance(x, Mapping):
        raise InvalidInput("type", argument, f"{argument} must be a mapping of names, not {shown(x)}")
    for name in x:
        if not isinstance(name, str):
            raise InvalidInput("type", argument, f"the name {shown(name)} in {argument} is not text")
        if not is_name(name):
            raise InvalidInput("format", argument, f"{argument}[{shown(name)}]: a condition cannot contain such a name")
        if name in reserved:
            raise InvalidInput("duplicate", argument, f"{argument}[{name!r}] would change what {name} means elsewhere")
    return list(x.items())


def _threshold(x: Any, argument: str, location: str) -> Threshold:
    """Check a threshold (p, signal, among)."""
    if not isinstance(x, (list, tuple)):
        raise InvalidInput("type", argument, f"{location} must be (p, signal, among), not {shown(x)}")
    if len(x) != 3:
        raise InvalidInput("length", argument, f"{location} must be (p, signal, among), not {shown(x)}")
    p, signal, among = x
    if not arguments.is_integer(p):
        raise InvalidInput("type", argument, f"{location}: the percentile {shown(p)} is not an integer")
    if not 0 <= p <= 100:
        raise InvalidInput("range", argument, f"{location}: the percentile {shown(p)} is not in 0..100")
    if not isinstance(signal, str):
        raise InvalidInput("type", argument, f"{location}: the signal {shown(signal)} is not text")
    if not is_name(signal):
        raise InvalidInput("format", argument, f"{location}: no signal can be named {shown(signal)}")
    return Threshold(int(p), signal, None if among is None else parse(among, argument, location))


def check_names(node: Node, scope: Scope, argument: str, location: str) -> None:
    """Raise unless names outside comparisons are variables and names in comparisons are not."""
    for leaf in leaves(node):
        names = operands(leaf) if isinstance(leaf, Compare) else [leaf.name]
        for name in names:
            if isinstance(leaf, Compare) and name in scope.variables:
                raise InvalidInput("choice", argument, f"{location}: {name} is a variable, which cannot be compared")
            if not isinstance(leaf, Compare) and name not in scope.variables:
                meant = nearest(name, scope.variables)
                what = f"{location}: {name} is not a variable: compare a signal or a threshold{meant}"
                raise InvalidInput("choice", argument, what)


def _check_cycles(scope: Scope, variables: Mapping[str, Node], thresholds: Mapping[str, Any], argument: str) -> None:
    """Raise if a name depends on itself, or on too long a chain of other names."""
    # for each name: the number of names in the longest chain that begins with it, and the largest height of a chain
    chains: dict[str, tuple[int, int]] = {}

    def visit(name: str, path: tuple[str, ...]) -> tuple[int, int]:
        where = "variables" if name in variables else argument
        if name in path:
            where = "variables" if all(x in variables for x in path[path.index(name) :]) else argument
            cycle = " -> ".join([*path[path.index(name) :], name])
            raise InvalidInput("conflict", where, f"{where}: {name} depends on itself: {cycle}")
        if name not in chains and len(path) < LONGEST_CHAIN:
            node = scope.variables[name] if name in scope.variables else scope.thresholds[name].among
            chains_below = [visit(x, (*path, name)) for x in _names_in(node, scope)] if node else []
            chain = 1 + max((n for n, _ in chains_below), default=0)
            chains[name] = chain, (height(node) if node else 1) + max((n for _, n in chains_below), default=0)
        chain, levels = chains.get(name, (LONGEST_CHAIN + 1, 0))  # no entry: the path is too long already
        if chain > LONGEST_CHAIN or levels > DEEPEST_CHAIN:
            raise InvalidInput(
                "format", where,
                f"{where}: {name} depends on a chain of more than {LONGEST_CHAIN} names or {DEEPEST_CHAIN} levels",
            )  # fmt: skip
        return chain, levels

    for name in [*variables, *thresholds]:
        visit(name, ())


def _names_in(node: Node, scope: Scope) -> list[str]:
    """The variables and thresholds that a condition names."""
    names: list[str] = []
    for leaf in leaves(node):
        names += operands(leaf) if isinstance(leaf, Compare) else [leaf.name]
    return [name for name in names if name in scope.variables or name in scope.thresholds]


# --- schemata ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Schema:
    """A schema: rules that assign categories to attempts, and the score w of each category.

    A schema is checked when it is created. Conditions compare signals, thresholds and numbers (``<= < >= > ==``), refer
    to variables by name, and combine these with ``and``, ``or``, ``not`` and parentheses; ``otherwise`` is always true.

    Parameters
    ----------
    name : str
        The name of the schema in results.
    rules : sequence of (category, condition)
        The first condition that is true gives the category; each of 0..C must occur.
    w : sequence of float, shape (C+1,), C >= 1
        Score of each category; at most 1e300 in size.
    variables : mapping of str to condition, optional
        Named conditions, in addition to the standard ones.
    thresholds : mapping of str to (p, signal, among), optional
        The p-th percentile of a signal, over all attempts (among None) or those for which the condition among is true.

    Raises
    ------
    InvalidInput
        format: a condition that cannot be read; choice: a name outside comparisons that is not a variable,
        or a variable in a comparison; conflict: a name that depends on itself; duplicate: a name that is taken;
        category, length: categories and scores that do not fit; or another error code.

    Examples
    --------
    >>> from scorio import rubric
    >>> short = rubric.Schema(
    ...     "short", [(1, "correct and brief"), (0, "otherwise")], [0, 1], {"brief": "tokens <= half"},
    ...     {"half": (50, "tokens", "correct")})
    >>> rubric.categories({"is_correct": [[1, 1, 0, 1]], "tokens": [[10, 20, 5, 90]]}, short).tolist()
    [[1, 1, 0, 0]]
    """

    name: str
    rules: Sequence[tuple[int, str]]
    w: Sequence[float]
    variables: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, tuple[int, str, str | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InvalidInput("type", "name", f"name must be text, not {shown(self.name)}")
        if not self.name:
            raise InvalidInput("empty", "name", "name is empty")
        rules = _rules(self.rules)
        w = _scores(self.w)
        _check_categories(rules, len(w))
        variables, thresholds = ({} if x is None else x for x in (self.variables, self.thresholds))
        scope = extended(variables, thresholds)
        nodes = [parse(text, "rules", f"rules[{i}]") for i, (_, text) in enumerate(rules)]
        for i, node in enumerate(nodes):
            check_names(node, scope, "rules", f"rules[{i}]")
        for key, value in (
            ("rules", tuple(rules)), ("w", tuple(w)), ("variables", dict(variables)),
            ("thresholds", {k: tuple(v) for k, v in thresholds.items()}), ("scope", scope), ("nodes", nodes),
        ):  # fmt: skip
            object.__setattr__(self, key, value)  # a frozen dataclass has no other way

    scope: Scope = field(init=False, repr=False, compare=False)
    nodes: list[Node] = field(init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        return hash((self.name, self.rules, self.w))

    @property
    def declared_names(self) -> set[str]:
        """The names that the schema declares."""
        return {*self.variables, *self.thresholds}

    def sources(self, computed: bool) -> list[str]:
        """The signals that the rules need; computed: also those that the declared thresholds are computed from."""
        in_rules = self.scope.needs(self.nodes, computed).signals
        declared = [x for name in self.thresholds for x in self.scope.sources(name)] if computed else []
        return list(dict.fromkeys([*in_rules, *declared]))

    @property
    def C(self) -> int:
        """The highest category."""
        return len(self.w) - 1

    @property
    def label(self) -> str:
        """The name of the schema in tables and figures."""
        return STANDARD_SCHEMATA[self.name][0] if self == SCHEMATA.get(self.name) else self.name


def _rules(x: Any) -> list[tuple[int, str]]:
    """Check rules; returns pairs (category, condition)."""
    if isinstance(x, (str, bytes, Mapping)):
        raise InvalidInput("type", "rules", f"rules must be a list of (category, condition), not {shown(x)}")
    pairs: list[tuple[int, str]] = []
    for i, rule in enumerate(arguments.sequence(x, "rules")):
        if not isinstance(rule, (list, tuple)):
            raise InvalidInput("type", "rules", f"rules[{i}] must be (category, condition), not {shown(rule)}")
        if len(rule) != 2:
            raise InvalidInput("length", "rules", f"rules[{i}] must be (category, condition), not {shown(rule)}")
        category, text = rule
        if not arguments.is_integer(category):
            raise InvalidInput("type", "rules", f"rules[{i}]: the category {shown(category)} is not an integer")
        pairs.append((int(category), text))
    return pairs


def _scores(x: Any) -> list[float]:
    """Check the scores w_0..w_C; returns them as doubles."""
    if arguments.is_integer(x) or isinstance(x, float):
        raise InvalidInput("type", "w", f"w must be a list of numbers, not {shown(x)}")
    values = arguments.vector(x, "w")
    if len(values) > LARGEST_C + 1:
        raise InvalidInput("length", "w", f"w has length {len(values)}, above {LARGEST_C + 1}")
    for j, item in enumerate(values):
        if abs(item) > arguments.LARGEST_SCORE:
            raise InvalidInput("range", "w", f"w[{j}] = {item!r} is beyond {arguments.LARGEST_SCORE}")
    return values


def _check_categories(rules: list[tuple[int, str]], size: int) -> None:
    """Raise unless the rules assign each of 0..C, C >= 1, and there is a score for each."""
    assigned = {category for category, _ in rules}
    if min(assigned) < 0:
        raise InvalidInput("category", "rules", f"rules give category {min(assigned)}: categories count from 0")
    if max(assigned) < 1:
        raise InvalidInput("category", "rules", "rules give only category 0: at least 0 and 1 are needed")
    for category in range(min(max(assigned), LARGEST_C + 1)):
        if category not in assigned:
            raise InvalidInput("category", "rules", f"rules give category {max(assigned)}, but never {category}")
    if size != len(assigned):
        raise InvalidInput("length", "w", f"w has {size} entries for {len(assigned)} categories")


SCHEMATA: Mapping[str, Schema] = MappingProxyType(
    {key: Schema(key, rules, w) for key, (_, rules, w) in STANDARD_SCHEMATA.items()}
)


def schema_of(x: Any, argument: str) -> Schema:
    """x itself if it is a schema, else the standard schema with this key, or with this name in the paper."""
    if isinstance(x, Schema):
        return x
    if not isinstance(x, str):
        raise InvalidInput("type", argument, f"{argument}: {shown(x)} is neither a Schema nor a key of SCHEMATA")
    for key, schema in SCHEMATA.items():
        if _plain(x) == _plain(key):
            return schema
    what = f"{argument}: no schema {shown(x)}; there are {among(x, SCHEMATA, len(SCHEMATA))}"
    raise InvalidInput("choice", argument, what)


def _plain(name: str) -> str:
    """The name of a schema without capitals, spaces, hyphens, underscores and plus signs."""
    return name.lower().translate(str.maketrans("", "", " -_+"))
