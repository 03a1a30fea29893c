"""Rows as CSV, all digits."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any


def table(records: Sequence[dict[str, Any]]) -> str:
    """A column for each name that any row has."""
    out = StringIO()
    names = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.DictWriter(out, names, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def plain(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Cells without quotes where they need none; None is an empty cell.

    Rows with a carriage return are quoted whole, as Python's writer does not by itself.
    """
    out = StringIO()
    unquoted = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    unquoted.writerow(names)
    for row in rows:
        (quoted if any("\r" in x for x in row if isinstance(x, str)) else unquoted).writerow(row)
    return out.getvalue()
