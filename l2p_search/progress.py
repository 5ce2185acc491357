"""What a display is told while a search runs."""

from dataclasses import dataclass
from typing import Literal

from l2p_search.results import TrialResult, TrialStatus
from l2p_search.trial_record import TrialRecord

EventKind = Literal["started", "ended", "retried", "exhausted", "out_of_time", "confirmed"]


@dataclass(frozen=True)
class Event:
    """Something that happened to a trial or to the search."""

    kind: EventKind
    record: TrialRecord | None = None
    result: TrialResult | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """How a search stands."""

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
        """Trials that will not run again."""
        return sum(self.counts.values()) - self.counts[TrialStatus.RUNNING]

    @property
    def seeds_per_second(self) -> float:
        """Since this invocation started."""
        return self.seeds_trained / self.seconds if self.seconds > 0 else 0.0
