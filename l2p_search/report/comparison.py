"""Two results, paired by seed: which is better, by how much, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from l2p_search.errors import UserError
from l2p_search.intervals import Interval, mean_interval
from l2p_search.metrics import Metric, title
from l2p_search.other_nodes import Estimate, difference_over_nodes, interval_over_nodes
from l2p_search.results import SeedResult, TrialResult
from l2p_search.verdicts import MARGIN, Judged, Verdict, no_surer, verdicts_on

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
        judged: The verdict on the second for this graph, with other seeds and splits; adjusted by
            Holm where the comparison is one of a table (`judged_together`).
        first_elsewhere: The first's mean with its interval for other nodes of this kind; None
            where nodes were not recorded.
        second_elsewhere: The same of the second.
        elsewhere: The difference with its interval for other nodes of this kind.
        judged_elsewhere: The verdict on the second for other nodes of this kind.
        same: Whether both are one result: there is nothing to find out then.
    """

    part: Part
    first: Interval
    second: Interval
    difference: Interval
    seeds: int
    metric: Metric = "accuracy"
    judged: Judged = field(default_factory=lambda: Judged("undecided"))
    first_elsewhere: Interval | None = None
    second_elsewhere: Interval | None = None
    elsewhere: Interval | None = None
    judged_elsewhere: Judged | None = None
    same: bool = False

    @property
    def verdict(self) -> Verdict:
        """Whether the second is better, worse, equivalent within the margin, or undecided."""
        return self.judged.word

    @property
    def in_words(self) -> str:
        """The verdict with its margin; with that for other nodes, where it is another one."""
        elsewhere = self.judged_elsewhere
        if elsewhere is None or elsewhere.word == self.judged.word:
            return self.judged.in_words
        return f"{self.judged.in_words} (on other nodes of this kind: {elsewhere.in_words})"

    def to_mapping(self) -> dict[str, Any]:
        """The comparison as plain JSON values."""
        return {
            "metric": f"{self.part}_{self.metric}",
            "first": Estimate(self.first, self.first_elsewhere).to_mapping(),
            "second": Estimate(self.second, self.second_elsewhere).to_mapping(),
            "difference": Estimate(self.difference, self.elsewhere).to_mapping(),
            "seeds": self.seeds,
            **self.judged.to_mapping(),
            "on_other_nodes": None
            if self.judged_elsewhere is None
            else self.judged_elsewhere.to_mapping(),
        }


def compare(
    first: TrialResult, second: TrialResult, part: Part, margin: float = MARGIN
) -> Comparison:
    """Compare two results on the seeds that both have.

    The same seed has the same split, initialisation and noise for both, so the difference is
    taken per seed.

    Args:
        first: What is compared with.
        second: What is compared.
        part: Whether test or validation nodes are looked at.
        margin: The points within which two scores are called equivalent.

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
    found = Comparison(
        part,
        mean_interval(a, splits),
        mean_interval(b, splits),
        mean_interval({seed: b[seed] - a[seed] for seed in shared}, splits),
        len(shared),
        first.metric,
        same=first.config == second.config and a == b,
    )
    if part == "test":
        both = [
            replace(each, seeds=tuple(seed for seed in each.seeds if seed.seed in splits))
            for each in (first, second)
        ]
        one_there, two_there = map(interval_over_nodes, both)
        found = replace(
            found,
            first_elsewhere=one_there,
            second_elsewhere=two_there,
            elsewhere=difference_over_nodes(*both),
        )
    return judged_together([found], margin)[0]


def judged_together(found: Sequence[Comparison], margin: float = MARGIN) -> list[Comparison]:
    """The comparisons of one table with verdicts that hold together, by Holm.

    Args:
        found: The comparisons.
        margin: The points within which two scores are called equivalent.

    Returns:
        The same with their verdicts. A result against itself is equivalent, and is not counted.
    """
    here = verdicts_on([None if each.same else each.difference for each in found], margin)
    there = verdicts_on([None if each.same else each.elsewhere for each in found], margin)
    itself = Judged("equivalent", margin, 1.0, 0.0, 0)
    return [
        replace(each, judged=itself, judged_elsewhere=itself if each.elsewhere else None)
        if each.same
        else replace(
            each, judged=one, judged_elsewhere=no_surer(two, one) if each.elsewhere else None
        )
        for each, one, two in zip(found, here, there, strict=True)
    ]


def _value(seed: SeedResult, part: Part) -> float:
    value: float | None = seed.test if part == "test" else seed.val
    if value is None:
        raise ValueError(f"seed {seed.seed} finished without a score")
    return value
