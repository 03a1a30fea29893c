"""Battles as counts: the model shown first, the second, and the outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ...arguments import is_integer
from ...display.text import among
from ...errors import InvalidInput, shown

FIRST, TIE, SECOND, BOTH_BAD = range(4)
OUTCOMES = (FIRST, TIE, SECOND, TIE)  # what FIRST, TIE, SECOND, BOTH_BAD count as: BOTH_BAD is a tie
WINNERS = {"model_a": FIRST, "tie": TIE, "model_b": SECOND, "tie (bothbad)": BOTH_BAD}
NEEDED, LABELS = ("model_a", "model_b", "winner"), ("question", "voter")
OPTIONAL = ("count", "weight", *LABELS)
MOST_BATTLES = 10**12  # in one row, and as the result of battles_needed()
WEIGHTS = (1e-100, 1e100)
Label = int | str | None


class Row(NamedTuple):
    """A kind of battle: the models by index, the outcome (FIRST, TIE, SECOND), its weight, question and voter."""

    i: int
    j: int
    outcome: int
    weight: float
    question: Label
    voter: Label

    def reversed(self) -> Row:
        """The battle with its two models exchanged."""
        return self._replace(i=self.j, j=self.i, outcome=SECOND - self.outcome)


class Battles(NamedTuple):
    """The models in the order of their names, and the number of battles of each kind."""

    models: list[str]
    rows: dict[Row, int]
    dropped: int  # number of battles with "tie (bothbad)" that were left out

    def index_of(self, name: Any, argument: str) -> int:
        """The index of a model."""
        if not isinstance(name, str):
            raise InvalidInput("type", argument, f"{argument} must be the name of a model, not {shown(name)}")
        if name not in self.models:
            message = f"{argument} = {shown(name)} is not one of the models, {among(name, self.models)}"
            raise InvalidInput("choice", argument, message)
        return self.models.index(name)


def count_battles(battles: Any, both_bad: str, ordered: bool) -> Battles:
    """Count battles by kind; unless ordered, which model was shown first is ignored."""
    columns = _columns(battles)
    _check_entries(columns)
    entries = Counter(zip(*columns.values(), strict=True))
    counted = {entry: n for entry, n in entries.items() if both_bad == "tie" or WINNERS[entry[2]] != BOTH_BAD}
    names = sorted({name for entry in counted for name in entry[:2]})
    index = {name: i for i, name in enumerate(names)}
    rows: Counter[Row] = Counter()
    column_of = {name: k for k, name in enumerate(columns)}
    for entry, times in counted.items():
        a, b, winner = entry[:3]
        if a == b:
            raise InvalidInput("conflict", "battles", f"battles has a battle of {shown(a)} against itself")
        question, voter = (entry[column_of[name]] if name in column_of else None for name in LABELS)
        weight = float(entry[column_of["weight"]]) if "weight" in column_of else 1.0
        row = Row(index[a], index[b], OUTCOMES[WINNERS[winner]], weight, question, voter)
        rows[row if ordered or row.i < row.j else row.reversed()] += times * _row_count(entry, column_of)
    if not rows:
        reason = 'battles has only "tie (bothbad)", which both_bad="drop" leaves out: both_bad="tie" counts it as a tie'
        raise InvalidInput("empty", "battles", reason)
    dropped = sum(n * _row_count(entry, column_of) for entry, n in entries.items() if entry not in counted)
    return Battles(names, dict(rows), dropped)


def _row_count(entry: Sequence[Any], column_of: Mapping[str, int]) -> int:
    """The number of battles of one row of the input: its count, or 1 without a column count."""
    return int(entry[column_of["count"]]) if "count" in column_of else 1


def _columns(battles: Any) -> dict[str, list[Any]]:
    """The columns of battles that scorio uses, as lists."""
    if isinstance(battles, Mapping) or hasattr(battles, "columns"):
        present = [str(name) for name in getattr(battles, "columns", battles)]
        for name in NEEDED:
            if name not in present:
                raise InvalidInput("missing", "battles", f"battles has no column {name}")
        return {name: _as_list(battles[name], name) for name in (*NEEDED, *OPTIONAL) if name in present}
    if isinstance(battles, (str, bytes)) or not isinstance(battles, (Sequence, np.ndarray)):
        raise InvalidInput(
            "type", "battles", f"battles must be columns by name or a list of rows, not {shown(battles)}"
        )
    rows = [_as_list(row, f"row {k}") for k, row in enumerate(battles)]
    for k, row in enumerate(rows):
        if len(row) != len(NEEDED):
            raise InvalidInput(
                "length", "battles", f"row {k} of battles has {len(row)} entries, not model_a, model_b, winner"
            )
    return {name: [row[k] for row in rows] for k, name in enumerate(NEEDED)}


def _as_list(x: Any, what: str) -> list[Any]:
    """The entries of a column or row as a list; what: its name in messages."""
    if isinstance(x, (list, tuple)):
        types = [t for t in {*map(type, x)} if issubclass(t, (np.str_, np.number))]
        scalars = tuple(t for t in types if not issubclass(t, np.timedelta64))  # a duration is no number
        return [y.item() if isinstance(y, scalars) else y for y in x] if scalars else list(x)
    if not hasattr(x, "tolist") and not hasattr(x, "to_list"):
        raise InvalidInput("type", "battles", f"{what} of battles must be a list, not {shown(x)}")
    if getattr(getattr(x, "dtype", None), "kind", None) in ("m", "M"):
        return list(x)  # tolist() would turn dates and durations into integers
    entries = x.tolist() if hasattr(x, "tolist") else x.to_list()
    if not isinstance(entries, list):
        raise InvalidInput("type", "battles", f"{what} of battles must be a list, not {shown(x)}")
    return entries


def _check_entries(columns: Mapping[str, list[Any]]) -> None:
    """Check every entry of every column."""
    size = len(columns["model_a"])
    for name, column in columns.items():
        if len(column) != size:
            raise InvalidInput("length", "battles", f"battles has {size} entries in model_a, {len(column)} in {name}")
    if not size:
        raise InvalidInput("empty", "battles", "battles is empty")
    for name, column in columns.items():
        allowed = TYPES[name]
        if {*map(type, column)} <= allowed and name not in ("winner", "count", "weight"):
            continue
        for k, x in enumerate(column):
            code = _error_code(name, x) if type(x) in allowed else "type"
            if code:
                raise InvalidInput(code, "battles", f"battles: {name}[{k}] = {shown(x)} is not {EXPECTED[name]}")


TYPES: dict[str, set[type]] = {
    "model_a": {str}, "model_b": {str}, "winner": {str}, "count": {int}, "weight": {int, float},
    "question": {str, int}, "voter": {str, int},
}  # fmt: skip
EXPECTED = {
    **dict.fromkeys(NEEDED, "the name of a model"), **dict.fromkeys(LABELS, "an integer or a text"),
    "winner": f"one of {', '.join(map(repr, WINNERS))}", "count": f"an integer from 1 to {MOST_BATTLES}",
    "weight": f"a real number from {WEIGHTS[0]} to {WEIGHTS[1]}",
}  # fmt: skip


def _error_code(name: str, x: Any) -> str | None:
    """The error code of an entry of the right type; None if it is valid."""
    if name == "winner":
        return None if x in WINNERS else "choice"
    if name == "count":
        return None if 1 <= x <= MOST_BATTLES else "range"
    if name == "weight":
        if not is_integer(x) and not isfinite(x):  # isfinite() fails for integers beyond the doubles
            return "not_finite"
        return None if WEIGHTS[0] <= x <= WEIGHTS[1] else "range"
    return None


# --- groups that are fitted ----------------------------------------------------------------


class Group(NamedTuple):
    """A set of models, and the battles among them."""

    members: list[int]  # indices among all models, increasing
    rows: dict[Row, int]  # with indices among the members

    @property
    def cells(self) -> dict[tuple[int, int], list[Fraction]]:
        """The exact weights of wins of the first, ties, and wins of the second, for each ordered pair."""
        out: dict[tuple[int, int], list[Fraction]] = {}
        for row, n_battles in self.rows.items():
            out.setdefault((row.i, row.j), [Fraction(0)] * 3)[row.outcome] += n_battles * Fraction(row.weight)
        return dict(sorted(out.items()))


def group(members: Sequence[int], rows: Mapping[Row, int]) -> Group:
    """The battles of some models among themselves."""
    index = {m: k for k, m in enumerate(members)}
    inner_rows = {
        row._replace(i=index[row.i], j=index[row.j]): n_battles
        for row, n_battles in rows.items()
        if row.i in index and row.j in index
    }
    return Group(list(members), inner_rows)
