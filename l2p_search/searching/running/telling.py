"""EpochTeller: how far a training is, told to the driver about once a second."""

import json
import time
from collections.abc import Callable
from typing import Any

from l2p_search.training.fit import Progress

_EVERY = 1.0
"""Seconds between two messages."""
_SHARE = 50
"""A worker waits until the driver has taken a message: at most one part in so many of its time."""


class EpochTeller:
    """Is called after each epoch, and tells the driver of some of them."""

    def __init__(
        self,
        report: Callable[[dict[str, Any]], None],
        before: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Tell of one group of seeds.

        Args:
            report: Takes a message {"progress": JSON of fields of `Running`}.
            before: How many seeds earlier groups of the task have trained.
            clock: Seconds of a clock that never goes back.
        """
        self._report, self._before, self._clock = report, before, clock
        self._next = clock() + _EVERY

    def __call__(self, progress: Progress) -> None:
        """Take an epoch; it is told if the last message was long enough ago."""
        now = self._clock()
        if now < self._next:
            return
        told = {
            "finished": self._before + progress.finished,
            "training": progress.training,
            "epoch": progress.epoch,
            "epochs": progress.epochs,
            "best_val": progress.best_val,
        }
        self._report({"progress": json.dumps(told)})
        done = self._clock()
        self._next = done + max(_EVERY, _SHARE * (done - now))
