"""Dropout from random bytes that belong to a seed.

Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov, JMLR 2014,
https://jmlr.org/papers/v15/srivastava14a.html. One byte per entry is a quarter of the random
numbers that floats would take. The rate is thereby rounded to a multiple of 1/256, and the scale
is that of the rounded rate: the expectation is exact.
"""

import torch
from torch import Tensor

_LEVELS = 256


def dropped_levels(rate: float) -> int:
    """How many of the 256 values of a byte drop its entry.

    Example:
        >>> dropped_levels(0.25)
        64
    """
    return min(round(rate * _LEVELS), _LEVELS - 1)


def keep_scale(rate: float) -> float:
    """What kept entries are multiplied by, so that the expectation stays.

    Example:
        >>> keep_scale(0.5)
        2.0
    """
    return _LEVELS / (_LEVELS - dropped_levels(rate))


def drop(x: Tensor, noise: Tensor, rate: float, out: Tensor | None = None) -> Tensor:
    """Set the entries of x to zero whose random byte falls below the rate, without scaling.

    `threshold_backward(x, n, c)` is "x where n > c, else 0" in one vectorised pass, many times
    faster than `where` or a product with a boolean mask.

    Args:
        x: Of any shape.
        noise: Random bytes of the shape of x.
        rate: The share of entries to drop.
        out: Where to write the result; a new tensor if it is not given.

    Returns:
        The entries that were kept, of the shape of x.

    Example:
        >>> drop(torch.ones(3), torch.tensor([0, 127, 128], dtype=torch.uint8), 0.5).tolist()
        [0.0, 0.0, 1.0]
    """
    level = dropped_levels(rate) - 0.5
    if out is None:
        out = torch.empty_like(x, memory_format=torch.contiguous_format)
    torch.ops.aten.threshold_backward.grad_input(x, noise.to(x.dtype), level, grad_input=out)
    return out
