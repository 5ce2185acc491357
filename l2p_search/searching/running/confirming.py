"""Confirming: what a search trains on fresh seeds once its trials have ended.

The seeds of one configuration may be trained in parts, by several workers at once. Its result is
noted once, when all parts are there, joined in the order of the seeds.
"""

from collections import deque
from dataclasses import dataclass, replace
from functools import reduce

from l2p_search.results import TrialResult
from l2p_search.searching.records.controls import Piece, pieces_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import ties_of
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.keeping import ModelKeeper
from l2p_search.searching.running.parts import Divide, Parts, whole
from l2p_search.searching.running.tasks import Task
from l2p_search.trial_record import TrialRecord


@dataclass(frozen=True)
class Ended:
    """How a configuration ended on its fresh seeds.

    Args:
        result: Of all its seeds, with their weights where these were asked for; None where it
            raised an error.
        reason: Why it failed; None when it did not.
    """

    result: TrialResult | None
    reason: str | None


@dataclass
class _Piece:
    """One configuration whose fresh seeds are being trained, by part."""

    parts: Parts
    trained: dict[tuple[int, ...], TrialResult]
    failed: bool = False


class Confirming:
    """Hands out the trainings on fresh seeds of one search, and notes their results.

    Attributes:
        waiting: The tasks that were not handed out; None before all trials have ended.
        trials: Number -> trial, of those that are confirmed: the winner, and its ties.
        total: How many configurations this invocation trains.
        ended: How many of them have ended.
        unconfirmed: Trial number -> why it could not be confirmed on fresh seeds.
        unchecked: What the winner is held against, by name -> why it could not be trained.
    """

    def __init__(
        self, journal: Journal, goal: Goal, keeper: ModelKeeper | None, divide: Divide = whole
    ) -> None:
        """Nothing is handed out before `begin`.

        Args:
            journal: The search, open for writing.
            goal: How many fresh seeds there are, and what is trained on them.
            keeper: Keeps the model of the winner; None for no model.
            divide: Divides the fresh seeds of a configuration into parts.
        """
        self._journal, self._goal, self._keeper = journal, goal, keeper
        self._divide = divide
        self._pieces: dict[tuple[str, tuple[int, ...], str | None], _Piece] = {}
        self.waiting: deque[Task] | None = None
        self.trials: dict[int, TrialRecord] = {}
        self.total = self.ended = 0
        self.unconfirmed: dict[int, str] = {}
        self.unchecked: dict[str, str] = {}

    def begin(self) -> None:
        """Find out what is to be trained, now that every trial has ended."""
        tasks = self.to_train()
        self.total = len(tasks)
        self.waiting = deque()
        for task in tasks:
            parts = self._divide(task.config, task.groups[0])
            self._pieces[task.piece] = _Piece(parts, {})
            self.waiting += [replace(task, groups=(part,), whole=task.groups[0]) for part in parts]

    def next_task(self) -> Task | None:
        """The next task; None when all are handed out, or before `begin`."""
        return self.waiting.popleft() if self.waiting else None

    def to_train(self) -> list[Task]:
        """What of the confirmation is not trained yet, or whose model is not kept yet."""
        if not self._goal.confirm:
            return []
        ties = ties_of(record.in_short() for record in self._journal.each_record())
        if not ties:
            return []
        done = set(self._journal.checked())
        self.trials = {record.number: record for record in ties[: 1 + self._goal.ties]}
        numbers = {each.config.config_id: number for number, each in self.trials.items()}
        tasks = []
        settings = self._journal.settings
        for piece in pieces_of(settings, self._goal, list(self.trials.values())):
            lacks_model = (
                piece.role == "winner"
                and self._keeper is not None
                and not self._keeper.has(piece.config, piece.seeds)
            )
            if lacks_model or piece.key not in done:
                number = numbers.get(piece.config.config_id, ties[0].number)
                tasks.append(self._task(piece, number, lacks_model))
                done.add(piece.key)
        return tasks

    def _task(self, piece: Piece, number: int, with_weights: bool) -> Task:
        return Task(
            "confirmation",
            number,
            piece.config,
            (piece.seeds,),
            self._journal.settings.metric,
            with_weights=with_weights,
            splits=piece.splits,
            role=piece.role,
            name=None if piece.role in ("winner", "tie") else piece.name,
        )

    def end(self, task: Task, result: TrialResult | None, reason: str | None) -> Ended | None:
        """Take how a task ended.

        Args:
            task: What was handed out.
            result: Of its seeds; None where it raised an error.
            reason: The error.

        Returns:
            How its configuration ended; None while other parts of it are trained, and for what
            comes after one of them has failed.
        """
        piece = self._pieces[task.piece]
        if piece.failed:
            return None
        if result is None:
            piece.failed = True
            self.waiting = deque(each for each in self.waiting or () if each.piece != task.piece)
            return self._ended(task, Ended(None, reason or "failed"))
        piece.trained[task.groups[0]] = result
        if len(piece.trained) < len(piece.parts):
            return None
        joined = reduce(TrialResult.joined, (piece.trained[part] for part in piece.parts))
        piece.trained.clear()
        return self._ended(task, Ended(joined, joined.reason))

    def _ended(self, task: Task, ended: Ended) -> Ended:
        self.ended += 1
        if ended.result is not None and ended.reason is None:
            self._note(task, ended.result)
        elif task.name is None:
            self.unconfirmed[task.number] = ended.reason or "failed"
        else:
            self.unchecked[task.name] = ended.reason or "failed"
        return ended

    def _note(self, task: Task, result: TrialResult) -> None:
        """Note a confirmation; one that was trained again for its model is noted already."""
        if task.piece not in self._journal.checked():
            self._journal.confirm(result, task.splits)
