"""Documents as Markdown and as LaTeX, with tables as tabular."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..display.text import printable
from .document import Column, Document, Lines, Table


def page(x: Document) -> str:
    """Markdown of a document: title, tables, sentences, notes."""
    return _document(x, line, table, "  \n")


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
    x = x[len(begin) : len(x) - len(end)]
    fence = "`" * (1 + max(map(len, re.findall("`+", x)), default=0))
    padding = " " * (x[0] == "`" or x[-1] == "`")
    return _escaped(begin) + (fence + padding + x.replace("|", "\\|") + padding + fence) + _escaped(end)


def table(columns: Sequence[Column]) -> str:
    """Markdown table of columns."""
    marks = [" --- |" if c.side == "left" else " ---: |" for c in columns]
    lines = ["| " + " | ".join(text(x.strip()) for x in row) + " |" for row in _rows(columns)]
    return "\n".join([lines[0], "|" + "".join(marks), *lines[1:]])


SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip


def latex(x: Document) -> str:
    """LaTeX of a document: title, tables, sentences, notes."""
    return _document(x, latex_text, latex_table, "\\\\\n")


def latex_text(x: str) -> str:
    """Text with the special characters of LaTeX escaped."""
    escaped = "".join(SPECIAL.get(c, c) for c in printable(x))
    return "{}" + escaped if x[:1] in ("[", "*") else escaped  # after a row, these would be its optional argument


def latex_table(columns: Sequence[Column]) -> str:
    """LaTeX tabular of columns."""
    sides = "".join("l" if c.side == "left" else "r" for c in columns)
    lines = [" & ".join(latex_text(x.strip()) for x in row) + r" \\" for row in _rows(columns)]
    body = [lines[0], r"\hline", *lines[1:]]
    return "\n".join([rf"\begin{{tabular}}{{{sides}}}", r"\hline", *body, r"\hline", r"\end{tabular}"])


def _document(
    x: Document, text: Callable[[str], str], table: Callable[[Sequence[Column]], str], line_break: str
) -> str:
    """Text of a document in a markup language.

    ``text`` escapes a text, ``table`` lays out columns, and ``line_break`` separates the lines of ``Lines``.
    """

    def block(y: Any) -> str:
        if isinstance(y, Table):
            return table(y.columns)
        return line_break.join(map(text, y.lines)) if isinstance(y, Lines) else text(y.text)

    blocks = [text(x.title), *map(block, x.blocks), *map(text, [*x.sentences, *x.notes, *x.explanations])]
    return "\n\n".join(blocks) + "\n"


def _rows(columns: Sequence[Column]) -> list[Sequence[str]]:
    """The line of headers of a table, then its rows."""
    return [[c.header.replace("\n", " ") for c in columns], *zip(*(c.cells for c in columns), strict=True)]
