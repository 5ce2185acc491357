"""TrialRecord: what is known of one trial of a search, running or ended."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult, TrialStatus

INTERRUPTED = "interrupted; runs again when the search is resumed"
"""The reason of a trial that was stopped together with its search."""


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """One trial of a search: its configuration, its status and, once it has one, its result.

    Args:
        number: Counted from 0 in the order of proposals.
        status: How it stands.
        config: What is trained.
        result: Of all seeds if complete, of the seeds it was given if raced out, and of the
            surviving seeds, if any, if failed.
        reason: Why it failed, was raced out or was interrupted.
        ended: When, in seconds since 1970.
        metric: What the search judges by.
    """

    number: int
    status: TrialStatus
    config: TrialConfig
    result: TrialResult | None = None
    reason: str | None = None
    ended: float | None = None
    metric: Metric = "accuracy"

    @cached_property
    def objective(self) -> float | None:
        """The mean of the metric on validation nodes; None for a trial without all its seeds."""
        complete = self.status is TrialStatus.COMPLETE and self.result is not None
        return self.result.val_mean if complete and self.result else None

    def in_short(self) -> "TrialRecord":
        """The same trial without curves and profiles, which are most of a result."""
        return self if self.result is None else replace(self, result=self.result.in_short())

    def to_mapping(self) -> dict[str, Any]:
        """The record as plain JSON values.

        Test scores are left out: somebody who sees them in a list of trials will choose by them.
        """
        result = self.result
        return {
            "number": self.number,
            "status": self.status.value,
            "config": self.config.to_mapping(),
            "config_id": self.config.config_id,
            f"val_{self.metric}_mean": result.val_mean if result else None,
            f"val_{self.metric}_std": result.val_std if result else None,
            "seeds": len(result.finished) if result else 0,
            "seconds": round(result.seconds, 3) if result else None,
            "reason": self.reason,
        }


def best_first(records: list[TrialRecord]) -> list[TrialRecord]:
    """Sort trials for people.

    Args:
        records: Trials in any order and of any status.

    Returns:
        Complete trials by validation score, the best first and the earlier one of equals first;
        then all others by number.
    """
    return sorted(
        records,
        key=lambda r: (r.objective is None, -(r.objective or 0.0), r.number),
    )
