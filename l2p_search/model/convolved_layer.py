"""A layer of GCN or GraphSAGE as one operation, on one block of seeds at a time.

Composed of single operations, a layer would write and read the hidden representations of all
seeds ten times. Here those of a block stay in the cache from the dropout to the activation, and on
the way back.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from l2p_search.model.blocks import block_size, seed_blocks
from l2p_search.model.dense import flat_product, sum_over_nodes
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.layers import Adjacency


@dataclass(frozen=True, eq=False)
class Moving:
    """How a layer moves what it reads, and what of it is dropped before.

    Attributes:
        adjacency: The matrix M.
        values: Its entries for every seed, [S, nonzeros].
        noise: Random bytes for the dropout of H, [S, N, H]; None for no dropout.
        rate: Of that dropout.
        relu: Whether relu follows.
    """

    adjacency: Adjacency
    values: Tensor
    noise: Tensor | None
    rate: float
    relu: bool

    def drop_into(self, out: Tensor, h: Tensor, seeds: slice) -> None:
        """Write the dropout of these seeds' h, or of its gradient."""
        if self.noise is not None:
            drop(h, self.noise[seeds], self.rate, out=out).mul_(keep_scale(self.rate))
        elif out is not h:
            out.copy_(h)


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
    """For its backward pass it keeps dropout(H) and its output, which is the mask of relu."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, weight: Tensor, bias: Tensor, own: Tensor | None, moving: Moving
    ) -> Tensor:
        """Dropout, product, sum over neighbours, bias, what a node keeps of itself, relu."""
        ctx.block = block_size(4 * h.shape[1] * h.shape[2], h.device)
        matrix = moving.adjacency.matrix(min(ctx.block, len(h)))
        read = h if moving.noise is None else torch.empty_like(h)
        found = h.new_empty(*h.shape[:2], weight.shape[2])
        for seeds in seed_blocks(len(h), ctx.block):
            if moving.noise is not None:
                moving.drop_into(read[seeds], h[seeds], seeds)
            projected = flat_product(read[seeds], weight[seeds])
            moved = matrix.times(projected, moving.values[seeds]).view_as(found[seeds])
            torch.add(moved, bias[seeds], out=found[seeds])
            if own is not None:
                kept = flat_product(read[seeds], own[seeds])
                found[seeds].add_(kept.view_as(moved))
            if moving.relu:
                found[seeds].relu_()
        ctx.moving, ctx.matrix = moving, matrix
        ctx.save_for_backward(read, weight, own, found if moving.relu else None)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The same backwards."""
        read, weight, own, found = ctx.saved_tensors
        moving: Moving = ctx.moving
        back_by = ctx.matrix.times if moving.adjacency.symmetric else ctx.matrix.transposed_times
        grad_read, grad_weight = torch.empty_like(read), torch.empty_like(weight)
        grad_own = None if own is None else torch.empty_like(own)
        grad_bias = grad.new_empty(len(grad), 1, grad.shape[2])
        for seeds in seed_blocks(len(read), ctx.block):
            passed = grad[seeds]
            if found is not None:
                passed = torch.ops.aten.threshold_backward(passed, found[seeds], 0.0)
            grad_bias[seeds] = passed.sum(dim=1, keepdim=True)
            moved = back_by(passed.reshape(-1, passed.shape[2]), moving.values[seeds])
            moved, transposed = moved.view_as(passed), read[seeds].transpose(1, 2)
            grad_weight[seeds] = sum_over_nodes(transposed, moved)
            grad_dropped = flat_product(moved, weight[seeds].transpose(1, 2))
            grad_dropped = grad_dropped.view_as(grad_read[seeds])
            if own is not None and grad_own is not None:
                grad_own[seeds] = sum_over_nodes(transposed, passed)
                kept = flat_product(passed, own[seeds].transpose(1, 2))
                grad_dropped.add_(kept.view_as(grad_dropped))
            moving.drop_into(grad_read[seeds], grad_dropped, seeds)
        return grad_read, grad_weight, grad_bias, grad_own, None
