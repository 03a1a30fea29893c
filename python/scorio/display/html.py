"""HTML of results: small tables that stand by themselves, every text escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def cell(x: Any) -> str:
    """A value as the text of a table: six digits of a float, nothing for None."""
    if x is None:
        return ""
    if isinstance(x, float):
        return f"{x:.6g}"
    return str(x)


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "", named: int | None = None) -> str:
    """An HTML table. Columns of numbers are set to the right.

    Parameters
    ----------
    headers : sequence of str
        One for each column.
    rows : iterable of sequences
        Cells: text, numbers or None, all escaped here.
    caption : str
        What the table shows.
    named : int, optional
        The column that names the row.

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
    cells = [list(row) for row in rows]
    longest = 0 if named is None else max((len(cell(row[named])) for row in cells), default=0)
    lines = ["<table>" if named is None else f'<table style="--name: {longest + 2}ch">']
    if caption:
        lines.append(f"<caption>{escape(caption)}</caption>")
    numbers = [all(_is_number(row[i]) for row in cells) for i in range(len(headers))]
    sides = [f' style="text-align: {"right" if x else "left"}"' for x in numbers]
    heads = [f'<th scope="col"{side}>{escape(h)}</th>' for h, side in zip(headers, sides, strict=True)]
    lines += ["<thead><tr>", *heads, "</tr></thead>", "<tbody>"]
    for row in cells:
        elements = [_element(x, side, i == named) for i, (x, side) in enumerate(zip(row, sides, strict=True))]
        lines.append("<tr>" + "".join(elements) + "</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])


def _is_number(x: Any) -> bool:
    return x is None or (isinstance(x, (int, float)) and not isinstance(x, bool))


def _element(x: Any, side: str, heads: bool) -> str:
    return f'<th scope="row"{side}>{escape(cell(x))}</th>' if heads else f"<td{side}>{escape(cell(x))}</td>"


def of_tuple(x: Any, **more: Any) -> str:
    """A named tuple as a table of one row, its type as caption."""
    fields = dict(zip(x._fields, x, strict=True)) | more
    values = [v if isinstance(v, (int, float, str)) or v is None else _listed(v) for v in fields.values()]
    return table(list(fields), [values], caption=type(x).__name__)


def _listed(x: Any) -> str:
    """A list of questions in a few characters."""
    items = [str(i) for i in x]
    return ", ".join(items[:5]) + (f", … ({len(items)})" if len(items) > 5 else "")


STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #1a1a1a; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; border-bottom: 1px solid #bbb; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p, li { max-width: 46rem; overflow-wrap: anywhere; }
.lead { font-size: 1.1rem; }
.box { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
caption { text-align: left; font-weight: 600; padding: 0.25rem 0; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #ddd; vertical-align: top; white-space: nowrap; }
thead th { border-bottom: 2px solid #1a1a1a; vertical-align: bottom; white-space: pre; }
th[scope=row] { font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: min(var(--name), 22rem); }
figure { margin: 0.75rem 0; }
figcaption { max-width: 46rem; font-size: 0.9rem; }
img { display: block; max-width: 100%; height: auto; }
pre { overflow-x: auto; background: #f3f3f3; padding: 0.5rem 0.75rem; }
summary { cursor: pointer; }
@media (max-width: 720px) { main { padding: 0.5rem 0.75rem 2rem; } img { max-width: none; }
  th[scope=row] { min-width: min(var(--name), 11rem); } }
@media print {
  main { max-width: none; padding: 0; } .box { overflow: visible; } body { font-size: 10pt; }
  h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; } table { font-size: 7.5pt; }
  th, td { white-space: normal; padding-right: 0.4rem; } thead th { white-space: pre-line; }
  th[scope=row] { min-width: min(var(--name), 8rem); } img { max-height: 23cm; width: auto; }
}
"""  # noqa: E501


def page(title: str, body: Iterable[str]) -> str:
    """A whole page that needs nothing else: no network, no script."""
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">\n{view}\n<title>{escape(title)}</title>'
    return "\n".join(
        [f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n<style>{STYLE}</style>\n</head>\n<body>\n<main>', *body,
         "</main>\n</body>\n</html>\n"]
    )  # fmt: skip


def text(element: str, said: str, kind: str = "") -> str:
    """An element with text."""
    return f"<{element}{f' class={kind!r}' if kind else ''}>{escape(said)}</{element}>"


def items(sentences: Iterable[str]) -> str:
    """A list."""
    return "<ul>\n" + "\n".join(text("li", x) for x in sentences) + "\n</ul>"


def box(inner: str, label: str) -> str:
    """What scrolls by itself where the page is narrow."""
    return f'<div class="box" tabindex="0" role="region" aria-label="{escape(label)}">\n{inner}\n</div>'


def picture(kind: str, data: bytes, width: float, height: float, alt: str, caption: str = "") -> str:
    """An image within the page; its size in CSS pixels."""
    source = f"data:image/{kind};base64,{b64encode(data).decode()}"
    image = f'<img src="{source}" width="{width:.0f}" height="{height:.0f}" alt="{escape(alt)}">'
    said = f"\n{text('figcaption', caption)}" if caption else ""
    return f"<figure>\n{box(image, alt.partition(':')[0])}{said}\n</figure>"
