"""A layer of GCN or GraphSAGE as one operation.

Composed of single operations, a layer would write and read hidden representations ten times. Here
each operation works in the memory of the one before, while that is in the cache.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.model.dense import (
    flat_product,
    product_plus,
    shaped,
    sum_over_nodes,
    sums_over_nodes,
)
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.layers import Adjacency
from l2p_search.model.rectified import masked
from l2p_search.model.sparse import SparseMatrix


@dataclass(frozen=True, eq=False)
class Moving:
    """How a layer moves what it reads, and what of it is dropped before.

    Attributes:
        adjacency: The matrix M.
        values: Its entries for every seed, [S, nonzeros].
        noise: Random bytes for the dropout of H, [S, N, H]; None for no dropout.
        rate: Of that dropout.
        rectified: Whether H is a rectified tensor (see `rectified`).
        relu: Whether relu follows; what comes out is then a rectified tensor.
    """

    adjacency: Adjacency
    values: Tensor
    noise: Tensor | None
    rate: float
    rectified: bool
    relu: bool

    @property
    def scale(self) -> float:
        """What makes up for the dropped units: the weights are multiplied by it, which are few."""
        return 1.0 if self.noise is None else keep_scale(self.rate)

    def dropped(self, h: Tensor) -> Tensor:
        """dropout(H), not scaled."""
        return h if self.noise is None else drop(h, self.noise, self.rate)

    def masked(self, grad: Tensor, read: Tensor) -> Tensor:
        """From the gradient of `read` = dropout(H) that of H, in the memory of `grad`."""
        if self.rectified:  # dropout has left nothing where relu has not
            return masked(grad, read)
        return grad if self.noise is None else drop(grad, self.noise, self.rate, out=grad)

    def back_by(self, matrix: SparseMatrix) -> Callable[[Tensor, Tensor], Tensor]:
        """The product with the transpose of M, by its pattern."""
        return matrix.times if self.adjacency.symmetric else matrix.transposed_times


def convolved_layer(
    h: Tensor, weight: Tensor, bias: Tensor, own: Tensor | None, moving: Moving
) -> Tensor:
    """relu(M dropout(H) W + b + dropout(H) V), where relu and V may be left out.

    Args:
        h: H [S, N, I].
        weight: W [S, I, O].
        bias: b [S, 1, O].
        own: V [S, I, O], or None.
        moving: M, the dropout, and whether there is a relu.

    Returns:
        The layer's output, [S, N, O].
    """
    found: Tensor = ConvolvedLayer.apply(  # type: ignore[no-untyped-call]
        h, weight, bias, own, moving
    )
    return found


class ConvolvedLayer(torch.autograd.Function):
    """For its backward pass it keeps dropout(H)."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, weight: Tensor, bias: Tensor, own: Tensor | None, moving: Moving
    ) -> Tensor:
        """Dropout, product, sum over neighbours, bias, what a node keeps of itself, relu."""
        matrix, read = moving.adjacency.matrix(len(h)), moving.dropped(h)
        weight = moving.scale * weight
        moved = matrix.times(flat_product(read, weight), moving.values)
        found = shaped(moved, *h.shape[:2], weight.shape[2]).add_(bias)
        if own is not None:
            own = moving.scale * own
            found = product_plus(read, own, found)
        if moving.relu:
            found.relu_()
        ctx.moving, ctx.matrix = moving, matrix
        ctx.save_for_backward(read, weight, own)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The same backwards."""
        read, weight, own = ctx.saved_tensors
        moving: Moving = ctx.moving
        grad = grad.contiguous()
        back = moving.back_by(ctx.matrix)(grad.view(-1, grad.shape[2]), moving.values)
        moved = back.view_as(grad)
        grad_read = flat_product(moved, weight.transpose(1, 2)).view_as(read)
        if own is None:
            grad_weight, grad_own = moving.scale * sum_over_nodes(read, moved), None
        else:
            grad_read = product_plus(grad, own.transpose(1, 2), grad_read)
            of_both = sums_over_nodes(read, moved, grad)
            grad_weight, grad_own = (moving.scale * sums for sums in of_both)
        grad_bias = grad.sum(dim=1, keepdim=True)
        return moving.masked(grad_read, read), grad_weight, grad_bias, grad_own, None
