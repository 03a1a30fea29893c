"""Inline SVG of intervals and charts, which takes the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import log

from .document import Axis, Chart
from .markup import Markup

SIZE, MARGINS = (300, 190), (36, 12, 20, 34)  # pixels of a chart; margins left, right, above and below its axes


def interval(low: float, mid: float, high: float, ends: tuple[float, float]) -> Markup:
    """SVG of an interval: a line from low to high with a dot at mid, on an axis between these ends.

    Examples
    --------
    >>> from scorio.page import svg
    >>> svg.interval(0.2, 0.3, 0.5, (0.0, 1.0)).count("<circle")
    1
    """
    width = (ends[1] - ends[0]) or 1.0  # the axis leaves 3% free at either side, for the dot
    a, m, b = (f"{3 + 94 * min(1.0, max(0.0, (v - ends[0]) / width)):.2f}%" for v in (low, mid, high))
    return Markup(  # strokes are for notebooks, which lack the style of the page
        '<svg class="ci" width="150" height="18" aria-hidden="true">'
        '<line class="axis" stroke="#8886" x1="3%" x2="97%" y1="9" y2="9"/>'
        f'<line class="range" stroke="currentColor" stroke-width="3" x1="{a}" x2="{b}" y1="9" y2="9"/>'
        f'<circle fill="currentColor" cx="{m}" cy="9" r="4"/></svg>'
    )


def position(axis: Axis, value: float, first: float, last: float) -> float:
    """Position of a value on an axis whose ends are at first and last."""
    low, high, x = (log(v) if axis.log else v for v in (*axis.ends, value))
    return first + (last - first) * ((x - low) / ((high - low) or 1.0))


def chart(c: Chart) -> Markup:
    """SVG of a chart: lines and bands over two axes, in the order of its traces.

    Examples
    --------
    >>> from scorio.page import svg
    >>> from scorio.page.document import Axis, Chart, Trace
    >>> axis = Axis((0.0, 1.0), [(0.0, "0"), (1.0, "1")], "label")
    >>> drawn = svg.chart(Chart("rises", "", [Trace("line", [0, 1], [0.2, 0.8])], axis, axis))
    >>> drawn.count("<path class='line'"), drawn.count("label")
    (1, 4)
    """
    left, right, top, bottom = MARGINS
    wide, high = SIZE[0] - right, SIZE[1] - bottom  # right end of the x axis, lower end of the y axis

    def points(values: Iterable[tuple[float, float]]) -> str:
        return "L".join(f"{position(c.x, a, left, wide):.1f} {position(c.y, b, high, top):.1f}" for a, b in values)

    parts = [f'<svg class="chart" viewBox="0 0 {SIZE[0]} {SIZE[1]}" role="img" aria-label="{escape(c.text)}">']
    for value, label in c.y.ticks:
        at = position(c.y, value, high, top)
        parts.append(f"<path class='grid' d='M{left} {at:.1f}H{wide}'/>")
        parts.append(f"<text x='{left - 5}' y='{at + 4:.1f}' text-anchor='end'>{escape(label)}</text>")
    for value, label in c.x.ticks:
        at = position(c.x, value, left, wide)
        parts.append(f"<path class='grid' d='M{at:.1f} {top}V{high}'/>")
        parts.append(f"<text x='{at:.1f}' y='{high + 14}' text-anchor='middle'>{escape(label)}</text>")
    for trace in c.traces:
        path = points(zip(trace.x, trace.y, strict=True))
        if trace.other is not None:
            path += "L" + points(zip(reversed(trace.x), reversed(trace.other), strict=True)) + "Z"
        parts.append(f"<path class='{trace.kind}' d='M{path}'/>")
    parts.append(f"<text x='{(left + wide) / 2}' y='{SIZE[1] - 5}' text-anchor='middle'>{escape(c.x.label)}</text>")
    parts.append(f"<text class='label' x='{left}' y='11'>{escape(c.y.label)}</text></svg>")
    return Markup("".join(parts))
