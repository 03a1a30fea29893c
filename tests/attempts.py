"""Random attempts and schemata for the tests of scorio.rubric, and a naive implementation of schemata.

The naive implementation goes attempt by attempt. It parses a condition as a Python expression, which has the same
meaning, and computes percentiles in fractions.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from scorio.rubric import SCHEMATA, Schema
from scorio.rubric import schema as tables
from scorio.rubric.conditions import Variable
from scorio.rubric.schema import STANDARD

MISSING, EMPTY = "missing", "empty"  # truth of a condition on a missing signal, or on a threshold of no attempts
COMPARISONS = {ast.LtE: "__le__", ast.Lt: "__lt__", ast.GtE: "__ge__", ast.Gt: "__gt__", ast.Eq: "__eq__"}


# --- the naive implementation ------------------------------------------------------------------------


class NaiveSchema:
    """Naive implementation of a schema: it evaluates the conditions of one attempt at a time."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.variables = {**tables.VARIABLES, **schema.variables}
        self.declared = {**tables.THRESHOLDS, **schema.thresholds}

    def truth(self, text: str, attempt: dict[str, Any], values: dict[str, Any]) -> Any:
        """Truth of a condition: True, False, MISSING or EMPTY."""
        return self._truth(ast.parse(text.strip(), mode="eval").body, attempt, values)

    def _truth(self, node: Any, attempt: dict[str, Any], values: dict[str, Any]) -> Any:
        if isinstance(node, ast.Name):
            return node.id == "otherwise" or self.truth(self.variables[node.id], attempt, values)
        if isinstance(node, ast.UnaryOp):
            operand = self._truth(node.operand, attempt, values)
            return not operand if isinstance(operand, bool) else operand
        if isinstance(node, ast.BoolOp):
            parts = [self._truth(x, attempt, values) for x in node.values]
            decisive = isinstance(node.op, ast.Or)
            if any(x is decisive for x in parts):
                return decisive
            return next((x for x in parts if not isinstance(x, bool)), not decisive)
        sides, undefined = [], None
        for side in (node.left, node.comparators[0]):
            if not isinstance(side, ast.Name):
                sides.append(float(ast.literal_eval(side)))
            elif side.id in self.declared:
                sides.append(values[side.id])
                undefined = undefined or (EMPTY if sides[-1] is None else None)
            else:
                sides.append(attempt[side.id])
                undefined = MISSING if sides[-1] is None else undefined
        return undefined or getattr(sides[0], COMPARISONS[type(node.ops[0])])(sides[1])

    def threshold(self, name: str, attempts: list[dict[str, Any]]) -> float | None:
        """Value of a threshold over these attempts."""
        p, signal, among = self.declared[name]
        names = [x for x in self.declared if among and x in self._names(among)]
        values = {x: self.threshold(x, attempts) for x in names}
        chosen = [a for a in attempts if not among or self.truth(among, a, values) is True]
        return percentile([a[signal] for a in chosen if a[signal] is not None], p)

    def _names(self, text: str) -> set[str]:
        """Names in a condition, with those in its variables."""
        names = {x.id for x in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(x, ast.Name)}
        return names.union(*(self._names(self.variables[x]) for x in names if x in self.variables))

    def category(self, attempt: dict[str, Any], values: dict[str, Any]) -> Any:
        """Category of an attempt, MISSING, EMPTY, or None if no rule fits."""
        for category, text in self.schema.rules:
            truth = self.truth(text, attempt, values)
            if truth is not False:
                return category if truth is True else truth
        return None

    def used_thresholds(self) -> list[str]:
        """Thresholds that the rules compare signals with."""
        return [x for x in self.declared if any(x in self._names(text) for _, text in self.schema.rules)]


def percentile(x: list[float], p: int) -> float | None:
    """The p-th percentile, by its definition."""
    if not x:
        return None
    ordered, h = sorted(map(Fraction, x)), Fraction((len(x) - 1) * p, 100)
    i = int(h)
    return float(ordered[i] + (h - i) * (ordered[min(i + 1, len(x) - 1)] - ordered[i]))


def rows_of(signals: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Rows of attempts, each a mapping of signal to float, or to None where it is missing."""
    M, N = next((len(x), len(x[0])) for x in signals.values() if isinstance(x, list))
    cells = {name: x if isinstance(x, list) else [[x] * N] * M for name, x in signals.items()}
    return [[{name: _cell(x[i][j]) for name, x in cells.items()} for j in range(N)] for i in range(M)]


def _cell(x: Any) -> float | None:
    return None if x is None or x != x else float(x)


# --- random attempts and schemata, as JSON ----------------------------------------------------------

RARELY = st.integers(0, 99).map(lambda x: x == 37)  # 37, since Hypothesis favours the ends of a range
UNIT = st.sampled_from([0, 1, 0.5, 0.6, 0.25, True, False, 0.49999999999999994]) | st.floats(0, 1)
LENGTH = st.sampled_from([0, 0.125, 0.5, 1, 2.5]) | st.floats(0, 4) | st.floats(0, 1e308)
ANY = st.sampled_from([0, 1, 2, 0.5, -0.0, 5e-324, 10**30]) | st.floats(-2, 2) | st.floats(-1e308, 1e308)
CELLS = {  # strategy of the value of one attempt, by signal
    "has_box": UNIT, "is_correct": UNIT, "repeated_pattern": st.sampled_from([0, 0, 0, 1, False]),
    "token_ratio": LENGTH, "prompt_bpt": LENGTH, "completion_bpt": LENGTH,
    "A": UNIT, "B": UNIT, "C": UNIT, "x": ANY, "y": ANY,
}  # fmt: skip
BAD_CELLS = st.sampled_from([-1, 1.5, 2, "x", "", float("inf"), float("-inf"), [0], [], 1e308, -1e308, -1e-300])
WRONG_VALUES = st.sampled_from(
    [
        None,
        True,
        "x",
        "",
        float("nan"),
        -1,
        2.5,
        10**30,
        [],
        [[]],
        [0.5],
        [[1, 2], [3]],
        ["a"],
        {},
        {"x": 5},
        {"a b": 1},
    ]
)
TEXTS = st.sampled_from(
    ["", " ", "x", "colour", "x >", "x > 1 and", "(x > 1", "x > 1)", "x = 1", "tau_high", "wrong > 0", "not", "é > 1",
     "1 < x < 2", "x > .5", "x > 1e999", "x > 1e-999", "AND", "x > 1 y < 2", "x>1or y<2", "-0.0 == x", "x\t>\n1",
     "half > x", "x >= 1e+2", "x > 1_000", "x > nan"]
)  # fmt: skip


@st.composite
def signals(draw: st.DrawFn, names: list[str], M: int, has_missing: bool) -> dict[str, Any]:
    """Signals of one model: matrices, and single numbers for all attempts."""
    N = draw(st.integers(1, 5))
    scalars = [name for name in names[1:] if draw(st.integers(0, 3)) == 0]  # names[0] is a matrix: one is needed
    out: dict[str, Any] = {}
    for name in draw(st.permutations(names)):
        cell = CELLS[name]
        if has_missing:
            cell = st.one_of(cell, cell, cell, st.sampled_from([None, float("nan")]))
        if draw(RARELY):
            cell = st.one_of(cell, BAD_CELLS)
        row = st.lists(cell, min_size=N, max_size=N)
        matrix = st.lists(row, min_size=M, max_size=M)
        out[name] = draw(WRONG_VALUES) if draw(RARELY) else draw(cell if name in scalars else matrix)
    return out


@st.composite
def conditions(draw: st.DrawFn, signals: list[str], variables: list[str], thresholds: list[str], depth: int = 2) -> str:
    """A condition on these names; depth: how deep not, and, or may be nested."""
    kind = draw(st.integers(0, 9)) if depth else draw(st.integers(0, 4))
    if kind < 3 or (kind < 5 and not variables):
        number = st.sampled_from(["0", "0.5", "1", "-1", "2e0", "1e-3", "0.25"]) | st.floats(-2, 2).map(repr)
        left = st.sampled_from(signals) | number
        op = draw(st.sampled_from(["<=", "<", ">=", ">", "=="]))
        return f"{draw(left)} {op} {draw(st.sampled_from([*signals, *thresholds]) | number)}"
    if kind < 5:
        return draw(st.sampled_from([*variables, *variables, "otherwise"]))
    inner = conditions(signals, variables, thresholds, depth - 1)
    if kind == 5:
        return f"not ({draw(inner)})"
    word = draw(st.sampled_from([" and ", " or "]))
    parts = draw(st.lists(inner, min_size=2, max_size=3))
    return word.join(f"({x})" if " or " in x or " and " in x else x for x in parts)


@st.composite
def schemata(draw: st.DrawFn, names: list[str], name: str = "own") -> dict[str, Any]:
    """A custom schema over these signals, as JSON."""
    variables = [v for v in tables.VARIABLES if set(STANDARD.needs([Variable(v)]).signals) <= set(names)]
    # thresholds among correct or wrong attempts need is_correct
    known = [t for t, (_, s, among) in tables.THRESHOLDS.items() if s in names and (not among or "is_correct" in names)]
    custom_variables, thresholds = {}, {}
    for t in draw(st.lists(st.sampled_from(["half", "third"]), unique=True)):
        among = draw(st.none() | conditions(names, variables, known))
        thresholds[t] = [draw(st.integers(0, 100)), draw(st.sampled_from(names)), among]
        known.append(t)
    for v in draw(st.lists(st.sampled_from(["big", "small"]), unique=True)):
        custom_variables[v] = draw(TEXTS if draw(RARELY) else conditions(names, variables, known))
        variables.append(v)
    C = draw(st.integers(1, 4))
    order = [*draw(st.permutations(range(C + 1))), *draw(st.lists(st.integers(0, C), max_size=2))]
    text = conditions(names, variables, known)
    rules: list[Any] = [[c, draw(TEXTS if draw(RARELY) else text)] for c in order]
    if draw(st.integers(0, 9)):
        rules[-1][1] = "otherwise"
    scores = draw(st.lists(st.floats(-2, 2) | st.integers(-3, 3), min_size=C + 1, max_size=C + 1))
    out = {"name": name, "rules": rules, "w": scores, "variables": custom_variables, "thresholds": thresholds}
    if draw(RARELY):
        out[draw(st.sampled_from(list(out)))] = draw(WRONG_VALUES)
    return out


@st.composite
def arguments(draw: st.DrawFn, function: str) -> dict[str, Any]:
    """Arguments for one call of a function of scorio.rubric; about one call in five is refused."""
    if function == "rubric.percentile":
        x = draw(WRONG_VALUES) if draw(RARELY) else draw(st.lists(ANY | st.floats(0, 1e-307), min_size=1, max_size=12))
        if isinstance(x, list) and x and draw(RARELY):
            x = [*x, draw(BAD_CELLS | st.none())]
        return {"x": x, "p": draw(WRONG_VALUES) if draw(RARELY) else draw(st.integers(0, 100) | st.integers(-1, 101))}
    all_signals = draw(st.booleans())
    subset = st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=5, unique=True)
    names = list(CELLS) if all_signals else draw(subset)
    M, has_missing = draw(st.integers(1, 4)), draw(st.booleans())
    model_signals = signals(names, M, has_missing)
    by_model = st.lists(model_signals, min_size=1, max_size=3).map(lambda x: {f"m{i}": y for i, y in enumerate(x)})
    key = st.sampled_from([*SCHEMATA, "x"] if draw(RARELY) else [*SCHEMATA])
    if function == "rubric.thresholds":
        args: dict[str, Any] = {"signals": draw(model_signals | by_model)}
        if draw(st.booleans()):
            args["own"] = draw(schemata(names))["thresholds"]
        return args
    custom = schemata(names)
    if function == "rubric.categories":
        args = {"signals": draw(model_signals), "schema": draw(key if all_signals and draw(st.booleans()) else custom)}
    else:
        args = {"models": draw(by_model)}
        if not all_signals or draw(st.booleans()):
            keys = draw(st.lists(key, max_size=3, unique=True)) if all_signals else []
            args["schemata"] = [*keys, *([draw(custom)] if not keys or draw(st.booleans()) else [])]
    if draw(st.integers(0, 3)) == 0:
        values = st.none() | LENGTH | (BAD_CELLS if draw(RARELY) else LENGTH)
        args["thresholds"] = {t: draw(values) for t in [*tables.THRESHOLDS, "half", "third"]}
    if (has_missing and draw(st.integers(0, 3))) or draw(st.booleans()):
        args["missing"] = (
            draw(WRONG_VALUES) if draw(RARELY) else draw(st.sampled_from(["raise", "drop", "drop", "drop", 0, 1]))
        )
    return args
