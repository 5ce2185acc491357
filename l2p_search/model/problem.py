"""Problem: a graph with the device and the dtype that it is learned in, where tensors come from.

A graph stays on the CPU. What is learned from it (matrices, parameters, labels, noise) is placed
on the device once, here; every later tensor is made from one that is there already.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from l2p_search.data.graph import Graph
from l2p_search.data.splits import Rows, labelled_rows

HOST = torch.device("cpu")
"""Where graphs are, and where decisions are taken: stopping, judging, what is reported."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What to learn on, where, and how precisely.

    Attributes:
        graph: On the CPU.
        device: Of all tensors that take part in learning.
        dtype: Of all such tensors that hold fractions.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> problem = Problem(demo_graph(), dtype=torch.float64)
        >>> problem.zeros(2, 3).dtype, problem.placed(torch.tensor([1])).dtype
        (torch.float64, torch.int64)
    """

    graph: Graph
    device: torch.device = HOST
    dtype: torch.dtype = torch.float32

    def placed(self, tensor: Tensor) -> Tensor:
        """The tensor on the device, in the dtype if it holds fractions."""
        return tensor.to(self.device, self.dtype if tensor.is_floating_point() else tensor.dtype)

    def zeros(self, *shape: int) -> Tensor:
        """Zeros of a shape."""
        return torch.zeros(shape, dtype=self.dtype, device=self.device)

    def ones(self, *shape: int) -> Tensor:
        """Ones of a shape."""
        return torch.ones(shape, dtype=self.dtype, device=self.device)

    def labelled(self, masks: Tensor, seeds: Sequence[int]) -> Rows:
        """The nodes of `masks` [P, N] that the split of each seed selects, with their labels."""
        return labelled_rows(self.graph, masks, seeds, self.dtype).to(self.device)

    def glorot(self, generators: Sequence[Generator], shape: tuple[int, int]) -> Tensor:
        """Uniform weights [S, *shape] with the variance that keeps the scale of signals.

        Bound sqrt(6 / (inputs + outputs)): Glorot and Bengio, AISTATS 2010,
        https://proceedings.mlr.press/v9/glorot10a.html
        """
        return self._uniform(generators, shape, (6.0 / sum(shape)) ** 0.5)

    def fan_in(self, generators: Sequence[Generator], shape: tuple[int, int]) -> Tensor:
        """Uniform weights [S, *shape] within one over the root of the number of inputs."""
        return self._uniform(generators, shape, shape[0] ** -0.5)

    def _uniform(
        self, generators: Sequence[Generator], shape: tuple[int, int], bound: float
    ) -> Tensor:
        """Uniform weights within a bound, those of each seed drawn by its own generator.

        They are drawn on the CPU: a seed starts from the same weights on every device.
        """
        weights = torch.empty(len(generators), *shape, dtype=self.dtype, device=HOST)
        for own, generator in zip(weights, generators, strict=True):
            own.uniform_(-bound, bound, generator=generator)
        return self.placed(weights)
