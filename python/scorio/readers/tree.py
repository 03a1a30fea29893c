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

LINK_OUT = "a link that leads out of the folder"
FileState = tuple[str, int, int, int]  # path, size, time of change in ns, inode
ENDINGS = {  # how files with these endings are read
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "json",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".eval": "eval",
    ".parquet": "parquet",
    ".npy": "array",
    ".npz": "array",
}


NAMED = {"result.txt": "text"}  # how files with these names are read
HIDDEN = (".deepeval", ".latest_test_run.json", ".report.json", ".aider.results.json")  # logs that tools hide


def walked(root: Path) -> Iterator[tuple[Path, bool]]:
    """Every file, link and hidden folder below a folder, and whether it may be a log."""
    yield from _walked(root, _homes(root))


def _walked(folder: Path, homes: list[str]) -> Iterator[tuple[Path, bool]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        name, path = entry.name, folder / entry.name
        is_shown = not name.startswith(".") or name in HIDDEN
        if entry.is_dir(follow_symlinks=False) and is_shown:  # a link may lead to a folder above
            yield from _walked(path, homes)
        else:
            is_visible = is_shown and not (entry.is_symlink() and _leads_out(path, homes))
            yield path, is_visible and _is_file(entry) and may_be_log(name)


def _homes(root: Path) -> list[str]:
    """The folders in which a link below a root may end: the root itself, and the blobs of its Hugging Face cache.

    The cache has snapshots/REVISION/FILE, a link to blobs/HASH, for each repository.
    """
    real = Path(os.path.realpath(root))
    return [str(x) for x in (real, *(y.parent / "blobs" for y in (real, *real.parents) if y.name == "snapshots"))]


def _leads_out(link: Path, homes: list[str]) -> bool:
    """Whether a link leads out of all these folders: its target is not of the log, and may be of anybody."""
    target = os.path.realpath(link)
    return not any(target.startswith(os.path.join(home, "")) for home in homes)


def is_link_out(path: Path, root: Path) -> bool:
    """Whether a file below a folder is not read because it is a link to a file elsewhere."""
    return path.is_symlink() and may_be_log(path.name) and path.is_file() and _leads_out(path, _homes(root))


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def name_and_kind(path: Path, name: str, root: Path) -> str:
    """The name of an entry below a root, and its kind if it is neither a file nor a folder, or a link that is not read.

    The kind is the reason why such an entry is skipped: opening a pipe, for example, would wait for a writer.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return f"{name} (a link that leads nowhere)"
    if is_link_out(path, root):
        return f"{name} ({LINK_OUT})"
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device"}
    return f"{name} ({kinds[stat.S_IFMT(mode)]})" if stat.S_IFMT(mode) in kinds else name


def excluded(patterns: Iterable[str], path: str) -> bool:
    """Whether a pattern names a file by its path below the folder, a folder above it, or its name alone."""
    parts = path.split("/")
    names = {parts[-1], *("/".join(parts[: i + 1]) for i in range(len(parts)))}
    return any(fnmatchcase(name, pattern.rstrip("/")) for pattern in patterns for name in names)


def may_be_log(name: str) -> bool:
    """Whether a file may be a log, by its name."""
    return plain_suffix(name) in ENDINGS or name in NAMED


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
