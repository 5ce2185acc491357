"""Graph attention: a node weighs its neighbours, and itself, by learned scores.

Velickovic, Cucurull, Casanova, Romero, Lio and Bengio, ICLR 2018,
https://arxiv.org/abs/1710.10903:

    e_ij = leaky_relu(to . W h_i + from . W h_j),  alpha_ij = softmax over j of e_ij,
    h_i' = sum_j alpha_ij W h_j

Heads are taken as further seeds: [S * heads, N, units]. Entries are gathered by `index_select`,
which is several times faster than indexing.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import leaky_relu

from l2p_search.model.layers import Adjacency, drop_units
from l2p_search.model.sparse import SparseMatrix

_SLOPE = 0.2
"""Slope of leaky_relu below zero, as in the paper."""

HELD_PER_ENTRY = 16
"""Numbers per entry and head that are held at the peak: scores, their softmax and its dropout,
with gradients, and what is gathered for them. Measured."""

_BLOCK = 2**22
"""Floats that the gradient of the attention may gather at once."""


def attend(
    adjacency: Adjacency,
    h: Tensor,
    to: Tensor,
    from_: Tensor,
    noise: Tensor | None,
    rate: float,
) -> Tensor:
    """The attention of one head, for B = S * heads.

    Args:
        adjacency: Who is whose neighbour, self-loops included.
        h: The projected units W h, [B, N, U].
        to: Scores the node that attends, [B, U].
        from_: Scores the neighbour that is attended to, [B, U].
        noise: Random bytes for the dropout of alpha, [B, nonzeros]; None for no dropout.
        rate: Of that dropout.

    Returns:
        h', [B, N, U].
    """
    row, column = adjacency.row, adjacency.column
    scores = torch.einsum("bnu,bu->bn", h, to).index_select(1, row)
    scores = scores + torch.einsum("bnu,bu->bn", h, from_).index_select(1, column)
    alpha = softmax_of_rows(leaky_relu(scores, _SLOPE), row, adjacency.num_nodes)
    alpha = drop_units(alpha, noise, rate)
    weighed: Tensor = WeighedSum.apply(  # type: ignore[no-untyped-call]
        h, alpha, adjacency.matrix(len(h)), row, column
    )
    return weighed


def attention_heads(
    adjacency: Adjacency,
    product: Tensor,
    to: Tensor,
    from_: Tensor,
    noise: Tensor | None,
    rate: float,
) -> Tensor:
    """`attend` for several heads, whose units stand side by side: -> [S, N, heads * U].

    The arguments are those of `attend` with an axis for the heads: `product` [S, N, heads * U],
    `to` and `from_` [S, heads, U], `noise` [S, heads * nonzeros].
    """
    seeds, nodes, width = product.shape
    heads, units = to.shape[1:]
    apart = product.view(seeds, nodes, heads, units).transpose(1, 2).reshape(-1, nodes, units)
    own = None if noise is None else noise.reshape(seeds * heads, -1)
    ends = (to.reshape(-1, units), from_.reshape(-1, units))
    together = attend(adjacency, apart, *ends, own, rate).view(seeds, heads, nodes, units)
    return together.transpose(1, 2).reshape(seeds, nodes, width)


def softmax_of_rows(scores: Tensor, row: Tensor, num_rows: int) -> Tensor:
    """Softmax over the entries of each row of a sparse matrix: [B, nonzeros] -> the same.

    Example:
        >>> softmax_of_rows(torch.zeros(1, 3), torch.tensor([0, 0, 1]), 2).tolist()
        [[0.5, 0.5, 1.0]]
    """
    with torch.no_grad():
        places = row.expand_as(scores)
        largest = scores.new_full((len(scores), num_rows), -torch.inf)
        largest.scatter_reduce_(1, places, scores, "amax")
    shares = (scores - largest.index_select(1, row)).exp()
    sums = shares.new_zeros(len(shares), num_rows).index_add(1, row, shares)
    return shares / sums.index_select(1, row)


class WeighedSum(torch.autograd.Function):
    """The product of a sparse matrix with h [B, N, U], when also its values are learned."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, values: Tensor, matrix: SparseMatrix, row: Tensor, column: Tensor
    ) -> Tensor:
        """M H."""
        h = h.contiguous()
        ctx.save_for_backward(h, values, row, column)
        ctx.matrix = matrix
        return matrix.times(h.view(-1, h.shape[2]), values.reshape(-1)).view_as(h)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """M.T G for h; for the entry M_ij, the product g_i . h_j of its two ends."""
        h, values, row, column = ctx.saved_tensors
        grad = grad.contiguous()
        flat = grad.view(-1, grad.shape[2])
        grad_h = ctx.matrix.transposed_times(flat, values).view_as(h)
        grad_values = torch.empty_like(values, memory_format=torch.contiguous_format)
        block = max(1, _BLOCK // (len(row) * h.shape[2]))
        for start in range(0, len(h), block):
            some = slice(start, start + block)
            ends = grad[some].index_select(1, row).mul_(h[some].index_select(1, column))
            torch.sum(ends, dim=2, out=grad_values[some])
        return grad_h, grad_values, None, None, None
