"""Pages as self-contained HTML: every text is escaped, nothing is loaded from elsewhere."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from ..display.text import Names, score, short_names
from .document import (
    Cards,
    Chart,
    Column,
    Document,
    Group,
    Heading,
    HeatMap,
    Lines,
    Paragraph,
    Remark,
    Section,
    Table,
)  # fmt: skip
from .markup import BETTER, BLUE, WORSE, Markup, breakable, chart, drawn_interval, element, join, mixed, png, shade

# characters: parts that all names share are left out if some name is longer than TIGHT; a name beyond LONGEST is cut
TIGHT, LONGEST = 20, 40
STACKED = 5  # a table of at least so many columns is stacked on a narrow page: a label before each cell
SCOPE = ":is(#scorio, .scorio)"  # HTML of a notebook; no element has this id
COMMA = re.compile(r",\s*(?![^(]*\))")  # between selectors, not within parentheses
LIMITS = re.compile(r"(.*?) (\[.*)")  # a value and its interval, which become two lines of a cell


def page(title: str, body: Iterable[Any]) -> str:
    """HTML page that needs no other file. Its script only sorts tables."""
    script = (files(__package__) / "page.js").read_text(encoding="utf-8")
    head = [
        Markup('<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'),
        element("title", title), element("style", Markup(style())),
    ]  # fmt: skip
    main = element("main", element("h1", title), "\n", [(block(x), Markup("\n")) for x in body])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n{element("head", head)}\n'
        f"{element('body', main, element('script', Markup(script)))}\n</html>\n"
    )


@cache
def style() -> str:
    """The style of a page, with the colours of better and worse on a light ground, a dark one, and on paper."""
    light = _colours(BLUE, "#ffffff", 0.2)
    dark = _colours(mixed(BLUE, "#ffffff", 0.6), "#141414", 0.45)
    by_ground = f"{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n@media print {{ {light} }}\n"
    return by_ground + (files(__package__) / "page.css").read_text(encoding="utf-8")


def _colours(mark: str, ground: str, share: float) -> str:
    """Rule with the colours of lines, and of better and worse mixed with the ground."""
    better, worse = (mixed(x, ground, share) for x in (BETTER, WORSE))
    return f":root {{ --mark: {mark}; --better: {better}; --worse: {worse}; }}"


@cache
def scoped_style() -> str:
    """The style of a page for a part of another page: it does not apply outside, and nothing from there applies inside.

    Every selector gets the specificity of an id, so that it prevails over the style of a notebook.
    """
    in_pixels = re.sub(r"([\d.]+)rem\b", lambda m: f"{16 * float(m[1]):g}px", style())
    reset = f"{SCOPE} {{ all: initial; display: block; }}\n{SCOPE} :where(:not(svg, svg *)) {{ all: revert; }}\n"
    # a container has no width of its own: in a box that fits its content, such as one of ipywidgets, it would be 0
    fitting = f"{SCOPE} {{ min-width: 320px; }}\n{SCOPE} > div {{ padding: 0; }}\n"
    return reset + re.sub(r"[^{}]+(?=\{)", _scoped, in_pixels) + fitting


def _scoped(m: re.Match[str]) -> str:
    """Selectors of a rule, each within the scope; conditions such as @media as they are."""
    selectors = m[0].strip()
    if selectors.startswith("@"):
        return m[0]
    within = {":root": SCOPE, "body": SCOPE, "main": f"{SCOPE} > div"}
    return "\n" + ", ".join(within.get(x, f"{SCOPE} {x}") for x in COMMA.split(selectors)) + " "


def fragment(title: Markup, body: Iterable[Any]) -> Markup:
    """HTML for a notebook, with its own style; its ids begin with a digest of its text, so that they are its own."""
    inner = element("div", title, "\n", [(block(x), Markup("\n")) for x in body])
    own = rf"\1s{sha256(inner.encode()).hexdigest()[:8]}-"
    inner = Markup(re.sub(r'( (?:id|aria-labelledby)="| href="#)', own, inner))  # quotes in texts are escaped
    return element("div", element("style", Markup(scoped_style())), inner, class_="scorio")


def document(x: Document) -> Markup:
    """HTML of a result for a notebook."""
    return fragment(element("h3", x.title), [*x.blocks, *map(Paragraph, x.sentences), *map(Remark, x.notes)])


def block(x: Any) -> Markup:
    """HTML of a part of a page."""
    if isinstance(x, Table):
        return box(table(x), x.caption)
    if isinstance(x, Section):
        inner, name = [(block(y), Markup("\n")) for y in x.blocks], anchor(x.heading)
        if x.folded:
            return element("details", element("summary", x.heading), inner)
        head = element("h2", x.heading, id=name)
        return element("section", head, Markup("\n"), inner, aria_labelledby=name)
    if isinstance(x, Group):
        return element("div", [block(y) for y in x.blocks], class_=x.kind)
    if isinstance(x, Cards):
        cards = []
        for y in x.cards:
            large, texts = element("p", breakable(y.large), class_="large"), [element("p", z) for z in y.sentences]
            cards.append(element("div", element("h2", y.heading), large, texts, class_="card"))
        return element("div", cards, class_="cards")
    if isinstance(x, Chart):
        return element("figure", element("figcaption", x.caption), chart(x))
    if isinstance(x, HeatMap):
        return _heat(x)
    if isinstance(x, Lines):
        return element("ul", [element("li", y) for y in x.lines])
    if isinstance(x, Remark):
        link = [" ", element("a", x.link[0], href=f"#{anchor(x.link[1])}")] if x.link else []
        return element("p", x.text, link, class_="quiet")
    if isinstance(x, Heading):
        return element("h3", x.text, id=x.name)
    return element("p", x.text)


def anchor(heading: str) -> str:
    """HTML id of a heading, to which links lead."""
    return "-".join(re.findall(r"\w+", heading.lower()))


def box(inner: Markup, label: str) -> Markup:
    """HTML of a box around a wide element, which scrolls sideways on its own where the page is narrow."""
    return element("div", inner, class_="box", tabindex=0, role="region", aria_label=label or "Table")


def names_on_page(names: Iterable[Any]) -> Names:
    """Names as a page shows them: parts that all share are left out, and as little as possible is cut."""
    names = list(names)
    attempts = (short_names(names, width) for width in range(TIGHT, LONGEST, 4))
    uncut = (x for x in attempts if not x.alike and not any("…" in name for name in x.short))
    return next(uncut, None) or short_names(names, LONGEST)


def table(x: Table) -> Markup:
    """HTML table; a cell with an interval has two lines, and intervals are drawn after the first set of columns."""
    drawn = x.intervals is not None and bool(x.intervals.values)
    stacked = not x.kind and len(x.columns) + drawn >= STACKED
    lead, *sets = ([_column(c, stacked) for c in columns] for columns in (x.lead, *(x.sets or [[]])))
    if x.intervals is not None and x.intervals.values:
        values, form = x.intervals.values, x.intervals.form
        ends = min(lo for lo, _, _ in values), max(hi for _, _, hi in values)
        axis = element("span", [element("span", score(y, form)) for y in ends], class_="ends")
        bars = [element("td", drawn_interval(lo, mu, hi, ends), class_="drawn") for lo, mu, hi in values]
        sets[0].append((element("th", axis, scope="col", class_="drawn"), bars))
    headers, cells = zip(*lead, *(c for columns in sets for c in columns), strict=True)
    longest = max((len(name) for c in x.lead if c.names for name in names_on_page(c.cells).short), default=0)
    kinds = [x.kind, "" if x.kind or len(cells[0]) < 2 else "sortable", "stack" if stacked else ""]
    head = element("thead", element("tr", headers)) if any(c.header for c in x.columns) else ""
    rows = [Markup("\n" + element("tr", row)) for row in zip(*cells, strict=True)]
    width = f"--name: {longest + 4}ch" if longest else ""  # width of the names in the style of the page, with slack
    return element("table", head, element("tbody", rows), class_=" ".join(filter(None, kinds)), style=width)


def _column(c: Column, stacked: bool) -> tuple[Markup, list[Markup]]:
    """Header and cells of a column; those of a table that may be stacked have the header as their label."""
    label = " ".join(c.header.split()).replace("- ", "") if stacked else ""
    texts = names_on_page(c.cells).short if c.names else [" ".join(x.split()) for x in c.cells]
    out = []
    for i, text in enumerate(texts):
        value, limits = m.groups() if not c.names and (m := LIMITS.fullmatch(text)) else (text, "")
        inner: Any = breakable(value) if c.side == "left" else value
        if c.links:
            inner = element("a", inner, href=c.links[i], rel="noreferrer")
        kind, share, style = c.kinds[i] if c.kinds else "", c.shares[i] if c.shares else None, ""
        if share is not None:
            style = "background: {}; color: {}".format(*shade(share))
        below, kind_below = (c.texts[i], "text") if c.texts else (limits, "under")
        more = element("span", below, class_=kind_below) if below else ""
        out.append(
            element("th", inner, scope="row", data_label=label) if c.names
            else element("td", inner, more, class_=f"{'' if c.side == 'left' else 'right'} {kind}".strip(), style=style,
                         data_label=label)
        )  # fmt: skip
    lines = [(Markup("<br>") if i else "", line) for i, line in enumerate(c.header.split("\n"))]
    return element("th", lines, scope="col", class_="" if c.side == "left" else "right"), out


def _heat(x: HeatMap) -> Markup:
    """Heat map: a picture with a pixel for each value, which the page stretches."""
    source = f"data:image/png;base64,{b64encode(png(x.shares)).decode()}"
    rows, columns = x.shares.shape
    names = element("ol", [element("li", name) for name in x.names])
    inner = element("div", names, Markup(f'<img src="{source}" alt="{join(x.text)}">'), class_="heat",
                    style=f"--rows: {rows}; --columns: {columns}")  # fmt: skip
    caption, low, high = x.key
    key = element("span", low, Markup("<i></i>"), high, class_="scale")
    return element("figure", box(inner, x.text.partition(":")[0]), element("figcaption", caption, " ", key))


def table_of_tuple(x: Any) -> str:
    """HTML table of one row: the fields of a named tuple; the caption is its type."""
    fields = x._asdict()
    return table_of_rows(list(fields), [list(fields.values())], type(x).__name__)


def table_of_rows(headers: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """HTML table of values: floats with six significant digits, an empty cell for None, five entries of a list."""
    sides = [
        "right" if all(isinstance(x, (int, float, type(None))) for x in xs) else "" for xs in zip(*rows, strict=True)
    ]
    head = [element("th", h, scope="col", class_=side) for h, side in zip(headers, sides, strict=True)]
    body = [
        element("tr", [element("td", _cell(x), class_=side) for x, side in zip(row, sides, strict=True)])
        for row in rows
    ]
    title = element("caption", caption) if caption else ""
    return element("table", title, element("thead", element("tr", head)), element("tbody", body))


def _cell(x: Any) -> str:
    if x is None or isinstance(x, str):
        return x or ""
    if isinstance(x, (int, float)):
        return f"{x:.6g}" if isinstance(x, float) else str(x)
    items = [str(i) for i in x]
    return ", ".join(items[:5]) + (f", … ({len(items)})" if len(items) > 5 else "")
