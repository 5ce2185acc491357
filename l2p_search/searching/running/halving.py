"""Halving: of the configurations that reach a rung of seeds, the best quarter goes on.

Successive halving (Jamieson and Talwalkar, AISTATS 2016, https://arxiv.org/abs/1502.07943) with
seeds as the resource, decided as trials come, one by one (Li et al., MLSys 2020,
https://arxiv.org/abs/1810.05934). All trials train the same seeds in the same order, so that a
rung compares them paired.

A sampler that learns proposes better and better configurations, most of which would be in the best
quarter of all that came before. So a rung also lets no more than a quarter pass in all, unless one
is the best that it has seen.

Its promise is about the search, not about each configuration: of many that are about as good as
the best, most are stopped early by chance, and one of them is found all the same.
"""

import math
from collections.abc import Mapping

Scores = Mapping[int, float]
"""Seed -> validation score."""

_FIRST = 2
"""Seeds of the first rung."""
_FACTOR = 3
"""Each rung has so many times the seeds of the one before."""
_ONE_OF = 4
"""One of so many goes on from a rung."""


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
    return found


class Halving:
    """Which trials have come to which rung, and who goes on from there.

    Example:
        >>> race = Halving()
        >>> race.why_stop(0, {0: 80.0, 1: 82.0}), race.why_stop(1, {0: 81.0, 1: 82.0})
        (None, None)
        >>> race.why_stop(2, {0: 80.0, 1: 82.5})
        'number 2 of 3 trials on its first 2 seeds, the best quarter goes on'
    """

    def __init__(self) -> None:
        """A race without trials yet."""
        self._scores: dict[int, Scores] = {}
        self._going: dict[int, int] = {}

    def end(self, number: int, scores: Scores | None) -> None:
        """Take note of a trial that has ended.

        Args:
            number: Of the trial.
            scores: Of the seeds that it has; None for one that failed, which does not count.
        """
        self._going.pop(number, None)
        self._scores.pop(number, None)
        if scores is not None:
            self._scores[number] = scores

    def why_stop(self, number: int, scores: Scores) -> str | None:
        """Decide about a trial that has come to a rung.

        Trials that run now count, too: the first ones of many workers would all go on.

        Args:
            number: Of the trial; what was noted of it at this rung before does not count.
            scores: Of its seeds so far.

        Returns:
            Why it stops; None where it goes on.
        """
        seeds = len(scores)
        others = {each: of for each, of in self._scores.items() if each != number}
        reached = [of for of in others.values() if all(seed in of for seed in scores)]
        own = math.fsum(scores.values())
        place = 1 + sum(math.fsum(of[seed] for seed in scores) > own for of in reached)
        passed = sum(len(of) > seeds or self._going.get(each, 0) >= seeds
                     for each, of in others.items())  # fmt: skip
        self._scores[number] = scores
        self._going.pop(number, None)
        allowed = math.ceil((1 + len(reached)) / _ONE_OF)
        if place == 1 or (place <= allowed and passed < allowed):
            self._going[number] = seeds
            return None
        so_far = f"number {place} of {1 + len(reached)} trials on its first {seeds} seeds"
        if place <= allowed:
            return f"{so_far}, and {passed} of them went on before"
        return f"{so_far}, the best quarter goes on"
