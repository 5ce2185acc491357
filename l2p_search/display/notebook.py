"""The display of a search in a notebook: one output of the cell that is drawn anew."""

import time
from html import escape
from typing import Any

from l2p_search.display.live import in_words
from l2p_search.display.panel import Subject, how_far
from l2p_search.durations import format_duration
from l2p_search.intervals import interval_of_validation
from l2p_search.metrics import briefly
from l2p_search.progress import Event, Snapshot

_PAUSE = 0.2
"""The least seconds between two drawings: a web page is slower to draw than a terminal."""


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class NotebookPanel:
    """A progress bar, the best so far and the latest lines, in the cell's own output."""

    def __init__(self, subject: Subject) -> None:
        """Nothing is drawn before the context begins."""
        self._subject = subject
        self._handle: Any = None
        self._started, self._drawn = time.monotonic(), 0.0
        self._notes: list[str] = []
        self._latest: list[str] = []
        self._snapshot: Snapshot | None = None

    def __enter__(self) -> "NotebookPanel":
        """Open the output."""
        from IPython.display import HTML, display

        self._handle = display(HTML(self.html()), display_id=True)
        return self

    def __exit__(self, *ended: object) -> None:
        """Draw a last time; the output stays in the notebook."""
        self._draw()

    def note(self, text: str) -> None:
        """Show a remark at once; it stays until the end."""
        self._notes.append(text)
        self._draw()

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Take an event; it is drawn unless the last drawing was a moment ago."""
        self._snapshot = snapshot
        line = in_words(event, snapshot, self._subject.keys)
        if line is not None:
            self._latest = [*self._latest[-2:], line]
        if time.monotonic() - self._drawn >= _PAUSE:
            self._draw()

    def html(self) -> str:
        """The output as it stands: HTML, with all names escaped."""
        snapshot = self._snapshot
        elapsed = format_duration(time.monotonic() - self._started)
        name = f"<b>{escape(self._subject.name)}</b>"
        if snapshot is None:
            return f"<div>{name}: starting Ray ({elapsed})</div>"
        parts = [
            f'{name} <progress max="{snapshot.goal}" value="{snapshot.ended}"></progress>'
            f" {snapshot.ended}/{snapshot.goal} trials, {elapsed}"
        ]
        if snapshot.confirming:
            parts.append(
                f"confirming the best on fresh seeds: {snapshot.confirmed} of"
                f" {snapshot.confirming}"
            )
        parts += [f"{escape(each.title)}: {how_far(each)}" for each in snapshot.running]
        best = snapshot.best
        if best is not None and best.result is not None:
            score, named = interval_of_validation(best.result), briefly("validation", best.metric)
            parts.append(f"best {named} <b>{score} %</b>, trial {best.number}")
        parts += [f"<small>{escape(line)}</small>" for line in (*self._latest, *self._notes)]
        return "<div>" + "<br>".join(parts) + "</div>"

    def _draw(self) -> None:
        from IPython.display import HTML

        self._drawn = time.monotonic()
        if self._handle is not None:
            self._handle.update(HTML(self.html()))
