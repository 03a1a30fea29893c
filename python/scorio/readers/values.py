"""Cells of a log: ids, categories, scores, costs and counts; words and numbers as spreadsheets write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_UP, Decimal, InvalidOperation
from math import ceil, isfinite, isinf, nan
from typing import Any

from ..errors import InvalidInput, shown

# values of words that mean a missing outcome, false or true, in lower case
WORDS = dict.fromkeys(["", "null", "none", "na", "nan", "n/a", "#n/a", "-", "–", "—"]) | {"false": "0", "true": "1"}
CONDITIONS = ("task", "runs_by")  # names that may be numbers with a fraction
UNITS = ("cost", "tokens", "latency")  # columns of costs that are read even if no cost is requested
MAX_USUAL_SCORE = 1000  # the upper end of the widest usual scale
LARGEST_COST = 1e100  # the limit of items.cost_per_solved
LARGEST_COUNT = 2**53 - 1  # the limit of Counts: doubles represent all integers up to it
FRACTION = re.compile(r"([0-9]{1,15})\s*(?:/|of)\s*([0-9]{1,15})", re.ASCII)
LONGEST_WORD = 30  # characters of an outcome that an error proposes to name by the option outcomes
LONGEST_NUMBER = 99  # characters; a longer id is sorted as text
HUGE = Decimal(2**64)  # larger than every category and count


def id_of(x: Any, name: str) -> str:
    """The id in a cell: the name of a model, task, question, trial or cluster as text."""
    if type(x) is str and x.isascii() and (text := x.strip()):
        return text
    if type(x) is int:
        return str(x)
    if type(x) in (float, Decimal) and name in CONDITIONS and isfinite(x):  # such as a temperature
        return repr(float(x))
    if type(x) is bool and name in CONDITIONS:
        return str(x)
    if x is not None and not isinstance(x, str):
        raise InvalidInput("type", name, f"{name} {shown(x)} is neither text nor an integer")
    if not (x := (x or "").strip()):
        raise InvalidInput("missing", name, f"{name} is missing")
    try:
        x.encode()
    except UnicodeEncodeError as e:  # half of a surrogate pair, which UTF-8 cannot encode
        raise InvalidInput("format", name, f"{name} {shown(x)} is not Unicode text: {e.reason}") from None
    return x


def is_number(x: str) -> bool:
    """Whether an id is a whole number, which is sorted by its value."""
    return x.isascii() and x.removeprefix("-").isdecimal() and len(x) <= LONGEST_NUMBER


def category(x: Any, C: int, missing_code: int | None, cell: Any) -> int | None:
    """The category 0..C of an outcome, which stands in its cell as a number or a word for x; None if it is missing."""
    value = as_integer(number(x, "outcome", missing_code), cell, "outcome")
    if value is not None and not 0 <= value <= C:
        advice = "" if C > 1 else "; other categories need w"
        hint = None if C > 1 else _usual_scale_hint(value) or "outcome"
        raise InvalidInput("category", "outcome", f"outcome {shown(cell)} is not in 0..{C}{advice}", hint)
    return value


def is_missing(x: Any) -> bool:
    """Whether a cell is empty, NaN, or a word such as null."""
    return x is None or x != x or (isinstance(x, str) and WORDS.get(x.strip().lower(), "") is None)


def scale_hint(lo: float, hi: float) -> str | None:
    """The hint that proposes a scale with all scores from lo to hi."""
    if -1 <= lo < 0 and hi <= 1:
        return "scale:-1,1"
    return f"scale:{lo:.10g},{hi:.10g}" if lo < 0 or hi > MAX_USUAL_SCORE else _usual_scale_hint(ceil(hi))


def _usual_scale_hint(value: int) -> str | None:
    """The hint that proposes the narrowest usual scale that contains an outcome; None where there is none."""
    if value < 0:
        return "scale:-1,1" if value == -1 else None
    top = next((x for x in (5, 10, 100, MAX_USUAL_SCORE) if value <= x), None)
    return f"scale:0,{top}" if top else None


def score(x: Any, missing_code: int | None) -> float | None:
    """The score in a cell; None if it is missing."""
    value = number(x, "outcome", missing_code)
    as_double = 0.0 if value is None else float(value) + 0.0  # -0.0 becomes 0.0
    if isinf(as_double):
        raise InvalidInput("not_finite", "outcome", f"outcome {shown(x)} is beyond the largest double")
    return None if value is None else as_double


def cost(x: Any, name: str) -> float:
    """The cost in a cell; nan where it is not stated."""
    if type(x) in (int, float) and 0 <= x <= LARGEST_COST:
        return float(x)
    value = number(x, name)
    if value is not None and not 0 <= value <= LARGEST_COST:
        raise InvalidInput("range", name, f"{name} {shown(x)} is not from 0 to {LARGEST_COST:g}")
    return nan if value is None else float(value)


def failures_and_successes(c: Any, n: Any) -> tuple[int, int]:
    """The pair (n - c, c) for c successes in n trials."""
    successes, trials = (count(x, name) for x, name in ((c, "c"), (n, "n")))
    if successes is None or trials is None:
        raise InvalidInput("missing", "c" if successes is None else "n", "c or n is missing")
    if successes > trials:
        raise InvalidInput("range", "c", f"more successes (c = {successes}) than trials (n = {trials})")
    return trials - successes, successes


def fraction(x: Any) -> tuple[int, int] | None:
    """Successes and trials in a cell such as 3/4 or "3 of 4"; None where it is another one."""
    match = FRACTION.fullmatch(x.strip()) if isinstance(x, str) else None
    return (int(match[1]), int(match[2])) if match else None


def count(x: Any, name: str) -> int | None:
    """The number of trials or successes in a cell; None if it is missing."""
    value = as_integer(number(x, name), x, name)
    if value is not None and not 0 <= value <= LARGEST_COUNT:
        raise InvalidInput("range", name, f"{name} {shown(x)} is not in 0..{LARGEST_COUNT}")
    return value


def as_integer(value: Decimal | None, x: Any, name: str) -> int | None:
    """A value as an integer; x is the cell that it came from."""
    if value is None:
        return None
    if value != value.to_integral_value():
        is_scaled = not 0 <= value <= 1 and abs(value) < HUGE
        scale = _usual_scale_hint(int(value.to_integral_value(ROUND_UP))) if is_scaled else None
        hint = (scale or "levels") if name == "outcome" else None
        raise InvalidInput("fractional", name, f"{name} {shown(x)} is not a whole number", hint)
    return int(max(-HUGE, min(value, HUGE)))  # conversion of a million digits would be slow


def hint(x: Any, name: str) -> str | None:
    """The hint for an outcome that is not a number: a number with separators, or a word."""
    if name != "outcome" or not isinstance(x, str):
        return None
    if set(x) <= set("0123456789.,'’ %\u00a0\u202f+-"):
        return "form"
    return f"words:{x.strip()}" if len(x) <= LONGEST_WORD else "words:WORD"


def number(x: Any, name: str, missing_code: int | None = None) -> Decimal | None:
    """The exact number in a cell; None if it is missing, or equal to missing_code."""
    text = WORDS.get(x.strip().lower(), x) if isinstance(x, str) else x
    if text is None or text != text:
        return None
    try:
        if not isinstance(text, (str, int, float, Decimal)) or not str(text).isascii() or "_" in str(text):
            raise InvalidOperation  # Decimal would read 1_000 and the digits of any script
        value = Decimal(text)
        if value.is_nan():
            raise InvalidOperation
    except InvalidOperation:
        raise InvalidInput("type", name, f"{name} {shown(x)} is not a number", hint(x, name)) from None
    if not value.is_finite():
        raise InvalidInput("not_finite", name, f"{name} {shown(x)} is not finite")
    return None if value == missing_code else value


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
        meaning: tuple[Kinds, Any] = _MEANING.get(_plain(x)) or _form_of_number(x, self._of_share)
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
        value = float(_form_of_number(x, self._of_share)[1])
        return f"Outcomes are written as {shown(x)}, which was read as {value:.10g}."


def _plain(cell: Any) -> str:
    text = cell.strip().removesuffix(EMOJI) if isinstance(cell, str) else ""
    return text if len(text) == 1 else text.lower()


def _form_of_number(x: Any, of_share: bool) -> tuple[Kinds, Any]:
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


# --- texts of questions, on one line: of those whose id is a hash, which says nothing ---


# names of fields that may hold the text of a question, the first found counts
TEXTS = ("prompt", "input", "question", "question_text", "problem", "query", "instruction", "goal", "text", "ctx")
LONGEST_TEXT = 120  # characters of a text in a report
LONGEST_NAME = 60  # in a table
MOST_KEPT = 100_000  # hashes whose texts are kept
_text_of: dict[str, str] = {}  # by hash


def line_of(x: Any, longest: int = LONGEST_TEXT) -> str:
    """The text on one line, cut after so many characters; "" for anything but text."""
    line = " ".join(x.split()) if isinstance(x, str) else ""
    return line if len(line) <= longest else line[: longest - 1] + "…"


def keep(hashed: str, content: Any) -> None:
    """Keep the text in the content that a hash was made of."""
    if len(_text_of) < MOST_KEPT and hashed not in _text_of:
        _text_of[hashed] = next(filter(None, map(line_of, _texts(content))), "")


def kept(hashed: str) -> str:
    """The text of a question whose id is a hash; "" for other ids."""
    return _text_of.get(hashed, "")


def question_name(question: str) -> str:
    """The name of a question in a table: its id, or the start of its text and of its id if that is a hash."""
    text = kept(question)
    return f"{line_of(text, LONGEST_NAME)} [{question[:6]}]" if text else question


def _texts(x: Any) -> Iterator[str]:
    """The texts in a value: of a mapping, those of usual fields first; of a conversation, the last message first."""
    if isinstance(x, str):
        yield x
    elif isinstance(x, Mapping):
        for key in (*(name for name in TEXTS if name in x), "content", "messages", *x):
            yield from _texts(x.get(key))
    elif isinstance(x, (list, tuple)):
        is_conversation = all(isinstance(y, Mapping) and "content" in y for y in x)
        for y in reversed(x) if is_conversation else x:
            yield from _texts(y)
