"""Documents as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..display.text import printable
from .document import Column, Document, to_markup


def page(x: Document) -> str:
    """Markdown of a document: title, tables, sentences, notes."""
    return to_markup(x, line, table, "  \n")


# words that have this would become mentions, links, issues, commits or formulas
LINKED = re.compile(
    r"(?<!\w)@\w|@[\w-]+\.[a-z]|://|\bwww\.|#\d|\$|\bGH-\d"
    r"|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{7,40}\b|\b\d{40}\b", re.IGNORECASE,
)  # fmt: skip


def line(x: str) -> str:
    """Text at the start of a line, where some characters would begin a list, a rule or a heading."""
    return re.sub(r"^( *)([-+=]|\d+[.)])(?=[-+= ]|$)", lambda m: f"{m[1]}{m[2][:-1]}\\{m[2][-1]}", text(x))


def text(x: str) -> str:
    """Text with the special characters of Markdown escaped; words that would still become links are written as code."""
    # word by word: one pattern of whole words takes the square of the length of a long word
    return re.sub(r"\S+", lambda m: (_word if LINKED.search(m[0]) else _escaped)(m[0]), printable(x))


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
