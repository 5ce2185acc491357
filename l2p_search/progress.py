"""What a running search tells a display: events, and how the search stands."""

from dataclasses import dataclass
from typing import Literal

from l2p_search.results import TrialResult, TrialStatus
from l2p_search.trial_record import TrialRecord

EventKind = Literal[
    "started", "ended", "retried", "noted", "exhausted", "out_of_time", "confirmed"
]
"""Kinds of events: a trial or confirmation started, a trial ended, a trial is tried again because
its worker died, training warned of something, the space has no further configuration, the time
budget is used up, a trial was confirmed on fresh seeds."""


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
class Snapshot:
    """How a search stands.

    Args:
        goal: How many trials it is to have.
        counts: Status -> number of trials, those of earlier invocations included.
        best: The best trial so far.
        best_so_far: The best validation score after each complete trial.
        seeds_trained: By this invocation.
        seconds: Since this invocation started.
        seconds_left: Estimated, confirmations included; None before the first trial has ended.
        confirming: How many configurations are to be trained on fresh seeds: the best trial, its
            ties, and what it is held against.
        confirmed: How many have been.
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

    @property
    def ended(self) -> int:
        """How many trials have ended, in whatever way."""
        return sum(self.counts.values()) - self.counts[TrialStatus.RUNNING]

    @property
    def seeds_per_second(self) -> float:
        """The speed of this invocation; 0 before any time has passed."""
        return self.seeds_trained / self.seconds if self.seconds > 0 else 0.0
