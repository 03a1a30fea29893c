"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import get_ident

unfinished: set[str] = set()  # paths of temporary files that are being written


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file by renaming a complete copy: if anything fails, the old file stays, and the error has its path.

    Devices and pipes are written in place, since they cannot be replaced; for a link, the target is replaced.
    """
    # a name of a file may have bytes that are no text: they are written as \udcXX
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
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
    except BaseException:
        with suppress(OSError):
            os.remove(temporary)
        raise
    finally:
        unfinished.discard(temporary)


def discard() -> None:
    """Remove the temporary files of writes that have not ended, before the process is killed."""
    for temporary in list(unfinished):
        with suppress(OSError):
            os.remove(temporary)
