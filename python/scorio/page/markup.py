"""Elements of HTML: escaped text, colours, heat maps as small pictures, and inline SVG of intervals and charts."""

from __future__ import annotations

import html
import struct
import zlib
from collections.abc import Iterable
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from .document import Axis, Chart


def escape(text: str) -> str:
    """HTML of a text; "?" stands for control characters, and for those that reverse the direction of writing."""
    return html.escape("".join(x if x.isprintable() or x in "\n\t\xa0" else "?" for x in text))


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def join(parts: Any) -> Markup:
    """Join parts, also in nested lists, into Markup; other text is escaped."""
    if isinstance(parts, (list, tuple)):
        return Markup("".join(map(join, parts)))
    return parts if isinstance(parts, Markup) else Markup(escape(str(parts)))


def element(name: str, *inner: Any, **attributes: Any) -> Markup:
    """HTML element; empty attributes are left out, class_ is class, data_x is data-x.

    Examples
    --------
    >>> from scorio.page.markup import element
    >>> element("p", "a < b", element("b", "c"), class_="quiet")
    '<p class="quiet">a &lt; b<b>c</b></p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(x))}"'
        for key, x in attributes.items()
        if x not in (None, "")
    )
    return Markup(f"<{name}{written}>{join(inner)}</{name}>")


def breakable(name: str) -> Markup:
    """HTML of a name that may break into lines after its separators."""
    return Markup(escape(name).replace("/", "/<wbr>").replace("_", "_<wbr>").replace(":", ":<wbr>"))


BLUE, VERMILION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"  # of the palette of Okabe and Ito
BETTER, WORSE = BLUE, VERMILION


def mixed(colour: str, ground: str, share: float) -> str:
    """Mix of a share of a colour with a ground, both as #rrggbb.

    Examples
    --------
    >>> from scorio.page import markup
    >>> markup.mixed("#000000", "#ffffff", 0.2)
    '#cccccc'
    """
    parts = zip(bytes.fromhex(colour[1:]), bytes.fromhex(ground[1:]), strict=True)
    return "#" + bytes(round(share * a + (1.0 - share) * b) for a, b in parts).hex()


# cividis at 0, 0.1, ..., 1: dark for low, light for high, also for the colour-blind and in black and white
CIVIDIS = (
    (0, 34, 78), (8, 51, 112), (53, 69, 108), (79, 87, 108), (102, 105, 112), (125, 124, 120), (148, 142, 119),
    (174, 163, 113), (200, 184, 102), (229, 207, 82), (254, 232, 56),
)  # fmt: skip
GREY = (187, 187, 187)  # colour of missing values


def shade(share: float) -> tuple[str, str]:
    """Colour of a share 0..1, and that of text on it: black or white, whichever has more contrast.

    Examples
    --------
    >>> from scorio.page import markup
    >>> markup.shade(0.0), markup.shade(1.0)
    (('#00224e', '#fff'), ('#fee838', '#000'))
    """
    colour = pixels(np.array([share]))[0]
    # sRGB to linear light, then the luminance, as WCAG defines them; at 0.179 black and white text have equal contrast
    linear = np.where(colour <= 10, colour / 255 / 12.92, ((colour / 255 + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ np.array([0.2126, 0.7152, 0.0722]))
    return "#" + bytes(colour.tolist()).hex(), "#000" if luminance > 0.179 else "#fff"


def pixels(shares: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """Colours of shares 0..1, grey for NaN, as three bytes on a further axis."""
    stops = np.linspace(0.0, 1.0, len(CIVIDIS))
    clipped = np.clip(np.nan_to_num(shares), 0.0, 1.0)
    channels = [np.interp(clipped, stops, [c[i] for c in CIVIDIS]) for i in range(3)]
    colours = np.where(np.isnan(shares)[..., None], GREY, np.stack(channels, axis=-1))
    return np.rint(colours).astype(np.uint8)


def png(shares: npt.NDArray[np.float64]) -> bytes:
    """PNG image of rows of shares 0..1, a pixel for each.

    Examples
    --------
    >>> import numpy as np
    >>> from scorio.page import markup
    >>> markup.png(np.array([[0.0, 0.5, 1.0]]))[1:4]
    b'PNG'
    """
    high, wide = shares.shape
    filters = np.zeros((high, 1), np.uint8)  # the first byte of each line: 0, no filter
    lines = np.concatenate([filters, pixels(shares).reshape(high, 3 * wide)], axis=1)
    header = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)  # 8 bits for each of red, green and blue
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


SIZE, MARGINS = (300, 190), (36, 12, 20, 34)  # pixels of a chart; margins left, right, above and below its axes


def drawn_interval(low: float, mid: float, high: float, ends: tuple[float, float]) -> Markup:
    """SVG of an interval: a line from low to high with a dot at mid, on an axis between these ends.

    Examples
    --------
    >>> from scorio.page import markup
    >>> markup.drawn_interval(0.2, 0.3, 0.5, (0.0, 1.0)).count("<circle")
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
    >>> from scorio.page import markup
    >>> from scorio.page.document import Axis, Chart, Trace
    >>> axis = Axis((0.0, 1.0), [(0.0, "0"), (1.0, "1")], "label")
    >>> drawn = markup.chart(Chart("rises", "", [Trace("line", [0, 1], [0.2, 0.8])], axis, axis))
    >>> drawn.count("<path class='line'"), drawn.count("label")
    (1, 4)
    """
    left, right, top, bottom = MARGINS
    wide, high = SIZE[0] - right, SIZE[1] - bottom  # right end of the x axis, lower end of the y axis

    def points(values: Iterable[tuple[float, float]]) -> str:
        return "L".join(f"{position(c.x, a, left, wide):.1f} {position(c.y, b, high, top):.1f}" for a, b in values)

    parts = [f'<svg class="chart" viewBox="0 0 {SIZE[0]} {SIZE[1]}" role="img" aria-label="{html.escape(c.text)}">']
    for value, label in c.y.ticks:
        at = position(c.y, value, high, top)
        parts.append(f"<path class='grid' d='M{left} {at:.1f}H{wide}'/>")
        parts.append(f"<text x='{left - 5}' y='{at + 4:.1f}' text-anchor='end'>{html.escape(label)}</text>")
    for value, label in c.x.ticks:
        at = position(c.x, value, left, wide)
        parts.append(f"<path class='grid' d='M{at:.1f} {top}V{high}'/>")
        parts.append(f"<text x='{at:.1f}' y='{high + 14}' text-anchor='middle'>{html.escape(label)}</text>")
    for trace in c.traces:
        path = points(zip(trace.x, trace.y, strict=True))
        if trace.other is not None:
            path += "L" + points(zip(reversed(trace.x), reversed(trace.other), strict=True)) + "Z"
        parts.append(f"<path class='{trace.kind}' d='M{path}'/>")
    parts.append(
        f"<text x='{(left + wide) / 2}' y='{SIZE[1] - 5}' text-anchor='middle'>{html.escape(c.x.label)}</text>"
    )
    parts.append(f"<text class='label' x='{left}' y='11'>{html.escape(c.y.label)}</text></svg>")
    return Markup("".join(parts))
