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

from l2p_search.model.dense import shaped

_EPSILON = 1e-5
"""Added to the variance, as torch does."""


def normalised(
    kind: Literal["layer", "batch"],
    h: Tensor,
    scale: Tensor,
    shift: Tensor,
    *,
    relu: bool = False,
) -> Tensor:
    """Layer or batch normalisation.

    Args:
        kind: Over the units of a node (`layer`), or over the nodes of the graph (`batch`).
        h: Hidden representations, [S, N, H].
        scale: Of each unit, [S, H].
        shift: Of each unit, [S, H].
        relu: Whether relu follows; what comes out is then a rectified tensor (see `rectified`).

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
    found: Tensor = Normalised.apply(h, scale, shift, kind, relu)  # type: ignore[no-untyped-call]
    return found


class Normalised(torch.autograd.Function):
    """torch's kernels, once per seed: they take one scale and shift for all that is given."""

    @staticmethod
    def forward(
        ctx: Any, h: Tensor, scale: Tensor, shift: Tensor, kind: str, relu: bool
    ) -> Tensor:
        """Normalise every seed by the statistics of the pass."""
        kernel = _layer_norm if kind == "layer" else _batch_norm
        normal, statistics = [], []
        for own in zip(h, scale, shift, strict=True):
            found, *means_and_inverses = kernel(*own)
            statistics += means_and_inverses
            normal.append(found.relu_() if relu else found)
        ctx.save_for_backward(h, scale, shift, *statistics)
        ctx.kind = kind
        return _stacked(normal)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of h, scale and shift."""
        h, scale, shift, *statistics = ctx.saved_tensors
        kernel = _layer_norm_backward if ctx.kind == "layer" else _batch_norm_backward
        wanted = list(ctx.needs_input_grad[:3])
        found = []
        for seed, passed in enumerate(grad.contiguous()):
            mean, inverse = statistics[2 * seed : 2 * seed + 2]
            found.append(kernel(passed, h[seed], mean, inverse, scale[seed], shift[seed], wanted))
        gradients = [
            _stacked([one for one in own if one is not None]) if needed else None
            for own, needed in zip(zip(*found, strict=True), wanted, strict=True)
        ]
        return *gradients, None, None


def _stacked(of_seeds: list[Tensor]) -> Tensor:
    """One tensor of those of every seed, without a copy if there is one seed only."""
    if len(of_seeds) > 1:
        return torch.stack(of_seeds)
    return shaped(of_seeds[0], 1, *of_seeds[0].shape)


def _layer_norm(h: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, ...]:
    return torch.native_layer_norm(h, h.shape[1:], scale, shift, _EPSILON)


def _batch_norm(h: Tensor, scale: Tensor, shift: Tensor) -> tuple[Tensor, ...]:
    return torch.native_batch_norm(h, scale, shift, None, None, True, 0.0, _EPSILON)


def _layer_norm_backward(
    grad: Tensor,
    h: Tensor,
    mean: Tensor,
    inverse: Tensor,
    scale: Tensor,
    shift: Tensor,
    wanted: list[bool],
) -> tuple[Tensor | None, ...]:
    kernel = torch.ops.aten.native_layer_norm_backward
    found: tuple[Tensor | None, ...] = kernel(
        grad, h, h.shape[1:], mean, inverse, scale, shift, wanted
    )
    return found


def _batch_norm_backward(
    grad: Tensor,
    h: Tensor,
    mean: Tensor,
    inverse: Tensor,
    scale: Tensor,
    shift: Tensor,
    wanted: list[bool],
) -> tuple[Tensor | None, ...]:
    kernel = torch.ops.aten.native_batch_norm_backward
    found: tuple[Tensor | None, ...] = kernel(
        grad, h, scale, None, None, mean, inverse, True, _EPSILON, wanted
    )
    return found
