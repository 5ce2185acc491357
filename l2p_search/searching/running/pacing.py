"""Pace: how far the running tasks of a search are, and how long the rest of it takes."""

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from l2p_search.progress import Running
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.standing import Standing
from l2p_search.searching.running.tasks import Task
from l2p_search.trial_record import TrialRecord

_ENOUGH = 0.02
"""The share of a training that must be done before the rest is estimated by it."""
_MOST_SLOWER = 4.0
"""The confirmation is never thought to go on slower than so many times what was expected."""


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """What a search has not begun yet.

    Attributes:
        trials: How many trials.
        confirmations: Seeds of each training of the confirmation, as far as is known.
        configs: The `config_id` of each; empty while they are not known.
        own: `config_id` -> what a seed of it took in the trials.
        trial_seconds: What a trial takes; None before one has ended.
        seed_seconds: What a fresh seed takes, of the best configuration and of what is trained
            beside it; None before a trial has ended.
        budget: Seconds after which no trial is begun; None for no such limit.
    """

    trials: int
    confirmations: Sequence[int]
    trial_seconds: float | None
    seed_seconds: float | None
    budget: float | None = None
    configs: Sequence[str] = ()
    own: Mapping[str, float] = field(default_factory=dict)


def ahead_of(
    standing: Standing,
    goal: Goal,
    *,
    pieces: int,
    trials: int,
    confirmations: Collection[Task] | None,
    seconds: float,
    confirmed: Collection[TrialRecord] = (),
) -> Ahead:
    """What a search has not begun yet, and what that takes by what has ended so far.

    Args:
        standing: The trials so far.
        goal: How far the search goes.
        pieces: How many configurations are expected to be trained on fresh seeds, as the dry run
            counts them.
        trials: How many trials have not begun.
        confirmations: Those that have not begun. None where they are not known, before the trials
            have ended.
        seconds: Since the search was started.
        confirmed: The trials that are confirmed: how long a seed of them takes is known.

    Returns:
        It.
    """
    fresh, configs = [goal.confirm] * pieces, []
    if confirmations is not None:
        fresh = [sum(map(len, task.groups)) for task in confirmations]
        configs = [task.config.config_id for task in confirmations]
    best, own = standing.best, 0.0
    if best is not None and best.result is not None:
        own = best.result.seconds / len(best.result.seeds)
    # What is trained beside the winner may take longer than it: the default configuration takes
    # as long as a usual trial. So the longest of what is known counts.
    seed_seconds = max(own, standing.seconds_per_seed, standing.seconds_per_fresh_seed)
    trial_seconds = standing.seconds_per_trial()
    if trial_seconds is None and not trials:
        trial_seconds = None if best is None or best.result is None else best.result.seconds
    budget = goal.time_budget
    return Ahead(
        trials=trials,
        confirmations=fresh,
        trial_seconds=trial_seconds,
        seed_seconds=seed_seconds or None,
        budget=None if budget is None else max(0.0, budget - seconds),
        configs=configs,
        own={
            each.config.config_id: each.result.seconds / len(each.result.seeds)
            for each in confirmed
            if each.result is not None
        },
    )


class Pace:
    """Knows how far every running task is, from what its worker tells."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """No task is running yet.

        Args:
            clock: Seconds of a clock that never goes back.
        """
        self._clock = clock
        self._running: dict[Task, tuple[float, Running]] = {}
        self._first: float | None = None
        self._expected: dict[Task, float] = {}
        self._took = self._thought = 0.0

    def begin(self, task: Task, title: str) -> None:
        """A worker has the task; `title` is what people call it."""
        now = self._clock()
        self._first = now if self._first is None else self._first
        stage = "trials" if task.kind == "trial" else "confirmation"
        seeds = sum(map(len, task.groups))
        running = Running(
            stage=stage, number=task.number, title=title, config=task.config, seeds=seeds
        )
        self._running[task] = now, running

    def progress(self, task: Task, told: Mapping[str, Any]) -> None:
        """Take how far a task is.

        Args:
            task: What was handed out.
            told: Fields of `Running` with their values.
        """
        if task in self._running:  # what a worker tells may come after its result
            since, running = self._running[task]
            self._running[task] = since, replace(running, **told)

    def end(self, task: Task) -> None:
        """The task runs no longer."""
        since, _ = self._running.pop(task, (None, None))
        expected = self._expected.pop(task, None)
        if since is not None and expected is not None:
            self._took += self._clock() - since
            self._thought += expected

    @property
    def _slower(self) -> float:
        """How many times longer trainings on fresh seeds took than expected, by the clock."""
        slower = self._took / self._thought if self._thought > 0.0 else 1.0
        return min(max(slower, 1.0), _MOST_SLOWER)

    @property
    def running(self) -> tuple[Running, ...]:
        """The running tasks, trials by their number."""
        now = self._clock()
        found = [replace(each, seconds=now - since) for since, each in self._running.values()]
        return tuple(sorted(found, key=lambda each: each.number))

    @property
    def training_seconds(self) -> float | None:
        """Since a worker had the first task; None before that."""
        return None if self._first is None else self._clock() - self._first

    def seconds_left(self, ahead: Ahead, concurrency: int) -> tuple[float | None, bool]:
        """How long the running tasks and all that follows take.

        Args:
            ahead: What has not begun yet.
            concurrency: How many tasks run at once.

        Returns:
            The seconds, None while there is nothing to tell them by; and whether they are a bound:
            before a trial has ended they are those of trials whose seeds never stop early.
        """
        running = self.running
        usual = ahead.trial_seconds or _projected(running)
        if usual is None:
            return None, False
        seed = ahead.seed_seconds or usual / running[0].seeds
        now = [_rest(each, usual) for each in running if each.stage == "trials"]
        trials = _side_by_side([*now, *[usual] * ahead.trials], concurrency)
        if ahead.budget is not None:
            trials = min(trials, ahead.budget + usual)
        fresh = []
        for task, (since, each) in self._running.items():
            if each.stage == "trials":
                continue
            whole = ahead.own.get(each.config.config_id, seed) * each.seeds
            self._expected[task] = whole
            begun = replace(each, seconds=self._clock() - since)
            fresh.append(_rest(begun, whole * self._slower))
        configs = [*ahead.configs, *[""] * (len(ahead.confirmations) - len(ahead.configs))]
        for seeds, config in zip(ahead.confirmations, configs, strict=True):
            fresh.append(ahead.own.get(config, seed) * seeds * self._slower)
        return trials + _in_turn(fresh, concurrency), ahead.trial_seconds is None


def _projected(running: Sequence[Running]) -> float | None:
    """What a trial takes if it goes on as the running ones have begun."""
    found = [each.seconds / each.share for each in running if each.share >= _ENOUGH]
    return sum(found) / len(found) if found else None


def _rest(running: Running, usual: float) -> float:
    """What a running task still takes: at least a little, however long it has taken."""
    if running.seconds >= usual and running.share >= _ENOUGH:
        # It takes longer than expected; as it goes on, but seeds may stop early.
        rest = running.seconds * (1.0 - running.share) / running.share
        return max(min(rest, usual), usual * 0.05)
    return max(usual - running.seconds, usual * 0.05)


def _side_by_side(seconds: Sequence[float], concurrency: int) -> float:
    """How long tasks take that share the workers: not less than the longest of them."""
    return max([*seconds, sum(seconds) / concurrency])


def _in_turn(seconds: Sequence[float], concurrency: int) -> float:
    """How long tasks take that are begun in this order, each by the first worker that is free."""
    free = [0.0] * max(1, concurrency)
    for each in seconds:
        heapq.heapreplace(free, free[0] + each)
    return max(free)
