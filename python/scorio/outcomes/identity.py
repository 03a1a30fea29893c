"""Which question a row is: ids and clusters of questions, and the pairing of models on the same questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..arguments import is_integer, is_missing
from ..display.text import number
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
        first: dict[str, int] = {}
        i, j, q = next((first[q], j, q) for j, q in enumerate(x) if first.setdefault(q, j) < j)
        raise InvalidInput("duplicate", name, f"{place}[{i}] and {place}[{j}] are both {shown(q)}{hint}")
    return x


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


# --- by id where all models have ids, by row where none has -----------------------------------------

Namer = Callable[[int], str]  # the name of model i in messages


def paired(
    items: Sequence[Any], arguments: Sequence[str], name_of: Namer, missing: Any = None, clustered: bool = False
) -> list[Any]:
    """Align the counts of models, so that row i is the same question in each.

    Parameters
    ----------
    items : sequence of Counts
        One for each model; or objects whose ids and clusters are None, such as Answers.
    arguments : sequence of str
        Name of the argument that holds each model, for errors.
    name_of : callable
        From the index of a model to its name in messages.
    missing : {"drop"} or anything else
        "drop": a question that a model does not have gets no trials; anything else: it is refused. None: by a caller
        without an argument `missing` that would help, so that the error proposes none.
    clustered : bool
        Give every model the clusters that any of them has.

    Returns
    -------
    list
        Counts of the questions that any model has, in order of appearance, if models have ids; else the items
        unchanged, apart from clusters.
    """
    order = common_ids([x.ids for x in items], arguments, name_of, missing)
    if order is None:
        for i, x in enumerate(items):
            if x.M != items[0].M:
                what = f"{name_of(i)} has {x.M} questions, {name_of(0)} has {items[0].M}: they must be the same ones"
                raise InvalidInput("shape", arguments[i], what)
    clusters = common_clusters(items, order, arguments, name_of) if clustered else None
    out = []
    for x in items:
        aligned = x if order is None or x.ids == order else x._reindexed(order)
        out.append(aligned if clusters is None or clusters == aligned.clusters else aligned._labelled(order, clusters))
    return out


def common_ids(
    ids: Sequence[Texts | None], arguments: Sequence[str], name_of: Namer, missing: Any = None
) -> Texts | None:
    """Ids of all questions in order of appearance; None if no model has ids."""
    first = ids[0]
    if all(x is None for x in ids):
        return None
    for i, x in enumerate(ids):
        if (x is None) != (first is None):
            have, lack = (i, 0) if first is None else (0, i)
            what = (
                f"{name_of(have)} has ids of its questions, {name_of(lack)} has none: give ids of both, or of neither"
            )
            raise InvalidInput("conflict", arguments[i], what)
    known = [x for x in ids if x is not None]
    if all(x == first for x in known):
        return first
    order = tuple(dict.fromkeys(q for x in known for q in x))
    if missing != "drop":
        for i, x in enumerate(known):
            if len(x) < len(order):
                present = set(x)
                raise _absent_error([q for q in order if q not in present], arguments[i], name_of(i), missing)
    return order


def _absent_error(absent: list[str], argument: str, model: str, missing: Any) -> InvalidInput:
    """The error for questions that one model does not have."""
    what = f"{model} does not have {number(len(absent), 'question')} of the others, {first_few(absent)}"
    advice = 'missing="drop" compares two models on the questions of both'
    if missing is None:
        advice = "select the questions that all have"
    return InvalidInput("missing", argument, f"{what}: {advice}")


def common_clusters(
    items: Sequence[Any], order: Texts | None, arguments: Sequence[str], name_of: Namer
) -> tuple[str | None, ...] | None:
    """The cluster of each question, from the models that know it; None if no model has clusters."""
    if all(x.clusters is None for x in items):
        return None
    cluster_of: dict[Any, str] = {}
    for i, x in enumerate(items):
        for q, label in zip(range(x.M) if order is None else x.ids, x.clusters or (), strict=False):
            if label is not None and cluster_of.setdefault(q, label) != label:
                first, model = shown(cluster_of[q]), name_of(i)
                what = f"question {shown(q)} is in cluster {shown(label)} for {model}, in {first} for an earlier model"
                raise InvalidInput("conflict", arguments[i], f"{what}; clusters=False leaves clusters out")
    return tuple(cluster_of.get(q) for q in (range(items[0].M) if order is None else order))
