"""Evidence: how good a model is, and how that is known."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from l2p_search.intervals import Interval, interval_of_test
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the training of a model's seeds measured, in percent.

    Attributes:
        metric: What is measured.
        validation: The mean over the seeds, each on the validation nodes of its own split.
        test: The same on test nodes.
        low: The lower bound of the test mean's 95 % interval; None without one.
        high: Its upper bound. Both are for this graph, with other seeds and splits.
        nodes_low: The lower bound of its 95 % interval for other nodes of this kind; None where
            the nodes were not recorded, as in models of earlier versions.
        nodes_high: Its upper bound.
        confirmed: Whether these seeds chose nothing: fresh ones of a search's winner.
        search: The search that the configuration won; None when nobody searched.
        trials: How many trials that search had.
        profile: q(t) averaged over nodes and seeds, [T]; None for a baseline.
        expected_step: The mean number of steps.
    """

    metric: Metric
    validation: float | None
    test: float | None
    low: float | None = None
    high: float | None = None
    nodes_low: float | None = None
    nodes_high: float | None = None
    confirmed: bool = False
    search: str | None = None
    trials: int | None = None
    profile: tuple[float, ...] | None = None
    expected_step: float | None = None

    @classmethod
    def of(
        cls,
        result: TrialResult,
        *,
        confirmed: bool = False,
        search: str | None = None,
        trials: int | None = None,
    ) -> "Evidence":
        """What a result says of the seeds that it comes with."""
        from l2p_search.other_nodes import interval_over_nodes  # a model is loaded without numpy

        interval, elsewhere = interval_of_test(result), interval_over_nodes(result)
        return cls(
            metric=result.metric,
            validation=result.val_mean,
            test=result.test_mean,
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            nodes_low=None if elsewhere is None else elsewhere.low,
            nodes_high=None if elsewhere is None else elsewhere.high,
            confirmed=confirmed,
            search=search,
            trials=trials,
            profile=result.profile,
            expected_step=result.expected_step,
        )

    @property
    def interval(self) -> Interval | None:
        """The test mean with its interval for this graph, other seeds and splits."""
        return self._around(self.low, self.high)

    @property
    def interval_over_nodes(self) -> Interval | None:
        """The same for other nodes of this kind; None where they were not recorded."""
        return None if self.nodes_low is None else self._around(self.nodes_low, self.nodes_high)

    def _around(self, low: float | None, high: float | None) -> Interval | None:
        return None if self.test is None else Interval(self.test, low, high, units=0)

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Evidence":
        """The inverse of `to_mapping`."""
        profile = mapping["profile"]
        return cls(**{**mapping, "profile": None if profile is None else tuple(profile)})
