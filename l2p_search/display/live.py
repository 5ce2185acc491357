"""What is seen while a search runs: a live panel on a terminal, plain lines elsewhere."""

import threading
import time
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live

from l2p_search.display.panel import Subject, View, how_far, panel
from l2p_search.display.phrases import count, describe_config
from l2p_search.durations import format_duration
from l2p_search.intervals import interval_of_test
from l2p_search.metrics import briefly
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialStatus
from l2p_search.stopping import Stop

_EVERY = 30.0
"""Seconds between two lines on how far a long trial is."""


class PlainLines:
    """A line for each thing that happened."""

    def __init__(self, subject: Subject, file: TextIO) -> None:
        """The search's own hyperparameters are shown."""
        self._file, self._keys = file, subject.keys
        self._part = f"{subject.part}, " if subject.part else ""
        self._told: dict[str, float] = {}
        self._confirming = 0

    def __enter__(self) -> "PlainLines":
        return self

    def __exit__(self, *ended: object) -> None:
        pass

    def note(self, text: str) -> None:
        """Print a remark that is no event."""
        self._print(f"l2p-search: {text}")

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Print what happened; the start of a trial is not worth a line."""
        if snapshot.confirming > self._confirming:
            self._confirming = snapshot.confirming
            fresh = count(snapshot.confirming, "configuration")
            self._print(f"{self._part}confirming the best on fresh seeds: {fresh}")
        if event.kind == "progressed":
            self._progressed(snapshot)
            return
        line = in_words(event, snapshot, self._keys)
        if line is None:
            return
        if event.kind == "ended":
            width = len(str(snapshot.goal))
            line = f"[{self._part}{snapshot.ended:{width}d}/{snapshot.goal}] {line}"
            if snapshot.best is not None:
                line += f"; best {snapshot.best.objective:.2f} (trial {snapshot.best.number})"
            if snapshot.seconds_left is not None:
                line += f"; {format_duration(snapshot.seconds_left)} left"
        self._print(line)

    def _progressed(self, snapshot: Snapshot) -> None:
        """A line now and then on each trial that takes long."""
        for each in snapshot.running:
            if each.seconds - self._told.get(each.title, 0.0) >= _EVERY and each.epochs:
                self._told[each.title] = each.seconds
                self._print(f"{each.title}: {how_far(each)}")

    def _print(self, line: str) -> None:
        self._file.write(f"{line}\n")
        self._file.flush()


class LivePanel:
    """Redrawn by rich several times a second, so that the clock runs between events."""

    def __init__(
        self, subject: Subject, console: Console, stop: threading.Event | None = None
    ) -> None:
        """Draw on the console within a context; what happened is told by `update`.

        Args:
            subject: The search.
            console: Where to draw.
            stop: Once it is set, the panel says that the search is being stopped.
        """
        self._subject, self._console = subject, console
        self._stop = threading.Event() if stop is None else stop
        self._live = Live(
            self,
            console=console,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._started = self._updated = time.monotonic()
        self._snapshot: Snapshot | None = None
        self._finished = False
        self._latest: list[str] = []
        self._failure: str | None = None

    def __enter__(self) -> "LivePanel":
        """Start drawing."""
        if isinstance(self._stop, Stop):
            self._stop.shown = True
        self._live.start()
        return self

    def __exit__(self, *ended: object) -> None:
        """Stop drawing, and leave the screen as it was."""
        self._live.stop()
        if isinstance(self._stop, Stop):
            self._stop.shown = False

    def note(self, text: str) -> None:
        """Print a remark above the panel."""
        self._console.print(f"l2p-search: {text}", highlight=False, markup=False)

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Take what happened; it is drawn with the next refresh."""
        self._snapshot, self._updated = snapshot, time.monotonic()
        self._finished = event.kind == "finished"
        line = in_words(event, snapshot, self._subject.keys)
        if line is not None:
            self._latest = [*self._latest[-2:], line]
            if event.kind == "ended" and event.record is not None:
                failed = event.record.status is TrialStatus.FAILED
                self._failure = line if failed else self._failure

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The panel as it stands."""
        now = time.monotonic()
        view = View(
            snapshot=self._snapshot,
            elapsed=now - self._started,
            since=now - self._updated,
            stopping=self._stop.is_set(),
            finished=self._finished,
            latest=self._latest,
            failure=self._failure,
        )
        yield panel(self._subject, view, options.max_width)


def in_words(event: Event, snapshot: Snapshot, keys: Sequence[str]) -> str | None:
    """One line for what happened; None where it needs none."""
    record = event.record
    if event.kind == "exhausted":
        return f"every configuration of the space is visited: {snapshot.ended} ended, no more left"
    if event.kind == "out_of_time":
        return "the time budget is used up; what runs is finished"
    if record is None or event.kind in ("started", "progressed"):
        return None
    config = describe_config(record.config, keys)
    if event.kind == "retried":
        return f"trial {record.number}: {event.reason}; started again"
    if event.kind == "noted":
        return f"trial {record.number}: {event.reason}"
    if event.kind == "confirmed":
        who = event.subject or f"trial {record.number}"
        if event.result is None or event.reason is not None:
            done = "confirmed" if event.subject is None else "trained on fresh seeds"
            return f"{who} could not be {done}: {event.reason}"
        test = interval_of_test(event.result)
        seeds = count(len(event.result.seeds), "fresh seed")
        return f"{who} ({seeds}): {briefly('test', event.result.metric)} {test} %"
    if record.status is TrialStatus.FAILED or record.result is None:
        return f"trial {record.number} failed: {record.reason} ({config})"
    trained = f"{len(record.result.seeds)} seeds, {record.result.seconds:.1f} s"
    score = f"{briefly('validation', record.metric)} {record.result.val_mean:.2f} %"
    if record.status is TrialStatus.RACED_OUT:
        return f"trial {record.number} raced out: {score} ({trained}; {record.reason}) {config}"
    return f"trial {record.number}: {score} ({trained}) {config}"
