"""The settings of a search, fixed when it begins, and the goal of one invocation."""

import math
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal

from l2p_search import defaults
from l2p_search.config import EXCLUDING, TrialConfig
from l2p_search.errors import ConfigError, SearchError, argument, printable
from l2p_search.field_types import check_fields, is_of
from l2p_search.metrics import Metric
from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.searching.space.space_file import parse_space

Sampler = Literal["tpe", "random", "grid", "gp"]
Race = Literal["halving", "paired"]
"""By which rule a configuration that is losing stops: among the others, or against the best."""
_RULES: dict[Race, str] = {"halving": "halving", "paired": "paired tests"}
_DRAWS = 1_000
"""How many points are drawn in search of one whose values do not exclude each other."""
_MOST = {"trials": 10**6, "confirm": 10**4, "ties": 10**4}
_MOST_SEEDS = 10**4
"""What nobody can ask for: a list of so many would take all memory."""
_MOST_COUNTED = 20_000
"""Of spaces with more combinations of values that can exclude each other, none are counted."""


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Everything that decides which configurations are proposed and how they score.

    Args:
        dataset: The name of the graph.
        data_digest: The content hash of the graph.
        space: What varies, and what is fixed.
        base: The values of the hyperparameters that the space does not name.
        seeds: The seeds per trial: 0 to seeds - 1.
        sampler: Which of Optuna's samplers proposes configurations.
        seed: The seed of that sampler.
        race: By which rule a configuration that is losing stops before it has all its seeds; None
            for none that stops.
        metric: What trials are compared by: their mean of it over validation nodes.
        graph: How the graph was read, where it is no dataset by name; None for one in memory.
        sealed: Whether trials compute no test score at all; only the confirmation does.
    """

    dataset: str
    data_digest: str
    space: SearchSpace
    base: TrialConfig
    seeds: int
    sampler: Sampler
    seed: int
    race: Race | None
    metric: Metric = "accuracy"
    graph: Mapping[str, Any] | None = None
    sealed: bool = False

    def to_mapping(self) -> dict[str, Any]:
        """The settings as plain JSON values."""
        return {
            "dataset": self.dataset,
            "data_digest": self.data_digest,
            "space_name": self.space.name,
            "space": self.space.to_mapping(),
            "base": self.base.to_mapping(),
            "seeds": self.seeds,
            "sampler": self.sampler,
            "seed": self.seed,
            "race": self.race or False,
            "graph": None if self.graph is None else dict(self.graph),
            "metric": self.metric,
            **({"sealed": True} if self.sealed else {}),
        }

    @classmethod
    def from_mapping(cls, mapping: dict[str, Any]) -> "SearchSettings":
        """The inverse of `to_mapping`.

        The first journals name no metric: theirs is accuracy; and a race without its rule, paired.

        Raises:
            ValueError: A value is not of its field's type.
        """
        settings = cls(
            dataset=mapping["dataset"],
            data_digest=mapping["data_digest"],
            space=parse_space(mapping["space_name"], mapping["space"], recorded=True),
            base=TrialConfig.recorded(mapping["base"]),
            seeds=mapping["seeds"],
            sampler=mapping["sampler"],
            seed=mapping["seed"],
            race=_recorded_race(mapping["race"]),
            graph=mapping.get("graph"),
            metric=mapping.get("metric", "accuracy"),
            sealed=mapping.get("sealed", False),
        )
        check_fields(settings)
        if settings.seeds < 1:
            raise ValueError("'seeds' is below 1")
        if settings.seeds > _MOST_SEEDS:
            raise ValueError(f"'seeds' is above {_MOST_SEEDS}")
        if printable(settings.dataset) != settings.dataset:
            raise ValueError("'dataset' is no name in one line")
        if settings.graph is not None:
            if not isinstance(settings.graph.get("source"), str):
                raise ValueError("'graph' names no source")
            hints = {**dict.fromkeys(settings.graph, str), "features": str | tuple[str, ...]}
            if any(not is_of(value, hints[key]) for key, value in settings.graph.items()):
                raise ValueError("'graph' is not what belongs there")
        return settings

    def config(self, point: dict[str, Any]) -> TrialConfig:
        """Complete a point of the space.

        Args:
            point: A value for every dimension of the space.

        Returns:
            The base, overridden by the fixed values of the space and by the point.
        """
        return self.space.config(point, self.base)

    @property
    def racing(self) -> str:
        """The race in words, to put behind the sampler; empty without one."""
        return "" if self.race is None else f", racing by {_RULES[self.race]}"

    @cached_property
    def size(self) -> int | None:
        """How many configurations the space has; None when they cannot be counted.

        Points whose values exclude each other are none.
        """
        size, dimensions = self.space.size, self.space.dimensions
        if size is None:
            return None
        excluding = {k: d.enumerated() or () for k, d in dimensions.items() if k in EXCLUDING}
        combinations = math.prod(map(len, excluding.values()))
        if combinations > _MOST_COUNTED:
            return size  # the end is found when nothing new is
        point, possible = self.space.middle(), 0
        for values in product(*excluding.values()):
            try:
                self.config({**point, **dict(zip(excluding, values, strict=True))})
            except ConfigError:
                continue
            possible += 1
        return size // combinations * possible

    def at_most(self, trials: int) -> int:
        """The number of trials, or the size if it is smaller: no configuration is tried twice."""
        return trials if self.size is None else min(trials, self.size)

    def typical_config(self) -> TrialConfig:
        """A config in the middle of the space, to measure what a trial costs.

        Raises:
            ConfigError: No config was found whose values do not exclude each other.
        """
        draws, point = random.Random(0), self.space.middle()
        for _ in range(_DRAWS):
            try:
                return self.config(point)
            except ConfigError:
                point = self.space.drawn(draws)
        return self.config(point)

    def check_possible(self) -> None:
        """Find out before anything is computed that these settings cannot be searched.

        Raises:
            SearchError: A grid over a dimension with endlessly many values, or a space of which
                no point is possible.
        """
        if self.size == 0:
            self.config(self.space.middle())  # raises, with the values that exclude each other
        if self.sampler == "grid" and self.space.size is None:
            endless = next(k for k, d in self.space.dimensions.items() if d.enumerated() is None)
            raise SearchError(
                f"{argument('sampler', 'grid')}: '{endless}' of space '{self.space.name}' has"
                " endlessly many values; give it choices or a step, or take"
                f" {argument('sampler', 'tpe')}"
            )

    def check_new(self) -> None:
        """Refuse what was recorded once and may be finished, but is not to begin again.

        Raises:
            SearchError: A sampler that would learn next to nothing from a race.
        """
        if self.sampler == "gp" and self.race:
            raise SearchError(
                f"{argument('sampler', 'gp')}: learns from trials with all their seeds alone, and"
                f" {argument('race', True)} stops most trials before; take"
                f" {argument('sampler', 'tpe')}, or leave the race out"
            )


def _recorded_race(value: Any) -> Any:
    if isinstance(value, bool):
        return "paired" if value else None
    return value


@dataclass(frozen=True, kw_only=True)
class Goal:
    """How far one invocation goes; a later one may go further.

    Args:
        trials: The number of trials of the search, those of earlier invocations included.
        confirm: The number of fresh seeds on which the best trial is trained again.
        ties: How many trials that validation cannot tell from the best are trained on those
            seeds beside it, at the most: on small graphs there are dozens.
        time_budget: Seconds after which no further trial starts; None for no limit.
        register: The name under which the best trial's model is registered in MLflow; None for
            none.
        champion: Whether its version gets the alias `champion` too.
        controls: Whether the default configuration, and for L2P the controls, are trained on
            those seeds too.
        fresh_splits: The rule by which fresh splits are drawn, to train the best trial on them
            too; None for none.
        no_fresh_splits: Why there are none, where somebody should be told.
    """

    trials: int
    confirm: int = defaults.CONFIRM
    ties: int = defaults.TIES
    time_budget: float | None = None
    register: str | None = None
    champion: bool = False
    controls: bool = False
    fresh_splits: str | None = None
    no_fresh_splits: str | None = None

    def to_mapping(self) -> dict[str, Any]:
        """The goal as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Goal":
        """The inverse of `to_mapping`.

        Raises:
            ValueError: A value is not of its field's type.
        """
        goal = cls(**mapping)
        check_fields(goal)
        for key, most in _MOST.items():
            if not 0 <= getattr(goal, key) <= most:
                raise ValueError(f"'{key}' is not between 0 and {most}")
        return goal
