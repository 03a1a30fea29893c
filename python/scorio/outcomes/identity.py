"""Ids and clusters of questions: which question a row is, and the cluster it was sampled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..arguments import is_integer, is_missing
from ..errors import InvalidInput, shown

Texts: TypeAlias = tuple[str, ...]
BLANK = " \t\n\v\f\r"  # an id without other characters is refused


def labels(x: Any, M: int, name: str, what: str = "questions") -> list[str | int]:
    """Check the labels of M questions (or what else there is), each a text or an integer; returns a list."""
    try:
        out = None if isinstance(x, (str, bytes, dict, set)) else list(x)
    except TypeError:
        out = None
    if out is None:
        raise InvalidInput("type", name, f"{name} must be a sequence of labels, not {shown(x)}")
    if len(out) != M:
        raise InvalidInput("length", name, f"{name} has {len(out)} labels for {M} {what}")
    all_texts = set(map(type, out)) <= {str}
    for i, label in enumerate(() if all_texts else out):
        if not isinstance(label, str) and not is_integer(label):
            raise InvalidInput("type", name, f"{name}[{i}] = {shown(label)} is neither text nor an integer")
    return out


def texts(x: Any, M: int, name: str) -> Texts:
    """Labels of M questions as texts; an integer becomes the text of its digits."""
    return tuple(map(str, labels(x, M, name)))


def ids(x: Any, M: int, name: str = "ids") -> Texts:
    """Ids of M questions as texts, none of them blank and no two equal."""
    return distinct_ids(texts(x, M, name), name, name)


def distinct_ids(x: Texts, name: str, place: str, hint: str = "") -> Texts:
    """The ids, if none is blank and no two are equal; place: the name of the ids in errors."""
    none_blank = all(map(str.strip, x))  # str.strip() removes all characters in BLANK, and others
    for i, q in enumerate(() if none_blank else x):
        if not q.strip(BLANK):
            raise InvalidInput("missing", name, f"{place}[{i}] is blank{hint}")
    if len(set(x)) < len(x):
        i, j, q = _first_duplicate(x)
        raise InvalidInput("duplicate", name, f"{place}[{i}] and {place}[{j}] are both {shown(q)}{hint}")
    return x


def _first_duplicate(x: Sequence[str]) -> tuple[int, int, str]:
    """The indices of the first pair of equal ids, and the id."""
    first: dict[str, int] = {}
    return next((first[q], j, q) for j, q in enumerate(x) if first.setdefault(q, j) < j)


def row_labels(R: Any, name: str) -> Texts | None:
    """Ids from the index of a data frame; None for the default index 0..M-1 and for any other object."""
    if isinstance(R, (np.ndarray, list, tuple)) or not hasattr(R, "iloc") or getattr(R, "ndim", 0) != 2:
        return None
    index = R.index.tolist()
    if index == list(range(len(index))):
        return None
    hint = f": use {name}.reset_index(drop=True) if the index does not name questions"
    ids = tuple(_text(x) for x in index)
    return distinct_ids(ids, name, f"{name}.index", hint)


def _text(label: Any) -> str:
    """The text of a row label: the levels of a multi-index joined by slashes, "" for a missing label."""
    if isinstance(label, tuple):
        return "/".join(map(_text, label))
    return "" if is_missing(label) or label != label else str(label)


def rows_by_id(x: Sequence[str] | None) -> dict[str, int]:
    """The index of the row of each id."""
    return {q: i for i, q in enumerate(x or ())}


def first_few(x: Sequence[str]) -> str:
    """The first three ids, for a message."""
    return ", ".join(shown(q) for q in x[:3]) + (", ..." if len(x) > 3 else "")
