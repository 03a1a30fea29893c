"""Cells of a log as ids, categories, scores and counts: read exactly, or an error."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Decimal, InvalidOperation
from math import ceil, isinf, nan
from typing import Any

from ..errors import InvalidInput, shown

WORDS = {"": None, "null": None, "none": None, "na": None, "nan": None, "false": "0", "true": "1"}
VERDICTS = {
    word: (pair, value)
    for pair in (("C", "I"), ("correct right", "incorrect wrong"), ("pass passed", "fail failed"), ("yes", "no"))
    for words, value in zip(pair, "10", strict=True)
    for word in words.split()
}
UNITS = ("cost", "tokens", "latency")  # units of costs that are read without a request
MOST_SCORE = 1000  # the largest end of a usual scale
LARGEST_COST = 1e100
LARGEST_COUNT = 2**53 - 1
LONGEST_NUMBER = 100  # digits of an id that is sorted as a number
AS_WRITTEN = re.compile(r"([+-]?[0-9]*[.,]?[0-9]+)\s*(%)?", re.ASCII)  # a number in a form that is not JSON
HUGE = Decimal(2**64)  # larger than every category and count


def id_of(x: Any, name: str) -> str:
    """The text of a model, question, trial or cluster."""
    if type(x) is str and x.isascii() and (text := x.strip()):
        return text
    if type(x) is int:
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
    """Whether an id is a whole number, to be sorted as one."""
    return x.isascii() and x.removeprefix("-").isdecimal() and len(x) < LONGEST_NUMBER


def category(x: Any, C: int, missing_code: int | None) -> int | None:
    """The category 0..C of an outcome; None if it is missing."""
    value = whole(number(x, "outcome", missing_code), x, "outcome")
    if value is not None and not 0 <= value <= C:
        hint = "" if C > 1 else "; other categories need w"
        remedy = None if C > 1 else _ends(value) or "outcome"
        raise InvalidInput("category", "outcome", f"outcome {shown(x)} is not in 0..{C}{hint}", remedy)
    return value


def verdict(x: Any) -> tuple[tuple[str, str], str] | None:
    """The pair of words that an outcome belongs to, such as correct and wrong, and its value; None for other cells."""
    text = x.strip() if isinstance(x, str) else ""
    return VERDICTS.get(text if len(text) == 1 else text.lower())


def missing(x: Any) -> bool:
    """Whether a cell is empty, or a word such as null."""
    return x is None or x != x or (isinstance(x, str) and WORDS.get(x.strip().lower(), "") is None)


def ends_around(lo: float, hi: float) -> str | None:
    """The hint of a scale that contains all scores of a log; None where they have no usual ends."""
    if -1 <= lo < 0 and hi <= 1:
        return "scale:-1,1"
    return f"scale:{lo:.10g},{hi:.10g}" if lo < 0 or hi > MOST_SCORE else _ends(ceil(hi))


def _ends(value: int) -> str | None:
    """The hint of a scale that may contain an outcome."""
    if value < 0:
        return "scale:-1,1" if value == -1 else None
    top = next((x for x in (5, 10, 100, MOST_SCORE) if value <= x), None)
    return f"scale:0,{top}" if top else None


def score(x: Any, missing_code: int | None) -> float | None:
    """The score in a cell; None if it is missing."""
    value = number(x, "outcome", missing_code)
    as_double = 0.0 if value is None else float(value) + 0.0  # no -0.0
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
        raise InvalidInput("range", "c", f"c = {successes} successes in n = {trials} trials")
    return trials - successes, successes


def count(x: Any, name: str) -> int | None:
    """The number of trials in a cell; None if it is missing."""
    value = whole(number(x, name), x, name)
    if value is not None and not 0 <= value <= LARGEST_COUNT:
        raise InvalidInput("range", name, f"{name} {shown(x)} is not in 0..{LARGEST_COUNT}")
    return value


def whole(value: Decimal | None, x: Any, name: str) -> int | None:
    """A value as an integer; x is the cell that it came from."""
    if value is None:
        return None
    if value != value.to_integral_value():
        ends = _ends(int(value.to_integral_value(ROUND_UP))) if not 0 <= value <= 1 and abs(value) < HUGE else None
        hint = (ends or "levels") if name == "outcome" else None
        raise InvalidInput("fractional", name, f"{name} {shown(x)} is not a whole number", hint)
    return int(max(-HUGE, min(value, HUGE)))  # conversion of a million digits would be slow


def _remedy(x: Any, name: str) -> str | None:
    """The hint for a cell that is not a number: a percentage, a decimal comma, a word as an outcome."""
    if name != "outcome" or not isinstance(x, str):
        return None
    if match := AS_WRITTEN.fullmatch(x.strip()):
        return "percent" if match[2] else f"point:{match[1].replace(',', '.')}"
    return "words"


def number(x: Any, name: str, missing_code: int | None = None) -> Decimal | None:
    """The exact number in a cell; None if it is missing."""
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
        raise InvalidInput("type", name, f"{name} {shown(x)} is not a number", _remedy(x, name)) from None
    if not value.is_finite():
        raise InvalidInput("not_finite", name, f"{name} {shown(x)} is not finite")
    return None if value == missing_code else value
