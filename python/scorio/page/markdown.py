"""Documents as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..display.text import printable
from .document import Column, Document, to_markup


def page(x: Document) -> str:
    """Markdown of a document: title, tables, sentences, notes."""
    return to_markup(x, line, table, "  \n")


# words that would become mentions, links, issues, commits or formulas
LINKED = re.compile(
    r"(\S*(?:(?<!\w)@\w|@[\w-]+\.[a-z]|://|\bwww\.|#\d|\$|\bGH-\d"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}\b|\b\d{40}\b)\S*)", re.IGNORECASE,
)  # fmt: skip


def line(x: str) -> str:
    """Text at the start of a line, where some characters would begin a list, a rule or a heading."""
    return re.sub(r"^( *)([-+=]|\d+[.)])(?=[-+= ]|$)", lambda m: f"{m[1]}{m[2][:-1]}\\{m[2][-1]}", text(x))


def text(x: str) -> str:
    """Text with the special characters of Markdown escaped; words that would still become links are written as code."""
    parts = LINKED.split(printable(x))
    return "".join(_word(y) if i % 2 else _escaped(y) for i, y in enumerate(parts))


def _escaped(x: str) -> str:
    return re.sub(r"([\\`*_|<\[\]#>&~])", r"\\\1", x)


def _word(x: str) -> str:
    """A word that would become a link, as code, without the punctuation around it."""
    begin = x[: len(x) - len(x.lstrip("(["))]
    end = x[len(x.rstrip(".,:;)]")) :]
    return _escaped(begin) + _code(x[len(begin) : len(x) - len(end)]) + _escaped(end)


def _code(x: str) -> str:
    """Code span that shows a word unchanged."""
    fence = "`" * (1 + max(map(len, re.findall("`+", x)), default=0))
    padding = " " * (x[0] == "`" or x[-1] == "`")
    return fence + padding + x.replace("|", "\\|") + padding + fence


def table(columns: Sequence[Column]) -> str:
    """Markdown table of columns."""
    marks = [" --- |" if c.side == "left" else " ---: |" for c in columns]
    rows = [[c.header.replace("\n", " ") for c in columns], *zip(*(c.cells for c in columns), strict=True)]
    lines = ["| " + " | ".join(text(x.strip()) for x in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "".join(marks), *lines[1:]])
