"""HTML of results: small tables that stand by themselves, every text escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from .style import SCRIPT, STYLE


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


class Cell(NamedTuple):
    """A cell of a table: what it says, HTML behind that, a class, what it is sorted by, its colour and its text's."""

    said: Any
    drawn: str = ""
    kind: str = ""
    key: float | None = None
    colours: tuple[str, str] | None = None


def cell(x: Any) -> str:
    """A value as the text of a table: six digits of a float, nothing for None."""
    if x is None:
        return ""
    if isinstance(x, float):
        return f"{x:.6g}"
    return str(x)


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[Any]],
    caption: str = "",
    named: int | None = None,
    kind: str = "",
) -> str:
    """An HTML table. Columns of numbers are set to the right.

    Parameters
    ----------
    headers : sequence of str
        One for each column.
    rows : iterable of sequences
        Cells: text, numbers or None, all escaped here; or :class:`Cell`.
    caption : str
        What the table shows.
    named : int, optional
        The column that names the row.
    kind : str
        Classes of the table; "sortable" lets readers sort it.

    Returns
    -------
    str
        A ``table`` element without any reference to something outside of it.

    Examples
    --------
    >>> from scorio.display import html
    >>> html.table(["model", "average"], [["a<b", 0.5]]).count("a&lt;b")
    1
    """
    cells = [[x if isinstance(x, Cell) else Cell(x) for x in row] for row in rows]
    longest = 0 if named is None else max((len(cell(row[named].said)) for row in cells), default=0)
    style = "" if named is None else f' style="--name: {longest + 2}ch"'
    lines = [f"<table{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}{style}>"]
    if caption:
        lines.append(f"<caption>{escape(caption)}</caption>")
    numbers = [all(_is_number(row[i].said) for row in cells) for i in range(len(headers))]
    sides = [f' style="text-align: {"right" if x else "left"}"' for x in numbers]
    said = [h if isinstance(h, Markup) else escape(h) for h in headers]
    heads = [f'<th scope="col"{side}>{h}</th>' for h, side in zip(said, sides, strict=True)]
    lines += ["<thead><tr>", *heads, "</tr></thead>", "<tbody>"]
    for row in cells:
        elements = [_element(x, side, i == named) for i, (x, side) in enumerate(zip(row, sides, strict=True))]
        lines.append("<tr>" + "".join(elements) + "</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def _is_number(x: Any) -> bool:
    return x is None or (isinstance(x, (int, float)) and not isinstance(x, bool))


def _element(x: Cell, side: str, heads: bool) -> str:
    more = (f' class="{x.kind}"' if x.kind else "") + (f' data-key="{x.key!r}"' if x.key is not None else "")
    if x.colours:
        side = ' style="background: {}; color: {}"'.format(*x.colours)
    inner = (_parted(cell(x.said)) if heads else escape(cell(x.said))) + x.drawn
    return f'<th scope="row"{side}{more}>{inner}</th>' if heads else f"<td{side}{more}>{inner}</td>"


def _parted(name: str) -> str:
    """A name that breaks between its parts where there is no room for it."""
    return escape(name).replace("/", "/<wbr>").replace("_", "_<wbr>").replace(":", ":<wbr>")


def of_tuple(x: Any, **more: Any) -> str:
    """A named tuple as a table of one row, its type as caption."""
    fields = dict(zip(x._fields, x, strict=True)) | more
    values = [v if isinstance(v, (int, float, str)) or v is None else _listed(v) for v in fields.values()]
    return table(list(fields), [values], caption=type(x).__name__)


def _listed(x: Any) -> str:
    """A list of questions in a few characters."""
    items = [str(i) for i in x]
    return ", ".join(items[:5]) + (f", … ({len(items)})" if len(items) > 5 else "")


def page(title: str, body: Iterable[str]) -> str:
    """A whole page that needs nothing else: no network, no file. The script only sorts tables."""
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">\n{view}\n<title>{escape(title)}</title>'
    return "\n".join(
        [f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n<style>{STYLE}</style>\n</head>\n<body>\n<main>', *body,
         f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"]
    )  # fmt: skip


def text(element: str, said: str, kind: str = "") -> str:
    """An element with text."""
    return f"<{element}{f' class={kind!r}' if kind else ''}>{escape(said)}</{element}>"


def details(summary: str, inner: Iterable[str]) -> str:
    """What is shown when asked for."""
    return "\n".join([f"<details><summary>{escape(summary)}</summary>", *inner, "</details>"])


def aside(said: str, place: str, called: str) -> str:
    """A quiet paragraph that ends in a link to a place of the same page."""
    return f'<p class="quiet">{escape(said)} <a href="#{escape(place)}">{escape(called)}</a></p>'


def card(heading: str, large: str, sentences: Iterable[str]) -> str:
    """A conclusion: a few large words, and a sentence or two below."""
    lines = ['<div class="card">', text("h2", heading), f'<p class="large">{_parted(large)}</p>']
    return "\n".join([*lines, *(text("p", x) for x in sentences), "</div>"])


def items(sentences: Iterable[str]) -> str:
    """A list."""
    return "<ul>\n" + "\n".join(text("li", x) for x in sentences) + "\n</ul>"


def box(inner: str, label: str) -> str:
    """What scrolls by itself where the page is narrow."""
    return f'<div class="box" tabindex="0" role="region" aria-label="{escape(label)}">\n{inner}\n</div>'


def under(said: str) -> Markup:
    """A second line of a cell, less bold."""
    return Markup(f'<span class="under">{_parted(said)}</span>')


def link(said: str, address: str) -> Markup:
    """A text that leads elsewhere; nothing is loaded from there."""
    return Markup(f'<a href="{escape(address)}" rel="noreferrer">{escape(said)}</a>')


def heat(names: Sequence[str], image: bytes, columns: int, alt: str, key: Sequence[str]) -> str:
    """A picture in the PNG format with a row for each name; key: what stands below, and the ends of its colours."""
    source = f"data:image/png;base64,{b64encode(image).decode()}"
    rows = "".join(text("li", x) for x in names)
    inner = (
        f'<div class="heat" style="--rows: {len(names)}; --columns: {columns}"><ol>{rows}</ol>'
        f'<img src="{source}" alt="{escape(alt)}"></div>'
    )
    below, low, high = map(escape, key)
    said = f'<figcaption>{below} <span class="scale">{low}<i></i>{high}</span></figcaption>'
    return f"<figure>\n{box(inner, alt.partition(':')[0])}\n{said}\n</figure>"


def figure(drawn: str, caption: str) -> str:
    """A chart and what it is of."""
    return f"<figure>{text('figcaption', caption)}{drawn}</figure>"


def grid(parts: Iterable[str], kind: str = "beside") -> str:
    """Parts beside each other, as many as there is room for."""
    return "\n".join([f'<div class="{kind}">', *parts, "</div>"])
