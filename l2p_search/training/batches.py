"""Seeds in batches that train together; a batch that runs out of memory is tried again in parts.

How seeds are grouped changes nothing but the order of floating-point sums: a smaller batch gives
the results that the larger one would have given.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from l2p_search.training.memory import is_out_of_memory, release_cached

Trained = TypeVar("Trained")


def in_batches(
    seeds: Sequence[int],
    at_once: int,
    train: Callable[[Sequence[int]], Trained],
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[Trained]:
    """Train seeds in batches, with half as many at once whenever memory runs out.

    Args:
        seeds: All of them.
        at_once: How many may train together.
        train: Trains one batch.
        tell: Takes one line whenever a batch did not fit.

    Yields:
        What `train` returned for each batch, in the order of the seeds.

    Raises:
        RuntimeError: A single seed does not fit; or MemoryError, or torch's own kind of either.

    Example:
        >>> list(in_batches(range(5), 3, list))
        [[0, 1], [2, 3, 4]]
    """
    waiting = list(_batches(seeds, at_once))
    while waiting:
        batch = waiting[0]
        trained = _attempt(train, batch)
        if trained is not None:
            waiting.pop(0)
            yield trained[0]
            continue
        # Here and not in an `except`, where the error would still hold what had been allocated.
        release_cached()
        half = len(batch) // 2
        tell(f"out of memory with {len(batch)} seeds at once; trying again with {half} at once")
        left = [seed for each in waiting for seed in each]
        waiting = list(_batches(left, half))


def _attempt(
    train: Callable[[Sequence[int]], Trained], batch: Sequence[int]
) -> tuple[Trained] | None:
    """What a batch gave; None if it ran out of memory and can be made smaller."""
    try:
        return (train(batch),)
    except (RuntimeError, MemoryError) as error:
        if len(batch) == 1 or not is_out_of_memory(error):
            raise
        return None


def _batches(seeds: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Batches of about equal size, none larger than `size`."""
    count = -(-len(seeds) // size)
    for batch in range(count):
        yield seeds[len(seeds) * batch // count : len(seeds) * (batch + 1) // count]
