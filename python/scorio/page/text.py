"""Documents as plain text: numbers aligned, names made to fit, wide tables broken into blocks."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from ..display.text import printable, score, short_names
from ..display.text import width as text_width
from .document import Block, Column, Document, Intervals, Lines, Table

GAP = 2  # spaces between columns
SHORTEST_NAME = 8  # names are not cut below this width
ONE_TABLE = 16  # nor below this width only to fit all columns into one table
NARROWEST, WIDEST = 12, 40  # least and largest width of a column of drawn intervals, in characters
BAR, PLAIN_BAR = ("─", "●"), ("-", "o")  # line and dot of an interval; the second pair where stdout is not UTF-8


def page(x: Document, width: int = 80, explain: bool = False) -> str:
    """Text of a document; explain adds the meaning of its columns and intervals."""
    sentences = [*x.sentences, *x.notes, *(x.explanations if explain else [])]
    blocks = [wrap([x.title], width), *(block(y, width) for y in x.blocks)]
    return "\n\n".join([*blocks, *([wrap(sentences, width)] if sentences else [])]) + "\n"


def block(x: Block, width: int) -> str:
    """Text of a part of a document."""
    if isinstance(x, Table):
        return "\n\n".join(tables(printable_table(x), width))
    return "\n".join(map(printable, x.lines)) if isinstance(x, Lines) else wrap([x.text], width)


def printable_table(x: Table) -> Table:
    """Table without control characters, which a terminal would execute."""

    def cleaned(c: Column) -> Column:
        header = "\n".join(map(printable, c.header.split("\n")))
        return replace(c, header=header, cells=[printable(cell) for cell in c.cells])

    return replace(x, lead=[cleaned(c) for c in x.lead], sets=[[cleaned(c) for c in columns] for columns in x.sets])


def wrap(texts: Iterable[str], width: int) -> str:
    """Wrap texts, each beginning on a new line."""
    filled = (textwrap.fill(printable(text), width, break_long_words=False, break_on_hyphens=False) for text in texts)
    return "\n".join(filled)


def column_width(column: Column) -> int:
    """Width of a column in cells of the terminal."""
    return max(map(text_width, [*column.header.split("\n"), *column.cells]))


def table_width(columns: Sequence[Column]) -> int:
    """Width of a table of these columns in cells of the terminal."""
    return sum(column_width(c) + GAP for c in columns) - GAP


def tables(x: Table, width: int) -> list[str]:
    """Texts of one table, or of several where columns do not fit.

    Each begins with the leading columns. The columns of the first set stay together, those of another one unless they
    and the leading columns are too wide. The last text may be sentences on what shortened names leave out.
    """
    lead, sentences = fit_names(x, width)
    first, *sets = [list(columns) for columns in x.sets] or [[]]
    space = width - table_width([*lead, *first, *(c for columns in sets for c in columns)]) - GAP
    first += interval_column(x.intervals, space) if x.intervals else []
    blocks = [[*lead, *first]]
    for columns in sets:
        for piece in [columns] if table_width([*lead, *columns]) <= width else [[column] for column in columns]:
            if table_width(blocks[-1] + piece) <= width:
                blocks[-1] = blocks[-1] + piece
            else:
                blocks.append([*lead, *piece])
    return [*(render_table(columns, width) for columns in blocks), *([wrap(sentences, width)] if sentences else [])]


def fit_names(x: Table, width: int) -> tuple[list[Column], list[str]]:
    """Leading columns with names cut to the available width, and sentences about the parts that are not shown."""
    lead, sentences = list(x.lead), list[str]()
    for i, column in enumerate(lead):
        if not column.names:
            continue
        others = [c for j, c in enumerate(lead) if j != i]
        space = width - table_width([*others, *(c for columns in x.sets for c in columns)]) - GAP
        if space < min(ONE_TABLE, column_width(column)) and x.sets:
            space = width - table_width([*others, *x.sets[0]]) - GAP
        fitting = short_names(column.cells, max(SHORTEST_NAME, space), text_width)
        lead[i] = replace(column, cells=fitting.short)
        sentences += fitting.sentences
    return lead, sentences


def interval_column(x: Intervals, space: int) -> list[Column]:
    """List with a column of intervals drawn in characters.

    Empty if stdout is no terminal, if the space is too small, or if all ends of intervals are equal.
    """
    low, high = min(lo for lo, _, _ in x.values), max(hi for _, _, hi in x.values)
    if not on_terminal() or space < NARROWEST or low == high:
        return []
    line, dot = BAR if "utf" in (sys.stdout.encoding or "").lower() else PLAIN_BAR
    size = min(space, WIDEST)
    positions = [[round((v - low) / (high - low) * (size - 1)) for v in values] for values in x.values]
    bars = [" " * a + line * (m - a) + dot + line * (b - m) for a, m, b in positions]
    first, last = score(low, x.form), score(high, x.form)
    return [Column(first + last.rjust(size - len(first)), bars, "left")]


def on_terminal() -> bool:
    """Whether stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def render_table(columns: Sequence[Column], width: int) -> str:
    """Text of a table: bold headers on a terminal, plain text elsewhere.

    A table without any header wraps its last column where the width is too small.
    """
    headed = any(c.header for c in columns)
    bold, plain = ("\x1b[1m", "\x1b[0m") if on_terminal() else ("", "")
    sizes = [column_width(c) for c in columns]
    if not headed:
        sizes[-1] = max(min(sizes[-1], width - table_width(columns[:-1]) - GAP), NARROWEST)
    headers = [c.header.split("\n") if headed else [] for c in columns]
    tallest = max(map(len, headers))
    heads = zip(*([""] * (tallest - len(x)) + x for x in headers), strict=True)  # headers stand at the bottom
    rows = [bold + _line(head, columns, sizes) + plain for head in heads]
    for *cells, last in zip(*(c.cells for c in columns), strict=True):
        lines = textwrap.wrap(last, sizes[-1], break_on_hyphens=False) if not headed else [last]
        rows += [
            _line(line, columns, sizes) for line in zip_longest(*([x] for x in cells), lines or [""], fillvalue="")
        ]
    return "\n".join(rows)


def _line(cells: Iterable[str], columns: Sequence[Column], sizes: Sequence[int]) -> str:
    """Cells of one line of a table, each padded to the size of its column."""
    padded = []
    for cell, column, size in zip(cells, columns, sizes, strict=True):
        space = size - text_width(cell)
        padded.append(cell + " " * space if column.side == "left" else " " * space + cell)
    return (" " * GAP).join(padded).rstrip()
