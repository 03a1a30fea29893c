"""Pages as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .document import Column, Document, written


def page(x: Document) -> str:
    """Markdown of a page: title, tables, sentences, notes."""
    return written(x, text, table, "  \n")


ALIVE = re.compile(r"(\S*(?:(?<!\w)@\w|@[\w-]+\.[a-z]|://|\bwww\.|#\d)\S*)", re.IGNORECASE)  # mentions, links, issues


def text(x: str) -> str:
    """Text with the special characters of Markdown escaped; words that would become links even so are code."""
    parts = ALIVE.split(x)
    return "".join(_code(y) if i % 2 else re.sub(r"([\\`*_|<\[\]#>&~])", r"\\\1", y) for i, y in enumerate(parts))


def _code(x: str) -> str:
    """Code span of a word, which is shown as it is."""
    fence = "`" * (1 + max(map(len, re.findall("`+", x)), default=0))
    room = " " * (x[0] == "`" or x[-1] == "`")
    return fence + room + x.replace("|", "\\|") + room + fence


def table(columns: Sequence[Column]) -> str:
    """Markdown table of columns."""
    marks = [" --- |" if c.side == "left" else " ---: |" for c in columns]
    rows = [[c.header.replace("\n", " ") for c in columns], *zip(*(c.cells for c in columns), strict=True)]
    lines = ["| " + " | ".join(text(x.strip()) for x in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "".join(marks), *lines[1:]])
