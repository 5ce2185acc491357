"""Two results, paired by seed: which is better, by how much, and how sure that is."""

from dataclasses import dataclass
from typing import Any, Literal

from l2p_search.errors import UserError
from l2p_search.intervals import Interval, mean_interval
from l2p_search.results import SeedResult, TrialResult

Metric = Literal["test_accuracy", "val_accuracy"]


@dataclass(frozen=True)
class Comparison:
    """Two results on the seeds that both have.

    Args:
        metric: Which accuracy was compared.
        first: The mean of the first result, in percent.
        second: The mean of the second result.
        difference: The second minus the first, paired by seed, in points.
        seeds: How many seeds both have.
    """

    metric: Metric
    first: Interval
    second: Interval
    difference: Interval
    seeds: int

    @property
    def verdict(self) -> Literal["better", "worse", "a tie"]:
        """Whether the second is better or worse than the first, by a 95 % interval."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0.0 <= high:
            return "a tie"
        return "better" if low > 0.0 else "worse"

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "metric": self.metric,
            "first": self.first.to_mapping(),
            "second": self.second.to_mapping(),
            "difference": self.difference.to_mapping(),
            "seeds": self.seeds,
            "verdict": self.verdict,
        }


def compare(first: TrialResult, second: TrialResult, metric: Metric) -> Comparison:
    """Compare two results on the seeds that both have.

    The same seed has the same split, initialisation and noise for both, so the difference is
    taken per seed.

    Args:
        first: A result.
        second: Another one, on the same graph.
        metric: Which accuracy to compare.

    Returns:
        Both means, and the second minus the first.

    Raises:
        UserError: The graphs differ, or no seed has finished in both.
    """
    if first.data_digest != second.data_digest:
        raise UserError(
            f"{first.dataset} and {second.dataset} are not the same data;"
            " compare results on one graph"
        )
    one = {seed.seed: seed for seed in first.finished}
    two = {seed.seed: seed for seed in second.finished}
    shared = sorted(one.keys() & two.keys())
    if not shared:
        raise UserError("the two share no seeds; train both on the same ones")
    splits = {seed: one[seed].split for seed in shared}
    a = {seed: _value(one[seed], metric) for seed in shared}
    b = {seed: _value(two[seed], metric) for seed in shared}
    return Comparison(
        metric,
        mean_interval(a, splits),
        mean_interval(b, splits),
        mean_interval({seed: b[seed] - a[seed] for seed in shared}, splits),
        len(shared),
    )


def _value(seed: SeedResult, metric: Metric) -> float:
    value: float | None = getattr(seed, metric)
    if value is None:
        raise ValueError(f"seed {seed.seed} finished without {metric}")
    return value
