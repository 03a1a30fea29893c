"""The language of conditions: its parser, and the three-valued truth of a condition over all attempts.

expr := term ("or" term)*     term := factor ("and" factor)*
factor := "not" factor | "(" expr ")" | operand op operand | variable | "otherwise"
op := "<=" | "<" | ">=" | ">" | "=="     operand := number | name
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ..errors import InvalidInput, shown

WORDS = ("and", "or", "not", "otherwise")
TOKEN = re.compile(
    r"(?P<number>-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|<=|>=|==|[<>()]"
)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPERATORS = ("<=", "<", ">=", ">", "==")
DEEPEST = 100  # most nested levels of parentheses and "not"

Bools = np.ndarray[Any, np.dtype[np.bool_]]
Truth = tuple[Bools, Bools]  # known to be true, known to be false; unknown if neither
TRUE, FALSE = np.array(True), np.array(False)


@dataclass(frozen=True)
class Compare:
    """A comparison of two operands: numbers, thresholds or signals."""

    op: str
    left: float | str
    right: float | str


@dataclass(frozen=True)
class Variable:
    """A reference to a variable: a named condition."""

    name: str


@dataclass(frozen=True)
class Not:
    """A negation."""

    negated: Node


@dataclass(frozen=True)
class And:
    """A conjunction: true where all parts are."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """A disjunction: true where any part is."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Otherwise:
    """The condition that is always true."""


Node = Compare | Variable | Not | And | Or | Otherwise


def is_name(x: str) -> bool:
    """Whether a condition can contain this text as a name."""
    return NAME.fullmatch(x) is not None and x not in WORDS


# --- text to tree ------------------------------------------------------------------------------------


class _Parser:
    """A recursive-descent parser of the grammar at the top of this file."""

    def __init__(self, text: str, argument: str, location: str) -> None:
        self.text, self.argument, self.location = text, argument, location
        self.tokens = list(self.tokenize())
        self.position = 0

    def tokenize(self) -> Iterator[tuple[str, str, int]]:
        """Yield the kind, text and position of every token, then of the end."""
        i = 0
        while i < len(self.text):
            if self.text[i] in " \t\r\n":
                i += 1
                continue
            token = TOKEN.match(self.text, i)
            if token is None:
                raise self.error(f"{shown(self.text[i])} is not allowed in a condition", i)
            kind = token.lastgroup if token.lastgroup in ("number", "name") else None
            yield ("word" if token[0] in WORDS else kind or token[0]), token[0], i
            i = token.end()
        yield "end", "the end", len(self.text)

    def error(self, what: str, i: int) -> InvalidInput:
        """An error about the character at position i."""
        message = f"{self.location}: {shown(self.text)}, character {i + 1}: {what}"
        return InvalidInput("format", self.argument, message)

    def accept(self, *wanted: str) -> bool:
        """Consume the next token if it is one of these, and return whether it was."""
        matches = self.tokens[self.position][1] in wanted and self.tokens[self.position][0] != "end"
        self.position += matches
        return matches

    def parse(self) -> Node:
        """Parse the whole text as one expression."""
        node = self.expression(0)
        kind, text, i = self.tokens[self.position]
        if kind != "end":
            raise self.error(f'{shown(text)} where "and", "or" or the end is expected', i)
        return node

    # one method for each symbol of the grammar; depth: how many levels of parentheses and "not" are open

    def expression(self, depth: int) -> Node:
        parts = [self.term(depth)]
        while self.accept("or"):
            parts.append(self.term(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def term(self, depth: int) -> Node:
        parts = [self.factor(depth)]
        while self.accept("and"):
            parts.append(self.factor(depth))
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def factor(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} levels deep", self.tokens[self.position][2])
        if self.accept("not"):
            return Not(self.factor(depth + 1))
        if self.accept("otherwise"):
            return Otherwise()
        if self.accept("("):
            node = self.expression(depth + 1)
            if not self.accept(")"):
                raise self.error('")" is missing', self.tokens[self.position][2])
            return node
        return self.comparison()

    def comparison(self) -> Node:
        left = self.operand()
        _, op, i = self.tokens[self.position]
        if self.accept(*OPERATORS):
            return Compare(op, left, self.operand())
        if isinstance(left, str):
            return Variable(left)
        raise self.error(f"a comparison must follow the number {left!r}", i)

    def operand(self) -> float | str:
        kind, text, i = self.tokens[self.position]
        if kind not in ("number", "name"):
            raise self.error(f"{text if kind == 'end' else shown(text)} where a condition or a value is expected", i)
        self.position += 1
        if kind == "name":
            return text
        if not isfinite(float(text)):
            raise self.error(f"{text} is beyond the largest double", i)
        return float(text)


def parse(text: Any, argument: str, location: str) -> Node:
    """The tree of a condition; argument and location are used in messages."""
    if not isinstance(text, str):
        raise InvalidInput("type", argument, f"{location} = {shown(text)} is not a condition: it must be text")
    return _Parser(text, argument, location).parse()


def leaves(node: Node) -> Iterator[Compare | Variable]:
    """The comparisons and variables of a tree, from left to right."""
    if isinstance(node, (Compare, Variable)):
        yield node
    elif isinstance(node, Not):
        yield from leaves(node.negated)
    elif not isinstance(node, Otherwise):
        for part in node.parts:
            yield from leaves(part)


def operands(node: Compare) -> list[str]:
    """The names in a comparison."""
    return [x for x in (node.left, node.right) if isinstance(x, str)]


def height(node: Node) -> int:
    """The height of a tree: 1 for a comparison, a variable or "otherwise"."""
    if isinstance(node, (And, Or)):
        return 1 + max(map(height, node.parts))
    return 1 + height(node.negated) if isinstance(node, Not) else 1


# --- tree to truth -----------------------------------------------------------------------------------

# for each operator: a function for "is true" and one for "is false"; with NaN both return False
COMPARISONS: dict[str, tuple[Callable[[Any, Any], Bools], Callable[[Any, Any], Bools]]] = {
    "<=": (np.less_equal, np.greater),
    "<": (np.less, np.greater_equal),
    ">=": (np.greater_equal, np.less),
    ">": (np.greater, np.less_equal),
    "==": (np.equal, lambda a, b: np.less(a, b) | np.greater(a, b)),
}


class Facts:
    """The values of names in conditions: signals (NaN if missing), thresholds (None if undefined), variables.

    Signals are arrays with an entry for each attempt, or 0-D arrays with one value for all attempts.
    """

    def __init__(
        self,
        signals: Mapping[str, Any],
        thresholds: Mapping[str, float | None],
        variables: Mapping[str, Node],
    ) -> None:
        self.signals, self.thresholds, self.variables = signals, thresholds, variables
        self.truths: dict[str, Truth] = {}  # the truth of each variable that was evaluated

    def truth(self, node: Node) -> Truth:
        """The truth of a condition in Kleene's logic: for each attempt known true, known false, or neither."""
        if isinstance(node, Compare):
            return self.compared(node)
        if isinstance(node, Variable):
            if node.name not in self.truths:
                self.truths[node.name] = self.truth(self.variables[node.name])
            return self.truths[node.name]
        if isinstance(node, Not):
            true, false = self.truth(node.negated)
            return false, true
        if isinstance(node, Otherwise):
            return TRUE, FALSE
        true, false = self.truth(node.parts[0])
        for part in node.parts[1:]:
            part_true, part_false = self.truth(part)
            if isinstance(node, And):
                true, false = true & part_true, false | part_false
            else:
                true, false = true | part_true, false & part_false
        return true, false

    def compared(self, node: Compare) -> Truth:
        """The truth of a comparison: neither true nor false where a signal is missing or a threshold undefined."""
        left, right = self.value(node.left), self.value(node.right)
        if left is None or right is None:
            return FALSE, FALSE
        is_true, is_false = COMPARISONS[node.op]
        return is_true(left, right), is_false(left, right)

    def blames_threshold(self, node: Node) -> Bools:
        """Whether the first unknown part of an unknown condition is unknown because a threshold is undefined."""
        if isinstance(node, Compare):
            values = [self.value(x) for x in (node.left, node.right)]
            is_missing = [np.isnan(x) for x in values if x is not None]
            undefined = np.array(len(is_missing) < 2)  # whether an operand is a threshold without a value
            return undefined & ~is_missing[0] if is_missing else undefined
        if isinstance(node, Variable):
            return self.blames_threshold(self.variables[node.name])
        if isinstance(node, Not):
            return self.blames_threshold(node.negated)
        blamed = FALSE
        for part in () if isinstance(node, Otherwise) else reversed(node.parts):  # "otherwise" is never unknown
            true, false = self.truth(part)
            blamed = np.where(true | false, blamed, self.blames_threshold(part))
        return blamed

    def first_unknown_name(self, node: Node) -> str:
        """The first signal or threshold in a condition that makes it unknown at the single attempt of these facts."""
        if isinstance(node, Compare):
            names = [x for x in operands(node) if x not in self.thresholds and np.isnan(self.signals[x])]
            return (names or [x for x in operands(node) if x in self.thresholds and self.thresholds[x] is None])[0]
        if isinstance(node, Variable):
            return self.first_unknown_name(self.variables[node.name])
        if isinstance(node, Not):
            return self.first_unknown_name(node.negated)
        parts = () if isinstance(node, Otherwise) else node.parts
        return next(self.first_unknown_name(part) for part in parts if not any(map(bool, self.truth(part))))

    def value(self, x: float | str) -> Any:
        """The value of an operand: a number, a threshold or a signal."""
        if not isinstance(x, str):
            return x
        return self.thresholds[x] if x in self.thresholds else self.signals[x]
