"""Text of results: numbers, names and words, as a terminal can show them, and short names of models."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from math import floor, log10
from pathlib import Path
from typing import Any, NamedTuple


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
    w : sequence of float, optional; score of each category; default (0, 1)

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


BREAK = re.compile(r"[/_ :@]|(?<!\d[eE])-")  # separators; the sign of an exponent, as in 1e-5, is not a separator


class Names(NamedTuple):
    """Names that fit a width, and sentences on what they leave out.

    Attributes
    ----------
    short : list of str; the short names
    shared : list of str; at most one sentence: the parts left out of every name
    alike : list of str; a sentence with the full name, for each name that had to be numbered
    """

    short: list[str]
    shared: list[str]
    alike: list[str]

    @property
    def sentences(self) -> list[str]:
        """All sentences on what the names leave out."""
        return [*self.shared, *self.alike]


def short_names(names: Iterable[Any], columns: int, width_of: Callable[[str], int] = width) -> Names:
    """Shorten names to a number of columns each, so that names that look different stay different.

    Characters that cannot be printed are replaced first. If all names fit, nothing else changes. Otherwise the
    beginning and the end that all names share are left out, up to a separator. A name that is still too wide is cut in
    its middle, or around the part that distinguishes it from names that would be cut alike. If some names are alike
    even then, all but the first of them get a number.

    Parameters
    ----------
    names : iterable; names of models
    columns : int; available columns; with fewer than about eight, a numbered name may be wider
    width_of : callable; the number of columns that a text takes

    Returns
    -------
    Names
        The short names, and sentences on what they leave out.

    Examples
    --------
    >>> from scorio.display.text import short_names
    >>> models = [f"meta-llama/Llama-3.1-8B-Instruct-sft-{x}-bf16" for x in ("math", "code", "math-lr1e-5")]
    >>> names = short_names(models, 20)
    >>> names.short
    ['math', 'code', 'math-lr1e-5']
    >>> names.sentences
    ['Names are shown without their common beginning "meta-llama/Llama-3.1-8B-Instruct-sft-" and end "-bf16".']
    """
    full_names = [printable(x) for x in names]
    if all(width_of(x) <= columns for x in full_names):
        return _numbered(full_names, full_names, columns, width_of, [])
    front, back = common_ends(full_names)
    parts = [f'{what} "{x}"' for what, x in (("beginning", front), ("end", back)) if x]
    shared = [f"Names are shown without their common {' and '.join(parts)}."] if parts else []
    return _numbered([x[len(front) : len(x) - len(back)] for x in full_names], full_names, columns, width_of, shared)


def common_ends(names: Sequence[str], keep: Callable[[str], bool] | None = None) -> tuple[str, str]:
    """The beginning and the end that all names share, up to separators.

    keep : whether what is left of a name is enough to recognise it; default: it has a letter.

    Examples
    --------
    >>> from scorio.display.text import common_ends
    >>> common_ends(["org/gpt-4-mini-v2", "org/gpt-4-nano-v2"]), common_ends(["org/run-1", "org/run-2"])
    (('org/gpt-4-', '-v2'), ('org/', ''))
    """
    if len(set(names)) < 2:
        return "", ""
    keep = keep or (lambda name: any(map(str.isalpha, name)))
    shared = _shared_start(names)
    ends = [0, *(m.end() for m in BREAK.finditer(shared))]
    front = next(shared[:n] for n in reversed(ends) if n == 0 or all(keep(x[n:]) for x in names))
    without_front = [x[len(front) :] for x in names]
    shared = _shared_start([x[::-1] for x in without_front])[::-1]
    starts = [m.start() for m in BREAK.finditer(shared)]
    back = next((shared[n:] for n in starts if all(keep(x[: len(x) - len(shared) + n]) for x in without_front)), "")
    return front, back


def _shared_start(texts: Sequence[str]) -> str:
    """The longest beginning that all texts share."""
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:n]


def _cut_all(texts: Sequence[str], columns: int, width_of: Callable[[str], int]) -> list[str]:
    """Texts cut to a number of columns, in the middle or around the part that distinguishes them."""
    short = [cut(x, columns, width_of) for x in texts]
    for same in {x for x in short if short.count(x) > 1}:
        indices = [i for i, x in enumerate(short) if x == same]
        front, back = common_ends([texts[i] for i in indices], bool)  # bool: what is left must not be empty
        for i in indices:
            middle = texts[i][len(front) : len(texts[i]) - len(back)] + ("…" if back else "")
            available = columns - width_of(middle)
            if width_of(front) <= available:
                short[i] = front + middle
            elif available > 3:
                start = next(n for n in range(len(front), -1, -1) if width_of(front[:n]) < available)
                short[i] = front[:start] + "…" + middle
    return short


def _numbered(
    texts: Sequence[str], full_names: Sequence[str], columns: int, width_of: Callable[[str], int], shared: list[str]
) -> Names:
    """Names from texts cut to a width; a shortened one that equals an earlier one gets a number and a sentence."""
    seen: dict[str, int] = {}
    out, alike = [], []
    for text, full in zip(_cut_all(texts, columns, width_of), full_names, strict=True):
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1 and text != full:
            end = f" ({seen[text]})"
            text = cut(text, max(3, columns - len(end)), width_of) + end
            alike.append(f'{text} is "{full}".')
        out.append(text)
    return Names(out, shared, alike)
