"""Summary: what is told of a search at its end, as values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from l2p_search.effects import Effects
from l2p_search.held import HeldAgainst
from l2p_search.intervals import Interval
from l2p_search.metrics import Metric
from l2p_search.other_nodes import Estimate
from l2p_search.results import TrialResult
from l2p_search.trial_record import TrialRecord
from l2p_search.variances import Spread


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What a summary says.

    Attributes:
        name: The search's name.
        dataset: The graph's name.
        seeds: Seeds per trial.
        method: What the best configuration is, as papers print it, such as L2Q.
        keys: The hyperparameters that vary.
        records: All trials.
        best: The complete trial with the highest validation score; None without one.
        ties: The numbers of the best and of the trials that validation cannot tell from it.
        confirmations: Trial number -> its result on fresh seeds.
        confirmed: The best's test accuracy on fresh seeds.
        elsewhere: The same for other nodes of this kind; None where nodes were not recorded.
        spread: Where the spread of test accuracy comes from.
        still_open: How many raced-out trials are not ruled out.
        protocol: Its test accuracy on the search's own seeds.
        nested: Test accuracy on each split with what the other splits choose.
        overtuning: `protocol` minus `nested`, paired by split.
        paper: What the paper reports, as text.
        importance: What mattered; None where there are too few trials.
        exhausted: Whether every configuration of the space was visited.
        unconfirmed: Trial number -> why training on fresh seeds failed.
        luck: `confirmed` with the luck of the search in its intervals; None where unknown.
        looks: How often test labels were read, in words.
        held: The best on those seeds beside the default configuration and controls.
        unchecked: What of these could not be trained, by name -> why.
    """

    name: str
    dataset: str
    seeds: int
    keys: Sequence[str]
    records: Sequence[TrialRecord]
    best: TrialRecord | None
    ties: Collection[int]
    confirmations: Mapping[int, TrialResult]
    confirmed: Interval | None
    protocol: Estimate | None
    paper: str | None
    importance: Effects | None
    metric: Metric = "accuracy"
    method: str = ""
    nested: Estimate | None = None
    overtuning: Interval | None = None
    exhausted: bool = False
    unconfirmed: Mapping[int, str]
    elsewhere: Interval | None = None
    spread: Spread | None = None
    still_open: int = 0
    luck: Estimate | None = None
    looks: str = ""
    held: HeldAgainst = field(default_factory=HeldAgainst)
    unchecked: Mapping[str, str] = field(default_factory=dict)
