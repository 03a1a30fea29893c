"""Meaning of the cells of a column of outcomes: words such as passed, and numbers as spreadsheets write them.

The whole column decides: its cells are numbers of one form, or words of one family.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from math import nan
from typing import Any

from ..errors import InvalidInput, shown
from .values import is_missing

FAMILIES = (  # words for successes and for failures that occur in one column; a single letter is a capital one
    ("C", "I,N"),
    ("Y,yes", "N,no"),
    ("T", "F"),
    ("correct,right", "incorrect,wrong"),
    ("pass,passed,ok,success,succeeded,successful", "fail,failed,failure,not ok,unsuccessful"),
    ("resolved,solved", "unresolved,unsolved"),
    ("✓,✔,✅,☑", "✗,✘,❌,✖"),
)
NOT_RUN = "error,errored,skip,skipped"  # missing where the other cells are words
LETTERS = FAMILIES[0]  # of inspect_ai, which has P for half of a success
EMOJI = "\ufe0f"  # which may follow a check mark, and changes only its look
NUMBER = re.compile(r"([+-]?[0-9]*)(?:([.,])([0-9]+)|(?<=[0-9]))(\s*%)?")
GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")  # a decimal comma, or one that separates thousands
POINT, COMMA, THOUSANDS, PERCENT = "decimal points", "decimal commas", "thousands", "percent signs"
MAX_EXACT = 2.0**53
NUMBERS = frozenset({POINT, COMMA, THOUSANDS})

Kinds = frozenset[Any]  # kinds of columns: families of words, forms of numbers
_MEANING: dict[str, tuple[Kinds, str | None]] = {x: (frozenset(FAMILIES), None) for x in NOT_RUN.split(",")}
for _family in FAMILIES:
    for _words, _value in zip(_family, "10", strict=True):
        for _word in _words.split(","):
            _MEANING[_word] = _MEANING.get(_word, (frozenset(), ""))[0] | {_family}, _value
_MEANING["P"] = frozenset({LETTERS}), "0.5"


def is_word(cell: Any) -> bool:
    """Whether a cell is a word for an outcome."""
    return _plain(cell) in _MEANING


def word_of(cell: Any) -> str:
    """A cell as a word of the option outcomes: text without the spaces around it, in any capitalisation."""
    number = float(cell) if isinstance(cell, (float, Decimal)) else nan
    return str(int(number) if abs(number) < MAX_EXACT and number == int(number) else cell).strip().lower()


class Cells:
    """The cells of one column of outcomes, read one by one.

    outcomes : the value of each word that the caller states, as text, or None where it is missing.
    largest : the largest score; above 1, a percentage is a number of percent, else a share.
    used : the words of `outcomes` that were read, which columns may share.
    """

    def __init__(self, outcomes: Mapping[str, str | None], largest: float = 1.0, used: set[str] | None = None) -> None:
        self._outcomes, self._of_share = outcomes, largest <= 1
        self._used = set() if used is None else used
        self._kinds: Kinds | None = None  # what the column may be, from the cells so far; None before the first
        self._example: Any = None  # the cell that narrowed it last

    def value(self, x: Any, words: bool = True) -> Any:
        """The number in a cell, or text for it; None if it is missing. Without `words` only stated words are read."""
        if self._outcomes and (word := word_of(x)) in self._outcomes:
            self._used.add(word)
            return self._outcomes[word]
        if not words or is_missing(x):
            return x
        meaning: tuple[Kinds, Any] = _MEANING.get(_plain(x)) or _number(x, self._of_share)
        kinds, value = meaning
        remaining = kinds if self._kinds is None else self._kinds & kinds
        if not remaining:
            what = f"outcome {shown(x)} beside {shown(self._example)}: outcomes are numbers of one form, or words of"
            cells = [y.strip() for y in (x, self._example) if isinstance(y, str)]
            unknown = [y for y in cells if not is_word(y) and not NUMBER.fullmatch(y)]
            stated = [*unknown, *filter(is_word, cells)]  # which the option outcomes may state
            raise InvalidInput("type", "outcome", f"{what} one family", f"words:{stated[0]}" if stated else "form")
        if remaining != self._kinds:
            self._kinds, self._example = remaining, x
        return value

    def remark(self) -> str | None:
        """A sentence on how the numbers of the column were read; raises where a comma may separate thousands."""
        kinds, x = self._kinds or NUMBERS, str(self._example).strip()
        if POINT in kinds or kinds & set(FAMILIES):
            return None
        if THOUSANDS in kinds:
            what = f"outcome {shown(x)} may be {x.replace(',', '')} or {x.replace(',', '.')}"
            raise InvalidInput("type", "outcome", what, "form")
        return f"Outcomes are written as {shown(x)}, which was read as {float(_number(x, self._of_share)[1]):.10g}."


def _plain(cell: Any) -> str:
    text = cell.strip().removesuffix(EMOJI) if isinstance(cell, str) else ""
    return text if len(text) == 1 else text.lower()


def _number(x: Any, of_share: bool) -> tuple[Kinds, Any]:
    """The forms that a number may have, and its value; other cells are returned as they are."""
    match = NUMBER.fullmatch(x.strip()) if isinstance(x, str) else None
    if match is None:
        return NUMBERS, x
    whole, sign, decimals, percent = match.groups()
    value = f"{whole}.{decimals}" if sign else whole
    kinds: Kinds = NUMBERS
    if sign:
        kinds = frozenset({POINT} if sign == "." else {COMMA, THOUSANDS} if GROUPED.fullmatch(x.strip()) else {COMMA})
    if percent:  # no thousands
        kinds = frozenset((PERCENT, x) for x in kinds - {THOUSANDS})
        value = str(Decimal(value).scaleb(-2)) if of_share else value
    return kinds, value if percent or sign == "," else x
