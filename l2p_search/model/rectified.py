"""relu whose gradient is masked where its output is read: a rectified tensor.

The gradient of x through y = relu(x) is that of y where y > 0, else 0. A layer that reads y under
dropout has to mask the gradient it hands back as well, and what dropout has left of y is zero
wherever one of the two masks is: one pass does for both. So whoever reads a rectified tensor hands
back a gradient that is zero where the tensor is (`convolved_layer`, `rows`), and relu itself
passes it on as it is.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def rectify(h: Tensor) -> Tensor:
    """relu(H) in the memory of h, as a rectified tensor.

    Example:
        >>> rectify(torch.tensor([-1.0, 2.0])).tolist()
        [0.0, 2.0]
    """
    rectified: Tensor = Rectify.apply(h)  # type: ignore[no-untyped-call]
    return rectified


class Rectify(torch.autograd.Function):
    """relu forwards, nothing backwards."""

    @staticmethod
    def forward(ctx: Any, h: Tensor) -> Tensor:
        """relu(H) in place."""
        ctx.mark_dirty(h)
        return h.relu_()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        """The gradient as it comes: its reader has masked it."""
        return grad


def masked(grad: Tensor, rectified: Tensor) -> Tensor:
    """The gradient where the rectified tensor is above zero, else 0, in the memory of `grad`.

    Example:
        >>> masked(torch.ones(2), torch.tensor([0.0, 3.0])).tolist()
        [0.0, 1.0]
    """
    torch.ops.aten.threshold_backward.grad_input(grad, rectified, 0.0, grad_input=grad)
    return grad
