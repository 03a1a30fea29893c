"""Files that are written completely or not at all, also where Ctrl-C or SIGTERM ends the process."""

from __future__ import annotations

import atexit
import os
import signal
from _thread import (
    get_ident,
    start_new_thread,  # threading would be imported before signals are handled
)
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import sleep

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


INTERRUPTED = 130  # exit code: 128 + SIGINT
GRACE_SECONDS = 0.2  # time that the main thread has to end the process
SIGNALS = {int(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}


def watch() -> None:
    """End the process at Ctrl-C, SIGTERM or SIGHUP, also within compiled code that ignores signals.

    Python calls signal handlers only between two instructions of the main thread. But it writes the number of a signal
    to a pipe at once, from which another thread reads it.
    """
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # else ignored, as by nohup
            signal.signal(number, _end)
    atexit.register(_restore)  # after it the modules that _end uses are taken apart
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    start_new_thread(_wait, (reading,))


def _restore() -> None:
    """Let signals end the process without Python."""
    for number in SIGNALS:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: object) -> None:
    """Remove what is half written, and end the process; no finalizer runs, which could print or crash."""
    try:
        discard()
    finally:
        os._exit(128 + number)


def _wait(reading: int) -> None:
    """Wait for the number of a signal in the pipe, then end the process unless the main thread does so."""
    while (number := os.read(reading, 1)[0]) not in SIGNALS or signal.getsignal(number) is not _end:
        pass
    sleep(GRACE_SECONDS)
    _end(number, None)
