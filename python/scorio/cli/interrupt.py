"""Handling of Ctrl-C: it ends a command within a second, also within compiled code that ignores signals."""

from __future__ import annotations

import os
import signal
import threading
from time import sleep
from typing import Any

from .. import saving

CODE = 130  # exit code: 128 + SIGINT
GRACE_SECONDS = 0.5  # time that the process has to end by itself
received: list[int] = []  # numbers of the received signals; after the first one nothing more is printed


def watch() -> None:
    """End the process GRACE_SECONDS after Ctrl-C, unless it has ended before.

    Python calls signal handlers only between two instructions of the main thread. But it writes the number of a signal
    to a pipe at once, from which another thread reads it.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, as in a background job
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _record)
    threading.Thread(target=_wait, args=(reading,), daemon=True).start()


def _record(number: int, frame: Any) -> None:
    """Record the number of a signal, then raise KeyboardInterrupt."""
    received.append(number)
    signal.default_int_handler(number, frame)


def _wait(reading: int) -> None:
    """Wait for the number of SIGINT in the pipe, then end the process after GRACE_SECONDS."""
    while signal.SIGINT not in os.read(reading, 1):
        pass
    sleep(GRACE_SECONDS)
    saving.discard()
    os._exit(CODE)
