"""SearchSpace: what may vary in a search, what is fixed, and how much of it is searched.

`space_file` reads one from a YAML file, and `shipped` finds those that come with l2p-search.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from l2p_search.config import TrialConfig


@dataclass(frozen=True)
class Choices:
    """One of these values."""

    values: tuple[Any, ...]

    def __str__(self) -> str:
        """For people: the values as they stand in a file."""
        return ", ".join(plain(value) for value in self.values)

    def enumerated(self) -> tuple[Any, ...]:
        """Every value."""
        return self.values


@dataclass(frozen=True)
class Range:
    """A number from low to high, both included."""

    low: float
    high: float
    log: bool = False
    step: float | None = None
    whole: bool = False

    def __str__(self) -> str:
        """For people: the bounds, and which numbers between them."""
        kind = "whole numbers" if self.whole else "numbers"
        how = " in steps of " + plain(self.step) if self.step not in (None, 1) else ""
        return f"{kind} from {plain(self.low)} to {plain(self.high)}{how}{', log' * self.log}"

    def enumerated(self) -> tuple[Any, ...] | None:
        """Every value, or None where they cannot be counted."""
        if self.step is None:
            return None
        low, high, step = (Decimal(str(part)) for part in (self.low, self.high, self.step))
        count = int((high - low) / step) + 1
        kind = int if self.whole else float
        return tuple(kind(low + index * step) for index in range(count))


Dimension = Choices | Range


@dataclass(frozen=True)
class SearchSpace:
    """What varies, what is fixed, and how much of it a search looks at unless told otherwise.

    Args:
        name: For people, and part of the name of a search.
        dimensions: The values that each varying hyperparameter may have.
        fixed: Values of hyperparameters that do not vary. What is neither here nor in
            `dimensions` keeps the default of the kind of graph.
        seeds: The seeds of a trial.
        trials: The number of trials after which a search ends.
        time_budget: The seconds after which a search ends.
        start: Points to begin with; dimensions that one leaves out are drawn.

    Example:
        >>> space = SearchSpace.from_mapping(
        ...     "mine", {"K": {"choices": [2, 4]}, "dropout": {"choices": [0.2, 0.5]}, "lr": 0.02}
        ... )
        >>> space.size
        4
        >>> space.point(2)
        {'K': 4, 'dropout': 0.2}
        >>> config = space.config(space.point(2), TrialConfig())
        >>> config.K, config.lr, config.hidden
        (4, 0.02, 64)
    """

    name: str
    dimensions: dict[str, Dimension]
    fixed: dict[str, Any]
    seeds: int | None = None
    trials: int | None = None
    time_budget: float | None = None
    start: tuple[dict[str, Any], ...] = ()

    @classmethod
    def from_mapping(cls, name: str, mapping: Mapping[str, Any]) -> "SearchSpace":
        """A space from plain values, as a YAML file holds them.

        Args:
            name: The name of the space.
            mapping: What a file says, see `space_file`.

        Returns:
            The space.

        Raises:
            ConfigError: A key or a value is wrong, or the model of the space does not read a key.

        Example:
            >>> SearchSpace.from_mapping("mine", {"K": {"low": 2, "high": 9}}).size
            8
        """
        from l2p_search.searching.space.space_file import parse_space

        return parse_space(name, mapping)

    @classmethod
    def from_file(cls, path_or_name: str | Path) -> "SearchSpace":
        """Read a space file.

        Args:
            path_or_name: The path of a file, or the name of a shipped space.

        Returns:
            The space.

        Raises:
            ConfigError: There is no such file or name, or the file is wrong; the message names it.

        Example:
            >>> SearchSpace.from_file("paper").size
            432
        """
        from l2p_search.searching.space.shipped import load_space

        return load_space(str(path_or_name))

    @property
    def size(self) -> int | None:
        """How many configurations there are; None when they cannot be counted."""
        counts = [dimension.enumerated() for dimension in self.dimensions.values()]
        return math.prod(len(c) for c in counts if c is not None) if None not in counts else None

    def at_most(self, trials: int) -> int:
        """The number of trials, or the size if it is smaller: no configuration is tried twice."""
        return min(trials, self.size or trials)

    def point(self, index: int) -> dict[str, Any]:
        """One point of a countable space, counted in the order of the file, last key fastest."""
        point = {}
        for key, dimension in reversed(self.dimensions.items()):
            values = dimension.enumerated()
            if values is None:
                raise ValueError(f"the values of '{key}' cannot be counted")
            index, place = divmod(index, len(values))
            point[key] = values[place]
        return {key: point[key] for key in self.dimensions}

    def config(self, point: Mapping[str, Any], base: TrialConfig) -> TrialConfig:
        """A point as a complete config: the base, then the fixed values, then the point.

        What its network does not read is accepted: one choice of a space (`prior: uniform`) may
        leave another dimension (`prior_ratio`) without effect, and so may an old record.
        """
        return TrialConfig.recorded({**base.to_mapping(), **self.fixed, **point})

    def middle(self) -> dict[str, Any]:
        """A point in the middle of every dimension, to measure what a trial costs."""
        return {key: _middle(dimension) for key, dimension in self.dimensions.items()}

    def drawn(self, draws: random.Random) -> dict[str, Any]:
        """A point with each value drawn by itself, uniformly; not how samplers draw."""
        return {key: _drawn(dimension, draws) for key, dimension in self.dimensions.items()}

    def to_mapping(self) -> dict[str, Any]:
        """What a file would say; the inverse of `from_mapping`."""
        mapping: dict[str, Any] = dict(self.fixed)
        for key, dimension in self.dimensions.items():
            if isinstance(dimension, Choices):
                mapping[key] = {"choices": list(dimension.values)}
                continue
            mapping[key] = {"low": dimension.low, "high": dimension.high}
            if dimension.log:
                mapping[key]["log"] = True
            elif dimension.step is not None:
                mapping[key]["step"] = dimension.step
        if self.seeds is not None:
            mapping["seeds"] = self.seeds
        budget = {"trials": self.trials, "time": self.time_budget}
        if given := {key: value for key, value in budget.items() if value is not None}:
            mapping["budget"] = given
        if self.start:
            mapping["start"] = [dict(point) for point in self.start]
        return mapping


def _middle(dimension: Dimension) -> Any:
    """The value in the middle, of a logarithmic range the geometric mean of its ends."""
    if isinstance(dimension, Choices):
        return dimension.values[len(dimension.values) // 2]
    values = dimension.enumerated()
    if values is not None:
        return values[len(values) // 2]
    if dimension.log:
        middle = math.sqrt(dimension.low * dimension.high)
    else:
        middle = (dimension.low + dimension.high) / 2
    return round(middle) if dimension.whole else middle


def _drawn(dimension: Dimension, draws: random.Random) -> Any:
    values = dimension.enumerated()
    if values is not None:
        return draws.choice(values)
    assert isinstance(dimension, Range)  # choices are counted
    number = draws.uniform(dimension.low, dimension.high)
    return round(number) if dimension.whole else number


def plain(value: Any) -> str:
    """A value without needless digits."""
    return f"{value:g}" if isinstance(value, float) else str(value)
