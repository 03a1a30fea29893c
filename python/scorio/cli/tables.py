"""Text for a page of 80 columns: numbers aligned, names cut in the middle, tables drawn plain."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Literal, NamedTuple

from ..display.text import cut, digits, number, percent, printable

__all__ = ["cut", "digits", "number", "percent", "printable"]  # that commands write with, too

GAP = 2
SHORTEST_NAME = 8
MARKS = {"measured": " ", "beta-binomial": "~", "upper bound": "*"}


class Column(NamedTuple):
    """A header of one or two lines over cells."""

    header: str
    cells: list[str]
    side: Literal["left", "right"] = "right"

    @property
    def width(self) -> int:
        """Cells of the terminal that it takes."""
        from rich.cells import cell_len

        return max(map(cell_len, [*self.header.split("\n"), *self.cells]))


def wide(columns: Sequence[Column]) -> int:
    """Cells of the terminal that a table of these takes."""
    return sum(c.width + GAP for c in columns) - GAP


def wrapped(notes: Iterable[str], width: int) -> str:
    """Each note from a line of its own."""
    return "\n".join(textwrap.fill(note, width, break_long_words=False, break_on_hyphens=False) for note in notes)


def aligned(numbers: Iterable[str]) -> list[str]:
    """Without the zero before the point, all of one width."""
    shown = [x.replace("0.", ".", 1) if x.startswith(("0.", "-0.", "+0.")) else x for x in numbers]
    return [x.rjust(max(map(len, shown))) for x in shown]


def with_ends(
    digits: str, mu: Iterable[float], lo: Iterable[float], hi: Iterable[float], marks: Iterable[str]
) -> list[str]:
    """.420 [.367, .475] and a mark after each."""
    values = zip(*(aligned(format(x, digits) for x in xs) for xs in (mu, lo, hi)), marks, strict=True)
    return [f"{m} [{a}, {b}]{mark}" for m, a, b, mark in values]


def fitted(header: str, names: Iterable[str], room: int) -> Column:
    """A column of names, cut to the room that is left, but never below 8."""
    from rich.cells import cell_len

    room = max(SHORTEST_NAME, room)
    return Column(header, [cut(printable(x), room, cell_len) for x in names], "left")


def in_blocks(lead: list[Column], first: list[Column], groups: Sequence[list[Column]], width: int) -> list[str]:
    """One table, or where the columns do not fit in width several, each with lead in front; groups stay together."""
    blocks = [lead + first]
    for group in groups:
        for piece in [group] if wide(lead + group) <= width else [[column] for column in group]:
            if wide(blocks[-1] + piece) <= width:
                blocks[-1] = blocks[-1] + piece
            else:
                blocks.append(lead + piece)
    return [drawn(block) for block in blocks]


def drawn(columns: Sequence[Column]) -> str:
    """The table; bold headers on a terminal, plain text elsewhere."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(column.header), justify=column.side, vertical="bottom", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    width = sum(column.width + GAP for column in columns)
    terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(file=StringIO(), width=width, force_terminal=terminal, force_jupyter=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
