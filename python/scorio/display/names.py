"""Names of models in a column: what all of them share is left out first, and that is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .text import cut, printable, width

BREAK = re.compile(r"[/_ :@]|(?<!\d[eE])-")  # not within 1e-5, not within 3.1


class Names(NamedTuple):
    """Names that fit a room, and the sentences that say what is not shown of them.

    Attributes
    ----------
    short : list of str
        The names.
    shared : list of str
        At most one sentence: what was left out of every name.
    alike : list of str
        The names in full that carry a number, a sentence each.
    """

    short: list[str]
    shared: list[str]
    alike: list[str]

    @property
    def said(self) -> list[str]:
        """All sentences."""
        return [*self.shared, *self.alike]


def short_names(names: Iterable[Any], room: int, wide: Callable[[str], int] = width) -> Names:
    """Names on one line each, no wider than room, no two alike.

    Names that fit are left as they are. Where one does not, the beginning and the end that all share are left out, up
    to a separator. What is still too wide is cut in its middle, or around the part that distinguishes it from others
    that would be alike; what is alike even then is numbered.

    Parameters
    ----------
    names : iterable
        Of models.
    room : int
        Columns that there are.
    wide : callable
        How many columns a text takes.

    Returns
    -------
    Names
        The names, and sentences that say what is not shown of them.

    Examples
    --------
    >>> from scorio.display.names import short_names
    >>> models = [f"meta-llama/Llama-3.1-8B-Instruct-sft-{x}-bf16" for x in ("math", "code", "math-lr1e-5")]
    >>> names = short_names(models, 20)
    >>> names.short
    ['math', 'code', 'math-lr1e-5']
    >>> names.said
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
    left = [x[len(front) :] for x in names]
    shared = _shared_start([x[::-1] for x in left])[::-1]
    starts = [m.start() for m in BREAK.finditer(shared)]
    back = next((shared[n:] for n in starts if all(keep(x[: len(x) - len(shared) + n]) for x in left)), "")
    return front, back


def _shared_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    n = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:n]


def _readable(name: str) -> bool:
    return any(x.isalpha() for x in name)


def _fitted(texts: Sequence[str], room: int, wide: Callable[[str], int]) -> list[str]:
    """Texts cut to room: in the middle, or, where that makes some alike, around what distinguishes these."""
    short = [cut(x, room, wide) for x in texts]
    for same in {x for x in short if short.count(x) > 1}:
        places = [i for i, x in enumerate(short) if x == same]
        front, back = common_ends([texts[i] for i in places], bool)
        for i in places:
            middle = texts[i][len(front) : len(texts[i]) - len(back)] + ("…" if back else "")
            left = room - wide(middle)
            if wide(front) <= left:
                short[i] = front + middle
            elif left > 3:
                short[i] = _start(front, left - 1, wide) + "…" + middle
    return short


def _start(text: str, room: int, wide: Callable[[str], int]) -> str:
    """As much of a text as fits."""
    return next(text[:n] for n in range(len(text), -1, -1) if wide(text[:n]) <= room)


def _numbered(
    texts: Sequence[str], whole: Sequence[str], room: int, wide: Callable[[str], int], shared: list[str]
) -> Names:
    """Texts cut to room; those that are alike even so carry a number, and are said in full."""
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
