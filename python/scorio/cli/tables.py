"""Text for a page of 80 columns: numbers aligned, names made to fit, tables as plain text."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..display.names import short_names
from ..display.text import score

if TYPE_CHECKING:
    from ..results import MetricInterval

GAP = 2
SHORTEST_NAME = 8
NARROWEST, WIDEST = 12, 40  # columns of intervals in characters
BAR, PLAIN_BAR = ("─", "●"), ("-", "o")


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


class Drawing:
    """How tables are drawn; the last one counts."""

    def __init__(self) -> None:
        self.how: list[Callable[[Sequence[Column]], str]] = []


drawing = Drawing()


def wide(columns: Sequence[Column]) -> int:
    """Cells of the terminal that a table of these takes."""
    return sum(c.width + GAP for c in columns) - GAP


def wrapped(notes: Iterable[str], width: int) -> str:
    """Each note from a line of its own."""
    return "\n".join(textwrap.fill(note, width, break_long_words=False, break_on_hyphens=False) for note in notes)


def aligned(numbers: Iterable[str]) -> list[str]:
    """Without the zero before the point, all of one width."""
    texts = [x.replace("0.", ".", 1) if x.startswith(("0.", "-0.", "+0.")) else x for x in numbers]
    return [x.rjust(max(map(len, texts))) for x in texts]


def with_ends(
    digits: str, mu: Iterable[float], lo: Iterable[float], hi: Iterable[float], marks: Iterable[str]
) -> list[str]:
    """.420 [.367, .475] and a mark after each."""
    values = zip(*(aligned(score(x, digits) for x in xs) for xs in (mu, lo, hi)), marks, strict=True)
    return [f"{m} [{a}, {b}]{mark}" for m, a, b, mark in values]


def fitted(header: str, names: Iterable[str], room: int) -> tuple[Column, list[str]]:
    """A column of names that fits the room that is left, but never below 8, and what is not shown of the names."""
    from rich.cells import cell_len

    fitting = short_names(names, max(SHORTEST_NAME, room), cell_len)
    return Column(header, fitting.short, "left"), fitting.said


def drawn(values: Sequence[MetricInterval], form: str, room: int) -> list[Column]:
    """A column of intervals in characters, from the lowest end to the highest: on a terminal that has the room."""
    ends = min(x.lo for x in values), max(x.hi for x in values)
    if not on_terminal() or drawing.how or room < NARROWEST or ends[0] == ends[1]:
        return []
    line, dot = BAR if "utf" in (sys.stdout.encoding or "").lower() else PLAIN_BAR
    size = min(room, WIDEST)

    def at(x: float) -> int:
        return round((x - ends[0]) / (ends[1] - ends[0]) * (size - 1))

    cells = []
    for x in values:
        low, middle, high = (at(v) for v in (x.lo, x.mu, x.hi))
        cells.append(" " * low + line * (middle - low) + dot + line * (high - middle))
    first, last = (score(x, form) for x in ends)
    return [Column(first + last.rjust(size - len(first)), cells, "left")]


def on_terminal() -> bool:
    """Whether people read what is printed."""
    return sys.stdout is not None and sys.stdout.isatty()


def said_below(sentences: Sequence[str], width: int) -> list[str]:
    """A block under a table, or none."""
    return ["\n".join(textwrap.fill(x, width, break_on_hyphens=False) for x in sentences)] if sentences else []


def in_blocks(lead: list[Column], first: list[Column], sets: Sequence[list[Column]], width: int) -> list[str]:
    """One table, or several where the columns do not fit the width, each with lead in front; a set stays together."""
    blocks = [lead + first]
    for columns in sets:
        for piece in [columns] if wide(lead + columns) <= width else [[column] for column in columns]:
            if wide(blocks[-1] + piece) <= width:
                blocks[-1] = blocks[-1] + piece
            else:
                blocks.append(lead + piece)
    return [rendered(block) for block in blocks]


def rendered(columns: Sequence[Column]) -> str:
    """The table as text: bold headers on a terminal, plain text elsewhere; as markup inside of :func:`.markup.page`."""
    if drawing.how:
        return drawing.how[-1](columns)
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(Text(column.header), justify=column.side, vertical="bottom", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    width = sum(column.width + GAP for column in columns)
    console = Console(file=StringIO(), width=width, force_terminal=on_terminal(), force_jupyter=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())
