"""Pages as Markdown or LaTeX: the same tables and notes, to be put into a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .tables import Column, drawing

WIDE = 1 << 20  # cells of a line that is never too short
SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip


def page(form: str, blocks: Callable[[int], Sequence[str]], notes: Sequence[str]) -> str:
    """Titles and notes as paragraphs, tables as tables."""
    found: list[str] = []

    def table(columns: Sequence[Column]) -> str:
        found.append((markdown if form == "markdown" else latex)(columns))
        return f"\0{len(found) - 1}\0"

    drawing.how.append(table)
    try:
        text = "\n\n".join([*blocks(WIDE), *notes])
    finally:
        drawing.how.pop()
    plain = _markdown_text if form == "markdown" else _latex_text
    parts = re.split(r"\0(\d+)\0", text)
    return "".join(found[int(x)] if i % 2 else plain(x) for i, x in enumerate(parts)).strip() + "\n"


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_|<])", r"\\\1", text)


def _latex_text(text: str) -> str:
    return "".join(SPECIAL.get(c, c) for c in text)


def markdown(columns: Sequence[Column]) -> str:
    """A table with pipes."""
    marks = [" --- |" if c.side == "left" else " ---: |" for c in columns]
    rows = [[c.header.replace("\n", " ") for c in columns], *zip(*(c.cells for c in columns), strict=True)]
    lines = ["| " + " | ".join(_markdown_text(x.strip()) for x in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "".join(marks), *lines[1:]])


def latex(columns: Sequence[Column]) -> str:
    """A tabular, which needs no package."""
    sides = "".join("l" if c.side == "left" else "r" for c in columns)
    rows = [[c.header.replace("\n", " ") for c in columns], *zip(*(c.cells for c in columns), strict=True)]
    lines = [" & ".join(_latex_text(x.strip()) for x in row) + r" \\" for row in rows]
    body = [lines[0], r"\hline", *lines[1:]]
    return "\n".join([rf"\begin{{tabular}}{{{sides}}}", r"\hline", *body, r"\hline", r"\end{tabular}"])
