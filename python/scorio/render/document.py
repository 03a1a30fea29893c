"""A page before it is text, HTML, Markdown or LaTeX: a title, blocks, sentences, notes. Strings alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from ..display.text import name_of, printable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..analysis.result import About


@dataclass(frozen=True)
class Column:
    """A header of one line or two over cells.

    Attributes
    ----------
    header : str
        Lines are separated by a line feed.
    cells : sequence of str
        One for each row of the table.
    side : {"left", "right"}
        Where the cells stand in their column.
    names : bool
        Whether the cells are names, which are shortened where there is no room for them.
    kinds : sequence of str
        What each cell says, for its colour in HTML: "better", "worse", "none", or nothing.
    shares : sequence of float or None
        Where each value is between the lowest and the highest, for its colour in HTML.
    links : sequence of str
        The address to which each cell leads in HTML.
    """

    header: str
    cells: Sequence[str]
    side: Literal["left", "right"] = "right"
    names: bool = False
    kinds: Sequence[str] = ()
    shares: Sequence[float | None] = ()
    links: Sequence[str] = ()


@dataclass(frozen=True)
class Intervals:
    """Values with their ends, drawn beside a table where a terminal has the room."""

    values: Sequence[tuple[float, float, float]]  # lo, mu, hi
    form: str


@dataclass(frozen=True)
class Table:
    """Columns in front of every block, and sets of columns that stay together where the page is too narrow for all.

    Attributes
    ----------
    lead : sequence of Column
        In front of every block.
    sets : sequence of sequences of Column
        Columns that stay together.
    caption : str
        What the table shows; for HTML.
    kind : str
        "map" where every column is as narrow as it can be; for HTML.
    intervals : Intervals or None
        Drawn behind the first set on a terminal.
    """

    lead: Sequence[Column]
    sets: Sequence[Sequence[Column]]
    caption: str = ""
    intervals: Intervals | None = None
    kind: str = ""

    @property
    def columns(self) -> list[Column]:
        """All columns."""
        return [*self.lead, *(c for columns in self.sets for c in columns)]


@dataclass(frozen=True)
class Lines:
    """Lines that are printed as they are."""

    lines: Sequence[str]


@dataclass(frozen=True)
class Paragraph:
    """Sentences."""

    text: str


Row = TypeVar("Row", bound=Any)  # with a field benchmark


@dataclass(frozen=True)
class Quiet(Paragraph):
    """Sentences of less weight, which may end in a link: what it is called, and the section to which it leads."""

    link: tuple[str, str] | None = None


@dataclass(frozen=True)
class Heading(Paragraph):
    """The title of a part of a section; name: by which links find it."""

    name: str = ""


@dataclass(frozen=True)
class Card:
    """A conclusion: a few large words, and a sentence or two below."""

    heading: str
    large: str
    sentences: Sequence[str]


@dataclass(frozen=True)
class Cards:
    """Conclusions beside each other."""

    cards: Sequence[Card]

    @property
    def text(self) -> str:
        """The cards as sentences."""
        return " ".join(f"{x.heading}: {x.large}. {' '.join(x.sentences)}" for x in self.cards)


@dataclass(frozen=True)
class Axis:
    """The ends of an axis, its ticks and their texts, its label; log: equal ratios are equally far apart."""

    ends: tuple[float, float]
    ticks: Sequence[tuple[float, str]]
    label: str
    log: bool = False


@dataclass(frozen=True)
class Trace:
    """A line over x; with other ends a band between both. kind: its class in the style of the page."""

    kind: str
    x: Sequence[float]
    y: Sequence[float]
    other: Sequence[float] | None = None


@dataclass(frozen=True)
class Chart:
    """Lines and bands over two axes; text says in words what they show."""

    text: str
    caption: str
    traces: Sequence[Trace]
    x: Axis
    y: Axis


@dataclass(frozen=True)
class Heat:
    """Shares 0..1 of a scale as colours, a row for each name; key: what stands below, the ends of the colours."""

    text: str
    names: Sequence[str]
    shares: npt.NDArray[np.float64]
    key: tuple[str, str, str]


@dataclass(frozen=True)
class Group:
    """Blocks beside each other, as many as there is room for; kind: how wide each is."""

    kind: Literal["beside", "small", "lists", "list"]
    blocks: Sequence[Any]


@dataclass(frozen=True)
class Section:
    """A heading over blocks; folded: HTML shows them when they are asked for."""

    heading: str
    blocks: Sequence[Any]
    folded: bool = False


Block: TypeAlias = Table | Lines | Paragraph | Cards | Chart | Heat


def flat(blocks: Sequence[Any]) -> list[Block]:
    """The blocks of sections and groups one after the other, for pages of text."""
    out: list[Block] = []
    for x in blocks:
        if isinstance(x, Section):
            out += [Heading(x.heading), *flat(x.blocks)]
        else:
            out += flat(x.blocks) if isinstance(x, Group) else [x]
    return out


@dataclass(frozen=True)
class Document:
    """A page.

    Attributes
    ----------
    title : str
        Its first line.
    blocks : sequence of Table, Lines or Paragraph
    sentences : sequence of str
        What the result says, for people who act on it.
    notes : sequence of str
        What a reader must know: missing outcomes, doubts about the log. As few as there can be.
    explanations : sequence of str
        What columns, marks and intervals mean: shown with --explain, in reports and in --json.
    """

    title: str
    blocks: Sequence[Block]
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    explanations: Sequence[str] = ()

    @property
    def every_note(self) -> list[str]:
        """Notes and explanations."""
        return [*self.notes, *self.explanations]


def title(about: About, *parts: str) -> str:
    """The first line of a page: the name of the log without its folder, and what it has."""
    name = about.file.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if name in ("", ".", ".."):
        name = Path(about.file).resolve().name or about.file
    return f"{printable(name)}: {', '.join(x for x in parts if x)}"


def facts(rows: Sequence[tuple[str, str]]) -> Table:
    """Names and values as a table without a header."""
    names, values = zip(*rows, strict=True)
    return Table([Column("", names, "left")], [[Column("", values, "left")]])


def by_benchmark(about: About, rows: Sequence[Row], block: Callable[[Sequence[Row]], Block]) -> list[Block]:
    """The block of the rows of each benchmark, under its name where there are several."""
    several, out = len(about.benchmarks) > 1, list[Block]()
    for name in about.benchmarks:
        in_benchmark = [row for row in rows if row.benchmark == name]
        if in_benchmark:
            out += [*([Paragraph(printable(name) or "(no name)")] if several else []), block(in_benchmark)]
    return out


def within(about: About, benchmark: str, sentences: Sequence[str]) -> list[str]:
    """Sentences about a benchmark, which names itself where there are several."""
    if len(about.benchmarks) < 2 or not sentences:
        return list(sentences)
    return [f"{name_of(benchmark) or '(no name)'}: {sentences[0]}", *sentences[1:]]
