"""Parse cells of a log: ids, categories, scores, costs and counts. An invalid cell is an error."""

from __future__ import annotations

import re
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
