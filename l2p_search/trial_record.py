"""TrialRecord: what is known of one trial of a search, running or ended."""

from dataclasses import dataclass
from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult, TrialStatus

INTERRUPTED = "interrupted; runs again when the search is resumed"


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """One configuration of a search with its status and, once there, its result.

    A raced-out trial has the result of the seeds it was given. A failed one may have the result
    of its surviving seeds. `ended` is in seconds since 1970, `metric` what the search judges by.
    """

    number: int
    status: TrialStatus
    config: TrialConfig
    result: TrialResult | None = None
    reason: str | None = None
    ended: float | None = None
    metric: Metric = "accuracy"

    @property
    def objective(self) -> float | None:
        """The mean of the metric on validation nodes, of a trial with all its seeds."""
        complete = self.status is TrialStatus.COMPLETE and self.result is not None
        return self.result.val_mean if complete and self.result else None

    def to_mapping(self) -> dict[str, Any]:
        """The record as plain JSON values. Test scores are not in it: a list invites choosing."""
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
    """Complete trials by validation, then the others by number; equals by number."""
    return sorted(
        records,
        key=lambda r: (r.objective is None, -(r.objective or 0.0), r.number),
    )
