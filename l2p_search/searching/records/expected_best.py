"""What a smaller budget would have found: the expected best of n of a search's trials.

Tang, Lee, Xin, Liu, Yu and Lin, "Showing Your Work Doesn't Always Work", ACL 2020,
https://arxiv.org/abs/2004.13705: the mean of the best over all subsets of n trials, which is
unbiased for trials that were drawn at random. For those of a sampler that learns, it says what
the same trials would have given in another order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from l2p_search.metrics import Metric
from l2p_search.results import TrialStatus
from l2p_search.searching.records.seed_ease import ease_of_seeds, mean_ease
from l2p_search.trial_record import TrialRecord

_BAND = (Fraction(1, 20), Fraction(19, 20))


@dataclass(frozen=True)
class ExpectedBest:
    """The best by validation of so many trials, drawn at random from those of a search.

    Attributes:
        trials: How many are drawn.
        val: The expected validation score of their best, in percent.
        test: The expected test score of the same trial; None where trials have none, as in a
            sealed search.
        low: In one draw of twenty the best validates no better than this.
        high: In one of twenty it validates at least so well.
    """

    trials: int
    val: float
    test: float | None
    low: float
    high: float

    def to_mapping(self, metric: Metric) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "trials": self.trials,
            f"val_{metric}": self.val,
            f"val_{metric}_low": self.low,
            f"val_{metric}_high": self.high,
            f"test_{metric}": self.test,
        }

    def __str__(self) -> str:
        """For people: 8 trials 84.20 (83.10 to 85.19), 85.31."""
        band = f"({self.low:.2f} to {self.high:.2f})"
        return f"{self.trials} trials {self.val:.2f} {band}" + (
            "" if self.test is None else f", {self.test:.2f}"
        )


def expected_best(records: Sequence[TrialRecord]) -> list[ExpectedBest]:
    """The expected best of 1, 2, 4, 8 .. and of all trials that have a mean.

    Args:
        records: The trials. One that was raced out counts by what it would have reached on all
            seeds, by how easy those that it has are for complete trials; but for no more than the
            worst complete one, as it cannot be the best. A trial that failed is none.

    Returns:
        From the smallest number to all of them; empty while no trial has all its seeds.
    """
    ranked = ranked_trials(records)
    if not ranked or ranked[-1].objective is None:
        return []
    scores = sorted(_scores(ranked), key=lambda each: each[0])  # stable: ranks decide ties
    val, tests = [each for each, _ in scores], [each for _, each in scores]
    test = None if None in tests else [each for each in tests if each is not None]
    count = len(ranked)
    sizes = [2**power for power in range(count.bit_length()) if 2**power < count]
    return [_expected(val, test, size) for size in [*sizes, count]]


def ranked_trials(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The trials that have a mean, the best last; raced-out ones come before all complete ones.

    Of equal trials the earlier one is the better, as in the search itself.
    """
    with_mean = [
        record
        for record in records
        if record.status in (TrialStatus.COMPLETE, TrialStatus.RACED_OUT)
        and record.result is not None
        and record.result.val_mean is not None
    ]
    return sorted(
        with_mean,
        key=lambda each: (
            each.objective is not None,
            each.result.val_mean if each.result is not None else None,
            -each.number,
        ),
    )


def _scores(ranked: Sequence[TrialRecord]) -> list[tuple[float, float | None]]:
    """The validation and test score of each trial over all seeds, estimated if it has but some."""
    complete = [each.result for each in ranked if each.objective is not None and each.result]
    worst = min(each.val_mean or 0.0 for each in complete)
    of_val = ease_of_seeds(complete, lambda seed: seed.val)
    of_test = ease_of_seeds(complete, lambda seed: seed.test)
    found = []
    for record in ranked:
        result = record.result
        if result is None or result.val_mean is None:
            continue
        val, test = result.val_mean, result.test_mean
        if record.objective is None:
            val = min(worst, val - mean_ease(result, of_val))
            test = None if test is None else test - mean_ease(result, of_test)
        found.append((val, test))
    return found


def _expected(val: Sequence[float], test: Sequence[float] | None, size: int) -> ExpectedBest:
    """Of values in ascending order: that of rank i is the best of C(i - 1, size - 1) subsets."""
    subsets = comb(len(val), size)
    weights = [Fraction(comb(rank, size - 1), subsets) for rank in range(len(val))]
    below = [Fraction(comb(rank + 1, size), subsets) for rank in range(len(val))]
    low, high = (next(v for v, share in zip(val, below, strict=True) if share >= b) for b in _BAND)
    return ExpectedBest(
        trials=size,
        val=sum(float(weight) * value for weight, value in zip(weights, val, strict=True)),
        test=None
        if test is None
        else sum(float(weight) * value for weight, value in zip(weights, test, strict=True)),
        low=low,
        high=high,
    )
