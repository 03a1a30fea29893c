"""List of the files of a log, each with the format that it would be read as; nothing is counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..io.listing import listed
from .records import OPTIONAL
from .result import Result, about_file

OptionalText = str | None


@dataclass(frozen=True)
class File:
    """A file of a log.

    Attributes
    ----------
    file : str
    read : bool
        Whether it would be read.
    format : str
        The format that it would be read as, or why it is not read.
    model, task, run, question, trial : str or None
        The parts of its path that the layout of the folder names.
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


@dataclass(frozen=True)
class Output:
    """A file that was written.

    Attributes
    ----------
    file : str
    kind : str
        "report", "receipt", or the kind of the plot.
    """

    file: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Written(Result):
    """The files that a command wrote instead of printing numbers."""

    schema: ClassVar[str] = "scorio.written/2"
    table: tuple[Output, ...]


def files(path: Any, name: str, **options: Any) -> Files:
    """List the files of a log and how each would be read.

    path and options are those of :func:`scorio.io.read`; name is the name of the log in the title.
    """
    rows = tuple(File(**x) for x in listed(path, **options))
    models = dict.fromkeys(x.model for x in rows if x.model is not None)
    return Files(about=about_file(name, list(models)), table=rows)
