"""Intervals within a line of text, and charts: inline SVG that takes the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import log
from typing import NamedTuple

from .html import Markup

WIDTH, HEIGHT = 150, 18  # of an interval, in CSS pixels
SIZE, CHART = (300, 190), (36, 12, 20, 34)  # of a chart; left, right, over and under its axes


def interval(low: float, mid: float, high: float, ends: tuple[float, float]) -> Markup:
    """A line from low to high with a dot at mid, on an axis between these ends.

    Examples
    --------
    >>> from scorio.display import svg
    >>> svg.interval(0.2, 0.3, 0.5, (0.0, 1.0)).count("<circle")
    1
    """
    span = (ends[1] - ends[0]) or 1.0
    x, m, y = (4 + (WIDTH - 8) * min(1.0, max(0.0, (v - ends[0]) / span)) for v in (low, mid, high))
    middle = HEIGHT / 2
    return Markup(
        f'<svg class="ci" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">'
        f'<path class="axis" stroke="#8886" d="M4 {middle}H{WIDTH - 4}"/>'  # where no style says how: in a notebook
        f'<path class="range" stroke="currentColor" stroke-width="3" d="M{x:.1f} {middle}H{y:.1f}"/>'
        f'<circle fill="currentColor" cx="{m:.1f}" cy="{middle}" r="4"/></svg>'
    )


class Axis(NamedTuple):
    """Its ends, its ticks and what they say, its label; log: equal ratios are equally far apart."""

    ends: tuple[float, float]
    ticks: Sequence[tuple[float, str]]
    label: str
    log: bool = False

    def place(self, value: float, first: float, last: float) -> float:
        """Where a value stands between the places of the ends."""
        low, high, x = (log(v) if self.log else v for v in (*self.ends, value))
        return first + (last - first) * ((x - low) / ((high - low) or 1.0))


class Trace(NamedTuple):
    """A line over x; with other ends a band between both. kind: its class in the style of the page."""

    kind: str
    x: Sequence[float]
    y: Sequence[float]
    other: Sequence[float] | None = None


def chart(traces: Sequence[Trace], x: Axis, y: Axis, alt: str) -> Markup:
    """Lines and bands over two axes, in the order given.

    Examples
    --------
    >>> from scorio.display.svg import Axis, Trace, chart
    >>> axis = Axis((0.0, 1.0), [(0.0, "0"), (1.0, "1")], "label")
    >>> drawn = chart([Trace("line", [0, 1], [0.2, 0.8])], axis, axis, "rises from 0.2 to 0.8")
    >>> drawn.count("<path class='line'"), drawn.count("label")
    (1, 4)
    """
    left, right, top, bottom = CHART
    wide, high = SIZE[0] - right, SIZE[1] - bottom

    def points(at: Iterable[tuple[float, float]]) -> str:
        return "L".join(f"{x.place(a, left, wide):.1f} {y.place(b, high, top):.1f}" for a, b in at)

    parts = [f'<svg class="chart" viewBox="0 0 {SIZE[0]} {SIZE[1]}" role="img" aria-label="{escape(alt)}">']
    for value, said in y.ticks:
        at = y.place(value, high, top)
        parts.append(f"<path class='grid' d='M{left} {at:.1f}H{wide}'/>")
        parts.append(f"<text x='{left - 5}' y='{at + 4:.1f}' text-anchor='end'>{escape(said)}</text>")
    for value, said in x.ticks:
        at = x.place(value, left, wide)
        parts.append(f"<path class='grid' d='M{at:.1f} {top}V{high}'/>")
        parts.append(f"<text x='{at:.1f}' y='{high + 14}' text-anchor='middle'>{escape(said)}</text>")
    for kind, xs, ys, other in traces:
        path = points(zip(xs, ys, strict=True))
        if other is not None:
            path += "L" + points(zip(reversed(xs), reversed(other), strict=True)) + "Z"
        parts.append(f"<path class='{kind}' d='M{path}'/>")
    parts.append(f"<text x='{(left + wide) / 2}' y='{SIZE[1] - 5}' text-anchor='middle'>{escape(x.label)}</text>")
    parts.append(f"<text class='label' x='{left}' y='11'>{escape(y.label)}</text></svg>")
    return Markup("".join(parts))
