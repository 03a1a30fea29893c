"""The files below a folder, and whether they may be logs by their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from .packed import plain_suffix

ENDINGS = {  # how files with these endings are read
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


def walked(root: Path) -> Iterator[tuple[Path, bool]]:
    """Every file, link and hidden folder below a folder, and whether it may be a log."""
    for entry in sorted(os.scandir(root), key=lambda entry: entry.name):
        name, path = entry.name, root / entry.name
        if entry.is_dir(follow_symlinks=False) and not name.startswith("."):  # a link may lead to a folder above
            yield from walked(path)
        else:
            yield path, not name.startswith(".") and _is_file(entry) and may_be_log(name)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def name_and_kind(path: Path, name: str) -> str:
    """The name of an entry, and its kind if it is neither a file nor a folder, or a link that leads nowhere.

    The kind is the reason why such an entry is skipped: opening a pipe, for example, would wait for a writer.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return f"{name} (a link that leads nowhere)"
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return f"{name} ({kinds[stat.S_IFMT(mode)]})" if stat.S_IFMT(mode) in kinds else name


def excluded(patterns: Iterable[str], path: str) -> bool:
    """Whether a pattern names a file by its path below the folder, a folder above it, or its name alone."""
    parts = path.split("/")
    names = {parts[-1], *("/".join(parts[: i + 1]) for i in range(len(parts)))}
    return any(fnmatchcase(name, pattern.rstrip("/")) for pattern in patterns for name in names)


def may_be_log(name: str) -> bool:
    """Whether a file may be a log, by its name."""
    return plain_suffix(name) in ENDINGS
