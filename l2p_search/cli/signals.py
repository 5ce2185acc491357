"""Signals while a command runs: the first one ends it in good order, the second at once."""

import os
import signal
import threading
from types import FrameType
from typing import Any

_WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Handles Ctrl-C, SIGTERM and a closed terminal until the context ends.

    `stop` is what they set: it ends a search in good order.
    """

    def __init__(self, resume: str) -> None:
        """`resume` is the command that continues the search."""
        self._resume = resume
        self._received: int | None = None
        self._before: dict[int, Any] = {}
        self.stop = threading.Event()

    def __enter__(self) -> "Signals":
        """Start handling."""
        for number in _WATCHED:
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *ended: object) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def exit_code(self) -> int:
        """As a shell reports a process that a signal ended."""
        return 128 + (self._received or 0)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._received is not None:
            say(f"stopped; continue with: {self._resume}")
            os._exit(self.exit_code)  # Ray's processes end with this one
        self._received = number
        say("stopping; once more to stop at once")
        self.stop.set()


def say(text: str) -> None:
    """Straight to the file: a handler may run in the middle of another print."""
    os.write(2, f"l2p-search: {text}\n".encode())
