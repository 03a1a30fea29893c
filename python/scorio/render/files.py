"""The page of the files of a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..analysis.files import Files
from ..display.text import number, printable
from .document import Column, Document, Table, title

FIELDS = ("model", "task", "run", "question", "trial")


def document(x: Files) -> Document:
    """A row for each file."""
    read = sum(bool(row["read"]) for row in x.table)
    fields = [name for name in FIELDS if any(name in row for row in x.table)]
    lead = [Column("file", [printable(row["file"]) for row in x.table], "left")]
    lead += [Column(name, [str(row.get(name, "")) for row in x.table], "left") for name in fields]
    kinds = Column("read as", [_kind(row) for row in x.table], "left")
    said = f"{number(read, 'file')} would be read, {len(x.table) - read:,} passed by; nothing was counted."
    return Document(title(x.about, number(len(x.table), "file")), [Table(lead, [[kinds]])], [said])


def _kind(row: Mapping[str, Any]) -> str:
    return str(row["format"]) if row["read"] else f"- ({row['format']})"
