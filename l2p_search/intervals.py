"""What may be said about means over seeds: their 95 % intervals on this graph.

Seeds of one split share its nodes, and so a good part of their error: they are averaged first,
and the split is the unit that is counted, in the mean as in its error. On a graph with one split
the seed is.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from l2p_search.results import SeedResult, TrialResult

CONFIDENCE = 0.95
_TOO_WIDE = 50.0
"""Half the scale of a score in percent: an interval with a larger half width says nothing."""
TOO_FEW = "too few seeds"
"""What stands for the bounds of such an interval."""


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval; without bounds where one value tells nothing of its spread.

    Attributes:
        mean: The mean over the splits of the means over their seeds, or over the seeds of one
            split: in percent for scores and in points for differences.
        low: The interval's lower bound, or None.
        high: Its upper bound, or None.
        units: How many independent values it rests on: the splits, or the seeds of one split.
        spread_freedom: Degrees of freedom of the error, where they are not `units` - 1.

    Example:
        >>> interval = l2p.Interval(mean=85.6, low=82.7, high=88.5, units=10)
        >>> print(interval)
        85.60 ± 2.90
    """

    mean: float
    low: float | None
    high: float | None
    units: int
    spread_freedom: float | None = None

    @property
    def freedom(self) -> float | None:
        """Degrees of freedom of Student's t behind the interval; None without bounds."""
        return None if self.low is None else self.spread_freedom or self.units - 1.0

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None without bounds."""
        if self.low is None or self.high is None or self.freedom is None:
            return None
        return (self.high - self.low) / 2.0 / quantile(self.freedom)

    @property
    def half_width(self) -> float | None:
        """The half width of the interval, for mean ± half width."""
        return None if self.low is None else self.mean - self.low

    @property
    def too_wide(self) -> bool:
        """Whether it is wider than all scores that there are, as that of two seeds often is."""
        return self.half_width is not None and self.half_width > _TOO_WIDE

    @property
    def plus_minus(self) -> str:
        """The half width for people, to stand behind the mean; empty without bounds.

        Example:
            >>> [Interval(53.0, 53.0 - half, 53.0 + half, 2).plus_minus for half in (2.9, 460.4)]
            [' ± 2.90', ' ± over 50']
        """
        if self.half_width is None:
            return ""
        return f" ± over {_TOO_WIDE:.0f}" if self.too_wide else f" ± {self.half_width:.2f}"

    def bounds(self, sign: str = "") -> str:
        """Both bounds for people.

        Args:
            sign: "+" for a difference, whose bounds have their signs.

        Returns:
            Such as "82.70 to 88.50", or that there are too few seeds; empty without bounds.

        Example:
            >>> Interval(0.5, -1.0, 2.0, 10).bounds("+")
            '-1.00 to +2.00'
        """
        if self.low is None or self.high is None:
            return ""
        if self.too_wide:
            return TOO_FEW
        return f"{two_digits(self.low, sign)} to {two_digits(self.high, sign)}"

    @property
    def signed(self) -> str:
        """A difference for people, with its sign.

        Example:
            >>> [Interval(mean, mean - 1.5, mean + 1.5, 10).signed for mean in (0.14, 0.0, -2.0)]
            ['+0.14 ± 1.50', '+0.00 ± 1.50', '-2.00 ± 1.50']
        """
        return f"{two_digits(self.mean, '+')}{self.plus_minus}"

    def to_mapping(self) -> dict[str, float | None]:
        """Plain JSON values."""
        return {"mean": self.mean, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        """For people: 84.7 ± 1.2."""
        return f"{two_digits(self.mean)}{self.plus_minus}"


def two_digits(value: float, sign: str = "") -> str:
    """A number with two decimals, and "+" before it on request; never "-0.00".

    Example:
        >>> two_digits(-0.001), two_digits(-0.001, "+"), two_digits(1.235, "+")
        ('0.00', '+0.00', '+1.24')
    """
    return f"{round(value, 2) + 0.0:{sign}.2f}"


def mean_interval(values: Mapping[int, float], splits: Mapping[int, int]) -> Interval:
    """The mean with its 95 % interval, every split counted once. Both mappings are by seed."""
    units = _units(values, splits)
    mean = statistics.fmean(units)
    if len(units) < 2:
        return Interval(mean, None, None, len(units))
    width = quantile(len(units) - 1) * _standard_error(units)
    return Interval(mean, mean - width, mean + width, len(units))


def interval_of_test(result: TrialResult) -> Interval | None:
    """The mean test score of a trial; None when no seed finished."""
    return _interval(result, lambda seed: seed.test)


def interval_of_validation(result: TrialResult) -> Interval | None:
    """The mean validation score of a trial; None when no seed finished."""
    return _interval(result, lambda seed: seed.val)


def val_by_seed(result: TrialResult) -> dict[int, float]:
    """Seed -> validation score."""
    return {seed.seed: seed.val for seed in result.finished if seed.val is not None}


def _interval(result: TrialResult, value: Callable[[SeedResult], float | None]) -> Interval | None:
    values = {seed.seed: found for seed in result.finished if (found := value(seed)) is not None}
    if not values:
        return None
    return mean_interval(values, {seed.seed: seed.split for seed in result.finished})


def _units(values: Mapping[int, float], splits: Mapping[int, int]) -> list[float]:
    """The means of the splits; the values themselves when there is one split."""
    by_split = defaultdict(list)
    for seed, value in values.items():
        by_split[splits[seed]].append(value)
    if len(by_split) == 1:
        return list(values.values())
    return [statistics.fmean(group) for group in by_split.values()]


def quantile(freedom: float) -> float:
    """Student's t that 95 % of values are within, on either side of 0."""
    from scipy.special import stdtrit  # a saved model and its card do without scipy

    return float(stdtrit(freedom, 0.5 + CONFIDENCE / 2))


def _standard_error(units: Sequence[float]) -> float:
    return statistics.stdev(units) / math.sqrt(len(units))
