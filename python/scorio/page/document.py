"""Documents before they become text, HTML, Markdown or LaTeX: a title, blocks, sentences and notes, all of strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class Column:
    """Column of a table: a header of one line or two, and cells.

    Attributes
    ----------
    header : str; lines are separated by a line feed
    cells : sequence of str; cell for each row of the table
    side : {"left", "right"}; alignment of the cells in their column
    names : bool; whether the cells are names, which are shortened where they do not fit
    kinds : sequence of str
        Meaning of each cell, for its background in HTML: "better", "worse" (coloured in maps only), "none" (no
        background), "name" (a long name, which may break), or "" (that of the table).
    shares : sequence of (float or None)
        Position of each value between the lowest (0) and the highest (1), for the colour of its cell in HTML; None: no
        colour.
    links : sequence of str; the address to which each cell leads in HTML
    texts : sequence of str; the line below each cell in HTML
    """

    header: str
    cells: Sequence[str]
    side: Literal["left", "right"] = "right"
    names: bool = False
    kinds: Sequence[str] = ()
    shares: Sequence[float | None] = ()
    links: Sequence[str] = ()
    texts: Sequence[str] = ()


@dataclass(frozen=True)
class Intervals:
    """Intervals to draw beside a table, in HTML and on a terminal that is wide enough."""

    values: Sequence[tuple[float, float, float]]  # lo, mu, hi
    form: str  # format specification of the numbers, such as .3f


@dataclass(frozen=True)
class Table:
    """Table: leading columns, and sets of columns that stay together where the width is too small for all.

    Attributes
    ----------
    lead : sequence of Column; columns with which every part of the table begins, where it is broken into parts
    sets : sequence of sequences of Column; columns that stay together, as far as the width allows
    caption : str; caption of the table, for HTML
    intervals : Intervals or None
        Drawn to the right of the first set of columns, in HTML and on a terminal that is wide enough.
    kind : str
        Classes of the table in HTML: "map" (narrow columns), "map large" (narrower ones), "shades" (cells coloured by
        value), or "".
    """

    lead: Sequence[Column]
    sets: Sequence[Sequence[Column]]
    caption: str = ""
    intervals: Intervals | None = None
    kind: str = ""

    @property
    def columns(self) -> list[Column]:
        """All columns of the table: the leading ones, then those of every set."""
        return [*self.lead, *(c for columns in self.sets for c in columns)]


@dataclass(frozen=True)
class Lines:
    """Lines that are not wrapped; in HTML the items of a list."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of sentences."""

    text: str


@dataclass(frozen=True)
class Remark(Paragraph):
    """A paragraph in grey, which may end in a link: its text, and the heading of the section to which it leads."""

    link: tuple[str, str] | None = None


@dataclass(frozen=True)
class Heading(Paragraph):
    """Heading of a part of a section; name is its id in HTML, to which links can lead."""

    name: str = ""


@dataclass(frozen=True)
class Card:
    """A conclusion: a heading, a few large words, and sentences below."""

    heading: str
    large: str
    sentences: Sequence[str]


@dataclass(frozen=True)
class Cards:
    """Conclusions beside each other."""

    cards: Sequence[Card]

    @property
    def text(self) -> str:
        """Text of the cards as sentences."""
        return " ".join(f"{x.heading}: {x.large}. {' '.join(x.sentences)}" for x in self.cards)


@dataclass(frozen=True)
class Axis:
    """An axis: its ends, its ticks (value and text), its label, and whether its scale is logarithmic."""

    ends: tuple[float, float]
    ticks: Sequence[tuple[float, str]]
    label: str
    log: bool = False


@dataclass(frozen=True)
class Trace:
    """A line of y over x, or a band from y to other; kind is its class in the CSS of the page."""

    kind: str
    x: Sequence[float]
    y: Sequence[float]
    other: Sequence[float] | None = None


@dataclass(frozen=True)
class Chart:
    """A chart of lines and bands over two axes; ``text`` says in words what it shows."""

    text: str
    caption: str
    traces: Sequence[Trace]
    x: Axis
    y: Axis


@dataclass(frozen=True)
class HeatMap:
    """A heat map of shares 0..1 with a row for each name.

    ``text`` says in words what it shows; ``key`` is its caption and the values at both ends of the colours.
    """

    text: str
    names: Sequence[str]
    shares: npt.NDArray[np.float64]
    key: tuple[str, str, str]


@dataclass(frozen=True)
class Group:
    """Blocks below each other ("list"), or side by side: wide ("beside"), narrower ("lists") or narrowest ("small")."""

    kind: Literal["beside", "small", "lists", "list"]
    blocks: Sequence[Any]


@dataclass(frozen=True)
class Section:
    """A heading over blocks; folded: HTML hides them until they are opened."""

    heading: str
    blocks: Sequence[Any]
    folded: bool = False


Block: TypeAlias = Table | Lines | Paragraph | Cards | Chart | HeatMap


def flatten(blocks: Sequence[Any]) -> list[Block]:
    """Flatten sections and groups into their blocks, for text."""
    out: list[Block] = []
    for x in blocks:
        if isinstance(x, Section):
            out += [Heading(x.heading), *flatten(x.blocks)]
        else:
            out += flatten(x.blocks) if isinstance(x, Group) else [x]
    return out


@dataclass(frozen=True)
class Document:
    """A result to be shown: its title, blocks, sentences and notes.

    Attributes
    ----------
    title : str; first line of the document
    blocks : sequence of Block; tables, paragraphs, cards, charts, heat maps and lists, in their order
    sentences : sequence of str; conclusions of the result, for people who act on it
    notes : sequence of str
        Facts that a reader must know: missing outcomes, doubts about the log. There should be as few as possible.
    explanations : sequence of str
        Meanings of columns, marks and intervals: in text with --explain only, always in Markdown, LaTeX
        and JSON, never in a notebook.
    """

    title: str
    blocks: Sequence[Block]
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    explanations: Sequence[str] = ()

    @property
    def every_note(self) -> list[str]:
        """Notes, then explanations."""
        return [*self.notes, *self.explanations]


def name_value_table(rows: Sequence[tuple[str, str]]) -> Table:
    """Table of names and values without a header."""
    names, values = zip(*rows, strict=True)
    return Table([Column("", names, "left")], [[Column("", values, "left")]])
