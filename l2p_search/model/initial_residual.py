"""A layer of GCNII* as one operation, which also hands on H_0 to the next layer."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.model.convolved_layer import Moving
from l2p_search.model.dense import flat_product, product_plus, shaped, sums_over_nodes


def initial_residual(
    h: Tensor, first: Tensor, mapping: Tensor, own: Tensor, moving: Moving
) -> tuple[Tensor, Tensor]:
    """relu(M dropout(H) W + H_0 V), and H_0 itself for the next layer.

    Every layer reads H_0. Handed on from one to the next, its gradient is added up in place.

    Args:
        h: H [S, N, H].
        first: H_0 [S, N, H].
        mapping: W [S, H, H].
        own: V [S, H, H].
        moving: M, the dropout, and that there is a relu.

    Returns:
        The layer's output [S, N, H], a rectified tensor (see `rectified`), and H_0.
    """
    both: tuple[Tensor, Tensor] = InitialResidual.apply(  # type: ignore[no-untyped-call]
        h, first, mapping, own, moving
    )
    return both


class InitialResidual(torch.autograd.Function):
    """For its backward pass it keeps dropout(H), what was moved, and H_0."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, first: Tensor, mapping: Tensor, own: Tensor, moving: Moving
    ) -> tuple[Tensor, Tensor]:
        """Dropout, sum over neighbours, the two products, relu."""
        matrix, read = moving.adjacency.matrix(len(h)), moving.dropped(h)
        mapping = moving.scale * mapping
        moved = matrix.times(read.view(-1, h.shape[2]), moving.values).view_as(h)
        found = shaped(flat_product(moved, mapping), *h.shape)
        found = product_plus(first, own, found).relu_()
        ctx.moving, ctx.matrix = moving, matrix
        ctx.save_for_backward(read, moved, first, mapping, own)
        ctx.set_materialize_grads(False)
        return found, first.view_as(first)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor | None, grad_first: Tensor | None) -> tuple[Any, ...]:
        """The same backwards; the gradient of H_0 was made by the next layer, for nobody else."""
        if grad is None:
            return None, grad_first, None, None, None
        read, moved, first, mapping, own = ctx.saved_tensors
        moving: Moving = ctx.moving
        grad = grad.contiguous()
        back = flat_product(grad, mapping.transpose(1, 2))
        grad_read = moving.back_by(ctx.matrix)(back, moving.values).view_as(read)
        of_both = sums_over_nodes(grad, moved, first)
        grad_mapping, grad_own = (sums.transpose(1, 2) for sums in of_both)
        if grad_first is None:
            grad_first = flat_product(grad, own.transpose(1, 2)).view_as(first)
        else:
            grad_first = product_plus(grad, own.transpose(1, 2), grad_first)
        grad_mapping = moving.scale * grad_mapping
        return moving.masked(grad_read, read), grad_first, grad_mapping, grad_own, None
