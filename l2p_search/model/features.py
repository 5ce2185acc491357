"""The node features as a matrix that multiplies the first layer's weights, dropout included.

Bags of words are 1 to 10 % dense: they are kept sparse, and dropout then changes the values
of one pattern. Dense features stay dense. On a CPU seeds are taken in blocks that fit a core's
cache; another device takes as many at once as it has work for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from l2p_search.model.blocks import block_size, fitting, seed_blocks
from l2p_search.model.dense import product
from l2p_search.model.dropout import drop
from l2p_search.model.problem import HOST, Problem
from l2p_search.model.sparse import SparseMatrix, read_ahead

_DENSE_FROM = 0.2
"""The share of non-zeros from which the dense product is the faster one."""

_READ_AHEAD_TO = 2**20
"""Bytes of one seed's W_1 up to which a core's cache holds it."""

_READ_AHEAD_FROM = 8
"""How often a product has to read each row of W_1 for it to pay to read all of them ahead."""

_MOST_ENTRIES = 2**30
"""Entries of all copies of a pattern, whose places are numbers of 32 bits."""


@dataclass(frozen=True, eq=False)
class Draw:
    """One draw of dropout over X for S seeds: `Features.dropped` makes it, the products take it.

    `Draw()` stands for X itself, without dropout.

    Attributes:
        entries: [S, noise_size]. Of sparse features the values that dropout left, of dense ones
            the random bytes.
        rate: Of the dropout that the products still have to apply to X.
        scale: The factor that they still have to multiply by.
    """

    entries: Tensor | None = None
    rate: float = 0.0
    scale: float = 1.0

    def of_seeds(self, seeds: slice) -> "Draw":
        """The draw of a block of seeds."""
        if self.entries is None:
            return self
        return Draw(self.entries[seeds], self.rate, self.scale)


class Features(Protocol):
    """X [N, F], from which every draw makes the matrices that S seeds see."""

    num_nodes: int
    noise_size: int
    """Random bytes per seed for one draw."""

    def blocks(self, num_seeds: int) -> list[slice]:
        """The seeds, in blocks that one product takes."""

    def dropped(self, noise: Tensor, rate: float, scale: float) -> Draw:
        """Scale * dropout(X) by each seed's random bytes [S, noise_size].

        Dropout only sets entries to zero: `scale` is to contain what makes up for that.
        """

    def times(self, weight: Tensor, draw: Draw) -> Tensor:
        """X @ W for a block of seeds and their draw: weight [B, F, H] -> [B, N, H]."""

    def transposed_times(self, grad: Tensor, draw: Draw) -> Tensor:
        """X.T @ G for a block of seeds and their draw: grad [B, N, H] -> [B, F, H]."""


def features_of(problem: Problem, hidden: int) -> Features:
    """The features of a graph, sparse or dense by their share of non-zeros.

    Args:
        problem: Of whose graph.
        hidden: Columns of the weights that they will multiply.

    Returns:
        The features, prepared for the products of many seeds.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> features = features_of(Problem(demo_graph()), hidden=2)
        >>> weight = torch.ones(1, demo_graph().num_features, 2)
        >>> type(features).__name__, tuple(features.times(weight, Draw()).shape)
        ('SparseFeatures', (1, 320, 2))
    """
    x, device = problem.graph.x.to(problem.dtype), problem.device
    on_cpu = device.type == HOST.type
    nonzeros = int((x != 0).sum())
    if nonzeros / max(1, x.numel()) >= _DENSE_FROM:
        return DenseFeatures(x.to(device), 1 if on_cpu else block_size(4 * x.numel(), device))
    block = block_size(4 * x.shape[0] * hidden, device)
    return SparseFeatures(x, min(block, fitting(_MOST_ENTRIES, nonzeros)), device)


class SparseFeatures:
    """Features as one sparse pattern; a block of seeds is one product."""

    def __init__(self, x: Tensor, block: int, device: torch.device = HOST) -> None:
        """Keep x [N, F] on a device, so that up to `block` seeds multiply at once."""
        row, column = x.nonzero(as_tuple=True)
        shape = (x.shape[0], x.shape[1])
        matrix = SparseMatrix.from_coordinates(row, column, x[row, column], shape, block)
        self._matrix = matrix.to(device)
        self._block = block
        self.num_nodes = x.shape[0]
        self.noise_size = self._matrix.nonzeros

    def blocks(self, num_seeds: int) -> list[slice]:
        """As many seeds at a time as the matrix has copies."""
        return seed_blocks(num_seeds, self._block)

    def dropped(self, noise: Tensor, rate: float, scale: float) -> Draw:
        """The values of the pattern [S, nonzeros], dropped out and scaled at once."""
        scaled = (self._matrix.values * scale).expand(noise.shape[0], -1)
        return Draw(drop(scaled, noise, rate))

    def times(self, weight: Tensor, draw: Draw) -> Tensor:
        """X @ W."""
        seeds, features, hidden = weight.shape
        fits = features * hidden * weight.itemsize <= _READ_AHEAD_TO
        if fits and self._matrix.nonzeros >= _READ_AHEAD_FROM * features:
            read_ahead(weight)
        product = self._matrix.times(weight.reshape(-1, hidden), draw.entries)
        return product.view(seeds, self.num_nodes, hidden)

    def transposed_times(self, grad: Tensor, draw: Draw) -> Tensor:
        """X.T @ G."""
        seeds, _, hidden = grad.shape
        if draw.entries is not None:
            read_ahead(draw.entries)
        product = self._matrix.transposed_times(grad.reshape(-1, hidden), draw.entries)
        return product.view(seeds, -1, hidden)


class DenseFeatures:
    """Features as a dense matrix, dropped out a second time in the backward pass.

    One copy of the features per seed would not fit in memory, so a draw only keeps the random
    bytes, and each product makes the one copy that it uses.
    """

    def __init__(self, x: Tensor, block: int = 1) -> None:
        """Keep x [N, F]; up to `block` seeds multiply at once."""
        self._x = x.contiguous()
        self._block = block
        self.num_nodes = x.shape[0]
        self.noise_size = x.numel()

    def blocks(self, num_seeds: int) -> list[slice]:
        """On a CPU one seed at a time."""
        return seed_blocks(num_seeds, self._block)

    def dropped(self, noise: Tensor, rate: float, scale: float) -> Draw:
        """The random bytes as they are [S, N * F], with what the products are to do by them."""
        return Draw(noise, rate, scale)

    def times(self, weight: Tensor, draw: Draw) -> Tensor:
        """X @ W."""
        return self._product(draw, lambda x: _product(x, weight))

    def transposed_times(self, grad: Tensor, draw: Draw) -> Tensor:
        """X.T @ G."""
        return self._product(draw, lambda x: torch.matmul(x.transpose(-1, -2), grad))

    def _product(self, draw: Draw, multiply: Callable[[Tensor], Tensor]) -> Tensor:
        """A product with X as the draw has it."""
        if draw.entries is None:
            return multiply(self._x)
        noise = draw.entries.reshape(-1, *self._x.shape)
        copies = drop(self._x.expand_as(noise), noise, draw.rate)
        return multiply(copies).mul_(draw.scale)


def _product(x: Tensor, weight: Tensor) -> Tensor:
    """X W for one X [N, F] or one per seed [B, N, F], and weight [B, F, H]."""
    return product(x.expand(len(weight), -1, -1), weight)
