"""Layout of the files of a log, and of the files that a command wrote."""

from __future__ import annotations

from ..analysis.files import Files, Written
from ..display.text import number, printable
from . import notes
from .document import Column, Document, Table, title

PARTS = ("model", "task", "run", "question", "trial")  # columns that are shown if any file states them


def document(x: Files | Written) -> Document:
    """Document with a row for each file, or a sentence about the files that were written."""
    if isinstance(x, Written):
        summary = ", ".join(f"{printable(r.file)}: {r.kind} of {number(len(x.about.models), 'model')}" for r in x.table)
        return Document(summary, [], (), notes.gaps(x.about))
    columns = [Column("file", [printable(r.file) for r in x.table], "left")]
    for name in PARTS:
        if any(getattr(r, name) is not None for r in x.table):
            columns.append(Column(name, [getattr(r, name) or "" for r in x.table], "left"))
    columns.append(Column("read as", [r.format if r.read else f"- ({r.format})" for r in x.table], "left"))
    n_read = sum(r.read for r in x.table)
    note = f"{number(n_read, 'file')} would be read, {len(x.table) - n_read:,} skipped; nothing was counted."
    return Document(title(x.about, number(len(x.table), "file")), [Table([], [columns])], (), [note])
