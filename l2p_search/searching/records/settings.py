"""What a search is: fixed when it begins, and kept in its journal."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from l2p_search.config import TrialConfig
from l2p_search.errors import SearchError, argument
from l2p_search.metrics import Metric
from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.searching.space.space_file import parse_space

Sampler = Literal["tpe", "random", "grid", "gp"]


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """All that decides which configurations are proposed and what they score.

    Attributes:
        dataset: The graph's name.
        data_digest: Its content hash.
        space: What may vary.
        base: The values of keys that the space leaves out.
        seeds: Seeds per trial.
        sampler: Who proposes configurations.
        seed: Of the sampler.
        race: Whether a configuration that is losing stops early.
        metric: What trials are compared by: their mean of it over validation nodes.
    """

    dataset: str
    data_digest: str
    space: SearchSpace
    base: TrialConfig
    seeds: int
    sampler: Sampler
    seed: int
    race: bool
    metric: Metric = "accuracy"

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "dataset": self.dataset,
            "data_digest": self.data_digest,
            "space_name": self.space.name,
            "space": self.space.to_mapping(),
            "base": self.base.to_mapping(),
            "seeds": self.seeds,
            "sampler": self.sampler,
            "seed": self.seed,
            "race": self.race,
            "metric": self.metric,
        }

    @classmethod
    def from_mapping(cls, mapping: dict[str, Any]) -> "SearchSettings":
        """The inverse of `to_mapping`. The first journals name no metric: theirs is accuracy."""
        return cls(
            dataset=mapping["dataset"],
            data_digest=mapping["data_digest"],
            space=parse_space(mapping["space_name"], mapping["space"], recorded=True),
            base=TrialConfig.recorded(mapping["base"]),
            seeds=mapping["seeds"],
            sampler=mapping["sampler"],
            seed=mapping["seed"],
            race=mapping["race"],
            metric=mapping.get("metric", "accuracy"),
        )

    def config(self, point: dict[str, Any]) -> TrialConfig:
        """A point of the space as a complete config."""
        return self.space.config(point, self.base)

    def check_possible(self) -> None:
        """Refuse what can be refused before anything is computed."""
        if self.sampler == "grid" and self.space.size is None:
            endless = next(k for k, d in self.space.dimensions.items() if d.enumerated() is None)
            raise SearchError(
                f"{argument('sampler', 'grid')}: '{endless}' of space '{self.space.name}' has"
                " endlessly many values; give it choices or a step, or take"
                f" {argument('sampler', 'tpe')}"
            )


@dataclass(frozen=True, kw_only=True)
class Goal:
    """How far this invocation goes; a later one may go further.

    The best is trained on `confirm` fresh seeds, and up to `ties` of what validation cannot tell
    from it: on small graphs there are dozens.
    """

    trials: int
    confirm: int = 20
    ties: int = 4
    time_budget: float | None = None

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)
