"""Nested selection: what the choice itself is worth, by choosing anew for every split.

A search chooses one configuration by all its splits, and reports it on the same splits. Here the
configuration that a split is tested with is chosen without it, or by it alone. Both are free: the
journal has every seed of every trial.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from l2p_search.intervals import Interval, mean_interval
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

    by_others: Interval
    by_own: Interval
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


def nested(records: Sequence[TrialRecord]) -> Nested | None:
    """Choose a configuration for each split, and test it there.

    Args:
        records: The trials of a search; those with all seeds take part.

    Returns:
        The scores, each split counted once. None on a graph with one split, with fewer than two
        complete trials, and for a sealed search, whose trials have no test score.
    """
    complete = [r for r in records if r.objective is not None and r.result is not None]
    by_trial = [
        {seed.seed: seed for seed in record.result.finished}
        for record in complete
        if record.result is not None
    ]
    if len(by_trial) < 2:
        return None
    seeds = sorted(set.intersection(*map(set, by_trial)))
    splits = np.array([by_trial[0][seed].split for seed in seeds])
    sealed = any(seed.test is None for trial in by_trial for seed in trial.values())
    if sealed or len(set(splits.tolist())) < 2:
        return None
    val, test = (
        np.array(
            [[getattr(trial[seed], part) for seed in seeds] for trial in by_trial], dtype=float
        )
        for part in ("val", "test")
    )
    own: dict[int, float] = {}
    others: dict[int, float] = {}
    lost: dict[int, float] = {}
    winners = set()
    best = _best(val, splits == splits)
    for split in sorted(set(splits.tolist())):
        inside = splits == split
        winner = _best(val, ~inside)
        winners.add(winner)
        others[split] = float(test[winner, inside].mean())
        own[split] = float(test[_best(val, inside), inside].mean())
        lost[split] = float(test[best, inside].mean()) - others[split]
    units = {split: split for split in own}
    return Nested(
        by_others=mean_interval(others, units),
        by_own=mean_interval(own, units),
        overtuning=mean_interval(lost, units),
        chosen=len(winners),
    )


def _best(val: _Table, counted: npt.NDArray[np.bool_]) -> int:
    """The trial with the highest mean over some seeds, the earlier one of equals."""
    return int(np.argmax(val[:, counted].mean(axis=1)))
