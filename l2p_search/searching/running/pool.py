"""Pool: searches that share the workers, so that none of these waits for the end of a search.

A single search runs as many trials at once as there are workers. Of several, each runs one trial
after another, and as many searches at once as there are workers: what each of them proposes then
depends on its own journal alone. A search that proposes the same in any case is not held back.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, TrainingBugError
from l2p_search.searching.running.coordinator import Coordinator, Task


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """A search to run: `begin` opens it when there is room, `end` is told when it is done.

    `any_order` says that its proposals do not depend on results: several of its trials may run.
    """

    graph: Graph
    any_order: bool = False
    begin: Callable[[], Coordinator]
    end: Callable[[Coordinator], None] = lambda coordinator: None


@dataclass(frozen=True, eq=False)
class Assignment:
    """A task, the search that it is of, and the digest of its graph."""

    coordinator: Coordinator
    task: Task
    graph: str


class Pool:
    """Hands out the tasks of all searches, those of the earlier ones first."""

    def __init__(
        self, jobs: Iterable[Job], concurrency: int, stop: threading.Event | None = None
    ) -> None:
        """Run `concurrency` tasks at once, until all searches are done or `stop` is set."""
        self._stop = threading.Event() if stop is None else stop
        self._waiting = deque(jobs)
        self._concurrency = concurrency
        self._single = len(self._waiting) == 1
        self._open: dict[Coordinator, Job] = {}
        self._running: set[Assignment] = set()

    def next(self) -> Assignment | None:
        """The next task of any search; None when there is none now."""
        if self.stopping or len(self._running) >= self._concurrency:
            return None
        for coordinator in list(self._open):
            if (found := self._task_of(coordinator)) is not None:
                return found
        while self._waiting and not self.stopping:
            if (found := self._task_of(self._begin())) is not None:
                return found
        return None

    @property
    def done(self) -> bool:
        """Whether nothing runs and nothing will."""
        return self.stopping or not (self._open or self._waiting)

    def stop(self) -> None:
        """Give everything up. A signal handler may call it."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        """Whether everything is to be given up."""
        if self._stop.is_set():
            for coordinator in list(self._open):
                coordinator.stop()
        return self._stop.is_set() or self.fatal is not None

    @property
    def fatal(self) -> SearchError | TrainingBugError | None:
        """The error of a search that ends all of them."""
        return next((c.fatal for c in list(self._open) if c.fatal is not None), None)

    def report(self, given: Assignment, measured: dict[str, Any]) -> bool:
        """Take what a group of seeds measured; whether the next group shall train."""
        return given.coordinator.report(given.task, measured)

    def fail(self, given: Assignment, reason: str) -> None:
        """Take the news that training a task raised an exception."""
        given.coordinator.fail(given.task, reason)

    def bug(self, given: Assignment, reason: str, traceback: str) -> None:
        """Take the news that training a task hit a bug: all searches end."""
        given.coordinator.bug(given.task, reason, traceback)

    def release(self, given: Assignment, reason: str = "its worker vanished") -> None:
        """Take back a task."""
        self._running.discard(given)
        if self._stop.is_set():
            given.coordinator.stop()
        given.coordinator.release(given.task, reason)

    def close(self) -> None:
        """Mark what was given up."""
        for coordinator, job in self._open.items():
            coordinator.close()
            job.end(coordinator)

    def _begin(self) -> Coordinator:
        job = self._waiting.popleft()
        coordinator = job.begin()
        coordinator.concurrency = self._concurrency if self._single or job.any_order else 1
        self._open[coordinator] = job
        return coordinator

    def _task_of(self, coordinator: Coordinator) -> Assignment | None:
        task = coordinator.next_task()
        job = self._open[coordinator]
        if task is not None:
            given = Assignment(coordinator, task, job.graph.digest)
            self._running.add(given)
            return given
        if coordinator.done and not coordinator.stopping:
            del self._open[coordinator]
            job.end(coordinator)
        return None
