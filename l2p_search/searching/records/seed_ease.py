"""How easy a seed is: trials with few of the seeds are compared with those that have all."""

import math
from collections.abc import Callable, Mapping, Sequence

from l2p_search.results import SeedResult, TrialResult, mean_over_splits

Score = Callable[[SeedResult], float | None]


def ease_of_seeds(complete: Sequence[TrialResult], score: Score) -> dict[int, float]:
    """By how many points complete trials are better on a seed than over all their seeds.

    Args:
        complete: Trials with all their seeds.
        score: Which score of a seed.

    Returns:
        Seed -> the mean over the trials; without seeds that have no such score.
    """
    above: dict[int, list[float]] = {}
    for result in complete:
        scored = [(s, value) for s in result.finished if (value := score(s)) is not None]
        if not scored:
            continue
        mean = mean_over_splits([(seed.split, value) for seed, value in scored])
        for seed, value in scored:
            above.setdefault(seed.seed, []).append(value - mean)
    return {seed: math.fsum(values) / len(values) for seed, values in above.items()}


def mean_ease(result: TrialResult, ease: Mapping[int, float]) -> float:
    """How much better than over all seeds a trial is to be expected on those that it has."""
    return mean_over_splits([(s.split, ease.get(s.seed, 0.0)) for s in result.finished])
