"""Conditions for a unique maximum of the likelihood, decided on integers by who won against whom.

The conditions: spec/families/battles.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .table import FIRST, SECOND, TIE, Row


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
