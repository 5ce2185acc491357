"""What is seen while a search runs: a live panel on a terminal, plain lines elsewhere."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from l2p_search.display.charts import sparkline
from l2p_search.display.phrases import count, describe_config
from l2p_search.durations import format_duration
from l2p_search.intervals import interval_of_test, interval_of_validation
from l2p_search.metrics import briefly
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialStatus


@dataclass(frozen=True)
class Subject:
    """What a display is of: the search's name, what varies in it, whether trials race."""

    name: str
    keys: Sequence[str]
    race: bool = False


class PlainLines:
    """A line for each thing that happened."""

    def __init__(self, subject: Subject, file: TextIO) -> None:
        """The search's own hyperparameters are shown."""
        self._file, self._keys = file, subject.keys

    def __enter__(self) -> "PlainLines":
        return self

    def __exit__(self, *ended: object) -> None:
        pass

    def note(self, text: str) -> None:
        """Print a remark that is no event."""
        self._print(f"l2p-search: {text}")

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Print what happened; the start of a trial is not worth a line."""
        line = in_words(event, snapshot, self._keys)
        if line is None:
            return
        if event.kind == "ended":
            width = len(str(snapshot.goal))
            line = f"[{snapshot.ended:{width}d}/{snapshot.goal}] {line}"
            if snapshot.best is not None:
                line += f"; best {snapshot.best.objective:.2f} (trial {snapshot.best.number})"
            if snapshot.seconds_left is not None:
                line += f"; {format_duration(snapshot.seconds_left)} left"
        self._print(line)

    def _print(self, line: str) -> None:
        self._file.write(f"{line}\n")
        self._file.flush()


class LivePanel:
    """Redrawn by rich several times a second, so that the clock runs between events."""

    def __init__(self, subject: Subject, console: Console) -> None:
        """Draw on the console within a context; what happened is told by `update`."""
        self._subject, self._console = subject, console
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
        self._latest: list[str] = []

    def __enter__(self) -> "LivePanel":
        """Start drawing."""
        self._live.start()
        return self

    def __exit__(self, *ended: object) -> None:
        """Stop drawing, and leave the screen as it was."""
        self._live.stop()

    def note(self, text: str) -> None:
        """Print a remark above the panel."""
        self._console.print(f"l2p-search: {text}", highlight=False, markup=False)

    def update(self, event: Event, snapshot: Snapshot) -> None:
        """Take what happened; it is drawn with the next refresh."""
        self._snapshot, self._updated = snapshot, time.monotonic()
        line = in_words(event, snapshot, self._subject.keys)
        if line is not None:
            self._latest = [*self._latest[-2:], line]

    def __rich__(self) -> RenderableType:
        """The panel as it stands."""
        snapshot = self._snapshot
        elapsed = time.monotonic() - self._started
        if snapshot is None:
            return Text(f"{self._subject.name}: starting Ray ({format_duration(elapsed)})")
        counts = snapshot.counts
        head = Table.grid(padding=(0, 2))
        head.add_row(
            Text(self._subject.name, style="bold"),
            ProgressBar(total=snapshot.goal, completed=snapshot.ended, width=28),
            f"{snapshot.ended}/{snapshot.goal} trials",
            self._time(snapshot, elapsed),
        )
        tally = f"{counts[TrialStatus.RUNNING]} running, {counts[TrialStatus.COMPLETE]} complete"
        if self._subject.race:
            tally += f", {counts[TrialStatus.RACED_OUT]} raced out"
        tally += f", {counts[TrialStatus.FAILED]} failed"
        tally += f"; {snapshot.seeds_per_second:.1f} seeds/s"
        if snapshot.confirming:
            tally = (
                f"confirming the best on fresh seeds: {snapshot.confirmed} of"
                f" {count(snapshot.confirming, 'configuration')}"
            )
        lines: list[RenderableType] = [head, Text(tally)]
        best = snapshot.best
        if best is not None and best.result is not None:
            text = Text(f"best {briefly('validation', best.metric)} ")
            text.append(f"{interval_of_validation(best.result)} %", style="bold green")
            text.append(
                f"  trial {best.number}  {describe_config(best.config, self._subject.keys)}"
            )
            lines += [text, Text(f"best so far {sparkline(snapshot.best_so_far)}")]
        lines += [Text(line, style="dim", no_wrap=True) for line in self._latest]
        return Group(*lines)

    def _time(self, snapshot: Snapshot, elapsed: float) -> str:
        text = format_duration(elapsed)
        if snapshot.seconds_left is None or snapshot.confirming:
            return text
        left = max(0.0, snapshot.seconds_left - (time.monotonic() - self._updated))
        return f"{text}, about {format_duration(left)} left"


def in_words(event: Event, snapshot: Snapshot, keys: Sequence[str]) -> str | None:
    """One line for what happened; None where it needs none."""
    record = event.record
    if event.kind == "exhausted":
        return f"every configuration of the space is visited: {snapshot.ended} ended, no more left"
    if event.kind == "out_of_time":
        return "the time budget is used up; what runs is finished"
    if record is None or event.kind == "started":
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
        seeds, named = len(event.result.seeds), briefly("test", event.result.metric)
        return f"{who} on {seeds} fresh seeds: {named} {test} %"
    if record.status is TrialStatus.FAILED or record.result is None:
        return f"trial {record.number} failed: {record.reason} ({config})"
    trained = f"{len(record.result.seeds)} seeds, {record.result.seconds:.1f} s"
    score = f"{briefly('validation', record.metric)} {record.result.val_mean:.2f} %"
    if record.status is TrialStatus.RACED_OUT:
        return f"trial {record.number} raced out: {score} ({trained}; {record.reason}) {config}"
    return f"trial {record.number}: {score} ({trained}) {config}"
