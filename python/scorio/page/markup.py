"""Elements of HTML: text is escaped unless it is Markup already."""

from __future__ import annotations

import html
from typing import Any


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
