"""Results of many models or pairs: a list that shows itself as a table, in a notebook and in a terminal."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from . import html
from .text import width


class Shown(Protocol):
    """What has cells by their headers."""

    def shown(self) -> dict[str, Any]:
        """Values to show; those of :class:`scorio.display.html.Cell` are drawn in a notebook."""


T = TypeVar("T", bound=Shown)
MOST = 60  # rows


class Listing(list[T]):
    """A list; only how it is shown differs.

    Examples
    --------
    >>> from scorio import sinf
    >>> sinf.compare_all({"a": [[1, 1, 1, 1]] * 9, "b": [[1, 0, 1, 1]] * 9}, questions="fixed")
    a  b  difference        interval  p adjusted  significant
    a  b       0.250  0.076 to 0.424      0.0053  yes
    """

    def __repr__(self) -> str:
        if not self:
            return "[]"
        rows = [x.shown() for x in self[:MOST]]
        heads = [h for h in rows[0] if not isinstance(rows[0][h], html.Cell)]
        cells = [heads, *([html.cell(row[h]) for h in heads] for row in rows)]
        columns = [_column(list(x)) for x in zip(*cells, strict=True)]
        lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
        more = [f"and {len(self) - MOST:,} more"] if len(self) > MOST else []
        return "\n".join([*lines, *more])

    def _repr_html_(self) -> str:
        if not self:
            return "[]"
        rows = [x.shown() for x in self]
        return html.table(list(rows[0]), [list(row.values()) for row in rows])


def _column(cells: list[str]) -> list[str]:
    """Cells of one width, numbers to the right."""
    wide, right = max(map(width, cells)), all(x[:1] in "0123456789.-<" for x in cells[1:])
    spaces = [" " * (wide - width(x)) for x in cells]
    return [space + x if right else x + space for x, space in zip(cells, spaces, strict=True)]
