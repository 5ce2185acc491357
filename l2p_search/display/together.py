"""What is seen while several searches share the workers, as those of an answer do."""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Protocol, TextIO

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from l2p_search.display.panel import AGAIN, running_lines, stage_text
from l2p_search.durations import format_duration
from l2p_search.progress import Snapshot
from l2p_search.stopping import Stop

_EVERY = 30.0
"""Seconds between two lines on how far the searches are."""
_SHOWN = 6
"""Searches that have lines of their own."""


class Together(Protocol):
    """Is told how each of the searches stands."""

    def update(self, name: str, snapshot: Snapshot) -> None:
        """Take how a search stands that is under way."""

    def ended(self, name: str) -> None:
        """Count a search as ended."""

    def aside(self) -> AbstractContextManager[None]:
        """A block in which others may print to the terminal."""


class Untold:
    """Shows nothing."""

    def update(self, name: str, snapshot: Snapshot) -> None:
        """Show nothing."""

    def ended(self, name: str) -> None:
        """Show nothing."""

    def aside(self) -> AbstractContextManager[None]:
        """Nothing has to make room."""
        return nullcontext()


class _Count:
    """How many searches there are, and how those stand that are under way."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0
        self._open: dict[str, Snapshot] = {}

    def update(self, name: str, snapshot: Snapshot) -> None:
        """Take how a search stands that is under way."""
        self._open[name] = snapshot

    def ended(self, name: str) -> None:
        """Count a search as ended."""
        self._done += 1
        self._open.pop(name, None)

    @property
    def _told(self) -> str:
        return f"{self._done} of {self._total} search{'es' * (self._total != 1)}"


class TogetherLines(_Count):
    """A line every half minute, for a pipe or a file."""

    def __init__(self, total: int, file: TextIO) -> None:
        """Tell of that many searches."""
        super().__init__(total)
        self._file, self._last = file, time.monotonic()

    def update(self, name: str, snapshot: Snapshot) -> None:
        """Take how a search stands that is under way, and tell it if the time has come."""
        super().update(name, snapshot)
        now = time.monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            far = (f"{each}: {stage_text(s.stages[-1])}" for each, s in self._open.items())
            self._file.write(f"l2p-search: {self._told} ended; {'; '.join(far)}\n")
            self._file.flush()

    def aside(self) -> AbstractContextManager[None]:
        """Nothing has to make room for further lines."""
        return nullcontext()


class TogetherPanel(_Count):
    """A live panel: how many searches have ended, and what the others train now."""

    def __init__(self, total: int, console: Console, stop: threading.Event) -> None:
        """Draw on the console within a context.

        Args:
            total: How many searches there are.
            console: Where to draw.
            stop: Once it is set, the panel says that the searches are being stopped.
        """
        super().__init__(total)
        self._console, self._stop = console, stop
        self._started = time.monotonic()
        self._updated: dict[str, float] = {}
        self._live: Live | None = None

    def __enter__(self) -> "TogetherPanel":
        """Start drawing."""
        if isinstance(self._stop, Stop):
            self._stop.shown = True
        self._draw()
        return self

    def __exit__(self, *ended: object) -> None:
        """Stop drawing, and leave the screen as it was."""
        self._clear()
        if isinstance(self._stop, Stop):
            self._stop.shown = False

    def update(self, name: str, snapshot: Snapshot) -> None:
        """Take how a search stands; it is drawn with the next refresh."""
        super().update(name, snapshot)
        self._updated[name] = time.monotonic()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the panel away while others print."""
        self._clear()
        try:
            yield
        finally:
            self._draw()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The panel as it stands."""
        yield self._panel(options.max_width, time.monotonic())

    def _panel(self, width: int, now: float) -> RenderableType:
        head = Text(self._told, style="bold")
        if self._stop.is_set():
            head.append("  stopping: every trial that has ended is kept", style="bold yellow")
            return Group(head, AGAIN)
        head.append(f", {format_duration(now - self._started)}", style="not bold")
        if not self._open and not self._done:
            return Group(head, Text("Ray starts"))
        under_way = dict(self._open)
        bar = Table.grid()  # a bar by itself does not end its line
        done = self._done + sum(map(_share, under_way.values()))
        bar.add_row(ProgressBar(total=self._total, completed=done, width=min(width, 72)))
        lines: list[RenderableType] = [head, bar]
        for name, snapshot in list(under_way.items())[:_SHOWN]:
            since = now - self._updated[name]
            lines.append(Text(f"{name}  {stage_text(snapshot.stages[-1])}"))
            lines += running_lines(
                [replace(each, seconds=each.seconds + since) for each in snapshot.running], width
            )
        if len(under_way) > _SHOWN:
            lines.append(Text(f"and {len(under_way) - _SHOWN} more"))
        return Group(*lines)

    def _draw(self) -> None:
        self._live = Live(
            self,
            console=self._console,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def _clear(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def _share(snapshot: Snapshot) -> float:
    """Which share of a search is done; its confirmation counts as one trial more."""
    trials = snapshot.goal if snapshot.total is None else snapshot.total
    done = snapshot.ended + sum(each.share for each in snapshot.running)
    return min(1.0, done / (trials + 1))
