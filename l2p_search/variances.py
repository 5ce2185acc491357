"""Where a score's spread comes from, and how many splits would resolve a difference.

One seed's test score differs from the next one's by four causes, told as standard deviations in
points:

- seed: initialisation, dropout and noise, on one split;
- split: which nodes are trained on and tested, beyond what a split's seeds average out;
- node: which nodes are tested, were they drawn anew in the same number;
- configuration x split: that another configuration is ahead on some splits and behind on others.
  It is what is left of a paired difference, and so decides how many splits a comparison needs.

Splits and seeds are taken apart by a one-way analysis of variance of the confirmation, the
configuration by a two-way one of the best trials (which have the same seeds). On a graph with one
split there is no split, and the configuration is crossed with the seed.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from l2p_search.intervals import quantile
from l2p_search.other_nodes import sampling_of_nodes
from l2p_search.results import TrialResult

RESOLVED = 0.5
"""Points that a plan resolves, where nobody says how many."""
_MOST = 10_000


@dataclass(frozen=True)
class Spread:
    """Standard deviations of one seed's test score by cause, in points; None if not known.

    Attributes:
        seed: Between seeds of one split.
        split: Between splits; None on a graph with one split.
        node: By drawing as many test nodes anew.
        configuration: Of configuration x split, or x seed on a graph with one split.
        left: Of what is left of two configurations on one seed, beyond that.
        splits: How many splits the seeds of a trial are on.
        seeds_per_split: How many seeds of a split a trial has.
        configurations: How many configurations `configuration` rests on.
    """

    seed: float | None
    split: float | None
    node: float | None
    configuration: float | None
    left: float | None
    splits: int
    seeds_per_split: float
    configurations: int

    @property
    def unit(self) -> str:
        """What has to be more of: "split", or "seed" on a graph with one split."""
        return "split" if self.splits > 1 else "seed"

    def needed(self, points: float = RESOLVED) -> int | None:
        """How many splits (or seeds of one split) resolve a difference of two configurations.

        Args:
            points: The difference. It is resolved where the 95 % interval of the paired
                difference is no wider than this on either side.

        Returns:
            The number, with as many seeds per split as now; None where the spread of differences
            is not known, or where more than 10,000 are needed.
        """
        if self.configuration is None:
            return None
        left = (self.left or 0.0) ** 2 / self.seeds_per_split
        variance = 2.0 * (self.configuration**2 + left)
        low, high = 2, _MOST
        if _half_width(variance, high) > points:
            return None
        while low < high:
            middle = (low + high) // 2
            if _half_width(variance, middle) <= points:
                high = middle
            else:
                low = middle + 1
        return low

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "seed": self.seed,
            "split": self.split,
            "node": self.node,
            f"configuration_x_{self.unit}": self.configuration,
            "configurations": self.configurations,
            "plan": {
                "resolve_points": RESOLVED,
                f"{self.unit}s": self.needed(),
                "seeds_per_split": self.seeds_per_split,
            },
        }

    def __str__(self) -> str:
        named = {
            "seed": self.seed,
            "split": self.split,
            "test nodes": self.node,
            f"configuration x {self.unit}": self.configuration,
        }
        told = ", ".join(f"{name} {sd:.2f}" for name, sd in named.items() if sd is not None)
        if not told:
            return "unknown: one seed tells nothing"
        needed = self.needed()
        if self.configuration is None:
            return f"{told} points"
        more = f"more than {_MOST:,}" if needed is None else f"{needed:,}"
        return f"{told} points; to resolve {RESOLVED:g} points: {more} {self.unit}s"


def spread_of(confirmed: TrialResult | None, trials: Sequence[TrialResult]) -> Spread | None:
    """Decompose the variance of test scores.

    Args:
        confirmed: The winner on fresh seeds; where there is none, the first trial takes its place.
        trials: The best trials with all their seeds, which are the same for all.

    Returns:
        The standard deviations; None without any result.
    """
    main = confirmed or (trials[0] if trials else None)
    if main is None or not main.finished or main.test_mean is None:
        return None
    by_split: dict[int, list[float]] = defaultdict(list)
    for seed in main.finished:
        if seed.test is not None:
            by_split[seed.split].append(seed.test)
    seed_variance, split_variance = _one_way(list(by_split.values()))
    crossed = _crossed(trials)
    # A plan counts what the configurations are crossed with: the trials' splits.
    splits, per_split = len(by_split), 1.0
    if trials and trials[0].finished:
        first = trials[0].finished
        splits = len({seed.split for seed in first})
        per_split = len(first) / splits if splits > 1 else 1.0
    return Spread(
        seed=_root(seed_variance),
        split=_root(split_variance),
        node=_root(sampling_of_nodes(main)),
        configuration=_root(crossed[0]),
        left=_root(crossed[1]),
        splits=splits,
        seeds_per_split=per_split,
        configurations=len(trials),
    )


def _one_way(groups: Sequence[Sequence[float]]) -> tuple[float | None, float | None]:
    """The variances within and between groups, by the means of squares; unbalanced is fine."""
    total, count = sum(map(len, groups)), len(groups)
    means = [float(np.mean(group)) for group in groups]
    within = None
    if total > count:
        squares = (
            float(((np.array(g) - m) ** 2).sum()) for g, m in zip(groups, means, strict=True)
        )
        within = sum(squares) / (total - count)
    if count < 2:
        return within, None
    grand = sum(map(sum, groups)) / total
    between = sum(len(g) * (m - grand) ** 2 for g, m in zip(groups, means, strict=True))
    typical = (total - sum(len(g) ** 2 for g in groups) / total) / (count - 1)
    return within, max(0.0, (between / (count - 1) - (within or 0.0)) / typical)


def _crossed(trials: Sequence[TrialResult]) -> tuple[float | None, float | None]:
    """The variances of configuration x split and of what is left of a seed, over trials.

    On a graph with one split, or with one seed a split, all that is left is the first.
    """
    tables = [_tests(trial) for trial in trials]
    shared = sorted(set.intersection(*map(set, tables))) if tables else []
    if not shared:
        return None, None
    splits = np.array([{s.seed: s.split for s in trials[0].finished}[seed] for seed in shared])
    scores = np.array([[table[seed] for seed in shared] for table in tables])
    names = np.unique(splits)
    if len(names) == 1:
        return _interaction(scores), None
    by_split = np.stack([scores[:, splits == name].mean(axis=1) for name in names], axis=1)
    whole = _interaction(by_split)
    counts = np.array([(splits == name).sum() for name in names])
    if (counts == 1).any() or whole is None:
        return whole, None
    # Within a split: what is left of a seed after its own mean and the configuration's.
    squares, freedom = 0.0, 0
    for name in names:
        part = scores[:, splits == name]
        found = _interaction(part)
        if found is not None:
            degrees = (part.shape[0] - 1) * (part.shape[1] - 1)
            squares, freedom = squares + found * degrees, freedom + degrees
    left = squares / freedom
    return max(0.0, whole - left * float((1.0 / counts).mean())), left


def _interaction(table: npt.NDArray[np.float64]) -> float | None:
    """The mean square of what rows and columns leave of a table."""
    rows, columns = table.shape
    if rows < 2 or columns < 2:
        return None
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    squares = float((rest**2).sum())
    return squares / float((rows - 1) * (columns - 1))


def _tests(trial: TrialResult) -> Mapping[int, float]:
    return {seed.seed: seed.test for seed in trial.finished if seed.test is not None}


def _half_width(variance: float, units: int) -> float:
    return quantile(units - 1) * math.sqrt(variance / units)


def _root(variance: float | None) -> float | None:
    return None if variance is None else math.sqrt(variance)
