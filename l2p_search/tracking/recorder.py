"""Recorder: a thread that writes to MLflow while the search goes on.

Nothing that MLflow does stops or slows a search: a failure is noted, further entries are still
tried after a pause, and what is missing at the end is brought by `l2p-search sync`.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable

from l2p_search.tracking.entries import SearchEntry, TrialEntry
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.store import Store

_log = logging.getLogger(__name__)

_PAUSE = 60.0
"""Seconds without a try after a failure."""


class Recorder:
    """Takes entries at once, writes them when it can."""

    def __init__(
        self, store: Store, search: SearchEntry, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start the thread; it connects by itself."""
        self._store, self._search, self._clock = store, search, clock
        self._queue: queue.Queue[Callable[[], TrialEntry] | None] = queue.Queue()
        self._tracker: MlflowTracker | None = None
        self._parent = ""
        self._retry_at = 0.0
        self.failure: str | None = None
        self._thread = threading.Thread(target=self._run, name="mlflow", daemon=True)
        self._thread.start()

    def record(self, trial: Callable[[], TrialEntry]) -> None:
        """Take a trial; it is made into an entry in the thread, as drawing figures takes time."""
        self._queue.put(trial)

    def close(self, search: SearchEntry, interrupted: bool, timeout: float = 30.0) -> str | None:
        """Write the whole, wait for the thread; the failure when something is missing."""
        self._search = search
        self._interrupted = interrupted
        self._queue.put(None)
        self._thread.join(timeout)
        if self._thread.is_alive():
            return f"it does not answer within {timeout:.0f} s"
        return self.failure

    _interrupted = False

    def _run(self) -> None:
        self._try(self._connect)
        while (trial := self._queue.get()) is not None:
            self._try(lambda trial=trial: self._write(trial))  # type: ignore[misc]
        self._try(self._finish, last=True)

    def _connect(self) -> None:
        self._tracker = MlflowTracker(self._store)
        self._parent = self._tracker.begin(self._search)

    def _write(self, trial: Callable[[], TrialEntry]) -> None:
        if self._tracker is None or not self._parent:
            self._connect()
        if self._tracker is not None:
            self._tracker.record(self._parent, self._search, trial())

    def _finish(self) -> None:
        if self._tracker is None or not self._parent:
            self._connect()
        if self._tracker is not None:
            self._tracker.finish(self._parent, self._search, self._interrupted)

    def _try(self, action: Callable[[], None], last: bool = False) -> None:
        if not last and self.failure is not None and self._clock() < self._retry_at:
            return
        try:
            action()
        except Exception as error:  # noqa: BLE001 - whatever a store does, the search goes on
            _log.exception("MLflow failed")
            lines = str(error).strip().splitlines()
            self.failure = lines[0] if lines else type(error).__name__
            self._retry_at = self._clock() + _PAUSE
