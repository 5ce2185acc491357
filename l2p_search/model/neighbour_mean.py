"""D^-1 A: the mean over a node's neighbours, the node itself left out."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.model.dense import shaped
from l2p_search.model.layers import Adjacency, rows_of
from l2p_search.model.sparse import SparseMatrix


class NeighbourMean(Adjacency):
    """D^-1 A of one graph, with other edges dropped for every seed.

    The mean aggregator of GraphSAGE (Hamilton, Ying and Leskovec, NeurIPS 2017,
    https://arxiv.org/abs/1706.02216). A node without neighbours, or one that DropEdge leaves
    none, has the mean 0. Where edges have weights it is the weighted mean, with D their sums. The
    matrix is not symmetric: the backward pass is the product with its transpose.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> from l2p_search.model.layers import Noise
        >>> from l2p_search.model.problem import Problem
        >>> mean = NeighbourMean(Problem(demo_graph()), 0.0)
        >>> ones = torch.ones(1, mean.num_nodes, 1)
        >>> found = mean.convolve(ones, mean.values(1, Noise(None)))
        >>> found.round(decimals=4).unique().tolist()  # 0 of the nodes without neighbours
        [0.0, 1.0]
    """

    self_loops = False
    symmetric = False

    def convolve(self, h: Tensor, values: Tensor) -> Tensor:
        """D^-1 A H for its entries `values` [S, nonzeros]: [S, N, H] -> [S, N, H]."""
        mean: Tensor = MeanTimes.apply(  # type: ignore[no-untyped-call]
            h, values, self.matrix(len(h))
        )
        return mean

    def _normalised(self, kept: Tensor) -> Tensor:
        """D^-1 M of the entries `kept` [S, nonzeros] of M."""
        kept = self._weighed(kept)
        degree = kept.new_zeros(len(kept), self.num_nodes).index_add_(1, self.row, kept)
        return kept / torch.where(degree > 0.0, degree, 1.0)[:, self.row]


class MeanTimes(torch.autograd.Function):
    """The product with a matrix that is not symmetric, and whose values are not learned."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, values: Tensor, matrix: SparseMatrix) -> Tensor:
        """M H."""
        ctx.save_for_backward(values)
        ctx.matrix = matrix
        return shaped(matrix.times(rows_of(h), values.reshape(-1)), *h.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """M.T G."""
        (values,) = ctx.saved_tensors
        back = ctx.matrix.transposed_times(grad.reshape(-1, grad.shape[2]), values)
        return back.view_as(grad), None, None
