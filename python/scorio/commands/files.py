"""``--dry-run``: the files of a log, each with the format that it would be read as; and files that commands wrote."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..display.text import number, printable
from ..page.document import Column, Document, Table
from ..readers.listing import listed
from . import notes
from .base import OPTIONAL, Result, about_file
from .notes import title

OptionalText = str | None
PARTS = ("model", "task", "run", "question", "trial")  # columns that are shown if any file states them


@dataclass(frozen=True)
class File:
    """A file of a log.

    Attributes
    ----------
    file : str
    read : bool, whether it would be read
    format : str, the format that it would be read as, or why it is not read
    model, task, run, question, trial : str or None; the parts of its path that the layout of the folder names
    """

    file: str
    read: bool
    format: str
    model: OptionalText = field(default=None, metadata={OPTIONAL: True})
    task: OptionalText = field(default=None, metadata={OPTIONAL: True})
    run: OptionalText = field(default=None, metadata={OPTIONAL: True})
    question: OptionalText = field(default=None, metadata={OPTIONAL: True})
    trial: OptionalText = field(default=None, metadata={OPTIONAL: True})


@dataclass(frozen=True, kw_only=True)
class Files(Result):
    """Files of a log, each with the format that it would be read as."""

    schema: ClassVar[str] = "scorio.files/3"
    table: tuple[File, ...]

    def document(self) -> Document:
        columns = [Column("file", [printable(r.file) for r in self.table], "left")]
        for name in PARTS:
            if any(getattr(r, name) is not None for r in self.table):
                columns.append(Column(name, [getattr(r, name) or "" for r in self.table], "left"))
        columns.append(Column("read as", [r.format if r.read else f"- ({r.format})" for r in self.table], "left"))
        n_read = sum(r.read for r in self.table)
        note = f"{number(n_read, 'file')} would be read, {len(self.table) - n_read:,} skipped; nothing was counted."
        return Document(title(self.about, number(len(self.table), "file")), [Table([], [columns])], (), [note])


@dataclass(frozen=True)
class Output:
    """A file that was written.

    Attributes
    ----------
    file : str
    kind : str, "report", "receipt", or the kind of the plot
    """

    file: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Written(Result):
    """The files that a command wrote instead of printing numbers."""

    schema: ClassVar[str] = "scorio.written/2"
    table: tuple[Output, ...]

    def document(self) -> Document:
        size = number(len(self.about.models), "model")
        summary = ", ".join(f"{printable(r.file)}: {r.kind} of {size}" for r in self.table)
        return Document(summary, [], (), notes.gaps(self.about))


def files(path: Any, name: str, **options: Any) -> Files:
    """List the files of a log and how each would be read.

    path and options are those of :func:`scorio.io.read`; name is the name of the log in the title.
    """
    rows = tuple(File(**x) for x in listed(path, **options))
    models = dict.fromkeys(x.model for x in rows if x.model is not None)
    return Files(about=about_file(name, list(models)), table=rows)
