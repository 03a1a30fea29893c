"""Handling of Ctrl-C and of SIGTERM: they end a command at once, without a word and with nothing half written.

No KeyboardInterrupt is raised: it would surface anywhere, as within argparse or a callback of compiled code.
"""

from __future__ import annotations

import atexit
import os
import signal
from _thread import start_new_thread  # threading would be imported before signals are handled
from time import sleep

from . import saving

CODE = 130  # exit code: 128 + SIGINT
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
        saving.discard()
    finally:
        os._exit(128 + number)


def _wait(reading: int) -> None:
    """Wait for the number of a signal in the pipe, then end the process unless the main thread does so."""
    while (number := os.read(reading, 1)[0]) not in SIGNALS or signal.getsignal(number) is not _end:
        pass
    sleep(GRACE_SECONDS)
    _end(number, None)
