"""Documents as plain text: numbers aligned, names made to fit, wide tables broken into blocks."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from ..display.names import short_names
from ..display.text import score
from .document import Block, Column, Document, Intervals, Lines, Table

GAP = 2  # spaces between columns
SHORTEST_NAME = 8  # names are not cut below this width
ONE_TABLE = 16  # nor below this width only to fit all columns into one table
NARROWEST, WIDEST = 12, 40  # least and largest width of a column of drawn intervals, in characters
BAR, PLAIN_BAR = ("─", "●"), ("-", "o")  # line and dot of an interval; the second pair where stdout is not UTF-8
MOST_NOTES = 2  # most notes without --explain; if there are more, the last one shown only counts the others


def page(x: Document, width: int = 80, explain: bool = False) -> str:
    """Text of a document; explain adds all notes, and the meaning of its columns and intervals."""
    notes = list(x.notes)
    if not explain and len(notes) > MOST_NOTES:
        notes = [*notes[: MOST_NOTES - 1], f"--explain shows {len(notes) - MOST_NOTES + 1} more notes."]
    sentences = [*x.sentences, *notes, *(x.explanations if explain else [])]
    blocks = [wrap([x.title], width), *(block(y, width) for y in x.blocks)]
    return "\n\n".join([*blocks, *([wrap(sentences, width)] if sentences else [])]) + "\n"


def block(x: Block, width: int) -> str:
    """Text of a part of a document."""
    if isinstance(x, Table):
        return "\n\n".join(tables(x, width))
    return "\n".join(x.lines) if isinstance(x, Lines) else wrap([x.text], width)


def wrap(texts: Iterable[str], width: int) -> str:
    """Wrap texts, each beginning on a new line."""
    return "\n".join(textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False) for text in texts)


def column_width(column: Column) -> int:
    """Width of a column in cells of the terminal."""
    from rich.cells import cell_len

    return max(map(cell_len, [*column.header.split("\n"), *column.cells]))


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
        from rich.cells import cell_len

        fitting = short_names(column.cells, max(SHORTEST_NAME, space), cell_len)
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
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    headed = any(c.header for c in columns)
    table = RichTable(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold", show_header=headed)
    for column in columns:
        options: dict[str, Any] = {
            "no_wrap": headed or column is not columns[-1],
            "vertical": "bottom" if headed else "top",
        }
        table.add_column(Text(column.header), justify=column.side, **options)
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, row))
    needed = sum(column_width(column) + GAP for column in columns)
    space = needed if headed else min(needed, width + GAP)
    console = Console(file=StringIO(), width=space, force_terminal=on_terminal(), force_jupyter=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
