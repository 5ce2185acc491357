"""What a running search tells a display: events, and how the search stands."""

from dataclasses import dataclass
from typing import Literal

from l2p_search.config import TrialConfig
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.trial_record import TrialRecord

EventKind = Literal[
    "started",
    "progressed",
    "ended",
    "retried",
    "noted",
    "exhausted",
    "out_of_time",
    "confirmed",
    "finished",
]
"""Kinds of events: a trial or confirmation started, a worker told how far its training is, a trial
ended, a trial is tried again because its worker died, training warned of something, the space has
no further configuration, the time budget is used up, a trial was confirmed on fresh seeds, nothing
is left to train."""


@dataclass(frozen=True)
class Event:
    """Something that happened to a trial or to the search.

    Args:
        kind: What happened.
        record: The trial, if it happened to one.
        result: Of a confirmation.
        reason: Why a trial is tried again or a confirmation failed, or what training warned of.
        subject: What was trained on fresh seeds, where it is not the trial itself: "MLP", "the
            winner on fresh splits".
    """

    kind: EventKind
    record: TrialRecord | None = None
    result: TrialResult | None = None
    reason: str | None = None
    subject: str | None = None


@dataclass(frozen=True, kw_only=True)
class Running:
    """A configuration that a worker trains now, and how far it is.

    Attributes:
        stage: What it is part of: "trials", or "confirmation".
        number: The number of the trial.
        title: What it is called, such as "trial 7" or "trial 7 on fresh seeds".
        config: The configuration.
        seeds: How many seeds it is trained on.
        finished: How many of them have stopped.
        epoch: The epoch of those that train together now; 0 before the first was told.
        epochs: How many epochs they train at most.
        best_val: Their mean on validation so far, in percent; None before the first was told.
        seconds: Since a worker has it.
    """

    stage: str
    number: int
    title: str
    config: TrialConfig
    seeds: int
    finished: int = 0
    training: int = 0
    epoch: int = 0
    epochs: int = 0
    best_val: float | None = None
    seconds: float = 0.0

    @property
    def seeds_done(self) -> float:
        """How many seeds' work is done, if no seed that trains stops early."""
        part = self.epoch / self.epochs if self.epochs else 0.0
        return min(float(self.seeds), self.finished + self.training * part)

    @property
    def share(self) -> float:
        """Which share of its work is done, if no seed that trains stops early."""
        return self.seeds_done / self.seeds if self.seeds else 0.0


@dataclass(frozen=True)
class Stage:
    """A part of a search that is done before the next one begins.

    Attributes:
        name: What it is called: "trials", "confirmation".
        done: How many configurations of it have ended.
        total: How many it has in all.
    """

    name: str
    done: int
    total: int


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """How a search stands.

    Args:
        goal: How many trials it is to have.
        counts: Status -> number of trials, those of earlier invocations included.
        best: The best trial so far.
        best_so_far: The best validation score after each complete trial.
        seeds_trained: By this invocation.
        seconds: Since this invocation started.
        seconds_left: Estimated, with the confirmation; None while there is nothing to tell it by.
        confirming: How many configurations are to be trained on fresh seeds: the best trial, its
            ties, and what it is held against.
        confirmed: How many have been.
        at_most: Whether `seconds_left` is a bound: no trial has ended yet, seeds may stop early.
        running: What workers train now, the earlier trials first.
        training_seconds: Since a worker had the first task of this invocation.
        total: How many trials it will have: the goal, unless the space has fewer.
    """

    goal: int
    counts: dict[TrialStatus, int]
    best: TrialRecord | None
    best_so_far: tuple[float, ...]
    seeds_trained: int
    seconds: float
    seconds_left: float | None
    confirming: int
    confirmed: int
    at_most: bool = False
    running: tuple[Running, ...] = ()
    training_seconds: float | None = None
    total: int | None = None

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The parts of the search, in their order; the confirmation is there once it begins."""
        trials = Stage("trials", self.ended, self.goal if self.total is None else self.total)
        if not self.confirming:
            return (trials,)
        return trials, Stage("confirmation", self.confirmed, self.confirming)

    @property
    def ended(self) -> int:
        """How many trials have ended, in whatever way."""
        return sum(self.counts.values()) - self.counts[TrialStatus.RUNNING]

    @property
    def seeds_per_second(self) -> float:
        """The speed since training began, with what running trials have done; 0 before that."""
        seconds = self.seconds if self.training_seconds is None else self.training_seconds
        done = self.seeds_trained + sum(each.seeds_done for each in self.running)
        return done / seconds if seconds > 0 else 0.0
