"""The page of a verified receipt: whether its numbers follow from its counts, and those that do not."""

from __future__ import annotations

import json
from typing import Any

from ..analysis.receipt import Verified
from ..display.text import number
from .document import Column, Document, Table, title

LOG = {True: "Its counts are those of the log.", False: "Its counts are NOT those of the log.", None: ""}


def document(x: Verified) -> Document:
    """What was computed again, and a row for each value that differs."""
    size = f"{number(x.values, 'value')} of {number(x.results, 'result')}"
    if not x.table:
        said = f"All {size} follow from its counts: every number was computed again, and no bit differs."
    else:
        said = f"Of {size} {x.values - len(x.table):,} follow from its counts, {len(x.table):,} do NOT."
    columns = [
        Column("place", [d.place for d in x.table], "left"),
        Column("stated", [_shown(d.stated) for d in x.table]),
        Column("computed", [_shown(d.computed) for d in x.table]),
    ]
    blocks = [Table([], [columns], "Values that differ")] if x.table else []
    return Document(title(x.about, number(x.results, "result")), blocks, [said, *filter(None, [LOG[x.log]])], [])


def _shown(x: Any) -> str:
    return json.dumps(x)
