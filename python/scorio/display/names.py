"""Names of models in a column: parts that all share are left out, and a sentence states them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .text import cut, printable, width

BREAK = re.compile(r"[/_ :@]|(?<!\d[eE])-")  # separators; the sign in 1e-5 is not one, nor the point in 3.1


class Names(NamedTuple):
    """Names that fit a width, and sentences on what they leave out.

    Attributes
    ----------
    short : list of str
        The short names.
    shared : list of str
        At most one sentence: the parts left out of every name.
    alike : list of str
        A sentence for each numbered name, with the name in full.
    """

    short: list[str]
    shared: list[str]
    alike: list[str]

    @property
    def sentences(self) -> list[str]:
        """All sentences on what the names leave out."""
        return [*self.shared, *self.alike]


def short_names(names: Iterable[Any], room: int, wide: Callable[[str], int] = width) -> Names:
    """Shorten names to at most room columns each, no two alike.

    Names that fit are left as they are. Where one does not, the beginning and the end that all share are left out, up
    to a separator. A name that is still too wide is cut in its middle, or around the part that distinguishes it from
    names that would be cut alike; names that are alike even then are numbered.

    Parameters
    ----------
    names : iterable
        Names of models.
    room : int
        Available columns.
    wide : callable
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
    whole = [printable(x) for x in names]
    if all(wide(x) <= room for x in whole):
        return _numbered(whole, whole, room, wide, [])
    front, back = common_ends(whole)
    parts = [f'{what} "{x}"' for what, x in (("beginning", front), ("end", back)) if x]
    shared = [f"Names are shown without their common {' and '.join(parts)}."] if parts else []
    return _numbered([x[len(front) : len(x) - len(back)] for x in whole], whole, room, wide, shared)


def common_ends(names: Sequence[str], keep: Callable[[str], bool] | None = None) -> tuple[str, str]:
    """The beginning and the end that all names share, up to separators; every name keeps a letter.

    Examples
    --------
    >>> from scorio.display.names import common_ends
    >>> common_ends(["org/gpt-4-mini-v2", "org/gpt-4-nano-v2"]), common_ends(["org/run-1", "org/run-2"])
    (('org/gpt-4-', '-v2'), ('org/', ''))
    """
    if len(set(names)) < 2:
        return "", ""
    keep = keep or _readable
    shared = _shared_start(names)
    ends = [0, *(m.end() for m in BREAK.finditer(shared))]
    front = next(shared[:n] for n in reversed(ends) if n == 0 or all(keep(x[n:]) for x in names))
    rest = [x[len(front) :] for x in names]
    shared = _shared_start([x[::-1] for x in rest])[::-1]
    starts = [m.start() for m in BREAK.finditer(shared)]
    back = next((shared[n:] for n in starts if all(keep(x[: len(x) - len(shared) + n]) for x in rest)), "")
    return front, back


def _shared_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:n]


def _readable(name: str) -> bool:
    return any(x.isalpha() for x in name)


def _fitted(texts: Sequence[str], room: int, wide: Callable[[str], int]) -> list[str]:
    """Texts cut to `room` columns: in the middle, or around the part that distinguishes them from texts cut alike."""
    short = [cut(x, room, wide) for x in texts]
    for same in {x for x in short if short.count(x) > 1}:
        indices = [i for i, x in enumerate(short) if x == same]
        front, back = common_ends([texts[i] for i in indices], bool)
        for i in indices:
            middle = texts[i][len(front) : len(texts[i]) - len(back)] + ("…" if back else "")
            available = room - wide(middle)
            if wide(front) <= available:
                short[i] = front + middle
            elif available > 3:
                short[i] = _start(front, available - 1, wide) + "…" + middle
    return short


def _start(text: str, room: int, wide: Callable[[str], int]) -> str:
    """The longest beginning of a text that takes at most `room` columns."""
    return next(text[:n] for n in range(len(text), -1, -1) if wide(text[:n]) <= room)


def _numbered(
    texts: Sequence[str], whole: Sequence[str], room: int, wide: Callable[[str], int], shared: list[str]
) -> Names:
    """Texts cut to `room` columns; texts that are still alike get a number, and a sentence with the full name."""
    seen: dict[str, int] = {}
    out, alike = [], []
    for text, full in zip(_fitted(texts, room, wide), whole, strict=True):
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1 and text != full:
            end = f" ({seen[text]})"
            text = cut(text, max(3, room - len(end)), wide) + end
            alike.append(f'{text} is "{full}".')
        out.append(text)
    return Names(out, shared, alike)
