"""Blocks of seeds: as many at a time as stay in a core's cache, on a device as many as fill it."""

import torch

from l2p_search.model.problem import HOST

_CPU_BLOCK = 2**18
"""Bytes of a block's hidden representations, which with its copies of the pattern should stay in
the cache of a core."""

_CPU_PASS = 2**21
"""Bytes of the hidden representations of seeds that go through all layers together: for small
graphs fewer and larger operations are faster, for large ones what stays near. Measured."""

_DEVICE_BLOCK = 2**27
"""The same for another device: enough to keep it busy, little beside its memory."""


def block_size(bytes_per_seed: int, device: torch.device = HOST) -> int:
    """How many seeds are taken at a time, at least one.

    Args:
        bytes_per_seed: Of one seed's hidden representations.
        device: Where they are.

    Returns:
        The number of seeds.

    Example:
        >>> block_size(100_000), block_size(10**9)
        (2, 1)
    """
    room = _CPU_BLOCK if device.type == HOST.type else _DEVICE_BLOCK
    return fitting(room, bytes_per_seed)


def fitting(room: int, each: int) -> int:
    """How many of this size fit, at least one."""
    return max(1, room // max(1, each))


def seed_blocks(num_seeds: int, size: int) -> list[slice]:
    """All seeds in slices of at most `size`.

    Example:
        >>> seed_blocks(3, 2)
        [slice(0, 2, None), slice(2, 3, None)]
    """
    return [slice(start, min(start + size, num_seeds)) for start in range(0, num_seeds, size)]


def seeds_per_pass(bytes_per_seed: int, device: torch.device = HOST) -> int:
    """How many seeds go through all layers of a network together, at least one.

    Example:
        >>> seeds_per_pass(100_000), seeds_per_pass(10**9)
        (20, 1)
    """
    return fitting(_CPU_PASS if device.type == HOST.type else _DEVICE_BLOCK, bytes_per_seed)
