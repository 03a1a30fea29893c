"""Rows as CSV, all digits."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from ..display.text import escape_formula


def table(records: Sequence[dict[str, Any]], keep_formulas: bool = False) -> str:
    """CSV with a column for each name that any row has; without keep_formulas, formulas get an apostrophe in front."""
    out = StringIO()
    names = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    for row in [names, *([record.get(name, "") for name in names] for record in records)]:
        writer.writerow(row if keep_formulas else map(escape_formula, row))
    return out.getvalue()


def plain(names: Sequence[str], rows: Iterable[Sequence[Any]], keep_formulas: bool = False) -> str:
    """CSV with quotes only where they are needed; None is an empty cell.

    Python's writer may leave a carriage return without quotes: all cells of a row that contains one are quoted here.
    """
    out = StringIO()
    unquoted = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    unquoted.writerow(names)
    for row in rows:
        cells = row if keep_formulas else [escape_formula(x) for x in row]
        (quoted if any("\r" in x for x in cells if isinstance(x, str)) else unquoted).writerow(cells)
    return out.getvalue()
