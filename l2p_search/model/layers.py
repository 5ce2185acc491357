"""The pieces of nonlinear networks, for all seeds at once: products, convolution, dropout.

Hidden representations are [S, N, H]. A product with a sparse matrix takes all seeds in one call:
the matrix is repeated down the diagonal, so that each seed may have values of its own.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.model.dense import shaped
from l2p_search.model.dropout import drop, dropped_levels, keep_scale
from l2p_search.model.features import Draw, Features
from l2p_search.model.problem import Problem
from l2p_search.model.sparse import SparseMatrix


class Noise:
    """Random bytes [S, size] of one training step, handed out in the order they are asked for."""

    def __init__(self, noise: Tensor | None) -> None:
        """None stands for a pass without dropout."""
        self._noise = noise
        self._used = 0

    def take(self, *shape: int, rate: float) -> Tensor | None:
        """The next bytes, [S, *shape]; at rate 0 none are needed."""
        if self._noise is None or rate == 0:
            return None
        count = torch.Size(shape).numel()
        taken = self._noise[:, self._used : self._used + count]
        self._used += count
        return taken.reshape(-1, *shape)

    def dropped(self, h: Tensor, rate: float) -> Tensor:
        """dropout(H) by the next bytes, for h [S, N, H]."""
        return drop_units(h, self.take(*h.shape[1:], rate=rate), rate)


def features_times(features: Features, weight: Tensor, noise: Noise, rate: float) -> Tensor:
    """dropout(X) W by the next random bytes.

    Args:
        features: X [N, F].
        weight: W [S, F, H].
        noise: Gives features.noise_size bytes per seed.
        rate: Of the dropout.

    Returns:
        The product, [S, N, H].
    """
    return features_product(features, weight, noise.take(features.noise_size, rate=rate), rate)


def features_product(
    features: Features, weight: Tensor, taken: Tensor | None, rate: float
) -> Tensor:
    """dropout(X) W like `features_times`, by random bytes [S, noise_size] that were taken before.

    Products of X with several weights by the same bytes see the same draw of dropout.
    """
    product: Tensor = FeaturesTimes.apply(  # type: ignore[no-untyped-call]
        weight, features, taken, rate
    )
    return product


class FeaturesTimes(torch.autograd.Function):
    """One block of seeds at a time; only the draw of dropout is kept for the backward pass."""

    @staticmethod
    def forward(
        ctx: Any, weight: Tensor, features: Features, noise: Tensor | None, rate: float
    ) -> Tensor:
        """X W."""
        draw = Draw() if noise is None else features.dropped(noise, rate, keep_scale(rate))
        ctx.features, ctx.draw, ctx.inputs = features, draw, weight.shape[1]
        weight = weight.detach()
        shape = (len(weight), features.num_nodes, weight.shape[2])
        blocks = features.blocks(len(weight))
        if len(blocks) == 1:
            return shaped(features.times(weight, draw), *shape)
        product = weight.new_empty(shape)
        for block in blocks:
            product[block] = features.times(weight[block], draw.of_seeds(block))
        return product

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """X.T G."""
        grad_weight = grad.new_empty(grad.shape[0], ctx.inputs, grad.shape[2])
        for block in ctx.features.blocks(len(grad)):
            own = ctx.draw.of_seeds(block)
            grad_weight[block] = ctx.features.transposed_times(grad[block].contiguous(), own)
        return grad_weight, None, None, None


def drop_units(x: Tensor, noise: Tensor | None, rate: float) -> Tensor:
    """Dropout of x by random bytes of its shape, scaled so that the expectation stays.

    Example:
        >>> drop_units(torch.ones(2), torch.tensor([0, 255], dtype=torch.uint8), 0.5).tolist()
        [0.0, 2.0]
    """
    if noise is None or rate == 0:
        return x
    dropped: Tensor = DropUnits.apply(x, noise, rate)  # type: ignore[no-untyped-call]
    return dropped


class DropUnits(torch.autograd.Function):
    """Keeps the bytes for its backward pass: a quarter of what a mask of floats would take."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, noise: Tensor, rate: float) -> Tensor:
        """Zero and scale."""
        ctx.save_for_backward(noise)
        ctx.rate = rate
        return drop(x.contiguous(), noise, rate).mul_(keep_scale(rate))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The same zeros and scale for the gradient."""
        (noise,) = ctx.saved_tensors
        return drop(grad.contiguous(), noise, ctx.rate).mul_(keep_scale(ctx.rate)), None, None


class Adjacency:
    """A_hat = D^-1/2 (A + I) D^-1/2 of one graph, with other edges dropped for every seed.

    DropEdge (Rong, Huang, Xu and Huang, ICLR 2020, https://arxiv.org/abs/1907.10903) drops a
    share of the edges in each training step and normalises what is left, by the weights of the
    edges when the graph has some. An edge is dropped in both directions or in none, so A_hat
    stays symmetric: the backward pass of a convolution is the same convolution.
    """

    self_loops = True
    """Whether a node is among its own neighbours."""

    symmetric = True
    """Whether the matrix is its own transpose."""

    def __init__(self, problem: Problem, edge_dropout: float) -> None:
        """Self-loops are added, and never dropped."""
        graph = problem.graph
        self.num_nodes, self._rate, self._dtype = graph.num_nodes, edge_dropout, problem.dtype
        count = graph.num_nodes if self.self_loops else 0
        loops = torch.arange(count, device=graph.edges.device)
        row = torch.cat([graph.edges[0], loops])
        column = torch.cat([graph.edges[1], loops])
        order = torch.argsort(row * graph.num_nodes + column)
        row, column = row[order], column[order]
        low, high = torch.minimum(row, column), torch.maximum(row, column)
        pair, entry_pair = (low * graph.num_nodes + high).unique(return_inverse=True)
        is_loop = pair // graph.num_nodes == pair % graph.num_nodes
        self.row, self.column = problem.placed(row), problem.placed(column)
        self._pair, self._is_loop = problem.placed(entry_pair), problem.placed(is_loop)
        self.noise_size = len(pair) if edge_dropout > 0 else 0
        self._weights: Tensor | None = None
        if graph.weights is not None:
            weights = torch.cat([graph.weights, graph.weights.new_ones(count)])
            self._weights = problem.placed(weights[order])
        self._whole = self._normalised(problem.ones(1, len(row)))
        self._matrix = self._copies(1)

    @property
    def nonzeros(self) -> int:
        """Entries, self-loops included."""
        return len(self.row)

    def matrix(self, copies: int) -> SparseMatrix:
        """The pattern, repeated down the diagonal at least `copies` times; grows on demand."""
        if self._matrix.offsets.shape[0] < copies * self.num_nodes:
            self._matrix = self._copies(copies)
        return self._matrix

    def values(self, seeds: int, noise: Noise) -> Tensor:
        """The entries of A_hat that each seed sees after DropEdge: [S, nonzeros]."""
        bytes_ = noise.take(self.noise_size, rate=self._rate)
        if bytes_ is None:
            return self._whole.expand(seeds, -1)
        kept = (bytes_ >= dropped_levels(self._rate)) | self._is_loop
        return self._normalised(kept[:, self._pair].to(self._dtype))

    def convolve(self, h: Tensor, values: Tensor) -> Tensor:
        """A_hat H for A_hat's entries `values` [S, nonzeros]: [S, N, H] -> [S, N, H]."""
        convolved: Tensor = Convolve.apply(  # type: ignore[no-untyped-call]
            h, values, self.matrix(len(h))
        )
        return convolved

    def _normalised(self, kept: Tensor) -> Tensor:
        """D^-1/2 M D^-1/2 of the entries `kept` [S, nonzeros] of M."""
        kept = self._weighed(kept)
        degree = kept.new_zeros(len(kept), self.num_nodes).index_add_(1, self.row, kept)
        scale = degree.rsqrt()
        return kept * scale[:, self.row] * scale[:, self.column]

    def _weighed(self, kept: Tensor) -> Tensor:
        """The entries `kept` [S, nonzeros], times the weights of the edges when there are some."""
        return kept if self._weights is None else kept * self._weights

    def _copies(self, copies: int) -> SparseMatrix:
        """The pattern, repeated down the diagonal."""
        shape = (self.num_nodes, self.num_nodes)
        return SparseMatrix.from_coordinates(self.row, self.column, self._whole[0], shape, copies)


class FixedMatrix:
    """A sparse matrix [N, N] that is no adjacency: not symmetric, the same for all seeds."""

    def __init__(self, row: Tensor, column: Tensor, values: Tensor, size: int) -> None:
        """From coordinates [nonzeros], each pair at most once."""
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


def rows_of(h: Tensor) -> Tensor:
    """The seeds of h [S, N, H] one below another, [S N, H].

    Detached: inside of an autograd function h still asks for a gradient, and the sparse product
    would prepare one.
    """
    return h.detach().reshape(-1, h.shape[2])


class MatrixTimes(torch.autograd.Function):
    """The product with a matrix that is not learned."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, matrix: SparseMatrix) -> Tensor:
        """M H."""
        ctx.matrix = matrix
        return shaped(matrix.times(rows_of(h)), *h.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """M.T G."""
        return ctx.matrix.transposed_times(grad.reshape(-1, grad.shape[2])).view_as(grad), None


class Convolve(torch.autograd.Function):
    """The product with a symmetric matrix, whose values are not learned."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, values: Tensor, matrix: SparseMatrix) -> Tensor:
        """A_hat H."""
        ctx.save_for_backward(values)
        ctx.matrix = matrix
        return shaped(matrix.times(rows_of(h), values.reshape(-1)), *h.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """A_hat G, as A_hat is symmetric."""
        (values,) = ctx.saved_tensors
        back = ctx.matrix.times(grad.reshape(-1, grad.shape[2]), values.reshape(-1))
        return back.view_as(grad), None, None
