"""Signals while a command runs: the first ends it in good order, the second ends it at once."""

import os
import signal
from types import FrameType
from typing import Any

from l2p_search.stopping import Stop

_WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Handles Ctrl-C, SIGTERM and a closed terminal until the context ends.

    Attributes:
        stop: The event that the first signal sets; it ends a search in good order.
    """

    def __init__(self, resume: str) -> None:
        """`resume` is the command that continues the search."""
        self._resume = resume
        self._received: int | None = None
        self._before: dict[int, Any] = {}
        self.stop = Stop()

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
        """The exit code that shells give a process that a signal ended: 128 plus its number."""
        return 128 + (self._received or 0)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._received is not None:
            if self.stop.shown:  # a panel's last line has no end
                os.write(2, b"\n")
            say(f"stopped; continue with: {self._resume}")
            os._exit(self.exit_code)  # Ray's processes end with this one
        self._received = number
        if not self.stop.shown:  # a live panel would paint over it, and says it by itself
            say("stopping; once more to stop at once")
        self.stop.set()


def say(text: str) -> None:
    """Write a line to stderr's file itself: a handler may interrupt a print, and print cannot."""
    os.write(2, f"l2p-search: {text}\n".encode())
