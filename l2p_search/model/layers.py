"""The pieces of nonlinear networks, for all seeds at once: products, convolution, dropout.

Hidden representations are [S, N, H]. A product with a sparse matrix takes all seeds in one call,
the matrix repeated down the diagonal, so that each seed may have values of its own.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.data.graph import Graph
from l2p_search.model.dropout import drop, dropped_levels, keep_scale
from l2p_search.model.features import Features
from l2p_search.model.sparse import SparseMatrix


class Noise:
    """Random bytes [S, size] of one training step, handed out in the order they are asked for."""

    def __init__(self, noise: Tensor | None) -> None:
        """None stands for a pass without dropout."""
        self._noise = noise
        self._used = 0

    def take(self, *shape: int) -> Tensor | None:
        """The next bytes, [S, *shape]."""
        if self._noise is None:
            return None
        count = torch.Size(shape).numel()
        taken = self._noise[:, self._used : self._used + count]
        self._used += count
        return taken.reshape(-1, *shape)


def features_times(
    features: Features, weight: Tensor, noise: Tensor | None, rate: float
) -> Tensor:
    """dropout(X) W for weight [S, F, H]: -> [S, N, H]."""
    product: Tensor = FeaturesTimes.apply(  # type: ignore[no-untyped-call]
        weight, features, noise, rate
    )
    return product


class FeaturesTimes(torch.autograd.Function):
    """A block of seeds at a time; nothing but the dropped values is kept for the way back."""

    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, features: Features, noise: Tensor | None, rate: float
    ) -> Tensor:
        """X W."""
        dropped = None
        if noise is not None and rate > 0:
            dropped = features.dropped(noise, rate, keep_scale(rate))
        product = weight.new_empty(weight.shape[0], features.num_nodes, weight.shape[2])
        for block in features.blocks(len(weight)):
            own = None if dropped is None else dropped[block]
            product[block] = features.times(weight[block], own)
        ctx.features, ctx.dropped, ctx.inputs = features, dropped, weight.shape[1]
        return product

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """X.T G."""
        grad_weight = grad.new_empty(grad.shape[0], ctx.inputs, grad.shape[2])
        for block in ctx.features.blocks(len(grad)):
            own = None if ctx.dropped is None else ctx.dropped[block]
            grad_weight[block] = ctx.features.transposed_times(grad[block].contiguous(), own)
        return grad_weight, None, None, None


def drop_units(x: Tensor, noise: Tensor | None, rate: float) -> Tensor:
    """Dropout of x by its random bytes, scaled so that the expectation stays."""
    if noise is None or rate == 0:
        return x
    dropped: Tensor = DropUnits.apply(x, noise, rate)  # type: ignore[no-untyped-call]
    return dropped


class DropUnits(torch.autograd.Function):
    """It keeps the bytes, which are a quarter of what a mask of floats would take."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, noise: Tensor, rate: float) -> Tensor:
        """Zero and scale."""
        ctx.save_for_backward(noise)
        ctx.rate = rate
        return drop(x.contiguous(), noise, rate).mul_(keep_scale(rate))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The same of the gradient."""
        (noise,) = ctx.saved_tensors
        return drop(grad.contiguous(), noise, ctx.rate).mul_(keep_scale(ctx.rate)), None, None


class Adjacency:
    """A = D^-1/2 (A + I) D^-1/2 of one graph, which DropEdge thins out anew for every seed.

    DropEdge (Rong et al. 2020) drops a share of the edges in each training step and normalises
    what is left, by the weights of the edges when the graph has some. An edge goes in both
    directions or in none, so A stays symmetric: the way back through a convolution is the same
    convolution.
    """

    def __init__(self, graph: Graph, edge_dropout: float, dtype: torch.dtype) -> None:
        """Self-loops are added, and never dropped."""
        self.num_nodes, self._rate, self._dtype = graph.num_nodes, edge_dropout, dtype
        loops = torch.arange(graph.num_nodes)
        row = torch.cat([graph.edges[0], loops])
        column = torch.cat([graph.edges[1], loops])
        order = torch.argsort(row * graph.num_nodes + column)
        self.row, self.column = row[order], column[order]
        low, high = torch.minimum(self.row, self.column), torch.maximum(self.row, self.column)
        pair, entry_pair = (low * graph.num_nodes + high).unique(return_inverse=True)
        self._pair = entry_pair
        self._is_loop = pair // graph.num_nodes == pair % graph.num_nodes
        self.noise_size = len(pair) if edge_dropout > 0 else 0
        self._weights: Tensor | None = None
        if graph.weights is not None:
            self._weights = torch.cat([graph.weights, torch.ones(len(loops))])[order].to(dtype)
        self._whole = self._normalised(torch.ones(1, len(row), dtype=dtype))
        self._matrix = self._copies(1)

    @property
    def nonzeros(self) -> int:
        """Entries, self-loops included."""
        return len(self.row)

    def matrix(self, copies: int) -> SparseMatrix:
        """The pattern, repeated at least so often; made when it is first asked for."""
        if self._matrix.offsets.shape[0] < copies * self.num_nodes:
            self._matrix = self._copies(copies)
        return self._matrix

    def values(self, seeds: int, noise: Noise) -> Tensor:
        """The entries of A as each seed sees it: [S, nonzeros]."""
        bytes_ = noise.take(self.noise_size) if self.noise_size else None
        if bytes_ is None:
            return self._whole.expand(seeds, -1)
        kept = (bytes_ >= dropped_levels(self._rate)) | self._is_loop
        return self._normalised(kept[:, self._pair].to(self._dtype))

    def convolve(self, h: Tensor, values: Tensor) -> Tensor:
        """A H: [S, N, H] -> [S, N, H]."""
        convolved: Tensor = Convolve.apply(  # type: ignore[no-untyped-call]
            h, values, self.matrix(len(h))
        )
        return convolved

    def _normalised(self, kept: Tensor) -> Tensor:
        if self._weights is not None:
            kept = kept * self._weights
        degree = kept.new_zeros(len(kept), self.num_nodes).index_add_(1, self.row, kept)
        scale = degree.rsqrt()
        return kept * scale[:, self.row] * scale[:, self.column]

    def _copies(self, copies: int) -> SparseMatrix:
        shape = (self.num_nodes, self.num_nodes)
        return SparseMatrix.from_coordinates(self.row, self.column, self._whole[0], shape, copies)


class FixedMatrix:
    """A sparse matrix [N, N] that is no adjacency: not symmetric, the same for all seeds."""

    def __init__(self, row: Tensor, column: Tensor, values: Tensor, size: int) -> None:
        """From coordinates, each pair at most once."""
        self._given = (row, column, values, (size, size))
        self._matrix = SparseMatrix.from_coordinates(*self._given)
        self._seeds = 1

    def times(self, h: Tensor) -> Tensor:
        """M H: [S, N, H] -> [S, N, H]."""
        if len(h) > self._seeds:
            self._seeds = len(h)
            self._matrix = SparseMatrix.from_coordinates(*self._given, copies=self._seeds)
        product: Tensor = MatrixTimes.apply(h, self._matrix)  # type: ignore[no-untyped-call]
        return product


class MatrixTimes(torch.autograd.Function):
    """The product with a matrix that is not learned."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, matrix: SparseMatrix) -> Tensor:
        """M H."""
        ctx.matrix = matrix
        return matrix.times(h.reshape(-1, h.shape[2])).view_as(h)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """M.T G."""
        return ctx.matrix.transposed_times(grad.reshape(-1, grad.shape[2])).view_as(grad), None


class Convolve(torch.autograd.Function):
    """The product with a symmetric matrix, whose values are not learned."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, values: Tensor, matrix: SparseMatrix) -> Tensor:
        """A H."""
        ctx.save_for_backward(values)
        ctx.matrix = matrix
        return matrix.times(h.reshape(-1, h.shape[2]), values.reshape(-1)).view_as(h)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """A G, as A.T = A."""
        (values,) = ctx.saved_tensors
        back = ctx.matrix.times(grad.reshape(-1, grad.shape[2]), values.reshape(-1))
        return back.view_as(grad), None, None
