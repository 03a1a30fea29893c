"""Numbers and names as text for people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from math import floor, log10
from pathlib import Path
from typing import Any


def number(n: int, what: str) -> str:
    """A count with its noun in the singular or plural: 1 trial, 2 trials per question.

    Examples
    --------
    >>> from scorio.display import text
    >>> text.number(1, "trial per question"), text.number(2000, "trial per question")
    ('1 trial per question', '2,000 trials per question')
    """
    return f"{n:,} {what if n == 1 else plural(what)}"


def plural(what: str) -> str:
    """The plural of a noun or a phrase: trials; trials per question."""
    noun, per, unit = what.partition(" per ")
    return f"{noun}s{per}{unit}"


def span(low: int | None, high: int | None, sign: str = "..") -> str:
    """A range of numbers as text: 4, or 1..4; "" if an end is unknown (None)."""
    if low is None or high is None:
        return ""
    return f"{low:,}" if low == high else f"{low:,}{sign}{high:,}"


def percent(p: float, sign: str = "%", decimals: int | None = None) -> str:
    """A probability, rounded towards 1/2, so that no text claims more than the number: never 0% or 100%.

    Examples
    --------
    >>> from scorio.display import text
    >>> [text.percent(p) for p in (0.5, 0.949, 0.0501, 0.992, 1.0)]
    ['50%', '94%', '6%', '99.2%', '>99.9%']
    """
    decimals = (1 if p >= 0.99 or p <= 0.01 else 0) if decimals is None else decimals
    if p < 0.5:
        text = percent(1.0 - p, "", decimals)
        return ("<0.1" if text.startswith(">") else f"{100 - float(text):.{decimals}f}") + sign
    if p > 0.999:
        return ">99.9" + sign
    slack, unit = 1e-9, 10**decimals  # 0.97 is stored as slightly less
    return f"{floor(100 * unit * p + slack) / unit:.{decimals}f}" + sign


def percents(ps: Sequence[float]) -> list[str]:
    """Probabilities of one column as percentages, with the same number of decimals; extremes are ">99.9%", "<0.1%".

    Examples
    --------
    >>> from scorio.display import text
    >>> text.percents([0.5, 0.992])
    ['50.0%', '99.2%']
    """
    decimals = max((1 if p >= 0.99 or p <= 0.01 else 0 for p in ps), default=0)
    return [percent(p, decimals=decimals) for p in ps]


def score_format(w: Sequence[float] | None = None) -> str:
    """The format of a score, with decimals to a thousandth of the range of scores, or finer: 0.420, 42.0, 420.

    Parameters
    ----------
    w : sequence of float, optional
        Score of each category; default (0, 1).

    Examples
    --------
    >>> from scorio.display import text
    >>> [format(42.0, text.score_format(w)) for w in (None, [0, 100])]
    ['42.000', '42.0']
    """
    scores = [0.0, 1.0] if w is None else [float(x) for x in w]
    largest = max(map(abs, scores)) or 1.0
    score_range = max(scores) - min(scores) or largest
    decimals = 3 - floor(log10(score_range))
    needed = floor(log10(largest)) + 1 + decimals  # significant digits of the largest score
    # more digits than these would be hard to read: then significant digits, at most the 17 that tell all doubles apart
    return f".{max(0, decimals)}f" if -3 <= decimals <= 6 and needed <= 15 else f".{min(17, needed)}g"


def score(x: float, form: str) -> str:
    """A score in the format of :func:`score_format`; a score that rounds to 0 has no sign.

    Examples
    --------
    >>> from scorio.display import text
    >>> text.score(-0.0004, ".3f"), text.score(-0.0006, ".3f")
    ('0.000', '-0.001')
    """
    text = format(x, form)
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def printable(name: Any) -> str:
    """A name on one line, with unprintable characters replaced."""
    return "".join(x if x.isprintable() else "?" for x in str(name))


FORMULA = re.compile(r"'*[=+\-@\t\r]")  # start of a formula, also after apostrophes: escaping can then be undone


def escape_formula(cell: Any) -> Any:
    """A cell of CSV, with an apostrophe before text that a spreadsheet would run as a formula.

    Examples
    --------
    >>> from scorio.display import text
    >>> [text.escape_formula(x) for x in ("=1+1", "@a", -1, "gpt")]
    ["'=1+1", "'@a", -1, 'gpt']
    """
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell


def unescape_formula(cell: str) -> str:
    """Undo :func:`escape_formula`: remove the apostrophe that it added."""
    return cell[1:] if cell[:1] == "'" and FORMULA.match(cell) else cell


def width(text: str) -> int:
    """The number of columns that a text takes: two for East Asian wide letters, none for combining accents."""
    return sum(0 if unicodedata.combining(x) else 1 + (unicodedata.east_asian_width(x) in "WF") for x in text)


def cut(name: str, columns: int, width: Callable[[str], int] = width) -> str:
    """A name shortened to a number of columns, as `width` measures them: "…" takes the place of its middle."""
    if width(name) <= columns:
        return name
    front, back = columns // 2, (columns - 1) // 2
    start, end = 0, len(name)
    while width(name[: start + 1]) <= front:
        start += 1
    while width(name[end - 1 :]) <= back:
        end -= 1
    return name[:start] + "…" + name[end:]


def listed(names: Sequence[Any], most: int = 4, what: str = "other") -> str:
    """Names as a list in words: A; A and B; A, B, C, D and 3 others. Names are cut to 60 columns.

    Examples
    --------
    >>> from scorio.display import text
    >>> text.listed(["a", "b", "c"]), text.listed("abcdef")
    ('a, b and c', 'a, b, c, d and 2 others')
    """
    shown = [name_of(x) for x in names[:most]]
    if len(names) > most:
        return ", ".join(shown) + f" and {number(len(names) - most, what)}"
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else "".join(shown)


def without_folder(path: str) -> str:
    """The name of a file or a folder without the folders above it, also for a path such as "."."""
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name if name not in ("", ".", "..") else Path(path).resolve().name or path


def name_of(name: Any) -> str:
    """A name as it is written in a sentence: at most 60 columns."""
    return cut(printable(name), 60)


def about(n: int) -> str:
    """An estimated number as text, to two digits, or "more than a million"."""
    if n > 10**6:
        return "more than a million"
    step = 10 ** max(0, len(str(n)) - 2)
    return f"about {step * round(n / step):,}"


def among(x: object, known: Iterable[Any], most: int = 4) -> str:
    """Known names, each in quotes, for an error message about an unknown name x; and the most similar one, if any.

    Examples
    --------
    >>> from scorio.display import text
    >>> text.among("tyni", ["large", "small", "tiny"])
    "'large', 'small' and 'tiny', did you mean 'tiny'?"
    """
    known = list(known)
    quoted = [repr(name_of(name) if isinstance(name, str) else name) for name in known]
    return listed(quoted, most) + nearest(x, [name for name in known if isinstance(name, str)])


def _alphanumeric(x: str) -> str:
    """The letters and digits of a name in lower case: passk for pass@k."""
    return "".join(c for c in x.lower() if c.isalnum())


LONGEST_NAME, MOST_NAMES = 100, 5000  # of the search for similar spelling, whose time rises with both


def nearest(x: object, known: Iterable[str]) -> str:
    """The end of an error message about an unknown name: the most similar known name, if one is similar."""
    meant = nearest_name(x, known)
    return f", did you mean {meant!r}?" if meant is not None else ""


def nearest_name(x: object, known: Iterable[str]) -> str | None:
    """The known name that is most similar to an unknown one, if one is similar.

    Names above 100 characters, and those after the first 5,000, are not compared.
    """
    import difflib  # imported late, since few calls need it

    known = [name for name in known if len(name) <= LONGEST_NAME] if len(str(x)) <= LONGEST_NAME else []
    letters = _alphanumeric(str(x))
    if len(letters) > 2:  # one or two letters alone say too little
        by_letters = {_alphanumeric(name): name for name in reversed(known)}
        if letters in by_letters:
            return by_letters[letters]
        # the same letters in another order, as in tyni for tiny, of which difflib sees only half
        same = [name for name in known[:MOST_NAMES] if sorted(_alphanumeric(name)) == sorted(letters)]
        longer = [name for plain, name in by_letters.items() if plain.startswith(letters)]
        if same or len(longer) == 1:
            return (same or longer)[0]
    matches = difflib.get_close_matches(str(x).lower(), {name.lower(): 0 for name in known[:MOST_NAMES]}, 1, 0.65)
    return next((name for name in known if matches and name.lower() == matches[0]), None)
