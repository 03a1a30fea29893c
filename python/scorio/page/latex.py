"""Documents as LaTeX: tables as tabular, which needs no package."""

from __future__ import annotations

from collections.abc import Sequence

from ..display.text import printable
from .document import Column, Document, to_markup

SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip


def page(x: Document) -> str:
    """LaTeX of a document: title, tables, sentences, notes."""
    return to_markup(x, text, table, "\\\\\n")


def text(x: str) -> str:
    """Text with the special characters of LaTeX escaped."""
    escaped = "".join(SPECIAL.get(c, c) for c in printable(x))
    return "{}" + escaped if x[:1] in ("[", "*") else escaped  # after a row, these would be its optional argument


def table(columns: Sequence[Column]) -> str:
    """LaTeX tabular of columns."""
    sides = "".join("l" if c.side == "left" else "r" for c in columns)
    rows = [[c.header.replace("\n", " ") for c in columns], *zip(*(c.cells for c in columns), strict=True)]
    lines = [" & ".join(text(x.strip()) for x in row) + r" \\" for row in rows]
    body = [lines[0], r"\hline", *lines[1:]]
    return "\n".join([rf"\begin{{tabular}}{{{sides}}}", r"\hline", *body, r"\hline", r"\end{tabular}"])
