"""Files that are written completely or not at all, and temporary folders; a signal leaves none of them behind."""

from __future__ import annotations

import os
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager, suppress

unfinished: set[str] = set()  # paths of temporary files and folders, which exist only while the process runs


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file by renaming a complete copy: if anything fails, the old file stays, and the error has its path.

    Devices and pipes are written in place, since they cannot be replaced; for a link, the target is replaced.
    """
    # a name of a file may have bytes that are no text: they are written as \udcXX
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
        if not os.fspath(path):  # which would be the current folder, where a variable is not set
            raise FileNotFoundError(2, "the path to write to is empty")  # ENOENT
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as f:
                f.write(data)
            return
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.access(target, os.W_OK):  # renaming needs only the folder's rights
            raise PermissionError(13, "Permission denied")  # EACCES
        _replace(target, data)
    except OSError as e:
        raise OSError(e.errno, e.strerror or str(e), os.fspath(path)) from None


def _replace(target: str, data: bytes) -> None:
    """Write the data to a temporary file in the same folder, then rename it to the target."""
    temporary = os.path.join(os.path.dirname(target), f".{os.getpid()}-{get_ident()}.part")
    unfinished.add(temporary)
    try:
        with open(temporary, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())  # some disks report only now that they are full
        with suppress(FileNotFoundError):
            os.chmod(temporary, os.stat(target).st_mode & 0o7777)
        os.replace(temporary, target)
    finally:
        _remove(temporary)  # after a success there is none
        unfinished.discard(temporary)


@contextmanager
def temporary_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[str]:
    """The path of a new folder, which is removed at the end; parent: where it is, unless among temporary files."""
    from tempfile import gettempdir  # imported late: signals are handled only after the imports of this module

    name = f"scorio-{os.urandom(8).hex()}"
    path = os.path.join(gettempdir(), name) if parent is None else os.path.join(parent, f".{name}")
    unfinished.add(path)  # before it exists, since a signal may arrive at any moment
    try:
        os.mkdir(path, 0o700)
        yield path
    finally:
        _remove(path)
        unfinished.discard(path)


def _remove(path: str) -> None:
    """Remove a file or a folder with its content; what cannot be removed is left."""
    if os.path.isdir(path):
        from shutil import rmtree

        rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.remove(path)


def discard() -> None:
    """Remove the temporary files and folders, before the process is ended."""
    for path in list(unfinished):
        _remove(path)
