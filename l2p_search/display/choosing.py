"""Which display a call has: what fits the place it runs in, none, or the caller's own."""

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, Protocol

from rich.console import Console

from l2p_search.display.live import LivePanel, PlainLines, Subject
from l2p_search.display.notebook import NotebookPanel, in_notebook
from l2p_search.progress import Event, Snapshot


class Display(Protocol):
    """Is told what happens while a search runs. Any object with these two methods is one."""

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Something happened to a trial or to the search, which now stands so."""

    def note(self, text: str) -> None:
        """A remark of one line that is no event, such as that MLflow does not answer."""


Shown = Literal["auto", "off"] | Display
"""What a caller may ask for."""


class Nothing:
    """The display that is switched off."""

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""


def display_of(shown: Shown, subject: Subject) -> AbstractContextManager[Display]:
    """The display to tell, as a context: it draws until the context ends.

    `auto` is a live panel on a terminal, one output that is drawn anew in a notebook, and lines
    on stderr elsewhere.
    """
    if shown == "off":
        return nullcontext(Nothing())
    if shown != "auto":
        return nullcontext(shown)
    if in_notebook():
        return NotebookPanel(subject)
    # This stderr itself: what Ray prints to it meanwhile is sent elsewhere.
    console = Console(file=sys.stderr)
    return LivePanel(subject, console) if console.is_terminal else PlainLines(subject, sys.stderr)
