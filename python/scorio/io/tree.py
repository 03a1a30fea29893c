"""The files below a folder, and whether they may be logs by their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from glob import glob
from pathlib import Path

from ..errors import InvalidInput
from .packed import plain_suffix

FileState = tuple[str, int, int, int]  # path, size, time of change in ns, inode
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


# --- the state of files ---


def roots_of(path: str) -> list[str]:
    """The files and folders that a path or a pattern stands for."""
    return [path] if Path(path).exists() else sorted(glob(path, recursive=True)) if path != "-" else []


def file_states(paths: Iterable[str]) -> tuple[FileState, ...]:
    """Path, size, time of change and inode of each regular file of a log, by which a change is noticed."""
    states = []
    for root in (Path(x) for path in paths for x in roots_of(path)):
        for file in [x for x, is_candidate in walked(root) if is_candidate] if root.is_dir() else [root]:
            with suppress(OSError):  # reading the file reports its error
                x = os.stat(file)
                if stat.S_ISREG(x.st_mode):
                    states.append((str(file), x.st_size, x.st_mtime_ns, x.st_ino))
    return tuple(states)


def check_unchanged(before: tuple[FileState, ...], paths: Iterable[str], since: str) -> None:
    """Refuse a log whose files are not as they were: its numbers would be of no state that it ever had."""
    if changed := [*{*before} ^ {*file_states(paths)}]:
        what = f"{min(changed)[0]} changed {since}: read it again when it is complete"
        raise InvalidInput("conflict", "path", what)
