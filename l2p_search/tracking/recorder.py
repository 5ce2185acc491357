"""Recorder: a thread that writes to MLflow while the search goes on.

Nothing that MLflow does stops or slows a search. A trial that could not be written waits in
memory; it is tried again after a pause, and once more at the end. What is missing even then is
written by `l2p-search sync`, from the journal.
"""

import logging
import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable

from l2p_search.errors import UserError, first_line
from l2p_search.masking import masked
from l2p_search.tracking.entries import SearchEntry, TrialEntry
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.quiet import quiet_mlflow
from l2p_search.tracking.store import Store

_log = logging.getLogger(__name__)

_Trial = tuple[str, Callable[[], TrialEntry]]

_PAUSE = 60.0
"""Seconds after a failure in which nothing is tried."""


class Recorder:
    """Takes trials without delay, and writes them to MLflow in a thread of its own."""

    def __init__(self, store: Store, pause: float = _PAUSE) -> None:
        """Take trials from now on; `begin` or `close` starts the thread that writes them.

        Args:
            store: Where to write; the thread connects to it by itself.
            pause: Seconds after a failure in which nothing is tried.
        """
        self._store, self._pause = store, pause
        self._search: SearchEntry
        self._queue: queue.Queue[_Trial | None] = queue.Queue()
        self._waiting: deque[_Trial] = deque()
        self._tracker: MlflowTracker | None = None
        self._parent = ""
        self._retry_at = 0.0
        self._interrupted = False
        self._failure: str | None = None
        self._version: str | None = None
        self._seconds = 0.0
        self._thread = threading.Thread(target=self._run, name="mlflow", daemon=True)
        self._begun = False

    def begin(self, search: Callable[[], SearchEntry]) -> None:
        """Start the thread, unless it runs already.

        Args:
            search: Makes the entry of the search whose trials are written. It is called here and
                once only: a search notes its command and versions before its first event.
        """
        if not self._begun:
            self._search = search()
            self._begun = True
            self._thread.start()

    @property
    def seconds(self) -> float:
        """How long the thread was busy with the store, waiting for its answers included."""
        return self._seconds

    @property
    def version(self) -> str | None:
        """The version of the search's model in the registry, once `close` has written it."""
        return self._version

    def record(self, uid: str, make: Callable[[], TrialEntry]) -> None:
        """Take a trial that has ended; returns at once.

        Args:
            uid: Identifies the trial in the store.
            make: Makes its entry, with figures and files. Called in the thread, and not at all
                when the store already has this trial.
        """
        self._queue.put((uid, make))

    def close(
        self, search: SearchEntry | None, interrupted: bool, timeout: float = 30.0
    ) -> str | None:
        """Write what is still waiting and what the search found, and wait for the thread.

        Args:
            search: The search with what it found; None where that can no longer be read, and the
                entry that it began with has to do.
            interrupted: Whether the search was stopped before its goal.
            timeout: Seconds to wait at the most; a model has one more for each of its megabytes.

        Returns:
            None when the store has everything; otherwise why something is missing.
        """
        self._interrupted = interrupted
        if search is not None:
            self.begin(lambda: search)
            self._search = search
        if not self._begun:
            return None
        self._queue.put(None)
        if self._search.model is not None:
            timeout += self._search.model.megabytes
        self._thread.join(timeout)
        if self._thread.is_alive():
            return f"it does not answer within {timeout:g} s"
        return self._failure

    def _run(self) -> None:
        try:
            with quiet_mlflow():
                self._serve()
        except UserError as error:  # MLflow is not installed
            self._failure = str(error)

    def _serve(self) -> None:
        self._try(self._connect)
        while (trial := self._queue.get()) is not None:
            self._waiting.append(trial)
            if time.monotonic() >= self._retry_at:
                self._write_waiting()
        self._write_waiting()
        if not self._waiting:
            self._try(self._finish)

    def _write_waiting(self) -> None:
        """Try each waiting trial once, until one fails."""
        for _ in range(len(self._waiting)):
            trial = self._waiting.popleft()
            if not self._try(lambda trial=trial: self._write(trial)):  # type: ignore[misc]
                self._waiting.append(trial)  # last in the queue: others come before its retry
                return

    def _connect(self) -> MlflowTracker:
        if self._tracker is None:
            self._tracker = MlflowTracker(self._store)
        if not self._parent:
            self._parent = self._tracker.begin(self._search)
        return self._tracker

    def _write(self, trial: _Trial) -> None:
        uid, make = trial
        tracker = self._connect()
        if not tracker.has(self._parent, uid):
            tracker.record(self._parent, self._search, make())

    def _finish(self) -> None:
        tracker = self._connect()
        self._version = tracker.finish(self._parent, self._search, self._interrupted)

    def _try(self, action: Callable[[], object]) -> bool:
        started = time.monotonic()
        try:
            action()
            self._failure = None
        except Exception as error:  # noqa: BLE001 - no failure of a store may end a search
            _log.error("MLflow failed\n%s", masked(traceback.format_exc(), of=self._store.uri))
            self._failure = masked(first_line(error), of=self._store.uri)
            self._retry_at = time.monotonic() + self._pause
            # The failed write may be there in part: connect anew, and read what is there.
            self._parent = ""
        finally:
            self._seconds += time.monotonic() - started
        return self._failure is None
