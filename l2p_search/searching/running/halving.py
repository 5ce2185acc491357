"""Successive halving on seeds: of the configurations that reach a rung, the best third goes on.

Jamieson and Talwalkar, AISTATS 2016, https://arxiv.org/abs/1502.07943, with seeds as the resource,
decided as trials come, one by one (Li et al., MLSys 2020, https://arxiv.org/abs/1810.05934). All
trials train the same seeds in the same order, so that a rung compares them paired.

Its promise is about the search, not about each configuration: of many that are about as good as
the best, most are stopped early by chance, and one of them is found all the same.
"""

import math
from collections.abc import Iterable, Mapping

_FIRST = 2
"""Seeds of the first rung."""
_FACTOR = 3
"""Each rung has so many times the seeds of the one before, and one of so many goes on from it."""


def rungs(seeds: int) -> list[int]:
    """After how many of its seeds a trial is looked at.

    Args:
        seeds: All of them. The last rung is at two thirds at the most, as little is saved later.

    Returns:
        The rungs, in rising order; none for one or two seeds.

    Example:
        >>> rungs(20), rungs(5), rungs(2)
        ([2, 6], [2], [])
    """
    found, rung = [], _FIRST
    while _FACTOR * rung <= 2 * seeds:
        found.append(rung)
        rung *= _FACTOR
    return found if seeds > _FIRST else []


def place(
    candidate: Mapping[int, float], others: Iterable[Mapping[int, float]]
) -> tuple[int, int]:
    """The place of a trial among those that have its seeds, too.

    Args:
        candidate: Seed -> validation score, of the seeds trained so far.
        others: The same of other trials, which may have further seeds, or fewer: those do not
            count.

    Returns:
        Its place, 1 for the best, and how many there are, itself included. Equals share a place.

    Example:
        >>> place({0: 80.0, 1: 82.0}, [{0: 81.0, 1: 83.0, 2: 70.0}, {0: 70.0, 1: 80.0}])
        (2, 3)
    """
    own = math.fsum(candidate.values())
    reached = [
        math.fsum(other[seed] for seed in candidate)
        for other in others
        if all(seed in other for seed in candidate)
    ]
    return 1 + sum(score > own for score in reached), 1 + len(reached)


def goes_on(place: int, count: int) -> bool:
    """Whether the trial at this place of so many is in the best third, rounded up.

    Example:
        >>> [goes_on(2, count) for count in (2, 3, 4)]
        [False, False, True]
    """
    return place <= math.ceil(count / _FACTOR)
