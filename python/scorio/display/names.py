"""Short names of models for a column; sentences state the parts that were left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .text import cut, printable, width

BREAK = re.compile(r"[/_ :@]|(?<!\d[eE])-")  # separators; the sign of an exponent, as in 1e-5, is not a separator


class Names(NamedTuple):
    """Names that fit a width, and sentences on what they leave out.

    Attributes
    ----------
    short : list of str
        The short names.
    shared : list of str
        At most one sentence: the parts left out of every name.
    alike : list of str
        A sentence with the full name, for each name that had to be numbered.
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
    names : iterable
        Names of models.
    columns : int
        Available columns; with fewer than about eight, a numbered name may be wider.
    width_of : callable
        The number of columns that a text takes.

    Returns
    -------
    Names
        The short names, and sentences on what they leave out.

    Examples
    --------
    >>> from scorio.display.names import short_names
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
    >>> from scorio.display.names import common_ends
    >>> common_ends(["org/gpt-4-mini-v2", "org/gpt-4-nano-v2"]), common_ends(["org/run-1", "org/run-2"])
    (('org/gpt-4-', '-v2'), ('org/', ''))
    """
    if len(set(names)) < 2:
        return "", ""
    keep = keep or _has_letter
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


def _has_letter(name: str) -> bool:
    return any(x.isalpha() for x in name)


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
                short[i] = _longest_start(front, available - 1, width_of) + "…" + middle
    return short


def _longest_start(text: str, columns: int, width_of: Callable[[str], int]) -> str:
    """The longest beginning of a text that takes at most a number of columns."""
    return next(text[:n] for n in range(len(text), -1, -1) if width_of(text[:n]) <= columns)


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
