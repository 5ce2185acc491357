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
from dataclasses import dataclass, replace
from typing import Any

from l2p_search.errors import SearchError, TrainingBugError, argument
from l2p_search.intervals import val_by_seed
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.controls import Piece, expected_pieces, pieces_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import ties_of
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.keeping import ModelKeeper
from l2p_search.searching.running.pacing import Pace, ahead_of
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
    ) -> None:
        """Continue a search; trials that were interrupted come first.

        Args:
            journal: The search, open for writing.
            goal: How far this invocation goes.
            concurrency: How many tasks may run at once.
            on_event: Called with everything that happens and with how the search stands.
            clock: Seconds of a clock that never goes back.
            keeper: Keeps the model of the winner; None for no model.
        """
        self._journal, self._goal, self._keeper = journal, goal, keeper
        self._settings = journal.settings
        self._proposer = Proposer(journal, self._settings)
        self.concurrency, self._on_event, self._clock = concurrency, on_event, clock
        self._started = clock()
        self._standing = Standing(journal.each_record(), race=self._settings.race)
        self._waiting = deque(self._trial(record) for record in self._standing.open.values())
        self._no_more = False
        self._confirmations: deque[Task] | None = None
        self._running: set[Task] = set()
        self._trained: dict[Task, TrialResult] = {}
        self._ended: set[Task] = set()
        self._confirmed: dict[int, TrialRecord] = {}
        self._tally = _Tally()
        self._pace = Pace(clock)
        self._stop = threading.Event()
        self.out_of_time = False
        self.unconfirmed: dict[int, str] = {}
        self.unchecked: dict[str, str] = {}
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
        return bool(self._waiting) or further or bool(self._to_confirm())

    @property
    def done(self) -> bool:
        """Whether no task is running and none will follow."""
        waits = self._waiting or self._confirmations is None or self._confirmations
        return self.stopping or not (self._running or waits)

    def next_task(self) -> Task | None:
        """Hand out the next task.

        Returns:
            An interrupted trial, a new trial, or once all trials have ended a confirmation; None
            when all workers are busy, or when there is nothing to do now.
        """
        if self.stopping or len(self._running) >= self.concurrency:
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
            if (before := self._trained.get(task)) is not None:
                result = before.joined(result)
            self._trained[task] = result
            trained = len(result.seeds)
            if result.reason is not None:
                self._end(task, TrialStatus.FAILED, result, result.reason)
            elif trained == sum(map(len, task.groups)):
                self._end(task, TrialStatus.COMPLETE, result)
                if self._keeper is not None and task.with_weights:
                    self._keeper.keep(result, weights, len(self._standing))
            elif (winner := self._standing.beaten_by(val_by_seed(result))) is not None:
                reason = f"worse than trial {winner} on its first {trained} seeds"
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
            self._tally.errors += 1
            if self._tally.errors >= _HOPELESS and not self._standing.seeds_trained:
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
        if self._confirmations is None:
            if self._running:
                return None
            if self.exhausted and self._goal.trials > len(self._standing):
                self._tell(Event("exhausted"))
            self._confirmations = deque(self._to_confirm())
            self._tally.confirming = len(self._confirmations)
        return self._confirmations.popleft() if self._confirmations else None

    def _to_confirm(self) -> list[Task]:
        """What of the confirmation is not trained yet, or whose model is not kept yet."""
        if not self._goal.confirm or self._standing.best is None:
            return []
        done = set(self._journal.checked())
        ties = ties_of(record.in_short() for record in self._journal.each_record())
        self._confirmed = {record.number: record for record in ties[: 1 + self._goal.ties]}
        numbers = {each.config.config_id: number for number, each in self._confirmed.items()}
        tasks = []
        for piece in pieces_of(self._settings, self._goal, list(self._confirmed.values())):
            lacks_model = (
                piece.role == "winner"
                and self._keeper is not None
                and not self._keeper.has(piece.config, piece.seeds)
            )
            if lacks_model or piece.key not in done:
                number = numbers.get(piece.config.config_id, ties[0].number)
                tasks.append(self._confirmation(piece, number, lacks_model))
                done.add(piece.key)
        return tasks

    def _confirmation(self, piece: Piece, number: int, with_weights: bool) -> Task:
        return Task(
            "confirmation",
            number,
            piece.config,
            (piece.seeds,),
            self._settings.metric,
            with_weights=with_weights,
            splits=piece.splits,
            role=piece.role,
            name=None if piece.role in ("winner", "tie") else piece.name,
        )

    def _record(self, task: Task) -> TrialRecord:
        """The trial that a task trains or confirms."""
        trials = self._standing.open if task.kind == "trial" else self._confirmed
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
            of_trial = result.seconds if task.kind == "trial" else None
            self._standing.trained(len(result.seeds), of_trial)
        if task.kind == "confirmation":
            self._tally.confirmed += 1
            if result is not None and status is not TrialStatus.FAILED:
                self._confirm(task, result)
            elif task.name is None:
                self.unconfirmed[task.number] = reason or "failed"
            else:
                self.unchecked[task.name] = reason or "failed"
            self._tell(Event("confirmed", self._record(task), result, reason, task.name))
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

    def _confirm(self, task: Task, result: TrialResult) -> None:
        """Note a confirmation; one that was trained again for its model is noted already."""
        if (task.config.config_id, task.groups[0], task.splits) not in self._journal.checked():
            self._journal.confirm(result, task.splits)

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
            confirmations=self._confirmations,
            seconds=seconds,
        )
        return self._standing.snapshot(
            goal=self._goal.trials,
            total=self._total,
            seconds=seconds,
            seconds_left=self._pace.seconds_left(ahead, self.concurrency),
            running=self._pace.running,
            training_seconds=self._pace.training_seconds,
            confirming=self._tally.confirming,
            confirmed=self._tally.confirmed,
        )

    @property
    def _total(self) -> int:
        """How many trials there will be: the goal, or all configurations if they are fewer."""
        return self._settings.at_most(self._goal.trials)


@dataclass
class _Tally:
    """Counts of what this invocation has done, earlier ones not included."""

    errors: int = 0
    confirming: int = 0
    confirmed: int = 0
