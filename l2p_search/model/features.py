"""The node features as a matrix that multiplies the first layer's weights, dropout included.

Bags of words are 1 to 10 % dense: they are kept sparse, and dropout then changes the values
of one pattern. Dense features stay dense. Seeds are taken in blocks that fit a core's cache.
"""

from collections.abc import Callable
from typing import Protocol

import torch
from torch import Tensor

from l2p_search.model.dropout import drop
from l2p_search.model.sparse import SparseMatrix

_DENSE_FROM = 0.2
"""The share of non-zeros from which the dense product wins."""

_BLOCK_BYTES = 2**18
"""A block's hidden representations and its copies of the pattern should stay in the cache."""


class Features(Protocol):
    """X [N, F] as S seeds see it, each after its own dropout.

    `dropped` makes what the products need of that, with the seeds as its first axis; None
    stands for X itself.
    """

    num_nodes: int
    noise_size: int

    def blocks(self, num_seeds: int) -> list[slice]:
        """The seeds, in blocks that one product takes."""

    def dropped(self, noise: Tensor, rate: float, scale: float) -> Tensor:
        """Scale * dropout(X) by each seed's random bytes [S, noise_size]."""

    def times(self, weight: Tensor, dropped: Tensor | None) -> Tensor:
        """X @ W for a block of seeds: weight [B, F, H] -> [B, N, H]."""

    def transposed_times(self, grad: Tensor, dropped: Tensor | None) -> Tensor:
        """X.T @ G for a block of seeds: grad [B, N, H] -> [B, F, H]."""


def features_of(x: Tensor, hidden: int) -> Features:
    """Sparse or dense, by the share of non-zeros of x [N, F]."""
    if (x != 0).double().mean() >= _DENSE_FROM:
        return DenseFeatures(x)
    return SparseFeatures(x, block=max(1, _BLOCK_BYTES // (x.shape[0] * hidden * 4)))


class SparseFeatures:
    """Features as one sparse pattern; a block of seeds is one product."""

    def __init__(self, x: Tensor, block: int) -> None:
        """Keep x [N, F] so that up to `block` seeds multiply at once."""
        row, column = x.nonzero(as_tuple=True)
        shape = (x.shape[0], x.shape[1])
        self._matrix = SparseMatrix.from_coordinates(row, column, x[row, column], shape, block)
        self._block = block
        self.num_nodes = x.shape[0]
        self.noise_size = self._matrix.nonzeros

    def blocks(self, num_seeds: int) -> list[slice]:
        """As many seeds at a time as the matrix has copies."""
        return _blocks(num_seeds, self._block)

    def dropped(self, noise: Tensor, rate: float, scale: float) -> Tensor:
        """The values of the pattern: [S, non-zeros]."""
        return drop((self._matrix.values * scale).expand(noise.shape[0], -1), noise, rate)

    def times(self, weight: Tensor, dropped: Tensor | None) -> Tensor:
        """X @ W."""
        seeds, _, hidden = weight.shape
        product = self._matrix.times(weight.reshape(-1, hidden), dropped)
        return product.view(seeds, self.num_nodes, hidden)

    def transposed_times(self, grad: Tensor, dropped: Tensor | None) -> Tensor:
        """X.T @ G."""
        seeds, _, hidden = grad.shape
        product = self._matrix.transposed_times(grad.reshape(-1, hidden), dropped)
        return product.view(seeds, -1, hidden)


class DenseFeatures:
    """Features as a dense matrix, dropped out a second time in the backward pass.

    A copy of the features for every seed would not fit in memory, so `dropped` only keeps the
    bytes, and each product makes the one copy that it uses.
    """

    def __init__(self, x: Tensor) -> None:
        """Keep x [N, F]."""
        self._x = x.contiguous()
        self._rate, self._scale = 0.0, 1.0
        self.num_nodes = x.shape[0]
        self.noise_size = x.numel()

    def blocks(self, num_seeds: int) -> list[slice]:
        """One seed at a time."""
        return _blocks(num_seeds, 1)

    def dropped(self, noise: Tensor, rate: float, scale: float) -> Tensor:
        """The random bytes as they are: [S, N * F]."""
        self._rate, self._scale = rate, scale
        return noise

    def times(self, weight: Tensor, dropped: Tensor | None) -> Tensor:
        """X @ W."""
        return self._product(dropped, lambda x: torch.matmul(x, weight))

    def transposed_times(self, grad: Tensor, dropped: Tensor | None) -> Tensor:
        """X.T @ G."""
        return self._product(dropped, lambda x: torch.matmul(x.transpose(-1, -2), grad))

    def _product(self, dropped: Tensor | None, multiply: Callable[[Tensor], Tensor]) -> Tensor:
        if dropped is None:
            return multiply(self._x)
        copies = dropped.reshape(-1, *self._x.shape)
        return multiply(drop(self._x.expand_as(copies), copies, self._rate)).mul_(self._scale)


def _blocks(num_seeds: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, num_seeds)) for start in range(0, num_seeds, size)]
