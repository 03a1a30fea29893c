"""Battles as counts: the model shown first, the second, the outcome; and whether the likelihood has a unique maximum.

The conditions, decided on integers by who won against whom: spec/families/battles.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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


# --- conditions for a unique maximum of the likelihood ----------------------------------------------


class Edge(NamedTuple):
    """An edge from a winner to a loser, or one of the two edges of a tie."""

    source: int
    target: int
    step: int  # 1 for a win, -1 for a tie
    shown: int  # -1 if the source was shown first, else 1


def edges(cells: Mapping[tuple[int, int], Sequence[Any]]) -> list[Edge]:
    """One edge for each pair and outcome that occurred; a tie gives one in each direction."""
    result = set()
    for (i, j), n in cells.items():
        if n[FIRST]:
            result.add(Edge(i, j, 1, -1))
        if n[SECOND]:
            result.add(Edge(j, i, 1, 1))
        if n[TIE]:
            result |= {Edge(i, j, -1, -1), Edge(j, i, -1, 1)}
    return sorted(result)


def links(rows: Iterable[Row]) -> set[tuple[int, int]]:
    """Pairs (winner, loser) of models; ties give both directions."""
    out: set[tuple[int, int]] = set()
    for row in rows:
        out |= {(row.i, row.j)} if row.outcome != SECOND else set()
        out |= {(row.j, row.i)} if row.outcome != FIRST else set()
    return out


def components(size: int, graph: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The strong components of a graph, each sorted, in the order of their first members (Kosaraju, no recursion)."""
    successors: list[list[int]] = [[] for _ in range(size)]
    predecessors: list[list[int]] = [[] for _ in range(size)]
    for i, j in graph:
        successors[i].append(j)
        predecessors[j].append(i)
    seen, order = [False] * size, []
    for start in range(size):
        order += _depth_first(start, successors, seen)
    seen, out = [False] * size, []
    for start in reversed(order):
        if not seen[start]:
            out.append(sorted(_depth_first(start, predecessors, seen)))
    return sorted(out)


def reachable(size: int, graph: Iterable[tuple[int, int]], start: int) -> set[int]:
    """The nodes that can be reached from start, including start."""
    successors: list[list[int]] = [[] for _ in range(size)]
    for i, j in graph:
        successors[i].append(j)
    return {*_depth_first(start, successors, [False] * size)}


def _depth_first(start: int, neighbours: Sequence[Sequence[int]], seen: list[bool]) -> list[int]:
    """Unseen nodes that can be reached from start, in the postorder of a depth-first search; marks them as seen."""
    out: list[int] = []
    if seen[start]:
        return out
    seen[start], stack = True, [(start, iter(neighbours[start]))]
    while stack:
        node, remaining = stack[-1]
        for neighbour in remaining:
            if not seen[neighbour]:
                seen[neighbour] = True
                stack.append((neighbour, iter(neighbours[neighbour])))
                break
        else:
            stack.pop()
            out.append(node)
    return out


def has_unique_maximum(size: int, cells: Mapping[tuple[int, int], Sequence[Any]], biased: bool, tied: bool) -> bool:
    """Whether the likelihood of a strongly connected group has a unique maximum.

    biased: the model has a position bias; tied: it has a parameter for ties, and some battle was a tie.
    """
    graph = edges(cells)
    if tied and _positive_cycle(size, graph, lambda e: e.step) is None:
        return False
    if not biased:
        return True
    negative_cycle = _positive_cycle(size, graph, lambda e: -e.shown)
    if negative_cycle is None or _positive_cycle(size, graph, lambda e: e.shown) is None:
        return False
    return not tied or _no_ratio_exists(size, graph, negative_cycle)


def _no_ratio_exists(size: int, graph: Sequence[Edge], cycle: Sequence[Edge]) -> bool:
    """Whether no ratio r has a + b r <= 0 for every cycle; a is the cycle's sum of step, b of shown.

    cycle: a cycle with b < 0, from which the search starts.
    """
    while True:
        a, b = sum(e.step for e in cycle), sum(e.shown for e in cycle)
        if b >= 0:
            return True
        r = Fraction(-a, b)
        p, q = r.as_integer_ratio()
        next_cycle = _positive_cycle(size, graph, lambda e, p=p, q=q: q * e.step + p * e.shown)  # type: ignore[misc]
        if next_cycle is None:
            return False
        cycle = next_cycle


def _positive_cycle(size: int, graph: Sequence[Edge], weight: Callable[[Edge], int]) -> list[Edge] | None:
    """A cycle of positive weight, or None: Bellman-Ford rounds until the best paths have a cycle or are stable."""
    best, last_edge = [0] * size, [None] * size  # type: list[int], list[Edge | None]
    weights = [(e, weight(e)) for e in graph]
    for _ in range(size + 1):
        improved = False
        for e, w in weights:
            if best[e.source] + w > best[e.target]:
                best[e.target], last_edge[e.target], improved = best[e.source] + w, e, True
        if not improved:
            return None
        cycle = _closed_cycle(last_edge)
        if cycle:
            return cycle
    raise AssertionError("paths of positive weight contain a cycle")


def _closed_cycle(last_edge: Sequence[Edge | None]) -> list[Edge]:
    """A cycle of the last edges of the best paths, or an empty list; any such cycle has positive weight."""
    visited_by = [0] * len(last_edge)  # 0: not visited; else the number of the walk that visited it
    for start in range(len(last_edge)):
        node, walk = start, start + 1
        while visited_by[node] == 0:
            visited_by[node] = walk
            edge = last_edge[node]
            if edge is None:
                break
            node = edge.source
        else:
            if visited_by[node] == walk:
                return _cycle_through(last_edge, node)
    return []


def _cycle_through(last_edge: Sequence[Edge | None], start: int) -> list[Edge]:
    """The cycle through a node, followed backwards."""
    out, node = [], start
    while True:
        edge = last_edge[node]
        assert edge is not None
        out.append(edge)
        node = edge.source
        if node == start:
            return out
