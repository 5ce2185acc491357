"""The dense product H W of every seed, on oneDNN's kernel where that is the faster one.

torch multiplies float32 matrices by MKL. oneDNN, which torch ships too and uses for compiled
models, takes less than half the time for the tall matrices of a graph's nodes on AMD's CPUs. Up
to `_SAME_ORDER` terms both add up a sum in the same order: `product` is equal to the last bit.
"""

import platform
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad

MATMUL_WIDTH = 16
"""MKL's products with fewer columns fall off its fast path: pad them to a multiple of this."""

_SAME_ORDER = 256
"""Up to this many terms both kernels add up one after another."""

_FROM = 2**21
"""Multiplications from which oneDNN's kernel is faster; below, its call takes longer."""

_LONGEST = 2**15
"""Up to this many terms oneDNN's sums over nodes are faster."""

_AVAILABLE = (
    platform.machine() in ("x86_64", "AMD64")
    and torch.backends.mkldnn.is_available()
    and hasattr(torch.ops.mkldnn, "_linear_pointwise")
)


def times(h: Tensor, weight: Tensor) -> Tensor:
    """H W, recorded by autograd: [S, N, I] and [S, I, O] -> [S, N, O].

    Example:
        >>> times(torch.ones(1, 2, 3), torch.ones(1, 3, 1)).tolist()
        [[[3.0], [3.0]]]
    """
    product: Tensor = Times.apply(h, weight)  # type: ignore[no-untyped-call]
    return product


class Times(torch.autograd.Function):
    """The product of every seed, and the products of its two gradients."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, weight: Tensor) -> Tensor:
        """H W, with columns of zeros where W has few."""
        ctx.save_for_backward(h, weight)
        return shaped(flat_product(h, weight), *h.shape[:2], weight.shape[2])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """G W.T for H, H.T G for W."""
        h, weight = ctx.saved_tensors
        grad, grad_h, grad_weight = grad.contiguous(), None, None
        if ctx.needs_input_grad[0]:
            grad_h = product(grad, weight.transpose(1, 2))
        if ctx.needs_input_grad[1]:
            grad_weight = sum_over_nodes(h, grad)
        return grad_h, grad_weight


def shaped(tensor: Tensor, *shape: int) -> Tensor:
    """The tensor in another shape, not as a view of it: an operation's result that may be changed.

    The output of an autograd function that is a view may not be written to.
    """
    found: Tensor = torch.ops.aten._unsafe_view(tensor, shape)
    return found


def side_by_side(left: Tensor, right: Tensor) -> Tensor:
    """Two tensors [.., A] and [.., B] as one [.., A + B], not copied where they lie so in memory.

    Example:
        >>> whole = torch.arange(6).view(2, 3)
        >>> side_by_side(whole[:, :1], whole[:, 1:]).data_ptr() == whole.data_ptr()
        True
    """
    end = left.storage_offset() + left.shape[-1] * left.stride(-1)
    one_tensor = left.untyped_storage().data_ptr() == right.untyped_storage().data_ptr()
    if one_tensor and left.stride() == right.stride() and end == right.storage_offset():
        shape = (*left.shape[:-1], left.shape[-1] + right.shape[-1])
        return left.as_strided(shape, left.stride())
    return torch.cat([left, right], dim=-1)


def narrow_product(left: Tensor, right: Tensor) -> Tensor:
    """A B as the transpose of B.T A.T: several times faster when B has few columns."""
    return torch.bmm(right.transpose(1, 2), left.transpose(1, 2)).transpose(1, 2)


def sum_over_nodes(read: Tensor, grad: Tensor) -> Tensor:
    """R.T G for R [S, N, I] and G [S, N, O], as the gradient of W through R W is: -> [S, I, O].

    Its sums are long, and oneDNN adds them up in another order than MKL. The kernel copies one
    matrix to transpose it: that of the gradient, which has just been made and is in the cache.
    """
    (sums,) = sums_over_nodes(grad, read)
    return sums.transpose(1, 2)


def sums_over_nodes(common: Tensor, *others: Tensor) -> list[Tensor]:
    """R.T G_1, R.T G_2, .. for R [S, N, I], which is transposed once, and G [S, N, O]."""
    of_seeds = [_sums(own, of_own) for own, *of_own in zip(common, *others, strict=True)]
    return [torch.stack(sums) for sums in zip(*of_seeds, strict=True)]


def _sums(common: Tensor, others: list[Tensor]) -> list[Tensor]:
    """R.T G for one seed, R [N, I] and several G [N, O]."""
    transposed: Tensor | None = None
    found = []
    for other in others:
        size = common.numel() * other.shape[1]
        narrow = min(common.shape[1], other.shape[1]) < MATMUL_WIDTH
        if narrow or size < _FROM or len(common) > _LONGEST or not _is_known(common):
            found.append(_narrowest_first(common, other))
            continue
        if transposed is None:
            transposed = common.t().contiguous()
        found.append(matrix_product(transposed, other))
    return found


def _narrowest_first(left: Tensor, right: Tensor) -> Tensor:
    """A.T B of two tall matrices by MKL: several times faster when A has the fewer columns."""
    if right.shape[1] < MATMUL_WIDTH:
        return (right.t() @ left).t()
    return left.t() @ right


def product(h: Tensor, weight: Tensor, out: Tensor | None = None) -> Tensor:
    """H W without autograd: [S, N, I] and [S, I, O] -> [S, N, O].

    Args:
        h: H.
        weight: W; a transposed view will do.
        out: Where to write the result; a new tensor if it is not given.

    Returns:
        The product.
    """
    if not _is_faster(h.shape[1], weight):
        return torch.bmm(h, weight) if out is None else torch.bmm(h, weight, out=out)
    if out is None and len(h) == 1:
        return matrix_product(h[0], weight[0]).unsqueeze(0)
    if out is None:
        out = h.new_empty(*h.shape[:2], weight.shape[2])
    for own, own_h, own_weight in zip(out, h, weight, strict=True):
        own.copy_(matrix_product(own_h, own_weight))
    return out


def fast_width(weight: Tensor, rows: int) -> Tensor:
    """W, with columns of zeros where its product with H of so many rows is faster with them.

    Example:
        >>> fast_width(torch.ones(1, 2, 3), rows=5).shape[2]
        16
    """
    wide = pad(weight, (0, -weight.shape[2] % MATMUL_WIDTH))
    return weight if _is_faster(rows, wide) else wide


def flat_product(h: Tensor, weight: Tensor) -> Tensor:
    """H W without autograd, the seeds one below another: [S, N, I] and [S, I, O] -> [S N, O].

    Where W has few columns, columns of zeros may be added for the time of the product.
    """
    width = weight.shape[2]
    if width < MATMUL_WIDTH:
        wide = product(h, fast_width(weight, h.shape[1])).flatten(0, 1)
        return wide[:, :width].contiguous()
    return product(h, weight).view(-1, width)


def product_plus(h: Tensor, weight: Tensor, other: Tensor) -> Tensor:
    """H W + other without autograd, [S, N, O], in the memory of other if that is the faster."""
    if weight.shape[1] <= MATMUL_WIDTH:
        return other.baddbmm_(h, weight)
    if len(h) == 1 and _is_faster(h.shape[1], weight):
        given = (h[0], other[0], weight[0].t(), None, "add")
        found: Tensor = torch.ops.mkldnn._linear_pointwise.binary(*given)
        return found.unsqueeze(0)
    return other.add_(flat_product(h, weight).view_as(other))


def matrix_product(h: Tensor, weight: Tensor) -> Tensor:
    """H W of one seed by oneDNN: [N, I] and [I, O] -> [N, O]."""
    found: Tensor = torch.ops.mkldnn._linear_pointwise(h, weight.t(), None, "none", [], "")
    return found


def _is_faster(rows: int, weight: Tensor) -> bool:
    """Whether oneDNN's kernel is there for H W, gives the same numbers, and is the faster."""
    _, terms, width = weight.shape
    size = rows * terms * (width + -width % MATMUL_WIDTH)
    return size >= _FROM and terms <= _SAME_ORDER and _is_known(weight)


def _is_known(h: Tensor) -> bool:
    """Whether oneDNN has a kernel for such a tensor."""
    return _AVAILABLE and h.dtype == torch.float32 and h.device.type == "cpu"
