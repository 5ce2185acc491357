"""Layer and batch normalisation of hidden representations, with scale and shift of every seed.

Both subtract a mean, divide by a standard deviation, then scale and shift each unit:

    y = (h - mean) / sqrt(var + 1e-5) * scale + shift

Layer normalisation takes mean and variance over the units of a node (Ba, Kiros and Hinton, 2016,
https://arxiv.org/abs/1607.06450), batch normalisation those of a unit over all nodes of the graph
(Ioffe and Szegedy, ICML 2015, https://arxiv.org/abs/1502.03167). A pass here always sees the
whole graph, so there is no running mean: without dropout, the statistics of the pass itself are
those of the graph.
"""

from typing import Any, Literal

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

_EPSILON = 1e-5
"""Added to the variance, as torch does."""


def normalised(kind: Literal["layer", "batch"], h: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Layer or batch normalisation.

    Args:
        kind: Over the units of a node (`layer`), or over the nodes of the graph (`batch`).
        h: Hidden representations, [S, N, H].
        scale: Of each unit, [S, H].
        shift: Of each unit, [S, H].

    Returns:
        The normalised representations, [S, N, H].

    Example:
        >>> h = torch.tensor([[[1.0, 7.0], [3.0, 5.0]]])
        >>> ones, zeros = torch.ones(1, 2), torch.zeros(1, 2)
        >>> normalised("layer", h, ones, zeros).round(decimals=3).tolist()
        [[[-1.0, 1.0], [-1.0, 1.0]]]
        >>> normalised("batch", h, ones, zeros).round(decimals=3).tolist()
        [[[-1.0, 1.0], [1.0, -1.0]]]
    """
    function = LayerNorm if kind == "layer" else BatchNorm
    found: Tensor = function.apply(h, scale, shift)  # type: ignore[no-untyped-call]
    return found


class LayerNorm(torch.autograd.Function):
    """torch's kernel, once per seed: it takes one scale and shift for all that it is given."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        """Normalise every node of every seed."""
        ctx.width = h.shape[2:]
        kept = [
            torch.native_layer_norm(own, ctx.width, own_scale, own_shift, _EPSILON)
            for own, own_scale, own_shift in zip(h, scale, shift, strict=True)
        ]
        found, means, inverses = (torch.stack(parts) for parts in zip(*kept, strict=True))
        ctx.save_for_backward(h, scale, shift, means, inverses)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of h, scale and shift."""
        h, scale, shift, means, inverses = ctx.saved_tensors
        kernel = torch.ops.aten.native_layer_norm_backward
        wanted = list(ctx.needs_input_grad)
        gradients = [
            kernel(own_grad, own, ctx.width, mean, inverse, own_scale, own_shift, wanted)
            for own_grad, own, mean, inverse, own_scale, own_shift in zip(
                grad.contiguous(), h, means, inverses, scale, shift, strict=True
            )
        ]
        return _of_all_seeds(gradients)


class BatchNorm(torch.autograd.Function):
    """torch's kernel, once per seed, by the statistics of the pass."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        """Normalise every unit of every seed."""
        kept = [
            torch.native_batch_norm(own, own_scale, own_shift, None, None, True, 0.0, _EPSILON)
            for own, own_scale, own_shift in zip(h, scale, shift, strict=True)
        ]
        found, means, inverses = (torch.stack(parts) for parts in zip(*kept, strict=True))
        ctx.save_for_backward(h, scale, means, inverses)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of h, scale and shift."""
        h, scale, means, inverses = ctx.saved_tensors
        kernel = torch.ops.aten.native_batch_norm_backward
        wanted = list(ctx.needs_input_grad)
        gradients = [
            kernel(own_grad, own, own_scale, None, None, mean, inverse, True, _EPSILON, wanted)
            for own_grad, own, own_scale, mean, inverse in zip(
                grad.contiguous(), h, scale, means, inverses, strict=True
            )
        ]
        return _of_all_seeds(gradients)


def _of_all_seeds(gradients: list[tuple[Tensor | None, ...]]) -> tuple[Tensor | None, ...]:
    """The gradients of h, scale and shift of all seeds, from those of each; None stays None."""
    return tuple(
        None if parts[0] is None else torch.stack(parts) for parts in zip(*gradients, strict=True)
    )
