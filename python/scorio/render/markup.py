"""HTML elements: text is escaped unless it is Markup already."""

from __future__ import annotations

from html import escape
from typing import Any


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def joined(parts: Any) -> Markup:
    """One after the other, lists within lists too; what is no Markup is escaped."""
    if isinstance(parts, (list, tuple)):
        return Markup("".join(map(joined, parts)))
    return parts if isinstance(parts, Markup) else Markup(escape(str(parts)))


def element(name: str, *inner: Any, **attributes: Any) -> Markup:
    """An element; attributes that are empty are left out, class_ is class, data_x is data-x.

    Examples
    --------
    >>> from scorio.render.markup import element
    >>> element("p", "a < b", element("b", "c"), class_="quiet")
    '<p class="quiet">a &lt; b<b>c</b></p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(x))}"'
        for key, x in attributes.items()
        if x not in (None, "")
    )
    return Markup(f"<{name}{written}>{joined(inner)}</{name}>")


def breaking(name: str) -> Markup:
    """A name that breaks between its parts where there is no room for it."""
    return Markup(escape(name).replace("/", "/<wbr>").replace("_", "_<wbr>").replace(":", ":<wbr>"))
