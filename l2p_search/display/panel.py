"""The panel of a running search: what it shows in each state, for any width."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from l2p_search.display.charts import sparkline
from l2p_search.display.phrases import count, describe_config
from l2p_search.durations import format_duration
from l2p_search.intervals import interval_of_validation
from l2p_search.metrics import briefly
from l2p_search.progress import Running, Snapshot, Stage
from l2p_search.results import TrialStatus

_SHOWN = 8
"""Running trials that have a line of their own."""
_OVERDUE = 5.0
"""Seconds after the expected end from which it is no longer said that none are left."""
_NARROW = 80
"""Columns below which the bar of a running trial is short."""


Length = Literal["full", "short", "shortest"]
"""How much is said of a running trial."""
_LENGTHS: tuple[Length, ...] = ("full", "short", "shortest")


@dataclass(frozen=True)
class Subject:
    """What a display is of.

    Attributes:
        name: The search's name.
        keys: The hyperparameters that vary.
        race: Whether trials race.
        what: What is searched, in words, such as "20 trials x 20 seeds on demo".
        part: Which of several searches this is, such as "model 2 of 4"; empty for a single one.
        tracked: Whether MLflow gets a copy.
    """

    name: str
    keys: Sequence[str]
    race: bool = False
    what: str = ""
    part: str = ""
    tracked: bool = True


@dataclass(frozen=True, kw_only=True)
class View:
    """What the panel shows now.

    Attributes:
        snapshot: How the search stands; None before its first trial began.
        elapsed: Seconds since the display began.
        since: Seconds since the snapshot was taken.
        stopping: Whether the search is being stopped.
        finished: Whether nothing is left to train.
        latest: The last lines on what happened.
        failure: The line on the last trial that failed; it stays, as others soon push it away.
    """

    snapshot: Snapshot | None
    elapsed: float
    since: float = 0.0
    stopping: bool = False
    finished: bool = False
    latest: Sequence[str] = ()
    failure: str | None = None


def panel(subject: Subject, view: View, width: int) -> RenderableType:
    """The panel in one of its states: starting, running, confirming, stopping, finishing.

    Args:
        subject: The search.
        view: What is to be shown.
        width: Columns of the terminal.

    Returns:
        Lines that fit into the width; what is too long for one goes on in the next.
    """
    snapshot, elapsed = view.snapshot, format_duration(view.elapsed)
    head = Text(subject.name, style="bold")
    if subject.part:
        head.append(f"  {subject.part}", style="not bold")
    if view.stopping:
        return Group(head.append(f"  {_stopping(snapshot)}", style="bold yellow"), AGAIN)
    if snapshot is None:
        head.append(f"  {subject.what}" if subject.what else "", style="not bold")
        return Group(head, Text(f"Ray starts ({elapsed})"))
    if view.finished:
        rest = "MLflow gets the result" if subject.tracked else "the result comes"
        head.append(f"  everything is trained ({elapsed}); {rest}", style="not bold")
        return Group(head, *_best(subject, snapshot))
    stage = snapshot.stages[-1]
    times = f"{elapsed}{_left(snapshot, view)}"
    for words in (f"  {stage_text(stage)}, ", times):
        fits = len(head.plain.rpartition("\n")[2]) + len(words.rstrip()) <= width
        head.append(words if fits else f"\n{words.lstrip()}", style="not bold")
    lines: list[RenderableType] = [head, _stage_bar(stage, snapshot.running, width)]
    latest = [line for line in view.latest if line != view.failure]
    running = [replace(each, seconds=each.seconds + view.since) for each in snapshot.running]
    lines += [_tally(subject, snapshot), *running_lines(running, width)]
    lines += _best(subject, snapshot)
    lines += [Text(line, style="dim") for line in latest]
    if view.failure is not None:
        lines.append(Text(view.failure, style="yellow"))
    return Group(*lines)


AGAIN = Text("Ctrl-C once more ends it at once; nothing that has ended is lost either way.")
"""The last line of a panel that is stopping."""


def _stopping(snapshot: Snapshot | None) -> str:
    if snapshot is None:
        return "stopping: no trial had begun"
    text = f"stopping: {count(snapshot.ended, 'trial')} kept"
    if snapshot.running:
        one = len(snapshot.running) == 1
        again = "one that ran begins" if one else f"{len(snapshot.running)} that ran begin"
        text += f", {again} anew when it is resumed"
    return text


def stage_text(stage: Stage) -> str:
    """How far a part of a search is: "3 of 20 trials", "confirmation on fresh seeds: 1 of 5"."""
    if stage.name == "trials":
        return f"{stage.done} of {count(stage.total, 'trial')}"
    return f"{stage.name} on fresh seeds: {stage.done} of {stage.total}"


def _left(snapshot: Snapshot, view: View) -> str:
    if snapshot.seconds_left is None:
        return ""
    left = snapshot.seconds_left - view.since
    if left < -_OVERDUE:
        return ", longer than expected"
    bound = "at most" if snapshot.at_most else "about"
    return f", {bound} {format_duration(max(0.0, left))} left"


def _stage_bar(stage: Stage, running: Sequence[Running], width: int) -> RenderableType:
    """What has ended, with the running ones as far as they are."""
    done = stage.done + sum(each.share for each in running if each.stage == stage.name)
    bar = Table.grid()  # a bar by itself does not end its line
    bar.add_row(ProgressBar(total=stage.total, completed=done, width=min(width, 72)))
    return bar


def _tally(subject: Subject, snapshot: Snapshot) -> Text:
    counts = snapshot.counts
    parts = [f"{len(snapshot.running)} running", f"{counts[TrialStatus.COMPLETE]} complete"]
    if subject.race:
        parts.append(f"{counts[TrialStatus.RACED_OUT]} raced out")
    failed = counts[TrialStatus.FAILED]
    speed = snapshot.seeds_per_second
    known = f"; {speed:.{0 if speed >= 10 else 2}f} seeds/s" if speed > 0 else ""
    text = Text(f"{', '.join(parts)}, ")
    return text.append(f"{failed} failed", style="yellow" if failed else "").append(known)


def running_lines(running: Sequence[Running], width: int) -> list[RenderableType]:
    """A line per running trial: its bar, and how far it is.

    Args:
        running: The trials.
        width: Columns of the terminal.

    Returns:
        One table; nothing where no trial runs.
    """
    if not running:
        return []
    bar = 10 if width < _NARROW else 18
    shown = running[:_SHOWN]
    length = _that_fits(shown, width - bar - 1)
    table = Table.grid(padding=(0, 1))
    table.add_column(width=bar)
    table.add_column(overflow="fold")
    for each in shown:
        drawn = ProgressBar(total=1.0, completed=each.share, width=bar)
        table.add_row(drawn, _told(each, length))
    if len(running) > _SHOWN:
        table.add_row("", f"and {len(running) - _SHOWN} more")
    return [table]


def _told(running: Running, length: Length) -> str:
    return f"{running.title}: {how_far(running, length)}"


def _that_fits(running: Sequence[Running], room: int) -> Length:
    """The longest words that fit into one line each, whatever numbers they will have."""
    worst = [
        replace(each, finished=each.seeds, epoch=each.epochs, best_val=100.0) for each in running
    ]
    for length in _LENGTHS:
        if all(len(_told(each, length)) <= room for each in worst):
            return length
    return _LENGTHS[-1]


def how_far(running: Running, length: Length = "full") -> str:
    """How far a running trial is, in words.

    Args:
        running: The trial.
        length: The shortest has no score.

    Returns:
        Words such as "3 of 20 seeds done, epoch 340 of at most 1000, validation 84.10 %"; before
        its worker has told an epoch, for how long it has been starting.
    """
    if not running.epochs:
        seeds = count(running.seeds, "seed")
        return f"{seeds}, starting ({format_duration(running.seconds)})"
    text = f"{running.finished}/{running.seeds} seeds, epoch {running.epoch}/{running.epochs}"
    if length == "full":
        text = (
            f"{running.finished} of {count(running.seeds, 'seed')} done, epoch {running.epoch} of"
            f" at most {running.epochs}"
        )
    if length == "shortest" or running.best_val is None:
        return text
    return f"{text}, validation {running.best_val:.2f} %"


def _best(subject: Subject, snapshot: Snapshot) -> list[RenderableType]:
    best = snapshot.best
    if best is None or best.result is None:
        return []
    text = Text(f"best {briefly('validation', best.metric)} ")
    text.append(f"{interval_of_validation(best.result)} %", style="bold green")
    text.append(f"  trial {best.number}  {describe_config(best.config, subject.keys)}")
    return [text, Text(f"best so far {sparkline(snapshot.best_so_far)}")]
