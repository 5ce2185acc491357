"""Pool: several searches that share the workers, so that no worker idles at a search's end.

A single search runs as many trials at once as there are workers. Of several searches, as many run
at once as there are workers, each with one trial at a time: its proposals then depend on its own
results alone, not on which worker was free first; its confirmations, whose order changes nothing,
also take workers that no other search has a trial for. A grid or a random search, which proposes
the same whatever was found, may use all workers.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, TrainingBugError
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.tasks import Task


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """A search to run.

    Args:
        graph: What it trains on.
        any_order: Whether its proposals do not depend on results, so that several of its trials
            may run at once beside other searches.
        begin: Opens the search; called when a worker is free for it.
        end: Called when the search is done, or was given up after it was opened.
    """

    graph: Graph
    any_order: bool = False
    begin: Callable[[], Coordinator]
    end: Callable[[Coordinator], None] = lambda coordinator: None


@dataclass(frozen=True, eq=False)
class Assignment:
    """A task with the search that it belongs to.

    Args:
        coordinator: Of that search.
        task: What to train.
        graph: The digest of the graph to train on.
    """

    coordinator: Coordinator
    task: Task
    graph: str


class Pool:
    """Hands out the tasks of all searches, those of the earlier searches first."""

    def __init__(
        self, jobs: Iterable[Job], concurrency: int, stop: threading.Event | None = None
    ) -> None:
        """Run searches until all are done or `stop` is set.

        Args:
            jobs: The searches, in the order in which they are begun.
            concurrency: How many tasks may run at once.
            stop: Gives everything up when somebody sets it, from any thread.
        """
        self._stop = threading.Event() if stop is None else stop
        self._waiting = deque(jobs)
        self._concurrency = concurrency
        self._single = len(self._waiting) == 1
        self._open: dict[Coordinator, Job] = {}
        self._running: set[Assignment] = set()

    def needs_workers(self) -> bool:
        """Open searches in their order until one has something to train; end those that have not.

        Returns:
            Whether there is one. If not, all searches are done, or being given up.
        """
        while not self._open and self._waiting and not self.stopping:
            coordinator = self._begin()
            if not coordinator.has_work:
                self._open.pop(coordinator).end(coordinator)
        return bool(self._open) and not self.stopping

    def widen(self, concurrency: int) -> None:
        """Let that many tasks run at once from now on."""
        self._concurrency = concurrency
        for coordinator, job in self._open.items():
            self._share_workers(coordinator, job)

    def next(self) -> Assignment | None:
        """Hand out the next task.

        Returns:
            A task of the earliest search that has one; None when all workers are busy, or when
            there is nothing to do now.
        """
        if self.stopping or len(self._running) >= self._concurrency:
            return None
        for coordinator in list(self._open):
            if (found := self._task_of(coordinator)) is not None:
                return found
        while self._waiting and not self.stopping:
            if (found := self._task_of(self._begin())) is not None:
                return found
        for coordinator in list(self._open):
            if (found := self._task_of(coordinator, spare=True)) is not None:
                return found
        return None

    @property
    def done(self) -> bool:
        """Whether no task is running and none will follow."""
        return self.stopping or not (self._open or self._waiting)

    def stop(self) -> None:
        """Give all searches up. Safe in a signal handler."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        """Whether all searches are being given up: stopped, or ended by an error of one."""
        if self._stop.is_set():
            for coordinator in list(self._open):
                coordinator.stop()
        return self._stop.is_set() or self.fatal is not None

    @property
    def fatal(self) -> SearchError | TrainingBugError | None:
        """The error of one search that ends all of them, if there was one."""
        return next((c.fatal for c in list(self._open) if c.fatal is not None), None)

    def report(
        self, given: Assignment, measured: dict[str, Any], weights: bytes | None = None
    ) -> bool:
        """Take the result of one group of seeds: `Coordinator.report`."""
        return given.coordinator.report(given.task, measured, weights)

    def fail(self, given: Assignment, reason: str) -> None:
        """Record that training raised an error: `Coordinator.fail`."""
        given.coordinator.fail(given.task, reason)

    def bug(self, given: Assignment, reason: str, traceback: str) -> None:
        """End all searches because training hit a bug: `Coordinator.bug`."""
        given.coordinator.bug(given.task, reason, traceback)

    def note(self, given: Assignment, text: str) -> None:
        """Pass on what training warned of: `Coordinator.note`."""
        given.coordinator.note(given.task, text)

    def progress(self, given: Assignment, told: dict[str, Any]) -> None:
        """Take how far a training is: `Coordinator.progress`."""
        given.coordinator.progress(given.task, told)

    def release(self, given: Assignment, reason: str = "its worker vanished") -> None:
        """Take back a task whose worker is free again, or dead: `Coordinator.release`."""
        self._running.discard(given)
        if self._stop.is_set():
            given.coordinator.stop()
        given.coordinator.release(given.task, reason)

    def close(self) -> None:
        """Mark the running trials of all open searches as interrupted, and end these searches."""
        for coordinator, job in self._open.items():
            coordinator.close()
            job.end(coordinator)

    def _begin(self) -> Coordinator:
        job = self._waiting.popleft()
        coordinator = job.begin()
        self._share_workers(coordinator, job)
        self._open[coordinator] = job
        return coordinator

    def _share_workers(self, coordinator: Coordinator, job: Job) -> None:
        coordinator.concurrency = self._concurrency if self._single or job.any_order else 1

    def _task_of(self, coordinator: Coordinator, *, spare: bool = False) -> Assignment | None:
        task = coordinator.next_task(spare=spare)
        job = self._open[coordinator]
        if task is not None:
            given = Assignment(coordinator, task, job.graph.digest)
            self._running.add(given)
            return given
        if coordinator.done and not coordinator.stopping:
            del self._open[coordinator]
            coordinator.finish()
            job.end(coordinator)
        return None
