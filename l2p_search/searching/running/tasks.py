"""Task: what a worker is asked to train."""

from dataclasses import dataclass
from typing import Any, Literal

from l2p_search.config import TrialConfig
from l2p_search.held import Role
from l2p_search.metrics import Metric


@dataclass(frozen=True)
class Task:
    """One configuration and the groups of seeds to train it on, one group after another.

    Args:
        kind: A trial of the search, or a confirmation of one on fresh seeds.
        number: The number of the trial.
        config: What is trained.
        groups: The seeds; after each group but the last a race may stop the trial.
        attempt: 2 when a worker has died over it.
        with_weights: Whether the worker sends what the seeds learned, too.
        sealed: Whether no test score is computed.
        splits: The rule of fresh splits to train on; None for the splits of the graph.
        role: What the confirmation is for: that of a trial itself, or of what it is held against.
        name: What it is called, where it is not the confirmation of a trial.
        whole: All fresh seeds of a confirmation, where this task trains a part of them.
    """

    kind: Literal["trial", "confirmation"]
    number: int
    config: TrialConfig
    groups: tuple[tuple[int, ...], ...]
    metric: Metric = "accuracy"
    attempt: int = 1
    with_weights: bool = False
    sealed: bool = False
    splits: str | None = None
    role: Role = "winner"
    name: str | None = None
    whole: tuple[int, ...] = ()

    @property
    def piece(self) -> tuple[str, tuple[int, ...], str | None]:
        """By what the journal finds the confirmation that this is, or is a part of."""
        return self.config.config_id, self.whole or self.groups[0], self.splits

    @property
    def confirms_trial(self) -> bool:
        """Whether it confirms a trial on fresh seeds: the winner or a tie."""
        return self.kind == "confirmation" and self.role in ("winner", "tie")

    @property
    def title(self) -> str:
        """What people call it, such as "trial 7"."""
        own, trial = self.groups[0], f"trial {self.number}"
        seeds = f"seeds {own[0]} to {own[-1]}" if own[1:] else f"seed {own[0]}"
        part = "" if self.whole in ((), own) else seeds
        if self.name is not None:
            return f"{self.name}, {part}" if part else self.name
        return f"{trial} on fresh {part or 'seeds'}" if self.kind == "confirmation" else trial

    def to_mapping(self) -> dict[str, Any]:
        """What a worker needs, as plain values."""
        return {
            "config": self.config.to_mapping(),
            "groups": [list(group) for group in self.groups],
            "metric": self.metric,
            "with_weights": self.with_weights,
            "sealed": self.sealed,
            "splits": self.splits,
        }
