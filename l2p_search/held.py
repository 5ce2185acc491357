"""Held: the confirmed winner beside the default and the controls, paired by seed.

A verdict needs one view of what the numbers are: `searching` makes these values, `display`,
`report` and MLflow's entries tell them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from l2p_search.intervals import Interval, interval_of_test, mean_interval
from l2p_search.metrics import Metric
from l2p_search.other_nodes import Estimate, difference_over_nodes, estimate_of_test
from l2p_search.results import TrialResult
from l2p_search.verdicts import Judged, verdict_on, verdicts_on

Role = Literal[
    "winner", "tie", "default", "mlp", "backbone", "fresh_splits", "shared_out", "same_labels"
]
"""What a piece of the confirmation is for."""
MOSTLY_MLP = 0.9
"""Where q(0), averaged over nodes and seeds, is above this, L2P has learned to be an MLP."""


@dataclass(frozen=True)
class Against:
    """The winner against one other configuration, on the same fresh seeds.

    Attributes:
        role: `default`, `mlp` or `backbone`.
        name: What the other is called, for people.
        result: The other's result.
        difference: Test score of the winner minus that of the other, paired by seed, in points.
        elsewhere: The same for other nodes of this kind; None where they were not recorded.
        trial: The trial of the search that is the same configuration; None without one.
        is_winner: Whether it is the winner itself.
        judged: The verdict on the difference; those of one search are adjusted by Holm.
    """

    role: Role
    name: str
    result: TrialResult
    difference: Interval
    elsewhere: Interval | None = None
    trial: int | None = None
    is_winner: bool = False
    judged: Judged = field(default_factory=lambda: Judged("undecided"))

    @property
    def verdict(self) -> str:
        """Whether the winner is better, worse or equivalent, or that is undecided."""
        return self.judged.in_words

    def to_mapping(self, metric: Metric) -> dict[str, Any]:
        """Plain JSON values."""
        test = estimate_of_test(self.result)
        return {
            "role": self.role,
            "name": self.name,
            "config_id": self.result.config.config_id,
            "config": self.result.config.to_mapping(),
            f"test_{metric}": None if test is None else test.to_mapping(),
            "winner_minus_it": Estimate(self.difference, self.elsewhere).to_mapping(),
            **self.judged.to_mapping(),
            "is_winner": self.is_winner,
            "trial": self.trial,
        }


@dataclass(frozen=True)
class LabelAccess:
    """What the winner owes to learning from validation labels, which a baseline does not.

    Attributes:
        share: Of the validation nodes that phi learns from here; the others stop and choose.
        optimism: Score of phi's nodes minus that of the others, paired by seed, in points: how
            much validation flatters itself where the same nodes teach phi and judge it.
        test: Test score of the winner with phi on that share, with both intervals.
        control: What the backbone is called, trained on the training nodes and phi's share.
        control_test: Its test score; None where it was not trained.
        difference: The winner with phi on that share minus the control, in points.
        judged: The verdict on this difference.
    """

    share: float
    optimism: Interval
    test: Estimate
    control: str = ""
    control_test: Estimate | None = None
    difference: Estimate | None = None
    judged: Judged = field(default_factory=lambda: Judged("undecided"))

    def to_mapping(self, metric: Metric) -> dict[str, Any]:
        """Plain JSON values."""
        test, difference = self.control_test, self.difference
        return {
            "phi_share": self.share,
            "optimism_of_shared_validation": self.optimism.to_mapping(),
            f"test_{metric}": self.test.to_mapping(),
            "control": self.control,
            f"control_test_{metric}": None if test is None else test.to_mapping(),
            "winner_minus_control": None if difference is None else difference.to_mapping(),
            **self.judged.to_mapping(),
        }


@dataclass(frozen=True)
class HeldAgainst:
    """What the confirmation says of the winner beside its own score.

    Attributes:
        others: The default configuration and the controls, as far as they are trained.
        fresh_splits: The winner on fresh splits; None where there are none.
        rule: How these splits were drawn.
        no_fresh_splits: Why there are none, where that is to be told.
        own_share: q(0) of the winner on the fresh seeds: the weight of a node's own features.
        labels: What it owes to validation labels; None for a baseline, or where not measured.
    """

    others: tuple[Against, ...] = ()
    fresh_splits: TrialResult | None = None
    rule: str | None = None
    no_fresh_splits: str | None = None
    own_share: float | None = None
    labels: LabelAccess | None = None

    def of(self, role: Role) -> Against | None:
        """The one in that role, if it is trained."""
        return next((each for each in self.others if each.role == role), None)

    @property
    def undecided(self) -> bool:
        """Whether a verdict is undecided, on the winner or with equal labels."""
        judged = [each.judged for each in self.others if not each.is_winner]
        if self.labels is not None and self.labels.difference is not None:
            judged.append(self.labels.judged)
        return any(each.word == "undecided" for each in judged)

    @property
    def together(self) -> str | None:
        """Why a verdict is undecided though its interval leaves out 0; None where none is."""
        tests = max((each.judged.comparisons for each in self.others), default=0)
        for each in self.others:
            low, high = each.difference.low, each.difference.high
            apart = low is not None and high is not None and not low <= 0.0 <= high
            if apart and not each.is_winner and each.judged.word == "undecided":
                if verdict_on(each.difference).word == "undecided":
                    return (
                        "undecided though an interval leaves out 0: on"
                        f" {each.difference.units} splits or seeds alone, differences are alike by"
                        " chance too often; it takes six"
                    )
                return (
                    f"undecided though an interval leaves out 0: the {tests} verdicts are to hold"
                    " together (Holm)"
                )
        return None

    @property
    def is_mlp(self) -> bool:
        """Whether L2P has learned to be an MLP: nearly all of q is at step 0."""
        return self.own_share is not None and self.own_share > MOSTLY_MLP

    @property
    def on_fresh_splits(self) -> Interval | None:
        """The winner's test score on fresh splits."""
        return None if self.fresh_splits is None else interval_of_test(self.fresh_splits)

    @property
    def estimate_on_fresh_splits(self) -> Estimate | None:
        """The same with both intervals."""
        return None if self.fresh_splits is None else estimate_of_test(self.fresh_splits)

    def to_mapping(self, metric: Metric) -> dict[str, Any]:
        """Plain JSON values, to be read beside the other results of a search."""
        interval = self.estimate_on_fresh_splits
        return {
            "against": [each.to_mapping(metric) for each in self.others],
            "learned_to_be_an_mlp": self.is_mlp if self.own_share is not None else None,
            f"fresh_splits_test_{metric}": None
            if interval is None
            else {
                **interval.to_mapping(),
                "rule": self.rule,
                "seeds": len(self.fresh_splits.seeds) if self.fresh_splits else 0,
            },
            "no_fresh_splits": self.no_fresh_splits,
            "label_access": None if self.labels is None else self.labels.to_mapping(metric),
        }


def judged_together(others: Sequence[Against]) -> tuple[Against, ...]:
    """The same with verdicts, adjusted by Holm for their number; the winner itself has none."""
    told = [None if each.is_winner else each.difference for each in others]
    pairs = zip(others, verdicts_on(told), strict=True)
    return tuple(replace(each, judged=judged) for each, judged in pairs)


def label_access(
    share: float, winner: TrialResult, control: TrialResult | None, name: str
) -> LabelAccess | None:
    """What phi's share of the validation nodes tells.

    Args:
        share: Of the nodes that phi learned from.
        winner: The winner with that `phi_share`, on the fresh seeds.
        control: The backbone alone with as many `extra_labels`, on the same seeds.
        name: What the control is called.

    Returns:
        The comparison; None where the winner's seeds have no score of phi's nodes.
    """
    seeds = [each for each in winner.finished if each.phi_val is not None and each.val is not None]
    above = {each.seed: (each.phi_val or 0.0) - (each.val or 0.0) for each in seeds}
    test = estimate_of_test(winner)
    if not above or test is None:
        return None
    here = None if control is None else paired(control, winner)
    difference = None
    if control is not None and here is not None:
        difference = Estimate(here, difference_over_nodes(control, winner))
    return LabelAccess(
        share=share,
        optimism=mean_interval(above, {each.seed: each.split for each in seeds}),
        test=test,
        control=name,
        control_test=None if control is None else estimate_of_test(control),
        difference=difference,
        judged=verdicts_on([here])[0],
    )


def paired(first: TrialResult, second: TrialResult) -> Interval | None:
    """Test score of the second minus that of the first on the seeds that both finished."""
    one = {seed.seed: seed for seed in first.finished}
    differences, splits = {}, {}
    for seed in second.finished:
        other = one.get(seed.seed)
        if other is not None and seed.test is not None and other.test is not None:
            differences[seed.seed] = seed.test - other.test
            splits[seed.seed] = seed.split
    return mean_interval(differences, splits) if differences else None
