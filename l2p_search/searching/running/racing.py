"""Racing: seeds are trained in growing groups, and a configuration that is losing stops.

There are two rules. `halving`, in a module of its own, compares with all trials that came as far.
This one is `paired`: after each group the configuration is compared with the incumbent, the best
trial that has all its seeds, on the seeds that both have. The question is the one that decides the
search: will its mean over all the seeds end above the incumbent's? The differences so far predict
the final mean difference within

    d ± t s sqrt(1/n - 1/N)        n of N seeds trained, d their mean difference

(a paired t-test with the correction for a finite population, as nothing but these N seeds counts).
A handful of seeds says little about the standard deviation s of the differences, but earlier
trials say much: the variance of their differences from the incumbent is pooled with the
configuration's own, with the weight of one whole trial.

The configuration stops when its probability of ending ahead falls below the risk. Several looks
add up: a configuration as good as the incumbent that would have ended ahead of it is stopped in
3 % of all races (the tests simulate it), where 5 % are allowed.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import stdtr

from l2p_search.searching.records.settings import Race
from l2p_search.searching.running.halving import Scores, rungs

RISK = 0.05
"""A trial stops when its probability of winning is below this; all looks together err less."""
_LOOKS = (0.15, 0.3, 0.5, 0.7)
"""Shares of the seeds after which the race is looked at."""
_FEWEST = 3
"""With fewer trained seeds than this, no race is decided."""


def groups(seeds: Sequence[int], race: Race | None) -> tuple[tuple[int, ...], ...]:
    """Divide seeds into the groups that are trained one after another.

    Args:
        seeds: The seeds of a trial.
        race: By which rule the trial races; None for one group.

    Returns:
        The groups, which hold every seed once and in order.

    Example:
        >>> [len(group) for group in groups(range(20), "paired")]
        [3, 3, 4, 4, 6]
        >>> [len(group) for group in groups(range(20), "halving")]
        [2, 4, 14]
    """
    ends = {len(seeds)}
    if race == "halving":
        ends |= set(rungs(len(seeds)))
    elif race == "paired":
        ends |= {max(_FEWEST, round(share * len(seeds))) for share in _LOOKS}
    edges = [0, *sorted(end for end in ends if end <= len(seeds))]
    return tuple(tuple(seeds[start:end]) for start, end in pairwise(edges))


def is_losing(candidate: Scores, incumbent: Scores, others: Sequence[Scores]) -> bool:
    """Whether a candidate is so unlikely to win that it should stop.

    Args:
        candidate: Of the seeds trained so far.
        incumbent: Of all seeds of the best trial.
        others: Of all seeds of other complete trials.

    Returns:
        Whether its probability of ending above the incumbent is below `RISK`.
    """
    return probability_of_winning(candidate, incumbent, others) < RISK


def probability_of_winning(
    candidate: Scores, incumbent: Scores, others: Sequence[Scores]
) -> float:
    """The probability that a candidate's mean over all seeds ends above the incumbent's.

    Args:
        candidate: Of the seeds trained so far, some of the incumbent's.
        incumbent: Of all seeds of the best trial.
        others: Of all seeds of other complete trials, for the spread of differences.

    Returns:
        The probability; 0.5 with too few seeds to tell.

    Example:
        >>> incumbent = {0: 80.0, 1: 82.0, 2: 84.0}
        >>> probability_of_winning({0: 79.0, 1: 82.0, 2: 84.0}, incumbent, [])
        0.0
    """
    trained, total = len(candidate), len(incumbent)
    differences = [value - incumbent[seed] for seed, value in candidate.items()]
    if trained < _FEWEST:
        return 0.5
    variance, freedom = float(np.var(differences, ddof=1)), trained - 1
    if others:
        known = np.array(
            [[other[seed] - incumbent[seed] for seed in incumbent] for other in others]
        )
        pooled, weight = float(known.var(axis=1, ddof=1).mean()), total - 1
        variance = (weight * pooled + freedom * variance) / (weight + freedom)
        freedom += weight
    mean = float(np.mean(differences))
    error = math.sqrt(variance * (1 / trained - 1 / total))
    if error == 0.0:
        return 0.5 if mean == 0.0 else float(mean > 0.0)
    return float(stdtr(freedom, mean / error))
