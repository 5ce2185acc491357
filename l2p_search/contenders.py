"""Contenders: which configurations may be as good as the selected best (Hsu 1984).

The best of 200 means is the best partly by luck, and a t-test of each against it forgets that it
was selected: of 200 equal configurations it would rule out many. Hsu's multiple comparisons with
the best ask of each configuration whether it can be the true best:

    it is ruled out  if  mean(best) - mean(it) > d * s * sqrt(1/n)

over n paired splits (or seeds of one split), with s the standard deviation of the paired
differences and d Dunnett's one-sided 5 % point for as many rivals as there are. Whichever
configuration is truly best, it is kept with 95 % probability, however many were tried.

Few splits say little about s. It is taken from the configuration's own differences and from those
of all complete trials, half and half: their median, as bad configurations scatter more.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincinv, ndtr

RISK = 0.05
_POOLED = 2
"""Configurations from which their common spread counts beside the own one of each."""
_ALIKE = 6
"""Differences without any spread that tell something by a sign test; fewer are alike by chance."""
_NODES = 96
"""Points of either integral behind Dunnett's quantile; its error is below 1e-4 then."""

Scores = Mapping[int, float]
"""Seed -> validation score."""


@dataclass(frozen=True)
class Contender:
    """One configuration against the selected best.

    Attributes:
        behind: How far its mean is behind the best's on the seeds that both have, in points.
        least_ruled_out: The smallest distance behind that would rule it out; None where one value
            tells nothing of the spread.
        units: How many paired splits, or seeds of one split, this rests on.
    """

    behind: float
    least_ruled_out: float | None
    units: int

    @property
    def tied(self) -> bool:
        """Whether it may be as good as the best."""
        return self.least_ruled_out is None or self.behind <= self.least_ruled_out


def contenders(
    best: Scores,
    others: Sequence[Scores],
    splits: Mapping[int, int],
    *,
    rivals: int | None = None,
) -> list[Contender]:
    """Compare configurations with the one of the highest mean.

    Args:
        best: Scores of the selected best, on all seeds.
        others: Scores of the others. Those with fewer seeds, as a race leaves them, are compared
            on the seeds that they have.
        splits: Seed -> split.
        rivals: Among how many others the best was selected; as many as are given by default.

    Returns:
        One for each of the others.

    Example:
        >>> best = {0: 80.0, 1: 82.0, 2: 84.0}
        >>> near = {0: 80.5, 1: 81.0, 2: 83.8}
        >>> [each.tied for each in contenders(best, [near], {0: 0, 1: 1, 2: 2})]
        [True]
    """
    by_unit = [_differences(best, other, splits) for other in others]
    whole = max((len(found) for found in by_unit), default=0)
    spreads = [float(np.var(found, ddof=1)) for found in by_unit if len(found) == whole > 1]
    # A single one's own spread again would count its few differences twice.
    pooled = len(spreads) >= _POOLED
    typical = float(np.median(spreads)) / _median_share(whole - 1) if pooled else None
    count = len(others) if rivals is None else rivals
    return [_contender(found, typical, whole - 1, count) for found in by_unit]


def dunnett_quantile(rivals: int, freedom: float, risk: float = RISK) -> float:
    """The one-sided point that the largest of several correlated t values stays below.

    All of them share one mean (correlation 1/2) and one standard deviation.

    Args:
        rivals: How many values.
        freedom: Degrees of freedom of the standard deviation; infinite where it is known.
        risk: The probability to be above.

    Returns:
        The point.

    Example:
        >>> round(dunnett_quantile(1, math.inf), 3), round(dunnett_quantile(4, math.inf), 2)
        (1.645, 2.16)
    """
    return _quantile(rivals, float(freedom), risk)


@lru_cache(maxsize=1024)
def _quantile(rivals: int, freedom: float, risk: float) -> float:
    z, z_weights = np.polynomial.hermite_e.hermegauss(_NODES)
    z_weights = z_weights / z_weights.sum()
    if math.isinf(freedom):
        scale, weights = np.ones(1), np.ones(1)
    else:
        at, weights = np.polynomial.legendre.leggauss(_NODES)
        # s of `freedom` degrees by its own probability, so that no range has to be chosen
        scale = np.sqrt(2.0 * gammaincinv(freedom / 2.0, (at + 1.0) / 2.0) / freedom)
        weights = weights / 2.0

    def beyond(point: float) -> float:
        below = ndtr(math.sqrt(2.0) * point * scale[:, None] + z[None, :]) ** rivals
        return float(weights @ below @ z_weights) - (1.0 - risk)

    return float(brentq(beyond, 0.0, 1000.0, xtol=1e-6))


def _contender(
    found: Sequence[float], typical: float | None, freedom: int, rivals: int
) -> Contender:
    units = len(found)
    behind = fmean(found) if found else 0.0
    if units < 2 and typical is None:
        return Contender(behind, None, units)
    own = float(np.var(found, ddof=1)) if units > 1 else 0.0
    weight = 0 if typical is None else freedom
    total = weight + max(0, units - 1)
    variance = (weight * (typical or 0.0) + (units - 1) * own) / total
    if variance <= 0.0 and units < _ALIKE:
        return Contender(behind, None, units)
    wide = dunnett_quantile(max(1, rivals), total) * math.sqrt(variance / max(1, units))
    return Contender(behind, wide, units)


def _differences(best: Scores, other: Scores, splits: Mapping[int, int]) -> list[float]:
    """The best minus the other: by split, or by seed where there is one split."""
    found = {seed: best[seed] - value for seed, value in other.items() if seed in best}
    if len({splits[seed] for seed in best}) < 2:
        return list(found.values())
    by_split = defaultdict(list)
    for seed, value in found.items():
        by_split[splits[seed]].append(value)
    return [fmean(values) for values in by_split.values()]


def _median_share(freedom: int) -> float:
    """The median of a sample variance as a share of the variance: below 1, as it is skewed."""
    return float(2.0 * gammaincinv(freedom / 2.0, 0.5) / freedom)
