"""Choosing the display of a search: by where it runs, none, or the caller's own."""

import sys
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

from rich.console import Console

from l2p_search.display.live import LivePanel, PlainLines
from l2p_search.display.notebook import NotebookPanel, in_notebook
from l2p_search.display.panel import Subject
from l2p_search.display.together import Together, TogetherLines, TogetherPanel, Untold
from l2p_search.progress import Event, Snapshot


class Display(Protocol):
    """What is told about a search while it runs. Any object with these two methods is one."""

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Take an event and how the search stands after it.

        Args:
            event: What happened to a trial or to the search.
            snapshot: Counts, the best trial so far, and the time left.
        """

    def note(self, text: str) -> None:
        """Take a remark of one line that is no event, such as that MLflow does not answer."""


Shown = Literal["auto", "off"] | Display
"""What a caller may give as `display`."""


class Nothing:
    """The display that is switched off."""

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""


def display_of(
    shown: Shown, subject: Subject, stop: threading.Event | None = None
) -> AbstractContextManager[Display]:
    """The display of a search, as a context: it draws until the context ends.

    Args:
        shown: "auto" for a live panel on a terminal, one output that is drawn anew in a notebook,
            and lines on stderr elsewhere; "off" for nothing; or the caller's own display.
        subject: The search that is shown.
        stop: Once it is set, a live panel says that the search is being stopped.

    Returns:
        A context whose value has to be told everything.
    """
    if shown == "off":
        return nullcontext(Nothing())
    if shown != "auto":
        return nullcontext(shown)
    if in_notebook():
        return NotebookPanel(subject)
    # Keep today's stderr: sys.stderr is redirected while Ray runs, as Ray prints to it.
    console = Console(file=sys.stderr)
    if _can_redraw(console):
        return LivePanel(subject, console, stop)
    return PlainLines(subject, sys.stderr)


def together_of(
    shown: Shown, searches: int, stop: threading.Event
) -> AbstractContextManager[Together]:
    """The display of searches that run together, as a context.

    Args:
        shown: "auto" for a live panel on a terminal, and a line every half minute elsewhere;
            "off", or the caller's own display, which is told remarks alone, for nothing.
        searches: How many there are.
        stop: Once it is set, a live panel says that they are being stopped.

    Returns:
        A context whose value has to be told how each search stands.
    """
    if shown != "auto":
        return nullcontext(Untold())
    console = Console(file=sys.stderr)
    if _can_redraw(console) and not in_notebook():
        return TogetherPanel(searches, console, stop)
    return nullcontext(TogetherLines(searches, sys.stderr))


def _can_redraw(console: Console) -> bool:
    """Whether a panel can be drawn anew in its place: rich shows none with TERM=dumb."""
    return console.is_terminal and not console.is_dumb_terminal
