"""Signals while a command runs: the first ends it in good order, the second ends it at once."""

import os
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TextIO

from l2p_search.stopping import Stop

_WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_IMPORTING = "<frozen importlib._bootstrap>"
"""The file that Python gives for the functions that import modules."""
_SOON = 0.05
"""Seconds after which a signal that came within an import is looked at again."""


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
        self._before = _handled_by(self._handle)
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


@contextmanager
def unwound() -> Iterator[None]:
    """Let a signal unwind the command that runs in the block: what is open is closed and removed.

    Raises:
        KeyboardInterrupt: At Ctrl-C.
        SystemExit: At SIGTERM or SIGHUP, after a line, with 128 plus the signal's number.
    """
    received: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if received[1:]:
            os._exit(128 + received[0])
        if number != signal.SIGINT:
            say(f"ended by {signal.Signals(number).name}")
        end(number, frame)

    def end(number: int, frame: FrameType | None) -> None:
        if _imports(frame):  # torch would abort the process, numpy call itself for ever
            signal.setitimer(signal.ITIMER_REAL, _SOON)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            raise SystemExit(128 + number)

    before = _handled_by(handle)
    if before:
        # From the start: what a call of the library puts back afterwards has this handler, too.
        before[signal.SIGALRM] = signal.signal(
            signal.SIGALRM, lambda number, frame: end((received or [number])[0], frame)
        )
    try:
        yield
    finally:
        if before:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _imports(frame: FrameType | None) -> bool:
    """Whether a module is being imported in a frame, or in one of those that called it."""
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTING:
            return True
        frame = frame.f_back
    return False


def _handled_by(handle: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    """Handle the signals, but for those that our caller has us ignore, as `nohup` does SIGHUP.

    Returns:
        The handlers of before.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone may set them
        return {}
    ours = [each for each in _WATCHED if signal.getsignal(each) is not signal.SIG_IGN]
    return {number: signal.signal(number, handle) for number in ours}


def say(text: str, *, wrapped: bool = False) -> None:
    """Write a line to stderr's file itself: a handler may interrupt a print, and print cannot.

    Args:
        text: The line.
        wrapped: Whether a terminal that is narrower gets it between words; a command in it would
            no longer work when it is pasted.
    """
    line = f"l2p-search: {text}"
    os.write(2, f"{on_screen(line, sys.stderr) if wrapped else line}\n".encode())


def on_screen(line: str, stream: TextIO, indent: int | None = None) -> str:
    """A line wrapped between words where the stream is a terminal that is narrower.

    Args:
        line: The line.
        stream: Where it is printed.
        indent: Of what goes on below; by default as the line is.

    Returns:
        It, or several.
    """
    if indent is None:
        indent = len(line) - len(line.lstrip())
    columns = shutil.get_terminal_size().columns
    if not stream.isatty() or len(line) <= columns:
        return line
    return textwrap.fill(
        line,
        columns,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def tell(text: str, indent: int | None = None) -> None:
    """Print lines that hold no command: a narrower terminal gets them between words."""
    for line in text.splitlines():
        print(on_screen(line, sys.stdout, indent))
