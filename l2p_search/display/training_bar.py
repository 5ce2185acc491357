"""The progress bar of `train`."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from l2p_search.metrics import briefly
from l2p_search.training.fit import Progress as Epoch

OnEpoch = Callable[[Epoch], None]
"""Is called after every epoch."""
_WIDE = 140
"""Columns in which the elapsed time and the metric's name have a place, too."""
_NARROW = 80
"""In fewer columns there is no bar."""


def training_display(shown: Literal["auto", "off"] | OnEpoch) -> AbstractContextManager[OnEpoch]:
    """What `fit` calls after each epoch: a bar on a terminal, nothing, or the caller's own."""
    if callable(shown):
        return nullcontext(shown)
    console = Console(stderr=True)
    if shown == "off" or not console.is_terminal:
        return nullcontext(lambda progress: None)
    return TrainingProgress(console)


class TrainingProgress:
    """Seeds still training, the best validation so far, and the time left at most.

    Seeds may stop early, so what is left is an upper bound: all epochs of those that train.
    """

    def __init__(self, console: Console) -> None:
        """Draw on the console until the context ends."""
        self._is_wide = console.width >= _WIDE
        epoch = TextColumn("epoch {task.fields[epoch]}")
        remaining = TimeRemainingColumn()
        columns: list[ProgressColumn]
        if self._is_wide:
            best = TextColumn("best {task.fields[named]} {task.fields[best]}")
            columns = [BarColumn(bar_width=24), epoch, best, TimeElapsedColumn()]
            columns += [TextColumn("at most"), remaining, TextColumn("left")]
        else:
            bar = [BarColumn(bar_width=20)] * (console.width >= _NARROW)
            columns = [*bar, epoch, TextColumn("best {task.fields[best]}")]
            columns += [TextColumn("max"), remaining, TextColumn("left")]
        self._progress = Progress(
            TextColumn("{task.fields[seeds]}"), *columns, console=console, transient=True
        )
        self._task = self._progress.add_task(
            "", total=None, seeds="starting", epoch="-", named="validation", best="-"
        )

    def __enter__(self) -> OnEpoch:
        """Start drawing; the value is what `fit` calls after each epoch."""
        self._progress.start()
        return self._update

    def __exit__(self, *ended: object) -> None:
        """Stop drawing."""
        self._progress.stop()

    def _update(self, epoch: Epoch) -> None:
        self._progress.update(
            self._task,
            completed=epoch.epoch,
            total=epoch.epochs,
            epoch=f"{epoch.epoch}/{epoch.epochs}",
            seeds=f"{epoch.training} of {epoch.total} seeds training"
            if self._is_wide
            else f"{epoch.training}/{epoch.total} seeds",
            named=briefly("validation", epoch.metric),
            best=f"{epoch.best_val:.2f} %",
        )
