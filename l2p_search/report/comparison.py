"""Two results, paired by seed: which is better, by how much, and how sure that is."""

from dataclasses import dataclass
from typing import Any, Literal

from l2p_search.errors import UserError
from l2p_search.intervals import Interval, mean_interval
from l2p_search.metrics import Metric, title
from l2p_search.results import SeedResult, TrialResult

Part = Literal["test", "val"]


@dataclass(frozen=True)
class Comparison:
    """Two results on the seeds that both have.

    Attributes:
        part: The nodes that both are judged on.
        first: The mean of the first result, in percent.
        second: The mean of the second.
        difference: The mean of the differences per seed, in points.
        seeds: How many seeds both have.
        metric: What both are judged by.
    """

    part: Part
    first: Interval
    second: Interval
    difference: Interval
    seeds: int
    metric: Metric = "accuracy"

    @property
    def verdict(self) -> Literal["better", "worse", "a tie"]:
        """Whether the second is better or worse than the first, by a 95 % interval."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None or low <= 0.0 <= high:
            return "a tie"
        return "better" if low > 0.0 else "worse"

    def to_mapping(self) -> dict[str, Any]:
        """The comparison as plain JSON values."""
        return {
            "metric": f"{self.part}_{self.metric}",
            "first": self.first.to_mapping(),
            "second": self.second.to_mapping(),
            "difference": self.difference.to_mapping(),
            "seeds": self.seeds,
            "verdict": self.verdict,
        }


def compare(first: TrialResult, second: TrialResult, part: Part) -> Comparison:
    """Compare two results on the seeds that both have.

    The same seed has the same split, initialisation and noise for both, so the difference is
    taken per seed.

    Args:
        first: What is compared with.
        second: What is compared.
        part: Whether test or validation nodes are looked at.

    Returns:
        The second against the first.

    Raises:
        UserError: They are of different graphs or metrics, or share no seeds.
    """
    if first.data_digest != second.data_digest:
        raise UserError(
            f"{first.dataset} and {second.dataset} are not the same data;"
            " compare results on one graph"
        )
    if first.metric != second.metric:
        raise UserError(
            f"the first is judged by {title(first.metric)}, the second by {title(second.metric)};"
            " compare results of one metric"
        )
    one = {seed.seed: seed for seed in first.finished}
    two = {seed.seed: seed for seed in second.finished}
    shared = sorted(one.keys() & two.keys())
    if not shared:
        raise UserError("the two share no seeds; train both on the same ones")
    splits = {seed: one[seed].split for seed in shared}
    a = {seed: _value(one[seed], part) for seed in shared}
    b = {seed: _value(two[seed], part) for seed in shared}
    return Comparison(
        part,
        mean_interval(a, splits),
        mean_interval(b, splits),
        mean_interval({seed: b[seed] - a[seed] for seed in shared}, splits),
        len(shared),
        first.metric,
    )


def _value(seed: SeedResult, part: Part) -> float:
    value: float | None = seed.test if part == "test" else seed.val
    if value is None:
        raise ValueError(f"seed {seed.seed} finished without a score")
    return value
