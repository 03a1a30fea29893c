"""Rows as CSV, all digits."""

from __future__ import annotations

import csv
from collections.abc import Sequence
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
