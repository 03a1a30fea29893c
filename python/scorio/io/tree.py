"""The files below a folder, and which of them may be logs by their names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .packed import plain_suffix

ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "json",
    ".eval": "eval",
    ".parquet": "parquet",
    ".npy": "array",
    ".npz": "array",
}
NOTES = {"readme", "license", "licence", "notice", "changelog", "makefile", "dockerfile"}


def walked(root: Path) -> Iterator[tuple[Path, bool]]:
    """Every file below, and folders that are passed by; whether it may be a log."""
    for entry in sorted(os.scandir(root), key=lambda entry: entry.name):
        name, path, folder = entry.name, root / entry.name, entry.is_dir()
        if name.startswith(".") or (folder and entry.is_symlink()):  # a link may lead back here
            yield path, False
        elif folder:
            yield from walked(path)
        else:
            yield path, may_be(name)


def may_be(name: str) -> bool:
    """Whether the name of a file may be that of a log."""
    return plain_suffix(name) in ENDINGS and name.lower() not in NOTES
