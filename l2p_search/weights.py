"""Weights: what the seeds of a trial have learned, with the number of every seed."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Weights:
    """The parameters of trained seeds, each at its best epoch; failed seeds have none.

    Attributes:
        seeds: The numbers of the seeds, in the order of the first axis of all tensors.
        theta: The lower level's parameters by name, each [S, ..], on the CPU.
        phi: The upper level's; empty for a baseline.

    Example:
        >>> first = Weights((0,), {"W_1": torch.ones(1, 2)}, {})
        >>> both = first.joined(Weights((4,), {"W_1": torch.zeros(1, 2)}, {}))
        >>> both.seeds, both.theta["W_1"].tolist()
        ((0, 4), [[1.0, 1.0], [0.0, 0.0]])
    """

    seeds: tuple[int, ...]
    theta: dict[str, Tensor]
    phi: dict[str, Tensor]

    def joined(self, other: "Weights") -> "Weights":
        """These seeds, then those of the other."""
        return Weights(
            self.seeds + other.seeds,
            {name: torch.cat([own, other.theta[name]]) for name, own in self.theta.items()},
            {name: torch.cat([own, other.phi[name]]) for name, own in self.phi.items()},
        )

    def named(self) -> Iterator[tuple[str, Tensor]]:
        """Every tensor with its name, `theta.W_1` or `phi.w`."""
        for level in ("theta", "phi"):
            for name, value in getattr(self, level).items():
                yield f"{level}.{name}", value

    @classmethod
    def of_named(cls, seeds: tuple[int, ...], tensors: dict[str, Tensor]) -> "Weights":
        """The inverse of `named`.

        Raises:
            ValueError: A name begins with neither level.
        """
        levels: dict[str, dict[str, Tensor]] = {"theta": {}, "phi": {}}
        for name, value in tensors.items():
            level, _, own = name.partition(".")
            if level not in levels:
                raise ValueError(f"a tensor is called '{name}'")
            levels[level][own] = value
        return cls(seeds, **levels)

    @property
    def dtype(self) -> torch.dtype:
        """Of all tensors."""
        return next(iter(self.theta.values())).dtype

    @property
    def megabytes(self) -> float:
        """What they take, in memory and on disk."""
        return sum(value.numel() * value.element_size() for _, value in self.named()) / 1e6
