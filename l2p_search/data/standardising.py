"""Standard: the mean and spread of every feature, by which another graph is scaled alike."""

from typing import NamedTuple

import torch
from torch import Tensor


class Standard(NamedTuple):
    """How a graph's features were given mean 0 and variance 1, in the units of the source.

    A graph that has grown has other means. A model has learned with those of its own graph, so
    features of another one are brought back to their units, and scaled as the model knows them.

    Attributes:
        center: The mean of each feature, F numbers.
        spread: Its standard deviation; 0 for a feature that was constant, which became 0.

    Example:
        >>> ages = Standard(center=(40.0,), spread=(10.0,))
        >>> ages.scaled(torch.tensor([[60.0]])).tolist()
        [[2.0]]
        >>> grown = Standard(center=(50.0,), spread=(20.0,))
        >>> ages.scaled(grown.raw(torch.tensor([[0.5]]))).tolist()
        [[2.0]]
    """

    center: tuple[float, ...]
    spread: tuple[float, ...]

    def scaled(self, raw: Tensor) -> Tensor:
        """Features in the units of the source [N, F], scaled: [N, F], float32."""
        center, spread = self._tensors()
        constant = spread == 0
        scaled = (raw.double() - center) / torch.where(constant, 1.0, spread)
        return torch.where(constant, 0.0, scaled).float()

    def raw(self, scaled: Tensor) -> Tensor:
        """The inverse of `scaled`, in float64; a constant feature has its one value again."""
        center, spread = self._tensors()
        return scaled.double() * spread + center

    def _tensors(self) -> tuple[Tensor, Tensor]:
        center, spread = torch.tensor([self.center, self.spread], dtype=torch.float64)
        return center, spread
