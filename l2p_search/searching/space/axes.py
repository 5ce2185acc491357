"""A search space as Optuna's distributions: for samplers, and for people who read a study."""

from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from l2p_search.searching.space.search_space import Choices, Dimension, Range, SearchSpace


class Axes:
    """A search space as a sampler sees it: one distribution per dimension.

    Numeric choices have an order, which a categorical distribution would forget. Samplers see
    the rank of a value instead: 0 for the smallest choice, 1 for the next one.

    Attributes:
        distributions: Hyperparameter -> the distribution that a sampler draws from.

    Example:
        >>> axes = Axes(SearchSpace("mine", {"K": Choices((16, 2, 4))}, {}))
        >>> axes.distributions["K"]
        IntDistribution(high=2, log=False, low=0, step=1)
        >>> axes.point({"K": 2}), axes.params({"K": 16})
        ({'K': 16}, {'K': 2})
    """

    def __init__(self, space: SearchSpace) -> None:
        """Rank the numeric choices of a space.

        Args:
            space: What varies; the values of one dimension are all numbers or all names.
        """
        self._ordered = {
            key: sorted(dimension.values)
            for key, dimension in space.dimensions.items()
            if isinstance(dimension, Choices) and not isinstance(dimension.values[0], str)
        }
        self._stepped = {
            key: dimension
            for key, dimension in space.dimensions.items()
            if isinstance(dimension, Range) and dimension.step is not None and not dimension.whole
        }
        self.distributions: dict[str, BaseDistribution] = {
            key: IntDistribution(0, len(self._ordered[key]) - 1)
            if key in self._ordered
            else natural_distribution(dimension)
            for key, dimension in space.dimensions.items()
        }

    def point(self, params: dict[str, Any]) -> dict[str, Any]:
        """Translate what a sampler proposes.

        Args:
            params: Hyperparameter -> rank or value, as drawn from `distributions`.

        Returns:
            The point of the space: hyperparameter -> value.
        """
        return {key: self._value(key, proposed) for key, proposed in params.items()}

    def params(self, point: dict[str, Any]) -> dict[str, Any]:
        """Translate a point of the space; the inverse of `point`.

        Args:
            point: Hyperparameter -> value; dimensions may be left out.

        Returns:
            Hyperparameter -> rank or value, as a sampler would draw it.
        """
        return {
            key: self._ordered[key].index(value) if key in self._ordered else value
            for key, value in point.items()
        }

    def _value(self, key: str, proposed: Any) -> Any:
        if key in self._ordered:
            return self._ordered[key][proposed]
        if key in self._stepped:
            # Optuna proposes 0.6000000000000001: as a config that would be another one than 0.6.
            dimension = self._stepped[key]
            values = dimension.enumerated() or ()
            return values[round((proposed - dimension.low) / (dimension.step or 1.0))]
        return proposed


def natural_distribution(dimension: Dimension) -> BaseDistribution:
    """The distribution over a dimension's own values, without ranks.

    Args:
        dimension: Choices, or a range.

    Returns:
        Categorical for choices; for a range integer or float, with its logarithm or step.

    Example:
        >>> natural_distribution(Choices((16, 2, 4)))
        CategoricalDistribution(choices=(16, 2, 4))
    """
    if isinstance(dimension, Choices):
        return CategoricalDistribution(dimension.values)
    if dimension.whole:
        step = 1 if dimension.step is None else int(dimension.step)
        return IntDistribution(int(dimension.low), int(dimension.high), dimension.log, step)
    return FloatDistribution(dimension.low, dimension.high, dimension.log, dimension.step)
