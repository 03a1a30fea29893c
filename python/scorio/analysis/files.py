"""What would be read of a log, and as what: nothing is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .. import io
from .result import Result, about_file


@dataclass(frozen=True, kw_only=True)
class Files(Result):
    """The files of a log.

    Attributes
    ----------
    table : tuple of mapping of str to value
        Of each file its name, whether it would be read, its format or why it is passed by, the fields of a layout.
    """

    schema: ClassVar[str] = "scorio.files/1"
    table: tuple[Mapping[str, Any], ...]


def files(path: Any, **options: Any) -> Files:
    """List what :func:`scorio.io.listed` would read."""
    return Files(about=about_file(str(path), ()), table=tuple(io.listed(path, **options)))
