"""Nested selection: what the choice itself is worth, by choosing anew for every split.

A search chooses one configuration by all its splits, and reports it on the same splits. Here the
configuration that a split is tested with is chosen without it, or by it alone. Both are free: the
journal has every seed of every trial. Of the test nodes it has none but those of confirmations:
the interval for other nodes takes what nodes add to the variance from the winner's.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from l2p_search.intervals import Interval, mean_interval
from l2p_search.other_nodes import Estimate, NodeTerm, with_nodes
from l2p_search.results import SeedResult
from l2p_search.trial_record import TrialRecord

_Table = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Nested:
    """Test scores of configurations that were chosen anew for each split, in percent.

    Attributes:
        by_others: Chosen by the validation nodes of all other splits, so that the split itself
            had no say. Test nodes of one split may be validation nodes of another.
        by_own: Chosen by the split's own validation nodes alone: no test label of a split had any
            say in its choice. It rests on few nodes, and is the noisier choice.
        overtuning: The search's own choice minus `by_others`, paired by split: what it owes to
            having seen the splits that it is tested on.
        chosen: How many different configurations the other splits chose.
    """

    by_others: Estimate
    by_own: Estimate
    overtuning: Interval
    chosen: int

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "by_other_splits": self.by_others.to_mapping(),
            "by_own_validation": self.by_own.to_mapping(),
            "overtuning": self.overtuning.to_mapping(),
            "configurations": self.chosen,
        }


def nested(records: Sequence[TrialRecord], term: NodeTerm | None = None) -> Nested | None:
    """Choose a configuration for each split, and test it there.

    Args:
        records: The trials of a search; those with all seeds take part.
        term: What the draw of test nodes adds to the variance, by the winner's confirmation.

    Returns:
        The scores, each split counted once. None on a graph with one split, with fewer than two
        complete trials, and for a sealed search, whose trials have no test score.
    """
    complete = sorted(
        (r for r in records if r.objective is not None), key=lambda record: record.number
    )
    results = [record.result for record in complete if record.result is not None]
    by_trial = [{seed.seed: seed for seed in result.finished} for result in results]
    if len(by_trial) < 2:
        return None
    shared = set.intersection(*map(set, by_trial))
    seeds_of: dict[int, list[int]] = defaultdict(list)
    for seed in sorted(shared):
        seeds_of[by_trial[0][seed].split].append(seed)
    sealed = any(seed.test is None for trial in by_trial for seed in trial.values())
    if sealed or len(seeds_of) < 2:
        return None
    val, test = (_by_split(by_trial, list(seeds_of.values()), part) for part in ("val", "test"))
    best = max(range(len(complete)), key=lambda place: (complete[place].objective, -place))
    places = range(len(seeds_of))
    others = [_best(np.delete(val, place, axis=1)) for place in places]
    own = [_best(val[:, [place]]) for place in places]
    by_others, by_own, by_search = (
        {place: float(test[choice[place], place]) for place in places}
        for choice in (others, own, [best] * len(places))
    )
    units = {place: place for place in places}
    lost = {place: by_search[place] - by_others[place] for place in places}
    return Nested(
        by_others=with_nodes(mean_interval(by_others, units), term),
        by_own=with_nodes(mean_interval(by_own, units), term),
        overtuning=mean_interval(lost, units),
        chosen=len(set(others)),
    )


def _by_split(
    by_trial: Sequence[Mapping[int, SeedResult]], groups: Sequence[Sequence[int]], part: str
) -> _Table:
    """Scores [trials, splits], the seeds of a split averaged."""
    return np.array(
        [
            [np.mean([getattr(trial[seed], part) for seed in group]) for group in groups]
            for trial in by_trial
        ],
        dtype=float,
    )


def _best(val: _Table) -> int:
    """The trial with the highest mean over splits, the earlier one of equals.

    Sums in another order differ in their last digits: these decide nothing.
    """
    return int(np.argmax(val.mean(axis=1).round(9)))
