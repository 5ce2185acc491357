"""Coordinator: decides what one search trains next, and records the results.

It knows nothing of Ray: it hands out tasks and takes their results, so that a cluster, a
benchmark and a test drive it alike. All that it decides by is the metric on validation nodes.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from l2p_search.errors import SearchError, TrainingBugError, argument
from l2p_search.intervals import val_by_seed
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.controls import expected_pieces
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.confirming import Confirming
from l2p_search.searching.running.keeping import ModelKeeper
from l2p_search.searching.running.pacing import Pace, ahead_of
from l2p_search.searching.running.parts import Divide, whole
from l2p_search.searching.running.proposals import Proposer
from l2p_search.searching.running.racing import groups
from l2p_search.searching.running.standing import Standing
from l2p_search.searching.running.tasks import Task
from l2p_search.trial_record import TrialRecord

_log = logging.getLogger(__name__)

_ATTEMPTS = 2
"""A trial whose worker dies is started once more, and fails when its worker dies again."""
_HOPELESS = 5
"""After this many trials that raised an error, and none that trained, the search gives up."""


class Coordinator:
    """Hands out the tasks of one search until its goal is reached.

    Results are written to the journal before anything else is done with them.

    Attributes:
        concurrency: How many tasks may run at once.
        out_of_time: Whether the time budget has stopped further trials.
        unconfirmed: Trial number -> why it could not be confirmed on fresh seeds.
        unchecked: What the winner is held against, by name -> why it could not be trained.
        fatal: The error that ends the search, if there was one.
    """

    def __init__(
        self,
        journal: Journal,
        goal: Goal,
        *,
        concurrency: int = 1,
        on_event: Callable[[Event, Snapshot], None] = lambda event, snapshot: None,
        clock: Callable[[], float] = time.monotonic,
        keeper: ModelKeeper | None = None,
        divide: Divide = whole,
    ) -> None:
        """Continue a search; trials that were interrupted come first.

        Args:
            journal: The search, open for writing.
            goal: How far this invocation goes.
            concurrency: How many tasks may run at once.
            on_event: Called with everything that happens and with how the search stands.
            clock: Seconds of a clock that never goes back.
            keeper: Keeps the model of the winner; None for no model.
            divide: Divides the fresh seeds of a configuration into parts, for several workers.
        """
        self._journal, self._goal, self._keeper = journal, goal, keeper
        self._settings = journal.settings
        self._proposer = Proposer(journal, self._settings)
        self.concurrency, self._on_event, self._clock = concurrency, on_event, clock
        self._started = clock()
        self._standing = Standing(journal.each_record(), race=self._settings.race)
        self._waiting = deque(self._trial(record) for record in self._standing.open.values())
        self._no_more = False
        self._confirming = Confirming(journal, goal, keeper, divide)
        self._running: set[Task] = set()
        self._trained: dict[Task, TrialResult] = {}
        self._ended: set[Task] = set()
        self._errors = 0
        self._pace = Pace(clock)
        self._stop = threading.Event()
        self.out_of_time = False
        self.unconfirmed = self._confirming.unconfirmed
        self.unchecked = self._confirming.unchecked
        self.fatal: SearchError | TrainingBugError | None = None

    def stop(self) -> None:
        """Hand out no further task, and give up the running ones. Safe in a signal handler."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        """Whether the search was stopped or hit an error that ends it."""
        return self._stop.is_set() or self.fatal is not None

    @property
    def exhausted(self) -> bool:
        """Whether every configuration of a countable space has been proposed."""
        size = self._settings.size
        return self._no_more or (size is not None and len(self._standing) >= size)

    @property
    def has_work(self) -> bool:
        """Whether anything is left to train: trials, or confirmations."""
        further = len(self._standing) < self._total
        return bool(self._waiting) or further or bool(self._confirming.to_train())

    @property
    def done(self) -> bool:
        """Whether no task is running and none will follow."""
        fresh = self._confirming.waiting
        waits = self._waiting or fresh is None or fresh
        return self.stopping or not (self._running or waits)

    def next_task(self, *, spare: bool = False) -> Task | None:
        """Hand out the next task.

        Args:
            spare: Whether a worker is free that no search needs: confirmations may have it beyond
                `concurrency`, as the order in which they run changes nothing.

        Returns:
            An interrupted trial, a new trial, or once all trials have ended a confirmation; None
            when all workers are busy, or when there is nothing to do now.
        """
        full = len(self._running) >= self.concurrency
        if self.stopping or (full and not (spare and self._confirming.waiting)):
            return None
        task = None
        with self._fatal():
            task = self._waiting.popleft() if self._waiting else self._next_trial()
            if task is None:
                task = self._next_confirmation()
            if task is not None:
                self._running.add(task)
                self._pace.begin(task, task.title)
                self._tell(Event("started", self._record(task)))
        return task

    def report(self, task: Task, measured: dict[str, Any], weights: bytes | None = None) -> bool:
        """Take the result of one group of seeds.

        Args:
            task: What was handed out.
            measured: `TrialResult.measured` of the group.
            weights: What its seeds learned, where the task asks for that.

        Returns:
            Whether the next group shall be trained. False when the trial has ended: complete,
            failed, or raced out.
        """
        with self._fatal():
            settings = self._settings
            result = TrialResult.from_record(
                measured, task.config, settings.dataset, settings.data_digest, settings.metric
            )
            if self._keeper is not None and task.with_weights:
                result = self._keeper.with_weights(result, weights)
            if (before := self._trained.get(task)) is not None:
                result = before.joined(result)
            self._trained[task] = result
            trained = len(result.seeds)
            if result.reason is not None:
                self._end(task, TrialStatus.FAILED, result, result.reason)
            elif trained == sum(map(len, task.groups)):
                self._end(task, TrialStatus.COMPLETE, result)
            elif reason := self._standing.why_stop(task.number, val_by_seed(result)):
                self._end(task, TrialStatus.RACED_OUT, result, reason)
            else:
                return True
        return False

    def fail(self, task: Task, reason: str) -> None:
        """Record that training raised an error that the configuration can have caused.

        Args:
            task: What was handed out.
            reason: The error, in one line.
        """
        with self._fatal():
            self._end(task, TrialStatus.FAILED, None, reason)
            self._errors += 1
            if self._errors >= _HOPELESS and not self._standing.seeds_trained:
                raise SearchError(
                    f"the first {_HOPELESS} trials all failed, the last one with: {reason};"
                    f" mend the cause, then search under another {argument('name')}"
                )

    def bug(self, task: Task, reason: str, traceback: str) -> None:
        """End the search because training hit a bug; the trial runs again when it is resumed.

        Args:
            task: What was handed out.
            reason: The error, in one line.
            traceback: Where it was raised.
        """
        self.fatal = TrainingBugError(
            f"trial {task.number} of search '{self._journal.directory.name}' hit a bug in"
            f" l2p-search ({reason}); what has ended is kept\n\n{traceback.rstrip()}"
        )

    def progress(self, task: Task, told: Mapping[str, Any]) -> None:
        """Take how far a training is: fields of `Running` with their values."""
        self._pace.progress(task, told)
        self._tell(Event("progressed", self._record(task)))

    def finish(self) -> None:
        """Tell that nothing is left to train."""
        self._tell(Event("finished"))

    def note(self, task: Task, text: str) -> None:
        """Tell what training warned of, in one line."""
        self._tell(Event("noted", self._record(task), reason=text))

    def release(self, task: Task, reason: str = "its worker vanished") -> None:
        """Take back a task whose worker is free again, or dead.

        Args:
            task: What was handed out. If it has not ended, its worker died: it is tried once
                more, and fails the second time.
            reason: Why the worker was lost, if it was.
        """
        self._running.discard(task)
        self._pace.end(task)
        self._trained.pop(task, None)
        if task in self._ended or self.stopping:
            self._ended.discard(task)
            return
        with self._fatal():
            if task.attempt < _ATTEMPTS:
                self._waiting.append(replace(task, attempt=task.attempt + 1))
                self._tell(Event("retried", self._record(task), reason=reason))
            else:
                self._end(task, TrialStatus.FAILED, None, f"{reason}, {_ATTEMPTS} times")
                self._ended.discard(task)

    def close(self) -> None:
        """Mark the running trials in the journal as interrupted."""
        with self._fatal():
            for number in self._standing.open:
                self._journal.mark_interrupted(number)

    def _next_trial(self) -> Task | None:
        number = len(self._standing)
        if number >= self._total or self.out_of_time or self._no_more:
            return None
        budget = self._goal.time_budget
        if budget is not None and self._clock() - self._started >= budget:
            self.out_of_time = True
            self._tell(Event("out_of_time"))
            return None
        config = self._proposer.propose(number, self._standing.known)
        if config is None:
            self._no_more = True
            return None
        record = TrialRecord(
            number=number,
            status=TrialStatus.RUNNING,
            config=config,
            metric=self._settings.metric,
        )
        self._standing.keep(record)
        return self._trial(record)

    def _next_confirmation(self) -> Task | None:
        """The next confirmation on fresh seeds, once every trial has ended."""
        if self._confirming.waiting is None:
            if self._running:
                return None
            if self.exhausted and self._goal.trials > len(self._standing):
                self._tell(Event("exhausted"))
            self._confirming.begin()
        return self._confirming.next_task()

    def _record(self, task: Task) -> TrialRecord:
        """The trial that a task trains or confirms."""
        trials = self._standing.open if task.kind == "trial" else self._confirming.trials
        running = TrialRecord(
            number=task.number,
            status=TrialStatus.RUNNING,
            config=task.config,
            metric=self._settings.metric,
        )
        return trials.get(task.number, running)  # what a worker notes may come after its result

    def _trial(self, record: TrialRecord) -> Task:
        settings = self._settings
        in_groups = groups(range(settings.seeds), settings.race)
        return Task(
            "trial",
            record.number,
            record.config,
            in_groups,
            settings.metric,
            sealed=settings.sealed,
        )

    def _end(
        self,
        task: Task,
        status: TrialStatus,
        result: TrialResult | None,
        reason: str | None = None,
    ) -> None:
        self._ended.add(task)
        self._pace.end(task)
        if result is not None:
            fresh = task.kind == "confirmation"
            self._standing.trained(len(result.seeds), result.seconds, fresh=fresh)
        if task.kind == "confirmation":
            self._end_confirmation(task, result, reason)
            return
        record = TrialRecord(
            number=task.number,
            status=status,
            config=task.config,
            result=result,
            reason=reason,
            ended=time.time(),
            metric=self._settings.metric,
        )
        self._journal.end(record)
        self._standing.keep(record)
        self._tell(Event("ended", record))

    def _end_confirmation(
        self, task: Task, result: TrialResult | None, reason: str | None
    ) -> None:
        ended = self._confirming.end(task, result, reason)
        if ended is None:
            return
        told = None if ended.result is None else replace(ended.result, weights=None)
        self._tell(Event("confirmed", self._record(task), told, ended.reason, task.name))
        trained = ended.result if task.with_weights and ended.reason is None else None
        if self._keeper is not None and trained is not None:
            self._keeper.keep(trained, len(self._standing))

    @contextmanager
    def _fatal(self) -> Iterator[None]:
        """Keep an error of the search in `fatal`: raised here, it would end up inside Ray Tune."""
        try:
            yield
        except SearchError as error:
            self.fatal = error

    def _tell(self, event: Event) -> None:
        number = "-" if event.record is None else event.record.number
        level = logging.DEBUG if event.kind == "progressed" else logging.INFO
        _log.log(level, "%s, trial %s %s", event.kind, number, event.reason or "")
        self._on_event(event, self.snapshot())

    def snapshot(self) -> Snapshot:
        """Summarise how the search stands, for a display."""
        seconds, unbegun = self._clock() - self._started, self._total - len(self._standing)
        ahead = ahead_of(
            self._standing,
            self._goal,
            pieces=expected_pieces(self._settings, self._goal),
            trials=0 if self.out_of_time or self._no_more else unbegun + len(self._waiting),
            confirmations=self._confirming.waiting,
            seconds=seconds,
            confirmed=self._confirming.trials.values(),
        )
        return self._standing.snapshot(
            goal=self._goal.trials,
            total=self._total,
            seconds=seconds,
            seconds_left=self._pace.seconds_left(ahead, max(self.concurrency, len(self._running))),
            running=self._pace.running,
            training_seconds=self._pace.training_seconds,
            confirming=self._confirming.total,
            confirmed=self._confirming.ended,
        )

    @property
    def _total(self) -> int:
        """How many trials there will be: the goal, or all configurations if they are fewer."""
        return self._settings.at_most(self._goal.trials)
